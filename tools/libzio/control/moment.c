// SPDX-License-Identifier: LGPL-2.1-or-later
/* Exact times of samples, in whole picoseconds and without adding up rounded periods */
#include <errno.h>

#include "timeline.h"

/* Keeps two times less than 2^63 ns apart, whatever FIRST is. */
#define LATEST_NS (INT64_MAX - 10000000000000000)
#define LARGEST_SECONDS 9000000000u

static int refuse_range(void)
{
	errno = ERANGE;
	return -1;
}

/*
 * The samples and both numbers have 32 bits, so no product needs more than 64. Split off
 * whole seconds twice, then nanoseconds, then picoseconds.
 */
int zio_instant_move(struct zio_instant *time, uint64_t samples, bool back, uint32_t num,
		     uint32_t den)
{
	uint64_t product = samples * (den % num);
	uint64_t seconds = samples * (den / num) + product / num;
	uint64_t ns = product % num * NS_PER_SECOND;
	uint64_t ps = ns % num * PS_PER_NS;
	bool has_rest = ps % num;
	int64_t sum;

	if (seconds > LARGEST_SECONDS)
		return refuse_range();
	ps /= num;
	sum = (int64_t)(seconds * NS_PER_SECOND + ns / num);
	if (back) {
		/* To round down, subtract one picosecond more if there is a rest. */
		sum = -sum;
		ps = time->ps + PS_PER_NS - ps - has_rest;
		sum -= 1;
	} else {
		ps += time->ps;
	}
	sum += (int64_t)(ps / PS_PER_NS);
	if (__builtin_add_overflow(time->ns, sum, &sum) || sum > LATEST_NS)
		return refuse_range();
	time->ns = sum;
	time->ps = (uint32_t)(ps % PS_PER_NS);
	return 0;
}

/* A control may have ticks of more than a second. */
int zio_instant_of(struct zio_instant *time, const struct zio_timestamp *stamp,
		   int64_t first_ps)
{
	int64_t first = first_ps / PS_PER_NS, rest = first_ps % PS_PER_NS;
	uint64_t ns;

	if (__builtin_mul_overflow(stamp->secs, (uint64_t)NS_PER_SECOND, &ns) ||
	    __builtin_add_overflow(ns, stamp->ticks, &ns) || ns > LATEST_NS)
		return refuse_range();
	if (rest < 0) {
		rest += PS_PER_NS;
		first--;
	}
	time->ns = (int64_t)ns + first;
	time->ps = (uint32_t)rest;
	return time->ns > LATEST_NS ? refuse_range() : 0;
}
