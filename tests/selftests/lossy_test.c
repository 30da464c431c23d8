// SPDX-License-Identifier: GPL-2.0-only
/*
 * lossy_test.c: what programs tell of losses and times, compared with the truth
 *
 * # check
 * # model: zio-lossy
 * # single
 */
#include "board.h"
#include "harness.h"
#include "libzio/zio.h"

#define LOSSY		"/dev/zio/lossy-0000-0-0"
#define LOSSY_CSET	"/sys/bus/zio/devices/lossy-0000/cset0"
#define LOSSY_TRIGGER	LOSSY_CSET "/trigger"
#define LOSSY_DRIVER	"/sys/bus/platform/drivers/zio-lossy"
#define SAMPLES		4
#define PERIOD_NS	1000000LL
#define QUEUE		16
#define MAX_EVENTS	100000

static void give_trigger(void)
{
	wait_for(10, exists(LOSSY_TRIGGER));
	run("zio-links");
	write_text(LOSSY_CSET "/current_trigger", "lossy");
}

/* The module holds itself while its set has its trigger. */
static void unload_lossy(void)
{
	write_text(LOSSY_CSET "/current_trigger", "user");
	run("rmmod zio-lossy");
}

SETUP(fresh)
{
	if (exists(LOSSY_DRIVER))
		unload_lossy();
	run("insmod /selftests/zio-lossy.ko");
	give_trigger();
}

/* What has become of an event; the reader should know the last three. */
enum fate { READ, LOST, MISSED, TAKEN, N_FATES };

/* The truth, and a reader with its timeline */
struct model {
	unsigned char fate[MAX_EVENTS];
	unsigned int n;			/* events */
	unsigned int queue[QUEUE], n_queued;
	bool is_told;			/* the last event has a block: it has told all before */
	unsigned int count[N_FATES];	/* of those that the reader should know */

	struct pair pair;
	struct zio_timeline *tl;
	bool has_last;
	unsigned int last;		/* event that was read */
	long long begin;		/* time of event 0 */
	struct zio_place place;
	int steps_away;			/* the clock was set since the last block */
};

static void order(const char *file, unsigned int n)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), LOSSY_TRIGGER "/%s", file);
	snprintf(text, sizeof(text), "%u", n);
	write_text(path, text);
}

static struct model *make_model(void)
{
	struct model *m = calloc(1, sizeof(*m));

	ASSERT_TRUE(m);
	m->tl = zio_timeline_open(NULL);
	ASSERT_TRUE(m->tl);
	m->is_told = true;
	m->pair = open_pair(LOSSY, O_RDONLY);
	return m;
}

static void free_model(struct model *m)
{
	zio_timeline_close(m->tl);
	close_pair(m->pair);
	free(m);
}

static void note(struct model *m, enum fate fate, unsigned int n)
{
	ASSERT_TRUE(m->n + n < MAX_EVENTS);
	memset(m->fate + m->n, fate, n);
	m->n += n;
	m->is_told = false;
}

static void fire(struct model *m, unsigned int n)
{
	order("fire", n);
	for (; n; n--) {
		if (m->n_queued == QUEUE) {
			note(m, LOST, 1);
			continue;
		}
		m->queue[m->n_queued++] = m->n;
		note(m, READ, 1);
		m->is_told = true;
	}
}

static void miss(struct model *m, unsigned int n)
{
	order("miss", n);
	note(m, MISSED, n);
}

static void lose(struct model *m, unsigned int n)
{
	order("lose", n);
	note(m, LOST, n);
}

static unsigned int unqueue(struct model *m)
{
	unsigned int event = m->queue[0];

	memmove(m->queue, m->queue + 1, --m->n_queued * sizeof(*m->queue));
	return event;
}

/* Reads the block of the event from a node, and returns its control. */
static struct zio_control read_event(struct pair pair, unsigned int event)
{
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t sample[SAMPLES];
	unsigned int i;

	ASSERT_EQ(read(pair.data, sample, sizeof(sample)), (ssize_t)sizeof(sample));
	for (i = 0; i < SAMPLES; i++)
		ASSERT_EQ(sample[i], event * SAMPLES + i);
	return ctrl;
}

static void check_times(const struct model *m, unsigned int event)
{
	struct zio_instant time;
	unsigned int i;

	for (i = 0; i < SAMPLES; i++) {
		ASSERT_EQ(zio_sample_time(&m->place, i, &time), 0);
		ASSERT_EQ(time.ns, m->begin + event * PERIOD_NS + i * PERIOD_NS / SAMPLES);
		ASSERT_EQ(time.ps, 0);
	}
}

