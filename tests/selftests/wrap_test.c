// SPDX-License-Identifier: GPL-2.0-only
/*
 * wrap_test.c: counters of 32 bits wrap: heads, tails, sequence numbers, blocks played
 *
 * # model: first-count
 * # not kasan: the KUnit suites zio-queue and zio-ring wrap there
 */
#include <sys/syscall.h>

#include "board.h"
#include "harness.h"
#include "ring.h"

#define IN	ZZERO "-0-2"
#define OUT	ZZERO "-1-0"
#define FIRST	4294967200u

static void begin_at_first(const char *prefix)
{
	run("insmod /selftests/first-count.ko node=%s-ctrl count=%u && rmmod first_count", prefix,
	    FIRST);
}

/* The counters of a new board begin at FIRST, shortly before their wrap. */
static void renew_board(const char *buffer)
{
	renew_zzero();
	write_text(CSET0 "/current_buffer", buffer);
	write_text(CSET1 "/current_buffer", buffer);
	write_text(CSET0 "/chan0/enable", "0");
	write_text(CSET0 "/chan1/enable", "0");
	begin_at_first(ZZERO "-0-0");
	begin_at_first(IN);
	begin_at_first(OUT);
}

SETUP(fresh)
{
	renew_board(value);
}

SETUP(fresh_kmalloc)
{
	renew_board("kmalloc");
}

SETUP(fresh_vmalloc)
{
	renew_board("vmalloc");
}

/* Return: the sequence number of the next block, which is read */
static uint32_t next_number(void)
{
	struct pair pair = open_pair(IN, O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	char buf[16];

	ASSERT_EQ(read(pair.data, buf, sizeof(buf)), sizeof(buf));
	close_pair(pair);
	return ctrl.seq_num;
}

/* @n blocks follow each other, and their numbers wrap. */
static void check_follow(const char *prefix, unsigned long n)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	unsigned long i;
	uint32_t first = ctrl.seq_num;

	for (i = 1; i < n; i++) {
		ctrl = read_control(pair.ctrl);
		ASSERT_EQ(ctrl.seq_num, (uint32_t)(first + i));
		ASSERT_EQ(ctrl.zio_alarms, 0);
	}
	ASSERT_TRUE(ctrl.seq_num < first);
}

/* Keep a block in hand, of which the control has been read, until a byte comes. */
static void hold_block(const char *prefix, int go)
{
	int fd = open_node(prefix, "ctrl", O_RDONLY);
	char c;

	read_control(fd);
	ASSERT_EQ(read(go, &c, 1), 1);
	_exit(0);
}

/* Five blocks are unread. They come in order. */
static void check_order(int fd)
{
	uint8_t byte, last;
	int i;

	ASSERT_EQ(read(fd, &last, 1), 1);
	for (i = 1; i < 5 * 16; i++) {
		ASSERT_EQ(read(fd, &byte, 1), 1);
		ASSERT_EQ(byte, (uint8_t)(last + 1));
		last = byte;
	}
}

TEST_EACH("unread blocks of two readers keep their order over the wrap, %s", fresh,
	  "kmalloc", "vmalloc")
{
	unsigned long n = 200, i;
	struct zio_control ctrl[4];
	struct pair pair;
	int go[2];
	pid_t child;

	for (i = 0; i < n; i += 5) {
		pair = open_pair(IN, O_RDONLY);
		ASSERT_EQ(pipe(go), 0);
		child = fork();
		ASSERT_TRUE(child >= 0);
		if (!child)
			hold_block(IN, go[0]);
		ASSERT_EQ(read(pair.ctrl, ctrl, sizeof(ctrl)), sizeof(ctrl));
		ASSERT_EQ(write(go[1], "", 1), 1);
		wait_children(1);
		close_pair(pair);
		close(go[0]);
		close(go[1]);
		pair.data = open_node(IN, "data", O_RDONLY);
		check_order(pair.data);
		close(pair.data);
	}
	ASSERT_EQ(read_number(CSET0 "/chan2/statistics/lost_blocks"), 0);
}

/* Wait until the child sleeps in the system call. */
static void wait_syscall(pid_t child, long number)
{
	char path[64], text[64];
	int fd, status;

	snprintf(path, sizeof(path), "/proc/%d/syscall", child);
	do {
		ASSERT_EQ(waitpid(child, &status, WNOHANG), 0);
		memset(text, 0, sizeof(text));
		fd = open_file(path, O_RDONLY);
		ASSERT_TRUE(read(fd, text, sizeof(text) - 1) > 0);
		close(fd);
		usleep(100);
	} while (strtol(text, NULL, 10) != number || text[0] == 'r');
}

TEST_EACH("fsync() waits for a block that is not played yet, over the wrap, %s", fresh,
	  "kmalloc", "vmalloc")
{
	int fd = open_node(OUT, "data", O_WRONLY);
	unsigned long n = 120, i;
	char buf[16] = "";
	pid_t child;

	for (i = 1; i <= n; i++) {
		write_text(CSET1 "/trigger/enable", "0");
		ASSERT_EQ(write(fd, buf, sizeof(buf)), sizeof(buf));
		child = fork();
		ASSERT_TRUE(child >= 0);
		if (!child) {
			ASSERT_EQ(fsync(fd), 0);
			_exit(0);
		}
		wait_syscall(child, SYS_fsync);
		write_text(CSET1 "/trigger/enable", "1");
		wait_children(1);
	}
}

TEST_EACH("no block is missing over the wrap, %s", fresh, "kmalloc", "vmalloc")
{
	ASSERT_EQ(next_number(), FIRST);
	run("dd if=" IN "-data of=/dev/null bs=16 count=90 2>/dev/null");
	ASSERT_EQ(next_number(), (uint32_t)(FIRST + 91));
	check_follow(IN, 200);
	ASSERT_EQ(read_number(CSET0 "/chan2/statistics/lost_blocks"), 0);
}

TEST("a queue over the wrap gets another size and keeps its blocks", fresh_kmalloc)
{
	write_text(CSET0 "/chan0/enable", "1");
	write_text(CSET0 "/chan0/buffer/max-buffer-len", "200");
	run("dd if=" IN "-data of=/dev/null bs=16 count=150 2>/dev/null");
	ASSERT_EQ(read_number(CSET0 "/chan0/buffer/queued-buffer-len"), 150);
	write_text(CSET0 "/chan0/buffer/max-buffer-len", "300");
	ASSERT_EQ(read_number(CSET0 "/chan0/buffer/queued-buffer-len"), 150);
	check_follow(ZZERO "-0-0", 150);
}

TEST("a ring over the wrap", fresh_vmalloc)
{
	read_sawtooth_ring(IN, 1000);
}

TEST("nonsense in the header of a ring over the wrap", fresh_vmalloc)
{
	write_nonsense(IN);
	read_sawtooth_ring(IN, 1000);
}

TEST("an output is filled in place over the wrap", fresh_vmalloc)
{
	play_in_place(OUT, CSET1 "/chan0/statistics");
}
