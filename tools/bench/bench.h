/* SPDX-License-Identifier: GPL-2.0-only */
/* bench.h: what the programs of the benchmarks share */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Of an option, at least @least. */
static inline unsigned long parse_number(const char *option, const char *text,
					 unsigned long least)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < least)
		die("--%s: '%s' is not a number from %lu on", option, text,
		    least);
	return value;
}

#endif /* BENCH_H */
