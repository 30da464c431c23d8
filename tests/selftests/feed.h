/* SPDX-License-Identifier: GPL-2.0-only */
/* feed.h: programs that are drivers of streams, for tests */
#ifndef FEED_H
#define FEED_H

#include "harness.h"
#include "uzio.h"

#define MAX_PLACES	256

/**
 * struct lane - a channel of a stream, as its program sees it
 * @mem: its memory, @size bytes; NULL: none
 * @map: token of the memory
 * @place: the @n blocks that the program has, the oldest first
 * @on: the stream has the channel
 * @next: what is in the next block
 */
struct lane {
	void *mem;
	size_t size;
	uint64_t map;
	struct uzio_place place[MAX_PLACES];
	unsigned int n;
	bool on;
	uint32_t next;
};

/**
 * struct feed - a program that has a stream
 * @id: of the stream; 0: none
 * @ssize: of its set
 * @prot: how the program maps the memory
 * @starts: how many have begun
 * @is_aborted: the program owes an answer to UZIO_ABORT
 */
struct feed {
	struct program prog;
	uint64_t id;
	unsigned int ssize;
	int prot;
	unsigned int starts;
	bool is_aborted;
	struct lane lane[2];
};

static inline void take_start(struct feed *feed, const struct uzio_arm *arm)
{
	const struct uzio_block *block = blocks_of(arm);
	struct lane *lane;
	unsigned int i;

	ASSERT_EQ(feed->id, 0);
	ASSERT_TRUE(arm->head.id);
	feed->id = arm->head.id;
	feed->starts++;
	for (lane = feed->lane; lane < feed->lane + 2; lane++)
		lane->on = false;
	for (i = 0; i < arm->n_blocks; i++, block++) {
		lane = &feed->lane[block->chan];
		lane->on = true;
		ASSERT_EQ(block->offset, 0);
		ASSERT_EQ(block->len, arm->post_samples * feed->ssize);
		if (lane->mem && lane->map != block->map)
			munmap(lane->mem, lane->size);
		if (!lane->mem || lane->map != block->map)
			lane->mem = map_memory(&feed->prog, block, feed->prot);
		lane->map = block->map;
		lane->size = block->map_size;
	}
}

static inline void take_blocks(struct feed *feed, const struct uzio_blocks *blocks)
{
	const struct uzio_place *place = (const void *)(blocks + 1);
	struct lane *lane = &feed->lane[blocks->chan];
	unsigned int i;

	ASSERT_EQ(blocks->head.id, feed->id);
	ASSERT_TRUE(lane->on && blocks->n_blocks);
	ASSERT_TRUE(lane->n + blocks->n_blocks <= MAX_PLACES);
	for (i = 0; i < blocks->n_blocks; i++) {
		ASSERT_TRUE(place[i].offset + place[i].len <= lane->size);
		lane->place[lane->n++] = place[i];
	}
}

/* Answer, and take the requests that come. Return: 0 or an errno */
static inline int turn(struct feed *feed, const void *answer, int wait_ms)
{
	int ret = exchange(&feed->prog, answer, wait_ms);
	const struct uzio_record *head;
	unsigned int at;

	for (at = 0; at < feed->prog.ex.requests_given; at += head->size) {
		head = (const void *)(feed->prog.request.bytes + at);
		if (head->type == UZIO_START)
			take_start(feed, (const void *)head);
		else if (head->type == UZIO_BLOCKS)
			take_blocks(feed, (const void *)head);
		else if (head->type == UZIO_ABORT)
			feed->is_aborted = true;
		else
			FAIL("request %u", head->type);
	}
	return ret;
}

static inline void start_feed(struct feed *feed, const struct uzio_set *set, unsigned int timeout_ms)
{
	memset(feed, 0, sizeof(*feed));
	feed->ssize = set->ssize;
	feed->prot = PROT_READ | (set->flags & UZIO_SET_OUTPUT ? 0 : PROT_WRITE);
	start_program(&feed->prog, set, timeout_ms);
}

static inline struct uzio_complete complete_for(const struct feed *feed, unsigned int chan,
					 unsigned int n)
{
	return (struct uzio_complete) {
		.head = { .size = sizeof(struct uzio_complete), .type = UZIO_COMPLETE,
			  .id = feed->id },
		.chan = chan, .n_blocks = n,
	};
}

static inline void forget(struct lane *lane, unsigned int n)
{
	ASSERT_TRUE(n <= lane->n);
	lane->n -= n;
	memmove(lane->place, lane->place + n, lane->n * sizeof(lane->place[0]));
}

static inline int answer_abort(struct feed *feed)
{
	struct uzio_fail answer = fail_for(feed->id, EIO);

	feed->is_aborted = false;
	feed->id = 0;
	feed->lane[0].n = 0;
	feed->lane[1].n = 0;
	return turn(feed, &answer, 0);
}

#endif /* FEED_H */
