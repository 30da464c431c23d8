// SPDX-License-Identifier: GPL-2.0-only
/*
 * scale.c: convert units, scales and offsets of IIO to ZIO
 *
 * An IIO value is (raw + offset) * scale, in a unit that depends on the type of the
 * channel: millivolts, for example. A ZIO value is raw * scale + offset, in volts.
 */
#include <linux/iio/consumer.h>
#include <linux/platform_device.h>

#include "decimal.h"
#include "iio.h"

#define ZIIO_MICRO	6	/* the offset of struct zio_scaling is in millionths */
#define ZIIO_NANO	9	/* samples of processed values are in 10^-9 of IIO's unit */

/* The ZIO unit, and the power of ten of IIO's unit in it */
struct ziio_unit {
	enum zio_unit unit;
	int exp;
};

/* ZIO has no unit for the types that are missing here: they are plain numbers. */
static const struct ziio_unit ziio_units[] = {
	[IIO_VOLTAGE] = { ZIO_UNIT_V, -3 },
	[IIO_ALTVOLTAGE] = { ZIO_UNIT_V, -3 },
	[IIO_CURRENT] = { ZIO_UNIT_A, -3 },
	[IIO_POWER] = { ZIO_UNIT_W, -3 },
	[IIO_ENERGY] = { ZIO_UNIT_J, 0 },
	[IIO_RESISTANCE] = { ZIO_UNIT_OHM, 0 },
	[IIO_CAPACITANCE] = { ZIO_UNIT_F, -9 },
	[IIO_ACCEL] = { ZIO_UNIT_M_S2, 0 },
	[IIO_GRAVITY] = { ZIO_UNIT_M_S2, 0 },
	[IIO_ANGL_VEL] = { ZIO_UNIT_RAD_S, 0 },
	[IIO_ANGL] = { ZIO_UNIT_RAD, 0 },
	[IIO_PHASE] = { ZIO_UNIT_RAD, 0 },
	[IIO_MAGN] = { ZIO_UNIT_T, -4 },	/* gauss */
	[IIO_LIGHT] = { ZIO_UNIT_LX, 0 },
	[IIO_TEMP] = { ZIO_UNIT_DEGC, -3 },
	[IIO_PRESSURE] = { ZIO_UNIT_PA, 3 },
	[IIO_HUMIDITYRELATIVE] = { ZIO_UNIT_PERCENT, -3 },
	[IIO_CONCENTRATION] = { ZIO_UNIT_PERCENT, 0 },
	[IIO_POSITIONRELATIVE] = { ZIO_UNIT_PERCENT, -3 },
	[IIO_DISTANCE] = { ZIO_UNIT_M, 0 },
	[IIO_PROXIMITY] = { ZIO_UNIT_M, 0 },
	[IIO_VELOCITY] = { ZIO_UNIT_M_S, 0 },
};

static const struct ziio_unit *ziio_find_unit(const struct iio_chan_spec *spec)
{
	static const struct ziio_unit none;

	return spec->type < ARRAY_SIZE(ziio_units) ? &ziio_units[spec->type] : &none;
}

/* Returns true if the device's driver offers this of a channel. Context: Any. */
bool ziio_has_info(const struct iio_chan_spec *spec, enum iio_chan_info_enum info)
{
	return (spec->info_mask_separate | spec->info_mask_shared_by_type |
		spec->info_mask_shared_by_dir | spec->info_mask_shared_by_all) & BIT(info);
}

/* @type: what read_raw() of the device returned */
static bool ziio_to_decimal(int type, int val, int val2, struct ziio_decimal *dec)
{
	switch (type) {
	case IIO_VAL_INT:
		*dec = ziio_decimal_make(val < 0, abs((s64)val), 0);
		return true;
	case IIO_VAL_INT_PLUS_MICRO:
		*dec = ziio_decimal_fixed(val, val2, 1000000, -6);
		return true;
	case IIO_VAL_INT_PLUS_NANO:
		*dec = ziio_decimal_fixed(val, val2, 1000000000, -9);
		return true;
	case IIO_VAL_FRACTIONAL:
		if (!val2)
			return false;
		*dec = ziio_decimal_quotient(val2 < 0 ? -(s64)val : val,
					     abs((s64)val2));
		return true;
	case IIO_VAL_FRACTIONAL_LOG2:
		if (val2 < 0 || val2 > ZIIO_MAX_LOG2)
			return false;
		*dec = ziio_decimal_quotient(val, BIT_ULL(val2));
		return true;
	default:
		return false;
	}
}

static int ziio_read_decimal(struct ziio_state *state, const struct iio_chan_spec *spec,
			     enum iio_chan_info_enum info, struct ziio_decimal *dec)
{
	struct iio_channel chan = { .indio_dev = state->indio, .channel = spec };
	int val = 0, val2 = 0, type;

	type = iio_read_channel_attribute(&chan, &val, &val2, info);
	if (type < 0)
		return type;
	return ziio_to_decimal(type, val, val2, dec) ? 0 : -EOPNOTSUPP;
}

/**
 * ziio_read_processed() - read a channel that has no raw value
 * @state: the device
 * @spec: the channel
 * @value: receives the value in 10^-9 of IIO's unit
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ERANGE if 64 bits are too few; -EOPNOTSUPP for a kind of number that ZIO does
 * not know; or an error of the device's driver.
 */
int ziio_read_processed(struct ziio_state *state, const struct iio_chan_spec *spec, s64 *value)
{
	struct ziio_decimal dec;
	int ret = ziio_read_decimal(state, spec, IIO_CHAN_INFO_PROCESSED, &dec);

	if (ret)
		return ret;
	return ziio_decimal_to_fixed(dec, ZIIO_NANO, value) ? 0 : -ERANGE;
}

