// SPDX-License-Identifier: GPL-2.0-only
/* stream_test.c: sets with many blocks in flight; the test is the driver */
#include <linux/kthread.h>

#include "test-stream.h"

static void blocks_complete_in_order(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, take(chan, 5, 100), 5);
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EAGAIN));
	zio_channel_complete(&chan->pub, 2);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 2);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 3);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 105), 1);
	zio_channel_complete(&chan->pub, 4);
	KUNIT_EXPECT_NULL(test, zio_channel_in_flight(&chan->pub, 0));
	expect_block(test, user, 0, 100);
	expect_block(test, user, 1, 101);
	expect_block(test, user, 2, 102);
	expect_block(test, user, 3, 103);
	expect_block(test, user, 4, 104);
	expect_block(test, user, 5, 105);
	KUNIT_EXPECT_EQ(test, chan->blocks, 6);
	KUNIT_EXPECT_EQ(test, chan->bytes, 6 * 32);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* The driver takes blocks, and cannot hand the newest ones to its board. */
static void newest_blocks_are_given_back(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user;
	u64 offset;

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, take(chan, 5, 100), 5);
	offset = to_block_core(zio_channel_in_flight(&chan->pub, 2))->mem_offset;
	zio_channel_give_back(&chan->pub, 3);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 2);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 102), 1);
	KUNIT_EXPECT_EQ(test, to_block_core(zio_channel_in_flight(&chan->pub, 2))->mem_offset,
			offset);
	zio_channel_complete(&chan->pub, 3);
	expect_block(test, user, 0, 100);
	expect_block(test, user, 1, 101);
	expect_block(test, user, 2, 102);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void each_block_has_its_values(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_control ctrl;
	struct zio_block *block;

	take(chan, 2, 0);
	block = zio_channel_in_flight(&chan->pub, 1);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, block->len, 32);
	block->len = 6;
	block->tstamp.secs = 17;
	block->tstamp.ticks = 4;
	block->tstamp.bins = 3;
	block->drv_alarms = 0x42;
	zio_channel_complete(&chan->pub, 2);
	expect_block(test, user, 0, 0);
	KUNIT_ASSERT_EQ(test, test_read(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.nsamples, 3);
	KUNIT_EXPECT_EQ(test, ctrl.tstamp.secs, 17);
	KUNIT_EXPECT_EQ(test, ctrl.tstamp.ticks, 4);
	KUNIT_EXPECT_EQ(test, ctrl.tstamp.bins, 3);
	KUNIT_EXPECT_EQ(test, ctrl.drv_alarms, 0x42);
	/* The values of a block do not come back with its memory. */
	test_user_put(user);
	take(chan, 16, 0);
	zio_channel_complete(&chan->pub, 16);
	while (!IS_ERR(test_user_next(user))) {
		KUNIT_EXPECT_EQ(test, user->sess->ctrl.drv_alarms, 0);
		KUNIT_EXPECT_EQ(test, user->sess->ctrl.tstamp.secs, 0);
		KUNIT_EXPECT_EQ(test, user->sess->ctrl.nsamples, 16);
	}
}

/* A block shows the attributes at its completion. */
static void control_has_attributes_of_completion(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	take(chan, 1, 0);
	KUNIT_ASSERT_EQ(test, test_store_u32(&chan->kobj, "threshold", 5), 0);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, test_user_next(user));
	KUNIT_EXPECT_EQ(test, user->sess->ctrl.attr_channel.ext_val[31], 5);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
}

static void depth_limits_blocks_in_flight(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 2);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_channel_core *chan = cset->chan[0];

	KUNIT_EXPECT_STREQ(test, test_show(test, &cset->kobj, "queue-depth"), "16\n");
	KUNIT_EXPECT_EQ(test, test_store_u32(&cset->kobj, "queue-depth", 0), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store_u32(&cset->kobj, "queue-depth", 17), -ERANGE);
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->kobj, "queue-depth", 3), 0);
	KUNIT_EXPECT_EQ(test, tdev->refills, 2);
	KUNIT_EXPECT_EQ(test, take(chan, 10, 0), 3);
	zio_channel_complete(&chan->pub, 2);
	KUNIT_EXPECT_EQ(test, take(chan, 10, 0), 2);
	KUNIT_EXPECT_EQ(test, take(cset->chan[1], 10, 0), 3);
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->kobj, "queue-depth", 5), 0);
	KUNIT_EXPECT_EQ(test, take(chan, 10, 0), 2);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&cset->chan[1]->pub, 10), 2);
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->kobj, "queue-depth", 1), 0);
	zio_channel_complete(&chan->pub, 4);
	KUNIT_EXPECT_EQ(test, take(chan, 10, 0), 0);
	/* No free block was missing, and the stream went on. */
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
}

