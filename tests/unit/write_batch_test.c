// SPDX-License-Identifier: GPL-2.0-only
/* zio_write_batch(): the file is the same as by one zio_write_block() for each block */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define OUT (ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE)
#define HEAD sizeof(struct zio_control)
#define N 150
#define ROOM ((size_t)1 << 18)

static uint64_t memory[ROOM / 8];
static uint8_t wanted[ROOM], found[ROOM];
static struct zio_block blks[N];
static struct zio_control controls[N];
static size_t want;		/* bytes of @wanted */

/* Block @seq has so many bytes: also none, and numbers that leave no control aligned. */
static uint32_t size_of(uint32_t seq)
{
	static const uint32_t sizes[] = { 16, 16, 0, 1000, 3, 40, 16 };

	return sizes[seq % 7];
}

/* Make blocks one after the other in memory, or all samples away from their controls. */
static void make_blocks(bool together)
{
	uint8_t *at = (uint8_t *)memory;
	uint32_t seq, i;

	for (seq = 0; seq < N; seq++) {
		struct zio_control *control = together ? (void *)at : &controls[seq];
		uint32_t size = together ? size_of(seq) & ~7u : size_of(seq);

		at += together ? HEAD : 8;
		fake_control(control, seq, size, 1);
		control->addr.chan = seq % 3;
		for (i = 0; i < size; i++)
			at[i] = fake_byte(seq, i);
		blks[seq] = (struct zio_block){ .control = control, .size = size,
						.data = size ? at : NULL };
		at += size;
	}
}

static struct zio_channel *open_out(const char *name)
{
	return zio_open(in_dir(name), OUT | ZIO_OPEN_NONBLOCK, NULL);
}

