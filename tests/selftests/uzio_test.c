// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_test.c: devices whose drivers are programs: armed inputs
 *
 * # check
 * # leaks
 * # suspends
 */
#include <sys/resource.h>

#include "group.h"
#include "harness.h"
#include "power.h"
#include "uzio.h"

#define MAX_DEVICES	"/sys/module/zio_uzio/parameters/max_devices"

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
	/* A test that has failed may have left another limit. */
	write_text(MAX_DEVICES, "1024");
}

/*
 * A reader in a child: reads @size bytes and expects this result, or -errno. It keeps no file of
 * the program, whose device would stay.
 */
static pid_t start_reader(const char *path, ssize_t size, long expected)
{
	static char buf[65536];
	pid_t pid = fork_child();
	ssize_t n;
	int fd;

	if (pid)
		return pid;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(path, O_RDONLY);
	n = read(fd, buf, size);
	ASSERT_EQ(n < 0 ? -errno : n, expected);
	_exit(0);
}

static void fill_words(void *mem, const struct uzio_block *block, uint16_t from)
{
	uint16_t *word = mem + block->offset;
	size_t i;

	for (i = 0; i < block->len / 2; i++)
		word[i] = from + i;
}

TEST("a program fills the blocks of a reader in place, and tells their times", loaded)
{
	struct {
		struct uzio_done done;
		struct uzio_filled filled[2];
	} answer;
	struct zio_control ctrl;
	const struct uzio_arm *arm;
	struct program prog;
	uint16_t word[16];
	struct pair pair;
	unsigned int i;
	void *mem;

	start_program(&prog, &plain_set, 0);
	ASSERT_TEXT(UPROG_SYS "/words/name", "words");
	pair = open_pair(UPROG "-0-1", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(read(pair.ctrl, &ctrl, sizeof(ctrl)), -1);
	ASSERT_EQ(errno, EAGAIN);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	arm = await(&prog, UZIO_ARM);
	ASSERT_EQ(arm->head.set, 0);
	ASSERT_EQ(arm->n_blocks, 2);
	ASSERT_EQ(arm->post_samples, 16);
	ASSERT_EQ(arm->clock, CLOCK_REALTIME);
	ASSERT_TRUE(llabs(now_by(CLOCK_REALTIME) - (long long)(arm->time.secs * NSEC +
							       arm->time.ticks)) < 60 * NSEC);
	memset(&answer, 0, sizeof(answer));
	answer.done = done_for(arm->head.id);
	answer.done.head.size = sizeof(answer);
	answer.done.n_blocks = 2;
	answer.done.lost = 3;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(blocks_of(arm)[i].chan, i);
		ASSERT_EQ(blocks_of(arm)[i].len, 32);
		mem = map_block(&prog, &blocks_of(arm)[i]);
		fill_words(mem, &blocks_of(arm)[i], 100 * (i + 1));
		munmap(mem, blocks_of(arm)[i].map_size);
		answer.filled[i].len = 20;
		answer.filled[i].alarms = 5;
		answer.filled[i].flags = UZIO_FILLED_TIME;
		answer.filled[i].time.secs = 1000 + i;
		answer.filled[i].time.ticks = 999999999;
	}
	ASSERT_EQ(exchange(&prog, &answer, 0), 0);
	ASSERT_EQ(prog.ex.answers_taken, sizeof(answer));
	ASSERT_EQ(prog.ex.late, 0);
	ctrl = read_control(pair.ctrl);
	ASSERT_EQ(ctrl.nsamples, 10);
	ASSERT_EQ(ctrl.tstamp.secs, 1001);
	ASSERT_EQ(ctrl.tstamp.ticks, 999999999);
	ASSERT_EQ(ctrl.drv_alarms, 5);
	ASSERT_EQ(ctrl.seq_num, 3);
	ASSERT_EQ(ctrl.attr_trigger.std_val[ZIO_ATTR_TRIG_LOST], 3);
	ASSERT_EQ(read(pair.data, word, sizeof(word)), 20);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(word[i], 200 + i);
}

