// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtc_test.c: zio-fake-dtc: blocks that are nothing but a time; orders that it refuses
 */
#include <sys/stat.h>

#include "board.h"
#include "harness.h"
#include "pulse.h"

#define ZDTC		"/sys/bus/zio/devices/zdtc-0000"
#define OUT		"/dev/zio/zdtc-0000-0-0"
#define IN		"/dev/zio/zdtc-0000-1-0"
#define REFUSED		ZDTC "/cset0/chan0/statistics/lost_blocks"
#define BLOCKS		ZDTC "/cset1/chan0/statistics/blocks"
#define MISSED		ZDTC "/cset1/missed"
#define CONFIG		ZIO_CONFIG "/devices/zdtc"
#define PULSER		CONFIG "/pulser"

#define ALARM_LOST	0x0001
#define ALARM_PAST	0x0100
#define ALARM_FAR	0x0200
#define ALARM_NO_TIME	0x0400

SETUP(fresh)
{
	load("zio-fake-dtc");
	renew("zio-fake-dtc", 0);
}

static void order(long long ns)
{
	int fd = open_node(OUT, "ctrl", O_WRONLY);

	order_pulse(fd, ns);
	close(fd);
}

static long long in_ms(long long ms)
{
	return now_ns() + ms * 1000000;
}

/* Errors, lost orders and alarms of the output. */
static void check_output(int errors, int lost, int alarms)
{
	ASSERT_EQ(read_number(ZDTC "/cset0/statistics/io_errors"), errors);
	ASSERT_EQ(read_number(REFUSED), lost);
	ASSERT_EQ(read_number(ZDTC "/cset0/chan0/alarms"), alarms);
}

/* Read a block; assert its number and its alarms. */
static void check_heard(uint32_t seq, int zio_alarms, int drv_alarms)
{
	int fd = open_node(IN, "ctrl", O_RDONLY);
	struct zio_control ctrl = read_control(fd);

	ASSERT_EQ(ctrl.seq_num, seq);
	ASSERT_EQ(ctrl.nsamples, 0);
	ASSERT_EQ(ctrl.zio_alarms, zio_alarms);
	ASSERT_EQ(ctrl.drv_alarms, drv_alarms);
	ASSERT_TRUE(time_of(&ctrl) <= now_ns());
	close(fd);
}

TEST("sets without samples refuse nsamples, data and wrong controls", fresh)
{
	struct zio_control ctrl = make_order(now_ns());
	struct pair out = open_pair(OUT, O_WRONLY);

	ASSERT_EQ(read_number(ZDTC "/cset0/ssize"), 0);
	ASSERT_EQ(read_number(ZDTC "/cset1/ssize"), 0);
	refuse(ZDTC "/cset0/trigger/nsamples", "1", EINVAL);
	ASSERT_ERRNO(write(out.data, "x", 1), EOPNOTSUPP);
	ASSERT_EQ(write(out.data, "", 0), 0);
	ASSERT_ERRNO(write(out.ctrl, &ctrl, sizeof(ctrl) - 1), EINVAL);
	ctrl.nsamples = 1;
	ASSERT_ERRNO(write(out.ctrl, &ctrl, sizeof(ctrl)), EMSGSIZE);
	ctrl.nsamples = 0;
	ctrl.ssize = 1;
	ASSERT_ERRNO(write(out.ctrl, &ctrl, sizeof(ctrl)), EINVAL);
	ctrl.ssize = 0;
	ctrl.major_version = 9;
	ASSERT_ERRNO(write(out.ctrl, &ctrl, sizeof(ctrl)), EPROTO);
}

TEST("pulses come at their time or later, and none is missed", fresh)
{
	struct lateness lateness = run_pulses(OUT, IN, 40, 30, REFUSED);

	diag("%lld of 40 pulses, late by %lld / %lld / %lld ns", lateness.n,
	     lateness.least, lateness.sum / lateness.n, lateness.most);
	ASSERT_EQ(read_number(MISSED), 0);
}

TEST("an order without a time is done at once", fresh)
{
	order(0);
	check_heard(0, 0, 0);
}

/* The order and the pulse have the time of the clock that their set names. */
static void check_clock(const char *name, clockid_t clock)
{
	int fd = open_node(IN, "ctrl", O_RDONLY);
	struct zio_control ctrl;
	long long at;

	write_text(ZDTC "/cset0/trigger/clock", name);
	write_text(ZDTC "/cset1/trigger/clock", name);
	/* The block that is armed keeps its clock. */
	order(0);
	read_control(fd);
	at = now_by(clock) + 500000000;
	order(at);
	ctrl = read_control(fd);
	ASSERT_EQ(ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK], clock);
	ASSERT_TRUE(time_of(&ctrl) >= at);
	ASSERT_TRUE(time_of(&ctrl) <= now_by(clock));
	close(fd);
}

