// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench jitter: how late events come on a machine that is not kept busy
 *
 *   method=NAME    what makes the events: see methods[]
 *   period=NS      between two events (1000000)
 *   phase=NS       events are due at phase + n * period (0)
 *   events=N       how many (100000)
 *
 * The program sleeps between two looks at the blocks. So the processor is idle, or runs
 * the other programs that there are. Due times are of CLOCK_REALTIME.
 *
 * The program prints how many events were so late, for each lateness in ns, to three
 * digits. The last line has the ticks that had no event of their own: an event before
 * was too late. The lateness of the next event does not show them.
 */
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <linux/zio-user.h>

#include "baretimer.h"
#include "bench.h"
#include "zio.h"

#define RUN_IN		64	/* events that do not count */
#define LOOK_PERIODS	64	/* between two looks at the blocks */
#define LEAD_NS		50000000	/* before the first tick */
#define PAUSE_NS	20000000
#define DRAIN_PRIORITY	2
#define SLEEP_PRIORITY	80	/* as that of cyclictest */

struct jitter {
	uint64_t period;		/* ns */
	uint64_t phase;			/* ns */
	uint64_t first;			/* the first tick */
	uint64_t events;		/* with those of the run-in */
	uint64_t *stamps;
};

/* Return: the first tick after the time @ns. */
static uint64_t tick_after(const struct jitter *j, uint64_t ns)
{
	return ns - (ns - j->phase) % j->period + j->period;
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = { ns / NS_PER_S, ns % NS_PER_S };
	int err = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL);

	if (err)
		die("clock_nanosleep: %s", strerror(err));
}

static void choose_first(struct jitter *j)
{
	j->first = tick_after(j, clock_ns(CLOCK_REALTIME) + LEAD_NS);
}

static void run_before_others(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO: %s", strerror(errno));
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall: %s", strerror(errno));
}

/* hrt: the time stamps of blocks of zzero-0000, whose trigger is an hrt */

static uint64_t stamp_of(const struct zio_control *ctrl)
{
	return ctrl->tstamp.secs * NS_PER_S + ctrl->tstamp.ticks;
}

/* Takes the blocks that are there. Return: the stamps so far. */
static uint64_t take_stamps(struct zio_channel *ch, struct jitter *j, uint64_t n)
{
	struct zio_block block;

	while (n < j->events && zio_next(ch, &block) == 1) {
		if (block.lost)
			die("the buffer is too small: %u blocks are lost", block.lost);
		j->stamps[n++] = stamp_of(block.control);
	}
	if (n < j->events && errno != EAGAIN)
		die("%s", zio_reason(ch));
	return n;
}

/* The trigger has had another period before. */
static void discard_blocks(const char *trigger, struct zio_channel *ch)
{
	struct zio_block block;

	write_number(trigger, "start-ns", clock_ns(CLOCK_REALTIME) + DAY_NS);
	while (zio_next(ch, &block) == 1)
		;
}

static void take_hrt(struct jitter *j)
{
	const char *trigger = "/sys/bus/zio/devices/zzero-0000/cset0/trigger";
	struct zio_error error;
	struct zio_channel *ch = zio_open("zzero-0000-0-0",
					  ZIO_OPEN_NONBLOCK | ZIO_OPEN_RING, &error);
	uint64_t look, n = 0;

	if (!ch)
		die("%s", error.text);
	run_before_others(DRAIN_PRIORITY);
	discard_blocks(trigger, ch);
	choose_first(j);
	start_hrt_at(trigger, j->first, j->period, j->phase, j->events);
	/* Looks are between two ticks, so that they do not delay one. */
	for (look = j->first - j->period / 4; n < j->events;) {
		look += LOOK_PERIODS * j->period;
		sleep_until(look);
		n = take_stamps(ch, j, n);
	}
	zio_close(ch);
}

/* bare: a timer of the kernel that stores the time */

