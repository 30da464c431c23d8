// SPDX-License-Identifier: GPL-2.0-only
/* splice_test.c: a pinned block returns when nothing refers to its pages */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched.h>

#include "channel/pipe.h"
#include "test-device.h"

#define BLOCKS	4

struct pinned {
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	struct zio_block *block;
	struct zio_area *area;
	struct zio_block_pin *pin;
};

/* The reader takes the next block. Returns a pin of it; NULL if it cannot be pinned. */
static struct zio_block_pin *pin_next(struct pinned *l)
{
	struct kunit *test = l->tdev->test;
	struct zio_block_pin *pin;

	l->block = test_user_next(l->user);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, l->block);
	test_lock(test, &l->chan->lock);
	pin = zio_pin_create(l->chan, l->block);
	test_unlock(test, &l->chan->lock);
	return pin;
}

/*
 * One block of a page is pinned, by the session and by a pipe buffer. There are few
 * descriptors: they are freed with preemption disabled, below.
 */
static void pin_one(struct kunit *test, struct pinned *l)
{
	l->tdev = test_device_create(test, 0, 1);
	l->chan = l->tdev->cset->chan[0];
	test_device_use_area(l->tdev, (struct test_area){
		.kb = 4 * BLOCKS, .len = 2 * BLOCKS, .nsamples = 2048 });
	l->user = test_user_open(test, l->chan);
	l->area = l->chan->buf->area;
	l->pin = pin_next(l);
	KUNIT_ASSERT_NOT_NULL(test, l->pin);
	zio_mem_get(&l->pin->mem);
	test_user_put(l->user);
}

/* The program and the board go before the test ends. */
static void end(struct pinned *l)
{
	test_user_close(l->user);
	test_device_remove(l->tdev);
}

/* Returns how many blocks the channel can acquire until it loses one. */
static unsigned int count_room(struct pinned *l)
{
	unsigned int n = 0;

	while (zio_cset_arm_channel(l->chan, 0) != -ENOBUFS)
		n++;
	return n;
}

static void pinned_block_is_not_used_again(struct kunit *test)
{
	struct pinned l;

	pin_one(test, &l);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -1);
	KUNIT_EXPECT_FALSE(test, zio_area_retire(l.area));
	KUNIT_EXPECT_EQ(test, count_room(&l), BLOCKS - 1);
	zio_mem_put(&l.pin->mem);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
	KUNIT_EXPECT_EQ(test, count_room(&l), 1);
}

/* A socket refers to the page. No event tells when it drops the reference. */
static void page_of_a_socket_is_busy(struct kunit *test)
{
	struct page *page;
	struct pinned l;

	pin_one(test, &l);
	page = vmalloc_to_page(l.block->data);
	get_page(page);
	zio_mem_put(&l.pin->mem);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -1);
	KUNIT_EXPECT_EQ(test, count_room(&l), BLOCKS - 1);
	schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -1);
	put_page(page);
	KUNIT_EXPECT_TRUE(test, test_wait_for(!atomic_read(&l.area->maps)));
	KUNIT_EXPECT_EQ(test, count_room(&l), 1);
}

static void mapped_area_is_not_pinned(struct kunit *test)
{
	struct pinned l;

	pin_one(test, &l);
	zio_mem_put(&l.pin->mem);
	atomic_inc(&l.area->maps);
	KUNIT_EXPECT_NULL(test, pin_next(&l));
	atomic_dec(&l.area->maps);
}

/*
 * A pipe has a block, and holds the buffer. A socket has a page of another one. Its pin
 * ends, as nothing fills the block again.
 */
static void board_goes(struct kunit *test)
{
	struct zio_channel_core *chan;
	struct zio_block_pin *second;
	struct page *page;
	struct pinned l;

	pin_one(test, &l);
	chan = l.chan;
	kobject_get(&chan->kobj);
	second = pin_next(&l);
	KUNIT_ASSERT_NOT_NULL(test, second);
	page = vmalloc_to_page(l.block->data);
	get_page(page);
	test_user_put(l.user);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -2);
	KUNIT_EXPECT_EQ(test, zio_pins_count(chan).blocks, 2);
	end(&l);
	KUNIT_EXPECT_NULL(test, chan->buf);
	KUNIT_EXPECT_TRUE(test, test_wait_for(zio_pins_count(chan).blocks == 1));
	KUNIT_EXPECT_EQ(test, zio_pins_count(chan).bytes, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, refcount_read(&l.pin->mem.buf->ref), 1);
	zio_mem_put(&l.pin->mem);
	KUNIT_EXPECT_EQ(test, zio_pins_count(chan).blocks, 0);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
	put_page(page);
	KUNIT_EXPECT_TRUE(test, test_wait_for(kref_read(&chan->kobj.kref) == 1));
	kobject_put(&chan->kobj);
}

