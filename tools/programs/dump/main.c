// SPDX-License-Identifier: GPL-2.0-only
/* zio dump, or zio-dump: print the controls and data of any number of channels */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/channel.h"
#include "common/complete.h"
#include "common/place.h"
#include "common/program.h"
#include "common/silence.h"
#include "common/stop.h"
#include "common/text.h"
#include "dump.h"

struct source {
	const char *name;
	struct zio_channel *channel;
	bool ended;
	struct zio_names *names;	/* NULL: not known */
	struct zio_control asked;	/* control of the last look-up of names */
	struct zio_timeline *timelines;	/* of its channels */
};

/* One run of the program. */
struct dump {
	struct dump_options opt;
	struct arguments args;
	struct source *sources;
	struct pollfd *fds;
	int count;
	int open;		/* sources not yet at their end */
	struct zio_rate rate;	/* csv: for controls that lack one */
	uint64_t limit;		/* blocks to print; 0: no limit */
	uint64_t printed;
	size_t max_block;
	int method;		/* ZIO_OPEN_RING and the like; 0: any */
	bool tap;
	int status;
	const char *names;	/* a file of names; NULL: ask the kernel */
	bool print_names;
	bool hex;		/* the user wants hexadecimal numbers */
};

static void end_source(struct dump *d, struct source *src)
{
	src->ended = true;
	d->open--;
}

/* Skip a block that is too large. Any other error is final. */
static void fail_source(struct dump *d, struct source *src)
{
	bool skipped = errno == EMSGSIZE || errno == ENOMEM;

	complain("%s", zio_reason(src->channel));
	d->status = EXIT_FAILED;
	if (!skipped)
		end_source(d, src);
}

/* Look up the names again when a block comes from another channel or trigger. */
static bool has_asked(const struct source *src, const struct zio_control *control)
{
	return !memcmp(&src->asked.addr, &control->addr, sizeof(control->addr)) &&
	       !memcmp(src->asked.triggername, control->triggername,
		       sizeof(control->triggername));
}

/* Only the names tell which extended attributes belong to this block. */
static bool needs_names(const struct dump_options *opt, const struct zio_control *control)
{
	return opt->attributes ||
	       (opt->control && !opt->csv && control->attr_channel.ext_mask);
}

/* A file may come from another machine, so the devices here say nothing about it. */
static void find_names(struct dump *d, struct source *src,
		       const struct zio_control *control)
{
	struct zio_error err;

	if (!needs_names(&d->opt, control) || has_asked(src, control))
		return;
	src->asked = *control;
	zio_names_close(src->names);
	src->names = NULL;
	if (d->names || !zio_is_file(src->channel))
		src->names = zio_names_open(control, d->names, &err);
	if (src->names || !d->names)
		return;
	complain("%s", err.text);
	d->status = EXIT_FAILED;
}

static int print_block(struct dump *d, struct source *src, const struct zio_block *blk)
{
	struct zio_place place;

	d->printed++;
	if (place_block(&src->timelines, src->name, blk->control, &d->rate, &place))
		d->status = EXIT_FAILED;
	find_names(d, src, blk->control);
	d->opt.names = src->names;
	if (d->opt.json)
		return dump_json(stdout, &d->opt, blk, &place);
	if (d->opt.csv)
		return dump_csv(stdout, &d->opt, blk, &place);
	return dump_text(stdout, &d->opt, blk, &place);
}

static bool is_finished(const struct dump *d)
{
	return caught_stop() || !d->open || (d->limit && d->printed >= d->limit);
}

/* Returns 1 after a block, 0 if there was none, -1 if standard output failed. */
static int serve_source(struct dump *d, struct source *src)
{
	struct zio_block blk;
	int ret = d->opt.data ? zio_next(src->channel, &blk) :
				zio_next_control(src->channel, &blk);

	if (ret > 0)
		return print_block(d, src, &blk) ? -1 : 1;
	if (!ret)
		end_source(d, src);
	else if (errno == EINTR)
		return 1;
	else if (errno != EAGAIN)
		fail_source(d, src);
	return 0;
}

/* Print one block from each, so that a fast channel does not starve the others. */
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

