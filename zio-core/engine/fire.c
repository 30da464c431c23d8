// SPDX-License-Identifier: GPL-2.0-only
/*
 * fire.c: an event, from the trigger to its channel sets; and from a set that is
 * done to whoever waits for that
 *
 * An event goes to the bound sets one after the other, and each takes what the
 * others give: one that is still armed loses the event, one that fails tells
 * its reader, one that sleeps is armed from a thread. No lock is taken, so there is
 * none that a set could hold up: the list is read under RCU.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/zio-tick.h>

#include "engine/block.h"
#include "engine/nest.h"

/* Sets that are done because a set was done because ... */
#define ZIO_MAX_CHAIN	8

static void count_lost_events(struct zio_cset_core *cset, u64 n)
{
	unsigned int i;

	atomic_long_add(n, &cset->lost_triggers);
	for (i = 0; i < cset->n_chan; i++)
		zio_channel_raise(cset->chan[i], ZIO_ALARM_LOST_TRIGGER);
}

/**
 * zio_trigger_fire_at() - an event, of which the time is known
 * @trig: the trigger
 * @at: time stamp for the blocks of all sets, by zio_trigger_clock()
 *
 * Any context but NMI, between start() and stop(). A set that is still armed
 * loses the event: that is counted, and told by an alarm in the next block of
 * each of its channels.
 *
 * Return: 0 when all sets that are enabled were armed (they may be done already, or
 * not); else why the first one was not: -EBUSY, still armed; -ENODEV, gone; or the
 * driver's error. -ESHUTDOWN when none is enabled.
 */
int zio_trigger_fire_at(struct zio_trigger *trig, const struct timespec64 *at)
{
	int ret, first = 0, off = -ESHUTDOWN;
	struct zio_binding *bind;

	rcu_read_lock();					/* E */
	atomic64_inc(&trig->fired);
	list_for_each_entry_rcu(bind, &trig->bindings, node) {
		ret = zio_cset_arm_event(bind, at);
		if (ret == -ESHUTDOWN)
			continue;
		off = 0;
		if (likely(!ret || ret == -EINPROGRESS))
			continue;
		if (ret == -EBUSY)
			count_lost_events(bind->cset, 1);
		first = first ?: ret;
	}
	rcu_read_unlock();
	return first ?: off;
}
EXPORT_SYMBOL_GPL(zio_trigger_fire_at);

/**
 * zio_trigger_fire() - an event, now
 * @trig: the trigger
 *
 * As zio_trigger_fire_at().
 */
int zio_trigger_fire(struct zio_trigger *trig)
{
	struct timespec64 now;

	zio_trigger_read_clock(trig, &now);
	return zio_trigger_fire_at(trig, &now);
}
EXPORT_SYMBOL_GPL(zio_trigger_fire);

/**
 * zio_trigger_miss() - events that the trigger itself came too late for
 * @trig: the trigger
 * @n: how many
 *
 * Any context but NMI, between start() and stop(). Counted, and told by each
 * enabled set, as an event that finds the set armed.
 */
void zio_trigger_miss(struct zio_trigger *trig, u64 n)
{
	struct zio_binding *bind;

	rcu_read_lock();					/* E */
	atomic64_add(n, &trig->missed);
	list_for_each_entry_rcu(bind, &trig->bindings, node)
		if (zio_cset_is_on(bind->cset))
			count_lost_events(bind->cset, n);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(zio_trigger_miss);

static DEFINE_PER_CPU(u64, zio_throttled);

/**
 * zio_trigger_throttle() - how long a trigger that comes by itself has to wait
 * @begin: when its event began, by ktime_get_ns()
 * @end: and when it was over
 *
 * In the interrupt of its timer, after the event. Triggers of all sets that come by
 * timers of one processor may together take half of its time: one that has fired
 * comes again when this event and all those before are paid for by as much time for
 * others. So one that comes rarely waits for nobody.
 *
 * Return: the nanoseconds after @end in which it is not to come again.
 */
u64 zio_trigger_throttle(u64 begin, u64 end)
{
	unsigned long flags;
	u64 paid;

	local_irq_save(flags);
	paid = zio_throttle_charge(__this_cpu_read(zio_throttled), begin, end);
	__this_cpu_write(zio_throttled, paid);
	local_irq_restore(flags);
	return paid - end;
}
EXPORT_SYMBOL_GPL(zio_trigger_throttle);

/**
 * zio_trigger_read_clock() - the time by a trigger's clock
 * @trig: the trigger
 * @now: where to put it
 *
 * Any context but NMI.
 */
void zio_trigger_read_clock(const struct zio_trigger *trig,
			    struct timespec64 *now)
{
	zio_clock_read(zio_trigger_clock(trig), now);
}
EXPORT_SYMBOL_GPL(zio_trigger_read_clock);

static DEFINE_SPINLOCK(zio_notifiers_lock);
static DEFINE_PER_CPU(unsigned int, zio_chain_depth);

/* Process context; the set has a reference until the notifier is unlinked. */
void zio_cset_notifier_link(struct zio_cset_notifier *notifier,
			    struct zio_cset_core *cset)
{
	notifier->cset = cset;
	spin_lock(&zio_notifiers_lock);
	hlist_add_head_rcu(&notifier->node, &cset->notifiers);
	spin_unlock(&zio_notifiers_lock);
}

/* Process context, sleeps. When it returns, done() is not running. */
void zio_cset_notifier_unlink(struct zio_cset_notifier *notifier)
{
	spin_lock(&zio_notifiers_lock);
	hlist_del_rcu(&notifier->node);
	spin_unlock(&zio_notifiers_lock);
	synchronize_rcu();
}

/*
 * The set has just become idle; it is a reader's, or under RCU (E). Sets that are
 * done at once nest here: a long chain, or one that bites its tail, ends.
 */
void zio_cset_notify(struct zio_cset_core *cset)
{
	struct zio_cset_notifier *notifier;

	rcu_read_lock();
	if (zio_nest_enter(&zio_chain_depth, ZIO_MAX_CHAIN)) {
		hlist_for_each_entry_rcu(notifier, &cset->notifiers, node)
			notifier->done(notifier);
	} else {
		count_lost_events(cset, 1);
	}
	zio_nest_leave(&zio_chain_depth);
	rcu_read_unlock();
}
