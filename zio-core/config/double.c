// SPDX-License-Identifier: GPL-2.0-only
/*
 * double.c: the nearest double of a decimal number, with integers only
 *
 * The number becomes a large integer, exact except for a fraction. 53 bits of the integer
 * remain; the others decide how these are rounded. The fraction decides nothing: a number
 * just above the middle between two doubles already differs from it in the integer.
 * tests/unit/testing/test_double.py proves this for all numbers. So the result is what
 * strtod() returns.
 */
#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/zio-attr.h>

#include "config/internal.h"

/*
 * The integer is digits * 10^exp * 2^(32 * shift). At least 54 bits of it must be left, and
 * all bits must have room. Digits have up to 20 places. So 10^exp is at most 10^280, which
 * has 931 bits, and at least 10^-299, which needs 994 bits in front.
 */
#define LIMBS		36
#define SHIFT_UP	2	/* for an exponent that is not negative */
#define SHIFT_DOWN	33

#define MANT_BITS	53
#define EXP_BIAS	1023

struct large {
	u32 limb[LIMBS];	/* least significant first */
};

static void multiply_by_ten(struct large *num)
{
	u64 carry = 0;
	int i;

	for (i = 0; i < LIMBS; i++) {
		carry += (u64)num->limb[i] * 10;
		num->limb[i] = carry;
		carry >>= 32;
	}
}

static void divide_by_ten(struct large *num)
{
	u32 rest = 0;
	int i;

	for (i = LIMBS - 1; i >= 0; i--)
		num->limb[i] = div_u64_rem((u64)rest << 32 | num->limb[i], 10, &rest);
}

/*
 * Rounds a number to the nearest double, and a tie to the even one. @dec is a number that
 * zio_decimal_fits(). Context: Any. Returns the 64 bits of the double, in the format of
 * IEEE 754.
 */
u64 zio_decimal_to_double(const struct zio_decimal *dec)
{
	int shift = dec->exp < 0 ? SHIFT_DOWN : SHIFT_UP;
	DECLARE_BITMAP(bits, 32 * LIMBS);
	unsigned long i, top, lowest;
	struct large num = { };
	u64 mant = 0, exp;
	s32 tens = dec->exp;

	if (!dec->digits)
		return 0;
	num.limb[shift] = lower_32_bits(dec->digits);
	num.limb[shift + 1] = upper_32_bits(dec->digits);
	for (; tens > 0; tens--)
		multiply_by_ten(&num);
	/* Repeated division gives the same integer as one division by the product. */
	for (; tens < 0; tens++)
		divide_by_ten(&num);
	bitmap_from_arr32(bits, num.limb, 32 * LIMBS);
	top = find_last_bit(bits, 32 * LIMBS);
	lowest = top - MANT_BITS + 1;
	for (i = top; i >= lowest; i--)
		mant = mant << 1 | test_bit(i, bits);
	if (test_bit(lowest - 1, bits))
		mant += mant & 1 || find_first_bit(bits, lowest - 1) < lowest - 1;
	exp = top - 32 * shift + EXP_BIAS;
	/* A carry out of the mantissa clears it, and increments the exponent. */
	return (u64)dec->negative << 63 | ((exp << (MANT_BITS - 1)) + mant -
					   BIT_ULL(MANT_BITS - 1));
}
