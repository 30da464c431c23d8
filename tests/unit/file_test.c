// SPDX-License-Identifier: GPL-2.0-only
/* libzio and block files: written, read, torn, hostile, from pipes */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "harness.h"

#define SIZE 16
#define OUT (ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE)
#define ONE (sizeof(struct zio_control) + SIZE)

static struct zio_channel *open_file(const char *name, int flags)
{
	struct zio_error err = { 0 };
	struct zio_channel *ch = zio_open(name, flags, &err);

	ASSERT_TRUE(ch, err.text);
	return ch;
}

/* The library does not open @name. */
#define ASSERT_CLOSED(name, flags, what, reason) do {			\
	struct zio_error err = { 0 };					\
									\
	ASSERT_TRUE(!zio_open(name, flags, &err));			\
	ASSERT_EQ(err.code, what);					\
	ASSERT_HAS(err.text, reason);					\
} while (0)

static bool write_block(struct zio_channel *ch, uint32_t seq, uint32_t n)
{
	struct zio_control control;
	uint8_t data[4 * SIZE];
	size_t i;

	fake_control(&control, seq, n, 1);
	for (i = 0; i < n; i++)
		data[i] = fake_byte(seq, i);
	return !zio_write_block(ch, &control, data, n);
}

static void make_file(const char *name, uint32_t blocks)
{
	struct zio_channel *ch = open_file(name, OUT);
	uint32_t i;

	for (i = 0; i < blocks; i++)
		ASSERT_TRUE(write_block(ch, i, SIZE));
	ASSERT_TRUE(!zio_close(ch));
}

