/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-core.h: what the files of the core share
 *
 * Locks, and what each protects:
 *   zio_types_lock   the lists of buffer and trigger types, and of shared triggers
 *   zio_names_lock   the device names and numbers in use
 *   cset->change     replacement of the trigger and of the buffers; taken by
 *                    nobody whose sysfs file a replacement removes
 *   cset->mutex      configuration: attributes, enables, trigger, buffers
 *   trig->lock       values and running of a trigger, and the list of its sets
 *   chan->lock       the user's side of a channel: readers or writers, their
 *                    current blocks, the user's end of the queue
 *   lender->lock     blocks whose pages are in pipes (splice.c)
 *   zio_routes_lock  which output is fed by which input (route.c)
 *   cset->state      the device's side: see engine.c; not a lock, but who sets
 *                    it from IDLE to ARMING owns the active blocks
 * Order: cset->change, zio_routes_lock, cset->mutex, then hold (freeze.c) or
 * trig->lock, then a pipe's lock, then chan->lock of an output, then chan->lock of an
 * input, then lender->lock, then the state.
 */
#ifndef _ZIO_INTERNAL_H
#define _ZIO_INTERNAL_H

#include <linux/async.h>
#include <linux/atomic.h>
#include <linux/cdev.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/zio-buffer.h>
#include <linux/zio-trigger.h>
#include <linux/zio.h>

#include "compat.h"

/* A probe that runs asynchronously must not wait for modprobe. */
static inline bool zio_may_load(void)
{
	return !current_is_async();
}

#define ZIO_DEFAULT_BUFFER	"kmalloc"
#define ZIO_DEFAULT_TRIGGER	"user"
#define ZIO_DEFAULT_NSAMPLES	16
#define ZIO_DEFAULT_LEN		16
#define ZIO_MAX_LEN		65536
#define ZIO_MAX_TIMEOUT_MS	(24 * 3600 * 1000)

/* What rarely changes in the controls of a channel; never modified. */
struct zio_snapshot {
	refcount_t ref;
	u64 id; /* never used again */
	struct rcu_head rcu;
	struct zio_control ctrl;
};

/* FIFO of finished blocks, see queue.c */
struct zio_queue {
	struct zio_block **slot;
	unsigned int mask;
	unsigned int head;
	atomic_t tail ____cacheline_aligned_in_smp;
};

/* One attribute of a set, a channel, or a trigger. */
struct zio_attr {
	struct kobj_attribute kattr;
	const struct zio_attr_desc *desc;
	struct zio_cset_core *cset;
	struct zio_channel_core *chan;
	u32 value;
};

/* One attribute of a trigger, in the directory of a set. */
struct zio_trigger_file {
	struct kobj_attribute kattr;
	unsigned int index;
};

/* A channel set's part in its trigger: see binding.c */
struct zio_binding {
	struct kobject kobj;
	struct zio_cset_core *cset;
	struct zio_trigger *trig;
	struct list_head node; /* of trig->bindings */
	bool enabled;
	u32 nshots;
	u32 pre_samples;
	u32 post_samples;
	struct zio_trigger_file file[ZIO_MAX_TRIGGER_ATTRS];
	struct rcu_head rcu;
};

struct zio_channel_core {
	struct zio_channel pub; /* first: its driver sees this */
	struct kobject kobj;
	struct zio_cset_core *cset;
	u32 minor;
	bool enabled;
	bool has_nodes;

	/* the device's side */
	struct zio_buffer *buf;
	struct zio_snapshot __rcu *snap;
	u32 seq;
	u32 played; /* output: up to which block, by seq */
	u32 dropped; /* and how many of them were not */
	atomic_t alarms_new;
	atomic_t alarms;
	unsigned long blocks;
	unsigned long bytes;
	unsigned long lost;

	/*
	 * Sharing, of an output, counted by who submits to it: share.c, route.c. They
	 * fill a cache line, as the queue begins another; so a channel has 2048 bytes,
	 * beyond which it would take up 4096.
	 */
	u32 share_how;
	u32 share_error;
	unsigned long shared;
	unsigned long copied;
	unsigned long copied_bytes;
	unsigned long route_lost;
	struct zio_queue queue;

