// SPDX-License-Identifier: GPL-2.0-only
/* row_test.c: several blocks in one phase, for reads and polls that ask for several */
#include <linux/delay.h>

#include "test-device.h"

#define ROW	4
#define AT	3	/* the call of raw_io() at which something happens */

static const char *const buffers[] = { "kmalloc", "vmalloc" };

static struct test_device *create_device(struct kunit *test, const char *buffer)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	test_device_use_area(tdev, (struct test_area){ .type = buffer, .len = 16 });
	tdev->fill = true;
	return tdev;
}

/*
 * Asks for ROW blocks, until the driver has had as many as @n: another task may want the
 * processor meanwhile, and that ends a row, too.
 */
static int arm_row(struct test_device *tdev, unsigned int n)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	int ret;

	do {
		ret = zio_cset_arm_channel(chan, 0, ROW - tdev->io_calls);
	} while (!ret && tdev->io_calls < n);
	return ret;
}

/* The blocks are queued in order, and none is missing in front of them. */
static void expect_blocks(struct test_device *tdev, unsigned int n)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	unsigned int i;

	KUNIT_EXPECT_EQ(tdev->test, zio_queue_count(&chan->queue), n);
	for (i = 0; (block = zio_queue_pop(&chan->queue)); i++) {
		KUNIT_EXPECT_EQ(tdev->test, to_block_core(block)->seq, i);
		KUNIT_EXPECT_EQ(tdev->test, *(u16 *)block->data, i);
		chan->buf->type->ops->put_block(chan->buf, block);
	}
	KUNIT_EXPECT_EQ(tdev->test, test_count_owned(chan), 16);
}

static void wait_a_moment(struct test_device *tdev)
{
	udelay(2);
}

static void each_block_has_its_time(struct kunit *test)
{
	struct test_device *tdev = create_device(test, "kmalloc");
	struct zio_queue *q = &tdev->cset->chan[0]->queue;
	struct zio_timestamp *last, *next;
	unsigned int i;

	tdev->start = wait_a_moment;
	KUNIT_EXPECT_EQ(test, arm_row(tdev, ROW), 0);
	KUNIT_EXPECT_EQ(test, tdev->cset->fired, ROW);
	KUNIT_ASSERT_EQ(test, zio_queue_count(q), ROW);
	for (i = 1; i < ROW; i++) {
		last = &q->slot[i - 1]->tstamp;
		next = &q->slot[i]->tstamp;
		KUNIT_EXPECT_TRUE(test, next->secs > last->secs ||
				  (next->secs == last->secs && next->ticks > last->ticks));
	}
	expect_blocks(tdev, ROW);
}

static void fail(struct test_device *tdev)
{
	tdev->io_return = tdev->io_calls == AT ? -EILSEQ : 0;
}

/* What the buffer gave for the rest of the row goes back: the next block has the memory. */
static void row_ends_at_an_error(struct kunit *test)
{
	struct zio_channel_core *chan;
	struct test_device *tdev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buffers); i++) {
		tdev = create_device(test, buffers[i]);
		chan = tdev->cset->chan[0];
		tdev->start = fail;
		KUNIT_EXPECT_EQ(test, arm_row(tdev, AT), -EILSEQ);
		KUNIT_EXPECT_EQ(test, tdev->io_calls, AT);
		KUNIT_EXPECT_EQ(test, chan->lost, 1);
		expect_blocks(tdev, AT - 1);
		test_stop_demand(tdev);
		test_fire_events(tdev, 17);
		KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 16);
		KUNIT_EXPECT_EQ(test, to_block_core(zio_queue_peek(&chan->queue))->lost, 1);
	}
}

static void keep(struct test_device *tdev)
{
	tdev->io_return = tdev->io_calls == AT ? ZIO_PENDING : 0;
}

