// SPDX-License-Identifier: GPL-2.0-only
/*
 * accepted_test.c: the file "accepted" of a set, or of a directory in configfs, tells the
 * truth about each of the other files
 *
 * Every file that can be written has a line. The ends of a range are accepted, and the
 * numbers next to them are refused; each word is accepted, and another one is refused.
 *
 * # model: soft-dma
 */
#include <ftw.h>

#include "board.h"
#include "harness.h"

#define SIZE		8192
#define REFUSALS	"EINVAL ERANGE EOPNOTSUPP ENOENT"

static char lines[SIZE];	/* of the set */
static char root[256];		/* its directory */
static unsigned int n_found;	/* lines for which there is a file */
static char *found[256];

static bool read_file(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, SIZE - 1);

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return n >= 0;
}

/* Write @text; 0 or the errno. */
static int put(const char *path, const char *text)
{
	int fd = open_file(path, O_WRONLY);
	int code = write(fd, text, strlen(text)) < 0 ? errno : 0;

	close(fd);
	return code;
}

static void expect(const char *path, const char *text, bool refused)
{
	int code = put(path, text);
	const char *name = strerrorname_np(code);
	bool is_refused = code && strstr(REFUSALS, name);

	if (is_refused != refused)
		FAIL("%s: '%s' gives %s", path, text, code ? name : "no error");
}

/* These run out of memory, or there is no such interrupt. */
static bool is_dear(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return !strcmp(name, "max-buffer-kb") || !strcmp(name, "irq");
}

/* A limit is a number, or another file of the directory. */
static void resolve(const char *path, const char *limit, char *text)
{
	char other[512];

	strcpy(text, limit);
	if (*limit < 'a')
		return;
	snprintf(other, sizeof(other), "%.*s/%s", (int)(strrchr(path, '/') - path), path, limit);
	ASSERT_TRUE(read_file(other, text), other);
	text[strcspn(text, "\n")] = '\0';
}

/* The number next to a limit; ten times as much where C has no larger one. */
static void next_to(const char *limit, int by, char *text)
{
	unsigned long long max = strtoull(limit, NULL, 0);

	if (*limit != '-' && max >= INT64_MAX)
		sprintf(text, "%s0", limit);
	else
		sprintf(text, "%lld", strtoll(limit, NULL, 0) + by);
}

static void check_range(const char *path, const char *values)
{
	char low[64], high[64], min[SIZE], max[SIZE], beyond[80];

	ASSERT_EQ(sscanf(values, "[%63s 1 %63[^]]]", low, high), 2, path);
	resolve(path, low, min);
	resolve(path, high, max);
	expect(path, min, false);
	if (!is_dear(path))
		expect(path, max, false);
	next_to(min, -1, beyond);
	expect(path, beyond, true);
	next_to(max, 1, beyond);
	expect(path, beyond, true);
	expect(path, "nonsense", true);
}

/* Other names would change the directories of which the test has a list. */
static void check_words(const char *path, const char *values)
{
	bool skip = strstr(path, "/current_");
	char copy[SIZE], beyond[80], *word, *last = NULL;

	strcpy(copy, values);
	for (word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		if (!skip)
			expect(path, word, false);
		last = word;
	}
	expect(path, "nonsense", true);
	if (*last < '0' || *last > '9' || last[strspn(last, "0123456789")])
		return;
	next_to(last, 1, beyond);
	expect(path, beyond, true);
}

static void check_file(const char *path, const char *values)
{
	char before[SIZE];
	bool readable = read_file(path, before);

	if (*values == '[')
		check_range(path, values);
	else if (*values == '<')
		expect(path, "no such thing", strcmp(values, "<text>"));
	else
		check_words(path, values);
	if (readable)
		ASSERT_EQ(put(path, *before ? before : "\n"), 0, path);
}

/* The file of a channel has the line of all channels. */
static char *find_line(const char *path)
{
	const char *name = path + strlen(root) + 1;
	char key[512];
	size_t n;

	if (!strncmp(name, "chan", 4) && strchr(name, '/'))
		n = snprintf(key, sizeof(key), "chan*%s ", strchr(name, '/'));
	else
		n = snprintf(key, sizeof(key), "%s ", name);
	for (char *line = lines; *line; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, key, n))
			return line + n;
	return NULL;
}

static void note(char *values)
{
	for (unsigned int i = 0; i < n_found; i++)
		if (found[i] == values)
			return;
	ASSERT_TRUE(n_found < 256);
	found[n_found++] = values;
}

static int visit(const char *path, const struct stat *stat, int type)
{
	char values[SIZE], *line;

	if (type != FTW_F || !(stat->st_mode & 0222))
		return 0;
	line = find_line(path);
	if (!line)
		FAIL("%s has no line in:\n%s", path, lines);
	note(line);
	snprintf(values, sizeof(values), "%.*s", (int)strcspn(line, "\n"), line);
	check_file(path, values);
	return 0;
}

static unsigned int count_lines(void)
{
	unsigned int n = 0;

	for (char *c = lines; *c; c++)
		n += *c == '\n';
	return n;
}

