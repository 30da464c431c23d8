// SPDX-License-Identifier: LGPL-2.1-or-later
/* Many small blocks of a file with one read() */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"

#define AHEAD_SIZE ((size_t)65536)
/* Read a larger block directly, without a copy. */
#define LARGEST_AHEAD ((size_t)8192)

static ssize_t fill_ahead(struct zio_channel *ch)
{
	struct zio_file *file = &ch->file;
	ssize_t n;

	if (!file->ahead)
		file->ahead = malloc(AHEAD_SIZE);
	if (!file->ahead)
		return -1;
	n = read(ch->ctrl_fd, file->ahead, AHEAD_SIZE);
	file->at = 0;
	file->n = n > 0 ? (size_t)n : 0;
	return n;
}

ssize_t zio_read_ahead(struct zio_channel *ch, void *to, size_t size)
{
	struct zio_file *file = &ch->file;

	if (file->at == file->n) {
		ssize_t n;

		if (ch->size > LARGEST_AHEAD)
			return read(ch->ctrl_fd, to, size);
		n = fill_ahead(ch);
		if (n <= 0)
			return n;
	}
	if (size > file->n - file->at)
		size = file->n - file->at;
	memcpy(to, file->ahead + file->at, size);
	file->at += size;
	return (ssize_t)size;
}

int zio_give_back(struct zio_channel *ch)
{
	struct zio_file *file = &ch->file;
	off_t left = (off_t)(file->n - file->at);

	file->at = 0;
	file->n = 0;
	return left && lseek(ch->ctrl_fd, -left, SEEK_CUR) < 0 ? -1 : 0;
}
