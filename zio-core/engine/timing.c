// SPDX-License-Identifier: GPL-2.0-only
/*
 * timing.c: when the samples of a set are taken
 *
 * The snapshots of the channels have the timing: see control.c. So a block costs no instruction
 * for it.
 */
#include <linux/export.h>
#include <linux/gcd.h>
#include <linux/math64.h>
#include <linux/overflow.h>

#include "engine/internal.h"

/* A stamp that may be wrong by more tells nothing. */
#define TIMING_MAX_ERROR	NSEC_PER_SEC
#define TIMING_MAX_FIRST	(3600LL * 1000 * NSEC_PER_SEC)	/* an hour, in ps */

/* Brings a fraction to its lowest terms. Context: Any. */
void zio_rate_reduce(u32 *num, u32 *den)
{
	u32 common = gcd(*num, *den) ?: 1;

	*num /= common;
	*den /= common;
}

static u64 timing_convergent(u64 whole, u64 last, u64 before)
{
	u64 next;

	if (check_mul_overflow(whole, last, &next) || check_add_overflow(next, before, &next))
		return U64_MAX;
	return next;
}

/**
 * zio_timing_set_rate() - tell a rate that is a quotient of any numbers
 * @timing: receives the best fraction of two u32. A rate that has none is not known
 * @num: samples of one channel, or a multiple
 * @den: seconds, or the same multiple
 *
 * Context: Any.
 */
void zio_timing_set_rate(struct zio_timing *timing, u64 num, u64 den)
{
	u64 n[3] = { 0, 1 }, d[3] = { 1, 0 }, whole, rest;

	/* Convergents of the continued fraction, the best one comes last. */
	while (den) {
		whole = div64_u64_rem(num, den, &rest);
		n[2] = timing_convergent(whole, n[1], n[0]);
		d[2] = timing_convergent(whole, d[1], d[0]);
		if (n[2] > U32_MAX || d[2] > U32_MAX)
			break;
		n[0] = n[1];
		n[1] = n[2];
		d[0] = d[1];
		d[1] = d[2];
		num = den;
		den = rest;
	}
	timing->rate_num = d[1] ? n[1] : 0;
	timing->rate_den = timing->rate_num ? d[1] : 0;
}
EXPORT_SYMBOL_GPL(zio_timing_set_rate);

/**
 * zio_rate_to_ns() - compute how long a board takes for samples
 * @samples: of one channel
 * @num: samples per second are @num / @den; neither is 0
 * @den: see @num
 *
 * Context: Any.
 *
 * Return: nanoseconds, rounded; U32_MAX for more than a second.
 */
u32 zio_rate_to_ns(u32 samples, u32 num, u32 den)
{
	u64 time = (u64)samples * den;

	return time > num ? U32_MAX : div_u64(time * NSEC_PER_SEC + num / 2, num);
}
EXPORT_SYMBOL_GPL(zio_rate_to_ns);

static bool timing_is_valid(const struct zio_timing *timing)
{
	return !timing->rate_num == !timing->rate_den && timing->error_ns <= TIMING_MAX_ERROR &&
		timing->first_ps <= TIMING_MAX_FIRST && timing->first_ps >= -TIMING_MAX_FIRST;
}

/*
 * Asks when the samples of a set are taken. cset->timing has what the driver says, with a rate in
 * its lowest terms. A rate that the driver leaves alone is what a user has told, or 0. Context:
 * Process. The caller holds cset->mutex.
 */
void zio_cset_ask_timing(struct zio_cset_core *cset)
{
	struct zio_timing timing = { .rate_num = cset->rate_num, .rate_den = cset->rate_den };

	if (cset->ops->get_timing)
		cset->ops->get_timing(&cset->pub, &timing);
	if (WARN_ON_ONCE(!timing_is_valid(&timing)))
		timing = (struct zio_timing){ 0 };
	zio_rate_reduce(&timing.rate_num, &timing.rate_den);
	cset->timing = timing;
}
