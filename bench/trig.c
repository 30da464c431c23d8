// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-bench trig: what an event costs, how many come in a second, and when
 *
 *   task=NAME      what to measure: see tasks[]
 *   trigger=DIR    of the trigger that all sets share; otherwise each has its own
 *   source=NAME    where events come from: see sources[]
 *   use=NAME       what becomes of the blocks: see uses[]
 *   first=N        number of the first device, zzero-N (0)
 *   count=N        devices (1)
 *   period=NS      of a rate: nothing is lost with it (100000)
 *   events=N       how many (1000)
 *   spread=1       own triggers: one after the other in the period
 *   time=MS        of one trial of a rate (40)
 *   bytes=N        of a block (16)
 *   burst=N        of a rate: events at each tick of hrt (1)
 *   shots=N        of a rate: blocks that an event arms (1)
 *
 * This program is busy all the time. What an event costs is the time that the program
 * loses: the time of so many turns with events, less that without. Between two turns
 * the program reads the blocks, or leaves them.
 *
 * The program checks that so many events came, and that nothing was lost, or that all
 * was.
 */
#include <signal.h>
#include <sys/mman.h>

#include <linux/zio-user.h>
#include <zio.h>

#include "bench.h"

#define MAX_SETS	128
#define RUN_IN		64	/* events */
/* The slots of a ring get new attributes one by one: run through all of them. */
#define RING_RUN_IN	300

struct set {
	char name[32];			/* of the device */
	int data, ctrl;
	int lost_blocks, lost_triggers, fired;
	pid_t sleeper;
	bool drains_group;
	struct zio_ring_header *hdr;
	const struct zio_control *slot;
};

struct use;
struct source;

struct bench {
	const struct use *use;
	const struct source *source;
	const char *trigger;		/* a directory, or NULL: each set has its own */
	uint64_t period;		/* ns */
	uint64_t events;
	uint64_t time_ms;
	bool spread;
	uint64_t bytes;			/* of a block, at most BLOCK */
	uint64_t burst;			/* events of a tick */
	uint64_t shots;			/* blocks of an event */
	uint32_t next_shot;
	uint64_t spins;			/* turns of the empty loop in a pass */
	uint64_t got;			/* blocks */
	uint64_t first, n;
	unsigned int n_dirs;
	const char *dir[MAX_SETS];	/* of the triggers */
	struct set set[MAX_SETS];
	void (*see)(struct bench *b, const struct zio_control *ctrl);
};

/**
 * struct use - what becomes of the blocks
 * @name: its name
 * @store: the buffer has room for all blocks
 * @open: opens what @drain needs
 * @drain: takes the blocks that are there
 * @run_in: how many events do not count; 0: RUN_IN
 */
struct use {
	const char *name;
	bool store;
	void (*open)(struct set *s);
	void (*drain)(struct bench *b, struct set *s);
	uint64_t run_in;
};

static uint64_t run_in_of(const struct bench *b)
{
	return b->use->run_in ? b->use->run_in : RUN_IN;
}

/**
 * struct source - where the events come from
 * @name: its name
 * @start: has events come from the time @at on
 * @exact: the source makes as many events as it is told, at times that are known
 */
struct source {
	const char *name;
	void (*start)(struct bench *b, uint64_t at);
	bool exact;
};

/* Uses */

static void open_data(struct set *s)
{
	s->data = open_path(O_RDONLY | O_NONBLOCK, "/dev/zio/%s-0-0-data", s->name);
}

static void read_blocks(struct bench *b, struct set *s)
{
	uint8_t buf[BLOCK];
	ssize_t n;

	while ((n = read(s->data, buf, b->bytes)) == (ssize_t)b->bytes)
		b->got++;
	if (n >= 0 || errno != EAGAIN)
		die("%s: read gave %zd: %s", s->name, n, strerror(errno));
}

static void open_ring(struct set *s)
{
	s->ctrl = open_path(O_RDWR, "/dev/zio/%s-0-0-ctrl", s->name);
	s->hdr = map_file(s->ctrl, 0, PAGE, PROT_READ | PROT_WRITE);
	s->slot = map_file(s->ctrl, s->hdr->slots_offset,
			   (size_t)s->hdr->n_slots * s->hdr->slot_size, PROT_READ);
}

