// SPDX-License-Identifier: GPL-2.0-only
/* queue_test.c: the queue: order, wrap, a random walk against a model, two threads */
#include <linux/kthread.h>
#include <linux/prandom.h>

#include "test-device.h"

#define RING_LEN	13
#define MODEL_STEPS	20000
#define STRESS_BLOCKS	64
#define STRESS_STEPS	200000

static void free_slots(void *q)
{
	kvfree(((struct zio_queue *)q)->slot);
}

static void replace_slots(struct kunit *test, struct zio_queue *q, unsigned int len)
{
	struct zio_block **slot = zio_queue_alloc(len);

	KUNIT_ASSERT_NOT_NULL(test, slot);
	zio_queue_replace(q, slot, len);
}

static struct zio_queue *create_queue(struct kunit *test, unsigned int len)
{
	struct zio_queue *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, q);
	replace_slots(test, q, len);
	test_add_action(test, free_slots, q);
	return q;
}

static void start_counts_at(struct zio_queue *q, unsigned int count)
{
	q->head = count;
	atomic_set(&q->tail, count);
}

static void queue_is_fifo(struct kunit *test)
{
	struct zio_queue *q = create_queue(test, 3);
	struct zio_block block[3];
	int i;

	KUNIT_EXPECT_NULL(test, zio_queue_pop(q));
	for (i = 0; i < 3; i++)
		zio_queue_push(q, &block[i]);
	KUNIT_EXPECT_EQ(test, zio_queue_count(q), 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, zio_queue_pop(q), &block[i]);
	KUNIT_EXPECT_NULL(test, zio_queue_pop(q));
}

/* New slots get the queued blocks. The counts continue, and wrap meanwhile. */
static void queue_is_replaced_at_wrap(struct kunit *test)
{
	struct zio_queue *q = create_queue(test, 8);
	struct zio_block block[5];
	int i;

	start_counts_at(q, UINT_MAX - 2);
	for (i = 0; i < 4; i++)
		zio_queue_push(q, &block[i]);
	replace_slots(test, q, 5);
	zio_queue_push(q, &block[4]);
	KUNIT_EXPECT_EQ(test, zio_queue_count(q), 5);
	KUNIT_EXPECT_EQ(test, q->head, 2);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_PTR_EQ(test, zio_queue_pop(q), &block[i]);
	KUNIT_EXPECT_NULL(test, zio_queue_pop(q));
}

/* The model is an array that never wraps, and two counts. */
static void queue_follows_model(struct kunit *test)
{
	struct zio_block *blocks, **model;
	unsigned int in = 0, out = 0, len = RING_LEN, i;
	struct zio_queue *q = create_queue(test, len);
	struct rnd_state rnd;

	blocks = kunit_kcalloc(test, 1024, sizeof(*blocks), GFP_KERNEL);
	model = kunit_kcalloc(test, MODEL_STEPS, sizeof(*model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, blocks);
	KUNIT_ASSERT_NOT_NULL(test, model);
	start_counts_at(q, UINT_MAX - 100);
	prandom_seed_state(&rnd, 20120215);

	for (i = 0; i < MODEL_STEPS; i++) {
		u32 dice = prandom_u32_state(&rnd) % 1000;

		if (dice == 0) {
			len = in - out + 1 + prandom_u32_state(&rnd) % 40;
			replace_slots(test, q, len);
		} else if (dice < 520 && in - out < len) {
			model[in] = &blocks[in % 1024];
			zio_queue_push(q, model[in++]);
		} else if (in == out) {
			KUNIT_ASSERT_NULL(test, zio_queue_pop(q));
		} else {
			KUNIT_ASSERT_PTR_EQ(test, zio_queue_pop(q),
					    model[out++]);
		}
		KUNIT_ASSERT_EQ(test, zio_queue_count(q), in - out);
	}
}

/* State of a block of the stress test */
enum { BLOCK_QUEUED, BLOCK_TAKEN, BLOCK_FREE };

struct queue_stress {
	struct zio_queue q;
	struct zio_block block[STRESS_BLOCKS];
	atomic_t state[STRESS_BLOCKS];
	unsigned int pushed;
	unsigned int stolen;
	unsigned int popped;
	unsigned int doubles;
};

/* Pops a block; returns false if the queue is empty. */
static bool take_block(struct queue_stress *s)
{
	struct zio_block *block = zio_queue_pop(&s->q);
	atomic_t *state;

	if (!block)
		return false;
	state = &s->state[block - s->block];
	if (atomic_xchg(state, BLOCK_TAKEN) != BLOCK_QUEUED)
		WRITE_ONCE(s->doubles, s->doubles + 1);
	atomic_set_release(state, BLOCK_FREE);
	return true;
}

static int pop_blocks(void *data)
{
	struct queue_stress *s = data;

	while (!kthread_should_stop()) {
		WRITE_ONCE(s->popped, s->popped + take_block(s));
		cond_resched();
	}
	return 0;
}

static void push_if_free(struct queue_stress *s, unsigned int i)
{
	if (atomic_read_acquire(&s->state[i]) != BLOCK_FREE)
		return;
	atomic_set(&s->state[i], BLOCK_QUEUED);
	zio_queue_push(&s->q, &s->block[i]);
	s->pushed++;
}

static struct queue_stress *create_stress(struct kunit *test)
{
	struct queue_stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	replace_slots(test, &s->q, STRESS_BLOCKS);
	test_add_action(test, free_slots, &s->q);
	for (i = 0; i < STRESS_BLOCKS; i++)
		atomic_set(&s->state[i], BLOCK_FREE);
	return s;
}

/* The producer pushes each free block, and pops the oldest now and then. */
static void queue_has_two_poppers(struct kunit *test)
{
	struct queue_stress *s = create_stress(test);
	struct task_struct *popper = test_thread_run(test, pop_blocks, s);
	unsigned int i;

	test_need_processors(test);
	/* A host under load may let the other thread wait for long. */
	for (i = 0; i < STRESS_STEPS || !READ_ONCE(s->popped); i++) {
		push_if_free(s, i % STRESS_BLOCKS);
		if (i % 7)
			continue;
		s->stolen += take_block(s);
		cond_resched();
	}
	test_thread_stop(test, popper);
	while (take_block(s))
		s->stolen++;
	KUNIT_EXPECT_EQ(test, s->doubles, 0);
	KUNIT_EXPECT_EQ(test, s->popped + s->stolen, s->pushed);
	KUNIT_EXPECT_GT(test, s->popped, 0);
	KUNIT_EXPECT_GT(test, s->stolen, 0);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(queue_is_fifo),
	KUNIT_CASE(queue_is_replaced_at_wrap),
	KUNIT_CASE(queue_follows_model),
	KUNIT_CASE(queue_has_two_poppers),
	{}
};

TEST_SUITE("zio-queue", queue_cases);