/* The driver may stamp any block in flight, by the clock of its trigger. */
static void expect_clocks(struct kunit *test, struct zio_channel_core *chan)
{
	struct zio_block *block;
	unsigned int i;

	for (i = 0; (block = zio_channel_in_flight(&chan->pub, i)); i++) {
		KUNIT_EXPECT_EQ(test, zio_block_clock(block), CLOCK_REALTIME);
		KUNIT_EXPECT_EQ(test, block->tstamp.secs, 0);
		zio_cset_stamp(&chan->cset->pub, block);
		KUNIT_EXPECT_GT(test, block->tstamp.secs, 0);
	}
}

static void take_and_read_many(struct kunit *test, struct test_device *tdev)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_channel *pub = &chan->pub;
	unsigned int n = 2, refills = tdev->refills, i;

	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(pub, 0), 0);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(pub, 5), 5);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(pub, UINT_MAX), 11);
	/* The depth is reached: no block was missing. */
	KUNIT_EXPECT_EQ(test, chan->queue.stream.wants, 0);
	KUNIT_EXPECT_EQ(test, walk_rows(test, chan, 0), 16);
	expect_clocks(test, chan);
	KUNIT_EXPECT_EQ(test, walk_rows(test, chan, 7), 9);
	KUNIT_EXPECT_NOT_NULL(test, zio_channel_in_flight_row(pub, 3, &n));
	KUNIT_EXPECT_EQ(test, n, 2);
	for (i = 0; i < 10; i++)
		*(u16 *)zio_channel_in_flight(pub, i)->data = i;
	zio_channel_in_flight(pub, 9)->drv_alarms = 0x42;
	zio_channel_complete(pub, 10);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(pub, 3), 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.wants, 1);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
	for (i = 0; i < 10; i++) {
		expect_block(test, user, i, i);
		KUNIT_EXPECT_EQ(test, user->sess->ctrl.drv_alarms, i == 9 ? 0x42 : 0);
	}
	KUNIT_EXPECT_EQ(test, tdev->refills, refills + 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(pub, UINT_MAX), 10);
	KUNIT_EXPECT_EQ(test, walk_rows(test, chan, 0), 16);
	/* Nothing of a former use is left in a block. */
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, zio_channel_in_flight(pub, i)->drv_alarms, 0);
	zio_channel_complete(pub, 16);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(pub, 1), 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 1);
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "flush", "1"), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void many_blocks_are_taken_at_once(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);

	take_and_read_many(test, tdev);
}

/* The same with a buffer that hands out several blocks at once. */
static void many_blocks_of_an_area(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	take_and_read_many(test, tdev);
}

static void prefer_new_drops_for_many(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_ASSERT_EQ(test, test_store_u32(&chan->buf->kobj, "prefer-new", 1), 0);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 16), 16);
	zio_channel_complete(&chan->pub, 12);
	/* Readers keep as many as the driver has. */
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 7), 4);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 4);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 8);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 8);
}

static void loss_is_a_gap(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	take(chan, 4, 0);
	zio_channel_complete(&chan->pub, 1);
	zio_channel_lost(&chan->pub, 0);
	zio_channel_lost(&chan->pub, 3);
	zio_channel_complete(&chan->pub, 2);
	expect_block(test, user, 0, 0);
	KUNIT_EXPECT_EQ(test, user->sess->ctrl.zio_alarms, 0);
	expect_block(test, user, 4, 1);
	KUNIT_EXPECT_EQ(test, user->sess->ctrl.zio_alarms, ZIO_ALARM_LOST_BLOCK);
	expect_block(test, user, 5, 2);
	KUNIT_EXPECT_EQ(test, user->sess->ctrl.zio_alarms, 0);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 3);
}

