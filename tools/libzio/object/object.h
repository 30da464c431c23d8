/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files that find and set up objects. */
#ifndef LIBZIO_OBJECT_H
#define LIBZIO_OBJECT_H

#include <dirent.h>
#include <sys/timex.h>

#include "libzio/control/control.h"

struct zio_object {
	enum zio_object_kind kind;
	char *path;
	char *name;
	char *type;		/* for configfs only; otherwise NULL */
};

/* --- dir.c: directories and files. Allocated paths belong to the caller. */
char *zio_sysfs_path(void);			/* .../bus/zio */
char *zio_configfs_path(enum zio_object_kind kind);	/* .../zio/triggers, devices */
bool zio_is_dir(const char *dir, const char *name);
bool zio_is_dir_entry(const char *dir, const struct dirent *entry);

/* Return the mode of a regular file; 0 for anything else. */
unsigned int zio_file_mode(const char *dir, const char *name);

/* List @dir by name, without hidden names; return their number, or -1 with errno. */
int zio_scan_dir(const char *dir, struct dirent ***names);
void zio_free_names(struct dirent **names, int count);

/* Put the names in @dir, separated by spaces: of directories, or of files as well. */
void zio_put_names(const char *dir, bool files, char *text, size_t size);

/* Read @text without its last newline; 0, or -1 with errno and an empty text. */
int zio_read_file(const char *path, char *text, size_t size);

/* Write @value and a newline in one call; 0, or -1 with errno. */
int zio_write_file(const char *path, const char *value);

/* --- object.c */

/* A link to "chan0" in the directory of an interleaved set: the name in ZIO 1.x */
#define ZIO_INTERLEAVED "chani"

bool zio_is_numbered(const char *name, const char *prefix);

/* Make an object from copies of the arguments; @type may be NULL. NULL: out of memory. */
struct zio_object *zio_new_object(enum zio_object_kind kind, const char *path,
				  const char *name, const char *type);

/* Make the object for directory @name in @in, of the kind that belongs there. */
struct zio_object *zio_new_child(const struct zio_object *in, const char *name);

/* Prefix of names of @kind in messages: "trigger" or "device". */
const char *zio_config_prefix(enum zio_object_kind kind);

/* --- nearest.c: put " (did you mean 'X'?)" if one of @words is near @word, else "". */
void zio_put_nearest(const char *word, const char *words, char *text, size_t size);

/* --- duration.c */
enum zio_duration {
	ZIO_DURATION_NONE,	/* not a number with a unit, or not an attribute with one */
	ZIO_DURATION_PART,	/* not a whole number in the unit of the attribute */
	ZIO_DURATION_WHOLE,
};

/* Put "20000000" for "20ms" if @attr is "period-ns"; whole numbers only. */
enum zio_duration zio_put_duration(const char *attr, const char *text, char *number,
				   size_t size);

/* --- accepted.c: what an attribute accepts, allocated; NULL if the kernel is silent. */
char *zio_read_accepted(const struct zio_object *obj, const char *attr);

/* Is the file of a device an attribute of the core? Others put files there, too. */
bool zio_device_has_attr(const struct zio_object *obj, const char *name);

/* Put it into words for a message; -1 if unknown, or if @value is accepted. */
int zio_put_accepted(const struct zio_object *obj, const char *attr, const char *value,
		     char *text, size_t size);

/* --- reason.c: describe why the kernel refused @value with errno @code. */
int zio_explain_set(struct zio_error *err, const struct zio_object *obj,
		    const char *attr, const char *value, int code);

/* The same for a read. */
int zio_explain_get(struct zio_error *err, const struct zio_object *obj,
		    const char *attr, int code);

/* --- clock.c: set the state of a kernel clock from the result of adjtimex(2). */
void zio_clock_judge(struct zio_clock *clock, int ret, const struct timex *timex);

#endif /* LIBZIO_OBJECT_H */
