// SPDX-License-Identifier: GPL-2.0-only
/*
 * chardev.c: read and write of the data and control nodes
 *
 * A call with IOCB_NOWAIT never waits for a block, an event or user memory. It does wait for the
 * channel lock, but the holder copies at most ZIO_COPY_AT_ONCE, so io_uring needs no worker.
 */
#include <linux/fs.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include "channel/internal.h"
#include "channel/usercopy.h"

static int chardev_close(struct inode *inode, struct file *file)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	struct zio_cset_core *cset = chan->cset;

	/* Outputs are opened for writing, too, but never have a ring. */
	if (zio_has_ring(file) && chan->ring)
		zio_ring_close(chan, READ_ONCE(sess->users));
	zio_session_close(sess);
	zio_cset_put_file(cset);
	zio_channel_put(chan);
	return 0;
}

/* Returns true if each block arrives some time after a user asks for it. */
static bool chardev_answers_later(const struct zio_channel_core *chan)
{
	return READ_ONCE(chan->cset->async) && READ_ONCE(chan->cset->on_demand);
}

/*
 * Copies blocks to the user, up to what a lock holder may copy, and puts those read to their end.
 * The channel is locked. @begun: the call has already copied something.
 *
 * A read that has data does not rearm an asynchronous set, because the next read would get an old
 * block. If a block is taken away meanwhile, the next read reports it.
 *
 * Returns 0; -EFAULT if user memory is not present; 1 to end the read (after a block without data,
 * or after the last block whose control was read); or an error of zio_session_next().
 */
static __always_inline int chardev_read_blocks(struct zio_session *sess, struct zio_sink *to,
					       bool begun, bool nowait)
{
	size_t rest = to->room - min_t(size_t, to->room, ZIO_COPY_AT_ONCE), want, n;
	size_t block_len = READ_ONCE(sess->chan->cset->block_len);
	struct zio_block_core *core;
	struct zio_block *block;
	bool first = true;
	int ret;

	if (begun && !sess->block &&
	    (sess->is_stale ||
	     (chardev_answers_later(sess->chan) && !zio_channel_has_block(sess->chan))))
		return -EAGAIN;
	to->room -= rest;
	for (;;) {
		ret = sess->block ? 0 : zio_session_try_input(sess);
		if (unlikely(ret == -EAGAIN) && first && !begun && !nowait)
			ret = zio_session_wait(sess);
		if (ret)
			break;
		block = sess->block;
		core = to_block_core(block);
		want = min(block->len - core->used, to->room);
		n = zio_sink_put(to, block->data + core->used, want);
		core->used += n;
		if (unlikely(n != want)) {
			ret = -EFAULT;
			break;
		}
		if (core->used == block->len) {
			zio_session_put(sess);
			ret = !want || (sess->ctrl_seen && !sess->block);
		}
		if (ret || !to->room || zio_must_stop())
			break;
		if (first && chardev_answers_later(sess->chan))
			break;
		first = false;
		if (!sess->block && !zio_queue_count(&sess->chan->queue))
			zio_session_pull_ahead(sess, to->room / (block_len ?: 1));
	}
	to->room += rest;
	return ret;
}

/*
 * Copies the whole control only after attributes have changed. The control describes the data not
 * yet read.
 */
static __always_inline void chardev_fill_control(struct zio_session *sess,
						 struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);
	unsigned int ssize = sess->chan->cset->ssize;
	struct zio_control *ctrl = &sess->ctrl;
	u64 offset;

	if (unlikely(sess->snap != core->snap)) {
		zio_snapshot_put(sess->snap);
		sess->snap = core->snap;
		refcount_inc(&sess->snap->ref);
		zio_control_begin(ctrl, sess->snap, sess->chan->pub.index);
	}
	zio_control_fill(ctrl, block, ssize);
	if (unlikely(core->used)) {
		offset = core->mem_offset + core->used;
		ctrl->nsamples = (block->len - core->used) / (ssize ?: 1);
		ctrl->mem_offset = lower_32_bits(offset);
		ctrl->mem_offset_high = upper_32_bits(offset);
	}
}

