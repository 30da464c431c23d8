// SPDX-License-Identifier: GPL-2.0-only
/* route_model_test.c: routes that come and go at random, against a model */
#include <linux/prandom.h>

#include "test-device.h"

#define WALK_STEPS	5000
#define INPUTS		2
#define OUTPUTS		3

struct model_input {
	struct test_device *tdev;
	struct zio_channel_core *chan;
	unsigned int refs;		/* of chan->kobj, without routes */
	char name[32];
	u16 fired;
	u16 queued[ZIO_DEFAULT_LEN];
	unsigned int n_queued;
	unsigned int n_away;		/* blocks that outputs have */
	unsigned long lost;
	u8 *users;			/* outputs that have the block, by its number */
};

struct model_block {
	struct model_input *in;		/* whose memory it has, or NULL */
	u16 number;
};

struct model_output {
	struct test_device *tdev;
	struct zio_channel_core *chan;
	unsigned int refs;
	struct model_input *source;
	struct model_block block[ZIO_DEFAULT_LEN];
	unsigned int n;
	unsigned long shared;
	unsigned long copied;
	unsigned long lost;
};

struct model {
	struct kunit *test;
	struct model_input in[INPUTS];
	struct model_output out[OUTPUTS];
	unsigned long shared, copied, lost, overruns, replaced;
};

static void add_input(struct model *m, struct model_input *in)
{
	u8 *users = in->users;

	memset(users, 0, WALK_STEPS);
	*in = (struct model_input){ .users = users };
	in->tdev = test_device_create(m->test, 0, 1);
	in->tdev->fill = true;
	in->chan = in->tdev->cset->chan[0];
	in->refs = kref_read(&in->chan->kobj.kref);
	test_stop_demand(in->tdev);
	snprintf(in->name, sizeof(in->name), "ztest-%04x-0-0", in->tdev->zdev->id);
}

static void add_output(struct model *m, struct model_output *out)
{
	*out = (struct model_output){};
	out->tdev = test_device_create(m->test, ZIO_CSET_OUTPUT, 1);
	out->tdev->io_return = ZIO_PENDING;
	out->chan = out->tdev->cset->chan[0];
	out->refs = kref_read(&out->chan->kobj.kref);
}

static unsigned int count_routes(struct model *m, const struct model_input *in)
{
	unsigned int i, n = 0;

	for (i = 0; i < OUTPUTS; i++)
		n += m->out[i].source == in;
	return n;
}

/* The output has one block armed as soon as it has any. */
static void feed(struct model *m, struct model_output *out, u16 number)
{
	unsigned int quota = ZIO_DEFAULT_LEN / count_routes(m, out->source);
	unsigned int queued = out->n ? out->n - 1 : 0;
	struct model_block *block = &out->block[out->n];

	if (out->n == ZIO_DEFAULT_LEN) {
		out->lost++;
		m->lost++;
		return;
	}
	out->n++;
	*block = (struct model_block){ .number = number };
	if (queued >= max(quota, 3u) - 2) {
		out->copied++;
		m->copied++;
		return;
	}
	block->in = out->source;
	block->in->n_away += !block->in->users[number]++;
	out->shared++;
	m->shared++;
}

static void fire(struct model *m, struct model_input *in)
{
	u16 number = in->fired++;
	unsigned int i;

	KUNIT_EXPECT_EQ(m->test, test_fire(in->tdev->cset), 0);
	if (in->n_queued + in->n_away == ZIO_DEFAULT_LEN) {
		in->lost++;
		m->overruns++;
	} else if (count_routes(m, in)) {
		for (i = 0; i < OUTPUTS; i++)
			if (m->out[i].source == in)
				feed(m, &m->out[i], number);
	} else {
		in->queued[in->n_queued++] = number;
	}
}

static void put(struct model_block *block)
{
	if (block->in)
		block->in->n_away -= !--block->in->users[block->number];
}

static void play(struct model *m, struct model_output *out)
{
	struct zio_armed *armed = out->tdev->cset->pub.armed;

	if (out->n) {
		KUNIT_ASSERT_NOT_NULL(m->test, armed->chan);
		KUNIT_EXPECT_EQ(m->test, *(u16 *)armed->block->data, out->block[0].number);
		put(&out->block[0]);
		memmove(&out->block[0], &out->block[1], --out->n * sizeof(out->block[0]));
	}
	zio_cset_done(&out->tdev->cset->pub);
}

/* Gives the queued blocks to the first route of an input. */
static void connect(struct model *m, struct model_output *out, struct model_input *in)
{
	unsigned int i;

	m->replaced += in && out->source && in != out->source;
	out->source = in;
	KUNIT_EXPECT_EQ(m->test, 0,
			test_set_source(out->chan, in ? in->name : "none"));
	if (!in)
		return;
	for (i = 0; i < in->n_queued; i++)
		feed(m, out, in->queued[i]);
	in->n_queued = 0;
}

