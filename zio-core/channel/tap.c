// SPDX-License-Identifier: GPL-2.0-only
/*
 * tap.c: a file that shows an input's blocks without taking them
 *
 * ioctl(ZIO_IOC_TAP) on a data node returns a tap, a file of its own. Reads return the blocks of
 * tap-ring.c in order, each as its control and then its samples, as in a block file. A tap that is
 * late continues with the newest block.
 *
 * A read ends at the end of a block. If there is room for the whole block, it copies straight from
 * the ring to the user. Otherwise the file *holds* a copy of the block until reads have returned
 * all of it.
 *
 * If nobody reads a channel, its queue fills. While it has taps, the oldest block is then dropped
 * instead of the newest, as with "prefer-new", so taps keep seeing new blocks. A set that is armed
 * whenever it has room was idle until then, and zio_channel_note_readers() arms it.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "channel/tap.h"
#include "channel/usercopy.h"

/* Give up for now when this many blocks in a row were overwritten. */
#define TAP_TRIES	16

struct zio_tap {
	struct zio_channel_core *chan; /* held, with its driver's module */
	struct zio_tap_ring *ring;
	struct zio_charge charge;
	struct mutex lock; /* the fields below, for several readers of one file */
	u32 pos; /* number of the next block */
	struct zio_tap_slot slot; /* of that block */
	void *held; /* control and samples of a block that was read in part */
	size_t held_size;
	size_t held_len;
	size_t held_at;
};

static size_t tap_count_bytes(const struct zio_tap *tap)
{
	return sizeof(tap->slot.ctrl) + tap->slot.len;
}

static bool tap_has_rest(const struct zio_tap *tap)
{
	return READ_ONCE(tap->held_at) != READ_ONCE(tap->held_len);
}

static bool tap_is_gone(const struct zio_tap *tap)
{
	return READ_ONCE(tap->chan->cset->gone);
}

static bool tap_is_ready(const struct zio_tap *tap)
{
	return tap_has_rest(tap) || tap_is_gone(tap) ||
		zio_tap_ring_has(tap->ring, READ_ONCE(tap->pos));
}

static int tap_put_memory(struct zio_sink *to, const void *from, size_t n)
{
	/* The memory may be refilled meanwhile: the caller checks after the copy. */
	return data_race(zio_sink_put(to, from, n)) == n ? 0 : -EFAULT;
}

/* Returns -ESTALE if the samples' memory is gone. */
static int tap_put_samples(struct zio_tap *tap, struct zio_sink *to)
{
	const struct zio_tap_slot *slot = &tap->slot;
	struct zio_area *area;
	int ret = -ESTALE;

	if (slot->is_copy)
		return tap_put_memory(to, tap->ring->copy + slot->offset, slot->len);
	area = zio_area_get(&tap->chan->data_area);
	if (!area)
		return -ESTALE;
	if (slot->offset <= area->size && slot->len <= area->size - slot->offset)
		ret = tap_put_memory(to, area->mem + slot->offset, slot->len);
	zio_area_put(area);
	return ret;
}

/* Copies the whole block of tap->slot, or nothing. */
static int tap_put_block(struct zio_tap *tap, struct zio_sink *to)
{
	size_t room = to->room;
	int ret = -EFAULT;

	if (zio_sink_put(to, &tap->slot.ctrl, sizeof(tap->slot.ctrl)) ==
	    sizeof(tap->slot.ctrl))
		ret = tap_put_samples(tap, to);
	if (ret != -ESTALE && !zio_tap_slot_is_intact(tap->ring, tap->pos, &tap->slot))
		ret = -ESTALE;
	if (ret) {
		zio_sink_revert(to, room - to->room);
		return ret;
	}
	WRITE_ONCE(tap->pos, tap->pos + 1);
	if (tap->slot.is_copy)
		zio_tap_ring_want(tap->ring);
	return 0;
}

/* Allocates memory for a larger block. The file keeps it, as more such blocks may follow. */
static int tap_grow_held(struct zio_tap *tap, size_t n)
{
	vfree(tap->held);
	tap->held = NULL;
	zio_uncharge(&tap->charge, tap->held_size);
	tap->held_size = 0;
	if (zio_charge(&tap->charge, n))
		return -EDQUOT;
	tap->held = zio_user_alloc(n);
	if (!tap->held) {
		zio_uncharge(&tap->charge, n);
		return -ENOMEM;
	}
	tap->held_size = n;
	return 0;
}

