// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find, open and close the nodes of a name */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"
#include "libzio/object/object.h"

#define DEFAULT_DIRS "/dev/zio:/dev"
#define ALL_FLAGS (ZIO_OPEN_OUTPUT | ZIO_OPEN_NONBLOCK | ZIO_OPEN_CONTROL_ONLY | \
		   ZIO_OPEN_RING | ZIO_OPEN_READ | \
		   ZIO_OPEN_CREATE | ZIO_OPEN_APPEND | ZIO_OPEN_TAP | ZIO_OPEN_AHEAD)
/* Internal to this file: a name with only one of its two nodes is acceptable. */
#define ONE_NODE (1 << 30)

static void forget_paths(struct zio_channel *ch)
{
	free(ch->ctrl_path);
	free(ch->data_path);
	ch->ctrl_path = NULL;
	ch->data_path = NULL;
}

/* Only a missing file continues the search. open() reports other errors. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

static bool are_missing(const struct zio_channel *ch, int flags)
{
	const bool ctrl = is_missing(ch->ctrl_path);
	const bool data = ch->data_path ? is_missing(ch->data_path) : ctrl;

	return flags & ONE_NODE ? ctrl && data : ctrl || data;
}

/* Returns 1 found, 0 missing, -1 no memory. Frees @stem. */
static int try_stem(struct zio_channel *ch, char *stem, int flags)
{
	bool missing;

	if (!stem)
		return -1;
	ch->ctrl_path = zio_format("%s-ctrl", stem);
	if (!(flags & ZIO_OPEN_CONTROL_ONLY))
		ch->data_path = zio_format("%s-data", stem);
	free(stem);
	if (!ch->ctrl_path ||
	    (!ch->data_path && !(flags & ZIO_OPEN_CONTROL_ONLY)))
		return -1;
	missing = are_missing(ch, flags);
	if (missing)
		forget_paths(ch);
	return !missing;
}

/* Look for the nodes of a channel from the parts of its name. @id is "" or "-0000". */
static int try_parts(struct zio_channel *ch, const char *dir, int dir_len,
		     const struct zio_name *name, const char *id, int flags)
{
	return try_stem(ch, zio_format("%.*s/%.*s%s-%.*s-%.*s", dir_len, dir,
				       name->device.len, name->device.at, id,
				       name->cset.len, name->cset.at,
				       name->chan.len, name->chan.at), flags);
}

static int try_dir(struct zio_channel *ch, const char *dir, int dir_len,
		   const char *name, int flags)
{
	struct zio_name parts;
	int ret;

	if (zio_parse_channel(name, &parts)) {
		ret = try_parts(ch, dir, dir_len, &parts, "", flags);
		return ret ? ret : try_parts(ch, dir, dir_len, &parts, "-0000", flags);
	}
	return try_stem(ch, zio_format("%.*s/%.*s", dir_len, dir, zio_stem_len(name), name),
			flags);
}

static const char *search_path(void)
{
	const char *dirs = secure_getenv("ZIO_DEV_PATH");

	return dirs ? dirs : DEFAULT_DIRS;
}

static int search_dirs(struct zio_channel *ch, const char *name, int flags)
{
	const char *dirs = search_path();
	int ret = 0;

	while (!ret && *dirs) {
		int len = (int)strcspn(dirs, ":");

		if (len)
			ret = try_dir(ch, dirs, len, name, flags);
		dirs += len;
		dirs += strspn(dirs, ":");
	}
	return ret;
}

/* The path of a device that carries only controls needs no suffix of a node. */
static int try_lone_control(struct zio_channel *ch, const char *path,
			    int flags)
{
	struct stat st;

	if (!(flags & ZIO_OPEN_CONTROL_ONLY) || zio_has_suffix(path) ||
	    stat(path, &st) || !S_ISCHR(st.st_mode))
		return 0;
	ch->mixed = true;
	ch->ctrl_path = strdup(path);
	return ch->ctrl_path ? 1 : -1;
}

static int try_path(struct zio_channel *ch, const char *path, int flags)
{
	int ret = try_lone_control(ch, path, flags);

	if (ret)
		return ret;
	return try_stem(ch, zio_format("%.*s", zio_stem_len(path), path), flags);
}

static const char *shown_name(const char *name, int flags)
{
	if (strcmp(name, "-"))
		return name;
	return flags & ZIO_OPEN_OUTPUT ? "standard output" : "standard input";
}

