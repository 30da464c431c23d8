/* SPDX-License-Identifier: GPL-2.0-only */
/* Options, messages and exit status, which all programs have in common. */
#ifndef ZIO_COMMON_PROGRAM_H
#define ZIO_COMMON_PROGRAM_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libzio/zio.h"

enum exit_code {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
	EXIT_OPEN,
	EXIT_NOT_CLEAN,		/* all was done, but something is missing: the last line says what */
	EXIT_BY_SIGNAL = 128,	/* and the number of the signal */
};

/*
 * Begin main(): @name is for --version, and messages begin with @shown. Neither is
 * copied. A program that exits and cannot write all of standard output complains, and
 * exits with EXIT_FAILED.
 */
void start_program(const char *name, const char *shown);

/*
 * Print "PROGRAM: ..." and a newline to standard error, after standard output. Names of
 * files may have characters that a terminal obeys: they are shown as \x1b and the like.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Complain about a lack of memory, and exit. */
void fail_memory(void) __attribute__((noreturn));

/* Like calloc(), but end the program when there is no memory. */
void *allocate(size_t count, size_t size);

/* Complain and return true if standard output is a terminal, unless @force is set. */
bool refuses_terminal(bool force);

#define FORCE_OPTION { "force", 'f', NULL, 0, \
	"Write to standard output even if it is a terminal", 0 }

/* Flush standard output; EXIT_OK, or EXIT_FAILED after a complaint. */
int finish_output(void);

/* Return CLOCK_MONOTONIC in seconds. */
double seconds_now(void);

/* --- Options. A wrong option ends the program with EXIT_USAGE. */

/* The children of every argp: --help, --usage, --version. */
extern const struct argp_child program_options[];

/*
 * argp_parse() with @flags and ARGP_NO_HELP. What it complains about has words of the user,
 * which are shown as complain() does.
 */
error_t parse_words(const struct argp *argp, int argc, char **argv, unsigned int flags,
		    void *input);

/* Parse @argv, where "help" alone is --help. An error of argp ends the program. */
void parse_command(const struct argp *argp, int argc, char **argv, void *input);

/*
 * For the help_filter of an argp. Put the output of @print before @text, if @key is that
 * of the text after the options. argp frees the result. Else return @text.
 */
char *extend_help(int key, const char *text, void (*print)(FILE *out));

/* The arguments that follow the options. */
struct arguments {
	char **text;
	int count;
	bool needed;		/* one at least */
};

/* Keep the arguments; for the keys that the caller's parser does not handle. */
error_t keep_arguments(int key, const struct argp_state *state,
		       struct arguments *args);

/* Parse decimal @text, at most @max; messages show it as "WHAT=TEXT". */
uint64_t parse_number(const struct argp_state *state, const char *what,
		      const char *text, uint64_t max);

/* Parse a time in seconds, 0 to 86400. */
double parse_seconds(const struct argp_state *state, const char *text);

/* Parse the argument of --rate: Hz, or a fraction. Only both numbers of @rate are set. */
void parse_rate(const struct argp_state *state, const char *text, struct zio_rate *rate);

/* Return the place of @text in @names, which ends with NULL. */
int parse_choice(const struct argp_state *state, const char *what,
		 const char *text, const char *const *names);

/* The methods of libzio by name: the values of --method. Ends with NULL. */
extern const char *const method_names[];

#define METHOD_OPTION(key) { "method", key, "METHOD", 0, \
	"Read by this method of the library: auto (default: the first that " \
	"the channel offers), ring, read", 0 }

/* Return the ZIO_OPEN_ flag of a method, 0 for "auto". */
int parse_method(const struct argp_state *state, const char *text);

#endif /* ZIO_COMMON_PROGRAM_H */
