// SPDX-License-Identifier: GPL-2.0-only
/* get.c: copy blocks of a topic to a block file, standard output or an output channel */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/complete.h"
#include "common/json.h"
#include "common/stop.h"
#include "common/text.h"
#include "options.h"
#include "replace.h"

struct get {
	struct conf conf;
	struct arguments args;
	struct position from;
	struct position until;
	const char *key;
	uint64_t count;
	bool json;
	bool force;
	bool realtime;		/* convert time stamps to this clock */
	bool has_told;
	bool has_failed;	/* writing to the target has failed */
	struct consumer consumer;
	struct replacement file; /* the target, if it is a file and not followed */
	struct zio_channel *out;
	bool is_output;		/* the target is a channel, not a file */
	uint64_t blocks;
	uint64_t bytes;
	uint64_t messages;
	uint64_t damaged;	/* messages */
	int code;
};

/* The key of a message of events is the group, which has many channels. */
static bool has_key(const struct get *g, const rd_kafka_message_t *rkm)
{
	return !g->key || (rkm->key && rkm->key_len == strlen(g->key) &&
			   !memcmp(rkm->key, g->key, rkm->key_len));
}

static bool is_of_channel(const struct get *g, const struct zio_control *control)
{
	char address[ADDRESS_LEN];

	put_address(address, control);
	return !strcmp(address, g->key);
}

static bool has_all(const struct get *g)
{
	return g->count && g->blocks >= g->count;
}

/* The library copies what it needs: samples need not be aligned. */
static int write_block(struct get *g, struct block_cursor *cursor)
{
	if (g->is_output)
		clear_address(&cursor->control);
	while (zio_write_block(g->out, &cursor->control, cursor->samples, cursor->size)) {
		if (errno == EINTR && !caught_stop())
			continue;
		g->has_failed = !caught_stop();
		if (errno == EPIPE)
			return EXIT_BY_SIGNAL + SIGPIPE;
		if (!caught_stop())
			complain("%s%s", zio_reason(g->out),
				 g->is_output ? output_hint(errno) : "");
		return EXIT_FAILED;
	}
	g->blocks++;
	g->bytes += cursor->size;
	return EXIT_OK;
}

/* Warn once of time stamps that stay in another clock. */
static void tell_clock(struct get *g, const rd_kafka_message_t *rkm)
{
	if (!g->has_told)
		complain("topic %s, offset %" PRId64 ": the message does not say how its "
			 "clock differs from CLOCK_REALTIME: time stamps stay as they are",
			 g->consumer.topic, rkm->offset);
	g->has_told = true;
}

/* Damage affects one message: go on with the next. */
static void tell_damage(struct get *g, const struct block_cursor *cursor)
{
	complain("topic %s, partition %d, offset %" PRId64 ": the message is damaged: got %"
		 PRIu64 " blocks of it", g->consumer.topic, cursor->rkm->partition,
		 cursor->rkm->offset, cursor->blocks);
	g->damaged++;
}

static int write_message(struct get *g, const rd_kafka_message_t *rkm)
{
	struct block_cursor cursor;
	bool is_wanted = has_key(g, rkm);
	int ret = 0, code = EXIT_OK;

	if (!open_blocks(&cursor, rkm) || (!is_wanted && cursor.kind != EVENTS_VALUE))
		return EXIT_OK;
	g->messages++;
	while (!code && !has_all(g) && (ret = next_block(&cursor)) > 0) {
		if (!is_wanted && !is_of_channel(g, &cursor.control))
			continue;
		if (g->realtime && !convert_time(&cursor))
			tell_clock(g, rkm);
		code = write_block(g, &cursor);
	}
	if (ret < 0)
		tell_damage(g, &cursor);
	return code;
}

static void copy_messages(struct get *g)
{
	rd_kafka_message_t *rkm;
	int ret = 0;

	while (!g->code && !has_all(g) && (ret = next_message(&g->consumer, &rkm)) > 0) {
		g->code = write_message(g, rkm);
		rd_kafka_message_destroy(rkm);
	}
	if (!g->code && (ret < 0 || g->damaged))
		g->code = EXIT_FAILED;
}

static int tell_end(const struct get *g)
{
	json_t *obj;

	complain("%" PRIu64 " blocks, %" PRIu64 " bytes, %" PRIu64 " messages, %" PRIu64
		 " damaged", g->blocks, g->bytes, g->messages, g->damaged);
	if (!g->json)
		return 0;
	obj = json_object();
	json_add_u64(obj, "blocks", g->blocks);
	json_add_u64(obj, "bytes", g->bytes);
	json_add_u64(obj, "messages", g->messages);
	json_add_u64(obj, "damaged", g->damaged);
	return json_print(stdout, obj, 0);
}

enum key { KEY_FORCE = 0x100, KEY_REALTIME };

static const struct argp_option options[] = {
	CONF_OPTIONS,
	PLACE_OPTIONS,
	{ "follow", 'f', NULL, 0, "Do not stop; wait for new blocks", 2 },
	{ "key", 'k', "NAME", 0, "Read only the blocks of this channel, such as "
	  "zzero-0000-0-1; or the events of this group", 2 },
	{ "realtime", KEY_REALTIME, NULL, 0, "Convert time stamps of other clocks to "
	  "CLOCK_REALTIME of the host that sent them", 2 },
	{ "count", 'n', "N", 0, "Stop after N blocks; 0, the default: do not stop", 2 },
	{ "json", 'j', NULL, 0, "Print the sums as JSON on standard output", 3 },
	{ "force", KEY_FORCE, NULL, 0, "Replace a TARGET that has blocks; write to standard "
	  "output even if it is a terminal", 3 },
	{ 0 }
};

