// SPDX-License-Identifier: GPL-2.0-only
/* area_test.c: the vmalloc buffer: what is reserved never overlaps */
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/vmalloc.h>

#include "test-device.h"

#define WALK_STEPS	20000
#define MAX_OUT		64

static struct test_device *create_device(struct kunit *test, u32 nsamples)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	test_device_use_area(tdev, (struct test_area){ .nsamples = nsamples });
	return tdev;
}

static void put(struct zio_channel_core *chan, struct zio_block *block)
{
	chan->buf->type->ops->put_block(chan->buf, block);
}

static struct zio_block *take(struct test_device *tdev)
{
	test_fire(tdev->cset);
	return zio_queue_pop(&tdev->cset->chan[0]->queue);
}

static bool overlap(const struct zio_block *a, const struct zio_block *b)
{
	return to_block_core(a)->mem_offset < to_block_core(b)->mem_offset + b->len &&
		to_block_core(b)->mem_offset < to_block_core(a)->mem_offset + a->len;
}

static void check_block(struct kunit *test, struct zio_channel_core *chan,
			struct zio_block *block, struct zio_block **out,
			unsigned int n)
{
	struct zio_area *area = chan->buf->area;

	KUNIT_EXPECT_PTR_EQ(test, block->data, area->mem + to_block_core(block)->mem_offset);
	KUNIT_EXPECT_LE(test, to_block_core(block)->mem_offset + block->size, area->size);
	while (n--)
		KUNIT_EXPECT_FALSE(test, overlap(block, out[n]));
}

/* The test takes blocks of any length, and puts them in any order. */
static void walk(struct kunit *test, u32 nsamples, unsigned int len)
{
	struct test_device *tdev = create_device(test, nsamples);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *out[MAX_OUT], *block;
	unsigned int i, n = 0, got = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, nsamples);
	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	KUNIT_ASSERT_EQ(test, test_set_len(chan, len), 0);
	for (i = 0; i < WALK_STEPS; i++) {
		tdev->short_by = prandom_u32_state(&rnd) % (2 * nsamples + 1);
		block = n < MAX_OUT ? take(tdev) : NULL;
		if (block) {
			check_block(test, chan, block, out, n);
			out[n++] = block;
			got++;
		}
		if (n && (!block || prandom_u32_state(&rnd) % 2)) {
			unsigned int j = prandom_u32_state(&rnd) % n;

			put(chan, out[j]);
			out[j] = out[--n];
		}
	}
	while (n)
		put(chan, out[--n]);
	KUNIT_EXPECT_GT(test, got, WALK_STEPS / 4);
	KUNIT_EXPECT_EQ(test, chan->lost + got, tdev->cset->fired);
	tdev->short_by = 0;
	block = take(tdev);
	KUNIT_EXPECT_NOT_NULL(test, block);
	if (block)
		put(chan, block);
}

static void blocks_never_overlap(struct kunit *test)
{
	walk(test, 1, 64);
	walk(test, 100, 64);
	walk(test, 700, 5);
	walk(test, 2048, 64);
}

/* As walk(), but takes several blocks at once, and puts the oldest ones at once. */
static void walk_rows(struct kunit *test, u32 nsamples, unsigned int len)
{
	struct test_device *tdev = create_device(test, nsamples);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	unsigned int i, j, n = 0, got, rows = 0, puts;
	struct zio_block *out[2 * MAX_OUT];
	struct rnd_state rnd;

	prandom_seed_state(&rnd, nsamples);
	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	KUNIT_ASSERT_EQ(test, test_set_len(chan, len), 0);
	for (i = 0; i < WALK_STEPS; i++) {
		bool room = ops->has_room(chan->buf);

		got = ops->get_blocks(chan->buf, &out[n], 1 + prandom_u32_state(&rnd) % 8);
		KUNIT_ASSERT_EQ(test, got > 0, room);
		KUNIT_ASSERT_LE(test, n + got, len);
		for (j = 0; j < got; j++, n++) {
			check_block(test, chan, out[n], out, n);
			out[n]->len = out[n]->size;
		}
		rows += got > 1;
		if (got && prandom_u32_state(&rnd) % 2)
			continue;
		puts = 1 + prandom_u32_state(&rnd) % n;
		ops->put_blocks(chan->buf, out, puts);
		n -= puts;
		memmove(out, out + puts, n * sizeof(*out));
	}
	ops->put_blocks(chan->buf, out, n);
	KUNIT_EXPECT_GT(test, rows, WALK_STEPS / 16);
}

