// SPDX-License-Identifier: GPL-2.0-only
/* libzio: the timeline of a channel: times, rates, and what is missing between blocks */
#include <inttypes.h>
#include <limits.h>

#include "timeline.h"

/* The same in a control of an older kernel: all is known by numbers, alarms and times. */
SETUP(old_stream)
{
	stream(value);
	zio_timeline_close(tl);
	tl = zio_timeline_open(&err);
	ctrl.attr_trigger.std_mask = 0;
	ASSERT_TRUE(!add(), err.text);
}

/* --- times */

static void expect(uint32_t k, int64_t ns, uint32_t ps)
{
	struct zio_instant time;

	ASSERT_TRUE(!zio_sample_time(&place, k, &time));
	ASSERT_EQ(time.ns, ns);
	ASSERT_EQ(time.ps, ps);
}

TEST("the example of zio-std-attr.h", empty)
{
	set_rate(50000, 1);
	set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, 200);
	set_first(5000000);
	ctrl.nsamples = 400;
	set_time(12000100000);
	ASSERT_TRUE(!add());
	ASSERT_EQ(place.event.ns, 12000105000);
	ASSERT_EQ(place.first.ns, 12000105000 - 4000000);
	ASSERT_EQ(place.rate_source, ZIO_RATE_CONTROL);
	expect(200, 12000105000, 0);
	expect(0, 11996105000, 0);
	expect(399, 12000105000 + 199 * 20000, 0);
}

TEST("times have no error that adds up", empty)
{
	set_rate(1411200, 29);
	ctrl.nsamples = UINT_MAX;
	ASSERT_TRUE(!add());
	/* (2^32 - 2) * 29 / 1411200 s */
	expect(UINT_MAX - 1, START + 88261090933956, 916);
	set_rate(4294967295u, 1);
	ASSERT_TRUE(!add());
	expect(4294967295u, START + SECOND, 0);
	expect(1, START, 232);
	set_rate(1, 60);
	ASSERT_TRUE(!add());
	expect(10000000, START + 600000000 * SECOND, 0);
}

TEST("a time before the event is rounded down", empty)
{
	int i;

	set_rate(3, 1);
	set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, 2);
	set_first(-1001);
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(!add());
		/* START - 1.001 ns - 666666666.666... ns */
		ASSERT_EQ(place.event.ns, START - 2);
		ASSERT_EQ(place.event.ps, 999);
		ASSERT_EQ(place.first.ns, START - 666666668);
		ASSERT_EQ(place.first.ps, 332);
		expect(0, START - 666666668, 332);
		expect(1, START - 333333335, 665);
		expect(3, START + 333333332, 332);
		ctrl.seq_num++;
	}
}

TEST("shots of old recordings", empty)
{
	struct zio_shots_info info = { .n = 3 };

	set_rate(1000, 1);
	set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, 10);
	ctrl.nsamples = 300;
	ctrl.tlv[0].type = ZIO_TLV_SHOTS;
	memcpy(ctrl.tlv[0].payload, &info, sizeof(info));
	ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT] = 400000000;
	ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + 1] = 900000000;
	ASSERT_TRUE(!add());
	ASSERT_EQ(place.n_shots, 3);
	ASSERT_EQ(place.samples, 300);
	expect(10, START, 0);
	expect(100, START + 390000000, 0);
	expect(210, START + 900000000, 0);
	expect(299, START + 900000000 + 89000000, 0);
	/* The next block begins at the end of the last shot. */
	ASSERT_EQ(next(SECOND, 1), 0);
	ASSERT_TRUE(place.continues);
}

TEST("ticks of more than a second, and no time", stream)
{
	ctrl.tstamp.secs -= 3;
	ctrl.tstamp.ticks += 3 * SECOND;
	go_on(1, BLOCK);
	ctrl.tstamp.secs -= 3;
	ctrl.tstamp.ticks += 3 * SECOND;
	ctrl.seq_num++;
	ctrl.tstamp.ticks += BLOCK;
	ASSERT_TRUE(!add() && place.continues);
	ASSERT_EQ(place.first.ns, START + 2 * BLOCK);
	memset(&ctrl.tstamp, 0, sizeof(ctrl.tstamp));
	ctrl.seq_num++;
	ASSERT_TRUE(!add());
	ASSERT_TRUE(!place.has_time && !place.breaks && !place.continues);
	ASSERT_TRUE(!place.first.ns && !place.event.ns);
	ASSERT_ERRNO(zio_sample_time(&place, 0, &place.first), ENODATA, "no time");
	set_time(START + 4 * BLOCK);
	ctrl.seq_num++;
	ASSERT_TRUE(!add() && !place.breaks);
	ASSERT_STR(sentence(), "nothing lost");
}

