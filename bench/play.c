// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench play: what a block of an output stream costs
 *
 *   use=NAME       store: all blocks are queued before; write: the program writes them
 *   device=N       zplay-N, with one channel (0)
 *   period=NS      between two ticks (50000)
 *   ticks=N        how many (400)
 *
 * As zio-bench stream: what the blocks cost is the time that a busy program loses. It has
 * the timer's interrupt, driver and engine, and the writer. The buffer is full when the
 * stream starts. The program checks that the device did not run dry.
 */
#include "bench.h"

#define BULK	65536	/* bytes of a write */

struct use;

struct bench {
	const struct use *use;
	char dir[64];			/* of the set */
	char statistics[96];		/* of its channel */
	uint64_t ticks, spins;
	int data;
};

struct use {
	const char *name;
	void (*fill)(struct bench *b);	/* after each tick */
};

static void fill(struct bench *b)
{
	static uint8_t buf[BULK];

	while (write(b->data, buf, sizeof(buf)) > 0)
		;
	if (errno != EAGAIN)
		die("write: %s", strerror(errno));
}

static const struct use uses[] = {
	{ "store", NULL },
	{ "write", fill },
};

static uint64_t count(struct bench *b, const char *file)
{
	return read_file_number(b->statistics, file);
}

static void enable(struct bench *b, bool on)
{
	char dir[80];

	snprintf(dir, sizeof(dir), "%s/trigger", b->dir);
	write_number(dir, "enable", on);
}

/* A pass lasts about a period. */
static uint64_t time_passes(struct bench *b)
{
	uint64_t start = now_ns(), n = b->ticks;

	while (n--) {
		spin(b->spins);
		if (b->use->fill)
			b->use->fill(b);
	}
	return now_ns() - start;
}

static uint64_t time_stream(struct bench *b, uint64_t *blocks)
{
	uint64_t ns, before = count(b, "blocks"), dry = count(b, "dry");

	enable(b, true);
	ns = time_passes(b);
	*blocks = count(b, "blocks") - before;
	if (!*blocks || count(b, "dry") != dry)
		die("the device ran dry, or did not run");
	enable(b, false);
	fill(b);
	return ns;
}

void main_play(char **argv)
{
	unsigned int device = take_number(argv, "device", 0);
	uint64_t period, base, ns, blocks;
	static struct bench b;

	b.use = TAKE_ENTRY(argv, "use", uses);
	period = take_count(argv, "period", 50000);
	b.ticks = take_count(argv, "ticks", 400);
	expect_words(argv, 0);
	snprintf(b.dir, sizeof(b.dir), "/sys/bus/zio/devices/zplay-%04x/cset0", device);
	snprintf(b.statistics, sizeof(b.statistics), "%s/chan0/statistics", b.dir);
	write_number(b.dir, "period-ns", period);
	enable(&b, false);
	b.data = open_path(O_WRONLY | O_NONBLOCK, "/dev/zio/zplay-%04x-0-0-data", device);
	fill(&b);
	b.spins = spins_of(period);
	/* The first pass uses the blocks, so the other finds them warm. */
	time_stream(&b, &blocks);
	base = time_passes(&b);
	ns = time_stream(&b, &blocks);
	PRINT_NUMBERS({ "blocks", blocks }, { "ns", ns - base });
}
