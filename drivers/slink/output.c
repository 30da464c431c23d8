// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c: blocks to events on the link
 *
 * OMB2 determines whether words leave as control words or as data. The card takes OMB2
 * when the chip's FIFO is empty, and interrupts. So all earlier words have left with the
 * former lines.
 *
 *   IDLE     There is nothing to send. When a block is armed: OMB2 = control
 *   CONTROL  OMB2 taken: the begin word goes into the FIFO; OMB2 = data
 *   DATA     OMB2 taken: the chip gets the first page
 *   SENDING  page read: the chip gets the next one; after the last, OMB2 = control
 *   END      OMB2 taken: the end word goes into the FIFO; the block is done
 *
 * An event without data goes from CONTROL to END, since its two words have one type.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/zio-dma.h>

#include "slink.h"

/* A word passes from memory to the FIFO within this time. */
#define STUCK_US	10

static void set_omb2(struct slink_card *card, u32 lines,
		     enum slink_output_state next)
{
	card->out.omb2 = lines | OMB2_UTEST_N;
	slink_write(card, S5933_OMB2, card->out.omb2);
	card->out.state = next;
}

static bool is_omb2_taken(struct slink_card *card)
{
	return !(slink_read(card, S5933_MBEF) & MBEF_OMB2);
}

static void push_word(struct slink_card *card, u32 word)
{
	slink_write(card, S5933_FIFO, word);
}

static void start_sending(struct slink_card *card)
{
	struct slink_output *out = &card->out;

	slink_write(card, S5933_MRAR, lower_32_bits(out->dma.addr));
	slink_write(card, S5933_MRTC, out->dma.len);
	slink_set_mcsr(card, 0, MCSR_READ_ENABLE);
	slink_count(card, SLINK_TRANSFERS, 1);
	out->state = OUTPUT_SENDING;
}

static void end_sending(struct slink_card *card)
{
	struct slink_output *out = &card->out;

	slink_set_mcsr(card, MCSR_READ_ENABLE, 0);
	out->pos += slink_count_done(card, &out->dma, S5933_MRTC, S5933_MRAR);
	slink_unmap_piece(card, DMA_TO_DEVICE, &out->dma);
}

/* Send the next page of the block, or the end word after the last page. */
static void send_piece(struct slink_card *card)
{
	struct slink_output *out = &card->out;
	int ret = slink_map_piece(card, out->block, out->pos, out->block->len,
				  DMA_TO_DEVICE, &out->dma);

	if (!ret) {
		start_sending(card);
		return;
	}
	if (ret != -ENOSPC)
		slink_count(card, SLINK_ABORTS, 1);
	set_omb2(card, 0, OUTPUT_END);
}

static void send_begin(struct slink_card *card)
{
	push_word(card, card->begin);
	if (card->out.block->len)
		set_omb2(card, OMB2_UCTRL_N, OUTPUT_DATA);
	else
		card->out.state = OUTPUT_END;
}

static bool is_piece_sent(struct slink_card *card)
{
	u32 mcsr = slink_read(card, S5933_MCSR);

	return !slink_is_gone(mcsr) && (mcsr & MCSR_READ_IS_ZERO);
}

static bool send_end(struct slink_card *card)
{
	struct slink_output *out = &card->out;

	push_word(card, card->end);
	slink_count(card, SLINK_SENT, 1);
	out->block = NULL;
	out->state = OUTPUT_IDLE;
	return true;
}

static bool is_stuck(struct slink_card *card)
{
	u32 left = slink_read(card, S5933_MRTC);

	udelay(STUCK_US);
	return left == slink_read(card, S5933_MRTC) &&
		(slink_read(card, S5933_MCSR) & MCSR_READ_EMPTY);
}

/* The bus refused memory: end the event here. */
static void handle_abort(struct slink_card *card)
{
	struct slink_output *out = &card->out;

	out->aborted = false;
	if (out->state != OUTPUT_SENDING || is_piece_sent(card))
		return;
	/* If words still leave, the bus refused the input's memory. */
	if (!is_stuck(card))
		return;
	end_sending(card);
	set_omb2(card, 0, OUTPUT_END);
}

/**
 * slink_advance_output() - let the output advance as far as it can
 * @card: the card, locked
 * @visit: this visit; the output uses up its turns
 *
 * Context: any.
 * Return: true if the armed block is done. The caller releases card->lock and calls
 *         zio_cset_done().
 */
bool slink_advance_output(struct slink_card *card, struct slink_visit *visit)
{
	struct slink_output *out = &card->out;

	if (out->aborted)
		handle_abort(card);
	while (out->block && visit->turns && slink_is_usable(card)) {
		visit->turns--;
		switch (out->state) {
		case OUTPUT_IDLE:
			set_omb2(card, 0, OUTPUT_CONTROL);
			break;
		case OUTPUT_SENDING:
			if (!is_piece_sent(card))
				return false;
			end_sending(card);
			if (slink_is_usable(card))
				send_piece(card);
			break;
		default:
			if (!is_omb2_taken(card))
				return false;
			if (out->state == OUTPUT_END)
				return send_end(card);
			if (out->state == OUTPUT_CONTROL)
				send_begin(card);
			else
				send_piece(card);
		}
	}
	return false;
}

/* Do not send the rest of the block. The receiver gets a truncated event. */
void slink_drop_output(struct slink_card *card)
{
	struct slink_output *out = &card->out;

	if (out->dma.len) {
		slink_set_mcsr(card, MCSR_READ_ENABLE, MCSR_RESET_READ);
		card->mcsr &= ~MCSR_RESET_READ;
		slink_write(card, S5933_MRTC, 0);
		slink_flush(card);
		slink_unmap_piece(card, DMA_TO_DEVICE, &out->dma);
	}
	out->pos = 0;
	out->state = OUTPUT_IDLE;
}

/**
 * slink_init_output() - note the set for zio_cset_done()
 * @cset: the channel set
 *
 * Context: process.
 * Return: 0.
 */
int slink_init_output(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);

	card->out.cset = cset;
	return zio_cset_use_dma(cset, card->dev);
}
