// SPDX-License-Identifier: GPL-2.0-only
/* trigger_test.c: triggers, bindings, watchers, time-outs; ticks */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/zio-tick.h>

#include "test-device.h"

/* A trigger type that counts what is done to it. */

enum { TEST_NUMBER, TEST_WIDE, TEST_TEXT, TEST_ACT };

static struct {
	unsigned int created, destroyed, started, stopped, acts;
	int start_error;
	u64 number;
} seen;

static int test_create(struct zio_trigger *trig)
{
	seen.created++;
	return 0;
}

static void test_destroy(struct zio_trigger *trig)
{
	seen.destroyed++;
}

static int test_start(struct zio_trigger *trig)
{
	seen.number = zio_trigger_number(trig, TEST_NUMBER);
	if (seen.start_error && seen.number == 13)
		return seen.start_error;
	seen.started++;
	return 0;
}

static void test_stop(struct zio_trigger *trig)
{
	seen.stopped++;
}

static int test_text_is_valid(struct zio_trigger *trig, unsigned int index,
			      const char *text)
{
	return *text == 'x' ? -ENXIO : 0;
}

static int test_act(struct zio_trigger *trig, unsigned int index, u64 value)
{
	seen.acts++;
	return zio_trigger_fire(trig);
}

static const struct zio_trigger_attr test_attrs[] = {
	[TEST_NUMBER] = { .name = "number", .ext = 0, .value = 5, .min = 1 },
	[TEST_WIDE] = { .name = "wide", .ext = 1, .wide = true,
			.value = 0x100000002 },
	[TEST_TEXT] = { .name = "text", .kind = ZIO_TRIGGER_TEXT },
	[TEST_ACT] = { .name = "act", .kind = ZIO_TRIGGER_ACTION },
};

static const struct zio_trigger_ops test_ops = {
	.create = test_create,
	.destroy = test_destroy,
	.start = test_start,
	.stop = test_stop,
	.text_is_valid = test_text_is_valid,
	.act = test_act,
};

static struct zio_trigger_type test_type = {
	.name = "ktest",
	.owner = THIS_MODULE,
	.ops = &test_ops,
	.attrs = test_attrs,
	.n_attrs = ARRAY_SIZE(test_attrs),
};

static int change_trigger(struct zio_cset_core *cset, const char *name)
{
	int ret;

	mutex_lock(&cset->change);
	ret = zio_binding_change(cset, name);
	mutex_unlock(&cset->change);
	return ret;
}

static struct test_device *create_with_trigger(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);

	memset(&seen, 0, sizeof(seen));
	KUNIT_ASSERT_EQ(test, change_trigger(tdev->cset, "ktest"), 0);
	return tdev;
}

static void trigger_runs_while_enabled(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_binding *bind = tdev->cset->bind;

	KUNIT_EXPECT_EQ(test, seen.started, 1);
	mutex_lock(&tdev->cset->mutex);
	KUNIT_EXPECT_EQ(test, zio_binding_enable(bind, false), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 1);
	KUNIT_EXPECT_EQ(test, zio_binding_enable(bind, true), 0);
	mutex_unlock(&tdev->cset->mutex);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	KUNIT_EXPECT_EQ(test, change_trigger(tdev->cset, "user"), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 2);
	KUNIT_EXPECT_EQ(test, seen.destroyed, 1);
	test_device_remove(tdev);
}

/* The trigger is quiet while its clock changes. */
static int show_nothing(struct zio_trigger *trig)
{
	return trig->running ? -EBUSY : 0;
}

static int refuse_to_show(struct zio_trigger *trig)
{
	return -ENOMEM;
}

static void bad_values_change_nothing(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, "0\n"),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, "-1"),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, ""),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, "4294967296"),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_WIDE,
						"9223372036854775808"), -ERANGE);
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_TEXT, "xyz"), -ENXIO);
	KUNIT_EXPECT_EQ(test, zio_trigger_set_clock(trig, "noon", show_nothing),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, zio_trigger_set_clock(trig, "tai", refuse_to_show),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, zio_trigger_clock(trig), CLOCK_REALTIME);
	KUNIT_EXPECT_EQ(test, zio_trigger_number(trig, TEST_NUMBER), 5);
	KUNIT_EXPECT_STREQ(test, zio_trigger_text(trig, TEST_TEXT), "");
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	KUNIT_EXPECT_EQ(test, change_trigger(tdev->cset, "nonesuch"), -EINVAL);
	test_device_remove(tdev);
}

