// SPDX-License-Identifier: GPL-2.0-only
/* Write blocks as a script for gnuplot */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/control.h"
#include "command.h"
#include "plot.h"
#include "term.h"

/* If a picture has more samples, it shows the extremes of neighbouring samples. */
#define MAX_POINTS 20000

struct curve {
	FILE *out;
	const struct drawing *draw;
	double x;		/* number of the first sample of the block */
	double start;		/* seconds since the first block, by time stamps */
	size_t step;		/* samples that a pair of points stands for */
};

static const struct {
	const char *end;
	const char *terminal;
} file_terminals[] = {
	{ ".png", "pngcairo size 1000,600" },
	{ ".svg", "svg size 1000,600 background 'white'" },
	{ ".pdf", "pdfcairo size 20cm,12cm" },
};

const char *terminal_of_file(const char *name)
{
	const char *end = strrchr(name, '.');
	size_t i;

	for (i = 0; end && i < 3; i++)
		if (!strcasecmp(end, file_terminals[i].end))
			return file_terminals[i].terminal;
	return NULL;
}

/* gnuplot draws with letters if there is no window system. */
static bool has_display(void)
{
	return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") ||
	       getenv("GNUTERM");
}

static bool is_dumb(const struct drawing *draw)
{
	if (draw->terminal)
		return has_prefix(draw->terminal, "dumb");
	return !draw->output && !draw->script && !has_display();
}

static void write_terminal(FILE *out, const struct drawing *draw)
{
	if (draw->terminal)
		fprintf(out, "set terminal %s\n", draw->terminal);
	else if (draw->output)
		fprintf(out, "set terminal %s\n",
			terminal_of_file(draw->output));
	else if (is_dumb(draw))
		fprintf(out, "set terminal dumb size %d,%d\n",
			terminal_columns() - 1, terminal_rows() - 1);
}

static void write_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		fprintf(out, *text == '\'' ? "''" : "%c", *text);
	fputc('\'', out);
}

void write_head(FILE *out, const struct drawing *draw)
{
	write_terminal(out, draw);
	if (draw->output) {
		fputs("set output ", out);
		write_quoted(out, draw->output);
		fputc('\n', out);
	}
	fprintf(out, "set grid\nunset key\nset ylabel 'value'\nset xlabel '%s'\n",
		draw->is_time ? "seconds since the first block" : "sample");
}

/* The control tells how many bits of a sample are significant. */
static unsigned int bits_of(const struct zio_control *control)
{
	unsigned int all = 8 * control->ssize;

	return control->nbits && control->nbits < all ? control->nbits : all;
}

static double sample_of(const struct drawing *draw,
			const struct kept_block *block, size_t i)
{
	const struct zio_control *control = &block->control;
	unsigned int all = 8 * control->ssize;
	unsigned int bits = bits_of(control);
	uint64_t v = get_sample(block->data, i, control->ssize);

	/* Shift the bits to the top, then down: arithmetically if signed. */
	v <<= 64 - all;
	if (!(control->flags & ZIO_CONTROL_MSB_ALIGN))
		v <<= all - bits;
	if (draw->is_signed)
		return (double)((int64_t)v >> (64 - bits));
	return (double)(v >> (64 - bits));
}

static double time_of(const struct zio_control *control)
{
	return (double)control->tstamp.secs +
	       (double)control->tstamp.ticks / 1e9;
}

/* A double cannot hold seconds since 1970 and nanoseconds: subtract first. */
static double time_since(const struct zio_control *control,
			 const struct zio_control *first)
{
	return (double)(int64_t)(control->tstamp.secs - first->tstamp.secs) +
	       ((double)control->tstamp.ticks -
		(double)first->tstamp.ticks) / 1e9;
}

static uint32_t pre_samples(const struct zio_control *control)
{
	const struct zio_ctrl_attr *attr = &control->attr_trigger;

	if (!(attr->std_mask & (1 << ZIO_ATTR_TRIG_PRE_SAMP)))
		return 0;
	return attr->std_val[ZIO_ATTR_TRIG_PRE_SAMP];
}

static double x_of(const struct curve *curve, const struct kept_block *block,
		   size_t i)
{
	double rate = curve->draw->rate;

	if (!curve->draw->is_time)
		return curve->x + (double)i;
	if (rate <= 0)
		return curve->start;
	return curve->start +
	       ((double)i - pre_samples(&block->control)) / rate;
}

static void write_point(const struct curve *curve,
			const struct kept_block *block, size_t i)
{
	fprintf(curve->out, "%.12g %.17g\n", x_of(curve, block, i),
		sample_of(curve->draw, block, i));
}

/* Write the least and the largest of samples @from to @to, in their order. */
static void write_extremes(const struct curve *curve,
			   const struct kept_block *block, size_t from,
			   size_t to)
{
	size_t least = from, most = from;
	size_t i;

	for (i = from + 1; i < to; i++) {
		double v = sample_of(curve->draw, block, i);

		if (v < sample_of(curve->draw, block, least))
			least = i;
		if (v > sample_of(curve->draw, block, most))
			most = i;
	}
	write_point(curve, block, least < most ? least : most);
	if (least != most)
		write_point(curve, block, least < most ? most : least);
}

