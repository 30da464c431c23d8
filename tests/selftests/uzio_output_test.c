// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_output_test.c: devices whose drivers are programs: outputs
 *
 * # check
 * # leaks
 */
#include "feed.h"
#include "harness.h"

#define NODE		UPROG "-0-0"
#define CHAN		UPROG_SYS "/cset0/chan0"
#define STATISTICS	CHAN "/statistics"
#define WORDS		16	/* samples of a block */

static const struct uzio_set armed_set = {
	.flags = UZIO_SET_OUTPUT, .n_chan = 1, .ssize = 4, .nsamples = WORDS,
};

static const struct uzio_set stream_set = {
	.flags = UZIO_SET_OUTPUT | UZIO_SET_STREAM, .n_chan = 1, .ssize = 4, .nsamples = WORDS,
	.depth = 8,
};

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static void write_blocks(int fd, uint32_t from, unsigned int n)
{
	uint32_t word[WORDS];
	unsigned int i;

	for (; n--; from++) {
		for (i = 0; i < WORDS; i++)
			word[i] = from;
		ASSERT_EQ(write(fd, word, sizeof(word)), sizeof(word));
	}
}

/* In a child: write blocks from 1 on, and expect this of fsync(). */
static void start_writer(unsigned int n, int expected)
{
	int fd, ret;

	if (fork_child())
		return;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(NODE "-data", O_WRONLY);
	write_blocks(fd, 1, n);
	ret = fsync(fd) ? errno : 0;
	ASSERT_EQ(ret, expected);
	_exit(0);
}

static void expect_samples(const void *mem, uint64_t len, uint32_t value)
{
	const uint32_t *word = mem;
	uint64_t i;

	for (i = 0; i < len / 4; i++)
		ASSERT_EQ(word[i], value);
}

TEST("a program plays an armed block in place", loaded)
{
	struct {
		struct uzio_done done;
		struct uzio_filled filled;
	} wrong = { .filled.len = 4 * WORDS };
	const struct uzio_arm *arm;
	struct uzio_done done;
	struct program prog;
	void *mem;
	unsigned int i;

	start_program(&prog, &armed_set, 0);
	start_writer(3, 0);
	arm = await(&prog, UZIO_ARM);
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(arm->head.type, UZIO_ARM);
		ASSERT_EQ(arm->n_blocks, 1);
		ASSERT_EQ(arm->time.secs, 0);
		ASSERT_EQ(blocks_of(arm)->len, 4 * WORDS);
		mem = map_memory(&prog, blocks_of(arm), PROT_READ);
		expect_samples(mem + blocks_of(arm)->offset, blocks_of(arm)->len, i);
		ASSERT_TRUE(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, prog.fd,
				 blocks_of(arm)->map) == MAP_FAILED);
		ASSERT_EQ(errno, EACCES);
		munmap(mem, blocks_of(arm)->map_size);
		wrong.done = done_for(arm->head.id);
		wrong.done.head.size = sizeof(wrong);
		wrong.done.n_blocks = 1;
		done = done_for(arm->head.id);
		ASSERT_EQ(exchange(&prog, &wrong, 0), EINVAL);
		wrong.done = done;
		wrong.done.lost = 1;
		ASSERT_EQ(exchange(&prog, &wrong, 0), EINVAL);
		/* The same call brings the next block. */
		ASSERT_EQ(exchange(&prog, &done, i < 3 ? 20 * SECOND : 0), 0);
		ASSERT_EQ(!prog.ex.requests_given, i == 3);
	}
	wait_children(1);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 3);
}

TEST("a block that the program cannot play is lost, and fsync() fails", loaded)
{
	struct uzio_fail fail;
	struct program prog;

	start_program(&prog, &armed_set, 0);
	start_writer(1, EIO);
	fail = fail_for(await(&prog, UZIO_ARM)->head.id, EREMOTEIO);
	ASSERT_EQ(exchange(&prog, &fail, 0), 0);
	wait_children(1);
	ASSERT_EQ(read_number(STATISTICS "/lost_blocks"), 1);
}

/* The program has the oldest @n blocks of the writer, which begin with number @from. */
static void expect_lane(const struct feed *feed, unsigned int n, uint32_t from)
{
	const struct lane *lane = &feed->lane[0];
	unsigned int i;

	ASSERT_EQ(lane->n, n);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(lane->place[i].len, 4 * WORDS);
		expect_samples(lane->mem + lane->place[i].offset, 4 * WORDS, from + i);
	}
}

