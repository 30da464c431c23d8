// SPDX-License-Identifier: GPL-2.0-only
/* scale_test.c: numbers with a sign, and how samples become physical values */
#include "test-device.h"

static struct zio_channel_core *make_channel(struct kunit *test)
{
	return test_device_create(test, 0, 1)->cset->chan[0];
}

static u32 std_value(struct zio_channel_core *chan, unsigned int index)
{
	struct zio_control ctrl;

	test_read_control(chan, &ctrl);
	return ctrl.attr_channel.std_val[index];
}

#define EXPECT_SHOW(test, chan, name, wanted)				\
	KUNIT_EXPECT_STREQ(test, test_show(test, &(chan)->kobj, name), wanted)

#define EXPECT_STORE(test, chan, name, text, ret)			\
	KUNIT_EXPECT_EQ_MSG(test, test_store(&(chan)->kobj, name, text), ret, \
			    "%s = \"%s\"", name, text)

/* A scale that is read back is the same number, in its shortest form. */
static void good_scales_are_exact(struct kunit *test)
{
	static const struct {
		const char *text, *shown;
		s32 mant, exp;
	} good[] = {
		{ "0.000152588", "0.000152588\n", 152588, -9 },
		{ "1", "1\n", 1, 0 },
		{ "1\n", "1\n", 1, 0 },
		{ "+1.50", "1.5\n", 15, -1 },
		{ "-2.5e-3\n", "-0.0025\n", -25, -4 },
		{ "007", "7\n", 7, 0 },
		{ ".5", "0.5\n", 5, -1 },
		{ "5.", "5\n", 5, 0 },
		{ "1000", "1000\n", 1, 3 },
		{ "1000000000", "1000000000\n", 1, 9 },
		{ "20000000000", "2e10\n", 2, 10 },
		{ "2147483647", "2147483647\n", 2147483647, 0 },
		{ "-2147483647", "-2147483647\n", -2147483647, 0 },
		{ "2147483647000", "2147483647000\n", 2147483647, 3 },
		{ "1.000000001", "1.000000001\n", 1000000001, -9 },
		{ "0.000000000001", "0.000000000001\n", 1, -12 },
		{ "0.0000000000012", "12e-13\n", 12, -13 },
		{ "12e-13", "12e-13\n", 12, -13 },
		{ "1E+30", "1e30\n", 1, 30 },
		{ "1e-30", "1e-30\n", 1, -30 },
		{ "0.1e-29", "1e-30\n", 1, -30 },
		{ "100e-32", "1e-30\n", 1, -30 },
		{ "1.00000000000000000000000000", "1\n", 1, 0 },
		{ "0.00000000000000000000000000001e30", "10\n", 1, 1 },
	};
	struct zio_channel_core *chan = make_channel(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		EXPECT_STORE(test, chan, "scale", good[i].text, 0);
		EXPECT_SHOW(test, chan, "scale", good[i].shown);
		KUNIT_EXPECT_EQ(test, (s32)std_value(chan, ZIO_ATTR_SCALE_MANT),
				good[i].mant);
		KUNIT_EXPECT_EQ(test, (s32)std_value(chan, ZIO_ATTR_SCALE_EXP), good[i].exp);
	}
}

