// SPDX-License-Identifier: GPL-2.0-only
/*
 * block.c: rare operations on the blocks of an armed set
 *
 * The owner of the phase (engine.c) calls these functions, in any context, unless a comment
 * says otherwise.
 */
#include <linux/export.h>

#include "engine/block.h"

const struct zio_watch_ops *zio_watch_ops;

/*
 * A change stops all processors. A program may open and close what looks at blocks as often as
 * it likes, so the key stays on for a second after the last one.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(zio_watch_key, HZ);

/* Raises alarms: those of ZIO, and 8 bits higher those of the driver. Any context. */
void zio_channel_raise(struct zio_channel_core *chan, int bits)
{
	atomic_or(bits, &chan->alarms_new);
	atomic_or(bits, &chan->alarms);
}

static __always_inline void block_count_loss(struct zio_channel_core *chan, u32 n, u32 seq,
					     int cause, int error)
{
	const struct zio_channel_ops *ops = smp_load_acquire(&chan->ops); /* K */

	WRITE_ONCE(chan->lost, chan->lost + n);
	atomic_add(n, &chan->lost_before);
	if (trace_zio_lost_enabled())
		zio_trace_lost(chan->cset, chan, n, seq, cause, error);
	if (ops && ops->count_loss)
		ops->count_loss(chan, n);
	zio_channel_raise(chan, ZIO_ALARM_LOST_BLOCK);
}

/*
 * Counts @n lost blocks from number @seq on, and raises the alarm. @error is the driver's, or 0.
 * The driver of a stream calls this, too, under RCU.
 */
void zio_channel_count_loss(struct zio_channel_core *chan, u32 n, u32 seq, int cause,
			    int error)
{
	block_count_loss(chan, n, seq, cause, error);
}

/* Returns true if the channel loses old blocks rather than new ones, which taps may see. */
static bool block_prefers_new(const struct zio_channel_core *chan)
{
	return READ_ONCE(chan->buf->prefer_new) || READ_ONCE(chan->only_taps);
}

/*
 * Takes the oldest unread block out of the queue, to drop it. Returns NULL without "prefer-new", if
 * the drop would free no memory, and with a ring, whose blocks the program sees.
 *
 * The alarms of the block, and that of the loss, move to the oldest block that is left, because the
 * gap is in front of that one. They are noted before the block leaves, so that a reader of the next
 * block sees them with the gap. A reader may take and put the block meanwhile, but blocks are freed
 * only after a grace period. The driver of a stream calls this, too.
 */
struct zio_block *zio_channel_pop_unread(struct zio_channel_core *chan)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	struct zio_block *block;
	int tail, alarms, before;

	if (!block_prefers_new(chan) || READ_ONCE(chan->ops))
		return NULL;
	/* No memory is free while a reader holds the oldest block. */
	if (ops->oldest && ops->oldest(chan->buf) != zio_queue_peek(&chan->queue))
		return NULL;
	rcu_read_lock();
	while ((block = zio_queue_look(&chan->queue, &tail))) {
		alarms = ZIO_ALARM_LOST_BLOCK | READ_ONCE(block->zio_alarms) |
			READ_ONCE(block->drv_alarms) << 8;
		before = atomic_fetch_or(alarms, &chan->alarms_dropped);
		if (zio_queue_take(&chan->queue, tail, 1))
			break;
		/* A reader has the block and its alarms. */
		atomic_andnot(alarms & ~before, &chan->alarms_dropped);
	}
	rcu_read_unlock();
	return block;
}

/*
 * Takes the counts that no block has told to readers yet: of blocks that were dropped unread, or
 * that a reader left in part. The channel is locked.
 */
static u32 block_take_missing(struct zio_channel_core *chan, u32 *missed)
{
	u32 lost = READ_ONCE(chan->dropped_lost), events = READ_ONCE(chan->dropped_missed);
	u32 n = lost - chan->lost_told + chan->left_lost;

	*missed = events - chan->missed_told + chan->left_missed;
	chan->lost_told = lost;
	chan->missed_told = events;
	chan->left_lost = 0;
	chan->left_missed = 0;
	return n;
}

/* Takes the alarms of dropped blocks. Those of losses follow from the numbers. */
static int block_take_alarms_dropped(struct zio_channel_core *chan, u32 lost, u32 missed)
{
	int alarms = atomic_read(&chan->alarms_dropped) ?
		atomic_xchg(&chan->alarms_dropped, 0) : 0;

	alarms &= ~(ZIO_ALARM_LOST_BLOCK | ZIO_ALARM_LOST_TRIGGER);
	return alarms | (lost ? ZIO_ALARM_LOST_BLOCK : 0) | (missed ? ZIO_ALARM_LOST_TRIGGER : 0);
}

