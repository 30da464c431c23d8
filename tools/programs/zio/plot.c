// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio plot: draw the newest blocks of one or several channels
 *
 * With other triggers than "user" the program opens a tap, which takes no block from other
 * programs. With "user" each read acquires a block, so the program reads only the blocks
 * that it draws. It drops what was queued before.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/channel.h"
#include "common/place.h"
#include "common/silence.h"
#include "command.h"
#include "plot.h"
#include "term.h"

/* A channel, and its newest blocks */
struct source {
	const char *name;
	struct zio_channel *channel;
	struct kept_block *kept;	/* a ring of as many as a picture has */
	struct zio_timeline *timelines;
	uint64_t count;		/* of all blocks that were read */
	uint64_t first;		/* those before the present picture */
	bool ended;		/* no more blocks will come */
};

struct plot {
	struct drawing draw;
	struct arguments args;
	struct source *sources;
	int n;
	uint64_t blocks;	/* in a picture, of each channel */
	uint64_t pictures;	/* to draw; 0: no end */
	uint64_t drawn;
	double interval;
	struct pollfd *fds;
	int code;
};

static bool is_over(const struct plot *plot)
{
	int i, ended = 0;

	for (i = 0; i < plot->n; i++)
		ended += plot->sources[i].ended;
	return ended == plot->n || plot->code || caught_stop();
}

static bool is_on_demand(const struct plot *plot, const struct source *src)
{
	const struct kept_block *last;

	if (!src->count)
		return false;
	last = &src->kept[(src->count - 1) % plot->blocks];
	return !strncmp(last->control.triggername, "user", ZIO_OBJ_NAME_LEN);
}

static void keep_block(struct plot *plot, struct source *src, const struct zio_block *blk)
{
	struct kept_block *kept = &src->kept[src->count % plot->blocks];

	free(kept->data);
	kept->control = *blk->control;
	if (place_block(&src->timelines, src->name, blk->control, &plot->draw.rate,
			&kept->place))
		plot->code = EXIT_FAILED;
	kept->size = blk->size;
	kept->data = allocate(blk->size, 1);
	if (blk->size && blk->data)
		memcpy(kept->data, blk->data, blk->size);
	src->count++;
	if (check_block(&plot->draw, kept))
		plot->code = EXIT_FAILED;
}

static void fail_read(struct plot *plot, struct source *src)
{
	complain("%s", zio_reason(src->channel));
	plot->code = EXIT_FAILED;
}

/* Returns 1 after a block, 0 if there is none now. */
static int read_block(struct plot *plot, struct source *src)
{
	struct zio_block blk;
	int ret = zio_next(src->channel, &blk);

	if (ret > 0)
		keep_block(plot, src, &blk);
	else if (!ret)
		src->ended = true;
	else if (errno != EAGAIN && errno != EINTR)
		fail_read(plot, src);
	return ret > 0;
}

/* Has the channel all blocks of the picture, so that it must not be read? */
static bool has_enough(const struct plot *plot, const struct source *src)
{
	return src->ended || (src->count - src->first >= plot->blocks &&
			      (plot->draw.output || is_on_demand(plot, src)));
}

static bool is_full(const struct plot *plot, bool late)
{
	int i;

	for (i = 0; i < plot->n; i++) {
		const struct source *src = &plot->sources[i];

		if (!has_enough(plot, src) &&
		    !(late && src->count - src->first >= plot->blocks))
			return false;
	}
	return true;
}

static uint64_t count_news(const struct plot *plot)
{
	uint64_t count = 0;
	int i;

	for (i = 0; i < plot->n; i++)
		count += plot->sources[i].count - plot->sources[i].first;
	return count;
}

static int read_all(struct plot *plot)
{
	int i, blocks = 0;

	for (i = 0; i < plot->n && !is_over(plot); i++)
		if (!has_enough(plot, &plot->sources[i]))
			blocks += read_block(plot, &plot->sources[i]);
	return blocks;
}

static void wait_for_blocks(struct plot *plot, double seconds)
{
	nfds_t n = 0;
	int i;

	for (i = 0; i < plot->n; i++)
		if (!has_enough(plot, &plot->sources[i]))
			plot->fds[n++] = input_of(plot->sources[i].channel);
	if (n)
		wait_unless_stopped(plot->fds, n, seconds);
}

static void tell_once(const struct plot *plot)
{
	int i;

	if (!expire_silence_timer())
		return;
	for (i = 0; i < plot->n; i++)
		tell_silence(plot->sources[i].name, plot->sources[i].channel);
}

