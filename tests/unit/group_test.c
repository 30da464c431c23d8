// SPDX-License-Identifier: GPL-2.0-only
/* libzio: groups of channels, event by event */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "stream.h"
#include "tap.h"

/* Much longer than a wait that something ends */
#define LONG_MS 600000
#define MS 1000000ull

/* Two or three channels in a group that waits without a limit */
struct rig {
	struct zio_group *g;
	struct stream s[3];
	int n;
	struct zio_event ev;
};

static void open_rig(struct rig *rig, unsigned int flags, int n, bool nodes)
{
	int i, bad = 0;

	rig->g = zio_group_open(flags, NULL);
	rig->n = n;
	zio_group_set_limit(rig->g, -1);
	for (i = 0; i < n; i++) {
		bad += stream_open(&rig->s[i], dir, nodes, 0) != 0;
		bad += zio_group_add(rig->g, rig->s[i].ch) != i;
	}
	ok(!bad, "a group");
}

static void close_rig(struct rig *rig)
{
	int i;

	zio_group_close(rig->g);
	for (i = 0; i < rig->n; i++)
		stream_close(&rig->s[i]);
}

static bool group_reason_has(struct zio_group *g, const char *text)
{
	const char *reason = zio_group_reason(g);

	if (strstr(reason, text))
		return true;
	printf("# reason: %s\n", reason);
	return false;
}

static bool errs(struct rig *rig, int timeout, int code)
{
	return zio_group_next(rig->g, &rig->ev, timeout) == -1 && errno == code;
}

/* Is the next event of this time, and has it these states? "b" is a block. */
static bool gives(struct rig *rig, uint64_t time, const char *states)
{
	static const char letter[] = { 'b', 'l', 's', 't', 'g', 'G' };
	char found[4] = "";
	bool intact = true;
	unsigned int i;

	if (zio_group_next(rig->g, &rig->ev, 0) != 1) {
		printf("# no event: %s\n", zio_group_reason(rig->g));
		return false;
	}
	for (i = 0; i < rig->ev.n_parts; i++) {
		const struct zio_part *part = &rig->ev.parts[i];

		found[i] = letter[part->state];
		intact &= part->ch == rig->s[i].ch;
		intact &= part->state == ZIO_PART_BLOCK ?
			  stream_is_intact(&part->blk) : !part->blk.control;
	}
	if (intact && rig->ev.time_ns == time && !strcmp(found, states))
		return true;
	printf("# time %llu, states %s, intact %d\n",
	       (unsigned long long)rig->ev.time_ns, found, intact);
	return false;
}

static void test_whole(bool nodes)
{
	struct rig rig;

	open_rig(&rig, 0, 2, nodes);
	ok(errs(&rig, 0, EAGAIN) && group_reason_has(rig.g, "no event yet"),
	   "no block, no event");
	stream_put(&rig.s[0], 7, 1000);
	ok(errs(&rig, 0, EAGAIN), "the event waits for the second channel");
	stream_put(&rig.s[0], 8, 2000);
	stream_put(&rig.s[1], 3, 1000);
	ok(gives(&rig, 1000, "bb") && rig.ev.n_blocks == 2 && !rig.ev.late,
	   "both blocks");
	ok(rig.ev.parts[0].blk.control->seq_num == 7 &&
	   rig.ev.parts[1].blk.control->seq_num == 3, "numbers may differ");
	ok(errs(&rig, 0, EAGAIN), "the next event waits");
	stream_put(&rig.s[1], 4, 2000);
	ok(gives(&rig, 2000, "bb"), "and comes");
	ok(zio_group_stats(rig.g)->events == 2 && zio_group_stats(rig.g)->complete == 2 &&
	   zio_group_stats(rig.g)->blocks == 4, "counts");
	close_rig(&rig);
}

