// SPDX-License-Identifier: GPL-2.0-only
/* set_ring_test.c: the ring of a set; the test is the program, a thread is the board */
#include <linux/prandom.h>

#include "test-device.h"

#define N_CHAN		3
#define STRESS_BLOCKS	100000

static struct test_device *create_device(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, N_CHAN);

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	tdev->fill = true;
	return tdev;
}

static struct file *try_open(struct test_device *tdev, int flags)
{
	struct zio_device *zdev = tdev->cset->zdev;
	char name[48];

	snprintf(name, sizeof(name), "%s-%04x-%u-ctrl", zdev->name, zdev->id,
		 tdev->cset->pub.index);
	return test_open_node(tdev->test, name, flags | O_NONBLOCK);
}

static struct file *open_set(struct test_device *tdev)
{
	struct file *file = try_open(tdev, O_RDWR);

	KUNIT_ASSERT_FALSE(tdev->test, IS_ERR(file));
	return file;
}

static struct zio_ring *ring_of(struct test_device *tdev)
{
	return tdev->cset->chan[0]->ring;
}

static u32 count_blocks(struct zio_ring *ring)
{
	return READ_ONCE(ring->hdr->head) - READ_ONCE(ring->hdr->tail);
}

static void move_tail(struct zio_ring *ring, u32 tail)
{
	smp_store_release(&ring->hdr->tail, tail);		/* S */
}

static const struct zio_control *control_of(const struct zio_ring *ring, u32 count)
{
	return &ring->slot[ring->entry[count & ring->mask]];
}

static void expect_all_owned(struct test_device *tdev)
{
	unsigned int i;

	for (i = 0; i < N_CHAN; i++)
		KUNIT_EXPECT_EQ(tdev->test, test_count_owned(tdev->cset->chan[i]), 16);
}

/* From entry @first on there are whole events, the first one with the number @seq. */
static void expect_events(struct test_device *tdev, u32 first, u32 seq, unsigned int n)
{
	struct zio_ring *ring = ring_of(tdev);
	const struct zio_control *ctrl;
	u32 i;

	for (i = 0; i < n * N_CHAN; i++) {
		ctrl = control_of(ring, first + i);
		KUNIT_EXPECT_EQ(tdev->test, ctrl->addr.chan, i % N_CHAN);
		KUNIT_EXPECT_EQ(tdev->test, ctrl->seq_num, seq + i / N_CHAN);
		KUNIT_EXPECT_EQ(tdev->test, ctrl->nsamples, 16);
	}
}

static void blocks_are_in_the_order_of_events(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[1];
	struct file *file;

	test_fire_events(tdev, 2);
	file = open_set(tdev);
	KUNIT_EXPECT_EQ(test, count_blocks(ring_of(tdev)), 0);
	KUNIT_EXPECT_EQ(test, chan->flushed, 2);
	test_fire_events(tdev, 5);
	KUNIT_EXPECT_EQ(test, count_blocks(ring_of(tdev)), 15);
	expect_events(tdev, 0, 2, 5);
	move_tail(ring_of(tdev), 4);
	test_stop_demand(tdev);
	test_close(test, file);
	KUNIT_EXPECT_NULL(test, chan->ops);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), 3);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 4);
	expect_all_owned(tdev);
}

static void set_ring_excludes_other_users(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[2];
	struct file *ring = test_open_ring(test, chan), *file;
	char data;

	KUNIT_EXPECT_PTR_EQ(test, try_open(tdev, O_RDWR), ERR_PTR(-EBUSY));
	test_close(test, ring);
	KUNIT_EXPECT_PTR_EQ(test, try_open(tdev, O_RDONLY), ERR_PTR(-EACCES));
	open_set(tdev);
	KUNIT_EXPECT_PTR_EQ(test, try_open(tdev, O_RDWR), ERR_PTR(-EBUSY));
	KUNIT_EXPECT_PTR_EQ(test, test_open_ring(test, chan), ERR_PTR(-EBUSY));
	file = test_open(test, chan, "data", O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, test_read(file, &data, 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, 8), -EBUSY);
}

