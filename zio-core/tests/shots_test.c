// SPDX-License-Identifier: GPL-2.0-only
/* shots_test.c: one arming, several blocks of each channel; and the memory behind samples */
#include <linux/module.h>

#include "test-device.h"

#define SHOTS	3
#define SAMPLES	4
#define LEN	7

static struct zio_trigger_type shots_type = {
	.name = "kshots",
	.owner = THIS_MODULE,
};

static int set_shots(struct test_device *tdev, u32 n)
{
	return test_store_u32(&tdev->cset->bind->kobj, "nshots", n);
}

/* The board is armed by an event, and is done when the test says so. */
static struct test_device *create_shots(struct kunit *test, unsigned long flags,
					unsigned int n_chan)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_SHOTS | flags, n_chan);
	unsigned int i;

	tdev->fill = true;
	tdev->io_return = ZIO_PENDING;
	KUNIT_ASSERT_EQ(test, test_set_samples(tdev->cset, SAMPLES), 0);
	for (i = 0; i < n_chan; i++)
		KUNIT_ASSERT_EQ(test, test_set_len(tdev->cset->chan[i], LEN), 0);
	KUNIT_ASSERT_EQ(test, set_shots(tdev, SHOTS), 0);
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "kshots"), 0);
	return tdev;
}

/* An event, all of whose shots the board takes at once. */
static void take_shots(struct test_device *tdev)
{
	KUNIT_EXPECT_EQ(tdev->test, test_fire(tdev->cset), -EINPROGRESS);
	KUNIT_EXPECT_TRUE(tdev->test, zio_cset_done(&tdev->cset->pub));
}

/* Checks the oldest block of a channel, and puts it. */
static void expect_shot(struct kunit *test, struct zio_channel_core *chan, u32 seq, u16 shot)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);
	struct zio_control ctrl;

	KUNIT_ASSERT_NOT_NULL(test, block);
	zio_control_begin(&ctrl, to_block_core(block)->snap, chan->pub.index);
	zio_control_fill(&ctrl, block, chan->cset->ssize);
	KUNIT_EXPECT_EQ(test, ctrl.seq_num, seq);
	KUNIT_EXPECT_EQ(test, ctrl.nsamples, SAMPLES);
	KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_N_SHOTS], SHOTS);
	KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_SHOT], shot);
	KUNIT_EXPECT_EQ(test, *(u16 *)block->data % TEST_SHOT, chan->cset->fired - 1);
	KUNIT_EXPECT_EQ(test, *(u16 *)block->data / TEST_SHOT, shot);
	chan->buf->type->ops->put_block(chan->buf, block);
}

static void expect_arming(struct kunit *test, struct zio_channel_core *chan, u32 seq)
{
	u16 shot;

	for (shot = 0; shot < SHOTS; shot++)
		expect_shot(test, chan, seq + shot, shot);
}

static void driver_gets_blocks_shot_by_shot(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 2);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	unsigned int n = 0;

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	zio_for_each_block(&tdev->cset->pub, pos, chan, block) {
		KUNIT_EXPECT_EQ(test, zio_channel_index(chan), n % 2);
		KUNIT_EXPECT_EQ(test, block->shot, n / 2);
		block->tstamp.secs = 1000 + block->shot;
		n++;
	}
	KUNIT_EXPECT_EQ(test, n, 2 * SHOTS);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EBUSY);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	for (n = 0; n < SHOTS; n++) {
		block = tdev->cset->chan[1]->queue.slot[n];
		KUNIT_EXPECT_EQ(test, block->tstamp.secs, 1000 + n);
	}
	expect_arming(test, tdev->cset->chan[0], 0);
	expect_arming(test, tdev->cset->chan[1], 0);
}

