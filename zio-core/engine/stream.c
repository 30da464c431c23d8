// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c: sets whose driver has many blocks of a channel in flight
 *
 * A stream is started once, and its set remains ARMED. Meanwhile the driver takes free
 * blocks and completes them, without a transition of the state word:
 *
 *   IDLE ---kick---> ARMING ---raw_io() = PENDING--> ARMED: take, take, complete(2), ...
 *                      `-------raw_io() = error----> IDLE
 *   ARMED --freeze-> ABORTING --stop_io(), blocks in flight to the buffer--> IDLE
 *   ARMED --zio_cset_fail()-> FINISHING --blocks in flight to the buffer---> IDLE
 *
 * CSET_STREAM is always set in the state word of such a set. So no other function arms it,
 * at no cost for other sets. zio_cset_done() finds no armed set.
 *
 * The blocks in flight are in the slots of the queue behind its head. The queue has as
 * many slots as there are blocks, so these slots are free. To complete blocks is to move
 * the head:
 *
 *         tail           head            taken
 *     ...  |    queued    |   in flight    |  ...
 *
 * A block gets its number when it is complete. So an abort leaves no gap, and a loss
 * always does.
 *
 *   I  zio_channel_take() sets wants, then (full barrier) looks for a block again. Another
 *      context puts a block, or lets the channel drop unread ones, then (full barrier) looks
 *      at wants. Otherwise the channel could have a free block without the driver ever
 *      being told.
 *   E  stream_refill() calls the driver under RCU, once it has found the set ARMED.
 *      stream_close() waits for a grace period between ABORTING and stop_io(). Otherwise
 *      refill() could run beside stop_io(), and start hardware that was just stopped.
 *
 * A ring is opened and closed beside the driver. So the driver's functions look at chan->ops
 * under RCU (K, see channel/ring.c).
 */
#include <linux/export.h>
#include <linux/zio-stream.h>

#include "engine/block.h"
#include "engine/internal.h"

/* Context: Any; the number may be old. */
static unsigned int stream_in_flight(const struct zio_channel_core *chan)
{
	int n = READ_ONCE(chan->queue.stream.taken) - READ_ONCE(chan->queue.head);

	return max(n, 0);
}

static bool stream_reclaim(struct zio_channel_core *chan, unsigned int n)
{
	bool found;

	rcu_read_lock();					/* K */
	found = zio_channel_reclaim_read(chan, n);
	rcu_read_unlock();
	return found;
}

/*
 * Frees a block that a program has read, or with "prefer-new" the oldest unread one, but not while
 * the driver has as many blocks as readers. A driver that takes all memory at each interrupt would
 * leave them none.
 */
static struct zio_block *stream_free_block(struct zio_channel_core *chan)
{
	struct zio_block *block = NULL, *old;

	rcu_read_lock();					/* K */
	while (!block && zio_channel_reclaim_read(chan, ZIO_RECLAIM_BLOCKS))
		block = zio_channel_get_block(chan);
	while (!block && zio_queue_count(&chan->queue) > stream_in_flight(chan)) {
		old = zio_channel_pop_unread(chan);
		if (!old)
			break;
		WRITE_ONCE(chan->queue.stream.dropped, chan->queue.stream.dropped + 1);
		zio_channel_note_dropped(chan, old);
		chan->buf->type->ops->put_block(chan->buf, old);
		block = zio_channel_get_block(chan);
	}
	rcu_read_unlock();
	return block;
}

/* No block is free. Not inline, so that the usual way saves no registers for it. */
static noinline struct zio_block *stream_find_block(struct zio_channel_core *chan)
{
	struct zio_stream *stream = &chan->queue.stream;
	bool wanted = READ_ONCE(stream->wants);
	struct zio_block *block = stream_free_block(chan);

	if (block)
		return block;
	WRITE_ONCE(stream->wants, 1);
	smp_mb();						/* I */
	block = zio_channel_get_block(chan) ?: stream_free_block(chan);
	if (block)
		return block;
	/* The device has just lost its last block: it may drop samples. */
	if (!stream->is_dry && !stream_in_flight(chan)) {
		WRITE_ONCE(stream->is_dry, true);
		WRITE_ONCE(stream->n_dry, stream->n_dry + 1);
		zio_channel_raise(chan, ZIO_ALARM_DRY);
		wanted = false;
	}
	/* Fewer blocks than the watermark may exist: wake readers for those. */
	if (!wanted)
		zio_channel_wake(chan, ZIO_WAKE_IN);
	return NULL;
}

/* The driver may ask for the clock of the block, so the block needs its attributes now. */
static __always_inline void stream_prepare_block(struct zio_channel_core *chan,
						 struct zio_block *block, size_t len)
{
	zio_block_snapshot(chan, block);
	block->len = len;
	block->tstamp = (struct zio_timestamp){ 0 };
	to_block_core(block)->lost = 0;
	to_block_core(block)->missed = 0;
	block->zio_alarms = 0;
	block->drv_alarms = 0;
	if (unlikely(block->values))
		zio_block_reset_values(chan, block);
	if (IS_ENABLED(CONFIG_LOCKDEP))
		zio_block_poison(block);
}

/**
 * zio_channel_take() - take a free block of a stream, or the next one to play
 * @pub: the channel
 *
 * The block is in flight until zio_channel_complete(). Its length is that of the trigger.
 * Its time stamp and alarms are zero. If there is no free block, refill() follows when
 * there may be one. The block of an output is as its user has written it. It may be in
 * flight several times, if the core repeats blocks.
 *
 * Context: Any, from raw_io() until stop_io() returns; one caller at a time per channel.
 *
 * Return: the block; NULL without a free block, and with as many blocks in flight as the
 * attribute "queue-depth" says. NULL for a disabled channel, and after the stream's end.
 */
struct zio_block *zio_channel_take(struct zio_channel *pub)
{
	struct zio_channel_core *chan = to_channel_core(pub);
	struct zio_stream *stream = &chan->queue.stream;
	struct zio_queue *q = &chan->queue;
	unsigned int taken = stream->taken;
	struct zio_block *block;

	if (unlikely(zio_cset_is_output(chan->cset)))
		return zio_ostream_take(chan);
	if (taken - READ_ONCE(q->head) >= READ_ONCE(stream->limit))
		return NULL;
	block = zio_channel_get_block(chan);
	if (unlikely(!block)) {
		block = stream_find_block(chan);
		if (!block)
			return NULL;
	}
	WRITE_ONCE(stream->is_dry, false);
	stream_prepare_block(chan, block, chan->cset->block_len);
	WRITE_ONCE(q->slot[taken & q->mask], block);
	WRITE_ONCE(stream->taken, taken + 1);
	return block;
}
EXPORT_SYMBOL_GPL(zio_channel_take);

/* Takes up to @n blocks that the buffer has. Returns how many; the next call tells of more. */
static unsigned int stream_take_free(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_stream *stream = &chan->queue.stream;
	struct zio_queue *q = &chan->queue;
	struct zio_block **slot = &q->slot[stream->taken & q->mask];
	size_t len = chan->cset->block_len;
	unsigned int i;

	n = zio_channel_get_blocks(chan, slot, zio_queue_row(q, stream->taken, n));
	for (i = 0; i < n; i++)
		stream_prepare_block(chan, slot[i], len);
	WRITE_ONCE(stream->taken, stream->taken + n);
	return n;
}

/**
 * zio_channel_take_blocks() - take free blocks of a stream
 * @pub: the channel
 * @n: how many at most; UINT_MAX: as many as there are
 *
 * As @n calls of zio_channel_take(), but cheaper. zio_channel_in_flight() and
 * zio_channel_in_flight_row() have the blocks.
 *
 * Context: As zio_channel_take().
 *
 * Return: how many blocks were taken.
 */
unsigned int zio_channel_take_blocks(struct zio_channel *pub, unsigned int n)
{
	struct zio_channel_core *chan = to_channel_core(pub);
	struct zio_stream *stream = &chan->queue.stream;
	unsigned int in_flight = stream->taken - READ_ONCE(chan->queue.head);
	unsigned int limit = READ_ONCE(stream->limit), taken = 0, more;

	if (unlikely(zio_cset_is_output(chan->cset))) {
		while (taken < n && zio_ostream_take(chan))
			taken++;
		return taken;
	}
	if (in_flight >= limit)
		return 0;
	n = min(n, limit - in_flight);
	if (n == 1)
		return zio_channel_take(pub) ? 1 : 0;
	while (taken < n) {
		more = stream_take_free(chan, n - taken);
		taken += more;
		if (!more && !stream_reclaim(chan, n - taken))
			break;
	}
	if (taken)
		WRITE_ONCE(stream->is_dry, false);
	while (taken < n && zio_channel_take(pub))
		taken++;
	return taken;
}
EXPORT_SYMBOL_GPL(zio_channel_take_blocks);

/**
 * zio_channel_in_flight() - get a block that the driver has
 * @pub: the channel
 * @i: 0 for the oldest block, 1 for the next one, and so on
 *
 * Context: Any; as zio_channel_complete().
 *
 * Return: the block; NULL if fewer blocks are in flight.
 */
struct zio_block *zio_channel_in_flight(struct zio_channel *pub, unsigned int i)
{
	struct zio_channel_core *chan = to_channel_core(pub);
	struct zio_queue *q = &chan->queue;
	struct zio_block *const *row;
	unsigned int n = 1;

	if (unlikely(zio_cset_is_output(chan->cset))) {
		row = zio_ostream_row(chan, i, &n);
		return row ? READ_ONCE(*row) : NULL;
	}
	if (i >= READ_ONCE(chan->queue.stream.taken) - q->head)
		return NULL;
	return READ_ONCE(q->slot[(q->head + i) & q->mask]);
}
EXPORT_SYMBOL_GPL(zio_channel_in_flight);

/**
 * zio_channel_in_flight_row() - get several blocks that the driver has
 * @pub: the channel
 * @i: 0 for the oldest block, 1 for the next one, and so on
 * @n: the number of blocks wanted, at least 1; set to the length of the array
 *
 * The blocks in flight are in a ring, so its end ends an array.
 *
 * Context: Any; as zio_channel_complete().
 *
 * Return: an array of the blocks from block @i on; NULL if fewer blocks are in flight.
 */
struct zio_block *const *zio_channel_in_flight_row(struct zio_channel *pub,
						   unsigned int i, unsigned int *n)
{
	struct zio_channel_core *chan = to_channel_core(pub);
	unsigned int in_flight = READ_ONCE(chan->queue.stream.taken) - chan->queue.head;
	struct zio_queue *q = &chan->queue;

	if (unlikely(zio_cset_is_output(chan->cset)))
		return zio_ostream_row(chan, i, n);
	if (i >= in_flight)
		return NULL;
	*n = zio_queue_row(q, q->head + i, min(*n, in_flight - i));
	return &q->slot[(q->head + i) & q->mask];
}
EXPORT_SYMBOL_GPL(zio_channel_in_flight_row);

/* Gives the oldest @n blocks in flight their numbers, the first one the alarms. */
static void stream_finish_blocks(struct zio_channel_core *chan, unsigned int n)
{
	const struct zio_snapshot *snap = rcu_access_pointer(chan->snap);
	const struct zio_queue *q = &chan->queue;
	unsigned int i, head = q->head, mask = q->mask;
	struct zio_block *const *slot = q->slot, *block;
	unsigned long bytes = 0;
	u32 seq = chan->seq - head;

	if (unlikely(atomic_read(&chan->alarms_new)))
		zio_block_take_alarms(chan, READ_ONCE(slot[head & mask]));
	for (i = head; i != head + n; i++) {
		block = READ_ONCE(slot[i & mask]);
		if (WARN_ON_ONCE(block->len > block->size))
			block->len = block->size;
		if (IS_ENABLED(CONFIG_LOCKDEP))
			zio_block_check(chan, block);
		to_block_core(block)->seq = seq + i;
		if (unlikely(to_block_core(block)->snap != snap))
			zio_block_renew_snapshot(chan, block);
		bytes += block->len;
	}
	chan->bytes += bytes;
}

static noinline void stream_watch_blocks(struct zio_channel_core *chan, unsigned int n)
{
	const struct zio_queue *q = &chan->queue;
	unsigned int i;

	for (i = q->head; i != q->head + n; i++)
		watch_block(chan, q->slot[i & q->mask]);
}

/**
 * zio_channel_complete() - complete the oldest blocks in flight
 * @pub: the channel
 * @n: how many
 *
 * The driver has set their length, time stamp, alarms and values. The blocks get the next
 * numbers. Readers see all of them at once, and are woken once. Blocks that the hardware
 * finishes out of order wait in the driver. Those of an output were played: they return to
 * their buffer, and writers wake.
 *
 * Context: Any, from raw_io() until stop_io() returns; one caller at a time per channel,
 * together with zio_channel_lost().
 */
void zio_channel_complete(struct zio_channel *pub, unsigned int n)
{
	struct zio_channel_core *chan = to_channel_core(pub);
	unsigned int in_flight = READ_ONCE(chan->queue.stream.taken) - chan->queue.head;
	const struct zio_channel_ops *ops;

	if (unlikely(zio_cset_is_output(chan->cset))) {
		zio_ostream_finish(chan, n, true);
		return;
	}
	if (WARN_ON_ONCE(n > in_flight))
		n = in_flight;
	if (!n)
		return;
	stream_finish_blocks(chan, n);
	if (static_branch_unlikely(&zio_watch_key.key) || trace_zio_block_done_enabled())
		stream_watch_blocks(chan, n);
	WRITE_ONCE(chan->seq, chan->seq + n);
	WRITE_ONCE(chan->blocks, chan->blocks + n);
	rcu_read_lock();					/* K */
	ops = smp_load_acquire(&chan->ops);			/* K */
	zio_channel_publish(chan, ops, n);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(zio_channel_complete);

static void stream_lose(struct zio_channel_core *chan, unsigned int n)
{
	WRITE_ONCE(chan->seq, chan->seq + n);
	rcu_read_lock();					/* K */
	zio_channel_count_loss(chan, n, chan->seq - n, ZIO_LOSS_HARDWARE, 0);
	rcu_read_unlock();
}

static void stream_lose_output(struct zio_channel_core *chan, unsigned int n)
{
	zio_ostream_finish(chan, n, false);
}

/**
 * zio_channel_lost() - count blocks that the hardware has dropped
 * @pub: the channel
 * @n: how many
 *
 * The next block that is complete has a gap of @n before its number, and an alarm. For an
 * output these are the oldest blocks in flight: they are lost, and fsync() fails.
 *
 * Context: As zio_channel_complete().
 */
void zio_channel_lost(struct zio_channel *pub, unsigned int n)
{
	struct zio_channel_core *chan = to_channel_core(pub);

	if (n)
		chan->cset->model->lose(chan, n);
}
EXPORT_SYMBOL_GPL(zio_channel_lost);

static void stream_open_input(struct zio_channel_core *chan)
{
	chan->queue.stream.taken = chan->queue.head;
}

/* Lists the active channels for zio_for_each_channel(), and lets the driver take blocks. */
static void stream_open_channels(struct zio_cset_core *cset)
{
	struct zio_armed *armed = cset->pub.armed;
	struct zio_channel_core *chan;
	unsigned int i;

	for (i = 0; i < cset->n_active; i++) {
		chan = cset->active[i];
		cset->model->open(chan);
		chan->queue.stream.wants = 0;
		chan->queue.stream.limit = cset->queue_depth;
		armed[i].chan = &chan->pub;
		armed[i].block = NULL;
	}
	armed[i].chan = NULL;
}

/* The driver takes no more blocks. */
static void stream_close_channels(struct zio_cset_core *cset)
{
	struct zio_armed *armed;

	for (armed = cset->pub.armed; armed->chan; armed++)
		WRITE_ONCE(to_channel_core(armed->chan)->queue.stream.limit, 0);
}

/*
 * Prepares a stream for stop_io(). The device goes on during the grace period: it needs
 * blocks until then. Context: Process, sleeps; the caller owns the phase.
 */
static void stream_close(struct zio_cset_core *cset)
{
	synchronize_rcu();					/* E */
	stream_close_channels(cset);
}

/* Takes the newest @n blocks in flight back. */
static void stream_cancel(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_stream *stream = &chan->queue.stream;
	struct zio_queue *q = &chan->queue;

	while (n--) {
		WRITE_ONCE(stream->taken, stream->taken - 1);
		zio_block_cancel(chan, q->slot[stream->taken & q->mask]);
	}
}

/**
 * zio_channel_give_back() - give the newest blocks in flight back untouched
 * @pub: the channel
 * @n: how many
 *
 * For a driver that cannot hand them to the hardware. This is no loss: the blocks of an input
 * have no number yet, and those of an output stay queued. The driver takes blocks again by
 * itself: no refill() follows.
 *
 * Context: As zio_channel_take() and zio_channel_complete(): beside neither of them.
 */
void zio_channel_give_back(struct zio_channel *pub, unsigned int n)
{
	struct zio_channel_core *chan = to_channel_core(pub);
	const struct zio_cset_model *model = chan->cset->model;
	unsigned int in_flight = model->in_flight(chan);

	if (WARN_ON_ONCE(n > in_flight))
		n = in_flight;
	model->give_back(chan, n);
}
EXPORT_SYMBOL_GPL(zio_channel_give_back);

/* Puts the blocks in flight; the driver has stopped. The caller owns the phase. */
static void stream_drop(struct zio_cset_core *cset, bool lost, int error)
{
	struct zio_channel_core *chan;
	struct zio_armed *armed;

	stream_close_channels(cset);
	for (armed = cset->pub.armed; armed->chan; armed++) {
		chan = to_channel_core(armed->chan);
		stream_cancel(chan, stream_in_flight(chan));
		WRITE_ONCE(chan->queue.stream.wants, 1);
	}
	cset->pub.armed->chan = NULL;
}

/* Tells the driver of channels that may have a free block. */
static void stream_refill(struct zio_cset_core *cset)
{
	struct zio_stream *stream;
	struct zio_armed *armed;

	rcu_read_lock();
	if (cset_phase(cset) != CSET_ARMED)			/* E */
		goto out;
	for (armed = cset->pub.armed; armed->chan; armed++) {
		stream = &to_channel_core(armed->chan)->queue.stream;
		if (READ_ONCE(stream->wants) && xchg(&stream->wants, 0) && cset->ops->refill)
			cset->ops->refill(&cset->pub, armed->chan);
	}
out:
	rcu_read_unlock();
}

/* Calls raw_io(); the set is ARMING. Context: Any; process if the set sleeps. */
static void stream_start(struct zio_cset_core *cset)
{
	int ret;

	stream_open_channels(cset);
	if (!cset->pub.armed->chan) {
		make_idle(cset);
		return;
	}
	cset->fired++;
	WRITE_ONCE(cset->async, true);
	ret = cset->ops->raw_io(&cset->pub);
	ret = ret == ZIO_PENDING ? zio_cset_leave_armed(cset) : zio_cset_fail_arm(cset, ret);
	if (ret == -EINPROGRESS)
		stream_refill(cset);
	else if (cset->model->goes_on)
		zio_cset_kick_later(cset);
}

/* Starts a stream, or tells its driver of free blocks. The caller owns no phase. */
static void stream_kick(struct zio_cset_core *cset)
{
	smp_mb();						/* I */
	if (!cset_enter(cset, CSET_STREAM | CSET_IDLE))
		stream_refill(cset);
	else if (!arm_in_other_context(cset))
		stream_start(cset);
}

/*
 * Begins an output's stream that is due, or tells its driver of blocks. The caller owns no phase. A
 * block that was queued while this context had the phase is found after make_idle() (D in
 * engine.c).
 */
static void stream_kick_output(struct zio_cset_core *cset)
{
	smp_mb();						/* I */
	do {
		if (!cset_enter(cset, CSET_STREAM | CSET_IDLE)) {
			stream_refill(cset);
			return;
		}
		if (zio_ostream_is_due(cset)) {
			if (!arm_in_other_context(cset))
				stream_start(cset);
			return;
		}
		make_idle(cset);
	} while (zio_ostream_is_due(cset));
}

/*
 * Returns true if the caller, who has put a block, must kick the set: the driver waits for a free
 * block, or no stream runs.
 */
bool zio_stream_wants_room(const struct zio_channel_core *chan)
{
	smp_mb();						/* I */
	return READ_ONCE(chan->queue.stream.wants);
}

/*
 * Limits the blocks in flight of each channel to @depth, 1 ... that of the driver. The stream goes
 * on, and the driver keeps what it has. Sleeps; the caller holds cset->mutex.
 */
void zio_stream_set_depth(struct zio_cset_core *cset, unsigned int depth)
{
	struct zio_stream *stream;
	unsigned int i;

	zio_cset_quiesce(cset);
	WRITE_ONCE(cset->queue_depth, depth);
	for (i = 0; i < cset->n_chan; i++) {
		stream = &cset->chan[i]->queue.stream;
		if (stream->limit)
			WRITE_ONCE(stream->limit, depth);
		WRITE_ONCE(stream->wants, 1);
	}
	zio_cset_unfreeze(cset);
}

/* Returns a number that changes while the driver takes and completes blocks. */
static unsigned long stream_progress(const struct zio_cset_core *cset)
{
	unsigned long n = READ_ONCE(cset->fired);
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++)
		n += READ_ONCE(cset->chan[i]->blocks) +
			READ_ONCE(cset->chan[i]->queue.stream.taken);
	return n;
}

/*
 * Passes an event that has found the set not IDLE to the driver. Returns 0, or -EBUSY if the event
 * is lost. Under RCU, as stream_refill().
 */
static int stream_fire(struct zio_binding *bind, const struct timespec64 *at)
{
	struct zio_cset_core *cset = bind->cset;

	if (cset_phase(cset) != CSET_ARMED ||			/* E */
	    cset->bind != bind || !cset->ops->arm_event)
		return -EBUSY;
	return cset->ops->arm_event(&cset->pub, at) ? -EBUSY : 0;
}

/* No memory is free, and the driver has been told that there is none: it waits for readers. */
static bool stream_is_idle(const struct zio_cset_core *cset)
{
	const struct zio_channel_core *chan;
	unsigned int i;

	for (i = 0; i < cset->n_active; i++) {
		chan = cset->active[i];
		if (stream_in_flight(chan) || !READ_ONCE(chan->queue.stream.wants))
			return false;
	}
	return true;
}

const struct zio_cset_model zio_istream_model = {
	.state = CSET_STREAM,
	.kick = stream_kick,
	.start = stream_start,
	.drop = stream_drop,
	.progress = stream_progress,
	.close = stream_close,
	.is_idle = stream_is_idle,
	.fire = stream_fire,
	.open = stream_open_input,
	.in_flight = stream_in_flight,
	.give_back = stream_cancel,
	.lose = stream_lose,
};

const struct zio_cset_model zio_ostream_model = {
	.state = CSET_STREAM,
	.goes_on = true,
	.kick = stream_kick_output,
	.start = stream_start,
	.drop = zio_ostream_drop,
	.progress = stream_progress,
	.close = stream_close,
	.is_idle = zio_ostream_is_idle,
	.fire = stream_fire,
	.open = zio_ostream_open,
	.in_flight = zio_ostream_in_flight,
	.give_back = zio_ostream_give_back,
	.lose = stream_lose_output,
};
