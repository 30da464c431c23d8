// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c: the buffer of each channel
 *
 * A change needs cset->mutex and a frozen set (freeze.c), and has two steps: prepare for
 * all channels, which can fail; then commit, which cannot fail if only the size of blocks
 * changes. Blocks that are queued, or that a user has, keep their memory.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "buffer/internal.h"

static const struct kobj_type *zio_buffer_ktype; /* from the folder config */

/**
 * zio_buffer_is_output() - check whether programs fill the blocks of a buffer
 * @buf: the buffer
 *
 * Context: Any.
 *
 * Return: true for an output.
 */
bool zio_buffer_is_output(const struct zio_buffer *buf)
{
	return zio_cset_is_output(buf->chan->cset);
}
EXPORT_SYMBOL_GPL(zio_buffer_is_output);

/**
 * zio_buffer_values_size() - get the size of the values of a block
 * @buf: a buffer whose type prepares blocks
 *
 * It never changes.
 *
 * Context: Process, in @prepare.
 *
 * Return: bytes, a multiple of 4; 0 if blocks of the set have no values of their own.
 */
size_t zio_buffer_values_size(const struct zio_buffer *buf)
{
	return fls(buf->chan->cset->value_mask) * sizeof(u32);
}
EXPORT_SYMBOL_GPL(zio_buffer_values_size);

static void free_buffer(struct zio_buffer *buf)
{
	struct module *owner = buf->type->owner;
	struct zio_channel_core *chan = buf->chan;

	buf->type->ops->destroy(buf);
	kvfree(buf->slot);
	kobject_put(&buf->kobj);
	kobject_put(&chan->kobj);
	module_put(owner);
}

static void end_in_thread(struct work_struct *work)
{
	free_buffer(container_of(work, struct zio_buffer, end_work));
}

/* @ktype is the type of a buffer's directory. Returns 0 or -ENOMEM. */
int zio_buffers_init(const struct kobj_type *ktype)
{
	zio_buffer_ktype = ktype;
	zio_wq = alloc_workqueue("zio", WQ_UNBOUND, 0);
	return zio_wq ? 0 : -ENOMEM;
}

/* Waits for the work items that free buffers. */
void zio_buffers_exit(void)
{
	destroy_workqueue(zio_wq);
}

/* A change of one buffer: what was prepared, and new slots if there were too few. */
struct zio_resize {
	struct zio_geometry geometry;
	void *prepared;
	struct zio_block **slot;
	unsigned int n_slots;
};

/*
 * Returns how many shots get a block each while no other block is in use. The free memory
 * of an area may begin within the room of a block, so one more block must have room.
 */
static u32 max_shots(const struct zio_buffer *buf, const struct zio_geometry *geometry)
{
	size_t n = min_t(size_t, geometry->len, U16_MAX);

	if (geometry->kb)
		n = min(n, PAGE_ALIGN((size_t)geometry->kb * SZ_1K) /
			zio_buffer_room(buf, geometry->block_size) - 1);
	return max_t(size_t, n, 1);
}

