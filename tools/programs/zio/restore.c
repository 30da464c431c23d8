// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio restore: set what a file of zio save says, line by line
 *
 * A line that fails does not stop the others. The order of some settings depends on
 * their values: the area of a buffer has room for a block, whichever grows first. So the
 * program tries a refused line once more. It does so before it enables an object or makes
 * a device live, and at the end. A device does not go live when one of its lines has
 * failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

struct line {
	unsigned int number;
	char *text;
};

struct lines {
	struct line *list;
	int count;
};

struct restore {
	struct arguments args;
	const char *file;
	bool dry_run;
	bool verbose;
	double wait;		/* seconds that an object may take to appear */
	double end;		/* when that time is over */
	struct lines refused;	/* to try again */
	struct lines bad;	/* told */
	struct lines written;	/* dry run: what would be written */
	bool creates;		/* dry run: a line would create something */
	bool exchanges;		/* dry run: a line would change trigger or buffer */
	unsigned int count;	/* of lines that are no comments */
	char reason[REASON_LEN];	/* of the last failure */
};

static void add_line(struct lines *lines, const struct line *line)
{
	struct line *more;

	more = reallocarray(lines->list, (size_t)lines->count + 1, sizeof(*more));
	if (!more)
		fail_memory();
	lines->list = more;
	more += lines->count++;
	more->number = line->number;
	more->text = strdup(line->text);
	if (!more->text)
		fail_memory();
}

static void free_lines(struct lines *lines)
{
	while (lines->count)
		free(lines->list[--lines->count].text);
	free(lines->list);
	*lines = (struct lines){ 0 };
}

static int fail(struct restore *r, const char *reason)
{
	put_text(r->reason, sizeof(r->reason), "%s", reason);
	return -1;
}

static void tell(struct restore *r, const struct line *line)
{
	complain("%s:%u: %s", r->file, line->number, r->reason);
	add_line(&r->bad, line);
}

/* --- load MODULE [PARAMETER=VALUE]... */

static int load(struct restore *r, char *words)
{
	const struct load load = {
		.dry_run = r->dry_run,
		.verbose = r->verbose,
	};

	if (is_new_module(words))
		r->creates = true;
	return load_module(&load, words, r->reason);
}

/* --- create KIND TYPE NAME */

static int find_kind(const char *kind)
{
	if (!strcmp(kind, "device"))
		return ZIO_OBJECT_CONFIG_DEVICE;
	return strcmp(kind, "trigger") ? -1 : ZIO_OBJECT_SHARED_TRIGGER;
}

/* Is there such an object already, of this type? */
static bool is_there(const char *kind, const char *type, const char *name)
{
	char full[PATH_MAX];
	struct zio_object *obj;
	bool same;

	put_text(full, sizeof(full), "%s:%s", kind, name);
	obj = zio_find(NULL, full, NULL, NULL);
	same = obj && !strcmp(zio_object_type(obj), type);
	zio_object_free(obj);
	return same;
}

static int create(struct restore *r, const char *kind, const char *type,
		  const char *name)
{
	int number = kind ? find_kind(kind) : -1;
	struct zio_object *obj;
	struct zio_error err;

	if (number < 0 || !type || !name)
		return fail(r, "the line is not: create trigger TYPE NAME, or create device DRIVER NAME");
	if (is_there(kind, type, name))
		return 0;
	if (r->dry_run || r->verbose)
		printf("create %s %s %s\n", kind, type, name);
	r->creates = true;
	if (r->dry_run)
		return 0;
	obj = zio_create((enum zio_object_kind)number, type, name, &err);
	if (!obj)
		return fail(r, err.text);
	zio_object_free(obj);
	return 0;
}

/* --- OBJECT/ATTR=VALUE */

/* A dry run cannot see what the lines before would make. */
static bool may_appear(const struct restore *r, const char *path)
{
	if (!r->dry_run)
		return false;
	return r->creates || (r->exchanges && (strstr(path, "/trigger/") ||
					       strstr(path, "/buffer/")));
}

/* While a set appears, reading this file gives ENODEV, and writes would be lost. */
static bool is_complete(const struct zio_object *obj)
{
	const char *name = zio_object_name(obj);
	const char *slash = strchr(name, '/');
	char text[ZIO_TEXT_SIZE];
	struct zio_object *cset;
	bool complete;

	if (!slash)
		return true;
	put_text(text, sizeof(text), "%.*s",
		 (int)(strchrnul(slash + 1, '/') - name), name);
	cset = zio_find(NULL, text, NULL, NULL);
	complete = cset && !zio_attr_get(cset, "current_buffer", text, sizeof(text),
					 NULL);
	zio_object_free(cset);
	return complete;
}

