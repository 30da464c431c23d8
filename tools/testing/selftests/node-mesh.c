// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-mesh.c: boards pass blocks to each other, while everything about them changes
 *
 * Inputs (zio-zero, set 2) count samples; outputs are those of loops. Processes tie
 * outputs to inputs, pass blocks on, to one or to two of them, and are killed at any
 * moment; others make and cut routes, change buffers, triggers and sizes, and unplug
 * boards. Who reads a loop finds samples that count, in each block: so none was
 * written to while it was played.
 */
#include <sys/ioctl.h>

#include "storm.h"

#define MAX_WORDS	64

static unsigned int n_inputs, n_outputs;
static unsigned int *passed, *both, *killed, *checked, *plugged;

static void input_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zzero-%04x/cset2/%s", 100 + dice(n_inputs),
		 file);
}

static void loop_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, BUS "/zloop-%04x/cset%u/%s", 100 + dice(n_outputs),
		 dice(2), file);
}

static void any_path(char *path, size_t size, const char *file)
{
	if (dice(2))
		input_path(path, size, file);
	else
		loop_path(path, size, file);
}

/* Changes */

static void change_route(void)
{
	char path[128], from[32] = "none";

	snprintf(path, sizeof(path), BUS "/zloop-%04x/cset0/chan0/buffer/source",
		 100 + dice(n_outputs));
	if (dice(2))
		snprintf(from, sizeof(from), "zzero-%04x-2-0",
			 100 + dice(n_inputs));
	change(path, from, "EMSGSIZE ENOMEM EBUSY");
}

static void change_buffer(void)
{
	char path[128];

	any_path(path, sizeof(path), "current_buffer");
	change(path, dice(2) ? "vmalloc" : "kmalloc", "EBUSY ENOMEM");
}

static void change_length(void)
{
	char path[128], text[16];

	snprintf(text, sizeof(text), "%u", 1 + dice(20));
	any_path(path, sizeof(path), "chan0/buffer/max-buffer-len");
	change(path, text, "EBUSY ENOMEM EINVAL");
}

/* Sometimes more than an output takes. */
static void change_size(void)
{
	char path[128], text[16];

	snprintf(text, sizeof(text), "%u", 1 + dice(dice(4) ? 16 : MAX_WORDS));
	input_path(path, sizeof(path), "trigger/nsamples");
	change(path, text, "EBUSY ENOMEM ENOSPC");
}

static void change_trigger(void)
{
	static const char *const names[] = { "user", "user", "transparent", "clock0" };
	char path[128];

	input_path(path, sizeof(path), "current_trigger");
	change(path, names[dice(4)], "");
}

static void change_enable(void)
{
	char path[128];

	any_path(path, sizeof(path), dice(2) ? "enable" : "chan0/enable");
	change(path, dice(4) ? "1" : "0", "");
}

/* One board at a time is out. */
static void change_plug(void)
{
	char path[128];

	if (!__atomic_exchange_n(plugged, 0, __ATOMIC_SEQ_CST))
		return;
	if (dice(2))
		snprintf(path, sizeof(path), CONFIG "/devices/zzero/m%u/live",
			 dice(n_inputs));
	else
		snprintf(path, sizeof(path), CONFIG "/devices/zloop/m%u/live",
			 dice(n_outputs));
	change(path, "0", "");
	change(path, "1", "");
	__atomic_store_n(plugged, 1, __ATOMIC_SEQ_CST);
}

static void __attribute__((noreturn)) changer(unsigned int seed)
{
	static void (*const table[])(void) = {
		change_route, change_route, change_buffer, change_length,
		change_size, change_trigger, change_enable, change_enable,
		change_plug,
	};

	srandom(seed);
	while (!is_over()) {
		table[dice(sizeof(table) / sizeof(*table))]();
		usleep(dice(3000));
	}
	_exit(0);
}

/* Sharing */

/* A node, if there is one; what is gone is no news. */
static int try_node(const char *driver, unsigned int n, const char *rest, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/zio/%s-%04x-%s", driver, 100 + n, rest);
	fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && !is_gone(errno))
		fail("open %s: %s", path, strerrorname_np(errno));
	return fd;
}

static int is_allowed(const char *errors)
{
	if (is_gone(errno) || strstr(errors, strerrorname_np(errno)))
		return 1;
	return 0;
}

static int open_tied(int in)
{
	int out = try_node("zloop", dice(n_outputs), "0-0-ctrl", O_WRONLY);

	if (out < 0)
		return -1;
	/* The other output may be the same one. */
	if (!ioctl(out, ZIO_IOC_SHARE, &in))
		return out;
	if (!is_allowed("EBUSY EISCONN"))
		fail("tie: %s", strerrorname_np(errno));
	close(out);
	return -1;
}

static int submit(int out, struct zio_control ctrl, uint32_t flags)
{
	ctrl.flags |= ZIO_CONTROL_SHARED | flags;
	if (write(out, &ctrl, sizeof(ctrl)) == sizeof(ctrl))
		return 1;
	if (!is_allowed("EAGAIN EBUSY EMSGSIZE ENOENT ESTALE ENOTCONN"))
		fail("submit: %s", strerrorname_np(errno));
	return 0;
}