/* Copies the whole control, or nothing. */
static __always_inline int chardev_put_control(struct zio_session *sess,
					       struct zio_sink *to)
{
	size_t n = zio_sink_put(to, &sess->ctrl, sizeof(sess->ctrl));

	if (likely(n == sizeof(sess->ctrl)))
		return 0;
	zio_sink_revert(to, n);
	return -EFAULT;
}

static __always_inline int chardev_copy_control(struct zio_session *sess,
						struct zio_block *block,
						struct zio_sink *to)
{
	chardev_fill_control(sess, block);
	return chardev_put_control(sess, to);
}

/* Puts the blocks whose controls have been read, then reads the next control. */
static __always_inline int chardev_read_first_control(struct zio_session *sess,
						      struct zio_sink *to, bool nowait)
{
	int ret;

	do {
		while (sess->block && sess->ctrl_seen)
			zio_session_put(sess);
		ret = zio_session_next(sess, nowait);
	} while (!ret && sess->ctrl_seen);
	if (!ret)
		ret = chardev_copy_control(sess, sess->block, to);
	if (!ret)
		WRITE_ONCE(sess->ctrl_seen, true);
	return ret;
}

/* Keeps the block behind the current one until more controls are read. */
static __always_inline int chardev_read_another_control(struct zio_session *sess,
							struct zio_sink *to)
{
	struct zio_block *block = zio_session_fetch(sess);
	int ret;

	if (IS_ERR(block))
		return PTR_ERR(block);
	if (to_block_core(block)->ctrl_seen) {
		zio_channel_put_block(sess->chan, block);
		return 0;
	}
	ret = chardev_copy_control(sess, block, to);
	if (ret)
		zio_channel_requeue(sess->chan, block);
	else
		zio_session_hold(sess, block);
	return ret;
}

/* The channel is locked. @begun: the call has already copied a control. */
static __always_inline int chardev_read_controls(struct zio_session *sess, struct zio_sink *to,
						 bool begun, bool nowait)
{
	size_t left = to->room - min_t(size_t, to->room, ZIO_COPY_AT_ONCE);
	int ret;

	/* Another thread of the session may have read the data in the meantime. */
	if (begun && !sess->block)
		return -EAGAIN;
	ret = begun ? 0 : chardev_read_first_control(sess, to, nowait);
	left = max(left, sizeof(struct zio_control) - 1);
	while (!ret && to->room > left && !zio_must_stop()) {
		if (!zio_queue_count(&sess->chan->queue))
			zio_session_pull_ahead(sess, to->room / sizeof(struct zio_control));
		ret = chardev_read_another_control(sess, to);
	}
	return ret;
}

/*
 * What a node reads, and the least room it needs. Inlined functions get a constant, so the common
 * path makes no indirect call.
 */
struct reading {
	int (*step)(struct zio_session *sess, struct zio_sink *to, bool begun, bool nowait);
	size_t least;
};

static const struct reading chardev_data = { chardev_read_blocks, 1 };
static const struct reading chardev_ctrl = { chardev_read_controls, sizeof(struct zio_control) };

/*
 * Reads into an iterator, or continues a read that is long or whose memory was not present. @ret:
 * the result of the first step. The sink is passed by value so that the caller's stays in
 * registers.
 */
static noinline ssize_t chardev_go_on_reading(const struct reading *what, struct zio_session *sess,
					      struct zio_sink to, size_t all, int ret, bool nowait)
{
	struct zio_faults faults = { 0 };

	for (;;) {
		if (ret == -EFAULT)
			ret = zio_sink_fault_in(&to, &faults);
		if (ret || to.room < what->least)
			break;
		if (to.room != all && signal_pending(current))
			break;
		ret = zio_session_lock(sess);
		if (ret)
			break;
		ret = what->step(sess, &to, to.room != all, nowait);
		zio_session_unlock(sess);
	}
	return to.room != all ? all - to.room : min(ret, 0);
}

