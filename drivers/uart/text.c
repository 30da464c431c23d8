// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c: lines of decimal numbers to samples
 *
 * The kernel has no floating point. A number becomes an integer mantissa and a decimal
 * exponent, and their product with 10^decimals, rounded, is the sample.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>

#include "frame.h"

#define TEXT_MAX_MANT	(U64_MAX / 10 - 1)	/* one more digit fits */
#define TEXT_MAX_EXP	(2 * UART_MAX_SIZE)	/* more than the digits of a line can undo */

/* The rest of a line */
struct text {
	const u8 *pos;
	const u8 *end;
};

static bool text_is_blank(u8 byte)
{
	return byte == ' ' || byte == '\t';
}

static bool text_has(const struct text *text, u8 byte)
{
	return text->pos < text->end && *text->pos == byte;
}

static bool text_has_digit(const struct text *text)
{
	return text->pos < text->end && isdigit(*text->pos);
}

static void text_skip_blanks(struct text *text)
{
	while (text->pos < text->end && text_is_blank(*text->pos))
		text->pos++;
}

static bool text_read_sign(struct text *text)
{
	bool is_negative = text_has(text, '-');

	if (is_negative || text_has(text, '+'))
		text->pos++;
	return is_negative;
}

/* "e-3", or nothing: then @exp stays. A value beyond TEXT_MAX_EXP has the effect of it. */
static int text_read_exponent(struct text *text, int *exp)
{
	bool is_negative;
	int n = 0;

	if (!text_has(text, 'e') && !text_has(text, 'E'))
		return 0;
	text->pos++;
	is_negative = text_read_sign(text);
	if (!text_has_digit(text))
		return -EINVAL;
	for (; text_has_digit(text); text->pos++)
		if (n < TEXT_MAX_EXP)
			n = 10 * n + *text->pos - '0';
	*exp += is_negative ? -n : n;
	return 0;
}

/* @mant * 10^@exp, rounded to an integer, half away from zero */
static int text_scale(u64 mant, int exp, bool is_negative, s32 *value)
{
	for (; exp > 0 && mant && mant <= U32_MAX; exp--)
		mant *= 10;
	for (; exp < -1 && mant; exp++)
		mant = div_u64(mant, 10);
	if (exp < 0)
		mant = div_u64(mant + 5, 10);
	if (mant > (u64)S32_MAX + is_negative)
		return -ERANGE;
	*value = is_negative ? -(s64)mant : mant;
	return 0;
}

static int text_read_number(struct text *text, unsigned int decimals, s32 *value)
{
	bool is_negative = text_read_sign(text), has_digit = false, has_point = false;
	int exp = decimals, ret;
	u64 mant = 0;

	for (; text_has_digit(text) || (!has_point && text_has(text, '.')); text->pos++) {
		if (*text->pos == '.') {
			has_point = true;
			continue;
		}
		has_digit = true;
		/* Digits behind the nineteenth do not change how a sample is rounded. */
		if (mant <= TEXT_MAX_MANT) {
			mant = 10 * mant + *text->pos - '0';
			exp -= has_point;
		} else {
			exp += !has_point;
		}
	}
	ret = has_digit ? text_read_exponent(text, &exp) : -EINVAL;
	return ret ?: text_scale(mant, exp, is_negative, value);
}

/* Blanks, and one comma or semicolon among them. Returns false if there is neither. */
static bool text_skip_separator(struct text *text)
{
	const u8 *begin = text->pos;

	text_skip_blanks(text);
	if (text_has(text, ',') || text_has(text, ';'))
		text->pos++;
	text_skip_blanks(text);
	return text->pos != begin;
}

/* A line may end with CR LF, and the mark may be either of them. */
static struct text text_trim(const u8 *line, size_t n)
{
	struct text text = { line, line + n };

	while (text.pos < text.end && (text_is_blank(*text.pos) || *text.pos == '\n'))
		text.pos++;
	while (text.pos < text.end && (text_is_blank(text.end[-1]) || text.end[-1] == '\r'))
		text.end--;
	return text;
}

/**
 * uart_text_parse() - turn a line of numbers into samples
 * @line: the line without its end mark
 * @n: bytes of @line
 * @format: has the number of columns, and of decimals
 * @value: receives a sample per column, in units of 10^-decimals; undefined after an error
 *
 * Numbers look like "12", "-3.4", "+.5", "6e-3". They are separated by blanks, or by a comma
 * or a semicolon with or without blanks. Digits behind the decimals are rounded.
 *
 * Context: any.
 * Return: 0; -ENODATA for an empty line; -EINVAL if a column is not a number; -ERANGE if a
 *         number does not fit 32 bits; -EDOM if there are more or fewer columns.
 */
int uart_text_parse(const u8 *line, size_t n, const struct uart_format *format, s32 *value)
{
	struct text text = text_trim(line, n);
	unsigned int i;
	int ret;

	if (text.pos == text.end)
		return -ENODATA;
	for (i = 0; i < format->columns; i++) {
		ret = text_read_number(&text, format->decimals, &value[i]);
		if (ret)
			return ret;
		if (text.pos == text.end)
			return i + 1 == format->columns ? 0 : -EDOM;
		if (!text_skip_separator(&text))
			return -EINVAL;
	}
	return -EDOM;
}
