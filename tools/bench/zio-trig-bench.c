// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-bench: what an event costs, how many come a second, and when
 *
 * A program that is busy all the time tells what it loses to events: the time of
 * so many turns with them, less that without. In between it reads the blocks, or
 * leaves them, as told. Under QEMU's -icount shift=0 a nanosecond of the guest is
 * one instruction, so the figures repeat.
 *
 * All that is said of an event is checked: that so many came, that nothing was
 * lost, or that all was.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/zio-user.h>

#include "events.h"

#define MAX_SETS	128
#define RUN_IN		64	/* events */
#define DAY_NS		(24 * 3600 * 1000000000ull)

struct set {
	char name[32];			/* of the device */
	int data, ctrl;
	int lost_blocks, lost_triggers, fired;
	pid_t sleeper;
	struct zio_ring_header *hdr;
	const struct zio_control *slot;
};

struct bench {
	const struct use *use;
	const struct source *source;
	uint64_t period;		/* ns */
	uint64_t events;
	unsigned long spread, bin, time_ms;
	uint64_t spins;			/* turns of the empty loop in a pass */
	uint64_t got;			/* blocks */
	unsigned int first, n;
	unsigned int n_dirs;
	char *dir[MAX_SETS];		/* of the triggers */
	struct set set[MAX_SETS];
	void (*see)(struct bench *b, const struct zio_control *ctrl);
};

/* What becomes of the blocks */
struct use {
	const char *name, *what;
	unsigned int queue;		/* blocks to have in a buffer; 0: as it is */
	void (*open)(struct bench *b, struct set *s);
	void (*drain)(struct bench *b, struct set *s);
};

/* Where the events come from */
struct source {
	const char *name, *what;
	void (*start)(struct bench *b, uint64_t at);
	int exact;			/* it can be told how many, and when */
};

/* What was lost so far, by all sets. */
static uint64_t count_lost(struct bench *b, uint64_t *triggers)
{
	uint64_t blocks = 0;
	unsigned int i;

	*triggers = 0;
	for (i = 0; i < b->n; i++) {
		blocks += read_number(b->set[i].lost_blocks);
		*triggers += read_number(b->set[i].lost_triggers);
	}
	return blocks;
}

/* Uses */

static void open_data(struct bench *b, struct set *s)
{
	(void)b;
	s->data = open_path(O_RDONLY | O_NONBLOCK, "/dev/zio/%s-0-0-data", s->name);
}

static void leave(struct bench *b, struct set *s)
{
	(void)b;
	(void)s;
}

static void read_blocks(struct bench *b, struct set *s)
{
	uint8_t buf[BLOCK];
	ssize_t n;

	while ((n = read(s->data, buf, BLOCK)) == BLOCK)
		b->got++;
	if (n >= 0 || errno != EAGAIN)
		die("%s: read gave %zd: %s", s->name, n, strerror(errno));
}

static void open_ring(struct bench *b, struct set *s)
{
	(void)b;
	s->ctrl = open_path(O_RDWR, "/dev/zio/%s-0-0-ctrl", s->name);
	s->hdr = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, s->ctrl, 0);
	if (s->hdr == MAP_FAILED)
		die("%s: header: %s", s->name, strerror(errno));
	s->slot = mmap(NULL, (size_t)s->hdr->n_slots * s->hdr->slot_size,
		       PROT_READ, MAP_SHARED | MAP_POPULATE, s->ctrl,
		       s->hdr->slots_offset);
	if (s->slot == MAP_FAILED)
		die("%s: slots: %s", s->name, strerror(errno));
}

static void pass_ring(struct bench *b, struct set *s)
{
	uint32_t tail = s->hdr->tail, mask = s->hdr->n_slots - 1;

	while (__atomic_load_n(&s->hdr->head, __ATOMIC_ACQUIRE) != tail) {
		if (b->see)
			b->see(b, &s->slot[tail & mask]);
		__atomic_store_n(&s->hdr->tail, ++tail, __ATOMIC_RELEASE);
		b->got++;
	}
}

