// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c: the scenario of random system calls
 *
 * Processes 0 and 1 configure as root. Processes 2 and 3 use the nodes as members of
 * their group.
 */
#include <grp.h>
#include <sys/prctl.h>

#include "fuzz.h"

#define GROUP	100

static enum role role_of(unsigned int p)
{
	return p < 2 ? ROOT : MEMBER;
}

static void become_member(void)
{
	static const gid_t group = GROUP;

	become_nobody(1, &group);
	/* The process may open /proc/self/fd. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void begin(int sock)
{
	if (role_of(process) == MEMBER)
		become_member();
	init_signals();
	init_memory();
	init_nodes();
	init_pipes();
	init_uring();
	init_passing(sock);
	start_ticks();
}

static const struct op *const tables[] = {
	file_ops, map_ops, tick_ops, pipe_ops, uring_ops, share_ops, process_ops,
	verify_ops, config_ops, board_ops, NULL
};

const struct scenario calls_scenario = {
	.name = "calls",
	.seconds = 120,
	.n_processes = 4,
	.tables = tables,
	.role_of = role_of,
	.prepare = open_to_all,
	.begin = begin,
};
