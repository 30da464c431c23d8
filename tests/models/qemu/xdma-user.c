// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma-user.c: the user's logic of the XDMA model, one for each pair of engines
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
	       fifo->room >= words && fifo->room - fifo->n_words >= words;
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

static uint32_t random_below(struct xdma_user *user, uint64_t n)
{
	user->random = user->random * 1664525 + 1013904223;
	return (user->random >> 8) % n;
}

static uint32_t choose_words(struct xdma_user *user)
{
	if (!user->spread)
		return user->words;
	return user->words + random_below(user, user->spread + 1ull);
}

static uint32_t choose_interval(struct xdma_user *user)
{
	if (!(user->control & XDMA_RANDOM))
		return user->period_ns;
	return random_below(user, 2ull * user->period_ns + 1);
}

static void make_packet(struct xdma_user *user)
{
	uint32_t words = choose_words(user), number = user->made++, i;

	if (!xdma_fifo_has_room(&user->fifo, words)) {
		user->dropped++;
		return;
	}
	for (i = 0; i < words; i++)
		xdma_fifo_put(&user->fifo, xdma_pattern(number, i));
	xdma_fifo_end(&user->fifo);
}

static void plan_next(struct xdma *card, struct xdma_user *user)
{
	bool on = (user->control & XDMA_SOURCE) && user->words &&
		  (!user->limit || user->made < user->limit);

	user->next_at = on ? card->now + choose_interval(user) : XDMA_NEVER;
}

static void run_source(struct xdma *card, struct xdma_user *user)
{
	if (user->next_at > card->now)
		return;
	make_packet(user);
	plan_next(card, user);
}

void xdma_user_run(struct xdma *card)
{
	unsigned int i;

	for (i = 0; i < card->n_engines; i++)
		run_source(card, &card->user[i]);
}

/* --- registers -------------------------------------------------------------- */

struct plain {
	uint32_t offset;
	size_t where;
	bool is_writable;
};

static const struct plain of_stream[] = {
	{ XDMA_USER_PERIOD, offsetof(struct xdma_user, period_ns), true },
	{ XDMA_USER_WORDS, offsetof(struct xdma_user, words), true },
	{ XDMA_USER_SPREAD, offsetof(struct xdma_user, spread), true },
	{ XDMA_USER_LIMIT, offsetof(struct xdma_user, limit), true },
	{ XDMA_USER_CONTROL, offsetof(struct xdma_user, control), true },
	{ XDMA_USER_MADE, offsetof(struct xdma_user, made), false },
	{ XDMA_USER_DROPPED, offsetof(struct xdma_user, dropped), false },
	{ XDMA_USER_SUNK, offsetof(struct xdma_user, sunk), false },
	{ XDMA_USER_STARVED, offsetof(struct xdma_user, starved), true },
	{ XDMA_USER_STARVED_NS, offsetof(struct xdma_user, starved_ns), true },
	{ XDMA_USER_FIFO, offsetof(struct xdma_user, fifo.room), true },
	{ }
};

static const struct plain of_card[] = {
	{ XDMA_USER_INJECT, offsetof(struct xdma, inject), true },
	{ XDMA_USER_FAULTS, offsetof(struct xdma, faults), true },
	{ XDMA_USER_FETCH_NS, offsetof(struct xdma, costs.fetch_ns), true },
	{ XDMA_USER_KIB_NS, offsetof(struct xdma, costs.kib_ns), true },
	{ XDMA_USER_WRITE_NS, offsetof(struct xdma, costs.write_ns), true },
	{ XDMA_USER_READ_NS, offsetof(struct xdma, costs.read_ns), true },
	{ XDMA_USER_POST_NS, offsetof(struct xdma, costs.post_ns), true },
	{ XDMA_USER_READS, offsetof(struct xdma, reads), true },
	{ XDMA_USER_WRITES, offsetof(struct xdma, writes), true },
	{ XDMA_USER_WAIT_NS, offsetof(struct xdma, wait_ns), true },
	{ XDMA_USER_MESSAGES, offsetof(struct xdma, messages), true },
	{ }
};

static uint32_t *find_in(const struct plain *plain, void *object, uint32_t offset,
			 bool for_write)
{
	for (; plain->offset; plain++)
		if (plain->offset == offset && (plain->is_writable || !for_write))
			return (uint32_t *)((char *)object + plain->where);
	return NULL;
}

static struct xdma_user *find_stream(struct xdma *card, uint32_t offset)
{
	uint32_t i = offset / XDMA_STRIDE;

	return i < card->n_engines ? &card->user[i] : NULL;
}

static uint32_t *find_plain(struct xdma *card, uint32_t offset, bool for_write)
{
	struct xdma_user *user = find_stream(card, offset);
	uint32_t *found = NULL;

	if (user)
		found = find_in(of_stream, user, offset % XDMA_STRIDE, for_write);
	return found ? found : find_in(of_card, card, offset, for_write);
}

uint32_t xdma_user_read(struct xdma *card, uint32_t offset)
{
	uint32_t *value = find_plain(card, offset, false);

	if (offset == XDMA_USER_ID)
		return XDMA_USER_MAGIC;
	return value ? *value : 0;
}

/* A transfer that is under way keeps its words. */
static void flush_fifo(struct xdma *card, struct xdma_user *user)
{
	struct xdma_fifo *fifo = &user->fifo;
	bool is_busy = fifo->n_packets &&
		       card->c2h[user - card->user].done_at != XDMA_NEVER;

	fifo->n_packets = is_busy;
	fifo->n_words = is_busy ? fifo->length[fifo->first_packet] : 0;
	fifo->open_words = 0;
}

/* Starting the source starts its numbers anew. */
static void control_source(struct xdma *card, struct xdma_user *user, uint32_t old)
{
	if (user->control & XDMA_FLUSH)
		flush_fifo(card, user);
	user->control &= ~XDMA_FLUSH;
	if (user->control & ~old & XDMA_SOURCE) {
		user->made = 0;
		user->dropped = 0;
	}
	plan_next(card, user);
}

static void write_plain(struct xdma *card, uint32_t offset, uint32_t value)
{
	uint32_t *to = find_plain(card, offset, true), old;
	struct xdma_user *user = find_stream(card, offset);

	if (!to)
		return;
	old = *to;
	*to = value;
	if (user && offset % XDMA_STRIDE == XDMA_USER_CONTROL)
		control_source(card, user, old);
	if (user && user->fifo.room > XDMA_FIFO_WORDS)
		user->fifo.room = XDMA_FIFO_WORDS;
}

void xdma_user_write(struct xdma *card, uint32_t offset, uint32_t value)
{
	if (offset == XDMA_USER_FIRE)
		xdma_fire(card, value);
	else if (offset == XDMA_USER_LOSE)
		card->lose_at = card->now + value;
	else
		write_plain(card, offset, value);
	xdma_advance(card, card->now);
}

static void reset_stream(struct xdma *card, struct xdma_user *user)
{
	struct xdma_fifo *fifo = &user->fifo;

	memset(user, 0, offsetof(struct xdma_user, fifo));
	user->next_at = XDMA_NEVER;
	flush_fifo(card, user);
	fifo->room = XDMA_FIFO_DEFAULT;
}

void xdma_user_reset(struct xdma *card)
{
	unsigned int i;

	for (i = 0; i < card->n_engines; i++)
		reset_stream(card, &card->user[i]);
	card->inject = 0;
	card->lose_at = XDMA_NEVER;
	card->costs = (struct xdma_costs){
		.fetch_ns = 900, .kib_ns = 160, .write_ns = 300,
		.read_ns = 900, .post_ns = 50,
	};
}
