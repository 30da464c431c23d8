// SPDX-License-Identifier: GPL-2.0-only
/* libzio: a group over the ring of a set; ordinary files stand for the nodes */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define N_CHAN 3
#define STRIDE 8
#define N_ENTRIES 32
#define SIZE 16

static size_t page;
static struct zio_group *g;
static struct zio_event ev;

/* The kernel's view */
static struct fake_set {
	char stem[PATH_MAX / 2];
	struct zio_ring_header *hdr;
	uint32_t *entry;
	struct zio_control *slot;
	unsigned char *data[N_CHAN];
	uint32_t count[N_CHAN];
} set;

static void *make_file(const char *suffix, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", set.stem, suffix);
	return fake_map(path, size);
}

static unsigned int n_sets;

/* Counts of the channels begin in the middle of their slots; the entries wrap soon. */
static void make_set(uint32_t magic)
{
	uint32_t i;
	char suffix[16];

	snprintf(set.stem, sizeof(set.stem), "%s/set-%04x-0", dir, ++n_sets);
	set.hdr = make_file("-ctrl", 2 * page + N_CHAN * STRIDE * sizeof(*set.slot));
	set.entry = (void *)((char *)set.hdr + page);
	set.slot = (void *)((char *)set.hdr + 2 * page);
	for (i = 0; i < N_CHAN; i++) {
		snprintf(suffix, sizeof(suffix), "-%u-ctrl", i);
		make_file(suffix, page);
		snprintf(suffix, sizeof(suffix), "-%u-data", i);
		set.data[i] = make_file(suffix, page);
		set.count[i] = 5 + i;
	}
	*set.hdr = (struct zio_ring_header){
		.magic = magic, .version = ZIO_RING_VERSION,
		.slots_offset = 2 * (uint32_t)page, .slot_size = sizeof(*set.slot),
		.n_slots = N_CHAN * STRIDE, .flags = ZIO_RING_EVENTS,
		.entries_offset = (uint32_t)page, .n_entries = N_ENTRIES,
		.channel_slots = STRIDE, .head = UINT32_MAX - 20, .tail = UINT32_MAX - 20,
	};
}

/* A block of the channel is done. */
static void put_block(uint32_t chan, uint32_t seq)
{
	uint32_t at = set.count[chan]++ % STRIDE, i;

	fake_control(&set.slot[chan * STRIDE + at], seq, SIZE, 1);
	set.slot[chan * STRIDE + at].addr.chan = (uint16_t)chan;
	set.slot[chan * STRIDE + at].mem_offset = at * SIZE;
	for (i = 0; i < SIZE; i++)
		set.data[chan][at * SIZE + i] = fake_byte(seq + 100 * chan, i);
	set.entry[set.hdr->head % N_ENTRIES] = chan * STRIDE + at;
	__atomic_store_n(&set.hdr->head, set.hdr->head + 1, __ATOMIC_RELEASE);
}

static bool is_intact(const struct zio_part *part, uint32_t chan, uint32_t seq)
{
	const unsigned char *byte = part->blk.data;
	unsigned int i;

	if (part->state != ZIO_PART_BLOCK || part->blk.size != SIZE ||
	    part->blk.control->seq_num != seq || part->blk.control->addr.chan != chan)
		return false;
	for (i = 0; i < SIZE; i++)
		if (byte[i] != fake_byte(seq + 100 * chan, i))
			return false;
	return true;
}

/* The next event has all channels but @missing. */
static bool is_next(uint32_t seq, uint32_t missing)
{
	uint32_t i;

	if (zio_group_next(g, &ev, 1000) != 1)
		return false;
	for (i = 0; i < ev.n_parts; i++)
		if ((i == missing) == is_intact(&ev.parts[i], i, seq))
			return false;
	return ev.n_parts == N_CHAN;
}

static uint32_t count_held(void)
{
	return set.hdr->head - set.hdr->tail;
}

static void close_group(void)
{
	zio_group_close(g);
}

