// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers in the description of a set */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "user.h"

#define DIGITS 15	/* every double has as many decimal digits */
#define MAX_EXP 250

static int fail(int code)
{
	errno = code;
	return -1;
}

int zio_user_set_rate(struct uzio_set *set, double rate)
{
	struct zio_rate found;

	if (!set)
		return zio_refuse_null();
	if (zio_rate_find(rate, &found))
		return -1;
	set->rate_num = found.num;
	set->rate_den = found.den;
	return 0;
}

/* The text has one digit, a decimal point of the locale, and the other digits. */
static int find_decimal(double value, __s64 *mant, __s32 *exp)
{
	char text[DIGITS + 16];
	const char *at;
	int64_t digits = 0;
	long places = 0;

	if (!isfinite(value))
		return fail(ERANGE);
	snprintf(text, sizeof(text), "%.*e", DIGITS - 1, fabs(value));
	for (at = text; *at != 'e'; at++) {
		if (*at < '0' || *at > '9')
			continue;
		digits = 10 * digits + *at - '0';
		places++;
	}
	places = strtol(at + 1, NULL, 10) - places + 1;
	while (digits && digits % 10 == 0) {
		digits /= 10;
		places++;
	}
	if (digits && labs(places) > MAX_EXP)
		return fail(ERANGE);
	*mant = value < 0 ? -digits : digits;
	*exp = digits ? (int32_t)places : 0;
	return 0;
}

int zio_user_set_scale(struct uzio_set *set, enum zio_unit unit, double scale, double offset)
{
	struct uzio_scaling to;

	if (!set)
		return zio_refuse_null();
	to = set->scaling;
	if (find_decimal(scale, &to.mant, &to.exp) ||
	    find_decimal(offset, &to.offset, &to.offset_exp))
		return -1;
	if (!to.mant)
		return fail(ERANGE);
	to.flags |= UZIO_SCALING_VALID;
	to.unit = unit;
	set->scaling = to;
	return 0;
}
