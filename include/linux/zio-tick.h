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
 * Returns the tick to serve after @tick. Its event cannot come before @ready, which is @now
 * or later. A tick that is late by less than @late is served; otherwise the next one after
 * @ready is. If the clock was set, the ticks follow the new time.
 */
static inline u64 zio_tick_next(u64 tick, u64 now, u64 ready, u64 phase, u64 period,
				u64 late)
{
	u64 next = tick + period;

	if (next + late > ready && next <= now + 2 * period)
		return next;
	return zio_tick_after(ready, phase, period);
}

/*
 * Returns the number of ticks between two measured ticks. The result is rounded, because the
 * times were measured with another clock than that of the ticks.
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
 * Returns the earliest time of the next event, so that events use at most half of the
 * processor. This event took from @begin to @end; @paid is the result of the previous call.
 */
static inline u64 zio_throttle_charge(u64 paid, u64 begin, u64 end)
{
	return max(paid, begin) + 2 * (end - begin);
}

#endif /* _LINUX_ZIO_TICK_H */
