// SPDX-License-Identifier: GPL-2.0-only
/*
 * ostream.c: outputs whose driver has many blocks of a channel in flight
 *
 * The states of such a set are those of stream.c. A stream begins when each of its channels
 * has as many blocks as the watermark, or when its user waits for no more of them (haste).
 * Then the driver takes queued blocks, and completes them:
 *
 *         tail            taken           head
 *     ...  |   in flight   |    queued     |  ...
 *
 * To complete blocks is to move the tail. So a block leaves its slot when it is played. A
 * stream that stops moves "taken" back to the tail: the next start gives the driver the
 * blocks that were not played, in their order.
 *
 * A driver that finds no block, and has none in flight, is dry. If a writer is late, this is
 * an underrun. It ends with as many blocks as a start needs.
 *
 * Cyclic: the last block is played again until there is a new one. The oldest block is in
 * flight stream->turns times, all others once. A block is repeated only while there is no
 * other: so two turns of a block and of its successor do not mix. After its last turn it
 * keeps its slot. The two contexts of the driver hold stream->lock for this. It is raw: its
 * holder moves counts only.
 *
 *   I  ostream_find() sets wants, then (full barrier) looks for a block again. Another
 *      context queues a block, then (full barrier in stream_kick_output()) looks at wants.
 *      Otherwise a block could be queued without the driver ever being told.
 *   A  The driver loads the head (acquire), then the slot: as zio_queue_look().
 */
#include <linux/export.h>
#include <linux/zio-stream.h>

#include "engine/block.h"
#include "engine/internal.h"

static bool ostream_is(const struct zio_cset_core *cset)
{
	return !(~cset->flags & (ZIO_CSET_STREAM | ZIO_CSET_OUTPUT));
}

/*
 * Whether the core repeats blocks, for hardware that cannot. Changes in a frozen set: only for
 * hardware that can does cset->cyclic change before.
 */
static bool ostream_repeats(const struct zio_cset_core *cset)
{
	return unlikely(cset->cyclic) && !(cset->flags & ZIO_CSET_CYCLIC);
}

/* Blocks from the tail on that the driver has taken. With turns, the first may be played. */
static unsigned int ostream_count_taken(const struct zio_channel_core *chan)
{
	const struct zio_queue *q = &chan->queue;
	int n = READ_ONCE(q->stream.taken) - (unsigned int)atomic_read(&q->tail);

	return max(n, 0);
}

/* Context: Any; the number may be old. */
unsigned int zio_ostream_in_flight(const struct zio_channel_core *chan)
{
	unsigned int n = ostream_count_taken(chan);

	return n && ostream_repeats(chan->cset) ? n - 1 + READ_ONCE(chan->queue.stream.turns) : n;
}

static bool ostream_may_begin(const struct zio_channel_core *chan)
{
	const struct zio_stream *stream = &chan->queue.stream;
	unsigned int n = zio_queue_count(&chan->queue);

	return n && (n >= READ_ONCE(chan->watermark) || READ_ONCE(stream->haste) ||
		     READ_ONCE(stream->resumes));
}

/* Returns true if each channel has the blocks for a start. */
bool zio_ostream_is_due(const struct zio_cset_core *cset)
{
	unsigned int i, n_active = READ_ONCE(cset->n_active);

	for (i = 0; i < n_active; i++)
		if (!ostream_may_begin(READ_ONCE(cset->active[i])))
			return false;
	return n_active;
}

/* The driver may take blocks of the channel from now on. The caller owns the phase. */
void zio_ostream_open(struct zio_channel_core *chan)
{
	struct zio_queue *q = &chan->queue;

	q->stream.taken = atomic_read(&q->tail);
	q->stream.turns = 0;
	q->stream.is_dry = false;
	WRITE_ONCE(q->stream.resumes, false);
}

/* The next block that the driver has not taken, or NULL. */
static struct zio_block *ostream_take_next(struct zio_queue *q)
{
	unsigned int taken = q->stream.taken;

	if (smp_load_acquire(&q->head) == taken)		/* A */
		return NULL;
	WRITE_ONCE(q->stream.taken, taken + 1);
	return READ_ONCE(q->slot[taken & q->mask]);
}