static void take_bare(struct jitter *j)
{
	struct baretimer_request request = { .period = j->period, .count = j->events };
	int fd = open_path(O_RDWR, "/dev/zio-baretimer");
	size_t size = j->events * sizeof(*j->stamps), done = 0;
	ssize_t n;

	run_before_others(DRAIN_PRIORITY);
	choose_first(j);
	request.first = j->first;
	if (write(fd, &request, sizeof(request)) != sizeof(request))
		die("/dev/zio-baretimer: %s", strerror(errno));
	sleep_until(j->first + j->events * j->period);
	while (done < size) {
		n = read(fd, (char *)j->stamps + done, size - done);
		if (n > 0)
			done += n;
		else if (n == 0 || errno != EAGAIN)
			die("/dev/zio-baretimer: %s", n ? strerror(errno) : "too short");
		else
			sleep_until(clock_ns(CLOCK_REALTIME) + PAUSE_NS);
	}
	close(fd);
}

/* sleep: a program that sleeps until each tick, as cyclictest does */

static void sleep_and_stamp(struct jitter *j)
{
	uint64_t n, tick;

	choose_first(j);
	tick = j->first;
	for (n = 0; n < j->events; n++) {
		sleep_until(tick);
		j->stamps[n] = clock_ns(CLOCK_REALTIME);
		tick = tick_after(j, j->stamps[n]);
	}
}

static void take_sleep(struct jitter *j)
{
	run_before_others(SLEEP_PRIORITY);
	sleep_and_stamp(j);
}

/* normal: the same with the priority and the timer slack that QEMU has */
static void take_normal(struct jitter *j)
{
	if (prctl(PR_SET_TIMERSLACK, 1))
		die("timer slack: %s", strerror(errno));
	sleep_and_stamp(j);
}

static const struct method {
	const char *name;
	void (*take)(struct jitter *j);
} methods[] = {
	{ "hrt", take_hrt },
	{ "bare", take_bare },
	{ "sleep", take_sleep },
	{ "normal", take_normal },
};

/* Return: @ns to three digits. */
static int64_t round_ns(int64_t ns)
{
	int64_t unit = 1;

	while (ns / unit >= 1000 || ns / unit <= -1000)
		unit *= 10;
	return (ns + (ns < 0 ? -unit : unit) / 2) / unit * unit;
}

/* Replaces the stamps by their lateness, in order. Return: the ticks without an event. */
static uint64_t make_lateness(struct jitter *j)
{
	uint64_t i, due = j->first, next, missed = 0;

	for (i = 0; i < j->events; i++) {
		next = tick_after(j, j->stamps[i]);
		if (next <= due)
			next = due + j->period;
		if (i >= RUN_IN)
			missed += (next - due) / j->period - 1;
		j->stamps[i] -= due;
		due = next;
	}
	qsort(j->stamps + RUN_IN, j->events - RUN_IN, sizeof(*j->stamps), compare_ns);
	return missed;
}

static void print_histogram(const struct jitter *j, uint64_t missed)
{
	const int64_t *late = (const int64_t *)j->stamps;
	uint64_t i, same = 0;

	for (i = RUN_IN; i < j->events; i++) {
		same++;
		if (i + 1 < j->events && round_ns(late[i + 1]) == round_ns(late[i]))
			continue;
		PRINT_NUMBERS({ "late_ns", round_ns(late[i]) }, { "events", same });
		same = 0;
	}
	PRINT_NUMBERS({ "missed", missed });
}

void main_jitter(char **argv)
{
	const struct method *method = TAKE_ENTRY(argv, "method", methods);
	struct jitter j = { 0 };

	j.period = take_count(argv, "period", 1000000);
	j.phase = take_number(argv, "phase", 0);
	j.events = take_count(argv, "events", 100000) + RUN_IN;
	expect_words(argv, 0);
	if (j.phase >= j.period)
		die("phase: %llu is not less than the period", (unsigned long long)j.phase);
	j.stamps = calloc(j.events, sizeof(*j.stamps));
	if (!j.stamps)
		die("no memory for %llu events", (unsigned long long)j.events);
	method->take(&j);
	print_histogram(&j, make_lateness(&j));
}
