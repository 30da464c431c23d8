// SPDX-License-Identifier: GPL-2.0-only
/*
 * engine.c: arm a channel set, and finish its blocks
 *
 * Each set has one state word. Its phase says which context owns the active blocks.
 * Its flags keep an idle set from being armed.
 *
 *   IDLE       no context: there are no active blocks
 *   ARMING     the context that arms the set, until raw_io() returns
 *   ARMED      the driver, until it calls zio_cset_done()
 *   FINISHING  the caller of zio_cset_done(), or the context that was arming
 *   ABORTING   the context that freezes the set, and takes the blocks back
 *
 *   IDLE ----arm----> ARMING ---raw_io() = 0, or error------------> IDLE
 *                       |  `----raw_io() = -EAGAIN, and EARLY--> FINISHING
 *                       `-------raw_io() = -EAGAIN--> ARMED
 *   ARMED ---done---> FINISHING ---> IDLE
 *   ARMED --freeze--> ABORTING ----> IDLE
 *
 * EARLY:  the driver has called zio_cset_done() before raw_io() returned.
 * FREEZE: the configuration is about to change: see freeze.c.
 * STOP:   the trigger, or the set, is disabled.
 * GONE:   the device is gone for ever.
 *
 * The owner of a phase sees all that earlier owners did. What the fast path reads of
 * the configuration (trigger, buffers, active channels, sizes) changes only while the
 * set is frozen. So it is stable while a context owns a phase. Only the owner of the
 * phase writes the counters of the set and of its channels. A read of a counter in
 * sysfs may miss the event that is under way.
 *
 * A set with ZIO_CSET_SLEEPS is armed in a work item. It is ARMING until that ran. The
 * same holds under PREEMPT_RT for an event in hard interrupt context: see defer.c.
 *
 * arm_if() arms a set: it enters ARMING, checks a policy, and starts the blocks or
 * leaves the phase. zio_cset_pull() does the same in line, for a reader. A context
 * that finds the set busy does not wait. It leaves a note, and the owner of the phase
 * looks for notes when it has made the set idle:
 *
 *   a context that wants the set              the owner of the phase
 *     (H) sets ZIO_PENDING_KICK                 (H) clears KICK, and finds no room
 *     (D) sets ZIO_PENDING_WAKE                 makes the set idle
 *     (J) or queues a block                     a barrier, in make_idle()
 *     a barrier                                 (H) looks at KICK
 *     tries to enter ARMING                     (D) looks at WAKE, and clears it
 *                                               (J) looks at the queues
 *
 * The context enters ARMING, or the owner sees the note.
 *
 * - (C) make_idle() and zio_cset_unfreeze() have a barrier before they change the word.
 *   It pairs with the exchange in begin_arming(), and with the acquire in cset_phase().
 *   Without it, the next owner, or zio_cset_freeze(), could miss what an earlier owner
 *   wrote. cset_phase() may find the change to FREEZE of its own caller, so a barrier
 *   stands between the two. An exchange that fails orders nothing: D, H and J have
 *   barriers of their own.
 *
 * - (D) The atomic_fetch_or() in refuse_arming() pairs with the barrier in
 *   make_idle(). Without them, a reader of one channel could sleep on after the reader
 *   of another has left. The reader enters the wait queue before this. So an owner
 *   that clears an older WAKE finds the reader there.
 *
 * - (E) The context that makes the set idle still reads the set and its channels after
 *   that. The set may be removed meanwhile. So the core frees sets and channels after a
 *   grace period. It arms, finishes and wakes them only where the removal waits: under RCU,
 *   with cset->mutex or the lock of a channel held, or in arm_work. A reference to a
 *   channel, as an open file has it, does not keep the other channels, nor their buffers.
 *   zio_cset_assert_held() checks this in kernels with CONFIG_PROVE_RCU: see held.c.
 *
 * - (F) zio_cset_freeze() sets FREEZE, then reads the phase. make_idle() changes the
 *   phase, then reads FREEZE, and wakes. Both are in one word, so one side sees the
 *   other without a barrier. With two words, zio_cset_freeze() could miss the wake-up.
 *
 * - (G) A block may go past the queue of its reader only if the queue is empty. The
 *   reader knows this only while it owns the phase. Another context may have queued an
 *   older block before.
 *
 * - (H) The atomic_fetch_or() in zio_cset_kick() pairs with the barrier in make_idle(),
 *   and with the atomic_fetch_andnot() in check_policy(). Without them, the context
 *   that makes room and the owner that finds none could both leave.
 *
 * - (J) The barrier in zio_cset_kick() pairs with that in make_idle(). Without them, a
 *   block could stay in the queue until the next write.
 */
