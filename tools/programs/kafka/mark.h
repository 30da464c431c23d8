/* SPDX-License-Identifier: GPL-2.0-only */
/* FILE.sent: how much of the spool FILE the broker has, and who is using the spool. */
#ifndef ZIO_KAFKA_MARK_H
#define ZIO_KAFKA_MARK_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct mark - the file FILE.sent, locked by the program
 * @name: its path; NULL if it is not locked
 * @fd: closing any other descriptor of the file would drop the lock
 * @is_empty: the file has no text, like a new one, and can be removed
 */
struct mark {
	char *name;
	int fd;
	bool is_empty;
};

/*
 * Create and lock FILE.sent. Returns -1 after a message if another process, which the
 * message names, holds the lock, or if the file is not a mark.
 */
int open_mark(struct mark *mark, const char *file);
bool is_locked(const struct mark *mark);

/*
 * Return the byte of the spool up to which the broker has everything; 0 if the mark belongs
 * to a spool with another inode.
 */
off_t read_mark(const struct mark *mark, ino_t inode);
void write_mark(struct mark *mark, ino_t inode, off_t sent);

/* Forget the byte, also on disk. Returns 0, or -1 and errno. */
int reset_mark(struct mark *mark);
void sync_mark(const struct mark *mark);

/* Unlock the file. Remove it on @request or if it is empty. */
void close_mark(struct mark *mark, bool request);

#endif /* ZIO_KAFKA_MARK_H */
