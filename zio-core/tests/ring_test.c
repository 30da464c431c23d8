// SPDX-License-Identifier: GPL-2.0-only
/* ring_test.c: the control ring; the test is the program, a thread is the board */
#include <linux/prandom.h>

#include "test-device.h"

#define STRESS_BLOCKS	100000

static struct test_device *create_device(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	tdev->fill = true;
	return tdev;
}

static struct file *open_ring(struct test_device *tdev)
{
	struct file *file = test_open_ring(tdev->test, tdev->cset->chan[0]);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(tdev->test, file);
	return file;
}

/* The program closes its ring; another user of the set has a file open. */
static void close_beside_another_user(struct test_device *tdev, struct file *file)
{
	tdev->cset->open_files++;
	test_close(tdev->test, file);
	tdev->cset->open_files--;
}

/* The program has read blocks. */
static void move_tail(struct zio_ring *ring, u32 tail)
{
	smp_store_release(&ring->hdr->tail, tail);		/* S */
}

static const struct zio_control *slot_of(const struct zio_ring *ring, u32 count)
{
	return &ring->slot[count & ring->mask];
}

static void ring_is_the_queue(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_control *slot;
	struct file *file;
	u32 i;

	test_fire_events(tdev, 3);
	file = open_ring(tdev);
	KUNIT_EXPECT_PTR_EQ(test, test_open_ring(test, chan), ERR_PTR(-EBUSY));
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 3);
	test_fire_events(tdev, 4);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 7);
	for (i = 0; i < 7; i++) {
		slot = slot_of(chan->ring, chan->ring->hdr->tail + i);
		KUNIT_EXPECT_EQ(test, slot->seq_num, i);
		KUNIT_EXPECT_EQ(test, slot->nsamples, 16);
	}
	test_stop_demand(tdev);
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 7);
}

/* With "prefer-new" blocks were dropped before the program came: the first slot says so. */
static void ring_begins_with_the_alarm(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_control *slot;
	struct file *file;
	u32 i;

	test_stop_demand(tdev);
	chan->buf->prefer_new = true;
	test_fire_events(tdev, 20);
	KUNIT_EXPECT_EQ(test, chan->lost, 4);
	file = open_ring(tdev);
	for (i = 0; i < 16; i++) {
		slot = slot_of(chan->ring, chan->ring->hdr->tail + i);
		KUNIT_EXPECT_EQ(test, slot->seq_num, 4 + i);
		KUNIT_EXPECT_EQ(test, slot->zio_alarms, i ? 0 : ZIO_ALARM_LOST_BLOCK);
	}
	test_close(test, file);
}

/* The block that a reader had is before the queued ones: the first slot tells of it. */
static void ring_begins_behind_the_blocks_of_readers(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	const struct zio_control *slot;
	struct file *file;
	u32 i;

	test_stop_demand(tdev);
	test_fire_events(tdev, 4);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 3), 3);
	file = open_ring(tdev);
	KUNIT_EXPECT_EQ(test, chan->flushed, 1);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 3);
	for (i = 0; i < 3; i++) {
		slot = slot_of(chan->ring, chan->ring->hdr->tail + i);
		KUNIT_EXPECT_EQ(test, slot->seq_num, 1 + i);
		KUNIT_EXPECT_EQ(test, slot->zio_alarms, i ? 0 : ZIO_ALARM_LOST_BLOCK);
	}
	test_close(test, file);
}

/* The counts wrap while blocks are in the ring, and when it is full. */
static void ring_wraps(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	u32 first = U32_MAX - 8, i;
	struct zio_ring_header *hdr;
	struct file *file;

	chan->seq = first;
	chan->queue.head = first;
	atomic_set(&chan->queue.tail, first);
	test_fire_events(tdev, 3);
	file = open_ring(tdev);
	hdr = chan->ring->hdr;
	KUNIT_EXPECT_EQ(test, hdr->tail, first);
	test_fire_events(tdev, 20);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 16);
	KUNIT_EXPECT_EQ(test, hdr->lost, 7);
	KUNIT_EXPECT_EQ(test, hdr->head, first + 16);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, slot_of(chan->ring, first + i)->seq_num, first + i);
	/* The tail is before the wrap, the head behind it. */
	move_tail(chan->ring, first + 4);
	test_fire_events(tdev, 2);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 14);
	KUNIT_EXPECT_EQ(test, hdr->lost, 7);
	move_tail(chan->ring, first + 12);
	test_fire_events(tdev, 8);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 14);
	KUNIT_EXPECT_EQ(test, hdr->lost, 7);
	WRITE_ONCE(hdr->tail, first); /* out of range: the tail moves back */
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void full_ring_counts_losses(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);
	struct zio_ring_header *hdr = chan->ring->hdr;

	test_fire_events(tdev, 20);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 16);
	KUNIT_EXPECT_EQ(test, hdr->lost, 4);
	KUNIT_EXPECT_EQ(test, chan->lost, 4);
	move_tail(chan->ring, hdr->tail + 5);
	test_fire_events(tdev, 6);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 16);
	KUNIT_EXPECT_EQ(test, hdr->lost, 5);
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void open_and_close_keep_armed_blocks(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file;

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	file = open_ring(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), 1);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	close_beside_another_user(tdev, file);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
}

static void done_waits_for_the_owner_of_the_phase(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_cset_core *cset = tdev->cset;
	bool armed;

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	test_lock(test, &cset->mutex);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_TRUE(test, armed);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EBUSY);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	KUNIT_EXPECT_EQ(test, cset->chan[0]->blocks, 0);
	zio_cset_disown_phase(cset, armed);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->blocks, 1);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_FALSE(test, armed);
	zio_cset_disown_phase(cset, armed);
	test_unlock(test, &cset->mutex);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
}