	/* the user's side */
	wait_queue_head_t wq;
	struct mutex lock; /* the user's side, and its end of the queue */
	unsigned int sleepers; /* readers, and one for dry */
	bool starved; /* somebody was told that there is no room */
	unsigned int len;
	unsigned int watermark;
	struct list_head sessions;
	struct list_head unread;
	bool slowpath; /* a ring, a route, leftovers, or blocks that are merged */
	unsigned long merged; /* blocks that became part of another */
	struct zio_area __rcu *data_area; /* what mmap() of the data gives */
	struct zio_lender *lender; /* since the first loan, see splice.c */
	struct zio_ring *ring;
	struct zio_area __rcu *ring_area;

	struct zio_feed __rcu *feed; /* input: the outputs that it is routed to */
	struct zio_route __rcu *route; /* output: from where */

	struct zio_attr *attrs;
	unsigned int n_attrs;
	struct device node[2]; /* control, data; each holds the channel */
	struct rcu_head rcu;
};

struct zio_cset_core {
	struct zio_cset pub; /* first: its driver sees this */
	struct kobject kobj;
	struct zio_device *zdev;
	const struct zio_cset_desc *desc;
	const struct zio_cset_ops *ops;
	unsigned int index;
	unsigned long flags;
	unsigned int ssize;
	unsigned int n_chan;
	unsigned int align;
	unsigned int dma_bits;

	/* the device's side */
	atomic_t state;
	bool on_demand;
	bool can_pull; /* on demand, and on the spot */
	bool rearm; /* armed whenever there is room */
	int kick_pending; /* there may be room now */
	size_t block_len;
	unsigned int n_active;
	struct zio_channel_core **active;
	struct timespec64 now;
	unsigned long fired;
	unsigned long io_errors;
	atomic_long_t lost_triggers;
	int error;
	int wake_pending;
	bool async;
	struct rcu_head rcu;
	wait_queue_head_t idle_wq;
	struct work_struct arm_work;
	struct work_struct rearm_work;
	struct hlist_head notifiers;
	struct delayed_work watchdog;
	unsigned long watched; /* cset->fired, a round ago */

	/* configuration */
	struct mutex change; /* replacement of trigger and buffers */
	struct mutex mutex; /* configuration */
	bool enabled;
	bool gone;
	bool ending; /* it will be gone: nobody begins a replacement */
	u32 timeout_ms;
	u64 mask; /* channels in the blocks of an interleaved set */
	struct zio_binding *bind;
	const struct zio_buffer_type *buf_type;
	struct zio_attr *attrs;
	unsigned int n_attrs;
	unsigned int open_files;
	struct zio_channel_core **chan;
};

struct zio_device {
	struct device dev;
	const struct zio_device_desc *desc;
	struct module *owner;
	char name[ZIO_OBJ_NAME_LEN];
	int id;
	bool has_id;
	void *priv;
	unsigned int n_cset;
	struct zio_cset_core **cset;
	bool linked_short;
	bool linked_full;
};

#define to_zio_device(_dev)	container_of(_dev, struct zio_device, dev)
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

/* queue.c */
extern unsigned int zio_first_count;
int zio_queue_init(struct zio_queue *q, unsigned int len);
void zio_queue_destroy(struct zio_queue *q);
struct zio_block **zio_queue_alloc(unsigned int len);
void zio_queue_replace(struct zio_queue *q, struct zio_block **slot,
		       unsigned int len);

/* The oldest block; it may be gone when the caller looks at it. */
static inline struct zio_block *zio_queue_peek(const struct zio_queue *q)
{
	return READ_ONCE(q->slot[atomic_read(&q->tail) & q->mask]);
}

static inline unsigned int zio_queue_count(const struct zio_queue *q)
{
	return READ_ONCE(q->head) - (unsigned int)atomic_read(&q->tail);
}

/* Never finds the ring full, see queue.c; one pusher at a time. */
static inline void zio_queue_push(struct zio_queue *q, struct zio_block *block)
{
	unsigned int head = q->head;

	WRITE_ONCE(q->slot[head & q->mask], block);
	smp_store_release(&q->head, head + 1);		/* A */
}

/* The oldest block, or NULL, and the tail by which to take it, and no other. */
static inline struct zio_block *zio_queue_look(struct zio_queue *q, int *tail)
{
	*tail = atomic_read(&q->tail);
	if (smp_load_acquire(&q->head) == (unsigned int)*tail)	/* A */
		return NULL;
	return READ_ONCE(q->slot[*tail & q->mask]);
}

/* Whether the block that was looked at is the caller's now. */
static inline bool zio_queue_take(struct zio_queue *q, int tail)
{
	return atomic_try_cmpxchg(&q->tail, &tail, tail + 1);	/* B */
}

