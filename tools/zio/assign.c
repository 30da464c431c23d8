// SPDX-License-Identifier: GPL-2.0-only
/* Split, check and apply ATTR=VALUE */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

int split_assignment(const char *text, char **attr, const char **value)
{
	const char *equal = strchr(text, '=');

	if (!equal || equal == text) {
		complain("'%s' is not ATTR=VALUE", text);
		return -1;
	}
	if (!equal[1]) {
		complain("'%s': the value is missing; write an empty one to the "
			 "file of the attribute, by echo", text);
		return -1;
	}
	if (strchr(equal, '\n') || strlen(equal) >= ATTR_TEXT - 1) {
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

/* A user sets the values of a shared trigger on the trigger, not through a set. */
static void explain_read_only(const struct object *found)
{
	char name[ATTR_TEXT];
	const char *slash = strrchr(found->label, '/');

	if (!slash || strcmp(slash, "/trigger") || !strcmp(found->attr, "name") ||
	    read_attr(found->path, "name", name))
		complain("%s/%s is read-only", found->label, found->attr);
	else
		complain("%s/%s is read-only, because '%s' is a shared "
			 "trigger: set trigger:%s %s=...", found->label,
			 found->attr, name, name, found->attr);
}

int check_assignment(struct assignment *set)
{
	struct object found = set->obj;
	char path[PATH_MAX];
	struct stat st;

	if (walk_object(&found, set->attr))
		return -1;
	if (!found.attr[0]) {
		complain("%s is not an attribute", found.label);
		return -1;
	}
	put_text(path, sizeof(path), "%s/%s", found.path, found.attr);
	if (!stat(path, &st) && !(st.st_mode & 0222)) {
		explain_read_only(&found);
		return -1;
	}
	return 0;
}

int apply_assignment(const struct assignment *set)
{
	if (!write_attr(set->obj.path, set->attr, set->value))
		return 0;
	explain_failure(&set->obj, set->attr, set->value, errno);
	return -1;
}
