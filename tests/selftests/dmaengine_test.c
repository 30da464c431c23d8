// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmaengine_test.c: inputs of zio-dmaengine over a provider without hardware
 *
 * # check
 * # kasan
 * # swiotlb
 * # model: soft-dma
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "board.h"
#include "harness.h"
#include "ring.h"
#include "order.h"
#include "zdma.h"

static void make_live(const char *mode, const char *depth, const char *options)
{
	make_directed("input", mode, depth, options);
}

SETUP(sg)
{
	make_live("sg", "16", "");
}

SETUP(few)
{
	make_live("sg", "16", "descriptors=2");
}

SETUP(cyclic)
{
	make_live("cyclic", "16", "period_us=5000 batch=2");
}

SETUP(quick)
{
	make_live("cyclic", "64", "period_us=200 batch=3");
}

SETUP(one)
{
	make_live("sg", "16", "descriptors=1");
}

SETUP(refusing)
{
	make_live("sg", "16", "refuse=1");
}

SETUP(coarse)
{
	load_model("coarse=1");
	make_channel("one", 0, "cyclic", "16");
}

SETUP(no_board)
{
	load_model("cyclic=0");
	make_channel("one", 0, "sg", "16");
}

/* Reads the samples of a control, and returns their number. */
static uint32_t read_samples(struct pair pair, const struct zio_control *ctrl)
{
	uint32_t n = ctrl->nsamples;

	ASSERT_EQ(ctrl->ssize, 4);
	ASSERT_EQ(read(pair.data, words, 4 * n), 4 * n);
	return n;
}

/* Reads a block, and returns its words. */
static uint32_t read_words(struct pair pair, struct zio_control *ctrl)
{
	*ctrl = read_control(pair.ctrl);
	return read_samples(pair, ctrl);
}

/* Each word follows the word before, if no block is lost. Returns the number after the last. */
static uint32_t follow(struct pair pair, unsigned int blocks, uint32_t next)
{
	struct zio_control ctrl;
	uint32_t i, n;

	while (blocks--) {
		n = read_words(pair, &ctrl);
		for (i = 0; i < n; i++)
			ASSERT_EQ(words[i], next + i);
		next += n;
	}
	return next;
}

/* Returns the number after the last word of the next block. */
static uint32_t begin(struct pair pair)
{
	struct zio_control ctrl;
	uint32_t n = read_words(pair, &ctrl);

	return words[0] + n;
}

/* The model makes no samples until start_model(). A callback may be under way. */
static void stop_model_and_set(struct pair pair, const char *file, const char *value)
{
	unsigned int tries = 0;

	write_text(MODEL "batch", "0");
	do {
		ASSERT_TRUE(tries++ < 1000);
		ASSERT_EQ(ioctl(pair.data, ZIO_IOC_FLUSH), 0);
	} while (shell("echo %s 2>/dev/null >" CHAN "/buffer/%s", value, file));
}

TEST_EACH("transfers to blocks of the buffer %s", sg, "dma", "vmalloc", "kmalloc")
{
	struct pair pair;

	write_text(SET "/current_buffer", value);
	pair = open_pair(NODE, O_RDONLY);
	follow(pair, 200, begin(pair));
	check_nothing_lost();
}

TEST_EACH("blocks of %s samples, which change while transfers are under way", sg,
	  "1", "7", "1000", "1024", "5000", "16384")
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	uint32_t next = follow(pair, 20, 0);

	write_text(SET "/trigger/nsamples", value);
	next = follow(pair, 40, next);
	write_text(SET "/trigger/nsamples", "256");
	follow(pair, 300, next);
	check_nothing_lost();
}

TEST("a channel with fewer descriptors than the set has blocks in flight", few)
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	uint32_t next = follow(pair, 100, 0);

	write_text(SET "/trigger/nsamples", "64");
	next = follow(pair, 100, next);
	ASSERT_EQ(write(open_file(MODEL "descriptors", O_WRONLY), "0", 1), 1);
	follow(pair, 1000, next);
}

