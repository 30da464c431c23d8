// SPDX-License-Identifier: LGPL-2.1-or-later
/* Times in ns */
#include <time.h>

#include "control.h"

uint64_t zio_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
