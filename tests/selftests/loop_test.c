// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop_test.c: what is written to zio-loop comes back, whatever the sizes, triggers and
 * accidents
 *
 * # single
 */
#include <sched.h>

#include "board.h"
#include "hammer.h"
#include "harness.h"

#define OUT		"/dev/zio/zloop-0000-0"
#define IN		"/dev/zio/zloop-0000-1"
#define ZLOOP		"/sys/bus/zio/devices/zloop-0000"
#define LOST0		ZLOOP "/cset0/chan0/statistics/lost_blocks"
#define LOST1		ZLOOP "/cset1/chan0/statistics/lost_blocks"
#define LOOP_MORE	1
#define LOOP_EMPTY	2

/* A board with one channel in each set. */
static void renew_loop(void)
{
	if (exists(ZLOOP "/cset0/chan1"))
		unload("zio-loop");
	load("zio-loop");
	renew("zio-loop", 0);
}

SETUP(fresh)
{
	renew_loop();
}

SETUP(two_channels)
{
	reload("zio-loop", "nchan=3");
	write_text(ZLOOP "/cset0/chan2/enable", "0");
	write_text(ZLOOP "/cset1/chan2/enable", "0");
}

static void set_buffers(const char *buffer)
{
	load("zio-buf-vmalloc");
	renew_loop();
	write_text(ZLOOP "/cset0/current_buffer", buffer);
	write_text(ZLOOP "/cset1/current_buffer", buffer);
}

SETUP(fresh_buffers)
{
	set_buffers(value);
}

static uint32_t many_blocks(void)
{
	return is_debug_kernel() ? 1000 : 10000;
}

static void check_nothing_lost(void)
{
	ASSERT_EQ(read_number(LOST0), 0);
	ASSERT_EQ(read_number(LOST1), 0);
}

