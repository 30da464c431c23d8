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
#include "tap.h"

#define SIZE 16
#define ONE (sizeof(struct zio_control) + SIZE)

static const char *path_of(const char *name)
{
	static char path[2][PATH_MAX];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static struct zio_channel *open_file(const char *name, int flags)
{
	struct zio_error err = { 0 };
	struct zio_channel *ch = zio_open(name, flags, &err);

	if (!ch)
		printf("# %s\n", err.text);
	return ch;
}

static bool refuses(const char *name, int flags, int code, const char *text)
{
	struct zio_error err = { 0 };
	struct zio_channel *ch = zio_open(name, flags, &err);

	if (!ch && err.code == code && strstr(err.text, text))
		return true;
	printf("# %s\n", err.text);
	zio_close(ch);
	return false;
}

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
	struct zio_channel *ch = open_file(name, ZIO_OPEN_OUTPUT |
					   ZIO_OPEN_CREATE);
	bool good = ch;
	uint32_t i;

	for (i = 0; good && i < blocks; i++)
		good = write_block(ch, i, SIZE);
	ok(good && !zio_close(ch), "write a block file");
}

static bool is_block(const struct zio_block *blk, uint32_t seq, size_t size)
{
	const uint8_t *data = blk->data;
	size_t i;

	if (blk->control->seq_num != seq || blk->size != size)
		return false;
	for (i = 0; i < size; i++)
		if (data[i] != fake_byte(seq, i))
			return false;
	return true;
}

