// SPDX-License-Identifier: GPL-2.0-only
/* rearm_test.c: triggers that arm a set whenever there is room */
#include <linux/delay.h>

#include "test-device.h"

static struct test_device *create_device(struct kunit *test, unsigned long flags,
					 unsigned int n_chan)
{
	struct test_device *tdev = test_device_create(test, flags, n_chan);

	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "transparent"), 0);
	return tdev;
}

static void input_is_armed_while_there_is_room(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 0, 2);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user;

	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	user = test_user_open(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, test_user_next(user));
	test_user_put(user);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	/* The other channel has no reader. */
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[1]->lost, 1);
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, test_set_trigger(tdev->cset, "user"), 0);
	KUNIT_EXPECT_EQ(test, chan->waiters, 0);
}

/*
 * The spy acts as another processor: it puts a block and kicks the set, just after the
 * engine has found no room.
 *
 * @kicks: how often it does so
 * @taken: a block that the test keeps, so that memory is short, and not the queue
 */
static struct {
	struct zio_channel_core *chan;
	struct zio_buffer_type type;
	struct zio_buffer_ops ops;
	const struct zio_buffer_type *old;
	struct zio_block *taken;
	unsigned int kicks;
} spy;

static bool spy_has_room(struct zio_buffer *buf)
{
	struct zio_channel_core *chan = buf->chan;
	struct zio_block *block;

	if (spy.old->ops->has_room(buf) || !spy.kicks)
		return spy.old->ops->has_room(buf);
	spy.kicks--;
	block = zio_queue_pop(&chan->queue);
	buf->type->ops->put_block(buf, block);
	zio_channel_notify_room(chan);
	return false;
}

static void remove_spy(void *unused)
{
	struct zio_buffer *buf = spy.chan->buf;

	spy.kicks = 0;
	buf->type = spy.old;
	buf->type->ops->put_block(buf, spy.taken);
}

static void add_spy(struct kunit *test, struct zio_channel_core *chan, unsigned int kicks)
{
	struct zio_buffer *buf = chan->buf;

	memset(&spy, 0, sizeof(spy));
	spy.chan = chan;
	spy.taken = zio_queue_pop(&chan->queue);
	KUNIT_ASSERT_NOT_NULL(test, spy.taken);
	spy.old = buf->type;
	spy.type = *buf->type;
	spy.ops = *buf->type->ops;
	spy.ops.has_room = spy_has_room;
	spy.type.ops = &spy.ops;
	spy.kicks = kicks;
	buf->type = &spy.type;
	test_add_action(test, remove_spy, NULL);
}

/* Returns how often the test itself called the driver, for @kicks of the spy. */
static unsigned int count_rearms(struct kunit *test, unsigned int kicks)
{
	struct test_device *tdev = create_device(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	unsigned int rounds = 5000;

	add_spy(test, chan, kicks);
	tdev->watched = current;
	test_lock(test, &chan->lock);
	zio_channel_notify_room(chan);
	test_unlock(test, &chan->lock);
	tdev->watched = NULL;
	while ((READ_ONCE(spy.kicks) || work_busy(&tdev->cset->rearm_work)) && rounds--)
		fsleep(1000);
	KUNIT_EXPECT_EQ(test, spy.kicks, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len - 1);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	return tdev->watched_calls;
}

static void kick_of_an_armed_set_is_not_lost(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, count_rearms(test, 1), 1);
}

static void no_task_rearms_for_ever(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, count_rearms(test, 10000), 64);
}

/* A reader may pull for the former trigger, and find no room just before there is room. */
static void late_pull_leaves_the_set_armed(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	add_spy(test, chan, 1);
	test_lock(test, &chan->lock);
	KUNIT_EXPECT_EQ(test, zio_cset_arm_channel(chan, 0, 1), -ENOBUFS);
	test_unlock(test, &chan->lock);
	KUNIT_EXPECT_EQ(test, spy.kicks, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len - 1);
}

static void failing_set_is_not_armed_at_once(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_SLEEPS, 1);
	struct zio_cset_core *cset = tdev->cset;

	tdev->io_return = -EIO;
	KUNIT_ASSERT_EQ(test, test_set_trigger(cset, "transparent"), 0);
	flush_work(&cset->arm_work);
	flush_work(&cset->arm_work);
	KUNIT_EXPECT_FALSE(test, work_busy(&cset->arm_work));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, cset->error, -EIO);
}

static struct kunit_case rearm_cases[] = {
	KUNIT_CASE(input_is_armed_while_there_is_room),
	KUNIT_CASE(kick_of_an_armed_set_is_not_lost),
	KUNIT_CASE(no_task_rearms_for_ever),
	KUNIT_CASE(late_pull_leaves_the_set_armed),
	KUNIT_CASE(failing_set_is_not_armed_at_once),
	{}
};

TEST_SUITE("zio-rearm", rearm_cases);
