// SPDX-License-Identifier: GPL-2.0-only
/* Signals that end a program at a place of its own choice */
#include <math.h>
#include <signal.h>

#include "program.h"
#include "stop.h"

static volatile sig_atomic_t caught;
static volatile sig_atomic_t n_caught;
static sigset_t stops;
static sigset_t outside;	/* the signal mask during waits */

static void on_stop(int sig)
{
	caught = sig;
	n_caught++;
}

static void catch_stop(int sig, int flags)
{
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = flags };

	sigprocmask(SIG_BLOCK, NULL, &outside);
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
int wait_unless_stopped(struct pollfd *fds, nfds_t n, double seconds)
{
	double left = fmin(fmax(seconds, 0), FOREVER);
	struct timespec limit = { (time_t)left, (long)(fmod(left, 1) * 1e9) };
	static int ended;	/* signals that have ended a wait */
	sigset_t old;
	int ret = -1;

	sigprocmask(SIG_BLOCK, &stops, &old);
	if (ended == n_caught)
		ret = ppoll(fds, n, &limit, &outside);
	ended = n_caught;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

void sleep_until(double end)
{
	while (!caught && seconds_now() < end)
		wait_unless_stopped(NULL, 0, end - seconds_now());
}
