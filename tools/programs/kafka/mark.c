// SPDX-License-Identifier: GPL-2.0-only
/*
 * mark.c: FILE.sent, the inode of the spool and a byte position in it, as text
 *
 * Each change is one short write: a program that is killed leaves the old text or the new.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/program.h"
#include "common/text.h"
#include "mark.h"

#define NUMBER_LEN 20
#define MARK_LEN 42	/* two numbers, a blank, a newline */

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

static int tell_holder(const struct mark *mark, const char *file)
{
	struct flock lock = whole_file();

	if (!fcntl(mark->fd, F_GETLK, &lock) && lock.l_type != F_UNLCK)
		complain("spool %s: process %d uses it: give each program a spool of its own",
			 file, (int)lock.l_pid);
	else
		complain("%s: cannot lock: %s", mark->name, strerror(errno));
	return -1;
}

/* The previous holder of the lock may have removed the file: then we locked a dead inode. */
static bool is_there(const struct mark *mark)
{
	struct stat st;

	return !fstat(mark->fd, &st) && st.st_nlink;
}

static int lock_file(struct mark *mark, const char *file)
{
	struct flock lock = whole_file();

	do {
		if (mark->fd >= 0)
			close(mark->fd);
		mark->fd = open(mark->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (mark->fd < 0) {
			complain("%s: cannot open: %s", mark->name, strerror(errno));
			return -1;
		}
		if (fcntl(mark->fd, F_SETLK, &lock))
			return tell_holder(mark, file);
	} while (!is_there(mark));
	return 0;
}

static bool has_number(const char *text, char end)
{
	return strspn(text, "0123456789") == NUMBER_LEN && text[NUMBER_LEN] == end;
}

/* A power failure may have left zeros in place of the text. */
static bool is_mark(const char text[MARK_LEN + 1])
{
	static const char zeros[MARK_LEN];

	return !memcmp(text, zeros, MARK_LEN) ||
	       (has_number(text, ' ') && has_number(text + NUMBER_LEN + 1, '\n'));
}

/* The user may have a different file of that name. */
static int check_text(struct mark *mark)
{
	char text[MARK_LEN + 1] = "";
	ssize_t len = pread(mark->fd, text, sizeof(text), 0);

	mark->is_empty = !len;
	if (!len || (len == MARK_LEN && is_mark(text)))
		return 0;
	complain("%s: not the mark of a spool: name another spool, or remove it",
		 mark->name);
	return -1;
}

int open_mark(struct mark *mark, const char *file)
{
	if (asprintf(&mark->name, "%s.sent", file) < 0)
		fail_memory();
	mark->fd = -1;
	mark->is_empty = false;
	if (!lock_file(mark, file) && !check_text(mark))
		return 0;
	close_mark(mark, false);
	return -1;
}

bool is_locked(const struct mark *mark)
{
	return mark->name;
}

off_t read_mark(const struct mark *mark, ino_t inode)
{
	char text[MARK_LEN + 1] = "";
	unsigned long long found;
	long long sent;

	if (pread(mark->fd, text, MARK_LEN, 0) != MARK_LEN ||
	    sscanf(text, "%llu %lld", &found, &sent) != 2 || found != inode || sent < 0)
		return 0;
	return (off_t)sent;
}

static int put_mark(struct mark *mark, ino_t inode, off_t sent)
{
	char text[MARK_LEN + 1];

	put_text(text, sizeof(text), "%020llu %020lld\n", (unsigned long long)inode,
		 (long long)sent);
	if (pwrite(mark->fd, text, MARK_LEN, 0) != MARK_LEN)
		return -1;
	mark->is_empty = false;
	return 0;
}

/* Ignore errors: the next run then sends more blocks twice, and says so. */
void write_mark(struct mark *mark, ino_t inode, off_t sent)
{
	(void)put_mark(mark, inode, sent);
}

int reset_mark(struct mark *mark)
{
	return put_mark(mark, 0, 0) || fdatasync(mark->fd) ? -1 : 0;
}

void sync_mark(const struct mark *mark)
{
	(void)!fdatasync(mark->fd);
}

void close_mark(struct mark *mark, bool request)
{
	if (mark->name && (request || mark->is_empty))
		unlink(mark->name);
	if (mark->fd >= 0 && mark->name)
		close(mark->fd);
	free(mark->name);
	mark->name = NULL;
}
