/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of zio, and what they share. */
#ifndef ZIO_COMMAND_H
#define ZIO_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/program.h"
#include "common/text.h"

/* Commands; @argv[0] is "zio list" and the like. They return an exit_code. */
int run_list(int argc, char **argv);
int run_get(int argc, char **argv);
int run_set(int argc, char **argv);
int run_create(int argc, char **argv);
int run_destroy(int argc, char **argv);
int run_top(int argc, char **argv);
int run_plot(int argc, char **argv);

/* The options of the commands, for completion */
extern const struct argp list_argp, get_argp, set_argp, create_argp, destroy_argp,
	top_argp, plot_argp;

/* The names by which zio top sorts; NULL ends them. */
extern const char *const sort_names[];

/* complete.c: offer candidates for the last of the words after "zio". */
void complete_list(int argc, char **argv);
void complete_top(int argc, char **argv);
void complete_get(int argc, char **argv);
void complete_set(int argc, char **argv);
void complete_create(int argc, char **argv);
void complete_destroy(int argc, char **argv);
void complete_plot(int argc, char **argv);

/* object.c: the objects that a user can name */

enum object_kind {
	OBJECT_DEVICE,
	OBJECT_CSET,
	OBJECT_CHANNEL,
	OBJECT_PART,		/* a directory in one of these, such as trigger */
	OBJECT_CONFIGURED,	/* a directory of configfs */
};

struct object {
	enum object_kind kind;
	char path[PATH_MAX];
	char label[PATH_MAX];	/* its name in messages: zzero-0000/cset0/chan1 */
	char attr[NAME_MAX + 1]; /* if the user named an attribute; else empty */
};

/* Find the object or attribute @text; 0, or -1 after a message. */
int find_object(const char *text, struct object *obj);

/* Find the object or attribute @text below @obj; 0, or -1 after a message. */
int walk_object(struct object *obj, const char *text);

/* reason.c */

/* Print why writing @value to @attr of @obj failed with errno @code. */
void explain_failure(const struct object *obj, const char *attr,
		     const char *value, int code);

/* holders.c */

/*
 * List the programs that have a node open or mapped. The names of the nodes begin with
 * @stem, such as "NAME-ID-CSET-". The text is "zzero-0000-0-1-data by dd (42), ...", cut
 * at @size. Returns their number, as far as the caller may read /proc.
 */
int put_holders(const char *stem, char *text, size_t size);

/* assign.c: ATTR=VALUE */

struct assignment {
	struct object obj;
	char *attr;		/* allocated; may be a path: trigger/nsamples */
	const char *value;
};

/* Split @text at its '='; 0, or -1 after a message. */
int split_assignment(const char *text, char **attr, const char **value);

/* Check that the attribute exists and is writable; 0, or -1 after a message. */
int check_assignment(struct assignment *set);

/* Write the value; 0, or -1 after a message. */
int apply_assignment(const struct assignment *set);

#endif /* ZIO_COMMAND_H */
