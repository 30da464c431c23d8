// SPDX-License-Identifier: GPL-2.0-only
/*
 * mini_test.c: zio-mini, the smallest driver, on the devices that zio-board makes
 *
 * # check
 * # leaks
 */
#include "board.h"
#include "harness.h"

SETUP(empty)
{
	unload("zio-board");
	unload("zio-mini");
}

/* Each sample of two blocks is the number of the channel. */
static void check_channel(const char *path, uint8_t chan)
{
	uint8_t sample[32], expected[32];
	int fd = open_file(path, O_RDONLY);

	memset(expected, chan, sizeof(expected));
	ASSERT_EQ(read(fd, sample, sizeof(sample)), sizeof(sample));
	ASSERT_TRUE(!memcmp(sample, expected, sizeof(sample)));
	close(fd);
}

TEST("zio-mini drives the devices that zio-board makes", empty)
{
	load("zio-mini");
	ASSERT_EQ(count_objects("zmini"), 0);
	run("zio-load zio-board driver=zio-mini count=3");
	ASSERT_EQ(count_names("/sys/bus/zio/devices", "zmini"), 3);
	check_channel("/dev/zio/zmini-0000-0-0-data", 0);
	check_channel("/dev/zio/zmini-0002-0-1-data", 1);
}

TEST("devices stay without a driver, and a driver without devices", empty)
{
	load("zio-mini");
	run("zio-load zio-board driver=zio-mini count=3");
	unload("zio-mini");
	ASSERT_EQ(count_objects("zmini"), 0);
	load("zio-mini");
	ASSERT_EQ(count_names("/sys/bus/zio/devices", "zmini"), 3);
	unload("zio-board");
	ASSERT_EQ(count_objects("zmini"), 0);
}
