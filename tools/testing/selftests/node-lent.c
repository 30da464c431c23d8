// SPDX-License-Identifier: GPL-2.0-only
/* node-lent.c: an administrator sees what pipes and sockets keep, and gets it back */
#include <sys/socket.h>

#include "node.h"

#define BLOCK	16384
#define PIPE	(1 << 20)
#define N	3

/* statistics/NAME of the channel */
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

/* What the file lent-to says: "PID BYTES" in each line. */
static void check_users(const char *chan, const char *text)
{
	char path[256], got[512] = "";
	int fd;

	stat_path(path, sizeof(path), chan, "lent-to");
	fd = open_file(path, O_RDONLY);
	want(read(fd, got, sizeof(got) - 1) >= 0);
	close(fd);
	if (strcmp(got, text))
		fail("lent to '%s', not '%s'", got, text);
}

static void check_lent(const char *chan, unsigned int blocks)
{
	same(statistic(chan, "lent-blocks"), blocks);
	same(statistic(chan, "lent-bytes"), blocks * BLOCK);
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
		same(splice(fd, NULL, to, NULL, BLOCK, 0), BLOCK);
	close(fd);
}

static void open_pipe(int *fd)
{
	same(pipe2(fd, O_CLOEXEC), 0);
	want(fcntl(fd[1], F_SETPIPE_SZ, PIPE) >= PIPE);
}

/* A process that has lent blocks in a pipe of its own, and stays. */
static pid_t start_keeper(const char *prefix)
{
	unsigned int *done = share_memory(sizeof(*done));
	pid_t pid = fork();
	int fd[2];

	want(pid >= 0);
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
	same(kill(pid, SIGKILL), 0);
	same(waitpid(pid, NULL, 0), pid);
}

/* pipes PREFIX CHAN: two processes keep blocks; one that is ended gives them back */
static void do_pipes(char **arg)
{
	char text[128];
	pid_t a, b;

	check_users(arg[1], "");
	a = start_keeper(arg[0]);
	check_lent(arg[1], N);
	snprintf(text, sizeof(text), "%d %d\n", a, N * BLOCK);
	check_users(arg[1], text);
	b = start_keeper(arg[0]);
	check_lent(arg[1], 2 * N);
	snprintf(text, sizeof(text), "%d %d\n%d %d\n", a, N * BLOCK, b, N * BLOCK);
	check_users(arg[1], text);
	end(a);
	check_lent(arg[1], N);
	end(b);
	wait_back(arg[1]);
}

/* socket PREFIX CHAN: the process has ended, its peer has the pages unread */
static void do_socket(char **arg)
{
	char text[64], byte;
	int sock[2], fd[2];
	pid_t pid;

	same(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	pid = fork();
	if (!pid) {
		open_pipe(fd);
		lend(arg[0], fd[1]);
		same(splice(fd[0], NULL, sock[0], NULL, N * BLOCK, 0), N * BLOCK);
		_exit(0);
	}
	wait_children(1);
	close(sock[0]);
	snprintf(text, sizeof(text), "0 %d\n", N * BLOCK);
	check_users(arg[1], text);
	check_lent(arg[1], N);
	same(read(sock[1], &byte, 1), 1);
	check_lent(arg[1], N);
	close(sock[1]);
	wait_back(arg[1]);
}

/* replaced PREFIX CHAN BUFFER: with another buffer the channel goes on at once */
static void do_replaced(char **arg)
{
	int fd[2], data;
	static char buf[BLOCK];
	ssize_t n, sum = 0;

	open_pipe(fd);
	data = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
	while ((n = splice(data, NULL, fd[1], NULL, BLOCK, 0)) > 0)
		sum += n;
	same(errno, EAGAIN);
	fails(read(data, buf, sizeof(buf)), EAGAIN);
	close(data);
	same(statistic(arg[1], "lent-bytes"), sum);
	write_text(arg[2], "kmalloc");
	write_text(arg[2], "vmalloc");
	same(statistic(arg[1], "lent-bytes"), sum);
	data = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
	same(read(data, buf, sizeof(buf)), sizeof(buf));
	close(data);
	close(fd[0]);
	close(fd[1]);
	wait_back(arg[1]);
}

static const struct command commands[] = {
	{ "pipes", 2, do_pipes },
	{ "socket", 2, do_socket },
	{ "replaced", 3, do_replaced },
	{ }
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