/*
 * Tells in a block that a reader has taken what is missing since the reader's last one, and gives
 * it the alarms of the blocks dropped in between. Its counts so far concern only the channel.
 *
 * The gap of the sequence numbers is exact. The count of dropped blocks may come too late for this
 * block; it serves where a ring, a route or a flush has taken blocks too. The channel is locked.
 */
void zio_block_take_dropped(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);
	s32 gap = core->seq - chan->next_seq;
	u32 missed, lost = block_take_missing(chan, &missed);
	int alarms;

	if (chan->gap_is_unknown)
		lost += core->lost;
	else /* below 0: a reader had the block, and left it */
		lost = max_t(s32, core->lost, gap);
	WRITE_ONCE(core->lost, lost);
	WRITE_ONCE(core->missed, core->missed + missed);
	alarms = block_take_alarms_dropped(chan, lost, core->missed);
	WRITE_ONCE(block->zio_alarms, block->zio_alarms | alarms);
	WRITE_ONCE(block->drv_alarms, block->drv_alarms | alarms >> 8);
}

/*
 * As zio_block_take_dropped(), for the oldest queued block, or for the next one if none is queued.
 * The channel is locked, and no other context takes blocks out of the queue.
 */
void zio_channel_settle_alarms(struct zio_channel_core *chan)
{
	u32 lost, missed;

	if (zio_queue_count(&chan->queue)) {
		zio_block_take_dropped(chan, zio_queue_peek(&chan->queue));
		return;
	}
	lost = block_take_missing(chan, &missed);
	atomic_add(lost, &chan->lost_before);
	atomic_add(missed, &chan->missed_before);
	atomic_fetch_or(block_take_alarms_dropped(chan, lost, missed), &chan->alarms_new); /* N */
}

/*
 * Starts to count afresh what readers miss: a ring, a route or a flush has taken blocks, and with
 * them what was missing in front of them. The channel is locked.
 */
void zio_channel_forget_gap(struct zio_channel_core *chan)
{
	u32 missed;

	block_take_missing(chan, &missed);
	atomic_set(&chan->alarms_dropped, 0);
	zio_channel_mark_gap(chan);
}

/* Notes what readers miss by a block from zio_channel_pop_unread(). */
void zio_channel_note_dropped(struct zio_channel_core *chan, const struct zio_block *old)
{
	const struct zio_block_core *core = to_block_core(old);

	WRITE_ONCE(chan->dropped_lost, chan->dropped_lost + core->lost + 1);
	WRITE_ONCE(chan->dropped_missed, chan->dropped_missed + core->missed);
	zio_trace_lost(chan->cset, chan, 1, core->seq, ZIO_LOSS_OLD, 0);
	atomic_or(ZIO_ALARM_LOST_BLOCK, &chan->alarms);
}

/* Drops the oldest unread block, and counts the loss. Returns false if it drops none. */
static bool block_drop_oldest(struct zio_channel_core *chan)
{
	struct zio_block *old = zio_channel_pop_unread(chan);

	if (!old)
		return false;
	/* The alarm is in chan->alarms_dropped. */
	chan->lost++;
	zio_channel_note_dropped(chan, old);
	chan->buf->type->ops->put_block(chan->buf, old);
	return true;
}

/*
 * Gets a block when none is free: one that a program has read in its ring, or with "prefer-new" the
 * oldest unread one. Inline, as block_count_no_block(): an event that finds all buffers full does
 * this for each channel.
 */
static __always_inline struct zio_block *block_find(struct zio_channel_core *chan)
{
	struct zio_buffer *buf = chan->buf;
	struct zio_block *block = NULL;

	while (!block && zio_channel_reclaim_read(chan, ZIO_RECLAIM_BLOCKS))
		if (zio_queue_count(&chan->queue) < buf->len)
			block = buf->type->ops->get_block(buf);
	while (!block && block_prefers_new(chan) && block_drop_oldest(chan))
		block = buf->type->ops->get_block(buf);
	return block;
}

static __always_inline void block_count_no_block(struct zio_channel_core *chan, u32 n, u32 seq)
{
	block_count_loss(chan, n, seq, ZIO_LOSS_NO_BLOCK, 0);
	/* Fewer blocks than the watermark may exist: wake readers for those. */
	zio_channel_wake(chan, ZIO_WAKE_IN);
}

/* Counts @n blocks, from number @seq on, that an input loses for want of a free block. */
void zio_channel_count_no_block(struct zio_channel_core *chan, u32 n, u32 seq)
{
	block_count_no_block(chan, n, seq);
}