/* The block behind @n that are taken, or the only one again. @old has no turn left. */
static struct zio_block *ostream_take_turn(struct zio_queue *q, unsigned int n,
					   struct zio_block **old)
{
	struct zio_block *block = ostream_take_next(q);

	if (!block && n == 1) {
		WRITE_ONCE(q->stream.turns, q->stream.turns + 1);
		return zio_queue_peek(q);
	}
	if (!block || q->stream.turns)
		return block;
	if (n)
		*old = zio_queue_pop(q);
	WRITE_ONCE(q->stream.turns, 1);
	return block;
}

static void ostream_put(struct zio_channel_core *chan, struct zio_block *block)
{
	block->zio_alarms = 0;
	block->drv_alarms = 0;
	zio_output_put(chan, block);
}

static void ostream_tell_of_room(struct zio_channel_core *chan)
{
	zio_channel_wake(chan, ZIO_WAKE_OUT);
	zio_channel_notify(chan);
}

static noinline struct zio_block *ostream_take_again(struct zio_channel_core *chan)
{
	struct zio_stream *stream = &chan->queue.stream;
	struct zio_block *block, *old = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&stream->lock, flags);
	block = ostream_take_turn(&chan->queue, ostream_count_taken(chan), &old);
	raw_spin_unlock_irqrestore(&stream->lock, flags);
	if (old) {
		ostream_put(chan, old);
		ostream_tell_of_room(chan);
	}
	return block;
}

static struct zio_block *ostream_get(struct zio_channel_core *chan)
{
	if (unlikely(READ_ONCE(chan->queue.stream.is_dry)) && !ostream_may_begin(chan))
		return NULL;
	if (ostream_repeats(chan->cset))
		return ostream_take_again(chan);
	return ostream_take_next(&chan->queue);
}

/* An output may run dry when its user waits for the end of what it has written. */
static void ostream_note_dry(struct zio_channel_core *chan)
{
	struct zio_stream *stream = &chan->queue.stream;

	if (stream->is_dry || zio_ostream_in_flight(chan))
		return;
	WRITE_ONCE(stream->is_dry, true);
	if (READ_ONCE(stream->haste) == ZIO_HASTE_LAST &&
	    READ_ONCE(stream->due) == READ_ONCE(chan->queue.head))
		return;
	WRITE_ONCE(stream->n_dry, stream->n_dry + 1);
	zio_channel_raise(chan, ZIO_ALARM_DRY);
}

static noinline struct zio_block *ostream_find(struct zio_channel_core *chan)
{
	struct zio_block *block;

	WRITE_ONCE(chan->queue.stream.wants, 1);
	smp_mb();						/* I */
	block = ostream_get(chan);
	if (!block)
		ostream_note_dry(chan);
	return block;
}

/* zio_channel_take() of an output */
struct zio_block *zio_ostream_take(struct zio_channel_core *chan)
{
	struct zio_stream *stream = &chan->queue.stream;
	struct zio_block *block;

	if (zio_ostream_in_flight(chan) >= READ_ONCE(stream->limit))
		return NULL;
	block = ostream_get(chan) ?: ostream_find(chan);
	if (!block)
		return NULL;
	if (unlikely(stream->is_dry)) {
		WRITE_ONCE(stream->is_dry, false);
		block->zio_alarms |= atomic_read(&chan->alarms_new) & ZIO_ALARM_DRY;
	}
	zio_block_snapshot(chan, block);
	return block;
}

/* Returns the place behind the tail of block @i: the oldest block counts once for each turn. */
static unsigned int ostream_skip_turns(struct zio_channel_core *chan, unsigned int i,
				       unsigned int *taken)
{
	struct zio_stream *stream = &chan->queue.stream;
	unsigned long flags;
	unsigned int turns;

	raw_spin_lock_irqsave(&stream->lock, flags);
	*taken = ostream_count_taken(chan);
	turns = stream->turns;
	raw_spin_unlock_irqrestore(&stream->lock, flags);
	return i < turns ? 0 : i - turns + !!*taken;
}