static void bad_scales_change_nothing(struct kunit *test)
{
	static const struct {
		const char *text;
		int error;
	} bad[] = {
		{ "", -EINVAL },
		{ "\n", -EINVAL },
		{ "-", -EINVAL },
		{ ".", -EINVAL },
		{ "+-1", -EINVAL },
		{ "1.2.3", -EINVAL },
		{ "1 V", -EINVAL },
		{ "1,5", -EINVAL },
		{ " 1", -EINVAL },
		{ "1 ", -EINVAL },
		{ "1\n\n", -EINVAL },
		{ "0x10", -EINVAL },
		{ "nan", -EINVAL },
		{ "inf", -EINVAL },
		{ "1e", -EINVAL },
		{ "1e5x", -EINVAL },
		{ "e5", -EINVAL },
		{ "0", -EDOM },
		{ "-0.000", -EDOM },
		{ "0e99", -EDOM },
		{ "2147483648", -EOVERFLOW },
		{ "-2147483648", -EOVERFLOW },
		{ "1.0000000001", -EOVERFLOW },
		{ "123456789012345678901234567890", -EOVERFLOW },
		{ "10000000000000000000000000000001", -EOVERFLOW },
		{ "1e31", -ERANGE },
		{ "10e30", -ERANGE },
		{ "1e-31", -ERANGE },
		{ "0.1e-30", -ERANGE },
		{ "1e2147483647", -ERANGE },
		{ "10e2147483647", -ERANGE },
		{ "0.1e-2147483648", -ERANGE },
		{ "1e99999999999999999999", -ERANGE },
	};
	struct zio_channel_core *chan = make_channel(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_STORE(test, chan, "scale", bad[i].text, bad[i].error);
	EXPECT_SHOW(test, chan, "scale", "0.000152588\n");
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_SCALE_MANT), 152588);
}

static void units_have_names(struct kunit *test)
{
	struct zio_channel_core *chan = make_channel(test);

	EXPECT_SHOW(test, chan, "unit", "V\n");
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_UNIT), ZIO_UNIT_V);
	EXPECT_STORE(test, chan, "unit", "%\n", 0);
	EXPECT_SHOW(test, chan, "unit", "%\n");
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_UNIT), ZIO_UNIT_PERCENT);
	EXPECT_STORE(test, chan, "unit", "none", 0);
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_UNIT), ZIO_UNIT_NONE);
	EXPECT_STORE(test, chan, "unit", "mV", -EINVAL);
	EXPECT_STORE(test, chan, "unit", "v", -EINVAL);
	EXPECT_STORE(test, chan, "unit", "1", -EINVAL);
	EXPECT_STORE(test, chan, "unit", "", -EINVAL);
	EXPECT_SHOW(test, chan, "unit", "none\n");
}

static void offset_has_a_sign(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	EXPECT_SHOW(test, chan, "offset", "-5000\n");
	KUNIT_EXPECT_EQ(test, (s32)std_value(chan, ZIO_ATTR_OFFSET), -5000);
	EXPECT_STORE(test, chan, "offset", "-2147483648", 0);
	EXPECT_SHOW(test, chan, "offset", "-2147483648\n");
	EXPECT_STORE(test, chan, "offset", "2147483647\n", 0);
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_OFFSET), 2147483647);
	EXPECT_STORE(test, chan, "offset", "2147483648", -ERANGE);
	EXPECT_STORE(test, chan, "offset", "-2147483649", -ERANGE);
	EXPECT_STORE(test, chan, "offset", "1.5", -EINVAL);
	EXPECT_STORE(test, chan, "offset", "--1", -EINVAL);
	EXPECT_SHOW(test, chan, "offset", "2147483647\n");
	/* It is not the driver's. */
	tdev->attr_error = -EIO;
	EXPECT_STORE(test, chan, "offset", "3", 0);
}

static void driver_attributes_have_signs(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_control ctrl;

	EXPECT_SHOW(test, chan, "level", "-7\n");
	EXPECT_STORE(test, chan, "level", "-100", 0);
	KUNIT_EXPECT_EQ(test, (s32)tdev->attr_value, -100);
	test_read_control(chan, &ctrl);
	KUNIT_EXPECT_EQ(test, (s32)ctrl.attr_channel.ext_val[0], -100);
	EXPECT_STORE(test, chan, "level", "-101", -ERANGE);
	EXPECT_STORE(test, chan, "level", "51", -ERANGE);
	EXPECT_STORE(test, chan, "level", "4294967290", -ERANGE);
	EXPECT_STORE(test, chan, "level", "50", 0);
	EXPECT_SHOW(test, chan, "level", "50\n");
	EXPECT_STORE(test, chan, "gain-factor", "-1", -EINVAL);
}

