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
#include "harness.h"

/* Much longer than a wait that something ends */
#define LONG_MS 600000
#define MS 1000000ull

/* Two or three channels in a group that waits without a limit */
static struct rig {
	struct zio_group *g;
	struct stream s[3];
	int n;
	struct zio_event ev;
} rig;

static void close_rig(void)
{
	int i;

	zio_group_close(rig.g);
	for (i = 0; i < rig.n; i++)
		stream_close(&rig.s[i]);
}

static void open_rig(unsigned int flags, int n, bool nodes)
{
	int i;

	rig.g = zio_group_open(flags, NULL);
	rig.n = n;
	atexit(close_rig);
	zio_group_set_limit(rig.g, -1);
	for (i = 0; i < n; i++) {
		ASSERT_TRUE(!stream_open(&rig.s[i], dir, nodes, 0));
		ASSERT_EQ(zio_group_add(rig.g, rig.s[i].ch), i);
	}
}

/* Write a block to a channel, or to all. */
static void put(int chan, uint32_t seq, uint64_t ns)
{
	stream_put(&rig.s[chan], seq, ns);
}

static void put_all(uint32_t seq, uint64_t ns)
{
	int i;

	for (i = 0; i < rig.n; i++)
		put(i, seq, ns);
}

static bool errs(int timeout, int code)
{
	return zio_group_next(rig.g, &rig.ev, timeout) == -1 && errno == code;
}

/* Is the next event of this time, and has it these states? "b" is a block. */
static bool gives(uint64_t time, const char *states)
{
	static const char letter[] = { 'b', 'l', 's', 't', 'g', 'G' };
	char found[4] = "";
	bool intact = true;
	unsigned int i;

	if (zio_group_next(rig.g, &rig.ev, 0) != 1) {
		printf("# no event: %s\n", zio_group_reason(rig.g));
		return false;
	}
	for (i = 0; i < rig.ev.n_parts; i++) {
		const struct zio_part *part = &rig.ev.parts[i];

		found[i] = letter[part->state];
		intact &= part->ch == rig.s[i].ch;
		intact &= part->state == ZIO_PART_BLOCK ?
			  stream_is_intact(&part->blk) : !part->blk.control;
	}
	if (intact && rig.ev.time_ns == time && !strcmp(found, states))
		return true;
	printf("# time %llu, states %s, intact %d\n",
	       (unsigned long long)rig.ev.time_ns, found, intact);
	return false;
}

TEST_EACH("whole events of %s", make_dir, "block files", "nodes")
{
	open_rig(0, 2, value[0] == 'n');
	ASSERT_TRUE(errs(0, EAGAIN));
	ASSERT_HAS(zio_group_reason(rig.g), "no event yet");
	put(0, 7, 1000);
	ASSERT_TRUE(errs(0, EAGAIN), "the event waits for the second channel");
	put(0, 8, 2000);
	put(1, 3, 1000);
	ASSERT_TRUE(gives(1000, "bb") && rig.ev.n_blocks == 2 && !rig.ev.late);
	ASSERT_EQ(rig.ev.parts[0].blk.control->seq_num, 7);
	ASSERT_EQ(rig.ev.parts[1].blk.control->seq_num, 3);
	ASSERT_TRUE(errs(0, EAGAIN), "the next event waits");
	put(1, 4, 2000);
	ASSERT_TRUE(gives(2000, "bb"), "and comes");
	ASSERT_EQ(zio_group_stats(rig.g)->events, 2);
	ASSERT_EQ(zio_group_stats(rig.g)->complete, 2);
	ASSERT_EQ(zio_group_stats(rig.g)->blocks, 4);
}

TEST("the limit ends the wait of an event, the time-out that of a call", make_dir)
{
	double start = seconds();

	open_rig(0, 2, false);
	zio_group_set_limit(rig.g, LONG_MS);
	put(0, 0, 1000);
	ASSERT_TRUE(errs(1, EAGAIN), "a short time-out");
	zio_group_set_limit(rig.g, 50);
	ASSERT_EQ(zio_group_next(rig.g, &rig.ev, LONG_MS), 1);
	ASSERT_TRUE(seconds() - start >= 0.05 && rig.ev.parts[1].state == ZIO_PART_LATE);
	start = seconds();
	ASSERT_TRUE(errs(20, EAGAIN) && seconds() - start >= 0.02, "a time-out");
}

