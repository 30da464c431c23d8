// SPDX-License-Identifier: GPL-2.0-only
/* ostream_test.c: outputs with many blocks in flight; the test is the driver */
#include "test-stream.h"

#define N_BYTES	32

static struct test_device *create_ostream(struct kunit *test, unsigned long flags,
					  unsigned int n_chan)
{
	return test_device_create(test, ZIO_CSET_STREAM | ZIO_CSET_OUTPUT | flags, n_chan);
}

/* Writes whole blocks, with numbers from @first on. Returns how many there was room for. */
static unsigned int write_blocks(struct test_user *user, unsigned int n, u16 first)
{
	u16 data[N_BYTES / 2];
	unsigned int i;

	for (i = 0; i < n; i++) {
		memset16(data, first + i, ARRAY_SIZE(data));
		if (test_write(user->data, data, sizeof(data)) != sizeof(data))
			break;
	}
	return i;
}

/* The driver takes all blocks that it finds: those with the numbers from @first on. */
static void expect_taken(struct kunit *test, struct zio_channel_core *chan, unsigned int n,
			 u16 first)
{
	struct zio_block *block;
	unsigned int i;

	for (i = 0; (block = zio_channel_take(&chan->pub)); i++) {
		KUNIT_EXPECT_EQ(test, *(u16 *)block->data, (u16)(first + i));
		KUNIT_EXPECT_EQ(test, block->len, N_BYTES);
	}
	KUNIT_EXPECT_EQ(test, i, n);
}

static void expect_flying(struct kunit *test, struct zio_channel_core *chan, const u16 *number,
			  unsigned int n)
{
	unsigned int i, len = 1;

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_NOT_NULL(test, zio_channel_in_flight(&chan->pub, i));
		KUNIT_EXPECT_EQ(test, *(u16 *)zio_channel_in_flight(&chan->pub, i)->data,
				number[i]);
		KUNIT_EXPECT_PTR_EQ(test, *zio_channel_in_flight_row(&chan->pub, i, &len),
				    zio_channel_in_flight(&chan->pub, i));
	}
	KUNIT_EXPECT_NULL(test, zio_channel_in_flight(&chan->pub, n));
	KUNIT_EXPECT_NULL(test, zio_channel_in_flight_row(&chan->pub, n, &len));
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), n);
}

static void blocks_are_played_in_order(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	/* It begins with the first block. */
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 0);
	KUNIT_EXPECT_EQ(test, write_blocks(user, 20, 0), 16);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, chan, 16, 0);
	KUNIT_EXPECT_EQ(test, walk_rows(test, chan, 0), 16);
	KUNIT_EXPECT_EQ(test, walk_rows(test, chan, 9), 7);
	zio_channel_complete(&chan->pub, 3);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 13);
	KUNIT_EXPECT_EQ(test, chan->blocks, 3);
	KUNIT_EXPECT_EQ(test, chan->bytes, 3 * N_BYTES);
	KUNIT_EXPECT_EQ(test, chan->played, 3);
	KUNIT_EXPECT_EQ(test, write_blocks(user, 20, 16), 3);
	zio_channel_complete(&chan->pub, 13);
	expect_taken(test, chan, 3, 16);
	zio_channel_complete(&chan->pub, 3);
	KUNIT_EXPECT_EQ(test, chan->played, 19);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void driver_is_told_of_blocks(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	unsigned int refills;

	write_blocks(user, 1, 0);
	expect_taken(test, chan, 1, 0);
	refills = tdev->refills;
	write_blocks(user, 2, 1);
	KUNIT_EXPECT_EQ(test, tdev->refills, refills + 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 1), 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, UINT_MAX), 1);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
}

static void depth_limits_what_is_taken(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->kobj, "queue-depth", 3), 0);
	write_blocks(user, 8, 0);
	expect_taken(test, chan, 3, 0);
	zio_channel_complete(&chan->pub, 2);
	expect_taken(test, chan, 2, 3);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
}

/* A writer that is late: the device has nothing to play. */
static void underrun_is_counted_and_told(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_control ctrl;

	test_user_close(user);
	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	user = test_user_open(test, chan);
	write_blocks(user, 2, 0);
	expect_taken(test, chan, 2, 0);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&chan->alarms), ZIO_ALARM_DRY);
	/* The block that ends it has the alarm, and so has the next control of the output. */
	write_blocks(user, 2, 2);
	KUNIT_EXPECT_EQ(test, zio_channel_take(&chan->pub)->zio_alarms, ZIO_ALARM_DRY);
	KUNIT_EXPECT_EQ(test, zio_channel_take(&chan->pub)->zio_alarms, 0);
	KUNIT_ASSERT_EQ(test, test_read(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.zio_alarms, ZIO_ALARM_DRY);
	KUNIT_EXPECT_EQ(test, atomic_read(&chan->alarms_new), 0);
	/* The block has no alarm when its memory is used again. */
	zio_channel_complete(&chan->pub, 2);
	test_user_close(user);
	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, write_blocks(user, 16, 0), 16);
	while (zio_channel_take(&chan->pub))
		KUNIT_EXPECT_EQ(test, zio_channel_in_flight(&chan->pub, 0)->zio_alarms, 0);
}