TEST("a short transfer is a short block, in whole samples", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	struct zio_control ctrl;

	write_text(MODEL "shorten", "6");
	do {
		read_words(pair, &ctrl);
	} while (ctrl.nsamples == 256);
	ASSERT_EQ(ctrl.nsamples, 254);
	write_text(MODEL "shorten", "1024");
	do {
		read_words(pair, &ctrl);
	} while (ctrl.nsamples == 254);
	ASSERT_EQ(ctrl.nsamples, 0);
}

TEST("a transfer that fails raises an alarm in its block", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	struct zio_control ctrl;
	unsigned int failed = 0, i;

	write_text(MODEL "fail", "3");
	for (i = 0; i < 300; i++) {
		read_words(pair, &ctrl);
		failed += !!(ctrl.drv_alarms & ALARM_ERROR);
	}
	ASSERT_EQ(failed, 1);
}

/* The channel frees its descriptor after the callback: so the driver has to ask again. */
TEST("a channel with one descriptor", one)
{
	follow(open_pair(NODE, O_RDONLY), 50, 0);
}

TEST("a channel without descriptors: the reader gets an error, and the log has a line",
     refusing)
{
	int fd = open_node(NODE, "data", O_RDONLY);

	ASSERT_ERRNO(read(fd, words, 1024), EIO);
	run("dmesg | tail -n 20 | grep -q 'has no descriptor for a block'");
	ASSERT_TRUE(read_number(SET "/statistics/io_errors") > 0);
	write_text(MODEL "refuse", "0");
	/* Starts that failed before the change tell the reader. */
	while (read(fd, words, 1024) < 0)
		ASSERT_EQ(errno, EIO);
	ASSERT_EQ(read(fd, words, 1024), 1024);
}

TEST("a channel that has no descriptors any more: the same, and no block is lost", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	uint32_t next = follow(pair, 20, 0);
	struct zio_control ctrl;
	ssize_t len;

	write_text(MODEL "refuse", "1");
	while ((len = read(pair.ctrl, &ctrl, sizeof(ctrl))) > 0) {
		ASSERT_EQ(read(pair.data, words, 1024), 1024);
		ASSERT_EQ(words[0], next);
		next += 256;
	}
	ASSERT_EQ(len, -1);
	ASSERT_EQ(errno, EIO);
	write_text(MODEL "refuse", "0");
	while ((len = read(pair.data, words, 1024)) < 0)
		ASSERT_EQ(errno, EIO);
	ASSERT_EQ(words[0], next);
	check_nothing_lost();
}

/* Reads 300 blocks. Exactly one is empty, with an alarm; the others have all words. */
static void check_one_empty(struct pair pair)
{
	uint32_t n, next = begin(pair), empty = 0, i;
	struct zio_control ctrl;

	for (i = 0; i < 300; i++) {
		n = read_words(pair, &ctrl);
		ASSERT_EQ(!n, !!(ctrl.drv_alarms & ALARM_ERROR));
		empty += !n;
		if (n)
			ASSERT_EQ(words[0], next);
		next += n;
	}
	ASSERT_EQ(empty, 1);
}

TEST_EACH("a transfer with the fate \"%s\" is an empty block with an alarm", sg,
	  "abort", "forget")
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	begin(pair);
	shell("echo 30 >" MODEL "%s", value);
	check_one_empty(pair);
}

/* Reads blocks up to the first error. A set that says nothing ends the test. */
static void read_to_error(struct pair pair)
{
	struct zio_control ctrl;
	ssize_t len;

	alarm(120);
	while ((len = read(pair.ctrl, &ctrl, sizeof(ctrl))) > 0)
		;
	ASSERT_EQ(len, -1);
	ASSERT_EQ(errno, EIO);
	alarm(0);
	ASSERT_EQ(read_number(SET "/statistics/io_errors"), 1);
	run("dmesg | tail -n 20 | grep -q 'has stopped with an error'");
}

TEST("transfers that end with an error, and no callback: the next read begins again", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	begin(pair);
	write_text(MODEL "stall", "10");
	read_to_error(pair);
	follow(pair, 100, begin(pair));
	check_nothing_lost();
}

TEST_EACH("a cyclic transfer with the fate \"%s\": the next read begins again", cyclic,
	  "stall", "fail")
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	begin(pair);
	shell("echo 10 >" MODEL "%s", value);
	read_to_error(pair);
	begin(pair);
	follow(pair, 5, begin(pair));
}

