// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-trigger.c: the files of a channel set's trigger
 *
 * Enable and samples belong to the set. The clock and the attributes of the type belong to
 * the trigger. Users set them here if the trigger has only one set, and in configfs if it
 * is shared.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

#define BIND_VALUE(_member)	ZIO_VALUE(struct zio_binding, _member)

/* The shape belongs to the set, and outlives the trigger. */
static const struct zio_shape *bind_shape(struct kobject *kobj)
{
	return &to_zio_binding(kobj)->cset->pub.shape;
}

static u32 has_samples(struct kobject *kobj)
{
	return !!to_zio_binding(kobj)->cset->ssize;
}

/* Returns the largest number, at least @min, that the driver accepts in place of @value. */
static u32 ask_driver(struct zio_cset_core *cset, struct zio_shape *shape, u32 *value,
		      u32 min, u32 max)
{
	*value = max;
	while (min < max && zio_binding_check_shape(cset, shape)) {
		*value = max - (max - min) / 2;
		if (zio_binding_check_shape(cset, shape))
			max = *value - 1;
		else
			min = *value;
		*value = max;
	}
	return max;
}

static u32 max_shots(struct kobject *kobj)
{
	struct zio_cset_core *cset = to_zio_binding(kobj)->cset;
	struct zio_shape shape = cset->pub.shape;

	return ask_driver(cset, &shape, &shape.nshots, 1,
			  cset->flags & ZIO_CSET_SHOTS ? zio_buffers_max_shots(cset) : 1);
}

static u32 max_pre(struct kobject *kobj)
{
	struct zio_cset_core *cset = to_zio_binding(kobj)->cset;
	struct zio_shape shape = cset->pub.shape;

	return ask_driver(cset, &shape, &shape.pre_samples, 0,
			  cset->flags & ZIO_CSET_PRE_SAMPLES ? U32_MAX : 0);
}

static u32 max_post(struct kobject *kobj)
{
	struct zio_cset_core *cset = to_zio_binding(kobj)->cset;
	struct zio_shape shape = cset->pub.shape;

	return ask_driver(cset, &shape, &shape.post_samples, 0, cset->ssize ? U32_MAX : 0);
}

/* Writing "nsamples" changes the samples from the event on. */
static u32 max_samples(struct kobject *kobj)
{
	u32 post = max_post(kobj);

	return max(post, post + bind_shape(kobj)->pre_samples);
}

ZIO_SET_BY(bind, enable, zio_binding_enable(to_zio_binding(kobj), value))
ZIO_SET_BY(bind, nshots, zio_binding_set_nshots(to_zio_binding(kobj), value))
ZIO_SET_BY(bind, pre, zio_binding_set_samples(to_zio_binding(kobj), value,
					      bind_shape(kobj)->post_samples))
ZIO_SET_BY(bind, post, zio_binding_set_samples(to_zio_binding(kobj),
					       bind_shape(kobj)->pre_samples, value))

static int bind_set_samples(struct kobject *kobj, u32 all)
{
	u32 pre = bind_shape(kobj)->pre_samples;

	return all < pre ? -EINVAL : bind_set_post(kobj, all - pre);
}

ZIO_LIMITS(bind, nshots, .min = 1, .max = max_shots(kobj))
ZIO_LIMITS(bind, pre, .min = !bind_shape(kobj)->post_samples && has_samples(kobj),
	   .max = max_pre(kobj))
ZIO_LIMITS(bind, post, .min = !bind_shape(kobj)->pre_samples && has_samples(kobj),
	   .max = max_post(kobj))
ZIO_LIMITS(bind, samples, .min = max(bind_shape(kobj)->pre_samples, has_samples(kobj)),
	   .max = max_samples(kobj))

ZIO_SHOW(bind, name, "%s", to_zio_binding(kobj)->trig->name)
ZIO_SHOW(bind, nshots, "%u", READ_ONCE(bind_shape(kobj)->nshots))
ZIO_SHOW(bind, pre, "%u", READ_ONCE(bind_shape(kobj)->pre_samples))
ZIO_SHOW(bind, post, "%u", READ_ONCE(bind_shape(kobj)->post_samples))
ZIO_SHOW(bind, samples, "%u",
	 READ_ONCE(bind_shape(kobj)->pre_samples) + READ_ONCE(bind_shape(kobj)->post_samples))
ZIO_SHOW(bind, clock_source, "%s",
	 to_zio_binding(kobj)->cset->desc->clock_source ?: ZIO_CLOCK_OF_KERNEL)

