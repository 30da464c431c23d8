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

/* Five blocks of @size bytes in a file, in a FIFO, or in nodes */
static struct zio_channel *open_five(const char *how, uint32_t size)
{
	int fd = -1;
	uint32_t seq;

	new_stem();
	if (how[0] == 'f')
		fd = open(stem, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	else if (how[0] == 'F')
		fd = make_fifo(stem);
	for (seq = 0; seq < 5; seq++)
		if (fd < 0)
			fake_put_block(stem, seq, size, 1);
		else
			put(fd, seq, size);
	ch = zio_open(stem, how[0] == 'n' ? ZIO_OPEN_READ : 0, NULL);
	if (how[0] == 'f')
		close(fd);
	return ch;
}

TEST_EACH("blocks of a %s fill the memory and the limit to the last byte", make_dir,
	  "file", "FIFO", "node")
{
	uint32_t size;

	for (size = 8; size <= 64; size += 8) {
		size_t two = 2 * (sizeof(struct zio_control) + size);

		ch = open_five(value, size);
		ASSERT_EQ(zio_next_batch(ch, blks, N, memory, two), 2);
		ASSERT_TRUE(is_fake(&blks[0], 0, size) && is_fake(&blks[1], 1, size));
		ASSERT_EQ(zio_next_batch(ch, blks, N, memory, two - 1), 1);
		ASSERT_TRUE(is_fake(&blks[0], 2, size));
		zio_set_max_block(ch, size);
		ASSERT_EQ(zio_next(ch, blks), 1);
		ASSERT_TRUE(is_fake(&blks[0], 3, size), "as large as the limit");
		zio_set_max_block(ch, size - 1);
		ASSERT_FAILS(ch, zio_next(ch, blks), EMSGSIZE, "over the limit");
		zio_close(ch);
	}
	ch = NULL;
}

/* Behind a block of 13 bytes no control is aligned: blocks are read one by one. */
TEST_EACH("a block over the limit behind blocks of %s bytes", make_dir, "16", "13")
{
	uint32_t size = (uint32_t)atoi(value);
	int ret, fd = make_file();

	put(fd, 0, size);
	put(fd, 1, size);
	put(fd, 2, 3000);
	put(fd, 3, size);
	close(fd);
	ch = open_file(0);
	zio_set_max_block(ch, 1000);
	do
		ret = zio_next_batch(ch, blks, N, memory, 2000);
	while (ret > 0 && blks[ret - 1].control->seq_num < 2);
	ASSERT_TRUE(fails(ret, EMSGSIZE));
	ASSERT_HAS(zio_reason(ch), "over the limit");
	ASSERT_EQ(next_batch(N), 1);
	ASSERT_TRUE(is_fake(blks, 3, size), "the next call passes it");
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

/* --- damaged files: how a caller reads decides nothing about what the reason says */

static int by_next(void)
{
	return zio_next(ch, blks);
}

static int by_control(void)
{
	return zio_next_control(ch, blks);
}

static int by_control_and_data(void)
{
	int ret = zio_next_control(ch, blks);

	return ret > 0 ? zio_data(ch, blks) : ret;
}

static int into_memory(void)
{
	return zio_next_into(ch, blks, memory, sizeof(memory));
}

static int by_small_batches(void)
{
	return next_batch(2);
}

static int by_batches(void)
{
	return next_batch(N);
}

static const struct way {
	const char *name;
	int (*read)(void);
} ways[] = {
	{ "next", by_next }, { "controls", by_control },
	{ "controls and data", by_control_and_data }, { "into memory", into_memory },
	{ "small batches", by_small_batches }, { "batches", by_batches },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* The last size is one behind which no control is aligned. */
static const uint32_t file_sizes[] = { 8, 40, 0, 24, 16, 16, 1024, 8, 64, 3, 8 };

#define IN_FILE (sizeof(file_sizes) / sizeof(file_sizes[0]))

/* Write the file of all sizes. Return where block @n begins. */
static off_t make_sizes(uint32_t n)
{
	off_t at = 0, begin = 0;
	int fd = make_file();
	uint32_t i;

	for (i = 0; i < IN_FILE; i++) {
		begin = i == n ? at : begin;
		put(fd, i, file_sizes[i]);
		at += 512 + file_sizes[i];
	}
	close(fd);
	return begin;
}

/* Open @path, which is a file or a FIFO, and read to its error: by one way, or by all in
 * turn. Return how many blocks come before.
 */
static int read_to_error(const char *path, size_t way, bool in_turn)
{
	int found = 0, ret;

	ch = zio_open(path, 0, NULL);
	while ((ret = ways[way % WAYS].read()) > 0) {
		found += ret;
		way += in_turn;
	}
	ASSERT_EQ(ret, -1, ways[way % WAYS].name);
	return found;
}

/* The reason ends with @text. */
#define ASSERT_ENDS(reason, text, why) do {				\
	const char *found = strstr(reason, text);			\
									\
	ASSERT_HAS(reason, text, why);					\
	ASSERT_STR(found, text, why);					\
} while (0)

/* Copy the file to the FIFO, which then ends. */
static pid_t feed_fifo(const char *fifo)
{
	static unsigned char bytes[ROOM];
	pid_t pid = fork();
	int from, to;
	ssize_t n;

	if (pid)
		return pid;
	from = open(stem, O_RDONLY | O_CLOEXEC);
	to = open(fifo, O_WRONLY | O_CLOEXEC);
	n = read(from, bytes, sizeof(bytes));
	_exit(write(to, bytes, (size_t)n) != n);
}

/* All ways to read a file, or a FIFO with the same bytes, lead to this reason behind so
 * many blocks; one that is cut may come as a control.
 */
static void judge_error(const char *how, const char *text, int blocks, bool has_control)
{
	bool is_fifo = how[0] == 'F', in_turn;
	size_t way;

	for (way = 0; way < 2 * WAYS; way++) {
		const char *name = ways[way % WAYS].name;
		int found;

		in_turn = way >= WAYS;
		if (is_fifo) {
			unlink(in_dir("fifo"));
			ASSERT_TRUE(!mkfifo(in_dir("fifo"), 0600));
			feed_fifo(in_dir("fifo"));
		}
		found = read_to_error(is_fifo ? in_dir("fifo") : stem, way, in_turn);
		ASSERT_TRUE(found == blocks || (has_control && found == blocks + 1), name);
		ASSERT_ENDS(zio_reason(ch), text, name);
		close_channel();
	}
}

TEST_EACH("the byte at which no block begins in a %s, by each way to read", make_dir,
	  "file", "FIFO")
{
	char text[64];
	uint32_t n;

	for (n = 0; n < IN_FILE; n++) {
		off_t at = make_sizes(n);
		int fd = open(stem, O_WRONLY | O_CLOEXEC);
		uint32_t no_mark = 0;

		ASSERT_EQ(pwrite(fd, &no_mark, 4, at + (off_t)offsetof(struct zio_control,
								       flags)), 4);
		close(fd);
		snprintf(text, sizeof(text), "no block begins at byte %lld", (long long)at);
		judge_error(value, text, (int)n, false);
	}
}

TEST_EACH("the whole blocks before the cut of a %s, by each way to read", make_dir,
	  "file", "FIFO")
{
	char text[96];
	uint32_t n;

	for (n = 0; n < IN_FILE; n++) {
		off_t at = make_sizes(n);

		ASSERT_TRUE(!truncate(stem, at + 100));
		snprintf(text, sizeof(text), "after 100 of the 512 bytes of a control "
			 "(whole blocks before it: %u)", n);
		judge_error(value, text, (int)n, false);
		if (!file_sizes[n])
			continue;
		make_sizes(n);
		ASSERT_TRUE(!truncate(stem, at + 514));
		snprintf(text, sizeof(text), "after 2 of the %u bytes of a block "
			 "(whole blocks before it: %u)", file_sizes[n], n);
		judge_error(value, text, (int)n, true);
	}
}

TEST("what is whole in a file that nobody can append to", make_dir)
{
	struct zio_error err = { 0 };
	char text[96];
	uint32_t n;

	for (n = 0; n < IN_FILE; n++) {
		long long at = make_sizes(n);

		ASSERT_TRUE(!truncate(stem, at + 100));
		ASSERT_TRUE(!zio_open(stem, ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND, &err));
		snprintf(text, sizeof(text), "of %lld bytes, only the first %lld are whole "
			 "blocks (remove the rest: `truncate -s %lld`)", at + 100, at, at);
		ASSERT_ENDS(err.text, text, "append");
	}
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
