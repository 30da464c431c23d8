// SPDX-License-Identifier: GPL-2.0-only
/*
 * binding.c: bindings of channel sets to triggers: enable, samples, change
 *
 * Callers hold cset->mutex unless a comment says otherwise. An event walks trig->bindings
 * under RCU, and may find a set that has just got another trigger. So the owner of the
 * phase checks cset->bind, which changes only while the set is frozen.
 */
#include <linux/export.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "trigger/internal.h"

static struct zio_binding *create_binding(struct zio_cset_core *cset,
					  struct zio_trigger *trig)
{
	struct zio_binding *bind;

	bind = kzalloc(struct_size(bind, file, trig->type->n_attrs), GFP_KERNEL);
	if (!bind)
		return ERR_PTR(-ENOMEM);
	kobject_init(&bind->kobj, zio_trigger_config->ktype);
	bind->cset = cset;
	bind->trig = trig;
	mutex_lock(&trig->lock);
	list_add_tail_rcu(&bind->node, &trig->bindings);
	mutex_unlock(&trig->lock);
	return bind;
}

/* The binding is disabled, or its set is gone. */
static void destroy_binding(struct zio_binding *bind)
{
	struct zio_trigger *trig = bind->trig;

	zio_kobj_del(&bind->kobj);
	mutex_lock(&trig->lock);
	list_del_rcu(&bind->node);
	mutex_unlock(&trig->lock);
	kobject_put(&bind->kobj);
	zio_trigger_put(trig);
}

/* Logs why a stream cannot use a trigger. */
static int check_type(const struct zio_cset_core *cset, const struct zio_trigger *trig)
{
	const char *reason = "its driver has no arm_event()";

	if (!zio_cset_is_stream(cset) || trig->type->flags & ZIO_TRIGGER_REARM)
		return 0;
	if (trig->type->flags & ZIO_TRIGGER_ON_DEMAND)
		reason = "a stream does not wait for readers";
	else if (cset->ops->arm_event)
		return 0;
	dev_err(&cset->zdev->dev, "cset%u is a stream and refuses trigger \"%s\": %s. Use \"transparent\"\n",
		cset->pub.index, trig->name, reason);
	return -EINVAL;
}

static struct zio_binding *bind_trigger(struct zio_cset_core *cset, const char *name)
{
	const struct zio_own_trigger *own = cset->own_trigger;
	struct zio_trigger *trig = zio_trigger_get(own ? &own->type : NULL, name);
	struct zio_binding *bind;

	if (IS_ERR(trig))
		return ERR_CAST(trig);
	bind = ERR_PTR(check_type(cset, trig)) ?: create_binding(cset, trig);
	if (IS_ERR(bind))
		zio_trigger_put(trig);
	return bind;
}

static int add_directory(struct zio_binding *bind)
{
	return kobject_add(&bind->kobj, &bind->cset->kobj, "trigger") ?:
		zio_trigger_config->add_files(bind);
}

/*
 * Enables or disables a set or its trigger. @place is the flag of the set, or the one of
 * its binding; the set takes events while both are true. It has a trigger, and the caller
 * holds its mutex.
 */
void zio_cset_switch(struct zio_cset_core *cset, bool *place, bool enable)
{
	zio_cset_freeze(cset);
	*place = enable;
	zio_cset_stop(cset, !cset->enabled || !cset->bind->enabled);
	zio_cset_unfreeze(cset);
}

/*
 * Lets a set take the events of its trigger, or makes it refuse them. Called with
 * cset->mutex held. Context: Process, sleeps. Returns 0, or an error of the type's start().
 */
int zio_binding_enable(struct zio_binding *bind, bool enable)
{
	int ret = 0;

	if (enable == bind->enabled)
		return 0;
	if (!enable)
		zio_trigger_leave(bind->trig);
	zio_cset_switch(bind->cset, &bind->enabled, enable);
	if (enable)
		ret = zio_trigger_join(bind->trig);
	if (ret)
		zio_cset_switch(bind->cset, &bind->enabled, false);
	return ret;
}

