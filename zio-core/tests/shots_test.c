// SPDX-License-Identifier: GPL-2.0-only
/* shots_test.c: blocks that several events fill, and the times of their shots */
#include <linux/module.h>

#include "test-device.h"

#define SHOTS	4
#define SAMPLES	3

static struct zio_trigger_type shots_type = {
	.name = "kshots",
	.owner = THIS_MODULE,
};

/* The event of a set, so many nanoseconds after an even time. */
static int fire_at(struct test_device *tdev, s64 ns)
{
	struct timespec64 at = ns_to_timespec64(100 * NSEC_PER_SEC + ns);

	return zio_trigger_fire_at(tdev->cset->bind->trig, &at);
}

static void fire_shots(struct test_device *tdev, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(tdev->test, fire_at(tdev, 10 * i * i), 0);
}

static int set_shots(struct test_device *tdev, u32 n)
{
	return test_store_u32(&tdev->cset->bind->kobj, "nshots", n);
}

/* Each sample has the number of its event. */
static struct test_device *create_shots(struct kunit *test, unsigned int n_chan)
{
	struct test_device *tdev;

	tdev = test_device_create(test, ZIO_CSET_SHOTS | ZIO_CSET_HARDIRQ, n_chan);
	tdev->fill = true;
	KUNIT_ASSERT_EQ(test, test_set_samples(tdev->cset, SAMPLES), 0);
	KUNIT_ASSERT_EQ(test, set_shots(tdev, SHOTS), 0);
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "kshots"), 0);
	return tdev;
}

static void expect_samples(struct kunit *test, const struct zio_block *block,
			   unsigned int first, unsigned int n)
{
	const u16 *sample = block->data;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, block->len, n * SAMPLES * sizeof(*sample));
	for (i = 0; i < n * SAMPLES; i++)
		KUNIT_EXPECT_EQ(test, sample[i], first + i / SAMPLES);
}

/* Checks the oldest block of a channel and its times, and puts it. */
static void expect_block(struct kunit *test, struct zio_channel_core *chan,
			 unsigned int first, unsigned int n)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);
	struct zio_control ctrl;
	struct zio_shots_info info;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, block);
	expect_samples(test, block, first, n);
	zio_control_begin(&ctrl, to_block_core(block)->snap, chan->pub.index);
	/* What an earlier block has left in the same slot of a ring */
	memset(ctrl.attr_trigger.ext_val, 0x55, sizeof(ctrl.attr_trigger.ext_val));
	ctrl.attr_trigger.ext_mask |= 0x7fff << ZIO_ATTR_TRIG_EXT_SHOT;
	zio_control_fill(&ctrl, block, chan->cset->ssize);
	memcpy(&info, ctrl.tlv[0].payload, sizeof(info));
	KUNIT_EXPECT_EQ(test, ctrl.tlv[0].type, ZIO_TLV_SHOTS);
	KUNIT_EXPECT_EQ(test, info.n, n);
	KUNIT_EXPECT_EQ(test, ctrl.nsamples, n * SAMPLES);
	KUNIT_EXPECT_EQ(test, ctrl.tstamp.secs, 100);
	for (i = 1; i < n; i++)
		KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + i - 1],
				10 * i * i);
	KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.ext_mask & ~BIT(ZIO_ATTR_TRIG_EXT_CLOCK),
			(BIT(n - 1) - 1) << ZIO_ATTR_TRIG_EXT_SHOT);
	chan->buf->type->ops->put_block(chan->buf, block);
}

static void events_fill_a_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 2);
	struct zio_cset_core *cset = tdev->cset;
	unsigned int i;

	fire_shots(tdev, SHOTS - 1);
	KUNIT_EXPECT_EQ(test, cset_phase(cset), CSET_ARMED);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&cset->chan[0]->queue), 0);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, 10 * (SHOTS - 1) * (SHOTS - 1)), 0);
	KUNIT_EXPECT_EQ(test, cset_phase(cset), CSET_IDLE);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, SHOTS);
	KUNIT_EXPECT_EQ(test, cset->fired, SHOTS);
	fire_shots(tdev, SHOTS);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, cset->chan[i]->blocks, 2);
		expect_block(test, cset->chan[i], 0, SHOTS);
		expect_block(test, cset->chan[i], SHOTS, SHOTS);
		KUNIT_EXPECT_EQ(test, test_count_owned(cset->chan[i]), ZIO_DEFAULT_LEN);
	}
}

