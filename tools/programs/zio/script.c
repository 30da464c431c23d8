// SPDX-License-Identifier: GPL-2.0-only
/* Write blocks as a script for gnuplot */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/control.h"
#include "common/text.h"
#include "command.h"
#include "plot.h"
#include "term.h"

/* If a picture has more samples, it shows the extremes of neighbouring samples. */
#define MAX_POINTS 20000

#define RANGE_LEN 32

struct curve {
	FILE *out;
	const struct drawing *draw;
	const struct zio_instant *origin;	/* its time is 0 */
	unsigned int gaps;	/* lines that mark gaps, up to now */
	double x;		/* number of the first sample of the block */
	double start;		/* seconds since the first block, by time stamps */
	size_t step;		/* samples that a pair of points stands for */
	double *values;		/* of the block */
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

/*
 * gnuplot runs what stands in backquotes between double quotes. Between single quotes,
 * only a single quote means something to it. No @text has a newline.
 */
static void write_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		fprintf(out, *text == '\'' ? "''" : "%c", *text);
	fputc('\'', out);
}

/* gnuplot runs a name that begins with | as a command, and expands one with ~. */
static void write_output(FILE *out, const char *name)
{
	char path[PATH_MAX];

	put_text(path, sizeof(path), "%s%s", *name == '/' ? "" : "./", name);
	fputs("set output ", out);
	write_quoted(out, path);
	fputc('\n', out);
}

void write_head(FILE *out, const struct drawing *draw)
{
	write_terminal(out, draw);
	if (draw->output)
		write_output(out, draw->output);
	fprintf(out, "set grid\nunset key\nset ylabel 'value'\nset xlabel '%s'\n",
		draw->is_time ? "seconds since the first block" : "sample");
}

/* How the samples become values, which have a unit only if the user wants it */
static int find_scaling(const struct drawing *draw, const struct zio_control *control,
			struct zio_control *changed, struct zio_scaling *scaling)
{
	struct zio_ctrl_attr *attr = &changed->attr_channel;

	*changed = *control;
	if (!draw->has_units)
		attr->std_mask &= ~(1u << ZIO_ATTR_SCALE_HIGH);
	if (draw->is_signed) {
		attr->std_mask |= 1u << ZIO_ATTR_SIGNED;
		attr->std_val[ZIO_ATTR_SIGNED] = 1;
	}
	return zio_control_scale(changed, scaling);
}

/* Return the values of a block, for the caller to free. check_block() has accepted it. */
static double *values_of(const struct drawing *draw, const struct kept_block *block)
{
	struct zio_scaling scaling;
	struct zio_control control;
	const struct zio_block blk = { .control = &control, .data = block->data,
				       .size = block->size };
	double *values = allocate(block->control.nsamples, sizeof(*values));

	find_scaling(draw, &block->control, &control, &scaling);
	zio_block_to_double(&blk, values, block->control.nsamples);
	return values;
}

/* A double cannot hold seconds since 1970 and nanoseconds: subtract first. */
static double time_since(const struct zio_instant *time, const struct zio_instant *first)
{
	return (double)(time->ns - first->ns) / 1e9 +
	       ((double)time->ps - (double)first->ps) / 1e12;
}

static double x_of(const struct curve *curve, const struct kept_block *block,
		   size_t i)
{
	struct zio_instant time;

	if (!curve->draw->is_time)
		return curve->x + (double)i;
	if (zio_sample_time(&block->place, (uint32_t)i, &time))
		return curve->start;
	return time_since(&time, curve->origin);
}

static void write_point(const struct curve *curve,
			const struct kept_block *block, size_t i)
{
	fprintf(curve->out, "%.12g %.17g\n", x_of(curve, block, i), curve->values[i]);
}

/* Write the least and the largest of samples @from to @to, in their order. */
static void write_extremes(const struct curve *curve,
			   const struct kept_block *block, size_t from,
			   size_t to)
{
	size_t least = from, most = from;
	size_t i;

	for (i = from + 1; i < to; i++) {
		if (curve->values[i] < curve->values[least])
			least = i;
		if (curve->values[i] > curve->values[most])
			most = i;
	}
	write_point(curve, block, least < most ? least : most);
	if (least != most)
		write_point(curve, block, least < most ? most : least);
}

