// SPDX-License-Identifier: LGPL-2.1-or-later
/* Faults outside a channel */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base.h"

int zio_refuse_null(void)
{
	errno = EINVAL;
	return -1;
}

int zio_explain(struct zio_error *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
		err->code = code;
	}
	errno = code;
	return -1;
}

int zio_explain_memory(struct zio_error *err)
{
	return zio_explain(err, ENOMEM, "out of memory");
}

int zio_explain_null(struct zio_error *err)
{
	return zio_explain(err, EINVAL,
			   "a required pointer is NULL");
}
