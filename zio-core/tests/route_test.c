// SPDX-License-Identifier: GPL-2.0-only
/* route_test.c: the outputs that an input feeds, losses, and the end of a route */
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "test-device.h"

#define OUTPUTS		3
#define ROUNDS		20
#define ROUND_CHANGES	6

struct net {
	struct kunit *test;
	struct test_device *in_dev;
	struct zio_channel_core *in;
	struct test_device *out_dev[OUTPUTS];
	struct zio_channel_core *out[OUTPUTS];
	char name[32];
};

/* Outputs keep their blocks until the test calls zio_cset_done(). */
static void set_up(struct net *n, struct kunit *test)
{
	int i;

	*n = (struct net){ .test = test };
	n->in_dev = test_device_create(test, 0, 1);
	n->in_dev->fill = true;
	n->in = n->in_dev->cset->chan[0];
	snprintf(n->name, sizeof(n->name), "ztest-%04x-0-0", n->in_dev->zdev->id);
	for (i = 0; i < OUTPUTS; i++) {
		n->out_dev[i] = test_device_create(test, ZIO_CSET_OUTPUT, 1);
		n->out_dev[i]->io_return = ZIO_PENDING;
		n->out[i] = n->out_dev[i]->cset->chan[0];
	}
}

/* Gives the input a trigger with events of its own: no route asks the input. */
static void use_events(struct net *n)
{
	test_stop_demand(n->in_dev);
}

static void connect(struct net *n, int i)
{
	KUNIT_ASSERT_EQ(n->test, test_set_source(n->out[i], n->name), 0);
}

/* Returns the number of blocks that an output has, armed or queued. */
static unsigned int count_blocks(struct zio_channel_core *out)
{
	return zio_queue_count(&out->queue) + !!out->cset->pub.armed->chan;
}

static void expect_all_back(struct net *n)
{
	KUNIT_EXPECT_EQ(n->test, test_count_owned(n->in), ZIO_DEFAULT_LEN);
}

static void block_goes_to_all(struct kunit *test)
{
	struct zio_block *first, *second;
	struct net n;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	connect(&n, 1);
	KUNIT_EXPECT_EQ(test, test_fire(n.in_dev->cset), 0);
	first = n.out_dev[0]->cset->pub.armed->block;
	second = n.out_dev[1]->cset->pub.armed->block;
	KUNIT_EXPECT_PTR_EQ(test, first->data, second->data);
	KUNIT_EXPECT_EQ(test, test_count_owned(n.in), ZIO_DEFAULT_LEN - 1);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&n.in->queue), 0);
	zio_cset_done(&n.out_dev[1]->cset->pub);
	KUNIT_EXPECT_EQ(test, test_count_owned(n.in), ZIO_DEFAULT_LEN - 1);
	zio_cset_done(&n.out_dev[0]->cset->pub);
	expect_all_back(&n);
	KUNIT_EXPECT_EQ(test, n.out[0]->shared, 1);
	KUNIT_EXPECT_EQ(test, n.out[0]->copied, 0);
}

static void full_output_loses(struct kunit *test)
{
	struct net n;
	int i;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	connect(&n, 1);
	for (i = 0; i < ZIO_DEFAULT_LEN + 3; i++) {
		KUNIT_EXPECT_EQ(test, test_fire(n.in_dev->cset), 0);
		zio_cset_done(&n.out_dev[1]->cset->pub);
	}
	/* The output that stands still has half of the input's memory less two, and one armed. */
	KUNIT_EXPECT_EQ(test, count_blocks(n.out[0]), ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, n.out[0]->shared, ZIO_DEFAULT_LEN / 2 - 2 + 1);
	KUNIT_EXPECT_EQ(test, n.out[0]->copied, ZIO_DEFAULT_LEN / 2 + 2 - 1);
	KUNIT_EXPECT_EQ(test, n.out[0]->share_error, ENOBUFS);
	KUNIT_EXPECT_EQ(test, n.out[0]->route_lost, 3);
	KUNIT_EXPECT_EQ(test, n.in->lost, 0);
	KUNIT_EXPECT_EQ(test, n.out[1]->shared, ZIO_DEFAULT_LEN + 3);
	KUNIT_EXPECT_EQ(test, n.out[1]->route_lost, 0);
}

