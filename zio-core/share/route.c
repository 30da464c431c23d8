// SPDX-License-Identifier: GPL-2.0-only
/*
 * route.c: an input feeds outputs without a program
 *
 * A route leads from an input to an output. An output has at most one route; an input has a
 * list of them. A block that the engine finishes goes to all outputs in the list, by
 * reference (share.c), instead of into the input's queue.
 *
 *   in: raw_io() --> route --> out: queue --> raw_io() --.
 *     ^         `--> route --> out: queue --> raw_io() --|
 *     |                                                  |
 *     `--- work of the first route <-- "there is room" --'
 *
 * The context that finishes the block owns the phase of the input's set. So only one
 * context at a time takes blocks from an output's buffer and pushes them to its queue, and
 * it needs no lock. Meanwhile users are refused: a read() of the input and a write() to the
 * output fail with EBUSY. The buffer of the output stays in place:
 *
 *   E  zio_cset_freeze() of an output's set puts FREEZE into the state and then waits for a
 *      grace period. It pairs with get_block() and has_room(), which check the state under
 *      RCU and leave alone the buffer of a set that is frozen or gone. Without it, a route
 *      could take a block from a buffer that is being replaced. The check is an acquire: a
 *      route that finds the set unfrozen (C) finds the new buffer.
 *
 * An output that stalls holds no more than its quota of the input's memory: further blocks
 * are copied into its own memory. An output without room loses the block, counts the loss
 * and raises an alarm. Other outputs still get the block.
 *
 * Some inputs must be asked for blocks: those with a trigger on demand, and those whose set
 * is armed whenever it has room. The work of the input's first route asks when an output
 * gets room, so neither recurses into the other. Asking loses no block, because the engine
 * calls input_has_room() before it fires. After a driver error, the work waits before it
 * asks again. When the first route is removed, the next one takes over.
 *
 * An output on demand plays at once, in the same context. Its driver may finish blocks of
 * another input, which feeds outputs in turn. Where such calls nest too deep, the work
 * takes over.
 *
 * zio_routes_lock protects out->route and in->routes. Other contexts find a route under
 * RCU; it is freed after a grace period.
 */
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "share/internal.h"

/* Maximum number of blocks that the work asks an input for in one run */
#define ROUTE_BATCH	64

/* Maximum nesting of outputs and inputs that trigger each other */
#define ROUTE_DEPTH	4

/* Delay after a driver error */
#define ROUTE_RETRY	(HZ / 10)

struct zio_route {
	struct hlist_node node; /* of in->routes */
	struct zio_channel_core *in;
	struct zio_channel_core *out;
	struct delayed_work filler; /* asks the input, if this is its first route */
};

static DEFINE_MUTEX(zio_routes_lock);
static DEFINE_PER_CPU(unsigned int, zio_route_depth);

/* Called under RCU or with zio_routes_lock held. */
static struct zio_route *first_route(struct zio_channel_core *in)
{
	return hlist_entry_safe(rcu_dereference_check(hlist_first_rcu(&in->routes),
						      lockdep_is_held(&zio_routes_lock)),
				struct zio_route, node);
}

/* Context: Any, under RCU or zio_routes_lock. */
static void queue_filler(struct zio_channel_core *in)
{
	struct zio_route *first = first_route(in);

	if (first)
		queue_delayed_work(zio_wq, &first->filler, 0);
}

/*
 * Called when an output may have room, or the input may be armed again. While the filler
 * runs, it looks for room itself, so its own blocks do not queue it again. Context: Any,
 * under RCU.
 */
static void kick_filler(struct zio_channel_core *in)
{
	struct zio_route *first = first_route(in);
	struct zio_cset_core *cset = in->cset;
	bool failed;

	if (!first || current_work() == &first->filler.work)
		return;
	if (!READ_ONCE(cset->on_demand) && !READ_ONCE(cset->rearm))
		return;
	/* A set whose raw_io() sleeps reports its error here. */
	failed = READ_ONCE(cset->error) && xchg(&cset->error, 0);
	queue_delayed_work(zio_wq, &first->filler, failed ? ROUTE_RETRY : 0);
}

/*
 * An output with this many queued blocks gets copies, so it holds no more shared ones. The
 * input keeps two blocks of each quota for the next events.
 */
static bool is_quota_used(const struct zio_route *route)
{
	unsigned int quota = READ_ONCE(route->in->len) /
		max(READ_ONCE(route->in->n_routes), 1u);

	return zio_queue_count(&route->out->queue) >= max(quota, 3u) - 2;
}

