// SPDX-License-Identifier: GPL-2.0-only
/* zio_next_batch() without a ring: block files, FIFOs, nodes that read() */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define ROOM (1 << 16)
#define N 16

static uint64_t memory[ROOM / 8];
static struct zio_block blks[N];

/* 1: a signal ends the next read(); 0: none comes */
static unsigned int reads_until_signal;

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	if (!reads_until_signal || --reads_until_signal)
		return __real_read(fd, to, size);
	errno = EINTR;
	return -1;
}

static size_t make_block(unsigned char *to, uint32_t seq, uint32_t size)
{
	struct zio_control control;
	size_t i;

	fake_control(&control, seq, size, 1);
	memcpy(to, &control, sizeof(control));
	for (i = 0; i < size; i++)
		to[sizeof(control) + i] = fake_byte(seq, i);
	return sizeof(control) + size;
}

static void put(int fd, uint32_t seq, uint32_t size)
{
	static unsigned char block[ROOM];
	size_t n = make_block(block, seq, size);

	ASSERT_EQ(write(fd, block, n), n);
}

static struct zio_channel *open_file(int flags)
{
	return zio_open(stem, flags, NULL);
}

static int make_file(void)
{
	new_stem();
	return open(stem, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int next_batch(unsigned int n)
{
	return zio_next_batch(ch, blks, n, memory, sizeof(memory));
}

/* Returns how many blocks from @seq on come, of @size bytes each, in batches of @n. */
static uint32_t count_blocks(uint32_t seq, size_t size, unsigned int n)
{
	uint32_t found = 0;
	int ret, i;

	while ((ret = next_batch(n)) > 0)
		for (i = 0; i < ret; i++)
			if (!is_fake(&blks[i], seq + found++, size))
				return UINT32_MAX;
	return ret ? UINT32_MAX : found;
}

TEST("a file gives each block once", make_dir)
{
	static const uint32_t sizes[] = { 0, 16, 13, 1024 };
	static const unsigned int steps[] = { 1, 3, N };
	size_t i, k;

	for (i = 0; i < 4; i++) {
		int fd = make_file();
		uint32_t seq;

		for (seq = 0; seq < 50; seq++)
			put(fd, seq, sizes[i]);
		close(fd);
		for (k = 0; k < 3; k++) {
			ch = open_file(0);
			ASSERT_EQ(count_blocks(0, sizes[i], steps[k]), 50);
			ASSERT_EQ(zio_stats(ch)->blocks, 50);
			ASSERT_EQ(zio_stats(ch)->bytes, 50 * sizes[i]);
			close_channel();
		}
	}
}

TEST("blocks of different size", make_dir)
{
	static const uint32_t sizes[] = { 8, 40000, 3, 0, 20000, 20000, 20000, 8, 5 };
	int i, n, found = 0, fd = make_file();

	for (i = 0; i < 9; i++)
		put(fd, (uint32_t)i, sizes[i]);
	close(fd);
	ch = open_file(0);
	while ((n = next_batch(N)) > 0)
		for (i = 0; i < n; i++, found++)
			ASSERT_TRUE(is_fake(&blks[i], (uint32_t)found, sizes[found]));
	ASSERT_TRUE(found == 9 && !n);
}

TEST("batches and single calls take turns", make_dir)
{
	int fd = make_file();
	uint32_t seq;

	for (seq = 0; seq < 10; seq++)
		put(fd, seq, 24);
	close(fd);
	ch = open_file(0);
	ASSERT_EQ(next_batch(3), 3);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 3, 24));
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && blk.control->seq_num == 4);
	ASSERT_EQ(next_batch(2), 2);
	ASSERT_TRUE(is_fake(&blks[0], 5, 24) && is_fake(&blks[1], 6, 24));
}

TEST("a batch ends where there is no room", make_dir)
{
	int fd = make_file();

	put(fd, 0, 64);
	put(fd, 1, 2000);
	put(fd, 4, 64);
	close(fd);
	ch = open_file(0);
	ASSERT_EQ(zio_next_batch(ch, blks, N, memory, 1024), 1);
	ASSERT_TRUE(is_fake(&blks[0], 0, 64));
	ASSERT_ERRNO(zio_next_batch(ch, blks, N, memory, 1024), EMSGSIZE);
	ASSERT_EQ(blks[0].size, 2000);
	ASSERT_HAS(zio_reason(ch), "memory of the caller");
	ASSERT_EQ(next_batch(N), 2);
	ASSERT_TRUE(is_fake(&blks[0], 1, 2000) && is_fake(&blks[1], 4, 64));
	ASSERT_EQ(blks[1].lost, 2);
	ASSERT_EQ(next_batch(N), 0, "the end");
	zio_close(ch);
	ch = open_file(0);
	zio_next_batch(ch, blks, N, memory, 1024);
	zio_next_batch(ch, blks, N, memory, 1024);
	ASSERT_TRUE(zio_next(ch, blks) == 1 && is_fake(&blks[0], 1, 2000));
}

