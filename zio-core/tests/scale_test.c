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

/* The 64 bits of a double, whose low half is at @index */
static u64 double_value(struct zio_channel_core *chan, unsigned int index)
{
	return std_value(chan, index) | (u64)std_value(chan, index + 1) << 32;
}

static void expect_show(struct kunit *test, struct zio_channel_core *chan, const char *name,
			const char *wanted)
{
	KUNIT_EXPECT_STREQ_MSG(test, test_show(test, &chan->kobj, name), wanted, "%s", name);
}

static void expect_store(struct kunit *test, struct zio_channel_core *chan, const char *name,
			 const char *text, int ret)
{
	KUNIT_EXPECT_EQ_MSG(test, test_store(&chan->kobj, name, text), ret,
			    "%s = \"%s\"", name, text);
}

/* A scale that is read back is the same number, in its shortest form. */
static void good_scales_are_exact(struct kunit *test)
{
	static const struct {
		const char *text, *shown;
	} good[] = {
		{ "0.000152588", "0.000152588\n" },
		{ "1", "1\n" },
		{ "1\n", "1\n" },
		{ "+1.50", "1.5\n" },
		{ "-2.5e-3\n", "-0.0025\n" },
		{ "007", "7\n" },
		{ ".5", "0.5\n" },
		{ "5.", "5\n" },
		{ "1000", "1000\n" },
		{ "1000000000", "1000000000\n" },
		{ "20000000000", "2e10\n" },
		{ "2147483647", "2147483647\n" },
		{ "-2147483647", "-2147483647\n" },
		{ "2147483647000", "2147483647000\n" },
		{ "1.000000001", "1.000000001\n" },
		{ "0.000000000001", "0.000000000001\n" },
		{ "12e-13", "0.0000000000012\n" },
		{ "12e-14", "1.2e-13\n" },
		{ "-120e9", "-1.2e11\n" },
		{ "0.0000762939453125", "0.0000762939453125\n" },
		{ "1.23456789012", "1.23456789012\n" },
		{ "2147483648", "2147483648\n" },
		{ "18446744073709551615", "18446744073709551615\n" },
		{ "1.8446744073709551615e-5", "0.000018446744073709551615\n" },
		{ "99999999999", "99999999999\n" },
		{ "1E+30", "1e30\n" },
		{ "1e-30", "1e-30\n" },
		{ "0.1e-29", "1e-30\n" },
		{ "100e-32", "1e-30\n" },
		{ "1.00000000000000000000000000", "1\n" },
		{ "0.00000000000000000000000000001e30", "10\n" },
	};
	struct zio_channel_core *chan = make_channel(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		expect_store(test, chan, "scale", good[i].text, 0);
		expect_show(test, chan, "scale", good[i].shown);
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
		{ "18446744073709551616", -EOVERFLOW },
		{ "-36893488147419103233", -EOVERFLOW },
		{ "1.00000000000000000001", -EOVERFLOW },
		{ "123456789012345678901234567890", -EOVERFLOW },
		{ "10000000000000000000000000000001", -EOVERFLOW },
		{ "1e281", -ERANGE },
		{ "10e280", -ERANGE },
		{ "9e-281", -ERANGE },
		{ "0.1e-280", -ERANGE },
		{ "1e2147483647", -ERANGE },
		{ "10e2147483647", -ERANGE },
		{ "0.1e-2147483648", -ERANGE },
		{ "1e99999999999999999999", -ERANGE },
	};
	struct zio_channel_core *chan = make_channel(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		expect_store(test, chan, "scale", bad[i].text, bad[i].error);
	expect_show(test, chan, "scale", "0.000152588\n");
	KUNIT_EXPECT_EQ(test, double_value(chan, ZIO_ATTR_SCALE_LOW), 0x3f240000f084a6b2);
}

/* The bits are those of strtod(). */
static void numbers_become_the_nearest_double(struct kunit *test)
{
	static const struct {
		const char *text;
		u64 bits;
	} exact[] = {
		{ "1", 0x3ff0000000000000 },
		{ "-2.5", 0xc004000000000000 },
		{ "0.1", 0x3fb999999999999a },
		{ "0.0000762939453125", 0x3f14000000000000 },
		{ "2.384185791015625e-7", 0x3e90000000000000 },
		{ "3.14159265358979", 0x400921fb54442d11 },
		{ "101325", 0x40f8bcd000000000 },
		{ "1e-9", 0x3e112e0be826d695 },
		{ "9007199254740991", 0x433fffffffffffff },
		{ "9007199254740993", 0x4340000000000000 },
		{ "9007199254740995", 0x4340000000000002 },
		{ "9007199254740997", 0x4340000000000002 },
		{ "18014398509481983", 0x4350000000000000 },
		{ "18014398509481985", 0x4350000000000000 },
		{ "18014398509481986", 0x4350000000000000 },
		{ "18446744073709551615", 0x43f0000000000000 },
		{ "18446744073709549568", 0x43efffffffffffff },
		{ "18446744073709550592", 0x43f0000000000000 },
		{ "18446744073709550591", 0x43efffffffffffff },
		{ "1e22", 0x4480f0cf064dd592 },
		{ "1e23", 0x44b52d02c7e14af6 },
		{ "8.5e22", 0x44b1ffdbf6b2b2eb },
		{ "9e280", 0x7a43d51bf35c01fe },
		{ "9.999999999999999999e280", 0x7a46093b802d578c },
		{ "1e-280", 0x05cd0b15a491eb84 },
		{ "1.000000000000000001e-280", 0x05cd0b15a491eb84 },
		{ "1.8446744073709551615e-280", 0x05dac9a7b3b7302f },
		/* Above the middle: only the lowest 32 bits of the large integer say so. */
		{ "126488544924633766e-297", 0x05d25e43df48ae31 },
		{ "7.2057594037927933e16", 0x4370000000000000 },
		{ "6.631236846766476e-37", 0x386c34c70a777a4d },
		{ "4.656612873077392578e-10", 0x3e00000000000000 },
		{ "1.7976931348623157e200", 0x6982c9d0b1923744 },
		{ "5e-200", 0x168e9e369aa2b597 },
		{ "2.2250738585072011e-100", 0x2b3f25c186a6f04b },
		{ "-123456789012345678e-30", 0xbd415fffe541dec4 },
		{ "1.000000000000000222", 0x3ff0000000000001 },
		{ "1.000000000000000111", 0x3ff0000000000000 },
		{ "4503599627370497.5", 0x4330000000000002 },
		{ "4503599627370496.5", 0x4330000000000000 },
		{ "2251799813685249.25", 0x4320000000000002 },
		{ "562949953421312.0625", 0x4300000000000000 },
		{ "562949953421312.1875", 0x4300000000000002 },
	};
	struct zio_channel_core *chan = make_channel(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(exact); i++) {
		expect_store(test, chan, "scale", exact[i].text, 0);
		expect_store(test, chan, "offset", exact[i].text, 0);
		KUNIT_EXPECT_EQ_MSG(test, double_value(chan, ZIO_ATTR_SCALE_LOW),
				    exact[i].bits, "scale %s", exact[i].text);
		KUNIT_EXPECT_EQ_MSG(test, double_value(chan, ZIO_ATTR_OFFSET_LOW),
				    exact[i].bits, "offset %s", exact[i].text);
	}
}

static void units_have_names(struct kunit *test)
{
	struct zio_channel_core *chan = make_channel(test);

	expect_show(test, chan, "unit", "V\n");
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_UNIT), ZIO_UNIT_V);
	expect_store(test, chan, "unit", "%\n", 0);
	expect_show(test, chan, "unit", "%\n");
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_UNIT), ZIO_UNIT_PERCENT);
	expect_store(test, chan, "unit", "none", 0);
	KUNIT_EXPECT_EQ(test, std_value(chan, ZIO_ATTR_UNIT), ZIO_UNIT_NONE);
	expect_store(test, chan, "unit", "mV", -EINVAL);
	expect_store(test, chan, "unit", "v", -EINVAL);
	expect_store(test, chan, "unit", "1", -EINVAL);
	expect_store(test, chan, "unit", "", -EINVAL);
	expect_show(test, chan, "unit", "none\n");
}

