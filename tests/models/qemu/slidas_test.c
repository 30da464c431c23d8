// SPDX-License-Identifier: GPL-2.0-only
/* The source of events alone, with an end that records the words */
#include "harness.h"
#include "slidas.h"

#define MOST 20000

static uint64_t now;
static struct slink_word got[MOST];
static uint64_t when[MOST];
static unsigned int n;
static bool up, full;
static unsigned int lines, width;
static struct slidas source;

static bool is_up(const void *priv)
{
	(void)priv;
	return up;
}

static bool is_full(const void *priv)
{
	(void)priv;
	return full;
}

static unsigned int get_width(const void *priv)
{
	(void)priv;
	return width;
}

static unsigned int get_lines(const void *priv)
{
	(void)priv;
	return lines;
}

static void put_word(void *priv, struct slink_word word)
{
	(void)priv;
	if (n < MOST) {
		when[n] = now;
		got[n++] = word;
	}
}

static void cut(void *priv)
{
	(void)priv;
	up = false;
}

static const struct slink_end_ops ops = {
	is_up, is_full, get_width, get_lines, put_word, cut
};

static void start(uint32_t size)
{
	struct slink_end end = { &ops, NULL };

	n = 0;
	up = true;
	full = false;
	lines = 0;
	width = 32;
	now = 1000;
	slidas_init(&source, end, &now);
	source.cfg.size = size;
	source.cfg.size_max = size;
}

static void begin(enum slidas_mode mode, uint32_t count)
{
	source.cfg.mode = mode;
	source.cfg.count = count;
	slidas_restart(&source);
}

static void run_until(uint64_t end)
{
	uint64_t next;

	while ((next = slidas_next_ns(&source)) <= end) {
		now = next;
		slidas_run(&source);
	}
	now = end;
}

/* Begin, and let the time pass. */
static void play(enum slidas_mode mode, uint32_t count, uint64_t ns)
{
	begin(mode, count);
	run_until(now + ns);
}

static bool is_control(unsigned int i, uint32_t data)
{
	return i < n && (got[i].flags & SLINK_CONTROL) && got[i].data == data;
}

static unsigned int count_flags(uint8_t flags)
{
	unsigned int i, found = 0;

	for (i = 0; i < n; i++)
		found += (got[i].flags & flags) == flags;
	return found;
}

/* --- events --------------------------------------------------------------- */

TEST("single events")
{
	start(3);
	run_until(now + 10000);
	ASSERT_EQ(n, 0, "stopped: nothing comes");
	play(SLIDAS_SINGLE, 0, 10000);
	ASSERT_EQ(n, 0, "single: nothing without a trigger");
	slidas_trigger(&source, 2);
	run_until(now + 10000);
	ASSERT_TRUE(n == 10 && is_control(0, SLIDAS_BEGIN) && is_control(4, SLIDAS_END));
	ASSERT_TRUE(is_control(5, SLIDAS_BEGIN) && is_control(9, SLIDAS_END));
	ASSERT_TRUE(got[1].data == 0 && got[3].data == 2 && got[6].data == 1 << 20);
	ASSERT_EQ(got[8].data, (1 << 20) + 2);
	ASSERT_TRUE(when[1] - when[0] == 30 && when[9] - when[0] == 270);
	ASSERT_TRUE(source.stats.events == 2 && source.stats.complete == 2);
	ASSERT_TRUE(source.stats.words == 6 && source.stats.controls == 4);
}

TEST("a number of events")
{
	start(0);
	play(SLIDAS_BLOCK, 5, 100000);
	ASSERT_TRUE(n == 10 && count_flags(SLINK_CONTROL) == 10);
	begin(SLIDAS_BLOCK, 1);
	source.cfg.gap_ns = 1000;
	run_until(now + 100000);
	begin(SLIDAS_BLOCK, 2);
	n = 0;
	run_until(now + 100000);
	ASSERT_TRUE(n == 4 && when[2] - when[1] == 1030, "a gap between events");
}