TEST("the description tells rate, error, unit and scale", loaded)
{
	struct uzio_set set = {
		.n_chan = 1, .ssize = 4, .nbits = 24, .nsamples = 1000, .max_samples = 2000,
		.rate_num = 44100, .rate_den = 2, .error_ns = 7, .first_ps = -5000,
		.clock = "quartz",
		.scaling = { .flags = UZIO_SCALING_VALID | UZIO_SCALING_SIGNED,
			     .unit = ZIO_UNIT_V, .mant = 25, .exp = -3, .offset = -2,
			     .offset_exp = 1 },
	};
	struct program prog;

	start_program(&prog, &set, 0);
	ASSERT_TEXT(UPROG_SYS "/cset0/chan0/unit", "V");
	ASSERT_TEXT(UPROG_SYS "/cset0/chan0/scale", "0.025");
	ASSERT_TEXT(UPROG_SYS "/cset0/chan0/offset", "-20");
	ASSERT_TEXT(UPROG_SYS "/cset0/chan0/signed", "1");
	ASSERT_TEXT(UPROG_SYS "/cset0/sample-rate", "22050");
	ASSERT_TEXT(UPROG_SYS "/cset0/trigger/clock-source", "quartz");
	write_text(UPROG_SYS "/cset0/trigger/post-samples", "2000");
	refuse(UPROG_SYS "/cset0/trigger/post-samples", "2001", ERANGE);
	refuse(UPROG_SYS "/cset0/current_buffer", "kmalloc", EOPNOTSUPP);
}

/* A set of one channel of two bytes, but for this. */
#define WRONG(code_, message_, ...)	\
	WRONG_SIZE(code_, message_, .n_chan = 1, .ssize = 2, __VA_ARGS__)
#define WRONG_SIZE(code_, message_, ...) { { __VA_ARGS__ }, code_, message_ }

TEST("a description that contradicts itself names the field", loaded)
{
	static const struct {
		struct uzio_set set;
		int code;
		const char *message;
	} wrong[] = {
		WRONG(ERANGE, "set 0: flags is 0x40: only 0x33 are known", .flags = 0x40),
		WRONG(EINVAL, "set 0: flags is 0x21: only armed inputs have interleaved blocks",
		      .flags = 0x21),
		WRONG(EINVAL, "set 0: flags is 0x2: only armed inputs have shots", .flags = 2,
		      .max_shots = 2),
		WRONG_SIZE(ERANGE, "set 0: n_chan is 0, not 1 to 1024", .ssize = 2),
		WRONG_SIZE(ERANGE, "set 0: n_chan is 1025, not 1 to 1024", .n_chan = 1025),
		WRONG_SIZE(ERANGE, "set 0: ssize is 0, not 1 to 65535", .n_chan = 1),
		WRONG_SIZE(ERANGE, "set 0: nbits is 65536, not 0 to 65535", .n_chan = 1,
			   .ssize = 65535, .nbits = 65536),
		WRONG(EINVAL, "set 0: nbits is 17, but ssize is 2 bytes", .nbits = 17),
		WRONG(ERANGE, "set 0: nsamples is 4294967295: with ssize 2 at most 536870912",
		      .nsamples = UINT32_MAX),
		WRONG(EINVAL, "set 0: max_samples is 8, but nsamples is 16", .max_samples = 8),
		WRONG(EINVAL, "set 0: rate_num is 5, but rate_den is 0", .rate_num = 5),
		WRONG(ERANGE, "set 0: error_ns is 1000000001, not 0 to 1000000000",
		      .error_ns = 1000000001),
		WRONG(ERANGE, "set 0: first_ps is 3600000000000001, "
		      "not -3600000000000000 to 3600000000000000",
		      .first_ps = 3600000000000001),
		WRONG(EINVAL, "set 0: name has other characters than [a-z0-9_-]", .name = "a/b"),
		WRONG(ENAMETOOLONG, "set 0: clock has more than 15 characters",
		      .clock = "abcdefghijklmnop"),
		WRONG(EINVAL, "set 0: clock is the kernel's", .clock = "kernel"),
		WRONG(EINVAL, "set 0: ZIO has a file refusal", .name = "refusal"),
		WRONG(EINVAL, "set 0: scaling without UZIO_SCALING_VALID", .scaling.mant = 1),
		WRONG(ERANGE, "set 0: scaling.mant is 0", .scaling.flags = UZIO_SCALING_VALID),
		WRONG(ERANGE, "set 0: scaling.unit is 99, not 0 to 24",
		      .scaling = { .flags = 1, .unit = 99, .mant = 1 }),
		WRONG(ERANGE, "set 0: scaling.exp is 251, not -250 to 250",
		      .scaling = { .flags = 1, .mant = 1, .exp = 251 }),
	};
	const struct uzio_set twins[2] = { plain_set, plain_set };
	struct program prog;
	unsigned int i;

	open_program(&prog);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ASSERT_EQ(describe(&prog, &wrong[i].set, 1, 0), wrong[i].code,
			  wrong[i].message);
		if (strcmp(prog.message, wrong[i].message))
			FAIL("'%s', expected '%s'", prog.message, wrong[i].message);
	}
	ASSERT_EQ(describe(&prog, twins, 2, 0), EINVAL);
	if (strcmp(prog.message, "set 1: name is that of set 0"))
		FAIL("'%s'", prog.message);
	ASSERT_EQ(describe(&prog, NULL, 0, 0), ERANGE);
	ASSERT_EQ(describe(&prog, NULL, 1, 0), EFAULT);
	ASSERT_EQ(exchange(&prog, NULL, 0), ENOTCONN);
	ASSERT_EQ(count_objects("uprog"), 0);
	/* All of these have changed nothing. */
	ASSERT_EQ(describe(&prog, &plain_set, 1, 0), 0, prog.message);
	ASSERT_EQ(describe(&prog, &plain_set, 1, 0), EBUSY);
}

