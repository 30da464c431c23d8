// SPDX-License-Identifier: GPL-2.0-only
/* config.c: files of sysfs, and of triggers in configfs, with values good and bad */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"

/* A file and values that it takes, ended by NULL. */
struct file {
	const char *path;	/* below csetN, or below chanM of it */
	const char *values[8];
};

static const struct file cset_files[] = {
	{ "enable", { "1", "1", "1", "0" } },
	{ "current_buffer", { "kmalloc", "vmalloc", "vmalloc" } },
	{ "current_trigger", { "user", "user", "transparent", "clock0", "clock1",
			       "hrt", "timer", "sysfs" } },
	{ "current_trigger", { "user", "chain", "user" } },
	{ "timeout-ms", { "0", "10", "1000" } },
	{ "trigger/enable", { "1", "1", "0" } },
	{ "trigger/nsamples", { "1", "16", "32", "64", "300", "4096", "5000" } },
	{ "trigger/post-samples", { "16", "16", "100", "2048", "3000" } },
	{ "trigger/pre-samples", { "0", "1" } },
	{ "trigger/nshots", { "1", "2", "0" } },
	{ "trigger/clock", { "realtime", "tai", "monotonic", "boottime" } },
	{ "trigger/period-ns", { "300000", "1000000", "5000000" } },
	{ "trigger/phase-ns", { "0", "1000" } },
	{ "trigger/slack-ns", { "0", "50000" } },
	{ "trigger/shots", { "0", "5" } },
	{ "trigger/start-ns", { "0", "1" } },
	{ "trigger/period-ms", { "1", "2", "10" } },
	{ "trigger/phase-ms", { "0", "3" } },
	{ "trigger/fire", { "1" } },
	{ "trigger/source", { "zzero-0001/cset0", "zzero-0000/cset2",
			      "zloop-0000/cset1", "none" } },
	{ "horizon-s", { "1", "3600" } },
	{}
};

static const struct file chan_files[] = {
	{ "enable", { "1", "1", "1", "0" } },
	{ "alarms", { "0", "1", "65535" } },
	{ "buffer/max-buffer-len", { "1", "2", "3", "16", "16", "64", "256" } },
	{ "buffer/max-buffer-kb", { "4", "16", "64", "128", "512" } },
	{ "buffer/prefer-new", { "0", "1" } },
	{ "buffer/watermark", { "1", "2", "8" } },
	{ "sequence", { "0", "4294967290" } },
	{}
};

static const struct file hrt_files[] = {
	{ "period-ns", { "200000", "1000000", "3000000" } },
	{ "phase-ns", { "0", "777" } },
	{ "slack-ns", { "0", "10000" } },
	{ "shots", { "0", "0", "10" } },
	{ "start-ns", { "0", "0", "1" } },
	{ "clock", { "realtime", "tai", "monotonic", "boottime" } },
	{ "enable", { "1", "1", "0" } },
	{}
};

static const char *const boards[] = {
	"zzero-0000", "zzero-0000", "zzero-0001", "zzero-0001", "zzero-0100",
	"zzero-0101", "zmini-0000", "zzero-0102", "zloop-0000", "zloop-0100",
	"zdtc-0000", "zdtc-0100", "zadc-0000",
};

static const char *any_board(void)
{
	return boards[dice(sizeof(boards) / sizeof(*boards))];
}

static const struct file *any_file(const struct file *files)
{
	unsigned int n = 0;

	while (files[n].path)
		n++;
	return &files[dice(n)];
}

/* A value that no file takes, or hardly any. */
static const char *bad_value(void)
{
	static const char *const bad[] = {
		"", "\n", " ", "x", "-1", "0x", "1 1", "4294967296",
		"18446744073709551616", "99999999999999999999999999", "\t1\n",
		"none", "user\n\n", "zzero-0000", "zzero-0000-0", "////", "%s%n",
		"zzero-ffff-0-0", "zzero-0000/cset9", "abcdefghijklmnopqrstuvwxyz",
	};
	static char text[5000];

	switch (dice(4)) {
	case 0:
		snprintf(text, sizeof(text), "%d", any_int());
		return text;
	case 1:
		memset(text, ' ' + dice(95), sizeof(text));
		text[dice(sizeof(text))] = 0;
		return text;
	default:
		return bad[dice(sizeof(bad) / sizeof(*bad))];
	}
}

