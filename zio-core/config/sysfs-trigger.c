// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-trigger.c: the files of a channel set's trigger
 *
 * Enable and samples belong to the set. The clock and the attributes of the type belong
 * to the trigger. Users set them here if the trigger has one set only, and in configfs if
 * it is shared.
 *
 * A replacement of the trigger removes this directory after it has unlocked the mutex. So
 * each store checks that its binding is still in use.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static int lock_binding(struct zio_binding *bind)
{
	struct zio_cset_core *cset = bind->cset;
	int ret = zio_cset_lock(cset);

	if (ret || cset->bind == bind)
		return ret;
	mutex_unlock(&cset->mutex);
	return -ENODEV;
}

static void unlock_binding(struct zio_binding *bind)
{
	mutex_unlock(&bind->cset->mutex);
}

static ssize_t store_binding(struct zio_binding *bind, const char *text,
			     size_t count,
			     int (*set)(struct zio_binding *bind, u32 value))
{
	u32 value;
	int ret = zio_attr_parse(text, &value);

	if (!ret)
		ret = lock_binding(bind);
	if (ret)
		return ret;
	ret = set(bind, value);
	unlock_binding(bind);
	return ret ?: count;
}

ZIO_SHOW(trigger_name, "%s", to_zio_binding(kobj)->trig->name)
ZIO_SHOW(trigger_enable, "%d", READ_ONCE(to_zio_binding(kobj)->enabled))

static int set_enable(struct zio_binding *bind, u32 value)
{
	if (value > 1)
		return -EINVAL;
	return zio_binding_enable(bind, value);
}

ZIO_STORE(trigger_enable,
	  store_binding(to_zio_binding(kobj), text, count, set_enable))
ZIO_SHOW(nshots, "%u", READ_ONCE(to_zio_binding(kobj)->nshots))
ZIO_STORE(nshots,
	  store_binding(to_zio_binding(kobj), text, count, zio_binding_set_nshots))
ZIO_SHOW(pre_samples, "%u", READ_ONCE(to_zio_binding(kobj)->pre_samples))

static int set_pre_samples(struct zio_binding *bind, u32 value)
{
	return zio_binding_set_samples(bind, value, bind->post_samples);
}

ZIO_STORE(pre_samples,
	  store_binding(to_zio_binding(kobj), text, count, set_pre_samples))
ZIO_SHOW(post_samples, "%u", READ_ONCE(to_zio_binding(kobj)->post_samples))

static int set_post_samples(struct zio_binding *bind, u32 value)
{
	return zio_binding_set_samples(bind, bind->pre_samples, value);
}

ZIO_STORE(post_samples,
	  store_binding(to_zio_binding(kobj), text, count, set_post_samples))

static ssize_t nsamples_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *page)
{
	struct zio_binding *bind = to_zio_binding(kobj);

	return sysfs_emit(page, "%u\n", READ_ONCE(bind->pre_samples) +
			  READ_ONCE(bind->post_samples));
}

static int set_nsamples(struct zio_binding *bind, u32 value)
{
	if (value < bind->pre_samples)
		return -EINVAL;
	return zio_binding_set_samples(bind, bind->pre_samples,
				       value - bind->pre_samples);
}

ZIO_STORE(nsamples,
	  store_binding(to_zio_binding(kobj), text, count, set_nsamples))

/* The files of the trigger itself */

/* The trigger has one set. The caller holds its mutex and has quiesced it. */
static int refresh_own(struct zio_trigger *trig)
{
	struct zio_binding *bind = list_first_entry(&trig->bindings,
						    struct zio_binding, node);

	return zio_cset_refresh(bind->cset);
}

static int set_own_clock(struct zio_binding *bind, const char *text)
{
	int ret = lock_binding(bind);

	if (ret)
		return ret;
	zio_cset_quiesce(bind->cset);
	ret = zio_trigger_set_clock(bind->trig, text, refresh_own);
	zio_cset_unfreeze(bind->cset);
	unlock_binding(bind);
	return ret;
}

static int set_own_value(struct zio_binding *bind, unsigned int index,
			 const char *text)
{
	int ret = lock_binding(bind);

	if (ret)
		return ret;
	ret = zio_trigger_store(bind->trig, index, text);
	if (!ret && bind->trig->type->attrs[index].kind == ZIO_TRIGGER_NUMBER)
		ret = zio_cset_refresh(bind->cset);
	unlock_binding(bind);
	return ret;
}

