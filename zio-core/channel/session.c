// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c: one user of a channel, and its current block
 *
 * The control node and the data node that a process has open on a channel are one session, so the
 * control and the data it reads belong to the same block. Children share the session with the files
 * they inherit. Another process is another session and gets other blocks.
 *
 * A session has one current block. When a program reads several controls at once, their blocks wait
 * behind it. When the session's last file is closed, unread input blocks stay for the channel's
 * next reader, and a partly written output block is queued as a short block.
 *
 * chan->lock protects all of this. A session drops it to sleep for a block.
 *
 *   U  A user enters a wait queue, then (full barrier) looks for what it waits for. Another
 *      context provides that, then (full barrier in wq_has_sleeper()) looks at the wait
 *      queue. Otherwise the user could find no block and the other context no sleeper, and
 *      the user would sleep until the next block, or for ever. All wait queues of the core
 *      follow this rule: a poll has its barrier in zio_poll_wait(), and a read of a tap and
 *      an fsync() have theirs in wait_event().
 */
#include <linux/export.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "channel/internal.h"

/*
 * Waits for a contended lock, even for a non-blocking caller: no lock holder sleeps for a block,
 * user memory or an event.
 */
int zio_session_wait_lock(struct zio_session *sess)
{
	return mutex_lock_killable(&sess->chan->lock) ? -ERESTARTSYS : 0;
}
EXPORT_SYMBOL_GPL(zio_session_wait_lock);

/*
 * Makes the next access fail once after a block was taken away. Otherwise a program that has read
 * or written part of it would continue in another block. The session is locked.
 */
void zio_session_mark_stale(struct zio_session *sess)
{
	sess->chan->n_stale += !sess->is_stale;
	WRITE_ONCE(sess->is_stale, true);
	sess->chan->slowpath = true;
}

/* Clears the stale mark; returns true if it was set. The session is locked. */
static bool session_take_stale(struct zio_session *sess)
{
	if (likely(!sess->is_stale))
		return false;
	WRITE_ONCE(sess->is_stale, false);
	sess->chan->n_stale--;
	return true;
}

static struct zio_session *session_find(struct zio_channel_core *chan)
{
	struct zio_session *sess;

	list_for_each_entry(sess, &chan->sessions, node)
		if (sess->tgid == task_tgid(current))
			return sess;
	return NULL;
}

/*
 * A user has come or gone; the channel is locked. If unread blocks may be dropped now, a set that
 * had no room resumes. An output has no taps.
 */
void zio_channel_note_readers(struct zio_channel_core *chan)
{
	WRITE_ONCE(chan->only_taps, chan->n_taps && list_empty(&chan->sessions));
	if (!chan->only_taps)
		return;
	zio_channel_drop_left(chan);
	zio_cset_kick(chan->cset);
}

/* Returns the session of this process, with one more user. */
__cold struct zio_session *zio_session_open(struct zio_channel_core *chan)
{
	struct zio_session *sess, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->chan = chan;
	refcount_set(&new->ref, 1);
	new->dropped = READ_ONCE(chan->dropped);
	new->tgid = get_pid(task_tgid(current));
	kobject_get(&chan->kobj);

	if (mutex_lock_killable(&chan->lock)) {
		zio_session_drop(new);
		return ERR_PTR(-EINTR);
	}
	sess = session_find(chan);
	if (!sess) {
		sess = new;
		list_add_tail(&sess->node, &chan->sessions);
	}
	sess->users++;
	zio_channel_note_readers(chan);
	mutex_unlock(&chan->lock);

	if (sess != new)
		zio_session_drop(new);
	return sess;
}

/* Puts a block back for the next reader, the oldest first. The channel is locked. */
void zio_channel_requeue(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_block_core *new = to_block_core(block), *pos;

	list_for_each_entry(pos, &chan->unread, link)
		if ((s32)(pos->seq - new->seq) > 0)
			break;
	list_add_tail(&new->link, &pos->link);
	chan->slowpath = true;
}

/*
 * Drops a block that no other reader can have whole. The next block taken gets an alarm for the
 * gap, and the dropped block's alarms if no control reported them.
 */
