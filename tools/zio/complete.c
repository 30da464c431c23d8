// SPDX-License-Identifier: GPL-2.0-only
/* Complete objects, attributes, and values that zio knows */
#include <stdlib.h>
#include <string.h>

#include "common/complete.h"
#include "command.h"

static const char *last_word(int argc, char **argv)
{
	return argv[argc - 1];
}

/* Copy @word up to its last @mark; false if it has none. */
static bool split_at(const char *word, char mark, char head[PATH_MAX])
{
	const char *at = strrchr(word, mark);

	put_text(head, PATH_MAX, "%.*s", at ? (int)(at - word) : 0, word);
	return at;
}

static void offer_joined(const char *word, const char *prefix, const char *name,
			 const char *end)
{
	char text[2 * PATH_MAX];

	put_text(text, sizeof(text), "%s%s%s", prefix, name, end);
	offer(word, text);
}

/* Offer the objects of all types or drivers in @root. */
static void offer_configured(const char *word, const char *prefix,
			     const char *root)
{
	struct dirent **types;
	int count = list_names(root, &types);
	char dir[PATH_MAX];
	int i;

	for (i = 0; i < count; i++) {
		put_text(dir, sizeof(dir), "%s/%s", root, types[i]->d_name);
		offer_names(word, prefix, dir);
	}
	free_names(types, count);
}

static bool is_object(const struct object *parent, const char *name)
{
	if (parent->kind == OBJECT_DEVICE)
		return is_numbered(name, "cset");
	return is_directory(parent->path, name) && strcmp(name, "power");
}

/* Offer the children of the object before the last slash. */
static void offer_children(const char *word, const char *above)
{
	char prefix[PATH_MAX];
	struct dirent **names;
	struct object parent;
	int count, i;

	if (find_object(above, &parent) || parent.attr[0])
		return;
	put_text(prefix, sizeof(prefix), "%s/", above);
	count = list_names(parent.path, &names);
	for (i = 0; i < count; i++)
		if (is_object(&parent, names[i]->d_name))
			offer_joined(word, prefix, names[i]->d_name, "");
	free_names(names, count);
}

static void offer_objects(const char *word)
{
	char above[PATH_MAX], dir[PATH_MAX];

	if (split_at(word, '/', above)) {
		offer_children(word, above);
		return;
	}
	put_text(dir, sizeof(dir), "%s/devices", sysfs_root());
	offer_names(word, "", dir);
	offer_channels(word, "");
	offer_configured(word, "trigger:", triggers_root());
	offer_configured(word, "device:", devices_root());
}

/* Offer each attribute in @dir with permissions @mode, between @prefix and @end. */
static void offer_files_of(const char *word, const char *dir, const char *prefix,
			   unsigned int mode, const char *end)
{
	struct dirent **names;
	int count = list_names(dir, &names);
	int i;

	for (i = 0; i < count; i++)
		if (has_mode(dir, names[i]->d_name, mode) &&
		    strcmp(names[i]->d_name, "uevent") &&
		    strcmp(names[i]->d_name, "current-control"))
			offer_joined(word, prefix, names[i]->d_name, end);
	free_names(names, count);
}

/* Offer the attributes of @obj, and those of its parts. */
static void offer_attrs(const char *word, const struct object *obj,
			const char *prefix, unsigned int mode, const char *end)
{
	char dir[PATH_MAX], part[2 * PATH_MAX];
	struct dirent **names;
	int count, i;

	if (obj->kind == OBJECT_DEVICE || obj->attr[0])
		return;
	offer_files_of(word, obj->path, prefix, mode, end);
	count = list_names(obj->path, &names);
	for (i = 0; i < count; i++) {
		if (!is_object(obj, names[i]->d_name) ||
		    is_numbered(names[i]->d_name, "chan"))
			continue;
		put_text(dir, sizeof(dir), "%s/%s", obj->path,
			 names[i]->d_name);
		put_text(part, sizeof(part), "%s%s/", prefix,
			 names[i]->d_name);
		offer_files_of(word, dir, part, mode, end);
	}
	free_names(names, count);
}

