// SPDX-License-Identifier: GPL-2.0-only
/*
 * scaling.c: the attributes that tell how samples become physical values
 *
 * They belong to the core: their descriptors are here. They follow the attributes of the
 * driver in cset->chan_attrs, so the snapshots have them without further work.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static const char *const zio_unit_names[_ZIO_UNIT_NUM] = ZIO_UNIT_NAMES;

enum { UNIT, MANT, EXP, OFFSET, SIGN };

#define CORE_ATTR(_name, _index)	ZIO_ATTR_STD(_name, 0644, _index, 0, 0)

/* The exponent has no file: that of the mantissa shows both. */
static const struct zio_attr_desc zio_scaling_attrs[ZIO_SCALING_ATTRS] = {
	[UNIT] = CORE_ATTR("unit", ZIO_ATTR_UNIT),
	[MANT] = CORE_ATTR("scale", ZIO_ATTR_SCALE_MANT),
	[EXP] = CORE_ATTR(NULL, ZIO_ATTR_SCALE_EXP),
	[OFFSET] = CORE_ATTR("offset", ZIO_ATTR_OFFSET),
	[SIGN] = CORE_ATTR("signed", ZIO_ATTR_SIGNED),
};

/* Is it an attribute of the core? */
bool zio_scaling_has(const struct zio_attr_desc *desc)
{
	return desc >= zio_scaling_attrs && desc < zio_scaling_attrs + ZIO_SCALING_ATTRS;
}

static bool is_writable(const struct zio_channel_core *chan)
{
	const struct zio_cset_desc *desc = chan->cset->desc;
	unsigned int i = desc->n_scaling > 1 ? chan->pub.index : 0;

	return desc->scaling[i].flags & ZIO_SCALING_WRITABLE;
}

/* Returns the mode of the file of an attribute, which may be one of the driver. */
umode_t zio_scaling_mode(const struct zio_channel_core *chan,
			 const struct zio_attr_desc *desc)
{
	if (!zio_scaling_has(desc))
		return desc->mode;
	return desc == &zio_scaling_attrs[SIGN] || !is_writable(chan) ? 0444 : desc->mode;
}

/*
 * Sets one value, or the two of a scale, which are neighbours. A failure changes nothing.
 */
static int store_values(const struct zio_attr_value *attr, unsigned int n, const s32 *value)
{
	u32 old[2];
	unsigned int i;
	int ret = is_writable(attr->chan) ? zio_cset_lock(attr->cset) : -EIO;

	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		old[i] = attr->value[i];
		WRITE_ONCE(attr->value[i], value[i]);
	}
	ret = zio_channel_refresh(attr->chan);
	for (i = 0; i < n && ret; i++)
		WRITE_ONCE(attr->value[i], old[i]);
	mutex_unlock(&attr->cset->mutex);
	return ret;
}

static ssize_t unit_show(struct kobject *kobj, struct kobj_attribute *kattr, char *page)
{
	u32 unit = READ_ONCE(*zio_attr_find(kobj, kattr).value);

	return sysfs_emit(page, "%s\n", zio_unit_names[unit]);
}

static ssize_t unit_store(struct kobject *kobj, struct kobj_attribute *kattr,
			  const char *text, size_t count)
{
	struct zio_attr_value attr = zio_attr_find(kobj, kattr);
	s32 unit = __sysfs_match_string(zio_unit_names, _ZIO_UNIT_NUM, text);

	if (unit < 0)
		return unit;
	return store_values(&attr, 1, &unit) ?: count;
}

static ssize_t scale_show(struct kobject *kobj, struct kobj_attribute *kattr, char *page)
{
	struct zio_attr_value mant = zio_attr_find(kobj, kattr);
	int ret = zio_cset_lock(mant.cset);

	if (ret)
		return ret;
	ret = zio_scale_print(page, mant.value[0], mant.value[1]);
	mutex_unlock(&mant.cset->mutex);
	return ret;
}

static ssize_t scale_store(struct kobject *kobj, struct kobj_attribute *kattr,
			   const char *text, size_t count)
{
	struct zio_attr_value mant = zio_attr_find(kobj, kattr);
	s32 value[2];
	int ret = zio_scale_parse(text, &value[0], &value[1]);

	if (ret)
		return ret;
	return store_values(&mant, 2, value) ?: count;
}

/* The driver may have an offset of its own, which its hardware adds. */
static bool has_offset(const struct zio_attr_desc *desc, unsigned int n)
{
	while (n--)
		if (desc[n].place == ZIO_ATTR_PLACE_STD && desc[n].index == ZIO_ATTR_OFFSET)
			return true;
	return false;
}

