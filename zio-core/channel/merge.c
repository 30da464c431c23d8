// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge.c: neighbouring blocks of a stream become one when they are read
 *
 * It is done by who takes a block from the queue, under chan->lock: as long as
 * the oldest block that is queued begins where his own ends, it is taken, too,
 * and becomes part of his; then its descriptor is put back at once, but not the
 * memory, which is used again in the order in which it was reserved: not before
 * his own block, the oldest, is put. For the same reason no descriptor that is
 * queued behind his block is given out again, even if "prefer-new" has it stolen
 * at that moment: he may look at it, and the exchange by which he takes it tells
 * whether it was still there.
 *
 * A reader is to see no gap where nothing was lost: his sequence numbers are
 * those of the blocks less the number of blocks that were merged before.
 *
 * Nothing of this concerns who fills blocks; a ring shows each block as it is.
 */
#include "channel/internal.h"

/*
 * All are of one stream. What an event has to tell beyond its samples (alarms;
 * that there are none; other attributes) is not to get lost.
 */
static bool is_next(const struct zio_block *first, const struct zio_block *next,
		    u32 seq)
{
	return to_block_core(next)->mem_offset == to_block_core(first)->mem_offset + first->len &&
		to_block_core(next)->seq == seq && to_block_core(next)->snap == to_block_core(first)->snap && next->len &&
		!next->zio_alarms && !next->drv_alarms;
}

/* As long as there is one; it is in the caller's hand then. */
static bool take_next(struct zio_channel_core *chan, struct zio_block *first,
		      size_t room, u32 seq)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	struct zio_block *next;
	int tail;

	next = zio_queue_look(&chan->queue, &tail);
	if (!next || !is_next(first, next, seq) || next->len > room ||
	    !zio_queue_take(&chan->queue, tail))
		return false;
	first->size = first->len + next->size;
	first->len += next->len;
	ops->put_block(chan->buf, next);
	return true;
}

/**
 * zio_channel_merge() - a block that was taken, and those that go on with it
 * @chan: the channel, locked, without a ring
 * @first: the block, just taken; its length and sequence number change
 *
 * Half of the buffer is left for what comes while this is in hand. The number of
 * samples is one of 32 bits.
 */
void zio_channel_merge(struct zio_channel_core *chan, struct zio_block *first)
{
	struct zio_buffer *buf = chan->buf;
	unsigned int n = 1;
	size_t most;

	/* What a driver tells of each block would be lost. */
	if (READ_ONCE(buf->merge_data) &&
	    !(chan->cset->flags & ZIO_CSET_BLOCK_INFO)) {
		most = min_t(size_t, buf->area->size / 2, U32_MAX);
		while (n < buf->len / 2 && first->len < most &&
		       take_next(chan, first, most - first->len, to_block_core(first)->seq + n))
			n++;
	}
	to_block_core(first)->seq -= chan->merged;
	WRITE_ONCE(chan->merged, chan->merged + n - 1);
}

/**
 * zio_buffer_set_merge() - shall blocks be merged?
 * @buf: the buffer, which can; its set's mutex is held
 * @value: 0 or 1
 *
 * Return: 0; -EINVAL.
 */
int zio_buffer_set_merge(struct zio_buffer *buf, u32 value)
{
	struct zio_channel_core *chan = buf->chan;

	if (value > 1)
		return -EINVAL;
	mutex_lock(&chan->lock);
	WRITE_ONCE(buf->merge_data, value);
	chan->slowpath = true;
	mutex_unlock(&chan->lock);
	return 0;
}
