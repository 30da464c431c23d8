// SPDX-License-Identifier: GPL-2.0-only
/* node-ahead.c: a program whose ring asks for blocks, and that reads none */
#include "node.h"

/* ask NODE: a poll of a ring */
static void do_ask(char **arg)
{
	struct pollfd pfd = { open_node(arg[0], "ctrl", O_RDWR), POLLIN, 0 };

	want(poll(&pfd, 1, 0) >= 0);
	close(pfd.fd);
}

static const struct command commands[] = {
	{ "ask", 1, do_ask },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
