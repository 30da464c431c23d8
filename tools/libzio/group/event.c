// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pair the blocks of one event
 *
 * The oldest block of all channels leads. The oldest block of another channel joins it if
 * its trigger has the same name and its time is within the window. Each channel delivers
 * its blocks in the order of their sequence numbers, at most one per event. A channel
 * whose oldest block is later cannot have a block of this event any more. An event waits
 * only for a channel without blocks.
 */
#include <errno.h>
#include <string.h>

#include "group.h"

#define NS_PER_MS 1000000ull

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Did an event of this time, or a later one, go out without the channel? A block from
 * before the last one of its channel is not late: the clock stepped back.
 */
static bool is_late(const struct zio_member *m, uint64_t time)
{
	return m->was_late && time <= m->late_to + m->group->window &&
	       (!m->has_time || time >= m->last_time);
}

/* The oldest block of the channel leaves, whether in an event or not. */
static void count_block(struct zio_member *m, bool late)
{
	struct zio_slot *slot = zio_member_first(m);

	m->last_time = slot->time;
	m->has_time = true;
	if (late) {
		m->group->stats.late_blocks++;
		m->n_late -= slot->time < m->late_to ?
			     min(m->n_late, 1 + slot->lost_left) : m->n_late;
	} else {
		m->was_late = false;
		m->n_late = 0;
		m->last_seq = slot->seq;
	}
}

static bool has_same_trigger(const struct zio_group *g, const struct zio_slot *a,
			     const struct zio_slot *b)
{
	const char *name = a->blk.control->triggername;

	return (g->flags & ZIO_GROUP_ANY_TRIGGER) ||
	       !memcmp(name, b->blk.control->triggername, ZIO_OBJ_NAME_LEN) ||
	       !strncmp(name, b->blk.control->triggername, ZIO_OBJ_NAME_LEN);
}

/* Return the member with the oldest block, or NULL. */
static struct zio_member *find_leader(const struct zio_group *g)
{
	struct zio_member *leader = NULL;
	uint64_t time = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < g->n; i++) {
		const struct zio_slot *slot = zio_member_first(g->members[i]);

		if (slot && (!leader || slot->time < time)) {
			leader = g->members[i];
			time = slot->time;
		}
	}
	return leader;
}

/*
 * A window may contain several blocks of a channel. If it also contains the event before,
 * return the distance to its block in sequence numbers, otherwise 1.
 */
static uint32_t step_of(const struct zio_member *m, const struct zio_slot *slot)
{
	const struct zio_group *g = m->group;
	uint64_t distance = slot->time > g->last_time ? slot->time - g->last_time :
							g->last_time - slot->time;

	if (!m->in_last || distance > g->window)
		return 1;
	return 1 + zio_sequence_lost(m->last_seq + 1, slot->seq);
}

static bool is_candidate(const struct zio_member *leader, const struct zio_member *m)
{
	const struct zio_slot *first = zio_member_first(leader);
	const struct zio_slot *slot = zio_member_first(m);

	return slot && slot->time - first->time <= leader->group->window &&
	       has_same_trigger(leader->group, first, slot) &&
	       is_late(m, slot->time) == is_late(leader, first->time);
}

/* Mark the members that have a block of the event, and return their number. */
static unsigned int choose(struct zio_group *g, const struct zio_member *leader)
{
	uint32_t least = UINT32_MAX, step;
	unsigned int i, n = 0;

	for (i = 0; i < g->n; i++) {
		struct zio_member *m = g->members[i];

		m->given = is_candidate(leader, m);
		step = m->given ? step_of(m, zio_member_first(m)) : UINT32_MAX;
		least = min(least, step);
	}
	for (i = 0; i < g->n; i++) {
		struct zio_member *m = g->members[i];

		m->given = m->given && step_of(m, zio_member_first(m)) == least;
		n += m->given;
	}
	return n;
}

static bool is_any_full(const struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (zio_member_is_full(g->members[i]))
			return true;
	return false;
}

static bool is_any_empty(const struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (!g->members[i]->count && !g->members[i]->gone)
			return true;
	return false;
}

/* Return when the event, whose first block has arrived, stops waiting. */
static uint64_t end_of_wait(const struct zio_group *g)
{
	uint64_t arrival = UINT64_MAX;
	unsigned int i;

	if (g->limit < 0)
		return UINT64_MAX;
	for (i = 0; i < g->n; i++) {
		struct zio_member *m = g->members[i];

		if (m->given && zio_member_first(m)->arrival < arrival)
			arrival = zio_member_first(m)->arrival;
	}
	return arrival + (uint64_t)g->limit * NS_PER_MS;
}

/* Does the event, which is not late, wait for a channel? */
static bool must_wait(struct zio_group *g, uint64_t *until)
{
	uint64_t now;
	unsigned int i;

	if (!is_any_empty(g))
		return false;
	now = zio_monotonic_ns();
	for (i = 0; i < g->n; i++)
		zio_member_stamp(g->members[i], now);
	*until = end_of_wait(g);
	return g->limit < 0 || (now < *until && !is_any_full(g));
}

static enum zio_part_state count_missing(struct zio_member *m, uint64_t time)
{
	struct zio_slot *slot = zio_member_first(m);
	struct zio_group_stats *stats = &m->group->stats;

