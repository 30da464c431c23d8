// SPDX-License-Identifier: GPL-2.0-only
/*
 * sspci-out.c: the output side of the card model
 *
 * Words of the P2A FIFO go to the link with the type that UCTRL# selects. The card takes
 * OMB2 only when this FIFO is empty. So a mailbox cannot overtake a word that the host
 * wrote before it.
 */
#include "sspci-out.h"

static bool is_testing(const struct sspci *card)
{
	return card->out_test || !(card->out_control & SSPCI_UTEST_N);
}

static bool has_lines(const struct sspci *card)
{
	return !card->chip->p2a.level && s5933_omb_is_full(card->chip, 1);
}

static bool has_word(const struct sspci *card)
{
	return card->chip->p2a.level || is_testing(card);
}

static bool can_send(const struct sspci *card)
{
	return card->to.ops && has_word(card) &&
	       slink_may_send(&card->to, card->out_slack);
}

static uint8_t status_of(const struct sspci *card)
{
	uint8_t status = 0;

	if (!card->to.ops)
		return status;
	status = SSPCI_OUT_LRL(card->to.ops->return_lines(card->to.priv));
	if (slink_is_up(&card->to))
		status |= SSPCI_OUT_LDOWN_N;
	if (!slink_is_full(&card->to))
		status |= SSPCI_OUT_LFF_N;
	return status;
}

uint64_t sspci_out_next_ns(const struct sspci *card)
{
	if (card->held)
		return SLINK_NEVER;
	if (has_lines(card) || status_of(card) != card->out_status)
		return *card->now;
	if (can_send(card))
		return slink_later(card->out_at, *card->now);
	return SLINK_NEVER;
}

bool sspci_output_is_active(const struct sspci *card)
{
	return !card->held && (has_lines(card) || can_send(card));
}

/* The output always completes a cycle of the self test. */
static struct slink_word next_test_word(struct sspci *card)
{
	unsigned int width = card->to.ops->width(card->to.priv);
	struct slink_word word = slink_test_word(card->out_test);

	card->out_test = (card->out_test + 1) % slink_test_length(width);
	return word;
}

static void send_word(struct sspci *card)
{
	struct slink_word word = { 0 };

	if (is_testing(card)) {
		word = next_test_word(card);
	} else {
		s5933_pull(card->chip, &word.data);
		if (!(card->out_control & SSPCI_UCTRL_N))
			word.flags = SLINK_CONTROL;
	}
	card->stats.sent++;
	card->out_at = *card->now + card->cfg.out_ns;
	slink_send(&card->to, &card->out_slack, word);
}

void sspci_out_run(struct sspci *card)
{
	uint8_t status = status_of(card);

	if (status != card->out_status) {
		card->out_status = status;
		s5933_write_imb(card->chip, 2, 0, status);
	}
	if (has_lines(card))
		card->out_control = s5933_take_omb(card->chip, 1);
	if (can_send(card) && card->out_at <= *card->now)
		send_word(card);
}

void sspci_out_reset(struct sspci *card)
{
	card->out_control = SSPCI_UCTRL_N | SSPCI_UTEST_N;
	card->out_status = 0;
	card->out_slack = 0;
	card->out_test = 0;
	card->out_at = 0;
}

void sspci_set_output(struct sspci *card, struct slink_end to)
{
	card->to = to;
	card->out_slack = 0;
}
