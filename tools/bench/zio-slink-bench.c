// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-slink-bench: what events of the S-LINK card cost who reads them, by libzio
 *
 * The source of the emulated card is set to send as many events as are read here,
 * from event 0 on, of pattern "count"; it is started when the channel is open. Two
 * clocks and the counters of card, driver and kernel are looked at before and after
 * the events that are measured.
 */
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <zio.h>

#include "../testing/devices/slidas-pattern.h"
#include "bench.h"

/* Registers of the card's test bench: Documentation/slink-model.md */
#define TIME_LOW	(0x004 / 4)
#define TIME_HIGH	(0x008 / 4)
#define MODE		(0x010 / 4)
#define MODE_BLOCK	2
#define REG_READS	(0x164 / 4)
#define REG_WRITES	(0x168 / 4)
#define CARD_SIZE	4096
#define LINE_SIZE	4096

/* Files of the channel set in sysfs */
static const char *const counters[] = {
	"events", "interrupts", "polls", "cpu-words", "transfers",
};

#define N_COUNTERS	(sizeof(counters) / sizeof(*counters))

struct bench {
	const char *cset;	/* directory */
	volatile uint32_t *card;
	struct zio_channel *ch;
	unsigned long size, warm, events, more;
	uint32_t next;		/* event */
	int check;
};

struct snapshot {
	uint64_t ns, card_ns, idle_ns, user_ns, switches;
	uint64_t counter[N_COUNTERS];
	uint32_t reads, writes;
};

static FILE *open_file(const char *dir, const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		die("%s: %s", path, strerror(errno));
	return f;
}

static uint64_t read_counter(const char *dir, const char *name)
{
	FILE *f = open_file(dir, name);
	unsigned long long value;

	if (fscanf(f, "%llu", &value) != 1)
		die("%s: no number", name);
	fclose(f);
	return value;
}

/* Of all lines that begin with @key (after spaces), the sum of the numbers. */
static uint64_t sum_lines(const char *name, const char *key)
{
	FILE *f = open_file("/proc", name);
	char line[LINE_SIZE], *text;
	uint64_t sum = 0;
	int found = 0;

	while (fgets(line, sizeof(line), f)) {
		text = line + strspn(line, " ");
		if (strncmp(text, key, strlen(key)))
			continue;
		text += strcspn(text, "0123456789");
		sum += strtoull(text, NULL, 10);
		found = 1;
	}
	fclose(f);
	if (!found)
		die("/proc/%s has no %s", name, key);
	return sum;
}

static uint64_t user_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_utime.tv_sec * 1000000000 +
		usage.ru_utime.tv_usec * 1000;
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
		s->counter[i] = read_counter(b->cset, counters[i]);
	s->reads = b->card[REG_READS];
	s->writes = b->card[REG_WRITES];
	s->switches = sum_lines("stat", "ctxt");
	s->user_ns = user_ns();
	/* /proc/stat has hundredths of a second, this has nanoseconds. */
	s->idle_ns = sum_lines("timer_list", ".idle_sleeptime");
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
	size_t i;

	printf("%lu,%lu,%llu,%llu,%llu,%llu,%llu", b->size, b->events,
	       (unsigned long long)(to->ns - from->ns),
	       (unsigned long long)(to->card_ns - from->card_ns),
	       (unsigned long long)(to->idle_ns - from->idle_ns),
	       (unsigned long long)(to->user_ns - from->user_ns),
	       (unsigned long long)(to->switches - from->switches));
	for (i = 0; i < N_COUNTERS; i++)
		printf(",%llu", (unsigned long long)(to->counter[i] -
						     from->counter[i]));
	printf(",%u,%u\n", to->reads - from->reads, to->writes - from->writes);
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

static void map_card(struct bench *b, const char *path)
{
	int fd = open(path, O_RDWR | O_SYNC);
	void *mem;

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	mem = mmap(NULL, CARD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		die("%s: mmap: %s", path, strerror(errno));
	b->card = mem;
	close(fd);
}

static void open_channel(struct bench *b, const char *name, const char *method)
{
	int flag = zio_method_flag(method);
	struct zio_error error;

	if (flag <= 0)
		die("no method '%s' (see --help)", method);
	b->ch = zio_open(name, flag, &error);
	if (!b->ch)
		die("%s", error.text);
}

static void print_help(void)
{
	puts("Usage: zio-slink-bench -b FILE -c DIR [options] CHANNEL\n\n"
	     "Prints: words of an event, events, ns, ns of the card's clock, ns idle,\n"
	     "ns of this program in user mode, context switches; of the driver: events,\n"
	     "interrupts, polls, words by the CPU, transfers; of the card: reads and\n"
	     "writes of registers\n\n"
	     "  -b, --bench=FILE   registers of the card's test bench (its resource0)\n"
	     "  -c, --cset=DIR     the channel set in sysfs\n"
	     "  -m, --method=NAME  ring, mmap, read (read)\n"
	     "  -s, --size=WORDS   of each event (5)\n"
	     "  -w, --warm=N       events to read before (0)\n"
	     "  -n, --events=N     to measure (1000)\n"
	     "  -x, --more=N       to read after (0)\n"
	     "  -k, --check        look at each word\n"
	     "  -h, --help         this text");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "bench", required_argument, NULL, 'b' },
		{ "cset", required_argument, NULL, 'c' },
		{ "method", required_argument, NULL, 'm' },
		{ "size", required_argument, NULL, 's' },
		{ "warm", required_argument, NULL, 'w' },
		{ "events", required_argument, NULL, 'n' },
		{ "more", required_argument, NULL, 'x' },
		{ "check", no_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct bench b = { .size = 5, .events = 1000 };
	const char *method = "read", *registers = NULL;
	int opt;

	while ((opt = getopt_long(argc, argv, "b:c:m:s:w:n:x:kh", options,
				  NULL)) >= 0)
		switch (opt) {
		case 'b': registers = optarg; break;
		case 'c': b.cset = optarg; break;
		case 'm': method = optarg; break;
		case 's': b.size = parse_number("size", optarg, 0); break;
		case 'w': b.warm = parse_number("warm", optarg, 0); break;
		case 'n': b.events = parse_number("events", optarg, 1); break;
		case 'x': b.more = parse_number("more", optarg, 0); break;
		case 'k': b.check = 1; break;
		case 'h': print_help(); return 0;
		default: return 2;
		}
	if (optind != argc - 1 || !registers || !b.cset)
		die("a test bench, a set and a channel, please (see --help)");
	map_card(&b, registers);
	open_channel(&b, argv[optind], method);
	run(&b);
	zio_close(b.ch);
	return 0;
}
