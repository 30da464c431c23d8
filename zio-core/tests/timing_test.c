// SPDX-License-Identifier: GPL-2.0-only
/* timing_test.c: what a control tells of rate, time and what is missing in front of it */
#include <linux/prandom.h>

#include "engine/block.h"
#include "test-device.h"

static struct zio_control control_of(struct zio_channel_core *chan,
				     const struct zio_block *block)
{
	struct zio_control ctrl;

	zio_control_begin(&ctrl, to_block_core(block)->snap, chan->pub.index);
	zio_control_fill(&ctrl, block, chan->cset->ssize);
	return ctrl;
}

/* Reads the next block. Returns false if there is none. */
static bool read_block(struct test_user *user, struct zio_channel_core *chan,
		       struct zio_control *ctrl)
{
	struct zio_block *block = test_user_next(user);

	if (IS_ERR(block))
		return false;
	*ctrl = control_of(chan, block);
	test_user_put(user);
	return true;
}

static u32 std(const struct zio_control *ctrl, unsigned int index)
{
	return ctrl->attr_trigger.std_mask & BIT(index) ? ctrl->attr_trigger.std_val[index] : 0;
}

struct rate_case {
	const char *text;
	int error;
	u32 num, den;
	const char *shown;
};

static const struct rate_case rate_cases[] = {
	{ "48000\n", 0, 48000, 1, "48000\n" },
	{ "1411200/29", 0, 1411200, 29, "1411200/29\n" },
	{ "1411200/58", 0, 705600, 29, "705600/29\n" },
	{ "0.5", 0, 1, 2, "1/2\n" },
	{ "1/0.25", 0, 4, 1, "4\n" },
	{ "4e6", 0, 4000000, 1, "4000000\n" },
	{ "4294967295", 0, U32_MAX, 1, "4294967295\n" },
	{ "4294967295/4294967294", 0, U32_MAX, U32_MAX - 1, "4294967295/4294967294\n" },
	{ "0", 0, 0, 0, "0\n" },
	{ "", -EINVAL },
	{ "x", -EINVAL },
	{ "/", -EINVAL },
	{ "48000 Hz", -EINVAL },
	{ "48000/", -EINVAL },
	{ "1/2/3", -EINVAL },
	{ "000000000000000000000000000000000000001/1", -EINVAL },
	{ "1/0", -EDOM },
	{ "-1", -ERANGE },
	{ "4294967296", -ERANGE },
	{ "4294967295/0.5", -ERANGE },
	{ "1e-12", -ERANGE },
};

static void a_user_tells_the_rate(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_USER_RATE, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct rate_case *c;
	struct zio_control ctrl;

	KUNIT_EXPECT_STREQ(test, test_show(test, &tdev->cset->kobj, "sample-rate"), "0\n");
	for (c = rate_cases; c < rate_cases + ARRAY_SIZE(rate_cases); c++) {
		KUNIT_EXPECT_EQ_MSG(test, test_store(&tdev->cset->kobj, "sample-rate", "7"), 0,
				    "%s", c->text);
		KUNIT_EXPECT_EQ_MSG(test, test_store(&tdev->cset->kobj, "sample-rate", c->text),
				    c->error, "%s", c->text);
		KUNIT_EXPECT_STREQ_MSG(test, test_show(test, &tdev->cset->kobj, "sample-rate"),
				       c->shown ?: "7\n", "%s", c->text);
		test_read_control(chan, &ctrl);
		KUNIT_EXPECT_EQ_MSG(test, std(&ctrl, ZIO_ATTR_TRIG_RATE_NUM),
				    c->error ? 7 : c->num, "%s", c->text);
		KUNIT_EXPECT_EQ_MSG(test, std(&ctrl, ZIO_ATTR_TRIG_RATE_DEN),
				    c->error ? 1 : c->den, "%s", c->text);
	}
}

static u64 time_of(const struct zio_block *block)
{
	return block->tstamp.secs * NSEC_PER_SEC + block->tstamp.ticks;
}