#include <linux/export.h>
#include <linux/ktime.h>

#include "engine/block.h"
#include "engine/internal.h"

/* One context arms a set so often in a row. Then a work item continues. */
#define ZIO_MAX_REARMS	64

/* When arm_if() starts the blocks */
enum arm_policy {
	ARM_EVENT,	/* the set still has the trigger of the event */
	ARM_CHANNEL,	/* this channel has room for a block */
	ARM_INPUTS,	/* an active channel has room: zio_cset_kick() */
	ARM_OUTPUTS,	/* each active output has a block: zio_cset_kick() */
};

/* @at: the time of the event; NULL: now, by the trigger's clock */
struct arm_request {
	enum arm_policy policy;
	const struct timespec64 *at;
	const struct zio_binding *bind; /* ARM_EVENT */
	struct zio_channel_core *chan; /* ARM_CHANNEL */
	unsigned int flags; /* of zio_cset_arm_channel() */
};

/**
 * zio_cset_wake() - wake all users of a set, so that they look again
 * @cset: the channel set
 *
 * Follows an error, a change of the configuration, or the end of the device.
 *
 * Context: Any; the removal of the set waits for the caller (E).
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

/* The set can be armed again: a notifier may do so. */
static __always_inline void notify_done(struct zio_cset_core *cset)
{
	if (unlikely(!hlist_empty(&cset->notifiers)))
		zio_cset_notify(cset);
}

static void finish_outputs(struct zio_cset_core *cset)
{
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++)
		finish_output(to_channel_core(armed->chan), armed->block);
	cset->pub.armed->chan = NULL;
	make_idle(cset);
	notify_done(cset);
}

/*
 * Returns the block of @reader, whose queue is empty (G). No other context pops from
 * that queue, so the block need not go through the queue.
 */
static __always_inline struct zio_block *
finish_inputs(struct zio_cset_core *cset, struct zio_channel_core *reader)
{
	struct zio_block *pulled = NULL;
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++) {
		struct zio_channel_core *chan = to_channel_core(armed->chan);

		count_input(chan, armed->block);
		if (chan == reader)
			pulled = armed->block;
		else
			queue_input(chan, armed->block);
	}
	cset->pub.armed->chan = NULL;
	make_idle(cset);
	notify_done(cset);
	return pulled;
}

/* Leaves the phase that the caller owns, with the armed blocks done. Any context. */
void zio_cset_finish_blocks(struct zio_cset_core *cset)
{
	if (zio_cset_is_output(cset))
		finish_outputs(cset);
	else
		finish_inputs(cset, NULL);
}

/* Leaves the phase that the caller owns, with the armed blocks lost. Any context. */
void zio_cset_fail_arm(struct zio_cset_core *cset, int error)
{
	cset->io_errors++;
	if (cset->flags & ZIO_CSET_SLEEPS || !cset->on_demand)
		WRITE_ONCE(cset->error, error);
	zio_blocks_drop(cset, true);
	make_idle(cset);
	zio_cset_wake(cset);
}

/**
 * zio_cset_leave_armed() - leave ARMING, with blocks that the driver has
 * @cset: the channel set; the caller owns the phase
 *
 * Context: Any.
 *
 * Return: 0 if the driver was done early, and the set is idle; -EINPROGRESS.
 */
int zio_cset_leave_armed(struct zio_cset_core *cset)
{
	int new, old = atomic_read(&cset->state);

	do {
		new = (old & ~(CSET_PHASE | CSET_EARLY));
		new |= old & CSET_EARLY ? CSET_FINISHING : CSET_ARMED;
	} while (!atomic_try_cmpxchg(&cset->state, &old, new));

	if ((new & CSET_PHASE) == CSET_FINISHING) {
		zio_cset_finish_blocks(cset);
		return 0;
	}
	if (new & CSET_FREEZE)
		wake_freezer(cset);
	return -EINPROGRESS;
}

