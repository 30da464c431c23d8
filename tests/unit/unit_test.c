// SPDX-License-Identifier: GPL-2.0-only
/* libzio: samples in physical units, with controls made by hand */
#include <math.h>

#include "fake.h"
#include "tap.h"

/* Make a control without attributes; @nbits of @ssize bytes are valid. */
static void make_control(struct zio_control *control, uint16_t ssize, uint16_t nbits,
			 uint32_t align)
{
	zio_control_init(control, 0, ssize);
	control->nbits = nbits;
	control->flags |= align;
}

static void set_std(struct zio_control *control, unsigned int index, int32_t value)
{
	control->attr_channel.std_mask |= (uint16_t)(1u << index);
	control->attr_channel.std_val[index] = (uint32_t)value;
}

static void set_scale(struct zio_control *control, int32_t mantissa, int32_t exponent,
		      int32_t offset, enum zio_unit unit)
{
	set_std(control, ZIO_ATTR_SCALE_MANT, mantissa);
	set_std(control, ZIO_ATTR_SCALE_EXP, exponent);
	set_std(control, ZIO_ATTR_OFFSET, offset);
	set_std(control, ZIO_ATTR_UNIT, (int32_t)unit);
}

/* Convert one sample, which has the bytes of @raw in the order of the machine. */
static double convert(const struct zio_control *control, uint64_t raw)
{
	uint8_t one = (uint8_t)raw;
	uint16_t two = (uint16_t)raw;
	uint32_t four = (uint32_t)raw;
	struct zio_block blk = {
		.control = control,
		.data = control->ssize == 1 ? (void *)&one :
			control->ssize == 2 ? (void *)&two :
			control->ssize == 4 ? (void *)&four : (void *)&raw,
		.size = control->ssize,
	};
	double value = NAN;

	if (zio_block_to_double(&blk, &value, 1) != 1)
		return NAN;
	return value;
}

static bool is_near(double got, double wanted)
{
	if (fabs(got - wanted) <= 1e-12 * fabs(wanted))
		return true;
	printf("# got %.17g, wanted %.17g\n", got, wanted);
	return false;
}

/* Each row: a sample, and its raw number without and with a sign. */
static const struct row {
	uint16_t ssize, nbits;
	uint32_t align;
	uint64_t sample;
	double plain, with_sign;
} rows[] = {
	{ 1, 8, ZIO_CONTROL_LSB_ALIGN, 0x7f, 127, 127 },
	{ 1, 8, ZIO_CONTROL_LSB_ALIGN, 0x80, 128, -128 },
	{ 1, 0, ZIO_CONTROL_LSB_ALIGN, 0xff, 255, -1 },
	{ 1, 1, ZIO_CONTROL_LSB_ALIGN, 0x01, 1, -1 },
	{ 1, 1, ZIO_CONTROL_MSB_ALIGN, 0x80, 1, -1 },
	{ 1, 7, ZIO_CONTROL_LSB_ALIGN, 0xc0, 64, -64 },	/* bit 7 is not valid */
	{ 1, 7, ZIO_CONTROL_MSB_ALIGN, 0x81, 64, -64 },	/* nor is bit 0 */
	{ 2, 12, ZIO_CONTROL_LSB_ALIGN, 0x0800, 2048, -2048 },
	{ 2, 12, ZIO_CONTROL_LSB_ALIGN, 0xf7ff, 2047, 2047 },
	{ 2, 12, ZIO_CONTROL_MSB_ALIGN, 0x800f, 2048, -2048 },
	{ 2, 13, 0, 0xf000, 4096, -4096 },		/* no alignment: the lower bits */
	{ 2, 16, ZIO_CONTROL_MSB_ALIGN, 0xffff, 65535, -1 },
	{ 2, 99, ZIO_CONTROL_MSB_ALIGN, 0xffff, 65535, -1 },	/* more than there are */
	{ 4, 24, ZIO_CONTROL_MSB_ALIGN, 0x800000ff, 8388608, -8388608 },
	{ 4, 31, ZIO_CONTROL_LSB_ALIGN, 0xc0000000, 1073741824, -1073741824 },
	{ 4, 32, ZIO_CONTROL_LSB_ALIGN, 0xffffffff, 4294967295.0, -1 },
	{ 8, 64, ZIO_CONTROL_LSB_ALIGN, 1ull << 63, 0x1p63, -0x1p63 },
	{ 8, 64, ZIO_CONTROL_MSB_ALIGN, UINT64_MAX, 0x1p64, -1 },
	{ 8, 53, ZIO_CONTROL_LSB_ALIGN, UINT64_MAX, 0x1p53 - 1, -1 },
	{ 8, 53, ZIO_CONTROL_MSB_ALIGN, 1ull << 63, 0x1p52, -0x1p52 },
};

