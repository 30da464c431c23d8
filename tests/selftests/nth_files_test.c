// SPDX-License-Identifier: GPL-2.0-only
/*
 * nth_files_test.c: each allocation fails once: in settings, in boards and triggers that
 * come and go, and in each module that is loaded and unloaded
 *
 * # kernel-module: industrialio-triggered-buffer
 * # kernel-module: snd-pcm
 * # not distro: that kernel cannot inject failures
 */
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "nth.h"

#define CLOCK	ZIO_CONFIG "/triggers/hrt/clock0"
#define FAR	ZIO_CONFIG "/devices/zloop/far"
#define LOOP	"/sys/bus/zio/devices/zloop-0000/cset0/chan0/buffer/source"
#define ZADC	"/sys/bus/zio/devices/zadc-0000"
#define MINI	DRIVERS "/zio-mini"
#define ZERO	DRIVERS "/zio-zero"

SETUP(boards)
{
	rmdir(FAR);
	load("zio-trig-hrt");
	renew_zzero_and_loops("vmalloc vmalloc");
	if (!exists(CLOCK))
		ASSERT_EQ(mkdir(CLOCK, 0755), 0);
}

SETUP(mini)
{
	load("zio-mini");
	if (!is_loaded("zio-board"))
		run("zio-load zio-board driver=zio-mini");
}

SETUP(adc)
{
	load("zio-fake-adc");
	renew("zio-fake-adc", 0);
}

SETUP(dtc)
{
	load("zio-fake-dtc");
	renew("zio-fake-dtc", 0);
}

SETUP(play)
{
	load("zio-play");
}

/* --- settings ------------------------------------------------------------------- */

static int file;
static const char *text;
static char old[64];
static int writes;

/* @arg: "FILE=TEXT" */
static void open_setting(const char *arg)
{
	char path[256];

	text = strchr(arg, '=') + 1;
	snprintf(path, sizeof(path), "%.*s", (int)(text - arg - 1), arg);
	file = open_file(path, O_RDWR);
	old[pread(file, old, sizeof(old) - 1, 0)] = '\0';
	writes = 0;
}

/* A second write comes after one that has failed, which has changed nothing. */
static long write_setting(const char *arg)
{
	char now[sizeof(old)] = "";

	(void)arg;
	if (writes++)
		ASSERT_TRUE(pread(file, now, sizeof(now) - 1, 0) >= 0 && !strcmp(now, old));
	return pwrite(file, text, strlen(text), 0);
}

/* Of hrt, in its controls */
#define PHASE	2

SETUP(clocked)
{
	boards(value);
	write_text(CSET0 "/current_trigger", "clock0");
	write_text(CSET2 "/current_trigger", "clock0");
}

static void check_phase_of(const char *control)
{
	int fd = open_file(control, O_RDONLY);

	ASSERT_EQ(read_control(fd).attr_trigger.ext_val[PHASE], atoi(old));
	close(fd);
}

/* After a write that has failed, the controls of both sets have the old phase, too. */
static long write_phase(const char *arg)
{
	if (writes) {
		check_phase_of(CSET0 "/chan0/current-control");
		check_phase_of(CSET2 "/chan0/current-control");
	}
	return write_setting(arg);
}

static void restore_setting(const char *arg)
{
	(void)arg;
	ASSERT_TRUE(pwrite(file, old, strlen(old), 0) > 0);
	close(file);
}

static long read_setting(const char *arg)
{
	(void)arg;
	return pread(file, old, sizeof(old) - 1, 0);
}

static void open_readable(const char *arg)
{
	file = open_file(arg, O_RDONLY);
}

static void close_setting(const char *arg)
{
	(void)arg;
	close(file);
}

/* --- directories of configfs ------------------------------------------------------ */

static long make_directory(const char *arg)
{
	return mkdir(arg, 0755);
}

static void make_before(const char *arg)
{
	ASSERT_EQ(make_directory(arg), 0);
}

static long remove_directory(const char *arg)
{
	return rmdir(arg);
}

static void remove_after(const char *arg)
{
	ASSERT_EQ(rmdir(arg), 0);
}

/*
 * @arg: a board of configfs, which is not live. No place fails in its plug(): Linux 6.1
 * frees the properties of a platform device twice, when it has no memory for a link
 * (software_node_notify()).
 */
static void open_live(const char *arg)
{
	char path[128];

	make_before(arg);
	snprintf(path, sizeof(path), "%s/live", arg);
	file = open_file(path, O_RDWR);
}

static long plug(const char *arg)
{
	(void)arg;
	return pwrite(file, "1", 1, 0);
}

static void open_plugged(const char *arg)
{
	open_live(arg);
	ASSERT_EQ(plug(arg), 1);
}

static long unplug(const char *arg)
{
	(void)arg;
	return pwrite(file, "0", 1, 0);
}

static void remove_live(const char *arg)
{
	close(file);
	remove_after(arg);
}