static int play(struct feed *feed, unsigned int n, unsigned int lost)
{
	struct uzio_complete answer = complete_for(feed, 0, n);

	answer.lost = lost;
	forget(&feed->lane[0], n + lost);
	return turn(feed, &answer, 0);
}

TEST("a program plays many blocks of a stream with one call", loaded)
{
	struct feed feed;
	int fd;

	start_feed(&feed, &stream_set, 0);
	ASSERT_EQ(turn(&feed, NULL, 100), 0);
	ASSERT_EQ(feed.starts, 0);
	fd = open_file(NODE "-data", O_WRONLY);
	write_blocks(fd, 0, 20);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	expect_lane(&feed, 8, 0);
	ASSERT_EQ(play(&feed, 5, 0), 0);
	expect_lane(&feed, 8, 5);
	ASSERT_EQ(play(&feed, 8, 0), 0);
	expect_lane(&feed, 7, 13);
	ASSERT_EQ(play(&feed, 7, 0), 0);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 20);
	/* A short block, and a wait for it */
	ASSERT_EQ(write(fd, "abcd", 4), 4);
	if (!fork_child())
		_exit(fsync(fd));
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(feed.lane[0].n, 1);
	ASSERT_EQ(feed.lane[0].place[0].len, 4);
	ASSERT_TRUE(!memcmp(feed.lane[0].mem + feed.lane[0].place[0].offset, "abcd", 4));
	ASSERT_EQ(play(&feed, 1, 0), 0);
	wait_children(1);
}

TEST("wrong answers of an output change nothing", loaded)
{
	struct {
		struct uzio_complete head;
		struct uzio_filled filled;
	} answer = { .filled.len = 4 * WORDS };
	struct feed feed;
	int fd;

	start_feed(&feed, &stream_set, 0);
	fd = open_file(NODE "-data", O_WRONLY);
	write_blocks(fd, 0, 4);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	answer.head = complete_for(&feed, 0, 5);
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL);
	answer.head = complete_for(&feed, 0, 3);
	answer.head.lost = 2;
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL);
	answer.head.lost = UINT32_MAX;
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL);
	answer.head = complete_for(&feed, 0, 1);
	answer.head.n_filled = 1;
	answer.head.head.size = sizeof(answer);
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 0);
	ASSERT_EQ(read_number(STATISTICS "/in-flight"), 4);
	ASSERT_EQ(play(&feed, 2, 2), 0);
	ASSERT_EQ(read_number(STATISTICS "/lost_blocks"), 2);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 2);
	ASSERT_EQ(fsync(fd), -1);
	ASSERT_EQ(errno, EIO);
}

TEST("blocks that were not played when the stream stops come again", loaded)
{
	struct uzio_complete late;
	struct feed feed;
	int fd;

	start_feed(&feed, &stream_set, 0);
	fd = open_file(NODE "-data", O_WRONLY);
	write_blocks(fd, 0, 6);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(play(&feed, 2, 0), 0);
	write_text(UPROG_SYS "/cset0/enable", "0");
	late = complete_for(&feed, 0, 2);
	ASSERT_EQ(turn(&feed, &late, 20 * SECOND), 0);
	ASSERT_EQ(feed.prog.ex.late, 1);
	ASSERT_TRUE(feed.is_aborted);
	write_text(UPROG_SYS "/cset0/enable", "1");
	ASSERT_EQ(answer_abort(&feed), 0);
	ASSERT_EQ(feed.starts, 2);
	expect_lane(&feed, 4, 2);
	ASSERT_EQ(play(&feed, 4, 0), 0);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 6);
}

/* In a child: stop the stream and start it, until the device is gone. */
static void start_stops(void)
{
	int fd, i;

	if (fork_child())
		return;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(UPROG_SYS "/cset0/enable", O_WRONLY);
	for (i = 0; pwrite(fd, i % 2 ? "1" : "0", 1, 0) == 1; i++)
		;
	ASSERT_EQ(errno, ENODEV);
	_exit(0);
}

/* In a child: write blocks from 1 on until state[0] is set, and tell in state[1] how many. */
static void start_long_writer(unsigned int *state)
{
	unsigned int n = 0;
	int fd;

	if (fork_child())
		return;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(NODE "-data", O_WRONLY);
	while (!get(&state[0]))
		write_blocks(fd, ++n, 1);
	set(&state[1], n);
	ASSERT_EQ(fsync(fd), 0);
	_exit(0);
}