static void test_layouts(void)
{
	struct zio_control control;
	char what[80];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		snprintf(what, sizeof(what), "0x%jx, %u of %u bytes, align 0x%x",
			 (uintmax_t)row->sample, row->nbits, row->ssize, row->align);
		make_control(&control, row->ssize, row->nbits, row->align);
		ok(is_near(convert(&control, row->sample), row->plain), what);
		set_std(&control, ZIO_ATTR_SIGNED, 1);
		ok(is_near(convert(&control, row->sample), row->with_sign), what);
		set_std(&control, ZIO_ATTR_SIGNED, 0);
		ok(is_near(convert(&control, row->sample), row->plain), what);
	}
}

static void test_byte_order(void)
{
	static const uint8_t bytes[8] = { 0x80, 1, 2, 3, 4, 5, 6, 7 };
	static const double big[] = { 0x80, 0x8001, 0, 0x80010203u, 0, 0, 0,
				      0x8001020304050607 };
	static const double little[] = { 0x80, 0x0180, 0, 0x03020180, 0, 0, 0,
					 0x0706050403020180 };
	struct zio_control control;
	struct zio_block blk = { .control = &control, .data = bytes };
	uint16_t ssize;
	double value;

	for (ssize = 1; ssize <= 8; ssize *= 2) {
		make_control(&control, ssize, 8 * ssize, ZIO_CONTROL_LSB_ALIGN);
		blk.size = ssize;
		control.flags = ZIO_CONTROL_BIG_ENDIAN | ZIO_CONTROL_LSB_ALIGN;
		ok(zio_block_to_double(&blk, &value, 1) == 1 &&
		   is_near(value, big[ssize - 1]), "big endian");
		control.flags = ZIO_CONTROL_LITTLE_ENDIAN | ZIO_CONTROL_LSB_ALIGN;
		ok(zio_block_to_double(&blk, &value, 1) == 1 &&
		   is_near(value, little[ssize - 1]), "little endian");
	}
}

static void test_scale(void)
{
	struct zio_scaling scaling;
	struct zio_control control;

	make_control(&control, 2, 14, ZIO_CONTROL_MSB_ALIGN);
	set_std(&control, ZIO_ATTR_SIGNED, 1);
	set_scale(&control, 152588, -9, -5000, ZIO_UNIT_V);
	ok(!zio_control_scale(&control, &scaling) && scaling.is_scaled &&
	   scaling.is_signed && scaling.nbits == 14 && scaling.shift == 2 &&
	   scaling.ssize == 2 && scaling.n_channels == 1, "layout of the samples");
	ok(is_near(scaling.scale, 0.000152588) && is_near(scaling.offset, -0.005) &&
	   !strcmp(scaling.unit, "V"), "scale, offset and unit");
	ok(is_near(convert(&control, 0x8003), -8192 * 0.000152588 - 0.005),
	   "a value in volts");
	set_scale(&control, -2, 3, INT32_MIN, ZIO_UNIT_PERCENT);
	ok(is_near(convert(&control, 4), -2000 - 2147.483648),
	   "negative scale, smallest offset");
	ok(!zio_control_scale(&control, &scaling) && !strcmp(scaling.unit, "%"),
	   "the last unit");
	set_scale(&control, 1, 0, 0, ZIO_UNIT_NONE);
	ok(!zio_control_scale(&control, &scaling) && scaling.is_scaled &&
	   !*scaling.unit, "a scale without a unit");
}

