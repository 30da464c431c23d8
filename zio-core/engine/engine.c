// SPDX-License-Identifier: GPL-2.0-only
/*
 * engine.c: arm a channel set, and finish its blocks
 *
 * Each set has one state word. Its phase says which context owns the active blocks.
 * Its flags keep an idle set from being armed.
 *
 *   IDLE       no context: there are no active blocks
 *   ARMING     the context that arms the set, until raw_io() returns
 *   EARLY      the same: the driver has called zio_cset_done() before raw_io() returned, or
 *              zio_cset_fail(): its error is in the word, too
 *   ARMED      the driver, until it calls zio_cset_done()
 *   FINISHING  the caller of zio_cset_done(), or the context that was arming
 *   ABORTING   the context that freezes the set, and takes the blocks back
 *
 *   IDLE ----arm----> ARMING ---raw_io() = 0, or error---------> IDLE
 *                       |  `----done---> EARLY ---raw_io() = PENDING---> FINISHING
 *                       `-------raw_io() = PENDING---> ARMED
 *   ARMED ---done---> FINISHING ---> IDLE
 *   ARMED --freeze--> ABORTING ----> IDLE
 *
 * cset_enter() and cset_move() make these moves, and make_idle() the last one. Flags:
 *
 * FREEZE: the configuration is about to change: see freeze.c.
 * STOP:   the trigger, or the set, is disabled.
 * GONE:   the device is gone for ever.
 *
 * The owner of a phase sees all that earlier owners did. The configuration that the fast
 * path reads (trigger, buffers, active channels, sizes) changes only while the set is
 * frozen, so it is stable while a context owns a phase. Only the owner of the phase writes
 * the counters of the set and of its channels. Reading one in sysfs may miss the event that
 * is under way.
 *
 * A work item arms a set with ZIO_CSET_SLEEPS, which is ARMING until that has run. Under
 * PREEMPT_RT an event in hard interrupt context is deferred in the same way: see defer.c.
 *
 * A context that finds the set busy does not wait. It leaves a note, and the owner of the
 * phase looks for notes once it has made the set idle (D):
 *
 *   a context that wants the set              the owner of the phase
 *     sets ZIO_PENDING_KICK, for room           clears KICK, and finds no room
 *     sets ZIO_PENDING_WAKE, for a reader       makes the set idle
 *     or queues a block                         a barrier, in make_idle()
 *     a barrier                                 looks at KICK, and at WAKE
 *     tries to enter ARMING                     or looks at the queues
 *
 * The context enters ARMING, or the owner sees the note. The barriers:
 *
 * - (C) orders one owner of the phase before the next owner, or a context that freezes. An
 *   exchange that succeeds is fully ordered. make_idle() and zio_cset_unfreeze() have a
 *   barrier before they change the word; cset_enter() and cset_move() exchange it, and
 *   cset_phase() loads it with acquire. Otherwise the next owner could miss what an earlier
 *   one wrote: the configuration, or a block in the queue that a reader must not pass by.
 *   freeze_begin() has a barrier, because cset_phase() may see the caller's own change to
 *   FREEZE. One context sets FREEZE, then reads the phase; the other leaves the phase, then
 *   reads FREEZE. Both are in one word, so one side sees the other.
 *
 * - (D) are the barriers of the table above. An exchange that fails orders nothing, so a
 *   context that leaves a note needs a barrier. Otherwise both sides could give up: the set
 *   would stay idle although there is room or a block, or a reader would sleep on. The
 *   reader enters the wait queue before, so an owner that clears an older WAKE finds it
 *   there.
 *
 *   An event that finds the set held for a moment leaves its time, then looks whether the
 *   set is still held. The holder ends the hold, then looks for a time: see fire.c.
 *
 * - (E) lets a context look at something without a lock: whoever changes it waits for a
 *   grace period. The context that makes a set idle still reads the set and its channels
 *   afterwards, when the set may already be on its way out. So the core frees sets and
 *   channels after a grace period, and arms, finishes and wakes them only where the removal
 *   waits: under RCU, with cset->mutex or the lock of a channel held, or in arm_work. A
 *   reference to a channel, as an open file has it, keeps neither the other channels nor
 *   their buffers. zio_cset_assert_held() checks this with CONFIG_PROVE_RCU: see notify.c.
 *   zio_cset_freeze() waits for the routes in the same way, and stream_close() for
 *   refill().
 */
