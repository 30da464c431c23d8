// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-dump: show the controls and data of any number of channels
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/stop.h"
#include "dump.h"

enum exit_code {
	EXIT_OK,
	EXIT_IO,
	EXIT_USAGE,
	EXIT_OPEN,
	EXIT_BY_SIGNAL = 128,
};

/* An option without a letter. */
#define OPTION_METHOD 256

struct source {
	const char *name;
	struct zio_channel *channel;
	bool ended;
};

/* All that one run of the program is about. */
struct dump {
	struct dump_options opt;
	struct source *sources;
	struct pollfd *fds;
	int count;
	int open;		/* sources not ended */
	uint64_t limit;		/* blocks to show; 0: no end */
	uint64_t shown;
	size_t max_block;
	int method;		/* ZIO_OPEN_RING and the like; 0: any */
	int status;
};

static const char *prog;

static const char help_text[] =
"Usage: %s [OPTION]... CHANNEL...\n"
"Show the blocks of ZIO input channels as they come, until end of file or\n"
"Ctrl-C. CHANNEL is a data or control node, or a name like zzero-0-1 or\n"
"zzero-0000-0-1; or a block file, or - for one on standard input.\n"
"\n"
"  -n, --count=N         stop after N blocks in all\n"
"  -c, --control-only    read and show controls, leave the data alone; takes\n"
"                        also a device that carries nothing but controls\n"
"  -d, --data-only       show data only\n"
"  -a, --attributes      show flags and attributes, too\n"
"  -f, --format=FORMAT   samples as hex (default), dec, or signed\n"
"  -j, --json            one JSON object per block and line\n"
"  -m, --max-block=SIZE  refuse blocks of more bytes (default 256 MiB)\n"
"      --method=METHOD   how blocks come: auto (the default: the first of the\n"
"                        others that the channel offers), ring, mmap, read\n"
"  -h, --help            print this and exit\n"
"  -V, --version         print the version and exit\n"
"\n"
"Exit status: 0 done, 1 error on a channel or on standard output, 2 usage,\n"
"3 cannot open, 130 interrupted, 143 terminated.\n";

/* A second Ctrl-C kills, should the reader of stdout be stuck. */
static void catch_signals(void)
{
	catch_stop(SIGINT, SA_RESETHAND | SA_RESTART);
	catch_stop(SIGTERM, SA_RESETHAND | SA_RESTART);
}

static void end_source(struct dump *d, struct source *src)
{
	src->ended = true;
	d->open--;
}

/* Too large a block is skipped; after any other error nothing can follow. */
static void fail_source(struct dump *d, struct source *src)
{
	bool goes_on = errno == EMSGSIZE || errno == ENOMEM;

	fprintf(stderr, "%s: %s\n", prog, zio_reason(src->channel));
	d->status = EXIT_IO;
	if (!goes_on)
		end_source(d, src);
}

static int print_block(struct dump *d, const struct zio_block *blk)
{
	d->shown++;
	if (d->opt.json)
		return dump_json(stdout, &d->opt, blk);
	return dump_text(stdout, &d->opt, blk);
}

static int next_block(struct dump *d, struct source *src,
		      struct zio_block *blk)
{
	uint64_t left = d->limit - d->shown;

	if (d->limit && left < ZIO_BATCH)
		zio_set_batch(src->channel, (unsigned int)left);
	if (d->opt.data)
		return zio_next(src->channel, blk);
	return zio_next_control(src->channel, blk);
}

static bool is_finished(const struct dump *d)
{
	return caught_stop() || !d->open || (d->limit && d->shown >= d->limit);
}

/* 1: a block was shown; 0: nothing there; -1: standard output failed. */
static int serve_source(struct dump *d, struct source *src)
{
	struct zio_block blk;
	int ret = next_block(d, src, &blk);

	if (ret > 0)
		return print_block(d, &blk) ? -1 : 1;
	if (!ret)
		end_source(d, src);
	else if (errno == EINTR)
		return 1;
	else if (errno != EAGAIN)
		fail_source(d, src);
	return 0;
}

/* One block of each, so that a fast channel does not starve the others. */
static int serve_all(struct dump *d)
{
	int busy = 0;
	int i;

	for (i = 0; i < d->count && !is_finished(d); i++) {
		int ret;

		if (d->sources[i].ended)
			continue;
		ret = serve_source(d, &d->sources[i]);
		if (ret < 0)
			return -1;
		busy |= ret;
	}
	return busy;
}

static int fill_fds(struct dump *d)
{
	int n = 0;
	int i;

	for (i = 0; i < d->count; i++) {
		if (d->sources[i].ended)
			continue;
		d->fds[n].fd = zio_fd(d->sources[i].channel);
		d->fds[n].events = POLLIN;
		n++;
	}
	return n;
}

static void wait_any(struct dump *d)
{
	if (d->open)
		wait_unless_stopped(d->fds, (nfds_t)fill_fds(d));
}

static int output_failed(struct dump *d)
{
	fprintf(stderr, "%s: standard output: %s\n", prog, strerror(errno));
	d->status = EXIT_IO;
	return -1;
}

