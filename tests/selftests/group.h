/* SPDX-License-Identifier: GPL-2.0-only */
/* group.h: a control group of memory, for tests */
#ifndef GROUP_H
#define GROUP_H

#include <sys/mount.h>
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define CGROUPS		"/tmp/cgroup"
#define GROUP		CGROUPS "/user"
#define CURRENT		GROUP "/memory.current"

static inline bool has_group(void)
{
	mkdir(CGROUPS, 0755);
	if (!exists(CGROUPS "/cgroup.procs") &&
	    mount("none", CGROUPS, "cgroup2", 0, NULL))
		return false;
	if (!strstr(text_in(CGROUPS "/cgroup.controllers"), "memory"))
		return false;
	write_text(CGROUPS "/cgroup.subtree_control", "+memory");
	return !mkdir(GROUP, 0755) || errno == EEXIST;
}

/* This process becomes a member of the group, which has no limit. */
static inline void join_group(void)
{
	if (!has_group())
		SKIP("no memory controller");
	write_text(GROUP "/memory.max", "max");
	set_number(GROUP "/cgroup.procs", getpid());
}

#endif /* GROUP_H */
