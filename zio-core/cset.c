// SPDX-License-Identifier: GPL-2.0-only
/* cset.c: making and removing channel sets and channels */
#include <linux/export.h>
#include <linux/slab.h>

#include "internal.h"

static void init_channel(struct zio_channel *chan, struct zio_cset *cset,
			 unsigned int index)
{
	kobject_init(&chan->kobj, &zio_channel_ktype);
	kobject_get(&cset->kobj);
	chan->cset = cset;
	chan->index = index;
	chan->enabled = true;
	init_waitqueue_head(&chan->wq);
	mutex_init(&chan->lock);
	INIT_LIST_HEAD(&chan->sessions);
	INIT_LIST_HEAD(&chan->leftovers);
}

static void remove_channel(struct zio_channel *chan)
{
	zio_attrs_remove(chan->cset, chan);
	zio_kobj_del(&chan->kobj);
	kobject_put(&chan->kobj);
}

static struct zio_channel *create_channel(struct zio_cset *cset,
					  unsigned int index)
{
	struct zio_channel *chan = kzalloc(sizeof(*chan), GFP_KERNEL);
	struct zio_snapshot *snap;
	int ret = -ENOMEM;

	if (!chan)
		return ERR_PTR(-ENOMEM);
	init_channel(chan, cset, index);
	snap = zio_snapshot_alloc(chan);
	if (!snap)
		goto err_chan;
	RCU_INIT_POINTER(chan->snap, snap);
	ret = kobject_add(&chan->kobj, &cset->kobj, "chan%u", index);
	if (!ret)
		ret = zio_attrs_create(cset, chan);
	if (ret)
		goto err_chan;
	return chan;

err_chan:
	remove_channel(chan);
	return ERR_PTR(ret);
}

static int create_channels(struct zio_cset *cset)
{
	unsigned int n = cset->desc->n_chan;
	struct zio_channel *chan;

	cset->chan = kvcalloc(n, sizeof(*cset->chan), GFP_KERNEL);
	cset->on = kvcalloc(n, sizeof(*cset->on), GFP_KERNEL);
	cset->armed = kvcalloc(n + 1, sizeof(*cset->armed), GFP_KERNEL);
	if (!cset->chan || !cset->on || !cset->armed)
		return -ENOMEM;
	while (cset->n_chan < n) {
		chan = create_channel(cset, cset->n_chan);
		if (IS_ERR(chan))
			return PTR_ERR(chan);
		cset->chan[cset->n_chan++] = chan;
	}
	return 0;
}

static int create_nodes(struct zio_cset *cset)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < cset->n_chan && !ret; i++)
		ret = zio_nodes_create(cset->chan[i]);
	return ret;
}

static struct zio_cset *alloc_cset(struct zio_device *zdev,
				   const struct zio_cset_desc *desc,
				   unsigned int index)
{
	struct zio_cset *cset = kzalloc(sizeof(*cset), GFP_KERNEL);

	if (!cset)
		return NULL;
	kobject_init(&cset->kobj, &zio_cset_ktype);
	get_device(&zdev->dev);
	cset->zdev = zdev;
	cset->desc = desc;
	cset->ops = desc->ops;
	cset->index = index;
	cset->flags = desc->flags;
	cset->ssize = desc->ssize;
	cset->gone = true;
	mutex_init(&cset->change);
	mutex_init(&cset->mutex);
	zio_cset_init_engine(cset);
	return cset;
}

/* Everything but the nodes. */
static int fill_cset(struct zio_cset *cset)
{
	const struct zio_cset_desc *desc = cset->desc;
	int ret;

	ret = kobject_add(&cset->kobj, &cset->zdev->dev.kobj, "cset%u",
			  cset->index);
	if (!ret)
		ret = zio_attrs_create(cset, NULL);
	if (!ret)
		ret = create_channels(cset);
	if (!ret)
		ret = zio_trigger_create(cset, desc->trigger ?:
					 ZIO_DEFAULT_TRIGGER);
	if (ret)
		return ret;
	if (check_mul_overflow((size_t)cset->trig->post_samples,
			       (size_t)cset->ssize, &cset->block_len))
		return -EOVERFLOW;
	ret = zio_buffers_create(cset, desc->buffer ?: ZIO_DEFAULT_BUFFER);
	if (ret)
		return ret;
	mutex_lock(&cset->mutex);
	ret = zio_cset_refresh(cset);
	mutex_unlock(&cset->mutex);
	return ret;
}