/* Gets a block when none is free. Returns NULL if the new block is lost, and counts that. */
struct zio_block *zio_channel_reclaim(struct zio_channel_core *chan)
{
	struct zio_block *block = block_find(chan);

	if (unlikely(!block))
		block_count_no_block(chan, 1, chan->seq);
	return block;
}

/*
 * Stores up to @n free blocks from @slot on, and returns how many. The driver of a stream calls
 * this, too.
 */
unsigned int zio_channel_get_blocks(struct zio_channel_core *chan, struct zio_block **slot,
				    unsigned int n)
{
	struct zio_buffer *buf = chan->buf;
	const struct zio_buffer_ops *ops = buf->type->ops;
	struct zio_block *block;
	unsigned int i;

	if (unlikely(zio_queue_count(&chan->queue) >= buf->len))
		return 0;
	if (likely(ops->get_blocks))
		return ops->get_blocks(buf, slot, n);
	for (i = 0; i < n; i++) {
		block = ops->get_block(buf);
		if (!block)
			break;
		WRITE_ONCE(slot[i], block);
	}
	return i;
}

static void block_put_shots(struct zio_channel_core *chan, struct zio_armed *armed,
			    unsigned int n, unsigned int stride)
{
	while (n--) {
		zio_block_cancel(chan, armed[n * stride].block);
		armed[n * stride].chan = NULL;
	}
}

/*
 * Takes a block for each shot of an arming, or none, and lists one in every @stride entries from
 * @armed on. @reclaim: use blocks that were read, and with "prefer-new" unread ones. Returns false
 * if there are too few.
 */
bool zio_channel_take_shots(struct zio_channel_core *chan, struct zio_armed *armed,
			    unsigned int stride, bool reclaim)
{
	unsigned int n = chan->cset->pub.shape.nshots, i;
	struct zio_block *block;

	for (i = 0; i < n; i++) {
		block = zio_channel_get_block(chan);
		if (!block && reclaim)
			block = block_find(chan);
		if (!block) {
			block_put_shots(chan, armed, i, stride);
			return false;
		}
		armed[i * stride] = (struct zio_armed){ &chan->pub, block };
	}
	return true;
}

/* Returns true if a channel has a block for each shot. No block of its set is armed. */
bool zio_channel_has_shots(struct zio_channel_core *chan)
{
	struct zio_armed *armed = chan->cset->pub.armed;
	bool has_room = zio_channel_take_shots(chan, armed, 1, false);

	if (has_room)
		block_put_shots(chan, armed, chan->cset->pub.shape.nshots, 1);
	return has_room;
}

/*
 * As reclaim_room(), but may drop unread blocks if the driver is asynchronous. A synchronous one
 * would fill new blocks for ever.
 */
bool zio_channel_make_room(struct zio_channel_core *chan)
{
	while (!reclaim_room(chan))
		if (!READ_ONCE(chan->cset->async) || !block_drop_oldest(chan))
			return false;
	return true;
}

/* Gives back the memory behind the samples: the block has fewer than fit, or the size changed. */
void zio_block_fit(struct zio_channel_core *chan, struct zio_block *block)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;

	if (WARN_ON_ONCE(block->len > block->size))
		block->len = block->size;
	if (ops->trim)
		ops->trim(chan->buf, block);
}

/*
 * Counts the losses that the driver has noted, in front of the armed blocks of the channel.
 * Those that it notes meanwhile stay for the next block.
 *
 *   N  The driver adds to chan->lost_new, then (full barrier) sets ZIO_NOTED_LOSS. This
 *      function clears the bit, then (full barrier) takes the number. Otherwise a number
 *      could stay without its bit, and nobody would count it. chan->missed_before and
 *      ZIO_ALARM_LOST_TRIGGER follow the same rule.
 */
static void block_count_noted(struct zio_channel_core *chan)
{
	struct zio_armed *armed;
	u32 n, first = chan->seq;

	atomic_andnot(ZIO_NOTED_LOSS, &chan->alarms_new);
	n = atomic_xchg(&chan->lost_new, 0);			/* N */
	for (armed = chan->cset->pub.armed; armed->chan; armed++) {
		if (armed->chan != &chan->pub)
			continue;
		if (!armed->block->shot)
			first = to_block_core(armed->block)->seq;
		to_block_core(armed->block)->seq += n;
	}
	chan->seq += n;
	if (n)
		block_count_loss(chan, n, first, ZIO_LOSS_HARDWARE, 0);
}

static void block_count_if_noted(struct zio_channel_core *chan)
{
	if (atomic_read(&chan->alarms_new) & ZIO_NOTED_LOSS)
		block_count_noted(chan);
}

