// SPDX-License-Identifier: GPL-2.0-only
/*
 * reset.c: resets of card, link and FIFO, and the restart of a card that lost its state
 *
 * All functions run in process context, sleep, and take card->reset_lock. Afterwards the
 * caller calls slink_service().
 */
#include <linux/delay.h>

#include "slink.h"

static void slink_reset_lines(struct slink_card *card, u32 mask, u32 lines)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	slink_set_omb1(card, mask, lines);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

static void slink_reset_chip(struct slink_card *card, u32 clear, u32 set)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	s5933_set_mcsr(&card->chip, clear, set);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

static void slink_begin_link_reset(struct slink_card *card, bool heed)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	slink_pull_link_down(card, heed);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

/**
 * slink_reset_link() - reset the link
 * @card: the card
 *
 * The link comes up by itself when its other end is ready; see slink_follow_link().
 *
 * Context: process, sleeps.
 */
void slink_reset_link(struct slink_card *card)
{
	mutex_lock(&card->reset_lock);
	slink_begin_link_reset(card, true);
	mutex_unlock(&card->reset_lock);
}

/* Each step of a reset takes the card at least this time. */
static void slink_wait_reset(struct slink_card *card)
{
	s5933_flush(&card->chip);
	usleep_range(10, 20);
}

/**
 * slink_reset_card() - bring FIFOs, card and link into the power-on state
 * @card: the card; no transfer runs
 *
 * The steps have the order and times of libSLINK.c. The link comes up by itself when its
 * other end is ready; see slink_follow_link().
 *
 * Context: process, sleeps.
 */
void slink_reset_card(struct slink_card *card)
{
	unsigned long flags;

	slink_begin_link_reset(card, false);
	slink_reset_lines(card, OMB1_FRESET_N, 0);
	slink_reset_chip(card, MCSR_WRITE_ENABLE | MCSR_READ_ENABLE, MCSR_RESET_CARD);
	slink_wait_reset(card);
	slink_reset_chip(card, 0, MCSR_RESETS);
	slink_wait_reset(card);
	slink_begin_link_reset(card, false);
	spin_lock_irqsave(&card->chip.lock, flags);
	card->lines = 0;
	card->unacknowledged = false;
	card->in.aborted = false;
	spin_unlock_irqrestore(&card->chip.lock, flags);
	slink_reset_chip(card, MCSR_RESET_CARD, 0);
	slink_wait_reset(card);
	slink_reset_lines(card, OMB1_FRESET_N, OMB1_FRESET_N);
}

/* Drops the words in card and armed blocks. No visit works until slink_end_reset(). */
static void slink_begin_reset(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	card->in_reset = true;
	s5933_set_irq(&card->chip, false, 0);
	slink_drop_input(card);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

static void slink_end_reset(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	slink_expect(card, TYPE_DATA);
	card->in_reset = false;
	card->lost = false;
	card->timed = false;
	s5933_set_irq(&card->chip, !card->chip.halted, 0);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

static void slink_restart_locked(struct slink_card *card)
{
	slink_begin_reset(card);
	slink_reset_card(card);
	slink_end_reset(card);
}

/* Returns true if the card has lost its state. The next block then has an alarm. */
static bool slink_note_loss(struct slink_card *card)
{
	unsigned long flags;
	u32 status;
	bool lost;

	spin_lock_irqsave(&card->chip.lock, flags);
	status = s5933_read(&card->chip, S5933_INTCSR);
	lost = !s5933_is_gone(status) &&
		(card->lost || !s5933_has_state(&card->chip, status));
	if (lost) {
		card->lost = true;
		slink_lose_event(card, 0);
		slink_count(card, SLINK_RESTARTS, 1);
	}
	spin_unlock_irqrestore(&card->chip.lock, flags);
	return lost;
}

/**
 * slink_restart() - reset the card and set it up again
 * @card: the card
 *
 * Context: process, sleeps. The caller then calls slink_service().
 */
void slink_restart(struct slink_card *card)
{
	mutex_lock(&card->reset_lock);
	slink_note_loss(card);
	slink_restart_locked(card);
	mutex_unlock(&card->reset_lock);
}

static void slink_empty_locked(struct slink_card *card)
{
	slink_begin_reset(card);
	slink_reset_lines(card, OMB1_FRESET_N, 0);
	slink_reset_chip(card, 0, MCSR_RESET_WRITE);
	slink_wait_reset(card);
	slink_reset_lines(card, OMB1_FRESET_N, OMB1_FRESET_N);
	slink_end_reset(card);
}

/**
 * slink_empty_fifo() - empty the FIFOs of the card and of the chip
 * @card: the card
 *
 * A card that has lost its state is fully restarted, because its link is down as well.
 *
 * Context: process, sleeps. The caller then calls slink_service().
 */
void slink_empty_fifo(struct slink_card *card)
{
	mutex_lock(&card->reset_lock);
	if (slink_note_loss(card))
		slink_restart_locked(card);
	else
		slink_empty_locked(card);
	mutex_unlock(&card->reset_lock);
}

/**
 * slink_restart_lost() - restart the card if it has lost its state
 * @card: the card
 *
 * A bus reset or a loss of power erases the state of a card. Such a card does not
 * interrupt.
 *
 * Context: process, sleeps.
 * Return: true if the card was restarted; the caller then calls slink_service().
 */
bool slink_restart_lost(struct slink_card *card)
{
	bool lost;

	mutex_lock(&card->reset_lock);
	lost = slink_note_loss(card);
	if (lost)
		slink_restart_locked(card);
	mutex_unlock(&card->reset_lock);
	return lost;
}