static void test_missing(void)
{
	struct rig rig;

	open_rig(&rig, 0, 3, false);
	stream_put(&rig.s[0], 0, 1000);
	stream_put(&rig.s[1], 0, 1000);
	stream_put(&rig.s[2], 0, 1000);
	ok(gives(&rig, 1000, "bbb"), "all");
	stream_put(&rig.s[0], 1, 2000);
	stream_put(&rig.s[0], 2, 3000);
	stream_put(&rig.s[1], 2, 3000);
	stream_put(&rig.s[2], 1, 3000);
	ok(gives(&rig, 2000, "bls"), "a gap is a loss, no gap is none");
	ok(gives(&rig, 3000, "bbb") && rig.ev.parts[1].blk.lost == 1, "all again");
	stream_put(&rig.s[0], 3, 4000);
	stream_put(&rig.s[1], 3, 4000);
	stream_end(&rig.s[2]);
	ok(gives(&rig, 4000, "bbg") && !rig.ev.parts[2].error, "the end of a file");
	stream_end(&rig.s[0]);
	stream_end(&rig.s[1]);
	ok(!zio_group_next(rig.g, &rig.ev, -1) && group_reason_has(rig.g, "gone"),
	   "the end of all");
	ok(zio_group_stats(rig.g)->lost == 1 && zio_group_stats(rig.g)->skipped == 1 &&
	   zio_group_stats(rig.g)->gone == 1, "counts of missing parts");
	close_rig(&rig);
}

/* A channel that loses one block, and fires at every second event */
static void test_half_rate(void)
{
	struct rig rig;
	uint32_t i;

	open_rig(&rig, 0, 2, true);
	for (i = 0; i < 8; i++)
		stream_put(&rig.s[0], i, i * 1000);
	stream_put(&rig.s[1], 0, 0);
	stream_put(&rig.s[1], 1, 2000);
	stream_put(&rig.s[1], 3, 6000);
	ok(gives(&rig, 0, "bb") && gives(&rig, 1000, "bs") && gives(&rig, 2000, "bb"),
	   "every second event");
	ok(gives(&rig, 3000, "bl") && gives(&rig, 4000, "bs") &&
	   gives(&rig, 5000, "bs"), "a gap of one is one loss");
	ok(gives(&rig, 6000, "bb") && errs(&rig, 0, EAGAIN), "and goes on");
	close_rig(&rig);
}

