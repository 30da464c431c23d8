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

/* Returns the bytes of the character, or 0 for one that a terminal obeys. */
static size_t visible_length(const unsigned char *at)
{
	size_t n = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
	size_t i;

	if (*at < 0x80)
		return *at >= ' ' && *at != 0x7f;
	if (*at < 0xc2 || *at > 0xf4 || (*at == 0xc2 && at[1] < 0xa0))
		return 0;
	for (i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void print_visible(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t n = visible_length(at);

		if (n)
			fwrite(at, 1, n, out);
		else
			fprintf(out, "\\x%02x", *at);
		at += n ? n : 1;
	}
}

void *allocate(size_t count, size_t size)
{
	void *mem = calloc(count ? count : 1, size);

	if (!mem)
		fail_memory();
	return mem;
}
