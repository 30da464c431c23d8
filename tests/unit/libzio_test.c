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
#include "harness.h"

#define NOBODY 65534

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
	good = zio_next(ch, &blk) == 1 && is_fake(&blk, 9, 16);
	return !zio_close(ch) && good;
}

TEST("names of a channel", make_dir)
{
	char path[2 * sizeof(dir) + 16];

	snprintf(path, sizeof(path), "%s/none:%s", dir, dir);
	setenv("ZIO_DEV_PATH", path, 1);
	fake_put_block(in_dir("zname-0000-0-1"), 9, 16, 1);
	fake_put_block(in_dir("short-2-3"), 9, 16, 1);
	fake_put_block(in_dir("a-b-00ff-2-3"), 9, 16, 1);
	ASSERT_TRUE(opens(in_dir("zname-0000-0-1-data")), "path of data node");
	ASSERT_TRUE(opens(in_dir("zname-0000-0-1-ctrl")), "path of control node");
	ASSERT_TRUE(opens(in_dir("zname-0000-0-1")), "path without suffix");
	ASSERT_TRUE(opens("zname-0000-0-1"), "name with id");
	ASSERT_TRUE(opens("zname-0-1"), "name without id");
	ASSERT_TRUE(opens("zname-0-1-ctrl"), "name without id, with suffix");
	ASSERT_TRUE(opens("short-2-3"), "short name that is there as such");
	ASSERT_TRUE(opens("a-b-00ff-2-3"), "device name with a hyphen");
}

/* Each spelling that zio_find() accepts, zio_open() accepts, too. */
TEST("names of a channel as an object has them", make_dir)
{
	static const char *const good[] = {
		"zname/0/1", "zname-0000/0/1", "zname/cset0/chan1", "zname-0000/cset0/1",
		"zname/0/1-data", "zname-0000/cset0/chan1-ctrl", "/dev/zio/zname-0-1",
		"/dev/zname-0000-0-1-ctrl", "/dev/zio/zname/0/1", "zname-0/1",
	};
	static const char *const bad[] = {
		"zname/0/", "zname/0", "zname//1", "/0/1", "zname/0/chan", "zname/chan0/1",
		"zname/0/1/2", "zname/0-1", "zname-cset0-chan1", "x/zname-0-1", "x/zname/0/1",
	};
	struct zio_error err;
	size_t i;

	setenv("ZIO_DEV_PATH", dir, 1);
	fake_put_block(in_dir("zname-0000-0-1"), 9, 16, 1);
	ASSERT_EQ(mkdir(in_dir("x"), 0755), 0);
	fake_put_block(in_dir("x/zname-0-1"), 9, 16, 1);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ASSERT_TRUE(opens(good[i]), good[i]);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ASSERT_TRUE(!zio_open(bad[i], 0, &err) && errno == ENOENT, bad[i]);
	ASSERT_TRUE(!zio_open("zname/0/2", 0, &err) && errno == ENOENT);
	ASSERT_HAS(err.text, "zname/0/2: no such channel");
}

TEST("no such channel: the reason tells where it was looked for", make_dir)
{
	struct zio_error err = { 0 };

	setenv("ZIO_DEV_PATH", dir, 1);
	ASSERT_TRUE(!zio_open("zname-0-2", 0, &err) && errno == ENOENT);
	ASSERT_TRUE(err.code == ENOENT && strstr(err.text, dir));
	ASSERT_HAS(err.text, "module");
	ASSERT_TRUE(!zio_open("zname", 0, &err) && errno == ENOENT);
	ASSERT_TRUE(!zio_open("-0-1", 0, NULL) && errno == ENOENT);
	ASSERT_TRUE(!zio_open("", 0, &err) && errno == ENOENT, "empty name");
	ASSERT_TRUE(!zio_open(in_dir("nothing-data"), 0, &err) && errno == ENOENT);
	ASSERT_HAS(err.text, "nothing-data");
}

TEST("a node without the other", make_dir)
{
	struct zio_error err = { 0 };
	struct zio_control control;

	fake_control(&control, 1, 16, 1);
	fake_put_control(stem, &control);
	ASSERT_TRUE(!zio_open(stem, 0, &err) && errno == ENOENT);
	ASSERT_HAS(err.text, "-data");
}