static void test_late(unsigned int flags)
{
	bool drop = flags & ZIO_GROUP_DROP_LATE;
	struct rig rig;

	open_rig(&rig, flags, 3, false);
	zio_group_set_limit(rig.g, 0);
	stream_put(&rig.s[0], 0, 1000);
	ok(gives(&rig, 1000, "btt"), "the time of two channels is over");
	stream_put(&rig.s[0], 1, 2000);
	ok(gives(&rig, 2000, "btt"), "again");
	stream_put(&rig.s[1], 0, 1000);
	stream_put(&rig.s[1], 1, 2000);
	ok(drop ? errs(&rig, 0, EAGAIN) :
		  gives(&rig, 1000, "Gbt") && rig.ev.late &&
		  gives(&rig, 2000, "Gbt") && rig.ev.late, "its blocks come");
	stream_put(&rig.s[2], 1, 2000);
	ok(drop ? errs(&rig, 0, EAGAIN) : gives(&rig, 2000, "GGb") && rig.ev.late,
	   "a loss among late ones");
	stream_put(&rig.s[2], 2, 3000);
	stream_put(&rig.s[1], 2, 3000);
	stream_put(&rig.s[0], 2, 3000);
	ok(gives(&rig, 3000, "bbb") && !rig.ev.late, "all in time");
	ok(zio_group_stats(rig.g)->events == 3 && zio_group_stats(rig.g)->late == 4 &&
	   zio_group_stats(rig.g)->late_blocks == 3 &&
	   zio_group_stats(rig.g)->dropped == (drop ? 3 : 0) &&
	   zio_group_stats(rig.g)->blocks == (drop ? 5 : 8), "counts of late blocks");
	close_rig(&rig);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The limit ends the wait of an event, the time-out that of a call. */
static void test_limit(void)
{
	double start = seconds();
	struct rig rig;

	open_rig(&rig, 0, 2, false);
	zio_group_set_limit(rig.g, LONG_MS);
	stream_put(&rig.s[0], 0, 1000);
	ok(errs(&rig, 1, EAGAIN), "a short time-out");
	zio_group_set_limit(rig.g, 50);
	ok(zio_group_next(rig.g, &rig.ev, LONG_MS) == 1 && seconds() - start >= 0.05 &&
	   rig.ev.parts[1].state == ZIO_PART_LATE, "the limit");
	start = seconds();
	ok(errs(&rig, 20, EAGAIN) && seconds() - start >= 0.02, "a time-out");
	close_rig(&rig);
}

/* poll() of the group's descriptor also returns when the limit is over. */
static void test_fd(void)
{
	struct pollfd fd = { .events = POLLIN };
	struct rig rig;

	open_rig(&rig, 0, 2, false);
	fd.fd = zio_group_fd(rig.g);
	zio_group_set_limit(rig.g, 20);
	ok(errs(&rig, 0, EAGAIN) && !poll(&fd, 1, 0), "nothing to read");
	stream_put(&rig.s[1], 0, 1000);
	ok(poll(&fd, 1, LONG_MS) == 1 && errs(&rig, 0, EAGAIN), "half an event");
	ok(poll(&fd, 1, LONG_MS) == 1 && gives(&rig, 1000, "tb"), "the limit");
	ok(errs(&rig, 0, EAGAIN) && !poll(&fd, 1, 0), "nothing again");
	stream_put(&rig.s[0], 0, 2000);
	stream_put(&rig.s[1], 1, 2000);
	ok(poll(&fd, 1, LONG_MS) == 1 && gives(&rig, 2000, "bb"), "an event");
	zio_group_interrupt(rig.g);
	ok(poll(&fd, 1, LONG_MS) == 1 && errs(&rig, 0, ECANCELED), "an interrupt");
	close_rig(&rig);
}

static void test_window(unsigned int flags)
{
	struct zio_control control;
	struct rig rig;

	open_rig(&rig, flags, 2, false);
	zio_group_set_window(rig.g, 100);
	stream_put(&rig.s[0], 0, 1100);
	stream_put(&rig.s[1], 0, 1000);
	ok(gives(&rig, 1000, "bb"), "as far as the window");
	stream_put(&rig.s[0], 1, 2101);
	stream_put(&rig.s[1], 1, 2000);
	stream_put(&rig.s[1], 2, 2150);
	ok(gives(&rig, 2000, "sb") && gives(&rig, 2101, "bb"), "beyond it");
	stream_put(&rig.s[0], 2, 3000);
	stream_control(&control, 3, 3000, "clock1", 0);
	stream_put_control(&rig.s[1], &control);
	if (flags & ZIO_GROUP_ANY_TRIGGER)
		ok(gives(&rig, 3000, "bb"), "different triggers");
	else
		ok(gives(&rig, 3000, "bs") && errs(&rig, 0, EAGAIN),
		   "different triggers");
	close_rig(&rig);
}

/* Several blocks of a channel within one window, one of them lost */
static void test_burst(void)
{
	struct rig rig;
	uint32_t i;

	open_rig(&rig, 0, 2, true);
	for (i = 0; i < 4; i++) {
		stream_put(&rig.s[0], 10 + i, 1000);
		if (i != 2)
			stream_put(&rig.s[1], 20 + i, 1000);
	}
	ok(gives(&rig, 1000, "bb") && gives(&rig, 1000, "bb"), "equal times");
	ok(gives(&rig, 1000, "bl"), "the sequence numbers decide");
	ok(gives(&rig, 1000, "bb") && rig.ev.parts[0].blk.control->seq_num == 13 &&
	   rig.ev.parts[1].blk.control->seq_num == 23, "and find the pair");
	close_rig(&rig);
}

/* After a step of the clock, blocks are neither late nor lost. */
static void test_clock_step(void)
{
	struct rig rig;

	open_rig(&rig, 0, 2, false);
	zio_group_set_limit(rig.g, 0);
	stream_put(&rig.s[0], 0, 9000);
	ok(gives(&rig, 9000, "bt"), "a late channel");
	stream_put(&rig.s[0], 1, 1000);
	ok(gives(&rig, 1000, "bt"), "the clock steps back");
	stream_put(&rig.s[0], 2, 2000);
	stream_put(&rig.s[1], 2, 2000);
	ok(gives(&rig, 2000, "bb") && !rig.ev.late, "a pair");
	stream_put(&rig.s[0], 3, 3000);
	ok(gives(&rig, 3000, "bt"), "a late channel that had blocks");
	stream_put(&rig.s[0], 4, 500);
	stream_put(&rig.s[1], 3, 500);
	ok(gives(&rig, 500, "bb") && !rig.ev.late, "a pair after a step back");
	close_rig(&rig);
}

static void test_depth(int limit)
{
	struct rig rig = { 0 };
	uint32_t i;

	rig.g = zio_group_open(0, NULL);
	ok(zio_group_set_depth(rig.g, 0) && errno == EINVAL &&
	   zio_group_set_depth(rig.g, 65537) && errno == EINVAL, "wrong depths");
	ok(!zio_group_set_depth(rig.g, 4), "a depth");
	rig.n = 2;
	zio_group_set_limit(rig.g, limit);
	ok(!stream_open(&rig.s[0], dir, true, 0) && !stream_open(&rig.s[1], dir, true, 0) &&
	   zio_group_add(rig.g, rig.s[0].ch) == 0 &&
	   zio_group_add(rig.g, rig.s[1].ch) == 1, "open");
	ok(zio_group_set_depth(rig.g, 4) && errno == EBUSY, "too late for another");
	for (i = 0; i < 6; i++)
		stream_put(&rig.s[0], i, i * 1000);
	if (limit < 0)
		ok(errs(&rig, 0, EAGAIN) && zio_stats(rig.s[0].ch)->blocks == 4,
		   "no more blocks are read");
	else
		ok(gives(&rig, 0, "bt") && gives(&rig, 1000, "bt") &&
		   gives(&rig, 2000, "bt") && errs(&rig, 0, EAGAIN),
		   "a full memory ends the wait");
	for (i = 0; i < 6; i++)
		stream_put(&rig.s[1], i, i * 1000);
	for (i = 0; i < 3; i++)
		ok(gives(&rig, i * 1000, limit < 0 ? "bb" : "Gb"), "the other channel");
	for (; i < 6; i++)
		ok(gives(&rig, i * 1000, "bb") && !rig.ev.late, "both channels");
	close_rig(&rig);
}

/* The descriptor of a channel changes while a block is partly read. */
static void test_part(void)
{
	struct pollfd fd = { .events = POLLIN };
	struct zio_control control;
	struct rig rig;

	open_rig(&rig, 0, 2, true);
	stream_control(&control, 0, 1000, "clock0", 16);
	stream_put_control(&rig.s[0], &control);
	stream_put(&rig.s[1], 0, 1000);
	ok(errs(&rig, 0, EAGAIN) && errs(&rig, 1, EAGAIN), "the data are missing");
	fd.fd = zio_group_fd(rig.g);
	ok(!poll(&fd, 1, 0), "nothing to read");
	stream_put_data(&rig.s[0], &control);
	ok(poll(&fd, 1, 10000) == 1, "the data can be read");
	ok(zio_group_next(rig.g, &rig.ev, LONG_MS) == 1 && rig.ev.n_blocks == 2,
	   "the data end the wait");
	ok(errs(&rig, 0, EAGAIN) && !poll(&fd, 1, 0), "nothing again");
	stream_control(&control, 1, 2000, "clock0", 16);
	stream_put_control(&rig.s[0], &control);
	ok(poll(&fd, 1, 10000) == 1, "then the next control");
	close_rig(&rig);
}

static void test_errors(void)
{
	struct zio_control control;
	struct rig rig;

	open_rig(&rig, 0, 2, false);
	zio_set_max_block(rig.s[0].ch, 64);
	stream_control(&control, 0, 1000, "clock0", 65);
	stream_put_control(&rig.s[0], &control);
	stream_put_data(&rig.s[0], &control);
	ok(errs(&rig, 0, EMSGSIZE) && group_reason_has(rig.g, "over the limit") &&
	   zio_group_stats(rig.g)->errors == 1, "a block that is too large");
	stream_put(&rig.s[0], 1, 2000);
	stream_put(&rig.s[1], 1, 2000);
	ok(gives(&rig, 2000, "bb"), "and the next one");
	stream_put(&rig.s[1], 2, 3000);
	ok(write(rig.s[0].ctrl, &(char[512]){ "no control" }, 512) == 512 &&
	   gives(&rig, 3000, "gb") && rig.ev.parts[0].error == EPROTO &&
	   reason_has(rig.s[0].ch, "no block begins"), "a damaged file is gone");
	close_rig(&rig);
}

static void test_join_and_leave(void)
{
	struct rig rig;

	open_rig(&rig, 0, 2, false);
	stream_put(&rig.s[0], 0, 1000);
	stream_put(&rig.s[1], 0, 1000);
	stream_put(&rig.s[1], 1, 2000);
	ok(gives(&rig, 1000, "bb"), "two channels");
	ok(!stream_open(&rig.s[2], dir, true, ZIO_OPEN_CONTROL_ONLY) &&
	   zio_group_add(rig.g, rig.s[2].ch) == 2, "a third one joins");
	ok(zio_group_add(rig.g, rig.s[2].ch) == -1 && errno == EBUSY, "only once");
	rig.n = 3;
	stream_put(&rig.s[0], 1, 2000);
	stream_put(&rig.s[2], 0, 2000);
	ok(zio_group_next(rig.g, &rig.ev, 0) == 1 && rig.ev.n_blocks == 3 &&
	   rig.ev.parts[2].blk.size == 16 && !rig.ev.parts[2].blk.data,
	   "an event of three, one without data");
	stream_put(&rig.s[0], 2, 3000);
	ok(errs(&rig, 0, EAGAIN), "an event waits");
	ok(!zio_close(rig.s[0].ch) && zio_group_stats(rig.g)->dropped == 1,
	   "a channel is closed");
	rig.s[0].ch = NULL;
	stream_put(&rig.s[1], 2, 3000);
	stream_put(&rig.s[2], 1, 3000);
	ok(zio_group_next(rig.g, &rig.ev, 0) == 1 && rig.ev.n_parts == 2 &&
	   rig.ev.n_blocks == 2 && rig.ev.parts[0].ch == rig.s[1].ch,
	   "the others go on");
	close_rig(&rig);
}

static void *interrupt(void *g)
{
	zio_group_interrupt(g);
	return NULL;
}

static void test_interrupt(void)
{
	pthread_t thread;
	struct rig rig;

	open_rig(&rig, 0, 2, false);
	pthread_create(&thread, NULL, interrupt, rig.g);
	ok(errs(&rig, LONG_MS, ECANCELED) && group_reason_has(rig.g, "interrupt"),
	   "another thread ends a wait");
	pthread_join(thread, NULL);
	ok(errs(&rig, -1, ECANCELED), "and all that follow");
	stream_put(&rig.s[0], 0, 1000);
	stream_put(&rig.s[1], 0, 1000);
	ok(gives(&rig, 1000, "bb"), "a call that need not wait");
	zio_group_resume(rig.g);
	ok(errs(&rig, 1, EAGAIN), "waits are possible again");
	close_rig(&rig);
}

/* Files on a disk are always ready, and never wait for each other. */
static void test_files(void)
{
	struct zio_control control;
	struct zio_event ev;
	struct zio_group *g = zio_group_open(0, NULL);
	struct stream s[2];
	uint32_t i, j;
	int whole = 0;

	for (i = 0; i < 2; i++) {
		snprintf(s[i].path, sizeof(s[i].path), "%s/file%u", dir, i);
		s[i].ctrl = open(s[i].path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		s[i].data = s[i].ctrl;
		for (j = 0; j < 1000; j += i + 1) {
			stream_control(&control, j, j * MS, "clock0", 8);
			stream_put_control(&s[i], &control);
			stream_put_data(&s[i], &control);
		}
		close(s[i].ctrl);
		s[i].ch = zio_open(s[i].path, 0, NULL);
		zio_group_add(g, s[i].ch);
	}
	while (zio_group_next(g, &ev, 0) == 1)
		whole += ev.n_blocks == 2;
	ok(whole == 500 && zio_group_stats(g)->events == 1000 &&
	   zio_group_stats(g)->blocks == 1500 && !zio_group_stats(g)->late,
	   "two files");
	zio_close(s[0].ch);
	zio_close(s[1].ch);
	zio_group_close(g);
}

#define refuses(call) do {						\
	errno = 0;							\
	ok((call) && errno == EINVAL, "NULL: " #call);			\
} while (0)

static void test_arguments(void)
{
	struct zio_error err;
	struct zio_event ev;
	struct rig rig;
	struct zio_channel *out;
	char path[PATH_MAX];

	refuses(zio_group_add(NULL, NULL) == -1);
	refuses((zio_group_set_window(NULL, 0), true));
	refuses((zio_group_set_limit(NULL, 0), true));
	refuses(zio_group_set_depth(NULL, 1) == -1);
	refuses(zio_group_next(NULL, &ev, 0) == -1);
	refuses(zio_group_fd(NULL) == -1);
	refuses((zio_group_interrupt(NULL), true));
	refuses((zio_group_resume(NULL), true));
	refuses(!zio_group_stats(NULL));
	ok(strstr(zio_group_reason(NULL), "NULL"), "a reason without a group");
	zio_group_close(NULL);
	ok(!zio_group_open(1 << 2, &err) && errno == EINVAL && err.code == EINVAL &&
	   strstr(err.text, "flags"), "unknown flags");
	ok(!strcmp(zio_part_name(ZIO_PART_LATE), "late") &&
	   !zio_part_name(ZIO_PART_GIVEN + 1), "names of states");
	open_rig(&rig, 0, 1, false);
	refuses(zio_group_add(rig.g, NULL) == -1);
	refuses(zio_group_next(rig.g, NULL, 0) == -1);
	snprintf(path, sizeof(path), "%s/out", dir);
	out = zio_open(path, ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE, NULL);
	ok(zio_group_add(rig.g, out) == -1 && errno == EBADF &&
	   group_reason_has(rig.g, "output"), "an output");
	zio_close(out);
	close_rig(&rig);
	rig.g = zio_group_open(0, NULL);
	ok(!zio_group_next(rig.g, &ev, -1), "a group without channels ends at once");
	zio_group_close(rig.g);
}

int main(void)
{
	make_dir();
	test_whole(false);
	test_whole(true);
	test_missing();
	test_half_rate();
	test_late(0);
	test_late(ZIO_GROUP_DROP_LATE);
	test_limit();
	test_fd();
	test_window(0);
	test_window(ZIO_GROUP_ANY_TRIGGER);
	test_burst();
	test_clock_step();
	test_depth(-1);
	test_depth(LONG_MS);
	test_part();
	test_errors();
	test_join_and_leave();
	test_interrupt();
	test_files();
	test_arguments();
	return tap_end();
}