static size_t read_file(const char *name, uint8_t *to)
{
	int fd = open(in_dir(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, to, ROOM);

	close(fd);
	return n < 0 ? 0 : (size_t)n;
}

/* What zio_write_block() makes of the first @n blocks */
static void write_each(unsigned int n)
{
	struct zio_channel *each = open_out("each");
	unsigned int i;

	for (i = 0; i < n; i++)
		ASSERT_TRUE(!zio_write_block(each, blks[i].control, blks[i].data,
					     blks[i].size));
	zio_close(each);
	want = read_file("each", wanted);
	ASSERT_TRUE(want > n * HEAD && want < ROOM);
}

static bool is_wanted(const char *name)
{
	return read_file(name, found) == want && !memcmp(found, wanted, want);
}

/* Write blocks @from to @to. Return how many calls it took. */
static int write_all(unsigned int from, unsigned int to)
{
	int calls = 0;

	while (from < to) {
		int ret = zio_write_batch(ch, &blks[from], to - from);

		ASSERT_TRUE(ret > 0 && (unsigned int)ret <= to - from);
		from += (unsigned int)ret;
		calls++;
	}
	return calls;
}

TEST_EACH("blocks that are %s in memory", make_dir, "together", "apart")
{
	bool together = value[0] == 't';
	int calls;

	make_blocks(together);
	write_each(N);
	ch = open_out("batch");
	calls = write_all(0, N);
	ASSERT_TRUE(together ? calls == 1 : calls > 1 && calls < N / 10);
	ASSERT_TRUE(is_wanted("batch"));
	ASSERT_EQ(zio_stats(ch)->blocks, N);
	ASSERT_EQ(zio_stats(ch)->bytes, want - N * HEAD);
}

/* Requests to the kernel go, and what has no mark, name or number gets one. */
TEST("controls that are completed on the way", make_dir)
{
	uint32_t i;

	make_blocks(false);
	for (i = 0; i < N; i += 11)
		controls[i].flags |= ZIO_CONTROL_KEEP;
	for (i = 1; i < N; i += 13)
		controls[i].major_version = 0;
	for (i = 2; i < N; i += 17)
		controls[i].flags = 0;
	for (i = 3; i < N; i += 5) {
		memset(controls[i].addr.devname, 0, sizeof(controls[i].addr.devname));
		controls[i].seq_num = 0;
	}
	/* The unnamed ones go on counting behind this one. */
	strcpy(controls[4].addr.devname, "zio");
	controls[4].addr.chan = 0;
	controls[4].seq_num = 700;
	write_each(N);
	ch = open_out("batch");
	write_all(0, N);
	ASSERT_TRUE(is_wanted("batch"));
}

TEST("a control that no reader would understand", make_dir)
{
	make_blocks(false);
	controls[5].major_version = 9;
	write_each(5);
	ch = open_out("batch");
	ASSERT_EQ(zio_write_batch(ch, blks, N), 5, "those before it");
	ASSERT_FAILS(ch, zio_write_batch(ch, &blks[5], N - 5), EPROTONOSUPPORT, "version");
	ASSERT_TRUE(is_wanted("batch"), "and not a byte of it");
	blks[6].size++;
	ASSERT_FAILS(ch, zio_write_batch(ch, &blks[6], 1), EINVAL, "length");
	blks[6].size--;
	blks[6].control = NULL;
	ASSERT_ERRNO(zio_write_batch(ch, &blks[6], 1), EINVAL, "a file needs controls");
	ASSERT_TRUE(is_wanted("batch"));
}

static void limit_files(size_t size)
{
	const struct rlimit limit = { size, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	ASSERT_TRUE(!setrlimit(RLIMIT_FSIZE, &limit));
}

/* How many blocks are whole in so many bytes */
static unsigned int whole_in(size_t bytes)
{
	unsigned int i = 0;
	size_t at = 0;

	while (i < N && at + HEAD + blks[i].size <= bytes)
		at += HEAD + blks[i++].size;
	return i;
}

/* The file may take no byte of a block, a part of its control, or of its samples. */
TEST_EACH("a file that is full in the middle, blocks %s", make_dir, "together", "apart")
{
	size_t size;

	make_blocks(value[0] == 't');
	write_each(20);
	for (size = 0; size < want; size += 97) {
		unsigned int whole = whole_in(size);

		limit_files(size);
		ch = open_out("batch");
		ASSERT_EQ(zio_write_batch(ch, blks, 20), whole ? (int)whole : -1);
		ASSERT_FAILS(ch, zio_write_batch(ch, &blks[whole], 20 - whole), EFBIG,
			     "File too large");
		ASSERT_EQ(zio_stats(ch)->blocks, whole);
		ASSERT_TRUE(read_file("batch", found) == size);
		limit_files(RLIM_INFINITY);
		write_all(whole, 20);
		ASSERT_TRUE(is_wanted("batch"), "it goes on where it stopped");
		close_channel();
	}
}

/* A block that is sent in part is completed by either call. */
TEST("a pipe that takes parts, from both calls", make_dir)
{
	const char *path = in_dir("pipe");
	int fd = make_fifo(path), ret, turn;
	unsigned int i = 0;
	size_t got = 0;

	make_blocks(false);
	write_each(N);
	ch = zio_open(path, OUT | ZIO_OPEN_NONBLOCK, NULL);
	/* As that of standard output may be */
	fcntl(zio_fd(ch), F_SETFL, O_NONBLOCK);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fcntl(fd, F_SETPIPE_SZ, 4096);
	for (turn = 0; got < want; turn++) {
		ssize_t n;

		ret = 0;
		if (i < N && turn % 3)
			ret = zio_write_batch(ch, &blks[i], N - i);
		else if (i < N)
			ret = zio_write_block(ch, blks[i].control, blks[i].data,
					      blks[i].size) ? -1 : 1;
		ASSERT_TRUE(ret >= 0 || errno == EAGAIN);
		i += ret > 0 ? (unsigned int)ret : 0;
		n = read(fd, found + got, (size_t)(1 + turn * 977 % 3000));
		ASSERT_TRUE(n > 0 || errno == EAGAIN);
		got += n > 0 ? (size_t)n : 0;
	}
	ASSERT_EQ(i, N);
	ASSERT_TRUE(!memcmp(found, wanted, want));
	close(fd);
}

TEST("an output that is no file gets one block", make_dir)
{
	make_blocks(false);
	new_stem();
	fake_put_block(stem, 0, 1, 1);
	ch = zio_open(stem, ZIO_OPEN_OUTPUT, NULL);
	ASSERT_TRUE(ch && !zio_is_file(ch));
	ASSERT_EQ(zio_write_batch(ch, blks, N), 1);
	ASSERT_EQ(zio_write_batch(ch, &blks[1], N - 1), 1);
	ASSERT_EQ(zio_stats(ch)->blocks, 2);
}

TEST("wrong calls", make_dir)
{
	make_blocks(false);
	ch = open_out("batch");
	ASSERT_ERRNO(zio_write_batch(NULL, blks, 1), EINVAL);
	ASSERT_ERRNO(zio_write_batch(ch, NULL, 1), EINVAL);
	ASSERT_ERRNO(zio_write_batch(ch, blks, 0), EINVAL);
	close_channel();
	ch = zio_open(in_dir("batch"), 0, NULL);
	ASSERT_FAILS(ch, zio_write_batch(ch, blks, 1), EBADF, "");
}