/* Find the object, and wait for it if it may take time to appear. */
static struct zio_object *find(struct restore *r, const char *path, const char **attr,
			       struct zio_error *err)
{
	bool wait = r->wait > 0 && !r->dry_run;
	struct zio_object *obj;

	for (;;) {
		obj = zio_find(NULL, path, attr, err);
		if (!wait || (!obj && errno != ENOENT) || seconds_now() >= r->end ||
		    (obj && is_complete(obj)))
			return obj;
		zio_object_free(obj);
		usleep(20000);
	}
}

/* A live device has the number of its name, also if the kernel has chosen it. */
static bool has_id(const struct zio_object *device, const char *value)
{
	char name[NAME_LEN];
	const char *hyphen;

	if (get_name(device, "name", name))
		return false;
	hyphen = strrchr(name, '-');
	return hyphen && is_digits(value) &&
	       strtoul(hyphen + 1, NULL, 16) == strtoul(value, NULL, 10);
}

/* What a dry run would have written is as good as written. */
static const char *find_written(const struct restore *r, const char *full)
{
	size_t len = strlen(full);
	int i;

	for (i = r->written.count - 1; i >= 0; i--)
		if (!strncmp(r->written.list[i].text, full, len) &&
		    r->written.list[i].text[len] == '=')
			return r->written.list[i].text + len + 1;
	return NULL;
}

static bool has_value(const struct restore *r, const struct zio_object *obj,
		      const char *attr, const char *value)
{
	char text[ZIO_TEXT_SIZE], full[PATH_MAX];
	const char *written;

	put_text(full, sizeof(full), "%s/%s", zio_object_name(obj), attr);
	written = find_written(r, full);
	if (written)
		return !strcmp(written, value);
	if (zio_object_kind(obj) == ZIO_OBJECT_CONFIG_DEVICE && !strcmp(attr, "id") &&
	    has_id(obj, value))
		return true;
	return !zio_attr_get(obj, attr, text, sizeof(text), NULL) &&
	       !strcmp(text, value);
}

static void show_change(struct restore *r, const struct zio_object *obj,
			const char *attr, const char *value)
{
	char text[PATH_MAX + ZIO_TEXT_SIZE];
	const struct line line = { .text = text };

	if (!r->dry_run && !r->verbose)
		return;
	put_text(text, sizeof(text), "%s/%s=%s", zio_object_name(obj), attr, value);
	puts(text);
	if (r->dry_run)
		add_line(&r->written, &line);
}

static int write_value(struct restore *r, const struct zio_object *obj,
		       const char *attr, const char *value)
{
	struct zio_error err;

	if (!zio_attr_set(obj, attr, value, &err))
		return 0;
	put_reason(r->reason, obj, attr, &err);
	return -1;
}

static int change(struct restore *r, const struct zio_object *obj, const char *attr,
		  const char *value)
{
	struct zio_error err;

	if (has_value(r, obj, attr, value))
		return 0;
	if (zio_attr_check(obj, attr, &err))
		return fail(r, err.text);
	if (has_prefix(attr, "current_"))
		r->exchanges = true;
	if (!r->dry_run && write_value(r, obj, attr, value))
		return -1;
	show_change(r, obj, attr, value);
	return 0;
}

static int assign(struct restore *r, const char *path, const char *value)
{
	struct zio_object *obj;
	struct zio_error err;
	const char *attr;
	int ret;

	obj = find(r, path, &attr, &err);
	if (!obj)
		return may_appear(r, path) ? 0 : fail(r, err.text);
	if (attr) {
		ret = change(r, obj, attr, value);
	} else {
		put_text(r->reason, sizeof(r->reason), "%s is not an attribute",
			 zio_object_name(obj));
		ret = -1;
	}
	zio_object_free(obj);
	return ret;
}

/* --- Lines */

static int run_words(struct restore *r, char *text)
{
	static const char blanks[] = " \t";
	char *at, *word[5] = { NULL };
	size_t i;

	for (i = 0; i < 5; i++)
		word[i] = strtok_r(i ? NULL : text, blanks, &at);
	if (!strcmp(word[0], "create") && !word[4])
		return create(r, word[1], word[2], word[3]);
	return fail(r, "the line is none of: OBJECT/ATTR=VALUE, create KIND TYPE NAME, load MODULE");
}

static int run_line(struct restore *r, const struct line *line)
{
	char *text = strdup(line->text);
	char *equals;
	int ret;

	if (!text)
		fail_memory();
	equals = strchr(text, '=');
	if (has_prefix(text, "load ")) {
		ret = load(r, text + strlen("load "));
	} else if (equals) {
		*equals = '\0';
		ret = assign(r, text, equals + 1);
	} else {
		ret = run_words(r, text);
	}
	free(text);
	return ret;
}

