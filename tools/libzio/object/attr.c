// SPDX-License-Identifier: LGPL-2.1-or-later
/* Attributes of objects: list, read, write */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

#define READABLE 0444
#define WRITABLE 0222
#define NUMBER_TEXT 24	/* bytes of a 64-bit number with its sign */

/* Is it a text attribute of ZIO? */
static bool is_attr(const struct zio_object *obj, const char *name)
{
	if (!strcmp(name, "uevent") || !strcmp(name, "current-control") ||
	    !strcmp(name, "accepted"))
		return false;
	if (obj->kind == ZIO_OBJECT_DEVICE && !zio_device_has_attr(obj, name))
		return false;
	if (obj->kind == ZIO_OBJECT_BUS && !strncmp(name, "drivers_", 8))
		return false;
	return zio_file_mode(obj->path, name);
}

static int fill_list(const struct zio_object *obj, struct dirent **names, int count,
		     struct zio_attr *list)
{
	int i, n = 0;

	for (i = 0; i < count; i++) {
		unsigned int mode = zio_file_mode(obj->path, names[i]->d_name);

		if (!is_attr(obj, names[i]->d_name))
			continue;
		list[n].readable = mode & READABLE;
		list[n].writable = mode & WRITABLE;
		list[n].name = strdup(names[i]->d_name);
		if (!list[n++].name)
			return -1;
	}
	return 0;
}

struct zio_attr *zio_attr_list(const struct zio_object *obj, struct zio_error *err)
{
	struct zio_attr *list;
	struct dirent **names;
	int count;

	if (!obj) {
		zio_explain_null(err);
		return NULL;
	}
	count = zio_scan_dir(obj->path, &names);
	if (count < 0) {
		zio_explain(err, errno, "%s: %s", obj->name, strerror(errno));
		return NULL;
	}
	list = calloc((size_t)count + 1, sizeof(*list));
	if (!list || fill_list(obj, names, count, list)) {
		zio_explain_memory(err);
		zio_attr_list_free(list);
		list = NULL;
	}
	zio_free_names(names, count);
	return list;
}

void zio_attr_list_free(struct zio_attr *list)
{
	int saved = errno;
	size_t i;

	for (i = 0; list && list[i].name; i++)
		free((char *)list[i].name);
	free(list);
	errno = saved;
}

/* Find the attribute of an object or of one of its parts; NULL with errno. */
static struct zio_object *find_attr(const struct zio_object *obj, const char *attr,
				    const char **name, struct zio_error *err)
{
	struct zio_object *found;

	if (!obj || !attr) {
		zio_explain_null(err);
		return NULL;
	}
	found = zio_find(obj, attr, name, err);
	if (!found || *name)
		return found;
	zio_explain(err, EINVAL, "%s is not an attribute%s", found->name,
		    found->kind == ZIO_OBJECT_TRIGGER ? ": set current_trigger of the set" :
		    found->kind == ZIO_OBJECT_BUFFER ? ": set current_buffer of the set" : "");
	zio_object_free(found);
	return NULL;
}

static int read_attr(const struct zio_object *obj, const char *name, char *text,
		     size_t size, struct zio_error *err)
{
	char *path = zio_format("%s/%s", obj->path, name);
	int ret;

	if (!path)
		return zio_explain_memory(err);
	ret = zio_read_file(path, text, size);
	free(path);
	return ret ? zio_explain_get(err, obj, name, errno) : 0;
}

/* Is @attr a path that can be read directly? A search costs more than the read. */
static bool is_plain(const struct zio_object *obj, const char *attr)
{
	return obj && attr && obj->kind != ZIO_OBJECT_DEVICE && *attr != '/' &&
	       *attr != '.' && !strstr(attr, "/.");
}

int zio_attr_get(const struct zio_object *obj, const char *attr, char *text,
		 size_t size, struct zio_error *err)
{
	struct zio_object *found;
	const char *name;
	int ret;

	if (!text || !size)
		return zio_explain_null(err);
	*text = '\0';
	if (is_plain(obj, attr)) {
		ret = read_attr(obj, attr, text, size, err);
		if (!ret || (errno != ENOENT && errno != ENOTDIR && errno != EISDIR))
			return ret;
	}
	found = find_attr(obj, attr, &name, err);
	if (!found)
		return -1;
	ret = read_attr(found, name, text, size, err);
	zio_object_free(found);
	return ret;
}

static int explain_number(struct zio_error *err, const struct zio_object *obj,
			  const char *attr, const char *text, int code)
{
	return zio_explain(err, code, "%s/%s: '%s' is %s", obj->name, attr, text,
			   code == ERANGE ? "out of range for the caller" :
					    "not a number");
}

/* Read "-5", "10" or "0x1f" as a magnitude and a sign. */
static int get_number(const struct zio_object *obj, const char *attr, bool *negative,
		      uint64_t *value, struct zio_error *err)
{
	char text[ZIO_TEXT_SIZE], *digits = text, *end;

	if (zio_attr_get(obj, attr, text, sizeof(text), err))
		return -1;
	*negative = *text == '-';
	digits += *negative;
	errno = 0;
	*value = strtoull(digits, &end, 0);
	if (*digits < '0' || *digits > '9' || *end)
		return explain_number(err, obj, attr, text, EILSEQ);
	return errno ? explain_number(err, obj, attr, text, ERANGE) : 0;
}