static bool gives(struct zio_channel *ch, uint32_t seq)
{
	struct zio_block blk;

	return zio_next(ch, &blk) == 1 && is_block(&blk, seq, SIZE);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static void test_round(void)
{
	const char *path = path_of("round");
	struct zio_channel *ch;
	struct zio_block blk;

	make_file(path, 3);
	ok(size_of(path) == 3 * ONE, "control and data, and nothing else");
	ch = open_file(path, 0);
	ok(ch && zio_is_file(ch), "it is a file");
	ok(!strcmp(zio_method(ch), "file"), "and so is its method");
	ok(gives(ch, 0) && gives(ch, 1) && gives(ch, 2), "its blocks");
	ok(zio_next(ch, &blk) == 0, "end of file");
	ok(zio_stats(ch)->blocks == 3 && zio_stats(ch)->bytes == 3 * SIZE,
	   "statistics");
	zio_close(ch);
}

static void test_create(void)
{
	const int out = ZIO_OPEN_OUTPUT;

	make_file(path_of("again"), 3);
	make_file(path_of("again"), 1);
	ok(size_of(path_of("again")) == ONE, "a file is emptied");
	ok(refuses(path_of("new"), out, ENOENT, "no such channel"),
	   "none is made unasked");
	ok(refuses("name-0-1", out | ZIO_OPEN_CREATE, ENOENT, "no such channel"),
	   "none with the name of a channel");
	ok(refuses("/dev/zio/name-0000-0-1", out | ZIO_OPEN_CREATE, ENOENT,
		   "no such channel"), "nor among the nodes");
	ok(refuses(dir, out | ZIO_OPEN_CREATE, ENOENT, "no such channel"),
	   "a directory is no block file");
}

static void test_append(void)
{
	const int flags = ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND;
	const char *path = path_of("append");
	struct zio_channel *ch = open_file(path, flags);

	ok(ch && write_block(ch, 0, SIZE) && !zio_close(ch), "append makes it");
	ch = open_file(path, flags);
	ok(ch && write_block(ch, 1, SIZE) && !zio_close(ch), "append adds");
	ch = open_file(path, 0);
	ok(gives(ch, 0) && gives(ch, 1), "both are there");
	zio_close(ch);
	ok(!truncate(path, ONE + 520), "tear the second one");
	ok(refuses(path, flags, EPROTO, "truncate -s 528"),
	   "nothing is added to half a block");
	ok(!truncate(path, ONE + 100), "tear its control");
	ok(refuses(path, flags, EPROTO, "truncate -s 528"),
	   "nor to half a control");
	ok(size_of(path) == ONE + 100, "and nothing is changed");
}

static void test_write_refused(void)
{
	struct zio_channel *ch = open_file(path_of("refused"), ZIO_OPEN_OUTPUT |
					   ZIO_OPEN_CREATE);
	struct zio_channel *in = open_file(path_of("round"), 0);
	char data[SIZE] = { 0 };
	struct zio_block blk;
	size_t size;

	ok(fails(zio_write_block(ch, NULL, data, SIZE), EINVAL) &&
	   reason_has(ch, "control"), "data without a control");
	ok(!zio_reserve(ch, &size) && errno == EOPNOTSUPP, "reserve");
	ok(fails(zio_next(ch, &blk), EBADF), "read what is written");
	ok(fails(zio_share(ch, in), EOPNOTSUPP) && reason_has(ch, "files"),
	   "share");
	ok(fails(zio_submit(ch, in, 0), EOPNOTSUPP), "submit");
	zio_close(in);
	zio_close(ch);
	ok(refuses(path_of("round"), ZIO_OPEN_RING, EINVAL, "method ring"),
	   "no ring");
	ok(refuses(path_of("round"), ZIO_OPEN_MMAP, EINVAL, "method mmap"),
	   "no mmap");
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

/* A control of zeros and sizes is completed. Each file that is written can be read. */
static void test_completed(void)
{
	struct zio_control control = { .nsamples = SIZE, .ssize = 1 };
	struct zio_channel *ch;
	struct zio_block blk = { .control = &control };
	bool good;

	ch = open_file(path_of("zeros"), ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	good = write_control(ch, &control) && write_control(ch, &control);
	control.tstamp.secs = 7;
	control.seq_num = 9;
	strcpy(control.addr.devname, "mine");
	ok(good && write_control(ch, &control) && !zio_close(ch), "write controls of zeros");
	ch = open_file(path_of("zeros"), 0);
	ok(zio_next(ch, &blk) == 1 && blk.control->major_version == ZIO_MAJOR_VERSION &&
	   blk.control->minor_version == ZIO_MINOR_VERSION, "version");
	ok(!strcmp(blk.control->addr.devname, "zio") && !blk.control->seq_num, "name");
	ok(is_now(blk.control->tstamp.secs), "time");
	ok(zio_next(ch, &blk) == 1 && blk.control->seq_num == 1 && !blk.lost, "number");
	ok(zio_next(ch, &blk) == 1 && blk.control->seq_num == 9 &&
	   blk.control->tstamp.secs == 7 && !strcmp(blk.control->addr.devname, "mine"),
	   "what the caller has set stays");
	ok(!zio_next(ch, &blk), "end");
	zio_close(ch);
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

/* Each channel counts for itself, and a file that is appended to goes on. */
static void test_numbers(void)
{
	const int flags = ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND;
	struct zio_channel *ch = open_file(path_of("numbers"), flags);
	struct zio_block blk;

	ok(write_unnamed(ch, 0) && write_unnamed(ch, 0) && write_unnamed(ch, 1) &&
	   write_block(ch, 40, SIZE) && write_unnamed(ch, 0) && !zio_close(ch),
	   "write blocks without numbers");
	ch = open_file(path_of("numbers"), flags);
	ok(write_unnamed(ch, 0) && write_unnamed(ch, 1) && !zio_close(ch), "append others");
	ch = open_file(path_of("numbers"), 0);
	ok(is_next(ch, 0, 0) && is_next(ch, 0, 1) && is_next(ch, 1, 0), "each channel counts");
	ok(zio_next(ch, &blk) == 1 && blk.control->seq_num == 40, "what has a number keeps it");
	ok(is_next(ch, 0, 2), "other channels do not count");
	ok(is_next(ch, 0, 3) && is_next(ch, 1, 1), "the file that is appended to goes on");
	ok(!zio_next(ch, &blk) && !zio_stats(ch)->lost, "no block is lost");
	zio_close(ch);
}

static void test_unreadable(void)
{
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;

	ch = open_file(path_of("unreadable"), ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	zio_control_init(&control, SIZE, 1);
	control.major_version = ZIO_MAJOR_VERSION + 1;
	ok(!write_control(ch, &control) && errno == EPROTONOSUPPORT &&
	   strstr(zio_reason(ch), "version"), "another version is not written");
	zio_control_init(&control, SIZE, 0);
	ok(!write_control(ch, &control) && errno == EPROTO, "samples of no size are not written");
	zio_control_init(&control, SIZE, 1);
	control.flags ^= ZIO_CONTROL_LITTLE_ENDIAN ^ ZIO_CONTROL_BIG_ENDIAN;
	ok(!write_control(ch, &control) && errno == EPROTO, "the other endianness is not written");
	zio_control_init(&control, SIZE, 1);
	control.flags = 1;
	ok(!write_control(ch, &control) && errno == EPROTO, "half of a mark is not written");
	zio_control_init(&control, SIZE, 1);
	ok(write_control(ch, &control) && !zio_close(ch), "a good control");
	ch = open_file(path_of("unreadable"), 0);
	ok(zio_next(ch, &blk) == 1 && !zio_next(ch, &blk), "is all that was written");
	zio_close(ch);
}

static void test_flags(void)
{
	struct zio_channel *ch = open_file(path_of("flags"), ZIO_OPEN_OUTPUT |
					   ZIO_OPEN_CREATE);
	struct zio_control control;
	struct zio_block blk;
	uint32_t mark;

	fake_control(&control, 7, 0, 1);
	mark = control.flags;
	control.flags = ZIO_CONTROL_SHARED | ZIO_CONTROL_KEEP |
			ZIO_CONTROL_SHARE_ONLY | ZIO_CONTROL_MSB_ALIGN;
	ok(!zio_write_block(ch, &control, NULL, 0), "an empty block");
	zio_close(ch);
	ch = open_file(path_of("flags"), 0);
	ok(zio_next(ch, &blk) == 1 && blk.size == 0 && !blk.data,
	   "it comes back");
	ok(blk.control->flags == (mark | ZIO_CONTROL_MSB_ALIGN), "its flags");
	zio_close(ch);
}

static void test_skip(void)
{
	struct zio_channel *ch = open_file(path_of("round"), 0);
	struct zio_block blk;
	uint8_t mem[SIZE];

	ok(zio_next_control(ch, &blk) == 1 && blk.control->seq_num == 0,
	   "control only");
	ok(zio_next_control(ch, &blk) == 1 && blk.control->seq_num == 1,
	   "the data are skipped");
	ok(zio_data(ch, &blk) == 1 && is_block(&blk, 1, SIZE), "or read");
	ok(fails(zio_next_into(ch, &blk, mem, SIZE - 1), EMSGSIZE), "no room");
	ok(zio_next(ch, &blk) == 0, "that block is skipped, too");
	ok(fails(zio_data(ch, &blk), EINVAL), "no data at the end");
	zio_close(ch);
	ch = open_file(path_of("round"), ZIO_OPEN_CONTROL_ONLY);
	ok(zio_next_control(ch, &blk) == 1 && zio_next_control(ch, &blk) == 1 &&
	   zio_next_control(ch, &blk) == 1 && !zio_next_control(ch, &blk),
	   "open for controls only");
	zio_close(ch);
}

/* Change bytes of the first block of a file. */
static void make_hostile(size_t at, const void *bytes, size_t size)
{
	int fd;

	make_file(path_of("hostile"), 2);
	fd = open(path_of("hostile"), O_WRONLY | O_CLOEXEC);
	ok(pwrite(fd, bytes, size, at) == (ssize_t)size, "make it hostile");
	close(fd);
}

#define HOSTILE(field, value) do { \
	struct zio_control hostile = { .field = value }; \
	make_hostile(offsetof(struct zio_control, field), &hostile.field, \
		     sizeof(hostile.field)); \
	} while (0)

static bool first_fails(int code, const char *text)
{
	struct zio_channel *ch = open_file(path_of("hostile"), 0);
	struct zio_block blk;
	bool good = fails(zio_next(ch, &blk), code) && reason_has(ch, text);

	zio_close(ch);
	return good;
}

static bool skip_fails(int code, const char *text, int fd, const char *name)
{
	struct zio_channel *ch = open_file(name, ZIO_OPEN_CONTROL_ONLY);
	struct zio_block blk;
	bool good;

	if (fd >= 0)
		close(fd);
	good = zio_next_control(ch, &blk) == 1 &&
	       fails(zio_next_control(ch, &blk), code) && reason_has(ch, text);
	zio_close(ch);
	return good;
}

static void test_hostile(void)
{
	HOSTILE(nsamples, UINT32_MAX);
	ok(first_fails(EMSGSIZE, "over the limit"), "huge nsamples");
	ok(skip_fails(ENODATA, "end of file", -1, path_of("hostile")),
	   "huge nsamples, skipped");
	HOSTILE(nsamples, 600);
	ok(first_fails(ENODATA, "544 of the 600 bytes"), "more than there is");
	HOSTILE(ssize, 0);
	ok(first_fails(EPROTO, "size of a sample is 0"), "ssize 0");
	HOSTILE(major_version, 9);
	ok(first_fails(EPROTONOSUPPORT, "9.4"), "another version");
	HOSTILE(flags, 0);
	ok(first_fails(EPROTO, "no block begins at byte 0"), "no mark");
	HOSTILE(flags, UINT32_MAX);
	ok(first_fails(EPROTO, "no block begins at byte 0"), "both marks");
	HOSTILE(flags, 0x01000000);
	ok(first_fails(EPROTO, "no block begins"), "half a mark");
	HOSTILE(nsamples, 3);
	ok(refuses(path_of("hostile"), ZIO_OPEN_OUTPUT | ZIO_OPEN_APPEND,
		   EPROTO, "first 515"), "nothing is added behind nonsense");
}

static void test_foreign(void)
{
	HOSTILE(flags, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?
		       ZIO_CONTROL_LITTLE_ENDIAN : ZIO_CONTROL_BIG_ENDIAN);
	ok(first_fails(EPROTO, "endian"), "the other endianness");
}

/* A reader learns that it has what is before the cut. */
static void test_cut(void)
{
	struct zio_channel *ch;
	struct zio_block blk;

	make_file(path_of("cut"), 3);
	ok(!truncate(path_of("cut"), 2 * ONE + 100), "cut the last control");
	ch = open_file(path_of("cut"), 0);
	ok(gives(ch, 0) && gives(ch, 1) && fails(zio_next(ch, &blk), EPROTO) &&
	   reason_has(ch, "after 100 of the 512 bytes of a control (whole blocks before it: 2)"),
	   "the blocks before a control are counted");
	zio_close(ch);
	ok(!truncate(path_of("cut"), ONE + 520), "cut the data of the second block");
	ch = open_file(path_of("cut"), 0);
	ok(gives(ch, 0) && fails(zio_next(ch, &blk), ENODATA) &&
	   reason_has(ch, "after 8 of the 16 bytes of a block (whole blocks before it: 1)"),
	   "and those before data");
	zio_close(ch);
}

/* After a bad block, each call fails in the same way. */
static void test_lost(void)
{
	struct zio_channel *ch;
	struct zio_block blk;

	HOSTILE(nsamples, 3);
	ch = open_file(path_of("hostile"), 0);
	ok(zio_next(ch, &blk) == 1, "a block that is too short");
	ok(fails(zio_next(ch, &blk), EPROTO) &&
	   reason_has(ch, "no block begins at byte 515"), "the next one");
	ok(fails(zio_next(ch, &blk), EPROTO) &&
	   reason_has(ch, "no block begins at byte 515"), "and again");
	zio_close(ch);
}

static int make_fifo(const char *name)
{
	ok(!mkfifo(path_of(name), 0600), "make a FIFO");
	return open(path_of(name), O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void put_part(int fd, uint32_t seq, size_t from, size_t to)
{
	uint8_t all[ONE];
	size_t i;

	fake_control((struct zio_control *)all, seq, SIZE, 1);
	for (i = 0; i < SIZE; i++)
		all[sizeof(struct zio_control) + i] = fake_byte(seq, i);
	ok(write(fd, all + from, to - from) == (ssize_t)(to - from), "put");
}

static void test_pipe(void)
{
	int fd = make_fifo("pipe");
	struct zio_channel *ch = open_file(path_of("pipe"), ZIO_OPEN_NONBLOCK);
	struct zio_block blk;

	ok(fails(zio_next(ch, &blk), EAGAIN), "nothing in the pipe");
	put_part(fd, 1, 0, 100);
	ok(fails(zio_next(ch, &blk), EAGAIN), "part of a control");
	put_part(fd, 1, 100, 520);
	ok(fails(zio_next(ch, &blk), EAGAIN), "part of the data");
	put_part(fd, 1, 520, ONE);
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 1, SIZE), "all of it");
	put_part(fd, 2, 0, 520);
	ok(zio_next_control(ch, &blk) == 1, "a control");
	ok(fails(zio_next_control(ch, &blk), EAGAIN), "skip what is not there");
	ok(fails(zio_data(ch, &blk), EINVAL), "half skipped is not read");
	put_part(fd, 2, 520, ONE);
	put_part(fd, 3, 0, ONE);
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 3, SIZE), "skipped");
	put_part(fd, 4, 0, 520);
	close(fd);
	ok(zio_next_control(ch, &blk) == 1, "the last control");
	ok(fails(zio_next_control(ch, &blk), ENODATA), "its data end early");
	zio_close(ch);
}

static void test_interrupt(void)
{
	int fd = make_fifo("interrupt");
	struct zio_channel *ch;
	struct zio_block blk;

	ch = open_file(path_of("interrupt"), 0);
	interrupt_soon(ch, SA_RESTART);
	ok(zio_next(ch, &blk) == -1 &&
	   (errno == EAGAIN || errno == EINTR), "a wait is interrupted");
	ok(fails(zio_next(ch, &blk), EAGAIN), "and the next one");
	ok(!(fcntl(fd, F_GETFL) & O_APPEND) && fcntl(fd, F_GETFL) & O_NONBLOCK,
	   "the other end is as it was");
	zio_close(ch);
	close(fd);
}

/* The flags of standard input must not change: it may be shared. */
static void test_standard(void)
{
	int pipe_fd[2], saved = dup(STDIN_FILENO);
	struct zio_channel *ch;
	struct zio_block blk;

	ok(!pipe(pipe_fd) && dup2(pipe_fd[0], STDIN_FILENO) == 0, "pipe");
	ch = open_file("-", ZIO_OPEN_NONBLOCK);
	ok(fails(zio_next(ch, &blk), EAGAIN) && reason_has(ch, "standard input"),
	   "standard input");
	ok(!(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK), "not made to wait");
	put_part(pipe_fd[1], 5, 0, ONE);
	ok(gives(ch, 5), "a block");
	zio_interrupt(ch);
	zio_close(ch);
	ok(!(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK), "nor afterwards");
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

static void test_splice(void)
{
	struct zio_channel *in = open_file(path_of("round"), 0);
	struct zio_channel *out = open_file(path_of("spliced"),
					    ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	struct zio_control none = { 0 };
	struct zio_block blk;

	ok(zio_splice(out, in, &none) == -2 && errno == EINVAL &&
	   reason_has(in, "no control"), "splice before a control");
	while (zio_next_control(in, &blk) > 0) {
		ok(zio_splice(out, in, &none) == -1 && errno == EINVAL,
		   "splice with a control of another length");
		ok(!zio_splice(out, in, blk.control), "splice");
	}
	ok(zio_stats(out)->blocks == 3 && zio_stats(in)->bytes == 3 * SIZE,
	   "statistics");
	zio_close(in);
	zio_close(out);
	in = open_file(path_of("spliced"), 0);
	ok(gives(in, 0) && gives(in, 1) && gives(in, 2), "what was spliced");
	ok(zio_next(in, &blk) == 0, "and its end");
	zio_close(in);
}

static void test_splice_torn(void)
{
	struct zio_channel *in, *out;
	struct zio_block blk;

	make_file(path_of("torn"), 1);
	ok(!truncate(path_of("torn"), ONE - 6), "tear it");
	in = open_file(path_of("torn"), 0);
	out = open_file(path_of("spliced"), ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);
	ok(zio_next_control(in, &blk) == 1, "its control");
	ok(zio_splice(out, in, blk.control) == -2 && errno == ENODATA &&
	   reason_has(in, "10 of the 16 bytes"), "half a block is told");
	zio_close(in);
	zio_close(out);
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
	ok(!zio_write_block(ch, &control, data, SIZE), "several channels: written");
}

/* Numbers of one channel say nothing about another one. */
static void test_several_channels(void)
{
	const char *path = path_of("several");
	struct zio_channel *ch = open_file(path, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE);

	write_of(ch, 0, 5);
	write_of(ch, 1, 100);
	write_of(ch, 0, 6);
	write_of(ch, 2, 0);
	write_of(ch, 1, 103);
	write_of(ch, 1, 104);
	write_of(ch, 0, 8);
	zio_close(ch);
	ch = open_file(path, 0);
	ok(has_loss(ch, 0, 0) && has_loss(ch, 1, 0) && has_loss(ch, 0, 0) &&
	   has_loss(ch, 2, 0), "several channels: none has a loss");
	ok(has_loss(ch, 1, 2), "several channels: two blocks of one are lost");
	ok(has_loss(ch, 1, 0), "several channels: and none after them");
	ok(has_loss(ch, 0, 1), "several channels: one of another is lost");
	ok(zio_stats(ch)->lost == 3, "several channels: the sum");
	zio_close(ch);
}

int main(void)
{
	make_dir();
	setenv("ZIO_DEV_PATH", dir, 1);
	test_round();
	test_create();
	test_append();
	test_write_refused();
	test_completed();
	test_numbers();
	test_unreadable();
	test_flags();
	test_skip();
	test_hostile();
	test_foreign();
	test_lost();
	test_cut();
	test_several_channels();
	test_pipe();
	test_interrupt();
	test_standard();
	test_splice();
	test_splice_torn();
	return tap_end();
}
