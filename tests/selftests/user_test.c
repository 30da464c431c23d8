// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_test.c: devices that programs drive with libzio
 *
 * # check
 * # leaks
 * # not kasan: it judges a library; uzio_test takes the same ways
 */
#include <pthread.h>

#include "user.h"

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

/* One set of 16-bit samples, two channels */
static const struct uzio_set words = { .name = "words", .n_chan = 2, .ssize = 2 };

static void fill(struct zio_user *dev, struct zio_user_request *req, uint16_t from)
{
	uint16_t *word;
	unsigned int i, k;

	for (i = 0; i < req->n_blocks; i++) {
		word = zio_user_data(dev, req, i);
		ASSERT_TRUE(word);
		for (k = 0; k < req->blocks[i].len / 2; k++)
			word[k] = from + 100 * req->blocks[i].chan + k;
	}
}

TEST("a program fills blocks in place, and tells their length, time and alarms", loaded)
{
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-1", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req;
	struct zio_block blk;
	unsigned int i;

	ASSERT_TRUE(!strcmp(zio_user_name(dev), "uprog-0000"));
	ASSERT_EQ(zio_user_next(dev, &req, 0), 0);
	req = arm(dev, ch);
	ASSERT_EQ(req->set, 0);
	ASSERT_EQ(req->n_blocks, 2);
	ASSERT_EQ(req->arm->post_samples, 16);
	ASSERT_EQ(req->filled[0].time.secs, req->arm->time.secs);
	ASSERT_EQ(req->filled[0].time.ticks, req->arm->time.ticks);
	fill(dev, req, 1000);
	req->filled[1].len = 20;
	req->filled[1].alarms = 3;
	req->filled[1].flags = UZIO_FILLED_TIME;
	req->filled[1].time = (struct zio_timestamp){ .secs = 1234, .ticks = 5678 };
	req->lost = 2;
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.size, 20);
	ASSERT_EQ(blk.control->tstamp.secs, 1234);
	ASSERT_EQ(blk.control->tstamp.ticks, 5678);
	ASSERT_EQ(blk.control->drv_alarms, 3);
	ASSERT_EQ(blk.control->seq_num, 2);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(((const uint16_t *)blk.data)[i], 1100 + i);
	ASSERT_EQ(zio_user_late(dev), 0);
	zio_close(ch);
	zio_user_close(dev);
	wait_for(10, !exists(UPROG_SYS));
}

TEST("the error of a description names the device and the field", loaded)
{
	static const struct uzio_set wrong = { .n_chan = 1, .ssize = 2, .nbits = 17 };
	struct zio_user_device device = { .name = "uprog", .id = -1, .sets = &wrong, .n_sets = 1 };
	struct zio_error err;
	struct zio_user *dev;

	ASSERT_TRUE(!zio_user_create(&device, &err));
	ASSERT_EQ(err.code, EINVAL);
	ASSERT_TRUE(!strcmp(err.text, "uprog: set 0: nbits is 17, but ssize is 2 bytes"), err.text);
	device.name = "a-name-too-long";
	ASSERT_TRUE(!zio_user_create(&device, &err));
	ASSERT_EQ(err.code, ENAMETOOLONG);
	ASSERT_TRUE(!strcmp(err.text, "a-name-too-long: name has more than 11 characters"),
		    err.text);
	ASSERT_TRUE(!zio_user_create(NULL, &err));
	ASSERT_EQ(err.code, EINVAL);
	dev = make(&words, 1);
	device = (struct zio_user_device){ .name = "uprog", .sets = &words, .n_sets = 1 };
	ASSERT_TRUE(!zio_user_create(&device, &err));
	ASSERT_EQ(err.code, EEXIST);
	ASSERT_TRUE(strstr(err.text, "choose id -1"), err.text);
	zio_user_close(dev);
	ASSERT_EQ(count_objects("uprog"), 0);
}

TEST("rate and scale of a description come from numbers", loaded)
{
	struct uzio_set set = { .n_chan = 1, .ssize = 2 };
	struct zio_user *dev;

	ASSERT_EQ(zio_user_set_rate(&set, 44100.5), 0);
	ASSERT_EQ(zio_user_set_scale(&set, ZIO_UNIT_V, 1.25e-3, -0.5), 0);
	ASSERT_EQ(set.scaling.mant, 125);
	ASSERT_EQ(set.scaling.exp, -5);
	ASSERT_EQ(set.scaling.offset, -5);
	ASSERT_EQ(set.scaling.offset_exp, -1);
	dev = make(&set, 1);
	ASSERT_TEXT(UPROG_SYS "/cset0/sample-rate", "88201/2");
	ASSERT_TEXT(UPROG_SYS "/cset0/chan0/scale", "0.00125");
	ASSERT_TEXT(UPROG_SYS "/cset0/chan0/offset", "-0.5");
	zio_user_close(dev);
	/* What cannot be described changes nothing. */
	ASSERT_EQ(zio_user_set_scale(&set, ZIO_UNIT_A, 0, 0), -1);
	ASSERT_EQ(errno, ERANGE);
	ASSERT_EQ(zio_user_set_scale(&set, ZIO_UNIT_A, 1e300, 0), -1);
	ASSERT_EQ(zio_user_set_scale(&set, ZIO_UNIT_A, 1, __builtin_inf()), -1);
	ASSERT_EQ(set.scaling.unit, ZIO_UNIT_V);
	ASSERT_EQ(set.scaling.mant, 125);
	ASSERT_EQ(zio_user_set_scale(&set, ZIO_UNIT_A, 3e200, 0), 0);
	ASSERT_EQ(set.scaling.mant, 3);
	ASSERT_EQ(set.scaling.exp, 200);
	ASSERT_EQ(set.scaling.offset, 0);
	ASSERT_EQ(set.scaling.offset_exp, 0);
	ASSERT_EQ(zio_user_set_rate(&set, 0), -1);
	ASSERT_EQ(errno, ERANGE);
	ASSERT_EQ(set.rate_num, 88201);
}

