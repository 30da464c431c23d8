// SPDX-License-Identifier: GPL-2.0-only
/* Take snapshots. A snapshot omits an object that goes away meanwhile. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/program.h"
#include "common/text.h"
#include "model.h"

static void full_path(char full[PATH_MAX], const char *path, const char *part)
{
	put_text(full, PATH_MAX, "%s/devices/%s%s%s", sysfs_root(), path,
		 *part ? "/" : "", part);
}

/* A route from an input counts losses of its own. */
static void scan_route(struct channel *chan, const char *dir)
{
	char part[PATH_MAX];
	int64_t lost;

	full_path(part, chan->path, "buffer");
	if (read_name(part, "source", chan->source) ||
	    !strcmp(chan->source, "none"))
		*chan->source = '\0';
	put_text(part, sizeof(part), "%s/statistics", dir);
	lost = read_number(part, "route-lost");
	if (lost > 0 && chan->lost >= 0)
		chan->lost += lost;
}

static bool scan_channel(struct channel *chan, struct cset *cset,
			 const char *name)
{
	char dir[PATH_MAX], part[PATH_MAX];
	struct stat st;

	chan->cset = cset;
	put_text(chan->path, sizeof(chan->path), "%s/%s", cset->path, name);
	full_path(dir, chan->path, "");
	if (stat(dir, &st) || read_name(dir, "address", chan->address))
		return false;
	chan->inode = st.st_ino;
	chan->enable = read_number(dir, "enable") == 1;
	chan->alarms = read_number(dir, "alarms");
	full_path(part, chan->path, "statistics");
	chan->blocks = read_number(part, "blocks");
	chan->bytes = read_number(part, "bytes");
	chan->lost = read_number(part, "lost_blocks");
	full_path(part, chan->path, "buffer");
	chan->queued = read_number(part, "queued-buffer-len");
	chan->length = read_number(part, "max-buffer-len");
	scan_route(chan, dir);
	chan->blocks_rate = NAN;
	chan->bytes_rate = NAN;
	chan->lost_rate = NAN;
	return true;
}

static void scan_trigger(struct cset *cset)
{
	char dir[PATH_MAX];

	full_path(dir, cset->path, "trigger");
	cset->trigger_enable = read_number(dir, "enable") == 1;
	cset->nsamples = read_number(dir, "nsamples");
	if (read_name(dir, "name", cset->type))
		put_text(cset->type, sizeof(cset->type), "%s", cset->trigger);
	/* A shared trigger lives in the directory of its type. */
	find_owner(triggers_root(), cset->trigger, cset->type);
}

static void scan_counters(struct cset *cset)
{
	char dir[PATH_MAX];

	full_path(dir, cset->path, "statistics");
	cset->fired = read_number(dir, "fired");
	cset->lost_triggers = read_number(dir, "lost_triggers");
	cset->io_errors = read_number(dir, "io_errors");
	cset->fired_rate = NAN;
}

static void scan_channels(struct cset *cset, const char *dir)
{
	struct dirent **names;
	int count = list_names(dir, &names);
	int i;

	cset->channels = allocate(count > 0 ? (size_t)count : 0,
				  sizeof(*cset->channels));
	for (i = 0; i < count; i++)
		if (is_numbered(names[i]->d_name, "chan") &&
		    scan_channel(&cset->channels[cset->count], cset,
				 names[i]->d_name))
			cset->count++;
	free_names(names, count);
}

static bool scan_cset(struct cset *cset, const struct device *device,
		      const char *name)
{
	char dir[PATH_MAX];

	put_text(cset->path, sizeof(cset->path), "%s/%s", device->name, name);
	full_path(dir, cset->path, "");
	if (read_name(dir, "direction", cset->direction))
		return false;
	read_name(dir, "name", cset->name);
	read_name(dir, "current_trigger", cset->trigger);
	read_name(dir, "current_buffer", cset->buffer);
	cset->enable = read_number(dir, "enable") == 1;
	cset->ssize = read_number(dir, "ssize");
	scan_trigger(cset);
	scan_counters(cset);
	scan_channels(cset, dir);
	return true;
}

static void scan_device(struct device *device, const char *name)
{
	char dir[PATH_MAX];
	struct dirent **names;
	int count, i;

	put_text(device->name, sizeof(device->name), "%s", name);
	full_path(dir, name, "");
	count = list_names(dir, &names);
	device->csets = allocate(count > 0 ? (size_t)count : 0,
				 sizeof(*device->csets));
	for (i = 0; i < count; i++)
		if (is_numbered(names[i]->d_name, "cset") &&
		    scan_cset(&device->csets[device->count], device,
			      names[i]->d_name))
			device->count++;
	free_names(names, count);
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

static void add_configured(struct configured **all, int *n, const char *dir,
			   const char *type)
{
	struct dirent **names;
	int count = list_names(dir, &names);
	struct configured *one;
	int i;

	for (i = 0; i < count; i++) {
		if (!is_directory(dir, names[i]->d_name))
			continue;
		one = reallocarray(*all, (size_t)*n + 1, sizeof(*one));
		if (!one)
			break;
		*all = one;
		one += (*n)++;
		put_text(one->name, NAME_LEN, "%s", names[i]->d_name);
		put_text(one->type, NAME_LEN, "%s", type);
		put_text(one->path, PATH_MAX, "%s/%s", dir, one->name);
		one->chosen = false;
	}
	free_names(names, count);
}

static struct configured *scan_configured(const char *root, int *n)
{
	struct configured *all = NULL;
	struct dirent **types;
	int count = list_names(root, &types);
	char dir[PATH_MAX];
	int i;

	for (i = 0; i < count; i++) {
		put_text(dir, sizeof(dir), "%s/%s", root, types[i]->d_name);
		add_configured(&all, n, dir, types[i]->d_name);
	}
	free_names(types, count);
	return all;
}

struct snapshot *take_snapshot(void)
{
	struct snapshot *snap = allocate(1, sizeof(*snap));
	char dir[PATH_MAX];
	struct dirent **names;
	int count, i;

	put_text(dir, sizeof(dir), "%s/devices", sysfs_root());
	count = list_names(dir, &names);
	if (count < 0) {
		complain("there is no %s: is zio loaded? (modprobe zio)", dir);
		free(snap);
		return NULL;
	}
	snap->seconds = seconds_now();
	snap->devices = allocate((size_t)count, sizeof(*snap->devices));
	for (i = 0; i < count; i++)
		scan_device(&snap->devices[snap->count++], names[i]->d_name);
	free_names(names, count);
	sort_channels(snap);
	snap->triggers = scan_configured(triggers_root(), &snap->n_triggers);
	snap->configured = scan_configured(devices_root(), &snap->n_configured);
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
	free(snap);
}

/* A counter that went back has started at 0 again. */
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

/* Names with and without "-0000", and with and without "cset" and "chan", match. */
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

int choose_objects(struct snapshot *snap, char **patterns, int count)
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
