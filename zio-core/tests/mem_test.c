// SPDX-License-Identifier: GPL-2.0-only
/* mem_test.c: users of the memory of blocks: a model of shares, exports and buffers */
#include <linux/module.h>
#include <linux/prandom.h>

#include "share/internal.h"
#include "test-device.h"

#define WALK_STEPS	20000
#define BLOCKS		6
#define KB		24
#define MAX_HELD	32

/*
 * The buffer type of the input: zio-buf-vmalloc, with counters for its buffers and
 * blocks.
 */
static struct tally {
	const struct zio_buffer_ops *real;
	struct zio_buffer_ops ops;
	struct zio_buffer_type type;
	atomic_t created, destroyed, got, put;
} tally;

static int tally_create(struct zio_buffer *buf)
{
	atomic_inc(&tally.created);
	return tally.real->create(buf);
}

static void tally_destroy(struct zio_buffer *buf)
{
	atomic_inc(&tally.destroyed);
	tally.real->destroy(buf);
}

static struct zio_block *tally_get_block(struct zio_buffer *buf)
{
	struct zio_block *block = tally.real->get_block(buf);

	if (block)
		atomic_inc(&tally.got);
	return block;
}

static void tally_put_block(struct zio_buffer *buf, struct zio_block *block)
{
	atomic_inc(&tally.put);
	tally.real->put_block(buf, block);
}

static void tally_cancel(struct zio_buffer *buf, struct zio_block *block)
{
	atomic_inc(&tally.put);
	tally.real->cancel(buf, block);
}

/* A block of the input that is not free, and its users */
struct held {
	struct zio_block *block;
	struct zio_buffer *buf;
	unsigned int exports; /* users as the dma-buf of a block is */
	unsigned int outputs;
	bool in_hand;
	u16 sample;
};

/* A block of the output that is queued, and the memory that it plays. */
struct played {
	struct zio_block *block;
	struct held *held;
	u16 sample;
};

struct model {
	struct kunit *test;
	struct test_device *in_dev, *out_dev;
	struct zio_channel_core *in, *out;
	struct zio_buffer *buf; /* of the input, at present */
	struct held held[MAX_HELD];
	struct played played[ZIO_DEFAULT_LEN];
	unsigned int n_played;
	unsigned int exports, shares, replaced, unplugged, outlived;
};

static int change_buffer(struct test_device *tdev, const char *name)
{
	return test_store(&tdev->cset->kobj, "current_buffer", name);
}

static void unregister_tally(void *unused)
{
	zio_buffer_type_unregister(&tally.type);
}

static void make_tally(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);

	KUNIT_ASSERT_EQ(test, change_buffer(tdev, "vmalloc"), 0);
	memset(&tally, 0, sizeof(tally));
	tally.real = tdev->cset->buf_type->ops;
	tally.ops = *tally.real;
	tally.ops.create = tally_create;
	tally.ops.destroy = tally_destroy;
	tally.ops.get_block = tally_get_block;
	tally.ops.put_block = tally_put_block;
	tally.ops.get_blocks = NULL;
	tally.ops.put_blocks = NULL;
	tally.ops.cancel = tally_cancel;
	tally.type = *tdev->cset->buf_type;
	tally.type.name = "tally";
	tally.type.owner = THIS_MODULE;
	tally.type.ops = &tally.ops;
	test_device_remove(tdev);
	KUNIT_ASSERT_EQ(test, zio_buffer_type_register(&tally.type), 0);
	test_add_action(test, unregister_tally, NULL);
}

static void use_tally(struct model *m)
{
	test_device_use_area(m->in_dev, (struct test_area){
		.type = "tally", .kb = KB, .len = BLOCKS, .nsamples = 2048 });
	m->buf = m->in->buf;
}

static void add_input(struct model *m)
{
	m->in_dev = test_device_create(m->test, 0, 1);
	m->in_dev->fill = true;
	m->in = m->in_dev->cset->chan[0];
	use_tally(m);
}

static void add_output(struct model *m)
{
	m->out_dev = test_device_create(m->test, ZIO_CSET_OUTPUT, 1);
	m->out = m->out_dev->cset->chan[0];
	KUNIT_EXPECT_EQ(m->test, test_set_samples(m->out_dev->cset, 2048), 0);
}

