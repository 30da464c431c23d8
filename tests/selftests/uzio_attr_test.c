// SPDX-License-Identifier: GPL-2.0-only
/*
 * uzio_attr_test.c: devices whose drivers are programs: attributes
 *
 * # check
 * # leaks
 * # suspends
 */
#include <pthread.h>

#include "hammer.h"
#include "harness.h"
#include "power.h"
#include "uzio.h"

#define SET_SYS		UPROG_SYS "/cset0"
#define GAIN(chan)	SET_SYS "/chan" #chan "/gain"
#define BIAS		SET_SYS "/bias"
#define POWER		UPROG_SYS "/power-w"
#define RESET		UPROG_SYS "/reset"
#define COUNT		SET_SYS "/count"
#define REFUSAL		UPROG_SYS "/refusal"

/* Positions in the list */
enum { GAIN_ATTR, BIAS_ATTR, POWER_ATTR, RESET_ATTR, COUNT_ATTR, N_ATTRS };

static const uint32_t gains[] = { 1, 2, 5, 10 };

static const struct uzio_attr attrs[N_ATTRS] = {
	{ .name = "gain", .set = 0, .flags = UZIO_ATTR_CHANNELS, .place = UZIO_PLACE_STD,
	  .index = ZIO_ATTR_GAIN, .value = 1, .choices = (uintptr_t)gains, .n_choices = 4 },
	{ .name = "bias", .set = 0, .flags = UZIO_ATTR_SIGNED, .place = UZIO_PLACE_EXT,
	  .index = 3, .value = -7, .min = -100, .max = 100 },
	{ .name = "power-w", .set = UZIO_DEVICE, .place = UZIO_PLACE_EXT, .index = 4,
	  .max = 500 },
	{ .name = "reset", .set = UZIO_DEVICE, .flags = UZIO_ATTR_WRITE_ONLY },
	{ .name = "count", .set = 0, .flags = UZIO_ATTR_READ_ONLY },
};

SETUP(loaded)
{
	load("zio-buf-vmalloc");
	load("zio-uzio");
}

static void start(struct program *prog, unsigned int timeout_ms)
{
	open_program(prog);
	ASSERT_EQ(describe_with(prog, &plain_set, 1, attrs, N_ATTRS, timeout_ms), 0,
		  prog->message);
}

/* A user in a child, who keeps no file of the program. @code: 0, or the errno of the write */
static pid_t start_writer(const char *path, const char *text, int code)
{
	pid_t pid = fork_child();
	int fd;

	if (pid)
		return pid;
	ASSERT_TRUE(!close_range(3, ~0u, 0));
	fd = open_file(path, O_WRONLY);
	errno = 0;
	if (write(fd, text, strlen(text)) < 0 ? errno != code : code)
		FAIL("'%s' to %s: %s, expected %s", text, path, strerrorname_np(errno),
		     strerrorname_np(code));
	_exit(0);
}

/* Wait for what a user has written. */
static struct uzio_value await_value(struct program *prog)
{
	await(prog, UZIO_SET);
	ASSERT_EQ(prog->request.head.size, sizeof(struct uzio_value));
	return prog->request.value;
}

static int answer(struct program *prog, const struct uzio_value *asked, long long number)
{
	struct uzio_value value = *asked;

	value.head.type = UZIO_VALUE;
	value.value = number;
	return exchange(prog, &value, 0);
}

static int answer_no(struct program *prog, const struct uzio_value *asked, unsigned int error,
		     const char *reason)
{
	struct uzio_refuse refuse = { .head = asked->head, .error = error };

	refuse.head.type = UZIO_REFUSE;
	refuse.head.size = sizeof(refuse);
	snprintf(refuse.reason, sizeof(refuse.reason), "%s", reason);
	return exchange(prog, &refuse, 0);
}

static struct zio_control current_control(const char *path)
{
	int fd = open_file(path, O_RDONLY);
	struct zio_control ctrl = read_control(fd);

	close(fd);
	return ctrl;
}