/* 16 samples, 15 periods from the first one to the last one */
static void the_last_sample_is_now(struct kunit *test)
{
	static const struct { const char *rate; u64 ago; } cases[] = {
		{ "0", 0 }, { "1000", 15 * NSEC_PER_MSEC }, { "1/60", 900ULL * NSEC_PER_SEC },
		{ "1/4294967295", 0 },
	};
	struct test_device *tdev = test_device_create(test, ZIO_CSET_USER_RATE, 1);
	struct zio_cset_core *cset = tdev->cset;
	struct test_user *user = test_user_open(test, cset->chan[0]);
	struct zio_block *block;
	unsigned int i;
	u64 begin, end;

	test_stop_demand(tdev);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_ASSERT_EQ(test, test_store(&cset->kobj, "sample-rate", cases[i].rate), 0);
		test_fire_events(tdev, 1);
		block = test_user_next(user);
		KUNIT_ASSERT_FALSE(test, IS_ERR(block));
		begin = ktime_get_real_ns();
		zio_cset_stamp_end(&cset->pub, block);
		end = ktime_get_real_ns();
		KUNIT_EXPECT_GE(test, time_of(block) + cases[i].ago, begin);
		KUNIT_EXPECT_LE(test, time_of(block) + cases[i].ago, end);
		test_user_put(user);
	}
}

static void without_a_rate_there_is_no_file(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_control ctrl;

	KUNIT_EXPECT_EQ(test, test_store(&tdev->cset->kobj, "sample-rate", "7"), -ENOENT);
	test_read_control(tdev->cset->chan[0], &ctrl);
	KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.std_mask &
			(BIT(ZIO_ATTR_TRIG_RATE_NUM) | BIT(ZIO_ATTR_TRIG_RATE_DEN)), 0);
}

static void each_registration_has_an_epoch(struct kunit *test)
{
	struct test_device *one = test_device_create(test, 0, 2);
	struct test_device *other = test_device_create(test, 0, 1);
	struct zio_control ctrl[3];

	test_read_control(one->cset->chan[0], &ctrl[0]);
	test_read_control(one->cset->chan[1], &ctrl[1]);
	test_read_control(other->cset->chan[0], &ctrl[2]);
	KUNIT_EXPECT_EQ(test, std(&ctrl[0], ZIO_ATTR_TRIG_EPOCH), one->zdev->epoch);
	KUNIT_EXPECT_EQ(test, std(&ctrl[1], ZIO_ATTR_TRIG_EPOCH), one->zdev->epoch);
	KUNIT_EXPECT_NE(test, std(&ctrl[2], ZIO_ATTR_TRIG_EPOCH), one->zdev->epoch);
}

static void a_quotient_becomes_a_rate(struct kunit *test)
{
	static const struct { u64 num, den; u32 rate_num, rate_den; } cases[] = {
		{ 1000ULL * NSEC_PER_SEC, 20 * NSEC_PER_MSEC, 50000, 1 },
		{ 7ULL * NSEC_PER_SEC, 3, 2333333333U, 1 },
		{ NSEC_PER_SEC, 30, 100000000, 3 },
		{ 16ULL * NSEC_PER_SEC, 333333, 1600000000, 33333 },
		{ U64_MAX, U64_MAX, 1, 1 },
		{ U64_MAX, 1, 0, 0 },
		{ 1, U64_MAX, 0, 0 },
		{ U32_MAX, 1, U32_MAX, 1 },
		{ 0, 1, 0, 0 },
		{ 1, 0, 0, 0 },
	};
	struct zio_timing timing;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		timing = (struct zio_timing){ .rate_num = 1, .rate_den = 1 };
		zio_timing_set_rate(&timing, cases[i].num, cases[i].den);
		if (i == 3) { /* 48000.048: near enough */
			KUNIT_EXPECT_GT(test, timing.rate_num, 48000 * timing.rate_den);
			KUNIT_EXPECT_LT(test, timing.rate_num / 48001, timing.rate_den);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, timing.rate_num, cases[i].rate_num, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, timing.rate_den, cases[i].rate_den, "case %u", i);
	}
}

