// SPDX-License-Identifier: GPL-2.0-only
/*
 * clocks_test.c: clocks of triggers, and the times that blocks have
 *
 * # single
 */
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define IN		ZZERO "-0-2-ctrl"
#define TRIGGER		CSET0 "/trigger"
#define CLOCK0		ZIO_CONFIG "/triggers/hrt/clock0"

SETUP(fresh)
{
	load("zio-trig-hrt");
	load("zio-trig-timer");
	renew_zzero();
}

/* The own trigger of cset0, each millisecond. */
SETUP(own)
{
	fresh(NULL);
	write_text(TRIGGER "/enable", "0");
	write_text(CSET0 "/current_trigger", "hrt");
	write_text(TRIGGER "/period-ns", "1000000");
	write_text(TRIGGER "/enable", "1");
}

static clockid_t clock_named(const char *name)
{
	if (!strcmp(name, "realtime"))
		return CLOCK_REALTIME;
	if (!strcmp(name, "tai"))
		return CLOCK_TAI;
	if (!strcmp(name, "monotonic"))
		return CLOCK_MONOTONIC;
	ASSERT_TRUE(!strcmp(name, "boottime"));
	return CLOCK_BOOTTIME;
}

/* The time of a new block is of that clock, and its control says so. */
static void check_clock(const char *node, const char *name)
{
	clockid_t clock = clock_named(name);
	int fd = open_file(node, O_RDONLY);
	long long before = now_by(clock), after;
	struct zio_control ctrl;

	/* Skip what was queued before. */
	do {
		ctrl = read_control(fd);
		after = now_by(clock);
	} while (ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK] !=
		 (uint32_t)clock || time_of(&ctrl) < before);
	ASSERT_TRUE(time_of(&ctrl) <= after);
	ASSERT_TRUE(ctrl.attr_trigger.ext_mask & (1u << ZIO_ATTR_TRIG_EXT_CLOCK));
	ASSERT_TRUE(!ctrl.tstamp.bins);
	close(fd);
}

static void __attribute__((noreturn)) change_clocks(const char *file)
{
	for (;;) {
		write_text(file, "monotonic");
		write_text(file, "realtime");
	}
}

/*
 * The clock in the file changes for two seconds. Meanwhile each block has the time by the
 * clock that it names. The time of day is far ahead of the time since boot.
 */