TEST("a message that is cut ends with a zero", loaded)
{
	char text[16];
	struct uzio_create create = {
		.message = (uintptr_t)text, .message_size = 10, .flags = 16,
	};
	struct program prog;

	open_program(&prog);
	memset(text, 'x', sizeof(text));
	ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_CREATE, &create), -1);
	ASSERT_EQ(errno, ERANGE);
	ASSERT_TRUE(!memcmp(text, "flags is \0xxxxxx", sizeof(text)));
}

TEST("a result that cannot be written makes no device", loaded)
{
	struct uzio_create *create = share_memory(PAGE);
	struct program prog;

	*create = (struct uzio_create) {
		.name = "uprog", .id = -1, .sets = (uintptr_t)&plain_set, .n_sets = 1,
		.set_size = sizeof(plain_set),
	};
	ASSERT_TRUE(!mprotect(create, PAGE, PROT_READ));
	open_program(&prog);
	ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_CREATE, create), -1);
	ASSERT_EQ(errno, EFAULT);
	ASSERT_EQ(count_objects("uprog"), 0);
	ASSERT_EQ(describe(&prog, &plain_set, 1, 0), 0, prog.message);
}

TEST("a file with a device refuses another one without a look at user memory", loaded)
{
	struct uzio_create create = { .sets = 16, .n_sets = 1, .message = 16,
				      .message_size = 16 };
	struct program prog;

	start_program(&prog, &plain_set, 0);
	ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_CREATE, &create), -1);
	ASSERT_EQ(errno, EBUSY);
}

/* The reader gets 32 bytes of the number @byte. */
static void serve_one(struct program *prog, int byte)
{
	const struct uzio_arm *arm = await(prog, UZIO_ARM);
	struct uzio_done done = done_for(arm->head.id);
	void *mem = map_block(prog, &blocks_of(arm)[0]);

	memset(mem + blocks_of(arm)[0].offset, byte, blocks_of(arm)[0].len);
	munmap(mem, blocks_of(arm)[0].map_size);
	ASSERT_EQ(exchange(prog, &done, 0), 0);
}

