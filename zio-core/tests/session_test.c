// SPDX-License-Identifier: GPL-2.0-only
/* session_test.c: sessions of programs; each block has one owner at any time */
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/workqueue.h>

#include "test-device.h"

#define WALK_STEPS	5000

static void session_is_of_the_process(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct test_user *one = test_user_open(test, tdev->cset->chan[0]);
	struct test_user *other = test_user_open(test, tdev->cset->chan[1]);

	KUNIT_EXPECT_PTR_EQ(test, one->ctrl->private_data, one->data->private_data);
	KUNIT_EXPECT_PTR_NE(test, one->sess, other->sess);
}

static void unread_block_stays_for_the_next_reader(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_block *block;

	block = test_user_next(user);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, block);
	test_user_close(user);

	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 3), 3);
	KUNIT_ASSERT_PTR_EQ(test, user->sess->block, block);
	KUNIT_EXPECT_EQ(test, chan->flushed, 0);
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
}

/* Nobody can have it whole. The next block tells of it. */
static void block_left_in_part_is_dropped(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_block *block;

	/* No control has told the alarm of the block. */
	zio_channel_alarm(&chan->pub, 2);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 3), 3);
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, chan->flushed, 1);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);

	user = test_user_open(test, chan);
	block = test_user_next(user);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, block);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 1);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_BLOCK);
	KUNIT_EXPECT_EQ(test, block->drv_alarms, 2);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	test_user_put(user);
	block = test_user_next(user);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, 0);
}

/* A ring of another process takes the blocks of a reader, and goes: the reader knows. */
static void reader_that_has_lost_a_block_knows_it(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user;
	struct zio_block *block;
	struct file *ring;

	test_device_use_area(tdev, (struct test_area){ .kb = 64, .len = 8, .nsamples = 16 });
	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 3), 3);
	ring = test_open_ring(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring);
	test_close(test, ring);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 3), -ESTALE);
	KUNIT_EXPECT_EQ(test, chan->n_stale, 0);
	KUNIT_EXPECT_EQ(test, chan->flushed, 1);
	block = test_user_next(user);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, block);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 1);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_BLOCK);
}

static void close_queues_a_short_output_block(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_EXPECT_EQ(test, test_write(user->data, "12345", 5), 5);
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, chan->blocks, 1);
	KUNIT_EXPECT_EQ(test, chan->bytes, 4);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
}

#define HELD	4

/* A share takes the block at @place away; then a read holds one more. */
static void leave_and_hold(struct kunit *test, struct test_user *user, unsigned int place)
{
	struct zio_session *sess = user->sess;
	u32 seq, first;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, test_read(user->ctrl, NULL, HELD * sizeof(struct zio_control)),
			HELD * sizeof(struct zio_control));
	first = to_block_core(sess->block)->seq;
	mutex_lock(&sess->chan->lock);
	zio_session_leave_block(sess, zio_session_find(sess, first + place));
	KUNIT_EXPECT_NULL(test, zio_session_find(sess, first + place));
	zio_session_hold(sess, zio_session_fetch(sess));
	for (i = 0; i <= HELD; i++) {
		if (i == place)
			continue;
		seq = to_block_core(sess->block)->seq;
		KUNIT_EXPECT_EQ(test, seq, first + i);
		KUNIT_EXPECT_PTR_EQ(test, zio_session_find(sess, seq), sess->block);
		zio_session_put(sess);
	}
	mutex_unlock(&sess->chan->lock);
	KUNIT_EXPECT_NULL(test, sess->block);
}

static void blocks_leave_a_session_in_any_order(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	unsigned int place;

	for (place = 0; place < HELD; place++) {
		test_fire_events(tdev, HELD + 1);
		leave_and_hold(test, user, place);
	}
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
}

struct walk {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	unsigned int len;
	u32 seq;
	bool seen;
};

/* The program reads a control. Numbers of blocks grow. */
static void walk_next(struct walk *w)
{
	struct zio_block *block;
	u32 seq;

	if (!w->user)
		w->user = test_user_open(w->test, w->chan);
	block = test_user_next(w->user);
	if (IS_ERR(block))
		return;
	seq = to_block_core(block)->seq;
	if (w->seen)
		KUNIT_EXPECT_GE(w->test, (s32)(seq - w->seq), 0);
	w->seq = seq;
	w->seen = true;
}

/* The program also reads the data: it does not see this block again. */
static void walk_read(struct walk *w)
{
	walk_next(w);
	if (!w->user->sess->block)
		return;
	test_user_put(w->user);
	w->seq++;
}

