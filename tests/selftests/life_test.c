// SPDX-License-Identifier: GPL-2.0-only
/*
 * life_test.c: several users of a channel, and boards that are unbound under them
 *
 * # check
 * # leaks
 * # single
 */
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>

#include "board.h"
#include "hammer.h"
#include "harness.h"

#define COUNTER	ZZERO "-2-0"
#define SAW	ZZERO "-0-2"
#define OUT	ZZERO "-1-0"
#define WORDS	16	/* samples per block of the counter */
#define BLOCKS	600
#define MAX_SEEN (16 * BLOCKS)

SETUP(fresh)
{
	renew_zzero();
}

#define ALL_OBJECTS	25	/* of a zzero */

struct shared {
	unsigned int asleep;
	unsigned int done;
	unsigned char seen[MAX_SEEN];
};

static void wait_count(unsigned int *counter, unsigned int n)
{
	while (get(counter) < n)
		usleep(1000);
}

static void mark(struct shared *shared, uint32_t block)
{
	ASSERT_TRUE(block < MAX_SEEN);
	if (__atomic_exchange_n(&shared->seen[block], 1, __ATOMIC_SEQ_CST))
		FAIL("block %u came twice", block);
}

static void check_marks(struct shared *shared)
{
	int first = 0, last = MAX_SEEN - 1, i;

	while (first < MAX_SEEN && !shared->seen[first])
		first++;
	while (last > 0 && !shared->seen[last])
		last--;
	for (i = first; i <= last; i++)
		if (!shared->seen[i])
			FAIL("block %d of %d to %d did not come", i, first, last);
	ASSERT_TRUE(last > first);
}

static void check_block(const uint32_t *word)
{
	int i;

	ASSERT_EQ(word[0] % WORDS, 0);
	for (i = 1; i < WORDS; i++)
		ASSERT_EQ(word[i], word[0] + i);
}

static void read_data_blocks(const char *prefix, struct shared *shared)
{
	int fd = open_node(prefix, "data", O_RDONLY), i;
	uint32_t word[WORDS];

	for (i = 0; i < BLOCKS; i++) {
		ASSERT_EQ(read(fd, word, sizeof(word)), sizeof(word));
		check_block(word);
		mark(shared, word[0] / WORDS);
	}
}

static void read_paired_blocks(const char *prefix, struct shared *shared)
{
	struct pair pair = open_pair(prefix, O_RDONLY);
	struct zio_control ctrl;
	uint32_t word[WORDS];
	int i;

	for (i = 0; i < BLOCKS; i++) {
		ctrl = read_control(pair.ctrl);
		ASSERT_EQ(read(pair.data, word, sizeof(word)), sizeof(word));
		check_block(word);
		ASSERT_EQ(word[0], ctrl.seq_num * WORDS);
		mark(shared, ctrl.seq_num);
	}
}

TEST("each block comes to one of four readers, which run in four processes", fresh)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	int i;

	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		if (i & 1)
			read_data_blocks(COUNTER, shared);
		else
			read_paired_blocks(COUNTER, shared);
		_exit(0);
	}
	wait_children(4);
	check_marks(shared);
}

TEST("no block is lost while others open, read and close", fresh)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	uint32_t word[WORDS];
	int i, fd;

	if (!fork()) {
		read_data_blocks(COUNTER, shared);
		_exit(0);
	}
	for (i = 0; i < BLOCKS; i++) {
		fd = open_node(COUNTER, "data", O_RDONLY);
		if (i % 3) {
			ASSERT_EQ(read(fd, word, sizeof(word)), sizeof(word));
			mark(shared, word[0] / WORDS);
		}
		close(fd);
	}
	wait_children(1);
	check_marks(shared);
}

TEST("a child continues where its parent has closed the files", fresh)
{
	struct pair pair = open_pair(COUNTER, O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t word[WORDS];
	int closed[2];

	ASSERT_TRUE(!pipe(closed));
	ASSERT_EQ(read(pair.data, word, 20), 20);
	if (!fork()) {
		close(closed[1]);
		ASSERT_EQ(read(closed[0], word, 1), 0);
		ASSERT_EQ(read(pair.data, word, sizeof(word)), sizeof(word) - 20);
		ASSERT_EQ(word[0], ctrl.seq_num * WORDS + 5);
		ASSERT_EQ(read_control(pair.ctrl).seq_num, ctrl.seq_num + 1);
		ASSERT_EQ(read(pair.data, word, sizeof(word)), sizeof(word));
		ASSERT_EQ(word[0], (ctrl.seq_num + 1) * WORDS);
		_exit(0);
	}
	close_pair(pair);
	close(closed[1]);
	wait_children(1);
}

struct thread_arg {
	int fd;
	size_t size;
	unsigned int *stop;
};

static void *read_until_closed(void *data)
{
	struct thread_arg *arg = data;
	char buf[512];

	while (!get(arg->stop))
		if (read(arg->fd, buf, arg->size) < 0)
			break;
	return NULL;
}

TEST("both files are closed while threads read them", fresh)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	struct thread_arg data, ctrl;
	pthread_t thread[2];
	struct pair pair;
	int i;

	for (i = 0; i < 100; i++) {
		pair = open_pair(COUNTER, O_RDONLY);
		data = (struct thread_arg){ pair.data, 64, &shared->done };
		ctrl = (struct thread_arg){ pair.ctrl, 512, &shared->done };
		shared->done = 0;
		ASSERT_TRUE(!pthread_create(&thread[0], NULL, read_until_closed,
					    &data));
		ASSERT_TRUE(!pthread_create(&thread[1], NULL, read_until_closed,
					    &ctrl));
		usleep(500);
		close_pair(pair);
		add(&shared->done);
		pthread_join(thread[0], NULL);
		pthread_join(thread[1], NULL);
	}
}

