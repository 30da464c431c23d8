// SPDX-License-Identifier: GPL-2.0-only
/*
 * stuck_test.c: a page fault that is not served stops one system call, and no other:
 * neither readers of the channel, nor its configuration, nor a route, nor an unbind
 *
 * userfaultfd serves a page only when the test says so. A read or write that needs the
 * page stays in the kernel until then.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "board.h"
#include "harness.h"

#define SAW	ZZERO "-0-2"
#define COUNTER	ZZERO "-2-0"
#define OUT	ZZERO "-1-0"
#define STUCK	ZZERO "-0-1"	/* the input with the call that does not return */
#define SOURCE	CSET1 "/chan0/buffer/source"

/* Two boards; cset0 of the first has the buffer vmalloc. */
SETUP(fresh)
{
	load("zio-buf-vmalloc");
	reload("zio-zero", "ndev=2");
	write_text(CSET0 "/current_buffer", "vmalloc");
}

#define LIMIT	60	/* seconds of an idle machine, which only a hang reaches */

struct call {
	int fd, uffd;
	bool writes;
	void *mem;
	size_t len;
	ssize_t ret;
	int code;
	pthread_t thread;
};

static void *make_call(void *arg)
{
	struct call *call = arg;

	call->ret = call->writes ? write(call->fd, call->mem, call->len) :
				   read(call->fd, call->mem, call->len);
	call->code = errno;
	return NULL;
}

static int register_memory(void *mem, size_t len)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (unsigned long)mem, len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(ioctl(fd, UFFDIO_API, &api), 0);
	ASSERT_EQ(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	return fd;
}

static void serve(int uffd, void *mem, size_t len)
{
	struct uffdio_zeropage zero = {
		.range = { (unsigned long)mem, len },
	};

	ASSERT_EQ(ioctl(uffd, UFFDIO_ZEROPAGE, &zero), 0);
}

/* Start a call on a page that is missing, and wait until it is in the page fault. */
static void start_stuck_call(struct call *call, const char *path, bool writes, size_t len)
{
	struct uffd_msg msg;

	*call = (struct call){ .writes = writes, .len = len };
	call->fd = open_file(path, writes ? O_WRONLY : O_RDONLY);
	call->mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(call->mem != MAP_FAILED);
	call->uffd = register_memory(call->mem, PAGE);
	ASSERT_EQ(pthread_create(&call->thread, NULL, make_call, call), 0);
	ASSERT_EQ(read(call->uffd, &msg, sizeof(msg)), sizeof(msg));
	ASSERT_EQ(msg.event, UFFD_EVENT_PAGEFAULT);
}

/* Serve the page. The call returns @ret, or fails with @code. */
static void finish_stuck_call(struct call *call, ssize_t ret, int code)
{
	serve(call->uffd, call->mem, PAGE);
	pthread_join(call->thread, NULL);
	ASSERT_EQ(call->ret, ret);
	if (ret < 0)
		ASSERT_EQ(call->code, code);
	close(call->fd);
	close(call->uffd);
}

static void print_stack(pid_t pid)
{
	shell("sed 's/^/# /' /proc/%d/stack", pid);
}

/* The command of the shell succeeds, and does not wait for the stuck call. */
static void check_ends(const char *command)
{
	pid_t pid = fork_child();
	int status;

	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	if (!comes_true(LIMIT, waitpid(pid, &status, WNOHANG))) {
		print_stack(pid);
		FAIL("does not end: %s", command);
	}
	if (status)
		FAIL("status %#x from: %s", status, command);
}

#define DD(node, bytes)	"dd of=/dev/null count=1 if=" node " bs=" bytes " 2>/dev/null"
#define SET(file, text)	"echo " text " >" file

static void use_board(void)
{
	check_ends(DD(SAW "-data", "16"));
	check_ends(DD(STUCK "-data", "16"));
	check_ends(DD(STUCK "-ctrl", "512"));
	check_ends("cat " CSET0 "/current_trigger >/dev/null");
	check_ends(SET(CSET0 "/chan0/enable", "0"));
	check_ends(SET(CSET0 "/chan0/enable", "1"));
	check_ends("exec 4<>" STUCK "-ctrl");
}

