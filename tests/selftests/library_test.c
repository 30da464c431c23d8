// SPDX-License-Identifier: GPL-2.0-only
/*
 * library_test.c: libzio on real nodes
 *
 * # check
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

SETUP(fresh)
{
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
	  "ring", "read")
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

/* Check the samples of a block of the counter. Return: its sequence number */
static uint32_t check_counter(const struct zio_block *blk)
{
	uint32_t i, seq = blk->control->seq_num, n = blk->control->nsamples;
	const uint32_t *sample = blk->data;

	ASSERT_EQ(blk->size, 4 * n);
	for (i = 0; i < n; i++)
		ASSERT_EQ(sample[i], seq * n + i);
	return seq;
}

TEST_EACH("a tap sees what a reader by %s reads, and takes nothing", fresh, "read",
	  "ring")
{
	struct zio_channel *tap, *in;
	struct zio_block blk, seen;
	uint32_t i;

	/* A poll of a ring acquires up to half of it, which a tap can follow. */
	write_text(CSET2 "/chan0/buffer/max-buffer-len", "32");
	tap = zio_open(COUNTER, ZIO_OPEN_TAP | ZIO_OPEN_NONBLOCK, NULL);
	in = open_channel(COUNTER, 0, value);
	ASSERT_TRUE(tap);
	ASSERT_TRUE(!strcmp(zio_method(tap), "tap"));
	ASSERT_TRUE(zio_next(tap, &seen) == -1 && errno == EAGAIN);
	ASSERT_EQ(zio_wait(tap, 0), 0);
	for (i = 0; i < 20; i++) {
		next(in, &blk);
		ASSERT_EQ(zio_wait(tap, 0), 1);
		next(tap, &seen);
		ASSERT_EQ(check_counter(&blk), i);
		ASSERT_EQ(check_counter(&seen), i);
	}
	zio_close(in);
	zio_close(tap);
}

TEST("a tap may read controls only, or into memory of the caller", fresh)
{
	struct zio_channel *tap = zio_open(COUNTER, ZIO_OPEN_TAP, NULL);
	struct zio_channel *in = open_channel(COUNTER, 0, "read");
	struct zio_block blk;
	uint32_t mem[16];
	uint32_t i;

	ASSERT_TRUE(tap);
	for (i = 0; i < 6; i++)
		next(in, &blk);
	ASSERT_EQ(zio_next_control(tap, &blk), 1);
	ASSERT_EQ(zio_next_control(tap, &blk), 1);
	ASSERT_EQ(zio_data(tap, &blk), 1);
	ASSERT_EQ(check_counter(&blk), 1);
	ASSERT_TRUE(zio_next_into(tap, &blk, mem, 63) == -1 && errno == EMSGSIZE);
	ASSERT_EQ(zio_next_into(tap, &blk, mem, sizeof(mem)), 1);
	ASSERT_EQ(check_counter(&blk), 3);
	ASSERT_EQ(blk.lost, 0);
	for (i = 0; i < 300; i++)
		next(in, &blk);
	next(tap, &blk);
	ASSERT_EQ(check_counter(&blk), 305);
	ASSERT_EQ(blk.lost, 301);
	zio_close(in);
	zio_close(tap);
}

TEST("what cannot be a tap is refused in words", fresh)
{
	struct zio_error err;

	ASSERT_TRUE(!zio_open(OUT, ZIO_OPEN_TAP, &err) && errno == EACCES);
	ASSERT_TRUE(!zio_open(COUNTER, ZIO_OPEN_TAP | ZIO_OPEN_RING, &err) && errno == EINVAL);
	ASSERT_TRUE(strstr(err.text, "ZIO_OPEN_TAP"));
	ASSERT_TRUE(!zio_open("-", ZIO_OPEN_TAP, &err) && errno == EINVAL);
	ASSERT_TRUE(strstr(err.text, "block file"));
}

/* The trigger acquires 10 blocks; the reader has one of them. */
TEST_EACH("zio_flush() drops what is queued, by %s", fresh, "read", "ring", "tap")
{
	bool tap = *value == 't';
	struct zio_channel *in = tap ? zio_open(COUNTER, ZIO_OPEN_TAP, NULL) :
				 open_channel(COUNTER, 0, value);
	struct zio_block blk;
	int i;

	load("zio-trig-sysfs");
	write_text(CSET2 "/current_trigger", "sysfs");
	for (i = 0; i < 10; i++)
		write_text(CSET2 "/trigger/fire", "1");
	next(in, &blk);
	ASSERT_EQ(check_counter(&blk), 0);
	ASSERT_EQ(zio_flush(in), 0);
	ASSERT_EQ(zio_wait(in, 0), 0);
	write_text(CSET2 "/trigger/fire", "1");
	next(in, &blk);
	ASSERT_EQ(check_counter(&blk), 10);
	ASSERT_EQ(blk.lost, 0);
	ASSERT_EQ(zio_wait(in, 0), 0);
	zio_close(in);
}

TEST("zio_flush() of an output fails", fresh)
{
	struct zio_channel *out = open_channel(OUT, ZIO_OPEN_OUTPUT, "read");

	ASSERT_TRUE(zio_flush(out) == -1 && errno == EBADF);
	ASSERT_TRUE(zio_flush(NULL) == -1 && errno == EINVAL);
	zio_close(out);
}
