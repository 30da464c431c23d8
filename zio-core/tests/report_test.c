// SPDX-License-Identifier: GPL-2.0-only
/* report_test.c: losses and failures that a driver reports while it has blocks */
#include "test-device.h"

static struct test_device *create_armed(struct kunit *test, unsigned int n_chan)
{
	struct test_device *tdev = test_device_create(test, 0, n_chan);

	tdev->io_return = -EAGAIN;
	KUNIT_ASSERT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	return tdev;
}

static void loss_is_a_gap(struct kunit *test)
{
	struct test_device *tdev = create_armed(test, 2);
	struct zio_channel_core *chan;
	struct zio_block *block;
	unsigned int i;

	zio_cset_lost(&tdev->cset->pub, 0);
	zio_cset_lost(&tdev->cset->pub, 5);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	for (i = 0; i < 2; i++) {
		chan = tdev->cset->chan[i];
		KUNIT_EXPECT_EQ(test, chan->lost, 5);
		KUNIT_EXPECT_EQ(test, chan->seq, 6);
		block = zio_queue_pop(&chan->queue);
		KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 5);
		KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_BLOCK);
		chan->buf->type->ops->put_block(chan->buf, block);
	}
}

static void failure_reaches_the_reader(struct kunit *test)
{
	struct test_device *tdev = create_armed(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	u16 sample;

	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EPIPE));
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EPIPE);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	/* The block waited for no event, so its number is used again. */
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
	test_user_close(user);
}

static void idle_set_does_not_fail(struct kunit *test)
{
	struct test_device *tdev = create_armed(test, 1);

	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_FALSE(test, zio_cset_fail(&tdev->cset->pub, -EIO));
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 0);
	KUNIT_EXPECT_EQ(test, tdev->cset->error, 0);
}

static struct kunit_case report_cases[] = {
	KUNIT_CASE(loss_is_a_gap),
	KUNIT_CASE(failure_reaches_the_reader),
	KUNIT_CASE(idle_set_does_not_fail),
	{}
};

TEST_SUITE("zio-report", report_cases);
