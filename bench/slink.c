// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench slink: what events of the S-LINK card cost a program that uses libzio
 *
 *   bench=FILE     registers of the card's test bench (its resource0)
 *   cset=DIR       directory of the channel set
 *   method=NAME    ring, read
 *   size=WORDS     of an event
 *   warm=N         events to read before
 *   events=N       events to measure
 *   more=N         events to read after
 *   check=1        look at each word
 *
 * The other word is the channel.
 *
 * The caller has set up the source of the emulated card. The source sends as many events
 * as this program reads, from event 0 on, of pattern "count". This program opens the
 * channel and starts the source. It reads two clocks before and after the events that it
 * measures. It also reads the counters of card, driver and kernel.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include <zio.h>

#include "../tests/models/qemu/slidas-pattern.h"
#include "bench.h"

/* Registers of the card's test bench: Documentation/slink/slink-model.md */
#define TIME_LOW	(0x004 / 4)
#define TIME_HIGH	(0x008 / 4)
#define MODE		(0x010 / 4)
#define MODE_BLOCK	2
#define REG_READS	(0x164 / 4)
#define REG_WRITES	(0x168 / 4)
#define BUS_WAIT_NS	(0x190 / 4)

/* Files of the channel set in sysfs */
static const char *const counters[] = {
	"events", "interrupts", "polls", "cpu-words", "transfers",
};

#define N_COUNTERS	ARRAY_SIZE(counters)

struct bench {
	const char *cset;	/* its directory */
	volatile uint32_t *card;
	struct zio_channel *ch;
	uint64_t size, warm, events, more;
	uint32_t next;		/* event */
	bool check;
};

struct snapshot {
	uint64_t ns, card_ns, idle_ns, user_ns, switches;
	uint64_t counter[N_COUNTERS];
	uint32_t reads, writes, wait_ns;
};

static uint64_t user_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec * NS_PER_S + usage.ru_utime.tv_usec * 1000;
}

static uint64_t card_ns(const struct bench *b)
{
	uint32_t high, low;

	do {
		high = b->card[TIME_HIGH];
		low = b->card[TIME_LOW];
	} while (b->card[TIME_HIGH] != high);
	return (uint64_t)high << 32 | low;
}

static void take_clocks(const struct bench *b, struct snapshot *s)
{
	s->ns = now_ns();
	s->card_ns = card_ns(b);
}

static void take_counters(const struct bench *b, struct snapshot *s)
{
	size_t i;

	for (i = 0; i < N_COUNTERS; i++)
		s->counter[i] = read_file_number(b->cset, counters[i]);
	s->reads = b->card[REG_READS];
	s->writes = b->card[REG_WRITES];
	s->wait_ns = b->card[BUS_WAIT_NS];
	s->switches = sum_lines("/proc/stat", "ctxt");
	s->user_ns = user_ns();
	/* /proc/stat counts hundredths of a second; this file counts nanoseconds. */
	s->idle_ns = sum_lines("/proc/timer_list", ".idle_sleeptime");
}

static void check_event(const struct bench *b, const struct zio_block *blk)
{
	const uint32_t *word = blk->data;
	uint32_t i, n = blk->size / 4;

	for (i = 0; i < n; i++)
		if (word[i] != slidas_word(SLIDAS_COUNT, 0, b->next, n, i, 0))
			die("event %u, word %u: %#x", b->next, i, word[i]);
}

static void read_events(struct bench *b, unsigned long n)
{
	struct zio_block blk;

	for (; n--; b->next++) {
		if (zio_next(b->ch, &blk) != 1)
			die("event %u: %s", b->next, zio_reason(b->ch));
		if (blk.lost || blk.control->drv_alarms ||
		    blk.size != b->size * 4)
			die("event %u: %zu bytes, lost %u, alarms %#x", b->next,
			    blk.size, blk.lost, blk.control->drv_alarms);
		if (b->check)
			check_event(b, &blk);
	}
}

static void print_row(const struct bench *b, const struct snapshot *from,
		      const struct snapshot *to)
{
	const uint64_t *n = to->counter, *was = from->counter;

	PRINT_NUMBERS({ "events", b->events }, { "ns", to->ns - from->ns },
		      { "card_ns", to->card_ns - from->card_ns },
		      { "idle_ns", to->idle_ns - from->idle_ns },
		      { "user_ns", to->user_ns - from->user_ns },
		      { "switches", to->switches - from->switches },
		      { "driver_events", n[0] - was[0] },
		      { "interrupts", n[1] - was[1] }, { "polls", n[2] - was[2] },
		      { "cpu_words", n[3] - was[3] }, { "transfers", n[4] - was[4] },
		      { "reads", to->reads - from->reads },
		      { "writes", to->writes - from->writes },
		      { "wait_ns", (uint32_t)(to->wait_ns - from->wait_ns) });
}

static void run(struct bench *b)
{
	struct snapshot from, to;

	b->card[MODE] = MODE_BLOCK;
	read_events(b, b->warm);
	take_counters(b, &from);
	take_clocks(b, &from);
	read_events(b, b->events);
	take_clocks(b, &to);
	take_counters(b, &to);
	read_events(b, b->more);
	print_row(b, &from, &to);
}

static struct zio_channel *open_channel(const char *name, const char *method)
{
	struct zio_error error;
	struct zio_channel *ch = zio_open(name, zio_method_flag(method), &error);

	if (!ch)
		die("%s", error.text);
	return ch;
}

void main_slink(char **argv)
{
	static struct bench b;
	const char *registers = take_text(argv, "bench", "");
	const char *method = take_text(argv, "method", "read");

	b.cset = take_text(argv, "cset", "");
	b.size = take_count(argv, "size", 5);
	b.warm = take_number(argv, "warm", 0);
	b.events = take_count(argv, "events", 1000);
	b.more = take_number(argv, "more", 0);
	b.check = take_number(argv, "check", 0);
	expect_words(argv, 1);
	b.card = map_file(open_path(O_RDWR | O_SYNC, "%s", registers), 0, PAGE,
			  PROT_READ | PROT_WRITE);
	b.ch = open_channel(argv[0], method);
	run(&b);
	zio_close(b.ch);
}
