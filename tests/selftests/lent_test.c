// SPDX-License-Identifier: GPL-2.0-only
/*
 * lent_test.c: an administrator sees which memory pipes and sockets keep, and gets it
 * back. Core and buffer type stay loaded as long as a pipe needs them.
 *
 * # leaks
 */
#include <sys/socket.h>

#include "board.h"
#include "harness.h"

#define IN	ZZERO "-2-0"
#define CHAN	CSET2 "/chan0"
#define BLOCK	16384
#define PIPE	(1 << 20)
#define N	3

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET2 "/trigger/nsamples", "4096");
	write_text(CSET2 "/current_buffer", "vmalloc");
}

static void stat_path(char *path, size_t size, const char *chan, const char *name)
{
	snprintf(path, size, "%s/statistics/%s", chan, name);
}

static unsigned long statistic(const char *chan, const char *name)
{
	char path[256];

	stat_path(path, sizeof(path), chan, name);
	return read_number(path);
}

static bool has_files(const char *chan)
{
	static const char *const name[] = { "merged", "lent-blocks", "lent-bytes", "lent-to" };
	unsigned int i, n = 0;
	char path[256];

	for (i = 0; i < 4; i++) {
		stat_path(path, sizeof(path), chan, name[i]);
		n += exists(path);
	}
	ASSERT_TRUE(!n || n == 4);
	return n;
}

/* Assert the content of lent-to: "PID BYTES" in each line. */
static void check_users(const char *chan, const char *text)
{
	char path[256], got[512] = "";
	int fd;

	stat_path(path, sizeof(path), chan, "lent-to");
	fd = open_file(path, O_RDONLY);
	ASSERT_TRUE(read(fd, got, sizeof(got) - 1) >= 0);
	close(fd);
	if (strcmp(got, text))
		FAIL("lent to '%s', not '%s'", got, text);
}

static void check_lent(const char *chan, unsigned int blocks)
{
	ASSERT_EQ(statistic(chan, "lent-blocks"), blocks);
	ASSERT_EQ(statistic(chan, "lent-bytes"), blocks * BLOCK);
}

static void wait_back(const char *chan)
{
	while (statistic(chan, "lent-blocks"))
		usleep(10000);
	check_lent(chan, 0);
	check_users(chan, "");
}

static void lend(const char *prefix, int to)
{
	int fd = open_node(prefix, "data", O_RDONLY), i;

	for (i = 0; i < N; i++)
		ASSERT_EQ(splice(fd, NULL, to, NULL, BLOCK, 0), BLOCK);
	close(fd);
}

static void open_pipe(int *fd)
{
	ASSERT_EQ(pipe2(fd, O_CLOEXEC), 0);
	ASSERT_TRUE(fcntl(fd[1], F_SETPIPE_SZ, PIPE) >= PIPE);
}

/* Start a process that keeps blocks in a pipe of its own. */
static pid_t start_keeper(const char *prefix)
{
	unsigned int *done = share_memory(sizeof(*done));
	pid_t pid = fork();
	int fd[2];

	ASSERT_TRUE(pid >= 0);
	if (!pid) {
		open_pipe(fd);
		lend(prefix, fd[1]);
		__atomic_store_n(done, 1, __ATOMIC_SEQ_CST);
		pause();
	}
	while (!get(done))
		usleep(1000);
	return pid;
}

static void end(pid_t pid)
{
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
}

TEST("each process with pages in a pipe is listed; a killed one returns them", fresh)
{
	char text[128];
	pid_t a, b;

	check_users(CHAN, "");
	a = start_keeper(IN);
	check_lent(CHAN, N);
	snprintf(text, sizeof(text), "%d %d\n", a, N * BLOCK);
	check_users(CHAN, text);
	b = start_keeper(IN);
	check_lent(CHAN, 2 * N);
	snprintf(text, sizeof(text), "%d %d\n%d %d\n", a, N * BLOCK, b, N * BLOCK);
	check_users(CHAN, text);
	end(a);
	check_lent(CHAN, N);
	end(b);
	wait_back(CHAN);
}

TEST("a socket keeps the pages of a process that has ended", fresh)
{
	char text[64], byte;
	int sock[2], fd[2];
	pid_t pid;

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	pid = fork();
	if (!pid) {
		open_pipe(fd);
		lend(IN, fd[1]);
		ASSERT_EQ(splice(fd[0], NULL, sock[0], NULL, N * BLOCK, 0), N * BLOCK);
		_exit(0);
	}
	wait_children(1);
	close(sock[0]);
	snprintf(text, sizeof(text), "0 %d\n", N * BLOCK);
	check_users(CHAN, text);
	check_lent(CHAN, N);
	ASSERT_EQ(read(sock[1], &byte, 1), 1);
	check_lent(CHAN, N);
	close(sock[1]);
	wait_back(CHAN);
}

TEST("a channel whose pages are all lent continues with another buffer", fresh)
{
	int fd[2], data;
	static char buf[BLOCK];
	ssize_t n, sum = 0;

	open_pipe(fd);
	data = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	while ((n = splice(data, NULL, fd[1], NULL, BLOCK, 0)) > 0)
		sum += n;
	ASSERT_EQ(errno, EAGAIN);
	ASSERT_ERRNO(read(data, buf, sizeof(buf)), EAGAIN);
	close(data);
	ASSERT_EQ(statistic(CHAN, "lent-bytes"), sum);
	write_text(CSET2 "/current_buffer", "kmalloc");
	write_text(CSET2 "/current_buffer", "vmalloc");
	ASSERT_EQ(statistic(CHAN, "lent-bytes"), sum);
	data = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(read(data, buf, sizeof(buf)), sizeof(buf));
	close(data);
	close(fd[0]);
	close(fd[1]);
	wait_back(CHAN);
}

TEST("a pipe keeps buffer type and core loaded until it is closed", fresh)
{
	int fd[2], data;

	open_pipe(fd);
	data = open_node(IN, "data", O_RDONLY);
	ASSERT_EQ(splice(data, NULL, fd[1], NULL, BLOCK, 0), BLOCK);
	close(data);
	unload("zio-zero");
	unload("zio-buf-kmalloc");
	ASSERT_EQ(read_number("/sys/module/zio_buf_vmalloc/refcnt"), 1);
	ASSERT_TRUE(shell("rmmod zio-buf-vmalloc 2>/dev/null"));
	ASSERT_EQ(read_number("/sys/module/zio/refcnt"), 2);
	ASSERT_TRUE(shell("rmmod zio 2>/dev/null"));
	close(fd[0]);
	close(fd[1]);
	ASSERT_EQ(read_number("/sys/module/zio/refcnt"), 1);
	run("rmmod zio-buf-vmalloc");
	run("rmmod zio");
}

TEST("an input has the files from its first buffer with an area on")
{
	int fd;

	renew_zzero();
	ASSERT_TRUE(!has_files(CHAN));
	fd = open_node(IN, "data", O_RDONLY);
	ASSERT_TRUE(shell("echo vmalloc 2>/dev/null >" CSET2 "/current_buffer"));
	close(fd);
	ASSERT_TRUE(!has_files(CHAN));
	write_text(CSET2 "/current_buffer", "kmalloc");
	ASSERT_TRUE(!has_files(CHAN));
	write_text(CSET2 "/current_buffer", "vmalloc");
	ASSERT_TRUE(has_files(CHAN));
	write_text(CSET2 "/current_buffer", "kmalloc");
	ASSERT_TRUE(has_files(CHAN));
	write_text(CSET1 "/current_buffer", "vmalloc");
	ASSERT_TRUE(!has_files(CSET1 "/chan0"));
}
