// SPDX-License-Identifier: GPL-2.0-only
/*
 * scaling.c: the attributes that tell how samples become physical values
 *
 * They belong to the core, so their descriptors are here. They follow the driver's
 * attributes in cset->chan_attrs, so snapshots include them without further work.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static const char *const zio_unit_names[_ZIO_UNIT_NUM] = ZIO_UNIT_NAMES;

enum { UNIT, SIGN, SCALE_LOW, SCALE_HIGH, OFFSET_LOW, OFFSET_HIGH };

#define MICRO_EXP	(-6)	/* the offset of struct zio_scaling is in millionths */

#define CORE_ATTR(_name, _index) {					\
	.name = _name, .place = ZIO_ATTR_PLACE_STD, .index = _index }

/* The numbers in the control. A file shows both halves of a double as one number. */
static const struct zio_attr_desc zio_scaling_attrs[ZIO_SCALING_ATTRS] = {
	[UNIT] = CORE_ATTR("unit", ZIO_ATTR_UNIT),
	[SIGN] = CORE_ATTR("signed", ZIO_ATTR_SIGNED),
	[SCALE_LOW] = CORE_ATTR("scale-low", ZIO_ATTR_SCALE_LOW),
	[SCALE_HIGH] = CORE_ATTR("scale-high", ZIO_ATTR_SCALE_HIGH),
	[OFFSET_LOW] = CORE_ATTR("offset-low", ZIO_ATTR_OFFSET_LOW),
	[OFFSET_HIGH] = CORE_ATTR("offset-high", ZIO_ATTR_OFFSET_HIGH),
};

static bool is_of_core(const struct zio_attr_desc *desc)
{
	return desc >= zio_scaling_attrs && desc < zio_scaling_attrs + ZIO_SCALING_ATTRS;
}

static bool is_writable(const struct zio_channel_core *chan)
{
	const struct zio_cset_desc *desc = chan->cset->desc;
	unsigned int i = desc->n_scaling > 1 ? chan->pub.index : 0;

	return desc->scaling[i].flags & ZIO_SCALING_WRITABLE;
}

static void set_values(struct zio_channel_core *chan, const struct zio_scale *scale)
{
	const struct zio_attr *attr = chan->cset->chan_attrs;
	u64 step = zio_decimal_to_double(&scale->scale);
	u64 offset = zio_decimal_to_double(&scale->offset);
	const u32 value[ZIO_SCALING_ATTRS] = {
		[UNIT] = scale->unit,
		[SIGN] = scale->is_signed,
		[SCALE_LOW] = lower_32_bits(step),
		[SCALE_HIGH] = upper_32_bits(step),
		[OFFSET_LOW] = lower_32_bits(offset),
		[OFFSET_HIGH] = upper_32_bits(offset),
	};
	unsigned int i;

	chan->scale = *scale;
	for (i = 0; i < chan->cset->n_chan_attrs; i++, attr++)
		if (is_of_core(attr->desc))
			WRITE_ONCE(chan->values[i], value[attr->desc - zio_scaling_attrs]);
}

/* Called with cset->mutex held. */
static void publish(struct zio_channel_core *chan, const struct zio_scale *scale)
{
	set_values(chan, scale);
	zio_channel_refresh(chan);
}

ZIO_SHOW(scale, sign, "%u", kobj_to_channel(kobj)->values[file->index])
ZIO_SHOW(scale, unit, "%s",
	 zio_unit_names[READ_ONCE(kobj_to_channel(kobj)->values[file->index])])

ZIO_LIMITS(scale, unit, .words = zio_unit_names, .n = _ZIO_UNIT_NUM)
ZIO_LIMITS(scale, number, .text = "<decimal>")

static int scale_set_unit(struct kobject *kobj, u32 unit)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);
	struct zio_scale scale = chan->scale;

	if (!is_writable(chan))
		return -EIO;
	scale.unit = unit;
	publish(chan, &scale);
	return 0;
}

/* The files "scale" and "offset" */
static struct zio_decimal *number_of(struct zio_scale *scale, const struct zio_file *file)
{
	return to_zio_attr(file)->desc == &zio_scaling_attrs[OFFSET_LOW] ? &scale->offset :
		&scale->scale;
}

ZIO_SHOW_BY(scale, number, zio_decimal_print(page, number_of(&kobj_to_channel(kobj)->scale, file)))

static int number_store(struct kobject *kobj, const struct zio_file *file, const char *text)
{
	struct zio_channel_core *chan = kobj_to_channel(kobj);
	struct zio_scale scale = chan->scale;
	int ret = zio_decimal_parse(text, number_of(&scale, file));

	if (!ret && !scale.scale.digits)
		ret = -EDOM;
	if (!ret && !is_writable(chan))
		ret = -EIO;
	if (!ret)
		publish(chan, &scale);
	return ret;
}

/* Returns false for an invalid scaling. */
static bool make_scale(const struct zio_scaling *scaling, struct zio_scale *scale)
{
	if (scaling->unit >= _ZIO_UNIT_NUM || !scaling->mant || scaling->mant == S64_MIN ||
	    scaling->offset == S64_MIN)
		return false;
	scale->unit = scaling->unit;
	scale->is_signed = scaling->flags & ZIO_SCALING_SIGNED;
	scale->scale = zio_decimal_make(scaling->mant, scaling->exp);
	scale->offset = zio_decimal_make(scaling->offset, MICRO_EXP + scaling->offset_exp);
	return zio_decimal_fits(&scale->scale) && zio_decimal_fits(&scale->offset);
}

