/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-core.h: what the files of the core share
 *
 * Locks, and what each protects:
 *   zio_types_lock   the lists of buffer and trigger types, and of shared triggers
 *   zio_names_lock   the device names and numbers in use
 *   cset->change     replacing the trigger or the buffers; files that a replacement
 *                    removes do not take it
 *   zdev->lock       attributes of a device
 *   cset->mutex      configuration: attributes, enables, trigger, buffers
 *   trig->lock       a trigger: its values, whether it runs, the list of its sets
 *   chan->lock       the user's side of a channel: readers or writers, their
 *                    current blocks, the user's end of the queue
 *   zio_routes_lock  which input feeds which output (route.c)
 *   cset->state      the device's side, see engine.c: an atomic word. The context
 *                    that sets it from IDLE to ARMING owns the active blocks
 * Order: cset->change; zio_routes_lock; zdev->lock; cset->mutex; chan->lock of an output;
 * chan->lock of an input; a freeze or an owned phase (freeze.c); trig->lock; the state.
 * Documentation/architecture.md has all locks.
 */
#ifndef _ZIO_CORE_H
#define _ZIO_CORE_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/zio-buffer.h>
#include <linux/zio-trigger.h>
#include <linux/zio.h>

#include "compat.h"
#include "module-ops.h"
#include "zio-file.h"

#define ZIO_DEFAULT_BUFFER	"kmalloc"
#define ZIO_DEFAULT_TRIGGER	"user"
#define ZIO_DEFAULT_NSAMPLES	16
#define ZIO_DEFAULT_LEN		16
#define ZIO_MAX_LEN		65536
#define ZIO_MAX_TIMEOUT_MS	(24 * 3600 * 1000)

/* What rarely changes in the controls of a channel; replaced, never modified. */
struct zio_snapshot {
	refcount_t ref;
	u32 value_mask; /* of its set */
	u64 id; /* never reused */
	struct rcu_head rcu;
	bool has_more; /* controls also have values, or the shot, of their block */
	struct zio_control common; /* without the channel's number: see control.c */
};

/**
 * struct zio_stream - the blocks of a channel that the driver has, see stream.c
 * @taken: count of the next block to take; blocks from queue->head up to it are in flight
 * @limit: maximum number of blocks in flight; 0 while there is no stream
 * @wants: zio_channel_take() has found no block, and refill() has not been called since (I)
 * @is_dry: the device has run out of blocks: none in flight, and none to take
 * @n_dry: how often this has happened, except at the end of an output
 * @dropped: unread blocks that "prefer-new" has dropped
 * @resumes: output: resumes without the watermark; written by the owner of the phase
 * @haste: output: ZIO_HASTE_*; under chan->lock, or by the context that feeds a route
 * @due: output: count of the block behind the last one that is in haste; as @haste
 * @turns: output: how many times the oldest block is in flight, if blocks are repeated
 * @lock: output: protects @turns
 *
 * The context of zio_channel_take() writes all fields except @limit and those of outputs.
 * An output counts from the tail of the queue: see ostream.c.
 */
struct zio_stream {
	unsigned int taken;
	unsigned int limit;
	int wants;
	bool is_dry;
	bool resumes;
	u8 haste;
	unsigned int due;
	unsigned long n_dry;
	unsigned long dropped;
	unsigned int turns;
	raw_spinlock_t lock; /* protects turns */
};

/* A FIFO of finished blocks, see queue.c */
struct zio_queue {
	struct zio_block **slot;
	unsigned int mask;
	unsigned int head;
	struct zio_stream stream; /* behind the head, with ZIO_CSET_STREAM */
	atomic_t tail ____cacheline_aligned_in_smp;
};

/* A channel set's part in its trigger: see binding.c */
struct zio_binding {
	struct kobject kobj;
	struct zio_cset_core *cset;
	struct zio_trigger *trig;
	struct list_head node; /* of trig->bindings */
	bool enabled;
	struct rcu_head rcu;
	struct zio_file file[]; /* of the attributes of the trigger */
};

struct zio_channel_core {
	struct zio_channel pub; /* first: its driver sees this */
	struct kobject kobj;
	struct zio_cset_core *cset;
	bool enabled;

