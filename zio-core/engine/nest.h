/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nest.h: limit the depth of sets whose end arms the next set
 *
 * Such calls nest on the stack of the first one. A counter on each processor limits
 * the depth. The counted calls take spinlocks. Under PREEMPT_RT these sleep, so
 * preemption stays on there, and two tasks on one processor may count together. Then
 * a chain may end too early, but none is endless.
 */
#ifndef _ZIO_NEST_H
#define _ZIO_NEST_H

#include <linux/percpu.h>
#include <linux/preempt.h>

/* Returns true if the caller may go deeper. zio_nest_leave() follows in any case. */
static inline bool zio_nest_enter(unsigned int __percpu *depth, unsigned int most)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		migrate_disable();
	else
		preempt_disable();
	return this_cpu_inc_return(*depth) <= most;
}

static inline void zio_nest_leave(unsigned int __percpu *depth)
{
	this_cpu_dec(*depth);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		migrate_enable();
	else
		preempt_enable();
}

#endif /* _ZIO_NEST_H */
