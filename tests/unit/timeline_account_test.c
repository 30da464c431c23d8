// SPDX-License-Identifier: GPL-2.0-only
/* libzio: changes in a timeline, controls of every kind, and accounts */
#include <inttypes.h>
#include <limits.h>

#include "timeline.h"

static void expect_change(uint32_t changes)
{
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	ASSERT_EQ(place.changes, changes);
	ASSERT_EQ(next(BLOCK, 1), 0);
}

TEST("each change is told", stream)
{
	go_on(2, BLOCK);
	set_channel(ZIO_ATTR_UNIT, ZIO_UNIT_A);
	expect_change(ZIO_CHANGE_UNIT);
	set_channel(ZIO_ATTR_SCALE_HIGH, 0);
	expect_change(ZIO_CHANGE_SCALE);
	set_channel(ZIO_ATTR_SCALE_LOW, 1);
	expect_change(ZIO_CHANGE_SCALE);
	set_channel(ZIO_ATTR_OFFSET_HIGH, 1);
	expect_change(ZIO_CHANGE_SCALE);
	set_channel(ZIO_ATTR_SIGNED, 1);
	expect_change(ZIO_CHANGE_SIGN);
	/* A gain is in the scale. An offset of the board is not in the values. */
	set_channel(ZIO_ATTR_GAIN, 1);
	set_channel(ZIO_ATTR_OFFSET, 1);
	go_on(1, BLOCK);
	ctrl.nbits = 12;
	expect_change(ZIO_CHANGE_BITS);
	ctrl.ssize = 4;
	expect_change(ZIO_CHANGE_SSIZE);
	ctrl.flags |= ZIO_CONTROL_MSB_ALIGN;
	expect_change(ZIO_CHANGE_ORDER);
	set_trigger(ZIO_ATTR_TRIG_POST_SAMP, 100);
	expect_change(ZIO_CHANGE_SHAPE);
	set_trigger(ZIO_ATTR_TRIG_CLOCK, 11);
	set_time(START + 1000 * SECOND);
	expect_change(ZIO_CHANGE_CLOCK);
	ctrl.attr_trigger.std_mask &= (uint16_t)~(1 << ZIO_ATTR_TRIG_CLOCK);
	ctrl.attr_trigger.ext_mask = 1u << ZIO_ATTR_TRIG_EXT_CLOCK;
	ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK] = 11;
	go_on(1, BLOCK);
	set_rate(2000, 1);
	expect_change(ZIO_CHANGE_RATE);
	ASSERT_STR(sentence(), "11 changes (unit, scale, sign, bits, sample size, byte order, "
			       "rate, clock, shape)");
}

static uint64_t random_bits(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> state % 64;
}

TEST("a block without samples changes no meaning", empty)
{
	ctrl.nsamples = 0;
	ctrl.ssize = 0;
	ASSERT_TRUE(!add());
	ctrl.seq_num++;
	ctrl.nsamples = 4;
	ctrl.ssize = 2;
	ctrl.nbits = 12;
	ASSERT_TRUE(!add());
	ASSERT_EQ(place.changes, 0);
	ctrl.seq_num++;
	ctrl.nsamples = 0;
	ctrl.ssize = 4;
	ctrl.nbits = 3;
	ctrl.attr_channel.std_mask |= 1 << ZIO_ATTR_UNIT;
	ctrl.attr_channel.std_val[ZIO_ATTR_UNIT] = 7;
	ASSERT_TRUE(!add());
	ASSERT_EQ(place.changes, 0);
	ctrl.seq_num++;
	ctrl.nsamples = 4;
	ctrl.ssize = 2;
	ctrl.nbits = 10;
	ASSERT_TRUE(!add());
	ASSERT_EQ(place.changes, ZIO_CHANGE_BITS | ZIO_CHANGE_UNIT);
}

