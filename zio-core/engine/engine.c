// SPDX-License-Identifier: GPL-2.0-only
/*
 * engine.c: the trigger engine: arm, done, abort
 *
 * Each set has one state word: a phase, which says who owns the active
 * blocks, and flags, which keep a set that is idle from being armed.
 *
 *   IDLE       nobody; there are no active blocks
 *   ARMING     the caller of zio_cset_fire(), up to the return of raw_io()
 *   ARMED      the driver, until zio_cset_done()
 *   FINISHING  the caller of zio_cset_done(), or the one that was arming
 *   ABORTING   the holder, who takes the blocks back
 *
 *   IDLE ---fire---> ARMING ---raw_io() = 0, or error------------> IDLE
 *                      |  `----raw_io() = -EAGAIN, and EARLY--> FINISHING
 *                      `-------raw_io() = -EAGAIN--> ARMED
 *   ARMED ---done---> FINISHING ---> IDLE
 *   ARMED ---hold---> ABORTING ----> IDLE
 *
 * EARLY: the driver was done before raw_io() had returned.
 * FREEZE:  the configuration is about to change. The holder waits until the
 *        set is idle, or aborts it.
 * STOP:  the trigger, or the set, is disabled.
 * GONE:  the board is gone; for ever.
 *
 *  - (C) make_idle() and zio_cset_unfreeze() change the word after a barrier. It
 *    pairs with the exchange by which the next owner enters a phase. It pairs, too,
 *    with what a holder does: the holder loads the phase with acquire
 *    (cset_phase()), and has a barrier after it has set FREEZE, as it may find its own
 *    change of the word. Without them, the next owner, or the holder, could miss
 *    what an earlier owner wrote. An exchange that fails orders nothing: D, H and J
 *    say what does.
 *
 * It follows that
 *  - who owns a phase sees all that earlier owners did, and everything that
 *    fast path code reads about the configuration (trigger, buffers, the list
 *    of enabled channels, sizes) is stable while it owns a phase, because it
 *    changes only between hold and release.
 *
 *  - (J) a writer pushes a block, and play_ready() tries to enter a phase after a
 *    barrier. The owner of the phase makes the set idle, and then looks at the
 *    queues. So a writer that finds the set busy may leave. Without the two
 *    barriers, the block could stay in the queue until the next write.
 *
 *  - (D) a reader that finds the set busy joins the wait queue, sets cset->wake_pending
 *    by an exchange, and tries once more. The owner makes the set idle, and then
 *    looks at cset->wake_pending, and wakes. Without, a reader of one channel could
 *    sleep on after the reader of another has left. The exchange orders both
 *    sides: an owner that clears an older note finds the reader in the wait queue.
 *
 *  - (E) who makes the set idle still looks at it, and at its channels, for a
 *    moment, while whoever waited for that may go on to free them. So they are
 *    freed after a grace period, and drivers and triggers call in under RCU.
 *    (Users hold a reference; the work item is flushed.)
 *
 *  - (F) a holder sets FREEZE, and then reads the phase. The owner changes the phase,
 *    then reads FREEZE, and wakes. FREEZE and the phase are in one word, so one of the
 *    two sees the other, without a barrier. In two words, the holder could sleep on.
 *
 *  - (H) who wants a set to be armed again, because there is room now, says so in
 *    cset->kick_pending, and then tries; who owns the phase takes that note away before
 *    he looks for room, and looks at it again after he found none and has made
 *    the set idle. Without, both could leave, and nobody would arm it.
 *
 *  - (G) a reader's block may pass by his queue only if that is empty, and it
 *    is so for sure only when he owns the phase: until then somebody else may
 *    have fired, and queued an older block.
 *
 * The counters of a set and of its channels are written by the owner of the
 * phase alone; who shows them reads a word that may be one event old.
 *
 * A set that sleeps is armed from a work item; ARMING lasts until that ran.
 */
#include <linux/export.h>
#include <linux/ktime.h>

#include "engine/block.h"
#include "engine/internal.h"

/* How often a set is armed again, or plays, at a stretch, if its driver is quick */
#define ZIO_MAX_REARMS	64

/**
 * zio_cset_wake() - let all users of a set look again
 * @cset: the channel set
 *
 * Any context. After something other than a block has happened: an error, a
 * change of the configuration, the end of the board.
 */
