/* SPDX-License-Identifier: GPL-2.0-only */
/* timeline.h: a timeline, and the control that tests of it change and add */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdint.h>
#include <string.h>

#include "assert.h"
#include "libzio/zio.h"
#include "harness.h"

#define SECOND 1000000000LL
#define START (1700000000 * SECOND)
#define YEAR (366 * 86400 * SECOND)

static struct zio_timeline *tl;
static struct zio_place place;
static struct zio_account account;
static struct zio_error err;
static struct zio_control ctrl;

static inline void set_trigger(unsigned int index, uint32_t value)
{
	ctrl.attr_trigger.std_mask |= 1 << index;
	ctrl.attr_trigger.std_val[index] = value;
}

static inline void set_channel(unsigned int index, uint32_t value)
{
	ctrl.attr_channel.std_mask |= 1 << index;
	ctrl.attr_channel.std_val[index] = value;
}

static inline void set_rate(uint32_t num, uint32_t den)
{
	set_trigger(ZIO_ATTR_TRIG_RATE_NUM, num);
	set_trigger(ZIO_ATTR_TRIG_RATE_DEN, den);
}

static inline void set_first(int64_t ps)
{
	set_trigger(ZIO_ATTR_TRIG_FIRST_LOW, (uint32_t)ps);
	set_trigger(ZIO_ATTR_TRIG_FIRST_HIGH, (uint32_t)((uint64_t)ps >> 32));
}

static inline void set_time(int64_t ns)
{
	ctrl.tstamp.secs = (uint64_t)(ns / SECOND);
	ctrl.tstamp.ticks = (uint64_t)(ns % SECOND);
}

static inline int64_t time_of(void)
{
	return (int64_t)ctrl.tstamp.secs * SECOND + (int64_t)ctrl.tstamp.ticks;
}

static inline int add(void)
{
	return zio_timeline_add(tl, &ctrl, &place, &err);
}

/* Add the next block, @ns later and @numbers further. Return its breaks. */
static inline uint32_t next(int64_t ns, uint32_t numbers)
{
	set_time(time_of() + ns);
	ctrl.seq_num += numbers;
	ASSERT_TRUE(!add(), err.text);
	ctrl.zio_alarms = 0;
	return place.breaks;
}

/* Add @n blocks that follow each other. */
static inline void go_on(int n, int64_t ns)
{
	while (n--) {
		ASSERT_EQ(next(ns, 1), 0);
		ASSERT_TRUE(place.continues);
	}
}

static inline const char *sentence(void)
{
	static char text[512];

	ASSERT_TRUE(!zio_timeline_account(tl, &account));
	ASSERT_EQ(zio_account_text(&account, text, sizeof(text)), (int)strlen(text));
	ASSERT_EQ(zio_account_is_clean(&account), !strcmp(text, "nothing lost"));
	return text;
}

/* A stream of blocks of 100 samples, 1000 a second; errors of 1 us, an epoch, no loss */
SETUP(stream)
{
	tl = zio_timeline_open(&err);
	ASSERT_TRUE(tl, err.text);
	zio_control_init(&ctrl, 100, 2);
	strcpy(ctrl.addr.devname, "adc");
	ctrl.nbits = 16;
	ctrl.seq_num = 7;
	set_rate(1000, 1);
	set_trigger(ZIO_ATTR_TRIG_TIME_ERROR, 1000);
	set_trigger(ZIO_ATTR_TRIG_LOST, 0);
	set_trigger(ZIO_ATTR_TRIG_MISSED, 0);
	set_trigger(ZIO_ATTR_TRIG_EPOCH, 0x1234);
	set_time(START);
	ASSERT_TRUE(!add(), err.text);
	ASSERT_TRUE(!place.continues && !place.breaks);
}

#define BLOCK (SECOND / 10)

SETUP(empty)
{
	tl = zio_timeline_open(&err);
	zio_control_init(&ctrl, 100, 2);
	set_time(START);
}

#endif /* TIMELINE_H */
