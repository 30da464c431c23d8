// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: zio-uzio, ZIO devices whose drivers are programs
 *
 * Each file of /dev/uzio has at most one device. The program describes it (describe.c), and
 * serves its sets (exchange.c, requests.c). The device goes when the file does: the program has
 * closed it, or has died.
 */
#include <linux/jiffies.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uzio.h"

static unsigned int max_devices = 1024;
module_param(max_devices, uint, 0644);
MODULE_PARM_DESC(max_devices, "devices of all programs at the same time (default 1024)");

static atomic_t main_devices = ATOMIC_INIT(0);

/* The first version of struct uzio_create */
#define UZIO_CREATE_SIZE_1	offsetofend(struct uzio_create, buffer_size)

static struct miscdevice main_misc;

/* Ends the device of a file, if it has one. The file stays. Context: Process, sleeps. */
static void main_unplug(struct uzio *dev)
{
	mutex_lock(&dev->plug);
	spin_lock_irq(&dev->lock);
	dev->dead = true;
	spin_unlock_irq(&dev->lock);
	wake_up(&dev->wq); /* users who wait for a value, too */
	if (dev->zdev) {
		zio_device_unregister(dev->zdev);
		atomic_dec(&main_devices);
	}
	dev->zdev = NULL;
	mutex_unlock(&dev->plug);
}

/*
 * Returns how many jiffies the program has left; 0: it has stalled. A watch that is late itself
 * tells nothing of the program, which has stood still as well (suspend): then all its time.
 * Called with dev->lock held; the watch is not queued. @end: when the oldest step is overdue
 */
static unsigned long main_time_left(const struct uzio *dev, unsigned long end)
{
	unsigned long now = jiffies;

	if (time_after(now, dev->watch.timer.expires + dev->timeout / 4 + 1))
		return dev->timeout;
	return time_before(now, end) ? end - now : 0;
}

/* Unplugs the device of a program that has stalled. */
static void main_watch(struct work_struct *work)
{
	struct uzio *dev = container_of(work, struct uzio, watch.work);
	unsigned long end, left = 1;

	spin_lock_irq(&dev->lock);
	/* If a set has queued the watch again meanwhile, the next turn decides. */
	if (!dev->dead && !delayed_work_pending(&dev->watch) && uzio_owes_step(dev, &end)) {
		left = main_time_left(dev, end);
		if (left)
			queue_delayed_work(uzio_wq, &dev->watch, left);
	}
	spin_unlock_irq(&dev->lock);
	if (left)
		return;
	pr_warn_ratelimited("uzio: %s: the program has not answered for %u ms: unplugged\n",
			    dev->name, jiffies_to_msecs(dev->timeout));
	main_unplug(dev);
}

/* Called with dev->plug held. */
static int main_register(struct uzio *dev, struct uzio_create *create)
{
	struct zio_device *zdev;
	int ret;

	uzio_note_server(dev);
	if (atomic_inc_return(&main_devices) > READ_ONCE(max_devices)) {
		atomic_dec(&main_devices);
		return -ENFILE;
	}
	zdev = zio_device_register(main_misc.this_device, &dev->desc, create->id, dev);
	if (IS_ERR(zdev)) {
		atomic_dec(&main_devices);
		return PTR_ERR(zdev);
	}
	dev->zdev = zdev;
	ret = uzio_add_refusal(dev);
	if (ret) {
		zio_device_unregister(zdev);
		dev->zdev = NULL;
		atomic_dec(&main_devices);
		return ret;
	}
	create->id = zio_device_id(zdev);
	create->buffer_size = dev->buffer_size;
	spin_lock_irq(&dev->lock);
	smp_store_release(&dev->live, true); /* the sets are complete: exchange.c, main_mmap() */
	spin_unlock_irq(&dev->lock);
	/* A set may have been armed before the device was live. */
	queue_delayed_work(uzio_wq, &dev->watch, dev->timeout);
	return 0;
}

/* Tells the program why the call fails. Returns @error, or -EFAULT. */
static int main_tell(struct uzio *dev, const struct uzio_create *create, int error)
{
	size_t len = min_t(size_t, strlen(dev->message) + 1, create->message_size);

	if (!create->message || !len)
		return error;
	dev->message[len - 1] = '\0';
	if (copy_to_user(u64_to_user_ptr(create->message), dev->message, len))
		return -EFAULT;
	return error;
}

/*
 * User memory may never come: while there is a device, nobody waits for it with dev->plug held.
 * @arg: where the result goes, @size bytes. On error nothing has changed.
 */
static int main_create(struct uzio *dev, struct uzio_create *create, void __user *arg, size_t size)
{
	int ret = mutex_lock_interruptible(&dev->plug);

	if (ret)
		return -EINTR;
	if (dev->live) {
		mutex_unlock(&dev->plug);
		return -EBUSY;
	}
	dev->message[0] = '\0';
	ret = uzio_describe(dev, create) ?: uzio_describe_attrs(dev, create);
	/* Whether the result can be written shows before there is one. */
	if (!ret && copy_to_user(arg, create, min(size, sizeof(*create))))
		ret = -EFAULT;
	ret = ret ?: main_register(dev, create);
	if (ret) {
		uzio_forget_attrs(dev);
		uzio_forget(dev);
		ret = main_tell(dev, create, ret);
	}
	mutex_unlock(&dev->plug);
	return ret;
}