static void session_drop_left(struct zio_channel_core *chan, struct zio_block *block)
{
	int alarms = block->zio_alarms | block->drv_alarms << 8;
	struct zio_block_core *core = to_block_core(block);
	u32 seq = core->seq;

	if (READ_ONCE(chan->cset->gone)) {
		zio_block_put(chan, block);
		return;
	}
	WRITE_ONCE(chan->flushed, chan->flushed + 1);
	zio_trace_lost(chan->cset, chan, 1, seq, ZIO_LOSS_LEFT, 0);
	/* The next block reports what no program has seen in a control. */
	if (core->ctrl_seen) {
		alarms = 0;
	} else {
		chan->left_lost += core->lost;
		chan->left_missed += core->missed;
	}
	chan->left_lost++;
	atomic_or(ZIO_ALARM_LOST_BLOCK | alarms, &chan->alarms_dropped);
	atomic_or(ZIO_ALARM_LOST_BLOCK, &chan->alarms);
	zio_channel_mark_gap(chan);
	zio_channel_put_block(chan, block);
}

/*
 * Drops the blocks that an input's former readers left, so that the oldest unread block is in the
 * queue, where the owner of the phase can drop it. The channel is locked.
 */
void zio_channel_drop_left(struct zio_channel_core *chan)
{
	struct zio_block_core *block, *next;

	list_for_each_entry_safe(block, next, &chan->unread, link) {
		list_del(&block->link);
		session_drop_left(chan, &block->block);
	}
}

/*
 * An input session's last user is gone. Leaves the blocks of which no sample was read to the next
 * reader.
 */
static void session_leave_blocks(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block *block = sess->block;

	if (!block)
		return;
	for (; block; block = sess->block) {
		to_block_core(block)->ctrl_seen = sess->ctrl_seen;
		zio_session_advance(sess);
		if (to_block_core(block)->used)
			session_drop_left(chan, block);
		else
			zio_channel_requeue(chan, block);
	}
	zio_channel_wake(chan, ZIO_WAKE_IN);
}

/* Queues a partly written output block as a short one; puts an empty one. The session is locked. */
void zio_session_flush(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block *block = sess->block;
	struct zio_block_core *core = to_block_core(block);
	unsigned int ssize = chan->cset->ssize;

	core->used -= ssize ? core->used % ssize : 0;
	if (core->used) {
		zio_session_submit(sess);
		return;
	}
	zio_session_put(sess);
	zio_channel_wake(chan, ZIO_WAKE_OUT);
}

/* Drops a reference to a closed session. The last session linked to it frees it. */
void zio_session_drop(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;

	if (!refcount_dec_and_test(&sess->ref))
		return;
	zio_snapshot_put(sess->snap);
	put_pid(sess->tgid);
	kfree(sess);
	kobject_put(&chan->kobj);
}

/* Drops one user of the session, perhaps the last. */
__cold void zio_session_close(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	bool last;

	mutex_lock(&chan->lock);
	last = !--sess->users;
	if (last) {
		list_del(&sess->node);
		session_take_stale(sess);
		if (sess->block && zio_cset_is_output(chan->cset))
			zio_session_flush(sess);
		else
			session_leave_blocks(sess);
		/* prefer-new could drop nothing behind blocks left here. */
		if (!list_empty(&chan->unread) && READ_ONCE(chan->buf->prefer_new))
			zio_channel_drop_left(chan);
		if (list_empty(&chan->sessions))
			zio_ostream_hasten(chan, ZIO_HASTE_LAST);
	}
	zio_channel_note_readers(chan);
	mutex_unlock(&chan->lock);
	if (!last)
		return;
	zio_share_ops->unlink(sess);
	zio_session_drop(sess);
}

/*
 * Drops all blocks that programs hold or have left. A program that has read or written part of a
 * block, or its control, gets -ESTALE once. The channel is locked.
 */
void zio_sessions_drop(struct zio_channel_core *chan)
{
	struct zio_session *sess;
	struct zio_block *block;

	list_for_each_entry(sess, &chan->sessions, node) {
		if (sess->block && (sess->ctrl_seen || to_block_core(sess->block)->used))
			zio_session_mark_stale(sess);
		while ((block = sess->block)) {
			to_block_core(block)->ctrl_seen = sess->ctrl_seen;
			zio_session_advance(sess);
			if (zio_cset_is_output(chan->cset))
				zio_block_put(chan, block);
			else
				session_drop_left(chan, block);
		}
	}
	zio_channel_drop_left(chan);
}

