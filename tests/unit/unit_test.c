// SPDX-License-Identifier: GPL-2.0-only
/* libzio: samples in physical units, with controls made by hand */
#include <math.h>

#include "fake.h"
#include "harness.h"

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

static void set_scale(struct zio_control *control, double scale, double offset,
		      enum zio_unit unit)
{
	ASSERT_TRUE(!zio_control_set_scale(control, unit, scale, offset));
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

#define ROW(...)	{ __VA_ARGS__, #__VA_ARGS__ }

/* Each row: a sample, and its raw number without and with a sign. */
static const struct row {
	uint16_t ssize, nbits;
	uint32_t align;
	uint64_t sample;
	double plain, with_sign;
	const char *what;
} rows[] = {
	ROW(1, 8, ZIO_CONTROL_LSB_ALIGN, 0x7f, 127, 127),
	ROW(1, 8, ZIO_CONTROL_LSB_ALIGN, 0x80, 128, -128),
	ROW(1, 0, ZIO_CONTROL_LSB_ALIGN, 0xff, 255, -1),
	ROW(1, 1, ZIO_CONTROL_LSB_ALIGN, 0x01, 1, -1),
	ROW(1, 1, ZIO_CONTROL_MSB_ALIGN, 0x80, 1, -1),
	ROW(1, 7, ZIO_CONTROL_LSB_ALIGN, 0xc0, 64, -64),	/* bit 7 is not valid */
	ROW(1, 7, ZIO_CONTROL_MSB_ALIGN, 0x81, 64, -64),	/* nor is bit 0 */
	ROW(2, 12, ZIO_CONTROL_LSB_ALIGN, 0x0800, 2048, -2048),
	ROW(2, 12, ZIO_CONTROL_LSB_ALIGN, 0xf7ff, 2047, 2047),
	ROW(2, 12, ZIO_CONTROL_MSB_ALIGN, 0x800f, 2048, -2048),
	ROW(2, 13, 0, 0xf000, 4096, -4096),		/* no alignment: the lower bits */
	ROW(2, 16, ZIO_CONTROL_MSB_ALIGN, 0xffff, 65535, -1),
	ROW(2, 99, ZIO_CONTROL_MSB_ALIGN, 0xffff, 65535, -1),	/* more than there are */
	ROW(4, 24, ZIO_CONTROL_MSB_ALIGN, 0x800000ff, 8388608, -8388608),
	ROW(4, 31, ZIO_CONTROL_LSB_ALIGN, 0xc0000000, 1073741824, -1073741824),
	ROW(4, 32, ZIO_CONTROL_LSB_ALIGN, 0xffffffff, 4294967295.0, -1),
	ROW(8, 64, ZIO_CONTROL_LSB_ALIGN, 1ull << 63, 0x1p63, -0x1p63),
	ROW(8, 64, ZIO_CONTROL_MSB_ALIGN, UINT64_MAX, 0x1p64, -1),
	ROW(8, 53, ZIO_CONTROL_LSB_ALIGN, UINT64_MAX, 0x1p53 - 1, -1),
	ROW(8, 53, ZIO_CONTROL_MSB_ALIGN, 1ull << 63, 0x1p52, -0x1p52),
};

TEST("samples of each size, width and alignment")
{
	struct zio_control control;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		make_control(&control, row->ssize, row->nbits, row->align);
		ASSERT_TRUE(is_near(convert(&control, row->sample), row->plain),
			    row->what);
		set_std(&control, ZIO_ATTR_SIGNED, 1);
		ASSERT_TRUE(is_near(convert(&control, row->sample), row->with_sign),
			    row->what);
		set_std(&control, ZIO_ATTR_SIGNED, 0);
		ASSERT_TRUE(is_near(convert(&control, row->sample), row->plain),
			    row->what);
	}
}

