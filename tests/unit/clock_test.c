// SPDX-License-Identifier: GPL-2.0-only
/* libzio: the clock of a trigger, with a tree of files that stands for sysfs */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "libzio/object/object.h"
#include "harness.h"

#define CSET "sys/bus/zio/devices/zzero-0000/cset0/"
#define COUNTER "sys/devices/system/clocksource/clocksource0/current_clocksource"

static void make_tree(void)
{
	fake_put_file(dir, CSET "name", "adc\n", 0444);
	fake_put_file(dir, CSET "trigger/clock", "realtime\n", 0644);
	fake_put_file(dir, CSET "trigger/clock-source", "kernel\n", 0444);
	fake_put_file(dir, COUNTER, "tsc\n", 0644);
	fake_put_file(dir, "cfg/zio/triggers/hrt/clock0/clock", "tai\n", 0644);
	fake_put_file(dir, "cfg/zio/triggers/hrt/clock0/clock-source", "kernel\n", 0444);
	use_tree();
}

static int get_clock(const char *name, struct zio_clock *clock, struct zio_error *err)
{
	struct zio_object *obj = zio_find(NULL, name, NULL, err);
	int ret = obj ? zio_clock_info(obj, clock, err) : -1;

	zio_object_free(obj);
	return ret;
}

SETUP(fresh)
{
	make_dir(value);
	make_tree();
}

TEST("who stamps", fresh)
{
	struct zio_clock clock;

	ASSERT_TRUE(!get_clock("zzero/0/trigger", &clock, NULL) && clock.is_kernel);
	ASSERT_TRUE(!strcmp(clock.name, "realtime") && !strcmp(clock.source, "tsc"));
	ASSERT_TRUE(!get_clock("trigger:clock0", &clock, NULL) && clock.is_kernel);
	ASSERT_TRUE(!strcmp(clock.name, "tai") && !strcmp(clock.source, "tsc"));
	fake_put_file(dir, COUNTER, "", 0644);
	fake_put_file(dir, CSET "trigger/clock-source", "wr-node\n", 0644);
	/* A board that stamps by itself: the rest is unknown. */
	ASSERT_TRUE(!get_clock("zzero/0/trigger", &clock, NULL) && !clock.is_kernel);
	ASSERT_TRUE(!strcmp(clock.source, "wr-node") && clock.state == ZIO_CLOCK_UNKNOWN);
	ASSERT_TRUE(clock.max_error_ns == -1 && clock.est_error_ns == -1);
	ASSERT_TRUE(!clock.tai_offset);
}

TEST("what is not there is unknown, and not invented", fresh)
{
	char path[PATH_MAX];
	struct zio_clock clock;

	snprintf(path, sizeof(path), "%s/" COUNTER, dir);
	unlink(path);
	ASSERT_TRUE(!get_clock("trigger:clock0", &clock, NULL));
	ASSERT_TRUE(!strcmp(clock.source, "unknown") && clock.is_kernel);
	snprintf(path, sizeof(path), "%s/" CSET "trigger/clock-source", dir);
	unlink(path);
	ASSERT_TRUE(!get_clock("zzero/0/trigger", &clock, NULL));
	ASSERT_TRUE(!strcmp(clock.source, "unknown") && !clock.is_kernel);
	ASSERT_EQ(clock.state, ZIO_CLOCK_UNKNOWN);
	snprintf(path, sizeof(path), "%s/" CSET "trigger/clock", dir);
	unlink(path);
	ASSERT_ERRNO(get_clock("zzero/0/trigger", &clock, NULL), ENOENT, "no clock");
}

TEST("wrong arguments, and names of states", fresh)
{
	struct zio_object *obj = zio_find(NULL, "zzero/0", NULL, NULL);
	struct zio_clock clock;
	struct zio_error err;

	ASSERT_ERRNO(zio_clock_info(obj, &clock, &err), EINVAL);
	ASSERT_HAS(err.text, "zzero-0000/cset0 is not a trigger");
	ASSERT_ERRNO(zio_clock_info(NULL, &clock, &err), EINVAL, "no object");
	ASSERT_ERRNO(zio_clock_info(obj, NULL, &err), EINVAL, "no clock");
	zio_object_free(obj);
	ASSERT_STR(zio_clock_state_name(ZIO_CLOCK_UNKNOWN), "unknown");
	ASSERT_STR(zio_clock_state_name(ZIO_CLOCK_LOCAL), "local");
	ASSERT_TRUE(!zio_clock_state_name(ZIO_CLOCK_LOCAL + 1));
}

/* Results of adjtimex(2), and what they mean for each clock. */
static const struct row {
	const char *name;
	int ret, status, tai;
	enum zio_clock_state state;
	int64_t max_error_ns;
	int32_t tai_offset;
	const char *what;
} rows[] = {
	{ "realtime", TIME_OK, 0, 37, ZIO_CLOCK_SYNCHRONISED, 5000, 37, "in time" },
	{ "realtime", TIME_INS, 0, 37, ZIO_CLOCK_SYNCHRONISED, 5000, 37, "leap second" },
	{ "realtime", TIME_ERROR, 0, 37, ZIO_CLOCK_UNSYNCHRONISED, -1, 37, "TIME_ERROR" },
	{ "realtime", TIME_OK, STA_UNSYNC, 0, ZIO_CLOCK_UNSYNCHRONISED, -1, 0,
	  "STA_UNSYNC" },
	{ "realtime", TIME_OK, 0, 0, ZIO_CLOCK_SYNCHRONISED, 5000, 0, "TAI not known" },
	{ "realtime", -1, 0, 37, ZIO_CLOCK_UNKNOWN, -1, 0, "adjtimex() fails" },
	{ "tai", TIME_OK, 0, 37, ZIO_CLOCK_SYNCHRONISED, 5000, 37, "TAI" },
	{ "tai", TIME_OK, 0, 0, ZIO_CLOCK_UNSYNCHRONISED, -1, 0, "TAI without offset" },
	{ "tai", TIME_OK, STA_UNSYNC, 37, ZIO_CLOCK_UNSYNCHRONISED, -1, 37, "TAI, unsync" },
	{ "monotonic", TIME_OK, 0, 37, ZIO_CLOCK_LOCAL, -1, 37, "since boot" },
	{ "boottime", TIME_ERROR, 0, 0, ZIO_CLOCK_LOCAL, -1, 0, "since boot, unsync" },
	{ "later", TIME_OK, 0, 37, ZIO_CLOCK_UNKNOWN, -1, 37, "clock of a later kernel" },
};

TEST("what adjtimex(2) means for each clock", fresh)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct zio_clock clock = { .max_error_ns = -1, .est_error_ns = -1 };
		struct timex timex = { .status = row->status, .tai = row->tai,
				       .maxerror = 5, .esterror = 2 };

		snprintf(clock.name, sizeof(clock.name), "%s", row->name);
		zio_clock_judge(&clock, row->ret, &timex);
		ASSERT_EQ(clock.state, row->state, row->what);
		ASSERT_EQ(clock.max_error_ns, row->max_error_ns, row->what);
		ASSERT_EQ(clock.est_error_ns, row->max_error_ns < 0 ? -1 : 2000,
			  row->what);
		ASSERT_EQ(clock.tai_offset, row->tai_offset, row->what);
	}
}