/* The size of the smallest call at a node of this kind. */
static size_t len_of(const char *kind)
{
	return strcmp(kind, "data") ? 512 : 16;
}

TEST_EACH("a board is used while a read of %s is stuck", fresh, "data", "ctrl")
{
	struct call call;
	char path[64];

	snprintf(path, sizeof(path), STUCK "-%s", value);
	start_stuck_call(&call, path, false, len_of(value));
	check_ends(SET(CSET0 "/trigger/nsamples", "32"));
	use_board();
	finish_stuck_call(&call, len_of(value), 0);
}

static void ignore_signal(int signal)
{
	(void)signal;
}

/* A read that returns 0 would be the end of a file. */
TEST_EACH("a signal while a read of %s is stuck does not make it empty", fresh, "data", "ctrl")
{
	struct sigaction action = { .sa_handler = ignore_signal };
	struct call call;
	char path[64];

	ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	snprintf(path, sizeof(path), STUCK "-%s", value);
	start_stuck_call(&call, path, false, len_of(value));
	ASSERT_EQ(pthread_kill(call.thread, SIGUSR1), 0);
	finish_stuck_call(&call, len_of(value), 0);
}

TEST("a board is unbound while a read of it is stuck", fresh)
{
	struct call call;

	start_stuck_call(&call, STUCK "-data", false, 16);
	check_ends(SET(DRIVERS "/zio-zero/unbind", "zio-zero.0"));
	finish_stuck_call(&call, -1, ENODEV);
}

/* poll() says that a read works, and looking changes nothing. */
static void check_poll(void)
{
	struct pair pair = open_pair(COUNTER, O_RDONLY | O_NONBLOCK);
	uint32_t seq = read_control(pair.ctrl).seq_num;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(poll_events(pair.ctrl, POLLIN, 0) & POLLIN);
		ASSERT_TRUE(poll_events(pair.data, POLLIN, 0) & POLLIN);
		ASSERT_EQ(read_control(pair.ctrl).seq_num, ++seq);
	}
	close_pair(pair);
}

/* The process that is stuck is killed at the end. */
TEST_EACH("routes, poll() and another board work while a write of %s is stuck", fresh,
	  "data", "ctrl")
{
	unsigned int *stuck = share_memory(sizeof(*stuck));
	char path[64];
	struct call call;
	pid_t pid;

	snprintf(path, sizeof(path), OUT "-%s", value);
	pid = fork_child();
	if (!pid) {
		start_stuck_call(&call, path, true, len_of(value));
		set(stuck, 1);
		pause();
	}
	wait_for(LIMIT, get(stuck));
	check_ends(SET(SOURCE, "zzero-0000-0-0"));
	check_ends("cat " SOURCE " >/dev/null");
	check_ends(SET(SOURCE, "none"));
	check_poll();
	check_ends(SET(DRIVERS "/zio-zero/unbind", "zio-zero.1"));
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
}

/* Map three pages, of which the middle one cannot be accessed. */
static char *map_with_hole(void)
{
	char *mem = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_EQ(mprotect(mem + PAGE, PAGE, PROT_NONE), 0);
	return mem;
}

static unsigned char next_sample;

static void check_samples(const void *mem, size_t n)
{
	const unsigned char *sample = mem;

	while (n--)
		ASSERT_EQ(*sample++, next_sample++);
}

/* A read returns the samples before the hole; the next read returns those after it. */
static void read_around_hole(int fd)
{
	char *mem = map_with_hole();
	struct iovec vec[2] = { { mem, PAGE }, { mem + PAGE, PAGE } };

	ASSERT_EQ(read(fd, mem, 2 * PAGE), PAGE);
	check_samples(mem, PAGE);
	ASSERT_ERRNO(read(fd, mem + PAGE, 100), EFAULT);
	ASSERT_EQ(read(fd, mem + PAGE - 7, 100), 7);
	check_samples(mem + PAGE - 7, 7);
	ASSERT_EQ(readv(fd, vec, 2), PAGE);
	check_samples(mem, PAGE);
	ASSERT_EQ(read(fd, mem + 2 * PAGE, PAGE), PAGE);
	check_samples(mem + 2 * PAGE, PAGE);
	ASSERT_EQ(munmap(mem, 3 * PAGE), 0);
}

