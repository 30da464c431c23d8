// SPDX-License-Identifier: GPL-2.0-only
/*
 * notify.c: tell others what happens to a set: wake its users, call its notifiers, and
 * count the events that it loses
 *
 * The engine calls these functions while it arms a set and finishes its blocks. They arm
 * nothing themselves; a notifier may.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "engine/internal.h"
#include "engine/nest.h"

/* Maximum depth of sets that finish each other: see nest.h */
#define ZIO_MAX_CHAIN	8

#ifdef CONFIG_PROVE_RCU
/*
 * Checks rule E in debug kernels: the removal of a set waits for those that use it.
 * zio_cset_shutdown() forbids arming, and then waits for a grace period and for arm_work.
 * What follows takes cset->mutex, and the lock of each channel, before it frees channels
 * and buffers. So a context of one of these kinds may look at all channels of an idle set.
 * Lockdep finds any other context at its first call, without a race.
 */
static bool notify_holds_channel(const struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++)
		if (lockdep_is_held(&cset->chan[i]->lock))
			return true;
	return false;
}

/* Warns if the removal of a set does not wait for the caller. */
void zio_cset_assert_held(struct zio_cset_core *cset)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !lockdep_is_held(&cset->mutex) &&
			 !notify_holds_channel(cset) && current_work() != &cset->arm_work,
			 "zio: a set is used where its removal does not wait");
}
#endif

/*
 * Wakes all users of a set, so that they look again: after an error, a change of the configuration,
 * or the end of the device. Any context; the removal of the set waits for the caller (E).
 */
void zio_cset_wake(struct zio_cset_core *cset)
{
	__poll_t key = ZIO_WAKE_IN | ZIO_WAKE_OUT;
	unsigned int i;

	zio_cset_assert_held(cset);
	if (READ_ONCE(cset->gone))
		key |= EPOLLHUP | EPOLLERR;
	for (i = 0; i < cset->n_chan; i++) {
		zio_channel_wake(cset->chan[i], key);
		zio_channel_notify(cset->chan[i]);
	}
}

/* The next block of each channel that is done has the alarm, and the number. */
static void notify_tell_events(struct zio_cset_core *cset, u64 n)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++) {
		atomic_add(n, &cset->chan[i]->missed_before);
		atomic_fetch_or(ZIO_ALARM_LOST_TRIGGER, &cset->chan[i]->alarms_new); /* N */
	}
}

/*
 * Counts events that a set has lost. The blocks of an armed set belong to an earlier event, so
 * those of the next arming report them. A board that is armed ahead makes its events itself. Any
 * context, under RCU.
 */
void zio_cset_count_lost_events(struct zio_cset_core *cset, u64 n, int cause)
{
	unsigned int i;

	atomic_long_add(n, &cset->lost_triggers);
	zio_trace_lost(cset, NULL, n, 0, cause, 0);
	for (i = 0; i < cset->n_chan; i++)
		atomic_or(ZIO_ALARM_LOST_TRIGGER, &cset->chan[i]->alarms);
	if (cset->is_armed_ahead)
		notify_tell_events(cset, n);
	else
		atomic_add(n, &cset->missed_busy);
}

/* The set is about to be armed for the next event. The caller owns the phase. */
void zio_cset_tell_missed(struct zio_cset_core *cset)
{
	int n = atomic_xchg(&cset->missed_busy, 0);

	if (n)
		notify_tell_events(cset, n);
}

static DEFINE_SPINLOCK(zio_notifiers_lock);
static DEFINE_PER_CPU(unsigned int, zio_chain_depth);

/* Puts a notifier on the list of a set, which it holds until zio_cset_notifier_remove(). */
void zio_cset_notifier_link(struct zio_cset_notifier *notifier,
			    struct zio_cset_core *cset)
{
	notifier->cset = cset;
	kobject_get(&cset->kobj);
	spin_lock(&zio_notifiers_lock);
	hlist_add_head_rcu(&notifier->node, &cset->notifiers);
	spin_unlock(&zio_notifiers_lock);
}

/**
 * zio_cset_notifier_remove() - stop the calls of a notifier
 * @notifier: a notifier that was added
 *
 * When this function returns, done() is not running, and the core does not call it again.
 *
 * Context: Process, sleeps.
 */
void zio_cset_notifier_remove(struct zio_cset_notifier *notifier)
{
	spin_lock(&zio_notifiers_lock);
	hlist_del_rcu(&notifier->node);
	spin_unlock(&zio_notifiers_lock);
	synchronize_rcu();
	kobject_put(&notifier->cset->kobj);
}
EXPORT_SYMBOL_GPL(zio_cset_notifier_remove);

/*
 * The set has just become idle. Sets that are done at once nest here; the limit ends a ring of
 * them. The caller holds a reference as a reader, or is under RCU (E).
 */
void zio_cset_notify(struct zio_cset_core *cset)
{
	struct zio_cset_notifier *notifier;

	if (zio_must_defer()) {
		zio_cset_defer(cset, ZIO_DEFERRED_NOTIFY);
		return;
	}
	rcu_read_lock();
	if (zio_nest_enter(&zio_chain_depth, ZIO_MAX_CHAIN)) {
		hlist_for_each_entry_rcu(notifier, &cset->notifiers, node)
			notifier->done(notifier);
	} else {
		zio_cset_count_lost_events(cset, 1, ZIO_LOSS_CHAIN);
	}
	zio_nest_leave(&zio_chain_depth);
	rcu_read_unlock();
}
