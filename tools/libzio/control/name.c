// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of channels and of their nodes */
#include <ctype.h>
#include <string.h>

#include "control.h"

#define SUFFIX_LEN 5

bool zio_has_suffix(const char *name)
{
	size_t len = strlen(name);

	if (len <= SUFFIX_LEN)
		return false;
	name += len - SUFFIX_LEN;
	return !strcmp(name, "-data") || !strcmp(name, "-ctrl");
}

int zio_stem_len(const char *name)
{
	return (int)strlen(name) - (zio_has_suffix(name) ? SUFFIX_LEN : 0);
}

const char *zio_find_numbers(const char *stem, int len)
{
	int numbers = 0;
	int digits = 0;

	while (--len >= 0) {
		if (isdigit((unsigned char)stem[len])) {
			digits++;
			continue;
		}
		if (stem[len] != '-' || !digits)
			return NULL;
		if (++numbers == 2)
			return stem + len;
		digits = 0;
	}
	return NULL;
}

bool zio_is_channel_name(const char *name)
{
	return zio_has_suffix(name) || zio_find_numbers(name, zio_stem_len(name));
}
