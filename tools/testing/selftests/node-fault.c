// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-fault.c: makes the allocations of one system call fail, one after the
 * other: the first, then the second, ..., until the call needs no more of them.
 *
 * Needs CONFIG_FAILSLAB and CONFIG_FAULT_INJECTION_DEBUG_FS.
 */
#include "node.h"

#define MOST 5000

static void set_nth(int fd, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	/* While one is still to come, this very write may be what fails. */
	if (pwrite(fd, text, len, 0) != len)
		want(pwrite(fd, text, len, 0) == len);
}

/*
 * Zero: as many steps were made as were asked for, one has failed. If the next
 * was to fail, it is this read.
 */
static int get_nth(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0) {
		same(errno, EFAULT);
		return 1;
	}
	return atoi(text);
}

static int open_nth(void)
{
	return open_file("/proc/thread-self/fail-nth", O_RDWR);
}

/*
 * write FILE TEXT UNDO UNDO_TEXT STRIDE: until no failure was met. A write that
 * works in spite of one is undone, too. Beyond the first 50 steps, one in STRIDE
 * is made to fail.
 */
static void do_write(char **arg)
{
	int nth = open_nth(), target, n, left, code, good = 0, bad = 0;
	ssize_t ret;

	for (n = 1; n < MOST; n++) {
		target = open_file(arg[0], O_WRONLY);
		set_nth(nth, n);
		ret = write(target, arg[1], strlen(arg[1]));
		code = errno;
		left = get_nth(nth);
		set_nth(nth, 0);
		close(target);
		if (ret < 0 && left)
			fail("failed without a failure: %s",
			     strerrorname_np(code));
		if (ret < 0)
			bad++;
		if (ret >= 0) {
			good++;
			write_text(arg[2], arg[3]);
		}
		if (left)
			break;
		if (n > 50)
			n += strtoul(arg[4], NULL, 0) - 1;
	}
	want(n < MOST && bad);
	printf("%d is beyond the last step: %d failed, %d did without\n", n, bad, good - 1);
}

/* open FILE MODE: the same for an open */
static void do_open(char **arg)
{
	int nth = open_nth(), n, left, fd, code, bad = 0;
	int flags = strcmp(arg[1], "out") ? O_RDONLY : O_WRONLY;

	for (n = 1; n < MOST; n++) {
		set_nth(nth, n);
		fd = open(arg[0], flags);
		code = errno;
		left = get_nth(nth);
		set_nth(nth, 0);
		if (fd < 0 && left)
			fail("failed without a failure: %s",
			     strerrorname_np(code));
		if (fd >= 0)
			close(fd);
		else
			bad++;
		if (left)
			break;
	}
	want(n < MOST && fd >= 0 && bad);
	printf("%d steps, %d failed\n", n - 1, bad);
}

static const struct command commands[] = {
	{ "write", 5, do_write },
	{ "open", 2, do_open },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 250);
}