/* Read into memory that has no page yet. */
static void read_fresh(int fd, size_t len, int pieces)
{
	char *mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct iovec vec[2] = { { mem, len / 2 }, { mem + len / 2, len / 2 } };

	ASSERT_TRUE(mem != MAP_FAILED);
	if (pieces == 1)
		ASSERT_EQ(read(fd, mem, len), len);
	else
		ASSERT_EQ(readv(fd, vec, 2), len);
	check_samples(mem, len);
	ASSERT_EQ(munmap(mem, len), 0);
}

TEST("a read around a page that is not there loses no sample", fresh)
{
	int fd = open_file(SAW "-data", O_RDONLY);

	ASSERT_EQ(read(fd, &next_sample, 1), 1);
	next_sample++;
	read_around_hole(fd);
	read_fresh(fd, 64 * PAGE, 1);
	read_fresh(fd, 64 * PAGE, 2);
	read_fresh(fd, 1024 * PAGE, 1);
	read_around_hole(fd);
}

TEST("a control around a page that is not there is copied whole or read again", fresh)
{
	const size_t size = sizeof(struct zio_control);
	int fd = open_file(COUNTER "-ctrl", O_RDONLY);
	struct zio_control *ctrl;
	char *mem = map_with_hole();
	unsigned int seq, i;

	seq = read_control(fd).seq_num;
	ASSERT_ERRNO(read(fd, mem + PAGE - size / 2, size), EFAULT);
	ASSERT_ERRNO(read(fd, mem + PAGE, size), EFAULT);
	ctrl = (void *)(mem + PAGE - 2 * size);
	ASSERT_EQ(read(fd, ctrl, 4 * size), 2 * size);
	ASSERT_EQ(ctrl[0].seq_num, ++seq);
	ASSERT_EQ(ctrl[1].seq_num, ++seq);
	ctrl = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(read(fd, ctrl, 12 * size), 12 * size);
	for (i = 0; i < 12; i++)
		ASSERT_EQ(ctrl[i].seq_num, ++seq);
	ASSERT_EQ(read_control(fd).seq_num, ++seq);
}

TEST("a write around a page that is not there takes the bytes before it", fresh)
{
	int fd = open_file(OUT "-data", O_WRONLY);
	unsigned long before = read_number(CSET1 "/chan0/statistics/bytes");
	char *mem = map_with_hole();
	char *shared = mmap(NULL, 64 * PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(mem, 1, PAGE);
	ASSERT_EQ(write(fd, mem, 2 * PAGE), PAGE);
	ASSERT_ERRNO(write(fd, mem + PAGE, 100), EFAULT);
	ASSERT_EQ(write(fd, mem + PAGE - 4, 100), 4);
	ASSERT_EQ(write(fd, shared, 64 * PAGE), 64 * PAGE);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/bytes") - before, 65 * PAGE + 4);
}

TEST("a control that is partly in a missing page changes nothing", fresh)
{
	int in = open_node(OUT, "ctrl", O_RDWR);
	int out = open_node(OUT, "data", O_WRONLY);
	struct zio_control ctrl;
	char *mem = map_with_hole();

	memset(&ctrl, 0, sizeof(ctrl));
	ASSERT_ERRNO(write(in, mem + PAGE, sizeof(ctrl)), EFAULT);
	memcpy(mem + PAGE - sizeof(ctrl) / 2, &ctrl, sizeof(ctrl) / 2);
	ASSERT_ERRNO(write(in, mem + PAGE - sizeof(ctrl) / 2, sizeof(ctrl)), EFAULT);
	ASSERT_EQ(write(out, mem, 16), 16);
}
