// SPDX-License-Identifier: GPL-2.0-only
/* libzio with mapped data and rings; ordinary files stand for both */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "tap.h"

#define N_SLOTS 8
#define DATA_PAGES 4

static size_t page;

/* The kernel's view of a ring. */
struct fake_ring {
	char stem[PATH_MAX];
	struct zio_ring_header *hdr;
	struct zio_control *slot;
	unsigned char *data;
	size_t used;
};

static void new_stem(char *stem)
{
	static int n;

	snprintf(stem, PATH_MAX, "%s/ring-%04x-0-1", dir, ++n);
}

static void *make_file(const char *stem, const char *suffix, size_t size)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-%s", stem, suffix);
	return fake_map(path, size);
}

static struct fake_ring make_ring(uint32_t start)
{
	struct fake_ring r = { .used = 0 };

	new_stem(r.stem);
	r.hdr = make_file(r.stem, "ctrl",
			  page + N_SLOTS * sizeof(struct zio_control));
	r.slot = (void *)((char *)r.hdr + page);
	r.data = make_file(r.stem, "data", DATA_PAGES * page);
	*r.hdr = (struct zio_ring_header){
		.magic = ZIO_RING_MAGIC,
		.version = ZIO_RING_VERSION,
		.slots_offset = (uint32_t)page,
		.slot_size = sizeof(struct zio_control),
		.n_slots = N_SLOTS,
		.data_size = DATA_PAGES * page,
		.head = start,
		.tail = start,
	};
	return r;
}

static void free_ring(struct fake_ring *r)
{
	munmap(r->hdr, page + N_SLOTS * sizeof(struct zio_control));
	munmap(r->data, DATA_PAGES * page);
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

static bool is_fake(const struct zio_block *blk, uint32_t seq, size_t size)
{
	const unsigned char *byte = blk->data;
	size_t i;

	if (blk->control->seq_num != seq || blk->size != size || !byte)
		return false;
	for (i = 0; i < size; i++)
		if (byte[i] != fake_byte(seq, i))
			return false;
	return true;
}

/* The ring wraps, and the counters wrap at 2^32. */
static void test_blocks(void)
{
	struct fake_ring r = make_ring(UINT32_MAX - 10);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blk;
	bool good = true;
	uint32_t seq, i;

	ok(ch && !strcmp(zio_method(ch), "ring"), "a ring is found");
	ok(fails(zio_next(ch, &blk), EAGAIN), "nothing there");
	for (seq = 0; seq < 40; seq += 4) {
		for (i = 0; i < 4; i++)
			put_block(&r, seq + i, 16 + seq);
		for (i = 0; i < 4; i++)
			good &= zio_next(ch, &blk) == 1 && !blk.lost &&
				is_fake(&blk, seq + i, 16 + seq) &&
				r.hdr->head - r.hdr->tail == 4 - i &&
				(unsigned char *)blk.data != r.data;
		good &= fails(zio_next(ch, &blk), EAGAIN) &&
			r.hdr->tail == r.hdr->head;
	}
	ok(good, "blocks, each held until the next call");
	ok(zio_stats(ch)->blocks == 40 && zio_stats(ch)->bytes == 1360 &&
	   !zio_stats(ch)->lost, "statistics");
	put_block(&r, 40, 16);
	ok(zio_next(ch, &blk) == 1 && r.hdr->head - r.hdr->tail == 1,
	   "the last one");
	zio_close(ch);
	ok(r.hdr->tail == r.hdr->head, "is given back by zio_close()");
	free_ring(&r);
}

static void test_lost(void)
{
	static const struct {
		uint32_t seq, lost;
	} step[] = {
		{ 0, 0 }, { 2, 1 }, { 3, 0 }, { 10, 6 }, { 0, 0 }, { 1, 0 },
		{ 3, 1 },
	};
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, 0, NULL);
	struct zio_block blk;
	size_t i;

	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		put_block(&r, step[i].seq, 16);
	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		ok(zio_next(ch, &blk) == 1 && blk.lost == step[i].lost &&
		   blk.data, "lost blocks");
	ok(zio_stats(ch)->lost == 8, "lost blocks in all");
	zio_close(ch);
	free_ring(&r);
}

