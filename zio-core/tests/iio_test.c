// SPDX-License-Identifier: GPL-2.0-only
/* iio_test.c: samples and scales of IIO devices, as the driver zio-iio converts them */
#include <linux/prandom.h>

#include "../../drivers/iio/convert.h"
#include "../../drivers/iio/decimal.h"
#include "test-device.h"

#ifdef __BIG_ENDIAN
#define OTHER_ENDIAN false
#else
#define OTHER_ENDIAN true
#endif

static u64 convert(const void *scan, unsigned int bytes, unsigned int realbits,
		   unsigned int shift, bool is_signed, bool big)
{
	struct ziio_field field = { .is_signed = is_signed };
	u8 sample[8] __aligned(8) = { };

	field.swap = big == OTHER_ENDIAN;
	ziio_field_init(&field, bytes, realbits, shift);
	ziio_convert(&field, scan, sample);
	switch (bytes) {
	case 1:
		return sample[0];
	case 2:
		return *(u16 *)sample;
	case 4:
		return *(u32 *)sample;
	default:
		return *(u64 *)sample;
	}
}

static void formats_become_numbers(struct kunit *test)
{
	static const u8 be[] = { 0xf1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	static const u8 le[] = { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0xf1 };

	KUNIT_EXPECT_EQ(test, convert(be, 1, 8, 0, false, true), 0xf1);
	KUNIT_EXPECT_EQ(test, convert(be, 1, 4, 4, false, true), 0xf);
	KUNIT_EXPECT_EQ(test, convert(be, 1, 4, 4, true, true), 0xff);
	KUNIT_EXPECT_EQ(test, convert(be, 2, 12, 4, false, true), 0xf12);
	KUNIT_EXPECT_EQ(test, convert(be, 2, 12, 4, true, true), 0xff12);
	KUNIT_EXPECT_EQ(test, convert(be, 2, 12, 0, true, true), 0x123);
	KUNIT_EXPECT_EQ(test, convert(le, 2, 12, 0, true, false), 0xfdef);
	KUNIT_EXPECT_EQ(test, convert(be, 4, 24, 8, true, true), 0xfff12345);
	KUNIT_EXPECT_EQ(test, convert(be, 4, 24, 0, false, true), 0x234567);
	KUNIT_EXPECT_EQ(test, convert(be, 8, 64, 0, false, true), 0xf123456789abcdef);
	KUNIT_EXPECT_EQ(test, convert(le, 8, 64, 0, true, false), 0xf123456789abcdef);
	KUNIT_EXPECT_EQ(test, convert(be, 8, 40, 24, true, true), 0xfffffff123456789);
	KUNIT_EXPECT_EQ(test, convert(be, 8, 1, 63, true, true), U64_MAX);
}

/* Any number survives, in a field of any kind, with any noise around it. */
static void noise_is_masked(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 3);
	for (i = 0; i < 20000; i++) {
		unsigned int bytes = BIT(prandom_u32_state(&rnd) % 4), size = bytes * 8;
		unsigned int real = 1 + prandom_u32_state(&rnd) % size;
		unsigned int shift = prandom_u32_state(&rnd) % (size - real + 1);
		u64 mask = GENMASK_ULL(size - 1, 0), valid = GENMASK_ULL(real - 1, 0);
		u64 noise = ((u64)prandom_u32_state(&rnd) << 32) | prandom_u32_state(&rnd);
		bool is_signed = prandom_u32_state(&rnd) & 1;
		u64 number = noise * 0x9e3779b97f4a7c15 & valid, wanted = number;
		u64 field = (noise & ~(valid << shift)) | number << shift;
		u8 scan[8];

		if (is_signed && number & BIT_ULL(real - 1))
			wanted |= ~valid;
		field <<= 64 - size;
		field = (__force u64)cpu_to_be64(field);
		memcpy(scan, &field, sizeof(scan));
		KUNIT_ASSERT_TRUE(test, ziio_field_is_valid(bytes, real, shift));
		KUNIT_ASSERT_EQ(test, convert(scan, bytes, real, shift, is_signed, true),
				wanted & mask);
	}
}

static void bad_fields_are_known(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ziio_field_is_valid(3, 24, 0));
	KUNIT_EXPECT_FALSE(test, ziio_field_is_valid(16, 64, 0));
	KUNIT_EXPECT_FALSE(test, ziio_field_is_valid(2, 0, 0));
	KUNIT_EXPECT_FALSE(test, ziio_field_is_valid(2, 12, 5));
	KUNIT_EXPECT_TRUE(test, ziio_field_is_valid(2, 12, 4));
}

static void fill_fields(struct ziio_field *field, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		field[i] = (struct ziio_field){ .offset = 4 + 2 * i };
		ziio_field_init(&field[i], 2, 16, 0);
	}
}

static void plain_scans_are_known(struct kunit *test)
{
	struct ziio_field field[3];

	fill_fields(field, 3);
	KUNIT_EXPECT_TRUE(test, ziio_fields_are_plain(field, 3));
	field[1].swap = true;
	KUNIT_EXPECT_FALSE(test, ziio_fields_are_plain(field, 3));
	fill_fields(field, 3);
	field[2].offset += 2;
	KUNIT_EXPECT_FALSE(test, ziio_fields_are_plain(field, 3));
	fill_fields(field, 3);
	ziio_field_init(&field[2], 2, 15, 0);
	KUNIT_EXPECT_FALSE(test, ziio_fields_are_plain(field, 3));
	fill_fields(field, 1);
	field->swap = true;
	ziio_field_init(field, 1, 8, 0);
	KUNIT_EXPECT_TRUE(test, ziio_fields_are_plain(field, 1));
}

