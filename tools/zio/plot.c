// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio plot: draw the newest blocks of a channel
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
#include "command.h"
#include "plot.h"
#include "term.h"

#define FOREVER 86400.0

struct plot {
	struct drawing draw;
	struct zio_channel *channel;
	const char *name;
	uint64_t blocks;	/* in a picture */
	uint64_t pictures;	/* to draw; 0: no end */
	uint64_t drawn;
	double interval;
	struct kept_block *kept;	/* a ring of @blocks */
	uint64_t count;		/* of all blocks that were read */
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

/* Returns 1 after a block, 0 if there is none now. */
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

/* Read the blocks of a picture, and any others that come until @end. */
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

/* Return the newest blocks, oldest first, for the caller to free. */
static const struct kept_block **list_newest(const struct plot *plot,
					     unsigned int *count)
{
	uint64_t n = plot->count < plot->blocks ? plot->count : plot->blocks;
	const struct kept_block **list = allocate(n, sizeof(*list));
	uint64_t i;

	for (i = 0; i < n; i++)
		list[i] = &plot->kept[(plot->count - n + i) % plot->blocks];
	*count = (unsigned int)n;
	return list;
}

static int draw_picture(struct plot *plot, struct gnuplot *gp)
{
	unsigned int count;
	const struct kept_block **blocks = list_newest(plot, &count);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		fail_memory();
	if (!plot->drawn++)
		write_head(out, &plot->draw);
	write_picture(out, &plot->draw, blocks, count);
	fclose(out);
	ret = send_script(gp, text, size);
	free(text);
	free(blocks);
	return ret;
}

/* Only a signal ends this wait early. */
static void wait_for_turn(double end)
{
	while (!caught_stop() && seconds_now() < end)
		wait_input(-1, end - seconds_now());
}

static void draw_pictures(struct plot *plot, struct gnuplot *gp)
{
	while (!is_over(plot) && (!plot->pictures || plot->drawn < plot->pictures)) {
		double end = seconds_now() + plot->interval;
		uint64_t before = plot->count;

		read_picture(plot, end);
		if (plot->code || plot->count == before)
			return;
		if (draw_picture(plot, gp))
			plot->code = EXIT_FAILED;
		if (!is_over(plot) && plot->drawn != plot->pictures)
			wait_for_turn(end);
	}
}

static int run_gnuplot(struct plot *plot)
{
	struct gnuplot gp = { 0 };

	/* Start gnuplot first: if it fails, the program has taken no block. */
	if (start_gnuplot(&gp, plot->draw.script))
		return EXIT_FAILED;
	draw_pictures(plot, &gp);
	if (end_gnuplot(&gp) && !plot->code)
		plot->code = EXIT_FAILED;
	if (!plot->code && !plot->count && !caught_stop()) {
		complain("plot: %s has no block", plot->name);
		plot->code = EXIT_FAILED;
	}
	return plot->code ? plot->code : stop_status(EXIT_OK);
}

static void free_blocks(struct plot *plot)
{
	uint64_t i;

	for (i = 0; i < plot->blocks; i++)
		free(plot->kept[i].data);
	free(plot->kept);
}

/* Is this a channel with a trigger that acquires blocks also without a reader? */
static bool acquires_alone(const char *name)
{
	char path[PATH_MAX];
	struct zio_control control = { .major_version = 0 };
	struct zio_object *obj;
	FILE *file;

	obj = zio_find(NULL, name, NULL, NULL);
	if (!obj)
		return false;
	put_text(path, sizeof(path), "%s/current-control", zio_object_path(obj));
	zio_object_free(obj);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fread(&control, sizeof(control), 1, file) != 1)
		control.triggername[0] = '\0';
	fclose(file);
	return *control.triggername &&
	       strncmp(control.triggername, "user", ZIO_OBJ_NAME_LEN);
}

/* A kernel module without taps has channels that can be read. */
static struct zio_channel *open_newest(const char *name)
{
	struct zio_channel *ch;
	struct zio_error err;

	if (acquires_alone(name)) {
		ch = zio_open(name, ZIO_OPEN_NONBLOCK | ZIO_OPEN_TAP, &err);
		if (ch || err.code != ENOTTY)
			goto out;
	}
	ch = zio_open(name, ZIO_OPEN_NONBLOCK, &err);
	if (ch)
		zio_flush(ch);
out:
	if (!ch)
		complain("%s", err.text);
	return ch;
}

static int open_and_run(struct plot *plot)
{
	int code;

	plot->channel = open_newest(plot->name);
	if (!plot->channel)
		return EXIT_OPEN;
	limit_batch(plot->channel, plot->blocks, 0);
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
		argp_error(state, "--rate=%s: not a frequency in Hz", text);
	return rate;
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
	if (draw->rate > 0 && !draw->is_time)
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
		plot->blocks = parse_number(state, "--blocks", arg, UINT64_MAX);
		return 0;
	case 'n':
		plot->pictures = parse_number(state, "--count", arg, UINT64_MAX);
		return 0;
	case 'i':
		plot->interval = parse_seconds(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (plot->name)
			argp_error(state, "there is more than one channel");
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
	  "Draw one picture into FILE (.png .svg .pdf), and exit", 0 },
	{ "blocks", 'b', "N", 0, "Draw N blocks in a picture (default 1)", 0 },
	{ "signed", 's', NULL, 0, "Draw samples as signed numbers", 0 },
	{ "time", KEY_TIME, NULL, 0, "Draw over time instead of the number of the sample",
	  0 },
	{ "rate", KEY_RATE, "HZ", 0,
	  "Sample rate; --time needs it if a block has several samples", 0 },
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
	.args_doc = "CHANNEL",
	.doc = "Draw the newest blocks of an input channel, live until Ctrl-C, or "
	"once into a file.\v"
	"CHANNEL is a name such as zzero-0-1, or a node.",
	.children = program_options,
};

int run_plot(int argc, char **argv)
{
	struct plot plot = { .blocks = 1, .interval = 0.1 };

	parse_command(&plot_argp, argc, argv, &plot);
	if (plot.draw.output)
		plot.pictures = 1;
	return open_and_run(&plot);
}
