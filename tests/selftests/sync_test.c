// SPDX-License-Identifier: GPL-2.0-only
/*
 * sync_test.c: fsync() of an output waits until its blocks are played
 *
 * # check
 */
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define OUT	ZZERO "-1-0"
#define PLAYED	CSET1 "/chan0/statistics/blocks"
#define LOST	CSET1 "/chan0/statistics/lost_blocks"
#define CLOCK1	ZIO_CONFIG "/triggers/hrt/clock1"

SETUP(fresh)
{
	renew_zzero();
}

/* The output plays a block each 5 ms. */
SETUP(timed)
{
	load("zio-trig-hrt");
	renew_zzero();
	ASSERT_TRUE(!mkdir(CLOCK1, 0755) || errno == EEXIST);
	write_text(CLOCK1 "/enable", "1");
	write_text(CLOCK1 "/period-ns", "5000000");
	write_text(CSET1 "/current_trigger", "clock1");
}

static void ignore(int signal)
{
	(void)signal;
}

/* Two blocks and a part of one are played. */
static void check_sync(void)
{
	int fd = open_node(OUT, "data", O_WRONLY);
	char sample[40] = { 0 };

	ASSERT_TRUE(!fsync(fd));
	ASSERT_EQ(write(fd, sample, sizeof(sample)), sizeof(sample));
	ASSERT_TRUE(!fsync(fd));
	ASSERT_EQ(read_number(PLAYED), 3);
	close(fd);
}

TEST("a signal ends an fsync() of what is never played", timed)
{
	struct sigaction action = { .sa_handler = ignore };
	int fd = open_node(OUT, "data", O_WRONLY);
	char sample[16] = { 0 };
	pid_t child;

	write_text(CLOCK1 "/enable", "0");
	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(write(fd, sample, sizeof(sample)), sizeof(sample));
	child = fork();
	if (!child) {
		for (;;) {
			kill(getppid(), SIGUSR1);
			usleep(10000);
		}
	}
	ASSERT_ERRNO(fsync(fd), EINTR);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);
}

TEST("fsync() returns when two blocks and a part have been played", fresh)
{
	check_sync();
}

TEST("fsync() returns when the clock has played the blocks", timed)
{
	check_sync();
}

TEST("a tick without a block is a loss and raises an alarm", timed)
{
	unsigned long lost = read_number(LOST);

	wait_for(10, read_number(LOST) > lost + 3);
	ASSERT_TRUE(read_number(CSET1 "/chan0/alarms") & 1);
	write_text(CSET1 "/current_trigger", "user");
	ASSERT_EQ(rmdir(CLOCK1), 0);
}