/* Replaces the input's device. Outputs keep the blocks that they have of the old one. */
static void replace_input(struct model *m, struct model_input *in)
{
	unsigned int i, j;

	test_device_remove(in->tdev);
	for (i = 0; i < OUTPUTS; i++) {
		if (m->out[i].source == in)
			m->out[i].source = NULL;
		for (j = 0; j < m->out[i].n; j++)
			if (m->out[i].block[j].in == in)
				m->out[i].block[j].in = NULL;
	}
	add_input(m, in);
}

static void replace_output(struct model *m, struct model_output *out)
{
	unsigned int i;

	test_device_remove(out->tdev);
	for (i = 0; i < out->n; i++)
		put(&out->block[i]);
	add_output(m, out);
}

static void check_input(struct model *m, struct model_input *in)
{
	unsigned int routes = count_routes(m, in);

	KUNIT_ASSERT_EQ(m->test, in->chan->lost, in->lost);
	KUNIT_ASSERT_EQ(m->test, zio_queue_count(&in->chan->queue), in->n_queued);
	KUNIT_ASSERT_EQ(m->test, test_count_owned(in->chan) + in->n_away,
			ZIO_DEFAULT_LEN);
	KUNIT_ASSERT_EQ(m->test, in->chan->n_routes, routes);
	KUNIT_ASSERT_EQ(m->test, !!in->chan->ops, !!routes);
	KUNIT_ASSERT_EQ(m->test, kref_read(&in->chan->kobj.kref), in->refs + routes);
}

static void check_output(struct model *m, struct model_output *out)
{
	KUNIT_ASSERT_EQ(m->test, out->chan->shared, out->shared);
	KUNIT_ASSERT_EQ(m->test, out->chan->copied, out->copied);
	KUNIT_ASSERT_EQ(m->test, out->chan->route_lost, out->lost);
	KUNIT_ASSERT_EQ(m->test, out->n, zio_queue_count(&out->chan->queue) +
			!!out->tdev->cset->pub.armed->chan);
	KUNIT_ASSERT_EQ(m->test, test_count_owned(out->chan), ZIO_DEFAULT_LEN);
	KUNIT_ASSERT_EQ(m->test, !!out->chan->ops, !!out->source);
	KUNIT_ASSERT_EQ(m->test, kref_read(&out->chan->kobj.kref),
			out->refs + !!out->source);
}

static void check(struct model *m)
{
	unsigned int i;

	for (i = 0; i < INPUTS; i++)
		check_input(m, &m->in[i]);
	for (i = 0; i < OUTPUTS; i++)
		check_output(m, &m->out[i]);
}

static void step(struct model *m, u32 dice)
{
	struct model_output *out = &m->out[dice / 128 % OUTPUTS];
	unsigned int pick = dice / 512 % 3;
	struct model_input *in = pick < INPUTS ? &m->in[pick] : NULL;

	switch (dice % 128) {
	case 0:
		replace_input(m, &m->in[dice / 512 % INPUTS]);
		break;
	case 1:
		replace_output(m, out);
		break;
	case 2 ... 7:
		connect(m, out, in);
		break;
	case 8 ... 79:
		fire(m, &m->in[dice / 512 % INPUTS]);
		break;
	default:
		play(m, out);
	}
}

static void set_up(struct model *m, struct kunit *test)
{
	unsigned int i;

	m->test = test;
	for (i = 0; i < INPUTS; i++) {
		m->in[i].users = kunit_kzalloc(test, WALK_STEPS, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, m->in[i].users);
		add_input(m, &m->in[i]);
	}
	for (i = 0; i < OUTPUTS; i++)
		add_output(m, &m->out[i]);
}

static void tear_down(struct model *m)
{
	unsigned int i;

	for (i = 0; i < OUTPUTS; i++) {
		connect(m, &m->out[i], NULL);
		while (m->out[i].n)
			play(m, &m->out[i]);
	}
	check(m);
	for (i = 0; i < OUTPUTS; i++)
		test_device_remove(m->out[i].tdev);
	for (i = 0; i < INPUTS; i++)
		test_device_remove(m->in[i].tdev);
}

/* Checks that each loss was counted, and that no route is left. */
static void routes_follow_model(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rnd_state rnd;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	set_up(m, test);
	prandom_seed_state(&rnd, 1963);
	for (i = 0; i < WALK_STEPS; i++) {
		step(m, prandom_u32_state(&rnd));
		check(m);
	}
	KUNIT_EXPECT_GT(test, m->shared, 500);
	KUNIT_EXPECT_GT(test, m->copied, 50);
	KUNIT_EXPECT_GT(test, m->lost, 50);
	KUNIT_EXPECT_GT(test, m->overruns, 20);
	KUNIT_EXPECT_GT(test, m->replaced, 20);
	tear_down(m);
}

static struct kunit_case route_model_cases[] = {
	KUNIT_CASE(routes_follow_model),
	{}
};

TEST_SUITE("zio-route-model", route_model_cases);
