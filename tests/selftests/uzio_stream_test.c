// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_stream_test.c: devices whose drivers are programs: streams
 *
 * # check
 * # leaks
 * # suspends
 */
#include "feed.h"
#include "harness.h"
#include "power.h"

#define CSET		UPROG_SYS "/cset0"
#define WORDS		64	/* samples of a block */
#define DEPTH		8

static const struct uzio_set stream_set = {
	.name = "words", .flags = UZIO_SET_STREAM, .n_chan = 2, .ssize = 4, .nsamples = WORDS,
	.depth = DEPTH, .rate_num = 1000000, .rate_den = 1,
};

/* An answer to a request for up to DEPTH blocks */
struct answer {
	struct uzio_complete head;
	struct uzio_filled filled[DEPTH];
};

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

/* The same, and the program has the first blocks. */
static void begin(struct feed *feed, const struct uzio_set *set)
{
	start_feed(feed, set, 0);
	ASSERT_EQ(turn(feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed->id);
	ASSERT_EQ(feed->lane[0].n, set->depth);
}

/* Each word of a block is the number of the block. */
static void fill(struct lane *lane, unsigned int n)
{
	uint32_t *word;
	unsigned int i;
	size_t j;

	for (i = 0; i < n; i++, lane->next++) {
		word = lane->mem + lane->place[i].offset;
		for (j = 0; j < lane->place[i].len / 4; j++)
			word[j] = lane->next;
	}
}

/* Fill and complete the oldest blocks of a channel. Return: 0 or an errno */
static int feed_blocks(struct feed *feed, unsigned int chan, unsigned int n)
{
	struct uzio_complete answer = complete_for(feed, chan, n);

	fill(&feed->lane[chan], n);
	forget(&feed->lane[chan], n);
	return turn(feed, &answer, 0);
}

/* Read a block, of which each word is this number. */
static struct zio_control expect_block(const struct pair *pair, uint32_t number)
{
	struct zio_control ctrl = read_control(pair->ctrl);
	uint32_t word[WORDS];
	unsigned int i;

	ASSERT_TRUE(ctrl.nsamples <= WORDS);
	ASSERT_EQ(read(pair->data, word, sizeof(word)), ctrl.nsamples * 4);
	for (i = 0; i < ctrl.nsamples; i++)
		ASSERT_EQ(word[i], number);
	return ctrl;
}

TEST("a program completes many blocks with one call, in order", loaded)
{
	struct answer answer;
	struct zio_control ctrl;
	struct feed feed;
	struct pair pair;
	unsigned int i;

	begin(&feed, &stream_set);
	ASSERT_EQ(feed.lane[1].n, DEPTH);
	ASSERT_TEXT(CSET "/chan1/statistics/in-flight", "8");
	pair = open_pair(UPROG "-0-1", O_RDONLY | O_NONBLOCK);
	memset(&answer, 0, sizeof(answer));
	answer.head = complete_for(&feed, 1, 3);
	answer.head.head.size = sizeof(answer.head) + 3 * sizeof(answer.filled[0]);
	answer.head.n_filled = 3;
	answer.head.lost = 2;
	for (i = 0; i < 3; i++)
		answer.filled[i] = (struct uzio_filled) {
			.len = 4 * (i + 1), .alarms = i, .flags = UZIO_FILLED_TIME,
			.time = { .secs = 1000 + i, .ticks = 999999999 },
		};
	fill(&feed.lane[1], 3);
	forget(&feed.lane[1], 3);
	ASSERT_EQ(turn(&feed, &answer, 0), 0);
	/* The same call has brought as many again. */
	ASSERT_EQ(feed.lane[1].n, DEPTH);
	for (i = 0; i < 3; i++) {
		ctrl = expect_block(&pair, i);
		ASSERT_EQ(ctrl.seq_num, 2 + i);
		ASSERT_EQ(ctrl.nsamples, i + 1);
		ASSERT_EQ(ctrl.drv_alarms, i);
		ASSERT_EQ(ctrl.tstamp.secs, 1000 + i);
		ASSERT_EQ(ctrl.tstamp.ticks, 999999999);
		ASSERT_EQ(ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_LOST], i ? 0 : 2);
	}
	ASSERT_EQ(read(pair.ctrl, &ctrl, sizeof(ctrl)), -1);
	ASSERT_EQ(errno, EAGAIN);
}

