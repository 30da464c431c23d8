/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of zio-bench share. */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096
/* of "trig" and "iio" */
#define BLOCK		16	/* bytes */
#define PERIODS_A_TURN	4	/* a buffer holds 16 blocks */

void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...);

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t min_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Results: one JSON object a line */

struct number {
	const char *name;
	int64_t value;
};

void print_numbers(const struct number *numbers);

#define PRINT_NUMBERS(...) \
	print_numbers((const struct number[]){ __VA_ARGS__, { NULL, 0 } })

/* Tells a program that traces this one that the measured loop begins. */
void announce(void);

/* Options */

/* The first member of each entry of a table that an option chooses from. */
struct named {
	const char *name;
	const char *what;
};

/**
 * struct bench_option - an option of a subcommand
 * @name: its long name
 * @letter: its short name
 * @help: what the help says
 * @text: takes any text, or
 * @number: takes a number of at least @least, or
 * @flag: takes no value, or
 * @choice: takes the name of one of @n entries of @table, @entry bytes each
 */
struct bench_option {
	const char *name;
	char letter;
	const char *help;
	const char **text;
	uint64_t *number;
	uint64_t least;
	bool *flag;
	const void *choice;
	const void *table;
	size_t n, entry;
};

#define CHOICE(variable, list) \
	.choice = (variable), .table = (list), .n = ARRAY_SIZE(list), \
	.entry = sizeof((list)[0])

/**
 * take_options() - parse the options of a subcommand
 * @argc: number of words
 * @argv: the words; the first one is the name of the subcommand
 * @table: the options; the last entry has no name
 * @arguments: what comes after the options, for the help
 *
 * Return: the index of the first word that is not an option.
 */
int take_options(int argc, char **argv, const struct bench_option *table,
		 const char *arguments);

/* Files; all of these end the program when something fails */

int __attribute__((format(printf, 2, 3)))
open_path(int flags, const char *format, ...);
void *map_file(int fd, size_t offset, size_t size, int prot);
void write_number(const char *dir, const char *file, uint64_t value);
uint64_t read_number(int fd);
uint64_t read_file_number(const char *dir, const char *file);

/* A loop that only interrupts disturb */

static inline void spin(uint64_t turns)
{
	while (turns--)
		__asm__ volatile("" : : "r"(turns) : "memory");
}

/* Return: how many turns of spin() take a millisecond. */
uint64_t calibrate_spin(void);

/* Rates */

/**
 * find_period() - find the shortest period at which nothing is lost, to 1 %
 * @try: returns how much is lost at a period
 * @arg: the argument of @try
 * @good: a period at which nothing is lost, in ns
 * @least: the shortest period to try, in ns
 *
 * Return: the period in ns. Three more trials at this period have lost nothing.
 */
uint64_t find_period(int64_t (*try)(void *arg, uint64_t period), void *arg,
		     uint64_t good, uint64_t least);

/* Subcommands */

int main_aio(int argc, char **argv);
int main_free(int argc, char **argv);
int main_iio(int argc, char **argv);
int main_loop(int argc, char **argv);
int main_map(int argc, char **argv);
int main_peer(int argc, char **argv);
int main_route(int argc, char **argv);
int main_run(int argc, char **argv);
int main_slink(int argc, char **argv);
int main_trig(int argc, char **argv);

#endif /* BENCH_H */
