// SPDX-License-Identifier: GPL-2.0-only
/*
 * control.c: snapshots, and the controls that are put together from them
 *
 * A snapshot holds the fields of a channel's controls that rarely change. It is never
 * modified: a change of an attribute publishes a new one. A block has a reference to the
 * snapshot that was in force when it was armed. A free block keeps this reference. So arming
 * a block usually costs one comparison. (The comparison needs no protection: a snapshot
 * that a block refers to is not freed, so its address is not used again.)
 *
 * Channels of a set with equal values share a snapshot, which does not have the number of
 * the channel. The copy gets it: see zio_control_begin().
 *
 * chan->snap is replaced under cset->mutex and read under RCU.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "engine/internal.h"

static_assert(sizeof(struct zio_control) == __ZIO_CONTROL_SIZE);

#ifdef __BIG_ENDIAN
#define ZIO_CONTROL_ENDIAN ZIO_CONTROL_BIG_ENDIAN
#else
#define ZIO_CONTROL_ENDIAN ZIO_CONTROL_LITTLE_ENDIAN
#endif

/* A snapshot has a little more than 512 bytes: kmalloc() would take 1024. */
static struct kmem_cache *zio_snapshot_cache;
static atomic64_t zio_snapshot_ids;

int zio_snapshots_init(void)
{
	zio_snapshot_cache = KMEM_CACHE(zio_snapshot, 0);
	return zio_snapshot_cache ? 0 : -ENOMEM;
}

/* Waits until all snapshots are freed that wait for a grace period. */
void zio_snapshots_exit(void)
{
	rcu_barrier();
	kmem_cache_destroy(zio_snapshot_cache);
}

static void control_put_std(struct zio_ctrl_attr *ctrl, unsigned int index, u32 value)
{
	ctrl->std_mask |= BIT(index);
	ctrl->std_val[index] = value;
}

static void control_put_ext(struct zio_ctrl_attr *ctrl, unsigned int index, u32 value)
{
	ctrl->ext_mask |= BIT(index);
	ctrl->ext_val[index] = value;
}

static void control_put_attrs(struct zio_ctrl_attr *ctrl, const struct zio_attr *attr,
			      const u32 *values, unsigned int n)
{
	for (; n--; attr++, values++) {
		switch (attr->desc->place) {
		case ZIO_ATTR_PLACE_STD:
			control_put_std(ctrl, attr->desc->index, READ_ONCE(*values));
			break;
		case ZIO_ATTR_PLACE_EXT:
		case ZIO_ATTR_PLACE_BLOCK:
			control_put_ext(ctrl, attr->desc->index, READ_ONCE(*values));
			break;
		}
	}
}

static void control_put_attr_set(struct zio_ctrl_attr *ctrl, const struct zio_attr_set *set)
{
	control_put_attrs(ctrl, set->attr, set->value, set->n);
}

/* Puts the numbers of the trigger into the control. */
static void control_put_trigger_values(struct zio_ctrl_attr *ctrl,
				       const struct zio_trigger *trig)
{
	const struct zio_attr_desc *attr = trig->type->attrs;
	unsigned int i;

	for (i = 0; i < trig->type->n_attrs; i++, attr++) {
		if (attr->place == ZIO_ATTR_PLACE_NONE)
			continue;
		control_put_ext(ctrl, attr->index, lower_32_bits(trig->value[i].number));
		if (attr->wide)
			control_put_ext(ctrl, attr->index + 1,
					upper_32_bits(trig->value[i].number));
	}
}

/* When the samples of a block are taken, and what is missing in front of it: usually nothing */
static void control_put_timing(struct zio_ctrl_attr *ctrl, const struct zio_cset_core *cset)
{
	const struct zio_timing *timing = &cset->timing;

	if (timing->rate_num) {
		control_put_std(ctrl, ZIO_ATTR_TRIG_RATE_NUM, timing->rate_num);
		control_put_std(ctrl, ZIO_ATTR_TRIG_RATE_DEN, timing->rate_den);
	}
	if (timing->first_ps) {
		control_put_std(ctrl, ZIO_ATTR_TRIG_FIRST_LOW, lower_32_bits(timing->first_ps));
		control_put_std(ctrl, ZIO_ATTR_TRIG_FIRST_HIGH, upper_32_bits(timing->first_ps));
	}
	if (timing->error_ns)
		control_put_std(ctrl, ZIO_ATTR_TRIG_TIME_ERROR, timing->error_ns);
	control_put_std(ctrl, ZIO_ATTR_TRIG_EPOCH, cset->zdev->epoch);
	if (zio_cset_is_output(cset))
		return;
	control_put_std(ctrl, ZIO_ATTR_TRIG_LOST, 0);
	control_put_std(ctrl, ZIO_ATTR_TRIG_MISSED, 0);
}

