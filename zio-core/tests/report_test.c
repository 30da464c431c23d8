// SPDX-License-Identifier: GPL-2.0-only
/* report_test.c: losses and failures that a driver reports while it has blocks */
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/zio-stream.h>

#include "test-device.h"

static struct test_device *create_armed(struct kunit *test, unsigned int n_chan)
{
	struct test_device *tdev = test_device_create(test, 0, n_chan);

	tdev->io_return = ZIO_PENDING;
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

/* A bus may say EAGAIN: the driver has started nothing, and no zio_cset_done() follows. */
static void again_is_an_error(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	u16 sample;

	tdev->io_return = -EAGAIN;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EIO);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EIO);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 2);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	KUNIT_EXPECT_FALSE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	tdev->io_return = 0;
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), sizeof(sample));
	test_user_close(user);
}

static void again_starts_no_stream(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_STREAM, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user;

	tdev->io_return = -EAGAIN;
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	user = test_user_open(test, chan);
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EIO));
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	test_user_close(user);
}

static void fail_at_once(struct test_device *tdev)
{
	tdev->start = NULL;
	KUNIT_EXPECT_TRUE(tdev->test, zio_cset_fail(&tdev->cset->pub, -EPIPE));
}

/* The driver need not wait until raw_io() has returned, and the error is told once. */
static void failure_may_be_early(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	u16 sample;

	tdev->io_return = ZIO_PENDING;
	tdev->start = fail_at_once;
	test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EPIPE);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
	tdev->early = true;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	test_user_close(user);
}

/* A driver that fails, and then returns something else than ZIO_PENDING, does no harm. */
static void failure_and_a_result_are_one_failure(struct kunit *test)
{
	static const int results[] = { -EMSGSIZE, 0 };
	struct test_device *tdev = test_device_create(test, 0, 1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(results); i++) {
		tdev->io_return = results[i];
		tdev->start = fail_at_once;
		test_fire(tdev->cset);
		KUNIT_EXPECT_EQ(test, atomic_read(&tdev->cset->state), CSET_IDLE);
		tdev->io_return = 0;
		KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	}
}

static void stream_may_fail_early(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_STREAM, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);

	tdev->start = fail_at_once;
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	KUNIT_EXPECT_EQ(test, tdev->cset->io_errors, 1);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&tdev->cset->chan[0]->pub));
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EPIPE));
	test_user_next(user);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
	test_user_close(user);
}

/* An output goes on with its next block. */
static void output_may_fail_early(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const u16 samples[2 * ZIO_DEFAULT_NSAMPLES] = { };
	struct test_user *user = test_user_open(test, chan);

	tdev->io_return = ZIO_PENDING;
	tdev->start = fail_at_once;
	KUNIT_EXPECT_EQ(test, test_write(user->data, samples, sizeof(samples)),
			sizeof(samples));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	KUNIT_EXPECT_EQ(test, chan->lost, 1);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_ARMED);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	test_user_close(user);
}

/* The engine returns these codes itself: a reader would wait, or give up. */
static void failure_is_no_code_of_the_engine(struct kunit *test)
{
	struct test_device *tdev = create_armed(test, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	u16 sample;

	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EAGAIN));
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, sizeof(sample)), -EIO);
	test_user_close(user);
}

/* A batch that takes all blocks leaves room for the next poll(), which does not wait. */
static void batch_leaves_poll_ready(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	size_t one = sizeof(struct zio_control);

	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, NULL, 32 * one), 16 * one);
	KUNIT_EXPECT_FALSE(test, zio_channel_is_starved(chan));
	KUNIT_EXPECT_EQ(test, test_poll(user->ctrl), POLLIN | POLLRDNORM);
	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, NULL, 16 * one), 16 * one);
	KUNIT_EXPECT_EQ(test, test_poll(user->ctrl), POLLIN | POLLRDNORM);
	test_user_close(user);
}

