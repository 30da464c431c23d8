// SPDX-License-Identifier: GPL-2.0-only
/*
 * interleaved_test.c: boards that configfs makes: interleaved, slow, asleep, stuck
 *
 * # check
 */
#include <sys/stat.h>

#include "board.h"
#include "hammer.h"
#include "harness.h"

#define RACK	ZIO_CONFIG "/devices/zzero/rack1"
#define SYS	"/sys/bus/zio/devices/zzero-0009/cset0"
#define NODE	"/dev/zio/zzero-0009-0-0"
#define ALIAS	"/dev/zio/zzero-0009-0-i"

static void make_rack(void)
{
	rmdir(RACK);
	ASSERT_EQ(mkdir(RACK, 0755), 0);
	write_text(RACK "/id", "9");
}

/* Five channels of 16 bits in one block. */
SETUP(interleaved)
{
	make_rack();
	write_text(RACK "/channels", "5");
	write_text(RACK "/ssize", "2");
	write_text(RACK "/pattern", "sawtooth");
	write_text(RACK "/interleaved", "1");
	write_text(RACK "/live", "1");
}

/* A block has an interleaved sawtooth of @n channels. */
static void check_frames(unsigned int n, uint64_t expected_mask, uint32_t nsamples)
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	unsigned int i, bytes;
	uint16_t sample[4096];
	uint64_t mask;

	ASSERT_TRUE(ctrl.flags & ZIO_CONTROL_INTERLEAVE_DATA);
	ASSERT_EQ(ctrl.tlv[0].type, ZIO_TLV_CHANNELS);
	ASSERT_EQ(ctrl.tlv[0].length, 1);
	memcpy(&mask, ctrl.tlv[0].payload, sizeof(mask));
	ASSERT_EQ(__builtin_popcountll(mask), n);
	bytes = ctrl.nsamples * ctrl.ssize;
	ASSERT_EQ(read(pair.data, sample, sizeof(sample)), bytes);
	ASSERT_EQ(ctrl.nsamples % n, 0);
	for (i = n; i < ctrl.nsamples; i++)
		ASSERT_EQ(sample[i], (uint16_t)(sample[i - n] + 1));
	ASSERT_EQ(mask, expected_mask);
	ASSERT_EQ(ctrl.nsamples, nsamples);
	close_pair(pair);
}

static void check_read_error(int code)
{
	int fd = open_file(NODE "-data", O_RDONLY);
	char sample[16];

	ASSERT_ERRNO(read(fd, sample, sizeof(sample)), code);
	close(fd);
}

TEST("five channels are one channel whose blocks interleave them", interleaved)
{
	ASSERT_TRUE(exists(SYS "/chan0"));
	ASSERT_TRUE(!exists(SYS "/chan1/buffer"));
	ASSERT_TRUE(!exists("/dev/zio/zzero-0009-0-1-ctrl"));
	check_frames(5, 0x1f, 80);
}

/* One process has one session, whatever names its nodes have. */
TEST("a program for ZIO 1.x finds the channel by its name there", interleaved)
{
	struct pair pair = {
		.ctrl = open_file(ALIAS "-ctrl", O_RDONLY),
		.data = open_file(NODE "-data", O_RDONLY),
	};
	struct zio_control ctrl = read_control(pair.ctrl);
	uint16_t sample[80];

	ASSERT_EQ(ctrl.addr.chan, 0);
	ASSERT_TRUE(ctrl.flags & ZIO_CONTROL_INTERLEAVE_DATA);
	ASSERT_EQ(read(pair.data, sample, sizeof(sample)), 160);
	close_pair(pair);
	pair.data = open_file(ALIAS "-data", O_RDONLY);
	ASSERT_EQ(read(pair.data, sample, sizeof(sample)), 160);
	close(pair.data);
	ASSERT_EQ(read_number(SYS "/chani/statistics/blocks"), 2);
	write_text(SYS "/chani/buffer/max-buffer-len", "20");
	ASSERT_EQ(read_number(SYS "/chan0/buffer/max-buffer-len"), 20);
	write_text(RACK "/live", "0");
	ASSERT_TRUE(!exists(ALIAS "-data"));
}

/* A file that is open when the board goes returns ENODEV, by either name. */
TEST("the second names go with the board", interleaved)
{
	struct pair pair = open_pair(ALIAS, O_RDONLY);
	char sample[2];

	write_text(RACK "/live", "0");
	ASSERT_ERRNO(read(pair.data, sample, sizeof(sample)), ENODEV);
	ASSERT_TRUE(!exists(ALIAS "-ctrl"));
	write_text(RACK "/live", "1");
	ASSERT_ERRNO(read(pair.data, sample, sizeof(sample)), ENODEV);
	close_pair(pair);
	check_frames(5, 0x1f, 80);
}

TEST_EACH("the board goes while users read and write %s", interleaved,
	  SYS "/chan4/next-sample", SYS "/chani/next-sample", SYS "/channels")
{
	int held = open_file(value, O_RDWR);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		start_file_users(value, "3");
		write_text(RACK "/live", "0");
		wait_children(N_FILE_USERS);
		ASSERT_ERRNO(write(held, "1", 1), ENODEV);
		write_text(RACK "/live", "1");
	}
	close(held);
}

TEST("a mask chooses some of the channels", interleaved)
{
	refuse(SYS "/channels", "0", EINVAL);
	refuse(SYS "/channels", "0x20", ERANGE);
	write_text(SYS "/channels", "0x12");
	check_frames(2, 0x12, 32);
	ASSERT_TRUE(!exists(SYS "/../cset2/channels"));
}

/* A kernel with KASAN sees a driver that fills more than there is room for. */
TEST("the mask changes under events", interleaved)
{
	static const char *const masks[] = { "1", "2", "4", "8", "16", "1", "2", "4" };
	size_t i;

	load("zio-trig-hrt");
	write_text(SYS "/current_trigger", "hrt");
	write_text(SYS "/trigger/period-ns", "200000");
	for (i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		write_text(SYS "/channels", masks[i]);
		write_text(SYS "/channels", "0x1f");
	}
	ASSERT_TEXT(SYS "/channels", "0x1f");
}

static void make_slow(const char *sleeps)
{
	make_rack();
	write_text(RACK "/delay-us", "2000");
	write_text(RACK "/pattern", "sawtooth");
	write_text(RACK "/sleeps", sleeps);
	write_text(RACK "/nsamples", "100");
	write_text(RACK "/live", "1");
	ASSERT_EQ(read_number(SYS "/trigger/nsamples"), 100);
}

TEST_EACH("a board that takes 2 ms for a block, sleeps=%s", NULL, "0", "1")
{
	make_slow(value);
	read_sawtooth(NODE "-data", 16);
}

TEST("a set that is never done fails at its time-out and loses the block")
{
	make_rack();
	write_text(RACK "/delay-us", "4294967295");
	write_text(RACK "/live", "1");
	refuse(SYS "/timeout-ms", "4000000000", ERANGE);
	write_text(SYS "/timeout-ms", "50");
	check_read_error(ETIMEDOUT);
	ASSERT_EQ(read_number(SYS "/statistics/io_errors"), 1);
	ASSERT_EQ(read_number(SYS "/chan0/statistics/lost_blocks"), 1);
	check_read_error(ETIMEDOUT);
	write_text(SYS "/timeout-ms", "0");
	ASSERT_EQ(rmdir(RACK), 0);
}
