/* SPDX-License-Identifier: GPL-2.0-only */
/* engine.h: arming, freezing, the queue and the controls of channel sets */
#ifndef _ZIO_ENGINE_H
#define _ZIO_ENGINE_H

#include <linux/jump_label_ratelimit.h>
#include <linux/zio-trigger.h>

#include "engine/control.h"
#include "engine/nest.h"
#include "engine/queue.h"
#include "engine/stream.h"
#include "engine/trace.h"
#include "zio-core.h"

#define ZIO_WAKE_IN	(EPOLLIN | EPOLLRDNORM)
#define ZIO_WAKE_OUT	(EPOLLOUT | EPOLLWRNORM)

/*
 * A context that finds a set busy, or a channel without room, does not wait. It leaves
 * a note in one of two words. These are not in cset->state, as each bit there prevents
 * arming.
 *
 * cset->pending is atomic: any context sets its bits. The owner of the phase acts on
 * them, see engine.c:
 *   KICK  an input may have room: arm the set again (D)
 *   WAKE  a reader has found the set busy: wake all users (D)
 */
#define ZIO_PENDING_KICK	BIT(0)
#define ZIO_PENDING_WAKE	BIT(1)

/*
 * chan->waiters is protected by chan->lock. It is not atomic, as each put of a user's
 * block tests it. So it shares no word with bits that are set without the lock. Unless
 * it is 0, the put calls zio_channel_notify_room():
 *   STARVED  a read or a poll has found no room for a block
 *   REARM    the trigger of the set rearms, so the put kicks the set
 *   READER   one sleeping reader; the upper bits count them
 */
#define ZIO_WAITERS_STARVED	BIT(0)
#define ZIO_WAITERS_REARM	BIT(1)
#define ZIO_WAITERS_READER	BIT(2)

/*
 * cset->deferred is atomic: what a hard interrupt handler leaves to a thread under
 * PREEMPT_RT, see defer.c:
 *   ARM     start the blocks; the set is ARMING
 *   WAKE    wake the users
 *   IDLE    wake the context that freezes the set
 *   NOTIFY  call the notifiers: the set is done; the upper bits count how often
 */
#define ZIO_DEFERRED_ARM	BIT(0)
#define ZIO_DEFERRED_WAKE	BIT(1)
#define ZIO_DEFERRED_IDLE	BIT(2)
#define ZIO_DEFERRED_NOTIFY	BIT(3)

/*
 * In chan->alarms_new, above the alarms: the driver has noted losses, in chan->lost_new. It
 * only notes: the owner of the phase counts them in front of the next block that is done.
 */
#define ZIO_NOTED_LOSS		BIT(16)

/*
 * As above: from a suspend to the resume, a block that is done has ZIO_ALARM_SUSPENDED; of the
 * blocks that a stream completes at once, the first.
 */
#define ZIO_NOTED_SUSPEND	BIT(17)

/* Flags of zio_cset_arm_channel() */
#define ZIO_ARM_WAKE		BIT(0)
#define ZIO_ARM_NEW		BIT(1) /* only if the queue is still empty */

/* Most blocks that a program pulls in one phase */
#define ZIO_PULL_BLOCKS		16u

/**
 * struct zio_channel_ops - what a channel has in place of users: a ring, or routes
 * @push: input; the caller owns the phase. Takes a block that is done. NULL for outputs
 * @publish: input; as @push, for blocks behind the head of the queue; NULL: one at a time
 * @has_room: input; optional. Returns true if another block is of use; the caller owns
 *            the phase
 * @reclaim: input; optional. Takes back up to @n blocks that were read; the caller owns
 *	     the phase, or is the driver of a stream. Returns whether there were any
 * @count_loss: input; optional. chan->lost has grown by @n
 * @notify: optional. There may be room at an output, or the set may be armed again
 *
 * chan->ops points to one of these tables, or is NULL. All are called in any context.
 */