static unsigned int count_users(const struct held *h)
{
	return h->in_hand + h->exports + h->outputs;
}

/* A user has gone. */
static void forget_unused(struct held *h)
{
	if (!count_users(h))
		*h = (struct held){ };
}

/* Returns a block of the model, which @dice chooses. */
static struct held *choose(struct model *m, u32 dice)
{
	unsigned int i;

	for (i = 0; i < MAX_HELD; i++) {
		struct held *h = &m->held[(dice + i) % MAX_HELD];

		if (h->block)
			return h;
	}
	return NULL;
}

static struct held *find_free(struct model *m)
{
	unsigned int i;

	for (i = 0; i < MAX_HELD; i++)
		if (!m->held[i].block)
			return &m->held[i];
	return NULL;
}

static void model_read(struct model *m)
{
	struct held *h = find_free(m);
	struct zio_block *block;
	unsigned int i;

	if (!h)
		return;
	zio_cset_arm_channel(m->in, 0, 1);
	block = zio_queue_pop(&m->in->queue);
	if (!block)
		return;
	for (i = 0; i < MAX_HELD; i++)
		KUNIT_EXPECT_PTR_NE(m->test, m->held[i].block, block);
	*h = (struct held) {
		.block = block, .buf = m->buf, .in_hand = true,
		.sample = *(u16 *)block->data,
	};
}

static void model_export(struct model *m, struct held *h)
{
	if (!h->in_hand)
		return;
	zio_mem_get(zio_block_share_mem(h->block, h->buf));
	h->exports++;
	m->exports++;
}

static void model_share(struct model *m, struct held *h)
{
	struct played *p = &m->played[m->n_played];

	if (!h->in_hand || m->n_played == ZIO_DEFAULT_LEN)
		return;
	p->block = m->out->buf->type->ops->get_block(m->out->buf);
	KUNIT_EXPECT_NOT_NULL(m->test, p->block);
	if (!p->block)
		return;
	KUNIT_EXPECT_EQ(m->test, zio_share_fill(m->out, p->block, h->buf, h->block,
						h->block->data, h->block->len, false), 0);
	p->held = h;
	p->sample = h->sample;
	m->n_played++;
	h->outputs++;
	m->shares++;
}

static void model_play(struct model *m, unsigned int i)
{
	struct played *p = &m->played[i];

	if (i >= m->n_played)
		return;
	KUNIT_EXPECT_EQ(m->test, *(u16 *)p->block->data, p->sample);
	zio_output_put(m->out, p->block);
	p->held->outputs--;
	m->outlived += p->held->buf != m->buf;
	forget_unused(p->held);
	*p = m->played[--m->n_played];
}

/* A reader drops blocks of the present buffer only. */
static void drop_hand(struct model *m, struct held *h)
{
	if (!h->in_hand)
		return;
	zio_block_put(m->in, h->block);
	h->in_hand = false;
	forget_unused(h);
}

static void drop_export(struct model *m, struct held *h)
{
	if (!h->exports)
		return;
	m->outlived += h->buf != m->buf;
	h->exports--;
	zio_mem_put(to_block_core(h->block)->mem);
	forget_unused(h);
}

static void drop_hands(struct model *m)
{
	unsigned int i;

	for (i = 0; i < MAX_HELD; i++)
		drop_hand(m, &m->held[i]);
}

static void replace_buffer(struct model *m)
{
	drop_hands(m);
	KUNIT_EXPECT_EQ(m->test, change_buffer(m->in_dev, "kmalloc"), 0);
	use_tally(m);
	m->replaced++;
}

static void unplug_input(struct model *m)
{
	drop_hands(m);
	test_device_remove(m->in_dev);
	add_input(m);
	m->unplugged++;
}

static void unplug_output(struct model *m)
{
	while (m->n_played)
		model_play(m, 0);
	test_device_remove(m->out_dev);
	add_output(m);
}

static void model_end(struct model *m, u32 dice)
{
	switch (dice % 8) {
	case 0 ... 4:
		replace_buffer(m);
		break;
	case 5 ... 6:
		unplug_input(m);
		break;
	default:
		unplug_output(m);
	}
}

