/* SPDX-License-Identifier: GPL-2.0-only */
/* FILE.sent: what the broker has of the spool FILE, and which program uses it. */
#ifndef ZIO_KAFKA_MARK_H
#define ZIO_KAFKA_MARK_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct mark - the file FILE.sent, which the program has locked
 * @name: its path; NULL: it is not locked
 * @fd: the program must close no other descriptor of it, which would end the lock
 * @is_empty: it has no text, as a new one: nobody misses it
 */
struct mark {
	char *name;
	int fd;
	bool is_empty;
};

/*
 * Create and lock FILE.sent. Returns -1 after a message: another process, which it names,
 * has locked the file, or it is no mark.
 */
int open_mark(struct mark *mark, const char *file);
bool is_locked(const struct mark *mark);

/*
 * Return the byte of the spool, before which the broker has all; 0 if the mark was made for
 * a spool with another inode.
 */
off_t read_mark(const struct mark *mark, ino_t inode);
void write_mark(struct mark *mark, ino_t inode, off_t sent);

/* Forget the byte, also on the disk; 0, or -1 and errno. */
int reset_mark(struct mark *mark);
void sync_mark(const struct mark *mark);

/* Unlock the file, and remove it on @request, or if it is empty. */
void close_mark(struct mark *mark, bool request);

#endif /* ZIO_KAFKA_MARK_H */
