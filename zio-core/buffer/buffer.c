// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c: the buffer of each channel
 *
 * A change is made with cset->mutex held and the set frozen (freeze.c), in two steps:
 * prepare for all channels, which can fail, then commit, which cannot. Blocks that are
 * queued, or that a user has, keep their memory.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "buffer/internal.h"

static const struct kobj_type *zio_buffer_ktype; /* from the folder config */

/**
 * zio_buffer_shots_size() - count the bytes that the times of a block's shots take
 * @buf: a buffer whose type prepares blocks
 *
 * Context: Process, in @prepare.
 *
 * Return: the number, a multiple of 4; 0 if each block has one shot.
 */
size_t zio_buffer_shots_size(const struct zio_buffer *buf)
{
	const struct zio_cset_core *cset = buf->chan->cset;

	if (!(cset->flags & ZIO_CSET_SHOTS) || cset->bind->nshots == 1)
		return 0;
	return ZIO_MAX_SHOTS * sizeof(u32);
}
EXPORT_SYMBOL_GPL(zio_buffer_shots_size);

static int fill_buffer(struct zio_buffer *buf, size_t size)
{
	const struct zio_buffer_ops *ops = buf->type->ops;
	struct zio_geometry geometry = {
		.block_size = size,
		.len = buf->type->len ?: ZIO_DEFAULT_LEN,
	};
	void *prepared = ops->prepare(buf, &geometry);
	int ret;

	if (IS_ERR(prepared))
		return PTR_ERR(prepared);
	ret = ops->commit(buf, prepared);
	if (ret) {
		ops->discard(buf, prepared);
		return ret;
	}
	buf->len = geometry.len;
	buf->block_size = size;
	return 0;
}

static void free_buffer(struct zio_buffer *buf)
{
	struct module *owner = buf->type->owner;
	struct zio_channel_core *chan = buf->chan;

	buf->type->ops->destroy(buf);
	kobject_put(&buf->kobj);
	kobject_put(&chan->kobj);
	module_put(owner);
}

static void end_in_thread(struct work_struct *work)
{
	free_buffer(container_of(work, struct zio_buffer, end_work));
}

/* Drops a reference to a buffer, which the last one frees. Context: Process, sleeps. */
static void put_buffer(struct zio_buffer *buf)
{
	if (refcount_dec_and_test(&buf->ref))
		free_buffer(buf);
}

/**
 * zio_buffers_init() - initialise the folder
 * @ktype: type of the directory of a buffer
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM.
 */
int zio_buffers_init(const struct kobj_type *ktype)
{
	zio_buffer_ktype = ktype;
	zio_wq = alloc_workqueue("zio", WQ_UNBOUND, 0);
	return zio_wq ? 0 : -ENOMEM;
}

/**
 * zio_buffers_exit() - wait for the work items that free buffers
 *
 * Context: Process, sleeps.
 */
void zio_buffers_exit(void)
{
	destroy_workqueue(zio_wq);
}

static struct zio_buffer *create_buffer(struct zio_channel_core *chan,
					const struct zio_buffer_type *type,
					size_t size)
{
	struct zio_buffer *buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	int ret;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	kobject_init(&buf->kobj, zio_buffer_ktype);
	buf->type = type;
	buf->chan = chan;
	buf->watermark = 1;
	refcount_set(&buf->ref, 1);
	ret = type->ops->create(buf);
	if (ret)
		goto err_create;
	ret = fill_buffer(buf, size);
	if (ret)
		goto err_fill;
	INIT_WORK(&buf->end_work, end_in_thread);
	kobject_get(&chan->kobj);
	__module_get(type->owner);
	return buf;

err_fill:
	type->ops->destroy(buf);
err_create:
	kobject_put(&buf->kobj);
	return ERR_PTR(ret);
}

/* The last user of one of the blocks may free the buffer later: see engine/mem.c. */
static void destroy_buffer(struct zio_buffer *buf)
{
	zio_kobj_del(&buf->kobj);
	put_buffer(buf);
}