/* One field of one control is wrong at a time; the next block is good. */
static void test_refused(void)
{
	const size_t size = DATA_PAGES * page;
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blk;

	put_block(&r, 0, 16)->major_version = 2;
	put_block(&r, 1, 16)->mem_offset = (uint32_t)size - 15;
	put_block(&r, 2, 16)->reserved = 1;
	put_block(&r, 3, 16)->nsamples = (uint32_t)size + 1;
	put_block(&r, 4, 16)->ssize = 0;
	put_block(&r, 5, 0);
	put_block(&r, 6, 16)->mem_offset = (uint32_t)size - 16;
	put_block(&r, 7, 16);
	ok(fails(zio_next(ch, &blk), EPROTONOSUPPORT) &&
	   reason_has(ch, "version 2."), "another version");
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "outside the mapping"),
	   "data that end behind the mapping");
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "outside the mapping"),
	   "data 4 GiB off");
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "outside the mapping"),
	   "more data than are mapped");
	ok(fails(zio_next(ch, &blk), EPROTO) &&
	   reason_has(ch, "size of a sample is 0"),
	   "samples of no size");
	ok(zio_next(ch, &blk) == 1 && !blk.size && !blk.data, "no data");
	ok(zio_next(ch, &blk) == 1 && blk.size == 16, "up to the very end");
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 7, 16), "as it should be");
	put_block(&r, 8, 16);
	put_block(&r, 9, 16)->mem_offset = (uint32_t)size - 15;
	put_block(&r, 10, 16);
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 8, 16), "the next, too");
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "outside the mapping"),
	   "data that end behind the mapping, after a good block");
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 10, 16), "good again");
	r.hdr->head += N_SLOTS + 1;
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "header"),
	   "a head beyond the ring");
	zio_close(ch);
	free_ring(&r);
}

static void test_calls(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blk;
	char mem[32];
	uint32_t seq;

	for (seq = 0; seq < 7; seq++)
		put_block(&r, seq, seq < 5 ? 32 : 100);
	ok(fails(zio_data(ch, &blk), EINVAL), "data before a control");
	ok(zio_next_control(ch, &blk) == 1 && !blk.data && blk.size == 32,
	   "control alone");
	ok(zio_data(ch, &blk) == 1 && is_fake(&blk, 0, 32), "then its data");
	ok(zio_next_control(ch, &blk) == 1, "a control");
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 32) && !blk.lost,
	   "whose data are skipped");
	ok(fails(zio_data(ch, &blk), EINVAL), "no data twice");
	ok(zio_next_into(ch, &blk, mem, 32) == 1 && blk.data == mem &&
	   is_fake(&blk, 3, 32), "into own memory");
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 4, 32), "a block");
	ok(fails(zio_next_into(ch, &blk, mem, 32), EMSGSIZE) &&
	   zio_data(ch, &blk) == 1 && is_fake(&blk, 5, 100),
	   "too large for own memory");
	zio_set_max_block(ch, 99);
	ok(fails(zio_next(ch, &blk), EMSGSIZE) && blk.size == 100,
	   "over the limit");
	zio_set_max_block(ch, 100);
	ok(zio_data(ch, &blk) == 1 && is_fake(&blk, 6, 100), "limit raised");
	zio_close(ch);
	free_ring(&r);
}

static void test_control_only(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_CONTROL_ONLY, NULL);
	struct zio_block blk;

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	ok(ch && zio_next_control(ch, &blk) == 1 && blk.size == 16 &&
	   !strcmp(zio_method(ch), "ring"), "controls of a ring");
	ok(fails(zio_data(ch, &blk), EBADF), "no data");
	ok(zio_next_control(ch, &blk) == 1 && r.hdr->head - r.hdr->tail == 1,
	   "the next control gives back the one before");
	put_block(&r, 2, 16);
	ok(fails(zio_next(ch, &blk), EBADF), "nor so");
	zio_close(ch);
	free_ring(&r);
}