TEST("poll() of the descriptor also returns when the limit is over", make_dir)
{
	struct pollfd fd = { .events = POLLIN };

	open_rig(0, 2, false);
	fd.fd = zio_group_fd(rig.g);
	zio_group_set_limit(rig.g, 20);
	ASSERT_TRUE(errs(0, EAGAIN) && !poll(&fd, 1, 0), "nothing to read");
	put(1, 0, 1000);
	ASSERT_TRUE(poll(&fd, 1, LONG_MS) == 1 && errs(0, EAGAIN), "half an event");
	ASSERT_TRUE(poll(&fd, 1, LONG_MS) == 1 && gives(1000, "tb"), "the limit");
	ASSERT_TRUE(errs(0, EAGAIN) && !poll(&fd, 1, 0), "nothing again");
	put(0, 0, 2000);
	put(1, 1, 2000);
	ASSERT_TRUE(poll(&fd, 1, LONG_MS) == 1 && gives(2000, "bb"), "an event");
	zio_group_interrupt(rig.g);
	ASSERT_TRUE(poll(&fd, 1, LONG_MS) == 1 && errs(0, ECANCELED));
}

TEST_EACH("a window, and %s", make_dir, "the same trigger", "any trigger")
{
	unsigned int flags = value[0] == 'a' ? ZIO_GROUP_ANY_TRIGGER : 0;
	struct zio_control control;

	open_rig(flags, 2, false);
	zio_group_set_window(rig.g, 100);
	put(0, 0, 1100);
	put(1, 0, 1000);
	ASSERT_TRUE(gives(1000, "bb"), "as far as the window");
	put(0, 1, 2101);
	put(1, 1, 2000);
	put(1, 2, 2150);
	ASSERT_TRUE(gives(2000, "sb") && gives(2101, "bb"), "beyond it");
	put(0, 2, 3000);
	stream_control(&control, 3, 3000, "clock1", 0);
	stream_put_control(&rig.s[1], &control);
	if (flags & ZIO_GROUP_ANY_TRIGGER)
		ASSERT_TRUE(gives(3000, "bb"), "different triggers");
	else
		ASSERT_TRUE(gives(3000, "bs") && errs(0, EAGAIN));
}

TEST("several blocks of a channel within one window, one of them lost", make_dir)
{
	uint32_t i;

	open_rig(0, 2, true);
	for (i = 0; i < 4; i++) {
		put(0, 10 + i, 1000);
		if (i != 2)
			put(1, 20 + i, 1000);
	}
	ASSERT_TRUE(gives(1000, "bb") && gives(1000, "bb"), "equal times");
	ASSERT_TRUE(gives(1000, "bl"), "the sequence numbers decide");
	ASSERT_TRUE(gives(1000, "bb"));
	ASSERT_EQ(rig.ev.parts[0].blk.control->seq_num, 13);
	ASSERT_EQ(rig.ev.parts[1].blk.control->seq_num, 23);
}

TEST("after a step of the clock, blocks are neither late nor lost", make_dir)
{
	open_rig(0, 2, false);
	zio_group_set_limit(rig.g, 0);
	put(0, 0, 9000);
	ASSERT_TRUE(gives(9000, "bt"), "a late channel");
	put(0, 1, 1000);
	ASSERT_TRUE(gives(1000, "bt"), "the clock steps back");
	put_all(2, 2000);
	ASSERT_TRUE(gives(2000, "bb") && !rig.ev.late, "a pair");
	put(0, 3, 3000);
	ASSERT_TRUE(gives(3000, "bt"), "a late channel that had blocks");
	put(0, 4, 500);
	put(1, 3, 500);
	ASSERT_TRUE(gives(500, "bb") && !rig.ev.late, "a pair after a step back");
}

