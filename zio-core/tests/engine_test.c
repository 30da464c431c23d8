// SPDX-License-Identifier: GPL-2.0-only
/* engine_test.c: arm, done, abort, and losses */
#include <linux/sched.h>

#include "test-device.h"

static void synchronous_driver(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[1]->queue), 1);
}

static void asynchronous_driver(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EBUSY);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	zio_cset_done(&tdev->cset->pub);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
	zio_cset_done(&tdev->cset->pub);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	test_device_remove(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
}

static void driver_done_early(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	tdev->io_return = ZIO_PENDING;
	tdev->early = true;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), 2);
	test_device_remove(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
}

static void failed_io_is_counted(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;

	tdev->io_return = -EIO;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EIO);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_EQ(test, chan->lost, 1);
	tdev->io_return = 0;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	block = zio_queue_pop(&chan->queue);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 1);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_BLOCK);
	chan->buf->type->ops->put_block(chan->buf, block);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
}

/* The engine's own codes do not reach the reader as errors of the driver. */
static void codes_of_the_engine_are_not_for_drivers(struct kunit *test)
{
	static const int not_a_driver_s[] = {
		-EBUSY, -EINPROGRESS, -ENODEV, -ESHUTDOWN, -EFAULT, -ERESTARTSYS, -EIOCBQUEUED, 1,
	};
	struct test_device *tdev = test_device_create(test, 0, 1);
	int i;

	for (i = 0; i < ARRAY_SIZE(not_a_driver_s); i++) {
		tdev->io_return = not_a_driver_s[i];
		KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EIO);
	}
	tdev->io_return = -ETIME;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -ETIME);
}

/* The buffer reuses the memory of blocks with alarms. Their next use has none. */
static void expect_no_alarms(struct kunit *test, struct test_device *tdev)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	int i;

	for (i = 0; i < 2 * ZIO_DEFAULT_LEN; i++) {
		test_fire(tdev->cset);
		zio_cset_done(&tdev->cset->pub);
		block = zio_queue_pop(&chan->queue);
		KUNIT_ASSERT_NOT_NULL(test, block);
		KUNIT_EXPECT_EQ(test, block->zio_alarms, 0);
		KUNIT_EXPECT_EQ(test, block->drv_alarms, 0);
		chan->buf->type->ops->put_block(chan->buf, block);
	}
}

/* No program reads: the queue keeps 16 blocks, and 4 are lost. The next has the alarm. */
static void overrun_raises_an_alarm(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	int i;

	for (i = 0; i < ZIO_DEFAULT_LEN + 4; i++)
		test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, chan->lost, 4);
	for (i = 0; i < ZIO_DEFAULT_LEN; i++) {
		block = zio_queue_pop(&chan->queue);
		KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, i);
		KUNIT_EXPECT_EQ(test, block->zio_alarms, 0);
		chan->buf->type->ops->put_block(chan->buf, block);
	}
	test_fire(tdev->cset);
	block = zio_queue_pop(&chan->queue);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, ZIO_DEFAULT_LEN + 4);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_BLOCK);
	chan->buf->type->ops->put_block(chan->buf, block);
	KUNIT_EXPECT_EQ(test, atomic_read(&chan->alarms), ZIO_ALARM_LOST_BLOCK);
	expect_no_alarms(test, tdev);
}

/* Blocks from before the shrink are unread. Blocks from after it are free. */
static void shrunk_buffer_takes_no_more(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	test_fire(tdev->cset);
	test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, 2), 0);
	test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 2);
	KUNIT_EXPECT_EQ(test, chan->lost, 1);
}

static void prefer_new_drops_oldest(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	int i;

	chan->buf->prefer_new = true;
	for (i = 0; i < ZIO_DEFAULT_LEN + 4; i++)
		test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, chan->lost, 4);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), ZIO_DEFAULT_LEN);
	block = zio_queue_pop(&chan->queue);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 4);
	chan->buf->type->ops->put_block(chan->buf, block);
}

/* Blocks 0 to 3 are dropped. What they report is said before the gap, and only once. */
static void dropped_alarms_go_to_the_oldest_left(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_block *block;
	int i;

	test_stop_demand(tdev);
	chan->buf->prefer_new = true;
	for (i = 0; i < ZIO_DEFAULT_LEN + 4; i++) {
		if (i == 2)
			zio_channel_alarm(&chan->pub, 0x40);
		test_fire(tdev->cset);
	}
	for (i = 4; i < ZIO_DEFAULT_LEN + 4; i++) {
		block = test_user_next(user);
		KUNIT_ASSERT_FALSE(test, IS_ERR(block));
		KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, i);
		KUNIT_EXPECT_EQ(test, block->zio_alarms, i == 4 ? ZIO_ALARM_LOST_BLOCK : 0);
		KUNIT_EXPECT_EQ(test, block->drv_alarms, i == 4 ? 0x40 : 0);
		test_user_put(user);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&chan->alarms), ZIO_ALARM_LOST_BLOCK | 0x4000);
	expect_no_alarms(test, tdev);
}

/*
 * The reader has found its queue empty. Before it pulls, the reader of another channel
 * fires, and there is a block for both.
 */
