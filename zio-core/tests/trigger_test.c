// SPDX-License-Identifier: GPL-2.0-only
/* trigger_test.c: values of triggers, bindings, notifiers, time-outs */
#include <linux/configfs.h>
#include <linux/delay.h>
#include <linux/module.h>

#include "test-device.h"

/* A trigger type that counts the calls of its operations. */

enum { TEST_NUMBER, TEST_WIDE, TEST_TEXT, TEST_WORD, TEST_ACT };

static struct {
	unsigned int created, destroyed, started, stopped, acts;
	int start_error;
	clockid_t clock;
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

static const char *const test_words[] = { "rising", "falling", NULL };

static const struct zio_attr_desc test_attrs[] = {
	[TEST_NUMBER] = { .name = "number", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT,
			  .index = 0, .value = 5, .min = 1 },
	[TEST_WIDE] = { .name = "wide", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT,
			.index = 1, .wide = true, .value = 0x100000002 },
	[TEST_TEXT] = { .name = "text", .mode = 0644, .text = "<text>" },
	[TEST_WORD] = { .name = "word", .mode = 0644, .words = test_words },
	[TEST_ACT] = { .name = "act", .mode = 0200 },
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

static struct test_device *create_with_trigger(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);

	memset(&seen, 0, sizeof(seen));
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "ktest"), 0);
	return tdev;
}

static void trigger_runs_while_enabled(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);

	KUNIT_EXPECT_EQ(test, seen.started, 1);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 1);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	KUNIT_EXPECT_EQ(test, test_set_trigger(tdev->cset, "user"), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 2);
	KUNIT_EXPECT_EQ(test, seen.destroyed, 1);
}

/* The trigger does not run while its clock changes. */
static int refresh_if_stopped(struct zio_trigger *trig)
{
	return trig->running ? -EBUSY : 0;
}

static int refuse_to_refresh(struct zio_trigger *trig)
{
	seen.clock = trig->clock;
	return -ENOMEM;
}

static int set_value(struct test_device *tdev, const char *name, const char *text)
{
	return test_store(&tdev->cset->bind->kobj, name, text);
}

static void bad_values_change_nothing(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "0\n"), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "-1"), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", ""), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "4294967296"), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "wide", "9223372036854775808"), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "text", "xyz"), -ENXIO);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "word", "fall"), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "clock", "noon"), -EINVAL);
	KUNIT_EXPECT_EQ(test, zio_trigger_set_clock(trig, CLOCK_TAI, refuse_to_refresh),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, zio_trigger_clock(trig), CLOCK_REALTIME);
	KUNIT_EXPECT_EQ(test, seen.clock, CLOCK_REALTIME);
	KUNIT_EXPECT_EQ(test, zio_trigger_number(trig, TEST_NUMBER), 5);
	KUNIT_EXPECT_STREQ(test, zio_trigger_text(trig, TEST_TEXT), "");
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	KUNIT_EXPECT_EQ(test, test_set_trigger(tdev->cset, "nonesuch"), -EINVAL);
}

static void value_that_does_not_start_is_not_kept(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	seen.start_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "13"), -ENOSPC);
	KUNIT_EXPECT_EQ(test, zio_trigger_number(trig, TEST_NUMBER), 5);
	KUNIT_EXPECT_EQ(test, seen.number, 5);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "14"), 0);
	KUNIT_EXPECT_EQ(test, seen.number, 14);
}

static void set_of_a_trigger_that_does_not_start_takes_no_event(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);

	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "13"), 0);
	seen.start_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, true), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "14"), 0);
	KUNIT_EXPECT_EQ(test, seen.started, 1);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, true), 0);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
}

/* The file "enable" of a directory in configfs */
static void disabled_trigger_is_stopped(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, zio_trigger_enable(trig, false), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 1);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "13"), 0);
	seen.start_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, zio_trigger_enable(trig, true), -ENOSPC);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "14"), 0);
	KUNIT_EXPECT_EQ(test, seen.started, 1);
	KUNIT_EXPECT_EQ(test, zio_trigger_enable(trig, true), 0);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
}

static void same_value_restarts_the_trigger(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);

	KUNIT_EXPECT_EQ(test, set_value(tdev, "number", "5"), 0);
	KUNIT_EXPECT_EQ(test, seen.stopped, 1);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
}

static void clock_changes_while_the_trigger_is_stopped(struct kunit *test)
{
	struct zio_trigger *trig = create_with_trigger(test)->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, zio_trigger_set_clock(trig, CLOCK_TAI, refresh_if_stopped), 0);
	KUNIT_EXPECT_TRUE(test, trig->running);
	KUNIT_EXPECT_EQ(test, seen.started, 2);
}

