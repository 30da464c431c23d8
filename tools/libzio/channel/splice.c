// SPDX-License-Identifier: LGPL-2.1-or-later
/* Move data from one channel or file to another through a pipe */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "channel.h"

#define IN_FAILED -2
#define PIPE_SIZE (1 << 20)

static int fail_in(struct zio_channel *in, enum zio_fault fault, int code)
{
	zio_fail(in, fault, code);
	return IN_FAILED;
}

/* A large pipe saves system calls. The kernel may refuse the user a large one. */
static int make_pipe(struct zio_channel *out)
{
	if (out->pipe.fd[0] >= 0)
		return 0;
	if (pipe2(out->pipe.fd, O_CLOEXEC))
		return zio_fail(out, ZIO_FAULT_PIPE, errno);
	fcntl(out->pipe.fd[1], F_SETPIPE_SZ, PIPE_SIZE);
	return 0;
}

/* The caller has read the control. No data were read, or a part by zio_splice(). */
static int begin_splice(struct zio_channel *out, struct zio_channel *in,
			const struct zio_control *control)
{
	if (in->output)
		return fail_in(in, ZIO_FAULT_DIRECTION, EBADF);
	if (in->data_fd < 0)
		return fail_in(in, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (!in->ops->can_splice)
		return fail_in(in, ZIO_FAULT_SPLICE_MAPPED, EOPNOTSUPP);
	if (in->stage == ZIO_STAGE_HAS_CONTROL) {
		in->to = NULL;
		in->stage = ZIO_STAGE_DATA;
	}
	if (in->stage != ZIO_STAGE_DATA || in->to)
		return fail_in(in, ZIO_FAULT_NO_CONTROL, EINVAL);
	if (zio_give_back(in))
		return fail_in(in, ZIO_FAULT_READ_DATA, errno);
	if (zio_check_block(out, control, in->size) || make_pipe(out))
		return -1;
	return zio_begin_block(out, control);
}

static int fill_pipe(struct zio_channel *out, struct zio_channel *in)
{
	ssize_t n;

	if (in->ops->wait && in->ops->wait(in))
		return fail_in(in, ZIO_FAULT_READ_DATA, errno);
	n = splice(in->data_fd, NULL, out->pipe.fd[1], NULL,
		   in->size - in->done, SPLICE_F_MOVE);

	if (n < 0)
		return fail_in(in, ZIO_FAULT_READ_DATA, errno);
	if (!n)
		return fail_in(in, ZIO_FAULT_SHORT_DATA, ENODATA);
	in->done += (size_t)n;
	out->pipe.size = (size_t)n;
	return 0;
}

static int empty_pipe(struct zio_channel *out)
{
	ssize_t n;

	do {
		n = splice(out->pipe.fd[0], NULL, out->data_fd, NULL, out->pipe.size,
			   SPLICE_F_MOVE);
	} while (n < 0 && zio_wait_to_retry(out, out->data_fd, POLLOUT));
	if (n <= 0)
		return zio_fail(out, ZIO_FAULT_WRITE_DATA, n ? errno : EIO);
	out->pipe.size -= (size_t)n;
	out->done += (size_t)n;
	return 0;
}

int zio_splice(struct zio_channel *out, struct zio_channel *in,
	       const struct zio_control *control)
{
	int ret;

	if (!out || !in)
		return zio_fail_null(out);
	ret = begin_splice(out, in, control);
	while (!ret && out->done < in->size) {
		if (!out->pipe.size)
			ret = fill_pipe(out, in);
		if (!ret)
			ret = empty_pipe(out);
	}
	if (ret)
		return ret;
	in->stats.bytes += in->size;
	in->stage = ZIO_STAGE_CONTROL;
	in->done = 0;
	out->done = 0;
	zio_end_block(out, in->size);
	return 0;
}
