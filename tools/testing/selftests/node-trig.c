// SPDX-License-Identifier: GPL-2.0-only
/* node-trig.c: what triggers.sh cannot do in the shell: clocks, common events, sniffing */
#include <sched.h>
#include <sys/ioctl.h>
#include <time.h>

#include "node.h"

#define NS	1000000000ull

static uint64_t time_of(const struct zio_control *ctrl)
{
	return ctrl->tstamp.secs * NS + ctrl->tstamp.ticks;
}

static uint64_t now_by(clockid_t clock)
{
	struct timespec ts;

	want(!clock_gettime(clock, &ts));
	return ts.tv_sec * NS + ts.tv_nsec;
}

static clockid_t clock_named(const char *name)
{
	if (!strcmp(name, "realtime"))
		return CLOCK_REALTIME;
	if (!strcmp(name, "tai"))
		return CLOCK_TAI;
	if (!strcmp(name, "monotonic"))
		return CLOCK_MONOTONIC;
	want(!strcmp(name, "boottime"));
	return CLOCK_BOOTTIME;
}

/* clock NODE NAME: a new block's time is of that clock, and says so */
static void do_clock(char **arg)
{
	clockid_t clock = clock_named(arg[1]);
	int fd = open_file(arg[0], O_RDONLY);
	uint64_t before = now_by(clock), after;
	struct zio_control ctrl;

	/* What was queued before is not asked about. */
	do {
		ctrl = read_control(fd);
		after = now_by(clock);
	} while (ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK] !=
		 (uint32_t)clock || time_of(&ctrl) < before);
	want(time_of(&ctrl) <= after);
	want(ctrl.attr_trigger.ext_mask & (1u << ZIO_ATTR_TRIG_EXT_CLOCK));
	want(!ctrl.tstamp.bins);
	close(fd);
}

static void __attribute__((noreturn)) change_clocks(const char *file)
{
	for (;;) {
		write_text(file, "monotonic");
		write_text(file, "realtime");
	}
}

/*
 * clocks NODE FILE SECONDS: while the clock in FILE changes, each block has the time by
 * the clock that it tells; that of the day is far ahead of the other one
 */
static void do_clocks(char **arg)
{
	uint64_t end = now_by(CLOCK_MONOTONIC) + atoi(arg[2]) * NS;
	unsigned int told[2] = { 0, 0 };
	pid_t child = fork();

	if (!child)
		change_clocks(arg[1]);
	int fd = open_file(arg[0], O_RDONLY);

	while (!told[0] || !told[1] || now_by(CLOCK_MONOTONIC) < end) {
		struct zio_control ctrl = read_control(fd);
		uint32_t clock = ctrl.attr_trigger.ext_val[ZIO_ATTR_TRIG_EXT_CLOCK];

		want(clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
		if ((ctrl.tstamp.secs > 1000000000) != (clock == CLOCK_REALTIME))
			fail("%llu s by clock %u",
			     (unsigned long long)ctrl.tstamp.secs, clock);
		told[clock]++;
	}
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* number NODE INDEX: what the trigger says of itself, 64 bits from ext[INDEX] on */
static void do_number(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY), i = atoi(arg[1]);
	struct zio_control ctrl = read_control(fd);
	struct zio_ctrl_attr *attr = &ctrl.attr_trigger;

	want((attr->ext_mask >> i & 3) == 3);
	printf("%llu %s\n", attr->ext_val[i] |
	       (unsigned long long)attr->ext_val[i + 1] << 32, ctrl.triggername);
	close(fd);
}

/* events NODE NODE N: the controls of two channels tell the same times */
static void do_events(char **arg)
{
	int a = open_file(arg[0], O_RDONLY), b = open_file(arg[1], O_RDONLY);
	struct zio_control ca = read_control(a), cb = read_control(b);
	int n = atoi(arg[2]), common = 0;

	while (common < n) {
		if (time_of(&ca) < time_of(&cb)) {
			ca = read_control(a);
		} else if (time_of(&ca) > time_of(&cb)) {
			cb = read_control(b);
		} else {
			common++;
			ca = read_control(a);
			cb = read_control(b);
		}
	}
	close(a);
	close(b);
}

/* later NODE NS: the first block's time is that or later; prints by how much */
static void do_later(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY);
	uint64_t start = strtoull(arg[1], NULL, 0);
	struct zio_control ctrl = read_control(fd);

	want(time_of(&ctrl) >= start);
	printf("%llu\n", (unsigned long long)(time_of(&ctrl) - start));
	close(fd);
}

