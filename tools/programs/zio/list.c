// SPDX-License-Identifier: GPL-2.0-only
/* zio list: print a tree, columns for scripts, or JSON */
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/stop.h"
#include "command.h"
#include "json.h"
#include "model.h"

#define DEFAULT_INTERVAL 0.5

enum form {
	FORM_AUTO,
	FORM_TREE,
	FORM_COLUMNS,
	FORM_JSON,
};

struct list {
	enum form form;
	bool header;
	double interval;
	struct arguments patterns;
};

/* The characters and colours of the tree on this terminal */
static struct {
	const char *branch, *last, *line, *space;
	bool colours;
} style;

enum colour {
	PLAIN,
	BOLD,
	RED,
	GREEN,
	DIM,
};

static void choose_style(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");

	style.branch = utf8 ? "\u251c\u2500 " : "|- ";
	style.last = utf8 ? "\u2514\u2500 " : "`- ";
	style.line = utf8 ? "\u2502  " : "|  ";
	style.space = "   ";
	style.colours = isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
			term && strcmp(term, "dumb");
}

static const char *colour(enum colour which)
{
	static const char *const codes[] = {
		[PLAIN] = "\033[0m",
		[BOLD] = "\033[1m",
		[RED] = "\033[31m",
		[GREEN] = "\033[32m",
		[DIM] = "\033[2m",
	};

	return style.colours ? codes[which] : "";
}

static void print_count(const char *title, int64_t value, enum colour which)
{
	bool coloured = value && which != PLAIN;

	if (value < 0)
		return;
	printf("  %s%s %" PRId64 "%s", coloured ? colour(which) : "", title,
	       value, coloured ? colour(PLAIN) : "");
}

static void print_rate(double value, const char *unit)
{
	char text[NAME_LEN];

	if (isnan(value))
		return;
	put_scaled(text, sizeof(text), value);
	printf("  %s %s/s", text, unit);
}

static void print_queue(const struct channel *chan)
{
	if (chan->queued >= 0)
		printf("  queued %" PRId64 "/%" PRId64, chan->queued,
		       chan->length);
	else if (chan->length >= 0)
		printf("  room %" PRId64, chan->length);
}

static void print_channel(const struct channel *chan)
{
	const char *state = channel_state(chan);

	printf("%s  %s%s%s", chan->address,
	       colour(strcmp(state, "on") ? DIM : GREEN), state, colour(PLAIN));
	print_queue(chan);
	print_count("blocks", chan->blocks, PLAIN);
	print_count("lost", chan->lost, RED);
	print_rate(chan->blocks_rate, "blocks");
	print_rate(chan->bytes_rate, "B");
	if (chan->lost_rate > 0)
		print_rate(chan->lost_rate, "lost");
	if (*chan->source)
		printf("  from %s", chan->source);
	putchar('\n');
}

static void print_trigger(const struct cset *cset)
{
	printf("trigger %s", cset->trigger);
	if (strcmp(cset->trigger, cset->type))
		printf(" (shared, %s)", cset->type);
	if (!cset->trigger_enable)
		printf(" %soff%s", colour(DIM), colour(PLAIN));
}

static void print_cset(const struct cset *cset)
{
	printf("%s  %s", strrchr(cset->path, '/') + 1, cset->direction);
	if (strcmp(strrchr(cset->path, '/') + 1, cset->name))
		printf("  '%s'", cset->name);
	if (!cset->enable)
		printf("  %soff%s", colour(DIM), colour(PLAIN));
	fputs("  ", stdout);
	print_trigger(cset);
	printf("  buffer %s  %" PRId64 " x %" PRId64 " B", cset->buffer,
	       cset->nsamples, cset->ssize);
	if (strcmp(cset->sample_rate, "0"))
		printf("  %s samples/s", cset->sample_rate);
	print_count("fired", cset->fired, PLAIN);
	if (cset->lost_triggers > 0)
		print_count("lost triggers", cset->lost_triggers, RED);
	if (cset->io_errors > 0)
		print_count("errors", cset->io_errors, RED);
	print_rate(cset->fired_rate, "fired");
	putchar('\n');
}

static int last_channel(const struct cset *cset)
{
	int last = -1;
	int c;

	for (c = 0; c < cset->count; c++)
		if (cset->channels[c].chosen)
			last = c;
	return last;
}

static int last_cset(const struct device *device)
{
	int last = -1;
	int s;

	for (s = 0; s < device->count; s++)
		if (device->csets[s].chosen)
			last = s;
	return last;
}

static void print_cset_tree(const struct cset *cset, bool is_last)
{
	int last = last_channel(cset);
	int c;

	fputs(is_last ? style.last : style.branch, stdout);
	print_cset(cset);
	for (c = 0; c < cset->count; c++) {
		if (!cset->channels[c].chosen)
			continue;
		printf("%s%s", is_last ? style.space : style.line,
		       c == last ? style.last : style.branch);
		print_channel(&cset->channels[c]);
	}
}

static void print_device_tree(const struct device *device)
{
	int last = last_cset(device);
	int s;

	printf("%s%s%s\n", colour(BOLD), device->name, colour(PLAIN));
	for (s = 0; s < device->count; s++)
		if (device->csets[s].chosen)
			print_cset_tree(&device->csets[s], s == last);
}

static void print_shared(const struct snapshot *snap,
			 const struct configured *trigger)
{
	bool enabled = get_number(trigger->obj, "enable") == 1;
	char users[ZIO_TEXT_SIZE];

	put_trigger_users(snap, trigger->name, users, sizeof(users));
	printf("%strigger:%s%s  type %s  %s  %s%s\n", colour(BOLD),
	       trigger->name, colour(PLAIN), trigger->type,
	       enabled ? "on" : "off", *users ? "used by " : "not used", users);
}