static void text_is_trimmed(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	KUNIT_EXPECT_EQ(test, set_value(tdev, "text", " a b\n"), 0);
	KUNIT_EXPECT_STREQ(test, zio_trigger_text(trig, TEST_TEXT), "a b");
	KUNIT_EXPECT_EQ(test, set_value(tdev, "text", "\n"), 0);
	KUNIT_EXPECT_STREQ(test, zio_trigger_text(trig, TEST_TEXT), "");
}

static void control_has_the_values_of_the_trigger(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_ctrl_attr attr;

	KUNIT_EXPECT_EQ(test, set_value(tdev, "clock", "tai"), 0);
	rcu_read_lock();
	attr = rcu_dereference(tdev->cset->chan[1]->snap)->common.attr_trigger;
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, attr.ext_mask, 7u | BIT(31));
	KUNIT_EXPECT_EQ(test, attr.ext_val[0], 5);
	KUNIT_EXPECT_EQ(test, attr.ext_val[1], 2);
	KUNIT_EXPECT_EQ(test, attr.ext_val[2], 1);
	KUNIT_EXPECT_EQ(test, attr.ext_val[31], CLOCK_TAI);
}

static void event_has_the_time_of_its_caller(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct timespec64 at = { .tv_sec = 12, .tv_nsec = 345 };
	struct zio_block *block;

	KUNIT_EXPECT_EQ(test, zio_trigger_fire_at(tdev->cset->bind->trig, &at),
			0);
	block = zio_queue_peek(&tdev->cset->chan[1]->queue);
	KUNIT_ASSERT_EQ(test, zio_queue_count(&tdev->cset->chan[1]->queue), 1);
	KUNIT_EXPECT_EQ(test, block->tstamp.secs, 12);
	KUNIT_EXPECT_EQ(test, block->tstamp.ticks, 345);
}

static void missed_ticks_are_counted(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;

	zio_trigger_miss(trig, 7);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 7);
	KUNIT_EXPECT_EQ(test, atomic64_read(&trig->missed), 7);
	KUNIT_EXPECT_TRUE(test, atomic_read(&tdev->cset->chan[0]->alarms) &
			  ZIO_ALARM_LOST_TRIGGER);
	KUNIT_EXPECT_EQ(test, test_enable_trigger(tdev->cset, false), 0);
	zio_trigger_miss(trig, 7);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 7);
}

static void free_shared(void *arg)
{
	struct zio_trigger *trig = arg;

	zio_trigger_hide_shared(trig);
	zio_trigger_free(trig);
}

static struct zio_trigger *create_shared(struct kunit *test)
{
	struct zio_trigger *trig = zio_trigger_create_shared(&test_type, "kclock", NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, trig);
	test_add_action(test, free_shared, trig);
	return trig;
}

/* Another writer of the clock, which comes while the first one refreshes the controls */
static struct second_writer {
	struct work_struct work;
	struct zio_trigger *trig;
	bool done;
	int ret;
} second;

static int refresh_nothing(struct zio_trigger *trig)
{
	return 0;
}

static void set_boottime(struct work_struct *work)
{
	second.ret = zio_trigger_set_clock(second.trig, CLOCK_BOOTTIME, refresh_nothing);
	WRITE_ONCE(second.done, true);
}

/* Fails after the second writer has come. The first call starts that one. */
static int fail_beside_second(struct zio_trigger *trig)
{
	if (!second.trig) {
		second.trig = trig;
		schedule_work(&second.work);
	}
	while (!READ_ONCE(second.done) && !test_has_waiter(&trig->change))
		schedule_timeout_uninterruptible(1);
	return -ENOMEM;
}

/* The first writer brings the old clock back, and not over the clock of the second one. */
static void clock_has_one_writer_at_a_time(struct kunit *test)
{
	struct zio_trigger *trig;
	struct config_item item;

	memset(&second, 0, sizeof(second));
	INIT_WORK(&second.work, set_boottime);
	trig = zio_trigger_create_shared(&test_type, "kclock", &item);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, trig);
	test_add_action(test, free_shared, trig);
	KUNIT_EXPECT_EQ(test, zio_trigger_set_clock(trig, CLOCK_TAI, fail_beside_second),
			-ENOMEM);
	flush_work(&second.work);
	KUNIT_EXPECT_EQ(test, second.ret, 0);
	KUNIT_EXPECT_EQ(test, zio_trigger_clock(trig), CLOCK_BOOTTIME);
}

