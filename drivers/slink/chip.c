// SPDX-License-Identifier: GPL-2.0-only
/* chip.c: registers of the S5933, resets, the link, and memory for its DMA */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/zio-dma.h>

#include "slink.h"

void slink_set_omb1(struct slink_card *card, u32 mask, u32 lines)
{
	card->omb1 = (card->omb1 & ~mask) | lines;
	slink_write(card, S5933_OMB1, card->omb1);
	/* A word that still is not the expected one is told anew. */
	card->stopped = false;
}

/* From now on words of this type pass, up to the first that is not. */
void slink_expect(struct slink_card *card, u8 type)
{
	card->in.expect = type;
	slink_set_omb1(card, OMB1_EXPECT, (u32)type << OMB1_EXPECT_SHIFT);
}

void slink_set_mcsr(struct slink_card *card, u32 clear, u32 set)
{
	card->mcsr = (card->mcsr & ~clear) | set;
	slink_write(card, S5933_MCSR, card->mcsr);
}

/*
 * Status bits are cleared by writing 1 to them, in the register that also has the
 * enables: so what is written comes from a copy, never from the register.
 *
 * Which mailboxes are meant is always told: their status comes without an interrupt,
 * too, for who polls.
 */
void slink_enable_interrupts(struct slink_card *card, bool enable)
{
	card->intcsr = INTCSR_IMB4 | INTCSR_OMB2;
	if (enable)
		card->intcsr |= INTCSR_ENABLES;
	slink_write(card, S5933_INTCSR, card->intcsr);
}

/* The other end has gone, or come: the link is to be made anew, or can be used. */
static void follow_link(struct slink_card *card, u8 lines)
{
	bool up = lines & LINE_LDOWN_N;

	if (up == card->resetting) {
		card->resetting = !up;
		slink_set_omb1(card, OMB1_URESET_N, up ? OMB1_URESET_N : 0);
	} else {
		/* What the lines say of a word is of no use now: ask again. */
		slink_set_omb1(card, 0, 0);
	}
	if (!up)
		slink_count(card, SLINK_LINK_DROPS, 1);
}

static void take_lines(struct slink_card *card)
{
	u8 lines = slink_read(card, S5933_IMB4) >> 24;
	u8 changed = lines ^ card->lines;

	card->lines = lines;
	card->stopped = (lines & LINE_TYPE) != card->in.expect;
	if (changed & LINE_OVERFLOW & lines)
		slink_count(card, SLINK_OVERFLOWS, 1);
	if (changed & LINE_LDOWN_N)
		follow_link(card, lines);
	else if (changed & LINE_OVERFLOW)
		slink_set_omb1(card, 0, 0);
}

/*
 * Acknowledges what INTCSR says has happened, and takes note of what the card says.
 * The status of the mailbox is cleared before the mailbox is read, so that nothing
 * that is put there meanwhile is forgotten.
 */
void slink_note_status(struct slink_card *card, u32 status)
{
	status &= INTCSR_STATUS;
	if (!status)
		return;
	slink_write(card, S5933_INTCSR, card->intcsr | status);
	if (status & INTCSR_IS_IMB)
		take_lines(card);
	if (status & INTCSR_IS_WRITE_DONE)
		card->in.page_done = true;
	if (status & INTCSR_ABORTS) {
		slink_count(card, SLINK_ABORTS, 1);
		card->in.aborted = true;
		card->out.aborted = true;
	}
}

/* Whether there still is a card. */
bool slink_take_status(struct slink_card *card)
{
	u32 status = slink_read(card, S5933_INTCSR);

	if (slink_is_gone(status))
		return false;
	slink_note_status(card, status);
	return true;
}

static void reset_lines(struct slink_card *card, u32 mask, u32 lines)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	slink_set_omb1(card, mask, lines);
	spin_unlock_irqrestore(&card->lock, flags);
}

static void reset_chip(struct slink_card *card, u32 clear, u32 set)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	slink_set_mcsr(card, clear, set);
	/* But for the reset of the card these are pulses. */
	card->mcsr &= ~(MCSR_RESET_READ | MCSR_RESET_WRITE | MCSR_RESET_MAILBOX);
	spin_unlock_irqrestore(&card->lock, flags);
}

/*
 * The link goes down, and what the card has said up to now is no news any more: else
 * it could be taken for the link coming up, which would be let go of too early.
 * The read makes sure that the card has seen the line. What it says then is to be
 * heeded, unless it is held by a reset itself: on a machine that is slow enough the
 * link has come up meanwhile, and there is no other news.
 */
static void reset_link(struct slink_card *card, bool heed)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->resetting = true;
	slink_set_omb1(card, OMB1_URESET_N, 0);
	slink_write(card, S5933_INTCSR, card->intcsr | INTCSR_IS_IMB);
	card->lines &= ~LINE_LDOWN_N;
	if (heed)
		take_lines(card);
	else
		slink_read(card, S5933_IMB4);
	/* What it said of a word that waits was among it: ask again. */
	slink_set_omb1(card, 0, 0);
	spin_unlock_irqrestore(&card->lock, flags);
}

/* Any context. The link comes up by itself. */
void slink_reset_link(struct slink_card *card)
{
	reset_link(card, true);
}

static void forget_news(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->lines = 0;
	card->in.aborted = false;
	card->out.aborted = false;
	spin_unlock_irqrestore(&card->lock, flags);
}

/**
 * slink_reset_card() - FIFOs, card and link as after power on
 * @card: the card; neither input nor output has a block in work
 *
 * Process context, sleeps. The order, and the times, are those of libSLINK.c. The link
 * comes up by itself as soon as its other end is there: see follow_link().
 */
void slink_reset_card(struct slink_card *card)
{
	reset_link(card, false);
	reset_lines(card, OMB1_FRESET_N, 0);
	reset_chip(card, MCSR_WRITE_ENABLE | MCSR_READ_ENABLE, MCSR_RESET_CARD);
	usleep_range(10, 20);
	reset_chip(card, 0, MCSR_RESET_WRITE | MCSR_RESET_READ |
		   MCSR_RESET_MAILBOX);
	usleep_range(10, 20);
	reset_link(card, false);
	forget_news(card);
	reset_chip(card, MCSR_RESET_CARD, 0);
	usleep_range(10, 20);
	reset_lines(card, OMB1_FRESET_N, OMB1_FRESET_N);
}

/**
 * slink_map_piece() - give the chip a piece of a block, up to the end of a page
 * @card: the card
 * @block: the block
 * @pos: where in the block
 * @limit: bytes of the block that there are
 * @dir: DMA_FROM_DEVICE or DMA_TO_DEVICE
 * @dma: filled in
 *
 * Return: 0; -ENOSPC at the end of the block; -EIO if it cannot be mapped.
 */
int slink_map_piece(struct slink_card *card, struct zio_block *block,
		    size_t pos, size_t limit, enum dma_data_direction dir,
		    struct slink_dma *dma)
{
	unsigned int offset = offset_in_page(block->data + pos);
	size_t len = min_t(size_t, PAGE_SIZE - offset, limit - pos) & ~3;

	if (!len)
		return -ENOSPC;
	dma->addr = dma_map_page(card->dev, zio_block_page(block, pos), offset,
				 len, dir);
	if (dma_mapping_error(card->dev, dma->addr))
		return -EIO;
	dma->len = len;
	return 0;
}

void slink_unmap_piece(struct slink_card *card, enum dma_data_direction dir,
		       struct slink_dma *dma)
{
	if (dma->len)
		dma_unmap_page(card->dev, dma->addr, dma->len, dir);
	dma->len = 0;
}
