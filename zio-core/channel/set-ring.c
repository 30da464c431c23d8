// SPDX-License-Identifier: GPL-2.0-only
/*
 * set-ring.c: one ring for all channels of an input set
 *
 * As the control ring of a channel (ring.c), with one head and one tail for the set. Each
 * channel has a range of slots, with the controls of the blocks in its queue. So the
 * constant part of a slot stays. The entries of the ring are numbers of slots, in the
 * order in which the blocks are done.
 *
 * The program moves hdr->tail over entries. The engine then pops the blocks of these
 * entries from the queues of their channels. The kernel keeps the channel of each entry
 * for itself: it reads nothing but the tail from memory that is mapped.
 *
 *   R  push_block() writes samples, slot and entry, then stores hdr->head (release). It
 *      pairs with the program, which loads head (acquire), then entry, slot and samples.
 *      Without it, the program could see a block that is not there yet.
 *   S  The program reads the samples, then stores hdr->tail (release). It pairs with
 *      reclaim_blocks(), which loads tail (acquire) before the blocks are filled again.
 *      Without it, new samples could overwrite a block that the program is reading.
 *
 * Only the owner of the phase uses a ring, and only it changes chan->ops. A file owns the
 * ring. So a ring that no channel uses can be freed without a grace period, after its
 * notifier is unlinked.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "channel/internal.h"
#include "channel/set.h"

/* Offsets of mappings fit into 32 bits. */
#define MAX_SLOTS		BIT(24)

static struct zio_set_ring *ring_of(const struct zio_channel_core *chan)
{
	return chan->cset->set_node->ring;
}

/* Copies the static part of a slot only when the slot has another snapshot. */
static void fill_control(struct zio_set_ring *ring, u32 i, struct zio_channel_core *chan,
			 const struct zio_block *block)
{
	const struct zio_snapshot *snap = to_block_core(block)->snap;

	if (unlikely(ring->filled[i] != snap->id)) {
		zio_control_begin(&ring->slot[i], snap, chan->pub.index);
		ring->filled[i] = snap->id;
	}
	zio_control_fill(&ring->slot[i], block, chan->cset->ssize);
	ring->slot[i].seq_num -= chan->merged;
}

/* Context: Any; the caller owns the phase. */
static void push_block(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_set_ring *ring = ring_of(chan);
	u32 at = ring->head & ring->mask;
	u32 i = chan->pub.index * ring->stride + (chan->queue.head & (ring->stride - 1));

	fill_control(ring, i, chan, block);
	ring->chan[at] = chan->pub.index;
	ring->entry[at] = i;
	zio_queue_push(&chan->queue, block);
	WRITE_ONCE(ring->head, ring->head + 1);
	smp_store_release(&ring->hdr->head, ring->head);	/* R */
}

/*
 * Takes back up to @n blocks that the program has passed, of any channel. The program may
 * write any tail: the kernel ignores one that is out of range. Returns true if it took any
 * block back.
 *
 * Context: Any; the caller owns the phase.
 */
static bool reclaim_blocks(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_cset_core *cset = chan->cset;
	struct zio_set_ring *ring = ring_of(chan);
	u32 read = smp_load_acquire(&ring->hdr->tail) - ring->tail; /* S */

	if (!read || read > ring->head - ring->tail)
		return false;
	for (n = min(n, read); n; n--) {
		struct zio_channel_core *of = cset->chan[ring->chan[ring->tail & ring->mask]];

		of->buf->type->ops->put_block(of->buf, zio_queue_pop(&of->queue));
		WRITE_ONCE(ring->tail, ring->tail + 1);
	}
	return true;
}

/* A loss may leave the ring below the watermark for ever: the program takes what it has. */
static void count_loss(struct zio_channel_core *chan)
{
	struct zio_set_ring *ring = ring_of(chan);

	zio_cset_assert_held(chan->cset);
	WRITE_ONCE(ring->hdr->lost, ++ring->lost);
	zio_channel_wake(chan->cset->chan[0], ZIO_WAKE_IN);
}

static const struct zio_channel_ops set_ring_ops = {
	.push = push_block,
	.reclaim = reclaim_blocks,
	.count_loss = count_loss,
};

/**
 * zio_set_ring_count() - count the blocks that the program has not passed yet
 * @ring: the ring
 *
 * Context: Any.
 *
 * Return: the number; 0 for a tail that is out of range.
 */
u32 zio_set_ring_count(const struct zio_set_ring *ring)
{
	u32 n = READ_ONCE(ring->head) - READ_ONCE(ring->hdr->tail);

	return n <= ring->mask + 1 ? n : 0;
}