	/* the device's side */
	struct zio_buffer *buf;
	struct zio_snapshot __rcu *snap;
	u32 seq;
	u32 played; /* output: seq behind the last block played or dropped */
	u32 dropped; /* output: blocks dropped, not played */
	atomic_t alarms_new; /* and ZIO_NOTED_* */
	atomic_t lost_new; /* losses noted by the driver: see zio_cset_lost() */
	atomic_t alarms_dropped; /* of dropped blocks: see zio_channel_pop_unread() */
	atomic_t alarms;
	atomic_t lost_before; /* losses in front of the next finished block: see block.c */
	atomic_t missed_before; /* and missed events */
	u32 dropped_lost; /* blocks dropped unread, and losses in front of them */
	u32 dropped_missed;
	unsigned long blocks;
	unsigned long bytes;
	unsigned long lost;

	/* The union fills a cache line. Beyond 2048 bytes kmalloc() would allocate 4096. */
	union {
		struct { /* output: how blocks were shared: see share.c and route.c */
			u32 share_how;
			u32 share_error;
			unsigned long shared;
			unsigned long copied;
			unsigned long copied_bytes;
			unsigned long route_lost;
		};
		struct { /* input */
			unsigned long flushed; /* blocks flushed, or left half-read */
			struct zio_tap_ring __rcu *tap_ring;
		};
	};
	struct zio_queue queue;

	/* the user's side */
	struct mutex lock; /* the user's side, and its end of the queue */
	unsigned int waiters; /* who waits for a block to be put: see engine.h */
	unsigned int len;
	unsigned int watermark;
	u32 next_seq; /* input: seq behind the last block that a reader took */
	bool gap_is_unknown; /* other users have taken blocks since: see block.c */
	u32 left_lost, left_missed; /* from blocks that readers left half-read */
	u32 lost_told, missed_told; /* reported of dropped_lost and dropped_missed */
	struct list_head sessions;
	struct list_head unread;
	bool slowpath; /* a ring, a route, unread blocks or stale sessions */
	bool has_former_outputs; /* outputs whose route has ended may use its memory */
	bool only_taps; /* it has taps and no reader: see tap.c */
	unsigned int n_stale; /* sessions that lost a block and do not know it yet */
	unsigned int n_routes;
	unsigned int n_taps;
	struct zio_area __rcu *data_area; /* what mmap() of the data node maps */
	const struct zio_channel_ops *ops; /* of a ring, or of routes, or NULL */
	struct zio_ring *ring;
	wait_queue_head_t wq; /* away from the lock: the device's side reads it */
	struct hlist_head routes; /* input: to the outputs that it feeds; RCU */
	struct zio_route __rcu *route; /* output: from the input that feeds it */

	u32 *values; /* of cset->chan_attrs */
	struct zio_scale scale; /* if the set describes it: see config/scaling.c */
	struct device ctrl_node, data_node; /* in /dev/zio: see channel/node.c */
	struct rcu_head rcu;
};

struct zio_cset_core {
	struct zio_cset pub; /* first: its driver sees this */
	struct kobject kobj;
	struct zio_device *zdev;
	const struct zio_cset_desc *desc;
	const struct zio_cset_ops *ops;
	const struct zio_cset_model *model; /* see engine/model.h */
	unsigned long flags;
	unsigned int ssize, n_chan, align, dma_bits;
	unsigned int queue_depth; /* of a stream: see stream.c */
	bool cyclic; /* of an output stream: see ostream.c */
	struct zio_dma *dma; /* if the board does DMA: see buffer/dma-map.c */

