// SPDX-License-Identifier: GPL-2.0-only
/* sysfs-cset.c: the standard files of channel sets and channels */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

#define CSET_VALUE(_member)	ZIO_VALUE(struct zio_cset_core, _member)
#define CHAN_VALUE(_member)	ZIO_VALUE(struct zio_channel_core, _member)

/* Channel sets */

ZIO_SHOW(cset, name, "%s", kobj_to_cset(kobj)->desc->name ?: kobj->name)
ZIO_SHOW(cset, direction, "%s",
	 zio_cset_is_output(kobj_to_cset(kobj)) ? "output" : "input")
ZIO_SHOW(cset, buffer, "%s", kobj_to_cset(kobj)->buf_type->name)
ZIO_SHOW(cset, trigger, "%s", kobj_to_cset(kobj)->bind->trig->name)
ZIO_SHOW(cset, mask, "0x%llx", kobj_to_cset(kobj)->pub.shape.mask)

/* A disabled set takes no events. */
static int cset_set_enable(struct kobject *kobj, u32 enable)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);

	if (cset->enabled != enable)
		zio_cset_switch(cset, &cset->enabled, enable);
	return 0;
}

/*
 * Replaces the trigger or the buffers with those of another type, whose name has at most 11
 * characters. Loading the module of the type may take any time in user space. So writers
 * hold cset->change meanwhile, and an unbind waits for at most one of them.
 *
 * New files replace those of the old type. The uevent lets udev give them a group. The
 * device exists: its removal waits for this file first.
 */
static int cset_store_type(struct zio_cset_core *cset, const char *text,
			   int (*change)(struct zio_cset_core *cset, const char *name))
{
	size_t len = strcspn(text, "\n");
	char name[ZIO_OBJ_NAME_LEN];
	int ret;

	if (!len || len >= sizeof(name) || (text[len] && text[len + 1]))
		return -EINVAL;
	strscpy(name, text, len + 1);
	if (mutex_lock_killable(&cset->change))
		return -EINTR;
	ret = cset->gone || READ_ONCE(cset->ending) ? -ENODEV :
		change(cset, name);
	mutex_unlock(&cset->change);
	if (!ret)
		kobject_uevent(&cset->zdev->dev.kobj, KOBJ_CHANGE);
	return ret;
}

ZIO_STORE_BY(cset, buffer, cset_store_type(kobj_to_cset(kobj), text, zio_buffers_change))
ZIO_STORE_BY(cset, trigger, cset_store_type(kobj_to_cset(kobj), text, zio_binding_change))

ZIO_LIMITS(cset, buffer, .list = zio_buffer_list_types)
ZIO_LIMITS(cset, trigger, .list = zio_trigger_list_names,
	   .words = kobj_to_cset(kobj)->desc->board_trigger ?
		    &kobj_to_cset(kobj)->desc->board_trigger->name : NULL,
	   .n = !!kobj_to_cset(kobj)->desc->board_trigger)
ZIO_LIMITS(cset, timeout, .max = ZIO_MAX_TIMEOUT_MS, .error = -ERANGE)
ZIO_SET_BY(cset, timeout, (zio_cset_set_timeout(kobj_to_cset(kobj), value), 0))
ZIO_LIMITS(cset, depth, .min = 1, .error = -ERANGE,
	   .max = kobj_to_cset(kobj)->desc->queue_depth ?: ZIO_DEFAULT_DEPTH)
ZIO_SET_BY(cset, depth, (zio_stream_set_depth(kobj_to_cset(kobj), value), 0))
ZIO_LIMITS(cset, mask, .min = 1, .max = zio_cset_all_channels(kobj_to_cset(kobj)))

ZIO_LIMITS(cset, rate, .text = "<decimal>")
ZIO_SET_BY(cset, cyclic, (zio_ostream_set_cyclic(kobj_to_cset(kobj), value), 0))

static int cset_store_mask(struct kobject *kobj, const struct zio_file *file,
			   const char *text)
{
	u64 mask;

	return kstrtou64(text, 0, &mask) ?: zio_cset_set_mask(kobj_to_cset(kobj), mask);
}