static __always_inline ssize_t chardev_read_plain(const struct reading *what,
						  struct zio_session *sess, struct zio_sink to,
						  bool nowait)
{
	size_t all = to.room;
	int ret = zio_session_lock(sess);

	if (ret)
		return ret;
	ret = what->step(sess, &to, false, nowait);
	zio_session_unlock(sess);
	if (unlikely(ret == -EFAULT || (!ret && to.room >= what->least)))
		return chardev_go_on_reading(what, sess, to, all, ret, nowait);
	return to.room != all ? all - to.room : min(ret, 0);
}

/* Separate, so that the loop over blocks has no branch for iterators. */
static noinline ssize_t chardev_read_plain_data(struct zio_session *sess, char __user *buf,
						size_t n, bool nowait)
{
	struct zio_sink to = { .buf = buf, .room = n };

	return n ? chardev_read_plain(&chardev_data, sess, to, nowait) : 0;
}

static ssize_t chardev_read_data_plain(struct file *file, char __user *buf, size_t n,
				       loff_t *pos)
{
	return chardev_read_plain_data(file->private_data, buf, n, file->f_flags & O_NONBLOCK);
}

static ssize_t chardev_read_data_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct zio_session *sess = iocb->ki_filp->private_data;
	struct zio_sink to = zio_sink_of(iter);
	bool nowait = zio_is_nowait(iocb);

	if (to.iter)
		return chardev_go_on_reading(&chardev_data, sess, to, to.room, 0, nowait);
	return zio_sink_end(&to, iter, chardev_read_plain_data(sess, to.buf, to.room, nowait));
}

static noinline ssize_t chardev_read_plain_ctrl(struct zio_session *sess, char __user *buf,
						size_t n, bool nowait)
{
	struct zio_sink to = { .buf = buf, .room = n };

	if (n < sizeof(struct zio_control))
		return -EINVAL;
	return chardev_read_plain(&chardev_ctrl, sess, to, nowait);
}

static ssize_t chardev_read_ctrl_plain(struct file *file, char __user *buf, size_t n,
				       loff_t *pos)
{
	return chardev_read_plain_ctrl(file->private_data, buf, n, file->f_flags & O_NONBLOCK);
}

static ssize_t chardev_read_ctrl_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct zio_session *sess = iocb->ki_filp->private_data;
	struct zio_sink to = zio_sink_of(iter);
	bool nowait = zio_is_nowait(iocb);

	if (to.iter && to.room < sizeof(struct zio_control))
		return -EINVAL;
	if (to.iter)
		return chardev_go_on_reading(&chardev_ctrl, sess, to, to.room, 0, nowait);
	return zio_sink_end(&to, iter, chardev_read_plain_ctrl(sess, to.buf, to.room, nowait));
}

/* Fills the current block and queues it once full. */
static int chardev_fill_block(struct zio_session *sess, struct iov_iter *from)
{
	struct zio_block *block = sess->block;
	struct zio_block_core *core = to_block_core(block);
	size_t want = min(block->len - core->used, iov_iter_count(from));
	size_t n = zio_source_get(block->data + core->used, want, from);

	core->used += n;
	if (core->used == block->len)
		zio_session_submit(sess);
	return n != want ? -EFAULT : 0;
}

/*
 * Copies at most what a lock holder may; the channel is locked. @begun: as in
 * chardev_read_blocks(). If a block is taken away during a wait, zio_session_next() reports it.
 */
static int chardev_write_blocks(struct zio_session *sess, struct iov_iter *from,
				bool begun, bool nowait)
{
	size_t rest = 0;
	int ret;

	if (begun && sess->is_stale)
		return -ESTALE;
	if (unlikely(iov_iter_count(from) > ZIO_COPY_AT_ONCE)) {
		rest = iov_iter_count(from) - ZIO_COPY_AT_ONCE;
		iov_iter_truncate(from, ZIO_COPY_AT_ONCE);
	}
	do {
		ret = zio_session_next(sess, nowait);
		if (!ret && sess->ctrl_seen)	/* the program fills it in place */
			ret = -EBUSY;
		if (!ret)
			ret = chardev_fill_block(sess, from);
	} while (!ret && iov_iter_count(from) && !zio_must_stop());
	if (unlikely(rest))
		iov_iter_reexpand(from, iov_iter_count(from) + rest);
	return ret;
}

