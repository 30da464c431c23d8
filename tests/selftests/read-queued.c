// SPDX-License-Identifier: GPL-2.0-only
/*
 * read-queued.c: read what is queued on a channel, and no more
 *
 * Usage: read-queued NODE
 *
 * NODE is a node of an input, without -ctrl and -data.
 */
#include "node.h"

int main(int argc, char **argv)
{
	static char buf[1 << 16];
	int fd;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "Usage: read-queued NODE\n");
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	begin_group();
	fd = open_node(argv[1], "data", O_RDONLY | O_NONBLOCK);
	while (read(fd, buf, sizeof(buf)) >= 0)
		;
	ASSERT_EQ(errno, EAGAIN);
	return 0;
}
