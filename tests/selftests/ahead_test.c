// SPDX-License-Identifier: GPL-2.0-only
/* ahead_test.c: a program polls a ring, which asks for blocks, and reads none */
#include <sys/stat.h>

#include "board.h"
#include "harness.h"
#include "ring.h"

#define RACK	ZIO_CONFIG "/devices/zzero/rack1"
#define SYS	"/sys/bus/zio/devices/zzero-0001/cset0"
#define NODE	"/dev/zio/zzero-0001-0-0"

static void make_rack(const char *delay_us)
{
	load("zio-buf-vmalloc");
	ASSERT_EQ(mkdir(RACK, 0755), 0);
	write_text(RACK "/id", "1");
	write_text(RACK "/channels", "1");
	write_text(RACK "/delay-us", delay_us);
	write_text(RACK "/pattern", "sawtooth");
	write_text(RACK "/live", "1");
	write_text(SYS "/current_buffer", "vmalloc");
}

static void poll_ring(void)
{
	int fd = open_node(NODE, "ctrl", O_RDWR);

	poll_events(fd, POLLIN, 0);
	close(fd);
}

TEST("the close of a ring loses no block that a board was asked for and never finishes")
{
	make_rack("4294967295");
	poll_ring();
	ASSERT_EQ(read_number(SYS "/chan0/statistics/lost_blocks"), 0);
	ASSERT_EQ(rmdir(RACK), 0);
}

TEST("the block after the close of a ring has the new size")
{
	make_rack("2000");
	poll_ring();
	write_text(SYS "/trigger/nsamples", "32");
	ASSERT_EQ(read_control(open_node(NODE, "ctrl", O_RDONLY)).nsamples, 32);
	ASSERT_EQ(rmdir(RACK), 0);
}
