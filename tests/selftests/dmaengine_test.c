// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmaengine_test.c: zio-dmaengine over a provider without hardware
 *
 * The words of the model soft-dma count up. A transfer that is terminated takes no count.
 * So the words of mode "sg" never have a gap. Those of mode "cyclic" have the gaps that the
 * sequence numbers tell. As a sink the model counts the words, adds them, and counts those
 * that do not follow the word before.
 *
 * # model: soft-dma
 * # swiotlb
 * # rt
 */
#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "board.h"
#include "harness.h"
#include "ring.h"

#define ZDMA_CONFIG	ZIO_CONFIG "/devices/zdma"
#define BOARD		"/sys/bus/zio/devices/zdma-0000"
#define SET		BOARD "/cset0"
#define CHAN		SET "/chan0"
#define NODE		"/dev/zio/zdma-0000-0-0"
#define MODEL		"/sys/module/soft_dma/parameters/"
#define ALARM_ERROR	1
#define ALARM_LAPPED	2

/* Finds the name of a channel of the model in /sys/class/dma. */
static void find_channel(int n, char *name, size_t size)
{
	DIR *dir = opendir("/sys/class/dma");
	char path[300], to[300], wanted[16];
	struct dirent *entry;
	ssize_t len;

	ASSERT_TRUE(dir);
	snprintf(wanted, sizeof(wanted), "chan%d", n);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/dma/%s", entry->d_name);
		len = readlink(path, to, sizeof(to) - 1);
		if (len < 0)
			continue;
		to[len] = '\0';
		if (strstr(to, "soft-dma") && strstr(entry->d_name, wanted)) {
			snprintf(name, size, "%s", entry->d_name);
			closedir(dir);
			return;
		}
	}
	FAIL("no channel %d of the model", n);
}

static void set_config(const char *board, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), ZDMA_CONFIG "/%s/%s", board, name);
	write_text(path, value);
}

static void make_board(const char *board, int channel, const char *mode, const char *depth)
{
	char path[128], name[256];

	find_channel(channel, name, sizeof(name));
	snprintf(path, sizeof(path), ZDMA_CONFIG "/%s", board);
	ASSERT_EQ(mkdir(path, 0755), 0);
	set_config(board, "channel", name);
	set_config(board, "mode", mode);
	set_config(board, "depth", depth);
	set_config(board, "ssize", "4");
	set_config(board, "nsamples", "256");
	set_config(board, "id", channel ? "1" : "0");
}

static void load_model(const char *options)
{
	shell("rmdir " ZDMA_CONFIG "/* 2>/dev/null");
	load("zio-buf-vmalloc");
	load("zio-dmaengine");
	if (is_loaded("soft_dma"))
		run("rmmod soft_dma");
	run("insmod /selftests/soft-dma.ko %s", options);
}

static void make_directed(const char *direction, const char *mode, const char *depth,
			  const char *options)
{
	load_model(options);
	make_board("one", 0, mode, depth);
	set_config("one", "direction", direction);
	set_config("one", "live", "1");
	run("zio-links");
}

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

static void make_output(const char *mode, const char *depth, const char *options)
{
	make_directed("output", mode, depth, options);
}

SETUP(output)
{
	make_output("sg", "16", "");
}

SETUP(few_output)
{
	make_output("sg", "16", "descriptors=2");
}

SETUP(refusing_output)
{
	make_output("sg", "16", "refuse=1");
}

SETUP(repeating)
{
	make_output("cyclic", "16", "");
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
	make_board("one", 0, "cyclic", "16");
}

SETUP(no_board)
{
	load_model("cyclic=0");
	make_board("one", 0, "sg", "16");
}

static uint32_t words[1 << 20];

