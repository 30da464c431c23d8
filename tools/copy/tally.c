// SPDX-License-Identifier: GPL-2.0-only
/* How much, how fast, and what was lost: at the end, and on a terminal meanwhile */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "copy.h"

#define CLEAR_LINE "\r\033[K"

static double started;
static double shown;
static bool on_terminal;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void start_tally(struct copy *c)
{
	on_terminal = isatty(STDERR_FILENO) && !c->json;
	started = now();
	shown = started;
}

static uint64_t count_lost(const struct copy *c)
{
	return c->lost + zio_stats(c->in.ch)->lost;
}

static double rate(const struct copy *c, double seconds)
{
	return seconds > 0 ? (double)c->bytes / seconds / 1e6 : 0;
}

static void print_amount(const struct copy *c, double seconds)
{
	fprintf(stderr, "%" PRIu64 " blocks, %" PRIu64 " bytes, %.6f s, %.1f MB/s",
		c->blocks, c->bytes, seconds, rate(c, seconds));
}

/* Once a second, where somebody looks on. */
void show_progress(const struct copy *c)
{
	uint64_t lost;
	double at;

	if (!on_terminal)
		return;
	at = now();
	if (at - shown < 1)
		return;
	shown = at;
	lost = count_lost(c);
	fputs(CLEAR_LINE, stderr);
	print_amount(c, at - started);
	if (lost)
		fprintf(stderr, ", %" PRIu64 " lost", lost);
	fflush(stderr);
}

/* Of all outputs together. */
static struct zio_sharing sum_sharing(const struct copy *c)
{
	struct zio_sharing sum = { 0 };
	int i;

	for (i = 0; i < c->n_out; i++) {
		const struct zio_sharing *one = zio_sharing(c->out[i].ch);

		sum.shared += one->shared;
		sum.copied += one->copied;
		sum.copied_bytes += one->copied_bytes;
		if (one->why)
			sum.why = one->why;
	}
	return sum;
}

static bool is_share(const struct copy *c)
{
	return !strcmp(c->mode->name, "share");
}

static void print_mode(const struct copy *c)
{
	struct zio_sharing sum = sum_sharing(c);

	fprintf(stderr, "%s: mode %s: input by %s, output by %s\n", prog,
		c->mode->name, zio_method(c->in.ch), zio_method(c->out[0].ch));
	if (!is_share(c))
		return;
	fprintf(stderr, "%s: sharing asked for %" PRIu64 " times, done %" PRIu64
		" times", prog, sum.shared + sum.copied, sum.shared);
	if (sum.copied)
		fprintf(stderr, "; %" PRIu64 " bytes copied: %s",
			sum.copied_bytes,
			zio_share_reason(sum.why));
	fputc('\n', stderr);
}

static void print_text(const struct copy *c, double seconds)
{
	uint64_t lost = count_lost(c);

	if (on_terminal)
		fputs(CLEAR_LINE, stderr);
	fprintf(stderr, "%s: ", prog);
	print_amount(c, seconds);
	fputc('\n', stderr);
	if (lost)
		fprintf(stderr, "%s: lost %" PRIu64 " blocks\n", prog, lost);
	if (c->verbose)
		print_mode(c);
}

static double seconds_of(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static void add_sharing(const struct copy *c, json_t *obj)
{
	struct zio_sharing sum = sum_sharing(c);
	json_t *part = json_pack("{sIsIsIsI}", "asked",
				 (json_int_t)(sum.shared + sum.copied),
				 "shared", (json_int_t)sum.shared, "copied",
				 (json_int_t)sum.copied, "copied_bytes",
				 (json_int_t)sum.copied_bytes);

	if (sum.why)
		json_object_set_new(part, "why",
				    json_string(zio_share_reason(sum.why)));
	json_object_set_new(obj, "sharing", part);
}

static bool has_data_on_stdout(const struct copy *c)
{
	int i;

	for (i = 0; i < c->n_out; i++)
		if (!strcmp(c->out[i].name, "-"))
			return true;
	return false;
}

static void print_json(const struct copy *c, double seconds)
{
	FILE *out = has_data_on_stdout(c) ? stderr : stdout;
	struct rusage use;
	json_t *obj;

	getrusage(RUSAGE_SELF, &use);
	obj = json_pack("{sssssssIsIsIsfsfsf}", "mode", c->mode->name,
			"in", zio_method(c->in.ch),
			"out", zio_method(c->out[0].ch),
			"blocks", (json_int_t)c->blocks,
			"bytes", (json_int_t)c->bytes,
			"lost", (json_int_t)count_lost(c),
			"seconds", seconds,
			"user", seconds_of(&use.ru_utime),
			"system", seconds_of(&use.ru_stime));
	if (is_share(c))
		add_sharing(c, obj);
	if (!obj || json_dumpf(obj, out, JSON_COMPACT | JSON_REAL_PRECISION(9)))
		fprintf(stderr, "%s: cannot print JSON\n", prog);
	fputc('\n', out);
	json_decref(obj);
}

void print_tally(const struct copy *c)
{
	double seconds = now() - started;

	if (c->json)
		print_json(c, seconds);
	else
		print_text(c, seconds);
}
