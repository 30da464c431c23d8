// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parser of zio with damaged settings: words of zio set
 *
 * A tree of files stands for sysfs and configfs. The linker replaces the two functions of
 * zio that write.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "fuzz.h"
#include "harness.h"
#include "zio/command.h"

#define MAX_WORDS 16
#define N_WORDS 5

int __wrap_zio_write_file(const char *path, const char *value);
void __wrap_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static FILE *nowhere;
static struct fuzz_input words[N_WORDS];

/* A test must not write to a path that a damaged name leads to. */
int __wrap_zio_write_file(const char *path, const char *value)
{
	return !*path || !value;
}

void __wrap_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(nowhere, format, args);
	va_end(args);
}

static void make_tree(void)
{
	static const char *const tree[][2] = {
		{ "bus/zio/version", "1.4\n" },
		{ "bus/zio/devices/zzero-0000/cset0/direction", "input\n" },
		{ "bus/zio/devices/zzero-0000/cset0/enable", "1\n" },
		{ "bus/zio/devices/zzero-0000/cset0/current_buffer", "kmalloc\n" },
		{ "bus/zio/devices/zzero-0000/cset0/current_trigger", "user\n" },
		{ "bus/zio/devices/zzero-0000/cset0/trigger/name", "user\n" },
		{ "bus/zio/devices/zzero-0000/cset0/trigger/enable", "1\n" },
		{ "bus/zio/devices/zzero-0000/cset0/trigger/post-samples", "16\n" },
		{ "bus/zio/devices/zzero-0000/cset0/chan0/enable", "1\n" },
		{ "bus/zio/devices/zzero-0000/cset0/chan0/address", "zzero-0000-0-0\n" },
		{ "bus/zio/devices/zzero-0000/cset0/chan0/buffer/max-buffer-len", "16\n" },
		{ "zio/triggers/hrt/clock0/enable", "0\n" },
		{ "zio/triggers/hrt/clock0/period-ns", "1000\n" },
		{ "zio/devices/zzero/rack1/name", "zzero-0001\n" },
		{ "zio/devices/zzero/rack1/id", "auto\n" },
		{ "zio/devices/zzero/rack1/live", "0\n" },
		{ "zio/devices/zzero/rack1/channels", "3\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(tree) / sizeof(*tree); i++)
		fake_put_file(dir, tree[i][0], tree[i][1], 0644);
	setenv("ZIO_SYSFS", dir, 1);
	setenv("ZIO_CONFIGFS", dir, 1);
}

static void make_inputs(void)
{
	static const char *const sets[N_WORDS] = {
		"zzero/0\ntrigger/post-samples=4\nenable=0",
		"zzero-0-0\nenable=1\ntrigger:clock0\nperiod-ns=10000000",
		"zzero/0/current_trigger=user",
		"device:rack1/channels=2\ndevice:rack1/live=1",
		"zzero/0\ncurrent_buffer=kmalloc\nchan0/buffer/max-buffer-len=3",
	};
	unsigned int i;

	for (i = 0; i < N_WORDS; i++)
		fuzz_put(&words[i], sets[i], strlen(sets[i]));
}

/* Each line is a word of the command line. */
static bool set(const struct fuzz_input *in)
{
	char name[] = "zio set", end[] = "--", text[FUZZ_MAX + 1];
	char *argv[MAX_WORDS + 3] = { name, end }, *next = text, *word;
	int argc = 2;

	memcpy(text, in->data, in->len);
	text[in->len] = '\0';
	while (argc < MAX_WORDS + 2 && (word = strsep(&next, "\n")))
		argv[argc++] = word;
	return run_set(argc, argv) == EXIT_OK;
}

SETUP(fresh)
{
	make_dir(value);
	nowhere = fopen("/dev/null", "we");
	make_tree();
	make_inputs();
}

TEST("words of zio set", fresh) { fuzz(set, words, N_WORDS, 10000); }