static const char *good_value(const struct file *file)
{
	unsigned int n = 0;

	while (n < sizeof(file->values) / sizeof(*file->values) &&
	       file->values[n])
		n++;
	return file->values[dice(n)];
}

/* Only do_large() writes large numbers: it sets the old ones again. */
static bool is_large(const char *path, const char *value)
{
	return (strstr(path, "samples") || strstr(path, "max-buffer") ||
		strstr(path, "period")) && value[0] >= '0' && value[0] <= '9';
}

/* One write. */
long put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return result(-1);
	ret = result(write(fd, text, strlen(text)));
	close(fd);
	return ret;
}

static void put_any(const char *path, const struct file *file)
{
	const char *value = good_value(file);

	if (chance(5)) {
		value = bad_value();
		if (is_large(path, value))
			return;
	}
	put_text(path, value);
}

static void do_set_cset(void)
{
	const struct file *file = any_file(cset_files);
	char path[160];

	snprintf(path, sizeof(path), BUS "/%s/cset%u/%s", any_board(), dice(3),
		 file->path);
	put_any(path, file);
}

static void do_set_channel(void)
{
	const struct file *file = any_file(chan_files);
	char path[160];

	snprintf(path, sizeof(path), BUS "/%s/cset%u/chan%u/%s", any_board(),
		 dice(3), chance(2) ? 0 : dice(3), file->path);
	put_any(path, file);
}

/* Change the blocks of the channels that verify.c reads, but not their samples. */
static void do_set_checked(void)
{
	static const struct {
		struct file file;
		const char *dir;
	} table[] = {
		{ { "prefer-new", { "0", "0", "1" } }, "/buffer" },
		{ { "max-buffer-len", { "2", "16", "64" } }, "/buffer" },
		{ { "nsamples", { "1", "16", "64", "300" } }, "/../trigger" },
		{ { "post-samples", { "8", "32", "2000" } }, "/../trigger" },
		{ { "current_trigger", { "user", "clock0", "clock0" } }, "/.." },
		{ { "current_buffer", { "vmalloc", "vmalloc", "kmalloc" } }, "/.." },
		{ { "enable", { "1", "1", "0" } }, "/.." },
	};
	unsigned int i = dice(sizeof(table) / sizeof(*table));
	char path[160];

	snprintf(path, sizeof(path), BUS "/zzero-0000/%s%s/%s", chance(2) ?
		 "cset0/chan2" : "cset2/chan0", table[i].dir, table[i].file.path);
	put_text(path, good_value(&table[i].file));
}

/* The counter that verify.c reads keeps its gain and offset. */
static void do_set_gain(void)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", (uint32_t)any_int());
	put_text(chance(2) ? BUS "/zzero-0001/cset2/chan0/gain-factor" :
	    BUS "/zzero-0001/cset2/chan0/offset", text);
}

/*
 * Set a size without room, and an ordinary one after it. No size may take the memory of the
 * whole machine meanwhile: the kernel would end a process that asks for a page then.
 */
static void do_large(void)
{
	static const struct {
		const char *path, *large[3], *ordinary;
	} sizes[] = {
		{ "trigger/nsamples", { "65536", "16777216", "4294967295" }, "16" },
		{ "chan0/buffer/max-buffer-len", { "4096", "16777216", "4294967295" }, "16" },
		{ "chan0/buffer/max-buffer-kb", { "65536", "16777216", "4294967295" }, "128" },
	};
	unsigned int i = dice(3);
	char path[160];

	snprintf(path, sizeof(path), BUS "/%s/cset%u/%s", any_board(), dice(3),
		 sizes[i].path);
	put_text(path, sizes[i].large[dice(3)]);
	put_text(path, sizes[i].ordinary);
}

