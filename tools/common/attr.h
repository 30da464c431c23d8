/* SPDX-License-Identifier: GPL-2.0-only */
/* Read and write the attributes of ZIO in sysfs and configfs. */
#ifndef ZIO_COMMON_ATTR_H
#define ZIO_COMMON_ATTR_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTR_TEXT 4097	/* sysfs and configfs give at most a page */
#define NAME_LEN 64

/* Return the directories of ZIO; $ZIO_SYSFS and $ZIO_CONFIGFS move them. */
const char *sysfs_root(void);		/* .../bus/zio */
const char *triggers_root(void);	/* .../zio/triggers */
const char *devices_root(void);		/* .../zio/devices */

bool is_directory(const char *dir, const char *name);
bool is_file(const char *dir, const char *name);

/* Return true if @name is a file in @dir with one of the permissions @mode, as 0444. */
bool has_mode(const char *dir, const char *name, unsigned int mode);

/* Read an attribute without its last newline; 0, or -1, errno, and no text. */
int read_attr(const char *dir, const char *name, char text[ATTR_TEXT]);

/* Read an attribute, cut to the size of @text; returns as read_attr(). */
int read_name(const char *dir, const char *name, char text[NAME_LEN]);

/* Read a number; -1 if it cannot be read. */
int64_t read_number(const char *dir, const char *name);

/* Write @value and a newline in one call; 0, or -1 with errno. */
int write_attr(const char *dir, const char *name, const char *value);

/*
 * List @dir, sorted, without hidden names. Returns their number, or -1 with errno.
 * The caller gives them to free_names(), which ignores -1.
 */
int list_names(const char *dir, struct dirent ***names);
void free_names(struct dirent **names, int count);

/*
 * Find the directory of @root that contains the directory @name, such as "hrt" for
 * .../triggers/hrt/clock0. Returns 0, or -1 if there is none.
 */
int find_owner(const char *root, const char *name, char owner[NAME_LEN]);

/* Put the names in @root, with spaces between: directories, or files as well. */
void put_names(const char *root, bool files, char *text, size_t size);

#endif /* ZIO_COMMON_ATTR_H */
