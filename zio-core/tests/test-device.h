/* SPDX-License-Identifier: GPL-2.0-only */
/* test-device.h: a device whose driver does what the test says */
#ifndef _ZIO_TEST_DEVICE_H
#define _ZIO_TEST_DEVICE_H

#include <kunit/test.h>

#include "channel/internal.h"
#include "config/internal.h"
#include "engine/internal.h"
#include "share/internal.h"
#include "trigger/internal.h"

/**
 * struct test_device - a registered device with one channel set
 * @cset: its set
 * @io_return: what raw_io() returns
 * @early: raw_io() calls zio_cset_done() itself, then returns -EAGAIN
 * @short_by: bytes by which raw_io() shortens each block
 * @fill: raw_io() writes the number of the event (from 0) into each sample
 * @io_calls: how often raw_io() was called: not for events without a block
 * @watched: a task, or NULL
 * @watched_calls: how often raw_io() was called by it
 * @stop_calls: how often stop_io() was called
 * @attr_error: what attr_set() returns
 */
struct test_device {
	struct zio_device *zdev;
	struct zio_cset_core *cset;
	struct zio_device_desc desc;
	struct zio_cset_desc cset_desc;
	int io_return;
	bool early;
	size_t short_by;
	bool fill;
	unsigned int io_calls;
	const struct task_struct *watched;
	unsigned int watched_calls;
	unsigned int stop_calls;
	int attr_error;
};

struct test_device *test_device_create(struct kunit *test, unsigned long flags,
				       unsigned int n_chan);
void test_device_remove(struct test_device *tdev);
unsigned int test_count_owned(struct zio_channel_core *chan);

/* An event of the set's trigger, now. Returns as zio_cset_arm_event(). */
static inline int test_fire(struct zio_cset_core *cset)
{
	return zio_cset_arm_event(cset->bind, NULL);
}

#endif /* _ZIO_TEST_DEVICE_H */
