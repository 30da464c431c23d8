// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream_test.c: a set with many blocks in flight, as its users see it
 *
 * Each tick of the board completes 8 blocks of 16 samples. Each sample is the one before
 * plus one, in the order of completion. The board makes no sample for a block that it
 * drops: a gap is in the sequence numbers only.
 *
 * # check
 * # single
 */
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "board.h"
#include "harness.h"
#include "order.h"
#include "ring.h"

#define BURST		8
#define STREAM_DIR	ZIO_CONFIG "/devices/zzero/stream"
#define NODE		"/dev/zio/zzero-0050-0"
#define CSET		"/sys/bus/zio/devices/zzero-0050/cset0"
#define CHAN		CSET "/chan0"
#define STATISTICS	CHAN "/statistics"

static void remove_stream(void)
{
	if (!exists(STREAM_DIR))
		return;
	write_text(STREAM_DIR "/live", "0");
	rmdir(STREAM_DIR);
}

static void make_stream(const char *channels)
{
	load("zio-zero");
	load("zio-buf-vmalloc");
	remove_stream();
	ASSERT_EQ(mkdir(STREAM_DIR, 0755), 0);
	write_text(STREAM_DIR "/id", "80");
	write_text(STREAM_DIR "/channels", channels);
	write_text(STREAM_DIR "/pattern", "sawtooth");
	write_text(STREAM_DIR "/stream", "8");
	write_text(STREAM_DIR "/live", "1");
}

SETUP(one_channel)
{
	make_stream("1");
}

SETUP(two_channels)
{
	make_stream("2");
}

SETUP(mapped)
{
	make_stream("1");
	write_text(CSET "/current_buffer", "vmalloc");
}

struct reader {
	struct pair pair;
	struct order order;
	uint8_t next;
	unsigned int alarms;
};

static struct reader open_reader(const char *prefix)
{
	return (struct reader){ .pair = open_pair(prefix, O_RDONLY) };
}

/* The samples go on, whatever was lost. */
static void check_block(struct reader *r, const struct zio_control *ctrl, const uint8_t *data)
{
	unsigned int i;

	order_control(&r->order, ctrl);
	if (r->order.blocks == 1)
		r->next = data[0];
	r->alarms |= ctrl->zio_alarms;
	for (i = 0; i < ctrl->nsamples; i++)
		ASSERT_EQ(data[i], r->next++);
}

static struct zio_control read_block(struct reader *r)
{
	struct zio_control ctrl = read_control(r->pair.ctrl);
	static uint8_t data[4096];

	ASSERT_EQ(read(r->pair.data, data, ctrl.nsamples), ctrl.nsamples);
	check_block(r, &ctrl, data);
	return ctrl;
}

/* Readers that are fast enough lose nothing: this one may be too slow, and counts. */
TEST("blocks come in order, and each loss is a gap", one_channel)
{
	struct reader r = open_reader(NODE "-0");
	unsigned long before = read_number(STATISTICS "/lost_blocks");
	unsigned int i;

	for (i = 0; i < 2000; i++)
		read_block(&r);
	/* All blocks until the last one that was read are counted. */
	ASSERT_TRUE(r.order.lost <= read_number(STATISTICS "/lost_blocks"));
	if (!r.order.lost)
		ASSERT_TRUE(!(r.alarms & ZIO_ALARM_LOST_BLOCK) || before);
}

static void check_rate(const char *expected)
{
	char text[64] = "";
	int fd = open_file(CSET "/sample-rate", O_RDONLY);

	ASSERT_TRUE(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	ASSERT_STR(text, expected);
}

static ssize_t try_rate(const char *text)
{
	int fd = open_file(CSET "/sample-rate", O_WRONLY);
	ssize_t n = write(fd, text, strlen(text));

	close(fd);
	return n;
}

/* 8 blocks of 16 samples each millisecond; the times are those of the samples, to the ns. */
TEST("each block begins where the one before ends", one_channel)
{
	struct reader r = open_reader(NODE "-0");
	struct zio_control first, ctrl;
	const uint32_t *std = ctrl.attr_trigger.std_val;
	unsigned int i;

	check_rate("128000\n");
	first = read_block(&r);
	for (i = 0; i < 800; i++) {
		ctrl = read_block(&r);
		ASSERT_EQ(std[ZIO_ATTR_TRIG_RATE_NUM], 128000);
		ASSERT_EQ(std[ZIO_ATTR_TRIG_RATE_DEN], 1);
		ASSERT_EQ(time_of(&ctrl) - time_of(&first),
			  125000LL * (ctrl.seq_num - first.seq_num));
	}
}

TEST("a user chooses the sample rate", one_channel)
{
	struct reader r;
	struct zio_control ctrl;

	write_text(CSET "/sample-rate", "1000000/3");
	ASSERT_EQ(read_number(CSET "/period-ns"), 384000);
	check_rate("1000000/3\n");
	write_text(CSET "/trigger/nsamples", "48");
	check_rate("1000000\n");
	r = open_reader(NODE "-0");
	do
		ctrl = read_block(&r);
	while (ctrl.nsamples != 48);
	ASSERT_EQ(ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_RATE_NUM], 1000000);
	ASSERT_ERRNO(try_rate("1"), ERANGE);
	ASSERT_ERRNO(try_rate("0"), ERANGE);
	ASSERT_ERRNO(try_rate("fast"), EINVAL);
}