static void write_block(struct curve *curve, const struct kept_block *block)
{
	size_t count = block->control.nsamples;
	size_t i;

	curve->values = values_of(curve->draw, block);
	for (i = 0; i < count; i += curve->step) {
		size_t end = count - i < curve->step ? count : i + curve->step;

		if (curve->step == 1)
			write_point(curve, block, i);
		else
			write_extremes(curve, block, i, end);
	}
	free(curve->values);
}

/* A line joins two blocks unless something or time lies between them. */
static bool follows(const struct drawing *draw, const struct kept_block *block)
{
	return !block->place.breaks && (!draw->is_time || !block->place.rate_num ||
					block->place.continues);
}

/* Say what lies before a block. What a tap passes over, or others take, was not lost. */
static void put_break(char text[NAME_LEN], const struct zio_place *place)
{
	if (place->lost)
		put_text(text, NAME_LEN, "%" PRIu32 " lost", place->lost);
	else if (place->missed)
		put_text(text, NAME_LEN, "%" PRIu32 " missed", place->missed);
	else if (place->taken)
		put_text(text, NAME_LEN, "%" PRIu32 " not read", place->taken);
	else
		put_text(text, NAME_LEN, "%s",
			 zio_break_name((unsigned int)__builtin_ctz(place->breaks)));
}

/* Mark a break by a red line, and by what is missing. */
static void write_gap(const struct curve *curve, const struct kept_block *block,
		      unsigned int i)
{
	double x = curve->draw->is_time ? curve->start : curve->x;
	char text[NAME_LEN];

	put_break(text, &block->place);
	fprintf(curve->out, "set arrow %u from first %.12g, graph 0 to first %.12g, graph 1 nohead dashtype 2 linecolor rgb 'red'\n",
		curve->gaps + i + 1, x, x);
	fprintf(curve->out, "set label %u '%s' at first %.12g, graph 0.97 offset 0.5,0 textcolor rgb 'red' front\n",
		curve->gaps + i + 1, text, x);
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

static void enter_block(struct curve *curve, const struct series *series, unsigned int i)
{
	curve->start = time_since(&series->blocks[i]->place.event, curve->origin);
	curve->x = i ? curve->x + series->blocks[i - 1]->control.nsamples : 0;
}

/* The data of the first channel are $zio, those of the others $zio1 and so on. */
static void write_name(FILE *out, unsigned int n)
{
	if (n)
		fprintf(out, "$zio%u", n);
	else
		fputs("$zio", out);
}

static void write_samples(struct curve *curve, const struct series *series,
			  unsigned int n)
{
	unsigned int i;

	curve->step = choose_step(series->blocks, series->count);
	write_name(curve->out, n);
	fputs(" << EOD\n", curve->out);
	for (i = 0; i < series->count; i++) {
		enter_block(curve, series, i);
		if (i && !follows(curve->draw, series->blocks[i]))
			fputc('\n', curve->out);
		write_block(curve, series->blocks[i]);
	}
	fputs("EOD\n", curve->out);
}

static void write_gaps(struct curve *curve, const struct series *series)
{
	unsigned int i;

	for (i = 0; i < series->count; i++) {
		enter_block(curve, series, i);
		if (series->blocks[i]->place.breaks)
			write_gap(curve, series->blocks[i], i);
	}
	curve->gaps += series->count;
}

static void put_range(char text[RANGE_LEN], uint32_t first, uint32_t last)
{
	if (first == last)
		put_text(text, RANGE_LEN, "%" PRIu32, first);
	else
		put_text(text, RANGE_LEN, "%" PRIu32 " to %" PRIu32, first, last);
}

static void write_title(FILE *out, const struct drawing *draw, const struct series *series)
{
	const struct zio_control *first = &series->blocks[0]->control;
	const struct zio_control *control = &series->blocks[series->count - 1]->control;
	char address[ADDRESS_LEN], trigger[ZIO_OBJ_NAME_LEN + 1];
	char range[RANGE_LEN], title[256];
	struct zio_control changed;
	struct zio_scaling scaling;

	put_address(address, control);
	zio_name_text(trigger, control->triggername);
	find_scaling(draw, control, &changed, &scaling);
	put_range(range, first->seq_num, control->seq_num);
	put_text(title, sizeof(title),
		 "%s  block %s: %" PRIu32 " samples each, %u bits, trigger %s, %.6f s",
		 address, range, control->nsamples, scaling.nbits, trigger,
		 (double)series->blocks[series->count - 1]->place.event.ns / 1e9);
	fputs("set title ", out);
	write_quoted(out, title);
	fputs(" noenhanced\n", out);
}

/* Several channels have their names in the key. */
static void write_titles(FILE *out, unsigned int n)
{
	fprintf(out, "set title '%u channels' noenhanced\nset key noenhanced\n", n);
}

/* The unit of a channel, by its first block; "" without --units, too */
static const char *unit_of_series(const struct drawing *draw, const struct series *series)
{
	struct zio_control changed;
	struct zio_scaling scaling;

	find_scaling(draw, &series->blocks[0]->control, &changed, &scaling);
	return scaling.unit;
}

static void write_key(FILE *out, const struct drawing *draw, const struct series *series)
{
	const char *unit = unit_of_series(draw, series);
	char address[ADDRESS_LEN], key[ADDRESS_LEN + NAME_LEN];

	put_address(address, &series->blocks[0]->control);
	put_text(key, sizeof(key), "%s%s%s", address, *unit ? "  " : "", unit);
	fputs(" title ", out);
	write_quoted(out, key);
}

static void write_plot(FILE *out, const struct drawing *draw, const struct series *series,
		       unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		bool few = series[i].blocks[0]->control.nsamples * series[i].count <= 100;

		fputs(i ? ", " : "plot ", out);
		write_name(out, i);
		fprintf(out, " using 1:2 with %s linewidth 1.5",
			few ? "linespoints pointtype 7 pointsize 0.5" : "lines");
		if (n > 1)
			write_key(out, draw, &series[i]);
	}
	fputc('\n', out);
}