static void pass_ring(struct bench *b, struct set *s)
{
	uint32_t tail = s->hdr->tail, mask = s->hdr->n_slots - 1;

	while (__atomic_load_n(&s->hdr->head, __ATOMIC_ACQUIRE) != tail) {
		if (b->see)
			b->see(b, &s->slot[tail & mask]);
		__atomic_store_n(&s->hdr->tail, ++tail, __ATOMIC_RELEASE);
		b->got++;
	}
}

/* Starts a process that sleeps in read() until the next block is there. */
static void open_sleeper(struct set *s)
{
	uint8_t buf[BLOCK];
	int fd;

	s->sleeper = fork();
	if (s->sleeper < 0)
		die("fork: %s", strerror(errno));
	if (s->sleeper)
		return;
	fd = open_path(O_RDONLY, "/dev/zio/%s-0-0-data", s->name);
	while (read(fd, buf, BLOCK) == BLOCK)
		;
	_exit(1);
}

/* One group for all sets; the first set drains it. */
static struct zio_group *group;

static void open_member(struct set *s)
{
	struct zio_error err;
	struct zio_channel *ch;
	char name[48];

	s->drains_group = !group;
	if (!group)
		group = zio_group_open(0, NULL);
	snprintf(name, sizeof(name), "%s-0-0", s->name);
	ch = zio_open(name, ZIO_OPEN_RING, &err);
	if (!group || !ch || zio_group_add(group, ch) < 0)
		die("%s: %s", name, ch ? zio_group_reason(group) : err.text);
}

static void take_events(struct bench *b, struct set *s)
{
	struct zio_event ev;
	int ret;

	if (!s->drains_group)
		return;
	while ((ret = zio_group_next(group, &ev, 0)) > 0)
		b->got += ev.n_blocks;
	if (!ret || errno != EAGAIN)
		die("group: %s", zio_group_reason(group));
}

/* All channels of the set, by its ring; a whole event counts as one block. */
static void open_whole_set(struct set *s)
{
	struct zio_error err = { .text = "no memory" };
	char name[48];

	s->drains_group = true;
	group = zio_group_open(0, &err);
	snprintf(name, sizeof(name), "%s-0", s->name);
	if (!group || zio_group_add_set(group, name, &err) < 0)
		die("%s: %s", name, err.text);
}

static void take_whole_events(struct bench *b, struct set *s)
{
	struct zio_event ev;
	int ret;

	(void)s;
	while ((ret = zio_group_next(group, &ev, 0)) > 0)
		b->got += ev.n_blocks == ev.n_parts;
	if (!ret || errno != EAGAIN)
		die("group: %s", zio_group_reason(group));
}

/* Blocks that a process takes, which is asleep in zio_group_next() between two events */
static uint64_t *taken;

static void start_taker(struct set *s)
{
	struct zio_event ev;

	taken = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	s->sleeper = taken == MAP_FAILED ? -1 : fork();
	if (s->sleeper < 0)
		die("start a process: %s", strerror(errno));
	if (s->sleeper)
		return;
	while (zio_group_next(group, &ev, -1) > 0)
		__atomic_fetch_add(taken, ev.n_blocks, __ATOMIC_RELAXED);
	_exit(1);
}

static void count_taken(struct bench *b, struct set *s)
{
	if (!s->drains_group)
		return;
	if (!taken)
		start_taker(s);
	b->got += __atomic_exchange_n(taken, 0, __ATOMIC_RELAXED);
}

static const struct use uses[] = {
	/* No program reads, and the buffers are full. */
	{ .name = "full" },
	/* No program reads, and the buffers have room. */
	{ .name = "store", .store = true, .open = open_data },
	{ .name = "read", .open = open_data, .drain = read_blocks },
	{ .name = "ring", .open = open_ring, .drain = pass_ring,
	  .run_in = RING_RUN_IN },
	{ .name = "group", .open = open_member, .drain = take_events,
	  .run_in = RING_RUN_IN },
	{ .name = "set", .open = open_whole_set, .drain = take_whole_events,
	  .run_in = RING_RUN_IN },
	{ .name = "group-asleep", .open = open_member, .drain = count_taken,
	  .run_in = RING_RUN_IN },
	/* A process for each set is asleep in read(). */
	{ .name = "sleeper", .open = open_sleeper },
};

/* Sources */

static void start_hrt(struct bench *b, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < b->n_dirs; i++)
		start_hrt_at(b->dir[i], at, b->period,
			     b->spread ? b->period * i / b->n_dirs : 0,
			     b->events * b->burst);
}