/* Copies the whole block of tap->slot to the file's memory. */
static int tap_hold_block(struct zio_tap *tap)
{
	size_t n = tap_count_bytes(tap);
	struct kvec vec = { .iov_len = n };
	struct iov_iter iter;
	struct zio_sink to = { .iter = &iter, .room = n };
	int ret = n > tap->held_size ? tap_grow_held(tap, n) : 0;

	if (ret)
		return ret;
	vec.iov_base = tap->held;
	iov_iter_kvec(&iter, READ, &vec, 1, n);
	ret = tap_put_block(tap, &to);
	if (!ret) {
		WRITE_ONCE(tap->held_at, 0);
		WRITE_ONCE(tap->held_len, n);
	}
	return ret;
}

static int tap_read_held(struct zio_tap *tap, struct zio_sink *to)
{
	struct zio_faults faults = { 0 };
	size_t want, n;
	int ret = 0;

	while (!ret && to->room && tap_has_rest(tap)) {
		want = min(tap->held_len - tap->held_at, to->room);
		n = zio_sink_put(to, tap->held + tap->held_at, want);
		WRITE_ONCE(tap->held_at, tap->held_at + n);
		if (n != want)
			ret = zio_sink_fault_in(to, &faults);
	}
	return ret;
}

/* Reads one block or part of one. Returns -EAGAIN if there is none. */
static int tap_read_one(struct zio_tap *tap, struct zio_sink *to)
{
	unsigned int tries;
	int ret = -ESTALE;
	u32 newest;

	if (tap_has_rest(tap))
		return tap_read_held(tap, to);
	if (tap_is_gone(tap))
		return -ENODEV;
	for (tries = 0; tries < TAP_TRIES; tries++) {
		if (!zio_tap_ring_look(tap->ring, &tap->pos, &tap->slot))
			return -EAGAIN;
		ret = to->room >= tap_count_bytes(tap) ? tap_put_block(tap, to) : -EFAULT;
		if (ret == -EFAULT)
			ret = tap_hold_block(tap);
		if (ret != -ESTALE)
			break;
		/* Try the newest block next, and after that the one that follows. */
		newest = READ_ONCE(tap->ring->head) - 1;
		WRITE_ONCE(tap->pos, newest == tap->pos ? newest + 1 : newest);
	}
	if (!ret && tap_has_rest(tap))
		ret = tap_read_held(tap, to);
	return ret == -ESTALE ? -EAGAIN : ret;
}

static int tap_lock(struct zio_tap *tap, bool nowait)
{
	if (mutex_trylock(&tap->lock))
		return 0;
	if (nowait)
		return -EAGAIN;
	return mutex_lock_interruptible(&tap->lock) ? -ERESTARTSYS : 0;
}

/* Sleeps for a block, unless @nowait, while the tap is empty and the board exists. */
static ssize_t tap_read_any(struct zio_tap *tap, struct zio_sink *to, bool nowait)
{
	size_t all = to->room;
	int ret;

	if (!all)
		return 0;
	for (;;) {
		ret = tap_lock(tap, nowait);
		if (ret)
			return ret;
		ret = tap_read_one(tap, to);
		mutex_unlock(&tap->lock);
		if (to->room != all)
			return all - to->room;
		if (ret != -EAGAIN || nowait)
			return ret;
		ret = wait_event_interruptible(tap->ring->wq, tap_is_ready(tap)); /* U */
		if (ret || signal_pending(current))
			return -ERESTARTSYS;
	}
}

static ssize_t tap_read(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct zio_sink to = { .buf = buf, .room = n };

	return tap_read_any(file->private_data, &to, file->f_flags & O_NONBLOCK);
}

static ssize_t tap_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct zio_tap *tap = iocb->ki_filp->private_data;
	struct zio_sink to = zio_sink_of(iter);

	return zio_sink_end(&to, iter, tap_read_any(tap, &to, zio_is_nowait(iocb)));
}

