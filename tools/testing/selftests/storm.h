/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * storm.h: programs that change all that can be changed, at random, for a time
 *
 * What may be refused, and how, is listed with each change; anything else is a
 * failure.
 */
#ifndef STORM_H
#define STORM_H

#include "node.h"

#include <time.h>

#define CONFIG	"/sys/kernel/config/zio"
#define BUS	"/sys/bus/zio/devices"

static unsigned int *changes;
static struct timespec end;

/* The program may set this: has each thing happened that it wants to happen? */
static int (*is_enough)(void);

static inline int is_time_up(void)
{
	struct timespec now;

	want(!clock_gettime(CLOCK_MONOTONIC, &now));
	return now.tv_sec > end.tv_sec ||
		(now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
}

/* Each process looks at the clock itself. A slow machine takes longer. */
static inline int is_over(void)
{
	return is_time_up() && (!is_enough || is_enough());
}

static inline unsigned int dice(unsigned int n)
{
	return (unsigned int)random() % n;
}

/* One write; 0, or the errno. */
static inline int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	return error;
}

/* May a board be gone, or going, these errors are no news. */
static inline int is_gone(int error)
{
	return error == ENOENT || error == ENODEV || error == ENXIO;
}

static inline void change(const char *path, const char *text, const char *allowed)
{
	int error = put(path, text);

	if (error && !is_gone(error) && !strstr(allowed, strerrorname_np(error)))
		fail("%s to %s: %s", text, path, strerrorname_np(error));
	__atomic_add_fetch(changes, 1, __ATOMIC_SEQ_CST);
}

/* Nobody ends before the time; returns how many are left when it has come. */
static inline unsigned int wait_for_end(unsigned int n)
{
	struct timespec tick = { .tv_nsec = 100000000 };
	int status;

	while (!is_over()) {
		nanosleep(&tick, NULL);
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		if (status || !is_over())
			fail("somebody ended with %#x", status);
		n--;
	}
	return n;
}

static inline void begin_storm(unsigned int seconds)
{
	changes = share_memory(sizeof(*changes));
	want(!clock_gettime(CLOCK_MONOTONIC, &end));
	end.tv_sec += seconds;
	alarm(seconds + SLOWNESS * 120);
}

#endif /* STORM_H */
