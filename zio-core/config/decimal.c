// SPDX-License-Identifier: GPL-2.0-only
/*
 * decimal.c: decimal numbers as text, such as "0.0000762939453125"
 *
 * A number has up to 19 digits, and an exponent. Text and number are equal: a text with
 * more digits is refused, not rounded. So sysfs shows what a user has written.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/sysfs.h>
#include <linux/zio-attr.h>

#include "config/internal.h"

/* The numbers printed without an exponent: "1000000000", "0.000000000001" */
#define LARGEST_PLAIN	9
#define SMALLEST_PLAIN	(-12)

/*
 * Reads digits and a point, and drops the zeros at both ends. Returns what follows, or NULL
 * if there is no digit.
 */
static const char *parse_digits(const char *text, struct zio_decimal *dec, bool *overflow)
{
	bool has_digits = false, in_fraction = false;
	u64 zeros = 0; /* since the last other digit */

	for (; isdigit(*text) || (*text == '.' && !in_fraction); text++) {
		if (*text == '.') {
			in_fraction = true;
			continue;
		}
		has_digits = true;
		dec->exp -= in_fraction;
		if (*text == '0') {
			zeros += !!dec->digits;
			continue;
		}
		for (zeros++; zeros; zeros--)
			*overflow |= check_mul_overflow(dec->digits, 10ULL, &dec->digits);
		*overflow |= check_add_overflow(dec->digits, *text - '0' + 0ULL, &dec->digits);
	}
	dec->exp += zeros;
	return has_digits ? text : NULL;
}

static bool exp_fits(s64 exp, u64 digits)
{
	while (digits >= 10) {
		digits = div_u64(digits, 10);
		exp++;
	}
	return !digits || abs(exp) <= ZIO_DOUBLE_MAX_EXP;
}

/*
 * Reads a number: "0.001", "-2.5e-3" or "1000", with or without a newline. Context: Any.
 * Returns 0; -EINVAL for text that is not a number; -EOVERFLOW if the digits, without zeros
 * at both ends, are 2^64 or more; -ERANGE for a magnitude beyond 10^ZIO_DOUBLE_MAX_EXP or
 * below its inverse. On error @dec is unchanged.
 */
int zio_decimal_parse(const char *text, struct zio_decimal *dec)
{
	struct zio_decimal new = { .negative = *text == '-' };
	bool overflow = false;
	s32 tens = 0;
	s64 exp;
	int ret = 0;

	text = parse_digits(text + (new.negative || *text == '+'), &new, &overflow);
	if (!text)
		return -EINVAL;
	if (*text == 'e' || *text == 'E')
		ret = kstrtos32(text + 1, 10, &tens);
	else if (*text && strcmp(text, "\n"))
		ret = -EINVAL;
	if (ret)
		return ret;
	if (overflow)
		return -EOVERFLOW;
	exp = (s64)tens + new.exp;
	if (!exp_fits(exp, new.digits))
		return -ERANGE;
	new.exp = new.digits ? exp : 0;
	new.negative &= !!new.digits;
	*dec = new;
	return 0;
}

/* Returns the number @mant * 10^@exp. @mant is not S64_MIN. */
struct zio_decimal zio_decimal_make(s64 mant, s32 exp)
{
	struct zio_decimal dec = { .digits = abs(mant), .negative = mant < 0 };
	u32 last = 0;

	for (; dec.digits; exp++) {
		u64 rest = div_u64_rem(dec.digits, 10, &last);

		if (last)
			break;
		dec.digits = rest;
	}
	dec.exp = dec.digits ? exp : 0;
	return dec;
}

/* Returns true if the magnitude of the number fits a double. */
bool zio_decimal_fits(const struct zio_decimal *dec)
{
	return exp_fits(dec->exp, dec->digits);
}

/* Prints a number so that zio_decimal_parse() reads it back. Returns the length. */
ssize_t zio_decimal_print(char *page, const struct zio_decimal *dec)
{
	static const char zeros[] = "00000000000";
	const char *sign = dec->negative ? "-" : "";
	char digits[24];
	int len = scnprintf(digits, sizeof(digits), "%llu", dec->digits);
	int size = dec->exp + len - 1;	/* 10^size is the place of the first digit */

	if (dec->exp >= 0 && dec->exp <= LARGEST_PLAIN)
		return sysfs_emit(page, "%s%s%.*s\n", sign, digits, dec->exp, zeros);
	if (dec->exp < 0 && size >= 0)
		return sysfs_emit(page, "%s%.*s.%s\n", sign, size + 1, digits,
				  digits + size + 1);
	if (dec->exp < 0 && size >= SMALLEST_PLAIN)
		return sysfs_emit(page, "%s0.%.*s%s\n", sign, -size - 1, zeros, digits);
	return sysfs_emit(page, "%s%c%s%se%d\n", sign, *digits, digits[1] ? "." : "",
			  digits + 1, size);
}
