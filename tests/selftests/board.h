/* SPDX-License-Identifier: GPL-2.0-only */
/* board.h: modules, boards and their settings, for tests that are C programs */
#ifndef BOARD_H
#define BOARD_H

#include <dirent.h>
#include <stdbool.h>

#include "node.h"

/* The board that zio-selftests loads for each test: its nodes and its directory. */
#define PAGE		((size_t)sysconf(_SC_PAGESIZE))
#define ZZERO		"/dev/zio/zzero-0000"
#define ZZERO_SYS	"/sys/bus/zio/devices/zzero-0000"
#define CSET0		ZZERO_SYS "/cset0"
#define CSET1		ZZERO_SYS "/cset1"
#define CSET2		ZZERO_SYS "/cset2"
#define ZIO_CONFIG	"/sys/kernel/config/zio"
#define DRIVERS		"/sys/bus/platform/drivers"

/* Run a command of the shell. Return: its status */
static inline int __attribute__((format(printf, 1, 2))) shell(const char *fmt, ...)
{
	char command[1024];
	va_list args;
	int status;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	fflush(stdout);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Run a command of the shell, which must succeed. */
#define run(...) do {							\
	int status_ = shell(__VA_ARGS__);				\
									\
	if (status_)							\
		FAIL("status %d from: %s", status_, #__VA_ARGS__);	\
} while (0)

static inline bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* How many names in the directory contain this text. */
static inline int count_names(const char *path, const char *part)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += !!strstr(entry->d_name, part);
	if (dir)
		closedir(dir);
	return n;
}

/* Count all objects of boards of this name: devices, links, nodes. */
static inline int count_objects(const char *name)
{
	return count_names("/sys/bus/zio/devices", name) +
		count_names("/sys/zio/devices", name) +
		count_names("/sys/class/zio", name) +
		count_names("/dev/zio", name);
}

/* @name: with '-' or '_' */
static inline bool is_loaded(const char *name)
{
	char path[128], *c;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	for (c = path; *c; c++)
		if (*c == '-')
			*c = '_';
	return exists(path);
}

static inline void load(const char *name)
{
	if (!is_loaded(name))
		run("zio-load %s", name);
}

static inline void unload(const char *name)
{
	if (is_loaded(name))
		run("zio-unload %s", name);
}

/* Load the module anew. @options: parameters, or "" */
static inline void reload(const char *name, const char *options)
{
	unload(name);
	run("zio-load %s %s", name, options);
}

static inline void tell_driver(const char *driver, int id, const char *file)
{
	char path[128], device[64];

	snprintf(path, sizeof(path), DRIVERS "/%s/%s", driver, file);
	snprintf(device, sizeof(device), "%s.%d", driver, id);
	write_text(path, device);
}

#define unbind_board(driver, id)	tell_driver(driver, id, "unbind")
#define bind_board(driver, id)		tell_driver(driver, id, "bind")

/*
 * Unplug the board, if it is there, and plug it in again: it has default settings,
 * counters at 0, and nothing queued. This is faster than to load the driver anew.
 */
static inline void renew(const char *driver, int id)
{
	char path[128];

	snprintf(path, sizeof(path), DRIVERS "/%s/%s.%d", driver, driver, id);
	if (exists(path))
		unbind_board(driver, id);
	bind_board(driver, id);
}

/* A new zzero-0000, also after a test that has unloaded its driver. */
static inline void renew_zzero(void)
{
	load("zio-buf-vmalloc");
	load("zio-zero");
	renew("zio-zero", 0);
}

/*
 * A new zzero-0000, whose set 2 counts from 0, and two new loops with samples of the same
 * size. @buffers: that of the input zzero-0000/cset2 and that of the output zloop-0000
 */
static inline void renew_zzero_and_loops(const char *buffers)
{
	char in[16], out[16];

	ASSERT_EQ(sscanf(buffers, "%15s %15s", in, out), 2);
	if (!is_loaded("zio-loop"))
		run("zio-load zio-loop ssize=4 ndev=2");
	rmdir(ZIO_CONFIG "/devices/zloop/far");
	renew_zzero();
	renew("zio-loop", 0);
	renew("zio-loop", 1);
	write_text(CSET2 "/current_buffer", in);
	write_text("/sys/bus/zio/devices/zloop-0000/cset0/current_buffer", out);
}

/* The format names a file of sysfs; it is written. */
static inline void __attribute__((format(printf, 2, 3)))
set_file(const char *text, const char *fmt, ...)
{
	char path[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	write_text(path, text);
}

static inline unsigned long __attribute__((format(printf, 1, 2)))
number_in(const char *fmt, ...)
{
	char path[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	return read_number(path);
}

static inline void set_number(const char *path, unsigned long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", value);
	write_text(path, text);
}

/* The content of a small file, without the newline at its end. */
static inline const char *text_in(const char *path)
{
	static char text[16384];
	int fd = open_file(path, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	/* A file of /proc may give a page at a time. */
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	ASSERT_EQ(n, 0);
	close(fd);
	text[len] = '\0';
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	return text;
}

#define ASSERT_TEXT(path, expected) do {				\
	const char *text_ = text_in(path);				\
									\
	if (strcmp(text_, expected))					\
		FAIL("%s is '%s', expected '%s'", path, text_, expected); \
} while (0)

/* Assert that a write is refused with this errno and that the file reads as before. */
static inline void refuse(const char *path, const char *text, int code)
{
	char before[512];
	int fd;

	snprintf(before, sizeof(before), "%.500s", text_in(path));
	fd = open_file(path, O_WRONLY);
	errno = 0;
	if (write(fd, text, strlen(text)) != -1 || errno != code)
		FAIL("'%.20s' to %s: %s, expected %s", text, path,
		     strerrorname_np(errno), strerrorname_np(code));
	close(fd);
	if (strncmp(text_in(path), before, 500))
		FAIL("'%.20s' changed %s from '%s' to '%s'", text, path, before,
		     text_in(path));
}

/* A wait has eight times as many turns, of 5 ms each, as fit into its seconds. */
#define TURNS	(8 * 200)

/*
 * Wait until the condition holds. The seconds are those of an idle machine. A wait counts
 * its turns: the clock of the machine runs on while its host stands still, and takes one
 * turn meanwhile. Return: whether the condition holds
 */
#define comes_true(seconds, condition) ({				\
	unsigned long left_ = TURNS * (seconds);			\
	bool holds_;							\
									\
	while (!(holds_ = (condition)) && left_--)			\
		usleep(5000);						\
	holds_;								\
})

#define wait_for(seconds, condition) do {				\
	if (!comes_true(seconds, condition))				\
		FAIL("not within %d s: %s", seconds, #condition);	\
} while (0)

/* A kernel with sanitizers is slow: tests make fewer rounds there. */
static inline bool is_debug_kernel(void)
{
	return exists("/proc/lockdep") || exists("/sys/kernel/debug/kcsan");
}

/* The number behind a name in a file of /proc, in bytes */
static inline unsigned long kb_in(const char *path, const char *name)
{
	unsigned long kb = 0;
	char line[200];
	FILE *f = fopen(path, "r");

	ASSERT_TRUE(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = strtoul(line + strlen(name), NULL, 10);
	fclose(f);
	return kb * 1024;
}

/* The pinned memory of this process, in bytes */
static inline unsigned long locked(void)
{
	return kb_in("/proc/self/status", "VmPin:");
}

#endif /* BOARD_H */
