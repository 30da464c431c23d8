// SPDX-License-Identifier: GPL-2.0-only
/*
 * tap_test.c: a tap shows the blocks of an input, and takes none
 *
 * Set 2 counts samples of 32 bits from 0: as long as the channel loses no block, the
 * samples of a block follow from its sequence number.
 */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "board.h"
#include "harness.h"
#include "ring.h"

#define IN	ZZERO "-2-0"
#define CHAN	CSET2 "/chan0"
#define SAMPLES	CSET2 "/trigger/nsamples"
#define TAP_COPY "/sys/module/zio/parameters/tap_copy"
#define MOST	1100000 /* bytes of the largest block here, with its control */

static uint8_t stream[MOST];
static size_t per_block = 16; /* samples that the set acquires for each block */

/* The area is made large enough before. */
static void use_samples(size_t n)
{
	per_block = n;
	set_number(SAMPLES, n);
}

SETUP(fresh)
{
	renew_zzero();
	load("zio-trig-sysfs");
	write_text(CSET2 "/current_buffer", value ?: "vmalloc");
	write_text(CSET2 "/current_trigger", "sysfs");
}

/* Each read acquires a block, at full speed. */
SETUP(on_demand)
{
	renew_zzero();
	write_text(CSET2 "/current_buffer", value ?: "vmalloc");
}

static void fire(unsigned int n)
{
	while (n--)
		write_text(CSET2 "/trigger/fire", "1");
}

/* Check one block at the beginning of the memory. Return: its bytes, with the control */
static size_t check_block(const uint8_t *mem, size_t n, struct zio_control *ctrl)
{
	size_t i, size;

	ASSERT_TRUE(n >= sizeof(*ctrl));
	memcpy(ctrl, mem, sizeof(*ctrl));
	size = (size_t)ctrl->nsamples * ctrl->ssize;
	ASSERT_EQ(ctrl->ssize, 4);
	ASSERT_TRUE(n >= sizeof(*ctrl) + size);
	for (i = 0; i < ctrl->nsamples; i++) {
		uint32_t sample;

		memcpy(&sample, mem + sizeof(*ctrl) + 4 * i, 4);
		if (sample != ctrl->seq_num * per_block + i)
			FAIL("block %u: sample %zu is %u", ctrl->seq_num, i, sample);
	}
	return sizeof(*ctrl) + size;
}

/* One block, by one read with room for it. Return: its sequence number */
static uint32_t read_block(int tap, size_t nsamples)
{
	size_t size = sizeof(struct zio_control) + 4 * nsamples;
	struct zio_control ctrl;

	ASSERT_TRUE(size <= MOST);
	ASSERT_EQ(read(tap, stream, size), size);
	ASSERT_EQ(check_block(stream, size, &ctrl), size);
	return ctrl.seq_num;
}

/* The reader gets the next block of the channel, @seq, whole. */
static void expect_reader(struct pair in, uint32_t seq)
{
	struct zio_control ctrl = read_control(in.ctrl);
	size_t size = (size_t)ctrl.nsamples * 4;

	ASSERT_EQ(ctrl.seq_num, seq);
	memcpy(stream, &ctrl, sizeof(ctrl));
	ASSERT_EQ(read(in.data, stream + sizeof(ctrl), size), size);
	check_block(stream, sizeof(ctrl) + size, &ctrl);
}

TEST_EACH("tap and reader both get each block, with the buffer %s", fresh, "kmalloc",
	  "vmalloc")
{
	struct pair in = open_pair(IN, O_RDONLY | O_NONBLOCK);
	int tap = open_tap(IN, O_NONBLOCK), i;

	ASSERT_ERRNO(read(tap, stream, MOST), EAGAIN);
	ASSERT_EQ(poll_events(tap, POLLIN, 0), 0);
	for (i = 0; i < 200; i++) {
		fire(1);
		ASSERT_EQ(poll_events(tap, POLLIN, 0), POLLIN);
		ASSERT_EQ(read_block(tap, 16), i);
		ASSERT_EQ(poll_events(tap, POLLIN, 0), 0);
		expect_reader(in, i);
	}
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 0);
	close(tap);
	close_pair(in);
}