/* To one output; or to both, who have the block together. */
static void pass_block(const struct zio_control *ctrl, int out, int other)
{
	unsigned int n = 0;

	if (other >= 0 && dice(2))
		n += submit(other, *ctrl, ZIO_CONTROL_KEEP);
	n += submit(out, *ctrl, dice(4) ? 0 : ZIO_CONTROL_KEEP);
	__atomic_add_fetch(passed, !!n, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(both, n == 2, __ATOMIC_SEQ_CST);
}

/* One life: as long as it is let, or a few blocks. */
static void __attribute__((noreturn)) pass_blocks(void)
{
	int in = try_node("zzero", dice(n_inputs), "2-0-ctrl", O_RDONLY);
	int out = in < 0 ? -1 : open_tied(in), other;
	unsigned int n = dice(100);
	struct zio_control ctrl;

	if (out < 0)
		_exit(0);
	other = open_tied(in);
	while (n-- && !is_over()) {
		if (read(in, &ctrl, sizeof(ctrl)) == sizeof(ctrl))
			pass_block(&ctrl, out, other);
		else if (errno == EAGAIN)
			usleep(500);
		else if (is_allowed("EBUSY"))
			break;
		else
			fail("read: %s", strerrorname_np(errno));
	}
	if (dice(2))
		close(in);
	if (dice(2))
		close(out);
	_exit(0);
}

static void __attribute__((noreturn)) sharer(unsigned int seed)
{
	int status;
	pid_t pid;

	for (srandom(seed); !is_over(); seed += 1000) {
		pid = fork();
		want(pid >= 0);
		if (!pid) {
			srandom(seed);
			pass_blocks();
		}
		usleep(dice(20000));
		if (dice(2) && !kill(pid, SIGKILL))
			__atomic_add_fetch(killed, 1, __ATOMIC_SEQ_CST);
		want(waitpid(pid, &status, 0) == pid);
		if (status && status != SIGKILL)
			_exit(1);
	}
	_exit(0);
}

/* What comes out */

static void check_block(int data, unsigned int n)
{
	uint32_t word[MAX_WORDS];
	ssize_t got = read(data, word, n * sizeof(*word));
	unsigned int i;

	if (got < 0 && is_allowed("EAGAIN"))
		return;
	same(got, n * sizeof(*word));
	for (i = 1; i < n; i++)
		if (word[i] != word[0] + i)
			fail("word %u of %u is %#x, the first %#x", i, n,
			     word[i], word[0]);
	__atomic_add_fetch(checked, 1, __ATOMIC_SEQ_CST);
}

static void check_loop(int ctrl_fd, int data)
{
	struct pollfd pfd = { ctrl_fd, POLLIN, 0 };
	unsigned int n = dice(200);
	struct zio_control ctrl;

	while (n-- && !is_over()) {
		if (poll(&pfd, 1, 10) == 1 && pfd.revents & POLLHUP)
			return;
		if (read(ctrl_fd, &ctrl, sizeof(ctrl)) == sizeof(ctrl)) {
			want(ctrl.nsamples && ctrl.nsamples <= MAX_WORDS);
			check_block(data, ctrl.nsamples);
		} else if (!is_allowed("EAGAIN EBUSY")) {
			fail("read: %s", strerrorname_np(errno));
		}
	}
}

/* Each has a loop of its own: nobody else takes its blocks. */
static void __attribute__((noreturn)) reader(unsigned int seed, unsigned int loop)
{
	int ctrl, data;

	srandom(seed);
	while (!is_over()) {
		ctrl = try_node("zloop", loop, "1-0-ctrl", O_RDONLY);
		data = try_node("zloop", loop, "1-0-data", O_RDONLY);
		if (ctrl >= 0 && data >= 0)
			check_loop(ctrl, data);
		else
			usleep(1000);
		close(ctrl);
		close(data);
	}
	_exit(0);
}

static unsigned int run_all(unsigned int seed)
{
	unsigned int n = 0, i;

	for (i = 0; i < n_outputs; i++, n++)
		if (!fork())
			reader(seed + n, i);
	for (i = 0; i < 4; i++, n++)
		if (!fork())
			sharer(seed + n);
	for (i = 0; i < 2; i++, n++)
		if (!fork())
			changer(seed + n);
	return n;
}

/* Each of the ways was tried. */
static int is_tried(void)
{
	return get(passed) > 20 && get(both) > 2 && get(checked) > 20 &&
	       get(changes) > 20 && get(killed) > 2;
}

/* mesh INPUTS OUTPUTS SECONDS SEED */
static void do_mesh(char **arg)
{
	n_inputs = atoi(arg[0]);
	n_outputs = atoi(arg[1]);
	passed = share_memory(5 * sizeof(*passed));
	both = passed + 1;
	killed = passed + 2;
	checked = passed + 3;
	plugged = passed + 4;
	*plugged = 1;
	is_enough = is_tried;
	begin_storm(atoi(arg[2]));
	wait_children(wait_for_end(run_all(atoi(arg[3]))));
	printf("%u blocks passed on, %u of them to two; %u checked, %u changes, %u killed\n",
	       *passed, *both, *checked, *changes, *killed);
	want(is_tried());
}

static const struct command commands[] = {
	{ "mesh", 4, do_mesh },
	{}
};

int main(int argc, char **argv)
{
	return run_command(commands, argc, argv, 3600);
}
