// SPDX-License-Identifier: GPL-2.0-only
/* Blocks as a gnuplot script, and the gnuplot that runs it */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/control.h"
#include "command.h"
#include "plot.h"
#include "term.h"

/* More points than a screen has columns are drawn as their extremes. */
#define MAX_POINTS 20000

struct curve {
	FILE *out;
	const struct drawing *draw;
	double x;		/* of the next sample, without --time */
	double start;		/* of the first block, by its own clock */
	size_t step;		/* samples to a pair of points */
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

/* Without a window system gnuplot draws with letters. */
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

static void write_head(FILE *out, const struct drawing *draw)
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

static int complain_gnuplot(int code)
{
	if (code == ENOENT)
		complain("plot: there is no gnuplot: apt-get install gnuplot-nox (gnuplot-qt for a window), or take the picture elsewhere: zio plot --script CHANNEL | ssh HOST gnuplot -persist");
	else
		complain("plot: cannot run gnuplot: %s", strerror(code));
	return -1;
}

static int spawn_gnuplot(struct gnuplot *gp, int in)
{
	static char name[] = "gnuplot", from[] = "-";
	char *const args[] = { name, from, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int code;

	/* Ctrl-C is for us: we end it, in good order. */
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF |
				 POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	code = posix_spawnp(&gp->pid, name, &actions, &attr, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return code;
}

static int open_gnuplot(struct gnuplot *gp)
{
	int pipes[2];
	int code;

	if (pipe2(pipes, O_CLOEXEC))
		return complain_gnuplot(errno);
	code = spawn_gnuplot(gp, pipes[0]);
	close(pipes[0]);
	gp->fd = pipes[1];
	if (!code)
		return 0;
	close(pipes[1]);
	return complain_gnuplot(code);
}

/* It does not take what it is told, and the user does not want to wait. */
static int stop_gnuplot(struct gnuplot *gp)
{
	if (gp->pid) {
		kill(gp->pid, SIGKILL);
		gp->stopped = true;
	}
	return 0;
}

static int complain_told(const struct gnuplot *gp)
{
	if (gp->pid)
		complain("plot: gnuplot has ended");
	else
		complain("standard output: %s", strerror(errno));
	return -1;
}

/* A signal ends the wait, and no write takes long after it. */
static int tell(struct gnuplot *gp, const char *text, size_t size)
{
	while (size) {
		ssize_t n;

		if (wait_output(gp->fd) < 0) {
			if (caught_stop())
				return stop_gnuplot(gp);
			continue;
		}
		n = write(gp->fd, text, size < PIPE_BUF ? size : PIPE_BUF);
		if (n < 0)
			return complain_told(gp);
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

int start_gnuplot(struct gnuplot *gp, const struct drawing *draw)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret;

	gp->fd = STDOUT_FILENO;
	if (!out)
		return complain_gnuplot(errno);
	write_head(out, draw);
	fclose(out);
	ret = !draw->script && open_gnuplot(gp) ? -1 : tell(gp, text, size);
	free(text);
	return ret;
}

static int wait_gnuplot(const struct gnuplot *gp)
{
	int status;

	while (waitpid(gp->pid, &status, 0) < 0)
		if (errno != EINTR)
			return complain_gnuplot(errno);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFEXITED(status))
		complain("plot: gnuplot failed (status %d)",
			 WEXITSTATUS(status));
	else
		complain("plot: gnuplot was ended by signal %d",
			 WTERMSIG(status));
	return -1;
}

int end_gnuplot(struct gnuplot *gp)
{
	if (!gp->pid)
		return 0;
	close(gp->fd);
	return gp->stopped ? waitpid(gp->pid, NULL, 0) < 0 : wait_gnuplot(gp);
}

/* Significant bits of a sample: as many as the control says. */
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

	/* Bits up to the top, then down with the sign or without it. */
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

/* The difference first: a double has no room for seconds since 1970 and ns. */
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

/* The least and the largest of samples @from to @to, in their order. */
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

/* Blocks of another event are not joined by a line, nor are those after a gap. */
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

static void write_gap(const struct curve *curve, FILE *marks,
		      const struct kept_block *block, unsigned int i)
{
	double x = curve->draw->is_time ? curve->start : curve->x;

	fprintf(marks, "set arrow %u from first %.12g, graph 0 to first %.12g, graph 1 nohead dashtype 2 linecolor rgb 'red'\n",
		i + 1, x, x);
	fprintf(marks, "set label %u '%" PRIu32 " lost' at first %.12g, graph 0.97 offset 0.5,0 textcolor rgb 'red' front\n",
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

static void write_curve(FILE *out, FILE *marks, const struct drawing *draw,
			const struct kept_block *const *blocks,
			unsigned int count)
{
	struct curve curve = { .out = out, .draw = draw };
	unsigned int i;

	curve.step = choose_step(blocks, count);
	fputs("$zio << EOD\n", out);
	for (i = 0; i < count; i++) {
		curve.start = time_since(&blocks[i]->control,
					 &blocks[0]->control);
		if (i && !follows(draw, blocks[i - 1], blocks[i]))
			fputc('\n', out);
		if (blocks[i]->lost)
			write_gap(&curve, marks, blocks[i], i);
		write_block(&curve, blocks[i]);
		curve.x += blocks[i]->control.nsamples;
	}
	fputs("EOD\n", out);
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

static void write_picture(FILE *out, FILE *marks, const struct drawing *draw,
			  const struct kept_block *const *blocks,
			  unsigned int count)
{
	if (is_dumb(draw) && !draw->output)
		fputs("set print '-'\nprint \"\\033[H\\033[J\"\n", out);
	fputs("unset arrow\nunset label\n", out);
	write_curve(out, marks, draw, blocks, count);
	write_title(out, blocks[0], blocks[count - 1]);
}

int draw_blocks(struct gnuplot *gp, const struct drawing *draw,
		const struct kept_block *const *blocks, unsigned int count)
{
	char *text = NULL, *marks = NULL;
	size_t size, marks_size;
	FILE *out = open_memstream(&text, &size);
	FILE *after = open_memstream(&marks, &marks_size);
	int ret = -1;

	if (!out || !after) {
		complain_gnuplot(errno);
		goto out;
	}
	write_picture(out, after, draw, blocks, count);
	fflush(after);
	fprintf(out, "%splot $zio using 1:2 with %s linewidth 1.5\n", marks,
		blocks[0]->control.nsamples * count <= 100 ?
		"linespoints pointtype 7 pointsize 0.5" : "lines");
	fflush(out);
	ret = tell(gp, text, size);
out:
	if (out)
		fclose(out);
	if (after)
		fclose(after);
	free(text);
	free(marks);
	return ret;
}

int check_block(const struct drawing *draw, const struct kept_block *block)
{
	const struct zio_control *control = &block->control;

	if (!control->nsamples || !control->ssize) {
		complain("plot: the blocks have no samples; zio-dump shows their time");
		return -1;
	}
	if (!is_numeric(control->ssize)) {
		complain("plot: samples of %u bytes are no numbers (1, 2, 4, 8 are)",
			 control->ssize);
		return -1;
	}
	if (draw->is_time && draw->rate <= 0 && control->nsamples > 1) {
		complain("plot: a block has one time and %" PRIu32 " samples: --time wants --rate=HZ, too",
			 control->nsamples);
		return -1;
	}
	return 0;
}
