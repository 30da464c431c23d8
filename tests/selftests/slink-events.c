// SPDX-License-Identifier: GPL-2.0-only
/* slink-events.c: read events of an S-LINK card, and print or check them */
#include <getopt.h>
#include <stdbool.h>
#include <time.h>

#include "../models/qemu/slidas-pattern.h"
#include "order.h"

#define MAX_WORDS	(1 << 20)
#define LOST_BEFORE	0x10	/* driver's alarm: events before this one are lost */

static const char usage[] =
"Usage: slink-events [OPTION]... NODE\n"
"Read events of NODE and print WORDS/ALARMS of each.\n"
"\n"
"  -n, --count N      so many events (1)\n"
"  -c, --check PATTERN,SIZES,SIZE,MAX,STEP\n"
"                     check words and sizes; SIZES is 0 (fixed), 1 (sweep), 2 (random)\n"
"  -r, --routed       with --check: NODE is another board, which the events pass\n"
"  -d, --drain S      read until no event comes for S seconds; print how many came\n"
"  -g, --gaps         read until SIGTERM comes, and then what is there; check that an alarm\n"
"                     tells of each gap\n"
"  -s, --slow MS      with --gaps: wait so long before each event\n"
"  -a, --attributes   print width, attributes of the channel, and control words\n"
"  -t, --after NS     the time of the next event is this, or later (ns since 1970)\n"
"  -b, --before NS    with --after: and it is so many ns ago, or more\n"
"      --now          print the time, in ns since 1970\n";

static struct options {
	unsigned int count;
	const char *check;
	bool is_routed, gaps, attributes;
	int drain;
	unsigned int slow;
	uint64_t after, before;
} options = { .count = 1 };

static struct order order;
static uint32_t words[MAX_WORDS];

static void words_of_event(struct pair pair, const struct zio_control *ctrl)
{
	size_t len = (size_t)ctrl->nsamples * 4, got = 0;
	ssize_t n;

	while (got < len) {
		n = read(pair.data, (char *)words + got, len - got);
		ASSERT_TRUE(n > 0);
		got += n;
	}
}

/* The control word at the begin (0) or at the end (1) of the event */
static uint32_t word_of(const struct zio_control *ctrl, int i)
{
	ASSERT_TRUE(ctrl->attr_channel.ext_mask & 1u << (5 + i));
	return ctrl->attr_channel.ext_val[5 + i];
}

