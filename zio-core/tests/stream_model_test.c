// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream_model_test.c: blocks in flight at random, against a model; and a board in a
 * thread beside a reader that changes the configuration
 */
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/zio-stream.h>

#include "test-device.h"

#define WALK_STEPS	20000
#define RACE_BLOCKS	60000
#define RACE_RINGS	160
#define MAX_LEN		24

struct model_block {
	u32 seq;
	u16 value;
	u16 gen;		/* which geometry of the buffer */
};

struct model_fifo {
	struct model_block block[2 * MAX_LEN];
	unsigned int n;
};

struct model {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	struct test_device *output;
	struct model_fifo flying;
	struct model_fifo queued;
	unsigned int len;
	unsigned int depth;
	bool prefer_new;
	bool routed;
	u16 gen;
	u16 value;
	u32 seq;
	unsigned long lost, played;
	unsigned long dropped_before; /* by "prefer-new", and how often each step did something */
	unsigned long takes, refused, dropped, aborted, reads;
	bool alarm;		/* the next block has one */
};

static void push(struct model_fifo *fifo, struct model_block block)
{
	fifo->block[fifo->n++] = block;
}

static struct model_block pop(struct model_fifo *fifo)
{
	struct model_block first = fifo->block[0];

	memmove(&fifo->block[0], &fifo->block[1], --fifo->n * sizeof(first));
	return first;
}

static unsigned int count_gen(const struct model_fifo *fifo, u16 gen)
{
	unsigned int i, n = 0;

	for (i = 0; i < fifo->n; i++)
		n += fifo->block[i].gen == gen;
	return n;
}

static bool has_free(const struct model *m)
{
	return m->queued.n < m->len &&
		count_gen(&m->queued, m->gen) + count_gen(&m->flying, m->gen) < m->len;
}

/* Returns what zio_channel_take() does to the model. */
static bool expect_take(struct model *m)
{
	bool found;

	if (m->flying.n >= m->depth)
		return false;
	found = has_free(m);
	while (!found && m->prefer_new && !m->routed && m->queued.n > m->flying.n) {
		pop(&m->queued);
		m->dropped++;
		found = count_gen(&m->queued, m->gen) + count_gen(&m->flying, m->gen) < m->len;
	}
	return found;
}

static void take(struct model *m)
{
	bool expected = expect_take(m);
	struct zio_block *block = zio_channel_take(&m->chan->pub);

	KUNIT_ASSERT_EQ(m->test, !!block, expected);
	m->takes += expected;
	m->refused += !expected;
	if (!block)
		return;
	*(u16 *)block->data = m->value;
	push(&m->flying, (struct model_block){ .value = m->value++, .gen = m->gen });
}

/* Like so many single takes: all succeed until one does not. */
static void take_several(struct model *m, unsigned int n)
{
	unsigned int expected = 0, first = m->flying.n, i;
	struct zio_block *block;

	while (expected < n && expect_take(m)) {
		push(&m->flying, (struct model_block){ .value = m->value++, .gen = m->gen });
		expected++;
	}
	KUNIT_ASSERT_EQ(m->test, zio_channel_take_blocks(&m->chan->pub, n), expected);
	for (i = first; i < m->flying.n; i++) {
		block = zio_channel_in_flight(&m->chan->pub, i);
		KUNIT_ASSERT_NOT_NULL(m->test, block);
		*(u16 *)block->data = m->flying.block[i].value;
	}
	m->takes += expected;
	m->refused += expected < n;
}

static void complete_blocks(struct model *m, unsigned int n)
{
	struct model_block block;

	n = min(n, m->flying.n);
	zio_channel_complete(&m->chan->pub, n);
	while (n--) {
		block = pop(&m->flying);
		block.seq = m->seq++;
		if (m->routed)
			m->played++;
		else
			push(&m->queued, block);
	}
}

static void lose(struct model *m, unsigned int n)
{
	zio_channel_lost(&m->chan->pub, n);
	m->seq += n;
	m->lost += n;
}

