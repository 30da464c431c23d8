// SPDX-License-Identifier: GPL-2.0-only
/* sps.c: a model of the SPS card; see sps.h */
#include <string.h>

#include "sps.h"

static bool is_high(const struct sps *card, uint32_t line)
{
	return card->control & line;
}

/* --- status to the host --------------------------------------------------- */

static bool link_is_there(const struct sps *card)
{
	return (card->link == SLINK_LINK_READY || card->link == SLINK_LINK_UP) &&
	       slink_is_up(&card->to);
}

static uint8_t lines_now(const struct sps *card)
{
	uint8_t lines = 0;

	if (card->to.ops)
		lines = SPS_LRL(card->to.ops->return_lines(card->to.priv));
	if (link_is_there(card))
		lines |= SPS_LDOWN_N;
	return lines;
}

static void strobe_status(struct sps *card)
{
	card->lines = lines_now(card);
	s5933_write_imb(card->chip, 3, 3, card->lines);
}

/* --- words that leave ----------------------------------------------------- */

static bool is_testing(const struct sps *card)
{
	return card->test_index || !is_high(card, SPS_UTEST_N);
}

static bool has_word(const struct sps *card)
{
	return card->chip->p2a.level || is_testing(card);
}

static bool can_send(const struct sps *card)
{
	return card->link == SLINK_LINK_UP && card->to.ops && has_word(card) &&
	       slink_may_send(&card->to, card->slack);
}

bool sps_is_active(const struct sps *card)
{
	return !card->held && can_send(card);
}

/* The card always completes a cycle of the self test. */
static struct slink_word next_test_word(struct sps *card)
{
	unsigned int width = slink_width(SPS_UDW(card->control));
	struct slink_word word = slink_test_word(card->test_index);

	card->test_index = (card->test_index + 1) % slink_test_length(width);
	return word;
}

static struct slink_word next_word(struct sps *card)
{
	struct slink_word word = { 0 };

	s5933_pull(card->chip, &word.data);
	word.data &= UINT32_MAX >> (32 - slink_width(SPS_UDW(card->control)));
	if (!is_high(card, SPS_UCTRL_N))
		word.flags = SLINK_CONTROL;
	return word;
}

static void send_word(struct sps *card)
{
	struct slink_word word = is_testing(card) ? next_test_word(card) :
						    next_word(card);

	card->stats.sent++;
	card->out_at = *card->now + card->cfg.word_ns;
	slink_send(&card->to, &card->slack, word);
}

/* --- the host's lines ----------------------------------------------------- */

/* URESET# stays low until LDOWN# is high. */
static void set_link_reset(struct sps *card, bool high)
{
	card->up_at = SLINK_NEVER;
	if (!high) {
		card->link = SLINK_LINK_RESET;
		card->up_at = *card->now + card->cfg.reset_ns;
	} else if (card->link == SLINK_LINK_READY) {
		card->link = SLINK_LINK_UP;
	} else {
		card->link = SLINK_LINK_DOWN;
	}
}

static void take_lines(struct sps *card)
{
	uint32_t old = card->control;

	card->control = s5933_take_omb(card->chip, 0);
	if (((card->control ^ old) & SPS_UCTRL_N) && card->chip->p2a.level)
		card->chip->faults.overtaken++;
	if ((card->control ^ old) & SPS_URESET_N)
		set_link_reset(card, is_high(card, SPS_URESET_N));
}

void sps_omb_written(struct sps *card, unsigned int box)
{
	if (!card->held && box == 0)
		take_lines(card);
}

static void power_on(struct sps *card)
{
	card->control = 0;
	card->lines = 0;
	card->slack = 0;
	card->test_index = 0;
	card->out_at = 0;
	set_link_reset(card, false);
}

void sps_addon_reset(struct sps *card, bool held)
{
	card->held = held;
	power_on(card);
	if (!held && s5933_omb_is_full(card->chip, 0))
		take_lines(card);
}

void sps_reset(struct sps *card)
{
	card->held = false;
	power_on(card);
}

void sps_set_destination(struct sps *card, struct slink_end to)
{
	card->to = to;
	card->slack = 0;
}

/* --- together ------------------------------------------------------------- */

static bool is_link_due(const struct sps *card)
{
	return card->up_at <= *card->now && card->to.ops;
}

uint64_t sps_next_ns(const struct sps *card)
{
	uint64_t up_at = card->to.ops ? card->up_at : SLINK_NEVER;

	if (card->held)
		return SLINK_NEVER;
	if (lines_now(card) != card->lines)
		return *card->now;
	if (can_send(card))
		return slink_earlier(up_at, slink_later(card->out_at, *card->now));
	return up_at == SLINK_NEVER ? up_at : slink_later(up_at, *card->now);
}

void sps_run(struct sps *card)
{
	if (card->held)
		return;
	if (is_link_due(card)) {
		card->link = SLINK_LINK_READY;
		card->up_at = SLINK_NEVER;
	}
	if (lines_now(card) != card->lines)
		strobe_status(card);
	if (can_send(card) && card->out_at <= *card->now)
		send_word(card);
}

void sps_init(struct sps *card, struct s5933 *chip, const uint64_t *now)
{
	memset(card, 0, sizeof(*card));
	card->chip = chip;
	card->now = now;
	card->cfg = (struct sps_config){ .word_ns = 60, .reset_ns = 1000000 };
	sps_reset(card);
}
