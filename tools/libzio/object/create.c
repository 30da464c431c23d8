// SPDX-License-Identifier: LGPL-2.1-or-later
/* Create and remove shared triggers and devices without hardware */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object.h"

/* What configfs contains, with texts for messages */
static const struct config_kind {
	enum zio_object_kind kind, types;
	const char *name;
	const char *type;	/* what its type is called */
	const char *module;	/* how to load another type */
} kinds[] = {
	{ ZIO_OBJECT_SHARED_TRIGGER, ZIO_OBJECT_TRIGGER_TYPE, "trigger",
	  "trigger type", "modprobe zio-trig-" },
	{ ZIO_OBJECT_CONFIG_DEVICE, ZIO_OBJECT_DRIVER, "device", "driver",
	  "modprobe zio-" },
};

static const struct config_kind *find_kind(enum zio_object_kind kind)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strpbrk(name, "/= \t\n");
}

static int check_names(const char *type, const char *name, struct zio_error *err)
{
	if (is_name(type) && is_name(name))
		return 0;
	return zio_explain(err, EINVAL,
			   "'%s': a name has no slash, space or '=', and does not begin with a dot",
			   is_name(type) ? name : type);
}

static const struct zio_object *find_type(struct zio_object **types, const char *name)
{
	for (; *types; types++)
		if (!strcmp((*types)->name, name))
			return *types;
	return NULL;
}

static int explain_no_type(const struct config_kind *kind, const char *type,
			   struct zio_error *err)
{
	char *root = zio_configfs_path(kind->kind);
	char there[sizeof(err->text)] = "";

	if (root)
		zio_put_names(root, false, there, sizeof(there));
	free(root);
	return zio_explain(err, ENOENT,
			   "there is no %s '%s'; there are: %s; a module may have it: %s%s",
			   kind->type, type, *there ? there : "none", kind->module,
			   type);
}

/* Names are unique across all types. */
static int check_free(const struct config_kind *kind, const char *name,
		      struct zio_error *err)
{
	struct zio_object **list = zio_list(NULL, kind->kind, err);
	int ret = list ? 0 : -1;
	int i;

	for (i = 0; !ret && list[i]; i++)
		if (!strcmp(strchr(list[i]->name, ':') + 1, name))
			ret = zio_explain(err, EEXIST,
					  "%s '%s' exists already; its %s is %s",
					  kind->name, name, kind->type,
					  list[i]->type);
	zio_list_free(list);
	return ret;
}

static const char *mkdir_reason(int code)
{
	switch (code) {
	case EINVAL:
		return "the kernel does not accept this name";
	case ENAMETOOLONG:
		return "the name is too long";
	case EEXIST:
		return "the name is taken";
	case EPERM:
	case EACCES:
		return "only root may do that";
	default:
		return "see the kernel log";
	}
}

static struct zio_object *make_directory(const struct zio_object *type,
					 const char *name, struct zio_error *err)
{
	struct zio_object *obj = zio_new_child(type, name);

	if (!obj) {
		zio_explain_memory(err);
		return NULL;
	}
	if (!mkdir(obj->path, 0755))
		return obj;
	zio_explain(err, errno, "%s: cannot create: %s: %s", obj->name,
		    strerror(errno), mkdir_reason(errno));
	zio_object_free(obj);
	return NULL;
}

static struct zio_object *create(const struct config_kind *kind, const char *type,
				 const char *name, struct zio_error *err)
{
	struct zio_object **types = zio_list(NULL, kind->types, err);
	struct zio_object *obj = NULL;
	const struct zio_object *of;

	if (!types || check_names(type, name, err))
		goto out;
	of = find_type(types, type);
	if (!of)
		explain_no_type(kind, type, err);
	else if (!check_free(kind, name, err))
		obj = make_directory(of, name, err);
out:
	zio_list_free(types);
	return obj;
}

struct zio_object *zio_create(enum zio_object_kind kind, const char *type,
			      const char *name, struct zio_error *err)
{
	const struct config_kind *found = find_kind(kind);

	if (found && type && name)
		return create(found, type, name, err);
	if (found)
		zio_explain_null(err);
	else
		zio_explain(err, EINVAL,
			    "only shared triggers and devices can be created");
	return NULL;
}

/* Put the sets that use trigger @name, separated by commas. */
static void put_users(const char *name, char *text, size_t size)
{
	struct zio_object **csets = zio_list(NULL, ZIO_OBJECT_CSET, NULL);
	char trigger[ZIO_TEXT_SIZE];
	size_t used = 0;
	int i;

	*text = '\0';
	for (i = 0; csets && csets[i] && used < size; i++) {
		if (zio_attr_get(csets[i], "current_trigger", trigger,
				 sizeof(trigger), NULL) || strcmp(trigger, name))
			continue;
		snprintf(text + used, size - used, "%s%s", used ? "," : "",
			 csets[i]->name);
		used += strlen(text + used);
	}
	zio_list_free(csets);
}

static int explain_busy(const struct zio_object *obj, struct zio_error *err)
{
	char users[sizeof(err->text)] = "";

	if (obj->kind == ZIO_OBJECT_SHARED_TRIGGER)
		put_users(strchr(obj->name, ':') + 1, users, sizeof(users));
	if (*users)
		return zio_explain(err, EBUSY,
				   "%s is in use by %s: give these another current_trigger first",
				   obj->name, users);
	return zio_explain(err, EBUSY, "%s is in use: close its files first", obj->name);
}

int zio_destroy(const struct zio_object *obj, struct zio_error *err)
{
	int code;

	if (!obj)
		return zio_explain_null(err);
	if (!find_kind(obj->kind))
		return zio_explain(err, EINVAL,
				   "%s: only shared triggers and devices of configfs can be removed",
				   obj->name);
	if (!rmdir(obj->path))
		return 0;
	code = errno;
	if (code == EBUSY)
		return explain_busy(obj, err);
	return zio_explain(err, code, "%s: cannot remove: %s%s", obj->name,
			   strerror(code), code == EPERM || code == EACCES ?
			   ": only root may do that" : "");
}