TEST("a tap sees blocks that came between its reads, one by each read", fresh)
{
	int tap = open_tap(IN, O_NONBLOCK);
	struct zio_control ctrl;
	uint32_t seq;

	fire(20);
	for (seq = 0; seq < 20; seq++) {
		ASSERT_EQ(read(tap, stream, MOST), 576);
		check_block(stream, 576, &ctrl);
		ASSERT_EQ(ctrl.seq_num, seq);
	}
	ASSERT_ERRNO(read(tap, stream, MOST), EAGAIN);
	close(tap);
}

TEST_EACH("a tap that is late goes on with a newer block, with the buffer %s", fresh,
	  "kmalloc", "vmalloc")
{
	struct pair in = open_pair(IN, O_RDONLY | O_NONBLOCK);
	int tap = open_tap(IN, O_NONBLOCK), late = open_tap(IN, O_NONBLOCK), i;

	for (i = 0; i < 300; i++) {
		fire(1);
		expect_reader(in, i);
		ASSERT_EQ(read_block(tap, 16), i);
	}
	ASSERT_EQ(read_block(late, 16), 299);
	ASSERT_ERRNO(read(late, stream, MOST), EAGAIN);
	fire(1);
	ASSERT_EQ(read_block(late, 16), 300);
	ASSERT_EQ(read_number(CHAN "/statistics/taps"), 2);
	close(tap);
	ASSERT_EQ(read_number(CHAN "/statistics/taps"), 1);
	close(late);
	ASSERT_EQ(read_number(CHAN "/statistics/taps"), 0);
	close_pair(in);
}

TEST_EACH("without a reader a tap goes on seeing new blocks, with the buffer %s", fresh,
	  "kmalloc", "vmalloc")
{
	unsigned int len = read_number(CHAN "/buffer/max-buffer-len"), i;
	int tap = open_tap(IN, O_NONBLOCK), fd;

	for (i = 0; i < len + 10; i++) {
		fire(1);
		ASSERT_EQ(read_block(tap, 16), i);
	}
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 10);
	fd = open_node(IN, "ctrl", O_RDONLY);
	fire(1);
	ASSERT_ERRNO(read(tap, stream, MOST), EAGAIN);
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 11);
	ASSERT_EQ(read_control(fd).seq_num, 10);
	close(fd);
	close(tap);
	/* The block of the reader has made room for one. */
	ASSERT_EQ(read_number(CHAN "/statistics/flushed"), 1);
	fire(2);
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 12);
}

/* kmalloc: one copy waits, and no block is copied until a tap has taken it. */
TEST("a tap of copies gets the block after the one that it took last", fresh)
{
	int tap;

	write_text(CSET2 "/current_buffer", "kmalloc");
	tap = open_tap(IN, O_NONBLOCK);
	fire(10);
	ASSERT_EQ(read_block(tap, 16), 0);
	ASSERT_ERRNO(read(tap, stream, MOST), EAGAIN);
	fire(1);
	ASSERT_EQ(read_block(tap, 16), 10);
	close(tap);
}

TEST_EACH("a read of a part keeps the block in the file, with the buffer %s", fresh,
	  "kmalloc", "vmalloc")
{
	struct pair in = open_pair(IN, O_RDONLY | O_NONBLOCK);
	int tap = open_tap(IN, O_NONBLOCK);
	struct zio_control ctrl;
	uint8_t block[576];
	size_t at;
	int i;

	fire(1);
	for (at = 0; at < 100; at += 10)
		ASSERT_EQ(read(tap, block + at, 10), 10);
	expect_reader(in, 0);
	for (i = 1; i < 3000; i++) {
		fire(1);
		expect_reader(in, i);
	}
	ASSERT_EQ(poll_events(tap, POLLIN, 0), POLLIN);
	ASSERT_EQ(read(tap, block + 100, 476), 476);
	check_block(block, 576, &ctrl);
	ASSERT_EQ(ctrl.seq_num, 0);
	ASSERT_EQ(read(tap, stream, 576), 576);
	check_block(stream, 576, &ctrl);
	ASSERT_EQ(ctrl.seq_num, *value == 'k' ? 1 : 2999);
	close(tap);
	close_pair(in);
}