TEST("both byte orders")
{
	static const uint8_t bytes[8] = { 0x80, 1, 2, 3, 4, 5, 6, 7 };
	static const double big[] = { 0x80, 0x8001, 0, 0x80010203u, 0, 0, 0,
				      0x8001020304050607 };
	static const double little[] = { 0x80, 0x0180, 0, 0x03020180, 0, 0, 0,
					 0x0706050403020180 };
	struct zio_control control;
	struct zio_block blk = { .control = &control, .data = bytes };
	uint16_t ssize;
	double one;

	for (ssize = 1; ssize <= 8; ssize *= 2) {
		make_control(&control, ssize, 8 * ssize, ZIO_CONTROL_LSB_ALIGN);
		blk.size = ssize;
		control.flags = ZIO_CONTROL_BIG_ENDIAN | ZIO_CONTROL_LSB_ALIGN;
		ASSERT_EQ(zio_block_to_double(&blk, &one, 1), 1);
		ASSERT_TRUE(is_near(one, big[ssize - 1]));
		control.flags = ZIO_CONTROL_LITTLE_ENDIAN | ZIO_CONTROL_LSB_ALIGN;
		ASSERT_EQ(zio_block_to_double(&blk, &one, 1), 1);
		ASSERT_TRUE(is_near(one, little[ssize - 1]));
	}
}

TEST("scale and offset")
{
	struct zio_scaling scaling;
	struct zio_control control;

	make_control(&control, 2, 14, ZIO_CONTROL_MSB_ALIGN);
	set_std(&control, ZIO_ATTR_SIGNED, 1);
	set_scale(&control, 0.000152588, -0.005, ZIO_UNIT_V);
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && scaling.is_scaled);
	ASSERT_TRUE(scaling.is_signed && scaling.nbits == 14 && scaling.shift == 2);
	ASSERT_TRUE(scaling.ssize == 2 && scaling.n_channels == 1);
	ASSERT_TRUE(scaling.scale == 0.000152588 && scaling.offset == -0.005);
	ASSERT_STR(scaling.unit, "V");
	ASSERT_TRUE(is_near(convert(&control, 0x8003), -8192 * 0.000152588 - 0.005));
	set_scale(&control, -2000, -2147.483648, ZIO_UNIT_PERCENT);
	ASSERT_TRUE(is_near(convert(&control, 4), -2000 - 2147.483648));
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && !strcmp(scaling.unit, "%"));
	set_scale(&control, 1, 0, ZIO_UNIT_NONE);
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && scaling.is_scaled);
	ASSERT_TRUE(!*scaling.unit);
}

#define ASSERT_REFUSES(control, code) \
	ASSERT_ERRNO(zio_control_scale(control, &(struct zio_scaling){ 0 }), code)

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

TEST("large doubles, no offset, and half of a scale")
{
	struct zio_scaling scaling;
	struct zio_control control;

	make_control(&control, 2, 16, ZIO_CONTROL_LSB_ALIGN);
	set_std(&control, ZIO_ATTR_SIGNED, 1);
	set_scale(&control, 2.5 / 32768, 101325, ZIO_UNIT_PA);
	ASSERT_TRUE(has_scale(&control, 2.5 / 32768, 101325));
	ASSERT_TRUE(convert(&control, 0x8000) == 101325 - 2.5);
	set_scale(&control, -9.99e280, 9.99e280, ZIO_UNIT_PA);
	ASSERT_TRUE(isfinite(convert(&control, 0x8000)), "the largest value is finite");
	set_scale(&control, 0.5, -0.127, ZIO_UNIT_PA);
	control.attr_channel.std_mask &= (uint16_t)~(1u << ZIO_ATTR_OFFSET_HIGH);
	ASSERT_TRUE(has_scale(&control, 0.5, 0), "half of an offset is none");
	control.attr_channel.std_mask &= (uint16_t)~(1u << ZIO_ATTR_SCALE_LOW);
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && !scaling.is_scaled);
}

