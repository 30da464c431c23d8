// SPDX-License-Identifier: GPL-2.0-only
/* processes.c: children, threads, and files that are passed between processes */
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "fuzz.h"

static int passing = -1;

void init_passing(int sock)
{
	passing = sock;
}

/* Send an open file and its slot. */
static void do_send(void)
{
	struct slot *slot = slot_for(chance(2), -1);
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec v = { slot, sizeof(*slot) };
	struct msghdr msg = {
		.msg_iov = &v, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &slot->fd, sizeof(int));
	if (result(sendmsg(passing, &msg, MSG_DONTWAIT)) < 0 || chance(2))
		return;
	close(slot->fd);
	slot->fd = -1;
}

static void do_receive(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct slot slot = { .fd = -1 };
	struct iovec v = { &slot, sizeof(slot) };
	struct msghdr msg = {
		.msg_iov = &v, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (result(recvmsg(passing, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0)
		return;
	if (msg.msg_controllen < CMSG_LEN(sizeof(int)))
		return;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	keep_fd(fd, slot.channel, slot.is_data);
}

/* A child makes steps with the same files and maps, or is killed. */
static void do_fork(void)
{
	unsigned int n = 1 + dice(20), patience = 1 + dice(50);
	bool is_killed = chance(3);
	int status;
	pid_t pid = result(fork());

	if (!pid) {
		leave_uring();
		run_steps(n);
		_exit(0);
	}
	if (pid < 0)
		return;
	while (is_killed && patience-- && !waitpid(pid, &status, WNOHANG))
		usleep(1000);
	if (is_killed)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		_exit(1);
}

/* A thread makes a call; meanwhile the main thread closes its file, or the like. */

static struct call {
	int fd, kind;
	char *buf;
	size_t len;
	int done;
} call;

static void *make_call(void *arg)
{
	struct pollfd p = { call.fd, POLLIN | POLLOUT, 0 };

	switch (call.kind) {
	case 0:
		if (read(call.fd, call.buf, call.len) < 0)
			errno = 0;
		break;
	case 1:
		if (write(call.fd, call.buf, call.len) < 0)
			errno = 0;
		break;
	case 2:
		poll(&p, 1, 50);
		break;
	default:
		mmap(call.buf, call.len, PROT_READ | PROT_WRITE, MAP_FIXED |
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	__atomic_store_n(&call.done, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void disturb(struct slot *slot)
{
	int none = -1;

	switch (dice(5)) {
	case 0:
		result(close(slot->fd));
		slot->fd = -1;
		break;
	case 1:
		result(dup3(any_slot()->fd, slot->fd, O_CLOEXEC));
		slot->channel = -1;
		break;
	case 2:
		result(ioctl(slot->fd, ZIO_IOC_SHARE, &none));
		break;
	case 3:
		result(read(slot->fd, arena, 512));
		break;
	default:
		result(madvise(call.buf, call.len, MADV_DONTNEED));
	}
}

static void do_race(void)
{
	struct slot *slot = slot_for(chance(3), -1);
	pthread_t thread;
	unsigned int delay = dice(500);

	if (slot->fd < 0)
		return;
	call = (struct call){ .fd = slot->fd, .kind = dice(4), .buf = arena,
			      .len = 4096 << dice(4) };
	if (pthread_create(&thread, NULL, make_call, NULL))
		return;
	usleep(delay);
	disturb(slot);
	while (!__atomic_load_n(&call.done, __ATOMIC_SEQ_CST)) {
		pthread_kill(thread, SIGUSR1);
		usleep(1000);
	}
	pthread_join(thread, NULL);
}

const struct op process_ops[] = {
	{ "send-file", do_send, 8, 2, MEMBER },
	{ "receive-file", do_receive, 8, 2, MEMBER },
	{ "fork", do_fork, 3, 2, MEMBER },
	{ "race", do_race, 10, 3, MEMBER },
	{}
};
