// SPDX-License-Identifier: GPL-2.0-only
/* sysfs-cset.c: the standard files of channel sets and channels */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static int trim_name(const char *text, size_t count, char *name)
{
	size_t len = strcspn(text, "\n");

	if (!len || len >= ZIO_OBJ_NAME_LEN || len + 1 < count)
		return -EINVAL;
	memcpy(name, text, len);
	name[len] = '\0';
	return 0;
}

static ssize_t store_bool(struct zio_cset_core *cset, const char *text, size_t count,
			  int (*set)(void *object, bool value), void *object)
{
	bool value;
	int ret = zio_attr_parse_bool(text, &value) ?: zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = set(object, value);
	mutex_unlock(&cset->mutex);
	return ret ?: count;
}

/*
 * Replaces the trigger or the buffers by those of a type, whose name has at most 11
 * characters. The core may load the module of the type. This can take any time in user
 * space. So writers hold cset->change meanwhile, and an unbind waits for one at most.
 *
 * New files replace those of the old type. The event lets udev give them a group. The
 * device is there: its removal waits for this file first.
 */
static ssize_t store_type(struct zio_cset_core *cset, const char *text, size_t count,
			  int (*change)(struct zio_cset_core *cset, const char *name))
{
	char name[ZIO_OBJ_NAME_LEN];
	int ret = trim_name(text, count, name);

	if (ret)
		return ret;
	if (mutex_lock_killable(&cset->change))
		return -EINTR;
	ret = cset->gone || READ_ONCE(cset->ending) ? -ENODEV :
		change(cset, name);
	mutex_unlock(&cset->change);
	if (ret)
		return ret;
	kobject_uevent(&cset->zdev->dev.kobj, KOBJ_CHANGE);
	return count;
}

/* Channel sets */

static ssize_t cset_name_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *page)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);

	return sysfs_emit(page, "%s\n", cset->desc->name ?: kobj->name);
}

static ssize_t direction_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *page)
{
	bool output = zio_cset_is_output(kobj_to_cset(kobj));

	return sysfs_emit(page, "%s\n", output ? "output" : "input");
}

ZIO_SHOW(ssize, "%u", kobj_to_cset(kobj)->ssize)
ZIO_SHOW(cset_enable, "%d", READ_ONCE(kobj_to_cset(kobj)->enabled))

static int set_cset_enable(void *object, bool value)
{
	return zio_cset_enable(object, value);
}

ZIO_STORE(cset_enable,
	  store_bool(kobj_to_cset(kobj), text, count, set_cset_enable,
		     kobj_to_cset(kobj)))

static const char *buffer_name(const struct zio_cset_core *cset)
{
	return cset->buf_type->name;
}

static const char *trigger_name(const struct zio_cset_core *cset)
{
	return cset->bind->trig->name;
}

static ssize_t show_type(struct zio_cset_core *cset, char *page,
			 const char *(*name)(const struct zio_cset_core *cset))
{
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = sysfs_emit(page, "%s\n", name(cset));
	mutex_unlock(&cset->mutex);
	return ret;
}

static ssize_t current_buffer_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *page)
{
	return show_type(kobj_to_cset(kobj), page, buffer_name);
}

ZIO_STORE(current_buffer,
	  store_type(kobj_to_cset(kobj), text, count, zio_cset_change_buffers))

static ssize_t current_trigger_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *page)
{
	return show_type(kobj_to_cset(kobj), page, trigger_name);
}

ZIO_STORE(current_trigger,
	  store_type(kobj_to_cset(kobj), text, count, zio_binding_change))
ZIO_SHOW(timeout, "%u", READ_ONCE(kobj_to_cset(kobj)->timeout_ms))

static ssize_t timeout_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *text, size_t count)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);
	u32 ms;
	int ret = zio_attr_parse(text, &ms);

	if (!ret && ms > ZIO_MAX_TIMEOUT_MS)
		ret = -ERANGE;
	if (!ret)
		ret = zio_cset_lock(cset);
	if (ret)
		return ret;
	zio_cset_set_timeout(cset, ms);
	mutex_unlock(&cset->mutex);
	return count;
}

ZIO_SHOW(queue_depth, "%u", READ_ONCE(kobj_to_cset(kobj)->queue_depth))

