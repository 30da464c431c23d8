// SPDX-License-Identifier: GPL-2.0-only
/* Signals that end a program at a place of its own choice */
#include <signal.h>

#include "program.h"
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

void catch_stop_once(int flags)
{
	catch_stop(SIGINT, SA_RESETHAND | flags);
	catch_stop(SIGTERM, SA_RESETHAND | flags);
}

int caught_stop(void)
{
	return caught;
}

int stop_status(int code)
{
	return caught ? EXIT_BY_SIGNAL + caught : code;
}

/* Only ppoll() unblocks the signals, so none is lost between the test and the wait. */
void wait_unless_stopped(struct pollfd *fds, nfds_t n)
{
	sigset_t old;

	sigprocmask(SIG_BLOCK, &stops, &old);
	if (!caught)
		ppoll(fds, n, NULL, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}