TEST("a value goes to the program, and what it has set to users and controls", loaded)
{
	struct zio_control ctrl;
	struct program prog;
	struct uzio_value asked;

	start(&prog, 0);
	ASSERT_TEXT(GAIN(0), "1");
	ASSERT_TEXT(BIAS, "-7");
	start_writer(GAIN(1), "10", 0);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	asked = await_value(&prog);
	ASSERT_EQ(asked.head.set, 0);
	ASSERT_EQ(asked.attr, GAIN_ATTR);
	ASSERT_EQ(asked.chan, 1);
	ASSERT_EQ(asked.value, 10);
	ASSERT_TEXT(GAIN(1), "1");
	ASSERT_EQ(answer(&prog, &asked, 5), 0);
	wait_children(1);
	ASSERT_TEXT(GAIN(1), "5");
	ASSERT_TEXT(GAIN(0), "1");
	start_writer(BIAS, "-100", 0);
	asked = await_value(&prog);
	ASSERT_EQ(asked.value, -100);
	ASSERT_EQ(answer(&prog, &asked, -100), 0);
	start_writer(POWER, "500", 0);
	asked = await_value(&prog);
	ASSERT_EQ(asked.head.set, UZIO_DEVICE);
	ASSERT_EQ(answer(&prog, &asked, 500), 0);
	wait_children(2);
	ctrl = current_control(SET_SYS "/chan1/current-control");
	ASSERT_EQ(ctrl.attr_channel.std_val[ZIO_ATTR_GAIN], 5);
	ASSERT_EQ((int)ctrl.attr_channel.ext_val[3], -100);
	ASSERT_EQ(ctrl.attr_channel.ext_val[4], 500);
	ASSERT_EQ(ctrl.attr_channel.ext_mask, 1 << 3 | 1 << 4);
}

TEST("the core refuses what the description excludes", loaded)
{
	struct program prog;

	start(&prog, 0);
	refuse(GAIN(0), "3", EINVAL);
	refuse(BIAS, "-101", ERANGE);
	refuse(POWER, "501", ERANGE);
	ASSERT_EQ(exchange(&prog, NULL, 0), 0);
	ASSERT_EQ(prog.ex.requests_given, 0);
	ASSERT_TEXT(UPROG_SYS "/accepted", "power-w [0 1 500]\nreset [0 1 4294967295]");
}

TEST("the program refuses a value in its own words", loaded)
{
	struct uzio_value asked;
	struct program prog;

	start(&prog, 0);
	ASSERT_TEXT(REFUSAL, "");
	start_writer(GAIN(1), "10", EREMOTEIO);
	asked = await_value(&prog);
	ASSERT_EQ(answer_no(&prog, &asked, EREMOTEIO, "the probe is missing"), 0);
	wait_children(1);
	ASSERT_TEXT(GAIN(1), "1");
	ASSERT_TEXT(REFUSAL, "cset0/chan1/gain=10: the probe is missing");
	start_writer(POWER, "3", 511);
	asked = await_value(&prog);
	ASSERT_EQ(answer_no(&prog, &asked, 511, ""), 0);
	wait_children(1);
	ASSERT_TEXT(REFUSAL, "power-w=3: the program gives no reason");
}

TEST("zio set tells why the program refuses a value", loaded)
{
	struct uzio_value asked;
	struct program prog;

	start(&prog, 0);
	if (!fork_child()) {
		ASSERT_TRUE(!close_range(3, ~0u, 0));
		run("zio set uprog/0/1 gain=10 2>&1 | grep -q ': the probe: is missing$'");
		_exit(0);
	}
	asked = await_value(&prog);
	ASSERT_EQ(answer_no(&prog, &asked, EIO, "the probe: is missing"), 0);
	wait_children(1);
	/* This one is not about the program. */
	run("zio set uprog/0/1 gain=3 2>&1 | grep -q 'one of: 1 2 5 10'");
}

TEST("a command reaches the program, and has no value to read", loaded)
{
	struct uzio_value asked;
	struct program prog;

	start(&prog, 0);
	start_writer(RESET, "1", 0);
	asked = await_value(&prog);
	ASSERT_EQ(asked.attr, RESET_ATTR);
	ASSERT_EQ(answer(&prog, &asked, 1), 0);
	wait_children(1);
	ASSERT_EQ(shell("[ $(stat -c %%a " RESET ") = 200 ]"), 0);
	ASSERT_EQ(shell("[ $(stat -c %%a " COUNT ") = 444 ]"), 0);
}