/* The counts wrap, and the entries do. */
static void set_ring_wraps(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);
	u32 at = U32_MAX - 40, i;

	ring->pushed = at;
	ring->passed = at;
	ring->hdr->head = at;
	ring->hdr->tail = at;
	for (i = 0; i < 60; i++) {
		test_fire_events(tdev, 1 + i % 4);
		KUNIT_EXPECT_EQ(test, count_blocks(ring), N_CHAN * (1 + i % 4));
		expect_events(tdev, at, control_of(ring, at)->seq_num, 1 + i % 4);
		at += N_CHAN * (1 + i % 4);
		move_tail(ring, at);
	}
	KUNIT_EXPECT_EQ(test, ring->hdr->lost, 0);
	test_close(test, file);
	expect_all_owned(tdev);
}

static void full_set_ring_counts_losses(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);

	test_fire_events(tdev, 20);
	KUNIT_EXPECT_EQ(test, count_blocks(ring), 16 * N_CHAN);
	KUNIT_EXPECT_EQ(test, ring->hdr->lost, 4 * N_CHAN);
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[1]->lost, 4);
	/* Channels 0 and 1 have room, and channel 2 has none. */
	move_tail(ring, 2);
	test_fire_events(tdev, 1);
	KUNIT_EXPECT_EQ(test, ring->hdr->lost, 4 * N_CHAN + 1);
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[2]->lost, 5);
	test_close(test, file);
	expect_all_owned(tdev);
}

/* The program may write any tail: each block still has one owner. */
static void hostile_tail_of_a_set_is_harmless(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 11);
	for (i = 0; i < 20000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (r % 3)
			WRITE_ONCE(ring->hdr->tail, ring->pushed - r % 120 + 20);
		else
			WRITE_ONCE(ring->hdr->tail, r);
		if (!(i % 7))
			WRITE_ONCE(ring->hdr->head, r);
		test_fire_events(tdev, r % 4);
		KUNIT_EXPECT_LE(test, ring->pushed - ring->passed, 16 * N_CHAN);
	}
	test_close(test, file);
	expect_all_owned(tdev);
}

static void tail_beyond_the_head_takes_nothing_back(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);

	test_fire_events(tdev, 16);
	move_tail(ring, 16 * N_CHAN + 1);
	test_fire_events(tdev, 1);
	KUNIT_EXPECT_EQ(test, ring->passed, 0);
	KUNIT_EXPECT_EQ(test, ring->hdr->lost, N_CHAN);
	test_close(test, file);
	expect_all_owned(tdev);
}

static void set_ring_needs_areas(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, N_CHAN);

	KUNIT_EXPECT_PTR_EQ(test, try_open(tdev, O_RDWR), ERR_PTR(-EOPNOTSUPP));
}

static void armed_blocks_stay_armed(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file;

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	file = open_set(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, count_blocks(ring_of(tdev)), N_CHAN);
	test_close(test, file);
	expect_all_owned(tdev);
}

/* A poll acquires a block of each channel. */
static void poll_of_a_set_acquires(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);

	KUNIT_EXPECT_EQ(test, ring_of(tdev)->hdr->flags, 0);
	KUNIT_EXPECT_EQ(test, test_set_watermark(tdev->cset->chan[0], 8), 0);
	KUNIT_EXPECT_EQ(test, test_poll(file), POLLIN | POLLRDNORM);
	/* In whole events, and no more: half of a buffer has 8 blocks, too. */
	KUNIT_EXPECT_EQ(test, count_blocks(ring_of(tdev)), 9);
	test_stop_demand(tdev);
	move_tail(ring_of(tdev), 9);
	KUNIT_EXPECT_EQ(test, test_poll(file), 0);
	KUNIT_EXPECT_EQ(test, ring_of(tdev)->hdr->flags, ZIO_RING_EVENTS);
}

static void error_of_an_acquisition_is_read_once(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	loff_t pos = 0;

	tdev->io_return = -EIO;
	KUNIT_EXPECT_TRUE(test, vfs_poll(file, NULL) & EPOLLERR);
	KUNIT_EXPECT_EQ(test, file->f_op->read(file, NULL, 0, &pos), -EIO);
	KUNIT_EXPECT_EQ(test, file->f_op->read(file, NULL, 0, &pos), -EOPNOTSUPP);
}

static void board_goes_while_the_set_is_open(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);

	test_fire_events(tdev, 5);
	test_device_remove(tdev);
	KUNIT_EXPECT_EQ(test, test_poll(file), POLLHUP | POLLERR);
	test_close(test, file);
}

