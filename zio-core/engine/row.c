// SPDX-License-Identifier: GPL-2.0-only
/*
 * row.c: several blocks of an input in one phase
 *
 * A ring that a program polls, a read of many small blocks, and a read of several controls each
 * ask for more than one block. If the trigger is on demand, and the driver finishes at once, the
 * set is armed for all of them before it is idle again.
 */
#include "engine/block.h"
#include "engine/internal.h"

/*
 * Returns true if a set may be armed for several blocks of @chan: it is the only channel, and an
 * event has one block. The caller owns the phase.
 */
bool zio_row_is_possible(const struct zio_channel_core *chan)
{
	const struct zio_cset_core *cset = chan->cset;

	return cset->can_pull && cset->n_active == 1 && chan->enabled &&
		(!chan->ops || chan->ops->publish);
}

/*
 * Returns true if the owner of the phase may arm the set once more before leaving it. Nobody who
 * wants to freeze the set, or a block of it, waits for that, and a notifier sees each event.
 */
static __always_inline bool row_may_go_on(struct zio_cset_core *cset)
{
	return atomic_read(&cset->state) == CSET_ARMING &&
		!(atomic_read(&cset->pending) & ZIO_PENDING_WAKE) &&
		hlist_empty(&cset->notifiers) && !need_resched();
}

/* Arms the set, whose only channel it is, for one block. Returns as raw_io(). */
static __always_inline int row_start_block(struct zio_cset_core *cset,
					   struct zio_channel_core *chan,
					   struct zio_block *block)
{
	cset->fired++;
	cset->pub.armed[0] = (struct zio_armed){ &chan->pub, block };
	cset->pub.armed[1].chan = NULL;
	zio_block_prepare(chan, block, chan->seq++, 0);
	if (trace_zio_arm_enabled())
		zio_trace_armed(cset);
	return cset->ops->raw_io(&cset->pub);
}

/*
 * Arms a set whose only channel is @chan for up to @n blocks in one phase, the first of them at the
 * time cset->now. Each is an event with a time of its own. As with a stream, the blocks are behind
 * the head of the queue until all are done. The channel gets their memory beforehand, so it loses
 * none. The caller owns the phase, and leaves it. Returns what raw_io() returned last.
 */
int zio_row_start(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_queue *q = &chan->queue;
	struct zio_block **slot = &q->slot[q->head & q->mask];
	unsigned int done = 0;
	int ret = 0;

	n = zio_channel_get_blocks(chan, slot, zio_queue_row(q, q->head, n));
	while (done < n) {
		ret = row_start_block(cset, chan, slot[done]);
		if (unlikely(ret))
			break;
		finish_input(chan, slot[done], true);
		if (++done == n || !row_may_go_on(cset))
			break;
		zio_clock_read(zio_trigger_clock(cset->bind->trig), &cset->now);
	}
	/* The newest first; the caller has the one that is not done. */
	while (unlikely(n > done + !!ret))
		zio_block_cancel(chan, slot[--n]);
	if (done)
		zio_channel_publish(chan, READ_ONCE(chan->ops), done);
	return ret;
}