TEST("doubles that no module makes")
{
	static const double bad[] = { NAN, INFINITY, -INFINITY, 1e281, -1e300 };
	struct zio_control control;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make_control(&control, 2, 16, ZIO_CONTROL_LSB_ALIGN);
		set_scale(&control, 1, 0, ZIO_UNIT_V);
		ASSERT_ERRNO(zio_control_set_scale(&control, ZIO_UNIT_A, 1, bad[i]), ERANGE);
		ASSERT_ERRNO(zio_control_set_scale(&control, ZIO_UNIT_A, bad[i], 1), ERANGE);
		ASSERT_TRUE(has_scale(&control, 1, 0), "nothing has changed");
		set_double(&control, ZIO_ATTR_OFFSET_LOW, bad[i]);
		ASSERT_REFUSES(&control, ERANGE);
		set_double(&control, ZIO_ATTR_OFFSET_LOW, 0);
		set_double(&control, ZIO_ATTR_SCALE_LOW, bad[i]);
		ASSERT_REFUSES(&control, ERANGE);
	}
}

TEST("without a scale, the offset is a setting of the board")
{
	struct zio_scaling scaling;
	struct zio_control control;

	make_control(&control, 1, 8, ZIO_CONTROL_LSB_ALIGN);
	set_std(&control, ZIO_ATTR_OFFSET, 7000000);
	set_std(&control, ZIO_ATTR_UNIT, ZIO_UNIT_V);
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && !scaling.is_scaled);
	ASSERT_TRUE(scaling.scale == 1 && scaling.offset == 0 && !*scaling.unit);
	ASSERT_TRUE(is_near(convert(&control, 9), 9), "the raw number is the value");
}

TEST("controls and arguments that are refused")
{
	struct zio_scaling scaling;
	struct zio_control control;
	struct zio_block blk = { .control = &control, .size = 4 };
	double one = 1.25;

	make_control(&control, 4, 32, ZIO_CONTROL_LSB_ALIGN);
	ASSERT_ERRNO(zio_control_scale(NULL, &scaling), EINVAL, "no control");
	ASSERT_ERRNO(zio_control_scale(&control, NULL), EINVAL, "no scaling");
	ASSERT_ERRNO(zio_block_to_double(NULL, &one, 1), EINVAL, "no block");
	ASSERT_ERRNO(zio_block_to_double(&blk, NULL, 1), EINVAL, "no values");
	ASSERT_ERRNO(zio_block_to_double(&blk, &one, 1), ENODATA, "no data");
	ASSERT_ERRNO(zio_control_set_scale(NULL, ZIO_UNIT_V, 1, 0), EINVAL, "no control");
	ASSERT_ERRNO(zio_control_set_scale(&control, _ZIO_UNIT_NUM, 1, 0), ERANGE, "no unit");
	set_scale(&control, 1, 0, ZIO_UNIT_V);
	set_std(&control, ZIO_ATTR_UNIT, _ZIO_UNIT_NUM);
	ASSERT_REFUSES(&control, ERANGE);
	set_std(&control, ZIO_ATTR_UNIT, ZIO_UNIT_V);
	control.ssize = 3;
	ASSERT_REFUSES(&control, EOPNOTSUPP);
	control.ssize = 0;
	ASSERT_REFUSES(&control, EOPNOTSUPP);
	ASSERT_TRUE(one == 1.25, "no value after an error");
}

TEST("the number of values")
{
	static const uint16_t samples[4] = { 1, 2, 3, 4 };
	struct zio_control control;
	struct zio_block blk = { .control = &control, .data = samples,
				 .size = sizeof(samples) };
	double values[5] = { -1, -1, -1, -1, -1 };

	make_control(&control, 2, 16, ZIO_CONTROL_LSB_ALIGN);
	ASSERT_TRUE(zio_block_to_double(&blk, values, 3) == 3 && values[2] == 3);
	ASSERT_TRUE(values[3] == -1);
	ASSERT_TRUE(zio_block_to_double(&blk, values, 5) == 4 && values[3] == 4);
	ASSERT_TRUE(values[4] == -1);
	blk.size = 0;
	blk.data = NULL;
	ASSERT_TRUE(!zio_block_to_double(&blk, values, 5), "an empty block");
}

