/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON that the commands print. */
#ifndef ZIO_JSON_H
#define ZIO_JSON_H

#include "common/json.h"
#include "model.h"

/* Digits of a number with a fraction */
#define JSON_PRECISION JSON_REAL_PRECISION(15)

/* Add @value: a number if it is a decimal one, else a string. */
void json_add_value(json_t *obj, const char *key, const char *value);

/* Return the object that is member @key of @obj; make it if it is missing. */
json_t *json_member(json_t *obj, const char *key);

/* Make the object that zio list --json prints, of the objects chosen in @snap. */
json_t *new_json_snapshot(const struct snapshot *snap);

#endif /* ZIO_JSON_H */
