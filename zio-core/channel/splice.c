// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice.c: splice() from a node to a pipe
 *
 * The kernel calls splice_read() with the pipe locked. Other users of the pipe then wait unkillably
 * for its lock, while a block may take any time to arrive. So the node unlocks the pipe to sleep,
 * locks it and looks again. Then the kernel's helper reads what is there by read_iter(). It sleeps
 * only if another thread of the session was faster. A sendfile() to a file that is not a pipe does
 * not come here, because the node has no offset.
 */
#include <linux/fs.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/splice.h>

#include "channel/internal.h"

struct sleeper {
	poll_table pt;
	wait_queue_head_t *wq;
	wait_queue_entry_t entry;
};

/* Each node's poll() first calls this with the queue it would wait in. */
static void splice_enter_queue(struct file *file, wait_queue_head_t *wq, poll_table *pt)
{
	struct sleeper *sleeper = container_of(pt, struct sleeper, pt);

	sleeper->wq = wq;
	add_wait_queue(wq, &sleeper->entry);
}

/* Sleeps until read() finds something. */
static int splice_wait_input(struct file *in)
{
	struct sleeper sleeper = {
		.entry = { .private = current, .func = woken_wake_function },
	};
	int ret = 0;

	init_poll_funcptr(&sleeper.pt, splice_enter_queue);
	while (!vfs_poll(in, &sleeper.pt)) {
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		sleeper.pt._qproc = NULL;
		wait_woken(&sleeper.entry, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
	}
	remove_wait_queue(sleeper.wq, &sleeper.entry);
	return ret;
}

/* A pipe without readers accepts nothing, so there is no point in waiting. */
static bool splice_has_room(const struct pipe_inode_info *pipe)
{
	return !READ_ONCE(pipe->readers) ||
		!pipe_full(READ_ONCE(pipe->head), READ_ONCE(pipe->tail),
			   READ_ONCE(pipe->max_usage));
}

/*
 * The splice_read() of nodes. @pipe is locked, except during a sleep. SPLICE_F_NONBLOCK acts like
 * O_NONBLOCK; @ppos is ignored. Returns as read(); -EPIPE, with SIGPIPE, if the pipe has no reader;
 * -ENOMEM.
 */
ssize_t zio_splice_read(struct file *in, loff_t *ppos, struct pipe_inode_info *pipe,
			size_t len, unsigned int flags)
{
	bool nowait = (flags & SPLICE_F_NONBLOCK) || (in->f_flags & O_NONBLOCK);
	int ret;

	while (!vfs_poll(in, NULL) || !splice_has_room(pipe)) {
		if (nowait)
			return -EAGAIN;
		pipe_unlock(pipe);
		ret = (vfs_poll(in, NULL) ? 0 : splice_wait_input(in)) ?:
		      wait_event_interruptible(pipe->wr_wait, splice_has_room(pipe));
		pipe_lock(pipe);
		if (ret)
			return ret;
	}
	if (!pipe->readers) {
		send_sig(SIGPIPE, current, 0);
		return -EPIPE;
	}
	return zio_copy_splice_read(in, ppos, pipe, len, flags);
}
