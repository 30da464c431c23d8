// SPDX-License-Identifier: GPL-2.0-only
/*
 * freeze.c: make a channel set idle, and keep it idle
 *
 * A set is frozen while its configuration changes, and when its device goes. engine.c
 * explains the states and the barriers.
 */
#include "engine/block.h"
#include "engine/internal.h"

/**
 * zio_cset_lock() - lock the configuration of a set, for a user
 * @cset: the channel set
 *
 * Context: Process, sleeps; a fatal signal ends the sleep.
 *
 * Return: 0 with cset->mutex held; -EINTR; -ENODEV when the device is gone.
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

/*
 * Takes the armed blocks back, or finishes blocks with some of their shots. Returns false if
 * none are armed. FREEZE is set.
 */
bool zio_cset_try_abort(struct zio_cset_core *cset, bool lost)
{
	int old = atomic_read(&cset->state);
	int new;

	do {
		if ((old & CSET_PHASE) != CSET_ARMED && (old & CSET_PHASE) != CSET_BETWEEN)
			return false;
		new = (old & ~CSET_PHASE) | CSET_ABORTING;
	} while (!atomic_try_cmpxchg(&cset->state, &old, new));

	if ((old & CSET_PHASE) == CSET_BETWEEN) {
		zio_shots_end(cset);
		return true;
	}
	if (zio_cset_is_stream(cset))
		zio_stream_close(cset);
	cset->ops->stop_io(&cset->pub);
	if (zio_cset_is_stream(cset))
		zio_stream_drop(cset);
	else
		zio_blocks_drop(cset, lost);
	make_idle(cset);
	return true;
}

static bool is_settled(struct zio_cset_core *cset)
{
	int phase = cset_phase(cset);

	return phase == CSET_IDLE || phase == CSET_ARMED || phase == CSET_BETWEEN;
}

/* Returns true if the armed blocks wait for no event, so that an abort loses none. */
static bool is_armed_ahead(const struct zio_cset_core *cset)
{
	return !zio_cset_is_output(cset) && (cset->on_demand || cset->rearm);
}

/* Waits until no input takes blocks of the set's outputs: see share/route.c. */
static void wait_for_routes(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++) {
		if (!rcu_access_pointer(cset->chan[i]->route))
			continue;
		synchronize_rcu();				/* Y */
		return;
	}
}

/**
 * zio_cset_freeze() - make a set idle, and keep it idle
 * @cset: the channel set
 *
 * Aborts what is armed. zio_cset_unfreeze() follows. Does not nest.
 *
 * Context: Process, sleeps. The caller holds cset->mutex.
 */
void zio_cset_freeze(struct zio_cset_core *cset)
{
	atomic_or(CSET_FREEZE, &cset->state);			/* F */
	smp_mb__after_atomic();					/* C */
	wait_for_routes(cset);
	do {
		wait_event(cset->idle_wq, is_settled(cset));
	} while (cset_phase(cset) != CSET_IDLE &&
		 !zio_cset_try_abort(cset, !is_armed_ahead(cset)));
}

/**
 * zio_cset_quiesce() - keep a set from being armed, without an abort
 * @cset: the channel set
 *
 * As zio_cset_freeze(), but the driver keeps its blocks, and may finish them.
 *
 * Context: Process, sleeps. The caller holds cset->mutex.
 */
void zio_cset_quiesce(struct zio_cset_core *cset)
{
	atomic_or(CSET_FREEZE, &cset->state);			/* F */
	smp_mb__after_atomic();					/* C */
	wait_event(cset->idle_wq, is_settled(cset));
}

/*
 * Enters ARMING: if the driver is done meanwhile, it sets EARLY. The exchange orders
 * what the owner does next (C).
 */