/* A reader may take a block past the queue only if its arming has no other one. */
static void use_pull(struct zio_cset_core *cset)
{
	cset->can_pull = cset->on_demand && !zio_cset_is_output(cset) &&
		!(cset->flags & ZIO_CSET_SLEEPS) && cset->pub.shape.nshots == 1;
}

/* Called with the set frozen and its channels locked, or before the set is visible. */
static void use_binding(struct zio_cset_core *cset, struct zio_binding *bind)
{
	unsigned long flags = bind->trig->type->flags;
	bool is_output = zio_cset_is_output(cset);
	bool rearm = zio_cset_is_stream(cset) || ((flags & ZIO_TRIGGER_REARM) && !is_output);
	struct zio_channel_core *chan;
	unsigned int i, others;

	/* If the set is armed whenever it has room, each put of a block kicks it. */
	for (i = 0; i < cset->n_chan && rearm != cset->rearm; i++) {
		chan = cset->chan[i];
		others = chan->waiters & ~ZIO_WAITERS_REARM;
		WRITE_ONCE(chan->waiters, others | (rearm ? ZIO_WAITERS_REARM : 0));
	}
	cset->rearm = rearm;
	cset->bind = bind;
	cset->on_demand = (flags & ZIO_TRIGGER_ON_DEMAND) ||
		((flags & ZIO_TRIGGER_REARM) && is_output);
	WRITE_ONCE(cset->is_kicked, rearm || (cset->on_demand && is_output));
	cset->is_armed_ahead = rearm || (cset->on_demand && !is_output);
	use_pull(cset);
}

/* Called with the set frozen. */
static void set_shape(struct zio_cset_core *cset, const struct zio_shape *shape)
{
	cset->pub.shape.mask = shape->mask;
	WRITE_ONCE(cset->pub.shape.nshots, shape->nshots);
	WRITE_ONCE(cset->pub.shape.pre_samples, shape->pre_samples);
	WRITE_ONCE(cset->pub.shape.post_samples, shape->post_samples);
	use_pull(cset);
}

/* An interleaved block carries the channels of the mask. */
static int size_block(const struct zio_cset_core *cset, const struct zio_shape *shape,
		      size_t *len)
{
	size_t with_trailer;
	u32 n;

	if (check_add_overflow(shape->pre_samples, shape->post_samples, &n))
		return -EOVERFLOW;
	if (!n != !cset->ssize)
		return -EINVAL;
	if ((cset->flags & ZIO_CSET_INTERLEAVED &&
	     check_mul_overflow(n, (u32)hweight64(shape->mask), &n)) ||
	    check_mul_overflow((size_t)n, (size_t)cset->ssize, len) ||
	    check_add_overflow(*len, (size_t)cset->desc->trailer, &with_trailer))
		return -EOVERFLOW;
	return 0;
}

/* Asks the driver whether its board takes a shape. Returns 0, or an error of the driver. */
int zio_binding_check_shape(struct zio_cset_core *cset, const struct zio_shape *shape)
{
	return cset->ops->check_shape ? cset->ops->check_shape(&cset->pub, shape) : 0;
}

/*
 * Binds a set to a trigger at registration, and computes the size of its blocks. @name is
 * the name of a trigger, or of a type. Context: Process, sleeps. Returns 0; -ENOENT for an
 * unknown name; -ENOMEM; or an error of the type.
 */
int zio_binding_create(struct zio_cset_core *cset, const char *name)
{
	struct zio_binding *bind = bind_trigger(cset, name);
	int ret;

	if (IS_ERR(bind)) {
		dev_err(&cset->zdev->dev, "no trigger \"%s\": %pe\n", name,
			bind);
		return PTR_ERR(bind);
	}
	ret = size_block(cset, &cset->pub.shape, &cset->block_len) ?:
		zio_binding_check_shape(cset, &cset->pub.shape) ?:
		add_directory(bind);
	if (ret) {
		destroy_binding(bind);
		return ret;
	}
	use_binding(cset, bind);
	return 0;
}

