/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of zio share. */
#ifndef ZIO_COMMAND_H
#define ZIO_COMMAND_H

#include <argp.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
};

/* Commands; @argv[0] is "zio list" and the like. They return an exit_code. */
int run_list(int argc, char **argv);
int run_get(int argc, char **argv);
int run_set(int argc, char **argv);
int run_create(int argc, char **argv);
int run_destroy(int argc, char **argv);
int run_top(int argc, char **argv);
int run_plot(int argc, char **argv);

/* main.c */

/* "zio: ..." and a newline to standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Is it all written? EXIT_FAILED, and a word to the user, if not. */
int finish_output(void);

/* Parse @argv; EXIT_USAGE when that fails, after argp has said why. */
int parse_command(const struct argp *argp, int argc, char **argv, void *input);

/* What follows the options. */
struct arguments {
	char **text;
	int count;
	bool needed;		/* at least one is */
};

/* For what a parser does not know: keeps the arguments. */
error_t keep_arguments(int key, const struct argp_state *state,
		       struct arguments *args);

/* Seconds, 0 or more; ends the program otherwise. */
double parse_seconds(const struct argp_state *state, const char *text);
uint64_t parse_count(const struct argp_state *state, const char *text);

/* text.c: small helpers for text */

/* snprintf() for names whose length the kernel has limited: cuts silently. */
void put_text(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

bool has_prefix(const char *text, const char *prefix);

/* Decimal digits and nothing else, at least one. */
bool is_digits(const char *text);

/* A number for people: "12.3k"; "-" for one that is not known (NaN). */
void put_scaled(char *to, size_t size, double value);

/* As calloc(), but ends the program when there is no memory. */
void *allocate(size_t count, size_t size);

/* fs.c: files of attributes */

#define ATTR_TEXT 4097 /* sysfs and configfs give a page at most */
#define NAME_LEN 64

const char *sysfs_root(void);		/* .../bus/zio */
const char *triggers_root(void);	/* .../zio/triggers */
const char *devices_root(void);		/* .../zio/devices */

bool is_directory(const char *dir, const char *name);
bool is_file(const char *dir, const char *name);

/* Text without its last newline; 0, or -1 with errno and empty text. */
int read_attr(const char *dir, const char *name, char text[ATTR_TEXT]);

/* The same, cut to the size of @text. */
int read_name(const char *dir, const char *name, char text[NAME_LEN]);

/* -1 if it cannot be read. */
int64_t read_number(const char *dir, const char *name);

/* One write of @value and a newline; 0, or -1 with errno. */
int write_attr(const char *dir, const char *name, const char *value);

/* Sorted, hidden ones left out; -1 with errno, else to be free_names()d. */
int list_names(const char *dir, struct dirent ***names);
void free_names(struct dirent **names, int count);

/* The entry of @root that has @name in it: "hrt" of .../triggers/hrt/clock0. */
int find_owner(const char *root, const char *name, char owner[NAME_LEN]);

/*
 * Names under @root, of directories alone or of files, too, with spaces between:
 * what there is to choose from.
 */
void put_names(const char *root, bool files, char *text, size_t size);

/* object.c: what the user names */

enum object_kind {
	OBJECT_DEVICE,
	OBJECT_CSET,
	OBJECT_CHANNEL,
	OBJECT_PART,		/* a directory of one of them: trigger, ... */
	OBJECT_CONFIGURED,	/* made in configfs */
};

struct object {
	enum object_kind kind;
	char path[PATH_MAX];
	char label[PATH_MAX];	/* zzero-0000/cset0/chan1 */
	char attr[NAME_MAX + 1]; /* empty: the object itself */
};

/* 0, or -1 after a word to the user. */
int find_object(const char *text, struct object *obj);

/* Go on from @obj to the object or the attribute @text. */
int walk_object(struct object *obj, const char *text);

/* reason.c */

/* Tell why writing @value to @attr of @obj failed with @code. */
void explain_failure(const struct object *obj, const char *attr,
		     const char *value, int code);

/* holders.c */

/*
 * Who has nodes open or mapped whose names begin with @stem (NAME-ID-CSET-):
 * "zzero-0000-0-1-data by dd (42), ...". Returns their number, as far as /proc
 * tells; the names are cut at @size.
 */
int put_holders(const char *stem, char *text, size_t size);

/* assign.c: ATTR=VALUE */

struct assignment {
	struct object obj;
	char *attr;		/* may have directories: trigger/nsamples */
	const char *value;
};

/* Cut @text at its '='; -1 after a word to the user. */
int split_assignment(const char *text, char **attr, const char **value);

/* Find the file and whether it can be written; @text as in find_object(). */
int check_assignment(struct assignment *set);
int apply_assignment(const struct assignment *set);

#endif /* ZIO_COMMAND_H */
