// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base.h"

char *zio_format(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

bool zio_is_digits(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}
