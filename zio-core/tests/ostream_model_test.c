// SPDX-License-Identifier: GPL-2.0-only
/*
 * ostream_model_test.c: an output stream at random, against a model; and a board in a thread
 * beside a writer that changes the configuration
 */
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/zio-stream.h>

#include "test-device.h"

#define WALK_STEPS	20000
#define RACE_BLOCKS	40000
#define RACE_SECONDS	60	/* a slow machine writes fewer blocks */
#define N_BYTES		32
#define LEN		ZIO_DEFAULT_LEN
#define DEPTH		16

/*
 * The blocks that were written and not played, oldest first. The first @n_taken have been
 * taken, once each; the oldest one @turns times if blocks are repeated.
 */
struct model {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct test_user *user;
	u16 block[LEN];
	bool was_played[LEN];
	unsigned int n, n_taken, turns;
	unsigned int depth;
	bool cyclic;
	u16 value;
	unsigned long plays, lost, dry, repeated, restarts, refused;
	unsigned int steps;
	bool is_dry;
};

static unsigned int count_flying(const struct model *m)
{
	return m->n_taken && m->cyclic ? m->n_taken - 1 + m->turns : m->n_taken;
}

static void forget_oldest(struct model *m)
{
	m->n--;
	m->n_taken -= m->n_taken > 0;
	memmove(&m->block[0], &m->block[1], m->n * sizeof(m->block[0]));
	memmove(&m->was_played[0], &m->was_played[1], m->n);
	m->turns = m->n_taken > 0;
}

static void write_one(struct model *m)
{
	u16 data[N_BYTES / 2];
	ssize_t ret;

	memset16(data, m->value, ARRAY_SIZE(data));
	ret = test_write(m->user->data, data, sizeof(data));
	KUNIT_ASSERT_EQ(m->test, ret, m->n < LEN ? N_BYTES : -EAGAIN);
	m->refused += m->n == LEN;
	if (m->n == LEN)
		return;
	m->was_played[m->n] = false;
	m->block[m->n++] = m->value++;
}

/* Returns the number of the block that zio_channel_take() finds, or -1. */
static int expect_take(struct model *m)
{
	if (m->tdev->io_calls == 0 || count_flying(m) >= m->depth)
		return -1;
	if (m->n > m->n_taken) {
		if (m->cyclic && m->n_taken && !m->turns)
			forget_oldest(m);
		m->turns = m->n_taken ? m->turns : 1;
		return m->block[m->n_taken++];
	}
	if (!m->cyclic || m->n_taken != 1)
		return -1;
	m->turns++;
	m->repeated++;
	return m->block[0];
}

static void take(struct model *m)
{
	bool has_limit = count_flying(m) >= m->depth;
	int expected = expect_take(m);
	struct zio_block *block = zio_channel_take(&m->chan->pub);

	KUNIT_ASSERT_EQ(m->test, block ? *(u16 *)block->data : -1, expected);
	if (block || has_limit || count_flying(m) || m->tdev->io_calls == 0) {
		m->is_dry = m->is_dry && !block;
		return;
	}
	m->dry += !m->is_dry;
	m->is_dry = true;
}

static void complete_blocks(struct model *m, unsigned int n)
{
	n = min(n, count_flying(m));
	zio_channel_complete(&m->chan->pub, n);
	m->plays += n;
	while (n--) {
		m->was_played[0] = true;
		m->turns--;
		if (!m->cyclic || (!m->turns && m->n > 1))
			forget_oldest(m);
	}
}

static void lose(struct model *m)
{
	if (m->cyclic || !m->n_taken)
		return;
	zio_channel_lost(&m->chan->pub, 1);
	forget_oldest(m);
	m->lost++;
}

static void restart(struct model *m)
{
	m->n_taken = 0;
	m->turns = 0;
	m->is_dry = false;
	m->restarts++;
}

static void change(struct model *m, u32 dice)
{
	u32 arg = dice / 4;

	switch (dice % 4) {
	case 0:
		m->depth = 1 + arg % DEPTH;
		KUNIT_ASSERT_EQ(m->test, 0, test_store_u32(&m->tdev->cset->kobj, "queue-depth",
							   m->depth));
		break;
	case 1:
		if (!m->tdev->io_calls)
			break;
		KUNIT_ASSERT_EQ(m->test, test_enable_trigger(m->tdev->cset, false), 0);
		KUNIT_ASSERT_NULL(m->test, zio_channel_take(&m->chan->pub));
		KUNIT_ASSERT_EQ(m->test, test_enable_trigger(m->tdev->cset, true), 0);
		restart(m);
		m->tdev->io_calls = m->n > 0;
		break;
	case 2:
		m->cyclic = !m->cyclic;
		KUNIT_ASSERT_EQ(m->test, 0, test_store_u32(&m->tdev->cset->kobj, "cyclic",
							   m->cyclic));
		while (!m->cyclic && m->n && m->was_played[0])
			forget_oldest(m);
		restart(m);
		m->tdev->io_calls = m->n > 0;
		break;
	default:
		test_user_close(m->user);
		m->user = test_user_open(m->test, m->chan);
	}
}

static void check(struct model *m)
{
	struct zio_block *block;
	unsigned int i, at;

	KUNIT_ASSERT_EQ(m->test, zio_queue_count(&m->chan->queue), m->n);
	KUNIT_ASSERT_EQ(m->test, zio_stream_in_flight(m->chan), count_flying(m));
	KUNIT_ASSERT_EQ(m->test, m->chan->blocks, m->plays);
	KUNIT_ASSERT_EQ(m->test, zio_channel_losses(m->chan), m->lost);
	KUNIT_ASSERT_EQ(m->test, m->chan->dropped, m->lost);
	KUNIT_ASSERT_LE(m->test, m->chan->queue.stream.n_dry, m->dry);
	for (i = 0; i < count_flying(m); i++) {
		at = m->cyclic ? (i < m->turns ? 0 : i - m->turns + 1) : i;
		block = zio_channel_in_flight(&m->chan->pub, i);
		KUNIT_ASSERT_NOT_NULL(m->test, block);
		KUNIT_ASSERT_EQ(m->test, *(u16 *)block->data, m->block[at]);
	}
	KUNIT_ASSERT_NULL(m->test, zio_channel_in_flight(&m->chan->pub, i));
}

