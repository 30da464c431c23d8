// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c: the control ring, from which programs take blocks without a system call
 *
 * The ring of a channel, or of a set (set-ring.c), exists until its file is closed. The board may
 * go first.
 *
 * An open ring shows the channel's queue. Slot i of the ring has the control of the block in slot i
 * of the queue, and both heads are equal. The program moves hdr->tail. The kernel accepts only a
 * tail within the queued blocks, and reads nothing else from the mapped memory.
 *
 * The program owns the blocks between tail and head. If an event finds no free block, the owner of
 * the phase takes back blocks that hdr->tail has passed (ring_reclaim()). No other context pops
 * blocks. "prefer-new" has no effect, because the kernel never takes back a block that the program
 * may be reading.
 *
 *   A  The pusher writes samples, slot and queue, then stores hdr->head (release). The
 *      program loads head (acquire), then slot and samples. Otherwise it could see a block
 *      that is not there yet.
 *   S  The program reads slot and samples, then stores hdr->tail (release). ring_reclaim()
 *      loads tail (acquire) before the blocks are filled again. Otherwise new samples could
 *      overwrite a block that the program is still reading.
 *   K  The ring of a stream comes and goes while its driver runs. ring_start_stream() stores
 *      chan->ring, then chan->ops (release). ring_stop_stream() clears chan->ops, then waits
 *      for a grace period before the ring is freed. The driver loads chan->ops (acquire),
 *      then chan->ring, under RCU. Otherwise it could use a ring that it does not see yet,
 *      or that is freed.
 *
 * The driver of any other set completes blocks as the owner of the phase. There chan->ops changes
 * only while the core owns the phase (zio_cset_own_phase()), or when the board is gone.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "channel/internal.h"

static_assert(offsetof(struct zio_ring_header, head) == 64);
static_assert(offsetof(struct zio_ring_header, tail) == 128);

/* Keeps mapping offsets within 32 bits. */
#define MAX_SLOTS	BIT(24)

/*
 * Fills the slots of @n queued blocks starting with number @count. Constants are copied to locals
 * so that the compiler knows no slot aliases them.
 */
static void ring_fill_slots(struct zio_channel_core *chan, struct zio_ring *ring,
			    unsigned int count, unsigned int n)
{
	struct zio_block *const *block = chan->queue.slot;
	unsigned int mask = ring->mask, ssize = chan->cset->ssize, i;
	struct zio_control *slot = ring->slot;
	unsigned int index = chan->pub.index;
	u64 *filled = ring->filled;

	for (; n; n--, count++) {
		i = count & mask;
		zio_ring_fill_slot(&slot[i], &filled[i], block[i], index, ssize);
	}
}

/* An out-of-range tail yields a large count and a spurious wake-up. */
static __always_inline void ring_wake_reader(struct zio_channel_core *chan,
					     const struct zio_ring *ring)
{
	if (chan->cset->on_demand ||
	    chan->queue.head - READ_ONCE(ring->hdr->tail) >= READ_ONCE(chan->buf->watermark))
		zio_channel_wake(chan, ZIO_WAKE_IN);
}

/* Context: Any; the caller owns the phase. */
static void ring_push(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_ring *ring = chan->ring;
	unsigned int i = chan->queue.head & ring->mask;

	zio_ring_fill_slot(&ring->slot[i], &ring->filled[i], block, chan->pub.index,
			   chan->cset->ssize);
	zio_queue_push(&chan->queue, block);
	smp_store_release(&ring->hdr->head, chan->queue.head);	/* A */
	ring_wake_reader(chan, ring);
}

/* Context: Any; as zio_channel_complete(). */
static void ring_publish(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring *ring = chan->ring;
	struct zio_queue *q = &chan->queue;

	ring_fill_slots(chan, ring, q->head, n);
	zio_queue_publish(q, n);
	smp_store_release(&ring->hdr->head, q->head);		/* A */
	ring_wake_reader(chan, ring);
}

/*
 * Puts blocks already taken from the queue. Another context may take back and store those behind
 * them in the meantime. A buffer with an area hands out blocks in a fixed order and has no more of
 * them than there are slots, so no context stores to these slots before their blocks are put.
 */
