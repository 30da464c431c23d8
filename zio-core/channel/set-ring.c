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
 * The barriers A and S are those of ring.c. Of the first, push_block() also writes the entry.
 *
 * Only the owner of the phase uses a ring, and only it changes chan->ops. A file owns the
 * ring. So a ring that no channel uses can be freed without a grace period, after its
 * notifier is unlinked.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "channel/internal.h"

/* Offsets of mappings fit into 32 bits. */
#define MAX_SLOTS		BIT(24)

static struct zio_set_ring *ring_of(const struct zio_channel_core *chan)
{
	return chan->cset->set_ring;
}

/* Context: Any; the caller owns the phase. */
static void push_block(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_set_ring *set = ring_of(chan);
	struct zio_ring *ring = &set->ring;
	u32 at = set->head & ring->mask;
	u32 i = chan->pub.index * set->stride + (chan->queue.head & (set->stride - 1));

	zio_ring_fill_slot(&ring->slot[i], &ring->filled[i], block, chan->pub.index,
			   chan->cset->ssize, chan->merged);
	set->chan[at] = chan->pub.index;
	set->entry[at] = i;
	zio_queue_push(&chan->queue, block);
	WRITE_ONCE(set->head, set->head + 1);
	smp_store_release(&ring->hdr->head, set->head);		/* A */
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
	struct zio_set_ring *set = ring_of(chan);
	u32 read = smp_load_acquire(&set->ring.hdr->tail) - set->tail; /* S */

	if (!read || read > set->head - set->tail)
		return false;
	for (n = min(n, read); n; n--) {
		u32 at = set->tail & set->ring.mask;
		struct zio_channel_core *of = cset->chan[set->chan[at]];

		of->buf->type->ops->put_block(of->buf, zio_queue_pop(&of->queue));
		WRITE_ONCE(set->tail, set->tail + 1);
	}
	return true;
}

/* A loss may leave the ring below the watermark for ever: the program takes what it has. */
static void count_loss(struct zio_channel_core *chan, u32 n)
{
	struct zio_set_ring *set = ring_of(chan);

	zio_cset_assert_held(chan->cset);
	WRITE_ONCE(set->ring.hdr->lost, set->lost += n);
	zio_channel_wake(chan->cset->chan[0], ZIO_WAKE_IN);
}

static const struct zio_channel_ops set_ring_ops = {
	.push = push_block,
	.reclaim = reclaim_blocks,
	.count_loss = count_loss,
};

