/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON that the commands print. */
#ifndef ZIO_JSON_H
#define ZIO_JSON_H

#include "common/json.h"
#include "model.h"

/* Digits printed for a number with a fraction */
#define JSON_PRECISION JSON_REAL_PRECISION(15)

/* Add @value: as a number if it is a decimal number, otherwise as a string. */
void json_add_value(json_t *obj, const char *key, const char *value);

/* Return the object in member @key of @obj; create it if it is missing. */
json_t *json_member(json_t *obj, const char *key);

/* Make the object for zio list --json from the objects chosen in @snap. */
json_t *new_json_snapshot(const struct snapshot *snap);

#endif /* ZIO_JSON_H */
