// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c: blocks to events on the link
 *
 * OMB2 says whether words that leave are control words or data. The card takes it
 * when the chip's FIFO is empty, and that makes an interrupt: so what went before
 * has left with the old lines.
 *
 *   IDLE     nothing to send. A block: OMB2 = control
 *   CONTROL  taken: the begin control word into the FIFO; OMB2 = data
 *   DATA     taken: the first page to the chip
 *   SENDING  page read: the next one; or, after the last, OMB2 = control
 *   END      taken: the end control word into the FIFO; the block is done
 *
 * An event without data goes from CONTROL to END: the two words follow each other.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>

#include "slink.h"

/* So long at most a word takes from memory to the FIFO. */
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

/* The next page of the block; at its end, the control word. */
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

/* The link does not read memory that is refused: the event ends here. */
static void handle_abort(struct slink_card *card)
{
	struct slink_output *out = &card->out;

	out->aborted = false;
	if (out->state != OUTPUT_SENDING || is_piece_sent(card))
		return;
	/* It may be the input's: then words go on to leave. */
	if (!is_stuck(card))
		return;
	end_sending(card);
	set_omb2(card, 0, OUTPUT_END);
}

/**
 * slink_advance_output() - do all that can be done now
 * @card: the card, locked
 * @visit: this visit, which ends when it has no turns any more
 *
 * Any context.
 *
 * Return: whether the armed block is done.
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

/* What is left of the block is not sent; its event is cut short. */
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

static int slink_output(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	zio_for_each_block(cset, pos, chan, block)
		card->out.block = block;
	card->out.pos = 0;
	spin_unlock_irqrestore(&card->lock, flags);
	slink_service_armed(card);
	return -EAGAIN;
}

static void slink_stop_output(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	slink_drop_output(card);
	card->out.block = NULL;
	spin_unlock_irqrestore(&card->lock, flags);
	slink_wait_finished(card);
}

static int slink_init_output(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);

	card->out.cset = cset;
	return 0;
}

const struct zio_cset_ops slink_output_ops = {
	.init = slink_init_output,
	.raw_io = slink_output,
	.stop_io = slink_stop_output,
	.attr_set = slink_attr_set,
	.attr_get = slink_attr_get,
};
