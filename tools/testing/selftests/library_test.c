// SPDX-License-Identifier: GPL-2.0-only
/*
 * library_test.c: libzio on real nodes
 *
 * # not kasan: it judges a library; map_test and life_test take the same ways
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "board.h"
#include "harness.h"
#include "libzio/zio.h"

#define COUNTER	ZZERO "-2-0"
#define OUT	ZZERO "-1-0"
#define STATISTICS	CSET1 "/chan0/statistics"

SETUP(fresh)
{
	load("zio-buf-vmalloc");
	renew_zzero();
	write_text(CSET1 "/current_buffer", "vmalloc");
	write_text(CSET2 "/current_buffer", "vmalloc");
}

SETUP(watermark)
{
	fresh(NULL);
	write_text(CSET2 "/chan0/buffer/watermark", "64");
	if (!exists("/proc/sys/kernel/seccomp"))
		SKIP("no seccomp in this kernel");
}

SETUP(disabled)
{
	fresh(NULL);
	write_text(CSET2 "/chan0/enable", "0");
}

static struct zio_channel *open_channel(const char *prefix, int flags,
					const char *method)
{
	struct zio_error err = { .text = "" };
	int flag = zio_method_flag(method);
	struct zio_channel *ch;

	ASSERT_TRUE(flag >= 0);
	ch = zio_open(prefix, flags | flag, &err);
	if (!ch)
		FAIL("%s", err.text);
	return ch;
}

#define next(ch, blk) do {						\
	if (zio_next(ch, blk) != 1)					\
		FAIL("%s", zio_reason(ch));				\
} while (0)

/* Forbid all system calls but write() and the exit: others kill the process. */
static void forbid_calls(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	ASSERT_TRUE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	ASSERT_TRUE(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/* The first call fills the ring, up to the watermark. */
static int take_quietly(const char *prefix, unsigned long n)
{
	struct zio_channel *ch = open_channel(prefix, 0, "ring");
	struct zio_block blk;
	int status;
	pid_t child;

	child = fork();
	ASSERT_TRUE(child >= 0);
	if (!child) {
		next(ch, &blk);
		forbid_calls();
		while (--n)
			next(ch, &blk);
		_exit(0);
	}
	ASSERT_TRUE(waitpid(child, &status, 0) == child);
	zio_close(ch);
	return status;
}

TEST("libzio reads a ring of 64 blocks without system calls", watermark)
{
	unsigned long n = 64;
	int status = take_quietly(COUNTER, n);

	ASSERT_EQ(status, 0);
	status = take_quietly(COUNTER, 2 * n + 1);
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(WTERMSIG(status), SIGSYS);
}

static struct zio_channel *interrupted;

static void on_signal(int signal)
{
	(void)signal;
	zio_interrupt(interrupted);
}

TEST_EACH("zio_interrupt() ends a wait at any time, method %s", disabled,
	  "ring", "mmap", "read")
{
	struct zio_block blk;
	int i, n = is_debug_kernel() ? 100 : 500;

	signal(SIGUSR1, on_signal);
	for (i = 0; i < n; i++) {
		pid_t parent = getpid(), child;

		interrupted = open_channel(COUNTER, 0, value);
		child = fork();
		ASSERT_TRUE(child >= 0);
		if (!child) {
			usleep(i * 10);
			kill(parent, SIGUSR1);
			_exit(0);
		}
		ASSERT_EQ(zio_next(interrupted, &blk), -1);
		ASSERT_TRUE(errno == EINTR || errno == EAGAIN);
		wait_children(1);
		zio_close(interrupted);
	}
}

/* 500 blocks of all lengths by zio_reserve(); the library chooses this method. */
static void check_output(const char *method, const char *expected)
{
	struct zio_channel *ch = open_channel(OUT, ZIO_OPEN_OUTPUT, method);
	unsigned long blocks = read_number(STATISTICS "/blocks");
	unsigned long bytes = read_number(STATISTICS "/bytes");
	size_t size = 0;
	int i, len;
	void *mem;

	for (i = 0; i < 500; i++) {
		mem = zio_reserve(ch, &size);
		if (!mem)
			FAIL("%s", zio_reason(ch));
		ASSERT_EQ(size, 16);
		memset(mem, i, size);
		len = 1 + i % 16;
		if (zio_commit(ch, len))
			FAIL("%s", zio_reason(ch));
		bytes += len;
	}
	ASSERT_EQ(read_number(STATISTICS "/blocks"), blocks + 500);
	ASSERT_EQ(read_number(STATISTICS "/bytes"), bytes);
	ASSERT_EQ(strcmp(zio_method(ch), expected), 0);
	zio_close(ch);
}

TEST("the library plays an output with a buffer vmalloc in place", fresh)
{
	check_output("auto", "mmap");
	check_output("mmap", "mmap");
}

TEST("the library writes to an output when it is asked to", fresh)
{
	check_output("read", "write");
}

TEST("the library writes to an output with a buffer kmalloc", fresh)
{
	write_text(CSET1 "/current_buffer", "kmalloc");
	check_output("auto", "write");
}