TEST("a bad address loses no block", fresh)
{
	int tap = open_tap(IN, O_NONBLOCK);

	fire(1);
	ASSERT_ERRNO(read(tap, (void *)4096, 4096), EFAULT);
	ASSERT_EQ(read_block(tap, 16), 0);
	close(tap);
}

TEST("splice() of a tap is a read()", fresh)
{
	int tap = open_tap(IN, O_NONBLOCK), ends[2];
	struct zio_control ctrl;

	ASSERT_EQ(pipe(ends), 0);
	ASSERT_ERRNO(splice(tap, NULL, ends[1], NULL, MOST, 0), EAGAIN);
	fire(1);
	ASSERT_EQ(splice(tap, NULL, ends[1], NULL, MOST, 0), 576);
	ASSERT_EQ(read(ends[0], stream, MOST), 576);
	check_block(stream, 576, &ctrl);
	close(tap);
}

/* A process reads at full speed, and writes how many blocks it has read. */
static pid_t start_recorder(unsigned int *blocks)
{
	pid_t pid = fork_child();
	struct pair in;
	uint32_t seq = 0;

	if (pid)
		return pid;
	in = open_pair(IN, O_RDONLY);
	for (;;) {
		expect_reader(in, seq++);
		set(blocks, seq);
	}
}

/* Taps read blocks of many sizes, while their memory is filled again and again. */
TEST_EACH("no tap sees an overwritten block: %s", NULL, "vmalloc 16 128", "vmalloc 1000 128",
	  "vmalloc 8000 128", "vmalloc 16384 128", "vmalloc 20000 128",
	  "vmalloc 250000 2000", "kmalloc 16 0", "kmalloc 4000 0")
{
	unsigned int *blocks = share_memory(sizeof(*blocks)), got = 0, begin, rounds;
	unsigned int nsamples, kb;
	struct zio_control ctrl;
	char type[16];
	uint32_t last = 0, missed = 0;
	int tap[2];

	ASSERT_EQ(sscanf(value, "%15s %u %u", type, &nsamples, &kb), 3);
	on_demand(type);
	if (kb)
		set_number(CHAN "/buffer/max-buffer-kb", kb);
	use_samples(nsamples);
	tap[0] = open_tap(IN, 0);
	tap[1] = open_tap(IN, 0);
	start_recorder(blocks);
	rounds = is_debug_kernel() ? 50 : 500;
	begin = get(blocks);
	while (got < rounds || get(blocks) - begin < rounds) {
		size_t n = read(tap[got & 1], stream, 512 + 4 * nsamples);

		ASSERT_EQ(check_block(stream, n, &ctrl), n);
		if (got && ctrl.seq_num - last <= INT32_MAX)
			missed += ctrl.seq_num - last;
		last = ctrl.seq_num;
		got++;
	}
	diag("%u blocks seen, %u of %u passed over", got, missed, get(blocks));
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 0);
}

/* Blocks come while each tap begins. With the buffer kmalloc, it must ask for one of them. */
TEST_EACH("a tap that begins between blocks sees the next ones, with the buffer %s", on_demand,
	  "kmalloc", "vmalloc")
{
	unsigned int *blocks = share_memory(sizeof(*blocks)), seen, tries;
	unsigned int rounds = is_debug_kernel() ? 30 : 300;

	start_recorder(blocks);
	while (rounds--) {
		int tap = open_tap(IN, O_NONBLOCK);

		for (tries = 0; read(tap, stream, MOST) != 576; tries++) {
			ASSERT_TRUE(tries < 100);
			seen = get(blocks);
			while (get(blocks) == seen)
				sched_yield();
		}
		close(tap);
	}
}

TEST("a long block without an area is cut, and says so", fresh)
{
	struct zio_control ctrl;
	int tap;

	write_text(CSET2 "/current_buffer", "kmalloc");
	set_number(SAMPLES, 20000);
	tap = open_tap(IN, O_NONBLOCK);
	fire(1);
	ASSERT_EQ(read(tap, stream, MOST), 512 + 65536);
	memcpy(&ctrl, stream, sizeof(ctrl));
	ASSERT_EQ(ctrl.nsamples, 16384);
	ASSERT_TRUE(ctrl.flags & ZIO_CONTROL_CUT);
	ASSERT_TRUE(!memcmp(stream + 512 + 65532, &(uint32_t){ 16383 }, 4));
	set_number(SAMPLES, 16);
	fire(1);
	ASSERT_EQ(read(tap, stream, MOST), 576);
	memcpy(&ctrl, stream, sizeof(ctrl));
	ASSERT_TRUE(!(ctrl.flags & ZIO_CONTROL_CUT));
	close(tap);
}

