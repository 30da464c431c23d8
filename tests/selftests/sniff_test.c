// SPDX-License-Identifier: GPL-2.0-only
/*
 * sniff_test.c: the sniffer sees the control of each block
 *
 * # check
 */
#include "board.h"
#include "harness.h"

#define IN	ZZERO "-0-2-ctrl"
#define SNIFF	"/dev/zio/sniff-ctrl"

SETUP(fresh)
{
	renew_zzero();
}

TEST("the sniffer sees each control of a channel", fresh)
{
	int sniffer = open_file(SNIFF, O_RDONLY | O_NONBLOCK);
	int fd = open_file(IN, O_RDONLY), n = 50, i;
	struct pollfd pfd = { .fd = sniffer, .events = POLLIN };
	struct zio_control mine, seen;

	ASSERT_EQ(poll(&pfd, 1, 0), 0);
	ASSERT_ERRNO(read(sniffer, &seen, sizeof(seen)), EAGAIN);
	ASSERT_ERRNO(read(sniffer, &seen, sizeof(seen) - 1), EINVAL);
	for (i = 0; i < n; i++) {
		mine = read_control(fd);
		ASSERT_EQ(poll(&pfd, 1, 0), 1);
		do {
			seen = read_control(sniffer);
		} while (seen.addr.chan != mine.addr.chan);
		ASSERT_TRUE(!memcmp(&seen, &mine, sizeof(seen)));
	}
	close(fd);
	close(sniffer);
}

/* Read all controls. Return: how many; those with the alarm add to @marked */
static unsigned int drain_sniffer(int sniffer, unsigned int *marked)
{
	struct zio_control ctrl[16];
	unsigned int n = 0;
	ssize_t got, i;

	while ((got = read(sniffer, ctrl, sizeof(ctrl))) > 0) {
		ASSERT_TRUE(!(got % sizeof(*ctrl)));
		for (i = 0; i < got / (ssize_t)sizeof(*ctrl); i++, n++)
			*marked += !!(ctrl[i].zio_alarms & ZIO_ALARM_LOST_SNIFF);
	}
	ASSERT_TRUE(errno == EAGAIN);
	return n;
}

TEST("a slow sniffer delays no reader and is told what it missed", fresh)
{
	int slow = open_file(SNIFF, O_RDONLY | O_NONBLOCK);
	int fd = open_file(IN, O_RDONLY), n = 5000, i;
	unsigned int marked = 0, seen;
	uint32_t seq = 0;

	for (i = 0; i < n; i++) {
		struct zio_control ctrl = read_control(fd);

		if (i)
			ASSERT_EQ(ctrl.seq_num, seq + 1);
		ASSERT_TRUE(!(ctrl.zio_alarms & ZIO_ALARM_LOST_SNIFF));
		seq = ctrl.seq_num;
	}
	seen = drain_sniffer(slow, &marked);
	ASSERT_TRUE(seen < (unsigned int)n);
	ASSERT_EQ(marked, 1);
	close(fd);
	close(slow);
}

/* Open the sniffer and read @n controls. */
static void sniff_along(int n)
{
	struct zio_control ctrl;
	int fd = open_file(SNIFF, O_RDONLY);

	while (n--)
		ctrl = read_control(fd);
	ASSERT_TRUE(ctrl.major_version == ZIO_MAJOR_VERSION);
	close(fd);
}

TEST("four sniffers are opened and closed under load", fresh)
{
	int fd = open_file(IN, O_RDONLY | O_NONBLOCK), n = 500;
	struct zio_control ctrl;
	int i, status, left = 4;

	for (i = 0; i < left; i++) {
		if (fork())
			continue;
		for (; n > 0; n -= 7)
			sniff_along(7);
		_exit(0);
	}
	while (left) {
		ASSERT_TRUE(read(fd, &ctrl, sizeof(ctrl)) == sizeof(ctrl) ||
			    errno == EAGAIN);
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		ASSERT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
		left--;
	}
	close(fd);
}

TEST("a bad address loses no control", fresh)
{
	int sniffer = open_file(SNIFF, O_RDONLY | O_NONBLOCK);
	int fd = open_file(IN, O_RDONLY);
	struct zio_control mine = read_control(fd), seen;
	void *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_ERRNO(read(sniffer, none, sizeof(seen)), EFAULT);
	do {
		seen = read_control(sniffer);
	} while (seen.addr.chan);
	ASSERT_EQ(seen.seq_num, mine.seq_num);
	close(fd);
	close(sniffer);
}

TEST("the sniffer cannot be opened for writing")
{
	ASSERT_ERRNO(open(SNIFF, O_WRONLY), EACCES);
}