static bool refuses(const struct zio_control *control, int code)
{
	struct zio_scaling scaling;

	errno = 0;
	return zio_control_scale(control, &scaling) == -1 && errno == code;
}

static void set_double(struct zio_control *control, unsigned int low, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	set_std(control, low, (int32_t)bits);
	set_std(control, low + 1, (int32_t)(bits >> 32));
}

/* Does the control have exactly this scale and this offset? */
static bool has_scale(const struct zio_control *control, double scale, double offset)
{
	struct zio_scaling scaling = { .scale = NAN };

	if (!zio_control_scale(control, &scaling) && scaling.is_scaled &&
	    scaling.scale == scale && scaling.offset == offset)
		return true;
	printf("# got %.17g and %.17g\n", scaling.scale, scaling.offset);
	return false;
}

/* Doubles come before the decimal numbers, which are for older programs. */
static void test_double(void)
{
	struct zio_control control;

	make_control(&control, 2, 16, ZIO_CONTROL_LSB_ALIGN);
	set_std(&control, ZIO_ATTR_SIGNED, 1);
	set_scale(&control, 762939453, ZIO_SCALE_NOT_HELD, 0, ZIO_UNIT_PA);
	set_double(&control, ZIO_ATTR_SCALE_LOW, 2.5 / 32768);
	set_double(&control, ZIO_ATTR_OFFSET_LOW, 101325);
	ok(has_scale(&control, 2.5 / 32768, 101325), "doubles");
	ok(convert(&control, 0x8000) == 101325 - 2.5, "a value of doubles");
	set_double(&control, ZIO_ATTR_SCALE_LOW, -9.99e280);
	set_double(&control, ZIO_ATTR_OFFSET_LOW, 9.99e280);
	ok(isfinite(convert(&control, 0x8000)), "the largest value is finite");
	set_scale(&control, 5, -1, -127000, ZIO_UNIT_V);
	set_double(&control, ZIO_ATTR_SCALE_LOW, 0.5000000001);
	control.attr_channel.std_mask &= (uint16_t)~(1u << ZIO_ATTR_OFFSET_HIGH);
	ok(has_scale(&control, 0.5000000001, -0.127), "half of a double is none: offset");
	control.attr_channel.std_mask &= (uint16_t)~(1u << ZIO_ATTR_SCALE_LOW);
	ok(has_scale(&control, 0.5, -0.127), "half of a double is none: scale");
}

static void test_bad_double(void)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY, 1e281, -1e300 };
	struct zio_control control;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make_control(&control, 2, 16, ZIO_CONTROL_LSB_ALIGN);
		set_scale(&control, 1, 0, 0, ZIO_UNIT_V);
		set_double(&control, ZIO_ATTR_OFFSET_LOW, bad[i]);
		ok(refuses(&control, ERANGE), "an offset that no module makes");
		set_double(&control, ZIO_ATTR_OFFSET_LOW, 0);
		set_double(&control, ZIO_ATTR_SCALE_LOW, bad[i]);
		ok(refuses(&control, ERANGE), "a scale that no module makes");
	}
}

/* The offset of a control without a scale is a setting of the board. */
static void test_no_scale(void)
{
	struct zio_scaling scaling;
	struct zio_control control;

	make_control(&control, 1, 8, ZIO_CONTROL_LSB_ALIGN);
	set_std(&control, ZIO_ATTR_OFFSET, 7000000);
	set_std(&control, ZIO_ATTR_UNIT, ZIO_UNIT_V);
	ok(!zio_control_scale(&control, &scaling) && !scaling.is_scaled &&
	   scaling.scale == 1 && scaling.offset == 0 && !*scaling.unit, "no scale");
	ok(is_near(convert(&control, 9), 9), "the raw number is the value");
}

