/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples in physical units. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_UNIT_H
#define LIBZIO_ZIO_UNIT_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

#include <sys/types.h>

/**
 * struct zio_scaling - how the samples of a block become values
 * @scale: value of one step of the raw number, in @unit
 * @offset: added after scaling, in @unit
 * @unit: name of the unit, such as "V"; "" for a number without a unit
 * @is_scaled: the control has a scale; otherwise @scale is 1, @offset 0, and @unit ""
 * @is_signed: the raw number is two's complement
 * @nbits: valid bits of a sample, 1 to 8 * @ssize
 * @shift: number of unused bits below the valid ones
 * @ssize: bytes of a sample: 1, 2, 4 or 8
 * @is_big_endian: the first byte of a sample is the most significant one
 * @n_channels: channels in the block. In an interleaved block their samples alternate in
 *              the order of channel numbers, and share one scale
 *
 * value = raw * @scale + @offset, and raw is the number in the valid bits.
 */
struct zio_scaling {
	double scale;
	double offset;
	const char *unit;
	bool is_scaled;
	bool is_signed;
	unsigned int nbits;
	unsigned int shift;
	unsigned int ssize;
	bool is_big_endian;
	unsigned int n_channels;
};

/**
 * zio_control_scale() - read from a control how to convert samples to values
 * @control: the control
 * @scaling: receives scale, unit and layout of the samples
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EINVAL a pointer is NULL; EOPNOTSUPP a sample does not have
 * 1, 2, 4 or 8 bytes and is not a number; ERANGE this library does not know the scale,
 * the offset or the unit, and does not guess.
 */
int zio_control_scale(const struct zio_control *control, struct zio_scaling *scaling);

/**
 * zio_control_set_scale() - write into a control how to convert samples to values
 * @control: the control of a block that this program makes
 * @unit: the unit of the values; ZIO_UNIT_NONE for a number
 * @scale: value of one step of the raw number, in @unit
 * @offset: added after scaling, in @unit
 *
 * Context: Any thread.
 * Return: 0; -1 with errno and an unchanged @control: EINVAL @control is NULL; ERANGE
 * @scale or @offset is not a number below 1e281, or @unit is not a unit.
 */
int zio_control_set_scale(struct zio_control *control, enum zio_unit unit, double scale,
			  double offset);

/**
 * zio_block_to_double() - convert the samples of a block to values
 * @blk: the block, with its data
 * @values: receives the values, in the order of the samples in memory
 * @n: room in @values
 *
 * A double holds raw numbers of up to 53 bits exactly. The values are never NaN or
 * infinite.
 *
 * Context: Any thread, while the block is valid.
 * Return: the number of values: the number of samples or @n, whichever is less; -1 with
 * errno as zio_control_scale(), or ENODATA: the data of the block were not read.
 */
ssize_t zio_block_to_double(const struct zio_block *blk, double *values, size_t n);

/**
 * zio_unit_name() - return the name of a unit
 * @unit: enum zio_unit, as in the standard attribute ZIO_ATTR_UNIT
 *
 * Context: Any thread.
 * Return: a constant string such as "V", as in the sysfs attribute "unit"; "none" for
 * ZIO_UNIT_NONE; NULL for an unknown unit.
 */
const char *zio_unit_name(unsigned int unit);

/**
 * zio_attr_is_signed() - check whether a standard attribute is signed
 * @owner: what the attribute belongs to
 * @index: its index in struct zio_ctrl_attr, such as ZIO_ATTR_OFFSET
 *
 * The value of a signed attribute in a control is an int32_t.
 *
 * Context: Any thread.
 * Return: true if it is.
 */
bool zio_attr_is_signed(enum zio_attr_owner owner, unsigned int index);

#endif /* LIBZIO_ZIO_UNIT_H */