static struct uzio_value own_value(unsigned int attr, unsigned int chan, long long value)
{
	return (struct uzio_value) {
		.head = { .size = sizeof(struct uzio_value), .type = UZIO_VALUE,
			  .set = attrs[attr].set },
		.attr = attr, .chan = chan, .value = value,
	};
}

TEST("the program changes values by itself, and wakes users in poll", loaded)
{
	struct uzio_value own = own_value(COUNT_ATTR, 0, UINT32_MAX);
	struct program prog;
	char text[32];
	int fd;

	start(&prog, 0);
	fd = open_file(COUNT, O_RDONLY);
	ASSERT_EQ(read(fd, text, sizeof(text)), 2);
	ASSERT_EQ(poll_events(fd, POLLPRI, 0), 0);
	ASSERT_EQ(exchange(&prog, &own, 0), 0);
	ASSERT_EQ(poll_events(fd, POLLPRI, 20 * SECOND), POLLPRI | POLLERR);
	ASSERT_TEXT(COUNT, "4294967295");
	own = own_value(GAIN_ATTR, 1, 2);
	ASSERT_EQ(exchange(&prog, &own, 0), 0);
	ASSERT_TEXT(GAIN(0), "1");
	ASSERT_TEXT(GAIN(1), "2");
}

TEST("wrong answers change nothing", loaded)
{
	struct uzio_value asked, wrong;
	struct uzio_refuse no;
	struct program prog;

	start(&prog, 0);
#define WRONG_VALUE(change) do {					\
	wrong = asked;							\
	wrong.head.type = UZIO_VALUE;					\
	change;								\
	ASSERT_EQ(exchange(&prog, &wrong, 0), EINVAL, #change);		\
	ASSERT_EQ(prog.ex.answers_taken, 0);				\
} while (0)
#define WRONG_NO(change) do {						\
	no = (struct uzio_refuse) { .head = asked.head, .error = EIO };	\
	no.head.type = UZIO_REFUSE;					\
	no.head.size = sizeof(no);					\
	change;								\
	ASSERT_EQ(exchange(&prog, &no, 0), EINVAL, #change);		\
} while (0)
	asked = own_value(GAIN_ATTR, 0, 2);
	WRONG_VALUE(wrong.head.id = 1);
	WRONG_VALUE(wrong.chan = 2);
	WRONG_VALUE(wrong.chan = UINT16_MAX);
	WRONG_NO((void)no);
	WRONG_NO(no.head.id = 1);
	WRONG_NO(strcpy(no.reason, "\x9b" "1m"));
	start_writer(GAIN(1), "10", 0);
	asked = await_value(&prog);
	WRONG_VALUE(wrong.head.id++);
	WRONG_VALUE(wrong.head.size += 8);
	WRONG_VALUE(wrong.head.type = 77);
	WRONG_VALUE(wrong.head.set = UZIO_DEVICE);
	WRONG_VALUE(wrong.attr = BIAS_ATTR; wrong.chan = 0);
	WRONG_VALUE(wrong.attr = N_ATTRS);
	WRONG_VALUE(wrong.chan = 0);
	WRONG_VALUE(wrong.reserved = 1);
	WRONG_VALUE(wrong.value = 3);
	WRONG_VALUE(wrong.value = -1);
	WRONG_VALUE(wrong.value = 0x10000000aLL);
	WRONG_NO(no.head.id++);
	WRONG_NO(no.head.set = 1);
	WRONG_NO(no.error = 0);
	WRONG_NO(no.error = 512);
	WRONG_NO(no.reserved = 1);
	WRONG_NO(memset(no.reason, 'x', sizeof(no.reason)));
	WRONG_NO(strcpy(no.reason, "a\nb"));
	ASSERT_TEXT(GAIN(0), "1");
	ASSERT_TEXT(GAIN(1), "1");
	ASSERT_EQ(answer(&prog, &asked, 10), 0);
	wait_children(1);
	ASSERT_TEXT(GAIN(1), "10");
}

static void *write_own(void *arg)
{
	int fd = open_file(GAIN(0), O_WRONLY);
	ssize_t n = write(fd, "2", 1);

	*(int *)arg = n < 0 ? errno : 0;
	close(fd);
	return NULL;
}

