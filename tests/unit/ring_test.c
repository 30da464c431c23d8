// SPDX-License-Identifier: GPL-2.0-only
/* libzio with rings; ordinary files stand for them */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define N_SLOTS 8
#define DATA_PAGES 4

static size_t page;

/* The kernel's view of a ring. */
struct fake_ring {
	char stem[PATH_MAX / 2];
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	unsigned char *data;
	size_t used;
};

static void *make_file(const char *stem, const char *suffix, size_t size)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-%s", stem, suffix);
	return fake_map(path, size);
}

static struct fake_ring r;

static struct zio_ring_header make_ring_header(uint32_t start)
{
	return (struct zio_ring_header){
		.magic = ZIO_RING_MAGIC,
		.version = ZIO_RING_VERSION,
		.slots_offset = (uint32_t)page,
		.slot_size = sizeof(struct zio_control),
		.n_slots = N_SLOTS,
		.data_size = DATA_PAGES * page,
		.head = start,
		.tail = start,
	};
}

static struct fake_ring make_ring(uint32_t start)
{
	struct fake_ring r = { .used = 0 };

	strcpy(r.stem, new_stem());
	r.hdr = make_file(r.stem, "ctrl", page + N_SLOTS * sizeof(struct zio_control));
	r.slot = (void *)((char *)r.hdr + page);
	r.data = make_file(r.stem, "data", DATA_PAGES * page);
	*r.hdr = make_ring_header(start);
	return r;
}

static void open_ring(uint32_t start, int flags)
{
	r = make_ring(start);
	ch = zio_open(r.stem, flags, NULL);
}

static struct zio_control *put_block(struct fake_ring *r, uint32_t seq,
				     uint32_t size)
{
	struct zio_control *ctrl = &r->slot[r->hdr->head % N_SLOTS];
	size_t i;

	if (r->used + size > DATA_PAGES * page)
		r->used = 0;
	fake_control(ctrl, seq, size, 1);
	ctrl->mem_offset = (uint32_t)r->used;
	for (i = 0; i < size; i++)
		r->data[r->used++] = fake_byte(seq, i);
	__atomic_store_n(&r->hdr->head, r->hdr->head + 1, __ATOMIC_RELEASE);
	return ctrl;
}

/* What poll() tells of a node instead of what the kernel does, and how often it did */
static short node_events;
static unsigned int polls;

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	if (!node_events || fds[0].fd < 0)
		return __real_poll(fds, n, timeout);
	ASSERT_TRUE(++polls < 100, "the library asks again and again");
	fds[0].revents = node_events;
	fds[1].revents = 0;
	return 1;
}

SETUP(fresh)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	make_dir(value);
}

SETUP(ring)
{
	fresh(value);
	open_ring(0, ZIO_OPEN_NONBLOCK);
}

TEST("the ring wraps, and the counters wrap at 2^32", fresh)
{
	uint32_t seq, i;

	open_ring(UINT32_MAX - 10, ZIO_OPEN_NONBLOCK);
	ASSERT_TRUE(ch && !strcmp(zio_method(ch), "ring"), "a ring is found");
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "nothing there");
	for (seq = 0; seq < 40; seq += 4) {
		for (i = 0; i < 4; i++)
			put_block(&r, seq + i, 16 + seq);
		for (i = 0; i < 4; i++) {
			ASSERT_TRUE(zio_next(ch, &blk) == 1 && !blk.lost);
			ASSERT_TRUE(is_fake(&blk, seq + i, 16 + seq));
			ASSERT_EQ(r.hdr->head - r.hdr->tail, 4 - i, "it is held");
			ASSERT_TRUE((unsigned char *)blk.data != r.data);
		}
		ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN);
		ASSERT_EQ(r.hdr->tail, r.hdr->head);
	}
	ASSERT_TRUE(zio_stats(ch)->blocks == 40 && zio_stats(ch)->bytes == 1360);
	ASSERT_TRUE(!zio_stats(ch)->lost);
	put_block(&r, 40, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && r.hdr->head - r.hdr->tail == 1);
	close_channel();
	ASSERT_EQ(r.hdr->tail, r.hdr->head, "is given back by zio_close()");
}