static void wait_any(struct dump *d)
{
	bool tells = expire_silence_timer();
	nfds_t n = 0;
	int i;

	for (i = 0; i < d->count; i++) {
		const struct source *src = &d->sources[i];

		if (src->ended)
			continue;
		if (tells)
			tell_silence(src->name, src->channel);
		d->fds[n++] = input_of(src->channel);
	}
	if (n)
		wait_unless_stopped(d->fds, n, silence_timer_left());
}

/* Print blocks until no channel has one, then flush the buffer. */
static void print_blocks(struct dump *d)
{
	while (!is_finished(d)) {
		int ret = serve_all(d);

		if (ret < 0)
			d->status = EXIT_FAILED;
		if (!ret)
			end_csv(stdout, &d->opt);
		if (ret < 0 || (!ret && fflush(stdout)))
			break;
		if (!ret)
			wait_any(d);
	}
	end_csv(stdout, &d->opt);
	if (finish_output())
		d->status = EXIT_FAILED;
}

static int open_source(struct dump *d, struct source *src)
{
	int flags = ZIO_OPEN_NONBLOCK | ZIO_OPEN_AHEAD | d->method;

	if (d->tap)
		flags |= ZIO_OPEN_TAP;
	else if (!d->opt.data)
		flags |= ZIO_OPEN_CONTROL_ONLY;
	src->channel = open_channel(src->name, flags);
	if (!src->channel)
		return EXIT_OPEN;
	zio_set_max_block(src->channel, d->max_block);
	d->open++;
	return EXIT_OK;
}

static int open_sources(struct dump *d)
{
	int code = EXIT_OK;
	int i;

	for (i = 0; i < d->count && !code; i++) {
		d->sources[i].name = d->args.text[i];
		code = open_source(d, &d->sources[i]);
	}
	return code;
}

static void close_sources(struct dump *d)
{
	int i;

	for (i = 0; i < d->count; i++) {
		zio_names_close(d->sources[i].names);
		zio_timeline_close(d->sources[i].timelines);
		zio_close(d->sources[i].channel);
	}
	free(d->sources);
	free(d->fds);
}

static int run(struct dump *d)
{
	int i, code, clean = EXIT_OK;

	d->count = d->args.count;
	d->sources = allocate((size_t)d->count, sizeof(*d->sources));
	d->fds = allocate((size_t)d->count, sizeof(*d->fds));
	code = open_sources(d);
	if (!code) {
		catch_stop_once(SA_RESTART);
		start_silence_timer();
		print_blocks(d);
		for (i = 0; i < d->count; i++)
			clean |= tell_account(d->sources[i].name, d->sources[i].channel,
					      d->sources[i].timelines, caught_stop());
		code = stop_status(d->status ? d->status : clean);
	}
	close_sources(d);
	return code;
}

static int run_names(const struct dump *d)
{
	int i, code = EXIT_OK;

	for (i = 0; i < d->args.count && !code; i++)
		code = print_names(d->args.text[i]);
	return finish_output() ? EXIT_FAILED : code;
}

static const char *const format_names[] = {
	[DUMP_HEX] = "hex",
	[DUMP_DECIMAL] = "dec",
	[DUMP_SIGNED] = "signed",
	"text", "csv", "json",
	NULL
};

/* A word that selects a sample format, or the format of the output. */
static void parse_format(const struct argp_state *state, struct dump *d, char *words)
{
	struct dump_options *opt = &d->opt;
	char *word;

	while ((word = strsep(&words, ","))) {
		int format = parse_choice(state, "format", word, format_names);

		if (format <= DUMP_SIGNED) {
			opt->format = (enum dump_format)format;
			d->hex = opt->format == DUMP_HEX;
			continue;
		}
		opt->csv = !strcmp(word, "csv");
		opt->json = !strcmp(word, "json");
	}
}

static void check_options(const struct argp_state *state, const struct dump *d)
{
	if (d->tap && d->method)
		argp_error(state, "--tap cannot be combined with another method");
	if (!d->opt.control && !d->opt.data)
		argp_error(state, "--control-only and --data-only are mutually exclusive");
	if (d->hex && (d->opt.csv || d->opt.json))
		argp_error(state, "--format: csv and json do not support hex: use dec or signed");
	if (d->rate.num && !d->opt.csv)
		argp_error(state, "--rate needs --format=csv");
}