static void step(struct model *m, u32 dice)
{
	u32 arg = dice / 128;

	switch (dice % 128) {
	case 0 ... 1:
		change(m, arg);
		break;
	case 2 ... 45:
		take(m);
		break;
	case 46 ... 80:
		complete_blocks(m, arg % 4);
		break;
	case 81:
		lose(m);
		break;
	default:
		/* A writer is fast for some time, and then slow. */
		if (m->steps / 256 % 2 || arg % 16 == 0)
			write_one(m);
	}
	m->steps++;
}

static void ostream_follows_model(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rnd_state rnd;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->tdev = test_device_create(test, ZIO_CSET_STREAM | ZIO_CSET_OUTPUT, 1);
	m->chan = m->tdev->cset->chan[0];
	m->user = test_user_open(test, m->chan);
	m->depth = DEPTH;
	prandom_seed_state(&rnd, 1926);
	for (i = 0; i < WALK_STEPS; i++) {
		step(m, prandom_u32_state(&rnd));
		check(m);
	}
	KUNIT_EXPECT_GT(test, m->plays, 2000);
	KUNIT_EXPECT_GT(test, m->repeated, 300);
	KUNIT_EXPECT_GT(test, m->restarts, 50);
	KUNIT_EXPECT_GT(test, m->refused, 20);
	KUNIT_EXPECT_GT(test, m->lost, 20);
	KUNIT_EXPECT_GT(test, m->chan->queue.stream.n_dry, 20);
}

/*
 * A board in a thread. It checks that it gets the numbers of the writer in order: each once,
 * or, if blocks are repeated, at least once. A restart gives it again what it has not completed.
 */
struct board {
	struct kunit *test;
	struct test_device *tdev;
	struct zio_channel_core *chan;
	struct mutex io_lock; /* the thread holds it while it uses the hardware */
	spinlock_t take_lock; /* one context takes blocks at a time */
	bool running;
	u16 next;
	unsigned long plays;
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

static void board_play(struct board *board)
{
	unsigned int i, n = prandom_u32_state(&board->rnd) % 6;
	struct zio_block *block;
	u16 value;

	for (i = 0; i < n; i++) {
		block = zio_channel_in_flight(&board->chan->pub, i);
		if (!block)
			break;
		value = *(u16 *)block->data;
		if (board->tdev->cset->cyclic && value == (u16)(board->next - 1))
			continue;
		KUNIT_EXPECT_EQ(board->test, value, board->next);
		board->next = value + 1;
	}
	zio_channel_complete(&board->chan->pub, i);
	WRITE_ONCE(board->plays, board->plays + i);
}

static int run_board(void *arg)
{
	struct board *board = arg;

	while (!kthread_should_stop()) {
		mutex_lock(&board->io_lock);
		if (READ_ONCE(board->running)) {
			board_take(board, 3);
			board_play(board);
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
	prandom_seed_state(&board->rnd, 1935);
	board_of_test = board;
	board->tdev = test_device_create(test, ZIO_CSET_STREAM | ZIO_CSET_OUTPUT, 1);
	board->chan = board->tdev->cset->chan[0];
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
	case 0 ... 1:
		test_set_len(board->chan, 4 + arg % 20);
		break;
	case 2 ... 4:
		test_store_u32(&cset->kobj, "queue-depth", 1 + arg % 16);
		break;
	case 5:
		test_store_u32(&cset->kobj, "cyclic", arg & 1);
		break;
	default:
		test_enable_trigger(cset, false);
		test_enable_trigger(cset, true);
	}
}

static void board_and_writer_race(struct kunit *test)
{
	struct board *board = create_board(test);
	struct test_user *user = test_user_open(test, board->chan);
	struct task_struct *thread;
	u16 data[N_BYTES / 2];
	struct rnd_state rnd;
	unsigned long end = jiffies + RACE_SECONDS * HZ;
	unsigned int n = 0;
	ssize_t ret;

	test_need_processors(test);
	prandom_seed_state(&rnd, 1945);
	thread = test_thread_run(test, run_board, board);
	while (n < RACE_BLOCKS && time_before(jiffies, end)) {
		if (prandom_u32_state(&rnd) % 2048 == 0)
			disturb(board, prandom_u32_state(&rnd));
		memset16(data, n, ARRAY_SIZE(data));
		ret = test_write(user->data, data, sizeof(data));
		if (ret == sizeof(data)) {
			n++;
			continue;
		}
		KUNIT_ASSERT_EQ(test, ret, -EAGAIN);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, vfs_fsync(user->data, 0), 0);
	test_thread_stop(test, thread);
	KUNIT_EXPECT_EQ(test, board->next, (u16)n);
	KUNIT_EXPECT_GE(test, board->plays, n);
	KUNIT_EXPECT_EQ(test, zio_channel_losses(board->chan), 0);
	KUNIT_EXPECT_GT(test, board->tdev->refills, 10);
	test_user_close(user);
}

static struct kunit_case ostream_model_cases[] = {
	KUNIT_CASE(ostream_follows_model),
	KUNIT_CASE(board_and_writer_race),
	{}
};

TEST_SUITE("zio-ostream-model", ostream_model_cases);