static void write_block(const struct curve *curve,
			const struct kept_block *block)
{
	size_t count = block->control.nsamples;
	size_t i;

	for (i = 0; i < count; i += curve->step) {
		size_t end = count - i < curve->step ? count : i + curve->step;

		if (curve->step == 1)
			write_point(curve, block, i);
		else
			write_extremes(curve, block, i, end);
	}
}

/* A line joins two blocks unless blocks are lost or time has passed between them. */
static bool follows(const struct drawing *draw, const struct kept_block *before,
		    const struct kept_block *block)
{
	double expected;

	if (block->lost)
		return false;
	if (!draw->is_time || draw->rate <= 0)
		return true;
	expected = before->control.nsamples / draw->rate;
	return fabs(time_since(&block->control, &before->control) - expected) <
	       1.5 / draw->rate;
}

/* Mark where blocks are missing by a red line and their number. */
static void write_gap(const struct curve *curve, const struct kept_block *block,
		      unsigned int i)
{
	double x = curve->draw->is_time ? curve->start : curve->x;

	fprintf(curve->out, "set arrow %u from first %.12g, graph 0 to first %.12g, graph 1 nohead dashtype 2 linecolor rgb 'red'\n",
		i + 1, x, x);
	fprintf(curve->out, "set label %u '%" PRIu32 " lost' at first %.12g, graph 0.97 offset 0.5,0 textcolor rgb 'red' front\n",
		i + 1, block->lost, x);
}

static size_t choose_step(const struct kept_block *const *blocks,
			  unsigned int count)
{
	size_t all = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		all += blocks[i]->control.nsamples;
	return all <= MAX_POINTS ? 1 : 2 * all / MAX_POINTS + 1;
}

static void enter_block(struct curve *curve,
			const struct kept_block *const *blocks, unsigned int i)
{
	curve->start = time_since(&blocks[i]->control, &blocks[0]->control);
	if (i)
		curve->x += blocks[i - 1]->control.nsamples;
}

static void write_samples(FILE *out, const struct drawing *draw,
			  const struct kept_block *const *blocks,
			  unsigned int count)
{
	struct curve curve = { .out = out, .draw = draw };
	unsigned int i;

	curve.step = choose_step(blocks, count);
	fputs("$zio << EOD\n", out);
	for (i = 0; i < count; i++) {
		enter_block(&curve, blocks, i);
		if (i && !follows(draw, blocks[i - 1], blocks[i]))
			fputc('\n', out);
		write_block(&curve, blocks[i]);
	}
	fputs("EOD\n", out);
}

static void write_gaps(FILE *out, const struct drawing *draw,
		       const struct kept_block *const *blocks,
		       unsigned int count)
{
	struct curve curve = { .out = out, .draw = draw };
	unsigned int i;

	for (i = 0; i < count; i++) {
		enter_block(&curve, blocks, i);
		if (blocks[i]->lost)
			write_gap(&curve, blocks[i], i);
	}
}

static void write_title(FILE *out, const struct kept_block *first,
			const struct kept_block *last)
{
	const struct zio_control *control = &last->control;
	char address[ADDRESS_LEN], trigger[ZIO_OBJ_NAME_LEN + 1];

	put_address(address, control);
	put_object_name(trigger, control->triggername);
	fprintf(out, "set title \"%s  block %" PRIu32, address,
		first->control.seq_num);
	if (first != last)
		fprintf(out, " to %" PRIu32, control->seq_num);
	fprintf(out, ": %" PRIu32 " samples each, %u bits, trigger %s, %.6f s\" noenhanced\n",
		control->nsamples, bits_of(control), trigger, time_of(control));
}

void write_picture(FILE *out, const struct drawing *draw,
		   const struct kept_block *const *blocks, unsigned int count)
{
	bool few = blocks[0]->control.nsamples * count <= 100;

	if (is_dumb(draw) && !draw->output)
		fputs("set print '-'\nprint \"\\033[H\\033[J\"\n", out);
	fputs("unset arrow\nunset label\n", out);
	write_samples(out, draw, blocks, count);
	write_title(out, blocks[0], blocks[count - 1]);
	write_gaps(out, draw, blocks, count);
	fprintf(out, "plot $zio using 1:2 with %s linewidth 1.5\n",
		few ? "linespoints pointtype 7 pointsize 0.5" : "lines");
}

int check_block(const struct drawing *draw, const struct kept_block *block)
{
	const struct zio_control *control = &block->control;

	if (!control->nsamples || !control->ssize) {
		complain("plot: the blocks have no samples; zio-dump prints their time");
		return -1;
	}
	if (!is_numeric(control->ssize)) {
		complain("plot: samples of %u bytes are no numbers; 1, 2, 4 or 8 bytes are",
			 control->ssize);
		return -1;
	}
	if (draw->is_time && draw->rate <= 0 && control->nsamples > 1) {
		complain("plot: a block has one time stamp for %" PRIu32 " samples: --time also needs --rate=HZ",
			 control->nsamples);
		return -1;
	}
	return 0;
}