TEST("lost blocks are counted", fresh)
{
	static const struct {
		uint32_t seq, lost;
	} step[] = {
		{ 0, 0 }, { 2, 1 }, { 3, 0 }, { 10, 6 }, { 0, 0 }, { 1, 0 },
		{ 3, 1 },
	};
	size_t i;

	open_ring(0, 0);
	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		put_block(&r, step[i].seq, 16);
	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.lost == step[i].lost &&
			    blk.data);
	ASSERT_EQ(zio_stats(ch)->lost, 8, "lost blocks in all");
}

TEST("one field of one control is wrong at a time; the next block is good", ring)
{
	const size_t size = DATA_PAGES * page;

	put_block(&r, 0, 16)->major_version = 2;
	put_block(&r, 1, 16)->mem_offset = (uint32_t)size - 15;
	put_block(&r, 2, 16)->reserved = 1;
	put_block(&r, 3, 16)->nsamples = (uint32_t)size + 1;
	put_block(&r, 4, 16)->ssize = 0;
	put_block(&r, 5, 0);
	put_block(&r, 6, 16)->mem_offset = (uint32_t)size - 16;
	put_block(&r, 7, 16);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTONOSUPPORT, "version 2.");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "outside the mapping");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "outside the mapping");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "outside the mapping");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "size of a sample is 0");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && !blk.size && !blk.data, "no data");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.size == 16, "up to the very end");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 7, 16), "as it should be");
	put_block(&r, 8, 16);
	put_block(&r, 9, 16)->mem_offset = (uint32_t)size - 15;
	put_block(&r, 10, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 8, 16), "the next, too");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "outside the mapping");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 10, 16), "good again");
	r.hdr->head += N_SLOTS + 1;
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "header");
}

TEST("controls, data, own memory and the limit", ring)
{
	char mem[32];
	uint32_t seq;

	for (seq = 0; seq < 7; seq++)
		put_block(&r, seq, seq < 5 ? 32 : 100);
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "data before a control");
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && !blk.data && blk.size == 32);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 0, 32), "then its data");
	ASSERT_EQ(zio_next_control(ch, &blk), 1, "a control");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 32) && !blk.lost);
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "no data twice");
	ASSERT_TRUE(zio_next_into(ch, &blk, mem, 32) == 1 && blk.data == mem);
	ASSERT_TRUE(is_fake(&blk, 3, 32));
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 4, 32), "a block");
	ASSERT_ERRNO(zio_next_into(ch, &blk, mem, 32), EMSGSIZE);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 5, 100));
	zio_set_max_block(ch, 99);
	ASSERT_TRUE(fails(zio_next(ch, &blk), EMSGSIZE) && blk.size == 100);
	zio_set_max_block(ch, 100);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 6, 100), "limit raised");
}

TEST("controls alone", fresh)
{
	open_ring(0, ZIO_OPEN_CONTROL_ONLY);
	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	ASSERT_TRUE(ch && zio_next_control(ch, &blk) == 1 && blk.size == 16);
	ASSERT_STR(zio_method(ch), "ring");
	ASSERT_ERRNO(zio_data(ch, &blk), EBADF, "no data");
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && r.hdr->head - r.hdr->tail == 1);
	put_block(&r, 2, 16);
	ASSERT_ERRNO(zio_next(ch, &blk), EBADF, "nor so");
}

/* The library refuses this header of a ring, and reads instead. */
static void judge(const struct zio_ring_header *hdr, const char *what)
{
	struct zio_error err = { 0 };

	r = make_ring(0);
	*r.hdr = *hdr;
	ASSERT_TRUE(!zio_open(r.stem, ZIO_OPEN_RING, &err), what);
	ASSERT_HAS(err.text, "method ring", what);
	ch = zio_open(r.stem, 0, NULL);
	ASSERT_TRUE(ch && !strcmp(zio_method(ch), "read"), what);
	close_channel();
}

#define ASSERT_NO_RING(field, value) do {				\
	struct zio_ring_header hdr = make_ring_header(0);		\
									\
	hdr.field = value;						\
	judge(&hdr, #field " " #value);					\
} while (0)