static bool gives(struct zio_channel *ch, uint32_t seq)
{
	struct zio_block blk;

	return zio_next(ch, &blk) == 1 && is_fake(&blk, seq, SIZE);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

SETUP(fresh)
{
	make_dir(value);
	make_file(in_dir("round"), 3);
	setenv("ZIO_DEV_PATH", dir, 1);
}

TEST("what is written is read", fresh)
{
	const char *path = in_dir("round");

	ASSERT_EQ(size_of(path), 3 * ONE, "control and data, and nothing else");
	ch = open_file(path, 0);
	ASSERT_TRUE(ch && zio_is_file(ch), "it is a file");
	ASSERT_STR(zio_method(ch), "file", "and so is its method");
	ASSERT_TRUE(gives(ch, 0) && gives(ch, 1) && gives(ch, 2), "its blocks");
	ASSERT_EQ(zio_next(ch, &blk), 0, "end of file");
	ASSERT_TRUE(zio_stats(ch)->blocks == 3 && zio_stats(ch)->bytes == 3 * SIZE);
}

TEST("files that are made, and those that are not", fresh)
{
	const int out = ZIO_OPEN_OUTPUT;

	make_file(in_dir("again"), 3);
	make_file(in_dir("again"), 1);
	ASSERT_EQ(size_of(in_dir("again")), ONE, "a file is emptied");
	ASSERT_CLOSED(in_dir("new"), out, ENOENT, "no such channel");
	ASSERT_CLOSED("name-0-1", out | ZIO_OPEN_CREATE, ENOENT, "no such channel");
	ASSERT_CLOSED("/dev/zio/name-0000-0-1", out | ZIO_OPEN_CREATE, ENOENT,
		      "no such channel");
	ASSERT_CLOSED(dir, out | ZIO_OPEN_CREATE, ENOENT, "no such channel");
}

TEST("append adds whole blocks to whole blocks", fresh)
{
	const int flags = ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND;
	const char *path = in_dir("append");

	ch = open_file(path, flags);
	ASSERT_TRUE(ch && write_block(ch, 0, SIZE) && !zio_close(ch), "append makes it");
	ch = open_file(path, flags);
	ASSERT_TRUE(ch && write_block(ch, 1, SIZE) && !zio_close(ch), "append adds");
	ch = open_file(path, 0);
	ASSERT_TRUE(gives(ch, 0) && gives(ch, 1), "both are there");
	ASSERT_TRUE(!truncate(path, ONE + 520), "tear the second one");
	ASSERT_CLOSED(path, flags, EPROTO, "truncate -s 528");
	ASSERT_TRUE(!truncate(path, ONE + 100), "tear its control");
	ASSERT_CLOSED(path, flags, EPROTO, "truncate -s 528");
	ASSERT_EQ(size_of(path), ONE + 100, "and nothing is changed");
}

TEST("calls that a file does not take", fresh)
{
	struct zio_channel *in = open_file(in_dir("round"), 0);
	char data[SIZE] = { 0 };

	ch = open_file(in_dir("refused"), OUT);
	ASSERT_FAILS(ch, zio_write_block(ch, NULL, data, SIZE), EINVAL, "control");
	ASSERT_ERRNO(zio_next(ch, &blk), EBADF, "read what is written");
	ASSERT_FAILS(ch, zio_share(ch, in), EOPNOTSUPP, "files");
	ASSERT_ERRNO(zio_submit(ch, in, 0), EOPNOTSUPP, "submit");
	zio_close(in);
	ASSERT_CLOSED(in_dir("round"), ZIO_OPEN_RING, EINVAL, "method ring");
}

/* Files do not get flags that are requests to the kernel; they get an endian mark. */
static bool write_control(struct zio_channel *ch, const struct zio_control *control)
{
	static const uint8_t data[4 * SIZE];

	return !zio_write_block(ch, control, data, control->nsamples * control->ssize);
}

/* Is @secs the time of now, within a day? Clocks of machines differ. */
static bool is_now(uint64_t secs)
{
	uint64_t now = (uint64_t)time(NULL);

	return secs <= now && now - secs < 86400;
}

TEST("a control of zeros and sizes is completed", fresh)
{
	struct zio_control control = { .nsamples = SIZE, .ssize = 1 };
	struct zio_block blk = { .control = &control };

	ch = open_file(in_dir("zeros"), OUT);
	ASSERT_TRUE(write_control(ch, &control) && write_control(ch, &control));
	control.tstamp.secs = 7;
	control.seq_num = 9;
	strcpy(control.addr.devname, "mine");
	ASSERT_TRUE(write_control(ch, &control) && !zio_close(ch));
	ch = open_file(in_dir("zeros"), 0);
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.control->major_version, ZIO_MAJOR_VERSION);
	ASSERT_EQ(blk.control->minor_version, ZIO_MINOR_VERSION);
	ASSERT_TRUE(!strcmp(blk.control->addr.devname, "zio") && !blk.control->seq_num);
	ASSERT_TRUE(is_now(blk.control->tstamp.secs), "time");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.control->seq_num == 1 && !blk.lost);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.control->seq_num == 9);
	ASSERT_EQ(blk.control->tstamp.secs, 7);
	ASSERT_STR(blk.control->addr.devname, "mine");
	ASSERT_TRUE(!zio_next(ch, &blk), "end");
}

/* Write a block of zeros and sizes, of a channel of the device without a name. */
static bool write_unnamed(struct zio_channel *ch, uint16_t chan)
{
	const struct zio_control control = { .nsamples = SIZE, .ssize = 1,
					     .addr.chan = chan };

	return write_control(ch, &control);
}

static bool is_next(struct zio_channel *ch, uint16_t chan, uint32_t seq)
{
	struct zio_block blk;

	return zio_next(ch, &blk) == 1 && blk.control->addr.chan == chan &&
	       blk.control->seq_num == seq && !blk.lost;
}

TEST("each channel counts for itself, also in a file that is appended to", fresh)
{
	const int flags = ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND;

	ch = open_file(in_dir("numbers"), flags);
	ASSERT_TRUE(write_unnamed(ch, 0) && write_unnamed(ch, 0) && write_unnamed(ch, 1));
	ASSERT_TRUE(write_block(ch, 40, SIZE) && write_unnamed(ch, 0) && !zio_close(ch));
	ch = open_file(in_dir("numbers"), flags);
	ASSERT_TRUE(write_unnamed(ch, 0) && write_unnamed(ch, 1) && !zio_close(ch));
	ch = open_file(in_dir("numbers"), 0);
	ASSERT_TRUE(is_next(ch, 0, 0) && is_next(ch, 0, 1) && is_next(ch, 1, 0));
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.control->seq_num == 40);
	ASSERT_TRUE(is_next(ch, 0, 2), "other channels do not count");
	ASSERT_TRUE(is_next(ch, 0, 3) && is_next(ch, 1, 1));
	ASSERT_TRUE(!zio_next(ch, &blk) && !zio_stats(ch)->lost, "no block is lost");
}