/* Read the blocks of a picture, and any others that come until @end. */
static void read_picture(struct plot *plot, double end)
{
	int i;

	for (i = 0; i < plot->n; i++)
		plot->sources[i].first = plot->sources[i].count;
	while (!is_over(plot)) {
		bool late = seconds_now() >= end && count_news(plot);

		if (is_full(plot, late))
			return;
		if (read_all(plot) || is_over(plot))
			continue;
		if (late && !plot->draw.output)
			return;
		tell_once(plot);
		wait_for_blocks(plot, count_news(plot) && !plot->draw.output ?
				end - seconds_now() : silence_timer_left());
	}
}

/* Fill in the newest blocks, oldest first, for the caller to free. */
static void list_newest(const struct plot *plot, const struct source *src,
			struct series *series)
{
	uint64_t n = src->count < plot->blocks ? src->count : plot->blocks;
	uint64_t i;

	series->blocks = allocate(n, sizeof(*series->blocks));
	series->count = (unsigned int)n;
	for (i = 0; i < n; i++)
		series->blocks[i] = &src->kept[(src->count - n + i) % plot->blocks];
}

static void write_script(struct plot *plot, FILE *out)
{
	struct series *series = allocate((size_t)plot->n, sizeof(*series));
	unsigned int n = 0;
	int i;

	for (i = 0; i < plot->n; i++)
		if (plot->sources[i].count)
			list_newest(plot, &plot->sources[i], &series[n++]);
	if (!plot->drawn++)
		write_head(out, &plot->draw);
	write_picture(out, &plot->draw, series, n);
	while (n--)
		free(series[n].blocks);
	free(series);
}

static int draw_picture(struct plot *plot, struct gnuplot *gp)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		fail_memory();
	write_script(plot, out);
	fclose(out);
	ret = send_script(gp, text, size);
	free(text);
	return ret;
}

static void draw_pictures(struct plot *plot, struct gnuplot *gp)
{
	while (!is_over(plot) && (!plot->pictures || plot->drawn < plot->pictures)) {
		double end = seconds_now() + plot->interval;

		read_picture(plot, end);
		if (plot->code || !count_news(plot))
			return;
		if (draw_picture(plot, gp))
			plot->code = EXIT_FAILED;
		if (!is_over(plot) && plot->drawn != plot->pictures)
			sleep_until(end);
	}
}

static void complain_empty(struct plot *plot)
{
	int i;

	for (i = 0; i < plot->n; i++)
		if (!plot->sources[i].count) {
			complain("plot: %s has no block", plot->sources[i].name);
			plot->code = EXIT_FAILED;
		}
}

static int run_gnuplot(struct plot *plot)
{
	struct gnuplot gp = { 0 };
	int i;

	if (plot->draw.output && !plot->draw.script && check_output(plot->draw.output))
		return EXIT_FAILED;
	/* Start gnuplot first: if it fails, the program has taken no block. */
	if (start_gnuplot(&gp, plot->draw.script))
		return EXIT_FAILED;
	start_silence_timer();
	draw_pictures(plot, &gp);
	if (end_gnuplot(&gp) && !plot->code)
		plot->code = EXIT_FAILED;
	if (!plot->code && !caught_stop())
		complain_empty(plot);
	for (i = 0; i < plot->n; i++)
		tell_account(plot->sources[i].name, plot->sources[i].channel,
			     plot->sources[i].timelines, false);
	return plot->code ? plot->code : stop_status(EXIT_OK);
}

static void close_sources(struct plot *plot)
{
	uint64_t k;
	int i;

	for (i = 0; i < plot->n; i++) {
		struct source *src = &plot->sources[i];

		for (k = 0; src->kept && k < plot->blocks; k++)
			free(src->kept[k].data);
		free(src->kept);
		zio_timeline_close(src->timelines);
		zio_close(src->channel);
	}
	free(plot->sources);
	free(plot->fds);
}

/* No user can read an output, and the kernel only says that root may not. */
static bool is_output(const char *name)
{
	struct zio_object *chan = zio_find(NULL, name, NULL, NULL), *cset;
	char set[NAME_LEN], direction[ZIO_TEXT_SIZE] = "";

	put_text(set, sizeof(set), "%s", chan ? zio_object_name(chan) : "");
	zio_object_free(chan);
	if (!strrchr(set, '/'))
		return false;
	*strrchr(set, '/') = '\0';
	cset = zio_find(NULL, set, NULL, NULL);
	if (cset)
		zio_attr_get(cset, "direction", direction, sizeof(direction), NULL);
	zio_object_free(cset);
	return !strcmp(direction, "output");
}

