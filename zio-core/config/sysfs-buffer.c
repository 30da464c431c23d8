// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-buffer.c: the standard files of buffers
 *
 * A replacement of the buffers removes these directories after it has unlocked the mutex.
 * So each store checks that its buffer is still in use.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static ssize_t store_buffer(struct zio_buffer *buf, const char *text,
			    size_t count,
			    int (*set)(struct zio_buffer *buf, u32 value))
{
	struct zio_cset_core *cset = buf->chan->cset;
	u32 value;
	int ret = zio_attr_parse(text, &value) ?: zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = buf->chan->buf == buf ? set(buf, value) : -ENODEV;
	mutex_unlock(&cset->mutex);
	return ret ?: count;
}

ZIO_SHOW(buffer_name, "%s", to_zio_buffer(kobj)->type->name)
ZIO_SHOW(max_len, "%u", READ_ONCE(to_zio_buffer(kobj)->len))
ZIO_STORE(max_len,
	  store_buffer(to_zio_buffer(kobj), text, count, zio_buffer_set_len))
ZIO_SHOW(max_kb, "%u", READ_ONCE(to_zio_buffer(kobj)->kb))
ZIO_STORE(max_kb,
	  store_buffer(to_zio_buffer(kobj), text, count, zio_buffer_set_kb))

static ssize_t allocated_len_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *page)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);

	return sysfs_emit(page, "%u\n", buf->type->ops->count(buf));
}

static ssize_t queued_len_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *page)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);
	int queued = zio_queue_count(&buf->chan->queue);
	int all = buf->type->ops->count(buf);

	/* Head and tail are not read at the same moment, so the difference may be wrong. */
	return sysfs_emit(page, "%d\n", clamp(queued, 0, all));
}

ZIO_SHOW(prefer_new, "%d", READ_ONCE(to_zio_buffer(kobj)->prefer_new))

static int set_prefer_new(struct zio_buffer *buf, u32 value)
{
	if (value > 1)
		return -EINVAL;
	WRITE_ONCE(buf->prefer_new, value);
	/* A set that had no room can be armed now. */
	zio_cset_kick(buf->chan->cset);
	return 0;
}

ZIO_STORE(prefer_new,
	  store_buffer(to_zio_buffer(kobj), text, count, set_prefer_new))
ZIO_SHOW(watermark, "%u", READ_ONCE(to_zio_buffer(kobj)->watermark))

static int set_watermark(struct zio_buffer *buf, u32 value)
{
	if (!value || value > buf->len)
		return -EINVAL;
	WRITE_ONCE(buf->watermark, value);
	WRITE_ONCE(buf->chan->watermark, value);
	zio_cset_wake(buf->chan->cset);
	return 0;
}

ZIO_STORE(watermark,
	  store_buffer(to_zio_buffer(kobj), text, count, set_watermark))
ZIO_SHOW(merge_data, "%d", READ_ONCE(to_zio_buffer(kobj)->merge_data))
ZIO_STORE(merge_data,
	  store_buffer(to_zio_buffer(kobj), text, count, zio_buffer_set_merge))

static ssize_t source_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *page)
{
	return zio_route_show(to_zio_buffer(kobj)->chan, page);
}

/* The route belongs to the channel; it stays when the buffer is replaced. */
ZIO_STORE(source,
	  zio_channel_set_source(to_zio_buffer(kobj)->chan, text) ?: count)

static struct kobj_attribute buffer_name =
	__ATTR(name, 0444, buffer_name_show, NULL);
static struct kobj_attribute max_buffer_len =
	ZIO_FILE("max-buffer-len", 0644, max_len_show, max_len_store);
static struct kobj_attribute allocated_buffer_len =
	ZIO_FILE("allocated-buffer-len", 0444, allocated_len_show, NULL);
static struct kobj_attribute queued_buffer_len =
	ZIO_FILE("queued-buffer-len", 0444, queued_len_show, NULL);
static struct kobj_attribute max_buffer_kb =
	ZIO_FILE("max-buffer-kb", 0644, max_kb_show, max_kb_store);
static struct kobj_attribute prefer_new =
	ZIO_FILE("prefer-new", 0644, prefer_new_show, prefer_new_store);
static struct kobj_attribute watermark = __ATTR_RW(watermark);
static struct kobj_attribute merge_data =
	ZIO_FILE("merge-data", 0644, merge_data_show, merge_data_store);
static struct kobj_attribute source = __ATTR_RW(source);

static struct attribute *buffer_attrs[] = {
	&buffer_name.attr,
	&max_buffer_len.attr,
	&allocated_buffer_len.attr,
	&queued_buffer_len.attr,
	&prefer_new.attr,
	&watermark.attr,
	NULL
};

static struct attribute *area_attrs[] = {
	&max_buffer_kb.attr,
	&merge_data.attr,
	NULL
};

static struct attribute *output_attrs[] = {
	&source.attr,
	NULL
};

static umode_t show_output_attrs(struct kobject *kobj, struct attribute *attr,
				 int i)
{
	const struct zio_buffer *buf = to_zio_buffer(kobj);

	return zio_cset_is_output(buf->chan->cset) ? attr->mode : 0;
}

static umode_t show_area_attrs(struct kobject *kobj, struct attribute *attr,
			       int i)
{
	const struct zio_buffer *buf = to_zio_buffer(kobj);

	if (attr == &merge_data.attr && !zio_buffer_can_merge(buf))
		return 0;
	return buf->type->has_area ? attr->mode : 0;
}

static const struct attribute_group buffer_group = {
	.attrs = buffer_attrs,
};

static const struct attribute_group area_group = {
	.attrs = area_attrs,
	.is_visible = show_area_attrs,
};

static const struct attribute_group output_group = {
	.attrs = output_attrs,
	.is_visible = show_output_attrs,
};

static const struct attribute_group *buffer_groups[] = {
	&buffer_group,
	&area_group,
	&output_group,
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