static error_t parse_get(int key, char *arg, struct argp_state *state)
{
	struct get *g = state->input;

	switch (key) {
	case 'f':
		g->until.kind = POSITION_NONE;
		return 0;
	case 'k':
		g->key = arg;
		return 0;
	case 'n':
		g->count = parse_number(state, "count", arg, UINT64_MAX);
		return 0;
	case 'j':
		g->json = true;
		return 0;
	case KEY_FORCE:
		g->force = true;
		return 0;
	case KEY_REALTIME:
		g->realtime = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_conf(state, &g->conf);
		if (g->args.count > 1)
			argp_usage(state);
		return 0;
	default:
		if (!parse_conf(key, arg, state, &g->conf) ||
		    !parse_places(key, arg, state, &g->from, &g->until))
			return 0;
		return keep_arguments(key, state, &g->args);
	}
}

static const struct argp get_argp = {
	.options = options,
	.parser = parse_get,
	.args_doc = "--topic=TOPIC [TARGET]",
	.doc = "Read the blocks of a topic.\v"
	"TARGET is a block file, an output channel, or - for standard output (the default). "
	"The program writes a new file next to TARGET and renames it when it has all blocks. "
	"With --follow it writes TARGET itself.\n"
	"\n"
	"Exit status: 0 done; 1 a damaged message, or an error while copying; 2 usage; 3 the "
	"topic or the target cannot be opened; 130 interrupted; 141 the reader of a pipe has closed "
	"it; 143 terminated.",
	.children = program_options,
};

static int refuse_blocks(const struct get *g, const char *target)
{
	struct stat st;

	if (g->force || stat(target, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	complain("%s: the file has %lld bytes: name another one, or replace it with --force",
		 target, (long long)st.st_size);
	return -1;
}

static int open_out(struct get *g, const char *name, int flags)
{
	g->out = open_channel(name, ZIO_OPEN_OUTPUT | flags);
	return g->out ? 0 : -1;
}

/* With --follow, readers of the file want blocks as they arrive. */
static bool is_replaced(const struct get *g, const char *target)
{
	struct stat st;

	return g->until.kind != POSITION_NONE && !stat(target, &st) && S_ISREG(st.st_mode);
}

static void remove_empty(const char *file)
{
	struct stat st;

	if (!stat(file, &st) && !st.st_size)
		unlink(file);
}

/*
 * The library knows which names are channels, and creates a file for any other name. Append
 * to it: another program may have written blocks there in the meantime.
 */
static int open_target(struct get *g, const char *target)
{
	bool is_new = access(target, F_OK);

	if (!strcmp(target, "-"))
		return open_out(g, target, ZIO_OPEN_CREATE);
	if (refuse_blocks(g, target))
		return -1;
	if (is_new || !is_replaced(g, target)) {
		if (open_out(g, target, is_new ? ZIO_OPEN_APPEND : ZIO_OPEN_CREATE))
			return -1;
		g->is_output = !zio_is_file(g->out);
		if (!is_replaced(g, target))
			return 0;
		zio_close(g->out);
		g->out = NULL;
		remove_empty(target);
	}
	if (begin_replacement(&g->file, target))
		return -1;
	return open_out(g, g->file.name, ZIO_OPEN_CREATE);
}

/* An incomplete file must not replace another one. */
static void close_target(struct get *g, const char *target)
{
	if (zio_close(g->out) && !g->has_failed) {
		complain("%s: %s", target, strerror(errno));
		g->has_failed = true;
	}
	g->out = NULL;
	if (g->file.name && !g->has_failed && end_replacement(&g->file))
		g->has_failed = true;
	if (g->has_failed && !g->code)
		g->code = EXIT_FAILED;
}

static int run_get(struct get *g)
{
	const char *target = g->args.count ? g->args.text[0] : "-";
	bool to_stdout = !strcmp(target, "-");

	if (to_stdout && g->json) {
		complain("--json: standard output is needed for the blocks: name a target file");
		return EXIT_USAGE;
	}
	if (to_stdout && refuses_terminal(g->force))
		return EXIT_USAGE;
	catch_stop_once(0);
	signal(SIGPIPE, SIG_IGN);
	if (open_consumer(&g->consumer, &g->conf, &g->from, &g->until) ||
	    open_target(g, target))
		return EXIT_OPEN;
	copy_messages(g);
	close_target(g, target);
	if (tell_end(g) && !g->code)
		g->code = EXIT_FAILED;
	return stop_status(g->code);
}

int get_main(int argc, char **argv)
{
	struct get g = { .until.kind = POSITION_END };
	const char *word = word_to_complete(argc, argv);
	int code;

	if (word) {
		offer_options(word, &get_argp);
		offer_sources(word, "");
		return finish_output();
	}
	g.conf.settings = allocate((size_t)argc, sizeof(char *));
	parse_command(&get_argp, argc, argv, &g);
	code = run_get(&g);
	drop_replacement(&g.file);
	close_consumer(&g.consumer);
	free(g.conf.settings);
	return code;
}
