// SPDX-License-Identifier: GPL-2.0-only
/* zio top: print rates and losses of each channel, again and again */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "json.h"
#include "model.h"
#include "term.h"

struct sort_key {
	char key;
	int (*compare)(const struct channel *a, const struct channel *b);
};

struct top {
	double interval;
	uint64_t count;		/* intervals to print; 0: no end */
	bool json;
	bool screen;
	bool reverse;
	bool quit;
	const struct sort_key *sort;
	struct arguments patterns;
	struct snapshot *snap, *before;
};

/* A rate that is not known sorts last. */
static int compare_rates(double a, double b)
{
	double one = isnan(a) ? -1 : a, two = isnan(b) ? -1 : b;

	return (one < two) - (one > two);
}

static int by_name(const struct channel *a, const struct channel *b)
{
	return strverscmp(a->address, b->address);
}

static int by_blocks(const struct channel *a, const struct channel *b)
{
	return compare_rates(a->blocks_rate, b->blocks_rate);
}

static int by_bytes(const struct channel *a, const struct channel *b)
{
	return compare_rates(a->bytes_rate, b->bytes_rate);
}

static int by_losses(const struct channel *a, const struct channel *b)
{
	int ret = compare_rates(a->lost_rate, b->lost_rate);

	return ret ? ret : compare_rates((double)a->lost, (double)b->lost);
}

static int by_queue(const struct channel *a, const struct channel *b)
{
	return compare_rates((double)a->queued, (double)b->queued);
}

static int by_trigger(const struct channel *a, const struct channel *b)
{
	return compare_rates(a->cset->fired_rate, b->cset->fired_rate);
}

const char *const sort_names[] = {
	"name", "blocks", "bytes", "lost", "queued", "trigger", NULL
};

/* In the order of sort_names */
static const struct sort_key sort_keys[] = {
	{ 'n', by_name },
	{ 'b', by_blocks },
	{ 'y', by_bytes },
	{ 'l', by_losses },
	{ 'u', by_queue },
	{ 't', by_trigger },
};

#define SORT_KEYS (sizeof(sort_keys) / sizeof(sort_keys[0]))

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct channel *const *one = a, *const *two = b;
	const struct top *top = arg;
	int ret = top->sort->compare(*one, *two);

	if (!ret)
		return by_name(*one, *two);
	return top->reverse ? -ret : ret;
}

/* Return the chosen channels in order, for the caller to free. */
static struct channel **sort_rows(struct top *top, int *count)
{
	struct snapshot *snap = top->snap;
	struct channel **rows = allocate((size_t)snap->n_channels,
					 sizeof(*rows));
	int i;

	*count = 0;
	for (i = 0; i < snap->n_channels; i++)
		if (snap->channels[i]->chosen)
			rows[(*count)++] = snap->channels[i];
	qsort_r(rows, (size_t)*count, sizeof(*rows), compare_rows, top);
	return rows;
}

static void put_queue(char *text, size_t size, const struct channel *chan)
{
	if (chan->queued < 0)
		put_text(text, size, "-/%ld", (long)chan->length);
	else
		put_text(text, size, "%ld/%ld", (long)chan->queued,
			 (long)chan->length);
}

/* The columns that have no fixed width */
struct widths {
	int address, trigger;
};

#define OTHER_WIDTHS 55		/* of the other columns, with the spaces between all */
#define TRIGGER_WIDTH 11

static void print_row(FILE *out, const struct widths *width, const struct channel *chan)
{
	char blocks[NAME_LEN], bytes[NAME_LEN], lost[NAME_LEN];
	char total[NAME_LEN], fired[NAME_LEN], queue[NAME_LEN];

	put_scaled(blocks, sizeof(blocks), chan->blocks_rate);
	put_scaled(bytes, sizeof(bytes), chan->bytes_rate);
	put_scaled(lost, sizeof(lost), chan->lost_rate);
	put_scaled(total, sizeof(total),
		   chan->lost < 0 ? (double)NAN : (double)chan->lost);
	put_scaled(fired, sizeof(fired), chan->cset->fired_rate);
	put_queue(queue, sizeof(queue), chan);
	fprintf(out, "%-*s %-3.3s %-*.*s %6s %8s %7s %6s %11s %6s", width->address,
		chan->address, chan->cset->direction, width->trigger, width->trigger,
		chan->cset->trigger, fired, blocks, bytes, lost, queue, total);
}