static bool falls_back(struct fake_ring *r, const char *what)
{
	struct zio_error err = { 0 };
	struct zio_channel *ch = zio_open(r->stem, ZIO_OPEN_RING, &err);
	bool good = !ch && strstr(err.text, "method ring");

	if (!good)
		printf("# %s: %s\n", what, err.text);
	zio_close(ch);
	ch = zio_open(r->stem, 0, NULL);
	good &= ch && !strcmp(zio_method(ch), "read");
	zio_close(ch);
	return good;
}

static void test_headers(void)
{
	struct fake_ring r = make_ring(0);
	const struct zio_ring_header good = *r.hdr;

	r.hdr->magic++;
	ok(falls_back(&r, "magic"), "no ring");
	*r.hdr = good;
	r.hdr->version++;
	ok(falls_back(&r, "version"), "a ring of another version");
	*r.hdr = good;
	r.hdr->n_slots = 7;
	ok(falls_back(&r, "slots"), "an odd number of slots");
	r.hdr->n_slots = 1 << 20;
	ok(falls_back(&r, "slots"), "more slots than there are");
	*r.hdr = good;
	r.hdr->slot_size = 511;
	ok(falls_back(&r, "slot_size"), "slots too small");
	*r.hdr = good;
	r.hdr->data_size = UINT64_MAX;
	ok(falls_back(&r, "data_size"), "more data than there are");
	*r.hdr = good;
	r.hdr->slots_offset = 0x7ffff000;
	ok(falls_back(&r, "slots_offset"), "slots elsewhere");
	free_ring(&r);
}

static void test_interrupt(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch;
	struct zio_block blk;
	int ret;

	ch = zio_open(r.stem, 0, NULL);
	interrupt_soon(ch, 0);
	ret = zio_next(ch, &blk);
	ok(ret == -1 && (errno == EINTR || errno == EAGAIN),
	   "signal while waiting");
	ok(fails(zio_next(ch, &blk), EAGAIN), "signal before waiting");
	put_block(&r, 0, 16);
	ok(zio_next(ch, &blk) == 1, "but what is there is given");
	zio_close(ch);
	free_ring(&r);
}

/* A child that closes its channel does not release the block of its parent. */
static void test_fork(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blk;
	int status = -1;
	pid_t pid;

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	ok(zio_next(ch, &blk) == 1, "a block");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(zio_close(ch) ? 1 : 0);
	waitpid(pid, &status, 0);
	ok(!status && !r.hdr->tail, "closed by a child, it stays");
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 1, 16), "the next one");
	pid = fork();
	if (!pid) {
		bool good = fails(zio_next(ch, &blk), EAGAIN);

		put_block(&r, 2, 16);
		good &= zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 16);
		zio_close(ch);
		_exit(!good || r.hdr->tail != 3);
	}
	waitpid(pid, &status, 0);
	ok(!status, "a child goes on with it");
	zio_close(ch);
	free_ring(&r);
}

/* Controls in one file, data in another at the offsets of the controls. */
static void test_mmap(void)
{
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;
	unsigned char *data;
	char stem[PATH_MAX];
	bool good = true;
	uint32_t seq, i;

	new_stem(stem);
	data = make_file(stem, "data", DATA_PAGES * page);
	for (seq = 0; seq < 50; seq++) {
		fake_control(&control, seq, 16, 2);
		control.mem_offset = seq * 40;
		fake_put_control(stem, &control);
		for (i = 0; i < 32; i++)
			data[seq * 40 + i] = fake_byte(seq, i);
	}
	control.mem_offset = (uint32_t)(DATA_PAGES * page) - 31;
	fake_put_control(stem, &control);
	ch = zio_open(stem, 0, NULL);
	ok(ch && !strcmp(zio_method(ch), "read"), "files are read");
	zio_close(ch);
	ch = zio_open(stem, ZIO_OPEN_MMAP | ZIO_OPEN_RING, NULL);
	ok(ch && !strcmp(zio_method(ch), "mmap"), "unless one wants to map");
	zio_set_batch(ch, 7);
	for (seq = 0; seq < 50; seq++)
		good &= zio_next(ch, &blk) == 1 && is_fake(&blk, seq, 32) &&
			!blk.lost;
	ok(good, "blocks");
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "outside the mapping"),
	   "data behind the mapping");
	ok(!zio_next(ch, &blk), "end of file");
	ok(zio_stats(ch)->blocks == 51 && zio_stats(ch)->bytes == 1600,
	   "statistics");
	fake_put_bytes(stem, "ctrl", "x", 1);
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "1 of the 512"),
	   "torn control");
	zio_close(ch);
	munmap(data, DATA_PAGES * page);
}