TEST("a reader sleeps, and wakes for a tick", one_channel)
{
	int data = open_node(NODE "-0", "data", O_RDONLY | O_NONBLOCK);
	static uint8_t buf[65536];
	unsigned int i;

	write_text(CSET "/period-ns", "20000000");
	for (i = 0; i < 20; i++) {
		while (read(data, buf, sizeof(buf)) > 0)
			;
		ASSERT_EQ(errno, EAGAIN);
		ASSERT_EQ(poll_events(data, POLLIN, -1), POLLIN);
	}
}

TEST("a stream that nobody reads runs dry, and tells so", one_channel)
{
	struct reader r;
	unsigned int i;

	wait_for(10, read_number(STATISTICS "/dry"));
	ASSERT_EQ(read_number(STATISTICS "/in-flight"), 0);
	wait_for(10, read_number(STATISTICS "/lost_blocks") > 100);
	ASSERT_EQ(read_number(CHAN "/buffer/queued-buffer-len"), 16);
	ASSERT_EQ(read_number(STATISTICS "/dry"), 1);
	r = open_reader(NODE "-0");
	for (i = 0; i < 17; i++)
		read_block(&r);
	ASSERT_TRUE(r.order.lost > 100);
	ASSERT_EQ(r.alarms & ZIO_ALARM_DRY, ZIO_ALARM_DRY);
	ASSERT_EQ(r.alarms & ZIO_ALARM_LOST_BLOCK, ZIO_ALARM_LOST_BLOCK);
}

static unsigned long count_due(void)
{
	return read_number(STATISTICS "/blocks") + read_number(STATISTICS "/lost_blocks");
}

/* A tick each microsecond takes more than the half of the time that ticks may have. */
TEST("a late tick loses whole bursts", one_channel)
{
	unsigned long lost;
	unsigned int round;

	write_text(CSET "/period-ns", "1000");
	for (round = 0; round < 5; round++) {
		lost = read_number(STATISTICS "/lost_blocks");
		write_text(CSET "/enable", "1");
		wait_for(20, read_number(STATISTICS "/lost_blocks") > lost + 1000);
		write_text(CSET "/enable", "0");
		ASSERT_EQ(count_due() % BURST, 0);
	}
}

TEST("a change of the size stops the stream, and starts it again", one_channel)
{
	struct reader r = open_reader(NODE "-0");
	unsigned int i, n;
	char text[8];

	for (i = 1; i <= 20; i++) {
		snprintf(text, sizeof(text), "%u", i * 3);
		write_text(CSET "/trigger/nsamples", text);
		for (n = 0; n < 100 && read_block(&r).nsamples != i * 3; n++)
			;
		ASSERT_TRUE(n < 100);
	}
	ASSERT_TRUE(read_number(CSET "/statistics/fired") > 20);
}

TEST("a disabled stream stands still", one_channel)
{
	int data = open_node(NODE "-0", "data", O_RDONLY | O_NONBLOCK);
	static uint8_t buf[65536];

	write_text(CSET "/enable", "0");
	ASSERT_EQ(read_number(STATISTICS "/in-flight"), 0);
	while (read(data, buf, sizeof(buf)) > 0)
		;
	ASSERT_EQ(errno, EAGAIN);
	/* Twenty ticks would come in this time. */
	ASSERT_EQ(poll_events(data, POLLIN, 20), 0);
	write_text(CSET "/enable", "1");
	ASSERT_EQ(poll_events(data, POLLIN, -1), POLLIN);
}

static void *map(int fd, size_t offset, size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	ASSERT_TRUE(mem != MAP_FAILED);
	return mem;
}

static void read_ring(struct reader *r, struct ring *ring, unsigned int n)
{
	const struct zio_control *ctrl;

	while (n--) {
		ctrl = next_block(ring);
		check_block(r, ctrl, ring->data + offset_of(ctrl));
		release_block(ring);
	}
}

TEST("a program with the ring sees all blocks", mapped)
{
	struct ring ring = open_ring(NODE "-0");
	struct reader r = { 0 };

	read_ring(&r, &ring, 3000);
	close_ring(&ring);
}

static void use_tap(void)
{
	close(open_tap(NODE "-0", 0));
}

