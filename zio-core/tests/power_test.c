// SPDX-License-Identifier: GPL-2.0-only
/* power_test.c: the blocks tell that the machine was suspended */
#include "test-stream.h"

#define LOST		ZIO_ALARM_LOST_BLOCK
#define SUSPENDED	ZIO_ALARM_SUSPENDED

static void call_pm(struct zio_device *zdev, int (*call)(struct device *dev))
{
	device_lock(&zdev->dev);
	call(&zdev->dev);
	device_unlock(&zdev->dev);
}

/* As the kernel does, which then suspends the parent of the device. */
static void go_to_sleep(struct test_device *tdev)
{
	call_pm(tdev->zdev, zio_device_suspend);
}

static void wake_up_again(struct test_device *tdev)
{
	call_pm(tdev->zdev, zio_device_resume);
}

/* An asynchronous input that is armed again whenever it is idle */
static struct test_device *create_armed(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	tdev->io_return = ZIO_PENDING;
	KUNIT_ASSERT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	return tdev;
}

/* Returns the alarms of ZIO of the oldest block, which is read. */
static int read_alarms(struct zio_channel_core *chan)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);
	int alarms = block ? block->zio_alarms : -1;

	if (block)
		chan->buf->type->ops->put_block(chan->buf, block);
	return alarms;
}

/* The driver is done with the armed block. Returns its alarms. */
static int finish(struct test_device *tdev)
{
	KUNIT_EXPECT_TRUE(tdev->test, zio_cset_done(&tdev->cset->pub));
	return read_alarms(tdev->cset->chan[0]);
}

static int acquire(struct test_device *tdev)
{
	KUNIT_EXPECT_EQ(tdev->test, test_fire(tdev->cset), -EINPROGRESS);
	return finish(tdev);
}

static void block_in_flight_tells(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);

	go_to_sleep(tdev);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, finish(tdev), SUSPENDED);
	KUNIT_EXPECT_EQ(test, atomic_read(&tdev->cset->chan[0]->alarms), SUSPENDED);
	KUNIT_EXPECT_EQ(test, acquire(tdev), 0);
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[0]->lost, 0);
}

/* The board sends while it goes to sleep. The gap is behind that block. */
static void block_before_the_gap_takes_no_alarm_away(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);

	go_to_sleep(tdev);
	KUNIT_EXPECT_EQ(test, finish(tdev), SUSPENDED);
	KUNIT_EXPECT_EQ(test, acquire(tdev), SUSPENDED);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, acquire(tdev), SUSPENDED);
	KUNIT_EXPECT_EQ(test, acquire(tdev), 0);
}

/* The core only notes: another context may own the phase meanwhile. */
static void owner_of_the_phase_raises_the_alarm(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_block *block = cset->pub.armed->block;
	bool armed;

	zio_cset_lost(&cset->pub, 2);
	go_to_sleep(tdev);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, 0);
	test_lock(test, &cset->mutex);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	KUNIT_EXPECT_EQ(test, block->zio_alarms, 0);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 0);
	zio_cset_disown_phase(cset, armed);
	test_unlock(test, &cset->mutex);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 2);
	KUNIT_EXPECT_EQ(test, read_alarms(cset->chan[0]), LOST | SUSPENDED);
	KUNIT_EXPECT_EQ(test, acquire(tdev), SUSPENDED);
	KUNIT_EXPECT_EQ(test, acquire(tdev), 0);
}

static void set_that_waits_for_a_program_misses_nothing(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);

	KUNIT_EXPECT_EQ(test, finish(tdev), 0);
	go_to_sleep(tdev);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, acquire(tdev), 0);
	KUNIT_EXPECT_EQ(test, tdev->resume_calls, 1);
}

