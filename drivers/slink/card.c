// SPDX-License-Identifier: GPL-2.0-only
/*
 * card.c: the lines of the card, and its link
 *
 * The card writes its lines to byte 3 of mailbox 4 (IMB4) when the link or the overflow
 * changes, and when it stops at a word that does not have the expected type. Such a message
 * sets a status bit of INTCSR and a flag in MBEF, which reading the mailbox clears.
 */
#include <linux/zio-compat.h>

#include "card.h"

/* If the card is halted, it gets the lines when it restarts. */
void slink_set_omb1(struct slink_card *card, u32 mask, u32 lines)
{
	card->omb1 = (card->omb1 & ~mask) | lines;
	if (!card->chip.halted)
		s5933_write(&card->chip, S5933_OMB(1), card->omb1);
	/* If the waiting word still has an unexpected type, the card reports it again. */
	card->stopped = false;
}

/* Lets words of this type pass, up to the first word of another type. */
void slink_expect(struct slink_card *card, u8 type)
{
	card->in.expect = type;
	slink_set_omb1(card, OMB1_EXPECT, (u32)type << OMB1_EXPECT_SHIFT);
}

/* If the link went down, resets it. If it came up, releases the reset. */
static void slink_follow_link(struct slink_card *card, u8 lines)
{
	bool up = lines & LINE_LDOWN_N;

	if (up == card->resetting) {
		card->resetting = !up;
		slink_set_omb1(card, OMB1_URESET_N, up ? OMB1_URESET_N : 0);
	} else {
		/* The lines no longer describe the waiting word, if any: ask again. */
		slink_set_omb1(card, 0, 0);
	}
	if (!up)
		slink_count(card, SLINK_LINK_DROPS, 1);
}

/* The card has lost its state and with it the transfers. slink_watch() restarts it. */
void slink_lose_card(struct slink_card *card)
{
	if (!slink_is_usable(card))
		return;
	card->lost = true;
	/* Until the restart, no visit acknowledges interrupts. */
	s5933_set_irq(&card->chip, false, 0);
	mod_delayed_work(system_percpu_wq, &card->watch, 0);
}

/* Returns true if all lines of the card are low because it has lost its state. */
static bool slink_is_lost(struct slink_card *card, u8 lines)
{
	return !lines && card->lines &&
		!s5933_has_state(&card->chip, s5933_read(&card->chip, S5933_INTCSR));
}

static void slink_note_lines(struct slink_card *card, u8 lines)
{
	u8 changed = lines ^ card->lines;

	card->lines = lines;
	card->stopped = (lines & LINE_TYPE) != card->in.expect;
	if (changed & LINE_OVERFLOW & lines)
		slink_count(card, SLINK_OVERFLOWS, 1);
	if (changed & LINE_LDOWN_N)
		slink_follow_link(card, lines);
	else if (changed & LINE_OVERFLOW)
		slink_set_omb1(card, 0, 0);
}

static void slink_take_lines(struct slink_card *card)
{
	u32 mail = s5933_read(&card->chip, S5933_IMB(4));
	u8 lines = mail >> 24;

	if (s5933_is_gone(mail))
		return;
	if (slink_is_lost(card, lines)) {
		slink_lose_card(card);
		return;
	}
	if (lines != card->lines || (lines & LINE_TYPE) != card->in.expect)
		card->unacknowledged = true;
	slink_note_lines(card, lines);
}

/*
 * Returns true if the value of a message tells it from the previous one. If that had the
 * expected type, another type is news. card->lines has the value of the mailbox, except
 * during a reset of the link.
 */
static bool slink_is_news_visible(const struct slink_card *card)
{
	return !card->resetting && (card->lines & LINE_TYPE) == card->in.expect;
}

/**
 * slink_look() - check whether the card has stopped, without the status of the chip
 * @card: the card, locked
 *
 * In the common case this is one register read, which takes the message. The status bit of
 * the message stays set: card->unacknowledged.
 *
 * Context: any.
 */
void slink_look(struct slink_card *card)
{
	if (slink_is_news_visible(card) ||
	    (s5933_read(&card->chip, S5933_MBEF) & MBEF_IMB(4, 3)))
		slink_take_lines(card);
}

static void slink_note_status(struct slink_card *card, u32 status)
{
	bool is_read = card->unacknowledged;

	card->unacknowledged = false;
	if (status & INTCSR_IS_WRITE_DONE)
		card->in.page_done = true;
	if (status & INTCSR_ABORTS) {
		slink_count(card, SLINK_ABORTS, 1);
		card->in.aborted = true;
	}
	if (!(status & INTCSR_IS_IMB))
		return;
	if (is_read)
		slink_look(card);
	else
		slink_take_lines(card);
}

/**
 * slink_begin_status() - disable interrupts and take the status of the chip
 * @card: the card, locked
 * @status: INTCSR, as just read
 *
 * The function clears the status of the mailbox before it reads the mailbox. Otherwise the
 * driver could miss what the card writes between the two.
 *
 * Context: any.
 * Return: true if the driver can work with the card; false if the card is gone, has lost
 *         its state, or is in a reset.
 */
bool slink_begin_status(struct slink_card *card, u32 status)
{
	if (s5933_is_gone(status) || !slink_is_usable(card))
		return false;
	if (!s5933_has_state(&card->chip, status)) {
		slink_lose_card(card);
		return false;
	}
	s5933_set_irq(&card->chip, false, status & INTCSR_STATUS);
	slink_note_status(card, status);
	return slink_is_usable(card);
}

/**
 * slink_pull_link_down() - start a reset of the link
 * @card: the card, locked
 * @heed: whether to act on messages of the card after it has seen URESET#; false while
 *        a reset of the card holds the link down
 *
 * The function acknowledges and drops earlier messages of the card. Otherwise the driver
 * could mistake an old message for the link coming up, and release URESET# too early.
 * Reading the mailbox ensures that the card has seen the line. On a slow machine the link
 * may be up again by then, and the card reports this only once.
 *
 * Context: any.
 */
void slink_pull_link_down(struct slink_card *card, bool heed)
{
	bool enable = card->chip.intcsr & card->chip.ops->irq;

	if (heed && !slink_begin_status(card, s5933_read(&card->chip, S5933_INTCSR)))
		return;
	card->resetting = true;
	slink_set_omb1(card, OMB1_URESET_N, 0);
	s5933_set_irq(&card->chip, enable, INTCSR_IS_IMB);
	card->lines &= ~LINE_LDOWN_N;
	if (heed)
		slink_take_lines(card);
	else
		s5933_read(&card->chip, S5933_IMB(4));
	/* The dropped message may have been about a waiting word: ask again. */
	slink_set_omb1(card, 0, 0);
}