static void a_rate_becomes_a_period(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(1000, 50000, 1), 20 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(16, 48000, 1), 333333);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(2, 3, 1), 666666667);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(1, 1, 1), NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(16, 1, U32_MAX), U32_MAX);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(U32_MAX, U32_MAX, U32_MAX), U32_MAX);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(U32_MAX, U32_MAX, 1), NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, zio_rate_to_ns(0, 1, 1), 0);
}

/* --- what is missing */

/* What the model knows of a block */
struct known {
	u32 seq;
	u32 missed; /* events, up to this block */
};

/* A channel, as its reader should see it: the oldest block that nobody has read comes first. */
struct model {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	struct known queue[ZIO_DEFAULT_LEN];
	unsigned int n;
	u32 seq, lost, missed;		/* of the next block */
	u32 next_seq, missed_told;	/* what the reader has got */
	bool prefer_new;
};

static void model_fire(struct model *m)
{
	test_fire(m->tdev->cset);
	if (m->n == ZIO_DEFAULT_LEN) {
		m->lost++;
		if (!m->prefer_new) {
			m->seq++;
			return;
		}
		/* The oldest one is lost: what it would have told is told by the next. */
		memmove(m->queue, m->queue + 1, --m->n * sizeof(*m->queue));
	}
	m->queue[m->n++] = (struct known){ m->seq++, m->missed };
}

static void model_read(struct model *m)
{
	struct zio_control ctrl;
	struct kunit *test = m->test;
	u32 gap, missed;

	if (!read_block(m->user, m->chan, &ctrl)) {
		KUNIT_EXPECT_EQ(test, m->n, 0);
		return;
	}
	KUNIT_ASSERT_GT(test, m->n, 0);
	KUNIT_EXPECT_EQ(test, ctrl.seq_num, m->queue[0].seq);
	gap = ctrl.seq_num - m->next_seq;
	missed = m->queue[0].missed - m->missed_told;
	KUNIT_EXPECT_EQ(test, std(&ctrl, ZIO_ATTR_TRIG_LOST), gap);
	KUNIT_EXPECT_EQ(test, std(&ctrl, ZIO_ATTR_TRIG_MISSED), missed);
	KUNIT_EXPECT_EQ(test, !!(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK), !!gap);
	KUNIT_EXPECT_EQ(test, !!(ctrl.zio_alarms & ZIO_ALARM_LOST_TRIGGER), !!missed);
	m->missed_told = m->queue[0].missed;
	m->next_seq = ctrl.seq_num + 1;
	memmove(m->queue, m->queue + 1, --m->n * sizeof(*m->queue));
}

static void model_miss(struct model *m, u32 n)
{
	zio_trigger_miss(m->tdev->cset->bind->trig, n);
	m->missed += n;
}

/* The hardware has lost blocks in front of the next one. */
static void model_lose(struct model *m, u32 n)
{
	zio_cset_lost(&m->tdev->cset->pub, n);
	m->lost += n;
	m->seq += n;
}

static void model_prefer(struct model *m, bool new)
{
	test_store_u32(&m->chan->buf->kobj, "prefer-new", new);
	m->prefer_new = new;
}

static void model_step(struct model *m, u32 random)
{
	u32 n = (random >> 8) % 5;

	switch (random % 16) {
	case 0:
		model_miss(m, 1 + n);
		break;
	case 1:
		model_lose(m, 1 + n);
		model_fire(m); /* the core counts a note with the next block */
		break;
	case 2:
		model_prefer(m, n & 1);
		break;
	case 3:
		for (n *= 8; n; n--)
			model_fire(m);
		break;
	case 4:
		for (n *= 8; n; n--)
			model_read(m);
		break;
	default:
		if (random & BIT(16))
			model_fire(m);
		else
			model_read(m);
	}
}

static void a_reader_knows_what_is_missing(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->tdev = test_device_create(test, 0, 1);
	m->chan = m->tdev->cset->chan[0];
	m->user = test_user_open(test, m->chan);
	test_stop_demand(m->tdev);
	prandom_seed_state(&rnd, 1969);
	for (i = 0; i < 20000; i++)
		model_step(m, prandom_u32_state(&rnd));
	while (m->n)
		model_read(m);
	KUNIT_EXPECT_GT(test, m->lost, 1000);
	KUNIT_EXPECT_GT(test, m->missed, 1000);
}

