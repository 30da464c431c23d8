// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c: the control ring: programs take blocks without a system call
 *
 * While a ring is open it shows the channel's queue: slot i of the ring has the control of
 * the block in slot i of the queue. Both heads have the same value. The program moves
 * hdr->tail. The kernel accepts a tail within the queued blocks only, and reads nothing
 * else from the mapped memory.
 *
 * The program owns the blocks between tail and head. An event may find no free block. Then
 * the owner of the phase takes back some blocks that hdr->tail has passed
 * (reclaim_blocks()). No other context pops blocks. "prefer-new" has no effect: the kernel
 * does not take back a block that the program may be reading.
 *
 *   R  The pusher writes samples, slot and queue, then stores hdr->head (release). It pairs
 *      with the program, which loads head (acquire), then slot and samples. Without it,
 *      the program could see a block that is not there yet.
 *   S  The program reads slot and samples, then stores hdr->tail (release). It pairs with
 *      reclaim_blocks(), which loads tail (acquire) before the blocks are filled again.
 *      Without it, new samples could overwrite a block that the program is reading.
 *
 *   K  zio_ring_open() fills the ring, then stores chan->ring (release). A close clears
 *      chan->ring, waits for a grace period, and frees the ring. All others load
 *      chan->ring under RCU. Without them, a context could read a ring that is not filled
 *      yet, or that is freed. chan->ops is stored behind chan->ring (release). The driver
 *      of a stream loads chan->ops first (acquire). Without them, the driver could use a
 *      ring that it does not see.
 *
 * Only the owner of the phase changes chan->ring (zio_cset_own_phase()), so the owner of
 * the phase may use it without RCU. The driver of a stream owns the phase all the time. So
 * the ring of a stream comes and goes beside the driver, which looks at chan->ops under
 * RCU: see start_stream_ring() and stop_stream_ring().
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "channel/internal.h"

static_assert(offsetof(struct zio_ring_header, head) == 64);
static_assert(offsetof(struct zio_ring_header, tail) == 128);

#define RING_SLOTS_OFFSET	PAGE_SIZE

/*
 * Copies the static part of a slot only when the slot has another snapshot: @filled has the
 * id of the one that is there.
 */
static __always_inline void fill_slot(struct zio_ring *ring, struct zio_control *slot,
				      u64 *filled, const struct zio_block *block,
				      unsigned int ssize, u32 merged)
{
	const struct zio_snapshot *snap = to_block_core(block)->snap;

	if (unlikely(*filled != snap->id)) {
		*filled = snap->id;
		zio_control_begin(slot, snap, ring->chan);
	}
	zio_control_fill(slot, block, ssize);
	slot->seq_num -= merged;
}

/*
 * Fills the slots of @n queued blocks, the first of which has the number @count. What does
 * not change is in local variables: the compiler knows that no slot has it.
 */
static void fill_slots(struct zio_channel_core *chan, struct zio_ring *ring,
		       unsigned int count, unsigned int n)
{
	struct zio_block *const *block = chan->queue.slot;
	unsigned int mask = ring->mask, ssize = chan->cset->ssize, i;
	struct zio_control *slot = ring->slot;
	u64 *filled = ring->filled;
	u32 merged = ring->merged;

	for (; n; n--, count++) {
		i = count & mask;
		fill_slot(ring, &slot[i], &filled[i], block[i], ssize, merged);
	}
}

/* A tail that is out of range makes a large count, and a wake-up that finds no block. */
static __always_inline void wake_reader(struct zio_channel_core *chan,
					const struct zio_ring *ring)
{
	if (chan->cset->on_demand ||
	    chan->queue.head - READ_ONCE(ring->hdr->tail) >= READ_ONCE(chan->buf->watermark))
		zio_channel_wake(chan, ZIO_WAKE_IN);
}

/* Context: Any; the caller owns the phase. */
static void push_block(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_ring *ring = chan->ring;
	unsigned int i = chan->queue.head & ring->mask;

	fill_slot(ring, &ring->slot[i], &ring->filled[i], block, chan->cset->ssize,
		  ring->merged);
	zio_queue_push(&chan->queue, block);
	smp_store_release(&ring->hdr->head, chan->queue.head);	/* R */
	wake_reader(chan, ring);
}

