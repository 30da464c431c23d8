// SPDX-License-Identifier: GPL-2.0-only
/* node-life.c: several users of a channel, and the end of a board under them */
#include "node.h"

#include <pthread.h>
#include <sys/epoll.h>

#define WORDS 16	/* samples per block of the counter */
#define BLOCKS 600
#define MAX_SEEN (16 * BLOCKS)

struct shared {
	unsigned int reads;
	unsigned int asleep;
	unsigned int done;
	unsigned char seen[MAX_SEEN];
};

static unsigned int add(unsigned int *counter)
{
	return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

static void wait_count(unsigned int *counter, unsigned int n)
{
	while (get(counter) < n)
		usleep(1000);
}

static void mark(struct shared *shared, uint32_t block)
{
	want(block < MAX_SEEN);
	if (__atomic_exchange_n(&shared->seen[block], 1, __ATOMIC_SEQ_CST))
		fail("block %u came twice", block);
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
			fail("block %d of %d to %d did not come", i, first, last);
	want(last > first);
}

static void check_block(const uint32_t *word)
{
	int i;

	same(word[0] % WORDS, 0);
	for (i = 1; i < WORDS; i++)
		same(word[i], word[0] + i);
}

static void read_data_blocks(const char *prefix, struct shared *shared)
{
	int fd = open_node(prefix, "data", O_RDONLY), i;
	uint32_t word[WORDS];

	for (i = 0; i < BLOCKS; i++) {
		same(read(fd, word, sizeof(word)), sizeof(word));
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
		same(read(pair.data, word, sizeof(word)), sizeof(word));
		check_block(word);
		same(word[0], ctrl.seq_num * WORDS);
		mark(shared, ctrl.seq_num);
	}
}

/* readers PREFIX: several processes of both kinds; each block comes once */
static void do_readers(char **arg)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	int i;

	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		if (i & 1)
			read_data_blocks(arg[0], shared);
		else
			read_paired_blocks(arg[0], shared);
		_exit(0);
	}
	wait_children(4);
	check_marks(shared);
}

/* closer PREFIX: others open, read a little and close; nothing is lost */
static void do_closer(char **arg)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	uint32_t word[WORDS];
	int i, fd;

	if (!fork()) {
		read_data_blocks(arg[0], shared);
		_exit(0);
	}
	for (i = 0; i < BLOCKS; i++) {
		fd = open_node(arg[0], "data", O_RDONLY);
		if (i % 3) {
			same(read(fd, word, sizeof(word)), sizeof(word));
			mark(shared, word[0] / WORDS);
		}
		close(fd);
	}
	wait_children(1);
	check_marks(shared);
}

/* fork PREFIX: the child goes on where the parent left, with the same files */
static void do_fork(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);
	struct zio_control ctrl = read_control(pair.ctrl);
	uint32_t word[WORDS];
	int closed[2];

	want(!pipe(closed));
	same(read(pair.data, word, 20), 20);
	if (!fork()) {
		close(closed[1]);
		same(read(closed[0], word, 1), 0);
		same(read(pair.data, word, sizeof(word)), sizeof(word) - 20);
		same(word[0], ctrl.seq_num * WORDS + 5);
		same(read_control(pair.ctrl).seq_num, ctrl.seq_num + 1);
		same(read(pair.data, word, sizeof(word)), sizeof(word));
		same(word[0], (ctrl.seq_num + 1) * WORDS);
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

/* threads PREFIX: both files used by threads while they are closed */
static void do_threads(char **arg)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	struct thread_arg data, ctrl;
	pthread_t thread[2];
	struct pair pair;
	int i;

	for (i = 0; i < 100; i++) {
		pair = open_pair(arg[0], O_RDONLY);
		data = (struct thread_arg){ pair.data, 64, &shared->done };
		ctrl = (struct thread_arg){ pair.ctrl, 512, &shared->done };
		shared->done = 0;
		want(!pthread_create(&thread[0], NULL, read_until_closed, &data));
		want(!pthread_create(&thread[1], NULL, read_until_closed, &ctrl));
		usleep(500);
		close_pair(pair);
		add(&shared->done);
		pthread_join(thread[0], NULL);
		pthread_join(thread[1], NULL);
	}
}

static void start_sleepers(char **arg, struct shared *shared)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct pollfd pfd = { .events = POLLIN };
	char buf[512];
	int ep, fd;

	fd = open_node(arg[0], "data", O_RDONLY);
	if (!fork()) {
		add(&shared->asleep);
		fails(read(fd, buf, 64), ENODEV);
		_exit(0);
	}
	if (!fork()) {
		pfd.fd = open_node(arg[0], "ctrl", O_RDONLY);
		add(&shared->asleep);
		same(poll(&pfd, 1, -1), 1);
		want(pfd.revents & POLLHUP);
		fails(read(pfd.fd, buf, 512), ENODEV);
		_exit(0);
	}
	if (!fork()) {
		ep = epoll_create1(0);
		want(!epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
		add(&shared->asleep);
		same(epoll_wait(ep, &ev, 1, -1), 1);
		want(ev.events & EPOLLHUP);
		_exit(0);
	}
	wait_count(&shared->asleep, 3);
}