/* raw_io() has returned @ret, which is not 0. */
static int leave_or_fail(struct zio_cset_core *cset, int ret)
{
	if (ret == -EAGAIN && !WARN_ON_ONCE(!cset->ops->stop_io)) {
		WRITE_ONCE(cset->async, true);
		return zio_cset_leave_armed(cset);
	}
	ret = zio_driver_error(ret);
	zio_cset_fail_arm(cset, ret);
	return ret;
}

/*
 * Hands the blocks of all channels to the driver. Does not call the driver for an event
 * without blocks: it could never complete it.
 */
static __always_inline int start_blocks(struct zio_cset_core *cset, bool output,
					struct zio_channel_core *reader,
					struct zio_block *prealloc)
{
	cset->fired++;
	arm_blocks(cset, output, reader, prealloc);
	if (!prealloc && unlikely(!cset->pub.armed->chan))
		return 0;
	return cset->ops->raw_io(&cset->pub);
}

/* Each direction has a function, so that the path of an event has no branch. */
static int arm_outputs(struct zio_cset_core *cset)
{
	int ret = start_blocks(cset, true, NULL, NULL);

	if (unlikely(ret))
		return leave_or_fail(cset, ret);
	finish_outputs(cset);
	return 0;
}

static int arm_inputs(struct zio_cset_core *cset)
{
	int ret = start_blocks(cset, false, NULL, NULL);

	if (unlikely(ret))
		return leave_or_fail(cset, ret);
	finish_inputs(cset, NULL);
	return 0;
}

static int arm_cset(struct zio_cset_core *cset)
{
	return zio_cset_is_output(cset) ? arm_outputs(cset) : arm_inputs(cset);
}

/* The set is ARMING since its event. */
void zio_cset_start_deferred(struct zio_cset_core *cset)
{
	int ret;

	if (zio_cset_is_stream(cset)) {
		zio_stream_start(cset);
		return;
	}
	ret = arm_cset(cset);
	/* After an error an input waits for the next kick. */
	if (ret != -EINPROGRESS && !(ret && READ_ONCE(cset->rearm)))
		zio_cset_kick(cset);
}

static void arm_in_thread(struct work_struct *work)
{
	zio_cset_start_deferred(container_of(work, struct zio_cset_core, arm_work));
}

/* @at: the time of the event; NULL: now, by the trigger's clock */
static __always_inline bool begin_arming(struct zio_cset_core *cset, int *state,
					 const struct timespec64 *at)
{
	zio_cset_assert_held(cset);
	*state = CSET_IDLE;
	if (!atomic_try_cmpxchg(&cset->state, state, CSET_ARMING))
		return false;
	if (at)
		cset->now = *at;
	else
		zio_clock_read(zio_trigger_clock(cset->bind->trig), &cset->now);
	return true;
}

static __always_inline int go_on_arming(struct zio_cset_core *cset)
{
	if (unlikely(cset->flags & ZIO_CSET_SLEEPS)) {
		queue_work(system_dfl_wq, &cset->arm_work);
		return -EINPROGRESS;
	}
	if (zio_must_defer() && !(cset->flags & ZIO_CSET_HARDIRQ)) {
		zio_cset_defer(cset, ZIO_DEFERRED_ARM);
		return -EINPROGRESS;
	}
	return arm_cset(cset);
}

/* One channel with room is enough: a channel that no program reads stops no other. */
static bool make_room_in_any(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_active; i++)
		if (zio_channel_make_room(cset->active[i]))
			return true;
	return false;
}

static bool has_all_blocks(struct zio_cset_core *cset)
{
	unsigned int i, n_active = READ_ONCE(cset->n_active);

	for (i = 0; i < n_active; i++)
		if (!zio_queue_count(&READ_ONCE(cset->active[i])->queue))
			return false;
	return n_active;
}

