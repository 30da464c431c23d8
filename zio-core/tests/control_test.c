// SPDX-License-Identifier: GPL-2.0-only
/* control_test.c: layout and snapshots of controls, and controls that programs write */
#include <linux/fs.h>

#include "test-device.h"

static void layout_is_that_of_1_x(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct zio_control), 512);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, seq_num), 4);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, ssize), 12);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, addr), 16);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, tstamp), 48);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, mem_offset), 72);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, flags), 80);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, triggername), 84);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, attr_channel), 96);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, attr_trigger), 296);
	KUNIT_EXPECT_EQ(test, offsetof(struct zio_control, tlv), 496);
}

/* Takes the oldest queued block, and fills its control as a read does. */
static void fetch(struct zio_channel_core *chan, struct zio_control *ctrl)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);

	zio_control_begin(ctrl, to_block_core(block)->snap, chan->pub.index);
	zio_control_fill(ctrl, block, chan->cset->ssize);
	chan->buf->type->ops->put_block(chan->buf, block);
}

static void control_has_all_fields(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_channel_core *chan = tdev->cset->chan[1];
	struct zio_control ctrl;

	tdev->short_by = 4;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), 0);
	fetch(chan, &ctrl);
	KUNIT_EXPECT_EQ(test, ctrl.seq_num, 0);
	fetch(chan, &ctrl);
	KUNIT_EXPECT_EQ(test, ctrl.major_version, ZIO_MAJOR_VERSION);
	KUNIT_EXPECT_EQ(test, ctrl.seq_num, 1);
	KUNIT_EXPECT_EQ(test, ctrl.nsamples, 14);
	KUNIT_EXPECT_EQ(test, ctrl.ssize, 2);
	KUNIT_EXPECT_EQ(test, ctrl.nbits, 12);
	KUNIT_EXPECT_EQ(test, ctrl.addr.chan, 1);
	KUNIT_EXPECT_STREQ(test, ctrl.addr.devname, "ztest");
	KUNIT_EXPECT_STREQ(test, ctrl.triggername, "user");
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_mask,
			BIT(ZIO_ATTR_NBITS) | BIT(ZIO_ATTR_GAIN) |
			BIT(ZIO_ATTR_UNIT) | BIT(ZIO_ATTR_SIGNED) |
			BIT(ZIO_ATTR_SCALE_LOW) | BIT(ZIO_ATTR_SCALE_HIGH) |
			BIT(ZIO_ATTR_OFFSET_LOW) | BIT(ZIO_ATTR_OFFSET_HIGH));
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_val[ZIO_ATTR_GAIN], 1000);
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_mask, BIT(31) | BIT(0));
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_val[31], 77);
	KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_POST_SAMP],
			16);
	KUNIT_EXPECT_NE(test, ctrl.tstamp.secs, 0);
	KUNIT_EXPECT_EQ(test, chan->blocks, 2);
	KUNIT_EXPECT_EQ(test, chan->bytes, 2 * 14 * 2);
}

static void open_monitor(struct kunit *test)
{
	struct file *file = test_open_node(test, "sniff-ctrl", O_RDONLY);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
}

/* The gain is 1000 when the block is armed, and 5 when it is done. */
static u32 gain_of_armed_block(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_control ctrl, later;

	tdev->io_return = ZIO_PENDING;
	KUNIT_EXPECT_EQ(test, test_fire(tdev->cset), -EINPROGRESS);
	KUNIT_ASSERT_EQ(test, test_store(&chan->kobj, "gain-factor", "5"), 0);
	KUNIT_ASSERT_TRUE(test, zio_cset_done(&tdev->cset->pub));
	tdev->io_return = 0;
	KUNIT_ASSERT_EQ(test, test_fire(tdev->cset), 0);
	fetch(chan, &ctrl);
	fetch(chan, &later);
	KUNIT_EXPECT_EQ(test, later.attr_channel.std_val[ZIO_ATTR_GAIN], 5);
	return ctrl.attr_channel.std_val[ZIO_ATTR_GAIN];
}

/* A control has the attributes that were in force when its block was armed. */
static void snapshot_is_of_its_time(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, gain_of_armed_block(test), 1000);
	open_monitor(test);
	KUNIT_EXPECT_EQ(test, gain_of_armed_block(test), 1000);
}

static struct zio_snapshot *snapshot_of(struct test_device *tdev, unsigned int i)
{
	return rcu_access_pointer(tdev->cset->chan[i]->snap);
}