	/* the device's side */
	atomic_t state;
	bool on_demand;
	bool can_pull; /* readers may bypass the queue: see trigger/binding.c */
	bool rearm; /* armed whenever there is room */
	bool is_kicked; /* armed without an event: zio_cset_kick() does it */
	bool is_armed_ahead; /* what is armed waits for no event: an abort loses none */
	atomic_t pending; /* for the owner of the phase: see engine.h */
	atomic64_t held_event; /* event while is_held: its time in ns, or 0: see fire.c */
	bool is_held; /* by zio_cset_own_phase() */
	size_t block_len;
	unsigned int given_back; /* shots given back by the driver: see engine/shots.c */
	unsigned int n_active;
	struct zio_channel_core **active;
	struct timespec64 now;
	unsigned long fired;
	unsigned long io_errors;
	atomic_long_t lost_triggers;
	atomic_t missed_busy; /* events since it was armed; the next blocks report them */
	int error;
	bool async;
	struct rcu_head rcu;
	wait_queue_head_t idle_wq;
	struct work_struct arm_work;
	struct work_struct rearm_work;
	struct irq_work defer_work;
	atomic_t deferred; /* what defer_work has to do: see engine.h */
	struct hlist_head notifiers;
	struct delayed_work watchdog;
	unsigned long watched; /* model->progress(), a round ago */

	/* configuration */
	struct mutex change; /* replacement of trigger and buffers */
	struct mutex mutex; /* configuration */
	bool enabled, gone;
	bool ending; /* soon gone: no new replacement begins */
	u32 timeout_ms;
	struct zio_binding *bind;
	const struct zio_buffer_type *buf_type;
	u32 rate_num, rate_den; /* set by a user: see config/rate.c */
	struct zio_timing timing; /* of the snapshots: see engine/timing.c */
	struct work_struct timing_work; /* asks the driver again */
	struct zio_attr_set attrs;
	struct zio_own_trigger *own_trigger; /* or NULL */
	struct zio_attr *chan_attrs;
	unsigned int n_chan_attrs;
	u32 value_mask; /* positions of the values of each block: see engine/values.c */
	unsigned int open_files;
	struct zio_channel_core **chan;
	struct zio_member **members; /* of an interleaved set, or NULL: see config/attr.c */
	struct device *set_node, *alias_nodes; /* or NULL: see channel/node.c */
};

struct zio_device {
	struct device dev;
	const struct zio_device_desc *desc;
	struct module *owner;
	char name[ZIO_OBJ_NAME_LEN];
	int id;
	u32 epoch; /* random: see ZIO_ATTR_TRIG_EPOCH */
	struct list_head node; /* while it owns the number */
	void *priv;
	struct mutex lock; /* attributes */
	struct zio_attr_set attrs;
	struct device_attribute *file; /* of attrs: see config/sysfs-device.c */
	const struct attribute **files; /* all of them, or NULL */
	bool has_sets; /* all sets exist; under the lock of dev: see device/power.c */
	struct zio_cset_core *cset[]; /* of desc->n_cset sets */
};

#define to_zio_device(_dev)	container_of(_dev, struct zio_device, dev)
#define kobj_to_device(_kobj)	container_of(_kobj, struct zio_device, dev.kobj)
#define kobj_to_cset(_kobj)	container_of(_kobj, struct zio_cset_core, kobj)
#define kobj_to_channel(_kobj)	container_of(_kobj, struct zio_channel_core, kobj)
#define to_cset_core(_cset)	container_of(_cset, struct zio_cset_core, pub)
#define to_channel_core(_chan)	container_of(_chan, struct zio_channel_core, pub)
#define to_zio_buffer(_kobj)	container_of(_kobj, struct zio_buffer, kobj)
#define to_zio_binding(_kobj)	container_of(_kobj, struct zio_binding, kobj)

static inline bool zio_cset_is_output(const struct zio_cset_core *cset)
{
	return cset->flags & ZIO_CSET_OUTPUT;
}

/* Returns the trigger of the board if the binding uses it, else NULL. */
static inline const struct zio_own_trigger *zio_binding_own(const struct zio_binding *bind)
{
	const struct zio_own_trigger *own = bind->cset->own_trigger;

	return own && bind->trig->type == &own->type ? own : NULL;
}

static inline u64 zio_cset_all_channels(const struct zio_cset_core *cset)
{
	return GENMASK_ULL(cset->desc->n_chan - 1, 0);
}

/* As kobject_del(), but accepts a kobject that was never added. */
static inline void zio_kobj_del(struct kobject *kobj)
{
	if (kobj->state_in_sysfs)
		kobject_del(kobj);
}

#endif /* _ZIO_CORE_H */
