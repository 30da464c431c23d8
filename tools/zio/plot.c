// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio plot: draw the newest blocks of a channel
 *
 * A live picture shows what is new, as often as asked for. With the trigger
 * "user" each read acquires, so no more is read than is drawn; with any other,
 * all that comes is read, lest the queue fill up with what is old.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "plot.h"
#include "term.h"

#define FOREVER 86400.0

struct plot {
	struct drawing draw;
	struct zio_channel *channel;
	const char *name;
	uint64_t blocks;	/* in a picture */
	uint64_t pictures;	/* 0: no end */
	double interval;
	struct kept_block *kept;	/* a ring of @blocks */
	uint64_t count;		/* of all that were kept; the newest is at -1 */
	bool ended;		/* no more blocks will come */
	int code;
};

static bool is_over(const struct plot *plot)
{
	return plot->ended || plot->code || caught_stop();
}

static bool is_on_demand(const struct plot *plot)
{
	const struct kept_block *last;

	if (!plot->count)
		return false;
	last = &plot->kept[(plot->count - 1) % plot->blocks];
	return !strncmp(last->control.triggername, "user", ZIO_OBJ_NAME_LEN);
}

static void keep_block(struct plot *plot, const struct zio_block *blk)
{
	struct kept_block *kept = &plot->kept[plot->count % plot->blocks];

	free(kept->data);
	kept->control = *blk->control;
	kept->lost = blk->lost;
	kept->data = allocate(blk->size, 1);
	if (blk->size && blk->data)
		memcpy(kept->data, blk->data, blk->size);
	plot->count++;
	if (check_block(&plot->draw, kept))
		plot->code = EXIT_FAILED;
}

static void fail_read(struct plot *plot)
{
	complain("%s", zio_reason(plot->channel));
	plot->code = EXIT_FAILED;
}

/* 1: a block; 0: none now. */
static int read_block(struct plot *plot)
{
	struct zio_block blk;
	int ret = zio_next(plot->channel, &blk);

	if (ret > 0)
		keep_block(plot, &blk);
	else if (!ret)
		plot->ended = true;
	else if (errno != EAGAIN && errno != EINTR)
		fail_read(plot);
	return ret > 0;
}

/* Blocks for one picture: as many as go in, and what else comes until @end. */
static void read_picture(struct plot *plot, double end)
{
	uint64_t first = plot->count;

	while (!is_over(plot)) {
		bool full = plot->count - first >= plot->blocks;
		bool late = seconds_now() >= end && plot->count > first;

		if (full && (plot->draw.output || is_on_demand(plot) || late))
			return;
		if (read_block(plot) || is_over(plot))
			continue;
		if (late && !plot->draw.output)
			return;
		wait_input(zio_fd(plot->channel), plot->count > first &&
			   !plot->draw.output ? end - seconds_now() : FOREVER);
	}
}

static int draw_picture(struct plot *plot, struct gnuplot *gp)
{
	uint64_t count = plot->count < plot->blocks ? plot->count :
						      plot->blocks;
	const struct kept_block **order = allocate(count, sizeof(*order));
	uint64_t i;
	int ret;

	for (i = 0; i < count; i++)
		order[i] = &plot->kept[(plot->count - count + i) %
				       plot->blocks];
	ret = draw_blocks(gp, &plot->draw, order, (unsigned int)count);
	free(order);
	return ret;
}

/* Nothing but a signal ends this wait. */
static void wait_for_turn(double end)
{
	while (!caught_stop() && seconds_now() < end)
		wait_input(-1, end - seconds_now());
}

static void draw_pictures(struct plot *plot, struct gnuplot *gp)
{
	uint64_t drawn = 0;

	while (!is_over(plot) && (!plot->pictures || drawn < plot->pictures)) {
		double end = seconds_now() + plot->interval;
		uint64_t before = plot->count;

		read_picture(plot, end);
		if (plot->code || plot->count == before)
			return;
		if (draw_picture(plot, gp))
			plot->code = EXIT_FAILED;
		drawn++;
		if (!is_over(plot) && drawn != plot->pictures)
			wait_for_turn(end);
	}
}

