// SPDX-License-Identifier: GPL-2.0-only
/* loss_test.c: what a loss tells, and to whom, wherever the core loses a block or an event */
#include <linux/kthread.h>
#include <linux/wait.h>

#include "engine/block.h"
#include "engine/trace.h"
#include "test-stream.h"

/* A loss as its tracepoint tells it, and what was to be seen at that moment */
struct loss {
	const struct zio_channel_core *chan;	/* NULL: an event of the set */
	u64 n;
	u32 seq;
	int cause;
	int error;
	u64 counted;
	bool has_alarm;
};

static struct witness {
	struct kunit *test;
	struct loss loss[32];
	unsigned int n;
	struct wait_queue_entry reader;
	struct wait_queue_head *wq;
	bool is_woken;
} seen;

static u64 count_of(const struct zio_cset_core *cset, const struct zio_channel_core *chan)
{
	if (!chan)
		return atomic_long_read(&cset->lost_triggers);
	return zio_channel_losses(chan) + chan->route_lost;
}

static int alarms_of(const struct zio_cset_core *cset, const struct zio_channel_core *chan)
{
	int bit = chan ? ZIO_ALARM_LOST_BLOCK : ZIO_ALARM_LOST_TRIGGER;

	chan = chan ?: cset->chan[0];
	return (atomic_read(&chan->alarms) | atomic_read(&chan->alarms_new)) & bit;
}

static void note_loss(void *unused, const struct zio_cset_core *cset,
		      const struct zio_channel_core *chan, u64 n, u32 seq, int cause, int error)
{
	if (seen.n < ARRAY_SIZE(seen.loss))
		seen.loss[seen.n++] = (struct loss){
			chan, n, seq, cause, error, count_of(cset, chan),
			alarms_of(cset, chan),
		};
}

static void end_watch(void *unused)
{
	unregister_trace_zio_lost(note_loss, NULL);
	tracepoint_synchronize_unregister();
}

static void watch_losses(struct kunit *test)
{
	int ret;

	memset(&seen, 0, sizeof(seen));
	seen.test = test;
	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		kunit_skip(test, "a kernel without tracepoints");
	ret = register_trace_zio_lost(note_loss, NULL);
	KUNIT_ASSERT_EQ(test, ret, 0);
	test_add_action(test, end_watch, NULL);
}

/*
 * The next loss is this one. Whoever sees its alarm finds it counted, so the count is there
 * before the alarm. Then the alarm is there. Later losses of the channel raise it again.
 */
static void expect_loss(struct zio_cset_core *cset, struct zio_channel_core *chan, u64 n,
			u32 seq, int cause, int error)
{
	struct kunit *test = seen.test;
	struct loss *loss = &seen.loss[0];

	KUNIT_ASSERT_GT(test, seen.n, 0);
	KUNIT_EXPECT_PTR_EQ(test, loss->chan, chan);
	KUNIT_EXPECT_EQ(test, loss->n, n);
	KUNIT_EXPECT_EQ(test, loss->seq, seq);
	KUNIT_EXPECT_EQ(test, loss->cause, cause);
	KUNIT_EXPECT_EQ(test, loss->error, error);
	KUNIT_EXPECT_EQ(test, loss->counted, n);
	KUNIT_EXPECT_FALSE(test, loss->has_alarm);
	KUNIT_EXPECT_TRUE(test, alarms_of(cset, chan));
	KUNIT_EXPECT_EQ(test, count_of(cset, chan), n);
	KUNIT_EXPECT_EQ(test, seen.n, 1);
}

static struct test_device *create(struct kunit *test, unsigned long flags)
{
	struct test_device *tdev = test_device_create(test, flags, 1);

	watch_losses(test);
	return tdev;
}

static int note_wake(struct wait_queue_entry *reader, unsigned int mode, int flags, void *key)
{
	seen.is_woken |= !!(key_to_poll(key) & EPOLLIN);
	return 0;
}

static void end_sleep(void *unused)
{
	remove_wait_queue(seen.wq, &seen.reader);
}