/* No writer is late if there is none, or if it waits for the end. */
static void end_is_no_underrun(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	write_blocks(user, 1, 0);
	expect_taken(test, chan, 1, 0);
	test_user_close(user);
	zio_channel_complete(&chan->pub, 1);
	expect_taken(test, chan, 0, 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&chan->alarms), 0);
	/* The next writer may be late again. */
	user = test_user_open(test, chan);
	write_blocks(user, 1, 1);
	expect_taken(test, chan, 1, 1);
	zio_channel_complete(&chan->pub, 1);
	expect_taken(test, chan, 0, 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 1);
}

static void stream_begins_at_watermark(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_set_watermark(chan, 4), 0);
	write_blocks(user, 3, 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 0);
	write_blocks(user, 1, 3);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, chan, 4, 0);
	write_blocks(user, 1, 4);
	expect_taken(test, chan, 1, 4);
	zio_channel_complete(&chan->pub, 5);
	/* An underrun ends as the stream began. */
	expect_taken(test, chan, 0, 0);
	write_blocks(user, 3, 5);
	expect_taken(test, chan, 0, 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 1);
	write_blocks(user, 1, 8);
	expect_taken(test, chan, 4, 5);
}

static void hasten(struct kunit *test, struct zio_channel_core *chan, u8 haste)
{
	test_lock(test, &chan->lock);
	zio_ostream_hasten(chan, haste);
	test_unlock(test, &chan->lock);
}

/* Less than the watermark is played when no more comes, or no more has room. */
static void haste_begins_without_watermark(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_set_watermark(chan, 16), 0);
	write_blocks(user, 3, 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 0);
	test_user_close(user);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, chan, 3, 0);
	zio_channel_complete(&chan->pub, 3);
	expect_taken(test, chan, 0, 0);
	user = test_user_open(test, chan);
	/* The session has one block: so the watermark is never there. */
	KUNIT_EXPECT_EQ(test, test_write(user->data, "ab", 2), 2);
	hasten(test, chan, ZIO_HASTE_NOW);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.haste, ZIO_HASTE_LAST);
	write_blocks(user, 1, 3);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.haste, 0);
}

/* A writer that waits for room in poll() does not wait for the watermark, too. */
static void poll_without_room_hastens(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_block *block;

	KUNIT_ASSERT_EQ(test, test_set_len(chan, 4), 0);
	KUNIT_ASSERT_EQ(test, test_set_watermark(chan, 4), 0);
	/* Another writer fills this one: so the watermark is never there. */
	block = chan->buf->type->ops->get_block(chan->buf);
	KUNIT_ASSERT_NOT_NULL(test, block);
	write_blocks(user, 3, 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 0);
	KUNIT_EXPECT_EQ(test, test_poll(user->data), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, chan, 3, 0);
	chan->buf->type->ops->put_block(chan->buf, block);
}

/* A program that waits for its blocks need not wait for those of another one. */
static void haste_is_not_ended_by_another_writer(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_set_watermark(chan, 8), 0);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	write_blocks(user, 2, 0);
	hasten(test, chan, ZIO_HASTE_LAST);
	write_blocks(user, 1, 2);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, chan, 3, 0);
	/* The last one is of a writer that does not wait: it may be late. */
	zio_channel_complete(&chan->pub, 3);
	expect_taken(test, chan, 0, 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 1);
	write_blocks(user, 1, 3);
	expect_taken(test, chan, 0, 0);
}

/* What was in flight goes on at once, also if more is written meanwhile. */
static void stop_does_not_wait_for_the_watermark(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_set_watermark(chan, 8), 0);
	write_blocks(user, 8, 0);
	expect_taken(test, chan, 8, 0);
	zio_channel_complete(&chan->pub, 6);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	write_blocks(user, 1, 8);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	expect_taken(test, chan, 3, 6);
}

