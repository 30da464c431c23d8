// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c: the control ring: blocks that a program takes without a system call
 *
 * While a ring is open it is the channel's queue made visible: the control of
 * the block in slot i of the queue is in slot i of the ring, and head counts
 * alike. The program moves hdr->tail; the kernel believes nothing of what it
 * finds there but a step within what is queued, and reads nothing else of the
 * mapped memory.
 *
 * Owner of the blocks between tail and head is the program. They come back
 * when the next event finds no free block: who owns the armed set then pops
 * from the queue some of those that hdr->tail has passed (reclaim_blocks()). Nobody
 * else pops, and "prefer-new" is not in force: what the program may be reading
 * is not taken away.
 *
 *   R  the pusher writes samples, slot and queue, then hdr->head (release);
 *      the program loads head (acquire), then slot and samples. Without the
 *      pair it could see a block that is not there yet.
 *   S  the program reads slot and samples, then stores hdr->tail (release);
 *      reclaim_blocks() loads tail (acquire), and the blocks are filled anew
 *      after that. Without, new samples could get into a block still read.
 *
 *   K  zio_ring_open() fills the ring, then stores chan->ring (release). A close
 *      clears chan->ring, waits for a grace period, and frees the ring. All others
 *      load chan->ring under RCU. Without it, they could read a ring that is not
 *      filled yet, or one that is freed.
 *
 * The owner of the phase changes chan->ring (zio_cset_own_phase()), so each owner
 * may use it without RCU.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "channel/internal.h"

static_assert(offsetof(struct zio_ring_header, head) == 64);
static_assert(offsetof(struct zio_ring_header, tail) == 128);

#define RING_SLOTS_OFFSET	PAGE_SIZE

/* So many blocks at a time are taken back: no event pays for a whole buffer. */
#define RING_REAP		8

/* The static part of a slot is written only when it is of another snapshot. */
static void fill_slot(struct zio_ring *ring, unsigned int count,
		      const struct zio_block *block, unsigned int ssize)
{
	unsigned int i = count & ring->mask;
	struct zio_control *slot = &ring->slot[i];

	if (unlikely(ring->filled[i] != to_block_core(block)->snap->id)) {
		*slot = to_block_core(block)->snap->ctrl;
		ring->filled[i] = to_block_core(block)->snap->id;
	}
	zio_control_fill(slot, block, ssize);
	slot->seq_num -= ring->merged;
}

/* Any context; the caller owns the armed set. */
static void push_block(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_ring *ring = chan->ring;

	fill_slot(ring, chan->queue.head, block, chan->cset->ssize);
	zio_queue_push(&chan->queue, block);
	smp_store_release(&ring->hdr->head, chan->queue.head);	/* R */
	zio_channel_wake_reader(chan, zio_ring_count(chan));
}

/*
 * Takes back some blocks that the program has done with. Any context; the caller owns
 * the armed set. A tail beyond the head, or behind where it was, is no tail. Returns
 * whether there were any.
 */
static bool reclaim_blocks(struct zio_channel_core *chan)
{
	struct zio_buffer *buf = chan->buf;
	u32 tail = smp_load_acquire(&chan->ring->hdr->tail);	/* S */
	u32 n = tail - (u32)atomic_read(&chan->queue.tail);

	if (!n || n > zio_queue_count(&chan->queue))
		return false;
	n = min_t(u32, n, RING_REAP);
	while (n--)
		buf->type->ops->put_block(buf, zio_queue_pop(&chan->queue));
	return true;
}

/* Blocks that the program has not passed yet; -1 without a ring. */
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

/* The driver's error is told by poll, and taken by a read. */
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

static void publish_loss(struct zio_channel_core *chan)
{
	WRITE_ONCE(chan->ring->hdr->lost, chan->lost);
}

static const struct zio_channel_ops ring_ops = {
	.push = push_block,
	.reclaim = reclaim_blocks,
	.count_loss = publish_loss,
};

static void free_ring(struct zio_ring *ring)
{
	zio_area_put(ring->area);
	kvfree(ring->filled);
	kfree(ring);
}

