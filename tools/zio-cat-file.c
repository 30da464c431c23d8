// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-cat-file: copy blocks from a channel to standard output
 *
 * Three system calls per block: read control, read data, write.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libzio/zio.h"

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

static const char *prog;
static struct zio_channel *channel;
static volatile sig_atomic_t caught;

static const char help_text[] =
"Usage: %s DATA_NODE [N]\n"
"Copy N blocks of a ZIO channel to standard output; without N, or with 0,\n"
"until end of file or Ctrl-C. Tell blocks, bytes, seconds on standard error.\n"
"\n"
"DATA_NODE is a path, or a name like zzero-0-1 or zzero-0000-0-1.\n"
"\n"
"  -h, --help     print this and exit\n"
"  -V, --version  print the version and exit\n"
"\n"
"Exit status: 0 done, 1 error while copying, 2 usage, 3 cannot open,\n"
"130 interrupted, 141 the reader of standard output went away.\n";

static void on_signal(int sig)
{
	caught = sig;
	if (channel)
		zio_interrupt(channel);
}

/* A second Ctrl-C kills, should the reader of stdout be stuck. */
static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal,
				  .sa_flags = SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
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

	if (code == EINTR && caught)
		return EXIT_BY_SIGNAL + caught;
	if (code == EPIPE)
		return EXIT_BY_SIGNAL + SIGPIPE;
	fprintf(stderr, "%s: standard output: %s\n", prog, strerror(code));
	return EXIT_IO;
}

static int write_all(struct tally *sum, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, data, size);

		if (n < 0 && errno == EINTR && !caught)
			continue;
		if (n < 0)
			return write_failed();
		sum->bytes += (uint64_t)n;
		data += n;
		size -= (size_t)n;
		if (size && caught)
			return EXIT_BY_SIGNAL + caught;
	}
	return EXIT_OK;
}

/* Also where a signal leads: it makes the read fail at once. */
static int read_failed(void)
{
	if (caught && (errno == EINTR || errno == EAGAIN))
		return EXIT_BY_SIGNAL + caught;
	fprintf(stderr, "%s: %s\n", prog, zio_reason(channel));
	return EXIT_IO;
}

/* Returns EXIT_OK at the last block and at end of file. */
static int copy_blocks(struct tally *sum, uint64_t count)
{
	struct zio_block blk;
	int code = EXIT_OK;

	while (!code && (!count || sum->blocks < count)) {
		int ret;

		if (caught)
			return EXIT_BY_SIGNAL + caught;
		ret = zio_next(channel, &blk);
		if (ret < 0 && errno == EINTR && !caught)
			continue;
		if (ret < 0)
			return read_failed();
		if (!ret)
			return EXIT_OK;
		sum->lost += blk.lost;
		code = write_all(sum, blk.data, blk.size);
		sum->blocks += !code;
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
	int code = copy_blocks(&sum, count);

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
	fprintf(stderr, "Usage: %s DATA_NODE [N]\nTry '%s --help'.\n", prog,
		prog);
	return EXIT_USAGE;
}

static int open_and_run(const char *name, uint64_t count)
{
	struct zio_error err;

	channel = zio_open(name, 0, &err);
	if (!channel) {
		fprintf(stderr, "%s: %s\n", prog, err.text);
		return EXIT_OPEN;
	}
	catch_signals();
	return run(count);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t count = 0;
	int c;

	prog = argv[0];
	while ((c = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		switch (c) {
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
	if (argc - optind == 2 && parse_count(argv[optind + 1], &count))
		return EXIT_USAGE;
	return open_and_run(argv[optind], count);
}
