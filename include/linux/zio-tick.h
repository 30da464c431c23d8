/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-tick.h: the ticks of a periodic trigger
 *
 * A tick is at phase + n * period, n = 0, 1, 2, ... The trigger chooses the unit.
 */
#ifndef _LINUX_ZIO_TICK_H
#define _LINUX_ZIO_TICK_H

#include <linux/math64.h>
#include <linux/minmax.h>

/* Returns the first tick after @now; @period is not zero. */
static inline u64 zio_tick_after(u64 now, u64 phase, u64 period)
{
	if (now < phase)
		return phase;
	return phase + (div64_u64(now - phase, period) + 1) * period;
}

/*
 * Returns the number of ticks between two measured ticks. The measurement is rounded:
 * its clock is not the clock of the ticks.
 */
static inline u64 zio_ticks_between(u64 first, u64 next, u64 period)
{
	u64 n;

	if (next <= first)
		return 0;
	n = div64_u64(next - first + period / 2, period);
	return n ? n - 1 : 0;
}

/*
 * Returns the time at which the next event may come, so that events take at most half
 * of the processor. This event took from @begin to @end; @paid is the result for the
 * event before.
 */
static inline u64 zio_throttle_charge(u64 paid, u64 begin, u64 end)
{
	return max(paid, begin) + 2 * (end - begin);
}

#endif /* _LINUX_ZIO_TICK_H */
