// SPDX-License-Identifier: GPL-2.0-only
/* board_test.c: attributes of a device, the trigger of a board, sets that begin disabled */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "test-device.h"

enum { VERSION, SECONDS, COMMAND, TEMPERATURE, LEVEL, LAST, FIRE, MODEL };

/**
 * struct board - a registered device
 * @zdev: the device
 * @cset: its set
 * @desc: describes the device
 * @cset_desc: describes the set
 * @set_id: id of the last attribute that the driver got
 * @set_value: its value
 * @sets: number of calls of attr_set(), of both kinds
 * @error: what attr_set() returns
 * @in_set: number of threads in attr_set() of the device
 * @beside: another one was in an operation of the device meanwhile
 * @had_blocks: the board was armed at the last attr_set()
 * @armed: number of calls of raw_io() with the board's trigger
 * @events: and with another one
 * @stops: number of calls of stop_io()
 */
struct board {
	struct zio_device *zdev;
	struct zio_cset_core *cset;
	struct zio_device_desc desc;
	struct zio_cset_desc cset_desc;
	unsigned long set_id;
	u32 set_value;
	unsigned int sets;
	int error;
	atomic_t in_set;
	bool beside;
	bool had_blocks;
	unsigned int armed;
	unsigned int events;
	unsigned int stops;
};

static int board_raw_io(struct zio_cset *cset)
{
	struct board *board = zio_cset_priv(cset);

	if (zio_cset_uses_board_trigger(cset))
		board->armed++;
	else
		board->events++;
	return zio_cset_uses_board_trigger(cset) || zio_cset_is_rearmed(cset) ? ZIO_PENDING : 0;
}

static void board_stop_io(struct zio_cset *cset)
{
	struct board *board = zio_cset_priv(cset);

	board->stops++;
}

static int board_take_value(struct board *board, const struct zio_attr_desc *attr, u32 value)
{
	board->sets++;
	board->set_id = attr->id;
	board->set_value = value;
	return board->error;
}

static int board_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *attr, u32 value)
{
	struct board *board = zio_cset_priv(cset);

	board->had_blocks = board->armed + board->events > board->stops;
	if (attr->id == FIRE)
		zio_cset_done(cset);
	return board_take_value(board, attr, value);
}

static int board_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			  const struct zio_attr_desc *attr, u32 *value)
{
	if (attr->id == MODEL)
		*value = 0x14b;
	return 0;
}

static int device_attr_set(struct zio_device *zdev, const struct zio_attr_desc *attr, u32 value)
{
	struct board *board = zio_device_priv(zdev);
	int ret;

	if (atomic_inc_return(&board->in_set) > 1)
		board->beside = true;
	ret = board_take_value(board, attr, value);
	/* The other writer runs meanwhile, if nothing keeps it out. */
	if (attr->id == SECONDS)
		fsleep(1000);
	atomic_dec(&board->in_set);
	return ret;
}

static int device_attr_get(struct zio_device *zdev, const struct zio_attr_desc *attr, u32 *value)
{
	struct board *board = zio_device_priv(zdev);

	if (atomic_read(&board->in_set))
		board->beside = true;
	if (attr->id == TEMPERATURE)
		*value = -40;
	return 0;
}

static const struct zio_device_ops device_ops = {
	.attr_set = device_attr_set,
	.attr_get = device_attr_get,
};

static const struct zio_attr_desc device_attrs[] = {
	ZIO_ATTR_STD("version", 0444, ZIO_ATTR_DEV_VERSION, ZIO_VERSION(1, 2, 3), VERSION),
	ZIO_ATTR_EXT("seconds", 0644, 4, 7, SECONDS),
	ZIO_ATTR_PARAM("command", 0200, 0, COMMAND),
	{ .name = "temperature", .mode = 0444, .is_signed = true, .id = TEMPERATURE },
};

static const struct zio_attr_desc trigger_attrs[] = {
	{ .name = "level", .mode = 0644, .place = ZIO_ATTR_PLACE_EXT, .value = -5,
	  .min = -9, .max = 9, .is_signed = true, .id = LEVEL },
	ZIO_ATTR_EXT("last", 0644, 31, 31, LAST),
	ZIO_ATTR_PARAM("fire", 0200, 0, FIRE),
	ZIO_ATTR_STD("model", 0444, ZIO_ATTR_TRIG_VERSION, 3, MODEL),
};

static const struct zio_board_trigger board_trigger = {
	.name = "adc-100m14b",
	.attrs = trigger_attrs,
	.n_attrs = ARRAY_SIZE(trigger_attrs),
};