static void larger_block_is_lost(struct kunit *test)
{
	struct zio_cset_core *cset;
	struct net n;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	cset = n.in_dev->cset;
	KUNIT_ASSERT_EQ(test, test_set_samples(cset, 17), 0);
	test_fire(cset);
	KUNIT_EXPECT_EQ(test, n.out[0]->route_lost, 1);
	KUNIT_EXPECT_EQ(test, count_blocks(n.out[0]), 0);
	KUNIT_ASSERT_EQ(test, test_set_samples(cset, 16), 0);
	test_fire(cset);
	KUNIT_EXPECT_EQ(test, n.out_dev[0]->cset->pub.armed->block->zio_alarms,
			ZIO_ALARM_LOST_BLOCK);
	zio_cset_done(&n.out_dev[0]->cset->pub);
	expect_all_back(&n);
}

/* The route asks the input whenever an output has room, and only then. */
static void input_on_demand_is_asked(struct kunit *test)
{
	struct net n;
	int i;

	set_up(&n, test);
	connect(&n, 0);
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_GE(test, count_blocks(n.out[0]), ZIO_DEFAULT_LEN - 2);
	for (i = 0; i < 100; i++) {
		zio_cset_done(&n.out_dev[0]->cset->pub);
		flush_workqueue(zio_wq);
		KUNIT_EXPECT_GE(test, count_blocks(n.out[0]),
				ZIO_DEFAULT_LEN - 2);
	}
	KUNIT_EXPECT_EQ(test, n.out[0]->route_lost, 0);
	KUNIT_EXPECT_EQ(test, n.in->lost, 0);
	KUNIT_EXPECT_EQ(test, n.out[0]->shared,
			count_blocks(n.out[0]) + 100);
	KUNIT_EXPECT_EQ(test, n.out[0]->copied, 0);
}

static void queued_blocks_go_first(struct kunit *test)
{
	struct net n;
	int i;

	set_up(&n, test);
	use_events(&n);
	for (i = 0; i < 5; i++)
		test_fire(n.in_dev->cset);
	connect(&n, 0);
	test_fire(n.in_dev->cset);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, i,
				*(u16 *)n.out_dev[0]->cset->pub.armed->block->data);
		zio_cset_done(&n.out_dev[0]->cset->pub);
	}
	expect_all_back(&n);
}

static void boards_go(struct kunit *test)
{
	struct net n;
	int i;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	connect(&n, 1);
	for (i = 0; i < 3; i++)
		test_fire(n.in_dev->cset);
	test_device_remove(n.out_dev[0]);
	KUNIT_EXPECT_EQ(test, test_count_owned(n.in), ZIO_DEFAULT_LEN - 3);
	test_device_remove(n.in_dev);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(n.out[1]->route));
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, i,
				*(u16 *)n.out_dev[1]->cset->pub.armed->block->data);
		zio_cset_done(&n.out_dev[1]->cset->pub);
	}
}

/* Ends a route in a thread: it waits for chan->lock of the input on its way. */
struct ending {
	struct work_struct work;
	struct zio_channel_core *out;
};

static void end_route(struct work_struct *work)
{
	struct ending *ending = container_of(work, struct ending, work);

	test_set_source(ending->out, "none");
}

static void flush_ending(void *ending)
{
	flush_work(&((struct ending *)ending)->work);
}