static bool driver_has_offset(const struct zio_cset_desc *desc)
{
	return has_offset(desc->chan_attrs, desc->n_chan_attrs) ||
		has_offset(desc->cset_attrs, desc->n_cset_attrs);
}

static bool is_valid(const struct zio_scaling *scaling)
{
	return scaling->unit < _ZIO_UNIT_NUM && scaling->mant && scaling->mant != S32_MIN &&
		abs(scaling->exp) <= ZIO_SCALE_MAX_EXP;
}

static u32 initial_value(const struct zio_scaling *scaling, unsigned int which)
{
	switch (which) {
	case UNIT:
		return scaling->unit;
	case MANT:
		return scaling->mant;
	case EXP:
		return scaling->exp;
	case OFFSET:
		return scaling->offset;
	default:
		return !!(scaling->flags & ZIO_SCALING_SIGNED);
	}
}

static void init_one(struct zio_attr *attr, unsigned int index, unsigned int which)
{
	zio_attr_init(attr, index, &zio_scaling_attrs[which]);
	if (which == UNIT) {
		attr->kattr.show = unit_show;
		attr->kattr.store = unit_store;
	} else if (which == MANT) {
		attr->kattr.show = scale_show;
		attr->kattr.store = scale_store;
	} else if (which == SIGN) {
		attr->kattr.store = NULL;
	}
}

/**
 * zio_scaling_add() - append the attributes of the scaling
 * @cset: the channel set
 * @attrs: the attributes of its channels, with room for ZIO_SCALING_ATTRS more
 * @n: number of @attrs
 *
 * Context: Process.
 *
 * Return: the new number.
 */
unsigned int zio_scaling_add(struct zio_cset_core *cset, struct zio_attr *attrs,
			     unsigned int n)
{
	unsigned int i;

	for (i = 0; i < ZIO_SCALING_ATTRS && cset->desc->scaling; i++)
		if (i != OFFSET || !driver_has_offset(cset->desc)) {
			init_one(&attrs[n], n, i);
			n++;
		}
	return n;
}

static void set_scaling(struct zio_channel_core *chan, const struct zio_scaling *scaling)
{
	const struct zio_attr *attr = chan->cset->chan_attrs;
	unsigned int i;

	for (i = 0; i < chan->cset->n_chan_attrs; i++, attr++)
		if (zio_scaling_has(attr->desc))
			WRITE_ONCE(chan->values[i],
				   initial_value(scaling, attr->desc - zio_scaling_attrs));
}

/**
 * zio_scaling_set_values() - set the values of a channel that its driver describes
 * @chan: the channel
 *
 * Context: Process.
 *
 * Return: 0; -EINVAL for a scaling that is wrong.
 */
int zio_scaling_set_values(struct zio_channel_core *chan)
{
	const struct zio_cset_desc *desc = chan->cset->desc;
	const struct zio_scaling *scaling = desc->scaling;

	if (!scaling)
		return 0;
	if (desc->n_scaling > 1)
		scaling += chan->pub.index;
	if (WARN_ON(desc->n_scaling != 1 && (desc->n_scaling != desc->n_chan ||
					     (desc->flags & ZIO_CSET_INTERLEAVED))))
		return -EINVAL;
	if (WARN_ON(!is_valid(scaling)))
		return -EINVAL;
	set_scaling(chan, scaling);
	return 0;
}

/**
 * zio_cset_set_scaling() - change how samples become physical values
 * @cset: the channel set
 * @index: the channel, or ZIO_ALL_CHANNELS
 * @scaling: the new values; its ZIO_SCALING_WRITABLE has no effect
 *
 * A driver calls this in attr_set(), for an attribute that changes the scale, such as the
 * range of an ADC. That attribute has a place in the control: the core publishes the
 * value and the scale together after attr_set(). A value that a user has set is replaced.
 *
 * Context: Process; in attr_set() only.
 */
void zio_cset_set_scaling(struct zio_cset *cset, unsigned int index,
			  const struct zio_scaling *scaling)
{
	struct zio_cset_core *core = to_cset_core(cset);
	unsigned int i;

	lockdep_assert_held(&core->mutex);
	if (WARN_ON(!is_valid(scaling)))
		return;
	for (i = 0; i < core->n_chan; i++)
		if (index == ZIO_ALL_CHANNELS || index == i)
			set_scaling(core->chan[i], scaling);
}
EXPORT_SYMBOL_GPL(zio_cset_set_scaling);
