// SPDX-License-Identifier: GPL-2.0-only
/* Signals that end a program at a place of its own choice */
#include <signal.h>

#include "program.h"
#include "stop.h"

static volatile sig_atomic_t caught;
static volatile sig_atomic_t n_caught;
static sigset_t stops;

static void on_stop(int sig)
{
	caught = sig;
	n_caught++;
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

int count_stops(void)
{
	return n_caught;
}

int stop_status(int code)
{
	return caught ? EXIT_BY_SIGNAL + caught : code;
}

/* Only ppoll() unblocks the signals, so none is lost between the test and the wait. */
static void wait_for_files(struct pollfd *fds, nfds_t n, const struct timespec *limit)
{
	sigset_t old;

	sigprocmask(SIG_BLOCK, &stops, &old);
	if (!caught)
		ppoll(fds, n, limit, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

void wait_unless_stopped(struct pollfd *fds, nfds_t n)
{
	wait_for_files(fds, n, NULL);
}

void wait_unless_stopped_ms(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec limit = { ms / 1000, ms % 1000 * 1000000L };

	wait_for_files(fds, n, &limit);
}
