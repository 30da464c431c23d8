// SPDX-License-Identifier: GPL-2.0-only
/*
 * basic_test.c: controls and data, in order and together
 *
 * # check
 * # not kasan: it compares values; map_test, change_test and life_test take the same ways
 */
#include <time.h>

#include "board.h"
#include "harness.h"

#define ZEROS	ZZERO "-0-0"
#define RANDOM	ZZERO "-0-1"
#define SAW	ZZERO "-0-2"
#define OUT	ZZERO "-1-0"
#define COUNTER	ZZERO "-2-0"
#define NSAMPLES 16

SETUP(fresh)
{
	renew_zzero();
}

/* Only channel 2 of cset0 acquires. */
SETUP(saw_alone)
{
	renew_zzero();
	write_text(CSET0 "/chan0/enable", "0");
	write_text(CSET0 "/chan1/enable", "0");
}

static struct zio_control next_control(const char *prefix)
{
	int fd = open_node(prefix, "ctrl", O_RDONLY);
	struct zio_control ctrl = read_control(fd);

	close(fd);
	return ctrl;
}

static void read_data(const char *prefix, void *buf, size_t size)
{
	int fd = open_node(prefix, "data", O_RDONLY);

	ASSERT_EQ(read(fd, buf, size), size);
	close(fd);
}

TEST("the control of the first block describes it", fresh)
{
	struct zio_control ctrl = next_control(COUNTER);

	ASSERT_EQ(ctrl.seq_num, 0);
	ASSERT_EQ(ctrl.major_version, 1);
	ASSERT_EQ(ctrl.minor_version, 5);
	ASSERT_EQ(ctrl.nsamples, 16);
	ASSERT_EQ(ctrl.ssize, 4);
	ASSERT_EQ(ctrl.nbits, 32);
	ASSERT_EQ(ctrl.zio_alarms, 0);
	ASSERT_EQ(ctrl.drv_alarms, 0);
	/* Little endian, aligned low. */
	ASSERT_EQ(ctrl.flags, 0x1000009);
	ASSERT_EQ(strcmp(ctrl.triggername, "user"), 0);
	ASSERT_TRUE(ctrl.tstamp.secs + 600 > (uint64_t)time(NULL));
	ASSERT_TRUE(ctrl.tstamp.secs <= (uint64_t)time(NULL));
}

static void check_address(const char *prefix, unsigned int cset, unsigned int chan)
{
	struct zio_control ctrl = next_control(prefix);

	ASSERT_EQ(strcmp(ctrl.addr.devname, "zzero"), 0);
	ASSERT_EQ(ctrl.addr.dev_id, 0);
	ASSERT_EQ(ctrl.addr.cset, cset);
	ASSERT_EQ(ctrl.addr.chan, chan);
}

TEST("the control has the address of the channel", fresh)
{
	check_address(COUNTER, 2, 0);
	check_address(RANDOM, 0, 1);
	ASSERT_EQ(next_control(RANDOM).ssize, 1);
}

TEST("the control has the attributes of trigger and channel", fresh)
{
	struct zio_control ctrl = next_control(COUNTER);

	/* nshots, post- and pre-samples; lost, missed, epoch */
	ASSERT_EQ(ctrl.attr_trigger.std_mask, 0x1c07);
	ASSERT_EQ(ctrl.attr_trigger.std_val[0], 1);
	ASSERT_EQ(ctrl.attr_trigger.std_val[1], 16);
	ASSERT_EQ(ctrl.attr_trigger.std_val[2], 0);
	ASSERT_EQ(ctrl.attr_channel.std_mask, 0x6);
	ASSERT_EQ(ctrl.attr_channel.ext_mask, 0x1);
}

TEST("numbers count, also over an unread block and the close of its reader", fresh)
{
	char buf[64];

	ASSERT_EQ(next_control(COUNTER).seq_num, 0);
	read_data(COUNTER, buf, sizeof(buf));
	ASSERT_EQ(next_control(COUNTER).seq_num, 1);
}

