// SPDX-License-Identifier: GPL-2.0-only
/* Read the sources of put: channels and block files, one by one or as a group. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/channel.h"
#include "common/program.h"
#include "common/text.h"
#include "source.h"

#define FIRST_ROOM ((size_t)256 << 10)
#define CONTROL sizeof(struct zio_control)

static int open_one(struct source *src, const char *name, int method)
{
	src->ch = open_channel(name, ZIO_OPEN_NONBLOCK | method);
	if (!src->ch)
		return -1;
	src->has_block = true;
	src->room = FIRST_ROOM;
	src->memory = allocate(1, src->room);
	return 0;
}

/* A header lists the names, separated by blanks: replace blanks within a name. */
static void set_name(char name[ADDRESS_LEN], const char *argument)
{
	char *at;

	put_text(name, ADDRESS_LEN, "%s", base_name(argument));
	for (at = name; *at; at++)
		if (*at <= ' ')
			*at = '_';
}

static int make_events(struct sources *src, const struct put_settings *set)
{
	struct zio_error err;

	src->events = zio_group_open(set->any_trigger ? ZIO_GROUP_ANY_TRIGGER : 0, &err);
	if (!src->events) {
		complain("%s", err.text);
		return -1;
	}
	src->has_event = true;
	zio_group_set_window(src->events, set->window);
	zio_group_set_limit(src->events, (int)(set->limit * 1000));
	return 0;
}

static int join_events(struct sources *src, const struct put_settings *set,
		       struct group *group)
{
	int i;

	group->n = (unsigned int)src->n;
	group->names = allocate(group->n, sizeof(*group->names));
	if (make_events(src, set))
		return -1;
	for (i = 0; i < src->n; i++) {
		set_name(group->names[i], set->sources.text[i]);
		if (zio_group_add(src->events, src->list[i].ch) < 0) {
			complain("%s", zio_group_reason(src->events));
			return -1;
		}
	}
	return 0;
}

int open_sources(struct sources *src, const struct put_settings *set, struct group *group)
{
	int i;

	src->n = set->sources.count;
	src->list = allocate((size_t)src->n, sizeof(*src->list));
	for (i = 0; i < src->n; i++)
		if (open_one(&src->list[i], set->sources.text[i], set->method))
			return -1;
	return group ? join_events(src, set, group) : 0;
}

void close_sources(struct sources *src)
{
	int i;

	for (i = 0; src->list && i < src->n; i++) {
		zio_close(src->list[i].ch);
		free(src->list[i].memory);
	}
	zio_group_close(src->events);
	free(src->list);
}

/* --- one by one */

static void end_source(struct sources *src, struct source *from, bool is_error)
{
	int i;

	from->is_at_end = true;
	if (is_error) {
		complain("%s", zio_reason(from->ch));
		src->has_failed = true;
	}
	src->is_at_end = true;
	for (i = 0; i < src->n; i++)
		src->is_at_end &= src->list[i].is_at_end;
}

static bool is_passing(int code)
{
	return code == EAGAIN || code == EINTR;
}

/* A block larger than all earlier ones needs more memory. */
static bool grow_memory(struct source *from, const struct zio_block *blk)
{
	if (errno != EMSGSIZE || blk->size + CONTROL <= from->room)
		return false;
	free(from->memory);
	from->room = blk->size + CONTROL;
	from->memory = allocate(1, from->room);
	return true;
}

unsigned int next_blocks(struct sources *src, struct source *from, unsigned int n,
			 struct zio_block *blks)
{
	int ret;

	do {
		ret = zio_next_batch(from->ch, blks, n, from->memory, from->room);
	} while (ret < 0 && grow_memory(from, blks));
	from->has_block = ret > 0 || (ret < 0 && errno == EINTR);
	if (!ret || (ret < 0 && !is_passing(errno)))
		end_source(src, from, ret < 0);
	return ret > 0 ? (unsigned int)ret : 0;
}

/* --- as a group */

bool next_event(struct sources *src, struct zio_event *ev)
{
	int ret = zio_group_next(src->events, ev, 0);

	src->has_event = ret > 0 || (ret < 0 && errno == EINTR);
	if (ret < 0 && !is_passing(errno)) {
		complain("%s", zio_group_reason(src->events));
		src->has_failed = true;
	}
	src->is_at_end = !ret;
	return ret > 0;
}

void hurry_events(struct sources *src)
{
	zio_group_set_limit(src->events, 0);
}

void leave_events(struct sources *src)
{
	const struct zio_group_stats *stats = zio_group_stats(src->events);
	uint64_t before = stats->dropped;
	int i;

	for (i = 0; i < src->n; i++) {
		struct source *from = &src->list[i];
		uint64_t old = stats->dropped;

		zio_close(from->ch);
		from->ch = NULL;
		if (from->account)
			from->account->lost += stats->dropped - old;
	}
	if (stats->dropped > before)
		complain("%" PRIu64 " blocks were read for incomplete events and count as "
			 "lost", stats->dropped - before);
}

/* --- waiting */

bool has_ready_source(const struct sources *src)
{
	int i;

	if (src->events)
		return src->has_event;
	for (i = 0; i < src->n; i++)
		if (!src->list[i].is_at_end && src->list[i].has_block)
			return true;
	return false;
}

int poll_sources(const struct sources *src, struct pollfd *fds)
{
	int i, n = 0;

	if (src->events) {
		fds[0] = (struct pollfd){ .fd = zio_group_fd(src->events),
					  .events = POLLIN };
		return 1;
	}
	for (i = 0; i < src->n; i++)
		if (!src->list[i].is_at_end)
			fds[n++] = input_of(src->list[i].ch);
	return n;
}
