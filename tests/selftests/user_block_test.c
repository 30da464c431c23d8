// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_block_test.c: what blocks of devices that programs drive with libzio can be, and mean
 *
 * # check
 * # leaks
 * # not kasan: it judges a library; uzio_block_test takes the same ways
 */
#include "user.h"

#define SET_SYS	UPROG_SYS "/cset0"

enum { OVERLOAD, CELSIUS, GAIN, N_ATTRS };

static const struct uzio_attr attrs[N_ATTRS] = {
	{ .name = "overload", .flags = UZIO_ATTR_CHANNELS, .place = UZIO_PLACE_BLOCK, .index = 7,
	  .value = 11 },
	{ .name = "celsius", .flags = UZIO_ATTR_SIGNED, .place = UZIO_PLACE_BLOCK, .index = 8,
	  .value = -5 },
	{ .name = "gain" },
};

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static void finish(struct zio_user *dev, struct zio_user_request *req)
{
	ASSERT_EQ(zio_user_done(dev, req), 0, zio_user_reason(dev));
	ASSERT_EQ(zio_user_flush(dev), 0, zio_user_reason(dev));
}

TEST("each block has its own values", loaded)
{
	static const struct uzio_set words = { .n_chan = 2, .ssize = 2 };
	struct zio_user *dev = make_with(&words, 1, attrs, N_ATTRS);
	struct zio_channel *ch = open_channel(UPROG "-0-1", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch);
	struct zio_block blk;

	ASSERT_EQ(zio_user_put_block_value(dev, req, 0, OVERLOAD, 66), 0);
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, OVERLOAD, UINT32_MAX), 0);
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, CELSIUS, -40), 0);
	ASSERT_EQ(zio_user_put_block_value(dev, req, 2, CELSIUS, 0), -1);
	expect_reason(dev, EINVAL, "uprog-0000: there is no block 2: the request has 2");
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, GAIN, 0), -1);
	expect_reason(dev, EINVAL, "uprog-0000: attribute 2 is none of each block of set 0");
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, N_ATTRS, 0), -1);
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, OVERLOAD, -1), -1);
	expect_reason(dev, EINVAL, "uprog-0000: attribute 0: -1 is not 0 to 4294967295");
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, CELSIUS, 1LL << 31), -1);
	ASSERT_EQ(zio_user_put_block_value(dev, NULL, 1, CELSIUS, 0), -1);
	finish(dev, req);
	ASSERT_EQ(zio_user_put_block_value(dev, req, 1, CELSIUS, 0), -1);
	expect_reason(dev, EINVAL, "uprog-0000: the request has been answered already");
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.control->attr_channel.ext_val[7], UINT32_MAX);
	ASSERT_EQ((int)blk.control->attr_channel.ext_val[8], -40);
	/* The next block has the initial values again. */
	finish(dev, arm(dev, ch));
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.control->attr_channel.ext_val[7], 11);
	ASSERT_EQ((int)blk.control->attr_channel.ext_val[8], -5);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("values of blocks that the kernel has taken back are dropped", loaded)
{
	static const struct uzio_set words = { .n_chan = 1, .ssize = 2 };
	struct zio_user *dev = make_with(&words, 1, attrs, N_ATTRS);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_user_request *req = arm(dev, ch);
	struct zio_block blk;

	write_text(SET_SYS "/enable", "0");
	ASSERT_EQ(zio_user_put_block_value(dev, req, 0, CELSIUS, 1), 0);
	finish(dev, req);
	ASSERT_EQ(zio_user_late(dev), 1);
	write_text(SET_SYS "/enable", "1");
	finish(dev, arm(dev, ch));
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ((int)blk.control->attr_channel.ext_val[8], -5);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("an arming has several shots, and samples before the event", loaded)
{
	static const struct uzio_set words = {
		.n_chan = 2, .ssize = 2, .max_shots = 4, .flags = UZIO_SET_PRE_SAMPLES,
	};
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch;
	struct zio_user_request *req;
	struct zio_block blk;
	unsigned int i;

	write_text(SET_SYS "/trigger/nshots", "3");
	write_text(SET_SYS "/trigger/pre-samples", "5");
	ch = open_channel(UPROG "-0-1", ZIO_OPEN_NONBLOCK);
	req = arm(dev, ch);
	ASSERT_EQ(req->arm->nshots, 3);
	ASSERT_EQ(req->arm->pre_samples, 5);
	ASSERT_EQ(req->n_blocks, 6);
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(req->blocks[i].shot, i / 2);
		ASSERT_EQ(req->blocks[i].chan, i % 2);
		ASSERT_EQ(req->blocks[i].len, 2 * 21);
		*(uint16_t *)zio_user_data(dev, req, i) = 100 + i;
	}
	finish(dev, req);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(zio_next(ch, &blk), 1);
		ASSERT_EQ(*(const uint16_t *)blk.data, 101 + 2 * i);
	}
	zio_close(ch);
	zio_user_close(dev);
}