static const struct zio_cset_ops board_ops = {
	.raw_io = board_raw_io,
	.stop_io = board_stop_io,
	.attr_set = board_attr_set,
	.attr_get = board_attr_get,
};

static struct board *describe(struct kunit *test, unsigned long flags)
{
	struct board *board = kunit_kzalloc(test, sizeof(*board), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, board);
	board->cset_desc = (struct zio_cset_desc) {
		.flags = flags, .n_chan = 2, .ssize = 2, .ops = &board_ops,
		.board_trigger = &board_trigger,
	};
	board->desc = (struct zio_device_desc) {
		.name = "ztest", .owner = THIS_MODULE, .cset = &board->cset_desc, .n_cset = 1,
		.ops = &device_ops, .attrs = device_attrs, .n_attrs = ARRAY_SIZE(device_attrs),
	};
	return board;
}

static void unregister_board(void *zdev)
{
	zio_device_unregister(zdev);
}

static struct board *create(struct kunit *test, unsigned long flags)
{
	struct board *board = describe(test, flags);

	board->zdev = zio_device_register(NULL, &board->desc, ZIO_ID_AUTO, board);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, board->zdev);
	test_add_action(test, unregister_board, board->zdev);
	board->cset = board->zdev->cset[0];
	return board;
}

static struct zio_control control_of(struct zio_channel_core *chan)
{
	struct zio_control ctrl;

	test_read_control(chan, &ctrl);
	return ctrl;
}

static void device_has_files(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct kobject *dir = &zio_device_dev(board->zdev)->kobj;

	KUNIT_EXPECT_PTR_EQ(test, zio_cset_device(&board->cset->pub), board->zdev);
	KUNIT_EXPECT_EQ(test, test_store(dir, "seconds", "4000000000"), 0);
	KUNIT_EXPECT_EQ(test, board->set_id, SECONDS);
	KUNIT_EXPECT_EQ(test, board->set_value, 4000000000);
	KUNIT_EXPECT_STREQ(test, test_show(test, dir, "seconds"), "4000000000\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, dir, "temperature"), "-40\n");
	KUNIT_EXPECT_EQ(test, test_store(dir, "seconds", "4294967296"), -ERANGE);
	board->error = -EIO;
	KUNIT_EXPECT_EQ(test, test_store(dir, "seconds", "3"), -EIO);
	KUNIT_EXPECT_STREQ(test, test_show(test, dir, "seconds"), "4000000000\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, dir, "accepted"),
			   "version\nseconds [0 1 4294967295]\n"
			   "command [0 1 4294967295]\ntemperature\n");
}

static void controls_have_values_of_the_device(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct kobject *dir = &zio_device_dev(board->zdev)->kobj;
	struct zio_control ctrl = control_of(board->cset->chan[1]);

	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_val[ZIO_ATTR_DEV_VERSION],
			ZIO_VERSION(1, 2, 3));
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_val[4], 7);
	KUNIT_EXPECT_EQ(test, test_store(dir, "seconds", "8"), 0);
	ctrl = control_of(board->cset->chan[1]);
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_val[4], 8);
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_mask, BIT(4));
	KUNIT_EXPECT_STREQ(test, test_show(test, &board->cset->chan[1]->kobj, "control-attrs"),
			   "std 15 version\next 4 seconds\n");
}

static int store_seconds(void *arg)
{
	struct board *board = arg;

	while (!kthread_should_stop()) {
		test_store(&board->zdev->dev.kobj, "seconds", "1");
		cond_resched();
	}
	return 0;
}

static void users_of_a_device_take_turns(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct task_struct *thread = test_thread_run(test, store_seconds, board);

	KUNIT_EXPECT_TRUE(test, test_wait_for(board->sets > 1));
	while (board->sets < 60) {
		KUNIT_ASSERT_EQ(test, test_store(&board->zdev->dev.kobj, "command", "1"), 0);
		KUNIT_EXPECT_TRUE(test, test_wait_for(atomic_read(&board->in_set)));
		KUNIT_ASSERT_STREQ(test, test_show(test, &board->zdev->dev.kobj, "temperature"),
				   "-40\n");
	}
	test_thread_stop(test, thread);
	KUNIT_EXPECT_FALSE(test, board->beside);
}

