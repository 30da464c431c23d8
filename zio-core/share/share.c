// SPDX-License-Identifier: GPL-2.0-only
/*
 * share.c: an output plays the memory of an input's block
 *
 * The queue of an output has only blocks of the output's own buffer. So the queue is
 * never full, and a writer waits for room as without sharing. Such a block borrows the
 * memory of an input's block from when it is queued until the core puts it
 * (zio_output_put()).
 *
 * The input's block is *shared* meanwhile, and its users are counted (engine/mem.c):
 *
 *   the hand   of the reader that submits it with ZIO_CONTROL_KEEP; or of the route
 *              that gives it to its outputs (route.c)
 *   an output  for each of its blocks that borrows the memory
 *
 *   hand --submit--> output            hand --submit, KEEP--> hand and output
 *   hand --read on, close, drain--> .  output --played, dropped, drained--> .
 *
 * A relation ("tie") between two sessions says which input's blocks a writer may
 * name: the file descriptor that he shows is his permission. It is a weak one:
 * it keeps the memory of the input's session, but not the session open. What
 * has been submitted does not depend on it.
 *
 * Locks: the output's chan->lock, then the input's, nested. Nothing of the user's is
 * copied under the second one.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "share/internal.h"

/* No output and no session uses the block any more. Any context. */
static void release_share(struct zio_mem *mem)
{
	struct zio_block_core *core = container_of(mem, struct zio_block_core, share);
	struct zio_buffer *buf = mem->buf;

	zio_buffer_take_back(buf, &core->block);
	zio_buffer_put_async(buf);
}

/* The memory of the input's block takes the place of the output's own. */
static void use_memory(struct zio_channel_core *out, struct zio_block *out_block,
		       struct zio_block *block, void *data)
{
	const struct zio_buffer_ops *ops = out->buf->type->ops;
	size_t len = out_block->len;

	if (ops->trim) {
		out_block->len = 0;
		ops->trim(out->buf, out_block);
		out_block->len = len;
	}
	zio_block_borrow(out_block, to_block_core(block)->mem, data);
}

/* Why an output cannot play memory where it is; 0: it can. */
static int find_obstacle(const struct zio_cset_core *cset, const struct zio_block *block,
			 const void *data, size_t len)
{
	if (zio_block_is_pinned(block))
		return -ETXTBSY;
	if (cset->align && !IS_ALIGNED((unsigned long)data, cset->align))
		return -EDOM;
	if (cset->dma_bits && !zio_memory_is_below(data, len, cset->dma_bits))
		return -EOVERFLOW;
	return 0;
}

/* What the output tells of it. */
static void note_share(struct zio_channel_core *out, int reason, size_t len)
{
	struct zio_share_info info = {
		.how = reason ? ZIO_SHARE_COPIED : ZIO_SHARE_SHARED,
		.error = -reason,
	};

	WRITE_ONCE(out->share_how, info.how);
	WRITE_ONCE(out->share_error, info.error);
	if (!reason) {
		WRITE_ONCE(out->shared, out->shared + 1);
		return;
	}
	WRITE_ONCE(out->copied, out->copied + 1);
	WRITE_ONCE(out->copied_bytes, out->copied_bytes + len);
}

/**
 * zio_share_copy() - copy samples of an input's block to a block of an output
 * @out: the output; the caller has its users' side
 * @out_block: an empty block of it, with room for them
 * @block: the input's, in the caller's hand
 * @range: which of its samples, by bytes
 * @reason: why they are not shared, below 0
 *
 * Any context. It is counted, and told.
 */
void zio_share_copy(struct zio_channel_core *out, struct zio_block *out_block,
		    const struct zio_block *block, struct zio_range range, int reason)
{
	out_block->len = range.len;
	memcpy(out_block->data, block->data + range.pos, range.len);
	note_share(out, reason, range.len);
}

/**
 * zio_share_fill() - give samples of an input's block to a block of an output
 * @out: the output; the caller has its users' side
 * @out_block: an empty block of it, with room for them
 * @buf: the buffer of the input
 * @block: its block, in the caller's hand
 * @range: which of its samples, by bytes
 * @only: rather fail than copy
 *
 * Any context. The memory is shared if that can be; else the samples are copied.
 *
 * Return: 0; if @only, why it cannot be shared: -ETXTBSY, pages of the block are in a
 * pipe; -EDOM, the samples begin where the output cannot; -EOVERFLOW, it does not
 * reach them. Then nothing has happened.
 */
int zio_share_fill(struct zio_channel_core *out, struct zio_block *out_block,
		   struct zio_buffer *buf, struct zio_block *block,
		   struct zio_range range, bool only)
{
	void *data = block->data + range.pos;
	int reason = find_obstacle(out->cset, block, data, range.len);

