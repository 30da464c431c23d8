// SPDX-License-Identifier: GPL-2.0-only
/* tap_test.c: taps of an input; the test is the program, and the board or a thread of it */
#include <linux/file.h>
#include <linux/fdtable.h>
#include <linux/prandom.h>

#include "test-stream.h"

#define WALK_STEPS	20000
#define STRESS_BLOCKS	20000
#define N_TAPS		3
#define MAX_SAMPLES	600
#define MAX_BYTES	(sizeof(struct zio_control) + 2 * MAX_SAMPLES)

static struct file *open_tap(struct test_device *tdev)
{
	struct file *node = test_open(tdev->test, tdev->cset->chan[0], "data", O_RDONLY), *tap;
	int fd;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(tdev->test, node);
	fd = node->f_op->unlocked_ioctl(node, ZIO_IOC_TAP, 0);
	test_close(tdev->test, node);
	KUNIT_ASSERT_GE(tdev->test, fd, 0);
	tap = fget(fd);
	close_fd(fd);
	test_add_action(tdev->test, test_fput, tap);
	return tap;
}

struct walk {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	struct file *tap[N_TAPS];
	u32 next[N_TAPS]; /* no older block may come */
	u16 *event; /* by sequence number: the event that filled the block */
	u8 mem[MAX_BYTES];
};

/* The driver writes the number of the event into each sample. */
static void note_event(struct walk *w, u32 seq)
{
	w->event[seq % WALK_STEPS] = w->tdev->cset->fired - 1;
}

static void walk_fire(struct walk *w, u32 dice)
{
	unsigned long blocks = w->chan->blocks;
	u32 seq = w->chan->seq;

	w->tdev->short_by = dice % 4 ? 0 : 2 * (dice >> 8) % w->tdev->cset->block_len;
	/* Some events fail after the driver has written to the block. */
	w->tdev->io_return = dice % 32 == 5 ? -EIO : 0;
	test_fire(w->tdev->cset);
	if (w->chan->blocks != blocks)
		note_event(w, seq);
}

static void check_block(struct walk *w, unsigned int i, ssize_t n)
{
	struct zio_control *ctrl = (struct zio_control *)w->mem;
	u16 *sample = (u16 *)(ctrl + 1);
	u32 k;

	KUNIT_ASSERT_EQ(w->test, n, sizeof(*ctrl) + 2 * ctrl->nsamples);
	KUNIT_ASSERT_GE(w->test, (s32)(ctrl->seq_num - w->next[i]), 0);
	w->next[i] = ctrl->seq_num + 1;
	for (k = 0; k < ctrl->nsamples; k++)
		KUNIT_ASSERT_EQ(w->test, sample[k],
				w->event[ctrl->seq_num % WALK_STEPS]);
}

static void walk_look(struct walk *w, unsigned int i)
{
	ssize_t n = test_read(w->tap[i], w->mem, sizeof(w->mem));

	if (n != -EAGAIN)
		check_block(w, i, n);
}

/* The reader takes a block to its end: its memory may be used again. */
static void walk_read(struct walk *w)
{
	if (!IS_ERR(test_user_next(w->user)))
		test_user_put(w->user);
}

static void walk_configure(struct walk *w, u32 dice)
{
	if (dice & 1)
		test_set_samples(w->tdev->cset, 1 + (dice >> 8) % MAX_SAMPLES);
	else
		test_set_kb(w->chan, 4 + (dice >> 8) % 8);
	test_store_u32(&w->chan->buf->kobj, "prefer-new", !!(dice & 2));
}

static void walk_step(struct walk *w, u32 dice, u32 more)
{
	switch (dice % 16) {
	case 0:
		if (!(more % 16))
			walk_configure(w, more >> 8);
		break;
	case 1 ... 3:
		walk_look(w, more % N_TAPS);
		break;
	case 4 ... 8:
		walk_read(w);
		break;
	default:
		walk_fire(w, more);
	}
}

/* Any block that a tap shows has the samples of its event, whatever happens to its memory. */
static void walk(struct kunit *test, const char *type)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct walk *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	test_device_use_area(tdev, (struct test_area){ .type = type, .len = 8 });
	test_stop_demand(tdev);
	tdev->fill = true;
	*w = (struct walk){
		.test = test, .tdev = tdev, .chan = tdev->cset->chan[0],
		.event = test_vmalloc(test, WALK_STEPS * sizeof(*w->event)),
	};
	w->user = test_user_open(test, w->chan);
	for (i = 0; i < N_TAPS; i++)
		w->tap[i] = open_tap(tdev);
	prandom_seed_state(&rnd, 14);
	for (i = 0; i < WALK_STEPS; i++)
		walk_step(w, prandom_u32_state(&rnd), prandom_u32_state(&rnd));
	for (i = 0; i < N_TAPS; i++)
		KUNIT_EXPECT_GT(test, w->next[i], 100);
}

static void taps_show_blocks_of_an_area(struct kunit *test)
{
	walk(test, "vmalloc");
}

static void taps_show_copies(struct kunit *test)
{
	walk(test, "kmalloc");
}

