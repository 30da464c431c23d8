/* SPDX-License-Identifier: GPL-2.0-only */
/* events.h: what the programs that measure events share */
#ifndef EVENTS_H
#define EVENTS_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define BLOCK		16
#define PERIODS_A_TURN	4	/* a buffer holds 16 blocks */

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline int __attribute__((format(printf, 2, 3)))
open_path(int flags, const char *format, ...)
{
	char path[256];
	va_list ap;
	int fd;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	fd = open(path, flags);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static inline void write_number(const char *dir, const char *file, uint64_t value)
{
	int fd = open_path(O_WRONLY, "%s/%s", dir, file);
	char text[24];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);

	if (write(fd, text, len) != len)
		die("%s/%s: %s: %s", dir, file, text, strerror(errno));
	close(fd);
}

static inline uint64_t read_number(int fd)
{
	char text[24];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		die("no number to read: %s", strerror(errno));
	text[len] = '\0';
	return strtoull(text, NULL, 10);
}

/* A loop that does nothing but be interrupted. */
static inline void spin(uint64_t turns)
{
	while (turns--)
		__asm__ volatile("" : : "r"(turns) : "memory");
}

/* How many turns are a millisecond. */
static inline uint64_t calibrate_spin(void)
{
	uint64_t start, ns, best = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		start = now_ns();
		spin(100000);
		ns = now_ns() - start;
		best = ns < best ? ns : best;
	}
	return 100000 * 1000000ull / best;
}

#endif /* EVENTS_H */