/* The buffer has room for more ticks than come in a round. */
TEST("readers, rings and taps come and go, and the stream goes on", mapped)
{
	unsigned long fired, dry, lost, i;
	struct reader r = { 0 };
	struct ring ring;

	write_text(CSET "/enable", "0");
	write_text(CHAN "/flush", "1");
	write_text(CSET "/period-ns", "10000000");
	write_text(CHAN "/buffer/max-buffer-kb", "1024");
	write_text(CHAN "/buffer/max-buffer-len", "8000");
	write_text(CSET "/enable", "1");
	fired = read_number(CSET "/statistics/fired");
	dry = read_number(STATISTICS "/dry");
	lost = read_number(STATISTICS "/lost_blocks");
	for (i = 0; i < 30; i++) {
		ring = open_ring(NODE "-0");
		use_tap();
		read_ring(&r, &ring, 5 + i);
		close_ring(&ring);
		r.pair = open_pair(NODE "-0", O_RDONLY);
		read_block(&r);
		read_block(&r);
		close_pair(r.pair);
	}
	ASSERT_EQ(read_number(CSET "/statistics/fired"), fired);
	ASSERT_EQ(read_number(STATISTICS "/dry"), dry);
	/* On a busy machine a tick may be late. The board says what it has missed. */
	ASSERT_TRUE(r.order.lost <= read_number(STATISTICS "/lost_blocks") - lost);
}

TEST("a ring that was full goes on after a poll", mapped)
{
	int ctrl = open_node(NODE "-0", "ctrl", O_RDWR);
	struct zio_ring_header *hdr = map(ctrl, 0, PAGE, PROT_READ | PROT_WRITE);
	uint32_t head;

	wait_for(10, read_number(STATISTICS "/dry"));
	head = __atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE);
	__atomic_store_n(&hdr->tail, head, __ATOMIC_RELEASE);
	ASSERT_EQ(poll_events(ctrl, POLLIN, -1), POLLIN);
	ASSERT_TRUE(__atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE) != head);
}

TEST("the parameter of the module makes a stream of each board's cset0", NULL)
{
	unsigned long due;

	remove_stream();
	reload("zio-zero", "ndev=2 stream=12");
	ASSERT_EQ(read_number(CSET0 "/queue-depth"), 24);
	ASSERT_EQ(read_number("/sys/bus/zio/devices/zzero-0001/cset0/queue-depth"), 24);
	wait_for(10, read_number(CSET0 "/chan1/statistics/lost_blocks") > 100);
	write_text(CSET0 "/enable", "0");
	due = read_number(CSET0 "/chan1/statistics/blocks") +
		read_number(CSET0 "/chan1/statistics/lost_blocks");
	ASSERT_EQ(due % 12, 0);
	unload("zio-zero");
	ASSERT_TRUE(shell("zio-load zio-zero stream=4097 2>/dev/null"));
}

#define MOST_BLOCKS	(1u << 20)
#define READERS		4

/* Each sample follows the one before it: no other reader has got a part of the block. */
static void __attribute__((noreturn)) read_own_blocks(uint8_t *seen)
{
	struct pair pair = open_pair(NODE "-0", O_RDONLY);
	struct zio_control ctrl;
	unsigned int i, k;
	uint8_t data[16];

	for (i = 0; i < 500; i++) {
		ctrl = read_control(pair.ctrl);
		ASSERT_TRUE(ctrl.seq_num < MOST_BLOCKS);
		ASSERT_EQ(__atomic_fetch_add(&seen[ctrl.seq_num], 1, __ATOMIC_RELAXED), 0);
		ASSERT_EQ(read(pair.data, data, sizeof(data)), sizeof(data));
		for (k = 1; k < sizeof(data); k++)
			ASSERT_EQ(data[k], (uint8_t)(data[0] + k));
	}
	_exit(0);
}

TEST("each block goes to one of several readers", one_channel)
{
	uint8_t *seen = share_memory(MOST_BLOCKS);
	unsigned int i;

	write_text(CSET "/period-ns", "1000000");
	for (i = 0; i < READERS; i++)
		if (!fork_child())
			read_own_blocks(seen);
	wait_children(READERS);
}

TEST("the board goes while readers wait and read", two_channels)
{
	int round, i;

	for (round = 0; round < 5; round++) {
		unsigned int *calls = share_memory(2 * sizeof(*calls)), *opened = calls + 1;

		make_stream("2");
		for (i = 0; i < 4; i++) {
			static uint8_t buf[4096];
			int fd;

			if (fork_child())
				continue;
			fd = open_node(i & 1 ? NODE "-0" : NODE "-1", i & 2 ? "ctrl" : "data",
				       O_RDONLY);
			add(opened);
			while (read(fd, buf, sizeof(buf)) > 0)
				add(calls);
			ASSERT_EQ(errno, ENODEV);
			_exit(0);
		}
		while (get(calls) < 100 || get(opened) < 4)
			usleep(1000);
		write_text(STREAM_DIR "/live", "0");
		wait_children(4);
	}
	remove_stream();
}