static bool has_room(const struct zio_route *route)
{
	struct zio_channel_core *out = route->out;

	return !zio_cset_is_frozen(out->cset) &&			/* E */
		!is_quota_used(route) &&
		out->buf->type->ops->has_room(out->buf);
}

/* Called by the owner of the phase of the input's set. One output with room is enough. */
static bool input_has_room(struct zio_channel_core *in)
{
	struct zio_route *route;
	bool room = false;

	rcu_read_lock();
	hlist_for_each_entry_rcu(route, &in->routes, node)
		room = room || has_room(route);
	rcu_read_unlock();
	return room;
}

static struct zio_block *get_block(struct zio_channel_core *out, size_t len)
{
	if (zio_cset_is_frozen(out->cset) ||			/* E */
	    len > out->buf->block_size)
		return NULL;
	return out->buf->type->ops->get_block(out->buf);
}

static __always_inline void feed_output(const struct zio_route *route, struct zio_block *block)
{
	struct zio_channel_core *out = route->out;
	struct zio_block *out_block = get_block(out, block->len);

	if (unlikely(!out_block)) {
		WRITE_ONCE(out->route_lost, out->route_lost + 1);
		zio_trace_lost(out->cset, out, 1, out->seq, ZIO_LOSS_ROUTE, 0);
		zio_channel_raise(out, ZIO_ALARM_LOST_BLOCK);
		return;
	}
	if (unlikely(is_quota_used(route)))
		zio_share_copy(out, out_block, block->data, block->len, -ENOBUFS);
	else
		zio_share_fill(out, out_block, route->in->buf, block, block->data, block->len,
			       false);
	out_block->tstamp = block->tstamp;
	out_block->zio_alarms = 0;
	out_block->drv_alarms = 0;
	if (unlikely(out_block->values))
		zio_block_reset_values(out, out_block);
	if (unlikely(atomic_read(&out->alarms_new)))
		zio_block_take_alarms(out, out_block);
	to_block_core(out_block)->lost = 0; /* only controls of inputs report it */
	to_block_core(out_block)->missed = 0;
	to_block_core(out_block)->seq = out->seq++;
	zio_output_push(out, out_block);
}

static void play_outputs(struct zio_channel_core *in)
{
	struct zio_route *route;

	hlist_for_each_entry_rcu(route, &in->routes, node)
		zio_cset_kick(route->out->cset);
}

static __always_inline void play_or_defer(struct zio_channel_core *in)
{
	bool play;

	if (zio_must_defer()) {
		queue_filler(in);
		return;
	}
	play = zio_nest_enter(&zio_route_depth, ROUTE_DEPTH);
	if (play)
		play_outputs(in);
	zio_nest_leave(&zio_route_depth);
	if (play)
		kick_filler(in);
	else
		queue_filler(in);
}

/*
 * Called when blocks of a stream are done. A route that has just been removed still takes
 * the block: its output is released after a grace period. Blocks that found no route go to
 * the input's readers.
 */
static void publish_blocks(struct zio_channel_core *in, unsigned int n)
{
	struct zio_route *route;
	struct zio_block *block;

	zio_queue_publish(&in->queue, n);
	rcu_read_lock();
	while ((route = first_route(in)) && (block = zio_queue_pop(&in->queue))) {
		hlist_for_each_entry_from_rcu(route, node)
			feed_output(route, block);
		zio_block_put(in, block);
	}
	play_or_defer(in);
	rcu_read_unlock();
	if (zio_queue_count(&in->queue))
		zio_channel_wake_reader(in);
}

/*
 * Called by the owner of the phase of the input's set, or with the set frozen. If the last
 * route has just been removed, the block goes to the input's readers.
 */
static void push_block(struct zio_channel_core *in, struct zio_block *block)
{
	struct zio_route *route;
	bool fed = false;

	rcu_read_lock();
	hlist_for_each_entry_rcu(route, &in->routes, node) {
		feed_output(route, block);
		fed = true;
	}
	if (likely(fed)) {
		zio_block_put(in, block);
		play_or_defer(in);
	}
	rcu_read_unlock();
	if (likely(fed))
		return;
	zio_queue_push(&in->queue, block);
	zio_channel_wake_reader(in);
}

/* Called when an input or an output has changed: see kick_filler(). */
static void notify_route(struct zio_channel_core *chan)
{
	struct zio_route *route;

	rcu_read_lock();
	route = rcu_dereference(chan->route);
	kick_filler(route ? route->in : chan);
	rcu_read_unlock();
}