static int start_cset(struct zio_cset *cset)
{
	int ret;

	mutex_lock(&cset->mutex);
	zio_cset_count_on(cset);
	cset->enabled = true;
	ret = zio_trigger_enable(cset->trig, true);
	if (!ret)
		WRITE_ONCE(cset->gone, false);
	mutex_unlock(&cset->mutex);
	return ret;
}

/* The trigger stops, and nothing is armed any more; readers are woken. */
void zio_cset_end(struct zio_cset *cset)
{
	mutex_lock(&cset->change);
	mutex_lock(&cset->mutex);
	if (cset->trig)
		zio_trigger_enable(cset->trig, false);
	zio_cset_shut(cset);
	mutex_unlock(&cset->mutex);
	mutex_unlock(&cset->change);
	flush_work(&cset->arm_work);
}

static void undo_cset(struct zio_cset *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++)
		zio_nodes_remove(cset->chan[i]);
	zio_trigger_destroy(cset);
	zio_buffers_destroy(cset);
	for (i = 0; i < cset->n_chan; i++)
		remove_channel(cset->chan[i]);
	zio_attrs_remove(cset, NULL);
	zio_kobj_del(&cset->kobj);
}

/* Makes a set that works, with its channels and nodes. */
struct zio_cset *zio_cset_create(struct zio_device *zdev,
				 const struct zio_cset_desc *desc,
				 unsigned int index)
{
	struct zio_cset *cset = alloc_cset(zdev, desc, index);
	int ret = 0;

	if (!cset)
		return ERR_PTR(-ENOMEM);
	if (cset->ops->init)
		ret = cset->ops->init(cset);
	if (ret)
		goto err_init;
	ret = fill_cset(cset);
	if (!ret)
		ret = start_cset(cset);
	if (!ret)
		ret = create_nodes(cset);
	if (ret)
		goto err_fill;
	return cset;

err_fill:
	zio_cset_end(cset);
	undo_cset(cset);
	if (cset->ops->exit)
		cset->ops->exit(cset);
err_init:
	kobject_put(&cset->kobj);
	return ERR_PTR(ret);
}

/* The set has been shut. */
void zio_cset_remove(struct zio_cset *cset)
{
	undo_cset(cset);
	if (cset->ops->exit)
		cset->ops->exit(cset);
	kobject_put(&cset->kobj);
}

/**
 * zio_cset_priv() - what the driver gave to zio_device_alloc()
 * @cset: the channel set
 *
 * Return: the driver's private data.
 */
void *zio_cset_priv(const struct zio_cset *cset)
{
	return cset->zdev->priv;
}
EXPORT_SYMBOL_GPL(zio_cset_priv);

/**
 * zio_cset_index() - position of a set in the device
 * @cset: the channel set
 *
 * Return: the index, from 0.
 */
unsigned int zio_cset_index(const struct zio_cset *cset)
{
	return cset->index;
}
EXPORT_SYMBOL_GPL(zio_cset_index);

/**
 * zio_cset_ssize() - size of a sample
 * @cset: the channel set
 *
 * Return: bytes.
 */
unsigned int zio_cset_ssize(const struct zio_cset *cset)
{
	return cset->ssize;
}
EXPORT_SYMBOL_GPL(zio_cset_ssize);

/**
 * zio_channel_index() - position of a channel in its set
 * @chan: the channel
 *
 * Return: the index, from 0.
 */
unsigned int zio_channel_index(const struct zio_channel *chan)
{
	return chan->index;
}
EXPORT_SYMBOL_GPL(zio_channel_index);
