// SPDX-License-Identifier: GPL-2.0-only
/* control_test.c: layout, snapshots, and controls that users write */
#include "engine/block.h"
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

static void fetch(struct zio_channel_core *chan, struct zio_control *ctrl)
{
	struct zio_block *block = zio_queue_pop(&chan->queue);

	*ctrl = to_block_core(block)->snap->ctrl;
	zio_control_fill(ctrl, block, chan->cset->ssize);
	chan->buf->type->ops->put_block(chan->buf, block);
}

static void control_tells_all(struct kunit *test)
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
			BIT(ZIO_ATTR_NBITS) | BIT(ZIO_ATTR_GAIN));
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_val[ZIO_ATTR_GAIN], 1000);
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_mask, BIT(31));
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.ext_val[31], 77);
	KUNIT_EXPECT_EQ(test, ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_POST_SAMP],
			16);
	KUNIT_EXPECT_NE(test, ctrl.tstamp.secs, 0);
	KUNIT_EXPECT_EQ(test, chan->blocks, 2);
	KUNIT_EXPECT_EQ(test, chan->bytes, 2 * 14 * 2);
	test_device_remove(tdev);
}

/* A block shows the attributes that were in force when it was taken, monitored or not. */
static void snapshot_is_of_its_time(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_control ctrl;

	test_fire(tdev->cset);
	mutex_lock(&tdev->cset->mutex);
	chan->attrs[0].value = 5;
	KUNIT_EXPECT_EQ(test, zio_channel_refresh(chan), 0);
	mutex_unlock(&tdev->cset->mutex);
	zio_sniff_block(chan, zio_queue_peek(&chan->queue));
	test_fire(tdev->cset);
	fetch(chan, &ctrl);
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_val[ZIO_ATTR_GAIN], 1000);
	fetch(chan, &ctrl);
	KUNIT_EXPECT_EQ(test, ctrl.attr_channel.std_val[ZIO_ATTR_GAIN], 5);
	test_device_remove(tdev);
}

static void user_control_is_not_believed(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION, .ssize = 2, .nsamples = 16,
	};

	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), 0);
	ctrl.nsamples = 17;
	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), -EMSGSIZE);
	ctrl.nsamples = U32_MAX;
	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), -EMSGSIZE);
	ctrl.nsamples = 0;
	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), -EMSGSIZE);
	ctrl.nsamples = 1;
	ctrl.ssize = 1;
	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), -EINVAL);
	ctrl.ssize = 2;
	memset(ctrl.addr.devname, 'z', sizeof(ctrl.addr.devname));
	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), -ENXIO);
	ctrl.major_version = 2;
	KUNIT_EXPECT_EQ(test, zio_control_check(chan, &ctrl, 32), -EPROTO);
	test_device_remove(tdev);
}

static struct kunit_case control_cases[] = {
	KUNIT_CASE(layout_is_that_of_1_x),
	KUNIT_CASE(control_tells_all),
	KUNIT_CASE(snapshot_is_of_its_time),
	KUNIT_CASE(user_control_is_not_believed),
	{}
};

static struct kunit_suite control_suite = {
	.name = "zio-control",
	.test_cases = control_cases,
};

kunit_test_suite(control_suite);