/* The oldest block, or NULL; several poppers at a time. */
static inline struct zio_block *zio_queue_pop(struct zio_queue *q)
{
	struct zio_block *block;
	int tail;

	do {
		block = zio_queue_look(q, &tail);
	} while (block && !zio_queue_take(q, tail));
	return block;
}

/* engine.c */
int zio_cset_fire(struct zio_cset_core *cset);
int zio_binding_fire(struct zio_binding *bind, const struct timespec64 *at);
void zio_cset_kick(struct zio_cset_core *cset);
void zio_cset_wake(struct zio_cset_core *cset);
bool zio_cset_can_pull(struct zio_cset_core *cset);
int zio_cset_ask(struct zio_channel_core *chan);
int zio_cset_top_up(struct zio_channel_core *chan);
struct zio_block *zio_cset_pull(struct zio_channel_core *chan);
void zio_cset_init_engine(struct zio_cset_core *cset);

/* freeze.c */
bool zio_cset_is_on(struct zio_cset_core *cset);
void zio_cset_freeze(struct zio_cset_core *cset);
void zio_cset_quiesce(struct zio_cset_core *cset);
void zio_cset_unfreeze(struct zio_cset_core *cset);
void zio_cset_stop(struct zio_cset_core *cset, bool stop);
void zio_cset_kill(struct zio_cset_core *cset);
bool zio_cset_own_phase(struct zio_cset_core *cset);
void zio_cset_disown_phase(struct zio_cset_core *cset, bool armed);
bool zio_cset_is_frozen(const struct zio_cset_core *cset);

/* What the engine says itself is no news; a driver's error is. */
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

/* watchdog.c */
void zio_watchdog_init(struct zio_cset_core *cset);
void zio_cset_set_timeout(struct zio_cset_core *cset, u32 ms);

/* buffer.c */
int zio_buffers_create(struct zio_cset_core *cset, const char *name);
void zio_buffers_destroy(struct zio_cset_core *cset);
int zio_buffers_change(struct zio_cset_core *cset, const char *name);
int zio_buffers_resize(struct zio_cset_core *cset, size_t block_len);
int zio_buffer_set_len(struct zio_buffer *buf, unsigned int len);
int zio_buffer_set_kb(struct zio_buffer *buf, unsigned int kb);
ssize_t zio_buffer_list_types(char *page);
void zio_channel_drain(struct zio_channel_core *chan);
void zio_buffer_put(struct zio_buffer *buf);
void zio_buffer_rearm(struct zio_buffer *buf);
int zio_buffers_init(void);
void zio_buffers_exit(void);
extern struct workqueue_struct *zio_wq;

/* fire.c */
void zio_cset_notify(struct zio_cset_core *cset);

static __always_inline void zio_clock_read(clockid_t clock,
					   struct timespec64 *now)
{
	if (likely(clock == CLOCK_REALTIME))
		ktime_get_real_ts64(now);
	else if (clock == CLOCK_TAI)
		ktime_get_clocktai_ts64(now);
	else if (clock == CLOCK_MONOTONIC)
		ktime_get_ts64(now);
	else
		ktime_get_boottime_ts64(now);
}

/* trigger.c */
ssize_t zio_trigger_list_types(char *page);
struct zio_trigger *
zio_trigger_create_shared(const struct zio_trigger_type *type, const char *name,
			  struct config_item *item);
void zio_trigger_hide_shared(struct zio_trigger *trig);
void zio_trigger_free_shared(struct zio_trigger *trig);
struct zio_trigger *zio_trigger_get(const char *name);
void zio_trigger_put(struct zio_trigger *trig);
int zio_trigger_join(struct zio_trigger *trig);
void zio_trigger_leave(struct zio_trigger *trig);
int zio_trigger_enable(struct zio_trigger *trig, bool enable);
int zio_trigger_store(struct zio_trigger *trig, unsigned int index,
		      const char *text);
ssize_t zio_trigger_show(struct zio_trigger *trig, unsigned int index,
			 char *page);
bool zio_trigger_type_is_valid(const struct zio_trigger_type *type);
int zio_trigger_set_clock(struct zio_trigger *trig, const char *text,
			  int (*refresh)(struct zio_trigger *trig));
ssize_t zio_trigger_show_clock(struct zio_trigger *trig, char *page);

