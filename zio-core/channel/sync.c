// SPDX-License-Identifier: GPL-2.0-only
/*
 * sync.c: fsync() of an output's nodes waits until all blocks are played
 *
 * close() does not wait. Queued blocks are played at later events, or dropped when the board goes.
 *
 *   W  count_dropped_output() counts a block, then stores chan->played (release). fsync()
 *      loads chan->played (acquire), then the count. Otherwise it could miss a dropped
 *      block.
 */
#include <linux/fs.h>

#include "channel/internal.h"

static bool sync_is_played(struct zio_channel_core *chan, u32 until)
{
	return (s32)(smp_load_acquire(&chan->played) - until) >= 0; /* W */
}

/* Queues a partly written block as a short one. */
static int sync_send_all(struct zio_session *sess, u32 *until)
{
	unsigned int ssize = sess->chan->cset->ssize;
	int ret = zio_session_lock(sess);

	if (ret)
		return ret;
	if (sess->block && ssize && to_block_core(sess->block)->used % ssize)
		ret = -EINVAL;
	else if (sess->block && to_block_core(sess->block)->used)
		zio_session_flush(sess);
	*until = sess->chan->seq;
	if (!ret)
		zio_ostream_hasten(sess->chan, ZIO_HASTE_LAST);
	zio_session_unlock(sess);
	return ret;
}

/*
 * Waits until an output has played its blocks. Returns 0; -EINVAL after part of a sample was
 * written; -EIO if a block was aborted or refused since the last call or since open; -ENODEV if the
 * board went first; -ERESTARTSYS.
 */
int zio_node_sync(struct file *file, loff_t start, loff_t end, int datasync)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	u32 until, dropped;
	int ret = sync_send_all(sess, &until);

	if (!ret)
		ret = wait_event_interruptible(chan->wq, sync_is_played(chan, until) || /* U */
					       READ_ONCE(chan->cset->gone));
	if (ret)
		return ret;
	if (!sync_is_played(chan, until))
		return -ENODEV;
	dropped = READ_ONCE(chan->dropped);
	return xchg(&sess->dropped, dropped) == dropped ? 0 : -EIO;
}
