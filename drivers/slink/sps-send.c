// SPDX-License-Identifier: GPL-2.0-only
/*
 * sps-send.c: blocks to events on the link
 *
 * UCTRL# in OMB1 selects whether the words in the FIFO leave as control words or as data. A
 * change takes effect at once, so the driver changes UCTRL# only while the FIFO is empty
 * (libSLINK.c).
 *
 *   IDLE     there is nothing to send
 *   BEGIN    FIFO empty: UCTRL# = control, the begin word
 *   DATA     FIFO empty: UCTRL# = data, the chip gets the first page
 *   SENDING  page read: the chip gets the next one
 *   END      FIFO empty: UCTRL# = control, the end word; the block is done
 *
 * The chip does not interrupt when the FIFO becomes empty. The driver waits for the time
 * that eight words need. Then its timer checks again, because the other end may have sent
 * XOFF.
 */
#include "sps.h"

/* Eight words leave within this time if the other end takes them. */
#define EMPTY_NS	1000

static bool sps_is_empty(struct sps_card *card)
{
	return s5933_wait_mcsr(&card->chip, MCSR_READ_EMPTY, EMPTY_NS) &
		MCSR_READ_EMPTY;
}

/* Call this only while the FIFO is empty. */
static void sps_set_type(struct sps_card *card, u32 type)
{
	if ((card->omb1 & SPS_UCTRL_N) != type)
		sps_set_omb1(card, SPS_UCTRL_N, type);
}

static void sps_push_control(struct sps_card *card, u32 word)
{
	sps_set_type(card, 0);
	s5933_write(&card->chip, S5933_FIFO, word);
}

/* Sends the next page of the block, or switches to the end word after the last page. */
static void sps_send_piece(struct sps_card *card)
{
	int ret = s5933_map(&card->chip, card->block, card->pos, card->block->len,
			    DMA_TO_DEVICE, &card->dma);

	if (!ret) {
		s5933_begin_read(&card->chip, &card->dma);
		sps_count(card, SPS_TRANSFERS, 1);
		card->state = SPS_SENDING;
		return;
	}
	if (ret != -ENOSPC) {
		sps_count(card, SPS_ABORTS, 1);
		card->failed = true;
	}
	card->state = SPS_END;
}

/* Returns false if the chip is still reading the page, or the card has lost its state. */
static bool sps_end_piece(struct sps_card *card)
{
	u32 mcsr = s5933_read(&card->chip, S5933_MCSR);
	int done;

	if (s5933_is_gone(mcsr) || !(card->aborted || (mcsr & MCSR_READ_IS_ZERO)))
		return false;
	done = s5933_end_read(&card->chip, &card->dma);
	s5933_unmap(&card->chip, DMA_TO_DEVICE, &card->dma);
	if (done < 0) {
		sps_lose_card(card);
		return false;
	}
	card->pos += done;
	sps_count(card, SPS_WORDS, done / 4);
	return true;
}

/* Returns true if the state has changed. */
static bool sps_advance_state(struct sps_card *card)
{
	if (card->state == SPS_SENDING) {
		if (!sps_end_piece(card))
			return false;
		if (!card->aborted) {
			sps_send_piece(card);
			return true;
		}
		/* The bus refused memory: the event ends here, with the end word. */
		card->aborted = false;
		card->failed = true;
		sps_count(card, SPS_ABORTS, 1);
		card->state = SPS_END;
		return true;
	}
	if (!sps_is_empty(card)) {
		/* If the link is down, the card will report when it comes up. */
		if (sps_is_up(card))
			hrtimer_start(&card->timer, ns_to_ktime(SPS_LOOK_US * NSEC_PER_USEC),
				      HRTIMER_MODE_REL);
		return false;
	}
	switch (card->state) {
	case SPS_DATA:
		sps_set_type(card, SPS_UCTRL_N);
		sps_send_piece(card);
		break;
	case SPS_END:
		sps_push_control(card, card->end);
		sps_count(card, SPS_EVENTS, 1);
		card->block = NULL;
		card->state = SPS_IDLE;
		break;
	default:
		sps_push_control(card, card->begin);
		card->state = card->block->len ? SPS_DATA : SPS_END;
	}
	return true;
}

/**
 * sps_advance() - advance the output as far as possible
 * @card: the card, locked
 *
 * Context: any.
 * Return: true if the armed block is done. The caller releases the lock and calls
 *         zio_cset_done(), or zio_cset_fail() if card->failed.
 */
bool sps_advance(struct sps_card *card)
{
	if (card->state != SPS_SENDING)
		card->aborted = false;
	while (card->block && sps_is_usable(card) && sps_advance_state(card))
		if (!card->block)
			return true;
	return false;
}
