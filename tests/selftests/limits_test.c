// SPDX-License-Identifier: GPL-2.0-only
/*
 * limits_test.c: what a user may have, and what is charged to a control group
 */
#include <grp.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define BLOCK		(4 * PAGE)
#define SESSIONS	20
#define IN		ZZERO "-0-2"
#define RING		IN "-ctrl"
#define SNIFF		"/dev/zio/sniff-ctrl"
#define CGROUPS		"/tmp/cgroup"
#define GROUP		CGROUPS "/user"
#define CURRENT		GROUP "/memory.current"
#define USER_MEMORY	"/sys/module/zio/parameters/user_memory_kb"
#define USER_SESSIONS	"/sys/module/zio/parameters/user_sessions"

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET0 "/trigger/nsamples", "16384");
	write_text(USER_MEMORY, "65536");
	run("chmod a+r " IN "-*");
}

SETUP(few_sessions)
{
	renew_zzero();
	run("chmod a+r " IN "-*");
	write_text(USER_SESSIONS, "20");
}

static bool has_group(void)
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

/* This process is a member of a control group; rings have 4096 slots. */
SETUP(group)
{
	fresh(NULL);
	write_text(CSET0 "/chan2/buffer/max-buffer-len", "4096");
	if (!has_group())
		SKIP("no memory controller");
	set_number(GROUP "/cgroup.procs", getpid());
}

/* The open of a ring charges 4096 slots of 512 bytes. */
static void check_ring_charge(void)
{
	unsigned long before = read_number(CURRENT);
	int fd = open_file(RING, O_RDWR);

	ASSERT_TRUE(read_number(CURRENT) - before >= 2048 * 1024 / 10 * 9);
	close(fd);
}

static void check_no_ring(void)
{
	ASSERT_ERRNO(open(RING, O_RDWR), ENOMEM);
}

/* The first open of the sniffer charges 1024 slots of 512 bytes, and further opens do not. */
static void check_sniffer_charge(void)
{
	unsigned long before = read_number(CURRENT), grown;
	int fd[4], i;

	for (i = 0; i < 4; i++)
		fd[i] = open_file(SNIFF, O_RDONLY);
	grown = read_number(CURRENT) - before;
	ASSERT_TRUE(grown >= 512 * 1024 / 10 * 9 && grown < 2 * 512 * 1024);
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

struct holder {
	pid_t pid;
	int go;
};

/* Start a process that opens the node and keeps it until its pipe ends. */
static struct holder start_holder(const char *node, int *error)
{
	struct holder holder;
	int go[2], said[2];
	char c;

	ASSERT_EQ(pipe2(go, O_CLOEXEC), 0);
	ASSERT_EQ(pipe2(said, O_CLOEXEC), 0);
	holder.pid = fork();
	ASSERT_TRUE(holder.pid >= 0);
	if (!holder.pid) {
		close(go[1]);
		*error = open(node, O_RDONLY) < 0 ? errno : 0;
		ASSERT_EQ(write(said[1], error, sizeof(*error)),
			  sizeof(*error));
		ASSERT_EQ(read(go[0], &c, 1), 0);
		_exit(0);
	}
	close(go[0]);
	close(said[1]);
	ASSERT_EQ(read(said[0], error, sizeof(*error)), sizeof(*error));
	close(said[0]);
	holder.go = go[1];
	return holder;
}

static void stop_holder(struct holder holder)
{
	int status;

	close(holder.go);
	ASSERT_EQ(waitpid(holder.pid, &status, 0), holder.pid);
	ASSERT_EQ(status, 0);
}

/* A holder inherits the pipes of those before it: stop the last one first. */
static void hold_all(const char *node, int n, int wanted)
{
	struct holder *holder = calloc(n + 1, sizeof(*holder));
	int i, error, status;

	for (i = 0; i < n; i++) {
		holder[i] = start_holder(node, &error);
		ASSERT_EQ(error, 0);
	}
	for (i = 0; i < 3; i++) {
		holder[n] = start_holder(node, &error);
		ASSERT_EQ(error, wanted);
		stop_holder(holder[n]);
	}
	/* A holder that ends makes room for another one. */
	stop_holder(holder[n - 1]);
	holder[n - 1] = start_holder(node, &error);
	ASSERT_EQ(error, 0);
	while (n--) {
		close(holder[n].go);
		ASSERT_EQ(waitpid(holder[n].pid, &status, 0), holder[n].pid);
	}
	free(holder);
}

TEST("a user has 20 sessions of a channel, and the superuser has more", few_sessions)
{
	int n = SESSIONS, error;
	struct holder root = start_holder(IN "-data", &error);
	pid_t child = fork();

	ASSERT_TRUE(child >= 0);
	if (!child) {
		become_nobody(0, NULL);
		hold_all(IN "-data", n, EUSERS);
		_exit(0);
	}
	wait_children(1);
	hold_all(IN "-data", n + 3, 0);
	stop_holder(root);
	write_text(USER_SESSIONS, "1024");
}

TEST("a ring is charged to the group of its opener", group)
{
	check_ring_charge();
}

TEST("a sniffer is charged to the group of its opener", group)
{
	check_sniffer_charge();
}

TEST("a ring that exceeds the limit of the group is refused, and no process is killed",
     group)
{
	write_text(GROUP "/memory.max", "1M");
	check_no_ring();
	ASSERT_TRUE(strstr(text_in(GROUP "/memory.events"), "oom_kill 0"));
	write_text(GROUP "/memory.max", "max");
	check_ring_charge();
}