static ssize_t chardev_write_data(struct kiocb *iocb, struct iov_iter *from)
{
	struct zio_session *sess = iocb->ki_filp->private_data;
	struct zio_faults faults = { 0 };
	size_t all = iov_iter_count(from);
	int ret = 0;

	if (!all)
		return 0;
	if (!sess->chan->cset->ssize)
		return -EOPNOTSUPP;
	while (iov_iter_count(from) && !ret) {
		ret = zio_session_lock(sess);
		if (ret)
			break;
		ret = chardev_write_blocks(sess, from, iov_iter_count(from) != all,
					   zio_is_nowait(iocb));
		zio_session_unlock(sess);
		if (ret == -EFAULT)
			ret = zio_source_fault_in(from, &faults);
		else if (signal_pending(current))
			break;
	}
	all -= iov_iter_count(from);
	return (ssize_t)all ?: ret;
}

static int chardev_check_control(const struct zio_session *sess, const struct zio_control *ctrl)
{
	return zio_control_check(sess->chan, ctrl, sess->block->size) ?:
		zio_values_check(sess->chan->cset, ctrl);
}

/* Copies to the block everything the control says except the length. */
static void chardev_describe_block(struct zio_session *sess, const struct zio_control *ctrl)
{
	struct zio_block *block = sess->block;

	block->tstamp = ctrl->tstamp;
	if (unlikely(block->values))
		zio_block_take_values(sess->chan, block, ctrl);
}

/* The program has written the samples into the block of chardev_offer_block(). */
static int chardev_submit_in_place(struct zio_session *sess, struct zio_control *ctrl)
{
	struct zio_block *block = sess->block;
	struct zio_block_core *core = to_block_core(block);
	int ret = chardev_check_control(sess, ctrl);

	if (ret)
		return ret;
	if (zio_control_offset(ctrl) != core->mem_offset)
		return -EINVAL;
	core->used = (size_t)ctrl->nsamples * sess->chan->cset->ssize;
	chardev_describe_block(sess, ctrl);
	zio_session_submit(sess);
	return 0;
}

/*
 * Offers an empty block for the program to fill in place. The control says where the block is and
 * how many samples fit.
 */
static int chardev_offer_block(struct zio_session *sess, struct zio_sink *to, bool nowait)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block *block;
	int ret;

	if (READ_ONCE(chan->cset->gone))
		return -ENODEV;
	if (!chan->buf->area)
		return -EOPNOTSUPP;
	ret = zio_session_next_full(sess, nowait);
	if (ret)
		return ret;
	block = sess->block;
	if (to_block_core(block)->used)
		return -EBUSY;
	block->len = block->size;
	to_block_core(block)->seq = chan->seq;
	/* If memory is missing and this call starts over, the block keeps its alarms. */
	if (zio_cset_is_stream(chan->cset) && atomic_read(&chan->alarms_new))
		zio_block_take_alarms(chan, block);
	zio_block_snapshot(chan, block);
	chardev_fill_control(sess, block);
	zio_share_ops->describe(chan, &sess->ctrl);
	ret = chardev_put_control(sess, to);
	if (!ret)
		WRITE_ONCE(sess->ctrl_seen, true);
	return ret;
}

static ssize_t chardev_read_ctrl_out(struct kiocb *iocb, struct iov_iter *iter)
{
	struct zio_sink to = { .iter = iter, .room = iov_iter_count(iter) };
	struct zio_session *sess = iocb->ki_filp->private_data;
	struct zio_faults faults = { 0 };
	size_t all = to.room;
	int ret = 0;

	if (all < sizeof(struct zio_control))
		return -EINVAL;
	while (to.room == all && !ret) {
		ret = zio_session_lock(sess);
		if (ret)
			break;
		ret = chardev_offer_block(sess, &to, zio_is_nowait(iocb));
		zio_session_unlock(sess);
		if (ret == -EFAULT)
			ret = zio_sink_fault_in(&to, &faults);
	}
	return ret ?: (ssize_t)sizeof(struct zio_control);
}