static ssize_t queue_depth_store(struct kobject *kobj, struct kobj_attribute *attr,
				 const char *text, size_t count)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);
	u32 depth;
	int ret = zio_attr_parse(text, &depth);

	if (!ret && (!depth || depth > (cset->desc->queue_depth ?: ZIO_DEFAULT_DEPTH)))
		ret = -ERANGE;
	if (!ret)
		ret = zio_cset_lock(cset);
	if (ret)
		return ret;
	zio_stream_set_depth(cset, depth);
	mutex_unlock(&cset->mutex);
	return count;
}

static ssize_t channels_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *page)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = sysfs_emit(page, "0x%llx\n", cset->mask);
	mutex_unlock(&cset->mutex);
	return ret;
}

static ssize_t channels_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *text, size_t count)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);
	u64 mask;
	int ret = kstrtou64(text, 0, &mask) ?: zio_cset_lock(cset);

	if (ret)
		return ret;
	ret = zio_cset_set_mask(cset, mask);
	mutex_unlock(&cset->mutex);
	return ret ?: count;
}

ZIO_SHOW(fired, "%lu", READ_ONCE(kobj_to_cset(kobj)->fired))
ZIO_SHOW(io_errors, "%lu", READ_ONCE(kobj_to_cset(kobj)->io_errors))
ZIO_SHOW(lost_triggers, "%lu",
	 atomic_long_read(&kobj_to_cset(kobj)->lost_triggers))

static struct kobj_attribute cset_name = __ATTR(name, 0444, cset_name_show, NULL);
static struct kobj_attribute direction = __ATTR_RO(direction);
static struct kobj_attribute ssize = __ATTR_RO(ssize);
static struct kobj_attribute cset_enable =
	__ATTR(enable, 0644, cset_enable_show, cset_enable_store);
static struct kobj_attribute current_buffer = __ATTR_RW(current_buffer);
static struct kobj_attribute current_trigger = __ATTR_RW(current_trigger);
static struct kobj_attribute timeout_ms =
	ZIO_FILE("timeout-ms", 0644, timeout_show, timeout_store);
static struct kobj_attribute channels = __ATTR_RW(channels);
static struct kobj_attribute queue_depth =
	ZIO_FILE("queue-depth", 0644, queue_depth_show, queue_depth_store);
static struct kobj_attribute fired = __ATTR_RO(fired);
static struct kobj_attribute io_errors = __ATTR_RO(io_errors);
static struct kobj_attribute lost_triggers = __ATTR_RO(lost_triggers);

static struct attribute *cset_attrs[] = {
	&cset_name.attr,
	&direction.attr,
	&ssize.attr,
	&cset_enable.attr,
	&current_buffer.attr,
	&current_trigger.attr,
	&timeout_ms.attr,
	NULL
};

/* Files of sets with a flag */
static struct attribute *special_attrs[] = {
	&channels.attr,
	&queue_depth.attr,
	NULL
};

static struct attribute *cset_stat_attrs[] = {
	&fired.attr,
	&io_errors.attr,
	&lost_triggers.attr,
	NULL
};

static const struct attribute_group cset_group = {
	.attrs = cset_attrs,
};

static umode_t show_special(struct kobject *kobj, struct attribute *attr, int i)
{
	unsigned long flag = attr == &channels.attr ? ZIO_CSET_INTERLEAVED : ZIO_CSET_STREAM;

	return kobj_to_cset(kobj)->flags & flag ? attr->mode : 0;
}

static const struct attribute_group special_group = {
	.attrs = special_attrs,
	.is_visible = show_special,
};

static const struct attribute_group cset_stat_group = {
	.name = "statistics",
	.attrs = cset_stat_attrs,
};

static const struct attribute_group *cset_groups[] = {
	&cset_group,
	&special_group,
	&cset_stat_group,
	NULL
};

static void free_cset(struct rcu_head *rcu)
{
	struct zio_cset_core *cset = container_of(rcu, struct zio_cset_core, rcu);

	kvfree(cset->chan);
	kvfree(cset->active);
	kvfree(cset->pub.armed);
	kfree(cset->set_node);
	kfree(cset);
}

static void release_cset(struct kobject *kobj)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);

	kfree(cset->attrs);
	kfree(cset->chan_attrs);
	kfree(cset->values);
	put_device(&cset->zdev->dev);
	call_rcu(&cset->rcu, free_cset);			/* E */
}

const struct kobj_type zio_cset_ktype = {
	.release = release_cset,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = cset_groups,
};

/* Channels */

