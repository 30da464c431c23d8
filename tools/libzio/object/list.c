// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of objects */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

struct list {
	struct zio_object **objects;	/* NULL after the last one */
	size_t count;
	enum zio_object_kind kind;
};

#define NOT_IN_IT -1

static int add(struct list *list, struct zio_object *obj)
{
	struct zio_object **more;

	more = reallocarray(list->objects, list->count + 2, sizeof(*more));
	if (!more)
		return -1;
	list->objects = more;
	if (obj)
		more[list->count++] = obj;
	more[list->count] = NULL;
	return 0;
}

static int only(enum zio_object_kind kind, enum zio_object_kind wanted)
{
	return kind == wanted ? (int)kind : NOT_IN_IT;
}

/* Return the kind of the objects in @in that are of kind @wanted or contain such. */
static int next_kind(const struct zio_object *in, enum zio_object_kind wanted)
{
	switch (in->kind) {
	case ZIO_OBJECT_DEVICE:
		if (wanted < ZIO_OBJECT_CSET || wanted > ZIO_OBJECT_BUFFER)
			return NOT_IN_IT;
		return ZIO_OBJECT_CSET;
	case ZIO_OBJECT_CSET:
		if (wanted == ZIO_OBJECT_CHANNEL || wanted == ZIO_OBJECT_BUFFER)
			return ZIO_OBJECT_CHANNEL;
		return only(ZIO_OBJECT_TRIGGER, wanted);
	case ZIO_OBJECT_CHANNEL:
		return only(ZIO_OBJECT_BUFFER, wanted);
	case ZIO_OBJECT_TRIGGER_TYPE:
		return only(ZIO_OBJECT_SHARED_TRIGGER, wanted);
	case ZIO_OBJECT_DRIVER:
		return only(ZIO_OBJECT_CONFIG_DEVICE, wanted);
	default:
		return NOT_IN_IT;
	}
}

static bool is_part(const struct zio_object *obj)
{
	return obj->kind == ZIO_OBJECT_PART || obj->kind == ZIO_OBJECT_TRIGGER ||
	       obj->kind == ZIO_OBJECT_BUFFER;
}

/* The directory of a device contains more than sets. */
static bool is_on_way(const struct zio_object *in, const struct zio_object *child,
		      const char *name, enum zio_object_kind wanted)
{
	if (in->kind == ZIO_OBJECT_DEVICE && !zio_is_numbered(name, "cset"))
		return false;
	if (in->kind == ZIO_OBJECT_CSET && !strcmp(name, ZIO_INTERLEAVED))
		return false;
	if (wanted == ZIO_OBJECT_PART)
		return in->kind != ZIO_OBJECT_DEVICE && is_part(child);
	return (int)child->kind == next_kind(in, wanted);
}

static int add_below(struct list *list, const struct zio_object *in);

/* Add the object, or what it contains; takes over @child. */
static int add_child(struct list *list, struct zio_object *child)
{
	int ret;

	if (list->kind == ZIO_OBJECT_PART || child->kind == list->kind) {
		ret = add(list, child);
		if (ret)
			zio_object_free(child);
		return ret;
	}
	ret = add_below(list, child);
	zio_object_free(child);
	return ret;
}

static int add_name(struct list *list, const struct zio_object *in,
		    const struct dirent *entry)
{
	const char *name = entry->d_name;
	struct zio_object *child;

	if (!zio_is_dir_entry(in->path, entry))
		return 0;
	child = zio_new_child(in, name);
	if (!child)
		return -1;
	if (is_on_way(in, child, name, list->kind))
		return add_child(list, child);
	zio_object_free(child);
	return 0;
}

/* An object that has gone away meanwhile is empty. */
static int add_below(struct list *list, const struct zio_object *in)
{
	struct dirent **names;
	int count = zio_scan_dir(in->path, &names);
	int ret = 0;
	int i;

	if (count < 0)
		return errno == ENOMEM ? -1 : 0;
	for (i = 0; i < count && !ret; i++)
		ret = add_name(list, in, names[i]);
	zio_free_names(names, count);
	return ret;
}