/* binding.c */
int zio_binding_create(struct zio_cset_core *cset, const char *name);
void zio_binding_destroy(struct zio_cset_core *cset);
int zio_binding_change(struct zio_cset_core *cset, const char *name);
int zio_binding_enable(struct zio_binding *bind, bool enable);
int zio_binding_set_samples(struct zio_binding *bind, u32 pre, u32 post);
int zio_binding_set_nshots(struct zio_binding *bind, u32 nshots);
int zio_cset_set_mask(struct zio_cset_core *cset, u64 mask);
int zio_trigger_refresh(struct zio_trigger *trig);

static inline u64 zio_cset_all_channels(const struct zio_cset_core *cset)
{
	return GENMASK_ULL(cset->desc->n_chan - 1, 0);
}

/* user.c */
extern struct zio_trigger_type zio_trigger_user;
extern struct zio_trigger_type zio_trigger_transparent;

/* configfs-trigger.c */
int zio_configfs_init(void);
void zio_configfs_exit(void);
int zio_trigger_group_create(struct zio_trigger_type *type);
void zio_trigger_group_remove(struct zio_trigger_type *type);
void zio_trigger_item_get(struct zio_trigger *trig);
void zio_trigger_item_put(struct zio_trigger *trig);
int zio_trigger_item_pin(struct zio_trigger *trig);
void zio_trigger_item_unpin(struct zio_trigger *trig);
struct config_group *zio_configfs_devices(void);

/* control.c */
int zio_snapshots_init(void);
void zio_snapshots_exit(void);
struct zio_snapshot *zio_snapshot_alloc(struct zio_channel_core *chan);
void zio_snapshot_put(struct zio_snapshot *snap);
int zio_channel_refresh(struct zio_channel_core *chan);
int zio_cset_refresh(struct zio_cset_core *cset);
struct zio_snapshot **zio_snapshots_prepare(struct zio_cset_core *cset);
void zio_snapshots_publish(struct zio_cset_core *cset, struct zio_snapshot **snap);
void zio_snapshots_discard(struct zio_cset_core *cset, struct zio_snapshot **snap);
void zio_block_renew_snapshot(struct zio_channel_core *chan,
			      struct zio_block *block);

/* Any context; the caller owns the block. */
static inline void zio_block_snapshot(struct zio_channel_core *chan,
				      struct zio_block *block)
{
	if (unlikely(to_block_core(block)->snap != rcu_access_pointer(chan->snap)))
		zio_block_renew_snapshot(chan, block);
}

/* Puts what belongs to the block alone over a copy of its snapshot. */
static inline void zio_control_fill(struct zio_control *ctrl,
				    const struct zio_block *block,
				    unsigned int ssize)
{
	ctrl->zio_alarms = block->zio_alarms;
	ctrl->drv_alarms = block->drv_alarms;
	ctrl->seq_num = to_block_core(block)->seq;
	if (ssize <= 1)
		ctrl->nsamples = block->len;
	else
		ctrl->nsamples = block->len / ssize;
	ctrl->tstamp = block->tstamp;
	ctrl->mem_offset = lower_32_bits(to_block_core(block)->mem_offset);
	ctrl->reserved = upper_32_bits(to_block_core(block)->mem_offset);
	if (unlikely(ctrl->tlv[0].type == ZIO_TLV_BLOCK_INFO))
		memcpy(ctrl->tlv[0].payload, &block->info, sizeof(block->info));
}

static inline u64 zio_control_offset(const struct zio_control *ctrl)
{
	return ctrl->mem_offset | (u64)ctrl->reserved << 32;
}

bool zio_control_names(const struct zio_control *ctrl,
		       const struct zio_channel_core *chan);
int zio_control_check(const struct zio_channel_core *chan,
		      const struct zio_control *ctrl, size_t size);

/* attr.c */
int zio_attrs_create(struct zio_cset_core *cset, struct zio_channel_core *chan);
void zio_attrs_remove(struct zio_cset_core *cset, struct zio_channel_core *chan);
int zio_attr_parse(const char *text, u32 *value);
int zio_attr_parse_bool(const char *text, bool *value);

/* enable.c */
int zio_cset_enable(struct zio_cset_core *cset, bool enable);
int zio_channel_enable(struct zio_channel_core *chan, bool enable);
void zio_cset_list_active(struct zio_cset_core *cset);
void zio_kobj_del(struct kobject *kobj);

/* As __ATTR(), for names that are not C identifiers. */
#define ZIO_FILE(_name, _mode, _show, _store) {			\
	.attr = { .name = _name, .mode = _mode },		\
	.show = _show, .store = _store }

