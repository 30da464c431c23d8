// SPDX-License-Identifier: GPL-2.0-only
/*
 * queue.c: the FIFO of finished blocks, between the engine and the nodes
 *
 * The owners of a block, and what moves it between them:
 *
 *   from \ to | free           device       queue        user
 *   ----------+------------------------------------------------------------
 *   free      |                arm, take                 write (out)
 *             |                (in)
 *   device    | fail, abort,                done, com-
 *             | done (out)                  plete (in)
 *   queue     | reclaim (in),  arm (out)                 read (in)
 *             | drain
 *   user      | end of block,               block full
 *             | close, drain                (out)
 *
 * Head and tail are counts that index an infinite array of slots;
 * tail <= head <= tail + capacity always holds. The capacity is at least the number of
 * blocks that exist. So a push never finds the ring full and does not check.
 *
 * There is one pusher at a time: for an input the owner of the phase, or the driver of a
 * stream; for an output the holder of chan->lock. There may be two poppers: the user, and
 * for an input the pusher itself, which reclaims the oldest block with "prefer-new". So
 * the tail moves by compare-and-exchange. A stream stores slots behind the head, and then
 * moves the head (stream.c).
 *
 *   A  zio_queue_push() stores the slot, then the head (release). zio_queue_look() loads
 *      the head (acquire), then the slot. Otherwise a popper could see an old pointer in a
 *      new slot.
 *      zio_queue_pop() loads the slot, then moves the tail (full barrier). A slot is stored
 *      again only after its block was popped, put, got and pushed (or taken, for a stream),
 *      and each step orders the next. So a popper that was overtaken has loaded a stale
 *      pointer, but its exchange fails. Otherwise it could return a block that belongs to
 *      another owner. The pusher may move the tail first, as no other context stores slots.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "engine/internal.h"

struct zio_block **zio_queue_alloc(unsigned int len)
{
	return kvcalloc(roundup_pow_of_two(len), sizeof(struct zio_block *),
			GFP_KERNEL | __GFP_NOWARN);
}

void zio_queue_destroy(struct zio_queue *q)
{
	kvfree(q->slot);
	q->slot = NULL;
}

/*
 * Moves the blocks of a queue to @len new slots. The counts stay, the queue may have no slots yet,
 * and no context pushes or pops meanwhile.
 */
void zio_queue_replace(struct zio_queue *q, struct zio_block **slot,
		       unsigned int len)
{
	unsigned int mask = roundup_pow_of_two(len) - 1;
	unsigned int tail = atomic_read(&q->tail), i = tail;
	struct zio_block *block;

	while ((block = zio_queue_pop(q)))
		slot[i++ & mask] = block;
	kvfree(q->slot);
	q->slot = slot;
	q->mask = mask;
	atomic_set(&q->tail, tail);
}