void zio_cset_wake(struct zio_cset_core *cset)
{
	__poll_t key = ZIO_WAKE_IN | ZIO_WAKE_OUT;
	unsigned int i;

	if (READ_ONCE(cset->gone))
		key |= EPOLLHUP | EPOLLERR;
	for (i = 0; i < cset->n_chan; i++) {
		zio_channel_wake(cset->chan[i], key);
		zio_channel_notify(cset->chan[i]);
	}
}

/* Who waits for a set to be done is told when it can be armed again. */
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
 * The queue of a reader who pulls is empty, and nobody else takes from it: so
 * his block need not go through it. It is returned.
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

static void finish_blocks(struct zio_cset_core *cset)
{
	if (zio_cset_is_output(cset))
		finish_outputs(cset);
	else
		finish_inputs(cset, NULL);
}

static void fail_arm(struct zio_cset_core *cset, int error)
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
		finish_blocks(cset);
		return 0;
	}
	if (new & CSET_FREEZE)
		wake_up(&cset->idle_wq);
	return -EINPROGRESS;
}

/* What the engine says itself, a driver cannot say. */
static int driver_error(int error)
{
	switch (error) {
	case -EAGAIN:
	case -EBUSY:
	case -EINPROGRESS:
	case -ENODEV:
	case -ESHUTDOWN:
		return -EIO;
	}
	return error < 0 ? error : -EIO;
}

/* raw_io() did not say 0. */
static int leave_or_fail(struct zio_cset_core *cset, int ret)
{
	if (ret == -EAGAIN && !WARN_ON_ONCE(!cset->ops->stop_io)) {
		WRITE_ONCE(cset->async, true);
		return zio_cset_leave_armed(cset);
	}
	ret = driver_error(ret);
	fail_arm(cset, ret);
	return ret;
}

/*
 * The blocks of all channels, from memory or queue to the driver. An event for which
 * there is no block at all is lost, and no business of his: he would never be done.
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

/* Each direction on its own: the way of an event is short, without a branch. */
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

static void arm_in_thread(struct work_struct *work)
{
	struct zio_cset_core *cset = container_of(work, struct zio_cset_core, arm_work);

	int ret = arm_cset(cset);

	/* An input that fails is armed again by who is told so, not at once. */
	if (ret != -EINPROGRESS && !(ret && READ_ONCE(cset->rearm)))
		zio_cset_kick(cset);
}

static int refuse_fire(int state)
{
	if (state & CSET_GONE)
		return -ENODEV;
	if (state & CSET_STOP)
		return -ESHUTDOWN;
	return -EBUSY;
}

/* @at: time of the event; NULL: now, by the trigger's clock */
static __always_inline bool begin_arming(struct zio_cset_core *cset, int *state,
					 const struct timespec64 *at)
{
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
		queue_work(system_unbound_wq, &cset->arm_work);
		return -EINPROGRESS;
	}
	return arm_cset(cset);
}

/**
 * zio_cset_fire() - arm a set now
 * @cset: the channel set
 *
 * Any context. Takes one block per enabled channel and hands them to the
 * driver.
 *
 * Return: 0 when the blocks are done; -EINPROGRESS when they will be; -EBUSY
 * when the set is armed or held; -ESHUTDOWN when it, or its trigger, is
 * disabled; -ENODEV when the board is gone; else the driver's error.
 */
int zio_cset_fire(struct zio_cset_core *cset)
{
	int state;

	if (!begin_arming(cset, &state, NULL))
		return refuse_fire(state);
	return go_on_arming(cset);
}

/**
 * zio_binding_fire() - arm a set, because its trigger says so
 * @bind: the set's binding, which may have been replaced just now
 * @at: time of the event
 *
 * Any context, under RCU.
 *
 * Return: as zio_cset_fire(); -ESHUTDOWN if the set has another trigger.
 */
int zio_binding_fire(struct zio_binding *bind, const struct timespec64 *at)
{
	struct zio_cset_core *cset = bind->cset;
	int state;

	if (!begin_arming(cset, &state, at))
		return refuse_fire(state);
	if (likely(cset->bind == bind))
		return go_on_arming(cset);
	make_idle(cset);
	zio_cset_kick(cset);
	return -ESHUTDOWN;
}