/* Reads a block, and returns its words. */
static uint32_t read_words(struct pair pair, struct zio_control *ctrl)
{
	uint32_t n;

	*ctrl = read_control(pair.ctrl);
	n = ctrl->nsamples;
	ASSERT_EQ(ctrl->ssize, 4);
	ASSERT_EQ(read(pair.data, words, 4 * n), 4 * n);
	return n;
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

static void start_model(const char *batch)
{
	write_text(MODEL "batch", batch);
}

static void check_nothing_lost(void)
{
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 0);
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

/* Words that are missing belong to blocks that are missing, and the next one says so. */
static void check_gaps(struct pair pair, unsigned int blocks, unsigned int pause_us)
{
	uint32_t n, i, seq = 0, base = 0, lost = 0;
	struct zio_control ctrl;

	for (i = 0; i < blocks; i++) {
		n = read_words(pair, &ctrl);
		if (!i) {
			seq = ctrl.seq_num;
			base = words[0];
		}
		ASSERT_EQ(words[0] - base, (ctrl.seq_num - seq - i) * n + i * n);
		ASSERT_EQ(words[n - 1], words[0] + n - 1);
		if (ctrl.seq_num - seq - i != lost)
			ASSERT_TRUE(ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK);
		lost = ctrl.seq_num - seq - i;
		if (pause_us && i % 10 == 9)
			usleep(pause_us);
	}
	diag("%u blocks lost", lost);
	ASSERT_EQ(!!lost, !!pause_us);
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

/* Writes blocks of words that count up, from @next on. Returns the number after the last. */
static uint32_t write_words(int fd, uint32_t next, unsigned int blocks, unsigned int n)
{
	unsigned int i;

	while (blocks--) {
		for (i = 0; i < n; i++)
			words[i] = next++;
		ASSERT_EQ(write(fd, words, 4 * n), 4 * n);
	}
	return next;
}

static void check_played(uint32_t n)
{
	ASSERT_EQ(read_number(MODEL "played"), n);
	ASSERT_EQ(read_number(MODEL "breaks"), 0);
	ASSERT_EQ(read_number(CHAN "/statistics/in-flight"), 0);
	check_nothing_lost();
}

TEST_EACH("an output of the buffer %s plays what is written, in order, and fsync() waits",
	  output, "dma", "vmalloc", "kmalloc")
{
	uint32_t next;
	int fd;

	write_text(SET "/current_buffer", value);
	fd = open_node(NODE, "data", O_WRONLY);
	next = write_words(fd, 0, 200, 256);
	/* A part of a block is a short one. */
	next = write_words(fd, next, 1, 100);
	ASSERT_EQ(fsync(fd), 0);
	check_played(next);
	ASSERT_EQ(read_number(CHAN "/statistics/blocks"), 201);
	/* Several blocks are under way at once. */
	start_model("0");
	next = write_words(fd, next, 8, 256);
	ASSERT_EQ(read_number(CHAN "/statistics/in-flight"), 8);
	start_model("4");
	write_text(SET "/trigger/nsamples", "1000");
	next = write_words(fd, next, 50, 1000);
	ASSERT_EQ(fsync(fd), 0);
	check_played(next);
	close(fd);
}

TEST("an output whose channel has fewer descriptors than there are blocks", few_output)
{
	int fd = open_node(NODE, "data", O_WRONLY);
	uint32_t next = write_words(fd, 0, 100, 256);

	ASSERT_EQ(fsync(fd), 0);
	check_played(next);
	close(fd);
}

TEST("a channel that ran empty is an underrun; the end of what is written is none", output)
{
	int fd = open_node(NODE, "data", O_WRONLY);
	uint32_t next = 0;
	unsigned int i;

	write_text(CHAN "/buffer/watermark", "2");
	for (i = 0; i < 3; i++) {
		next = write_words(fd, next, 2, 256);
		wait_for(10, read_number(CHAN "/statistics/dry") == i + 1);
	}
	ASSERT_TRUE(read_number(CHAN "/alarms") & ZIO_ALARM_DRY);
	write_text(CHAN "/alarms", "0xffff");
	next = write_words(fd, next, 1, 256);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(CHAN "/statistics/dry"), 3);
	ASSERT_EQ(read_number(CHAN "/alarms"), 0);
	check_played(next);
	close(fd);
}

TEST_EACH("a transfer of an output with the fate \"%s\" is a lost block, and fsync() fails",
	  output, "fail", "abort", "forget")
{
	int fd = open_node(NODE, "data", O_WRONLY);

	write_words(fd, 0, 20, 256);
	ASSERT_EQ(fsync(fd), 0);
	start_model("0");
	shell("echo 3 >" MODEL "%s", value);
	write_words(fd, 20 * 256, 8, 256);
	start_model("4");
	ASSERT_ERRNO(fsync(fd), EIO);
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 1);
	ASSERT_EQ(read_number(CHAN "/statistics/blocks"), 27);
	ASSERT_EQ(read_number(CHAN "/alarms") >> 8, ALARM_ERROR);
	write_words(fd, 28 * 256, 1, 256);
	ASSERT_EQ(fsync(fd), 0);
	close(fd);
}