TEST("the board goes after an error that nobody has read", cyclic)
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	begin(pair);
	write_text(MODEL "stall", "1");
	wait_for(20, read_number(SET "/statistics/io_errors"));
	close_pair(pair);
	remove_board_and_modules();
}

/* Words that are missing belong to blocks that are missing, and the next one says so. */
static void check_gaps(struct pair pair, unsigned int blocks, unsigned int pause_us)
{
	struct order order = { .mask = UINT32_MAX };
	struct zio_control ctrl;
	uint32_t n, i;

	for (i = 0; i < blocks; i++) {
		n = read_words(pair, &ctrl);
		order_control(&order, &ctrl);
		order_data(&order, words[0], n, n);
		ASSERT_EQ(words[n - 1], words[0] + n - 1);
		if (pause_us && i % 10 == 9)
			usleep(pause_us);
	}
	diag("%u blocks lost", (unsigned int)order.lost);
	ASSERT_EQ(!!order.lost, !!pause_us);
}

TEST("a cyclic transfer, and a reader that keeps up", cyclic)
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	stop_model_and_set(pair, "max-buffer-kb", "4096");
	write_text(SET "/trigger/nsamples", "512");
	start_model("2");
	check_gaps(pair, 300, 0);
}

TEST("a cyclic transfer loses the periods for which there is no block", quick)
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	stop_model_and_set(pair, "max-buffer-len", "8");
	start_model("3");
	check_gaps(pair, 300, 30000);
	ASSERT_TRUE(read_number(CHAN "/statistics/lost_blocks") > 0);
}

/*
 * Returns true if the ring was lapped before this block. How often is not known: so the
 * words that are missing are those of the blocks that are missing, and of whole rounds.
 */
static bool check_lap(const struct zio_control *ctrl, uint32_t seq, uint32_t next)
{
	uint32_t told = ctrl->seq_num - seq, gap = words[0] - next, n = ctrl->nsamples;

	ASSERT_EQ(words[n - 1], words[0] + n - 1);
	ASSERT_TRUE(gap >= told * n);
	ASSERT_EQ((gap - told * n) % (16 * n), 0);
	ASSERT_EQ(!told, !(ctrl->zio_alarms & ZIO_ALARM_LOST_BLOCK));
	ASSERT_EQ(!told, !gap);
	return ctrl->drv_alarms & ALARM_LAPPED;
}

TEST("a lapped ring is a gap with an alarm, and a line in the log", cyclic)
{
	struct pair pair = open_pair(NODE, O_RDONLY);
	unsigned int i, laps = 0;
	struct zio_control ctrl;
	uint32_t next, seq;

	ASSERT_EQ(ioctl(pair.data, ZIO_IOC_FLUSH), 0);
	next = read_words(pair, &ctrl);
	next += words[0];
	seq = ctrl.seq_num + 1;
	write_text(MODEL "late", "21");
	for (i = 0; i < 100 || (!laps && i < 10000); i++) {
		read_words(pair, &ctrl);
		laps += check_lap(&ctrl, seq, next);
		seq = ctrl.seq_num + 1;
		next = words[0] + ctrl.nsamples;
	}
	ASSERT_EQ(laps, 1);
	ASSERT_TRUE(read_number(CHAN "/statistics/lost_blocks") > 0);
	run("dmesg | tail -n 20 | grep -q 'went round the ring'");
}

TEST("a ring reads the blocks of transfers", sg)
{
	struct ring r = open_ring(NODE);
	const struct zio_control *ctrl;
	uint32_t i, next = 0;

	for (i = 0; i < 500; i++) {
		ctrl = next_block(&r);
		ASSERT_EQ(*(uint32_t *)(r.data + offset_of(ctrl)), next);
		next += ctrl->nsamples;
		release_block(&r);
	}
}

TEST("the board goes while its samples are mapped", no_board)
{
	struct map map;
	int fd, i;

	for (i = 0; i < 20; i++) {
		set_config("one", "live", "1");
		run("zio-links");
		fd = open_node(NODE, "data", O_RDONLY);
		map = map_file(fd, 0, 128 * 1024, PROT_READ);
		ASSERT_TRUE(read(fd, words, 1024) == 1024);
		set_config("one", "live", "0");
		ASSERT_ERRNO(read(fd, words, 1024), ENODEV);
		ASSERT_EQ(read_number(MODEL "running"), 0);
		memcpy(words, map.mem, map.size);
		munmap(map.mem, map.size);
		close(fd);
	}
}