	if (reason && only)
		return reason;
	if (reason) {
		zio_share_copy(out, out_block, block, range, reason);
		return 0;
	}
	out_block->len = range.len;
	if (!to_block_core(block)->mem)
		zio_block_set_mem(block, &to_block_core(block)->share, buf,
				  release_share);
	use_memory(out, out_block, block, data);
	note_share(out, 0, range.len);
	return 0;
}

/* The output says in a control how the last one was taken. */
void zio_share_describe(const struct zio_channel_core *out, struct zio_control *ctrl)
{
	struct zio_share_info info = {
		.how = READ_ONCE(out->share_how),
		.error = READ_ONCE(out->share_error),
	};

	if (info.how == ZIO_SHARE_SHARED)
		ctrl->flags |= ZIO_CONTROL_SHARED;
	else
		ctrl->flags &= ~ZIO_CONTROL_SHARED;
	if (ctrl->tlv[0].type && ctrl->tlv[0].type != ZIO_TLV_SHARE)
		return;
	ctrl->tlv[0].type = ZIO_TLV_SHARE;
	ctrl->tlv[0].length = 1;
	memcpy(ctrl->tlv[0].payload, &info, sizeof(info));
}

/* That of the input that the output's session is tied to; it is locked, too. */
static int lock_source(struct zio_session *source)
{
	if (mutex_lock_killable_nested(&source->chan->lock, SINGLE_DEPTH_NESTING))
		return -ERESTARTSYS;
	return 0;
}

static void unlock_source(struct zio_session *source)
{
	mutex_unlock(&source->chan->lock);
}

/* What the reader has in hand under that number; or why he has not. */
static struct zio_block *find_in_hand(struct zio_session *source, u32 seq)
{
	struct zio_block_core *block;

	if (source->block && to_block_core(source->block)->seq == seq)
		return source->block;
	list_for_each_entry(block, &source->more, link)
		if (block->seq == seq)
			return &block->block;
	if (source->snap && (s32)(seq - source->ctrl.seq_num) <= 0)
		return ERR_PTR(-ESTALE);
	return ERR_PTR(-ENOENT);
}

/*
 * Which of the block's samples the control names. Blocks of a set without samples
 * are empty: there is one position.
 */
static int find_range(const struct zio_block *block,
		      const struct zio_control *ctrl, struct zio_range *range)
{
	u64 pos = zio_control_offset(ctrl) - to_block_core(block)->mem_offset;
	size_t len = (size_t)ctrl->nsamples * ctrl->ssize;

	if (pos > block->len || len > block->len - pos)
		return -EMSGSIZE;
	if (ctrl->ssize && (size_t)pos % ctrl->ssize)
		return -EMSGSIZE;
	*range = (struct zio_range){ .pos = pos, .len = len };
	return 0;
}

/* Without KEEP. What it was is the output's alone now, or has been copied. */
static void leave_hand(struct zio_session *source, struct zio_block *block)
{
	if (block == source->block) {
		zio_session_put(source);
		return;
	}
	list_del(&to_block_core(block)->link);
	source->n_more--;
	zio_block_put(source->chan, block);
	if (source->chan->waiters)
		zio_channel_notify_room(source->chan);
}

/* Does the control name samples that the output can take? */
static int check_control(struct zio_session *sess, const struct zio_control *ctrl)
{
	struct zio_channel_core *in = sess->source->chan;
	struct zio_channel_core *out = sess->chan;

	if (READ_ONCE(out->cset->gone))
		return -ENODEV;
	if (!sess->source->users)
		return -ENOTCONN;
	if (READ_ONCE(in->cset->gone))
		return -ENODEV;
	if (ctrl->ssize != out->cset->ssize)
		return -EINVAL;
	return zio_control_check(in, ctrl, out->buf->block_size);
}

/* Both are locked. -EAGAIN: the output is full. */
static int take_shared(struct zio_session *sess)
{
	struct zio_session *source = sess->source;
	const struct zio_control *ctrl = &sess->ctrl;
	struct zio_range range;
	struct zio_block *block;
	int ret = check_control(sess, ctrl);

	if (ret)
		return ret;
	block = find_in_hand(source, ctrl->seq_num);
	if (IS_ERR(block))
		return PTR_ERR(block);
	ret = find_range(block, ctrl, &range);
	if (!ret)
		ret = zio_session_next_full(sess, true);
	if (!ret && to_block_core(sess->block)->used)
		ret = -EBUSY;
	if (!ret)
		ret = zio_share_fill(sess->chan, sess->block, source->chan->buf,
				     block, range,
				     ctrl->flags & ZIO_CONTROL_SHARE_ONLY);
	if (!ret && !(ctrl->flags & ZIO_CONTROL_KEEP))
		leave_hand(source, block);
	return ret;
}

