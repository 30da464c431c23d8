/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-compat.h: differences between kernels from 6.1 on, for drivers and triggers */
#ifndef _LINUX_ZIO_COMPAT_H
#define _LINUX_ZIO_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

static inline void
zio_hrtimer_setup(struct hrtimer *timer,
		  enum hrtimer_restart (*function)(struct hrtimer *timer),
		  clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#else
	hrtimer_setup(timer, function, clock, mode);
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_percpu_wq	system_wq
#define system_dfl_wq		system_unbound_wq
#endif

#endif /* _LINUX_ZIO_COMPAT_H */
