/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node.h: what the programs of the selftests share
 *
 * A program is a table of commands. A command that returns has succeeded; one
 * that finds a fault says which and exits with 1. A program states the seconds
 * that its commands take at most. A command that takes SLOWNESS times as long
 * hangs, and that is a failure.
 */
#ifndef NODE_H
#define NODE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/zio-user.h>

/* A machine that many share is slower than an idle one by less than this. */
#define SLOWNESS 15

/* Of the first process; the children are in its group. */
static pid_t main_pid;

/* No child goes on when the first process ends; a child ends alone. */
static inline void __attribute__((noreturn)) give_up(void)
{
	if (getpid() == main_pid) {
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
	}
	_exit(1);
}

static inline void too_late(int signal)
{
	static const char text[] = "this takes too long\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0)
		give_up();
	give_up();
}

#define fail(fmt, ...) do {						\
	fprintf(stderr, "%s:%d: " fmt "\n", __func__, __LINE__,		\
		##__VA_ARGS__);						\
	give_up();							\
} while (0)

/* The condition holds; if not, the errno is told, too. */
#define want(condition) do {						\
	if (!(condition))						\
		fail("not true: %s (%s)", #condition,			\
		     strerrorname_np(errno) ?: "?");			\
} while (0)

/* The two values are the same. */
#define same(got, wanted) do {						\
	long long got_ = (got), wanted_ = (wanted);			\
	if (got_ != wanted_)						\
		fail("%s is %lld, not %lld (%s)", #got, got_, wanted_,	\
		     strerrorname_np(errno) ?: "?");			\
} while (0)

/* The call fails with that errno. */
#define fails(call, code) do {						\
	long long ret_;							\
									\
	errno = 0;							\
	ret_ = (call);							\
	if (ret_ != -1 || errno != (code))				\
		fail("%s gives %lld %s, not %s", #call, ret_,		\
		     strerrorname_np(errno) ?: "?",			\
		     strerrorname_np(code));				\
} while (0)

struct command {
	const char *name;
	int args;
	void (*run)(char **arg);
};

/* The two nodes of a channel, opened by one process. */
struct pair {
	int ctrl, data;
};

static inline int open_node(const char *prefix, const char *kind, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s-%s", prefix, kind);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fail("cannot open %s: %s", path, strerrorname_np(errno));
	return fd;
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

	same(read(fd, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	return ctrl;
}

static inline int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		fail("cannot open %s: %s", path, strerrorname_np(errno));
	return fd;
}

static inline void write_text(const char *path, const char *text)
{
	int fd = open_file(path, O_WRONLY);

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail("%s to %s: %s", text, path, strerrorname_np(errno));
	close(fd);
}

static inline unsigned long read_number(const char *path)
{
	char text[64] = "";
	int fd = open_file(path, O_RDONLY);

	want(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strtoul(text, NULL, 0);
}

/* All children end well. */
static inline void wait_children(int n)
{
	int status;

	while (n--) {
		want(wait(&status) > 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			fail("a child ended with status %#x", status);
	}
}

/* Zeroed, and the children's as well. */
static inline void *share_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	want(mem != MAP_FAILED);
	return mem;
}

/* As /proc tells it: 'S', 'D', ... */
static inline char task_state(pid_t pid)
{
	char path[64], text[512] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open_file(path, O_RDONLY);
	want(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	end = strrchr(text, ')');
	want(end);
	return end[2];
}

static inline unsigned int get(unsigned int *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static inline int run_command(const struct command *command, int argc,
			      char **argv, unsigned int seconds)
{
	main_pid = getpid();
	setpgid(0, 0);
	signal(SIGALRM, too_late);
	alarm(SLOWNESS * seconds);
	for (; command->name; command++) {
		if (argc < 2 || strcmp(argv[1], command->name))
			continue;
		if (argc != command->args + 2)
			fail("%s takes %d arguments", argv[1], command->args);
		command->run(argv + 2);
		return 0;
	}
	fail("no such command");
}

#endif /* NODE_H */
