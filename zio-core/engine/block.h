/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * block.h: what happens to the blocks of an armed set, from memory or queue to
 * the driver and back
 *
 * All of it is called by the owner of the phase (engine.c), in any context. It is
 * inlined: who pulls knows the direction, and whose block it is.
 */
#ifndef _ZIO_ARMED_H
#define _ZIO_ARMED_H

#include "zio-core.h"

#define ZIO_WAKE_IN	(EPOLLIN | EPOLLRDNORM)
#define ZIO_WAKE_OUT	(EPOLLOUT | EPOLLWRNORM)

/* sniff.c */
extern struct zio_control *zio_sniff_ring;
void zio_sniff_block(struct zio_channel_core *chan, struct zio_block *block);

void zio_channel_raise(struct zio_channel_core *chan, int bits);
void zio_channel_count_loss(struct zio_channel_core *chan);
bool zio_channel_drop_oldest(struct zio_channel_core *chan);
struct zio_block *zio_channel_reclaim(struct zio_channel_core *chan);
void zio_block_fit(struct zio_channel_core *chan, struct zio_block *block);
void zio_block_take_alarms(struct zio_channel_core *chan, struct zio_block *block);
void zio_blocks_drop(struct zio_cset_core *cset, bool lost);

static inline void zio_channel_wake(struct zio_channel_core *chan, __poll_t key)
{
	if (wq_has_sleeper(&chan->wq))
		wake_up_poll(&chan->wq, key);
}

static __always_inline struct zio_block *
take_empty_block(struct zio_channel_core *chan)
{
	struct zio_buffer *buf = chan->buf;
	struct zio_block *block = NULL;

	if (likely(zio_queue_count(&chan->queue) < buf->len))
		block = buf->type->ops->get_block(buf);
	if (unlikely(!block))
		block = zio_channel_reclaim(chan);
	return block;
}

/* @prealloc: the block that the reader has taken already */
static __always_inline struct zio_block *arm_input(struct zio_cset_core *cset,
						   struct zio_channel_core *chan,
						   struct zio_channel_core *reader,
						   struct zio_block *prealloc)
{
	struct zio_block *block = prealloc && chan == reader ? prealloc :
							   take_empty_block(chan);
	u32 seq = chan->seq++;

	if (unlikely(!block))
		return NULL;
	block->len = cset->block_len;
	block->tstamp.secs = cset->now.tv_sec;
	block->tstamp.ticks = cset->now.tv_nsec;
	block->tstamp.bins = 0;
	to_block_core(block)->seq = seq;
	block->zio_alarms = 0;
	block->drv_alarms = 0;
	zio_block_snapshot(chan, block);
	return block;
}

static inline struct zio_block *arm_output(struct zio_channel_core *chan)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);

	if (unlikely(!block))
		zio_channel_count_loss(chan);
	return block;
}

/* Makes the list of armed blocks; its last entry has no channel. */
static __always_inline void arm_blocks(struct zio_cset_core *cset, bool output,
				       struct zio_channel_core *reader,
				       struct zio_block *prealloc)
{
	struct zio_armed *armed = cset->pub.armed;
	unsigned int i;

	for (i = 0; i < cset->n_active; i++) {
		struct zio_channel_core *chan = cset->active[i];

		armed->chan = &chan->pub;
		armed->block = output ? arm_output(chan) :
					arm_input(cset, chan, reader, prealloc);
		if (likely(armed->block))
			armed++;
	}
	armed->chan = NULL;
}

/* A monitor has a look at each block that is done. */
static __always_inline void monitor_block(struct zio_channel_core *chan,
				       struct zio_block *block)
{
	if (unlikely(READ_ONCE(zio_sniff_ring)))
		zio_sniff_block(chan, block);
}

static __always_inline void count_input(struct zio_channel_core *chan,
					struct zio_block *block)
{
	if (unlikely(block->len != block->size))
		zio_block_fit(chan, block);
	if (unlikely(atomic_read(&chan->alarms_new)))
		zio_block_take_alarms(chan, block);
	chan->blocks++;
	chan->bytes += block->len;
	monitor_block(chan, block);
}

/* What a program has passed in its ring is still in the queue. */
static inline unsigned int count_unread(struct zio_channel_core *chan)
{
	return chan->ring ? zio_ring_count(chan) : zio_queue_count(&chan->queue);
}

static inline void queue_input(struct zio_channel_core *chan, struct zio_block *block)
{
	if (unlikely(rcu_access_pointer(chan->feed)) &&
	    zio_route_block(chan, block))
		return;
	if (unlikely(chan->ring))
		zio_ring_push(chan, block);
	else
		zio_queue_push(&chan->queue, block);
	if (chan->cset->on_demand ||
	    count_unread(chan) >= READ_ONCE(chan->buf->watermark))
		zio_channel_wake(chan, ZIO_WAKE_IN);
}

static inline void finish_output(struct zio_channel_core *chan, struct zio_block *block)
{
	chan->blocks++;
	chan->bytes += block->len;
	monitor_block(chan, block);
	WRITE_ONCE(chan->played, to_block_core(block)->seq + 1);
	zio_output_put(chan, block);
	zio_channel_wake(chan, ZIO_WAKE_OUT);
	zio_route_notify_room(chan);
}

#endif /* _ZIO_ARMED_H */
