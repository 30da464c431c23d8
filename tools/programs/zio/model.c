// SPDX-License-Identifier: GPL-2.0-only
/* Take snapshots, which omit objects that go away meanwhile */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/program.h"
#include "common/text.h"
#include "model.h"

/* A route from an input has its own count of losses. */
static void scan_route(struct channel *chan, const struct zio_object *obj)
{
	int64_t lost;

	if (strcmp(chan->cset->direction, "output"))
		return;
	lost = get_number(obj, "statistics/route-lost");
	if (get_name(obj, "buffer/source", chan->source) ||
	    !strcmp(chan->source, "none"))
		*chan->source = '\0';
	if (lost > 0 && chan->lost >= 0)
		chan->lost += lost;
}

static bool scan_channel(struct channel *chan, struct cset *cset,
			 const struct zio_object *obj)
{
	struct stat st;

	chan->cset = cset;
	put_text(chan->path, sizeof(chan->path), "%s", zio_object_name(obj));
	if (stat(zio_object_path(obj), &st) ||
	    get_name(obj, "address", chan->address))
		return false;
	chan->inode = st.st_ino;
	chan->enable = get_number(obj, "enable") == 1;
	chan->is_on = !strcmp(channel_state(chan), "on");
	chan->alarms = get_number(obj, "alarms");
	chan->blocks = get_number(obj, "statistics/blocks");
	chan->bytes = get_number(obj, "statistics/bytes");
	chan->lost = get_number(obj, "statistics/lost_blocks");
	chan->queued = get_number(obj, "buffer/queued-buffer-len");
	chan->length = get_number(obj, "buffer/max-buffer-len");
	scan_route(chan, obj);
	chan->blocks_rate = NAN;
	chan->bytes_rate = NAN;
	chan->lost_rate = NAN;
	return true;
}

static void scan_trigger(struct cset *cset, const struct zio_object *obj,
			 const struct snapshot *snap)
{
	int i;

	cset->trigger_enable = get_number(obj, "trigger/enable") == 1;
	cset->nsamples = get_number(obj, "trigger/nsamples");
	if (get_name(obj, "trigger/name", cset->type))
		put_text(cset->type, sizeof(cset->type), "%s", cset->trigger);
	for (i = 0; i < snap->n_triggers; i++)
		if (!strcmp(snap->triggers[i].name, cset->trigger))
			put_text(cset->type, sizeof(cset->type), "%s",
				 snap->triggers[i].type);
}