/*
 * unbind PREFIX ENABLE UNBIND DEVICE OUTPUT: a reader and two pollers sleep, an
 * output block is half written, when the board goes
 */
static void do_unbind(char **arg)
{
	struct pollfd pfd = { .events = POLLIN };
	struct shared *shared = share_memory(sizeof(struct shared));
	struct pair in = open_pair(arg[0], O_RDONLY);
	struct pair out = open_pair(arg[4], O_WRONLY);
	static struct zio_control ctrl;
	char buf[512];

	same(write(out.data, buf, 5), 5);
	ctrl = read_control(in.ctrl);
	same(read(in.data, buf, 64), 64);
	write_text(arg[1], "0\n");
	start_sleepers(arg, shared);
	write_text(arg[2], arg[3]);
	wait_children(3);
	fails(read(in.data, buf, 64), ENODEV);
	fails(read(in.ctrl, buf, 512), ENODEV);
	fails(write(out.data, buf, 16), ENODEV);
	ctrl.ssize = 1;
	ctrl.addr.devname[0] = 0;
	fails(write(out.ctrl, &ctrl, 512), ENODEV);
	pfd.fd = in.data;
	same(poll(&pfd, 1, 0), 1);
	want(pfd.revents & POLLHUP);
	pfd.fd = out.data;
	same(poll(&pfd, 1, 0), 1);
	want(pfd.revents & POLLHUP);
}

static void hammer(char **arg, int i, struct shared *shared)
{
	static char buf[4096];
	struct pollfd pfd;
	int fd = i == 3 ? open_node(arg[2], "data", O_WRONLY) :
		open_node(arg[0], i & 1 ? "ctrl" : "data", O_RDONLY);
	ssize_t n;

	add(&shared->asleep);
	wait_count(&shared->asleep, 4);
	for (;;) {
		n = i == 3 ? write(fd, buf, 100) :
			read(fd, buf, i == 2 ? 4096 : 512);
		if (n < 0)
			break;
		add(&shared->reads);
		pfd = (struct pollfd){ fd, POLLIN | POLLOUT, 0 };
		want(poll(&pfd, 1, 0) >= 0);
	}
	same(errno, ENODEV);
	_exit(0);
}

/* hammer PREFIX UNBIND OUTPUT DEVICE: the board goes under busy users */
static void do_hammer(char **arg)
{
	struct shared *shared = share_memory(sizeof(struct shared));
	int i;

	for (i = 0; i < 4; i++)
		if (!fork())
			hammer(arg, i, shared);
	wait_count(&shared->reads, 200);
	write_text(arg[1], arg[3]);
	wait_children(4);
}

/* hold PREFIX FLAG: both nodes are open until FLAG is there and gone again */
static void do_hold(char **arg)
{
	struct pair pair = open_pair(arg[0], O_RDONLY);

	close(open(arg[1], O_CREAT | O_WRONLY, 0600));
	while (!access(arg[1], F_OK))
		usleep(1000);
	close_pair(pair);
}

/*
 * lockstep A B ROUNDS: each round two processes read some blocks of two channels
 * that are filled together, and meet. Neither may wait for the other's reads.
 */
static void do_lockstep(char **arg)
{
	int rounds = strtoul(arg[2], NULL, 0), i, round, n;
	struct shared *shared = share_memory(sizeof(struct shared));
	char buf[16];
	int fd;

	for (i = 0; i < 2; i++) {
		if (fork())
			continue;
		fd = open_node(arg[i], "data", O_RDONLY);
		for (round = 1; round <= rounds; round++) {
			for (n = 0; n < 1 + (round * (i + 1)) % 5; n++)
				same(read(fd, buf, 16), 16);
			add(&shared->done);
			while (get(&shared->done) < 2u * round)
				sched_yield();
		}
		_exit(0);
	}
	wait_children(2);
}

static const struct command commands[] = {
	{ "readers", 1, do_readers },
	{ "closer", 1, do_closer },
	{ "fork", 1, do_fork },
	{ "threads", 1, do_threads },
	{ "unbind", 5, do_unbind },
	{ "hammer", 4, do_hammer },
	{ "hold", 2, do_hold },
	{ "lockstep", 3, do_lockstep },
	{ NULL, 0, NULL },
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 90);
}