/* An item without a directory is one that rmdir has begun to remove. */
static void trigger_of_a_directory(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct config_item *item = test_make_item(test, "triggers", "ktest", "kclock");

	KUNIT_EXPECT_EQ(test, test_store_item(item, "number", "6"), 0);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "number", "0"), -ERANGE);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "text", "a"), 0);
	KUNIT_EXPECT_STREQ(test, test_show_item(test, item, "number"), "6\n");
	KUNIT_EXPECT_STREQ(test, test_show_item(test, item, "text"), "a\n");
	KUNIT_EXPECT_EQ(test, test_store_item(item, "act", "1"), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, test_store_item(item, "enable", "0"), 0);
	KUNIT_EXPECT_STREQ(test, test_show_item(test, item, "enable"), "0\n");
	KUNIT_EXPECT_EQ(test, test_store_item(item, "enable", "1"), 0);
	KUNIT_EXPECT_STREQ(test, test_show_item(test, item, "enable"), "1\n");
	KUNIT_EXPECT_EQ(test, test_set_trigger(tdev->cset, "kclock"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, tdev->cset->bind->trig->name, "user");
}

static void failing_set_does_not_stop_the_others(struct kunit *test)
{
	struct zio_trigger *trig = create_shared(test);
	struct test_device *tdev[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		tdev[i] = create_with_trigger(test);
		list_del_rcu(&tdev[i]->cset->bind->node);
		list_add_tail_rcu(&tdev[i]->cset->bind->node, &trig->bindings);
	}
	tdev[0]->io_return = -EIO;
	tdev[1]->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(trig), -EIO);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(trig), -EIO);
	KUNIT_EXPECT_EQ(test, tdev[0]->cset->io_errors, 2);
	KUNIT_EXPECT_EQ(test, tdev[1]->io_calls, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev[1]->cset->lost_triggers), 1);
	KUNIT_EXPECT_EQ(test, tdev[2]->io_calls, 2);
	for (i = 0; i < 3; i++)
		test_device_remove(tdev[i]);
	KUNIT_EXPECT_TRUE(test, list_empty(&trig->bindings));
}

static void accepted_has_the_attributes_of_the_trigger(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	const char *text = test_show(test, &tdev->cset->kobj, "accepted");

	text = strstr(text, "trigger/number ");
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_EQ(test, strncmp(text, "trigger/number [1 1 4294967295]\n"
				      "trigger/wide [0 1 9223372036854775807]\n"
				      "trigger/text <text>\n"
				      "trigger/word rising falling\n"
				      "trigger/act [0 1 4294967295]\nchan*/enable", 137), 0);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "word", "falling\n"), 0);
	KUNIT_EXPECT_EQ(test, set_value(tdev, "word", "\n"), 0);
}

/* Only the last line can be longer than the page. */
static void accepted_ends_where_its_page_ends(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_trigger *trig;
	const char *text;
	char name[12];
	int i;

	for (i = 0; i < PAGE_SIZE / 10; i++) {
		snprintf(name, sizeof(name), "kclock-%04d", i);
		trig = zio_trigger_create_shared(&test_type, name, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, trig);
		test_add_action(test, free_shared, trig);
	}
	text = test_show(test, &tdev->cset->kobj, "accepted");
	text = strstr(text, "\ntimeout-ms ");
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_STREQ(test, text, "\ntimeout-ms [0 1 86400000]\n...\n");
}

static bool is_type(struct zio_attr_desc a, struct zio_attr_desc b)
{
	struct zio_attr_desc attrs[] = { a, b };
	struct zio_trigger_type type = {
		.name = "kpair",
		.ops = &test_ops,
		.attrs = attrs,
		.n_attrs = 2,
	};

	return zio_trigger_type_is_valid(&type);
}

static void numbers_do_not_overlap_in_the_control(struct kunit *test)
{
	struct zio_attr_desc first = {
		.name = "first", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT, .wide = true };
	struct zio_attr_desc other = {
		.name = "other", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT };

	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.index = 1;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.index = 2;
	KUNIT_EXPECT_TRUE(test, is_type(first, other));
	other.index = 29;
	KUNIT_EXPECT_TRUE(test, is_type(first, other));
	other.wide = true;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.wide = false;
	other.index = 30;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.index = 31;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.index = 32;
	KUNIT_EXPECT_FALSE(test, is_type(first, other));
	other.place = ZIO_ATTR_PLACE_NONE;
	KUNIT_EXPECT_TRUE(test, is_type(first, other));
}