/*
 * ZIO 1.x programs write a control without a version and with any sample size. Use the version
 * and the sample size of the set. Without a number of samples, a set with samples plays a whole
 * block. A set that only tells the time has no samples.
 */
static void chardev_complete_control(const struct zio_session *sess, struct zio_control *ctrl)
{
	unsigned int ssize = sess->chan->cset->ssize;

	if (ctrl->major_version)
		return;
	ctrl->major_version = ZIO_MAJOR_VERSION;
	ctrl->ssize = ssize;
	if (!ssize)
		ctrl->nsamples = 0;
	else if (!ctrl->nsamples)
		ctrl->nsamples = sess->block->size / ssize;
}

static int chardev_take_control(struct zio_session *sess, struct iov_iter *from,
				bool nowait)
{
	struct zio_control *ctrl = &sess->ctrl;
	size_t n;
	int ret;

	/* sess->ctrl stops belonging to a snapshot. */
	zio_snapshot_put(sess->snap);
	sess->snap = NULL;
	n = zio_source_get(ctrl, sizeof(*ctrl), from);
	if (n != sizeof(*ctrl)) {
		iov_iter_revert(from, n);
		return -EFAULT;
	}
	/* ZIO 1.x programs fill in the values, but neither mask nor version. */
	if (!ctrl->major_version && !ctrl->attr_channel.ext_mask)
		ctrl->attr_channel.ext_mask = U32_MAX;
	/* A control this output offered may say how it took its last shared block. */
	if ((ctrl->flags & ZIO_CONTROL_SHARED) && !zio_control_names(ctrl, sess->chan)) {
		ret = zio_share_ops->submit(sess);
		if (ret != -EAGAIN || nowait)
			return ret;
		/* Another thread may use the session during this sleep: copy the control again. */
		iov_iter_revert(from, sizeof(*ctrl));
		return zio_session_next(sess, false) ?: -EAGAIN;
	}
	if (sess->block && sess->ctrl_seen)
		return chardev_submit_in_place(sess, ctrl);
	ret = zio_session_next_full(sess, nowait);
	if (ret)
		return ret;
	chardev_complete_control(sess, ctrl);
	ret = chardev_check_control(sess, ctrl);
	if (ret)
		return ret;
	if (to_block_core(sess->block)->used)
		return -EBUSY;
	sess->block->len = (size_t)ctrl->nsamples * sess->chan->cset->ssize;
	chardev_describe_block(sess, ctrl);
	if (!sess->block->len)
		zio_session_submit(sess);
	return 0;
}

/* Takes one control. If the set has samples, the data follows by write(). */
static ssize_t chardev_write_ctrl(struct kiocb *iocb, struct iov_iter *from)
{
	struct zio_session *sess = iocb->ki_filp->private_data;
	struct zio_faults faults = { 0 };
	bool nowait = zio_is_nowait(iocb);
	int ret;

	if (iov_iter_count(from) < sizeof(struct zio_control))
		return -EINVAL;
	do {
		ret = zio_session_lock(sess);
		if (ret)
			break;
		ret = chardev_take_control(sess, from, nowait);
		zio_session_unlock(sess);
		if (!ret)
			return sizeof(struct zio_control);
		if (ret == -EFAULT)
			ret = zio_source_fault_in(from, &faults);
	} while (!ret || (ret == -EAGAIN && !nowait));
	return ret;
}

/* Maps samples by mem_offset: for reading on inputs, for writing on outputs. */
static int chardev_map_data(struct file *file, struct vm_area_struct *vma)
{
	struct zio_session *sess = file->private_data;
	struct zio_channel_core *chan = sess->chan;
	struct zio_area *area = zio_area_get(&chan->data_area);
	int ret;

	if (!area)
		return -ENODEV;
	ret = zio_area_map(area, vma, file->f_mode & FMODE_WRITE);
	zio_area_put(area);
	return ret;
}

