// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_test.c: an input feeds outputs, without user space
 */
#include "board.h"
#include "harness.h"

#define WORDS		16
#define SOURCE_NAME	"zzero-0000-2-0"
#define IN		ZZERO "-2-0"
#define IN_SYS		CSET2 "/chan0"
#define OUT0		"/dev/zio/zloop-0000-0-0"
#define LOOP0		"/dev/zio/zloop-0000-1-0"
#define LOOP1		"/dev/zio/zloop-0001-1-0"
#define LOOP0_SYS	"/sys/bus/zio/devices/zloop-0000"
#define LOOP1_SYS	"/sys/bus/zio/devices/zloop-0001"
#define OUT0_SYS	LOOP0_SYS "/cset0/chan0"
#define OUT1_SYS	LOOP1_SYS "/cset0/chan0"
#define SOURCE0		OUT0_SYS "/buffer/source"
#define SOURCE1		OUT1_SYS "/buffer/source"

SETUP(fresh)
{
	load("zio-trig-hrt");
	load("zio-trig-timer");
	renew_zzero_and_loops("kmalloc kmalloc");
}

SETUP(fresh_buffers)
{
	renew_zzero_and_loops(value);
}

SETUP(routed)
{
	renew_zzero_and_loops("kmalloc kmalloc");
	write_text(SOURCE0, SOURCE_NAME);
	ASSERT_TEXT(SOURCE0, SOURCE_NAME);
}

static uint32_t many_blocks(void)
{
	return is_debug_kernel() ? 100 : 500;
}

static unsigned long lost_of_input(void)
{
	return read_number(IN_SYS "/statistics/lost_blocks");
}

TEST("all nodes of channels with a route return EBUSY", routed)
{
	struct pair in = open_pair(IN, O_RDONLY);
	struct pair out = open_pair(OUT0, O_RDWR);
	struct pollfd pfd[2] = {
		{ in.data, POLLIN, 0 }, { out.data, POLLOUT, 0 },
	};
	uint32_t word[128] = { 0 };

	ASSERT_ERRNO(read(in.data, word, 4), EBUSY);
	ASSERT_ERRNO(read(in.ctrl, word, sizeof(word)), EBUSY);
	ASSERT_ERRNO(write(out.data, word, 4), EBUSY);
	((struct zio_control *)word)->major_version = ZIO_MAJOR_VERSION;
	((struct zio_control *)word)->nsamples = 1;
	((struct zio_control *)word)->ssize = 4;
	ASSERT_ERRNO(write(out.ctrl, word, sizeof(word)), EBUSY);
	ASSERT_EQ(poll(pfd, 2, -1), 2);
	ASSERT_TRUE(pfd[0].revents & POLLERR);
	ASSERT_TRUE(pfd[1].revents & POLLERR);
}

/* Each block comes once, in order. The first one may be any. */
static void read_exactly(const char *loop_node, uint32_t n)
{
	int loop = open_node(loop_node, "data", O_RDONLY);
	uint32_t i, word[WORDS], next = 0, k;

	for (i = 0; i < n; i++) {
		ASSERT_EQ(read(loop, word, sizeof(word)), sizeof(word));
		next = i ? next : word[0];
		ASSERT_EQ(next % WORDS, 0);
		for (k = 0; k < WORDS; k++)
			ASSERT_EQ(word[k], next++);
	}
}

/* Blocks may be missing, but they are whole and in order. */
static void read_growing(const char *loop_node, uint32_t n)
{
	struct pair loop = open_pair(loop_node, O_RDONLY);
	uint32_t i, word[WORDS], next = 0, k;
	struct zio_control ctrl;

	for (i = 0; i < n; i++) {
		ctrl = read_control(loop.ctrl);
		ASSERT_TRUE(ctrl.nsamples && ctrl.nsamples <= WORDS);
		ASSERT_EQ(read(loop.data, word, sizeof(word)), ctrl.nsamples * 4);
		ASSERT_TRUE(word[0] >= next);
		for (k = 0; k < ctrl.nsamples; k++)
			ASSERT_EQ(word[k], word[0] + k);
		next = word[0] + 1;
	}
}

static void read_from_input(void)
{
	run("dd if=" IN "-data of=/dev/null bs=64 count=10 2>/dev/null");
}

TEST("a route cannot be made to what is not there, or does not fit", fresh)
{
	ASSERT_TEXT(SOURCE0, "none");
	ASSERT_TRUE(!exists(IN_SYS "/buffer/source"));
	refuse(SOURCE0, "zzero", EINVAL);
	refuse(SOURCE0, "zzero-0000-", EINVAL);
	refuse(SOURCE0, "zzero-0000-0000000000000000000000000000000000000000-0", EINVAL);
	refuse(SOURCE0, "zzero-0007-0-0", ENODEV);
	refuse(SOURCE0, "zzero-0000-7-0", ENODEV);
	refuse(SOURCE0, "zzero-0000-2-7", ENODEV);
	refuse(SOURCE0, "zloop-0001-0-0", ENOMSG);
	refuse(SOURCE0, "zloop-0000-0-0", ENOMSG);
	refuse(SOURCE0, "zzero-0000-0-0", EPROTOTYPE);
	write_text(CSET2 "/trigger/nsamples", "17");
	refuse(SOURCE0, SOURCE_NAME, EMSGSIZE);
}

