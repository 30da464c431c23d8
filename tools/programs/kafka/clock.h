/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of time stamps, and what the host knows of them. */
#ifndef ZIO_KAFKA_CLOCK_H
#define ZIO_KAFKA_CLOCK_H

#include "common/control.h"

/**
 * struct clock_news - a clock of this host
 * @name: "realtime", "tai", "monotonic", "boottime", or the number of another clock
 * @state: "synchronised", "unsynchronised" or "local"; NULL: not known
 * @has_offset: @offset is known
 * @offset: nanoseconds to add to its time for CLOCK_REALTIME of this host
 * @error: largest error of CLOCK_REALTIME in nanoseconds; -1: not known
 */
struct clock_news {
	char name[16];
	const char *state;
	bool has_offset;
	int64_t offset;
	int64_t error;
};

/* Return the clock of the time stamp of a control, such as CLOCK_REALTIME. */
int clock_of(const struct zio_control *control);

/* Set the clock of the time stamp; false if the control has no room for it. */
bool set_clock(struct zio_control *control, int clock);

/* Return what the host says, which is at most a second old. */
const struct clock_news *find_clock(int clock);

#endif /* ZIO_KAFKA_CLOCK_H */
