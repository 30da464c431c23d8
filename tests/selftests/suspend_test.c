// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspend_test.c: blocks tell that the machine was suspended, and boards go on after it
 *
 * # check
 * # kasan
 * # suspends
 * # model: soft-dma
 * # kernel-module: gpio-sim
 */
#include "power.h"
#include "uart.h"
#include "zdma.h"

#define LOST		ZIO_ALARM_LOST_BLOCK
#define SUSPENDED	ZIO_ALARM_SUSPENDED
#define TDC		"/dev/zio/ztdc-0000-0-0"
#define TDC_CONFIG	ZIO_CONFIG "/devices/ztdc"
#define SIM		"/sys/kernel/config/gpio-sim/tdc"

static struct wire wire;
static struct pair pair;

SETUP(loaded)
{
	need_suspend();
	shell("rmdir " UART_CONFIG "/* " ZDMA_CONFIG "/* " TDC_CONFIG "/* 2>/dev/null");
}

static void begin_uart(const char *settings)
{
	load("zio-uart");
	wire = open_wire();
	make_board("b", wire.path, settings);
	pair = open_pair(ZUART, O_RDONLY);
}

/* No frame is known to be lost. */
TEST("the first frame after a suspend tells of it, once", loaded)
{
	begin_uart(CHECKED);
	send_frame(wire.master, 0);
	check_frame(pair, 0, 0, 0, 0);
	suspend();
	send_frame(wire.master, 1);
	send_frame(wire.master, 2);
	check_frame(pair, 1, 1, SUSPENDED, 0);
	check_frame(pair, 2, 2, 0, 0);
	suspend();
	suspend();
	send_frame(wire.master, 3);
	send_frame(wire.master, 4);
	check_frame(pair, 3, 3, SUSPENDED, 0);
	check_frame(pair, 4, 4, 0, 0);
}

static void send_text(const char *text)
{
	send_bytes(wire.master, text, strlen(text));
}

static void check_text(const char *text, uint32_t seq, int zio_alarms, int drv_alarms)
{
	char got[64] = "";
	struct zio_control ctrl = read_block(pair, got, strlen(text));

	ASSERT_TRUE(!strcmp(got, text));
	ASSERT_EQ(ctrl.seq_num, seq);
	ASSERT_EQ(ctrl.zio_alarms, zio_alarms);
	ASSERT_EQ(ctrl.drv_alarms, drv_alarms);
}

/* The line "one" is whole; @first and @second are the first two that are it again. */
static void check_lines(const char *before, const char *after, const char *first,
			const char *second)
{
	begin_uart("frame=line size=20");
	send_text(before);
	check_text("one", 0, 0, 0);
	suspend();
	send_text(after);
	check_text(first, 2, LOST | SUSPENDED, A_CUT);
	check_text(second, 3, 0, 0);
}

/* "tw" and "elve" are no line that somebody has sent. */
TEST("a line that has begun before a suspend does not end after it", loaded)
{
	check_lines("zero\none\ntw", "elve\nthirteen\nfourteen\n", "thirteen", "fourteen");
}

/* The bytes of "two" came while the machine slept, but the last one. */
TEST("the rest of a line after a suspend is no line", loaded)
{
	check_lines("zero\none\n", "o\nthree\nfour\n", "three", "four");
}

/* The frames of a block follow each other. */
TEST("a block that has frames ends at a suspend", loaded)
{
	uint16_t sample[2 * PAYLOAD / 2];
	struct zio_control ctrl;

	begin_uart(CHECKED " frames=2");
	send_frame(wire.master, 0);
	wait_for(10, read_number(UART_SET "/frames") == 1);
	suspend();
	send_frame(wire.master, 1);
	send_frame(wire.master, 2);
	check_frame(pair, 0, 0, SUSPENDED, 0);
	ctrl = read_block(pair, sample, sizeof(sample));
	ASSERT_EQ(ctrl.seq_num, 1);
	ASSERT_EQ(ctrl.zio_alarms, SUSPENDED);
	ASSERT_EQ(sample[0], 8);
}