static void read_one(struct model *m)
{
	struct zio_block *block = test_user_next(m->user);
	struct model_block expected;

	if (!m->queued.n) {
		KUNIT_ASSERT_PTR_EQ(m->test, block,
				    ERR_PTR(m->routed ? -EBUSY : -EAGAIN));
		return;
	}
	KUNIT_ASSERT_NOT_ERR_OR_NULL(m->test, block);
	expected = pop(&m->queued);
	KUNIT_ASSERT_EQ(m->test, to_block_core(block)->seq, expected.seq);
	KUNIT_ASSERT_EQ(m->test, *(u16 *)block->data, expected.value);
	test_user_put(m->user);
	m->reads++;
}

/* The stream ends and begins again: a change of the configuration. */
static void restart(struct model *m)
{
	m->aborted += m->flying.n;
	m->flying.n = 0;
}

static void resize(struct model *m, u32 dice)
{
	unsigned int len = 4 + dice % (MAX_LEN - 4);

	if (len == m->len || m->queued.n > MAX_LEN / 2)
		return;
	KUNIT_ASSERT_EQ(m->test, test_set_len(m->chan, len), 0);
	m->len = len;
	m->gen++;
	restart(m);
}

static void change_samples(struct model *m, u32 dice)
{
	unsigned int n = 1 + dice % 64;

	if (n == m->tdev->cset->pub.shape.post_samples || m->queued.n > MAX_LEN / 2)
		return;
	KUNIT_ASSERT_EQ(m->test, test_set_samples(m->tdev->cset, n), 0);
	m->gen++;
	restart(m);
}

static void set_depth(struct model *m, u32 dice)
{
	m->depth = 1 + dice % 16;
	KUNIT_ASSERT_EQ(m->test, 0, test_store_u32(&m->tdev->cset->kobj, "queue-depth",
						   m->depth));
}

static void disable_and_enable(struct model *m)
{
	KUNIT_ASSERT_EQ(m->test, test_enable_trigger(m->tdev->cset, false), 0);
	KUNIT_ASSERT_NULL(m->test, zio_channel_take(&m->chan->pub));
	KUNIT_ASSERT_EQ(m->test, test_enable_trigger(m->tdev->cset, true), 0);
	restart(m);
}

/* The output plays at once. The first route gets what is queued, and restarts the stream. */
static void switch_route(struct model *m)
{
	char name[32];

	snprintf(name, sizeof(name), "ztest-%04x-0-0", m->tdev->zdev->id);
	KUNIT_ASSERT_EQ(m->test, 0, test_set_source(m->output->cset->chan[0],
						    m->routed ? "none" : name));
	m->routed = !m->routed;
	if (!m->routed)
		return;
	restart(m);
	m->played += m->queued.n;
	m->queued.n = 0;
}

static void plug_in(struct model *m)
{
	m->tdev = test_device_create(m->test, ZIO_CSET_STREAM, 1);
	m->chan = m->tdev->cset->chan[0];
	m->user = test_user_open(m->test, m->chan);
	m->len = ZIO_DEFAULT_LEN;
	m->depth = 16;
	m->prefer_new = false;
	m->routed = false;
	m->flying.n = 0;
	m->queued.n = 0;
	m->gen = 0;
	m->seq = m->chan->seq;
	m->lost = 0;
	m->dropped_before = m->dropped;
}

static void unplug(struct model *m)
{
	test_device_remove(m->tdev);
	KUNIT_ASSERT_PTR_EQ(m->test, test_user_next(m->user), ERR_PTR(-ENODEV));
	test_user_close(m->user);
}

static void set_prefer_new(struct model *m)
{
	m->prefer_new = !m->prefer_new;
	KUNIT_ASSERT_EQ(m->test, 0, test_store_u32(&m->chan->buf->kobj, "prefer-new",
						   m->prefer_new));
}