static void offset_is_in_the_unit(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	expect_show(test, chan, "offset", "-0.005\n");
	KUNIT_EXPECT_EQ(test, double_value(chan, ZIO_ATTR_OFFSET_LOW), 0xbf747ae147ae147b);
	expect_store(test, chan, "offset", "101325", 0);
	expect_show(test, chan, "offset", "101325\n");
	expect_store(test, chan, "offset", "-1.5e-9\n", 0);
	expect_show(test, chan, "offset", "-0.0000000015\n");
	expect_store(test, chan, "offset", "1.5.", -EINVAL);
	expect_store(test, chan, "offset", "--1", -EINVAL);
	expect_store(test, chan, "offset", "0x10", -EINVAL);
	expect_store(test, chan, "offset", "1e281", -ERANGE);
	expect_store(test, chan, "offset", "18446744073709551617", -EOVERFLOW);
	expect_show(test, chan, "offset", "-0.0000000015\n");
	expect_store(test, chan, "offset", "-0.0", 0);
	expect_show(test, chan, "offset", "0\n");
	KUNIT_EXPECT_EQ(test, double_value(chan, ZIO_ATTR_OFFSET_LOW), 0);
	/* It is not the driver's. */
	tdev->attr_error = -EIO;
	expect_store(test, chan, "offset", "3", 0);
}

