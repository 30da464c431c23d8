// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_stream_test.c: streams and outputs that programs drive with libzio
 *
 * # check
 * # leaks
 * # not kasan: it judges a library; uzio_stream_test takes the same ways
 */
#include "user.h"

#define CSET	UPROG_SYS "/cset0"
#define DEPTH	4
#define WORDS	16	/* samples of a block */

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static const struct uzio_set stream = {
	.flags = UZIO_SET_STREAM, .n_chan = 1, .ssize = 4, .nsamples = WORDS, .depth = DEPTH,
	.rate_num = 1000000, .rate_den = 1,
};

static struct zio_user_request *next_request(struct zio_user *dev, unsigned int n_blocks)
{
	struct zio_user_request *req;

	ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
	ASSERT_EQ(req->type, UZIO_BLOCKS);
	ASSERT_TRUE(!req->is_aborted);
	ASSERT_EQ(req->n_blocks, n_blocks);
	return req;
}

static void fill(struct zio_user *dev, struct zio_user_request *req, unsigned int n, uint32_t from)
{
	uint32_t *word;
	unsigned int i, k;

	for (i = 0; i < n; i++) {
		ASSERT_EQ(req->blocks[i].len, 4 * WORDS);
		word = zio_user_data(dev, req, i);
		ASSERT_TRUE(word);
		for (k = 0; k < WORDS; k++)
			word[k] = from + i;
	}
}

static void expect_block(struct zio_channel *ch, uint32_t number, unsigned int words)
{
	struct zio_block blk;
	unsigned int k;

	ASSERT_EQ(zio_next(ch, &blk), 1, zio_reason(ch));
	ASSERT_EQ(blk.size, 4 * words);
	for (k = 0; k < words; k++)
		ASSERT_EQ(((const uint32_t *)blk.data)[k], number);
}

