// SPDX-License-Identifier: GPL-2.0-only
/* ticks.c: the timer that ends a call which blocks, at the next tick or some ticks later */
#include <signal.h>
#include <sys/time.h>

#include "fuzz.h"

/* As long as restarts is not 0, SA_RESTART is set: a tick restarts the call. */
static volatile sig_atomic_t restarts;

/* What happens while set_restarts() is between its two changes, or NULL */
static void (*meanwhile)(void);

static void ticked(int signal)
{
	if (restarts > 0 && !--restarts)
		sigaction(signal, &(struct sigaction){ .sa_handler = ticked },
			  NULL);
}

/* Ends a call of another thread. It is no tick: SA_RESTART belongs to SIGALRM. */
static void woken(int signal)
{
	(void)signal;
}

static void hold_ticks(int how)
{
	sigset_t ticks;

	sigemptyset(&ticks);
	sigaddset(&ticks, SIGALRM);
	sigaddset(&ticks, SIGUSR1);
	sigprocmask(how, &ticks, NULL);
}

/*
 * The signals are blocked. Ticks between the two would take all restarts, and SA_RESTART
 * would stay for ever: a read of a quiet channel would not end.
 */
static void set_restarts(unsigned int n)
{
	struct sigaction action = { .sa_handler = ticked, .sa_flags = SA_RESTART };

	hold_ticks(SIG_BLOCK);
	restarts = n;
	if (meanwhile)
		meanwhile();
	result(sigaction(SIGALRM, &action, NULL));
	hold_ticks(SIG_UNBLOCK);
}

static void do_restart(void)
{
	set_restarts(2 + dice(4));
}

void init_ticks(void)
{
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = ticked }, NULL);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = woken }, NULL);
}

void start_ticks(void)
{
	struct itimerval tick = { { 0, 20000 }, { 0, 20000 } };

	ASSERT_TRUE(!setitimer(ITIMER_REAL, &tick, NULL));
}

static void tick_often(void)
{
	unsigned int n = 3;

	while (n--)
		raise(chance(2) ? SIGUSR1 : SIGALRM);
}

static void check_restarts(void)
{
	struct sigaction action;

	hold_ticks(SIG_BLOCK);
	sigaction(SIGALRM, NULL, &action);
	holds(!(action.sa_flags & SA_RESTART) == !restarts, action.sa_flags, restarts);
	hold_ticks(SIG_UNBLOCK);
}

/* However many ticks and other signals come in, SA_RESTART ends with the last restart. */
static void do_tick_between(void)
{
	init_ticks();
	meanwhile = tick_often;
	set_restarts(1 + dice(4));
	check_restarts();
	tick_often();
	check_restarts();
	succeed();
}

const struct op tick_ops[] = {
	{ "restart", do_restart, 3, 1, MEMBER },
	{}
};

static const struct op between_ops[] = {
	{ "tick-between", do_tick_between, 1, 20, MEMBER },
	{}
};

static const struct op *const tables[] = { between_ops, NULL };

static enum role role_of(unsigned int p)
{
	(void)p;
	return MEMBER;
}

const struct scenario ticks_scenario = {
	.name = "ticks",
	.seconds = 1,
	.n_processes = 1,
	.tables = tables,
	.role_of = role_of,
};