/* One channel has room for two shots of three, and loses all. The other one has all. */
static void channel_without_room_loses_all_shots(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 2);
	struct zio_channel_core *full = tdev->cset->chan[0], *other = tdev->cset->chan[1];

	KUNIT_ASSERT_EQ(test, test_set_len(full, SHOTS + 2), 0);
	take_shots(tdev);
	take_shots(tdev);
	KUNIT_EXPECT_EQ(test, full->lost, SHOTS);
	KUNIT_EXPECT_EQ(test, other->lost, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&full->queue), SHOTS);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&other->queue), 2 * SHOTS);
	KUNIT_EXPECT_EQ(test, test_count_owned(full), SHOTS + 2);
	while (zio_queue_count(&full->queue))
		full->buf->type->ops->put_block(full->buf, zio_queue_pop(&full->queue));
	take_shots(tdev);
	KUNIT_EXPECT_EQ(test, zio_queue_peek(&full->queue)->zio_alarms, ZIO_ALARM_LOST_BLOCK);
	expect_arming(test, full, 2 * SHOTS);
	KUNIT_EXPECT_EQ(test, full->seq, other->seq);
}

/* With "prefer-new" the oldest blocks make room for all shots. */
static void old_blocks_make_room(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_ASSERT_EQ(test, test_store(&chan->buf->kobj, "prefer-new", "1"), 0);
	take_shots(tdev);
	take_shots(tdev);
	take_shots(tdev);
	KUNIT_EXPECT_EQ(test, chan->lost, 3 * SHOTS - LEN);
	while (zio_queue_count(&chan->queue) > SHOTS)
		chan->buf->type->ops->put_block(chan->buf, zio_queue_pop(&chan->queue));
	expect_arming(test, chan, 2 * SHOTS);
}

/* A read fires once for all shots. There is no arming with less room. */
static void demand_waits_for_room_for_all_shots(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user;
	struct zio_block *kept;
	unsigned int i;

	tdev->io_return = 0;
	KUNIT_ASSERT_EQ(test, test_set_len(chan, SHOTS), 0);
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "user"), 0);
	user = test_user_open(test, chan);
	for (i = 0; i < 2 * SHOTS; i++) {
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, test_user_next(user));
		KUNIT_EXPECT_EQ(test, tdev->io_calls, 1 + i / SHOTS);
		test_user_put(user);
	}
	kept = chan->buf->type->ops->get_block(chan->buf);
	KUNIT_EXPECT_PTR_EQ(test, test_user_next(user), ERR_PTR(-EAGAIN));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	chan->buf->type->ops->put_block(chan->buf, kept);
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, test_user_next(user));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 3);
	test_user_close(user);
}

/* The trigger "transparent" arms whenever there is room for all shots, and no further. */
static void transparent_fills_the_room(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);

	tdev->io_return = 0;
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "transparent"), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, LEN / SHOTS);
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[0]->lost, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(tdev->cset->chan[0]), LEN);
}

/* An abort of what waits for no event takes no memory and no number. */
static void abort_leaves_no_gap(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	u64 offset;

	test_device_use_area(tdev, (struct test_area){ .len = LEN });
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "transparent"), 0);
	offset = to_block_core(tdev->cset->pub.armed->block)->mem_offset;
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_EQ(test, to_block_core(tdev->cset->pub.armed->block)->mem_offset, offset);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	KUNIT_EXPECT_EQ(test, to_block_core(zio_queue_peek(&chan->queue))->seq, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), SHOTS);
}

static void abort_of_an_event_loses_all_shots(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_EQ(test, chan->lost, SHOTS);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EPIPE));
	KUNIT_EXPECT_EQ(test, chan->lost, 2 * SHOTS);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), LEN);
	take_shots(tdev);
	expect_arming(test, chan, 2 * SHOTS);
}

