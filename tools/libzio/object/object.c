// SPDX-License-Identifier: LGPL-2.1-or-later
/* Objects */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

bool zio_is_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && zio_is_digits(name + len);
}

/* Channels of an interleaved set other than channel 0 have attributes, and no nodes. */
static bool is_channel(const struct zio_object *in, const char *name)
{
	return zio_is_numbered(name, "chan") &&
	       (!strcmp(name, "chan0") || !zio_is_dir(in->path, ZIO_INTERLEAVED));
}

struct zio_object *zio_new_object(enum zio_object_kind kind, const char *path,
				  const char *name, const char *type)
{
	struct zio_object *obj = calloc(1, sizeof(*obj));

	if (!obj)
		return NULL;
	obj->kind = kind;
	obj->path = strdup(path);
	obj->name = strdup(name);
	obj->type = type ? strdup(type) : NULL;
	if (obj->path && obj->name && (!type || obj->type))
		return obj;
	zio_object_free(obj);
	return NULL;
}

void zio_object_free(struct zio_object *obj)
{
	int saved = errno;

	if (obj) {
		free(obj->path);
		free(obj->name);
		free(obj->type);
		free(obj);
	}
	errno = saved;
}

const char *zio_config_prefix(enum zio_object_kind kind)
{
	return kind == ZIO_OBJECT_CONFIG_DEVICE ? "device" : "trigger";
}

/* A device contains only sets: the rest of its directory belongs to the driver model. */
static enum zio_object_kind child_kind(const struct zio_object *in, const char *name)
{
	switch (in->kind) {
	case ZIO_OBJECT_DEVICE:
		return ZIO_OBJECT_CSET;
	case ZIO_OBJECT_CSET:
		if (is_channel(in, name))
			return ZIO_OBJECT_CHANNEL;
		return strcmp(name, "trigger") ? ZIO_OBJECT_PART : ZIO_OBJECT_TRIGGER;
	case ZIO_OBJECT_CHANNEL:
		return strcmp(name, "buffer") ? ZIO_OBJECT_PART : ZIO_OBJECT_BUFFER;
	case ZIO_OBJECT_TRIGGER_TYPE:
		return ZIO_OBJECT_SHARED_TRIGGER;
	case ZIO_OBJECT_DRIVER:
		return ZIO_OBJECT_CONFIG_DEVICE;
	default:
		return ZIO_OBJECT_PART;
	}
}

static bool is_configured(enum zio_object_kind kind)
{
	return kind == ZIO_OBJECT_SHARED_TRIGGER || kind == ZIO_OBJECT_CONFIG_DEVICE;
}

struct zio_object *zio_new_child(const struct zio_object *in, const char *name)
{
	enum zio_object_kind kind = child_kind(in, name);
	bool configured = is_configured(kind);
	char *path = zio_format("%s/%s", in->path, name);
	char *full = zio_format("%s%s%s", configured ? zio_config_prefix(kind) :
					  in->name, configured ? ":" : "/", name);
	struct zio_object *child = NULL;

	if (path && full)
		child = zio_new_object(kind, path, full,
				       configured ? in->name : NULL);
	free(path);
	free(full);
	return child;
}

int zio_object_kind(const struct zio_object *obj)
{
	return obj ? (int)obj->kind : zio_refuse_null();
}

const char *zio_object_name(const struct zio_object *obj)
{
	if (!obj)
		errno = EINVAL;
	return obj ? obj->name : NULL;
}

const char *zio_object_path(const struct zio_object *obj)
{
	if (!obj)
		errno = EINVAL;
	return obj ? obj->path : NULL;
}

const char *zio_object_type(const struct zio_object *obj)
{
	if (obj && obj->type)
		return obj->type;
	errno = EINVAL;
	return NULL;
}
