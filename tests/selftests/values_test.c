// SPDX-License-Identifier: GPL-2.0-only
/*
 * values_test.c: values of each block: orders for trains of pulses to zio-fake-dtc, which
 * hears them again
 *
 */
#include <sys/ioctl.h>

#include "board.h"
#include "harness.h"
#include "libzio/zio.h"
#include "pulse.h"

#define ZDTC		"/sys/bus/zio/devices/zdtc-0000"
#define OUT		"/dev/zio/zdtc-0000-0-0"
#define IN		"/dev/zio/zdtc-0000-1-0"
#define NAMES		ZDTC "/cset0/chan0/control-attrs"

enum { DELAY, WIDTH, PERIOD, COUNT };	/* of an order */
enum { PULSE, HEARD_WIDTH, LATE };	/* of a pulse */

SETUP(fresh)
{
	load("zio-fake-dtc");
	renew("zio-fake-dtc", 0);
}

static uint32_t value_at(const struct zio_control *ctrl, int position)
{
	ASSERT_TRUE(ctrl->attr_channel.ext_mask & 1u << position);
	return ctrl->attr_channel.ext_val[position];
}

/* Read one pulse; assert its number in the train, and its length. */
static struct zio_control read_train(int fd, uint32_t pulse, uint32_t width)
{
	struct zio_control ctrl = read_control(fd);

	ASSERT_EQ(ctrl.nsamples, 0);
	ASSERT_EQ(value_at(&ctrl, PULSE), pulse);
	ASSERT_EQ(value_at(&ctrl, HEARD_WIDTH), width);
	ASSERT_TRUE((int32_t)value_at(&ctrl, LATE) >= 0);
	return ctrl;
}

static struct zio_control make_train(uint32_t width, uint32_t period, uint32_t count)
{
	struct zio_control ctrl = make_order(0);

	ctrl.attr_channel.ext_mask = 1 << WIDTH | 1 << PERIOD | 1 << COUNT;
	ctrl.attr_channel.ext_val[WIDTH] = width;
	ctrl.attr_channel.ext_val[PERIOD] = period;
	ctrl.attr_channel.ext_val[COUNT] = count;
	return ctrl;
}

static void write_order(int fd, const struct zio_control *ctrl)
{
	ASSERT_EQ(write(fd, ctrl, sizeof(*ctrl)), sizeof(*ctrl));
}

TEST("each order makes the pulses that its control asks for", fresh)
{
	int out = open_node(OUT, "ctrl", O_WRONLY), in = open_node(IN, "ctrl", O_RDONLY);
	struct zio_control ctrl = make_train(70, 20000000, 4), plain = make_order(0);
	long long at = now_ns() + 500000000;
	uint32_t i;

	ctrl.tstamp = make_order(at).tstamp;
	write_order(out, &ctrl);
	for (i = 0; i < 4; i++) {
		ctrl = read_train(in, i, 70);
		ASSERT_TRUE(time_of(&ctrl) >= at + i * 20000000ll);
	}
	/* The next order has nothing of this one. */
	write_order(out, &plain);
	read_train(in, 0, 100);
	ASSERT_EQ(read_number(ZDTC "/cset0/chan0/statistics/blocks"), 2);
}

TEST("a delay counts from the time stamp", fresh)
{
	int out = open_node(OUT, "ctrl", O_WRONLY), in = open_node(IN, "ctrl", O_RDONLY);
	long long at = now_ns() + 500000000;
	struct zio_control ctrl = make_order(at);

	ctrl.attr_channel.ext_mask = 1 << DELAY;
	ctrl.attr_channel.ext_val[DELAY] = 30000000;
	write_order(out, &ctrl);
	ctrl = read_train(in, 0, 100);
	ASSERT_TRUE(time_of(&ctrl) >= at + 30000000);
}

