// SPDX-License-Identifier: GPL-2.0-only
/* Small helpers for text and memory */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "text.h"

void put_text(char *to, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(to, size, format, args);
	va_end(args);
}

bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool is_digits(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

bool is_numbered(const char *name, const char *prefix)
{
	return has_prefix(name, prefix) && is_digits(name + strlen(prefix));
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void put_scaled(char *to, size_t size, double value)
{
	static const char units[] = " kMGTPE";
	size_t i = 0;

	if (isnan(value)) {
		put_text(to, size, "-");
		return;
	}
	while (value >= 999.95 && i < sizeof(units) - 2) {
		value /= 1000;
		i++;
	}
	if (!i && value == floor(value))
		put_text(to, size, "%.0f", value);
	else if (!i)
		put_text(to, size, "%.1f", value);
	else
		put_text(to, size, "%.1f%c", value, units[i]);
}

void *allocate(size_t count, size_t size)
{
	void *mem = calloc(count ? count : 1, size);

	if (!mem)
		fail_memory();
	return mem;
}