/* Context: Any; as zio_channel_complete(). */
static void publish_blocks(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring *ring = chan->ring;
	struct zio_queue *q = &chan->queue;

	fill_slots(chan, ring, q->head, n);
	zio_queue_publish(q, n);
	smp_store_release(&ring->hdr->head, q->head);		/* R */
	wake_reader(chan, ring);
}

/* The caller has taken the blocks out of the queue. Only it stores blocks in these slots. */
static void put_blocks(struct zio_buffer *buf, struct zio_block *const *slot,
		       unsigned int n)
{
	const struct zio_buffer_ops *ops = buf->type->ops;

	if (ops->put_blocks)
		ops->put_blocks(buf, slot, n);
	else
		while (n--)
			ops->put_block(buf, *slot++);
}

/*
 * Takes back up to @n blocks, all before @end. The program may have written any @end: the
 * kernel ignores one that is out of range. Returns true if it took any block back.
 *
 * Context: Any; the caller owns the phase, or has ring->reclaiming of a stream.
 */
static bool reclaim_before(struct zio_channel_core *chan, u32 end, unsigned int n)
{
	struct zio_queue *q = &chan->queue;
	u32 from = atomic_read(&q->tail), in_row;
	u32 read = end - from;

	if (!read || read > zio_queue_count(q))
		return false;
	n = min(n, read);
	if (!zio_queue_take(q, from, n))
		return false;
	in_row = zio_queue_row(q, from, n);
	put_blocks(chan->buf, &q->slot[from & q->mask], in_row);
	if (in_row < n)
		put_blocks(chan->buf, q->slot, n - in_row);
	return true;
}

/* Context: as reclaim_before(). Takes back up to @n blocks that the program has read. */
static bool reclaim_blocks(struct zio_channel_core *chan, unsigned int n)
{
	return reclaim_before(chan, smp_load_acquire(&chan->ring->hdr->tail), n); /* S */
}

/**
 * zio_ring_count() - count the blocks that the program has not passed yet
 * @chan: the channel
 *
 * Context: Any.
 *
 * Return: the number; -1 without a ring.
 */
int zio_ring_count(struct zio_channel_core *chan)
{
	struct zio_ring *ring;
	int n = -1;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring) {
		n = READ_ONCE(chan->queue.head) - READ_ONCE(ring->hdr->tail);
		if (n < 0 || n > ring->mask + 1)
			n = 0;
	}
	rcu_read_unlock();
	return n;
}

/* Keeps the driver's error: poll() reports it, and a read returns and clears it. */
void zio_ring_fail(struct zio_channel_core *chan, int error)
{
	struct zio_ring *ring;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring)
		WRITE_ONCE(ring->error, error);
	rcu_read_unlock();
}

int zio_ring_error(struct zio_channel_core *chan)
{
	struct zio_ring *ring;
	int error = 0;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring)
		error = READ_ONCE(ring->error);
	rcu_read_unlock();
	return error;
}

/* The set may have another trigger since the last poll. */
void zio_ring_publish_flags(struct zio_channel_core *chan)
{
	struct zio_ring *ring;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring)
		WRITE_ONCE(ring->hdr->flags, zio_ring_flags(chan->cset));
	rcu_read_unlock();
}

static void publish_loss(struct zio_channel_core *chan)
{
	WRITE_ONCE(chan->ring->hdr->lost, zio_channel_losses(chan));
}

static const struct zio_channel_ops ring_ops = {
	.push = push_block,
	.publish = publish_blocks,
	.reclaim = reclaim_blocks,
	.count_loss = publish_loss,
};

/* The driver of a stream, and a context that closes the ring, may both take blocks back. */
static bool reclaim_stream_blocks(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring *ring;
	bool found = false;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring && !test_and_set_bit_lock(0, &ring->reclaiming)) {
		found = reclaim_blocks(chan, n);
		clear_bit_unlock(0, &ring->reclaiming);
	}
	rcu_read_unlock();
	return found;
}