static __poll_t tap_poll(struct file *file, struct poll_table_struct *wait)
{
	struct zio_tap *tap = file->private_data;

	zio_poll_wait(file, &tap->ring->wq, wait);
	if (tap_is_gone(tap))
		return EPOLLHUP | EPOLLERR | (tap_has_rest(tap) ? EPOLLIN | EPOLLRDNORM : 0);
	return tap_is_ready(tap) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* ZIO_IOC_FLUSH skips the blocks that are there, and asks for the next one. */
static long tap_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct zio_tap *tap = file->private_data;
	int ret;

	if (cmd != ZIO_IOC_FLUSH)
		return -ENOTTY;
	ret = tap_lock(tap, false);
	if (ret)
		return ret;
	WRITE_ONCE(tap->held_at, tap->held_len);
	WRITE_ONCE(tap->pos, READ_ONCE(tap->ring->head));
	zio_tap_ring_want(tap->ring);
	mutex_unlock(&tap->lock);
	return tap_is_gone(tap) ? -ENODEV : 0;
}

static void tap_show_fdinfo(struct seq_file *to, struct file *file)
{
	struct zio_tap *tap = file->private_data;

	zio_charge_show(&tap->charge, to);
}

static void tap_free(struct zio_tap *tap)
{
	struct zio_channel_core *chan = tap->chan;

	if (tap->ring) {
		zio_tap_ring_put(chan, tap->ring);
		zio_cset_put_file(chan->cset);
	}
	mutex_destroy(&tap->lock);
	vfree(tap->held);
	zio_uncharge(&tap->charge, SIZE_MAX);
	kfree(tap);
	zio_channel_put(chan);
}

static int tap_release(struct inode *inode, struct file *file)
{
	tap_free(file->private_data);
	return 0;
}

static const struct file_operations tap_fops = {
	.owner = THIS_MODULE,
	.release = tap_release,
	.unlocked_ioctl = tap_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = tap_read,
	.read_iter = tap_read_iter,
	.splice_read = zio_splice_read,
	.poll = tap_poll,
	.show_fdinfo = tap_show_fdinfo,
};

/* Counts as an open file of the set, so the buffers stay. */
static int tap_get_ring(struct zio_tap *tap)
{
	struct zio_tap_ring *ring;
	int ret = zio_charge(&tap->charge, sizeof(*tap)) ?: zio_cset_get_file(tap->chan->cset);

	if (ret)
		return ret;
	ring = zio_tap_ring_get(tap->chan, &tap->pos);
	if (IS_ERR(ring)) {
		zio_cset_put_file(tap->chan->cset);
		return PTR_ERR(ring);
	}
	tap->ring = ring;
	return 0;
}

/* The caller has a file of the channel open. */
static struct zio_tap *tap_alloc(struct zio_channel_core *chan)
{
	struct zio_tap *tap = kzalloc(sizeof(*tap), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!tap)
		return ERR_PTR(-ENOMEM);
	zio_channel_get(chan);
	tap->chan = chan;
	mutex_init(&tap->lock);
	ret = tap_get_ring(tap);
	if (!ret)
		return tap;
	tap_free(tap);
	return ERR_PTR(ret);
}

/* The file owns the tap, even on error. */
static struct file *tap_open_file(struct zio_tap *tap, unsigned int flags)
{
	struct file *file = anon_inode_getfile("[zio-tap]", &tap_fops, tap, O_RDONLY | flags);

	if (IS_ERR(file)) {
		tap_free(tap);
		return file;
	}
	stream_open(file_inode(file), file);
	file->f_mode |= FMODE_PREAD | FMODE_NOWAIT;
	return file;
}

/*
 * Handles ZIO_IOC_TAP of an input's data node. The tap is non-blocking if @node is, and outlives
 * it. Returns a close-on-exec descriptor; -EDQUOT as zio_charge(); -EMFILE; -ENOMEM; -ENODEV when
 * the board is gone; -EINTR.
 */
long zio_tap_open(struct file *node)
{
	struct zio_session *sess = node->private_data;
	struct zio_tap *tap;
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	tap = tap_alloc(sess->chan);
	file = IS_ERR(tap) ? ERR_CAST(tap) : tap_open_file(tap, node->f_flags & O_NONBLOCK);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

/* Wakes the taps of a channel whose board is gone. */
void zio_taps_wake(struct zio_channel_core *chan)
{
	struct zio_tap_ring *ring;

	rcu_read_lock();
	ring = rcu_dereference(chan->tap_ring);
	if (ring)
		wake_up_poll(&ring->wq, EPOLLHUP | EPOLLERR);
	rcu_read_unlock();
}