/*
 * Returns 0 if the caller, which owns the phase, is to start the blocks. The set may
 * have changed since the caller looked at it without the phase.
 */
static __always_inline int check_policy(struct zio_cset_core *cset,
					const struct arm_request *req)
{
	switch (req->policy) {
	case ARM_EVENT:
		return likely(cset->bind == req->bind) ? 0 : -ESHUTDOWN;
	case ARM_CHANNEL:
		return reclaim_room(req->chan) ? 0 : -ENOBUFS;
	case ARM_INPUTS:
		atomic_fetch_andnot(ZIO_PENDING_KICK, &cset->pending);	/* H */
		return make_room_in_any(cset) ? 0 : -ENOBUFS;
	case ARM_OUTPUTS:
		break;
	}
	return has_all_blocks(cset) ? 0 : -ENOBUFS;
}

/* Leaves the phase without a start. Other contexts may have found the set busy. */
static __always_inline void leave_arming(struct zio_cset_core *cset,
					 enum arm_policy policy)
{
	make_idle(cset);
	if (policy == ARM_EVENT || policy == ARM_CHANNEL)
		zio_cset_kick(cset);
	else if (policy == ARM_INPUTS)
		/* The channel may never reach the watermark: readers take the blocks it has. */
		zio_cset_wake(cset);
}

/* @chan: with ZIO_ARM_WAKE; else NULL. Not inline, to save arm_if() a register. */
static noinline int refuse_arming(struct zio_channel_core *chan, int state)
{
	if (state & CSET_GONE)
		return -ENODEV;
	if (state & CSET_STOP)
		return -ESHUTDOWN;
	if (!chan)
		return -EBUSY;
	atomic_fetch_or(ZIO_PENDING_WAKE, &chan->cset->pending);	/* D */
	return zio_cset_arm_channel(chan, 0);
}

/*
 * Enters the phase, checks the policy, and starts the blocks or leaves the phase.
 * Returns as zio_cset_arm_event(), or what check_policy() returned.
 */
static __always_inline int arm_if(struct zio_cset_core *cset,
				  const struct arm_request *req)
{
	int ret, state;

	if (!begin_arming(cset, &state, req->at))
		return refuse_arming(req->flags & ZIO_ARM_WAKE ? req->chan : NULL, state);
	ret = check_policy(cset, req);
	if (likely(!ret))
		return go_on_arming(cset);
	leave_arming(cset, req->policy);
	return ret;
}

/**
 * zio_cset_arm_event() - arm a set for an event of its trigger
 * @bind: the set's binding; the set may have been given another one meanwhile
 * @at: time of the event; NULL: now, by the trigger's clock
 *
 * Takes one block per active channel and hands them to the driver. A channel without a
 * free block loses one.
 *
 * Context: Any, under RCU.
 *
 * Return: 0 when the blocks are done; -EINPROGRESS when they will be; -EBUSY when the
 * set is armed or frozen; -ESHUTDOWN when the set is disabled, or has another trigger;
 * -ENODEV when the device is gone; else the driver's error.
 */
int zio_cset_arm_event(struct zio_binding *bind, const struct timespec64 *at)
{
	const struct arm_request req = { .policy = ARM_EVENT, .at = at, .bind = bind };

	return arm_if(bind->cset, &req);
}

/**
 * zio_cset_arm_channel() - arm a set if one of its channels has room for a block
 * @chan: the input channel
 * @flags: ZIO_ARM_WAKE: if the set is busy, its users are woken when it is idle
 *
 * As zio_cset_arm_event(), but loses no block of @chan.
 *
 * Context: Any; the caller holds a reference to @chan, or is under RCU.
 *
 * Return: as zio_cset_arm_event(); -ENOBUFS when the channel has no room.
 */
int zio_cset_arm_channel(struct zio_channel_core *chan, unsigned int flags)
{
	const struct arm_request req = {
		.policy = ARM_CHANNEL, .chan = chan, .flags = flags,
	};
	int ret;

	rcu_read_lock();					/* E */
	ret = arm_if(chan->cset, &req);
	rcu_read_unlock();
	return ret;
}

