// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio cat, or zio-cat-file: copy blocks from a channel to standard output
 *
 * The program collects small blocks and writes them together, at the latest before it
 * waits for another block. It writes each large block directly: with the method ring,
 * from memory of the kernel.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cat.h"
#include "common/channel.h"
#include "common/complete.h"
#include "common/json.h"
#include "common/place.h"
#include "common/program.h"
#include "common/silence.h"
#include "common/stop.h"

#define OUTPUT_SIZE 65536
#define LARGE_BLOCK 4096	/* copying would cost more than a write */

struct tally {
	uint64_t blocks;
	uint64_t bytes;
	double seconds;
};

static struct zio_timeline *timelines;	/* of the channels of the input */

/* Blocks not yet written. */
static struct {
	char mem[OUTPUT_SIZE];
	size_t used;
	uint64_t blocks;
} output;

struct settings {
	struct arguments args;
	int method;		/* ZIO_OPEN_RING and the like; 0: any */
	bool json;
	bool verbose;
	bool force;
	bool tap;
	uint64_t count;		/* number of blocks; 0: no limit */
};

static struct zio_channel *channel;
static const char *channel_name;

static int write_failed(void)
{
	int code = errno;

	if (code == EINTR && caught_stop())
		return stop_status(EXIT_OK);
	if (code == EPIPE)
		return EXIT_BY_SIGNAL + SIGPIPE;
	complain("standard output: %s", strerror(code));
	return EXIT_FAILED;
}

static int write_all(struct tally *sum, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, data, size);

		if (n < 0 && errno == EINTR && !caught_stop())
			continue;
		if (n < 0)
			return write_failed();
		sum->bytes += (uint64_t)n;
		data += n;
		size -= (size_t)n;
		if (size && caught_stop())
			return stop_status(EXIT_OK);
	}
	return EXIT_OK;
}

static int flush_output(struct tally *sum)
{
	int code = write_all(sum, output.mem, output.used);

	if (!code)
		sum->blocks += output.blocks;
	output.used = 0;
	output.blocks = 0;
	return code;
}

static int write_block(struct tally *sum, const struct zio_block *blk)
{
	bool large = blk->size >= LARGE_BLOCK;
	int code = EXIT_OK;

	if (large || blk->size > OUTPUT_SIZE - output.used)
		code = flush_output(sum);
	if (code)
		return code;
	if (large) {
		code = write_all(sum, blk->data, blk->size);
		sum->blocks += !code;
		return code;
	}
	if (blk->size)
		memcpy(output.mem + output.used, blk->data, blk->size);
	output.used += blk->size;
	output.blocks++;
	return EXIT_OK;
}

static void wait_for_block(void)
{
	struct pollfd pfd = input_of(channel);

	if (expire_silence_timer())
		tell_silence(channel_name, channel);
	wait_unless_stopped(&pfd, 1, silence_timer_left());
}

/* Wait for the next block; returns like zio_next(). A @code other than 0 ends the copy. */
static int next_block(struct tally *sum, struct zio_block *blk, int *code)
{
	int ret;

	while ((ret = zio_next(channel, blk)) < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			complain("%s", zio_reason(channel));
			*code = EXIT_FAILED;
		} else {
			*code = flush_output(sum);
		}
		if (*code)
			break;
		wait_for_block();
		if (caught_stop()) {
			*code = stop_status(EXIT_OK);
			break;
		}
	}
	return ret;
}

/* Returns EXIT_OK after the last block and at end of file. */
static int copy_blocks(struct tally *sum, uint64_t count)
{
	struct zio_place place;
	struct zio_block blk;
	int code = EXIT_OK;
	uint64_t n;

	for (n = 0; !code && (!count || n < count); n++) {
		if (caught_stop())
			return stop_status(EXIT_OK);
		if (next_block(sum, &blk, &code) <= 0)
			break;
		place_block(&timelines, NULL, blk.control, NULL, &place);
		code = write_block(sum, &blk);
	}
	return code;
}

