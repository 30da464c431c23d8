// SPDX-License-Identifier: GPL-2.0-only
/*
 * baretimer: the times at which a timer of the kernel expires, with no framework at all
 *
 * A write of struct baretimer_request to /dev/zio-baretimer starts a timer in hard
 * interrupt context, as that of the trigger "hrt". The timer's function stores the time,
 * and does nothing else. A read returns the stamps, or EAGAIN until all are there. The
 * lateness of hrt is what it is late more than this.
 *
 * One program at a time has the node open.
 */
#include <linux/bits.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/zio-compat.h>

#include "baretimer.h"

#define BARETIMER_MAX_STAMPS	BIT(21)

static struct baretimer {
	struct hrtimer timer;
	struct baretimer_request request;
	u64 *stamps;
	u64 done;		/* stamps; the reader acquires what it counts */
	atomic_t is_open;
} baretimer;

static enum hrtimer_restart baretimer_expired(struct hrtimer *timer)
{
	struct baretimer *bt = container_of(timer, struct baretimer, timer);
	u64 now = ktime_get_real_ns();

	bt->stamps[bt->done] = now;
	/* Pairs with the load in baretimer_read(). */
	smp_store_release(&bt->done, bt->done + 1);
	if (bt->done == bt->request.count)
		return HRTIMER_NORESTART;
	hrtimer_forward(timer, ns_to_ktime(now), ns_to_ktime(bt->request.period));
	return HRTIMER_RESTART;
}

static int baretimer_open(struct inode *inode, struct file *file)
{
	if (atomic_xchg(&baretimer.is_open, 1))
		return -EBUSY;
	baretimer.done = 0;
	return 0;
}

static int baretimer_release(struct inode *inode, struct file *file)
{
	hrtimer_cancel(&baretimer.timer);
	kvfree(baretimer.stamps);
	baretimer.stamps = NULL;
	atomic_set(&baretimer.is_open, 0);
	return 0;
}

static bool baretimer_is_valid(const struct baretimer_request *request)
{
	return request->count && request->count <= BARETIMER_MAX_STAMPS &&
	       request->first <= KTIME_MAX &&
	       request->period >= NSEC_PER_USEC && request->period <= NSEC_PER_SEC;
}

/* Only the first write to an open file starts the timer. */
static ssize_t baretimer_write(struct file *file, const char __user *from, size_t len,
			       loff_t *pos)
{
	struct baretimer *bt = &baretimer;
	struct baretimer_request request;

	if (len != sizeof(request))
		return -EINVAL;
	if (copy_from_user(&request, from, len))
		return -EFAULT;
	if (!baretimer_is_valid(&request))
		return -EINVAL;
	if (bt->stamps)
		return -EBUSY;
	bt->stamps = kvcalloc(request.count, sizeof(u64), GFP_KERNEL);
	if (!bt->stamps)
		return -ENOMEM;
	bt->request = request;
	hrtimer_start(&bt->timer, ns_to_ktime(request.first), HRTIMER_MODE_ABS_HARD);
	return len;
}

static ssize_t baretimer_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct baretimer *bt = &baretimer;

	/* Pairs with the store in baretimer_expired(). */
	if (!bt->stamps || smp_load_acquire(&bt->done) < bt->request.count)
		return -EAGAIN;
	return simple_read_from_buffer(to, len, pos, bt->stamps,
				       bt->request.count * sizeof(u64));
}

static const struct file_operations baretimer_fops = {
	.owner = THIS_MODULE,
	.open = baretimer_open,
	.release = baretimer_release,
	.read = baretimer_read,
	.write = baretimer_write,
};

static struct miscdevice baretimer_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "zio-baretimer",
	.fops = &baretimer_fops,
	.mode = 0600,
};

static int __init baretimer_init(void)
{
	zio_hrtimer_setup(&baretimer.timer, baretimer_expired, CLOCK_REALTIME,
			  HRTIMER_MODE_ABS_HARD);
	return misc_register(&baretimer_misc);
}

static void __exit baretimer_exit(void)
{
	misc_deregister(&baretimer_misc);
}

module_init(baretimer_init);
module_exit(baretimer_exit);

MODULE_DESCRIPTION("The times at which a timer of the kernel expires");
MODULE_LICENSE("GPL");