/* A reader of his own, who sleeps until the next block is there. */
static void open_sleeper(struct bench *b, struct set *s)
{
	uint8_t buf[BLOCK];
	int fd;

	(void)b;
	s->sleeper = fork();
	if (s->sleeper < 0)
		die("fork: %s", strerror(errno));
	if (s->sleeper)
		return;
	fd = open_path(O_RDONLY, "/dev/zio/%s-0-0-data", s->name);
	while (read(fd, buf, BLOCK) == BLOCK)
		;
	_exit(1);
}

static const struct use uses[] = {
	{ "full", "nobody reads, and the buffers are full", 0, leave, leave },
	{ "store", "nobody reads, and the buffers have room", 1, open_data, leave },
	{ "read", "each block is read, one by one", 0, open_data, read_blocks },
	{ "ring", "each block is taken from a ring", 0, open_ring, pass_ring },
	{ "sleeper", "a process for each set, asleep in read()", 0,
	  open_sleeper, leave },
};

/* Sources */

static void start_hrt(struct bench *b, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < b->n_dirs; i++) {
		write_number(b->dir[i], "start-ns", at + DAY_NS);
		write_number(b->dir[i], "period-ns", b->period);
		write_number(b->dir[i], "phase-ns",
			     b->spread ? b->period * i / b->n_dirs : 0);
		write_number(b->dir[i], "shots", b->events);
		write_number(b->dir[i], "start-ns", at);
	}
	if (clock_ns(CLOCK_REALTIME) > at)
		die("the start has passed before all was set");
}

static void start_timer(struct bench *b, uint64_t at)
{
	unsigned int i;

	/* No timer is ever off: without events is with the longest period. */
	for (i = 0; i < b->n_dirs; i++)
		write_number(b->dir[i], "period-ms",
			     at ? b->period / 1000000 : DAY_NS / 1000000);
}

static const struct source sources[] = {
	{ "hrt", "period-ns, so many shots from start-ns on", start_hrt, 1 },
	{ "timer", "period-ms, on and on", start_timer, 0 },
};

static void drain_all(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		b->use->drain(b, &b->set[i]);
}

static void calibrate(struct bench *b)
{
	b->spins = b->period * PERIODS_A_TURN * calibrate_spin() / 1000000;
}

static uint64_t time_passes(struct bench *b, uint64_t passes)
{
	uint64_t start = now_ns();

	while (passes--) {
		spin(b->spins);
		drain_all(b);
	}
	return now_ns() - start;
}

/* Time enough to write to all the files of the triggers. */
static uint64_t lead_ns(const struct bench *b)
{
	return (2 + b->n_dirs) * 1000000ull;
}

static uint64_t count_fired(struct bench *b)
{
	return read_number(b->set[0].fired);
}

static void stop(struct bench *b)
{
	b->source->start(b, b->source->exact ?
			 clock_ns(CLOCK_REALTIME) + DAY_NS : 0);
}

static uint64_t time_without(struct bench *b, uint64_t passes)
{
	stop(b);
	return time_passes(b, passes);
}

/* The buffers have room for all of them. */
static void set_queue(struct bench *b, uint64_t len)
{
	char dir[128];
	unsigned int i;

	for (i = 0; i < b->n; i++) {
		snprintf(dir, sizeof(dir),
			 "/sys/bus/zio/devices/%s/cset0/chan0/buffer",
			 b->set[i].name);
		write_number(dir, "max-buffer-len", len);
	}
}

static void expect(const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		die("%s: %llu, not %llu", what, (unsigned long long)got,
		    (unsigned long long)wanted);
}

static void take_what_is_left(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		if (b->use->queue)
			read_blocks(b, &b->set[i]);
		else
			b->use->drain(b, &b->set[i]);
}

static void check_cost(struct bench *b, uint64_t events, uint64_t lost,
		       uint64_t lost_triggers)
{
	int full = !strcmp(b->use->name, "full");
	uint64_t triggers, blocks;

	take_what_is_left(b);
	blocks = count_lost(b, &triggers);
	expect("events lost", triggers, lost_triggers);
	expect("blocks lost", blocks - lost, full ? events * b->n : 0);
	if (b->use->drain != leave || b->use->queue)
		expect("blocks", b->got, events * b->n);
}