static void print_tally(const struct tally *sum, bool json)
{
	struct zio_account account = { 0 };
	json_t *obj;

	if (json) {
		obj = json_object();
		json_add_u64(obj, "blocks", sum->blocks);
		json_add_u64(obj, "bytes", sum->bytes);
		sum_accounts(timelines, &account);
		json_add_u64(obj, "lost", account.lost);
		json_add_u64(obj, "taken", account.taken);
		json_add(obj, "seconds", json_real(sum->seconds));
		json_print(stderr, obj, JSON_REAL_PRECISION(9));
		return;
	}
	complain("transferred %" PRIu64 " blocks, %" PRIu64 " bytes, %.6f s",
		 sum->blocks, sum->bytes, sum->seconds);
	tell_account(channel_name, channel, timelines, false);
}

static int run(uint64_t count, bool json)
{
	struct tally sum = { 0 };
	double start = seconds_now();
	int code, flushed;

	code = copy_blocks(&sum, count);
	flushed = flush_output(&sum);
	code = code ? code : flushed;
	sum.seconds = seconds_now() - start;
	print_tally(&sum, json);
	return code;
}

static int open_and_run(const struct settings *set)
{
	int code;

	if (refuses_terminal(set->force))
		return EXIT_USAGE;
	channel_name = set->args.text[0];
	channel = open_channel(channel_name, ZIO_OPEN_NONBLOCK | ZIO_OPEN_AHEAD | set->method |
			       (set->tap ? ZIO_OPEN_TAP : 0));
	if (!channel)
		return EXIT_OPEN;
	if (set->verbose)
		complain("method %s", zio_method(channel));
	catch_stop_once(0);
	signal(SIGPIPE, SIG_IGN);
	start_silence_timer();
	code = run(set->count, set->json);
	zio_timeline_close(timelines);
	zio_close(channel);
	return code;
}

static const struct argp_option options[] = {
	{ "count", 'n', "N", 0, "The same as the argument N", 0 },
	METHOD_OPTION('m'),
	{ "json", 'j', NULL, 0, "Print the totals as JSON, on standard error", 0 },
	FORCE_OPTION,
	{ "tap", 't', NULL, 0,
	  "Copy the newest blocks without taking them from other programs", 0 },
	{ "verbose", 'v', NULL, 0, "Print the method on standard error", 0 },
	{ 0 }
};

static void check_arguments(struct settings *set,
			    const struct argp_state *state)
{
	if (set->args.count > 2)
		argp_usage(state);
	if (set->tap && set->method)
		argp_error(state, "--tap cannot be combined with another method");
	if (set->args.count == 2)
		set->count = parse_number(state, "N", set->args.text[1],
					  UINT64_MAX);
}

static error_t parse_cat_file(int key, char *arg, struct argp_state *state)
{
	struct settings *set = state->input;

	switch (key) {
	case 'n':
		set->count = parse_number(state, "--count", arg, UINT64_MAX);
		return 0;
	case 'm':
		set->method = parse_method(state, arg);
		return 0;
	case 'j':
		set->json = true;
		return 0;
	case 'f':
		set->force = true;
		return 0;
	case 't':
		set->tap = true;
		return 0;
	case 'v':
		set->verbose = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_arguments(set, state);
		return 0;
	default:
		return keep_arguments(key, state, &set->args);
	}
}

const struct argp cat_argp = {
	.options = options,
	.parser = parse_cat_file,
	.args_doc = "DATA_NODE [N]",
	.doc = "Copy N blocks of a ZIO channel to standard output; without N, or "
	"with 0, copy until end of file or Ctrl-C. Then print the number of blocks "
	"and bytes, and the time, on standard error.\v"
	"DATA_NODE is a path, a name such as zzero-0-1 or zzero-0000-0-1, a block "
	"file, or - for a block file on standard input.\n"
	"\n"
	"Exit status: 0 done; 1 reading or writing failed; 2 usage; 3 the channel "
	"cannot be opened; 130 interrupted; 141 the reader of standard output has "
	"closed it; 143 terminated.",
	.children = program_options,
};

void complete_cat(int argc, char **argv)
{
	const char *word = argv[argc - 1];

	offer_sources(word, "");
}

int run_cat(int argc, char **argv)
{
	struct settings set = { .args.needed = true };

	parse_command(&cat_argp, argc, argv, &set);
	return open_and_run(&set);
}
