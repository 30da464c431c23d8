// SPDX-License-Identifier: GPL-2.0-only
/*
 * mesh.c: the scenario of boards that pass blocks to each other, while everything changes
 *
 * It needs the boards that set_up() in selftests/mesh.sh makes. Inputs (zio-zero, set 2) count
 * samples; outputs are those of loops. Processes link outputs to inputs, and pass blocks
 * on to one or two of them. They are killed at any moment. Others make and cut routes,
 * change buffers, triggers and sizes, and unplug boards. The reader of a loop finds
 * samples that count, in each block: none was written to while it was played.
 */
#include <sys/ioctl.h>

#include "fuzz.h"

/* As in selftests/mesh.sh */
#define N_INPUTS	3
#define N_OUTPUTS	4
#define FIRST_ID	100

#define N_SHARERS	4
#define MAX_WORDS	64

static void input_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zzero-%04x/cset2/%s", FIRST_ID + dice(N_INPUTS), file);
}

static void loop_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zloop-%04x/cset%u/%s", FIRST_ID + dice(N_OUTPUTS),
		 dice(2), file);
}

static void any_path(char *path, size_t size, const char *file)
{
	if (chance(2))
		input_path(path, size, file);
	else
		loop_path(path, size, file);
}

/* Changes */

static void rest(void)
{
	usleep(dice(3000));
}

static void change_route(void)
{
	char path[128], from[32] = "none";

	snprintf(path, sizeof(path), BUS "/zloop-%04x/cset0/chan0/buffer/source",
		 FIRST_ID + dice(N_OUTPUTS));
	if (chance(2))
		snprintf(from, sizeof(from), "zzero-%04x-2-0", FIRST_ID + dice(N_INPUTS));
	change(path, from, "EMSGSIZE ENOMEM EBUSY");
	rest();
}

static void change_buffer(void)
{
	char path[128];

	any_path(path, sizeof(path), "current_buffer");
	change(path, chance(2) ? "vmalloc" : "kmalloc", "EBUSY ENOMEM");
	rest();
}

static void change_length(void)
{
	char path[128], text[16];

	snprintf(text, sizeof(text), "%u", 1 + dice(20));
	any_path(path, sizeof(path), "chan0/buffer/max-buffer-len");
	change(path, text, "EBUSY ENOMEM EINVAL");
	rest();
}

/* Sometimes the blocks are larger than an output takes. */
static void change_size(void)
{
	char path[128], text[16];

	snprintf(text, sizeof(text), "%u", 1 + dice(dice(4) ? 16 : MAX_WORDS));
	input_path(path, sizeof(path), "trigger/nsamples");
	change(path, text, "EBUSY ENOMEM ENOSPC");
	rest();
}

static void change_trigger(void)
{
	static const char *const names[] = { "user", "user", "transparent", "clock0" };
	char path[128];

	input_path(path, sizeof(path), "current_trigger");
	change(path, names[dice(4)], "");
	rest();
}

static void change_enable(void)
{
	char path[128];

	any_path(path, sizeof(path), chance(2) ? "enable" : "chan0/enable");
	change(path, dice(4) ? "1" : "0", "");
	rest();
}

static void change_plug(void)
{
	char path[128];

	if (chance(2))
		snprintf(path, sizeof(path), CONFIG "/devices/zzero/m%u/live",
			 dice(N_INPUTS));
	else
		snprintf(path, sizeof(path), CONFIG "/devices/zloop/m%u/live",
			 dice(N_OUTPUTS));
	replug(path);
	rest();
}

/* Sharing */

/* Return: an open node, or -1 if the board is not there */
static int try_node(const char *driver, unsigned int n, const char *rest, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/zio/%s-%04x-%s", driver, FIRST_ID + n, rest);
	fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && !is_gone(errno))
		FAIL("cannot open %s: %s", path, strerrorname_np(errno));
	return fd;
}

/* Return: any output, linked to the input, or -1 */
static int open_linked(int in)
{
	int out = try_node("zloop", dice(N_OUTPUTS), "0-0-ctrl", O_WRONLY);

	if (out < 0)
		return -1;
	/* This process may have linked the same output before. */
	if (!ioctl(out, ZIO_IOC_SHARE, &in))
		return out;
	if (!is_allowed("EBUSY EISCONN"))
		FAIL("cannot link an output: %s", strerrorname_np(errno));
	close(out);
	return -1;
}

static bool submit(int out, struct zio_control ctrl, uint32_t flags)
{
	ctrl.flags |= ZIO_CONTROL_SHARED | flags;
	if (write(out, &ctrl, sizeof(ctrl)) == sizeof(ctrl))
		return true;
	if (!is_allowed("EAGAIN EBUSY EMSGSIZE ENOENT ESTALE ENOTCONN"))
		FAIL("cannot submit a block: %s", strerrorname_np(errno));
	return false;
}

