/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decimal.h: the scale and offset of IIO as decimal numbers of ZIO
 *
 * IIO uses pairs of integers: a number with a decimal or binary fraction, or a quotient.
 * ZIO uses a 64-bit mantissa and a decimal exponent. A number that needs more digits is
 * rounded to 18, which is more than a double has. A product has at least nine exact digits.
 */
#ifndef _ZIO_IIO_DECIMAL_H
#define _ZIO_IIO_DECIMAL_H

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/types.h>

/* @mant * 10^@exp; @mant is 0, or its last digit is not 0 */
struct ziio_decimal {
	s64 mant;
	int exp;
};

#define ZIIO_MAX_LOG2	59	/* ten times the denominator still fits in 63 bits */
#define ZIIO_MAX_MANT	1000000000000000000ULL

/* @size is less than 2^63. */
static inline struct ziio_decimal ziio_decimal_make(bool negative, u64 size, int exp)
{
	struct ziio_decimal dec;
	u32 digit;

	for (; size; exp++) {
		u64 rest = div_u64_rem(size, 10, &digit);

		if (digit)
			break;
		size = rest;
	}
	dec.mant = negative ? -(s64)size : size;
	dec.exp = size ? exp : 0;
	return dec;
}

/* A number with a decimal fraction: in IIO, the sign may be in either part. */
static inline struct ziio_decimal ziio_decimal_fixed(int whole, int fraction, u32 unit,
						     int exp)
{
	bool negative = whole < 0 || fraction < 0;

	return ziio_decimal_make(negative, (u64)abs((s64)whole) * unit +
				 abs((s64)fraction), exp);
}

/* A quotient, with 18 digits or all it has; @den is at most 2^ZIIO_MAX_LOG2. */
static inline struct ziio_decimal ziio_decimal_quotient(s64 num, u64 den)
{
	u64 rest, quotient = div64_u64_rem(abs(num), den, &rest);
	int exp = 0;

	while (rest && quotient < ZIIO_MAX_MANT / 10) {
		u64 digit = div64_u64_rem(rest * 10, den, &rest);

		quotient = quotient * 10 + digit;
		exp--;
	}
	/* The remainder decides how the last digit is rounded. */
	quotient += rest >= den - rest;
	return ziio_decimal_make(num < 0, quotient, exp);
}

/* Drops the last digit and rounds the others by it. */
static inline void ziio_decimal_shorten(struct ziio_decimal *dec)
{
	dec->mant = div_s64(dec->mant + (dec->mant < 0 ? -5 : 5), 10);
	dec->exp++;
}

/* @a * @b */
static inline struct ziio_decimal ziio_decimal_product(struct ziio_decimal a,
						       struct ziio_decimal b)
{
	s64 mant;

	while (check_mul_overflow(a.mant, b.mant, &mant) || mant == S64_MIN)
		ziio_decimal_shorten(abs(a.mant) > abs(b.mant) ? &a : &b);
	return ziio_decimal_make(mant < 0, abs(mant), a.exp + b.exp);
}

/* @dec as an integer in units of 10^-@places, rounded; false: 64 bits are too few for it */
static inline bool ziio_decimal_to_fixed(struct ziio_decimal dec, int places, s64 *value)
{
	for (dec.exp += places; dec.exp > 0 && dec.mant; dec.exp--)
		if (check_mul_overflow(dec.mant, (s64)10, &dec.mant))
			return false;
	for (; dec.exp < -1 && dec.mant; dec.exp++)
		dec.mant = div_s64(dec.mant, 10);
	if (dec.exp < 0)
		ziio_decimal_shorten(&dec);
	*value = dec.mant;
	return true;
}

#endif /* _ZIO_IIO_DECIMAL_H */