/* zio_channel_in_flight_row() of an output */
struct zio_block *const *zio_ostream_row(struct zio_channel_core *chan, unsigned int i,
					 unsigned int *n)
{
	struct zio_queue *q = &chan->queue;
	unsigned int taken;

	if (ostream_repeats(chan->cset)) {
		i = ostream_skip_turns(chan, i, &taken);
		*n = 1;
	} else {
		taken = ostream_count_taken(chan);
	}
	if (i >= taken)
		return NULL;
	*n = min(*n, taken - i);
	i += atomic_read(&q->tail);
	*n = zio_queue_row(q, i, *n);
	return &q->slot[i & q->mask];
}

/* Ends a turn of the oldest block. Sets @is_last if the block leaves its slot. */
static struct zio_block *ostream_end_turn(struct zio_channel_core *chan, bool *is_last)
{
	struct zio_queue *q = &chan->queue;
	struct zio_block *block;
	unsigned long flags;

	raw_spin_lock_irqsave(&q->stream.lock, flags);
	block = zio_queue_peek(q);
	WRITE_ONCE(q->stream.turns, q->stream.turns - 1);
	*is_last = !q->stream.turns && zio_queue_count(q) > 1;
	if (*is_last) {
		zio_queue_pop(q);
		WRITE_ONCE(q->stream.turns, !!ostream_count_taken(chan));
	}
	raw_spin_unlock_irqrestore(&q->stream.lock, flags);
	return block;
}

/* The driver is done with the oldest block in flight. */
static void ostream_finish(struct zio_channel_core *chan, bool is_played)
{
	struct zio_block *block;
	bool is_last = true;

	if (ostream_repeats(chan->cset))
		block = ostream_end_turn(chan, &is_last);
	else
		block = zio_queue_pop(&chan->queue);
	if (is_played) {
		WRITE_ONCE(chan->blocks, chan->blocks + 1);
		WRITE_ONCE(chan->bytes, chan->bytes + block->len);
		watch_block(chan, block);
		WRITE_ONCE(chan->played, to_block_core(block)->seq + 1);
	} else {
		count_lost_output(chan, block, ZIO_LOSS_HARDWARE, 0);
	}
	if (is_last)
		ostream_put(chan, block);
}

/* zio_channel_complete() of an output, and with @is_played false zio_channel_lost() */
void zio_ostream_finish(struct zio_channel_core *chan, unsigned int n, bool is_played)
{
	unsigned int in_flight = zio_ostream_in_flight(chan);

	if (WARN_ON_ONCE(n > in_flight))
		n = in_flight;
	if (!n)
		return;
	rcu_read_lock();
	while (n--)
		ostream_finish(chan, is_played);
	ostream_tell_of_room(chan);
	rcu_read_unlock();
}

/* The newest block in flight is the last one that was taken, or the last turn of the only one. */
static void ostream_give_turn_back(struct zio_channel_core *chan)
{
	struct zio_stream *stream = &chan->queue.stream;
	unsigned long flags;

	raw_spin_lock_irqsave(&stream->lock, flags);
	if (ostream_count_taken(chan) > 1) {
		WRITE_ONCE(stream->taken, stream->taken - 1);
	} else {
		WRITE_ONCE(stream->turns, stream->turns - 1);
		if (!stream->turns && !output_was_played(chan, zio_queue_peek(&chan->queue)))
			WRITE_ONCE(stream->taken, stream->taken - 1);
	}
	raw_spin_unlock_irqrestore(&stream->lock, flags);
}

/* zio_channel_give_back() of an output: the blocks never left their slots. @n are in flight. */
void zio_ostream_give_back(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_stream *stream = &chan->queue.stream;

	if (!ostream_repeats(chan->cset))
		WRITE_ONCE(stream->taken, stream->taken - n);
	else
		while (n--)
			ostream_give_turn_back(chan);
}