static void do_set_trigger(void)
{
	static const char *const fires[] = { "1", "1", "0", "x" };
	const struct file *file = any_file(hrt_files);
	char path[160];

	switch (dice(4)) {
	case 0:
		put_text(CONFIG "/triggers/sysfs/pulse0/fire", fires[dice(4)]);
		break;
	case 1:
		put_text(CONFIG "/triggers/timer/clock1/period-ms",
		    chance(2) ? "2" : "20");
		break;
	default:
		snprintf(path, sizeof(path), CONFIG "/triggers/hrt/clock0/%s",
			 file->path);
		put_any(path, file);
	}
}

/* Make, remove or use a shared trigger. */
static void do_brief_trigger(void)
{
	static const char path[] = CONFIG "/triggers/hrt/brief";
	char cset[96];

	switch (dice(3)) {
	case 0:
		result(mkdir(path, 0755));
		break;
	case 1:
		result(rmdir(path));
		break;
	default:
		snprintf(cset, sizeof(cset), BUS "/%s/cset%u/current_trigger",
			 any_board(), dice(3));
		put_text(cset, "brief");
	}
}

/* Make a route to any output. A channel that verify.c reads is never a source. */
static void do_route(void)
{
	int to = any_channel(true), from = any_channel(false), chan;
	char path[160], board[16];
	unsigned int cset;

	if (sscanf(channels[to].name, "%15[^-]", board) != 1)
		return;
	if (sscanf(channels[to].name + strlen(board), "-%*x-%u-%d", &cset,
		   &chan) != 2)
		return;
	snprintf(path, sizeof(path), BUS "/%.*s/cset%u/chan%d/buffer/source",
		 (int)strlen(board) + 5, channels[to].name, cset, chan);
	put_text(path, chance(3) ? "none" : chance(8) ? bad_value() :
	    channels[from].name);
}

/* Read some files of the directory. */
static void look_into(const char *path, unsigned int depth)
{
	struct dirent *entry;
	char name[512];
	DIR *dir = opendir(path);
	int fd;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || entry->d_type == DT_LNK)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (entry->d_type == DT_DIR && depth)
			look_into(name, depth - 1);
		if (entry->d_type != DT_REG || chance(2))
			continue;
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			result(read(fd, arena, 4096));
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void do_look(void)
{
	char path[160];

	snprintf(path, sizeof(path), BUS "/%s/cset%u", any_board(), dice(3));
	look_into(path, 3);
	if (chance(4))
		look_into(CONFIG "/triggers", 2);
}

/* Read and write a file of sysfs through one open file. */
static void do_both(void)
{
	const struct file *file = any_file(chan_files);
	char path[160];
	int fd;

	snprintf(path, sizeof(path), BUS "/%s/cset%u/chan0/%s", any_board(),
		 dice(3), file->path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (result(fd) < 0)
		return;
	result(pread(fd, arena, chance(4) ? any_int() & 0xffff : 64,
		     chance(4) ? any_int() : 0));
	result(pwrite(fd, "1", chance(8) ? 0 : 1, chance(8) ? any_int() : 0));
	close(fd);
}

const struct op config_ops[] = {
	{ "set-cset", do_set_cset, 40, 10, ROOT },
	{ "set-channel", do_set_channel, 30, 10, ROOT },
	{ "set-checked", do_set_checked, 20, 5, ROOT },
	{ "set-gain", do_set_gain, 3, 1, ROOT },
	{ "set-large", do_large, 3, 1, ROOT },
	{ "set-trigger", do_set_trigger, 15, 5, ROOT },
	{ "brief-trigger", do_brief_trigger, 6, 2, ROOT },
	{ "route", do_route, 20, 5, ROOT },
	{ "look", do_look, 2, 5, ROOT | MEMBER },
	{ "read-write", do_both, 4, 2, ROOT },
	{}
};