static void print_titles(FILE *out, const struct widths *width)
{
	fprintf(out, "%-*s %-3s %-*.*s %6s %8s %7s %6s %11s %6s", width->address,
		"CHANNEL", "DIR", width->trigger, width->trigger, "TRIGGER", "TRIG/S",
		"BLOCKS/S", "BYTES/S", "LOST/S", "QUEUED", "LOST");
}

static int widest(struct channel **rows, int count)
{
	size_t width = strlen("CHANNEL");
	int i;

	for (i = 0; i < count; i++)
		if (strlen(rows[i]->address) > width)
			width = strlen(rows[i]->address);
	return (int)width;
}

/* The losses in the last column must be seen: cut the names of triggers before them. */
static struct widths fit_screen(struct channel **rows, int count)
{
	struct widths width = { .address = widest(rows, count) };
	int room = terminal_columns() - OTHER_WIDTHS - width.address;

	width.trigger = room > TRIGGER_WIDTH ? TRIGGER_WIDTH : room < 4 ? 4 : room;
	return width;
}

static void print_plain(struct top *top)
{
	struct widths width = { .trigger = TRIGGER_WIDTH };
	int count, i;
	struct channel **rows = sort_rows(top, &count);

	width.address = widest(rows, count);
	print_titles(stdout, &width);
	putchar('\n');
	for (i = 0; i < count; i++) {
		print_row(stdout, &width, rows[i]);
		putchar('\n');
	}
	putchar('\n');
	free(rows);
}

/* Print @line, cut to the width of the screen, and free it. */
static void end_line(FILE *out, char **line, size_t *size, FILE *screen)
{
	fclose(out);
	fprintf(screen, "%.*s\033[K\r\n", terminal_columns(), *line);
	free(*line);
	*line = NULL;
	*size = 0;
}

static FILE *begin_line(char **line, size_t *size)
{
	FILE *out = open_memstream(line, size);

	if (!out)
		fail_memory();
	return out;
}

static void print_head(const struct top *top, int count, int shown)
{
	char *line;
	size_t size;
	FILE *out = begin_line(&line, &size);

	fprintf(out, "zio top: %d channels", count);
	if (shown < count)
		fprintf(out, " (%d shown)", shown);
	fprintf(out, ", by %s%s; n b y l u t: sort by name, blocks, bytes, lost, queued, trigger; r: reverse; q: quit",
		sort_names[top->sort - sort_keys], top->reverse ? ", reversed" : "");
	end_line(out, &line, &size, stdout);
}

static void print_screen(struct top *top)
{
	int count, shown, i;
	struct channel **rows = sort_rows(top, &count);
	struct widths width = fit_screen(rows, count);
	char *line;
	size_t size;
	FILE *out;

	shown = terminal_rows() - 3;
	shown = shown < 0 ? 0 : shown > count ? count : shown;
	fputs("\033[H", stdout);
	print_head(top, count, shown);
	fputs("\033[7m", stdout);
	out = begin_line(&line, &size);
	print_titles(out, &width);
	end_line(out, &line, &size, stdout);
	fputs("\033[0m", stdout);
	for (i = 0; i < shown; i++) {
		out = begin_line(&line, &size);
		print_row(out, &width, rows[i]);
		if (rows[i]->lost_rate > 0)
			fputs("\033[31m", stdout);
		end_line(out, &line, &size, stdout);
		fputs("\033[0m", stdout);
	}
	fputs("\033[J", stdout);
	fflush(stdout);
	free(rows);
}

static void print_json(const struct top *top)
{
	struct timespec now;
	json_t *root = json_object();

	clock_gettime(CLOCK_REALTIME, &now);
	json_add(root, "time", json_real((double)now.tv_sec +
		 round((double)now.tv_nsec / 1e6) / 1e3));
	json_add(root, "interval",
		 json_real(round((top->snap->seconds - top->before->seconds) *
				 1e6) / 1e6));
	json_add(root, "channels", new_json_rates(top->snap));
	json_print(stdout, root, JSON_PRECISION);
}

