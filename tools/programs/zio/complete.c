// SPDX-License-Identifier: GPL-2.0-only
/* Complete objects, attributes and values known to zio */
#include <stdlib.h>
#include <string.h>

#include "common/complete.h"
#include "command.h"

static const char *last_word(int argc, char **argv)
{
	return argv[argc - 1];
}

/* Copy @word up to its last @mark; false if there is none. */
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

/* Offer the children of the object before the last slash. */
static void offer_children(const char *word, const char *above)
{
	struct zio_object *parent = zio_find(NULL, above, NULL, NULL);
	char prefix[PATH_MAX];

	if (!parent)
		return;
	put_text(prefix, sizeof(prefix), "%s/", above);
	if (zio_object_kind(parent) == ZIO_OBJECT_DEVICE)
		offer_objects_of(word, prefix, parent, ZIO_OBJECT_CSET);
	else
		offer_objects_of(word, prefix, parent, ZIO_OBJECT_PART);
	if (zio_object_kind(parent) == ZIO_OBJECT_CSET)
		offer_objects_of(word, prefix, parent, ZIO_OBJECT_CHANNEL);
	zio_object_free(parent);
}

static void offer_objects(const char *word)
{
	char above[PATH_MAX];

	if (split_at(word, '/', above)) {
		offer_children(word, above);
		return;
	}
	offer_objects_of(word, "", NULL, ZIO_OBJECT_DEVICE);
	offer_channels(word, "");
	offer_objects_of(word, "trigger:", NULL, ZIO_OBJECT_SHARED_TRIGGER);
	offer_objects_of(word, "device:", NULL, ZIO_OBJECT_CONFIG_DEVICE);
}

/* Offer attributes of @obj between @prefix and "=", or the readable ones. */
static void offer_own_attrs(const char *word, const struct zio_object *obj,
			    const char *prefix, bool write)
{
	struct zio_attr *list = zio_attr_list(obj, NULL);
	int i;

	for (i = 0; list && list[i].name; i++)
		if (write ? list[i].writable : list[i].readable)
			offer_joined(word, prefix, list[i].name, write ? "=" : "");
	zio_attr_list_free(list);
}

/* Offer the attributes of @obj, and those of its parts. */
static void offer_attrs(const char *word, const struct zio_object *obj,
			const char *prefix, bool write)
{
	struct zio_object **parts = zio_list(obj, ZIO_OBJECT_PART, NULL);
	char part[2 * PATH_MAX];
	int i;

	offer_own_attrs(word, obj, prefix, write);
	for (i = 0; parts && parts[i]; i++) {
		put_text(part, sizeof(part), "%s%s/", prefix, short_name(parts[i]));
		offer_own_attrs(word, parts[i], part, write);
	}
	zio_list_free(parts);
}

/* Offer the words that the attribute in "ATTR=VALUE" of @obj accepts. */
static void offer_values(const char *word, const char *attr, const struct zio_object *obj)
{
	char prefix[PATH_MAX], text[ZIO_TEXT_SIZE], *at = text, *value;

	if (zio_attr_accepted(obj, attr, text, sizeof(text), NULL))
		return;
	put_text(prefix, sizeof(prefix), "%s=", attr);
	while (*text != '[' && *text != '<' && (value = strsep(&at, " ")))
		offer_joined(word, prefix, value, "");
}

void complete_objects(int argc, char **argv)
{
	offer_objects(last_word(argc, argv));
}

void complete_get(int argc, char **argv)
{
	const char *word = last_word(argc, argv);
	char above[PATH_MAX], prefix[PATH_MAX];
	struct zio_object *obj;

	offer_objects(word);
	if (!split_at(word, '/', above))
		return;
	obj = zio_find(NULL, above, NULL, NULL);
	put_text(prefix, sizeof(prefix), "%s/", above);
	if (obj)
		offer_attrs(word, obj, prefix, false);
	zio_object_free(obj);
}

/* Return the object of the attributes at the end of @argv. */
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
	bool has_value = split_at(word, '=', attr);
	struct zio_object *obj;

	obj = name ? zio_find(NULL, name, NULL, NULL) : NULL;
	if (has_value)
		offer_values(word, attr, obj);
	else if (obj)
		offer_attrs(word, obj, "", true);
	zio_object_free(obj);
	/* After a value, another object may follow. */
	if (!has_value && (!name || strchr(argv[argc - 2], '=')))
		offer_objects(word);
}

static enum zio_object_kind named_kind(const char *kind)
{
	return strcmp(kind, "device") ? ZIO_OBJECT_SHARED_TRIGGER :
					ZIO_OBJECT_CONFIG_DEVICE;
}

static void offer_kinds(const char *word)
{
	offer(word, "device");
	offer(word, "trigger");
}

/*
 * Offer attributes, or values, of an existing object of the type: a new one has the same.
 */
static void offer_attrs_of_type(const char *word, enum zio_object_kind kind,
				const char *type)
{
	struct zio_object **list = zio_list(NULL, kind, NULL);
	char attr[PATH_MAX];
	int i;

	for (i = 0; list && list[i]; i++) {
		if (strcmp(zio_object_type(list[i]), type))
			continue;
		if (split_at(word, '=', attr))
			offer_values(word, attr, list[i]);
		else
			offer_own_attrs(word, list[i], "", true);
		break;
	}
	zio_list_free(list);
}

/* create KIND TYPE NAME [ATTR=VALUE]... */
void complete_create(int argc, char **argv)
{
	const char *word = last_word(argc, argv);

	if (argc == 2)
		offer_kinds(word);
	else if (argc == 3)
		offer_objects_of(word, "", NULL, strcmp(argv[1], "device") ?
				 ZIO_OBJECT_TRIGGER_TYPE : ZIO_OBJECT_DRIVER);
	else if (argc > 4)
		offer_attrs_of_type(word, named_kind(argv[1]), argv[2]);
}

/* destroy KIND NAME */
void complete_destroy(int argc, char **argv)
{
	const char *word = last_word(argc, argv);

	if (argc == 2)
		offer_kinds(word);
	else if (argc == 3)
		offer_objects_of(word, "", NULL, named_kind(argv[1]));
}

void complete_channels(int argc, char **argv)
{
	offer_channels(last_word(argc, argv), "");
}
