// SPDX-License-Identifier: GPL-2.0-only
/* libzio with files and FIFOs */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "tap.h"

#define NOBODY 65534

static char path_text[PATH_MAX];

static const char *in_dir(const char *name)
{
	snprintf(path_text, sizeof(path_text), "%s/%s", dir, name);
	return path_text;
}

/* Each test has a stem of its own, and so its own files. */
static const char *new_stem(void)
{
	static char stem[PATH_MAX];
	static int n;

	snprintf(stem, sizeof(stem), "%s/fake-%04x-0-1", dir, ++n);
	return stem;
}

static void make_fifos(const char *stem)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-ctrl", stem);
	ok(!mkfifo(path, 0600), "make control FIFO");
	snprintf(path, sizeof(path), "%s-data", stem);
	ok(!mkfifo(path, 0600), "make data FIFO");
}

/* Opened for reading and writing, a FIFO neither waits nor ends. */
static int hold_fifo(const char *stem, const char *suffix)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-%s", stem, suffix);
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static bool is_fake_data(const void *data, size_t size, uint32_t seq)
{
	const unsigned char *byte = data;
	size_t i;

	for (i = 0; i < size; i++)
		if (byte[i] != fake_byte(seq, i))
			return false;
	return true;
}

static bool is_block(const struct zio_block *blk, uint32_t seq, size_t size)
{
	return blk->control->seq_num == seq && blk->size == size &&
	       blk->data && is_fake_data(blk->data, size, seq);
}

static bool opens(const char *name)
{
	struct zio_error err = { 0 };
	struct zio_channel *ch = zio_open(name, 0, &err);
	struct zio_block blk;
	bool good;

	if (!ch) {
		printf("# %s\n", err.text);
		return false;
	}
	good = zio_next(ch, &blk) == 1 && is_block(&blk, 9, 16);
	return !zio_close(ch) && good;
}

static void test_names(void)
{
	char path[2 * sizeof(dir) + 16];

	snprintf(path, sizeof(path), "%s/none:%s", dir, dir);
	setenv("ZIO_DEV_PATH", path, 1);
	fake_put_block(in_dir("zname-0000-0-1"), 9, 16, 1);
	fake_put_block(in_dir("short-2-3"), 9, 16, 1);
	fake_put_block(in_dir("a-b-00ff-2-3"), 9, 16, 1);
	ok(opens(in_dir("zname-0000-0-1-data")), "path of data node");
	ok(opens(in_dir("zname-0000-0-1-ctrl")), "path of control node");
	ok(opens(in_dir("zname-0000-0-1")), "path without suffix");
	ok(opens("zname-0000-0-1"), "name with id");
	ok(opens("zname-0-1"), "name without id");
	ok(opens("zname-0-1-ctrl"), "name without id, with suffix");
	ok(opens("short-2-3"), "short name that is there as such");
	ok(opens("a-b-00ff-2-3"), "device name with a hyphen");
}

static void test_missing(void)
{
	struct zio_error err = { 0 };

	ok(!zio_open("zname-0-2", 0, &err) && errno == ENOENT,
	   "no such channel");
	ok(err.code == ENOENT && strstr(err.text, dir) &&
	   strstr(err.text, "module"), "the reason names the directories");
	ok(!zio_open("zname", 0, &err) && errno == ENOENT,
	   "name without numbers");
	ok(!zio_open("-0-1", 0, NULL) && errno == ENOENT,
	   "name of numbers alone, reason not wanted");
	ok(!zio_open("", 0, &err) && errno == ENOENT, "empty name");
	ok(!zio_open(in_dir("nothing-data"), 0, &err) && errno == ENOENT &&
	   strstr(err.text, "nothing-data"), "no such path");
}

static void test_half_pair(void)
{
	const char *stem = new_stem();
	struct zio_error err = { 0 };
	struct zio_control control;

	fake_control(&control, 1, 16, 1);
	fake_put_control(stem, &control);
	ok(!zio_open(stem, 0, &err) && errno == ENOENT &&
	   strstr(err.text, "-data"), "data node missing");
}

/* Root may read anything, so the test runs as another user. */
static int open_as_nobody(const char *stem, int flags, const char *reason)
{
	struct zio_error err = { 0 };

	if (!geteuid() && setuid(NOBODY))
		return 2;
	if (zio_open(stem, flags, &err) || errno != EACCES)
		return 3;
	return strstr(err.text, reason) ? 0 : 4;
}