/* The board has taken two shots of three. The number of the third is used again. */
static void last_shot_is_given_back(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 2);
	struct zio_cset_core *cset = tdev->cset;
	unsigned int i;

	test_device_use_area(tdev, (struct test_area){ .len = LEN });
	KUNIT_EXPECT_EQ(test, test_fire(cset), -EINPROGRESS);
	zio_cset_give_back(&cset->pub, 1);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, cset->chan[i]->blocks, 2);
		expect_shot(test, cset->chan[i], 0, 0);
		expect_shot(test, cset->chan[i], 1, 1);
	}
	take_shots(tdev);
	for (i = 0; i < 2; i++) {
		expect_arming(test, cset->chan[i], 2);
		KUNIT_EXPECT_EQ(test, cset->chan[i]->lost, 0);
		KUNIT_EXPECT_EQ(test, test_count_owned(cset->chan[i]), LEN);
	}
}

/* An abort forgets what the driver has given back. */
static void abort_after_a_give_back(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	zio_cset_give_back(&tdev->cset->pub, 2);
	test_freeze_once(tdev->cset);
	take_shots(tdev);
	expect_arming(test, tdev->cset->chan[0], SHOTS);
}

/* Events that the hardware lost before the arming are not lost once for each shot. */
static void loss_before_an_arming_counts_once(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	zio_cset_lost(&tdev->cset->pub, 5);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	KUNIT_EXPECT_EQ(test, chan->lost, 5);
	KUNIT_EXPECT_EQ(test, chan->seq, 5 + SHOTS);
	expect_arming(test, chan, 5);
}

static void ring_has_all_shots(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct file *ring;
	unsigned int i;

	test_device_use_area(tdev, (struct test_area){ .len = LEN });
	ring = test_open_ring(test, chan);
	take_shots(tdev);
	KUNIT_EXPECT_EQ(test, zio_ring_count(chan->ring), SHOTS);
	for (i = 0; i < SHOTS; i++) {
		const struct zio_ctrl_attr *attr = &chan->ring->slot[i].attr_trigger;

		KUNIT_EXPECT_EQ(test, attr->std_val[ZIO_ATTR_TRIG_SHOT], i);
	}
	test_close(test, ring);
}

static void board_goes_while_armed(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 2);

	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	test_device_remove(tdev);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
}

/* Each shot needs a block, so no buffer has fewer. */
static void each_shot_has_a_block(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 2);
	struct zio_channel_core *chan = tdev->cset->chan[1];

	KUNIT_EXPECT_EQ(test, set_shots(tdev, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_shots(tdev, LEN + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_shots(tdev, U32_MAX), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, SHOTS - 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, SHOTS), 0);
	KUNIT_EXPECT_EQ(test, set_shots(tdev, SHOTS + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, tdev->cset->pub.shape.nshots, SHOTS);
	KUNIT_EXPECT_EQ(test, test_set_len(chan, LEN), 0);
	KUNIT_EXPECT_EQ(test, set_shots(tdev, LEN), 0);
}

/* The free memory of an area begins anywhere. It has room for all shots nevertheless. */
static void area_has_room_from_any_place(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, 0, 1);
	const struct test_area area = { .kb = PAGE_SIZE / 1024, .len = LEN };
	struct zio_channel_core *chan = tdev->cset->chan[0];
	u32 most = PAGE_SIZE / 2 / (SHOTS + 1), i;

	test_device_use_area(tdev, area);
	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, most + 4), -ENOSPC);
	KUNIT_ASSERT_EQ(test, test_set_samples(tdev->cset, most / 4 * 4), 0);
	for (i = 0; i < 20; i++) {
		tdev->short_by = 2 * (i * 37 % most);
		take_shots(tdev);
		while (zio_queue_count(&chan->queue))
			chan->buf->type->ops->put_block(chan->buf,
							zio_queue_pop(&chan->queue));
	}
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
}

