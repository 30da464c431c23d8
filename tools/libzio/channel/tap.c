// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Taps, which look at the blocks of an input without taking them
 *
 * ZIO_IOC_TAP on a data node returns the descriptor of a tap, which reads like a block
 * file. So both descriptors are the same open file, as for block files.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "channel.h"

/* If the node stayed open, it would be a reader that never reads. */
static int open_both(struct zio_channel *ch, int flags, bool *has_node)
{
	int node = zio_open_node(ch->data_path, O_RDONLY, flags), code;

	*has_node = node >= 0;
	if (!*has_node)
		return -1;
	ch->data_fd = ioctl(node, ZIO_IOC_TAP);
	code = errno;
	close(node);
	errno = code;
	if (ch->data_fd < 0)
		return -1;
	ch->ctrl_fd = fcntl(ch->data_fd, F_DUPFD_CLOEXEC, 0);
	return ch->ctrl_fd < 0 ? -1 : 0;
}

int zio_open_tap(struct zio_channel *ch, int flags, struct zio_error *err)
{
	bool has_node;
	int code;

	if (ch->file.name)
		return zio_explain(err, EINVAL,
				   "%s: open: a block file has no taps: open it without",
				   ch->ctrl_path);
	ch->ops = &zio_tap_ops;
	if (!open_both(ch, flags, &has_node))
		return 0;
	code = errno;
	if (!has_node)
		zio_explain_open(err, code, ch->data_path, false);
	else
		zio_explain_method(err, code, ch->data_path, "tap");
	return -1;
}

const struct zio_channel_ops zio_tap_ops = {
	.name = "tap",
	.next = zio_read_next,
	.next_control = zio_read_control,
	.data = zio_read_data,
	.next_into = zio_read_next_into,
	.into_room = zio_read_into_room,
	.skip = zio_read_over,
	.flush = zio_flush_node,
};