TEST("attributes read back, and show in the control and in the data", fresh)
{
	struct zio_control ctrl;
	int32_t sample[2];

	ASSERT_EQ(read_number(CSET2 "/chan0/gain-factor"), 1000);
	write_text(CSET2 "/chan0/gain-factor", "2500");
	write_text(CSET2 "/chan0/offset", "7");
	write_text(CSET2 "/chan0/sequence", "1000");
	ASSERT_EQ(read_number(CSET2 "/chan0/gain-factor"), 2500);
	ASSERT_EQ(read_number(CSET2 "/chan0/offset"), 7);
	ASSERT_EQ(read_number(CSET2 "/chan0/sequence"), 1000);
	ctrl = next_control(COUNTER);
	ASSERT_EQ(ctrl.attr_channel.std_val[1], 2500);
	ASSERT_EQ(ctrl.attr_channel.std_val[2], 7);
	ASSERT_EQ(ctrl.attr_channel.ext_val[0], 1000);
	read_data(COUNTER, sample, sizeof(sample));
	ASSERT_EQ(sample[0], 2507);
	ASSERT_EQ(sample[1], 2509);
}

TEST("one channel has zeros and another random bytes", fresh)
{
	uint8_t buf[64];
	int i, differ = 0;

	read_data(ZEROS, buf, sizeof(buf));
	for (i = 0; i < 64; i++)
		ASSERT_EQ(buf[i], 0);
	read_data(RANDOM, buf, sizeof(buf));
	for (i = 1; i < 64; i++)
		differ += buf[i] != buf[0];
	ASSERT_TRUE(differ);
}

TEST_EACH("a sawtooth in reads of %s bytes", saw_alone,
	  "1", "3", "7", "15", "16", "17", "1000", "60000")
{
	read_sawtooth(SAW "-data", atoi(value));
}

TEST("dd reads as many bytes as it asks for", saw_alone)
{
	run("test $(dd if=" SAW "-data bs=1000 count=3 2>/dev/null | wc -c) = 3000");
}

static void check_counter_block(struct pair pair, struct zio_control *ctrl)
{
	uint32_t sample[NSAMPLES + 1];
	uint32_t i;

	*ctrl = read_control(pair.ctrl);
	ASSERT_EQ(ctrl->nsamples, NSAMPLES);
	ASSERT_EQ(ctrl->ssize, 4);
	/* The end of the block ends the read. */
	ASSERT_EQ(read(pair.data, sample, sizeof(sample)), NSAMPLES * 4);
	for (i = 0; i < NSAMPLES; i++)
		ASSERT_EQ(sample[i], ctrl->seq_num * NSAMPLES + i);
}

TEST("the data are those of the control that was read before", fresh)
{
	struct pair pair = open_pair(COUNTER, O_RDONLY);
	struct zio_control ctrl;
	uint32_t first = 0;
	int i;

	for (i = 0; i < 50; i++) {
		check_counter_block(pair, &ctrl);
		if (!i)
			first = ctrl.seq_num;
		ASSERT_EQ(ctrl.seq_num, first + i);
	}
}

static void pair_many(const char *prefix, int n)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	struct zio_control ctrl;
	uint32_t last = 0;
	int i;

	for (i = 0; i < n; i++) {
		check_counter_block(pair, &ctrl);
		ASSERT_TRUE(!i || ctrl.seq_num > last);
		last = ctrl.seq_num;
	}
	_exit(0);
}

TEST("two readers get pairs of control and data", fresh)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!fork())
			pair_many(COUNTER, 200);
	wait_children(2);
}

TEST("without controls, a read continues over the ends of blocks", fresh)
{
	int data = open_node(ZEROS, "data", O_RDONLY);
	int feed = open_node(SAW, "data", O_RDONLY);
	uint8_t buf[NSAMPLES * 4];
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(read(feed, buf, NSAMPLES), NSAMPLES);
	ASSERT_EQ(read(data, buf, sizeof(buf)), sizeof(buf));
}

