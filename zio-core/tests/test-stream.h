/* SPDX-License-Identifier: GPL-2.0-only */
/* test-stream.h: a driver with many blocks in flight, for tests */
#ifndef _ZIO_TEST_STREAM_H
#define _ZIO_TEST_STREAM_H

#include <linux/zio-stream.h>

#include "test-device.h"

static inline struct test_device *create_stream(struct kunit *test, unsigned int n_chan)
{
	return test_device_create(test, ZIO_CSET_STREAM, n_chan);
}

/* Takes blocks, and writes the number of each, from @first on, into its first sample. */
static inline unsigned int take(struct zio_channel_core *chan, unsigned int n, u16 first)
{
	struct zio_block *block;
	unsigned int i;

	for (i = 0; i < n; i++) {
		block = zio_channel_take(&chan->pub);
		if (!block)
			break;
		*(u16 *)block->data = first + i;
	}
	return i;
}

static inline void expect_block(struct kunit *test, struct test_user *user, u32 seq, u16 value)
{
	struct zio_block *block = test_user_next(user);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, block);
	KUNIT_EXPECT_EQ(test, to_block_core(block)->seq, seq);
	KUNIT_EXPECT_EQ(test, *(u16 *)block->data, value);
	test_user_put(user);
}

/* Returns how many blocks the rows from @first on have. Each is that of its number. */
static inline unsigned int walk_rows(struct kunit *test, struct zio_channel_core *chan,
				     unsigned int first)
{
	struct zio_block *const *row;
	unsigned int i, n, count = first;

	for (;;) {
		n = UINT_MAX;
		row = zio_channel_in_flight_row(&chan->pub, count, &n);
		if (!row)
			return count - first;
		KUNIT_EXPECT_GT(test, n, 0);
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_PTR_EQ(test, row[i],
					    zio_channel_in_flight(&chan->pub, count + i));
		count += n;
	}
}

#endif /* _ZIO_TEST_STREAM_H */
