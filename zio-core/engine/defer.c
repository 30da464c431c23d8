// SPDX-License-Identifier: GPL-2.0-only
/*
 * defer.c: what a hard interrupt handler passes on under PREEMPT_RT
 *
 * Spinlocks sleep under PREEMPT_RT, and those of wait queues are spinlocks. A handler in
 * hard interrupt context, as that of the trigger "hrt", must not take them. So the
 * engine wakes no user there, calls no notifier, and starts only sets whose drivers
 * allow it (ZIO_CSET_HARDIRQ). It notes what is to do in cset->deferred, and a thread of
 * irq_work goes on. Elsewhere zio_must_defer() is false, and the compiler removes all of
 * this.
 */
#include <linux/irq_work.h>

#include "engine/internal.h"

/*
 * Leaves @what, one of ZIO_DEFERRED_*, to a thread. Work that is queued already takes the note, or
 * runs again after it: irq_work_queue() is a full barrier, and engine_run_deferred() takes all
 * notes at once. Called where zio_must_defer() is true.
 */
void zio_cset_defer(struct zio_cset_core *cset, int what)
{
	if (what == ZIO_DEFERRED_NOTIFY)
		atomic_add(what, &cset->deferred);
	else
		atomic_or(what, &cset->deferred);
	irq_work_queue(&cset->defer_work);
}

/* Waits for what was deferred. The set is gone, and a grace period has passed since. */
void zio_cset_end_defer(struct zio_cset_core *cset)
{
	irq_work_sync(&cset->defer_work);
}