/* A block was put while chan->waiters is not 0. The channel is locked. */
void zio_channel_notify_room(struct zio_channel_core *chan)
{
	if (zio_cset_is_stream(chan->cset) && chan->waiters == ZIO_WAITERS_REARM &&
	    !zio_stream_wants_room(chan))
		return;
	WRITE_ONCE(chan->waiters, chan->waiters & ~ZIO_WAITERS_STARVED);
	wake_up_poll(&chan->wq, EPOLLIN | EPOLLRDNORM);
	if (chan->cset->rearm)
		zio_cset_kick(chan->cset);
}

/* Returns the session's block numbered @seq, or NULL. The session is locked. */
struct zio_block *zio_session_find(const struct zio_session *sess, u32 seq)
{
	struct zio_block_core *block = sess->more;
	unsigned int n = sess->n_more;

	if (sess->block && to_block_core(sess->block)->seq == seq)
		return sess->block;
	for (; n--; block = block->next)
		if (block->seq == seq)
			return &block->block;
	return NULL;
}

/* Puts any block of a session, as found by zio_session_find(). */
void zio_session_leave_block(struct zio_session *sess, struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block), *before = NULL, *pos;

	if (block == sess->block) {
		zio_session_put(sess);
		return;
	}
	for (pos = sess->more; pos != core; pos = pos->next)
		before = pos;
	if (before)
		before->next = core->next;
	else
		sess->more = core->next;
	if (sess->last == core)
		sess->last = before;
	sess->n_more--;
	zio_channel_put_block(sess->chan, block);
}

/* Queues the session's complete output block. The session is locked. */
void zio_session_submit(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block *block = sess->block;
	struct zio_block_core *core = to_block_core(block);

	block->len = core->used;
	core->seq = chan->seq++;
	sess->block = NULL;
	zio_output_push(chan, block);
	zio_cset_kick_held(chan->cset);
}

/* Takes a queued block, or arms the set for one. */
static __always_inline struct zio_block *session_take_new(struct zio_channel_core *chan)
{
	struct zio_block *block = zio_queue_pop(&chan->queue) ?: zio_cset_pull(chan);

	if (IS_ERR(block))
		return block;
	zio_channel_note_taken(chan, block);
	to_block_core(block)->ctrl_seen = false;
	return block;
}

/* Takes a block left by a reader, or a new one. With a ring or routes, readers get none. */
static noinline struct zio_block *session_take_block_slow(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block_core *left;

	if (READ_ONCE(chan->cset->gone)) /* and its buffer, too */
		return ERR_PTR(-ENODEV);
	if (session_take_stale(sess))
		return ERR_PTR(-ESTALE);
	if (chan->ring && !chan->ring->entry)
		return ERR_PTR(zio_ring_take_error(chan->ring, chan->cset) ?: -EBUSY);
	if (chan->ops)
		return ERR_PTR(-EBUSY);
	left = list_first_entry_or_null(&chan->unread, struct zio_block_core, link);
	if (left)
		list_del(&left->link);
	chan->slowpath = !list_empty(&chan->unread) || chan->n_stale;
	if (!left)
		return session_take_new(chan);
	zio_block_take_dropped(chan, &left->block);
	return &left->block;
}

/* zio_session_try_input() when chan->slowpath is set. */
int zio_session_try_slow(struct zio_session *sess)
{
	struct zio_block *block = session_take_block_slow(sess);

	if (IS_ERR(block))
		return PTR_ERR(block);
	WRITE_ONCE(sess->ctrl_seen, to_block_core(block)->ctrl_seen);
	sess->block = block;
	return 0;
}

/*
 * Queues @n more blocks for a reader that has one and room for them, while none is queued. Does so
 * only if they come at once and the set has no other channel. The session is locked. The next read
 * reports an error.
 */
void zio_session_pull_ahead(struct zio_session *sess, size_t n)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_cset_core *cset = chan->cset;
	int ret;

	if (n < 2 || chan->slowpath || !READ_ONCE(cset->can_pull) || READ_ONCE(cset->async) ||
	    READ_ONCE(cset->n_active) != 1 || !READ_ONCE(chan->enabled) || READ_ONCE(cset->error))
		return;
	ret = zio_cset_arm_channel(chan, ZIO_ARM_NEW, min_t(size_t, n, ZIO_PULL_BLOCKS));
	if (unlikely(ret) && zio_is_driver_error(ret))
		cmpxchg(&cset->error, 0, ret);
}