static void detach_buffer(struct zio_channel_core *chan)
{
	if (!chan->buf)
		return;
	RCU_INIT_POINTER(chan->data_area, NULL);
	destroy_buffer(chan->buf);
	chan->buf = NULL;
	zio_queue_destroy(&chan->queue);
}

/* Copies the limits for poll(), which must not dereference a buffer. */
static void use_limits(struct zio_channel_core *chan, const struct zio_buffer *buf)
{
	WRITE_ONCE(chan->len, buf->len);
	WRITE_ONCE(chan->watermark, buf->watermark);
}

static int attach_buffer(struct zio_channel_core *chan, struct zio_buffer *buf)
{
	int ret = zio_queue_init(&chan->queue, buf->len);

	if (ret)
		return ret;
	chan->buf = buf;
	use_limits(chan, buf);
	rcu_assign_pointer(chan->data_area, buf->area);
	return 0;
}

static void destroy_buffers(struct zio_buffer **buf, unsigned int n)
{
	while (n--)
		destroy_buffer(buf[n]);
	kvfree(buf);
}

static struct zio_buffer **create_buffers(struct zio_cset_core *cset,
					  const struct zio_buffer_type *type)
{
	struct zio_buffer **buf;
	unsigned int i;
	int ret;

	buf = kvcalloc(cset->n_chan, sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < cset->n_chan; i++) {
		buf[i] = create_buffer(cset->chan[i], type, cset->block_len);
		if (IS_ERR(buf[i])) {
			ret = PTR_ERR(buf[i]);
			destroy_buffers(buf, i);
			return ERR_PTR(ret);
		}
	}
	return buf;
}

/**
 * zio_buffers_create() - create the buffers of a set
 * @cset: the channel set
 * @name: name of the type
 *
 * Context: Process, sleeps; at registration.
 *
 * Return: 0; -ENOENT for an unknown type; or an error of the type.
 */
int zio_buffers_create(struct zio_cset_core *cset, const char *name)
{
	const struct zio_buffer_type *type = zio_buffer_type_get(name);
	struct zio_buffer **buf;
	unsigned int i;
	int ret;

	if (!type) {
		dev_err(&cset->zdev->dev, "no buffer type \"%s\": load zio-buf-%s\n",
			name, name);
		return -ENOENT;
	}
	buf = create_buffers(cset, type);
	if (IS_ERR(buf)) {
		module_put(type->owner);
		return PTR_ERR(buf);
	}
	cset->buf_type = type;
	for (i = 0; i < cset->n_chan; i++) {
		ret = attach_buffer(cset->chan[i], buf[i]);
		if (!ret)
			ret = kobject_add(&buf[i]->kobj, &cset->chan[i]->kobj,
					  "buffer");
		if (ret)
			goto err_attach;
	}
	kvfree(buf);
	return 0;

err_attach:
	for (; i < cset->n_chan; i++)
		if (cset->chan[i]->buf != buf[i])
			destroy_buffer(buf[i]);
	kvfree(buf);
	zio_buffers_destroy(cset);
	return ret;
}

/**
 * zio_buffers_destroy() - drop the buffers of a set
 * @cset: the channel set, whose channels are drained
 *
 * Context: Process, sleeps.
 */
void zio_buffers_destroy(struct zio_cset_core *cset)
{
	unsigned int i;

	if (!cset->buf_type)
		return;
	for (i = 0; i < cset->n_chan; i++)
		detach_buffer(cset->chan[i]);
	module_put(cset->buf_type->owner);
	cset->buf_type = NULL;
}

static struct zio_buffer *swap_buffer(struct zio_channel_core *chan,
				      struct zio_buffer *buf,
				      struct zio_block **slot)
{
	struct zio_buffer *old = chan->buf;

	mutex_lock(&chan->lock);
	zio_channel_drop_unread(chan);
	chan->buf = buf;
	use_limits(chan, buf);
	rcu_assign_pointer(chan->data_area, buf->area);
	zio_queue_replace(&chan->queue, slot, buf->len);
	mutex_unlock(&chan->lock);
	return old;
}