/* Options without a letter */
enum { OPTION_METHOD = 256, OPTION_NAMES, OPTION_PRINT_NAMES, OPTION_RATE };

static const struct argp_option options[] = {
	{ "count", 'n', "N", 0, "Stop after N blocks of all channels together", 0 },
	{ "control-only", 'c', NULL, 0,
	  "Print controls without reading data; CHANNEL may also be a device "
	  "that carries only controls", 0 },
	{ "data-only", 'd', NULL, 0, "Print only data", 0 },
	{ "attributes", 'a', NULL, 0, "Also print flags and attributes", 0 },
	{ "format", 'f', "FORMAT", 0,
	  "Print text (default), csv (one line per sample) or json (one line per "
	  "block). Print samples as hex (default of text), dec, or signed; csv and "
	  "json do not support hex. Combine two words as in csv,signed", 0 },
	{ "rate", OPTION_RATE, "HZ", 0,
	  "csv: samples of a channel per second, such as 48e3 or 1411200/29, if the control "
	  "has no rate; each line has the time of its sample", 0 },
	{ "tap", 't', NULL, 0,
	  "Print the newest blocks without taking them from other programs",
	  0 },
	{ "units", 'u', NULL, 0, "Print samples as values with their unit", 0 },
	{ "names", OPTION_NAMES, "FILE", 0,
	  "With -a, take the names of attributes for block files from FILE", 0 },
	{ "print-names", OPTION_PRINT_NAMES, NULL, 0,
	  "Print the names of the attributes of channels, sets or devices, for --names, "
	  "instead of blocks", 0 },
	{ "json", 'j', NULL, 0, "The same as --format=json", 0 },
	{ "max-block", 'm', "BYTES", 0,
	  "Skip blocks of more than BYTES (default 256 MiB) and report an error", 0 },
	METHOD_OPTION(OPTION_METHOD),
	{ 0 }
};

static error_t parse_dump(int key, char *arg, struct argp_state *state)
{
	struct dump *d = state->input;

	switch (key) {
	case 'n':
		d->limit = parse_number(state, "--count", arg, UINT64_MAX);
		return 0;
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
		parse_format(state, d, arg);
		return 0;
	case 'j':
		d->opt.json = true;
		d->opt.csv = false;
		return 0;
	case 'm':
		d->max_block = parse_number(state, "--max-block", arg, SIZE_MAX);
		return 0;
	case 't':
		d->tap = true;
		return 0;
	case 'u':
		d->opt.units = true;
		return 0;
	case OPTION_NAMES:
		d->names = arg;
		return 0;
	case OPTION_RATE:
		parse_rate(state, arg, &d->rate);
		return 0;
	case OPTION_PRINT_NAMES:
		d->print_names = true;
		return 0;
	case OPTION_METHOD:
		d->method = parse_method(state, arg);
		return 0;
	case ARGP_KEY_END:
		check_options(state, d);
		return 0;
	default:
		return keep_arguments(key, state, &d->args);
	}
}

const struct argp dump_argp = {
	.options = options,
	.parser = parse_dump,
	.args_doc = "CHANNEL...",
	.doc = "Print the blocks of ZIO input channels as they come, until end of "
	"file or Ctrl-C.\v"
	"CHANNEL is a data or control node, a name such as zzero-0-1 or "
	"zzero-0000-0-1, a block file, or - for a block file on standard input.\n"
	"\n"
	"Exit status: 0 done; 1 a channel or standard output failed; 2 usage; "
	"3 a channel cannot be opened; 4 something is missing, or has changed between "
	"blocks: the last line says what; 130 interrupted; 143 terminated.",
	.children = program_options,
};

void complete_dump(int argc, char **argv)
{
	const char *word = argv[argc - 1];

	offer_choices(word, "--format=", format_names);
	offer_sources(word, "");
}

int run_dump(int argc, char **argv)
{
	struct dump d = {
		.args.needed = true,
		.opt = { .control = true, .data = true },
		.max_block = ZIO_DEFAULT_MAX_BLOCK,
	};

	parse_command(&dump_argp, argc, argv, &d);
	return d.print_names ? run_names(&d) : run(&d);
}