static bool is_denied(mode_t mode, int flags, const char *reason)
{
	const char *stem = new_stem();
	char path[PATH_MAX + 8];
	int status = -1;
	pid_t pid;

	fake_put_block(stem, 1, 16, 1);
	snprintf(path, sizeof(path), "%s-ctrl", stem);
	chmod(path, mode);
	chmod(dir, 0755);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(open_as_nobody(stem, flags, reason));
	waitpid(pid, &status, 0);
	if (status)
		printf("# status %#x\n", status);
	return !status;
}

static void test_permission(void)
{
	ok(is_denied(0, 0, "mode 0000, owner"),
	   "no permission: the reason tells mode and group");
	ok(is_denied(0220, 0, "this is an output channel"),
	   "output channel opened for reading");
	ok(is_denied(0440, ZIO_OPEN_OUTPUT, "this is an input channel"),
	   "input channel opened for writing");
}

static void test_blocks(void)
{
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;
	uint32_t seq;

	for (seq = 0; seq < 3; seq++)
		fake_put_block(stem, seq, 16 << (4 * seq), 2);
	ch = zio_open(stem, 0, NULL);
	for (seq = 0; seq < 3; seq++)
		ok(zio_next(ch, &blk) == 1 &&
		   is_block(&blk, seq, (size_t)32 << (4 * seq)) && !blk.lost,
		   "block with its data");
	ok(!zio_next(ch, &blk), "end of file");
	ok(zio_stats(ch)->blocks == 3 && zio_stats(ch)->bytes ==
	   32 + 512 + 8192 && !zio_stats(ch)->lost, "statistics");
	ok(!strcmp(zio_method(ch), "read"), "method");
	ok(strstr(zio_data_path(ch), "-data") &&
	   strstr(zio_control_path(ch), "-ctrl"), "paths");
	ok(fails(zio_write_block(ch, NULL, "x", 1), EBADF) &&
	   reason_has(ch, "input"), "input does not take writes");
	zio_close(ch);
}

static void test_empty_block(void)
{
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;

	fake_put_block(stem, 1, 0, 4);
	fake_put_block(stem, 2, 0, 0);
	fake_put_block(stem, 3, 4, 4);
	ch = zio_open(stem, 0, NULL);
	ok(zio_next(ch, &blk) == 1 && !blk.size && !blk.data,
	   "block without samples");
	ok(zio_next(ch, &blk) == 1 && !blk.size && !blk.data,
	   "block without samples or sample size");
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 3, 16),
	   "the block after it");
	zio_close(ch);
}

static struct zio_channel *open_with(const char *stem,
				     const struct zio_control *control)
{
	fake_put_control(stem, control);
	fake_put_data(stem, control->seq_num, 64);
	return zio_open(stem, 0, NULL);
}

static void test_refused_controls(void)
{
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;

	fake_control(&control, 1, 16, 1);
	control.major_version = 2;
	ch = open_with(new_stem(), &control);
	ok(fails(zio_next(ch, &blk), EPROTONOSUPPORT) &&
	   reason_has(ch, "version 2."), "major version 2 is refused");
	zio_close(ch);

	fake_control(&control, 1, 16, 1);
	control.flags ^= 0x03000003;
	ch = open_with(new_stem(), &control);
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "endian"),
	   "other endianness is refused");
	zio_close(ch);

	fake_control(&control, 1, 16, 0);
	ch = open_with(new_stem(), &control);
	ok(fails(zio_next(ch, &blk), EPROTO) &&
	   reason_has(ch, "size of a sample is 0"),
	   "samples of no size are refused");
	zio_close(ch);

	fake_control(&control, 1, 16, 1);
	control.minor_version = 200;
	ch = open_with(new_stem(), &control);
	ok(zio_next(ch, &blk) == 1, "a later minor version is taken");
	zio_close(ch);
}

static void test_limit(void)
{
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;

	fake_put_block(stem, 1, 5000, 1);
	fake_put_block(stem, 2, 16, 1);
	ch = zio_open(stem, 0, NULL);
	zio_set_max_block(ch, 4999);
	ok(fails(zio_next(ch, &blk), EMSGSIZE) && reason_has(ch, "4999"),
	   "block over the limit");
	ok(blk.size == 5000 && blk.control->seq_num == 1 && !blk.data,
	   "it can be looked at nevertheless");
	ok(fails(zio_data(ch, &blk), EMSGSIZE), "still over the limit");
	zio_set_max_block(ch, 5000);
	ok(zio_data(ch, &blk) == 1 && is_block(&blk, 1, 5000),
	   "with the limit raised it is read");
	zio_set_max_block(ch, 16);
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 2, 16),
	   "block of exactly the limit");
	zio_close(ch);
}

