// SPDX-License-Identifier: GPL-2.0-only
/* Split, check and apply ATTR=VALUE */
#include <stdlib.h>
#include <string.h>

#include "command.h"

int split_assignment(const char *text, char **attr, const char **value)
{
	const char *equal = strchr(text, '=');

	if (!equal || equal == text) {
		complain("'%s' is not ATTR=VALUE", text);
		return -1;
	}
	if (!equal[1]) {
		complain("'%s': the value is missing; to write an empty one, use the "
			 "file of the attribute and echo", text);
		return -1;
	}
	if (strchr(equal, '\n') || strlen(equal) >= ZIO_TEXT_SIZE - 1) {
		complain("'%.*s=...': a value is one line, and shorter than a "
			 "page", (int)(equal - text), text);
		return -1;
	}
	*attr = strndup(text, (size_t)(equal - text));
	*value = equal + 1;
	if (!*attr)
		fail_memory();
	return 0;
}

int check_assignment(const struct assignment *set)
{
	struct zio_error err;

	if (!zio_attr_check(set->obj, set->attr, &err))
		return 0;
	complain("%s", err.text);
	return -1;
}

int apply_assignment(const struct assignment *set)
{
	struct zio_error err;
	char text[REASON_LEN];

	if (!zio_attr_set(set->obj, set->attr, set->value, &err))
		return 0;
	put_reason(text, set->obj, set->attr, &err);
	complain("%s", text);
	return -1;
}