TEST("several controls in one read", fresh)
{
	struct pair pair = open_pair(ZEROS, O_RDONLY);
	int feed = open_node(SAW, "data", O_RDONLY);
	struct zio_control ctrl[5];
	uint8_t buf[5 * NSAMPLES];
	uint32_t seq;
	int i;

	seq = read_control(pair.ctrl).seq_num;
	for (i = 0; i < 8; i++)
		ASSERT_EQ(read(feed, buf, NSAMPLES), NSAMPLES);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(read_control(pair.ctrl).seq_num, ++seq);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(read(feed, buf, NSAMPLES), NSAMPLES);
	ASSERT_EQ(read(pair.ctrl, ctrl, 4 * 512 + 511), 4 * 512);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(ctrl[i].seq_num, ++seq);
	/* The read ends with the data of the four blocks. */
	ASSERT_EQ(read(pair.data, buf, sizeof(buf)), 4 * NSAMPLES);
	/* Seven were queued: three are left, and one is acquired. */
	ASSERT_EQ(read(pair.ctrl, ctrl, 4 * 512), 4 * 512);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(ctrl[i].seq_num, ++seq);
	/* The next controls release the data that were not read. */
	ASSERT_EQ(read(pair.data, buf, 3), 3);
	ASSERT_EQ(read(pair.ctrl, ctrl, 2 * 512), 2 * 512);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(ctrl[i].seq_num, ++seq);
	ASSERT_EQ(read(pair.data, buf, sizeof(buf)), 2 * NSAMPLES);
}

TEST("the next control releases data that were not read", fresh)
{
	struct pair pair = open_pair(COUNTER, O_RDONLY);
	struct zio_control ctrl;
	uint32_t sample[2];
	uint32_t seq;

	check_counter_block(pair, &ctrl);
	seq = read_control(pair.ctrl).seq_num;
	ASSERT_EQ(read(pair.data, sample, 8), 8);
	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(ctrl.seq_num, seq + 1);
	ASSERT_EQ(read(pair.data, sample, 4), 4);
	ASSERT_EQ(sample[0], ctrl.seq_num * NSAMPLES);
	/* Data first, then the control of the same block. */
	ASSERT_EQ(read_control(pair.ctrl).seq_num, seq + 2);
	ASSERT_EQ(read(pair.data, sample, 4), 4);
	ASSERT_EQ(sample[0], (seq + 2) * NSAMPLES);
}

static struct zio_control output_control(uint32_t nsamples)
{
	struct zio_control ctrl = {
		.major_version = ZIO_MAJOR_VERSION,
		.minor_version = ZIO_MINOR_VERSION,
		.nsamples = nsamples,
		.ssize = 1,
	};

	return ctrl;
}

TEST("a control with 5 samples, and its data, are a block of 5", fresh)
{
	struct pair pair = open_pair(OUT, O_WRONLY);
	unsigned int n = 5;
	struct zio_control ctrl = output_control(n);
	char buf[4096] = { 0 };

	ASSERT_TRUE(n <= sizeof(buf));
	ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	ASSERT_EQ(write(pair.data, buf, n), n);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/blocks"), 1);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/bytes"), 5);
}

TEST("readv() over several parts", saw_alone)
{
	int fd = open_file(SAW "-data", O_RDONLY);
	uint8_t a[5], b[7], c[9], next;
	struct iovec iov[3] = { { a, 5 }, { b, 7 }, { c, 9 } };
	int i, j, round;
	ssize_t n, got = 0;

	ASSERT_TRUE((n = read(fd, &next, 1)) == 1);
	for (round = 0; round < 20; round++) {
		n = readv(fd, iov, 3);
		ASSERT_TRUE(n > 0);
		got += n;
		for (i = 0; i < 3 && n > 0; i++)
			for (j = 0; j < (int)iov[i].iov_len && n-- > 0; j++)
				ASSERT_EQ(((uint8_t *)iov[i].iov_base)[j],
					  ++next);
	}
	ASSERT_TRUE(got > 100);
}

static void check_played(unsigned long blocks, unsigned long bytes)
{
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/blocks"), blocks);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/bytes"), bytes);
	ASSERT_EQ(read_number(CSET1 "/chan0/statistics/lost_blocks"), 0);
	ASSERT_EQ(read_number(CSET1 "/statistics/fired"), blocks);
}

TEST("an output plays blocks of any write, and the rest at the close", fresh)
{
	static char buf[160];
	int fd = open_node(OUT, "data", O_WRONLY), i;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(write(fd, buf, 16), 16);
	check_played(10, 160);
	ASSERT_EQ(write(fd, buf, 160), 160);
	check_played(20, 320);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(write(fd, buf, 7), 7);
	close(fd);
	check_played(22, 341);
}