static int chardev_map_ring(struct file *file, struct vm_area_struct *vma)
{
	struct zio_session *sess = file->private_data;

	if (!zio_has_ring(file))
		return -EACCES;
	if (READ_ONCE(sess->chan->cset->gone))
		return -ENODEV;
	return zio_ring_map(sess->chan->ring, vma);
}

/* Only a node's ring is charged. */
static void chardev_show_fdinfo(struct seq_file *to, struct file *file)
{
	const struct zio_session *sess = file->private_data;

	if (zio_has_ring(file))
		zio_charge_show(&sess->chan->ring->charge, to);
}

/* Some nodes refuse these calls. Each function below adds those its node accepts. */
static long chardev_ioctl_ctrl_out(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == ZIO_IOC_FLUSH || cmd == ZIO_IOC_TAP || cmd == ZIO_IOC_DMABUF)
		return -EINVAL;
	return zio_share_ops->ioctl(file, cmd, arg);
}

static long chardev_ioctl_ctrl_in(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == ZIO_IOC_FLUSH)
		return zio_node_flush(file);
	return chardev_ioctl_ctrl_out(file, cmd, arg);
}

static long chardev_ioctl_data_out(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == ZIO_IOC_DMABUF)
		return zio_node_export(file, (struct zio_dmabuf __user *)arg);
	return chardev_ioctl_ctrl_out(file, cmd, arg);
}

static long chardev_ioctl_data_in(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == ZIO_IOC_FLUSH)
		return zio_node_flush(file);
	if (cmd == ZIO_IOC_TAP)
		return zio_tap_open(file);
	return chardev_ioctl_data_out(file, cmd, arg);
}

/* The read() of a ring fails at once, so there is nothing to wait for. */
static ssize_t chardev_splice_ctrl(struct file *in, loff_t *pos, struct pipe_inode_info *pipe,
				   size_t len, unsigned int flags)
{
	return zio_has_ring(in) ? zio_copy_splice_read(in, pos, pipe, len, flags) :
				  zio_splice_read(in, pos, pipe, len, flags);
}

const struct file_operations zio_data_in_fops = {
	.owner = THIS_MODULE,
	.release = chardev_close,
	.unlocked_ioctl = chardev_ioctl_data_in,
	.compat_ioctl = compat_ptr_ioctl,
	.read = chardev_read_data_plain,
	.read_iter = chardev_read_data_iter,
	.splice_read = zio_splice_read,
	.poll = zio_poll_data_in,
	.mmap = chardev_map_data,
};

const struct file_operations zio_ctrl_in_fops = {
	.owner = THIS_MODULE,
	.release = chardev_close,
	.unlocked_ioctl = chardev_ioctl_ctrl_in,
	.compat_ioctl = compat_ptr_ioctl,
	.read = chardev_read_ctrl_plain,
	.read_iter = chardev_read_ctrl_iter,
	.splice_read = chardev_splice_ctrl,
	.poll = zio_poll_ctrl_in,
	.mmap = chardev_map_ring,
	.show_fdinfo = chardev_show_fdinfo,
};

const struct file_operations zio_data_out_fops = {
	.owner = THIS_MODULE,
	.release = chardev_close,
	.unlocked_ioctl = chardev_ioctl_data_out,
	.compat_ioctl = compat_ptr_ioctl,
	.write_iter = chardev_write_data,
	.fsync = zio_node_sync,
	.splice_write = iter_file_splice_write,
	.poll = zio_poll_out,
	.mmap = chardev_map_data,
};

const struct file_operations zio_ctrl_out_fops = {
	.owner = THIS_MODULE,
	.release = chardev_close,
	.unlocked_ioctl = chardev_ioctl_ctrl_out,
	.compat_ioctl = compat_ptr_ioctl,
	.read_iter = chardev_read_ctrl_out,
	.write_iter = chardev_write_ctrl,
	.fsync = zio_node_sync,
	.poll = zio_poll_out,
};

/* Returns the session of an open node, or NULL if @file is not a node. */
struct zio_session *zio_session_of_file(const struct file *file)
{
	return file->f_op->release == chardev_close ? file->private_data : NULL;
}