/* Add blocks that follow each other, and have no time. */
static void go_on_without_time(int n)
{
	int64_t time = time_of();

	while (n--) {
		ctrl.seq_num++;
		memset(&ctrl.tstamp, 0, sizeof(ctrl.tstamp));
		ASSERT_TRUE(!add() && !place.breaks && !place.continues, err.text);
	}
	set_time(time);
}

TEST("a hole beside blocks without a time", stream)
{
	go_on(9, BLOCK);
	go_on_without_time(1);
	ASSERT_EQ(next(2 * BLOCK, 1), 0);
	ASSERT_TRUE(!place.continues);
	go_on_without_time(3);
	ASSERT_EQ(next(4 * BLOCK + 3000000, 1), ZIO_BREAK_PAUSE);
	ASSERT_EQ(place.pause_ns, 3000000);
	go_on(1, BLOCK);
	/* Lost blocks beside it, which have their length, and its own */
	set_trigger(ZIO_ATTR_TRIG_LOST, 2);
	ctrl.seq_num += 3;
	memset(&ctrl.tstamp, 0, sizeof(ctrl.tstamp));
	ASSERT_TRUE(!add() && place.breaks == ZIO_BREAK_LOST, err.text);
	set_trigger(ZIO_ATTR_TRIG_LOST, 0);
	set_time(START + 22 * BLOCK + 3000000);
	ASSERT_EQ(next(0, 1), ZIO_BREAK_PAUSE);
	ASSERT_EQ(place.pause_ns, 2 * BLOCK);
	go_on_without_time(1);
	ASSERT_EQ(next(-BLOCK, 1), ZIO_BREAK_STEP);
	ASSERT_STR(sentence(),
		   "2 blocks lost in 1 gap, 2 pauses of 203 ms in all, 1 step of the clock");
}

TEST("a block without a time makes no rate, and no step of the clock", old_stream)
{
	int i;

	for (i = 0; i < 9; i++)
		ASSERT_EQ(next(BLOCK, 1), 0);
	go_on_without_time(1);
	ASSERT_EQ(next(2 * BLOCK - BLOCK / 4, 1), 0);
	/* Events that were missed need less time than that. */
	set_trigger(ZIO_ATTR_TRIG_MISSED, 3);
	ctrl.seq_num++;
	memset(&ctrl.tstamp, 0, sizeof(ctrl.tstamp));
	ASSERT_TRUE(!add() && place.breaks == ZIO_BREAK_MISSED, err.text);
	set_trigger(ZIO_ATTR_TRIG_MISSED, 0);
	set_time(START + 14 * BLOCK);
	ASSERT_EQ(next(0, 1), 0);
	ASSERT_EQ(place.rate_num, 1000);
	ASSERT_STR(sentence(), "3 events missed");
}

TEST("the times of all samples are those of each", empty)
{
	static const uint32_t rates[][2] = {
		{ 3, 1 }, { 44100, 1 }, { 1411200, 29 }, { 1, 60 }, { 999983, 7 },
		{ 4294967295u, 2 }, { 7, 4294967 }, { 1000, 1 }, { 0, 0 },
	};
	enum { LONGEST = 1000 };
	int64_t times[LONGEST];
	struct zio_instant time;
	uint32_t i, k;

	for (i = 0; i < 400; i++) {
		zio_timeline_close(tl);
		tl = zio_timeline_open(&err);
		set_rate(rates[i % 9][0], rates[i % 9][1]);
		set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, i % 4 * 333 % (i + 1));
		set_first((int64_t)(i * 7919) - 1000000);
		ctrl.nsamples = i * 5 % LONGEST / 3 * 3;
		ctrl.tlv[0].type = i % 5 ? 0 : ZIO_TLV_SHOTS;
		ctrl.tlv[0].length = 1;
		memset(ctrl.tlv[0].payload, 0, sizeof(ctrl.tlv[0].payload));
		ctrl.tlv[0].payload[0] = 3;
		ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT] = 1000003;
		ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_SHOT + 1] = 4000000007u;
		ASSERT_TRUE(!add(), err.text);
		ASSERT_EQ(place.n_shots, i % 5 ? 1 : 3);
		ASSERT_TRUE(!zio_sample_times(&place, times));
		for (k = 0; k < place.samples; k++) {
			ASSERT_TRUE(!zio_sample_time(&place, k, &time));
			ASSERT_EQ(times[k], time.ns);
		}
	}
	ASSERT_ERRNO(zio_sample_times(NULL, times), EINVAL);
	ASSERT_ERRNO(zio_sample_times(&place, NULL), EINVAL);
	place.has_time = false;
	ASSERT_ERRNO(zio_sample_times(&place, times), ENODATA);
}