/* The set is done: its users sleep in the wait queue of its first channel. */
static void wake_reader(struct zio_cset_notifier *notifier)
{
	struct zio_cset_core *cset = notifier->cset;
	struct zio_set_ring *ring = container_of(notifier, struct zio_set_ring, notifier);
	u32 want;

	zio_cset_assert_held(cset);
	want = READ_ONCE(cset->chan[0]->buf->watermark) * READ_ONCE(cset->n_active);
	if (READ_ONCE(cset->on_demand) || zio_set_ring_count(ring) >= want)
		zio_channel_wake(cset->chan[0], ZIO_WAKE_IN);
}

/**
 * zio_set_ring_publish_flags() - tell the program whether blocks come without polls
 * @ring: the ring
 * @cset: its set
 *
 * Context: Any.
 */
void zio_set_ring_publish_flags(struct zio_set_ring *ring,
				const struct zio_cset_core *cset)
{
	WRITE_ONCE(ring->hdr->flags, zio_ring_flags(cset));
}

static void free_ring(struct zio_set_ring *ring)
{
	zio_area_put(ring->area);
	vfree(ring->filled);
	vfree(ring->chan);
	zio_uncharge(&ring->charge);
	kfree(ring);
}

/* Slots of a channel: as many as the longest queue has. */
static u32 count_slots(const struct zio_cset_core *cset)
{
	unsigned int i;
	u32 n = 0;

	for (i = 0; i < cset->n_chan; i++)
		n = max(n, cset->chan[i]->queue.mask + 1);
	return n;
}

static void fill_header(struct zio_set_ring *ring, const struct zio_cset_core *cset, u32 n)
{
	size_t slots = PAGE_SIZE + PAGE_ALIGN((ring->mask + 1) * sizeof(*ring->entry));

	ring->hdr = ring->area->mem;
	ring->entry = ring->area->mem + PAGE_SIZE;
	ring->slot = ring->area->mem + slots;
	*ring->hdr = (struct zio_ring_header) {
		.magic = ZIO_SET_RING_MAGIC,
		.version = ZIO_RING_VERSION,
		.slots_offset = slots,
		.slot_size = sizeof(*ring->slot),
		.n_slots = n,
		.flags = zio_ring_flags(cset),
		.entries_offset = PAGE_SIZE,
		.n_entries = ring->mask + 1,
		.channel_slots = ring->stride,
	};
}

static int alloc_slots(const struct zio_cset_core *cset, struct zio_set_ring *ring, u32 n)
{
	size_t entries = ring->mask + 1, head = PAGE_SIZE + PAGE_ALIGN(entries * sizeof(u32));
	size_t size = PAGE_ALIGN(head + (size_t)n * sizeof(*ring->slot));
	size_t filled = PAGE_ALIGN(n * sizeof(*ring->filled));
	size_t chan = PAGE_ALIGN(entries * sizeof(*ring->chan));
	int ret = zio_charge(&ring->charge, cset->chan[0], size + filled + chan);

	if (ret)
		return ret;
	ring->filled = zio_user_alloc(filled);
	ring->chan = zio_user_alloc(chan);
	ring->area = zio_area_alloc_charged(size);
	return ring->filled && ring->chan && ring->area ? 0 : -ENOMEM;
}

static struct zio_set_ring *alloc_ring(const struct zio_cset_core *cset)
{
	u32 stride = count_slots(cset), n;
	struct zio_set_ring *ring;
	int ret;

	if (check_mul_overflow(stride, cset->n_chan, &n) || n > MAX_SLOTS)
		return ERR_PTR(-ENOMEM);
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->mask = roundup_pow_of_two(n) - 1;
	ring->stride = stride;
	ring->notifier.done = wake_reader;
	ret = alloc_slots(cset, ring, n);
	if (ret) {
		free_ring(ring);
		return ERR_PTR(ret);
	}
	fill_header(ring, cset, n);
	return ring;
}

/* The caller holds cset->mutex. */
static int check_channels(const struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++) {
		if (!cset->chan[i]->buf->area)
			return -EOPNOTSUPP;
		if (READ_ONCE(cset->chan[i]->ops))
			return -EBUSY;
	}
	return 0;
}

/* The channel is locked. */
static void drop_queued(struct zio_channel_core *chan)
{
	struct zio_block *block;

	while ((block = zio_queue_pop(&chan->queue))) {
		WRITE_ONCE(chan->flushed, chan->flushed + 1);
		zio_block_put(chan, block);
	}
}

