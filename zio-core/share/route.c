// SPDX-License-Identifier: GPL-2.0-only
/*
 * route.c: an input that feeds outputs, with no user space at all
 *
 * An output has one *route* at most, an input one *feed*, which is the list of its
 * routes. Each block that the input finishes goes to all of them by reference
 * (share.c), in whatever context the engine finishes it, instead of into its queue.
 *
 *   in: raw_io() done --> feed --> route --> out: queue --> raw_io() --.
 *     ^                     |                                          |
 *     `--- block is back ---|<-- "there is room" (work item) ----------'
 *
 * Who finishes the input's blocks owns the phase of the input's set. So there is one
 * who takes blocks from an output's buffer, and pushes them to its queue, as long
 * as users are kept away: a write says EBUSY, and a read of the input, too. It holds
 * no lock: that the output's buffer does not change meanwhile is seen to otherwise:
 *
 *   Y  who holds the output's set says so in its state, then waits for a grace period
 *      if a channel of it has a route; who feeds it looks at the state under RCU,
 *      and gives nothing to a set that is held, or gone. Without, blocks could be
 *      taken from a buffer that is just replaced. The look is an acquire: whoever
 *      finds the set released again (C) finds the new buffer, too.
 *
 * An output that stands still has no more than its part of the input's memory: what
 * comes then is copied into its own. One that has no room loses the block, and no other
 * does: that is counted, and told by an alarm in its next block. An input whose
 * trigger is on demand, or that is armed whenever it can be, is asked again as soon as
 * one of its outputs has room: by a work item, so that neither recurses into the other.
 * The engine asks zio_route_has_room() before it fires, so nothing is lost by asking. A
 * driver that fails is asked again after a while.
 *
 * An output on demand plays at once, in the same context. Inputs that are fed through
 * a driver by outputs that are fed by inputs nest; deep ones go on in a work item.
 *
 * zio_routes_lock protects which routes there are. Routes and feeds are freed after a
 * grace period: everybody else finds them under RCU.
 */
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "share/internal.h"
#include "engine/nest.h"

/* Blocks that an input is asked for at a stretch */
#define FEED_BATCH	64

/* Outputs that play because an input is done because an output has played ... */
#define FEED_DEPTH	4

/* After an error of the driver */
#define FEED_RETRY	(HZ / 10)

struct zio_feed {
	struct zio_channel_core *in;
	struct list_head routes;
	unsigned int n_routes;
	struct delayed_work work;
	struct task_struct *asker; /* who runs the work and asks */
};

struct zio_route {
	struct list_head node; /* of feed->routes */
	struct zio_feed *feed;
	struct zio_channel_core *out;
};

static DEFINE_MUTEX(zio_routes_lock);
static DEFINE_PER_CPU(unsigned int, zio_feed_depth);

/* Any context, under RCU. */
static void kick_feed(struct zio_feed *feed)
{
	struct zio_cset_core *cset = feed->in->cset;
	bool failed;

	if (in_task() && READ_ONCE(feed->asker) == current)
		return;
	/* A set that sleeps tells its error here. */
	failed = READ_ONCE(cset->error) && xchg(&cset->error, 0);
	queue_delayed_work(zio_wq, &feed->work, failed ? FEED_RETRY : 0);
}

static bool is_asked(const struct zio_cset_core *cset)
{
	return READ_ONCE(cset->on_demand) || READ_ONCE(cset->rearm);
}

/*
 * Something has changed at a channel: there may be room, or its set may be fired. The
 * input that it is, or that feeds it, is asked again.
 */
static void notify_route(struct zio_channel_core *chan)
{
	struct zio_feed *feed;
	struct zio_route *route;

	rcu_read_lock();
	feed = rcu_dereference(chan->feed);
	route = rcu_dereference(chan->route);
	if (route)
		feed = route->feed;
	if (feed && is_asked(feed->in->cset))
		kick_feed(feed);
	rcu_read_unlock();
}

/*
 * Does it have its part of the input's memory? Blocks at the end of its queue are
 * copies if there are so many in all: so those that are shared are fewer. Two are for
 * the input to go on with.
 */
static bool has_its_part(const struct zio_feed *feed,
			 const struct zio_channel_core *out)
{
	unsigned int part = READ_ONCE(feed->in->len) /
		max(READ_ONCE(feed->n_routes), 1u);

	return zio_queue_count(&out->queue) >= max(part, 3u) - 2;
}

