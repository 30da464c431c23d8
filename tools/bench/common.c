// SPDX-License-Identifier: GPL-2.0-only
/* Options, results, files, and the search for a rate. */
#include <getopt.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "bench.h"

#define MAX_OPTIONS	16

void die(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

void print_numbers(const struct number *n)
{
	const char *before = "{";

	for (; n->name; n++, before = ", ")
		printf("%s\"%s\": %lld", before, n->name, (long long)n->value);
	puts("}");
}

void announce(void)
{
	puts("READY");
	fflush(stdout);
}

/* Options */

static const struct named *entry_of(const struct bench_option *o, size_t i)
{
	return (const void *)((const char *)o->table + i * o->entry);
}

static uint64_t parse_number(const struct bench_option *o, const char *text)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < o->least)
		die("--%s: '%s' is not a number of at least %llu", o->name, text,
		    (unsigned long long)o->least);
	return value;
}

static const void *find_choice(const struct bench_option *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->n; i++)
		if (!strcmp(entry_of(o, i)->name, name))
			return entry_of(o, i);
	die("--%s: there is no '%s' (see --help)", o->name, name);
}

static void take_value(const struct bench_option *o, const char *value)
{
	if (o->text)
		*o->text = value;
	else if (o->number)
		*o->number = parse_number(o, value);
	else if (o->choice)
		*(const void **)o->choice = find_choice(o, value);
	else
		*o->flag = true;
}

static void print_help(const char *command, const struct bench_option *o,
		       const char *arguments)
{
	size_t i;

	printf("Usage: zio-bench %s [OPTION]... %s\n\n", command, arguments);
	for (; o->name; o++) {
		printf("  -%c, --%-10s %s\n", o->letter, o->name, o->help);
		for (i = 0; i < o->n; i++)
			printf("%20s%-12s %s\n", "", entry_of(o, i)->name,
			       entry_of(o, i)->what);
	}
	exit(0);
}

int take_options(int argc, char **argv, const struct bench_option *table,
		 const char *arguments)
{
	struct option options[MAX_OPTIONS + 2] = { };
	char letters[2 * MAX_OPTIONS + 3] = "+h";
	const struct bench_option *o;
	size_t n = 0;
	int c;

	for (o = table; o->name; o++) {
		options[n++] = (struct option){ o->name, !o->flag, NULL, o->letter };
		sprintf(letters + strlen(letters), "%c%s", o->letter,
			o->flag ? "" : ":");
	}
	options[n] = (struct option){ "help", no_argument, NULL, 'h' };
	while ((c = getopt_long(argc, argv, letters, options, NULL)) >= 0) {
		for (o = table; o->name && o->letter != c; o++)
			;
		if (c == 'h')
			print_help(argv[0], table, arguments);
		if (!o->name)
			exit(2);
		take_value(o, optarg);
	}
	return optind;
}

/* Files */

int open_path(int flags, const char *format, ...)
{
	char path[512];
	va_list ap;
	int fd;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

void *map_file(int fd, size_t offset, size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_SHARED | MAP_POPULATE, fd, offset);

	if (mem == MAP_FAILED)
		die("mmap of %zu bytes: %s", size, strerror(errno));
	return mem;
}

void write_number(const char *dir, const char *file, uint64_t value)
{
	int fd = open_path(O_WRONLY, "%s/%s", dir, file);
	char text[24];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);

	if (write(fd, text, len) != len)
		die("%s/%s: %s: %s", dir, file, text, strerror(errno));
	close(fd);
}

uint64_t read_number(int fd)
{
	char text[24];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		die("no number to read: %s", strerror(errno));
	text[len] = '\0';
	return strtoull(text, NULL, 10);
}

uint64_t read_file_number(const char *dir, const char *file)
{
	int fd = open_path(O_RDONLY, "%s/%s", dir, file);
	uint64_t value = read_number(fd);

	close(fd);
	return value;
}

/* Time */

uint64_t calibrate_spin(void)
{
	uint64_t start, best = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		start = now_ns();
		spin(100000);
		best = min_ns(best, now_ns() - start);
	}
	return 100000 * 1000000ull / best;
}

uint64_t find_period(int64_t (*try)(void *arg, uint64_t period), void *arg,
		     uint64_t good, uint64_t least)
{
	uint64_t bad = least, middle;
	int i;

	if (try(arg, good))
		die("some are lost at a period of %llu ns already",
		    (unsigned long long)good);
	while ((good - bad) * 100 > good) {
		middle = (good + bad) / 2;
		if (try(arg, middle))
			bad = middle;
		else
			good = middle;
	}
	/* One trial may have been lucky. */
	for (i = 0; i < 3; i++)
		if (try(arg, good)) {
			good += good / 100 + 1;
			i = -1;
		}
	return good;
}
