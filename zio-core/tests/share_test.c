// SPDX-License-Identifier: GPL-2.0-only
/* share_test.c: owners of a shared block: refusals, ends, and a model */
#include <linux/prandom.h>
#include <linux/zio-stream.h>

#include "test-device.h"

#define WALK_STEPS	20000
#define OUTPUTS		3

/* An input, and outputs of one channel each, linked to its session */
struct stage {
	struct kunit *test;
	struct test_device *in_dev;
	struct zio_channel_core *in;
	struct test_user *reader;
	struct test_device *out_dev[OUTPUTS];
	struct zio_channel_core *out[OUTPUTS];
	struct test_user *writer[OUTPUTS];
	bool is_stream;		/* the input is one, with a board that fills blocks ahead */
	u16 value;		/* of the next block of the board */
};

/* Links as the ioctl does. The ioctl itself would need memory of a program. */
static void tie(struct test_user *writer, struct test_user *reader)
{
	refcount_inc(&reader->sess->ref);
	writer->sess->source = reader->sess;
}

/* A new session has no link. */
static void reopen_writer(struct stage *s, unsigned int i)
{
	test_user_close(s->writer[i]);
	s->writer[i] = test_user_open(s->test, s->out[i]);
}

/* The test fires the input, and plays the outputs. */
static void add_output(struct stage *s, unsigned int i)
{
	s->out_dev[i] = test_device_create(s->test, ZIO_CSET_OUTPUT, 1);
	s->out_dev[i]->io_return = ZIO_PENDING;
	s->out[i] = s->out_dev[i]->cset->chan[0];
	s->writer[i] = test_user_open(s->test, s->out[i]);
	tie(s->writer[i], s->reader);
}

static void add_input(struct stage *s)
{
	s->in_dev = test_device_create(s->test, s->is_stream ? ZIO_CSET_STREAM : 0, 1);
	s->in_dev->fill = true;
	s->in = s->in_dev->cset->chan[0];
	s->reader = test_user_open(s->test, s->in);
}

static void set_up(struct stage *s, struct kunit *test, unsigned int outputs)
{
	unsigned int i;

	s->test = test;
	add_input(s);
	for (i = 0; i < outputs; i++)
		add_output(s, i);
}

/* The board takes all free blocks, fills them at once, and completes the oldest @n. */
static void run_board(struct stage *s, unsigned int n)
{
	struct zio_block *block;

	while ((block = zio_channel_take(&s->in->pub)))
		*(u16 *)block->data = s->value++;
	n = min(n, zio_stream_in_flight(s->in));
	zio_channel_complete(&s->in->pub, n);
}

/* Reads one sample of the reader's current block, or of the next one. */
static struct zio_block *read_block(struct stage *s)
{
	if (s->is_stream)
		run_board(s, 2);
	if (test_read(s->reader->data, NULL, 2) < 0)
		return NULL;
	return s->reader->sess->block;
}

static struct zio_control name_block(const struct zio_block *block, u32 flags)
{
	return (struct zio_control) {
		.major_version = ZIO_MAJOR_VERSION,
		.seq_num = to_block_core(block)->seq,
		.ssize = 2,
		.nsamples = block->len / 2,
		.mem_offset = to_block_core(block)->mem_offset,
		.flags = ZIO_CONTROL_SHARED | flags,
	};
}

static int submit(struct test_user *writer, const struct zio_control *ctrl)
{
	ssize_t n = test_write(writer->ctrl, ctrl, sizeof(*ctrl));

	return min_t(ssize_t, n, 0);
}

static void put_hand(struct stage *s)
{
	if (s->reader->sess->block)
		test_user_put(s->reader);
}

