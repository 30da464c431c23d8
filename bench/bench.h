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
#define NS_PER_S	1000000000ull
#define DAY_NS		(24 * 3600 * NS_PER_S)
/* of "trig" and "iio" */
#define BLOCK		16	/* bytes */
#define PERIODS_A_TURN	4	/* a buffer holds 16 blocks */

void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...);

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
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

/*
 * Words KEY=VALUE in any order, and other words. Each function takes the word of a key
 * out of argv, and ends the program if its value is wrong. If there is no such word,
 * it returns @otherwise.
 */

/* Any text */
const char *take_text(char **argv, const char *key, const char *otherwise);
uint64_t take_number(char **argv, const char *key, uint64_t otherwise);
/* A number that is not 0 */
uint64_t take_count(char **argv, const char *key, uint64_t otherwise);
/*
 * The name of an entry in a table. Each entry is @size bytes and begins with its name.
 * Return: the entry; the first one if there is no such word.
 */
const void *take_entry(char **argv, const char *key, const void *table, size_t n,
		       size_t size);

#define TAKE_ENTRY(argv, key, table) \
	take_entry(argv, key, table, ARRAY_SIZE(table), sizeof((table)[0]))

/* Ends the program unless exactly @n words are left. */
void expect_words(char **argv, int n);

/* Files; all of these end the program when something fails */

int __attribute__((format(printf, 2, 3)))
open_path(int flags, const char *format, ...);
void *map_file(int fd, size_t offset, size_t size, int prot);
void write_number(const char *dir, const char *file, uint64_t value);
uint64_t read_number(int fd);
uint64_t read_file_number(const char *dir, const char *file);
/* The sum of the first numbers of all lines that begin with @key, after spaces. */
uint64_t sum_lines(const char *path, const char *key);

/*
 * Gives the hrt in a directory its period, and has @shots events come from the time @at
 * of CLOCK_REALTIME on. Ends the program if that time has passed.
 */
void start_hrt_at(const char *dir, uint64_t at, uint64_t period, uint64_t phase,
		  uint64_t shots);

/* A loop that only interrupts disturb */

static inline void spin(uint64_t turns)
{
	while (turns--)
		__asm__ volatile("" : : "r"(turns) : "memory");
}

/* For qsort() of int64_t */
int compare_ns(const void *a, const void *b);

/* Return: how many turns of spin() take @ns. */
uint64_t spins_of(uint64_t ns);

/**
 * find_period() - find the shortest period at which nothing is lost, to 1 %
 * @try: returns how much is lost at a period
 * @arg: the argument of @try
 * @good: a period at which nothing is lost, in ns
 * @least: the shortest period to try, in ns
 *
 * Context: Any thread; @try runs many times.
 *
 * Return: the period in ns. Three more trials at this period have lost nothing.
 */
uint64_t find_period(int64_t (*try)(void *arg, uint64_t period), void *arg,
		     uint64_t good, uint64_t least);

/* Subcommands. Their words are in argv, without the name of the subcommand. */

void main_busy(char **argv);
void main_iio(char **argv);
void main_jitter(char **argv);
void main_loop(char **argv);
void main_peer(char **argv);
void main_play(char **argv);
void main_route(char **argv);
void main_slink(char **argv);
void main_stream(char **argv);
void main_trig(char **argv);
void main_uzio(char **argv);
void main_uzio_stream(char **argv);
void main_xdma(char **argv);

#endif /* BENCH_H */
