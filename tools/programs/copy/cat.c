// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio cat, or zio-cat-file: copy the samples of a channel to standard output
 *
 * The program collects small blocks and writes them together, at the latest before it
 * waits for another block. It writes each large block directly: with the method ring,
 * from memory of the kernel.
 */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/channel.h"
#include "common/complete.h"
#include "common/place.h"
#include "common/program.h"
#include "common/stop.h"
#include "copy.h"

#define OUTPUT_SIZE 65536
#define LARGE_BLOCK 4096	/* copying would cost more than a write */

struct settings {
	struct copy copy;
	struct arguments args;
	bool force;
	bool tap;
};

/* Blocks not yet written. */
static struct {
	char mem[OUTPUT_SIZE];
	size_t used;
	uint64_t blocks;
} output;

static int write_failed(struct copy *c)
{
	if (errno == EPIPE) {
		c->code = EXIT_BY_SIGNAL + SIGPIPE;
	} else if (errno != EINTR) {
		complain("standard output: %s", strerror(errno));
		c->code = EXIT_FAILED;
	}
	return -1;
}

/* A signal ends a write to a pipe that nobody reads. */
static int write_samples(struct copy *c, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, data, size);

		if (n < 0 && errno == EINTR && !caught_stop())
			continue;
		if (n < 0)
			return write_failed(c);
		c->bytes += (uint64_t)n;
		data += n;
		size -= (size_t)n;
		if (size && caught_stop())
			return -1;
	}
	return 0;
}

static int flush_output(struct copy *c)
{
	int ret = write_samples(c, output.mem, output.used);

	if (!ret)
		c->blocks += output.blocks;
	output.used = 0;
	output.blocks = 0;
	return ret;
}

static int write_block(struct copy *c, const struct zio_block *blk)
{
	bool large = blk->size >= LARGE_BLOCK;

	if ((large || blk->size > OUTPUT_SIZE - output.used) && flush_output(c))
		return -1;
	if (large) {
		if (write_samples(c, blk->data, blk->size))
			return -1;
		c->blocks++;
		return 0;
	}
	if (blk->size)
		memcpy(output.mem + output.used, blk->data, blk->size);
	output.used += blk->size;
	output.blocks++;
	return 0;
}

static bool wait_for_block(struct copy *c)
{
	int code = errno;

	if ((code == EAGAIN || code == EINTR) && flush_output(c))
		return false;
	errno = code;
	return try_again(c, &c->in, POLLIN);
}

/* Return after a write. Count blocks when they are written: c->moved and c->size stay 0. */
static int move_samples(struct copy *c)
{
	struct zio_place place;
	struct zio_block blk;
	int ret;

	while (!c->count || c->blocks + output.blocks < c->count) {
		while ((ret = zio_next(c->in.ch, &blk)) < 0)
			if (!wait_for_block(c))
				return -1;
		if (!ret)
			return 0;
		place_block(&c->timelines, NULL, blk.control, NULL, &place);
		if (write_block(c, &blk))
			return -1;
		if (output.blocks <= 1 || caught_stop())
			return 1;
	}
	return 0;
}

static void end_samples(struct copy *c)
{
	int code = c->code;

	flush_output(c);
	c->code = code ? code : c->code;
}

static const struct mode samples = {
	.name = "samples", .move = move_samples, .end = end_samples,
};

static int open_and_run(struct settings *set)
{
	struct copy *c = &set->copy;

	if (refuses_terminal(set->force))
		return EXIT_USAGE;
	c->in.ch = open_channel(c->in.name, ZIO_OPEN_NONBLOCK | ZIO_OPEN_AHEAD |
				c->in.method | (set->tap ? ZIO_OPEN_TAP : 0));
	if (!c->in.ch)
		return EXIT_OPEN;
	if (c->verbose)
		complain("method %s", zio_method(c->in.ch));
	c->mode = &samples;
	return transfer(c);
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

static void check_arguments(struct settings *set, const struct argp_state *state)
{
	struct copy *c = &set->copy;

	if (set->args.count > 2)
		argp_usage(state);
	if (set->tap && c->in.method)
		argp_error(state, "--tap cannot be combined with another method");
	c->in.name = set->args.text[0];
	if (set->args.count == 2)
		c->count = parse_number(state, "N", set->args.text[1], UINT64_MAX);
}

static error_t parse_cat(int key, char *arg, struct argp_state *state)
{
	struct settings *set = state->input;
	struct copy *c = &set->copy;

	switch (key) {
	case 'n':
		c->count = parse_number(state, "--count", arg, UINT64_MAX);
		return 0;
	case 'm':
		c->in.method = parse_method(state, arg);
		return 0;
	case 'j':
		c->json = true;
		return 0;
	case 'f':
		set->force = true;
		return 0;
	case 't':
		set->tap = true;
		return 0;
	case 'v':
		c->verbose = 1;
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
	.parser = parse_cat,
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
	offer_sources(argv[argc - 1], "");
}

int run_cat(int argc, char **argv)
{
	struct settings set = { .args.needed = true };

	parse_command(&cat_argp, argc, argv, &set);
	return open_and_run(&set);
}
