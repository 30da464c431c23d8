// SPDX-License-Identifier: GPL-2.0-only
/* Small helpers for text and memory */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
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

/*
 * What zio.printable() of Python replaces, too: controls, marks that change the direction
 * of text or show nothing, spaces but " ", characters of private use, and no characters.
 */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x0, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad }, { 0x600, 0x605 }, { 0x61c, 0x61c },
	{ 0x6dd, 0x6dd }, { 0x70f, 0x70f }, { 0x890, 0x891 }, { 0x8e2, 0x8e2 },
	{ 0x1680, 0x1680 }, { 0x180e, 0x180e }, { 0x2000, 0x200f }, { 0x2028, 0x202f },
	{ 0x205f, 0x206f }, { 0x3000, 0x3000 }, { 0xd800, 0xf8ff }, { 0xfdd0, 0xfdef },
	{ 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe007f }, { 0xf0000, UINT32_MAX },
};

static bool is_hidden(uint32_t code)
{
	size_t i;

	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return true;
	return false;
}

/* Returns the bytes of the character, which must be the shortest UTF-8; else 0. */
static size_t decode(const unsigned char *at, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
	size_t i;

	*code = *at;
	if (*at < 0x80)
		return 1;
	if (*at < 0xc0 || *at > 0xf7)
		return 0;
	*code &= 0x7fu >> n;
	for (i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	return *code < least[n] ? 0 : n;
}

/* Returns the bytes of the character, or 0 for one that is not to be printed as it is. */
static size_t visible_length(const unsigned char *at)
{
	uint32_t code;
	size_t n = decode(at, &code);

	return is_hidden(code) ? 0 : n;
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