static void test_errors(void)
{
	struct zio_scaling scaling;
	struct zio_control control;
	struct zio_block blk = { .control = &control, .size = 4 };
	double value = 1.25;

	make_control(&control, 4, 32, ZIO_CONTROL_LSB_ALIGN);
	ok(zio_control_scale(NULL, &scaling) == -1 && errno == EINVAL, "no control");
	ok(zio_control_scale(&control, NULL) == -1 && errno == EINVAL, "no scaling");
	ok(zio_block_to_double(NULL, &value, 1) == -1 && errno == EINVAL, "no block");
	ok(zio_block_to_double(&blk, NULL, 1) == -1 && errno == EINVAL, "no values");
	ok(zio_block_to_double(&blk, &value, 1) == -1 && errno == ENODATA, "no data");
	set_scale(&control, 1, ZIO_SCALE_MAX_EXP + 1, 0, ZIO_UNIT_V);
	ok(refuses(&control, ERANGE), "exponent too large");
	set_scale(&control, 1, INT32_MIN, 0, ZIO_UNIT_V);
	ok(refuses(&control, ERANGE), "exponent too small");
	set_scale(&control, 1, 0, 0, _ZIO_UNIT_NUM);
	ok(refuses(&control, ERANGE), "unit of a later version");
	set_scale(&control, 1, 0, 0, ZIO_UNIT_V);
	control.ssize = 3;
	ok(refuses(&control, EOPNOTSUPP), "samples of 3 bytes");
	control.ssize = 0;
	ok(refuses(&control, EOPNOTSUPP), "no samples at all");
	ok(value == 1.25, "no value after an error");
}

static void test_count(void)
{
	static const uint16_t samples[4] = { 1, 2, 3, 4 };
	struct zio_control control;
	struct zio_block blk = { .control = &control, .data = samples,
				 .size = sizeof(samples) };
	double values[5] = { -1, -1, -1, -1, -1 };

	make_control(&control, 2, 16, ZIO_CONTROL_LSB_ALIGN);
	ok(zio_block_to_double(&blk, values, 3) == 3 && values[2] == 3 &&
	   values[3] == -1, "no more than there is room for");
	ok(zio_block_to_double(&blk, values, 5) == 4 && values[3] == 4 &&
	   values[4] == -1, "no more than there are samples");
	blk.size = 0;
	blk.data = NULL;
	ok(!zio_block_to_double(&blk, values, 5), "an empty block");
}

static void test_interleaved(void)
{
	static const uint8_t samples[6] = { 10, 20, 30, 11, 21, 31 };
	const uint64_t mask = 1ull << 63 | 5;
	struct zio_scaling scaling;
	struct zio_control control;
	struct zio_block blk = { .control = &control, .data = samples,
				 .size = sizeof(samples) };
	double values[6];

	make_control(&control, 1, 8, ZIO_CONTROL_LSB_ALIGN);
	control.tlv[0].type = ZIO_TLV_CHANNELS;
	memcpy(control.tlv[0].payload, &mask, sizeof(mask));
	ok(!zio_control_scale(&control, &scaling) && scaling.n_channels == 1,
	   "not interleaved");
	control.flags |= ZIO_CONTROL_INTERLEAVE_DATA;
	ok(!zio_control_scale(&control, &scaling) && scaling.n_channels == 3,
	   "three channels take turns");
	memset(control.tlv[0].payload, 0, sizeof(mask));
	ok(!zio_control_scale(&control, &scaling) && scaling.n_channels == 1,
	   "an empty mask: one channel at least");
	memcpy(control.tlv[0].payload, &mask, sizeof(mask));
	set_scale(&control, 5, -1, 0, ZIO_UNIT_A);
	ok(zio_block_to_double(&blk, values, 6) == 6 && values[0] == 5 &&
	   values[1] == 10 && values[4] == 10.5, "values in the order of the samples");
}

