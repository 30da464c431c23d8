/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that end a program when it is ready for that. */
#ifndef ZIO_STOP_H
#define ZIO_STOP_H

#include <poll.h>

/* Catch @sig; @flags of sigaction(). */
void catch_stop(int sig, int flags);

/* The signal that came last, or 0. */
int caught_stop(void);

/* Wait for any of @fds; a signal that was or is caught ends the wait. */
void wait_unless_stopped(struct pollfd *fds, nfds_t n);

#endif /* ZIO_STOP_H */
