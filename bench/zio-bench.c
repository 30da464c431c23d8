// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench: measures one thing inside the virtual machine
 *
 * Usage: zio-bench COMMAND [KEY=VALUE]... [WORD]...
 *
 * Each command prints JSON objects, one a line. Under QEMU's -icount shift=0 a
 * nanosecond of the machine is one instruction. The same program therefore counts
 * instructions there, and nanoseconds elsewhere. Nothing is subtracted: a figure
 * includes the system calls that it is made of.
 */
#include <sys/wait.h>

#include "bench.h"

/* run: time the command whose words these are */
static void main_run(char **argv)
{
	uint64_t start = now_ns();
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(argv[0], argv);
		die("%s: %s", argv[0], strerror(errno));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die("run: %s", strerror(errno));
	if (status)
		die("%s failed with status 0x%x", argv[0], status);
	PRINT_NUMBERS({ "ns", now_ns() - start });
}

/* free: the memory that is free when nothing more comes back, in KiB */

/* MemFree leaves out the pages that the lists of each processor keep, up to 3 MiB. */
static uint64_t read_free_kib(void)
{
	sync();
	write_number("/proc/sys/vm", "drop_caches", 3);
	write_number("/proc/sys/vm", "compact_memory", 1);
	return sum_lines("/proc/meminfo", "MemFree:") +
	       sum_lines("/proc/zoneinfo", "count:") * (PAGE / 1024);
}

/* Memory that is freed after a grace period comes back late. */
static void main_free(char **argv)
{
	uint64_t last = 0, now;
	int calm = 0;

	expect_words(argv, 0);
	while (calm++ < 3) {
		now = read_free_kib();
		if (now > last + 8) {
			last = now;
			calm = 0;
		}
		usleep(100000);
	}
	PRINT_NUMBERS({ "kib", last });
}

static const struct command {
	const char *name;
	void (*main)(char **argv);
} commands[] = {
	{ "loop", main_loop },		/* blocks, by one method or another */
	{ "peer", main_peer },		/* blocks by way of IIO and of Comedi */
	{ "trig", main_trig },		/* events of ZIO's triggers */
	{ "iio", main_iio },		/* events of IIO's hrtimer trigger */
	{ "jitter", main_jitter },	/* how late events come */
	{ "slink", main_slink },	/* events of the emulated S-LINK card */
	{ "play", main_play },		/* blocks of an output stream */
	{ "stream", main_stream },	/* blocks of a stream */
	{ "xdma", main_xdma },		/* packets of the emulated FPGA card */
	{ "uzio", main_uzio },		/* a driver that is a program */
	{ "uzio-stream", main_uzio_stream },	/* blocks of a stream whose driver is a program */
	{ "route", main_route },	/* blocks that the kernel hands on by itself */
	{ "busy", main_busy },		/* a command that mostly waits */
	{ "run", main_run },
	{ "free", main_free },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, argv[1])) {
			commands[i].main(argv + 2);
			return 0;
		}
	die("which command? loop, peer, trig, iio, jitter, slink, play, stream, xdma, uzio, uzio-stream, route, busy, run, free");
}