static void test_huge(void)
{
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;

	fake_control(&control, 1, UINT32_MAX, UINT16_MAX);
	ch = open_with(new_stem(), &control);
	ok(fails(zio_next(ch, &blk), sizeof(size_t) > 4 ? EMSGSIZE :
		 EOVERFLOW), "2^48 bytes are over the limit");
	zio_set_max_block(ch, SIZE_MAX);
	ok(fails(zio_data(ch, &blk), ENOMEM) && reason_has(ch, "no memory"),
	   "without a limit there is no memory for them");
	zio_close(ch);
}

static void test_truncated(void)
{
	const char *stem = new_stem();
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;

	fake_put_block(stem, 1, 16, 1);
	fake_put_bytes(stem, "ctrl", "x", 1);
	ch = zio_open(stem, 0, NULL);
	ok(zio_next(ch, &blk) == 1, "block before the torn control");
	ok(fails(zio_next(ch, &blk), EPROTO) && reason_has(ch, "1 of the 512"),
	   "torn control");
	zio_close(ch);

	stem = new_stem();
	fake_control(&control, 1, 100, 1);
	ch = open_with(stem, &control);
	ok(fails(zio_next(ch, &blk), ENODATA) &&
	   reason_has(ch, "64 of the 100"), "torn data");
	zio_close(ch);
}

/* A directory stands for a node that can be opened but not read. */
static void test_read_error(void)
{
	const char *stem = new_stem();
	char path[PATH_MAX + 8];
	struct zio_channel *ch;
	struct zio_block blk;

	snprintf(path, sizeof(path), "%s-ctrl", stem);
	mkdir(path, 0700);
	fake_put_data(stem, 1, 16);
	ch = zio_open(stem, 0, NULL);
	ok(fails(zio_next(ch, &blk), EISDIR) &&
	   reason_has(ch, "read control"), "error on the control node");
	zio_close(ch);

	stem = new_stem();
	snprintf(path, sizeof(path), "%s-data", stem);
	mkdir(path, 0700);
	fake_put_bytes(stem, "ctrl", "", 0);
	ch = zio_open(stem, 0, NULL);
	ok(ch && !zio_next(ch, &blk), "nothing there");
	fake_put_block(stem, 1, 16, 1);
	ok(fails(zio_next(ch, &blk), EISDIR) && reason_has(ch, "read data"),
	   "error on the data node");
	zio_close(ch);
}

#define LARGEST_LOSS ((1u << 24) - 1)	/* while the numbers pass 2^32 */

static void test_lost(void)
{
	static const struct {
		uint32_t seq, lost;
	} step[] = {
		{ 10, 0 }, { 11, 0 }, { 13, 1 }, { 20, 6 },
		{ 0, 0 }, { 1, 0 }, { 1, 0 }, { UINT32_MAX - 1, 0 },
		{ UINT32_MAX, 0 }, { 0, 0 }, { 3, 2 },
		/* A device counts anew; numbers pass 2^32, and then not. */
		{ 3000000000, 0 }, { 0, 0 }, { UINT32_MAX - 9, 0 },
		{ LARGEST_LOSS - 9, LARGEST_LOSS }, { UINT32_MAX - 9, 0 },
		{ LARGEST_LOSS - 8, 0 },
	};
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;
	size_t i;

	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		fake_put_block(stem, step[i].seq, 16, 1);
	ch = zio_open(stem, 0, NULL);
	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		ok(zio_next(ch, &blk) == 1 && blk.lost == step[i].lost,
		   "lost blocks");
	ok(zio_stats(ch)->lost == 9 + LARGEST_LOSS, "lost blocks in all");
	zio_close(ch);
}

static void test_controls_then_data(void)
{
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;

	fake_put_block(stem, 1, 16, 1);
	fake_put_block(stem, 2, 16, 1);
	ch = zio_open(stem, 0, NULL);
	ok(fails(zio_data(ch, &blk), EINVAL), "data before a control");
	ok(zio_next_control(ch, &blk) == 1 && !blk.data && blk.size == 16,
	   "control alone");
	ok(zio_data(ch, &blk) == 1 && is_block(&blk, 1, 16), "then its data");
	ok(fails(zio_data(ch, &blk), EINVAL), "not twice");
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 2, 16), "next block");
	zio_close(ch);
}

