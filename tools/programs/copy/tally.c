// SPDX-License-Identifier: GPL-2.0-only
/* Print totals, rate and losses at the end, and every second on a terminal */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/json.h"
#include "common/place.h"
#include "common/text.h"
#include "copy.h"

#define CLEAR_LINE "\r\033[K"

static double started;
static double printed;
static bool on_terminal;

void start_tally(struct copy *c)
{
	on_terminal = isatty(STDERR_FILENO) && !c->json;
	started = seconds_now();
	printed = started;
}

static struct zio_account sum_input(const struct copy *c)
{
	struct zio_account sum = { 0 };

	sum_accounts(c->timelines, &sum);
	return sum;
}

/* In MB/s, a slow copy would show a rate of 0.0. */
static void put_amount(char *text, size_t size, const struct copy *c,
		       double seconds)
{
	double rate = seconds > 0 ? (double)c->bytes / seconds : 0;
	bool slow = rate > 0 && rate < 1e5;

	put_text(text, size, "%" PRIu64 " blocks, %" PRIu64
		 " bytes, %.6f s, %.1f %cB/s", c->blocks, c->bytes, seconds,
		 rate / (slow ? 1e3 : 1e6), slow ? 'k' : 'M');
}

void print_progress(const struct copy *c)
{
	char text[128];
	uint64_t lost;
	double at;

	if (!on_terminal)
		return;
	at = seconds_now();
	if (at - printed < 1)
		return;
	printed = at;
	put_amount(text, sizeof(text), c, at - started);
	fprintf(stderr, CLEAR_LINE "%s", text);
	lost = sum_input(c).lost;
	if (lost)
		fprintf(stderr, ", %" PRIu64 " lost", lost);
	fflush(stderr);
}

/* Add up all outputs. */
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

static void print_sharing(const struct copy *c)
{
	struct zio_sharing sum = sum_sharing(c);
	char copied[256] = "";

	if (sum.copied)
		put_text(copied, sizeof(copied), "; %" PRIu64
			 " bytes copied: %s", sum.copied_bytes,
			 zio_share_reason(sum.why));
	complain("sharing asked for %" PRIu64 " times, done %" PRIu64 " times%s",
		 sum.shared + sum.copied, sum.shared, copied);
}

/* A tap passes over blocks on purpose. */
static void print_text(const struct copy *c, double seconds)
{
	struct zio_account sum = sum_input(c);
	char text[128];

	if (!strcmp(zio_method(c->in.ch), "tap"))
		sum.taken = 0;
	if (on_terminal)
		fputs(CLEAR_LINE, stderr);
	put_amount(text, sizeof(text), c, seconds);
	complain("%s", text);
	tell_sum(c->in.name, &sum, false);
	if (!c->verbose || !c->n_out)
		return;
	complain("mode %s: input by %s, output by %s", c->mode->name,
		 zio_method(c->in.ch), zio_method(c->out[0].ch));
	if (is_share(c))
		print_sharing(c);
}

static double seconds_of(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static json_t *new_sharing(const struct copy *c)
{
	struct zio_sharing sum = sum_sharing(c);
	json_t *obj = json_object();

	json_add_u64(obj, "asked", sum.shared + sum.copied);
	json_add_u64(obj, "shared", sum.shared);
	json_add_u64(obj, "copied", sum.copied);
	json_add_u64(obj, "copied_bytes", sum.copied_bytes);
	if (sum.why)
		json_add_string(obj, "why", zio_share_reason(sum.why));
	return obj;
}

bool has_data_on_stdout(const struct copy *c)
{
	int i;

	for (i = 0; i < c->n_out; i++)
		if (!strcmp(c->out[i].name, "-"))
			return true;
	return !c->n_out;
}

static void print_json(const struct copy *c, double seconds)
{
	FILE *out = has_data_on_stdout(c) ? stderr : stdout;
	json_t *obj = json_object();
	const struct zio_account sum = sum_input(c);
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	json_add_string(obj, "mode", c->mode->name);
	json_add_string(obj, "in", zio_method(c->in.ch));
	if (c->n_out)
		json_add_string(obj, "out", zio_method(c->out[0].ch));
	json_add_u64(obj, "blocks", c->blocks);
	json_add_u64(obj, "bytes", c->bytes);
	json_add_u64(obj, "lost", sum.lost);
	json_add_u64(obj, "taken", sum.taken);
	json_add_u64(obj, "missed", sum.missed);
	json_add(obj, "seconds", json_real(seconds));
	json_add(obj, "user", json_real(seconds_of(&use.ru_utime)));
	json_add(obj, "system", json_real(seconds_of(&use.ru_stime)));
	if (is_share(c))
		json_add(obj, "sharing", new_sharing(c));
	if (json_print(out, obj, JSON_REAL_PRECISION(9)))
		complain("cannot print JSON");
}

void print_tally(const struct copy *c)
{
	double seconds = seconds_now() - started;

	if (c->json)
		print_json(c, seconds);
	else
		print_text(c, seconds);
}