static struct ending *create_ending(struct net *n)
{
	struct ending *ending = kunit_kzalloc(n->test, sizeof(*ending), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(n->test, ending);
	ending->out = n->out[0];
	INIT_WORK(&ending->work, end_route);
	test_add_action(n->test, flush_ending, ending);
	return ending;
}

/* A reader of a channel that sleeps. */
struct sleeper {
	struct wait_queue_head *wq;
	wait_queue_entry_t wait;
	unsigned int woken;
};

static int count_wake(wait_queue_entry_t *wait, unsigned int mode, int flags,
		      void *key)
{
	container_of(wait, struct sleeper, wait)->woken++;
	return 0;
}

static void wake_sleeper(void *arg)
{
	struct sleeper *sleeper = arg;

	remove_wait_queue(sleeper->wq, &sleeper->wait);
}

static struct sleeper *create_sleeper(struct net *n)
{
	struct sleeper *sleeper = kunit_kzalloc(n->test, sizeof(*sleeper), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(n->test, sleeper);
	sleeper->wq = &n->in->wq;
	init_waitqueue_func_entry(&sleeper->wait, count_wake);
	add_wait_queue(sleeper->wq, &sleeper->wait);
	test_add_action(n->test, wake_sleeper, sleeper);
	return sleeper;
}

/*
 * The last route has left the list when the block is done. The input still has the table of
 * a route. A reader that has seen the end of the route may sleep already.
 */
static void last_route_goes_under_a_block(struct kunit *test)
{
	struct sleeper *sleeper;
	struct ending *ending;
	struct net n;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	sleeper = create_sleeper(&n);
	ending = create_ending(&n);
	test_lock(test, &n.in->lock);
	schedule_work(&ending->work);
	while (n.in->ops->has_room(n.in))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_NOT_NULL(test, n.in->ops);
	sleeper->woken = 0;
	KUNIT_EXPECT_EQ(test, test_fire(n.in_dev->cset), 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&n.in->queue), 1);
	KUNIT_EXPECT_EQ(test, sleeper->woken, 1);
	test_unlock(test, &n.in->lock);
	flush_work(&ending->work);
	KUNIT_EXPECT_EQ(test, n.out[0]->shared + n.out[0]->copied, 0);
	expect_all_back(&n);
}

/* Feeds a block to an output, and does not play the output. */
static void push_by_hand(struct net *n, int i)
{
	struct zio_channel_core *out = n->out[i];
	struct zio_block *block = out->buf->type->ops->get_block(out->buf);

	KUNIT_ASSERT_NOT_NULL(n->test, block);
	block->len = block->size;
	to_block_core(block)->seq = out->seq++;
	zio_queue_push(&out->queue, block);
}

/* The context that has fed the block does not find the route to play the output. */
static void route_goes_before_a_block_is_played(struct kunit *test)
{
	struct zio_channel_core *out;
	struct net n;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	out = n.out[0];
	push_by_hand(&n, 0);
	KUNIT_EXPECT_EQ(test, test_set_source(out, "none"), 0);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&out->queue), 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&out->cset->pub));
	KUNIT_EXPECT_EQ(test, out->blocks, 1);
	expect_all_back(&n);
}

/* The filler of the first route waits to try again. The next route takes over. */
static void next_route_retries(struct kunit *test)
{
	struct net n;

	set_up(&n, test);
	n.in_dev->io_return = -EIO;
	connect(&n, 0);
	connect(&n, 1);
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_EQ(test, count_blocks(n.out[1]), 0);
	n.in_dev->io_return = 0;
	KUNIT_EXPECT_EQ(test, test_set_source(n.out[0], "none"), 0);
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_GE(test, count_blocks(n.out[1]), ZIO_DEFAULT_LEN - 2);
}

/* The input waits for memory that an output holds whose route has gone. */
static void memory_of_former_output_returns(struct kunit *test)
{
	struct net n;

	set_up(&n, test);
	connect(&n, 0);
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_EQ(test, test_set_source(n.out[0], "none"), 0);
	connect(&n, 1);
	flush_workqueue(zio_wq);
	KUNIT_ASSERT_LE(test, count_blocks(n.out[1]), 2);
	while (count_blocks(n.out[0]))
		KUNIT_ASSERT_TRUE(test, zio_cset_done(&n.out_dev[0]->cset->pub));
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_GE(test, count_blocks(n.out[1]), ZIO_DEFAULT_LEN - 2);
}