/* The driver could play none of the blocks that it has taken, or not even take one. */
static void ostream_lose(struct zio_channel_core *chan, int error)
{
	unsigned int n = ostream_count_taken(chan) ?: 1;
	struct zio_block *block;

	while (n-- && (block = zio_queue_pop(&chan->queue))) {
		if (!output_was_played(chan, block))
			count_lost_output(chan, block, error ? ZIO_LOSS_ERROR : ZIO_LOSS_ABORT,
					  error);
		ostream_put(chan, block);
	}
	ostream_tell_of_room(chan);
}

/*
 * Takes the blocks in flight back from a driver that has stopped: they are queued again. With
 * @lost, or an error, they are lost, so that the next ones get their chance. The caller owns the
 * phase.
 */
void zio_ostream_drop(struct zio_cset_core *cset, bool lost, int error)
{
	struct zio_stream *stream;
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++) {
		stream = &to_channel_core(armed->chan)->queue.stream;
		WRITE_ONCE(stream->limit, 0);
		if (lost || error)
			ostream_lose(to_channel_core(armed->chan), error);
		zio_ostream_open(to_channel_core(armed->chan));
		WRITE_ONCE(stream->resumes, true);
		WRITE_ONCE(stream->wants, 1);
	}
	cset->pub.armed->chan = NULL;
}

/*
 * Lets an output's stream play the blocks that it has, without waiting for more: the writer finds
 * no room (ZIO_HASTE_NOW), or writes no more for now (ZIO_HASTE_LAST). The haste ends with a block
 * queued after these are played, not before, as the caller may wait for the end of its own. Does
 * nothing for other channels. The channel is locked.
 */
void zio_ostream_hasten(struct zio_channel_core *chan, u8 haste)
{
	struct zio_stream *stream = &chan->queue.stream;

	if (!ostream_is(chan->cset) ||
	    (stream->haste >= haste && stream->due == chan->queue.head))
		return;
	WRITE_ONCE(stream->due, chan->queue.head);
	WRITE_ONCE(stream->haste, haste);
	zio_cset_kick_held(chan->cset);
}

/* Returns true if the driver owes no block of any channel, so it does not hang. */
bool zio_ostream_is_idle(const struct zio_cset_core *cset)
{
	unsigned int i;

	if (cset->cyclic && cset->flags & ZIO_CSET_CYCLIC)
		return true;
	for (i = 0; i < cset->n_chan; i++)
		if (zio_ostream_in_flight(cset->chan[i]))
			return false;
	return true;
}

/* The set is frozen. Blocks that were repeated have been played. */
static void ostream_end_cycle(struct zio_channel_core *chan)
{
	struct zio_block *block;
	int tail;

	while ((block = zio_queue_look(&chan->queue, &tail)) && output_was_played(chan, block) &&
	       zio_queue_take(&chan->queue, tail, 1))
		ostream_put(chan, block);
	ostream_tell_of_room(chan);
}

/*
 * Chooses whether an output's stream repeats the last block of each channel. The stream restarts
 * without playing a repeated block once more: stop_io() of a board that repeats finds the end of
 * the cycle, and completes that block. Sleeps; the caller holds cset->mutex.
 */
void zio_ostream_set_cyclic(struct zio_cset_core *cset, bool cyclic)
{
	unsigned int i;

	if (cyclic == cset->cyclic)
		return;
	if (cset->flags & ZIO_CSET_CYCLIC)
		WRITE_ONCE(cset->cyclic, cyclic);
	zio_cset_freeze(cset);
	for (i = 0; i < cset->n_chan && !cyclic; i++)
		ostream_end_cycle(cset->chan[i]);
	WRITE_ONCE(cset->cyclic, cyclic);
	zio_cset_unfreeze(cset);
}

/**
 * zio_cset_is_cyclic() - check whether blocks are to be repeated
 * @cset: the channel set, an output stream with ZIO_CSET_CYCLIC
 *
 * The answer changes before stop_io(): the board goes on as before until then.
 *
 * Context: Any, from raw_io() until stop_io() returns.
 *
 * Return: true if the board plays its last block again and again until it has another one.
 */
bool zio_cset_is_cyclic(const struct zio_cset *cset)
{
	return READ_ONCE(to_cset_core(cset)->cyclic);
}
EXPORT_SYMBOL_GPL(zio_cset_is_cyclic);