TEST("without times, each block ends where the next one begins", loaded)
{
	struct zio_control ctrl;
	long long last = 0, now;
	struct feed feed;
	struct pair pair;
	unsigned int i;

	begin(&feed, &stream_set);
	pair = open_pair(UPROG "-0-0", O_RDONLY);
	ASSERT_EQ(feed_blocks(&feed, 0, DEPTH), 0);
	for (i = 0; i < DEPTH; i++) {
		ctrl = expect_block(&pair, i);
		now = time_of(&ctrl);
		if (i)
			ASSERT_EQ(now - last, WORDS * 1000);
		last = now;
	}
	ASSERT_TRUE(llabs(now_by(CLOCK_REALTIME) - last) < 60 * NSEC);
}

TEST("a full buffer stops the program, and a reader sets it going again", loaded)
{
	struct uzio_set set = stream_set;
	struct feed feed;
	struct pair pair;
	unsigned int i;

	set.n_chan = 1;
	set.nsamples = 8192;	/* 32 KiB, four in the buffer */
	start_feed(&feed, &set, 0);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(feed.lane[0].n, 4);
	ASSERT_EQ(feed_blocks(&feed, 0, 4), 0);
	ASSERT_EQ(feed.lane[0].n, 0);
	ASSERT_EQ(turn(&feed, NULL, 100), 0);
	ASSERT_EQ(feed.lane[0].n, 0);
	ASSERT_EQ(poll_events(feed.prog.fd, POLLIN, 0), 0);
	pair = open_pair(UPROG "-0-0", O_RDONLY);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(read_control(pair.ctrl).nsamples, 8192);
	ASSERT_EQ(poll_events(feed.prog.fd, POLLIN, 20 * SECOND), POLLIN);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed.lane[0].n >= 1);
	ASSERT_EQ(feed_blocks(&feed, 0, 1), 0);
}

TEST("wrong answers change nothing", loaded)
{
	struct answer answer;
	struct uzio_done done;
	struct feed feed;
	uint64_t id;

	begin(&feed, &stream_set);
	id = feed.id;
#define REFUSED(change) do {						\
	memset(&answer, 0, sizeof(answer));				\
	answer.head = complete_for(&feed, 0, DEPTH);			\
	answer.head.n_filled = DEPTH;					\
	answer.head.head.size = sizeof(answer);				\
	change;								\
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL, #change);	\
	ASSERT_EQ(feed.prog.ex.answers_taken, 0);			\
} while (0)
	REFUSED(answer.head.head.id = 0);
	REFUSED(answer.head.head.id = id + 1);
	REFUSED(answer.head.head.set = 1);
	REFUSED(answer.head.head.size = 24);
	REFUSED(answer.head.chan = 2);
	REFUSED(answer.head.reserved = 1);
	REFUSED(answer.head.n_filled = UINT32_MAX);
	REFUSED(answer.head.n_blocks = DEPTH - 1);
	REFUSED(answer.head.n_blocks = UINT32_MAX);
	REFUSED(answer.head = complete_for(&feed, 0, DEPTH + 1));
	REFUSED(answer.filled[DEPTH - 1].len = 4 * WORDS + 4);
	REFUSED(answer.filled[0].len = 3);
	REFUSED(answer.filled[3].flags = 2);
	REFUSED(answer.filled[0].reserved[0] = 1);
	REFUSED(answer.filled[7].flags = UZIO_FILLED_TIME;
		answer.filled[7].time.ticks = NSEC);
	done = done_for(id);
	ASSERT_EQ(exchange(&feed.prog, &done, 0), EINVAL);
	ASSERT_TEXT(CSET "/chan0/statistics/blocks", "0");
	ASSERT_TEXT(CSET "/chan0/statistics/in-flight", "8");
	ASSERT_EQ(feed_blocks(&feed, 0, DEPTH), 0);
}

TEST("an answer tells nothing of blocks that are not there", loaded)
{
	struct uzio_set set = stream_set;
	struct answer answer;
	struct feed feed;

	set.depth = 2;
	begin(&feed, &set);
	memset(&answer, 0, sizeof(answer));
	answer.head = complete_for(&feed, 0, 0);
	answer.head.n_filled = DEPTH;
	answer.head.head.size = sizeof(answer);
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL);
	ASSERT_EQ(feed.prog.ex.answers_taken, 0);
	ASSERT_TEXT(CSET "/chan0/statistics/in-flight", "2");
}