static void write_only_file_reaches_the_driver(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct kobject *dir = &zio_device_dev(board->zdev)->kobj;

	KUNIT_EXPECT_EQ(test, test_store(dir, "command", "5"), 0);
	KUNIT_EXPECT_EQ(test, test_store(dir, "command", "5"), 0);
	KUNIT_EXPECT_EQ(test, board->sets, 2);
	KUNIT_EXPECT_EQ(test, board->set_id, COMMAND);
	KUNIT_EXPECT_STREQ(test, test_show(test, dir, "command"), "");
}

static void wrong_attributes_are_refused(struct kunit *test)
{
	static const struct zio_attr_desc right[] = {
		ZIO_ATTR_STD("version", 0644, 15, 0, 0), ZIO_ATTR_EXT("x", 0200, 31, 0, 0),
		ZIO_ATTR_STD("gain", 0444, ZIO_ATTR_GAIN, 0, 0),
	};
	static const struct zio_attr_desc wrong[] = {
		ZIO_ATTR_STD("version", 0444, 16, 0, 0), ZIO_ATTR_EXT("x", 0444, 32, 0, 0),
		ZIO_ATTR_STD("unit", 0444, ZIO_ATTR_UNIT, 0, 0),
		ZIO_ATTR_PARAM(NULL, 0444, 0, 0),
	};
	struct board *board = describe(test, 0);
	unsigned int i;

	board->desc.n_attrs = 1;
	for (i = 0; i < ARRAY_SIZE(right); i++) {
		board->desc.attrs = &right[i];
		KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&board->desc));
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		board->desc.attrs = &wrong[i];
		KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
	}
	board->desc.attrs = &right[1];
	board->desc.ops = NULL;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
}

static void expect_wrong(struct kunit *test, const struct zio_attr_desc *attrs, unsigned int n)
{
	const struct zio_board_trigger trigger = { .name = "t", .attrs = attrs, .n_attrs = n };
	struct board *board = describe(test, 0);

	board->cset_desc.board_trigger = &trigger;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
	board->cset_desc.board_trigger = NULL;
	KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&board->desc));
	board->cset_desc.chan_attrs = attrs;
	board->cset_desc.n_chan_attrs = n;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
	board->cset_desc.n_chan_attrs = 0;
	board->desc.attrs = attrs;
	board->desc.n_attrs = n;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
}

/* Sysfs would print a trace for each of them, when it makes the file. */
static void attributes_that_are_no_files_are_refused(struct kunit *test)
{
	static const struct zio_attr_desc twice[] = {
		ZIO_ATTR_EXT("level", 0444, 0, 0, 0), ZIO_ATTR_EXT("delay", 0444, 1, 0, 0),
		ZIO_ATTR_PARAM("level", 0644, 0, 0),
	};
	static const struct zio_attr_desc wrong[] = {
		ZIO_ATTR_PARAM("", 0444, 0, 0), ZIO_ATTR_PARAM("a/b", 0444, 0, 0),
		ZIO_ATTR_PARAM("mode", 0666, 0, 0), ZIO_ATTR_PARAM("mode", 0555, 0, 0),
	};
	unsigned int i;

	expect_wrong(test, twice, ARRAY_SIZE(twice));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_wrong(test, &wrong[i], 1);
}

/* There are 32 positions, and any number of attributes without one. */
static void thirty_three_values_are_too_many(struct kunit *test)
{
	struct zio_attr_desc *attrs = kunit_kcalloc(test, 40, sizeof(*attrs), GFP_KERNEL);
	struct zio_board_trigger trigger = { .name = "t", .attrs = attrs };
	char (*names)[8] = kunit_kcalloc(test, 40, sizeof(*names), GFP_KERNEL);
	struct board *board = describe(test, 0);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, attrs);
	KUNIT_ASSERT_NOT_NULL(test, names);
	for (i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "attr%u", i);
		attrs[i] = (struct zio_attr_desc)ZIO_ATTR_EXT(names[i], 0444, i, 0, 0);
	}
	board->cset_desc.board_trigger = &trigger;
	trigger.n_attrs = 32;
	KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&board->desc));
	trigger.n_attrs = 33;
	KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
	for (i = 32; i < 40; i++)
		attrs[i].place = ZIO_ATTR_PLACE_NONE;
	trigger.n_attrs = 40;
	KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&board->desc));
}

