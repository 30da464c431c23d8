// SPDX-License-Identifier: GPL-2.0-only
/*
 * share.c: an output plays the memory of an input's block
 *
 * The queue of an output holds only blocks of its own buffer. So the queue never overflows,
 * and a writer waits for room as it does without sharing. While such a block is queued or
 * played, it *borrows* the memory of an input's block. zio_output_put() ends the borrowing.
 *
 * Meanwhile the input's block is *shared*, and its users are counted (engine/mem.c):
 *
 *   owner   the session that submits it with ZIO_CONTROL_KEEP, or the route that passes it
 *           to its outputs (route.c)
 *   output  each block of an output that borrows the memory
 *
 *   owner --submit--> output            owner --submit, KEEP--> owner and output
 *   owner --read on, close, drain--> .  output --played, dropped, drained--> .
 *
 * A link between two sessions limits the blocks that a writer may name. The file descriptor
 * in the ioctl is the permission. The link is weak: it keeps the memory of the input's
 * session, but does not keep the session open. Submitted blocks do not depend on the link.
 *
 * Locks: the output's chan->lock, then the input's, nested. User memory is not copied under
 * the second one.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "share/internal.h"

/* Makes the output's block use the memory of the input's block instead of its own. */
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

/* Returns 0, or the reason why an output cannot play memory where it is. */
static int find_obstacle(const struct zio_cset_core *cset, const void *data, size_t len)
{
	/*
	 * The board, or the program, reaches only what the core has mapped for it: the blocks of
	 * its own buffer.
	 */
	if ((zio_cset_is_stream(cset) && cset->dma) || cset->flags & ZIO_CSET_MAPPED)
		return -EOVERFLOW;
	if (cset->align && !IS_ALIGNED((unsigned long)data, cset->align))
		return -EDOM;
	if (cset->dma_bits && !zio_memory_is_below(data, len, cset->dma_bits))
		return -EOVERFLOW;
	return 0;
}

/* Counts the block and keeps the result for zio_share_describe(). */
static void note_share(struct zio_channel_core *out, int reason, size_t len)
{
	WRITE_ONCE(out->share_how, reason ? ZIO_SHARE_COPIED : ZIO_SHARE_SHARED);
	WRITE_ONCE(out->share_error, -reason);
	if (!reason) {
		WRITE_ONCE(out->shared, out->shared + 1);
		return;
	}
	WRITE_ONCE(out->copied, out->copied + 1);
	WRITE_ONCE(out->copied_bytes, out->copied_bytes + len);
}

/*
 * Copies @len bytes of samples from a block of an input, which the caller owns, to
 * @out_block: an empty block of @out with room for them. The caller owns the user's side of
 * @out. @reason, a negative errno, says why they are not shared. Context: Any.
 */
void zio_share_copy(struct zio_channel_core *out, struct zio_block *out_block,
		    const void *data, size_t len, int reason)
{
	out_block->len = len;
	memcpy(out_block->data, data, len);
	note_share(out, reason, len);
}

/*
 * Passes the @len bytes of samples at @data, in a @block of @buf, to @out_block: an empty
 * block of @out with room for them. The caller owns @block and the user's side of @out. If
 * the output cannot play the memory, the samples are copied or, with @only, the call fails.
 * Context: Any. Returns 0; with @only, -EDOM if the board does not accept the address of
 * the samples, -EOVERFLOW if it cannot reach them. On error nothing has changed.
 */
int zio_share_fill(struct zio_channel_core *out, struct zio_block *out_block,
		   struct zio_buffer *buf, struct zio_block *block,
		   void *data, size_t len, bool only)
{
	int reason = find_obstacle(out->cset, data, len);

	if (reason && only)
		return reason;
	if (reason) {
		zio_share_copy(out, out_block, data, len, reason);
		return 0;
	}
	out_block->len = len;
	zio_block_share_mem(block, buf);
	use_memory(out, out_block, block, data);
	note_share(out, 0, len);
	return 0;
}

/* Writes into a control how the output took the block that was submitted last. */
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

/*
 * Checks that both boards exist, and that the output can take the samples of the control.
 */
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