/* It is idle from event to event, and misses those that come meanwhile. */
static void set_with_events_tells(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);

	test_stop_demand(tdev);
	KUNIT_EXPECT_EQ(test, finish(tdev), 0);
	go_to_sleep(tdev);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, acquire(tdev), SUSPENDED);
	KUNIT_EXPECT_EQ(test, acquire(tdev), 0);
}

static void channel_that_is_disabled_tells_nothing(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);

	tdev->io_return = ZIO_PENDING;
	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->chan[1]->kobj, "enable", 0), 0);
	KUNIT_ASSERT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	go_to_sleep(tdev);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, finish(tdev), SUSPENDED);
	KUNIT_EXPECT_EQ(test, atomic_read(&tdev->cset->chan[1]->alarms_new), 0);
}

static void stream_tells(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_STREAM, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	test_freeze_once(tdev->cset);
	KUNIT_ASSERT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
	KUNIT_ASSERT_EQ(test, take(chan, 4, 0), 4);
	go_to_sleep(tdev);
	zio_channel_complete(&chan->pub, 1);
	wake_up_again(tdev);
	zio_channel_complete(&chan->pub, 3);
	KUNIT_EXPECT_EQ(test, read_alarms(chan), SUSPENDED);
	KUNIT_EXPECT_EQ(test, read_alarms(chan), SUSPENDED);
	KUNIT_EXPECT_EQ(test, read_alarms(chan), 0);
	KUNIT_EXPECT_EQ(test, read_alarms(chan), 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
}

/* The driver asks for it: the blocks in flight are taken back, and the stream goes on. */
static void stream_begins_again(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_STREAM, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	test_freeze_once(tdev->cset);
	KUNIT_ASSERT_EQ(test, take(chan, 4, 0), 4);
	tdev->resume_return = true;
	go_to_sleep(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 2);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
	KUNIT_ASSERT_EQ(test, take(chan, 1, 0), 1);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_EQ(test, read_alarms(chan), SUSPENDED);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
}

static void check_locks(struct test_device *tdev)
{
	lockdep_assert_held(&tdev->cset->mutex);
	KUNIT_EXPECT_TRUE(tdev->test, mutex_is_locked(&tdev->cset->mutex));
	zio_cset_fail(&tdev->cset->pub, -EPIPE);
}

/* resumed() may fail the set, and no stop_io() runs beside it. */
static void driver_may_fail_its_set(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	u16 sample;

	tdev->resume = check_locks;
	go_to_sleep(tdev);
	KUNIT_EXPECT_EQ(test, tdev->resume_calls, 0);
	wake_up_again(tdev);
	KUNIT_EXPECT_EQ(test, tdev->resume_calls, 1);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EPIPE);
	KUNIT_EXPECT_EQ(test, acquire(tdev), SUSPENDED);
	test_user_close(user);
}

/* The parent goes between the two functions. */
static void set_that_goes_is_not_resumed(struct kunit *test)
{
	struct test_device *tdev = create_armed(test);
	struct zio_device *zdev = tdev->zdev;

	get_device(&zdev->dev);
	go_to_sleep(tdev);
	test_device_remove(tdev);
	call_pm(zdev, zio_device_resume);
	KUNIT_EXPECT_EQ(test, tdev->resume_calls, 0);
	put_device(&zdev->dev);
}

static struct kunit_case power_cases[] = {
	KUNIT_CASE(block_in_flight_tells),
	KUNIT_CASE(block_before_the_gap_takes_no_alarm_away),
	KUNIT_CASE(owner_of_the_phase_raises_the_alarm),
	KUNIT_CASE(set_that_waits_for_a_program_misses_nothing),
	KUNIT_CASE(set_with_events_tells),
	KUNIT_CASE(channel_that_is_disabled_tells_nothing),
	KUNIT_CASE(stream_tells),
	KUNIT_CASE(stream_begins_again),
	KUNIT_CASE(driver_may_fail_its_set),
	KUNIT_CASE(set_that_goes_is_not_resumed),
	{}
};

TEST_SUITE("zio-power", power_cases);
