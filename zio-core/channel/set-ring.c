// SPDX-License-Identifier: GPL-2.0-only
/*
 * set-ring.c: one ring for all channels of an input set
 *
 * This is the control ring of a channel (ring.c) with one head and one tail for the set. Each
 * channel has its own range of slots, with the controls of its queued blocks, so the constant part
 * of a slot stays. The ring's entries are slot numbers, in the order in which blocks finish.
 *
 * The program moves hdr->tail over entries. The engine then pops their blocks from the queues of
 * their channels. The kernel keeps each entry's channel to itself, and reads only the tail from
 * mapped memory.
 *
 * Barriers A and S are those of ring.c. For A, set_ring_push() also writes the entry.
 *
 * Only the owner of the phase uses a ring and changes chan->ops. So a ring that no channel uses can
 * be freed without a grace period once its notifier is unlinked. zio_ring_open() and
 * zio_ring_close() serve both kinds of rings.
 */
#include <linux/fs.h>
#include <linux/module.h>

#include "channel/internal.h"

/* Context: Any; the caller owns the phase. */
static void set_ring_push(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_ring *ring = chan->ring;
	u32 at = ring->pushed & ring->mask;
	u32 i = chan->pub.index * ring->stride + (chan->queue.head & (ring->stride - 1));

	zio_ring_fill_slot(&ring->slot[i], &ring->filled[i], block, chan->pub.index,
			   chan->cset->ssize);
	ring->entry_chan[at] = chan->pub.index;
	ring->entry[at] = i;
	zio_queue_push(&chan->queue, block);
	WRITE_ONCE(ring->pushed, ring->pushed + 1);
	smp_store_release(&ring->hdr->head, ring->pushed);	/* A */
}

/*
 * Takes back up to @n blocks of any channel that the program has passed; returns true if there were
 * any. The kernel ignores a tail out of range. Any context; the caller owns the phase.
 */
static bool set_ring_reclaim(struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring *ring = chan->ring;
	u32 read = smp_load_acquire(&ring->hdr->tail) - ring->passed; /* S */

	if (!read || read > ring->pushed - ring->passed)
		return false;
	for (n = min(n, read); n; n--) {
		u32 at = ring->passed & ring->mask;
		struct zio_channel_core *of = ring->chan[ring->entry_chan[at]];

		of->buf->type->ops->put_block(of->buf, zio_queue_pop(&of->queue));
		WRITE_ONCE(ring->passed, ring->passed + 1);
	}
	return true;
}

/* After a loss the ring may never reach the watermark: let the program take what it has. */
static void set_ring_count_loss(struct zio_channel_core *chan, u32 n)
{
	struct zio_ring *ring = chan->ring;

	zio_cset_assert_held(chan->cset);
	WRITE_ONCE(ring->hdr->lost, ring->lost += n);
	zio_channel_wake(*ring->chan, ZIO_WAKE_IN);
}

static const struct zio_channel_ops set_ring_ops = {
	.push = set_ring_push,
	.reclaim = set_ring_reclaim,
	.count_loss = set_ring_count_loss,
};

/* Wakes users when a set is done. They sleep in its first channel's wait queue. */
static void set_ring_done(struct zio_cset_notifier *notifier)
{
	struct zio_ring *ring = container_of(notifier, struct zio_ring, notifier);
	struct zio_cset_core *cset = notifier->cset;
	u32 want;

	zio_cset_assert_held(cset);
	want = READ_ONCE(cset->chan[0]->buf->watermark) * READ_ONCE(cset->n_active);
	if (READ_ONCE(cset->on_demand) || zio_ring_count(ring) >= want)
		zio_channel_wake(cset->chan[0], ZIO_WAKE_IN);
}

/*
 * Turns the queues of a whole set into one ring for @file. Returns -EACCES unless @file is open for
 * reading and writing; or as zio_ring_open().
 */
int zio_set_ring_open(struct zio_cset_core *cset, struct file *file)
{
	struct zio_ring *ring;

	if (!(file->f_mode & FMODE_READ) || !(file->f_mode & FMODE_WRITE))
		return -EACCES;
	ring = zio_ring_open(cset->chan, cset->n_chan, &set_ring_ops, set_ring_done);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	file->private_data = ring;
	return 0;
}

static int set_ring_close(struct inode *inode, struct file *file)
{
	struct zio_ring *ring = file->private_data;
	struct zio_channel_core *first = *ring->chan;

	zio_ring_close(first, 1);
	zio_cset_put_file(first->cset);
	zio_channel_put(first);
	return 0;
}

static ssize_t set_ring_read(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct zio_ring *ring = file->private_data;

	if (READ_ONCE((*ring->chan)->cset->gone))
		return -ENODEV;
	return zio_ring_take_error(ring, (*ring->chan)->cset) ?: -EOPNOTSUPP;
}

static __poll_t set_ring_poll(struct file *file, struct poll_table_struct *wait)
{
	struct zio_ring *ring = file->private_data;

	return zio_poll_ring(file, wait, ring, *ring->chan);
}

static int set_ring_map(struct file *file, struct vm_area_struct *vma)
{
	struct zio_ring *ring = file->private_data;

	if (READ_ONCE((*ring->chan)->cset->gone))
		return -ENODEV;
	return zio_ring_map(ring, vma);
}

static void set_ring_show_fdinfo(struct seq_file *to, struct file *file)
{
	const struct zio_ring *ring = file->private_data;

	zio_charge_show(&ring->charge, to);
}

const struct file_operations zio_set_fops = {
	.owner = THIS_MODULE,
	.release = set_ring_close,
	.read = set_ring_read,
	.poll = set_ring_poll,
	.mmap = set_ring_map,
	.show_fdinfo = set_ring_show_fdinfo,
};
