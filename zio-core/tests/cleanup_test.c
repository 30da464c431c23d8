// SPDX-License-Identifier: GPL-2.0-only
/* cleanup_test.c: a test whose assertion fails leaves no object behind */
#include "test-device.h"

/* A test inside a test. It ends like one whose assertion fails. */
struct inner_test {
	struct kunit kunit;
	unsigned int n_devices;
};

static void fail_in_the_middle(void *context)
{
	struct inner_test *inner = context;
	struct kunit *test = &inner->kunit;
	struct test_device *in = test_device_create(test, 0, 2);
	struct test_device *out = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	struct test_user *writer;

	test_device_use_area(in, (struct test_area){ .len = 8 });
	out->io_return = ZIO_PENDING;
	writer = test_user_open(test, out->cset->chan[0]);
	test_write(writer->data, "1234567890", 10);
	test_user_next(test_user_open(test, in->cset->chan[0]));
	test_device_run(in);
	inner->n_devices = test_count_devices();
	kunit_try_catch_throw(&test->try_catch);
}

/* Cleans up as KUnit does after an aborted test, in another thread than the test's. */
static void clean_up(void *context)
{
	struct inner_test *inner = context;

	kunit_cleanup(&inner->kunit);
}

static void failed_assertion_leaves_no_device(struct kunit *test)
{
	struct inner_test *inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, inner);
	kunit_init_test(&inner->kunit, "inner", NULL);
	inner->kunit.try_catch = (struct kunit_try_catch) {
		.test = &inner->kunit,
		.try = fail_in_the_middle,
		.catch = clean_up,
	};
	kunit_try_catch_run(&inner->kunit.try_catch, inner);
	KUNIT_EXPECT_EQ(test, inner->n_devices, 2);
	KUNIT_EXPECT_EQ(test, test_count_devices(), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&inner->kunit.resources));
}

/* Runs in one thread: lockdep reports a thread that ends with a lock held. */
static void held_lock_is_released(struct kunit *test)
{
	struct inner_test *inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);
	struct zio_cset_core *cset = test_device_create(test, 0, 1)->cset;

	KUNIT_ASSERT_NOT_NULL(test, inner);
	kunit_init_test(&inner->kunit, "inner", NULL);
	test_lock(&inner->kunit, &cset->mutex);
	test_lock(&inner->kunit, &cset->chan[0]->lock);
	KUNIT_EXPECT_TRUE(test, mutex_is_locked(&cset->mutex));
	test_unlock(&inner->kunit, &cset->chan[0]->lock);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&cset->chan[0]->lock));
	KUNIT_EXPECT_TRUE(test, mutex_is_locked(&cset->mutex));
	clean_up(inner);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&cset->mutex));
	KUNIT_EXPECT_EQ(test, inner->kunit.status, KUNIT_SUCCESS);
}

static struct kunit_case cleanup_cases[] = {
	KUNIT_CASE(failed_assertion_leaves_no_device),
	KUNIT_CASE(held_lock_is_released),
	{}
};

TEST_SUITE("zio-cleanup", cleanup_cases);