static void start_timer(struct bench *b, uint64_t at)
{
	unsigned int i;

	/* A timer cannot be switched off: "no events" is the longest period. */
	for (i = 0; i < b->n_dirs; i++)
		write_number(b->dir[i], "period-ms",
			     at ? b->period / 1000000 : DAY_NS / 1000000);
}

static const struct source sources[] = {
	{ "hrt", start_hrt, true },
	{ "timer", start_timer, false },	/* without end */
};

static void drain_all(struct bench *b)
{
	unsigned int i;

	for (i = 0; b->use->drain && i < b->n; i++)
		b->use->drain(b, &b->set[i]);
}

/*
 * Counts what all sets have lost so far. To read a file takes longer than some periods:
 * so the program takes blocks between two files.
 */
static uint64_t count_lost(struct bench *b, uint64_t *triggers)
{
	uint64_t blocks = 0;
	unsigned int i;

	*triggers = 0;
	for (i = 0; i < b->n; i++) {
		blocks += read_number(b->set[i].lost_blocks);
		drain_all(b);
		*triggers += read_number(b->set[i].lost_triggers);
		drain_all(b);
	}
	return blocks;
}

static uint64_t time_passes(struct bench *b, uint64_t passes)
{
	uint64_t start = now_ns();

	while (passes--) {
		spin(b->spins);
		drain_all(b);
	}
	return now_ns() - start;
}

/* Time enough to write all the files of the triggers. */
static uint64_t lead_ns(const struct bench *b)
{
	return (2 + b->n_dirs) * 1000000ull;
}

static uint64_t count_fired(struct bench *b)
{
	return read_number(b->set[0].fired);
}

/* Has the events begin, and waits until those of the run-in have come. */
static void start_events(struct bench *b, uint64_t before)
{
	uint64_t run_in = b->use->run_in;

	b->events += run_in;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	b->events -= run_in;
	while (run_in && count_fired(b) - before < run_in)
		time_passes(b, 1);
}

static void stop(struct bench *b)
{
	b->source->start(b, b->source->exact ?
			 clock_ns(CLOCK_REALTIME) + DAY_NS : 0);
}

/* The passes in which all events come */
static uint64_t count_passes(const struct bench *b)
{
	return lead_ns(b) / (b->period * PERIODS_A_TURN) + b->events / PERIODS_A_TURN + 2;
}

/* Makes room in the buffers that are to have room. */
static void set_queue(struct bench *b, uint64_t len)
{
	char dir[128];
	unsigned int i;

	for (i = 0; b->use->store && i < b->n; i++) {
		snprintf(dir, sizeof(dir),
			 "/sys/bus/zio/devices/%s/cset0/chan0/buffer",
			 b->set[i].name);
		write_number(dir, "max-buffer-len", len);
	}
}

static void expect(const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		die("%s: %llu, not %llu", what, (unsigned long long)got,
		    (unsigned long long)wanted);
}

static void take_what_is_left(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		if (b->use->store)
			read_blocks(b, &b->set[i]);
	drain_all(b);
}

static void check_cost(struct bench *b, uint64_t events, uint64_t lost,
		       uint64_t lost_triggers)
{
	uint64_t triggers, blocks;

	take_what_is_left(b);
	blocks = count_lost(b, &triggers);
	expect("events lost", triggers, lost_triggers);
	expect("blocks lost", blocks - lost, b->use->open ? 0 : events * b->n);
	if (b->use->drain || b->use->store)
		expect("blocks", b->got, events * b->n);
}

/* Fills the buffers that are to be full, and loads all the code that is used. */
static void warm_up(struct bench *b)
{
	uint64_t events = b->events;

	b->events = run_in_of(b);
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	time_passes(b, count_passes(b));
	stop(b);
	take_what_is_left(b);
	b->events = events;
}

static void run_cost(struct bench *b)
{
	uint64_t base, ns, before, first, fired, lost, triggers;

	b->spins = spins_of(b->period * PERIODS_A_TURN);
	set_queue(b, b->events + 64);
	warm_up(b);
	base = time_passes(b, count_passes(b));
	lost = count_lost(b, &triggers);
	b->got = 0;
	before = count_fired(b);
	start_events(b, before);
	first = count_fired(b);
	ns = time_passes(b, count_passes(b));
	fired = count_fired(b) - first;
	stop(b);
	if (b->source->exact)
		expect("events", first + fired - before, b->events + b->use->run_in);
	/* A source without end may have made one more since. */
	check_cost(b, count_fired(b) - before, lost, triggers);
	set_queue(b, 16);
	PRINT_NUMBERS({ "blocks", fired }, { "ns", ns - base });
}