static void board_trigger_arms_and_is_named(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct kobject *trigger = &board->cset->bind->kobj;
	struct zio_control ctrl = control_of(board->cset->chan[0]);

	KUNIT_EXPECT_EQ(test, board->armed, 1);
	KUNIT_EXPECT_STREQ(test, ctrl.triggername, "adc-100m14b");
	KUNIT_EXPECT_STREQ(test, test_show(test, trigger, "name"), "adc-100m14b\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, &board->cset->kobj, "current_trigger"),
			   "adc-100m14b\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, trigger, "model"), "0.0 0x014b\n");
	KUNIT_EXPECT_STREQ(test, test_show(test, trigger, "control-attrs"),
			   "std 0 nshots\nstd 1 post-samples\nstd 2 pre-samples\n"
			   "ext 0 level signed\next 31 last\nstd 15 model\nstd 3 clock\n");
	KUNIT_EXPECT_NOT_NULL(test, strstr(test_show(test, &board->cset->kobj, "accepted"),
					   "\ntrigger/level [-9 1 9]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(test_show(test, &board->cset->kobj, "accepted"),
					   "\ncurrent_trigger adc-100m14b user"));
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&board->cset->pub));
	KUNIT_EXPECT_EQ(test, board->armed, 2);
}

/* The clock gives way to an attribute at the last position. */
static void all_positions_of_a_trigger_are_usable(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct zio_channel_core *chan = board->cset->chan[0];
	struct zio_ctrl_attr attr = control_of(chan).attr_trigger;

	KUNIT_EXPECT_EQ(test, attr.ext_mask, BIT(0) | BIT(31));
	KUNIT_EXPECT_EQ(test, (s32)attr.ext_val[0], -5);
	KUNIT_EXPECT_EQ(test, attr.ext_val[31], 31);
	KUNIT_EXPECT_EQ(test, attr.std_mask, 0xf | BIT(ZIO_ATTR_TRIG_LOST) |
			BIT(ZIO_ATTR_TRIG_MISSED) | BIT(ZIO_ATTR_TRIG_EPOCH) |
			BIT(ZIO_ATTR_TRIG_VERSION));
	KUNIT_EXPECT_EQ(test, attr.std_val[ZIO_ATTR_TRIG_VERSION], 3);
	KUNIT_EXPECT_EQ(test, attr.std_val[ZIO_ATTR_TRIG_CLOCK], CLOCK_REALTIME);
	KUNIT_EXPECT_EQ(test, test_store(&board->cset->bind->kobj, "clock", "tai"), 0);
	KUNIT_EXPECT_EQ(test, zio_block_clock(zio_cset_block(&board->cset->pub)),
			CLOCK_REALTIME);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&board->cset->pub));
	KUNIT_EXPECT_EQ(test, control_of(chan).attr_trigger.std_val[ZIO_ATTR_TRIG_CLOCK],
			CLOCK_TAI);
	KUNIT_EXPECT_EQ(test, zio_block_clock(zio_cset_block(&board->cset->pub)), CLOCK_TAI);
}

/* A block has the values by which it was triggered. */
static void value_of_the_trigger_aborts_and_command_does_not(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct kobject *trigger = &board->cset->bind->kobj;
	struct zio_ctrl_attr *attr;

	KUNIT_EXPECT_EQ(test, test_store(trigger, "level", "-8"), 0);
	KUNIT_EXPECT_EQ(test, board->set_id, LEVEL);
	KUNIT_EXPECT_EQ(test, (s32)board->set_value, -8);
	KUNIT_EXPECT_FALSE(test, board->had_blocks);
	KUNIT_EXPECT_EQ(test, board->stops, 1);
	KUNIT_EXPECT_EQ(test, board->armed, 2);
	attr = &to_block_core(zio_cset_block(&board->cset->pub))->snap->common.attr_trigger;
	KUNIT_EXPECT_EQ(test, (s32)attr->ext_val[0], -8);
	KUNIT_EXPECT_EQ(test, test_store(trigger, "level", "10"), -ERANGE);

	KUNIT_EXPECT_EQ(test, test_store(trigger, "fire", "1"), 0);
	KUNIT_EXPECT_EQ(test, board->set_id, FIRE);
	KUNIT_EXPECT_TRUE(test, board->had_blocks);
	KUNIT_EXPECT_EQ(test, board->armed, 3);
}

static void values_survive_another_trigger(struct kunit *test)
{
	struct board *board = create(test, 0);
	struct zio_cset_core *cset = board->cset;

	KUNIT_EXPECT_EQ(test, test_store(&cset->bind->kobj, "level", "9"), 0);
	KUNIT_EXPECT_EQ(test, test_set_trigger(cset, "transparent"), 0);
	KUNIT_EXPECT_EQ(test, board->events, 1);
	KUNIT_EXPECT_EQ(test, test_store(&cset->bind->kobj, "level", "1"), -ENOENT);
	KUNIT_EXPECT_EQ(test, control_of(cset->chan[0]).attr_trigger.ext_mask,
			BIT(ZIO_ATTR_TRIG_EXT_CLOCK));
	KUNIT_EXPECT_EQ(test, test_set_trigger(cset, "adc-100m14b"), 0);
	KUNIT_EXPECT_STREQ(test, test_show(test, &cset->bind->kobj, "level"), "9\n");
	KUNIT_EXPECT_EQ(test, (s32)control_of(cset->chan[0]).attr_trigger.ext_val[0], 9);
}