/* udev has made one of the two short names so far. */
TEST("the nodes of a channel come before half a pair of short names", make_dir)
{
	setenv("ZIO_DEV_PATH", dir, 1);
	fake_put_block(in_dir("zname-0000-0-1"), 9, 16, 1);
	ASSERT_EQ(symlink("zname-0000-0-1-data", in_dir("zname-0-1-data")), 0);
	ASSERT_TRUE(opens("zname-0-1"));
	ASSERT_TRUE(opens("zname-0-1-data"));
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

TEST("no permission: the reason tells mode and direction", make_dir)
{
	ASSERT_TRUE(is_denied(0, 0, "mode 0000, owner"));
	ASSERT_TRUE(is_denied(0220, 0, "this is an output channel"));
	ASSERT_TRUE(is_denied(0440, ZIO_OPEN_OUTPUT, "this is an input channel"));
}

TEST("blocks of a channel", make_dir)
{
	uint32_t seq;

	for (seq = 0; seq < 3; seq++)
		fake_put_block(stem, seq, 16 << (4 * seq), 2);
	ch = zio_open(stem, 0, NULL);
	for (seq = 0; seq < 3; seq++)
		ASSERT_TRUE(zio_next(ch, &blk) == 1 &&
			    is_fake(&blk, seq, (size_t)32 << (4 * seq)) && !blk.lost);
	ASSERT_TRUE(!zio_next(ch, &blk), "end of file");
	ASSERT_EQ(zio_stats(ch)->blocks, 3);
	ASSERT_TRUE(zio_stats(ch)->bytes == 32 + 512 + 8192 && !zio_stats(ch)->lost);
	ASSERT_STR(zio_method(ch), "read", "method");
	ASSERT_HAS(zio_data_path(ch), "-data");
	ASSERT_HAS(zio_control_path(ch), "-ctrl");
	ASSERT_FAILS(ch, zio_write_block(ch, NULL, "x", 1), EBADF, "input");
}

TEST("blocks without data", make_dir)
{
	fake_put_block(stem, 1, 0, 4);
	fake_put_block(stem, 2, 0, 0);
	fake_put_block(stem, 3, 4, 4);
	ch = zio_open(stem, 0, NULL);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && !blk.size && !blk.data);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && !blk.size && !blk.data);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 3, 16));
}

static struct zio_channel *open_with(const char *stem,
				     const struct zio_control *control)
{
	fake_put_control(stem, control);
	fake_put_data(stem, control->seq_num, 64);
	return zio_open(stem, 0, NULL);
}

TEST("controls that are refused, and one of a later version", make_dir)
{
	struct zio_control control;

	fake_control(&control, 1, 16, 1);
	control.major_version = 2;
	ch = open_with(new_stem(), &control);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTONOSUPPORT, "version 2.");
	zio_close(ch);

	fake_control(&control, 1, 16, 1);
	control.flags ^= 0x03000003;
	ch = open_with(new_stem(), &control);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "endian");
	zio_close(ch);

	fake_control(&control, 1, 16, 0);
	ch = open_with(new_stem(), &control);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "size of a sample is 0");
	zio_close(ch);

	fake_control(&control, 1, 16, 1);
	control.minor_version = 200;
	ch = open_with(new_stem(), &control);
	ASSERT_EQ(zio_next(ch, &blk), 1, "a later minor version is taken");
}

TEST("a block over the limit", make_dir)
{
	fake_put_block(stem, 1, 5000, 1);
	fake_put_block(stem, 2, 16, 1);
	ch = zio_open(stem, 0, NULL);
	zio_set_max_block(ch, 4999);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EMSGSIZE, "4999");
	ASSERT_TRUE(blk.size == 5000 && blk.control->seq_num == 1 && !blk.data);
	ASSERT_ERRNO(zio_data(ch, &blk), EMSGSIZE, "still over the limit");
	zio_set_max_block(ch, 5000);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 1, 5000));
	zio_set_max_block(ch, 16);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 16));
}

TEST("2^48 bytes", make_dir)
{
	struct zio_control control;

	fake_control(&control, 1, UINT32_MAX, UINT16_MAX);
	ch = open_with(new_stem(), &control);
	ASSERT_ERRNO(zio_next(ch, &blk), sizeof(size_t) > 4 ? EMSGSIZE : EOVERFLOW);
	zio_set_max_block(ch, SIZE_MAX);
	ASSERT_FAILS(ch, zio_data(ch, &blk), ENOMEM, "out of memory");
}

TEST("nodes that end early", make_dir)
{
	struct zio_control control;

	fake_put_block(stem, 1, 16, 1);
	fake_put_bytes(stem, "ctrl", "x", 1);
	ch = zio_open(stem, 0, NULL);
	ASSERT_EQ(zio_next(ch, &blk), 1, "block before the torn control");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EPROTO, "1 of the 512");
	zio_close(ch);

	new_stem();
	fake_control(&control, 1, 100, 1);
	ch = open_with(stem, &control);
	ASSERT_FAILS(ch, zio_next(ch, &blk), ENODATA, "64 of the 100");
}

