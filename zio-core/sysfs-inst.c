// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-inst.c: the standard files of buffers and triggers
 *
 * A replacement removes these directories after it has let go of the mutex:
 * so each store looks whether its object is still the one in use.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "internal.h"

/* As __ATTR(), for names that are not C identifiers. */
#define ZIO_FILE(_name, _mode, _show, _store) {			\
	.attr = { .name = _name, .mode = _mode },		\
	.show = _show, .store = _store }

/* Buffers */

static ssize_t store_buffer(struct zio_buffer *buf, const char *text,
			    size_t count,
			    int (*set)(struct zio_buffer *buf, u32 value))
{
	struct zio_cset *cset = buf->chan->cset;
	u32 value;
	int ret = zio_attr_parse(text, &value);

	if (ret)
		return ret;
	mutex_lock(&cset->mutex);
	if (cset->gone || buf->chan->buf != buf)
		ret = -ENODEV;
	else
		ret = set(buf, value);
	mutex_unlock(&cset->mutex);
	return ret ?: count;
}

static ssize_t buffer_name_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", to_zio_buffer(kobj)->type->name);
}

static ssize_t max_len_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(to_zio_buffer(kobj)->len));
}

static ssize_t max_len_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *text, size_t count)
{
	return store_buffer(to_zio_buffer(kobj), text, count,
			    zio_buffer_set_len);
}

static ssize_t max_kb_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(to_zio_buffer(kobj)->kb));
}

static ssize_t max_kb_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *text, size_t count)
{
	return store_buffer(to_zio_buffer(kobj), text, count,
			    zio_buffer_set_kb);
}

static ssize_t allocated_len_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *page)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);

	return sysfs_emit(page, "%u\n", buf->type->ops->count(buf));
}

static ssize_t prefer_new_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n",
			  READ_ONCE(to_zio_buffer(kobj)->prefer_new));
}

static int set_prefer_new(struct zio_buffer *buf, u32 value)
{
	if (value > 1)
		return -EINVAL;
	WRITE_ONCE(buf->prefer_new, value);
	return 0;
}

static ssize_t prefer_new_store(struct kobject *kobj,
				struct kobj_attribute *attr,
				const char *text, size_t count)
{
	return store_buffer(to_zio_buffer(kobj), text, count, set_prefer_new);
}

static ssize_t watermark_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(to_zio_buffer(kobj)->watermark));
}

static int set_watermark(struct zio_buffer *buf, u32 value)
{
	if (!value || value > buf->len)
		return -EINVAL;
	WRITE_ONCE(buf->watermark, value);
	WRITE_ONCE(buf->chan->watermark, value);
	zio_cset_wake(buf->chan->cset);
	return 0;
}

static ssize_t watermark_store(struct kobject *kobj,
			       struct kobj_attribute *attr,
			       const char *text, size_t count)
{
	return store_buffer(to_zio_buffer(kobj), text, count, set_watermark);
}

static struct kobj_attribute buffer_name =
	__ATTR(name, 0444, buffer_name_show, NULL);
static struct kobj_attribute max_buffer_len =
	ZIO_FILE("max-buffer-len", 0644, max_len_show, max_len_store);
static struct kobj_attribute allocated_buffer_len =
	ZIO_FILE("allocated-buffer-len", 0444, allocated_len_show, NULL);
static struct kobj_attribute max_buffer_kb =
	ZIO_FILE("max-buffer-kb", 0644, max_kb_show, max_kb_store);
static struct kobj_attribute prefer_new =
	ZIO_FILE("prefer-new", 0644, prefer_new_show, prefer_new_store);
static struct kobj_attribute watermark = __ATTR_RW(watermark);

static struct attribute *buffer_attrs[] = {
	&buffer_name.attr,
	&max_buffer_len.attr,
	&allocated_buffer_len.attr,
	&prefer_new.attr,
	&watermark.attr,
	NULL
};

static struct attribute *area_attrs[] = {
	&max_buffer_kb.attr,
	NULL
};

