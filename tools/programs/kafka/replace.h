/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that replace others once they are whole. */
#ifndef ZIO_KAFKA_REPLACE_H
#define ZIO_KAFKA_REPLACE_H

/**
 * struct replacement - a file that is going to have the name of another one
 * @target: the path of the other file, without links
 * @name: TARGET, a dot and six letters; NULL: there is no replacement
 * @fd: the file of that name, open for writing
 */
struct replacement {
	char *target;
	char *name;
	int fd;
};

/*
 * Create the file, with the mode of the one that it replaces, or else that of open().
 * Returns 0, or -1 after a message.
 */
int begin_replacement(struct replacement *r, const char *target);

/*
 * Rename the file once the disk has it: a reader sees the old file or the new one, also
 * after a power failure. Returns 0, or -1 after a message. The replacement is over.
 */
int end_replacement(struct replacement *r);

/* Remove the file if there is one; the target stays as it was. */
void drop_replacement(struct replacement *r);

/* Return the path without links, also of a file that does not exist; the caller frees it. */
char *resolve_path(const char *path);

/* Make the disk keep the names in the folder of @path; 0, or -1. */
int sync_folder(const char *path);

#endif /* ZIO_KAFKA_REPLACE_H */
