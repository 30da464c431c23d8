// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wait for a channel, and interrupt a wait
 *
 * Only a signal could end a wait in read() or write(), so nodes are non-blocking. A call
 * that must wait does so in poll(), where it also watches interrupt_fd. zio_interrupt()
 * makes interrupt_fd permanently readable, so an interrupt before the wait is not missed.
 * The library does not set O_NONBLOCK on standard input or output, because other programs
 * may share the descriptor.
 */
#include <errno.h>
#include <poll.h>

#include "channel.h"

bool zio_wait_to_retry(struct zio_channel *ch, int fd, short events)
{
	if (errno != EAGAIN || ch->nonblock)
		return false;
	return zio_poll(fd, events, ch->interrupt_fd, -1) > 0;
}

int zio_fd(const struct zio_channel *ch)
{
	if (!ch)
		return zio_refuse_null();
	if (ch->data_fd < 0 || ch->ops->polls_control)
		return ch->ctrl_fd;
	if (ch->stage == ZIO_STAGE_DATA || ch->output)
		return ch->data_fd;
	return ch->ctrl_fd;
}

/* Does the library hold blocks, or an error, that the kernel does not report? */
static bool has_block(struct zio_channel *ch)
{
	if (ch->late.code)
		return true;
	return ch->ops->has_block && ch->ops->has_block(ch);
}

int zio_wait(struct zio_channel *ch, int timeout)
{
	int ret = 1;

	if (!ch)
		return zio_fail_null(ch);
	/* An interrupt comes before a block, or a loop of waits might never end. */
	if (has_block(ch) && zio_poll(-1, 0, ch->interrupt_fd, 0) < 0)
		ret = -1;
	else if (!has_block(ch))
		ret = zio_poll(zio_fd(ch), ch->output ? POLLOUT : POLLIN,
			       ch->interrupt_fd, timeout < 0 ? -1 : timeout);
	if (ret < 0)
		return zio_fail(ch, errno == EAGAIN ? ZIO_FAULT_INTERRUPT :
					ZIO_FAULT_WAIT,
				errno == EAGAIN ? ECANCELED : errno);
	return ret > 0;
}

void zio_interrupt(struct zio_channel *ch)
{
	if (ch)
		zio_signal(ch->interrupt_fd);
	else
		zio_refuse_null();
}

void zio_resume(struct zio_channel *ch)
{
	if (ch)
		zio_unsignal(ch->interrupt_fd);
	else
		zio_refuse_null();
}