/* Reads blocks until one has told of the suspend, and 40 in a row have no alarm after that. */
static void read_past_suspend(uint32_t next, bool has_gaps)
{
	unsigned int told = 0, calm = 0, i;
	struct zio_control ctrl;

	while (!told || calm < 40) {
		ctrl = read_control(pair.ctrl);
		ASSERT_EQ(read(pair.data, words, 1024), 1024);
		for (i = 0; i < 256; i++)
			ASSERT_EQ(words[i], (i || has_gaps ? words[0] : next) + i);
		next = words[0] + 256;
		calm = ctrl.zio_alarms & SUSPENDED ? 0 : calm + 1;
		told += !calm;
	}
}

static void sleep_under_transfers(const char *mode, const char *state)
{
	struct zio_control ctrl;

	make_directed("input", mode, "16", "period_us=5000 batch=2");
	pair = open_pair(NODE, O_RDONLY);
	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(read(pair.data, words, 1024), 1024);
	ASSERT_EQ(ctrl.zio_alarms, 0);
	write_text(MODEL "amnesia", state);
	suspend();
	/* If no block comes, the test ends. */
	alarm(120);
	read_past_suspend(words[0] + 256, !strcmp(mode, "cyclic"));
	alarm(0);
	ASSERT_EQ(read_number(SET "/statistics/io_errors"), 0);
}

TEST_EACH("transfers go on after a suspend in which the channel forgets them: %s", loaded,
	  "N", "Y")
{
	sleep_under_transfers("sg", value);
}

TEST_EACH("a cyclic transfer goes on after a suspend in which the channel forgets it: %s",
	  loaded, "N", "Y")
{
	sleep_under_transfers("cyclic", value);
}

TEST("an output plays its blocks although the channel has forgotten them", loaded)
{
	int fd, i;

	make_directed("output", "sg", "16", "period_us=20000 batch=1 amnesia=1");
	fd = open_node(NODE, "data", O_WRONLY);
	for (i = 0; i < 8 * 256; i++)
		words[i] = i;
	ASSERT_EQ(write(fd, words, 8 * 1024), 8 * 1024);
	suspend();
	alarm(120);
	ASSERT_EQ(fsync(fd), 0);
	alarm(0);
	ASSERT_EQ(read_number(MODEL "played"), 8 * 256);
	ASSERT_EQ(read_number(MODEL "breaks"), 0);
	check_nothing_lost();
}

static void pulse_line(void)
{
	run("cd /sys/devices/platform/$(cat " SIM "/dev_name)/$(cat " SIM "/bank/chip_name); "
	    "echo pull-up >sim_gpio0/pull; echo pull-down >sim_gpio0/pull");
}

static void check_pulse(int zio_alarms)
{
	struct zio_control ctrl;

	pulse_line();
	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(ctrl.zio_alarms, zio_alarms);
	ASSERT_EQ(ctrl.drv_alarms, 0);
}

TEST("the first pulse after a suspend tells of it", loaded)
{
	if (!exists("/sys/kernel/config/gpio-sim"))
		SKIP("this kernel has no gpio-sim");
	run("mkdir -p " SIM "/bank; cd " SIM "; echo tdc >bank/label; echo 1 >bank/num_lines; "
	    "echo 1 >live");
	load("zio-irq-tdc");
	run("mkdir " TDC_CONFIG "/t; cd " TDC_CONFIG "/t; echo tdc:0 >lines; echo 1 >live; "
	    "zio-links");
	pair = open_pair(TDC, O_RDONLY);
	check_pulse(0);
	suspend();
	check_pulse(SUSPENDED);
	check_pulse(0);
}

TEST("the modules leave", NULL)
{
	shell("rmdir " UART_CONFIG "/* " ZDMA_CONFIG "/* " TDC_CONFIG "/* 2>/dev/null");
	unload("zio-uart");
	unload("zio-irq-tdc");
	unload("zio-dmaengine");
	if (is_loaded("soft_dma"))
		run("rmmod soft_dma");
}