/* The place tells what has become of the events since the last block, and when its samples were. */
static void check_place(struct model *m, unsigned int event)
{
	unsigned int between[N_FATES] = { 0 }, i;

	for (i = m->last + 1; i < event; i++)
		between[m->fate[i]]++;
	ASSERT_EQ(between[READ], 0);
	ASSERT_EQ(m->place.lost, between[LOST]);
	ASSERT_EQ(m->place.missed, between[MISSED]);
	ASSERT_EQ(m->place.taken, between[TAKEN]);
	ASSERT_EQ(m->place.continues, event == m->last + 1);
	ASSERT_EQ(m->place.breaks, (between[LOST] ? ZIO_BREAK_LOST : 0) |
		  (between[MISSED] ? ZIO_BREAK_MISSED : 0) |
		  (between[TAKEN] ? ZIO_BREAK_TAKEN : 0));
	check_times(m, event);
	for (i = 0; i < N_FATES; i++)
		m->count[i] += between[i];
}

/* Reads the next block, and puts it on the timeline. Returns its event. */
static unsigned int place_next(struct model *m)
{
	unsigned int event = unqueue(m);
	struct zio_control ctrl = read_event(m->pair, event);
	struct zio_error err = { .text = "" };

	if (zio_timeline_add(m->tl, &ctrl, &m->place, &err))
		FAIL("%s", err.text);
	m->count[READ]++;
	return event;
}

static void read_next(struct model *m)
{
	unsigned int event = place_next(m);

	if (m->has_last)
		check_place(m, event);
	else
		m->begin = m->place.event.ns - event * PERIOD_NS;
	m->has_last = true;
	m->last = event;
}

static void read_all(struct model *m)
{
	while (m->n_queued)
		read_next(m);
}

/* Another program reads blocks that tell of nothing. */
static void take(struct model *m, unsigned int n)
{
	struct pair other;

	read_all(m);
	if (!m->is_told)
		return;
	other = open_pair(LOSSY, O_RDONLY);
	for (fire(m, n); n; n--) {
		m->fate[m->queue[0]] = TAKEN;
		read_event(other, unqueue(m));
	}
	close_pair(other);
}

static void check_account(struct model *m)
{
	struct zio_account account;

	ASSERT_EQ(zio_timeline_account(m->tl, &account), 0);
	ASSERT_EQ(account.blocks, m->count[READ]);
	ASSERT_EQ(account.lost, m->count[LOST]);
	ASSERT_EQ(account.lost_samples, SAMPLES * m->count[LOST]);
	ASSERT_EQ(account.missed, m->count[MISSED]);
	ASSERT_EQ(account.taken, m->count[TAKEN]);
	ASSERT_EQ(account.outages + account.pauses + account.steps + account.changes, 0);
	ASSERT_EQ(m->count[READ] + m->count[LOST] + m->count[MISSED] + m->count[TAKEN], m->n);
}

TEST("an account is the truth", fresh)
{
	struct model *m = make_model();
	unsigned int step;

	srandom(1805);
	fire(m, 1);
	for (step = 0; step < 2000; step++) {
		unsigned int n = 1 + random() % 4;

		switch (random() % 8) {
		case 0:
			miss(m, n);
			break;
		case 1:
			lose(m, n);
			break;
		case 2:
			take(m, n);
			break;
		case 3:
			fire(m, 8 * n);
			break;
		case 4:
		case 5:
			read_all(m);
			break;
		default:
			fire(m, n);
		}
	}
	read_all(m);
	fire(m, 1);
	read_all(m);
	check_account(m);
	printf("# %u events: %u blocks read, %u lost, %u missed, %u taken\n", m->n, m->count[READ],
	     m->count[LOST], m->count[MISSED], m->count[TAKEN]);
	free_model(m);
}