/* Sample k of block i of channel c. */
static uint8_t sample_of(uint32_t i, uint32_t c, size_t k)
{
	return i * 31 + c * 7 + k;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

static struct zio_control make_control(uint32_t i, uint32_t n)
{
	return (struct zio_control) {
		.major_version = ZIO_MAJOR_VERSION,
		.nsamples = n,
		.ssize = 1,
		.tstamp = { .secs = i + 1, .ticks = i * 3, .bins = i * 5 },
	};
}

static void write_block(struct pair pair, uint32_t i, uint32_t c, size_t n)
{
	struct zio_control ctrl = make_control(i, n);
	static uint8_t buf[70000];
	size_t k;

	for (k = 0; k < n; k++)
		buf[k] = sample_of(i, c, k);
	ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	ASSERT_EQ(write(pair.data, buf, n), n);
}

static void check_time(const struct zio_control *ctrl, uint32_t i)
{
	ASSERT_EQ(ctrl->tstamp.secs, i + 1);
	ASSERT_EQ(ctrl->tstamp.ticks, i * 3);
	ASSERT_EQ(ctrl->tstamp.bins, i * 5);
}

/* 13 is prime: lengths and parts meet in all ways. */
static size_t length_of(uint32_t i, size_t most)
{
	return 1 + i * 13 % most;
}

/*
 * Blocks of 1 to @most samples are read in parts of at most @part, on another
 * processor.
 */
static void check_round_trip(uint32_t blocks, size_t most, size_t part)
{
	uint32_t i, seq = 0;
	size_t n, k, got;
	static uint8_t buf[70000];
	struct zio_control ctrl;
	struct pair pair;

	if (!fork()) {
		stay_on(1);
		pair = open_pair(OUT "-0", O_WRONLY);
		for (i = 0; i < blocks; i++)
			write_block(pair, i, 0, length_of(i, most));
		_exit(0);
	}
	stay_on(0);
	pair = open_pair(IN "-0", O_RDONLY);
	for (i = 0; i < blocks; i++) {
		n = length_of(i, most);
		for (got = 0; got < n; got += ctrl.nsamples) {
			ctrl = read_control(pair.ctrl);
			seq = i || got ? seq : ctrl.seq_num;
			ASSERT_EQ(ctrl.seq_num, seq++);
			/* A tick that finds the input armed loses no block. */
			ASSERT_EQ(ctrl.zio_alarms & ~ZIO_ALARM_LOST_TRIGGER, 0);
			check_time(&ctrl, i);
			ASSERT_EQ(ctrl.nsamples, n - got < part ? n - got : part);
			ASSERT_EQ(ctrl.drv_alarms, n - got > part ? LOOP_MORE : 0);
			ASSERT_EQ(read(pair.data, buf, sizeof(buf)), ctrl.nsamples);
			for (k = 0; k < ctrl.nsamples; k++)
				ASSERT_EQ(buf[k], sample_of(i, 0, got + k));
		}
	}
	wait_children(1);
}

/* Channels 0 and 1 play so many samples at once; 0: the channel is disabled. */
static void check_lengths(size_t len0, size_t len1)
{
	size_t len[2] = { len0, len1 };
	struct zio_control ctrl;
	struct pair in[2];
	char prefix[200];
	uint8_t buf[256];
	int c;

	for (c = 0; c < 2; c++) {
		snprintf(prefix, sizeof(prefix), "%s-%d", IN, c);
		in[c] = open_pair(prefix, O_RDONLY);
	}
	for (c = 0; c < 2; c++) {
		snprintf(prefix, sizeof(prefix), "%s-%d", OUT, c);
		if (len[c])
			write_block(open_pair(prefix, O_WRONLY), 1, c, len[c]);
	}
	for (c = 0; c < 2; c++) {
		ctrl = read_control(in[c].ctrl);
		ASSERT_EQ(ctrl.nsamples, len[c]);
		ASSERT_EQ(ctrl.drv_alarms, len[c] ? 0 : LOOP_EMPTY);
		if (len[c])
			check_time(&ctrl, 1);
		ASSERT_EQ(read(in[c].data, buf, sizeof(buf)), len[c]);
		if (len[c])
			ASSERT_EQ(buf[0], sample_of(1, c, 0));
	}
}

TEST("a block without a time gets the time at which the input was armed", fresh)
{
	int out = open_node(OUT "-0", "data", O_WRONLY);
	int in = open_node(IN "-0", "ctrl", O_RDONLY);
	struct timespec before, after;
	struct zio_control ctrl;
	uint8_t buf[16] = { 0 };

	ASSERT_EQ(write(out, buf, sizeof(buf)), sizeof(buf));
	clock_gettime(CLOCK_REALTIME, &before);
	ctrl = read_control(in);
	clock_gettime(CLOCK_REALTIME, &after);
	ASSERT_EQ(ctrl.tstamp.bins, 0);
	ASSERT_TRUE(ctrl.tstamp.secs > (uint64_t)before.tv_sec ||
		    (ctrl.tstamp.secs == (uint64_t)before.tv_sec &&
		     ctrl.tstamp.ticks + 10000000 >= (uint64_t)before.tv_nsec));
	ASSERT_TRUE(ctrl.tstamp.secs <= (uint64_t)after.tv_sec);
}

TEST("a time of bins alone is a time", fresh)
{
	struct zio_control ctrl = make_control(0, 1);
	struct pair out = open_pair(OUT "-0", O_WRONLY);
	int in = open_node(IN "-0", "ctrl", O_RDONLY);

	ctrl.tstamp = (struct zio_timestamp){ .bins = 7 };
	ASSERT_EQ(write(out.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	ASSERT_EQ(write(out.data, "x", 1), 1);
	ctrl = read_control(in);
	ASSERT_EQ(ctrl.tstamp.secs, 0);
	ASSERT_EQ(ctrl.tstamp.ticks, 0);
	ASSERT_EQ(ctrl.tstamp.bins, 7);
}

static void fill_in_place(const char *prefix, uint32_t blocks, size_t size)
{
	struct pair pair = open_pair(prefix, O_RDWR);
	struct zio_control ctrl;
	uint8_t *mem, *data;
	uint32_t i, k;

	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, pair.data, 0);
	ASSERT_TRUE(mem != MAP_FAILED);
	for (i = 0; i < blocks; i++) {
		ctrl = read_control(pair.ctrl);
		data = mem + offset_of(&ctrl);
		ctrl.nsamples = length_of(i, ctrl.nsamples);
		ctrl.tstamp = make_control(i, 0).tstamp;
		for (k = 0; k < ctrl.nsamples; k++)
			data[k] = sample_of(i, 0, k);
		ASSERT_EQ(write(pair.ctrl, &ctrl, sizeof(ctrl)), sizeof(ctrl));
	}
}

/* The output is filled in place, and the input is read from a ring. */
static void check_ring(uint32_t blocks, size_t size)
{
	uint32_t i, k, most = 16;
	int ctrl = open_node(IN "-0", "ctrl", O_RDWR);
	int data = open_node(IN "-0", "data", O_RDONLY);
	struct pollfd pfd = { ctrl, POLLIN, 0 };
	const struct zio_control *slot, *slots;
	struct zio_ring_header *hdr;
	const uint8_t *mem;

	hdr = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ctrl, 0);
	ASSERT_TRUE(hdr != MAP_FAILED);
	slots = mmap(NULL, (size_t)hdr->n_slots * hdr->slot_size, PROT_READ,
		     MAP_SHARED, ctrl, hdr->slots_offset);
	mem = mmap(NULL, hdr->data_size, PROT_READ, MAP_SHARED, data, 0);
	ASSERT_TRUE(slots != MAP_FAILED && mem != MAP_FAILED);
	if (!fork()) {
		stay_on(1);
		fill_in_place(OUT "-0", blocks, size);
		_exit(0);
	}
	stay_on(0);
	for (i = 0; i < blocks; i++) {
		while (__atomic_load_n(&hdr->head, __ATOMIC_ACQUIRE) == hdr->tail)
			ASSERT_TRUE(poll(&pfd, 1, -1) == 1);
		slot = &slots[hdr->tail & (hdr->n_slots - 1)];
		ASSERT_EQ(slot->seq_num, i);
		check_time(slot, i);
		ASSERT_EQ(slot->nsamples, length_of(i, most));
		for (k = 0; k < slot->nsamples; k++)
			ASSERT_EQ(mem[offset_of(slot) + k], sample_of(i, 0, k));
		__atomic_store_n(&hdr->tail, hdr->tail + 1, __ATOMIC_RELEASE);
	}
	wait_children(1);
}

/* Shared by the writer, the process that changes settings, and the reader. */
struct storm {
	unsigned int written, stop, calm, changes;
};

static void write_storm(const char *prefix, struct storm *storm)
{
	struct pair pair = open_pair(prefix, O_WRONLY);
	uint32_t i;

	stay_on(1);
	for (i = 0; !get(&storm->stop); i++) {
		write_block(pair, i, 0, 16);
		set(&storm->written, i + 1);
	}
	_exit(0);
}

/* @change: "FILE=A,B"; B is the value before. */
static void change_file(const char *change)
{
	char *copy = strdup(change), *file = strtok(copy, "=");
	char *first = strtok(NULL, ","), *second = strtok(NULL, ",");

	write_text(file, first);
	write_text(file, second);
	free(copy);
}

static void change_settings(struct storm *storm, unsigned int n)
{
	static const char *const changes[] = {
		ZLOOP "/cset0/enable=0,1", ZLOOP "/cset1/enable=0,1",
		ZLOOP "/cset0/trigger/enable=0,1",
		ZLOOP "/cset1/trigger/enable=0,1",
		ZLOOP "/cset1/current_trigger=transparent,user",
		ZLOOP "/cset1/trigger/nsamples=40,16",
		ZLOOP "/cset0/trigger/nsamples=40,16", NULL
	};
	const char *const *pos;
	unsigned int i, rounds;

	for (rounds = 0; rounds < n; rounds++)
		for (pos = changes; *pos; pos++) {
			change_file(*pos);
			add(&storm->changes);
			/* Some blocks pass between two changes. */
			for (i = get(&storm->written); get(&storm->written) < i + 3;)
				usleep(200);
		}
	set(&storm->stop, 1);
	_exit(0);
}

/* The time of a block is its number. Blocks come in order, and each once. */
static unsigned int read_storm(int ctrl, uint64_t *last)
{
	struct zio_control c;
	unsigned int n = 0;

	while (read(ctrl, &c, sizeof(c)) == sizeof(c)) {
		ASSERT_TRUE(c.tstamp.secs > *last);
		*last = c.tstamp.secs;
		ASSERT_EQ(c.drv_alarms, 0);
		n++;
	}
	ASSERT_EQ(errno, EAGAIN);
	return n;
}

/*
 * What was written has been read, or is counted as lost, while settings of both sides
 * change.
 */
static void check_storm(void)
{
	struct storm *storm = share_memory(sizeof(*storm));
	int ctrl = open_node(IN "-0", "ctrl", O_RDONLY | O_NONBLOCK);
	unsigned int got = 0, children = 2;
	struct pollfd pfd = { ctrl, POLLIN, 0 };
	uint64_t last = 0;
	int status;

	if (!fork())
		write_storm(OUT "-0", storm);
	if (!fork())
		change_settings(storm, is_debug_kernel() ? 20 : 100);
	stay_on(0);
	while (children) {
		poll(&pfd, 1, 1);
		got += read_storm(ctrl, &last);
		while (waitpid(-1, &status, WNOHANG) > 0) {
			ASSERT_EQ(status, 0);
			children--;
		}
	}
	while (got + read_number(LOST0) < storm->written) {
		poll(&pfd, 1, 100);
		got += read_storm(ctrl, &last);
	}
	ASSERT_EQ(got + read_number(LOST0), storm->written);
	diag("%u written, %u read, %lu lost, %u changes", storm->written, got,
	       read_number(LOST0), storm->changes);
}

TEST("blocks come back, trigger user", fresh)
{
	check_round_trip(many_blocks(), 16, 16);
	check_nothing_lost();
}

TEST("blocks come back, input transparent", fresh)
{
	write_text(ZLOOP "/cset1/current_trigger", "transparent");
	check_round_trip(many_blocks(), 16, 16);
	check_nothing_lost();
}

TEST_EACH("blocks of the output, and of the input: %s samples", fresh,
	  "16 5", "5 16", "1 1", "1000 7", "4096 4096", "65536 1000")
{
	unsigned int most, part;

	ASSERT_EQ(sscanf(value, "%u %u", &most, &part), 2);
	set_number(ZLOOP "/cset0/trigger/nsamples", most);
	set_number(ZLOOP "/cset1/trigger/nsamples", part);
	check_round_trip(200, most, part);
	check_nothing_lost();
}

TEST("two channels play blocks of the same and of different length", two_channels)
{
	check_lengths(16, 16);
	check_lengths(16, 3);
	check_lengths(2, 16);
}

TEST_EACH("output channel %s is disabled", two_channels, "1", "0")
{
	set_file("0", ZLOOP "/cset0/chan%s/enable", value);
	check_lengths(*value == '0' ? 0 : 16, *value == '1' ? 0 : 16);
}

TEST("an output channel whose input is disabled has an alarm", two_channels)
{
	char buf[16];
	int fd;

	write_text(ZLOOP "/cset1/chan1/enable", "0");
	ASSERT_TEXT(ZLOOP "/cset0/chan1/alarms", "0x0000");
	write_text(OUT "-0-data", "0123456789abcdef");
	write_text(OUT "-1-data", "0123456789abcdef");
	fd = open_node(IN "-0", "data", O_RDONLY);
	ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
	ASSERT_EQ(memcmp(buf, "0123456789abcdef", sizeof(buf)), 0);
	ASSERT_TEXT(ZLOOP "/cset0/chan1/alarms", "0x0400");
	ASSERT_TEXT(ZLOOP "/cset0/chan0/alarms", "0x0000");
}

static void use_ticks(int cset, const char *period_ns)
{
	load("zio-trig-hrt");
	set_file("hrt", ZLOOP "/cset%d/current_trigger", cset);
	set_file(period_ns, ZLOOP "/cset%d/trigger/period-ns", cset);
}

/*
 * A tick of the input that finds its queue full loses a block, and counts it. The queue
 * has room for all blocks, so a reader that does not run for a while loses none. The
 * change comes before the ticks: it takes back an armed block, and counts it as lost.
 */
static void use_long_queue(void)
{
	write_text(ZLOOP "/cset1/chan0/buffer/max-buffer-len", "256");
}

TEST_EACH("cset%s plays at ticks", fresh, "0", "1")
{
	use_long_queue();
	use_ticks(atoi(value), "1000000");
	check_round_trip(200, 16, 16);
}

TEST("both sets play at ticks", fresh)
{
	use_long_queue();
	use_ticks(0, "500000");
	use_ticks(1, "500000");
	check_round_trip(200, 16, 16);
}

TEST_EACH("the output is filled in place and the input is a ring, %s", fresh_buffers,
	  "vmalloc")
{
	write_text(ZLOOP "/cset1/current_trigger", "transparent");
	check_ring(many_blocks(),
		   read_number(ZLOOP "/cset0/chan0/buffer/max-buffer-kb") * 1024);
	write_text(ZLOOP "/cset1/current_trigger", "user");
	check_nothing_lost();
}

TEST_EACH("each block is read or counted while settings change, %s", fresh_buffers,
	  "kmalloc", "vmalloc")
{
	check_storm();
	ASSERT_EQ(read_number(LOST1), 0);
}

/* The block of the output is armed, and no process reads the loop. */
SETUP(armed)
{
	renew_loop();
	write_text(OUT "-0-data", "0123456789abcdef");
}

TEST("the board is unbound while a block is armed", armed)
{
	unbind_board("zio-loop", 0);
}

TEST("a set with an armed block is disabled and loses it", armed)
{
	write_text(ZLOOP "/cset0/enable", "0");
	ASSERT_EQ(read_number(LOST0), 1);
}

TEST("an armed block is lost at the time-out", armed)
{
	write_text(ZLOOP "/cset0/timeout-ms", "20");
	wait_for(20, read_number(LOST0) == 1);
}

TEST_EACH("the board is unbound under busy users, time %s",
	  fresh, "1", "2", "3", "4", "5")
{
	unbind_under_users(IN "-0", OUT "-0", DRIVERS "/zio-loop/unbind", "zio-loop.0");
	ASSERT_TRUE(!exists(ZLOOP));
	ASSERT_TRUE(!exists(IN "-0-data"));
	bind_board("zio-loop", 0);
	check_round_trip(100, 16, 16);
}
