// SPDX-License-Identifier: GPL-2.0-only
/* Convert time stamps from the clocks of other hosts. */
#include <string.h>
#include <time.h>

#include "clock.h"
#include "consume.h"

#define NS_PER_SECOND 1000000000

/* The offset belongs to one clock; blocks of an event may use other clocks. */
static bool get_offset(const rd_kafka_message_t *rkm, int clock, int64_t *offset)
{
	const char *name = header_text(rkm, HEADER_CLOCK);

	return name && !strcmp(name, find_clock(clock)->name) &&
	       get_header_i64(rkm, HEADER_OFFSET, offset);
}

/* Stamp and offset may have any value. Returns false unless their sum is a time after 1970. */
static bool add_offset(struct zio_timestamp *stamp, int64_t offset)
{
	int64_t ns;

	if (__builtin_mul_overflow(stamp->secs, NS_PER_SECOND, &ns) ||
	    __builtin_add_overflow(ns, stamp->ticks, &ns) ||
	    __builtin_add_overflow(ns, offset, &ns) || ns < 0)
		return false;
	stamp->secs = (uint64_t)ns / NS_PER_SECOND;
	stamp->ticks = (uint64_t)ns % NS_PER_SECOND;
	return true;
}

bool convert_time(struct block_cursor *cursor)
{
	struct zio_control control = cursor->control;
	int clock = clock_of(&control);
	int64_t offset;

	if (clock == CLOCK_REALTIME)
		return true;
	if (!get_offset(cursor->rkm, clock, &offset) ||
	    !add_offset(&control.tstamp, offset) || !set_clock(&control, CLOCK_REALTIME))
		return false;
	cursor->control = control;
	return true;
}