TEST("what is no ring is read", fresh)
{
	ASSERT_NO_RING(magic, ZIO_RING_MAGIC + 1);
	ASSERT_NO_RING(version, ZIO_RING_VERSION + 1);
	ASSERT_NO_RING(n_slots, 7);
	ASSERT_NO_RING(n_slots, 1 << 20);
	ASSERT_NO_RING(slot_size, 511);
	ASSERT_NO_RING(data_size, UINT64_MAX);
	ASSERT_NO_RING(slots_offset, 0x7ffff000);
}

TEST("a signal ends a wait", fresh)
{
	int ret;

	open_ring(0, 0);
	interrupt_soon(ch, 0);
	ret = zio_next(ch, &blk);
	ASSERT_TRUE(ret == -1 && (errno == EINTR || errno == EAGAIN));
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "signal before waiting");
	put_block(&r, 0, 16);
	ASSERT_EQ(zio_next(ch, &blk), 1, "but what is there is given");
}

/* --- a board that goes */

static struct zio_block blks[N_SLOTS];
static char own[64];

static int by_next(void)
{
	return zio_next(ch, blks);
}

static int by_control(void)
{
	return zio_next_control(ch, blks);
}

static int into_memory(void)
{
	return zio_next_into(ch, blks, own, sizeof(own));
}

static int by_batch(void)
{
	return zio_next_batch(ch, blks, N_SLOTS, NULL, 0);
}

static int (*const ways[])(void) = { by_next, by_control, into_memory, by_batch };

/* Blocks come first, and then the same error by each call. */
static void judge_gone(size_t way, int flags, unsigned int blocks)
{
	unsigned int i, found = 0;

	open_ring(0, flags);
	node_events = 0;
	for (i = 0; i < blocks; i++)
		put_block(&r, i, 16);
	node_events = POLLHUP | POLLERR;
	while (found < blocks) {
		int ret = ways[way]();

		ASSERT_TRUE(ret > 0, zio_reason(ch));
		found += (unsigned int)ret;
	}
	for (i = 0; i < 4; i++) {
		polls = 0;
		ASSERT_EQ(zio_wait(ch, -1), 1, "a wait ends");
		ASSERT_FAILS(ch, ways[(way + i) % 4](), ENODEV, "wait for a block");
	}
	close_channel();
}

TEST_EACH("a %s reader learns by each call that its board has gone", fresh, "blocking",
	  "non-blocking")
{
	int flags = value[0] == 'n' ? ZIO_OPEN_NONBLOCK : 0;
	unsigned int blocks;
	size_t way;

	for (way = 0; way < 4; way++)
		for (blocks = 0; blocks < 3; blocks++)
			judge_gone(way, flags, blocks);
}

TEST("a child that closes its channel does not release the block of its parent", ring)
{
	int status = -1;
	pid_t pid;

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	ASSERT_EQ(zio_next(ch, &blk), 1, "a block");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(zio_close(ch) ? 1 : 0);
	waitpid(pid, &status, 0);
	ASSERT_TRUE(!status && !r.hdr->tail, "closed by a child, it stays");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 1, 16), "the next one");
	pid = fork();
	if (!pid) {
		bool good = fails(zio_next(ch, &blk), EAGAIN);

		put_block(&r, 2, 16);
		good &= zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 16);
		zio_close(ch);
		_exit(!good || r.hdr->tail != 3);
	}
	waitpid(pid, &status, 0);
	ASSERT_TRUE(!status, "a child goes on with it");
}

TEST("names of methods", fresh)
{
	ASSERT_EQ(zio_method_flag("ring"), ZIO_OPEN_RING);
	ASSERT_EQ(zio_method_flag("mmap"), -1, "which there was");
	ASSERT_TRUE(zio_method_flag("read") == ZIO_OPEN_READ && !zio_method_flag("auto"));
	ASSERT_TRUE(zio_method_flag("") < 0 && zio_method_flag("rings") < 0);
}

/* --- batches */

