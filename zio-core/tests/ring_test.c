// SPDX-License-Identifier: GPL-2.0-only
/* ring_test.c: the control ring, with a thread in the place of the program */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/prandom.h>

#include "test-device.h"

#define STRESS_BLOCKS	100000

static struct test_device *create_device(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_cset_core *cset = tdev->cset;

	mutex_lock(&cset->change);
	KUNIT_ASSERT_EQ(test, zio_buffers_change(cset, "vmalloc"), 0);
	mutex_unlock(&cset->change);
	mutex_lock(&cset->mutex);
	KUNIT_ASSERT_EQ(test, zio_buffer_set_len(cset->chan[0]->buf, 16), 0);
	mutex_unlock(&cset->mutex);
	tdev->fill = true;
	return tdev;
}

static void fire(struct test_device *tdev, unsigned int n)
{
	while (n--)
		test_fire(tdev->cset);
}

static void ring_is_the_queue(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring *ring;
	u32 i;

	fire(tdev, 3);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	KUNIT_EXPECT_EQ(test, zio_ring_open(chan), -EBUSY);
	ring = chan->ring;
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 3);
	fire(tdev, 4);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 7);
	for (i = 0; i < 7; i++) {
		struct zio_control *slot =
			&ring->slot[(ring->hdr->tail + i) & ring->mask];

		KUNIT_EXPECT_EQ(test, slot->seq_num, i);
		KUNIT_EXPECT_EQ(test, slot->nsamples, 16);
	}
	zio_ring_close(chan, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 7);
	test_device_remove(tdev);
}

/* The counts wrap while blocks are in the ring, and when it is full. */
static void ring_wraps(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;
	u32 first = U32_MAX - 8, i;

	chan->seq = first;
	chan->queue.head = first;
	atomic_set(&chan->queue.tail, first);
	fire(tdev, 3);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	hdr = chan->ring->hdr;
	KUNIT_EXPECT_EQ(test, hdr->tail, first);
	fire(tdev, 20);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 16);
	KUNIT_EXPECT_EQ(test, hdr->lost, 7);
	KUNIT_EXPECT_EQ(test, hdr->head, first + 16);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, chan->ring->slot[(first + i) &
			chan->ring->mask].seq_num, first + i);
	/* The tail is before the wrap, the head behind it. */
	smp_store_release(&hdr->tail, first + 4); /* S */
	fire(tdev, 2);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 14);
	KUNIT_EXPECT_EQ(test, hdr->lost, 7);
	smp_store_release(&hdr->tail, first + 12); /* S */
	fire(tdev, 8);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 14);
	KUNIT_EXPECT_EQ(test, hdr->lost, 7);
	WRITE_ONCE(hdr->tail, first); /* no tail: it is behind what it was */
	zio_ring_close(chan, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
	test_device_remove(tdev);
}

static void full_ring_loses_and_tells(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;

	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	hdr = chan->ring->hdr;
	fire(tdev, 20);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 16);
	KUNIT_EXPECT_EQ(test, hdr->lost, 4);
	KUNIT_EXPECT_EQ(test, chan->lost, 4);
	smp_store_release(&hdr->tail, hdr->tail + 5); /* S */
	fire(tdev, 6);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 16);
	KUNIT_EXPECT_EQ(test, hdr->lost, 5);
	zio_ring_close(chan, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
	test_device_remove(tdev);
}

static void armed_stays_armed(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	tdev->io_return = -EAGAIN;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), 1);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	tdev->cset->open_files = 1; /* somebody else's */
	zio_ring_close(chan, 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 2);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	tdev->cset->open_files = 0;
	test_device_remove(tdev);
}

static void done_while_the_phase_is_owned(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_cset_core *cset = tdev->cset;
	bool armed;

	tdev->io_return = -EAGAIN;
	KUNIT_EXPECT_EQ(test, test_fire(cset), -EINPROGRESS);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_TRUE(test, armed);
	KUNIT_EXPECT_EQ(test, test_fire(cset), -EBUSY);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	KUNIT_EXPECT_EQ(test, cset->chan[0]->blocks, 0);
	zio_cset_disown_phase(cset, armed);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->blocks, 1);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_FALSE(test, armed);
	zio_cset_disown_phase(cset, armed);
	KUNIT_EXPECT_EQ(test, test_fire(cset), -EINPROGRESS);
	test_device_remove(tdev);
}

/* What was queued before, and what the program has passed, is not among them. */
static void asked_ahead_goes_with_the_ring(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	fire(tdev, 3);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	fire(tdev, 5);
	zio_ring_count_asked(chan, 5);
	smp_store_release(&chan->ring->hdr->tail, chan->ring->hdr->tail + 1); /* S */
	tdev->cset->open_files = 1;
	zio_ring_close(chan, 0);
	tdev->cset->open_files = 0;
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 2);
	KUNIT_EXPECT_EQ(test, chan->seq, 3);
	KUNIT_EXPECT_EQ(test, chan->blocks, 3);
	KUNIT_EXPECT_EQ(test, chan->bytes, 3 * tdev->cset->block_len);
	KUNIT_EXPECT_EQ(test, to_block_core(zio_queue_peek(&chan->queue))->seq, 1);
	test_device_remove(tdev);
}

