// SPDX-License-Identifier: GPL-2.0-only
/* tick_test.c: the times of periodic triggers */
#include <linux/prandom.h>
#include <linux/zio-tick.h>

#include "test-device.h"

static void ticks_are_on_a_grid(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zio_tick_after(0, 0, 10), 10);
	KUNIT_EXPECT_EQ(test, zio_tick_after(9, 0, 10), 10);
	KUNIT_EXPECT_EQ(test, zio_tick_after(10, 0, 10), 20);
	KUNIT_EXPECT_EQ(test, zio_tick_after(10, 3, 10), 13);
	KUNIT_EXPECT_EQ(test, zio_tick_after(13, 3, 10), 23);
	KUNIT_EXPECT_EQ(test, zio_tick_after(2, 3, 10), 3);
	KUNIT_EXPECT_EQ(test, zio_tick_after(5, 100, 10), 100);
	KUNIT_EXPECT_EQ(test, zio_tick_after(1795291097850073570, 0, 1000000),
			1795291097851000000);
}

static void ticks_between_are_counted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 20, 10), 0);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 30, 10), 1);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 34, 10), 1);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 1010, 10), 99);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 12, 10), 0);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(30, 20, 10), 0);
}

/* Several triggers fire on one processor, which is too slow for each of them. */
static void throttle_leaves_half_of_the_time(struct kunit *test)
{
	static const u64 period[] = { 1, 10, 100, 1000, 50000 };
	static const u64 cost[] = { 3, 7, 300, 40, 20 };
	u64 next[] = { 0, 0, 0, 0, 0 }, now = 0, paid = 0, busy = 0, begin;
	unsigned int fired[] = { 0, 0, 0, 0, 0 }, i;

	while (now < 1000000) {
		now++;
		for (i = 0; i < ARRAY_SIZE(period); i++) {
			if (next[i] > now)
				continue;
			begin = now;
			now += cost[i];
			busy += cost[i];
			fired[i]++;
			paid = zio_throttle_charge(paid, begin, now);
			next[i] = zio_tick_after(paid, 0, period[i]);
		}
	}
	/* At the end each trigger may just have fired. */
	KUNIT_EXPECT_LE(test, busy, now / 2 + 3 + 7 + 300 + 40 + 20);
	KUNIT_EXPECT_GE(test, busy, now / 4);
	for (i = 0; i < ARRAY_SIZE(period); i++)
		KUNIT_EXPECT_GE(test, fired[i], 20u);
	KUNIT_EXPECT_EQ(test, zio_throttle_charge(0, 100, 110), 120);
	KUNIT_EXPECT_EQ(test, zio_throttle_charge(130, 100, 110), 150);
}

/* A tick may be late by less than a limit. Ticks that are later are skipped. */
static void late_tick_is_served(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 103, 105, 0, 10, 10), 110);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 108, 112, 0, 10, 10), 110);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 115, 119, 0, 10, 10), 110);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 115, 120, 0, 10, 10), 130);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 165, 166, 0, 10, 10), 170);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 165, 166, 0, 10, 57), 110);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 165, 167, 0, 10, 57), 170);
	/* The clock was set back, or ahead. */
	KUNIT_EXPECT_EQ(test, zio_tick_next(1000, 55, 56, 3, 10, 10), 63);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 98, 99, 0, 10, 10), 110);
	KUNIT_EXPECT_EQ(test, zio_tick_next(100, 5001, 5002, 3, 10, 10), 5003);
}

/* The clock is late by a random time: each tick is counted once. */
static void ticks_add_up(struct kunit *test)
{
	u64 period = 1000, tick = zio_tick_after(0, 77, period), first = tick;
	u64 now, next, missed = 0, taken = 0;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < 10000; i++) {
		now = tick + prandom_u32_state(&rnd) % 5000;
		next = zio_tick_after(now, 77, period);
		missed += zio_ticks_between(tick, next, period);
		taken++;
		tick = next;
	}
	KUNIT_EXPECT_EQ(test, (tick - first) / period, missed + taken);
}

static struct kunit_case tick_cases[] = {
	KUNIT_CASE(ticks_are_on_a_grid),
	KUNIT_CASE(ticks_between_are_counted),
	KUNIT_CASE(throttle_leaves_half_of_the_time),
	KUNIT_CASE(late_tick_is_served),
	KUNIT_CASE(ticks_add_up),
	{}
};

TEST_SUITE("zio-tick", tick_cases);