/* A route may play in the context of another CPU, so a moment later. */
static void wait_for_output(struct model *m)
{
	const struct zio_channel_core *out = m->output->cset->chan[0];

	KUNIT_ASSERT_TRUE_MSG(m->test, test_wait_for(READ_ONCE(out->blocks) == m->played),
			      "%lu blocks are played, not %lu", out->blocks, m->played);
}

/* The context that plays the output's blocks may be the one that starts the stream again. */
static void wait_for_stream(struct model *m)
{
	KUNIT_ASSERT_TRUE(m->test, test_wait_for(cset_phase(m->tdev->cset) == CSET_ARMED));
}

static void check(struct model *m)
{
	struct zio_channel_core *chan = m->chan;

	KUNIT_ASSERT_EQ(m->test, zio_stream_in_flight(chan), m->flying.n);
	KUNIT_ASSERT_EQ(m->test, zio_queue_count(&chan->queue), m->queued.n);
	KUNIT_ASSERT_EQ(m->test, chan->seq, m->seq);
	KUNIT_ASSERT_EQ(m->test, zio_channel_losses(chan),
			m->lost + m->dropped - m->dropped_before);
	wait_for_output(m);
	wait_for_stream(m);
}

static void change(struct model *m, u32 dice)
{
	u32 arg = dice / 8;

	switch (dice % 8) {
	case 0:
		resize(m, arg);
		break;
	case 1:
		change_samples(m, arg);
		break;
	case 2 ... 3:
		set_depth(m, arg);
		break;
	case 4:
		disable_and_enable(m);
		break;
	case 5:
		switch_route(m);
		break;
	case 6:
		set_prefer_new(m);
		break;
	default:
		if (arg % 4)
			break;
		unplug(m);
		plug_in(m);
	}
}

static void step(struct model *m, u32 dice)
{
	u32 arg = dice / 128;

	switch (dice % 128) {
	case 0 ... 1:
		change(m, arg);
		break;
	case 2 ... 30:
		take(m);
		break;
	case 31 ... 45:
		take_several(m, arg % 5);
		break;
	case 46 ... 65:
		complete_blocks(m, arg % 7);
		break;
	case 66 ... 69:
		lose(m, arg % 3);
		break;
	default:
		read_one(m);
	}
}

static void stream_follows_model(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rnd_state rnd;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->output = test_device_create(test, ZIO_CSET_OUTPUT, 1);
	KUNIT_ASSERT_EQ(test, test_set_samples(m->output->cset, 64), 0);
	plug_in(m);
	prandom_seed_state(&rnd, 1887);
	for (i = 0; i < WALK_STEPS; i++) {
		step(m, prandom_u32_state(&rnd));
		check(m);
	}
	KUNIT_EXPECT_GT(test, m->takes, 3000);
	KUNIT_EXPECT_GT(test, m->refused, 300);
	KUNIT_EXPECT_GT(test, m->dropped, 40);
	KUNIT_EXPECT_GT(test, m->aborted, 100);
	KUNIT_EXPECT_GT(test, m->reads, 1000);
	KUNIT_EXPECT_GT(test, m->played, 300);
	unplug(m);
}

/*
 * A board in a thread. It writes into each block the number that the block will have.
 *
 * @io_lock: the thread holds it while it uses the hardware
 * @take_lock: one context takes blocks at a time: the thread, or refill()
 */
struct board {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct mutex io_lock; /* as above */
	spinlock_t take_lock; /* as above */
	bool running;
	u32 seq;
	struct rnd_state rnd;
};

static struct board *board_of_test;

static void board_take(struct board *board, unsigned int n)
{
	spin_lock(&board->take_lock);
	zio_channel_take_blocks(&board->chan->pub, n);
	spin_unlock(&board->take_lock);
}

static void board_start(struct test_device *tdev)
{
	WRITE_ONCE(board_of_test->running, true);
}

static void board_stop(struct test_device *tdev)
{
	mutex_lock(&board_of_test->io_lock);
	board_of_test->running = false;
	mutex_unlock(&board_of_test->io_lock);
}

