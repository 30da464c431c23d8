/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of time stamps, and what the host knows about them. */
#ifndef ZIO_KAFKA_CLOCK_H
#define ZIO_KAFKA_CLOCK_H

#include "common/control.h"

/**
 * struct clock_news - a clock of this host
 * @name: "realtime", "tai", "monotonic", "boottime", or the number of another clock
 * @state: "synchronised", "unsynchronised" or "local"; NULL if unknown
 * @has_offset: @offset is known
 * @offset: nanoseconds to add to its time to get CLOCK_REALTIME of this host
 * @error: largest error of CLOCK_REALTIME in nanoseconds; -1 if unknown
 */
struct clock_news {
	char name[16];
	const char *state;
	bool has_offset;
	int64_t offset;
	int64_t error;
};

/* Return the clock of a control's time stamp, such as CLOCK_REALTIME. */
int clock_of(const struct zio_control *control);

/* Set the clock of the time stamp. Returns false if the control has no room for it. */
bool set_clock(struct zio_control *control, int clock);

/* Return what the host says, cached for up to a second. */
const struct clock_news *find_clock(int clock);

#endif /* ZIO_KAFKA_CLOCK_H */
