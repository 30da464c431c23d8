// SPDX-License-Identifier: GPL-2.0-only
/* queue_test.c: the ring against a model, by chance and on two threads */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/prandom.h>

#include "engine/engine.h"

#define RING_LEN	13
#define MODEL_STEPS	20000
#define STRESS_BLOCKS	64
#define STRESS_STEPS	200000

static void queue_is_fifo(struct kunit *test)
{
	struct zio_block block[3];
	struct zio_queue q;
	int i;

	KUNIT_ASSERT_EQ(test, zio_queue_init(&q, 3), 0);
	KUNIT_EXPECT_NULL(test, zio_queue_pop(&q));
	for (i = 0; i < 3; i++)
		zio_queue_push(&q, &block[i]);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&q), 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, zio_queue_pop(&q), &block[i]);
	KUNIT_EXPECT_NULL(test, zio_queue_pop(&q));
	zio_queue_destroy(&q);
}

/* A ring of another size takes the blocks over where the counts wrap. */
static void queue_is_replaced_at_wrap(struct kunit *test)
{
	struct zio_block block[5];
	struct zio_block **slot;
	struct zio_queue q;
	int i;

	KUNIT_ASSERT_EQ(test, zio_queue_init(&q, 8), 0);
	q.head = UINT_MAX - 2;
	atomic_set(&q.tail, q.head);
	for (i = 0; i < 4; i++)
		zio_queue_push(&q, &block[i]);
	slot = zio_queue_alloc(5);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	zio_queue_replace(&q, slot, 5);
	zio_queue_push(&q, &block[4]);
	KUNIT_EXPECT_EQ(test, zio_queue_count(&q), 5);
	KUNIT_EXPECT_EQ(test, q.head, 2);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_PTR_EQ(test, zio_queue_pop(&q), &block[i]);
	KUNIT_EXPECT_NULL(test, zio_queue_pop(&q));
	zio_queue_destroy(&q);
}

/* The model: an array that never wraps, and two counts. */
static void queue_follows_model(struct kunit *test)
{
	struct zio_block *blocks, **model;
	unsigned int in = 0, out = 0, len = RING_LEN, i;
	struct zio_block **slot;
	struct rnd_state rnd;
	struct zio_queue q;

	blocks = kunit_kcalloc(test, 1024, sizeof(*blocks), GFP_KERNEL);
	model = kunit_kcalloc(test, MODEL_STEPS, sizeof(*model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, blocks);
	KUNIT_ASSERT_NOT_NULL(test, model);
	KUNIT_ASSERT_EQ(test, zio_queue_init(&q, len), 0);
	/* The counts are to wrap on the way. */
	q.head = UINT_MAX - 100;
	atomic_set(&q.tail, q.head);
	prandom_seed_state(&rnd, 20120215);

	for (i = 0; i < MODEL_STEPS; i++) {
		u32 dice = prandom_u32_state(&rnd) % 1000;

		if (dice == 0) {
			len = in - out + 1 + prandom_u32_state(&rnd) % 40;
			slot = zio_queue_alloc(len);
			KUNIT_ASSERT_NOT_NULL(test, slot);
			zio_queue_replace(&q, slot, len);
		} else if (dice < 520 && in - out < len) {
			model[in] = &blocks[in % 1024];
			zio_queue_push(&q, model[in++]);
		} else if (in == out) {
			KUNIT_ASSERT_NULL(test, zio_queue_pop(&q));
		} else {
			KUNIT_ASSERT_PTR_EQ(test, zio_queue_pop(&q),
					    model[out++]);
		}
		KUNIT_ASSERT_EQ(test, zio_queue_count(&q), in - out);
	}
	zio_queue_destroy(&q);
}

struct queue_stress {
	struct zio_queue q;
	struct zio_block block[STRESS_BLOCKS];
	atomic_t taken[STRESS_BLOCKS];
	unsigned int stolen;
	unsigned int popped;
	unsigned int doubles;
	bool finished;
};

static void take_block(struct queue_stress *s, struct zio_block *block)
{
	if (atomic_xchg(&s->taken[block - s->block], 1))
		WRITE_ONCE(s->doubles, s->doubles + 1);
}

static int pop_blocks(void *data)
{
	struct queue_stress *s = data;
	struct zio_block *block;

	while (!kthread_should_stop()) {
		block = zio_queue_pop(&s->q);
		if (!block) {
			if (READ_ONCE(s->finished))
				break;
			cond_resched();
			continue;
		}
		take_block(s, block);
		s->popped++;
		atomic_set_release(&s->taken[block - s->block], 2);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* The producer pushes what is free, and steals the oldest now and then. */
static void queue_has_two_poppers(struct kunit *test)
{
	struct queue_stress *s;
	struct task_struct *task;
	struct zio_block *block;
	unsigned int i, pushed = 0;

	s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_EQ(test, zio_queue_init(&s->q, STRESS_BLOCKS), 0);
	for (i = 0; i < STRESS_BLOCKS; i++)
		atomic_set(&s->taken[i], 2);
	task = kthread_run(pop_blocks, s, "zio-pop");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);

	for (i = 0; i < STRESS_STEPS; i++) {
		unsigned int k = i % STRESS_BLOCKS;

		if (atomic_read_acquire(&s->taken[k]) == 2) {
			atomic_set(&s->taken[k], 0);
			zio_queue_push(&s->q, &s->block[k]);
			pushed++;
		}
		if (i % 7)
			continue;
		block = zio_queue_pop(&s->q);
		if (block) {
			take_block(s, block);
			s->stolen++;
			atomic_set_release(&s->taken[block - s->block], 2);
		}
		cond_resched();
	}
	WRITE_ONCE(s->finished, true);
	while ((block = zio_queue_pop(&s->q)))
		s->stolen++;
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, s->doubles, 0);
	KUNIT_EXPECT_EQ(test, s->popped + s->stolen, pushed);
	KUNIT_EXPECT_GT(test, s->stolen, 0);
	zio_queue_destroy(&s->q);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(queue_is_fifo),
	KUNIT_CASE(queue_is_replaced_at_wrap),
	KUNIT_CASE(queue_follows_model),
	KUNIT_CASE(queue_has_two_poppers),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "zio-queue",
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);
