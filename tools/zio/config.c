// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio create, zio destroy: shared triggers and devices, which are directories
 * of configfs
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "command.h"

struct thing {
	const char *word;
	const char *(*root)(void);
	const char *parent;	/* what its type is called */
	const char *module;	/* how one gets another */
};

static const struct thing things[] = {
	{ "trigger", triggers_root, "trigger type", "modprobe zio-trig-" },
	{ "device", devices_root, "driver", "modprobe zio-" },
};

struct config {
	struct arguments args;
	int least, most;	/* arguments wanted */
	const struct thing *thing;
};

static const struct thing *find_thing(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		if (!strcmp(word, things[i].word))
			return &things[i];
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
	config->thing = find_thing(config->args.text[0]);
	if (!config->thing)
		argp_error(state, "'%s' is neither 'trigger' nor 'device'",
			   config->args.text[0]);
	return 0;
}

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strpbrk(name, "/= \t\n");
}

/* Is there the type, and nothing yet of the name? */
static int check_new(const struct thing *thing, const char *type,
		     const char *name)
{
	char there[1024], owner[NAME_LEN];

	if (!is_directory(thing->root(), ".")) {
		complain("there is no %s: it comes with zio (modprobe zio) where configfs is mounted (mount -t configfs none /sys/kernel/config)",
			 thing->root());
		return EXIT_FAILED;
	}
	if (!is_name(type) || !is_name(name)) {
		complain("'%s': a name has no slash, no space, no '=', and does not begin with a dot",
			 is_name(type) ? name : type);
		return EXIT_USAGE;
	}
	if (!is_directory(thing->root(), type)) {
		put_names(thing->root(), false, there, sizeof(there));
		complain("there is no %s '%s'; there are: %s; another may be in a module: %s%s",
			 thing->parent, type, *there ? there : "none",
			 thing->module, type);
		return EXIT_FAILED;
	}
	if (!find_owner(thing->root(), name, owner)) {
		complain("%s '%s' exists already, its %s is %s", thing->word,
			 name, thing->parent, owner);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static const char *mkdir_reason(int code)
{
	switch (code) {
	case EINVAL:
		return "the name is not possible";
	case ENAMETOOLONG:
		return "the name is too long";
	case EEXIST:
		return "the name is taken";
	case EPERM:
	case EACCES:
		return "you may not; root may";
	default:
		return "the kernel log may tell more";
	}
}

static int make_directory(const struct thing *thing, const char *type,
			  const char *name, struct object *obj)
{
	obj->kind = OBJECT_CONFIGURED;
	obj->attr[0] = '\0';
	put_text(obj->path, sizeof(obj->path), "%s/%s/%s", thing->root(), type,
		 name);
	put_text(obj->label, sizeof(obj->label), "%s:%s", thing->word, name);
	if (!mkdir(obj->path, 0755))
		return 0;
	complain("%s: cannot make it: %s: %s", obj->label, strerror(errno),
		 mkdir_reason(errno));
	return -1;
}

static int split_all(struct assignment *sets, char **texts, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (split_assignment(texts[i], &sets[i].attr, &sets[i].value))
			return EXIT_USAGE;
	return EXIT_OK;
}

static int set_all(struct assignment *sets, int count, const struct object *obj)
{
	int i;

	for (i = 0; i < count; i++) {
		sets[i].obj = *obj;
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

/* A device comes to life when all is set, unless the user says when. */
static int make_live(const struct object *obj, const struct assignment *sets,
		     int count)
{
	struct assignment live = { .obj = *obj, .attr = "live", .value = "1" };

	if (!is_file(obj->path, "live") || has_attr(sets, count, "live"))
		return 0;
	return apply_assignment(&live);
}

static int create_object(const struct config *config, struct assignment *sets,
			 int count)
{
	const char *type = config->args.text[1], *name = config->args.text[2];
	struct object obj;
	int code = split_all(sets, config->args.text + 3, count);

	if (!code)
		code = check_new(config->thing, type, name);
	if (code)
		return code;
	if (make_directory(config->thing, type, name, &obj))
		return EXIT_FAILED;
	if (!set_all(sets, count, &obj) && !make_live(&obj, sets, count))
		return EXIT_OK;
	if (rmdir(obj.path))
		complain("%s stays: %s", obj.label, strerror(errno));
	else
		complain("%s was not made", obj.label);
	return EXIT_FAILED;
}

static const struct argp create_argp = {
	.parser = parse_config,
	.args_doc = "trigger TYPE NAME [ATTR=VALUE]...\n"
		    "device DRIVER NAME [ATTR=VALUE]...",
	.doc = "Make a trigger that many sets may share, or a device.\v"
	"A device comes to life when its attributes are set; live=0 leaves it "
	"as it is. If anything is refused, nothing is made.",
};

int run_create(int argc, char **argv)
{
	struct config config = { .least = 3, .most = INT_MAX };
	struct assignment *sets;
	int count, code, i;

	if (parse_command(&create_argp, argc, argv, &config))
		return EXIT_USAGE;
	count = config.args.count - 3;
	sets = allocate((size_t)count, sizeof(*sets));
	code = create_object(&config, sets, count);
	for (i = 0; i < count; i++)
		free(sets[i].attr);
	free(sets);
	return code;
}

static void complain_in_use(const struct object *obj, const char *name)
{
	struct snapshot *snap = take_snapshot();
	char users[1024] = "";

	if (snap)
		put_trigger_users(snap, name, users, sizeof(users));
	free_snapshot(snap);
	if (has_prefix(obj->label, "trigger:") && *users)
		complain("%s is in use by %s: give these another current_trigger first",
			 obj->label, users);
	else
		complain("%s is in use", obj->label);
}

static int remove_directory(const struct object *obj, const char *name)
{
	int code;

	if (!rmdir(obj->path))
		return EXIT_OK;
	code = errno;
	if (code == EBUSY)
		complain_in_use(obj, name);
	else
		complain("%s: cannot remove it: %s%s", obj->label,
			 strerror(code), code == EPERM || code == EACCES ?
			 ": you may not; root may" : "");
	return EXIT_FAILED;
}

static const struct argp destroy_argp = {
	.parser = parse_config,
	.args_doc = "trigger NAME\ndevice NAME",
	.doc = "Remove a shared trigger that no set uses, or a device that was "
	       "made by 'zio create'; that is unplugging it.",
};

int run_destroy(int argc, char **argv)
{
	struct config config = { .least = 2, .most = 2 };
	struct assignment live = { .attr = "live", .value = "0" };
	char label[PATH_MAX];

	if (parse_command(&destroy_argp, argc, argv, &config))
		return EXIT_USAGE;
	if (!is_name(config.args.text[1])) {
		complain("'%s' is not a name", config.args.text[1]);
		return EXIT_USAGE;
	}
	put_text(label, sizeof(label), "%s:%s", config.thing->word,
		 config.args.text[1]);
	if (find_object(label, &live.obj))
		return EXIT_FAILED;
	if (read_number(live.obj.path, "live") == 1 && apply_assignment(&live))
		return EXIT_FAILED;
	return remove_directory(&live.obj, config.args.text[1]);
}