static void board_refill(struct test_device *tdev, struct zio_channel *chan)
{
	KUNIT_EXPECT_TRUE(tdev->test, READ_ONCE(board_of_test->running));
	board_take(board_of_test, 2);
}

static void board_interrupt(struct board *board)
{
	unsigned int i, n = prandom_u32_state(&board->rnd) % 6;
	struct zio_block *block;

	for (i = 0; i < n; i++) {
		block = zio_channel_in_flight(&board->chan->pub, i);
		if (!block)
			break;
		*(u16 *)block->data = board->seq++;
	}
	zio_channel_complete(&board->chan->pub, i);
	if (prandom_u32_state(&board->rnd) % 64)
		return;
	zio_channel_lost(&board->chan->pub, 2);
	board->seq += 2;
}

static int run_board(void *arg)
{
	struct board *board = arg;

	while (!kthread_should_stop()) {
		mutex_lock(&board->io_lock);
		if (READ_ONCE(board->running)) {
			board_take(board, 3);
			board_interrupt(board);
		}
		mutex_unlock(&board->io_lock);
		cond_resched();
	}
	return 0;
}

static struct board *create_board(struct kunit *test)
{
	struct board *board = kunit_kzalloc(test, sizeof(*board), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, board);
	board->test = test;
	mutex_init(&board->io_lock);
	spin_lock_init(&board->take_lock);
	prandom_seed_state(&board->rnd, 1895);
	board->tdev = test_device_create(test, ZIO_CSET_STREAM, 1);
	board->chan = board->tdev->cset->chan[0];
	board->seq = board->chan->seq;
	board->running = true;
	board_of_test = board;
	board->tdev->start = board_start;
	board->tdev->stop = board_stop;
	board->tdev->refill = board_refill;
	return board;
}

/* Something that another user of the board may do at any time */
static void disturb(struct board *board, u32 dice)
{
	struct zio_cset_core *cset = board->tdev->cset;
	u32 arg = dice / 8;

	switch (dice % 8) {
	case 0:
		test_set_len(board->chan, 4 + arg % 20);
		break;
	case 1:
		test_set_samples(cset, 1 + arg % 64);
		break;
	case 2 ... 4:
		test_store_u32(&cset->kobj, "queue-depth", 1 + arg % 16);
		break;
	case 5:
		test_store_u32(&board->chan->buf->kobj, "prefer-new", arg & 1);
		break;
	default:
		test_enable_trigger(cset, false);
		test_enable_trigger(cset, true);
	}
}

static void board_and_reader_race(struct kunit *test)
{
	struct board *board = create_board(test);
	struct test_user *user = test_user_open(test, board->chan);
	unsigned int n = 0, gaps = 0;
	u32 next = board->seq;
	struct task_struct *thread;
	struct zio_block *block;
	struct rnd_state rnd;

	test_need_processors(test);
	prandom_seed_state(&rnd, 1939);
	thread = test_thread_run(test, run_board, board);
	while (n < RACE_BLOCKS && !kthread_should_stop()) {
		if (prandom_u32_state(&rnd) % 2048 == 0)
			disturb(board, prandom_u32_state(&rnd));
		block = test_user_next(user);
		if (IS_ERR(block)) {
			KUNIT_ASSERT_PTR_EQ(test, block, ERR_PTR(-EAGAIN));
			cond_resched();
			continue;
		}
		KUNIT_ASSERT_EQ(test, *(u16 *)block->data, (u16)to_block_core(block)->seq);
		KUNIT_ASSERT_GE(test, (s32)(to_block_core(block)->seq - next), 0);
		gaps += to_block_core(block)->seq - next;
		next = to_block_core(block)->seq + 1;
		test_user_put(user);
		n++;
	}
	test_thread_stop(test, thread);
	while (!IS_ERR(block = test_user_next(user))) {
		gaps += to_block_core(block)->seq - next;
		next = to_block_core(block)->seq + 1;
		test_user_put(user);
	}
	gaps += board->chan->seq - next;
	KUNIT_EXPECT_EQ(test, zio_channel_losses(board->chan), gaps);
	KUNIT_EXPECT_GT(test, gaps, 100);
	/* refill() told the board of room again and again. */
	KUNIT_EXPECT_GT(test, board->tdev->refills, 10);
	test_user_close(user);
}