static unsigned int pattern_of(const char *name)
{
	static const char *const names[] = {
		[SLIDAS_COUNT] = "count", [SLIDAS_RANDOM] = "random",
		[SLIDAS_ATLAS] = "atlas", [SLIDAS_WALK] = "walk",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	FAIL("no such pattern: %s", name);
}

struct pattern {
	char name[16];
	uint32_t sizes, min, max, step;
};

static struct pattern parse_pattern(const char *text)
{
	struct pattern p;

	if (sscanf(text, "%15[^,],%u,%u,%u,%u", p.name, &p.sizes, &p.min, &p.max,
		   &p.step) != 5)
		FAIL("not a pattern: %s", text);
	return p;
}

static void check_event(struct pair pair, const struct pattern *p, uint32_t i)
{
	uint32_t size = slidas_size(p->sizes, p->min, p->max, p->step, 0, i), k;
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t pattern = pattern_of(p->name);

	if (ctrl.nsamples != size || ctrl.drv_alarms || ctrl.zio_alarms)
		FAIL("event %u has %u words, expected %u; alarms %#x, %#x", i,
		     ctrl.nsamples, size, ctrl.zio_alarms, ctrl.drv_alarms);
	/* A board that the events pass does not have the words of the card. */
	if (!options.is_routed) {
		ASSERT_EQ(word_of(&ctrl, 0), SLIDAS_BEGIN);
		ASSERT_EQ(word_of(&ctrl, 1), SLIDAS_END);
	}
	words_of_event(pair, &ctrl);
	for (k = 0; k < size; k++)
		if (words[k] != slidas_word(pattern, 0, i, size, k, 0))
			FAIL("event %u, word %u: %#x", i, k, words[k]);
}

/* Events from number 0 on come whole, in order, and without an alarm. */
static void check_events(const char *node)
{
	struct pattern pattern = parse_pattern(options.check);
	struct pair pair = open_pair(node, O_RDONLY);
	uint32_t i;

	for (i = 0; i < options.count; i++)
		check_event(pair, &pattern, i);
}

static void print_alarms(const char *node)
{
	int fd = open_node(node, "ctrl", O_RDONLY);
	unsigned int n = options.count;
	struct zio_control ctrl;

	while (n--) {
		ctrl = read_control(fd);
		order_control(&order, &ctrl);
		printf("%u/%#x ", ctrl.nsamples, ctrl.drv_alarms);
	}
	printf("\n");
}

static volatile sig_atomic_t is_over;

static void end_soon(int signal)
{
	(void)signal;
	is_over = 1;
}

/* Wait for an event. Return: false if none is there after SIGTERM */
static bool has_event(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	/* The signal may come just before the wait. */
	while (poll(&pfd, 1, 100) <= 0)
		if (is_over)
			return false;
	return true;
}

/*
 * Events of the pattern "count". An event that does not follow the last one has the alarm
 * of a loss. If an event without words came just before, that one may have it.
 */
static void check_gaps(const char *node)
{
	struct pair pair = open_pair(node, O_RDONLY);
	uint32_t last = UINT32_MAX, n = 0, gaps = 0;
	struct zio_control ctrl;
	bool lost = true;

	signal(SIGTERM, end_soon);
	while (has_event(pair.ctrl)) {
		usleep(1000 * options.slow);
		ctrl = read_control(pair.ctrl);
		order_control(&order, &ctrl);
		words_of_event(pair, &ctrl);
		lost |= !!(ctrl.drv_alarms & LOST_BEFORE);
		n++;
		if (!ctrl.nsamples)
			continue;
		if (words[0] >> 20 != ((last + 1) & 0xfff)) {
			gaps++;
			if (!lost)
				FAIL("event %u follows %u without an alarm",
				     words[0] >> 20, last);
		}
		last = words[ctrl.nsamples - 1] >> 20;
		lost = false;
	}
	printf("%u events, %u gaps\n", n, gaps);
	ASSERT_TRUE(gaps > 1);
}

static void drain(const char *node)
{
	int fd = open_node(node, "ctrl", O_RDONLY | O_NONBLOCK), n = 0;
	struct zio_control ctrl;

	while (poll_events(fd, POLLIN, 1000 * options.drain)) {
		if (read(fd, &ctrl, sizeof(ctrl)) == sizeof(ctrl)) {
			order_control(&order, &ctrl);
			n++;
		} else if (errno != EAGAIN)
			break;
	}
	printf("%d\n", n);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	ASSERT_TRUE(!clock_gettime(CLOCK_REALTIME, &now));
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void check_time(const char *node)
{
	int fd = open_node(node, "ctrl", O_RDONLY);
	struct zio_control ctrl = read_control(fd);
	uint64_t at = ctrl.tstamp.secs * 1000000000ull + ctrl.tstamp.ticks;

	if (at < options.after || at + options.before > now_ns())
		FAIL("the event is of %lld ns after --after",
		     (long long)(at - options.after));
}

static void print_attributes(const char *node)
{
	int fd = open_node(node, "ctrl", O_RDONLY), i;
	struct zio_control ctrl = read_control(fd);

	printf("%u", ctrl.nbits);
	for (i = 0; i < 5; i++)
		printf(" %#x", ctrl.attr_channel.ext_val[i]);
	printf(" %#x %#x\n", word_of(&ctrl, 0), word_of(&ctrl, 1));
}

static void __attribute__((noreturn)) print_usage(FILE *to, int status)
{
	fputs(usage, to);
	exit(status);
}

static void set_option(int c)
{
	switch (c) {
	case 'n': options.count = atoi(optarg); break;
	case 'c': options.check = optarg; break;
	case 'r': options.is_routed = true; break;
	case 'd': options.drain = atoi(optarg); break;
	case 'g': options.gaps = true; break;
	case 's': options.slow = atoi(optarg); break;
	case 'a': options.attributes = true; break;
	case 't': options.after = strtoull(optarg, NULL, 10); break;
	case 'b': options.before = strtoull(optarg, NULL, 10); break;
	case 'w': printf("%llu\n", (unsigned long long)now_ns()); exit(0);
	case 'h': print_usage(stdout, 0);
	default: print_usage(stderr, 2);
	}
}

static const char *parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "check", required_argument, NULL, 'c' },
		{ "routed", no_argument, NULL, 'r' },
		{ "drain", required_argument, NULL, 'd' },
		{ "gaps", no_argument, NULL, 'g' },
		{ "slow", required_argument, NULL, 's' },
		{ "attributes", no_argument, NULL, 'a' },
		{ "after", required_argument, NULL, 't' },
		{ "before", required_argument, NULL, 'b' },
		{ "now", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "n:c:rd:gs:at:b:", longs, NULL)) != -1)
		set_option(c);
	if (optind != argc - 1)
		print_usage(stderr, 2);
	return argv[optind];
}

int main(int argc, char **argv)
{
	const char *node = parse_options(argc, argv);

	begin_group();
	if (options.check)
		check_events(node);
	else if (options.drain)
		drain(node);
	else if (options.gaps)
		check_gaps(node);
	else if (options.attributes)
		print_attributes(node);
	else if (options.after)
		check_time(node);
	else
		print_alarms(node);
	return 0;
}