/* Channels with equal values share a snapshot; each control has its own channel. */
static void equal_channels_share_a_snapshot(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 3);
	struct zio_channel_core **chan = tdev->cset->chan;
	struct zio_control ctrl;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, test_fire(tdev->cset), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_PTR_EQ(test, snapshot_of(tdev, i), snapshot_of(tdev, 0));
		fetch(chan[i], &ctrl);
		KUNIT_EXPECT_EQ(test, ctrl.addr.chan, i);
	}
	KUNIT_ASSERT_EQ(test, test_store(&chan[1]->kobj, "gain-factor", "5"), 0);
	KUNIT_EXPECT_PTR_NE(test, snapshot_of(tdev, 1), snapshot_of(tdev, 0));
	KUNIT_EXPECT_PTR_EQ(test, snapshot_of(tdev, 2), snapshot_of(tdev, 0));
	KUNIT_ASSERT_EQ(test, test_fire(tdev->cset), 0);
	for (i = 0; i < 3; i++) {
		fetch(chan[i], &ctrl);
		KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_val[ZIO_ATTR_GAIN],
				i == 1 ? 5 : 1000);
	}
	KUNIT_ASSERT_EQ(test, test_set_samples(tdev->cset, 5), 0);
	KUNIT_EXPECT_PTR_NE(test, snapshot_of(tdev, 1), snapshot_of(tdev, 0));
	KUNIT_EXPECT_PTR_NE(test, snapshot_of(tdev, 2), snapshot_of(tdev, 1));
	KUNIT_ASSERT_EQ(test, test_store(&chan[1]->kobj, "gain-factor", "1000"), 0);
	KUNIT_EXPECT_PTR_EQ(test, snapshot_of(tdev, 1), snapshot_of(tdev, 0));
}

/* Blocks would pay for a new snapshot, and the slots of a ring. */
static void equal_values_keep_the_snapshot(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 2);
	struct zio_channel_core **chan = tdev->cset->chan;
	const struct zio_snapshot *before;

	KUNIT_ASSERT_EQ(test, test_store(&chan[1]->kobj, "gain-factor", "5"), 0);
	before = snapshot_of(tdev, 1);
	KUNIT_ASSERT_EQ(test, test_store(&chan[1]->kobj, "gain-factor", "5"), 0);
	KUNIT_EXPECT_PTR_EQ(test, snapshot_of(tdev, 1), before);
	KUNIT_ASSERT_EQ(test, test_store(&chan[1]->kobj, "gain-factor", "6"), 0);
	KUNIT_EXPECT_PTR_NE(test, snapshot_of(tdev, 1), before);
}

static void control_of_a_program_is_checked(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION, .ssize = 2, .nsamples = 17,
	};

	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EMSGSIZE);
	ctrl.nsamples = U32_MAX;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EMSGSIZE);
	ctrl.nsamples = 0;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EMSGSIZE);
	ctrl.nsamples = 1;
	ctrl.ssize = 1;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EINVAL);
	ctrl.ssize = 2;
	memset(ctrl.addr.devname, 'z', sizeof(ctrl.addr.devname));
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -ENXIO);
	ctrl.major_version = 2;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EPROTO);
	ctrl.major_version = ZIO_MAJOR_VERSION;
	memset(ctrl.addr.devname, 0, sizeof(ctrl.addr.devname));
	ctrl.nsamples = 16;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, user->sess->block->len, 32);
}

/* A program for ZIO 1.x writes zeros, or the number of samples alone. */
static void empty_control_is_completed(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	struct zio_control ctrl = { };

	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, user->sess->block->len, 32);
	ctrl.nsamples = 5;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, user->sess->block->len, 10);
	ctrl.nsamples = 17;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EMSGSIZE);
	ctrl.nsamples = 6;
	ctrl.ssize = 4;
	ctrl.nbits = 32;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	KUNIT_EXPECT_EQ(test, user->sess->block->len, 12);
	ctrl.major_version = 2;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EPROTO);
	ctrl.major_version = ZIO_MAJOR_VERSION;
	ctrl.ssize = 0;
	ctrl.nsamples = 5;
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -EINVAL);
	ctrl.major_version = 0;
	memset(ctrl.addr.devname, 'z', sizeof(ctrl.addr.devname));
	KUNIT_EXPECT_EQ(test, test_write(user->ctrl, &ctrl, sizeof(ctrl)), -ENXIO);
	KUNIT_EXPECT_EQ(test, user->sess->block->len, 12);
}

static struct kunit_case control_cases[] = {
	KUNIT_CASE(layout_is_that_of_1_x),
	KUNIT_CASE(control_has_all_fields),
	KUNIT_CASE(snapshot_is_of_its_time),
	KUNIT_CASE(equal_channels_share_a_snapshot),
	KUNIT_CASE(equal_values_keep_the_snapshot),
	KUNIT_CASE(control_of_a_program_is_checked),
	KUNIT_CASE(empty_control_is_completed),
	{}
};

TEST_SUITE("zio-control", control_cases);