/* With a trigger on demand, nobody has asked for the blocks that are left. */
static void close_discards_blocks_of_polls(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);

	test_fire_events(tdev, 5);
	move_tail(chan->ring, chan->ring->hdr->tail + 1);
	close_beside_another_user(tdev, file);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
	KUNIT_EXPECT_EQ(test, chan->blocks, 1);
	KUNIT_EXPECT_EQ(test, chan->bytes, tdev->cset->block_len);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void numbers_continue_after_a_ring(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);

	test_fire_events(tdev, 4);
	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	close_beside_another_user(tdev, file);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
	KUNIT_EXPECT_EQ(test, to_block_core(zio_queue_peek(&chan->queue))->seq, 0);
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
}

static void close_keeps_blocks_of_events(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);

	test_stop_demand(tdev);
	test_fire_events(tdev, 5);
	move_tail(chan->ring, chan->ring->hdr->tail + 1);
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 4);
	KUNIT_EXPECT_EQ(test, to_block_core(zio_queue_peek(&chan->queue))->seq, 1);
}

/* The program may write any tail: each block still has one owner. */
static void hostile_tail_is_harmless(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);
	struct zio_ring_header *hdr = chan->ring->hdr;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 7);
	for (i = 0; i < 20000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (r % 3)
			WRITE_ONCE(hdr->tail, hdr->head - r % 40 + 10);
		else
			WRITE_ONCE(hdr->tail, r);
		test_fire_events(tdev, r % 4);
		KUNIT_EXPECT_LE(test, zio_queue_count(&chan->queue), 16);
		KUNIT_EXPECT_LE(test, zio_ring_count(chan->ring), 16);
	}
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void slots_have_their_attributes(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_control *slot;
	struct zio_ring *ring;
	u32 i;

	open_ring(tdev);
	ring = chan->ring;
	for (i = 0; i < 64; i++) {
		slot = slot_of(ring, ring->hdr->head);
		if (!(i % 5))
			KUNIT_EXPECT_EQ(test, test_store_u32(&chan->kobj, "gain-factor", i),
					0);
		test_fire_events(tdev, 1);
		KUNIT_EXPECT_EQ(test, slot->seq_num, i);
		KUNIT_EXPECT_EQ(test, slot->attr_channel.std_val[ZIO_ATTR_GAIN],
				i - i % 5);
		move_tail(ring, ring->hdr->head);
	}
}

static void ring_needs_an_area(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	KUNIT_EXPECT_PTR_EQ(test, test_open_ring(test, tdev->cset->chan[0]),
			    ERR_PTR(-EOPNOTSUPP));
}

/* The open file keeps the channel. */
static void board_goes_while_the_ring_is_open(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);

	test_fire_events(tdev, 5);
	test_device_remove(tdev);
	KUNIT_EXPECT_NULL(test, chan->ops);
	KUNIT_EXPECT_EQ(test, test_poll(file), POLLHUP | POLLERR);
	test_close(test, file);
	KUNIT_EXPECT_NULL(test, chan->ring);
}

/* All samples are the number of the event, which is that of the control. */
static int check_samples(struct zio_channel_core *chan,
			 const struct zio_control *slot)
{
	const u16 *sample = chan->buf->area->mem + zio_control_offset(slot);
	unsigned int i;

	for (i = 0; i < slot->nsamples; i++)
		if (READ_ONCE(sample[i]) != (u16)slot->seq_num)
			return -EIO;
	return 0;
}

static void ring_is_read_while_it_is_filled(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *file = open_ring(tdev);
	unsigned int got = 0, gaps = 0, bad = 0;
	struct zio_ring *ring = chan->ring;
	u32 next = 0, tail = ring->hdr->tail;
	struct task_struct *board = test_device_run(tdev);

	test_need_processors(test);
	while (got < STRESS_BLOCKS) {
		const struct zio_control *slot = slot_of(ring, tail);

		/* A */
		if (smp_load_acquire(&ring->hdr->head) == tail) {
			cond_resched();
			continue;
		}
		gaps += slot->seq_num - next;
		next = slot->seq_num + 1;
		bad += !!check_samples(chan, slot);
		move_tail(ring, ++tail);
		got++;
	}
	test_thread_stop(test, board);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_LE(test, (u64)gaps, ring->hdr->lost);
	KUNIT_EXPECT_EQ(test, got + ring->hdr->lost + zio_ring_count(chan->ring), chan->seq);
	test_close(test, file);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_is_the_queue),
	KUNIT_CASE(ring_begins_with_the_alarm),
	KUNIT_CASE(ring_begins_behind_the_blocks_of_readers),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(full_ring_counts_losses),
	KUNIT_CASE(open_and_close_keep_armed_blocks),
	KUNIT_CASE(done_waits_for_the_owner_of_the_phase),
	KUNIT_CASE(close_discards_blocks_of_polls),
	KUNIT_CASE(numbers_continue_after_a_ring),
	KUNIT_CASE(close_keeps_blocks_of_events),
	KUNIT_CASE(hostile_tail_is_harmless),
	KUNIT_CASE(slots_have_their_attributes),
	KUNIT_CASE(ring_needs_an_area),
	KUNIT_CASE(board_goes_while_the_ring_is_open),
	KUNIT_CASE(ring_is_read_while_it_is_filled),
	{}
};

TEST_SUITE("zio-ring", ring_cases);