static const struct zio_channel_ops stream_ring_ops = {
	.push = push_block,
	.publish = publish_blocks,
	.reclaim = reclaim_stream_blocks,
	.count_loss = publish_loss,
};

static void free_ring(struct zio_ring *ring)
{
	zio_area_put(ring->area);
	kvfree(ring->filled);
	zio_uncharge(&ring->charge);
	kfree(ring);
}

static int alloc_slots(struct zio_channel_core *chan, struct zio_ring *ring, unsigned int n)
{
	size_t filled = n * sizeof(*ring->filled);
	size_t size = RING_SLOTS_OFFSET + (size_t)n * sizeof(*ring->slot);
	int ret = zio_charge(&ring->charge, chan, PAGE_ALIGN(size) + filled);

	if (ret)
		return ret;
	ring->filled = kvzalloc(filled, ZIO_GFP_USER);
	ring->area = zio_area_alloc_charged(size);
	return ring->filled && ring->area ? 0 : -ENOMEM;
}

static struct zio_ring *alloc_ring(struct zio_channel_core *chan)
{
	unsigned int n = chan->queue.mask + 1;
	struct zio_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->mask = chan->queue.mask;
	ring->chan = chan->pub.index;
	ret = alloc_slots(chan, ring, n);
	if (ret) {
		free_ring(ring);
		return ERR_PTR(ret);
	}
	ring->hdr = ring->area->mem;
	ring->slot = ring->area->mem + RING_SLOTS_OFFSET;
	*ring->hdr = (struct zio_ring_header) {
		.magic = ZIO_RING_MAGIC,
		.version = ZIO_RING_VERSION,
		.slots_offset = RING_SLOTS_OFFSET,
		.slot_size = sizeof(*ring->slot),
		.n_slots = n,
		.data_size = chan->buf->area->size,
	};
	return ring;
}

static void show_ring(struct zio_channel_core *chan, struct zio_ring *ring,
		      const struct zio_channel_ops *ops)
{
	smp_store_release(&chan->ring, ring);			/* K */
	smp_store_release(&chan->ops, ops);			/* K */
	chan->slowpath = true;
	rcu_assign_pointer(chan->ring_area, ring->area);
}

/*
 * The caller owns the phase and has locked the channel. Queued blocks now belong to the
 * program. The function puts blocks that readers hold or have left. The buffer frees memory
 * only in the order in which it was reserved. A reader that holds a block cannot read any
 * more, so it would keep all memory.
 */
static void start_ring(struct zio_channel_core *chan, struct zio_ring *ring)
{
	struct zio_queue *q = &chan->queue;

	zio_sessions_drop(chan);
	zio_channel_settle_alarms(chan);
	ring->merged = chan->merged;
	fill_slots(chan, ring, atomic_read(&q->tail), zio_queue_count(q));
	ring->hdr->lost = zio_channel_losses(chan);
	ring->hdr->flags = zio_ring_flags(chan->cset);
	ring->hdr->tail = atomic_read(&q->tail);
	smp_store_release(&ring->hdr->head, q->head);		/* R */
	show_ring(chan, ring, &ring_ops);
}

/*
 * As start_ring(), beside the driver. Until the grace period has ended, the driver may
 * complete blocks without the ring. Then it fills the slots, and stores the head itself. So
 * only a head that the driver has not stored is stored here. The program sees the ring when
 * its open() has returned.
 */
static void start_stream_ring(struct zio_channel_core *chan, struct zio_ring *ring)
{
	struct zio_queue *q = &chan->queue;
	struct zio_ring_header *hdr = ring->hdr;
	u32 end, head = READ_ONCE(q->head);
	u64 lost = zio_channel_losses(chan);

	zio_sessions_drop(chan);
	ring->merged = chan->merged;
	hdr->head = head;
	hdr->tail = atomic_read(&q->tail);
	hdr->lost = lost;
	show_ring(chan, ring, &stream_ring_ops);
	synchronize_rcu();					/* K */
	/* The driver drops no unread block any more. */
	zio_channel_settle_alarms(chan);
	WRITE_ONCE(hdr->tail, atomic_read(&q->tail));
	end = smp_load_acquire(&q->head);			/* A */
	fill_slots(chan, ring, hdr->tail, end - hdr->tail);
	cmpxchg(&hdr->head, head, end);				/* R */
	cmpxchg64(&hdr->lost, lost, zio_channel_losses(chan));
}