static struct zio_block ***alloc_slots(struct zio_cset_core *cset,
				       struct zio_buffer **buf)
{
	struct zio_block ***slot;
	unsigned int i;

	slot = kvcalloc(cset->n_chan, sizeof(*slot), GFP_KERNEL);
	if (!slot)
		return NULL;
	for (i = 0; i < cset->n_chan; i++) {
		slot[i] = zio_queue_alloc(buf[i]->len);
		if (!slot[i])
			goto err_alloc;
	}
	return slot;

err_alloc:
	while (i--)
		kvfree(slot[i]);
	kvfree(slot);
	return NULL;
}

static int swap_buffers(struct zio_cset_core *cset, struct zio_buffer **buf,
			const struct zio_buffer_type *type)
{
	struct zio_block ***slot;
	unsigned int i;

	if (cset->open_files)
		return -EBUSY;
	slot = alloc_slots(cset, buf);
	if (!slot)
		return -ENOMEM;
	zio_cset_freeze(cset);
	for (i = 0; i < cset->n_chan; i++)
		buf[i] = swap_buffer(cset->chan[i], buf[i], slot[i]);
	cset->buf_type = type;
	zio_cset_unfreeze(cset);
	kvfree(slot);
	return 0;
}

static void publish_buffers(struct zio_cset_core *cset)
{
	struct zio_channel_core *chan;
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++) {
		chan = cset->chan[i];
		if (kobject_add(&chan->buf->kobj, &chan->kobj, "buffer"))
			dev_warn(&cset->zdev->dev,
				 "no sysfs directory for a buffer\n");
	}
}

/**
 * zio_buffers_change() - give all channels of a set buffers of another type
 * @cset: the channel set, whose change lock is held, but not its mutex
 * @name: the type
 *
 * Drops the unread blocks.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL for an unknown type; -EBUSY while a node of the set is
 * open; -ENOMEM. On error the old buffers stay.
 */
int zio_buffers_change(struct zio_cset_core *cset, const char *name)
{
	const struct zio_buffer_type *type, *old = cset->buf_type;
	struct zio_buffer **buf;
	int ret;

	if (!strcmp(old->name, name))
		return 0;
	type = zio_buffer_type_get(name);
	if (!type)
		return -EINVAL;
	mutex_lock(&cset->mutex);
	buf = create_buffers(cset, type);
	ret = IS_ERR(buf) ? PTR_ERR(buf) : swap_buffers(cset, buf, type);
	mutex_unlock(&cset->mutex);
	if (!IS_ERR(buf))
		destroy_buffers(buf, cset->n_chan);
	module_put(ret ? type->owner : old->owner);
	if (!ret)
		publish_buffers(cset);
	return ret;
}

/* A change of one buffer: what is prepared, and slots if there are too few. */
struct zio_resize {
	struct zio_geometry geometry;
	void *prepared;
	struct zio_block **slot;
	unsigned int n_slots;
};

static int prepare_resize(struct zio_buffer *buf, struct zio_resize *new)
{
	const struct zio_buffer_ops *ops = buf->type->ops;

	new->prepared = ops->prepare(buf, &new->geometry);
	if (IS_ERR(new->prepared))
		return PTR_ERR(new->prepared);
	/* An area keeps its blocks. Other blocks are replaced when they are put. */
	new->n_slots = new->geometry.len;
	if (!buf->type->has_area)
		new->n_slots += ops->count(buf);
	if (buf->type->has_area && new->geometry.len == buf->len)
		return 0;
	new->slot = zio_queue_alloc(new->n_slots);
	if (!new->slot) {
		ops->discard(buf, new->prepared);
		return -ENOMEM;
	}
	return 0;
}

static void cancel_resize(struct zio_buffer *buf, struct zio_resize *new)
{
	buf->type->ops->discard(buf, new->prepared);
	kvfree(new->slot);
}

/* The set is frozen. */
static void monitor_move(struct zio_channel_core *chan)
{
	const struct zio_monitor_ops *monitor = READ_ONCE(zio_block_monitor);

	if (monitor && !zio_cset_is_output(chan->cset))
		monitor->move(chan);
}