static void memory_is_used_by_both(struct kunit *test)
{
	struct zio_block *block, *own;
	struct zio_control ctrl;
	struct stage s = {};

	set_up(&s, test, 1);
	block = read_block(&s);
	KUNIT_ASSERT_NOT_NULL(test, block);
	ctrl = name_block(block, 0);
	KUNIT_ASSERT_EQ(test, submit(s.writer[0], &ctrl), 0);
	KUNIT_EXPECT_NULL(test, s.reader->sess->block);
	own = s.out_dev[0]->cset->pub.armed->block;
	KUNIT_EXPECT_PTR_EQ(test, own->data, block->data);
	KUNIT_EXPECT_EQ(test, own->len, block->len);
	KUNIT_EXPECT_PTR_EQ(test, to_block_core(block)->mem->buf, s.in->buf);
	KUNIT_EXPECT_EQ(test, test_count_owned(s.in), ZIO_DEFAULT_LEN - 1);
	zio_cset_done(&s.out_dev[0]->cset->pub);
	KUNIT_EXPECT_PTR_NE(test, own->data, block->data);
	KUNIT_EXPECT_EQ(test, own->size, s.out[0]->buf->block_size);
	KUNIT_EXPECT_NULL(test, to_block_core(block)->mem);
	KUNIT_EXPECT_EQ(test, test_count_owned(s.in), ZIO_DEFAULT_LEN);
	KUNIT_EXPECT_EQ(test, s.out[0]->shared, 1);
	KUNIT_EXPECT_EQ(test, s.out[0]->copied_bytes, 0);
}

static void refusals_change_nothing(struct kunit *test)
{
	struct zio_control ctrl, bad;
	struct zio_block *block;
	struct stage s = {};

	set_up(&s, test, 1);
	block = read_block(&s);
	ctrl = name_block(block, 0);
	bad = ctrl;
	bad.major_version++;
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &bad), -EPROTO);
	bad = ctrl;
	bad.ssize = 1;
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &bad), -EINVAL);
	bad = ctrl;
	bad.nsamples++;
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &bad), -EMSGSIZE);
	bad = ctrl;
	bad.mem_offset_high = U32_MAX;
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &bad), -EMSGSIZE);
	bad = ctrl;
	bad.seq_num++;
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &bad), -ENOENT);
	bad = ctrl;
	bad.addr.devname[0] = 'x';
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &bad), -ENXIO);
	KUNIT_EXPECT_PTR_EQ(test, s.reader->sess->block, block);
	KUNIT_EXPECT_NULL(test, to_block_core(block)->mem);
	KUNIT_EXPECT_EQ(test, s.out[0]->seq, 0);
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &ctrl), 0);
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &ctrl), -ENOENT);
	reopen_writer(&s, 0);
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &ctrl), -ENOTCONN);
}

static void what_cannot_be_played_is_copied(struct kunit *test)
{
	struct zio_share_info info;
	struct zio_control ctrl;
	struct zio_block *block, *own;
	struct stage s = {};

	set_up(&s, test, 1);
	s.out_dev[0]->cset->dma_bits = 1;
	block = read_block(&s);
	ctrl = name_block(block, ZIO_CONTROL_SHARE_ONLY | ZIO_CONTROL_KEEP);
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &ctrl), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, s.out[0]->copied, 0);
	ctrl.flags &= ~ZIO_CONTROL_SHARE_ONLY;
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &ctrl), 0);
	own = s.out_dev[0]->cset->pub.armed->block;
	KUNIT_EXPECT_PTR_NE(test, own->data, block->data);
	KUNIT_EXPECT_EQ(test, memcmp(own->data, block->data, block->len), 0);
	KUNIT_EXPECT_EQ(test, s.out[0]->copied_bytes, block->len);
	test_read_control(s.out[0], &ctrl);
	memcpy(&info, ctrl.tlv[0].payload, sizeof(info));
	KUNIT_EXPECT_EQ(test, info.how, ZIO_SHARE_COPIED);
	KUNIT_EXPECT_EQ(test, info.error, EOVERFLOW);
	KUNIT_EXPECT_PTR_EQ(test, s.reader->sess->block, block);
}

/* The output still has the block: memory, type and channel stay until it is done. */
static void board_goes_first(struct kunit *test)
{
	struct zio_control ctrl;
	struct zio_block *block;
	struct zio_buffer *buf;
	struct stage s = {};
	u16 sample;

	set_up(&s, test, 1);
	block = read_block(&s);
	buf = s.in->buf;
	sample = *(u16 *)block->data;
	ctrl = name_block(block, ZIO_CONTROL_KEEP);
	KUNIT_ASSERT_EQ(test, submit(s.writer[0], &ctrl), 0);
	test_device_remove(s.in_dev);
	KUNIT_EXPECT_EQ(test, refcount_read(&buf->ref), 1);
	KUNIT_EXPECT_EQ(test, *(u16 *)s.out_dev[0]->cset->pub.armed->block->data,
			sample);
	KUNIT_EXPECT_EQ(test, submit(s.writer[0], &ctrl), -ENODEV);
	zio_cset_done(&s.out_dev[0]->cset->pub);
}