/* set-back NODE SECONDS: blocks go on to come when the clock is set back */
static void do_set_back(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY), i, back = atoi(arg[1]);
	struct zio_control ctrl;
	struct timespec ts;
	uint64_t before;

	ctrl = read_control(fd);
	want(!clock_gettime(CLOCK_REALTIME, &ts));
	before = ts.tv_sec * NS;
	ts.tv_sec -= back;
	want(!clock_settime(CLOCK_REALTIME, &ts));
	for (i = 0; i < 100; i++) {
		ctrl = read_control(fd);
		if (time_of(&ctrl) < before)
			break;
	}
	want(i < 100);
	ts.tv_sec += back;
	want(!clock_settime(CLOCK_REALTIME, &ts));
	do {
		ctrl = read_control(fd);
	} while (time_of(&ctrl) < before);
	close(fd);
}

/* sniff NODE N: reads N blocks of a channel; the sniffer has seen each control */
static void do_sniff(char **arg)
{
	int sniffer = open_file("/dev/zio/sniff-ctrl", O_RDONLY | O_NONBLOCK);
	int fd = open_file(arg[0], O_RDONLY), n = atoi(arg[1]), i;
	struct pollfd pfd = { .fd = sniffer, .events = POLLIN };
	struct zio_control mine, seen;

	same(poll(&pfd, 1, 0), 0);
	fails(read(sniffer, &seen, sizeof(seen)), EAGAIN);
	fails(read(sniffer, &seen, sizeof(seen) - 1), EINVAL);
	for (i = 0; i < n; i++) {
		mine = read_control(fd);
		same(poll(&pfd, 1, 0), 1);
		do {
			seen = read_control(sniffer);
		} while (seen.addr.chan != mine.addr.chan);
		want(!memcmp(&seen, &mine, sizeof(seen)));
	}
	close(fd);
	close(sniffer);
}

/* Of one channel of three: what is seen, and what is missing, adds up. */
static unsigned int drain_sniffer(int sniffer, unsigned int *marked)
{
	struct zio_control ctrl[16];
	unsigned int n = 0;
	ssize_t got, i;

	while ((got = read(sniffer, ctrl, sizeof(ctrl))) > 0) {
		want(!(got % sizeof(*ctrl)));
		for (i = 0; i < got / (ssize_t)sizeof(*ctrl); i++, n++)
			*marked += !!(ctrl[i].zio_alarms & ZIO_ALARM_LOST_SNIFF);
	}
	want(errno == EAGAIN);
	return n;
}

/* sniff-lost NODE N: a slow sniffer costs nothing, and is told what it missed */
static void do_sniff_lost(char **arg)
{
	int slow = open_file("/dev/zio/sniff-ctrl", O_RDONLY | O_NONBLOCK);
	int fd = open_file(arg[0], O_RDONLY), n = atoi(arg[1]), i;
	unsigned int marked = 0, seen;
	uint32_t seq = 0;

	for (i = 0; i < n; i++) {
		struct zio_control ctrl = read_control(fd);

		if (i)
			same(ctrl.seq_num, seq + 1);
		want(!(ctrl.zio_alarms & ZIO_ALARM_LOST_SNIFF));
		seq = ctrl.seq_num;
	}
	seen = drain_sniffer(slow, &marked);
	want(seen < (unsigned int)n);
	same(marked, 1);
	close(fd);
	close(slow);
}

/* Each of those who sniff sees all; they come and go meanwhile. */
static void sniff_along(int n)
{
	struct zio_control ctrl;
	int fd = open_file("/dev/zio/sniff-ctrl", O_RDONLY);

	while (n--)
		ctrl = read_control(fd);
	want(ctrl.major_version == ZIO_MAJOR_VERSION);
	close(fd);
}

/* sniffers NODE N: several at a time, opened and closed under load */
static void do_sniffers(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY | O_NONBLOCK), n = atoi(arg[1]);
	struct zio_control ctrl;
	int i, status, left = 4;

	for (i = 0; i < left; i++) {
		if (fork())
			continue;
		for (; n > 0; n -= 7)
			sniff_along(7);
		_exit(0);
	}
	while (left) {
		want(read(fd, &ctrl, sizeof(ctrl)) == sizeof(ctrl) ||
		     errno == EAGAIN);
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		want(WIFEXITED(status) && !WEXITSTATUS(status));
		left--;
	}
	close(fd);
}

/* sync NODE: an fsync comes back when all has been played, a part block too */
static void do_sync(char **arg)
{
	int fd = open_node(arg[0], "data", O_WRONLY);
	char sample[40] = { 0 };

	want(!fsync(fd));
	same(write(fd, sample, sizeof(sample)), sizeof(sample));
	want(!fsync(fd));
	printf("%lu\n", read_number(arg[1]));
	close(fd);
}

/* sync-signal NODE: a signal ends the wait for what is never played */
static void ignore(int signal)
{
	(void)signal;
}