static void sign_and_type_are_read_only(struct kunit *test)
{
	struct zio_channel_core *chan = make_channel(test);

	EXPECT_SHOW(test, chan, "signed", "1\n");
	EXPECT_STORE(test, chan, "signed", "0", -EIO);
	EXPECT_STORE(test, chan, "type", "x", -EIO);
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_SIGNED), 1);
	KUNIT_EXPECT_STREQ(test, test_show(test, &chan->kobj, "type") + 2, ":s12/16>>0\n");
	KUNIT_EXPECT_EQ(test, test_store_u32(&chan->cset->kobj, "nbits", 14), 0);
	KUNIT_EXPECT_STREQ(test, test_show(test, &chan->kobj, "type") + 2, ":s14/16>>0\n");
	chan = test_device_create(test, ZIO_CSET_MSB_ALIGN, 1)->cset->chan[0];
	KUNIT_EXPECT_STREQ(test, test_show(test, &chan->kobj, "type") + 2, ":s12/16>>4\n");
}

static void driver_changes_the_scale(struct kunit *test)
{
	static const struct zio_scaling amps = {
		.unit = ZIO_UNIT_A, .mant = 1000, .exp = -3, .offset = -1,
	};
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_channel_core **chan = tdev->cset->chan;

	EXPECT_SHOW(test, chan[1], "unit", "K\n");
	EXPECT_STORE(test, chan[1], "unit", "V", -EIO);
	EXPECT_STORE(test, chan[1], "scale", "2", -EIO);
	EXPECT_STORE(test, chan[1], "offset", "2", -EIO);
	tdev->new_scaling = &amps;
	tdev->new_scaling_of = 1;
	EXPECT_STORE(test, chan[1], "gain-factor", "2", 0);
	EXPECT_SHOW(test, chan[0], "unit", "V\n");
	EXPECT_SHOW(test, chan[1], "unit", "A\n");
	EXPECT_SHOW(test, chan[1], "scale", "1.000\n");
	EXPECT_SHOW(test, chan[1], "offset", "-1\n");
	EXPECT_SHOW(test, chan[1], "signed", "0\n");
	KUNIT_EXPECT_EQ(test, std_value(chan[1], ZIO_ATTR_SCALE_MANT), 1000);
	tdev->new_scaling_of = ZIO_ALL_CHANNELS;
	KUNIT_EXPECT_EQ(test, test_store_u32(&tdev->cset->kobj, "nbits", 10), 0);
	EXPECT_SHOW(test, chan[0], "unit", "A\n");
	KUNIT_EXPECT_EQ(test, std_value(chan[0], ZIO_ATTR_UNIT), ZIO_UNIT_A);
}

static void names_have_their_positions(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	EXPECT_SHOW(test, chan, "control-attrs",
		    "std 0 nbits\nstd 1 gain-factor\next 31 threshold\next 0 level signed\n"
		    "std 5 unit\nstd 6 scale-mantissa signed\nstd 7 scale-exponent signed\n"
		    "std 2 offset signed\nstd 8 signed\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, &chan->cset->bind->kobj, "control-attrs"),
			   "std 0 nshots\nstd 1 post-samples\nstd 2 pre-samples\next 31 clock\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, &chan->cset->bind->kobj, "clock-source"),
			   "kernel\n");
	tdev->cset_desc.clock_source = "board";
	KUNIT_EXPECT_STREQ(test, test_show(test, &chan->cset->bind->kobj, "clock-source"),
			   "board\n");
}

static struct kunit_case scale_cases[] = {
	KUNIT_CASE(good_scales_are_exact),
	KUNIT_CASE(bad_scales_change_nothing),
	KUNIT_CASE(units_have_names),
	KUNIT_CASE(offset_has_a_sign),
	KUNIT_CASE(driver_attributes_have_signs),
	KUNIT_CASE(sign_and_type_are_read_only),
	KUNIT_CASE(driver_changes_the_scale),
	KUNIT_CASE(names_have_their_positions),
	{}
};

static struct kunit_suite scale_suite = {
	.name = "zio-scale",
	.init = test_init,
	.exit = test_exit,
	.test_cases = scale_cases,
};

kunit_test_suite(scale_suite);