/*
 * The model: the blocks that the reader has, and those of each output, oldest first.
 */
struct owned {
	struct zio_block *block;
	u32 seq;
	u16 sample;
};

struct model {
	struct stage s;
	struct owned hand;
	struct owned out[OUTPUTS][ZIO_DEFAULT_LEN];
	unsigned int n_out[OUTPUTS];
	unsigned long kept, copied;
};

static unsigned int count_users(struct model *m, const struct zio_block *block)
{
	unsigned int i, j, n = m->hand.block == block;

	for (i = 0; i < OUTPUTS; i++)
		for (j = 0; j < m->n_out[i]; j++)
			n += m->out[i][j].block == block;
	return n;
}

static unsigned int count_away(struct model *m)
{
	const struct zio_block *seen[OUTPUTS * ZIO_DEFAULT_LEN], *block;
	unsigned int i, j, k, n = 0;

	for (i = 0; i < OUTPUTS; i++)
		for (j = 0; j < m->n_out[i]; j++) {
			block = m->out[i][j].block;
			for (k = 0; k < n; k++)
				if (seen[k] == block)
					break;
			/* No output shares a block that was copied. */
			if (block && k == n && block != m->hand.block)
				seen[n++] = block;
		}
	return n;
}

static void model_read(struct model *m)
{
	struct zio_block *block;

	put_hand(&m->s);
	m->hand.block = NULL;
	block = read_block(&m->s);
	if (!block)
		return;
	KUNIT_ASSERT_EQ(m->s.test, count_users(m, block), 0);
	m->hand = (struct owned) {
		.block = block, .seq = to_block_core(block)->seq,
		.sample = *(u16 *)block->data,
	};
}

static void model_submit(struct model *m, unsigned int i, bool keep)
{
	struct zio_channel_core *out = m->s.out[i];
	unsigned long copied = out->copied;
	struct zio_control ctrl;
	int ret;

	if (!m->hand.block)
		return;
	ctrl = name_block(m->hand.block, keep ? ZIO_CONTROL_KEEP : 0);
	ret = submit(m->s.writer[i], &ctrl);
	if (m->n_out[i] == ZIO_DEFAULT_LEN) {
		KUNIT_EXPECT_EQ(m->s.test, ret, -EAGAIN);
		return;
	}
	KUNIT_EXPECT_EQ(m->s.test, ret, 0);
	m->out[i][m->n_out[i]] = m->hand;
	if (out->copied != copied) {
		m->out[i][m->n_out[i]].block = NULL;
		m->copied++;
	}
	m->n_out[i]++;
	m->kept += keep;
	if (!keep)
		m->hand.block = NULL;
}

/* Plays the oldest block; the core arms the next one. */
static void model_play(struct model *m, unsigned int i)
{
	struct zio_cset_core *cset = m->s.out_dev[i]->cset;

	if (!m->n_out[i])
		return;
	KUNIT_ASSERT_EQ(m->s.test, *(u16 *)cset->pub.armed->block->data,
			m->out[i][0].sample);
	KUNIT_EXPECT_TRUE(m->s.test, zio_cset_done(&cset->pub));
	m->n_out[i]--;
	memmove(&m->out[i][0], &m->out[i][1], m->n_out[i] * sizeof(m->out[i][0]));
}

/* Removes an output's board or session, or both of an input. */
static void model_end(struct model *m, u32 dice)
{
	unsigned int i = dice % OUTPUTS;
	struct stage *s = &m->s;

	switch (dice / 4 % 4) {
	case 0:
		test_user_close(s->writer[i]);
		test_device_remove(s->out_dev[i]);
		m->n_out[i] = 0;
		add_output(s, i);
		break;
	case 1:
		reopen_writer(s, i);
		tie(s->writer[i], s->reader);
		break;
	case 2:
		if (!m->hand.block)
			break;
		/* The rest of the block is dropped: no reader can have it whole. */
		test_user_close(s->reader);
		s->reader = test_user_open(s->test, s->in);
		for (i = 0; i < OUTPUTS; i++) {
			reopen_writer(s, i);
			tie(s->writer[i], s->reader);
		}
		m->hand.block = NULL;
		break;
	default:
		test_device_remove(s->in_dev);
		test_user_close(s->reader);
		m->hand.block = NULL;
		add_input(s);
		for (i = 0; i < OUTPUTS; i++) {
			reopen_writer(s, i);
			tie(s->writer[i], s->reader);
		}
		/* The blocks of the outputs belong to a buffer that was replaced. */
		for (i = 0; i < OUTPUTS; i++)
			while (m->n_out[i])
				model_play(m, i);
		break;
	}
}

