// SPDX-License-Identifier: GPL-2.0-only
/* node-wait.c: waiting for blocks, and not waiting */
#include "node.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

static int ready(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	want(poll(&pfd, 1, 0) >= 0);
	return pfd.revents;
}

/* The child is in the system call and sleeps there. */
static void wait_asleep(pid_t pid, long call)
{
	char path[64], text[64];
	int fd, n, looks = 0;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	while (looks < 3) {
		usleep(2000);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			n = 0;
		else
			n = read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		/* A kernel without that file has the state alone. */
		if (fd >= 0 && (n <= 0 || strtol(text, NULL, 10) != call))
			looks = 0;
		else if (task_state(pid) == 'S')
			looks++;
	}
}

/* nonblock PREFIX ENABLE: ENABLE off and on again; never a wait */
static void do_nonblock(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY | O_NONBLOCK);
	struct zio_control ctrl;
	uint32_t word;

	ctrl = read_control(pair.ctrl);
	same(read(pair.data, &word, 4), 4);
	same(word, ctrl.seq_num * 16);
	write_text(arg[1], "0\n");
	/* The rest of the block in hand is there, and nothing else. */
	want(ready(pair.data, POLLIN) & POLLIN);
	same(ready(pair.ctrl, POLLIN), 0);
	fails(read(pair.ctrl, &ctrl, sizeof(ctrl)), EAGAIN);
	fails(read(pair.data, &word, 4), EAGAIN);
	same(ready(pair.data, POLLIN), 0);
	write_text(arg[1], "1\n");
	want(ready(pair.data, POLLIN) & POLLIN);
	same(read(pair.data, &word, 4), 4);
}

/* nowait PREFIX ENABLE: the same by preadv2() on blocking files */
static void do_nowait(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct zio_control ctrl;
	struct iovec data, control = { &ctrl, sizeof(ctrl) };
	char buf[64];

	data = (struct iovec){ buf, sizeof(buf) };
	same(preadv2(pair.ctrl, &control, 1, -1, RWF_NOWAIT), 512);
	same(preadv2(pair.data, &data, 1, -1, RWF_NOWAIT), sizeof(buf));
	write_text(arg[1], "0\n");
	fails(preadv2(pair.ctrl, &control, 1, -1, RWF_NOWAIT), EAGAIN);
	fails(preadv2(pair.data, &data, 1, -1, RWF_NOWAIT), EAGAIN);
	write_text(arg[1], "1\n");
	same(preadv2(pair.data, &data, 1, -1, RWF_NOWAIT), sizeof(buf));
}

/* poll PREFIX: ready means that a read works, and looking changes nothing */
static void do_poll(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY | O_NONBLOCK);
	uint32_t seq = read_control(pair.ctrl).seq_num;
	int i, j;

	for (i = 0; i < 50; i++) {
		for (j = 0; j < 10; j++) {
			want(ready(pair.ctrl, POLLIN) & POLLIN);
			want(ready(pair.data, POLLIN) & POLLIN);
			same(ready(pair.data, POLLOUT), 0);
		}
		same(read_control(pair.ctrl).seq_num, ++seq);
	}
}

