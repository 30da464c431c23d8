// SPDX-License-Identifier: GPL-2.0-only
/* chip.c: registers of the S5933, the link, and memory for its DMA */
#include <linux/dma-mapping.h>
#include <linux/zio-compat.h>
#include <linux/zio-dma.h>

#include "chip.h"

void slink_set_omb1(struct slink_card *card, u32 mask, u32 lines)
{
	card->omb1 = (card->omb1 & ~mask) | lines;
	slink_write(card, S5933_OMB1, card->omb1);
	/* If the waiting word is still not expected, the card reports it again. */
	card->stopped = false;
}

/* Let words of this type pass, up to the first word of another type. */
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
 * Writing 1 clears a status bit, and the same register has the enable bits. So the
 * driver writes a copy, never what it has read.
 *
 * The selection of the mailboxes stays set while interrupts are off. Their status comes
 * without an interrupt, too, and polling needs it.
 */
void slink_enable_interrupts(struct slink_card *card, bool enable)
{
	card->intcsr = INTCSR_IMB4 | INTCSR_OMB2;
	if (enable)
		card->intcsr |= INTCSR_ENABLES;
	slink_write(card, S5933_INTCSR, card->intcsr);
}

/* The link went down: reset it. The link came up: release the reset. */
static void follow_link(struct slink_card *card, u8 lines)
{
	bool up = lines & LINE_LDOWN_N;

	if (up == card->resetting) {
		card->resetting = !up;
		slink_set_omb1(card, OMB1_URESET_N, up ? OMB1_URESET_N : 0);
	} else {
		/* The lines no longer describe a word that waits: ask again. */
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

/* The card lost its state, and with it the transfers. slink_watch() restarts it. */
static void lose_card(struct slink_card *card)
{
	if (!slink_is_usable(card))
		return;
	card->lost = true;
	/* No visit acknowledges interrupts before the restart. */
	slink_enable_interrupts(card, false);
	mod_delayed_work(system_percpu_wq, &card->watch, 0);
}

/*
 * Clear the status of the mailbox before the mailbox is read. Otherwise the driver
 * could miss what the card writes between the two.
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
 * slink_note_status() - acknowledge the status of the chip and store it in the card
 * @card: the card, locked
 * @status: INTCSR, as just read
 *
 * Context: any.
 * Return: true if the driver can work with the card; false if the card is gone, has
 *         lost its state, or is in a reset.
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

/**
 * slink_take_status() - read INTCSR, and slink_note_status()
 * @card: the card, locked
 *
 * Context: any.
 * Return: as slink_note_status().
 */
bool slink_take_status(struct slink_card *card)
{
	return slink_note_status(card, slink_read(card, S5933_INTCSR));
}

/**
 * slink_count_done() - compute how many bytes a transfer has moved
 * @card: the card, locked
 * @dma: the transfer; the caller has switched it off
 * @count: register with the number of bytes left
 * @addr: register with the address of the next byte
 *
 * A count of zero may mean that all is done, or that the chip lost its state. The address
 * distinguishes the two.
 *
 * Context: any.
 * Return: the number of bytes; 0 if the card is gone or has lost its state.
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

/* Switch off interrupts and transfers, whatever state the chip is in. */
void slink_stop_chip(struct slink_card *card)
{
	slink_enable_interrupts(card, false);
	slink_set_mcsr(card, MCSR_WRITE_ENABLE | MCSR_READ_ENABLE, 0);
	slink_write(card, S5933_MWTC, 0);
	slink_write(card, S5933_MRTC, 0);
	slink_flush(card);
}

/**
 * slink_pull_link_down() - begin a reset of the link
 * @card: the card, locked
 * @heed: whether to act on messages of the card after it has seen URESET#; false while
 *        a reset of the card holds the link down
 *
 * The function acknowledges and drops former messages of the card. Otherwise the driver
 * could take an old message for the link coming up, and release URESET# too early. The
 * read of the mailbox ensures that the card has seen the line. On a slow machine the link
 * may be up again by then, and the card reports this only once.
 *
 * Context: any.
 */
void slink_pull_link_down(struct slink_card *card, bool heed)
{
	if (heed && !slink_take_status(card))
		return;
	card->resetting = true;
	slink_set_omb1(card, OMB1_URESET_N, 0);
	slink_write(card, S5933_INTCSR, card->intcsr | INTCSR_IS_IMB);
	card->lines &= ~LINE_LDOWN_N;
	if (heed)
		take_lines(card);
	else
		slink_read(card, S5933_IMB4);
	/* The dropped message may have been about a word that waits: ask again. */
	slink_set_omb1(card, 0, 0);
}

/* An output may play memory of an input, which the core has not mapped for the card. */
static int map_page(struct slink_card *card, struct zio_block *block, size_t pos,
		    enum dma_data_direction dir, struct slink_dma *dma)
{
	dma->block = NULL;
	dma->addr = dma_map_page(card->dev, zio_block_page(block, pos),
				 offset_in_page(block->data + pos), dma->len, dir);
	if (!dma_mapping_error(card->dev, dma->addr))
		return 0;
	dma->len = 0;
	return -EIO;
}

/**
 * slink_map_piece() - map the next part of a block for DMA, up to the end of a page
 * @card: the card
 * @block: the block
 * @pos: offset in the block, bytes
 * @limit: bytes of the block that may be mapped
 * @dir: DMA_FROM_DEVICE or DMA_TO_DEVICE
 * @dma: the result; slink_unmap_piece() releases it
 *
 * Context: any.
 * Return: 0, -ENOSPC at the end of the block, or -EIO if the mapping fails.
 */
int slink_map_piece(struct slink_card *card, struct zio_block *block,
		    size_t pos, size_t limit, enum dma_data_direction dir,
		    struct slink_dma *dma)
{
	unsigned int offset = offset_in_page(block->data + pos);
	size_t len = min_t(size_t, PAGE_SIZE - offset, limit - pos) & ~3;

	if (!len)
		return -ENOSPC;
	dma->len = len;
	if (!zio_block_dma(block, pos, &dma->addr))
		return map_page(card, block, pos, dir, dma);
	dma->block = block;
	dma->pos = pos;
	zio_block_sync_for_device(block, pos, len);
	return 0;
}

void slink_unmap_piece(struct slink_card *card, enum dma_data_direction dir,
		       struct slink_dma *dma)
{
	if (dma->len && dma->block)
		zio_block_sync_for_cpu(dma->block, dma->pos, dma->len);
	else if (dma->len)
		dma_unmap_page(card->dev, dma->addr, dma->len, dir);
	dma->len = 0;
}
