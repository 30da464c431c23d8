// SPDX-License-Identifier: GPL-2.0-only
/* The source of events alone, with an end that records the words */
#include "../../unit/tap.h"
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

static void test_single(void)
{
	start(3);
	run_until(now + 10000);
	ok(n == 0, "stopped: nothing comes");
	begin(SLIDAS_SINGLE, 0);
	run_until(now + 10000);
	ok(n == 0, "single: nothing without a trigger");
	slidas_trigger(&source, 2);
	run_until(now + 10000);
	ok(n == 10 && is_control(0, SLIDAS_BEGIN) && is_control(4, SLIDAS_END) &&
	   is_control(5, SLIDAS_BEGIN) && is_control(9, SLIDAS_END),
	   "two events of three words, control words around them");
	ok(got[1].data == 0 && got[3].data == 2 && got[6].data == 1 << 20 &&
	   got[8].data == (1 << 20) + 2, "every word tells event and index");
	ok(when[1] - when[0] == 30 && when[9] - when[0] == 270,
	   "one word each 30 ns");
	ok(source.stats.events == 2 && source.stats.complete == 2 &&
	   source.stats.words == 6 && source.stats.controls == 4, "counted");
}

static void test_count(void)
{
	start(0);
	begin(SLIDAS_BLOCK, 5);
	run_until(now + 100000);
	ok(n == 10 && count_flags(SLINK_CONTROL) == 10,
	   "five empty events, and no more");
	begin(SLIDAS_BLOCK, 1);
	source.cfg.gap_ns = 1000;
	run_until(now + 100000);
	begin(SLIDAS_BLOCK, 2);
	n = 0;
	run_until(now + 100000);
	ok(n == 4 && when[2] - when[1] == 1030, "a gap between events");
}

static void test_trigger(void)
{
	start(2);
	source.cfg.rate = 150000;
	begin(SLIDAS_TRIGGER, 0);
	run_until(now + 10000000);
	ok(source.stats.events == 1500 && !source.stats.missed,
	   "150 kHz for 10 ms: 1500 events");
	start(100);
	source.cfg.rate = 1000000;
	begin(SLIDAS_TRIGGER, 0);
	run_until(now + 1000000);
	ok(source.stats.events == 250 && slidas_missed(&source) == 749,
	   "triggers that come while an event is sent are missed and counted");
	start(2);
	begin(SLIDAS_TRIGGER, 0);
	full = true;
	run_until(now + 1010000);
	ok(n == 0 && slidas_missed(&source) == 25, "during XOFF all are missed");
	full = false;
	run_until(now + 1000000);
	ok(slidas_missed(&source) == 25 && source.stats.events == 25,
	   "and none after it");
}

static void test_start_line(void)
{
	start(1);
	source.cfg.start_line = 2;
	begin(SLIDAS_BLOCK, 0);
	run_until(now + 10000);
	ok(n == 0, "a return line that is low stops it");
	lines = 4;
	run_until(now + 100);
	ok(n > 0, "high, it starts");
}

/* --- flow control --------------------------------------------------------- */

static void test_xoff(void)
{
	start(100);
	begin(SLIDAS_BLOCK, 0);
	run_until(now + 300);
	full = true;
	n = 0;
	run_until(now + 100000);
	ok(n == 2, "two words more after XOFF");
	full = false;
	run_until(now + 60);
	ok(n == 5 && got[3].data == got[0].data + 3, "XON: on, none is missing");
	full = true;
	run_until(now + 100000);
	ok(n == 7, "two more after the next XOFF");
	start(10);
	source.next_fault = SLIDAS_FLOOD;
	begin(SLIDAS_SINGLE, 0);
	slidas_trigger(&source, 2);
	run_until(now + 100);
	full = true;
	run_until(now + 10000);
	ok(n == 12, "an event that floods ignores XOFF, the next one does not");
}

static void test_link_down(void)
{
	start(10);
	begin(SLIDAS_SINGLE, 0);
	slidas_trigger(&source, 2);
	run_until(now + 100);
	up = false;
	run_until(now + 10000);
	ok(source.stats.broken == 1, "link down: the event is given up");
	up = true;
	n = 0;
	run_until(now + 10000);
	ok(n == 12 && is_control(0, SLIDAS_BEGIN) && got[1].data == 1 << 20,
	   "up again: the next event, from its start");
}

/* --- sizes and patterns --------------------------------------------------- */

