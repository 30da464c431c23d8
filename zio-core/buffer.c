// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer.c: buffer types, and the buffer of each channel
 *
 * All changes are made with cset->mutex held and the set held (engine.c), in
 * two steps: prepare for all channels, which can fail, then commit, which
 * cannot. Memory that is out (queued, or with the user) stays as it is.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "internal.h"

static DEFINE_MUTEX(zio_types_lock);
static LIST_HEAD(zio_buffer_types);

static struct zio_buffer_type *find_type(const char *name)
{
	struct zio_buffer_type *type;

	lockdep_assert_held(&zio_types_lock);
	list_for_each_entry(type, &zio_buffer_types, node)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

/**
 * zio_buffer_type_register() - offer a buffer type
 * @type: stays valid until unregistered
 *
 * Process context.
 *
 * Return: 0; -EINVAL if the name is missing or too long, or an operation is
 * missing; -EEXIST if the name is taken.
 */
int zio_buffer_type_register(struct zio_buffer_type *type)
{
	const struct zio_buffer_ops *ops = type->ops;
	int ret = 0;

	if (WARN_ON(!type->name || !ops || !ops->create || !ops->destroy ||
		    !ops->prepare || !ops->commit || !ops->discard ||
		    !ops->get_block || !ops->put_block || !ops->count))
		return -EINVAL;
	if (!*type->name || strlen(type->name) >= ZIO_OBJ_NAME_LEN)
		return -EINVAL;

	mutex_lock(&zio_types_lock);
	if (find_type(type->name))
		ret = -EEXIST;
	else
		list_add_tail(&type->node, &zio_buffer_types);
	mutex_unlock(&zio_types_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_buffer_type_register);

/**
 * zio_buffer_type_unregister() - withdraw a buffer type
 * @type: a registered type that nobody uses (its module is held otherwise)
 */
void zio_buffer_type_unregister(struct zio_buffer_type *type)
{
	mutex_lock(&zio_types_lock);
	list_del(&type->node);
	mutex_unlock(&zio_types_lock);
}
EXPORT_SYMBOL_GPL(zio_buffer_type_unregister);

static const struct zio_buffer_type *get_type(const char *name)
{
	struct zio_buffer_type *type;

	mutex_lock(&zio_types_lock);
	type = find_type(name);
	if (type && !try_module_get(type->owner))
		type = NULL;
	mutex_unlock(&zio_types_lock);
	return type;
}

ssize_t zio_buffer_list_types(char *page)
{
	struct zio_buffer_type *type;
	ssize_t len = 0;

	mutex_lock(&zio_types_lock);
	list_for_each_entry(type, &zio_buffer_types, node)
		len += sysfs_emit_at(page, len, "%s\n", type->name);
	mutex_unlock(&zio_types_lock);
	return len;
}

static struct zio_buffer *create_buffer(struct zio_channel *chan,
					const struct zio_buffer_type *type,
					unsigned int len, size_t size)
{
	struct zio_buffer *buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	void *prepared;
	int ret;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	kobject_init(&buf->kobj, &zio_buffer_ktype);
	buf->type = type;
	buf->chan = chan;
	buf->len = len;
	buf->block_size = size;
	buf->watermark = 1;
	ret = type->ops->create(buf);
	if (ret)
		goto err_create;
	prepared = type->ops->prepare(buf, size, len);
	if (IS_ERR(prepared)) {
		ret = PTR_ERR(prepared);
		goto err_prepare;
	}
	type->ops->commit(buf, prepared);
	return buf;

err_prepare:
	type->ops->destroy(buf);
err_create:
	kobject_put(&buf->kobj);
	return ERR_PTR(ret);
}

static void destroy_buffer(struct zio_buffer *buf)
{
	zio_kobj_del(&buf->kobj);
	buf->type->ops->destroy(buf);
	kobject_put(&buf->kobj);
}

/* Returns all blocks of a channel to its buffer; the set is held. */
void zio_channel_drain(struct zio_channel *chan)
{
	struct zio_block *block;

	mutex_lock(&chan->lock);
	zio_sessions_drop(chan);
	while ((block = zio_queue_pop(&chan->queue)))
		chan->buf->type->ops->put_block(chan->buf, block);
	atomic_set(&chan->writing, 0);
	mutex_unlock(&chan->lock);
}

static void detach_buffer(struct zio_channel *chan)
{
	if (!chan->buf)
		return;
	zio_channel_drain(chan);
	destroy_buffer(chan->buf);
	chan->buf = NULL;
	zio_queue_destroy(&chan->queue);
}

static int attach_buffer(struct zio_channel *chan, struct zio_buffer *buf)
{
	int ret = zio_queue_init(&chan->queue, buf->len);

	if (ret)
		return ret;
	chan->buf = buf;
	chan->len = buf->len;
	return 0;
}

static void destroy_buffers(struct zio_buffer **buf, unsigned int n)
{
	while (n--)
		destroy_buffer(buf[n]);
	kvfree(buf);
}

static struct zio_buffer **create_buffers(struct zio_cset *cset,
					  const struct zio_buffer_type *type)
{
	struct zio_buffer **buf;
	unsigned int i;
	int ret;

	buf = kvcalloc(cset->n_chan, sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < cset->n_chan; i++) {
		buf[i] = create_buffer(cset->chan[i], type, ZIO_DEFAULT_LEN,
				       cset->block_len);
		if (IS_ERR(buf[i])) {
			ret = PTR_ERR(buf[i]);
			destroy_buffers(buf, i);
			return ERR_PTR(ret);
		}
	}
	return buf;
}

/* At registration. A type that is not there is asked for by its module. */
int zio_buffers_create(struct zio_cset *cset, const char *name)
{
	const struct zio_buffer_type *type = get_type(name);
	struct zio_buffer **buf;
	unsigned int i;
	int ret;

	if (!type && !request_module("zio-buf-%s", name))
		type = get_type(name);
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

/* The set is held, or not yet visible. */
void zio_buffers_destroy(struct zio_cset *cset)
{
	unsigned int i;

	if (!cset->buf_type)
		return;
	for (i = 0; i < cset->n_chan; i++)
		detach_buffer(cset->chan[i]);
	module_put(cset->buf_type->owner);
	cset->buf_type = NULL;
}

static struct zio_buffer *swap_buffer(struct zio_channel *chan,
				      struct zio_buffer *buf,
				      struct zio_block **slot)
{
	struct zio_buffer *old = chan->buf;

	zio_channel_drain(chan);
	mutex_lock(&chan->lock);
	chan->buf = buf;
	WRITE_ONCE(chan->len, buf->len);
	zio_queue_replace(&chan->queue, slot, buf->len);
	mutex_unlock(&chan->lock);
	return old;
}

static struct zio_block ***alloc_slots(struct zio_cset *cset,
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

static int swap_buffers(struct zio_cset *cset, struct zio_buffer **buf,
			const struct zio_buffer_type *type)
{
	struct zio_block ***slot;
	unsigned int i;

	if (cset->open_files)
		return -EBUSY;
	slot = alloc_slots(cset, buf);
	if (!slot)
		return -ENOMEM;
	zio_cset_hold(cset);
	for (i = 0; i < cset->n_chan; i++)
		buf[i] = swap_buffer(cset->chan[i], buf[i], slot[i]);
	cset->buf_type = type;
	zio_cset_release(cset);
	kvfree(slot);
	return 0;
}

static void show_buffers(struct zio_cset *cset)
{
	struct zio_channel *chan;
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
 * Blocks that nobody has read are dropped with the memory they are in.
 *
 * Return: 0; -EINVAL for an unknown type; -EBUSY while a node of the set is
 * open; -ENOMEM. On error the old buffers stay.
 */
int zio_buffers_change(struct zio_cset *cset, const char *name)
{
	const struct zio_buffer_type *type, *old = cset->buf_type;
	struct zio_buffer **buf;
	int ret;

	if (!strcmp(old->name, name))
		return 0;
	type = get_type(name);
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
		show_buffers(cset);
	return ret;
}

struct zio_resize {
	void *prepared;
	struct zio_block **slot;
	unsigned int n_slots;
};

static int prepare_resize(struct zio_buffer *buf, struct zio_resize *new,
			  size_t size, unsigned int len)
{
	const struct zio_buffer_ops *ops = buf->type->ops;
	void *prepared = ops->prepare(buf, size, len);

	if (IS_ERR(prepared))
		return PTR_ERR(prepared);
	new->n_slots = len + ops->count(buf);
	new->slot = zio_queue_alloc(new->n_slots);
	if (!new->slot) {
		ops->discard(buf, prepared);
		return -ENOMEM;
	}
	new->prepared = prepared;
	return 0;
}

static void cancel_resize(struct zio_buffer *buf, struct zio_resize *new)
{
	buf->type->ops->discard(buf, new->prepared);
	kvfree(new->slot);
}

static void commit_resize(struct zio_buffer *buf, struct zio_resize *new,
			  size_t size, unsigned int len)
{
	struct zio_channel *chan = buf->chan;

	mutex_lock(&chan->lock);
	buf->type->ops->commit(buf, new->prepared);
	zio_queue_replace(&chan->queue, new->slot, new->n_slots);
	buf->block_size = size;
	buf->len = len;
	WRITE_ONCE(chan->len, len);
	if (buf->watermark > len)
		buf->watermark = len;
	mutex_unlock(&chan->lock);
}

/**
 * zio_buffers_resize() - give all channels of a set blocks of another size
 * @cset: the channel set, held by zio_cset_hold()
 * @block_len: bytes
 *
 * Blocks that are out keep their size.
 *
 * Return: 0, or an error of the buffer type; then nothing has changed.
 */
int zio_buffers_resize(struct zio_cset *cset, size_t block_len)
{
	struct zio_resize *new;
	unsigned int i;
	int ret = 0;

	new = kvcalloc(cset->n_chan, sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < cset->n_chan; i++) {
		ret = prepare_resize(cset->chan[i]->buf, &new[i], block_len,
				     cset->chan[i]->buf->len);
		if (ret)
			break;
	}
	if (ret) {
		while (i--)
			cancel_resize(cset->chan[i]->buf, &new[i]);
	} else {
		for (i = 0; i < cset->n_chan; i++)
			commit_resize(cset->chan[i]->buf, &new[i], block_len,
				      cset->chan[i]->buf->len);
		cset->block_len = block_len;
	}
	kvfree(new);
	return ret;
}

/**
 * zio_buffer_set_len() - change the number of blocks of one channel
 * @buf: the buffer; its set's mutex is held
 * @len: 1 ... ZIO_MAX_LEN
 *
 * Return: 0; -EINVAL; -ENOMEM. On error nothing has changed.
 */
int zio_buffer_set_len(struct zio_buffer *buf, unsigned int len)
{
	struct zio_cset *cset = buf->chan->cset;
	struct zio_resize new;
	int ret;

	if (!len || len > ZIO_MAX_LEN)
		return -EINVAL;
	if (len == buf->len)
		return 0;
	zio_cset_hold(cset);
	ret = prepare_resize(buf, &new, buf->block_size, len);
	if (!ret)
		commit_resize(buf, &new, buf->block_size, len);
	zio_cset_release(cset);
	return ret;
}
