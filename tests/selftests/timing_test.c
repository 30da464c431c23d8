// SPDX-License-Identifier: GPL-2.0-only
/*
 * timing_test.c: what controls tell of rate, missed events and runs
 *
 * # check
 */
#include <sys/stat.h>

#include "board.h"
#include "harness.h"
#include "order.h"

#define SLOW_DIR	ZIO_CONFIG "/devices/zzero/slow"
#define SLOW		"/dev/zio/zzero-0060-0-0"
#define SLOW_CSET	"/sys/bus/zio/devices/zzero-0060/cset0"
#define MS		1000000LL

static uint32_t std(const struct zio_control *ctrl, unsigned int index)
{
	ASSERT_TRUE(ctrl->attr_trigger.std_mask & 1 << index);
	return ctrl->attr_trigger.std_val[index];
}

static void remove_slow(void)
{
	if (!exists(SLOW_DIR))
		return;
	write_text(SLOW_DIR "/live", "0");
	rmdir(SLOW_DIR);
}

static void make_slow(const char *delay_us)
{
	ASSERT_EQ(mkdir(SLOW_DIR, 0755), 0);
	write_text(SLOW_DIR "/id", "96");
	write_text(SLOW_DIR "/channels", "1");
	write_text(SLOW_DIR "/delay-us", delay_us);
	write_text(SLOW_DIR "/live", "1");
}

SETUP(fresh)
{
	load("zio-zero");
	load("zio-trig-hrt");
	remove_slow();
}

/* A conversion takes ten ticks and more: each block tells how many were missed before it. */
TEST("a block tells how many events were missed", fresh)
{
	unsigned long missed = 0, i;
	struct zio_control ctrl;
	struct order order = { 0 };
	long long ticks = 0, late, least[5];
	int fd;

	make_slow("10500");
	write_text(SLOW_CSET "/current_trigger", "hrt");
	write_text(SLOW_CSET "/trigger/period-ns", "1000000");
	fd = open_node(SLOW, "ctrl", O_RDONLY);
	for (i = 0; i < 50; i++) {
		ctrl = read_control(fd);
		order_control(&order, &ctrl);
		ASSERT_EQ(!!std(&ctrl, ZIO_ATTR_TRIG_MISSED),
			  !!(ctrl.zio_alarms & ZIO_ALARM_LOST_TRIGGER));
		ticks += std(&ctrl, ZIO_ATTR_TRIG_MISSED) + order.told + 1;
		late = time_of(&ctrl) - ticks * MS;
		if (!(i % 10) || late < least[i / 10])
			least[i / 10] = late;
		missed += std(&ctrl, ZIO_ATTR_TRIG_MISSED);
	}
	ASSERT_TRUE(missed >= 50 * 9);
	/*
	 * The time of a block is when its tick was served, which may be late. Of ten ticks in a row
	 * one is not. A tick of each block that is not told, or told twice, makes 400 ms.
	 */
	ASSERT_TRUE(llabs(least[4] - least[0]) < 20 * MS);
	ASSERT_TRUE(missed <= read_number(SLOW_CSET "/statistics/lost_triggers"));
}

TEST("a device that comes again is another run", fresh)
{
	struct zio_control ctrl;
	uint32_t epoch[2];
	int i, fd;

	for (i = 0; i < 2; i++) {
		make_slow("0");
		fd = open_node(SLOW, "ctrl", O_RDONLY);
		ctrl = read_control(fd);
		epoch[i] = std(&ctrl, ZIO_ATTR_TRIG_EPOCH);
		ASSERT_EQ(ctrl.seq_num, 0);
		ctrl = read_control(fd);
		ASSERT_EQ(std(&ctrl, ZIO_ATTR_TRIG_EPOCH), epoch[i]);
		close(fd);
		remove_slow();
	}
	ASSERT_TRUE(epoch[0] != epoch[1]);
}

TEST("a user tells the rate of a board that does not know it", fresh)
{
	struct zio_control ctrl;
	int fd;

	make_slow("0");
	fd = open_node(SLOW, "ctrl", O_RDONLY);
	ctrl = read_control(fd);
	ASSERT_EQ(ctrl.attr_trigger.std_mask & 1 << ZIO_ATTR_TRIG_RATE_NUM, 0);
	write_text(SLOW_CSET "/sample-rate", "44100/4");
	/* The block that is armed already does not have it. */
	ctrl = read_control(fd);
	ctrl = read_control(fd);
	ASSERT_EQ(std(&ctrl, ZIO_ATTR_TRIG_RATE_NUM), 11025);
	ASSERT_EQ(std(&ctrl, ZIO_ATTR_TRIG_RATE_DEN), 1);
}

/* What the other reader has taken was not lost. */
TEST("two readers: neither tells of a loss", fresh)
{
	struct zio_control ctrl;
	struct pair pair;
	unsigned int i;
	pid_t child;

	make_slow("0");
	write_text(SLOW_CSET "/current_trigger", "hrt");
	write_text(SLOW_CSET "/trigger/period-ns", "5000000");
	child = fork_child();
	pair = open_pair(SLOW, O_RDONLY);
	for (i = 0; i < 100; i++) {
		ctrl = read_control(pair.ctrl);
		ASSERT_EQ(!!std(&ctrl, ZIO_ATTR_TRIG_LOST),
			  !!(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK));
		if (!(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK))
			ASSERT_EQ(std(&ctrl, ZIO_ATTR_TRIG_LOST), 0);
	}
	close_pair(pair);
	if (!child)
		exit(0);
	wait_children(1);
	remove_slow();
}
