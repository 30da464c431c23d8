// SPDX-License-Identifier: GPL-2.0-only
/*
 * removal_test.c: boards that go while processes of low priority poll them
 *
 * The pollers run on processor 0 whenever nothing else does. A busy process stops them
 * anywhere in the kernel. Meanwhile the board goes, on processor 1. So a poll for
 * which the removal does not wait finds freed memory, in one trial of a few.
 * ZIO_REMOVAL_TRIALS sets the number of trials.
 *
 * # kasan
 * # rt
 * # preempt
 * # delays
 */
#include <sched.h>
#include <sys/stat.h>
#include <time.h>

#include <linux/zio-ring.h>

#include "board.h"
#include "harness.h"

#define BOARD	ZIO_CONFIG "/devices/zzero/removal"
#define NODES	"/dev/zio/zzero-0009"
#define N_POLLERS	2
#define POLLS	20	/* of each poller, before the board goes */
#define BUSY_NS	1000000000LL	/* a poller that holds the removal back runs after that */

struct shared {
	unsigned int polls[N_POLLERS];
	unsigned int is_busy, stop;
};

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static unsigned int count_trials(void)
{
	const char *text = getenv("ZIO_REMOVAL_TRIALS");
	unsigned int n = text ? strtoul(text, NULL, 0) : 0;

	return n ?: is_debug_kernel() ? 4 : 12;
}

SETUP(need_two)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one processor");
	load("zio-buf-vmalloc");
	load("zio-zero");
	if (!exists(BOARD))
		ASSERT_EQ(mkdir(BOARD, 0755), 0);
	write_text(BOARD "/id", "9");
	write_text(BOARD "/csets", "2");
	write_text(BOARD "/channels", "2");
	write_text(BOARD "/nsamples", "1");
}

/* Takes what has come: from a ring, or by a read that does not wait. */
static void take_blocks(int fd, volatile struct zio_ring_header *ring)
{
	char sample[64];

	if (ring)
		ring->tail = ring->head;
	else if (read(fd, sample, sizeof(sample)) < 0)
		ASSERT_TRUE(errno == EAGAIN || errno == ENODEV);
}

static void poll_until_hangup(const char *path, unsigned int *polls)
{
	bool has_ring = strstr(path, "-ctrl");
	int fd = open_file(path, (has_ring ? O_RDWR : O_RDONLY) | O_NONBLOCK);
	struct sched_param param = { 0 };
	volatile struct zio_ring_header *ring = NULL;

	if (has_ring) {
		ring = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		ASSERT_TRUE(ring != MAP_FAILED);
	}
	run_on(0);
	ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE, &param), 0);
	while (!(poll_events(fd, POLLIN, 100) & POLLHUP)) {
		take_blocks(fd, ring);
		add(polls);
	}
	_exit(0);
}

static void keep_busy(struct shared *shared)
{
	int64_t end = now_ns() + BUSY_NS;

	run_on(0);
	set(&shared->is_busy, 1);
	while (!get(&shared->stop) && now_ns() < end)
		;
	_exit(0);
}

static void start_pollers(struct shared *shared, const char *format)
{
	char path[64];
	int i;

	for (i = 0; i < N_POLLERS; i++) {
		snprintf(path, sizeof(path), format, i);
		if (!fork_child())
			poll_until_hangup(path, &shared->polls[i]);
	}
	for (i = 0; i < N_POLLERS; i++)
		while (get(&shared->polls[i]) < POLLS)
			usleep(500);
}

static void remove_under_pollers(struct shared *shared, const char *format)
{
	memset(shared, 0, sizeof(*shared));
	write_text(BOARD "/live", "1");
	write_text("/sys/bus/zio/devices/zzero-0009/cset0/current_buffer", "vmalloc");
	write_text("/sys/bus/zio/devices/zzero-0009/cset1/current_buffer", "vmalloc");
	start_pollers(shared, format);
	if (!fork_child())
		keep_busy(shared);
	while (!get(&shared->is_busy))
		usleep(100);
	write_text(BOARD "/live", "0");
	set(&shared->stop, 1);
	wait_children(N_POLLERS + 1);
}

TEST_EACH("the board goes under polls of %s", need_two,
	  NODES "-%d-ctrl", NODES "-0-%d-ctrl", NODES "-1-%d-data")
{
	struct shared *shared = share_memory(sizeof(*shared));
	unsigned int n = count_trials(), i;

	run_on(1);
	for (i = 0; i < n; i++)
		remove_under_pollers(shared, value);
	diag("%u boards have gone", n);
}

TEST("nothing is left")
{
	ASSERT_EQ(rmdir(BOARD), 0);
	ASSERT_EQ(count_objects("zzero-0009"), 0);
}
