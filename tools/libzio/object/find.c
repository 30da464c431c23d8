// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find objects by name */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* --- A search and how far it has come. A step that fails changes nothing. */
struct search {
	struct zio_object *obj;
	struct zio_error *err;
};

static bool enter(struct search *at, const char *name)
{
	struct zio_object *child;

	if (!is_name(name) || !zio_is_dir(at->obj->path, name))
		return false;
	child = zio_new_child(at->obj, name);
	if (!child)
		return false;
	zio_object_free(at->obj);
	at->obj = child;
	return true;
}

static bool enter_numbered(struct search *at, const char *prefix, const char *name)
{
	char *full;
	bool found;

	if (zio_is_numbered(name, prefix))
		return enter(at, name);
	if (!zio_is_digits(name))
		return false;
	full = zio_format("%s%s", prefix, name);
	found = full && enter(at, full);
	free(full);
	return found;
}

static bool enter_channel(struct search *at, const char *name)
{
	if (strcmp(name, ZIO_INTERLEAVED) && strcmp(name, "i"))
		return enter_numbered(at, "chan", name);
	return zio_is_dir(at->obj->path, ZIO_INTERLEAVED) && enter(at, "chan0");
}

/* Did the driver name the set in directory @dir of a device @name? */
static bool is_named(const struct zio_object *device, const char *dir,
		     const char *wanted)
{
	char *path = zio_format("%s/%s/name", device->path, dir);
	char name[ZIO_TEXT_SIZE];
	bool same = path && !zio_read_file(path, name, sizeof(name)) &&
		    !strcmp(name, wanted);

	free(path);
	return same;
}

static bool enter_named_cset(struct search *at, const char *wanted)
{
	struct dirent **names;
	int count = zio_scan_dir(at->obj->path, &names);
	bool found = false;
	int i;

	for (i = 0; i < count && !found; i++)
		found = zio_is_numbered(names[i]->d_name, "cset") &&
			is_named(at->obj, names[i]->d_name, wanted) &&
			enter(at, names[i]->d_name);
	zio_free_names(names, count);
	return found;
}

static bool enter_child(struct search *at, const char *name)
{
	if (at->obj->kind == ZIO_OBJECT_DEVICE)
		return enter_numbered(at, "cset", name) || enter_named_cset(at, name);
	if (at->obj->kind == ZIO_OBJECT_BUS)
		return false;
	if (at->obj->kind == ZIO_OBJECT_CSET && enter_channel(at, name))
		return true;
	return enter(at, name);
}

static const char *kind_of_children(const struct zio_object *obj)
{
	switch (obj->kind) {
	case ZIO_OBJECT_DEVICE:
		return "channel set";
	case ZIO_OBJECT_CSET:
		return "channel, part or attribute";
	default:
		return "part or attribute";
	}
}

static int explain_no_child(const struct search *at, const char *name)
{
	const struct zio_object *obj = at->obj;
	char there[sizeof(at->err->text)] = "", hint[sizeof(at->err->text)];

	if (!at->err) {
		errno = ENOENT;
		return -1;
	}
	/* The directory of a device contains too many other names. */
	if (obj->kind != ZIO_OBJECT_DEVICE)
		zio_put_names(obj->path, true, there, sizeof(there));
	zio_put_nearest(name, there, hint, sizeof(hint));
	if (!*hint && obj->kind == ZIO_OBJECT_TRIGGER)
		snprintf(hint, sizeof(hint),
			 " (does another trigger have it? set current_trigger first)");
	return zio_explain(at->err, ENOENT, "%s has no %s '%s'%s%s%s", obj->name,
			   kind_of_children(obj), name, hint,
			   *there ? "; there are: " : "", there);
}

static bool has_attr(const struct zio_object *obj, const char *name)
{
	return is_name(name) && zio_file_mode(obj->path, name) &&
	       (obj->kind != ZIO_OBJECT_DEVICE || zio_device_has_attr(obj, name));
}