/* The slow path of zio_cset_pull(): a block goes through the queue. */
static struct zio_block *pull_queued(struct zio_channel_core *chan)
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
		ret = zio_cset_arm_channel(chan, ZIO_ARM_WAKE);
	if (ret == -ENOBUFS)
		zio_channel_mark_starved(chan);
	if (ret == -EINPROGRESS || ret == -EBUSY || ret == -ESHUTDOWN ||
	    ret == -ENOBUFS)
		return ERR_PTR(-EAGAIN);
	if (ret)
		return ERR_PTR(ret);
	block = zio_queue_pop(&chan->queue);
	return block ?: ERR_PTR(-EAGAIN);
}

/*
 * Returns the reader's block if it may go past the queue (G), and if the channel still
 * can be pulled. The channel loses no block if no memory is free.
 */
static __always_inline struct zio_block *preallocate_block(struct zio_channel_core *chan)
{
	struct zio_buffer *buf = chan->buf;

	if (unlikely(!chan->cset->can_pull || !chan->enabled ||
		     zio_queue_count(&chan->queue)))		/* G */
		return NULL;
	return buf->type->ops->get_block(buf);
}

/**
 * zio_cset_pull() - arm a set on behalf of a reader
 * @chan: the input channel; the caller has found its queue empty
 *
 * Reports an error of an earlier work item first.
 *
 * Context: Process; the caller holds chan->lock.
 *
 * Return: the reader's block; -EAGAIN when it may come later; -ENODEV when the
 * device is gone; else the driver's error.
 */
struct zio_block *zio_cset_pull(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_block *prealloc, *block;
	int ret, state;

	lockdep_assert_held(&chan->lock);			/* E */
	if (unlikely(!READ_ONCE(cset->can_pull) || READ_ONCE(cset->error) ||
		     !begin_arming(cset, &state, NULL)))
		return pull_queued(chan);
	prealloc = preallocate_block(chan);
	if (unlikely(!prealloc)) {
		make_idle(cset);
		zio_cset_kick(cset);
		return pull_queued(chan);
	}
	ret = start_blocks(cset, false, chan, prealloc);
	if (unlikely(ret)) {
		ret = leave_or_fail(cset, ret);
		if (ret && ret != -EINPROGRESS)
			return ERR_PTR(ret);
		block = zio_queue_pop(&chan->queue);
	} else {
		block = finish_inputs(cset, chan);
	}
	return likely(block) ? block : ERR_PTR(-EAGAIN);
}

/* Removal of a set cancels the work after a grace period: none is queued after that. */
static void kick_in_thread(struct zio_cset_core *cset)
{
	rcu_read_lock();					/* E */
	if (!(atomic_read(&cset->state) & CSET_GONE))
		queue_work(system_dfl_wq, &cset->rearm_work);
	rcu_read_unlock();
}

/*
 * @ret: result of the last attempt; 0 before the first one. A driver's error stops
 * inputs until the next kick. It does not stop outputs: the driver has lost one block,
 * and plays the next.
 */
static __always_inline bool can_try_again(struct zio_cset_core *cset,
					  enum arm_policy policy, int ret)
{
	if (policy == ARM_OUTPUTS)
		return (!ret || ret == -ENOBUFS || zio_is_driver_error(ret)) &&
			has_all_blocks(cset);
	return !ret || (ret == -ENOBUFS &&
			atomic_read(&cset->pending) & ZIO_PENDING_KICK); /* H */
}

/* The caller may be an interrupt handler: after ZIO_MAX_REARMS a work item continues. */
static __always_inline void arm_repeatedly(struct zio_cset_core *cset,
					   enum arm_policy policy)
{
	const struct arm_request req = { .policy = policy };
	unsigned int n = 0;
	int ret = 0;

	while (can_try_again(cset, policy, ret)) {
		if (n++ == ZIO_MAX_REARMS) {
			kick_in_thread(cset);
			return;
		}
		ret = arm_if(cset, &req);
	}
}

