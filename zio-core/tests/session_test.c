// SPDX-License-Identifier: GPL-2.0-only
/* session_test.c: who owns a block: a random walk that loses none */
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/workqueue.h>

#include "test-device.h"

#define WALK_STEPS	5000

static void session_is_of_the_process(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_session *a = zio_session_open(tdev->cset->chan[0]);
	struct zio_session *b = zio_session_open(tdev->cset->chan[0]);
	struct zio_session *c = zio_session_open(tdev->cset->chan[1]);

	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_PTR_NE(test, a, c);
	zio_session_close(a);
	zio_session_close(b);
	zio_session_close(c);
	test_device_remove(tdev);
}

static void unread_block_is_left(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_session *sess = zio_session_open(chan);
	struct zio_block *block;

	zio_session_lock(sess);
	KUNIT_EXPECT_EQ(test, zio_session_next(sess, true), 0);
	block = sess->block;
	to_block_core(block)->used = 3;
	zio_session_unlock(sess);
	zio_session_close(sess);

	sess = zio_session_open(chan);
	zio_session_lock(sess);
	KUNIT_EXPECT_EQ(test, zio_session_next(sess, true), 0);
	KUNIT_EXPECT_PTR_EQ(test, sess->block, block);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->used, 3);
	zio_session_unlock(sess);
	zio_session_close(sess);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	test_device_remove(tdev);
}

static void output_goes_out_short_at_close(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_session *sess = zio_session_open(chan);

	zio_session_lock(sess);
	KUNIT_EXPECT_EQ(test, zio_session_next(sess, true), 0);
	to_block_core(sess->block)->used = 5;
	zio_session_unlock(sess);
	zio_session_close(sess);
	KUNIT_EXPECT_EQ(test, chan->blocks, 1);
	KUNIT_EXPECT_EQ(test, chan->bytes, 4);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
	test_device_remove(tdev);
}

struct walk {
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct zio_session *sess;
	unsigned int len;
	u32 seq;
	bool seen;
};

static void walk_read(struct kunit *test, struct walk *w)
{
	if (!w->sess)
		w->sess = zio_session_open(w->chan);
	zio_session_lock(w->sess);
	if (!zio_session_next(w->sess, true)) {
		if (w->seen)
			KUNIT_EXPECT_GT(test, (s32)(to_block_core(w->sess->block)->seq - w->seq),
					0);
		w->seq = to_block_core(w->sess->block)->seq;
		w->seen = true;
		zio_session_put(w->sess);
	}
	zio_session_unlock(w->sess);
}

static void walk_take(struct walk *w)
{
	if (!w->sess)
		w->sess = zio_session_open(w->chan);
	zio_session_lock(w->sess);
	zio_session_next(w->sess, true);
	zio_session_unlock(w->sess);
}

static void walk_close(struct walk *w)
{
	if (w->sess)
		zio_session_close(w->sess);
	w->sess = NULL;
}

static void walk_configure(struct walk *w, u32 dice)
{
	struct zio_cset_core *cset = w->tdev->cset;

	mutex_lock(&cset->mutex);
	if (dice & 1) {
		w->len = 1 + (dice >> 8) % 20;
		zio_buffer_set_len(w->chan->buf, w->len);
	} else {
		zio_binding_set_samples(cset->bind, 0, 1 + (dice >> 8) % 100);
	}
	w->chan->buf->prefer_new = dice & 2;
	mutex_unlock(&cset->mutex);
}

/* Blocks of an older geometry may still be out; never fewer than the new. */
static void walk_check(struct kunit *test, struct walk *w)
{
	unsigned int count = w->chan->buf->type->ops->count(w->chan->buf);

	KUNIT_ASSERT_EQ(test, test_count_owned(w->chan), count);
	KUNIT_ASSERT_GE(test, count, w->len);
}

static void blocks_have_one_owner(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct walk w = {
		.tdev = tdev, .chan = tdev->cset->chan[0],
		.len = ZIO_DEFAULT_LEN,
	};
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 512);
	for (i = 0; i < WALK_STEPS; i++) {
		u32 dice = prandom_u32_state(&rnd);

		tdev->io_return = dice & BIT(20) ? -EAGAIN :
				  dice & BIT(21) ? 0 : dice & BIT(22) ? 0 : -EIO;
		switch (dice % 11) {
		case 0 ... 3:
			test_fire(tdev->cset);
			break;
		case 4 ... 5:
			zio_cset_done(&tdev->cset->pub);
			break;
		case 6 ... 7:
			walk_read(test, &w);
			break;
		case 8:
			walk_take(&w);
			break;
		case 9:
			walk_close(&w);
			break;
		case 10:
			walk_configure(&w, prandom_u32_state(&rnd));
			break;
		}
		walk_check(test, &w);
	}
	walk_close(&w);
	test_device_remove(tdev);
}

static int sync_session(struct zio_session *sess)
{
	struct file file = { .private_data = sess };

	return zio_node_sync(&file, 0, LLONG_MAX, 0);
}

/* However many blocks there were before, and however long ago. */
static void loss_is_told_to_fsync_once(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_session *sess;

	chan->seq = 0x80000001;
	chan->played = chan->seq;
	sess = zio_session_open(chan);
	KUNIT_EXPECT_EQ(test, sync_session(sess), 0);
	tdev->io_return = -EIO;
	KUNIT_ASSERT_EQ(test, zio_session_lock(sess), 0);
	KUNIT_EXPECT_EQ(test, zio_session_next(sess, true), 0);
	to_block_core(sess->block)->used = sess->block->len;
	zio_session_submit(sess);
	zio_session_unlock(sess);
	KUNIT_EXPECT_EQ(test, sync_session(sess), -EIO);
	KUNIT_EXPECT_EQ(test, sync_session(sess), 0);
	zio_session_close(sess);
	test_device_remove(tdev);
}

struct holder {
	struct work_struct work;
	struct mutex *lock; /* the channel's */
	struct completion held;
	bool asked;
};

/* Holds the lock until somebody waits for it, or has given up. */
static void hold_lock(struct work_struct *work)
{
	struct holder *h = container_of(work, struct holder, work);

	mutex_lock(h->lock);
	complete(&h->held);
	while (list_empty_careful(&h->lock->wait_list) && !READ_ONCE(h->asked))
		schedule_timeout_uninterruptible(1);
	mutex_unlock(h->lock);
}

/* Non-blocking calls, too: what is in hand can be had. */
static void session_waits_for_its_lock(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_session *sess = zio_session_open(tdev->cset->chan[0]);
	struct holder h = { .lock = &tdev->cset->chan[0]->lock };
	int ret;

	init_completion(&h.held);
	INIT_WORK_ONSTACK(&h.work, hold_lock);
	schedule_work(&h.work);
	wait_for_completion(&h.held);
	ret = zio_session_lock(sess);
	WRITE_ONCE(h.asked, true);
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (!ret)
		zio_session_unlock(sess);
	flush_work(&h.work);
	destroy_work_on_stack(&h.work);
	zio_session_close(sess);
	test_device_remove(tdev);
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(session_is_of_the_process),
	KUNIT_CASE(session_waits_for_its_lock),
	KUNIT_CASE(unread_block_is_left),
	KUNIT_CASE(output_goes_out_short_at_close),
	KUNIT_CASE(loss_is_told_to_fsync_once),
	KUNIT_CASE(blocks_have_one_owner),
	{}
};

static struct kunit_suite session_suite = {
	.name = "zio-session",
	.test_cases = session_cases,
};

kunit_test_suite(session_suite);