static bool has_room(const struct zio_feed *feed, const struct zio_channel_core *out)
{
	return !zio_cset_is_frozen(out->cset) &&			/* Y */
		!has_its_part(feed, out) &&
		out->buf->type->ops->has_room(out->buf);
}

/*
 * Has one of the outputs room for a block? The caller owns the phase of the input's
 * set. An output without room does not stop the others.
 */
static bool input_has_room(struct zio_channel_core *in)
{
	struct zio_route *route;
	struct zio_feed *feed;
	bool room = false;

	rcu_read_lock();
	feed = rcu_dereference(in->feed);
	if (feed)
		list_for_each_entry_rcu(route, &feed->routes, node)
			room = room || has_room(feed, route->out);
	rcu_read_unlock();
	return room;
}

static struct zio_block *get_block(struct zio_channel_core *out, size_t len)
{
	if (zio_cset_is_frozen(out->cset) ||			/* Y */
	    len > out->buf->block_size)
		return NULL;
	return out->buf->type->ops->get_block(out->buf);
}

static void count_lost_block(struct zio_channel_core *out)
{
	WRITE_ONCE(out->route_lost, out->route_lost + 1);
	zio_channel_raise(out, ZIO_ALARM_LOST_BLOCK);
}

static void feed_output(const struct zio_feed *feed, struct zio_channel_core *out,
			struct zio_block *block)
{
	struct zio_range all = { .len = block->len };
	struct zio_block *out_block = get_block(out, block->len);

	if (unlikely(!out_block)) {
		count_lost_block(out);
		return;
	}
	if (unlikely(has_its_part(feed, out)))
		zio_share_copy(out, out_block, block, all, -ENOBUFS);
	else
		zio_share_fill(out, out_block, feed->in->buf, block, all, false);
	out_block->tstamp = block->tstamp;
	out_block->zio_alarms = 0;
	out_block->drv_alarms = 0;
	if (unlikely(atomic_read(&out->alarms_new)))
		zio_block_take_alarms(out, out_block);
	to_block_core(out_block)->seq = out->seq++;
	zio_queue_push(&out->queue, out_block);
}

static void play_outputs(struct zio_feed *feed)
{
	struct zio_route *route;

	list_for_each_entry_rcu(route, &feed->routes, node)
		zio_cset_kick(route->out->cset);
}

/* At once, if the stack is not that of too many others already. */
static void play_or_defer(struct zio_feed *feed)
{
	bool play = zio_nest_enter(&zio_feed_depth, FEED_DEPTH);

	if (play)
		play_outputs(feed);
	zio_nest_leave(&zio_feed_depth);
	if (!play)
		queue_delayed_work(zio_wq, &feed->work, 0);
	else if (is_asked(feed->in->cset))
		kick_feed(feed);
}

/* False: the last route has just gone. */
static bool feed_outputs(struct zio_feed *feed, struct zio_block *block)
{
	struct zio_channel_core *in = feed->in;
	struct zio_route *route;
	bool any = false;

	list_for_each_entry_rcu(route, &feed->routes, node) {
		feed_output(feed, route->out, block);
		any = true;
	}
	if (!any)
		return false;
	zio_block_put(in, block);
	play_or_defer(feed);
	return true;
}

/*
 * A block of an input goes to the outputs that the input feeds. The caller owns the
 * phase of its set, or has frozen it. When the last route has just gone, the block is
 * for the input's readers.
 */
static void push_block(struct zio_channel_core *in, struct zio_block *block)
{
	struct zio_feed *feed;
	bool fed;

	rcu_read_lock();
	feed = rcu_dereference(in->feed);
	fed = feed && feed_outputs(feed, block);
	rcu_read_unlock();
	if (fed)
		return;
	zio_queue_push(&in->queue, block);
	zio_channel_wake_reader(in, zio_queue_count(&in->queue));
}

/* -ENOBUFS, or who keeps it from being fired; or the driver's error. */
static int ask_input(struct zio_feed *feed)
{
	struct zio_channel_core *in = feed->in;
	unsigned int n = 0;
	int ret;

	if (rcu_access_pointer(in->feed) != feed || !READ_ONCE(in->enabled))
		return -ESHUTDOWN;
	if (READ_ONCE(in->cset->rearm)) {
		zio_cset_kick(in->cset);
		return -ENOBUFS;
	}
	if (!READ_ONCE(in->cset->on_demand))
		return -ESHUTDOWN;
	do {
		ret = zio_cset_arm_channel(in, ZIO_ARM_WAKE);
	} while (!ret && ++n < FEED_BATCH);
	return ret;
}