/*
 * Drops the blocks that wait: so the ring begins with whole events. The caller owns the
 * phase. It locks the channel after that. No other context that locks a channel waits
 * for the phase: those that do hold cset->mutex.
 */
static void start_channel(struct zio_channel_core *chan, struct zio_set_ring *ring)
{
	mutex_lock(&chan->lock);
	zio_sessions_drop(chan);
	drop_queued(chan);
	zio_channel_settle_alarms(chan);
	ring->lost += zio_channel_losses(chan);
	chan->slowpath = true;
	rcu_assign_pointer(chan->ring_area, ring->area);
	WRITE_ONCE(chan->ops, &set_ring_ops);
	mutex_unlock(&chan->lock);
}

/*
 * The caller owns the phase, or the board is gone. Unread blocks stay queued, unless polls
 * have acquired them: no reader has asked for those.
 */
static void stop_channel(struct zio_channel_core *chan, bool drop)
{
	mutex_lock(&chan->lock);
	RCU_INIT_POINTER(chan->ring_area, NULL);
	WRITE_ONCE(chan->ops, NULL);
	if (drop)
		drop_queued(chan);
	mutex_unlock(&chan->lock);
}

/**
 * zio_set_ring_open() - make the queues of all channels of a set one ring
 * @node: the node of the set
 *
 * Readers of the channels are woken and get an error. Queued blocks are dropped, and
 * counted as flushed.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EBUSY if the set, or one of its channels, has a ring or a route;
 * -EOPNOTSUPP if data of a channel cannot be mapped; -ENODEV when the board is gone;
 * -EDQUOT as zio_charge(); -ENOMEM; -EINTR.
 */
int zio_set_ring_open(struct zio_set_node *node)
{
	struct zio_cset_core *cset = node->cset;
	struct zio_set_ring *ring;
	unsigned int i;
	bool armed;
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = check_channels(cset);
	if (ret)
		goto out;
	ring = alloc_ring(cset);
	if (IS_ERR(ring)) {
		ret = PTR_ERR(ring);
		goto out;
	}
	cset->open_files++;
	armed = zio_cset_own_phase(cset);
	node->ring = ring;
	for (i = 0; i < cset->n_chan; i++)
		start_channel(cset->chan[i], ring);
	ring->hdr->lost = ring->lost;
	zio_cset_disown_phase(cset, armed);
	zio_cset_notifier_link(&ring->notifier, cset);
out:
	mutex_unlock(&cset->mutex);
	return ret;
}

/* The caller holds cset->mutex. */
static void end_ring(struct zio_cset_core *cset)
{
	bool armed = zio_cset_own_phase(cset);
	unsigned int i;

	reclaim_blocks(cset->chan[0], UINT_MAX);
	for (i = 0; i < cset->n_chan; i++)
		stop_channel(cset->chan[i], cset->on_demand);
	zio_cset_disown_phase(cset, armed);
}

/**
 * zio_set_ring_close() - close the ring of a set
 * @node: the node of the set
 *
 * Unread blocks stay queued, unless the trigger is on demand.
 *
 * Context: Process, sleeps.
 */
void zio_set_ring_close(struct zio_set_node *node)
{
	struct zio_cset_core *cset = node->cset;
	struct zio_set_ring *ring = node->ring;

	zio_cset_notifier_unlink(&ring->notifier);
	mutex_lock(&cset->mutex);
	if (!cset->gone) {
		if (cset->on_demand && cset->open_files <= 1) {
			zio_cset_freeze(cset);
			zio_cset_unfreeze(cset);
		}
		end_ring(cset);
	} else if (cset->set_node == node) {
		zio_set_ring_stop(node);
	}
	node->ring = NULL;
	cset->open_files--;
	mutex_unlock(&cset->mutex);
	free_ring(ring);
}

/* The board is gone: no context owns the phase again. The caller holds cset->mutex. */
void zio_set_ring_stop(struct zio_set_node *node)
{
	unsigned int i;

	for (i = 0; node->ring && i < node->cset->n_chan; i++)
		stop_channel(node->cset->chan[i], false);
}

/* As zio_ring_map(): a program may write the header's page, and no other. */
int zio_set_ring_map(struct zio_set_ring *ring, struct vm_area_struct *vma)
{
	bool header = !vma->vm_pgoff && vma_pages(vma) == 1;
	int ret = zio_area_map(ring->area, vma, header);

	if (!ret)
		zio_vm_flags_set(vma, VM_DONTEXPAND);
	return ret;
}
