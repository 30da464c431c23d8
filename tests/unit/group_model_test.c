// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random streams through a group: every block is given exactly once, or counted
 *
 * Channels fire at every first to third event, lose blocks, and write late. The model
 * knows which blocks there are. It checks each event that the group makes of them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"
#include "stream.h"

#define MAX_CHANNELS 4
#define N_EVENTS 150
#define PERIOD 1000
#define LONG_MS 600000
#define PIPE_SIZE (1 << 20)

enum truth {
	NOTHING,	/* the channel does not fire */
	LOST,
	WAITS,		/* not yet written */
	WRITTEN,
	GIVEN,
};

struct channel {
	struct stream s;
	unsigned int divisor;
	enum truth truth[N_EVENTS];
	bool was_late[N_EVENTS];
	unsigned int written;	/* events before this one */
	uint32_t seq;
	bool has_begun;		/* the group has given a block */
	bool is_in_step;	/* and one in time: it knows what was lost before */
	bool ended;
};

static struct model {
	struct zio_group *g;
	struct channel chan[MAX_CHANNELS];
	unsigned int n, flags, depth;
	int limit;
	uint64_t window;
	int64_t last;		/* the last event in time */
	struct zio_group_stats seen;
} model;

static unsigned int seed;	/* of the streams */

static void print_stats(const char *who, const struct zio_group_stats *s)
{
	printf("# %s: events %" PRIu64 " complete %" PRIu64 " blocks %" PRIu64
	       " lost %" PRIu64 " skipped %" PRIu64 " late %" PRIu64 " gone %" PRIu64
	       " late blocks %" PRIu64 " dropped %" PRIu64 "\n", who, s->events,
	       s->complete, s->blocks, s->lost, s->skipped, s->late, s->gone,
	       s->late_blocks, s->dropped);
}

static void expect(bool good, const char *rule)
{
	if (good)
		return;
	print_stats("model", &model.seen);
	print_stats("group", zio_group_stats(model.g));
	FAIL("seed %u: not true: %s", seed, rule);
}

static unsigned int below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static void plan_channel(struct channel *c)
{
	unsigned int i, phase, loss = below(3) ? 0 : 5;

	memset(c, 0, sizeof(*c));
	c->divisor = below(2) ? 1 : 1 + below(3);
	phase = below(c->divisor);
	for (i = 0; i < N_EVENTS; i++)
		if (i % c->divisor == phase)
			c->truth[i] = loss && !below(loss) ? LOST : WAITS;
	expect(!stream_open(&c->s, dir, below(2), 0), "open");
	fcntl(c->s.ctrl, F_SETPIPE_SZ, PIPE_SIZE);
	fcntl(c->s.data, F_SETPIPE_SZ, PIPE_SIZE);
}

static void open_model(void)
{
	unsigned int i;

	memset(&model, 0, sizeof(model));
	model.n = 2 + below(MAX_CHANNELS - 1);
	model.flags = below(3) ? 0 : ZIO_GROUP_DROP_LATE;
	model.depth = below(2) ? 2 * N_EVENTS : 1 + below(4);
	model.window = below(2) * PERIOD / 4;
	model.last = -1;
	model.g = zio_group_open(model.flags, NULL);
	zio_group_set_depth(model.g, model.depth);
	zio_group_set_window(model.g, model.window);
	for (i = 0; i < model.n; i++) {
		plan_channel(&model.chan[i]);
		zio_group_add(model.g, model.chan[i].s.ch);
	}
}

/* Write up to and with the next block; lost ones take a number. */
static void write_next(struct channel *c)
{
	struct zio_control control;

	while (c->written < N_EVENTS) {
		unsigned int k = c->written++;

		c->seq += c->truth[k] == LOST;
		if (c->truth[k] != WAITS)
			continue;
		stream_control(&control, c->seq++,
			       (uint64_t)k * PERIOD + below((unsigned int)model.window + 1),
			       "clock0", below(4) ? below(64) : 0);
		stream_put_control(&c->s, &control);
		stream_put_data(&c->s, &control);
		c->truth[k] = WRITTEN;
		return;
	}
}

/* Has the group a block of this channel, that it did not drop? */
static bool has_written(const struct channel *c)
{
	bool drops = model.flags & ZIO_GROUP_DROP_LATE;
	unsigned int k = drops ? (unsigned int)(model.last + 1) : 0;

	for (; k < N_EVENTS; k++)
		if (c->truth[k] == WRITTEN)
			return true;
	return false;
}

