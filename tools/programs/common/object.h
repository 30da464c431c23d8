/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of libzio and their attributes, as the programs need them. */
#ifndef ZIO_COMMON_OBJECT_H
#define ZIO_COMMON_OBJECT_H

#include "libzio/zio.h"

#define NAME_LEN 64

/* zio_find() in the whole machine; NULL after a message. */
struct zio_object *find_object(const char *name, const char **attr);

/* Read an attribute, cut to the size of @text; 0, or -1 and an empty text. */
int get_name(const struct zio_object *obj, const char *attr, char text[NAME_LEN]);

/* Read a number; -1 if it is not known. */
int64_t get_number(const struct zio_object *obj, const char *attr);

/* Return the name of @obj without what contains it: "chan1", "clock0". */
const char *short_name(const struct zio_object *obj);

/* Is it a directory of configfs? */
bool is_configured(const struct zio_object *obj);

#endif /* ZIO_COMMON_OBJECT_H */
