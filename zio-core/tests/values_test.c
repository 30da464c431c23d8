// SPDX-License-Identifier: GPL-2.0-only
/* values_test.c: values that each block has of its own: inputs, outputs, and what is refused */
#include <linux/zio-stream.h>

#include "test-device.h"

/* Those of test_value_attrs */
#define MODE	8
#define REPEAT	9
#define RANGE	12
#define MASK	(BIT(MODE) | BIT(REPEAT) | BIT(RANGE))

/* What a driver sets in each of its blocks, and what an output has got */
static struct {
	bool set;
	u32 mode, repeat;
	u32 got[RANGE + 1];
	unsigned int n_got;
} board;

static void set_block(struct zio_block *block)
{
	if (!board.set)
		return;
	block->values[MODE] = board.mode;
	block->values[REPEAT] = board.repeat;
}

static void set_blocks(struct test_device *tdev)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(&tdev->cset->pub, pos, chan, block)
		if (block)
			set_block(block);
}

static void get_block(struct test_device *tdev)
{
	memcpy(board.got, zio_cset_block(&tdev->cset->pub)->values, sizeof(board.got));
	board.n_got++;
}

static struct test_device *create(struct kunit *test, unsigned long flags)
{
	struct test_device *tdev = test_device_create(test, flags | TEST_VALUES, 1);

	memset(&board, 0, sizeof(board));
	tdev->start = flags & ZIO_CSET_OUTPUT ? get_block : set_blocks;
	return tdev;
}

/* Acquires one block, with values of the driver or without. */
static void acquire(struct test_device *tdev, bool set, u32 mode, u32 repeat)
{
	struct zio_channel *chan = &tdev->cset->chan[0]->pub;
	struct zio_block *block;

	board.set = set;
	board.mode = mode;
	board.repeat = repeat;
	if (!zio_cset_is_stream(tdev->cset)) {
		KUNIT_EXPECT_EQ(tdev->test, test_fire(tdev->cset), 0);
		return;
	}
	block = zio_channel_take(chan);
	KUNIT_ASSERT_NOT_NULL(tdev->test, block);
	set_block(block);
	zio_channel_complete(chan, 1);
}

static void expect_values(struct kunit *test, const struct zio_control *ctrl, u32 mode,
			  u32 repeat)
{
	const struct zio_ctrl_attr *attr = &ctrl->attr_channel;

	KUNIT_EXPECT_EQ(test, attr->ext_mask, MASK | BIT(7) | BIT(10) | BIT(13));
	KUNIT_EXPECT_EQ(test, attr->ext_val[MODE], mode);
	KUNIT_EXPECT_EQ(test, attr->ext_val[REPEAT], repeat);
	KUNIT_EXPECT_EQ(test, attr->ext_val[RANGE], 5);
	KUNIT_EXPECT_EQ(test, attr->ext_val[7], 70);
	KUNIT_EXPECT_EQ(test, attr->ext_val[10], 71);
	KUNIT_EXPECT_EQ(test, attr->ext_val[13], 72);
}

static void expect_read(struct test_user *user, u32 mode, u32 repeat)
{
	struct zio_control ctrl;

	KUNIT_ASSERT_EQ(user->test, test_read(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	expect_values(user->test, &ctrl, mode, repeat);
	test_user_put(user);
}

/* One block of memory, again and again: no block has a value of the one before it. */
static void check_input(struct kunit *test, unsigned long flags, const char *buffer)
{
	struct test_device *tdev = create(test, flags);
	struct test_user *user;

	test_device_use_area(tdev, (struct test_area){ .type = buffer, .len = 1 });
	user = test_user_open(test, tdev->cset->chan[0]);
	test_stop_demand(tdev);
	acquire(tdev, false, 0, 0);
	expect_read(user, 1, -1);
	acquire(tdev, true, 7, 8);
	expect_read(user, 7, 8);
	acquire(tdev, false, 0, 0);
	expect_read(user, 1, -1);
}

static void inputs_show_the_values_of_each_block(struct kunit *test)
{
	static const unsigned long kinds[] = { 0, ZIO_CSET_INTERLEAVED, ZIO_CSET_STREAM };
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		check_input(test, kinds[i], "kmalloc");
		check_input(test, kinds[i], "vmalloc");
	}
}

static void queued_blocks_keep_their_values(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	u32 i;

	test_stop_demand(tdev);
	for (i = 0; i < 5; i++)
		acquire(tdev, true, i, 10 * i);
	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, 50), 0);
	KUNIT_EXPECT_EQ(test, test_set_len(tdev->cset->chan[0], 7), 0);
	acquire(tdev, false, 0, 0);
	for (i = 0; i < 5; i++)
		expect_read(user, i, 10 * i);
	expect_read(user, 1, -1);
}