/* The buffer "vmalloc" keeps its blocks, and gets memory for times with the first shots. */
static void area_has_times_too(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, set_shots(tdev, 1), 0);
	test_device_use_area(tdev, (struct test_area){ .len = 3 });
	KUNIT_ASSERT_EQ(test, set_shots(tdev, SHOTS), 0);
	for (i = 0; i < 5; i++) {
		fire_shots(tdev, SHOTS);
		expect_block(test, chan, i * SHOTS, SHOTS);
	}
	KUNIT_ASSERT_EQ(test, test_set_len(chan, 5), 0);
	fire_shots(tdev, SHOTS);
	expect_block(test, chan, i * SHOTS, SHOTS);
}

/* A freeze ends the block with the shots that it has. The next one begins anew. */
static void freeze_ends_the_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	test_device_use_area(tdev, (struct test_area){ .len = 4 });
	fire_shots(tdev, 3);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, 0), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	expect_block(test, chan, 0, 3);
	fire_shots(tdev, SHOTS);
	expect_block(test, chan, 3, SHOTS);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 0);
}

/* A ring that is opened between two shots has the block that they fill. */
static void ring_is_opened_between_shots(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *ring;

	test_device_use_area(tdev, (struct test_area){ .len = 4 });
	fire_shots(tdev, 2);
	ring = test_open_ring(test, chan);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 0);
	fire_shots(tdev, SHOTS);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 1);
	KUNIT_EXPECT_EQ(test, chan->ring->slot[0].nsamples, SHOTS * SAMPLES);
	test_close(test, ring);
}

static void board_goes_between_shots(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 2);

	fire_shots(tdev, 2);
	test_device_remove(tdev);
}

/* An event that the set cannot take is lost, and the shots go on. */
static void loss_between_shots_is_counted(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_block *block;

	fire_shots(tdev, 2);
	atomic_or(CSET_FREEZE, &cset->state);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, 50), -EBUSY);
	atomic_andnot(CSET_FREEZE, &cset->state);
	zio_trigger_miss(cset->bind->trig, 2);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, 60), 0);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, 70), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&cset->lost_triggers), 3);
	block = zio_queue_pop(&cset->chan[0]->queue);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_TRIGGER);
	expect_samples(test, block, 0, SHOTS);
	zio_block_put(cset->chan[0], block);
}

/* The driver fails in a shot: the block is lost, and its memory is whole. */
static void failed_shot_loses_the_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	fire_shots(tdev, 2);
	tdev->io_return = -EPIPE;
	KUNIT_EXPECT_EQ(test, fire_at(tdev, 30), -EPIPE);
	tdev->io_return = 0;
	KUNIT_EXPECT_EQ(test, chan->lost, 1);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	fire_shots(tdev, SHOTS);
	expect_block(test, chan, 3, SHOTS);
}

/* The memory of the block has the samples of an older one. */
static void short_shot_ends_with_zeros(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	unsigned int i;

	test_device_use_area(tdev, (struct test_area){ .len = 1 });
	fire_shots(tdev, SHOTS);
	expect_block(test, chan, 0, SHOTS);
	/* The next block may have another place in the area. */
	memset(chan->buf->area->mem, 0x5a, chan->buf->area->size);
	tdev->short_by = sizeof(u16);
	fire_shots(tdev, SHOTS);
	block = zio_queue_pop(&chan->queue);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_EQ(test, block->len, SHOTS * SAMPLES * sizeof(u16));
	for (i = 0; i < SHOTS * SAMPLES; i++)
		KUNIT_EXPECT_EQ(test, ((u16 *)block->data)[i],
				i % SAMPLES == SAMPLES - 1 ? 0 : SHOTS + i / SAMPLES);
	chan->buf->type->ops->put_block(chan->buf, block);
}

