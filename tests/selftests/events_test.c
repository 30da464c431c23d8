// SPDX-License-Identifier: GPL-2.0-only
/*
 * events_test.c: groups of libzio over boards that share a clock
 *
 * # not kasan: it judges a library
 */
#include "board.h"
#include "harness.h"
#include "libzio/zio.h"

#define CLOCK ZIO_CONFIG "/triggers/hrt/clock0"
#define BUTTON ZIO_CONFIG "/triggers/sysfs/button"
#define DEVICES ZIO_CONFIG "/devices/zzero"

static struct zio_channel *chan[3];
static struct zio_group *group;
static struct zio_event event;

/* Two boards and a slow one, on a trigger */
static void make_boards_on(const char *trigger, const char *buffer, int slow_us)
{
	int i;

	load("zio-buf-vmalloc");
	for (i = 0; i < 3; i++) {
		run("zio create device zzero rack%d id=%d channels=1 ssize=2 "
		    "pattern=sawtooth nsamples=8 delay-us=%d", i, i + 1,
		    i == 2 ? slow_us : 0);
		run("zio set zzero-000%d/0 current_trigger=%s current_buffer=%s", i + 1,
		    trigger, buffer);
	}
}

/* The clock is stopped. */
static void make_boards(const char *buffer, int slow_us)
{
	load("zio-trig-hrt");
	run("zio create trigger hrt clock0 period-ns=10000000 enable=0");
	make_boards_on("clock0", buffer, slow_us);
}

static void remove_boards(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (chan[i])
			zio_close(chan[i]);
	zio_group_close(group);
	for (i = 0; i < 3; i++)
		shell("[ ! -e " DEVICES "/rack%d ] || rmdir " DEVICES "/rack%d", i, i);
	run("rmdir %s", exists(CLOCK) ? CLOCK : BUTTON);
}

static void open_group(int limit)
{
	struct zio_error err;
	char name[32];
	int i;

	group = zio_group_open(0, &err);
	ASSERT_TRUE(group);
	zio_group_set_limit(group, limit);
	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "zzero-000%d-0-0", i + 1);
		chan[i] = zio_open(name, 0, &err);
		if (!chan[i])
			FAIL("%s", err.text);
		ASSERT_EQ(zio_group_add(group, chan[i]), i);
	}
}

static void start_clock(int limit)
{
	open_group(limit);
	run("zio set trigger:clock0 enable=1");
}

static void next(void)
{
	unsigned int i;

	if (zio_group_next(group, &event, -1) != 1)
		FAIL("%s", zio_group_reason(group));
	for (i = 0; i < event.n_parts; i++) {
		const struct zio_timestamp *t;

		if (event.parts[i].state != ZIO_PART_BLOCK)
			continue;
		t = &event.parts[i].blk.control->tstamp;
		ASSERT_EQ(t->secs * 1000000000 + t->ticks, event.time_ns);
		ASSERT_EQ(event.parts[i].blk.size, 16);
	}
}

/* Each event of the board has ended: with a block, or with a loss. */
static bool is_idle(int i)
{
	char set[64];

	snprintf(set, sizeof(set), "/sys/bus/zio/devices/zzero-000%d/cset0", i + 1);
	return !exists(set) || number_in("%s/statistics/fired", set) ==
		number_in("%s/chan0/statistics/blocks", set) +
		number_in("%s/chan0/statistics/lost_blocks", set);
}

/* Every block that the library has read was given, or waits in the group. */
static void all_blocks_are_given(void)
{
	uint64_t read = 0;
	int i;

	if (exists(CLOCK))
		run("zio set trigger:clock0 enable=0");
	wait_for(10, is_idle(0) && is_idle(1) && is_idle(2));
	zio_group_set_limit(group, 0);
	while (zio_group_next(group, &event, 0) > 0)
		;
	for (i = 0; i < 3; i++)
		read += zio_stats(chan[i])->blocks;
	ASSERT_EQ(zio_group_stats(group)->blocks, read);
	ASSERT_EQ(zio_group_stats(group)->dropped, 0);
}

