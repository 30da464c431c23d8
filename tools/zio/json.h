/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON of the commands. jansson fails for want of memory only: json_print(). */
#ifndef ZIO_TOOL_JSON_H
#define ZIO_TOOL_JSON_H

#include <jansson.h>

#include "model.h"

/* A decimal number as such, anything else as a string. */
void json_put_value(json_t *obj, const char *key, const char *value);

/* Member @key of @obj, an object that is made if it is not there. */
json_t *json_member(json_t *obj, const char *key);

json_t *new_json_channel(const struct channel *chan);

/* All that is chosen of @snap: what zio list --json prints. */
json_t *new_json_snapshot(const struct snapshot *snap);

/* One line for each channel that is chosen: what zio top --json prints. */
json_t *new_json_rates(const struct snapshot *snap);

/* Prints one line and drops @root; -1 after a word to the user. */
int json_print(json_t *root);

#endif /* ZIO_TOOL_JSON_H */