static void abort_returns_blocks_without_a_gap(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	take(chan, 6, 0);
	zio_channel_complete(&chan->pub, 2);
	test_lock(test, &tdev->cset->mutex);
	zio_cset_freeze(tdev->cset);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
	/* A driver that is late gets nothing. */
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	zio_cset_unfreeze(tdev->cset);
	test_unlock(test, &tdev->cset->mutex);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	take(chan, 1, 77);
	zio_channel_complete(&chan->pub, 1);
	expect_block(test, user, 0, 0);
	expect_block(test, user, 1, 1);
	expect_block(test, user, 2, 77);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
}

/* stop_io() may complete what the hardware has finished, and gets no further block. */
static void complete_oldest(struct test_device *tdev)
{
	struct zio_channel *chan = &tdev->cset->chan[0]->pub;

	KUNIT_EXPECT_NULL(tdev->test, zio_channel_take(chan));
	zio_channel_complete(chan, 2);
}

static void stop_may_complete(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	take(chan, 5, 50);
	tdev->stop = complete_oldest;
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	tdev->stop = NULL;
	expect_block(test, user, 0, 50);
	expect_block(test, user, 1, 51);
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EAGAIN));
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
}

/* Held by the driver while it uses the hardware */
static DEFINE_MUTEX(hardware);

static void wait_for_driver(struct test_device *tdev)
{
	mutex_lock(&hardware);
	mutex_unlock(&hardware);
}

static int switch_off(void *cset)
{
	test_enable_trigger(cset, false);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Takes a block in the grace period before stop_io(). Returns false if it came too late. */
static bool take_before_stop(struct kunit *test, struct test_device *tdev)
{
	unsigned int stops = tdev->stop_calls;
	struct task_struct *thread;
	struct zio_block *block;

	test_lock(test, &hardware);
	thread = test_thread_run(test, switch_off, tdev->cset);
	while (cset_phase(tdev->cset) == CSET_ARMED)
		cond_resched();
	block = zio_channel_take(&tdev->cset->chan[0]->pub);
	test_unlock(test, &hardware);
	test_thread_stop(test, thread);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, stops + 1);
	KUNIT_EXPECT_EQ(test, test_count_owned(tdev->cset->chan[0]), 16);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	return block;
}

/* The device is not short of blocks while the core waits to stop it. */
static void device_has_blocks_until_stop(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	unsigned int i, n = 0;

	test_need_processors(test);
	tdev->stop = wait_for_driver;
	for (i = 0; i < 50 && n < 3; i++)
		n += take_before_stop(test, tdev);
	KUNIT_EXPECT_EQ(test, n, 3);
}

static void driver_is_told_of_room(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	take(chan, 16, 0);
	zio_channel_complete(&chan->pub, 16);
	/* No take has failed yet. */
	expect_block(test, user, 0, 0);
	KUNIT_EXPECT_EQ(test, tdev->refills, 0);
	KUNIT_EXPECT_EQ(test, take(chan, 16, 16), 1);
	/* The device still has a block. */
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_EQ(test, take(chan, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, take(chan, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 1);
	expect_block(test, user, 1, 1);
	KUNIT_EXPECT_EQ(test, tdev->refills, 1);
	expect_block(test, user, 2, 2);
	KUNIT_EXPECT_EQ(test, tdev->refills, 1);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 17), 1);
	zio_channel_complete(&chan->pub, 1);
	while (to_block_core(test_user_next(user))->seq != 17)
		KUNIT_EXPECT_EQ(test, user->sess->ctrl.zio_alarms, 0);
	KUNIT_EXPECT_EQ(test, user->sess->ctrl.zio_alarms, ZIO_ALARM_DRY);
}

static void take_again(struct test_device *tdev, struct zio_channel *chan)
{
	take(to_channel_core(chan), 1, 9);
}

