// SPDX-License-Identifier: GPL-2.0-only
/* node-tools.c: libzio on real nodes; linked with it */
#include "node.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libzio/zio.h"

static struct zio_channel *open_channel(const char *prefix, int flags,
					const char *method)
{
	struct zio_error err = { .text = "" };
	int flag = zio_method_flag(method);
	struct zio_channel *ch;

	want(flag >= 0);
	ch = zio_open(prefix, flags | flag, &err);
	if (!ch)
		fail("%s", err.text);
	return ch;
}

#define next(ch, blk) do {						\
	if (zio_next(ch, blk) != 1)					\
		fail("%s", zio_reason(ch));				\
} while (0)

/* From now on write() and the end; anything else kills. */
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

	want(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	want(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/* The first call fills the ring, up to the watermark. */
static int take_quietly(const char *prefix, unsigned long n)
{
	struct zio_channel *ch = open_channel(prefix, 0, "ring");
	struct zio_block blk;
	int status;
	pid_t child;

	child = fork();
	want(child >= 0);
	if (!child) {
		next(ch, &blk);
		forbid_calls();
		while (--n)
			next(ch, &blk);
		_exit(0);
	}
	want(waitpid(child, &status, 0) == child);
	zio_close(ch);
	return status;
}

/* quiet PREFIX N: N blocks are there after the first call, and not one more */
static void do_quiet(char **arg)
{
	unsigned long n = strtoul(arg[1], NULL, 0);
	int status = take_quietly(arg[0], n);

	same(status, 0);
	status = take_quietly(arg[0], 2 * n + 1);
	want(WIFSIGNALED(status));
	same(WTERMSIG(status), SIGSYS);
}

static struct zio_channel *interrupted;

static void on_signal(int signal)
{
	(void)signal;
	zio_interrupt(interrupted);
}

/* races PREFIX METHOD N: a signal at any time after the open ends the wait */
static void do_races(char **arg)
{
	struct zio_block blk;
	int i, n = atoi(arg[2]);

	signal(SIGUSR1, on_signal);
	for (i = 0; i < n; i++) {
		pid_t parent = getpid(), child;

		interrupted = open_channel(arg[0], 0, arg[1]);
		child = fork();
		want(child >= 0);
		if (!child) {
			usleep(i * 10);
			kill(parent, SIGUSR1);
			_exit(0);
		}
		same(zio_next(interrupted, &blk), -1);
		want(errno == EINTR || errno == EAGAIN);
		wait_children(1);
		zio_close(interrupted);
	}
}

/* output PREFIX METHOD STATISTICS N: N blocks of all lengths, by zio_reserve() */
static void do_output(char **arg)
{
	struct zio_channel *ch = open_channel(arg[0], ZIO_OPEN_OUTPUT, arg[1]);
	unsigned long n = strtoul(arg[3], NULL, 0), i, bytes = 0;
	size_t size = 0;
	char blocks_file[256], bytes_file[256];
	unsigned long blocks_before, bytes_before;
	void *mem;

	snprintf(blocks_file, sizeof(blocks_file), "%s/blocks", arg[2]);
	snprintf(bytes_file, sizeof(bytes_file), "%s/bytes", arg[2]);
	blocks_before = read_number(blocks_file);
	bytes_before = read_number(bytes_file);
	for (i = 0; i < n; i++) {
		mem = zio_reserve(ch, &size);
		if (!mem)
			fail("%s", zio_reason(ch));
		same(size, 16);
		memset(mem, i, size);
		if (zio_commit(ch, 1 + i % 16))
			fail("%s", zio_reason(ch));
		bytes += 1 + i % 16;
	}
	same(read_number(blocks_file) - blocks_before, n);
	same(read_number(bytes_file) - bytes_before, bytes);
	printf("%s\n", zio_method(ch));
	zio_close(ch);
}

static const struct command commands[] = {
	{ "quiet", 2, do_quiet },
	{ "races", 3, do_races },
	{ "output", 4, do_output },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