static void ring_and_sniffer_show_the_values(struct kunit *test)
{
	struct test_device *tdev = create(test, 0);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_control *slot;

	test_device_use_area(tdev, (struct test_area){ .kb = 4 });
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, test_open_node(test, "sniff-ctrl", O_RDONLY));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, test_open_ring(test, chan));
	test_stop_demand(tdev);
	slot = chan->ring->slot;
	acquire(tdev, true, 3, 4);
	acquire(tdev, false, 0, 0);
	expect_values(test, &slot[0], 3, 4);
	expect_values(test, &slot[1], 1, -1);
}

/* Outputs */

static struct zio_control make_control(u32 mask, u32 mode, u32 repeat, u32 range)
{
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.nsamples = 1,
		.ssize = 2,
		.attr_channel.ext_mask = mask,
	};

	ctrl.attr_channel.ext_val[MODE] = mode;
	ctrl.attr_channel.ext_val[REPEAT] = repeat;
	ctrl.attr_channel.ext_val[RANGE] = range;
	return ctrl;
}

static void expect_played(struct test_user *user, unsigned int n, u32 mode, u32 repeat,
			  u32 range)
{
	struct kunit *test = user->test;

	KUNIT_EXPECT_EQ(test, test_write(user->data, "12", 2), 2);
	KUNIT_EXPECT_EQ(test, board.n_got, n);
	KUNIT_EXPECT_EQ(test, board.got[MODE], mode);
	KUNIT_EXPECT_EQ(test, board.got[REPEAT], repeat);
	KUNIT_EXPECT_EQ(test, board.got[RANGE], range);
}

static ssize_t write_values(struct test_user *user, u32 mask, u32 mode, u32 repeat, u32 range)
{
	struct zio_control ctrl = make_control(mask, mode, repeat, range);

	return test_write(user->ctrl, &ctrl, sizeof(ctrl));
}

static void check_output(struct kunit *test, const char *buffer)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct test_user *user;

	test_device_use_area(tdev, (struct test_area){ .type = buffer, .len = 1,
			     .nsamples = 1 });
	user = test_user_open(test, tdev->cset->chan[0]);
	expect_played(user, 1, 1, -1, 5);
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 2, 100, 10), 512);
	expect_played(user, 2, 2, 100, 10);
	expect_played(user, 3, 1, -1, 5);
	KUNIT_EXPECT_EQ(test, write_values(user, BIT(MODE), 3, 4, 2), 512);
	expect_played(user, 4, 3, -1, 5);
	/* A second control for the same block leaves nothing of the first one. */
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 2, 100, 10), 512);
	KUNIT_EXPECT_EQ(test, write_values(user, BIT(REPEAT), 2, 50, 10), 512);
	expect_played(user, 5, 1, 50, 5);
}

static void outputs_get_the_values_of_each_control(struct kunit *test)
{
	check_output(test, "kmalloc");
	check_output(test, "vmalloc");
}

static void values_beyond_the_limits_change_nothing(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);

	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, 1), 0);
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 2, 7, 10), 512);
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 3, 101, 10), -ERANGE);
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 3, -2, 10), -ERANGE);
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 3, 0, 3), -ERANGE);
	expect_played(user, 1, 2, 7, 10);
	/* Those without a bit in the mask are not looked at. */
	KUNIT_EXPECT_EQ(test, write_values(user, BIT(MODE), U32_MAX, 101, 3), 512);
	expect_played(user, 2, U32_MAX, -1, 5);
}