static umode_t show_area_attrs(struct kobject *kobj, struct attribute *attr,
			       int i)
{
	return to_zio_buffer(kobj)->type->has_area ? attr->mode : 0;
}

static const struct attribute_group buffer_group = {
	.attrs = buffer_attrs,
};

static const struct attribute_group area_group = {
	.attrs = area_attrs,
	.is_visible = show_area_attrs,
};

static const struct attribute_group *buffer_groups[] = {
	&buffer_group,
	&area_group,
	NULL
};

static void release_buffer(struct kobject *kobj)
{
	kfree(to_zio_buffer(kobj));
}

const struct kobj_type zio_buffer_ktype = {
	.release = release_buffer,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = buffer_groups,
};

/* Triggers */

static ssize_t store_trigger(struct zio_trigger *trig, const char *text,
			     size_t count,
			     int (*set)(struct zio_trigger *trig, u32 value))
{
	struct zio_cset *cset = trig->cset;
	u32 value;
	int ret = zio_attr_parse(text, &value);

	if (ret)
		return ret;
	mutex_lock(&cset->mutex);
	if (cset->gone || cset->trig != trig)
		ret = -ENODEV;
	else
		ret = set(trig, value);
	mutex_unlock(&cset->mutex);
	return ret ?: count;
}

static ssize_t trigger_name_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", to_zio_trigger(kobj)->type->name);
}

static ssize_t trigger_enable_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n",
			  READ_ONCE(to_zio_trigger(kobj)->enabled));
}

static int set_enable(struct zio_trigger *trig, u32 value)
{
	if (value > 1)
		return -EINVAL;
	return zio_trigger_enable(trig, value);
}

static ssize_t trigger_enable_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *text, size_t count)
{
	return store_trigger(to_zio_trigger(kobj), text, count, set_enable);
}

static ssize_t nshots_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(to_zio_trigger(kobj)->nshots));
}

static ssize_t nshots_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *text, size_t count)
{
	return store_trigger(to_zio_trigger(kobj), text, count,
			     zio_trigger_set_nshots);
}

static ssize_t pre_samples_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(to_zio_trigger(kobj)->pre_samples));
}

static int set_pre_samples(struct zio_trigger *trig, u32 value)
{
	return zio_trigger_set_samples(trig, value, trig->post_samples);
}

static ssize_t pre_samples_store(struct kobject *kobj,
				 struct kobj_attribute *attr,
				 const char *text, size_t count)
{
	return store_trigger(to_zio_trigger(kobj), text, count,
			     set_pre_samples);
}

static ssize_t post_samples_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(to_zio_trigger(kobj)->post_samples));
}

static int set_post_samples(struct zio_trigger *trig, u32 value)
{
	return zio_trigger_set_samples(trig, trig->pre_samples, value);
}

static ssize_t post_samples_store(struct kobject *kobj,
				  struct kobj_attribute *attr,
				  const char *text, size_t count)
{
	return store_trigger(to_zio_trigger(kobj), text, count,
			     set_post_samples);
}

static ssize_t nsamples_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *page)
{
	struct zio_trigger *trig = to_zio_trigger(kobj);

	return sysfs_emit(page, "%u\n", READ_ONCE(trig->pre_samples) +
			  READ_ONCE(trig->post_samples));
}

static int set_nsamples(struct zio_trigger *trig, u32 value)
{
	if (value < trig->pre_samples)
		return -EINVAL;
	return zio_trigger_set_samples(trig, trig->pre_samples,
				       value - trig->pre_samples);
}

static ssize_t nsamples_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *text, size_t count)
{
	return store_trigger(to_zio_trigger(kobj), text, count, set_nsamples);
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

static struct attribute *trigger_attrs[] = {
	&trigger_name.attr,
	&trigger_enable.attr,
	&nshots.attr,
	&pre_samples.attr,
	&post_samples.attr,
	&nsamples.attr,
	NULL
};
ATTRIBUTE_GROUPS(trigger);

static void release_trigger(struct kobject *kobj)
{
	kfree(to_zio_trigger(kobj));
}

const struct kobj_type zio_trigger_ktype = {
	.release = release_trigger,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = trigger_groups,
};