static void value_that_does_not_start(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	seen.start_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, "13"),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, zio_trigger_number(trig, TEST_NUMBER), 5);
	KUNIT_EXPECT_EQ(test, seen.number, 5);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, "14"), 0);
	KUNIT_EXPECT_EQ(test, seen.number, 14);
	test_device_remove(tdev);
}

static void same_value_starts_anew(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_NUMBER, "5"), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 1);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	test_device_remove(tdev);
}

static void text_is_trimmed(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_TEXT, " a b\n"), 0);
	KUNIT_EXPECT_STREQ(test, zio_trigger_text(trig, TEST_TEXT), "a b");
	KUNIT_EXPECT_EQ(test, zio_trigger_store(trig, TEST_TEXT, "\n"), 0);
	KUNIT_EXPECT_STREQ(test, zio_trigger_text(trig, TEST_TEXT), "");
	test_device_remove(tdev);
}

static void control_tells_values(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_ctrl_attr *attr;

	KUNIT_EXPECT_EQ(test, zio_trigger_set_clock(cset->bind->trig, "tai",
						    show_nothing), 0);
	mutex_lock(&cset->mutex);
	KUNIT_EXPECT_EQ(test, zio_cset_refresh(cset), 0);
	attr = &rcu_dereference_protected(cset->chan[1]->snap,
					  lockdep_is_held(&cset->mutex))->ctrl.attr_trigger;
	KUNIT_EXPECT_EQ(test, attr->ext_mask, 7u | BIT(31));
	KUNIT_EXPECT_EQ(test, attr->ext_val[0], 5);
	KUNIT_EXPECT_EQ(test, attr->ext_val[1], 2);
	KUNIT_EXPECT_EQ(test, attr->ext_val[2], 1);
	KUNIT_EXPECT_EQ(test, attr->ext_val[31], CLOCK_TAI);
	mutex_unlock(&cset->mutex);
	test_device_remove(tdev);
}

static void event_has_one_time(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct timespec64 at = { .tv_sec = 12, .tv_nsec = 345 };
	struct zio_block *block;

	KUNIT_EXPECT_EQ(test, zio_trigger_fire_at(tdev->cset->bind->trig, &at),
			0);
	block = zio_queue_pop(&tdev->cset->chan[1]->queue);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, block->tstamp.secs, 12);
	KUNIT_EXPECT_EQ(test, block->tstamp.ticks, 345);
	zio_queue_push(&tdev->cset->chan[1]->queue, block);
	test_device_remove(tdev);
}

static void missed_ticks_are_told(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	zio_trigger_miss(trig, 7);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 7);
	KUNIT_EXPECT_EQ(test, atomic64_read(&trig->missed), 7);
	KUNIT_EXPECT_TRUE(test, atomic_read(&tdev->cset->chan[0]->alarms) &
			  ZIO_ALARM_LOST_TRIGGER);
	mutex_lock(&tdev->cset->mutex);
	zio_binding_enable(tdev->cset->bind, false);
	mutex_unlock(&tdev->cset->mutex);
	zio_trigger_miss(trig, 7);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 7);
	test_device_remove(tdev);
}

static void failing_set_stops_nobody(struct kunit *test)
{
	struct test_device *tdev[3];
	struct zio_trigger *trig;
	unsigned int i;

	trig = zio_trigger_create_shared(&test_type, "kclock", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(trig));
	for (i = 0; i < 3; i++) {
		tdev[i] = create_with_trigger(test);
		list_del_rcu(&tdev[i]->cset->bind->node);
		list_add_tail_rcu(&tdev[i]->cset->bind->node, &trig->bindings);
	}
	tdev[0]->io_return = -EIO;
	tdev[1]->io_return = -EAGAIN;
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(trig), -EIO);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(trig), -EIO);
	KUNIT_EXPECT_EQ(test, tdev[0]->cset->io_errors, 2);
	KUNIT_EXPECT_EQ(test, tdev[1]->io_calls, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev[1]->cset->lost_triggers), 1);
	KUNIT_EXPECT_EQ(test, tdev[2]->io_calls, 2);
	for (i = 0; i < 3; i++)
		test_device_remove(tdev[i]);
	KUNIT_EXPECT_TRUE(test, list_empty(&trig->bindings));
	zio_trigger_hide_shared(trig);
	zio_trigger_free_shared(trig);
}