static void run_loop(struct dump *d)
{
	while (!is_finished(d)) {
		int ret = serve_all(d);

		if (!ret && fflush(stdout))
			ret = -1;
		if (ret < 0) {
			output_failed(d);
			return;
		}
		if (!ret)
			wait_any(d);
	}
	if (fflush(stdout))
		output_failed(d);
}

/* Loss is never silent; otherwise only who interrupts wants to know. */
static void print_summary(const struct dump *d)
{
	int i;

	for (i = 0; i < d->count; i++) {
		const struct zio_stats *sum = zio_stats(d->sources[i].channel);

		if (!caught_stop() && !sum->lost)
			continue;
		fprintf(stderr, "%s: %s: %" PRIu64 " blocks, %" PRIu64
			" bytes, %" PRIu64 " lost\n", prog,
			d->sources[i].name, sum->blocks, sum->bytes,
			sum->lost);
	}
}

static int open_source(struct dump *d, struct source *src)
{
	int flags = ZIO_OPEN_NONBLOCK | d->method;
	struct zio_error err;

	if (!d->opt.data)
		flags |= ZIO_OPEN_CONTROL_ONLY;
	src->channel = zio_open(src->name, flags, &err);
	if (!src->channel) {
		fprintf(stderr, "%s: %s\n", prog, err.text);
		return EXIT_OPEN;
	}
	zio_set_max_block(src->channel, d->max_block);
	d->open++;
	return EXIT_OK;
}

static int open_sources(struct dump *d, char **names)
{
	int code = EXIT_OK;
	int i;

	for (i = 0; i < d->count && !code; i++) {
		d->sources[i].name = names[i];
		code = open_source(d, &d->sources[i]);
	}
	return code;
}

static void close_sources(struct dump *d)
{
	int i;

	for (i = 0; i < d->count; i++)
		zio_close(d->sources[i].channel);
	free(d->sources);
	free(d->fds);
}

static int run(struct dump *d, char **names)
{
	int code = EXIT_IO;

	d->sources = calloc((size_t)d->count, sizeof(*d->sources));
	d->fds = calloc((size_t)d->count, sizeof(*d->fds));
	if (!d->sources || !d->fds) {
		d->count = 0;
		fprintf(stderr, "%s: no memory\n", prog);
		goto out_close;
	}
	code = open_sources(d, names);
	if (code)
		goto out_close;
	catch_signals();
	run_loop(d);
	print_summary(d);
	code = caught_stop() ? EXIT_BY_SIGNAL + caught_stop() : d->status;
out_close:
	close_sources(d);
	return code;
}

static int parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number <= max)
		return 0;
	fprintf(stderr, "%s: %s: not a number, or too large\n", prog, text);
	return -1;
}

static int parse_format(const char *text, enum dump_format *format)
{
	static const char *const names[] = {
		[DUMP_HEX] = "hex",
		[DUMP_DECIMAL] = "dec",
		[DUMP_SIGNED] = "signed",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*format = (enum dump_format)i;
			return 0;
		}
	}
	fprintf(stderr, "%s: %s: not a format (hex, dec, signed)\n", prog,
		text);
	return -1;
}

static int parse_size(const char *text, size_t *size)
{
	uint64_t number;

	if (parse_number(text, SIZE_MAX, &number))
		return -1;
	*size = (size_t)number;
	return 0;
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

/* -1 for what the caller has to complain about. */
static int set_option(struct dump *d, int c)
{
	switch (c) {
	case 'n':
		return parse_number(optarg, UINT64_MAX, &d->limit);
	case 'c':
		d->opt.data = false;
		return 0;
	case 'd':
		d->opt.control = false;
		return 0;
	case 'a':
		d->opt.attributes = true;
		return 0;
	case 'f':
		return parse_format(optarg, &d->opt.format);
	case 'j':
		d->opt.json = true;
		return 0;
	case 'm':
		return parse_size(optarg, &d->max_block);
	case OPTION_METHOD:
		return parse_method(optarg, &d->method);
	default:
		return -1;
	}
}

static int usage_error(void)
{
	fprintf(stderr, "Usage: %s [OPTION]... CHANNEL...\nTry '%s --help'.\n",
		prog, prog);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "control-only", no_argument, NULL, 'c' },
		{ "data-only", no_argument, NULL, 'd' },
		{ "attributes", no_argument, NULL, 'a' },
		{ "format", required_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "max-block", required_argument, NULL, 'm' },
		{ "method", required_argument, NULL, OPTION_METHOD },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct dump d = {
		.opt = { .control = true, .data = true },
		.max_block = ZIO_DEFAULT_MAX_BLOCK,
	};
	int c;

	prog = argv[0];
	while ((c = getopt_long(argc, argv, "n:cdaf:jm:hV", options, NULL)) !=
	       -1) {
		if (c == 'h')
			return printf(help_text, prog) < 0;
		if (c == 'V')
			return printf("zio-dump %s\n", zio_version()) < 0;
		if (set_option(&d, c))
			return usage_error();
	}
	d.count = argc - optind;
	if (d.count < 1 || (!d.opt.control && !d.opt.data))
		return usage_error();
	return run(&d, argv + optind);
}
