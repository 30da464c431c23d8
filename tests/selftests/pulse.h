/* SPDX-License-Identifier: GPL-2.0-only */
/* pulse.h: orders to a digital-to-time converter, and the times that a TDC measures */
#ifndef PULSE_H
#define PULSE_H

#include "node.h"

static inline long long now_ns(void)
{
	return now_by(CLOCK_REALTIME);
}

static inline struct zio_control make_order(long long ns)
{
	return (struct zio_control) {
		.major_version = ZIO_MAJOR_VERSION,
		.tstamp = { .secs = ns / NSEC, .ticks = ns % NSEC },
	};
}

/* Order a pulse at this time; 0: at once */
static inline void order_pulse(int fd, long long ns)
{
	struct zio_control ctrl = make_order(ns);

	ASSERT_EQ(write(fd, &ctrl, sizeof(ctrl)), sizeof(ctrl));
}

/* The time of the next pulse that the input hears. It is not in the future. */
static inline long long read_pulse(int fd)
{
	struct zio_control ctrl = read_control(fd);

	ASSERT_EQ(ctrl.nsamples, 0);
	ASSERT_EQ(ctrl.ssize, 0);
	ASSERT_EQ(ctrl.zio_alarms, 0);
	ASSERT_EQ(ctrl.drv_alarms, 0);
	ASSERT_TRUE(time_of(&ctrl) <= now_ns());
	return time_of(&ctrl);
}

/* How late pulses were, in ns. */
struct lateness {
	long long n, least, sum, most;
};

static inline void add_lateness(struct lateness *lateness, long long ns)
{
	if (!lateness->n || ns < lateness->least)
		lateness->least = ns;
	if (ns > lateness->most)
		lateness->most = ns;
	lateness->sum += ns;
	lateness->n++;
}

/*
 * Order @n pulses that are @gap_ms apart. Each is heard, or counted in the file
 * @refused, and none is early.
 */
static inline struct lateness
run_pulses(const char *out_node, const char *in_node, long long n, long long gap_ms,
	   const char *refused)
{
	long long gap = gap_ms * 1000000, first = now_ns() + NSEC / 2;
	unsigned long refused_before = read_number(refused);
	int in = open_node(in_node, "ctrl", O_RDONLY), out;
	struct lateness lateness = { 0 };
	long long i, turn, last = -1, at;

	if (!fork_child()) {
		out = open_node(out_node, "ctrl", O_WRONLY);
		for (i = 0; i < n; i++)
			order_pulse(out, first + i * gap);
		_exit(0);
	}
	while (lateness.n + (long long)(read_number(refused) - refused_before) < n) {
		if (!poll_events(in, POLLIN, 50))
			continue;
		at = read_pulse(in);
		ASSERT_TRUE(at >= first);
		turn = (at - first) / gap;
		ASSERT_TRUE(turn > last || turn >= n);
		last = turn;
		add_lateness(&lateness, (at - first) % gap);
	}
	wait_children(1);
	ASSERT_TRUE(lateness.n);
	close(in);
	return lateness;
}

#endif /* PULSE_H */