TEST("orders and pulses follow the clock of the trigger", fresh)
{
	check_clock("monotonic", CLOCK_MONOTONIC);
	check_clock("tai", CLOCK_TAI);
	check_clock("boottime", CLOCK_BOOTTIME);
	check_clock("realtime", CLOCK_REALTIME);
	check_output(0, 0, 0);
}

TEST("orders for the past, beyond the horizon, or with a wrong time are refused", fresh)
{
	struct zio_control ctrl;

	order(in_ms(-1));
	check_output(1, 1, ALARM_LOST | ALARM_PAST);
	order(in_ms(7200000));
	check_output(2, 2, ALARM_LOST | ALARM_PAST | ALARM_FAR);
	ctrl = make_order(in_ms(1000));
	ctrl.tstamp.ticks = NSEC;
	ASSERT_EQ(write(open_node(OUT, "ctrl", O_WRONLY), &ctrl, sizeof(ctrl)),
		  sizeof(ctrl));
	check_output(3, 3, ALARM_LOST | ALARM_PAST | ALARM_FAR | ALARM_NO_TIME);
	ASSERT_EQ(read_number(MISSED), 0);
	ASSERT_EQ(read_number(BLOCKS), 0);
}

TEST("an order within a longer horizon waits, and is lost when the set is disabled",
     fresh)
{
	refuse(ZDTC "/cset0/horizon-s", "0", ERANGE);
	refuse(ZDTC "/cset0/horizon-s", "31622401", ERANGE);
	write_text(ZDTC "/cset0/horizon-s", "10000");
	order(in_ms(7200000));
	check_output(0, 0, 0);
	write_text(ZDTC "/cset0/enable", "0");
	check_output(0, 1, ALARM_LOST);
}

TEST("pulses that the input has no room for are missed, and the next one tells", fresh)
{
	uint32_t i;

	for (i = 0; i < 20; i++)
		order(0);
	ASSERT_EQ(read_number(BLOCKS), 16);
	ASSERT_EQ(read_number(MISSED), 4);
	ASSERT_TEXT(ZDTC "/cset1/chan0/alarms", "0x0100");
	for (i = 0; i < 16; i++)
		check_heard(i, 0, 0);
	order(0);
	check_heard(20, ZIO_ALARM_LOST_BLOCK, 1);
	ASSERT_EQ(read_number(ZDTC "/cset1/chan0/statistics/lost_blocks"), 4);
	/* A set that is disabled loses nothing. */
	write_text(ZDTC "/cset1/enable", "0");
	order(0);
	ASSERT_EQ(read_number(MISSED), 5);
	write_text(ZDTC "/cset1/enable", "1");
	order(0);
	check_heard(21, 0, 1);
}

TEST_EACH("the board is unbound while an order waits and a node is open, time %s", fresh,
	  "1", "2", "3")
{
	struct pair pair = open_pair(IN, O_RDONLY);

	order(in_ms(3000000));
	unbind_board("zio-fake-dtc", 0);
	close_pair(pair);
	bind_board("zio-fake-dtc", 0);
}

TEST_EACH("the board is unbound under pulses, time %s", fresh, "1", "2", "3")
{
	struct zio_control ctrl;
	pid_t pid = fork_child();
	int fd;

	if (!pid) {
		fd = open_node(OUT, "ctrl", O_WRONLY);
		do {
			ctrl = make_order(in_ms(1));
		} while (write(fd, &ctrl, sizeof(ctrl)) == sizeof(ctrl));
		ASSERT_EQ(errno, ENODEV);
		_exit(0);
	}
	wait_for(20, read_number(BLOCKS));
	unbind_board("zio-fake-dtc", 0);
	wait_children(1);
}

TEST("a board with three outputs is made in configfs")
{
	char path[64];
	int i;

	reload("zio-fake-dtc", "ndev=0");
	ASSERT_EQ(mkdir(PULSER, 0755), 0);
	refuse(PULSER "/outputs", "0", ERANGE);
	refuse(PULSER "/outputs", "17", ERANGE);
	write_text(PULSER "/outputs", "3");
	write_text(PULSER "/live", "1");
	for (i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), ZDTC "/cset%d/direction", i);
		ASSERT_TEXT(path, i < 3 ? "output" : "input");
	}
	run_pulses("/dev/zio/zdtc-0000-2-0", "/dev/zio/zdtc-0000-5-0", 10, 30,
		   ZDTC "/cset2/chan0/statistics/lost_blocks");
	ASSERT_EQ(rmdir(PULSER), 0);
}

TEST("the module refuses 17 outputs")
{
	unload("zio-fake-dtc");
	ASSERT_TRUE(shell("modprobe zio-fake-dtc outputs=17 2>/dev/null"));
}