/* Called with both channels locked. Returns as share_submit(). */
static int take_shared(struct zio_session *sess)
{
	struct zio_session *source = sess->source;
	const struct zio_control *ctrl = &sess->ctrl;
	size_t len = (size_t)ctrl->nsamples * ctrl->ssize;
	int ret = check_control(sess, ctrl);
	struct zio_block *block;
	u64 pos;

	if (ret)
		return ret;
	block = zio_session_find(source, ctrl->seq_num);
	if (!block)
		return source->snap && (s32)(ctrl->seq_num - source->ctrl.seq_num) <= 0 ?
			-ESTALE : -ENOENT;
	/* If samples have no size, the block is empty and has one position. */
	pos = zio_control_offset(ctrl) - to_block_core(block)->mem_offset;
	if (pos > block->len || len > block->len - pos ||
	    (ctrl->ssize && (size_t)pos % ctrl->ssize))
		return -EMSGSIZE;
	ret = zio_session_next_full(sess, true);
	if (!ret && to_block_core(sess->block)->used)
		ret = -EBUSY;
	if (!ret)
		ret = zio_share_fill(sess->chan, sess->block, source->chan->buf, block,
				     block->data + pos, len,
				     ctrl->flags & ZIO_CONTROL_SHARE_ONLY);
	if (!ret && !(ctrl->flags & ZIO_CONTROL_KEEP))
		zio_session_leave_block(source, block);
	return ret;
}

/*
 * Plays the samples that sess->ctrl names. @sess is a session of an output, and locked.
 * Context: Process, sleeps. Returns 0; -ENOTCONN without a link, or if the input was
 * closed; -ENODEV if a board is gone; -EPROTO, -ENXIO, -EINVAL, -EMSGSIZE as
 * zio_control_check(); -ENOENT for a block that the reader does not have; -ESTALE for one
 * that it has released; -EBUSY if part of another block has been written; -EAGAIN without
 * room; -ERESTARTSYS; or as zio_share_fill(). On error nothing has changed.
 */
static int share_submit(struct zio_session *sess)
{
	struct zio_session *source = sess->source;
	int ret;

	if (!source)
		return -ENOTCONN;
	if (mutex_lock_killable_nested(&source->chan->lock, SINGLE_DEPTH_NESTING))
		return -ERESTARTSYS;
	ret = take_shared(sess);
	mutex_unlock(&source->chan->lock);
	if (ret)
		return ret;
	to_block_core(sess->block)->used = sess->block->len;
	sess->block->tstamp = sess->ctrl.tstamp;
	if (unlikely(sess->block->values))
		zio_block_reset_values(sess->chan, sess->block);
	zio_session_submit(sess);
	return 0;
}

/* Called with the session locked, or after its last user has gone. */
static void share_unlink(struct zio_session *sess)
{
	struct zio_session *source = sess->source;

	WRITE_ONCE(sess->source, NULL);
	if (source)
		zio_session_drop(source);
}

/* Called with the output's session locked. */
static int link_sessions(struct zio_session *sess, struct zio_session *source)
{
	struct zio_channel_core *in = source->chan;
	bool is_open = false;

	if (READ_ONCE(sess->chan->cset->gone) || READ_ONCE(in->cset->gone))
		return -ENODEV;
	if (READ_ONCE(in->ops) || sess->chan->ops)
		return -EBUSY;
	if (sess->source) {
		mutex_lock_nested(&sess->source->chan->lock, SINGLE_DEPTH_NESTING);
		is_open = sess->source->users;
		mutex_unlock(&sess->source->chan->lock);
	}
	if (is_open)
		return -EISCONN;
	share_unlink(sess);
	refcount_inc(&source->ref);
	WRITE_ONCE(sess->source, source);
	return 0;
}

/* Returns the session behind the other file, or an ERR_PTR. */
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

/*
 * Handles ZIO_IOC_SHARE on a node. @arg is the user address of a file descriptor, or of -1
 * to remove the link. Context: Process, sleeps. Returns 0; -ENOTTY for another command;
 * -ENOMSG if @file belongs to an input, or the other file to an output; -EFAULT; -EBADF if
 * the descriptor is not open; -EINVAL if it is not a node; -ELOOP if it belongs to the same
 * channel; -EMLINK if it belongs to an output that has a link itself; -ENODEV if a board is
 * gone; -EBUSY while the input has a ring, or either has a route; -EISCONN if there already
 * is a link; -ENOTCONN for -1 without a link.
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