static const struct zio_channel_ops input_ops = {
	.push = push_block,
	.publish = publish_blocks,
	.has_room = input_has_room,
	.notify = notify_route,
};

static const struct zio_channel_ops output_ops = {
	.notify = notify_route,
};

/* Returns as zio_cset_arm_channel(); -ENOBUFS if the set is armed whenever it has room. */
static int ask_input(struct zio_channel_core *in)
{
	unsigned int n = 0;
	int ret;

	if (!READ_ONCE(in->enabled))
		return -ESHUTDOWN;
	if (READ_ONCE(in->cset->rearm)) {
		zio_cset_kick(in->cset);
		return -ENOBUFS;
	}
	if (!READ_ONCE(in->cset->on_demand))
		return -ESHUTDOWN;
	do {
		ret = zio_cset_arm_channel(in, ZIO_ARM_WAKE, 1);
	} while (!ret && ++n < ROUTE_BATCH);
	return ret;
}

static void run_filler(struct work_struct *work)
{
	struct zio_route *route = container_of(to_delayed_work(work),
					       struct zio_route, filler);
	int ret = -ESHUTDOWN;

	rcu_read_lock();
	play_outputs(route->in);
	if (route == first_route(route->in))
		ret = ask_input(route->in);
	rcu_read_unlock();
	if (!ret)
		queue_delayed_work(zio_wq, &route->filler, 0);
	else if (zio_is_driver_error(ret))
		mod_delayed_work(zio_wq, &route->filler, ROUTE_RETRY);
}

static struct zio_route *alloc_route(struct zio_channel_core *in,
				     struct zio_channel_core *out)
{
	struct zio_route *route = kzalloc(sizeof(*route), GFP_KERNEL);

	if (!route)
		return NULL;
	route->in = in;
	route->out = out;
	kobject_get(&in->kobj);
	kobject_get(&out->kobj);
	INIT_DELAYED_WORK(&route->filler, run_filler);
	return route;
}

static void free_route(struct zio_route *route)
{
	kobject_put(&route->in->kobj);
	kobject_put(&route->out->kobj);
	kfree(route);
}

/* Shuts users out. From now on the input's context takes the output's blocks. */
static void claim_output(struct zio_route *route)
{
	struct zio_channel_core *out = route->out;
	struct zio_session *sess;

	mutex_lock(&out->lock);
	list_for_each_entry(sess, &out->sessions, node)
		if (sess->block) {
			zio_session_mark_stale(sess);
			zio_session_flush(sess);
		}
	out->slowpath = true;
	rcu_assign_pointer(out->route, route);
	WRITE_ONCE(out->ops, &output_ops);
	mutex_unlock(&out->lock);
	zio_channel_wake(out, ZIO_WAKE_OUT);
}

static void release_output(struct zio_channel_core *out)
{
	mutex_lock(&out->lock);
	WRITE_ONCE(out->ops, NULL);
	RCU_INIT_POINTER(out->route, NULL);
	out->slowpath = out->n_stale;
	if (list_empty(&out->sessions))
		zio_ostream_hasten(out, ZIO_HASTE_LAST);
	mutex_unlock(&out->lock);
	zio_channel_wake(out, ZIO_WAKE_OUT);
}

static void add_route(struct zio_route *route)
{
	WRITE_ONCE(route->in->n_routes, route->in->n_routes + 1);
	hlist_add_tail_rcu(&route->node, &route->in->routes);
}

/*
 * Starts the first route of an input. The outputs get the queued blocks before new ones.
 * Blocks of readers are taken back: nobody can read them any more, and they would tie up
 * memory.
 */
static void start_feeding(struct zio_route *route)
{
	struct zio_channel_core *in = route->in;
	struct zio_block *block;

	mutex_lock(&in->lock);
	zio_cset_freeze(in->cset);
	zio_sessions_drop(in);
	zio_channel_settle_alarms(in);
	in->slowpath = true;
	WRITE_ONCE(in->has_former_outputs, zio_buffer_is_shared(in->buf));
	add_route(route);
	WRITE_ONCE(in->ops, &input_ops);
	while ((block = zio_queue_pop(&in->queue)))
		push_block(in, block);
	zio_channel_wake(in, ZIO_WAKE_IN);
	zio_cset_unfreeze(in->cset);
	mutex_unlock(&in->lock);
}

static void stop_feeding(struct zio_channel_core *in)
{
	mutex_lock(&in->lock);
	WRITE_ONCE(in->ops, NULL);
	zio_channel_forget_gap(in);
	mutex_unlock(&in->lock);
	zio_channel_wake(in, ZIO_WAKE_IN);
}