/* Moves the alarms of a channel and its counts of losses into a block. */
void zio_block_take_alarms(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);
	int alarms;

	block_count_if_noted(chan);
	alarms = atomic_fetch_and(ZIO_NOTED_LOSS | ZIO_NOTED_SUSPEND, &chan->alarms_new);
	if (alarms & ZIO_NOTED_SUSPEND)
		alarms |= ZIO_ALARM_SUSPENDED;
	core->lost = atomic_xchg(&chan->lost_before, 0);
	core->missed = atomic_xchg(&chan->missed_before, 0);	/* N */
	/* If two contexts have counted events, a former block may have told of both. */
	if (!core->missed)
		alarms &= ~ZIO_ALARM_LOST_TRIGGER;
	block->zio_alarms |= alarms;
	block->drv_alarms |= alarms >> 8;
}

/*
 * Puts queued and unread blocks. An output counts those it has not played as lost, unless the board
 * is gone, which fsync() reports by itself. The channel is locked, its set frozen or gone.
 */
void zio_channel_drop_unread(struct zio_channel_core *chan)
{
	bool loses = zio_cset_is_output(chan->cset) && !chan->cset->gone;
	struct zio_block_core *unread, *next;
	struct zio_block *block;

	lockdep_assert_held(&chan->lock);
	while ((block = zio_queue_pop(&chan->queue))) {
		if (loses && !output_was_played(chan, block))
			count_lost_output(chan, block, ZIO_LOSS_ABORT, 0);
		zio_output_put(chan, block);
	}
	list_for_each_entry_safe(unread, next, &chan->unread, link) {
		list_del(&unread->link);
		zio_block_put(chan, &unread->block);
	}
}

/* Returns the end of the list of armed blocks. */
struct zio_armed *zio_armed_end(struct zio_cset_core *cset)
{
	struct zio_armed *armed = cset->pub.armed;

	while (armed->chan)
		armed++;
	return armed;
}

/*
 * Puts the armed blocks, the newest first. Counts them as lost, unless they waited for no event.
 * @error: of the driver; 0 if the core takes them back.
 */
void zio_blocks_drop(struct zio_cset_core *cset, bool lost, int error)
{
	struct zio_armed *armed = zio_armed_end(cset);
	bool output = zio_cset_is_output(cset);
	struct zio_channel_core *chan;
	unsigned int i;

	for (i = 0; i < cset->n_active; i++)
		block_count_if_noted(cset->active[i]);
	while (armed-- != cset->pub.armed) {
		chan = to_channel_core(armed->chan);
		if (!output && !lost)
			chan->seq = to_block_core(armed->block)->seq;
		if (lost)
			zio_channel_count_loss(chan, 1, to_block_core(armed->block)->seq,
					       error ? ZIO_LOSS_ERROR : ZIO_LOSS_ABORT, error);
		if (!output) {
			zio_block_cancel(chan, armed->block);
			continue;
		}
		count_dropped_output(chan, armed->block);
		zio_output_put(chan, armed->block);
		zio_channel_notify(chan);
	}
	cset->given_back = 0;
	cset->pub.armed->chan = NULL;
}

/**
 * zio_channel_alarm() - raise alarms of the driver
 * @chan: the channel
 * @drv_alarms: bits; the driver defines their meaning
 *
 * The next block that is done reports the alarms. The channel's "alarms" file shows them
 * until a user clears them.
 *
 * Context: Any.
 */
void zio_channel_alarm(struct zio_channel *chan, u8 drv_alarms)
{
	zio_channel_raise(to_channel_core(chan), drv_alarms << 8);
}
EXPORT_SYMBOL_GPL(zio_channel_alarm);

/**
 * zio_cset_lost() - report events that the hardware lost before the armed blocks
 * @pub: the channel set, an input
 * @n: number of events; 0: none
 *
 * The next block of each channel gets a sequence number that is @n higher, and an alarm. Each
 * enabled channel counts @n lost blocks then. Until the driver gives the blocks back, the
 * function only notes this: another context may own the phase.
 *
 * Context: Any; the driver has the blocks, see zio_for_each_block().
 */
void zio_cset_lost(struct zio_cset *pub, u32 n)
{
	struct zio_cset_core *cset = to_cset_core(pub);
	unsigned int i;

	for (i = 0; n && i < cset->n_active; i++) {
		atomic_add(n, &cset->active[i]->lost_new);
		atomic_fetch_or(ZIO_NOTED_LOSS, &cset->active[i]->alarms_new); /* N */
	}
}
EXPORT_SYMBOL_GPL(zio_cset_lost);
