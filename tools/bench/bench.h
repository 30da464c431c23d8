/* SPDX-License-Identifier: GPL-2.0-only */
/* bench.h: what the programs of the benchmarks share */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Of an option, at least @least. */
static inline unsigned long parse_number(const char *option, const char *text,
					 unsigned long least)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < least)
		die("--%s: '%s' is not a number from %lu on", option, text,
		    least);
	return value;
}

/* An option: with a text, or a number, or neither, and then a flag. */
struct bench_option {
	const char *name;
	char letter;
	const char *value;	/* what to call it in the help */
	const char *help;
	const char **text;
	unsigned long *number;
	unsigned long least;
	int *flag;
};

static inline void take_value(const struct bench_option *o)
{
	if (o->text)
		*o->text = optarg;
	else if (o->number)
		*o->number = parse_number(o->name, optarg, o->least);
	else
		*o->flag = 1;
}

static inline void print_options(const struct bench_option *o)
{
	char name[32];

	for (; o->name; o++) {
		snprintf(name, sizeof(name), "%s%s%s", o->name,
			 o->value ? "=" : "", o->value ? o->value : "");
		printf("  -%c, --%-16s %s\n", o->letter, name, o->help);
	}
	printf("  -h, --%-16s %s\n", "help", "this text");
}

/* The end of @table has no name. print_help() comes before its options. */
static inline void take_options(int argc, char **argv,
				const struct bench_option *table,
				void (*print_help)(const struct bench_option *table))
{
	const struct bench_option *o;
	struct option options[16] = { };
	char letters[2 * 16 + 1] = "h";
	size_t n = 0;
	int c;

	for (o = table; o->name; o++) {
		options[n++] = (struct option){ o->name, !o->flag, NULL,
						o->letter };
		sprintf(letters + strlen(letters), "%c%s", o->letter,
			o->flag ? "" : ":");
	}
	options[n] = (struct option){ "help", no_argument, NULL, 'h' };
	while ((c = getopt_long(argc, argv, letters, options, NULL)) >= 0) {
		for (o = table; o->name && o->letter != c; o++)
			;
		if (o->name) {
			take_value(o);
		} else if (c == 'h') {
			print_help(table);
			exit(0);
		} else {
			fputs("Try --help.\n", stderr);
			exit(2);
		}
	}
}

/* What each entry of a table of methods begins with. */
struct named {
	const char *name;
	const char *what;
};

/* The one of that name, of @n entries of @size bytes. */
static inline const void *find_named(const void *table, size_t n, size_t size,
				     const char *name)
{
	const char *entry = table;

	for (; n--; entry += size)
		if (!strcmp(((const struct named *)entry)->name, name))
			return entry;
	die("no method '%s' (see --help)", name);
}

static inline void print_named(const void *table, size_t n, size_t size)
{
	const char *entry = table;

	puts("\nMethods:");
	for (; n--; entry += size)
		printf("  %-12s %s\n", ((const struct named *)entry)->name,
		       ((const struct named *)entry)->what);
}

#define FIND_METHOD(table, name) \
	find_named(table, sizeof(table) / sizeof((table)[0]), \
		   sizeof((table)[0]), name)
#define PRINT_METHODS(table) \
	print_named(table, sizeof(table) / sizeof((table)[0]), \
		    sizeof((table)[0]))

#endif /* BENCH_H */