/* Fills what is to be full, and lets everything be loaded that is used. */
static void warm_up(struct bench *b)
{
	uint64_t events = b->events;

	b->events = 64;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	time_passes(b, lead_ns(b) / (b->period * PERIODS_A_TURN) +
		    b->events / PERIODS_A_TURN + 2);
	stop(b);
	take_what_is_left(b);
	b->events = events;
}

static void run_cost(struct bench *b)
{
	uint64_t lead = lead_ns(b), base, ns, before, fired, lost, triggers, passes;

	calibrate(b);
	if (b->use->queue)
		set_queue(b, b->events + 64);
	warm_up(b);
	passes = lead / (b->period * PERIODS_A_TURN) + b->events / PERIODS_A_TURN + 2;
	base = time_without(b, passes);
	lost = count_lost(b, &triggers);
	b->got = 0;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead);
	before = count_fired(b);
	ns = time_passes(b, passes);
	fired = count_fired(b) - before;
	stop(b);
	if (b->source->exact)
		expect("events", fired, b->events);
	/* One more may have come since, from a source that goes on and on. */
	check_cost(b, count_fired(b) - before, lost, triggers);
	if (b->use->queue)
		set_queue(b, 16);
	printf("%llu,%lld\n", (unsigned long long)fired, (long long)(ns - base));
}

/* The highest rate */

static void drain_until(struct bench *b, uint64_t blocks, uint64_t end)
{
	while (b->got < blocks && clock_ns(CLOCK_REALTIME) < end)
		drain_all(b);
}

/*
 * Returns what was lost of so many events, or did not come in time. The first
 * ones do not count: the period is new, and each block gets new attributes. But who
 * has not got them when as many more are due, will not keep up.
 */
static uint64_t try_period(struct bench *b, uint64_t period)
{
	uint64_t lost, triggers, lost_before, triggers_before, at, end, late;

	b->period = period;
	b->events = RUN_IN + b->time_ms * 1000000ull / period;
	b->got = 0;
	at = clock_ns(CLOCK_REALTIME) + lead_ns(b);
	end = at + b->time_ms * 1250000ull + 2 * RUN_IN * period;
	b->source->start(b, at);
	drain_until(b, RUN_IN * b->n, end);
	late = clock_ns(CLOCK_REALTIME) > at + 2 * RUN_IN * period;
	lost_before = count_lost(b, &triggers_before);
	drain_until(b, b->events * b->n, end);
	stop(b);
	drain_all(b);
	lost = count_lost(b, &triggers) - lost_before;
	return late + lost + triggers - triggers_before;
}

/* To one per cent; then three times more, as a tick may have been lucky. */
static void run_rate(struct bench *b, uint64_t least)
{
	uint64_t good = b->period, bad = least, middle;
	int i;

	if (try_period(b, good))
		die("some are lost at a period of %llu ns already",
		    (unsigned long long)good);
	if (!try_period(b, least))
		good = bad = least;
	while ((good - bad) * 100 > good) {
		middle = (good + bad) / 2;
		if (try_period(b, middle))
			bad = middle;
		else
			good = middle;
	}
	for (i = 0; i < 3; i++)
		if (try_period(b, good)) {
			good += good / 100 + 1;
			i = -1;
		}
	printf("%llu,%llu\n", (unsigned long long)b->events,
	       (unsigned long long)good);
}

/* When they come */

#define MAX_STAMPS	100000

static int64_t stamps[MAX_STAMPS];
static unsigned int n_stamps;

/* From the nearest tick; the clock and the ticks have the same zero. */
static void keep_stamp(struct bench *b, const struct zio_control *ctrl)
{
	uint64_t ns = ctrl->tstamp.secs * 1000000000ull + ctrl->tstamp.ticks;
	int64_t late = ns % b->period;

	if ((uint64_t)late > b->period / 2)
		late -= b->period;
	if (n_stamps < MAX_STAMPS)
		stamps[n_stamps++] = late;
}

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Jiffies have no zero that is known: the earliest is taken for it. */
static void shift_to_earliest(void)
{
	int64_t first = stamps[0];
	unsigned int i;

	for (i = 0; i < n_stamps; i++)
		stamps[i] -= first;
}