TEST("an error of the program reaches the reader, and the next read works", loaded)
{
	/* To the reader, EFAULT would mean its own memory. */
	static const int error[][2] = {
		{ EREMOTEIO, EREMOTEIO }, { EFAULT, EIO }, { 511, 511 },
	};
	struct uzio_fail fail;
	struct program prog;
	unsigned int i;

	start_program(&prog, &plain_set, 0);
	for (i = 0; i < sizeof(error) / sizeof(error[0]); i++) {
		start_reader(UPROG "-0-0-data", 32, -error[i][1]);
		fail = fail_for(await(&prog, UZIO_ARM)->head.id, error[i][0]);
		ASSERT_EQ(exchange(&prog, &fail, 0), 0);
		wait_children(1);
	}
	start_reader(UPROG "-0-0-data", 32, 32);
	serve_one(&prog, 1);
	wait_children(1);
}

TEST("wrong answers change nothing", loaded)
{
	/* The kernel copies as much as its buffer has, whatever the size says. */
	struct {
		struct uzio_done done;
		struct uzio_filled filled[2];
		char behind[BUFFER];
	} answer = { .filled = { { .len = 32 }, { .len = 32 } } };
	/* ERESTARTSYS and EIOCBQUEUED are of the kernel's own errors. */
	static const unsigned int no_errno[] = { 0, 512, 529, 4095, 4096, UINT32_MAX };
	struct uzio_fail fail;
	struct program prog;
	unsigned int i;
	uint64_t id;

	start_program(&prog, &plain_set, 0);
	start_reader(UPROG "-0-0-data", 32, 32);
	id = await(&prog, UZIO_ARM)->head.id;
#define REFUSED(change) do {						\
	answer.done = done_for(id);					\
	answer.done.head.size = offsetof(typeof(answer), behind);	\
	answer.done.n_blocks = 2;					\
	change;								\
	ASSERT_EQ(exchange(&prog, &answer, 0), EINVAL, #change);	\
	ASSERT_EQ(prog.ex.answers_taken, 0);				\
	answer.filled[0] = answer.filled[1];				\
} while (0)
	REFUSED(answer.done.head.id = 0);
	REFUSED(answer.done.head.id = id + 1);
	REFUSED(answer.done.head.set = 1);
	REFUSED(answer.done.head.type = 77);
	REFUSED(answer.done.head.size = 8);
	REFUSED(answer.done.head.size += 4);
	REFUSED(answer.done.head.size = UINT32_MAX - 7);
	REFUSED(answer.done.n_blocks = 1);
	REFUSED(answer.done.n_blocks = UINT32_MAX);
	REFUSED(answer.filled[0].len = 34);
	REFUSED(answer.filled[0].len = 31);
	REFUSED(answer.filled[0].flags = 2);
	REFUSED(answer.filled[0].reserved[4] = 1);
	REFUSED(answer.filled[0].flags = UZIO_FILLED_TIME;
		answer.filled[0].time.ticks = NSEC);
	for (i = 0; i < sizeof(no_errno) / sizeof(no_errno[0]); i++) {
		fail = fail_for(id, no_errno[i]);
		ASSERT_EQ(exchange(&prog, &fail, 0), EINVAL);
	}
	answer.done = done_for(id);
	ASSERT_EQ(exchange(&prog, &answer, 0), 0);
	ASSERT_EQ(exchange(&prog, &answer, 0), EINVAL);
	wait_children(1);
}