TEST("nodes that can be opened but not read", make_dir)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s-ctrl", stem);
	mkdir(path, 0700);
	fake_put_data(stem, 1, 16);
	ch = zio_open(stem, 0, NULL);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EISDIR, "read control");
	zio_close(ch);

	new_stem();
	snprintf(path, sizeof(path), "%s-data", stem);
	mkdir(path, 0700);
	fake_put_bytes(stem, "ctrl", "", 0);
	ch = zio_open(stem, 0, NULL);
	ASSERT_TRUE(ch && !zio_next(ch, &blk), "nothing there");
	fake_put_block(stem, 1, 16, 1);
	ASSERT_FAILS(ch, zio_next(ch, &blk), EISDIR, "read data");
}

#define LARGEST_LOSS ((1u << 24) - 1)	/* while the numbers pass 2^32 */

TEST("lost blocks are counted", make_dir)
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
	size_t i;

	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		fake_put_block(stem, step[i].seq, 16, 1);
	ch = zio_open(stem, 0, NULL);
	for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		ASSERT_TRUE(zio_next(ch, &blk) == 1 && blk.lost == step[i].lost);
	ASSERT_EQ(zio_stats(ch)->lost, 9 + LARGEST_LOSS, "lost blocks in all");
}

TEST("controls first, then their data", make_dir)
{
	fake_put_block(stem, 1, 16, 1);
	fake_put_block(stem, 2, 16, 1);
	ch = zio_open(stem, 0, NULL);
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "data before a control");
	ASSERT_TRUE(zio_next_control(ch, &blk) == 1 && !blk.data && blk.size == 16);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 1, 16), "then its data");
	ASSERT_ERRNO(zio_data(ch, &blk), EINVAL, "not twice");
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 16), "next block");
}

TEST("controls alone", make_dir)
{
	struct zio_control control;

	fake_control(&control, 1, 16, 1);
	fake_put_control(stem, &control);
	fake_put_control(stem, &control);
	fake_put_bytes(in_dir("lone"), "stream.ctrl", &control, 512);
	ch = zio_open(stem, ZIO_OPEN_CONTROL_ONLY, NULL);
	ASSERT_TRUE(ch && zio_next_control(ch, &blk) == 1, "no data node needed");
	ASSERT_ERRNO(zio_data(ch, &blk), EBADF, "there are no data to read");
	ASSERT_ERRNO(zio_next(ch, &blk), EBADF, "nor so");
	ASSERT_TRUE(!zio_next_control(ch, &blk) && !zio_data_path(ch), "end of file");
	zio_close(ch);
	ch = zio_open(in_dir("lone-stream.ctrl"), ZIO_OPEN_CONTROL_ONLY, NULL);
	ASSERT_TRUE(ch && zio_next_control(ch, &blk) == 1 && zio_fd(ch) >= 0);
}

TEST("into the caller's memory", make_dir)
{
	char mem[32];

	fake_put_block(stem, 1, 32, 1);
	fake_put_block(stem, 2, 33, 1);
	ch = zio_open(stem, 0, NULL);
	ASSERT_TRUE(zio_next_into(ch, &blk, mem, sizeof(mem)) == 1 && blk.data == mem);
	ASSERT_TRUE(is_fake(&blk, 1, 32));
	ASSERT_ERRNO(zio_next_into(ch, &blk, mem, sizeof(mem)), EMSGSIZE);
	ASSERT_EQ(blk.size, 33);
	ASSERT_TRUE(zio_data(ch, &blk) == 1 && is_fake(&blk, 2, 33));
}

TEST("pieces make a block", make_dir)
{
	struct zio_control control;
	int ctrl, data, idle;
	char mem[64];

	ctrl = make_fifo_of(stem, "ctrl");
	data = make_fifo_of(stem, "data");
	ch = zio_open(stem, ZIO_OPEN_NONBLOCK, NULL);
	fake_control(&control, 1, 64, 1);
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "nothing there");
	idle = zio_fd(ch);
	fake_put_bytes(stem, "ctrl", &control, 100);
	ASSERT_TRUE(fails(zio_next(ch, &blk), EAGAIN) && zio_fd(ch) == idle);
	fake_put_bytes(stem, "ctrl", (char *)&control + 100, 412);
	ASSERT_TRUE(fails(zio_next(ch, &blk), EAGAIN) && zio_fd(ch) != idle);
	fake_put_data(stem, 1, 10);
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "piece of the data");
	ASSERT_ERRNO(zio_next_into(ch, &blk, mem, sizeof(mem)), EINVAL);
	for (size_t i = 10; i < 64; i++) {
		unsigned char byte = fake_byte(1, i);

		fake_put_bytes(stem, "data", &byte, 1);
	}
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 1, 64));
	ASSERT_EQ(zio_fd(ch), idle);
	fake_put_block(stem, 2, 16, 1);
	ASSERT_TRUE(zio_next(ch, &blk) == 1 && is_fake(&blk, 2, 16) && !blk.lost);
	close(ctrl);
	close(data);
}

