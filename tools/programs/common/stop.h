/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that end a program at a place of its own choice. */
#ifndef ZIO_COMMON_STOP_H
#define ZIO_COMMON_STOP_H

#include <poll.h>
#include <signal.h>

/*
 * Catch SIGINT and SIGTERM once: a second one kills a program that is stuck.
 *
 * @flags is SA_RESTART for a program that prints by stdio, which loses what it
 * holds when write() fails with EINTR. It is 0 for a program that handles EINTR:
 * there the first signal also ends a write() to a pipe that no process reads.
 */
void catch_stop_once(int flags);

/* Return the last signal that was caught, or 0. */
int caught_stop(void);

/* Return how many were caught. */
int count_stops(void);

/* Return the exit status: 128 and the signal if one was caught, else @code. */
int stop_status(int code);

#define FOREVER 86400.0	/* seconds; all callers wait again */

/*
 * Wait for @fds; returns as poll(). Each signal ends a wait: the present one, or the next
 * one, which then sets no revents.
 */
int wait_unless_stopped(struct pollfd *fds, nfds_t n, double seconds);

/* Wait until seconds_now() is @end, or until a stop. */
void sleep_until(double end);

#endif /* ZIO_COMMON_STOP_H */
