// SPDX-License-Identifier: GPL-2.0-only
/*
 * pipe.c: splice() by copy, and waits without the pipe's lock
 *
 * The kernel calls splice_read() and splice_write() with the pipe locked. Other users of
 * the pipe wait for that lock and cannot be killed meanwhile. A block may take any time to
 * come. So the nodes move what they can at once, unlock the pipe, sleep, lock it, and look
 * again. sendfile() uses a pipe of its own without a lock: pipe_lock() and pipe_unlock() do
 * nothing with it.
 *
 * Other users may fill or close the pipe meanwhile: the nodes check both with the lock
 * held.
 */
#include <linux/bvec.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include "channel/pipe.h"

static unsigned int count_room(const struct pipe_inode_info *pipe)
{
	unsigned int used = pipe_occupancy(READ_ONCE(pipe->head),
					   READ_ONCE(pipe->tail));
	unsigned int most = READ_ONCE(pipe->max_usage);

	return used < most ? most - used : 0;
}

/* A write to a pipe without a reader fails at once: there is no need to wait. */
static bool can_go_on(const struct pipe_inode_info *pipe)
{
	return count_room(pipe) || !READ_ONCE(pipe->readers);
}

/**
 * zio_pipe_wait_room() - sleep until a pipe has room
 * @pipe: the pipe, locked; unlocked while the function sleeps
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ERESTARTSYS.
 */
int zio_pipe_wait_room(struct pipe_inode_info *pipe)
{
	int ret = 0;

	while (!ret && !can_go_on(pipe)) {
		pipe_unlock(pipe);
		ret = wait_event_interruptible(pipe->wr_wait, can_go_on(pipe));
		pipe_lock(pipe);
	}
	return ret;
}

/* As zio_session_next_unless(), but the session is not locked. */
static int get_block(struct zio_session *sess,
		     bool (*unless)(struct zio_session *sess, void *arg),
		      void *arg)
{
	int ret = zio_session_lock(sess);

	if (ret)
		return ret;
	ret = zio_session_next_unless(sess, unless, arg);
	zio_session_unlock(sess);
	return ret;
}

/**
 * zio_pipe_wait_block() - sleep until a session has a block
 * @sess: the session
 * @pipe: the pipe, locked; unlocked while the function sleeps
 * @unless: as for zio_session_next_unless()
 * @arg: for @unless
 *
 * Another thread may have taken the block when the function returns.
 *
 * Context: Process, sleeps.
 *
 * Return: as zio_session_next_unless().
 */
int zio_pipe_wait_block(struct zio_session *sess, struct pipe_inode_info *pipe,
			bool (*unless)(struct zio_session *sess, void *arg),
			void *arg)
{
	int ret;

	pipe_unlock(pipe);
	ret = get_block(sess, unless, arg);
	pipe_lock(pipe);
	return ret;
}

static void free_pages_from(struct kvec *vec, unsigned int first, unsigned int n)
{
	for (; first < n; first++)
		free_page((unsigned long)vec[first].iov_base);
	kvfree(vec);
}

static struct kvec *alloc_pages_for(unsigned int n)
{
	struct kvec *vec = kvcalloc(n, sizeof(*vec), GFP_KERNEL);
	unsigned int i;

	for (i = 0; vec && i < n; i++) {
		vec[i].iov_base = (void *)__get_free_page(GFP_KERNEL_ACCOUNT);
		if (!vec[i].iov_base) {
			free_pages_from(vec, 0, i);
			return NULL;
		}
		vec[i].iov_len = PAGE_SIZE;
	}
	return vec;
}

/* Reads the blocks that are queued; does not sleep. */
static ssize_t read_now(struct file *in, struct kvec *vec, unsigned int n, size_t len)
{
	struct iov_iter to;
	struct kiocb iocb;

	init_sync_kiocb(&iocb, in);
	iocb.ki_flags |= IOCB_NOWAIT;
	iov_iter_kvec(&to, READ, vec, n, len);
	return in->f_op->read_iter(&iocb, &to);
}

/*
 * The pipe has room and a reader. Returns the number of pages that the pipe owns now.
 */
static unsigned int give_pages(struct pipe_inode_info *pipe, struct kvec *vec,
			       size_t len)
{
	unsigned int i;

	for (i = 0; len; i++) {
		struct pipe_buffer buf = {
			.page = virt_to_page(vec[i].iov_base),
			.len = min_t(size_t, len, PAGE_SIZE),
			.ops = &nosteal_pipe_buf_ops,
		};

		len -= buf.len;
		add_to_pipe(pipe, &buf);
	}
	return i;
}

