/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-pace.h: the times of a stream's samples, from the time stamps of interrupts
 *
 * For a board that counts its samples and raises an interrupt at some of them:
 *
 *	zio_pace_start(&pace, 48000, 1);
 *	...
 *	if (zio_pace_put(&pace, n_samples, ktime_get_ns()))	in each interrupt
 *		zio_cset_timing_changed(cset);
 *	zio_cset_stamp_at(cset, block, zio_pace_time(&pace, first_sample));
 *	...
 *	timing->error_ns = zio_pace_error(&pace);		in get_timing()
 *
 * The caller holds a lock in all calls except zio_pace_error().
 */
#ifndef _LINUX_ZIO_PACE_H
#define _LINUX_ZIO_PACE_H

#include <linux/types.h>

#define ZIO_PACE_CORNERS	32

/**
 * struct zio_pace_stamp - a stamp of an interrupt
 * @sample: the board had taken at least so many samples: the number of the next one
 * @at: in ns, of any clock
 * @number: of the stamp
 */
struct zio_pace_stamp {
	u64 sample;
	s64 at;
	u32 number;
};

/**
 * struct zio_pace - the pace of a stream; only engine/pace.c uses the members
 * @num: nominal samples per second are @num / @den
 * @den: see @num
 * @n: stamps since the start
 * @n_late: number of consecutive stamps far behind the line
 * @delay: mean delay of a stamp behind the line, in ns
 * @error: the error that is reported, in ns; 0: unknown
 * @furthest: largest distance of two stamps, in samples
 * @n_corners: corners of the hull, the oldest one comes first
 * @corner: see @n_corners
 * @from: a stamp on the line
 * @rise: the line is @rise ns later than the nominal rate says, @run samples behind @from
 * @run: see @rise
 */
struct zio_pace {
	u32 num;
	u32 den;
	u32 n;
	u32 n_late;
	s64 delay;
	u32 error;
	u64 furthest;
	unsigned int n_corners;
	struct zio_pace_stamp corner[ZIO_PACE_CORNERS];
	struct zio_pace_stamp from;
	s64 rise;
	u64 run;
};

void zio_pace_start(struct zio_pace *pace, u32 num, u32 den);
bool zio_pace_put(struct zio_pace *pace, u64 sample, s64 at);
s64 zio_pace_time(const struct zio_pace *pace, u64 sample);
bool zio_pace_rate(const struct zio_pace *pace, u64 *samples, u64 *ns);

/* Returns the largest error of zio_pace_time(), in ns; 0: unknown. Context: Any. */
static inline u32 zio_pace_error(const struct zio_pace *pace)
{
	return READ_ONCE(pace->error);
}

#endif /* _LINUX_ZIO_PACE_H */
