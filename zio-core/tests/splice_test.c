// SPDX-License-Identifier: GPL-2.0-only
/* splice_test.c: a block that is lent stays until nobody has its pages */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "test-device.h"

#define BLOCKS	4

struct lent {
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct zio_session *sess;
	struct zio_block *block;
	struct zio_area *area;
	struct zio_loan *loan;
};

/* One block of a page is lent, to the session and to one more. */
static void lend(struct kunit *test, struct lent *l)
{
	struct zio_cset_core *cset;

	l->tdev = test_device_create(test, 0, 1);
	cset = l->tdev->cset;
	l->chan = cset->chan[0];
	mutex_lock(&cset->change);
	KUNIT_ASSERT_EQ(test, zio_buffers_change(cset, "vmalloc"), 0);
	mutex_unlock(&cset->change);
	mutex_lock(&cset->mutex);
	KUNIT_ASSERT_EQ(test, zio_buffer_set_kb(l->chan->buf, 4 * BLOCKS), 0);
	KUNIT_ASSERT_EQ(test, zio_binding_set_samples(cset->bind, 0, 2048), 0);
	mutex_unlock(&cset->mutex);
	l->sess = zio_session_open(l->chan);
	zio_session_lock(l->sess);
	KUNIT_ASSERT_EQ(test, zio_session_next(l->sess, true), 0);
	l->block = l->sess->block;
	l->area = l->chan->buf->area;
	l->loan = zio_loan_create(l->chan, l->block);
	KUNIT_ASSERT_NOT_NULL(test, l->loan);
	KUNIT_ASSERT_TRUE(test, zio_loan_get(l->loan));
	zio_session_put(l->sess);
	zio_session_unlock(l->sess);
}

static void end(struct lent *l)
{
	zio_session_close(l->sess);
	test_device_remove(l->tdev);
}

/* How many blocks can be made until one is lost. */
static unsigned int count_room(struct lent *l)
{
	unsigned int n = 0;

	while (zio_cset_arm_channel(l->chan, 0) != -ENOBUFS)
		n++;
	return n;
}

static void lent_block_is_not_used_again(struct kunit *test)
{
	struct lent l;

	lend(test, &l);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -1);
	KUNIT_EXPECT_FALSE(test, zio_area_retire(l.area));
	KUNIT_EXPECT_EQ(test, count_room(&l), BLOCKS - 1);
	zio_loan_put(l.loan);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
	KUNIT_EXPECT_EQ(test, count_room(&l), 1);
	end(&l);
}

/* As a socket has it: nobody tells when it has done with the page. */
static void page_that_somebody_has_is_late(struct kunit *test)
{
	struct page *page;
	struct lent l;
	int i;

	lend(test, &l);
	page = vmalloc_to_page(l.block->data);
	get_page(page);
	zio_loan_put(l.loan);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -1);
	KUNIT_EXPECT_EQ(test, count_room(&l), BLOCKS - 1);
	schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -1);
	put_page(page);
	for (i = 0; i < 2000 && atomic_read(&l.area->maps); i++)
		schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
	KUNIT_EXPECT_EQ(test, count_room(&l), 1);
	end(&l);
}

static void what_is_mapped_is_not_lent(struct kunit *test)
{
	struct lent l;

	lend(test, &l);
	zio_loan_put(l.loan);
	zio_session_lock(l.sess);
	KUNIT_ASSERT_EQ(test, zio_session_next(l.sess, true), 0);
	atomic_inc(&l.area->maps);
	KUNIT_EXPECT_NULL(test, zio_loan_create(l.chan, l.sess->block));
	atomic_dec(&l.area->maps);
	zio_session_unlock(l.sess);
	end(&l);
}