/* --- drivers and boards ------------------------------------------------------------ */

/* @arg: "DRIVER/bind" or "DRIVER/unbind" of the board 0 */
static void board_of(const char *arg, char *name, size_t size)
{
	const char *end = strrchr(arg, '/'), *begin = end;

	while (begin[-1] != '/')
		begin--;
	snprintf(name, size, "%.*s.0", (int)(end - begin), begin);
}

static long write_board(const char *arg)
{
	char name[32];

	board_of(arg, name, sizeof(name));
	return pwrite(file, name, strlen(name), 0);
}

/* The opposite of @arg happens before. */
static void open_bind(const char *arg)
{
	char name[32], path[128];
	int len = strrchr(arg, '/') - arg;

	board_of(arg, name, sizeof(name));
	snprintf(path, sizeof(path), "%.*s/%s", len, arg, name);
	if (exists(path) != !strcmp(arg + len, "/unbind")) {
		snprintf(path, sizeof(path), "%.*s/%s", len, arg,
			 !strcmp(arg + len, "/unbind") ? "bind" : "unbind");
		write_text(path, name);
	}
	file = open_file(arg, O_WRONLY);
}

/* --- boards of configfs that the driver is bound to ------------------------------ */

static char board[64], board_dir[128];

/* @arg: "TYPE ATTRIBUTE": the board has three channels, and 1 for the attribute. */
static void plug_board(const char *arg)
{
	char type[16], attr[16], path[128], real[PATH_MAX], *end;

	if (sscanf(arg, "%15s %15s", type, attr) != 2)
		FAIL("no board: %s", arg);
	snprintf(board_dir, sizeof(board_dir), ZIO_CONFIG "/devices/%s/nth", type);
	make_before(board_dir);
	set_file("9", "%s/id", board_dir);
	set_file("3", "%s/channels", board_dir);
	set_file("1", "%s/%s", board_dir, attr);
	set_file("1", "%s/live", board_dir);
	snprintf(path, sizeof(path), "/sys/bus/zio/devices/%s-0009/..", type);
	ASSERT_TRUE(realpath(path, real));
	snprintf(board, sizeof(board), "%.63s", strrchr(real, '/') + 1);
	end = strchr(board, '.');
	snprintf(path, sizeof(path), DRIVERS "/%.*s/bind", (int)(end - board), board);
	file = open_file(path, O_WRONLY);
	snprintf(path, sizeof(path), DRIVERS "/%.*s/unbind", (int)(end - board), board);
	write_text(path, board);
}

static long bind_plugged(const char *arg)
{
	(void)arg;
	return pwrite(file, board, strlen(board), 0);
}

static void remove_plugged(const char *arg)
{
	(void)arg;
	close(file);
	set_file("0", "%s/live", board_dir);
	remove_after(board_dir);
}

/* --- modules ----------------------------------------------------------------------- */

static char folder[128];

static int open_module(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open_file(path, O_RDONLY);
}

/*
 * What a module needs stays loaded; nothing uses it. The core has a cache. Linux 6.1
 * loses the name of a cache for which it finds no memory (sysfs_slab_add()).
 */
static void load_needed(const char *name)
{
	if (!strcmp(name, "zio.ko") && has_leak_detector())
		SKIP("this kernel itself loses memory");
	rmdir(CLOCK);
	run("for i in 1 2 3 4 5; do awk '/^zio/ && !$3 { print $1 }' /proc/modules | "
	    "xargs -r rmmod 2>/dev/null; done; "
	    "! grep ^zio /proc/modules && modprobe %.*s && rmmod %s",
	    (int)strlen(name) - 3, name, name);
}

static void open_loadable(const char *name)
{
	file = open_module(name);
}

static long load_module(const char *name)
{
	(void)name;
	return syscall(SYS_finit_module, file, "", 0);
}

static void module_name(const char *name, char *to)
{
	for (; strcmp(name, ".ko"); name++)
		*to++ = *name == '-' ? '_' : *name;
	*to = '\0';
}

static long unload_module(const char *name)
{
	char module[64];

	module_name(name, module);
	return syscall(SYS_delete_module, module, O_NONBLOCK);
}

static void unload_after(const char *name)
{
	ASSERT_EQ(unload_module(name), 0);
	close(file);
}

static void load_before(const char *name)
{
	open_loadable(name);
	ASSERT_EQ(load_module(name), 0);
}

#define SETTING(path, value) \
	{ "write of " path " = " value, boards, open_setting, write_setting, restore_setting, \
	  path "=" value, 0 }
#define ADC_SETTING(path, value) \
	{ "write of " path " = " value, adc, open_setting, write_setting, restore_setting, \
	  ZADC path "=" value, 0 }
#define FILE_OF(path) \
	{ "read of " path, boards, open_readable, read_setting, close_setting, path, 0 }

