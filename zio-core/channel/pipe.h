/* SPDX-License-Identifier: GPL-2.0-only */
/* pipe.h: splice() of the nodes (pipe.c), and blocks that pipes pin (splice.c) */
#ifndef _ZIO_PIPE_H
#define _ZIO_PIPE_H

#include <linux/pipe_fs_i.h>

#include "channel/internal.h"

/* The pinned blocks of a channel; allocated for the first pin, freed with the channel. */
struct zio_pin_list {
	spinlock_t lock; /* pins, and which of them are busy */
	struct list_head pins; /* also of buffers that were replaced */
	unsigned int n_busy;
	struct delayed_work work; /* while queued, it holds the channel */
	struct zio_channel_core *chan;
	struct file *module; /* holds it */
};

struct zio_block_pin {
	struct zio_mem mem; /* users: the session, and each pipe buffer */
	struct list_head node;
	struct zio_block *block;
	struct pid *pid; /* of the process that called splice() */
	struct zio_charge charge; /* of the user of that process */
	bool busy; /* has no user, but a socket refers to a page */
};

/* pipe.c */
ssize_t zio_pipe_copy(struct file *in, struct pipe_inode_info *pipe, size_t len);
int zio_pipe_wait_room(struct pipe_inode_info *pipe);
int zio_pipe_wait_block(struct zio_session *sess, struct pipe_inode_info *pipe,
			bool (*unless)(struct zio_session *sess, void *arg),
			void *arg);
ssize_t zio_ctrl_splice_read(struct file *in, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags);
ssize_t zio_data_splice_write(struct pipe_inode_info *pipe, struct file *out,
			      loff_t *ppos, size_t len, unsigned int flags);

#endif /* _ZIO_PIPE_H */
