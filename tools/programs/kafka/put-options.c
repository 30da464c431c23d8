// SPDX-License-Identifier: GPL-2.0-only
/* zio-kafka put: the command line */
#include <stdlib.h>
#include <string.h>

#include "common/complete.h"
#include "common/text.h"
#include "options.h"
#include "put.h"

static const char *const formats[] = { "blocks", "se00", NULL };
static const char *const when_full[] = { "wait", "refuse", NULL };

enum key {
	KEY_BYTES = 0x100,
	KEY_LINGER,
	KEY_QUEUE,
	KEY_WHEN_FULL,
	KEY_SPOOL,
	KEY_STATS,
	KEY_FLUSH,
	KEY_PROMETHEUS,
	KEY_STRICT,
	KEY_WINDOW,
	KEY_LIMIT,
	KEY_ANY_TRIGGER,
};

static const struct argp_option options[] = {
	CONF_OPTIONS,
	{ "format", 'F', "FORMAT", 0, "blocks (default): many blocks per message, with "
	  "their controls; se00: one block per message, as a FlatBuffer", 1 },
	{ "count", 'n', "N", 0, "Stop after N blocks; 0, the default: do not stop", 1 },
	METHOD_OPTION('m'),
	{ "group", 'g', "NAME", 0, "Send the blocks of all sources event by event: the "
	  "blocks of an event stay together in one message, with the key NAME", 1 },
	{ "window", KEY_WINDOW, "NS", 0, "With --group: the largest difference of time "
	  "stamps in an event (default 1000)", 1 },
	{ "limit", KEY_LIMIT, "SECONDS", 0, "With --group: how long an event waits for a "
	  "source (default 1)", 1 },
	{ "any-trigger", KEY_ANY_TRIGGER, NULL, 0, "With --group: an event may have blocks "
	  "of triggers with different names", 1 },
	{ "bytes", KEY_BYTES, "BYTES", 0, "Collect blocks up to this many bytes in a "
	  "message (default 524288)", 2 },
	{ "linger", KEY_LINGER, "SECONDS", 0, "How long a block waits for others "
	  "(default 0.005)", 2 },
	{ "queue", KEY_QUEUE, "MB", 0, "Keep this many megabytes for a broker that is slow "
	  "or away (default 64)", 2 },
	{ "when-full", KEY_WHEN_FULL, "ACTION", 0, "When the queue is full: wait "
	  "(default) reads no more blocks, so that the kernel counts what it loses; "
	  "refuse drops blocks and counts them", 2 },
	{ "spool", KEY_SPOOL, "FILE", 0, "Keep blocks in FILE while the broker is slow or "
	  "away; the next run sends what is left", 2 },
	{ "flush", KEY_FLUSH, "SECONDS", 0, "At the end, wait this long for the broker "
	  "(default 30)", 2 },
	{ "stats", KEY_STATS, "SECONDS", 0, "Print the sums on standard error at this interval "
	  "(default 10; 0: never)", 3 },
	{ "prometheus", KEY_PROMETHEUS, "FILE", 0, "Replace FILE at the same times by "
	  "the accounts in the text format of Prometheus", 3 },
	{ "json", 'j', NULL, 0, "At the end, print the accounts as JSON on standard "
	  "output", 3 },
	{ "strict", KEY_STRICT, NULL, 0, "Exit with status 1 also for blocks that were lost "
	  "before they reached the program", 3 },
	{ 0 }
};

static error_t parse_amount(int key, char *arg, const struct argp_state *state,
			    struct put_settings *set)
{
	switch (key) {
	case 'n':
		set->count = parse_number(state, "count", arg, UINT64_MAX);
		return 0;
	case KEY_BYTES:
		set->bytes = parse_number(state, "bytes", arg, 64 << 20);
		return 0;
	case KEY_QUEUE:
		set->queue = parse_number(state, "queue", arg, 1 << 20) << 20;
		return 0;
	case KEY_LINGER:
		set->linger = parse_seconds(state, arg);
		return 0;
	case KEY_LIMIT:
		set->limit = parse_seconds(state, arg);
		return 0;
	case KEY_WINDOW:
		set->window = parse_number(state, "window", arg, INT64_MAX);
		return 0;
	case KEY_STATS:
		set->stats = parse_seconds(state, arg);
		return 0;
	case KEY_FLUSH:
		set->flush = parse_seconds(state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_choices(int key, char *arg, const struct argp_state *state,
			     struct put_settings *set)
{
	switch (key) {
	case 'F':
		set->format = (enum format)parse_choice(state, "format", arg, formats);
		return 0;
	case 'm':
		set->method = parse_method(state, arg);
		return 0;
	case 'g':
		set->group = arg;
		return 0;
	case KEY_ANY_TRIGGER:
		set->any_trigger = true;
		return 0;
	case 'j':
		set->json = true;
		return 0;
	case KEY_WHEN_FULL:
		set->drops = parse_choice(state, "when-full", arg, when_full);
		return 0;
	case KEY_SPOOL:
		set->spool = arg;
		return 0;
	case KEY_PROMETHEUS:
		set->prometheus = arg;
		return 0;
	case KEY_STRICT:
		set->strict = true;
		return 0;
	default:
		return parse_amount(key, arg, state, set);
	}
}

static void check_settings(const struct argp_state *state, struct put_settings *set)
{
	check_conf(state, &set->conf);
	if (!set->queue)
		argp_error(state, "queue=0: give at least one megabyte");
	if (set->bytes < sizeof(struct zio_control))
		argp_error(state, "bytes=%zu: give at least the %zu bytes of a control",
			   set->bytes, sizeof(struct zio_control));
	if (set->group && set->format != BLOCKS)
		argp_error(state, "--group: an event has many blocks, but a message of "
			   "--format=se00 has only one");
	if (set->group && set->spool)
		argp_error(state, "--group: a spool keeps blocks, not events; make --queue "
			   "larger instead of using --spool");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct put_settings *set = state->input;

	if (key == ARGP_KEY_SUCCESS) {
		check_settings(state, set);
		return 0;
	}
	if (!parse_conf(key, arg, state, &set->conf) || !parse_choices(key, arg, state, set))
		return 0;
	return keep_arguments(key, state, &set->sources);
}

static const struct argp put_argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "--topic=TOPIC SOURCE...",
	.doc = "Send the blocks of channels and block files to a topic of Apache Kafka, "
	"until end of file, --count or Ctrl-C.\v"
	"SOURCE is a channel such as zzero-0-1, a block file, or - for a block file on "
	"standard input. For each channel, the program counts the blocks that were stored, "
	"lost before, refused and not acknowledged.\n"
	"\n"
	"Exit status: 0 all blocks are stored, or in the spool; 1 some are not, or an "
	"error; 2 usage; 3 a source, the spool or the settings cannot be opened; 130 "
	"interrupted; 143 terminated.",
	.children = program_options,
};

void parse_put(int argc, char **argv, struct put_settings *set)
{
	set->sources.needed = true;
	set->bytes = 512 << 10;
	set->queue = 64 << 20;
	set->linger = 0.005;
	set->stats = 10;
	set->flush = 30;
	set->window = 1000;
	set->limit = 1;
	set->conf.settings = allocate((size_t)argc, sizeof(char *));
	parse_command(&put_argp, argc, argv, set);
}

int complete_put(const char *word)
{
	offer_options(word, &put_argp);
	offer_choices(word, "--format=", formats);
	offer_choices(word, "--when-full=", when_full);
	offer_sources(word, "");
	return finish_output();
}