static void check_changing_clocks(const char *file)
{
	long long end = now_by(CLOCK_MONOTONIC) + 2 * NSEC;
	unsigned int told[2] = { 0, 0 };
	pid_t child = fork();

	if (!child)
		change_clocks(file);
	int fd = open_file(IN, O_RDONLY);

	while (!told[0] || !told[1] || now_by(CLOCK_MONOTONIC) < end) {
		struct zio_control ctrl = read_control(fd);
		uint32_t clock = ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK];

		ASSERT_TRUE(clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
		if ((ctrl.tstamp.secs > 1000000000) != (clock == CLOCK_REALTIME))
			FAIL("%llu s by clock %u", (unsigned long long)ctrl.tstamp.secs,
			     clock);
		told[clock]++;
	}
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST("the control tells the period of a high-resolution timer", own)
{
	int fd = open_file(IN, O_RDONLY);
	struct zio_control ctrl = read_control(fd);
	struct zio_ctrl_attr *attr = &ctrl.attr_trigger;

	/* A number of 64 bits in two attributes. */
	ASSERT_EQ(attr->ext_mask & 3, 3);
	ASSERT_EQ(attr->ext_val[0], 1000000);
	ASSERT_EQ(attr->ext_val[1], 0);
	ASSERT_EQ(strcmp(ctrl.triggername, "hrt"), 0);
	close(fd);
}

/* @n controls of the two channels have the same times. */
static void check_common_events(const char *node_a, const char *node_b, int n)
{
	int a = open_file(node_a, O_RDONLY), b = open_file(node_b, O_RDONLY);
	struct zio_control ca = read_control(a), cb = read_control(b);
	int common = 0;

	while (common < n) {
		if (time_of(&ca) < time_of(&cb)) {
			ca = read_control(a);
		} else if (time_of(&ca) > time_of(&cb)) {
			cb = read_control(b);
		} else {
			common++;
			ca = read_control(a);
			cb = read_control(b);
		}
	}
	close(a);
	close(b);
}

/*
 * Reads the first block of a trigger whose clock has a tick exactly at the start, in a second
 * or two. The next tick is a @period later. Returns how late the block was.
 */
static long long start_on_tick(long long period)
{
	long long start = (now_by(CLOCK_MONOTONIC) / NSEC + 2) * NSEC;
	struct zio_control ctrl;
	int fd;

	ASSERT_EQ(mkdir(CLOCK0, 0755), 0);
	write_text(CLOCK0 "/clock", "monotonic");
	write_text(CLOCK0 "/enable", "0");
	set_number(CLOCK0 "/start-ns", start);
	set_number(CLOCK0 "/period-ns", period);
	set_number(CLOCK0 "/phase-ns", start % period);
	write_text(CSET0 "/current_trigger", "clock0");
	write_text(CLOCK0 "/enable", "1");
	fd = open_file(IN, O_RDONLY);
	ASSERT_EQ(poll_events(fd, POLLIN, 60000), POLLIN);
	ctrl = read_control(fd);
	close(fd);
	write_text(CSET0 "/current_trigger", "user");
	ASSERT_EQ(rmdir(CLOCK0), 0);
	return time_of(&ctrl) - start;
}

TEST("no block comes before start-ns", fresh)
{
	ASSERT_TRUE(start_on_tick(1000000) >= 0);
}

TEST("a tick at start-ns is the first", fresh)
{
	long long period = 3600 * NSEC, late = start_on_tick(period);

	diag("%lld ns after the start", late);
	ASSERT_TRUE(late >= 0 && late < period);
}

TEST("blocks come although the time of day is set back", own)
{
	int fd = open_file(IN, O_RDONLY), i, back = 3600;
	struct zio_control ctrl;
	struct timespec ts;
	long long before;

	ctrl = read_control(fd);
	ASSERT_TRUE(!clock_gettime(CLOCK_REALTIME, &ts));
	before = ts.tv_sec * NSEC;
	ts.tv_sec -= back;
	ASSERT_TRUE(!clock_settime(CLOCK_REALTIME, &ts));
	for (i = 0; i < 100; i++) {
		ctrl = read_control(fd);
		if (time_of(&ctrl) < before)
			break;
	}
	ASSERT_TRUE(i < 100);
	ts.tv_sec += back;
	ASSERT_TRUE(!clock_settime(CLOCK_REALTIME, &ts));
	do {
		ctrl = read_control(fd);
	} while (time_of(&ctrl) < before);
	close(fd);
}

TEST_EACH("blocks have times by the clock %s",
	  own, "monotonic", "boottime", "tai", "realtime")
{
	write_text(TRIGGER "/clock", value);
	check_clock(IN, value);
}

TEST("no such clock", own)
{
	refuse(TRIGGER "/clock", "sun", EINVAL);
}

TEST("each block names its clock while that changes under events", own)
{
	write_text(TRIGGER "/period-ns", "200000");
	check_changing_clocks(TRIGGER "/clock");
}

TEST("each block names its clock while that changes under reads", fresh)
{
	check_changing_clocks(TRIGGER "/clock");
}

TEST("each block names its clock while a shared clock changes", fresh)
{
	ASSERT_EQ(mkdir(CLOCK0, 0755), 0);
	write_text(CLOCK0 "/period-ns", "200000");
	write_text(CSET0 "/current_trigger", "clock0");
	check_changing_clocks(CLOCK0 "/clock");
	write_text(CSET0 "/current_trigger", "user");
	ASSERT_EQ(rmdir(CLOCK0), 0);
}

TEST("sets of three boards on one clock have events and times in common")
{
	static const char *const csets[] = {
		"0000/cset0", "0000/cset2", "0001/cset0", "0001/cset2", "0002/cset0",
		"0002/cset2",
	};
	size_t i;

	load("zio-trig-hrt");
	reload("zio-zero", "ndev=3");
	ASSERT_EQ(mkdir(CLOCK0, 0755), 0);
	write_text(CLOCK0 "/period-ns", "1000000");
	for (i = 0; i < sizeof(csets) / sizeof(*csets); i++)
		set_file("clock0", "/sys/bus/zio/devices/zzero-%s/current_trigger",
			 csets[i]);
	check_common_events(IN, "/dev/zio/zzero-0002-2-0-ctrl", 20);
	write_text(CLOCK0 "/clock", "tai");
	check_clock("/dev/zio/zzero-0001-0-1-ctrl", "tai");
	check_clock("/dev/zio/zzero-0002-2-0-ctrl", "tai");
	unload("zio-zero");
	ASSERT_EQ(rmdir(CLOCK0), 0);
}