/* sysfs-cset.c */
extern const struct kobj_type zio_cset_ktype;
extern const struct kobj_type zio_channel_ktype;

/* sysfs-buffer.c */
extern const struct kobj_type zio_buffer_ktype;

/* sysfs-trigger.c */
extern const struct kobj_type zio_binding_ktype;
int zio_binding_add_files(struct zio_binding *bind);

/* device.c */
struct zio_cset_core *zio_cset_find(const char *address);
extern struct bus_type zio_bus;
int zio_bus_init(void);
void zio_bus_exit(void);

/* cset.c */
struct zio_cset_core *zio_cset_create(struct zio_device *zdev,
				 const struct zio_cset_desc *desc,
				 unsigned int index);
void zio_cset_shutdown(struct zio_cset_core *cset);
void zio_cset_remove(struct zio_cset_core *cset);

/* node.c */
int zio_nodes_init(void);
void zio_nodes_exit(void);
int zio_nodes_create(struct zio_channel_core *chan);
void zio_nodes_remove(struct zio_channel_core *chan);
void zio_cset_put_file(struct zio_cset_core *cset);

/* limits.c */

/* Much memory for a user: one whose cgroup has no more is refused, not killed. */
#define ZIO_GFP_USER	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

bool zio_user_has_room(const struct zio_channel_core *chan);
const struct cred *zio_pages_pin(unsigned long n);
void zio_pages_unpin(const struct cred *owner, unsigned long n);

/* session.c */
struct zio_session {
	struct list_head node;
	struct zio_channel_core *chan;
	struct pid *tgid;
	kuid_t owner;
	refcount_t ref; /* its users, and each session that is tied to it */
	unsigned int users;
	struct zio_session *source; /* output: tied to this one, see share.c */
	u32 dropped; /* chan->dropped, when last looked at */
	struct zio_block *block;
	bool ctrl_seen;
	unsigned int n_more;
	struct list_head more;
	struct zio_snapshot *snap;
	struct zio_control ctrl;
};

struct zio_session *zio_session_open(struct zio_channel_core *chan);
void zio_session_close(struct zio_session *sess);
void zio_session_drop(struct zio_session *sess);
void zio_sessions_drop(struct zio_channel_core *chan);
int zio_session_wait_lock(struct zio_session *sess);
int zio_session_next(struct zio_session *sess, bool nowait);
int zio_session_next_full(struct zio_session *sess, bool nowait);
int zio_session_next_unless(struct zio_session *sess,
			    bool (*unless)(struct zio_session *sess, void *arg),
			    void *arg);
struct zio_block *zio_session_fetch(struct zio_session *sess);
void zio_session_hold(struct zio_session *sess, struct zio_block *block);
void zio_session_requeue(struct zio_session *sess, struct zio_block *block);
void zio_session_advance(struct zio_session *sess);
void zio_channel_notify_room(struct zio_channel_core *chan);

/* Who next puts a block, wakes all. The channel's lock is held. */
static inline void zio_channel_mark_starved(struct zio_channel_core *chan)
{
	if (!chan->starved)
		chan->sleepers++;
	WRITE_ONCE(chan->starved, true);
}

void zio_session_submit(struct zio_session *sess);
void zio_session_flush(struct zio_session *sess);

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

/* splice.c */
struct zio_loan *zio_loan_create(struct zio_channel_core *chan,
				 struct zio_block *block);
bool zio_loan_get(struct zio_loan *loan);
void zio_loan_put(struct zio_loan *loan);
void zio_loans_recall(struct zio_channel_core *chan);
void zio_lender_free(struct zio_lender *lender);
ssize_t zio_data_splice_read(struct file *in, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags);

/* share.c */

/* Some of the samples of a block, in bytes from its beginning. */
struct zio_range {
	size_t pos;
	size_t len;
};

void zio_share_end(struct zio_block *out_block);
void zio_share_copy(struct zio_channel_core *out, struct zio_block *out_block,
		    const struct zio_block *block, struct zio_range range,
		    int reason);
int zio_share_fill(struct zio_channel_core *out, struct zio_block *out_block,
		   struct zio_buffer *buf, struct zio_block *block,
		   struct zio_range range, bool only);
