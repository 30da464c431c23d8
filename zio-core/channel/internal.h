/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: declarations shared by the files of channel */
#ifndef _ZIO_CHANNEL_INTERNAL_H
#define _ZIO_CHANNEL_INTERNAL_H

#include <linux/sched/signal.h>

#include "channel/channel.h"

/* session.c */
struct zio_session *zio_session_open(struct zio_channel_core *chan);
void zio_session_close(struct zio_session *sess);
int zio_session_try_slow(struct zio_session *sess);
int zio_session_wait(struct zio_session *sess);
void zio_session_pull_ahead(struct zio_session *sess, size_t n);
struct zio_block *zio_session_fetch(struct zio_session *sess);
void zio_session_hold(struct zio_session *sess, struct zio_block *block);
void zio_channel_note_readers(struct zio_channel_core *chan);
void zio_channel_requeue(struct zio_channel_core *chan, struct zio_block *block);

/* A reader has taken the block from the queue or the engine. */
static __always_inline void zio_channel_note_taken(struct zio_channel_core *chan,
						   struct zio_block *block)
{
	if (unlikely(to_block_core(block)->seq != chan->next_seq)) {
		zio_block_take_dropped(chan, block);
		chan->gap_is_unknown = false;
	}
	if (trace_zio_block_read_enabled())
		zio_trace_read(chan, block);
	chan->next_seq = to_block_core(block)->seq + 1;
	to_block_core(block)->used = 0;
}

/* Makes an input's next block the current one. Returns -EAGAIN if there is none. */
static __always_inline int zio_session_try_input(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;
	struct zio_block *block;

	if (unlikely(chan->slowpath))
		return zio_session_try_slow(sess);
	block = zio_queue_pop(&chan->queue);
	if (!block) {
		block = zio_cset_pull(chan);
		if (IS_ERR(block))
			return PTR_ERR(block);
	}
	zio_channel_note_taken(chan, block);
	WRITE_ONCE(sess->ctrl_seen, false);
	sess->block = block;
	return 0;
}

/* Returns true if a reader would find a block. The channel is locked or being polled. */
static inline bool zio_channel_has_block(const struct zio_channel_core *chan)
{
	return zio_queue_count(&chan->queue) || !list_empty(&chan->unread);
}

/* file.c */
extern const struct zio_share_ops *zio_share_ops;
void zio_channel_get(struct zio_channel_core *chan);
void zio_channel_put(struct zio_channel_core *chan);
int zio_cset_get_file(struct zio_cset_core *cset);
void zio_cset_put_file(struct zio_cset_core *cset);

/* splice.c */
ssize_t zio_splice_read(struct file *in, loff_t *ppos, struct pipe_inode_info *pipe,
			size_t len, unsigned int flags);

/* ring.c */
struct zio_ring {
	const struct zio_channel_ops *ops; /* of its channels */
	struct zio_area *area;
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	u64 *filled; /* ids of the snapshots in the slots */
	const unsigned int *head; /* as hdr->head, which the program may overwrite */
	unsigned int mask; /* of what the head counts */
	int error; /* of a driver that a poll has armed */
	struct zio_channel_core *const *chan; /* users sleep in the wait queue of the first */
	unsigned int n_chan; /* more than one: the ring of a set */
	struct zio_charge charge;

	/* of a set, see set-ring.c: */
	u32 *entry; /* numbers of slots, for the program; else NULL */
	u16 *entry_chan; /* of each entry */
	u32 stride; /* slots of each channel */
	u32 pushed, passed; /* entries; the latter follows hdr->tail, when blocks are taken back */
	u64 lost; /* by all channels */
	struct zio_cset_notifier notifier;
};

struct zio_ring *zio_ring_open(struct zio_channel_core *const *chan, unsigned int n,
			       const struct zio_channel_ops *ops,
			       void (*done)(struct zio_cset_notifier *notifier));