TEST("a device that is bound again is an outage, as long as the clock says", fresh)
{
	struct model *m = make_model();
	struct zio_account account;

	fire(m, 10);
	read_all(m);
	close_pair(m->pair);
	write_text(LOSSY_DRIVER "/unbind", "zio-lossy");
	write_text(LOSSY_DRIVER "/bind", "zio-lossy");
	give_trigger();
	m->pair = open_pair(LOSSY, O_RDONLY);
	/* The time of the board goes on by events alone. */
	miss(m, 90);
	fire(m, 1);
	place_next(m);
	ASSERT_EQ(m->place.breaks, ZIO_BREAK_OUTAGE | ZIO_BREAK_MISSED);
	ASSERT_EQ(m->place.outage_ns, 90 * PERIOD_NS);
	ASSERT_EQ(m->place.missed, 90);
	check_times(m, 100);
	ASSERT_EQ(zio_timeline_account(m->tl, &account), 0);
	ASSERT_EQ(account.outages, 1);
	ASSERT_EQ(account.blocks, 11);
	ASSERT_EQ(account.lost + account.taken + account.pauses, 0);
	free_model(m);
}

static void set_clock_by(long long seconds)
{
	struct timespec now;

	ASSERT_EQ(clock_gettime(CLOCK_REALTIME, &now), 0);
	now.tv_sec += seconds;
	ASSERT_EQ(clock_settime(CLOCK_REALTIME, &now), 0);
}

/* As "date -s" does it. The stamps of all blocks are by this clock. */
TEST("a clock that is set back is a step", fresh)
{
	struct model *m = make_model();
	struct zio_account account;

	fire(m, 10);
	read_all(m);
	set_clock_by(-3600);
	fire(m, 1);
	set_clock_by(3600);
	place_next(m);
	ASSERT_EQ(m->place.breaks, ZIO_BREAK_STEP);
	ASSERT_TRUE(llabs(m->place.step_ns + 3600 * NSEC) < NSEC);
	ASSERT_EQ(m->place.lost + m->place.missed + m->place.taken, 0);
	ASSERT_EQ(zio_timeline_account(m->tl, &account), 0);
	ASSERT_EQ(account.steps, 1);
	free_model(m);
}

/* Reads the blocks in the queue, the first of which has these breaks. The others go on. */
static struct zio_place read_after_jump(struct model *m, uint32_t breaks)
{
	struct zio_place first;

	place_next(m);
	first = m->place;
	ASSERT_EQ(first.breaks, breaks);
	while (m->n_queued) {
		place_next(m);
		ASSERT_TRUE(m->place.continues);
	}
	ASSERT_EQ(m->place.rate_num / m->place.rate_den, SAMPLES * NSEC / PERIOD_NS);
	return first;
}

/* As NTP sets a clock that is wrong by 37 s. Forward, it looks as if the board had paused. */
TEST("a clock that is set forward and back is neither a loss nor a rate", fresh)
{
	struct model *m = make_model();
	struct zio_account account;
	struct zio_place place;

	fire(m, 10);
	read_all(m);
	set_clock_by(37);
	fire(m, 10);
	place = read_after_jump(m, ZIO_BREAK_PAUSE);
	ASSERT_TRUE(llabs(place.pause_ns - 37 * NSEC) < NSEC / 10);
	set_clock_by(-37);
	fire(m, 10);
	place = read_after_jump(m, ZIO_BREAK_STEP);
	ASSERT_TRUE(llabs(place.step_ns + 37 * NSEC) < NSEC / 10);
	ASSERT_EQ(zio_timeline_account(m->tl, &account), 0);
	ASSERT_EQ(account.blocks, 30);
	ASSERT_EQ(account.pauses, 1);
	ASSERT_EQ(account.steps, 1);
	ASSERT_EQ(account.lost + account.missed + account.taken + account.changes, 0);
	free_model(m);
}

TEST("zio-dump says that a clock was set, and ends with 4", fresh)
{
	order("fire", 9);
	set_clock_by(-37);
	order("fire", 6);
	set_clock_by(37);
	ASSERT_EQ(shell("zio-dump -n 15 lossy-0-0 >/tmp/lossy 2>/tmp/said; [ $? = 4 ]"), 0);
	ASSERT_EQ(shell("grep -q ': 1 step of the clock$' /tmp/said"), 0);
	ASSERT_EQ(shell("! grep -q -e lost -e missed -e pause /tmp/said"), 0);
}

TEST("zio-dump says it in words", fresh)
{
	order("fire", 1);
	order("lose", 3);
	order("fire", 1);
	order("miss", 5);
	order("fire", 1);
	ASSERT_EQ(shell("zio-dump -n 3 lossy-0-0 2>&1 >/tmp/lossy | "
			"grep -q '3 blocks lost in 1 gap, 5 events missed'"), 0);
	ASSERT_EQ(shell("[ $(grep -c '^  before' /tmp/lossy) = 2 ]"), 0);
	unload_lossy();
}
