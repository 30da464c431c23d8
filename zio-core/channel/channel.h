/* SPDX-License-Identifier: GPL-2.0-only */
/* channel.h: user sessions and nodes */
#ifndef _ZIO_CHANNEL_H
#define _ZIO_CHANNEL_H

#include "buffer/buffer.h"
#include "engine/engine.h"

struct zio_session;

/**
 * struct zio_share_ops - operations of the share folder for the nodes
 * @ioctl: ioctl of all nodes
 * @submit: plays the block that sess->ctrl names; the session is locked
 * @describe: puts into a control how the output took its last shared block
 * @unlink: drops the source of a session; the session is locked, or has no user
 */
struct zio_share_ops {
	long (*ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
	int (*submit)(struct zio_session *sess);
	void (*describe)(const struct zio_channel_core *out,
			 struct zio_control *ctrl);
	void (*unlink)(struct zio_session *sess);
};

/* session.c */
struct zio_session {
	struct list_head node;
	struct zio_channel_core *chan;
	struct pid *tgid;
	refcount_t ref; /* its users, and each session that is linked to it */
	unsigned int users;
	struct zio_session *source; /* output: linked to this one, see share.c */
	u32 dropped; /* chan->dropped at the last check */
	struct zio_block *block;
	bool ctrl_seen;
	bool is_stale; /* a block was taken away; counted in chan->n_stale */
	unsigned int n_more; /* blocks behind @block whose controls were read: */
	struct zio_block_core *more, *last;
	struct zio_snapshot *snap;
	struct zio_control ctrl;
};

void zio_session_drop(struct zio_session *sess);
void zio_sessions_drop(struct zio_channel_core *chan);
void zio_session_mark_stale(struct zio_session *sess);
void zio_channel_drop_left(struct zio_channel_core *chan);
int zio_session_wait_lock(struct zio_session *sess);
int zio_session_next(struct zio_session *sess, bool nowait);
int zio_session_next_full(struct zio_session *sess, bool nowait);
void zio_session_submit(struct zio_session *sess);
struct zio_block *zio_session_find(const struct zio_session *sess, u32 seq);
void zio_session_leave_block(struct zio_session *sess, struct zio_block *block);
void zio_session_flush(struct zio_session *sess);
void zio_channel_notify_room(struct zio_channel_core *chan);

static inline int zio_session_lock(struct zio_session *sess)
{
	if (likely(mutex_trylock(&sess->chan->lock)))
		return 0;
	return zio_session_wait_lock(sess);
}

static inline void zio_session_unlock(struct zio_session *sess)
{
	mutex_unlock(&sess->chan->lock);
}

/* Makes the next block whose control was read the current one. The session is locked. */
static inline void zio_session_advance(struct zio_session *sess)
{
	sess->block = NULL;
	if (!sess->n_more)
		return;
	sess->n_more--;
	sess->block = &sess->more->block;
	sess->more = sess->more->next;
}

/* Puts a user's block and notifies contexts that wait for room. */
static inline void zio_channel_put_block(struct zio_channel_core *chan,
					 struct zio_block *block)
{
	zio_block_put(chan, block);
	if (unlikely(chan->waiters))
		zio_channel_notify_room(chan);
}

/* Puts the session's current block. */
static inline void zio_session_put(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;

	zio_block_put(chan, sess->block);
	zio_session_advance(sess);
	if (unlikely(chan->waiters))
		zio_channel_notify_room(chan);
}

/* node.c */
int zio_nodes_init(const struct zio_share_ops *ops);
void zio_nodes_exit(void);
int zio_nodes_create(struct zio_channel_core *chan);
void zio_nodes_remove(struct zio_channel_core *chan);
struct zio_channel_core *
zio_channel_find(const char *device, unsigned int set, unsigned int index);
int zio_set_nodes_create(struct zio_cset_core *cset);
void zio_set_nodes_remove(struct zio_cset_core *cset);
void zio_channel_drain(struct zio_channel_core *chan);

/* chardev.c */
struct zio_session *zio_session_of_file(const struct file *file);

/* flush.c */
int zio_channel_flush(struct zio_channel_core *chan);

/* export.c */

/**
 * struct zio_dmabuf_ops - operations of the module zio-dmabuf
 * @owner: the module; each dma-buf holds it
 * @export: makes a dma-buf of memory of a data node, for a program's struct zio_dmabuf.
 *          Returns 0 or an error
 */
struct zio_dmabuf_ops {
	struct module *owner;
	long (*export)(struct file *file, struct zio_dmabuf __user *to);
};

void zio_dmabuf_set_ops(const struct zio_dmabuf_ops *ops);

/* sniff.c */
int zio_sniff_init(void);
void zio_sniff_exit(void);

#endif /* _ZIO_CHANNEL_H */