static ssize_t clock_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *page)
{
	return zio_trigger_show_clock(to_zio_binding(kobj)->trig, page);
}

static ssize_t clock_source_show(struct kobject *kobj, struct kobj_attribute *attr,
				 char *page)
{
	const struct zio_cset_desc *desc = to_zio_binding(kobj)->cset->desc;

	return sysfs_emit(page, "%s\n", desc->clock_source ?: ZIO_CLOCK_OF_KERNEL);
}

static ssize_t control_attrs_show(struct kobject *kobj, struct kobj_attribute *attr,
				  char *page)
{
	return zio_binding_show_names(to_zio_binding(kobj), page);
}

ZIO_STORE(clock, set_own_clock(to_zio_binding(kobj), text) ?: count)

static struct zio_trigger_file *to_file(struct kobj_attribute *kattr)
{
	return container_of(kattr, struct zio_trigger_file, kattr);
}

static ssize_t file_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *page)
{
	return zio_trigger_show(to_zio_binding(kobj)->trig,
				to_file(attr)->index, page);
}

ZIO_STORE(file,
	  set_own_value(to_zio_binding(kobj), to_file(attr)->index, text) ?: count)

static int add_file(struct zio_binding *bind, unsigned int index)
{
	const struct zio_trigger_attr *attr = &bind->trig->type->attrs[index];
	struct zio_trigger_file *file = &bind->file[index];

	file->index = index;
	sysfs_attr_init(&file->kattr.attr);
	file->kattr.attr.name = attr->name;
	file->kattr.attr.mode = attr->kind == ZIO_TRIGGER_ACTION ? 0200 : 0644;
	if (bind->trig->item)
		file->kattr.attr.mode &= ~0222;
	file->kattr.show = file_show;
	file->kattr.store = file_store;
	return sysfs_create_file(&bind->kobj, &file->kattr.attr);
}

/* Creates the files of the trigger. Removal of the directory removes them. */
int zio_binding_add_files(struct zio_binding *bind)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < bind->trig->type->n_attrs && !ret; i++)
		if (!bind->trig->item ||
		    bind->trig->type->attrs[i].kind != ZIO_TRIGGER_ACTION)
			ret = add_file(bind, i);
	return ret;
}

static struct kobj_attribute trigger_name =
	__ATTR(name, 0444, trigger_name_show, NULL);
static struct kobj_attribute trigger_enable =
	__ATTR(enable, 0644, trigger_enable_show, trigger_enable_store);
static struct kobj_attribute nshots = __ATTR_RW(nshots);
static struct kobj_attribute pre_samples =
	ZIO_FILE("pre-samples", 0644, pre_samples_show, pre_samples_store);
static struct kobj_attribute post_samples =
	ZIO_FILE("post-samples", 0644, post_samples_show, post_samples_store);
static struct kobj_attribute nsamples = __ATTR_RW(nsamples);
static struct kobj_attribute clock = __ATTR_RW(clock);
static struct kobj_attribute clock_source =
	ZIO_FILE("clock-source", 0444, clock_source_show, NULL);
static struct kobj_attribute control_attrs =
	ZIO_FILE("control-attrs", 0444, control_attrs_show, NULL);

static struct attribute *trigger_attrs[] = {
	&trigger_name.attr,
	&trigger_enable.attr,
	&nshots.attr,
	&pre_samples.attr,
	&post_samples.attr,
	&nsamples.attr,
	&clock.attr,
	&clock_source.attr,
	&control_attrs.attr,
	NULL
};

/* The clock of a shared trigger can be read here, but not set. */
static umode_t trigger_mode(struct kobject *kobj, struct attribute *attr, int i)
{
	if (attr == &clock.attr && to_zio_binding(kobj)->trig->item)
		return 0444;
	return attr->mode;
}

static const struct attribute_group trigger_group = {
	.attrs = trigger_attrs,
	.is_visible = trigger_mode,
};
__ATTRIBUTE_GROUPS(trigger);

static void release_binding(struct kobject *kobj)
{
	kfree_rcu(to_zio_binding(kobj), rcu);			/* E */
}

const struct kobj_type zio_binding_ktype = {
	.release = release_binding,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = trigger_groups,
};
