// SPDX-License-Identifier: GPL-2.0-only
/*
 * sps-card.c: the lines of an SPS card, its link, and resets
 *
 * The card writes its lines to byte 3 of mailbox 4 whenever one of them changes. The driver
 * keeps URESET# low until LDOWN# is high.
 */
#include <linux/delay.h>
#include <linux/zio-compat.h>

#include "sps.h"

/*
 * A change of UCTRL# also applies to the words in the FIFO: see sps-send.c. If the card is
 * halted, it gets the lines when it restarts.
 */
void sps_set_omb1(struct sps_card *card, u32 mask, u32 lines)
{
	card->omb1 = (card->omb1 & ~mask) | lines;
	if (!card->chip.halted)
		s5933_write(&card->chip, S5933_OMB(1), card->omb1);
}

/* If the link went down, resets it. If it came up, releases the reset. */
static void sps_follow_link(struct sps_card *card)
{
	bool up = card->lines & SPS_LDOWN_N;

	if (up != card->resetting)
		return;
	card->resetting = !up;
	sps_set_omb1(card, OMB1_URESET_N, up ? OMB1_URESET_N : 0);
	if (!up)
		sps_count(card, SPS_LINK_DROPS, 1);
}

static void sps_take_lines(struct sps_card *card)
{
	u32 mail = s5933_read(&card->chip, S5933_IMB(4));

	if (s5933_is_gone(mail))
		return;
	card->lines = mail >> 24;
	sps_follow_link(card);
}

/* Drops the rest of the block. The receiver gets an event without an end. */
void sps_drop(struct sps_card *card)
{
	struct s5933 *chip = &card->chip;

	if (card->dma.len) {
		s5933_set_mcsr(chip, MCSR_READ_ENABLE, MCSR_RESET_READ);
		s5933_write(chip, S5933_MRTC, 0);
		s5933_flush(chip);
		s5933_unmap(chip, DMA_TO_DEVICE, &card->dma);
	}
	card->pos = 0;
	/* If the block is sent again, it may be complete then. */
	card->failed = false;
	card->state = SPS_IDLE;
}

/* The card has lost its state and with it the transfer. sps_watch() restarts it. */
void sps_lose_card(struct sps_card *card)
{
	if (!sps_is_usable(card))
		return;
	card->lost = true;
	s5933_set_irq(&card->chip, false, 0);
	mod_delayed_work(system_percpu_wq, &card->watch, 0);
}

/**
 * sps_begin_status() - acknowledge the status of the chip, and act on it
 * @card: the card, locked
 * @status: INTCSR, as just read
 *
 * Context: any.
 * Return: true if the driver can work with the card.
 */
bool sps_begin_status(struct sps_card *card, u32 status)
{
	struct s5933 *chip = &card->chip;

	if (s5933_is_gone(status) || !sps_is_usable(card))
		return false;
	if (!s5933_has_state(chip, status)) {
		sps_lose_card(card);
		return false;
	}
	if (status & INTCSR_STATUS)
		s5933_set_irq(chip, true, status & INTCSR_STATUS);
	if (status & INTCSR_ABORTS)
		card->aborted = true;
	if (status & INTCSR_IS_IMB)
		sps_take_lines(card);
	return true;
}

static void sps_set_lines(struct sps_card *card, u32 mask, u32 lines)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	sps_set_omb1(card, mask, lines);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

static void sps_reset_chip(struct sps_card *card, u32 clear, u32 set)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	s5933_set_mcsr(&card->chip, clear, set);
	s5933_flush(&card->chip);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	/* libSLINK.c waits for this time between the steps of a reset. */
	usleep_range(10, 20);
}

/*
 * Starts a reset of the link. The mailbox may hold a message from before the reset, which
 * must not release it. OMB1 is written before the mailbox is read, so this message is
 * dropped.
 */
static void sps_pull_link_down(struct sps_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	card->resetting = true;
	sps_set_omb1(card, OMB1_URESET_N, 0);
	s5933_set_irq(&card->chip, card->chip.intcsr & card->chip.ops->irq,
		      INTCSR_IS_IMB);
	sps_take_lines(card);
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

/* The card is held in reset. An earlier message must not release the link. */
static void sps_drop_messages(struct sps_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	s5933_set_irq(&card->chip, false, INTCSR_STATUS);
	s5933_read(&card->chip, S5933_IMB(4));
	card->lines = 0;
	card->resetting = true;
	card->aborted = false;
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

/**
 * sps_reset_card() - bring FIFO, card and link into the power-on state
 * @card: the card; no transfer runs, and the chip does not interrupt
 *
 * The link comes up by itself when its other end is ready; see sps_follow_link().
 *
 * Context: process, sleeps.
 */
void sps_reset_card(struct sps_card *card)
{
	sps_set_lines(card, OMB1_URESET_N, 0);
	sps_reset_chip(card, MCSR_READ_ENABLE, MCSR_RESET_CARD);
	sps_reset_chip(card, 0, MCSR_RESETS);
	sps_drop_messages(card);
	sps_reset_chip(card, MCSR_RESET_CARD, 0);
	sps_set_lines(card, 0, 0);
}

/**
 * sps_reset_link() - reset the link; it comes up by itself
 * @card: the card
 *
 * Context: process, sleeps.
 */
void sps_reset_link(struct sps_card *card)
{
	mutex_lock(&card->reset_lock);
	sps_pull_link_down(card);
	mutex_unlock(&card->reset_lock);
}

/* The armed block is sent again from its beginning. */
static void sps_restart_locked(struct sps_card *card)
{
	struct s5933 *chip = &card->chip;
	unsigned long flags;

	spin_lock_irqsave(&chip->lock, flags);
	card->lost = true;
	s5933_set_irq(chip, false, 0);
	sps_drop(card);
	spin_unlock_irqrestore(&chip->lock, flags);
	sps_reset_card(card);
	spin_lock_irqsave(&chip->lock, flags);
	card->lost = false;
	s5933_set_irq(chip, !chip->halted, 0);
	spin_unlock_irqrestore(&chip->lock, flags);
}

/**
 * sps_restart() - reset the card and set it up again
 * @card: the card
 *
 * Context: process, sleeps. The caller then calls sps_service().
 */
void sps_restart(struct sps_card *card)
{
	mutex_lock(&card->reset_lock);
	sps_restart_locked(card);
	mutex_unlock(&card->reset_lock);
}

static bool sps_has_lost_state(struct sps_card *card)
{
	struct s5933 *chip = &card->chip;
	unsigned long flags;
	u32 status;
	bool lost;

	spin_lock_irqsave(&chip->lock, flags);
	status = s5933_read(chip, S5933_INTCSR);
	lost = !s5933_is_gone(status) &&
		(card->lost || !s5933_has_state(chip, status));
	spin_unlock_irqrestore(&chip->lock, flags);
	return lost;
}

/**
 * sps_restart_lost() - restart the card if it has lost its state
 * @card: the card
 *
 * Context: process, sleeps.
 * Return: true if the card was restarted; the caller then calls sps_service().
 */
bool sps_restart_lost(struct sps_card *card)
{
	bool lost;

	mutex_lock(&card->reset_lock);
	lost = sps_has_lost_state(card);
	if (lost) {
		sps_count(card, SPS_RESTARTS, 1);
		sps_restart_locked(card);
	}
	mutex_unlock(&card->reset_lock);
	return lost;
}
