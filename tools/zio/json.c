// SPDX-License-Identifier: GPL-2.0-only
/* JSON of the commands */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "command.h"

#define EXACT_DIGITS 18	/* of any number that jansson can hold */

void json_put_value(json_t *obj, const char *key, const char *value)
{
	json_t *item;

	if (is_digits(value) && strlen(value) <= EXACT_DIGITS)
		item = json_integer(strtoll(value, NULL, 10));
	else
		item = json_string(value);
	json_object_set_new(obj, key, item);
}

json_t *json_member(json_t *obj, const char *key)
{
	json_t *member = json_object_get(obj, key);

	if (member)
		return member;
	json_object_set_new(obj, key, json_object());
	return json_object_get(obj, key);
}

/* What is not known is null. */
static void set_count(json_t *obj, const char *key, int64_t value)
{
	json_object_set_new(obj, key,
			    value < 0 ? json_null() : json_integer(value));
}

static void set_rate(json_t *obj, const char *key, double value)
{
	json_object_set_new(obj, key, isnan(value) ? json_null() :
			    json_real(round(value * 1000) / 1000));
}

static void set_string(json_t *obj, const char *key, const char *value)
{
	json_object_set_new(obj, key, json_string(value));
}

static void set_bool(json_t *obj, const char *key, bool value)
{
	json_object_set_new(obj, key, json_boolean(value));
}

json_t *new_json_channel(const struct channel *chan)
{
	json_t *obj = json_object();

	set_string(obj, "channel", chan->address);
	set_string(obj, "path", chan->path);
	set_string(obj, "state", channel_state(chan));
	set_bool(obj, "enable", chan->enable);
	set_count(obj, "queued", chan->queued);
	set_count(obj, "length", chan->length);
	set_count(obj, "blocks", chan->blocks);
	set_count(obj, "bytes", chan->bytes);
	set_count(obj, "lost", chan->lost);
	set_count(obj, "alarms", chan->alarms);
	set_rate(obj, "blocks_per_s", chan->blocks_rate);
	set_rate(obj, "bytes_per_s", chan->bytes_rate);
	set_rate(obj, "lost_per_s", chan->lost_rate);
	if (*chan->source)
		set_string(obj, "source", chan->source);
	return obj;
}

static json_t *new_trigger(const struct cset *cset)
{
	json_t *obj = json_object();

	set_string(obj, "name", cset->trigger);
	set_string(obj, "type", cset->type);
	set_bool(obj, "enable", cset->trigger_enable);
	set_count(obj, "nsamples", cset->nsamples);
	return obj;
}

static json_t *new_cset(const struct cset *cset)
{
	json_t *obj = json_object();
	json_t *channels = json_array();
	int c;

	set_string(obj, "path", cset->path);
	set_string(obj, "name", cset->name);
	set_string(obj, "direction", cset->direction);
	set_count(obj, "ssize", cset->ssize);
	set_bool(obj, "enable", cset->enable);
	json_object_set_new(obj, "trigger", new_trigger(cset));
	set_string(obj, "buffer", cset->buffer);
	set_count(obj, "fired", cset->fired);
	set_count(obj, "lost_triggers", cset->lost_triggers);
	set_count(obj, "io_errors", cset->io_errors);
	set_rate(obj, "fired_per_s", cset->fired_rate);
	for (c = 0; c < cset->count; c++)
		if (cset->channels[c].wanted)
			json_array_append_new(channels,
					      new_json_channel(&cset->channels[c]));
	json_object_set_new(obj, "channels", channels);
	return obj;
}

static json_t *new_device(const struct device *device)
{
	json_t *obj = json_object();
	json_t *csets = json_array();
	int s;

	set_string(obj, "name", device->name);
	for (s = 0; s < device->count; s++)
		if (device->csets[s].wanted)
			json_array_append_new(csets,
					      new_cset(&device->csets[s]));
	json_object_set_new(obj, "csets", csets);
	return obj;
}

static json_t *new_configured(const struct configured *one, const char *kind)
{
	json_t *attrs = json_object();
	json_t *obj = json_object();
	struct dirent **names;
	int count = list_names(one->path, &names);
	char text[ATTR_TEXT];
	int i;

	set_string(obj, "name", one->name);
	set_string(obj, kind, one->type);
	for (i = 0; i < count; i++)
		if (is_file(one->path, names[i]->d_name) &&
		    !read_attr(one->path, names[i]->d_name, text))
			json_put_value(attrs, names[i]->d_name, text);
	json_object_set_new(obj, "attributes", attrs);
	free_names(names, count);
	return obj;
}

static json_t *new_users(const struct snapshot *snap, const char *name)
{
	json_t *list = json_array();
	char users[ATTR_TEXT], *at, *one;

	put_trigger_users(snap, name, users, sizeof(users));
	for (at = users; (one = strsep(&at, ","));)
		if (*one)
			json_array_append_new(list, json_string(one));
	return list;
}

static json_t *new_triggers(const struct snapshot *snap)
{
	json_t *list = json_array();
	json_t *obj;
	int i;

	for (i = 0; i < snap->n_triggers; i++) {
		if (!snap->triggers[i].wanted)
			continue;
		obj = new_configured(&snap->triggers[i], "type");
		json_object_set_new(obj, "csets",
				    new_users(snap, snap->triggers[i].name));
		json_array_append_new(list, obj);
	}
	return list;
}

static json_t *new_boards(const struct snapshot *snap)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < snap->n_boards; i++)
		if (snap->boards[i].wanted)
			json_array_append_new(list,
					      new_configured(&snap->boards[i],
							     "driver"));
	return list;
}

json_t *new_json_snapshot(const struct snapshot *snap)
{
	json_t *root = json_object();
	json_t *devices = json_array();
	int d;

	for (d = 0; d < snap->count; d++)
		if (snap->devices[d].wanted)
			json_array_append_new(devices,
					      new_device(&snap->devices[d]));
	json_object_set_new(root, "devices", devices);
	json_object_set_new(root, "shared_triggers", new_triggers(snap));
	json_object_set_new(root, "configured_devices", new_boards(snap));
	return root;
}

json_t *new_json_rates(const struct snapshot *snap)
{
	json_t *list = json_array();
	json_t *obj;
	int i;

	for (i = 0; i < snap->n_channels; i++) {
		const struct channel *chan = snap->channels[i];

		if (!chan->wanted)
			continue;
		obj = new_json_channel(chan);
		set_string(obj, "direction", chan->cset->direction);
		set_string(obj, "trigger", chan->cset->trigger);
		set_rate(obj, "fired_per_s", chan->cset->fired_rate);
		json_array_append_new(list, obj);
	}
	return list;
}

int json_print(json_t *root)
{
	int ret = json_dumpf(root, stdout,
			     JSON_COMPACT | JSON_REAL_PRECISION(15));

	json_decref(root);
	putchar('\n');
	if (ret || fflush(stdout)) {
		complain("standard output: %s",
			 ret ? "no memory, or it failed" : strerror(errno));
		return -1;
	}
	return 0;
}
