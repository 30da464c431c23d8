/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: the state word of a channel set; engine.c explains it */
#ifndef _ZIO_ENGINE_INTERNAL_H
#define _ZIO_ENGINE_INTERNAL_H

#include "engine/engine.h"

/* The phases; the other bits of the word are flags */
#define CSET_IDLE	0
#define CSET_ARMING	1
#define CSET_EARLY	2
#define CSET_ARMED	3
#define CSET_FINISHING	4
#define CSET_ABORTING	5
#define CSET_PHASE	7
#define CSET_FREEZE	BIT(4)
#define CSET_STOP	BIT(5)
#define CSET_GONE	BIT(6)
#define CSET_STREAM	BIT(7)
#define CSET_ERROR_SHIFT	8 /* with EARLY: the driver has failed; its errno */
#define CSET_ERROR	(0xfff << CSET_ERROR_SHIFT)

static inline int cset_phase(struct zio_cset_core *cset)
{
	return atomic_read_acquire(&cset->state) & CSET_PHASE;	/* C */
}

/* Enters ARMING if the whole word is @state. Returns true if the caller owns the phase. */
static __always_inline bool cset_enter(struct zio_cset_core *cset, int state)
{
	int arming = (state & ~CSET_PHASE) | CSET_ARMING;

	return atomic_try_cmpxchg(&cset->state, &state, arming);	/* C */
}

/*
 * Moves a set from the phase @from to another one, whatever its flags are. Returns false if
 * it is in no such phase.
 */
static __always_inline bool cset_move(struct zio_cset_core *cset, int from, int to)
{
	int old = atomic_read(&cset->state);

	do {
		if ((old & CSET_PHASE) != from)
			return false;
	} while (!atomic_try_cmpxchg(&cset->state, &old, old - from + to));	/* C */
	return true;
}

/* Takes the error of a driver that has failed early; 0: it was done. The caller owns the phase. */
static inline int cset_take_error(struct zio_cset_core *cset)
{
	return -(atomic_fetch_andnot(CSET_ERROR, &cset->state) >> CSET_ERROR_SHIFT);
}

/* The state has changed, and a context that freezes the set may wait for that (C). */
static inline void wake_freezer(struct zio_cset_core *cset)
{
	if (zio_must_defer())
		zio_cset_defer(cset, ZIO_DEFERRED_IDLE);
	else
		wake_up(&cset->idle_wq);
}

/* Leaves the phase that the caller owns, and wakes contexts that wait for the phase. */
static __always_inline void make_idle(struct zio_cset_core *cset)
{
	zio_cset_assert_held(cset);
	smp_mb__before_atomic();				/* C */
	atomic_andnot(CSET_PHASE | CSET_ERROR, &cset->state);
	smp_mb__after_atomic();					/* D */
	if (unlikely(atomic_read(&cset->state) & CSET_FREEZE))	/* C */
		wake_freezer(cset);
	if (unlikely(atomic_read(&cset->pending) & ZIO_PENDING_WAKE)) { /* D */
		atomic_andnot(ZIO_PENDING_WAKE, &cset->pending);
		zio_cset_wake(cset);
	}
}

/*
 * As zio_cset_kick(), in a work item. Removal of a set cancels the work after a grace
 * period: none is queued after that.
 */
static inline void zio_cset_kick_later(struct zio_cset_core *cset)
{
	rcu_read_lock();					/* E */
	if (!(atomic_read(&cset->state) & CSET_GONE))
		queue_work(system_dfl_wq, &cset->rearm_work);
	rcu_read_unlock();
}

/* Returns true if a thread has to start the blocks, and does so. */
static __always_inline bool arm_in_other_context(struct zio_cset_core *cset)
{
	if (unlikely(cset->flags & ZIO_CSET_SLEEPS)) {
		queue_work(system_dfl_wq, &cset->arm_work);
		return true;
	}
	if (zio_must_defer() && !(cset->flags & ZIO_CSET_HARDIRQ)) {
		zio_cset_defer(cset, ZIO_DEFERRED_ARM);
		return true;
	}
	return false;
}

/*
 * The engine returns some errors itself. From a driver they would mislead the caller. -EFAULT means
 * to the code of read() that user memory is missing, and the codes of the kernel, from
 * -ERESTARTSYS down, have meanings of their own there: -EIOCBQUEUED is a bug in a synchronous read.
 */
