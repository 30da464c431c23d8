// SPDX-License-Identifier: GPL-2.0-only
/*
 * limits_test.c: what is charged to the control group of a user
 */
#include <grp.h>
#include <sys/resource.h>

#include "group.h"

#define BLOCK		(4 * PAGE)
#define IN		ZZERO "-0-2"
#define RING		IN "-ctrl"
#define SNIFF		"/dev/zio/sniff-ctrl"

SETUP(fresh)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", "vmalloc");
	write_text(CSET0 "/trigger/nsamples", "16384");
	run("chmod a+r " IN "-*");
}

/* This process is a member of a control group; rings have 4096 slots. */
SETUP(group)
{
	fresh(NULL);
	write_text(CSET0 "/chan2/buffer/max-buffer-len", "4096");
	join_group();
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