/* Any control: a value is a number, or there is an error. */
static void test_random(void)
{
	struct zio_control control;
	uint64_t state = 42, sample = 0;
	int i, bad = 0, good = 0;

	for (i = 0; i < 200000; i++) {
		uint8_t *bytes = (uint8_t *)&control;
		struct zio_block blk = { .control = &control, .data = &sample };
		double value = 0;
		size_t b;

		for (b = 0; b < sizeof(control); b++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			bytes[b] = (uint8_t)(state >> 56);
		}
		sample = state;
		control.ssize = 1u << (i & 3);
		control.attr_channel.std_val[ZIO_ATTR_SCALE_EXP] = (uint32_t)(i % 64 - 32);
		control.attr_channel.std_val[ZIO_ATTR_UNIT] %= _ZIO_UNIT_NUM;
		blk.size = control.ssize;
		if (zio_block_to_double(&blk, &value, 1) == 1)
			good++;
		bad += !isfinite(value);
	}
	ok(!bad && good > 100000, "values of any control are finite");
}

static void test_names(void)
{
	unsigned int i;

	for (i = 0; i < _ZIO_UNIT_NUM; i++)
		if (!zio_unit_name(i))
			break;
	ok(i == _ZIO_UNIT_NUM, "each unit has a name");
	ok(!strcmp(zio_unit_name(ZIO_UNIT_V), "V") &&
	   !strcmp(zio_unit_name(ZIO_UNIT_KG), "kg") &&
	   !strcmp(zio_unit_name(ZIO_UNIT_PERCENT), "%"), "names in the order of the units");
	ok(!zio_unit_name(_ZIO_UNIT_NUM) && !strcmp(zio_unit_name(0), "none"),
	   "no unit");
	ok(zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_OFFSET) &&
	   zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_SCALE_MANT) &&
	   zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_SCALE_EXP),
	   "attributes with a sign");
	ok(!zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_GAIN) &&
	   !zio_attr_is_signed(ZIO_ATTR_OF_TRIGGER, ZIO_ATTR_OFFSET) &&
	   !zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, 99), "attributes without one");
}

static bool shot_is_at(const struct zio_control *control, unsigned int i, uint64_t secs,
		       uint64_t ticks)
{
	struct zio_timestamp time = { 0 };

	return !zio_control_shot(control, i, &time) && time.secs == secs &&
		time.ticks == ticks;
}

static void test_shots(void)
{
	uint32_t n = 3;
	struct zio_control control;
	struct zio_timestamp time;

	make_control(&control, 1, 8, ZIO_CONTROL_LSB_ALIGN);
	control.tstamp.secs = 7;
	control.tstamp.ticks = 999999990;
	ok(zio_control_shots(&control) == 1 && shot_is_at(&control, 0, 7, 999999990),
	   "a block of one shot");
	control.tlv[0].type = ZIO_TLV_SHOTS;
	memcpy(control.tlv[0].payload, &n, sizeof(n));
	control.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT] = 9;
	control.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + 1] = UINT32_MAX;
	ok(zio_control_shots(&control) == 3, "three shots");
	ok(shot_is_at(&control, 0, 7, 999999990) && shot_is_at(&control, 1, 7, 999999999) &&
	   shot_is_at(&control, 2, 12, 294967285), "the times of the shots");
	ok(zio_control_shot(&control, 3, &time) == -1 && errno == ENOENT, "no fourth shot");
	n = 1000;
	memcpy(control.tlv[0].payload, &n, sizeof(n));
	ok(zio_control_shots(&control) == ZIO_MAX_SHOTS, "no more times than there are");
}

int main(void)
{
	test_layouts();
	test_byte_order();
	test_scale();
	test_double();
	test_bad_double();
	test_no_scale();
	test_errors();
	test_count();
	test_interleaved();
	test_random();
	test_names();
	test_shots();
	return tap_end();
}
