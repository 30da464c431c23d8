// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge.c: neighbouring blocks of a stream become one when they are read
 *
 * The reader that takes a block from the queue merges, under chan->lock. The oldest queued
 * block may begin where the reader's block ends. The reader then appends it to its own
 * block, and puts its descriptor at once. The memory is free only after the reader's own
 * block, the oldest one, is put: the buffer reuses memory in the order in which it was
 * reserved. So the buffer does not reuse a descriptor behind the reader's block. The reader
 * may look at it even if "prefer-new" drops that block at the same moment. The exchange that
 * takes the block fails then.
 *
 * A reader must not see a gap where no block was lost. So its sequence numbers are those of
 * the blocks less the number of blocks that were merged before.
 *
 * The writer of blocks does not merge; a ring shows each block as it is.
 */
#include "channel/internal.h"

/*
 * All blocks are of one stream. Merging must not hide what a block reports beyond its
 * samples: alarms, and attributes that have changed.
 */
static bool is_next(const struct zio_block_core *first,
		    const struct zio_block_core *next, u32 seq)
{
	return next->mem_offset == first->mem_offset + first->block.len &&
		next->seq == seq && next->snap == first->snap && next->block.len &&
		!next->block.zio_alarms && !next->block.drv_alarms;
}

/* Takes the next block of the stream, if there is one, and appends it. */
static bool take_next(struct zio_channel_core *chan, struct zio_block *first,
		      size_t room, u32 seq)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	struct zio_block *next;
	int tail;

	next = zio_queue_look(&chan->queue, &tail);
	if (!next || !is_next(to_block_core(first), to_block_core(next), seq) || next->len > room ||
	    !zio_queue_take(&chan->queue, tail, 1))
		return false;
	first->size = first->len + next->size;
	first->len += next->len;
	ops->put_block(chan->buf, next);
	return true;
}

/*
 * Merges a block with the blocks that continue it. The reader leaves half of the buffer for further
 * blocks. A block has at most 2^32 - 1 samples. @chan: the channel, locked, without a ring. @first:
 * the block, just taken; its length and sequence number change. Context: Process.
 */
void zio_channel_merge(struct zio_channel_core *chan, struct zio_block *first)
{
	struct zio_buffer *buf = chan->buf;
	unsigned int n = 1;
	size_t most;

	/* Merging would lose the values of each block, and which shot it is. */
	if (READ_ONCE(buf->merge_data) && !first->values &&
	    to_block_core(first)->snap->common.attr_trigger.std_val[ZIO_ATTR_TRIG_N_SHOTS] == 1) {
		most = min_t(size_t, buf->area->size / 2, U32_MAX);
		while (n < buf->len / 2 && first->len < most &&
		       take_next(chan, first, most - first->len, to_block_core(first)->seq + n))
			n++;
	}
	chan->next_seq += n - 1;
	to_block_core(first)->seq -= chan->merged;
	WRITE_ONCE(chan->merged, chan->merged + n - 1);
}

/* Chooses whether blocks of a buffer that can merge are merged. */
void zio_buffer_set_merge(struct zio_buffer *buf, bool merge)
{
	struct zio_channel_core *chan = buf->chan;

	mutex_lock(&chan->lock);
	WRITE_ONCE(buf->merge_data, merge);
	chan->slowpath = true;
	mutex_unlock(&chan->lock);
}