static void check_block(struct channel *c, unsigned int k, const struct zio_event *ev,
			const struct zio_part *part)
{
	uint64_t time = part->blk.control->tstamp.secs * 1000000000 +
			part->blk.control->tstamp.ticks;

	expect(stream_is_intact(&part->blk), "the samples are those of the block");
	expect(time - ev->time_ns <= model.window, "the block is within the window");
	expect(time / PERIOD == k, "the block is of this event");
	expect(c->truth[k] == WRITTEN, "a block is given once");
	expect(!c->was_late[k] || ev->late, "a late block has an event of its own");
	c->truth[k] = GIVEN;
	c->has_begun = true;
	c->is_in_step |= !ev->late;
	model.seen.blocks++;
	model.seen.late_blocks += ev->late;
}

/* A loss before the first block cannot be known. */
static void check_gap(const struct channel *c, unsigned int k, bool lost)
{
	expect(c->truth[k] == LOST || c->truth[k] == NOTHING,
	       "a block that there is, is not missing");
	if (c->divisor == 1 && c->is_in_step)
		expect(lost == (c->truth[k] == LOST), "a loss is told from a gap");
	expect(!lost || c->has_begun || (model.flags & ZIO_GROUP_DROP_LATE),
	       "the first block follows no loss");
	model.seen.lost += lost;
	model.seen.skipped += !lost;
}

static void check_missing(struct channel *c, unsigned int k, enum zio_part_state state)
{
	switch (state) {
	case ZIO_PART_LOST:
	case ZIO_PART_SKIPPED:
		check_gap(c, k, state == ZIO_PART_LOST);
		break;
	case ZIO_PART_LATE:
		expect(!has_written(c), "only a channel without blocks is late");
		expect(!model.limit || (model.limit > 0 && model.depth < N_EVENTS),
		       "nothing is late before the limit");
		c->was_late[k] = true;
		model.seen.late++;
		break;
	case ZIO_PART_GONE:
		expect(c->ended && !has_written(c), "only a channel at its end is gone");
		model.seen.gone++;
		break;
	default:
		expect(false, "an event in time has no part that was given");
	}
}

static void check_event(const struct zio_event *ev)
{
	unsigned int i, k = (unsigned int)(ev->time_ns / PERIOD), n = 0;

	expect(k < N_EVENTS && ev->n_parts == model.n, "an event of the model");
	expect(ev->late || (int64_t)k > model.last, "events in the order of time");
	for (i = 0; i < model.n && k < N_EVENTS; i++) {
		const struct zio_part *part = &ev->parts[i];

		n += part->state == ZIO_PART_BLOCK;
		if (part->state == ZIO_PART_BLOCK)
			check_block(&model.chan[i], k, ev, part);
		else if (!ev->late)
			check_missing(&model.chan[i], k, part->state);
	}
	expect(n && n == ev->n_blocks, "an event has blocks");
	if (ev->late)
		return;
	model.last = k;
	model.seen.events++;
	model.seen.complete += n == model.n;
}

static int take_event(int limit)
{
	struct zio_event ev;
	int ret;

	model.limit = limit;
	zio_group_set_limit(model.g, limit);
	ret = zio_group_next(model.g, &ev, 0);
	expect(ret >= 0 || errno == EAGAIN, "no error");
	if (ret > 0)
		check_event(&ev);
	return ret;
}

/* Late blocks that were dropped have no event. */
static void check_rest(void)
{
	unsigned int i, k;
	uint64_t left = 0;

	for (i = 0; i < model.n; i++)
		for (k = 0; k < N_EVENTS; k++)
			left += model.chan[i].truth[k] == WRITTEN;
	model.seen.dropped = left;
	model.seen.late_blocks += left;
	expect(!left || (model.flags & ZIO_GROUP_DROP_LATE), "every block is given");
	expect(!memcmp(&model.seen, zio_group_stats(model.g), sizeof(model.seen)),
	       "the counts are those of the model");
}

static void run_model(unsigned int patience)
{
	static const int limits[] = { -1, LONG_MS, 0 };
	unsigned int i, step;

	open_model();
	for (step = 0; step < 8 * N_EVENTS; step++) {
		write_next(&model.chan[below(model.n)]);
		if (below(2))
			take_event(limits[below(patience) ? below(2) : 2]);
	}
	for (i = 0; i < model.n; i++) {
		while (model.chan[i].written < N_EVENTS)
			write_next(&model.chan[i]);
		stream_end(&model.chan[i].s);
		model.chan[i].ended = true;
	}
	while (take_event(-1) > 0)
		;
	check_rest();
	zio_group_close(model.g);
	for (i = 0; i < model.n; i++)
		stream_close(&model.chan[i].s);
}

/* The words are the first seed, and how many there are. */
TEST("every block is given exactly once, or counted", make_dir)
{
	const char *given = *arguments ?: getenv("ZIO_SEED");
	unsigned int turn, turns = 60;

	seed = given ? (unsigned int)strtoul(given, NULL, 0) : 1;
	if (*arguments && arguments[1])
		turns = (unsigned int)atoi(arguments[1]);
	for (turn = 0; turn < turns; turn++, seed++) {
		srandom(seed);
		run_model(1 + turn % 8);
	}
}
