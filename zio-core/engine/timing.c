// SPDX-License-Identifier: GPL-2.0-only
/*
 * timing.c: when the samples of a set are taken
 *
 * The snapshots of the channels have the timing: see control.c. So a block costs no instruction
 * for it.
 */
#include <linux/export.h>
#include <linux/gcd.h>
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

/**
 * zio_timing_set_rate() - tell the rate of a board that counts time in nanoseconds
 * @timing: receives the rate; that of more than 2^32 Hz is not known
 * @samples: of one channel, that the board takes
 * @ns: in so many nanoseconds
 *
 * Context: Any.
 */
void zio_timing_set_rate(struct zio_timing *timing, u32 samples, u32 ns)
{
	u32 num = NSEC_PER_SEC, den = ns;

	zio_rate_reduce(&num, &den);
	zio_rate_reduce(&samples, &den);
	if (!ns || check_mul_overflow(num, samples, &num))
		num = 0;
	timing->rate_num = num;
	timing->rate_den = num ? den : 0;
}
EXPORT_SYMBOL_GPL(zio_timing_set_rate);

static bool timing_is_valid(const struct zio_timing *timing)
{
	return !timing->rate_num == !timing->rate_den && timing->error_ns <= TIMING_MAX_ERROR &&
		timing->first_ps <= TIMING_MAX_FIRST && timing->first_ps >= -TIMING_MAX_FIRST;
}

/**
 * zio_cset_timing() - ask when the samples of a set are taken
 * @cset: the channel set
 *
 * Context: Process. The caller holds cset->mutex, or the set is not yet visible.
 *
 * Return: what the driver says, with a rate in its lowest terms; or the rate that a user has
 * told; or zeros.
 */
struct zio_timing zio_cset_timing(const struct zio_cset_core *cset)
{
	struct zio_timing timing = { .rate_num = cset->rate_num, .rate_den = cset->rate_den };

	if (cset->ops->get_timing)
		cset->ops->get_timing(&cset->pub, &timing);
	if (WARN_ON_ONCE(!timing_is_valid(&timing)))
		return (struct zio_timing){ 0 };
	zio_rate_reduce(&timing.rate_num, &timing.rate_den);
	return timing;
}