/* Called with zio_routes_lock held. The output has no route. */
static int connect(struct zio_route *route)
{
	struct zio_channel_core *in = route->in, *out = route->out;
	int ret = 0;

	mutex_lock(&out->cset->mutex);
	mutex_lock_nested(&in->cset->mutex, SINGLE_DEPTH_NESTING);
	if (in->cset->gone || out->cset->gone) {
		ret = -ENODEV;
	} else if (zio_channel_has_ring(in)) {
		ret = -EBUSY;
	} else {
		claim_output(route);
		if (in->ops)
			add_route(route);
		else
			start_feeding(route);
	}
	mutex_unlock(&in->cset->mutex);
	mutex_unlock(&out->cset->mutex);
	notify_route(in);
	return ret;
}

static struct zio_route *find_route(struct zio_channel_core *out)
{
	return rcu_dereference_protected(out->route,
					 lockdep_is_held(&zio_routes_lock));
}

/* Called with zio_routes_lock held. */
static void disconnect(struct zio_channel_core *out)
{
	struct zio_route *route = find_route(out);
	struct zio_channel_core *in;

	if (!route)
		return;
	in = route->in;
	hlist_del_rcu(&route->node);
	WRITE_ONCE(in->n_routes, in->n_routes - 1);
	WRITE_ONCE(in->has_former_outputs, true);
	if (!in->n_routes)
		stop_feeding(in);
	/* After this, no context feeds the output or queues the filler. */
	synchronize_rcu();
	release_output(out);
	/* The context that fed the last block may have played without seeing the route. */
	zio_cset_kick(out->cset);
	synchronize_rcu();
	cancel_delayed_work_sync(&route->filler);
	/* The next filler takes over from the cancelled one. The quotas are larger now. */
	queue_filler(in);
	free_route(route);
}

/* Called with zio_routes_lock held. */
static int replace_source(struct zio_channel_core *out, struct zio_channel_core *in)
{
	struct zio_route *route = find_route(out);
	int ret;

	if (zio_cset_is_output(in->cset))
		return -ENOMSG;
	if (in->cset->ssize != out->cset->ssize)
		return -EPROTOTYPE;
	if (in->cset->block_len > out->cset->block_len)
		return -EMSGSIZE;
	if (route && route->in == in)
		return 0;
	if (zio_channel_has_ring(in))
		return -EBUSY;
	route = alloc_route(in, out);
	if (!route)
		return -ENOMEM;
	disconnect(out);
	ret = connect(route);
	if (ret)
		free_route(route);
	return ret;
}

/*
 * Feeds an output from an input; if @in is NULL, gives it back to its users. Context:
 * Process, sleeps; the caller holds no lock. Returns 0; -ENODEV if a board goes away;
 * -ENOMSG if @in is an output; -EPROTOTYPE if its samples have another size; -EMSGSIZE if
 * its blocks are larger; -EBUSY if it has a ring; -ENOMEM; -EINTR. On error nothing has
 * changed, except that the former route may have ended if a board goes away meanwhile.
 */
__cold int zio_route_connect(struct zio_channel_core *out, struct zio_channel_core *in)
{
	int ret = 0;

	if (mutex_lock_killable(&zio_routes_lock))
		return -EINTR;
	if (in)
		ret = replace_source(out, in);
	else
		disconnect(out);
	mutex_unlock(&zio_routes_lock);
	return ret;
}

/* Prints the address of the input that feeds an output, or "none". Returns the length. */
ssize_t zio_route_show(struct zio_channel_core *out, char *page)
{
	const struct zio_channel_core *in;
	const struct zio_route *route;
	ssize_t len = sysfs_emit(page, "none\n");

	rcu_read_lock();
	route = rcu_dereference(out->route);
	if (route) {
		in = route->in;
		len = sysfs_emit(page, "%s-%u-%u\n", dev_name(&in->cset->zdev->dev),
				 in->cset->pub.index, in->pub.index);
	}
	rcu_read_unlock();
	return len;
}

/* Ends all routes from and to a set. It is gone, so no route to it can begin. */
void zio_routes_cut(struct zio_cset_core *cset)
{
	struct zio_route *route;
	unsigned int i;

	mutex_lock(&zio_routes_lock);
	for (i = 0; i < cset->n_chan; i++) {
		while ((route = first_route(cset->chan[i])))
			disconnect(route->out);
		disconnect(cset->chan[i]);
	}
	mutex_unlock(&zio_routes_lock);
}
