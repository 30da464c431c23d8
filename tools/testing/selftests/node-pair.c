// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-pair.c: a control that was read without waiting has data that can be read
 * without waiting, whatever others do with the channel
 */
#include "node.h"

#define READERS 2

static unsigned int *left;

static size_t read_one(struct pair pair, void *data, size_t size)
{
	struct pollfd pfd = { pair.ctrl, POLLIN, 0 };
	struct zio_control ctrl;
	ssize_t n;

	same(poll(&pfd, 1, -1), 1);
	n = read(pair.ctrl, &ctrl, sizeof(ctrl));
	if (n < 0 && errno == EAGAIN)	/* another reader has taken it */
		return 0;
	same(n, sizeof(ctrl));
	pfd.fd = pair.data;
	same(poll(&pfd, 1, 0), 1);
	same(read(pair.data, data, size), ctrl.nsamples * ctrl.ssize);
	return 1;
}

static void read_pairs(const char *prefix, int n)
{
	struct pair pair = open_pair(prefix, O_RDONLY | O_NONBLOCK);
	char data[4096];

	while (n)
		n -= read_one(pair, data, sizeof(data));
	__atomic_fetch_sub(left, 1, __ATOMIC_SEQ_CST);
	_exit(0);
}

/* pairs NODE FILE N: FILE is written meanwhile. */
static void do_pairs(char **arg)
{
	int i;

	left = share_memory(sizeof(*left));
	*left = READERS;
	for (i = 0; i < READERS; i++)
		if (!fork())
			read_pairs(arg[0], atoi(arg[2]));
	while (get(left))
		write_text(arg[1], i++ % 2 ? "16\n" : "32\n");
	wait_children(READERS);
}

static const struct command commands[] = {
	{ "pairs", 3, do_pairs },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 600);
}
