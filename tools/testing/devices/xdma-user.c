// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma-user.c: the user's logic of the XDMA model
 *
 * A source makes packets into a FIFO. A packet that does not fit is dropped whole, as
 * logic does that cannot hold its detector back.
 */
#include <stddef.h>
#include <string.h>

#include "xdma.h"

/* --- the FIFO --------------------------------------------------------------- */

bool xdma_fifo_has_room(const struct xdma_fifo *fifo, uint32_t words)
{
	return fifo->n_packets < XDMA_FIFO_PACKETS &&
	       XDMA_FIFO_WORDS - fifo->n_words >= words;
}

bool xdma_fifo_put(struct xdma_fifo *fifo, uint32_t word)
{
	if (!xdma_fifo_has_room(fifo, 1))
		return false;
	fifo->word[(fifo->first_word + fifo->n_words++) % XDMA_FIFO_WORDS] = word;
	fifo->open_words++;
	return true;
}

void xdma_fifo_end(struct xdma_fifo *fifo)
{
	uint32_t slot = (fifo->first_packet + fifo->n_packets++) % XDMA_FIFO_PACKETS;

	fifo->length[slot] = fifo->open_words;
	fifo->open_words = 0;
}

/* --- the source ------------------------------------------------------------- */

static uint32_t choose_words(struct xdma_user *user)
{
	if (!user->spread)
		return user->words;
	user->random = user->random * 1664525 + 1013904223;
	return user->words + (user->random >> 8) % (user->spread + 1);
}

static void make_packet(struct xdma *card)
{
	struct xdma_user *user = &card->user;
	uint32_t words = choose_words(user), number = user->made++, i;

	if (!xdma_fifo_has_room(&card->fifo, words)) {
		user->dropped++;
		return;
	}
	for (i = 0; i < words; i++)
		xdma_fifo_put(&card->fifo, xdma_pattern(number, i));
	xdma_fifo_end(&card->fifo);
}

static void plan_next(struct xdma *card)
{
	struct xdma_user *user = &card->user;
	bool on = (user->control & XDMA_SOURCE) && user->words &&
		  (!user->limit || user->made < user->limit);

	user->next_at = on ? card->now + user->period_ns : XDMA_NEVER;
}

void xdma_user_run(struct xdma *card)
{
	if (card->user.next_at > card->now)
		return;
	make_packet(card);
	plan_next(card);
}

/* --- registers -------------------------------------------------------------- */

static const struct {
	uint32_t offset;
	size_t where;
	bool is_writable;
} plain[] = {
	{ XDMA_USER_PERIOD, offsetof(struct xdma, user.period_ns), true },
	{ XDMA_USER_WORDS, offsetof(struct xdma, user.words), true },
	{ XDMA_USER_SPREAD, offsetof(struct xdma, user.spread), true },
	{ XDMA_USER_LIMIT, offsetof(struct xdma, user.limit), true },
	{ XDMA_USER_CONTROL, offsetof(struct xdma, user.control), true },
	{ XDMA_USER_MADE, offsetof(struct xdma, user.made), false },
	{ XDMA_USER_DROPPED, offsetof(struct xdma, user.dropped), false },
	{ XDMA_USER_SUNK, offsetof(struct xdma, user.sunk), false },
	{ XDMA_USER_INJECT, offsetof(struct xdma, user.inject), true },
	{ XDMA_USER_FAULTS, offsetof(struct xdma, faults), true },
	{ XDMA_USER_FETCH_NS, offsetof(struct xdma, costs.fetch_ns), true },
	{ XDMA_USER_KIB_NS, offsetof(struct xdma, costs.kib_ns), true },
	{ XDMA_USER_WRITE_NS, offsetof(struct xdma, costs.write_ns), true },
	{ XDMA_USER_READS, offsetof(struct xdma, reads), true },
	{ XDMA_USER_WRITES, offsetof(struct xdma, writes), true },
	{ XDMA_USER_STARVED, offsetof(struct xdma, starved), true },
};

static uint32_t *find_plain(struct xdma *card, uint32_t offset, bool for_write)
{
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (plain[i].offset == offset && (plain[i].is_writable || !for_write))
			return (uint32_t *)((char *)card + plain[i].where);
	return NULL;
}

uint32_t xdma_user_read(struct xdma *card, uint32_t offset)
{
	uint32_t *value = find_plain(card, offset, false);

	if (offset == XDMA_USER_ID)
		return XDMA_USER_MAGIC;
	return value ? *value : 0;
}

/* A transfer that is under way keeps its words. */
static void flush_fifo(struct xdma *card)
{
	struct xdma_fifo *fifo = &card->fifo;
	bool is_busy = fifo->n_packets && card->c2h.done_at != XDMA_NEVER;

	fifo->n_packets = is_busy;
	fifo->n_words = is_busy ? fifo->length[fifo->first_packet] : 0;
	fifo->open_words = 0;
}

/* Starting the source starts its numbers anew. */
static void control_source(struct xdma *card, uint32_t old)
{
	struct xdma_user *user = &card->user;

	if (user->control & XDMA_FLUSH)
		flush_fifo(card);
	user->control &= ~XDMA_FLUSH;
	if (user->control & ~old & XDMA_SOURCE) {
		user->made = 0;
		user->dropped = 0;
	}
	plan_next(card);
}

void xdma_user_write(struct xdma *card, uint32_t offset, uint32_t value)
{
	uint32_t *to = find_plain(card, offset, true);
	uint32_t old;

	if (offset == XDMA_USER_FIRE)
		xdma_fire(card, value);
	if (!to)
		return;
	old = *to;
	*to = value;
	if (offset == XDMA_USER_CONTROL)
		control_source(card, old);
	xdma_advance(card, card->now);
}

void xdma_user_reset(struct xdma *card)
{
	memset(&card->user, 0, sizeof(card->user));
	card->user.next_at = XDMA_NEVER;
	flush_fifo(card);
	card->costs = (struct xdma_costs){ .fetch_ns = 900, .kib_ns = 160, .write_ns = 300 };
}
