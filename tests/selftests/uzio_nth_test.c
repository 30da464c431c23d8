// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_nth_test.c: devices whose drivers are programs: each allocation and each copy fails
 * once, in the calls of the program, and while it is killed in each of its states
 *
 * # leaks
 * # not distro: that kernel cannot inject failures
 */
#include <signal.h>

#include "nth.h"
#include "uzio.h"

#define GAIN	UPROG_SYS "/cset0/chan0/gain"
#define PLACES	24	/* of a step, from its first one on */

static const uint32_t gains[] = { 1, 2 };

static const struct uzio_attr attrs[] = {
	{ .name = "gain", .flags = UZIO_ATTR_CHANNELS, .place = UZIO_PLACE_EXT, .value = 1,
	  .choices = (uintptr_t)gains, .n_choices = 2 },
	{ .name = "level", .set = UZIO_DEVICE },
};

static struct program prog;
static int node = -1;
static void *mem;
static size_t mem_size;

/* What the processes of a test tell each other */
static struct {
	unsigned int is_done;		/* the program has taken its last step */
	unsigned int user_begins;	/* to write */
	unsigned int user_ends;		/* with ENODEV */
} *shared;

SETUP(loaded)
{
	prepare_failures();
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

/* What the program has done. A user writes an attribute in WAITED. */
enum state { OPENED, CREATED, ARMED, FETCHED, MAPPED, ABORTED, WAITED, N_STATES };

static long step_open(void)
{
	memset(&prog, 0, sizeof(prog));
	prog.fd = open("/dev/uzio", O_RDWR | O_CLOEXEC);
	return prog.fd;
}

static long step_create(void)
{
	int code = describe_with(&prog, &plain_set, 1, attrs, 2, 60 * SECOND);

	/* An allocation that fails has no message. */
	ASSERT_STR(prog.message, "");
	errno = code;
	return code ? -1 : 0;
}

/* The program is its own reader, and finds no block. */
static long step_arm(void)
{
	char byte;

	wait_for(10, exists(UPROG "-0-0-data"));
	node = open(UPROG "-0-0-data", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (node < 0)
		return -1;
	return read(node, &byte, 1) < 0 && errno != EAGAIN ? -1 : 0;
}

static long step_fetch(void)
{
	int code = exchange(&prog, NULL, 0);

	errno = code;
	return code ? -1 : 0;
}

static long step_map(void)
{
	const struct uzio_block *block = blocks_of(&prog.request.arm);

	mem_size = block->map_size;
	mem = mmap(NULL, mem_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, prog.fd,
		   block->map);
	return mem == MAP_FAILED ? -1 : 0;
}

static long step_abort(void)
{
	int fd = open(UPROG_SYS "/cset0/chan1/enable", O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : write(fd, "0", 1);
}

static long step_wait(void)
{
	struct pollfd pfd = { .fd = prog.fd, .events = POLLIN };

	if (poll(&pfd, 1, 60 * SECOND) < 0)
		return -1;
	return step_fetch();
}

static long (*const steps[N_STATES])(void) = {
	step_open, step_create, step_arm, step_fetch, step_map, step_abort, step_wait,
};

static void close_program(const char *arg)
{
	(void)arg;
	if (mem)
		munmap(mem, mem_size);
	mem = NULL;
	if (node >= 0)
		close(node);
	node = -1;
	close(prog.fd);
}

/* The user has the file open, so an unplug ends the write with the same error if it is early. */
static void start_user(void)
{
	int fd;

	if (!fork_child()) {
		close_program(NULL);
		fd = open_file(GAIN, O_WRONLY);
		set(&shared->user_begins, 1);
		ASSERT_ERRNO(write(fd, "2", 1), ENODEV);
		set(&shared->user_ends, 1);
		_exit(0);
	}
	wait_for(10, get(&shared->user_begins));
}

/* The last step, or the end, has a failure at place @n. */
static void __attribute__((noreturn)) live_and_die(enum state state, bool at_end, int n)
{
	enum state s;

	open_fail_nth();
	for (s = OPENED; s < state; s++)
		ASSERT_TRUE(steps[s]() >= 0);
	if (state == WAITED) {
		ASSERT_EQ(step_fetch(), 0); /* the abort */
		start_user();
	}
	if (!at_end)
		set_nth(n);
	steps[s]();
	set_nth(0);
	set(&shared->is_done, 1);
	if (at_end)
		set_nth(n);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* Return: is there no place @n at the end? */
static bool kill_at(enum state state, bool at_end, int n)
{
	char path[64];
	int status, left;
	pid_t pid;

	shared = share_memory(PAGE);
	pid = fork_child();
	if (!pid)
		live_and_die(state, at_end, n);
	ASSERT_EQ(waitid(P_PID, pid, NULL, WEXITED | WNOWAIT), 0);
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	left = read_number(path);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL || !get(&shared->is_done))
		FAIL("failure %d: the program ends with status %#x", n, status);
	if (state == WAITED)
		wait_for(10, get(&shared->user_ends));
	if (!comes_true(10, !count_objects("uprog")))
		FAIL("failure %d: the device stays", n);
	munmap(shared, PAGE);
	return left;
}

TEST_EACH("kill -9 in state %s, whose last step fails", loaded, "0", "1", "2", "3", "4", "5", "6")
{
	int n;

	for (n = 1; n <= PLACES; n++)
		kill_at(atoi(value), false, n);
}

TEST_EACH("kill -9 in state %s, and the end fails", loaded, "0", "1", "2", "3", "4", "5", "6")
{
	int n = 1;

	while (!kill_at(atoi(value), true, n))
		ASSERT_TRUE(n++ < MOST);
	diag("%d places", n - 1);
}

/* --- each call of a program ------------------------------------------------------ */

static void setup_loaded(const char *arg)
{
	(void)arg;
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static void before_create(const char *arg)
{
	(void)arg;
	ASSERT_TRUE(step_open() >= 0);
}

static void before_fetch(const char *arg)
{
	before_create(arg);
	ASSERT_EQ(step_create(), 0);
	ASSERT_EQ(step_arm(), 0);
}

static void before_answer(const char *arg)
{
	before_fetch(arg);
	ASSERT_EQ(step_fetch(), 0);
}

static long call_open(const char *arg)
{
	(void)arg;
	return step_open();
}

/* If the result does not come back, the device is gone, and the file cannot have another one. */
static long call_create(const char *arg)
{
	long ret = step_create();
	int code = errno;

	(void)arg;
	if (ret < 0) {
		close(prog.fd);
		ASSERT_TRUE(step_open() >= 0);
	}
	errno = code;
	return ret;
}

static long call_fetch(const char *arg)
{
	(void)arg;
	return step_fetch();
}

/* If the result does not come back, the kernel may have the answer: then it is wrong now. */
static long call_answer(const char *arg)
{
	static bool is_unknown;
	struct uzio_done done = done_for(prog.request.head.id);
	int code = exchange(&prog, &done, 0);

	(void)arg;
	if (code == EINVAL && is_unknown)
		code = 0;
	is_unknown = code == EFAULT;
	errno = code;
	return code ? -1 : 0;
}

static long call_value(const char *arg)
{
	const struct uzio_value value = {
		.head = { .size = sizeof(value), .type = UZIO_VALUE },
		.chan = 1, .value = 2,
	};
	int code = exchange(&prog, &value, 0);

	(void)arg;
	errno = code;
	return code ? -1 : 0;
}

static long call_map(const char *arg)
{
	(void)arg;
	return step_map();
}

static long call_close(const char *arg)
{
	(void)arg;
	return close(prog.fd);
}

static void before_value(const char *arg)
{
	before_create(arg);
	ASSERT_EQ(step_create(), 0);
}

static const struct operation list[] = {
	{ "open", setup_loaded, NULL, call_open, close_program, NULL, 0 },
	{ "UZIO_IOC_CREATE", setup_loaded, before_create, call_create, close_program, NULL, 0 },
	{ "a request", setup_loaded, before_fetch, call_fetch, close_program, NULL, 0 },
	{ "an answer", setup_loaded, before_answer, call_answer, close_program, NULL, 0 },
	{ "a value", setup_loaded, before_value, call_value, close_program, NULL, 0 },
	{ "mmap", setup_loaded, before_answer, call_map, close_program, NULL, 0 },
	{ "close", setup_loaded, before_answer, call_close, close_program, NULL, 0 },
};

static void __attribute__((constructor)) add_list(void)
{
	static struct test tests[sizeof(list) / sizeof(*list) + 1];

	add_operations(list, tests, sizeof(list) / sizeof(*list));
}
