// SPDX-License-Identifier: GPL-2.0-only
/*
 * poll.c: poll of the data and control nodes
 *
 * After poll() reports data, read() finds data.
 */
#include <linux/fs.h>
#include <linux/ktime.h>

#include "channel/internal.h"

/* Time limit for a ring's poll to acquire more blocks than the watermark */
#define FILL_RING_NS	(100 * NSEC_PER_USEC)

/* If the channel has no room, the next block put wakes the poller. */
static int poll_arm_or_be_woken(struct zio_channel_core *chan)
{
	int ret = zio_cset_arm_channel(chan, ZIO_ARM_WAKE | ZIO_ARM_NEW, 1);

	if (ret != -ENOBUFS || mutex_lock_killable(&chan->lock))
		return ret;
	zio_channel_mark_starved(chan);
	ret = zio_cset_arm_channel(chan, ZIO_ARM_WAKE | ZIO_ARM_NEW, 1);
	mutex_unlock(&chan->lock);
	return ret;
}

static __poll_t poll_input(struct file *file, bool ctrl)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	struct zio_cset_core *cset = chan->cset;
	int ret;

	if (READ_ONCE(cset->gone))
		return EPOLLHUP | EPOLLERR;
	if (READ_ONCE(cset->error) || READ_ONCE(chan->ops) || READ_ONCE(sess->is_stale))
		return EPOLLIN | EPOLLRDNORM | EPOLLERR;
	if (READ_ONCE(sess->block) && !(ctrl && READ_ONCE(sess->ctrl_seen)))
		return EPOLLIN | EPOLLRDNORM;
	if (zio_channel_has_block(chan))
		return EPOLLIN | EPOLLRDNORM;
	if (!READ_ONCE(chan->enabled) || !READ_ONCE(cset->on_demand))
		return 0;
	if (zio_cset_can_pull(cset) && !zio_channel_is_starved(chan))
		return EPOLLIN | EPOLLRDNORM;
	/*
	 * Arm an asynchronous driver now, because a program in poll() makes no other call. This
	 * acquires one block at most, which stays queued until it is read.
	 */
	ret = poll_arm_or_be_woken(chan);
	if (zio_is_driver_error(ret)) {
		/* The failure woke this poll. Unless it is reported, polling would never end. */
		WRITE_ONCE(cset->error, ret);
		return EPOLLIN | EPOLLRDNORM | EPOLLERR;
	}
	return zio_queue_count(&chan->queue) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Arms the ring's channel or set for up to @n blocks. Returns -ESHUTDOWN if nothing is enabled. */
static int poll_arm_for_ring(const struct zio_ring *ring, struct zio_channel_core *chan,
			     unsigned int flags, unsigned int n)
{
	struct zio_cset_core *cset = chan->cset;
	int ret = -ESHUTDOWN;

	if (!ring->entry)
		return READ_ONCE(chan->enabled) ? zio_cset_arm_channel(chan, flags, n) : ret;
	/* Until a set is gone, its channels exist. */
	rcu_read_lock();					/* E */
	if (!READ_ONCE(cset->gone) && READ_ONCE(cset->n_active))
		ret = zio_cset_arm_channel(READ_ONCE(cset->active[0]), flags, n);
	rcu_read_unlock();
	return ret;
}

/*
 * Acquires blocks up to the watermark when a program waits for its ring under a trigger on demand.
 * If the blocks arrive fast, acquires up to half the buffer, so that the program polls less often.
 * The poller is not yet in the wait queue, so these blocks wake no process.
 */
static void poll_fill_ring(struct zio_ring *ring, struct zio_channel_core *chan)
{
	unsigned int want = READ_ONCE(chan->watermark), most = want;
	u32 first = READ_ONCE(*ring->head), n = 0, before;
	u64 start = ktime_get_ns();
	int ret;

	do {
		before = n;
		ret = poll_arm_for_ring(ring, chan, 0, min(most - n, ZIO_PULL_BLOCKS));
		n = READ_ONCE(*ring->head) - first;
		if (n >= want && ktime_get_ns() - start < FILL_RING_NS)
			most = max(want, READ_ONCE(chan->len) / 2);
		else
			most = want;
	} while (!ret && n != before && n < most && zio_ring_count(ring) < most &&
		 !zio_must_stop());
	if (zio_is_driver_error(ret))
		WRITE_ONCE(ring->error, ret);
}

/*
 * Polls a ring. @chan: its channel, or the set's first channel, in whose wait queue the program
 * sleeps.
 */
__poll_t zio_poll_ring(struct file *file, struct poll_table_struct *wait,
		       struct zio_ring *ring, struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	bool ask = READ_ONCE(cset->on_demand);
	__poll_t key = 0;

	/* The trigger may have changed since the last poll. */
	WRITE_ONCE(ring->hdr->flags, zio_ring_flags(cset));
	if (ask && !zio_ring_count(ring))
		poll_fill_ring(ring, chan);
	zio_poll_wait(file, &chan->wq, wait);
	if (ask && !zio_ring_count(ring) && !READ_ONCE(ring->error))
		poll_arm_for_ring(ring, chan, ZIO_ARM_WAKE, 1);
	/* The ring may have been full: moving the tail makes no system call. */
	if (READ_ONCE(cset->rearm))
		zio_cset_kick(cset);
	if (READ_ONCE(cset->gone))
		return EPOLLHUP | EPOLLERR;
	if (READ_ONCE(cset->error) || READ_ONCE(ring->error))
		key |= EPOLLERR;
	if (zio_ring_count(ring))
		key |= EPOLLIN | EPOLLRDNORM;
	return key;
}

__poll_t zio_poll_data_in(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;

	zio_poll_wait(file, &sess->chan->wq, wait);
	return poll_input(file, false);
}

__poll_t zio_poll_ctrl_in(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;

	if (zio_has_ring(file))
		return zio_poll_ring(file, wait, sess->chan->ring, sess->chan);
	zio_poll_wait(file, &sess->chan->wq, wait);
	return poll_input(file, true);
}

__poll_t zio_poll_out(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	__poll_t key = 0;

	zio_poll_wait(file, &chan->wq, wait);
	if (mutex_lock_killable(&chan->lock))
		return EPOLLERR;
	if (READ_ONCE(chan->cset->gone))
		key = EPOLLHUP | EPOLLERR;
	else if (chan->ops || sess->is_stale)
		key = EPOLLOUT | EPOLLWRNORM | EPOLLERR;
	else if (sess->block || chan->buf->type->ops->has_room(chan->buf))
		key = EPOLLOUT | EPOLLWRNORM;
	else
		zio_ostream_hasten(chan, ZIO_HASTE_NOW);
	mutex_unlock(&chan->lock);
	return key;
}