/* The highest rate */

/* Each arming has all its shots. */
static void check_shots(struct bench *b, const struct zio_control *ctrl)
{
	const struct zio_ctrl_attr *attr = &ctrl->attr_trigger;
	uint32_t shot = attr->std_val[ZIO_ATTR_TRIG_SHOT];

	if (attr->std_val[ZIO_ATTR_TRIG_N_SHOTS] != b->shots || shot != b->next_shot)
		die("block %u is shot %u", ctrl->seq_num, shot);
	b->next_shot = (shot + 1) % b->shots;
}

/* Waits for the blocks of so many ticks, at most until @end. */
static void drain_until(struct bench *b, uint64_t ticks, uint64_t end)
{
	uint64_t blocks = ticks * b->burst * b->shots * b->n;

	while (b->got < blocks && clock_ns(CLOCK_REALTIME) < end)
		drain_all(b);
}

/*
 * Returns how much was lost, or came too late. Losses of the first events do not
 * count: the period is new, and each block gets new attributes. A reader that has not
 * got these events when as many more are due is too slow.
 */
static int64_t try_period(void *arg, uint64_t period)
{
	struct bench *b = arg;
	const uint64_t run_in = run_in_of(b);
	uint64_t lost, triggers, lost_before, triggers_before, at, end, late;

	b->period = period;
	b->events = run_in + b->time_ms * 1000000ull / period / RUN_IN * RUN_IN;
	b->got = 0;
	at = clock_ns(CLOCK_REALTIME) + lead_ns(b);
	end = at + b->time_ms * 1250000ull + 2 * run_in * period;
	b->source->start(b, at);
	drain_until(b, run_in, end);
	late = clock_ns(CLOCK_REALTIME) > at + 2 * run_in * period;
	lost_before = count_lost(b, &triggers_before);
	drain_until(b, b->events, end);
	stop(b);
	drain_all(b);
	lost = count_lost(b, &triggers) - lost_before;
	return late + lost + triggers - triggers_before;
}

static void run_rate(struct bench *b)
{
	uint64_t good = b->period, period = 1000;

	if (b->shots > 1)
		b->see = check_shots;
	/* This trial uses every block of the buffers, so that the others find them warm. */
	if (try_period(b, period))
		period = find_period(try_period, b, good, period);
	PRINT_NUMBERS({ "blocks", 1 }, { "ns", period });
}

/* The times at which events come */

#define MAX_STAMPS	100000

static int64_t stamps[MAX_STAMPS];
static unsigned int n_stamps;

/* The time since the nearest tick; the clock and the ticks have the same zero. */
static void keep_stamp(struct bench *b, const struct zio_control *ctrl)
{
	uint64_t ns = ctrl->tstamp.secs * 1000000000ull + ctrl->tstamp.ticks;
	int64_t late = ns % b->period;

	if ((uint64_t)late > b->period / 2)
		late -= b->period;
	if (n_stamps < MAX_STAMPS)
		stamps[n_stamps++] = late;
}

/* The zero of the jiffies is not known: the earliest event is taken for it. */
static void shift_to_earliest(void)
{
	int64_t first = stamps[0];
	unsigned int i;

	for (i = 0; i < n_stamps; i++)
		stamps[i] -= first;
}

/* Prints one object for each bin that is not empty: its start in ns, and events. */
static void print_histogram(void)
{
	const int64_t bin = 100;
	unsigned int i, n = 0;
	int64_t low, at = 0;

	for (i = 0; i < n_stamps; i++, n++) {
		low = (stamps[i] - (stamps[i] < 0 ? bin - 1 : 0)) / bin * bin;
		if (n && low != at) {
			PRINT_NUMBERS({ "size", at }, { "blocks", n });
			n = 0;
		}
		at = low;
	}
	PRINT_NUMBERS({ "size", at }, { "blocks", n });
}