/* @value: the parameter, and the bytes of a block of 80000 bytes that a tap shows */
TEST_EACH("the parameter tap_copy limits later taps, and has limits: %s", NULL,
	  "8192 8192", "0 512", "131072 80000")
{
	unsigned int limit, shown;
	struct zio_control ctrl;
	int tap;

	ASSERT_EQ(sscanf(value, "%u %u", &limit, &shown), 2);
	fresh("kmalloc");
	set_number(SAMPLES, 20000);
	set_number(TAP_COPY, limit);
	tap = open_tap(IN, O_NONBLOCK);
	set_number(TAP_COPY, 65536);
	fire(1);
	ASSERT_EQ(read(tap, stream, MOST), 512 + shown);
	memcpy(&ctrl, stream, sizeof(ctrl));
	ASSERT_EQ(ctrl.nsamples, shown / 4);
	ASSERT_EQ(!!(ctrl.flags & ZIO_CONTROL_CUT), shown < 80000);
	close(tap);
}

TEST("a whole block of an area is shown, however long", fresh)
{
	int tap;

	set_number(CHAN "/buffer/max-buffer-kb", 2000);
	use_samples(250000);
	tap = open_tap(IN, O_NONBLOCK);
	fire(1);
	ASSERT_EQ(read_block(tap, 250000), 0);
	close(tap);
}

TEST("the owner of a ring loses nothing by a tap", fresh)
{
	struct ring r = open_ring(IN);
	int tap = open_tap(IN, O_NONBLOCK);
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		fire(1);
		ASSERT_EQ(read_block(tap, 16), i);
		ASSERT_EQ(next_block(&r)->seq_num, i);
		release_block(&r);
	}
	ASSERT_EQ(r.hdr->lost, 0);
	close(tap);
	close_ring(&r);
}

TEST("a tap sees the input of a route", NULL)
{
	int tap;

	renew_zzero_and_loops("vmalloc kmalloc");
	load("zio-trig-sysfs");
	/* The route fires a trigger on demand, until the output is full. */
	write_text(CSET2 "/current_trigger", "sysfs");
	write_text("/sys/bus/zio/devices/zloop-0000/cset0/chan0/buffer/source",
		   "zzero-0000-2-0");
	tap = open_tap(IN, O_NONBLOCK);
	fire(3);
	ASSERT_EQ(read_block(tap, 16), 0);
	ASSERT_EQ(read_block(tap, 16), 1);
	ASSERT_EQ(read_block(tap, 16), 2);
	close(tap);
	write_text("/sys/bus/zio/devices/zloop-0000/cset0/chan0/buffer/source", "\n");
}

/* Nobody can have it whole: it is dropped and counted, and the next block tells. */
TEST("a block that a reader has left in part is dropped, and the next one tells", fresh)
{
	struct pair other;
	struct zio_control ctrl;
	uint32_t sample;
	int fd;

	write_text(CHAN "/alarms", "0xffff");
	fd = open_node(IN, "data", O_RDONLY | O_NONBLOCK);
	fire(2);
	ASSERT_EQ(read(fd, &sample, 4), 4);
	ASSERT_EQ(sample, 0);
	close(fd);
	ASSERT_EQ(read_number(CHAN "/statistics/flushed"), 1);
	ASSERT_EQ(read_number(CHAN "/alarms"), ZIO_ALARM_LOST_BLOCK);
	other = open_pair(IN, O_RDONLY | O_NONBLOCK);
	ctrl = read_control(other.ctrl);
	ASSERT_EQ(ctrl.seq_num, 1);
	ASSERT_EQ(ctrl.nsamples, 16);
	ASSERT_EQ(ctrl.zio_alarms, ZIO_ALARM_LOST_BLOCK);
	ASSERT_EQ(read(other.data, &sample, 4), 4);
	ASSERT_EQ(sample, 16);
	close_pair(other);
}

