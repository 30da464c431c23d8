// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>

#include "stop.h"

static volatile sig_atomic_t caught;
static sigset_t stops;

static void on_stop(int sig)
{
	caught = sig;
}

void catch_stop(int sig, int flags)
{
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = flags };

	sigaction(sig, &action, NULL);
	sigaddset(&stops, sig);
}

int caught_stop(void)
{
	return caught;
}

/* Signals come in during ppoll() only, so none falls between look and wait. */
void wait_unless_stopped(struct pollfd *fds, nfds_t n)
{
	sigset_t old;

	sigprocmask(SIG_BLOCK, &stops, &old);
	if (!caught)
		ppoll(fds, n, NULL, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}