static void mask_chooses_fields(struct kunit *test)
{
	static const u16 scan[] = { 0, 0, 11, 22, 33 };
	struct ziio_field field[3];
	u16 sample[4] = { };

	fill_fields(field, 3);
	ziio_convert_scan(field, 5, scan, sample);
	KUNIT_EXPECT_EQ(test, sample[0], 11);
	KUNIT_EXPECT_EQ(test, sample[1], 33);
	KUNIT_EXPECT_EQ(test, sample[2], 0);
}

static void expect_decimal(struct kunit *test, struct ziio_decimal dec, s64 mant, int exp)
{
	KUNIT_EXPECT_EQ(test, dec.mant, mant);
	KUNIT_EXPECT_EQ(test, dec.exp, exp);
}

static void numbers_become_decimal(struct kunit *test)
{
	expect_decimal(test, ziio_decimal_make(false, 0, 5), 0, 0);
	expect_decimal(test, ziio_decimal_make(true, 1200, 0), -12, 2);
	expect_decimal(test, ziio_decimal_make(false, S32_MAX, 0), S32_MAX, 0);
	expect_decimal(test, ziio_decimal_make(false, S64_MAX, 0), S64_MAX, 0);
	expect_decimal(test, ziio_decimal_make(true, 90000000000, 0), -9, 10);
	expect_decimal(test, ziio_decimal_fixed(0, 598550, 1000000000, -9), 59855, -8);
	expect_decimal(test, ziio_decimal_fixed(0, -500000, 1000000, -6), -5, -1);
	expect_decimal(test, ziio_decimal_fixed(-2, 500000, 1000000, -6), -25, -1);
	expect_decimal(test, ziio_decimal_quotient(1, 2), 5, -1);
	expect_decimal(test, ziio_decimal_quotient(-4096, 4096), -1, 0);
	expect_decimal(test, ziio_decimal_quotient(1, 3), 333333333333333333, -18);
	expect_decimal(test, ziio_decimal_quotient(-2, 3), -666666666666666667, -18);
	expect_decimal(test, ziio_decimal_quotient(2500, 4096), 6103515625, -10);
	expect_decimal(test, ziio_decimal_quotient(2500, BIT_ULL(15)), 762939453125, -13);
	expect_decimal(test, ziio_decimal_quotient(1, BIT_ULL(ZIIO_MAX_LOG2)),
		       173472347597680709, -35);
}

static void offsets_are_products(struct kunit *test)
{
	struct ziio_decimal large = ziio_decimal_make(true, 999999999999999999, -18);

	expect_decimal(test, ziio_decimal_product(ziio_decimal_make(true, 10, 0),
						  ziio_decimal_make(false, 5, -1)), -5, 0);
	expect_decimal(test, ziio_decimal_product(ziio_decimal_make(false, 101325, 3),
						  ziio_decimal_make(false, 1, -9)), 101325, -6);
	/* A product that is too long loses digits at its end. */
	expect_decimal(test, ziio_decimal_product(large, large), 1, 0);
	expect_decimal(test, ziio_decimal_product(large, ziio_decimal_make(false, 3, 0)),
		       -2999999999999999997, -18);
	expect_decimal(test, ziio_decimal_product(large, ziio_decimal_make(false, 0, 0)), 0, 0);
}

static s64 to_nano(s64 mant, int exp)
{
	struct ziio_decimal dec = ziio_decimal_make(mant < 0, abs(mant), exp);
	s64 value;

	return ziio_decimal_to_fixed(dec, 9, &value) ? value : S64_MIN;
}

static void processed_values_become_fixed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, to_nano(0, 0), 0);
	KUNIT_EXPECT_EQ(test, to_nano(5025, -2), 50250000000);
	KUNIT_EXPECT_EQ(test, to_nano(-5025, -2), -50250000000);
	KUNIT_EXPECT_EQ(test, to_nano(S32_MAX, 0), S32_MAX * 1000000000ll);
	KUNIT_EXPECT_EQ(test, to_nano(9, 10), S64_MIN);
	/* A digit behind the last one rounds it, and the digits behind that do not. */
	KUNIT_EXPECT_EQ(test, to_nano(15, -10), 2);
	KUNIT_EXPECT_EQ(test, to_nano(-15, -10), -2);
	KUNIT_EXPECT_EQ(test, to_nano(1449999, -15), 1);
	KUNIT_EXPECT_EQ(test, to_nano(333333333333333333, -18), 333333333);
	KUNIT_EXPECT_EQ(test, to_nano(1, -35), 0);
}

static struct kunit_case iio_cases[] = {
	KUNIT_CASE(formats_become_numbers),
	KUNIT_CASE(noise_is_masked),
	KUNIT_CASE(bad_fields_are_known),
	KUNIT_CASE(plain_scans_are_known),
	KUNIT_CASE(mask_chooses_fields),
	KUNIT_CASE(numbers_become_decimal),
	KUNIT_CASE(offsets_are_products),
	KUNIT_CASE(processed_values_become_fixed),
	{ }
};

static struct kunit_suite iio_suite = {
	.name = "zio-iio",
	.test_cases = iio_cases,
};

kunit_test_suite(iio_suite);