static void test_control_only(void)
{
	const char *stem = new_stem();
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;

	fake_control(&control, 1, 16, 1);
	fake_put_control(stem, &control);
	fake_put_control(stem, &control);
	fake_put_bytes(in_dir("lone"), "stream.ctrl", &control, 512);
	ch = zio_open(stem, ZIO_OPEN_CONTROL_ONLY, NULL);
	ok(ch && zio_next_control(ch, &blk) == 1, "no data node needed");
	ok(fails(zio_data(ch, &blk), EBADF), "there are no data to read");
	ok(fails(zio_next(ch, &blk), EBADF), "nor so");
	ok(!zio_next_control(ch, &blk) && !zio_data_path(ch), "end of file");
	zio_close(ch);
	ch = zio_open(in_dir("lone-stream.ctrl"), ZIO_OPEN_CONTROL_ONLY, NULL);
	ok(ch && zio_next_control(ch, &blk) == 1 && zio_fd(ch) >= 0,
	   "a lone node of controls");
	zio_close(ch);
}

static void test_next_into(void)
{
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;
	char mem[32];

	fake_put_block(stem, 1, 32, 1);
	fake_put_block(stem, 2, 33, 1);
	ch = zio_open(stem, 0, NULL);
	ok(zio_next_into(ch, &blk, mem, sizeof(mem)) == 1 &&
	   blk.data == mem && is_block(&blk, 1, 32), "into own memory");
	ok(fails(zio_next_into(ch, &blk, mem, sizeof(mem)), EMSGSIZE) &&
	   blk.size == 33, "own memory is too small");
	ok(zio_data(ch, &blk) == 1 && is_block(&blk, 2, 33),
	   "then into the library's");
	zio_close(ch);
}

static void test_nonblock(void)
{
	const char *stem = new_stem();
	struct zio_control control;
	struct zio_channel *ch;
	struct zio_block blk;
	int ctrl, data, idle;
	char mem[64];

	make_fifos(stem);
	ctrl = hold_fifo(stem, "ctrl");
	data = hold_fifo(stem, "data");
	ch = zio_open(stem, ZIO_OPEN_NONBLOCK, NULL);
	fake_control(&control, 1, 64, 1);
	ok(fails(zio_next(ch, &blk), EAGAIN), "nothing there");
	idle = zio_fd(ch);
	fake_put_bytes(stem, "ctrl", &control, 100);
	ok(fails(zio_next(ch, &blk), EAGAIN) && zio_fd(ch) == idle,
	   "piece of a control");
	fake_put_bytes(stem, "ctrl", (char *)&control + 100, 412);
	ok(fails(zio_next(ch, &blk), EAGAIN) && zio_fd(ch) != idle,
	   "control without data");
	fake_put_data(stem, 1, 10);
	ok(fails(zio_next(ch, &blk), EAGAIN), "piece of the data");
	ok(fails(zio_next_into(ch, &blk, mem, sizeof(mem)), EINVAL),
	   "a half-read block keeps its memory");
	for (size_t i = 10; i < 64; i++) {
		unsigned char byte = fake_byte(1, i);

		fake_put_bytes(stem, "data", &byte, 1);
	}
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 1, 64) &&
	   zio_fd(ch) == idle, "the pieces make a block");
	fake_put_block(stem, 2, 16, 1);
	ok(zio_next(ch, &blk) == 1 && is_block(&blk, 2, 16) && !blk.lost,
	   "the block after it");
	zio_close(ch);
	close(ctrl);
	close(data);
}

static void test_interrupt(void)
{
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;
	int ctrl, data, ret;

	make_fifos(stem);
	ctrl = hold_fifo(stem, "ctrl");
	data = hold_fifo(stem, "data");
	ch = zio_open(stem, 0, NULL);
	interrupt_soon(ch, 0);
	ret = zio_next(ch, &blk);
	ok(ret == -1 && (errno == EINTR || errno == EAGAIN),
	   "signal while waiting");
	ok(fails(zio_next(ch, &blk), EAGAIN),
	   "signal before waiting");
	zio_close(ch);
	close(ctrl);
	close(data);
}