static void run_jitter(struct bench *b)
{
	uint64_t until = b->events * b->period + lead_ns(b) + 10000000;

	b->see = keep_stamp;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	for (until += now_ns(); now_ns() < until; )
		drain_all(b);
	if (b->source->exact)
		expect("blocks", b->got, b->events * b->n);
	stop(b);
	if (!n_stamps)
		die("no blocks");
	qsort(stamps, n_stamps, sizeof(*stamps), compare_ns);
	if (!b->source->exact)
		shift_to_earliest();
	print_histogram();
}

/* For a profile: it ends with the machine. */
static void run_forever(struct bench *b)
{
	b->spins = spins_of(b->period * PERIODS_A_TURN);
	warm_up(b);
	b->events = 0;
	b->source->start(b, clock_ns(CLOCK_REALTIME) + lead_ns(b));
	announce();
	time_passes(b, UINT64_MAX);
}

/* Events that a write to a file makes */

static uint64_t time_fires(int fd, uint64_t events)
{
	uint64_t start = now_ns(), i;

	for (i = 0; i < events; i++)
		if (pwrite(fd, "1", 1, 0) != 1)
			die("fire: %s", strerror(errno));
	return now_ns() - start;
}

static void run_fire(struct bench *b)
{
	int fd = open_path(O_WRONLY, "%s/fire", b->dir[0]);
	uint64_t lost, triggers, ns;

	set_queue(b, b->events + 64);
	time_fires(fd, 64);
	take_what_is_left(b);
	lost = count_lost(b, &triggers);
	b->got = 0;
	ns = time_fires(fd, b->events);
	check_cost(b, b->events, lost, triggers);
	set_queue(b, 16);
	PRINT_NUMBERS({ "blocks", b->events }, { "ns", ns });
}

static const struct task {
	const char *name;
	void (*run)(struct bench *b);
} tasks[] = {
	{ "cost", run_cost },
	{ "fire", run_fire },
	{ "rate", run_rate },
	{ "jitter", run_jitter },
	{ "forever", run_forever },
};

static void open_set(struct bench *b, unsigned int i)
{
	struct set *s = &b->set[i];
	const char *stats = "/sys/bus/zio/devices/%s/cset0/%s";

	snprintf(s->name, sizeof(s->name), "zzero-%04x", (unsigned int)b->first + i);
	s->fired = open_path(O_RDONLY, stats, s->name, "statistics/fired");
	s->lost_triggers = open_path(O_RDONLY, stats, s->name,
				     "statistics/lost_triggers");
	s->lost_blocks = open_path(O_RDONLY, stats, s->name,
				   "chan0/statistics/lost_blocks");
	if (b->use->open)
		b->use->open(s);
}

static const char *own_trigger(const struct set *s)
{
	char *dir;

	if (asprintf(&dir, "/sys/bus/zio/devices/%s/cset0/trigger", s->name) < 0)
		die("no memory");
	return dir;
}

static void find_triggers(struct bench *b)
{
	unsigned int i;

	b->n_dirs = b->trigger ? 1 : b->n;
	for (i = 0; i < b->n_dirs; i++)
		b->dir[i] = b->trigger ? b->trigger : own_trigger(&b->set[i]);
}

static void end_sleepers(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		if (b->set[i].sleeper)
			kill(b->set[i].sleeper, SIGTERM);
}

void main_trig(char **argv)
{
	static struct bench b;
	const struct task *task = TAKE_ENTRY(argv, "task", tasks);
	unsigned int i;

	b.use = TAKE_ENTRY(argv, "use", uses);
	b.source = TAKE_ENTRY(argv, "source", sources);
	b.trigger = take_text(argv, "trigger", NULL);
	b.first = take_number(argv, "first", 0);
	b.n = take_count(argv, "count", 1);
	b.period = take_count(argv, "period", 100000);
	b.events = take_count(argv, "events", 1000);
	b.spread = take_number(argv, "spread", 0);
	b.time_ms = take_count(argv, "time", 40);
	b.bytes = take_count(argv, "bytes", BLOCK);
	b.burst = take_count(argv, "burst", 1);
	b.shots = take_count(argv, "shots", 1);
	expect_words(argv, 0);
	if (b.n > MAX_SETS)
		die("more than %d sets", MAX_SETS);
	if (b.bytes > BLOCK)
		die("blocks of more than %d bytes", BLOCK);
	for (i = 0; i < b.n; i++)
		open_set(&b, i);
	find_triggers(&b);
	task->run(&b);
	end_sleepers(&b);
}
