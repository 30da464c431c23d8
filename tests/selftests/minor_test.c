// SPDX-License-Identifier: GPL-2.0-only
/*
 * minor_test.c: two boards come and go at the same time; each node gives its own channel
 *
 * # leaks
 */
#include <sys/klog.h>
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define NODE0	ZZERO "-0-2-ctrl"
#define NODE1	"/dev/zio/zzero-0001-0-2-ctrl"

SETUP(two_boards)
{
	reload("zio-zero", "ndev=2");
}

/* Return: the device of a control node, or -1 if it does not open or read */
static long long device_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct zio_control ctrl;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, &ctrl, sizeof(ctrl));
	close(fd);
	return n == sizeof(ctrl) ? (long long)ctrl.addr.dev_id : -1;
}

/* Open the node of board 0 until the end; each open gives board 0. */
static void __attribute__((noreturn))
open_until(unsigned int *end, unsigned int *opened)
{
	long long id;

	while (!get(end)) {
		id = device_of(NODE0);
		if (id < 0)
			continue;
		ASSERT_EQ(id, 0);
		add(opened);
	}
	_exit(0);
}

static dev_t number_of(const char *path)
{
	struct stat st;

	ASSERT_EQ(stat(path, &st), 0);
	return st.st_rdev;
}

TEST("an inode that a process has kept gives no other board", two_boards)
{
	int fd = open(NODE0, O_PATH | O_CLOEXEC);
	char path[64];
	dev_t number;

	ASSERT_TRUE(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_EQ(close(open_file(path, O_RDONLY)), 0);
	number = number_of(NODE0);
	unbind_board("zio-zero", 0);
	unbind_board("zio-zero", 1);
	/* Alone, the second board has the numbers that the first one had. */
	bind_board("zio-zero", 1);
	ASSERT_EQ(number_of(NODE1), number);
	ASSERT_ERRNO(open(path, O_RDONLY), ENODEV);
	ASSERT_ERRNO(open(path, O_RDWR), ENODEV);
}

static void rebind(int id)
{
	int rounds = is_debug_kernel() ? 25 : 60;

	while (rounds--) {
		unbind_board("zio-zero", id);
		bind_board("zio-zero", id);
	}
	_exit(0);
}

static bool log_has(const char *text)
{
	static char log[1 << 20];
	int n = klogctl(3, log, sizeof(log) - 1);

	ASSERT_TRUE(n >= 0);
	log[n] = '\0';
	return strstr(log, text);
}

TEST("each open gives the board of the node while two boards come and go", two_boards)
{
	unsigned int *end = share_memory(2 * sizeof(*end)), *opened = end + 1;

	if (!fork_child())
		open_until(end, opened);
	wait_for(60, get(opened));
	if (!fork_child())
		rebind(0);
	if (!fork_child())
		rebind(1);
	wait_children(2);
	set(end, 1);
	wait_children(1);
	ASSERT_TRUE(!log_has("cannot create duplicate filename"));
}