/* Walk down @text; set *attr to its last component if that is an attribute. */
static int walk(struct search *at, const char *text, const char **attr)
{
	char name[NAME_MAX + 1];
	const char *slash;

	do {
		size_t len = strcspn(text, "/");

		slash = text + len;
		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		if (len > NAME_MAX || !is_name(name))
			return explain_no_child(at, name);
		if (!enter_child(at, name)) {
			if (!attr || *slash || !has_attr(at->obj, name))
				return explain_no_child(at, name);
			*attr = text;
		}
		text = slash + 1;
	} while (*slash);
	return 0;
}

static bool enter_device(struct search *at, const char *name)
{
	char *full;
	bool found;

	if (!is_name(name))
		return false;
	if (enter(at, name))
		return true;
	full = zio_format("%s-0000", name);
	found = full && enter(at, full);
	free(full);
	return found;
}

static int start_at(struct search *at, const char *root)
{
	zio_object_free(at->obj);
	at->obj = zio_new_object(ZIO_OBJECT_PART, root, "", NULL);
	return at->obj ? 0 : zio_explain_memory(at->err);
}

/* Names of devices have no prefix. */
static void become_device(struct search *at)
{
	struct zio_object *obj = at->obj;

	obj->kind = ZIO_OBJECT_DEVICE;
	memmove(obj->name, obj->name + 1, strlen(obj->name));
}

static bool enter_parts(struct search *at, const struct zio_name *name)
{
	char device[NAME_MAX + 1], cset[NAME_MAX + 1], chan[NAME_MAX + 1];

	snprintf(device, sizeof(device), "%.*s", name->device.len, name->device.at);
	snprintf(cset, sizeof(cset), "%.*s", name->cset.len, name->cset.at);
	snprintf(chan, sizeof(chan), "%.*s", name->chan.len, name->chan.at);
	if (!enter_device(at, device))
		return false;
	become_device(at);
	return enter_numbered(at, "cset", cset) &&
	       (!*chan || enter_channel(at, chan));
}

/* The suffix "-0000" of a device is optional; @name may be the name of a channel. */
static void put_near_device(const char *name, const char *there, char *text, size_t size)
{
	struct zio_name parts = { .device = { name, (int)strlen(name) } };
	char device[NAME_MAX + 1], *words = strdup(there), *id;

	zio_parse_channel(name, &parts);
	snprintf(device, sizeof(device), "%.*s", parts.device.len, parts.device.at);
	for (id = words; id && !strstr(device, "-0") && (id = strstr(id, "-0000"));)
		memmove(id, id + 5, strlen(id + 5) + 1);
	zio_put_nearest(device, words ? words : there, text, size);
	free(words);
}

static int explain_no_device(const struct search *at, const char *root,
			     const char *name)
{
	char there[sizeof(at->err->text)], hint[NAME_MAX];

	zio_put_names(root, false, there, sizeof(there));
	put_near_device(name, there, hint, sizeof(hint));
	if (!zio_is_dir(root, "."))
		return zio_explain(at->err, ENOENT,
				   "%s: there is no %s: is zio loaded? (modprobe zio)",
				   name, root);
	if (!*there)
		return zio_explain(at->err, ENOENT,
				   "%s: no such device; there is no device: load a driver",
				   name);
	return zio_explain(at->err, ENOENT,
			   "%s: no such device or channel%s; there are: %s", name, hint,
			   there);
}

/*
 * "zzero-0000-0" may be a set of zzero-0000, or channel 0 of set 0000 of zzero. "a-0-1"
 * may be a device, channel 1 of a/0, or set 1 of the device a-0. The first that exists
 * wins. A name that includes the number of its device is unambiguous, because no name
 * ends like a number.
 */
static int find_below(struct search *at, const char *root, const char *name)
{
	struct zio_name parts;

	if (start_at(at, root))
		return -1;
	if (enter_device(at, name)) {
		become_device(at);
		return 0;
	}
	if (zio_parse_channel(name, &parts) && enter_parts(at, &parts))
		return 0;
	if (start_at(at, root))
		return -1;
	if (zio_parse_set(name, &parts) && enter_parts(at, &parts))
		return 0;
	return explain_no_device(at, root, name);
}