ZIO_SHOW(chan_name, "%s", kobj->name)
ZIO_SHOW(chan_enable, "%d", READ_ONCE(kobj_to_channel(kobj)->enabled))

static int set_chan_enable(void *object, bool value)
{
	return zio_channel_enable(object, value);
}

ZIO_STORE(chan_enable,
	  store_bool(kobj_to_channel(kobj)->cset, text, count, set_chan_enable,
		     kobj_to_channel(kobj)))

ZIO_SHOW(alarms, "0x%04x", atomic_read(&kobj_to_channel(kobj)->alarms))

static ssize_t alarms_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *text, size_t count)
{
	u32 mask;
	int ret = zio_attr_parse(text, &mask);

	if (ret)
		return ret;
	if (mask > 0xffff)
		return -ERANGE;
	atomic_andnot(mask, &kobj_to_channel(kobj)->alarms);
	return count;
}

static ssize_t address_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *page)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);
	struct zio_device *zdev = chan->cset->zdev;

	return sysfs_emit(page, "%s-%04x-%u-%u\n", zdev->name, zdev->id,
			  chan->cset->index, chan->pub.index);
}

static ssize_t flush_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *text, size_t count)
{
	bool value;
	int ret = zio_attr_parse_bool(text, &value);

	if (!ret && !value)
		ret = -EINVAL;
	return ret ?: zio_channel_flush(kobj_to_channel(kobj)) ?: count;
}

static ssize_t control_attrs_show(struct kobject *kobj, struct kobj_attribute *attr,
				  char *page)
{
	return zio_channel_show_names(kobj_to_channel(kobj), page);
}

static ssize_t type_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return zio_channel_show_type(kobj_to_channel(kobj), page);
}

ZIO_SHOW(blocks, "%lu", READ_ONCE(kobj_to_channel(kobj)->blocks))
ZIO_SHOW(bytes, "%lu", READ_ONCE(kobj_to_channel(kobj)->bytes))
ZIO_SHOW(lost_blocks, "%lu", zio_channel_losses(kobj_to_channel(kobj)))
ZIO_SHOW(in_flight, "%u", zio_stream_in_flight(kobj_to_channel(kobj)))
ZIO_SHOW(dry, "%lu", READ_ONCE(kobj_to_channel(kobj)->stream->n_dry))
ZIO_SHOW(taps, "%u", zio_taps_count(kobj_to_channel(kobj)))
ZIO_SHOW(held_bytes, "%zu", zio_channel_held_bytes(kobj_to_channel(kobj)))

static ssize_t held_by_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return zio_channel_show_holders(kobj_to_channel(kobj), page);
}

ZIO_SHOW(flushed, "%lu", READ_ONCE(kobj_to_channel(kobj)->flushed))
ZIO_SHOW(shared, "%lu", READ_ONCE(kobj_to_channel(kobj)->shared))
ZIO_SHOW(copied, "%lu", READ_ONCE(kobj_to_channel(kobj)->copied))
ZIO_SHOW(copied_bytes, "%lu", READ_ONCE(kobj_to_channel(kobj)->copied_bytes))
ZIO_SHOW(route_lost, "%lu", READ_ONCE(kobj_to_channel(kobj)->route_lost))

static ssize_t
current_control_read(struct file *file, struct kobject *kobj,
		     ZIO_BIN_ATTR_CONST struct bin_attribute *attr, char *page,
		     loff_t off, size_t count)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);
	struct zio_control ctrl;

	rcu_read_lock();
	zio_control_begin(&ctrl, rcu_dereference(chan->snap), chan->pub.index);
	rcu_read_unlock();
	ctrl.seq_num = READ_ONCE(chan->seq) - READ_ONCE(chan->merged);
	ctrl.zio_alarms = atomic_read(&chan->alarms_new);
	ctrl.drv_alarms = atomic_read(&chan->alarms_new) >> 8;
	if (zio_cset_is_output(chan->cset))
		zio_share_describe(chan, &ctrl);
	return memory_read_from_buffer(page, count, &off, &ctrl, sizeof(ctrl));
}

static struct kobj_attribute chan_name = __ATTR(name, 0444, chan_name_show, NULL);
static struct kobj_attribute chan_enable =
	__ATTR(enable, 0644, chan_enable_show, chan_enable_store);
