// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-iio-bench: what an event costs by IIO's hrtimer trigger and dummy device
 *
 * As zio-trig-bench measures it for ZIO: the time of a program that is busy, with
 * and without events. A scan is a sample of 16 bits and the time, 16 bytes. IIO
 * does not count its events: the time stamps of the scans tell whether some are
 * missing.
 */
#include <getopt.h>

#include "events.h"

#define MAX_DEVICES	2	/* IIO_CONSUMERS_PER_TRIGGER, if not configured */

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
	uint64_t events, spins;
	unsigned long time_ms;
	unsigned int n;
	struct device dev[MAX_DEVICES];
};

/* In thousandths of a hertz; the period that comes of it is what is used. */
static void set_period(struct bench *b, uint64_t ns)
{
	uint64_t mhz = 1000000000000ull / ns;
	char text[32];
	int fd = open_path(O_WRONLY, "%s/sampling_frequency", b->trigger);
	int len = snprintf(text, sizeof(text), "%llu.%03llu",
			   (unsigned long long)(mhz / 1000),
			   (unsigned long long)(mhz % 1000));

	if (write(fd, text, len) != len)
		die("sampling_frequency %s: %s", text, strerror(errno));
	close(fd);
	b->period = 1000000000000ull / mhz;
}

static void enable(struct bench *b, int on)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		write_number(b->dev[i].dir, "buffer/enable", on);
}

static void set_length(struct bench *b, uint64_t len)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		write_number(b->dev[i].dir, "buffer/length", len);
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
	/* Before it was enabled for the first time, a buffer gives 0. */
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

/* How many are missing between the first and the last. */
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

static int use_is(const struct bench *b, const char *name)
{
	return !strcmp(b->use, name);
}

static uint64_t time_passes(struct bench *b, uint64_t passes)
{
	int reads = use_is(b, "read");
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

static void run_cost(struct bench *b)
{
	uint64_t base, ns, passes, events;

	set_length(b, use_is(b, "store") ? b->events * 2 : 16);
	b->spins = b->period * PERIODS_A_TURN * calibrate_spin() / 1000000;
	passes = b->events / PERIODS_A_TURN;
	set_period(b, b->period);
	base = time_passes(b, passes);
	enable(b, 1);
	time_passes(b, 16 / PERIODS_A_TURN + 1);
	ns = time_passes(b, passes);
	events = ns / b->period;
	enable(b, 0);
	check_scans(b, events);
	printf("%llu,%lld\n", (unsigned long long)events, (long long)(ns - base));
}

/* Returns how many are missing. */
static int64_t try_period(struct bench *b, uint64_t period)
{
	uint64_t until;

	set_period(b, period);
	b->events = b->time_ms * 1000000ull / period;
	forget(b);
	enable(b, 1);
	for (until = now_ns() + b->time_ms * 1000000ull; now_ns() < until; )
		read_all(b);
	enable(b, 0);
	read_all(b);
	return count_missing(b);
}

static void run_rate(struct bench *b, uint64_t least)
{
	uint64_t good = b->period, bad = least, middle;
	int i;

	set_length(b, 16);
	if (try_period(b, good))
		die("some are missing at a period of %llu ns already",
		    (unsigned long long)good);
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

static void open_device(struct bench *b, unsigned int i)
{
	struct device *d = &b->dev[i];

	snprintf(d->dir, sizeof(d->dir), "/sys/bus/iio/devices/iio:device%u", i);
	d->data = open_path(O_RDONLY | O_NONBLOCK, "/dev/iio:device%u", i);
}

static void print_help(void)
{
	puts("Usage: zio-iio-bench [options] cost | rate\n\n"
	     "  cost    instructions of events: prints events,ns\n"
	     "  rate    the shortest period at which none is missing: events,ns\n\n"
	     "  -t, --trigger=DIR  in sysfs\n"
	     "  -u, --use=NAME     full, store, read (full)\n"
	     "  -c, --count=N      how many devices, iio:device0 ... (1)\n"
	     "  -p, --period=NS    rate: with which none is missing (100000)\n"
	     "  -n, --events=N     how many (1000)\n"
	     "  -l, --least=NS     rate: the least to try (1000)\n"
	     "  -T, --time=MS      rate: of one trial (40)\n"
	     "  -h, --help         this text");
}

static const struct option options[] = {
	{ "trigger", required_argument, NULL, 't' },
	{ "use", required_argument, NULL, 'u' },
	{ "count", required_argument, NULL, 'c' },
	{ "period", required_argument, NULL, 'p' },
	{ "events", required_argument, NULL, 'n' },
	{ "least", required_argument, NULL, 'l' },
	{ "time", required_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void take_option(struct bench *b, int opt, uint64_t *least)
{
	switch (opt) {
	case 't':
		b->trigger = optarg;
		break;
	case 'u':
		b->use = optarg;
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
	case 'l':
		*least = parse_number("least", optarg, 1);
		break;
	case 'T':
		b->time_ms = parse_number("time", optarg, 1);
		break;
	case 'h':
		print_help();
		exit(0);
	default:
		fputs("Try --help.\n", stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct bench b = {
		.use = "full", .period = 100000, .events = 1000, .n = 1,
		.time_ms = 40,
	};
	uint64_t least = 1000;
	unsigned int i;
	int opt;

	while ((opt = getopt_long(argc, argv, "t:u:c:p:n:l:T:h", options,
				  NULL)) >= 0)
		take_option(&b, opt, &least);
	if (optind + 1 != argc || !b.trigger || b.n > MAX_DEVICES)
		die("a trigger and one command, please (see --help)");
	for (i = 0; i < b.n; i++)
		open_device(&b, i);
	if (!strcmp(argv[optind], "rate"))
		run_rate(&b, least);
	else
		run_cost(&b);
	return 0;
}