static void open_stream_ring(struct zio_channel_core *chan, struct zio_ring *ring)
{
	mutex_lock(&chan->lock);
	start_stream_ring(chan, ring);
	mutex_unlock(&chan->lock);
	zio_cset_wake(chan->cset);
	zio_cset_kick(chan->cset);
}

static void open_ring(struct zio_channel_core *chan, struct zio_ring *ring)
{
	bool armed;

	mutex_lock(&chan->lock);
	armed = zio_cset_own_phase(chan->cset);
	start_ring(chan, ring);
	zio_cset_disown_phase(chan->cset, armed);
	mutex_unlock(&chan->lock);
}

/**
 * zio_ring_open() - turn the queue of an input into a ring
 * @chan: the channel
 *
 * Readers are woken and get an error.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EBUSY if the channel has a ring or a route; -EOPNOTSUPP if its data cannot be
 * mapped; -ENODEV when the board is gone; -EDQUOT as zio_charge(); -ENOMEM; -EINTR.
 */
int zio_ring_open(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_ring *ring;
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	if (!chan->buf->area)
		ret = -EOPNOTSUPP;
	else if (READ_ONCE(chan->ops))
		ret = -EBUSY;
	if (ret)
		goto out;
	ring = alloc_ring(chan);
	if (IS_ERR(ring)) {
		ret = PTR_ERR(ring);
		goto out;
	}
	if (zio_cset_is_stream(cset))
		open_stream_ring(chan, ring);
	else
		open_ring(chan, ring);
out:
	mutex_unlock(&cset->mutex);
	return ret;
}

/* The caller owns the phase, or the board is gone; the channel is locked. */
static void stop_ring(struct zio_channel_core *chan)
{
	reclaim_blocks(chan, U32_MAX);
	WRITE_ONCE(chan->ops, NULL);
	WRITE_ONCE(chan->ring, NULL);
	RCU_INIT_POINTER(chan->ring_area, NULL);
}

/*
 * The board is gone. Unread blocks stay queued. Returns the ring, or NULL, for
 * zio_ring_free().
 */
struct zio_ring *zio_ring_stop(struct zio_channel_core *chan)
{
	struct zio_ring *ring = chan->ring;

	if (!ring)
		return NULL;
	mutex_lock(&chan->lock);
	stop_ring(chan);
	mutex_unlock(&chan->lock);
	return ring;
}

/* Counts blocks for which polls of the ring have fired. */
void zio_ring_count_asked(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring *ring;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring)
		atomic_add(n, &ring->asked);
	rcu_read_unlock();
}

/* Renumbers the armed blocks of the channel after @n blocks were discarded. */
static void renumber_armed(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_armed *armed;

	for (armed = chan->cset->pub.armed; armed->chan; armed++)
		if (armed->chan == &chan->pub)
			to_block_core(armed->block)->seq -= n;
}

/*
 * Polls have acquired more blocks than the program has read. No other user asked for these
 * blocks. So the function discards them, the newest first, and takes back their numbers and
 * statistics. The caller owns the phase and has locked the channel.
 */
static void discard_unread(struct zio_channel_core *chan, unsigned int asked,
			   bool armed)
{
	struct zio_queue *q = &chan->queue;
	unsigned int i, n = min(asked, zio_queue_count(q));
	struct zio_block *block;

	for (i = 0; i < n; i++) {
		block = q->slot[(q->head - 1) & q->mask];
		WRITE_ONCE(q->head, q->head - 1);
		chan->blocks--;
		chan->bytes -= block->len;
		chan->buf->type->ops->put_block(chan->buf, block);
	}
	chan->seq -= n;
	if (armed)
		renumber_armed(chan, n);
}

