// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the object of a name: a device, a set, a channel, a part of one, an attribute
 *
 *	zzero  zzero-0000		device; id 0 may be left out
 *	zzero/cset0  zzero/0		set, by number or by name
 *	zzero/0/chan1  zzero/0/1	channel
 *	zzero-0000-0-1  zzero-0-1	the same, by the name of its nodes
 *	zzero/0/trigger			part
 *	trigger:clock0  device:rack1	a directory of configfs
 */
#include <string.h>

#include "command.h"

/* Path and label have room for all names that the kernel makes. */
static void enter(struct object *obj, const char *name)
{
	size_t len = strlen(obj->path);

	put_text(obj->path + len, sizeof(obj->path) - len, "/%s", name);
	len = strlen(obj->label);
	put_text(obj->label + len, sizeof(obj->label) - len, "%s%s",
		 len ? "/" : "", name);
}

static bool enter_directory(struct object *obj, enum object_kind kind,
			    const char *name)
{
	if (!is_directory(obj->path, name))
		return false;
	enter(obj, name);
	obj->kind = kind;
	return true;
}

static bool enter_number(struct object *obj, enum object_kind kind,
			 const char *prefix, const char *number)
{
	char name[NAME_LEN];

	put_text(name, sizeof(name), "%s%s", prefix, number);
	return is_digits(number) && enter_directory(obj, kind, name);
}

/* Enter a set by the name that its driver gave it. */
static bool enter_named_cset(struct object *obj, const char *wanted)
{
	char dir[PATH_MAX], name[NAME_LEN];
	struct dirent **names;
	int count = list_names(obj->path, &names);
	bool found = false;
	int i;

	for (i = 0; i < count && !found; i++) {
		if (!has_prefix(names[i]->d_name, "cset"))
			continue;
		put_text(dir, sizeof(dir), "%s/%s", obj->path,
			 names[i]->d_name);
		if (!read_name(dir, "name", name) && !strcmp(name, wanted))
			found = enter_directory(obj, OBJECT_CSET,
						names[i]->d_name);
	}
	free_names(names, count);
	return found;
}

static bool enter_cset(struct object *obj, const char *name)
{
	if (is_numbered(name, "cset"))
		return enter_directory(obj, OBJECT_CSET, name);
	return enter_number(obj, OBJECT_CSET, "cset", name) ||
	       enter_named_cset(obj, name);
}

static bool enter_channel(struct object *obj, const char *name)
{
	if (is_numbered(name, "chan"))
		return enter_directory(obj, OBJECT_CHANNEL, name);
	return enter_number(obj, OBJECT_CHANNEL, "chan", name);
}

/* A device has only sets: all else in its directory belongs to the driver model. */
static bool enter_child(struct object *obj, const char *name)
{
	if (obj->kind == OBJECT_DEVICE)
		return enter_cset(obj, name);
	if (obj->kind == OBJECT_CSET && enter_channel(obj, name))
		return true;
	return enter_directory(obj, OBJECT_PART, name);
}

static const char *kind_of_children(const struct object *obj)
{
	switch (obj->kind) {
	case OBJECT_DEVICE:
		return "channel set";
	case OBJECT_CSET:
		return "channel, part or attribute";
	default:
		return "part or attribute";
	}
}

static void complain_no_child(const struct object *obj, const char *name)
{
	char there[1024] = "";

	/* The directory of a device has too many other names. */
	if (obj->kind != OBJECT_DEVICE)
		put_names(obj->path, true, there, sizeof(there));
	complain("%s has no %s '%s'%s%s", obj->label, kind_of_children(obj),
		 name, *there ? "; there are: " : "", there);
}

static int enter_component(struct object *obj, const char *name, bool last)
{
	bool plain = *name && *name != '.';

	if (plain && enter_child(obj, name))
		return 0;
	if (plain && last && obj->kind != OBJECT_DEVICE &&
	    is_file(obj->path, name)) {
		put_text(obj->attr, sizeof(obj->attr), "%s", name);
		return 0;
	}
	complain_no_child(obj, name);
	return -1;
}

int walk_object(struct object *obj, const char *text)
{
	char name[NAME_MAX + 1];
	const char *slash;
	size_t len;

	do {
		slash = strchrnul(text, '/');
		len = (size_t)(slash - text);
		put_text(name, sizeof(name), "%.*s", (int)len, text);
		if (len > NAME_MAX || enter_component(obj, name, !*slash))
			return -1;
		text = slash + 1;
	} while (*slash);
	return 0;
}