#include <linux/export.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/ktime.h>

#include "engine/block.h"
#include "engine/internal.h"

/* One context arms a set so often in a row. Then a work item continues. */
#define ZIO_MAX_REARMS	64

/* The armed blocks are done, and their channels have them. A notifier may arm the set again. */
static __always_inline void engine_leave_done(struct zio_cset_core *cset)
{
	cset->pub.armed->chan = NULL;
	make_idle(cset);
	if (unlikely(!hlist_empty(&cset->notifiers)))
		zio_cset_notify(cset);
}

/*
 * Leaves the phase with the armed blocks done. Returns the block of @reader, which need not go
 * through the queue: that is empty (C), and no other context pops from it.
 */
static __always_inline struct zio_block *
engine_finish_blocks(struct zio_cset_core *cset, bool output, struct zio_channel_core *reader)
{
	struct zio_block *pulled = NULL;
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++) {
		struct zio_channel_core *chan = to_channel_core(armed->chan);

		if (output)
			finish_output(chan, armed->block);
		else
			finish_input(chan, armed->block, chan == reader);
		if (chan == reader)
			pulled = armed->block;
	}
	engine_leave_done(cset);
	return pulled;
}

/* Leaves the phase that the caller owns, with the armed blocks done. Any context. */
void zio_cset_finish_blocks(struct zio_cset_core *cset)
{
	if (unlikely(cset->given_back))
		zio_shots_take_back(cset);
	if (zio_cset_is_output(cset))
		engine_finish_blocks(cset, true, NULL);
	else
		engine_finish_blocks(cset, false, NULL);
}

/* Leaves the phase that the caller owns, without the blocks. Any context. */
static void engine_fail_blocks(struct zio_cset_core *cset, bool lost, int error)
{
	cset->io_errors++;
	cset->model->drop(cset, lost, error);
	make_idle(cset);
	zio_cset_wake(cset);
}

/* As zio_cset_fail_armed(), after raw_io(). A reader that waits for it gets the error itself. */
int zio_cset_fail_arm(struct zio_cset_core *cset, int ret)
{
	int error = zio_driver_error(ret);

	if (cset->flags & ZIO_CSET_SLEEPS || !cset->on_demand)
		WRITE_ONCE(cset->error, error);
	engine_fail_blocks(cset, true, error);
	return error;
}

/* The driver gives the blocks back with an error; the caller owns the phase. */
void zio_cset_fail_armed(struct zio_cset_core *cset, int error)
{
	WRITE_ONCE(cset->error, error);
	engine_fail_blocks(cset, !cset->is_armed_ahead, error);
}

/*
 * Leaves ARMING while the driver has the blocks. Returns -EINPROGRESS; or 0 if the driver was done
 * before raw_io() returned, and the set is idle. If the driver has failed, the set is idle, too: an
 * input waits for a program (-EINPROGRESS), an output goes on with its next block and returns the
 * error. The caller owns the phase.
 */
int zio_cset_leave_armed(struct zio_cset_core *cset)
{
	int error;

	if (cset_move(cset, CSET_ARMING, CSET_ARMED)) {
		if (atomic_read(&cset->state) & CSET_FREEZE)	/* C */
			wake_freezer(cset);
		return -EINPROGRESS;
	}
	/* This orders what the driver did before, as a move that fails does not. */
	cset_move(cset, CSET_EARLY, CSET_FINISHING);
	error = cset_take_error(cset);
	if (unlikely(error)) {
		zio_cset_fail_armed(cset, error);
		return cset->model->goes_on ? error : -EINPROGRESS;
	}
	zio_cset_finish_blocks(cset);
	return 0;
}