TEST("no block is left out while the stream stops and starts", loaded)
{
	unsigned int *state = share_memory(PAGE), played = 0, n;
	struct feed feed;
	int ret = 0;

	start_feed(&feed, &stream_set, 0);
	start_long_writer(state);
	start_stops();
	while (!ret && (!get(&state[1]) || played < get(&state[1]))) {
		set(&state[0], feed.starts >= 10 && played >= 1000);
		if (feed.is_aborted) {
			ret = answer_abort(&feed);
		} else if (!feed.lane[0].n) {
			ret = turn(&feed, NULL, 100);
		} else {
			n = feed.lane[0].n;
			expect_lane(&feed, n, 1 + played);
			ret = play(&feed, n, 0);
			/* What was late comes again. */
			played += feed.prog.ex.late ? 0 : n;
		}
	}
	ASSERT_EQ(ret, 0);
	wait_children(1);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), played);
	munmap(feed.lane[0].mem, feed.lane[0].size);
	close(feed.prog.fd);
	wait_children(1);
}

TEST("the core repeats the last block for a program", loaded)
{
	struct feed feed;
	int fd;

	start_feed(&feed, &stream_set, 0);
	write_text(UPROG_SYS "/cset0/cyclic", "1");
	fd = open_file(NODE "-data", O_WRONLY);
	write_blocks(fd, 5, 1);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(feed.lane[0].n, 8);
	ASSERT_EQ(play(&feed, 3, 0), 0);
	ASSERT_EQ(feed.lane[0].n, 8);
	ASSERT_EQ(feed.lane[0].place[7].offset, feed.lane[0].place[0].offset);
	write_blocks(fd, 6, 1);
	ASSERT_EQ(play(&feed, 8, 0), 0);
	ASSERT_TRUE(feed.lane[0].n);
	expect_samples(feed.lane[0].mem + feed.lane[0].place[feed.lane[0].n - 1].offset,
		       4 * WORDS, 6);
	ASSERT_EQ(play(&feed, 1, 1), 0);
	write_text(UPROG_SYS "/cset0/cyclic", "0");
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed.is_aborted);
	ASSERT_EQ(answer_abort(&feed), 0);
	write_blocks(fd, 7, 1);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	expect_lane(&feed, 1, 7);
}

/* Without a copy, the program would need the memory of the other board. */
TEST("blocks of an input come to the program as copies", loaded)
{
	struct feed feed;
	uint32_t *word;
	unsigned int i;

	renew_zzero();
	write_text(CSET2 "/current_buffer", "vmalloc");
	start_feed(&feed, &stream_set, 0);
	write_text(CHAN "/buffer/source", "zzero-0000-2-0");
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed.lane[0].n);
	word = feed.lane[0].mem + feed.lane[0].place[0].offset;
	ASSERT_TRUE(feed.lane[0].place[0].offset + 4 * WORDS <= feed.lane[0].size);
	for (i = 1; i < WORDS; i++)
		ASSERT_EQ(word[i], word[0] + i);
	ASSERT_EQ(read_number(STATISTICS "/shared"), 0);
	ASSERT_TRUE(read_number(STATISTICS "/copied") >= 1);
	ASSERT_EQ(play(&feed, 1, 0), 0);
	write_text(CHAN "/buffer/source", "none");
}

/* What the program has done when it dies */
TEST_EACH("kill -9 of a program that plays, in state %s", loaded, "0", "1", "2", "3")
{
	unsigned int *ready = share_memory(PAGE);
	pid_t pid = fork_child();
	struct feed feed;
	int fd;

	if (!pid) {
		start_feed(&feed, &stream_set, 0);
		set(ready, 1);
		if (atoi(value) >= 1)
			while (!feed.lane[0].n)
				ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
		if (atoi(value) >= 2)
			ASSERT_EQ(play(&feed, 1, 0), 0);
		if (atoi(value) >= 3)
			write_text(UPROG_SYS "/cset0/enable", "0");
		set(ready, 2);
		for (;;)
			pause();
	}
	wait_for(60, get(ready) >= 1);
	fd = open_file(NODE "-data", O_WRONLY);
	write_blocks(fd, 0, 4);
	wait_for(60, get(ready) == 2);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	wait_for(20, !count_objects("uprog"));
	ASSERT_EQ(write(fd, &feed, 4), -1);
	ASSERT_EQ(errno, ENODEV);
	ASSERT_EQ(fsync(fd), -1);
	ASSERT_EQ(errno, ENODEV);
}
