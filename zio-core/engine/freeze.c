// SPDX-License-Identifier: GPL-2.0-only
/*
 * freeze.c: make a channel set idle, and keep it idle
 *
 * A set is frozen while its configuration changes, and when its device goes. The watchdog
 * of a set with a time-out is a delayed work, which runs once in a round. If the driver has
 * had the same blocks for a whole round, the work aborts them. engine.c explains the states
 * and the barriers.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>

#include "engine/block.h"
#include "engine/internal.h"

/*
 * Takes cset->mutex for a user. Returns 0; -EINTR after a fatal signal; -ENODEV when the device is
 * gone.
 */
int zio_cset_lock(struct zio_cset_core *cset)
{
	if (mutex_lock_killable(&cset->mutex))
		return -EINTR;
	if (!cset->gone)
		return 0;
	mutex_unlock(&cset->mutex);
	return -ENODEV;
}

/* Takes the armed blocks back. Returns false if none is armed. FREEZE is set. */
static bool freeze_try_abort(struct zio_cset_core *cset, bool lost)
{
	if (!cset_move(cset, CSET_ARMED, CSET_ABORTING))
		return false;
	if (cset->model->close)
		cset->model->close(cset);
	cset->ops->stop_io(&cset->pub);
	cset->model->drop(cset, lost, 0);
	make_idle(cset);
	return true;
}

static bool freeze_is_settled(struct zio_cset_core *cset)
{
	int phase = cset_phase(cset);

	return phase == CSET_IDLE || phase == CSET_ARMED;
}

/* Waits until no input takes blocks of the set's outputs: see share/route.c. */
static void freeze_wait_for_routes(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++) {
		if (!rcu_access_pointer(cset->chan[i]->route))
			continue;
		synchronize_rcu();				/* E */
		return;
	}
}

/*
 * For lockdep: held from freeze_begin() until the set is thawed or its phase left. Lockdep finds
 * code that locks a channel or allocates for a user meanwhile at its first call.
 */
#ifdef CONFIG_LOCKDEP
static struct lockdep_map zio_phase_map = STATIC_LOCKDEP_MAP_INIT("zio_phase", &zio_phase_map);

static void freeze_map_acquire(struct zio_cset_core *cset)
{
	lock_acquire_exclusive(&zio_phase_map, 0, 0, &cset->mutex.dep_map, _THIS_IP_);
}

static void freeze_map_release(void)
{
	lock_release(&zio_phase_map, _THIS_IP_);
}

/*
 * Warns if the caller has frozen a set or owns a phase. Called before what may take long, because
 * the set would lose events meanwhile.
 */
void zio_assert_no_phase(void)
{
	lockdep_assert(!lock_is_held(&zio_phase_map));
}
#else
static void freeze_map_acquire(struct zio_cset_core *cset)
{
}

static void freeze_map_release(void)
{
}
#endif

static void freeze_begin(struct zio_cset_core *cset)
{
	freeze_map_acquire(cset);
	atomic_or(CSET_FREEZE, &cset->state);			/* C */
	smp_mb__after_atomic();					/* C */
}

/*
 * As zio_cset_freeze(), but without an abort: the driver keeps its blocks, and may finish them.
 * Sleeps.
 */
void zio_cset_quiesce(struct zio_cset_core *cset)
{
	freeze_begin(cset);
	wait_event(cset->idle_wq, freeze_is_settled(cset));
}

/*
 * Aborts what is armed, and keeps the set idle until zio_cset_unfreeze(). Does not nest. Sleeps;
 * the caller holds cset->mutex.
 */
void zio_cset_freeze(struct zio_cset_core *cset)
{
	freeze_begin(cset);
	freeze_wait_for_routes(cset);
	do {
		wait_event(cset->idle_wq, freeze_is_settled(cset));
	} while (cset_phase(cset) != CSET_IDLE &&
		 !freeze_try_abort(cset, !cset->is_armed_ahead));
}

/*
 * Locks all channels of a set. A user may hold such a lock for long, so take them before freezing
 * the set or owning its phase. Sleeps; the caller holds cset->mutex.
 */
void zio_cset_lock_channels(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++)
		mutex_lock_nest_lock(&cset->chan[i]->lock, &cset->mutex);
}

void zio_cset_unlock_channels(struct zio_cset_core *cset)
{
	unsigned int i = cset->n_chan;

	while (i--)
		mutex_unlock(&cset->chan[i]->lock);
}

/*
 * Owns the phase of a set for a moment. The driver keeps its blocks; if it is done meanwhile,
 * zio_cset_disown_phase() finishes them. It also fires an event that comes meanwhile, late but with
 * its own time; the set loses further ones. So exchange pointers only, and wait for nothing.
 *
 * Sleeps until raw_io() has returned. The set is no stream. The caller holds cset->mutex, and has
 * locked the channels that it changes. Returns true if the driver has blocks.
 */