/* raw_io() has returned @ret, which is not 0. Returns as zio_cset_arm_event(). */
static int engine_leave_or_fail(struct zio_cset_core *cset, int ret)
{
	if (ret != ZIO_PENDING || WARN_ON_ONCE(!cset->ops->stop_io))
		return zio_cset_fail_arm(cset, ret);
	WRITE_ONCE(cset->async, true);
	return zio_cset_leave_armed(cset);
}

/*
 * Lists a block of each channel, or of each shot, and hands them to the driver. The last entry of
 * the list has no channel. An event without blocks does not reach the driver, which could never
 * complete it.
 */
static __always_inline int engine_start_blocks(struct zio_cset_core *cset, bool output,
					       struct zio_channel_core *reader,
					       struct zio_block *prealloc)
{
	struct zio_armed *armed = cset->pub.armed;
	unsigned int i;

	cset->fired++;
	if (output || prealloc || likely(cset->pub.shape.nshots == 1)) {
		for (i = 0; i < cset->n_active; i++) {
			struct zio_channel_core *chan = cset->active[i];

			armed->chan = &chan->pub;
			armed->block = output ? arm_output(chan) :
						arm_input(chan, reader, prealloc);
			if (likely(armed->block))
				armed++;
		}
		armed->chan = NULL;
	} else {
		zio_shots_arm(cset);
	}
	if (trace_zio_arm_enabled())
		zio_trace_armed(cset);
	if (!prealloc && unlikely(!cset->pub.armed->chan))
		return 0;
	return cset->ops->raw_io(&cset->pub);
}

/* @output: what the set is, as a caller may know */
static __always_inline int engine_arm_one_way(struct zio_cset_core *cset, bool output)
{
	int ret = engine_start_blocks(cset, output, NULL, NULL);

	if (unlikely(ret))
		return engine_leave_or_fail(cset, ret);
	if (output || unlikely(cset->given_back))
		zio_cset_finish_blocks(cset);
	else
		engine_finish_blocks(cset, false, NULL);
	return 0;
}

static __always_inline int engine_arm_now(struct zio_cset_core *cset)
{
	if (zio_cset_is_output(cset))
		return engine_arm_one_way(cset, true);
	return engine_arm_one_way(cset, false);
}

/* Arms an input for up to @n blocks in one phase: see row.c. */
static int engine_arm_row(struct zio_channel_core *chan, unsigned int n)
{
	int ret = zio_row_start(chan, n);

	if (unlikely(ret))
		return engine_leave_or_fail(chan->cset, ret);
	engine_leave_done(chan->cset);
	return 0;
}

/* Out of line: one copy of the code for all infrequent callers. */
static noinline int engine_arm_cset(struct zio_cset_core *cset)
{
	return engine_arm_now(cset);
}

/* The set is ARMING since its event. */
static void engine_start_deferred(struct zio_cset_core *cset)
{
	int ret = engine_arm_cset(cset);

	if (ret != -EINPROGRESS && (!ret || cset->model->goes_on))
		zio_cset_kick(cset);
}

static void engine_arm_in_thread(struct work_struct *work)
{
	struct zio_cset_core *cset = container_of(work, struct zio_cset_core, arm_work);

	cset->model->start(cset);
}

static __always_inline bool engine_enter_arming(struct zio_cset_core *cset)
{
	zio_cset_assert_held(cset);
	if (!cset_enter(cset, CSET_IDLE))
		return false;
	/* Events that came while the set was armed are in front of the next block. */
	if (unlikely(atomic_read(&cset->missed_busy)))
		zio_cset_tell_missed(cset);
	return true;
}

/* Enters ARMING at the present time, by the trigger's clock. */
static __always_inline bool engine_begin_arming(struct zio_cset_core *cset)
{
	if (!engine_enter_arming(cset))
		return false;
	zio_clock_read(zio_trigger_clock(cset->bind->trig), &cset->now);
	return true;
}