static void numbers_go_on_after_a_ring(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	fire(tdev, 4);
	zio_ring_count_asked(chan, 4);
	tdev->io_return = -EAGAIN;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	tdev->cset->open_files = 1;
	zio_ring_close(chan, 0);
	tdev->cset->open_files = 0;
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
	KUNIT_EXPECT_EQ(test, to_block_core(zio_queue_peek(&chan->queue))->seq, 0);
	KUNIT_EXPECT_EQ(test, chan->seq, 1);
	test_device_remove(tdev);
}

/* Whatever the program writes, no block is given twice, and none is gone. */
static void hostile_tail(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_ring_header *hdr;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 7);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	hdr = chan->ring->hdr;
	for (i = 0; i < 20000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (r % 3)
			WRITE_ONCE(hdr->tail, hdr->head - r % 40 + 10);
		else
			WRITE_ONCE(hdr->tail, r);
		fire(tdev, r % 4);
		KUNIT_EXPECT_LE(test, zio_queue_count(&chan->queue), 16);
		KUNIT_EXPECT_LE(test, zio_ring_count(chan), 16);
	}
	zio_ring_close(chan, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
	test_device_remove(tdev);
}

static void slots_show_their_attributes(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_attr *gain = &chan->attrs[0];
	struct zio_ring *ring;
	u32 i;

	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	ring = chan->ring;
	for (i = 0; i < 64; i++) {
		struct zio_control *slot =
			&ring->slot[ring->hdr->head & ring->mask];

		if (!(i % 5)) {
			mutex_lock(&tdev->cset->mutex);
			gain->value = i;
			KUNIT_EXPECT_EQ(test, zio_channel_refresh(chan), 0);
			mutex_unlock(&tdev->cset->mutex);
		}
		fire(tdev, 1);
		KUNIT_EXPECT_EQ(test, slot->seq_num, i);
		KUNIT_EXPECT_EQ(test, slot->attr_channel.std_val[ZIO_ATTR_GAIN],
				i - i % 5);
		smp_store_release(&ring->hdr->tail, ring->hdr->head); /* S */
	}
	zio_ring_close(chan, 0);
	test_device_remove(tdev);
}

static void ring_wants_an_area(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	KUNIT_EXPECT_EQ(test, zio_ring_open(tdev->cset->chan[0]), -EOPNOTSUPP);
	test_device_remove(tdev);
}

static void board_goes_with_the_ring_open(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	kobject_get(&chan->kobj);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	fire(tdev, 5);
	test_device_remove(tdev);
	KUNIT_EXPECT_NULL(test, chan->ring);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan), -1);
	zio_ring_close(chan, 0);
	kobject_put(&chan->kobj);
}

struct stress {
	struct test_device *tdev;
	struct completion done;
	bool stop;
};

static int produce(void *data)
{
	struct stress *s = data;

	while (!READ_ONCE(s->stop)) {
		test_fire(s->tdev->cset);
		cond_resched();
	}
	complete(&s->done);
	return 0;
}

/* All samples are the number of the event that the control tells. */
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

static void two_cpus(struct kunit *test)
{
	struct test_device *tdev = create_device(test);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct stress s = { .tdev = tdev };
	unsigned int got = 0, gaps = 0, bad = 0;
	struct zio_ring *ring;
	u32 next = 0, tail;

	init_completion(&s.done);
	KUNIT_ASSERT_EQ(test, zio_ring_open(chan), 0);
	ring = chan->ring;
	tail = ring->hdr->tail;
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(produce, &s, "zio-ring")));
	while (got < STRESS_BLOCKS) {
		const struct zio_control *slot = &ring->slot[tail & ring->mask];

		/* R */
		if (smp_load_acquire(&ring->hdr->head) == tail) {
			cond_resched();
			continue;
		}
		gaps += slot->seq_num - next;
		next = slot->seq_num + 1;
		bad += !!check_samples(chan, slot);
		smp_store_release(&ring->hdr->tail, ++tail); /* S */
		got++;
	}
	WRITE_ONCE(s.stop, true);
	wait_for_completion(&s.done);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_LE(test, (u64)gaps, ring->hdr->lost);
	KUNIT_EXPECT_EQ(test, got + ring->hdr->lost + zio_ring_count(chan),
			chan->seq);
	zio_ring_close(chan, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
	test_device_remove(tdev);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_is_the_queue),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(full_ring_loses_and_tells),
	KUNIT_CASE(armed_stays_armed),
	KUNIT_CASE(done_while_the_phase_is_owned),
	KUNIT_CASE(asked_ahead_goes_with_the_ring),
	KUNIT_CASE(numbers_go_on_after_a_ring),
	KUNIT_CASE(hostile_tail),
	KUNIT_CASE(slots_show_their_attributes),
	KUNIT_CASE(ring_wants_an_area),
	KUNIT_CASE(board_goes_with_the_ring_open),
	KUNIT_CASE(two_cpus),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "zio-ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