/* Offer the values of the attribute in "ATTR=VALUE". */
static void offer_values(const char *word, const char *attr)
{
	static const char *const clocks[] = {
		"realtime", "tai", "monotonic", "boottime", NULL
	};
	static const char *const flags[] = { "0", "1", NULL };
	const char *name = base_name(attr);
	char prefix[PATH_MAX];

	put_text(prefix, sizeof(prefix), "%s=", attr);
	if (!strcmp(name, "current_trigger")) {
		offer_lines(word, prefix, sysfs_root(), "available_triggers");
		offer_configured(word, prefix, triggers_root());
	} else if (!strcmp(name, "current_buffer")) {
		offer_lines(word, prefix, sysfs_root(), "available_buffers");
	} else if (!strcmp(name, "clock")) {
		offer_choices(word, prefix, clocks);
	} else if (!strcmp(name, "enable") || !strcmp(name, "prefer-new") ||
		   !strcmp(name, "live")) {
		offer_choices(word, prefix, flags);
	}
}

void complete_list(int argc, char **argv)
{
	offer_objects(last_word(argc, argv));
}

void complete_top(int argc, char **argv)
{
	offer_choices(last_word(argc, argv), "--sort=", sort_names);
	complete_list(argc, argv);
}

void complete_get(int argc, char **argv)
{
	const char *word = last_word(argc, argv);
	char above[PATH_MAX], prefix[PATH_MAX];
	struct object obj;

	offer_objects(word);
	if (!split_at(word, '/', above) || find_object(above, &obj))
		return;
	put_text(prefix, sizeof(prefix), "%s/", above);
	offer_attrs(word, &obj, prefix, 0444, "");
}

/* Return the object that the attributes at the end of @argv belong to. */
static const char *named_object(int argc, char **argv)
{
	int i;

	for (i = argc - 2; i > 0; i--)
		if (*argv[i] != '-' && !strchr(argv[i], '='))
			return argv[i];
	return NULL;
}

void complete_set(int argc, char **argv)
{
	const char *word = last_word(argc, argv);
	const char *name = named_object(argc, argv);
	char attr[PATH_MAX];
	struct object obj;

	if (split_at(word, '=', attr)) {
		offer_values(word, attr);
		return;
	}
	if (name && !find_object(name, &obj))
		offer_attrs(word, &obj, "", 0222, "=");
	/* After a value, another object may follow. */
	if (!name || strchr(argv[argc - 2], '='))
		offer_objects(word);
}

static const char *configured_root(const char *kind)
{
	return strcmp(kind, "device") ? triggers_root() : devices_root();
}

static void offer_kinds(const char *word)
{
	offer(word, "device");
	offer(word, "trigger");
}

/* Offer the attributes of an existing object of the type: a new one has the same. */
static void offer_attrs_of_type(const char *word, const char *root,
				const char *type)
{
	char dir[PATH_MAX], path[2 * PATH_MAX];
	struct dirent **names;
	int count;

	put_text(dir, sizeof(dir), "%s/%s", root, type);
	count = list_names(dir, &names);
	if (count > 0) {
		put_text(path, sizeof(path), "%s/%s", dir, names[0]->d_name);
		offer_files_of(word, path, "", 0222, "=");
	}
	free_names(names, count);
}

/* create KIND TYPE NAME [ATTR=VALUE]... */
void complete_create(int argc, char **argv)
{
	const char *word = last_word(argc, argv);
	char attr[PATH_MAX];

	if (argc == 2)
		offer_kinds(word);
	else if (argc == 3)
		offer_names(word, "", configured_root(argv[1]));
	else if (argc > 4 && split_at(word, '=', attr))
		offer_values(word, attr);
	else if (argc > 4)
		offer_attrs_of_type(word, configured_root(argv[1]), argv[2]);
}

/* destroy KIND NAME */
void complete_destroy(int argc, char **argv)
{
	const char *word = last_word(argc, argv);

	if (argc == 2)
		offer_kinds(word);
	else if (argc == 3)
		offer_configured(word, "", configured_root(argv[1]));
}

void complete_plot(int argc, char **argv)
{
	offer_channels(last_word(argc, argv), "");
}