/* --- what is refused */

TEST("times beyond 64 bits, and the timeline stays as it is", stream)
{
	const struct zio_timestamp good = ctrl.tstamp;
	struct zio_rate before, after;

	zio_timeline_rate(tl, &before);
	set_rate(5, 7);
	ctrl.tstamp.secs = UINT64_MAX / 2;
	ASSERT_ERRNO(add(), ERANGE, "seconds");
	ASSERT_HAS(err.text, "block 7: its time, 9223372036854775807 s");
	ctrl.tstamp = (struct zio_timestamp){ .secs = 9223372036 };
	ASSERT_ERRNO(add(), ERANGE, "2^63 ns");
	ctrl.tstamp = (struct zio_timestamp){ .ticks = UINT64_MAX };
	ASSERT_ERRNO(add(), ERANGE, "ticks");
	ctrl.tstamp = (struct zio_timestamp){ .secs = 18446744073, .ticks = 709551616 };
	ASSERT_ERRNO(add(), ERANGE, "2^64 ns");
	ctrl.tstamp = good;
	set_rate(1, UINT_MAX);
	set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, UINT_MAX);
	ASSERT_ERRNO(add(), ERANGE, "samples before the event");
	zio_timeline_rate(tl, &after);
	ASSERT_TRUE(!memcmp(&before, &after, sizeof(before)));
	set_rate(1000, 1);
	ctrl.attr_trigger.std_mask &= (uint16_t)~(1 << ZIO_ATTR_TRIG_PRE_SAMP);
	go_on(5, BLOCK);
	ASSERT_STR(sentence(), "nothing lost");
	ASSERT_EQ(account.blocks, 6);
	set_rate(1, UINT_MAX);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	ASSERT_ERRNO(zio_sample_time(&place, UINT_MAX, &place.first), ERANGE, "a late sample");
}

TEST("rates that contradict themselves", stream)
{
	const struct zio_control good = ctrl;

	set_rate(1000, 0);
	ASSERT_ERRNO(add(), EINVAL, "1000/0");
	ASSERT_HAS(err.text, "block 7: its control has the rate 1000/0, which is not a rate");
	set_rate(0, 1);
	ASSERT_ERRNO(add(), EINVAL, "0/1");
	ctrl = good;
	ctrl.attr_trigger.std_mask &= (uint16_t)~(1 << ZIO_ATTR_TRIG_RATE_DEN);
	ASSERT_ERRNO(add(), EINVAL, "numerator alone");
	ctrl = good;
	ctrl.attr_trigger.std_mask &= (uint16_t)~(1 << ZIO_ATTR_TRIG_RATE_NUM);
	ASSERT_ERRNO(add(), EINVAL, "denominator alone");
	ctrl = good;
	set_trigger(ZIO_ATTR_TRIG_FIRST_HIGH, 0);
	ASSERT_ERRNO(add(), EINVAL, "half a time");
	ASSERT_HAS(err.text, "one half of the time of the first sample");
	ctrl = good;
	ctrl.addr.chan++;
	ASSERT_ERRNO(add(), EINVAL, "channel");
	ASSERT_HAS(err.text, "block 7 is of another channel");
	ctrl = good;
	go_on(3, BLOCK);
	set_rate(0, 0);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	ASSERT_EQ(place.rate_source, ZIO_RATE_UNKNOWN);
}

