// SPDX-License-Identifier: GPL-2.0-only
/*
 * watchdog.c: what a driver keeps for too long is taken back
 *
 * A set with a time-out has a delayed work, which looks at it once in a round. If the
 * same arm is still under way after a whole round, it is aborted: see engine.c
 * for the states, and for the barrier F.
 */
#include <linux/jiffies.h>

#include "engine/internal.h"

/* The driver has had the blocks for a whole round of the watchdog. */
static bool is_overdue(struct zio_cset_core *cset)
{
	return cset_phase(cset) == CSET_ARMED &&
		READ_ONCE(cset->fired) == cset->watched;
}

/*
 * FREEZE keeps the set from being armed once more: so what is aborted is what was
 * seen. Whoever was refused meanwhile is served by the release.
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
	cset->watched = READ_ONCE(cset->fired);
	schedule_delayed_work(&cset->watchdog,
			      msecs_to_jiffies(cset->timeout_ms));
out:
	mutex_unlock(&cset->mutex);
}

/**
 * zio_cset_set_timeout() - how long a driver may have blocks
 * @cset: the channel set, whose mutex is held
 * @ms: milliseconds; 0 stands for any time
 *
 * After one to two times as long they are taken back, as lost.
 */
void zio_cset_set_timeout(struct zio_cset_core *cset, u32 ms)
{
	cset->timeout_ms = ms;
	cset->watched = READ_ONCE(cset->fired) - 1;
	mod_delayed_work(system_wq, &cset->watchdog, msecs_to_jiffies(ms));
}

void zio_watchdog_init(struct zio_cset_core *cset)
{
	INIT_DELAYED_WORK(&cset->watchdog, watch_cset);
}