static bool try_own(struct zio_cset_core *cset, bool *armed)
{
	int old = atomic_read(&cset->state);
	int phase;

	do {
		phase = old & CSET_PHASE;
		if (phase != CSET_IDLE && phase != CSET_ARMED)
			return false;
	} while (!atomic_try_cmpxchg(&cset->state, &old,
				     (old & ~CSET_PHASE) | CSET_ARMING));
	*armed = phase == CSET_ARMED;
	return true;
}

/**
 * zio_cset_own_phase() - own the phase of a set for a moment, without an abort
 * @cset: the channel set
 *
 * The driver keeps its blocks. If it is done meanwhile, zio_cset_disown_phase() finishes
 * them. The set loses an event that comes meanwhile, so the caller must be quick. The set
 * is no stream. A block that collects shots ends with those that it has.
 *
 * Context: Process, sleeps until raw_io() has returned. The caller holds cset->mutex.
 *
 * Return: true if the driver has blocks; for zio_cset_disown_phase().
 */
bool zio_cset_own_phase(struct zio_cset_core *cset)
{
	bool armed;

	if (zio_cset_collects_shots(cset)) {
		zio_cset_freeze(cset);
		return false;
	}
	if (try_own(cset, &armed))
		return armed;
	atomic_or(CSET_FREEZE, &cset->state);			/* F */
	do {
		wait_event(cset->idle_wq, is_settled(cset));
	} while (!try_own(cset, &armed));
	atomic_andnot(CSET_FREEZE, &cset->state);
	return armed;
}

/**
 * zio_cset_disown_phase() - leave the phase that zio_cset_own_phase() has entered
 * @cset: the channel set
 * @armed: what zio_cset_own_phase() returned
 *
 * Wakes all users of the set.
 *
 * Context: Process.
 */
void zio_cset_disown_phase(struct zio_cset_core *cset, bool armed)
{
	if (zio_cset_collects_shots(cset)) {
		zio_cset_unfreeze(cset);
		return;
	}
	if (armed)
		zio_cset_leave_armed(cset);
	else
		make_idle(cset);
	zio_cset_wake(cset);
	zio_cset_kick(cset);
}

/**
 * zio_cset_is_frozen() - check whether the configuration of a set may change
 * @cset: the channel set
 *
 * Context: Any.
 *
 * Return: true if it may, so that the caller must not read it.
 */
bool zio_cset_is_frozen(const struct zio_cset_core *cset)
{
	int state = atomic_read_acquire(&cset->state);		/* Y */

	return state & (CSET_FREEZE | CSET_GONE);
}

/**
 * zio_cset_unfreeze() - let a set be armed again
 * @cset: the channel set, frozen or quiesced
 *
 * Wakes all users of the set.
 *
 * Context: Process.
 */
void zio_cset_unfreeze(struct zio_cset_core *cset)
{
	smp_mb__before_atomic();				/* C */
	atomic_andnot(CSET_FREEZE, &cset->state);
	zio_cset_wake(cset);
	zio_cset_kick(cset);
}

/**
 * zio_cset_stop() - let a set refuse events, or accept them again
 * @cset: the channel set, frozen
 * @stop: true to refuse events
 *
 * Context: Process.
 */
void zio_cset_stop(struct zio_cset_core *cset, bool stop)
{
	if (stop)
		atomic_or(CSET_STOP, &cset->state);
	else
		atomic_andnot(CSET_STOP, &cset->state);
}

/**
 * zio_cset_kill() - mark a set as gone
 * @cset: the channel set
 *
 * The set is never armed again.
 *
 * Context: Process. The caller holds cset->mutex.
 */
void zio_cset_kill(struct zio_cset_core *cset)
{
	atomic_or(CSET_GONE, &cset->state);
	zio_cset_freeze(cset);
	WRITE_ONCE(cset->gone, true);
	atomic_andnot(CSET_FREEZE, &cset->state);
	zio_cset_wake(cset);
}

bool zio_cset_is_on(struct zio_cset_core *cset)
{
	return !(atomic_read(&cset->state) & (CSET_STOP | CSET_GONE));
}