static int find_in_sysfs(struct search *at, const char *name)
{
	char *sysfs = zio_sysfs_path();
	char *root = sysfs ? zio_format("%s/devices", sysfs) : NULL;
	int ret = root ? find_below(at, root, name) : zio_explain_memory(at->err);

	free(root);
	free(sysfs);
	return ret;
}

static int find_configured(struct search *at, enum zio_object_kind kind,
			   const char *name)
{
	struct zio_object **list = zio_list(NULL, kind, NULL);
	char *root = zio_configfs_path(kind);
	int i;

	for (i = 0; list && list[i] && !at->obj; i++) {
		if (strcmp(strchr(list[i]->name, ':') + 1, name))
			continue;
		at->obj = zio_new_object(kind, list[i]->path, list[i]->name,
					 list[i]->type);
	}
	if (!at->obj)
		zio_explain(at->err, ENOENT, "%s:%s: there is no such %s in %s",
			    zio_config_prefix(kind), name, zio_config_prefix(kind),
			    root ? root : "configfs");
	zio_list_free(list);
	free(root);
	return at->obj ? 0 : -1;
}

static int find_bus(struct search *at)
{
	char *sysfs = zio_sysfs_path();

	if (sysfs && zio_is_dir(sysfs, "."))
		at->obj = zio_new_object(ZIO_OBJECT_BUS, sysfs, "bus:", NULL);
	else if (sysfs)
		zio_explain(at->err, ENOENT,
			    "bus:: there is no %s: is zio loaded? (modprobe zio)",
			    sysfs);
	else
		zio_explain_memory(at->err);
	free(sysfs);
	return at->obj ? 0 : -1;
}

static int find_base(struct search *at, const char *name)
{
	if (!strcmp(name, "bus:"))
		return find_bus(at);
	if (!strncmp(name, "trigger:", 8))
		return find_configured(at, ZIO_OBJECT_SHARED_TRIGGER, name + 8);
	if (!strncmp(name, "device:", 7))
		return find_configured(at, ZIO_OBJECT_CONFIG_DEVICE, name + 7);
	return find_in_sysfs(at, name);
}

/* The suffix of a node may end the name; no other word after a slash is part of it. */
static size_t base_len(const char *name)
{
	size_t len = strcspn(name, "/");

	return name[len] ? len : (size_t)zio_stem_len(name);
}

/* In "zzero/0/2-data" the suffix of the node does not belong to any part. */
static int walk_to_node(struct search *at, const struct zio_name *name)
{
	char text[2 * NAME_MAX + 2];

	snprintf(text, sizeof(text), "%.*s/%.*s", name->cset.len, name->cset.at,
		 name->chan.len, name->chan.at);
	return walk(at, text, NULL);
}

static int find_in_machine(struct search *at, const char *name, const char **attr)
{
	char base[NAME_MAX + 1];
	struct zio_name parts;
	const char *slash;
	size_t len;

	name = zio_skip_dev(name);
	len = base_len(name);
	if (len > NAME_MAX)
		return zio_explain(at->err, ENAMETOOLONG,
				   "%.20s...: no such device: the name is too long",
				   name);
	snprintf(base, sizeof(base), "%.*s", (int)len, name);
	if (find_base(at, base))
		return -1;
	slash = strchr(name, '/');
	if (slash && zio_has_suffix(name) && zio_parse_channel(name, &parts))
		return walk_to_node(at, &parts);
	return slash ? walk(at, slash + 1, attr) : 0;
}

struct zio_object *zio_find(const struct zio_object *in, const char *name,
			    const char **attr, struct zio_error *err)
{
	struct search at = { .err = err };
	int ret;

	if (attr)
		*attr = NULL;
	if (!name) {
		zio_explain_null(err);
		return NULL;
	}
	if (in) {
		at.obj = zio_new_object(in->kind, in->path, in->name, in->type);
		ret = at.obj ? walk(&at, name, attr) : zio_explain_memory(err);
	} else {
		ret = find_in_machine(&at, name, attr);
	}
	if (!ret)
		return at.obj;
	zio_object_free(at.obj);
	return NULL;
}