static void test_output(void)
{
	struct zio_control control;
	struct zio_channel *ch;
	unsigned char *data;
	char stem[PATH_MAX];
	size_t size = 0;
	void *mem;

	new_stem(stem);
	data = make_file(stem, "data", page);
	fake_control(&control, 0, 8, 4);
	control.mem_offset = 64;
	fake_put_control(stem, &control);
	ch = zio_open(stem, ZIO_OPEN_OUTPUT | ZIO_OPEN_MMAP, NULL);
	ok(ch && !strcmp(zio_method(ch), "mmap"), "output in place");
	ok(fails(zio_commit(ch, 4), EINVAL), "nothing reserved");
	mem = zio_reserve(ch, &size);
	ok(mem && size == 32, "a block is reserved");
	ok(zio_reserve(ch, &size) == mem && size == 32, "it is the same one");
	ok(fails(zio_write_block(ch, NULL, "x", 1), EBUSY) &&
	   reason_has(ch, "commit"), "no writing in between");
	ok(fails(zio_commit(ch, 33), EINVAL) && fails(zio_commit(ch, 3), EINVAL) &&
	   fails(zio_commit(ch, 0), EINVAL) && reason_has(ch, "reserved"),
	   "too much, a piece of a sample, nothing");
	memset(mem, 7, 20);
	ok(!zio_commit(ch, 20) && data[64] == 7 && data[83] == 7 && !data[84],
	   "the samples are in the mapping");
	ok(zio_stats(ch)->blocks == 1 && zio_stats(ch)->bytes == 20,
	   "statistics of output");
	ok(!zio_reserve(ch, &size) && errno == EPROTO, "end of file");
	zio_close(ch);
	ch = zio_open(stem, ZIO_OPEN_OUTPUT, NULL);
	ok(ch && !strcmp(zio_method(ch), "write"), "files are written");
	ok(!zio_reserve(ch, &size) && errno == EOPNOTSUPP &&
	   reason_has(ch, "size of its blocks"), "files have no block size");
	zio_close(ch);
	ok(!zio_open(stem, ZIO_OPEN_OUTPUT | ZIO_OPEN_RING, NULL) &&
	   errno == EINVAL, "no ring of outputs");
	munmap(data, page);
}

