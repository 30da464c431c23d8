/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * block.h: the blocks of a set while it is armed: from buffer or queue to the driver, and
 * back
 *
 * The owner of the phase (engine.c) calls these functions, in any context. They are inline:
 * a caller that pulls knows the direction, and which block belongs to the reader.
 */
#ifndef _ZIO_ARMED_H
#define _ZIO_ARMED_H

#include "engine/internal.h"

/* Most blocks that one event takes back: no event pays for a whole buffer. */
#define ZIO_RECLAIM_BLOCKS	8

void zio_channel_count_loss(struct zio_channel_core *chan, u32 n, u32 seq, int cause,
			    int error);
bool zio_channel_make_room(struct zio_channel_core *chan);
struct zio_block *zio_channel_reclaim(struct zio_channel_core *chan);
void zio_channel_count_no_block(struct zio_channel_core *chan, u32 n, u32 seq);
unsigned int zio_channel_get_blocks(struct zio_channel_core *chan, struct zio_block **slot,
				    unsigned int n);
bool zio_channel_take_shots(struct zio_channel_core *chan, struct zio_armed *armed,
			    unsigned int stride, bool reclaim);
bool zio_channel_has_shots(struct zio_channel_core *chan);
struct zio_block *zio_channel_pop_unread(struct zio_channel_core *chan);
void zio_block_fit(struct zio_channel_core *chan, struct zio_block *block);
void zio_blocks_drop(struct zio_cset_core *cset, bool lost, int error);

/* shots.c */
void zio_shots_arm(struct zio_cset_core *cset);
void zio_shots_take_back(struct zio_cset_core *cset);

static inline bool zio_channel_has_room(struct zio_channel_core *chan)
{
	const struct zio_channel_ops *ops = READ_ONCE(chan->ops);
	struct zio_buffer *buf = chan->buf;

	return zio_queue_count(&chan->queue) < buf->len &&
		buf->type->ops->has_room(buf) &&
		(!ops || !ops->has_room || ops->has_room(chan)) &&
		(likely(chan->cset->pub.shape.nshots == 1) || zio_channel_has_shots(chan));
}

/*
 * Takes back up to @n blocks that a program has read in its ring. Returns false if there are
 * none. The caller owns the phase, or is the driver of a stream, under RCU.
 */
static inline bool zio_channel_reclaim_read(struct zio_channel_core *chan, unsigned int n)
{
	const struct zio_channel_ops *ops = smp_load_acquire(&chan->ops); /* K */

	return ops && ops->reclaim && ops->reclaim(chan, n);
}

/* Takes back blocks that were read, until one is free. Drops no unread block. */
static inline bool reclaim_room(struct zio_channel_core *chan)
{
	while (!zio_channel_has_room(chan))
		if (!zio_channel_reclaim_read(chan, ZIO_RECLAIM_BLOCKS))
			return false;
	return true;
}

static __always_inline struct zio_block *
zio_channel_get_block(struct zio_channel_core *chan)
{
	struct zio_buffer *buf = chan->buf;

	if (likely(zio_queue_count(&chan->queue) < buf->len))
		return buf->type->ops->get_block(buf);
	return NULL;
}

static __always_inline void zio_block_prepare(struct zio_channel_core *chan,
					      struct zio_block *block, u32 seq, u16 shot)
{
	const struct zio_cset_core *cset = chan->cset;

	block->len = cset->block_len;
	block->tstamp.secs = cset->now.tv_sec;
	block->tstamp.ticks = cset->now.tv_nsec;
	block->tstamp.bins = 0;
	to_block_core(block)->seq = seq;
	to_block_core(block)->lost = 0;
	to_block_core(block)->missed = 0;
	block->zio_alarms = 0;
	block->drv_alarms = 0;
	block->shot = shot;
	zio_block_snapshot(chan, block);
	if (unlikely(block->values))
		zio_block_reset_values(chan, block);
	if (IS_ENABLED(CONFIG_LOCKDEP))
		zio_block_poison(block);
}

/* @prealloc: the block for @reader, which the caller has taken from the buffer */
static __always_inline struct zio_block *arm_input(struct zio_channel_core *chan,
						   struct zio_channel_core *reader,
						   struct zio_block *prealloc)
{
	struct zio_block *block = prealloc;
	u32 seq;

	if (!prealloc || chan != reader) {
		block = zio_channel_get_block(chan);
		if (unlikely(!block))
			block = zio_channel_reclaim(chan);
	}
	seq = chan->seq++;
	if (likely(block))
		zio_block_prepare(chan, block, seq, 0);
	return block;
}

static inline struct zio_block *arm_output(struct zio_channel_core *chan)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);

	if (unlikely(!block))
		zio_channel_count_loss(chan, 1, chan->played, ZIO_LOSS_EMPTY, 0);
	else
		zio_block_snapshot(chan, block);
	return block;
}

/* While nothing looks at blocks, this is two instructions that do nothing. */
static __always_inline void watch_block(struct zio_channel_core *chan,
					struct zio_block *block)
{
	if (static_branch_unlikely(&zio_watch_key.key))
		zio_watch_ops->done(chan, block);
	if (trace_zio_block_done_enabled())
		zio_trace_done(chan, block);
}

/* @pulled: the reader takes the block, past the queue */
static __always_inline void finish_input(struct zio_channel_core *chan, struct zio_block *block,
					 bool pulled)
{
	const struct zio_channel_ops *ops;

	if (unlikely(block->len != block->size))
		zio_block_fit(chan, block);
	if (unlikely(atomic_read(&chan->alarms_new)))
		zio_block_take_alarms(chan, block);
	if (IS_ENABLED(CONFIG_LOCKDEP))
		zio_block_check(chan, block);
	chan->blocks++;
	chan->bytes += block->len;
	watch_block(chan, block);
	if (pulled)
		return;
	ops = READ_ONCE(chan->ops);
	if (unlikely(ops)) {
		ops->push(chan, block);
		return;
	}
	zio_queue_push(&chan->queue, block);
	zio_channel_wake_reader(chan);
}

/* A block of an output was not played. */
static inline void count_dropped_output(struct zio_channel_core *chan,
					const struct zio_block *block)
{
	WRITE_ONCE(chan->dropped, chan->dropped + 1);
	smp_store_release(&chan->played, to_block_core(block)->seq + 1); /* W */
}

static inline void count_lost_output(struct zio_channel_core *chan, const struct zio_block *block,
				     int cause, int error)
{
	zio_channel_count_loss(chan, 1, to_block_core(block)->seq, cause, error);
	count_dropped_output(chan, block);
}

/* A queued block may have been played: it is repeated, see ostream.c. */
static inline bool output_was_played(const struct zio_channel_core *chan,
				     const struct zio_block *block)
{
	return (s32)(chan->played - to_block_core(block)->seq) > 0;
}

static inline void finish_output(struct zio_channel_core *chan, struct zio_block *block)
{
	chan->blocks++;
	chan->bytes += block->len;
	watch_block(chan, block);
	WRITE_ONCE(chan->played, to_block_core(block)->seq + 1);
	zio_output_put(chan, block);
	zio_channel_wake(chan, ZIO_WAKE_OUT);
	zio_channel_notify(chan);
}

#endif /* _ZIO_ARMED_H */