TEST_EACH("a depth, and %s limit", make_dir, "no", "a long")
{
	int limit = value[0] == 'n' ? -1 : LONG_MS;
	uint32_t i;

	rig.g = zio_group_open(0, NULL);
	ASSERT_REFUSED(zio_group_set_depth(rig.g, 0));
	ASSERT_REFUSED(zio_group_set_depth(rig.g, 65537));
	ASSERT_TRUE(!zio_group_set_depth(rig.g, 4), "a depth");
	rig.n = 2;
	atexit(close_rig);
	zio_group_set_limit(rig.g, limit);
	ASSERT_TRUE(!stream_open(&rig.s[0], dir, true, 0));
	ASSERT_TRUE(!stream_open(&rig.s[1], dir, true, 0));
	ASSERT_EQ(zio_group_add(rig.g, rig.s[0].ch), 0);
	ASSERT_EQ(zio_group_add(rig.g, rig.s[1].ch), 1);
	ASSERT_TRUE(zio_group_set_depth(rig.g, 4) && errno == EBUSY);
	for (i = 0; i < 6; i++)
		put(0, i, i * 1000);
	if (limit < 0)
		ASSERT_TRUE(errs(0, EAGAIN) && zio_stats(rig.s[0].ch)->blocks == 4);
	else
		ASSERT_TRUE(gives(0, "bt") && gives(1000, "bt") &&
			    gives(2000, "bt") && errs(0, EAGAIN));
	for (i = 0; i < 6; i++)
		put(1, i, i * 1000);
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(gives(i * 1000, limit < 0 ? "bb" : "Gb"));
	for (; i < 6; i++)
		ASSERT_TRUE(gives(i * 1000, "bb") && !rig.ev.late, "both channels");
}

TEST("the descriptor of a channel changes while a block is partly read", make_dir)
{
	struct pollfd fd = { .events = POLLIN };
	struct zio_control control;

	open_rig(0, 2, true);
	stream_control(&control, 0, 1000, "clock0", 16);
	stream_put_control(&rig.s[0], &control);
	put(1, 0, 1000);
	ASSERT_TRUE(errs(0, EAGAIN) && errs(1, EAGAIN));
	fd.fd = zio_group_fd(rig.g);
	ASSERT_TRUE(!poll(&fd, 1, 0), "nothing to read");
	stream_put_data(&rig.s[0], &control);
	ASSERT_EQ(poll(&fd, 1, 10000), 1, "the data can be read");
	ASSERT_TRUE(zio_group_next(rig.g, &rig.ev, LONG_MS) == 1 && rig.ev.n_blocks == 2);
	ASSERT_TRUE(errs(0, EAGAIN) && !poll(&fd, 1, 0), "nothing again");
	stream_control(&control, 1, 2000, "clock0", 16);
	stream_put_control(&rig.s[0], &control);
	ASSERT_EQ(poll(&fd, 1, 10000), 1, "then the next control");
}

TEST("a large block, and a damaged file", make_dir)
{
	struct zio_control control;

	open_rig(0, 2, false);
	zio_set_max_block(rig.s[0].ch, 64);
	stream_control(&control, 0, 1000, "clock0", 65);
	stream_put_control(&rig.s[0], &control);
	stream_put_data(&rig.s[0], &control);
	ASSERT_TRUE(errs(0, EMSGSIZE));
	ASSERT_HAS(zio_group_reason(rig.g), "over the limit");
	ASSERT_EQ(zio_group_stats(rig.g)->errors, 1);
	put_all(1, 2000);
	ASSERT_TRUE(gives(2000, "bb"), "and the next one");
	put(1, 2, 3000);
	ASSERT_EQ(write(rig.s[0].ctrl, &(char[512]){ "no control" }, 512), 512);
	ASSERT_TRUE(gives(3000, "gb") && rig.ev.parts[0].error == EPROTO);
	ASSERT_HAS(zio_reason(rig.s[0].ch), "no block begins");
}

