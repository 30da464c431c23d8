// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wait for a channel, and end a wait
 *
 * The descriptors of nodes are non-blocking: only a signal could end a wait in read() or
 * write(). A call that must wait does so in poll(), where it also
 * watches interrupt_fd. zio_interrupt() makes interrupt_fd readable, for good: an
 * interrupt before the wait is not missed. Other programs may share the descriptor of
 * standard input or output: the library does not set O_NONBLOCK there.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "internal.h"

int zio_poll(struct zio_channel *ch, int fd, short events, int timeout)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = events },
		{ .fd = ch->interrupt_fd, .events = POLLIN },
	};

	if (poll(fds, 2, timeout) < 0)
		return -1;
	if (!fds[1].revents)
		return fds[0].revents;
	errno = EAGAIN;
	return -1;
}

bool zio_wait_to_retry(struct zio_channel *ch, int fd, short events)
{
	if (errno != EAGAIN || ch->nonblock)
		return false;
	return zio_poll(ch, fd, events, -1) > 0;
}

/* Has the library blocks, or an error, that the kernel does not tell of? */
static bool has_block(struct zio_channel *ch)
{
	if (ch->late_errno)
		return true;
	if (ch->hdr)
		return zio_ring_has_block(ch);
	return ch->method == ZIO_METHOD_MMAP && ch->batch_at < ch->batch_n;
}

int zio_wait(struct zio_channel *ch, int timeout)
{
	int ret = 1;

	if (!ch)
		return zio_fail_null(ch);
	/* An interrupt comes before a block, or a loop of waits might never end. */
	if (has_block(ch) && zio_poll(ch, -1, 0, 0) < 0)
		ret = -1;
	else if (!has_block(ch))
		ret = zio_poll(ch, zio_fd(ch), ch->output ? POLLOUT : POLLIN,
			       timeout < 0 ? -1 : timeout);
	if (ret < 0)
		return zio_fail(ch, errno == EAGAIN ? ZIO_FAULT_INTERRUPT :
					ZIO_FAULT_WAIT,
				errno == EAGAIN ? ECANCELED : errno);
	return ret > 0;
}

void zio_signal(int fd)
{
	const uint64_t one = 1;
	int saved = errno;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n;
	errno = saved;
}

void zio_unsignal(int fd)
{
	int saved = errno;
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)n;
	errno = saved;
}

void zio_interrupt(struct zio_channel *ch)
{
	if (ch)
		zio_signal(ch->interrupt_fd);
	else
		zio_fail_null(NULL);
}

void zio_resume(struct zio_channel *ch)
{
	if (ch)
		zio_unsignal(ch->interrupt_fd);
	else
		zio_fail_null(NULL);
}
