// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The usual event, straight from the rings
 *
 * If each channel of the group has a ring with a block of the same time and trigger, and
 * no block is lost or late, the event needs no slots: its parts refer to the rings. The
 * state of the members is updated when another event needs it. For A see ring.c, for S
 * slot.h.
 */
#include <string.h>

#include "group.h"

/* What the blocks of an event have in common */
struct common {
	const struct zio_control *control;	/* of the first channel */
	bool any_trigger;
};

static bool has_same_trigger(const struct common *c, const struct zio_control *control)
{
	return c->any_trigger ||
	       !memcmp(c->control->triggername, control->triggername, ZIO_OBJ_NAME_LEN);
}

/*
 * Show the next block of a ring in @part like zio_next(), but do not take it. Returns
 * false if there is no block, or if it is not a usual one.
 */
static inline bool peek(struct zio_member *m, struct zio_part *part, const struct common *c)
{
	struct zio_channel *ch = m->ch;
	const struct zio_control *control;
	uint64_t size, offset;

	if (!ch->ring.hdr || m->count || m->was_late || ch->ring.keeps)
		return false;
	/* A */
	if (__atomic_load_n(&ch->ring.hdr->head, __ATOMIC_ACQUIRE) - ch->ring.next - 1 > ch->ring.mask)
		return false;
	control = (const void *)(ch->ring.slots + (size_t)(ch->ring.next & ch->ring.mask) * ch->ring.slot_size);
	size = (uint64_t)control->nsamples * control->ssize;
	offset = control->mem_offset | (uint64_t)control->mem_offset_high << 32;
	if (control->tstamp.secs != c->control->tstamp.secs ||
	    control->tstamp.ticks != c->control->tstamp.ticks ||
	    control->seq_num != ch->seq.expected ||
	    control->major_version != ZIO_MAJOR_VERSION ||
	    size - 1 >= ch->data.limit || offset > ch->data.size - size ||
	    !has_same_trigger(c, control))
		return false;
	part->ch = ch;
	part->state = ZIO_PART_BLOCK;
	part->error = 0;
	part->blk.control = control;
	part->blk.data = ch->data.mem + offset;
	part->blk.size = size;
	part->blk.lost = 0;
	return true;
}

static void take_all(struct zio_group *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++) {
		struct zio_channel *ch = g->members[i]->ch;

		ch->ring.next++;
		ch->ring.head = ch->ring.next;
		ch->ring.seen_head = ch->ring.next;
		ch->seq.expected++;
		ch->stats.blocks++;
		ch->stats.bytes += g->parts[i].blk.size;
	}
}

/* The control of the first channel, if its ring has a block. */
static const struct zio_control *first_control(const struct zio_group *g)
{
	const struct zio_channel *ch = g->n ? g->members[0]->ch : NULL;

	if (!ch || !ch->ring.hdr)
		return NULL;
	if (__atomic_load_n(&ch->ring.hdr->head, __ATOMIC_ACQUIRE) == ch->ring.next) /* A */
		return NULL;
	return (const void *)(ch->ring.slots + (size_t)(ch->ring.next & ch->ring.mask) * ch->ring.slot_size);
}

bool zio_plain_take(struct zio_group *g, struct zio_event *ev)
{
	const struct zio_control *first = first_control(g);
	struct common c = { first, g->flags & ZIO_GROUP_ANY_TRIGGER };
	uint64_t time;
	unsigned int i;

	if (!first)
		return false;
	time = zio_time_ns(&first->tstamp);
	if (time <= g->last_time || time - g->last_time <= g->window)
		return false;
	for (i = 0; i < g->n; i++)
		if (!peek(g->members[i], &g->parts[i], &c))
			return false;
	take_all(g);
	zio_event_put_whole(g, ev, time);
	g->plain = true;
	g->members_behind = true;
	return true;
}

void zio_plain_release(struct zio_group *g)
{
	unsigned int i;

	for (i = 0; g->plain && i < g->n; i++) {
		struct zio_channel *ch = g->members[i]->ch;

		if (zio_unlikely(ch->ring.keeps))
			zio_ring_pass(ch);
		else
			__atomic_store_n(&ch->ring.hdr->tail, ch->ring.next, __ATOMIC_RELEASE); /* S */
	}
	g->plain = false;
}

void zio_plain_settle(struct zio_group *g)
{
	unsigned int i;

	for (i = 0; g->members_behind && i < g->n; i++) {
		struct zio_member *m = g->members[i];

		m->in_last = true;
		m->last_time = g->last_time;
		m->has_time = true;
		m->n_late = 0;
		m->last_seq = m->ch->seq.expected - 1;
	}
	g->members_behind = false;
}