/* Both channels begin together. */
static void channels_begin_together(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 2);
	struct zio_cset_core *cset = tdev->cset;
	struct test_user *user = test_user_open(test, cset->chan[0]);
	struct test_user *other = test_user_open(test, cset->chan[1]);

	write_blocks(user, 2, 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 0);
	write_blocks(other, 1, 7);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, cset->chan[0], 2, 0);
	expect_taken(test, cset->chan[1], 1, 7);
	/* A channel that is disabled stops no other. */
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->chan[1]->kobj, "enable", 0), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	expect_taken(test, cset->chan[0], 2, 0);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&cset->chan[1]->pub));
}

/* What the driver has not completed is played after the next start, in its order. */
static void stop_takes_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_set_watermark(chan, 8), 0);
	write_blocks(user, 8, 0);
	expect_taken(test, chan, 8, 0);
	zio_channel_complete(&chan->pub, 3);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&chan->pub));
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 5);
	write_blocks(user, 1, 8);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	test_user_close(user);
	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	expect_taken(test, chan, 6, 3);
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 3);
	expect_taken(test, chan, 6, 3);
	zio_channel_complete(&chan->pub, 6);
	KUNIT_EXPECT_EQ(test, chan->played, 9);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
	KUNIT_EXPECT_EQ(test, chan->dropped, 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static void complete_two(struct test_device *tdev)
{
	zio_channel_complete(&tdev->cset->chan[0]->pub, 2);
}

static void stop_may_complete(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	write_blocks(user, 5, 0);
	expect_taken(test, chan, 5, 0);
	tdev->stop = complete_two;
	test_freeze_once(tdev->cset);
	tdev->stop = NULL;
	KUNIT_EXPECT_EQ(test, chan->played, 2);
	expect_taken(test, chan, 3, 2);
}

/* The driver takes them again: they stay in the queue, in their order. */
static void driver_gives_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	write_blocks(user, 5, 0);
	expect_taken(test, chan, 5, 0);
	zio_channel_complete(&chan->pub, 1);
	zio_channel_give_back(&chan->pub, 3);
	KUNIT_EXPECT_EQ(test, zio_stream_in_flight(chan), 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 4);
	expect_taken(test, chan, 3, 2);
	zio_channel_complete(&chan->pub, 4);
	KUNIT_EXPECT_EQ(test, chan->played, 5);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* A block that was never played is not lost, although it has no turn left. */
static void driver_gives_turns_back(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->kobj, "cyclic", 1), 0);
	write_blocks(user, 1, 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 3), 3);
	zio_channel_give_back(&chan->pub, 3);
	expect_flying(test, chan, NULL, 0);
	write_blocks(user, 1, 2);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 4), 2);
	expect_flying(test, chan, (const u16[]){ 1, 2 }, 2);
	zio_channel_give_back(&chan->pub, 1);
	expect_flying(test, chan, (const u16[]){ 1 }, 1);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	expect_flying(test, chan, (const u16[]){ 2, 2 }, 2);
	zio_channel_complete(&chan->pub, 1);
	/* It was played: without a turn it waits for its successor. */
	zio_channel_give_back(&chan->pub, 1);
	expect_flying(test, chan, NULL, 0);
	write_blocks(user, 1, 3);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 1), 1);
	expect_flying(test, chan, (const u16[]){ 3 }, 1);
	KUNIT_EXPECT_EQ(test, chan->blocks, 2);
}

/* A block that is lost is counted, and fsync() knows it. */
static void hardware_may_lose_blocks(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	write_blocks(user, 4, 0);
	expect_taken(test, chan, 4, 0);
	zio_channel_lost(&chan->pub, 1);
	zio_channel_complete(&chan->pub, 3);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 1);
	KUNIT_EXPECT_EQ(test, chan->dropped, 1);
	KUNIT_EXPECT_EQ(test, chan->blocks, 3);
	KUNIT_EXPECT_EQ(test, vfs_fsync(user->data, 0), -EIO);
	KUNIT_EXPECT_EQ(test, vfs_fsync(user->data, 0), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* Each failure takes blocks away: the stream does not try the same one for ever. */
static void failure_loses_what_was_taken(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	write_blocks(user, 6, 0);
	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->kobj, "queue-depth", 2), 0);
	expect_taken(test, chan, 2, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EREMOTEIO));
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 2);
	/* It goes on with the others. */
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 2);
	expect_taken(test, chan, 2, 2);
	tdev->io_return = -EREMOTEIO;
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_TRUE(test, test_wait_for(zio_channel_losses(chan) == 6));
	KUNIT_EXPECT_EQ(test, chan->played, 6);
	KUNIT_EXPECT_EQ(test, chan->dropped, 6);
	KUNIT_EXPECT_TRUE(test, test_wait_for(cset_phase(tdev->cset) == CSET_IDLE));
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

