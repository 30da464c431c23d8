// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_test.c: the configuration changes under readers and writers; overruns count
 */
#include "board.h"
#include "harness.h"

#define IN0		ZZERO "-0-0"
#define IN2		ZZERO "-0-2"
#define OUT		ZZERO "-1-0"
#define CHAN0		CSET0 "/chan0"
#define LOST0		CHAN0 "/statistics/lost_blocks"
#define LOST2		CSET0 "/chan2/statistics/lost_blocks"
#define MOST_QUEUED	128

SETUP(fresh)
{
	renew_zzero();
}

struct shared {
	unsigned int stop;
	unsigned int reads;
};

/* Wait for a block, or for the end: a switch may be off then. */
static int wait_block(int fd, struct shared *shared)
{
	struct pollfd pfd = { fd, POLLIN, 0 };

	while (!get(&shared->stop))
		if (poll(&pfd, 1, 20) == 1)
			return 1;
	return 0;
}

static void check_sawtooth(const uint8_t *sample, uint32_t n)
{
	uint32_t i;

	for (i = 1; i < n; i++)
		ASSERT_EQ(sample[i], (uint8_t)(sample[0] + i));
}

/*
 * Read blocks and add up the gaps in their numbers. A gap is a loss. The statistics
 * count it, and the next block that is made has an alarm. With "prefer-new" up to
 * MOST_QUEUED blocks may be queued before that one.
 */
static void read_blocks(const char *prefix, struct shared *shared, uint32_t *lost,
			int sawtooth)
{
	struct pair pair = open_pair(prefix, O_RDONLY | O_NONBLOCK);
	struct zio_control ctrl;
	static uint8_t buf[70000];
	uint32_t next = 0, gap = 0;
	ssize_t n;

	while (!get(&shared->stop)) {
		n = read(pair.ctrl, &ctrl, sizeof(ctrl));
		if (n < 0) {
			ASSERT_EQ(errno, EAGAIN);
			if (!wait_block(pair.ctrl, shared))
				return;
			continue;
		}
		ASSERT_TRUE(ctrl.seq_num >= next);
		*lost += ctrl.seq_num - next;
		if (ctrl.seq_num != next)
			gap = gap ? gap : next;
		if (ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK)
			gap = 0;
		if (gap && ctrl.seq_num - gap > MOST_QUEUED)
			FAIL("block %u was lost, and none up to %u has an alarm",
			     gap, ctrl.seq_num);
		next = ctrl.seq_num + 1;
		/* The read asks for more than a block. */
		do {
			n = read(pair.data, buf, sizeof(buf));
		} while (n < 0 && errno == EAGAIN);
		ASSERT_EQ(n, (long long)ctrl.nsamples * ctrl.ssize);
		if (sawtooth)
			check_sawtooth(buf, n);
		add(&shared->reads);
	}
}

static void reader(const char *prefix, const char *lost_file,
		   struct shared *shared, int sawtooth)
{
	unsigned long counted;
	uint32_t lost = 0;

	read_blocks(prefix, shared, &lost, sawtooth);
	counted = read_number(lost_file);
	if (lost > counted)
		FAIL("%u blocks are missing, %lu were counted", lost, counted);
	_exit(0);
}

static void writer(const char *prefix, struct shared *shared)
{
	int fd = open_node(prefix, "data", O_WRONLY | O_NONBLOCK);
	static char buf[5000];
	size_t n = 1;

	while (!get(&shared->stop)) {
		if (write(fd, buf, n) < 0)
			ASSERT_EQ(errno, EAGAIN);
		else
			add(&shared->reads);
		n = n * 7 % 4999;
	}
	_exit(0);
}

/* Write the values in turn until the others have had enough blocks. */
static void change(const char *path, const char *values, struct shared *shared,
		   unsigned int reads)
{
	char *copy, *value, *save;

	while (get(&shared->reads) < reads) {
		copy = strdup(values);
		ASSERT_TRUE(copy);
		for (value = strtok_r(copy, ",", &save); value;
		     value = strtok_r(NULL, ",", &save))
			write_text(path, value);
		free(copy);
	}
}

static unsigned int enough_reads(void)
{
	return is_debug_kernel() ? 300 : 3000;
}

/* The file changes in turn to each of the values while two processes read. */
static void check_under_readers(const char *file, const char *values)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	char path[128];

	snprintf(path, sizeof(path), CSET0 "/%s", file);
	if (!fork_child())
		reader(IN0, LOST0, shared, 0);
	if (!fork_child())
		reader(IN2, LOST2, shared, 1);
	change(path, values, shared, enough_reads());
	set(&shared->stop, 1);
	wait_children(2);
}

/* The file changes while two processes write. */
static void check_under_writers(const char *file, const char *values)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	char path[128];
	int i;

	for (i = 0; i < 2; i++)
		if (!fork())
			writer(OUT, shared);
	snprintf(path, sizeof(path), CSET1 "/%s", file);
	change(path, values, shared, enough_reads());
	set(&shared->stop, 1);
	wait_children(2);
}

static void read_blocks_of_16(int n)
{
	int fd = open_file(IN2 "-data", O_RDONLY);
	char buf[16];

	while (n--)
		ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
}

TEST_EACH("a setting changes under readers: %s", fresh,
	  "trigger/nsamples 16,1,1000,17,5000,3",
	  "chan2/buffer/max-buffer-len 16,1,2,100,3",
	  "chan0/buffer/prefer-new 1,0", "chan2/buffer/watermark 1,2,16",
	  "chan0/enable 0,1", "chan1/enable 0,1", "trigger/enable 0,1", "enable 0,1",
	  "current_trigger user", "chan2/alarms 0,65535")
{
	char file[64], values[64];

	ASSERT_EQ(sscanf(value, "%63s %63s", file, values), 2);
	check_under_readers(file, values);
	write_text(CSET0 "/enable", "1");
	write_text(CSET0 "/trigger/enable", "1");
	write_text(CSET0 "/chan2/enable", "1");
	read_sawtooth(IN2 "-data", 7);
}

TEST_EACH("a setting changes under writers: %s", fresh,
	  "trigger/nsamples 16,1,1000,17,4096,3", "enable 0,1",
	  "chan0/buffer/max-buffer-len 16,1,100,2", "trigger/enable 0,1")
{
	char file[64], values[64];

	ASSERT_EQ(sscanf(value, "%63s %63s", file, values), 2);
	check_under_writers(file, values);
}

TEST("a write to alarms clears the bits that it names", fresh)
{
	read_blocks_of_16(25);
	write_text(CHAN0 "/alarms", "2");
	ASSERT_TEXT(CHAN0 "/alarms", "0x0001");
	write_text(CHAN0 "/alarms", "1");
	ASSERT_TEXT(CHAN0 "/alarms", "0x0000");
}
