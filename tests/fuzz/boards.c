// SPDX-License-Identifier: GPL-2.0-only
/* boards.c: boards are unbound, made and removed; modules are unloaded and loaded */
#include <sys/stat.h>
#include <sys/syscall.h>

#include "fuzz.h"

/* Driver, its device, and the board. */
static const char *const bound[][3] = {
	{ "zio-zero", "zio-zero.0", "zzero-0000" },
	{ "zio-zero", "zio-zero.1", "zzero-0001" },
	{ "zio-mini", "zio-mini.0", "zmini-0000" },
	{ "zio-loop", "zio-loop.0", "zloop-0000" },
	{ "zio-fake-dtc", "zio-fake-dtc.0", "zdtc-0000" },
	{ "zio-fake-adc", "zio-fake-adc.0", "zadc-0000" },
};

/* The blocks of a new board can be mapped after this only. */
static void make_mappable(const char *board)
{
	unsigned int cset;
	char path[80];

	for (cset = 0; cset < 3; cset++) {
		if (chance(4))
			continue;
		snprintf(path, sizeof(path), BUS "/%s/cset%u/current_buffer",
			 board, cset);
		put_text(path, "vmalloc");
	}
}

/* Bind the board again soon: other processes need it. */
static void do_bind(void)
{
	const char *const *choice = bound[dice(sizeof(bound) / sizeof(*bound))];
	char path[80];

	snprintf(path, sizeof(path), "/sys/bus/platform/drivers/%s/unbind",
		 choice[0]);
	put_text(path, choice[1]);
	if (chance(2))
		usleep(dice(3000));
	snprintf(path, sizeof(path), "/sys/bus/platform/drivers/%s/bind",
		 choice[0]);
	put_text(path, choice[1]);
	open_to_all();
	make_mappable(choice[2]);
}

/* Driver, directory, number, and the board. */
static const char *const made[][4] = {
	{ "zzero", "f0", "256", "zzero-0100" },
	{ "zzero", "f1", "257", "zzero-0101" },
	{ "zzero", "f2", "258", "zzero-0102" },
	{ "zloop", "f0", "256", "zloop-0100" },
	{ "zdtc", "f0", "256", "zdtc-0100" },
};

static const char *const values[][3] = {
	{ "zzero", "channels", "1" }, { "zzero", "channels", "5" },
	{ "zzero", "ssize", "4" }, { "zzero", "ssize", "3" },
	{ "zzero", "pattern", "sawtooth" }, { "zzero", "interleaved", "1" },
	{ "zzero", "delay-us", "200" }, { "zzero", "delay-us", "3000" },
	{ "zzero", "delay-us", "4294967295" }, { "zzero", "delay-us", "0" },
	{ "zzero", "sleeps", "1" }, { "zzero", "sleeps", "0" },
	{ "zzero", "nsamples", "100" }, { "zzero", "nsamples", "0" },
	{ "zzero", "csets", "2" }, { "zzero", "channels", "2" },
	{ "zzero", "channels", "x" }, { "zloop", "ssize", "4" },
	{ "zloop", "channels", "2" }, { "zloop", "align", "16" },
	{ "zloop", "align", "3" }, { "zloop", "dma-bits", "24" },
	{ "zloop", "nsamples", "100" }, { "zdtc", "outputs", "2" },
};

static void set_value(const char *driver, const char *name)
{
	unsigned int i = dice(sizeof(values) / sizeof(*values));
	char path[128];

	if (strcmp(values[i][0], driver))
		return;
	snprintf(path, sizeof(path), CONFIG "/devices/%s/%s/%s", driver, name,
		 values[i][1]);
	put_text(path, values[i][2]);
}

/* The values may not fit the board. A live board refuses them. */
static void do_make(void)
{
	const char *const *choice = made[dice(5)];
	char path[128], dir[96];
	unsigned int n = dice(4);

	snprintf(dir, sizeof(dir), CONFIG "/devices/%s/%s", choice[0], choice[1]);
	result(mkdir(dir, 0755));
	snprintf(path, sizeof(path), "%s/id", dir);
	put_text(path, chance(8) ? "0" : choice[2]);
	while (n--)
		set_value(choice[0], choice[1]);
	snprintf(path, sizeof(path), "%s/live", dir);
	put_text(path, "1");
	open_to_all();
	make_mappable(choice[3]);
}

static void do_unmake(void)
{
	const char *const *choice = made[dice(5)];
	char path[128];

	snprintf(path, sizeof(path), CONFIG "/devices/%s/%s", choice[0],
		 choice[1]);
	if (chance(2)) {
		result(rmdir(path));
		return;
	}
	strcat(path, "/live");
	put_text(path, "0");
}

static void run(const char *program, const char *name)
{
	pid_t pid = fork();

	if (!pid) {
		execlp(program, program, name, NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A module in use stays loaded; an unloaded module is loaded again. */
static void do_module(void)
{
	static const char *const names[] = {
		"zio_buf_vmalloc", "zio_trig_chain", "zio_trig_timer",
		"zio_mini", "zio_loop", "zio_fake_dtc", "zio_fake_adc",
	};
	const char *name = names[dice(sizeof(names) / sizeof(*names))];

	if (result(syscall(SYS_delete_module, name, O_NONBLOCK)) < 0)
		return;
	run("modprobe", name);
	open_to_all();
}

const struct op board_ops[] = {
	{ "bind", do_bind, 6, 3, ROOT },
	{ "make", do_make, 5, 3, ROOT },
	{ "unmake", do_unmake, 3, 2, ROOT },
	{ "module", do_module, 1, 0, ROOT },
	{}
};