static void print_configured(const struct configured *device)
{
	bool live = get_number(device->obj, "live") == 1;
	char name[NAME_LEN];

	get_name(device->obj, "name", name);
	printf("%sdevice:%s%s  driver %s  %s%s%s\n", colour(BOLD), device->name,
	       colour(PLAIN), device->type, live ? "live" : "not live",
	       *name ? " as " : "", name);
}

static void print_tree(const struct snapshot *snap)
{
	int i;

	for (i = 0; i < snap->count; i++)
		if (snap->devices[i].chosen)
			print_device_tree(&snap->devices[i]);
	for (i = 0; i < snap->n_triggers; i++)
		if (snap->triggers[i].chosen)
			print_shared(snap, &snap->triggers[i]);
	for (i = 0; i < snap->n_configured; i++)
		if (snap->configured[i].chosen)
			print_configured(&snap->configured[i]);
}

static void print_number(int64_t value)
{
	if (value < 0)
		fputs(" -", stdout);
	else
		printf(" %" PRId64, value);
}

static void print_real(double value)
{
	if (isnan(value))
		fputs(" -", stdout);
	else
		printf(" %.1f", value);
}

static void print_channel_columns(const struct channel *chan)
{
	const struct cset *cset = chan->cset;

	printf("%s %s %s %s %s", chan->address, cset->direction, cset->trigger,
	       cset->buffer, channel_state(chan));
	print_number(chan->queued);
	print_number(chan->length);
	print_number(chan->blocks);
	print_number(chan->bytes);
	print_number(chan->lost);
	print_real(chan->blocks_rate);
	print_real(chan->bytes_rate);
	print_real(chan->lost_rate);
	print_number(cset->lost_triggers);
	printf(" %s\n", strcmp(cset->sample_rate, "0") ? cset->sample_rate : "-");
}

static void print_cset_columns(const struct cset *cset)
{
	int c;

	for (c = 0; c < cset->count; c++)
		if (cset->channels[c].chosen)
			print_channel_columns(&cset->channels[c]);
}

static void print_columns(const struct snapshot *snap, bool header)
{
	int d, s;

	if (header)
		puts("CHANNEL DIRECTION TRIGGER BUFFER STATE QUEUED LENGTH BLOCKS BYTES LOST BLOCKS/S BYTES/S LOST/S MISSED SAMPLES/S");
	for (d = 0; d < snap->count; d++)
		for (s = 0; s < snap->devices[d].count; s++)
			print_cset_columns(&snap->devices[d].csets[s]);
}

/* Take a snapshot @interval after @before, with the rates. Frees @before. */
static struct snapshot *take_with_rates(struct snapshot *before,
					double interval)
{
	struct snapshot *snap;

	if (!before || interval <= 0 || !before->n_channels)
		return before;
	sleep_until(before->seconds + interval);
	snap = take_snapshot();
	if (snap)
		set_rates(snap, before);
	free_snapshot(before);
	return snap;
}

static void print_list(struct list *list, struct snapshot *snap)
{
	switch (list->form) {
	case FORM_JSON:
		json_print(stdout, new_json_snapshot(snap), JSON_PRECISION);
		return;
	case FORM_COLUMNS:
		print_columns(snap, list->header);
		return;
	default:
		choose_style();
		print_tree(snap);
	}
}

static int list_chosen(struct list *list, struct snapshot *snap)
{
	int good = choose_named(snap, &list->patterns);

	if (!snap->count && list->form != FORM_JSON)
		complain("there is no device: load a driver, such as zio-zero (modprobe zio-zero)");
	if (good || !list->patterns.count)
		print_list(list, snap);
	return good < list->patterns.count ? EXIT_FAILED : EXIT_OK;
}

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct list *list = state->input;

	switch (key) {
	case 'j':
		list->form = FORM_JSON;
		return 0;
	case 't':
		list->form = FORM_TREE;
		return 0;
	case 'c':
		list->form = FORM_COLUMNS;
		return 0;
	case 'H':
		list->header = true;
		list->form = FORM_COLUMNS;
		return 0;
	case 'i':
		list->interval = parse_seconds(state, arg);
		return 0;
	default:
		return keep_arguments(key, state, &list->patterns);
	}
}

static const struct argp_option options[] = {
	{ "tree", 't', NULL, 0, "Print a tree, as on a terminal", 0 },
	{ "columns", 'c', NULL, 0,
	  "Print one line of words per channel, as into a pipe", 0 },
	{ "header", 'H', NULL, 0, "The same, below a line of titles", 0 },
	{ "json", 'j', NULL, 0, "Print one JSON object", 0 },
	{ "interval", 'i', "SECONDS", 0,
	  "Measure rates for SECONDS (default 0.5; 0: do not measure or wait)",
	  0 },
	{ 0 }
};

const struct argp list_argp = {
	.options = options,
	.parser = parse_list,
	.args_doc = "[PATTERN]...",
	.doc = "Show devices, channel sets, channels, shared triggers.\v"
	"PATTERN is a name as for 'zio get', in full or with * ? [], such as "
	"zzero-0000, 'zzero*/cset0', 'zzero-0-*', 'trigger:*'.",
	.children = program_options,
};

int run_list(int argc, char **argv)
{
	struct list list = { .interval = DEFAULT_INTERVAL };
	struct snapshot *snap;
	int code;

	parse_command(&list_argp, argc, argv, &list);
	if (list.form == FORM_AUTO)
		list.form = isatty(STDOUT_FILENO) ? FORM_TREE : FORM_COLUMNS;
	snap = take_with_rates(take_snapshot(), list.interval);
	if (!snap)
		return EXIT_FAILED;
	code = list_chosen(&list, snap);
	free_snapshot(snap);
	return code;
}