TEST("an armed set knows no blocks of a stream", loaded)
{
	struct uzio_set set = plain_set;
	struct uzio_complete answer;
	struct program prog;
	struct feed feed;
	char byte;

	start_program(&prog, &plain_set, 0);
	ASSERT_EQ(read(open_file(UPROG "-0-0-data", O_RDONLY | O_NONBLOCK), &byte, 1), -1);
	feed.id = await(&prog, UZIO_ARM)->head.id;
	answer = complete_for(&feed, 0, 0);
	ASSERT_EQ(exchange(&prog, &answer, 0), EINVAL);
	close(prog.fd);
	open_program(&prog);
	set.depth = 5;
	ASSERT_EQ(describe(&prog, &set, 1, 0), EINVAL);
	if (strcmp(prog.message, "set 0: depth is 5, but it is no stream"))
		FAIL("'%s'", prog.message);
	set.flags = UZIO_SET_STREAM;
	set.depth = 65537;
	ASSERT_EQ(describe(&prog, &set, 1, 0), ERANGE);
}

/* What ends a stream, and begins another one */
static void change(const char *value)
{
	if (!strcmp(value, "channel"))
		write_text(CSET "/chan1/enable", "0");
	else if (!strcmp(value, "size"))
		write_text(CSET "/trigger/post-samples", "32");
	else if (!strcmp(value, "stop"))
		write_text(CSET "/trigger/enable", "0");
}

TEST_EACH("a stream ends with a change: %s", loaded, "channel", "size", "stop")
{
	struct uzio_complete answer;
	struct feed feed;
	struct pair pair;
	unsigned int was;

	begin(&feed, &stream_set);
	ASSERT_EQ(feed_blocks(&feed, 0, 1), 0);
	change(value);
	/* The program has not heard of it: nobody takes these any more. */
	fill(&feed.lane[0], 2);
	answer = complete_for(&feed, 0, 2);
	ASSERT_EQ(turn(&feed, &answer, 20 * SECOND), 0);
	ASSERT_EQ(feed.prog.ex.late, 1);
	ASSERT_TRUE(feed.is_aborted);
	/* No other stream before the answer */
	ASSERT_EQ(turn(&feed, NULL, 100), 0);
	ASSERT_EQ(feed.prog.ex.requests_given, 0);
	was = feed.id;
	ASSERT_EQ(answer_abort(&feed), 0);
	if (!strcmp(value, "stop")) {
		ASSERT_EQ(feed.id, 0);
		write_text(CSET "/trigger/enable", "1");
		ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	}
	ASSERT_TRUE(feed.id > was);
	ASSERT_EQ(exchange(&feed.prog, &answer, 0), EINVAL);
	ASSERT_EQ(feed.lane[1].on, !!strcmp(value, "channel"));
	ASSERT_EQ(feed.lane[0].n, DEPTH);
	ASSERT_EQ(feed.lane[0].place[0].len, strcmp(value, "size") ? 4 * WORDS : 4 * 32);
	feed.lane[0].next = 77;
	ASSERT_EQ(feed_blocks(&feed, 0, 1), 0);
	pair = open_pair(UPROG "-0-0", O_RDONLY);
	ASSERT_EQ(expect_block(&pair, 0).seq_num, 0);
	ASSERT_EQ(expect_block(&pair, 77).seq_num, 1);
}

TEST("the memory changes only while nobody has mapped it", loaded)
{
	struct uzio_set set = stream_set;
	struct feed feed;
	uint64_t map;

	set.n_chan = 1;
	begin(&feed, &set);
	map = feed.lane[0].map;
	refuse(CSET "/chan0/buffer/max-buffer-kb", "64", EBUSY);
	refuse(CSET "/current_trigger", "user", EINVAL);
	refuse(CSET "/current_buffer", "kmalloc", EOPNOTSUPP);
	munmap(feed.lane[0].mem, feed.lane[0].size);
	feed.lane[0].mem = NULL;
	write_text(CSET "/chan0/buffer/max-buffer-kb", "64");
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed.is_aborted);
	ASSERT_EQ(answer_abort(&feed), 0);
	ASSERT_EQ(feed.lane[0].n, DEPTH);
	ASSERT_TRUE(feed.lane[0].map != map);
	ASSERT_EQ(feed.lane[0].size, 65536);
	ASSERT_EQ(feed_blocks(&feed, 0, 3), 0);
}

TEST("a smaller depth keeps blocks from the program", loaded)
{
	struct feed feed;

	begin(&feed, &stream_set);
	write_text(CSET "/queue-depth", "3");
	ASSERT_EQ(feed_blocks(&feed, 0, 6), 0);
	ASSERT_EQ(feed.lane[0].n, 3);
	write_text(CSET "/queue-depth", "5");
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(feed.lane[0].n, 5);
}

