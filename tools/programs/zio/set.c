// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio set: change attributes
 *
 * Check all attributes before writing any. The attributes of a new trigger or buffer
 * exist only after current_trigger or current_buffer is written, so write those two
 * first, and check the attributes that they replace afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"

struct set {
	struct arguments args;
	struct assignment *list;
	int count;
	struct zio_object **objects;	/* those named by the arguments */
	int n_objects;
	int done;
	bool verbose;
};

static bool is_exchange(const struct assignment *set)
{
	return !strcmp(set->attr, "current_trigger") ||
	       !strcmp(set->attr, "current_buffer");
}

/* Is @set in a directory that gets replaced by writing @exchange? */
static bool is_exchanged_by(const struct assignment *set,
			    const struct assignment *exchange)
{
	const char *part = strcmp(exchange->attr, "current_trigger") ?
			   "buffer" : "trigger";
	const char *changed = zio_object_name(exchange->obj);
	size_t len = strlen(changed);
	char full[2 * PATH_MAX], within[NAME_LEN];
	char *at;

	put_text(full, sizeof(full), "%s/%s", zio_object_name(set->obj), set->attr);
	put_text(within, sizeof(within), "/%s/", part);
	if (!has_prefix(full, changed) || full[len] != '/')
		return false;
	at = full + len;
	if (has_prefix(at, "/chan"))
		at = strchrnul(at + 1, '/');
	return has_prefix(at, within);
}

static bool waits_for_exchange(const struct set *all,
			       const struct assignment *set)
{
	int i;

	for (i = 0; i < all->count; i++)
		if (is_exchange(&all->list[i]) &&
		    is_exchanged_by(set, &all->list[i]))
			return true;
	return false;
}

/* Find an object that lives as long as @all; NULL after a message. */
static const struct zio_object *add_object(struct set *all, const char *name,
					   const char **attr)
{
	struct zio_object *obj = find_object(name, attr);

	if (obj)
		all->objects[all->n_objects++] = obj;
	return obj;
}

/* An argument without an object before it is OBJECT/ATTR=VALUE. */
static int split_object(struct set *all, struct assignment *set)
{
	char *slash = strrchr(set->attr, '/');
	char *attr;

	if (!slash) {
		complain("'%s': the object is missing: zio set OBJECT ATTR=VALUE",
			 set->attr);
		return EXIT_USAGE;
	}
	*slash = '\0';
	set->obj = add_object(all, set->attr, NULL);
	if (!set->obj)
		return EXIT_FAILED;
	attr = strdup(slash + 1);
	free(set->attr);
	set->attr = attr;
	return attr ? EXIT_OK : EXIT_FAILED;
}

static int add_assignment(struct set *all, const struct zio_object *obj,
			  const char *text)
{
	struct assignment *set = &all->list[all->count];

	if (split_assignment(text, &set->attr, &set->value))
		return EXIT_USAGE;
	all->count++;
	if (!obj)
		return split_object(all, set);
	set->obj = obj;
	return EXIT_OK;
}

static int enter_object(struct set *all, const struct zio_object **obj,
			const char *text, const char *next)
{
	const char *attr;

	if (!next || !strchr(next, '=')) {
		complain("'%s': ATTR=VALUE is missing: zio set OBJECT ATTR=VALUE...",
			 text);
		return EXIT_USAGE;
	}
	*obj = add_object(all, text, &attr);
	if (!*obj)
		return EXIT_FAILED;
	if (attr) {
		complain("%s/%s is an attribute: zio set %s %s=VALUE",
			 zio_object_name(*obj), attr, zio_object_name(*obj), attr);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int collect_assignments(struct set *all)
{
	const struct zio_object *obj = NULL;
	int code = EXIT_OK;
	int i;

	for (i = 0; i < all->args.count && !code; i++) {
		const char *text = all->args.text[i];

		if (strchr(text, '=')) {
			code = add_assignment(all, obj, text);
			continue;
		}
		/* After the last argument, argv has NULL. */
		code = enter_object(all, &obj, text, all->args.text[i + 1]);
	}
	return code;
}

static int check_all(struct set *all)
{
	int i;

	for (i = 0; i < all->count; i++)
		if (!waits_for_exchange(all, &all->list[i]) &&
		    check_assignment(&all->list[i]))
			return EXIT_FAILED;
	return EXIT_OK;
}

static int apply_one(struct set *all, struct assignment *set)
{
	if (waits_for_exchange(all, set) && check_assignment(set))
		return -1;
	if (apply_assignment(set))
		return -1;
	all->done++;
	if (all->verbose)
		printf("%s/%s=%s\n", zio_object_name(set->obj), set->attr,
		       set->value);
	return 0;
}

static int apply_all(struct set *all)
{
	int pass, i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < all->count; i++) {
			if (is_exchange(&all->list[i]) != (pass == 0))
				continue;
			if (!apply_one(all, &all->list[i]))
				continue;
			if (all->count > 1)
				complain("%d of %d attributes were set; the others are unchanged",
					 all->done, all->count);
			return EXIT_FAILED;
		}
	}
	return EXIT_OK;
}

static void free_all(struct set *all)
{
	int i;

	for (i = 0; i < all->count; i++)
		free(all->list[i].attr);
	free(all->list);
	for (i = 0; i < all->n_objects; i++)
		zio_object_free(all->objects[i]);
	free(all->objects);
}

static error_t parse_set(int key, char *arg, struct argp_state *state)
{
	struct set *all = state->input;

	(void)arg;
	switch (key) {
	case 'v':
		all->verbose = true;
		return 0;
	default:
		return keep_arguments(key, state, &all->args);
	}
}

static const struct argp_option options[] = {
	{ "verbose", 'v', NULL, 0, "Print what is set", 0 },
	{ 0 }
};

const struct argp set_argp = {
	.options = options,
	.parser = parse_set,
	.args_doc = "OBJECT ATTR=VALUE... [OBJECT ATTR=VALUE...]...",
	.doc = "Change attributes.\v"
	"Check all objects and attributes first: if one does not exist or "
	"cannot be written, nothing changes. Then current_trigger and "
	"current_buffer are written, then the others in the given order, up to the first "
	"one that the kernel refuses. ATTR may be in a part: "
	"trigger/nsamples.",
	.children = program_options,
};

int run_set(int argc, char **argv)
{
	struct set all = { .args.needed = true };
	int code;

	parse_command(&set_argp, argc, argv, &all);
	all.list = allocate((size_t)all.args.count, sizeof(*all.list));
	all.objects = allocate((size_t)all.args.count, sizeof(*all.objects));
	code = collect_assignments(&all);
	if (!code)
		code = check_all(&all);
	if (!code)
		code = apply_all(&all);
	free_all(&all);
	return code;
}