/*
 * Fetches another block beside those of the session, if one is there or comes at once. Leaves an
 * error in the set for a read that can return it.
 */
struct zio_block *zio_session_fetch(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	bool starved = zio_channel_is_starved(chan);
	struct zio_block *block;

	if (!zio_channel_has_block(chan) &&
	    (!READ_ONCE(chan->cset->can_pull) || READ_ONCE(chan->cset->async) ||
	     !READ_ONCE(chan->enabled) || READ_ONCE(chan->cset->error)))
		return ERR_PTR(-EAGAIN);
	block = unlikely(chan->slowpath) ? session_take_block_slow(sess) : session_take_new(chan);
	if (!IS_ERR(block))
		return block;
	/* The session itself holds the blocks, and its next read puts them: it is not starved. */
	if (!starved)
		WRITE_ONCE(chan->waiters, chan->waiters & ~ZIO_WAITERS_STARVED);
	if (PTR_ERR(block) != -EAGAIN && zio_is_driver_error(PTR_ERR(block)))
		cmpxchg(&chan->cset->error, 0, (int)PTR_ERR(block));
	return block;
}

/* Adds a block whose control has been read behind the current one. */
void zio_session_hold(struct zio_session *sess, struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);

	if (sess->n_more++)
		sess->last->next = core;
	else
		sess->more = core;
	sess->last = core;
}

static int session_try_output(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block *block;

	if (READ_ONCE(chan->cset->gone))
		return -ENODEV;
	if (unlikely(chan->slowpath)) {
		if (session_take_stale(sess))
			return -ESTALE;
		if (chan->ops)
			return -EBUSY;
		chan->slowpath = chan->n_stale;
	}
	block = chan->buf->type->ops->get_block(chan->buf);
	if (!block) {
		zio_ostream_hasten(chan, ZIO_HASTE_NOW);
		return -EAGAIN;
	}
	to_block_core(block)->used = 0;
	block->len = block->size;
	block->tstamp = (struct zio_timestamp){ 0 };
	block->zio_alarms = 0;
	block->drv_alarms = 0;
	if (unlikely(block->values))
		zio_block_reset_values(chan, block);
	WRITE_ONCE(sess->ctrl_seen, false);
	sess->block = block;
	return 0;
}

static __always_inline int session_try_block(struct zio_session *sess)
{
	if (sess->block)
		return 0;
	return zio_cset_is_output(sess->chan->cset) ? session_try_output(sess) :
						      zio_session_try_input(sess);
}

/*
 * Waits for a current block; each wake-up retries. The session is locked, except during the sleep.
 * Returns as zio_session_next().
 */
int zio_session_wait(struct zio_session *sess)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct zio_channel_core *chan = sess->chan;
	int ret;

	add_wait_queue(&chan->wq, &wait);
	WRITE_ONCE(chan->waiters, chan->waiters + ZIO_WAITERS_READER);
	smp_mb();						/* U */
	while ((ret = session_try_block(sess)) == -EAGAIN) {
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		mutex_unlock(&chan->lock);
		wait_woken(&wait, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
		mutex_lock(&chan->lock);
	}
	WRITE_ONCE(chan->waiters, chan->waiters - ZIO_WAITERS_READER);
	remove_wait_queue(&chan->wq, &wait);
	return ret;
}

/*
 * Gets a current block. For an input that is the current block or the next one; for an output the
 * block being filled, or an empty one. The session is locked, except during a sleep.
 *
 * Sleeps unless @nowait. Returns 0; -EAGAIN if @nowait; -ENODEV when the board is gone; -ESTALE,
 * once, after a block was taken away; -EBUSY while the channel has a ring or a route; -ERESTARTSYS;
 * or an error of the driver.
 */
int zio_session_next(struct zio_session *sess, bool nowait)
{
	int ret = session_try_block(sess);

	if (likely(ret != -EAGAIN) || nowait)
		return ret;
	return zio_session_wait(sess);
}
EXPORT_SYMBOL_GPL(zio_session_next);

/* zio_session_next(), but first replaces an empty output block of a former size. */
int zio_session_next_full(struct zio_session *sess, bool nowait)
{
	struct zio_block *block = sess->block;

	if (block && !to_block_core(block)->used && block->size != sess->chan->buf->block_size)
		zio_session_flush(sess);
	return zio_session_next(sess, nowait);
}