static void print_histogram(unsigned long bin)
{
	unsigned int i, n = 0;
	int64_t low, at = 0;

	for (i = 0; i < n_stamps; i++, n++) {
		low = (stamps[i] - (stamps[i] < 0 ? (int64_t)bin - 1 : 0)) /
			(int64_t)bin * (int64_t)bin;
		if (n && low != at) {
			printf("%lld,%u\n", (long long)at, n);
			n = 0;
		}
		at = low;
	}
	printf("%lld,%u\n", (long long)at, n);
}

static void run_jitter(struct bench *b)
{
	uint64_t until = b->events * b->period + lead_ns(b) + 10000000;

	b->see = keep_stamp;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	for (until += now_ns(); now_ns() < until; )
		drain_all(b);
	if (b->source->exact)
		expect("blocks", b->got, b->events * b->n);
	stop(b);
	if (!n_stamps)
		die("no blocks");
	qsort(stamps, n_stamps, sizeof(*stamps), compare);
	if (!b->source->exact)
		shift_to_earliest();
	print_histogram(b->bin);
}

/* For a profile: until somebody ends it. */
static void run_forever(struct bench *b)
{
	calibrate(b);
	b->events = 0;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	puts("READY");
	fflush(stdout);
	time_passes(b, UINT64_MAX);
}

/* An event that is written */

static uint64_t time_fires(int fd, uint64_t events)
{
	uint64_t start = now_ns(), i;

	for (i = 0; i < events; i++)
		if (pwrite(fd, "1", 1, 0) != 1)
			die("fire: %s", strerror(errno));
	return now_ns() - start;
}

static void run_fire(struct bench *b)
{
	int fd = open_path(O_WRONLY, "%s/fire", b->dir[0]);
	uint64_t lost, triggers, ns;

	if (b->use->queue)
		set_queue(b, b->events + 64);
	time_fires(fd, 64);
	take_what_is_left(b);
	lost = count_lost(b, &triggers);
	b->got = 0;
	ns = time_fires(fd, b->events);
	check_cost(b, b->events, lost, triggers);
	if (b->use->queue)
		set_queue(b, 16);
	printf("%llu,%llu\n", (unsigned long long)b->events,
	       (unsigned long long)ns);
}

static void open_set(struct bench *b, unsigned int i)
{
	struct set *s = &b->set[i];
	const char *stats = "/sys/bus/zio/devices/%s/cset0/%s";

	snprintf(s->name, sizeof(s->name), "zzero-%04x", b->first + i);
	s->fired = open_path(O_RDONLY, stats, s->name, "statistics/fired");
	s->lost_triggers = open_path(O_RDONLY, stats, s->name,
				     "statistics/lost_triggers");
	s->lost_blocks = open_path(O_RDONLY, stats, s->name,
				   "chan0/statistics/lost_blocks");
	b->use->open(b, s);
}

/* Without a directory: each set has a trigger of its own. */
static void find_triggers(struct bench *b)
{
	unsigned int i;

	if (b->n_dirs)
		return;
	for (i = 0; i < b->n; i++)
		if (asprintf(&b->dir[i], "/sys/bus/zio/devices/%s/cset0/trigger",
			     b->set[i].name) < 0)
			die("no memory");
	b->n_dirs = b->n;
}

static void end_sleepers(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		if (b->set[i].sleeper)
			kill(b->set[i].sleeper, SIGTERM);
}

