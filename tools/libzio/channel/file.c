// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Block files: one block after the other, each a control followed by its data
 *
 * Both "nodes" of the channel are the same open file, so the functions for nodes also
 * read and write files. This file adds the two differences: skipping data that the caller
 * does not read, and waiting in poll(). The library must not set O_NONBLOCK on standard
 * input, because other programs may share it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"

#define STANDARD "-"
#define SKIP_SIZE ((size_t)65536)

/* A mistyped name of a channel must not create a file. */
static bool may_create(const char *name, int flags)
{
	bool device = !strchr(name, '/') || !strncmp(name, "/dev/", 5);

	if (!(flags & ZIO_OPEN_OUTPUT) ||
	    !(flags & (ZIO_OPEN_CREATE | ZIO_OPEN_APPEND)))
		return false;
	return !device || !zio_is_channel_name(name);
}

bool zio_is_file_name(const char *name, int flags)
{
	struct stat st;

	if (!strcmp(name, STANDARD))
		return true;
	if (!stat(name, &st))
		return !S_ISDIR(st.st_mode) && !S_ISSOCK(st.st_mode);
	return errno == ENOENT && may_create(name, flags);
}

static int open_mode(const char *path, int flags)
{
	struct stat st;

	if (!(flags & ZIO_OPEN_OUTPUT))
		return O_RDONLY;
	if (!(flags & ZIO_OPEN_APPEND))
		return O_WRONLY | O_CREAT | O_TRUNC;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return O_WRONLY;
	return O_RDWR | O_CREAT;	/* find_tail() reads the blocks in the file */
}

static int open_path(const char *path, int flags)
{
	if (!strcmp(path, STANDARD))
		return fcntl(flags & ZIO_OPEN_OUTPUT ? STDOUT_FILENO :
						       STDIN_FILENO,
			     F_DUPFD_CLOEXEC, 0);
	return open(path, open_mode(path, flags) | O_CLOEXEC, 0666);
}

static const struct zio_channel_ops *ops_of(const struct zio_channel *ch, bool regular)
{
	if (ch->output)
		return &zio_file_write_ops;
	return regular ? &zio_file_ops : &zio_stream_ops;
}

/* Both "nodes" share the file and therefore its offset. */
static int open_both(struct zio_channel *ch, int flags)
{
	struct stat st;

	ch->ctrl_fd = open_path(ch->file.name, flags);
	if (ch->ctrl_fd < 0 || fstat(ch->ctrl_fd, &st))
		return -1;
	ch->ops = ops_of(ch, S_ISREG(st.st_mode));
	if (!(flags & ZIO_OPEN_CONTROL_ONLY)) {
		ch->data_fd = fcntl(ch->ctrl_fd, F_DUPFD_CLOEXEC, 0);
		if (ch->data_fd < 0)
			return -1;
	}
	/* Another program may go on reading standard input. */
	ch->file.reads_ahead = flags & ZIO_OPEN_AHEAD && ch->ops == &zio_file_ops &&
			       strcmp(ch->file.name, STANDARD);
	return 0;
}

/* Step from control to control and note the numbers; 0 if the last block is complete. */
static int find_tail(struct zio_channel *ch, uint64_t size)
{
	const uint64_t one = sizeof(ch->control);

	while (ch->file.at_byte < size) {
		uint64_t rest = size - ch->file.at_byte;

		if (rest < one ||
		    pread(ch->ctrl_fd, &ch->control, one,
			  (off_t)ch->file.at_byte) != (ssize_t)one ||
		    zio_check_control(ch) || ch->size > rest - one)
			return -1;
		zio_sequence_find(&ch->seq, &ch->control.addr);
		zio_sequence_count(&ch->seq, ch->control.seq_num);
		ch->file.at_byte += one + ch->size;
	}
	return 0;
}

/* Refuse to append after an incomplete block: no reader could find the new block. */
static int seek_tail(struct zio_channel *ch, struct zio_error *err)
{
	struct stat st;

	if (fstat(ch->ctrl_fd, &st)) {
		zio_explain_open(err, errno, ch->ctrl_path, true);
		return -1;
	}
	if (!S_ISREG(st.st_mode))
		return 0;
	if (find_tail(ch, (uint64_t)st.st_size)) {
		zio_explain_tail(err, ch->ctrl_path, ch->file.at_byte,
				 (uint64_t)st.st_size);
		return -1;
	}
	return lseek(ch->ctrl_fd, 0, SEEK_END) < 0 ? -1 : 0;
}

