// SPDX-License-Identifier: GPL-2.0-only
/* stream_ring_test.c: sets with many blocks in flight, and a ring; the test is the driver */
#include "test-stream.h"

/* The program sees all blocks of a completion at once. */
static void ring_shows_completed_blocks(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;
	struct file *file;
	u32 i;

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	take(chan, 4, 0);
	zio_channel_complete(&chan->pub, 2);
	file = test_open_ring(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	hdr = chan->ring->hdr;
	/* The driver keeps its two blocks. */
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 2);
	KUNIT_EXPECT_EQ(test, take(chan, 20, 4), 12);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 2);
	zio_channel_complete(&chan->pub, 3);
	zio_channel_lost(&chan->pub, 2);
	KUNIT_EXPECT_EQ(test, hdr->lost, 2);
	zio_channel_complete(&chan->pub, 9);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 14);
	for (i = 0; i < 14; i++)
		KUNIT_EXPECT_EQ(test, chan->ring->slot[(hdr->tail + i) & 15].seq_num,
				i < 5 ? i : i + 2);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 0);
	smp_store_release(&hdr->tail, hdr->tail + 6);		/* S */
	KUNIT_EXPECT_EQ(test, take(chan, 20, 0), 6);
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "flush", "1"), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* Blocks before, in, and behind a ring: all of one stream, and none is lost. */
static void ring_does_not_stop_the_stream(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;
	struct test_user *user;
	struct file *file;
	u32 i;

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	user = test_user_open(test, chan);
	tdev->stop_calls = 0;
	take(chan, 6, 0);
	zio_channel_complete(&chan->pub, 2);
	file = test_open_ring(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	zio_channel_complete(&chan->pub, 2);
	hdr = chan->ring->hdr;
	KUNIT_EXPECT_EQ(test, hdr->head - hdr->tail, 4);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, chan->ring->slot[(hdr->tail + i) & 15].seq_num, i);
	smp_store_release(&hdr->tail, hdr->tail + 1);		/* S */
	test_close(test, file);
	zio_channel_complete(&chan->pub, 2);
	for (i = 1; i < 6; i++)
		expect_block(test, user, i, i);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* Blocks that the program has read are free, also for a driver that has none left. */
static void closed_ring_frees_what_was_read(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;
	struct file *file;

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	file = test_open_ring(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	hdr = chan->ring->hdr;
	take(chan, 16, 0);
	zio_channel_complete(&chan->pub, 16);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, tdev->refills, 0);
	smp_store_release(&hdr->tail, hdr->tail + 15);		/* S */
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, tdev->refills, 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
	/* The block that no program has read stays. */
	KUNIT_EXPECT_EQ(test, take(chan, 16, 0), 15);
}

/* One call takes back all blocks that the program has passed, and none beyond. */
static void ring_gives_many_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;
	struct file *file;

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	file = test_open_ring(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	hdr = chan->ring->hdr;
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, UINT_MAX), 16);
	zio_channel_complete(&chan->pub, 16);
	smp_store_release(&hdr->tail, hdr->tail + 5);		/* S */
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 3), 3);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 13);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 16), 2);
	zio_channel_complete(&chan->pub, 5);
	/* 12 blocks, of which the last one is at the beginning of the array of slots */
	smp_store_release(&hdr->tail, hdr->tail + 12);		/* S */
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 16), 12);
	KUNIT_EXPECT_EQ(test, walk_rows(test, chan, 0), 12);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 4);
	/* A program may write anything there. */
	WRITE_ONCE(hdr->tail, hdr->head + 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 16), 0);
	WRITE_ONCE(hdr->tail, hdr->head);
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* As the driver and a program that go on while the core takes blocks of a ring back */
#define RACES	50

static struct {
	struct zio_buffer_type type;
	struct zio_buffer_ops ops;
	const struct zio_buffer_type *own;
	unsigned int n;
} busy;

/* The driver completes another block, and the program passes it. */
static void put_and_go_on(struct zio_buffer *buf, struct zio_block *const *slot,
			  unsigned int n)
{
	struct zio_channel_core *chan = buf->chan;

	busy.own->ops->put_blocks(buf, slot, n);
	if (busy.n++ < RACES && take(chan, 1, 0)) {
		zio_channel_complete(&chan->pub, 1);
		smp_store_release(&chan->ring->hdr->tail, chan->queue.head); /* S */
	}
}

static void use_busy_buffer(struct zio_buffer *buf)
{
	busy.own = buf->type;
	busy.ops = *buf->type->ops;
	busy.type = *buf->type;
	busy.ops.put_blocks = put_and_go_on;
	busy.type.ops = &busy.ops;
	busy.n = 0;
	buf->type = &busy.type;
}

/* A page that is pinned stays writable: the tail may move for ever. */
static void closed_ring_does_not_follow_the_tail(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_buffer *buf;
	struct file *file;

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	buf = chan->buf;
	file = test_open_ring(test, chan);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	take(chan, 4, 0);
	zio_channel_complete(&chan->pub, 4);
	smp_store_release(&chan->ring->hdr->tail, chan->queue.head); /* S */
	use_busy_buffer(buf);
	test_close(test, file);
	buf->type = busy.own;
	KUNIT_EXPECT_EQ(test, busy.n, 1);
}

static struct kunit_case stream_ring_cases[] = {
	KUNIT_CASE(ring_shows_completed_blocks),
	KUNIT_CASE(ring_does_not_stop_the_stream),
	KUNIT_CASE(closed_ring_frees_what_was_read),
	KUNIT_CASE(ring_gives_many_blocks_back),
	KUNIT_CASE(closed_ring_does_not_follow_the_tail),
	{}
};

TEST_SUITE("zio-stream-ring", stream_ring_cases);
