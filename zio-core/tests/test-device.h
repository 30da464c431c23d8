/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test-device.h: a device whose driver the test controls, and users of its nodes
 *
 * An assertion that fails ends the thread of its test. So all that a test creates, opens,
 * starts or locks by these functions is an action of the test: KUnit undoes it after the
 * test, the newest first. Functions that undo it earlier are for tests that need this.
 */
#ifndef _ZIO_TEST_DEVICE_H
#define _ZIO_TEST_DEVICE_H

#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/configfs.h>
#include <linux/mutex.h>
#include <linux/poll.h>

#include "channel/internal.h"
#include "config/internal.h"
#include "device/internal.h"
#include "engine/internal.h"
#include "share/internal.h"
#include "trigger/internal.h"

/* A suite whose tests begin and end as this header needs it; more members may follow. */
#define TEST_SUITE(name_, cases, ...)					\
	static struct kunit_suite cases ## _suite = {			\
		.name = name_, .init = test_init, .exit = test_exit,	\
		.test_cases = cases, __VA_ARGS__			\
	};								\
	kunit_test_suite(cases ## _suite)

/*
 * Waits until the condition holds, which another task sees to. Only a hang takes the limit:
 * a minute, on a machine that is eight times slower. Returns whether the condition holds.
 */
#define test_wait_for(condition) ({					\
	unsigned long end_ = jiffies + 480 * HZ;			\
	bool last_, is_met_;						\
									\
	do {								\
		last_ = time_after_eq(jiffies, end_);			\
		is_met_ = (condition);					\
		if (!is_met_ && !last_)					\
			schedule_timeout_uninterruptible(1);		\
	} while (!is_met_ && !last_);					\
	is_met_;							\
})

/**
 * struct test_device - a registered device with one channel set
 * @test: the test that created it
 * @zdev: the device
 * @cset: its set
 * @desc: describes the device
 * @cset_desc: describes the set
 * @io_return: what raw_io() returns
 * @early: raw_io() calls zio_cset_done() itself, then returns ZIO_PENDING
 * @short_by: bytes by which raw_io() shortens each block
 * @fill: raw_io() writes the number of the event (from 0), and the shot, into each sample
 * @max_samples: of all shots that check_shape() accepts; 0: all
 * @io_calls: number of calls of raw_io(); the core makes none for an event without blocks
 * @watched: a task, or NULL
 * @watched_calls: number of calls of raw_io() by @watched
 * @stop_calls: number of calls of stop_io()
 * @refills: number of calls of refill()
 * @start: raw_io() calls it; or NULL
 * @stop: stop_io() calls it; or NULL
 * @refill: refill() calls it; or NULL
 * @events: number of calls of arm_event()
 * @event_return: what arm_event() returns
 * @attr_value: what attr_set() got
 * @attr_index: and the number of its channel; -1: it was an attribute of the set
 * @new_scaling: what attr_set() makes of @new_scaling_of; or NULL
 * @new_scaling_of: number of a channel, or ZIO_ALL_CHANNELS
 * @attr_error: what attr_set() returns
 * @resume_calls: number of calls of resumed()
 * @resume_return: what resumed() returns
 * @resume: resumed() calls it; or NULL
 */
struct test_device {
	struct kunit *test;
	struct zio_device *zdev;
	struct zio_cset_core *cset;
	struct zio_device_desc desc;
	struct zio_cset_desc cset_desc;
	int io_return;
	bool early;
	size_t short_by;
	bool fill;
	u32 max_samples;
	unsigned int io_calls;
	const struct task_struct *watched;
	unsigned int watched_calls;
	unsigned int stop_calls;
	unsigned int refills;
	void (*start)(struct test_device *tdev);
	void (*stop)(struct test_device *tdev);
	void (*refill)(struct test_device *tdev, struct zio_channel *chan);
	unsigned int events;
	int event_return;
	u32 attr_value;
	int attr_index;
	const struct zio_scaling *new_scaling;
	unsigned int new_scaling_of;
	int attr_error;
	unsigned int resume_calls;
	bool resume_return;
	void (*resume)(struct test_device *tdev);
};

/*
 * For test_device_create(): the driver has arm_event(); its blocks have values; the board
 * writes behind samples
 */
#define TEST_EVENTS	BIT(31)
#define TEST_VALUES	BIT(30)
#define TEST_TRAILER	BIT(29)

#define TEST_TRAILER_LEN	13
#define TEST_SHOT		1000	/* what a shot adds to the samples */

/**
 * struct test_area - buffers of a set
 * @type: name of the buffer type; NULL for "vmalloc"
 * @kb: KiB of each area
 * @len: blocks of each buffer
 * @nsamples: samples of each block
 *
 * A value of zero leaves the default.
 */
struct test_area {
	const char *type;
	u32 kb;
	u32 len;
	u32 nsamples;
};

/* How many blocks the core has found that were not written, and where the last one begins to */
extern struct test_poison {
	unsigned int n;
	size_t at;
} test_poison;

/* test-device.c */
int test_init(struct kunit *test);
void test_exit(struct kunit *test);
void test_add_action(struct kunit *test, void (*action)(void *arg), void *arg);
void test_release_action(struct kunit *test, void (*action)(void *arg), void *arg);
void test_lock(struct kunit *test, struct mutex *lock);
void test_unlock(struct kunit *test, struct mutex *lock);
void *test_vmalloc(struct kunit *test, size_t size);
struct device *test_board_create(struct kunit *test);
void test_need_processors(struct kunit *test);
struct task_struct *test_thread_run(struct kunit *test, int (*run)(void *arg), void *arg);
void test_thread_stop(struct kunit *test, struct task_struct *thread);