/* An asynchronous driver fails at once. */
static void poll_tells_of_failure(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	u16 sample;

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, 2), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 32), 32);
	test_freeze_once(tdev->cset);
	tdev->io_return = -EPIPE;
	tdev->io_calls = 0;
	add_wait_queue(&chan->wq, &wait);
	KUNIT_EXPECT_TRUE(test, vfs_poll(user->data, NULL) & EPOLLERR);
	KUNIT_EXPECT_TRUE(test, vfs_poll(user->data, NULL) & EPOLLERR);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	kunit_info(test, "woken by its own poll: %d", !!(wait.flags & WQ_FLAG_WOKEN));
	remove_wait_queue(&chan->wq, &wait);
	KUNIT_EXPECT_EQ(test, test_read(user->data, &sample, 2), -EPIPE);
	test_user_close(user);
}

static void batch_arms_nothing_ahead(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	size_t one = sizeof(struct zio_control);

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, NULL, 4 * one), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, NULL, 4 * one), one);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	test_user_close(user);
}

/* The same for data, of which a read has room for several blocks. */
static void data_arm_nothing_ahead(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 4 * 32), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 4 * 32), 32);
	KUNIT_EXPECT_EQ(test, cset_phase(tdev->cset), CSET_IDLE);
	test_user_close(user);
}

static int finish_on(void *arg)
{
	struct test_device *tdev = arg;

	while (!kthread_should_stop()) {
		zio_cset_done(&tdev->cset->pub);
		cpu_relax();
		cond_resched();
	}
	return 0;
}

/* A read that sleeps for its block ends with that, also where the set is armed first. */
static void sleeper_arms_nothing_ahead(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	struct task_struct *thread;

	test_need_processors(test);
	tdev->io_return = ZIO_PENDING;
	user->data->f_flags &= ~O_NONBLOCK;
	thread = test_thread_run(test, finish_on, tdev);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 4 * 32), 32);
	test_thread_stop(test, thread);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	test_user_close(user);
}

/* One reader, one channel: each event is one that the reader has asked for. */
static void reader_acquires_nothing_ahead(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	unsigned int n = 0, ahead = 0, tries;
	struct task_struct *thread;

	test_need_processors(test);
	tdev->io_return = ZIO_PENDING;
	thread = test_thread_run(test, finish_on, tdev);
	for (tries = 0; tries < 2000000 && n < 100000; tries++) {
		if (test_read(user->data, NULL, 32) != 32) {
			cond_resched();
			continue;
		}
		n++;
		ahead += cset_phase(tdev->cset) == CSET_ARMED ||
			zio_queue_count(&tdev->cset->chan[0]->queue);
	}
	test_thread_stop(test, thread);
	KUNIT_EXPECT_EQ_MSG(test, ahead, 0, "of %u blocks, %u events", n, tdev->io_calls);
	test_user_close(user);
}

static struct kunit_case report_cases[] = {
	KUNIT_CASE(reader_acquires_nothing_ahead),
	KUNIT_CASE(batch_leaves_poll_ready),
	KUNIT_CASE(poll_tells_of_failure),
	KUNIT_CASE(batch_arms_nothing_ahead),
	KUNIT_CASE(data_arm_nothing_ahead),
	KUNIT_CASE(sleeper_arms_nothing_ahead),
	KUNIT_CASE(loss_is_a_gap),
	KUNIT_CASE(failure_reaches_the_reader),
	KUNIT_CASE(idle_set_does_not_fail),
	KUNIT_CASE(again_is_an_error),
	KUNIT_CASE(again_starts_no_stream),
	KUNIT_CASE(failure_may_be_early),
	KUNIT_CASE(failure_and_a_result_are_one_failure),
	KUNIT_CASE(stream_may_fail_early),
	KUNIT_CASE(output_may_fail_early),
	KUNIT_CASE(failure_is_no_code_of_the_engine),
	{}
};

TEST_SUITE("zio-report", report_cases);