static bool has_none(void)
{
	return zio_group_next(g, &ev, 0) == -1 && errno == EAGAIN;
}

SETUP(fresh)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	make_dir(value);
	g = zio_group_open(0, NULL);
	atexit(close_group);
}

SETUP(ring)
{
	struct zio_error err = { 0 };

	fresh(value);
	make_set(ZIO_SET_RING_MAGIC);
	ASSERT_EQ(zio_group_add_set(g, set.stem, &err), N_CHAN, err.text);
}

TEST("whole events, and one without a channel", ring)
{
	uint32_t seq, i;

	ASSERT_TRUE(has_none());
	for (seq = 0; seq < 50; seq++) {
		for (i = 0; i < N_CHAN; i++)
			put_block(i, seq);
		ASSERT_TRUE(is_next(seq, N_CHAN) && count_held() == N_CHAN);
	}
	ASSERT_TRUE(has_none() && !count_held(), "all blocks are released");
	for (seq = 50; seq < 52; seq++)
		for (i = 0; i < N_CHAN; i++)
			if (seq != 50 || i != 1)
				put_block(i, seq);
	ASSERT_TRUE(is_next(50, 1) && is_next(51, N_CHAN));
	ASSERT_EQ(zio_group_stats(g)->lost, 1, "which has lost its block");
	for (i = 0; i < N_CHAN; i++)
		put_block(i, 52);
	ASSERT_TRUE(is_next(52, N_CHAN) && count_held() == N_CHAN, "whole again");
}

TEST("a channel that fires less often has no block in the events between", ring)
{
	uint32_t seq, at;

	for (seq = 0; seq < 20; seq++) {
		put_block(0, 2 * seq);
		put_block(2, 2 * seq);
		put_block(0, 2 * seq + 1);
		put_block(2, 2 * seq + 1);
		at = set.count[1] % STRIDE;
		put_block(1, seq);
		set.slot[STRIDE + at].tstamp.secs = 1000000000 + 2 * seq + 1;
		ASSERT_TRUE(zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == 2);
		ASSERT_EQ(ev.parts[1].state, ZIO_PART_SKIPPED);
		ASSERT_TRUE(zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == N_CHAN);
	}
}

TEST("a channel that leaves holds no blocks of the others", ring)
{
	uint32_t seq, i;

	for (i = 0; i < N_CHAN; i++)
		put_block(i, 0);
	ASSERT_TRUE(zio_group_next(g, &ev, 1000) == 1 && !zio_close(ev.parts[1].ch));
	for (seq = 1; seq < 30; seq++) {
		for (i = 0; i < N_CHAN; i++)
			put_block(i, seq);
		ASSERT_TRUE(zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == 2);
	}
	ASSERT_EQ(count_held(), N_CHAN);
}

TEST("numbers that no kernel writes lead to no slot of another channel", ring)
{
	put_block(0, 0);
	set.entry[set.hdr->head % N_ENTRIES] = N_CHAN * STRIDE;
	set.hdr->head++;
	set.count[0] += 3;
	put_block(0, 1);
	ASSERT_ERRNO(zio_group_next(g, &ev, 1000), EPROTO, "a number out of order");
}

TEST("sets without a ring, or without anything", fresh)
{
	struct zio_error err;
	char name[32];

	make_set(0);
	ASSERT_EQ(zio_group_add_set(g, set.stem, &err), N_CHAN);
	setenv("ZIO_DEV_PATH", dir, 1);
	snprintf(name, sizeof(name), "set-%04x/0", n_sets);
	ASSERT_EQ(zio_group_add_set(g, name, &err), N_CHAN, "as an object is named");
	ASSERT_ERRNO(zio_group_add_set(g, "no/0", &err), ENOENT);
	ASSERT_ERRNO(zio_group_add_set(g, "no-such-set", &err), ENOENT);
	ASSERT_HAS(err.text, "no-such-set");
	ASSERT_ERRNO(zio_group_add_set(g, NULL, &err), EINVAL, "NULL");
}