unsigned int test_count_devices(void);
struct test_device *test_device_create(struct kunit *test, unsigned long flags,
				       unsigned int n_chan);
void test_device_remove(struct test_device *tdev);
void test_device_use_area(struct test_device *tdev, struct test_area area);
struct task_struct *test_device_run(struct test_device *tdev);
unsigned int test_count_owned(struct zio_channel_core *chan);

/* An event of the set's trigger, now. Returns as zio_cset_arm_event(). */
static inline int test_fire(struct zio_cset_core *cset)
{
	struct timespec64 now;
	int ret;

	zio_trigger_read_clock(cset->bind->trig, &now);
	rcu_read_lock();
	ret = zio_cset_arm_event(cset->bind, &now);
	rcu_read_unlock();
	return ret;
}

static inline void test_fire_events(struct test_device *tdev, unsigned int n)
{
	while (n--)
		test_fire(tdev->cset);
}

/* As a change of the configuration: the core takes back what is armed. */
static inline void test_freeze_once(struct zio_cset_core *cset)
{
	mutex_lock(&cset->mutex);
	zio_cset_freeze(cset);
	zio_cset_unfreeze(cset);
	mutex_unlock(&cset->mutex);
}

/* Returns as poll() of a program that does not wait: POLLIN and others. */
static inline int test_poll(struct file *file)
{
	return (__force int)vfs_poll(file, NULL);
}

/* Only the test acquires blocks: no read and no poll does. */
static inline void test_stop_demand(struct test_device *tdev)
{
	struct zio_cset_core *cset = tdev->cset;

	WRITE_ONCE(cset->on_demand, false);
	WRITE_ONCE(cset->can_pull, false);
	WRITE_ONCE(cset->is_kicked, cset->rearm);
	WRITE_ONCE(cset->is_armed_ahead, cset->rearm);
}

/* test-user.c */

/**
 * struct test_user - a program that has both nodes of a channel open, non-blocking
 * @test: the test that opened it
 * @ctrl: the control node
 * @data: the data node
 * @sess: the session of both
 */
struct test_user {
	struct kunit *test;
	struct file *ctrl;
	struct file *data;
	struct zio_session *sess;
};

int test_store(struct kobject *kobj, const char *name, const char *text);
int test_store_u32(struct kobject *kobj, const char *name, u32 value);
const char *test_show(struct kunit *test, struct kobject *kobj, const char *name);
void test_read_control(struct zio_channel_core *chan, struct zio_control *ctrl);
struct config_item *test_make_item(struct kunit *test, const char *folder,
				   const char *type, const char *name);
int test_store_item(struct config_item *item, const char *name, const char *text);
const char *test_show_item(struct kunit *test, struct config_item *item, const char *name);
void test_fput(void *file);
struct file *test_open_node(struct kunit *test, const char *name, int flags);
struct file *test_open(struct kunit *test, struct zio_channel_core *chan,
		       const char *node, int flags);
void test_close(struct kunit *test, struct file *file);
ssize_t test_read(struct file *file, void *data, size_t n);
ssize_t test_write(struct file *file, const void *data, size_t n);
struct file *test_open_ring(struct kunit *test, struct zio_channel_core *chan);

struct test_user *test_user_open(struct kunit *test, struct zio_channel_core *chan);
void test_user_close(struct test_user *user);
struct zio_block *test_user_next(struct test_user *user);
void test_user_put(struct test_user *user);

static inline int test_set_len(struct zio_channel_core *chan, u32 len)
{
	return test_store_u32(&chan->buf->kobj, "max-buffer-len", len);
}

static inline int test_set_kb(struct zio_channel_core *chan, u32 kb)
{
	return test_store_u32(&chan->buf->kobj, "max-buffer-kb", kb);
}

static inline int test_set_watermark(struct zio_channel_core *chan, u32 n)
{
	return test_store_u32(&chan->buf->kobj, "watermark", n);
}

static inline int test_set_samples(struct zio_cset_core *cset, u32 n)
{
	return test_store_u32(&cset->bind->kobj, "post-samples", n);
}

static inline int test_enable_trigger(struct zio_cset_core *cset, bool enable)
{
	return test_store_u32(&cset->bind->kobj, "enable", enable);
}

static inline int test_set_source(struct zio_channel_core *out, const char *name)
{
	return test_store(&out->buf->kobj, "source", name);
}

static inline int test_set_trigger(struct zio_cset_core *cset, const char *name)
{
	return test_store(&cset->kobj, "current_trigger", name);
}

/* Whether a task waits for the lock. With PREEMPT_RT a mutex is of another kind. */
static inline bool test_has_waiter(const struct mutex *lock)
{
#ifdef CONFIG_PREEMPT_RT
	return READ_ONCE(lock->rtmutex.waiters.rb_root.rb_node);
#else
	/* MUTEX_FLAG_WAITERS, which no header of the kernel has */
	return atomic_long_read(&lock->owner) & BIT(0);
#endif
}

/* The bounds of the array of suites, from suites.lds */
extern struct kunit_suite * const zio_suites_begin[];
extern struct kunit_suite * const zio_suites_end[];

#endif /* _ZIO_TEST_DEVICE_H */