/* A pin holds the buffer, which holds the area and the channel, and drops it. */
static void pin_is_given_back(struct kunit *test)
{
	struct zio_block_pin *pin;
	struct zio_buffer *buf;
	struct pinned l;
	int module;

	pin_one(test, &l);
	zio_mem_put(&l.pin->mem);
	buf = l.chan->buf;
	module = module_refcount(l.user->data->f_op->owner);
	KUNIT_EXPECT_EQ(test, refcount_read(&buf->ref), 1);
	pin = pin_next(&l);
	KUNIT_ASSERT_NOT_NULL(test, pin);
	KUNIT_EXPECT_EQ(test, refcount_read(&buf->ref), 2);
	zio_mem_get(&pin->mem);
	zio_mem_put(&pin->mem);
	KUNIT_EXPECT_EQ(test, refcount_read(&buf->ref), 2);
	test_user_put(l.user);
	KUNIT_EXPECT_EQ(test, refcount_read(&buf->ref), 1);
	KUNIT_EXPECT_EQ(test, module_refcount(l.user->data->f_op->owner), module);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
}

/* Another block has the page: the pin does not look at it. */
static void page_behind_is_not_looked_at(struct kunit *test)
{
	struct page *page;
	struct pinned l;

	pin_one(test, &l);
	page = vmalloc_to_page(l.block->data + l.block->len);
	get_page(page);
	zio_mem_put(&l.pin->mem);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
	put_page(page);
}

/*
 * The last pin outlives its board. The code that puts it is still in the text of the
 * module: so the module goes later. No ordinary task runs on this processor meanwhile.
 */
static void module_stays_for_the_last_pin(struct kunit *test)
{
	int before, after;
	struct module *zio;
	struct pinned l;

	pin_one(test, &l);
	zio = l.user->data->f_op->owner;
	end(&l);
	/* A kernel thread leaves the last step of each close to a work item. */
	flush_delayed_fput();
	kref_get(&l.area->ref);
	migrate_disable();
	sched_set_fifo(current);
	before = module_refcount(zio);
	zio_mem_put(&l.pin->mem);
	after = module_refcount(zio);
	sched_set_normal(current, 0);
	migrate_enable();
	zio_area_put(l.area);
	KUNIT_EXPECT_EQ(test, after, before);
	KUNIT_EXPECT_TRUE(test, test_wait_for(module_refcount(zio) == before - 1));
}

/* The kernel does not ask for nothing. A caller of its own could, and would never return. */
static void nothing_is_spliced_at_once(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct test_user *user = test_user_open(test, tdev->cset->chan[0]);
	struct pipe_inode_info *pipe = kunit_kzalloc(test, sizeof(*pipe), GFP_KERNEL);
	struct file *file[] = { user->data, user->ctrl };
	unsigned int i;
	loff_t pos = 0;

	KUNIT_ASSERT_NOT_NULL(test, pipe);
	pipe->readers = 1;
	pipe->max_usage = 1;
	for (i = 0; i < ARRAY_SIZE(file); i++)
		KUNIT_EXPECT_EQ(test, file[i]->f_op->splice_read(file[i], &pos, pipe, 0, 0),
				0);
}

static struct kunit_case splice_cases[] = {
	KUNIT_CASE(pinned_block_is_not_used_again),
	KUNIT_CASE(page_of_a_socket_is_busy),
	KUNIT_CASE(mapped_area_is_not_pinned),
	KUNIT_CASE(board_goes),
	KUNIT_CASE(pin_is_given_back),
	KUNIT_CASE(page_behind_is_not_looked_at),
	KUNIT_CASE(module_stays_for_the_last_pin),
	KUNIT_CASE(nothing_is_spliced_at_once),
	{}
};

TEST_SUITE("zio-splice", splice_cases);
