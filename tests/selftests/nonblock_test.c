// SPDX-License-Identifier: GPL-2.0-only
/*
 * nonblock_test.c: waiting, not waiting, and signals while a process waits
 *
 * # check
 * # not kasan: it compares values; uring_test and life_test wait in the same places
 */
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "board.h"
#include "harness.h"

/* Newer architectures have the variants with a signal mask alone. */
#ifndef SYS_epoll_wait
#define SYS_epoll_wait	SYS_epoll_pwait
#endif
#ifndef SYS_poll
#define SYS_poll	SYS_ppoll
#endif

#define IN	ZZERO "-2-0"
#define OUT	ZZERO "-1-0"

SETUP(fresh)
{
	renew_zzero();
}

/* The file that switches the channel off and on. */
static char enable[128];

SETUP(fresh_switch)
{
	snprintf(enable, sizeof(enable), ZZERO_SYS "/%s", value);
	renew_zzero();
}

/* Wait until the child sleeps in the system call. */
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
		/* A kernel without that file shows the state only. */
		if (fd >= 0 && (n <= 0 || strtol(text, NULL, 10) != call))
			looks = 0;
		else if (task_state(pid) == 'S')
			looks++;
	}
}

TEST_EACH("O_NONBLOCK reads what is there, without %s", fresh_switch,
	  "cset2/chan0/enable", "cset2/trigger/enable", "cset2/enable")
{
	struct pair pair = open_pair(IN, O_RDONLY | O_NONBLOCK);
	struct zio_control ctrl;
	uint32_t word;

	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(read(pair.data, &word, 4), 4);
	ASSERT_EQ(word, ctrl.seq_num * 16);
	write_text(enable, "0\n");
	/* The rest of the block in hand can be read, and nothing else. */
	ASSERT_TRUE(poll_events(pair.data, POLLIN, 0) & POLLIN);
	ASSERT_EQ(poll_events(pair.ctrl, POLLIN, 0), 0);
	ASSERT_ERRNO(read(pair.ctrl, &ctrl, sizeof(ctrl)), EAGAIN);
	ASSERT_ERRNO(read(pair.data, &word, 4), EAGAIN);
	ASSERT_EQ(poll_events(pair.data, POLLIN, 0), 0);
	write_text(enable, "1\n");
	ASSERT_TRUE(poll_events(pair.data, POLLIN, 0) & POLLIN);
	ASSERT_EQ(read(pair.data, &word, 4), 4);
}

TEST_EACH("RWF_NOWAIT reads what is there, without %s", fresh_switch,
	  "cset2/chan0/enable", "cset2/trigger/enable", "cset2/enable")
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct zio_control ctrl;
	struct iovec data, control = { &ctrl, sizeof(ctrl) };
	char buf[64];

	data = (struct iovec){ buf, sizeof(buf) };
	ASSERT_EQ(preadv2(pair.ctrl, &control, 1, -1, RWF_NOWAIT), 512);
	ASSERT_EQ(preadv2(pair.data, &data, 1, -1, RWF_NOWAIT), sizeof(buf));
	write_text(enable, "0\n");
	ASSERT_ERRNO(preadv2(pair.ctrl, &control, 1, -1, RWF_NOWAIT), EAGAIN);
	ASSERT_ERRNO(preadv2(pair.data, &data, 1, -1, RWF_NOWAIT), EAGAIN);
	write_text(enable, "1\n");
	ASSERT_EQ(preadv2(pair.data, &data, 1, -1, RWF_NOWAIT), sizeof(buf));
}

TEST_EACH("poll() says that a read works, and changes nothing: %s", fresh,
	  ZZERO "-0-0", ZZERO "-0-2", ZZERO "-2-0")
{
	struct pair pair = open_pair(value, O_RDONLY | O_NONBLOCK);
	uint32_t seq = read_control(pair.ctrl).seq_num;
	int i, j;

	for (i = 0; i < 50; i++) {
		for (j = 0; j < 10; j++) {
			ASSERT_TRUE(poll_events(pair.ctrl, POLLIN, 0) & POLLIN);
			ASSERT_TRUE(poll_events(pair.data, POLLIN, 0) & POLLIN);
			ASSERT_EQ(poll_events(pair.data, POLLOUT, 0), 0);
		}
		ASSERT_EQ(read_control(pair.ctrl).seq_num, ++seq);
	}
}

