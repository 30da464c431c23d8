/* SPDX-License-Identifier: GPL-2.0-only */
/* user.h: programs that drive a device with libzio, for tests */
#ifndef USER_TEST_H
#define USER_TEST_H

#include "board.h"
#include "harness.h"
#include "libzio/zio.h"

#define UPROG		"/dev/zio/uprog-0000"
#define UPROG_SYS	"/sys/bus/zio/devices/uprog-0000"
#define PATIENCE	20000	/* ms */

static inline struct zio_user *make_with(const struct uzio_set *sets, unsigned int n,
					 const struct uzio_attr *attrs, unsigned int n_attrs)
{
	const struct zio_user_device device = {
		.name = "uprog", .id = -1, .sets = sets, .n_sets = n, .attrs = attrs,
		.n_attrs = n_attrs,
	};
	struct zio_error err = { .text = "" };
	struct zio_user *dev = zio_user_create(&device, &err);

	if (!dev)
		FAIL("%s", err.text);
	/* devtmpfs makes the nodes in a thread of its own. */
	wait_for(10, exists(UPROG "-0-0-data"));
	return dev;
}

static inline struct zio_user *make(const struct uzio_set *sets, unsigned int n)
{
	return make_with(sets, n, NULL, 0);
}

/* A reader without patience, who arms the set; returns the request. */
static inline struct zio_user_request *arm(struct zio_user *dev, struct zio_channel *ch)
{
	struct zio_user_request *req;
	struct zio_block blk;

	ASSERT_EQ(zio_next(ch, &blk), -1);
	ASSERT_EQ(errno, EAGAIN);
	ASSERT_EQ(zio_user_next(dev, &req, PATIENCE), 1);
	ASSERT_EQ(req->type, UZIO_ARM);
	return req;
}

static inline struct zio_channel *open_channel(const char *name, int flags)
{
	struct zio_error err = { .text = "" };
	struct zio_channel *ch = zio_open(name, flags, &err);

	if (!ch)
		FAIL("%s", err.text);
	return ch;
}

static inline void expect_reason(struct zio_user *dev, int code, const char *text)
{
	ASSERT_EQ(errno, code);
	if (strcmp(zio_user_reason(dev), text))
		FAIL("'%s', expected '%s'", zio_user_reason(dev), text);
}

#endif /* USER_TEST_H */
