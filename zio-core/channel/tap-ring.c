// SPDX-License-Identifier: GPL-2.0-only
/*
 * tap-ring.c: the newest blocks of an input, which taps read without taking them
 *
 * The ring exists while the channel has a tap. Its only writer is the owner of the phase, which
 * never waits: the newest block replaces the oldest slot. A slot has its block's control and the
 * place of the samples, which are in one of two places:
 *
 *   area  The block's own memory, if its buffer reuses memory in order (see @oldest in
 *         zio-buffer.h). The block may return to its buffer at once, and its memory may be
 *         refilled. So the writer keeps an *edge*, which counts bytes from lap to lap of the area.
 *         All memory before the edge may belong to the driver. After each block the edge includes
 *         the next one, which the engine may arm at any moment. If the core takes that one back,
 *         the one after it begins at the same place (see @cancel).
 *   copy  With other buffers, or an area with room for one block only, the writer copies the
 *         samples. It keeps two copies, counted by the edge in the same way. It copies only after a
 *         tap has taken the last copy. So each block is copied once for all taps, and slow taps
 *         cost less.
 *
 * A reader copies the samples first, then checks whether the edge has moved past them.
 *
 *   A  The writer fills a slot, and its copy, then stores head (release). The reader loads
 *      head (acquire), then the slot. Otherwise it could see an old slot. A tap that skips
 *      what is there loads head, then stores wanted (release). tap_ring_push() loads wanted,
 *      then stores head. Otherwise the tap could skip the very copy that it asks for, and no
 *      tap would ask again.
 *   M  The writer announces what it is about to change, then (write barrier, or the release
 *      of the area) changes it: edge before memory is filled again, head before the slot is,
 *      first before the buffer publishes a new area. The reader copies, then (read barrier)
 *      loads the same word. Otherwise it could take another block's samples for its own.
 *
 * The writer uses the ring under RCU, so it is freed a grace period after the last tap.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "channel/tap.h"

#define TAP_COPY_MIN	512u
#define TAP_COPY_MAX	SZ_4M

static unsigned int tap_copy = SZ_64K;
module_param(tap_copy, uint, 0644);
MODULE_PARM_DESC(tap_copy,
		 "bytes of a block that taps show, at most, if the buffer has no area");

static void tap_ring_wake(struct irq_work *work)
{
	struct zio_tap_ring *ring = container_of(work, struct zio_tap_ring, wake_work);

	wake_up_interruptible_poll(&ring->wq, EPOLLIN | EPOLLRDNORM);
}

/*
 * Returns how much the driver may fill behind a finished block before another one finishes: the
 * other shots of this arming, and those of the next.
 */
static size_t tap_ring_room_ahead(const struct zio_buffer *buf)
{
	size_t n = 2 * buf->chan->cset->pub.shape.nshots - 1;

	return n * zio_buffer_room(buf, buf->block_size);
}

/*
 * Returns true if taps can read the block in place. The driver of a stream fills many blocks behind
 * it, so the edge would be too near. Blocks in one piece leave gaps, so the edge would be wrong.
 */
static bool tap_ring_is_in_order(const struct zio_buffer *buf)
{
	return buf->area && !zio_cset_is_stream(buf->chan->cset) && buf->type->ops->oldest &&
		!buf->one_piece &&
		tap_ring_room_ahead(buf) + zio_buffer_room(buf, buf->block_size) <= buf->area->size;
}

/*
 * Moves the edge after the buffer handed out @len bytes at the block. The next blocks may follow
 * behind it or at the start of the area. Returns where the block begins.
 */
static unsigned long tap_ring_move_edge(struct zio_tap_ring *ring, const struct zio_buffer *buf,
					const struct zio_block *block, size_t len)
{
	size_t offset = to_block_core(block)->mem_offset;
	size_t next = tap_ring_room_ahead(buf), room = zio_buffer_room(buf, len);

	if (!ring->is_new && offset <= ring->last)
		ring->base += buf->area->size;
	ring->is_new = false;
	ring->last = offset;
	if (offset + room + next <= buf->area->size)
		next += offset + room;
	else
		next += buf->area->size;
	WRITE_ONCE(ring->edge, ring->base + next);
	return ring->base + offset;
}

/* Copies whole samples of all channels, as many as fit. */
static void tap_ring_copy(struct zio_tap_ring *ring, struct zio_tap_slot *slot,
			  const struct zio_cset_core *cset, const struct zio_block *block)
{
	size_t one = (cset->ssize ?: 1) * max_t(size_t, 1, hweight64(cset->pub.shape.mask));

	slot->len = block->len;
	if (slot->len > ring->copy_size)
		slot->len = ring->copy_size - ring->copy_size % one;
	slot->begin = ring->base;
	slot->span = 2 * ring->copy_size;
	slot->offset = (ring->n_copies++ & 1) * ring->copy_size;
	ring->base += ring->copy_size;
	WRITE_ONCE(ring->wanted, false);
	WRITE_ONCE(ring->edge, ring->base);
	smp_wmb();						/* M */
	memcpy(ring->copy + slot->offset, block->data, slot->len);
}