/* A driver that keeps blocks for too long loses them; one without blocks does not hang. */
static void watchdog_spares_idle_stream(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	write_blocks(user, 1, 0);
	expect_taken(test, chan, 1, 0);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->kobj, "timeout-ms", 1), 0);
	KUNIT_EXPECT_TRUE(test, test_wait_for(READ_ONCE(tdev->cset->watched) ==
					      tdev->cset->fired + chan->blocks +
					      chan->queue.stream.taken));
	schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	write_blocks(user, 1, 1);
	zio_channel_take(&chan->pub);
	KUNIT_EXPECT_TRUE(test, test_wait_for(READ_ONCE(tdev->stop_calls) == 1));
	KUNIT_EXPECT_TRUE(test, test_wait_for(zio_channel_losses(chan) == 1));
	KUNIT_EXPECT_EQ(test, chan->dropped, 1);
}

static void set_cyclic(struct kunit *test, struct zio_cset_core *cset, bool cyclic)
{
	KUNIT_ASSERT_EQ(test, test_store_u32(&cset->kobj, "cyclic", cyclic), 0);
}

static void last_block_is_repeated(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);
	struct zio_block *block;

	set_cyclic(test, tdev->cset, true);
	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->kobj, "queue-depth", 3), 0);
	write_blocks(user, 1, 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, UINT_MAX), 3);
	expect_flying(test, chan, (const u16[]){ 1, 1, 1 }, 3);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_EQ(test, chan->played, 1);
	/* The next block comes behind the turns that the device has already. */
	write_blocks(user, 2, 2);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, UINT_MAX), 1);
	expect_flying(test, chan, (const u16[]){ 1, 1, 2 }, 3);
	zio_channel_complete(&chan->pub, 2);
	/* 2 is not the last one: it has one turn. */
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, UINT_MAX), 1);
	expect_flying(test, chan, (const u16[]){ 2, 3 }, 2);
	zio_channel_complete(&chan->pub, 2);
	/* All turns of 3 are over. It is there for more. */
	expect_flying(test, chan, NULL, 0);
	block = zio_channel_take(&chan->pub);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, *(u16 *)block->data, 3);
	zio_channel_complete(&chan->pub, 1);
	/* A new block takes its place. */
	write_blocks(user, 1, 4);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	expect_flying(test, chan, (const u16[]){ 4, 4 }, 2);
	KUNIT_EXPECT_EQ(test, chan->blocks, 6);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 1);
}

static void cycle_goes_on_after_stop(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	set_cyclic(test, tdev->cset, true);
	write_blocks(user, 1, 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	zio_channel_complete(&chan->pub, 1);
	test_user_close(user);
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 3 - 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	expect_flying(test, chan, (const u16[]){ 1, 1 }, 2);
	/* The block has been played, so it is not played again. */
	set_cyclic(test, tdev->cset, false);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
	KUNIT_EXPECT_EQ(test, test_count_owned(chan), 16);
}

static bool was_cyclic_at_stop;

static void note_cyclic(struct test_device *tdev)
{
	was_cyclic_at_stop = zio_cset_is_cyclic(&tdev->cset->pub);
	if (!was_cyclic_at_stop)
		zio_channel_complete(&tdev->cset->chan[0]->pub, 1);
}

/* The driver completes what it has repeated: it is not played once more. */
static void hardware_is_told_of_the_end_of_a_cycle(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, ZIO_CSET_CYCLIC, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	set_cyclic(test, tdev->cset, true);
	write_blocks(user, 1, 1);
	expect_taken(test, chan, 1, 1);
	tdev->stop = note_cyclic;
	test_freeze_once(tdev->cset);
	KUNIT_EXPECT_TRUE(test, was_cyclic_at_stop);
	expect_taken(test, chan, 1, 1);
	set_cyclic(test, tdev->cset, false);
	tdev->stop = NULL;
	KUNIT_EXPECT_FALSE(test, was_cyclic_at_stop);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, chan->played, 1);
}

/* A block that was played, and is repeated, is not lost with its turns. */
static void end_of_turns_is_no_loss(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	set_cyclic(test, tdev->cset, true);
	write_blocks(user, 1, 1);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	zio_channel_complete(&chan->pub, 1);
	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EREMOTEIO));
	write_blocks(user, 1, 2);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	zio_channel_complete(&chan->pub, 1);
	test_user_close(user);
	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, chan->dropped, 0);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 0);
}

