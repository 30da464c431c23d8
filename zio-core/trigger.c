// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c: trigger types, and the trigger of each channel set
 *
 * Configuration, all with cset->mutex held. A trigger's stop() is called
 * before the set is held: so it may cancel a timer or free an interrupt whose
 * handler is firing just now.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "internal.h"

static DEFINE_MUTEX(zio_types_lock);
static LIST_HEAD(zio_trigger_types);

static struct zio_trigger_type *find_type(const char *name)
{
	struct zio_trigger_type *type;

	lockdep_assert_held(&zio_types_lock);
	list_for_each_entry(type, &zio_trigger_types, node)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

/**
 * zio_trigger_type_register() - offer a trigger type
 * @type: stays valid until unregistered
 *
 * Process context.
 *
 * Return: 0; -EINVAL if the name is missing or too long; -EEXIST if it is
 * taken.
 */
int zio_trigger_type_register(struct zio_trigger_type *type)
{
	int ret = 0;

	if (WARN_ON(!type->name) || !*type->name ||
	    strlen(type->name) >= ZIO_OBJ_NAME_LEN)
		return -EINVAL;
	mutex_lock(&zio_types_lock);
	if (find_type(type->name))
		ret = -EEXIST;
	else
		list_add_tail(&type->node, &zio_trigger_types);
	mutex_unlock(&zio_types_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_trigger_type_register);

/**
 * zio_trigger_type_unregister() - withdraw a trigger type
 * @type: a registered type that nobody uses (its module is held otherwise)
 */
void zio_trigger_type_unregister(struct zio_trigger_type *type)
{
	mutex_lock(&zio_types_lock);
	list_del(&type->node);
	mutex_unlock(&zio_types_lock);
}
EXPORT_SYMBOL_GPL(zio_trigger_type_unregister);

static const struct zio_trigger_type *get_type(const char *name)
{
	struct zio_trigger_type *type;

	mutex_lock(&zio_types_lock);
	type = find_type(name);
	if (type && !try_module_get(type->owner))
		type = NULL;
	mutex_unlock(&zio_types_lock);
	return type;
}

ssize_t zio_trigger_list_types(char *page)
{
	struct zio_trigger_type *type;
	ssize_t len = 0;

	mutex_lock(&zio_types_lock);
	list_for_each_entry(type, &zio_trigger_types, node)
		len += sysfs_emit_at(page, len, "%s\n", type->name);
	mutex_unlock(&zio_types_lock);
	return len;
}

static struct zio_trigger *create_trigger(struct zio_cset *cset,
					  const struct zio_trigger_type *type)
{
	struct zio_trigger *trig = kzalloc(sizeof(*trig), GFP_KERNEL);
	int ret = 0;

	if (!trig)
		return ERR_PTR(-ENOMEM);
	kobject_init(&trig->kobj, &zio_trigger_ktype);
	trig->type = type;
	trig->cset = cset;
	trig->nshots = 1;
	if (type->ops && type->ops->create)
		ret = type->ops->create(trig);
	if (ret) {
		kobject_put(&trig->kobj);
		return ERR_PTR(ret);
	}
	return trig;
}

static void destroy_trigger(struct zio_trigger *trig)
{
	const struct zio_trigger_type *type = trig->type;

	zio_kobj_del(&trig->kobj);
	if (type->ops && type->ops->destroy)
		type->ops->destroy(trig);
	kobject_put(&trig->kobj);
	module_put(type->owner);
}

static int start_trigger(struct zio_trigger *trig)
{
	if (trig->type->ops && trig->type->ops->start)
		return trig->type->ops->start(trig);
	return 0;
}

static void stop_trigger(struct zio_trigger *trig)
{
	if (trig->type->ops && trig->type->ops->stop)
		trig->type->ops->stop(trig);
}

/**
 * zio_trigger_enable() - let a trigger fire, or not
 * @trig: the trigger; its set's mutex is held
 * @enable: what is wanted
 *
 * Return: 0, or the error of the type's start().
 */
int zio_trigger_enable(struct zio_trigger *trig, bool enable)
{
	struct zio_cset *cset = trig->cset;
	int ret = 0;

	if (enable == trig->enabled)
		return 0;
	if (!enable)
		stop_trigger(trig);
	zio_cset_hold(cset);
	trig->enabled = enable;
	zio_cset_stop(cset, !trig->enabled || !cset->enabled);
	zio_cset_release(cset);
	if (enable)
		ret = start_trigger(trig);
	if (ret) {
		zio_cset_hold(cset);
		trig->enabled = false;
		zio_cset_stop(cset, true);
		zio_cset_release(cset);
	}
	return ret;
}

static void use_trigger(struct zio_cset *cset, struct zio_trigger *trig)
{
	cset->trig = trig;
	cset->on_demand = trig->type->flags & ZIO_TRIGGER_ON_DEMAND;
	cset->can_pull = cset->on_demand && !zio_cset_is_output(cset) &&
		!(cset->flags & ZIO_CSET_SLEEPS);
}

/* At registration. */
int zio_trigger_create(struct zio_cset *cset, const char *name)
{
	const struct zio_trigger_type *type = get_type(name);
	struct zio_trigger *trig;
	int ret;

	if (!type && zio_may_load() && !request_module("zio-trig-%s", name))
		type = get_type(name);
	if (!type) {
		dev_err(&cset->zdev->dev, "no trigger type \"%s\"\n", name);
		return -ENOENT;
	}
	trig = create_trigger(cset, type);
	if (IS_ERR(trig)) {
		module_put(type->owner);
		return PTR_ERR(trig);
	}
	trig->post_samples = cset->desc->nsamples ?: ZIO_DEFAULT_NSAMPLES;
	if (!cset->ssize)
		trig->post_samples = 0;
	ret = kobject_add(&trig->kobj, &cset->kobj, "trigger");
	if (ret) {
		destroy_trigger(trig);
		return ret;
	}
	use_trigger(cset, trig);
	return 0;
}

void zio_trigger_destroy(struct zio_cset *cset)
{
	struct zio_trigger *trig = cset->trig;

	if (!trig)
		return;
	if (trig->enabled)
		stop_trigger(trig);
	cset->trig = NULL;
	destroy_trigger(trig);
}

static int replace_trigger(struct zio_cset *cset, struct zio_trigger *new)
{
	struct zio_trigger *old = cset->trig;
	int ret;

	zio_cset_hold(cset);
	use_trigger(cset, new);
	ret = zio_cset_refresh(cset);
	if (ret)
		use_trigger(cset, old);
	zio_cset_release(cset);
	return ret;
}

static int swap_trigger(struct zio_cset *cset, struct zio_trigger *new)
{
	struct zio_trigger *old = cset->trig;
	bool enabled = old->enabled;
	int ret;

	new->nshots = old->nshots;
	new->pre_samples = old->pre_samples;
	new->post_samples = old->post_samples;

	zio_trigger_enable(old, false);
	ret = replace_trigger(cset, new);
	if (!ret && enabled) {
		ret = zio_trigger_enable(new, true);
		if (ret) {
			zio_cset_hold(cset);
			use_trigger(cset, old);
			zio_cset_release(cset);
			zio_cset_refresh(cset);
		}
	}
	if (ret && enabled)
		zio_trigger_enable(old, true);
	return ret;
}

/**
 * zio_trigger_change() - give a set a trigger of another type
 * @cset: the channel set, whose change lock is held, but not its mutex
 * @name: the type
 *
 * The sizes and the enable go over to the new trigger.
 *
 * Return: 0; -EINVAL for an unknown type; -ENOMEM, or the error of the type.
 * On error the old trigger goes on.
 */
int zio_trigger_change(struct zio_cset *cset, const char *name)
{
	struct zio_trigger *new, *old = cset->trig;
	const struct zio_trigger_type *type;
	int ret;

	if (!strcmp(old->type->name, name))
		return 0;
	type = get_type(name);
	if (!type)
		return -EINVAL;
	new = create_trigger(cset, type);
	if (IS_ERR(new)) {
		module_put(type->owner);
		return PTR_ERR(new);
	}
	mutex_lock(&cset->mutex);
	ret = swap_trigger(cset, new);
	mutex_unlock(&cset->mutex);

	destroy_trigger(cset->trig == new ? old : new);
	if (cset->trig == new && kobject_add(&new->kobj, &cset->kobj, "trigger"))
		dev_warn(&cset->zdev->dev, "no sysfs directory for trigger %s\n",
			 name);
	return ret;
}

static int check_samples(const struct zio_cset *cset, u32 pre, u32 post,
			 size_t *block_len)
{
	u32 n;

	if (pre && !(cset->flags & ZIO_CSET_PRE_SAMPLES))
		return -EOPNOTSUPP;
	if (check_add_overflow(pre, post, &n))
		return -EOVERFLOW;
	if (!n != !cset->ssize)
		return -EINVAL;
	if (check_mul_overflow((size_t)n, (size_t)cset->ssize, block_len))
		return -EOVERFLOW;
	return 0;
}

/**
 * zio_trigger_set_samples() - change the size of the blocks
 * @trig: the trigger; its set's mutex is held
 * @pre: samples before the event
 * @post: samples after it
 *
 * Return: 0; -EINVAL for no samples at all (or for any, if the set has none);
 * -EOPNOTSUPP if the device keeps none from before the event; -EOVERFLOW;
 * -ENOMEM, or -ENOSPC if a buffer's area is smaller, with the old size in force.
 */
int zio_trigger_set_samples(struct zio_trigger *trig, u32 pre, u32 post)
{
	struct zio_cset *cset = trig->cset;
	u32 old_pre = trig->pre_samples, old_post = trig->post_samples;
	struct zio_snapshot **snap;
	size_t len;
	int ret;

	ret = check_samples(cset, pre, post, &len);
	if (ret || (pre == old_pre && post == old_post))
		return ret;
	trig->pre_samples = pre;
	trig->post_samples = post;
	snap = zio_snapshots_prepare(cset);
	if (!snap) {
		ret = -ENOMEM;
		goto err_prepare;
	}
	zio_cset_hold(cset);
	ret = len == cset->block_len ? 0 : zio_buffers_resize(cset, len);
	if (!ret)
		zio_snapshots_publish(cset, snap);
	zio_cset_release(cset);
	if (!ret)
		return 0;
	zio_snapshots_discard(cset, snap);

err_prepare:
	trig->pre_samples = old_pre;
	trig->post_samples = old_post;
	return ret;
}

/* -EINVAL for none, -EOPNOTSUPP for several if the device takes one only. */
int zio_trigger_set_nshots(struct zio_trigger *trig, u32 nshots)
{
	u32 old = trig->nshots;
	int ret;

	if (!nshots)
		return -EINVAL;
	if (nshots > 1 && !(trig->cset->flags & ZIO_CSET_MULTI_SHOT))
		return -EOPNOTSUPP;
	trig->nshots = nshots;
	ret = zio_cset_refresh(trig->cset);
	if (ret)
		trig->nshots = old;
	return ret;
}