static long main_ioctl_create(struct uzio *dev, void __user *arg, size_t size)
{
	struct uzio_create create;
	int ret = copy_struct_from_user(&create, sizeof(create), arg, size);

	ret = ret ?: main_create(dev, &create, arg, size);
	if (ret)
		return ret;
	if (!copy_to_user(arg, &create, min(size, sizeof(create))))
		return 0;
	/* The program has taken the memory away meanwhile, and does not know its device. */
	main_unplug(dev);
	return -EFAULT;
}

static long main_ioctl_exchange(struct uzio *dev, void __user *arg, size_t size, bool nonblock)
{
	struct uzio_exchange ex;
	long ret = copy_struct_from_user(&ex, sizeof(ex), arg, size);

	if (ret)
		return ret;
	ret = uzio_exchange(dev, &ex, nonblock);
	if (copy_to_user(arg, &ex, min(size, sizeof(ex))))
		ret = -EFAULT;
	return ret;
}

/* The size of an argument is in the number, so that a later version can be longer. */
static long main_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	size_t size = _IOC_SIZE(cmd);

	if (_IOC_TYPE(cmd) != 'Z' || _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE))
		return -ENOTTY;
	if (_IOC_NR(cmd) == _IOC_NR(UZIO_IOC_CREATE) && size >= UZIO_CREATE_SIZE_1)
		return main_ioctl_create(file->private_data, (void __user *)arg, size);
	if (_IOC_NR(cmd) == _IOC_NR(UZIO_IOC_EXCHANGE) && size >= sizeof(struct uzio_exchange))
		return main_ioctl_exchange(file->private_data, (void __user *)arg, size,
					   file->f_flags & O_NONBLOCK);
	return -ENOTTY;
}

/*
 * Returns the area that has a token, with a reference, or NULL. *@write: the program may write to
 * it. Context: Process.
 */
static struct zio_area *main_find_area(struct uzio *dev, unsigned long map, bool *write)
{
	struct uzio_memory *memory;
	struct zio_area *found = NULL;
	unsigned int i, j;

	spin_lock_irq(&dev->lock);
	for (i = 0; i < dev->n_sets && !found; i++)
		for (j = 0; j < dev->cset[i].n_chan && !found; j++) {
			memory = &dev->set[i].memory[j];
			if (memory->area && memory->map == map) {
				found = zio_area_ref(memory->area);
				*write = !dev->set[i].is_output;
			}
		}
	spin_unlock_irq(&dev->lock);
	return found;
}

/* The token of an area is in the offset, and its beginning is mapped. */
static int main_mmap(struct file *file, struct vm_area_struct *vma)
{
	const unsigned int shift = UZIO_MAP_SHIFT - PAGE_SHIFT;
	struct uzio *dev = file->private_data;
	struct zio_area *area;
	bool write;
	int ret;

	/* The sets are complete, and stay. */
	if (!smp_load_acquire(&dev->live))
		return -ENOTCONN;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_pgoff & (BIT(shift) - 1))
		return -EINVAL;
	area = main_find_area(dev, vma->vm_pgoff >> shift, &write);
	if (!area)
		return -ESTALE;
	vma->vm_pgoff = 0;
	ret = zio_area_map(area, vma, write);
	zio_area_put(area);
	return ret;
}

static __poll_t main_poll(struct file *file, poll_table *wait)
{
	struct uzio *dev = file->private_data;

	poll_wait(file, &dev->wq, wait);
	if (READ_ONCE(dev->dead))
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP | EPOLLERR;
	return uzio_has_request(dev) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int main_open(struct inode *inode, struct file *file)
{
	struct uzio *dev = kzalloc(sizeof(*dev), GFP_KERNEL_ACCOUNT);

	if (!dev)
		return -ENOMEM;
	mutex_init(&dev->plug);
	mutex_init(&dev->exchange);
	spin_lock_init(&dev->lock);
	init_waitqueue_head(&dev->wq);
	INIT_LIST_HEAD(&dev->ready);
	INIT_LIST_HEAD(&dev->asks);
	INIT_LIST_HEAD(&dev->asked);
	INIT_DELAYED_WORK(&dev->watch, main_watch);
	file->private_data = dev;
	return stream_open(inode, file);
}

static int main_release(struct inode *inode, struct file *file)
{
	struct uzio *dev = file->private_data;

	main_unplug(dev);
	cancel_delayed_work_sync(&dev->watch);
	uzio_forget_attrs(dev);
	uzio_forget(dev);
	put_pid(dev->server);
	kfree(dev);
	return 0;
}

static void main_show_fdinfo(struct seq_file *to, struct file *file)
{
	struct uzio *dev = file->private_data;

	zio_charge_show(&dev->charge, to);
}

static const struct file_operations main_fops = {
	.owner = THIS_MODULE,
	.open = main_open,
	.release = main_release,
	.unlocked_ioctl = main_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = main_mmap,
	.poll = main_poll,
	.show_fdinfo = main_show_fdinfo,
};

static struct miscdevice main_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "uzio",
	.fops = &main_fops,
	.mode = 0600,
};

static int __init main_init(void)
{
	int ret;

	uzio_wq = alloc_workqueue("uzio", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!uzio_wq)
		return -ENOMEM;
	ret = misc_register(&main_misc);
	if (ret)
		destroy_workqueue(uzio_wq);
	return ret;
}

static void __exit main_exit(void)
{
	misc_deregister(&main_misc);
	destroy_workqueue(uzio_wq);
}

module_init(main_init);
module_exit(main_exit);

MODULE_DESCRIPTION("ZIO: devices whose drivers are programs");
MODULE_SOFTDEP("pre: zio-buf-vmalloc");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