static bool is_type(struct zio_trigger_attr a, struct zio_trigger_attr b)
{
	struct zio_trigger_attr attrs[] = { a, b };
	struct zio_trigger_type type = {
		.name = "kpair",
		.attrs = attrs,
		.n_attrs = 2,
	};

	return zio_trigger_type_is_valid(&type);
}

static void numbers_have_places_of_their_own(struct kunit *test)
{
	struct zio_trigger_attr first = { .name = "first", .wide = true };
	struct zio_trigger_attr other = { .name = "other" };

	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.ext = 1;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.ext = 2;
	KUNIT_EXPECT_TRUE(test, is_type(first, other));
	other.ext = 29;
	KUNIT_EXPECT_TRUE(test, is_type(first, other));
	other.wide = true;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.wide = false;
	other.ext = 30;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.ext = 31;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.ext = 32;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.ext = ZIO_TRIGGER_NO_EXT;
	KUNIT_EXPECT_TRUE(test, is_type(first, other));
}

static void names_are_taken_once(struct kunit *test)
{
	struct zio_trigger *trig, *other;

	trig = zio_trigger_create_shared(&test_type, "kclock", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(trig));
	other = zio_trigger_create_shared(&test_type, "kclock", NULL);
	KUNIT_EXPECT_PTR_EQ(test, other, ERR_PTR(-EEXIST));
	other = zio_trigger_create_shared(&test_type, "user", NULL);
	KUNIT_EXPECT_PTR_EQ(test, other, ERR_PTR(-EEXIST));
	other = zio_trigger_create_shared(&test_type, "twelve-chars", NULL);
	KUNIT_EXPECT_PTR_EQ(test, other, ERR_PTR(-ENAMETOOLONG));
	zio_trigger_hide_shared(trig);
	zio_trigger_free_shared(trig);
}

struct test_watcher {
	struct zio_cset_notifier notifier;
	struct zio_trigger *trig;
	unsigned int done;
};

static void count_done(struct zio_cset_notifier *notifier)
{
	struct test_watcher *w = container_of(notifier, struct test_watcher,
					      notifier);

	w->done++;
	if (w->trig)
		zio_trigger_fire(w->trig);
}

static void watch(struct kunit *test, struct test_watcher *w,
		  struct test_device *tdev)
{
	char address[40];

	scnprintf(address, sizeof(address), "%s/cset0",
		  dev_name(&tdev->zdev->dev));
	w->notifier.done = count_done;
	KUNIT_ASSERT_EQ(test, zio_cset_notifier_add(&w->notifier, address), 0);
}

static void watcher_is_told(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct test_watcher w = { };

	watch(test, &w, tdev);
	zio_trigger_fire(tdev->cset->bind->trig);
	KUNIT_EXPECT_EQ(test, w.done, 1);
	tdev->io_return = -EAGAIN;
	zio_trigger_fire(tdev->cset->bind->trig);
	KUNIT_EXPECT_EQ(test, w.done, 1);
	zio_cset_done(&tdev->cset->pub);
	KUNIT_EXPECT_EQ(test, w.done, 2);
	test_device_remove(tdev);
	zio_cset_notifier_remove(&w.notifier);
}

static void chain_that_bites_its_tail_ends(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct test_watcher w = { .trig = tdev->cset->bind->trig };

	watch(test, &w, tdev);
	zio_trigger_fire(tdev->cset->bind->trig);
	KUNIT_EXPECT_EQ(test, w.done, 8);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 1);
	zio_cset_notifier_remove(&w.notifier);
	test_device_remove(tdev);
}