TEST("a set that is aborted is not armed again before the program answers", loaded)
{
	struct uzio_done done;
	struct uzio_fail fail;
	struct program prog;
	uint64_t id, next;

	start_program(&prog, &plain_set, 0);
	start_reader(UPROG "-0-0-data", 32, 32);
	id = await(&prog, UZIO_ARM)->head.id;
	write_text(UPROG_SYS "/cset0/chan1/enable", "0");
	ASSERT_EQ(await(&prog, UZIO_ABORT)->head.id, id);
	/* The reader has armed the set again. */
	ASSERT_EQ(exchange(&prog, NULL, 100), 0);
	ASSERT_EQ(prog.ex.requests_given, 0);
	done = done_for(id);
	ASSERT_EQ(exchange(&prog, &done, 20 * SECOND), 0);
	ASSERT_EQ(prog.ex.late, 1);
	ASSERT_EQ(prog.request.head.type, UZIO_ARM);
	ASSERT_EQ(prog.request.arm.n_blocks, 1);
	next = prog.request.head.id;
	ASSERT_TRUE(next > id);
	fail = fail_for(next, EIO);
	fail.head.id = id;
	ASSERT_EQ(exchange(&prog, &fail, 0), EINVAL);
	done = done_for(next);
	ASSERT_EQ(exchange(&prog, &done, 0), 0);
	wait_children(1);
}

TEST("the requests stay until the program has got them", loaded)
{
	struct program prog;
	struct uzio_done done;

	start_program(&prog, &plain_set, 0);
	start_reader(UPROG "-0-0-data", 32, 32);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	prog.ex = (struct uzio_exchange) { .requests = 16, .requests_size = BUFFER };
	ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_EXCHANGE, &prog.ex), -1);
	ASSERT_EQ(errno, EFAULT);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 0), POLLIN);
	prog.ex = (struct uzio_exchange) { .requests = (uintptr_t)&prog.request,
					   .requests_size = 64 };
	ASSERT_EQ(ioctl(prog.fd, UZIO_IOC_EXCHANGE, &prog.ex), -1);
	ASSERT_EQ(errno, EINVAL);
	done = done_for(await(&prog, UZIO_ARM)->head.id);
	ASSERT_EQ(exchange(&prog, &done, 0), 0);
	wait_children(1);
}

TEST("no mapping of anything but the areas of the program", loaded)
{
	const struct uzio_arm *arm;
	struct program prog, other;

	start_program(&prog, &plain_set, 0);
	open_program(&other);
#define NO_MAP(fd, size, flags, at, code) do {				\
	ASSERT_TRUE(mmap(NULL, size, PROT_READ, flags, fd, at) == MAP_FAILED); \
	ASSERT_EQ(errno, code);						\
} while (0)
	NO_MAP(other.fd, PAGE, MAP_SHARED, 0, ENOTCONN);
	NO_MAP(prog.fd, PAGE, MAP_SHARED, 0, ESTALE);
	start_reader(UPROG "-0-0-data", 32, -ENODEV);
	arm = await(&prog, UZIO_ARM);
	NO_MAP(prog.fd, PAGE, MAP_PRIVATE, blocks_of(arm)[0].map, EINVAL);
	NO_MAP(prog.fd, PAGE, MAP_SHARED, blocks_of(arm)[0].map + PAGE, EINVAL);
	NO_MAP(prog.fd, blocks_of(arm)[0].map_size + PAGE, MAP_SHARED, blocks_of(arm)[0].map, EINVAL);
	NO_MAP(prog.fd, PAGE, MAP_SHARED, blocks_of(arm)[1].map + (1 << 24), ESTALE);
	close(prog.fd);
	wait_children(1);
}

TEST("the program closes its file: readers get ENODEV", loaded)
{
	struct program prog;
	int fd;

	start_program(&prog, &plain_set, 0);
	fd = open_node(UPROG "-0-1", "data", O_RDONLY);
	start_reader(UPROG "-0-0-data", 32, -ENODEV);
	await(&prog, UZIO_ARM);
	close(prog.fd);
	wait_children(1);
	ASSERT_EQ(read(fd, prog.message, 1), -1);
	ASSERT_EQ(errno, ENODEV);
	ASSERT_EQ(count_objects("uprog"), 0);
}

