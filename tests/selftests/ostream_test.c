// SPDX-License-Identifier: GPL-2.0-only
/*
 * ostream_test.c: an output with many blocks in flight, as its users see it
 *
 * The board plays a block of 16 samples per tick, and adds the bytes that it has played.
 *
 * # check
 */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "board.h"
#include "harness.h"

#define PLAY_DIR	ZIO_CONFIG "/devices/zplay/play"
#define NODE		"/dev/zio/zplay-0051-0-0"
#define CSET		"/sys/bus/zio/devices/zplay-0051/cset0"
#define CHAN		CSET "/chan0"
#define STATISTICS	CHAN "/statistics"
#define BYTES		16

static void remove_dir(const char *dir)
{
	if (!exists(dir))
		return;
	set_file("0", "%s/live", dir);
	rmdir(dir);
}

static void make_board(const char *repeats)
{
	load("zio-play");
	load("zio-buf-vmalloc");
	remove_dir(PLAY_DIR);
	ASSERT_EQ(mkdir(PLAY_DIR, 0755), 0);
	write_text(PLAY_DIR "/id", "81");
	write_text(PLAY_DIR "/repeats", repeats);
	write_text(PLAY_DIR "/live", "1");
}

SETUP(board)
{
	make_board("0");
}

SETUP(repeating)
{
	make_board("1");
}

static int open_output(int flags)
{
	return open_node(NODE, "data", O_WRONLY | flags);
}

static void write_value(int fd, uint8_t value, unsigned int n)
{
	uint8_t block[BYTES];

	memset(block, value, sizeof(block));
	while (n--)
		ASSERT_EQ(write(fd, block, sizeof(block)), sizeof(block));
}

static uint32_t sum(void)
{
	return read_number(CHAN "/sum");
}

TEST("all that is written is played, once", board)
{
	int fd = open_output(0);
	uint32_t expected = 0;
	unsigned int i;

	for (i = 0; i < 400; i++) {
		write_value(fd, i, 1);
		expected += BYTES * (uint8_t)i;
	}
	/* A part of a block is a short one. */
	ASSERT_EQ(write(fd, "\1\2\3", 3), 3);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(sum(), expected + 6);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 401);
	ASSERT_EQ(read_number(STATISTICS "/lost_blocks"), 0);
	ASSERT_EQ(read_number(STATISTICS "/in-flight"), 0);
	close(fd);
}

/* The device stands still until the buffer is full. */
TEST("a writer waits for room, which the device makes", board)
{
	int fd = open_output(O_NONBLOCK);
	uint8_t block[BYTES] = { 0 };
	unsigned int i, n = 0;

	for (i = 0; i < 20; i++) {
		write_text(CSET "/enable", "0");
		while (write(fd, block, sizeof(block)) == sizeof(block))
			n++;
		ASSERT_EQ(errno, EAGAIN);
		ASSERT_TRUE(n > i);
		ASSERT_EQ(poll_events(fd, POLLOUT, 0), 0);
		write_text(CSET "/enable", "1");
		ASSERT_EQ(poll_events(fd, POLLOUT, -1), POLLOUT);
	}
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), n);
	ASSERT_EQ(read_number(STATISTICS "/lost_blocks"), 0);
	close(fd);
}

TEST("the next control that a program reads tells of an underrun", board)
{
	struct zio_control *ctrl;
	struct pair out;
	int fd;

	write_text(CSET "/current_buffer", "vmalloc");
	fd = open_output(0);
	write_value(fd, 1, 1);
	wait_for(10, read_number(STATISTICS "/dry") == 1);
	out = open_pair(NODE, O_RDWR);
	/* The memory of the control is not present yet. */
	ctrl = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(ctrl != MAP_FAILED);
	ASSERT_EQ(read(out.ctrl, ctrl, sizeof(*ctrl)), sizeof(*ctrl));
	ASSERT_EQ(ctrl->zio_alarms, ZIO_ALARM_DRY);
	munmap(ctrl, PAGE);
	close_pair(out);
	close(fd);
}

TEST("a buffer that is full is played, whatever the watermark is", board)
{
	static uint8_t block[1000];
	unsigned int i;
	int fd;

	write_text(CSET "/current_buffer", "vmalloc");
	write_text(CHAN "/buffer/max-buffer-kb", "4");
	write_text(CSET "/trigger/nsamples", "1000");
	write_text(CHAN "/buffer/watermark", "16");
	fd = open_output(0);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(write(fd, block, sizeof(block)), sizeof(block));
	ASSERT_EQ(read_number(CSET "/statistics/fired"), 0);
	ASSERT_EQ(poll_events(fd, POLLOUT, -1), POLLOUT);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(write(fd, block, sizeof(block)), sizeof(block));
	close(fd);
}

TEST("the size changes while blocks are played", board)
{
	int fd = open_output(0);
	uint8_t data[64];
	unsigned int i, n = 0;
	char text[16];

	memset(data, 1, sizeof(data));
	for (i = 1; i <= 20; i++) {
		snprintf(text, sizeof(text), "%u", i * 3);
		write_text(CSET "/trigger/nsamples", text);
		ASSERT_EQ(write(fd, data, i * 3), i * 3);
		n += i * 3;
	}
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(sum(), n);
	close(fd);
}

/* Plays until the sum has grown: the block is repeated. */
static void wait_for_turns(uint32_t step, unsigned int n)
{
	uint32_t before = sum();

	wait_for(10, sum() - before >= n * step);
}

