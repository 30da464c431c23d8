// SPDX-License-Identifier: GPL-2.0-only
/* zio get: print one attribute of an object, or all of them */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"

struct get {
	bool json;
	bool recursive;
	struct arguments args;
	json_t *all;
	int code;
};

static void print_line(const struct get *get, const char *object, const char *attr,
		       const char *value)
{
	const char *at;

	if (get->args.count > 1)
		printf("%s/", object);
	printf("%s=", attr);
	for (at = value; *at; at++)
		putchar(*at == '\n' ? ' ' : *at);
	putchar('\n');
}

/* What print_clock_line() needs besides the line. */
struct clock_lines {
	struct get *get;
	const char *object;
};

static void print_clock_line(void *to, const char *name, const char *value)
{
	const struct clock_lines *lines = to;
	struct get *get = lines->get;

	if (get->json)
		json_add_value(json_member(get->all, lines->object), name, value);
	else
		print_line(get, lines->object, name, value);
}

/* Only for a trigger named by the user, because the lines are not attributes. */
static void print_clock(struct get *get, const struct zio_object *obj)
{
	struct clock_lines lines = { get, zio_object_name(obj) };

	if (has_clock(obj) && list_clock(obj, print_clock_line, &lines))
		get->code = EXIT_FAILED;
}

/* @whole: the object named by the user; @attr: its attribute, possibly a path */
static void print_attr(struct get *get, const struct zio_object *whole,
		       const char *attr, bool alone)
{
	const char *object = zio_object_name(whole);
	char text[ZIO_TEXT_SIZE];
	struct zio_error err;

	if (zio_attr_get(whole, attr, text, sizeof(text), &err)) {
		complain("%s", err.text);
		get->code = EXIT_FAILED;
	} else if (get->json) {
		json_add_value(json_member(get->all, object), attr, text);
	} else if (alone && get->args.count == 1) {
		puts(text);
	} else {
		print_line(get, object, attr, text);
	}
}

static void print_attrs(struct get *get, const struct zio_object *whole,
			const struct zio_object *part)
{
	size_t len = strlen(zio_object_name(whole));
	const char *below = zio_object_name(part) + len;
	struct zio_attr *list;
	struct zio_error err;
	char attr[PATH_MAX];
	int i;

	list = zio_attr_list(part, &err);
	if (!list) {
		complain("%s", err.text);
		get->code = EXIT_FAILED;
		return;
	}
	for (i = 0; list[i].name; i++) {
		put_text(attr, sizeof(attr), "%s%s%s", *below ? below + 1 : "",
			 *below ? "/" : "", list[i].name);
		if (list[i].readable)
			print_attr(get, whole, attr, false);
	}
	zio_attr_list_free(list);
}

static void print_part(struct get *get, const struct zio_object *whole,
		       const struct zio_object *part);

static void print_list(struct get *get, const struct zio_object *whole,
		       const struct zio_object *part, enum zio_object_kind kind)
{
	struct zio_object **list = zio_list(part, kind, NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		print_part(get, whole, list[i]);
	zio_list_free(list);
}

/* Print sets and channels separately, but those of a device with the device. */
static void print_part(struct get *get, const struct zio_object *whole,
		       const struct zio_object *part)
{
	bool deeper = get->recursive || zio_object_kind(whole) == ZIO_OBJECT_DEVICE;
	int kind = zio_object_kind(part);

	print_attrs(get, whole, part);
	if (kind == ZIO_OBJECT_DEVICE)
		print_list(get, whole, part, ZIO_OBJECT_CSET);
	if (kind == ZIO_OBJECT_CSET && deeper)
		print_list(get, whole, part, ZIO_OBJECT_CHANNEL);
	if (!is_configured(part) && kind != ZIO_OBJECT_BUS && kind != ZIO_OBJECT_DEVICE)
		print_list(get, whole, part, ZIO_OBJECT_PART);
}

static void print_object(struct get *get, const char *name)
{
	const char *attr;
	struct zio_object *obj = find_object(name, &attr);

	if (!obj) {
		get->code = EXIT_FAILED;
	} else if (attr) {
		print_attr(get, obj, attr, true);
	} else {
		print_part(get, obj, obj);
		print_clock(get, obj);
	}
	zio_object_free(obj);
}

static error_t parse_get(int key, char *arg, struct argp_state *state)
{
	struct get *get = state->input;

	(void)arg;
	switch (key) {
	case 'j':
		get->json = true;
		return 0;
	case 'r':
		get->recursive = true;
		return 0;
	default:
		return keep_arguments(key, state, &get->args);
	}
}

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print one JSON object, with attributes by object", 0 },
	{ "recursive", 'r', NULL, 0,
	  "Also print the attributes of the sets and channels in OBJECT", 0 },
	{ 0 }
};

const struct argp get_argp = {
	.options = options,
	.parser = parse_get,
	.args_doc = "OBJECT[/ATTR]...",
	.doc = "Print an attribute, or all attributes of an object.\v"
	"OBJECT is a device (zzero-0000, or zzero), a set (zzero/cset0, "
	"zzero/0), a channel (zzero/0/1, zzero-0-1, zzero-0000-0-1), a part of "
	"one (zzero/0/trigger), trigger:NAME or device:NAME. For a trigger, the output "
	"includes lines about its clock.",
	.children = program_options,
};

int run_get(int argc, char **argv)
{
	struct get get = { .args.needed = true };
	int i;

	parse_command(&get_argp, argc, argv, &get);
	if (get.json)
		get.all = json_object();
	for (i = 0; i < get.args.count; i++)
		print_object(&get, get.args.text[i]);
	if (get.json)
		json_print(stdout, get.all, JSON_PRECISION);
	return get.code;
}
