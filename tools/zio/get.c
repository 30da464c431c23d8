// SPDX-License-Identifier: GPL-2.0-only
/* zio get: print one attribute of an object, or all */
#include <errno.h>
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

static void print_line(const struct get *get, const struct object *obj,
		       const char *attr, const char *value)
{
	const char *at;

	if (get->args.count > 1)
		printf("%s/", obj->label);
	printf("%s=", attr);
	for (at = value; *at; at++)
		putchar(*at == '\n' ? ' ' : *at);
	putchar('\n');
}

static void print_value(struct get *get, const struct object *obj,
			const char *attr, const char *value)
{
	if (get->json)
		json_add_value(json_member(get->all, obj->label), attr, value);
	else if (obj->attr[0] && get->args.count == 1)
		puts(value);
	else
		print_line(get, obj, attr, value);
}

static void print_attr(struct get *get, const struct object *obj,
		       const char *attr)
{
	char text[ATTR_TEXT];

	if (!read_attr(obj->path, attr, text)) {
		print_value(get, obj, attr, text);
		return;
	}
	complain("%s/%s: %s", obj->label, attr, strerror(errno));
	get->code = EXIT_FAILED;
}

/* Return true if @attr is an attribute of ZIO that is text and can be read. */
static bool is_readable(const struct object *obj, const char *attr)
{
	const char *name = base_name(attr);

	return strcmp(name, "uevent") && strcmp(name, "current-control") &&
	       has_mode(obj->path, attr, 0444);
}

/* Return true for a directory whose attributes are printed with those of @obj. */
static bool is_part(const struct get *get, const struct object *obj,
		    const char *name)
{
	bool cset = is_numbered(name, "cset");
	bool chan = is_numbered(name, "chan");

	if (obj->kind == OBJECT_DEVICE)
		return cset;
	return get->recursive || !(cset || chan);
}

static void print_entries(struct get *get, const struct object *obj,
			  const char *below);

static void print_entry(struct get *get, const struct object *obj,
			const char *below, const char *name)
{
	char attr[PATH_MAX];

	put_text(attr, sizeof(attr), "%s%s%s", below, *below ? "/" : "", name);
	if (!is_directory(obj->path, attr)) {
		if (is_readable(obj, attr))
			print_attr(get, obj, attr);
	} else if (*below || is_part(get, obj, name)) {
		print_entries(get, obj, attr);
	}
}

static void print_entries(struct get *get, const struct object *obj,
			  const char *below)
{
	char dir[PATH_MAX];
	struct dirent **names;
	int count, pass, i;

	put_text(dir, sizeof(dir), "%s/%s", obj->path, below);
	count = list_names(dir, &names);
	if (count < 0) {
		complain("%s: %s", obj->label, strerror(errno));
		get->code = EXIT_FAILED;
		return;
	}
	/* Files come before directories. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < count; i++)
			if (is_directory(dir, names[i]->d_name) == (pass == 1))
				print_entry(get, obj, below, names[i]->d_name);
	free_names(names, count);
}

static void print_object(struct get *get, const char *name)
{
	struct object obj;

	if (find_object(name, &obj))
		get->code = EXIT_FAILED;
	else if (obj.attr[0])
		print_attr(get, &obj, obj.attr);
	else
		print_entries(get, &obj, "");
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
	  "Print also the attributes of the sets and channels in OBJECT", 0 },
	{ 0 }
};

const struct argp get_argp = {
	.options = options,
	.parser = parse_get,
	.args_doc = "OBJECT[/ATTR]...",
	.doc = "Print an attribute, or all attributes of an object.\v"
	"OBJECT is a device (zzero-0000, or zzero), a set (zzero/cset0, "
	"zzero/0), a channel (zzero/0/1, zzero-0-1, zzero-0000-0-1), a part of "
	"one (zzero/0/trigger), trigger:NAME or device:NAME.",
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