TEST("wrong answers are told, and the right one is still taken", loaded)
{
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch);
	struct zio_block blk;

	req->filled[0].len = 34;
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: set 0: channel 0: the block has room for 32 bytes, not 34");
	req->filled[0].len = 31;
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: set 0: channel 0: 31 bytes are not whole samples of 2 bytes");
	req->filled[0].len = 32;
	req->filled[1].flags = UZIO_FILLED_TIME;
	req->filled[1].time.ticks = 1000000000;
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: set 0: channel 1: 1000000000 ticks: a second has 1000000000");
	req->filled[1].flags = 2;
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL, "uprog-0000: set 0: channel 1: unknown flags 0x2");
	req->filled[1].flags = 0;
	ASSERT_EQ(zio_user_fail(dev, req, 512), -1);
	expect_reason(dev, EINVAL, "uprog-0000: 512 is no errno: 1 to 511");
	ASSERT_TRUE(!zio_user_data(dev, req, 2));
	expect_reason(dev, EINVAL, "uprog-0000: there is no block 2: the request has 2");
	fill(dev, req, 7);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL, "uprog-0000: the request has been answered already");
	ASSERT_TRUE(!zio_user_data(dev, req, 0));
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(*(const uint16_t *)blk.data, 7);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("a failed request gives the reader its errno", loaded)
{
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch);
	struct zio_block blk;

	ASSERT_EQ(zio_user_fail(dev, req, ETIMEDOUT), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_EQ(zio_next(ch, &blk), -1);
	ASSERT_EQ(errno, ETIMEDOUT);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("the sets of a device have requests of their own, which may wait together", loaded)
{
	static const struct uzio_set sets[2] = {
		{ .name = "a", .n_chan = 1, .ssize = 2 }, { .name = "b", .n_chan = 1, .ssize = 2 },
	};
	struct zio_user *dev = make(sets, 2);
	struct zio_channel *a = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_channel *b = open_channel(UPROG "-1-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *of_a = arm(dev, a), *of_b = arm(dev, b);
	struct zio_block blk;

	ASSERT_EQ(of_a->set, 0);
	ASSERT_EQ(of_b->set, 1);
	ASSERT_TRUE(zio_user_data(dev, of_a, 0) != zio_user_data(dev, of_b, 0));
	fill(dev, of_a, 10);
	fill(dev, of_b, 20);
	ASSERT_EQ(zio_user_done(dev, of_b), 0);
	ASSERT_EQ(zio_user_done(dev, of_a), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_EQ(zio_next(a, &blk), 1);
	ASSERT_EQ(*(const uint16_t *)blk.data, 10);
	ASSERT_EQ(zio_next(b, &blk), 1);
	ASSERT_EQ(*(const uint16_t *)blk.data, 20);
	zio_close(a);
	zio_close(b);
	zio_user_close(dev);
}

TEST("a flush between two requests loses none of them", loaded)
{
	static const struct uzio_set sets[2] = {
		{ .name = "a", .n_chan = 1, .ssize = 2 }, { .name = "b", .n_chan = 1, .ssize = 2 },
	};
	struct zio_user *dev = make(sets, 2);
	struct zio_channel *ch[2] = {
		open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK),
		open_channel(UPROG "-1-0", ZIO_OPEN_NONBLOCK),
	};
	struct zio_user_request *req;
	struct zio_block blk;
	unsigned int i;

	/* Both requests come with one system call. */
	for (i = 0; i < 2; i++)
		ASSERT_EQ(zio_next(ch[i], &blk), -1);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
		ASSERT_EQ(req->set, i);
		ASSERT_EQ(zio_user_done(dev, req), 0);
		ASSERT_EQ(zio_user_flush(dev), 0);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(zio_next(ch[i], &blk), 1);
		zio_close(ch[i]);
	}
	zio_user_close(dev);
}

TEST("an abort returns the same request again, and a late answer is counted", loaded)
{
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch), *again;
	void *old = zio_user_data(dev, req, 0);

	write_text(UPROG_SYS "/cset0/enable", "0");
	ASSERT_EQ(zio_user_next(dev, &again, PATIENCE), 1);
	ASSERT_TRUE(again == req);
	ASSERT_TRUE(req->is_aborted);
	ASSERT_TRUE(zio_user_data(dev, req, 0) == old);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_next(dev, &again, 0), 0);
	ASSERT_EQ(zio_user_late(dev), 1);
	write_text(UPROG_SYS "/cset0/enable", "1");
	req = arm(dev, ch);
	ASSERT_TRUE(!req->is_aborted);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("memory that has changed before it was mapped is the new one", loaded)
{
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch);
	struct zio_block blk;

	write_text(UPROG_SYS "/cset0/enable", "0");
	ASSERT_EQ(zio_user_fail(dev, req, EIO), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	zio_close(ch);
	write_text(UPROG_SYS "/cset0/chan0/buffer/max-buffer-kb", "256");
	write_text(UPROG_SYS "/cset0/enable", "1");
	ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	req = arm(dev, ch);
	ASSERT_TRUE(req->blocks[0].map_size >= 256 << 10);
	fill(dev, req, 42);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(*(const uint16_t *)blk.data, 42);
	zio_close(ch);
	refuse(UPROG_SYS "/cset0/chan0/buffer/max-buffer-kb", "128", EBUSY);
	zio_user_close(dev);
}