/**
 * zio_pipe_copy() - read a node into a pipe
 * @in: the node
 * @pipe: the pipe, locked
 * @len: bytes
 *
 * Context: Process; does not sleep for a block.
 *
 * Return: as read() without O_NONBLOCK, but -EAGAIN where that sleeps, or if the pipe is
 * full; -EPIPE, with SIGPIPE, if the pipe has no reader; -ENOMEM.
 */
ssize_t zio_pipe_copy(struct file *in, struct pipe_inode_info *pipe, size_t len)
{
	unsigned int n = min_t(size_t, DIV_ROUND_UP(len, PAGE_SIZE), count_room(pipe));
	unsigned int given = 0;
	struct kvec *vec;
	ssize_t ret;

	if (!len)
		return 0;
	if (!pipe->readers) {
		send_sig(SIGPIPE, current, 0);
		return -EPIPE;
	}
	if (!n)
		return -EAGAIN;
	vec = alloc_pages_for(n);
	if (!vec)
		return -ENOMEM;
	ret = read_now(in, vec, n, min_t(size_t, len, n * PAGE_SIZE));
	if (ret > 0)
		given = give_pages(pipe, vec, ret);
	free_pages_from(vec, given, n);
	return ret;
}

/**
 * zio_ctrl_splice_read() - splice_read() of the controls of an input
 * @in: the node
 * @ppos: ignored
 * @pipe: the pipe, locked; unlocked while the function sleeps
 * @len: bytes
 * @flags: ignored: O_NONBLOCK of the file tells whether to sleep, as for read()
 *
 * Context: Process, sleeps.
 *
 * Return: as zio_pipe_copy(); -ERESTARTSYS.
 */
ssize_t zio_ctrl_splice_read(struct file *in, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags)
{
	struct zio_session *sess = in->private_data;
	ssize_t ret;

	do {
		ret = zio_pipe_copy(in, pipe, len);
		if (ret != -EAGAIN || (in->f_flags & O_NONBLOCK))
			break;
		ret = zio_pipe_wait_block(sess, pipe, NULL, NULL) ?:
		      zio_pipe_wait_room(pipe);
	} while (!ret);
	return ret;
}

/* Writes what the output takes at once; does not sleep. */
static int write_now(struct pipe_inode_info *pipe, struct pipe_buffer *buf,
		     struct splice_desc *sd)
{
	struct bio_vec vec = {
		.bv_page = buf->page,
		.bv_offset = buf->offset,
		.bv_len = sd->len,
	};
	struct file *out = sd->u.file;
	struct iov_iter from;
	struct kiocb iocb;

	init_sync_kiocb(&iocb, out);
	iocb.ki_flags |= IOCB_NOWAIT;
	iov_iter_bvec(&from, WRITE, &vec, 1, sd->len);
	return out->f_op->write_iter(&iocb, &from);
}

/* Writes what the output takes at once. Waits for an empty pipe. */
static ssize_t write_some(struct pipe_inode_info *pipe, struct file *out, size_t len,
			  unsigned int flags)
{
	struct splice_desc sd = {
		.total_len = len,
		.flags = flags,
		.u.file = out,
	};

	return __splice_from_pipe(pipe, &sd, write_now);
}

/* The output had no room: the pipe still has data. */
static bool can_sleep(const struct pipe_inode_info *pipe, const struct file *out)
{
	return !(out->f_flags & O_NONBLOCK) && !pipe_empty(pipe->head, pipe->tail);
}

/**
 * zio_data_splice_write() - splice_write() of the data of an output
 * @pipe: the pipe; not locked
 * @out: the node
 * @ppos: ignored
 * @len: bytes
 * @flags: flags of splice(): whether to wait for an empty pipe. O_NONBLOCK of the file tells
 *         whether to wait for room in the output, as for write()
 *
 * Context: Process, sleeps.
 *
 * Return: bytes, as many as @len or as the pipe had; or an error of write().
 */
ssize_t zio_data_splice_write(struct pipe_inode_info *pipe, struct file *out,
			      loff_t *ppos, size_t len, unsigned int flags)
{
	struct zio_session *sess = out->private_data;
	size_t done = 0;
	ssize_t ret;

	pipe_lock(pipe);
	do {
		ret = write_some(pipe, out, len - done, flags);
		if (ret > 0)
			done += ret;
		if (ret == -EAGAIN && can_sleep(pipe, out))
			ret = zio_pipe_wait_block(sess, pipe, NULL, NULL) ?: 1;
	} while (ret > 0 && done < len &&
		 !(done && pipe_empty(pipe->head, pipe->tail)));
	pipe_unlock(pipe);
	return done ?: ret;
}
