/* SPDX-License-Identifier: GPL-2.0-only */
/* pipe.h: splice() of the nodes: see pipe.c; and what is lent to pipes: see splice.c */
#ifndef _ZIO_PIPE_H
#define _ZIO_PIPE_H

#include <linux/pipe_fs_i.h>

#include "channel/internal.h"

/* Of a channel that has ever lent a block; lives as long as it. */
struct zio_lender {
	spinlock_t lock; /* loans, and what they are of */
	struct list_head loans; /* the recalled ones, too */
	unsigned int n_blocks; /* that are not back */
	struct delayed_work work;
	struct zio_channel_core *chan;
	struct file *pin;
};

struct zio_loan {
	refcount_t ref; /* the session, and each pipe buffer */
	struct list_head node;
	struct zio_channel_core *chan;
	struct zio_area *area;
	struct zio_block *block; /* NULL: recalled */
	size_t len;
	struct pid *lent_to;
	const struct cred *owner; /* of the process that has pinned the pages */
	unsigned long pages;
	bool late;
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
