// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench iio: what an event costs by IIO's hrtimer trigger and dummy device
 *
 *   task=NAME      cost, or rate: the shortest period at which no scan is missing
 *   trigger=DIR    of the trigger (/sys/bus/iio/devices/trigger0)
 *   use=NAME       what becomes of the scans: full, store, read
 *   count=N        devices, iio:device0 and so on (1)
 *   period=NS      of a rate: no scan is missing with it (100000)
 *   events=N       how many (1000)
 *   time=MS        of one trial of a rate (40)
 *
 * "trig" measures the same for ZIO: the time that a busy program loses to events. A
 * scan is a sample of 16 bits and the time, 16 bytes. IIO does not count its events:
 * the time stamps of the scans tell whether some are missing.
 */
#include "bench.h"

#define MAX_DEVICES	2	/* IIO_CONSUMERS_PER_TRIGGER, if not configured */
#define RUN_IN_NS	2000000

struct device {
	char dir[64];
	int data;
	uint64_t got;
	int64_t first, last;	/* stamps */
};

struct bench {
	const char *use;
	const char *trigger;
	double period;		/* ns */
	uint64_t wanted;	/* ns */
	uint64_t events, spins;
	uint64_t time_ms;
	uint64_t n;
	struct device dev[MAX_DEVICES];
};

/* The file takes thousandths of a hertz: the period is the nearest one. */
static void set_period(struct bench *b, uint64_t ns)
{
	uint64_t mhz = 1000000000000ull / ns;
	int fd = open_path(O_WRONLY, "%s/sampling_frequency", b->trigger);

	if (dprintf(fd, "%u.%03u", (int)(mhz / 1000), (int)(mhz % 1000)) < 0)
		die("sampling_frequency of %u mHz: %s", (int)mhz, strerror(errno));
	close(fd);
	b->period = 1000000000000ull / mhz;
}

static void set_all(struct bench *b, const char *file, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		write_number(b->dev[i].dir, file, value);
}

static void read_scans(struct device *d)
{
	int64_t scan[BLOCK / 8];
	ssize_t n;

	while ((n = read(d->data, scan, BLOCK)) == BLOCK) {
		if (!d->got++)
			d->first = scan[1];
		d->last = scan[1];
	}
	/* A buffer that was never enabled gives 0. */
	if (n > 0 || (n < 0 && errno != EAGAIN))
		die("%s: read gave %zd: %s", d->dir, n, strerror(errno));
}

static void read_all(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		read_scans(&b->dev[i]);
}

static void forget(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		b->dev[i].got = 0;
}

/* Counts the scans that are missing between the first one and the last one. */
static int64_t count_missing(struct bench *b)
{
	int64_t missing = 0, ticks;
	unsigned int i;

	for (i = 0; i < b->n; i++) {
		ticks = (b->dev[i].last - b->dev[i].first) / b->period + 0.5;
		missing += b->dev[i].got ? ticks + 1 - (int64_t)b->dev[i].got :
					   (int64_t)b->events;
	}
	return missing;
}

static bool use_is(const struct bench *b, const char *name)
{
	return !strcmp(b->use, name);
}

static uint64_t time_passes(struct bench *b, uint64_t passes)
{
	bool reads = use_is(b, "read");
	uint64_t start = now_ns();

	while (passes--) {
		spin(b->spins);
		if (reads)
			read_all(b);
	}
	return now_ns() - start;
}

static void check_scans(struct bench *b, uint64_t events)
{
	read_all(b);
	if (use_is(b, "full"))
		return;
	if (count_missing(b))
		die("%lld scans are missing", (long long)count_missing(b));
	if (b->dev[0].got < events)
		die("%llu scans of %llu events",
		    (unsigned long long)b->dev[0].got,
		    (unsigned long long)events);
}

/* Returns the ns that @events have cost. */
static int64_t measure_cost(struct bench *b, uint64_t *events)
{
	uint64_t base, ns, passes;

	set_all(b, "buffer/length", use_is(b, "store") ? b->events * 2 : 16);
	b->spins = spins_of(b->period * PERIODS_A_TURN);
	passes = b->events / PERIODS_A_TURN;
	set_period(b, b->period);
	base = time_passes(b, passes);
	set_all(b, "buffer/enable", 1);
	time_passes(b, 16 / PERIODS_A_TURN + 1);
	ns = time_passes(b, passes);
	*events = ns / b->period;
	set_all(b, "buffer/enable", 0);
	check_scans(b, *events);
	return ns - base;
}

static void run_cost(struct bench *b)
{
	uint64_t events;
	int64_t ns = measure_cost(b, &events);

	PRINT_NUMBERS({ "blocks", events }, { "ns", ns });
}

static void read_for(struct bench *b, uint64_t ns)
{
	uint64_t until = now_ns() + ns;

	while (now_ns() < until)
		read_all(b);
}

/*
 * Returns how many are missing. The first scans do not count: the trigger runs already
 * when the second device joins, and may skip an event then.
 */
static int64_t try_period(void *arg, uint64_t period)
{
	struct bench *b = arg;

	set_period(b, period);
	b->events = b->time_ms * 1000000ull / period;
	set_all(b, "buffer/enable", 1);
	read_for(b, RUN_IN_NS);
	forget(b);
	read_for(b, b->time_ms * 1000000ull);
	set_all(b, "buffer/enable", 0);
	read_all(b);
	return count_missing(b);
}

/* With a period that is shorter than the cost of an event, the machine stands still. */
static void run_rate(struct bench *b)
{
	uint64_t events, least;

	b->use = "store";
	least = measure_cost(b, &events);
	least = least / events * 6 / 5;
	b->use = "read";
	set_all(b, "buffer/length", 16);
	PRINT_NUMBERS({ "blocks", 1 },
		      { "ns", find_period(try_period, b, b->wanted, least) });
}

static const struct task {
	const char *name;
	void (*run)(struct bench *b);
} tasks[] = {
	{ "cost", run_cost },
	{ "rate", run_rate },
};

void main_iio(char **argv)
{
	static struct bench b;
	const struct task *task = TAKE_ENTRY(argv, "task", tasks);
	unsigned int i;

	b.trigger = take_text(argv, "trigger", "/sys/bus/iio/devices/trigger0");
	b.use = take_text(argv, "use", "full");
	b.n = take_count(argv, "count", 1);
	b.wanted = take_count(argv, "period", 100000);
	b.period = b.wanted;
	b.events = take_count(argv, "events", 1000);
	b.time_ms = take_count(argv, "time", 40);
	expect_words(argv, 0);
	if (b.n > MAX_DEVICES)
		die("more than %d devices", MAX_DEVICES);
	for (i = 0; i < b.n; i++) {
		struct device *d = &b.dev[i];

		snprintf(d->dir, sizeof(d->dir), "/sys/bus/iio/devices/iio:device%u", i);
		d->data = open_path(O_RDONLY | O_NONBLOCK, "/dev/iio:device%u", i);
	}
	task->run(&b);
}