TEST("each file that is written can be read", fresh)
{
	struct zio_control control;

	ch = open_file(in_dir("unreadable"), OUT);
	zio_control_init(&control, SIZE, 1);
	control.major_version = ZIO_MAJOR_VERSION + 1;
	ASSERT_TRUE(!write_control(ch, &control) && errno == EPROTONOSUPPORT);
	ASSERT_HAS(zio_reason(ch), "version");
	zio_control_init(&control, SIZE, 0);
	ASSERT_TRUE(!write_control(ch, &control) && errno == EPROTO);
	zio_control_init(&control, SIZE, 1);
	control.flags ^= ZIO_CONTROL_LITTLE_ENDIAN ^ ZIO_CONTROL_BIG_ENDIAN;
	ASSERT_TRUE(!write_control(ch, &control) && errno == EPROTO);
	zio_control_init(&control, SIZE, 1);
	control.flags = 1;
	ASSERT_TRUE(!write_control(ch, &control) && errno == EPROTO);
	zio_control_init(&control, SIZE, 1);
	ASSERT_TRUE(write_control(ch, &control) && !zio_close(ch), "a good control");
	ch = open_file(in_dir("unreadable"), 0);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && !zio_next(ch, &blk));
}

TEST("files get no requests to the kernel, but an endian mark", fresh)
{
	struct zio_control control;
	uint32_t mark;

	ch = open_file(in_dir("flags"), OUT);
	fake_control(&control, 7, 0, 1);
	mark = control.flags;
	control.flags = ZIO_CONTROL_SHARED | ZIO_CONTROL_KEEP |
			ZIO_CONTROL_SHARE_ONLY | ZIO_CONTROL_MSB_ALIGN;
	ASSERT_TRUE(!zio_write_block(ch, &control, NULL, 0), "an empty block");
	zio_close(ch);
	ch = open_file(in_dir("flags"), 0);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.size == 0 && !blk.data);
	ASSERT_EQ(blk.control->flags, mark | ZIO_CONTROL_MSB_ALIGN, "its flags");
}

TEST("blocks that are skipped", fresh)
{
	uint8_t mem[SIZE];

	ch = open_file(in_dir("round"), 0);
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && blk.control->seq_num == 0);
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && blk.control->seq_num == 1);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 1, SIZE), "or read");
	ASSERT_ERRNO(zio_next_into(ch, &blk, mem, SIZE - 1), EMSGSIZE, "no room");
	ASSERT_EQ(zio_next(ch, &blk), 0, "that block is skipped, too");
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "no data at the end");
	zio_close(ch);
	ch = open_file(in_dir("round"), ZIO_OPEN_CONTROL_ONLY);
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && zio_next_control(ch, &blk) == 1);
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && !zio_next_control(ch, &blk));
}

/* Change bytes of the first block of a file. */
static void make_hostile(size_t at, const void *bytes, size_t size)
{
	int fd;

	make_file(in_dir("hostile"), 2);
	fd = open(in_dir("hostile"), O_WRONLY | O_CLOEXEC);
	ASSERT_EQ(pwrite(fd, bytes, size, at), (ssize_t)size, "make it hostile");
	close(fd);
}

#define HOSTILE(field, value) do { \
	struct zio_control hostile = { .field = value }; \
	make_hostile(offsetof(struct zio_control, field), &hostile.field, \
		     sizeof(hostile.field)); \
	} while (0)

/* The first block of the hostile file is refused. */
#define ASSERT_FIRST(code, text) do {					\
	struct zio_channel *ch = open_file(in_dir("hostile"), 0);	\
	struct zio_block blk;						\
									\
	ASSERT_FAILS(ch, zio_next(ch, &blk), code, text);		\
	zio_close(ch);							\
} while (0)

