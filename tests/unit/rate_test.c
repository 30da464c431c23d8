// SPDX-License-Identifier: GPL-2.0-only
/* libzio: samples per second in controls of each version, and as a fraction */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "timeline.h"

static struct zio_rate rate;

static void expect_rate(uint32_t num, uint32_t den)
{
	ASSERT_TRUE(!zio_control_rate(&ctrl, &rate));
	ASSERT_EQ(rate.num, num);
	ASSERT_EQ(rate.den, den);
	ASSERT_EQ(rate.source, num ? ZIO_RATE_CONTROL : ZIO_RATE_UNKNOWN);
	ASSERT_EQ(rate.scatter_ns, -1);
}

TEST("max-sample-rate is the rate before version 1.5", empty)
{
	expect_rate(0, 0);
	set_channel(ZIO_ATTR_MAXRATE, 48000);
	expect_rate(48000, 1);
	set_rate(1411200, 29);
	expect_rate(1411200, 29);
	set_rate(0, 0);
	expect_rate(0, 0);
	ctrl.attr_trigger.std_mask = 0;
	set_trigger(ZIO_ATTR_TRIG_EPOCH, 0);
	expect_rate(0, 0);
}

TEST("half of a rate is none", empty)
{
	set_channel(ZIO_ATTR_MAXRATE, 48000);
	set_trigger(ZIO_ATTR_TRIG_RATE_NUM, 7);
	ASSERT_ERRNO(zio_control_rate(&ctrl, &rate), EINVAL);
	set_trigger(ZIO_ATTR_TRIG_RATE_DEN, 0);
	ASSERT_ERRNO(zio_control_rate(&ctrl, &rate), EINVAL);
	set_rate(0, 7);
	ASSERT_ERRNO(zio_control_rate(&ctrl, &rate), EINVAL);
	ASSERT_ERRNO(zio_control_rate(NULL, &rate), EINVAL);
	ASSERT_ERRNO(zio_control_rate(&ctrl, NULL), EINVAL);
}

/* A user who gives a rate knows it; a control of today knows it better. */
TEST("the timeline takes the rate of an old control", empty)
{
	set_channel(ZIO_ATTR_MAXRATE, 1000);
	ASSERT_TRUE(!add());
	ASSERT_EQ(place.rate_num, 1000);
	ASSERT_EQ(place.rate_source, ZIO_RATE_CONTROL);
	ASSERT_EQ(next(BLOCK, 1), 0);
	ASSERT_TRUE(place.continues);
	set_channel(ZIO_ATTR_MAXRATE, 2000);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	ASSERT_EQ(place.changes, ZIO_CHANGE_RATE);
	ASSERT_TRUE(!zio_timeline_set_rate(tl, 500, 1));
	next(BLOCK, 1);
	ASSERT_EQ(place.rate_num, 500);
	ASSERT_EQ(place.rate_source, ZIO_RATE_GIVEN);
}

TEST("the rate of a control wins over that of the user", stream)
{
	set_channel(ZIO_ATTR_MAXRATE, 2000);
	ASSERT_TRUE(!zio_timeline_set_rate(tl, 500, 1));
	ASSERT_EQ(next(BLOCK, 1), 0);
	ASSERT_EQ(place.rate_num, 1000);
}

/* Their distance is the speed of the reader, and no hole is a pause. */
TEST("blocks that a reader asks for have no rate", empty)
{
	int i;

	strcpy(ctrl.triggername, "user");
	ASSERT_TRUE(!add());
	for (i = 0; i < 20; i++)
		ASSERT_EQ(next(BLOCK, 1), 0);
	ASSERT_EQ(next(5 * BLOCK, 1), 0);
	ASSERT_TRUE(!zio_timeline_rate(tl, &rate));
	ASSERT_EQ(rate.num, 0);
	ASSERT_STR(sentence(), "nothing lost");
}

static void expect_found(double value, uint32_t num, uint32_t den)
{
	ASSERT_TRUE(!zio_rate_find(value, &rate));
	ASSERT_EQ(rate.num, num);
	ASSERT_EQ(rate.den, den);
	ASSERT_EQ(rate.source, ZIO_RATE_GIVEN);
}

TEST("the fraction of a number", empty)
{
	expect_found(48000, 48000, 1);
	expect_found(44100.1, 441001, 10);
	expect_found(1411200 / 29.0, 1411200, 29);
	expect_found(1 / 60.0, 1, 60);
	expect_found(UINT32_MAX, UINT32_MAX, 1);
	expect_found(1.0 / UINT32_MAX, 1, UINT32_MAX);
	ASSERT_ERRNO(zio_rate_find(0, &rate), ERANGE);
	ASSERT_ERRNO(zio_rate_find(-1, &rate), ERANGE);
	ASSERT_ERRNO(zio_rate_find(UINT32_MAX + 1.0, &rate), ERANGE);
	ASSERT_ERRNO(zio_rate_find((double)NAN, &rate), ERANGE);
	ASSERT_ERRNO(zio_rate_find((double)INFINITY, &rate), ERANGE);
	ASSERT_ERRNO(zio_rate_find(1, NULL), EINVAL);
}

TEST("random fractions come back", empty)
{
	int i;

	srand48(1);
	for (i = 0; i < 100000; i++) {
		uint32_t num = (uint32_t)lrand48() % (1 << 25) + 1;
		uint32_t den = (uint32_t)lrand48() % (1 << 25) + 1;
		double wanted = (double)num / den;

		ASSERT_TRUE(!zio_rate_find(wanted, &rate));
		ASSERT_TRUE(rate.num <= num && rate.den <= den);
		ASSERT_TRUE((double)rate.num / rate.den == wanted);
	}
}

TEST("a number that is no fraction has one that is near", empty)
{
	int i;

	for (i = 0; i < 1000; i++) {
		double wanted = ldexp(1 + drand48(), i % 62 - 31), error;

		ASSERT_TRUE(!zio_rate_find(wanted, &rate));
		error = fabs((double)rate.num / rate.den - wanted) / wanted;
		ASSERT_TRUE(error < 1e-9);
	}
}
