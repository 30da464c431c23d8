// SPDX-License-Identifier: GPL-2.0-only
/* merge_test.c: merged blocks: a random walk against a model, and a stress test */
#include <linux/prandom.h>

#include "test-device.h"

#define WALK_STEPS	20000
#define STRESS_BLOCKS	20000

/* An event in the model. All its samples are its number. */
struct event {
	size_t len;
	u8 alarm;
	u64 snap;
};

struct walk {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	struct event *event;
	u32 next_event;
	u32 next_seq;
	unsigned long merged;
	unsigned long got;
	unsigned long gaps;
};

/* Only the test fires, so that the model knows of all events. */
static void start_walk(struct walk *w, struct kunit *test)
{
	*w = (struct walk){ .test = test };
	w->event = kunit_kcalloc(test, U16_MAX + 1, sizeof(*w->event),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->event);
	w->tdev = test_device_create(test, 0, 1);
	w->tdev->fill = true;
	w->chan = w->tdev->cset->chan[0];
	test_device_use_area(w->tdev, (struct test_area){
		.kb = 4, .len = 24, .nsamples = 64 });
	test_stop_demand(w->tdev);
	w->user = test_user_open(test, w->chan);
}

static void set_merge(struct walk *w, bool merge)
{
	KUNIT_EXPECT_EQ(w->test, test_set_merge(w->chan, merge), 0);
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

/* Checks samples against the model. Returns the number of events they belong to. */
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

/* The numbers of controls and the numbers of events have the same gaps. */
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
}

/* Reads 1 + @more controls at once, then the data. Returns false without a block. */
static bool read_blocks(struct walk *w, unsigned int more)
{
	struct zio_session *sess = w->user->sess;
	struct zio_block_core *core;
	unsigned int i;

	if (test_read(w->user->ctrl, NULL, (1 + more) * sizeof(struct zio_control)) < 0)
		return false;
	check_block(w, sess->block);
	for (core = sess->more, i = 0; i < sess->n_more; core = core->next, i++)
		check_block(w, &core->block);
	KUNIT_EXPECT_EQ(w->test, w->chan->merged, w->merged);
	while (sess->block)
		test_user_put(w->user);
	return true;
}

static void end_walk(struct walk *w)
{
	while (read_blocks(w, 0))
		;
	KUNIT_EXPECT_EQ(w->test, w->got + w->merged + w->gaps, w->next_event);
	KUNIT_EXPECT_EQ(w->test, w->got + w->merged, w->chan->blocks -
			(w->chan->lost - (w->chan->seq - w->chan->blocks)));
	KUNIT_EXPECT_EQ(w->test, test_count_owned(w->chan), 24);
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
			/* A new snapshot with the same value */
			test_store_u32(&w.chan->kobj, "gain-factor", 1000);
		}
	}
	KUNIT_EXPECT_GT(test, w.merged, 1000);
	KUNIT_EXPECT_GT(test, w.gaps, 100);
	end_walk(&w);
}

/* Blocks without a gap between them become one, which has at most half the buffer. */
static void neighbours_become_one(struct kunit *test)
{
	struct zio_block *block;
	struct walk w;
	int i;

	start_walk(&w, test);
	for (i = 0; i < 6; i++)
		fire(&w, 1);
	set_merge(&w, true);
	block = test_user_next(w.user);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, block);
	KUNIT_EXPECT_EQ(test, block->len, 6 * 128);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&w.chan->queue), 0);
	KUNIT_EXPECT_EQ(test, w.chan->merged, 5);
	/* The buffer does not reuse its memory before it is put. */
	for (i = 0; i < 24; i++)
		fire(&w, 1);
	KUNIT_EXPECT_EQ(test, w.chan->lost, 6);
	check_block(&w, block);
	KUNIT_EXPECT_EQ(test, w.chan->merged, w.merged);
	test_user_put(w.user);
	KUNIT_EXPECT_TRUE(test, read_blocks(&w, 0));
	KUNIT_EXPECT_EQ(test, w.next_event, 6 + 12);
	end_walk(&w);
}

static void ring_has_the_same_numbers(struct kunit *test)
{
	struct zio_ring *ring;
	struct file *file;
	struct walk w;
	int i;

	start_walk(&w, test);
	set_merge(&w, true);
	for (i = 0; i < 3; i++)
		fire(&w, 1);
	KUNIT_EXPECT_TRUE(test, read_blocks(&w, 0));
	fire(&w, 1);
	file = test_open_ring(test, w.chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	fire(&w, 1);
	ring = w.chan->ring;
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, ring->slot[(ring->hdr->tail + i) &
				ring->mask].seq_num, w.next_seq + i);
	test_close(test, file);
	end_walk(&w);
}

/* Checks that blocks are whole, of 64 samples, and that their events are consecutive. */
static bool is_whole(const struct zio_block *block)
{
	const u16 *sample = block->data;
	size_t i;

	for (i = 0; i < block->len / 2; i++)
		if (READ_ONCE(sample[i]) != (u16)(sample[0] + i / 64))
			return false;
	return true;
}

/* The engine takes the oldest blocks back while the reader merges them. */
static void blocks_are_merged_while_they_are_reclaimed(struct kunit *test)
{
	unsigned int bad = 0, got = 0, events = 0;
	struct task_struct *board;
	struct zio_block *block;
	struct walk w;
	u16 next = 0;
	u32 seq = 0;

	test_need_processors(test);
	start_walk(&w, test);
	set_merge(&w, true);
	WRITE_ONCE(w.chan->buf->prefer_new, true);
	board = test_device_run(w.tdev);
	while (got < STRESS_BLOCKS) {
		block = test_user_next(w.user);
		cond_resched();
		if (IS_ERR(block))
			continue;
		bad += !is_whole(block);
		bad += (u16)(*(u16 *)block->data - next) !=
			(u16)(to_block_core(block)->seq - seq);
		next = *(u16 *)block->data + block->len / 128;
		events += block->len / 128;
		seq = to_block_core(block)->seq + 1;
		got++;
		test_user_put(w.user);
	}
	test_thread_stop(test, board);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, events, got + w.chan->merged);
	KUNIT_EXPECT_EQ(test, test_count_owned(w.chan), 24);
}

static struct kunit_case merge_cases[] = {
	KUNIT_CASE(neighbours_become_one),
	KUNIT_CASE(ring_has_the_same_numbers),
	KUNIT_CASE(stream_follows_model),
	KUNIT_CASE(blocks_are_merged_while_they_are_reclaimed),
	{}
};

TEST_SUITE("zio-merge", merge_cases);
