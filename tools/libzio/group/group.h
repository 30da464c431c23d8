/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations shared by the files of zio_group. */
#ifndef LIBZIO_GROUP_H
#define LIBZIO_GROUP_H

#include "libzio/channel/channel.h"

/*
 * A block that waits for its event. The data of the newest block of a member are still in
 * the memory of its channel; the data of the others are in @mem.
 */
struct zio_slot {
	struct zio_block blk;
	uint64_t time;		/* time stamp, ns */
	uint64_t arrival;	/* when the group read it, ns of CLOCK_MONOTONIC; 0: now */
	uint32_t lost_left;	/* blocks lost before it and not yet reported */
	uint32_t seq;
	struct zio_control control;
	void *mem;
	size_t mem_size;
};

/* A channel of a group. Its slots are a queue; the first block is the oldest. */
struct zio_member {
	struct zio_channel *ch;
	struct zio_group *group;
	struct zio_slot *slots;
	unsigned int depth, first, count;
	bool in_place;		/* the newest block is in the memory of the channel */
	bool given;		/* the first block is in the current event */
	bool gone;
	int gone_errno;
	bool cannot_poll;	/* a regular file */
	int watched_fd;		/* in the epoll; -1: none */
	bool in_last;		/* has a block in the last event that was not late */
	uint32_t last_seq;	/* sequence number of that block */
	bool has_time;
	uint64_t last_time;	/* of its last block, late or not, if has_time */
	bool was_late;		/* events up to late_to went out without it */
	uint64_t late_to;
	uint32_t n_late;	/* how many of these events still lack the block */
	bool nonblock;		/* its state before it joined */
	bool owned;		/* the group closes the channel */
};

struct zio_group {
	unsigned int flags;
	struct zio_member **members;
	struct zio_part *parts;
	struct zio_set **sets;
	unsigned int n_sets;
	unsigned int n;
	unsigned int depth;
	uint64_t window;
	int limit;		/* ms; negative: none */
	uint64_t last_time;	/* of the last event that was not late */
	int epoll_fd, interrupt_fd, timer_fd;
	bool timer_runs;
	unsigned int in_step;	/* complete events in a row */
	struct zio_member *slowest;	/* the only channel to wait for; NULL: all */
	struct zio_member *watched_one;	/* the only one in the epoll; NULL: any */
	bool plain;		/* the current event is from plain.c */
	bool members_behind;	/* members are behind the last event */
	uint64_t waits_since;	/* for slowest; 0: it has come */
	struct zio_group_stats stats;
	struct zio_channel *failed;	/* the channel whose fault it is; NULL: none */
	const char *fault;
	int fault_errno;
	struct zio_error error;
};

/* --- member.c */

/* Return a member for @ch, or NULL with ENOMEM. */
struct zio_member *zio_member_new(struct zio_group *g, struct zio_channel *ch);
void zio_member_free(struct zio_member *m);

/* Return the oldest block, or NULL. */
static inline struct zio_slot *zio_member_first(const struct zio_member *m)
{
	return m->count ? &m->slots[m->first] : NULL;
}

/* Append a block to the queue. Returns 1, 0 if there is none, -1 with errno. */
int zio_member_read(struct zio_member *m);

/* Drop the oldest block. A ring gets it back immediately. */
static inline void zio_member_pop(struct zio_member *m)
{
	m->first = m->first + 1 < m->depth ? m->first + 1 : 0;
	if (--m->count || !m->in_place)
		return;
	m->in_place = false;
	if (m->ch->ring.hdr)
		zio_ring_pass(m->ch);
}

bool zio_member_is_full(const struct zio_member *m);

/* Are there blocks that poll() does not report, or does one hide others from it? */
bool zio_member_hides_blocks(const struct zio_member *m);

/*
 * Neither the member nor its ring has a block. A ring that acquires blocks when polled is
 * never quiet.
 */
static inline bool zio_member_is_quiet(const struct zio_member *m)
{
	const struct zio_channel *ch = m->ch;

	return ch->ring.hdr && !m->count &&
	       __atomic_load_n(&ch->ring.hdr->head, __ATOMIC_RELAXED) == ch->ring.next &&
	       (__atomic_load_n(&ch->ring.hdr->flags, __ATOMIC_RELAXED) & ZIO_RING_EVENTS);
}

/* The newest block arrived at @now, unless its arrival is known. */
void zio_member_stamp(struct zio_member *m, uint64_t now);

/* --- event.c */

/* Drop the blocks of the current event, unless it is from plain.c. */
void zio_event_release(struct zio_group *g);

/* Drop the oldest blocks that are late. */
void zio_event_drop_late(struct zio_member *m);

/*
 * Make the next event from the oldest blocks. Returns false if it waits for a channel,
 * until *@until in ns of CLOCK_MONOTONIC; UINT64_MAX is no limit.
 */
bool zio_event_make(struct zio_group *g, struct zio_event *ev, uint64_t *until);

/* Deliver the parts of all channels as a complete event that is in time. */
void zio_event_put_whole(struct zio_group *g, struct zio_event *ev, uint64_t time);

/* --- plain.c */

/* Take the usual event from the rings. Returns false if it is not there. */
bool zio_plain_take(struct zio_group *g, struct zio_event *ev);

/* Drop the blocks of such an event. */
void zio_plain_release(struct zio_group *g);

/* Bring the members up to date with such events. */
void zio_plain_settle(struct zio_group *g);

#endif /* LIBZIO_GROUP_H */