TEST("a signal ends a wait", make_dir)
{
	int ctrl, data, ret;

	ctrl = make_fifo_of(stem, "ctrl");
	data = make_fifo_of(stem, "data");
	ch = zio_open(stem, 0, NULL);
	interrupt_soon(ch, 0);
	ret = zio_next(ch, &blk);
	ASSERT_TRUE(ret == -1 && (errno == EINTR || errno == EAGAIN));
	ASSERT_ERRNO(zio_next(ch, &blk), EAGAIN, "signal before waiting");
	close(ctrl);
	close(data);
}

TEST("blocks are written", make_dir)
{
	struct zio_control control, got;
	char mem[32] = "0123456789abcdef";
	char back[32];
	int ctrl, data;

	ctrl = make_fifo_of(stem, "ctrl");
	data = make_fifo_of(stem, "data");
	ch = zio_open(stem, ZIO_OPEN_OUTPUT, NULL);
	zio_control_init(&control, 8, 2);
	ASSERT_TRUE(!zio_write_block(ch, &control, mem, 16), "write a block");
	ASSERT_TRUE(read(ctrl, &got, sizeof(got)) == 512 && !memcmp(&got, &control, 512));
	ASSERT_TRUE(read(data, back, sizeof(back)) == 16 && !memcmp(mem, back, 16));
	ASSERT_TRUE(!zio_write_block(ch, NULL, mem, 5));
	ASSERT_EQ(read(data, back, sizeof(back)), 5);
	ASSERT_ERRNO(read(ctrl, &got, 1), EAGAIN);
	ASSERT_FAILS(ch, zio_write_block(ch, &control, mem, 15), EINVAL, "length");
	ASSERT_FAILS(ch, zio_write_block(ch, &control, mem, 18), EINVAL, "length");
	ASSERT_FAILS(ch, zio_next(ch, &blk), EBADF, "output");
	ASSERT_TRUE(zio_stats(ch)->blocks == 2 && zio_stats(ch)->bytes == 21);
	close(ctrl);
	close(data);
}

TEST("a written block that is larger than a pipe goes in pieces", make_dir)
{
	const size_t size = 300000;
	unsigned char *mem = malloc(size), *back = malloc(size);
	struct zio_control control;
	size_t got = 0, i, waits = 0;
	int ctrl, data;
	char rest[1024];

	ctrl = make_fifo_of(stem, "ctrl");
	data = make_fifo_of(stem, "data");
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
	ASSERT_TRUE(waits > 1 && got == size && !memcmp(mem, back, size));
	ASSERT_EQ(read(ctrl, rest, sizeof(rest)), 512, "its control went once");
	close(ctrl);
	close(data);
	free(mem);
	free(back);
}

static bool is_name(const char *name, const char *wanted)
{
	return name && !strcmp(name, wanted);
}

TEST("names of attributes", make_dir)
{
	ASSERT_STR(zio_attr_name(ZIO_ATTR_OF_CHANNEL, ZIO_ATTR_GAIN), "gain-factor");
	ASSERT_STR(zio_attr_name(ZIO_ATTR_OF_TRIGGER, ZIO_ATTR_TRIG_PRE_SAMP),
		   "pre-samples");
	ASSERT_STR(zio_attr_name(ZIO_ATTR_OF_BUFFER, ZIO_ATTR_ZBUF_MAXLEN),
		   "max-buffer-len");
	ASSERT_STR(zio_attr_name(ZIO_ATTR_OF_TRIGGER, 15), "version", "version");
	ASSERT_TRUE(!zio_attr_name(ZIO_ATTR_OF_CHANNEL, 13), "an unused index");
	ASSERT_TRUE(!zio_attr_name(ZIO_ATTR_OF_CHANNEL, 16), "an index too large");
}

TEST("names of alarms", make_dir)
{
	char text[64];
	char tiny[8];

	ASSERT_STR(zio_alarm_name(0), "lost-block");
	ASSERT_TRUE(is_name(zio_alarm_name(3), "dry") && !zio_alarm_name(4));
	ASSERT_TRUE(is_name(zio_alarm_name(5), "suspended") && !zio_alarm_name(6));
	ASSERT_EQ(zio_alarm_text(0x83, text, sizeof(text)), 28);
	ASSERT_STR(text, "lost-block,lost-trigger,bit7");
	ASSERT_TRUE(!zio_alarm_text(0, text, sizeof(text)) && !*text, "no alarm");
	ASSERT_EQ(zio_alarm_text(0x83, tiny, sizeof(tiny)), 28);
	ASSERT_STR(tiny, "lost-bl");
	ASSERT_EQ(zio_alarm_text(0x83, NULL, 0), 28, "length alone");
}
