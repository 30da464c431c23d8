// SPDX-License-Identifier: GPL-2.0-only
/* zio create, zio destroy: make and remove directories in configfs */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* What can be created */
struct kind {
	const char *name;
	enum zio_object_kind kind;
};

static const struct kind kinds[] = {
	{ "trigger", ZIO_OBJECT_SHARED_TRIGGER },
	{ "device", ZIO_OBJECT_CONFIG_DEVICE },
};

struct config {
	struct arguments args;
	int least, most;	/* number of arguments */
	const struct kind *kind;
};

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

static error_t parse_config(int key, char *arg, struct argp_state *state)
{
	struct config *config = state->input;
	int ret = keep_arguments(key, state, &config->args);

	(void)arg;
	if (key != ARGP_KEY_SUCCESS)
		return ret;
	if (config->args.count < config->least ||
	    config->args.count > config->most)
		argp_usage(state);
	config->kind = find_kind(config->args.text[0]);
	if (!config->kind)
		argp_error(state, "'%s' is neither 'trigger' nor 'device'",
			   config->args.text[0]);
	return 0;
}

static int split_all(struct assignment *sets, char **texts, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (split_assignment(texts[i], &sets[i].attr, &sets[i].value))
			return EXIT_USAGE;
	return EXIT_OK;
}

static int set_all(struct assignment *sets, int count, const struct zio_object *obj)
{
	int i;

	for (i = 0; i < count; i++) {
		sets[i].obj = obj;
		if (check_assignment(&sets[i]))
			return -1;
	}
	for (i = 0; i < count; i++)
		if (apply_assignment(&sets[i]))
			return -1;
	return 0;
}

static bool has_attr(const struct assignment *sets, int count, const char *attr)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(sets[i].attr, attr))
			return true;
	return false;
}

/* Make a device live once its attributes are set, unless live=... is given. */
static int make_live(const struct zio_object *obj, const struct assignment *sets,
		     int count)
{
	struct assignment live = { .obj = obj, .attr = "live", .value = "1" };

	if (zio_object_kind(obj) != ZIO_OBJECT_CONFIG_DEVICE ||
	    has_attr(sets, count, "live"))
		return 0;
	return apply_assignment(&live);
}

static void undo_create(const struct zio_object *obj)
{
	struct zio_error err;

	if (zio_destroy(obj, &err))
		complain("%s", err.text);
	else
		complain("%s was not created", zio_object_name(obj));
}

/* EINVAL: the name is malformed. */
static int create_object(const struct config *config, struct assignment *sets,
			 int count)
{
	struct zio_object *obj;
	struct zio_error err;
	int ret;

	if (split_all(sets, config->args.text + 3, count))
		return EXIT_USAGE;
	obj = zio_create(config->kind->kind, config->args.text[1],
			 config->args.text[2], &err);
	if (!obj) {
		complain("%s", err.text);
		return err.code == EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	ret = set_all(sets, count, obj) || make_live(obj, sets, count);
	if (ret)
		undo_create(obj);
	zio_object_free(obj);
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct argp create_argp = {
	.parser = parse_config,
	.args_doc = "trigger TYPE NAME [ATTR=VALUE]...\n"
		    "device DRIVER NAME [ATTR=VALUE]...",
	.doc = "Create a trigger for sets to share, or a device.\v"
	"A device goes live after its attributes are set; live=0 prevents that. "
	"If the kernel refuses an attribute, nothing is created.",
	.children = program_options,
};

int run_create(int argc, char **argv)
{
	struct config config = { .least = 3, .most = INT_MAX };
	struct assignment *sets;
	int count, code, i;

	parse_command(&create_argp, argc, argv, &config);
	count = config.args.count - 3;
	sets = allocate((size_t)count, sizeof(*sets));
	code = create_object(&config, sets, count);
	for (i = 0; i < count; i++)
		free(sets[i].attr);
	free(sets);
	return code;
}

const struct argp destroy_argp = {
	.parser = parse_config,
	.args_doc = "trigger NAME\ndevice NAME",
	.doc = "Remove a shared trigger that no set uses, or unplug and remove a "
	       "device that 'zio create' made.",
	.children = program_options,
};

int run_destroy(int argc, char **argv)
{
	struct config config = { .least = 2, .most = 2 };
	char name[PATH_MAX];
	struct zio_object *obj;
	struct zio_error err;
	int ret;

	parse_command(&destroy_argp, argc, argv, &config);
	if (strchr(config.args.text[1], '/')) {
		complain("'%s' is not a name", config.args.text[1]);
		return EXIT_USAGE;
	}
	put_text(name, sizeof(name), "%s:%s", config.kind->name,
		 config.args.text[1]);
	obj = find_object(name, NULL);
	if (!obj)
		return EXIT_FAILED;
	ret = zio_destroy(obj, &err);
	if (ret)
		complain("%s", err.text);
	zio_object_free(obj);
	return ret ? EXIT_FAILED : EXIT_OK;
}