static void rows_never_overlap(struct kunit *test)
{
	walk_rows(test, 1, 64);
	walk_rows(test, 100, 64);
	walk_rows(test, 300, 5);
}

static unsigned int fill_up(struct test_device *tdev)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];

	while (!chan->lost)
		test_fire(tdev->cset);
	return zio_queue_count(&chan->queue);
}

static void short_blocks_leave_no_hole(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	tdev->short_by = 1024 - 32;
	/* The last block found room for 1024 bytes. The blocks before it took 32. */
	KUNIT_EXPECT_EQ(test, fill_up(tdev), (4096 - 1024) / 32 + 1);
}

static void whole_area_is_used(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 2048);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 8), 0);
	KUNIT_EXPECT_EQ(test, fill_up(tdev), 2);
	block = zio_queue_pop(&chan->queue);
	put(chan, block);
	test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 2);
}

/* The gap between the newest block and the oldest one has the size of a block. */
static void gap_of_the_size_is_used(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	struct zio_block *out[4];
	int i;

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	for (i = 0; i < 4; i++) {
		out[i] = take(tdev);
		KUNIT_ASSERT_NOT_NULL(test, out[i]);
	}
	put(chan, out[0]);
	KUNIT_EXPECT_TRUE(test, ops->has_room(chan->buf));
	out[0] = take(tdev);
	KUNIT_EXPECT_NOT_NULL(test, out[0]);
	put(chan, out[1]);
	KUNIT_EXPECT_TRUE(test, ops->has_room(chan->buf));
	out[1] = take(tdev);
	KUNIT_EXPECT_NOT_NULL(test, out[1]);
	for (i = 0; i < 4; i++)
		if (out[i])
			put(chan, out[i]);
}

static void oldest_block_holds_the_rest(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *out[4];
	int i;

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	for (i = 0; i < 4; i++) {
		out[i] = take(tdev);
		KUNIT_ASSERT_NOT_NULL(test, out[i]);
	}
	KUNIT_EXPECT_NULL(test, take(tdev));
	for (i = 3; i > 0; i--)
		put(chan, out[i]);
	KUNIT_EXPECT_NULL(test, take(tdev));
	put(chan, out[0]);
	out[0] = take(tdev);
	KUNIT_ASSERT_NOT_NULL(test, out[0]);
	put(chan, out[0]);
}

/* A reader holds the oldest block while the set is frozen again and again. */
static void cancelled_blocks_take_no_room(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_channel_core *chan = cset->chan[0];
	struct zio_block *held, *block;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	KUNIT_ASSERT_EQ(test, test_set_len(chan, 4), 0);
	held = take(tdev);
	KUNIT_ASSERT_NOT_NULL(test, held);
	tdev->io_return = ZIO_PENDING;
	for (i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, test_fire(cset), -EINPROGRESS);
		test_freeze_once(cset);
	}
	tdev->io_return = 0;
	for (i = 0; i < 3; i++) {
		block = take(tdev);
		KUNIT_ASSERT_NOT_NULL(test, block);
		KUNIT_EXPECT_EQ(test, to_block_core(block)->mem_offset, 1024 * (i + 1));
		put(chan, block);
	}
	put(chan, held);
}