static int run_gnuplot(struct plot *plot)
{
	struct gnuplot gp = { 0 };

	/* gnuplot first: no block is taken in vain if there is none. */
	if (start_gnuplot(&gp, &plot->draw))
		return EXIT_FAILED;
	draw_pictures(plot, &gp);
	if (end_gnuplot(&gp) && !plot->code)
		plot->code = EXIT_FAILED;
	if (!plot->code && !plot->count && !caught_stop()) {
		complain("plot: %s has no block", plot->name);
		plot->code = EXIT_FAILED;
	}
	if (!plot->code && caught_stop())
		plot->code = 128 + caught_stop();
	return plot->code;
}

static void free_blocks(struct plot *plot)
{
	uint64_t i;

	for (i = 0; i < plot->blocks; i++)
		free(plot->kept[i].data);
	free(plot->kept);
}

static int open_and_run(struct plot *plot)
{
	struct zio_error err;
	int code;

	plot->channel = zio_open(plot->name, ZIO_OPEN_NONBLOCK, &err);
	if (!plot->channel) {
		complain("%s", err.text);
		return EXIT_FAILED;
	}
	if (plot->blocks < ZIO_BATCH)
		zio_set_batch(plot->channel, (unsigned int)plot->blocks);
	plot->kept = allocate(plot->blocks, sizeof(*plot->kept));
	signal(SIGPIPE, SIG_IGN);
	catch_signals();
	code = run_gnuplot(plot);
	free_blocks(plot);
	zio_close(plot->channel);
	return code;
}

static double parse_rate(const struct argp_state *state, const char *text)
{
	char *end;
	double rate = strtod(text, &end);

	if (end == text || *end || !(rate > 0) || rate > 1e15)
		argp_error(state, "%s: not a rate in Hz", text);
	return rate;
}

static void check_options(const struct plot *plot,
			  const struct argp_state *state)
{
	const struct drawing *draw = &plot->draw;

	if (plot->blocks < 1 || plot->blocks > 65536)
		argp_error(state, "1 to 65536 blocks make a picture");
	if (draw->output && !draw->terminal && !terminal_of_file(draw->output))
		argp_error(state, "%s: ends in none of .png .svg .pdf, so --terminal is wanted",
			   draw->output);
	if (draw->rate > 0 && !draw->is_time)
		argp_error(state, "--rate goes with --time");
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
		draw->rate = parse_rate(state, arg);
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
		plot->blocks = parse_count(state, arg);
		return 0;
	case 'n':
		plot->pictures = parse_count(state, arg);
		return 0;
	case 'i':
		plot->interval = parse_seconds(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (plot->name)
			argp_error(state, "one channel at a time");
		plot->name = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_options(plot, state);
		return 0;
	default:
		return parse_drawing(key, arg, &plot->draw, state);
	}
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "One picture into FILE (.png .svg .pdf), and end", 0 },
	{ "blocks", 'b', "N", 0, "Blocks in a picture (default 1)", 0 },
	{ "signed", 's', NULL, 0, "Samples are signed", 0 },
	{ "time", KEY_TIME, NULL, 0, "x is time, not the number of the sample",
	  0 },
	{ "rate", KEY_RATE, "HZ", 0,
	  "Samples per second, for --time with more than one in a block", 0 },
	{ "interval", 'i', "SECONDS", 0,
	  "At least so long between two pictures (default 0.1)", 0 },
	{ "count", 'n', "N", 0, "End after N pictures (0, the default: never)",
	  0 },
	{ "terminal", KEY_TERMINAL, "TERMINAL", 0,
	  "Of gnuplot, with its options: \"dumb size 79,20\"", 0 },
	{ "script", KEY_SCRIPT, NULL, 0,
	  "Print what gnuplot would be told, for one elsewhere", 0 },
	{ 0 }
};

static const struct argp plot_argp = {
	.options = options,
	.parser = parse_plot,
	.args_doc = "CHANNEL",
	.doc = "Draw the newest blocks of an input channel, again and again, until "
	"Ctrl-C; or once into a file.\v"
	"CHANNEL is a name like zzero-0-1, or a node.",
};

int run_plot(int argc, char **argv)
{
	struct plot plot = { .blocks = 1, .interval = 0.1 };

	if (parse_command(&plot_argp, argc, argv, &plot))
		return EXIT_USAGE;
	if (plot.draw.output)
		plot.pictures = 1;
	return open_and_run(&plot);
}