static void addresses_are_checked(struct kunit *test)
{
	struct zio_cset_notifier w = { .done = count_done };

	KUNIT_EXPECT_EQ(test, zio_cset_notifier_add(&w, "ztest"), -EINVAL);
	KUNIT_EXPECT_EQ(test, zio_cset_notifier_add(&w, "ztest-0000/cset"), -EINVAL);
	KUNIT_EXPECT_EQ(test, zio_cset_notifier_add(&w, "ztest-0000/cset0x"), -EINVAL);
	KUNIT_EXPECT_EQ(test, zio_cset_notifier_add(&w, "ztest-0000/cset0"), -ENODEV);
	KUNIT_EXPECT_EQ(test, zio_cset_notifier_add(&w, "/cset0"), -ENODEV);
}

static void input_is_armed_while_there_is_room(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_channel_core *chan = cset->chan[0];
	struct zio_session *sess;

	KUNIT_ASSERT_EQ(test, change_trigger(cset, "transparent"), 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	sess = zio_session_open(chan);
	KUNIT_ASSERT_EQ(test, zio_session_lock(sess), 0);
	KUNIT_EXPECT_EQ(test, zio_session_next(sess, true), 0);
	zio_session_put(sess);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	/* Nobody reads the other one. */
	KUNIT_EXPECT_EQ(test, cset->chan[1]->lost, 1);
	zio_session_unlock(sess);
	zio_session_close(sess);
	KUNIT_EXPECT_EQ(test, change_trigger(cset, "user"), 0);
	KUNIT_EXPECT_EQ(test, chan->waiters, 0);
	test_device_remove(tdev);
}

/* Another processor, at the moment when there was no room just before. */

static struct {
	struct zio_buffer_type type;
	struct zio_buffer_ops ops;
	const struct zio_buffer_type *old;
	unsigned int kicks;
} spy;

/* A block is put, and the set is kicked, but it is still being looked at. */
static bool spy_has_room(struct zio_buffer *buf)
{
	struct zio_channel_core *chan = buf->chan;
	struct zio_block *block;

	if (spy.old->ops->has_room(buf) || !spy.kicks)
		return spy.old->ops->has_room(buf);
	spy.kicks--;
	block = zio_queue_pop(&chan->queue);
	buf->type->ops->put_block(buf, block);
	zio_channel_notify_room(chan);
	return false;
}

static void spy_on(struct zio_buffer *buf)
{
	memset(&spy, 0, sizeof(spy));
	spy.old = buf->type;
	spy.type = *buf->type;
	spy.ops = *buf->type->ops;
	spy.ops.has_room = spy_has_room;
	spy.type.ops = &spy.ops;
	buf->type = &spy.type;
}

/* @kicks: how often a block is put just after there was no room */
static unsigned int count_rearms(struct kunit *test, unsigned int kicks)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	unsigned int patience = 5000;
	struct zio_block *mine;

	KUNIT_ASSERT_EQ(test, change_trigger(tdev->cset, "transparent"), 0);
	/* So it is for want of memory, not of a place in the queue. */
	mine = zio_queue_pop(&chan->queue);
	spy_on(chan->buf);
	spy.kicks = kicks;
	tdev->watched = current;
	mutex_lock(&chan->lock);
	zio_channel_notify_room(chan);
	mutex_unlock(&chan->lock);
	tdev->watched = NULL;
	while ((READ_ONCE(spy.kicks) || work_busy(&tdev->cset->rearm_work)) &&
	       patience--)
		fsleep(1000);
	KUNIT_EXPECT_EQ(test, spy.kicks, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len - 1);
	KUNIT_EXPECT_EQ(test, chan->lost, 0);
	chan->buf->type = spy.old;
	chan->buf->type->ops->put_block(chan->buf, mine);
	test_device_remove(tdev);
	return tdev->watched_calls;
}

static void kick_while_armed_is_heard(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, count_rearms(test, 1), 1);
}