static void try_again(struct restore *r)
{
	int i;

	for (i = 0; i < r->refused.count; i++)
		if (run_line(r, &r->refused.list[i]))
			tell(r, &r->refused.list[i]);
	free_lines(&r->refused);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* Return the line that has failed for the device of "device:rack1/live=1". */
static const struct line *find_bad(const struct restore *r, const char *text)
{
	size_t len = strcspn(text, "/") + 1;
	struct zio_object *device;
	char name[PATH_MAX];
	bool live;
	int i;

	if (!has_prefix(text, "device:") || !ends_with(text, "/live=1"))
		return NULL;
	put_text(name, sizeof(name), "%.*s", (int)len - 1, text);
	device = zio_find(NULL, name, NULL, NULL);
	live = device && get_number(device, "live") == 1;
	zio_object_free(device);
	if (live)
		return NULL;
	for (i = 0; i < r->bad.count; i++)
		if (!strncmp(r->bad.list[i].text, text, len))
			return &r->bad.list[i];
	return NULL;
}

static void do_line(struct restore *r, const struct line *line)
{
	const struct line *bad;

	r->count++;
	if (ends_with(line->text, "/enable=1") || ends_with(line->text, "/live=1"))
		try_again(r);
	bad = find_bad(r, line->text);
	if (bad) {
		put_text(r->reason, sizeof(r->reason),
			 "%.*s does not go live, because line %u was not set",
			 (int)strcspn(line->text, "/"), line->text, bad->number);
		tell(r, line);
	} else if (run_line(r, line)) {
		if (r->dry_run || has_prefix(line->text, "load ") ||
		    !strchr(line->text, '='))
			tell(r, line);
		else
			add_line(&r->refused, line);
	}
}

static void read_lines(struct restore *r, FILE *in)
{
	struct line line = { 0 };
	char *text = NULL;
	size_t size = 0;

	while (getline(&text, &size, in) >= 0) {
		line.number++;
		text[strcspn(text, "\n")] = '\0';
		line.text = text + strspn(text, " \t");
		if (*line.text && *line.text != '#')
			do_line(r, &line);
	}
	try_again(r);
	free(text);
}

static int restore_file(struct restore *r)
{
	FILE *in = strcmp(r->file, "-") ? fopen(r->file, "re") : stdin;
	int code = EXIT_OK;

	if (!in) {
		complain("%s: %s", r->file, strerror(errno));
		return EXIT_FAILED;
	}
	r->end = seconds_now() + r->wait;
	read_lines(r, in);
	if (ferror(in)) {
		complain("%s: read: %s", r->file, strerror(errno));
		code = EXIT_FAILED;
	}
	if (in != stdin)
		fclose(in);
	if (!r->bad.count)
		return code;
	complain("%s: %d of %u lines were not set", r->file, r->bad.count, r->count);
	return EXIT_FAILED;
}

#define OPTION_WAIT 256

static error_t parse_restore(int key, char *arg, struct argp_state *state)
{
	struct restore *r = state->input;

	switch (key) {
	case 'n':
		r->dry_run = true;
		return 0;
	case 'v':
		r->verbose = true;
		return 0;
	case OPTION_WAIT:
		r->wait = parse_seconds(state, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (r->args.count > 1)
			argp_usage(state);
		return 0;
	default:
		return keep_arguments(key, state, &r->args);
	}
}

static const struct argp_option options[] = {
	{ "dry-run", 'n', NULL, 0, "Print what would change, and change nothing", 0 },
	{ "verbose", 'v', NULL, 0, "Print what was changed", 0 },
	{ "wait", OPTION_WAIT, "SECONDS", 0,
	  "Wait so long in all for devices that are not there yet (default 0)", 0 },
	{ 0 }
};

const struct argp restore_argp = {
	.options = options,
	.parser = parse_restore,
	.args_doc = "FILE",
	.doc = "Set what a file of 'zio save' says; - is standard input.\v"
	"A line that fails is told with its number and does not stop the others; "
	"the exit status is then 1. A device goes live only if all its lines were "
	"set.",
	.children = program_options,
};

int run_restore(int argc, char **argv)
{
	struct restore r = { .args.needed = true };
	int code;

	parse_command(&restore_argp, argc, argv, &r);
	r.file = r.args.text[0];
	code = restore_file(&r);
	free_lines(&r.refused);
	free_lines(&r.bad);
	free_lines(&r.written);
	return code;
}