static bool are_fake(const struct zio_block *blks, int n, uint32_t seq, size_t size)
{
	int i;

	for (i = 0; i < n; i++)
		if (!is_fake(&blks[i], seq + (uint32_t)i, size) || blks[i].lost)
			return false;
	return true;
}

TEST("batches", fresh)
{
	struct zio_block blks[N_SLOTS];
	uint32_t seq;

	open_ring(UINT32_MAX - 3, ZIO_OPEN_NONBLOCK);
	ASSERT_ERRNO(zio_next_batch(ch, blks, 4, NULL, 0), EAGAIN, "no block, no batch");
	for (seq = 0; seq < 6; seq++)
		put_block(&r, seq, 16);
	ASSERT_EQ(zio_next_batch(ch, blks, 4, NULL, 0), 4);
	ASSERT_TRUE(are_fake(blks, 4, 0, 16) && r.hdr->head - r.hdr->tail == 6);
	put_block(&r, 6, 16);
	ASSERT_EQ(zio_next_batch(ch, blks, N_SLOTS, NULL, 0), 3);
	ASSERT_TRUE(are_fake(blks, 3, 4, 16) && r.hdr->head - r.hdr->tail == 3);
	ASSERT_TRUE(zio_stats(ch)->blocks == 7 && zio_stats(ch)->bytes == 7 * 16);
	put_block(&r, 9, 16);
	ASSERT_TRUE(zio_next(ch, blks) == 1 && blks[0].lost == 2 && is_fake(blks, 9, 16));
}

TEST("a batch ends at an error", ring)
{
	struct zio_block blks[N_SLOTS];

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	put_block(&r, 2, 16)->major_version = 2;
	put_block(&r, 3, 16);
	ASSERT_EQ(zio_next_batch(ch, blks, N_SLOTS, NULL, 0), 2);
	ASSERT_TRUE(are_fake(blks, 2, 0, 16));
	ASSERT_EQ(zio_wait(ch, 0), 1, "which zio_wait() tells of");
	ASSERT_FAILS(ch, zio_next_batch(ch, blks, N_SLOTS, NULL, 0), EPROTONOSUPPORT,
		     "version 2.");
	ASSERT_EQ(zio_next_batch(ch, blks, N_SLOTS, NULL, 0), 1);
	ASSERT_TRUE(is_fake(blks, 3, 16) && blks[0].lost == 1);
}

TEST("a block that is kept", fresh)
{
	const struct zio_control *kept;
	struct zio_block blks[4];
	uint32_t seq;

	open_ring(UINT32_MAX - 3, ZIO_OPEN_NONBLOCK);
	for (seq = 0; seq < 6; seq++)
		put_block(&r, seq, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && zio_next(ch, &blk) == 1, "two blocks");
	kept = blk.control;
	ASSERT_TRUE(!zio_keep(ch, kept) && zio_next(ch, &blk) == 1);
	ASSERT_TRUE(is_fake(&blk, 2, 16) && zio_next(ch, &blk) == 1);
	ASSERT_TRUE(is_fake(&blk, 3, 16) && r.hdr->head - r.hdr->tail == 5);
	put_block(&r, 6, 16);
	ASSERT_EQ(zio_next_batch(ch, blks, 2, NULL, 0), 2);
	ASSERT_TRUE(are_fake(blks, 2, 4, 16) && kept->seq_num == 1);
	ASSERT_EQ(r.hdr->head - r.hdr->tail, 6);
	ASSERT_TRUE(zio_wait(ch, 0) == 1 && r.hdr->head - r.hdr->tail == 6);
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && r.hdr->head - r.hdr->tail == 6);
	ASSERT_TRUE(fails(zio_next(ch, &blk), EAGAIN) && r.hdr->head - r.hdr->tail == 6);
	ASSERT_ERRNO(zio_keep(ch, kept - 1), EINVAL, "a block that was released");
	ASSERT_ERRNO(zio_keep(ch, kept + 6), EINVAL, "a block that is still to come");
	ASSERT_ERRNO(zio_keep(ch, (void *)((char *)kept + 8)), EINVAL);
	ASSERT_ERRNO(zio_keep(ch, (void *)&blk), EINVAL);
	ASSERT_TRUE(!zio_keep(ch, blks[1].control) && fails(zio_next(ch, &blk), EAGAIN));
	ASSERT_EQ(r.hdr->head - r.hdr->tail, 2);
	ASSERT_TRUE(!zio_keep(ch, NULL) && fails(zio_next(ch, &blk), EAGAIN));
	ASSERT_EQ(r.hdr->head, r.hdr->tail);
	put_block(&r, 7, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 7, 16));
	ASSERT_EQ(r.hdr->head - r.hdr->tail, 1);
	zio_keep(ch, blk.control);
	close_channel();
	ASSERT_EQ(r.hdr->head, r.hdr->tail, "zio_close() releases what is kept");
}