TEST("a program completes the oldest blocks of a stream, and gets as many again", loaded)
{
	struct zio_user *dev = make(&stream, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", 0);
	struct zio_user_request *req = next_request(dev, DEPTH), *again;
	unsigned int i, from = 0;

	ASSERT_EQ(req->arm->post_samples, WORDS);
	for (i = 0; i < 30; i++, from += 3) {
		fill(dev, req, 3, from);
		req->filled[1].len = 8;
		req->filled[1].alarms = 1;
		ASSERT_EQ(zio_user_complete(dev, req, 3), 0);
		ASSERT_EQ(req->n_blocks, DEPTH - 3);
		again = next_request(dev, DEPTH);
		ASSERT_TRUE(again == req);
		expect_block(ch, from, WORDS);
		expect_block(ch, from + 1, 2);
		expect_block(ch, from + 2, WORDS);
	}
	ASSERT_EQ(zio_user_late(dev), 0);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("the blocks of a stream can all be answered at once, and some before them lost", loaded)
{
	struct zio_user *dev = make(&stream, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", 0);
	struct zio_user_request *req = next_request(dev, DEPTH);
	struct zio_block blk;

	fill(dev, req, DEPTH, 0);
	req->lost = 5;
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL, "uprog-0000: the request has been answered already");
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.control->seq_num, 5);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("a deep stream gives more than the kernel takes at once", loaded)
{
	const struct uzio_set deep = {
		.flags = UZIO_SET_STREAM, .n_chan = 1, .ssize = 4, .nsamples = WORDS, .depth = 600,
	};
	struct zio_user *dev = make(&deep, 1);
	struct zio_user_request *req;
	struct zio_channel *ch;
	unsigned int i, n;

	write_text(CSET "/chan0/buffer/max-buffer-len", "2048");
	ch = open_channel(UPROG "-0-0", 0);
	ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
	for (n = 0; req->n_blocks < 300; n++)
		ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
	n = req->n_blocks;
	fill(dev, req, n, 0);
	for (i = 0; i < n; i++)
		req->filled[i].alarms = 2;
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	for (i = 0; i < n; i++)
		expect_block(ch, i, WORDS);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("channels of a stream have requests of their own", loaded)
{
	const struct uzio_set two = {
		.flags = UZIO_SET_STREAM, .n_chan = 2, .ssize = 4, .nsamples = WORDS, .depth = 2,
	};
	struct zio_user *dev = make(&two, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-1", 0);
	struct zio_user_request *a = next_request(dev, 2), *b = next_request(dev, 2);

	ASSERT_EQ(a->chan, 0);
	ASSERT_EQ(b->chan, 1);
	fill(dev, a, 2, 10);
	fill(dev, b, 2, 20);
	ASSERT_EQ(zio_user_done(dev, b), 0);
	ASSERT_EQ(zio_user_done(dev, a), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	expect_block(ch, 20, WORDS);
	expect_block(ch, 21, WORDS);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("the end of a stream takes its blocks back, and another one begins", loaded)
{
	struct zio_user *dev = make(&stream, 1);
	struct zio_user_request *req = next_request(dev, DEPTH), *again;
	struct zio_channel *ch;

	write_text(CSET "/enable", "0");
	ASSERT_EQ(zio_user_next(dev, &again, PATIENCE), 1);
	ASSERT_TRUE(again == req);
	ASSERT_TRUE(req->is_aborted);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	write_text(CSET "/enable", "1");
	req = next_request(dev, DEPTH);
	fill(dev, req, DEPTH, 7);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	/* The program has no block without an answer: it does not hear of the end. */
	write_text(CSET "/enable", "0");
	ASSERT_EQ(zio_user_next(dev, &again, 200), 0);
	write_text(CSET "/enable", "1");
	req = next_request(dev, DEPTH);
	ASSERT_EQ(zio_user_fail(dev, req, EIO), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("wrong answers to a stream are told", loaded)
{
	struct zio_user *dev = make(&stream, 1);
	struct zio_user_request *req = next_request(dev, DEPTH);

	ASSERT_EQ(zio_user_complete(dev, req, 0), -1);
	expect_reason(dev, EINVAL, "uprog-0000: set 0: channel 0: 0 blocks of 4");
	ASSERT_EQ(zio_user_complete(dev, req, DEPTH + 1), -1);
	expect_reason(dev, EINVAL, "uprog-0000: set 0: channel 0: 5 blocks of 4");
	req->filled[2].len = 65;
	ASSERT_EQ(zio_user_complete(dev, req, 3), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: set 0: channel 0: the block has room for 64 bytes, not 65");
	ASSERT_EQ(req->n_blocks, DEPTH);
	ASSERT_EQ(zio_user_complete(dev, req, 2), 0);
	ASSERT_EQ(req->n_blocks, DEPTH - 2);
	zio_user_close(dev);
}

/* In a child: write blocks from 1 on, and expect this of fsync(). */
static void start_writer(unsigned int n, int expected)
{
	uint32_t word[WORDS];
	unsigned int i, k;
	int fd;

	if (fork_child())
		return;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(UPROG "-0-0-data", O_WRONLY);
	for (i = 1; i <= n; i++) {
		for (k = 0; k < WORDS; k++)
			word[k] = i;
		ASSERT_EQ(write(fd, word, sizeof(word)), sizeof(word));
	}
	ASSERT_EQ(fsync(fd) ? errno : 0, expected);
	_exit(0);
}

static void expect_samples(struct zio_user *dev, struct zio_user_request *req, unsigned int i,
			   uint32_t number)
{
	const uint32_t *word = zio_user_data(dev, req, i);
	unsigned int k;

	ASSERT_TRUE(word);
	ASSERT_EQ(req->blocks[i].len, 4 * WORDS);
	for (k = 0; k < WORDS; k++)
		ASSERT_EQ(word[k], number);
}

TEST("a program plays armed blocks, and their writer hears of it", loaded)
{
	const struct uzio_set output = {
		.flags = UZIO_SET_OUTPUT, .n_chan = 1, .ssize = 4, .nsamples = WORDS,
	};
	struct zio_user *dev = make(&output, 1);
	struct zio_user_request *req;
	unsigned int i;

	start_writer(3, 0);
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
		ASSERT_EQ(req->type, UZIO_ARM);
		expect_samples(dev, req, 0, i);
		req->lost = 1;
		ASSERT_EQ(zio_user_done(dev, req), -1);
		expect_reason(dev, EINVAL,
			      "uprog-0000: set 0: an armed output cannot lose blocks: answer with zio_user_fail()");
		req->lost = 0;
		ASSERT_EQ(zio_user_done(dev, req), 0);
	}
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(1);
	zio_user_close(dev);
}

TEST("a program plays a stream, and tells which blocks it could not play", loaded)
{
	const struct uzio_set output = {
		.flags = UZIO_SET_OUTPUT | UZIO_SET_STREAM, .n_chan = 1, .ssize = 4,
		.nsamples = WORDS, .depth = DEPTH,
	};
	struct zio_user *dev = make(&output, 1);
	struct zio_user_request *req;
	unsigned int played = 0, n;

	start_writer(6, EIO);
	while (played < 6) {
		ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
		ASSERT_EQ(req->type, UZIO_BLOCKS);
		n = req->n_blocks;
		expect_samples(dev, req, n - 1, played + n);
		req->lost = n + 1;
		ASSERT_EQ(zio_user_done(dev, req), -1);
		req->lost = !played;
		ASSERT_EQ(zio_user_done(dev, req), 0);
		played += n;
	}
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(1);
	zio_user_close(dev);
}