static void check_select(int fd, int wanted)
{
	struct timeval zero = { 0, 0 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	ASSERT_EQ(select(fd + 1, &set, NULL, NULL, &zero), wanted);
}

TEST_EACH("select() and epoll, level and edge, without %s", fresh_switch,
	  "cset2/chan0/enable", "cset2/trigger/enable", "cset2/enable")
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	char buf[64];
	pid_t pid;

	write_text(enable, "0\n");
	ASSERT_TRUE(!epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
	ASSERT_EQ(epoll_wait(ep, &ev, 1, 0), 0);
	check_select(fd, 0);
	pid = fork();
	if (!pid) {
		ASSERT_EQ(epoll_wait(ep, &ev, 1, -1), 1);
		ASSERT_TRUE(ev.events & EPOLLIN);
		_exit(0);
	}
	wait_asleep(pid, SYS_epoll_wait);
	write_text(enable, "1\n");
	wait_children(1);
	check_select(fd, 1);
	ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
}

static unsigned int *signals; /* shared with the parent */

static void count_signal(int signal)
{
	(void)signal;
	add(signals);
}

static void catch_signal(int flags)
{
	struct sigaction act = { .sa_handler = count_signal, .sa_flags = flags };

	ASSERT_TRUE(!sigaction(SIGUSR1, &act, NULL));
}

TEST_EACH("a signal interrupts or restarts a sleeping read, without %s", fresh_switch,
	  "cset2/chan0/enable", "cset2/trigger/enable", "cset2/enable")
{
	char buf[64], ctrl[512];
	unsigned int i;
	pid_t pid;
	int fd;

	signals = share_memory(sizeof(*signals));
	write_text(enable, "0\n");
	pid = fork();
	if (!pid) {
		fd = open_node(IN, "data", O_RDONLY);
		catch_signal(0);
		ASSERT_ERRNO(read(fd, buf, sizeof(buf)), EINTR);
		ASSERT_EQ(get(signals), 1);
		ASSERT_ERRNO(read(open_node(IN, "ctrl", O_RDONLY), ctrl, 512), EINTR);
		ASSERT_EQ(get(signals), 2);
		catch_signal(SA_RESTART);
		ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
		ASSERT_EQ(get(signals), 3);
		_exit(0);
	}
	for (i = 1; i <= 3; i++) {
		wait_asleep(pid, SYS_read);
		kill(pid, SIGUSR1);
		wait_for(10, get(signals) == i);
	}
	wait_asleep(pid, SYS_read);
	write_text(enable, "1\n");
	wait_children(1);
}

TEST("16 blocks fit an output; poll() and write() wait for room", fresh)
{
	struct pair pair = open_pair(OUT, O_WRONLY | O_NONBLOCK);
	static char buf[400];
	pid_t pid;

	write_text(CSET1 "/enable", "0\n");
	ASSERT_TRUE(poll_events(pair.data, POLLOUT, 0) & POLLOUT);
	ASSERT_EQ(write(pair.data, buf, 400), 256);
	ASSERT_ERRNO(write(pair.data, buf, 16), EAGAIN);
	ASSERT_EQ(poll_events(pair.data, POLLOUT, 0), 0);
	ASSERT_EQ(poll_events(pair.ctrl, POLLOUT, 0), 0);
	pid = fork();
	if (!pid) {
		struct pollfd pfd = { pair.data, POLLOUT, 0 };

		ASSERT_EQ(poll(&pfd, 1, -1), 1);
		ASSERT_TRUE(pfd.revents & POLLOUT);
		_exit(0);
	}
	wait_asleep(pid, SYS_poll);
	write_text(CSET1 "/enable", "1\n");
	wait_children(1);
	ASSERT_EQ(write(pair.data, buf, 400), 400);
}

TEST("the last block has room for its last byte, and poll() says so", fresh)
{
	struct pair pair = open_pair(OUT, O_WRONLY | O_NONBLOCK);
	static char buf[256];

	write_text(CSET1 "/enable", "0\n");
	ASSERT_EQ(write(pair.data, buf, 255), 255);
	ASSERT_TRUE(poll_events(pair.data, POLLOUT, 0) & POLLOUT);
	ASSERT_EQ(write(pair.data, buf, 1), 1);
	ASSERT_EQ(poll_events(pair.data, POLLOUT, 0), 0);
}

/* Start a child that sleeps in poll(), without this end of a pipe. */
static void start_poller(int fd, short events, int end)
{
	pid_t pid = fork_child();

	if (!pid) {
		close(end);
		ASSERT_TRUE(poll_events(fd, events, -1));
		_exit(0);
	}
	wait_asleep(pid, SYS_poll);
}

TEST("poll() wakes when a block is given back empty", fresh)
{
	int fd = open_node(OUT, "data", O_WRONLY | O_NONBLOCK);
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION, .ssize = 1, .nsamples = 4,
	};
	static char buf[400];
	int go[2];

	write_text(CSET1 "/enable", "0\n");
	ASSERT_EQ(write(fd, buf, 15 * 16), 15 * 16);
	ASSERT_TRUE(!pipe(go));
	if (!fork()) {
		int ctrl_fd = open_node(OUT, "ctrl", O_WRONLY);

		ASSERT_EQ(write(ctrl_fd, &ctrl, 512), 512);
		close(go[1]);
		while (poll_events(go[0], POLLIN, 0) == 0)
			usleep(1000);
		_exit(0);
	}
	/* The child has the last block when nothing is writable. */
	while (poll_events(fd, POLLOUT, 0))
		usleep(1000);
	start_poller(fd, POLLOUT, go[1]);
	close(go[1]);
	wait_children(2);
	write_text(CSET1 "/enable", "1\n");
}

