// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench xdma: what packets of the emulated FPGA card cost
 *
 *   user=FILE      registers of the card's source (its resource0)
 *   method=NAME    ring, by libzio; read, of 64 KiB or a block; or write of that to H2C
 *   size=BYTES     of a packet, which is a block
 *   period=NS      from packet to packet (100)
 *   random=1       between nothing and twice the period
 *   fifo=WORDS     that the card has room for (524288)
 *   warm=N         blocks to read before
 *   blocks=N       blocks to measure
 *
 * The other word is the channel, of xdma-0000. The caller has set up its buffer, and the
 * queue-depth. A packet that the FIFO has no room for is dropped. The card takes packets of
 * H2C as fast as its DMA.
 */
#include <sys/mman.h>

#include <zio.h>

#include "../tests/models/qemu/xdma-regs.h"
#include "bench.h"

#define BULK	65536

struct bench;

struct method {
	const char *name;
	void (*open)(struct bench *b, const char *channel);
	uint64_t (*take)(struct bench *b);	/* returns how many blocks it took */
};

struct bench {
	const struct method *method;
	volatile uint32_t *card;
	struct zio_channel *ch;
	int data;
	uint64_t size, blocks;
	uint8_t *buf;
	uint64_t sum;
};

struct snapshot {
	uint64_t ns, idle_ns, taken;
	uint32_t made, dropped, starved_ns, reads, writes, wait_ns, messages;
};

static void open_ring(struct bench *b, const char *channel)
{
	struct zio_error error;

	b->ch = zio_open(channel, zio_method_flag("ring"), &error);
	if (!b->ch)
		die("%s", error.text);
}

static uint64_t take_ring(struct bench *b)
{
	struct zio_block blk;

	if (zio_next(b->ch, &blk) != 1)
		die("%s", zio_reason(b->ch));
	if (blk.size != b->size || blk.lost)
		die("a block of %zu bytes, %u lost", blk.size, blk.lost);
	b->sum += *(const uint64_t *)blk.data;
	return 1;
}

static void open_read(struct bench *b, const char *channel)
{
	b->data = open_path(O_RDONLY, "%s-data", channel);
}

static uint64_t take_read(struct bench *b)
{
	size_t most = b->size > BULK ? b->size : BULK;
	ssize_t n = read(b->data, b->buf, most);

	if (n <= 0 || n % b->size)
		die("read gave %zd: %s", n, strerror(errno));
	b->sum += *(const uint64_t *)b->buf;
	return n / b->size;
}

static void open_write(struct bench *b, const char *channel)
{
	b->data = open_path(O_WRONLY, "%s-data", channel);
}

/* Blocks that are written wait for the card: it has as many at the end as at the begin. */
static uint64_t take_write(struct bench *b)
{
	size_t most = b->size > BULK ? b->size : BULK;
	ssize_t n = write(b->data, b->buf, most);

	if (n <= 0 || n % b->size)
		die("write gave %zd: %s", n, strerror(errno));
	return n / b->size;
}

static const struct method methods[] = {
	{ "ring", open_ring, take_ring },
	{ "read", open_read, take_read },
	{ "write", open_write, take_write },
};

static uint32_t peek(const struct bench *b, unsigned int reg)
{
	return b->card[reg / 4];
}

static void poke(const struct bench *b, unsigned int reg, uint32_t value)
{
	b->card[reg / 4] = value;
}

static void take_snapshot(const struct bench *b, uint64_t taken, struct snapshot *s)
{
	s->taken = taken;
	s->made = peek(b, XDMA_USER_MADE);
	s->dropped = peek(b, XDMA_USER_DROPPED);
	s->starved_ns = peek(b, XDMA_USER_STARVED_NS);
	s->reads = peek(b, XDMA_USER_READS);
	s->writes = peek(b, XDMA_USER_WRITES);
	s->messages = peek(b, XDMA_USER_MESSAGES);
	s->wait_ns = peek(b, XDMA_USER_WAIT_NS);
	/* /proc/stat counts hundredths of a second; this file counts nanoseconds. */
	s->idle_ns = sum_lines("/proc/timer_list", ".idle_sleeptime");
}

static uint64_t take_blocks(struct bench *b, uint64_t n)
{
	uint64_t taken = 0;

	while (taken < n)
		taken += b->method->take(b);
	return taken;
}

static void start_source(struct bench *b, char **argv)
{
	poke(b, XDMA_USER_CONTROL, XDMA_FLUSH);
	poke(b, XDMA_USER_WORDS, b->size / 4);
	poke(b, XDMA_USER_SPREAD, 0);
	poke(b, XDMA_USER_LIMIT, 0);
	poke(b, XDMA_USER_PERIOD, take_count(argv, "period", 100));
	poke(b, XDMA_USER_FIFO, take_count(argv, "fifo", 524288));
	poke(b, XDMA_USER_CONTROL,
	     XDMA_SOURCE | (take_number(argv, "random", 0) ? XDMA_RANDOM : 0));
}

static void run(struct bench *b, uint64_t warm)
{
	struct snapshot from, to;
	uint64_t taken;

	take_blocks(b, warm);
	take_snapshot(b, 0, &from);
	from.ns = now_ns();
	taken = take_blocks(b, b->blocks);
	to.ns = now_ns();
	take_snapshot(b, taken, &to);
	PRINT_NUMBERS({ "blocks", taken }, { "ns", to.ns - from.ns },
		      { "idle_ns", to.idle_ns - from.idle_ns },
		      { "made", to.made - from.made },
		      { "dropped", to.dropped - from.dropped },
		      { "starved_ns", to.starved_ns - from.starved_ns },
		      { "interrupts", to.messages - from.messages },
		      { "reads", to.reads - from.reads },
		      { "writes", to.writes - from.writes },
		      { "wait_ns", to.wait_ns - from.wait_ns });
}

void main_xdma(char **argv)
{
	static struct bench b;
	const char *user = take_text(argv, "user", "");
	uint64_t warm;

	b.method = TAKE_ENTRY(argv, "method", methods);
	b.size = take_count(argv, "size", 64);
	b.blocks = take_count(argv, "blocks", 10000);
	warm = take_count(argv, "warm", b.blocks / 10 + 1);
	b.card = map_file(open_path(O_RDWR | O_SYNC, "%s", user), 0, PAGE,
			  PROT_READ | PROT_WRITE);
	b.buf = calloc(1, b.size > BULK ? b.size : BULK);
	start_source(&b, argv);
	expect_words(argv, 1);
	b.method->open(&b, argv[0]);
	run(&b, warm);
	/* The next run changes the size of blocks. */
	if (b.method->take == take_write && fsync(b.data))
		die("fsync: %s", strerror(errno));
	poke(&b, XDMA_USER_CONTROL, XDMA_FLUSH);
	if (peek(&b, XDMA_USER_FAULTS))
		die("the card saw %u faults", peek(&b, XDMA_USER_FAULTS));
}
