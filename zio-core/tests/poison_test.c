// SPDX-License-Identifier: GPL-2.0-only
/* poison_test.c: a debug kernel finds the memory of an input that its driver has not written */
#include "test-stream.h"

#ifdef CONFIG_LOCKDEP

#define SAMPLES	20	/* 40 bytes */

static struct test_device *create_input(struct kunit *test, unsigned long flags,
					const char *buffer)
{
	struct test_device *tdev = test_device_create(test, flags, 1);

	test_device_use_area(tdev, (struct test_area){ .type = buffer, .nsamples = SAMPLES });
	return tdev;
}

static void expect_poison(struct kunit *test, unsigned int n, size_t at)
{
	KUNIT_EXPECT_EQ(test, test_poison.n, n);
	KUNIT_EXPECT_EQ(test, test_poison.at, at);
}

/* The same memory again and again: the content of a former block is found, too. */
static void acquire(struct test_device *tdev, unsigned int n)
{
	struct test_user *user = test_user_open(tdev->test, tdev->cset->chan[0]);

	while (n--) {
		KUNIT_EXPECT_NOT_ERR_OR_NULL(tdev->test, test_user_next(user));
		test_user_put(user);
	}
	test_user_close(user);
}

static void block_that_is_written_has_none(struct kunit *test)
{
	struct test_device *tdev = create_input(test, 0, "kmalloc");

	tdev->fill = true;
	acquire(tdev, 50);
	test_device_use_area(tdev, (struct test_area){ .type = "vmalloc" });
	acquire(tdev, 50);
	expect_poison(test, 0, 0);
}

static void block_that_is_not_written_is_found(struct kunit *test)
{
	struct test_device *tdev = create_input(test, 0, "kmalloc");

	tdev->fill = true;
	acquire(tdev, 50);
	tdev->fill = false;
	acquire(tdev, 50);
	expect_poison(test, 50, 0);
	test_device_use_area(tdev, (struct test_area){ .type = "vmalloc" });
	acquire(tdev, 50);
	expect_poison(test, 100, 0);
}

/* The driver writes 40 bytes less @left, in the middle of other memory. */
static size_t left;

static void write_a_part(struct test_device *tdev)
{
	struct zio_block *block = zio_cset_block(&tdev->cset->pub);

	memset(block->data, 0, block->len - left);
}

static void rest_is_found(struct kunit *test)
{
	struct test_device *tdev = create_input(test, 0, "vmalloc");

	tdev->start = write_a_part;
	left = 8;
	acquire(tdev, 1);
	expect_poison(test, 1, 32);
	left = 0;
	acquire(tdev, 1);
	expect_poison(test, 1, 32);
}

/* A block of 38 bytes, whose last six are not written. */
static void rest_of_few_bytes_is_found(struct kunit *test)
{
	struct test_device *tdev = create_input(test, 0, "vmalloc");

	tdev->short_by = 2;
	tdev->start = write_a_part;
	left = 6;
	acquire(tdev, 1);
	expect_poison(test, 1, 32);
}

/* What the driver cuts off is nobody's. */
static void short_block_has_none(struct kunit *test)
{
	struct test_device *tdev = create_input(test, 0, "vmalloc");

	tdev->fill = true;
	tdev->short_by = 16;
	acquire(tdev, 3);
	expect_poison(test, 0, 0);
}

static void all_shots_are_looked_at(struct kunit *test)
{
	struct test_device *tdev = create_input(test, ZIO_CSET_SHOTS, "vmalloc");

	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->bind->kobj, "nshots", 3), 0);
	tdev->fill = true;
	test_fire(tdev->cset);
	expect_poison(test, 0, 0);
	tdev->fill = false;
	test_fire(tdev->cset);
	expect_poison(test, 3, 0);
}

/* The blocks are filled when the driver takes them, and looked at when they are complete. */
static void stream_is_looked_at(struct kunit *test)
{
	struct test_device *tdev = create_stream(test, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;

	test_device_use_area(tdev, (struct test_area){ .nsamples = SAMPLES });
	KUNIT_ASSERT_EQ(test, test_set_trigger(tdev->cset, "transparent"), 0);
	KUNIT_EXPECT_EQ(test, zio_channel_take_blocks(&chan->pub, 2), 2);
	block = zio_channel_take(&chan->pub);
	KUNIT_ASSERT_NOT_NULL(test, block);
	memset(block->data, 0, block->len);
	zio_channel_complete(&chan->pub, 1);
	expect_poison(test, 1, 0);
	zio_channel_complete(&chan->pub, 2);
	expect_poison(test, 2, 0);
}

static struct kunit_case poison_cases[] = {
	KUNIT_CASE(block_that_is_written_has_none),
	KUNIT_CASE(block_that_is_not_written_is_found),
	KUNIT_CASE(rest_is_found),
	KUNIT_CASE(rest_of_few_bytes_is_found),
	KUNIT_CASE(short_block_has_none),
	KUNIT_CASE(all_shots_are_looked_at),
	KUNIT_CASE(stream_is_looked_at),
	{}
};

#else

static void only_debug_kernels_look(struct kunit *test)
{
	kunit_skip(test, "no debug kernel");
}

static struct kunit_case poison_cases[] = {
	KUNIT_CASE(only_debug_kernels_look),
	{}
};

#endif

TEST_SUITE("zio-poison", poison_cases);
