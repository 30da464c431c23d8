// SPDX-License-Identifier: GPL-2.0-only
/*
 * scale.c: the text of a scale, such as "0.000152588"
 *
 * A scale is a mantissa of 32 bits with a sign, and a decimal exponent. Both directions
 * are exact: a text that a scale cannot hold is refused and not rounded.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>
#include <linux/zio-attr.h>

#include "config/internal.h"

/* Numbers without an exponent: "1000000000", "0.000000000001" */
#define LARGEST_PLAIN	9
#define SMALLEST_PLAIN	(-12)

/* The digits that were read: @mant * 10^(@zeros - @fraction). */
struct decimal {
	u32 mant;		/* does not end with 0 */
	unsigned int zeros;	/* at its end */
	unsigned int digits;
	unsigned int fraction;	/* digits after the point */
	bool overflow;
};

static void append_digit(struct decimal *dec, unsigned int digit)
{
	u64 mant = dec->mant;

	dec->digits++;
	if (!digit) {
		dec->zeros += !!dec->mant;
		return;
	}
	for (dec->zeros++; dec->zeros && mant <= S32_MAX; dec->zeros--)
		mant *= 10;
	mant += digit;
	if (mant > S32_MAX)
		dec->overflow = true;
	else
		dec->mant = mant;
	dec->zeros = 0;
}

static const char *parse_digits(struct decimal *dec, const char *text)
{
	for (; isdigit(*text); text++)
		append_digit(dec, *text - '0');
	return text;
}

static const char *parse_decimal(struct decimal *dec, const char *text)
{
	unsigned int whole;

	text = parse_digits(dec, text);
	if (*text != '.')
		return text;
	whole = dec->digits;
	text = parse_digits(dec, text + 1);
	dec->fraction = dec->digits - whole;
	return text;
}

/* Reads what follows the digits: nothing, or an exponent. */
static int parse_exponent(const char *text, s32 *exp)
{
	*exp = 0;
	if (*text == 'e' || *text == 'E')
		return kstrtos32(text + 1, 10, exp);
	return *text && strcmp(text, "\n") ? -EINVAL : 0;
}

/**
 * zio_scale_parse() - read a decimal number
 * @text: "0.001", "-2.5e-3" or "1000", and perhaps a newline
 * @mant: receives the mantissa, which does not end with 0
 * @exp: receives the decimal exponent
 *
 * Context: Any.
 *
 * Return: 0; -EINVAL for text that is not a number; -EDOM for zero; -EOVERFLOW for more
 * digits than a mantissa of 32 bits holds; -ERANGE for an exponent beyond
 * ZIO_SCALE_MAX_EXP. An error leaves @mant and @exp as they are.
 */
int zio_scale_parse(const char *text, s32 *mant, s32 *exp)
{
	bool negative = *text == '-';
	struct decimal dec = { };
	s64 sum;
	s32 tens;
	int ret;

	text = parse_decimal(&dec, text + (negative || *text == '+'));
	if (!dec.digits)
		return -EINVAL;
	ret = parse_exponent(text, &tens);
	if (ret)
		return ret;
	if (dec.overflow)
		return -EOVERFLOW;
	if (!dec.mant)
		return -EDOM;
	sum = (s64)tens + dec.zeros - dec.fraction;
	if (abs(sum) > ZIO_SCALE_MAX_EXP)
		return -ERANGE;
	*mant = negative ? -(s32)dec.mant : dec.mant;
	*exp = sum;
	return 0;
}

/**
 * zio_scale_print() - print a scale, so that zio_scale_parse() reads the same
 * @page: a page of sysfs for the text
 * @mant: its mantissa
 * @exp: its decimal exponent
 *
 * Context: Process.
 *
 * Return: the length of the text.
 */
ssize_t zio_scale_print(char *page, s32 mant, s32 exp)
{
	const char *sign = mant < 0 ? "-" : "";
	u32 size = abs((s64)mant), power = 1;
	char digits[LARGEST_PLAIN + 12];
	int len, point;

	if (exp > LARGEST_PLAIN || exp < SMALLEST_PLAIN)
		return sysfs_emit(page, "%de%d\n", mant, exp);
	if (exp >= 0) {
		while (exp--)
			power *= 10;
		return sysfs_emit(page, "%s%llu\n", sign, (u64)size * power);
	}
	/* At least one digit stands before the point. */
	len = scnprintf(digits, sizeof(digits), "%0*u", 1 - exp, size);
	point = len + exp;
	return sysfs_emit(page, "%s%.*s.%s\n", sign, point, digits, digits + point);
}
