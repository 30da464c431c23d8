/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decimal.h: the scale and the offset of IIO as the decimal numbers of ZIO
 *
 * IIO has pairs of integers: with a decimal or binary fraction, or a quotient. ZIO has a
 * mantissa of 32 bits and a decimal exponent. A number that needs more digits is rounded
 * to at least nine of them.
 */
#ifndef _ZIO_IIO_DECIMAL_H
#define _ZIO_IIO_DECIMAL_H

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/types.h>

/* @mant * 10^@exp; @mant is 0, or does not end with the digit 0 */
struct ziio_decimal {
	s32 mant;
	int exp;
};

#define ZIIO_MAX_LOG2	59	/* ten times the denominator still has 63 bits */

static inline struct ziio_decimal ziio_decimal_make(bool negative, u64 size, int exp)
{
	struct ziio_decimal dec;
	u32 digit = 0;

	while (size > S32_MAX) {
		size = div_u64_rem(size, 10, &digit);
		exp++;
		/* The last digit that is dropped decides. */
		if (size <= S32_MAX && digit >= 5)
			size++;
	}
	for (; size; exp++) {
		u64 rest = div_u64_rem(size, 10, &digit);

		if (digit)
			break;
		size = rest;
	}
	dec.mant = negative ? -(s32)size : size;
	dec.exp = size ? exp : 0;
	return dec;
}

/* A number with a decimal fraction: IIO has the sign in either part. */
static inline struct ziio_decimal ziio_decimal_fixed(int whole, int fraction, u32 unit,
						     int exp)
{
	bool negative = whole < 0 || fraction < 0;

	return ziio_decimal_make(negative, (u64)abs((s64)whole) * unit +
				 abs((s64)fraction), exp);
}

/* A quotient, with ten digits or all that it has; @den is at most 2^ZIIO_MAX_LOG2. */
static inline struct ziio_decimal ziio_decimal_quotient(s64 num, u64 den)
{
	u64 rest, quotient = div64_u64_rem(abs(num), den, &rest);
	int exp = 0;

	while (rest && quotient < 10ULL * S32_MAX) {
		u64 digit = div64_u64_rem(rest * 10, den, &rest);

		quotient = quotient * 10 + digit;
		exp--;
		if (exp < -60)
			break;
	}
	return ziio_decimal_make(num < 0, quotient, exp);
}

/* @a * @b */
static inline struct ziio_decimal ziio_decimal_product(struct ziio_decimal a,
						       struct ziio_decimal b)
{
	s64 mant = (s64)a.mant * b.mant;

	return ziio_decimal_make(mant < 0, abs(mant), a.exp + b.exp);
}

/**
 * ziio_decimal_to_s32() - round a number to an integer
 * @dec: the number
 * @exp: the result is in units of 10^@exp
 * @value: receives the integer
 *
 * Context: Any.
 *
 * Return: false if the integer is too large for 32 bits.
 */
static inline bool ziio_decimal_to_s32(struct ziio_decimal dec, int exp, s32 *value)
{
	s64 size = abs((s64)dec.mant);
	int shift = dec.exp - exp;

	for (; shift > 0 && size; shift--) {
		size *= 10;
		if (size > S32_MAX)
			return false;
	}
	for (; shift < -1 && size; shift++)
		size = div_s64(size, 10);
	if (shift < 0)
		size = div_s64(size + 5, 10);
	*value = dec.mant < 0 ? -(s32)size : size;
	return true;
}

#endif /* _ZIO_IIO_DECIMAL_H */