static void test_sizes(void)
{
	uint32_t i, least = UINT32_MAX, most = 0, size;

	ok(slidas_size(SLIDAS_SWEEP, 5, 9, 2, 0, 0) == 5 &&
	   slidas_size(SLIDAS_SWEEP, 5, 9, 2, 0, 2) == 9 &&
	   slidas_size(SLIDAS_SWEEP, 5, 9, 2, 0, 3) == 5, "a sweep of sizes");
	for (i = 0; i < 1000; i++) {
		size = slidas_size(SLIDAS_SPREAD, 10, 20, 1, 3, i);
		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	ok(least == 10 && most == 20, "random sizes, within their bounds");
	start(1);
	source.cfg.size_max = 4;
	source.cfg.sizes = SLIDAS_SWEEP;
	begin(SLIDAS_BLOCK, 4);
	run_until(now + 100000);
	ok(source.stats.words == 10 && n == 18, "the source sweeps");
}

static void send_pattern(uint32_t pattern, uint32_t size)
{
	start(size);
	source.cfg.pattern = pattern;
	source.cfg.seed = 0x1234;
	begin(SLIDAS_BLOCK, 2);
	run_until(now + 1000000);
}

static void test_patterns(void)
{
	send_pattern(SLIDAS_RUNNING, 3);
	ok(got[1].data == 0 && got[6].data == 3 && got[8].data == 5,
	   "running: on over the end of an event");
	send_pattern(SLIDAS_WALK, 33);
	ok(got[1].data == 1 && got[32].data == 1u << 31 && got[33].data == 1,
	   "walk");
	send_pattern(SLIDAS_ALTERNATE, 2);
	ok(got[1].data == 0xaaaaaaaa && got[2].data == 0x55555555, "alternate");
	send_pattern(SLIDAS_CONSTANT, 2);
	ok(got[1].data == 0x1234 && got[6].data == 0x1234, "constant");
	send_pattern(SLIDAS_RANDOM, 2);
	ok(got[1].data != got[2].data && got[1].data != got[5].data &&
	   got[1].data == slidas_word(SLIDAS_RANDOM, 0x1234, 0, 2, 0, 0),
	   "random, and to be made again");
	send_pattern(SLIDAS_ATLAS, 20);
	ok(n == 44 && got[1].data == 0xee1234ee && got[2].data == 0x20 &&
	   got[27].data == 1 && got[28].data == 3 && got[12].data == 0 &&
	   got[17].data == 5 && got[18].data == 3 && got[19].data == 6,
	   "atlas: header, data from 0, trailer; L1ID, BCID + 3");
	send_pattern(SLIDAS_ATLAS, 1);
	ok(n == 32, "atlas: never less than header, status and trailer");
}

/* --- faults --------------------------------------------------------------- */

static void send_fault(uint32_t fault)
{
	start(8);
	source.cfg.at = 3;
	source.next_fault = fault;
	begin(SLIDAS_BLOCK, 2);
	run_until(now + 10000);
}

static void test_faults(void)
{
	send_fault(SLIDAS_BAD_BEGIN);
	ok(n == 20 && count_flags(SLINK_DAMAGED) == 1 &&
	   got[0].flags == (SLINK_CONTROL | SLINK_DAMAGED), "bad begin");
	send_fault(SLIDAS_BAD_END);
	ok(got[9].flags == (SLINK_CONTROL | SLINK_DAMAGED), "bad end");
	send_fault(SLIDAS_BAD_DATA);
	ok(got[4].flags == SLINK_DAMAGED && got[4].data == (3 ^ 1) &&
	   count_flags(SLINK_DAMAGED) == 1, "bad data");
	send_fault(SLIDAS_NO_BEGIN);
	ok(n == 19 && got[0].data == 0 && !got[0].flags, "no begin");
	send_fault(SLIDAS_NO_END);
	ok(n == 19 && is_control(9, SLIDAS_BEGIN), "no end");
	send_fault(SLIDAS_ODD_CONTROL);
	ok(n == 21 && is_control(4, SLIDAS_UNKNOWN) && got[5].data == 3,
	   "an unknown control word");
	send_fault(SLIDAS_SHORT);
	ok(n == 15 && is_control(4, SLIDAS_END), "short");
	send_fault(SLIDAS_SKIP);
	ok(n == 19 && got[4].data == 4, "a word is missing");
	send_fault(SLIDAS_CUT);
	ok(n == 4 && !up && source.stats.broken == 1, "the cable is cut");
	ok(source.stats.faulty == 1, "faults are counted");
}

static void test_every(void)
{
	start(2);
	source.cfg.every = 3;
	source.cfg.faults = SLIDAS_NO_END;
	begin(SLIDAS_BLOCK, 9);
	run_until(now + 10000);
	ok(source.stats.faulty == 3 && n == 33 && is_control(11, SLIDAS_BEGIN),
	   "a fault in each third event");
}

static void test_self_test(void)
{
	unsigned int i, good = 0;

	start(2);
	begin(SLIDAS_TEST, 2);
	run_until(now + 100000);
	for (i = 1; i < 33; i++)
		good += got[33 + i].data == 1u << (i - 1);
	ok(n == 66 && count_flags(SLINK_CONTROL) == 2 && good == 32 &&
	   is_control(0, 0) && is_control(33, 0),
	   "self test: 33 words, a zero and a one that walks");
	ok(count_flags(SLINK_TEST) == 66, "all of them are test words");
	start(2);
	width = 8;
	begin(SLIDAS_TEST, 1);
	run_until(now + 100000);
	ok(n == 9, "9 words if the link has 8 bits");
}

int main(void)
{
	test_single();
	test_count();
	test_trigger();
	test_start_line();
	test_xoff();
	test_link_down();
	test_sizes();
	test_patterns();
	test_faults();
	test_every();
	test_self_test();
	return tap_end();
}
