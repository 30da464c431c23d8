// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Taps, which look at the blocks of an input and take none; and flush
 *
 * A tap is an open data node that ZIO_IOC_TAP has changed. Its reads return blocks as those
 * of a block file do. So both descriptors are the same open file, as for block files.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

static int open_both(struct zio_channel *ch, int flags)
{
	ch->data_fd = zio_open_node(ch->data_path, O_RDONLY, flags);
	if (ch->data_fd < 0)
		return -1;
	if (ioctl(ch->data_fd, ZIO_IOC_TAP))
		return -1;
	ch->ctrl_fd = fcntl(ch->data_fd, F_DUPFD_CLOEXEC, 0);
	return ch->ctrl_fd < 0 ? -1 : 0;
}

int zio_open_tap(struct zio_channel *ch, int flags, struct zio_error *err)
{
	int code;

	if (ch->file)
		return zio_explain(err, EINVAL,
				   "%s: open: a block file has no taps: open it without",
				   ch->ctrl_path);
	ch->tap = true;
	if (!open_both(ch, flags))
		return 0;
	code = errno;
	if (ch->data_fd < 0)
		zio_explain_open(err, code, ch->data_path, false);
	else
		zio_explain_method(err, code, ch->data_path, "tap");
	return -1;
}

/* The next block counts as the first. */
static void forget_blocks(struct zio_channel *ch)
{
	ch->stage = ZIO_STAGE_CONTROL;
	ch->done = 0;
	ch->batch_at = 0;
	ch->batch_n = 0;
	ch->submitted = 0;
	ch->seq.known = false;
	ch->limit = 0;
	ch->late_errno = 0;
}

int zio_flush(struct zio_channel *ch)
{
	if (!ch)
		return zio_fail_null(ch);
	if (ch->output)
		return zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF);
	if (ch->file)
		return zio_fail(ch, ZIO_FAULT_FLUSH_FILE, EOPNOTSUPP);
	if (ch->hdr)
		zio_ring_skip(ch);
	else if (ioctl(ch->ctrl_fd, ZIO_IOC_FLUSH))
		return zio_fail(ch, ZIO_FAULT_FLUSH, errno);
	forget_blocks(ch);
	return 0;
}