/* Who pulls by the trigger that was there before finds no room, just when there is. */
static void late_pull_leaves_set_armed(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *mine;

	KUNIT_ASSERT_EQ(test, change_trigger(tdev->cset, "transparent"), 0);
	mine = zio_queue_pop(&chan->queue);
	spy_on(chan->buf);
	spy.kicks = 1;
	mutex_lock(&chan->lock);
	KUNIT_EXPECT_EQ(test, zio_cset_arm_channel(chan, 0), -ENOBUFS);
	mutex_unlock(&chan->lock);
	KUNIT_EXPECT_EQ(test, spy.kicks, 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&chan->queue), chan->buf->len - 1);
	chan->buf->type = spy.old;
	chan->buf->type->ops->put_block(chan->buf, mine);
	test_device_remove(tdev);
}

static void nobody_rearms_for_ever(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, count_rearms(test, 10000), 64);
}

static void failing_set_is_not_armed_at_once(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_SLEEPS, 1);
	struct zio_cset_core *cset = tdev->cset;

	tdev->io_return = -EIO;
	KUNIT_ASSERT_EQ(test, change_trigger(cset, "transparent"), 0);
	flush_work(&cset->arm_work);
	flush_work(&cset->arm_work);
	KUNIT_EXPECT_FALSE(test, work_busy(&cset->arm_work));
	KUNIT_EXPECT_EQ(test, tdev->io_calls, 1);
	KUNIT_EXPECT_EQ(test, cset->error, -EIO);
	test_device_remove(tdev);
}

static void overdue_blocks_are_taken_back(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_cset_core *cset = tdev->cset;

	tdev->io_return = -EAGAIN;
	zio_trigger_fire(cset->bind->trig);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), -EBUSY);
	mutex_lock(&cset->mutex);
	zio_cset_set_timeout(cset, 1);
	mutex_unlock(&cset->mutex);
	while (READ_ONCE(tdev->stop_calls) != 1 || READ_ONCE(cset->error) == 0)
		fsleep(1000);
	KUNIT_EXPECT_EQ(test, cset->error, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->lost, 1);
	KUNIT_EXPECT_EQ(test, cset->io_errors, 1);
	mutex_lock(&cset->chan[0]->lock);
	KUNIT_EXPECT_EQ(test, PTR_ERR(zio_cset_pull(cset->chan[0])), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, PTR_ERR(zio_cset_pull(cset->chan[0])), -EAGAIN);
	mutex_unlock(&cset->chan[0]->lock);
	tdev->io_return = 0;
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), 0);
	test_device_remove(tdev);
}

/* The test is the clock: the watchdog's own round would come in a minute. */
static void driver_has_a_whole_round(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_cset_core *cset = tdev->cset;
	struct work_struct *look = &cset->watchdog.work;

	tdev->io_return = -EAGAIN;
	zio_trigger_fire(cset->bind->trig);
	mutex_lock(&cset->mutex);
	zio_cset_set_timeout(cset, 60000);
	mutex_unlock(&cset->mutex);
	look->func(look);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	zio_trigger_fire(cset->bind->trig);
	look->func(look);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	look->func(look);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_EQ(test, cset->error, -ETIMEDOUT);
	test_device_remove(tdev);
}

static void ticks_are_on_a_grid(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zio_tick_after(0, 0, 10), 10);
	KUNIT_EXPECT_EQ(test, zio_tick_after(9, 0, 10), 10);
	KUNIT_EXPECT_EQ(test, zio_tick_after(10, 0, 10), 20);
	KUNIT_EXPECT_EQ(test, zio_tick_after(10, 3, 10), 13);
	KUNIT_EXPECT_EQ(test, zio_tick_after(13, 3, 10), 23);
	KUNIT_EXPECT_EQ(test, zio_tick_after(2, 3, 10), 3);
	KUNIT_EXPECT_EQ(test, zio_tick_after(5, 100, 10), 100);
	KUNIT_EXPECT_EQ(test, zio_tick_after(1795291097850073570, 0, 1000000),
			1795291097851000000);
}

static void ticks_between_are_counted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 20, 10), 0);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 30, 10), 1);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 34, 10), 1);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 1010, 10), 99);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(10, 12, 10), 0);
	KUNIT_EXPECT_EQ(test, zio_ticks_between(30, 20, 10), 0);
}