TEST("buffers and areas are replaced while transfers are under way", sg)
{
	static const char *const types[] = { "kmalloc", "dma", "vmalloc" };
	struct pair pair;
	int i;

	for (i = 0; i < 60; i++) {
		write_text(SET "/current_buffer", types[i % 3]);
		pair = open_pair(NODE, O_RDONLY);
		follow(pair, 3, begin(pair));
		close_pair(pair);
	}
}

TEST("two boards on two channels", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY), other;

	make_channel("two", 1, "cyclic", "16");
	set_config("two", "live", "1");
	run("zio-links");
	other = open_pair("/dev/zio/zdma-0001-0-0", O_RDONLY);
	follow(pair, 100, 0);
	begin(other);
	set_config("two", "live", "0");
	follow(pair, 100, 100 * 256);
}

TEST("the provider stays while a board has a channel of it", sg)
{
	ASSERT_TRUE(shell("rmmod soft_dma 2>/dev/null"));
	set_config("one", "live", "0");
	ASSERT_EQ(shell("rmmod soft_dma"), 0);
}

#define no_life(board, code) do {					\
	int fd_ = open_file(ZDMA_CONFIG "/" board "/live", O_WRONLY);	\
	ASSERT_ERRNO(write(fd_, "1", 1), code);				\
	close(fd_);							\
} while (0)

TEST("wrong values are refused, and the log says why", no_board)
{
	set_config("one", "channel", "dma77chan7");
	no_life("one", ENODEV);
	run("dmesg | grep -q 'no free channel \"dma77chan7\"'");
	shell("rmdir " ZDMA_CONFIG "/one");
	make_channel("one", 0, "cyclic", "16");
	no_life("one", EOPNOTSUPP);
	set_config("one", "mode", "sg");
	set_config("one", "address", "here");
	no_life("one", EINVAL);
	set_config("one", "address", "0x1000");
	set_config("one", "burst", "257");
	no_life("one", EINVAL);
	set_config("one", "burst", "16");
	set_config("one", "live", "1");
	make_channel("two", 0, "sg", "16");
	no_life("two", ENODEV);
}

TEST("a channel that does not tell its position has no ring", coarse)
{
	no_life("one", EOPNOTSUPP);
	run("dmesg | tail -n 20 | grep -q 'the position of a cyclic transfer: use mode sg'");
	set_config("one", "mode", "sg");
	set_config("one", "live", "1");
	run("zio-links");
	follow(open_pair(NODE, O_RDONLY), 20, 0);
}

/*
 * Starts that failed before a setting changed tell the reader as soon as it finds no block,
 * which may be after many blocks.
 */
static uint32_t read_past_errors(struct pair pair)
{
	struct zio_control ctrl;

	while (read(pair.ctrl, &ctrl, sizeof(ctrl)) < 0)
		ASSERT_EQ(errno, EMSGSIZE);
	return read_samples(pair, &ctrl);
}

/* 64 segments are 256 KiB, when no two pages are neighbours. */
TEST("a block of too many segments is refused", sg)
{
	uint32_t i, n, next;
	struct pair pair;

	start_model("0");
	write_text(SET "/current_buffer", "vmalloc");
	write_text(CHAN "/buffer/max-buffer-kb", "16384");
	pair = open_pair(NODE, O_RDONLY);
	write_text(SET "/trigger/nsamples", "1048576");
	ASSERT_ERRNO(read(pair.data, words, 1024), EMSGSIZE);
	write_text(SET "/trigger/nsamples", "256");
	start_model("4");
	n = read_past_errors(pair);
	next = words[0] + n;
	for (i = 0; i < 40; i++) {
		n = read_past_errors(pair);
		ASSERT_EQ(words[0], next);
		next += n;
	}
}

TEST("the modules leave after the last board", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	follow(pair, 20, 0);
	close_pair(pair);
	remove_board_and_modules();
}