void zio_binding_destroy(struct zio_cset_core *cset)
{
	struct zio_binding *bind = cset->bind;

	if (!bind)
		return;
	if (bind->enabled)
		zio_trigger_leave(bind->trig);
	cset->bind = NULL;
	destroy_binding(bind);
}

static void switch_binding(struct zio_cset_core *cset, struct zio_binding *bind)
{
	zio_cset_lock_channels(cset);
	zio_cset_freeze(cset);
	use_binding(cset, bind);
	zio_cset_refresh(cset);
	zio_cset_unfreeze(cset);
	zio_cset_unlock_channels(cset);
}

static int swap_binding(struct zio_cset_core *cset, struct zio_binding *new)
{
	struct zio_binding *old = cset->bind;
	bool enabled = old->enabled;
	int ret;

	zio_binding_enable(old, false);
	switch_binding(cset, new);
	if (!enabled)
		return 0;
	ret = zio_binding_enable(new, true);
	if (ret) {
		switch_binding(cset, old);
		zio_binding_enable(old, true);
	}
	return ret;
}

/*
 * Gives a set another trigger, with the same sizes and enable. @name is the name of a
 * shared trigger, or of a type. Called with cset->change held, but without cset->mutex.
 * Context: Process, sleeps; may load a module. Returns 0; -EINVAL for an unknown name;
 * -ENOMEM; or an error of the type. On error the set keeps its old trigger.
 */
int zio_binding_change(struct zio_cset_core *cset, const char *name)
{
	struct zio_binding *new, *old = cset->bind;
	int ret;

	if (!strcmp(old->trig->name, name))
		return 0;
	new = bind_trigger(cset, name);
	if (IS_ERR(new))
		return PTR_ERR(new) == -ENOENT ? -EINVAL : PTR_ERR(new);
	mutex_lock(&cset->mutex);
	ret = swap_binding(cset, new);
	mutex_unlock(&cset->mutex);

	destroy_binding(ret ? new : old);
	if (!ret) {
		int missing = add_directory(new);

		if (missing)
			dev_warn(&cset->zdev->dev, "files of trigger %s are missing: %d\n",
				 name, missing);
	}
	return ret;
}

/*
 * The list of armed blocks has room for all shots. The list of a stream is never replaced,
 * because refill() walks it without a lock.
 */
static int change_shape(struct zio_cset_core *cset, const struct zio_shape *new)
{
	const struct zio_shape old = cset->pub.shape;
	struct zio_armed *armed = NULL;
	size_t len;
	int ret = size_block(cset, new, &len);

	if (ret || !memcmp(&old, new, sizeof(old)))
		return ret;
	ret = zio_binding_check_shape(cset, new);
	if (ret)
		return ret;
	if (new->nshots != old.nshots) {
		armed = zio_shots_alloc(cset->n_chan, new->nshots);
		if (!armed)
			return -ENOMEM;
	}
	/* Drivers and buffer types read the sizes, too. */
	zio_cset_lock_channels(cset);
	zio_cset_freeze(cset);
	set_shape(cset, new);
	if (len != cset->block_len || armed)
		ret = zio_buffers_resize(cset, len);
	if (ret) {
		set_shape(cset, &old);
	} else {
		if (armed)
			swap(cset->pub.armed, armed);
		zio_cset_refresh(cset);
	}
	zio_cset_unfreeze(cset);
	zio_cset_unlock_channels(cset);
	kvfree(armed);
	return ret;
}

/*
 * Changes the size of the blocks to @pre samples before the event and @post from the event
 * on. Called with cset->mutex held. Context: Process, sleeps. Returns 0; -EINVAL for no
 * samples, or for any if the set has none; -EOPNOTSUPP if the set lacks
 * ZIO_CSET_PRE_SAMPLES; -EOVERFLOW; -ENOMEM; -ENOSPC if a buffer's area is too small; or an
 * error of the driver's check_shape(). On error the old sizes stay in force.
 */
