// SPDX-License-Identifier: GPL-2.0-only
/* test-device.c: a device whose driver does what the test says */
#include <linux/module.h>

#include "test-device.h"

static int test_raw_io(struct zio_cset *cset)
{
	struct test_device *tdev = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block) {
		block->len -= tdev->short_by;
		if (tdev->fill)
			memset16(block->data, to_cset_core(cset)->fired - 1, block->len / 2);
	}
	tdev->io_calls++;
	tdev->watched_calls += tdev->watched == current;
	if (tdev->early)
		zio_cset_done(cset);
	return tdev->io_return;
}

static void test_stop_io(struct zio_cset *cset)
{
	struct test_device *tdev = zio_cset_priv(cset);

	tdev->stop_calls++;
}

static int test_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 value)
{
	struct test_device *tdev = zio_cset_priv(cset);

	return tdev->attr_error;
}

static const struct zio_cset_ops test_ops = {
	.raw_io = test_raw_io,
	.stop_io = test_stop_io,
	.attr_set = test_attr_set,
};

static const struct zio_attr_desc test_cset_attrs[] = {
	ZIO_ATTR_STD("nbits", 0644, ZIO_ATTR_NBITS, 12, 0),
};

static const struct zio_attr_desc test_chan_attrs[] = {
	ZIO_ATTR_STD("gain-factor", 0644, ZIO_ATTR_GAIN, 1000, 0),
	ZIO_ATTR_EXT("threshold", 0644, 31, 77, 1),
};

struct test_device *test_device_create(struct kunit *test, unsigned long flags,
				       unsigned int n_chan)
{
	struct test_device *tdev;
	int ret;

	tdev = kunit_kzalloc(test, sizeof(*tdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tdev);
	tdev->cset_desc = (struct zio_cset_desc) {
		.flags = flags,
		.n_chan = n_chan,
		.ssize = 2,
		.ops = &test_ops,
		.cset_attrs = test_cset_attrs,
		.n_cset_attrs = ARRAY_SIZE(test_cset_attrs),
		.chan_attrs = test_chan_attrs,
		.n_chan_attrs = ARRAY_SIZE(test_chan_attrs),
	};
	tdev->desc = (struct zio_device_desc) {
		.name = "ztest",
		.owner = THIS_MODULE,
		.cset = &tdev->cset_desc,
		.n_cset = 1,
	};
	tdev->zdev = zio_device_alloc(NULL, &tdev->desc, ZIO_ID_AUTO, tdev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tdev->zdev);
	ret = zio_device_register(tdev->zdev);
	if (ret)
		zio_device_free(tdev->zdev);
	KUNIT_ASSERT_EQ(test, ret, 0);
	tdev->cset = tdev->zdev->cset[0];
	return tdev;
}

void test_device_remove(struct test_device *tdev)
{
	zio_device_unregister(tdev->zdev);
}

/* Free + device + queue + user, by counting each; takes the free ones apart. */
unsigned int test_count_owned(struct zio_channel_core *chan)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	unsigned int n = zio_queue_count(&chan->queue);
	struct zio_armed *armed;
	struct zio_session *sess;
	struct zio_block_core *unread;
	struct zio_block *block;
	LIST_HEAD(free);

	for (armed = chan->cset->pub.armed; armed->chan; armed++)
		n += armed->chan == &chan->pub;
	list_for_each_entry(sess, &chan->sessions, node)
		n += !!sess->block;
	list_for_each_entry(unread, &chan->unread, link)
		n++;
	while ((block = ops->get_block(chan->buf))) {
		list_add(&to_block_core(block)->link, &free);
		n++;
	}
	while (!list_empty(&free)) {
		unread = list_first_entry(&free, struct zio_block_core, link);
		list_del(&unread->link);
		ops->put_block(chan->buf, &unread->block);
	}
	return n;
}