struct zio_channel_ops {
	void (*push)(struct zio_channel_core *chan, struct zio_block *block);
	void (*publish)(struct zio_channel_core *chan, unsigned int n);
	bool (*has_room)(struct zio_channel_core *chan);
	bool (*reclaim)(struct zio_channel_core *chan, unsigned int n);
	void (*count_loss)(struct zio_channel_core *chan, u32 n);
	void (*notify)(struct zio_channel_core *chan);
};

/* Returns true if the channel has a ring, or its set has one. */
static inline bool zio_channel_has_ring(const struct zio_channel_core *chan)
{
	const struct zio_channel_ops *ops = READ_ONCE(chan->ops);

	return ops && ops->reclaim;
}

/**
 * struct zio_watch_ops - what looks at the blocks of all channels: the sniffer, and taps
 * @done: a block is done; the caller owns the phase
 * @move: input; blocks get other memory, or another size; the caller has frozen the set
 *
 * The core calls them while zio_watch_key counts anything that looks; @done in any context.
 */
struct zio_watch_ops {
	void (*done)(struct zio_channel_core *chan, struct zio_block *block);
	void (*move)(struct zio_channel_core *chan);
};

extern const struct zio_watch_ops *zio_watch_ops;
extern struct static_key_false_deferred zio_watch_key;

/* engine.c */
int zio_cset_arm_channel(struct zio_channel_core *chan, unsigned int flags, unsigned int n);
void zio_cset_kick(struct zio_cset_core *cset);
void zio_cset_kick_held(struct zio_cset_core *cset);
bool zio_cset_can_pull(struct zio_cset_core *cset);
struct zio_block *zio_cset_pull(struct zio_channel_core *chan);
void zio_cset_init_engine(struct zio_cset_core *cset);

/* notify.c */
void zio_cset_notifier_link(struct zio_cset_notifier *notifier,
			    struct zio_cset_core *cset);
void zio_cset_wake(struct zio_cset_core *cset);

#ifdef CONFIG_PROVE_RCU
void zio_cset_assert_held(struct zio_cset_core *cset);
#else
static inline void zio_cset_assert_held(struct zio_cset_core *cset)
{
}
#endif

/* freeze.c */
#ifdef CONFIG_LOCKDEP
void zio_assert_no_phase(void);
#else
static inline void zio_assert_no_phase(void)
{
}
#endif

void zio_cset_freeze(struct zio_cset_core *cset);
void zio_cset_quiesce(struct zio_cset_core *cset);
void zio_cset_unfreeze(struct zio_cset_core *cset);
void zio_cset_stop(struct zio_cset_core *cset, bool stop);
bool zio_cset_takes_events(const struct zio_cset_core *cset);
bool zio_cset_is_in_use(const struct zio_cset_core *cset);
void zio_cset_kill(struct zio_cset_core *cset);
void zio_cset_lock_channels(struct zio_cset_core *cset);
void zio_cset_unlock_channels(struct zio_cset_core *cset);
bool zio_cset_own_phase(struct zio_cset_core *cset);
void zio_cset_disown_phase(struct zio_cset_core *cset, bool armed);
bool zio_cset_is_frozen(const struct zio_cset_core *cset);
int zio_cset_lock(struct zio_cset_core *cset);
void zio_cset_init_watchdog(struct zio_cset_core *cset);
void zio_cset_set_timeout(struct zio_cset_core *cset, u32 ms);

/* Return true for a driver's errors only; the engine's own codes are expected. */
static inline bool zio_is_driver_error(int ret)
{
	switch (ret) {
	case 0:
	case -EBUSY:
	case -EINPROGRESS:
	case -ENOBUFS:
	case -ENODEV:
	case -ESHUTDOWN:
		return false;
	}
	return true;
}

/* defer.c */
void zio_cset_defer(struct zio_cset_core *cset, int what);
void zio_cset_end_defer(struct zio_cset_core *cset);

/*
 * Whether the caller must take no lock that sleeps under PREEMPT_RT. The parent of a chained
 * interrupt may be a thread, which calls the handler with interrupts off.
 */
static __always_inline bool zio_must_defer(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && (in_hardirq() || irqs_disabled());
}

