// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The blocks of a channel while they wait for their events
 *
 * The newest block stays where the library has it, without a copy. Before the next call
 * on the channel, which would overwrite it, it moves to the memory of its slot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

struct zio_member *zio_member_new(struct zio_group *g, struct zio_channel *ch)
{
	struct zio_member *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->slots = calloc(g->depth, sizeof(*m->slots));
	if (!m->slots) {
		free(m);
		return NULL;
	}
	m->ch = ch;
	m->group = g;
	m->depth = g->depth;
	m->watched_fd = -1;
	m->nonblock = ch->nonblock;
	return m;
}

void zio_member_free(struct zio_member *m)
{
	unsigned int i;

	for (i = 0; i < m->depth; i++)
		free(m->slots[i].mem);
	free(m->slots);
	free(m);
}

static struct zio_slot *slot_at(const struct zio_member *m, unsigned int i)
{
	unsigned int at = m->first + i;

	return &m->slots[at < m->depth ? at : at - m->depth];
}

bool zio_member_is_full(const struct zio_member *m)
{
	return m->count == m->depth;
}

static int grow_slot(struct zio_member *m, struct zio_slot *slot, size_t size)
{
	if (size <= slot->mem_size)
		return 0;
	free(slot->mem);
	slot->mem = malloc(size);
	slot->mem_size = slot->mem ? size : 0;
	return slot->mem ? 0 : zio_fail(m->ch, ZIO_FAULT_MEMORY, ENOMEM);
}

/* Data that were read into the memory of the channel need no copy: swap the memory. */
static void swap_mem(struct zio_channel *ch, struct zio_slot *slot)
{
	void *mem = ch->mem;
	size_t size = ch->mem_size;

	ch->mem = slot->mem;
	ch->mem_size = slot->mem_size;
	slot->mem = mem;
	slot->mem_size = size;
}

/* Move the newest block out of the memory that the next call on the channel overwrites. */
static int settle(struct zio_member *m)
{
	struct zio_slot *slot = slot_at(m, m->count - 1);

	slot->control = *slot->blk.control;
	if (slot->blk.data && slot->blk.data == m->ch->mem) {
		swap_mem(m->ch, slot);
	} else if (slot->blk.data) {
		if (grow_slot(m, slot, slot->blk.size))
			return -1;
		memcpy(slot->mem, slot->blk.data, slot->blk.size);
	}
	slot->blk.control = &slot->control;
	if (slot->blk.data)
		slot->blk.data = slot->mem;
	m->in_place = false;
	return 0;
}

static void push(struct zio_member *m, const struct zio_block *blk)
{
	struct zio_slot *slot = slot_at(m, m->count++);

	slot->blk = *blk;
	slot->time = zio_time_ns(&blk->control->tstamp);
	slot->arrival = 0;
	slot->lost_left = blk->lost;
	slot->seq = blk->control->seq_num;
	m->in_place = true;
}

/* Most errors of a block file are final, and so is the loss of a device. */
static bool is_end(const struct zio_channel *ch, int code)
{
	return code == ENODEV ||
	       (ch->ops->is_file && code != EMSGSIZE && code != ENOMEM);
}

static int end_of_channel(struct zio_member *m, int code)
{
	m->gone = true;
	m->gone_errno = code;
	return 0;
}

int zio_member_read(struct zio_member *m)
{
	struct zio_block blk;
	int ret;

	if (m->in_place && settle(m))
		return -1;
	ret = m->ch->data_fd < 0 ? zio_next_control(m->ch, &blk) : zio_next(m->ch, &blk);
	if (ret > 0) {
		push(m, &blk);
		return 1;
	}
	if (ret < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (!ret)
		return end_of_channel(m, 0);
	return is_end(m->ch, errno) ? end_of_channel(m, errno) : -1;
}

bool zio_member_hides_blocks(const struct zio_member *m)
{
	struct zio_channel *ch = m->ch;

	if (m->gone || zio_member_is_full(m))
		return false;
	if (ch->ring.hdr)
		return m->in_place;
	return ch->ops->has_block && ch->ops->has_block(ch);
}

void zio_member_stamp(struct zio_member *m, uint64_t now)
{
	struct zio_slot *newest = slot_at(m, m->count - 1);

	if (m->count && !newest->arrival)
		newest->arrival = now;
}