/* 4 KiB of records have about 100 blocks. */
TEST("each channel has its share of a call, and the rest comes with the next ones", loaded)
{
	struct uzio_set set = stream_set;
	struct feed feed;
	int calls = 0;

	set.nsamples = 16;
	set.depth = 200;
	start_feed(&feed, &set, 0);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed.lane[0].n && feed.lane[0].n < 200);
	ASSERT_TRUE(feed.lane[1].n && feed.lane[1].n < 200);
	for (; feed.lane[0].n < 200 || feed.lane[1].n < 200; calls++)
		ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(calls <= 10);
	ASSERT_EQ(turn(&feed, NULL, 0), 0);
	ASSERT_EQ(feed.prog.ex.requests_given, 0);
	ASSERT_EQ(feed_blocks(&feed, 0, 200), 0);
	ASSERT_TEXT(CSET "/chan0/statistics/blocks", "200");
}

TEST("an error of the program ends the stream, and the next read begins another", loaded)
{
	struct uzio_fail fail;
	struct feed feed;
	char byte;
	int fd;

	begin(&feed, &stream_set);
	fd = open_file(UPROG "-0-0-data", O_RDONLY | O_NONBLOCK);
	fail = fail_for(feed.id, EREMOTEIO);
	feed.id = 0;
	feed.lane[0].n = 0;
	feed.lane[1].n = 0;
	ASSERT_EQ(turn(&feed, &fail, 0), 0);
	errno = 0;
	while (read(fd, &byte, 1) < 0 && errno == EAGAIN)
		;
	ASSERT_EQ(errno, EREMOTEIO);
	read(fd, &byte, 1);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(feed.starts, 2);
	ASSERT_EQ(feed_blocks(&feed, 0, 2), 0);
}

TEST("the program closes its file while it streams: readers get ENODEV", loaded)
{
	struct feed feed;
	struct pair pair;
	char byte;

	begin(&feed, &stream_set);
	pair = open_pair(UPROG "-0-0", O_RDONLY);
	ASSERT_EQ(feed_blocks(&feed, 0, 2), 0);
	munmap(feed.lane[0].mem, feed.lane[0].size);
	munmap(feed.lane[1].mem, feed.lane[1].size);
	close(feed.prog.fd);
	ASSERT_EQ(read(pair.data, &byte, 1), -1);
	ASSERT_EQ(errno, ENODEV);
	ASSERT_EQ(count_objects("uprog"), 0);
}

TEST("a program that fetches no stream is unplugged after its time", loaded)
{
	struct program prog;

	/* It may be gone before its nodes are there. */
	open_program(&prog);
	ASSERT_EQ(describe(&prog, &stream_set, 1, 200), 0, prog.message);
	wait_for(20, !count_objects("uprog"));
	ASSERT_EQ(exchange(&prog, NULL, 0), ENODEV);
}

TEST("a program may take its time with blocks, but not with an abort", loaded)
{
	struct feed feed;

	start_feed(&feed, &stream_set, 2000);
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_EQ(turn(&feed, NULL, 4 * SECOND), 0);
	ASSERT_TRUE(exists(UPROG_SYS));
	write_text(CSET "/chan1/enable", "0");
	ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	ASSERT_TRUE(feed.is_aborted);
	wait_for(20, !count_objects("uprog"));
}

TEST("the set's time-out takes blocks back from a program that keeps them", loaded)
{
	struct feed feed;
	struct pair pair;

	begin(&feed, &stream_set);
	pair = open_pair(UPROG "-0-0", O_RDONLY);
	write_text(CSET "/timeout-ms", "50");
	while (!feed.is_aborted)
		ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	write_text(CSET "/timeout-ms", "0");
	ASSERT_EQ(answer_abort(&feed), 0);
	ASSERT_EQ(turn(&feed, NULL, 0), 0);
	ASSERT_EQ(feed.starts, 2);
	ASSERT_EQ(feed.lane[0].n, DEPTH);
	ASSERT_EQ(feed_blocks(&feed, 0, 1), 0);
	ASSERT_EQ(expect_block(&pair, 0).seq_num, 0);
}

TEST("a stream goes on after a suspend", loaded)
{
	struct uzio_complete answer;
	struct feed feed;
	struct pair pair;

	need_suspend();
	begin(&feed, &stream_set);
	pair = open_pair(UPROG "-0-0", O_RDONLY);
	ASSERT_EQ(feed_blocks(&feed, 0, 2), 0);
	suspend();
	if (feed.is_aborted)
		ASSERT_EQ(answer_abort(&feed), 0);
	fill(&feed.lane[0], 2);
	answer = complete_for(&feed, 0, 2);
	ASSERT_EQ(turn(&feed, &answer, 0), 0);
	ASSERT_EQ(feed.prog.ex.late, 0);
	expect_block(&pair, 0);
	expect_block(&pair, 1);
	ASSERT_TRUE(expect_block(&pair, 2).zio_alarms & ZIO_ALARM_SUSPENDED);
	expect_block(&pair, 3);
}

