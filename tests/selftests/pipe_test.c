// SPDX-License-Identifier: GPL-2.0-only
/*
 * pipe_test.c: a process that sleeps in splice() does not keep others from the pipe
 *
 * A child splices and sleeps. Others use the same pipe, and are killed.
 */
#include "board.h"
#include "harness.h"

#define BIG	65536
#define DATA	ZZERO "-2-0-data"
#define CTRL	ZZERO "-2-0-ctrl"
#define SNIFF	"/dev/zio/sniff-ctrl"
#define LOOP	"/dev/zio/zloop-0000"
#define FIRE	CSET2 "/trigger/fire"	/* writing 1 makes an event */

/* Blocks of a page */
static void set_up_input(const char *buffer)
{
	load("zio-trig-sysfs");
	renew_zzero();
	write_text(CSET2 "/current_trigger", "sysfs");
	write_text(CSET2 "/current_buffer", buffer);
	write_text(CSET2 "/trigger/nsamples", "1024");
}

SETUP(fresh)
{
	set_up_input(value);
}

SETUP(kmalloc)
{
	set_up_input("kmalloc");
}

SETUP(loop)
{
	reload("zio-loop", "");
}

struct stage {
	int rd, wr;
	unsigned int *begun;
};

static struct stage set_up(void)
{
	struct stage s = { .begun = share_memory(sizeof(*s.begun)) };
	int fd[2];

	ASSERT_EQ(pipe2(fd, O_CLOEXEC), 0);
	s.rd = fd[0];
	s.wr = fd[1];
	return s;
}

/* Wait until the process has begun and sleeps: it is in the call that follows. */
static void wait_asleep(struct stage *s, unsigned int n, pid_t pid)
{
	unsigned int still = 0;

	while (get(s->begun) < n || still < 5) {
		usleep(10000);
		still = strchr("SD", task_state(pid)) ? still + 1 : 0;
	}
}

static void must_end(pid_t pid, int wanted)
{
	int status;

	if (!comes_true(60, waitpid(pid, &status, WNOHANG) == pid))
		FAIL("a process that uses the pipe cannot be killed");
	ASSERT_EQ(status, wanted);
}

static pid_t begin(struct stage *s)
{
	pid_t pid = fork();

	ASSERT_TRUE(pid >= 0);
	if (!pid)
		__atomic_fetch_add(s->begun, 1, __ATOMIC_SEQ_CST);
	return pid;
}

/* Kill a process that reads the empty pipe, or that waits for its lock. */
static void kill_reader(struct stage *s, unsigned int n)
{
	char byte;
	pid_t pid = begin(s);

	if (!pid)
		_exit(read(s->rd, &byte, 1) == 1);
	wait_asleep(s, n, pid);
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	must_end(pid, SIGKILL);
}

/* A byte goes through while another process sleeps in splice(). */
static void pass_byte(struct stage *s)
{
	char byte = 0;
	pid_t pid = begin(s);

	if (!pid) {
		ASSERT_TRUE(write(s->wr, "x", 1) == 1);
		ASSERT_TRUE(read(s->rd, &byte, 1) == 1 && byte == 'x');
		_exit(0);
	}
	must_end(pid, 0);
}

static pid_t start_input(struct stage *s, const char *node, size_t bytes)
{
	pid_t pid = begin(s);

	if (!pid) {
		int fd = open_file(node, O_RDONLY);

		ASSERT_EQ(splice(fd, NULL, s->wr, NULL, BIG, 0), bytes);
		_exit(0);
	}
	wait_asleep(s, 1, pid);
	return pid;
}

/* A process sleeps for a block of so many bytes. */
static void check_input(const char *node, size_t bytes)
{
	struct stage s = set_up();
	pid_t pid = start_input(&s, node, bytes);
	static char buf[BIG];

	kill_reader(&s, 2);
	pass_byte(&s);
	ASSERT_EQ(task_state(pid), 'S');
	write_text(FIRE, "1");
	must_end(pid, 0);
	ASSERT_EQ(read(s.rd, buf, sizeof(buf)), bytes);
}

