// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench route: what a block costs that the kernel hands on by itself
 *
 *   time=MS    between the two looks (1000)
 *
 * The other word is a directory of statistics. No program waits for the blocks of a
 * route. This one reads their number twice. It prints the difference, the time between,
 * and the idle part of that time.
 */
#include "bench.h"

struct look {
	uint64_t blocks, ns, idle;
};

/* The fourth number of the line of all processors, in ticks of 10 ms. */
static uint64_t read_idle(void)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t idle;

	if (!file || fscanf(file, "cpu %*u %*u %*u %lu", &idle) != 1)
		die("/proc/stat: no idle time");
	fclose(file);
	return idle * 10000000;
}

static struct look take_look(const char *dir)
{
	struct look look = { .idle = read_idle() };

	look.blocks = read_file_number(dir, "blocks");
	look.ns = now_ns();
	return look;
}

void main_route(char **argv)
{
	uint64_t ms = take_count(argv, "time", 1000);
	struct look from, to;

	expect_words(argv, 1);
	from = take_look(argv[0]);
	usleep(ms * 1000);
	to = take_look(argv[0]);
	if (to.blocks == from.blocks)
		die("%s: no block has come", argv[0]);
	PRINT_NUMBERS({ "blocks", to.blocks - from.blocks }, { "ns", to.ns - from.ns },
		      { "idle_ns", to.idle - from.idle });
}
