// SPDX-License-Identifier: GPL-2.0-only
/*
 * values.c: values that each block has of its own, in both directions
 *
 * A set may have attributes with ZIO_ATTR_PLACE_BLOCK. Each of its blocks then has memory
 * for their values, from its buffer type, at the positions of the control. So the values go
 * with the block wherever it goes. The snapshot of a block has the initial values, and the
 * mask of the positions. A block gets the initial values when it begins: no block shows a
 * value of the one before it in the same memory.
 *
 *   input   armed: initial values --driver--> done --zio_control_fill()--> control
 *   output  empty: initial values --control of the user--> queue --> raw_io()
 *
 * A block that an output gets from an input, by a route or by sharing, has the initial
 * values of the output. The values of the input stand for something else.
 *
 * A block of another set has no such memory, and pays for a test of its pointer.
 */
#include <linux/export.h>

#include "engine/internal.h"

/* Returns the positions of the values of each block, as zio_ctrl_attr.ext_mask. */
u32 zio_values_mask(const struct zio_attr_desc *attrs, unsigned int n)
{
	u32 mask = 0;

	for (; n--; attrs++)
		if (attrs->place == ZIO_ATTR_PLACE_BLOCK)
			mask |= BIT(attrs->index);
	return mask;
}

/* Gives a block that has values the initial ones. The caller owns the block. */
void zio_block_reset_values(struct zio_channel_core *chan, struct zio_block *block)
{
	const struct zio_snapshot *snap;

	zio_block_snapshot(chan, block);
	snap = to_block_core(block)->snap;
	zio_values_copy(block->values, snap->common.attr_channel.ext_val, snap->value_mask);
}

/*
 * Gives an output's block the values of a control that zio_values_check() has accepted, and the
 * initial value where the control has none. The caller owns the block.
 */
void zio_block_take_values(struct zio_channel_core *chan, struct zio_block *block,
			   const struct zio_control *ctrl)
{
	const struct zio_ctrl_attr *attr = &ctrl->attr_channel;

	zio_block_reset_values(chan, block);
	zio_values_copy(block->values, attr->ext_val,
			to_block_core(block)->snap->value_mask & attr->ext_mask);
}

/*
 * Checks a number, an s64 if it is signed. Returns 0; -EINVAL if it is not among the choices;
 * beyond the limits -ERANGE from 2^32 on, else @limits->error.
 */
int zio_limits_check(const struct zio_limits *limits, u64 value)
{
	unsigned int i;

	/* Differences are right for signed numbers, too. */
	if (value - limits->min > limits->max - limits->min)
		return value > U32_MAX ? -ERANGE : limits->error;
	for (i = 0; limits->choices && i < limits->n; i++)
		if (limits->choices[i] == (u32)value)
			return 0;
	return limits->choices ? -EINVAL : 0;
}

/* Returns what an attribute accepts. */
struct zio_limits zio_attr_limits(const struct zio_attr_desc *desc)
{
	struct zio_limits limits = {
		.min = desc->min,
		.max = desc->max ?: desc->wide ? S64_MAX : U32_MAX,
		.error = -ERANGE,
		.is_signed = zio_attr_is_signed(desc),
		.choices = desc->choices,
		.n = desc->n_choices,
		.words = desc->words,
		.text = desc->text,
	};

	while (desc->words && desc->words[limits.n])
		limits.n++;
	if (limits.is_signed) {
		limits.min = desc->min || desc->max ? (s32)desc->min : S32_MIN;
		limits.max = desc->min || desc->max ? (s32)desc->max : S32_MAX;
	}
	return limits;
}
EXPORT_SYMBOL_GPL(zio_attr_limits);

/* Returns true if an attribute accepts the 32 bits of a value. */
bool zio_attr_accepts(const struct zio_attr_desc *desc, u32 value)
{
	struct zio_limits limits = zio_attr_limits(desc);

	return !zio_limits_check(&limits, limits.is_signed ? (s32)value : (u64)value);
}

static bool values_are_good(const struct zio_attr *attr, unsigned int n,
			    const struct zio_ctrl_attr *values)
{
	bool good = true;

	for (; n-- && good; attr++)
		if (attr->desc->place == ZIO_ATTR_PLACE_BLOCK &&
		    values->ext_mask & BIT(attr->desc->index))
			good = zio_attr_accepts(attr->desc, values->ext_val[attr->desc->index]);
	return good;
}

/* Checks the values of a control that the user of an output wrote. Returns 0 or -ERANGE. */
int zio_values_check(const struct zio_cset_core *cset, const struct zio_control *ctrl)
{
	if (likely(!cset->value_mask))
		return 0;
	return values_are_good(cset->attrs.attr, cset->attrs.n, &ctrl->attr_channel) &&
		values_are_good(cset->chan_attrs, cset->n_chan_attrs, &ctrl->attr_channel) ?
		0 : -ERANGE;
}