TEST("a short transfer of an output is a lost block", output)
{
	int fd = open_node(NODE, "data", O_WRONLY);

	write_text(MODEL "shorten", "4");
	write_words(fd, 0, 1, 256);
	ASSERT_ERRNO(fsync(fd), EIO);
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 1);
	close(fd);
}

TEST("an output whose channel has no descriptor loses its block after a second",
     refusing_output)
{
	int fd = open_node(NODE, "data", O_WRONLY);

	write_words(fd, 7, 1, 256);
	ASSERT_ERRNO(fsync(fd), EIO);
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 1);
	run("dmesg | tail -n 20 | grep -q 'has no descriptor for a block'");
	write_text(MODEL "refuse", "0");
	write_words(fd, 0, 4, 256);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(MODEL "played"), 4 * 256);
	ASSERT_EQ(read_number(MODEL "breaks"), 0);
	close(fd);
}

TEST("a stop of an output loses nothing", output)
{
	int fd = open_node(NODE, "data", O_WRONLY);
	uint32_t next = 0;
	char text[16];
	unsigned int i;

	for (i = 0; i < 20; i++) {
		next = write_words(fd, next, 10, 256);
		snprintf(text, sizeof(text), "%u", 1 + i % 16);
		write_text(SET "/queue-depth", text);
		write_text(SET "/enable", "0");
		ASSERT_EQ(read_number(CHAN "/statistics/in-flight"), 0);
		write_text(SET "/enable", "1");
	}
	ASSERT_EQ(fsync(fd), 0);
	check_played(next);
	close(fd);
}

static void wait_for_words(uint32_t n)
{
	uint32_t before = read_number(MODEL "played");

	wait_for(10, read_number(MODEL "played") - before >= n);
}

/* The set does not play while the numbers are read. */
static void check_only_played(uint32_t word)
{
	uint32_t n, sum;

	write_text(SET "/enable", "0");
	n = read_number(MODEL "played");
	sum = read_number(MODEL "sum");
	write_text(SET "/enable", "1");
	wait_for_words(5000);
	write_text(SET "/enable", "0");
	ASSERT_EQ(read_number(MODEL "sum") - sum, (read_number(MODEL "played") - n) * word);
	write_text(SET "/enable", "1");
}

static void write_word(int fd, uint32_t word, unsigned int blocks)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		words[i] = word;
	while (blocks--)
		ASSERT_EQ(write(fd, words, 1024), 1024);
}

TEST("the core repeats the last block of an output", output)
{
	int fd = open_node(NODE, "data", O_WRONLY);

	write_text(SET "/cyclic", "1");
	write_word(fd, 1, 1);
	ASSERT_EQ(fsync(fd), 0);
	wait_for_words(5000);
	write_word(fd, 5, 1);
	/* Those turns that the channel had are over. */
	wait_for_words(2 * 16 * 256);
	check_only_played(5);
	/* The program ends, and the channel goes on. */
	close(fd);
	check_only_played(5);
	ASSERT_EQ(read_number(CHAN "/statistics/dry"), 0);
}

TEST("the channel repeats the last block of an output itself", repeating)
{
	int fd = open_node(NODE, "data", O_WRONLY);
	uint32_t next;

	/* It plays as any output while nothing is to be repeated. */
	next = write_words(fd, 0, 40, 256);
	ASSERT_EQ(fsync(fd), 0);
	check_played(next);
	write_text(SET "/cyclic", "1");
	write_word(fd, 1, 1);
	wait_for_words(5000);
	/* There is one transfer, which has no end. */
	ASSERT_EQ(read_number(MODEL "running"), 1);
	ASSERT_EQ(read_number(CHAN "/statistics/blocks"), 40);
	/* Each block is played, the last one for ever. */
	write_word(fd, 3, 9);
	write_word(fd, 5, 1);
	wait_for(10, read_number(CHAN "/statistics/blocks") == 50);
	check_only_played(5);
	wait_for(10, read_number(MODEL "running") == 1);
	ASSERT_EQ(read_number(CHAN "/statistics/dry"), 0);
	write_text(SET "/cyclic", "0");
	ASSERT_EQ(read_number(CHAN "/statistics/blocks"), 51);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(CHAN "/statistics/blocks"), 51);
	ASSERT_EQ(read_number(MODEL "running"), 0);
	check_nothing_lost();
	close(fd);
}