/* They are lost: fsync() does not wait for them. */
static void new_buffers_drop_what_is_queued(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	KUNIT_EXPECT_EQ(test, write_blocks(user, 3, 0), 3);
	test_user_close(user);
	test_device_use_area(tdev, (struct test_area){ .len = 16 });
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), 0);
	KUNIT_EXPECT_EQ(test, chan->played, 3);
	KUNIT_EXPECT_EQ(test, chan->dropped, 3);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), 3);
}

/* Hardware that repeats gets each block once. */
static void hardware_repeats_by_itself(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, ZIO_CSET_CYCLIC, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(test, chan);

	KUNIT_EXPECT_FALSE(test, zio_cset_is_cyclic(&tdev->cset->pub));
	set_cyclic(test, tdev->cset, true);
	KUNIT_EXPECT_TRUE(test, zio_cset_is_cyclic(&tdev->cset->pub));
	write_blocks(user, 1, 1);
	expect_taken(test, chan, 1, 1);
	write_blocks(user, 1, 2);
	expect_taken(test, chan, 1, 2);
	zio_channel_complete(&chan->pub, 1);
	expect_taken(test, chan, 0, 0);
	KUNIT_EXPECT_EQ(test, chan->queue.stream.n_dry, 0);
}

static void memory_of_an_input_is_played(struct kunit *test)
{
	struct test_device *in = test_device_create(test, 0, 1);
	struct test_device *tdev = create_ostream(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	char name[32];

	in->fill = true;
	snprintf(name, sizeof(name), "ztest-%04x-0-0", in->zdev->id);
	KUNIT_ASSERT_EQ(test, test_set_source(chan, name), 0);
	KUNIT_EXPECT_TRUE(test, test_wait_for(zio_queue_count(&chan->queue) == 14));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	expect_taken(test, chan, 14, 0);
	KUNIT_EXPECT_EQ(test, chan->shared, 14);
	zio_channel_complete(&chan->pub, 10);
	KUNIT_EXPECT_TRUE(test, test_wait_for(zio_queue_count(&chan->queue) == 14));
	expect_taken(test, chan, 10, 14);
	KUNIT_EXPECT_EQ(test, chan->route_lost, 0);
	KUNIT_ASSERT_EQ(test, test_set_source(chan, "none"), 0);
}

static void descriptors_are_checked(struct kunit *test)
{
	struct test_device *tdev = create_ostream(test, ZIO_CSET_CYCLIC, 1);

	KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&tdev->desc));
	tdev->cset_desc.flags = ZIO_CSET_CYCLIC | ZIO_CSET_OUTPUT;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&tdev->desc));
	tdev->cset_desc.flags = ZIO_CSET_CYCLIC | ZIO_CSET_STREAM;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&tdev->desc));
	tdev->cset_desc.flags = ZIO_CSET_STREAM | ZIO_CSET_OUTPUT;
	KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&tdev->desc));
}

static struct kunit_case ostream_cases[] = {
	KUNIT_CASE(blocks_are_played_in_order),
	KUNIT_CASE(driver_is_told_of_blocks),
	KUNIT_CASE(depth_limits_what_is_taken),
	KUNIT_CASE(underrun_is_counted_and_told),
	KUNIT_CASE(end_is_no_underrun),
	KUNIT_CASE(stream_begins_at_watermark),
	KUNIT_CASE(haste_begins_without_watermark),
	KUNIT_CASE(poll_without_room_hastens),
	KUNIT_CASE(haste_is_not_ended_by_another_writer),
	KUNIT_CASE(stop_does_not_wait_for_the_watermark),
	KUNIT_CASE(channels_begin_together),
	KUNIT_CASE(stop_takes_blocks_back),
	KUNIT_CASE(stop_may_complete),
	KUNIT_CASE(driver_gives_blocks_back),
	KUNIT_CASE(driver_gives_turns_back),
	KUNIT_CASE(hardware_may_lose_blocks),
	KUNIT_CASE(failure_loses_what_was_taken),
	KUNIT_CASE(watchdog_spares_idle_stream),
	KUNIT_CASE(last_block_is_repeated),
	KUNIT_CASE(cycle_goes_on_after_stop),
	KUNIT_CASE(hardware_repeats_by_itself),
	KUNIT_CASE(end_of_turns_is_no_loss),
	KUNIT_CASE(new_buffers_drop_what_is_queued),
	KUNIT_CASE(hardware_is_told_of_the_end_of_a_cycle),
	KUNIT_CASE(memory_of_an_input_is_played),
	KUNIT_CASE(descriptors_are_checked),
	{}
};

TEST_SUITE("zio-ostream", ostream_cases);