static void print_help(void)
{
	size_t i;

	puts("Usage: zio-trig-bench [options] cost | fire | rate | jitter | forever\n\n"
	     "  cost    instructions of events: prints events,ns\n"
	     "  fire    the same for what is written to \"fire\"\n"
	     "  rate    the shortest period at which nothing is lost: events,ns\n"
	     "  jitter  time stamps minus the grid: lines of ns,events\n"
	     "  forever events and nothing else, after the word READY\n\n"
	     "  -t, --trigger=DIR  that all sets share (each has its own)\n"
	     "  -s, --source=NAME  see below (hrt)\n"
	     "  -u, --use=NAME     what becomes of the blocks, see below (full)\n"
	     "  -f, --first=N      first device, zzero-N (0)\n"
	     "  -c, --count=N      how many (1)\n"
	     "  -p, --period=NS    rate: with which nothing is lost (100000)\n"
	     "  -n, --events=N     how many (1000)\n"
	     "  -x, --spread       own triggers: one after the other in the period\n"
	     "  -l, --least=NS     rate: the least to try (1000)\n"
	     "  -T, --time=MS      rate: of one trial (40)\n"
	     "  -b, --bin=NS       jitter: of the histogram (100)\n"
	     "  -h, --help         this text\n\nUses:");
	for (i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		printf("  %-8s %s\n", uses[i].name, uses[i].what);
	puts("\nSources:");
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		printf("  %-8s %s\n", sources[i].name, sources[i].what);
}

static const struct use *find_use(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (!strcmp(uses[i].name, name))
			return &uses[i];
	die("no use '%s' (see --help)", name);
}

static const struct source *find_source(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	die("no source '%s' (see --help)", name);
}

static const struct option options[] = {
	{ "trigger", required_argument, NULL, 't' },
	{ "source", required_argument, NULL, 's' },
	{ "use", required_argument, NULL, 'u' },
	{ "first", required_argument, NULL, 'f' },
	{ "count", required_argument, NULL, 'c' },
	{ "period", required_argument, NULL, 'p' },
	{ "events", required_argument, NULL, 'n' },
	{ "spread", no_argument, NULL, 'x' },
	{ "least", required_argument, NULL, 'l' },
	{ "time", required_argument, NULL, 'T' },
	{ "bin", required_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void take_option(struct bench *b, int opt, uint64_t *least)
{
	switch (opt) {
	case 't':
		b->dir[0] = optarg;
		b->n_dirs = 1;
		break;
	case 's':
		b->source = find_source(optarg);
		break;
	case 'u':
		b->use = find_use(optarg);
		break;
	case 'f':
		b->first = parse_number("first", optarg, 0);
		break;
	case 'c':
		b->n = parse_number("count", optarg, 1);
		break;
	case 'p':
		b->period = parse_number("period", optarg, 1);
		break;
	case 'n':
		b->events = parse_number("events", optarg, 1);
		break;
	case 'x':
		b->spread = 1;
		break;
	case 'l':
		*least = parse_number("least", optarg, 1);
		break;
	case 'T':
		b->time_ms = parse_number("time", optarg, 1);
		break;
	case 'b':
		b->bin = parse_number("bin", optarg, 1);
		break;
	case 'h':
		print_help();
		exit(0);
	default:
		fputs("Try --help.\n", stderr);
		exit(2);
	}
}

static void run(struct bench *b, const char *what, uint64_t least)
{
	if (!strcmp(what, "cost"))
		run_cost(b);
	else if (!strcmp(what, "fire"))
		run_fire(b);
	else if (!strcmp(what, "rate"))
		run_rate(b, least);
	else if (!strcmp(what, "jitter"))
		run_jitter(b);
	else if (!strcmp(what, "forever"))
		run_forever(b);
	else
		die("what is '%s'? (see --help)", what);
}

int main(int argc, char **argv)
{
	static struct bench b = {
		.period = 100000, .events = 1000, .n = 1,
		.time_ms = 40, .bin = 100,
		.use = uses, .source = sources,
	};
	uint64_t least = 1000;
	unsigned int i;
	int opt;

	while ((opt = getopt_long(argc, argv, "t:s:u:f:c:p:n:xl:T:b:h", options,
				  NULL)) >= 0)
		take_option(&b, opt, &least);
	if (optind + 1 != argc)
		die("one command, please (see --help)");
	if (b.n > MAX_SETS)
		die("more than %d sets", MAX_SETS);
	for (i = 0; i < b.n; i++)
		open_set(&b, i);
	find_triggers(&b);
	run(&b, argv[optind], least);
	end_sleepers(&b);
	return 0;
}