static bool has_room(struct zio_channel_core *chan)
{
	const struct zio_channel_ops *ops = READ_ONCE(chan->ops);
	struct zio_buffer *buf = chan->buf;

	return zio_queue_count(&chan->queue) < buf->len &&
		buf->type->ops->has_room(buf) &&
		(!ops || !ops->has_room || ops->has_room(chan));
}

static bool can_have_room(struct zio_channel_core *chan)
{
	while (!has_room(chan))
		if (!zio_channel_reclaim_read(chan))
			return false;
	return true;
}

/**
 * zio_cset_top_up() - fire for a channel that would like one block more
 * @chan: the input channel
 *
 * Any context. Does not fire when the channel has no room: nothing is lost
 * because somebody asked for more than fits.
 *
 * Return: as zio_cset_fire(); -ENOBUFS without room.
 */
int zio_cset_top_up(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	int state;

	if (!begin_arming(cset, &state, NULL))
		return refuse_fire(state);
	if (!can_have_room(chan)) {
		make_idle(cset);
		/* Its trigger may have changed since the caller looked. */
		zio_cset_kick(cset);
		return -ENOBUFS;
	}
	return go_on_arming(cset);
}

/**
 * zio_cset_ask() - fire for a channel, or be woken
 * @chan: the input channel
 *
 * As zio_cset_top_up(), but after -EBUSY all users of the set are woken when
 * it is idle again.
 */
int zio_cset_ask(struct zio_channel_core *chan)
{
	int ret = zio_cset_top_up(chan);

	if (ret != -EBUSY)
		return ret;
	xchg(&chan->cset->wake_pending, 1);				/* D */
	return zio_cset_top_up(chan);
}

/* What cannot be done on the spot. The block, if any, is in the queue. */
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
		ret = zio_cset_ask(chan);
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
 * What the reader will get, if he may be given it past his queue (G), and if
 * all is still as it was when he decided to pull. Otherwise nothing has happened:
 * a reader who finds no memory has lost no block.
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
 * zio_cset_pull() - fire on behalf of a reader
 * @chan: the reader's input channel, whose lock he holds, and whose queue he
 *        has found empty
 *
 * Process context. An error that a thread met earlier is told first.
 *
 * Return: the reader's block; -EAGAIN when it may come later; -ENODEV when the
 * board is gone; else the driver's error.
 */
struct zio_block *zio_cset_pull(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_block *prealloc, *block;
	int ret, state;

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

static bool output_is_ready(struct zio_cset_core *cset)
{
	unsigned int i, n_active = READ_ONCE(cset->n_active);

	for (i = 0; i < n_active; i++)
		if (!zio_queue_count(&READ_ONCE(cset->active[i])->queue))
			return false;
	return n_active;
}

/*
 * Somebody else may have played what was ready a moment ago: only who owns the
 * phase knows. An empty queue is a loss then, and none is meant.
 */
static int play_if_ready(struct zio_cset_core *cset)
{
	int state;

	if (!begin_arming(cset, &state, NULL))
		return refuse_fire(state);
	if (output_is_ready(cset))
		return go_on_arming(cset);
	make_idle(cset);
	return 0;
}

/* A set that is gone has its work cancelled after a grace period, and for ever. */
static void kick_in_thread(struct zio_cset_core *cset)
{
	rcu_read_lock();					/* E */
	if (!(atomic_read(&cset->state) & CSET_GONE))
		queue_work(system_unbound_wq, &cset->rearm_work);
	rcu_read_unlock();
}

/*
 * An output that is done at once may do this in an interrupt, while others write. After
 * a while it is the business of a thread.
 */
static void play_ready(struct zio_cset_core *cset)
{
	unsigned int n = 0;
	int ret;

	smp_mb();						/* J */
	while (output_is_ready(cset)) {
		if (n++ == ZIO_MAX_REARMS) {
			kick_in_thread(cset);
			return;
		}
		ret = play_if_ready(cset);
		if (ret == -EBUSY || ret == -EINPROGRESS ||
		    ret == -ESHUTDOWN || ret == -ENODEV)
			break;
	}
}

/*
 * Where the board says itself when there is something, a new block may be worth an
 * old one. A driver that is done at once would make new ones for ever.
 */
static bool make_room(struct zio_channel_core *chan)
{
	while (!can_have_room(chan))
		if (!READ_ONCE(chan->cset->async) || !zio_channel_drop_oldest(chan))
			return false;
	return true;
}

/* A channel that nobody reads must not stop the others: it loses blocks. */
static bool set_has_room(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_active; i++)
		if (make_room(cset->active[i]))
			return true;
	return false;
}

