// SPDX-License-Identifier: GPL-2.0-only
/* Make and print JSON */
#include <string.h>

#include "json.h"
#include "program.h"
#include "text.h"

void json_add(json_t *obj, const char *key, json_t *value)
{
	if (json_object_set_new(obj, key, value))
		fail_memory();
}

void json_append(json_t *list, json_t *value)
{
	if (json_array_append_new(list, value))
		fail_memory();
}

void json_add_string(json_t *obj, const char *key, const char *value)
{
	json_t *text = json_string(value);

	json_add(obj, key, text ? text : json_null());
}

void json_add_bool(json_t *obj, const char *key, bool value)
{
	json_add(obj, key, json_boolean(value));
}

json_t *json_u64(uint64_t value)
{
	char text[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	put_text(text, sizeof(text), "%ju", (uintmax_t)value);
	return json_string(text);
}

void json_add_u64(json_t *obj, const char *key, uint64_t value)
{
	json_add(obj, key, json_u64(value));
}

void json_add_count(json_t *obj, const char *key, int64_t value)
{
	json_add(obj, key, value < 0 ? json_null() : json_integer(value));
}

void json_add_counts(json_t *obj, const void *object, const struct json_count *counts)
{
	int64_t value;

	for (; counts->name; counts++) {
		memcpy(&value, (const char *)object + counts->offset, sizeof(value));
		json_add_count(obj, counts->name, value);
	}
}

int json_print(FILE *out, json_t *root, size_t flags)
{
	int ret = json_dumpf(root, out, JSON_COMPACT | flags);

	json_decref(root);
	if (!ret)
		fputc('\n', out);
	return ret || ferror(out) ? -1 : 0;
}
