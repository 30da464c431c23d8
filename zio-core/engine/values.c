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
#include "engine/internal.h"

/**
 * zio_values_mask() - collect the positions of the values of each block
 * @attrs: descriptors
 * @n: how many
 *
 * Context: Any.
 *
 * Return: the mask, as zio_ctrl_attr.ext_mask.
 */
u32 zio_values_mask(const struct zio_attr_desc *attrs, unsigned int n)
{
	u32 mask = 0;

	for (; n--; attrs++)
		if (attrs->place == ZIO_ATTR_PLACE_BLOCK)
			mask |= BIT(attrs->index);
	return mask;
}

/**
 * zio_block_reset_values() - give a block the initial values
 * @chan: its channel
 * @block: the block, which is about to begin; it has values
 *
 * Context: Any; the caller owns the block.
 */
void zio_block_reset_values(struct zio_channel_core *chan, struct zio_block *block)
{
	const struct zio_snapshot *snap;

	zio_block_snapshot(chan, block);
	snap = to_block_core(block)->snap;
	zio_values_copy(block->values, snap->common.attr_channel.ext_val, snap->value_mask);
}

/**
 * zio_block_take_values() - give an output's block the values of a control
 * @chan: the channel
 * @block: the block; it has values
 * @ctrl: the control, which zio_values_check() has accepted
 *
 * The block gets the initial value where the control has none.
 *
 * Context: Process; the caller owns the block.
 */
void zio_block_take_values(struct zio_channel_core *chan, struct zio_block *block,
			   const struct zio_control *ctrl)
{
	const struct zio_ctrl_attr *attr = &ctrl->attr_channel;

	zio_block_reset_values(chan, block);
	zio_values_copy(block->values, attr->ext_val,
			to_block_core(block)->snap->value_mask & attr->ext_mask);
}

/**
 * zio_attr_range() - tell which numbers an attribute accepts
 * @desc: its descriptor
 * @min: gets the smallest number
 * @max: gets the largest number
 *
 * Context: Any.
 */
void zio_attr_range(const struct zio_attr_desc *desc, s64 *min, s64 *max)
{
	if (!zio_attr_is_signed(desc)) {
		*min = desc->min;
		*max = desc->max ?: U32_MAX;
	} else if (desc->min || desc->max) {
		*min = (s32)desc->min;
		*max = (s32)desc->max;
	} else {
		*min = S32_MIN;
		*max = S32_MAX;
	}
}

/**
 * zio_attr_accepts() - check a value of an attribute
 * @desc: its descriptor
 * @value: the 32 bits of the value
 *
 * Context: Any.
 *
 * Return: true if it is between the limits, and among the choices.
 */
bool zio_attr_accepts(const struct zio_attr_desc *desc, u32 value)
{
	s64 min, max, number = zio_attr_is_signed(desc) ? (s32)value : (s64)value;
	unsigned int i;

	zio_attr_range(desc, &min, &max);
	if (number < min || number > max)
		return false;
	for (i = 0; i < desc->n_choices; i++)
		if (desc->choices[i] == value)
			return true;
	return !desc->choices;
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

/**
 * zio_values_check() - check the values of a control that a user wrote
 * @cset: the set, an output
 * @ctrl: the control
 *
 * Context: Any.
 *
 * Return: 0; -ERANGE for a value that is not accepted.
 */
int zio_values_check(const struct zio_cset_core *cset, const struct zio_control *ctrl)
{
	if (likely(!cset->value_mask))
		return 0;
	return values_are_good(cset->attrs.attr, cset->attrs.n, &ctrl->attr_channel) &&
		values_are_good(cset->chan_attrs, cset->n_chan_attrs, &ctrl->attr_channel) ?
		0 : -ERANGE;
}