TEST("wrong arguments, and names", stream)
{
	struct zio_rate rate;
	char text[8];

	ASSERT_ERRNO(zio_timeline_add(NULL, &ctrl, &place, &err), EINVAL);
	ASSERT_ERRNO(zio_timeline_add(tl, NULL, &place, &err), EINVAL);
	ASSERT_ERRNO(zio_timeline_add(tl, &ctrl, NULL, NULL), EINVAL);
	ASSERT_ERRNO(zio_timeline_rate(NULL, &rate), EINVAL);
	ASSERT_ERRNO(zio_timeline_rate(tl, NULL), EINVAL);
	ASSERT_ERRNO(zio_timeline_account(NULL, &account), EINVAL);
	ASSERT_ERRNO(zio_timeline_account(tl, NULL), EINVAL);
	ASSERT_ERRNO(zio_timeline_set_rate(NULL, 1, 1), EINVAL);
	ASSERT_ERRNO(zio_timeline_set_rate(tl, 1, 0), EINVAL);
	ASSERT_ERRNO(zio_timeline_set_rate(tl, 0, 1), EINVAL);
	ASSERT_ERRNO(zio_sample_time(NULL, 0, &place.first), EINVAL);
	ASSERT_ERRNO(zio_sample_time(&place, 0, NULL), EINVAL);
	ASSERT_ERRNO(zio_account_add(NULL, &account), EINVAL);
	ASSERT_ERRNO(zio_account_add(&account, NULL), EINVAL);
	ASSERT_ERRNO(zio_account_text(NULL, text, 1), EINVAL);
	ASSERT_ERRNO(zio_account_text(&account, NULL, 1), EINVAL);
	ASSERT_TRUE(!zio_account_is_clean(NULL) && errno == EINVAL);
	ASSERT_EQ(zio_account_text(&account, NULL, 0), 12);
	ASSERT_EQ(zio_account_text(&account, text, sizeof(text)), 12);
	ASSERT_STR(text, "nothing");
	zio_timeline_close(NULL);
	ASSERT_STR(zio_break_name(0), "lost");
	ASSERT_STR(zio_break_name(6), "change");
	ASSERT_TRUE(!zio_break_name(7));
	ASSERT_STR(zio_change_name(0), "unit");
	ASSERT_STR(zio_change_name(9), "shape");
	ASSERT_TRUE(!zio_change_name(10));
}

/* --- what is missing */

TEST("the first block tells what was before it", empty)
{
	set_trigger(ZIO_ATTR_TRIG_LOST, 7);
	set_trigger(ZIO_ATTR_TRIG_MISSED, 8);
	ctrl.zio_alarms = 0xff;
	ASSERT_TRUE(!add() && !place.breaks && !place.lost && !place.missed);
	ctrl.zio_alarms = 0;
	ASSERT_STR(sentence(), "nothing lost");
	/* The kernel is believed, even if the numbers have no gap. */
	set_trigger(ZIO_ATTR_TRIG_MISSED, 0);
	ASSERT_EQ(next(1, 1), ZIO_BREAK_LOST);
	ASSERT_EQ(place.lost, 7);
}

TEST("old controls: gaps with and without the alarm", old_stream)
{
	go_on(0, BLOCK);
	ctrl.zio_alarms = ZIO_ALARM_LOST_BLOCK;
	ASSERT_EQ(next(3 * BLOCK, 3), ZIO_BREAK_LOST);
	ASSERT_EQ(next(2 * BLOCK, 2), ZIO_BREAK_TAKEN);
	ctrl.zio_alarms = ZIO_ALARM_LOST_BLOCK;
	ASSERT_EQ(next(BLOCK, 1), 0);
	ctrl.zio_alarms = ZIO_ALARM_LOST_TRIGGER;
	ASSERT_EQ(next(2 * BLOCK, 1), ZIO_BREAK_MISSED);
	ASSERT_STR(sentence(), "2 blocks lost in 1 gap, 1 block taken by another reader, "
			       "at least 1 event missed");
}