/* The board fills a small area as fast as it can, and drops what no program reads. */
static void no_tap_shows_overwritten_samples(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct task_struct *board;
	u8 *mem = kunit_kzalloc(test, MAX_BYTES, GFP_KERNEL);
	struct zio_control *ctrl = (struct zio_control *)mem;
	u16 *sample = (u16 *)(ctrl + 1);
	unsigned int n = 0, i;
	struct file *tap;

	test_need_processors(test);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	test_device_use_area(tdev, (struct test_area){
		.kb = 4, .len = 8, .nsamples = MAX_SAMPLES });
	test_stop_demand(tdev);
	tdev->fill = true;
	KUNIT_ASSERT_EQ(test, test_store_u32(&chan->buf->kobj, "prefer-new", 1), 0);
	tap = open_tap(tdev);
	board = test_device_run(tdev);
	while (n < 2000 || chan->blocks < STRESS_BLOCKS) {
		if (test_read(tap, mem, MAX_BYTES) < 0) {
			cond_resched();
			continue;
		}
		for (i = 1; i < MAX_SAMPLES; i++)
			KUNIT_ASSERT_EQ(test, sample[i], sample[0]);
		KUNIT_ASSERT_EQ(test, sample[0], (u16)ctrl->seq_num);
		/* The channel loses older blocks, which a tap has seen. */
		KUNIT_ASSERT_EQ(test, ctrl->zio_alarms, 0);
		n++;
	}
	test_thread_stop(test, board);
}

/* A block that the core takes back again and again overwrites no other one. */
static void tap_keeps_blocks_through_changes(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_cset_core *cset = tdev->cset;
	u8 *mem = kunit_kzalloc(test, MAX_BYTES, GFP_KERNEL);
	struct file *tap;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	test_device_use_area(tdev, (struct test_area){ .kb = 4, .len = 8, .nsamples = 512 });
	test_stop_demand(tdev);
	tap = open_tap(tdev);
	test_fire(cset);
	tdev->io_return = ZIO_PENDING;
	for (i = 0; i < 5; i++) {
		KUNIT_ASSERT_EQ(test, test_fire(cset), -EINPROGRESS);
		test_freeze_once(cset);
	}
	KUNIT_EXPECT_EQ(test, test_read(tap, mem, MAX_BYTES), sizeof(struct zio_control) + 1024);
}

/* The samples of a block are gone with its area. */
static void tap_shows_nothing_of_a_former_area(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	u8 *mem = kunit_kzalloc(test, MAX_BYTES, GFP_KERNEL);
	struct file *tap;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	test_device_use_area(tdev, (struct test_area){ .kb = 4, .len = 8, .nsamples = 512 });
	test_stop_demand(tdev);
	tap = open_tap(tdev);
	test_fire(tdev->cset);
	test_set_kb(tdev->cset->chan[0], 8);
	KUNIT_EXPECT_EQ(test, test_read(tap, mem, MAX_BYTES), -EAGAIN);
	test_fire(tdev->cset);
	KUNIT_EXPECT_EQ(test, test_read(tap, mem, MAX_BYTES), sizeof(struct zio_control) + 1024);
}

/* The tap shows block 16, the first one for which the core has dropped a queued one. */
static void expect_new_block(struct test_device *tdev, struct file *tap, unsigned long lost)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct kunit *test = tdev->test;
	u8 *mem = kunit_kzalloc(test, MAX_BYTES, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_ASSERT_EQ(test, test_read(tap, mem, MAX_BYTES), sizeof(struct zio_control) + 32);
	KUNIT_EXPECT_EQ(test, ((struct zio_control *)mem)->seq_num, 16);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), lost);
}

/* Its board asks for no block by itself: the core tells it that one is free. */
static void full_stream_goes_on_for_a_tap(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *tap;

	take(chan, 16, 0);
	zio_channel_complete(&chan->pub, 16);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, tdev->refills, 0);
	tap = open_tap(tdev);
	KUNIT_EXPECT_EQ(test, tdev->refills, 1);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 16), 1);
	zio_channel_complete(&chan->pub, 1);
	expect_new_block(tdev, tap, 1);
}

/* All blocks are in the queue, and the set is idle. */
static struct test_device *create_full(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	tdev->io_return = ZIO_PENDING;
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "transparent"), 0);
	while (zio_cset_done(&tdev->cset->pub))
		;
	KUNIT_EXPECT_EQ(test, zio_queue_count(&tdev->cset->chan[0]->queue), 16);
	return tdev;
}

static void full_input_goes_on_for_a_tap(struct kunit *test)
{
	struct test_device *tdev = create_full(test);
	struct file *tap = open_tap(tdev);

	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	/* One more has made room for the block that is armed now. */
	expect_new_block(tdev, tap, 2);
}

/* It keeps the blocks that it has not read, and leaves them to the tap when it closes. */
static void reader_that_closes_lets_a_tap_go_on(struct kunit *test)
{
	struct test_device *tdev = create_full(test);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	struct file *tap = open_tap(tdev);

	KUNIT_EXPECT_FALSE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[0]->lost, 0);
	test_user_close(user);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	expect_new_block(tdev, tap, 2);
}

static void flush_counts_what_it_drops(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	test_stop_demand(tdev);
	test_fire_events(tdev, 5);
	KUNIT_EXPECT_EQ(test, test_store(&chan->kobj, "flush", "1"), 0);
	KUNIT_EXPECT_EQ(test, chan->flushed, 5);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), ZIO_DEFAULT_LEN);
}

static struct kunit_case tap_cases[] = {
	KUNIT_CASE(taps_show_blocks_of_an_area),
	KUNIT_CASE(taps_show_copies),
	KUNIT_CASE(no_tap_shows_overwritten_samples),
	KUNIT_CASE(tap_keeps_blocks_through_changes),
	KUNIT_CASE(tap_shows_nothing_of_a_former_area),
	KUNIT_CASE(full_stream_goes_on_for_a_tap),
	KUNIT_CASE(full_input_goes_on_for_a_tap),
	KUNIT_CASE(reader_that_closes_lets_a_tap_go_on),
	KUNIT_CASE(flush_counts_what_it_drops),
	{}
};

TEST_SUITE("zio-tap", tap_cases);
