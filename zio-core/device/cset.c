// SPDX-License-Identifier: GPL-2.0-only
/* cset.c: create and remove channel sets and channels */
#include <linux/export.h>
#include <linux/slab.h>

#include "device/internal.h"

static void remove_channel(struct zio_channel_core *chan)
{
	zio_kobj_del(&chan->kobj);
	kobject_put(&chan->kobj);
}

static struct zio_channel_core *create_channel(struct zio_cset_core *cset,
					       unsigned int index)
{
	struct zio_channel_core *chan = kzalloc(sizeof(*chan), GFP_KERNEL);
	int ret;

	if (!chan)
		return ERR_PTR(-ENOMEM);
	kobject_init(&chan->kobj, &zio_channel_kind.ktype);
	kobject_get(&cset->kobj);
	chan->cset = cset;
	chan->pub.index = index;
	chan->enabled = !(cset->flags & ZIO_CSET_CHANS_DISABLED);
	chan->queue.stream.wants = 1;
	raw_spin_lock_init(&chan->queue.stream.lock);
	init_waitqueue_head(&chan->wq);
	mutex_init(&chan->lock);
	INIT_LIST_HEAD(&chan->sessions);
	INIT_LIST_HEAD(&chan->unread);
	RCU_INIT_POINTER(chan->snap, zio_snapshot_get(chan));
	ret = kobject_add(&chan->kobj, &cset->kobj, "chan%u", index) ?:
		zio_channel_create_attrs(chan);
	if (!ret)
		return chan;
	remove_channel(chan);
	return ERR_PTR(ret);
}

static int create_channels(struct zio_cset_core *cset)
{
	/* An interleaved set has a single channel, whose blocks carry all channels. */
	unsigned int n = cset->flags & ZIO_CSET_INTERLEAVED ? 1 : cset->desc->n_chan;
	struct zio_channel_core *chan;

	cset->chan = kvcalloc(n, sizeof(*cset->chan), GFP_KERNEL);
	cset->active = kvcalloc(n, sizeof(*cset->active), GFP_KERNEL);
	cset->pub.armed = zio_shots_alloc(n, 1);
	if (!cset->chan || !cset->active || !cset->pub.armed)
		return -ENOMEM;
	while (cset->n_chan < n) {
		chan = create_channel(cset, cset->n_chan);
		if (IS_ERR(chan))
			return PTR_ERR(chan);
		cset->chan[cset->n_chan++] = chan;
	}
	return 0;
}

static const struct zio_cset_model *choose_model(unsigned long flags)
{
	if (flags & ZIO_CSET_STREAM)
		return flags & ZIO_CSET_OUTPUT ? &zio_ostream_model : &zio_istream_model;
	return flags & ZIO_CSET_OUTPUT ? &zio_output_model : &zio_input_model;
}

static struct zio_cset_core *alloc_cset(struct zio_device *zdev,
					const struct zio_cset_desc *desc,
				   unsigned int index)
{
	struct zio_cset_core *cset = kzalloc(sizeof(*cset), GFP_KERNEL);

	if (!cset)
		return NULL;
	kobject_init(&cset->kobj, &zio_cset_kind.ktype);
	get_device(&zdev->dev);
	cset->zdev = zdev;
	cset->pub.priv = zdev->priv;
	cset->desc = desc;
	cset->ops = desc->ops;
	cset->pub.index = index;
	cset->flags = desc->flags;
	cset->ssize = desc->ssize;
	cset->align = desc->align;
	cset->model = choose_model(desc->flags);
	if (zio_cset_is_stream(cset))
		cset->queue_depth = desc->queue_depth ?: ZIO_DEFAULT_DEPTH;
	cset->dma_bits = desc->dma_bits < 64 ? desc->dma_bits : 0;
	cset->gone = true;
	cset->pub.shape.nshots = 1;
	if (cset->ssize)
		cset->pub.shape.post_samples = desc->nsamples ?: ZIO_DEFAULT_NSAMPLES;
	if (desc->flags & ZIO_CSET_INTERLEAVED)
		cset->pub.shape.mask = zio_cset_all_channels(cset);
	mutex_init(&cset->change);
	mutex_init(&cset->mutex);
	INIT_WORK(&cset->timing_work, zio_timing_publish);
	zio_cset_init_engine(cset);
	zio_cset_init_watchdog(cset);
	return cset;
}

/* Creates everything of a set except its nodes. */
static int fill_cset(struct zio_cset_core *cset)
{
	struct device *dev = cset->desc->dma_dev ?: cset->zdev->dev.parent;
	const char *trigger = cset->desc->trigger, *buffer;
	int ret = 0;

	if (cset->flags & ZIO_CSET_DMA)
		ret = WARN_ON(!dev) ? -EINVAL : zio_cset_use_dma(cset, dev);
	ret = ret ?: kobject_add(&cset->kobj, &cset->zdev->dev.kobj, "cset%u", cset->pub.index) ?:
		zio_cset_create_attrs(cset) ?: create_channels(cset) ?:
		zio_cset_create_members(cset);
	if (ret)
		return ret;
	if (!trigger && cset->own_trigger)
		trigger = cset->own_trigger->type.name;
	if (!trigger)
		trigger = zio_cset_is_stream(cset) ? "transparent" : ZIO_DEFAULT_TRIGGER;
	buffer = zio_cset_needs_near_memory(cset) ? "dma" : cset->desc->buffer;
	return zio_binding_create(cset, trigger) ?:
		zio_buffers_create(cset, buffer ?: ZIO_DEFAULT_BUFFER);
}

