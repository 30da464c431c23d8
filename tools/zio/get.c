// SPDX-License-Identifier: GPL-2.0-only
/* zio get: attributes of objects, one or all */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "command.h"

struct get {
	bool json;
	bool recursive;
	struct arguments args;
	json_t *all;
	int code;
};

static void show_line(const struct get *get, const struct object *obj,
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

static void show_value(struct get *get, const struct object *obj,
		       const char *attr, const char *value)
{
	if (get->json)
		json_put_value(json_member(get->all, obj->label), attr, value);
	else if (obj->attr[0] && get->args.count == 1)
		puts(value);
	else
		show_line(get, obj, attr, value);
}

static void show_attr(struct get *get, const struct object *obj,
		      const char *attr)
{
	char text[ATTR_TEXT];

	if (!read_attr(obj->path, attr, text)) {
		show_value(get, obj, attr, text);
		return;
	}
	complain("%s/%s: %s", obj->label, attr, strerror(errno));
	get->code = EXIT_FAILED;
}

/* Binary, or not of ZIO, or not to be read at all. */
static bool is_readable(const struct object *obj, const char *attr)
{
	const char *name = strrchr(attr, '/');
	char path[PATH_MAX];
	struct stat st;

	name = name ? name + 1 : attr;
	if (!strcmp(name, "uevent") || !strcmp(name, "current-control"))
		return false;
	put_text(path, sizeof(path), "%s/%s", obj->path, attr);
	return !stat(path, &st) && (st.st_mode & 0444);
}

/* Sets and channels are objects of their own; a device is nothing else. */
static bool is_inside(const struct get *get, const struct object *obj,
		      const char *name)
{
	bool cset = has_prefix(name, "cset") && is_digits(name + 4);
	bool chan = has_prefix(name, "chan") && is_digits(name + 4);

	if (obj->kind == OBJECT_DEVICE)
		return cset;
	return get->recursive || !(cset || chan);
}

static void show_entries(struct get *get, const struct object *obj,
			 const char *below);

static void show_entry(struct get *get, const struct object *obj,
		       const char *below, const char *name)
{
	char attr[PATH_MAX];

	put_text(attr, sizeof(attr), "%s%s%s", below, *below ? "/" : "", name);
	if (!is_directory(obj->path, attr)) {
		if (is_readable(obj, attr))
			show_attr(get, obj, attr);
	} else if (*below || is_inside(get, obj, name)) {
		show_entries(get, obj, attr);
	}
}

static void show_entries(struct get *get, const struct object *obj,
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
	/* Files come first, then what is below. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < count; i++)
			if (is_directory(dir, names[i]->d_name) == (pass == 1))
				show_entry(get, obj, below, names[i]->d_name);
	free_names(names, count);
}

static void show_object(struct get *get, const char *name)
{
	struct object obj;

	if (find_object(name, &obj))
		get->code = EXIT_FAILED;
	else if (obj.attr[0])
		show_attr(get, &obj, obj.attr);
	else
		show_entries(get, &obj, "");
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
	{ "json", 'j', NULL, 0, "One JSON object: attributes by object", 0 },
	{ "recursive", 'r', NULL, 0,
	  "Of a set, also what its channels have", 0 },
	{ 0 }
};

static const struct argp get_argp = {
	.options = options,
	.parser = parse_get,
	.args_doc = "OBJECT[/ATTR]...",
	.doc = "Show an attribute, or all attributes of an object.\v"
	"OBJECT is a device (zzero-0000, or zzero), a set (zzero/cset0, "
	"zzero/0), a channel (zzero/0/1, zzero-0-1, zzero-0000-0-1), a part of "
	"one (zzero/0/trigger), trigger:NAME or device:NAME.",
};

int run_get(int argc, char **argv)
{
	struct get get = { .args.needed = true };
	int i;

	if (parse_command(&get_argp, argc, argv, &get))
		return EXIT_USAGE;
	if (get.json)
		get.all = json_object();
	for (i = 0; i < get.args.count; i++)
		show_object(&get, get.args.text[i]);
	if (get.json && json_print(get.all))
		get.code = EXIT_FAILED;
	return get.code;
}