/* The board has memory for so many samples. */
static void driver_refuses_a_shape(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, ZIO_CSET_PRE_SAMPLES, 1);
	struct kobject *trigger = &tdev->cset->bind->kobj;
	const char *text;

	tdev->max_samples = 20;
	KUNIT_EXPECT_EQ(test, set_shots(tdev, 6), -E2BIG);
	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, 7), -E2BIG);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "pre-samples", "3"), -E2BIG);
	KUNIT_EXPECT_EQ(test, tdev->cset->pub.shape.nshots, SHOTS);
	KUNIT_EXPECT_EQ(test, tdev->cset->pub.shape.post_samples, SAMPLES);
	KUNIT_EXPECT_EQ(test, tdev->cset->pub.shape.pre_samples, 0);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "pre-samples", "2"), 0);
	text = test_show(test, &tdev->cset->kobj, "accepted");
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, "trigger/nshots [1 1 3]\n"), "%s", text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/pre-samples 0 1 2\n") ?:
			      strstr(text, "trigger/pre-samples [0 1 2]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/post-samples [0 1 4]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "trigger/nsamples [2 1 6]\n"));
}

/* The board writes behind the samples. No neighbour and no reader has these bytes. */
static void expect_trailers(struct test_device *tdev)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_channel *visited;
	struct zio_block *block;
	struct zio_armed *pos;
	unsigned int i;

	KUNIT_EXPECT_EQ(tdev->test, test_fire(tdev->cset), -EINPROGRESS);
	zio_for_each_block(&tdev->cset->pub, pos, visited, block)
		memset(block->data + block->size, 0xa0 + block->shot, TEST_TRAILER_LEN);
	zio_for_each_block(&tdev->cset->pub, pos, visited, block)
		for (i = 0; i < TEST_TRAILER_LEN; i++)
			KUNIT_EXPECT_EQ(tdev->test, ((u8 *)block->data)[block->size + i],
					0xa0 + block->shot);
	KUNIT_EXPECT_TRUE(tdev->test, zio_cset_done(&tdev->cset->pub));
	for (i = 0; i < SHOTS; i++)
		KUNIT_EXPECT_EQ(tdev->test, chan->queue.slot[(chan->queue.head - 1 - i) &
				chan->queue.mask]->len, SAMPLES * sizeof(u16));
}

static void trailer_is_behind_the_samples(struct kunit *test)
{
	struct test_device *tdev = create_shots(test, TEST_TRAILER, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	expect_trailers(tdev);
	expect_arming(test, chan, 0);
	test_device_use_area(tdev, (struct test_area){ .len = LEN });
	expect_trailers(tdev);
	expect_arming(test, chan, SHOTS);
}

/* A user may ask for so many: that is an error, and no fault of the kernel. */
static void too_many_shots_are_no_fault(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, zio_shots_alloc(U16_MAX, U16_MAX));
	KUNIT_EXPECT_NULL(test, zio_shots_alloc(UINT_MAX, U32_MAX));
}

static int shots_suite_init(struct kunit_suite *suite)
{
	return zio_trigger_type_register(&shots_type);
}

static void shots_suite_exit(struct kunit_suite *suite)
{
	zio_trigger_type_unregister(&shots_type);
}

static struct kunit_case shots_cases[] = {
	KUNIT_CASE(driver_gets_blocks_shot_by_shot),
	KUNIT_CASE(channel_without_room_loses_all_shots),
	KUNIT_CASE(old_blocks_make_room),
	KUNIT_CASE(demand_waits_for_room_for_all_shots),
	KUNIT_CASE(transparent_fills_the_room),
	KUNIT_CASE(abort_leaves_no_gap),
	KUNIT_CASE(abort_of_an_event_loses_all_shots),
	KUNIT_CASE(last_shot_is_given_back),
	KUNIT_CASE(abort_after_a_give_back),
	KUNIT_CASE(loss_before_an_arming_counts_once),
	KUNIT_CASE(ring_has_all_shots),
	KUNIT_CASE(board_goes_while_armed),
	KUNIT_CASE(each_shot_has_a_block),
	KUNIT_CASE(area_has_room_from_any_place),
	KUNIT_CASE(driver_refuses_a_shape),
	KUNIT_CASE(trailer_is_behind_the_samples),
	KUNIT_CASE(too_many_shots_are_no_fault),
	{}
};

TEST_SUITE("zio-shots", shots_cases,
	   .suite_init = shots_suite_init, .suite_exit = shots_suite_exit);
