// SPDX-License-Identifier: GPL-2.0-only
/*
 * flush.c: drop unread blocks, so that the next one is new
 *
 * Blocks that arrive during a flush stay. Sequence numbers show the dropped blocks as a gap. The
 * engine did not lose them, so chan->flushed counts them, not chan->lost.
 */
#include <linux/fs.h>

#include "channel/internal.h"

/* The channel is locked. The engine may keep queueing blocks. */
void zio_channel_put_queued(struct zio_channel_core *chan)
{
	unsigned int n = zio_queue_count(&chan->queue);
	struct zio_block *block;

	while (n-- && (block = zio_queue_pop(&chan->queue))) {
		WRITE_ONCE(chan->flushed, chan->flushed + 1);
		zio_channel_put_block(chan, block);
	}
}

/* The channel is locked. Blocks in a ring belong to its program. */
static int flush_channel(struct zio_channel_core *chan)
{
	struct zio_block_core *unread, *next;

	if (READ_ONCE(chan->cset->gone))
		return -ENODEV;
	if (chan->ops)
		return -EBUSY;
	zio_channel_put_queued(chan);
	list_for_each_entry_safe(unread, next, &chan->unread, link) {
		list_del(&unread->link);
		WRITE_ONCE(chan->flushed, chan->flushed + 1);
		zio_channel_put_block(chan, &unread->block);
	}
	zio_channel_forget_gap(chan);
	return 0;
}

/*
 * Drops the queued blocks of an input and those former readers left behind. A reader keeps its
 * current block. Sleeps. Returns 0; -EBUSY while the channel has a ring or a route; -ENODEV;
 * -EINTR.
 */
int zio_channel_flush(struct zio_channel_core *chan)
{
	int ret;

	if (mutex_lock_killable(&chan->lock))
		return -EINTR;
	ret = flush_channel(chan);
	mutex_unlock(&chan->lock);
	return ret;
}

/*
 * Handles ZIO_IOC_FLUSH of an input's node: zio_channel_flush(), which also drops what the caller's
 * session has partly read.
 */
long zio_node_flush(struct file *file)
{
	struct zio_session *sess = file->private_data;
	int ret = zio_session_lock(sess);

	if (ret)
		return ret;
	ret = flush_channel(sess->chan);
	while (!ret && sess->block)
		zio_session_put(sess);
	zio_session_unlock(sess);
	return ret;
}
