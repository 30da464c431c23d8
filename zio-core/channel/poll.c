// SPDX-License-Identifier: GPL-2.0-only
/*
 * poll.c: poll of the data and control nodes
 *
 * When poll() reports data, read() finds data.
 */
#include <linux/fs.h>
#include <linux/ktime.h>

#include "channel/internal.h"

/* How long a poll of a ring may acquire more blocks than the watermark */
#define FILL_RING_NS	(100 * NSEC_PER_USEC)

/* If the channel has no room, the next put of a block wakes the poller. */
static void arm_or_be_woken(struct zio_channel_core *chan)
{
	if (zio_cset_arm_channel(chan, ZIO_ARM_WAKE) != -ENOBUFS)
		return;
	if (mutex_lock_killable(&chan->lock))
		return;
	zio_channel_mark_starved(chan);
	zio_cset_arm_channel(chan, ZIO_ARM_WAKE);
	mutex_unlock(&chan->lock);
}

static __poll_t poll_input(struct file *file, bool ctrl)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	struct zio_cset_core *cset = chan->cset;

	if (READ_ONCE(cset->gone))
		return EPOLLHUP | EPOLLERR;
	if (READ_ONCE(cset->error) || READ_ONCE(chan->ops))
		return EPOLLIN | EPOLLRDNORM | EPOLLERR;
	if (READ_ONCE(sess->block) && !(ctrl && READ_ONCE(sess->ctrl_seen)))
		return EPOLLIN | EPOLLRDNORM;
	if (zio_queue_count(&chan->queue) || !list_empty(&chan->unread))
		return EPOLLIN | EPOLLRDNORM;
	if (!READ_ONCE(chan->enabled) || !READ_ONCE(cset->on_demand))
		return 0;
	if (zio_cset_can_pull(cset) && !zio_channel_is_starved(chan))
		return EPOLLIN | EPOLLRDNORM;
	/*
	 * Arm an asynchronous driver now: a program in poll() makes no other call. This
	 * acquires one block at most. It stays queued until it is read.
	 */
	arm_or_be_woken(chan);
	return zio_queue_count(&chan->queue) ? EPOLLIN | EPOLLRDNORM : 0;
}

/*
 * The trigger is on demand, and a program waits for its ring to fill. The poll acquires as
 * many blocks as the watermark. While they come fast it acquires more, up to half of the
 * buffer. So the program needs fewer polls. The poller is not yet in the wait queue. So the
 * blocks wake no process.
 */
static void fill_ring(struct zio_channel_core *chan)
{
	unsigned int want = READ_ONCE(chan->watermark), n = 0, fired = 0, most;
	u64 start = ktime_get_ns();
	int ret;

	most = max(want, READ_ONCE(chan->len) / 2);
	do {
		ret = zio_cset_arm_channel(chan, 0);
		fired += !ret || ret == -EINPROGRESS;
		if (!(++n % 8) && ktime_get_ns() - start > FILL_RING_NS)
			most = want;
	} while (!ret && n < most && zio_ring_count(chan) < most &&
		 !zio_must_stop());
	zio_ring_count_asked(chan, fired);
	if (zio_is_driver_error(ret))
		zio_ring_fail(chan, ret);
}

static void arm_for_ring(struct zio_channel_core *chan)
{
	int ret = zio_cset_arm_channel(chan, ZIO_ARM_WAKE);

	if (!ret || ret == -EINPROGRESS)
		zio_ring_count_asked(chan, 1);
}

static __poll_t poll_ring(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	struct zio_cset_core *cset = chan->cset;
	bool ask = READ_ONCE(cset->on_demand) && READ_ONCE(chan->enabled);
	__poll_t key = 0;

	zio_ring_publish_flags(chan);
	if (ask && !zio_ring_count(chan))
		fill_ring(chan);
	zio_poll_wait(file, &chan->wq, wait);
	if (ask && !zio_ring_count(chan) && !zio_ring_error(chan))
		arm_for_ring(chan);
	/* The ring may have been full. No call tells the kernel that the tail moved. */
	if (READ_ONCE(cset->rearm))
		zio_cset_kick(cset);
	if (READ_ONCE(cset->gone))
		return EPOLLHUP | EPOLLERR;
	if (READ_ONCE(cset->error) || zio_ring_error(chan))
		key |= EPOLLERR;
	if (zio_ring_count(chan) > 0)
		key |= EPOLLIN | EPOLLRDNORM;
	return key;
}

__poll_t zio_poll_data_in(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;

	if (sess->is_tap)
		return zio_tap_poll(file, wait);
	zio_poll_wait(file, &sess->chan->wq, wait);
	return poll_input(file, false);
}

__poll_t zio_poll_ctrl_in(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;

	if (zio_has_ring(file))
		return poll_ring(file, wait);
	zio_poll_wait(file, &sess->chan->wq, wait);
	return poll_input(file, true);
}

__poll_t zio_poll_out(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	bool room;

	zio_poll_wait(file, &chan->wq, wait);
	if (mutex_lock_killable(&chan->lock))
		return EPOLLERR;
	if (READ_ONCE(chan->cset->gone)) {
		mutex_unlock(&chan->lock);
		return EPOLLHUP | EPOLLERR;
	}
	if (chan->ops) {
		mutex_unlock(&chan->lock);
		return EPOLLOUT | EPOLLWRNORM | EPOLLERR;
	}
	room = sess->block || chan->buf->type->ops->has_room(chan->buf);
	mutex_unlock(&chan->lock);
	return room ? EPOLLOUT | EPOLLWRNORM : 0;
}
