/* SPDX-License-Identifier: GPL-2.0-only */
/* queue.h: the FIFO of finished blocks, see queue.c */
#ifndef _ZIO_ENGINE_QUEUE_H
#define _ZIO_ENGINE_QUEUE_H

#include "zio-core.h"

void zio_queue_destroy(struct zio_queue *q);
struct zio_block **zio_queue_alloc(unsigned int len);
void zio_queue_replace(struct zio_queue *q, struct zio_block **slot,
		       unsigned int len);

static inline unsigned int zio_queue_count(const struct zio_queue *q)
{
	return READ_ONCE(q->head) - (unsigned int)atomic_read(&q->tail);
}

/* The ring is never full, see queue.c. One pusher at a time. */
static inline void zio_queue_push(struct zio_queue *q, struct zio_block *block)
{
	unsigned int head = q->head;

	WRITE_ONCE(q->slot[head & q->mask], block);
	smp_store_release(&q->head, head + 1);		/* A */
}

/* The @n blocks behind the head are queued. One pusher at a time. */
static inline void zio_queue_publish(struct zio_queue *q, unsigned int n)
{
	smp_store_release(&q->head, q->head + n);		/* A */
}

/* Returns the oldest block, or NULL, and the @tail for zio_queue_take(). */
static inline struct zio_block *zio_queue_look(struct zio_queue *q, int *tail)
{
	*tail = atomic_read(&q->tail);
	if (smp_load_acquire(&q->head) == (unsigned int)*tail)	/* A */
		return NULL;
	return READ_ONCE(q->slot[*tail & q->mask]);
}

/* Returns true if the caller has the @n oldest blocks, from that of zio_queue_look() on. */
static inline bool zio_queue_take(struct zio_queue *q, int tail, unsigned int n)
{
	return atomic_try_cmpxchg(&q->tail, &tail, tail + n);	/* A */
}

/* Returns how many of @n slots, from that of @count on, stand in a row. */
static inline unsigned int zio_queue_row(const struct zio_queue *q, unsigned int count,
					 unsigned int n)
{
	return min(n, q->mask + 1 - (count & q->mask));
}

/* Returns the oldest block, or NULL. Several contexts may pop at a time. */
static inline struct zio_block *zio_queue_pop(struct zio_queue *q)
{
	struct zio_block *block;
	int tail;

	do {
		block = zio_queue_look(q, &tail);
	} while (block && !zio_queue_take(q, tail, 1));
	return block;
}

#endif /* _ZIO_ENGINE_QUEUE_H */
