// SPDX-License-Identifier: GPL-2.0-only
/*
 * fire.c: pass the event of a trigger to its channel sets
 *
 * An event goes to the bound sets one after the other. A set that fails does not stop
 * the walk. A set that is still armed loses the event. A set that fails reports the
 * error to its reader. The walk is under RCU, so no slow set delays it with a lock.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/zio-tick.h>

#include "engine/block.h"
#include "engine/internal.h"

/*
 * The set is not IDLE. A stream passes the event to its driver. If a user holds the set for a
 * moment (zio_cset_own_phase()), the event leaves its time and that user fires it (D). Otherwise
 * the set is idle again by now, or loses the event. Not inline, so that the usual path saves no
 * registers for it.
 */
static noinline int fire_busy(struct zio_binding *bind, const struct timespec64 *at)
{
	struct zio_cset_core *cset = bind->cset;
	s64 ns = timespec64_to_ns(at);
	int ret = cset->model->fire ? cset->model->fire(bind, at) : -EBUSY;

	if (ret != -EBUSY)
		return ret;
	if (ns && READ_ONCE(cset->bind) == bind && READ_ONCE(cset->is_held) &&
	    !atomic64_cmpxchg(&cset->held_event, 0, ns) &&	/* D */
	    (READ_ONCE(cset->is_held) || atomic64_cmpxchg(&cset->held_event, ns, 0) != ns))
		return -EINPROGRESS;
	ret = zio_cset_arm_event(bind, at);
	if (ret == -EBUSY)
		zio_cset_count_lost_events(cset, 1, ZIO_LOSS_BUSY);
	return ret;
}

/**
 * zio_trigger_fire_at() - arm all sets of a trigger for an event at a known time
 * @trig: the trigger
 * @at: time stamp for the blocks of all sets, by zio_trigger_clock()
 *
 * A set that is still armed loses the event. The core counts this, and raises an alarm
 * in the next block of each channel of the set.
 *
 * Context: Any but NMI, between start() and stop().
 *
 * Return: 0 when all enabled sets were armed; they may be done already, or are armed in a
 * moment, when a ring is open. Else the error of the first set that was not armed: -EBUSY,
 * still armed; -ENODEV, gone; or the driver's error. -ESHUTDOWN when no set is enabled.
 */
int zio_trigger_fire_at(struct zio_trigger *trig, const struct timespec64 *at)
{
	int ret, first = 0, off = -ESHUTDOWN;
	struct zio_binding *bind;

	rcu_read_lock();					/* E */
	atomic64_inc(&trig->fired);
	list_for_each_entry_rcu(bind, &trig->bindings, node) {
		if (trace_zio_fire_enabled() && zio_cset_takes_events(bind->cset))
			zio_trace_fire(bind, at);
		ret = zio_cset_arm_event(bind, at);
		if (unlikely(ret == -EBUSY))
			ret = fire_busy(bind, at);
		if (likely(!ret || ret == -EINPROGRESS))
			off = 0;
		else if (ret != -ESHUTDOWN)
			first = first ?: ret;
	}
	rcu_read_unlock();
	return first ?: off;
}
EXPORT_SYMBOL_GPL(zio_trigger_fire_at);

/**
 * zio_trigger_fire() - arm all sets of a trigger for an event now
 * @trig: the trigger
 *
 * Context: As zio_trigger_fire_at().
 *
 * Return: as zio_trigger_fire_at().
 */
int zio_trigger_fire(struct zio_trigger *trig)
{
	struct timespec64 now;

	zio_trigger_read_clock(trig, &now);
	return zio_trigger_fire_at(trig, &now);
}
EXPORT_SYMBOL_GPL(zio_trigger_fire);

/**
 * zio_trigger_miss() - count events that the trigger itself has missed
 * @trig: the trigger
 * @n: how many
 *
 * Each enabled set counts them as lost, and raises the alarm, as for an event that
 * finds the set armed.
 *
 * Context: Any but NMI, between start() and stop().
 */
void zio_trigger_miss(struct zio_trigger *trig, u64 n)
{
	struct zio_binding *bind;

	rcu_read_lock();					/* E */
	atomic64_add(n, &trig->missed);
	list_for_each_entry_rcu(bind, &trig->bindings, node)
		if (zio_cset_takes_events(bind->cset))
			zio_cset_count_lost_events(bind->cset, n, ZIO_LOSS_MISSED);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(zio_trigger_miss);

static DEFINE_PER_CPU(u64, zio_throttled);

/**
 * zio_trigger_throttle() - compute how long a periodic trigger has to wait
 * @begin: when its event began, in nanoseconds of ktime_get_ns()
 * @end: when its event was over
 *
 * All triggers that fire in timers of one processor may together take half of its
 * time. After an event, the trigger leaves as much time to other code as this event,
 * and those before, have taken. A trigger that fires rarely does not wait.
 *
 * Context: The timer's interrupt handler, after the event.
 *
 * Return: the nanoseconds after @end in which the trigger must not fire.
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
 * zio_trigger_read_clock() - read the clock of a trigger
 * @trig: the trigger
 * @now: receives the time
 *
 * Context: Any but NMI.
 */
void zio_trigger_read_clock(const struct zio_trigger *trig,
			    struct timespec64 *now)
{
	zio_clock_read(zio_trigger_clock(trig), now);
}
EXPORT_SYMBOL_GPL(zio_trigger_read_clock);
