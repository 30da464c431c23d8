// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio save: print all settings, in an order in which zio restore can set them
 *
 * Modules, devices of configfs, shared triggers, then the sets. A set is disabled first,
 * so that it acquires nothing before all of its settings are there. Routes follow when
 * the buffers of all sets are there, and at the end all is enabled.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define ANY -1

enum when {
	NEVER,		/* an action, or a value that the hardware changes */
	APART,		/* this file prints it where it belongs */
	FIRST,		/* before the other attributes, in this order */
};

/* The attributes that can be written but are not printed in the order of their names. */
static const struct special {
	int kind;
	const char *name;
	enum when when;
} specials[] = {
	{ ANY, "alarms", NEVER },
	{ ANY, "fire", NEVER },
	{ ANY, "flush", NEVER },
	{ ZIO_OBJECT_DEVICE, "seconds", NEVER },	/* the time of a board, as in ZIO 1.x */
	{ ZIO_OBJECT_DEVICE, "coarse", NEVER },
	{ ZIO_OBJECT_DEVICE, "utc-h", NEVER },
	{ ZIO_OBJECT_DEVICE, "utc-l", NEVER },
	{ ZIO_OBJECT_CSET, "reset", NEVER },
	{ ZIO_OBJECT_CHANNEL, "sequence", NEVER },
	{ ZIO_OBJECT_TRIGGER, "nsamples", NEVER },	/* the sum of two others */
	{ ZIO_OBJECT_CSET, "enable", APART },
	{ ZIO_OBJECT_CSET, "current_buffer", APART },
	{ ZIO_OBJECT_CSET, "current_trigger", APART },
	{ ZIO_OBJECT_TRIGGER, "enable", APART },
	{ ZIO_OBJECT_SHARED_TRIGGER, "enable", APART },
	{ ZIO_OBJECT_CONFIG_DEVICE, "id", APART },
	{ ZIO_OBJECT_CONFIG_DEVICE, "live", APART },
	{ ZIO_OBJECT_BUFFER, "source", APART },
	{ ZIO_OBJECT_BUFFER, "max-buffer-kb", APART },
	{ ZIO_OBJECT_BUFFER, "max-buffer-len", FIRST },	/* limits watermark */
	{ ZIO_OBJECT_CSET, "channels", FIRST },
	{ ZIO_OBJECT_TRIGGER, "post-samples", FIRST },
	{ ZIO_OBJECT_TRIGGER, "pre-samples", FIRST },
	{ ZIO_OBJECT_TRIGGER, "nshots", FIRST },
};

#define N_SPECIALS (sizeof(specials) / sizeof(specials[0]))

static int code;		/* the exit status */

static const struct special *find_special(const struct zio_object *obj,
					  const char *name)
{
	size_t i;

	for (i = 0; i < N_SPECIALS; i++)
		if ((specials[i].kind == ANY ||
		     specials[i].kind == zio_object_kind(obj)) &&
		    !strcmp(specials[i].name, name))
			return &specials[i];
	return NULL;
}

static void put_line(const struct zio_object *obj, const char *attr, const char *value)
{
	printf("%s/%s=%s\n", zio_object_name(obj), attr, value);
}

/* Read an attribute; 0, or -1 after a message, which is in the output, too. */
static int get_value(const struct zio_object *obj, const char *attr,
		     char text[ZIO_TEXT_SIZE])
{
	struct zio_error err;

	if (!zio_attr_get(obj, attr, text, ZIO_TEXT_SIZE, &err))
		return 0;
	printf("# %s\n", err.text);
	complain("%s", err.text);
	code = EXIT_FAILED;
	return -1;
}

static void save_attr(const struct zio_object *obj, const char *attr)
{
	char text[ZIO_TEXT_SIZE];

	if (!get_value(obj, attr, text))
		put_line(obj, attr, text);
}

static bool is_saved(const struct zio_attr *attr)
{
	return attr->readable && attr->writable;
}

/* Save the attribute unless @obj does not have it. */
static void save_existing(const struct zio_object *obj, const char *name)
{
	struct zio_attr *list = zio_attr_list(obj, NULL);
	int i;

	for (i = 0; list && list[i].name; i++)
		if (is_saved(&list[i]) && !strcmp(list[i].name, name))
			save_attr(obj, name);
	zio_attr_list_free(list);
}