static void run_feed(struct work_struct *work)
{
	struct zio_feed *feed = container_of(to_delayed_work(work),
					     struct zio_feed, work);
	int ret;

	rcu_read_lock();
	play_outputs(feed);
	WRITE_ONCE(feed->asker, current);
	ret = ask_input(feed);
	WRITE_ONCE(feed->asker, NULL);
	rcu_read_unlock();
	if (!ret)
		queue_delayed_work(zio_wq, &feed->work, 0);
	else if (zio_is_driver_error(ret))
		mod_delayed_work(zio_wq, &feed->work, FEED_RETRY);
}

static int check_channels(struct zio_channel_core *in, struct zio_channel_core *out)
{
	if (zio_cset_is_output(in->cset))
		return -ENOMSG;
	if (in->cset->ssize != out->cset->ssize)
		return -EPROTOTYPE;
	if (in->cset->block_len > out->cset->block_len)
		return -EMSGSIZE;
	return 0;
}

static struct zio_feed *alloc_feed(struct zio_channel_core *in)
{
	struct zio_feed *feed = kzalloc(sizeof(*feed), GFP_KERNEL);

	if (!feed)
		return NULL;
	feed->in = in;
	kobject_get(&in->kobj);
	INIT_LIST_HEAD(&feed->routes);
	INIT_DELAYED_WORK(&feed->work, run_feed);
	return feed;
}

static void free_feed(struct zio_feed *feed)
{
	cancel_delayed_work_sync(&feed->work);
	kobject_put(&feed->in->kobj);
	kfree(feed);
}

static const struct zio_channel_ops input_ops = {
	.push = push_block,
	.has_room = input_has_room,
	.notify = notify_route,
};

static const struct zio_channel_ops output_ops = {
	.notify = notify_route,
};

/* From now on users are refused, and blocks are taken by who feeds it. */
static int claim_output(struct zio_channel_core *out, struct zio_route *route)
{
	struct zio_cset_core *cset = out->cset;
	struct zio_session *sess;
	int ret = -ENODEV;

	mutex_lock(&cset->mutex);
	if (cset->gone)
		goto out;
	mutex_lock(&out->lock);
	list_for_each_entry(sess, &out->sessions, node)
		if (sess->block)
			zio_session_flush(sess);
	out->slowpath = true;
	rcu_assign_pointer(out->route, route);
	WRITE_ONCE(out->ops, &output_ops);
	mutex_unlock(&out->lock);
	zio_channel_wake(out, ZIO_WAKE_OUT);
	ret = 0;
out:
	mutex_unlock(&cset->mutex);
	return ret;
}

static void release_output(struct zio_channel_core *out)
{
	mutex_lock(&out->lock);
	WRITE_ONCE(out->ops, NULL);
	RCU_INIT_POINTER(out->route, NULL);
	out->slowpath = false;
	mutex_unlock(&out->lock);
	zio_channel_wake(out, ZIO_WAKE_OUT);
}

/*
 * The set is held, and the feed has a route. What is queued goes first; what readers
 * have in hand, or left, is taken back, as one who may not read would keep its memory.
 */
static void start_feed(struct zio_feed *feed)
{
	struct zio_channel_core *in = feed->in;
	struct zio_block *block;

	mutex_lock(&in->lock);
	zio_sessions_drop(in);
	in->slowpath = true;
	rcu_assign_pointer(in->feed, feed);
	WRITE_ONCE(in->ops, &input_ops);
	mutex_unlock(&in->lock);
	while ((block = zio_queue_pop(&in->queue)))
		push_block(in, block);
	zio_channel_wake(in, ZIO_WAKE_IN);
}

static int join_feed(struct zio_route *route)
{
	struct zio_feed *feed = route->feed;
	struct zio_channel_core *in = feed->in;
	struct zio_cset_core *cset = in->cset;
	int ret = 0;

	mutex_lock(&cset->mutex);
	if (cset->gone) {
		ret = -ENODEV;
	} else if (in->ring) {
		ret = -EBUSY;
	} else {
		WRITE_ONCE(feed->n_routes, feed->n_routes + 1);
		list_add_tail_rcu(&route->node, &feed->routes);
		if (!rcu_access_pointer(in->feed)) {
			zio_cset_freeze(cset);
			start_feed(feed);
			zio_cset_unfreeze(cset);
		}
	}
	mutex_unlock(&cset->mutex);
	notify_route(in);
	return ret;
}

