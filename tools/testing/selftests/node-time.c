// SPDX-License-Identifier: GPL-2.0-only
/* node-time.c: orders to a digital-to-time converter, and what a TDC says */
#include <time.h>

#include "node.h"

#define NSEC	1000000000ll

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NSEC + now.tv_nsec;
}

static struct zio_control make_order(long long ns)
{
	return (struct zio_control) {
		.major_version = ZIO_MAJOR_VERSION,
		.tstamp = { .secs = ns / NSEC, .ticks = ns % NSEC },
	};
}

static void order(int fd, long long ns)
{
	struct zio_control ctrl = make_order(ns);

	same(write(fd, &ctrl, sizeof(ctrl)), sizeof(ctrl));
}

static long long time_of(const struct zio_control *ctrl)
{
	return ctrl->tstamp.secs * NSEC + ctrl->tstamp.ticks;
}

/* What is heard is of no size, and is not of the future. */
static long long read_time(int fd)
{
	struct zio_control ctrl = read_control(fd);

	same(ctrl.nsamples, 0);
	same(ctrl.ssize, 0);
	same(ctrl.zio_alarms, 0);
	same(ctrl.drv_alarms, 0);
	want(time_of(&ctrl) <= now_ns());
	return time_of(&ctrl);
}

/*
 * pulses OUT IN N GAP_MS REFUSED: each order is heard, or counted in the file
 * REFUSED; none is early. Prints how late they were.
 */
static void do_pulses(char **arg)
{
	long long n = strtoll(arg[2], NULL, 0), i, turn, last = -1, heard = 0;
	long long gap = strtoll(arg[3], NULL, 0) * 1000000, first, at, late;
	long long sum = 0, most = 0, least = gap;
	unsigned long refused = read_number(arg[4]);
	int in = open_node(arg[1], "ctrl", O_RDONLY), out;
	struct pollfd pfd = { in, POLLIN, 0 };

	first = now_ns() + NSEC / 2;
	if (!fork()) {
		out = open_node(arg[0], "ctrl", O_WRONLY);
		for (i = 0; i < n; i++)
			order(out, first + i * gap);
		_exit(0);
	}
	while (heard + (long long)(read_number(arg[4]) - refused) < n) {
		if (poll(&pfd, 1, 50) != 1)
			continue;
		at = read_time(in);
		want(at >= first);
		turn = (at - first) / gap;
		want(turn > last || turn >= n);
		last = turn;
		late = (at - first) % gap;
		sum += late;
		most = late > most ? late : most;
		least = late < least ? late : least;
		heard++;
	}
	wait_children(1);
	want(heard);
	printf("%lld of %lld pulses, late by %lld / %lld / %lld ns\n", heard, n,
	       least, sum / heard, most);
}

/* order OUT MS: one pulse in so many milliseconds; "now" has no time */
static void do_order(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_WRONLY);

	if (!strcmp(arg[1], "now"))
		order(fd, 0);
	else
		order(fd, now_ns() + strtoll(arg[1], NULL, 0) * 1000000);
}

/* odd OUT: a second of more than 10^9 ticks */
static void do_odd(char **arg)
{
	struct zio_control ctrl = make_order(now_ns() + NSEC);

	ctrl.tstamp.ticks = NSEC;
	same(write(open_node(arg[0], "ctrl", O_WRONLY), &ctrl, sizeof(ctrl)),
	     sizeof(ctrl));
}

/* refused OUT: what is no order */
static void do_refused(char **arg)
{
	struct zio_control ctrl = make_order(now_ns());
	struct pair out = open_pair(arg[0], O_WRONLY);

	fails(write(out.data, "x", 1), EOPNOTSUPP);
	same(write(out.data, "", 0), 0);
	fails(write(out.ctrl, &ctrl, sizeof(ctrl) - 1), EINVAL);
	ctrl.nsamples = 1;
	fails(write(out.ctrl, &ctrl, sizeof(ctrl)), EMSGSIZE);
	ctrl.nsamples = 0;
	ctrl.ssize = 1;
	fails(write(out.ctrl, &ctrl, sizeof(ctrl)), EINVAL);
	ctrl.ssize = 0;
	ctrl.major_version = 9;
	fails(write(out.ctrl, &ctrl, sizeof(ctrl)), EPROTO);
}

/* times IN N: prints N sequence numbers, and alarms; times never go back */
static void do_times(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_RDONLY);
	unsigned int n = strtoul(arg[1], NULL, 0);
	struct zio_control ctrl;
	long long last = 0;

	while (n--) {
		ctrl = read_control(fd);
		same(ctrl.nsamples, 0);
		want(time_of(&ctrl) >= last);
		last = time_of(&ctrl);
		want(last <= now_ns());
		printf("%u:%x:%x ", ctrl.seq_num, ctrl.zio_alarms,
		       ctrl.drv_alarms);
	}
}

/* now: prints the time, for "after" */
static void do_now(char **arg)
{
	(void)arg;
	printf("%lld\n", now_ns());
}

/* after IN N TIME: the blocks have times of after TIME, and not of when they were armed */
static void do_after(char **arg)
{
	int fd = open_node(arg[0], "ctrl", O_RDONLY);
	unsigned int n = strtoul(arg[1], NULL, 0);
	long long since = strtoll(arg[2], NULL, 0), at;
	struct zio_control ctrl;

	while (n--) {
		ctrl = read_control(fd);
		at = time_of(&ctrl);
		want(at >= since);
		want(at <= now_ns());
	}
}

/* drain PREFIX: reads what is queued */
static void do_drain(char **arg)
{
	int fd = open_node(arg[0], "data", O_RDONLY | O_NONBLOCK);
	static char buf[1 << 16];

	while (read(fd, buf, sizeof(buf)) >= 0)
		;
	same(errno, EAGAIN);
}

static const struct command commands[] = {
	{ "drain", 1, do_drain },
	{ "pulses", 5, do_pulses },
	{ "order", 2, do_order },
	{ "odd", 1, do_odd },
	{ "refused", 1, do_refused },
	{ "times", 2, do_times },
	{ "now", 0, do_now },
	{ "after", 3, do_after },
	{ }
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 60);
}
