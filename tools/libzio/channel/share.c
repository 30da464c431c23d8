// SPDX-License-Identifier: LGPL-2.1-or-later
/* Let an output play blocks from the memory of an input */
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "channel.h"

int zio_share(struct zio_channel *out, struct zio_channel *in)
{
	int fd = in ? in->ctrl_fd : -1;

	if (!out)
		return zio_fail_null(out);
	if (!out->output)
		return zio_fail(out, ZIO_FAULT_DIRECTION, EBADF);
	if (!out->ops->can_share || (in && !in->ops->can_share))
		return zio_fail(out, ZIO_FAULT_NOT_SHARED, EOPNOTSUPP);
	if (ioctl(out->ctrl_fd, ZIO_IOC_SHARE, &fd))
		return zio_fail(out, ZIO_FAULT_SHARE, errno);
	return 0;
}

static int send_control(struct zio_channel *out,
			const struct zio_control *control)
{
	ssize_t n;

	do {
		n = write(out->ctrl_fd, control, sizeof(*control));
	} while (n < 0 && zio_wait_to_retry(out, zio_fd(out), POLLOUT));
	if (n == (ssize_t)sizeof(*control))
		return 0;
	return zio_fail(out, ZIO_FAULT_SUBMIT, n < 0 ? errno : EIO);
}

/* Could a copy of the block succeed where sharing failed with @code? */
static bool may_copy(int code, int flags)
{
	if (flags & ZIO_SUBMIT_ONLY)
		return false;
	return code != EAGAIN && code != EINTR && code != ENODEV;
}

/*
 * The first write asks the kernel to share or fail, so its result tells whether the
 * kernel shared the block. The second write lets the kernel copy.
 */
static int share_or_copy(struct zio_channel *out, struct zio_control *control,
			 int flags)
{
	int code;

	control->flags |= ZIO_CONTROL_SHARED | ZIO_CONTROL_SHARE_ONLY;
	if (!send_control(out, control))
		return 1;
	code = errno;
	if (!may_copy(code, flags))
		return -1;
	control->flags &= ~ZIO_CONTROL_SHARE_ONLY;
	if (send_control(out, control))
		return -1;
	out->sharing.why = code;
	return 0;
}

int zio_submit(struct zio_channel *out, struct zio_channel *in, int flags)
{
	struct zio_control control;
	size_t size;
	int ret;

	if (!out || !in)
		return zio_fail_null(out);
	if (flags & ~(ZIO_SUBMIT_KEEP | ZIO_SUBMIT_ONLY))
		return zio_fail(out, ZIO_FAULT_FLAGS, EINVAL);
	if (!out->output || in->output)
		return zio_fail(out, ZIO_FAULT_DIRECTION, EBADF);
	if (!out->ops->can_share || !in->ops->can_share)
		return zio_fail(out, ZIO_FAULT_NOT_SHARED, EOPNOTSUPP);
	control = in->control;
	size = in->size;
	if (flags & ZIO_SUBMIT_KEEP)
		control.flags |= ZIO_CONTROL_KEEP;
	ret = share_or_copy(out, &control, flags);
	if (ret < 0)
		return -1;
	if (ret) {
		out->sharing.shared++;
	} else {
		out->sharing.copied++;
		out->sharing.copied_bytes += size;
	}
	out->stats.blocks++;
	out->stats.bytes += size;
	if (!(flags & ZIO_SUBMIT_KEEP)) {
		/* zio_data() would now read the data of another block. */
		in->stage = ZIO_STAGE_CONTROL;
		in->done = 0;
		in->size = 0;
	}
	return ret;
}

const struct zio_sharing *zio_sharing(const struct zio_channel *out)
{
	if (!out)
		errno = EINVAL;
	return out ? &out->sharing : NULL;
}