static int commit_resize(struct zio_buffer *buf, struct zio_resize *new)
{
	struct zio_channel_core *chan = buf->chan;
	struct zio_area *old = buf->area;
	int ret;

	if (old)
		kref_get(&old->ref);
	mutex_lock(&chan->lock);
	monitor_move(chan);
	ret = buf->type->ops->commit(buf, new->prepared);
	if (ret)
		goto out;
	if (new->slot)
		zio_queue_replace(&chan->queue, new->slot, new->n_slots);
	buf->block_size = new->geometry.block_size;
	buf->len = new->geometry.len;
	if (buf->watermark > buf->len)
		buf->watermark = buf->len;
	use_limits(chan, buf);
	rcu_assign_pointer(chan->data_area, buf->area);
out:
	mutex_unlock(&chan->lock);
	/* From here on zio_area_get() finds the new area. */
	zio_area_put(old);
	return ret;
}

static struct zio_geometry current_geometry(const struct zio_buffer *buf)
{
	return (struct zio_geometry) {
		.block_size = buf->block_size,
		.len = buf->len,
		.kb = buf->kb,
	};
}

/**
 * zio_buffers_resize() - give all channels of a set blocks of another size
 * @cset: the channel set, frozen
 * @block_len: bytes
 *
 * Blocks that are in use keep their size.
 *
 * Context: Process, sleeps.
 *
 * Return: 0, or an error of the buffer type; then nothing has changed.
 */
int zio_buffers_resize(struct zio_cset_core *cset, size_t block_len)
{
	struct zio_resize *new;
	struct zio_buffer *buf;
	unsigned int i;
	int ret = 0;

	new = kvcalloc(cset->n_chan, sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < cset->n_chan; i++) {
		buf = cset->chan[i]->buf;
		new[i].geometry = current_geometry(buf);
		new[i].geometry.block_size = block_len;
		ret = prepare_resize(buf, &new[i]);
		if (ret)
			break;
	}
	if (ret) {
		while (i--)
			cancel_resize(cset->chan[i]->buf, &new[i]);
	} else {
		for (i = 0; i < cset->n_chan; i++)
			WARN_ON(commit_resize(cset->chan[i]->buf, &new[i]));
		cset->block_len = block_len;
	}
	kvfree(new);
	return ret;
}

static int resize_buffer(struct zio_buffer *buf, struct zio_resize *new)
{
	struct zio_cset_core *cset = buf->chan->cset;
	int ret;

	if (zio_channel_has_ring(buf->chan))
		return -EBUSY;
	ret = prepare_resize(buf, new);
	if (ret)
		return ret;
	zio_cset_freeze(cset);
	ret = commit_resize(buf, new);
	zio_cset_unfreeze(cset);
	if (ret)
		cancel_resize(buf, new);
	return ret;
}

/**
 * zio_buffer_set_len() - change the number of blocks of one channel
 * @buf: the buffer; its set's mutex is held
 * @len: 1 ... ZIO_MAX_LEN
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL; -ENOMEM; -EBUSY while the channel has a ring, or while an area is
 * mapped or has a block in use. On error nothing has changed.
 */
int zio_buffer_set_len(struct zio_buffer *buf, unsigned int len)
{
	struct zio_resize new = { .geometry = current_geometry(buf) };

	if (!len || len > ZIO_MAX_LEN)
		return -EINVAL;
	if (len == buf->len)
		return 0;
	new.geometry.len = len;
	return resize_buffer(buf, &new);
}

/**
 * zio_buffer_set_kb() - change the size of a channel's area
 * @buf: the buffer; its set's mutex is held
 * @kb: KiB
 *
 * Context: Process, sleeps.
 *
 * Return: as zio_buffer_set_len(); -ENOSPC if no block would fit.
 */
int zio_buffer_set_kb(struct zio_buffer *buf, unsigned int kb)
{
	struct zio_resize new = { .geometry = current_geometry(buf) };

	if (!kb)
		return -EINVAL;
	if (kb == buf->kb)
		return 0;
	new.geometry.kb = kb;
	return resize_buffer(buf, &new);
}