/* As zio_cset_kick(); the removal of the set waits for the caller (E). */
static void kick_held(struct zio_cset_core *cset)
{
	if (READ_ONCE(cset->rearm)) {
		if (zio_cset_is_stream(cset)) {
			zio_stream_kick(cset);
			return;
		}
		atomic_fetch_or(ZIO_PENDING_KICK, &cset->pending);	/* H */
		arm_repeatedly(cset, ARM_INPUTS);
	} else if (zio_cset_is_output(cset) && READ_ONCE(cset->on_demand)) {
		smp_mb();						/* J */
		arm_repeatedly(cset, ARM_OUTPUTS);
	}
}

/**
 * zio_cset_kick() - arm a set as often as its trigger allows without an event
 * @cset: the channel set
 *
 * An input whose trigger rearms is armed while a channel has room. Outputs whose
 * trigger is on demand are armed while each of them has a block. For other sets this
 * does nothing. The engine calls this when a set has become idle. Other folders call it
 * when a set has new room or a new block.
 *
 * Context: Any; the caller owns no phase. It holds a reference to the set, or is under RCU.
 */
void zio_cset_kick(struct zio_cset_core *cset)
{
	rcu_read_lock();					/* E */
	kick_held(cset);
	rcu_read_unlock();
}

static void rearm_in_thread(struct work_struct *work)
{
	zio_cset_kick(container_of(work, struct zio_cset_core, rearm_work));
}

/**
 * zio_cset_can_pull() - check whether a reader would get a block at once
 * @cset: the channel set
 *
 * Context: Any.
 *
 * Return: true if zio_cset_pull() would arm the set, and would not wait.
 */
bool zio_cset_can_pull(struct zio_cset_core *cset)
{
	int state = atomic_read(&cset->state);

	return READ_ONCE(cset->can_pull) && !READ_ONCE(cset->async) &&
		!(state & (CSET_STOP | CSET_GONE | CSET_FREEZE)) &&
		(state & CSET_PHASE) != CSET_ARMED;
}

/*
 * Returns the phase before. CSET_ARMED: the caller owns the phase now. CSET_ARMING: the
 * context that is arming will see EARLY. Any other: the driver has no blocks, or the set
 * is a stream.
 */
static int take_from_driver(struct zio_cset_core *cset)
{
	int new, old = atomic_read(&cset->state);
	const int mask = CSET_PHASE | CSET_STREAM;

	do {
		switch (old & mask) {
		case CSET_ARMING:
			new = old | CSET_EARLY;
			break;
		case CSET_ARMED:
			new = (old & ~CSET_PHASE) | CSET_FINISHING;
			break;
		default:
			return old & mask;
		}
	} while (!atomic_try_cmpxchg(&cset->state, &old, new));
	return old & mask;
}

/**
 * zio_cset_done() - give the blocks of a set back, as its driver
 * @pub: the channel set
 *
 * Follows each raw_io() that returns -EAGAIN, and may come before it returns. Does
 * nothing when the core takes the blocks back at the same time, or has done so.
 *
 * Context: Any.
 *
 * Return: true if the blocks are done. If false, the core drops them, and has called
 * stop_io(), or calls it now. A driver that fills blocks from a store of its own keeps
 * what it has stored.
 */
bool zio_cset_done(struct zio_cset *pub)
{
	struct zio_cset_core *cset = to_cset_core(pub);
	int phase;

	rcu_read_lock();					/* E */
	phase = take_from_driver(cset);
	if (phase == CSET_ARMED) {
		zio_cset_finish_blocks(cset);
		kick_held(cset);
	}
	rcu_read_unlock();
	return phase == CSET_ARMED || phase == CSET_ARMING;
}
EXPORT_SYMBOL_GPL(zio_cset_done);

/**
 * zio_cset_init_engine() - initialise the engine's part of a set
 * @cset: the channel set, not yet visible
 *
 * Context: Process.
 */
void zio_cset_init_engine(struct zio_cset_core *cset)
{
	atomic_set(&cset->state, zio_cset_is_stream(cset) ? CSET_STOP | CSET_STREAM : CSET_STOP);
	init_waitqueue_head(&cset->idle_wq);
	INIT_WORK(&cset->arm_work, arm_in_thread);
	INIT_WORK(&cset->rearm_work, rearm_in_thread);
	zio_cset_init_defer(cset);
	zio_watchdog_init(cset);
}