static void ring_put_blocks(struct zio_buffer *buf, struct zio_block *const *slot,
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
 * Takes back up to @n blocks the program has read; returns true if there were any. The kernel
 * ignores a tail out of range.
 *
 * A stream's driver and a context closing the ring may both do this. Each loads the tail once: a
 * device or another process may have pinned the header and keep moving the tail.
 *
 * Any context; the caller owns the phase, is the driver of a stream, or has locked its channel.
 */
static bool ring_reclaim(struct zio_channel_core *chan, unsigned int n)
{
	u32 end = smp_load_acquire(&chan->ring->hdr->tail);	/* S */
	struct zio_queue *q = &chan->queue;
	u32 from, read, in_row;

	do {
		from = atomic_read(&q->tail);
		read = end - from;
		if (!read || read > zio_queue_count(q))
			return false;
		n = min(n, read);
	} while (!zio_queue_take(q, from, n));
	in_row = zio_queue_row(q, from, n);
	ring_put_blocks(chan->buf, &q->slot[from & q->mask], in_row);
	if (in_row < n)
		ring_put_blocks(chan->buf, q->slot, n - in_row);
	return true;
}

static void ring_count_loss(struct zio_channel_core *chan, u32 n)
{
	WRITE_ONCE(chan->ring->hdr->lost, zio_channel_losses(chan));
}

static const struct zio_channel_ops ring_ops = {
	.push = ring_push,
	.publish = ring_publish,
	.reclaim = ring_reclaim,
	.count_loss = ring_count_loss,
};

static void ring_free(struct zio_ring *ring)
{
	zio_area_put(ring->area);
	kvfree(ring->filled);
	zio_uncharge(&ring->charge, SIZE_MAX);
	kfree(ring);
}

/* Returns the length of the longest queue. The caller holds cset->mutex. */
static long ring_count_slots(struct zio_channel_core *const *chan, unsigned int n_chan)
{
	u32 n = 0;

	for (; n_chan; n_chan--, chan++)
		n = max(n, (*chan)->queue.mask + 1);
	return n;
}

/* @n: number of slots; @n_entries: 0 for a channel's ring */
static void ring_init_header(struct zio_ring *ring, u32 n, u32 n_entries, size_t slots_offset)
{
	struct zio_channel_core *chan = *ring->chan;

	ring->hdr = ring->area->mem;
	ring->slot = ring->area->mem + slots_offset;
	*ring->hdr = (struct zio_ring_header) {
		.magic = n_entries ? ZIO_SET_RING_MAGIC : ZIO_RING_MAGIC,
		.version = ZIO_RING_VERSION,
		.slots_offset = slots_offset,
		.slot_size = sizeof(*ring->slot),
		.n_slots = n,
		.flags = zio_ring_flags(chan->cset),
	};
	if (!n_entries)
		return;
	ring->entry = ring->area->mem + PAGE_SIZE;
	ring->entry_chan = (u16 *)(ring->filled + n);
	ring->hdr->entries_offset = PAGE_SIZE;
	ring->hdr->n_entries = n_entries;
	ring->hdr->channel_slots = ring->stride;
}

/* Each entry's channel is stored behind ring->filled. */
static int ring_alloc_slots(struct zio_ring *ring, u32 n, u32 n_entries)
{
	size_t slots = PAGE_SIZE + PAGE_ALIGN(n_entries * sizeof(u32));
	size_t size = PAGE_ALIGN(slots + (size_t)n * sizeof(*ring->slot));
	size_t own = n * sizeof(*ring->filled) + n_entries * sizeof(u16);
	int ret = zio_charge(&ring->charge, size + own);

	if (ret)
		return ret;
	ring->filled = kvzalloc(own, ZIO_GFP_USER);
	ring->area = zio_area_alloc(NULL, size);
	if (!ring->filled || IS_ERR(ring->area))
		return -ENOMEM;
	ring_init_header(ring, n, n_entries, slots);
	ring->mask = (n_entries ?: n) - 1;
	return 0;
}

/* Holds no lock: allocating in a full cgroup may take minutes. @stride: slots per channel. */
static struct zio_ring *ring_alloc(struct zio_channel_core *const *chan, unsigned int n_chan,
				   u32 stride)
{
	struct zio_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;
	u32 n;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->chan = chan;
	ring->n_chan = n_chan;
	ring->stride = stride;
	ring->head = n_chan > 1 ? &ring->pushed : &(*chan)->queue.head;
	if (!check_mul_overflow(ring->stride, n_chan, &n) && n <= MAX_SLOTS)
		ret = ring_alloc_slots(ring, n, n_chan > 1 ? roundup_pow_of_two(n) : 0);
	if (!ret)
		return ring;
	ring_free(ring);
	return ERR_PTR(ret);
}

static void ring_show(struct zio_channel_core *chan, struct zio_ring *ring)
{
	kobject_get(&chan->kobj);
	WRITE_ONCE(chan->ring, ring);
	smp_store_release(&chan->ops, ring->ops);		/* K */
	chan->slowpath = true;
}

/* Fills the slots of blocks that only a reader takes out of the queue. */
static void ring_fill_queue(struct zio_channel_core *chan, struct zio_ring *ring)
{
	u32 tail = atomic_read(&chan->queue.tail), head = tail;

	if (!READ_ONCE(chan->buf->prefer_new) && !READ_ONCE(chan->only_taps))
		head = smp_load_acquire(&chan->queue.head);	/* A */
	ring_fill_slots(chan, ring, tail, head - tail);
	ring->hdr->head = head;
}

/*
 * Gives the queued blocks to the program. The oldest may have new alarms since ring_fill_queue().
 */
static void ring_show_queue(struct zio_channel_core *chan, struct zio_ring *ring)
{
	struct zio_queue *q = &chan->queue;
	u32 tail = atomic_read(&q->tail), first = ring->hdr->head;

	if ((s32)(tail - first) > 0)
		first = tail;
	if (tail != q->head)
		ring_fill_slots(chan, ring, tail, 1);
	ring_fill_slots(chan, ring, first, q->head - first);
	ring->hdr->tail = tail;
	smp_store_release(&ring->hdr->head, q->head);		/* A */
}

/*
 * Before the phase, does everything that needs only channel locks, so that the set loses no event
 * for it. Drops blocks that readers hold or left behind: the buffer frees memory in the order it
 * was reserved, so a reader that can no longer read would keep all memory. A set's ring starts with
 * whole events, so it drops waiting blocks.
 */
static void ring_start(struct zio_cset_core *cset, struct zio_ring *ring)
{
	struct zio_channel_core *chan;
	unsigned int i;
	bool armed;

	zio_cset_lock_channels(cset);
	for (i = 0; i < ring->n_chan; i++) {
		chan = ring->chan[i];
		zio_sessions_drop(chan);
		if (ring->entry)
			zio_channel_put_queued(chan);
		else
			ring_fill_queue(chan, ring);
	}
	armed = zio_cset_own_phase(cset);
	for (i = 0; i < ring->n_chan; i++) {
		chan = ring->chan[i];
		if (ring->entry)
			zio_channel_put_queued(chan);
		zio_channel_settle_alarms(chan);
		ring->lost += zio_channel_losses(chan);
		if (!ring->entry)
			ring_show_queue(chan, ring);
		ring_show(chan, ring);
	}
	ring->hdr->lost = ring->lost;
	zio_cset_disown_phase(cset, armed);
	zio_cset_unlock_channels(cset);
	if (ring->entry)
		zio_cset_notifier_link(&ring->notifier, cset);
}

/*
 * ring_start() while the driver runs. Until the grace period ends, the driver may complete blocks
 * without the ring. Then it fills slots and stores the head itself, so this stores a head only if
 * the driver has not. The program sees the ring once its open() returns.
 */
static void ring_start_stream(struct zio_channel_core *chan, struct zio_ring *ring)
{
	struct zio_queue *q = &chan->queue;
	struct zio_ring_header *hdr = ring->hdr;
	u32 end, head;
	u64 lost;

	mutex_lock(&chan->lock);
	head = READ_ONCE(q->head);
	lost = zio_channel_losses(chan);
	zio_sessions_drop(chan);
	hdr->head = head;
	hdr->tail = atomic_read(&q->tail);
	hdr->lost = lost;
	ring_show(chan, ring);
	synchronize_rcu();					/* K */
	/* From here on, the driver drops no unread block. */
	zio_channel_settle_alarms(chan);
	WRITE_ONCE(hdr->tail, atomic_read(&q->tail));
	end = smp_load_acquire(&q->head);			/* A */
	ring_fill_slots(chan, ring, hdr->tail, end - hdr->tail);
	cmpxchg(&hdr->head, head, end);				/* A */
	cmpxchg64(&hdr->lost, lost, zio_channel_losses(chan));
	mutex_unlock(&chan->lock);
	zio_cset_wake(chan->cset);
	zio_cset_kick(chan->cset);
}

static int ring_check_channels(struct zio_channel_core *const *chan, unsigned int n)
{
	for (; n; n--, chan++) {
		if (!(*chan)->buf->area)
			return -EOPNOTSUPP;
		if (READ_ONCE((*chan)->ops))
			return -EBUSY;
	}
	return 0;
}

/* Returns -EAGAIN if queue and ring lengths differ. */
static int ring_use(struct zio_ring *ring)
{
	struct zio_channel_core *chan = *ring->chan;
	struct zio_cset_core *cset = chan->cset;
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = ring_check_channels(ring->chan, ring->n_chan);
	if (!ret && ring_count_slots(ring->chan, ring->n_chan) != ring->stride)
		ret = -EAGAIN;
	if (ret)
		goto out;
	if (!ring->entry)
		ring->hdr->data_size = chan->buf->area->size;
	if (zio_cset_is_stream(cset))
		ring_start_stream(chan, ring);
	else
		ring_start(cset, ring);
out:
	mutex_unlock(&cset->mutex);
	return ret;
}

/*
 * Turns the queue of an input, or of all inputs of a set, into a ring. Wakes readers, which get an
 * error. A set's ring drops queued blocks and counts them as flushed.
 *
 * @chan points into its set's array of channels, and @n is 1 or all of them. @ops and @done are
 * NULL for one channel; @done runs when a set is done.
 *
 * Sleeps. Returns the ring, for zio_ring_close(); -EBUSY if a channel has a ring or a route;
 * -EOPNOTSUPP if a channel's data cannot be mapped; -ENODEV when the board is gone; -EDQUOT as
 * zio_charge(); -ENOMEM; -EINTR.
 */
__cold struct zio_ring *zio_ring_open(struct zio_channel_core *const *chan, unsigned int n,
				      const struct zio_channel_ops *ops,
				      void (*done)(struct zio_cset_notifier *notifier))
{
	struct zio_cset_core *cset = (*chan)->cset;
	struct zio_ring *ring;
	long ret;

	do {
		ret = zio_cset_lock(cset);
		if (ret)
			return ERR_PTR(ret);
		ret = ring_check_channels(chan, n) ?: ring_count_slots(chan, n);
		mutex_unlock(&cset->mutex);
		if (ret < 0)
			return ERR_PTR(ret);
		ring = ring_alloc(chan, n, ret);
		if (IS_ERR(ring))
			return ring;
		ring->ops = ops ?: &ring_ops;
		ring->notifier.done = done;
		ret = ring_use(ring);
		if (ret)
			ring_free(ring);
	} while (ret == -EAGAIN);
	return ret ? ERR_PTR(ret) : ring;
}

/* The core calls this when the board is gone, before the channel loses its blocks. */
void zio_ring_stop(struct zio_channel_core *chan)
{
	mutex_lock(&chan->lock);
	if (chan->ring && READ_ONCE(chan->ops)) {
		if (!chan->ring->entry)
			ring_reclaim(chan, UINT_MAX);
		WRITE_ONCE(chan->ops, NULL);
	}
	mutex_unlock(&chan->lock);
}

/*
 * Discards up to @n blocks that polls on demand acquired ahead and no user asked for, the newest
 * first. Takes back their numbers and statistics, and renumbers the channel's armed blocks. Flushes
 * the rest. The caller owns the phase and has locked the channel; @armed is from
 * zio_cset_own_phase().
 */
static void ring_discard(struct zio_channel_core *chan, unsigned int n, bool armed)
{
	struct zio_queue *q = &chan->queue;
	struct zio_armed *of;
	struct zio_block *block;
	unsigned int i;

	n = min(n, zio_queue_count(q));
	for (i = 0; i < n; i++) {
		block = q->slot[(q->head - 1) & q->mask];
		WRITE_ONCE(q->head, q->head - 1);
		chan->blocks--;
		chan->bytes -= block->len;
		chan->buf->type->ops->put_block(chan->buf, block);
	}
	chan->seq -= n;
	for (of = chan->cset->pub.armed; armed && of->chan; of++)
		if (of->chan == &chan->pub)
			to_block_core(of->block)->seq -= n;
	zio_channel_put_queued(chan);
}

/* Returns how many blocks can give back their numbers. An event has one number in all channels. */
static unsigned int ring_count_own_events(const struct zio_ring *ring)
{
	const struct zio_cset_core *cset = (*ring->chan)->cset;
	unsigned int i, n = UINT_MAX;

	for (i = 0; i < cset->n_active; i++) {
		if (cset->active[i]->ring != ring)
			return 0;
		n = min(n, zio_queue_count(&cset->active[i]->queue));
	}
	return n;
}

static void ring_end(struct zio_cset_core *cset, struct zio_ring *ring)
{
	struct zio_channel_core *chan = *ring->chan;
	unsigned int i, n;
	bool armed;

	zio_cset_lock_channels(cset);
	armed = zio_cset_own_phase(cset);
	chan->ops->reclaim(chan, UINT_MAX);
	n = ring_count_own_events(ring);
	for (i = 0; i < ring->n_chan; i++) {
		chan = ring->chan[i];
		WRITE_ONCE(chan->ops, NULL);
		chan->ring = NULL;
		if (cset->on_demand)
			ring_discard(chan, n, armed);
		zio_channel_forget_gap(chan);
	}
	zio_cset_disown_phase(cset, armed);
	zio_cset_unlock_channels(cset);
}

/*
 * Lets the driver continue without the ring. First takes back every block that was read, which the
 * driver could not do during the grace period.
 */
static void ring_stop_stream(struct zio_channel_core *chan)
{
	mutex_lock(&chan->lock);
	ring_reclaim(chan, UINT_MAX);
	zio_cset_kick(chan->cset);
	WRITE_ONCE(chan->ops, NULL);
	synchronize_rcu();					/* K */
	chan->ring = NULL;
	zio_channel_forget_gap(chan);
	mutex_unlock(&chan->lock);
	zio_cset_wake(chan->cset);
	zio_cset_kick(chan->cset);
}

/*
 * Closes the ring of an input or a set. Blocks armed for other users stay armed. With a trigger on
 * demand the remaining blocks are discarded, otherwise they stay queued. The caller holds @chan,
 * the ring's first channel. @own_files: files of the set that the ring's owner has open. Sleeps.
 */
__cold void zio_ring_close(struct zio_channel_core *chan, unsigned int own_files)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_ring *ring = chan->ring;
	unsigned int i;

	if (ring->entry)
		zio_cset_notifier_remove(&ring->notifier);
	mutex_lock(&cset->mutex);
	if (!cset->gone) {
		/*
		 * A set on demand without other users was armed for this ring only. Its block is no
		 * loss, and would be stale later.
		 */
		if (cset->on_demand && cset->open_files <= own_files) {
			zio_cset_freeze(cset);
			zio_cset_unfreeze(cset);
		}
		if (zio_cset_is_stream(cset))
			ring_stop_stream(chan);
		else
			ring_end(cset, ring);
	}
	for (i = 0; i < ring->n_chan; i++) {
		chan = ring->chan[i];
		zio_ring_stop(chan);
		mutex_lock(&chan->lock);
		chan->ring = NULL;
		mutex_unlock(&chan->lock);
		kobject_put(&chan->kobj);
	}
	mutex_unlock(&cset->mutex);
	ring_free(ring);
}

/*
 * Programs may write the header's page only. A grown mapping of the header would reach the slots,
 * so none may grow. The caller has the ring's file.
 */
int zio_ring_map(struct zio_ring *ring, struct vm_area_struct *vma)
{
	bool header = !vma->vm_pgoff && vma_pages(vma) == 1;
	int ret = zio_area_map(ring->area, vma, header);

	if (!ret)
		zio_vm_flags_set(vma, VM_DONTEXPAND);
	return ret;
}