static struct attribute *cset_files[] = {
	ZIO_FILE("name", 0444, .show = cset_show_name),
	ZIO_FILE("direction", 0444, .show = cset_show_direction),
	ZIO_FILE("ssize", 0444, CSET_VALUE(ssize)),
	ZIO_FILE("enable", 0644, CSET_VALUE(enabled), .set = cset_set_enable),
	ZIO_FILE("current_buffer", 0644, .show = cset_show_buffer, .lock_show = true,
		 ZIO_STORE(cset, buffer), .no_lock = true),
	ZIO_FILE("timeout-ms", 0644, CSET_VALUE(timeout_ms), ZIO_SET(cset, timeout)),
	ZIO_FILE("channels", 0644, .show = cset_show_mask, .lock_show = true,
		 ZIO_STORE(cset, mask), .needs = ZIO_CSET_INTERLEAVED),
	ZIO_FILE("queue-depth", 0644, CSET_VALUE(queue_depth), ZIO_SET(cset, depth),
		 .needs = ZIO_CSET_STREAM),
	ZIO_FILE("cyclic", 0644, CSET_VALUE(cyclic), .set = cset_set_cyclic,
		 .needs = ZIO_CSET_STREAM | ZIO_CSET_OUTPUT),
	ZIO_FILE("sample-rate", 0644, .show = zio_rate_show, .lock_show = true,
		 .store = zio_rate_store, .limits = cset_limits_rate, .mode = zio_rate_mode),
	/* The last one that is writable: its line of "accepted" may exceed a page. */
	ZIO_FILE("current_trigger", 0644, .show = cset_show_trigger, .lock_show = true,
		 ZIO_STORE(cset, trigger), .no_lock = true),
	ZIO_FILE("accepted", 0444, .show = zio_cset_show_accepted),
	NULL
};

static struct attribute *cset_statistics[] = {
	ZIO_FILE("fired", 0444, CSET_VALUE(fired)),
	ZIO_FILE("io_errors", 0444, CSET_VALUE(io_errors)),
	ZIO_FILE("lost_triggers", 0444, CSET_VALUE(lost_triggers.counter)),
	NULL
};

static const struct attribute_group *cset_groups[] = {
	ZIO_GROUP(NULL, cset_files),
	ZIO_GROUP("statistics", cset_statistics),
	NULL
};

static void free_cset(struct rcu_head *rcu)
{
	struct zio_cset_core *cset = container_of(rcu, struct zio_cset_core, rcu);

	kvfree(cset->chan);
	kvfree(cset->active);
	kvfree(cset->pub.armed);
	kfree(cset->set_node);
	kfree(cset->alias_nodes);
	kfree(cset);
}

static void release_cset(struct kobject *kobj)
{
	struct zio_cset_core *cset = kobj_to_cset(kobj);

	zio_attr_set_free(&cset->attrs);
	if (cset->own_trigger)
		zio_attr_set_free(&cset->own_trigger->attrs);
	kfree(cset->own_trigger);
	kfree(cset->chan_attrs);
	kfree(cset->members);
	put_device(&cset->zdev->dev);
	call_rcu(&cset->rcu, free_cset);			/* E */
}

const struct zio_kind zio_cset_kind = {
	.ktype = ZIO_KTYPE(release_cset, cset_groups),
	.is_cset = true,
};

/* Channels */

/* Updates the list of active channels of a set that is frozen, or not yet visible. */
void zio_cset_list_active(struct zio_cset_core *cset)
{
	unsigned int i, n = 0;

	for (i = 0; i < cset->n_chan; i++)
		if (cset->chan[i]->enabled)
			WRITE_ONCE(cset->active[n++], cset->chan[i]);
	WRITE_ONCE(cset->n_active, n);
}

/* Unread blocks stay readable. */
static int chan_set_enable(struct kobject *kobj, u32 enable)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);
	struct zio_cset_core *cset = chan->cset;

	if (chan->enabled == enable)
		return 0;
	zio_cset_freeze(cset);
	WRITE_ONCE(chan->enabled, enable);
	/* Events that it missed while it was disabled are not losses. */
	atomic_andnot(ZIO_ALARM_LOST_TRIGGER, &chan->alarms_new);
	atomic_set(&chan->missed_before, 0);
	zio_cset_list_active(cset);
	zio_cset_refresh(cset);
	zio_cset_unfreeze(cset);
	return 0;
}

ZIO_LIMITS(chan, alarms, .max = 0xffff, .error = -ERANGE)
ZIO_SET_BY(chan, alarms, (atomic_andnot(value, &kobj_to_channel(kobj)->alarms), 0))
ZIO_LIMITS(chan, flush, .min = 1, .max = 1, .error = -EINVAL)
ZIO_SET_BY(chan, flush, zio_channel_flush(kobj_to_channel(kobj)))

static ssize_t chan_show_address(struct kobject *kobj, const struct zio_file *file,
				 char *page)
{
	const struct zio_channel_core *chan = kobj_to_channel(kobj);

	return sysfs_emit(page, "%s-%u-%u\n", dev_name(&chan->cset->zdev->dev),
			  chan->cset->pub.index, chan->pub.index);
}