static void test_method_names(void)
{
	ok(zio_method_flag("ring") == ZIO_OPEN_RING &&
	   zio_method_flag("mmap") == ZIO_OPEN_MMAP &&
	   zio_method_flag("read") == ZIO_OPEN_READ &&
	   !zio_method_flag("auto"), "names of methods");
	ok(zio_method_flag("") < 0 && zio_method_flag("rings") < 0,
	   "no such method");
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

static void test_batch(void)
{
	struct fake_ring r = make_ring(UINT32_MAX - 3);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blks[N_SLOTS];
	uint32_t seq;

	ok(fails(zio_next_batch(ch, blks, 4, NULL, 0), EAGAIN), "no block, no batch");
	for (seq = 0; seq < 6; seq++)
		put_block(&r, seq, 16);
	ok(zio_next_batch(ch, blks, 4, NULL, 0) == 4 && are_fake(blks, 4, 0, 16) &&
	   r.hdr->head - r.hdr->tail == 6, "as many blocks as the caller wants");
	put_block(&r, 6, 16);
	ok(zio_next_batch(ch, blks, N_SLOTS, NULL, 0) == 3 &&
	   are_fake(blks, 3, 4, 16) && r.hdr->head - r.hdr->tail == 3,
	   "all blocks that are there; those before are released");
	ok(zio_stats(ch)->blocks == 7 && zio_stats(ch)->bytes == 7 * 16,
	   "a batch is counted");
	put_block(&r, 9, 16);
	ok(zio_next(ch, blks) == 1 && blks[0].lost == 2 && is_fake(blks, 9, 16),
	   "a single block after a batch");
	zio_close(ch);
	free_ring(&r);
}

static void test_batch_error(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blks[N_SLOTS];

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	put_block(&r, 2, 16)->major_version = 2;
	put_block(&r, 3, 16);
	ok(zio_next_batch(ch, blks, N_SLOTS, NULL, 0) == 2 && are_fake(blks, 2, 0, 16),
	   "a batch ends at an error");
	ok(zio_wait(ch, 0) == 1, "which zio_wait() tells of");
	ok(fails(zio_next_batch(ch, blks, N_SLOTS, NULL, 0), EPROTONOSUPPORT) &&
	   reason_has(ch, "version 2."), "which the next call returns");
	ok(zio_next_batch(ch, blks, N_SLOTS, NULL, 0) == 1 && is_fake(blks, 3, 16) &&
	   blks[0].lost == 1, "the blocks behind it follow");
	zio_close(ch);
	free_ring(&r);
}

static void test_keep(void)
{
	struct fake_ring r = make_ring(UINT32_MAX - 3);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	const struct zio_control *kept;
	struct zio_block blk, blks[4];
	uint32_t seq;

	for (seq = 0; seq < 6; seq++)
		put_block(&r, seq, 16);
	ok(zio_next(ch, &blk) == 1 && zio_next(ch, &blk) == 1, "two blocks");
	kept = blk.control;
	ok(!zio_keep(ch, kept) && zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 16) &&
	   zio_next(ch, &blk) == 1 && is_fake(&blk, 3, 16) &&
	   r.hdr->head - r.hdr->tail == 5, "zio_next() keeps a block");
	put_block(&r, 6, 16);
	ok(zio_next_batch(ch, blks, 2, NULL, 0) == 2 && are_fake(blks, 2, 4, 16) &&
	   kept->seq_num == 1 && r.hdr->head - r.hdr->tail == 6,
	   "zio_next_batch() does");
	ok(zio_wait(ch, 0) == 1 && r.hdr->head - r.hdr->tail == 6, "zio_wait() does");
	ok(zio_next_control(ch, &blk) == 1 && r.hdr->head - r.hdr->tail == 6,
	   "zio_next_control() does");
	ok(fails(zio_next(ch, &blk), EAGAIN) && r.hdr->head - r.hdr->tail == 6,
	   "a call that finds no block does");
	ok(fails(zio_keep(ch, kept - 1), EINVAL), "a block that was released");
	ok(fails(zio_keep(ch, kept + 6), EINVAL), "a block that is still to come");
	ok(fails(zio_keep(ch, (void *)((char *)kept + 8)), EINVAL) &&
	   fails(zio_keep(ch, (void *)&blk), EINVAL), "no block");
	ok(!zio_keep(ch, blks[1].control) && fails(zio_next(ch, &blk), EAGAIN) &&
	   r.hdr->head - r.hdr->tail == 2, "a younger block: the others are released");
	ok(!zio_keep(ch, NULL) && fails(zio_next(ch, &blk), EAGAIN) &&
	   r.hdr->head == r.hdr->tail, "nothing is kept");
	put_block(&r, 7, 16);
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 7, 16) &&
	   r.hdr->head - r.hdr->tail == 1, "blocks go on");
	zio_keep(ch, blk.control);
	zio_close(ch);
	ok(r.hdr->head == r.hdr->tail, "zio_close() releases what is kept");
	free_ring(&r);
}