static void driver_attributes_have_signs(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_control ctrl;

	expect_show(test, chan, "level", "-7\n");
	expect_store(test, chan, "level", "-100", 0);
	KUNIT_EXPECT_EQ(test, (s32)tdev->attr_value, -100);
	test_read_control(chan, &ctrl);
	KUNIT_EXPECT_EQ(test, (s32)ctrl.attr_channel.ext_val[0], -100);
	expect_store(test, chan, "level", "-101", -ERANGE);
	expect_store(test, chan, "level", "51", -ERANGE);
	expect_store(test, chan, "level", "4294967290", -ERANGE);
	expect_store(test, chan, "level", "50", 0);
	expect_show(test, chan, "level", "50\n");
	expect_store(test, chan, "gain-factor", "-1", -EINVAL);
}

static void sign_and_type_are_read_only(struct kunit *test)
{
	struct zio_channel_core *chan = make_channel(test);

	expect_show(test, chan, "signed", "1\n");
	expect_store(test, chan, "signed", "0", -EIO);
	expect_store(test, chan, "type", "x", -EIO);
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
		.unit = ZIO_UNIT_A, .mant = 762939453125, .exp = -16,
		.offset = -15, .offset_exp = 6,
	};
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_channel_core **chan = tdev->cset->chan;

	expect_show(test, chan[1], "unit", "K\n");
	expect_store(test, chan[1], "unit", "V", -EIO);
	expect_store(test, chan[1], "scale", "2", -EIO);
	expect_store(test, chan[1], "offset", "2", -EIO);
	tdev->new_scaling = &amps;
	tdev->new_scaling_of = 1;
	expect_store(test, chan[1], "gain-factor", "2", 0);
	expect_show(test, chan[0], "unit", "V\n");
	expect_show(test, chan[1], "unit", "A\n");
	expect_show(test, chan[1], "scale", "0.0000762939453125\n");
	expect_show(test, chan[1], "offset", "-15\n");
	expect_show(test, chan[1], "signed", "0\n");
	KUNIT_EXPECT_EQ(test, double_value(chan[1], ZIO_ATTR_SCALE_LOW),
			0x3f14000000000000);
	KUNIT_EXPECT_EQ(test, double_value(chan[1], ZIO_ATTR_OFFSET_LOW),
			0xc02e000000000000);
	tdev->new_scaling_of = ZIO_ALL_CHANNELS;
	KUNIT_EXPECT_EQ(test, test_store_u32(&tdev->cset->kobj, "nbits", 10), 0);
	expect_show(test, chan[0], "unit", "A\n");
	KUNIT_EXPECT_EQ(test, std_value(chan[0], ZIO_ATTR_UNIT), ZIO_UNIT_A);
}

static void names_have_their_positions(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	expect_show(test, chan, "control-attrs",
		    "std 0 nbits\nstd 1 gain-factor\next 31 threshold\next 0 level signed\n"
		    "std 5 unit\nstd 8 signed\nstd 9 scale-low\nstd 10 scale-high\n"
		    "std 11 offset-low\nstd 12 offset-high\n");
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
	KUNIT_CASE(numbers_become_the_nearest_double),
	KUNIT_CASE(units_have_names),
	KUNIT_CASE(offset_is_in_the_unit),
	KUNIT_CASE(driver_attributes_have_signs),
	KUNIT_CASE(sign_and_type_are_read_only),
	KUNIT_CASE(driver_changes_the_scale),
	KUNIT_CASE(names_have_their_positions),
	{}
};

TEST_SUITE("zio-scale", scale_cases);