static void check_held(struct model *m, const struct held *h)
{
	const struct zio_mem *mem;

	if (!h->block)
		return;
	mem = to_block_core(h->block)->mem;
	KUNIT_EXPECT_EQ(m->test, mem ? kref_read(&mem->ref) : 1,
			count_users(h));
	if (mem)
		KUNIT_EXPECT_PTR_EQ(m->test, mem->buf, h->buf);
	KUNIT_EXPECT_EQ(m->test, *(u16 *)h->block->data, h->sample);
}

/* Checks that the blocks in use are those of the model. */
static void model_check(struct model *m)
{
	int n = 0, used = atomic_read(&tally.got) - atomic_read(&tally.put);
	unsigned int i;

	for (i = 0; i < MAX_HELD; i++) {
		check_held(m, &m->held[i]);
		n += !!m->held[i].block;
	}
	KUNIT_EXPECT_EQ(m->test, used, n);
	KUNIT_EXPECT_LE(m->test, atomic_read(&tally.destroyed) + 1,
			atomic_read(&tally.created));
}

static void model_step(struct model *m, u32 dice)
{
	struct held *h = choose(m, dice >> 16);

	if (dice % 16 < 3 || !h)
		model_read(m);
	else if (dice % 16 < 5)
		model_export(m, h);
	else if (dice % 16 < 7)
		model_share(m, h);
	else if (dice % 16 < 9)
		model_play(m, m->n_played ? (dice >> 16) % m->n_played : 0);
	else if (dice % 16 < 11)
		drop_hand(m, h);
	else if (dice % 16 < 15)
		drop_export(m, h);
	else if (!(dice / 16 % 32))
		model_end(m, dice / 512);
}

static void tear_down(struct model *m)
{
	unsigned int i;

	drop_hands(m);
	test_device_remove(m->in_dev);
	m->buf = NULL;
	while (m->n_played)
		model_play(m, 0);
	for (i = 0; i < MAX_HELD; i++)
		while (m->held[i].exports)
			drop_export(m, &m->held[i]);
	test_device_remove(m->out_dev);
}

static void memory_follows_model(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rnd_state rnd;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	make_tally(test);
	add_input(m);
	add_output(m);
	prandom_seed_state(&rnd, 1104);
	/* The walk has no assertions: tear_down() drops what the model holds. */
	for (i = 0; i < WALK_STEPS && test->status == KUNIT_SUCCESS; i++) {
		model_step(m, prandom_u32_state(&rnd));
		model_check(m);
	}
	tear_down(m);
	/* Work items free buffers. */
	KUNIT_EXPECT_TRUE(test, test_wait_for(atomic_read(&tally.created) ==
					      atomic_read(&tally.destroyed)));
	flush_workqueue(zio_wq);
	KUNIT_EXPECT_EQ(test, atomic_read(&tally.got), atomic_read(&tally.put));
	kunit_info(test, "%u exports, %u shares, %u replaced, %u unplugged, %u outlived",
		   m->exports, m->shares, m->replaced, m->unplugged, m->outlived);
	KUNIT_EXPECT_GT(test, m->exports, 100);
	KUNIT_EXPECT_GT(test, m->shares, 100);
	KUNIT_EXPECT_GT(test, m->replaced, 10);
	KUNIT_EXPECT_GT(test, m->unplugged, 5);
	KUNIT_EXPECT_GT(test, m->outlived, 20);
}

/* A shared block that is put beside a change of the size gets on the list of free blocks. */
static void block_of_former_size_is_freed(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	const struct zio_buffer_ops *ops = chan->buf->type->ops;
	struct zio_block *block;

	KUNIT_ASSERT_EQ(test, test_set_len(chan, 1), 0);
	block = ops->get_block(chan->buf);
	KUNIT_ASSERT_NOT_NULL(test, block);
	ops->put_block(chan->buf, block);
	to_block_core(block)->gen--;
	KUNIT_EXPECT_NULL(test, ops->get_block(chan->buf));
	KUNIT_EXPECT_FALSE(test, ops->has_room(chan->buf));
	KUNIT_EXPECT_EQ(test, ops->count(chan->buf), 0);
}

static struct kunit_case mem_cases[] = {
	KUNIT_CASE(memory_follows_model),
	KUNIT_CASE(block_of_former_size_is_freed),
	{}
};

TEST_SUITE("zio-mem", mem_cases);