TEST("no thread of the program waits for the program", loaded)
{
	struct program prog;
	pthread_t thread;
	int code = 0;

	start(&prog, 60 * SECOND);
	write_own(&code);
	ASSERT_EQ(code, EDEADLK);
	ASSERT_TRUE(!pthread_create(&thread, NULL, write_own, &code));
	ASSERT_TRUE(!pthread_join(thread, NULL));
	ASSERT_EQ(code, EDEADLK);
}

/* The child serves the device that its parent has made. */
TEST("the program is the process that serves the device", loaded)
{
	unsigned int *ready = share_memory(PAGE);
	struct uzio_value asked;
	struct program prog;

	start(&prog, 60 * SECOND);
	if (!fork_child()) {
		ASSERT_EQ(exchange(&prog, NULL, 0), 0);
		set(ready, 1);
		asked = await_value(&prog);
		ASSERT_EQ(answer(&prog, &asked, 2), 0);
		_exit(0);
	}
	wait_for(20, get(ready));
	write_text(GAIN(0), "2");
	wait_children(1);
	ASSERT_TEXT(GAIN(0), "2");
}

TEST("a user waits no longer than the time-out, and the request goes with him", loaded)
{
	struct program prog;

	start(&prog, 200);
	start_writer(GAIN(0), "2", ETIMEDOUT);
	wait_children(1);
	ASSERT_EQ(exchange(&prog, NULL, 0), 0);
	ASSERT_EQ(prog.ex.requests_given, 0);
	ASSERT_TEXT(GAIN(0), "1");
}

TEST("a late yes is true, a late no changes nothing", loaded)
{
	struct uzio_value asked;
	struct program prog;

	start(&prog, 200);
	start_writer(GAIN(0), "2", ETIMEDOUT);
	asked = await_value(&prog);
	wait_children(1);
	ASSERT_EQ(answer(&prog, &asked, 2), 0);
	ASSERT_TEXT(GAIN(0), "2");
	start_writer(GAIN(0), "5", ETIMEDOUT);
	asked = await_value(&prog);
	wait_children(1);
	ASSERT_EQ(answer_no(&prog, &asked, EIO, "late"), 0);
	ASSERT_TEXT(GAIN(0), "2");
	ASSERT_TEXT(REFUSAL, "");
}

TEST_EACH("a user who is killed leaves, fetched: %s", loaded, "0", "1")
{
	struct uzio_value asked;
	struct program prog;
	int status;
	pid_t pid;

	start(&prog, 60 * SECOND);
	pid = start_writer(GAIN(0), "2", 0);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	if (atoi(value))
		asked = await_value(&prog);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFSIGNALED(status));
	if (atoi(value))
		ASSERT_EQ(answer(&prog, &asked, 2), 0);
	ASSERT_EQ(exchange(&prog, NULL, 0), 0);
	ASSERT_EQ(prog.ex.requests_given, 0);
}

TEST_EACH("the program ends while a user waits, case %s", loaded, "0", "1", "2", "3")
{
	int bits = atoi(value);
	struct program prog;

	start(&prog, 60 * SECOND);
	start_writer(bits & 1 ? POWER : GAIN(0), "2", ENODEV);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	if (bits & 2)
		await_value(&prog);
	close(prog.fd);
	wait_children(1);
	wait_for(20, !count_objects("uprog"));
}

TEST("while a user waits, others read, open, configure and acquire", loaded)
{
	static char buf[32];
	struct program prog;
	struct uzio_done done;
	int fd, n;

	start(&prog, 60 * SECOND);
	wait_for(10, exists(UPROG "-0-0-data"));
	start_writer(GAIN(0), "2", ENODEV);
	start_writer(POWER, "2", ENODEV);
	for (n = 0; n < 2; n += prog.ex.requests_given / sizeof(struct uzio_value))
		await(&prog, UZIO_SET);
	ASSERT_TEXT(GAIN(0), "1");
	ASSERT_TEXT(POWER, "0");
	ASSERT_TRUE(strstr(text_in(SET_SYS "/accepted"), "chan*/gain 1 2 5 10"));
	write_text(SET_SYS "/chan1/enable", "0");
	fd = open_node(UPROG "-0-0", "data", O_RDONLY | O_NONBLOCK);
	ASSERT_EQ(read(fd, buf, sizeof(buf)), -1);
	done = done_for(await(&prog, UZIO_ARM)->head.id);
	ASSERT_EQ(exchange(&prog, &done, 0), 0);
	ASSERT_EQ(read(fd, buf, sizeof(buf)), sizeof(buf));
	close(prog.fd);
	wait_children(2);
}

