// SPDX-License-Identifier: GPL-2.0-only
/*
 * sniff.c: /dev/zio/sniff-ctrl, a copy of every channel's controls, as in ZIO 1.x
 *
 * The controls go to one ring, which exists while the node is open. A file's private_data is its
 * position. A reader that is too slow misses controls and finds ZIO_ALARM_LOST_SNIFF in the next
 * one.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

#include "channel/tap.h"

#define SNIFF_LEN	1024 /* in controls; a power of two */

static DEFINE_RAW_SPINLOCK(sniff_lock); /* the ring, its users, and their positions */
static unsigned int sniff_users;
static struct zio_control *sniff_ring; /* NULL without users */
static unsigned long sniff_head; /* counts controls; it wraps */
static DECLARE_WAIT_QUEUE_HEAD(sniff_wq);

static void sniff_wake(struct irq_work *work)
{
	wake_up_interruptible_poll(&sniff_wq, EPOLLIN | EPOLLRDNORM);
}

static DEFINE_IRQ_WORK(sniff_work, sniff_wake);

/* Any context; the caller owns the finished block. */
void zio_sniff_block_done(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_control *slot;
	unsigned long flags;

	if (!READ_ONCE(sniff_ring))
		return;
	raw_spin_lock_irqsave(&sniff_lock, flags);
	if (sniff_ring) {
		slot = &sniff_ring[sniff_head % SNIFF_LEN];
		zio_control_begin(slot, to_block_core(block)->snap, chan->pub.index);
		zio_control_fill(slot, block, chan->cset->ssize);
		WRITE_ONCE(sniff_head, sniff_head + 1);
	}
	raw_spin_unlock_irqrestore(&sniff_lock, flags);
	if (zio_must_defer())
		irq_work_queue(&sniff_work);
	else
		sniff_wake(NULL);
}

/* Counts users. The first one brings the ring, and the last one frees it. */
static void sniff_count(int n, struct zio_control *ring)
{
	raw_spin_lock_irq(&sniff_lock);
	sniff_users += n;
	if (!sniff_users == !!sniff_ring)
		swap(sniff_ring, ring);
	raw_spin_unlock_irq(&sniff_lock);
	vfree(ring);
}

static int sniff_open(struct inode *inode, struct file *file)
{
	struct zio_control *ring;

	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	ring = __vmalloc(SNIFF_LEN * sizeof(*ring), ZIO_GFP_USER | __GFP_ZERO);
	if (!ring)
		return -ENOMEM;
	sniff_count(1, ring);
	static_branch_inc(&zio_watch_key.key);
	file->private_data = (void *)READ_ONCE(sniff_head);
	file->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, file);
}

static int sniff_release(struct inode *inode, struct file *file)
{
	static_branch_slow_dec_deferred(&zio_watch_key);
	sniff_count(-1, NULL);
	return 0;
}

static bool sniff_has(const struct file *file)
{
	return (unsigned long)READ_ONCE(file->private_data) != READ_ONCE(sniff_head);
}

/* Takes a reader's next control; returns false if there is none. */
static bool sniff_take(struct file *file, struct zio_control *ctrl)
{
	unsigned long pos, behind;

	raw_spin_lock_irq(&sniff_lock);
	pos = (unsigned long)file->private_data;
	behind = sniff_head - pos;
	if (behind > SNIFF_LEN)
		pos = sniff_head - SNIFF_LEN / 2;
	if (behind) {
		*ctrl = sniff_ring[pos % SNIFF_LEN];
		WRITE_ONCE(file->private_data, (void *)(pos + 1));
	}
	raw_spin_unlock_irq(&sniff_lock);
	if (behind > SNIFF_LEN)
		ctrl->zio_alarms |= ZIO_ALARM_LOST_SNIFF;
	return behind;
}

static ssize_t sniff_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct zio_control ctrl;
	ssize_t done = 0;
	int ret = iov_iter_count(to) < sizeof(ctrl) ? -EINVAL : 0;

	while (!ret && iov_iter_count(to) >= sizeof(ctrl) && !(done && zio_must_stop())) {
		/* Fault in memory first, so that no control is taken and lost. */
		if (fault_in_iov_iter_writeable(to, sizeof(ctrl)))
			ret = -EFAULT;
		else if (sniff_take(file, &ctrl))
			done += copy_to_iter(&ctrl, sizeof(ctrl), to);
		else if (done || zio_is_nowait(iocb))
			ret = -EAGAIN;
		else
			ret = wait_event_interruptible(sniff_wq, sniff_has(file));
	}
	return done ?: ret;
}

static __poll_t sniff_poll(struct file *file, struct poll_table_struct *wait)
{
	poll_wait(file, &sniff_wq, wait);
	return sniff_has(file) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations sniff_fops = {
	.owner = THIS_MODULE,
	.open = sniff_open,
	.release = sniff_release,
	.read_iter = sniff_read,
	.splice_read = zio_splice_read,
	.poll = sniff_poll,
};

static struct miscdevice sniff_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "zio-sniff-ctrl",
	.nodename = "zio/sniff-ctrl",
	.mode = 0440,
	.fops = &sniff_fops,
};

/* Returns 0 or an error of the driver core. Sleeps. */
int zio_sniff_init(void)
{
	return misc_register(&sniff_device);
}

/* Undoes zio_sniff_init(). Sleeps. */
void zio_sniff_exit(void)
{
	misc_deregister(&sniff_device);
	irq_work_sync(&sniff_work);
	static_key_deferred_flush(&zio_watch_key);
}