/* What a program has seen of the board's numbers */
struct seen {
	struct kunit *test;
	u32 next;
	unsigned int n, gaps;
};

static void see(struct seen *seen, u32 seq, u16 value)
{
	KUNIT_ASSERT_EQ(seen->test, value, (u16)seq);
	KUNIT_ASSERT_GE(seen->test, (s32)(seq - seen->next), 0);
	seen->gaps += seq - seen->next;
	seen->next = seq + 1;
	seen->n++;
}

/* Returns false if no block is queued. */
static bool see_read(struct seen *seen, struct test_user *user)
{
	struct zio_block *block = test_user_next(user);

	if (IS_ERR(block)) {
		KUNIT_ASSERT_PTR_EQ(seen->test, block, ERR_PTR(-EAGAIN));
		return false;
	}
	see(seen, to_block_core(block)->seq, *(u16 *)block->data);
	test_user_put(user);
	return true;
}

static void see_ring(struct seen *seen, struct zio_channel_core *chan, unsigned int n)
{
	struct zio_ring_header *hdr = chan->ring->hdr;
	u32 head = smp_load_acquire(&hdr->head), i = hdr->tail;	/* A */
	const struct zio_queue *q = &chan->queue;

	for (; n && i != head; i++, n--)
		see(seen, chan->ring->slot[i & q->mask].seq_num,
		    *(u16 *)q->slot[i & q->mask]->data);
	smp_store_release(&hdr->tail, i);			/* S */
}

static void open_ring_for_a_while(struct seen *seen, struct board *board, u32 dice)
{
	struct file *file = test_open_ring(seen->test, board->chan);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(seen->test, file);
	for (i = dice % 8; i; i--) {
		see_ring(seen, board->chan, 1 + dice % 32);
		cond_resched();
	}
	test_close(seen->test, file);
}

/* Rings come and go beside the board, which loses what it says, and no other block. */
static void board_and_rings_race(struct kunit *test)
{
	struct board *board = create_board(test);
	struct zio_channel_core *chan = board->chan;
	struct seen seen = { .test = test, .next = board->seq };
	struct test_user *user;
	struct task_struct *thread;
	struct rnd_state rnd;
	unsigned int i, k;

	test_need_processors(test);
	test_device_use_area(board->tdev, (struct test_area){ .len = 16 });
	user = test_user_open(test, chan);
	prandom_seed_state(&rnd, 1969);
	board->tdev->stop_calls = 0;
	thread = test_thread_run(test, run_board, board);
	for (i = 0; i < RACE_RINGS; i++) {
		open_ring_for_a_while(&seen, board, prandom_u32_state(&rnd));
		for (k = prandom_u32_state(&rnd) % 16; k; k--)
			see_read(&seen, user);
		if (i == RACE_RINGS / 2)
			test_store_u32(&chan->buf->kobj, "prefer-new", 1);
	}
	test_thread_stop(test, thread);
	while (see_read(&seen, user))
		continue;
	seen.gaps += chan->seq - seen.next;
	KUNIT_EXPECT_EQ(test, zio_channel_losses(chan), seen.gaps);
	KUNIT_EXPECT_EQ(test, board->tdev->stop_calls, 0);
	KUNIT_EXPECT_GT(test, seen.n, RACE_RINGS);
	test_user_close(user);
}

static struct kunit_case stream_model_cases[] = {
	KUNIT_CASE(stream_follows_model),
	KUNIT_CASE(board_and_reader_race),
	KUNIT_CASE(board_and_rings_race),
	{}
};

TEST_SUITE("zio-stream-model", stream_model_cases);