/* Pass blocks to an output, or to two, until the board is unplugged. */
static void __attribute__((noreturn))
pass_blocks(unsigned int n_passes, bool is_double, bool is_counted)
{
	int in = try_node("zzero", dice(N_INPUTS), "2-0-ctrl", O_RDONLY);
	int out = in < 0 ? -1 : open_linked(in);
	int other = out < 0 || !is_double ? -1 : open_linked(in);
	struct zio_control ctrl;
	bool both;

	while (out >= 0 && n_passes-- && !is_time_over()) {
		if (read(in, &ctrl, sizeof(ctrl)) == sizeof(ctrl)) {
			both = other >= 0 && submit(other, ctrl, ZIO_CONTROL_KEEP);
			if (submit(out, ctrl, dice(4) ? 0 : ZIO_CONTROL_KEEP) &&
			    both == is_double && is_counted)
				succeed();
		} else if (errno == EAGAIN) {
			usleep(500);
		} else if (errno == ESTALE) {
			/* A route has taken the block that this process had, and has gone. */
			continue;
		} else if (is_allowed("EBUSY")) {
			break;
		} else {
			FAIL("cannot read a control: %s", strerrorname_np(errno));
		}
	}
	if (chance(2))
		close(in);
	if (chance(2))
		close(out);
	_exit(0);
}

/* Let a child pass blocks. Return: was it killed? */
static bool run_child(bool is_double, bool is_killed)
{
	pid_t pid = fork_child();
	int status;

	if (!pid)
		pass_blocks(dice(100), is_double, !is_killed);
	usleep(dice(20000));
	if (is_killed)
		kill(pid, SIGKILL);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	if (status && status != SIGKILL)
		_exit(1);
	return status == SIGKILL;
}

static void share_one(void)
{
	run_child(false, false);
}

static void share_two(void)
{
	run_child(true, false);
}

static void share_killed(void)
{
	if (run_child(chance(2), true))
		succeed();
}

/* What comes out */

/* Return: was the block read? */
static bool check_block(int data, unsigned int n)
{
	uint32_t word[MAX_WORDS];
	ssize_t got = read(data, word, n * sizeof(*word));
	unsigned int i;

	if (got < 0 && is_allowed("EAGAIN"))
		return false;
	ASSERT_EQ(got, n * sizeof(*word));
	for (i = 1; i < n; i++)
		if (word[i] != word[0] + i)
			FAIL("word %u of %u is %#x, the first is %#x", i, n, word[i],
			     word[0]);
	return true;
}

static void check_loop(struct pair pair, unsigned int n)
{
	struct zio_control ctrl;

	while (n-- && !is_time_over()) {
		if (poll_events(pair.ctrl, POLLIN, 10) & POLLHUP)
			return;
		if (read(pair.ctrl, &ctrl, sizeof(ctrl)) == sizeof(ctrl)) {
			ASSERT_TRUE(ctrl.nsamples && ctrl.nsamples <= MAX_WORDS);
			if (check_block(pair.data, ctrl.nsamples))
				succeed();
		} else if (!is_allowed("EAGAIN EBUSY")) {
			FAIL("cannot read a control: %s", strerrorname_np(errno));
		}
	}
}

/* Each reader has a loop of its own: no other process takes its blocks. */
static void read_blocks(void)
{
	struct pair pair = {
		.ctrl = try_node("zloop", process, "1-0-ctrl", O_RDONLY),
		.data = try_node("zloop", process, "1-0-data", O_RDONLY),
	};

	if (pair.ctrl >= 0 && pair.data >= 0)
		check_loop(pair, dice(200));
	else
		usleep(1000);
	close_pair(pair);
}

static const struct op mesh_ops[] = {
	{ "route", change_route, 20, 2, CHANGER },
	{ "buffer", change_buffer, 10, 1, CHANGER },
	{ "length", change_length, 10, 2, CHANGER },
	{ "size", change_size, 10, 2, CHANGER },
	{ "trigger", change_trigger, 10, 2, CHANGER },
	{ "enable", change_enable, 20, 4, CHANGER },
	{ "plug", change_plug, 10, 2, CHANGER },
	{ "share-one", share_one, 10, 20, SHARER },
	{ "share-two", share_two, 10, 3, SHARER },
	{ "share-killed", share_killed, 20, 3, SHARER },
	{ "read", read_blocks, 10, 20, READER },
	{}
};

static const struct op *const tables[] = { mesh_ops, NULL };

/* A reader for each loop, sharers, two changers. */
static enum role role_of(unsigned int p)
{
	if (p < N_OUTPUTS)
		return READER;
	return p < N_OUTPUTS + N_SHARERS ? SHARER : CHANGER;
}

const struct scenario mesh_scenario = {
	.name = "mesh",
	.seconds = 8,
	.n_processes = N_OUTPUTS + N_SHARERS + 2,
	.tables = tables,
	.role_of = role_of,
	.prepare = init_changes,
};