/* It has neither a version nor a mask. */
static void program_for_1_x_gives_all_values(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	struct zio_control ctrl = make_control(0, 2, 0, 10);

	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, 1), 0);
	ctrl.major_version = 0;
	ctrl.ssize = 0;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	expect_played(user, 1, 2, 0, 10);
	ctrl.attr_channel.ext_val[REPEAT] = 101;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -ERANGE);
}

static void block_that_is_filled_in_place_has_values(struct kunit *test)
{
	struct test_device *tdev = create(test, ZIO_CSET_OUTPUT);
	struct zio_control ctrl;
	struct test_user *user;

	test_device_use_area(tdev, (struct test_area){ .kb = 4, .nsamples = 1 });
	user = test_user_open(test, tdev->cset->chan[0]);
	KUNIT_EXPECT_EQ(test, write_values(user, MASK, 2, 7, 10), 512);
	expect_played(user, 1, 2, 7, 10);
	KUNIT_ASSERT_EQ(test, test_read(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	expect_values(test, &ctrl, 1, -1);
	ctrl.attr_channel.ext_val[REPEAT] = 101;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -ERANGE);
	ctrl.attr_channel.ext_val[REPEAT] = 99;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, board.got[MODE], 1);
	KUNIT_EXPECT_EQ(test, board.got[REPEAT], 99);
}

/* The values of an input stand for something else, also at the same positions. */
static void routes_give_initial_values(struct kunit *test)
{
	struct test_device *in = create(test, 0);
	struct test_device *out = create(test, ZIO_CSET_OUTPUT);
	char name[32];

	test_stop_demand(in);
	test_device_use_area(out, (struct test_area){ .type = "kmalloc", .len = 1 });
	snprintf(name, sizeof(name), "ztest-%04x-0-0", in->zdev->id);
	KUNIT_ASSERT_EQ(test, test_set_source(out->cset->chan[0], name), 0);
	acquire(in, true, 9, 9);
	acquire(in, true, 9, 9);
	KUNIT_EXPECT_EQ(test, board.n_got, 2);
	KUNIT_EXPECT_EQ(test, board.got[MODE], 1);
	KUNIT_EXPECT_EQ(test, board.got[REPEAT], -1);
}

/* Files, and descriptors */

