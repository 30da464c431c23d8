// SPDX-License-Identifier: GPL-2.0-only
/*
 * modules_test.c: modules are loaded, with parameters, and unloaded
 */
#include "board.h"
#include "harness.h"

#define SAW	ZZERO "-0-2"

SETUP(fresh)
{
	renew_zzero();
}

SETUP(empty)
{
	unload("zio-zero");
}

TEST("no module is unloaded while a node is open", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-0", O_RDONLY);

	ASSERT_TRUE(shell("rmmod zio-zero 2>/dev/null"));
	ASSERT_TRUE(shell("rmmod zio 2>/dev/null"));
	ASSERT_TRUE(shell("rmmod zio-buf-kmalloc 2>/dev/null"));
	close_pair(pair);
	unload("zio-zero");
	ASSERT_EQ(count_objects("zzero"), 0);
	load("zio-zero");
	read_sawtooth(SAW "-data", 16);
}

TEST("the driver is loaded and unloaded 20 times")
{
	int i;

	for (i = 0; i < 20; i++)
		reload("zio-zero", "");
	unload("zio-zero");
	ASSERT_EQ(count_objects("zzero"), 0);
}

TEST("the core is unloaded and leaves nothing; two boards come after that")
{
	unload("zio-zero");
	unload("zio-buf-kmalloc");
	unload("zio-buf-vmalloc");
	unload("zio-configfs");
	unload("zio");
	ASSERT_TRUE(!exists("/sys/bus/zio"));
	ASSERT_TRUE(!exists("/sys/zio"));
	load("zio-buf-kmalloc");
	reload("zio-zero", "ndev=2");
	read_sawtooth(SAW "-data", 7);
	read_sawtooth("/dev/zio/zzero-0001-0-2-data", 7);
	ASSERT_EQ(count_names("/sys/zio/devices", "zzero"), 3);
	unbind_board("zio-zero", 0);
	read_sawtooth("/dev/zio/zzero-0001-0-2-data", 7);
	unload("zio-zero");
	ASSERT_EQ(count_objects("zzero"), 0);
}

/* All samples of two blocks are the number of the channel. */
static void check_samples(const char *path, uint8_t chan)
{
	int fd = open_file(path, O_RDONLY);
	uint8_t sample[32];
	size_t i;

	ASSERT_EQ(read(fd, sample, sizeof(sample)), sizeof(sample));
	for (i = 0; i < sizeof(sample); i++)
		ASSERT_EQ(sample[i], chan);
	close(fd);
}

TEST("many boards with six channels each", empty)
{
	int n = is_debug_kernel() ? 40 : 80;
	char options[64], last[64];

	snprintf(options, sizeof(options), "ndev=%d ncset=2 nchan=3 pattern=channel", n);
	reload("zio-zero", options);
	ASSERT_EQ(count_names("/dev/zio", "zzero"), n * 14);
	ASSERT_EQ(count_names("/sys/bus/zio/devices", "zzero"), n);
	snprintf(last, sizeof(last), "/dev/zio/zzero-%04x-1-2-data", n - 1);
	check_samples(last, 2);
	unload("zio-zero");
	ASSERT_EQ(count_objects("zzero"), 0);
	ASSERT_EQ(count_names("/dev/zio", "z"), 0);
}

TEST_EACH("modprobe refuses: %s", empty,
	  "zio-board", "zio-board driver=zio-mini count=0",
	  "zio-zero nchan=0", "zio-zero ncset=65536", "zio-zero pattern=stripes")
{
	ASSERT_TRUE(shell("modprobe %s 2>/dev/null", value));
}
