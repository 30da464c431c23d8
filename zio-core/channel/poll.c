// SPDX-License-Identifier: GPL-2.0-only
/*
 * poll.c: poll of the data and control nodes
 *
 * A poll promises only what a read keeps.
 */
#include <linux/fs.h>
#include <linux/ktime.h>

#include "channel/internal.h"

/* So long a poll of a ring may take more blocks than were asked for. */
#define FILL_RING_NS	(100 * NSEC_PER_USEC)

/* Without room, whoever next puts a block wakes the poller. */
static void ask_or_be_woken(struct zio_channel_core *chan)
{
	if (zio_cset_ask(chan) != -ENOBUFS)
		return;
	if (mutex_lock_killable(&chan->lock))
		return;
	zio_channel_mark_starved(chan);
	zio_cset_ask(chan);
	mutex_unlock(&chan->lock);
}

static __poll_t poll_input(struct file *file, bool ctrl)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	struct zio_cset_core *cset = chan->cset;

	if (READ_ONCE(cset->gone))
		return EPOLLHUP | EPOLLERR;
	if (READ_ONCE(cset->error) || READ_ONCE(chan->ring) ||
	    rcu_access_pointer(chan->feed))
		return EPOLLIN | EPOLLRDNORM | EPOLLERR;
	if (READ_ONCE(sess->block) && !(ctrl && READ_ONCE(sess->ctrl_seen)))
		return EPOLLIN | EPOLLRDNORM;
	if (zio_queue_count(&chan->queue) || !list_empty(&chan->unread))
		return EPOLLIN | EPOLLRDNORM;
	if (!READ_ONCE(chan->enabled) || !READ_ONCE(cset->on_demand))
		return 0;
	if (zio_cset_can_pull(cset) && !READ_ONCE(chan->starved))
		return EPOLLIN | EPOLLRDNORM;
	/*
	 * A driver that takes its time is asked now: a poll is the only thing
	 * that a program waiting in poll() ever does. At most one block comes
	 * of it, and it stays queued until read.
	 */
	ask_or_be_woken(chan);
	return zio_queue_count(&chan->queue) ? EPOLLIN | EPOLLRDNORM : 0;
}

/*
 * A program waits for its ring to fill, and the trigger is on demand. It is given as
 * many blocks as the watermark says; and more, up to half of the buffer, as long as
 * they come fast. So it need not ask for each. It is not among the sleepers yet:
 * nobody is woken for them.
 */
static void fill_ring(struct zio_channel_core *chan)
{
	unsigned int want = READ_ONCE(chan->watermark), n = 0, fired = 0, most;
	u64 start = ktime_get_ns();
	int ret;

	most = max(want, READ_ONCE(chan->len) / 2);
	do {
		ret = zio_cset_top_up(chan);
		fired += !ret || ret == -EINPROGRESS;
		if (!(++n % 8) && ktime_get_ns() - start > FILL_RING_NS)
			most = want;
	} while (!ret && n < most && zio_ring_count(chan) < most &&
		 !zio_must_stop());
	zio_ring_count_asked(chan, fired);
	if (zio_is_driver_error(ret))
		zio_ring_fail(chan, ret);
}

static void ask_for_ring(struct zio_channel_core *chan)
{
	int ret = zio_cset_ask(chan);

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

	if (ask && !zio_ring_count(chan))
		fill_ring(chan);
	poll_wait(file, &chan->wq, wait);
	if (ask && !zio_ring_count(chan) && !zio_ring_error(chan))
		ask_for_ring(chan);
	/* It may have been full: nobody was told when the tail moved. */
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

	poll_wait(file, &sess->chan->wq, wait);
	return poll_input(file, false);
}

__poll_t zio_poll_ctrl_in(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;

	if (zio_has_ring(file))
		return poll_ring(file, wait);
	poll_wait(file, &sess->chan->wq, wait);
	return poll_input(file, true);
}

__poll_t zio_poll_out(struct file *file, struct poll_table_struct *wait)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	bool room;

	poll_wait(file, &chan->wq, wait);
	if (mutex_lock_killable(&chan->lock))
		return EPOLLERR;
	if (READ_ONCE(chan->cset->gone)) {
		mutex_unlock(&chan->lock);
		return EPOLLHUP | EPOLLERR;
	}
	if (rcu_access_pointer(chan->route)) {
		mutex_unlock(&chan->lock);
		return EPOLLOUT | EPOLLWRNORM | EPOLLERR;
	}
	room = sess->block || chan->buf->type->ops->has_room(chan->buf);
	mutex_unlock(&chan->lock);
	return room ? EPOLLOUT | EPOLLWRNORM : 0;
}