/* The sleeping process can be killed, and the pipe works. */
static void check_killed(const char *node)
{
	struct stage s = set_up();
	pid_t pid = start_input(&s, node, 0);

	ASSERT_EQ(kill(pid, SIGKILL), 0);
	must_end(pid, SIGKILL);
	pass_byte(&s);
}

static size_t fill_pipe(struct stage *s)
{
	static char buf[4096];
	size_t sum = 0;

	fcntl(s->wr, F_SETFL, O_NONBLOCK);
	while (write(s->wr, buf, sizeof(buf)) > 0)
		sum += sizeof(buf);
	ASSERT_EQ(errno, EAGAIN);
	fcntl(s->wr, F_SETFL, 0);
	return sum;
}

static void drain_pipe(struct stage *s, size_t n)
{
	static char buf[4096];

	for (; n; n -= sizeof(buf))
		ASSERT_EQ(read(s->rd, buf, sizeof(buf)), sizeof(buf));
}

TEST_EACH("a pipe that others fill delays the block, %s", fresh,
	  "kmalloc", "vmalloc")
{
	struct stage s = set_up();
	static char buf[BIG];
	pid_t pid = start_input(&s, DATA, 4096);
	size_t n = fill_pipe(&s);
	int status;

	write_text(FIRE, "1");
	wait_asleep(&s, 1, pid);
	ASSERT_EQ(waitpid(pid, &status, WNOHANG), 0);
	drain_pipe(&s, n);
	ASSERT_TRUE(read(s.rd, buf, sizeof(buf)) > 0);
	must_end(pid, 0);
}

TEST_EACH("a process that sleeps for a pipe without readers gets EPIPE, %s", fresh,
	  "kmalloc", "vmalloc")
{
	struct stage s = set_up();
	static char buf[4096];
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	pid = begin(&s);
	if (!pid) {
		int fd = open_file(DATA, O_RDONLY);

		close(s.rd);
		ASSERT_ERRNO(splice(fd, NULL, s.wr, NULL, BIG, 0), EPIPE);
		_exit(0);
	}
	wait_asleep(&s, 1, pid);
	close(s.rd);
	write_text(FIRE, "1");
	must_end(pid, 0);
	/* The block is still there. */
	ASSERT_EQ(read(open_file(DATA, O_RDONLY | O_NONBLOCK), buf, sizeof(buf)), 4096);
}

TEST("a full output takes a part of the pipe and returns EAGAIN", loop)
{
	int fd = open_file(LOOP "-0-0-data", O_WRONLY | O_NONBLOCK);
	size_t n = 5000;
	struct stage s = set_up();
	static char buf[BIG];
	ssize_t ret;

	ASSERT_EQ(write(s.wr, buf, n), n);
	ret = splice(s.rd, NULL, fd, NULL, n, 0);
	ASSERT_TRUE(ret > 0 && ret < (ssize_t)n);
	ASSERT_ERRNO(splice(s.rd, NULL, fd, NULL, n - ret, 0), EAGAIN);
	ASSERT_EQ(read(s.rd, buf, sizeof(buf)), n - ret);
}

TEST_EACH("others use the pipe while a process sleeps for data, %s", fresh,
	  "kmalloc", "vmalloc")
{
	check_input(DATA, 4096);
}

TEST_EACH("others use the pipe while a process sleeps for a control, %s", fresh,
	  "kmalloc", "vmalloc")
{
	check_input(CTRL, 512);
}

TEST("others use the pipe while a process sleeps for the sniffer", kmalloc)
{
	check_input(SNIFF, 512);
}

TEST_EACH("a process that sleeps for data is killed, %s", fresh, "kmalloc", "vmalloc")
{
	check_killed(DATA);
}

TEST("a process that sleeps for the sniffer is killed", kmalloc)
{
	check_killed(SNIFF);
}
