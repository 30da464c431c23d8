// SPDX-License-Identifier: GPL-2.0-only
/*
 * attrs_test.c: settings of a board as a user sees them: attributes of the device, commands,
 * the trigger of the board, sets and channels that begin disabled. The board is
 * zio-fake-adc.
 */
#include <sys/wait.h>

#include "board.h"
#include "hammer.h"
#include "harness.h"

#define ZADC		"/sys/bus/zio/devices/zadc-0000"
#define SET		ZADC "/cset0"
#define TRIGGER		SET "/trigger"
#define FIRED		TRIGGER "/fired"
#define IN		"/dev/zio/zadc-0000-0-0"
#define PULSE		"/dev/zio/zadc-0000-1-0"
#define UNBIND		DRIVERS "/zio-fake-adc/unbind"

SETUP(fresh)
{
	load("zio-fake-adc");
	renew("zio-fake-adc", 0);
}

static void read_data(int fd, int16_t *sample, size_t n)
{
	ASSERT_EQ(read(fd, sample, n * sizeof(*sample)), (ssize_t)(n * sizeof(*sample)));
}

TEST("the device has files", fresh)
{
	ASSERT_STR(text_in(ZADC "/version"), "1.0");
	ASSERT_STR(text_in(ZADC "/temperature"), "-40");
	write_text(ZADC "/seconds", "1000000");
	ASSERT_TRUE(read_number(ZADC "/seconds") >= 1000000);
	refuse(ZADC "/transfer-mode", "2", EINVAL);
	refuse(ZADC "/transfer-mode", "4", ERANGE);
	write_text(ZADC "/transfer-mode", "3");
	ASSERT_EQ(read_number(ZADC "/transfer-mode"), 3);
	ASSERT_STR(text_in(ZADC "/accepted"),
		   "version\nseconds [0 1 4294967295]\ncommand [0 1 3]\n"
		   "temperature\ntransfer-mode 0 1 3");
}

TEST("the board triggers itself", fresh)
{
	struct zio_control ctrl;
	struct pair in = open_pair(IN, O_RDONLY);
	int16_t sample[16];

	ASSERT_STR(text_in(SET "/current_trigger"), "fake-adc");
	ASSERT_STR(text_in(TRIGGER "/name"), "fake-adc");
	write_text(SET "/enable", "1");
	write_text(TRIGGER "/level", "-7");
	write_text(TRIGGER "/fire", "1");
	ctrl = read_control(in.ctrl);
	ASSERT_STR(ctrl.triggername, "fake-adc");
	ASSERT_EQ((int)ctrl.attr_trigger.ext_val[1], -7);
	ASSERT_EQ(ctrl.attr_trigger.ext_mask, 1 << 0 | 1 << 1 | 1u << 31);
	ASSERT_EQ(ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_CLOCK], CLOCK_REALTIME);
	ASSERT_EQ(ctrl.attr_channel.ext_val[5], 0);
	ASSERT_EQ(ctrl.attr_channel.std_val[ZIO_ATTR_DEV_VERSION], 0x01000000);
	read_data(in.data, sample, 16);
	ASSERT_EQ(sample[15], -7);
	ASSERT_EQ(read_number(FIRED), 1);
	write_text(TRIGGER "/period-ms", "1");
	read_control(in.ctrl);
	read_control(in.ctrl);
	ASSERT_TRUE(read_number(FIRED) >= 3);
	close_pair(in);
}

/* It is later than the arming, in which the core gives both the same time. */
TEST("the blocks of both channels have the time of the trigger", fresh)
{
	int fd = open_node(IN, "ctrl", O_RDONLY);
	int other = open_node("/dev/zio/zadc-0000-0-1", "ctrl", O_RDONLY);
	struct zio_control ctrl[2];

	write_text(SET "/enable", "1");
	write_text(TRIGGER "/fire", "1");
	ctrl[0] = read_control(fd);
	ctrl[1] = read_control(other);
	ASSERT_EQ(ctrl[1].tstamp.secs, ctrl[0].tstamp.secs);
	ASSERT_EQ(ctrl[1].tstamp.ticks, ctrl[0].tstamp.ticks);
	close(other);
	close(fd);
}

TEST("programs see all of it by name", fresh)
{
	run("zio set zadc transfer-mode=1 command=2 zadc/0 trigger/level=-3");
	run("zio set zadc/0 enable=1 trigger/fire=1");
	run("zio get zadc/version | grep -qx 1.0");
	run("zio get zadc | grep -qx transfer-mode=1");
	run("zio get zadc | grep -qx cset0/trigger/level=-3");
	run("zio get zadc | grep -q command && exit 1 || exit 0");
	run("zio-dump -a --json -n 1 " IN "-ctrl >/tmp/dump");
	run("grep -q '\"level\": *-3' /tmp/dump");
	run("grep -q '\"transfer-mode\": *1' /tmp/dump");
	run("grep -q '\"polarity\": *0' /tmp/dump");
	run("grep -q '\"clock\"' /tmp/dump");
	run("zio set zadc transfer-mode=2 2>&1 | grep -q 'one of: 0 1 3'");
}

/* Commands have no readers. */
TEST_EACH("unplugged while users read and write %s", fresh, ZADC "/transfer-mode",
	  ZADC "/command", TRIGGER "/level", TRIGGER "/fire")
{
	int held = open_file(value, O_WRONLY);

	write_text(SET "/enable", "1");
	start_file_users(value, "1");
	write_text(UNBIND, "zio-fake-adc.0");
	wait_children(N_FILE_USERS);
	ASSERT_ERRNO(write(held, "1", 1), ENODEV);
	close(held);
	ASSERT_TRUE(!exists(ZADC));
}

/* The trigger of the board goes and comes meanwhile, with its files. */
TEST_EACH("unplugged while users read %s, and change the trigger", fresh, ZADC "/accepted",
	  SET "/accepted", SET "/chan1/control-attrs")
{
	write_text(SET "/enable", "1");
	start_file_users(value, NULL);
	start_file_users(SET "/current_trigger", "user");
	start_file_users(SET "/current_trigger", "fake-adc");
	write_text(UNBIND, "zio-fake-adc.0");
	wait_children(3 * N_FILE_USERS);
	ASSERT_TRUE(!exists(ZADC));
}