static int open_source(const struct plot *plot, struct source *src, const char *name)
{
	src->name = name;
	if (is_output(name)) {
		complain("%s is an output, which cannot be read: plot an input, or the block "
			 "file that it plays", name);
		return EXIT_OPEN;
	}
	src->channel = open_newest(name);
	if (!src->channel)
		return EXIT_OPEN;
	src->kept = allocate(plot->blocks, sizeof(*src->kept));
	return EXIT_OK;
}

static int open_and_run(struct plot *plot)
{
	int code = EXIT_OK;
	int i;

	plot->n = plot->args.count;
	plot->sources = allocate((size_t)plot->n, sizeof(*plot->sources));
	plot->fds = allocate((size_t)plot->n, sizeof(*plot->fds));
	for (i = 0; i < plot->n && !code; i++)
		code = open_source(plot, &plot->sources[i], plot->args.text[i]);
	if (!code) {
		signal(SIGPIPE, SIG_IGN);
		catch_signals();
		code = run_gnuplot(plot);
	}
	close_sources(plot);
	return code;
}

static void check_options(const struct plot *plot,
			  const struct argp_state *state)
{
	const struct drawing *draw = &plot->draw;

	if (plot->blocks < 1 || plot->blocks > 65536)
		argp_error(state, "--blocks: not a number from 1 to 65536");
	if (draw->output && !draw->terminal && !terminal_of_file(draw->output))
		argp_error(state, "%s: ends in none of .png .svg .pdf: give --terminal, too",
			   draw->output);
	if (draw->output && strchr(draw->output, '\n'))
		argp_error(state, "--output: gnuplot has no name for a file with a newline in its name");
	if (draw->rate.num && !draw->is_time)
		argp_error(state, "--rate needs --time");
}

enum option_key {
	KEY_TERMINAL = 256,
	KEY_SCRIPT,
	KEY_TIME,
	KEY_RATE,
};

static error_t parse_drawing(int key, char *arg, struct drawing *draw,
			     const struct argp_state *state)
{
	switch (key) {
	case 'o':
		draw->output = arg;
		return 0;
	case 's':
		draw->is_signed = true;
		return 0;
	case 'u':
		draw->has_units = true;
		return 0;
	case KEY_TERMINAL:
		draw->terminal = arg;
		return 0;
	case KEY_SCRIPT:
		draw->script = true;
		return 0;
	case KEY_TIME:
		draw->is_time = true;
		return 0;
	case KEY_RATE:
		parse_rate(state, arg, &draw->rate);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_plot(int key, char *arg, struct argp_state *state)
{
	struct plot *plot = state->input;

	switch (key) {
	case 'b':
		plot->blocks = parse_number(state, "--blocks", arg, UINT64_MAX);
		return 0;
	case 'n':
		plot->pictures = parse_number(state, "--count", arg, UINT64_MAX);
		return 0;
	case 'i':
		plot->interval = parse_seconds(state, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_options(plot, state);
		return 0;
	default:
		if (!parse_drawing(key, arg, &plot->draw, state))
			return 0;
		return keep_arguments(key, state, &plot->args);
	}
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Draw one picture into FILE (.png .svg .pdf), and exit", 0 },
	{ "blocks", 'b', "N", 0, "Draw N blocks in a picture (default 1)", 0 },
	{ "signed", 's', NULL, 0, "Draw samples as signed numbers", 0 },
	{ "units", 'u', NULL, 0, "Draw values in their unit", 0 },
	{ "time", KEY_TIME, NULL, 0, "Draw over time instead of the number of the sample",
	  0 },
	{ "rate", KEY_RATE, "HZ", 0,
	  "Sample rate; --time needs it if a block has several samples, and its control no rate", 0 },
	{ "interval", 'i', "SECONDS", 0,
	  "Wait at least SECONDS between pictures (default 0.1)", 0 },
	{ "count", 'n', "N", 0, "Exit after N pictures (0, the default: never)",
	  0 },
	{ "terminal", KEY_TERMINAL, "TERMINAL", 0,
	  "Terminal of gnuplot, with its options: \"dumb size 79,20\"", 0 },
	{ "script", KEY_SCRIPT, NULL, 0,
	  "Print the script for gnuplot, and do not run it", 0 },
	{ 0 }
};

const struct argp plot_argp = {
	.options = options,
	.parser = parse_plot,
	.args_doc = "CHANNEL...",
	.doc = "Draw the newest blocks of input channels, live until Ctrl-C, or "
	"once into a file.\v"
	"CHANNEL is a name such as zzero-0-1, or a node.",
	.children = program_options,
};

int run_plot(int argc, char **argv)
{
	struct plot plot = { .blocks = 1, .interval = 0.1, .args.needed = true };

	parse_command(&plot_argp, argc, argv, &plot);
	if (plot.draw.output)
		plot.pictures = 1;
	return open_and_run(&plot);
}