/* A refill that finds nothing is told again. */
static void refill_takes_blocks(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	unsigned int i;

	tdev->refill = take_again;
	take(chan, 16, 0);
	zio_channel_complete(&chan->pub, 16);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 0);
	test_lock(test, &chan->lock);
	zio_channel_notify_room(chan);
	test_unlock(test, &chan->lock);
	KUNIT_EXPECT_EQ(test, tdev->refills, 1);
	for (i = 0; i < 16; i++)
		expect_block(test, user, i, i);
	KUNIT_EXPECT_EQ(test, tdev->refills, 2);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 1);
}

static void prefer_new_drops_unread_blocks(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, test_store_u32(&chan->buf->kobj, "prefer-new", 1), 0);
	take(chan, 16, 0);
	/* Blocks in flight are not dropped. */
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 0);
	zio_channel_complete(&chan->pub, 12);
	KUNIT_EXPECT_EQ(test, take(chan, 3, 16), 3);
	zio_channel_complete(&chan->pub, 7);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 3);
	for (i = 3; i < 19; i++) {
		expect_block(test, user, i, i);
		KUNIT_EXPECT_EQ(test, user->sess->ctrl.zio_alarms,
				i == 3 ? ZIO_ALARM_LOST_BLOCK : 0);
	}
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* A driver that takes all that it can leaves the newest half to readers. */
static void prefer_new_leaves_blocks_to_readers(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, test_store_u32(&chan->buf->kobj, "prefer-new", 1), 0);
	KUNIT_ASSERT_EQ(test, take(chan, 16, 0), 16);
	zio_channel_complete(&chan->pub, 16);
	KUNIT_EXPECT_EQ(test, take(chan, 16, 16), 8);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 8);
	for (i = 8; i < 16; i++)
		expect_block(test, user, i, i);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 8);
}

static void failed_start_takes_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	tdev->io_return = -EIO;
	tdev->refills = 0;
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	/* Zero is an error, too: a stream does not end by itself. */
	tdev->io_return = 0;
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EIO));
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 2);
	tdev->io_return = ZIO_PENDING;
	test_user_next(user);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
}

/* The driver has stopped its hardware: what is complete is read, and the next read starts. */
static void failed_stream_takes_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_EXPECT_EQ(test, take(chan, 5, 100), 5);
	zio_channel_complete(&chan->pub, 2);
	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EPIPE));
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_EXPECT_NULL(test, zio_channel_in_flight(&chan->pub, 0));
	KUNIT_EXPECT_FALSE(test, zio_cset_fail(&tdev->cset->pub, -EPIPE));
	expect_block(test, user, 0, 100);
	expect_block(test, user, 1, 101);
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EPIPE));
	test_user_next(user);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 200), 1);
	zio_channel_complete(&chan->pub, 1);
	expect_block(test, user, 2, 200);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void stream_is_never_done(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);

	KUNIT_EXPECT_FALSE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
}

static void disabled_channel_has_no_blocks(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 2);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_channel *chan;
	struct zio_armed *pos;
	unsigned int n = 0;

	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->chan[0]->kobj, "enable", 0), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&cset->chan[0]->pub));
	zio_for_each_channel(&cset->pub, pos, chan)
		n += 1 + zio_channel_index(chan);
	KUNIT_EXPECT_EQ(test, n, 2);
	KUNIT_EXPECT_EQ(test, take(cset->chan[1], 1, 0), 1);
}

static struct zio_trigger_type test_event_type = {
	.name = "test-event",
	.owner = THIS_MODULE,
};

static void unregister_type(void *type)
{
	zio_trigger_type_unregister(type);
}

