// SPDX-License-Identifier: GPL-2.0-only
/* pace_test.c: the times of samples, from stamps of interrupts that are late at random */
#include <linux/prandom.h>
#include <linux/zio-pace.h>

#include "test-device.h"

#define RATE	48000
#define PERIOD	1024
#define BEGIN	(100000LL * NSEC_PER_SEC)

/* A board, and what a driver makes of its interrupts */
struct model {
	struct kunit *test;
	struct rnd_state rnd;
	struct zio_pace pace;
	s64 (*delay)(struct model *m);
	int ppb;		/* its clock is so much slow */
	s64 clock;		/* was set forward by so much */
	u64 samples;		/* of the board */
	u64 uncounted;
	s64 sum, largest;	/* of the errors; see model_run() */
};

static s64 delay_uniform(struct model *m)
{
	return prandom_u32_state(&m->rnd) % NSEC_PER_MSEC;
}

/* A processor that is most often idle */
static s64 delay_usual(struct model *m)
{
	if (prandom_u32_state(&m->rnd) % 5)
		return prandom_u32_state(&m->rnd) % 20000;
	return delay_uniform(m);
}

static s64 true_time(const struct model *m)
{
	s64 nominal = mul_u64_u64_div_u64(m->samples, NSEC_PER_SEC, RATE);

	return BEGIN + m->clock + nominal + div_s64(nominal, 1000) * m->ppb / 1000000;
}

static void model_begin(struct kunit *test, struct model *m, s64 (*delay)(struct model *m), int ppb)
{
	*m = (struct model){ .test = test, .delay = delay, .ppb = ppb };
	prandom_seed_state(&m->rnd, 2005);
	zio_pace_start(&m->pace, RATE, 1);
}

/* The next interrupt. Returns the error of the time of its sample. */
static s64 model_interrupt(struct model *m)
{
	m->samples += PERIOD;
	zio_pace_put(&m->pace, m->samples - m->uncounted, true_time(m) + m->delay(m));
	return zio_pace_time(&m->pace, m->samples - m->uncounted) - true_time(m);
}

/* Runs for @n interrupts. The errors are within those that the pace tells, where it does. */
static void model_run(struct model *m, unsigned int n)
{
	unsigned int beyond = 0;
	s64 error;

	m->sum = 0;
	m->largest = 0;
	for (; n; n--) {
		error = model_interrupt(m);
		m->sum += error;
		m->largest = max(m->largest, abs(error));
		beyond += zio_pace_error(&m->pace) && m->pace.n >= 50 &&
			abs(error) > zio_pace_error(&m->pace);
	}
	KUNIT_EXPECT_EQ(m->test, beyond, 0);
}

/* Delays up to 1 ms: the mean error, of many boards, after 100 interrupts and after 500 */
static void jitter_is_filtered(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	s64 after[2] = { 0 }, largest = 0;
	int board;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (board = 0; board < 50; board++) {
		model_begin(test, m, delay_uniform, (board - 25) * 4000);
		prandom_seed_state(&m->rnd, 1000 + board);
		model_run(m, 100);
		after[0] += abs(model_interrupt(m));
		model_run(m, 400);
		after[1] += abs(model_interrupt(m));
		largest = max(largest, m->largest);
	}
	kunit_info(test, "mean error after 100 interrupts %lld ns, after 500 %lld ns; largest %lld ns\n",
		   after[0] / 50, after[1] / 50, largest);
	KUNIT_EXPECT_LT(test, after[0] / 50, 40 * NSEC_PER_USEC);
	KUNIT_EXPECT_LT(test, after[1] / 50, 10 * NSEC_PER_USEC);
}

/* Most interrupts are prompt, and one of five is late by up to 1 ms. */
static void usual_jitter_is_filtered(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	int ppb;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (ppb = -100000; ppb <= 100000; ppb += 10000) {
		model_begin(test, m, delay_usual, ppb);
		model_run(m, 100);
		model_run(m, 2000);
		KUNIT_EXPECT_LT(test, m->largest, 10 * NSEC_PER_USEC);
		KUNIT_EXPECT_LE(test, zio_pace_error(&m->pace), 20 * NSEC_PER_USEC);
	}
}

/* A quarter of an hour: the nominal rate would be wrong by 90 ms at the end. */
static void drift_is_followed(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u64 samples, ns, rate;

	KUNIT_ASSERT_NOT_NULL(test, m);
	model_begin(test, m, delay_uniform, 100000);
	KUNIT_EXPECT_FALSE(test, zio_pace_rate(&m->pace, &samples, &ns));
	model_run(m, 2000);
	model_run(m, 40000);
	KUNIT_EXPECT_LT(test, m->largest, 60 * NSEC_PER_USEC);
	KUNIT_EXPECT_LT(test, div_s64(m->sum, 40000), 4 * NSEC_PER_USEC);
	KUNIT_ASSERT_TRUE(test, zio_pace_rate(&m->pace, &samples, &ns));
	rate = mul_u64_u64_div_u64(samples, 1000 * NSEC_PER_SEC, ns);
	KUNIT_EXPECT_LT(test, abs((s64)rate - 47995200), 200); /* mHz: 4 ppm */
}