/* A full channel loses a block for so many events, and the other one none. */
static void full_channel_loses_a_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 2);
	struct zio_channel_core *full = tdev->cset->chan[0], *other = tdev->cset->chan[1];
	unsigned int i;

	for (i = 0; i < ZIO_DEFAULT_LEN; i++)
		fire_shots(tdev, SHOTS);
	expect_block(test, other, 0, SHOTS);
	fire_shots(tdev, SHOTS);
	KUNIT_EXPECT_EQ(test, full->lost, 1);
	KUNIT_EXPECT_EQ(test, other->lost, 0);
	expect_block(test, full, 0, SHOTS);
	fire_shots(tdev, SHOTS);
	KUNIT_EXPECT_EQ(test, full->lost, 1);
	KUNIT_EXPECT_EQ(test, full->seq, ZIO_DEFAULT_LEN + 2);
}

/* A control cannot tell a time before the first shot, or more than 2^32 - 1 ns after it. */
static void time_beyond_the_control_ends_the_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	fire_shots(tdev, 2);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, (s64)U32_MAX + 1), 0);
	KUNIT_EXPECT_EQ(test, chan->blocks, 1);
	fire_shots(tdev, 3);
	KUNIT_EXPECT_EQ(test, chan->blocks, 2);
	KUNIT_EXPECT_EQ(test, fire_at(tdev, -1), 0);
	KUNIT_EXPECT_EQ(test, chan->blocks, 3);
	fire_shots(tdev, 3);
	KUNIT_EXPECT_EQ(test, chan->blocks, 4);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
}

/* A demand fills a block as a whole: there is no time between its shots. */
static void demand_fills_a_whole_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user;
	struct zio_control ctrl;
	u16 sample[SHOTS * SAMPLES];

	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "user"), 0);
	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.tlv[0].type, 0);
	KUNIT_EXPECT_EQ(test, ctrl.nsamples, SHOTS * SAMPLES);
	KUNIT_EXPECT_EQ(test, test_read(user->data, sample, sizeof(sample)), sizeof(sample));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	test_user_close(user);
}

static void bad_numbers_of_shots_are_refused(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);

	KUNIT_EXPECT_EQ(test, set_shots(tdev, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_shots(tdev, ZIO_MAX_SHOTS + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_shots(tdev, ZIO_MAX_SHOTS), 0);
	KUNIT_EXPECT_EQ(test, tdev->cset->block_len, ZIO_MAX_SHOTS * SAMPLES * 2);
	fire_shots(tdev, ZIO_MAX_SHOTS);
	expect_block(test, tdev->cset->chan[0], 0, ZIO_MAX_SHOTS);
}

static void names_tell_the_times(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 1);

	KUNIT_EXPECT_STREQ(test, test_show(test, &tdev->cset->bind->kobj, "control-attrs"),
			   "std 0 nshots\nstd 1 post-samples\nstd 2 pre-samples\n"
			   "ext 8 shot1-ns\next 9 shot2-ns\next 10 shot3-ns\n"
			   "ext 31 clock\n");
}

static int shots_suite_init(struct kunit_suite *suite)
{
	return zio_trigger_type_register(&shots_type);
}

static void shots_suite_exit(struct kunit_suite *suite)
{
	zio_trigger_type_unregister(&shots_type);
}

static struct kunit_case shots_cases[] = {
	KUNIT_CASE(events_fill_a_block),
	KUNIT_CASE(area_has_times_too),
	KUNIT_CASE(freeze_ends_the_block),
	KUNIT_CASE(ring_is_opened_between_shots),
	KUNIT_CASE(board_goes_between_shots),
	KUNIT_CASE(loss_between_shots_is_counted),
	KUNIT_CASE(failed_shot_loses_the_block),
	KUNIT_CASE(short_shot_ends_with_zeros),
	KUNIT_CASE(full_channel_loses_a_block),
	KUNIT_CASE(time_beyond_the_control_ends_the_block),
	KUNIT_CASE(demand_fills_a_whole_block),
	KUNIT_CASE(bad_numbers_of_shots_are_refused),
	KUNIT_CASE(names_tell_the_times),
	{}
};

TEST_SUITE("zio-shots", shots_cases,
	   .suite_init = shots_suite_init, .suite_exit = shots_suite_exit);