/* Only numbers have a place in the control, and a writer finds a file for each attribute. */
static void attributes_that_are_wrong_are_refused(struct kunit *test)
{
	static const u32 choices[] = { 1, 2 };
	static const struct zio_attr_desc wrong[] = {
		{ .mode = 0644 },
		{ .name = "x" },
		{ .name = "x", .mode = 0444 },
		{ .name = "x", .mode = 0644, .place = ZIO_ATTR_PLACE_STD },
		{ .name = "x", .mode = 0644, .place = ZIO_ATTR_PLACE_BLOCK },
		{ .name = "x", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT, .text = "<text>" },
		{ .name = "x", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT, .words = test_words },
		{ .name = "x", .mode = 0200, .place = ZIO_ATTR_PLACE_EXT },
		{ .name = "x", .mode = 0200, .text = "<text>" },
		{ .name = "x", .mode = 0644, .max = BIT_ULL(32) },
		{ .name = "x", .mode = 0644, .is_signed = true },
		{ .name = "x", .mode = 0644, .raw_io = true },
		{ .name = "x", .mode = 0644, .choices = choices, .n_choices = 2 },
	};
	static const struct zio_attr_desc right = { .name = "right", .mode = 0644 };
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, is_type(right, test_attrs[TEST_ACT]));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_FALSE_MSG(test, is_type(right, wrong[i]), "descriptor %u", i);
}

static void names_of_triggers_are_unique(struct kunit *test)
{
	struct zio_trigger *other;

	create_shared(test);
	other = zio_trigger_create_shared(&test_type, "kclock", NULL);
	KUNIT_EXPECT_PTR_EQ(test, other, ERR_PTR(-EEXIST));
	other = zio_trigger_create_shared(&test_type, "user", NULL);
	KUNIT_EXPECT_PTR_EQ(test, other, ERR_PTR(-EEXIST));
	other = zio_trigger_create_shared(&test_type, "twelve-chars", NULL);
	KUNIT_EXPECT_PTR_EQ(test, other, ERR_PTR(-ENAMETOOLONG));
}

struct test_notifier {
	struct zio_cset_notifier notifier;
	struct zio_trigger *trig;
	unsigned int done;
};

static void count_done(struct zio_cset_notifier *notifier)
{
	struct test_notifier *n = container_of(notifier, struct test_notifier, notifier);

	n->done++;
	if (n->trig)
		zio_trigger_fire(n->trig);
}

static void remove_notifier(void *notifier)
{
	zio_cset_notifier_remove(notifier);
}

/* Counts the events of the device. Each fires @trig, or nothing if that is NULL. */
static struct test_notifier *add_notifier(struct test_device *tdev,
					  struct zio_trigger *trig)
{
	struct test_notifier *n = kunit_kzalloc(tdev->test, sizeof(*n), GFP_KERNEL);
	char address[40];

	KUNIT_ASSERT_NOT_NULL(tdev->test, n);
	scnprintf(address, sizeof(address), "%s/cset0", dev_name(&tdev->zdev->dev));
	n->notifier.done = count_done;
	n->trig = trig;
	KUNIT_ASSERT_EQ(tdev->test, zio_cset_notifier_add(&n->notifier, address), 0);
	test_add_action(tdev->test, remove_notifier, &n->notifier);
	return n;
}

static void notifier_is_called_when_a_set_is_done(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct test_notifier *n = add_notifier(tdev, NULL);

	zio_trigger_fire(tdev->cset->bind->trig);
	KUNIT_EXPECT_EQ(test, n->done, 1);
	tdev->io_return = ZIO_PENDING;
	zio_trigger_fire(tdev->cset->bind->trig);
	KUNIT_EXPECT_EQ(test, n->done, 1);
	zio_cset_done(&tdev->cset->pub);
	KUNIT_EXPECT_EQ(test, n->done, 2);
}

/* The set is unlinked when its board goes, and the notifier is removed later. */
static void board_goes_before_its_notifier(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct test_notifier *n = add_notifier(tdev, NULL);

	zio_trigger_fire(tdev->cset->bind->trig);
	test_device_remove(tdev);
	KUNIT_EXPECT_EQ(test, n->done, 1);
}

static void chain_of_a_set_with_itself_ends(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_trigger *trig = tdev->cset->bind->trig;
	struct test_notifier *n = add_notifier(tdev, trig);

	zio_trigger_fire(trig);
	KUNIT_EXPECT_EQ(test, n->done, 8);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&tdev->cset->lost_triggers), 1);
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