TEST("poll() wakes when a reader leaves a block", fresh)
{
	int fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	int go[2], has[2];
	char byte;

	ASSERT_TRUE(!pipe(go) && !pipe(has));
	if (!fork()) {
		int mine = open_node(IN, "ctrl", O_RDONLY);

		close(go[1]);
		read_control(mine);
		write_text(CSET2 "/enable", "0\n");
		ASSERT_EQ(write(has[1], "", 1), 1);
		ASSERT_EQ(read(go[0], &byte, 1), 0);
		_exit(0);
	}
	ASSERT_EQ(read(has[0], &byte, 1), 1);
	start_poller(fd, POLLIN, go[1]);
	close(go[1]);
	wait_children(2);
	ASSERT_EQ(read(fd, &byte, 1), 1);
	write_text(CSET2 "/enable", "1\n");
}

#define READERS	2

/* Read one control and its data; nothing of it may wait but poll(). */
static size_t read_one(struct pair pair, void *data, size_t size)
{
	struct zio_control ctrl;
	ssize_t n;

	ASSERT_TRUE(poll_events(pair.ctrl, POLLIN, -1) & POLLIN);
	n = read(pair.ctrl, &ctrl, sizeof(ctrl));
	/* Another reader may have taken it. */
	if (n < 0 && errno == EAGAIN)
		return 0;
	ASSERT_EQ(n, sizeof(ctrl));
	ASSERT_TRUE(poll_events(pair.data, POLLIN, 0));
	ASSERT_EQ(read(pair.data, data, size), ctrl.nsamples * ctrl.ssize);
	return 1;
}

static void read_pairs(int n, unsigned int *done)
{
	struct pair pair = open_pair(IN, O_RDONLY | O_NONBLOCK);
	char data[4096];

	while (n)
		n -= read_one(pair, data, sizeof(data));
	add(done);
	_exit(0);
}

TEST("a control that was read has data, whatever others do with the channel", fresh)
{
	unsigned int *done = share_memory(sizeof(*done)), i;

	for (i = 0; i < READERS; i++)
		if (!fork_child())
			read_pairs(3000, done);
	for (; get(done) < READERS; i++)
		write_text(CSET2 "/trigger/post-samples", i % 2 ? "16\n" : "32\n");
	wait_children(READERS);
}
