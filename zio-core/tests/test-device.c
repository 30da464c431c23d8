// SPDX-License-Identifier: GPL-2.0-only
/* test-device.c: actions of tests, and a device whose driver the test controls */
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/vmalloc.h>

#include "test-device.h"

/* Actions: kunit_add_action() of kernels from 6.5 on, also for those before. */

struct test_action {
	void (*run)(void *arg);
	void *arg;
};

static int init_action(struct kunit_resource *res, void *action)
{
	res->data = kmemdup(action, sizeof(struct test_action), GFP_KERNEL);
	return res->data ? 0 : -ENOMEM;
}

static void run_action(struct kunit_resource *res)
{
	struct test_action *action = res->data;

	action->run(action->arg);
	kfree(action);
}

static bool is_same_action(struct kunit *test, struct kunit_resource *res,
			   void *wanted)
{
	return res->free == run_action &&
		!memcmp(res->data, wanted, sizeof(struct test_action));
}

/* KUnit calls @action after the test. If memory is short, it runs now and the test ends. */
void test_add_action(struct kunit *test, void (*action)(void *arg), void *arg)
{
	struct test_action new = { .run = action, .arg = arg };

	if (kunit_alloc_resource(test, init_action, run_action, GFP_KERNEL, &new))
		return;
	action(arg);
	KUNIT_ASSERT_TRUE_MSG(test, false, "no memory for an action");
}

/* Calls an action of the test now, and only now. */
void test_release_action(struct kunit *test, void (*action)(void *arg), void *arg)
{
	struct test_action wanted = { .run = action, .arg = arg };

	KUNIT_EXPECT_EQ(test, kunit_destroy_resource(test, is_same_action, &wanted), 0);
}

static void unlock(void *lock)
{
	mutex_unlock(lock);
}

/* An assertion that fails while the test holds the lock leaves no lock behind. */
void test_lock(struct kunit *test, struct mutex *lock)
{
	mutex_lock(lock);
	test_add_action(test, unlock, lock);
}

void test_unlock(struct kunit *test, struct mutex *lock)
{
	test_release_action(test, unlock, lock);
}

static void free_vmalloc(void *mem)
{
	vfree(mem);
}

void *test_vmalloc(struct kunit *test, size_t size)
{
	void *mem = vmalloc(size);

	KUNIT_ASSERT_NOT_NULL(test, mem);
	test_add_action(test, free_vmalloc, mem);
	return mem;
}

static void unregister_board(void *pdev)
{
	platform_device_unregister(pdev);
}

/* A device that reaches all memory. Its DMA API needs no hardware. */
struct device *test_board_create(struct kunit *test)
{
	struct platform_device *pdev;

	pdev = platform_device_register_simple("zio-test-dma", -1, NULL, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pdev);
	test_add_action(test, unregister_board, pdev);
	KUNIT_ASSERT_EQ(test, dma_coerce_mask_and_coherent(&pdev->dev,
							   DMA_BIT_MASK(64)), 0);
	return &pdev->dev;
}

/* Skips the rest of a test whose two threads would only take turns. */
void test_need_processors(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one processor: no thread runs beside another");
}

static void stop_thread(void *thread)
{
	kthread_stop(thread);
}

/* @run returns when kthread_should_stop(); @arg outlives the thread. */
struct task_struct *test_thread_run(struct kunit *test, int (*run)(void *arg), void *arg)
{
	struct task_struct *thread = kthread_run(run, arg, "zio-test");

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	test_add_action(test, stop_thread, thread);
	return thread;
}

void test_thread_stop(struct kunit *test, struct task_struct *thread)
{
	test_release_action(test, stop_thread, thread);
}

/* Set by the first device. */
static ZIO_BUS_CONST struct bus_type *zio_bus_type;

static int count_device(struct device *dev, void *n)
{
	*(unsigned int *)n += str_has_prefix(dev_name(dev), "ztest-") > 0;
	return 0;
}