static const struct operation list[] = {
	SETTING(CSET0 "/trigger/nsamples", "32"),
	SETTING(CSET0 "/trigger/post-samples", "32"),
	SETTING(CSET0 "/enable", "0"),
	SETTING(CSET0 "/chan2/buffer/max-buffer-len", "8"),
	SETTING(CSET2 "/chan0/buffer/max-buffer-kb", "256"),
	SETTING(CSET2 "/chan0/buffer/watermark", "2"),
	SETTING(CSET2 "/chan0/gain-factor", "2000"),
	SETTING(CSET2 "/current_buffer", "kmalloc"),
	SETTING(CSET0 "/current_trigger", "user"),
	SETTING(CSET0 "/current_trigger", "hrt"),
	SETTING(CSET0 "/current_trigger", "clock0"),
	SETTING(LOOP, "zzero-0000-2-0"),
	{ "write of the phase of a trigger with two sets", clocked, open_setting, write_phase,
	  restore_setting, CLOCK "/phase-ns=7000", 0 },
	FILE_OF("/sys/bus/zio/available_buffers"),
	FILE_OF(CSET2 "/chan0/current-control"),
	FILE_OF(CSET2 "/chan0/control-attrs"),
	FILE_OF(CLOCK "/csets"),
	{ "mkdir of a trigger", boards, NULL, make_directory, remove_after,
	  ZIO_CONFIG "/triggers/hrt/clock1", 0 },
	{ "rmdir of a trigger", boards, make_before, remove_directory, NULL,
	  ZIO_CONFIG "/triggers/hrt/clock1", 0 },
	{ "mkdir of a board", boards, NULL, make_directory, remove_after, FAR, 0 },
	{ "a board is unplugged", boards, open_plugged, unplug, remove_live, FAR, 0 },
	{ "rmdir of a board", boards, make_before, remove_directory, NULL, FAR, 0 },
	{ "bind of zio-mini", mini, open_bind, write_board, close_setting, MINI "/bind", 0 },
	{ "unbind of zio-mini", mini, open_bind, write_board, close_setting, MINI "/unbind", 0 },
	{ "bind of zio-zero", boards, open_bind, write_board, close_setting, ZERO "/bind", 0 },
	{ "bind of zio-fake-adc", adc, open_bind, write_board, close_setting,
	  DRIVERS "/zio-fake-adc/bind", 0 },
	{ "bind of zio-fake-dtc", dtc, open_bind, write_board, close_setting,
	  DRIVERS "/zio-fake-dtc/bind", 0 },
	{ "bind of an interleaved board", boards, plug_board, bind_plugged, remove_plugged,
	  "zzero interleaved", 0 },
	{ "bind of zio-play", play, plug_board, bind_plugged, remove_plugged,
	  "zplay repeats", 0 },
	ADC_SETTING("/cset0/current_trigger", "user"),
	ADC_SETTING("/cset0/trigger/level", "-7"),
	ADC_SETTING("/transfer-mode", "3"),
	SETTING(CSET0 "/trigger/nshots", "4"),
	{ "unbind of zio-zero", boards, open_bind, write_board, close_setting, ZERO "/unbind",
	  0 },
};

#define N_LIST		(sizeof(list) / sizeof(*list))
#define N_MODULES	64

static struct operation all[N_LIST + 2 * N_MODULES];
static struct test tests[N_LIST + 2 * N_MODULES + 1];
static char names[N_MODULES][64], texts[2 * N_MODULES][80];

/* A module that makes a board gets EINVAL if Linux has no memory for its name. */
static int add_module(int n, int i)
{
	snprintf(texts[2 * i], sizeof(texts[0]), "%s is loaded", names[i]);
	snprintf(texts[2 * i + 1], sizeof(texts[0]), "%s is unloaded", names[i]);
	all[n++] = (struct operation){ texts[2 * i], load_needed, open_loadable,
				       load_module, unload_after, names[i], EINVAL };
	all[n++] = (struct operation){ texts[2 * i + 1], load_needed, load_before,
				       unload_module, close_setting, names[i], 0 };
	return n;
}

/* zio-test runs KUnit. zio-board needs a parameter. */
static bool is_wanted(const char *name)
{
	return !strncmp(name, "zio", 3) && strstr(name, ".ko") && strcmp(name, "zio-test.ko") &&
		strcmp(name, "zio-board.ko");
}

static void __attribute__((constructor)) add_list(void)
{
	struct dirent **entries;
	struct utsname uts;
	int n = N_LIST, count, i, modules = 0;

	memcpy(all, list, sizeof(list));
	uname(&uts);
	snprintf(folder, sizeof(folder), "/lib/modules/%s/zio", uts.release);
	count = scandir(folder, &entries, NULL, alphasort);
	for (i = 0; i < count; i++) {
		if (!is_wanted(entries[i]->d_name))
			continue;
		snprintf(names[modules], sizeof(names[0]), "%.63s", entries[i]->d_name);
		n = add_module(n, modules++);
	}
	add_operations(all, tests, n);
}