/* One channel with room is enough, so a channel that nobody reads does not stop the others. */
static bool engine_make_room_in_any(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_active; i++)
		if (zio_channel_make_room(cset->active[i]))
			return true;
	return false;
}

static bool engine_has_all_blocks(struct zio_cset_core *cset)
{
	unsigned int i, n_active = READ_ONCE(cset->n_active);

	for (i = 0; i < n_active; i++)
		if (!zio_queue_count(&READ_ONCE(cset->active[i])->queue))
			return false;
	return n_active;
}

static int engine_refuse_arming(struct zio_cset_core *cset)
{
	int state = atomic_read(&cset->state);

	if (state & CSET_GONE)
		return -ENODEV;
	return state & CSET_STOP ? -ESHUTDOWN : -EBUSY;
}

/* Leaves the phase without a start. Other contexts may have found the set busy. */
static void engine_leave_arming(struct zio_cset_core *cset)
{
	make_idle(cset);
	zio_cset_kick(cset);
}

/*
 * Arms a set for an event of its trigger. A channel without a free block loses one. The set may
 * have another binding than @bind by now. Any context, under RCU.
 *
 * Returns 0 when the blocks are done; -EINPROGRESS when they will be; -EBUSY when the set is armed
 * or frozen; -ESHUTDOWN when it is disabled or has another trigger; -ENODEV when the device is
 * gone; else the driver's error.
 */
int zio_cset_arm_event(struct zio_binding *bind, const struct timespec64 *at)
{
	struct zio_cset_core *cset = bind->cset;

	if (!engine_enter_arming(cset))
		return engine_refuse_arming(cset);
	cset->now = *at;
	if (likely(cset->bind == bind))
		return arm_in_other_context(cset) ? -EINPROGRESS : engine_arm_now(cset);
	engine_leave_arming(cset);
	return -ESHUTDOWN;
}

/*
 * Leaves the phase that zio_cset_own_phase() has entered and returned @armed for. Fires the event
 * that came meanwhile before it leaves the phase, so that none overtakes it. The caller holds
 * cset->mutex, so the binding stays.
 */
void zio_cset_end_hold(struct zio_cset_core *cset, bool armed)
{
	s64 ns;

	WRITE_ONCE(cset->is_held, false);
	ns = atomic64_xchg(&cset->held_event, 0);		/* D */
	if (armed) {
		if (ns)
			zio_cset_count_lost_events(cset, 1, ZIO_LOSS_BUSY);
		zio_cset_leave_armed(cset);
	} else if (ns) {
		cset->now = ns_to_timespec64(ns);
		zio_cset_tell_missed(cset);
		rcu_read_lock();
		if (!arm_in_other_context(cset))
			engine_arm_cset(cset);
		rcu_read_unlock();
	} else {
		make_idle(cset);
	}
}

/*
 * As zio_cset_arm_event(), now, for an input that a program wants: does nothing if @chan has no
 * room, so it loses no block. The caller holds a reference to @chan, or is under RCU.
 *
 * @flags: ZIO_ARM_WAKE wakes all users once a busy set is idle. ZIO_ARM_NEW: the caller has found
 * the queue empty; a block that has come since is enough. @n: blocks wanted, if they come at once.
 *
 * Returns as zio_cset_arm_event(), for the last block; -ENOBUFS when the channel has no room.
 */
int zio_cset_arm_channel(struct zio_channel_core *chan, unsigned int flags, unsigned int n)
{
	struct zio_cset_core *cset = chan->cset;
	int ret;

	rcu_read_lock();					/* E */
	while (!engine_begin_arming(cset)) {
		ret = engine_refuse_arming(cset);
		if (ret != -EBUSY || !(flags & ZIO_ARM_WAKE))
			goto out;
		atomic_fetch_or(ZIO_PENDING_WAKE, &cset->pending); /* D */
		flags &= ~ZIO_ARM_WAKE;
	}
	if (flags & ZIO_ARM_NEW && zio_queue_count(&chan->queue)) {
		/* A block that came since the caller looked is the one that it asks for (C). */
		engine_leave_arming(cset);
		ret = 0;
	} else if (!reclaim_room(chan)) {
		engine_leave_arming(cset);
		ret = -ENOBUFS;
	} else if (n > 1 && zio_row_is_possible(chan)) {
		ret = engine_arm_row(chan, n);
	} else {
		ret = arm_in_other_context(cset) ? -EINPROGRESS : engine_arm_cset(cset);
	}
out:
	rcu_read_unlock();
	return ret;
}