/* A reader sleeps below the watermark, which the channel may never reach. */
static void sleep_below_watermark(struct kunit *test, struct zio_channel_core *chan)
{
	seen.wq = &chan->wq;
	init_waitqueue_func_entry(&seen.reader, note_wake);
	add_wait_queue(seen.wq, &seen.reader);
	test_add_action(test, end_sleep, NULL);
}

/* --- inputs */

static void no_block_is_free(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	test_fire_events(tdev, ZIO_DEFAULT_LEN + 1);
	expect_loss(tdev->cset, tdev->cset->chan[0], 1, ZIO_DEFAULT_LEN, ZIO_LOSS_NO_BLOCK, 0);
}

static void a_full_buffer_wakes_a_reader(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	sleep_below_watermark(test, tdev->cset->chan[0]);
	test_fire_events(tdev, ZIO_DEFAULT_LEN);
	seen.is_woken = false;
	test_fire_events(tdev, 1);
	KUNIT_EXPECT_TRUE(test, seen.is_woken);
}

static void no_blocks_are_free_for_all_shots(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_SHOTS);

	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->bind->kobj, "nshots", 3), 0);
	test_fire_events(tdev, ZIO_DEFAULT_LEN / 3 + 1);
	expect_loss(tdev->cset, tdev->cset->chan[0], 3, ZIO_DEFAULT_LEN / 3 * 3,
		    ZIO_LOSS_NO_BLOCK, 0);
}

static void an_old_block_gives_way(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	chan->buf->prefer_new = true;
	test_fire_events(tdev, ZIO_DEFAULT_LEN + 1);
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_OLD, 0);
}

/* --- a reader and the engine reach for the same block */

#define RACE_ROUNDS	20000
#define RACE_SECONDS	20 /* at most: a round takes long if both have one processor */

struct race {
	struct zio_channel_core *chan;
	atomic_t round;		/* begun by the engine */
	atomic_t seen;		/* ended by the reader */
};

static void put_taken(struct zio_channel_core *chan, struct zio_block *block)
{
	if (block)
		chan->buf->type->ops->put_block(chan->buf, block);
}

/* The delays make the reader meet the engine at each of its steps. */
static int take_in_each_round(void *arg)
{
	struct race *race = arg;
	int round, delay;

	while (!kthread_should_stop()) {
		round = atomic_read_acquire(&race->round);
		if (round == atomic_read(&race->seen)) {
			cond_resched();
			continue;
		}
		for (delay = round % 199; delay; delay--)
			barrier();
		put_taken(race->chan, zio_queue_pop(&race->chan->queue));
		atomic_set_release(&race->seen, round);
	}
	return 0;
}

/* Whoever gets the block: what was dropped before it stays told. */
static void alarms_of_dropped_blocks_stay(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct race race = { .chan = tdev->cset->chan[0] };
	unsigned long end = jiffies + RACE_SECONDS * HZ;
	atomic_t *alarms = &race.chan->alarms_dropped;
	unsigned int wiped = 0, invented = 0;
	struct task_struct *reader;
	struct zio_block *old;
	bool before;
	int i;

	test_need_processors(test);
	WRITE_ONCE(race.chan->buf->prefer_new, true);
	reader = test_thread_run(test, take_in_each_round, &race);
	for (i = 1; i <= RACE_ROUNDS && time_before(jiffies, end); i++) {
		before = i % 2;
		test_fire(tdev->cset);
		atomic_set(alarms, before ? ZIO_ALARM_LOST_BLOCK : 0);
		atomic_set_release(&race.round, i);
		old = zio_channel_pop_unread(race.chan);
		put_taken(race.chan, old);
		while (atomic_read_acquire(&race.seen) != i)
			cond_resched();
		wiped += (before || old) && !atomic_read(alarms);
		invented += !before && !old && atomic_read(alarms);
	}
	test_thread_stop(test, reader);
	KUNIT_EXPECT_EQ(test, wiped, 0);
	KUNIT_EXPECT_EQ(test, invented, 0);
}

