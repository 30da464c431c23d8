// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_attr_test.c: attributes of devices that programs drive with libzio
 *
 * # check
 * # leaks
 * # not kasan: it judges a library; uzio_attr_test takes the same ways
 */
#include "user.h"

#define SET_SYS	UPROG_SYS "/cset0"

enum { GAIN, LEVEL, N_ATTRS };

static const struct uzio_attr attrs[N_ATTRS] = {
	{ .name = "gain", .set = 0, .flags = UZIO_ATTR_CHANNELS, .place = UZIO_PLACE_STD,
	  .index = ZIO_ATTR_GAIN, .value = 1, .min = 1, .max = 100 },
	{ .name = "level", .set = UZIO_DEVICE, .flags = UZIO_ATTR_SIGNED, .min = -9, .max = 9 },
};

static const struct uzio_set words = { .name = "words", .n_chan = 2, .ssize = 2 };

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static struct zio_user *make_with_attrs(void)
{
	return make_with(&words, 1, attrs, N_ATTRS);
}

/* A user in a child, who keeps no file of the program. @code: 0, or the errno of the write */
static void start_user(const char *path, const char *text, int code)
{
	int fd;

	if (fork_child())
		return;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(path, O_WRONLY);
	errno = 0;
	ASSERT_EQ(write(fd, text, strlen(text)) < 0 ? errno : 0, code);
	_exit(0);
}

static struct zio_user_request *await_value(struct zio_user *dev, unsigned int attr,
					    unsigned int chan, int64_t value)
{
	struct zio_user_request *req;

	ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
	ASSERT_EQ(req->type, UZIO_SET);
	ASSERT_EQ(req->attr, attr);
	ASSERT_EQ(req->chan, chan);
	ASSERT_EQ(req->value, value);
	return req;
}

TEST("a program sets what users write, or another value", loaded)
{
	struct zio_user *dev = make_with_attrs();
	struct zio_user_request *req;

	start_user(SET_SYS "/chan1/gain", "10", 0);
	req = await_value(dev, GAIN, 1, 10);
	ASSERT_EQ(req->set, 0);
	req->value = 8;
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_done(dev, req), -1);
	expect_reason(dev, EINVAL, "uprog-0000: the request has been answered already");
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(1);
	ASSERT_TEXT(SET_SYS "/chan1/gain", "8");
	ASSERT_TEXT(SET_SYS "/chan0/gain", "1");
	start_user(UPROG_SYS "/level", "-3", 0);
	req = await_value(dev, LEVEL, 0, -3);
	ASSERT_EQ(req->set, UZIO_DEVICE);
	ASSERT_EQ(zio_user_done(dev, req), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(1);
	ASSERT_TEXT(UPROG_SYS "/level", "-3");
	zio_user_close(dev);
}

TEST("a program refuses a value with a reason", loaded)
{
	struct zio_user *dev = make_with_attrs();
	struct zio_user_request *req;

	start_user(UPROG_SYS "/level", "5", EREMOTEIO);
	req = await_value(dev, LEVEL, 0, 5);
	ASSERT_EQ(zio_user_refuse(dev, req, 0, "why"), -1);
	expect_reason(dev, EINVAL, "uprog-0000: 0 is no errno: 1 to 511");
	ASSERT_EQ(zio_user_refuse(dev, req, EREMOTEIO, "the range\nis locked"), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(1);
	ASSERT_TEXT(UPROG_SYS "/refusal", "level=5: the range is locked");
	ASSERT_TEXT(UPROG_SYS "/level", "0");
	start_user(UPROG_SYS "/level", "6", EPERM);
	req = await_value(dev, LEVEL, 0, 6);
	ASSERT_TRUE(!zio_user_data(dev, req, 0));
	expect_reason(dev, EINVAL, "uprog-0000: a request for an attribute has no blocks");
	ASSERT_EQ(zio_user_fail(dev, req, EPERM), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(1);
	zio_user_close(dev);
}

TEST("a program changes values by itself", loaded)
{
	struct zio_user *dev = make_with_attrs();

	ASSERT_EQ(zio_user_put(dev, GAIN, 1, 50), 0);
	ASSERT_EQ(zio_user_put(dev, LEVEL, 0, -9), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_TEXT(SET_SYS "/chan1/gain", "50");
	ASSERT_TEXT(UPROG_SYS "/level", "-9");
	ASSERT_EQ(zio_user_put(dev, GAIN, 2, 50), -1);
	expect_reason(dev, EINVAL, "uprog-0000: there is no attribute 0 of channel 2");
	ASSERT_EQ(zio_user_put(dev, N_ATTRS, 0, 50), -1);
	/* What the kernel refuses does not hold up what follows. */
	ASSERT_EQ(zio_user_put(dev, LEVEL, 0, 1LL << 40), 0);
	ASSERT_EQ(zio_user_put(dev, LEVEL, 0, 4), 0);
	ASSERT_EQ(zio_user_flush(dev), -1);
	ASSERT_EQ(errno, EINVAL);
	ASSERT_EQ(zio_user_flush(dev), 0);
	ASSERT_TEXT(UPROG_SYS "/level", "4");
	zio_user_close(dev);
}

TEST("users of several attributes wait together", loaded)
{
	struct zio_user *dev = make_with_attrs();
	struct zio_user_request *level, *gain;

	start_user(UPROG_SYS "/level", "1", 0);
	level = await_value(dev, LEVEL, 0, 1);
	start_user(SET_SYS "/chan0/gain", "2", 0);
	gain = await_value(dev, GAIN, 0, 2);
	ASSERT_TRUE(gain != level);
	ASSERT_EQ(zio_user_done(dev, gain), 0);
	ASSERT_EQ(zio_user_done(dev, level), 0);
	ASSERT_EQ(zio_user_flush(dev), 0);
	wait_children(2);
	ASSERT_TEXT(UPROG_SYS "/level", "1");
	ASSERT_TEXT(SET_SYS "/chan0/gain", "2");
	zio_user_close(dev);
}
