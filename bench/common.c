// SPDX-License-Identifier: GPL-2.0-only
/* Arguments, results, files, and the search for a rate. */
#include <stdarg.h>
#include <sys/mman.h>

#include "bench.h"

void die(const char *format, ...)
{
	va_list ap;

	fputs("zio-bench: ", stderr);
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

/* Arguments */

const char *take_text(char **argv, const char *key, const char *otherwise)
{
	size_t len = strlen(key);

	for (; *argv; argv++)
		if (!strncmp(*argv, key, len) && (*argv)[len] == '=') {
			otherwise = *argv + len + 1;
			for (; *argv; argv++)
				argv[0] = argv[1];
			break;
		}
	return otherwise;
}

uint64_t take_number(char **argv, const char *key, uint64_t otherwise)
{
	const char *text = take_text(argv, key, NULL);
	uint64_t value;
	char *end;

	if (!text)
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-')
		die("%s: '%s' is not a number", key, text);
	return value;
}

uint64_t take_count(char **argv, const char *key, uint64_t otherwise)
{
	uint64_t value = take_number(argv, key, otherwise);

	if (!value)
		die("%s: 0 is too small", key);
	return value;
}

const void *take_entry(char **argv, const char *key, const void *table, size_t n,
		       size_t size)
{
	const char *name = take_text(argv, key, NULL);
	const char *entry = table;

	if (!name)
		return table;
	for (; n--; entry += size)
		if (!strcmp(*(const char *const *)entry, name))
			return entry;
	die("%s: there is no '%s'", key, name);
}

void expect_words(char **argv, int n)
{
	for (; *argv && n; argv++, n--)
		if (strchr(*argv, '='))
			break;
	if (*argv)
		die("what is '%s'?", *argv);
	if (n)
		die("words are missing at the end");
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

	if (dprintf(fd, "%llu", (unsigned long long)value) < 0)
		die("%s/%s: %llu: %s", dir, file, (unsigned long long)value,
		    strerror(errno));
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

uint64_t sum_lines(const char *path, const char *key)
{
	char line[4096], *text;
	FILE *file = fopen(path, "re");
	uint64_t sum = 0;
	bool found = false;

	if (!file)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		text = line + strspn(line, " ");
		if (strncmp(text, key, strlen(key)))
			continue;
		text += strcspn(text, "0123456789");
		sum += strtoull(text, NULL, 10);
		found = true;
	}
	fclose(file);
	if (!found)
		die("%s has no %s", path, key);
	return sum;
}

/* Triggers */

void start_hrt_at(const char *dir, uint64_t at, uint64_t period, uint64_t phase,
		  uint64_t shots)
{
	write_number(dir, "start-ns", at + DAY_NS);
	write_number(dir, "period-ns", period);
	write_number(dir, "phase-ns", phase);
	write_number(dir, "shots", shots);
	write_number(dir, "start-ns", at);
	if (clock_ns(CLOCK_REALTIME) > at)
		die("%s: the start has passed before all was set", dir);
}

/* Time */

uint64_t spins_of(uint64_t ns)
{
	const uint64_t turns = 100000;
	uint64_t start, best = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		start = now_ns();
		spin(turns);
		best = min_ns(best, now_ns() - start);
	}
	return ns * turns / best;
}

int compare_ns(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
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
