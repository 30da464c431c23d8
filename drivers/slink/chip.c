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
 * Nothing that the driver knows of the transfers holds any more. The work that looks
 * after the card sets it up anew.
 */
static void lose_card(struct slink_card *card)
{
	if (!slink_is_usable(card))
		return;
	card->lost = true;
	/* Nobody acknowledges them up to the restart. */
	slink_enable_interrupts(card, false);
	mod_delayed_work(system_wq, &card->watch, 0);
}

/*
 * Acknowledges what INTCSR says has happened, and takes note of what the card says.
 * The status of the mailbox is cleared before the mailbox is read, so that nothing
 * that is put there meanwhile is forgotten.
 */
static void acknowledge(struct slink_card *card, u32 status)
{
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

/**
 * slink_note_status() - take what INTCSR says
 * @card: the card, locked
 * @status: INTCSR
 *
 * Return: whether there is a card that the driver can work with.
 */
bool slink_note_status(struct slink_card *card, u32 status)
{
	if (slink_is_gone(status) || !slink_is_usable(card))
		return false;
	if (!slink_has_state(card, status)) {
		lose_card(card);
		return false;
	}
	if (status & INTCSR_STATUS)
		acknowledge(card, status & INTCSR_STATUS);
	return true;
}

bool slink_take_status(struct slink_card *card)
{
	return slink_note_status(card, slink_read(card, S5933_INTCSR));
}

/**
 * slink_count_done() - bytes that the chip has moved
 * @card: the card, locked
 * @dma: the transfer, switched off
 * @count: register that has the bytes that are left
 * @addr: register that has the address of the next byte
 *
 * The count of a chip that has lost its state is zero, as after the last byte. So the
 * address has to agree.
 *
 * Return: the bytes; 0 if the card is gone, or has lost its state.
 */
u32 slink_count_done(struct slink_card *card, const struct slink_dma *dma,
		     unsigned int count, unsigned int addr)
{
	u32 left = slink_read(card, count);

	if (left > dma->len)
		return 0;
	if (left || slink_read(card, addr) == lower_32_bits(dma->addr) + dma->len)
		return dma->len - left;
	lose_card(card);
	return 0;
}

/* Whatever the chip was told before: no interrupt, and no transfer. */
void slink_stop_chip(struct slink_card *card)
{
	slink_enable_interrupts(card, false);
	slink_set_mcsr(card, MCSR_WRITE_ENABLE | MCSR_READ_ENABLE, 0);
	slink_write(card, S5933_MWTC, 0);
	slink_write(card, S5933_MRTC, 0);
	slink_flush(card);
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
	if (heed && !slink_take_status(card)) {
		spin_unlock_irqrestore(&card->lock, flags);
		return;
	}
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

/* Process context. The link comes up by itself. */
void slink_reset_link(struct slink_card *card)
{
	mutex_lock(&card->reset_lock);
	reset_link(card, true);
	mutex_unlock(&card->reset_lock);
}

/* So long the card takes for a step of a reset, at least. */
static void wait_reset(struct slink_card *card)
{
	slink_flush(card);
	usleep_range(10, 20);
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
	wait_reset(card);
	reset_chip(card, 0, MCSR_RESET_WRITE | MCSR_RESET_READ |
		   MCSR_RESET_MAILBOX);
	wait_reset(card);
	reset_link(card, false);
	forget_news(card);
	reset_chip(card, MCSR_RESET_CARD, 0);
	wait_reset(card);
	reset_lines(card, OMB1_FRESET_N, OMB1_FRESET_N);
}

/* What is in the card is lost, and what is in the blocks. Nobody visits it meanwhile. */
static void begin_reset(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->in_reset = true;
	slink_enable_interrupts(card, false);
	slink_drop_input(card);
	slink_drop_output(card);
	spin_unlock_irqrestore(&card->lock, flags);
}

static void end_reset(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	slink_expect(card, TYPE_DATA);
	card->in_reset = false;
	card->lost = false;
	slink_enable_interrupts(card, !card->halted);
	spin_unlock_irqrestore(&card->lock, flags);
}

static void restart_locked(struct slink_card *card)
{
	begin_reset(card);
	slink_reset_card(card);
	end_reset(card);
}

/* The next block tells that something was lost before it. */
static bool note_loss(struct slink_card *card)
{
	unsigned long flags;
	u32 status;
	bool lost;

	spin_lock_irqsave(&card->lock, flags);
	status = slink_read(card, S5933_INTCSR);
	lost = !slink_is_gone(status) &&
		(card->lost || !slink_has_state(card, status));
	if (lost) {
		card->lost = true;
		slink_lose_event(card, 0);
		slink_count(card, SLINK_RESTARTS, 1);
	}
	spin_unlock_irqrestore(&card->lock, flags);
	return lost;
}

/* Process context, sleeps. The caller then calls slink_service(). */
void slink_restart(struct slink_card *card)
{
	mutex_lock(&card->reset_lock);
	note_loss(card);
	restart_locked(card);
	mutex_unlock(&card->reset_lock);
}

static void empty_locked(struct slink_card *card)
{
	begin_reset(card);
	reset_lines(card, OMB1_FRESET_N, 0);
	reset_chip(card, 0, MCSR_RESET_WRITE);
	wait_reset(card);
	reset_lines(card, OMB1_FRESET_N, OMB1_FRESET_N);
	end_reset(card);
}

/*
 * Process context, sleeps. Empties the FIFO of the card, and that of the chip. A card
 * that has lost its state needs more: its link is down, too.
 */
void slink_empty_fifo(struct slink_card *card)
{
	mutex_lock(&card->reset_lock);
	if (note_loss(card))
		restart_locked(card);
	else
		empty_locked(card);
	mutex_unlock(&card->reset_lock);
}

/**
 * slink_restart_lost() - set the card up anew if it has lost its state
 * @card: the card
 *
 * Process context, sleeps. A card loses its state by a reset of the bus, or when it is
 * without power for a while. It does not interrupt then.
 *
 * Return: whether it had; then the caller calls slink_service().
 */
bool slink_restart_lost(struct slink_card *card)
{
	bool lost;

	mutex_lock(&card->reset_lock);
	lost = note_loss(card);
	if (lost)
		restart_locked(card);
	mutex_unlock(&card->reset_lock);
	return lost;
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
