/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-delays.h: random delays at the lettered barriers, for a debug build of the modules
 *
 * zio_testing/delays.py puts a call of zio_delay() beside each barrier. Most calls return
 * at once. Some wait, so that another processor passes this one between the two sides of
 * a barrier. Where it may, a few sleep for a tick, as a preempted context does.
 */
#ifndef _ZIO_DELAYS_H
#define _ZIO_DELAYS_H

#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timex.h>

static inline bool zio_delay_can_sleep(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_COUNT) && preemptible() &&
		!rcu_preempt_depth() && READ_ONCE(current->__state) == TASK_RUNNING;
}

static noinline __maybe_unused void zio_delay(void)
{
	unsigned int dice = hash_64(get_cycles() + _RET_IP_, 10);

	if (dice < 32)
		udelay(dice);
	else if (dice == 32)
		udelay(500);
	else if (dice == 33 && zio_delay_can_sleep())
		schedule_timeout_uninterruptible(1);
}

#endif /* _ZIO_DELAYS_H */