/* Returns the number of devices of tests that are registered now. */
unsigned int test_count_devices(void)
{
	unsigned int n = 0;

	if (zio_bus_type)
		bus_for_each_dev(zio_bus_type, NULL, &n, count_device);
	return n;
}

/* The driver of these tests writes what a test needs, and leaves the rest. */
#ifdef CONFIG_LOCKDEP
struct test_poison test_poison;

static void note_poison(struct zio_channel_core *chan, const struct zio_block *block, size_t at)
{
	WRITE_ONCE(test_poison.n, test_poison.n + 1);
	WRITE_ONCE(test_poison.at, at);
}

static void accept_poison(bool accept)
{
	if (accept)
		test_poison = (struct test_poison){ 0 };
	zio_poison_report_by(accept ? note_poison : NULL);
}
#else
static void accept_poison(bool accept)
{
}
#endif

/* The oldest action of each test: it runs after all others. */
static void check_devices(void *data)
{
	struct kunit *test = data;

	KUNIT_EXPECT_EQ(test, test_count_devices(), 0);
	accept_poison(false);
}

/* Checks for all suites that no device is left after a test. */
int test_init(struct kunit *test)
{
	accept_poison(true);
	test_add_action(test, check_devices, test);
	return 0;
}

/*
 * Checks for all suites that a test returns without a lock. Another thread calls this
 * function if the test was aborted.
 */
void test_exit(struct kunit *test)
{
	if (current->flags & PF_KTHREAD)
		KUNIT_EXPECT_EQ(test, lockdep_depth(current), 0);
}

/* The driver */

static int test_raw_io(struct zio_cset *cset)
{
	struct test_device *tdev = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block) {
		if (!block) /* a stream */
			continue;
		block->len -= tdev->short_by;
		if (tdev->fill)
			memset16(block->data, to_cset_core(cset)->fired - 1 +
				 TEST_SHOT * block->shot, block->len / 2);
	}
	tdev->io_calls++;
	tdev->watched_calls += tdev->watched == current;
	if (tdev->early)
		zio_cset_done(cset);
	if (tdev->start)
		tdev->start(tdev);
	return tdev->io_return;
}

static void test_stop_io(struct zio_cset *cset)
{
	struct test_device *tdev = zio_cset_priv(cset);

	tdev->stop_calls++;
	if (tdev->stop)
		tdev->stop(tdev);
}

static void test_refill(struct zio_cset *cset, struct zio_channel *chan)
{
	struct test_device *tdev = zio_cset_priv(cset);

	tdev->refills++;
	if (tdev->refill)
		tdev->refill(tdev, chan);
}

static int test_arm_event(struct zio_cset *cset, const struct timespec64 *at)
{
	struct test_device *tdev = zio_cset_priv(cset);

	tdev->events++;
	return tdev->event_return;
}

static int test_check_shape(struct zio_cset *cset, const struct zio_shape *shape)
{
	const struct test_device *tdev = zio_cset_priv(cset);
	u64 n = (u64)shape->pre_samples + shape->post_samples;

	return tdev->max_samples && n * shape->nshots > tdev->max_samples ? -E2BIG : 0;
}

static int test_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 value)
{
	struct test_device *tdev = zio_cset_priv(cset);

	tdev->attr_value = value;
	tdev->attr_index = chan ? (int)zio_channel_index(chan) : -1;
	if (!tdev->attr_error && tdev->new_scaling)
		zio_cset_set_scaling(cset, tdev->new_scaling_of, tdev->new_scaling);
	return tdev->attr_error;
}

static bool test_resumed(struct zio_cset *cset)
{
	struct test_device *tdev = zio_cset_priv(cset);

	tdev->resume_calls++;
	if (tdev->resume)
		tdev->resume(tdev);
	return tdev->resume_return;
}

static const struct zio_cset_ops test_ops = {
	.raw_io = test_raw_io,
	.stop_io = test_stop_io,
	.refill = test_refill,
	.check_shape = test_check_shape,
	.attr_set = test_attr_set,
	.resumed = test_resumed,
};