/* The caller holds cset->mutex. */
static struct zio_ring *end_ring(struct zio_channel_core *chan)
{
	struct zio_ring *ring = chan->ring;
	struct zio_cset_core *cset = chan->cset;
	bool armed;

	mutex_lock(&chan->lock);
	armed = zio_cset_own_phase(cset);
	stop_ring(chan);
	if (cset->on_demand)
		discard_unread(chan, atomic_read(&ring->asked), armed);
	zio_cset_disown_phase(cset, armed);
	mutex_unlock(&chan->lock);
	return ring;
}

/*
 * Takes back all blocks that the program has read. A device or another process may have
 * pinned the header, and move the tail for ever: only the tail of now counts. The driver
 * takes blocks back in a moment.
 */
static void reclaim_all(struct zio_channel_core *chan)
{
	struct zio_ring *ring = chan->ring;
	u32 end = smp_load_acquire(&ring->hdr->tail);		/* S */

	while (test_and_set_bit_lock(0, &ring->reclaiming))
		schedule_timeout_uninterruptible(1);
	reclaim_before(chan, end, UINT_MAX);
	clear_bit_unlock(0, &ring->reclaiming);
	zio_cset_kick(chan->cset);
}

/*
 * The driver goes on, without the ring. First no block that was read is left: the driver
 * could not take it back during the grace period.
 */
static void stop_stream_ring(struct zio_channel_core *chan)
{
	reclaim_all(chan);
	WRITE_ONCE(chan->ops, NULL);
	synchronize_rcu();					/* K */
	WRITE_ONCE(chan->ring, NULL);
	RCU_INIT_POINTER(chan->ring_area, NULL);
}

/* As end_ring(). */
static struct zio_ring *end_stream_ring(struct zio_channel_core *chan)
{
	struct zio_ring *ring = chan->ring;

	mutex_lock(&chan->lock);
	stop_stream_ring(chan);
	mutex_unlock(&chan->lock);
	zio_cset_wake(chan->cset);
	zio_cset_kick(chan->cset);
	return ring;
}

/* Waits for a grace period. Callers do not do this while the set is frozen. */
void zio_ring_free(struct zio_ring *ring)
{
	if (!ring)
		return;
	synchronize_rcu();					/* K */
	free_ring(ring);
}

/*
 * A set on demand without other users was armed for this ring only. Abort it: the block
 * is no loss, and would be stale later.
 */
static void abort_asked(struct zio_cset_core *cset)
{
	zio_cset_freeze(cset);
	zio_cset_unfreeze(cset);
}

/**
 * zio_ring_close() - close the ring of an input
 * @chan: the channel
 * @own_files: files of the set that the owner of the ring has open
 *
 * Blocks that are armed for other users stay armed. With a trigger on demand, the core
 * discards blocks that polls have acquired ahead. Other unread blocks stay queued.
 *
 * Context: Process, sleeps.
 */
void zio_ring_close(struct zio_channel_core *chan, unsigned int own_files)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_ring *ring = NULL;

	mutex_lock(&cset->mutex);
	if (!cset->gone) {
		if (cset->on_demand && cset->open_files <= own_files)
			abort_asked(cset);
		ring = zio_cset_is_stream(cset) ? end_stream_ring(chan) : end_ring(chan);
	}
	mutex_unlock(&cset->mutex);
	zio_ring_free(ring);
}

/*
 * A program may write the header's page, and no slot. So no mapping may grow: a mapping of
 * the header would reach the slots.
 */
int zio_ring_map(struct zio_channel_core *chan, struct vm_area_struct *vma)
{
	struct zio_area *area = zio_area_get(&chan->ring_area);
	bool header = !vma->vm_pgoff && vma_pages(vma) == 1;
	int ret;

	if (!area)
		return -ENODEV;
	ret = zio_area_map(area, vma, header);
	if (!ret)
		zio_vm_flags_set(vma, VM_DONTEXPAND);
	zio_area_put(area);
	return ret;
}
