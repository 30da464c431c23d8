// SPDX-License-Identifier: LGPL-2.1-or-later
/* Wait for a descriptor; an eventfd ends the wait */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base.h"

int zio_poll(int fd, short events, int interrupt_fd, int timeout)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = events },
		{ .fd = interrupt_fd, .events = POLLIN },
	};

	if (poll(fds, 2, timeout) < 0)
		return -1;
	if (!fds[1].revents)
		return fds[0].revents;
	errno = EAGAIN;
	return -1;
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