TEST("a cyclic transfer that fails is a lost block, and the next one is played", repeating)
{
	int fd = open_node(NODE, "data", O_WRONLY);

	write_text(SET "/cyclic", "1");
	write_word(fd, 1, 1);
	wait_for_words(2000);
	write_text(MODEL "fail", "1");
	wait_for(10, read_number(CHAN "/statistics/lost_blocks") == 1);
	ASSERT_EQ(read_number(MODEL "running"), 0);
	write_word(fd, 5, 1);
	check_only_played(5);
	close(fd);
}

TEST("an output is removed under load", output)
{
	char block[1024] = { 0 };
	int fd, i, status;
	pid_t child;

	for (i = 0; i < 10; i++) {
		child = fork();
		if (!child) {
			fd = open_node(NODE, "data", O_WRONLY);
			while (write(fd, block, sizeof(block)) > 0)
				;
			_exit(errno != ENODEV || fsync(fd) != -1 || errno != ENODEV);
		}
		wait_for(10, read_number(CHAN "/statistics/blocks") > 20);
		set_config("one", "live", "0");
		ASSERT_EQ(waitpid(child, &status, 0), child);
		ASSERT_EQ(status, 0);
		ASSERT_EQ(read_number(MODEL "running"), 0);
		set_config("one", "mode", i % 2 ? "sg" : "cyclic");
		set_config("one", "live", "1");
		run("zio-links");
		write_text(SET "/cyclic", i % 4 ? "1" : "0");
	}
}

TEST("two boards on two channels", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY), other;

	make_board("two", 1, "cyclic", "16");
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
	make_board("one", 0, "cyclic", "16");
	no_life("one", EOPNOTSUPP);
	set_config("one", "mode", "sg");
	set_config("one", "address", "here");
	no_life("one", EINVAL);
	set_config("one", "address", "0x1000");
	set_config("one", "burst", "257");
	no_life("one", EINVAL);
	set_config("one", "burst", "16");
	set_config("one", "live", "1");
	make_board("two", 0, "sg", "16");
	no_life("two", ENODEV);
}

TEST("a channel that does not tell its position has no ring", coarse)
{
	no_life("one", EOPNOTSUPP);
	run("dmesg | tail -n 20 | grep -q 'does not tell how far a cyclic transfer is: use mode sg'");
	set_config("one", "mode", "sg");
	set_config("one", "live", "1");
	run("zio-links");
	follow(open_pair(NODE, O_RDONLY), 20, 0);
}

/* 64 segments are 256 KiB, when no two pages are neighbours. */
TEST("a block of too many segments is refused", sg)
{
	struct zio_control ctrl;
	struct pair pair;

	start_model("0");
	write_text(SET "/current_buffer", "vmalloc");
	write_text(CHAN "/buffer/max-buffer-kb", "16384");
	pair = open_pair(NODE, O_RDONLY);
	write_text(SET "/trigger/nsamples", "1048576");
	ASSERT_ERRNO(read(pair.data, words, 1024), EMSGSIZE);
	write_text(SET "/trigger/nsamples", "256");
	start_model("4");
	/* Starts that failed before the change tell the reader, also after a block. */
	while (read(pair.data, words, 1024) < 0 || read(pair.ctrl, &ctrl, sizeof(ctrl)) < 0)
		ASSERT_EQ(errno, EMSGSIZE);
	follow(pair, 20, begin(pair));
}

TEST("the modules leave after the last board", sg)
{
	struct pair pair = open_pair(NODE, O_RDONLY);

	follow(pair, 20, 0);
	close_pair(pair);
	ASSERT_EQ(rmdir(ZDMA_CONFIG "/one"), 0);
	while (shell("rmmod zio_dmaengine 2>/dev/null"))
		usleep(1000);
	run("rmmod soft_dma");
}