/* What a session submits from an input has the values of the output likewise. */
static void shared_blocks_have_initial_values(struct kunit *test)
{
	struct test_device *in = create(test, 0);
	struct test_device *out = create(test, ZIO_CSET_OUTPUT);
	struct test_user *reader, *writer;
	struct zio_control ctrl;
	int ret;

	test_device_use_area(out, (struct test_area){ .type = "kmalloc", .len = 1 });
	reader = test_user_open(test, in->cset->chan[0]);
	writer = test_user_open(test, out->cset->chan[0]);
	test_stop_demand(in);
	/* The block of the output has had other values before. */
	KUNIT_EXPECT_EQ(test, test_set_samples(out->cset, 1), 0);
	KUNIT_EXPECT_EQ(test, write_values(writer, MASK, 2, 7, 10), 512);
	expect_played(writer, 1, 2, 7, 10);
	KUNIT_EXPECT_EQ(test, test_set_samples(out->cset, 16), 0);
	KUNIT_EXPECT_EQ(test, write_values(writer, MASK, 2, 7, 10), 512);
	test_lock(test, &writer->sess->chan->lock);
	refcount_inc(&reader->sess->ref);
	writer->sess->source = reader->sess;
	test_unlock(test, &writer->sess->chan->lock);
	acquire(in, true, 9, 9);
	KUNIT_ASSERT_EQ(test, test_read(reader->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	expect_values(test, &ctrl, 9, 9);
	ctrl.flags |= ZIO_CONTROL_SHARED;
	ret = test_write(writer->ctrl, &ctrl, sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, ret, sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, board.n_got, 2);
	KUNIT_EXPECT_EQ(test, board.got[MODE], 1);
	KUNIT_EXPECT_EQ(test, board.got[REPEAT], -1);
	KUNIT_EXPECT_EQ(test, board.got[RANGE], 5);
}

static void note_alarms(struct test_device *tdev)
{
	board.repeat = zio_cset_block(&tdev->cset->pub)->zio_alarms;
	board.n_got++;
}

/* An alarm is told by one block, and not by the next one in the same memory. */
static void blocks_do_not_keep_alarms(struct kunit *test)
{
	struct test_device *in = create(test, 0);
	struct test_device *out = create(test, ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan = out->cset->chan[0];
	static const u16 samples[16];
	struct test_user *user;
	char name[32];

	out->start = note_alarms;
	test_stop_demand(in);
	test_device_use_area(out, (struct test_area){ .type = "kmalloc", .len = 1 });
	snprintf(name, sizeof(name), "ztest-%04x-0-0", in->zdev->id);
	KUNIT_ASSERT_EQ(test, test_set_source(chan, name), 0);
	atomic_or(ZIO_ALARM_LOST_BLOCK, &chan->alarms_new);
	acquire(in, true, 9, 9);
	KUNIT_EXPECT_EQ(test, board.n_got, 1);
	KUNIT_EXPECT_EQ(test, board.repeat, ZIO_ALARM_LOST_BLOCK);
	KUNIT_ASSERT_EQ(test, test_set_source(chan, "none"), 0);
	user = test_user_open(test, chan);
	KUNIT_EXPECT_EQ(test, test_write(user->data, samples, sizeof(samples)), sizeof(samples));
	KUNIT_EXPECT_EQ(test, board.n_got, 2);
	KUNIT_EXPECT_EQ(test, board.repeat, 0);
}

static void names_tell_what_an_output_accepts(struct kunit *test)
{
	struct zio_channel_core *in = create(test, 0)->cset->chan[0];
	struct zio_channel_core *out = create(test, ZIO_CSET_OUTPUT)->cset->chan[0];
	const char *text = test_show(test, &out->kobj, "control-attrs");

	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\next 8 mode block [0 1 4294967295]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\next 9 repeat signed block [-1 1 100]\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\next 12 range block 1 2 5 10\n"));
	text = test_show(test, &in->kobj, "control-attrs");
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "\next 9 repeat signed block\n"));
	KUNIT_EXPECT_NULL(test, strstr(test_show(test, &out->cset->kobj, "accepted"), "mode"));
	KUNIT_EXPECT_EQ(test, test_store(&out->kobj, "mode", "1"), -ENOENT);
}

static void other_sets_pay_no_memory(struct kunit *test)
{
	struct zio_channel_core *chan = test_device_create(test, 0, 1)->cset->chan[0];
	struct zio_block *block = chan->buf->type->ops->get_block(chan->buf);

	KUNIT_EXPECT_NULL(test, block->values);
	KUNIT_EXPECT_EQ(test, zio_buffer_values_size(chan->buf), 0);
	chan->buf->type->ops->put_block(chan->buf, block);
	chan = create(test, 0)->cset->chan[0];
	KUNIT_EXPECT_EQ(test, zio_buffer_values_size(chan->buf), 4 * (RANGE + 1));
}

static struct kunit_case values_cases[] = {
	KUNIT_CASE(inputs_show_the_values_of_each_block),
	KUNIT_CASE(queued_blocks_keep_their_values),
	KUNIT_CASE(ring_and_sniffer_show_the_values),
	KUNIT_CASE(outputs_get_the_values_of_each_control),
	KUNIT_CASE(values_beyond_the_limits_change_nothing),
	KUNIT_CASE(program_for_1_x_gives_all_values),
	KUNIT_CASE(block_that_is_filled_in_place_has_values),
	KUNIT_CASE(routes_give_initial_values),
	KUNIT_CASE(shared_blocks_have_initial_values),
	KUNIT_CASE(blocks_do_not_keep_alarms),
	KUNIT_CASE(names_tell_what_an_output_accepts),
	KUNIT_CASE(other_sets_pay_no_memory),
	{}
};

TEST_SUITE("zio-values", values_cases);