static void row_ends_where_the_driver_keeps_a_block(struct kunit *test)
{
	struct test_device *tdev = create_device(test, "vmalloc");

	tdev->start = keep;
	KUNIT_EXPECT_EQ(test, arm_row(tdev, AT), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), AT - 1);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	expect_blocks(tdev, AT);
}

static void ask_to_freeze(struct test_device *tdev)
{
	if (tdev->io_calls == AT)
		atomic_or(CSET_FREEZE, &tdev->cset->state);
}

static void ask_for_a_block(struct test_device *tdev)
{
	if (tdev->io_calls == AT)
		atomic_or(ZIO_PENDING_WAKE, &tdev->cset->pending);
}

/* Another context waits for the end of one raw_io(), not of a row. */
static void row_ends_for_others(struct kunit *test)
{
	struct test_device *tdev = create_device(test, "vmalloc");

	tdev->start = ask_to_freeze;
	KUNIT_EXPECT_EQ(test, arm_row(tdev, AT), 0);
	atomic_andnot(CSET_FREEZE, &tdev->cset->state);
	expect_blocks(tdev, AT);
	tdev = create_device(test, "vmalloc");
	tdev->start = ask_for_a_block;
	KUNIT_EXPECT_EQ(test, arm_row(tdev, AT), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&tdev->cset->pending), 0);
	expect_blocks(tdev, AT);
}

static void read_acquires_what_it_has_room_for(struct kunit *test)
{
	struct test_device *tdev = create_device(test, "vmalloc");
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	size_t len = tdev->cset->block_len;

	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 40 * len), 40 * len);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 40);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 2 * len + 1), 2 * len + 1);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 43);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, len - 1), len - 1);
	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, NULL, 9 * sizeof(struct zio_control)),
			9 * (ssize_t)sizeof(struct zio_control));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 52);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
}

/* A read that has data returns them, and the next one fails. */
static void next_read_gets_the_error(struct kunit *test)
{
	struct test_device *tdev = create_device(test, "vmalloc");
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	size_t len = tdev->cset->block_len;

	tdev->start = fail;
	KUNIT_EXPECT_EQ(test, test_read(user->ctrl, NULL, 8 * sizeof(struct zio_control)),
			(AT - 1) * (ssize_t)sizeof(struct zio_control));
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 2 * len), 2 * len);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, len), -EILSEQ);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, len), len);
}

static void take_long(struct test_device *tdev)
{
	mdelay(1);
}

/* Blocks that come slowly: nobody's samples are taken that the program has not asked for. */
static void slow_poll_acquires_the_watermark(struct kunit *test)
{
	struct test_device *tdev = create_device(test, "vmalloc");
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = test_open_ring(test, chan);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	tdev->start = take_long;
	KUNIT_EXPECT_EQ(test, test_poll(file), POLLIN | POLLRDNORM);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 1);
	smp_store_release(&chan->ring->hdr->tail, chan->ring->hdr->head); /* S */
	KUNIT_EXPECT_EQ(test, test_set_watermark(chan, 3), 0);
	KUNIT_EXPECT_EQ(test, test_poll(file), POLLIN | POLLRDNORM);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 3);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 4);
	test_close(test, file);
}

/* An event has a block of each channel. */
static void several_channels_take_turns(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);

	KUNIT_EXPECT_EQ(test, arm_row(tdev, 1), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[1]->queue), 1);
}

static struct kunit_case row_cases[] = {
	KUNIT_CASE(each_block_has_its_time),
	KUNIT_CASE(row_ends_at_an_error),
	KUNIT_CASE(row_ends_where_the_driver_keeps_a_block),
	KUNIT_CASE(row_ends_for_others),
	KUNIT_CASE(read_acquires_what_it_has_room_for),
	KUNIT_CASE(next_read_gets_the_error),
	KUNIT_CASE(slow_poll_acquires_the_watermark),
	KUNIT_CASE(several_channels_take_turns),
	{}
};

TEST_SUITE("zio-row", row_cases);