static void check_select(int fd, int wanted)
{
	struct timeval zero = { 0, 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	same(select(fd + 1, &set, NULL, NULL, &zero), wanted);
}

/* epoll PREFIX ENABLE: select and epoll, level and edge */
static void do_epoll(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	char buf[64];
	pid_t pid;

	write_text(arg[1], "0\n");
	want(!epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	same(epoll_wait(ep, &ev, 1, 0), 0);
	check_select(fd, 0);
	pid = fork();
	if (!pid) {
		same(epoll_wait(ep, &ev, 1, -1), 1);
		want(ev.events & EPOLLIN);
		_exit(0);
	}
	wait_asleep(pid, SYS_epoll_wait);
	write_text(arg[1], "1\n");
	wait_children(1);
	check_select(fd, 1);
	same(read(fd, buf, sizeof(buf)), sizeof(buf));
}

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

static void catch_signal(int flags)
{
	struct sigaction act = { .sa_handler = count_signal, .sa_flags = flags };

	want(!sigaction(SIGUSR1, &act, NULL));
}

/* signal PREFIX ENABLE: a sleeping reader is interrupted, or starts again */
static void do_signal(char **arg)
{
	char buf[64];
	pid_t pid;
	int fd;

	write_text(arg[1], "0\n");
	pid = fork();
	if (!pid) {
		fd = open_node(arg[0], "data", O_RDONLY);
		catch_signal(0);
		fails(read(fd, buf, sizeof(buf)), EINTR);
		same(signals, 1);
		fails(read(open_node(arg[0], "ctrl", O_RDONLY),
			   &(struct zio_control){ 0 }, 512), EINTR);
		same(signals, 2);
		catch_signal(SA_RESTART);
		same(read(fd, buf, sizeof(buf)), sizeof(buf));
		same(signals, 3);
		_exit(0);
	}
	wait_asleep(pid, SYS_read);
	kill(pid, SIGUSR1);
	usleep(20000);
	wait_asleep(pid, SYS_read);
	kill(pid, SIGUSR1);
	usleep(20000);
	wait_asleep(pid, SYS_read);
	kill(pid, SIGUSR1);
	usleep(20000);
	wait_asleep(pid, SYS_read);
	write_text(arg[1], "1\n");
	wait_children(1);
}

/* output PREFIX ENABLE: 16 blocks fit; a poll, a writer wait for room */
static void do_output(char **arg)
{
	struct pair pair = open_pair(arg[0], O_WRONLY | O_NONBLOCK);
	static char buf[400];
	pid_t pid;

	write_text(arg[1], "0\n");
	want(ready(pair.data, POLLOUT) & POLLOUT);
	same(write(pair.data, buf, 400), 256);
	fails(write(pair.data, buf, 16), EAGAIN);
	same(ready(pair.data, POLLOUT), 0);
	same(ready(pair.ctrl, POLLOUT), 0);
	pid = fork();
	if (!pid) {
		struct pollfd pfd = { pair.data, POLLOUT, 0 };

		same(poll(&pfd, 1, -1), 1);
		want(pfd.revents & POLLOUT);
		_exit(0);
	}
	wait_asleep(pid, SYS_poll);
	write_text(arg[1], "1\n");
	wait_children(1);
	same(write(pair.data, buf, 400), 400);
}

/* room PREFIX ENABLE: who polls hears of a block that was given back empty */
static void do_room(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY | O_NONBLOCK);
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION, .ssize = 1, .nsamples = 4,
	};
	static char buf[400];
	int go[2];
	pid_t pid;

	write_text(arg[1], "0\n");
	same(write(fd, buf, 15 * 16), 15 * 16);
	want(!pipe(go));
	if (!fork()) {
		int ctrl_fd = open_node(arg[0], "ctrl", O_WRONLY);

		same(write(ctrl_fd, &ctrl, 512), 512);
		close(go[1]);
		want(read(0, buf, 1) >= 0);
		while (ready(go[0], POLLIN) == 0)
			usleep(1000);
		_exit(0);
	}
	/* The child has the last block when the poll says so. */
	while (ready(fd, POLLOUT))
		usleep(1000);
	pid = fork();
	if (!pid) {
		struct pollfd pfd = { fd, POLLOUT, 0 };

		close(go[1]);
		same(poll(&pfd, 1, -1), 1);
		_exit(0);
	}
	wait_asleep(pid, SYS_poll);
	close(go[1]);
	wait_children(2);
	write_text(arg[1], "1\n");
}

/* left PREFIX ENABLE: who polls hears of a block that a reader left */
static void do_left(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
	int go[2], has[2];
	char byte;
	pid_t pid;

	want(!pipe(go) && !pipe(has));
	if (!fork()) {
		int mine = open_node(arg[0], "data", O_RDONLY);

		close(go[1]);
		same(read(mine, &byte, 1), 1);
		write_text(arg[1], "0\n");
		same(write(has[1], "", 1), 1);
		same(read(go[0], &byte, 1), 0);
		_exit(0);
	}
	same(read(has[0], &byte, 1), 1);
	pid = fork();
	if (!pid) {
		struct pollfd pfd = { fd, POLLIN, 0 };

		close(go[1]);
		same(poll(&pfd, 1, -1), 1);
		_exit(0);
	}
	wait_asleep(pid, SYS_poll);
	close(go[1]);
	wait_children(2);
	same(read(fd, &byte, 1), 1);
	write_text(arg[1], "1\n");
}

static const struct command commands[] = {
	{ "nonblock", 2, do_nonblock },
	{ "nowait", 2, do_nowait },
	{ "poll", 1, do_poll },
	{ "epoll", 2, do_epoll },
	{ "signal", 2, do_signal },
	{ "output", 2, do_output },
	{ "room", 2, do_room },
	{ "left", 2, do_left },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 20);
}