#define MANY	64

TEST("many users wait at once, and are answered in another order", loaded)
{
	struct uzio_value asked[MANY];
	struct program prog;
	char text[8];
	int i;

	start(&prog, 60 * SECOND);
	for (i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "%d", i + 1);
		start_writer(POWER, text, i % 2 ? EIO : 0);
		asked[i] = await_value(&prog);
		ASSERT_EQ(asked[i].value, i + 1);
	}
	for (i = MANY - 1; i >= 0; i--)
		ASSERT_EQ(i % 2 ? answer_no(&prog, &asked[i], EIO, "odd") :
			  answer(&prog, &asked[i], i + 1), 0);
	wait_children(MANY);
	ASSERT_TEXT(POWER, "1");
}

/* Serve until the device is gone. */
static void serve(struct program *prog)
{
	struct uzio_value asked;

	while (!exchange(prog, NULL, 20 * SECOND)) {
		asked = prog->request.value;
		if (prog->ex.requests_given && asked.head.type == UZIO_SET)
			answer(prog, &asked, asked.value);
	}
}

TEST_EACH("unplugged while users write and read %s", loaded, GAIN(0), POWER, COUNT)
{
	unsigned int *ready = share_memory(PAGE);
	pid_t pid = fork_child();
	struct program prog;

	if (!pid) {
		start(&prog, 60 * SECOND);
		set(ready, 1);
		serve(&prog);
		_exit(1);
	}
	wait_for(60, get(ready));
	start_file_users(value, strcmp(value, COUNT) ? "1" : NULL);
	kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	wait_children(N_FILE_USERS);
	wait_for(20, !count_objects("uprog"));
}

/* The kernel repeats a call whose request the program has not seen. */
TEST_EACH("a suspend while a user waits, fetched: %s", loaded, "0", "1")
{
	struct uzio_value asked;
	struct program prog;

	need_suspend();
	start(&prog, 60 * SECOND);
	start_writer(GAIN(0), "2", atoi(value) ? EINTR : 0);
	ASSERT_EQ(poll_events(prog.fd, POLLIN, 20 * SECOND), POLLIN);
	if (atoi(value))
		asked = await_value(&prog);
	suspend_for("1", "freezer");
	if (!atoi(value))
		asked = await_value(&prog);
	ASSERT_EQ(answer(&prog, &asked, 2), 0);
	wait_children(1);
	ASSERT_TEXT(GAIN(0), "2");
}

#define WRONG_ATTR(code_, message_, ...)	{ { __VA_ARGS__ }, code_, message_ }