static inline int zio_driver_error(int error)
{
	if (error >= 0 || error <= -ERESTARTSYS || error == -EAGAIN || error == -EFAULT)
		return -EIO;
	return zio_is_driver_error(error) ? error : -EIO;
}

/* engine.c */
int zio_cset_arm_event(struct zio_binding *bind, const struct timespec64 *at);
void zio_cset_end_hold(struct zio_cset_core *cset, bool armed);
int zio_cset_leave_armed(struct zio_cset_core *cset);
void zio_cset_fail_armed(struct zio_cset_core *cset, int error);
int zio_cset_fail_arm(struct zio_cset_core *cset, int ret);
void zio_cset_finish_blocks(struct zio_cset_core *cset);

/* row.c */
bool zio_row_is_possible(const struct zio_channel_core *chan);
int zio_row_start(struct zio_channel_core *chan, unsigned int n);

/*
 * Hands the next @n blocks behind the head of the queue to readers, or to @ops. The caller owns the
 * phase, or is the driver of a stream.
 */
static __always_inline void zio_channel_publish(struct zio_channel_core *chan,
						const struct zio_channel_ops *ops,
						unsigned int n)
{
	if (unlikely(ops)) {
		ops->publish(chan, n);
	} else {
		zio_queue_publish(&chan->queue, n);
		zio_channel_wake_reader(chan);
	}
}

/* ostream.c */
bool zio_ostream_is_due(const struct zio_cset_core *cset);
unsigned int zio_ostream_in_flight(const struct zio_channel_core *chan);
void zio_ostream_open(struct zio_channel_core *chan);
struct zio_block *zio_ostream_take(struct zio_channel_core *chan);
struct zio_block *const *zio_ostream_row(struct zio_channel_core *chan, unsigned int i,
					 unsigned int *n);
void zio_ostream_finish(struct zio_channel_core *chan, unsigned int n, bool is_played);
void zio_ostream_give_back(struct zio_channel_core *chan, unsigned int n);
void zio_ostream_drop(struct zio_cset_core *cset, bool lost, int error);
bool zio_ostream_is_idle(const struct zio_cset_core *cset);

/* block.c */
struct zio_armed *zio_armed_end(struct zio_cset_core *cset);

/* Returns the oldest block, which may have left the queue when the caller looks at it. */
static inline struct zio_block *zio_queue_peek(const struct zio_queue *q)
{
	return READ_ONCE(q->slot[atomic_read(&q->tail) & q->mask]);
}

/* mem.c */
void zio_block_end_borrow(struct zio_block *block);

/* Context: Any. An output block returns from its owner to its buffer. */
static inline void zio_output_put(struct zio_channel_core *chan,
				  struct zio_block *block)
{
	if (unlikely(to_block_core(block)->borrowed))
		zio_block_end_borrow(block);
	chan->buf->type->ops->put_block(chan->buf, block);
}

/* Takes back an input block that the driver has not filled. The caller owns the phase. */
static inline void zio_block_cancel(struct zio_channel_core *chan, struct zio_block *block)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;

	if (ops->cancel)
		ops->cancel(chan->buf, block);
	else
		ops->put_block(chan->buf, block);
}

/* notify.c */
void zio_cset_count_lost_events(struct zio_cset_core *cset, u64 n, int cause);
void zio_cset_tell_missed(struct zio_cset_core *cset);
void zio_cset_notify(struct zio_cset_core *cset);

/* block.c */
void zio_channel_note_dropped(struct zio_channel_core *chan, const struct zio_block *old);

/* timing.c */
void zio_cset_ask_timing(struct zio_cset_core *cset);

/* poison.c; with CONFIG_LOCKDEP alone */
void zio_poison_report_by(void (*found)(struct zio_channel_core *chan,
					const struct zio_block *block, size_t at));
void zio_block_poison(struct zio_block *block);
void zio_block_check(struct zio_channel_core *chan, const struct zio_block *block);

/* trace.c */
void zio_trace_fire(const struct zio_binding *bind, const struct timespec64 *at);
void zio_trace_armed(const struct zio_cset_core *cset);
void zio_trace_done(const struct zio_channel_core *chan, const struct zio_block *block);

#endif /* _ZIO_ENGINE_INTERNAL_H */