static struct kobj_attribute alarms = __ATTR_RW(alarms);
static struct kobj_attribute address = __ATTR_RO(address);
static struct kobj_attribute flush = __ATTR_WO(flush);
static struct kobj_attribute control_attrs =
	ZIO_FILE("control-attrs", 0444, control_attrs_show, NULL);
static struct kobj_attribute sample_type = __ATTR(type, 0444, type_show, NULL);
static struct kobj_attribute blocks = __ATTR_RO(blocks);
static struct kobj_attribute bytes = __ATTR_RO(bytes);
static struct kobj_attribute lost_blocks = __ATTR_RO(lost_blocks);
static struct kobj_attribute in_flight = ZIO_FILE("in-flight", 0444, in_flight_show, NULL);
static struct kobj_attribute dry = __ATTR_RO(dry);
static struct kobj_attribute flushed = __ATTR_RO(flushed);
static struct kobj_attribute taps = __ATTR_RO(taps);
static struct kobj_attribute held_bytes =
	ZIO_FILE("held-bytes", 0444, held_bytes_show, NULL);
static struct kobj_attribute held_by = ZIO_FILE("held-by", 0444, held_by_show, NULL);
static struct kobj_attribute shared = __ATTR_RO(shared);
static struct kobj_attribute copied = __ATTR_RO(copied);
static struct kobj_attribute copied_bytes =
	ZIO_FILE("copied-bytes", 0444, copied_bytes_show, NULL);
static struct kobj_attribute route_lost =
	ZIO_FILE("route-lost", 0444, route_lost_show, NULL);
static struct bin_attribute current_control = {
	.attr = { .name = "current-control", .mode = 0444 },
	.size = __ZIO_CONTROL_SIZE,
	.read = current_control_read,
};

static struct attribute *chan_attrs[] = {
	&chan_name.attr,
	&chan_enable.attr,
	&alarms.attr,
	&address.attr,
	&flush.attr,
	&control_attrs.attr,
	&sample_type.attr,
	NULL
};

static ZIO_BIN_ATTR_CONST struct bin_attribute *ZIO_BIN_ATTR_CONST
chan_bin_attrs[] = {
	&current_control,
	NULL
};

static struct attribute *chan_stat_attrs[] = {
	&blocks.attr,
	&bytes.attr,
	&lost_blocks.attr,
	&in_flight.attr,
	&dry.attr,
	&flushed.attr,
	&taps.attr,
	&held_bytes.attr,
	&held_by.attr,
	&shared.attr,
	&copied.attr,
	&copied_bytes.attr,
	&route_lost.attr,
	NULL
};

static bool is_of_inputs(const struct attribute *attr)
{
	return attr == &flush.attr || attr == &flushed.attr || attr == &taps.attr;
}

static bool is_of_outputs(const struct attribute *attr)
{
	return attr == &shared.attr || attr == &copied.attr ||
		attr == &copied_bytes.attr || attr == &route_lost.attr;
}

/*
 * Outputs have no flush; inputs do not play. A set that only tells the time has no
 * samples.
 */
static umode_t show_chan_attr(struct kobject *kobj, struct attribute *attr,
			      int i)
{
	const struct zio_cset_core *cset = kobj_to_channel(kobj)->cset;

	if (attr == &sample_type.attr && !cset->ssize)
		return 0;
	if ((attr == &in_flight.attr || attr == &dry.attr) && !zio_cset_is_stream(cset))
		return 0;
	if (zio_cset_is_output(cset) ? is_of_inputs(attr) : is_of_outputs(attr))
		return 0;
	return attr->mode;
}

static const struct attribute_group chan_group = {
	.is_visible = show_chan_attr,
	.attrs = chan_attrs,
	.bin_attrs = chan_bin_attrs,
};

static const struct attribute_group chan_stat_group = {
	.name = "statistics",
	.is_visible = show_chan_attr,
	.attrs = chan_stat_attrs,
};

static const struct attribute_group *chan_groups[] = {
	&chan_group,
	&chan_stat_group,
	NULL
};

static void release_channel(struct kobject *kobj)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);

	zio_snapshot_put(rcu_access_pointer(chan->snap));
	zio_stream_destroy(chan);
	mutex_destroy(&chan->lock);
	kfree(chan->values);
	kfree(chan->scale);
	kobject_put(&chan->cset->kobj);
	kfree_rcu(chan, rcu);					/* E */
}

const struct kobj_type zio_channel_ktype = {
	.release = release_channel,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = chan_groups,
};