/* timing.c */
void zio_rate_reduce(u32 *num, u32 *den);

/* shots.c */
struct zio_armed *zio_shots_alloc(unsigned int n_chan, u32 nshots);

/* block.c */
void zio_channel_raise(struct zio_channel_core *chan, int bits);
void zio_block_take_dropped(struct zio_channel_core *chan, struct zio_block *block);
void zio_channel_forget_gap(struct zio_channel_core *chan);
void zio_channel_settle_alarms(struct zio_channel_core *chan);
void zio_block_take_alarms(struct zio_channel_core *chan, struct zio_block *block);
void zio_channel_drop_unread(struct zio_channel_core *chan);

/* Context: Any; the counters of a channel change meanwhile. */
static inline unsigned long zio_channel_losses(const struct zio_channel_core *chan)
{
	return READ_ONCE(chan->lost) + READ_ONCE(chan->queue.stream.dropped);
}

static inline void zio_channel_wake(struct zio_channel_core *chan, __poll_t key)
{
	if (!wq_has_sleeper(&chan->wq))				/* U */
		return;
	if (zio_must_defer())
		zio_cset_defer(chan->cset, ZIO_DEFERRED_WAKE);
	else
		wake_up_poll(&chan->wq, key);
}

/* The next block that a reader takes does not follow the last one. The caller holds chan->lock. */
static inline void zio_channel_mark_gap(struct zio_channel_core *chan)
{
	chan->gap_is_unknown = true;
	chan->next_seq--;
}

/* There may be room at an output, or the input may be armed again. Any context. */
static inline void zio_channel_notify(struct zio_channel_core *chan)
{
	const struct zio_channel_ops *ops = READ_ONCE(chan->ops);

	if (unlikely(ops && ops->notify))
		ops->notify(chan);
}

/* A block was queued. Wakes readers if as many blocks are queued as they wait for. */
static inline void zio_channel_wake_reader(struct zio_channel_core *chan)
{
	if (zio_queue_count(&chan->queue) >= READ_ONCE(chan->buf->watermark) ||
	    chan->cset->on_demand)
		zio_channel_wake(chan, ZIO_WAKE_IN);
}

/*
 * Queues a block of an output. Haste ends when the blocks are played for which there was any:
 * see ostream.c. One pusher at a time. Context: Any.
 */
static inline void zio_output_push(struct zio_channel_core *chan, struct zio_block *block)
{
	struct zio_queue *q = &chan->queue;

	if (unlikely(q->stream.haste) && (int)(q->stream.due - atomic_read(&q->tail)) <= 0)
		WRITE_ONCE(q->stream.haste, 0);
	zio_queue_push(q, block);
}

/* The next put of a block wakes all users. The caller holds chan->lock. */
static inline void zio_channel_mark_starved(struct zio_channel_core *chan)
{
	WRITE_ONCE(chan->waiters, chan->waiters | ZIO_WAITERS_STARVED);
}

/* Context: Any; if the caller does not hold chan->lock, the answer may be old. */
static inline bool zio_channel_is_starved(const struct zio_channel_core *chan)
{
	return READ_ONCE(chan->waiters) & ZIO_WAITERS_STARVED;
}

/* mem.c */
extern struct workqueue_struct *zio_wq;
struct zio_mem *zio_block_share_mem(struct zio_block *block, struct zio_buffer *buf);
void zio_mem_put(struct zio_mem *mem);
void zio_block_borrow(struct zio_block *block, struct zio_mem *mem, void *data);

/* Context: Any; the caller is a user of the memory. */
static inline void zio_mem_get(struct zio_mem *mem)
{
	kref_get(&mem->ref);
}

/* Context: Any. The caller owned the input block, which may have other users. */
static inline void zio_block_put(struct zio_channel_core *chan,
				 struct zio_block *block)
{
	if (unlikely(to_block_core(block)->mem))
		zio_mem_put(to_block_core(block)->mem);
	else
		chan->buf->type->ops->put_block(chan->buf, block);
}

#endif /* _ZIO_ENGINE_H */
