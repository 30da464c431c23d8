// SPDX-License-Identifier: GPL-2.0-only
/* merge_test.c: blocks that are merged: against a model, and with two CPUs */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/prandom.h>

#include "test-device.h"

#define WALK_STEPS	20000
#define STRESS_BLOCKS	20000

/* What the model knows of an event; its number is in all its samples. */
struct event {
	size_t len;
	u8 alarm;
	u64 snap;
};

struct walk {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct zio_session *sess;
	struct event *event;
	u32 next_event;
	u32 next_seq;
	unsigned long merged;
	unsigned long got;
	unsigned long gaps;
};

static void start_walk(struct walk *w, struct kunit *test)
{
	struct zio_cset_core *cset;

	*w = (struct walk){ .test = test };
	w->event = kunit_kcalloc(test, U16_MAX + 1, sizeof(*w->event),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->event);
	w->tdev = test_device_create(test, 0, 1);
	w->tdev->fill = true;
	cset = w->tdev->cset;
	w->chan = cset->chan[0];
	mutex_lock(&cset->change);
	KUNIT_ASSERT_EQ(test, zio_buffers_change(cset, "vmalloc"), 0);
	mutex_unlock(&cset->change);
	mutex_lock(&cset->mutex);
	KUNIT_ASSERT_EQ(test, zio_buffer_set_kb(w->chan->buf, 4), 0);
	KUNIT_ASSERT_EQ(test, zio_buffer_set_len(w->chan->buf, 24), 0);
	KUNIT_ASSERT_EQ(test, zio_binding_set_samples(cset->bind, 0, 64), 0);
	mutex_unlock(&cset->mutex);
	/* What reads fire would not be in the model. */
	WRITE_ONCE(cset->on_demand, false);
	WRITE_ONCE(cset->can_pull, false);
	w->sess = zio_session_open(w->chan);
}

static void set_merge(struct walk *w, bool merge)
{
	mutex_lock(&w->tdev->cset->mutex);
	zio_buffer_set_merge(w->chan->buf, merge);
	mutex_unlock(&w->tdev->cset->mutex);
}

static void fire(struct walk *w, u32 dice)
{
	struct event *event = &w->event[(u16)w->tdev->cset->fired];

	w->tdev->short_by = dice % 3 ? 8 * (dice / 8 % 15) : 2 * (dice / 8 % 60);
	event->len = 128 - w->tdev->short_by;
	event->snap = rcu_access_pointer(w->chan->snap)->id;
	if (dice % 31 == 0)
		zio_channel_alarm(&w->chan->pub, 1);
	event->alarm = !!atomic_read(&w->chan->alarms_new);
	test_fire(w->tdev->cset);
}

/* How many events the samples at @at are of; that they are those expected. */
static unsigned int check_samples(struct walk *w, const void *at, size_t len)
{
	const u16 *sample = at, *end = at + len;
	u16 first = *sample, number = first;
	struct event *event;
	size_t i;

	for (; sample < end; number++) {
		event = &w->event[number];
		KUNIT_EXPECT_EQ(w->test, event->snap, w->event[first].snap);
		if (number != first)
			KUNIT_EXPECT_EQ(w->test, event->alarm, 0);
		KUNIT_ASSERT_LE(w->test, event->len,
				(size_t)((void *)end - (void *)sample));
		for (i = 0; i < event->len / 2; i++)
			KUNIT_ASSERT_EQ(w->test, *sample++, number);
	}
	return (u16)(number - first);
}

/* A gap in what is told is one of events, of the same size. */
static void check_block(struct walk *w, const struct zio_block *block)
{
	u16 gap = *(u16 *)block->data - (u16)w->next_event;
	unsigned int n = check_samples(w, block->data, block->len);

	KUNIT_EXPECT_EQ(w->test, to_block_core(block)->seq - w->next_seq, gap);
	KUNIT_EXPECT_LE(w->test, block->len, 4096 / 2);
	KUNIT_EXPECT_LE(w->test, block->len, block->size);
	KUNIT_EXPECT_LE(w->test, n, 12);
	w->gaps += gap;
	w->next_event += gap + n;
	w->next_seq = to_block_core(block)->seq + 1;
	w->merged += n - 1;
	w->got++;
	KUNIT_EXPECT_EQ(w->test, w->chan->merged, w->merged);
}

/* One block, and, some of the time, others behind it, as for several controls. */
static bool read_blocks(struct walk *w, unsigned int more)
{
	struct zio_block *block;
	int ret;

	zio_session_lock(w->sess);
	ret = zio_session_next(w->sess, true);
	if (!ret)
		check_block(w, w->sess->block);
	while (!ret && more--) {
		block = zio_session_fetch(w->sess);
		if (IS_ERR(block))
			break;
		check_block(w, block);
		zio_session_hold(w->sess, block);
	}
	while (w->sess->block)
		zio_session_put(w->sess);
	zio_session_unlock(w->sess);
	return !ret;
}

static void end_walk(struct walk *w)
{
	while (read_blocks(w, 0))
		;
	KUNIT_EXPECT_EQ(w->test, w->got + w->merged + w->gaps, w->next_event);
	KUNIT_EXPECT_EQ(w->test, w->got + w->merged, w->chan->blocks -
			(w->chan->lost - (w->chan->seq - w->chan->blocks)));
	KUNIT_EXPECT_EQ(w->test, test_count_owned(w->chan), 24);
	zio_session_close(w->sess);
	test_device_remove(w->tdev);
}