TEST("numbers pass 2^32, and begin anew", stream)
{
	ctrl.seq_num = UINT_MAX - 10;
	ASSERT_EQ(next(SECOND, 0), ZIO_BREAK_OUTAGE);
	ASSERT_EQ(place.outage_ns, SECOND - BLOCK);
	go_on(12, BLOCK);
	ASSERT_EQ(ctrl.seq_num, 1);
	ctrl.seq_num = 0;
	ASSERT_EQ(next(3600 * SECOND + BLOCK, 0), ZIO_BREAK_OUTAGE);
	ASSERT_EQ(place.outage_ns, 3600 * SECOND);
	set_trigger(ZIO_ATTR_TRIG_EPOCH, 99);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_OUTAGE);
	/* What the new run has lost counts; a clock that was set tells no length. */
	set_trigger(ZIO_ATTR_TRIG_EPOCH, 100);
	set_trigger(ZIO_ATTR_TRIG_LOST, 2);
	set_trigger(ZIO_ATTR_TRIG_MISSED, 3);
	set_time(5);
	ASSERT_EQ(next(0, 5000), ZIO_BREAK_OUTAGE | ZIO_BREAK_LOST | ZIO_BREAK_MISSED);
	ASSERT_EQ(place.outage_ns, 0);
	ASSERT_STR(sentence(), "2 blocks lost in 1 gap, 3 events missed, 4 outages of "
			       "3600.9 s in all");
}

/* --- pauses and clocks */

TEST("pauses and clocks that are set", stream)
{
	go_on(9, BLOCK);
	ASSERT_EQ(next(BLOCK + 3000000, 1), ZIO_BREAK_PAUSE);
	ASSERT_EQ(place.pause_ns, 3000000);
	ASSERT_EQ(next(BLOCK - SECOND, 1), ZIO_BREAK_STEP);
	ASSERT_EQ(place.step_ns, -SECOND);
	go_on(3, BLOCK);
	ASSERT_EQ(next(BLOCK + YEAR, 1), ZIO_BREAK_STEP);
	ASSERT_EQ(place.step_ns, YEAR);
	go_on(3, BLOCK);
	/* Within a block: the samples go on, the clock does not. */
	ASSERT_EQ(next(BLOCK - 50000000, 1), ZIO_BREAK_STEP);
	ASSERT_EQ(place.step_ns, -50000000);
	ctrl.zio_alarms = ZIO_ALARM_SUSPENDED;
	ASSERT_EQ(next(BLOCK + 5 * SECOND, 1), ZIO_BREAK_PAUSE);
	ASSERT_EQ(place.pause_ns, 5 * SECOND);
	ctrl.zio_alarms = ZIO_ALARM_SUSPENDED;
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_PAUSE);
	ASSERT_EQ(place.pause_ns, 0);
	ASSERT_STR(sentence(), "3 pauses of 5.003 s in all, 3 steps of the clock");
}

TEST("a clock set from 1970 to now makes no rate", old_stream)
{
	set_time(5 * SECOND);
	ctrl.seq_num = 0;
	ASSERT_EQ(next(0, 0), ZIO_BREAK_OUTAGE);
	ASSERT_EQ(next(BLOCK, 1), 0);
	ASSERT_EQ(next(START, 1), ZIO_BREAK_STEP);
	ASSERT_EQ(next(BLOCK, 1), 0);
	ASSERT_EQ(next(BLOCK, 1), 0);
	ASSERT_EQ(place.rate_source, ZIO_RATE_UNKNOWN);
	go_on(1, BLOCK);
	ASSERT_EQ(place.rate_source, ZIO_RATE_ESTIMATED);
	ASSERT_EQ(place.rate_num, 1000);
	ASSERT_EQ(place.rate_den, 1);
	ASSERT_STR(sentence(), "1 outage, 1 step of the clock");
}

TEST("a block may take more than a year", stream)
{
	set_rate(1, 1000000);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	go_on(9, 100000000 * SECOND);
	ASSERT_EQ(next(100000000 * SECOND + YEAR, 1), ZIO_BREAK_STEP);
	ASSERT_EQ(place.step_ns, YEAR);
}

TEST("a pause before anybody can know a stream", stream)
{
	ASSERT_EQ(next(3 * BLOCK, 1), 0);
	ASSERT_TRUE(!place.continues);
	ASSERT_STR(sentence(), "nothing lost");
	go_on(2, BLOCK);
	ASSERT_STR(sentence(), "1 pause of 200 ms");
	ASSERT_EQ(next(2 * BLOCK, 1), ZIO_BREAK_PAUSE);
	ASSERT_STR(sentence(), "2 pauses of 300 ms in all");
	go_on(90, BLOCK);
	ASSERT_STR(sentence(), "2 pauses of 300 ms in all");
}

