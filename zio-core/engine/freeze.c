// SPDX-License-Identifier: GPL-2.0-only
/*
 * freeze.c: a channel set made idle, and kept so
 *
 * So that its configuration can change, and when its board goes; the states are
 * explained in engine.c.
 */
#include "engine/block.h"
#include "engine/internal.h"

/* What is armed is taken back; false if nothing is. FREEZE is set. */
bool zio_cset_try_abort(struct zio_cset_core *cset, bool lost)
{
	int old = atomic_read(&cset->state);
	int new;

	do {
		if ((old & CSET_PHASE) != CSET_ARMED)
			return false;
		new = (old & ~CSET_PHASE) | CSET_ABORTING;
	} while (!atomic_try_cmpxchg(&cset->state, &old, new));

	cset->ops->stop_io(&cset->pub);
	zio_blocks_drop(cset, lost);
	make_idle(cset);
	return true;
}

static bool is_settled(struct zio_cset_core *cset)
{
	int phase = cset_phase(cset);

	return phase == CSET_IDLE || phase == CSET_ARMED;
}

/* Blocks that no event has filled are not lost when they are taken back. */
static bool is_asked_for(const struct zio_cset_core *cset)
{
	return !zio_cset_is_output(cset) && (cset->on_demand || cset->rearm);
}

/* After this, no input takes blocks of the set's outputs: see share/route.c. */
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
 * zio_cset_freeze() - make a set idle, and keep it so
 * @cset: the channel set, whose mutex is held
 *
 * Process context, sleeps. Aborts what is armed. Pairs with
 * zio_cset_unfreeze(); does not nest.
 */
void zio_cset_freeze(struct zio_cset_core *cset)
{
	atomic_or(CSET_FREEZE, &cset->state);			/* F */
	smp_mb__after_atomic();					/* C */
	wait_for_routes(cset);
	do {
		wait_event(cset->idle_wq, is_settled(cset));
	} while (cset_phase(cset) != CSET_IDLE &&
		 !zio_cset_try_abort(cset, !is_asked_for(cset)));
}

/**
 * zio_cset_quiesce() - keep a set from being armed
 * @cset: the channel set, whose mutex is held
 *
 * Process context, sleeps. As zio_cset_freeze(), but what is armed stays so, and may be
 * done.
 */
void zio_cset_quiesce(struct zio_cset_core *cset)
{
	atomic_or(CSET_FREEZE, &cset->state);			/* F */
	smp_mb__after_atomic();					/* C */
	wait_event(cset->idle_wq, is_settled(cset));
}

/*
 * ARMING stands for any owner that is not the driver; see EARLY in engine.c. The
 * exchange orders what the owner does next (C).
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
 * @cset: the channel set, whose mutex is held
 *
 * What is armed stays with the driver. If the driver is done meanwhile, the blocks
 * are finished by zio_cset_disown_phase(). An event that comes meanwhile is lost, as
 * it is for any set that is busy: the caller is quick.
 *
 * Context: Process, sleeps until raw_io() has returned.
 *
 * Return: whether the driver has blocks; for zio_cset_disown_phase().
 */
bool zio_cset_own_phase(struct zio_cset_core *cset)
{
	bool armed;

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
 * zio_cset_disown_phase() - let the driver, or the next event, have the set again
 * @cset: the channel set
 * @armed: what zio_cset_own_phase() returned
 *
 * Context: Process. Users of the set look again.
 */
void zio_cset_disown_phase(struct zio_cset_core *cset, bool armed)
{
	if (armed)
		zio_cset_leave_armed(cset);
	else
		make_idle(cset);
	zio_cset_wake(cset);
	zio_cset_kick(cset);
}

/* Is what the fast path reads about the configuration about to change, or gone? */
bool zio_cset_is_frozen(const struct zio_cset_core *cset)
{
	int state = atomic_read_acquire(&cset->state);		/* Y */

	return state & (CSET_FREEZE | CSET_GONE);
}

/**
 * zio_cset_unfreeze() - let a set go on
 * @cset: the channel set, held or paused
 */
void zio_cset_unfreeze(struct zio_cset_core *cset)
{
	smp_mb__before_atomic();				/* C */
	atomic_andnot(CSET_FREEZE, &cset->state);
	zio_cset_wake(cset);
	zio_cset_kick(cset);
}

/* Refuses events, or takes them again; the set is held. */
void zio_cset_stop(struct zio_cset_core *cset, bool stop)
{
	if (stop)
		atomic_or(CSET_STOP, &cset->state);
	else
		atomic_andnot(CSET_STOP, &cset->state);
}

/* The board goes: nothing is armed any more, ever. The mutex is held. */
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