static void pull_overtakes_nothing(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	u32 i;

	test_fire(tdev->cset);
	test_lock(test, &chan->lock);
	for (i = 0; i < 3; i++) {
		block = zio_cset_pull(chan);
		KUNIT_ASSERT_FALSE(test, IS_ERR(block));
		KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, i);
		chan->buf->type->ops->put_block(chan->buf, block);
	}
	test_unlock(test, &chan->lock);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 3);
}

static void hold_takes_blocks_back(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	tdev->io_return = ZIO_PENDING;
	test_fire(tdev->cset);
	KUNIT_EXPECT_PTR_EQ(test, tdev->cset->pub.armed[0].chan, &chan->pub);
	test_lock(test, &tdev->cset->mutex);
	zio_cset_freeze(tdev->cset);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_NULL(test, tdev->cset->pub.armed[0].chan);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EBUSY);
	KUNIT_EXPECT_FALSE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	zio_cset_unfreeze(tdev->cset);
	test_unlock(test, &tdev->cset->mutex);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
}

static void disabled_trigger_is_silent(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_cset_core *cset = tdev->cset;

	KUNIT_EXPECT_EQ(test, test_enable_trigger(cset, false), 0);
	KUNIT_EXPECT_EQ(test, test_fire(cset), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(cset, true), 0);
	KUNIT_EXPECT_EQ(test, test_fire(cset), 0);
}

/* In the block behind it: that of the armed set is of an earlier event. */
static void lost_trigger_raises_an_alarm(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_block *block;

	test_stop_demand(tdev);
	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), 0);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), -EBUSY);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&cset->lost_triggers), 1);
	zio_channel_alarm(&cset->chan[0]->pub, 0x40);
	zio_cset_done(&cset->pub);
	block = zio_queue_pop(&cset->chan[0]->queue);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, 0);
	KUNIT_EXPECT_EQ(test, block->drv_alarms, 0x40);
	cset->chan[0]->buf->type->ops->put_block(cset->chan[0]->buf, block);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), 0);
	zio_cset_done(&cset->pub);
	block = zio_queue_pop(&cset->chan[0]->queue);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_TRIGGER);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->missed, 1);
	cset->chan[0]->buf->type->ops->put_block(cset->chan[0]->buf, block);
	expect_no_alarms(test, tdev);
}

static void sleeping_driver_runs_in_thread(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_SLEEPS, 1);

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	flush_work(&tdev->cset->arm_work);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), 1);
	test_fire(tdev->cset);
}

/* Fills the queue of an output. The first block is armed. */
static void queue_blocks(struct kunit *test, struct zio_channel_core *chan, unsigned int n)
{
	const u16 samples[ZIO_DEFAULT_NSAMPLES] = { };
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_set_len(chan, n), 0);
	while (n--)
		KUNIT_ASSERT_EQ(test, test_write(user->data, samples, sizeof(samples)),
				sizeof(samples));
	test_user_close(user);
}

/* The driver of an output may ask for the clock of a block whose control no user has seen. */
static void output_block_has_its_control(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);

	tdev->io_return = ZIO_PENDING;
	queue_blocks(test, tdev->cset->chan[0], 1);
	KUNIT_ASSERT_NOT_NULL(test, tdev->cset->pub.armed->chan);
	KUNIT_EXPECT_NOT_NULL(test, to_block_core(tdev->cset->pub.armed->block)->snap);
	KUNIT_EXPECT_EQ(test, zio_block_clock(tdev->cset->pub.armed->block), CLOCK_REALTIME);
	zio_cset_done(&tdev->cset->pub);
}

/* The task that finishes the first block may be an interrupt. */
static void no_task_plays_for_ever(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	tdev->io_return = ZIO_PENDING;
	queue_blocks(test, chan, 1000);
	tdev->io_return = 0;
	tdev->watched = current;
	zio_cset_done(&tdev->cset->pub);
	KUNIT_EXPECT_LE(test, tdev->watched_calls, 64);
	KUNIT_EXPECT_TRUE(test, test_wait_for(READ_ONCE(chan->played) == 1000));
	KUNIT_EXPECT_EQ(test, chan->blocks, 1000);
}

static struct kunit_case engine_cases[] = {
	KUNIT_CASE(synchronous_driver),
	KUNIT_CASE(asynchronous_driver),
	KUNIT_CASE(driver_done_early),
	KUNIT_CASE(failed_io_is_counted),
	KUNIT_CASE(codes_of_the_engine_are_not_for_drivers),
	KUNIT_CASE(overrun_raises_an_alarm),
	KUNIT_CASE(shrunk_buffer_takes_no_more),
	KUNIT_CASE(prefer_new_drops_oldest),
	KUNIT_CASE(dropped_alarms_go_to_the_oldest_left),
	KUNIT_CASE(pull_overtakes_nothing),
	KUNIT_CASE(hold_takes_blocks_back),
	KUNIT_CASE(disabled_trigger_is_silent),
	KUNIT_CASE(lost_trigger_raises_an_alarm),
	KUNIT_CASE(sleeping_driver_runs_in_thread),
	KUNIT_CASE(output_block_has_its_control),
	KUNIT_CASE(no_task_plays_for_ever),
	{}
};

TEST_SUITE("zio-engine", engine_cases);
