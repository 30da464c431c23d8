// SPDX-License-Identifier: GPL-2.0-only
/*
 * load_test.c: triggers that cannot keep their period leave time for programs
 *
 * Time counts instructions here: a host that has other work does not change the result.
 *
 * # icount
 * # not kasan: it measures
 * # not distro: so do other programs of the host
 */
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define SETS		24

SETUP(fresh)
{
	load("zio-trig-hrt");
	load("zio-trig-timer");
	renew_zzero();
}

static void write_to_set(const char *device, int set, const char *file,
			 const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cset%d/%s", device, set, file);
	write_text(path, text);
}

struct load {
	const char *device, *type, *file, *period;
	int sets;
};

static void switch_load(const struct load *load, int on)
{
	int i;

	for (i = 0; i < load->sets; i++)
		write_to_set(load->device, i, "current_trigger",
			     on ? load->type : "user");
	for (i = 0; on && i < load->sets; i++)
		write_to_set(load->device, i, load->file, load->period);
}

/* Return: how many ns it takes to read the clock so often */
static long long time_work(unsigned long rounds)
{
	long long start = now_by(CLOCK_MONOTONIC);

	while (rounds--)
		now_by(CLOCK_MONOTONIC);
	return now_by(CLOCK_MONOTONIC) - start;
}

static unsigned long rounds_in(long long ns)
{
	long long start = now_by(CLOCK_MONOTONIC);
	unsigned long rounds = 0;

	while (now_by(CLOCK_MONOTONIC) < start + ns)
		rounds++;
	return rounds;
}

/*
 * The triggers of these sets cannot keep the period. A program on the processor that
 * serves them takes less than four times as long.
 */
static void check_load(const char *device, const char *type, const char *file,
		       const char *period)
{
	struct load load = { device, type, file, period, SETS };
	unsigned long rounds = rounds_in(NSEC / 10);
	long long alone, tenths;

	alone = time_work(rounds);
	switch_load(&load, 1);
	tenths = 10 * time_work(rounds) / alone;
	switch_load(&load, 0);
	diag("a program takes %lld.%lld times as long", tenths / 10, tenths % 10);
	ASSERT_TRUE(tenths > 10, "the triggers take time");
	ASSERT_TRUE(tenths < 40);
}

/* A board with many triggers, each of which takes a little of the processor. */
static const char *plug_slow_board(void)
{
	static char device[64];
	int i;

	mkdir(ZIO_CONFIG "/devices/zzero/slow", 0755);
	write_text(ZIO_CONFIG "/devices/zzero/slow/csets", "24");
	write_text(ZIO_CONFIG "/devices/zzero/slow/channels", "1");
	write_text(ZIO_CONFIG "/devices/zzero/slow/live", "1");
	snprintf(device, sizeof(device), "/sys/bus/zio/devices/%.16s",
		 text_in(ZIO_CONFIG "/devices/zzero/slow/name"));
	for (i = 0; i < SETS; i++) {
		set_file("1", "%s/cset%d/chan0/buffer/max-buffer-len", device, i);
		set_file("1", "%s/cset%d/chan0/buffer/prefer-new", device, i);
		set_file("2000000", "%s/cset%d/trigger/nsamples", device, i);
	}
	return device;
}

TEST("overloaded high-resolution timers leave time for programs", fresh)
{
	check_load(plug_slow_board(), "hrt", "trigger/period-ns", "1000");
	ASSERT_EQ(rmdir(ZIO_CONFIG "/devices/zzero/slow"), 0);
}

TEST("overloaded timers leave time for programs", fresh)
{
	check_load(plug_slow_board(), "timer", "trigger/period-ms", "1");
	ASSERT_EQ(rmdir(ZIO_CONFIG "/devices/zzero/slow"), 0);
}