/* Both, one that a pipe has and one that is late. */
static void board_goes(struct kunit *test)
{
	struct zio_channel_core *chan;
	struct zio_loan *second;
	struct page *page;
	struct lent l;

	lend(test, &l);
	chan = l.chan;
	kobject_get(&chan->kobj);
	zio_session_lock(l.sess);
	KUNIT_ASSERT_EQ(test, zio_session_next(l.sess, true), 0);
	page = vmalloc_to_page(l.sess->block->data);
	get_page(page);
	second = zio_loan_create(chan, l.sess->block);
	KUNIT_ASSERT_NOT_NULL(test, second);
	zio_session_put(l.sess);
	zio_session_unlock(l.sess);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), -2);
	end(&l);
	KUNIT_EXPECT_NULL(test, chan->buf);
	put_page(page);
	zio_loan_put(l.loan);
	kobject_put(&chan->kobj);
}

/* Each of them is a reference that a loan has, and gives back. */
struct pins {
	unsigned int chan, area;
	int module;
};

static struct pins count_pins(const struct lent *l)
{
	return (struct pins) {
		.chan = kref_read(&l->chan->kobj.kref),
		.area = kref_read(&l->area->ref),
		.module = module_refcount(zio_data_in_fops.owner),
	};
}

static void expect_pins(struct kunit *test, const struct lent *l, struct pins pins)
{
	struct pins now = count_pins(l);

	KUNIT_EXPECT_EQ(test, now.chan, pins.chan);
	KUNIT_EXPECT_EQ(test, now.area, pins.area);
	KUNIT_EXPECT_EQ(test, now.module, pins.module);
}

static void pins_are_given_back(struct kunit *test)
{
	struct zio_loan *loan;
	struct pins pins;
	struct lent l;

	lend(test, &l);
	zio_loan_put(l.loan);
	pins = count_pins(&l);
	zio_session_lock(l.sess);
	KUNIT_ASSERT_EQ(test, zio_session_next(l.sess, true), 0);
	loan = zio_loan_create(l.chan, l.sess->block);
	KUNIT_ASSERT_NOT_NULL(test, loan);
	KUNIT_EXPECT_EQ(test, count_pins(&l).chan, pins.chan + 1);
	KUNIT_EXPECT_EQ(test, count_pins(&l).area, pins.area + 1);
	KUNIT_ASSERT_TRUE(test, zio_loan_get(loan));
	zio_loan_put(loan);
	zio_session_put(l.sess);
	zio_session_unlock(l.sess);
	expect_pins(test, &l, pins);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
	end(&l);
}

/* It is of another block. */
static void page_behind_is_not_looked_at(struct kunit *test)
{
	struct page *page;
	struct lent l;

	lend(test, &l);
	page = vmalloc_to_page(l.block->data + l.block->len);
	get_page(page);
	zio_loan_put(l.loan);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.area->maps), 0);
	put_page(page);
	end(&l);
}

/*
 * The last loan outlives its board. The code that puts it is still in the text of the
 * module: so the module goes later. On this processor nobody else runs meanwhile.
 */
static void module_stays_for_who_puts(struct kunit *test)
{
	struct module *zio = zio_data_in_fops.owner;
	int before, after, i;
	struct lent l;

	lend(test, &l);
	end(&l);
	kref_get(&l.area->ref);
	preempt_disable();
	before = module_refcount(zio);
	zio_loan_put(l.loan);
	after = module_refcount(zio);
	preempt_enable();
	zio_area_put(l.area);
	KUNIT_EXPECT_EQ(test, after, before);
	for (i = 0; i < 1000 && module_refcount(zio) == before; i++)
		schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, module_refcount(zio), before - 1);
}

static struct kunit_case splice_cases[] = {
	KUNIT_CASE(lent_block_is_not_used_again),
	KUNIT_CASE(page_that_somebody_has_is_late),
	KUNIT_CASE(what_is_mapped_is_not_lent),
	KUNIT_CASE(board_goes),
	KUNIT_CASE(pins_are_given_back),
	KUNIT_CASE(page_behind_is_not_looked_at),
	KUNIT_CASE(module_stays_for_who_puts),
	{}
};

static struct kunit_suite splice_suite = {
	.name = "zio-splice",
	.test_cases = splice_cases,
};

kunit_test_suite(splice_suite);