/* An emulated card may be wrong by percents. */
static void a_wrong_rate_is_found(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	int ppb;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (ppb = -50000000; ppb <= 50000000; ppb += 25000000) {
		model_begin(test, m, delay_usual, ppb);
		model_run(m, 100);
		model_run(m, 2000);
		KUNIT_EXPECT_LT(test, m->largest, 10 * NSEC_PER_USEC);
	}
}

static void lost_interrupts_change_nothing(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	model_begin(test, m, delay_usual, 50000);
	model_run(m, 100);
	for (i = 0; i < 100; i++) {
		m->samples += PERIOD * (prandom_u32_state(&m->rnd) % 50);
		model_run(m, 10);
		KUNIT_EXPECT_LT(test, m->largest, 10 * NSEC_PER_USEC);
		KUNIT_EXPECT_NE(test, zio_pace_error(&m->pace), 0);
	}
}

static void a_step_of_the_clock_is_followed(struct kunit *test)
{
	static const s64 steps[] = { 3600LL * NSEC_PER_SEC, -3600LL * NSEC_PER_SEC,
				     2LL * NSEC_PER_SEC, -50 * NSEC_PER_MSEC };
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		model_begin(test, m, delay_usual, 20000);
		model_run(m, 500);
		m->clock += steps[i];
		model_run(m, 1);
		KUNIT_EXPECT_LT(test, m->largest, NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, zio_pace_error(&m->pace), 0);
		model_run(m, 100);
		model_run(m, 500);
		KUNIT_EXPECT_LT(test, m->largest, 10 * NSEC_PER_USEC);
		KUNIT_EXPECT_NE(test, zio_pace_error(&m->pace), 0);
	}
}

/* A small step, or samples that nobody counts: sixteen stamps in a row tell it. */
static void a_wrong_count_is_found(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	model_begin(test, m, delay_usual, 20000);
	model_run(m, 500);
	m->samples += PERIOD;
	m->uncounted += PERIOD;
	while (model_interrupt(m) < -10 * NSEC_PER_MSEC)
		KUNIT_ASSERT_LT(test, m->samples, 520 * PERIOD);
	KUNIT_EXPECT_EQ(test, zio_pace_error(&m->pace), 0);
	model_run(m, 100);
	model_run(m, 500);
	KUNIT_EXPECT_LT(test, m->largest, 10 * NSEC_PER_USEC);
}

/* Controls change with the error: that takes place some times, and not in each block. */
static void the_error_is_seldom_new(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i, n = 0;

	KUNIT_ASSERT_NOT_NULL(test, m);
	model_begin(test, m, delay_uniform, 0);
	for (i = 1; i <= 10000; i++) {
		m->samples += PERIOD;
		n += zio_pace_put(&m->pace, m->samples, true_time(m) + m->delay(m));
		if (i < 8)
			KUNIT_EXPECT_EQ(test, zio_pace_error(&m->pace), 0);
	}
	KUNIT_EXPECT_GT(test, n, 3);
	KUNIT_EXPECT_LT(test, n, 20);
}

/* Small numbers are as frequent as large ones. */
static u64 random_size(struct rnd_state *rnd)
{
	u64 number = (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);

	return number >> prandom_u32_state(rnd) % 64;
}

/* No number that a board or its driver may give divides by zero, or more than a u64 holds. */
static void any_stamp_is_taken(struct kunit *test)
{
	static const u32 rates[][2] = { { 1, U32_MAX }, { U32_MAX, 1 }, { 1, 1 } };
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i, j;
	u64 sample = 0;
	s64 at = 0;

	KUNIT_ASSERT_NOT_NULL(test, m);
	prandom_seed_state(&m->rnd, 7);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		zio_pace_start(&m->pace, rates[i][0], rates[i][1]);
		for (j = 0; j < 20000; j++) {
			sample += random_size(&m->rnd);
			at += random_size(&m->rnd) >> 1;
			zio_pace_put(&m->pace, sample, at);
			zio_pace_time(&m->pace, random_size(&m->rnd));
			KUNIT_ASSERT_LE(test, m->pace.n_corners, ZIO_PACE_CORNERS);
			KUNIT_ASSERT_GT(test, m->pace.run, 0);
		}
	}
}

static struct kunit_case pace_cases[] = {
	KUNIT_CASE(jitter_is_filtered),
	KUNIT_CASE(usual_jitter_is_filtered),
	KUNIT_CASE(drift_is_followed),
	KUNIT_CASE(a_wrong_rate_is_found),
	KUNIT_CASE(lost_interrupts_change_nothing),
	KUNIT_CASE(a_step_of_the_clock_is_followed),
	KUNIT_CASE(a_wrong_count_is_found),
	KUNIT_CASE(the_error_is_seldom_new),
	KUNIT_CASE(any_stamp_is_taken),
	{}
};

TEST_SUITE("zio-pace", pace_cases);