/* Anyone can write a block file. The sanitizers look at what the numbers make. */
TEST("random controls", stream)
{
	uint8_t *bytes = (uint8_t *)&ctrl;
	const struct zio_addr addr = ctrl.addr;
	int i, n = 0, good = 0;

	for (i = 0; i < 300000; i++) {
		struct zio_instant time;

		for (n = (int)(random_bits() % 9); n >= 0; n--)
			bytes[random_bits() % sizeof(ctrl)] = (uint8_t)random_bits();
		ctrl.addr = addr;
		if (random_bits() % 8)
			ctrl.tstamp.secs = random_bits() >> 31;
		if (random_bits() % 8)
			ctrl.seq_num = (uint32_t)random_bits();
		if (!(random_bits() % 8))
			ctrl.attr_trigger.std_mask |= 0x1fe0;
		if (zio_timeline_add(tl, &ctrl, &place, NULL))
			continue;
		good++;
		zio_sample_time(&place, (uint32_t)random_bits(), &time);
		sentence();
	}
	ASSERT_TRUE(good > 10000);
}

TEST("the channels of a file have a list", empty)
{
	struct zio_timeline *list = NULL, *of[3], *found;
	struct zio_account sum = { 0 };
	int i, n = 0;

	ASSERT_TRUE(!zio_timeline_addr(tl));
	set_rate(1000, 1);
	for (i = 0; i < 60; i++) {
		ctrl.addr.chan = (uint16_t)(i % 3);
		ctrl.seq_num = (uint32_t)(i / 3 + (i > 40 && i % 3 == 1));
		set_time(START + i / 3 * BLOCK);
		found = zio_timeline_of(&list, &ctrl, &err);
		ASSERT_TRUE(found, err.text);
		ASSERT_TRUE(i < 3 || found == of[i % 3]);
		of[i % 3] = found;
		ASSERT_TRUE(!zio_timeline_add(found, &ctrl, &place, &err), err.text);
		ASSERT_EQ(zio_timeline_addr(found)->chan, i % 3);
	}
	ASSERT_ERRNO(zio_timeline_add(of[0], &ctrl, &place, &err), EINVAL, "channel");
	for (found = list; found; found = zio_timeline_next(found)) {
		ASSERT_TRUE(found == of[n++]);
		zio_timeline_account(found, &account);
		zio_account_add(&sum, &account);
	}
	ASSERT_EQ(n, 3);
	ASSERT_EQ(sum.blocks, 60);
	ASSERT_EQ(sum.taken, 1);
	/* A new one knows its channel before its first block. */
	ctrl.addr.chan = 7;
	found = zio_timeline_of(&list, &ctrl, NULL);
	ASSERT_TRUE(found && zio_timeline_of(&list, &ctrl, NULL) == found);
	ASSERT_EQ(zio_timeline_addr(found)->chan, 7);
	zio_timeline_close(list);
	errno = 0;
	ASSERT_TRUE(!zio_timeline_of(NULL, &ctrl, &err) && errno == EINVAL);
	errno = 0;
	ASSERT_TRUE(!zio_timeline_of(&list, NULL, &err) && errno == EINVAL);
	errno = 0;
	ASSERT_TRUE(!zio_timeline_next(NULL) && errno == EINVAL);
	errno = 0;
	ASSERT_TRUE(!zio_timeline_addr(NULL) && errno == EINVAL);
}

TEST("accounts add up", stream)
{
	struct zio_account sum = { 0 };
	char text[64];

	go_on(9, BLOCK);
	set_trigger(ZIO_ATTR_TRIG_LOST, 3);
	next(4 * BLOCK, 4);
	sentence();
	ASSERT_TRUE(!zio_account_add(&sum, &account) && !zio_account_add(&sum, &account));
	zio_account_text(&sum, text, sizeof(text));
	ASSERT_STR(text, "6 blocks lost in 2 gaps");
	ASSERT_EQ(sum.blocks, 22);
}

/* The length of a pause, and its text */
static const struct row {
	uint64_t ns;
	const char *text;
} rows[] = {
	{ 1, "1 pause of 1 ns" },
	{ 999, "1 pause of 999 ns" },
	{ 1000, "1 pause of 1 us" },
	{ 1500, "1 pause of 1.5 us" },
	{ 12345678, "1 pause of 12.345 ms" },
	{ 1050 * 1000000LL, "1 pause of 1.05 s" },
	{ 1005 * 1000000LL, "1 pause of 1.005 s" },
	{ 3600 * SECOND, "1 pause of 3600 s" },
	{ 0, "1 pause" },
};

TEST("lengths of time in words")
{
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct zio_account one = { .pauses = 1, .pause_ns = rows[i].ns };

		zio_account_text(&one, text, sizeof(text));
		ASSERT_STR(text, rows[i].text);
	}
}