TEST("a pause at the beginning, and a change before anybody can know", stream)
{
	ASSERT_EQ(next(3 * BLOCK, 1), 0);
	go_on(3, BLOCK);
	set_rate(500, 1);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	ASSERT_STR(sentence(), "1 pause of 200 ms, 1 change (rate)");
	go_on(9, 2 * BLOCK);
	ASSERT_STR(sentence(), "1 pause of 200 ms, 1 change (rate)");
	/* The samples before the event begin earlier, and those after it end there. */
	set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, 40);
	ASSERT_EQ(next(2 * BLOCK + 40 * SECOND / 500, 1), ZIO_BREAK_CHANGE);
	ASSERT_EQ(place.changes, ZIO_CHANGE_SHAPE);
	ASSERT_EQ(place.first.ns, place.event.ns - 40 * SECOND / 500);
	go_on(9, 2 * BLOCK);
	ASSERT_EQ(place.first.ns, place.event.ns - 40 * SECOND / 500);
	set_trigger(ZIO_ATTR_TRIG_PRE_SAMP, 20);
	ASSERT_EQ(next(2 * BLOCK - 20 * SECOND / 500, 1), ZIO_BREAK_CHANGE);
	ASSERT_EQ(place.first.ns, place.event.ns - 20 * SECOND / 500);
	ASSERT_STR(sentence(), "1 pause of 200 ms, 3 changes (rate, shape)");
}

/* Their distances scatter, and this is no error of the clock. */
TEST("a clock that is set back between events", old_stream)
{
	int i;

	set_rate(1000, 1);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	for (i = 0; i < 50; i++)
		ASSERT_EQ(next(BLOCK * (2 + i * 7 % 40), 1), 0);
	ASSERT_EQ(next(-2000000, 1), ZIO_BREAK_STEP);
	ASSERT_EQ(place.step_ns, -2000000);
	/* Two interrupts may be late by that. */
	ASSERT_EQ(next(-90000, 1), 0);
	ASSERT_STR(sentence(), "1 step of the clock, 1 change (rate)");
}

/* It is late by 70 ms, and three more are behind it: half a block is 50 ms, at most 5 ms count. */
TEST("a stamp that is late is no clock that is set back", old_stream)
{
	ASSERT_TRUE(!zio_timeline_set_rate(tl, 1000, 1));
	go_on(50, BLOCK);
	ASSERT_EQ(next(BLOCK + 70000000, 1), ZIO_BREAK_PAUSE);
	ASSERT_EQ(next(BLOCK - 40000000, 1), 0);
	ASSERT_EQ(next(BLOCK - 30000000, 1), 0);
	go_on(50, BLOCK);
	ASSERT_EQ(next(BLOCK - 70000000, 1), ZIO_BREAK_STEP);
	ASSERT_STR(sentence(), "1 pause of 70 ms, 1 step of the clock");
}

/* A reader makes them when it likes, also before the one before would have ended. */
TEST("blocks on demand are no stream, although they have a rate", old_stream)
{
	int i;

	strcpy(ctrl.triggername, "user");
	set_rate(1000, 1);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	for (i = 0; i < 50; i++)
		ASSERT_EQ(next(i % 3 ? BLOCK + i * 1000000 : BLOCK / 16, 1), 0);
	ASSERT_EQ(next(-BLOCK, 1), ZIO_BREAK_STEP);
	ASSERT_STR(sentence(), "1 step of the clock, 1 change (rate)");
}

TEST("events that follow each other closely are no stream", old_stream)
{
	int i;

	/* The next event comes 20 ms to 44 ms after the end of each block. */
	ASSERT_TRUE(!zio_timeline_set_rate(tl, 1000, 1));
	for (i = 0; i < 50; i++)
		next(BLOCK + 20000000 + i * i * 7919 % 24 * 1000000, 1);
	ASSERT_TRUE(!place.continues && !place.breaks);
	ASSERT_STR(sentence(), "nothing lost");
}

/* --- rates */