/* All samples are the number of the event, which is that of the control. */
static bool is_intact(struct test_device *tdev, const struct zio_control *ctrl)
{
	struct zio_channel_core *chan = tdev->cset->chan[ctrl->addr.chan];
	const u16 *sample = chan->buf->area->mem + zio_control_offset(ctrl);
	unsigned int i;

	for (i = 0; i < ctrl->nsamples; i++)
		if (READ_ONCE(sample[i]) != (u16)ctrl->seq_num)
			return false;
	return true;
}

static void set_is_read_while_it_is_filled(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);
	u32 next[N_CHAN] = { 0 }, tail = 0, lost = 0;
	unsigned int bad = 0, back = 0;
	struct task_struct *board = test_device_run(tdev);

	test_need_processors(test);
	while (tail < STRESS_BLOCKS) {
		const struct zio_control *ctrl;

		/* A */
		if (smp_load_acquire(&ring->hdr->head) == tail) {
			cond_resched();
			continue;
		}
		ctrl = control_of(ring, tail);
		back += ctrl->seq_num < next[ctrl->addr.chan];
		lost += ctrl->seq_num - next[ctrl->addr.chan];
		next[ctrl->addr.chan] = ctrl->seq_num + 1;
		bad += !is_intact(tdev, ctrl);
		move_tail(ring, ++tail);
	}
	test_thread_stop(test, board);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, back, 0);
	KUNIT_EXPECT_LE(test, (u64)lost, ring->hdr->lost);
	test_close(test, file);
	expect_all_owned(tdev);
}

/* A set counts the events that the hardware has lost, for each channel. */
static void hardware_losses_are_counted(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);

	test_stop_demand(tdev);
	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	zio_cset_lost(&tdev->cset->pub, 5);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[0]->lost, 5);
	KUNIT_EXPECT_EQ(test, ring->hdr->lost, 5 * N_CHAN);
	test_close(test, file);
}

/* A ring that is closed in the middle of an event keeps the numbers of the channels equal. */
static void close_keeps_numbers_equal(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct file *file = open_set(tdev);
	struct zio_ring *ring = ring_of(tdev);
	unsigned int i;

	vfs_poll(file, NULL);
	move_tail(ring, 1);
	test_close(test, file);
	for (i = 0; i < N_CHAN; i++)
		KUNIT_EXPECT_EQ(test, tdev->cset->chan[i]->seq, tdev->cset->chan[0]->seq);
}

/* The ring of one channel ends: the numbers of the other channels are in use. */
static void ring_of_one_channel_keeps_numbers_equal(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[1];
	struct file *file = test_open_ring(test, chan);
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, test_set_watermark(chan, 3), 0);
	vfs_poll(file, NULL);
	KUNIT_EXPECT_GT(test, chan->seq, 1);
	smp_store_release(&chan->ring->hdr->tail, 1);		/* S */
	test_close(test, file);
	for (i = 0; i < N_CHAN; i++)
		KUNIT_EXPECT_EQ(test, tdev->cset->chan[i]->seq, tdev->cset->chan[0]->seq);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, chan->flushed, chan->seq - 1);
	expect_all_owned(tdev);
}

static struct kunit_case set_ring_cases[] = {
	KUNIT_CASE(hardware_losses_are_counted),
	KUNIT_CASE(close_keeps_numbers_equal),
	KUNIT_CASE(ring_of_one_channel_keeps_numbers_equal),
	KUNIT_CASE(blocks_are_in_the_order_of_events),
	KUNIT_CASE(set_ring_excludes_other_users),
	KUNIT_CASE(set_ring_wraps),
	KUNIT_CASE(full_set_ring_counts_losses),
	KUNIT_CASE(hostile_tail_of_a_set_is_harmless),
	KUNIT_CASE(tail_beyond_the_head_takes_nothing_back),
	KUNIT_CASE(set_ring_needs_areas),
	KUNIT_CASE(armed_blocks_stay_armed),
	KUNIT_CASE(poll_of_a_set_acquires),
	KUNIT_CASE(error_of_an_acquisition_is_read_once),
	KUNIT_CASE(board_goes_while_the_set_is_open),
	KUNIT_CASE(set_is_read_while_it_is_filled),
	{}
};

TEST_SUITE("zio-set-ring", set_ring_cases);
