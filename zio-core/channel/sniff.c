// SPDX-License-Identifier: GPL-2.0-only
/*
 * sniff.c: /dev/zio/sniff-ctrl: a copy of every control of every channel
 *
 * This device is for monitoring. The controls go into one ring of fixed size, which exists
 * while the device is open. Each opener reads it at its own pace. The engine never waits
 * for a reader. A reader that is too slow misses controls, and finds ZIO_ALARM_LOST_SNIFF
 * in the next control that it gets.
 *
 *   head counts controls; it wraps on 32 bits. Writers take a lock; readers do not.
 *
 *   N  The writer fills the slot, then stores head (release). It pairs with the reader,
 *      which loads head (acquire), then the slot. Without it, the reader could read an old
 *      control.
 *   V  The writer stores head and later, after N and the lock, fills the next slot. The
 *      reader copies a slot, then loads head again (after a read barrier). It discards the
 *      copy of the slot at head, or of an older one: the writer may have overwritten it.
 *      Without it, the reader could keep a torn control.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

#include "channel/internal.h"
#include "channel/tap.h"

#define SNIFF_LEN	1024 /* in controls; a power of two */

/* NULL while the device is not open. */
static struct zio_control *sniff_ring;

static DEFINE_RAW_SPINLOCK(sniff_lock); /* the ring, for writers */
static DEFINE_MUTEX(sniff_users_lock); /* sniff_users: the ring lives while it is not 0 */
static DECLARE_WAIT_QUEUE_HEAD(sniff_wq);
static unsigned long sniff_head;
static unsigned int sniff_users;

/* One opener of the device */
struct sniffer {
	struct mutex lock; /* the fields below, for several readers of one file */
	unsigned long pos;
	bool lost;
	struct zio_control ctrl;
};

static void wake_sniffers(struct irq_work *work)
{
	wake_up_interruptible_poll(&sniff_wq, EPOLLIN | EPOLLRDNORM);
}

static DEFINE_IRQ_WORK(sniff_work, wake_sniffers);

/* Context: Any; the caller owns the block, which is done. */
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
		smp_store_release(&sniff_head, sniff_head + 1);	/* N, V */
	}
	raw_spin_unlock_irqrestore(&sniff_lock, flags);
	if (!wq_has_sleeper(&sniff_wq))				/* U */
		return;
	if (zio_must_defer())
		irq_work_queue(&sniff_work);
	else
		wake_sniffers(NULL);
}

static void use_ring(struct zio_control *ring)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&sniff_lock, flags);
	WRITE_ONCE(sniff_ring, ring);
	raw_spin_unlock_irqrestore(&sniff_lock, flags);
}

static int add_user(void)
{
	struct zio_control *ring;
	int ret = 0;

	mutex_lock(&sniff_users_lock);
	if (!sniff_users) {
		ring = __vmalloc(array_size(SNIFF_LEN, sizeof(*ring)),
				 ZIO_GFP_USER | __GFP_ZERO);
		if (ring) {
			use_ring(ring);
			zio_monitor_get();
		} else {
			ret = -ENOMEM;
		}
	}
	if (!ret)
		sniff_users++;
	mutex_unlock(&sniff_users_lock);
	return ret;
}

static void remove_user(void)
{
	struct zio_control *ring = NULL;

	mutex_lock(&sniff_users_lock);
	if (!--sniff_users) {
		ring = sniff_ring;
		zio_monitor_put();
		use_ring(NULL);
	}
	mutex_unlock(&sniff_users_lock);
	vfree(ring);
}

static int open_sniffer(struct inode *inode, struct file *file)
{
	struct sniffer *sniffer;
	int ret;

	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	sniffer = kzalloc(sizeof(*sniffer), GFP_KERNEL_ACCOUNT);
	if (!sniffer)
		return -ENOMEM;
	ret = add_user();
	if (ret) {
		kfree(sniffer);
		return ret;
	}
	mutex_init(&sniffer->lock);
	sniffer->pos = smp_load_acquire(&sniff_head);		/* N */
	file->private_data = sniffer;
	file->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, file);
}

static int close_sniffer(struct inode *inode, struct file *file)
{
	struct sniffer *sniffer = file->private_data;

	remove_user();
	mutex_destroy(&sniffer->lock);
	kfree(sniffer);
	return 0;
}