static void save_attrs(const struct zio_object *obj)
{
	struct zio_attr *list;
	size_t i;

	for (i = 0; i < N_SPECIALS; i++)
		if (specials[i].when == FIRST &&
		    specials[i].kind == zio_object_kind(obj))
			save_existing(obj, specials[i].name);
	list = zio_attr_list(obj, NULL);
	for (i = 0; list && list[i].name; i++)
		if (is_saved(&list[i]) && !find_special(obj, list[i].name))
			save_attr(obj, list[i].name);
	zio_attr_list_free(list);
}

typedef void (*save_fn)(const struct zio_object *obj);

static void save_each(const struct zio_object *in, enum zio_object_kind kind,
		      save_fn save)
{
	struct zio_object **list = zio_list(in, kind, NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		save(list[i]);
	zio_list_free(list);
}

/* The number that a live device has, also if the kernel has chosen it. */
static void save_id(const struct zio_object *device)
{
	char name[ZIO_TEXT_SIZE], id[24];
	const char *hyphen;

	if (get_value(device, "name", name))
		return;
	hyphen = strrchr(name, '-');
	if (!hyphen) {
		save_existing(device, "id");
		return;
	}
	put_text(id, sizeof(id), "%lu", strtoul(hyphen + 1, NULL, 16));
	put_line(device, "id", id);
}

static void save_device(const struct zio_object *device)
{
	printf("\ncreate device %s %s\n", zio_object_type(device), short_name(device));
	save_id(device);
	save_attrs(device);
	save_attr(device, "live");
}

static void save_shared(const struct zio_object *trigger)
{
	printf("\ncreate trigger %s %s\n", zio_object_type(trigger),
	       short_name(trigger));
	put_line(trigger, "enable", "0");
	save_attrs(trigger);
}

static void save_area(const struct zio_object *buffer)
{
	save_existing(buffer, "max-buffer-kb");
}

static void save_channel(const struct zio_object *chan)
{
	save_attrs(chan);
	save_each(chan, ZIO_OBJECT_BUFFER, save_attrs);
}

/* A channel of an interleaved set that has attributes, and no buffer */
static void save_part(const struct zio_object *part)
{
	if (zio_object_kind(part) == ZIO_OBJECT_PART)
		save_attrs(part);
}

static void save_cset(const struct zio_object *cset)
{
	putchar('\n');
	put_line(cset, "enable", "0");
	put_line(cset, "trigger/enable", "0");
	save_attr(cset, "current_buffer");
	save_attr(cset, "current_trigger");
	save_each(cset, ZIO_OBJECT_BUFFER, save_area);
	save_attrs(cset);
	save_each(cset, ZIO_OBJECT_TRIGGER, save_attrs);
	save_each(cset, ZIO_OBJECT_CHANNEL, save_channel);
	save_each(cset, ZIO_OBJECT_PART, save_part);
}

static void save_route(const struct zio_object *buffer)
{
	save_existing(buffer, "source");
}

static void save_enable(const struct zio_object *obj)
{
	if (get_number(obj, "enable") == 1)
		put_line(obj, "enable", "1");
}

static error_t parse_save(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_usage(state);
	return 0;
}

const struct argp save_argp = {
	.parser = parse_save,
	.doc = "Print all settings, for 'zio restore'.\v"
	"Modules, devices and triggers of configfs, and what can be set of each "
	"set, trigger, channel and buffer, with routes.",
	.children = program_options,
};

int run_save(int argc, char **argv)
{
	struct zio_object *bus;

	parse_command(&save_argp, argc, argv, NULL);
	bus = find_object("bus:", NULL);
	if (!bus)
		return EXIT_FAILED;
	puts("# Settings of ZIO. `zio restore FILE` sets them; zio(1) has the format.");
	save_modules();
	save_each(NULL, ZIO_OBJECT_CONFIG_DEVICE, save_device);
	save_each(NULL, ZIO_OBJECT_SHARED_TRIGGER, save_shared);
	save_each(NULL, ZIO_OBJECT_DEVICE, save_attrs);
	save_each(NULL, ZIO_OBJECT_CSET, save_cset);
	puts("\n# Routes; then all is enabled");
	save_each(NULL, ZIO_OBJECT_BUFFER, save_route);
	save_each(NULL, ZIO_OBJECT_CSET, save_enable);
	save_each(NULL, ZIO_OBJECT_TRIGGER, save_enable);
	save_each(NULL, ZIO_OBJECT_SHARED_TRIGGER, save_enable);
	zio_object_free(bus);
	return code;
}