TEST("an interleaved block has whole samples of the enabled channels", loaded)
{
	static const struct uzio_set words = {
		.n_chan = 3, .ssize = 2, .flags = UZIO_SET_INTERLEAVED,
	};
	struct zio_user *dev = make(&words, 1);
	struct zio_channel *ch;
	struct zio_user_request *req;
	struct zio_block blk;

	write_text(SET_SYS "/channels", "0x5");
	ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	req = arm(dev, ch);
	ASSERT_EQ(req->arm->mask, 5);
	ASSERT_EQ(req->n_blocks, 1);
	ASSERT_EQ(req->blocks[0].len, 16 * 2 * 2);
	req->filled[0].len = 10;
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: set 0: channel 0: 10 bytes are not whole samples of 4 bytes");
	req->filled[0].len = 12;
	memcpy(zio_user_data(dev, req, 0), "abcdefghijkl", 12);
	finish(dev, req);
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(blk.size, 12);
	ASSERT_TRUE(!memcmp(blk.data, "abcdefghijkl", 12));
	zio_close(ch);
	zio_user_close(dev);
}

TEST("rate and scale change from now on", loaded)
{
	struct uzio_set now = { .n_chan = 2, .ssize = 2 };
	struct zio_user *dev;

	ASSERT_EQ(zio_user_set_scale(&now, ZIO_UNIT_V, 1, 0), 0);
	dev = make_with(&now, 1, attrs, N_ATTRS);
	ASSERT_EQ(zio_user_set_rate(&now, 22050), 0);
	ASSERT_EQ(zio_user_set_scale(&now, ZIO_UNIT_A, 0.025, 1), 0);
	ASSERT_EQ(zio_user_put_timing(dev, 0, &now), 0);
	ASSERT_EQ(zio_user_put_scale(dev, 0, 1, &now), 0);
	ASSERT_EQ(zio_user_put(dev, GAIN, 0, 40), 0);
	ASSERT_EQ(zio_user_flush(dev), 0, zio_user_reason(dev));
	ASSERT_TEXT(SET_SYS "/sample-rate", "22050");
	ASSERT_TEXT(SET_SYS "/chan1/unit", "A");
	ASSERT_TEXT(SET_SYS "/chan1/scale", "0.025");
	ASSERT_TEXT(SET_SYS "/chan1/offset", "1");
	ASSERT_TEXT(SET_SYS "/chan0/unit", "V");
	ASSERT_EQ(zio_user_put_scale(dev, 0, UZIO_ALL_CHANNELS, &now), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_TEXT(SET_SYS "/chan0/unit", "A");
	zio_user_close(dev);
}

TEST("the first sample and the error of a timing reach the blocks", loaded)
{
	struct uzio_set now = { .n_chan = 1, .ssize = 2 };
	struct zio_user *dev = make_with(&now, 1, &attrs[GAIN], 1);
	struct zio_channel *ch = open_channel(UPROG "-0-0", ZIO_OPEN_NONBLOCK);
	struct zio_timeline *tl = zio_timeline_open(NULL);
	const struct zio_timestamp *stamp;
	struct zio_place place;
	struct zio_block blk;

	ASSERT_EQ(zio_user_set_rate(&now, 1000), 0);
	now.first_ps = -5000000;
	now.error_ns = 70;
	/* The attribute and the timing change together. */
	ASSERT_EQ(zio_user_put_timing(dev, 0, &now), 0);
	ASSERT_EQ(zio_user_put(dev, 0, 0, 1), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	finish(dev, arm(dev, ch));
	ASSERT_EQ(zio_next(ch, &blk), 1);
	ASSERT_EQ(zio_timeline_add(tl, blk.control, &place, NULL), 0);
	stamp = &blk.control->tstamp;
	ASSERT_EQ(place.event.ns - (int64_t)(stamp->secs * NSEC + stamp->ticks), -5000);
	ASSERT_EQ(place.error_ns, 70);
	zio_timeline_close(tl);
	zio_close(ch);
	zio_user_close(dev);
}

TEST("a wrong rate or scale is told, and holds up nothing", loaded)
{
	struct uzio_set now = { .n_chan = 2, .ssize = 2, .error_ns = 2000000000 };
	struct zio_user *dev = make(&(struct uzio_set){ .n_chan = 2, .ssize = 2 }, 1);

	ASSERT_EQ(zio_user_put_timing(dev, 1, &now), -1);
	expect_reason(dev, EINVAL, "uprog-0000: there is no set 1");
	ASSERT_EQ(zio_user_put_scale(dev, 0, 2, &now), -1);
	expect_reason(dev, EINVAL, "uprog-0000: set 0: there is no channel 2");
	ASSERT_EQ(zio_user_put_timing(dev, 0, NULL), -1);
	ASSERT_EQ(zio_user_put_scale(NULL, 0, 0, &now), -1);
	ASSERT_EQ(zio_user_put_timing(dev, 0, &now), 0);
	ASSERT_EQ(zio_user_flush(dev), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: no set can have the rate, first sample and error of zio_user_put_timing()");
	/* The set has no scale. */
	ASSERT_EQ(zio_user_set_scale(&now, ZIO_UNIT_V, 2, 0), 0);
	now.error_ns = 0;
	ASSERT_EQ(zio_user_set_rate(&now, 5), 0);
	ASSERT_EQ(zio_user_put_scale(dev, 0, 0, &now), 0);
	ASSERT_EQ(zio_user_put_timing(dev, 0, &now), 0);
	ASSERT_EQ(zio_user_flush(dev), -1);
	expect_reason(dev, EINVAL,
		      "uprog-0000: the set has no scale, or cannot have that of zio_user_put_scale()");
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_for(10, !strcmp(text_in(SET_SYS "/sample-rate"), "5"));
	zio_user_close(dev);
}
