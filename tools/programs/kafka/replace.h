/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that replace others only when complete. */
#ifndef ZIO_KAFKA_REPLACE_H
#define ZIO_KAFKA_REPLACE_H

/**
 * struct replacement - a file that will take the name of another one
 * @target: the path of the other file, without links
 * @name: TARGET, a dot and six letters; NULL if no replacement is under way
 * @fd: the file @name, open for writing
 */
struct replacement {
	char *target;
	char *name;
	int fd;
};

/*
 * Create the file. It gets the mode of the file that it replaces, or the default of open().
 * Returns 0, or -1 after a message.
 */
int begin_replacement(struct replacement *r, const char *target);

/*
 * Rename the file once it is on disk. A reader sees the old file or the new one, even after
 * a power failure. Returns 0, or -1 after a message. Either way the replacement is over.
 */
int end_replacement(struct replacement *r);

/* Remove the file, if any; the target stays as it was. */
void drop_replacement(struct replacement *r);

/* Return the path without links, even if the file does not exist; the caller frees it. */
char *resolve_path(const char *path);

/* Write the names in the folder of @path to disk. Returns 0, or -1. */
int sync_folder(const char *path);

#endif /* ZIO_KAFKA_REPLACE_H */