static void stop_feed(struct zio_feed *feed)
{
	struct zio_channel_core *in = feed->in;

	mutex_lock(&in->lock);
	WRITE_ONCE(in->ops, NULL);
	RCU_INIT_POINTER(in->feed, NULL);
	mutex_unlock(&in->lock);
	zio_channel_wake(in, ZIO_WAKE_IN);
}

/* The lock is held. */
static void disconnect(struct zio_channel_core *out)
{
	struct zio_route *route = rcu_access_pointer(out->route);
	struct zio_feed *feed;
	bool last;

	if (!route)
		return;
	feed = route->feed;
	list_del_rcu(&route->node);
	WRITE_ONCE(feed->n_routes, feed->n_routes - 1);
	last = list_empty(&feed->routes);
	if (last)
		stop_feed(feed);
	/* Nobody feeds it any more; then nobody finds the route. */
	synchronize_rcu();
	release_output(out);
	/* Whoever fed the last block may not have found the route again to play it. */
	zio_cset_kick(out->cset);
	synchronize_rcu();
	if (last)
		free_feed(feed);
	kobject_put(&out->kobj);
	kfree(route);
}

/* The lock is held; the output has no route. */
static int connect(struct zio_channel_core *in, struct zio_channel_core *out,
		   struct zio_route *route, struct zio_feed *new)
{
	struct zio_feed *feed = rcu_access_pointer(in->feed);
	int ret;

	route->feed = feed ?: new;
	route->out = out;
	ret = claim_output(out, route);
	if (ret)
		return ret;
	ret = join_feed(route);
	if (!ret)
		return 0;
	release_output(out);
	synchronize_rcu();
	return ret;
}

static struct zio_channel_core *source_of(struct zio_channel_core *out)
{
	struct zio_route *route = rcu_access_pointer(out->route);

	return route ? route->feed->in : NULL;
}

/* The lock is held. What is refused for a known reason leaves all as it is. */
static int replace_source(struct zio_channel_core *out, struct zio_channel_core *in)
{
	struct zio_route *route;
	struct zio_feed *feed;
	int ret = check_channels(in, out);

	if (ret || source_of(out) == in)
		return ret;
	if (READ_ONCE(in->ring))
		return -EBUSY;
	route = kzalloc(sizeof(*route), GFP_KERNEL);
	feed = alloc_feed(in);
	ret = -ENOMEM;
	if (route && feed) {
		disconnect(out);
		ret = connect(in, out, route, feed);
	}
	if (!ret)
		kobject_get(&out->kobj);
	else
		kfree(route);
	if (feed && (ret || rcu_access_pointer(in->feed) != feed))
		free_feed(feed);
	return ret;
}

/**
 * zio_route_connect() - feed an output from an input
 * @out: the output
 * @in: the input, or NULL: the output is for its users again
 *
 * Context: Process, sleeps; the caller holds no lock.
 *
 * Return: 0; -ENODEV when a board goes; -ENOMSG if @in is an output; -EPROTOTYPE if
 * its samples have another size; -EMSGSIZE if its blocks are larger; -EBUSY if it has a
 * ring; -ENOMEM; -EINTR. On error nothing has changed, except that a board that goes at
 * this very moment takes the former route with it.
 */
int zio_route_connect(struct zio_channel_core *out, struct zio_channel_core *in)
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

/* The address of the input that feeds the output, or "none". */
ssize_t zio_route_show(struct zio_channel_core *out, char *page)
{
	struct zio_channel_core *in;
	ssize_t len;

	if (mutex_lock_killable(&zio_routes_lock))
		return -EINTR;
	in = source_of(out);
	if (in)
		len = sysfs_emit(page, "%s-%04x-%u-%u\n", in->cset->zdev->name,
				 in->cset->zdev->id, in->cset->index, in->pub.index);
	else
		len = sysfs_emit(page, "none\n");
	mutex_unlock(&zio_routes_lock);
	return len;
}

static void cut_feed(struct zio_channel_core *in)
{
	struct zio_route *route;
	struct zio_feed *feed;

	while ((feed = rcu_access_pointer(in->feed))) {
		route = list_first_entry(&feed->routes, struct zio_route, node);
		disconnect(route->out);
	}
}

/* The set is gone: the routes from it and to it end. */
void zio_routes_cut(struct zio_cset_core *cset)
{
	unsigned int i;

	mutex_lock(&zio_routes_lock);
	for (i = 0; i < cset->n_chan; i++) {
		cut_feed(cset->chan[i]);
		disconnect(cset->chan[i]);
	}
	mutex_unlock(&zio_routes_lock);
}