static const struct zio_cset_ops test_event_ops = {
	.raw_io = test_raw_io,
	.stop_io = test_stop_io,
	.refill = test_refill,
	.check_shape = test_check_shape,
	.arm_event = test_arm_event,
	.attr_set = test_attr_set,
	.resumed = test_resumed,
};

static const struct zio_attr_desc test_cset_attrs[] = {
	ZIO_ATTR_STD("nbits", 0644, ZIO_ATTR_NBITS, 12, 0),
};

static const u32 test_ranges[] = { 1, 2, 5, 10 };
static const u32 test_shifts[] = { -2, 0, 2 };

static const struct zio_attr_desc test_chan_attrs[] = {
	ZIO_ATTR_STD("gain-factor", 0644, ZIO_ATTR_GAIN, 1000, 0),
	ZIO_ATTR_EXT("threshold", 0644, 31, 77, 1),
	{
		.name = "level",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.value = -7,
		.min = -100,
		.max = 50,
		.is_signed = true,
	},
	{
		.name = "range",
		.mode = 0644,
		.value = 1,
		.min = 1,
		.max = 10,
		.choices = test_ranges,
		.n_choices = ARRAY_SIZE(test_ranges),
	},
	{
		.name = "shift",
		.mode = 0644,
		.min = -2,
		.max = 2,
		.is_signed = true,
		.choices = test_shifts,
		.n_choices = ARRAY_SIZE(test_shifts),
	},
};

/* The control of an interleaved set has no values of its channels. */
static const struct zio_attr_desc test_member_attrs[] = {
	ZIO_ATTR_PARAM("gain-factor", 0644, 1000, 0),
	ZIO_ATTR_PARAM("version", 0444, 3, 1),
};

/* Positions with a gap, between attributes of another kind */
static const struct zio_attr_desc test_value_attrs[] = {
	ZIO_ATTR_EXT("before", 0644, 7, 70, 0),
	ZIO_ATTR_BLOCK("mode", 8, 1),
	{
		.name = "repeat",
		.place = ZIO_ATTR_PLACE_BLOCK,
		.index = 9,
		.value = -1,
		.min = -1,
		.max = 100,
		.is_signed = true,
	},
	ZIO_ATTR_EXT("between", 0644, 10, 71, 0),
	{
		.name = "range",
		.place = ZIO_ATTR_PLACE_BLOCK,
		.index = 12,
		.value = 5,
		.choices = test_ranges,
		.n_choices = ARRAY_SIZE(test_ranges),
	},
	ZIO_ATTR_EXT("behind", 0644, 13, 72, 0),
};

/* The second one is for channel 1 of a set that has two channels. */
static const struct zio_scaling test_scaling[] = {
	{
		.flags = ZIO_SCALING_SIGNED | ZIO_SCALING_WRITABLE,
		.unit = ZIO_UNIT_V,
		.mant = 152588,
		.exp = -9,
		.offset = -5000,
	}, {
		.unit = ZIO_UNIT_K,
		.mant = 1,
	},
};

static void unregister_device(void *zdev)
{
	zio_device_unregister(zdev);
}

