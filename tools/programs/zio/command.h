/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of zio, and their common helpers. */
#ifndef ZIO_COMMAND_H
#define ZIO_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/object.h"
#include "common/program.h"
#include "common/text.h"

/* Commands; @argv[0] is "zio list" and the like. They return an exit_code. */
int run_list(int argc, char **argv);
int run_get(int argc, char **argv);
int run_set(int argc, char **argv);
int run_create(int argc, char **argv);
int run_destroy(int argc, char **argv);
int run_flush(int argc, char **argv);

/* The options of the commands, for completion */
extern const struct argp list_argp, get_argp, set_argp, create_argp, destroy_argp,
	flush_argp;

/* complete.c: offer candidates for the last word of the command line. */
void complete_objects(int argc, char **argv);
void complete_channels(int argc, char **argv);
void complete_get(int argc, char **argv);
void complete_set(int argc, char **argv);
void complete_create(int argc, char **argv);
void complete_destroy(int argc, char **argv);

/* holders.c */

#define REASON_LEN 2048

/*
 * Put why an attribute of @obj could not be set. On EBUSY, list the programs that hold a
 * node of the set, as far as the caller may read their files in /proc.
 */
void put_reason(char text[REASON_LEN], const struct zio_object *obj, const char *attr,
		const struct zio_error *err);

/* clock.c */
typedef void (*clock_fn)(void *to, const char *name, const char *value);

/* Is it a trigger whose core reports the source of its clock? */
bool has_clock(const struct zio_object *obj);

/* Print the source and state of the clock of a trigger; 0, or -1 after a message. */
int list_clock(const struct zio_object *obj, clock_fn put, void *to);

/* assign.c: ATTR=VALUE */

struct assignment {
	const struct zio_object *obj;
	char *attr;		/* allocated; may be a path: trigger/nsamples */
	const char *value;
};

/* Split @text at its '='; 0, or -1 after a message. */
int split_assignment(const char *text, char **attr, const char **value);

/* Check that the attribute exists and is writable; 0, or -1 after a message. */
int check_assignment(const struct assignment *set);

/* Write the value; 0, or -1 after a message. */
int apply_assignment(const struct assignment *set);

#endif /* ZIO_COMMAND_H */