/* A driver may give back blocks out of order: only the last one is forgotten. */
static void only_the_last_block_is_cancelled(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	struct zio_block *a, *b, *c;

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	a = ops->get_block(chan->buf);
	b = ops->get_block(chan->buf);
	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, b);
	ops->cancel(chan->buf, a);
	c = ops->get_block(chan->buf);
	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_EXPECT_EQ(test, to_block_core(c)->mem_offset, 2048);
	ops->cancel(chan->buf, c);
	ops->cancel(chan->buf, b);
	c = ops->get_block(chan->buf);
	KUNIT_EXPECT_EQ(test, to_block_core(c)->mem_offset, 1024);
	put(chan, c);
}

static void sizes_are_checked(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_cset_core *cset = tdev->cset;
	struct zio_block *block;

	KUNIT_EXPECT_EQ(test, test_set_kb(chan, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, test_set_kb(chan, UINT_MAX), -ENOMEM);
	block = take(tdev);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, 64), -EBUSY);
	put(chan, block);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, 64), 0);
	KUNIT_EXPECT_EQ(test, test_set_kb(chan, 4), 0);
	KUNIT_EXPECT_EQ(test, test_set_samples(cset, 2049), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_set_samples(cset, 2048), 0);
	KUNIT_EXPECT_EQ(test, cset->block_len, 4096);
}

/* The first blocks of the area are free, and the third one is being read. */
static void unread_blocks_move_to_a_new_area(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 32);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	u16 sample[32];
	unsigned int i;

	tdev->fill = true;
	test_fire_events(tdev, 6);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, test_read(user->data, sample, 64), 64);
	KUNIT_ASSERT_EQ(test, test_read(user->data, sample, 20), 20);
	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 8), 0);
	KUNIT_EXPECT_EQ(test, chan->buf->area->size, 8192);
	test_fire_events(tdev, 3);
	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 4), 0);
	KUNIT_ASSERT_EQ(test, test_read(user->data, sample, 44), 44);
	KUNIT_EXPECT_EQ(test, sample[0], 2);
	KUNIT_EXPECT_EQ(test, sample[21], 2);
	for (i = 3; i < 9; i++) {
		KUNIT_ASSERT_EQ(test, test_read(user->data, sample, 64), 64);
		KUNIT_EXPECT_EQ(test, sample[0], i);
		KUNIT_EXPECT_EQ(test, sample[31], i);
	}
	KUNIT_EXPECT_EQ(test, test_count_owned(chan),
			min_t(size_t, chan->buf->len, chan->buf->area->size / 64));
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
}

static void unread_blocks_fit_in_the_new_area(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 512);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_area *area;

	KUNIT_ASSERT_EQ(test, test_set_kb(chan, 64), 0);
	area = chan->buf->area;
	test_fire_events(tdev, DIV_ROUND_UP(PAGE_SIZE, 512) + 1);
	KUNIT_EXPECT_EQ(test, test_set_kb(chan, 4), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, chan->buf->area, area);
	KUNIT_EXPECT_EQ(test, test_set_kb(chan, 128), 0);
}

static void mapped_area_stays(struct kunit *test)
{
	struct test_device *tdev = create_device(test, 16);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_area *area = chan->buf->area;

	atomic_inc(&area->maps);
	KUNIT_EXPECT_EQ(test, test_set_kb(chan, 4), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, chan->buf->area, area);
	atomic_dec(&area->maps);
	KUNIT_EXPECT_EQ(test, test_set_kb(chan, 4), 0);
}

static struct kunit_case area_cases[] = {
	KUNIT_CASE(blocks_never_overlap),
	KUNIT_CASE(rows_never_overlap),
	KUNIT_CASE(short_blocks_leave_no_hole),
	KUNIT_CASE(whole_area_is_used),
	KUNIT_CASE(gap_of_the_size_is_used),
	KUNIT_CASE(oldest_block_holds_the_rest),
	KUNIT_CASE(cancelled_blocks_take_no_room),
	KUNIT_CASE(only_the_last_block_is_cancelled),
	KUNIT_CASE(sizes_are_checked),
	KUNIT_CASE(unread_blocks_move_to_a_new_area),
	KUNIT_CASE(unread_blocks_fit_in_the_new_area),
	KUNIT_CASE(mapped_area_stays),
	{}
};

TEST_SUITE("zio-area", area_cases);
