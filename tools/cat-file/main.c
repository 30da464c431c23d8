// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-cat-file: copy blocks from a channel to standard output
 *
 * Blocks that come without a wait are written together; before it waits, it
 * writes what it has. Large ones are written from where they are, which with
 * the methods ring and mmap is the kernel's own memory.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libzio/zio.h"
#include "common/stop.h"

#define OUTPUT_SIZE 65536
#define LARGE_BLOCK 4096	/* a copy would cost more than a write */

enum exit_code {
	EXIT_OK,
	EXIT_IO,
	EXIT_USAGE,
	EXIT_OPEN,
	EXIT_BY_SIGNAL = 128,
};

struct tally {
	uint64_t blocks;
	uint64_t bytes;
	uint64_t lost;
	double seconds;
};

/* What is not written yet. */
static struct {
	char mem[OUTPUT_SIZE];
	size_t used;
	uint64_t blocks;
} output;

struct settings {
	int method;		/* ZIO_OPEN_RING and the like; 0: any */
	bool verbose;
	uint64_t count;		/* of blocks; 0: no end */
};

static const char *prog;
static struct zio_channel *channel;

static const char help_text[] =
"Usage: %s [OPTION]... DATA_NODE [N]\n"
"Copy N blocks of a ZIO channel to standard output; without N, or with 0,\n"
"until end of file or Ctrl-C. Tell blocks, bytes, seconds on standard error.\n"
"\n"
"DATA_NODE is a path, or a name like zzero-0-1 or zzero-0000-0-1; or a block\n"
"file, or - for one on standard input.\n"
"\n"
"  -m, --method=METHOD  how blocks come: auto (the default: the first of the\n"
"                       others that the channel offers), ring, mmap, read\n"
"  -v, --verbose        tell the method on standard error\n"
"  -h, --help           print this and exit\n"
"  -V, --version        print the version and exit\n"
"\n"
"Exit status: 0 done, 1 error while copying, 2 usage, 3 cannot open,\n"
"130 interrupted, 141 the reader of standard output went away.\n";

/* A second Ctrl-C kills, should the reader of stdout be stuck. */
static void catch_signals(void)
{
	catch_stop(SIGINT, SA_RESETHAND);
	catch_stop(SIGTERM, SA_RESETHAND);
	signal(SIGPIPE, SIG_IGN);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int write_failed(void)
{
	int code = errno;

	if (code == EINTR && caught_stop())
		return EXIT_BY_SIGNAL + caught_stop();
	if (code == EPIPE)
		return EXIT_BY_SIGNAL + SIGPIPE;
	fprintf(stderr, "%s: standard output: %s\n", prog, strerror(code));
	return EXIT_IO;
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
			return EXIT_BY_SIGNAL + caught_stop();
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

static int read_failed(void)
{
	fprintf(stderr, "%s: %s\n", prog, zio_reason(channel));
	return EXIT_IO;
}

static void wait_for_block(void)
{
	struct pollfd pfd = { .fd = zio_fd(channel), .events = POLLIN };

	wait_unless_stopped(&pfd, 1);
}

/* As zio_next(), and waits. The code to exit with, if any, is in @code. */
static int next_block(struct tally *sum, struct zio_block *blk, int *code)
{
	int ret;

	while ((ret = zio_next(channel, blk)) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			*code = read_failed();
		else
			*code = flush_output(sum);
		if (*code)
			break;
		wait_for_block();
		if (caught_stop()) {
			*code = EXIT_BY_SIGNAL + caught_stop();
			break;
		}
	}
	return ret;
}

/* Returns EXIT_OK at the last block and at end of file. */
static int copy_blocks(struct tally *sum, uint64_t count)
{
	struct zio_block blk;
	int code = EXIT_OK;
	uint64_t n;

	for (n = 0; !code && (!count || n < count); n++) {
		if (caught_stop())
			return EXIT_BY_SIGNAL + caught_stop();
		if (count && count - n < ZIO_BATCH)
			zio_set_batch(channel, (unsigned int)(count - n));
		if (next_block(sum, &blk, &code) <= 0)
			break;
		sum->lost += blk.lost;
		code = write_block(sum, &blk);
	}
	return code;
}

static void print_tally(const struct tally *sum)
{
	fprintf(stderr, "%s: transferred %" PRIu64 " blocks, %" PRIu64
		" bytes, %.6f s\n", prog, sum->blocks, sum->bytes,
		sum->seconds);
	if (sum->lost)
		fprintf(stderr, "%s: lost %" PRIu64 " blocks\n", prog,
			sum->lost);
}

static int run(uint64_t count)
{
	struct tally sum = { 0 };
	double start = now();
	int code, flushed;

	code = copy_blocks(&sum, count);
	flushed = flush_output(&sum);
	code = code ? code : flushed;
	sum.seconds = now() - start;
	print_tally(&sum);
	return code;
}

static int parse_count(const char *text, uint64_t *count)
{
	char *end;

	errno = 0;
	*count = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return 0;
	fprintf(stderr, "%s: %s: not a number of blocks\n", prog, text);
	return -1;
}

static int usage_error(void)
{
	fprintf(stderr, "Usage: %s [OPTION]... DATA_NODE [N]\nTry '%s --help'.\n",
		prog, prog);
	return EXIT_USAGE;
}

static int parse_method(const char *text, int *method)
{
	*method = zio_method_flag(text);
	if (*method >= 0)
		return 0;
	fprintf(stderr, "%s: %s: not a method (auto, ring, mmap, read)\n",
		prog, text);
	return -1;
}

static int open_and_run(const char *name, const struct settings *set)
{
	struct zio_error err;
	int code;

	channel = zio_open(name, ZIO_OPEN_NONBLOCK | set->method, &err);
	if (!channel) {
		fprintf(stderr, "%s: %s\n", prog, err.text);
		return EXIT_OPEN;
	}
	if (set->verbose)
		fprintf(stderr, "%s: method %s\n", prog, zio_method(channel));
	catch_signals();
	code = run(set->count);
	zio_close(channel);
	return code;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, 'm' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct settings set = { 0 };
	int c;

	prog = argv[0];
	while ((c = getopt_long(argc, argv, "m:vhV", options, NULL)) != -1) {
		switch (c) {
		case 'm':
			if (parse_method(optarg, &set.method))
				return EXIT_USAGE;
			break;
		case 'v':
			set.verbose = true;
			break;
		case 'h':
			printf(help_text, prog);
			return EXIT_OK;
		case 'V':
			printf("zio-cat-file %s\n", zio_version());
			return EXIT_OK;
		default:
			return usage_error();
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		return usage_error();
	if (argc - optind == 2 && parse_count(argv[optind + 1], &set.count))
		return EXIT_USAGE;
	return open_and_run(argv[optind], &set);
}