TEST("controls that lie", fresh)
{
	HOSTILE(nsamples, UINT32_MAX);
	ASSERT_FIRST(EMSGSIZE, "over the limit");
	ch = open_file(in_dir("hostile"), ZIO_OPEN_CONTROL_ONLY);
	ASSERT_EQ(zio_next_control(ch, &blk), 1);
	ASSERT_FAILS(ch, zio_next_control(ch, &blk), ENODATA, "end of file");
	HOSTILE(nsamples, 600);
	ASSERT_FIRST(ENODATA, "544 of the 600 bytes");
	HOSTILE(ssize, 0);
	ASSERT_FIRST(EPROTO, "size of a sample is 0");
	HOSTILE(major_version, 9);
	ASSERT_FIRST(EPROTONOSUPPORT, "9.5");
	HOSTILE(flags, 0);
	ASSERT_FIRST(EPROTO, "no block begins at byte 0");
	HOSTILE(flags, UINT32_MAX);
	ASSERT_FIRST(EPROTO, "no block begins at byte 0");
	HOSTILE(flags, 0x01000000);
	ASSERT_FIRST(EPROTO, "no block begins");
	HOSTILE(flags, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?
		       ZIO_CONTROL_LITTLE_ENDIAN : ZIO_CONTROL_BIG_ENDIAN);
	ASSERT_FIRST(EPROTO, "endian");
	HOSTILE(nsamples, 3);
	ASSERT_CLOSED(in_dir("hostile"), ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND, EPROTO,
		      "first 515");
}

TEST("a reader learns that it has what is before the cut", fresh)
{
	make_file(in_dir("cut"), 3);
	ASSERT_TRUE(!truncate(in_dir("cut"), 2 * ONE + 100), "cut the last control");
	ch = open_file(in_dir("cut"), 0);
	ASSERT_TRUE(gives(ch, 0) && gives(ch, 1) && fails(zio_next(ch, &blk), EPROTO));
	ASSERT_HAS(zio_reason(ch),
		   "after 100 of the 512 bytes of a control (whole blocks before it: 2)");
	zio_close(ch);
	ASSERT_TRUE(!truncate(in_dir("cut"), ONE + 520));
	ch = open_file(in_dir("cut"), 0);
	ASSERT_TRUE(gives(ch, 0) && fails(zio_next(ch, &blk), ENODATA));
	ASSERT_HAS(zio_reason(ch),
		   "after 8 of the 16 bytes of a block (whole blocks before it: 1)");
}

TEST("after a bad block, each call fails in the same way", fresh)
{
	HOSTILE(nsamples, 3);
	ch = open_file(in_dir("hostile"), 0);
	ASSERT_EQ(zio_next(ch, &blk), 1, "a block that is too short");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "no block begins at byte 515");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "no block begins at byte 515");
}

static void put_part(int fd, uint32_t seq, size_t from, size_t to)
{
	uint8_t all[ONE];
	size_t i;

	fake_control((struct zio_control *)all, seq, SIZE, 1);
	for (i = 0; i < SIZE; i++)
		all[sizeof(struct zio_control) + i] = fake_byte(seq, i);
	ASSERT_EQ(write(fd, all + from, to - from), (ssize_t)(to - from), "put");
}

TEST("pieces in a pipe", fresh)
{
	int fd = make_fifo(in_dir("pipe"));

	ch = open_file(in_dir("pipe"), ZIO_OPEN_NONBLOCK);
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "nothing in the pipe");
	put_part(fd, 1, 0, 100);
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "part of a control");
	put_part(fd, 1, 100, 520);
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "part of the data");
	put_part(fd, 1, 520, ONE);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 1, SIZE), "all of it");
	put_part(fd, 2, 0, 520);
	ASSERT_EQ(zio_next_control(ch, &blk), 1, "a control");
	ASSERT_ERRNO(zio_next_control(ch, &blk), EAGAIN, "skip what is not there");
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "half skipped is not read");
	put_part(fd, 2, 520, ONE);
	put_part(fd, 3, 0, ONE);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 3, SIZE), "skipped");
	put_part(fd, 4, 0, 520);
	close(fd);
	ASSERT_EQ(zio_next_control(ch, &blk), 1, "the last control");
	ASSERT_ERRNO(zio_next_control(ch, &blk), ENODATA, "its data end early");
}

