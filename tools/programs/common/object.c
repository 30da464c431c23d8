// SPDX-License-Identifier: GPL-2.0-only
/* Objects of libzio and their attributes, as the programs need them */
#include <string.h>

#include "object.h"
#include "program.h"
#include "text.h"

struct zio_object *find_object(const char *name, const char **attr)
{
	struct zio_error err;
	struct zio_object *obj = zio_find(NULL, name, attr, &err);

	if (!obj)
		complain("%s", err.text);
	return obj;
}

int get_name(const struct zio_object *obj, const char *attr, char text[NAME_LEN])
{
	char whole[ZIO_TEXT_SIZE];
	int ret = zio_attr_get(obj, attr, whole, sizeof(whole), NULL);

	put_text(text, NAME_LEN, "%s", whole);
	return ret;
}

int64_t get_number(const struct zio_object *obj, const char *attr)
{
	uint64_t value;

	if (zio_attr_get_u64(obj, attr, &value, NULL) || value > INT64_MAX)
		return -1;
	return (int64_t)value;
}

const char *short_name(const struct zio_object *obj)
{
	const char *name = zio_object_name(obj);
	const char *at = strpbrk(name, "/:");

	while (at) {
		name = at + 1;
		at = strpbrk(name, "/:");
	}
	return name;
}

bool is_configured(const struct zio_object *obj)
{
	int kind = zio_object_kind(obj);

	return kind == ZIO_OBJECT_SHARED_TRIGGER || kind == ZIO_OBJECT_CONFIG_DEVICE;
}