static int prepare_resize(struct zio_buffer *buf, struct zio_resize *new)
{
	const struct zio_buffer_ops *ops = buf->type->ops;

	new->prepared = ops->prepare(buf, &new->geometry);
	if (IS_ERR(new->prepared))
		return PTR_ERR(new->prepared);
	if (buf->chan->cset->pub.shape.nshots > max_shots(buf, &new->geometry)) {
		ops->discard(buf, new->prepared);
		return -ENOSPC;
	}
	/* Without an area, old blocks need slots, too, until they are put. */
	new->n_slots = new->geometry.len;
	if (!buf->area)
		new->n_slots += ops->count(buf);
	if (buf->area && new->geometry.len == buf->len)
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

static int use_prepared(struct zio_buffer *buf, struct zio_resize *new)
{
	int ret = buf->type->ops->commit(buf, new->prepared);

	if (!ret)
		buf->geometry = new->geometry;
	return ret;
}

static struct zio_buffer *create_buffer(struct zio_channel_core *chan,
					const struct zio_buffer_type *type)
{
	struct zio_buffer *buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	struct zio_resize new = { .geometry = {
		.block_size = chan->cset->block_len,
		.len = type->len ?: ZIO_DEFAULT_LEN,
	} };
	int ret;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	kobject_init(&buf->kobj, zio_buffer_ktype);
	buf->type = type;
	buf->chan = chan;
	buf->watermark = 1;
	buf->trailer = chan->cset->desc->trailer;
	buf->one_piece = chan->cset->dma && chan->cset->flags & ZIO_CSET_ONE_PIECE;
	refcount_set(&buf->ref, 1);
	INIT_WORK(&buf->end_work, end_in_thread);
	ret = type->ops->create(buf);
	if (ret)
		goto err_create;
	ret = prepare_resize(buf, &new);
	if (ret)
		goto err_prepare;
	ret = use_prepared(buf, &new);
	if (ret)
		goto err_use;
	ret = chan->cset->flags & ZIO_CSET_MAPPED && !buf->area ? -EOPNOTSUPP : 0;
	if (ret)
		goto err_area;
	buf->slot = new.slot;
	kobject_get(&chan->kobj);
	__module_get(type->owner);
	return buf;

err_area:
	kvfree(new.slot);
	goto err_prepare;
err_use:
	cancel_resize(buf, &new);
err_prepare:
	type->ops->destroy(buf);
err_create:
	kobject_put(&buf->kobj);
	return ERR_PTR(ret);
}

/* If blocks are still in use, their last user frees the buffer: see engine/mem.c. */
static void destroy_buffer(struct zio_buffer *buf)
{
	zio_kobj_del(&buf->kobj);
	if (refcount_dec_and_test(&buf->ref))
		free_buffer(buf);
}

/* Copies the limits for poll(), which must not dereference a buffer. */
static void use_limits(struct zio_channel_core *chan, const struct zio_buffer *buf)
{
	WRITE_ONCE(chan->len, buf->len);
	WRITE_ONCE(chan->watermark, buf->watermark);
}

static void buffers_drop(struct zio_buffer **buf, unsigned int n)
{
	while (n--)
		if (buf[n])
			destroy_buffer(buf[n]);
	kvfree(buf);
}

static struct zio_buffer **buffers_prepare(struct zio_cset_core *cset,
					   const struct zio_buffer_type *type)
{
	struct zio_buffer **new = kvcalloc(cset->n_chan, sizeof(*new), GFP_KERNEL);
	struct zio_buffer *buf;
	unsigned int i;

	if (!new)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < cset->n_chan; i++) {
		buf = create_buffer(cset->chan[i], type);
		if (IS_ERR(buf)) {
			buffers_drop(new, i);
			return ERR_CAST(buf);
		}
		new[i] = buf;
	}
	return new;
}

/* Exchanges the buffer of a channel for @new. The channel is locked, and may have none. */
static void buffers_swap(struct zio_channel_core *chan, struct zio_buffer **new)
{
	struct zio_buffer *buf = *new;

	zio_channel_drop_unread(chan);
	*new = chan->buf;
	chan->buf = buf;
	use_limits(chan, buf);
	rcu_assign_pointer(chan->data_area, buf->area);
	zio_queue_replace(&chan->queue, buf->slot, buf->len);
	buf->slot = NULL;
	zio_channel_forget_gap(chan);
}

/* A set without buffers is not visible yet, and needs no freeze. */
static int buffers_use(struct zio_cset_core *cset, const struct zio_buffer_type *type,
		       struct zio_buffer **new)
{
	const struct zio_buffer_type *old = cset->buf_type;
	unsigned int i;

	if (cset->open_files)
		return -EBUSY;
	zio_cset_lock_channels(cset);
	if (old)
		zio_cset_freeze(cset);
	for (i = 0; i < cset->n_chan; i++)
		buffers_swap(cset->chan[i], &new[i]);
	cset->buf_type = type;
	if (old)
		zio_cset_unfreeze(cset);
	zio_cset_unlock_channels(cset);
	return 0;
}

/* Consumes the caller's reference to the module of @type, also on error. */
static int buffers_replace(struct zio_cset_core *cset, const struct zio_buffer_type *type)
{
	const struct zio_buffer_type *drop = cset->buf_type;
	struct zio_buffer **new;
	int ret;

	mutex_lock(&cset->mutex);
	new = buffers_prepare(cset, type);
	ret = IS_ERR(new) ? PTR_ERR(new) : buffers_use(cset, type, new);
	mutex_unlock(&cset->mutex);
	if (!IS_ERR(new))
		buffers_drop(new, cset->n_chan);
	if (ret)
		drop = type;
	if (drop)
		module_put(drop->owner);
	return ret;
}

static int buffers_publish(struct zio_cset_core *cset)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < cset->n_chan && !ret; i++)
		ret = kobject_add(&cset->chan[i]->buf->kobj, &cset->chan[i]->kobj, "buffer");
	return ret;
}

/*
 * Creates the buffers of a set at registration. @name is the name of their type. On error,
 * zio_buffers_destroy() follows. Context: Process, sleeps. Returns 0; -ENOENT for an
 * unknown type; or an error of the type.
 */