static void control_put_trigger(struct zio_control *ctrl,
				const struct zio_binding *bind)
{
	const struct zio_own_trigger *own = zio_binding_own(bind);
	const struct zio_shape *shape = &bind->cset->pub.shape;
	struct zio_ctrl_attr *attr = &ctrl->attr_trigger;

	strscpy(ctrl->triggername, bind->trig->name, ZIO_OBJ_NAME_LEN);
	control_put_std(attr, ZIO_ATTR_TRIG_N_SHOTS, shape->nshots);
	control_put_std(attr, ZIO_ATTR_TRIG_POST_SAMP, shape->post_samples);
	control_put_std(attr, ZIO_ATTR_TRIG_PRE_SAMP, shape->pre_samples);
	control_put_timing(attr, bind->cset);
	if (own)
		control_put_attr_set(attr, &own->attrs);
	mutex_lock(&bind->trig->lock);
	control_put_trigger_values(attr, bind->trig);
	/* The board's trigger may have a value of its own in the usual place. */
	if (attr->ext_mask & BIT(ZIO_ATTR_TRIG_EXT_CLOCK))
		control_put_std(attr, ZIO_ATTR_TRIG_CLOCK, bind->trig->clock);
	else
		control_put_ext(attr, ZIO_ATTR_TRIG_EXT_CLOCK, bind->trig->clock);
	mutex_unlock(&bind->trig->lock);
	if (shape->nshots > 1)
		attr->std_mask |= BIT(ZIO_ATTR_TRIG_SHOT);
}

static void control_put_channel(struct zio_control *ctrl, const struct zio_channel_core *chan)
{
	const struct zio_cset_core *cset = chan->cset;
	const struct zio_device *zdev = cset->zdev;
	struct zio_ctrl_attr *attr = &ctrl->attr_channel;

	ctrl->major_version = ZIO_MAJOR_VERSION;
	ctrl->minor_version = ZIO_MINOR_VERSION;
	ctrl->ssize = cset->ssize;
	ctrl->flags = ZIO_CONTROL_ENDIAN;
	ctrl->flags |= cset->flags & ZIO_CSET_MSB_ALIGN ? ZIO_CONTROL_MSB_ALIGN :
							  ZIO_CONTROL_LSB_ALIGN;
	ctrl->addr.dev_id = zdev->id;
	ctrl->addr.cset = cset->pub.index;
	strscpy(ctrl->addr.devname, zdev->name, ZIO_OBJ_NAME_LEN);
	control_put_attr_set(attr, &zdev->attrs);
	control_put_attr_set(attr, &cset->attrs);
	if (chan->values)
		control_put_attrs(attr, cset->chan_attrs, chan->values, cset->n_chan_attrs);
	if (attr->std_mask & BIT(ZIO_ATTR_NBITS))
		ctrl->nbits = attr->std_val[ZIO_ATTR_NBITS];
	else
		ctrl->nbits = cset->desc->nbits ?: cset->ssize * 8;
	if (cset->flags & ZIO_CSET_INTERLEAVED) {
		ctrl->flags |= ZIO_CONTROL_INTERLEAVE_DATA;
		ctrl->tlv->type = ZIO_TLV_CHANNELS;
		ctrl->tlv->length = 1;
		memcpy(ctrl->tlv->payload, &cset->pub.shape.mask, sizeof(cset->pub.shape.mask));
	}
}

/*
 * Waits for memory rather than fail, so that no change of a value has to be undone after the
 * driver knows it. It is less than a page, which GFP_KERNEL refuses only to a victim of the OOM
 * killer.
 */
static struct zio_snapshot *control_create_snapshot(struct zio_channel_core *chan)
{
	const struct zio_shape *shape = &chan->cset->pub.shape;
	const struct zio_binding *bind = chan->cset->bind;
	struct zio_snapshot *snap;

	snap = kmem_cache_zalloc(zio_snapshot_cache, GFP_KERNEL | __GFP_NOFAIL);
	snap->value_mask = chan->cset->value_mask;
	control_put_channel(&snap->common, chan);
	if (bind) {
		control_put_trigger(&snap->common, bind);
		snap->common.nsamples = shape->pre_samples + shape->post_samples;
	}
	snap->has_more = snap->value_mask || shape->nshots > 1;
	return snap;
}

/* Returns @other in place of @snap, which no other context has seen, if they are equal. */
static struct zio_snapshot *control_share_snapshot(struct zio_snapshot *snap,
						   struct zio_snapshot *other)
{
	if (!other || memcmp(&snap->common, &other->common, sizeof(snap->common)))
		return snap;
	refcount_inc(&other->ref);
	kmem_cache_free(zio_snapshot_cache, snap);
	return other;
}

static struct zio_snapshot *control_snapshot_of(struct zio_channel_core *chan)
{
	struct zio_cset_core *cset = chan->cset;

	return rcu_dereference_protected(chan->snap,
					 cset->gone || lockdep_is_held(&cset->mutex));
}

/*
 * Returns a snapshot of the present values of a channel, with a reference. Uses that of the channel
 * before @chan, or the present one, if all values are equal: a new one would cost each block.
 * Sleeps; the caller holds cset->mutex, or the set is not yet visible.
 */
