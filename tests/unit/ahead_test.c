// SPDX-License-Identifier: GPL-2.0-only
/* libzio: a file that is read ahead gives what it gives without */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define BLOCKS 400
#define LARGEST 100000
#define ROOM (8 * 1024)

SETUP(fresh)
{
	make_dir(value);
}

static struct zio_channel *open_as(const char *path, int flags)
{
	struct zio_error err;
	struct zio_channel *file = zio_open(path, flags, &err);

	ASSERT_TRUE(file, err.text);
	return file;
}

/* Most blocks are small, and some are larger than what is read ahead. */
static size_t random_size(void)
{
	return (size_t)(drand48() < 0.9 ? lrand48() % 300 : lrand48() % LARGEST);
}

static void write_random(struct zio_channel *out, uint32_t first, uint32_t n)
{
	static uint8_t data[LARGEST];
	struct zio_control control;
	uint32_t seq;
	size_t i;

	for (seq = first; seq < first + n; seq++) {
		size_t size = random_size();

		for (i = 0; i < size; i++)
			data[i] = (uint8_t)(seq + i);
		zio_control_init(&control, (uint32_t)size, 1);
		strcpy(control.addr.devname, "adc");
		control.seq_num = seq;
		ASSERT_TRUE(!zio_write_block(out, &control, data, size));
	}
}

/* --- one step of a reader: the kind is the same for both files */

static uint8_t memory[2][LARGEST + ROOM] __attribute__((aligned(8)));
static struct zio_block got[2][8];

static int take_batch(struct zio_channel *file, int at)
{
	return zio_next_batch(file, got[at], 8, memory[at], sizeof(memory[at]));
}

static int take(struct zio_channel *file, int at, long kind)
{
	int ret;

	switch (kind) {
	case 0:
		return take_batch(file, at);
	case 1:
		return zio_next_into(file, got[at], memory[at], sizeof(memory[at]));
	case 2:
		return zio_next_control(file, got[at]);
	case 3:
		ret = zio_next_control(file, got[at]);
		return ret > 0 ? zio_data(file, got[at]) : ret;
	default:
		return zio_next(file, got[at]);
	}
}

static void expect_same(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		const struct zio_block *one = &got[0][i], *other = &got[1][i];

		ASSERT_EQ(one->size, other->size);
		ASSERT_EQ(one->control->seq_num, other->control->seq_num);
		ASSERT_EQ(!one->data, !other->data);
		if (one->data)
			ASSERT_TRUE(!memcmp(one->data, other->data, one->size));
	}
}

/*
 * Returns false at the end of both files. A block that did not fit is left to another call:
 * until then, both fail in the same way.
 */
static bool take_both(struct zio_channel *plain, struct zio_channel *ahead)
{
	long kind = lrand48() % 8;
	int ret = take(plain, 0, kind), code = ret < 0 ? errno : 0;

	ASSERT_EQ(take(ahead, 1, kind), ret);
	ASSERT_EQ(ret < 0 ? errno : 0, code);
	expect_same(ret);
	ASSERT_EQ(zio_stats(plain)->blocks, zio_stats(ahead)->blocks);
	ASSERT_EQ(zio_stats(plain)->bytes, zio_stats(ahead)->bytes);
	return ret;
}

TEST("any calls in any order", fresh)
{
	const char *path = in_dir("blocks");
	int seed;

	for (seed = 0; seed < 30; seed++) {
		struct zio_channel *out, *plain, *ahead;

		srand48(seed);
		out = open_as(path, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
		write_random(out, 0, BLOCKS);
		plain = open_as(path, 0);
		ahead = open_as(path, ZIO_OPEN_AHEAD);
		while (take_both(plain, ahead))
			;
		/* The file grows: both go on. */
		write_random(out, BLOCKS, 20);
		while (take_both(plain, ahead))
			;
		ASSERT_TRUE(zio_stats(ahead)->blocks == BLOCKS + 20);
		zio_close(ahead);
		zio_close(plain);
		zio_close(out);
	}
}

/* Another program goes on behind the block. */
TEST("standard input is not read ahead", fresh)
{
	const char *path = in_dir("blocks");
	struct zio_channel *out = open_as(path, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE), *in;
	int fd;

	srand48(3);
	write_random(out, 0, 5);
	zio_close(out);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_TRUE(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	in = open_as("-", ZIO_OPEN_AHEAD);
	ASSERT_EQ(zio_next(in, &blk), 1);
	ASSERT_EQ(lseek(fd, 0, SEEK_CUR), (off_t)(sizeof(*blk.control) + blk.size));
	zio_close(in);
	close(fd);
}