static void model_check(struct model *m)
{
	unsigned int i, j, n;
	struct zio_block *block;

	KUNIT_ASSERT_EQ(m->s.test, test_count_owned(m->s.in) + count_away(m),
			ZIO_DEFAULT_LEN);
	for (i = 0; i < OUTPUTS; i++) {
		KUNIT_ASSERT_EQ(m->s.test, test_count_owned(m->s.out[i]),
				ZIO_DEFAULT_LEN);
		for (j = 0; j < m->n_out[i]; j++) {
			block = m->out[i][j].block;
			if (!block)
				continue;
			n = count_users(m, block);
			KUNIT_ASSERT_EQ(m->s.test,
					kref_read(&to_block_core(block)->mem->ref), n);
			KUNIT_ASSERT_EQ(m->s.test, *(u16 *)block->data,
					m->out[i][j].sample);
		}
	}
}

static void walk_model(struct kunit *test, bool is_stream)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rnd_state rnd;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->s.is_stream = is_stream;
	set_up(&m->s, test, OUTPUTS);
	prandom_seed_state(&rnd, 2007);
	for (i = 0; i < WALK_STEPS; i++) {
		u32 dice = prandom_u32_state(&rnd);

		switch (dice % 8) {
		case 0 ... 1:
			model_read(m);
			break;
		case 2 ... 4:
			m->s.out_dev[dice / 8 % OUTPUTS]->cset->dma_bits =
				dice & BIT(20) && dice & BIT(21);
			model_submit(m, dice / 8 % OUTPUTS, dice & BIT(16));
			break;
		case 5 ... 6:
			model_play(m, dice / 8 % OUTPUTS);
			break;
		default:
			if (!(dice / 8 % 16))
				model_end(m, dice >> 16);
		}
		model_check(m);
	}
	KUNIT_EXPECT_GT(test, m->kept, 1000);
	KUNIT_EXPECT_GT(test, m->copied, 100);
}

static void ownership_follows_model(struct kunit *test)
{
	walk_model(test, false);
}

/* The board of a stream never gets memory that an output still plays. */
static void stream_follows_model(struct kunit *test)
{
	walk_model(test, true);
}

/* The board waits for a block. The last output that has played one gives it back. */
static void board_is_told_when_outputs_have_played(struct kunit *test)
{
	struct stage s = { .is_stream = true };
	struct zio_control ctrl;
	unsigned int i, refills;

	set_up(&s, test, 2);
	run_board(&s, ZIO_DEFAULT_LEN);
	ctrl = name_block(read_block(&s), ZIO_CONTROL_KEEP);
	KUNIT_ASSERT_EQ(test, submit(s.writer[0], &ctrl), 0);
	ctrl.flags &= ~ZIO_CONTROL_KEEP;
	KUNIT_ASSERT_EQ(test, submit(s.writer[1], &ctrl), 0);
	KUNIT_EXPECT_NULL(test, zio_channel_take(&s.in->pub));
	refills = s.in_dev->refills;
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, s.in_dev->refills, refills);
		KUNIT_EXPECT_TRUE(test, zio_cset_done(&s.out_dev[i]->cset->pub));
	}
	/* A work tells the board. */
	KUNIT_EXPECT_TRUE(test, test_wait_for(READ_ONCE(s.in_dev->refills) == refills + 1));
	KUNIT_EXPECT_NOT_NULL(test, zio_channel_take(&s.in->pub));
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(memory_is_used_by_both),
	KUNIT_CASE(refusals_change_nothing),
	KUNIT_CASE(what_cannot_be_played_is_copied),
	KUNIT_CASE(board_goes_first),
	KUNIT_CASE(ownership_follows_model),
	KUNIT_CASE(stream_follows_model),
	KUNIT_CASE(board_is_told_when_outputs_have_played),
	{}
};

TEST_SUITE("zio-share", share_cases);