TEST("an abort ends a train, and the board goes beside another one", fresh)
{
	int out = open_node(OUT, "ctrl", O_WRONLY), in = open_node(IN, "ctrl", O_RDONLY);
	struct zio_control ctrl = make_train(73, 1000, 1000000);

	write_order(out, &ctrl);
	read_train(in, 0, 73);
	write_text(ZDTC "/cset0/enable", "0");
	write_text(ZDTC "/cset0/enable", "1");
	ctrl = make_train(74, 1000, 1000000);
	write_order(out, &ctrl);
	do {
		ctrl = read_control(in);
	} while (value_at(&ctrl, HEARD_WIDTH) != 74);
	unbind_board("zio-fake-dtc", 0);
	bind_board("zio-fake-dtc", 0);
}

static struct zio_names *names_of(const char *name)
{
	struct zio_error err = { .text = "" };
	struct zio_object *chan = zio_find(NULL, name, NULL, &err);
	struct zio_names *names = chan ? zio_names_of(chan, &err) : NULL;

	if (!names)
		FAIL("%s", err.text);
	zio_object_free(chan);
	return names;
}

static int64_t value_by_name(const struct zio_control *ctrl, const char *name)
{
	struct zio_names *names = zio_names_open(ctrl, NULL, NULL);
	struct zio_attr_value list[ZIO_MAX_ATTRS];
	int i, n = zio_control_attrs(ctrl, names, ZIO_ATTR_OF_CHANNEL, list);

	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return list[i].value;
	FAIL("no value %s", name);
}

TEST("a C program writes and reads values by name", fresh)
{
	struct zio_names *names = names_of("zdtc-0-0");
	struct zio_channel *out = zio_open("zdtc-0-0", ZIO_OPEN_OUTPUT, NULL);
	int in = open_node(IN, "ctrl", O_RDONLY);
	struct zio_error err;
	struct zio_control ctrl;

	zio_control_init(&ctrl, 0, 0);
	ASSERT_EQ(zio_control_set_value(&ctrl, names, "count", 2, &err), 0);
	ASSERT_EQ(zio_control_set_value(&ctrl, names, "width-ns", 123, &err), 0);
	ASSERT_ERRNO(zio_control_set_value(&ctrl, names, "wdith", 1, &err), ENOENT);
	ASSERT_HAS(err.text, "delay-ns, width-ns, period-ns, count");
	ASSERT_ERRNO(zio_control_set_value(&ctrl, names, "count", -1, &err), ERANGE);
	ASSERT_EQ(zio_write_block(out, &ctrl, "", 0), 0);
	ctrl = read_train(in, 0, 123);
	ASSERT_EQ(value_by_name(&ctrl, "pulse"), 0);
	ctrl = read_train(in, 1, 123);
	ASSERT_EQ(value_by_name(&ctrl, "pulse"), 1);
	ASSERT_EQ(value_by_name(&ctrl, "width-ns"), 123);
	zio_control_init(&ctrl, 0, 0);
	ASSERT_EQ(zio_control_set_value(&ctrl, names, "count", 1000001, &err), 0);
	ASSERT_ERRNO(zio_write_block(out, &ctrl, "", 0), ERANGE);
	ASSERT_HAS(zio_reason(out), "does not accept a value");
	zio_names_close(names);
}

TEST("zio dump shows the values by name, as text and in JSON", fresh)
{
	struct zio_control ctrl = make_train(777, 1000000, 2);
	int out = open_node(OUT, "ctrl", O_WRONLY);

	ASSERT_TRUE(!shell("grep -qx 'ext 3 count block \\[0 1 1000000\\]' " NAMES));
	ASSERT_TRUE(!shell("grep -qx 'ext 2 late-ns signed block' " ZDTC
			   "/cset1/chan0/control-attrs"));
	write_order(out, &ctrl);
	ASSERT_TRUE(!shell("zio-dump -n 1 --json zdtc-1-0 >/tmp/values-json"));
	ASSERT_TRUE(!shell("zio-dump -n 1 zdtc-1-0 >/tmp/values-text"));
	ASSERT_TRUE(!shell("grep -q '\"width-ns\": *777' /tmp/values-json"));
	ASSERT_TRUE(!shell("grep -q '\"pulse\": *0' /tmp/values-json"));
	ASSERT_TRUE(!shell("grep -q 'pulse=1 width-ns=777 late-ns=' /tmp/values-text"));
}