static void test_write(void)
{
	struct zio_control control, got;
	const char *stem = new_stem();
	struct zio_channel *ch;
	struct zio_block blk;
	char mem[32] = "0123456789abcdef";
	char back[32];
	int ctrl, data;

	make_fifos(stem);
	ctrl = hold_fifo(stem, "ctrl");
	data = hold_fifo(stem, "data");
	ch = zio_open(stem, ZIO_OPEN_OUTPUT, NULL);
	zio_control_init(&control, 8, 2);
	ok(!zio_write_block(ch, &control, mem, 16), "write a block");
	ok(read(ctrl, &got, sizeof(got)) == 512 &&
	   !memcmp(&got, &control, 512), "its control has arrived");
	ok(read(data, back, sizeof(back)) == 16 && !memcmp(mem, back, 16),
	   "its data have arrived");
	ok(!zio_write_block(ch, NULL, mem, 5) &&
	   read(data, back, sizeof(back)) == 5 &&
	   fails((int)read(ctrl, &got, 1), EAGAIN), "data alone");
	ok(fails(zio_write_block(ch, &control, mem, 15), EINVAL) &&
	   reason_has(ch, "length"), "control and data differ");
	ok(fails(zio_write_block(ch, &control, mem, 18), EINVAL) &&
	   reason_has(ch, "length"), "more data than the control tells");
	ok(fails(zio_next(ch, &blk), EBADF) && reason_has(ch, "output"),
	   "output is not read");
	ok(zio_stats(ch)->blocks == 2 && zio_stats(ch)->bytes == 21,
	   "statistics of output");
	ok(!zio_close(ch), "close");
	close(ctrl);
	close(data);
}

/* The block is larger than a pipe; each EAGAIN is followed by a read of the pipe. */
static void test_write_nonblock(void)
{
	const size_t size = 300000;
	const char *stem = new_stem();
	unsigned char *mem = malloc(size), *back = malloc(size);
	struct zio_control control;
	size_t got = 0, i, waits = 0;
	struct zio_channel *ch;
	int ctrl, data;
	char rest[1024];

	make_fifos(stem);
	ctrl = hold_fifo(stem, "ctrl");
	data = hold_fifo(stem, "data");
	for (i = 0; i < size; i++)
		mem[i] = fake_byte(7, i / 5);
	zio_control_init(&control, (uint32_t)size, 1);
	ch = zio_open(stem, ZIO_OPEN_OUTPUT | ZIO_OPEN_NONBLOCK, NULL);
	while (zio_write_block(ch, &control, mem, size) && errno == EAGAIN) {
		ssize_t n = read(data, back + got, size - got);

		if (n <= 0)
			break;
		got += (size_t)n;
		waits++;
	}
	got += (size_t)read(data, back + got, size - got);
	ok(waits > 1 && got == size && !memcmp(mem, back, size),
	   "pieces of a written block");
	ok(read(ctrl, rest, sizeof(rest)) == 512, "its control went once");
	zio_close(ch);
	close(ctrl);
	close(data);
	free(mem);
	free(back);
}

static bool is_name(const char *name, const char *wanted)
{
	return name && !strcmp(name, wanted);
}

static void test_attr_names(void)
{
	ok(is_name(zio_attr_name(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_GAIN),
		   "gain-factor"), "gain");
	ok(is_name(zio_attr_name(ZIO_ATTR_OF_TRIGGER,
				 ZIO_ATTR_TRIG_PRE_SAMP), "pre-samples"),
	   "pre-samples");
	ok(is_name(zio_attr_name(ZIO_ATTR_OF_BUFFER, ZIO_ATTR_ZBUF_MAXLEN),
		   "max-buffer-len"), "max-buffer-len");
	ok(is_name(zio_attr_name(ZIO_ATTR_OF_TRIGGER, 15), "version"),
	   "version");
	ok(!zio_attr_name(ZIO_ATTR_OF_CHANNEL, 13), "an unused index");
	ok(!zio_attr_name(ZIO_ATTR_OF_CHANNEL, 16), "an index too large");
}

static void test_alarm_names(void)
{
	char text[64];
	char tiny[8];

	ok(is_name(zio_alarm_name(0), "lost-block") &&
	   is_name(zio_alarm_name(3), "dry") && !zio_alarm_name(4),
	   "names of alarms");
	ok(zio_alarm_text(0x83, text, sizeof(text)) == 28 &&
	   is_name(text, "lost-block,lost-trigger,bit7"), "list of alarms");
	ok(!zio_alarm_text(0, text, sizeof(text)) && !*text, "no alarm");
	ok(zio_alarm_text(0x83, tiny, sizeof(tiny)) == 28 &&
	   is_name(tiny, "lost-bl"), "list cut to size");
	ok(zio_alarm_text(0x83, NULL, 0) == 28, "length alone");
}

int main(void)
{
	make_dir();
	test_names();
	test_missing();
	test_half_pair();
	test_permission();
	test_blocks();
	test_empty_block();
	test_refused_controls();
	test_limit();
	test_huge();
	test_truncated();
	test_read_error();
	test_lost();
	test_controls_then_data();
	test_control_only();
	test_next_into();
	test_nonblock();
	test_interrupt();
	test_write();
	test_write_nonblock();
	test_attr_names();
	test_alarm_names();
	return tap_end();
}