bool zio_cset_own_phase(struct zio_cset_core *cset)
{
	bool armed = false;

	WRITE_ONCE(cset->is_held, true);
	freeze_begin(cset);
	wait_event(cset->idle_wq, cset_move(cset, CSET_IDLE, CSET_ARMING) ||
		   (armed = cset_move(cset, CSET_ARMED, CSET_ARMING)));
	if (armed) /* An event would find the driver busy. */
		WRITE_ONCE(cset->is_held, false);
	atomic_andnot(CSET_FREEZE, &cset->state);
	return armed;
}

/*
 * Leaves the phase that zio_cset_own_phase() has entered and returned @armed for. Fires the event
 * that has come meanwhile, and wakes all users of the set.
 */
void zio_cset_disown_phase(struct zio_cset_core *cset, bool armed)
{
	freeze_map_release();
	zio_cset_end_hold(cset, armed);
	zio_cset_wake(cset);
	zio_cset_kick(cset);
}

/* Returns true if the configuration may be changing, so that the caller must not read it. */
bool zio_cset_is_frozen(const struct zio_cset_core *cset)
{
	int state = atomic_read_acquire(&cset->state);		/* E */

	return state & (CSET_FREEZE | CSET_GONE);
}

/* Lets a frozen or quiesced set be armed again, and wakes all its users. */
void zio_cset_unfreeze(struct zio_cset_core *cset)
{
	smp_mb__before_atomic();				/* C */
	atomic_andnot(CSET_FREEZE, &cset->state);
	freeze_map_release();
	zio_cset_wake(cset);
	zio_cset_kick(cset);
}

/* Lets a frozen set refuse events, or accept them again. */
void zio_cset_stop(struct zio_cset_core *cset, bool stop)
{
	if (stop)
		atomic_or(CSET_STOP, &cset->state);
	else
		atomic_andnot(CSET_STOP, &cset->state);
}

/* Returns true if a set is enabled and its board is there, even while it is frozen. */
bool zio_cset_takes_events(const struct zio_cset_core *cset)
{
	return !(atomic_read(&cset->state) & (CSET_STOP | CSET_GONE));
}

/*
 * Returns true if a set misses what comes while the machine sleeps: it is armed, or its events come
 * by themselves. Any other set waits for a program.
 */
bool zio_cset_is_in_use(const struct zio_cset_core *cset)
{
	if (atomic_read(&cset->state) & CSET_PHASE)
		return true;
	return zio_cset_takes_events(cset) && !READ_ONCE(cset->on_demand);
}

/* Marks a set as gone: it is never armed again. The caller holds cset->mutex. */
void zio_cset_kill(struct zio_cset_core *cset)
{
	atomic_or(CSET_GONE, &cset->state);
	zio_cset_freeze(cset);
	WRITE_ONCE(cset->gone, true);
	atomic_andnot(CSET_FREEZE, &cset->state);
	freeze_map_release();
	zio_cset_wake(cset);
}

/* Returns true if the driver has had the blocks for a whole round. */
static bool freeze_is_overdue(struct zio_cset_core *cset)
{
	const struct zio_cset_model *model = cset->model;

	return cset_phase(cset) == CSET_ARMED && model->progress(cset) == cset->watched &&
		!(model->is_idle && model->is_idle(cset));
}

/*
 * The work of the watchdog. FREEZE prevents arming, so the abort takes exactly the blocks that
 * freeze_is_overdue() has seen. The set may have refused other contexts meanwhile:
 * zio_cset_unfreeze() kicks it.
 */
static void freeze_watch(struct work_struct *work)
{
	struct zio_cset_core *cset = container_of(to_delayed_work(work),
					     struct zio_cset_core, watchdog);

	mutex_lock(&cset->mutex);
	if (cset->gone || !cset->timeout_ms)
		goto out;
	if (freeze_is_overdue(cset)) {
		freeze_begin(cset);
		if (freeze_is_overdue(cset) && freeze_try_abort(cset, true)) {
			cset->io_errors++;
			WRITE_ONCE(cset->error, -ETIMEDOUT);
		}
		zio_cset_unfreeze(cset);
	}
	cset->watched = cset->model->progress(cset);
	schedule_delayed_work(&cset->watchdog,
			      msecs_to_jiffies(cset->timeout_ms));
out:
	mutex_unlock(&cset->mutex);
}

void zio_cset_init_watchdog(struct zio_cset_core *cset)
{
	INIT_DELAYED_WORK(&cset->watchdog, freeze_watch);
}

/*
 * Limits how long a driver may keep blocks; 0 is no limit. The watchdog takes them back, as lost,
 * after one to two times @ms. The caller holds cset->mutex.
 */
void zio_cset_set_timeout(struct zio_cset_core *cset, u32 ms)
{
	cset->timeout_ms = ms;
	cset->watched = cset->model->progress(cset) - 1;
	mod_delayed_work(system_percpu_wq, &cset->watchdog, msecs_to_jiffies(ms));
}
