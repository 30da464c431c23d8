// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmaengine_output_test.c: outputs of zio-dmaengine over a provider without hardware
 *
 * # model: soft-dma
 */
#include <sys/wait.h>

#include "zdma.h"

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

TEST("the modules leave after the last board", output)
{
	int fd = open_node(NODE, "data", O_WRONLY);

	write_words(fd, 0, 20, 256);
	close(fd);
	remove_board_and_modules();
}
