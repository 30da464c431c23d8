/* SPDX-License-Identifier: GPL-2.0-only */
/* stream.h: channels with many blocks in flight, see stream.c */
#ifndef _ZIO_ENGINE_STREAM_H
#define _ZIO_ENGINE_STREAM_H

#include "engine/queue.h"

#define ZIO_DEFAULT_DEPTH	16

/**
 * struct zio_stream - the blocks of a channel that the driver has
 * @taken: count of the next block to be taken; from queue->head on they are in flight
 * @limit: most blocks in flight; 0 while there is no stream
 * @wants: zio_channel_take() has found no block, and refill() was not called since (I)
 * @is_dry: the device had no block at the last zio_channel_take()
 * @n_dry: how often the device has lost its last block without a new one
 * @dropped: unread blocks that "prefer-new" has dropped
 * @rcu: a kick may look at the channel until a grace period after its end
 *
 * The context of zio_channel_take() writes all fields, but @limit.
 */
struct zio_stream {
	unsigned int taken;
	unsigned int limit;
	int wants;
	bool is_dry;
	unsigned long n_dry;
	unsigned long dropped;
	struct rcu_head rcu;
};

static inline bool zio_cset_is_stream(const struct zio_cset_core *cset)
{
	return cset->flags & ZIO_CSET_STREAM;
}

int zio_stream_create(struct zio_channel_core *chan);
void zio_stream_destroy(struct zio_channel_core *chan);
void zio_stream_set_depth(struct zio_cset_core *cset, unsigned int depth);
bool zio_stream_wants_room(const struct zio_channel_core *chan);

/* Context: Any; the counters of a channel change meanwhile. */
static inline unsigned long zio_channel_losses(const struct zio_channel_core *chan)
{
	unsigned long lost = READ_ONCE(chan->lost);

	if (zio_cset_is_stream(chan->cset))
		lost += READ_ONCE(chan->stream->dropped);
	return lost;
}

/* Context: Any; the number may be old. */
static inline unsigned int zio_stream_in_flight(const struct zio_channel_core *chan)
{
	int n = READ_ONCE(chan->stream->taken) - READ_ONCE(chan->queue.head);

	return max(n, 0);
}

/* The @n blocks behind the head are queued. One pusher at a time. */
static inline void zio_queue_publish(struct zio_queue *q, unsigned int n)
{
	smp_store_release(&q->head, q->head + n);		/* A */
}

#endif /* _ZIO_ENGINE_STREAM_H */