static void walk_close(struct walk *w)
{
	if (w->user)
		test_user_close(w->user);
	w->user = NULL;
}

static void walk_configure(struct walk *w, u32 dice)
{
	if (dice & 1) {
		w->len = 1 + (dice >> 8) % 20;
		test_set_len(w->chan, w->len);
	} else {
		test_set_samples(w->tdev->cset, 1 + (dice >> 8) % 100);
	}
	test_store_u32(&w->chan->buf->kobj, "prefer-new", !!(dice & 2));
}

/* Blocks of an older geometry may still have owners: there are @len blocks, or more. */
static void walk_check(struct walk *w)
{
	unsigned int count = w->chan->buf->type->ops->count(w->chan->buf);

	KUNIT_ASSERT_EQ(w->test, test_count_owned(w->chan), count);
	KUNIT_ASSERT_GE(w->test, count, w->len);
}

static void walk_step(struct walk *w, u32 dice, u32 more)
{
	switch (dice % 11) {
	case 0 ... 3:
		test_fire(w->tdev->cset);
		break;
	case 4 ... 5:
		zio_cset_done(&w->tdev->cset->pub);
		break;
	case 6 ... 7:
		walk_read(w);
		break;
	case 8:
		walk_next(w);
		break;
	case 9:
		walk_close(w);
		break;
	case 10:
		walk_configure(w, more);
		break;
	}
}

static void blocks_have_one_owner(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct walk w = {
		.test = test, .tdev = tdev, .chan = tdev->cset->chan[0],
		.len = ZIO_DEFAULT_LEN,
	};
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 512);
	for (i = 0; i < WALK_STEPS; i++) {
		u32 dice = prandom_u32_state(&rnd);

		tdev->io_return = dice & BIT(20) ? ZIO_PENDING :
				  dice & BIT(21) ? 0 : dice & BIT(22) ? 0 : -EIO;
		walk_step(&w, dice, prandom_u32_state(&rnd));
		walk_check(&w);
	}
}

/* fsync() reports a loss for each number that a block can have. */
static void fsync_reports_a_loss_once(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const u16 samples[ZIO_DEFAULT_NSAMPLES] = { };
	struct test_user *user;

	chan->seq = 0x80000001;
	chan->played = chan->seq;
	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, vfs_fsync(user->data, 0), 0);
	tdev->io_return = -EIO;
	KUNIT_EXPECT_EQ(test, test_write(user->data, samples, sizeof(samples)),
			sizeof(samples));
	KUNIT_EXPECT_EQ(test, vfs_fsync(user->data, 0), -EIO);
	KUNIT_EXPECT_EQ(test, vfs_fsync(user->data, 0), 0);
}

struct holder {
	struct work_struct work;
	struct mutex *lock; /* the channel's */
	struct completion held;
	bool release;
};

/* Holds the lock until a task waits for it, or until the test has its answer. */
static void hold_lock(struct work_struct *work)
{
	struct holder *h = container_of(work, struct holder, work);

	mutex_lock(h->lock);
	complete(&h->held);
	while (!test_has_waiter(h->lock) && !READ_ONCE(h->release))
		schedule_timeout_uninterruptible(1);
	mutex_unlock(h->lock);
}

static void end_holder(void *arg)
{
	struct holder *h = arg;

	WRITE_ONCE(h->release, true);
	flush_work(&h->work);
}

static void start_holder(struct kunit *test, struct mutex *lock)
{
	struct holder *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, h);
	h->lock = lock;
	init_completion(&h->held);
	INIT_WORK(&h->work, hold_lock);
	schedule_work(&h->work);
	test_add_action(test, end_holder, h);
	wait_for_completion(&h->held);
}

/* A non-blocking read waits for the lock, too: the block is there. */
static void read_waits_for_the_lock(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	start_holder(test, &chan->lock);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 2), 2);
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(session_is_of_the_process),
	KUNIT_CASE(read_waits_for_the_lock),
	KUNIT_CASE(unread_block_stays_for_the_next_reader),
	KUNIT_CASE(block_left_in_part_is_dropped),
	KUNIT_CASE(reader_that_has_lost_a_block_knows_it),
	KUNIT_CASE(close_queues_a_short_output_block),
	KUNIT_CASE(blocks_leave_a_session_in_any_order),
	KUNIT_CASE(fsync_reports_a_loss_once),
	KUNIT_CASE(blocks_have_one_owner),
	{}
};

TEST_SUITE("zio-session", session_cases);
