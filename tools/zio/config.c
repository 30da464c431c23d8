// SPDX-License-Identifier: GPL-2.0-only
/* zio create, zio destroy: make and remove directories of configfs */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "command.h"

/* What can be created */
struct kind {
	const char *name;
	const char *(*root)(void);
	const char *type;	/* what its type is called */
	const char *module;	/* the command that loads another type */
};

static const struct kind kinds[] = {
	{ "trigger", triggers_root, "trigger type", "modprobe zio-trig-" },
	{ "device", devices_root, "driver", "modprobe zio-" },
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

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strpbrk(name, "/= \t\n");
}

/* Check that the type exists and the name does not. */
static int check_new(const struct kind *kind, const char *type,
		     const char *name)
{
	char there[1024], owner[NAME_LEN];

	if (!is_directory(kind->root(), ".")) {
		complain("there is no %s: load zio (modprobe zio), and see that configfs is mounted (mount -t configfs none /sys/kernel/config)",
			 kind->root());
		return EXIT_FAILED;
	}
	if (!is_name(type) || !is_name(name)) {
		complain("'%s': a name has no slash, space or '=', and does not begin with a dot",
			 is_name(type) ? name : type);
		return EXIT_USAGE;
	}
	if (!is_directory(kind->root(), type)) {
		put_names(kind->root(), false, there, sizeof(there));
		complain("there is no %s '%s'; there are: %s; a module may have it: %s%s",
			 kind->type, type, *there ? there : "none",
			 kind->module, type);
		return EXIT_FAILED;
	}
	if (!find_owner(kind->root(), name, owner)) {
		complain("%s '%s' exists already; its %s is %s", kind->name,
			 name, kind->type, owner);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static const char *mkdir_reason(int code)
{
	switch (code) {
	case EINVAL:
		return "the kernel does not accept this name";
	case ENAMETOOLONG:
		return "the name is too long";
	case EEXIST:
		return "the name is taken";
	case EPERM:
	case EACCES:
		return "only root may do that";
	default:
		return "see the kernel log";
	}
}

static int make_directory(const struct kind *kind, const char *type,
			  const char *name, struct object *obj)
{
	obj->kind = OBJECT_CONFIGURED;
	obj->attr[0] = '\0';
	put_text(obj->path, sizeof(obj->path), "%s/%s/%s", kind->root(), type,
		 name);
	put_text(obj->label, sizeof(obj->label), "%s:%s", kind->name, name);
	if (!mkdir(obj->path, 0755))
		return 0;
	complain("%s: cannot create: %s: %s", obj->label, strerror(errno),
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

/* A device goes live after its attributes are set, unless live=... is given. */
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
		code = check_new(config->kind, type, name);
	if (code)
		return code;
	if (make_directory(config->kind, type, name, &obj))
		return EXIT_FAILED;
	if (!set_all(sets, count, &obj) && !make_live(&obj, sets, count))
		return EXIT_OK;
	if (rmdir(obj.path))
		complain("%s cannot be removed again: %s", obj.label, strerror(errno));
	else
		complain("%s was not created", obj.label);
	return EXIT_FAILED;
}

const struct argp create_argp = {
	.parser = parse_config,
	.args_doc = "trigger TYPE NAME [ATTR=VALUE]...\n"
		    "device DRIVER NAME [ATTR=VALUE]...",
	.doc = "Create a trigger that many sets may share, or a device.\v"
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

static void explain_busy(const struct object *obj, const char *name)
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
		complain("%s is in use: close its files first", obj->label);
}

static int remove_directory(const struct object *obj, const char *name)
{
	int code;

	if (!rmdir(obj->path))
		return EXIT_OK;
	code = errno;
	if (code == EBUSY)
		explain_busy(obj, name);
	else
		complain("%s: cannot remove: %s%s", obj->label,
			 strerror(code), code == EPERM || code == EACCES ?
			 ": only root may do that" : "");
	return EXIT_FAILED;
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
	struct assignment live = { .attr = "live", .value = "0" };
	char label[PATH_MAX];

	parse_command(&destroy_argp, argc, argv, &config);
	if (!is_name(config.args.text[1])) {
		complain("'%s' is not a name", config.args.text[1]);
		return EXIT_USAGE;
	}
	put_text(label, sizeof(label), "%s:%s", config.kind->name,
		 config.args.text[1]);
	if (find_object(label, &live.obj))
		return EXIT_FAILED;
	if (read_number(live.obj.path, "live") == 1 && apply_assignment(&live))
		return EXIT_FAILED;
	return remove_directory(&live.obj, config.args.text[1]);
}