static int start_cset(struct zio_cset_core *cset)
{
	int ret;

	mutex_lock(&cset->mutex);
	zio_cset_list_active(cset);
	zio_cset_refresh(cset);
	cset->enabled = !(cset->flags & ZIO_CSET_DISABLED);
	ret = zio_binding_enable(cset->bind, true);
	if (!ret)
		WRITE_ONCE(cset->gone, false);
	mutex_unlock(&cset->mutex);
	return ret;
}

/* Stops the trigger, aborts what is armed, and wakes readers. */
void zio_cset_shutdown(struct zio_cset_core *cset)
{
	WRITE_ONCE(cset->ending, true);
	mutex_lock(&cset->change);
	mutex_lock(&cset->mutex);
	if (cset->bind)
		zio_binding_enable(cset->bind, false);
	zio_cset_kill(cset);
	mutex_unlock(&cset->mutex);
	mutex_unlock(&cset->change);
	zio_routes_cut(cset);
	flush_work(&cset->arm_work);
	synchronize_rcu();					/* E */
	zio_cset_end_defer(cset);
	cancel_work_sync(&cset->rearm_work);
	cancel_delayed_work_sync(&cset->watchdog);
}

/* Called after zio_cset_shutdown(). */
void zio_cset_remove(struct zio_cset_core *cset)
{
	unsigned int i;

	zio_set_nodes_remove(cset);
	for (i = 0; i < cset->n_chan; i++)
		zio_nodes_remove(cset->chan[i]);
	zio_binding_destroy(cset);
	for (i = 0; i < cset->n_chan; i++)
		zio_channel_drain(cset->chan[i]);
	zio_buffers_destroy(cset);
	zio_cset_end_dma(cset);
	for (i = 0; i < cset->n_chan; i++)
		remove_channel(cset->chan[i]);
	zio_cset_remove_members(cset);
	zio_kobj_del(&cset->kobj);
	if (cset->ops->exit)
		cset->ops->exit(&cset->pub);
	cancel_work_sync(&cset->timing_work);
	kobject_put(&cset->kobj);
}

/* Creates a working set with its channels and nodes. */
struct zio_cset_core *zio_cset_create(struct zio_device *zdev,
				      const struct zio_cset_desc *desc,
				      unsigned int index)
{
	struct zio_cset_core *cset = alloc_cset(zdev, desc, index);
	unsigned int i;
	int ret = 0;

	if (!cset)
		return ERR_PTR(-ENOMEM);
	if (cset->ops->init)
		ret = cset->ops->init(&cset->pub);
	if (ret) {
		kobject_put(&cset->kobj);
		return ERR_PTR(ret);
	}
	ret = fill_cset(cset) ?: start_cset(cset);
	for (i = 0; i < cset->n_chan && !ret; i++)
		ret = zio_nodes_create(cset->chan[i]);
	ret = ret ?: zio_set_nodes_create(cset);
	if (!ret)
		return cset;
	zio_cset_shutdown(cset);
	zio_cset_remove(cset);
	return ERR_PTR(ret);
}

/**
 * zio_cset_ssize() - get the size of a sample
 * @cset: the channel set
 *
 * Context: Any.
 *
 * Return: bytes per sample.
 */
unsigned int zio_cset_ssize(const struct zio_cset *cset)
{
	return to_cset_core(cset)->ssize;
}
EXPORT_SYMBOL_GPL(zio_cset_ssize);

/**
 * zio_cset_n_enabled() - count the channels that take part
 * @cset: the channel set
 *
 * Context: raw_io(), get_timing().
 *
 * Return: the number of enabled channels; of an interleaved set, of those in its blocks.
 */
unsigned int zio_cset_n_enabled(const struct zio_cset *cset)
{
	const struct zio_cset_core *core = to_cset_core(cset);

	return core->flags & ZIO_CSET_INTERLEAVED ? hweight64(core->pub.shape.mask) :
		READ_ONCE(core->n_active);
}
EXPORT_SYMBOL_GPL(zio_cset_n_enabled);

/**
 * zio_cset_is_rearmed() - check whether the core arms a set whenever there is room
 * @cset: the channel set
 *
 * If so, data that come while the set is not armed are lost. Otherwise a trigger decides
 * which data are wanted.
 *
 * Context: Any.
 *
 * Return: true with the trigger "transparent", if the set is enabled.
 */
bool zio_cset_is_rearmed(const struct zio_cset *cset)
{
	const struct zio_cset_core *core = to_cset_core(cset);

	return READ_ONCE(core->rearm) && zio_cset_takes_events(core);
}
EXPORT_SYMBOL_GPL(zio_cset_is_rearmed);

/**
 * zio_cset_uses_board_trigger() - check whether a set has the trigger of its board
 * @cset: the channel set
 *
 * If so, raw_io() arms the board, which triggers itself. Otherwise the event has come.
 *
 * Context: From raw_io() to stop_io(); attr_set() and attr_get().
 *
 * Return: true with the board's trigger.
 */
bool zio_cset_uses_board_trigger(const struct zio_cset *cset)
{
	return zio_binding_own(to_cset_core(cset)->bind);
}
EXPORT_SYMBOL_GPL(zio_cset_uses_board_trigger);

/**
 * zio_cset_device() - get the device of a set
 * @cset: the channel set
 *
 * Context: Any.
 *
 * Return: the device, as zio_device_register() returns it.
 */
struct zio_device *zio_cset_device(const struct zio_cset *cset)
{
	return to_cset_core(cset)->zdev;
}
EXPORT_SYMBOL_GPL(zio_cset_device);