struct zio_snapshot *zio_snapshot_get(struct zio_channel_core *chan)
{
	struct zio_snapshot *new = control_create_snapshot(chan), *snap = new;
	struct zio_channel_core *before;

	if (chan->pub.index) {
		before = chan->cset->chan[chan->pub.index - 1];
		snap = control_share_snapshot(new, control_snapshot_of(before));
	}
	if (snap == new)
		snap = control_share_snapshot(new, control_snapshot_of(chan));
	if (snap != new)
		return snap;
	refcount_set(&snap->ref, 1);
	snap->id = atomic64_inc_return(&zio_snapshot_ids);
	return snap;
}

static void control_free_snapshot(struct rcu_head *rcu)
{
	kmem_cache_free(zio_snapshot_cache,
			container_of(rcu, struct zio_snapshot, rcu));
}

/* Drops a reference; @snap may be NULL. Any context. */
void zio_snapshot_put(struct zio_snapshot *snap)
{
	if (snap && refcount_dec_and_test(&snap->ref))
		call_rcu(&snap->rcu, control_free_snapshot);
}

/**
 * zio_block_free_snapshot() - drop the snapshot of a block
 * @block: the block, which its buffer type is about to free
 *
 * Context: Any.
 */
void zio_block_free_snapshot(struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);

	zio_snapshot_put(core->snap);
	core->snap = NULL;
}
EXPORT_SYMBOL_GPL(zio_block_free_snapshot);

/* Blocks armed from now on show the present values. The caller holds cset->mutex. */
void zio_channel_refresh(struct zio_channel_core *chan)
{
	struct zio_snapshot *snap = zio_snapshot_get(chan);

	snap = rcu_replace_pointer(chan->snap, snap, lockdep_is_held(&chan->cset->mutex));
	zio_snapshot_put(snap);
}

/* As zio_channel_refresh(), for all channels of a set. */
void zio_cset_refresh(struct zio_cset_core *cset)
{
	unsigned int i;

	zio_cset_ask_timing(cset);
	for (i = 0; i < cset->n_chan; i++)
		zio_channel_refresh(cset->chan[i]);
}

/* The work item of zio_cset_timing_changed() */
void zio_timing_publish(struct work_struct *work)
{
	struct zio_cset_core *cset = container_of(work, struct zio_cset_core, timing_work);

	mutex_lock(&cset->mutex);
	if (!cset->gone)
		zio_cset_refresh(cset);
	mutex_unlock(&cset->mutex);
}

/**
 * zio_cset_timing_changed() - let the core ask for the timing of a set again
 * @cset: the channel set
 *
 * For a driver that learns the rate while the set is armed. The core calls get_timing() soon,
 * and blocks that are armed later have the answer; those of a stream, which are complete
 * later. No call is needed in attr_set() and set_rate().
 *
 * Context: Any, from the end of init() to exit().
 */
void zio_cset_timing_changed(struct zio_cset *cset)
{
	queue_work(zio_wq, &to_cset_core(cset)->timing_work);
}
EXPORT_SYMBOL_GPL(zio_cset_timing_changed);

/* Gives a block the present snapshot of its channel. The caller owns the block. */
void zio_block_renew_snapshot(struct zio_channel_core *chan,
			      struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);
	struct zio_snapshot *snap;

	rcu_read_lock();
	do {
		snap = rcu_dereference(chan->snap);
	} while (!refcount_inc_not_zero(&snap->ref));
	rcu_read_unlock();
	zio_snapshot_put(core->snap);
	core->snap = snap;
}

/* Returns true if a control has the address of a channel; false without an address. */
bool zio_control_names(const struct zio_control *ctrl,
		       const struct zio_channel_core *chan)
{
	const struct zio_device *zdev = chan->cset->zdev;
	const struct zio_addr *addr = &ctrl->addr;

	return addr->dev_id == zdev->id && addr->chan == chan->pub.index &&
		addr->cset == chan->cset->pub.index &&
		!strncmp(addr->devname, zdev->name, ZIO_OBJ_NAME_LEN);
}

/*
 * Checks a control that a user wrote to an output, whose block has @size bytes. An address without
 * a name means this channel. Returns 0; -EPROTO for another major version; -ENXIO for the address
 * of another channel; -EINVAL for another sample size; -EMSGSIZE for no samples (or for any, if the
 * set has none), and for more than fit.
 */
int zio_control_check(const struct zio_channel_core *chan,
		      const struct zio_control *ctrl, size_t size)
{
	const struct zio_cset_core *cset = chan->cset;

	if (ctrl->major_version != ZIO_MAJOR_VERSION)
		return -EPROTO;
	if (ctrl->addr.devname[0] && !zio_control_names(ctrl, chan))
		return -ENXIO;
	if (ctrl->ssize != cset->ssize)
		return -EINVAL;
	if (!ctrl->nsamples != !cset->ssize ||
	    array_size(ctrl->nsamples, cset->ssize) > size)
		return -EMSGSIZE;
	return 0;
}
