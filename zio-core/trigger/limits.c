// SPDX-License-Identifier: GPL-2.0-only
/* limits.c: the values that the attributes of triggers and all other objects accept */
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

/* Returns what an attribute of a trigger accepts. */
struct zio_limits zio_trigger_limits(const struct zio_trigger_attr *attr)
{
	return (struct zio_limits) {
		.min = attr->min,
		.max = attr->max ?: attr->wide ? S64_MAX : U32_MAX,
		.error = -ERANGE,
		.words = attr->words,
		.n = attr->n_words,
		.text = attr->kind == ZIO_TRIGGER_TEXT && !attr->words ?
			attr->format ?: "<text>" : NULL,
	};
}
EXPORT_SYMBOL_GPL(zio_trigger_limits);