int zio_buffers_create(struct zio_cset_core *cset, const char *name)
{
	const struct zio_buffer_type *type = zio_buffer_type_get(name);

	if (!type) {
		dev_err_ratelimited(&cset->zdev->dev, "no buffer type \"%s\": load zio-buf-%s\n",
				    name, name);
		return -ENOENT;
	}
	return buffers_replace(cset, type) ?: buffers_publish(cset);
}

/* Drops the buffers of a set whose channels have been drained. */
void zio_buffers_destroy(struct zio_cset_core *cset)
{
	struct zio_channel_core *chan;
	unsigned int i;

	if (!cset->buf_type)
		return;
	for (i = 0; i < cset->n_chan; i++) {
		chan = cset->chan[i];
		RCU_INIT_POINTER(chan->data_area, NULL);
		destroy_buffer(chan->buf);
		chan->buf = NULL;
		zio_queue_destroy(&chan->queue);
	}
	module_put(cset->buf_type->owner);
	cset->buf_type = NULL;
}

/*
 * Gives all channels of a set buffers of the type @name, and drops the unread blocks.
 * Called with cset->change held, but without cset->mutex. Context: Process, sleeps. Returns
 * 0; -EINVAL for an unknown type; -EBUSY while a node of the set is open; -EOPNOTSUPP if the
 * set needs another kind of memory; -ENOMEM. On error the old buffers stay.
 */
int zio_buffers_change(struct zio_cset_core *cset, const char *name)
{
	const struct zio_buffer_type *type;
	int ret;

	if (!strcmp(cset->buf_type->name, name))
		return 0;
	type = zio_buffer_type_get(name);
	if (!type)
		return -EINVAL;
	ret = buffers_replace(cset, type);
	if (!ret && buffers_publish(cset))
		dev_warn(&cset->zdev->dev, "cannot create the sysfs directory of a buffer\n");
	return ret;
}

/* Called with the channel locked and its set frozen. */
static int commit_resize(struct zio_buffer *buf, struct zio_resize *new)
{
	struct zio_channel_core *chan = buf->chan;
	struct zio_area *old = buf->area;
	int ret;

	if (old)
		kref_get(&old->ref);
	if (static_branch_unlikely(&zio_watch_key.key) && !zio_cset_is_output(chan->cset))
		zio_watch_ops->move(chan);
	ret = use_prepared(buf, new);
	if (ret)
		goto out;
	if (new->slot)
		zio_queue_replace(&chan->queue, new->slot, new->n_slots);
	if (buf->watermark > buf->len)
		buf->watermark = buf->len;
	use_limits(chan, buf);
	rcu_assign_pointer(chan->data_area, buf->area);
out:
	/* From here on, zio_area_get() finds the new area. */
	zio_area_put(old);
	return ret;
}

/*
 * Gives all channels of a set blocks of @block_len bytes. Blocks that are in use keep their
 * size. Called with the channels locked and the set frozen. Context: Process, sleeps.
 * Returns 0, or an error of the buffer type; then nothing has changed.
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
		new[i].geometry = buf->geometry;
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

/*
 * Returns the number of shots of the current size that the buffers of a set have blocks
 * for, at least 1. Called with cset->mutex held.
 */
u32 zio_buffers_max_shots(const struct zio_cset_core *cset)
{
	const struct zio_buffer *buf;
	u32 n = U16_MAX;
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++) {
		buf = cset->chan[i]->buf;
		n = min(n, max_shots(buf, &buf->geometry));
	}
	return n;
}

/*
 * Changes the number of blocks of a channel to @len, 1 ... ZIO_MAX_LEN, and its area, if
 * any, to @kb KiB, not 0. Called with cset->mutex held. Context: Process, sleeps. Returns
 * 0; -ENOMEM; -EBUSY while the channel has a ring, or as commit() of its type; -ENOSPC if
 * no block would fit, or too few for the shots. On error nothing has changed.
 */
int zio_buffer_resize(struct zio_buffer *buf, unsigned int len, unsigned int kb)
{
	struct zio_resize new = { .geometry = { buf->block_size, len, kb } };
	struct zio_cset_core *cset = buf->chan->cset;
	int ret;

	if (len == buf->len && kb == buf->kb)
		return 0;
	if (zio_channel_has_ring(buf->chan))
		return -EBUSY;
	ret = prepare_resize(buf, &new);
	if (ret)
		return ret;
	mutex_lock(&buf->chan->lock);
	zio_cset_freeze(cset);
	ret = commit_resize(buf, &new);
	zio_cset_unfreeze(cset);
	mutex_unlock(&buf->chan->lock);
	if (ret)
		cancel_resize(buf, &new);
	return ret;
}