static void start_sleepers(struct shared *shared)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct pollfd pfd = { .events = POLLIN };
	char buf[512];
	int ep, fd;

	fd = open_node(COUNTER, "data", O_RDONLY);
	if (!fork()) {
		add(&shared->asleep);
		ASSERT_ERRNO(read(fd, buf, 64), ENODEV);
		_exit(0);
	}
	if (!fork()) {
		pfd.fd = open_node(COUNTER, "ctrl", O_RDONLY);
		add(&shared->asleep);
		ASSERT_EQ(poll(&pfd, 1, -1), 1);
		ASSERT_TRUE(pfd.revents & POLLHUP);
		ASSERT_ERRNO(read(pfd.fd, buf, 512), ENODEV);
		_exit(0);
	}
	if (!fork()) {
		ep = epoll_create1(0);
		ASSERT_TRUE(!epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
		add(&shared->asleep);
		ASSERT_EQ(epoll_wait(ep, &ev, 1, -1), 1);
		ASSERT_TRUE(ev.events & EPOLLHUP);
		_exit(0);
	}
	wait_count(&shared->asleep, 3);
}

TEST_EACH("sleepers and an output with half a block when the board is unbound: %s off",
	  fresh,
	  "cset2/chan0/enable", "cset2/trigger/enable")
{
	char enable[128];
	struct pollfd pfd = { .events = POLLIN };
	struct shared *shared = share_memory(sizeof(struct shared));
	struct pair in = open_pair(COUNTER, O_RDONLY);
	struct pair out = open_pair(OUT, O_WRONLY);
	static struct zio_control ctrl;
	char buf[512];

	ASSERT_EQ(write(out.data, buf, 5), 5);
	ctrl = read_control(in.ctrl);
	ASSERT_EQ(read(in.data, buf, 64), 64);
	snprintf(enable, sizeof(enable), ZZERO_SYS "/%s", value);
	write_text(enable, "0");
	start_sleepers(shared);
	unbind_board("zio-zero", 0);
	ASSERT_EQ(count_objects("zzero"), 0);
	wait_children(3);
	ASSERT_ERRNO(read(in.data, buf, 64), ENODEV);
	ASSERT_ERRNO(read(in.ctrl, buf, 512), ENODEV);
	ASSERT_ERRNO(write(out.data, buf, 16), ENODEV);
	ctrl.ssize = 1;
	ctrl.addr.devname[0] = 0;
	ASSERT_ERRNO(write(out.ctrl, &ctrl, 512), ENODEV);
	pfd.fd = in.data;
	ASSERT_EQ(poll(&pfd, 1, 0), 1);
	ASSERT_TRUE(pfd.revents & POLLHUP);
	pfd.fd = out.data;
	ASSERT_EQ(poll(&pfd, 1, 0), 1);
	ASSERT_TRUE(pfd.revents & POLLHUP);
}

/*
 * In each round two processes read some blocks of two channels that are filled together,
 * and meet. Neither waits for the reads of the other.
 */
static void check_lockstep(void)
{
	static const char *const nodes[] = { ZZERO "-0-0", SAW };
	int rounds = is_debug_kernel() ? 1000 : 2000, i, round, n;
	struct shared *shared = share_memory(sizeof(struct shared));
	char buf[16];
	int fd;

	for (i = 0; i < 2; i++) {
		if (fork())
			continue;
		fd = open_node(nodes[i], "data", O_RDONLY);
		for (round = 1; round <= rounds; round++) {
			for (n = 0; n < 1 + (round * (i + 1)) % 5; n++)
				ASSERT_EQ(read(fd, buf, 16), 16);
			add(&shared->done);
			while (get(&shared->done) < 2u * round)
				sched_yield();
		}
		_exit(0);
	}
	wait_children(2);
}

TEST("readers of two channels do not wait for each other", fresh)
{
	check_lockstep();
}

TEST("readers of two channels do not wait for each other, with a watermark", fresh)
{
	write_text(CSET0 "/chan0/buffer/watermark", "16");
	write_text(CSET0 "/chan2/buffer/watermark", "16");
	check_lockstep();
}

TEST_EACH("a board works after it was unbound and bound, %s", fresh,
	  "the first time", "the second time")
{
	unbind_board("zio-zero", 0);
	ASSERT_EQ(count_objects("zzero"), 0);
	bind_board("zio-zero", 0);
	run("zio-links");
	read_sawtooth(SAW "-data", 16);
}

TEST_EACH("the board is unbound under busy users, time %s",
	  fresh, "1", "2", "3", "4", "5")
{
	unbind_under_users(COUNTER, OUT, DRIVERS "/zio-zero/unbind", "zio-zero.0");
	ASSERT_EQ(count_objects("zzero"), 0);
	bind_board("zio-zero", 0);
	ASSERT_EQ(count_objects("zzero"), ALL_OBJECTS);
}

TEST("a board comes back while a node of the former one is open", fresh)
{
	struct pair pair = open_pair(ZZERO "-0-0", O_RDONLY);

	unbind_board("zio-zero", 0);
	ASSERT_EQ(count_objects("zzero"), 0);
	bind_board("zio-zero", 0);
	read_sawtooth(SAW "-data", 16);
	close_pair(pair);
	read_sawtooth(SAW "-data", 16);
}
