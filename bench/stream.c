// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench stream: what a block of a stream costs, when each interrupt completes several
 *
 *   use=NAME       what becomes of the blocks: see uses[]
 *   device=N       zzero-N, whose cset0 is a stream with one channel (0)
 *   burst=N        blocks per tick (1), as the device has it
 *   period=NS      between two ticks (50000)
 *   ticks=N        how many (400)
 *   announce=1     print READY when all blocks are warm, and go on for ever
 *
 * This program is busy all the time. What the blocks cost is the time that the program
 * loses: the time of so many turns with the stream, less that without. Between two turns
 * the program takes the blocks that are there, or leaves them. The time has the timer's
 * interrupt, driver, engine, and the reader. The program checks that nothing was lost.
 */
#include <linux/zio-user.h>
#include <sys/mman.h>

#include "bench.h"

#define BULK	65536	/* bytes of a read */

struct use;

struct bench {
	const struct use *use;
	char dir[64];			/* of the set */
	char node[64];			/* without "-ctrl" */
	uint64_t burst, period, ticks;
	uint64_t got;
	uint64_t sum;
	int data, ctrl;
	struct zio_ring_header *hdr;
	const struct zio_control *slot;
	const uint8_t *area;
};

/**
 * struct use - what becomes of the blocks
 * @name: its name
 * @open: opens what @drain needs
 * @drain: takes the blocks that are there; NULL: they stay in the buffer
 */
struct use {
	const char *name;
	void (*open)(struct bench *b);
	void (*drain)(struct bench *b);
};

static void open_data(struct bench *b)
{
	b->data = open_path(O_RDONLY | O_NONBLOCK, "%s-data", b->node);
}

static void open_ring(struct bench *b)
{
	open_data(b);
	b->ctrl = open_path(O_RDWR, "%s-ctrl", b->node);
	b->hdr = map_file(b->ctrl, 0, PAGE, PROT_READ | PROT_WRITE);
	b->slot = map_file(b->ctrl, b->hdr->slots_offset,
			   (size_t)b->hdr->n_slots * b->hdr->slot_size, PROT_READ);
	b->area = map_file(b->data, 0, b->hdr->data_size, PROT_READ);
}

static uint64_t first_word(const struct bench *b, const struct zio_control *c)
{
	return *(const uint64_t *)(b->area + (c->mem_offset | (uint64_t)c->mem_offset_high << 32));
}

/*
 * Uses the samples of each block: the first eight bytes. Takes all blocks that are there,
 * and gives them back together.
 */
static void drain_ring(struct bench *b)
{
	struct zio_ring_header *hdr = b->hdr;
	uint32_t head, tail = hdr->tail, mask = hdr->n_slots - 1;
	uint64_t sum = 0;

	while ((head = __atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE)) != tail) {
		b->got += head - tail;
		for (; tail != head; tail++)
			sum += first_word(b, &b->slot[tail & mask]);
		__atomic_store_n(&hdr->tail, tail, __ATOMIC_RELEASE);
	}
	b->sum += sum;
}

static void drain_data(struct bench *b)
{
	static uint8_t buf[BULK];
	ssize_t n;

	while ((n = read(b->data, buf, sizeof(buf))) > 0)
		b->got += n / BLOCK;
	if (errno != EAGAIN)
		die("%s: read: %s", b->node, strerror(errno));
}

static const struct use uses[] = {
	{ "ring", open_ring, drain_ring },
	{ "read", open_data, drain_data },
	/* No program reads, and the buffer has room. */
	{ "store", open_data, NULL },
};

/* A pass lasts about a period, and takes the blocks of about one tick. */
static uint64_t time_passes(struct bench *b, uint64_t spins)
{
	uint64_t start = now_ns(), n = b->ticks;

	while (n--) {
		spin(spins);
		if (b->use->drain)
			b->use->drain(b);
	}
	return now_ns() - start;
}

static void enable(struct bench *b, bool on)
{
	char dir[80];

	snprintf(dir, sizeof(dir), "%s/trigger", b->dir);
	write_number(dir, "enable", on);
}

static uint64_t count(struct bench *b, const char *file)
{
	char dir[96];

	snprintf(dir, sizeof(dir), "%s/chan0/statistics", b->dir);
	return read_file_number(dir, file);
}

static void flush(struct bench *b)
{
	char dir[80];

	snprintf(dir, sizeof(dir), "%s/chan0", b->dir);
	if (b->use->drain)
		b->use->drain(b);
	else
		write_number(dir, "flush", 1);
}

/* The stream ends a grace period after it is disabled: what it loses then does not count. */
static uint64_t time_stream(struct bench *b, uint64_t spins, uint64_t *blocks)
{
	uint64_t ns, before, lost;

	enable(b, true);
	before = count(b, "blocks");
	lost = count(b, "lost_blocks");
	ns = time_passes(b, spins);
	*blocks = count(b, "blocks") - before;
	lost = count(b, "lost_blocks") - lost;
	if (lost)
		die("%llu blocks were lost", (unsigned long long)lost);
	enable(b, false);
	flush(b);
	return ns;
}

/* The next pass has no end. */
static uint64_t announce_end(struct bench *b)
{
	announce();
	b->ticks = UINT64_MAX;
	return 0;
}

void main_stream(char **argv)
{
	static struct bench b;
	uint64_t device, spins, base, ns, blocks;
	bool announces;

	b.use = TAKE_ENTRY(argv, "use", uses);
	device = take_number(argv, "device", 0);
	announces = take_number(argv, "announce", 0);
	b.burst = take_count(argv, "burst", 1);
	b.period = take_count(argv, "period", 50000);
	b.ticks = take_count(argv, "ticks", 400);
	expect_words(argv, 0);
	snprintf(b.dir, sizeof(b.dir), "/sys/bus/zio/devices/zzero-%04x/cset0",
		 (unsigned int)device);
	snprintf(b.node, sizeof(b.node), "/dev/zio/zzero-%04x-0-0", (unsigned int)device);
	write_number(b.dir, "period-ns", b.period);
	enable(&b, false);
	b.use->open(&b);
	spins = spins_of(b.period);
	/* The first pass uses every block of the buffer, so the other finds them warm. */
	time_stream(&b, spins, &blocks);
	base = announces ? announce_end(&b) : time_passes(&b, spins);
	b.got = 0;
	ns = time_stream(&b, spins, &blocks);
	if (b.use->drain && b.got < blocks)
		die("%llu blocks of %llu came", (unsigned long long)b.got,
		    (unsigned long long)blocks);
	PRINT_NUMBERS({ "blocks", blocks }, { "ns", ns - base });
}