TEST("channels that take turns")
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
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && scaling.n_channels == 1);
	control.flags |= ZIO_CONTROL_INTERLEAVE_DATA;
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && scaling.n_channels == 3);
	memset(control.tlv[0].payload, 0, sizeof(mask));
	ASSERT_TRUE(!zio_control_scale(&control, &scaling) && scaling.n_channels == 1);
	memcpy(control.tlv[0].payload, &mask, sizeof(mask));
	set_scale(&control, 0.5, 0, ZIO_UNIT_A);
	ASSERT_TRUE(zio_block_to_double(&blk, values, 6) == 6 && values[0] == 5);
	ASSERT_TRUE(values[1] == 10 && values[4] == 10.5);
}

TEST("any control: a value is a number, or there is an error")
{
	struct zio_control control;
	uint64_t state = 42, sample = 0;
	int i, good = 0;

	for (i = 0; i < 200000; i++) {
		uint8_t *bytes = (uint8_t *)&control;
		struct zio_block blk = { .control = &control, .data = &sample };
		double one = 0;
		size_t b;

		for (b = 0; b < sizeof(control); b++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			bytes[b] = (uint8_t)(state >> 56);
		}
		sample = state;
		control.ssize = 1u << (i & 3);
		control.attr_channel.std_val[ZIO_ATTR_UNIT] %= _ZIO_UNIT_NUM;
		blk.size = control.ssize;
		good += zio_block_to_double(&blk, &one, 1) == 1;
		ASSERT_TRUE(isfinite(one));
	}
	ASSERT_TRUE(good > 100000);
}

TEST("names and signs")
{
	unsigned int i;

	for (i = 0; i < _ZIO_UNIT_NUM; i++)
		ASSERT_TRUE(zio_unit_name(i));
	ASSERT_STR(zio_unit_name(ZIO_UNIT_V), "V");
	ASSERT_STR(zio_unit_name(ZIO_UNIT_KG), "kg");
	ASSERT_STR(zio_unit_name(ZIO_UNIT_PERCENT), "%");
	ASSERT_TRUE(!zio_unit_name(_ZIO_UNIT_NUM) && !strcmp(zio_unit_name(0), "none"));
	ASSERT_TRUE(zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_OFFSET));
	ASSERT_TRUE(!zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_GAIN));
	ASSERT_TRUE(!zio_attr_is_signed(ZIO_ATTR_OF_TRIGGER, ZIO_ATTR_OFFSET));
	ASSERT_TRUE(!zio_attr_is_signed(ZIO_ATTR_OF_CHANNEL, 99));
}

static bool shot_is_at(const struct zio_control *control, unsigned int i, uint64_t secs,
		       uint64_t ticks)
{
	struct zio_timestamp time = { 0 };

	return !zio_control_shot(control, i, &time) && time.secs == secs &&
		time.ticks == ticks;
}

TEST("the times of shots")
{
	uint32_t n = 3;
	struct zio_control control;
	struct zio_timestamp time;

	make_control(&control, 1, 8, ZIO_CONTROL_LSB_ALIGN);
	control.tstamp.secs = 7;
	control.tstamp.ticks = 999999990;
	ASSERT_EQ(zio_control_shots(&control), 1);
	ASSERT_TRUE(shot_is_at(&control, 0, 7, 999999990));
	control.tlv[0].type = ZIO_TLV_SHOTS;
	memcpy(control.tlv[0].payload, &n, sizeof(n));
	control.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT] = 9;
	control.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + 1] = UINT32_MAX;
	ASSERT_EQ(zio_control_shots(&control), 3);
	ASSERT_TRUE(shot_is_at(&control, 0, 7, 999999990));
	ASSERT_TRUE(shot_is_at(&control, 1, 7, 999999999));
	ASSERT_TRUE(shot_is_at(&control, 2, 12, 294967285));
	ASSERT_ERRNO(zio_control_shot(&control, 3, &time), ENOENT, "no fourth shot");
	n = 1000;
	memcpy(control.tlv[0].payload, &n, sizeof(n));
	ASSERT_EQ(zio_control_shots(&control), ZIO_MAX_SHOTS);
}