/**
 * share_submit() - play what a control names
 * @sess: session of an output, locked; the control is in sess->ctrl
 *
 * Return: 0; -ENOTCONN if it is not tied, or the other side was closed; -ENODEV when
 * a board is gone; -EPROTO, -ENXIO, -EINVAL, -EMSGSIZE as zio_control_check();
 * -ENOENT for a block that the reader has not; -ESTALE for one that he has given
 * back; -EBUSY while part of another block has been written; -EAGAIN without room;
 * -ERESTARTSYS; or as zio_share_fill(). On error nothing has happened.
 */
static int share_submit(struct zio_session *sess)
{
	struct zio_session *source = sess->source;
	int ret;

	if (!source)
		return -ENOTCONN;
	ret = lock_source(source);
	if (ret)
		return ret;
	ret = take_shared(sess);
	unlock_source(source);
	if (ret)
		return ret;
	to_block_core(sess->block)->used = sess->block->len;
	sess->block->tstamp = sess->ctrl.tstamp;
	zio_session_submit(sess);
	return 0;
}

/* The session is locked, or nobody has it any more. */
static void share_unlink(struct zio_session *sess)
{
	struct zio_session *source = sess->source;

	WRITE_ONCE(sess->source, NULL);
	if (source)
		zio_session_drop(source);
}

static bool is_open(struct zio_session *source)
{
	bool open;

	mutex_lock_nested(&source->chan->lock, SINGLE_DEPTH_NESTING);
	open = source->users;
	unlock_source(source);
	return open;
}

/* The output's session is locked. */
static int link_sessions(struct zio_session *sess, struct zio_session *source)
{
	struct zio_channel_core *in = source->chan;

	if (READ_ONCE(sess->chan->cset->gone) || READ_ONCE(in->cset->gone))
		return -ENODEV;
	if (READ_ONCE(in->ops) || sess->chan->ops)
		return -EBUSY;
	if (sess->source && is_open(sess->source))
		return -EISCONN;
	share_unlink(sess);
	refcount_inc(&source->ref);
	WRITE_ONCE(sess->source, source);
	return 0;
}

/* Which session the other file is of. */
static struct zio_session *check_file(struct zio_session *sess, struct file *file)
{
	struct zio_session *source = zio_session_of_file(file);

	if (!source)
		return ERR_PTR(-EINVAL);
	if (!zio_cset_is_output(source->chan->cset))
		return source;
	if (source->chan == sess->chan)
		return ERR_PTR(-ELOOP);
	return ERR_PTR(READ_ONCE(source->source) ? -EMLINK : -ENOMSG);
}

static int link_to_file(struct zio_session *sess, int fd)
{
	struct file *other = fget(fd);
	struct zio_session *source;
	int ret;

	if (!other)
		return -EBADF;
	source = check_file(sess, other);
	ret = PTR_ERR_OR_ZERO(source);
	if (!ret)
		ret = zio_session_lock(sess);
	if (ret)
		goto out;
	ret = link_sessions(sess, source);
	zio_session_unlock(sess);
out:
	fput(other);
	return ret;
}

static int unlink_session(struct zio_session *sess)
{
	int ret = zio_session_lock(sess);

	if (ret)
		return ret;
	ret = sess->source ? 0 : -ENOTCONN;
	share_unlink(sess);
	zio_session_unlock(sess);
	return ret;
}

/**
 * share_ioctl() - ZIO_IOC_SHARE
 * @file: a node
 * @cmd: the command
 * @arg: points to a file descriptor, or -1
 *
 * Return: 0; -ENOTTY for another command; -ENOMSG if @file is of an input, or the
 * other one of an output; -EFAULT; -EBADF if no file is open under that number;
 * -EINVAL if it is no node; -ELOOP if it is of the same channel; -EMLINK if it is of
 * an output that is tied itself; -ENODEV when a board is gone; -EBUSY while the
 * input has a ring, or either has a route; -EISCONN if it is tied already;
 * -ENOTCONN if it is not, and -1 was given.
 */
static long share_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct zio_session *sess = file->private_data;
	int fd;

	if (cmd != ZIO_IOC_SHARE)
		return -ENOTTY;
	if (!zio_cset_is_output(sess->chan->cset))
		return -ENOMSG;
	if (get_user(fd, (int __user *)arg))
		return -EFAULT;
	return fd == -1 ? unlink_session(sess) : link_to_file(sess, fd);
}

const struct zio_share_ops zio_node_share_ops = {
	.ioctl = share_ioctl,
	.submit = share_submit,
	.describe = zio_share_describe,
	.unlink = share_unlink,
};