static void hardware_loses_events(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = ZIO_PENDING;
	test_fire_events(tdev, 1);
	zio_cset_lost(&tdev->cset->pub, 5);
	KUNIT_EXPECT_EQ(test, seen.n, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	expect_loss(tdev->cset, tdev->cset->chan[0], 5, 0, ZIO_LOSS_HARDWARE, 0);
}

/* The driver does not know whether another context owns the phase: it only notes. */
static void hardware_loses_events_beside_the_owner(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_block *block;
	bool armed;

	tdev->io_return = ZIO_PENDING;
	test_fire_events(tdev, 1);
	block = cset->pub.armed->block;
	test_lock(test, &cset->mutex);
	armed = zio_cset_own_phase(cset);
	zio_cset_lost(&cset->pub, 2);
	zio_cset_lost(&cset->pub, 3);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->seq, 1);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 0);
	KUNIT_EXPECT_EQ(test, seen.n, 0);
	zio_cset_disown_phase(cset, armed);
	test_unlock(test, &cset->mutex);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	expect_loss(cset, cset->chan[0], 5, 0, ZIO_LOSS_HARDWARE, 0);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, 5);
	KUNIT_EXPECT_EQ(test, block->zio_alarms, ZIO_ALARM_LOST_BLOCK);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->seq, 6);
}

/* The core takes the blocks back: what the hardware has lost before them stays told. */
static void hardware_loses_events_before_an_abort(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = ZIO_PENDING;
	test_fire_events(tdev, 1);
	zio_cset_lost(&tdev->cset->pub, 5);
	KUNIT_EXPECT_TRUE(test, zio_cset_fail(&tdev->cset->pub, -EPIPE));
	expect_loss(tdev->cset, tdev->cset->chan[0], 5, 0, ZIO_LOSS_HARDWARE, 0);
	KUNIT_EXPECT_EQ(test, tdev->cset->chan[0]->seq, 5);
}

/* --- a driver fails: in raw_io(), before it returns, or later */

static void a_driver_refuses_an_event(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = -EPIPE;
	test_fire(tdev->cset);
	expect_loss(tdev->cset, tdev->cset->chan[0], 1, 0, ZIO_LOSS_ERROR, -EPIPE);
}

static void fail(struct test_device *tdev)
{
	zio_cset_fail(&tdev->cset->pub, -EPIPE);
}

static void a_driver_gives_blocks_back_early(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = ZIO_PENDING;
	tdev->start = fail;
	test_stop_demand(tdev);
	test_fire(tdev->cset);
	expect_loss(tdev->cset, tdev->cset->chan[0], 1, 0, ZIO_LOSS_ERROR, -EPIPE);
}

static void a_driver_gives_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = ZIO_PENDING;
	test_stop_demand(tdev);
	test_fire(tdev->cset);
	fail(tdev);
	expect_loss(tdev->cset, tdev->cset->chan[0], 1, 0, ZIO_LOSS_ERROR, -EPIPE);
}

/* The driver had the blocks of an event, not of a program that waits. */
static void the_core_takes_blocks_back(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = ZIO_PENDING;
	test_stop_demand(tdev);
	test_fire(tdev->cset);
	test_freeze_once(tdev->cset);
	expect_loss(tdev->cset, tdev->cset->chan[0], 1, 0, ZIO_LOSS_ABORT, 0);
}

/* --- outputs */

/* Writes @n blocks. The first one reaches the driver at once. */
static struct zio_channel_core *write_blocks(struct test_device *tdev, unsigned int n)
{
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct test_user *user = test_user_open(tdev->test, chan);
	u16 samples[ZIO_DEFAULT_NSAMPLES] = { };

	tdev->io_return = ZIO_PENDING;
	while (n--)
		KUNIT_ASSERT_EQ(tdev->test, test_write(user->data, samples, sizeof(samples)),
				sizeof(samples));
	test_user_close(user);
	return chan;
}

static void the_driver_of_an_output_fails(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan = write_blocks(tdev, 1);

	fail(tdev);
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_ERROR, -EPIPE);
}

static void the_core_takes_a_block_of_an_output_back(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan = write_blocks(tdev, 1);

	test_freeze_once(tdev->cset);
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_ABORT, 0);
}

/* Another buffer has no place for what is queued. */
static void queued_blocks_of_an_output_go(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan;

	KUNIT_ASSERT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	chan = write_blocks(tdev, 1);
	test_device_use_area(tdev, (struct test_area){ });
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_ABORT, 0);
}