static int try_file(struct zio_channel *ch, const char *name, int flags)
{
	if (!zio_is_file_name(name, flags))
		return 0;
	ch->mixed = true;
	ch->file.name = strdup(name);
	ch->ctrl_path = strdup(shown_name(name, flags));
	ch->data_path = strdup(shown_name(name, flags));
	return ch->file.name && ch->ctrl_path && ch->data_path ? 1 : -1;
}

/* A driver may name a set, too. Only sysfs knows where the channels of that name are. */
static int try_object(struct zio_channel *ch, const char *name, int flags)
{
	struct zio_object *obj = zio_find(NULL, name, NULL, NULL);
	char address[ZIO_TEXT_SIZE];
	int ret = 0;

	if (obj && zio_object_kind(obj) == ZIO_OBJECT_CHANNEL &&
	    !zio_attr_get(obj, "address", address, sizeof(address), NULL))
		ret = search_dirs(ch, address, flags);
	zio_object_free(obj);
	return ret;
}

/* Prefer an existing path to the channel of that name. */
static int try_path_or_object(struct zio_channel *ch, const char *name, int flags)
{
	struct zio_name parts;
	int ret = try_path(ch, name, flags);

	if (ret || !(zio_has_suffix(name) || is_missing(name)))
		return ret;
	if (zio_parse_channel(name, &parts))
		return search_dirs(ch, name, flags);
	return try_object(ch, name, flags);
}

static int try_name(struct zio_channel *ch, const char *name, int flags)
{
	return strchr(name, '/') ? try_path_or_object(ch, name, flags) :
				   search_dirs(ch, name, flags);
}

/*
 * udev makes the two short names of a new channel one after the other, while its own two
 * nodes already exist. So prefer those to half a pair. If there is only half a pair,
 * open() tells which node is missing.
 */
static int find_nodes(struct zio_channel *ch, const char *name, int flags,
		      struct zio_error *err)
{
	int ret = try_name(ch, name, flags);

	if (!ret)
		ret = try_name(ch, name, flags | ONE_NODE);
	if (!ret)
		ret = try_file(ch, name, flags);
	if (ret > 0)
		return 0;
	if (ret < 0)
		zio_explain_open(err, ENOMEM, name, ch->output);
	else
		zio_explain_missing(err, name, strchr(name, '/') ? NULL : search_path());
	return -1;
}

static struct zio_channel *alloc_channel(const char *name, int flags,
					 struct zio_error *err)
{
	struct zio_channel *ch = calloc(1, sizeof(*ch));
	int fd = ch ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;

	if (fd < 0) {
		zio_explain_open(err, ch ? errno : ENOMEM, name,
				 flags & ZIO_OPEN_OUTPUT);
		free(ch);
		return NULL;
	}
	ch->interrupt_fd = fd;
	ch->output = flags & ZIO_OPEN_OUTPUT;
	ch->max_block = ZIO_DEFAULT_MAX_BLOCK;
	ch->nonblock = flags & ZIO_OPEN_NONBLOCK;
	ch->ctrl_fd = -1;
	ch->data_fd = -1;
	return ch;
}

static const char *find_argument_fault(const char *name, int flags)
{
	if (!name)
		return "the name is NULL";
	if (flags & ~ALL_FLAGS)
		return "open: unknown flags for this library";
	if ((flags & ZIO_OPEN_TAP) && (flags & ~(ZIO_OPEN_TAP | ZIO_OPEN_NONBLOCK | ZIO_OPEN_AHEAD)))
		return "open: ZIO_OPEN_TAP combines only with ZIO_OPEN_NONBLOCK";
	return NULL;
}

static int check_arguments(const char *name, int flags, struct zio_error *err)
{
	const char *fault = find_argument_fault(name, flags);

	if (!fault)
		return 0;
	return zio_explain(err, EINVAL, "%s: %s", name ? name : "open", fault);
}

struct zio_channel *zio_open(const char *name, int flags,
			     struct zio_error *err)
{
	struct zio_channel *ch;
	int code;

	if (check_arguments(name, flags, err))
		return NULL;
	ch = alloc_channel(name, flags, err);
	if (!ch)
		return NULL;
	if (!find_nodes(ch, name, flags, err) &&
	    !zio_open_methods(ch, flags, err))
		return ch;
	code = errno;
	zio_close(ch);
	errno = code;
	return NULL;
}