TEST("the median of steps is the rate", old_stream)
{
	struct zio_rate rate;
	int i;

	/* 44.1 kHz, 100 samples, 50 us of jitter, a pause of 2 s in the middle */
	for (i = 1; i < 200; i++) {
		set_time(START + i * 100 * SECOND / 44100 + i * i * 7919 % 50000 +
			 (i > 120 ? 2 * SECOND : 0));
		ctrl.seq_num++;
		ASSERT_TRUE(!add());
		ASSERT_EQ(place.breaks, i == 121 ? ZIO_BREAK_PAUSE : 0);
	}
	ASSERT_TRUE(!zio_timeline_rate(tl, &rate));
	ASSERT_EQ(rate.source, ZIO_RATE_ESTIMATED);
	ASSERT_EQ(rate.steps, 31);
	ASSERT_TRUE(rate.scatter_ns > 1000 && rate.scatter_ns < 50000);
	ASSERT_TRUE(labs((long)((double)rate.num / rate.den - 44100)) < 441);
	ASSERT_STR(sentence() + strlen("1 pause of "), "2 s");
}

TEST("steps that differ are no rate", old_stream)
{
	int i;

	for (i = 0; i < 100; i++) {
		next(BLOCK * (1 + i * 7 % 11), 1);
		ASSERT_TRUE(!place.breaks && place.rate_source == ZIO_RATE_UNKNOWN);
	}
	/* Several blocks get one time. */
	for (i = 0; i < 200; i++)
		ASSERT_EQ(next(i % 4 ? 0 : BLOCK * 4, 1), 0);
	ASSERT_EQ(place.rate_source, ZIO_RATE_UNKNOWN);
	ASSERT_STR(sentence(), "nothing lost");
}

TEST("a given rate, and that of the control", old_stream)
{
	struct zio_rate rate;

	ASSERT_TRUE(!zio_timeline_set_rate(tl, 1000, 1));
	go_on(3, BLOCK);
	ASSERT_EQ(place.rate_source, ZIO_RATE_GIVEN);
	ASSERT_TRUE(!zio_timeline_rate(tl, &rate) && rate.source == ZIO_RATE_GIVEN);
	set_rate(500, 1);
	ASSERT_EQ(next(BLOCK, 1), ZIO_BREAK_CHANGE);
	ASSERT_EQ(place.changes, ZIO_CHANGE_RATE);
	ASSERT_EQ(place.rate_source, ZIO_RATE_CONTROL);
	go_on(2, 2 * BLOCK);
	ASSERT_TRUE(!zio_timeline_rate(tl, &rate) && rate.num == 500);
	ASSERT_TRUE(!zio_timeline_set_rate(tl, 0, 0));
	ASSERT_STR(sentence(), "1 change (rate)");
}

/* --- blocks of other lengths */

TEST("blocks of one sample, and of none", stream)
{
	ctrl.nsamples = 0;
	go_on(1, BLOCK);
	ctrl.nsamples = 1;
	go_on(1, 0);
	ctrl.nsamples = 100;
	go_on(1, SECOND / 1000);
	go_on(9, BLOCK);
	ctrl.nsamples = 50;
	ASSERT_EQ(next(BLOCK, 1), 0);
	/* 40 samples are missing; the block before has 50, this one 60. */
	ctrl.nsamples = 60;
	set_trigger(ZIO_ATTR_TRIG_LOST, 1);
	ASSERT_EQ(next(BLOCK * 90 / 100, 2), ZIO_BREAK_LOST);
	ASSERT_EQ(place.lost_samples, 40);
	ASSERT_STR(sentence(), "1 block lost in 1 gap");
}

TEST("a counter of events has no samples", empty)
{
	int i;

	ctrl.nsamples = 0;
	for (i = 0; i < 100; i++)
		ASSERT_EQ(next(1 + i * 7919 % 1000000, 1), 0);
	ASSERT_EQ(place.rate_source, ZIO_RATE_UNKNOWN);
	ASSERT_STR(sentence(), "nothing lost");
}

TEST("a stream of single samples", empty)
{
	int i;

	ctrl.nsamples = 1;
	for (i = 0; i < 20; i++)
		ASSERT_EQ(next(SECOND / 1000, 1), 0);
	ASSERT_EQ(place.rate_num, 1000);
	/* The clock ticks at 1 kHz, and two ticks are missed. */
	ctrl.zio_alarms = ZIO_ALARM_LOST_TRIGGER;
	ASSERT_EQ(next(SECOND / 500, 1), ZIO_BREAK_MISSED);
	ASSERT_EQ(place.rate_num, 1000);
}
