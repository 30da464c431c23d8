/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-tick.h: where the ticks of a periodic trigger are
 *
 * At phase + n * period, n = 0, 1, 2, ..., in whatever units the trigger has.
 */
#ifndef _LINUX_ZIO_TICK_H
#define _LINUX_ZIO_TICK_H

#include <linux/math64.h>
#include <linux/minmax.h>

/* The first tick after @now; @period is not zero. */
static inline u64 zio_tick_after(u64 now, u64 phase, u64 period)
{
	if (now < phase)
		return phase;
	return phase + (div64_u64(now - phase, period) + 1) * period;
}

/*
 * How many ticks lie between two of them; what is measured is rounded, as it is
 * by another clock than that of the ticks.
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
 * When an event that took from @begin to @end is paid for, if others are to have as
 * much of the processor as all events together; those before are, at @paid.
 */
static inline u64 zio_throttle_charge(u64 paid, u64 begin, u64 end)
{
	return max(paid, begin) + 2 * (end - begin);
}

#endif /* _LINUX_ZIO_TICK_H */
