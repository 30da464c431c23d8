// SPDX-License-Identifier: GPL-2.0-only
/* node-minor.c: which channel a node gives, while boards come and go */
#include "node.h"

/* The device that a control node belongs to; -1 if the node does not open or read. */
static long long device_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct zio_control ctrl;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, &ctrl, sizeof(ctrl));
	close(fd);
	return n == sizeof(ctrl) ? (long long)ctrl.addr.dev_id : -1;
}

/* opens NODE ID: opens the node until standard input ends; each gives device ID */
static void do_opens(char **arg)
{
	long long id = strtoul(arg[1], NULL, 0), got;
	struct pollfd pfd = { 0, POLLIN, 0 };
	unsigned long n = 0;

	printf("ready\n");
	fflush(stdout);
	while (!poll(&pfd, 1, 0)) {
		got = device_of(arg[0]);
		if (got < 0)
			continue;
		same(got, id);
		n++;
	}
	want(n > 0);
}

/* stale NODE SH: keeps the inode while SH runs; the node of a board that is gone is none */
static void do_stale(char **arg)
{
	int fd = open(arg[0], O_PATH | O_CLOEXEC);
	char path[64];

	want(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	same(close(open_file(path, O_RDONLY)), 0);
	same(system(arg[1]), 0);
	fails(open(path, O_RDONLY), ENODEV);
	fails(open(path, O_RDWR), ENODEV);
}

static const struct command commands[] = {
	{ "opens", 2, do_opens },
	{ "stale", 2, do_stale },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 200);
}