static void other_sets_do_not_find_the_board_trigger(struct kunit *test)
{
	create(test, 0);
	KUNIT_EXPECT_EQ(test, test_set_trigger(test_device_create(test, 0, 1)->cset,
					       "adc-100m14b"), -EINVAL);
}

static void wrong_triggers_are_refused(struct kunit *test)
{
	static const struct zio_attr_desc clock[] = {
		ZIO_ATTR_STD("noon", 0444, ZIO_ATTR_TRIG_CLOCK, 0, 0),
	};
	static const struct zio_board_trigger wrong[] = {
		{ .name = NULL }, { .name = "" }, { .name = "adc-100m14bc" }, { .name = "a b" },
		{ .name = "right", .attrs = clock, .n_attrs = 1 },
	};
	struct board *board = describe(test, 0);
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, zio_device_desc_is_valid(&board->desc));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		board->cset_desc.board_trigger = &wrong[i];
		KUNIT_EXPECT_FALSE(test, zio_device_desc_is_valid(&board->desc));
	}
}

static void set_begins_disabled(struct kunit *test)
{
	struct board *board = create(test, ZIO_CSET_DISABLED);

	KUNIT_EXPECT_EQ(test, board->armed, 0);
	KUNIT_EXPECT_STREQ(test, test_show(test, &board->cset->kobj, "enable"), "0\n");
	KUNIT_EXPECT_EQ(test, test_store(&board->cset->kobj, "enable", "1"), 0);
	KUNIT_EXPECT_EQ(test, board->armed, 1);
}

static void channels_begin_disabled(struct kunit *test)
{
	struct board *board = create(test, ZIO_CSET_CHANS_DISABLED);

	KUNIT_EXPECT_EQ(test, board->armed, 0);
	KUNIT_EXPECT_STREQ(test, test_show(test, &board->cset->chan[0]->kobj, "enable"), "0\n");
	KUNIT_EXPECT_EQ(test, test_store(&board->cset->chan[1]->kobj, "enable", "1"), 0);
	KUNIT_EXPECT_EQ(test, board->armed, 1);
	KUNIT_EXPECT_PTR_EQ(test, zio_cset_channel(&board->cset->pub), &board->cset->chan[1]->pub);
}

static void stream_does_not_start_at_registration(struct kunit *test)
{
	struct board *board = create(test, ZIO_CSET_STREAM | ZIO_CSET_DISABLED);

	KUNIT_EXPECT_EQ(test, board->armed, 0);
	KUNIT_EXPECT_EQ(test, test_store(&board->cset->kobj, "enable", "1"), 0);
	KUNIT_EXPECT_EQ(test, board->armed, 1);
	KUNIT_EXPECT_EQ(test, test_store(&board->cset->bind->kobj, "level", "2"), 0);
	KUNIT_EXPECT_EQ(test, board->stops, 0);
}

static struct kunit_case board_cases[] = {
	KUNIT_CASE(device_has_files),
	KUNIT_CASE(controls_have_values_of_the_device),
	KUNIT_CASE(users_of_a_device_take_turns),
	KUNIT_CASE(write_only_file_reaches_the_driver),
	KUNIT_CASE(wrong_attributes_are_refused),
	KUNIT_CASE(attributes_that_are_no_files_are_refused),
	KUNIT_CASE(thirty_three_values_are_too_many),
	KUNIT_CASE(board_trigger_arms_and_is_named),
	KUNIT_CASE(all_positions_of_a_trigger_are_usable),
	KUNIT_CASE(value_of_the_trigger_aborts_and_command_does_not),
	KUNIT_CASE(values_survive_another_trigger),
	KUNIT_CASE(other_sets_do_not_find_the_board_trigger),
	KUNIT_CASE(wrong_triggers_are_refused),
	KUNIT_CASE(set_begins_disabled),
	KUNIT_CASE(channels_begin_disabled),
	KUNIT_CASE(stream_does_not_start_at_registration),
	{}
};

TEST_SUITE("zio-board", board_cases);
