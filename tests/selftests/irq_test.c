// SPDX-License-Identifier: GPL-2.0-only
/*
 * irq_test.c: zio-irq-tdc and the trigger "irq" with the number of an interrupt
 *
 * The model test-irq raises it.
 *
 * # rt
 * # model: test-irq
 */
#include <linux/capability.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "board.h"
#include "harness.h"
#include "order.h"

#define MODEL		"/sys/module/test_irq/parameters/"
#define TDC_CONFIG	ZIO_CONFIG "/devices/ztdc"
#define TDC		"/sys/bus/zio/devices/ztdc-0000"
#define TDC_NODE	"/dev/zio/ztdc-0000-0-0"
#define TRIGGER		CSET0 "/trigger"
#define TRACING		"/sys/kernel/tracing/"

static char irq[16];

static void load_model(const char *options)
{
	shell("rmdir " TDC_CONFIG "/* 2>/dev/null");
	load("zio-irq-tdc");
	load("zio-trig-irq");
	renew_zzero();
	if (is_loaded("test_irq"))
		run("rmmod test_irq");
	run("insmod /selftests/test-irq.ko %s", options);
	snprintf(irq, sizeof(irq), "%lu", read_number(MODEL "number"));
}

static void make_tdc(void)
{
	ASSERT_EQ(mkdir(TDC_CONFIG "/t", 0755), 0);
	write_text(TDC_CONFIG "/t/irq", irq);
	write_text(TDC_CONFIG "/t/live", "1");
	run("zio-links");
}

static void use_trigger(void)
{
	write_text(CSET0 "/current_trigger", "irq");
	write_text(TRIGGER "/irq", irq);
}

SETUP(edge)
{
	load_model("");
}

SETUP(level)
{
	load_model("level=1");
}

static void fire(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	write_text(MODEL "fire", text);
}

/* The time of a block is of the clock that its control names. */
static void check_clock(int fd, const char *name, clockid_t clock)
{
	struct zio_control ctrl;
	long long before, at;

	write_text(TDC "/cset0/trigger/clock", name);
	/* The block that is armed keeps its clock. */
	fire(1);
	read_control(fd);
	before = now_by(clock);
	fire(1);
	ctrl = read_control(fd);
	at = time_of(&ctrl);
	ASSERT_EQ(ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK], clock);
	ASSERT_TRUE(at >= before);
	ASSERT_TRUE(at <= now_by(clock));
}

TEST("a pulse has the time of the clock that its control names", edge)
{
	int fd;

	make_tdc();
	fd = open_node(TDC_NODE, "ctrl", O_RDONLY);
	check_clock(fd, "monotonic", CLOCK_MONOTONIC);
	check_clock(fd, "realtime", CLOCK_REALTIME);
	check_clock(fd, "tai", CLOCK_TAI);
	check_clock(fd, "boottime", CLOCK_BOOTTIME);
}

/* Each round loses what the buffer has no room for; the numbers of blocks count all pulses. */
TEST("each loss is told by the first pulse behind it", edge)
{
	unsigned int round, sum = 0, len;
	struct order order = { 0 };
	struct zio_control ctrl;
	int fd;

	make_tdc();
	fd = open_node(TDC_NODE, "ctrl", O_RDONLY | O_NONBLOCK);
	len = read_number(TDC "/cset0/chan0/buffer/max-buffer-len");
	for (round = 0; round < 10; round++) {
		fire(len + 5 * (round % 3));
		sum += len + 5 * (round % 3);
		while (read(fd, &ctrl, sizeof(ctrl)) > 0)
			order_control(&order, &ctrl);
		fire(1);
		ctrl = read_control(fd);
		order_control(&order, &ctrl);
		ASSERT_EQ(ctrl.seq_num, sum++);
	}
	/* The reader may keep a block, so that the others are one less. */
	ASSERT_TRUE(order.gaps >= 6);
	ASSERT_TRUE(order.lost >= 3 * (5 + 10));
	order_end(&order, TDC "/cset0/chan0");
}

/* A handler in a thread would take the time when the scheduler lets it. */
TEST("no thread is between the interrupt and its time", edge)
{
	make_tdc();
	use_trigger();
	ASSERT_TRUE(shell("grep -q '^irq/%s-' /proc/[0-9]*/comm", irq));
}

/* Only then can the kernel stop an interrupt that no driver clears. */
static void check_answer(bool is_handled)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/irq/%s/spurious", irq);
	fire(10);
	ASSERT_EQ(!!shell("grep -q 'unhandled 0$' %s", path), !is_handled);
}

TEST("nobody handles a level: zio-irq-tdc", level)
{
	make_tdc();
	check_answer(false);
}

TEST("nobody handles a level: the trigger irq", level)
{
	use_trigger();
	check_answer(false);
	ASSERT_EQ(read_number(CSET0 "/chan0/statistics/blocks"), 10);
}

TEST("an edge is handled", edge)
{
	make_tdc();
	use_trigger();
	check_answer(true);
}

/* The process owns the files, and may do no raw I/O. */
static void drop_raw_io(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
	data[0].effective &= ~(1u << CAP_SYS_RAWIO);
	data[0].permitted &= ~(1u << CAP_SYS_RAWIO);
	ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
}

TEST("interrupts and lines need CAP_SYS_RAWIO", edge)
{
	ASSERT_EQ(mkdir(TDC_CONFIG "/t", 0755), 0);
	write_text(CSET0 "/current_trigger", "irq");
	drop_raw_io();
	refuse(TRIGGER "/irq", irq, EPERM);
	refuse(TRIGGER "/line", "anywhere:1", EPERM);
	write_text(TRIGGER "/irq", "0");
	write_text(TRIGGER "/edge", "falling");
	refuse(TDC_CONFIG "/t/irq", irq, EPERM);
	refuse(TDC_CONFIG "/t/lines", "anywhere:1", EPERM);
	write_text(TDC_CONFIG "/t/edge", "falling");
}

static void trace_handlers(void)
{
	if (!exists(TRACING "events/irq/irq_handler_entry"))
		shell("mount -t tracefs none " TRACING);
	if (!exists(TRACING "events/irq/irq_handler_entry"))
		SKIP("this kernel has no tracepoints");
	run("echo irq == %s >" TRACING "events/irq/irq_handler_entry/filter", irq);
	write_text(TRACING "events/irq/irq_handler_entry/enable", "1");
	write_text(TRACING "events/zio/zio_removed/enable", "1");
}

static void remove_under_interrupts(void)
{
	make_tdc();
	/* An interrupt has raised an alarm of the channel. */
	while (!read_number(TDC "/cset0/missed"))
		;
	run("echo >" TRACING "trace");
	ASSERT_EQ(rmdir(TDC_CONFIG "/t"), 0);
	run("awk '/zio_removed/ { gone = 1 } gone && /irq_handler_entry/ { late++ } "
	    "END { exit !gone || late }' " TRACING "trace");
}

/* The handler uses the channels, and they go with the board. */
TEST("no interrupt is handled after the board has gone", edge)
{
	pid_t child;
	int i;

	trace_handlers();
	child = fork();
	ASSERT_TRUE(child >= 0);
	while (!child)
		fire(100);
	for (i = 0; i < 10; i++)
		remove_under_interrupts();
	kill(child, SIGKILL);
	ASSERT_EQ(waitpid(child, NULL, 0), child);
}

TEST("the modules leave", edge)
{
	make_tdc();
	ASSERT_EQ(rmdir(TDC_CONFIG "/t"), 0);
	while (shell("rmmod zio_irq_tdc 2>/dev/null"))
		usleep(1000);
	run("rmmod test_irq");
}