TEST_EACH("three boards on one trigger: buffer %s", NULL, "kmalloc", "vmalloc")
{
	const struct zio_group_stats *stats;
	int i;

	load("zio-trig-sysfs");
	run("zio create trigger sysfs button");
	make_boards_on("button", value, 0);
	open_group(-1);
	stats = zio_group_stats(group);
	for (i = 1; i <= 100; i++) {
		write_text(BUTTON "/fire", "1");
		next();
		ASSERT_EQ(stats->complete, i);
	}
	ASSERT_EQ(stats->events, 100);
	all_blocks_are_given();
	remove_boards();
}

/* The slow board needs two and a half periods, so it misses events. */
TEST_EACH("a slow board delays events, but stops none: buffer %s", NULL, "kmalloc",
	  "vmalloc")
{
	const struct zio_group_stats *stats;

	make_boards(value, 25000);
	start_clock(-1);
	stats = zio_group_stats(group);
	while (stats->skipped + stats->lost < 45 || stats->complete < 10)
		next();
	ASSERT_EQ(stats->late, 0);
	all_blocks_are_given();
	remove_boards();
}

TEST("a board that is slower than the limit is late", NULL)
{
	const struct zio_group_stats *stats;

	make_boards("vmalloc", 25000);
	start_clock(5);
	stats = zio_group_stats(group);
	while (stats->late < 10 || stats->late_blocks < 10)
		next();
	all_blocks_are_given();
	remove_boards();
}

TEST_EACH("a board is unplugged: buffer %s", NULL, "kmalloc", "vmalloc")
{
	int i;

	make_boards(value, 0);
	start_clock(-1);
	for (i = 0; i < 10; i++)
		next();
	run("zio destroy device rack2");
	do
		next();
	while (event.parts[2].state != ZIO_PART_GONE);
	ASSERT_EQ(event.parts[2].error, ENODEV);
	for (i = 0; i < 10; i++) {
		next();
		ASSERT_EQ(event.parts[2].state, ZIO_PART_GONE);
	}
	ASSERT_TRUE(event.n_blocks == 2 || event.n_blocks == 1);
	ASSERT_EQ(zio_group_stats(group)->late, 0);
	remove_boards();
}

TEST("boards in step, then slow, then without one of them", NULL)
{
	const struct zio_group_stats *stats;
	int i;

	make_boards("vmalloc", 0);
	run("zio set trigger:clock0 period-ns=500000");
	start_clock(-1);
	stats = zio_group_stats(group);
	while (stats->complete < 400)
		next();
	run("zio set trigger:clock0 period-ns=20000000");
	for (i = 0; i < 40; i++)
		next();
	run("rmdir " DEVICES "/rack1");
	do
		next();
	while (event.parts[1].state != ZIO_PART_GONE);
	ASSERT_EQ(event.parts[1].error, ENODEV);
	run("zio set trigger:clock0 period-ns=500000");
	for (i = 0; i < 100; i++)
		next();
	ASSERT_EQ(stats->late, 0);
	all_blocks_are_given();
	remove_boards();
}

/* Waits for whole events of @n channels. */
static void read_wide(unsigned int n, int events)
{
	while (events--) {
		next();
		ASSERT_EQ(event.n_parts, n);
		ASSERT_EQ(event.n_blocks, n);
	}
}

TEST_EACH("a set of 64 channels in a group: buffer %s", NULL, "vmalloc", "kmalloc")
{
	struct zio_error err;

	load("zio-trig-hrt");
	load("zio-buf-vmalloc");
	run("zio create trigger hrt clock0 period-ns=1000000 enable=0");
	run("zio create device zzero wide id=9 channels=64 ssize=2 pattern=sawtooth "
	    "nsamples=8");
	run("zio set zzero-0009/0 current_trigger=clock0 current_buffer=%s", value);
	group = zio_group_open(0, &err);
	zio_group_set_limit(group, -1);
	if (zio_group_add_set(group, "zzero-0009-0", &err) != 64)
		FAIL("%s", err.text);
	if (!strcmp(value, "vmalloc"))
		ASSERT_ERRNO(open("/dev/zio/zzero-0009-0-ctrl", O_RDWR), EBUSY);
	run("zio set trigger:clock0 enable=1");
	if (!strcmp(value, "vmalloc"))
		read_wide(64, 300);
	else
		next();
	run("rmdir " DEVICES "/wide");
	while (zio_group_next(group, &event, -1) > 0)
		;
	ASSERT_TRUE(strstr(zio_group_reason(group), "gone"));
	zio_group_close(group);
	run("rmdir " CLOCK);
}