static void stream_follows_model(struct kunit *test)
{
	struct rnd_state rnd;
	struct walk w;
	int i;

	start_walk(&w, test);
	set_merge(&w, true);
	prandom_seed_state(&rnd, 2012);
	for (i = 0; i < WALK_STEPS; i++) {
		u32 dice = prandom_u32_state(&rnd);

		switch (dice % 8) {
		case 0 ... 4:
			fire(&w, dice >> 8);
			break;
		case 5 ... 6:
			read_blocks(&w, dice >> 8 & 3);
			break;
		default:
			if (dice >> 8 & 7)
				break;
			set_merge(&w, dice & BIT(12));
			WRITE_ONCE(w.chan->buf->prefer_new, dice & BIT(13));
			mutex_lock(&w.tdev->cset->mutex);
			zio_channel_refresh(w.chan);
			mutex_unlock(&w.tdev->cset->mutex);
		}
	}
	KUNIT_EXPECT_GT(test, w.merged, 1000);
	KUNIT_EXPECT_GT(test, w.gaps, 100);
	end_walk(&w);
}

/* Blocks without a hole between them come as one, of half the buffer at most. */
static void neighbours_become_one(struct kunit *test)
{
	struct zio_block *block;
	struct walk w;
	int i;

	start_walk(&w, test);
	for (i = 0; i < 6; i++)
		fire(&w, 1);
	set_merge(&w, true);
	zio_session_lock(w.sess);
	KUNIT_ASSERT_EQ(test, zio_session_next(w.sess, true), 0);
	block = w.sess->block;
	KUNIT_EXPECT_EQ(test, block->len, 6 * 128);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&w.chan->queue), 0);
	KUNIT_EXPECT_EQ(test, w.chan->merged, 5);
	/* None of it is given out again before it is put. */
	for (i = 0; i < 24; i++)
		fire(&w, 1);
	KUNIT_EXPECT_EQ(test, w.chan->lost, 6);
	check_block(&w, block);
	zio_session_put(w.sess);
	zio_session_unlock(w.sess);
	KUNIT_EXPECT_TRUE(test, read_blocks(&w, 0));
	KUNIT_EXPECT_EQ(test, w.next_event, 6 + 12);
	end_walk(&w);
}

static void ring_tells_the_same_numbers(struct kunit *test)
{
	struct zio_ring *ring;
	struct walk w;
	int i;

	start_walk(&w, test);
	set_merge(&w, true);
	for (i = 0; i < 3; i++)
		fire(&w, 1);
	KUNIT_EXPECT_TRUE(test, read_blocks(&w, 0));
	fire(&w, 1);
	KUNIT_ASSERT_EQ(test, zio_ring_open(w.chan), 0);
	fire(&w, 1);
	ring = w.chan->ring;
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, ring->slot[(ring->hdr->tail + i) &
				ring->mask].seq_num, w.next_seq + i);
	zio_ring_close(w.chan, 0);
	end_walk(&w);
}

struct stress {
	struct walk w;
	struct completion done;
	bool stop;
};

static int produce(void *data)
{
	struct stress *s = data;
	u32 i;

	for (i = 0; !READ_ONCE(s->stop); i++) {
		test_fire(s->w.tdev->cset);
		cond_resched();
	}
	complete(&s->done);
	return 0;
}

/* Whole blocks of 64 samples; the events of each follow each other. */
static bool is_whole(const struct zio_block *block)
{
	const u16 *sample = block->data;
	size_t i;

	for (i = 0; i < block->len / 2; i++)
		if (READ_ONCE(sample[i]) != (u16)(sample[0] + i / 64))
			return false;
	return true;
}

/* The pusher steals what the reader is just about to merge. */
static void two_cpus(struct kunit *test)
{
	unsigned int bad = 0, got = 0, events = 0;
	struct zio_block *block;
	struct stress s;
	u16 next = 0;
	u32 seq = 0;

	start_walk(&s.w, test);
	set_merge(&s.w, true);
	WRITE_ONCE(s.w.chan->buf->prefer_new, true);
	s.stop = false;
	init_completion(&s.done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(produce, &s, "zio-merge")));
	while (got < STRESS_BLOCKS) {
		zio_session_lock(s.w.sess);
		if (!zio_session_next(s.w.sess, true)) {
			block = s.w.sess->block;
			bad += !is_whole(block);
			bad += (u16)(*(u16 *)block->data - next) !=
				(u16)(to_block_core(block)->seq - seq);
			next = *(u16 *)block->data + block->len / 128;
			events += block->len / 128;
			seq = to_block_core(block)->seq + 1;
			got++;
			zio_session_put(s.w.sess);
		}
		zio_session_unlock(s.w.sess);
		cond_resched();
	}
	WRITE_ONCE(s.stop, true);
	wait_for_completion(&s.done);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, events, got + s.w.chan->merged);
	KUNIT_EXPECT_EQ(test, test_count_owned(s.w.chan), 24);
	zio_session_close(s.w.sess);
	test_device_remove(s.w.tdev);
}

static struct kunit_case merge_cases[] = {
	KUNIT_CASE(neighbours_become_one),
	KUNIT_CASE(ring_tells_the_same_numbers),
	KUNIT_CASE(stream_follows_model),
	KUNIT_CASE(two_cpus),
	{}
};

static struct kunit_suite merge_suite = {
	.name = "zio-merge",
	.test_cases = merge_cases,
};

kunit_test_suite(merge_suite);