static umode_t scaling_mode(struct kobject *kobj, const struct zio_file *file)
{
	return is_writable(kobj_to_channel(kobj)) ? 0644 : 0444;
}

static const struct zio_file zio_scaling_files[ZIO_SCALING_ATTRS] = {
	[UNIT] = { .attr = { "unit" }, .show = scale_show_unit, ZIO_SET(scale, unit),
		.mode = scaling_mode },
	[SCALE_LOW] = { .attr = { "scale" }, .show = scale_show_number, .lock_show = true,
		.store = number_store, .limits = scale_limits_number, .mode = scaling_mode },
	[OFFSET_LOW] = { .attr = { "offset" }, .show = scale_show_number, .lock_show = true,
		.store = number_store, .limits = scale_limits_number, .mode = scaling_mode },
	[SIGN] = { .attr = { "signed", 0444 }, .show = scale_show_sign },
};

/*
 * Appends the attributes of the scaling to the @n attributes @attrs of the channels, which
 * have room for ZIO_SCALING_ATTRS more. Context: Process. Returns the new number.
 */
unsigned int zio_scaling_add(struct zio_cset_core *cset, struct zio_attr *attrs,
			     unsigned int n)
{
	unsigned int i;

	for (i = 0; i < ZIO_SCALING_ATTRS && cset->desc->scaling; i++, n++) {
		attrs[n].desc = &zio_scaling_attrs[i];
		attrs[n].file = zio_scaling_files[i];
		attrs[n].file.index = n;
	}
	return n;
}

/* Sets a channel's values from its driver's description; -EINVAL if that is invalid. */
int zio_scaling_set_values(struct zio_channel_core *chan)
{
	const struct zio_cset_desc *desc = chan->cset->desc;
	const struct zio_scaling *scaling = desc->scaling;
	struct zio_scale scale;

	if (!scaling)
		return 0;
	if (desc->n_scaling > 1)
		scaling += chan->pub.index;
	if (WARN_ON(desc->n_scaling != 1 && (desc->n_scaling != desc->n_chan ||
					     (desc->flags & ZIO_CSET_INTERLEAVED))))
		return -EINVAL;
	if (WARN_ON(!make_scale(scaling, &scale)))
		return -EINVAL;
	set_values(chan, &scale);
	return 0;
}

static void set_values_of(struct zio_cset_core *core, unsigned int index,
			  const struct zio_scale *scale)
{
	unsigned int i;

	lockdep_assert_held(&core->mutex);
	for (i = 0; i < core->n_chan; i++)
		if (index == ZIO_ALL_CHANNELS || index == i)
			set_values(core->chan[i], scale);
}

/**
 * zio_cset_set_scaling() - change how samples become physical values
 * @cset: the channel set
 * @index: the channel, or ZIO_ALL_CHANNELS
 * @scaling: the new values; its ZIO_SCALING_WRITABLE has no effect
 *
 * Call this in attr_set() of an attribute that changes the scale, such as the range of an
 * ADC. The attribute has a place in the control: after attr_set(), the core publishes its
 * value and the scale together. The values replace those that a user has set.
 *
 * Context: Process; in attr_set() only.
 */
void zio_cset_set_scaling(struct zio_cset *cset, unsigned int index,
			  const struct zio_scaling *scaling)
{
	struct zio_cset_core *core = to_cset_core(cset);
	struct zio_scale scale;

	if (WARN_ON(!core->desc->scaling || !make_scale(scaling, &scale)))
		return;
	set_values_of(core, index, &scale);
}
EXPORT_SYMBOL_GPL(zio_cset_set_scaling);

/**
 * zio_cset_scaling_changed() - tell how samples become physical values from now on
 * @cset: the channel set
 * @index: the channel, or ZIO_ALL_CHANNELS
 * @scaling: the new values; its ZIO_SCALING_WRITABLE has no effect
 *
 * As zio_cset_set_scaling(), for a driver that is not in attr_set(). Blocks that are armed
 * later have the scale.
 *
 * Context: Process, sleeps. As zio_cset_attr_changed().
 *
 * Return: 0; -EINVAL if the values are invalid, or the set has none; -ENODEV if it is being
 * removed; -EINTR if the process is being killed. After an error, the old scale stays.
 */
int zio_cset_scaling_changed(struct zio_cset *cset, unsigned int index,
			     const struct zio_scaling *scaling)
{
	struct zio_cset_core *core = to_cset_core(cset);
	struct zio_scale scale;
	int ret;

	if (!core->desc->scaling || !make_scale(scaling, &scale) ||
	    (index >= core->n_chan && index != ZIO_ALL_CHANNELS))
		return -EINVAL;
	ret = zio_cset_lock(core);
	if (ret)
		return ret;
	set_values_of(core, index, &scale);
	zio_cset_refresh(core);
	mutex_unlock(&core->mutex);
	return 0;
}
EXPORT_SYMBOL_GPL(zio_cset_scaling_changed);