TEST("a wrong description of an attribute names the field", loaded)
{
	static const struct {
		struct uzio_attr attr;
		int code;
		const char *message;
	} wrong[] = {
		WRONG_ATTR(EINVAL, "attribute 1: name is not 1 to 31 of [a-z0-9_-]", .name = ""),
		WRONG_ATTR(EINVAL, "attribute 1: name is not 1 to 31 of [a-z0-9_-]", .name = "a/b"),
		WRONG_ATTR(EINVAL, "attribute 1: ZIO has a file enable", .name = "enable"),
		WRONG_ATTR(EINVAL, "attribute 1: ZIO has a file refusal", .name = "refusal",
			   .set = UZIO_DEVICE),
		WRONG_ATTR(EINVAL, "attribute 1: name is that of set 0", .name = "words",
			   .set = UZIO_DEVICE),
		WRONG_ATTR(EINVAL, "attribute 1: name is that of attribute 0", .name = "gain",
			   .flags = UZIO_ATTR_CHANNELS),
		WRONG_ATTR(EINVAL, "attribute 1: place is that of attribute 0", .name = "x",
			   .flags = UZIO_ATTR_CHANNELS, .place = UZIO_PLACE_STD,
			   .index = ZIO_ATTR_GAIN),
		WRONG_ATTR(ERANGE, "attribute 1: set is 1, not 0 to 0", .name = "x", .set = 1),
		WRONG_ATTR(ERANGE, "attribute 1: unknown flags", .name = "x", .flags = 1 << 15),
		WRONG_ATTR(EINVAL, "attribute 1: the device has no channels", .name = "x",
			   .set = UZIO_DEVICE, .flags = UZIO_ATTR_CHANNELS),
		WRONG_ATTR(EINVAL, "attribute 1: nobody may read or write it", .name = "x",
			   .flags = UZIO_ATTR_READ_ONLY | UZIO_ATTR_WRITE_ONLY),
		WRONG_ATTR(ERANGE, "attribute 1: place 1 has no index 5 for programs",
			   .name = "x", .place = UZIO_PLACE_STD, .index = ZIO_ATTR_UNIT),
		WRONG_ATTR(ERANGE, "attribute 1: place 2 has no index 32 for programs",
			   .name = "x", .place = UZIO_PLACE_EXT, .index = 32),
		WRONG_ATTR(ERANGE, "attribute 1: place 9 has no index 0 for programs",
			   .name = "x", .place = 9),
		WRONG_ATTR(ERANGE, "attribute 1: min is 5, but max is 0", .name = "x", .min = 5),
		WRONG_ATTR(ERANGE, "attribute 1: min is -1, but max is 5", .name = "x", .min = -1,
			   .max = 5),
		WRONG_ATTR(ERANGE, "attribute 1: min is 0, but max is 2147483648", .name = "x",
			   .flags = UZIO_ATTR_SIGNED, .max = 0x80000000),
		WRONG_ATTR(EINVAL, "attribute 1: it does not accept its value 6", .name = "x",
			   .max = 5, .value = 6),
		WRONG_ATTR(EINVAL, "attribute 1: it does not accept its value 3", .name = "x",
			   .value = 3, .choices = (uintptr_t)gains, .n_choices = 4),
		WRONG_ATTR(ERANGE, "attribute 1: n_choices is 257, not 0 to 256", .name = "x",
			   .n_choices = 257),
		WRONG_ATTR(EFAULT, "", .name = "x", .choices = 16, .n_choices = 1),
	};
	struct uzio_attr two[2] = { attrs[GAIN_ATTR] };
	struct program prog;
	unsigned int i;

	open_program(&prog);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		two[1] = wrong[i].attr;
		ASSERT_EQ(describe_with(&prog, &plain_set, 1, two, 2, 0), wrong[i].code,
			  wrong[i].message);
		if (strcmp(prog.message, wrong[i].message))
			FAIL("'%s', expected '%s'", prog.message, wrong[i].message);
	}
	ASSERT_EQ(describe_with(&prog, &plain_set, 1, attrs, 257, 0), ERANGE);
	ASSERT_EQ(describe_with(&prog, &plain_set, 1, NULL, 1, 0), EFAULT);
	ASSERT_EQ(describe_with(&prog, &plain_set, 1, attrs, N_ATTRS, 0), 0, prog.message);
}

/* Each name in a directory that an attribute could be in is refused, with no trace in the log. */
static void refuse_names_in(const char *path, struct uzio_attr attr)
{
	DIR *dir = opendir(path);
	struct program prog;
	struct dirent *entry;

	ASSERT_TRUE(dir);
	open_program(&prog);
	while ((entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(attr.name, sizeof(attr.name), "%.31s", entry->d_name);
		ASSERT_EQ(describe_with(&prog, &plain_set, 1, &attr, 1, 0), EINVAL, entry->d_name);
	}
	closedir(dir);
	close(prog.fd);
}

TEST("no attribute takes the name of a file that ZIO has", loaded)
{
	struct uzio_set set = plain_set;
	struct program prog;

	/* The other devices have sets of this name. */
	set.scaling = (struct uzio_scaling) { .flags = UZIO_SCALING_VALID, .mant = 1 };
	open_program(&prog);
	ASSERT_EQ(describe(&prog, &set, 1, 0), 0, prog.message);
	refuse_names_in(UPROG_SYS, (struct uzio_attr) { .set = UZIO_DEVICE });
	refuse_names_in(SET_SYS, (struct uzio_attr) { .set = 0 });
	refuse_names_in(SET_SYS "/chan0", (struct uzio_attr) { .flags = UZIO_ATTR_CHANNELS });
}
