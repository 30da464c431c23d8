/* SPDX-License-Identifier: GPL-2.0-only */
/* baretimer.h: what a program writes to /dev/zio-baretimer; it reads __u64 stamps */
#ifndef BARETIMER_H
#define BARETIMER_H

#include <linux/types.h>

/**
 * struct baretimer_request - start the timer
 * @first: time of the first tick in ns of CLOCK_REALTIME
 * @period: ns between two ticks
 * @count: number of stamps
 */
struct baretimer_request {
	__u64 first;
	__u64 period;
	__u64 count;
};

#endif /* BARETIMER_H */