TEST("a signal ends a wait", fresh)
{
	int fd = make_fifo(in_dir("interrupt"));

	ch = open_file(in_dir("interrupt"), 0);
	interrupt_soon(ch, SA_RESTART);
	ASSERT_TRUE(zio_next(ch, &blk) == -1 && (errno == EAGAIN || errno == EINTR));
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "and the next one");
	ASSERT_TRUE(!(fcntl(fd, F_GETFL) & O_APPEND) && fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
}

TEST("the flags of standard input do not change: it may be shared", fresh)
{
	int pipe_fd[2], saved = dup(STDIN_FILENO);

	ASSERT_TRUE(!pipe(pipe_fd) && dup2(pipe_fd[0], STDIN_FILENO) == 0, "pipe");
	ch = open_file("-", ZIO_OPEN_NONBLOCK);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EAGAIN, "standard input");
	ASSERT_TRUE(!(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK), "not made to wait");
	put_part(pipe_fd[1], 5, 0, ONE);
	ASSERT_TRUE(gives(ch, 5), "a block");
	zio_interrupt(ch);
	ASSERT_TRUE(!(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK), "nor afterwards");
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

/* A pipe takes a part of a control, of the data, or nothing. */
TEST("a pipe that is full takes the rest later", fresh)
{
	const uint32_t size = 10000;
	const char *path = in_dir("full");
	int fd = make_fifo(path), taken, n;
	struct zio_channel *ch = open_file(path, OUT | ZIO_OPEN_NONBLOCK);
	static uint8_t data[10000], wanted[200 * (512 + 10000)], bytes[sizeof(wanted)];
	size_t got = 0, room = 0;
	uint32_t seq = 0, waits = 0;
	struct zio_control control;

	/* As that of standard output may be */
	fcntl(zio_fd(ch), F_SETFL, O_NONBLOCK);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fcntl(fd, F_SETPIPE_SZ, 16384);
	while (got < sizeof(wanted)) {
		fake_control(&control, seq, size, 1);
		memset(data, (int)seq, size);
		if (seq < 200 && !zio_write_block(ch, &control, data, size)) {
			memcpy(wanted + room, &control, sizeof(control));
			memcpy(wanted + room + sizeof(control), data, size);
			room += sizeof(control) + size;
			seq++;
			continue;
		}
		waits += seq < 200;
		taken = 1 + (int)(seq * 977 + waits * 4001) % 9000;
		n = (int)read(fd, bytes + got, (size_t)taken);
		ASSERT_TRUE(n > 0 || errno == EAGAIN);
		got += n > 0 ? (size_t)n : 0;
	}
	ASSERT_TRUE(waits > 100 && !memcmp(bytes, wanted, sizeof(wanted)));
	zio_close(ch);
	close(fd);
}

/* A block of channel @chan, which has lost no block unless @lost */
static bool has_loss(struct zio_channel *ch, unsigned int chan, uint32_t lost)
{
	struct zio_block blk;

	return zio_next(ch, &blk) == 1 && blk.control->addr.chan == chan &&
	       blk.lost == lost;
}

static void write_of(struct zio_channel *ch, unsigned int chan, uint32_t seq)
{
	struct zio_control control;
	uint8_t data[SIZE] = { 0 };

	fake_control(&control, seq, SIZE, 1);
	control.addr.chan = chan;
	ASSERT_TRUE(!zio_write_block(ch, &control, data, SIZE));
}

TEST("numbers of one channel say nothing about another one", fresh)
{
	const char *path = in_dir("several");

	ch = open_file(path, OUT);
	write_of(ch, 0, 5);
	write_of(ch, 1, 100);
	write_of(ch, 0, 6);
	write_of(ch, 2, 0);
	write_of(ch, 1, 103);
	write_of(ch, 1, 104);
	write_of(ch, 0, 8);
	zio_close(ch);
	ch = open_file(path, 0);
	ASSERT_TRUE(has_loss(ch, 0, 0) && has_loss(ch, 1, 0) && has_loss(ch, 0, 0));
	ASSERT_TRUE(has_loss(ch, 2, 0));
	ASSERT_TRUE(has_loss(ch, 1, 2));
	ASSERT_TRUE(has_loss(ch, 1, 0));
	ASSERT_TRUE(has_loss(ch, 0, 1));
	ASSERT_EQ(zio_stats(ch)->lost, 3);
}