static void tap_ring_push(struct zio_tap_ring *ring, struct zio_channel_core *chan,
			  const struct zio_block *block)
{
	struct zio_tap_slot *slot = &ring->slot[ring->head % ZIO_TAP_SLOTS];
	unsigned int ssize = chan->cset->ssize;
	struct zio_buffer *buf = chan->buf;
	bool in_order = tap_ring_is_in_order(buf);

	if (!in_order && !READ_ONCE(ring->wanted))
		return;
	if (in_order) {
		unsigned long begin = tap_ring_move_edge(ring, buf, block, block->len);

		smp_wmb();					/* M */
		slot->begin = begin;
		slot->span = buf->area->size;
		slot->offset = to_block_core(block)->mem_offset;
		slot->len = block->len;
	} else {
		tap_ring_copy(ring, slot, chan->cset, block);
	}
	slot->is_copy = !in_order;
	zio_ring_fill_slot(&slot->ctrl, &slot->snap_id, block, chan->pub.index, ssize);
	slot->ctrl.flags = to_block_core(block)->snap->common.flags;
	if (unlikely(slot->len != block->len)) {
		slot->ctrl.flags |= ZIO_CONTROL_CUT;
		slot->ctrl.nsamples = slot->len / (ssize ?: 1);
	}
	smp_store_release(&ring->head, ring->head + 1);		/* A, M */
	if (!wq_has_sleeper(&ring->wq))				/* U */
		return;
	if (zio_must_defer())
		irq_work_queue(&ring->wake_work);
	else
		tap_ring_wake(&ring->wake_work);
}

/* An input has finished a block. Any context; the caller owns the phase. */
void zio_tap_block_done(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_tap_ring *ring;

	rcu_read_lock();
	ring = rcu_dereference(chan->tap_ring);
	if (ring)
		tap_ring_push(ring, chan, block);
	rcu_read_unlock();
}

/* The set is frozen, and the channel's blocks get other memory or another size. */
void zio_tap_memory_move(struct zio_channel_core *chan)
{
	struct zio_tap_ring *ring;

	rcu_read_lock();
	ring = rcu_dereference(chan->tap_ring);
	if (ring) {
		WRITE_ONCE(ring->first, ring->head);		/* M */
		ring->is_new = true;
		zio_tap_ring_want(ring);
	}
	rcu_read_unlock();
}

static void tap_ring_free(struct zio_tap_ring *ring)
{
	vfree(ring->copy);
	vfree(ring);
}

static struct zio_tap_ring *tap_ring_alloc(void)
{
	struct zio_tap_ring *ring = zio_user_alloc(sizeof(*ring));

	if (!ring)
		return NULL;
	ring->copy_size = clamp(READ_ONCE(tap_copy), TAP_COPY_MIN, TAP_COPY_MAX);
	ring->copy = zio_user_alloc(2 * ring->copy_size);
	if (!ring->copy) {
		tap_ring_free(ring);
		return NULL;
	}
	ring->is_new = true;
	init_waitqueue_head(&ring->wq);
	init_irq_work(&ring->wake_work, tap_ring_wake);
	return ring;
}

/*
 * Gets an input's ring for one more tap. No tap is charged for it, as a channel has one ring at
 * most. @pos receives the next block's number. Once the tap is counted, each finished block is in
 * the ring at @pos or behind. Sleeps. Returns the ring, for zio_tap_ring_put(); -ENOMEM; -EINTR.
 */
__cold struct zio_tap_ring *zio_tap_ring_get(struct zio_channel_core *chan, u32 *pos)
{
	struct zio_tap_ring *ring, *new = tap_ring_alloc();

	if (!new)
		return ERR_PTR(-ENOMEM);
	/* This patches code that other processors run, and may take long. */
	static_branch_inc(&zio_watch_key.key);
	if (mutex_lock_killable(&chan->lock)) {
		static_branch_slow_dec_deferred(&zio_watch_key);
		tap_ring_free(new);
		return ERR_PTR(-EINTR);
	}
	ring = rcu_dereference_protected(chan->tap_ring, lockdep_is_held(&chan->lock));
	if (!ring) {
		ring = new;
		rcu_assign_pointer(chan->tap_ring, new);
	}
	*pos = READ_ONCE(ring->head);
	zio_tap_ring_want(ring);
	WRITE_ONCE(chan->n_taps, chan->n_taps + 1);
	zio_channel_note_readers(chan);
	mutex_unlock(&chan->lock);
	if (ring != new)
		tap_ring_free(new);
	return ring;
}

/* Drops a tap's hold on the ring. The last one waits for a grace period. */
void zio_tap_ring_put(struct zio_channel_core *chan, struct zio_tap_ring *ring)
{
	bool last;

	static_branch_slow_dec_deferred(&zio_watch_key);
	mutex_lock(&chan->lock);
	WRITE_ONCE(chan->n_taps, chan->n_taps - 1);
	last = !chan->n_taps;
	if (last)
		RCU_INIT_POINTER(chan->tap_ring, NULL);
	zio_channel_note_readers(chan);
	mutex_unlock(&chan->lock);
	if (!last)
		return;
	synchronize_rcu();
	irq_work_sync(&ring->wake_work);
	tap_ring_free(ring);
}

/*
 * Copies the next block's slot for a tap; returns false if there is none. Moves @pos to the newest
 * block if it is too old.
 */
bool zio_tap_ring_look(struct zio_tap_ring *ring, u32 *pos, struct zio_tap_slot *slot)
{
	u32 head;

	while (zio_tap_ring_has(ring, *pos)) {
		head = READ_ONCE(ring->head);
		if (head - *pos >= ZIO_TAP_SLOTS)
			*pos = head - 1;
		/* The copy may be torn. The check below then discards it. */
		data_race(*slot = ring->slot[*pos % ZIO_TAP_SLOTS]);
		smp_rmb();					/* M */
		if (READ_ONCE(ring->head) - *pos < ZIO_TAP_SLOTS)
			return true;
	}
	return false;
}

/* Returns true if the caller's copy of block @pos was not overwritten. */
bool zio_tap_slot_is_intact(struct zio_tap_ring *ring, u32 pos,
			    const struct zio_tap_slot *slot)
{
	smp_rmb();						/* M */
	return READ_ONCE(ring->edge) - slot->begin <= slot->span &&
		(s32)(pos - READ_ONCE(ring->first)) >= 0;
}