	if (slot && slot->lost_left > m->n_late) {
		slot->lost_left--;
		stats->lost++;
		return ZIO_PART_LOST;
	}
	if (slot) {
		stats->skipped++;
		return ZIO_PART_SKIPPED;
	}
	if (m->gone) {
		stats->gone++;
		return ZIO_PART_GONE;
	}
	/* The next block that comes in time ends this. */
	m->late_to = time;
	m->was_late = true;
	m->n_late++;
	stats->late++;
	return ZIO_PART_LATE;
}

/* What a late event lacks was delivered before, or has not come yet. */
static enum zio_part_state missing_from_late(const struct zio_member *m, uint64_t time)
{
	if (!m->count && m->gone)
		return ZIO_PART_GONE;
	return !m->count && m->n_late && is_late(m, time) ? ZIO_PART_LATE :
							    ZIO_PART_GIVEN;
}

static void put_part(struct zio_group *g, unsigned int i, const struct zio_event *ev)
{
	struct zio_member *m = g->members[i];
	struct zio_part *part = &g->parts[i];

	*part = (struct zio_part){ .ch = m->ch };
	if (m->given) {
		part->blk = zio_member_first(m)->blk;
		g->stats.blocks++;
		count_block(m, ev->late);
	} else {
		part->state = ev->late ? missing_from_late(m, ev->time_ns) :
					 count_missing(m, ev->time_ns);
	}
	if (part->state == ZIO_PART_GONE)
		part->error = m->gone_errno;
	if (!ev->late)
		m->in_last = m->given;
}

static uint64_t time_of_event(const struct zio_group *g)
{
	uint64_t time = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < g->n; i++) {
		struct zio_member *m = g->members[i];

		if (m->given && zio_member_first(m)->time < time)
			time = zio_member_first(m)->time;
	}
	return time;
}

static void put_event(struct zio_group *g, struct zio_event *ev, unsigned int n_blocks,
		      bool late)
{
	unsigned int i;

	*ev = (struct zio_event){ .time_ns = time_of_event(g), .parts = g->parts,
				  .n_parts = g->n, .n_blocks = n_blocks, .late = late };
	for (i = 0; i < g->n; i++)
		put_part(g, i, ev);
	if (late)
		return;
	g->last_time = ev->time_ns;
	g->stats.events++;
	g->stats.complete += n_blocks == g->n;
}

/*
 * The usual event: each channel has a block of the same time and trigger, none is late,
 * and the event before is outside the window. choose() would choose all of them.
 */
static bool is_plain(const struct zio_group *g)
{
	const struct zio_slot *first, *slot;
	unsigned int i;

	first = g->n ? zio_member_first(g->members[0]) : NULL;
	if (!first || first->time <= g->last_time ||
	    first->time - g->last_time <= g->window)
		return false;
	for (i = 0; i < g->n; i++) {
		slot = zio_member_first(g->members[i]);
		if (!slot || slot->time != first->time || g->members[i]->was_late ||
		    !has_same_trigger(g, first, slot))
			return false;
	}
	return true;
}

static void put_whole_part(struct zio_member *m, struct zio_part *part)
{
	const struct zio_slot *slot = zio_member_first(m);

	*part = (struct zio_part){ .ch = m->ch, .blk = slot->blk };
	m->given = true;
	m->in_last = true;
	m->last_time = slot->time;
	m->has_time = true;
	m->n_late = 0;
	m->last_seq = slot->seq;
}

void zio_event_put_whole(struct zio_group *g, struct zio_event *ev, uint64_t time)
{
	*ev = (struct zio_event){ .time_ns = time, .parts = g->parts,
				  .n_parts = g->n, .n_blocks = g->n };
	g->last_time = time;
	g->stats.blocks += g->n;
	g->stats.events++;
	g->stats.complete++;
}

/* Like put_event(), for a plain event. */
static void put_plain(struct zio_group *g, struct zio_event *ev)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		put_whole_part(g->members[i], &g->parts[i]);
	zio_event_put_whole(g, ev, g->members[0]->last_time);
}

void zio_event_drop_late(struct zio_member *m)
{
	struct zio_group *g = m->group;
	struct zio_slot *slot;

	while ((slot = zio_member_first(m)) && is_late(m, slot->time)) {
		g->stats.dropped++;
		count_block(m, true);
		zio_member_pop(m);
	}
}

bool zio_event_make(struct zio_group *g, struct zio_event *ev, uint64_t *until)
{
	struct zio_member *leader;
	unsigned int n_blocks, i;
	bool late;

	*until = UINT64_MAX;
	if (is_plain(g)) {
		put_plain(g, ev);
		return true;
	}
	leader = find_leader(g);
	if (!leader)
		return false;
	late = is_late(leader, zio_member_first(leader)->time);
	n_blocks = choose(g, leader);
	if (!late && must_wait(g, until)) {
		for (i = 0; i < g->n; i++)
			g->members[i]->given = false;
		return false;
	}
	put_event(g, ev, n_blocks, late);
	return true;
}

void zio_event_release(struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++) {
		struct zio_member *m = g->members[i];

		if (m->given)
			zio_member_pop(m);
		m->given = false;
	}
}