ZIO_SHOW(chan, name, "%s", kobj->name)
ZIO_SHOW(chan, alarms, "0x%04x", atomic_read(&kobj_to_channel(kobj)->alarms))
ZIO_SHOW(chan, lost, "%lu", zio_channel_losses(kobj_to_channel(kobj)))
ZIO_SHOW(chan, in_flight, "%u", zio_stream_in_flight(kobj_to_channel(kobj)))
ZIO_SHOW(chan, dry, "%lu", READ_ONCE(kobj_to_channel(kobj)->queue.stream.n_dry))
ZIO_SHOW(chan, taps, "%u", READ_ONCE(kobj_to_channel(kobj)->n_taps))

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
	ctrl.seq_num = READ_ONCE(chan->seq);
	ctrl.zio_alarms = atomic_read(&chan->alarms_new);
	ctrl.drv_alarms = atomic_read(&chan->alarms_new) >> 8;
	if (atomic_read(&chan->cset->missed_busy))
		ctrl.zio_alarms |= ZIO_ALARM_LOST_TRIGGER;
	if (zio_cset_is_output(chan->cset))
		zio_share_describe(chan, &ctrl);
	return memory_read_from_buffer(page, count, &off, &ctrl, sizeof(ctrl));
}

static ZIO_BIN_ATTR_CONST struct bin_attribute current_control = {
	.attr = { .name = "current-control", .mode = 0444 },
	.size = __ZIO_CONTROL_SIZE,
	.read = current_control_read,
};

static ZIO_BIN_ATTR_CONST struct bin_attribute *ZIO_BIN_ATTR_CONST
chan_bin_attrs[] = {
	&current_control,
	NULL
};

static const struct attribute_group chan_bin_group = {
	.bin_attrs = chan_bin_attrs,
};

/* A set that only records times has no samples. */
static umode_t chan_mode_of_type(struct kobject *kobj, const struct zio_file *file)
{
	return kobj_to_channel(kobj)->cset->ssize ? file->attr.mode : 0;
}

static struct attribute *chan_files[] = {
	ZIO_FILE("name", 0444, .show = chan_show_name),
	ZIO_FILE("enable", 0644, CHAN_VALUE(enabled), .set = chan_set_enable),
	ZIO_FILE("alarms", 0644, .show = chan_show_alarms, ZIO_SET(chan, alarms),
		 .no_lock = true),
	ZIO_FILE("address", 0444, .show = chan_show_address),
	ZIO_FILE("flush", 0200, ZIO_SET(chan, flush), .no_lock = true,
		 .lacks = ZIO_CSET_OUTPUT),
	ZIO_FILE("control-attrs", 0444, .show = zio_channel_show_names, .lock_show = true),
	ZIO_FILE("type", 0444, .show = zio_channel_show_type, .mode = chan_mode_of_type),
	NULL
};

static struct attribute *chan_statistics[] = {
	ZIO_FILE("blocks", 0444, CHAN_VALUE(blocks)),
	ZIO_FILE("bytes", 0444, CHAN_VALUE(bytes)),
	ZIO_FILE("lost_blocks", 0444, .show = chan_show_lost),
	ZIO_FILE("in-flight", 0444, .show = chan_show_in_flight, .needs = ZIO_CSET_STREAM),
	ZIO_FILE("dry", 0444, .show = chan_show_dry, .needs = ZIO_CSET_STREAM),
	ZIO_FILE("flushed", 0444, CHAN_VALUE(flushed), .lacks = ZIO_CSET_OUTPUT),
	ZIO_FILE("taps", 0444, .show = chan_show_taps, .lacks = ZIO_CSET_OUTPUT),
	ZIO_FILE("shared", 0444, CHAN_VALUE(shared), .needs = ZIO_CSET_OUTPUT),
	ZIO_FILE("copied", 0444, CHAN_VALUE(copied), .needs = ZIO_CSET_OUTPUT),
	ZIO_FILE("copied-bytes", 0444, CHAN_VALUE(copied_bytes), .needs = ZIO_CSET_OUTPUT),
	ZIO_FILE("route-lost", 0444, CHAN_VALUE(route_lost), .needs = ZIO_CSET_OUTPUT),
	NULL
};

static const struct attribute_group *chan_groups[] = {
	ZIO_GROUP(NULL, chan_files),
	&chan_bin_group,
	ZIO_GROUP("statistics", chan_statistics),
	NULL
};

static void release_channel(struct kobject *kobj)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);

	zio_snapshot_put(rcu_access_pointer(chan->snap));
	mutex_destroy(&chan->lock);
	kfree(chan->values);
	kobject_put(&chan->cset->kobj);
	kfree_rcu(chan, rcu);					/* E */
}

const struct zio_kind zio_channel_kind = {
	.ktype = ZIO_KTYPE(release_channel, chan_groups),
};