/* A clock that is late at random: nothing is counted twice, nothing forgotten. */
/* Events of several triggers on one processor, none of which can be kept up with. */
static void half_is_left_to_others(struct kunit *test)
{
	static const u64 period[] = { 1, 10, 100, 1000, 50000 };
	static const u64 cost[] = { 3, 7, 300, 40, 20 };
	u64 next[] = { 0, 0, 0, 0, 0 }, now = 0, paid = 0, busy = 0, begin;
	unsigned int fired[] = { 0, 0, 0, 0, 0 }, i;

	while (now < 1000000) {
		now++;
		for (i = 0; i < ARRAY_SIZE(period); i++) {
			if (next[i] > now)
				continue;
			begin = now;
			now += cost[i];
			busy += cost[i];
			fired[i]++;
			paid = zio_throttle_charge(paid, begin, now);
			next[i] = zio_tick_after(paid, 0, period[i]);
		}
	}
	/* Each may just have fired, and not have rested yet. */
	KUNIT_EXPECT_LE(test, busy, now / 2 + 3 + 7 + 300 + 40 + 20);
	KUNIT_EXPECT_GE(test, busy, now / 4);
	for (i = 0; i < ARRAY_SIZE(period); i++)
		KUNIT_EXPECT_GE(test, fired[i], 20u);
	KUNIT_EXPECT_EQ(test, zio_throttle_charge(0, 100, 110), 120);
	KUNIT_EXPECT_EQ(test, zio_throttle_charge(130, 100, 110), 150);
}

static void ticks_add_up(struct kunit *test)
{
	u64 period = 1000, tick = zio_tick_after(0, 77, period), first = tick;
	u64 now, next, missed = 0, taken = 0;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < 10000; i++) {
		now = tick + prandom_u32_state(&rnd) % 5000;
		next = zio_tick_after(now, 77, period);
		missed += zio_ticks_between(tick, next, period);
		taken++;
		tick = next;
	}
	KUNIT_EXPECT_EQ(test, (tick - first) / period, missed + taken);
}

static int trigger_suite_init(struct kunit_suite *suite)
{
	return zio_trigger_type_register(&test_type);
}

static void trigger_suite_exit(struct kunit_suite *suite)
{
	zio_trigger_type_unregister(&test_type);
}

static struct kunit_case trigger_cases[] = {
	KUNIT_CASE(trigger_runs_while_enabled),
	KUNIT_CASE(bad_values_change_nothing),
	KUNIT_CASE(value_that_does_not_start),
	KUNIT_CASE(same_value_starts_anew),
	KUNIT_CASE(text_is_trimmed),
	KUNIT_CASE(control_tells_values),
	KUNIT_CASE(event_has_one_time),
	KUNIT_CASE(missed_ticks_are_told),
	KUNIT_CASE(failing_set_stops_nobody),
	KUNIT_CASE(numbers_have_places_of_their_own),
	KUNIT_CASE(names_are_taken_once),
	KUNIT_CASE(watcher_is_told),
	KUNIT_CASE(chain_that_bites_its_tail_ends),
	KUNIT_CASE(addresses_are_checked),
	KUNIT_CASE(input_is_armed_while_there_is_room),
	KUNIT_CASE(kick_while_armed_is_heard),
	KUNIT_CASE(late_pull_leaves_set_armed),
	KUNIT_CASE(nobody_rearms_for_ever),
	KUNIT_CASE(failing_set_is_not_armed_at_once),
	KUNIT_CASE(overdue_blocks_are_taken_back),
	KUNIT_CASE(driver_has_a_whole_round),
	KUNIT_CASE(ticks_are_on_a_grid),
	KUNIT_CASE(ticks_between_are_counted),
	KUNIT_CASE(half_is_left_to_others),
	KUNIT_CASE(ticks_add_up),
	{}
};

static struct kunit_suite trigger_suite = {
	.name = "zio-trigger",
	.suite_init = trigger_suite_init,
	.suite_exit = trigger_suite_exit,
	.test_cases = trigger_cases,
};

kunit_test_suite(trigger_suite);