static const struct zio_instant *find_origin(const struct series *series, unsigned int n)
{
	const struct zio_instant *first = &series[0].blocks[0]->place.event;
	unsigned int i;

	for (i = 1; i < n; i++)
		if (time_since(&series[i].blocks[0]->place.event, first) < 0)
			first = &series[i].blocks[0]->place.event;
	return first;
}

/* Channels of several units have them in the key. */
static void write_unit(FILE *out, const struct drawing *draw, const struct series *series,
		       unsigned int n)
{
	const char *unit = unit_of_series(draw, &series[0]);
	unsigned int i;

	for (i = 1; i < n; i++)
		if (strcmp(unit, unit_of_series(draw, &series[i])))
			unit = "";
	fputs("set ylabel ", out);
	write_quoted(out, *unit ? unit : "value");
	fputs(" noenhanced\n", out);
}

void write_picture(FILE *out, const struct drawing *draw, const struct series *series,
		   unsigned int n)
{
	struct curve curve = { .out = out, .draw = draw };
	unsigned int i;

	curve.origin = find_origin(series, n);
	if (draw->has_units)
		write_unit(out, draw, series, n);
	if (is_dumb(draw) && !draw->output)
		fputs("set print '-'\nprint \"\\033[H\\033[J\"\n", out);
	fputs("unset arrow\nunset label\n", out);
	for (i = 0; i < n; i++)
		write_samples(&curve, &series[i], i);
	if (n == 1)
		write_title(out, draw, &series[0]);
	else
		write_titles(out, n);
	for (i = 0; i < n; i++)
		write_gaps(&curve, &series[i]);
	write_plot(out, draw, series, n);
}

int check_block(const struct drawing *draw, const struct kept_block *block)
{
	const struct zio_control *control = &block->control;
	struct zio_control changed;
	struct zio_scaling scaling;

	if (!control->nsamples || !control->ssize) {
		complain("plot: the blocks have no samples; zio-dump prints their time");
		return -1;
	}
	if (find_scaling(draw, control, &changed, &scaling)) {
		complain(errno == EOPNOTSUPP ?
			 "plot: samples of %u bytes are no numbers; 1, 2, 4 or 8 bytes are" :
			 "plot: the blocks have a scale that this version does not know: leave out --units",
			 control->ssize);
		return -1;
	}
	if (draw->is_time && !block->place.rate_num && control->nsamples > 1) {
		complain("plot: a block has one time stamp for %" PRIu32 " samples: --time also needs --rate=HZ",
			 control->nsamples);
		return -1;
	}
	return 0;
}