static void triggers_without_a_driver_are_refused(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_cset_core *cset = tdev->cset;

	KUNIT_ASSERT_EQ(test, zio_trigger_type_register(&test_event_type), 0);
	test_add_action(test, unregister_type, &test_event_type);
	KUNIT_EXPECT_EQ(test, test_set_trigger(cset, "user"), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_set_trigger(cset, "test-event"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, test_show(test, &cset->kobj, "current_trigger"), "transparent\n");
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
}

static void events_go_to_the_driver(struct kunit *test)
{
	struct test_device *tdev;
	struct zio_cset_core *cset;

	KUNIT_ASSERT_EQ(test, zio_trigger_type_register(&test_event_type), 0);
	test_add_action(test, unregister_type, &test_event_type);
	tdev = test_device_create(test, ZIO_CSET_STREAM | TEST_EVENTS, 1);
	cset = tdev->cset;
	KUNIT_EXPECT_EQ(test, test_set_trigger(cset, "user"), -EINVAL);
	KUNIT_ASSERT_EQ(test, test_set_trigger(cset, "test-event"), 0);
	KUNIT_EXPECT_EQ(test, cset_phase(cset), CSET_ARMED);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), 0);
	KUNIT_EXPECT_EQ(test, tdev->events, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&cset->lost_triggers), 0);
	tdev->event_return = -EBUSY;
	zio_trigger_fire(cset->bind->trig);
	KUNIT_EXPECT_EQ(test, tdev->events, 2);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&cset->lost_triggers), 1);
	KUNIT_ASSERT_EQ(test, test_set_trigger(cset, "transparent"), 0);
}

static void stuck_stream_is_started_again(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_cset_core *cset = tdev->cset;

	take(cset->chan[0], 3, 0);
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->kobj, "timeout-ms", 1), 0);
	while (!READ_ONCE(cset->error))
		schedule_timeout_uninterruptible(1);
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->kobj, "timeout-ms", 0), 0);
	KUNIT_EXPECT_EQ(test, cset->error, -ETIMEDOUT);
	KUNIT_EXPECT_GT(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->lost, 0);
}

/* Nobody reads, so the driver has no memory. It waits for readers, and does not hang. */
static void full_stream_is_not_stuck(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	unsigned int n = 0;

	while (zio_channel_take(&chan->pub))
		n++;
	zio_channel_complete(&chan->pub, n);
	KUNIT_ASSERT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->kobj, "timeout-ms", 1), 0);
	KUNIT_EXPECT_TRUE(test, test_wait_for(READ_ONCE(tdev->cset->watched) ==
					      tdev->cset->fired + chan->blocks +
					      chan->queue.stream.taken));
	schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, tdev->cset->error, 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
}

/* refill() walks the list without a lock, maybe beside the driver that ends the stream. */
static void list_of_channels_is_not_replaced(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 2);
	struct zio_armed *armed = tdev->cset->pub.armed;

	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, 50), 0);
	KUNIT_EXPECT_PTR_EQ(test, tdev->cset->pub.armed, armed);
	KUNIT_EXPECT_PTR_EQ(test, armed[1].chan, &tdev->cset->chan[1]->pub);
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE(list_of_channels_is_not_replaced),
	KUNIT_CASE(full_stream_is_not_stuck),
	KUNIT_CASE(blocks_complete_in_order),
	KUNIT_CASE(newest_blocks_are_given_back),
	KUNIT_CASE(each_block_has_its_values),
	KUNIT_CASE(control_has_attributes_of_completion),
	KUNIT_CASE(depth_limits_blocks_in_flight),
	KUNIT_CASE(many_blocks_are_taken_at_once),
	KUNIT_CASE(many_blocks_of_an_area),
	KUNIT_CASE(prefer_new_drops_for_many),
	KUNIT_CASE(loss_is_a_gap),
	KUNIT_CASE(abort_returns_blocks_without_a_gap),
	KUNIT_CASE(stop_may_complete),
	KUNIT_CASE(device_has_blocks_until_stop),
	KUNIT_CASE(driver_is_told_of_room),
	KUNIT_CASE(refill_takes_blocks),
	KUNIT_CASE(prefer_new_drops_unread_blocks),
	KUNIT_CASE(prefer_new_leaves_blocks_to_readers),
	KUNIT_CASE(failed_start_takes_blocks_back),
	KUNIT_CASE(failed_stream_takes_blocks_back),
	KUNIT_CASE(stream_is_never_done),
	KUNIT_CASE(disabled_channel_has_no_blocks),
	KUNIT_CASE(triggers_without_a_driver_are_refused),
	KUNIT_CASE(events_go_to_the_driver),
	KUNIT_CASE(stuck_stream_is_started_again),
	{}
};

TEST_SUITE("zio-stream", stream_cases);
