// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whole sets in a group: through the ring of the set, or else channel by channel */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "group.h"

/* The node of the set is beside the control node of its first channel. */
static struct zio_set *open_set_of(const struct zio_channel *first)
{
	size_t len = strlen(first->ctrl_path), end = strlen("-0-ctrl");
	struct zio_set *set;
	char *path;

	if (first->ops->is_file || len < end)
		return NULL;
	path = zio_format("%.*s-ctrl", (int)(len - end), first->ctrl_path);
	set = path ? zio_set_open(path) : NULL;
	free(path);
	return set;
}

/* The channels of "zzero-0" are "zzero-0-0" and so on, those of "zzero/0" "zzero/0/0". */
static char separator_of(const char *name)
{
	char *node = strchr(name, '/') ? zio_format("%s-0-ctrl", name) : NULL;
	char separator = node && access(node, F_OK) ? '/' : '-';

	free(node);
	return separator;
}

static struct zio_channel *open_channel(const char *name, unsigned int i, int flags,
					struct zio_error *err)
{
	char *channel = zio_format("%s%c%u", name, separator_of(name), i);
	struct zio_channel *ch;

	if (!channel) {
		zio_explain(err, ENOMEM, "group: open %s: out of memory", name);
		return NULL;
	}
	ch = zio_open(channel, flags, err);
	free(channel);
	return ch;
}

static int join(struct zio_group *g, struct zio_channel *ch, struct zio_error *err)
{
	int i = zio_group_add(g, ch);

	if (i >= 0) {
		g->members[i]->owned = true;
		return 0;
	}
	zio_explain(err, errno, "%s", zio_group_reason(g));
	return -1;
}

/* Close all channels after the first @n. */
static void undo(struct zio_group *g, unsigned int n)
{
	int saved = errno;

	while (g->n > n)
		zio_close(g->members[g->n - 1]->ch);
	errno = saved;
}

static int keep_set(struct zio_group *g, struct zio_set *set, struct zio_error *err)
{
	void *sets = realloc(g->sets, (g->n_sets + 1) * sizeof(*g->sets));

	if (!sets) {
		zio_explain(err, ENOMEM, "group: add a set: out of memory");
		return -1;
	}
	g->sets = sets;
	g->sets[g->n_sets++] = set;
	return 0;
}

static int add_channel(struct zio_group *g, struct zio_set *set, const char *name,
		       unsigned int i, struct zio_error *err)
{
	struct zio_channel *ch = open_channel(name, i, ZIO_OPEN_READ, err);
	int code;

	if (!ch)
		return -1;
	if (!zio_set_adopt(set, i, ch)) {
		if (!join(g, ch, err))
			return 0;
	} else {
		zio_explain(err, errno, "%s-%u: %s", name, i, strerror(errno));
	}
	code = errno;
	zio_close(ch);
	errno = code;
	return -1;
}

static int add_by_ring(struct zio_group *g, struct zio_set *set, const char *name,
		       struct zio_error *err)
{
	unsigned int i, n = g->n;

	for (i = 0; i < zio_set_count(set); i++)
		if (add_channel(g, set, name, i, err))
			break;
	if (i == zio_set_count(set) && !keep_set(g, set, err))
		return (int)i;
	undo(g, n);
	zio_set_close(set);
	return -1;
}

/* Channel 0 must exist; the first number without a node ends the set. */
static int add_by_channels(struct zio_group *g, struct zio_channel *first,
			   const char *name, struct zio_error *err)
{
	struct zio_channel *ch = first;
	unsigned int n = g->n;

	while (ch && !join(g, ch, err))
		ch = open_channel(name, g->n - n, 0, err);
	if (!ch && errno == ENOENT)
		return (int)(g->n - n);
	zio_close(ch);
	undo(g, n);
	return -1;
}

int zio_group_add_set(struct zio_group *g, const char *name, struct zio_error *err)
{
	struct zio_channel *first;
	struct zio_set *set;

	if (!g || !name)
		return zio_explain(err, EINVAL, "group: add a set: an argument is NULL");
	first = open_channel(name, 0, ZIO_OPEN_READ, err);
	if (!first)
		return -1;
	set = open_set_of(first);
	zio_close(first);
	if (set)
		return add_by_ring(g, set, name, err);
	first = open_channel(name, 0, 0, err);
	return first ? add_by_channels(g, first, name, err) : -1;
}