void zio_share_describe(const struct zio_channel_core *out, struct zio_control *ctrl);
int zio_share_submit(struct zio_session *sess);
void zio_share_unlink(struct zio_session *sess);
void zio_block_put_shared(struct zio_block *block);
long zio_node_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* Any context. An output block, from whoever has it, to its buffer. */
static inline void zio_output_put(struct zio_channel_core *chan,
				  struct zio_block *block)
{
	if (unlikely(to_block_core(block)->source))
		zio_share_end(block);
	chan->buf->type->ops->put_block(chan->buf, block);
}

/* A block that was in a user's hand, and that others may have, too. */
static inline void zio_block_put(struct zio_channel_core *chan,
				 struct zio_block *block)
{
	if (unlikely(to_block_core(block)->home))
		zio_block_put_shared(block);
	else
		chan->buf->type->ops->put_block(chan->buf, block);
}

/* The session's block is free again. */
static inline void zio_session_put(struct zio_session *sess)
{
	struct zio_channel_core *chan = sess->chan;

	zio_block_put(chan, sess->block);
	sess->block = NULL;
	if (unlikely(sess->n_more))
		zio_session_advance(sess);
	if (unlikely(chan->sleepers))
		zio_channel_notify_room(chan);
}

/* route.c */
int zio_route_connect(struct zio_channel_core *out, const char *text);
ssize_t zio_route_show(struct zio_channel_core *out, char *page);
void zio_routes_cut(struct zio_cset_core *cset);
bool zio_route_block(struct zio_channel_core *in, struct zio_block *block);
bool zio_route_has_room(struct zio_channel_core *in);
void zio_route_wake(struct zio_channel_core *chan);
void zio_cset_pause_routes(struct zio_cset_core *cset);

/* Any context. There may be room at the output now, for who feeds it. */
static inline void zio_route_notify_room(struct zio_channel_core *out)
{
	if (unlikely(rcu_access_pointer(out->route)))
		zio_route_wake(out);
}

/* merge.c */
void zio_channel_merge(struct zio_channel_core *chan, struct zio_block *first);
int zio_buffer_set_merge(struct zio_buffer *buf, u32 value);

static inline bool zio_buffer_can_merge(const struct zio_buffer *buf)
{
	return buf->type->has_area && buf->type->ops->oldest &&
		!zio_cset_is_output(buf->chan->cset);
}

/* area.c */
struct zio_area *zio_area_alloc_charged(size_t size);
struct zio_area *zio_area_get(struct zio_area __rcu **from);
bool zio_area_lend(struct zio_area *area);
void zio_area_return(struct zio_area *area);
int zio_area_map(struct zio_area *area, struct vm_area_struct *vma, bool write);

/* dma.c */
bool zio_memory_is_below(const void *mem, size_t len, unsigned int bits);

/* ring.c */
struct zio_ring {
	struct zio_area *area;
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	unsigned int mask;
	u32 merged; /* by those who read before: see merge.c */
	int error; /* of a driver that a poll has asked */
	atomic_t asked; /* blocks that polls have fired for */
	u64 *filled; /* of which snapshot the slots are */
};

int zio_ring_open(struct zio_channel_core *chan);
void zio_ring_close(struct zio_channel_core *chan, unsigned int own_files);
void zio_ring_count_asked(struct zio_channel_core *chan, unsigned int n);
struct zio_ring *zio_ring_stop(struct zio_channel_core *chan);
void zio_ring_free(struct zio_ring *ring);
void zio_ring_fail(struct zio_channel_core *chan, int error);
int zio_ring_error(struct zio_channel_core *chan);
void zio_ring_push(struct zio_channel_core *chan, struct zio_block *block);
bool zio_ring_reap(struct zio_channel_core *chan);
int zio_ring_count(struct zio_channel_core *chan);
int zio_ring_map(struct zio_channel_core *chan, struct vm_area_struct *vma);

/* sync.c */
int zio_node_sync(struct file *file, loff_t start, loff_t end, int datasync);

/* sniff.c */
int zio_sniff_init(void);
void zio_sniff_exit(void);

/* poll.c */
__poll_t zio_poll_data_in(struct file *file, struct poll_table_struct *wait);
__poll_t zio_poll_ctrl_in(struct file *file, struct poll_table_struct *wait);
__poll_t zio_poll_out(struct file *file, struct poll_table_struct *wait);

/* chardev.c */

/* Between two blocks: others run, and signals are looked at. */
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

/* Whether it is the control node of an input, open for reading and writing. */
static inline bool zio_has_ring(const struct file *file)
{
	return file->f_op == &zio_ctrl_in_fops && (file->f_mode & FMODE_WRITE);
}

#endif /* _ZIO_INTERNAL_H */