/* The files of the trigger itself */

/* The trigger has one set. The caller holds its mutex and has quiesced it. */
static int refresh_own(struct zio_trigger *trig)
{
	struct zio_binding *bind = list_first_entry(&trig->bindings,
						    struct zio_binding, node);

	zio_cset_refresh(bind->cset);
	return 0;
}

ZIO_LIMITS(bind, clock, .words = zio_clocks, .n = ARRAY_SIZE(zio_clocks))
ZIO_SHOW_BY(bind, clock, zio_trigger_show_clock(to_zio_binding(kobj)->trig, page))
ZIO_SHOW_BY(bind, attr, zio_trigger_show(to_zio_binding(kobj)->trig, file->index, page))
ZIO_STORE_BY(bind, attr, zio_trigger_store(to_zio_binding(kobj)->trig, file->index, text,
					   refresh_own))

static struct zio_limits bind_limits_attr(struct kobject *kobj, const struct zio_file *file)
{
	return zio_attr_limits(&to_zio_binding(kobj)->trig->type->attrs[file->index]);
}

/*
 * Stop the events first: a frozen set would lose one, and stop() may wait for it. The driver of a
 * stream stamps blocks in flight by the clock, so the stream ends, and begins anew.
 */
static int bind_set_clock(struct kobject *kobj, u32 clock)
{
	struct zio_binding *bind = to_zio_binding(kobj);
	int ret, started;

	zio_trigger_suspend(bind->trig, 1);
	if (zio_cset_is_stream(bind->cset))
		zio_cset_freeze(bind->cset);
	else
		zio_cset_quiesce(bind->cset);
	ret = zio_trigger_set_clock(bind->trig, clock, refresh_own);
	zio_cset_unfreeze(bind->cset);
	started = zio_trigger_suspend(bind->trig, -1);
	return ret ?: started;
}

/* The clock of a shared trigger is read-only here. */
static umode_t bind_mode_of_clock(struct kobject *kobj, const struct zio_file *file)
{
	return to_zio_binding(kobj)->trig->item ? 0444 : file->attr.mode;
}

/* Creates the files of the trigger. They are removed with the directory. */
int zio_binding_add_files(struct zio_binding *bind)
{
	const struct zio_attr_desc *attr = bind->trig->type->attrs;
	umode_t mask = bind->trig->item ? 0444 : 0644;
	struct zio_file *file = bind->file;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < bind->trig->type->n_attrs && !ret; i++, attr++, file++) {
		file->attr.name = attr->name;
		file->attr.mode = mask & attr->mode;
		file->index = i;
		file->show = bind_show_attr;
		file->store = bind_store_attr;
		file->limits = bind_limits_attr;
		ret = zio_file_create(&bind->kobj, file);
	}
	return ret ?: zio_binding_create_attrs(bind);
}

static struct attribute *bind_files[] = {
	ZIO_FILE("name", 0444, .show = bind_show_name),
	ZIO_FILE("enable", 0644, BIND_VALUE(enabled), .set = bind_set_enable),
	ZIO_FILE("nshots", 0644, .show = bind_show_nshots, ZIO_SET(bind, nshots)),
	ZIO_FILE("pre-samples", 0644, .show = bind_show_pre, ZIO_SET(bind, pre)),
	ZIO_FILE("post-samples", 0644, .show = bind_show_post, ZIO_SET(bind, post)),
	ZIO_FILE("nsamples", 0644, .show = bind_show_samples, ZIO_SET(bind, samples)),
	ZIO_FILE("clock", 0644, .show = bind_show_clock, ZIO_SET(bind, clock),
		 .mode = bind_mode_of_clock),
	ZIO_FILE("clock-source", 0444, .show = bind_show_clock_source),
	ZIO_FILE("control-attrs", 0444, .show = zio_binding_show_names),
	NULL
};

static const struct attribute_group *bind_groups[] = {
	ZIO_GROUP(NULL, bind_files),
	NULL
};

static bool bind_is_used(struct kobject *kobj)
{
	struct zio_binding *bind = to_zio_binding(kobj);

	return bind->cset->bind == bind;
}

static void release_binding(struct kobject *kobj)
{
	kfree_rcu(to_zio_binding(kobj), rcu);			/* E */
}

const struct zio_kind zio_binding_kind = {
	.ktype = ZIO_KTYPE(release_binding, bind_groups),
	.is_used = bind_is_used,
};