TEST("events at a rate")
{
	start(2);
	source.cfg.rate = 150000;
	play(SLIDAS_TRIGGER, 0, 10000000);
	ASSERT_TRUE(source.stats.events == 1500 && !source.stats.missed);
	start(100);
	source.cfg.rate = 1000000;
	play(SLIDAS_TRIGGER, 0, 1000000);
	ASSERT_TRUE(source.stats.events == 250 && slidas_missed(&source) == 749);
	start(2);
	begin(SLIDAS_TRIGGER, 0);
	full = true;
	run_until(now + 1010000);
	ASSERT_TRUE(n == 0 && slidas_missed(&source) == 25, "during XOFF all are missed");
	full = false;
	run_until(now + 1000000);
	ASSERT_TRUE(slidas_missed(&source) == 25 && source.stats.events == 25);
}

TEST("a return line starts it")
{
	start(1);
	source.cfg.start_line = 2;
	play(SLIDAS_BLOCK, 0, 10000);
	ASSERT_EQ(n, 0, "a return line that is low stops it");
	lines = 4;
	run_until(now + 100);
	ASSERT_TRUE(n > 0, "high, it starts");
}

/* --- flow control --------------------------------------------------------- */

TEST("two words more after XOFF")
{
	start(100);
	play(SLIDAS_BLOCK, 0, 300);
	full = true;
	n = 0;
	run_until(now + 100000);
	ASSERT_EQ(n, 2, "two words more after XOFF");
	full = false;
	run_until(now + 60);
	ASSERT_TRUE(n == 5 && got[3].data == got[0].data + 3, "XON: on, none is missing");
	full = true;
	run_until(now + 100000);
	ASSERT_EQ(n, 7, "two more after the next XOFF");
	start(10);
	source.next_fault = SLIDAS_FLOOD;
	begin(SLIDAS_SINGLE, 0);
	slidas_trigger(&source, 2);
	run_until(now + 100);
	full = true;
	run_until(now + 10000);
	ASSERT_EQ(n, 12, "an event that floods ignores XOFF, the next one does not");
}

TEST("a link that is down")
{
	start(10);
	begin(SLIDAS_SINGLE, 0);
	slidas_trigger(&source, 2);
	run_until(now + 100);
	up = false;
	run_until(now + 10000);
	ASSERT_EQ(source.stats.broken, 1, "link down: the event is given up");
	up = true;
	n = 0;
	run_until(now + 10000);
	ASSERT_TRUE(n == 12 && is_control(0, SLIDAS_BEGIN) && got[1].data == 1 << 20);
}

/* --- sizes and patterns --------------------------------------------------- */