/* The second output has got a block, which the filler of the first route is to play. */
static void next_route_plays(struct kunit *test)
{
	struct net n;

	set_up(&n, test);
	use_events(&n);
	connect(&n, 0);
	connect(&n, 1);
	push_by_hand(&n, 1);
	KUNIT_EXPECT_EQ(test, test_set_source(n.out[0], "none"), 0);
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&n.out[1]->queue), 0);
	KUNIT_EXPECT_TRUE(test, zio_cset_done(&n.out[1]->cset->pub));
}

/* Fires the input, and plays the outputs, while routes come and go. */
static int fire_and_play(void *data)
{
	struct net *n = data;
	unsigned int i = 0;

	while (!kthread_should_stop()) {
		test_fire(n->in_dev->cset);
		zio_cset_done(&n->out_dev[i++ % OUTPUTS]->cset->pub);
		cond_resched();
	}
	return 0;
}

/* Routes that change between an input with events and an input on demand */
struct storm {
	struct net n;
	struct test_device *other;
	bool has_other[OUTPUTS];	/* its source is the other input */
	struct rnd_state rnd;
};

/* The first output keeps its route. */
static void change_routes(struct storm *s)
{
	u32 dice = prandom_u32_state(&s->rnd);
	int i = 1 + dice / 16 % (OUTPUTS - 1);
	const char *source = "none";
	char other[32];

	if (dice % 16 == 0) {
		test_device_remove(s->other);
		s->other = test_device_create(s->n.test, 0, 1);
		memset(s->has_other, 0, sizeof(s->has_other));
	}
	s->has_other[i] = dice & BIT(8);
	snprintf(other, sizeof(other), "ztest-%04x-0-0", s->other->zdev->id);
	if (s->has_other[i])
		source = other;
	else if (dice & BIT(9))
		source = s->n.name;
	KUNIT_EXPECT_EQ(s->n.test, test_set_source(s->n.out[i], source), 0);
}

static void run_round(struct storm *s)
{
	struct task_struct *task = test_thread_run(s->n.test, fire_and_play, &s->n);
	int i;

	for (i = 0; i < ROUND_CHANGES; i++)
		change_routes(s);
	test_thread_stop(s->n.test, task);
	/* The first flush may wait for a filler that queues itself. */
	flush_workqueue(zio_wq);
	flush_workqueue(zio_wq);
	for (i = 0; i < OUTPUTS; i++)
		if (s->has_other[i])
			KUNIT_EXPECT_GE(s->n.test, count_blocks(s->n.out[i]), 1);
}

static void routes_change_under_load(struct kunit *test)
{
	struct storm *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct zio_channel_core *out;
	int i;

	test_need_processors(test);
	KUNIT_ASSERT_NOT_NULL(test, s);
	set_up(&s->n, test);
	use_events(&s->n);
	connect(&s->n, 0);
	s->other = test_device_create(test, 0, 1);
	prandom_seed_state(&s->rnd, 1889);
	for (i = 0; i < ROUNDS; i++)
		run_round(s);
	for (i = 0; i < OUTPUTS; i++) {
		out = s->n.out[i];
		KUNIT_EXPECT_EQ(test, out->seq, out->shared + out->copied);
		KUNIT_EXPECT_EQ(test, out->seq, out->blocks + count_blocks(out));
	}
	out = s->n.out[0];
	KUNIT_EXPECT_GT(test, s->n.in->blocks, 1000);
	KUNIT_EXPECT_EQ(test, s->n.in->blocks,
			out->shared + out->copied + out->route_lost);
}

static struct kunit_case route_cases[] = {
	KUNIT_CASE(block_goes_to_all),
	KUNIT_CASE(full_output_loses),
	KUNIT_CASE(larger_block_is_lost),
	KUNIT_CASE(input_on_demand_is_asked),
	KUNIT_CASE(queued_blocks_go_first),
	KUNIT_CASE(boards_go),
	KUNIT_CASE(last_route_goes_under_a_block),
	KUNIT_CASE(route_goes_before_a_block_is_played),
	KUNIT_CASE(next_route_retries),
	KUNIT_CASE(memory_of_former_output_returns),
	KUNIT_CASE(next_route_plays),
	KUNIT_CASE(routes_change_under_load),
	{}
};

TEST_SUITE("zio-route", route_cases);
