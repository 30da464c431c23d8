/* SPDX-License-Identifier: GPL-2.0-only */
/* Make and print JSON. A lack of memory ends the program. */
#ifndef ZIO_COMMON_JSON_H
#define ZIO_COMMON_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Add @value to @obj or @list, which owns it from now on. */
void json_add(json_t *obj, const char *key, json_t *value);
void json_append(json_t *list, json_t *value);

/* Add a string; null if it is not UTF-8. */
void json_add_string(json_t *obj, const char *key, const char *value);
void json_add_bool(json_t *obj, const char *key, bool value);
void json_add_u64(json_t *obj, const char *key, uint64_t value);

/* Add a number; null for a negative one, which stands for what is not known. */
void json_add_count(json_t *obj, const char *key, int64_t value);

/* A member of a structure, of the type uint64_t or int64_t */
struct json_count {
	const char *name;
	size_t offset;
};

/* Add such members of @object as json_add_count() does. A NULL name ends @counts. */
void json_add_counts(json_t *obj, const void *object, const struct json_count *counts);

/* Make a number; a string above 2^63 - 1, which jansson cannot hold. */
json_t *json_u64(uint64_t value);

/*
 * Print @root in one line and drop it. @flags of jansson are beside JSON_COMPACT.
 * Returns 0, or -1 if @out failed.
 */
int json_print(FILE *out, json_t *root, size_t flags);

#endif /* ZIO_COMMON_JSON_H */