/* In a child: the core takes the blocks back, and arms the set again, until the device is gone. */
static void start_changes(const char *path)
{
	unsigned int *ready = share_memory(PAGE);
	int fd, i;

	if (fork_child()) {
		wait_for(20, get(ready));
		return;
	}
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(path, O_WRONLY);
	set(ready, 1);
	for (i = 0; pwrite(fd, i % 2 ? "1" : "0", 1, 0) == 1; i++)
		;
	_exit(0);
}

/* The core ends one set after the other, so the last one is armed for a while yet. */
TEST("a set that is armed while its program goes gives readers ENODEV only", loaded)
{
	struct uzio_set sets[UZIO_MAX_SETS];
	struct program prog;
	int i;

	for (i = 0; i < UZIO_MAX_SETS; i++)
		sets[i] = (struct uzio_set) { .n_chan = 2, .ssize = 2 };
	for (i = 0; i < (is_debug_kernel() ? 3 : 20); i++) {
		open_program(&prog);
		ASSERT_EQ(describe(&prog, sets, UZIO_MAX_SETS, 0), 0, prog.message);
		wait_for(20, exists(UPROG "-63-0-data"));
		start_reader(UPROG "-63-0-data", 32, -ENODEV);
		ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
		start_changes(UPROG_SYS "/cset63/chan1/enable");
		close(prog.fd);
		wait_children(2);
	}
}

/* What the program has done when it dies */
enum { OPENED, CREATED, ARMED, FETCHED, MAPPED, ABORTED };

static void die_in_state(int state, unsigned int *ready)
{
	const struct uzio_arm *arm;
	struct program prog;

	open_program(&prog);
	if (state >= CREATED)
		ASSERT_EQ(describe(&prog, &plain_set, 1, 0), 0, prog.message);
	if (state >= ARMED) {
		wait_for(10, exists(UPROG "-0-0-data"));
		set(ready, 1);
		ASSERT_EQ(poll_events(prog.fd, POLLIN, 60 * SECOND), POLLIN);
	}
	if (state >= FETCHED) {
		arm = await(&prog, UZIO_ARM);
		if (state >= MAPPED)
			memset(map_block(&prog, &blocks_of(arm)[0]), 1, PAGE);
		if (state >= ABORTED)
			write_text(UPROG_SYS "/cset0/chan1/enable", "0");
	}
	set(ready, 2);
	for (;;)
		pause();
}

TEST_EACH("kill -9 in state %s", loaded, "0", "1", "2", "3", "4", "5")
{
	unsigned int *ready = share_memory(PAGE);
	int state = atoi(value), status;
	pid_t pid = fork_child(), reader;

	if (!pid)
		die_in_state(state, ready);
	if (state >= ARMED) {
		wait_for(20, get(ready) >= 1);
		reader = start_reader(UPROG "-0-0-data", 32, -ENODEV);
	}
	wait_for(60, get(ready) == 2);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	if (state >= ARMED) {
		ASSERT_EQ(waitpid(reader, &status, 0), reader);
		ASSERT_EQ(status, 0);
	}
	wait_for(20, !count_objects("uprog"));
}

TEST("a program that fetches nothing is unplugged after its time", loaded)
{
	struct program prog;
	int before = shell("exit $(dmesg | grep -c 'uzio: uprog: the program has not answered')");

	start_program(&prog, &plain_set, 200);
	start_reader(UPROG "-0-0-data", 32, -ENODEV);
	wait_children(1);
	ASSERT_TRUE(poll_events(prog.fd, POLLIN, 0) & POLLHUP);
	ASSERT_EQ(exchange(&prog, NULL, 0), ENODEV);
	ASSERT_EQ(shell("exit $(dmesg | grep -c 'uzio: uprog: the program has not answered')"),
		  before + 1);
}

TEST("a program that does not answer an abort is unplugged, one that waits is not", loaded)
{
	struct program prog;

	start_program(&prog, &plain_set, 200);
	start_reader(UPROG "-0-0-data", 32, -ENODEV);
	await(&prog, UZIO_ARM);
	/* It may keep the blocks for longer than its time: a trigger may come late. */
	ASSERT_EQ(exchange(&prog, NULL, 1 * SECOND), 0);
	ASSERT_TRUE(exists(UPROG "-0-0-data"));
	write_text(UPROG_SYS "/cset0/chan1/enable", "0");
	await(&prog, UZIO_ABORT);
	wait_children(1);
	ASSERT_EQ(exchange(&prog, NULL, 0), ENODEV);
}