/* Add what is in directory @name of @dir, as an object of @kind with that name. */
static int add_from(struct list *list, enum zio_object_kind kind, const char *dir,
		    const char *name)
{
	char *path = zio_format("%s/%s", dir, name);
	struct zio_object *obj = path ? zio_new_object(kind, path, name, NULL) : NULL;

	free(path);
	return obj ? add_child(list, obj) : -1;
}

static bool is_in_configfs(enum zio_object_kind kind)
{
	return kind >= ZIO_OBJECT_SHARED_TRIGGER && kind <= ZIO_OBJECT_DRIVER;
}

/* What the top directory contains: devices, types of triggers, or drivers */
static enum zio_object_kind top_kind(enum zio_object_kind wanted)
{
	if (wanted == ZIO_OBJECT_SHARED_TRIGGER || wanted == ZIO_OBJECT_TRIGGER_TYPE)
		return ZIO_OBJECT_TRIGGER_TYPE;
	return is_in_configfs(wanted) ? ZIO_OBJECT_DRIVER : ZIO_OBJECT_DEVICE;
}

static int explain_no_top(struct zio_error *err, const char *dir,
			  enum zio_object_kind kind)
{
	int code = errno;

	if (code != ENOENT)
		return zio_explain(err, code, "%s: %s", dir, strerror(code));
	if (is_in_configfs(kind))
		return zio_explain(err, code,
				   "there is no %s: load zio-configfs (modprobe zio-configfs), and see that configfs is mounted (mount -t configfs none /sys/kernel/config)",
				   dir);
	return zio_explain(err, code, "there is no %s: is zio loaded? (modprobe zio)",
			   dir);
}

static int add_all(struct list *list, const char *top, struct zio_error *err)
{
	struct dirent **names;
	int count = zio_scan_dir(top, &names);
	int ret = 0;
	int i;

	if (count < 0)
		return explain_no_top(err, top, list->kind);
	for (i = 0; i < count && !ret; i++)
		if (zio_is_dir_entry(top, names[i]))
			ret = add_from(list, top_kind(list->kind), top,
				       names[i]->d_name);
	zio_free_names(names, count);
	return ret ? zio_explain_memory(err) : 0;
}

static char *top_path(enum zio_object_kind kind)
{
	char *sysfs, *top;

	if (is_in_configfs(kind))
		return zio_configfs_path(kind);
	sysfs = zio_sysfs_path();
	top = sysfs ? zio_format("%s/devices", sysfs) : NULL;
	free(sysfs);
	return top;
}

static int list_machine(struct list *list, struct zio_error *err)
{
	char *top = top_path(list->kind);
	int ret = top ? add_all(list, top, err) : zio_explain_memory(err);

	free(top);
	return ret;
}

static int list_object(struct list *list, const struct zio_object *in,
		       struct zio_error *err)
{
	if (!zio_is_dir(in->path, "."))
		return zio_explain(err, ENOENT, "%s is no longer there", in->name);
	return add_below(list, in) ? zio_explain_memory(err) : 0;
}

static bool can_be_in(const struct zio_object *in, enum zio_object_kind kind)
{
	if (!in)
		return kind != ZIO_OBJECT_PART && kind <= ZIO_OBJECT_DRIVER;
	if (in->kind == ZIO_OBJECT_BUS)
		return false;
	return kind == ZIO_OBJECT_PART || next_kind(in, kind) != NOT_IN_IT;
}

struct zio_object **zio_list(const struct zio_object *in, enum zio_object_kind kind,
			     struct zio_error *err)
{
	struct list list = { .kind = kind };
	int ret;

	if (!can_be_in(in, kind)) {
		zio_explain(err, EINVAL, "%s: cannot contain objects of kind %d",
			    in ? in->name : "the machine", (int)kind);
		return NULL;
	}
	if (add(&list, NULL))
		ret = zio_explain_memory(err);
	else
		ret = in ? list_object(&list, in, err) : list_machine(&list, err);
	if (!ret)
		return list.objects;
	zio_list_free(list.objects);
	return NULL;
}

void zio_list_free(struct zio_object **list)
{
	int saved = errno;
	size_t i;

	for (i = 0; list && list[i]; i++)
		zio_object_free(list[i]);
	free(list);
	errno = saved;
}