/* The slow path of zio_cset_pull(): a block goes through the queue. */
static struct zio_block *engine_pull_queued(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_block *block;
	int ret;

	block = zio_queue_pop(&chan->queue);
	if (block)
		return block;
	if (READ_ONCE(cset->gone))
		return ERR_PTR(-ENODEV);
	ret = READ_ONCE(cset->error) ? xchg(&cset->error, 0) : 0;
	if (READ_ONCE(cset->rearm))
		zio_cset_kick(cset);
	if (!ret && (!READ_ONCE(cset->on_demand) || !READ_ONCE(chan->enabled)))
		ret = -EBUSY;
	if (!ret)
		ret = zio_cset_arm_channel(chan, ZIO_ARM_WAKE | ZIO_ARM_NEW, 1);
	if (ret == -ENOBUFS)
		zio_channel_mark_starved(chan);
	if (ret == -ENODEV || zio_is_driver_error(ret))
		return ERR_PTR(ret);
	block = zio_queue_pop(&chan->queue);
	return block ?: ERR_PTR(-EAGAIN);
}

/*
 * Arms a set on behalf of a reader who has found the queue of @chan empty and holds chan->lock.
 * Reports an error of an earlier work item first. Returns the reader's block; -EAGAIN when it may
 * come later; -ENODEV when the device is gone; else the driver's error.
 */
struct zio_block *zio_cset_pull(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_block *prealloc = NULL, *block;
	int ret;

	lockdep_assert_held(&chan->lock);			/* E */
	if (unlikely(!READ_ONCE(cset->can_pull) || READ_ONCE(cset->error) ||
		     !engine_begin_arming(cset)))
		return engine_pull_queued(chan);
	/* The block may go past the queue. The channel loses none if no memory is free. */
	if (likely(cset->can_pull && chan->enabled &&
		   !zio_queue_count(&chan->queue)))		/* C */
		prealloc = chan->buf->type->ops->get_block(chan->buf);
	if (unlikely(!prealloc)) {
		engine_leave_arming(cset);
		return engine_pull_queued(chan);
	}
	ret = engine_start_blocks(cset, false, chan, prealloc);
	if (unlikely(ret)) {
		ret = engine_leave_or_fail(cset, ret);
		if (ret && ret != -EINPROGRESS)
			return ERR_PTR(ret);
		block = zio_queue_pop(&chan->queue);
	} else {
		block = engine_finish_blocks(cset, false, chan);
	}
	return likely(block) ? block : ERR_PTR(-EAGAIN);
}

/*
 * Arms inputs while a channel has room. The caller may be an interrupt handler, so a work item
 * continues after ZIO_MAX_REARMS. A driver's error stops inputs until the next kick.
 */
static void engine_arm_inputs(struct zio_cset_core *cset)
{
	unsigned int n;

	atomic_fetch_or(ZIO_PENDING_KICK, &cset->pending);	/* D */
	for (n = 0; n < ZIO_MAX_REARMS; n++) {
		if (!engine_begin_arming(cset))
			return;
		atomic_fetch_andnot(ZIO_PENDING_KICK, &cset->pending); /* D */
		if (engine_make_room_in_any(cset)) {
			if (arm_in_other_context(cset) || engine_arm_one_way(cset, false))
				return;
			continue;
		}
		make_idle(cset);
		/* The channel may never reach the watermark: readers take the blocks it has. */
		zio_cset_wake(cset);
		if (!(atomic_read(&cset->pending) & ZIO_PENDING_KICK)) /* D */
			return;
	}
	zio_cset_kick_later(cset);
}