TEST("a program that stood still during a suspend is not unplugged", loaded)
{
	struct program prog;

	need_suspend();
	/* A busy host takes seconds to begin a suspend, which has to be the longer one. */
	start_program(&prog, &plain_set, 8000);
	start_reader(UPROG "-0-0-data", 32, 32);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	suspend_for("12", "freezer");
	/* The watch is at work by now. */
	ASSERT_EQ(poll_events(prog.fd, 0, 1 * SECOND), 0);
	serve_one(&prog, 1);
	wait_children(1);
}

TEST("a device is charged to RLIMIT_MEMLOCK", loaded)
{
	struct rlimit limit = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };
	struct uzio_set set = plain_set;
	struct program prog;

	open_program(&prog);
	ASSERT_TRUE(!setrlimit(RLIMIT_MEMLOCK, &limit));
	become_nobody(0, NULL);
	set.n_chan = 5;
	ASSERT_EQ(describe(&prog, &set, 1, 0), EDQUOT);
	set.n_chan = 1;
	set.nsamples = 1 << 18;
	ASSERT_EQ(describe(&prog, &set, 1, 0), EDQUOT);
	set.n_chan = 4;
	set.nsamples = 0;
	ASSERT_EQ(describe(&prog, &set, 1, 0), 0, prog.message);
}

TEST("the memory of a device counts until its last mapping ends", loaded)
{
	const struct uzio_set set = { .n_chan = 1, .ssize = 2 };
	unsigned long before = locked();
	struct program prog;
	void *mem;
	int fd;

	start_program(&prog, &set, 0);
	ASSERT_EQ(locked() - before, (128 + 96) << 10);
	fd = open_file(UPROG "-0-0-data", O_RDONLY);
	mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_TRUE(mem != MAP_FAILED);
	close(fd);
	close(prog.fd);
	ASSERT_EQ(count_objects("uprog"), 0);
	ASSERT_EQ(locked() - before, 128 << 10);
	munmap(mem, PAGE);
	wait_for(20, locked() == before);
}

TEST("the control group of the program pays for the blocks", loaded)
{
	const struct uzio_set set = { .n_chan = 1, .ssize = 2, .nsamples = 1 << 21 };
	struct program prog;
	unsigned long before;

	join_group();
	open_program(&prog);
	before = read_number(CURRENT);
	ASSERT_EQ(describe(&prog, &set, 1, 0), 0, prog.message);
	ASSERT_TRUE(read_number(CURRENT) - before >= 8 << 20);
	close(prog.fd);
	open_program(&prog);
	write_text(GROUP "/memory.max", "4M");
	ASSERT_EQ(describe(&prog, &set, 1, 0), ENOMEM);
	ASSERT_TRUE(strstr(text_in(GROUP "/memory.events"), "oom_kill 0"));
}

TEST("max_devices limits the devices of all programs", loaded)
{
	struct program prog[3];
	int i;

	write_text(MAX_DEVICES, "2");
	for (i = 0; i < 3; i++) {
		open_program(&prog[i]);
		ASSERT_EQ(describe(&prog[i], &plain_set, 1, 0), i < 2 ? 0 : ENFILE);
	}
	close(prog[0].fd);
	ASSERT_EQ(describe(&prog[2], &plain_set, 1, 0), 0, prog[2].message);
}

TEST("many devices are made and removed", loaded)
{
	int i, n = is_debug_kernel() ? 50 : 1000;
	struct program prog;

	for (i = 0; i < n; i++) {
		open_program(&prog);
		ASSERT_EQ(describe(&prog, &plain_set, 1, 0), 0, prog.message);
		close(prog.fd);
	}
	ASSERT_EQ(count_objects("uprog"), 0);
}