static void check_set(const char *set)
{
	char path[300];

	snprintf(root, sizeof(root), "%s", set);
	snprintf(path, sizeof(path), "%s/accepted", set);
	ASSERT_TRUE(read_file(path, lines), path);
	n_found = 0;
	ASSERT_TRUE(!ftw(set, visit, 16));
	ASSERT_EQ(count_lines(), n_found, "each line has a file");
}

SETUP(fresh)
{
	renew_zzero();
}

TEST_EACH("%s", fresh, CSET0, CSET1, CSET2)
{
	check_set(value);
}

TEST_EACH("the trigger %s", fresh, "timer", "hrt", "irq", "sysfs", "chain", "transparent")
{
	if (strcmp(value, "transparent"))
		run("zio-load zio-trig-%s", value);
	write_text(CSET0 "/current_trigger", value);
	check_set(CSET0);
}

TEST_EACH("the buffer %s", fresh, "kmalloc", "vmalloc")
{
	run("zio-load zio-buf-%s", value);
	write_text(CSET0 "/current_buffer", value);
	write_text(CSET1 "/current_buffer", value);
	check_set(CSET0);
	check_set(CSET1);
}

/* Only a board with DMA has the buffer. */
TEST("the buffer dma")
{
	run("zio-load zio-buf-dma && zio-load zio-dmaengine && insmod /selftests/soft-dma.ko");
	run("cd " ZIO_CONFIG "/devices/zdma && mkdir one && cd one && "
	    "for c in /sys/class/dma/*chan0; do "
	    "case $(readlink $c) in *soft-dma*) echo ${c##*/} >channel;; esac; done && "
	    "echo sg >mode && echo 256 >nsamples && echo 4 >ssize && echo 1 >live");
	write_text("/sys/bus/zio/devices/zdma-0000/cset0/current_buffer", "dma");
	check_set("/sys/bus/zio/devices/zdma-0000/cset0");
	run("rmdir " ZIO_CONFIG "/devices/zdma/one && rmmod soft_dma");
}

TEST_EACH("a board that is %s", fresh, "interleaved=1", "stream=8")
{
	run("cd " ZIO_CONFIG "/devices/zzero && mkdir q && echo 7 >q/id && "
	    "echo %s >q/%.*s && echo 1 >q/live", strchr(value, '=') + 1,
	    (int)strcspn(value, "="), value);
	check_set("/sys/bus/zio/devices/zzero-0007/cset0");
	run("rmdir " ZIO_CONFIG "/devices/zzero/q");
}

TEST("a driver of which no program knows")
{
	run("zio-load zio-fake-dtc");
	check_set("/sys/bus/zio/devices/zdtc-0000/cset0");
	check_set("/sys/bus/zio/devices/zdtc-0000/cset1");
	run("zio-load zio-fake-adc");
	check_set("/sys/bus/zio/devices/zadc-0000/cset0");
}

TEST("a shared trigger is a name for the set, and its values are not set here", fresh)
{
	run("zio-load zio-trig-hrt && mkdir -p " ZIO_CONFIG "/triggers/hrt/mine");
	write_text(CSET0 "/current_trigger", "mine");
	check_set(CSET0);
	ASSERT_TRUE(!strstr(lines, "period-ns"));
	ASSERT_HAS(strstr(lines, "\ncurrent_trigger "), " mine\n");
	write_text(CSET0 "/current_trigger", "user");
	run("rmdir " ZIO_CONFIG "/triggers/hrt/mine");
}

TEST_EACH("the shared trigger %s", fresh, "timer", "hrt", "irq", "sysfs", "chain")
{
	char dir[128];

	snprintf(dir, sizeof(dir), ZIO_CONFIG "/triggers/%s/mine", value);
	run("zio-load zio-trig-%s && mkdir %s", value, dir);
	check_set(dir);
	run("rmdir %s", dir);
}

TEST_EACH("a device %s that a user makes", fresh, "zzero", "zplay", "zdma")
{
	char dir[128];

	snprintf(dir, sizeof(dir), ZIO_CONFIG "/devices/%s/mine", value);
	run("zio-load zio-play && zio-load zio-dmaengine && mkdir %s", dir);
	check_set(dir);
	run("rmdir %s", dir);
}

static void read_accepted(unsigned int *done)
{
	char text[SIZE];

	while (!get(done)) {
		ASSERT_TRUE(read_file(CSET0 "/accepted", text));
		ASSERT_HAS(text, "trigger/enable 0 1\n");
		ASSERT_HAS(text, "\nchan*/buffer/prefer-new 0 1\n");
	}
	_exit(0);
}

/* The new trigger, or the new buffer, is in the set before its directory is there. */
TEST_EACH("whole while this changes: %s", fresh, "trigger", "buffer")
{
	unsigned int *done = share_memory(sizeof(*done));
	bool trigger = *value == 't';

	run("zio-load zio-trig-hrt && zio-load zio-buf-vmalloc");
	if (!fork_child())
		read_accepted(done);
	for (int i = 0; i < 200; i++) {
		write_text(CSET0 "/current_trigger", trigger && i % 2 ? "hrt" : "user");
		write_text(CSET0 "/current_buffer", !trigger && i % 2 ? "vmalloc" : "kmalloc");
	}
	set(done, 1);
	wait_children(1);
}