struct test_device *test_device_create(struct kunit *test, unsigned long flags,
				       unsigned int n_chan)
{
	struct test_device *tdev;

	tdev = kunit_kzalloc(test, sizeof(*tdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tdev);
	tdev->test = test;
	tdev->io_return = flags & ZIO_CSET_STREAM ? ZIO_PENDING : 0;
	tdev->cset_desc = (struct zio_cset_desc) {
		.flags = flags & ~(TEST_EVENTS | TEST_VALUES | TEST_TRAILER),
		.trailer = flags & TEST_TRAILER ? TEST_TRAILER_LEN : 0,
		.n_chan = n_chan,
		.ssize = 2,
		.ops = flags & TEST_EVENTS ? &test_event_ops : &test_ops,
		.cset_attrs = test_cset_attrs,
		.n_cset_attrs = ARRAY_SIZE(test_cset_attrs),
		.chan_attrs = test_chan_attrs,
		.n_chan_attrs = ARRAY_SIZE(test_chan_attrs),
		.scaling = test_scaling,
		.n_scaling = n_chan == 2 && !(flags & ZIO_CSET_INTERLEAVED) ? 2 : 1,
	};
	if (flags & ZIO_CSET_INTERLEAVED) {
		tdev->cset_desc.chan_attrs = test_member_attrs;
		tdev->cset_desc.n_chan_attrs = ARRAY_SIZE(test_member_attrs);
	}
	if (flags & TEST_VALUES && flags & ZIO_CSET_INTERLEAVED) {
		tdev->cset_desc.cset_attrs = test_value_attrs;
		tdev->cset_desc.n_cset_attrs = ARRAY_SIZE(test_value_attrs);
	} else if (flags & TEST_VALUES) {
		tdev->cset_desc.chan_attrs = test_value_attrs;
		tdev->cset_desc.n_chan_attrs = ARRAY_SIZE(test_value_attrs);
	}
	tdev->desc = (struct zio_device_desc) {
		.name = "ztest",
		.owner = THIS_MODULE,
		.cset = &tdev->cset_desc,
		.n_cset = 1,
	};
	tdev->zdev = zio_device_register(NULL, &tdev->desc, ZIO_ID_AUTO, tdev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tdev->zdev);
	zio_bus_type = tdev->zdev->dev.bus;
	test_add_action(test, unregister_device, tdev->zdev);
	tdev->cset = tdev->zdev->cset[0];
	return tdev;
}

/* The board goes before the test ends. */
void test_device_remove(struct test_device *tdev)
{
	test_release_action(tdev->test, unregister_device, tdev->zdev);
}

static void set_buffer(struct test_device *tdev, struct zio_channel_core *chan,
		       struct test_area area)
{
	if (area.kb)
		KUNIT_ASSERT_EQ(tdev->test, test_set_kb(chan, area.kb), 0);
	if (area.len)
		KUNIT_ASSERT_EQ(tdev->test, test_set_len(chan, area.len), 0);
}

/* The set uses buffers with memory that programs can map. */
void test_device_use_area(struct test_device *tdev, struct test_area area)
{
	struct zio_cset_core *cset = tdev->cset;
	unsigned int i;

	KUNIT_ASSERT_EQ(tdev->test, test_store(&cset->kobj, "current_buffer",
					       area.type ?: "vmalloc"), 0);
	for (i = 0; i < cset->n_chan; i++)
		set_buffer(tdev, cset->chan[i], area);
	if (area.nsamples)
		KUNIT_ASSERT_EQ(tdev->test, test_set_samples(cset, area.nsamples), 0);
}

static int fire_on(void *arg)
{
	struct test_device *tdev = arg;

	while (!kthread_should_stop()) {
		test_fire(tdev->cset);
		cond_resched();
	}
	return 0;
}

/* Fires in a thread until the thread is stopped. */
struct task_struct *test_device_run(struct test_device *tdev)
{
	return test_thread_run(tdev->test, fire_on, tdev);
}

/*
 * Counts the blocks that are free, armed, queued, and with users. It takes all free blocks
 * out of the buffer to count them, and puts them back.
 */
unsigned int test_count_owned(struct zio_channel_core *chan)
{
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	unsigned int n = zio_queue_count(&chan->queue);
	struct zio_armed *armed;
	struct zio_session *sess;
	struct zio_block_core *unread;
	struct zio_block *block;
	LIST_HEAD(free);

	if (zio_cset_is_stream(chan->cset))
		n += zio_stream_in_flight(chan);
	for (armed = chan->cset->pub.armed; armed->chan; armed++)
		n += armed->block && armed->chan == &chan->pub;
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