struct serving {
	struct zio_user *dev;
	unsigned int count;
	int code;
};

static void *serve(void *arg)
{
	struct serving *serving = arg;
	struct zio_user_request *req;

	while (zio_user_next(serving->dev, &req, -1) == 1) {
		fill(serving->dev, req, serving->count++);
		ASSERT_EQ(zio_user_done(serving->dev, req), 0);
	}
	serving->code = errno;
	return NULL;
}

TEST("a program serves 1000 blocks, until another thread interrupts it", loaded)
{
	struct serving serving = { .dev = make(&words, 1) };
	struct zio_channel *ch = open_channel(UPROG "-0-1", 0);
	struct zio_block blk;
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(pthread_create(&thread, NULL, serve, &serving), 0);
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(zio_next(ch, &blk), 1, zio_reason(ch));
		ASSERT_EQ(((const uint16_t *)blk.data)[3], i + 103);
		ASSERT_EQ(blk.control->seq_num, i);
	}
	zio_user_interrupt(serving.dev);
	pthread_join(thread, NULL);
	ASSERT_EQ(serving.code, ECANCELED);
	ASSERT_TRUE(serving.count >= 1000);
	zio_close(ch);
	zio_user_close(serving.dev);
}

TEST("an interrupt stays until it is taken back, and answers still arrive", loaded)
{
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch), *none;
	struct zio_block blk;

	fill(dev, req, 5);
	zio_user_interrupt(dev);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_next(dev, &none, -1), -1);
	expect_reason(dev, ECANCELED, "uprog-0000: interrupted");
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(*(const uint16_t *)blk.data, 5);
	ASSERT_EQ(zio_user_next(dev, &none, 0), -1);
	zio_user_resume(dev);
	ASSERT_EQ(zio_user_next(dev, &none, 0), 0);
	ASSERT_EQ(zio_user_next(dev, &none, 30), 0);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("the reader of a program that dies gets ENODEV", loaded)
{
	struct zio_channel *ch;
	struct zio_block blk;
	struct zio_user *dev;
	int ready[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(pipe(ready), 0);
	pid = fork_child();
	if (!pid) {
		dev = make(&words, 1);
		ASSERT_TRUE(dev && write(ready[1], "", 1) == 1);
		for (;;)
			pause();
	}
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	ch = open_channel(UPROG "-0-0", 0);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	ASSERT_EQ(zio_next(ch, &blk), -1);
	ASSERT_EQ(errno, ENODEV);
	zio_close(ch);
	close(ready[0]);
	close(ready[1]);
	wait_for(10, !exists(UPROG_SYS));
}

TEST("functions refuse NULL", loaded)
{
	struct zio_user_request *req;

	ASSERT_EQ(zio_user_next(NULL, &req, 0), -1);
	ASSERT_EQ(errno, EINVAL);
	ASSERT_EQ(zio_user_done(NULL, NULL), -1);
	ASSERT_EQ(zio_user_fail(NULL, NULL, EIO), -1);
	ASSERT_TRUE(!zio_user_data(NULL, NULL, 0));
	ASSERT_EQ(zio_user_flush(NULL), -1);
	ASSERT_EQ(zio_user_fd(NULL), -1);
	ASSERT_TRUE(!zio_user_name(NULL));
	ASSERT_TRUE(!zio_user_reason(NULL));
	ASSERT_EQ(zio_user_set_rate(NULL, 1), -1);
	ASSERT_EQ(zio_user_set_scale(NULL, ZIO_UNIT_V, 1, 0), -1);
	zio_user_close(NULL);
	zio_user_interrupt(NULL);
	zio_user_resume(NULL);
}