static int get_unsigned(const struct zio_object *obj, const char *attr, uint64_t max,
			uint64_t *value, struct zio_error *err)
{
	char text[NUMBER_TEXT];
	bool negative;

	if (get_number(obj, attr, &negative, value, err))
		return -1;
	if (*value <= max && (!negative || !*value))
		return 0;
	snprintf(text, sizeof(text), "%s%" PRIu64, negative ? "-" : "", *value);
	return explain_number(err, obj, attr, text, ERANGE);
}

int zio_attr_get_u32(const struct zio_object *obj, const char *attr, uint32_t *value,
		     struct zio_error *err)
{
	uint64_t number;

	if (!value)
		return zio_explain_null(err);
	if (get_unsigned(obj, attr, UINT32_MAX, &number, err))
		return -1;
	*value = (uint32_t)number;
	return 0;
}

int zio_attr_get_u64(const struct zio_object *obj, const char *attr, uint64_t *value,
		     struct zio_error *err)
{
	uint64_t number;

	if (!value)
		return zio_explain_null(err);
	if (get_unsigned(obj, attr, UINT64_MAX, &number, err))
		return -1;
	*value = number;
	return 0;
}

int zio_attr_get_s64(const struct zio_object *obj, const char *attr, int64_t *value,
		     struct zio_error *err)
{
	char text[NUMBER_TEXT];
	uint64_t number;
	bool negative;

	if (!value)
		return zio_explain_null(err);
	if (get_number(obj, attr, &negative, &number, err))
		return -1;
	if (number > (uint64_t)INT64_MAX + negative) {
		snprintf(text, sizeof(text), "%s%" PRIu64, negative ? "-" : "", number);
		return explain_number(err, obj, attr, text, ERANGE);
	}
	*value = negative ? (int64_t)-number : (int64_t)number;
	return 0;
}

/* Set the values of a shared trigger on the trigger, not through a set. */
static int explain_read_only(const struct zio_object *obj, const char *attr,
			     struct zio_error *err)
{
	char name[ZIO_TEXT_SIZE];

	if (obj->kind != ZIO_OBJECT_TRIGGER || !strcmp(attr, "name") ||
	    read_attr(obj, "name", name, sizeof(name), NULL))
		return zio_explain(err, EACCES, "%s/%s is read-only", obj->name, attr);
	return zio_explain(err, EACCES,
			   "%s/%s is read-only, because '%s' is a shared trigger: set trigger:%s %s=...",
			   obj->name, attr, name, name, attr);
}

static int check_writable(const struct zio_object *obj, const char *attr,
			  struct zio_error *err)
{
	if (zio_file_mode(obj->path, attr) & WRITABLE)
		return 0;
	return explain_read_only(obj, attr, err);
}

int zio_attr_check(const struct zio_object *obj, const char *attr,
		   struct zio_error *err)
{
	const char *name;
	struct zio_object *found = find_attr(obj, attr, &name, err);
	int ret = found ? check_writable(found, name, err) : -1;

	zio_object_free(found);
	return ret;
}

int zio_attr_accepted(const struct zio_object *obj, const char *attr, char *text,
		      size_t size, struct zio_error *err)
{
	struct zio_object *found;
	const char *name;
	char *values;
	int ret = 0;

	if (!text || !size)
		return zio_explain_null(err);
	found = find_attr(obj, attr, &name, err);
	if (!found)
		return -1;
	values = zio_read_accepted(found, name);
	if (!values)
		ret = zio_explain(err, ENODATA, "%s/%s: the kernel does not say what it accepts",
				  found->name, name);
	else if ((size_t)snprintf(text, size, "%s", values) >= size)
		ret = zio_explain_get(err, found, name, EMSGSIZE);
	free(values);
	zio_object_free(found);
	return ret;
}

static int write_attr(const struct zio_object *obj, const char *name, const char *text,
		      struct zio_error *err)
{
	char *path = zio_format("%s/%s", obj->path, name), number[NUMBER_TEXT];
	bool is_duration = zio_put_duration(name, text, number, sizeof(number)) ==
			   ZIO_DURATION_WHOLE;
	int ret;

	if (!path)
		return zio_explain_memory(err);
	ret = zio_write_file(path, is_duration ? number : text);
	free(path);
	return ret ? zio_explain_set(err, obj, name, text, errno) : 0;
}

static int check_text(const char *attr, const char *text, struct zio_error *err)
{
	if (!strchr(text, '\n') && strlen(text) < ZIO_TEXT_SIZE - 2)
		return 0;
	return zio_explain(err, EINVAL,
			   "'%s=...': a value is one line, and shorter than a page", attr);
}

int zio_attr_set(const struct zio_object *obj, const char *attr, const char *text,
		 struct zio_error *err)
{
	struct zio_object *found;
	const char *name;
	int ret;

	if (!obj || !attr || !text)
		return zio_explain_null(err);
	if (check_text(attr, text, err))
		return -1;
	found = find_attr(obj, attr, &name, err);
	if (!found)
		return -1;
	ret = check_writable(found, name, err);
	if (!ret)
		ret = write_attr(found, name, text, err);
	zio_object_free(found);
	return ret;
}

int zio_attr_set_u64(const struct zio_object *obj, const char *attr, uint64_t value,
		     struct zio_error *err)
{
	char text[NUMBER_TEXT];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return zio_attr_set(obj, attr, text, err);
}

int zio_attr_set_u32(const struct zio_object *obj, const char *attr, uint32_t value,
		     struct zio_error *err)
{
	return zio_attr_set_u64(obj, attr, value, err);
}

int zio_attr_set_s64(const struct zio_object *obj, const char *attr, int64_t value,
		     struct zio_error *err)
{
	char text[NUMBER_TEXT];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return zio_attr_set(obj, attr, text, err);
}