/* A reader leaves a block of which it has read the control alone, the oldest one. */
static void leave_one_and_fill(bool has_tap)
{
	int fd = open_node(IN, "ctrl", O_RDONLY | O_NONBLOCK), tap = -1;
	unsigned int len = read_number(CHAN "/buffer/max-buffer-len");
	struct zio_control ctrl;

	fire(3);
	ctrl = read_control(fd);
	ASSERT_EQ(ctrl.seq_num, 0);
	if (has_tap)
		tap = open_tap(IN, O_NONBLOCK);
	close(fd);
	if (!has_tap)
		write_text(CHAN "/buffer/prefer-new", "1");
	fire(len + 10);
	ASSERT_EQ(read_number(CHAN "/statistics/blocks"), len + 13);
	close(tap);
	fd = open_node(IN, "ctrl", O_RDONLY | O_NONBLOCK);
	ctrl = read_control(fd);
	ASSERT_EQ(ctrl.seq_num, 13);
	ASSERT_EQ(ctrl.zio_alarms, ZIO_ALARM_LOST_BLOCK);
	close(fd);
}

TEST("what a reader has left is not in the way of prefer-new", fresh)
{
	leave_one_and_fill(false);
}

TEST_EACH("a flush of a tap skips what is there, with the buffer %s", fresh, "kmalloc",
	  "vmalloc")
{
	int tap = open_tap(IN, O_NONBLOCK);

	fire(5);
	ASSERT_EQ(read(tap, stream, 10), 10);
	ASSERT_EQ(ioctl(tap, ZIO_IOC_FLUSH), 0);
	ASSERT_ERRNO(read(tap, stream, MOST), EAGAIN);
	fire(1);
	ASSERT_EQ(read_block(tap, 16), 5);
	ASSERT_EQ(read_number(CHAN "/statistics/flushed"), 0);
	ASSERT_EQ(read_number(CHAN "/buffer/queued-buffer-len"), 6);
	close(tap);
}

TEST("what a tap cannot be", fresh)
{
	int ctrl = open_node(IN, "ctrl", O_RDONLY), tap = open_tap(IN, O_NONBLOCK);
	int out = open_node(ZZERO "-1-0", "data", O_RDWR);

	ASSERT_ERRNO(ioctl(ctrl, ZIO_IOC_TAP), EINVAL);
	ASSERT_ERRNO(ioctl(out, ZIO_IOC_TAP), EINVAL);
	ASSERT_ERRNO(ioctl(tap, ZIO_IOC_TAP), ENOTTY);
	ASSERT_ERRNO(ioctl(tap, ZIO_IOC_DMABUF, stream), ENOTTY);
	ASSERT_ERRNO(ioctl(out, ZIO_IOC_SHARE, &tap), EINVAL);
	ASSERT_EQ(read(tap, stream, 0), 0);
	close(ctrl);
	close(out);
	close(tap);
}

TEST("a tap sleeps for a block, and a signal ends the sleep", fresh)
{
	int tap = open_tap(IN, 0), status;
	pid_t pid = fork_child();

	if (!pid) {
		ASSERT_EQ(read_block(tap, 16), 0);
		ASSERT_EQ(read(tap, stream, MOST), 0);
		_exit(1);
	}
	wait_for(10, task_state(pid) == 'S');
	fire(1);
	wait_for(10, task_state(pid) == 'S');
	kill(pid, SIGTERM);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFSIGNALED(status));
	close(tap);
}

TEST_EACH("a tap of a board that is gone, with the buffer %s", fresh, "kmalloc", "vmalloc")
{
	int tap = open_tap(IN, 0), rest = open_tap(IN, 0);
	pid_t pid = fork_child();

	if (!pid) {
		ASSERT_ERRNO(read(tap, stream, MOST), ENODEV);
		_exit(0);
	}
	wait_for(10, task_state(pid) == 'S');
	unbind_board("zio-zero", 0);
	wait_children(1);
	ASSERT_EQ(poll_events(tap, POLLIN, 0), POLLHUP | POLLERR);
	ASSERT_ERRNO(read(rest, stream, MOST), ENODEV);
	ASSERT_ERRNO(ioctl(rest, ZIO_IOC_FLUSH), ENODEV);
	close(tap);
	close(rest);
}