TEST("channels come and go", make_dir)
{
	open_rig(0, 2, false);
	put(0, 0, 1000);
	put(1, 0, 1000);
	put(1, 1, 2000);
	ASSERT_TRUE(gives(1000, "bb"), "two channels");
	ASSERT_TRUE(!stream_open(&rig.s[2], dir, true, ZIO_OPEN_CONTROL_ONLY));
	ASSERT_EQ(zio_group_add(rig.g, rig.s[2].ch), 2);
	ASSERT_ERRNO(zio_group_add(rig.g, rig.s[2].ch), EBUSY, "only once");
	rig.n = 3;
	put(0, 1, 2000);
	put(2, 0, 2000);
	ASSERT_TRUE(zio_group_next(rig.g, &rig.ev, 0) == 1 && rig.ev.n_blocks == 3);
	ASSERT_TRUE(rig.ev.parts[2].blk.size == 16 && !rig.ev.parts[2].blk.data);
	put(0, 2, 3000);
	ASSERT_TRUE(errs(0, EAGAIN), "an event waits");
	ASSERT_TRUE(!zio_close(rig.s[0].ch) && zio_group_stats(rig.g)->dropped == 1);
	rig.s[0].ch = NULL;
	put(1, 2, 3000);
	put(2, 1, 3000);
	ASSERT_TRUE(zio_group_next(rig.g, &rig.ev, 0) == 1 && rig.ev.n_parts == 2);
	ASSERT_TRUE(rig.ev.n_blocks == 2 && rig.ev.parts[0].ch == rig.s[1].ch);
}

static void *interrupt(void *g)
{
	zio_group_interrupt(g);
	return NULL;
}

TEST("another thread ends a wait", make_dir)
{
	pthread_t thread;

	open_rig(0, 2, false);
	pthread_create(&thread, NULL, interrupt, rig.g);
	ASSERT_TRUE(errs(LONG_MS, ECANCELED));
	ASSERT_HAS(zio_group_reason(rig.g), "interrupt");
	pthread_join(thread, NULL);
	ASSERT_TRUE(errs(-1, ECANCELED), "and all that follow");
	put_all(0, 1000);
	ASSERT_TRUE(gives(1000, "bb"), "a call that need not wait");
	zio_group_resume(rig.g);
	ASSERT_TRUE(errs(1, EAGAIN), "waits are possible again");
}

TEST("files on a disk are always ready, and never wait for each other", make_dir)
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
	ASSERT_TRUE(whole == 500 && zio_group_stats(g)->events == 1000);
	ASSERT_TRUE(zio_group_stats(g)->blocks == 1500 && !zio_group_stats(g)->late);
	zio_close(s[0].ch);
	zio_close(s[1].ch);
	zio_group_close(g);
}

TEST("wrong arguments", make_dir)
{
	struct zio_error err;
	struct zio_event ev;
	struct zio_channel *out;
	struct zio_group *empty;

	ASSERT_REFUSED(zio_group_add(NULL, NULL) == -1);
	ASSERT_REFUSED((zio_group_set_window(NULL, 0), true));
	ASSERT_REFUSED((zio_group_set_limit(NULL, 0), true));
	ASSERT_REFUSED(zio_group_set_depth(NULL, 1) == -1);
	ASSERT_REFUSED(zio_group_next(NULL, &ev, 0) == -1);
	ASSERT_REFUSED(zio_group_fd(NULL) == -1);
	ASSERT_REFUSED((zio_group_interrupt(NULL), true));
	ASSERT_REFUSED((zio_group_resume(NULL), true));
	ASSERT_REFUSED(!zio_group_stats(NULL));
	ASSERT_HAS(zio_group_reason(NULL), "NULL", "a reason without a group");
	zio_group_close(NULL);
	ASSERT_REFUSED(!zio_group_open(1 << 2, &err) && err.code == EINVAL);
	ASSERT_HAS(err.text, "flags");
	ASSERT_STR(zio_part_name(ZIO_PART_LATE), "late");
	ASSERT_TRUE(!zio_part_name(ZIO_PART_GIVEN + 1));
	open_rig(0, 1, false);
	ASSERT_REFUSED(zio_group_add(rig.g, NULL) == -1);
	ASSERT_REFUSED(zio_group_next(rig.g, NULL, 0) == -1);
	out = zio_open(in_dir("out"), ZIO_OPEN_OUTPUT | ZIO_OPEN_CREATE, NULL);
	ASSERT_ERRNO(zio_group_add(rig.g, out), EBADF);
	ASSERT_HAS(zio_group_reason(rig.g), "output");
	zio_close(out);
	empty = zio_group_open(0, NULL);
	ASSERT_TRUE(!zio_group_next(empty, &ev, -1));
	zio_group_close(empty);
}