/* Serve the device until it is gone. ready[1] counts the streams. */
static void __attribute__((noreturn)) serve(unsigned int *ready)
{
	struct feed feed;
	unsigned int i;
	int ret = 0;

	start_feed(&feed, &stream_set, 0);
	set(ready, 1);
	while (!ret) {
		set(&ready[1], feed.starts);
		if (feed.is_aborted) {
			/* A late write, which nobody may see */
			fill(&feed.lane[0], feed.lane[0].n);
			ret = answer_abort(&feed);
			continue;
		}
		if (!feed.lane[0].n && !feed.lane[1].n)
			ret = turn(&feed, NULL, -1);
		for (i = 0; i < 2 && !ret && !feed.is_aborted; i++)
			if (feed.lane[i].n)
				ret = feed_blocks(&feed, i, feed.lane[i].n);
	}
	ASSERT_EQ(ret, ENODEV);
	_exit(0);
}

static pid_t start_server(unsigned int *ready)
{
	pid_t pid = fork_child();

	if (!pid)
		serve(ready);
	wait_for(20, get(ready));
	return pid;
}

/* In a child: changes that stop the stream, until the device is gone */
static void start_changes(const char *path)
{
	int fd, i;

	if (fork_child())
		return;
	fd = open_file(path, O_WRONLY);
	for (i = 0; pwrite(fd, i % 2 ? "1" : "0", 1, 0) == 1; i++)
		;
	ASSERT_EQ(errno, ENODEV);
	_exit(0);
}

TEST("readers see whole blocks in order while the stream stops and starts", loaded)
{
	unsigned int *ready = share_memory(PAGE), i;
	pid_t pid = start_server(ready);
	uint32_t word[WORDS], last = 0;
	struct zio_control ctrl;
	struct pair pair;
	unsigned int j;

	pair = open_pair(UPROG "-0-0", O_RDONLY);
	start_changes(CSET "/chan1/enable");
	for (i = 0; i < 1000 || get(&ready[1]) < 10; i++) {
		ctrl = read_control(pair.ctrl);
		/* The end of a stream leaves no gap. */
		ASSERT_EQ(ctrl.seq_num, i);
		ASSERT_EQ(read(pair.data, word, sizeof(word)), sizeof(word));
		ASSERT_TRUE(!i || word[0] > last);
		for (j = 1; j < WORDS; j++)
			ASSERT_EQ(word[j], word[0]);
		last = word[0];
	}
	kill(pid, SIGKILL);
	wait_for(20, !count_objects("uprog"));
	while (read(pair.data, word, sizeof(word)) > 0)
		;
	ASSERT_EQ(errno, ENODEV);
}

/* What the program has done when it dies */
enum { CREATED, FETCHED, MAPPED, COMPLETED, ABORTED, BUSY };

static void __attribute__((noreturn)) die_in_state(int state, unsigned int *ready)
{
	struct feed feed;

	if (state == BUSY)
		serve(ready);
	start_feed(&feed, &stream_set, 0);
	if (state >= FETCHED)
		ASSERT_EQ(turn(&feed, NULL, 20 * SECOND), 0);
	if (state >= MAPPED)
		fill(&feed.lane[0], 1);
	if (state >= COMPLETED)
		ASSERT_EQ(feed_blocks(&feed, 0, 3), 0);
	if (state >= ABORTED)
		write_text(CSET "/chan1/enable", "0");
	set(ready, 1);
	for (;;)
		pause();
}

TEST_EACH("kill -9 in state %s", loaded, "0", "1", "2", "3", "4", "5")
{
	unsigned int *ready = share_memory(PAGE);
	pid_t pid = fork_child();
	char buf[4096];
	int fd;

	if (!pid)
		die_in_state(atoi(value), ready);
	wait_for(60, get(ready));
	fd = open_file(UPROG "-0-0-data", O_RDONLY);
	if (atoi(value) == BUSY)
		ASSERT_TRUE(read(fd, buf, sizeof(buf)) > 0);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	ASSERT_EQ(errno, ENODEV);
	wait_for(20, !count_objects("uprog"));
}