static void an_output_has_no_block_for_an_event(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);

	test_fire_events(tdev, 1);
	expect_loss(tdev->cset, tdev->cset->chan[0], 1, 0, ZIO_LOSS_EMPTY, 0);
}

static void a_route_finds_no_room(struct kunit *test)
{
	struct test_device *in = test_device_create(test, 0, 1);
	struct test_device *out = create(test, ZIO_CSET_OUTPUT);
	char name[32];

	snprintf(name, sizeof(name), "ztest-%04x-0-0", in->zdev->id);
	out->io_return = ZIO_PENDING;
	test_stop_demand(in);
	KUNIT_ASSERT_EQ(test, test_set_source(out->cset->chan[0], name), 0);
	test_fire_events(in, ZIO_DEFAULT_LEN + 1);
	expect_loss(out->cset, out->cset->chan[0], 1, ZIO_DEFAULT_LEN, ZIO_LOSS_ROUTE, 0);
}

/* --- events */

static void a_busy_set_loses_an_event(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	tdev->io_return = ZIO_PENDING;
	zio_trigger_fire(tdev->cset->bind->trig);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(tdev->cset->bind->trig), -EBUSY);
	expect_loss(tdev->cset, NULL, 1, 0, ZIO_LOSS_BUSY, 0);
}

static void a_trigger_misses_events(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);

	zio_trigger_miss(tdev->cset->bind->trig, 7);
	expect_loss(tdev->cset, NULL, 7, 0, ZIO_LOSS_MISSED, 0);
}

/* One who exchanges a ring holds the set for a moment: the first event meanwhile is late. */
static void a_held_set_loses_all_events_but_one(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct zio_cset_core *cset = tdev->cset;
	struct timespec64 at = { 1000, 5 };
	const struct zio_block *block;
	bool armed;

	test_lock(test, &cset->mutex);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire_at(cset->bind->trig, &at), 0);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 0);
	KUNIT_EXPECT_EQ(test, seen.n, 0);
	at.tv_sec++;
	KUNIT_EXPECT_EQ(test, zio_trigger_fire_at(cset->bind->trig, &at), -EBUSY);
	expect_loss(cset, NULL, 1, 0, ZIO_LOSS_BUSY, 0);
	zio_cset_disown_phase(cset, armed);
	test_unlock(test, &cset->mutex);
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_ASSERT_EQ(test, zio_queue_count(&cset->chan[0]->queue), 1);
	block = zio_queue_peek(&cset->chan[0]->queue);
	KUNIT_EXPECT_EQ(test, block->tstamp.secs, 1000);
	KUNIT_EXPECT_EQ(test, block->tstamp.ticks, 5);
}

/* The driver has the blocks of an event: the next one finds it busy, whoever holds the set. */
static void an_event_after_that_of_the_driver_is_lost(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct zio_cset_core *cset = tdev->cset;
	bool armed;

	tdev->io_return = ZIO_PENDING;
	test_fire_events(tdev, 1);
	test_lock(test, &cset->mutex);
	armed = zio_cset_own_phase(cset);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), -EBUSY);
	zio_cset_disown_phase(cset, armed);
	test_unlock(test, &cset->mutex);
	expect_loss(cset, NULL, 1, 0, ZIO_LOSS_BUSY, 0);
}

static struct zio_trigger *chained;

static void fire_again(struct zio_cset_notifier *notifier)
{
	zio_trigger_fire(chained);
}

static void remove_notifier(void *notifier)
{
	zio_cset_notifier_remove(notifier);
}

static void a_chain_ends(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct zio_cset_notifier notifier = { .done = fire_again };
	char address[32];

	chained = tdev->cset->bind->trig;
	snprintf(address, sizeof(address), "ztest-%04x/cset0", tdev->zdev->id);
	KUNIT_ASSERT_EQ(test, zio_cset_notifier_add(&notifier, address), 0);
	test_add_action(test, remove_notifier, &notifier);
	zio_trigger_fire(chained);
	test_release_action(test, remove_notifier, &notifier);
	expect_loss(tdev->cset, NULL, 1, 0, ZIO_LOSS_CHAIN, 0);
}