TEST("a signal that ends a batch after a block is no error of the next call", make_dir)
{
	int fd;

	new_stem();
	ASSERT_TRUE(!mkfifo(stem, 0600), "a FIFO");
	fd = open(stem, O_RDWR | O_CLOEXEC);
	ch = open_file(0);
	put(fd, 0, 16);
	put(fd, 1, 16);
	reads_until_signal = 3;	/* a control, its data, and the next control */
	ASSERT_EQ(next_batch(N), 1);
	ASSERT_TRUE(is_fake(blks, 0, 16));
	ASSERT_TRUE(!reads_until_signal, "the signal has come");
	ASSERT_EQ(next_batch(1), 1);
	ASSERT_TRUE(is_fake(blks, 1, 16));
	close(fd);
}

TEST("files that end early", make_dir)
{
	int fd = make_file();

	put(fd, 0, 64);
	put(fd, 1, 64);
	put(fd, 2, 64);
	close(fd);
	ASSERT_TRUE(!truncate(stem, 3 * 576 - 1));
	ch = open_file(0);
	ASSERT_EQ(next_batch(N), 2, "whole blocks");
	ASSERT_FAILS(ch, next_batch(N), ENODATA,
		     "a block");
	zio_close(ch);
	ASSERT_TRUE(!truncate(stem, 2 * 576 + 8));
	ch = open_file(0);
	next_batch(N);
	ASSERT_ERRNO(next_batch(N), EPROTO);
}

TEST("blocks of a FIFO", make_dir)
{
	unsigned char block[1024];
	size_t i, size;
	int fd, ret;

	new_stem();
	mkfifo(stem, 0600);
	fd = open(stem, O_RDWR | O_CLOEXEC);
	ch = open_file(ZIO_OPEN_NONBLOCK);
	ASSERT_ERRNO(next_batch(N), EAGAIN);
	put(fd, 0, 100);
	put(fd, 1, 100);
	size = make_block(block, 2, 100);
	for (i = 0, ret = 0; i < size; i += 51) {
		ASSERT_TRUE(write(fd, block + i, size - i < 51 ? size - i : 51) > 0);
		memset(memory, 0, sizeof(memory));
		ret = next_batch(N);
		if (!i)
			ASSERT_TRUE(ret == 2 && is_fake(&blks[0], 0, 100) &&
				    is_fake(&blks[1], 1, 100));
		else if (i + 51 < size && !fails(ret, EAGAIN))
			break;
	}
	ASSERT_TRUE(ret == 1 && is_fake(&blks[0], 2, 100));
	put(fd, 3, 8);
	zio_close(ch);
	ch = open_file(0);
	put(fd, 4, 8);
	ASSERT_EQ(next_batch(N), 2);
	ASSERT_TRUE(is_fake(&blks[1], 4, 8));
	close(fd);
}

TEST("nodes that read()", make_dir)
{
	uint32_t seq;

	new_stem();
	for (seq = 0; seq < 5; seq++)
		fake_put_block(stem, seq, 1000, 2);
	ch = zio_open(stem, ZIO_OPEN_READ, NULL);
	ASSERT_STR(zio_method(ch), "read");
	ASSERT_EQ(zio_next_batch(ch, blks, N, memory, 2 * 2512 + 100), 2);
	ASSERT_TRUE(is_fake(&blks[0], 0, 2000) && is_fake(&blks[1], 1, 2000));
	ASSERT_ERRNO(zio_next_batch(ch, blks, N, memory, 2000), EMSGSIZE);
	ASSERT_EQ(blks[0].size, 2000);
	ASSERT_EQ(next_batch(N), 3);
	ASSERT_TRUE(is_fake(&blks[2], 4, 2000));
	ASSERT_EQ(next_batch(N), 0, "the end");
}

TEST("wrong calls", make_dir)
{
	close(make_file());
	ch = open_file(0);
	ASSERT_ERRNO(zio_next_batch(NULL, &blk, 1, memory, ROOM), EINVAL);
	ASSERT_ERRNO(zio_next_batch(ch, NULL, 1, memory, ROOM), EINVAL);
	ASSERT_ERRNO(zio_next_batch(ch, &blk, 0, memory, ROOM), EINVAL);
	ASSERT_ERRNO(zio_next_batch(ch, &blk, 1, NULL, 0), EINVAL);
	ASSERT_EQ(zio_next_batch(ch, &blk, 1, memory, ROOM), 0, "an empty file");
	zio_close(ch);
	ch = zio_open(stem, ZIO_OPEN_OUTPUT, NULL);
	ASSERT_ERRNO(zio_next_batch(ch, &blk, 1, memory, ROOM), EBADF, "an output");
}