static void test_flush(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_block blk;
	uint32_t seq;

	for (seq = 0; seq < 6; seq++)
		put_block(&r, seq, 16);
	ok(zio_next(ch, &blk) == 1 && zio_next(ch, &blk) == 1 &&
	   !zio_keep(ch, blk.control), "blocks before a flush");
	ok(!zio_flush(ch) && r.hdr->tail == 1, "zio_flush() keeps a block");
	ok(fails(zio_next(ch, &blk), EAGAIN), "it drops the others");
	put_block(&r, 9, 16);
	ok(zio_next(ch, &blk) == 1 && is_fake(&blk, 9, 16) && !blk.lost &&
	   r.hdr->tail == 1, "the next block is new");
	ok(!zio_keep(ch, NULL) && !zio_flush(ch) && r.hdr->tail == r.hdr->head,
	   "a flush releases the rest");
	zio_close(ch);
	free_ring(&r);
}

static void test_room(void)
{
	struct fake_ring r = make_ring(0);
	struct zio_channel *ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK, NULL);
	struct zio_ring_room room;
	struct zio_block blk;

	put_block(&r, 0, 16);
	put_block(&r, 1, 16);
	ok(!zio_ring_room(ch, &room) && room.blocks == N_SLOTS && room.ready == 2 &&
	   room.bytes == DATA_PAGES * page, "the room of a ring");
	ok(zio_next(ch, &blk) == 1 && !zio_ring_room(ch, &room) && room.ready == 1,
	   "the blocks that are there");
	ok(fails(zio_ring_room(ch, NULL), EINVAL) && fails(zio_keep(NULL, NULL), EINVAL),
	   "NULL is refused");
	zio_close(ch);
	ch = zio_open(r.stem, ZIO_OPEN_NONBLOCK | ZIO_OPEN_MMAP, NULL);
	ok(fails(zio_ring_room(ch, &room), EOPNOTSUPP) &&
	   fails(zio_keep(ch, NULL), EOPNOTSUPP), "only a ring has room to keep blocks");
	zio_close(ch);
	free_ring(&r);
}

static bool is_next_event(struct zio_group *g, uint32_t seq, unsigned int n_blocks)
{
	struct zio_event ev;

	return zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == n_blocks &&
	       is_fake(&ev.parts[0].blk, seq, 16) && is_fake(&ev.parts[1].blk, seq, 16);
}

/* Rings whose blocks come by events, in step; then a channel is late, and comes again. */
static void test_group(void)
{
	struct fake_ring r[2] = { make_ring(0), make_ring(UINT32_MAX - 5) };
	struct zio_group *g = zio_group_open(0, NULL);
	struct zio_channel *ch[2];
	struct zio_event ev;
	bool good = true;
	uint32_t seq, i;

	for (i = 0; i < 2; i++) {
		r[i].hdr->flags = ZIO_RING_EVENTS;
		ch[i] = zio_open(r[i].stem, 0, NULL);
		zio_group_add(g, ch[i]);
	}
	for (seq = 0; seq < 40; seq++) {
		put_block(&r[0], seq, 16);
		good &= fails(zio_group_next(g, &ev, 0), EAGAIN);
		put_block(&r[1], seq, 16);
		good &= is_next_event(g, seq, 2) && r[1].hdr->tail == r[1].hdr->head - 1;
	}
	ok(good, "a group of rings in step");
	good = fails(zio_group_next(g, &ev, 5), EAGAIN);
	ok(good && r[0].hdr->tail == r[0].hdr->head && r[1].hdr->tail == r[1].hdr->head,
	   "before it sleeps, all blocks are released");
	put_block(&r[0], 40, 16);
	put_block(&r[0], 41, 16);
	ok(zio_group_next(g, &ev, 1000) == 1 && ev.n_blocks == 1 &&
	   ev.parts[1].state == ZIO_PART_LATE, "it does not wait for one channel for ever");
	put_block(&r[1], 41, 16);
	ok(is_next_event(g, 41, 2), "in step again");
	for (i = 0; i < 2; i++) {
		zio_close(ch[i]);
		free_ring(&r[i]);
	}
	zio_group_close(g);
}

int main(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	make_dir();
	test_blocks();
	test_lost();
	test_refused();
	test_calls();
	test_control_only();
	test_headers();
	test_interrupt();
	test_fork();
	test_mmap();
	test_output();
	test_method_names();
	test_batch();
	test_batch_error();
	test_keep();
	test_flush();
	test_room();
	test_group();
	return tap_end();
}