static size_t count_objects(struct zio_object **list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

static void scan_channels(struct cset *cset, const struct zio_object *obj)
{
	struct zio_object **list = zio_list(obj, ZIO_OBJECT_CHANNEL, NULL);
	int i;

	cset->channels = allocate(count_objects(list), sizeof(*cset->channels));
	for (i = 0; list && list[i]; i++)
		if (scan_channel(&cset->channels[cset->count], cset, list[i]))
			cset->count++;
	zio_list_free(list);
}

static bool scan_cset(struct cset *cset, const struct zio_object *obj,
		      const struct snapshot *snap)
{
	put_text(cset->path, sizeof(cset->path), "%s", zio_object_name(obj));
	if (get_name(obj, "direction", cset->direction))
		return false;
	get_name(obj, "name", cset->name);
	get_name(obj, "current_trigger", cset->trigger);
	get_name(obj, "current_buffer", cset->buffer);
	cset->enable = get_number(obj, "enable") == 1;
	cset->ssize = get_number(obj, "ssize");
	if (get_name(obj, "sample-rate", cset->sample_rate))
		strcpy(cset->sample_rate, "0");
	scan_trigger(cset, obj, snap);
	cset->fired = get_number(obj, "statistics/fired");
	cset->lost_triggers = get_number(obj, "statistics/lost_triggers");
	cset->io_errors = get_number(obj, "statistics/io_errors");
	cset->fired_rate = NAN;
	scan_channels(cset, obj);
	return true;
}

static void scan_device(struct device *device, const struct zio_object *obj,
			const struct snapshot *snap)
{
	struct zio_object **list = zio_list(obj, ZIO_OBJECT_CSET, NULL);
	int i;

	put_text(device->name, sizeof(device->name), "%s", zio_object_name(obj));
	device->csets = allocate(count_objects(list), sizeof(*device->csets));
	for (i = 0; list && list[i]; i++)
		if (scan_cset(&device->csets[device->count], list[i], snap))
			device->count++;
	zio_list_free(list);
}

static int compare_channels(const void *a, const void *b)
{
	const struct channel *const *one = a, *const *two = b;

	return strcmp((*one)->address, (*two)->address);
}

static void sort_channels(struct snapshot *snap)
{
	int d, s, c, n = 0;

	for (d = 0; d < snap->count; d++)
		for (s = 0; s < snap->devices[d].count; s++)
			n += snap->devices[d].csets[s].count;
	snap->channels = allocate((size_t)n, sizeof(*snap->channels));
	for (d = 0; d < snap->count; d++) {
		for (s = 0; s < snap->devices[d].count; s++) {
			struct cset *cset = &snap->devices[d].csets[s];

			for (c = 0; c < cset->count; c++)
				snap->channels[snap->n_channels++] =
					&cset->channels[c];
		}
	}
	qsort(snap->channels, (size_t)n, sizeof(*snap->channels),
	      compare_channels);
}

static struct configured *list_configured(struct zio_object **list, int *n)
{
	size_t count = count_objects(list), i;
	struct configured *all = allocate(count, sizeof(*all));

	for (i = 0; i < count; i++) {
		put_text(all[i].name, NAME_LEN, "%s", short_name(list[i]));
		put_text(all[i].type, NAME_LEN, "%s", zio_object_type(list[i]));
		all[i].obj = list[i];
	}
	*n = (int)count;
	return all;
}

static void scan_configured(struct snapshot *snap)
{
	snap->trigger_objects = zio_list(NULL, ZIO_OBJECT_SHARED_TRIGGER, NULL);
	snap->triggers = list_configured(snap->trigger_objects, &snap->n_triggers);
	snap->configured_objects = zio_list(NULL, ZIO_OBJECT_CONFIG_DEVICE, NULL);
	snap->configured = list_configured(snap->configured_objects,
					   &snap->n_configured);
}

struct snapshot *take_snapshot(void)
{
	struct snapshot *snap;
	struct zio_object **list;
	struct zio_error err;
	int i;

	list = zio_list(NULL, ZIO_OBJECT_DEVICE, &err);
	if (!list) {
		complain("%s", err.text);
		return NULL;
	}
	snap = allocate(1, sizeof(*snap));
	snap->seconds = seconds_now();
	scan_configured(snap);
	snap->devices = allocate(count_objects(list), sizeof(*snap->devices));
	for (i = 0; list[i]; i++)
		scan_device(&snap->devices[snap->count++], list[i], snap);
	zio_list_free(list);
	sort_channels(snap);
	return snap;
}

void free_snapshot(struct snapshot *snap)
{
	int d, s;

	if (!snap)
		return;
	for (d = 0; d < snap->count; d++) {
		for (s = 0; s < snap->devices[d].count; s++)
			free(snap->devices[d].csets[s].channels);
		free(snap->devices[d].csets);
	}
	free(snap->devices);
	free(snap->channels);
	free(snap->triggers);
	free(snap->configured);
	zio_list_free(snap->trigger_objects);
	zio_list_free(snap->configured_objects);
	free(snap);
}

/* A counter that went back has restarted from 0. */
static double rate_of(int64_t now, int64_t then, double seconds)
{
	if (now < 0 || then < 0 || seconds <= 0)
		return NAN;
	return (double)(now < then ? now : now - then) / seconds;
}

static void set_channel_rates(struct channel *chan, const struct channel *old,
			      double seconds)
{
	if (chan->inode != old->inode)
		return;
	chan->blocks_rate = rate_of(chan->blocks, old->blocks, seconds);
	chan->bytes_rate = rate_of(chan->bytes, old->bytes, seconds);
	chan->lost_rate = rate_of(chan->lost, old->lost, seconds);
	chan->cset->fired_rate = rate_of(chan->cset->fired, old->cset->fired,
					 seconds);
}

void set_rates(struct snapshot *snap, const struct snapshot *before)
{
	double seconds = snap->seconds - before->seconds;
	struct channel **old;
	int i;

	for (i = 0; i < snap->n_channels; i++) {
		old = bsearch(&snap->channels[i], before->channels,
			      (size_t)before->n_channels,
			      sizeof(*before->channels), compare_channels);
		if (old)
			set_channel_rates(snap->channels[i], *old, seconds);
	}
}

static bool matches_one(const char *name, char **patterns, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

/* Remove the first @word from @name. */
static void remove_word(char *name, const char *word)
{
	char *at = strstr(name, word);
	size_t len = strlen(word);

	if (at)
		memmove(at, at + len, strlen(at + len) + 1);
}

/* Match names with and without "-0000", and with and without "cset" and "chan". */
static bool matches(const char *name, char **patterns, int count)
{
	char brief[2 * NAME_LEN];

	if (matches_one(name, patterns, count))
		return true;
	put_text(brief, sizeof(brief), "%s", name);
	remove_word(brief, "-0000");
	if (matches_one(brief, patterns, count))
		return true;
	remove_word(brief, "cset");
	remove_word(brief, "chan");
	if (matches_one(brief, patterns, count))
		return true;
	put_text(brief, sizeof(brief), "%s", name);
	remove_word(brief, "cset");
	remove_word(brief, "chan");
	return matches_one(brief, patterns, count);
}

static int choose_cset(struct cset *cset, bool all, char **patterns, int count)
{
	char named[2 * NAME_LEN];
	int found = 0;
	int c;

	put_text(named, sizeof(named), "%.*s/%s",
		 (int)strcspn(cset->path, "/"), cset->path, cset->name);
	all = all || matches(cset->path, patterns, count) ||
	      matches(named, patterns, count);
	for (c = 0; c < cset->count; c++) {
		struct channel *chan = &cset->channels[c];

		chan->chosen = all || matches(chan->path, patterns, count) ||
			       matches(chan->address, patterns, count);
		found += chan->chosen;
	}
	cset->chosen = all || found;
	return found + all;
}

static int choose_device(struct device *device, char **patterns, int count)
{
	bool all = !count || matches(device->name, patterns, count);
	int found = 0;
	int s;

	for (s = 0; s < device->count; s++)
		found += choose_cset(&device->csets[s], all, patterns, count);
	device->chosen = all || found;
	return found + all;
}

static int choose_configured(struct configured *all, int n, const char *what,
			     char **patterns, int count)
{
	char label[2 * NAME_LEN];
	int found = 0;
	int i;

	for (i = 0; i < n; i++) {
		put_text(label, sizeof(label), "%s:%s", what, all[i].name);
		all[i].chosen = !count || matches(label, patterns, count);
		found += all[i].chosen;
	}
	return found;
}

static int choose_objects(struct snapshot *snap, char **patterns, int count)
{
	int found = 0;
	int d;

	for (d = 0; d < snap->count; d++)
		found += choose_device(&snap->devices[d], patterns, count);
	return found +
	       choose_configured(snap->triggers, snap->n_triggers, "trigger",
				 patterns, count) +
	       choose_configured(snap->configured, snap->n_configured, "device",
				 patterns, count);
}

int choose_named(struct snapshot *snap, const struct arguments *patterns)
{
	int i, good = 0;

	for (i = 0; i < patterns->count; i++) {
		if (choose_objects(snap, &patterns->text[i], 1))
			good++;
		else
			complain("nothing matches '%s'", patterns->text[i]);
	}
	choose_objects(snap, patterns->text, patterns->count);
	return good;
}

const char *channel_state(const struct channel *chan)
{
	if (!chan->enable)
		return "off";
	if (!chan->cset->enable)
		return "set-off";
	return chan->cset->trigger_enable ? "on" : "trigger-off";
}

void put_trigger_users(const struct snapshot *snap, const char *name,
		       char *text, size_t size)
{
	size_t used = 0;
	int d, s;

	*text = '\0';
	for (d = 0; d < snap->count; d++) {
		for (s = 0; s < snap->devices[d].count; s++) {
			struct cset *cset = &snap->devices[d].csets[s];

			if (strcmp(cset->trigger, name) || used >= size)
				continue;
			put_text(text + used, size - used, "%s%s",
				 used ? "," : "", cset->path);
			used += strlen(text + used);
		}
	}
}
