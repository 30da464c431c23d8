// SPDX-License-Identifier: GPL-2.0-only
/* node-change.c: the configuration changes under readers and writers */
#include "node.h"

#define MOST_QUEUED	128

struct shared {
	unsigned int stop;
	unsigned int reads;
};

/* Waits for a block, but not for ever: a switch may be off at the end. */
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
		same(sample[i], (uint8_t)(sample[0] + i));
}

/*
 * Reads blocks; a gap in their numbers is a loss, which the channel's statistics
 * have counted, and of which the next block that is made tells: the oldest are
 * lost ("prefer-new") when as many as fit are queued before that one. Adds up
 * how many the gaps say are lost.
 */
static void read_blocks(char *prefix, struct shared *shared, uint32_t *lost,
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
			same(errno, EAGAIN);
			if (!wait_block(pair.ctrl, shared))
				return;
			continue;
		}
		want(ctrl.seq_num >= next);
		*lost += ctrl.seq_num - next;
		if (ctrl.seq_num != next)
			gap = gap ? gap : next;
		if (ctrl.zio_alarms & ZIO_ALARM_LOST_BLOCK)
			gap = 0;
		if (gap && ctrl.seq_num - gap > MOST_QUEUED)
			fail("block %u was lost, and none up to %u has an alarm",
			     gap, ctrl.seq_num);
		next = ctrl.seq_num + 1;
		/* A read asks for more than there can be. */
		do {
			n = read(pair.data, buf, sizeof(buf));
		} while (n < 0 && errno == EAGAIN);
		same(n, (long long)ctrl.nsamples * ctrl.ssize);
		if (sawtooth)
			check_sawtooth(buf, n);
		__atomic_add_fetch(&shared->reads, 1, __ATOMIC_SEQ_CST);
	}
}

static void reader(char **arg, struct shared *shared, int sawtooth)
{
	unsigned long counted;
	uint32_t lost = 0;

	read_blocks(arg[0], shared, &lost, sawtooth);
	counted = read_number(arg[1]);
	if (lost > counted)
		fail("%u blocks are missing, %lu were counted", lost, counted);
	_exit(0);
}

static void writer(const char *prefix, struct shared *shared)
{
	int fd = open_node(prefix, "data", O_WRONLY | O_NONBLOCK);
	static char buf[5000];
	size_t n = 1;

	while (!get(&shared->stop)) {
		if (write(fd, buf, n) < 0)
			same(errno, EAGAIN);
		else
			__atomic_add_fetch(&shared->reads, 1, __ATOMIC_SEQ_CST);
		n = n * 7 % 4999;
	}
	_exit(0);
}

/* Values in turn, each file on its own, until the readers have had enough. */
static void change(char *path, char *values, struct shared *shared,
		   unsigned int reads)
{
	char *copy, *value, *save;

	while (get(&shared->reads) < reads) {
		copy = strdup(values);
		want(copy);
		for (value = strtok_r(copy, ",", &save); value;
		     value = strtok_r(NULL, ",", &save))
			write_text(path, value);
		free(copy);
	}
}

/*
 * readers A LOST_A B LOST_B FILE VALUES READS: FILE changes in turn to each of
 * the VALUES while two processes read, until READS blocks were read.
 */
static void do_readers(char **arg)
{
	struct shared *shared = share_memory(sizeof(struct shared));

	if (!fork())
		reader(arg, shared, 0);
	if (!fork())
		reader(arg + 2, shared, 1);
	change(arg[4], arg[5], shared, strtoul(arg[6], NULL, 0));
	__atomic_store_n(&shared->stop, 1, __ATOMIC_SEQ_CST);
	wait_children(2);
}

/* writers PREFIX FILE VALUES WRITES: the same under two writers */
static void do_writers(char **arg)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	int i;

	for (i = 0; i < 2; i++)
		if (!fork())
			writer(arg[0], shared);
	change(arg[1], arg[2], shared, strtoul(arg[3], NULL, 0));
	__atomic_store_n(&shared->stop, 1, __ATOMIC_SEQ_CST);
	wait_children(2);
}

/* count DATA N: reads N blocks of 16 bytes */
static void do_count(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY), n = strtoul(arg[1], NULL, 0);
	char buf[16];

	while (n--)
		same(read(fd, buf, sizeof(buf)), sizeof(buf));
}

/* queued CTRL: prints the numbers and alarms of the blocks that are queued */
static void do_queued(char **arg)
{
	int fd = open_file(arg[0], O_RDONLY);
	static struct zio_control ctrl[64];
	ssize_t n = read(fd, ctrl, sizeof(ctrl));
	int i;

	want(n >= 512);
	for (i = 0; i < n / 512; i++)
		printf("%u%s ", ctrl[i].seq_num,
		       ctrl[i].zio_alarms & ZIO_ALARM_LOST_BLOCK ? "!" : "");
	printf("\n");
}

static const struct command commands[] = {
	{ "readers", 7, do_readers },
	{ "writers", 4, do_writers },
	{ "count", 2, do_count },
	{ "queued", 1, do_queued },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 90);
}
