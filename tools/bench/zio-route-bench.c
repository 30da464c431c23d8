// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-route-bench: what a block costs that the kernel hands on by itself
 *
 * Nobody waits for a route: its blocks are counted twice, and the time between.
 * Prints: blocks, ns, ns of it that the processor was idle.
 */
#include <fcntl.h>
#include <unistd.h>

#include "bench.h"

struct look {
	uint64_t blocks, ns, idle;
};

static uint64_t read_number(const char *path)
{
	char text[32];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
	text[n] = '\0';
	return strtoull(text, NULL, 10);
}

/* The fourth of the numbers of all processors, in ticks of 10 ms. */
static uint64_t read_idle(void)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t idle;

	if (!file || fscanf(file, "cpu %*u %*u %*u %lu", &idle) != 1)
		die("/proc/stat: %s", strerror(errno));
	fclose(file);
	return idle * 10000000;
}

static struct look look_at(const char *path)
{
	struct look look = { .idle = read_idle() };

	look.blocks = read_number(path);
	look.ns = now_ns();
	return look;
}

static void print_help(const struct bench_option *table)
{
	puts("Usage: zio-route-bench [options] FILE_WITH_NUMBER_OF_BLOCKS\n\n"
	     "Prints: blocks,ns,ns idle\n");
	print_options(table);
}

int main(int argc, char **argv)
{
	unsigned long ms = 1000;
	const struct bench_option options[] = {
		{ "time", 't', "MS", "how long (1000)", .number = &ms,
		  .least = 1 },
		{ }
	};
	struct look from, to;

	take_options(argc, argv, options, print_help);
	if (optind != argc - 1)
		die("one file, please (see --help)");
	from = look_at(argv[optind]);
	usleep(ms * 1000);
	to = look_at(argv[optind]);
	if (to.blocks == from.blocks)
		die("%s: nothing has come", argv[optind]);
	printf("%lu,%lu,%lu\n", to.blocks - from.blocks, to.ns - from.ns,
	       to.idle - from.idle);
	return 0;
}
