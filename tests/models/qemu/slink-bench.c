// SPDX-License-Identifier: GPL-2.0-only
/*
 * slink-bench.c: access to the test bench of the card model, from inside the machine
 *
 * The program finds the PCI function of the bench and maps its registers. Names and
 * offsets are those of bench.c.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

static const char usage[] =
"usage: slink-bench [-c CARD] [NAME | NAME=VALUE]...\n"
"Registers of the test bench of an emulated S-LINK card (0 if not told): prints\n"
"the value of each NAME, sets each NAME=VALUE, in this order; all of them, with\n"
"their names, if none is given. Exit status: 0, 1 refused, 2 usage, 3 no bench.\n";

static void fail(int status, const char *what, const char *name)
{
	fprintf(stderr, "slink-bench: %s%s\n", what, name);
	exit(status);
}

static bool has_id(const char *dir, const char *file, unsigned int id)
{
	char path[300];
	unsigned int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%x", &found) != 1)
		found = 0;
	fclose(f);
	return found == id;
}

static bool find_bench(char *dir, size_t size)
{
	bool found = false;
	glob_t paths;
	size_t i;

	if (glob("/sys/bus/pci/devices/*", 0, NULL, &paths))
		return false;
	for (i = 0; i < paths.gl_pathc && !found; i++) {
		snprintf(dir, size, "%s", paths.gl_pathv[i]);
		found = has_id(dir, "vendor", BENCH_VENDOR) &&
			has_id(dir, "device", BENCH_DEVICE);
	}
	globfree(&paths);
	return found;
}

/* Enable the device, since memory decoding may be off. */
static void enable_bench(const char *dir)
{
	char path[300];
	FILE *f;

	if (has_id(dir, "enable", 1))
		return;
	snprintf(path, sizeof(path), "%s/enable", dir);
	f = fopen(path, "w");
	if (!f || fputs("1", f) < 0 || fclose(f))
		fail(3, "cannot enable ", dir);
}

static volatile uint32_t *map_bench(void)
{
	char dir[256], path[300];
	void *regs;
	int fd;

	if (!find_bench(dir, sizeof(dir)))
		fail(3, "no such PCI function: is this a machine with ",
		     "vm --device sspci?");
	enable_bench(dir);
	snprintf(path, sizeof(path), "%s/resource0", dir);
	fd = open(path, O_RDWR | O_SYNC);
	if (fd < 0)
		fail(3, "cannot open ", path);
	regs = mmap(NULL, BENCH_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (regs == MAP_FAILED)
		fail(3, "cannot map ", path);
	return regs;
}

static void print_value(const struct bench_reg *reg, uint32_t value)
{
	uint32_t i;

	for (i = 0; reg->choices && reg->choices[i]; i++)
		if (i == value) {
			puts(reg->choices[i]);
			return;
		}
	printf("%u\n", value);
}

static const struct bench_reg *find(const char *name)
{
	const struct bench_reg *reg = bench_by_name(name);

	if (!reg)
		fail(2, "no such register: ", name);
	return reg;
}

static void set_one(volatile uint32_t *regs, char *word, char *value)
{
	const struct bench_reg *reg;
	uint32_t number;

	*value++ = '\0';
	reg = find(word);
	if (!bench_parse(reg, value, &number))
		fail(1, "what value is ", value);
	if (number < reg->min || number > reg->max)
		fail(1, "read only, or out of range: ", word);
	regs[reg->offset / 4] = number;
}

static void print_all(volatile uint32_t *regs)
{
	const struct bench_reg *reg;

	for (reg = bench_regs; reg->name; reg++) {
		if (!strcmp(reg->name, "sink-data"))
			continue;
		printf("%s ", reg->name);
		print_value(reg, regs[reg->offset / 4]);
	}
}

static void work_on(volatile uint32_t *regs, char *word)
{
	char *value = strchr(word, '=');
	const struct bench_reg *reg;

	if (value) {
		set_one(regs, word, value);
		return;
	}
	reg = find(word);
	print_value(reg, regs[reg->offset / 4]);
}

int main(int argc, char **argv)
{
	volatile uint32_t *regs;
	unsigned long card = 0;
	int option;

	while ((option = getopt(argc, argv, "c:h")) != -1) {
		if (option == 'c')
			card = strtoul(optarg, NULL, 0);
		if (option == 'h')
			return fputs(usage, stdout) < 0;
		if (option == '?' || card >= BENCH_BOARDS)
			return fputs(usage, stderr) < 0 ? 3 : 2;
	}
	regs = map_bench() + card * BENCH_WINDOW / 4;
	if (regs[0] != BENCH_ID)
		fail(3, "the bench has no such card", "");
	if (optind == argc)
		print_all(regs);
	while (optind < argc)
		work_on(regs, argv[optind++]);
	return 0;
}