TEST("the last block is repeated until there is another one", board)
{
	int fd = open_output(0);
	uint32_t before;

	write_text(CSET "/cyclic", "1");
	write_value(fd, 1, 1);
	ASSERT_EQ(fsync(fd), 0);
	wait_for_turns(BYTES, 20);
	write_value(fd, 4, 1);
	ASSERT_EQ(fsync(fd), 0);
	/* Only the new block is played any more. */
	before = sum();
	wait_for_turns(4 * BYTES, 20);
	ASSERT_EQ((sum() - before) % (4 * BYTES), 0);
	/* The program ends, and the device goes on. */
	close(fd);
	wait_for_turns(4 * BYTES, 20);
	/* So it does after a stop. */
	write_text(CSET "/enable", "0");
	before = sum();
	ASSERT_EQ(sum(), before);
	write_text(CSET "/enable", "1");
	wait_for_turns(4 * BYTES, 20);
	ASSERT_EQ(read_number(STATISTICS "/dry"), 0);
	write_text(CSET "/cyclic", "0");
	before = sum();
	ASSERT_EQ(read_number(CHAN "/buffer/queued-buffer-len"), 0);
	ASSERT_EQ(sum(), before);
	fd = open_output(0);
	write_value(fd, 2, 1);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(sum(), before + 2 * BYTES);
	close(fd);
}

/* The board is done with a block when it begins the next one. */
TEST("hardware repeats the last block itself", repeating)
{
	int fd = open_output(0);
	uint32_t before;

	write_text(CSET "/cyclic", "1");
	write_value(fd, 1, 1);
	wait_for_turns(BYTES, 20);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 0);
	write_value(fd, 4, 1);
	wait_for(10, read_number(STATISTICS "/blocks") == 1);
	wait_for_turns(4 * BYTES, 20);
	ASSERT_EQ(read_number(STATISTICS "/dry"), 0);
	write_text(CSET "/cyclic", "0");
	before = sum();
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 2);
	write_value(fd, 2, 1);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(sum(), before + 2 * BYTES);
	ASSERT_EQ(read_number(STATISTICS "/blocks"), 3);
	close(fd);
}

TEST("only output streams have the files", board)
{
	load("zio-zero");
	ASSERT_TRUE(exists(CSET "/cyclic"));
	ASSERT_TRUE(!exists(CSET1 "/cyclic"));
	ASSERT_TRUE(!exists(CSET1 "/queue-depth"));
	refuse(CSET "/cyclic", "2", EINVAL);
	refuse(CSET "/current_trigger", "user", EINVAL);
}

TEST("a writer that is killed leaves its whole blocks, and they are played", board)
{
	unsigned int i;
	int fd, status;
	pid_t child;

	for (i = 0; i < 10; i++) {
		child = fork();
		if (!child) {
			fd = open_output(0);
			for (;;)
				write_value(fd, 1, 1);
		}
		wait_for(10, read_number(STATISTICS "/blocks") > 20 * i + 20);
		kill(child, SIGKILL);
		ASSERT_EQ(waitpid(child, &status, 0), child);
		ASSERT_EQ(WTERMSIG(status), SIGKILL);
	}
	fd = open_output(0);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_EQ(sum(), read_number(STATISTICS "/bytes"));
	ASSERT_EQ(read_number(STATISTICS "/lost_blocks"), 0);
	close(fd);
}

static void ignore(int signal)
{
	(void)signal;
}

/* Signals end writes and fsync(). Return: how many */
static unsigned int write_and_sync(int fd, uint8_t value, size_t n)
{
	uint8_t bytes[5 * BYTES];
	unsigned int ends = 0;
	ssize_t done;

	ASSERT_TRUE(n <= sizeof(bytes));
	memset(bytes, value, n);
	for (; n; n -= done > 0 ? done : 0) {
		done = write(fd, bytes, n);
		ASSERT_TRUE(done > 0 || errno == EINTR);
	}
	for (; fsync(fd); ends++)
		ASSERT_EQ(errno, EINTR);
	return ends;
}

TEST("signals end fsync() in two processes with one file, and nothing is lost", board)
{
	struct sigaction action = { .sa_handler = ignore };
	int fd = open_output(0), *stop = share_memory(sizeof(*stop));
	unsigned int i, ends = 0, expected = 2 * 100 * BYTES, n;

	sigaction(SIGUSR1, &action, NULL);
	if (!fork_child()) {
		while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
			kill(getppid(), SIGUSR1);
			usleep(300);
		}
		_exit(0);
	}
	if (!fork_child()) {
		for (i = 0; i < 100; i++)
			write_and_sync(fd, 2, BYTES);
		_exit(0);
	}
	for (i = 0; i < 100; i++, expected += n) {
		n = 4 * BYTES + i % BYTES;
		ends += write_and_sync(fd, 1, n);
	}
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	wait_children(2);
	ASSERT_EQ(fsync(fd), 0);
	ASSERT_TRUE(ends);
	ASSERT_EQ(read_number(STATISTICS "/lost_blocks"), 0);
	ASSERT_EQ(sum(), expected);
	close(fd);
}

/* The board goes while it plays and while writers wait. */
TEST("the board is removed under load", board)
{
	unsigned int i, k;
	int fd, status;
	pid_t child;

	for (i = 0; i < 10; i++) {
		child = fork();
		if (!child) {
			uint8_t block[BYTES] = { 0 };

			fd = open_output(0);
			while (write(fd, block, sizeof(block)) > 0)
				;
			if (errno != ENODEV || fsync(fd) != -1 || errno != ENODEV)
				_exit(1);
			_exit(0);
		}
		wait_for(10, read_number(STATISTICS "/blocks") > 20);
		for (k = 0; k < i; k++)
			write_text(CSET "/cyclic", k % 2 ? "0" : "1");
		write_text(PLAY_DIR "/live", "0");
		ASSERT_EQ(waitpid(child, &status, 0), child);
		ASSERT_EQ(status, 0);
		write_text(PLAY_DIR "/live", "1");
	}
	remove_dir(PLAY_DIR);
}
