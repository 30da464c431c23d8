// SPDX-License-Identifier: GPL-2.0-only
/* JSON that the commands print */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "command.h"

#define EXACT_DIGITS 18	/* jansson can hold any number of this many digits */

void json_add_value(json_t *obj, const char *key, const char *value)
{
	json_t *item;

	if (is_digits(value) && strlen(value) <= EXACT_DIGITS)
		item = json_integer(strtoll(value, NULL, 10));
	else
		item = json_string(value);
	json_add(obj, key, item);
}

json_t *json_member(json_t *obj, const char *key)
{
	json_t *member = json_object_get(obj, key);

	if (member)
		return member;
	json_add(obj, key, json_object());
	return json_object_get(obj, key);
}

/* Unknown values are -1. */
static const struct json_count channel_counts[] = {
	{ "queued", offsetof(struct channel, queued) },
	{ "length", offsetof(struct channel, length) },
	{ "blocks", offsetof(struct channel, blocks) },
	{ "bytes", offsetof(struct channel, bytes) },
	{ "lost", offsetof(struct channel, lost) },
	{ "alarms", offsetof(struct channel, alarms) },
	{ 0 }
};

static void add_rate(json_t *obj, const char *key, double value)
{
	json_add(obj, key, isnan(value) ? json_null() :
			    json_real(round(value * 1000) / 1000));
}

static json_t *new_channel(const struct channel *chan)
{
	json_t *obj = json_object();

	json_add_string(obj, "channel", chan->address);
	json_add_string(obj, "path", chan->path);
	json_add_string(obj, "state", channel_state(chan));
	json_add_bool(obj, "enable", chan->enable);
	json_add_counts(obj, chan, channel_counts);
	add_rate(obj, "blocks_per_s", chan->blocks_rate);
	add_rate(obj, "bytes_per_s", chan->bytes_rate);
	add_rate(obj, "lost_per_s", chan->lost_rate);
	if (*chan->source)
		json_add_string(obj, "source", chan->source);
	return obj;
}

static json_t *new_trigger(const struct cset *cset)
{
	json_t *obj = json_object();

	json_add_string(obj, "name", cset->trigger);
	json_add_string(obj, "type", cset->type);
	json_add_bool(obj, "enable", cset->trigger_enable);
	json_add_count(obj, "nsamples", cset->nsamples);
	return obj;
}

static json_t *new_cset(const struct cset *cset)
{
	json_t *obj = json_object();
	json_t *channels = json_array();
	int c;

	json_add_string(obj, "path", cset->path);
	json_add_string(obj, "name", cset->name);
	json_add_string(obj, "direction", cset->direction);
	json_add_count(obj, "ssize", cset->ssize);
	json_add_value(obj, "sample_rate", cset->sample_rate);
	json_add_bool(obj, "enable", cset->enable);
	json_add(obj, "trigger", new_trigger(cset));
	json_add_string(obj, "buffer", cset->buffer);
	json_add_count(obj, "fired", cset->fired);
	json_add_count(obj, "lost_triggers", cset->lost_triggers);
	json_add_count(obj, "io_errors", cset->io_errors);
	add_rate(obj, "fired_per_s", cset->fired_rate);
	for (c = 0; c < cset->count; c++)
		if (cset->channels[c].chosen)
			json_append(channels,
				    new_channel(&cset->channels[c]));
	json_add(obj, "channels", channels);
	return obj;
}

static json_t *new_device(const struct device *device)
{
	json_t *obj = json_object();
	json_t *csets = json_array();
	int s;

	json_add_string(obj, "name", device->name);
	for (s = 0; s < device->count; s++)
		if (device->csets[s].chosen)
			json_append(csets,
				    new_cset(&device->csets[s]));
	json_add(obj, "csets", csets);
	return obj;
}

static json_t *new_configured(const struct configured *one, const char *kind)
{
	struct zio_attr *list = zio_attr_list(one->obj, NULL);
	json_t *attrs = json_object();
	json_t *obj = json_object();
	char text[ZIO_TEXT_SIZE];
	int i;

	json_add_string(obj, "name", one->name);
	json_add_string(obj, kind, one->type);
	for (i = 0; list && list[i].name; i++)
		if (list[i].readable && !zio_attr_get(one->obj, list[i].name, text,
						      sizeof(text), NULL))
			json_add_value(attrs, list[i].name, text);
	json_add(obj, "attributes", attrs);
	zio_attr_list_free(list);
	return obj;
}

static json_t *new_users(const struct snapshot *snap, const char *name)
{
	json_t *list = json_array();
	char users[ZIO_TEXT_SIZE], *at, *one;

	put_trigger_users(snap, name, users, sizeof(users));
	for (at = users; (one = strsep(&at, ","));)
		if (*one)
			json_append(list, json_string(one));
	return list;
}

static json_t *new_triggers(const struct snapshot *snap)
{
	json_t *list = json_array();
	json_t *obj;
	int i;

	for (i = 0; i < snap->n_triggers; i++) {
		if (!snap->triggers[i].chosen)
			continue;
		obj = new_configured(&snap->triggers[i], "type");
		json_add(obj, "csets",
			 new_users(snap, snap->triggers[i].name));
		json_append(list, obj);
	}
	return list;
}

static json_t *new_configured_devices(const struct snapshot *snap)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < snap->n_configured; i++)
		if (snap->configured[i].chosen)
			json_append(list,
				    new_configured(&snap->configured[i],
						   "driver"));
	return list;
}

json_t *new_json_snapshot(const struct snapshot *snap)
{
	json_t *root = json_object();
	json_t *devices = json_array();
	int d;

	for (d = 0; d < snap->count; d++)
		if (snap->devices[d].chosen)
			json_append(devices,
				    new_device(&snap->devices[d]));
	json_add(root, "devices", devices);
	json_add(root, "shared_triggers", new_triggers(snap));
	json_add(root, "configured_devices", new_configured_devices(snap));
	return root;
}
