// SPDX-License-Identifier: GPL-2.0-only
/* limits.c: parse a value that an attribute accepts */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "trigger/trigger.h"

/*
 * Parses a number within limits, or one of their words. @value gets the number, an s64 if
 * it is signed; or the index of the word. Context: Any. Returns 0; -EINVAL for a text that
 * is not a number, or not among the choices or words; -ERANGE for 2^64 and above, and for
 * 2^32 and above if it is too large; @limits->error for any other number beyond the limits.
 */
int zio_limits_parse(const struct zio_limits *limits, const char *text, u64 *value)
{
	int ret;

	if (limits->words) {
		/* sysfs_match_string() would stop at a NULL entry. */
		for (*value = 0; *value < limits->n; ++*value)
			if (limits->words[*value] && sysfs_streq(text, limits->words[*value]))
				return 0;
		return -EINVAL;
	}
	ret = limits->is_signed ? kstrtos64(text, 0, (s64 *)value) : kstrtou64(text, 0, value);
	return ret ?: zio_limits_check(limits, *value);
}
EXPORT_SYMBOL_GPL(zio_limits_parse);
