// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers with a unit of time, for attributes whose names end in one */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

static const struct unit {
	const char *name;
	long double ns;
} units[] = {
	{ "ns", 1 }, { "us", 1e3L }, { "ms", 1e6L }, { "s", 1e9L },
};

static const struct unit *find_unit(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

enum zio_duration zio_put_duration(const char *attr, const char *text, char *number,
				   size_t size)
{
	size_t len = strspn(text, "0123456789.eE+-");
	const char *hyphen = strrchr(attr, '-');
	const struct unit *wanted = hyphen ? find_unit(hyphen + 1) : NULL;
	const struct unit *given = find_unit(text + len);
	long double value, whole;
	char *end;

	if (!wanted || !given || *text < '0' || *text > '9')
		return ZIO_DURATION_NONE;
	value = strtold(text, &end) * given->ns / wanted->ns;
	if (end != text + len || !(value < (long double)UINT64_MAX))
		return ZIO_DURATION_NONE;
	whole = (long double)(uint64_t)(value + 0.5L);
	if (value - whole > 1e-9L * value || whole - value > 1e-9L * value)
		return ZIO_DURATION_PART;
	snprintf(number, size, "%.0Lf", whole);
	return ZIO_DURATION_WHOLE;
}
