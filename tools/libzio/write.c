// SPDX-License-Identifier: LGPL-2.1-or-later
/* Blocks to an output channel */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* Write until ch->done is @size; what is written stays counted there. */
static int write_rest(struct zio_channel *ch, int fd, const void *from,
		      size_t size)
{
	while (ch->done < size) {
		ssize_t n = write(fd, (const char *)from + ch->done,
				  size - ch->done);

		if (n < 0)
			return -1;
		if (!n) {
			errno = EIO;
			return -1;
		}
		ch->done += (size_t)n;
	}
	ch->done = 0;
	return 0;
}

static int check_block(struct zio_channel *ch,
		       const struct zio_control *control, size_t size)
{
	size_t wanted;

	if (!ch->output)
		return zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF);
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (!control)
		return 0;
	if (zio_control_size(control, &wanted) || wanted != size)
		return zio_fail(ch, ZIO_FAULT_LENGTH, EINVAL);
	return 0;
}

int zio_write_block(struct zio_channel *ch, const struct zio_control *control,
		    const void *data, size_t size)
{
	if (check_block(ch, control, size))
		return -1;
	if (control && ch->stage == ZIO_STAGE_CONTROL &&
	    write_rest(ch, ch->ctrl_fd, control, sizeof(*control)))
		return zio_fail(ch, ZIO_FAULT_WRITE_CONTROL, errno);
	ch->stage = ZIO_STAGE_DATA;
	if (write_rest(ch, ch->data_fd, data, size))
		return zio_fail(ch, ZIO_FAULT_WRITE_DATA, errno);
	ch->stage = ZIO_STAGE_CONTROL;
	ch->stats.blocks++;
	ch->stats.bytes += size;
	return 0;
}