int zio_open_file(struct zio_channel *ch, int flags, struct zio_error *err)
{
	if ((flags & ZIO_OPEN_RING) && !(flags & ZIO_OPEN_READ)) {
		zio_explain_method(err, EINVAL, ch->ctrl_path, "ring");
		return -1;
	}
	if (open_both(ch, flags)) {
		zio_explain_open(err, errno, ch->ctrl_path, ch->output);
		return -1;
	}
	return flags & ZIO_OPEN_APPEND ? seek_tail(ch, err) : 0;
}

static int wait_stream(struct zio_channel *ch)
{
	int ret = zio_poll(ch->ctrl_fd, POLLIN, ch->interrupt_fd, ch->nonblock ? 0 : -1);

	if (!ret)
		errno = EAGAIN;
	return ret > 0 ? 0 : -1;
}

/* After an error the next call continues where this one stopped. */
static int begin_skip(struct zio_channel *ch)
{
	if (ch->stage == ZIO_STAGE_LOST)
		return zio_fail(ch, ZIO_FAULT_NO_BLOCK, EPROTO);
	ch->stage = ZIO_STAGE_SKIP;
	return 0;
}

static int end_skip(struct zio_channel *ch)
{
	ch->stage = ZIO_STAGE_CONTROL;
	ch->done = 0;
	return 0;
}

static int seek_over(struct zio_channel *ch)
{
	size_t part = ch->size - ch->done;
	struct stat st;
	off_t at;

	if (begin_skip(ch))
		return -1;
	if (part <= ch->file.n - ch->file.at) {
		ch->file.at += part;
		return end_skip(ch);
	}
	if (zio_give_back(ch))
		return zio_fail(ch, ZIO_FAULT_READ_DATA, errno);
	at = lseek(ch->ctrl_fd, 0, SEEK_CUR);
	if (at < 0 || fstat(ch->ctrl_fd, &st))
		return zio_fail(ch, ZIO_FAULT_READ_DATA, errno);
	if (st.st_size < at)
		return zio_fail(ch, ZIO_FAULT_SHORT_DATA, ENODATA);
	if ((uint64_t)(st.st_size - at) < part)
		part = (size_t)(st.st_size - at);
	if (lseek(ch->ctrl_fd, (off_t)part, SEEK_CUR) < 0)
		return zio_fail(ch, ZIO_FAULT_READ_DATA, errno);
	ch->done += part;
	if (ch->done < ch->size)
		return zio_fail(ch, ZIO_FAULT_SHORT_DATA, ENODATA);
	return end_skip(ch);
}

int zio_read_over(struct zio_channel *ch)
{
	if (begin_skip(ch) || zio_grow_mem(ch, SKIP_SIZE))
		return -1;
	while (ch->done < ch->size) {
		size_t left = ch->size - ch->done;
		ssize_t n = -1;

		if (!wait_stream(ch))
			n = read(ch->ctrl_fd, ch->mem,
				 left < SKIP_SIZE ? left : SKIP_SIZE);
		if (n < 0)
			return zio_fail(ch, ZIO_FAULT_READ_DATA, errno);
		if (!n)
			return zio_fail(ch, ZIO_FAULT_SHORT_DATA, ENODATA);
		ch->done += (size_t)n;
	}
	return end_skip(ch);
}

const struct zio_channel_ops zio_file_ops = {
	.name = "file",
	.is_file = true,
	.next = zio_read_next,
	.next_control = zio_read_control,
	.data = zio_read_data,
	.next_into = zio_read_next_into,
	.into_room = zio_read_into_room,
	.next_batch = zio_batch_from_file,
	.skip = seek_over,
};

/* A block file that cannot seek */
const struct zio_channel_ops zio_stream_ops = {
	.name = "file",
	.is_file = true,
	.next = zio_read_next,
	.next_control = zio_read_control,
	.data = zio_read_data,
	.next_into = zio_read_next_into,
	.into_room = zio_read_into_room,
	.wait = wait_stream,
	.skip = zio_read_over,
};