static void set_timeout(struct zio_cset_core *cset, unsigned int ms)
{
	test_store_u32(&cset->kobj, "timeout-ms", ms);
}

static void overdue_blocks_are_taken_back(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_cset_core *cset = tdev->cset;
	struct test_user *user = test_user_open(test, cset->chan[0]);

	tdev->io_return = ZIO_PENDING;
	zio_trigger_fire(cset->bind->trig);
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), -EBUSY);
	set_timeout(cset, 1);
	while (READ_ONCE(tdev->stop_calls) != 1 || READ_ONCE(cset->error) == 0)
		fsleep(1000);
	KUNIT_EXPECT_EQ(test, cset->error, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, cset->chan[0]->lost, 1);
	KUNIT_EXPECT_EQ(test, cset->io_errors, 1);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 2), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, test_read(user->data, NULL, 2), -EAGAIN);
	tdev->io_return = 0;
	KUNIT_EXPECT_EQ(test, zio_trigger_fire(cset->bind->trig), 0);
}

/* The test calls the watchdog: its own rounds come once in a minute. */
static void driver_has_a_whole_round(struct kunit *test)
{
	struct test_device *tdev = create_with_trigger(test);
	struct zio_cset_core *cset = tdev->cset;
	struct work_struct *watchdog = &cset->watchdog.work;

	tdev->io_return = ZIO_PENDING;
	zio_trigger_fire(cset->bind->trig);
	set_timeout(cset, 60000);
	watchdog->func(watchdog);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&cset->pub));
	zio_trigger_fire(cset->bind->trig);
	watchdog->func(watchdog);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 0);
	watchdog->func(watchdog);
	KUNIT_EXPECT_EQ(test, tdev->stop_calls, 1);
	KUNIT_EXPECT_EQ(test, cset->error, -ETIMEDOUT);
}

static int trigger_suite_init(struct kunit_suite *suite)
{
	return zio_trigger_type_register(&test_type);
}

static void trigger_suite_exit(struct kunit_suite *suite)
{
	zio_trigger_type_unregister(&test_type);
}

/* A writer may wait for the mutex of the set while another one replaces the trigger. */
static void former_trigger_takes_no_value(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_cset_core *cset = tdev->cset;
	struct zio_binding *former = cset->bind, next = *former;

	cset->bind = &next;
	KUNIT_EXPECT_EQ(test, test_store_u32(&former->kobj, "post-samples", 8), -ENODEV);
	cset->bind = former;
	KUNIT_EXPECT_EQ(test, test_store_u32(&former->kobj, "post-samples", 8), 0);
}

static struct kunit_case trigger_cases[] = {
	KUNIT_CASE(former_trigger_takes_no_value),
	KUNIT_CASE(trigger_runs_while_enabled),
	KUNIT_CASE(bad_values_change_nothing),
	KUNIT_CASE(value_that_does_not_start_is_not_kept),
	KUNIT_CASE(set_of_a_trigger_that_does_not_start_takes_no_event),
	KUNIT_CASE(disabled_trigger_is_stopped),
	KUNIT_CASE(same_value_restarts_the_trigger),
	KUNIT_CASE(clock_changes_while_the_trigger_is_stopped),
	KUNIT_CASE(text_is_trimmed),
	KUNIT_CASE(control_has_the_values_of_the_trigger),
	KUNIT_CASE(event_has_the_time_of_its_caller),
	KUNIT_CASE(missed_ticks_are_counted),
	KUNIT_CASE(clock_has_one_writer_at_a_time),
	KUNIT_CASE(trigger_of_a_directory),
	KUNIT_CASE(failing_set_does_not_stop_the_others),
	KUNIT_CASE(accepted_has_the_attributes_of_the_trigger),
	KUNIT_CASE(accepted_ends_where_its_page_ends),
	KUNIT_CASE(numbers_do_not_overlap_in_the_control),
	KUNIT_CASE(attributes_that_are_wrong_are_refused),
	KUNIT_CASE(names_of_triggers_are_unique),
	KUNIT_CASE(notifier_is_called_when_a_set_is_done),
	KUNIT_CASE(board_goes_before_its_notifier),
	KUNIT_CASE(chain_of_a_set_with_itself_ends),
	KUNIT_CASE(addresses_are_checked),
	KUNIT_CASE(overdue_blocks_are_taken_back),
	KUNIT_CASE(driver_has_a_whole_round),
	{}
};

TEST_SUITE("zio-trigger", trigger_cases,
	   .suite_init = trigger_suite_init, .suite_exit = trigger_suite_exit);