static bool has_control(const struct sniffer *sniffer)
{
	return READ_ONCE(sniffer->pos) != smp_load_acquire(&sniff_head); /* N */
}

/* A reader that was too slow continues with the newest half of the ring. */
static void skip_lost(struct sniffer *sniffer, unsigned long head)
{
	sniffer->pos = head - SNIFF_LEN / 2;
	sniffer->lost = true;
}

/* Copies the next control into sniffer->ctrl; returns false if there is none. */
static bool fetch_control(struct sniffer *sniffer)
{
	unsigned long head;

	while (has_control(sniffer)) {
		/* The copy may be torn: the check below discards it then. */
		data_race(sniffer->ctrl =
			  sniff_ring[sniffer->pos % SNIFF_LEN]);
		smp_rmb();					/* V */
		head = READ_ONCE(sniff_head);
		if (head - sniffer->pos < SNIFF_LEN)
			return true;
		skip_lost(sniffer, head);
	}
	return false;
}

/* Returns 1 for a control, 0 without one; after -EFAULT it can be read again. */
static int read_one(struct sniffer *sniffer, struct iov_iter *to)
{
	if (!fetch_control(sniffer))
		return 0;
	if (sniffer->lost)
		sniffer->ctrl.zio_alarms |= ZIO_ALARM_LOST_SNIFF;
	if (copy_to_iter(&sniffer->ctrl, sizeof(sniffer->ctrl), to) !=
	    sizeof(sniffer->ctrl))
		return -EFAULT;
	sniffer->lost = false;
	WRITE_ONCE(sniffer->pos, sniffer->pos + 1);
	return 1;
}

static int lock_sniffer(struct sniffer *sniffer, bool nowait)
{
	if (mutex_trylock(&sniffer->lock))
		return 0;
	if (nowait)
		return -EAGAIN;
	return mutex_lock_interruptible(&sniffer->lock) ? -ERESTARTSYS : 0;
}

static ssize_t read_some(struct sniffer *sniffer, struct iov_iter *to)
{
	ssize_t done = 0;
	int ret = 1;

	while (iov_iter_count(to) >= sizeof(sniffer->ctrl) && ret > 0 &&
	       !(done && signal_pending(current))) {
		ret = read_one(sniffer, to);
		if (ret > 0)
			done += sizeof(sniffer->ctrl);
		cond_resched();
	}
	return done ?: ret ?: -EAGAIN;
}

static ssize_t read_sniffer(struct kiocb *iocb, struct iov_iter *to)
{
	struct sniffer *sniffer = iocb->ki_filp->private_data;
	bool nowait = (iocb->ki_flags & IOCB_NOWAIT) ||
		(iocb->ki_filp->f_flags & O_NONBLOCK);
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(sniffer->ctrl))
		return -EINVAL;
	for (;;) {
		ret = lock_sniffer(sniffer, nowait);
		if (ret)
			return ret;
		ret = read_some(sniffer, to);
		mutex_unlock(&sniffer->lock);
		if (ret != -EAGAIN || nowait)
			return ret;
		ret = wait_event_interruptible(sniff_wq, has_control(sniffer)); /* U */
		if (ret)
			return ret;
	}
}

static __poll_t poll_sniffer(struct file *file, struct poll_table_struct *wait)
{
	zio_poll_wait(file, &sniff_wq, wait);
	return has_control(file->private_data) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations sniffer_fops = {
	.owner = THIS_MODULE,
	.open = open_sniffer,
	.release = close_sniffer,
	.read_iter = read_sniffer,
	.splice_read = zio_splice_read,
	.poll = poll_sniffer,
};

static struct miscdevice sniffer_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "zio-sniff-ctrl",
	.nodename = "zio/sniff-ctrl",
	.mode = 0440,
	.fops = &sniffer_fops,
};

/**
 * zio_sniff_init() - create the node of the sniffer
 *
 * Context: Process, sleeps.
 *
 * Return: 0; or an error of the driver core.
 */
int zio_sniff_init(void)
{
	return misc_register(&sniffer_device);
}

/**
 * zio_sniff_exit() - undo zio_sniff_init()
 *
 * Context: Process, sleeps.
 */
void zio_sniff_exit(void)
{
	misc_deregister(&sniffer_device);
	irq_work_sync(&sniff_work);
}