TEST("sweeps and random sizes")
{
	uint32_t i, least = UINT32_MAX, most = 0, size;

	ASSERT_EQ(slidas_size(SLIDAS_SWEEP, 5, 9, 2, 0, 0), 5);
	ASSERT_EQ(slidas_size(SLIDAS_SWEEP, 5, 9, 2, 0, 2), 9);
	ASSERT_EQ(slidas_size(SLIDAS_SWEEP, 5, 9, 2, 0, 3), 5);
	for (i = 0; i < 1000; i++) {
		size = slidas_size(SLIDAS_SPREAD, 10, 20, 1, 3, i);
		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	ASSERT_TRUE(least == 10 && most == 20, "random sizes, within their bounds");
	start(1);
	source.cfg.size_max = 4;
	source.cfg.sizes = SLIDAS_SWEEP;
	play(SLIDAS_BLOCK, 4, 100000);
	ASSERT_TRUE(source.stats.words == 10 && n == 18, "the source sweeps");
}

static void send_pattern(uint32_t pattern, uint32_t size)
{
	start(size);
	source.cfg.pattern = pattern;
	source.cfg.seed = 0x1234;
	play(SLIDAS_BLOCK, 2, 1000000);
}

TEST("patterns")
{
	send_pattern(SLIDAS_RUNNING, 3);
	ASSERT_TRUE(got[1].data == 0 && got[6].data == 3 && got[8].data == 5);
	send_pattern(SLIDAS_WALK, 33);
	ASSERT_TRUE(got[1].data == 1 && got[32].data == 1u << 31 && got[33].data == 1);
	send_pattern(SLIDAS_ALTERNATE, 2);
	ASSERT_TRUE(got[1].data == 0xaaaaaaaa && got[2].data == 0x55555555, "alternate");
	send_pattern(SLIDAS_CONSTANT, 2);
	ASSERT_TRUE(got[1].data == 0x1234 && got[6].data == 0x1234, "constant");
	send_pattern(SLIDAS_RANDOM, 2);
	ASSERT_TRUE(got[1].data != got[2].data && got[1].data != got[5].data);
	ASSERT_EQ(got[1].data, slidas_word(SLIDAS_RANDOM, 0x1234, 0, 2, 0, 0));
	send_pattern(SLIDAS_ATLAS, 20);
	ASSERT_TRUE(n == 44 && got[1].data == 0xee1234ee && got[2].data == 0x20);
	ASSERT_TRUE(got[27].data == 1 && got[28].data == 3 && got[12].data == 0);
	ASSERT_TRUE(got[17].data == 5 && got[18].data == 3 && got[19].data == 6);
	send_pattern(SLIDAS_ATLAS, 1);
	ASSERT_EQ(n, 32, "atlas: never less than header, status and trailer");
}

/* --- faults --------------------------------------------------------------- */

static void send_fault(uint32_t fault)
{
	start(8);
	source.cfg.at = 3;
	source.next_fault = fault;
	play(SLIDAS_BLOCK, 2, 10000);
}

TEST("each fault")
{
	send_fault(SLIDAS_BAD_BEGIN);
	ASSERT_TRUE(n == 20 && count_flags(SLINK_DAMAGED) == 1);
	ASSERT_EQ(got[0].flags, SLINK_CONTROL | SLINK_DAMAGED);
	send_fault(SLIDAS_BAD_END);
	ASSERT_EQ(got[9].flags, SLINK_CONTROL | SLINK_DAMAGED, "bad end");
	send_fault(SLIDAS_BAD_DATA);
	ASSERT_TRUE(got[4].flags == SLINK_DAMAGED && got[4].data == (3 ^ 1));
	ASSERT_EQ(count_flags(SLINK_DAMAGED), 1);
	send_fault(SLIDAS_NO_BEGIN);
	ASSERT_TRUE(n == 19 && got[0].data == 0 && !got[0].flags, "no begin");
	send_fault(SLIDAS_NO_END);
	ASSERT_TRUE(n == 19 && is_control(9, SLIDAS_BEGIN), "no end");
	send_fault(SLIDAS_ODD_CONTROL);
	ASSERT_TRUE(n == 21 && is_control(4, SLIDAS_UNKNOWN) && got[5].data == 3);
	send_fault(SLIDAS_SHORT);
	ASSERT_TRUE(n == 15 && is_control(4, SLIDAS_END), "short");
	send_fault(SLIDAS_SKIP);
	ASSERT_TRUE(n == 19 && got[4].data == 4, "a word is missing");
	send_fault(SLIDAS_CUT);
	ASSERT_TRUE(n == 4 && !up && source.stats.broken == 1, "the cable is cut");
	ASSERT_EQ(source.stats.faulty, 1, "faults are counted");
}

TEST("a fault in each third event")
{
	start(2);
	source.cfg.every = 3;
	source.cfg.faults = SLIDAS_NO_END;
	play(SLIDAS_BLOCK, 9, 10000);
	ASSERT_TRUE(source.stats.faulty == 3 && n == 33 && is_control(11, SLIDAS_BEGIN));
}

TEST("the self test")
{
	unsigned int i;

	start(2);
	play(SLIDAS_TEST, 2, 100000);
	for (i = 1; i < 33; i++)
		ASSERT_EQ(got[33 + i].data, 1u << (i - 1));
	ASSERT_TRUE(n == 66 && count_flags(SLINK_CONTROL) == 2);
	ASSERT_TRUE(is_control(0, 0) && is_control(33, 0));
	ASSERT_EQ(count_flags(SLINK_TEST), 66, "all of them are test words");
	start(2);
	width = 8;
	play(SLIDAS_TEST, 1, 100000);
	ASSERT_EQ(n, 9, "9 words if the link has 8 bits");
}