static int arm_if_room(struct zio_cset_core *cset)
{
	int state;

	if (!begin_arming(cset, &state, NULL))
		return refuse_fire(state);
	xchg(&cset->kick_pending, 0);					/* H */
	if (set_has_room(cset))
		return go_on_arming(cset);
	make_idle(cset);
	/* The watermark may be out of reach: let them have what is there. */
	zio_cset_wake(cset);
	return -ENOBUFS;
}

/*
 * Who has put one block must not go on for ever on behalf of those who put theirs
 * meanwhile: after a while it is the business of a thread.
 */
static void keep_armed(struct zio_cset_core *cset)
{
	unsigned int n = 0;
	int ret;

	xchg(&cset->kick_pending, 1);					/* H */
	do {
		if (n++ == ZIO_MAX_REARMS) {
			kick_in_thread(cset);
			return;
		}
		ret = arm_if_room(cset);
	} while (!ret || (ret == -ENOBUFS && READ_ONCE(cset->kick_pending))); /* H */
}

static void rearm_in_thread(struct work_struct *work)
{
	zio_cset_kick(container_of(work, struct zio_cset_core, rearm_work));
}

/**
 * zio_cset_kick() - do what can be done without an event
 * @cset: the channel set
 *
 * Any context; the caller owns no phase. Outputs play all that is ready, if
 * their trigger is on demand; an input whose trigger says so is armed if there
 * is room for a block. To be called when a set has become idle, and when there is
 * new room, or a new block.
 */
void zio_cset_kick(struct zio_cset_core *cset)
{
	if (READ_ONCE(cset->rearm))
		keep_armed(cset);
	else if (zio_cset_is_output(cset) && READ_ONCE(cset->on_demand))
		play_ready(cset);
}

/**
 * zio_cset_can_pull() - would firing now give a block at once?
 * @cset: the channel set
 *
 * Any context. No side effects.
 */
bool zio_cset_can_pull(struct zio_cset_core *cset)
{
	int state = atomic_read(&cset->state);

	return READ_ONCE(cset->can_pull) && !READ_ONCE(cset->async) &&
		!(state & (CSET_STOP | CSET_GONE | CSET_FREEZE)) &&
		(state & CSET_PHASE) != CSET_ARMED;
}

/* @owned: the phase is the caller's; else the one that is arming will see EARLY */
static bool take_from_driver(struct zio_cset_core *cset, bool *owned)
{
	int new, old = atomic_read(&cset->state);

	do {
		switch (old & CSET_PHASE) {
		case CSET_ARMING:
			new = old | CSET_EARLY;
			break;
		case CSET_ARMED:
			new = (old & ~CSET_PHASE) | CSET_FINISHING;
			break;
		default:
			return false;
		}
	} while (!atomic_try_cmpxchg(&cset->state, &old, new));
	*owned = (new & CSET_PHASE) == CSET_FINISHING;
	return true;
}

/**
 * zio_cset_done() - the driver gives the blocks back
 * @cset: the channel set
 *
 * Any context. Pairs with a raw_io() that returns, or is about to return,
 * -EAGAIN. When the core takes them back just now, or has done so, there is
 * nothing to give back, and the call does nothing.
 *
 * Return: whether the blocks are done. If not, the core drops them, and
 * stop_io() is called, or has been: a driver that passes on what it has from
 * elsewhere still has it.
 */
bool zio_cset_done(struct zio_cset *pub)
{
	struct zio_cset_core *cset = to_cset_core(pub);
	bool done, owned = false;

	rcu_read_lock();					/* E */
	done = take_from_driver(cset, &owned);
	if (owned) {
		finish_blocks(cset);
		zio_cset_kick(cset);
	}
	rcu_read_unlock();
	return done;
}
EXPORT_SYMBOL_GPL(zio_cset_done);

void zio_cset_init_engine(struct zio_cset_core *cset)
{
	atomic_set(&cset->state, CSET_STOP);
	init_waitqueue_head(&cset->idle_wq);
	INIT_WORK(&cset->arm_work, arm_in_thread);
	INIT_WORK(&cset->rearm_work, rearm_in_thread);
	zio_watchdog_init(cset);
}