int zio_binding_set_samples(struct zio_binding *bind, u32 pre, u32 post)
{
	struct zio_shape shape = bind->cset->pub.shape;

	if (pre && !(bind->cset->flags & ZIO_CSET_PRE_SAMPLES))
		return -EOPNOTSUPP;
	shape.pre_samples = pre;
	shape.post_samples = post;
	return change_shape(bind->cset, &shape);
}

/*
 * Changes the number of shots per arming. Called with cset->mutex held. Context: Process,
 * sleeps. Returns as zio_binding_set_samples(); -EINVAL for 0; -EOPNOTSUPP if the set lacks
 * ZIO_CSET_SHOTS; -ERANGE if a buffer has fewer blocks than @nshots, or its area has no
 * room for @nshots + 1.
 */
int zio_binding_set_nshots(struct zio_binding *bind, u32 nshots)
{
	struct zio_shape shape = bind->cset->pub.shape;

	if (!nshots)
		return -EINVAL;
	if (nshots > 1 && !(bind->cset->flags & ZIO_CSET_SHOTS))
		return -EOPNOTSUPP;
	if (nshots > zio_buffers_max_shots(bind->cset))
		return -ERANGE;
	shape.nshots = nshots;
	return change_shape(bind->cset, &shape);
}

/*
 * Chooses the channels that interleaved blocks carry, one bit per channel. Called with
 * cset->mutex held. Context: Process, sleeps. Returns as zio_binding_set_samples(); -EINVAL
 * for an empty mask; -ERANGE for a channel that the set does not have.
 */
int zio_cset_set_mask(struct zio_cset_core *cset, u64 mask)
{
	struct zio_shape shape = cset->pub.shape;

	if (!mask)
		return -EINVAL;
	if (mask & ~zio_cset_all_channels(cset))
		return -ERANGE;
	shape.mask = mask;
	return change_shape(cset, &shape);
}

static struct zio_cset_core **list_csets(struct zio_trigger *trig, unsigned int *n)
{
	struct zio_binding *bind;
	struct zio_cset_core **list;
	unsigned int all = 0;

	*n = 0;
	mutex_lock(&trig->lock);
	list_for_each_entry(bind, &trig->bindings, node)
		all++;
	list = kvcalloc(all + 1, sizeof(*list), GFP_KERNEL);
	if (list)
		list_for_each_entry(bind, &trig->bindings, node) {
			list[*n] = bind->cset;
			kobject_get(&list[(*n)++]->kobj);
		}
	mutex_unlock(&trig->lock);
	return list;
}

static void refresh_cset(struct zio_cset_core *cset, struct zio_trigger *trig)
{
	bool pause = READ_ONCE(trig->suspended);

	mutex_lock(&cset->mutex);
	if (cset->gone || cset->bind->trig != trig)
		goto out;
	/* If raw_io() sleeps, its thread may not have armed the set for the last event. */
	if (pause)
		zio_cset_quiesce(cset);
	zio_cset_refresh(cset);
	if (pause)
		zio_cset_unfreeze(cset);
out:
	mutex_unlock(&cset->mutex);
}

/*
 * Publishes the values of a trigger in the controls of its sets. The caller holds neither
 * trig->lock nor the mutex of a set. Context: Process, sleeps. Returns 0, or -ENOMEM if the
 * sets still show the old values.
 */
int zio_trigger_refresh(struct zio_trigger *trig)
{
	unsigned int i, n;
	struct zio_cset_core **list = list_csets(trig, &n);

	for (i = 0; i < n; i++) {
		refresh_cset(list[i], trig);
		kobject_put(&list[i]->kobj);
	}
	kvfree(list);
	return list ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_GPL(zio_trigger_refresh);