TEST("a flush", ring)
{
	uint32_t seq;

	for (seq = 0; seq < 6; seq++)
		put_block(&r, seq, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && zio_next(ch, &blk) == 1);
	ASSERT_TRUE(!zio_keep(ch, blk.control));
	ASSERT_TRUE(!zio_flush(ch) && r.hdr->tail == 1, "zio_flush() keeps a block");
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "it drops the others");
	put_block(&r, 9, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 9, 16) && !blk.lost);
	ASSERT_EQ(r.hdr->tail, 1);
	ASSERT_TRUE(!zio_keep(ch, NULL) && !zio_flush(ch) && r.hdr->tail == r.hdr->head);
}

TEST("the room of a ring", ring)
{
	struct zio_ring_room room;

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	ASSERT_TRUE(!zio_ring_room(ch, &room) && room.blocks == N_SLOTS);
	ASSERT_TRUE(room.ready == 2 && room.bytes == DATA_PAGES * page);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && !zio_ring_room(ch, &room));
	ASSERT_EQ(room.ready, 1);
	ASSERT_ERRNO(zio_ring_room(ch, NULL), EINVAL);
	ASSERT_ERRNO(zio_keep(NULL, NULL), EINVAL);
	zio_close(ch);
	ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK | ZIO_OPEN_READ, NULL);
	ASSERT_ERRNO(zio_ring_room(ch, &room), EOPNOTSUPP);
	ASSERT_ERRNO(zio_keep(ch, NULL), EOPNOTSUPP);
}

static bool is_next_event(struct zio_group *g, uint32_t seq, unsigned int n_blocks)
{
	struct zio_event ev;

	return zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == n_blocks &&
	       is_fake(&ev.parts[0].blk, seq, 16) && is_fake(&ev.parts[1].blk, seq, 16);
}

TEST("a group of rings in step, and one that is late", fresh)
{
	struct fake_ring r[2] = { make_ring(0), make_ring(UINT32_MAX - 5) };
	struct zio_group *g = zio_group_open(0, NULL);
	struct zio_channel *ch[2];
	struct zio_event ev;
	uint32_t seq, i;

	for (i = 0; i < 2; i++) {
		r[i].hdr->flags = ZIO_RING_EVENTS;
		ch[i] = zio_open(r[i].stem, 0, NULL);
		zio_group_add(g, ch[i]);
	}
	for (seq = 0; seq < 40; seq++) {
		put_block(&r[0], seq, 16);
		ASSERT_ERRNO(zio_group_next(g, &ev, 0), EAGAIN);
		put_block(&r[1], seq, 16);
		ASSERT_TRUE(is_next_event(g, seq, 2));
		ASSERT_EQ(r[1].hdr->tail, r[1].hdr->head - 1);
	}
	ASSERT_ERRNO(zio_group_next(g, &ev, 5), EAGAIN);
	ASSERT_TRUE(r[0].hdr->tail == r[0].hdr->head);
	ASSERT_EQ(r[1].hdr->tail, r[1].hdr->head);
	put_block(&r[0], 40, 16);
	put_block(&r[0], 41, 16);
	ASSERT_TRUE(zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == 1);
	ASSERT_EQ(ev.parts[1].state, ZIO_PART_LATE);
	put_block(&r[1], 41, 16);
	ASSERT_TRUE(is_next_event(g, 41, 2), "in step again");
	for (i = 0; i < 2; i++) {
		zio_close(ch[i]);
	}
	zio_group_close(g);
}
