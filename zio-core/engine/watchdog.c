// SPDX-License-Identifier: GPL-2.0-only
/*
 * watchdog.c: abort a set whose driver keeps its blocks for too long
 *
 * A set with a time-out has a delayed work, which runs once in a round. If the driver
 * has had the same blocks for a whole round, the work aborts the set. engine.c explains
 * the states, and the barriers C and F.
 */
#include <linux/jiffies.h>

#include "engine/internal.h"

/* Returns true if the driver has had the blocks for a whole round. */
static bool is_overdue(struct zio_cset_core *cset)
{
	return cset_phase(cset) == CSET_ARMED &&
		zio_stream_progress(cset) == cset->watched;
}

/*
 * FREEZE prevents arming. So the abort takes the blocks that is_overdue() has seen.
 * zio_cset_unfreeze() kicks the set, as the set may have refused other contexts
 * meanwhile.
 */
static void abort_overdue(struct zio_cset_core *cset)
{
	atomic_or(CSET_FREEZE, &cset->state);			/* F */
	smp_mb__after_atomic();					/* C */
	if (is_overdue(cset) && zio_cset_try_abort(cset, true)) {
		cset->io_errors++;
		WRITE_ONCE(cset->error, -ETIMEDOUT);
	}
	zio_cset_unfreeze(cset);
}

static void watch_cset(struct work_struct *work)
{
	struct zio_cset_core *cset = container_of(to_delayed_work(work),
					     struct zio_cset_core, watchdog);

	mutex_lock(&cset->mutex);
	if (cset->gone || !cset->timeout_ms)
		goto out;
	if (is_overdue(cset))
		abort_overdue(cset);
	cset->watched = zio_stream_progress(cset);
	schedule_delayed_work(&cset->watchdog,
			      msecs_to_jiffies(cset->timeout_ms));
out:
	mutex_unlock(&cset->mutex);
}

/**
 * zio_cset_set_timeout() - limit how long a driver may keep blocks
 * @cset: the channel set
 * @ms: milliseconds; 0: no limit
 *
 * The watchdog takes them back, as lost, after one to two times @ms.
 *
 * Context: Process. The caller holds cset->mutex.
 */
void zio_cset_set_timeout(struct zio_cset_core *cset, u32 ms)
{
	cset->timeout_ms = ms;
	cset->watched = zio_stream_progress(cset) - 1;
	mod_delayed_work(system_percpu_wq, &cset->watchdog, msecs_to_jiffies(ms));
}

void zio_watchdog_init(struct zio_cset_core *cset)
{
	INIT_DELAYED_WORK(&cset->watchdog, watch_cset);
}
