// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_user_test.c: devices whose drivers are programs that do not do as they are told: threads
 * and children share a file, and devices that are gone are used
 *
 * # check
 * # leaks
 */
#include <pthread.h>
#include <signal.h>

#include "harness.h"
#include "uzio.h"

#define N_THREADS	4
#define N_SETS		32

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static struct uzio_set sets[UZIO_MAX_SETS];

static void start_many(struct program *prog)
{
	int i;

	for (i = 0; i < N_SETS; i++)
		sets[i] = (struct uzio_set) { .n_chan = 2, .ssize = 2 };
	open_program(prog);
	ASSERT_EQ(describe(prog, sets, N_SETS, 0), 0, prog->message);
	wait_for(20, exists(UPROG "-31-1-data"));
}

/* Arms each set. Threads that serve may be done before the read is. */
static void arm_all(void)
{
	char path[64], byte;
	int i, fd;

	for (i = 0; i < N_SETS; i++) {
		snprintf(path, sizeof(path), UPROG "-%d-0", i);
		fd = open_node(path, "data", O_RDONLY | O_NONBLOCK);
		if (read(fd, &byte, 1) < 0)
			ASSERT_EQ(errno, EAGAIN);
	}
}

static unsigned int served[N_SETS], n_served;

/* A thread that fetches what is there, and answers in the same call */
static void *serve(void *arg)
{
	struct program prog = { .fd = *(int *)arg };
	const struct uzio_record *head;
	struct uzio_done done[N_SETS];
	unsigned int at, n;

	while (get(&n_served) < N_SETS) {
		ASSERT_EQ(exchange(&prog, NULL, 1), 0);
		for (at = 0, n = 0; at < prog.ex.requests_given; at += head->size) {
			head = (const void *)(prog.request.bytes + at);
			ASSERT_EQ(head->type, UZIO_ARM);
			done[n] = done_for(head->id);
			done[n++].head.set = head->set;
			add(&served[head->set]);
			add(&n_served);
		}
		prog.ex = (struct uzio_exchange) {
			.answers = (uintptr_t)done, .answers_size = n * sizeof(*done),
		};
		ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_EXCHANGE, &prog.ex), 0);
		ASSERT_EQ(prog.ex.answers_taken, n * sizeof(*done));
	}
	return NULL;
}

TEST("threads share a file, and each request goes to one of them", loaded)
{
	pthread_t thread[N_THREADS];
	struct program prog;
	int i;

	start_many(&prog);
	for (i = 0; i < N_THREADS; i++)
		ASSERT_TRUE(!pthread_create(&thread[i], NULL, serve, &prog.fd));
	arm_all();
	for (i = 0; i < N_THREADS; i++)
		ASSERT_TRUE(!pthread_join(thread[i], NULL));
	for (i = 0; i < N_SETS; i++)
		ASSERT_EQ(served[i], 1);
}

static void *create(void *arg)
{
	struct program prog = { .fd = *(int *)arg };

	return (void *)(long)describe(&prog, &plain_set, 1, 0);
}

TEST("one of several threads makes the device", loaded)
{
	pthread_t thread[N_THREADS];
	int i, n_made = 0;
	struct program prog;
	void *code;

	open_program(&prog);
	for (i = 0; i < N_THREADS; i++)
		ASSERT_TRUE(!pthread_create(&thread[i], NULL, create, &prog.fd));
	for (i = 0; i < N_THREADS; i++) {
		ASSERT_TRUE(!pthread_join(thread[i], &code));
		n_made += !code;
		if (code)
			ASSERT_EQ((long)code, EBUSY);
	}
	ASSERT_EQ(n_made, 1);
	ASSERT_TRUE(exists(UPROG_SYS));
	ASSERT_TRUE(!exists("/sys/bus/zio/devices/uprog-0001"));
}

TEST("a device stays until the last descriptor and the last child are gone", loaded)
{
	unsigned int *may_go = share_memory(PAGE);
	struct program prog;
	pid_t pid;
	int fd;

	start_program(&prog, &plain_set, 0);
	fd = fcntl(prog.fd, F_DUPFD_CLOEXEC, 3);
	ASSERT_TRUE(fd >= 0);
	close(prog.fd);
	prog.fd = fd;
	ASSERT_EQ(exchange(&prog, NULL, 0), 0);
	pid = fork_child();
	if (!pid) {
		while (!get(may_go))
			usleep(1000);
		ASSERT_EQ(exchange(&prog, NULL, 0), 0);
		_exit(0);
	}
	close(fd);
	ASSERT_TRUE(exists(UPROG_SYS));
	set(may_go, 1);
	wait_children(1);
	wait_for(20, !exists(UPROG_SYS));
}

TEST("what remains of a device that is unplugged", loaded)
{
	const struct uzio_block *block;
	struct uzio_value own = { .head = { .size = sizeof(own), .type = UZIO_VALUE } };
	static const struct uzio_attr gain = { .name = "gain" };
	struct uzio_done done;
	struct program prog;
	uint64_t map;
	char byte;
	char *mem;
	int fd;

	open_program(&prog);
	ASSERT_EQ(describe_with(&prog, &plain_set, 1, &gain, 1, 200), 0, prog.message);
	wait_for(10, exists(UPROG "-0-0-data"));
	fd = open_node(UPROG "-0-0", "data", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(read(fd, &byte, 1), -1);
	done = done_for(await(&prog, UZIO_ARM)->head.id);
	block = blocks_of(&prog.request.arm);
	mem = map_block(&prog, block);
	map = block->map;
	write_text(UPROG_SYS "/cset0/chan1/enable", "0");
	/* It does not answer the abort. */
	wait_for(20, poll_events(prog.fd, POLLIN, 0) & POLLHUP);
	ASSERT_EQ(exchange(&prog, NULL, -1), ENODEV);
	ASSERT_EQ(exchange(&prog, &done, -1), ENODEV);
	ASSERT_EQ(exchange(&prog, &own, -1), ENODEV);
	ASSERT_EQ(describe(&prog, &plain_set, 1, 0), EBUSY);
	ASSERT_TRUE(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, prog.fd, map) == MAP_FAILED);
	ASSERT_EQ(errno, ESTALE);
	memset(mem, 1, PAGE);
	ASSERT_EQ(read(fd, &byte, 1), -1);
	ASSERT_EQ(errno, ENODEV);
}

static void ignore(int number)
{
	(void)number;
}

static void *interrupt(void *arg)
{
	unsigned int *is_over = arg;

	while (!get(is_over)) {
		kill(getpid(), SIGUSR1);
		usleep(1000);
	}
	return NULL;
}

TEST("a signal ends the wait for a request", loaded)
{
	struct sigaction action = { .sa_handler = ignore };
	unsigned int is_over = 0;
	struct program prog;
	pthread_t thread;

	start_program(&prog, &plain_set, 0);
	ASSERT_TRUE(!sigaction(SIGUSR1, &action, NULL));
	ASSERT_TRUE(!pthread_create(&thread, NULL, interrupt, &is_over));
	/* The other thread may get the signal. */
	while (exchange(&prog, NULL, 100) != EINTR)
		;
	set(&is_over, 1);
	ASSERT_TRUE(!pthread_join(thread, NULL));
}