static void do_sync_signal(char **arg)
{
	struct sigaction action = { .sa_handler = ignore };
	int fd = open_node(arg[0], "data", O_WRONLY);
	char sample[16] = { 0 };
	pid_t child;

	sigaction(SIGUSR1, &action, NULL);
	same(write(fd, sample, sizeof(sample)), sizeof(sample));
	child = fork();
	if (!child) {
		for (;;) {
			kill(getppid(), SIGUSR1);
			usleep(10000);
		}
	}
	fails(fsync(fd), EINTR);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);
}

/* frames NODE N: interleaved 16-bit sawtooth of N channels, by mask in the control */
static void do_frames(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	unsigned int n = atoi(arg[1]), i, bytes;
	uint16_t sample[4096];
	uint64_t mask;

	want(ctrl.flags & ZIO_CONTROL_INTERLEAVE_DATA);
	same(ctrl.tlv[0].type, ZIO_TLV_CHANNELS);
	same(ctrl.tlv[0].length, 1);
	memcpy(&mask, ctrl.tlv[0].payload, sizeof(mask));
	same(__builtin_popcountll(mask), n);
	bytes = ctrl.nsamples * ctrl.ssize;
	same(read(pair.data, sample, sizeof(sample)), bytes);
	same(ctrl.nsamples % n, 0);
	for (i = n; i < ctrl.nsamples; i++)
		same(sample[i], (uint16_t)(sample[i - n] + 1));
	printf("%#llx %u\n", (unsigned long long)mask, ctrl.nsamples);
	close_pair(pair);
}

/* read-error NODE ERRNO: the next read fails like that */
static void do_read_error(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY);
	char sample[16];

	same(read(fd, sample, sizeof(sample)), -1);
	if (strcmp(strerrorname_np(errno), arg[1]))
		fail("%s, not %s", strerrorname_np(errno), arg[1]);
	close(fd);
}

static void write_to_set(const char *device, int set, const char *file,
			 const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cset%d/%s", device, set, file);
	write_text(path, text);
}

struct load {
	const char *device, *type, *file, *period;
	int sets;
};

static void switch_load(const struct load *load, int on)
{
	int i;

	for (i = 0; i < load->sets; i++)
		write_to_set(load->device, i, "current_trigger",
			     on ? load->type : "user");
	for (i = 0; on && i < load->sets; i++)
		write_to_set(load->device, i, load->file, load->period);
}

/* How long it takes to look at the clock so many times. */
static uint64_t time_work(unsigned long rounds)
{
	uint64_t start = now_by(CLOCK_MONOTONIC);

	while (rounds--)
		now_by(CLOCK_MONOTONIC);
	return now_by(CLOCK_MONOTONIC) - start;
}

static unsigned long rounds_in(uint64_t ns)
{
	uint64_t start = now_by(CLOCK_MONOTONIC);
	unsigned long rounds = 0;

	while (now_by(CLOCK_MONOTONIC) < start + ns)
		rounds++;
	return rounds;
}

/*
 * share DEVICE SETS TYPE FILE PERIOD: a program on the processor that serves the
 * triggers of these sets, which cannot keep that period, takes twice as long or
 * so; how long, is printed
 *
 * The same work is done in turns with the triggers and without them. So what else
 * the machine has to do slows down both.
 */
static void do_share(char **arg)
{
	struct load load = { arg[0], arg[2], arg[3], arg[4], atoi(arg[1]) };
	uint64_t alone = 0, shared = 0;
	unsigned long rounds;
	cpu_set_t first;
	int turn;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	want(!sched_setaffinity(0, sizeof(first), &first));
	rounds = rounds_in(NS / 10);
	for (turn = 0; turn < 6; turn++) {
		alone += time_work(rounds);
		switch_load(&load, 1);
		shared += time_work(rounds);
		switch_load(&load, 0);
	}
	printf("%llu.%llu\n", (unsigned long long)(shared / alone),
	       (unsigned long long)(shared * 10 / alone % 10));
	want(shared < 4 * alone);
}

static const struct command commands[] = {
	{ "clock", 2, do_clock },
	{ "clocks", 3, do_clocks },
	{ "number", 2, do_number },
	{ "events", 3, do_events },
	{ "later", 2, do_later },
	{ "set-back", 2, do_set_back },
	{ "sniff", 2, do_sniff },
	{ "sniff-lost", 2, do_sniff_lost },
	{ "sniffers", 2, do_sniffers },
	{ "sync", 2, do_sync },
	{ "sync-signal", 1, do_sync_signal },
	{ "frames", 2, do_frames },
	{ "read-error", 2, do_read_error },
	{ "share", 5, do_share },
	{}
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 120);
}