static bool enter_device(struct object *obj, const char *name)
{
	char full[NAME_MAX + 6];

	if (!*name || *name == '.')
		return false;
	if (enter_directory(obj, OBJECT_DEVICE, name))
		return true;
	put_text(full, sizeof(full), "%s-0000", name);
	return enter_directory(obj, OBJECT_DEVICE, full);
}

/* In "zzero-0-1" the device is before the last two numbers. */
static bool enter_address(struct object *obj, const char *address)
{
	char name[NAME_MAX + 1];
	char *chan, *cset;

	put_text(name, sizeof(name), "%s", address);
	chan = strrchr(name, '-');
	if (!chan)
		return false;
	*chan++ = '\0';
	cset = strrchr(name, '-');
	if (!cset)
		return false;
	*cset++ = '\0';
	return enter_device(obj, name) &&
	       enter_number(obj, OBJECT_CSET, "cset", cset) &&
	       enter_number(obj, OBJECT_CHANNEL, "chan", chan);
}

static void start_at(struct object *obj, const char *root)
{
	put_text(obj->path, sizeof(obj->path), "%s", root);
	obj->label[0] = '\0';
	obj->attr[0] = '\0';
}

static int complain_no_device(const char *name)
{
	char root[PATH_MAX], there[1024];

	put_text(root, sizeof(root), "%s/devices", sysfs_root());
	put_names(root, false, there, sizeof(there));
	if (!is_directory(root, "."))
		complain("%s: there is no %s: is zio loaded? (modprobe zio)",
			 name, root);
	else if (!*there)
		complain("%s: no such device; there is no device: load a driver", name);
	else
		complain("%s: no such device or channel; there are: %s", name,
			 there);
	return -1;
}

static int find_in_sysfs(const char *name, struct object *obj)
{
	char root[PATH_MAX];

	put_text(root, sizeof(root), "%s/devices", sysfs_root());
	start_at(obj, root);
	if (enter_device(obj, name))
		return 0;
	start_at(obj, root);
	if (enter_address(obj, name))
		return 0;
	return complain_no_device(name);
}

static int find_configured(const char *root, const char *what,
			   const char *name, struct object *obj)
{
	char owner[NAME_LEN];

	if (!*name || *name == '.' || find_owner(root, name, owner)) {
		complain("%s:%s: there is no such %s in %s", what, name, what,
			 root);
		return -1;
	}
	obj->kind = OBJECT_CONFIGURED;
	put_text(obj->path, sizeof(obj->path), "%s/%s/%s", root, owner, name);
	put_text(obj->label, sizeof(obj->label), "%s:%s", what, name);
	obj->attr[0] = '\0';
	return 0;
}

static int find_base(const char *name, struct object *obj)
{
	if (has_prefix(name, "trigger:"))
		return find_configured(triggers_root(), "trigger", name + 8,
				       obj);
	if (has_prefix(name, "device:"))
		return find_configured(devices_root(), "device", name + 7,
				       obj);
	return find_in_sysfs(name, obj);
}

/* Make "zzero-0-1" of the path of a node, such as /dev/zzero-0-1-data. */
static void strip_node(char *name, const char *text)
{
	static const char *const before[] = { "/dev/zio/", "/dev/" };
	size_t len, i;

	for (i = 0; i < 2; i++) {
		if (has_prefix(text, before[i])) {
			text += strlen(before[i]);
			break;
		}
	}
	put_text(name, PATH_MAX, "%s", text);
	len = strlen(name);
	if (len > 5 && (!strcmp(name + len - 5, "-data") ||
			!strcmp(name + len - 5, "-ctrl")))
		name[len - 5] = '\0';
}

int find_object(const char *text, struct object *obj)
{
	char name[PATH_MAX];
	char *slash;

	strip_node(name, text);
	slash = strchr(name, '/');
	if (slash)
		*slash = '\0';
	if (strlen(name) > NAME_MAX) {
		complain("%.20s...: no such device: the name is too long", name);
		return -1;
	}
	if (find_base(name, obj))
		return -1;
	return slash ? walk_object(obj, slash + 1) : 0;
}