/* --- streams */

static void an_old_block_of_a_stream_gives_way(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_STREAM);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	chan->buf->prefer_new = true;
	test_fire_events(tdev, 1);
	KUNIT_ASSERT_EQ(test, take(chan, ZIO_DEFAULT_LEN, 0), ZIO_DEFAULT_LEN);
	zio_channel_complete(&chan->pub, ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 1);
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_OLD, 0);
}

static void a_full_buffer_of_a_stream_wakes_a_reader(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_STREAM);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	sleep_below_watermark(test, chan);
	test_fire_events(tdev, 1);
	KUNIT_ASSERT_EQ(test, take(chan, ZIO_DEFAULT_LEN, 0), ZIO_DEFAULT_LEN);
	zio_channel_complete(&chan->pub, ZIO_DEFAULT_LEN);
	seen.is_woken = false;
	KUNIT_EXPECT_EQ(test, take(chan, 1, 0), 0);
	KUNIT_EXPECT_TRUE(test, seen.is_woken);
}

static void hardware_drops_blocks_of_a_stream(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_STREAM);
	struct zio_channel_core *chan = tdev->cset->chan[0];

	test_fire_events(tdev, 1);
	KUNIT_ASSERT_EQ(test, take(chan, 2, 0), 2);
	zio_channel_complete(&chan->pub, 1);
	zio_channel_lost(&chan->pub, 4);
	expect_loss(tdev->cset, chan, 4, 1, ZIO_LOSS_HARDWARE, 0);
}

static struct zio_channel_core *play(struct test_device *tdev)
{
	struct zio_channel_core *chan = write_blocks(tdev, 3);

	KUNIT_ASSERT_EQ(tdev->test, zio_channel_take_blocks(&chan->pub, 1), 1);
	return chan;
}

static void hardware_loses_a_block_of_an_output(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_STREAM | ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan = play(tdev);

	zio_channel_lost(&chan->pub, 1);
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_HARDWARE, 0);
}

static void a_playing_driver_fails(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_STREAM | ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan = play(tdev);

	fail(tdev);
	expect_loss(tdev->cset, chan, 1, 0, ZIO_LOSS_ERROR, -EPIPE);
}

static struct kunit_case loss_cases[] = {
	KUNIT_CASE(no_block_is_free),
	KUNIT_CASE(a_full_buffer_wakes_a_reader),
	KUNIT_CASE(no_blocks_are_free_for_all_shots),
	KUNIT_CASE(an_old_block_gives_way),
	KUNIT_CASE(alarms_of_dropped_blocks_stay),
	KUNIT_CASE(hardware_loses_events),
	KUNIT_CASE(hardware_loses_events_beside_the_owner),
	KUNIT_CASE(hardware_loses_events_before_an_abort),
	KUNIT_CASE(a_driver_refuses_an_event),
	KUNIT_CASE(a_driver_gives_blocks_back_early),
	KUNIT_CASE(a_driver_gives_blocks_back),
	KUNIT_CASE(the_core_takes_blocks_back),
	KUNIT_CASE(the_driver_of_an_output_fails),
	KUNIT_CASE(the_core_takes_a_block_of_an_output_back),
	KUNIT_CASE(queued_blocks_of_an_output_go),
	KUNIT_CASE(an_output_has_no_block_for_an_event),
	KUNIT_CASE(a_route_finds_no_room),
	KUNIT_CASE(a_busy_set_loses_an_event),
	KUNIT_CASE(a_held_set_loses_all_events_but_one),
	KUNIT_CASE(an_event_after_that_of_the_driver_is_lost),
	KUNIT_CASE(a_trigger_misses_events),
	KUNIT_CASE(a_chain_ends),
	KUNIT_CASE(an_old_block_of_a_stream_gives_way),
	KUNIT_CASE(a_full_buffer_of_a_stream_wakes_a_reader),
	KUNIT_CASE(hardware_drops_blocks_of_a_stream),
	KUNIT_CASE(hardware_loses_a_block_of_an_output),
	KUNIT_CASE(a_playing_driver_fails),
	{}
};

TEST_SUITE("zio-loss", loss_cases);