/* The set is done: its users sleep in the wait queue of its first channel. */
static void wake_reader(struct zio_cset_notifier *notifier)
{
	struct zio_cset_core *cset = notifier->cset;
	struct zio_set_ring *set = container_of(notifier, struct zio_set_ring, notifier);
	u32 want;

	zio_cset_assert_held(cset);
	want = READ_ONCE(cset->chan[0]->buf->watermark) * READ_ONCE(cset->n_active);
	if (READ_ONCE(cset->on_demand) || zio_ring_count(&set->ring) >= want)
		zio_channel_wake(cset->chan[0], ZIO_WAKE_IN);
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

static int alloc_slots(const struct zio_cset_core *cset, struct zio_set_ring *set, u32 n)
{
	u32 n_entries = roundup_pow_of_two(n);
	struct zio_ring *ring = &set->ring;
	int ret = zio_ring_alloc_slots(ring, cset->chan[0], n, n_entries);

	if (ret)
		return ret;
	ring->mask = n_entries - 1;
	ring->head = &set->head;
	set->entry = ring->area->mem + PAGE_SIZE;
	set->chan = (u16 *)(ring->filled + n);
	ring->hdr->entries_offset = PAGE_SIZE;
	ring->hdr->n_entries = n_entries;
	ring->hdr->channel_slots = set->stride;
	return 0;
}

static struct zio_set_ring *alloc_ring(struct zio_cset_core *cset)
{
	u32 stride = count_slots(cset), n;
	struct zio_set_ring *set;
	int ret;

	if (check_mul_overflow(stride, cset->n_chan, &n) || n > MAX_SLOTS)
		return ERR_PTR(-ENOMEM);
	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return ERR_PTR(-ENOMEM);
	set->first = cset->chan[0];
	set->stride = stride;
	set->notifier.done = wake_reader;
	ret = alloc_slots(cset, set, n);
	if (ret) {
		zio_ring_free(&set->ring);
		return ERR_PTR(ret);
	}
	return set;
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

/*
 * Drops the blocks that wait: so the ring begins with whole events. The caller owns the
 * phase. It locks the channel after that. No other context that locks a channel waits
 * for the phase: those that do hold cset->mutex.
 */
static void start_channel(struct zio_channel_core *chan, struct zio_set_ring *set)
{
	mutex_lock(&chan->lock);
	zio_sessions_drop(chan);
	zio_channel_put_queued(chan);
	zio_channel_settle_alarms(chan);
	set->lost += zio_channel_losses(chan);
	chan->slowpath = true;
	WRITE_ONCE(chan->ops, &set_ring_ops);
	mutex_unlock(&chan->lock);
}

/* The caller owns the phase; @armed: as zio_cset_own_phase() has returned it. */
static void end_channel(struct zio_channel_core *chan, unsigned int n, bool armed)
{
	mutex_lock(&chan->lock);
	WRITE_ONCE(chan->ops, NULL);
	if (chan->cset->on_demand)
		zio_ring_discard(chan, n, armed);
	mutex_unlock(&chan->lock);
}

/* The caller holds cset->mutex. */
static void start_ring(struct zio_cset_core *cset, struct zio_set_ring *set)
{
	bool armed = zio_cset_own_phase(cset);
	unsigned int i;

	cset->set_ring = set;
	for (i = 0; i < cset->n_chan; i++)
		start_channel(cset->chan[i], set);
	set->ring.hdr->lost = set->lost;
	zio_cset_disown_phase(cset, armed);
	zio_cset_notifier_link(&set->notifier, cset);
}

/**
 * zio_set_ring_open() - make the queues of all channels of a set one ring
 * @cset: the set
 * @file: the file that has the ring
 *
 * Readers of the channels are woken and get an error. Queued blocks are dropped, and
 * counted as flushed.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EACCES if @file is not open for reading and writing; -EBUSY if the set, or one
 * of its channels, has a ring or a route; -EOPNOTSUPP if data of a channel cannot be mapped;
 * -ENODEV when the board is gone; -EDQUOT as zio_charge(); -ENOMEM; -EINTR.
 */
int zio_set_ring_open(struct zio_cset_core *cset, struct file *file)
{
	struct zio_set_ring *set;
	int ret;

	if (!(file->f_mode & FMODE_READ) || !(file->f_mode & FMODE_WRITE))
		return -EACCES;
	ret = zio_cset_lock(cset);
	if (ret)
		return ret;
	ret = check_channels(cset);
	set = ret ? ERR_PTR(ret) : alloc_ring(cset);
	if (IS_ERR(set)) {
		ret = PTR_ERR(set);
	} else {
		cset->open_files++;
		start_ring(cset, set);
		file->private_data = set;
	}
	mutex_unlock(&cset->mutex);
	return ret;
}

/* The caller holds cset->mutex. */
static void end_ring(struct zio_cset_core *cset)
{
	bool armed = zio_cset_own_phase(cset);
	unsigned int i, n = UINT_MAX;

	reclaim_blocks(cset->chan[0], UINT_MAX);
	/* Whole events only: the blocks of an event have one number in all channels. */
	for (i = 0; i < cset->n_active; i++)
		n = min(n, zio_queue_count(&cset->active[i]->queue));
	for (i = 0; i < cset->n_chan; i++)
		end_channel(cset->chan[i], n, armed);
	cset->set_ring = NULL;
	zio_cset_disown_phase(cset, armed);
}

/* The board is gone: no context owns the phase again. The caller holds cset->mutex. */
void zio_set_ring_stop(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; cset->set_ring && i < cset->n_chan; i++) {
		mutex_lock(&cset->chan[i]->lock);
		WRITE_ONCE(cset->chan[i]->ops, NULL);
		mutex_unlock(&cset->chan[i]->lock);
	}
	cset->set_ring = NULL;
}

/* Unread blocks stay queued, unless the trigger is on demand. */
static int close_set(struct inode *inode, struct file *file)
{
	struct zio_set_ring *set = file->private_data;
	struct zio_channel_core *first = set->first;
	struct zio_cset_core *cset = first->cset;

	zio_cset_notifier_remove(&set->notifier);
	mutex_lock(&cset->mutex);
	if (cset->gone) {
		zio_set_ring_stop(cset);
	} else {
		zio_cset_abort_asked(cset, 1);
		end_ring(cset);
	}
	cset->open_files--;
	mutex_unlock(&cset->mutex);
	zio_ring_free(&set->ring);
	zio_channel_put(first);
	return 0;
}

static ssize_t read_set(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct zio_set_ring *set = file->private_data;

	if (READ_ONCE(set->first->cset->gone))
		return -ENODEV;
	return zio_ring_take_error(&set->ring, set->first->cset) ?: -EOPNOTSUPP;
}

static __poll_t poll_set(struct file *file, struct poll_table_struct *wait)
{
	struct zio_set_ring *set = file->private_data;

	return zio_poll_ring(file, wait, &set->ring, set->first);
}

static int map_set(struct file *file, struct vm_area_struct *vma)
{
	struct zio_set_ring *set = file->private_data;

	if (READ_ONCE(set->first->cset->gone))
		return -ENODEV;
	return zio_ring_map(&set->ring, vma);
}

const struct file_operations zio_set_fops = {
	.owner = THIS_MODULE,
	.release = close_set,
	.read = read_set,
	.poll = poll_set,
	.mmap = map_set,
};