/*
 * A reader has read two samples of the first block, and goes. Another one gets the others. The
 * second time, nothing of the first time is told again.
 */
static void a_block_left_in_part_is_told_once(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_control ctrl;
	unsigned int i, first;
	u16 sample[2];

	test_stop_demand(tdev);
	for (first = 4; first <= 11; first += 7) {
		zio_trigger_miss(tdev->cset->bind->trig, 7);
		zio_cset_lost(&tdev->cset->pub, 3);
		test_fire_events(tdev, 4);
		KUNIT_EXPECT_EQ(test, test_read(user->data, sample, sizeof(sample)),
				sizeof(sample));
		test_user_close(user);
		user = test_user_open(test, chan);
		for (i = 0; i < 3; i++) {
			KUNIT_ASSERT_TRUE(test, read_block(user, chan, &ctrl));
			KUNIT_EXPECT_EQ(test, ctrl.seq_num, first + i);
			KUNIT_EXPECT_EQ(test, std(&ctrl, ZIO_ATTR_TRIG_LOST), i ? 0 : 4);
			KUNIT_EXPECT_EQ(test, std(&ctrl, ZIO_ATTR_TRIG_MISSED), i ? 0 : 7);
			KUNIT_EXPECT_EQ(test, ctrl.zio_alarms,
					i ? 0 : ZIO_ALARM_LOST_BLOCK | ZIO_ALARM_LOST_TRIGGER);
		}
	}
}

/* What is missing in front of blocks that a flush has dropped, nobody tells. */
static void a_flush_forgets(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_control ctrl;

	test_stop_demand(tdev);
	test_fire_events(tdev, ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, test_store_u32(&chan->kobj, "flush", 1), 0);
	test_fire_events(tdev, ZIO_DEFAULT_LEN + 2);
	KUNIT_EXPECT_EQ(test, test_store_u32(&chan->kobj, "flush", 1), 0);
	test_fire_events(tdev, 1);
	KUNIT_ASSERT_TRUE(test, read_block(user, chan, &ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.seq_num, 2 * ZIO_DEFAULT_LEN + 2);
	KUNIT_EXPECT_EQ(test, std(&ctrl, ZIO_ATTR_TRIG_LOST), 2);
}

/* After a flush, the numbers tell nothing: the core counts what it drops unread. */
static void blocks_dropped_after_a_flush_are_told(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_control ctrl;
	unsigned int i;

	test_stop_demand(tdev);
	KUNIT_ASSERT_EQ(test, test_store_u32(&chan->buf->kobj, "prefer-new", 1), 0);
	for (i = 1; i <= 2; i++) {
		test_fire_events(tdev, 1);
		KUNIT_EXPECT_EQ(test, test_store_u32(&chan->kobj, "flush", 1), 0);
		zio_cset_lost(&tdev->cset->pub, 5);
		test_fire_events(tdev, ZIO_DEFAULT_LEN + 3);
		KUNIT_ASSERT_TRUE(test, read_block(user, chan, &ctrl));
		KUNIT_EXPECT_EQ(test, ctrl.seq_num, i * 9 + (i - 1) * ZIO_DEFAULT_LEN);
		KUNIT_EXPECT_EQ(test, std(&ctrl, ZIO_ATTR_TRIG_LOST), 5 + 3);
	}
}

static struct kunit_case timing_cases[] = {
	KUNIT_CASE(a_user_tells_the_rate),
	KUNIT_CASE(the_last_sample_is_now),
	KUNIT_CASE(without_a_rate_there_is_no_file),
	KUNIT_CASE(each_registration_has_an_epoch),
	KUNIT_CASE(a_quotient_becomes_a_rate),
	KUNIT_CASE(a_rate_becomes_a_period),
	KUNIT_CASE(a_reader_knows_what_is_missing),
	KUNIT_CASE(a_block_left_in_part_is_told_once),
	KUNIT_CASE(a_flush_forgets),
	KUNIT_CASE(blocks_dropped_after_a_flush_are_told),
	{}
};

TEST_SUITE("zio-timing", timing_cases);
