// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samples in physical units */
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "control.h"

#define DOUBLE_LIMIT 1e281	/* above any value up to ZIO_DOUBLE_MAX_EXP */

static const char *const unit_names[_ZIO_UNIT_NUM] = ZIO_UNIT_NAMES;

const char *zio_unit_name(unsigned int unit)
{
	return unit < _ZIO_UNIT_NUM ? unit_names[unit] : NULL;
}

bool zio_attr_is_signed(enum zio_attr_owner owner, unsigned int index)
{
	return owner == ZIO_ATTR_OF_CHANNEL && index == ZIO_ATTR_OFFSET;
}

static int fail(int code)
{
	errno = code;
	return -1;
}

/* Return a value of the channel; 0 if the control does not have it. */
static uint32_t get_std(const struct zio_control *control, unsigned int index)
{
	return zio_get_std(&control->attr_channel, index);
}

/* Returns false if the control lacks the 64 bits of a double at @low. */
static bool get_double(const struct zio_control *control, unsigned int low, double *value)
{
	const uint32_t *half = &control->attr_channel.std_val[low];
	uint64_t bits = half[0] | (uint64_t)half[1] << 32;

	if (~control->attr_channel.std_mask & 3u << low)
		return false;
	memcpy(value, &bits, sizeof(*value));
	return true;
}

/* The values are finite whatever a file contains: a NaN is not below a limit. */
static bool is_valid(double scale, double offset, unsigned int unit)
{
	return fabs(scale) < DOUBLE_LIMIT && fabs(offset) < DOUBLE_LIMIT && zio_unit_name(unit);
}

static int get_scale(const struct zio_control *control, struct zio_scaling *scaling)
{
	uint32_t unit = get_std(control, ZIO_ATTR_UNIT);

	scaling->scale = 1;
	scaling->unit = "";
	if (!get_double(control, ZIO_ATTR_SCALE_LOW, &scaling->scale))
		return 0;
	get_double(control, ZIO_ATTR_OFFSET_LOW, &scaling->offset);
	if (!is_valid(scaling->scale, scaling->offset, unit))
		return fail(ERANGE);
	scaling->is_scaled = true;
	if (unit != ZIO_UNIT_NONE)
		scaling->unit = zio_unit_name(unit);
	return 0;
}

static void put_std(struct zio_control *control, unsigned int index, uint32_t value)
{
	control->attr_channel.std_mask |= (uint16_t)(1u << index);
	control->attr_channel.std_val[index] = value;
}

static void put_double(struct zio_control *control, unsigned int low, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_std(control, low, (uint32_t)bits);
	put_std(control, low + 1, (uint32_t)(bits >> 32));
}

int zio_control_set_scale(struct zio_control *control, enum zio_unit unit, double scale,
			  double offset)
{
	if (!control)
		return zio_refuse_null();
	if (!is_valid(scale, offset, unit))
		return fail(ERANGE);
	put_std(control, ZIO_ATTR_UNIT, unit);
	put_double(control, ZIO_ATTR_SCALE_LOW, scale);
	put_double(control, ZIO_ATTR_OFFSET_LOW, offset);
	return 0;
}

static unsigned int count_channels(const struct zio_control *control)
{
	const struct zio_tlv *tlv = &control->tlv[0];
	uint64_t mask;

	if (!(control->flags & ZIO_CONTROL_INTERLEAVE_DATA) ||
	    tlv->type != ZIO_TLV_CHANNELS)
		return 1;
	memcpy(&mask, tlv->payload, sizeof(mask));
	return mask ? (unsigned int)__builtin_popcountll(mask) : 1;
}

static void get_layout(const struct zio_control *control, struct zio_scaling *scaling)
{
	unsigned int bits = 8u * control->ssize;

	scaling->ssize = control->ssize;
	scaling->nbits = control->nbits && control->nbits < bits ? control->nbits : bits;
	if (control->flags & ZIO_CONTROL_MSB_ALIGN)
		scaling->shift = bits - scaling->nbits;
	scaling->is_signed = get_std(control, ZIO_ATTR_SIGNED);
	scaling->is_big_endian = (control->flags & ZIO_CONTROL_BIG_ENDIAN) ==
				 ZIO_CONTROL_BIG_ENDIAN;
	scaling->n_channels = count_channels(control);
}

int zio_control_scale(const struct zio_control *control, struct zio_scaling *scaling)
{
	if (!control || !scaling)
		return zio_refuse_null();
	memset(scaling, 0, sizeof(*scaling));
	switch (control->ssize) {
	case 1:
	case 2:
	case 4:
	case 8:
		get_layout(control, scaling);
		return get_scale(control, scaling);
	default:
		return fail(EOPNOTSUPP);
	}
}

/* The callers pass a constant @ssize, so that each gets a loop for its size. */
static inline __attribute__((always_inline)) uint64_t
load(const uint8_t *at, unsigned int ssize, bool big)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (ssize) {
	case 1:
		return *at;
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return big ? be16toh(v16) : le16toh(v16);
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return big ? be32toh(v32) : le32toh(v32);
	default:
		memcpy(&v64, at, sizeof(v64));
		return big ? be64toh(v64) : le64toh(v64);
	}
}

/* Shift the valid bits to the top and back down: this drops the others. */
static inline __attribute__((always_inline)) void
convert(const struct zio_scaling *scaling, const uint8_t *at, double *values, size_t n,
	unsigned int ssize)
{
	const unsigned int up = 64 - scaling->nbits - scaling->shift;
	const unsigned int down = 64 - scaling->nbits;
	const double scale = scaling->scale, offset = scaling->offset;
	const bool is_signed = scaling->is_signed, big = scaling->is_big_endian;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t top = load(at + i * ssize, ssize, big) << up;
		double raw = is_signed ? (double)((int64_t)top >> down) :
					 (double)(top >> down);

		values[i] = raw * scale + offset;
	}
}

ssize_t zio_block_to_double(const struct zio_block *blk, double *values, size_t n)
{
	struct zio_scaling scaling;
	size_t count;

	if (!blk || !values)
		return zio_refuse_null();
	if (zio_control_scale(blk->control, &scaling))
		return -1;
	count = blk->size / scaling.ssize;
	if (count && !blk->data)
		return fail(ENODATA);
	if (n > count)
		n = count;
	switch (scaling.ssize) {
	case 1:
		convert(&scaling, blk->data, values, n, 1);
		break;
	case 2:
		convert(&scaling, blk->data, values, n, 2);
		break;
	case 4:
		convert(&scaling, blk->data, values, n, 4);
		break;
	default:
		convert(&scaling, blk->data, values, n, 8);
	}
	return (ssize_t)n;
}