static struct zio_ring *alloc_ring(struct zio_channel_core *chan)
{
	unsigned int n = chan->queue.mask + 1;
	struct zio_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (!ring)
		return NULL;
	ring->mask = chan->queue.mask;
	ring->filled = kvcalloc(n, sizeof(*ring->filled), ZIO_GFP_USER);
	ring->area = zio_area_alloc_charged(RING_SLOTS_OFFSET +
					    (size_t)n * sizeof(*ring->slot));
	if (!ring->filled || !ring->area) {
		free_ring(ring);
		return NULL;
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

/*
 * The caller owns the phase, and has locked the channel. What is queued already is
 * the program's from now on. What readers have in hand, or left, goes: memory comes
 * back in the order in which it was given out, and a reader that holds a block but may
 * not read would keep all of it.
 */
static void start_ring(struct zio_channel_core *chan, struct zio_ring *ring)
{
	struct zio_queue *q = &chan->queue;
	unsigned int i;

	zio_sessions_drop(chan);
	ring->merged = chan->merged;
	for (i = atomic_read(&q->tail); i != q->head; i++)
		fill_slot(ring, i, q->slot[i & q->mask], chan->cset->ssize);
	ring->hdr->lost = chan->lost;
	ring->hdr->tail = atomic_read(&q->tail);
	smp_store_release(&ring->hdr->head, q->head);		/* R */
	smp_store_release(&chan->ring, ring);			/* K */
	WRITE_ONCE(chan->ops, &ring_ops);
	chan->slowpath = true;
	rcu_assign_pointer(chan->ring_area, ring->area);
}

/**
 * zio_ring_open() - turn the queue of an input into a ring
 * @chan: the channel
 *
 * Process context. Readers are woken, and told that there is nothing to read.
 *
 * Return: 0; -EBUSY if it has one, or a route; -EOPNOTSUPP if its data cannot be mapped;
 * -ENODEV when the board is gone; -ENOMEM; -EINTR.
 */
int zio_ring_open(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_ring *ring;
	bool armed;
	int ret = 0;

	if (mutex_lock_killable(&cset->mutex))
		return -EINTR;
	if (cset->gone)
		ret = -ENODEV;
	else if (!chan->buf->area)
		ret = -EOPNOTSUPP;
	else if (chan->ring || rcu_access_pointer(chan->feed))
		ret = -EBUSY;
	if (ret)
		goto out;
	ring = alloc_ring(chan);
	if (!ring) {
		ret = -ENOMEM;
		goto out;
	}
	mutex_lock(&chan->lock);
	armed = zio_cset_own_phase(cset);
	start_ring(chan, ring);
	zio_cset_disown_phase(cset, armed);
	mutex_unlock(&chan->lock);
out:
	mutex_unlock(&cset->mutex);
	return ret;
}

/* The caller owns the phase, or the board is gone; the channel is locked. */
static void stop_ring(struct zio_channel_core *chan)
{
	while (reclaim_blocks(chan))
		continue;
	WRITE_ONCE(chan->ops, NULL);
	WRITE_ONCE(chan->ring, NULL);
	RCU_INIT_POINTER(chan->ring_area, NULL);
}

/*
 * The board is gone. What is unread stays queued. The ring, or NULL, is to be given to
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

/* Polls of a ring have fired so often for a block. */
void zio_ring_count_asked(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring *ring;

	rcu_read_lock();					/* K */
	ring = READ_ONCE(chan->ring);
	if (ring)
		atomic_add(n, &ring->asked);
	rcu_read_unlock();
}

/* The numbers of blocks that were taken back go to those that the driver has. */
static void renumber_armed(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_armed *armed;

	for (armed = chan->cset->pub.armed; armed->chan; armed++)
		if (armed->chan == &chan->pub)
			to_block_core(armed->block)->seq -= n;
}

/*
 * Polls of the program acquired more than it has read. Nobody else asked for these
 * blocks, so they are taken back as if they had never been: the newest first. The
 * caller owns the phase, and has locked the channel.
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

/* The set's mutex is held. */
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

/* Waits for a grace period: not while the set is held, if that can be. */
void zio_ring_free(struct zio_ring *ring)
{
	if (!ring)
		return;
	synchronize_rcu();					/* K */
	free_ring(ring);
}

/*
 * A set on demand with no other user has been armed for this ring alone: what the
 * driver has is taken back, and is no loss. Else a stale block would come later.
 */
static void abort_asked(struct zio_cset_core *cset)
{
	zio_cset_freeze(cset);
	zio_cset_unfreeze(cset);
}

/**
 * zio_ring_close() - the node through which the ring was opened is closed
 * @chan: the channel
 * @own_files: files of the set that the owner of the ring has open
 *
 * What is armed for other users stays armed. With a trigger on demand, the blocks
 * that were acquired ahead go with the ring; else what is unread stays queued.
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
		ring = end_ring(chan);
	}
	mutex_unlock(&cset->mutex);
	zio_ring_free(ring);
}

/*
 * One page of header may be written; slots may not. So no mapping grows: that of the
 * header would reach the slots.
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