void zio_ring_close(struct zio_channel_core *chan, unsigned int own_files);
void zio_ring_stop(struct zio_channel_core *chan);
int zio_ring_map(struct zio_ring *ring, struct vm_area_struct *vma);

/*
 * Returns how many blocks the program has not passed; 0 if the tail is out of range. The caller has
 * the ring's file or owns the phase.
 */
static inline u32 zio_ring_count(const struct zio_ring *ring)
{
	u32 n = READ_ONCE(*ring->head) - READ_ONCE(ring->hdr->tail);

	return n <= ring->mask + 1 ? n : 0;
}

static inline u32 zio_ring_flags(const struct zio_cset_core *cset)
{
	return READ_ONCE(cset->on_demand) || READ_ONCE(cset->rearm) ? 0 : ZIO_RING_EVENTS;
}

/*
 * Copies a slot's static part only when its snapshot changes. @filled: id of the snapshot in the
 * slot.
 */
static __always_inline void zio_ring_fill_slot(struct zio_control *slot, u64 *filled,
					       const struct zio_block *block,
					       unsigned int chan, unsigned int ssize)
{
	const struct zio_snapshot *snap = to_block_core(block)->snap;

	if (unlikely(*filled != snap->id)) {
		*filled = snap->id;
		zio_control_begin(slot, snap, chan);
	}
	zio_control_fill(slot, block, ssize);
}

/* Returns the driver error that poll() reported, once; then 0. */
static inline int zio_ring_take_error(struct zio_ring *ring, struct zio_cset_core *cset)
{
	return xchg(&ring->error, 0) ?: xchg(&cset->error, 0);
}

/* set-ring.c */
int zio_set_ring_open(struct zio_cset_core *cset, struct file *file);
extern const struct file_operations zio_set_fops;

/* flush.c */
void zio_channel_put_queued(struct zio_channel_core *chan);
long zio_node_flush(struct file *file);

/* tap.c */
long zio_tap_open(struct file *node);
void zio_taps_wake(struct zio_channel_core *chan);

/* export.c */
long zio_node_export(struct file *file, struct zio_dmabuf __user *to);

/* sync.c */
int zio_node_sync(struct file *file, loff_t start, loff_t end, int datasync);

/* poll.c */

/* poll_wait() with a barrier, which it has only since Linux 6.14 and in some stable kernels. */
static inline void zio_poll_wait(struct file *file, wait_queue_head_t *wq,
				 struct poll_table_struct *wait)
{
	poll_wait(file, wq, wait);
	smp_mb();						/* U */
}

__poll_t zio_poll_ring(struct file *file, struct poll_table_struct *wait,
		       struct zio_ring *ring, struct zio_channel_core *chan);
__poll_t zio_poll_data_in(struct file *file, struct poll_table_struct *wait);
__poll_t zio_poll_ctrl_in(struct file *file, struct poll_table_struct *wait);
__poll_t zio_poll_out(struct file *file, struct poll_table_struct *wait);

/* Returns true if a read or write must not sleep for a block. */
static inline bool zio_is_nowait(const struct kiocb *iocb)
{
	return (iocb->ki_flags & IOCB_NOWAIT) || (iocb->ki_filp->f_flags & O_NONBLOCK);
}

/* Reschedules if needed; returns true if a signal is pending. Called between two blocks. */
static __always_inline bool zio_must_stop(void)
{
	if (likely(!(read_thread_flags() & (_TIF_NEED_RESCHED |
					    _TIF_SIGPENDING |
					    _TIF_NOTIFY_SIGNAL))))
		return false;
	cond_resched();
	return signal_pending(current);
}

extern const struct file_operations zio_data_in_fops;
extern const struct file_operations zio_ctrl_in_fops;
extern const struct file_operations zio_data_out_fops;
extern const struct file_operations zio_ctrl_out_fops;

/* An input's control node has a ring if it is open for reading and writing. */
static inline bool zio_has_ring(const struct file *ctrl)
{
	return ctrl->f_mode & FMODE_WRITE;
}

#endif /* _ZIO_CHANNEL_INTERNAL_H */