static int print_rates(struct top *top)
{
	if (top->json)
		print_json(top);
	else if (top->screen)
		print_screen(top);
	else
		print_plain(top);
	return finish_output() ? -1 : 0;
}

static void handle_key(struct top *top, int key)
{
	size_t i;

	if (key == 'q' || key == 'Q' || key == KEY_END)
		top->quit = true;
	if (key == 'r')
		top->reverse = !top->reverse;
	for (i = 0; i < SORT_KEYS; i++)
		if (sort_keys[i].key == key)
			top->sort = &sort_keys[i];
	if (!top->quit && top->before && top->screen)
		print_screen(top);
}

static bool is_finished(const struct top *top)
{
	return top->quit || caught_stop();
}

/* Wait until @end, and handle keys meanwhile. */
static void wait_until(struct top *top, double end)
{
	while (!is_finished(top)) {
		int key = wait_key(end - seconds_now(), top->screen);

		if (key == KEY_NONE)
			return;
		handle_key(top, key);
	}
}

static int next_snapshot(struct top *top)
{
	struct snapshot *snap = take_snapshot();

	if (!snap)
		return -1;
	choose_objects(snap, top->patterns.text, top->patterns.count);
	free_snapshot(top->before);
	top->before = top->snap;
	top->snap = snap;
	if (top->before)
		set_rates(snap, top->before);
	return 0;
}

static int show_rates(struct top *top)
{
	uint64_t printed = 0;
	double end = seconds_now();

	if (next_snapshot(top))
		return EXIT_FAILED;
	while (!top->count || printed < top->count) {
		end += top->interval;
		if (end < seconds_now())
			end = seconds_now();
		wait_until(top, end);
		if (is_finished(top))
			break;
		if (next_snapshot(top) || print_rates(top))
			return EXIT_FAILED;
		printed++;
	}
	return stop_status(EXIT_OK);
}

static error_t parse_top(int key, char *arg, struct argp_state *state)
{
	struct top *top = state->input;

	switch (key) {
	case 'i':
		top->interval = parse_seconds(state, arg);
		if (top->interval < 0.01)
			argp_error(state, "--interval=%s: less than 0.01 s",
				   arg);
		return 0;
	case 'n':
		top->count = parse_number(state, "--count", arg, UINT64_MAX);
		return 0;
	case 'j':
		top->json = true;
		return 0;
	case 's':
		top->sort = &sort_keys[parse_choice(state, "sort key", arg,
						    sort_names)];
		return 0;
	case 'r':
		top->reverse = true;
		return 0;
	default:
		return keep_arguments(key, state, &top->patterns);
	}
}

static const struct argp_option options[] = {
	{ "interval", 'i', "SECONDS", 0, "Length of an interval (default 1)",
	  0 },
	{ "count", 'n', "N", 0, "Exit after N intervals (0, the default: never)",
	  0 },
	{ "sort", 's', "KEY", 0,
	  "Sort by name (default); or, largest first, by blocks, bytes, lost, "
	  "queued, trigger",
	  0 },
	{ "reverse", 'r', NULL, 0, "Sort in reverse order", 0 },
	{ "json", 'j', NULL, 0, "Print a JSON object in one line per interval", 0 },
	{ 0 }
};

const struct argp top_argp = {
	.options = options,
	.parser = parse_top,
	.args_doc = "[PATTERN]...",
	.doc = "Show rates and losses of the channels that match (see 'zio list').\v"
	"On a terminal: n b y l u t sort by name, blocks, bytes, lost, queued, "
	"trigger rate; r reverses; q quits.",
	.children = program_options,
};

int run_top(int argc, char **argv)
{
	struct top top = { .interval = 1, .sort = &sort_keys[0] };
	int code;

	parse_command(&top_argp, argc, argv, &top);
	top.screen = !top.json && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
	catch_signals();
	if (top.screen)
		enter_terminal();
	code = show_rates(&top);
	leave_terminal();
	free_snapshot(top.before);
	free_snapshot(top.snap);
	return code;
}