TEST_EACH("a ring excludes a route: %s", fresh_buffers, "vmalloc kmalloc")
{
	int ring = open_node(IN, "ctrl", O_RDWR);

	refuse(SOURCE0, SOURCE_NAME, EBUSY);
	close(ring);
	write_text(SOURCE0, SOURCE_NAME);
	ASSERT_ERRNO(open(IN "-ctrl", O_RDWR), EBUSY);
}

TEST("a route is made twice and ended twice", routed)
{
	write_text(SOURCE0, SOURCE_NAME);
	write_text(SOURCE0, "none");
	ASSERT_TEXT(SOURCE0, "none");
	write_text(SOURCE0, "\n");
}

/* The engine asks the input whenever the output has room; reads make the loop play. */
static void check_route_of_all(const char *trigger)
{
	write_text(SOURCE0, SOURCE_NAME);
	write_text(CSET2 "/current_trigger", trigger);
	read_exactly(LOOP0, many_blocks());
	ASSERT_EQ(read_number(OUT0_SYS "/statistics/route-lost"), 0);
	ASSERT_EQ(lost_of_input(), 0);
	ASSERT_EQ(read_number(OUT0_SYS "/statistics/copied-bytes"), 0);
	ASSERT_TRUE(read_number(OUT0_SYS "/statistics/shared") > 0);
}

#define ALL_BUFFERS "kmalloc kmalloc", "vmalloc vmalloc", "kmalloc vmalloc"

TEST_EACH("each block arrives and is shared, trigger user, %s",
	  fresh_buffers, ALL_BUFFERS)
{
	check_route_of_all("user");
}

TEST_EACH("each block arrives and is shared, trigger transparent, %s", fresh_buffers,
	  ALL_BUFFERS)
{
	check_route_of_all("transparent");
}

TEST("a chain of routes passes each block on; a ring of routes can be made and cut",
     routed)
{
	write_text(SOURCE1, "zloop-0000-1-0");
	read_exactly(LOOP1, many_blocks());
	write_text(SOURCE0, "zloop-0001-1-0");
	write_text(SOURCE1, "none");
	write_text(SOURCE0, "none");
}

/* Write the value, which may be refused. Return: was it written? */
static bool try_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;

	close(fd);
	return good;
}

struct setting {
	const char *path, *values[2];
};

/* Change three settings in turn until 1000 changes are done: some are refused. */
static void change_settings(const struct setting *settings)
{
	unsigned int i, done = 0;

	for (i = 0; done < 1000; i++) {
		done += try_write(settings[i % 3].path,
				  settings[i % 3].values[i / 3 % 2]);
		usleep(i * 7919 % 3000);
	}
	diag("%u done, %u refused", done, i - done);
}

TEST("settings and sources change under two routes", routed)
{
	static const struct setting sides[] = {
		{ LOOP0_SYS "/cset0/trigger/nsamples", { "20", "16" } },
		{ CSET2 "/trigger/nsamples", { "9", "16" } },
		{ SOURCE1, { "none", SOURCE_NAME } },
	};
	static const struct setting source[] = {
		{ SOURCE0, { "none", SOURCE_NAME } },
		{ OUT0_SYS "/buffer/max-buffer-len", { "3", "16" } },
		{ IN_SYS "/buffer/max-buffer-len", { "2", "16" } },
	};
	pid_t reader;
	int status;

	write_text(SOURCE1, SOURCE_NAME);
	reader = fork_child();
	if (!reader) {
		read_growing(LOOP0, UINT32_MAX);
		_exit(0);
	}
	change_settings(sides);
	change_settings(source);
	ASSERT_EQ(kill(reader, SIGKILL), 0);
	ASSERT_EQ(waitpid(reader, &status, 0), reader);
	ASSERT_TRUE(WIFSIGNALED(status));
	try_write(SOURCE0, SOURCE_NAME);
	read_growing(LOOP0, 100);
}

#define INPUT_BUFFERS	"kmalloc kmalloc", "vmalloc kmalloc"

/*
 * The first output has one block armed, and 15 queued. With an input of kmalloc, 14 of
 * them are its quota of the input's 16 blocks. The last one is a copy: the second output
 * has made the input acquire it.
 */
TEST_EACH("the input is unbound with two routes; what is queued is played, %s",
	  fresh_buffers, INPUT_BUFFERS)
{
	write_text(SOURCE0, SOURCE_NAME);
	wait_for(10, read_number(OUT0_SYS "/buffer/queued-buffer-len") >= 14);
	write_text(SOURCE1, SOURCE_NAME);
	wait_for(10, read_number(OUT0_SYS "/buffer/queued-buffer-len") == 15);
	ASSERT_EQ(read_number(OUT0_SYS "/statistics/copied"), value[0] == 'k');
	unbind_board("zio-zero", 0);
	ASSERT_TEXT(SOURCE0, "none");
	ASSERT_TEXT(SOURCE1, "none");
	read_exactly(LOOP0, 16);
}

TEST_EACH("one output after the other is unbound; the input can be read, %s",
	  fresh_buffers, INPUT_BUFFERS)
{
	write_text(SOURCE0, SOURCE_NAME);
	write_text(SOURCE1, SOURCE_NAME);
	unbind_board("zio-loop", 0);
	read_growing(LOOP1, many_blocks());
	unbind_board("zio-loop", 1);
	read_from_input();
}

TEST("modules are unloaded with a route", routed)
{
	unload("zio-loop");
	unload("zio-zero");
	unload("zio-buf-vmalloc");
	unload("zio-trig-hrt");
	unload("zio-trig-timer");
	unload("zio-configfs");
	ASSERT_EQ(read_number("/sys/module/zio/refcnt"), 1);
}