/*
 * Arms outputs while each of them has a block. A driver's error does not stop them: it costs one
 * block, and the driver plays the next.
 */
static noinline void engine_arm_outputs(struct zio_cset_core *cset)
{
	unsigned int n;
	int ret;

	smp_mb();						/* D */
	for (n = 0; engine_has_all_blocks(cset); n++) {
		if (n == ZIO_MAX_REARMS) {
			zio_cset_kick_later(cset);
			return;
		}
		if (!engine_begin_arming(cset))
			return;
		/* Another context may have played the block since. */
		if (unlikely(!engine_has_all_blocks(cset))) {
			make_idle(cset);
			continue;
		}
		if (arm_in_other_context(cset))
			return;
		ret = engine_arm_one_way(cset, true);
		if (unlikely(ret && !zio_is_driver_error(ret)))
			return;
	}
}

/* As zio_cset_kick(); the removal of the set waits for the caller (E). */
void zio_cset_kick_held(struct zio_cset_core *cset)
{
	if (READ_ONCE(cset->is_kicked))
		INDIRECT_CALL_2(cset->model->kick, engine_arm_inputs, engine_arm_outputs, cset);
}

/*
 * Arms a set as often as it can be without an event: inputs of a trigger that rearms while a
 * channel has room, outputs of a trigger on demand while each has a block. Call this whenever a set
 * becomes idle, or has new room or a new block. Any context; the caller owns no phase, and holds a
 * reference to the set or is under RCU.
 */
void zio_cset_kick(struct zio_cset_core *cset)
{
	rcu_read_lock();					/* E */
	zio_cset_kick_held(cset);
	rcu_read_unlock();
}

static void engine_rearm_in_thread(struct work_struct *work)
{
	zio_cset_kick(container_of(work, struct zio_cset_core, rearm_work));
}

/* Returns true if a reader would get a block at once: zio_cset_pull() would arm and not wait. */
bool zio_cset_can_pull(struct zio_cset_core *cset)
{
	int state = atomic_read(&cset->state);

	return READ_ONCE(cset->can_pull) && !READ_ONCE(cset->async) &&
		!(state & (CSET_STOP | CSET_GONE | CSET_FREEZE)) &&
		(state & CSET_PHASE) != CSET_ARMED;
}

/* Does what zio_cset_defer() has noted, in a thread of the processor that noted it. */
static void engine_run_deferred(struct irq_work *work)
{
	struct zio_cset_core *cset = container_of(work, struct zio_cset_core, defer_work);
	int what = atomic_xchg(&cset->deferred, 0), n;

	rcu_read_lock();					/* E */
	if (what & ZIO_DEFERRED_ARM)
		cset->model->start(cset);
	if (what & ZIO_DEFERRED_IDLE)
		wake_up(&cset->idle_wq);
	if (what & ZIO_DEFERRED_WAKE)
		zio_cset_wake(cset);
	for (n = what / ZIO_DEFERRED_NOTIFY; n; n--)
		zio_cset_notify(cset);
	rcu_read_unlock();
}

void zio_cset_init_engine(struct zio_cset_core *cset)
{
	atomic_set(&cset->state, CSET_STOP | cset->model->state);
	init_waitqueue_head(&cset->idle_wq);
	INIT_WORK(&cset->arm_work, engine_arm_in_thread);
	INIT_WORK(&cset->rearm_work, engine_rearm_in_thread);
	init_irq_work(&cset->defer_work, engine_run_deferred);
}

static unsigned long engine_progress(const struct zio_cset_core *cset)
{
	return READ_ONCE(cset->fired);
}

const struct zio_cset_model zio_input_model = {
	.kick = engine_arm_inputs,
	.start = engine_start_deferred,
	.drop = zio_blocks_drop,
	.progress = engine_progress,
};

const struct zio_cset_model zio_output_model = {
	.goes_on = true,
	.kick = engine_arm_outputs,
	.start = engine_start_deferred,
	.drop = zio_blocks_drop,
	.progress = engine_progress,
};
