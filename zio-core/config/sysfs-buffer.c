// SPDX-License-Identifier: GPL-2.0-only
/* sysfs-buffer.c: the standard files of buffers */
#include <linux/math64.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

#define BUF_VALUE(_member)	ZIO_VALUE(struct zio_buffer, _member)

static unsigned int buf_count(struct zio_buffer *buf)
{
	return buf->type->ops->count(buf);
}

/* Head and tail are read one after the other, so the difference may be wrong. */
static int buf_queued(struct zio_buffer *buf)
{
	return clamp_t(int, zio_queue_count(&buf->chan->queue), 0, buf_count(buf));
}

ZIO_SHOW(buf, name, "%s", to_zio_buffer(kobj)->type->name)
ZIO_SHOW(buf, allocated, "%u", buf_count(to_zio_buffer(kobj)))
ZIO_SHOW(buf, queued, "%d", buf_queued(to_zio_buffer(kobj)))
ZIO_LIMITS(buf, len, .min = 1, .max = ZIO_MAX_LEN, .error = -EINVAL)
ZIO_LIMITS(buf, kb, .min = 1, .max = U32_MAX, .error = -EINVAL)

/* The route belongs to the channel, and outlives the buffer. */
ZIO_SHOW_BY(buf, source, zio_route_show(to_zio_buffer(kobj)->chan, page))
ZIO_LIMITS(buf, source, .text = "<channel>")
ZIO_STORE_BY(buf, source, zio_channel_set_source(to_zio_buffer(kobj)->chan, text))

static int buf_set_len(struct kobject *kobj, u32 value)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);
	int ret = zio_buffer_resize(buf, value, buf->kb);

	if (!ret)
		buf->user_len = true;
	return ret;
}

/*
 * As in ZIO 1.x, only the area limits the blocks, unless a user has chosen their number.
 * Blocks that are queued or in use can move to another area if their number stays.
 */
static int buf_set_kb(struct kobject *kobj, u32 value)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);
	u64 fit = div_u64((u64)value * SZ_1K, zio_buffer_room(buf, buf->block_size));
	u32 least = buf->type->len ?: ZIO_DEFAULT_LEN;
	u32 len = buf->user_len ? buf->len : clamp_t(u64, fit, least, ZIO_MAX_LEN);
	int ret = zio_buffer_resize(buf, len, value);

	return ret == -EBUSY && len != buf->len ? zio_buffer_resize(buf, buf->len, value) : ret;
}

static int buf_set_prefer_new(struct kobject *kobj, u32 value)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);
	struct zio_channel_core *chan = buf->chan;

	mutex_lock(&chan->lock);
	WRITE_ONCE(buf->prefer_new, value);
	if (value && !zio_cset_is_output(chan->cset))
		zio_channel_drop_left(chan);
	mutex_unlock(&chan->lock);
	/* A set that had no room can be armed now. */
	zio_cset_kick(chan->cset);
	return 0;
}

/* Each channel has its own length, so "accepted" names the file and not a number. */
ZIO_LIMITS(buf, watermark, .min = 1, .max = to_zio_buffer(kobj)->len, .error = -EINVAL,
	   .text = "[1 1 max-buffer-len]")

static int buf_set_watermark(struct kobject *kobj, u32 value)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);

	WRITE_ONCE(buf->watermark, value);
	WRITE_ONCE(buf->chan->watermark, value);
	zio_cset_wake(buf->chan->cset);
	return 0;
}

static umode_t buf_mode_of_area(struct kobject *kobj, const struct zio_file *file)
{
	return to_zio_buffer(kobj)->area ? file->attr.mode : 0;
}

static struct attribute *buf_files[] = {
	ZIO_FILE("name", 0444, .show = buf_show_name),
	ZIO_FILE("max-buffer-len", 0644, BUF_VALUE(len), ZIO_SET(buf, len)),
	ZIO_FILE("allocated-buffer-len", 0444, .show = buf_show_allocated),
	ZIO_FILE("queued-buffer-len", 0444, .show = buf_show_queued),
	ZIO_FILE("prefer-new", 0644, BUF_VALUE(prefer_new), .set = buf_set_prefer_new),
	ZIO_FILE("watermark", 0644, BUF_VALUE(watermark), ZIO_SET(buf, watermark)),
	ZIO_FILE("max-buffer-kb", 0644, BUF_VALUE(kb), ZIO_SET(buf, kb),
		 .mode = buf_mode_of_area),
	ZIO_FILE("source", 0644, .show = buf_show_source, ZIO_STORE(buf, source),
		 .no_lock = true, .needs = ZIO_CSET_OUTPUT),
	NULL
};

static const struct attribute_group *buf_groups[] = {
	ZIO_GROUP(NULL, buf_files),
	NULL
};

static bool buf_is_used(struct kobject *kobj)
{
	struct zio_buffer *buf = to_zio_buffer(kobj);

	return buf->chan->buf == buf;
}

static void release_buffer(struct kobject *kobj)
{
	kfree(to_zio_buffer(kobj));
}

const struct zio_kind zio_buffer_kind = {
	.ktype = ZIO_KTYPE(release_buffer, buf_groups),
	.is_used = buf_is_used,
};