/* Returns 0 for a channel without an offset. */
static struct ziio_decimal ziio_read_offset(struct ziio_state *state,
					    const struct iio_chan_spec *spec,
					    struct ziio_decimal scale)
{
	struct ziio_decimal dec = { };

	if (ziio_read_decimal(state, spec, IIO_CHAN_INFO_OFFSET, &dec))
		return dec;
	return ziio_decimal_product(dec, scale);
}

/**
 * ziio_read_scaling() - read how the samples of a channel become physical values
 * @state: the device
 * @spec: the channel
 * @is_signed: samples are signed
 * @scaling: receives the result
 *
 * Samples of a channel without a scale, or with a scale of 0, are plain numbers.
 *
 * Context: Process, sleeps.
 */
void ziio_read_scaling(struct ziio_state *state, const struct iio_chan_spec *spec,
		       bool is_signed, struct zio_scaling *scaling)
{
	const struct ziio_unit *unit = ziio_find_unit(spec);
	struct ziio_decimal scale, offset;

	*scaling = (struct zio_scaling) {
		.flags = is_signed ? ZIO_SCALING_SIGNED : 0,
		.mant = 1,
	};
	if (state->mode == ZIIO_READ && !ziio_has_info(spec, IIO_CHAN_INFO_RAW)) {
		scaling->unit = unit->unit;
		scaling->exp = unit->exp - ZIIO_NANO;
		return;
	}
	if (ziio_read_decimal(state, spec, IIO_CHAN_INFO_SCALE, &scale))
		return;
	scale.exp += unit->exp;
	if (!scale.mant) {
		dev_warn(&state->pdev->dev,
			 "%s: the scale of channel %d is 0: its samples are plain numbers\n",
			 dev_name(&state->indio->dev), spec->scan_index);
		return;
	}
	offset = ziio_read_offset(state, spec, scale);
	scaling->unit = unit->unit;
	scaling->mant = scale.mant;
	scaling->exp = scale.exp;
	scaling->offset = offset.mant;
	scaling->offset_exp = offset.exp + ZIIO_MICRO;
}

static void ziio_read_rate(struct ziio_set *set, struct zio_timing *timing)
{
	struct iio_channel chan = { .indio_dev = set->state->indio, .channel = set->spec[0] };
	int val = 0, val2 = 0, type;

	type = iio_read_channel_attribute(&chan, &val, &val2, IIO_CHAN_INFO_SAMP_FREQ);
	if (val < 0 || val2 < 0)
		return;
	if (type == IIO_VAL_INT)
		zio_timing_set_rate(timing, val, 1);
	else if (type == IIO_VAL_INT_PLUS_MICRO)
		zio_timing_set_rate(timing, val * 1000000ULL + val2, 1000000);
	else if (type == IIO_VAL_INT_PLUS_NANO)
		zio_timing_set_rate(timing, val * 1000000000ULL + val2, 1000000000);
	else if (type == IIO_VAL_FRACTIONAL)
		zio_timing_set_rate(timing, val, val2);
}

/**
 * ziio_get_timing() - read the rate of a set, IIO's "sampling_frequency"
 * @cset: the set
 * @timing: receives the rate if the device reports one and makes the scans by its own clock;
 *          in the mode "read", the rate of the reader
 *
 * Context: Process, sleeps.
 */
void ziio_get_timing(const struct zio_cset *cset, struct zio_timing *timing)
{
	struct ziio_state *state = zio_cset_priv(cset);
	struct ziio_set *set = &state->set[zio_cset_index(cset)];

	if (state->mode == ZIIO_READ) {
		if (set->rate_num)
			zio_timing_set_rate(timing, set->rate_num, set->rate_den);
		return;
	}
	if (READ_ONCE(state->has_own_clock))
		ziio_read_rate(set, timing);
	WRITE_ONCE(set->rate_num, timing->rate_num);
	WRITE_ONCE(set->rate_den, timing->rate_den);
	if (timing->rate_num)
		timing->error_ns = zio_pace_error(&set->pace);
}

/* Compares field by field: the padding of the structures may differ. Context: Any. */
bool ziio_is_same_scaling(const struct zio_scaling *a, const struct zio_scaling *b)
{
	return a->flags == b->flags && a->unit == b->unit && a->mant == b->mant &&
		a->exp == b->exp && a->offset == b->offset &&
		a->offset_exp == b->offset_exp;
}

/* Returns true if all channels of an interleaved set have the scale of the first one. */
static bool ziio_has_one_scale(struct ziio_set *set)
{
	struct zio_scaling scaling;
	unsigned int i;

	for (i = 1; i < set->n; i++) {
		ziio_read_scaling(set->state, set->spec[i], set->field[i].is_signed,
				  &scaling);
		if (!ziio_is_same_scaling(&scaling, &set->scaling[0]))
			return false;
	}
	return true;
}

/**
 * ziio_rescale() - read the scales of a set again after a user has changed them in IIO
 * @set: the set
 *
 * Context: Process, in attr_set().
 *
 * Return: 0; -EXDEV if channels of an interleaved set now have different scales.
 */
int ziio_rescale(struct ziio_set *set)
{
	unsigned int i, n = set->state->mode == ZIIO_SEPARATE ? set->n : 1;

	for (i = 0; i < n; i++)
		ziio_read_scaling(set->state, set->spec[i], set->field[i].is_signed,
				  &set->scaling[i]);
	if (n < set->n && !ziio_has_one_scale(set)) {
		dev_err(&set->state->pdev->dev,
			"%s: channels of a set now have different scales: make the device again\n",
			dev_name(&set->state->indio->dev));
		return -EXDEV;
	}
	for (i = 0; i < n; i++)
		zio_cset_set_scaling(set->cset, i, &set->scaling[i]);
	return 0;
}
