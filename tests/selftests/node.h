/* SPDX-License-Identifier: GPL-2.0-only */
/* node.h: nodes of channels, files of sysfs, processes */
#ifndef NODE_H
#define NODE_H

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/zio-user.h>

#include "assert.h"

#undef CTRL	/* of <sys/ttydefaults.h>: tests have names of their own */

/* The two nodes of a channel, opened by one process. */
struct pair {
	int ctrl, data;
};

#define NSEC	1000000000ll
#define NOBODY	65534

static inline long long time_of(const struct zio_control *ctrl)
{
	return ctrl->tstamp.secs * NSEC + ctrl->tstamp.ticks;
}

static inline long long now_by(clockid_t clock)
{
	struct timespec ts;

	ASSERT_TRUE(!clock_gettime(clock, &ts));
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

/* Become a user who is in these groups alone. */
static inline void become_nobody(size_t n, const gid_t *groups)
{
	ASSERT_TRUE(!setgroups(n, groups));
	ASSERT_TRUE(!setresgid(NOBODY, NOBODY, NOBODY));
	ASSERT_TRUE(!setresuid(NOBODY, NOBODY, NOBODY));
}

static inline int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		FAIL("cannot open %s: %s", path, strerrorname_np(errno));
	return fd;
}

/* @kind: "ctrl" or "data" */
static inline int open_node(const char *prefix, const char *kind, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s-%s", prefix, kind);
	return open_file(path, flags);
}

/* Return: a new tap; -1 with errno if it is refused */
static inline int try_tap(const char *prefix, int flags)
{
	int node = open_node(prefix, "data", O_RDONLY | flags);
	int tap = ioctl(node, ZIO_IOC_TAP), code = errno;

	close(node);
	errno = code;
	return tap;
}

static inline int open_tap(const char *prefix, int flags)
{
	int tap = try_tap(prefix, flags);

	if (tap < 0)
		FAIL("no tap of %s: %s", prefix, strerrorname_np(errno));
	return tap;
}

static inline struct pair open_pair(const char *prefix, int flags)
{
	struct pair pair;

	pair.ctrl = open_node(prefix, "ctrl", flags);
	pair.data = open_node(prefix, "data", flags);
	return pair;
}

static inline void close_pair(struct pair pair)
{
	close(pair.ctrl);
	close(pair.data);
}

static inline struct zio_control read_control(int fd)
{
	struct zio_control ctrl;

	ASSERT_EQ(read(fd, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	return ctrl;
}

/* Where the samples of the block are in the mapped area. */
static inline uint64_t offset_of(const struct zio_control *ctrl)
{
	return ctrl->mem_offset | (uint64_t)ctrl->mem_offset_high << 32;
}

/* The events that are pending after at most @ms milliseconds; -1: no limit */
static inline int poll_events(int fd, short events, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	ASSERT_TRUE(poll(&pfd, 1, ms) >= 0);
	return pfd.revents;
}

/* One write() of the text. */
static inline void write_text(const char *path, const char *text)
{
	int fd = open_file(path, O_WRONLY);

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		FAIL("cannot write '%s' to %s: %s", text, path,
		     strerrorname_np(errno));
	close(fd);
}

/* The number that the file contains, which begins with it. */
static inline unsigned long read_number(const char *path)
{
	char text[64] = "";
	int fd = open_file(path, O_RDONLY);

	ASSERT_TRUE(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strtoul(text, NULL, 0);
}

/* Read 3000 bytes or more of a sawtooth in parts of @size; it must not have a gap. */
static inline void read_sawtooth(const char *path, size_t size)
{
	int fd = open_file(path, O_RDONLY);
	static uint8_t buf[65536];
	size_t total = 0;
	uint8_t next = 0;
	ssize_t n, i;

	ASSERT_TRUE(size <= sizeof(buf));
	while (total < 3000 || total < 4 * size) {
		n = read(fd, buf, size);
		ASSERT_TRUE(n > 0 && (size_t)n <= size);
		if (!total)
			next = buf[0];
		for (i = 0; i < n; i++)
			ASSERT_EQ(buf[i], next++);
		total += n;
	}
	close(fd);
}

/* Assert that @n children exit with 0. */
static inline void wait_children(int n)
{
	int status;

	while (n--) {
		ASSERT_TRUE(wait(&status) > 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			FAIL("a child ended with status %#x", status);
	}
}

static inline pid_t fork_child(void)
{
	pid_t pid = fork();

	ASSERT_TRUE(pid >= 0);
	return pid;
}

/* Zeroed memory that children share. */
static inline void *share_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(mem != MAP_FAILED);
	return mem;
}

/* The state letter of /proc/PID/stat: 'S', 'D', ... */
static inline char task_state(pid_t pid)
{
	char path[64], text[512] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open_file(path, O_RDONLY);
	ASSERT_TRUE(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	end = strrchr(text, ')');
	ASSERT_TRUE(end);
	return end[2];
}

static inline unsigned int get(unsigned int *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static inline void set(unsigned int *counter, unsigned int value)
{
	__atomic_store_n(counter, value, __ATOMIC_SEQ_CST);
}

static inline unsigned int add(unsigned int *counter)
{
	return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

#endif /* NODE_H */
