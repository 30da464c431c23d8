// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c: events from the link to blocks
 *
 * The card passes words into the FIFO of the chip while they have the type that OMB1
 * expects. At the first word of another type it stops and raises a mailbox interrupt.
 * So the driver alternates between two expected types:
 *
 *   DATA      The chip moves the words to memory, a page at a time.
 *   CONTROL   The CPU takes the words from the FIFO.
 *
 *                block armed: transfer begins, DATA expected
 *        .------------------------------------------------------.
 *        v                                                      |
 *     [ DATA ] --page full, more words--> next page --> [ DATA ]|
 *        |                                                      |
 *        | card stopped at a control word: FIFO drains,         |
 *        | transfer off, CONTROL expected                       |
 *        v                                                      |
 *     [ CONTROL ] --FIFO empty---------------------------------'
 *        |
 *        | begin: an event begins        end: the event and its block are
 *        `--> [ CONTROL ]                     done; the next block is armed
 *
 * The words between two control words are the data of an event. A begin inside an event
 * means that the end was lost. An end or data outside an event mean that the start was
 * lost. Both make a block with an alarm. When no block is armed, the driver expects no
 * new type and the link waits: the card's FIFO fills, and the card sends XOFF.
 *
 * The end of a page: after the count has become zero, up to eight more words fit into
 * the chip's FIFO. If the card stops within these, the event ends, and the CPU takes the
 * words. From the ninth word on the event needs another transfer. (Measured for the
 * S-LINK Driver for Linux, Nikhef 2000.)
 *
 * The driver switches the transfer off before the CPU reads the FIFO (libSLINK.c). It
 * never reads an empty FIFO, which would hang the bus (data sheet).
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/zio-dma.h>

#include "slink.h"

/* A word passes from the card to the FIFO within this many reads of a register. */
#define FEW_READS	40
/* Events of up to this many words are small. */
#define SMALL_WORDS	16u
/* For a small event this many reads of a register cost less than an interrupt. */
#define STOP_READS	12
/* If words are on their way, one arrives within this time. */
#define QUIET_US	4
/* While the cable is out, the timer visits the card after this time. */
#define CUT_US		100
/* The card reports a word of another type behind a full FIFO within this many reads. */
#define MORE_READS	3u
/* The chip moves the words in its FIFO within this time. */
#define DRAIN_US	200

static bool has_word(struct slink_card *card)
{
	return !(slink_read(card, S5933_MCSR) & MCSR_WRITE_EMPTY);
}

static u32 pop_word(struct slink_card *card)
{
	slink_count(card, SLINK_CPU_WORDS, 1);
	return slink_read(card, S5933_FIFO);
}

static size_t room_left(const struct slink_input *in)
{
	return in->block->size - in->pos;
}

static void raise_alarm(struct slink_card *card, u8 alarm)
{
	card->in.alarms |= alarm;
}

/* Transfers */

static void begin_transfer(struct slink_card *card, dma_addr_t addr, u32 len)
{
	card->in.page_done = false;
	slink_write(card, S5933_MWAR, lower_32_bits(addr));
	slink_write(card, S5933_MWTC, len);
	slink_set_mcsr(card, 0, MCSR_WRITE_ENABLE);
	slink_count(card, SLINK_TRANSFERS, 1);
}

static void discard_words(struct slink_card *card)
{
	struct slink_input *in = &card->in;

	if (!in->discarding)
		raise_alarm(card, SLINK_ALARM_TRUNCATED);
	in->discarding = true;
	in->dma.addr = in->waste_addr;
	in->dma.len = PAGE_SIZE;
	begin_transfer(card, in->dma.addr, in->dma.len);
}

/* Begin a transfer for the rest of the block's current page, or to the waste page. */
static void start_transfer(struct slink_card *card)
{
	struct slink_input *in = &card->in;

	if (in->dma.len)
		return;
	if (in->discarding ||
	    slink_map_piece(card, in->block, in->pos, in->block->size,
			    DMA_FROM_DEVICE, &in->dma))
		discard_words(card);
	else
		begin_transfer(card, in->dma.addr, in->dma.len);
}

/* End the transfer, and add the moved words to the block. */
static void end_transfer(struct slink_card *card)
{
	struct slink_input *in = &card->in;
	u32 moved;

	if (!in->dma.len)
		return;
	slink_set_mcsr(card, MCSR_WRITE_ENABLE, 0);
	moved = slink_count_done(card, &in->dma, S5933_MWTC, S5933_MWAR);
	if (in->discarding) {
		slink_count(card, SLINK_TRUNCATED, moved / 4);
		in->dma.len = 0;
		return;
	}
	slink_unmap_piece(card, DMA_FROM_DEVICE, &in->dma);
	in->pos += moved;
}

static void store_word(struct slink_card *card, u32 word)
{
	struct slink_input *in = &card->in;

	if (in->discarding || room_left(in) < sizeof(word)) {
		raise_alarm(card, SLINK_ALARM_TRUNCATED);
		in->discarding = true;
		slink_count(card, SLINK_TRUNCATED, 1);
		return;
	}
	memcpy(in->block->data + in->pos, &word, sizeof(word));
	in->pos += sizeof(word);
}

/* Return: true if the chip, after the card has stopped, has moved all that it can. */
static bool is_drained(struct slink_card *card)
{
	u32 mcsr = slink_read(card, S5933_MCSR);

	return mcsr & (MCSR_WRITE_EMPTY | MCSR_WRITE_IS_ZERO);
}

static bool wait_drained(struct slink_card *card)
{
	bool drained;

	return !read_poll_timeout_atomic(is_drained, drained, drained, 0,
					 DRAIN_US, false, card);
}

/*
 * End the transfer; the CPU takes the words that are left. No word passes to the chip
 * now, so there are at most as many as its FIFO holds.
 */
static void take_rest(struct slink_card *card)
{
	unsigned int n = S5933_FIFO_WORDS;

	end_transfer(card);
	while (n-- && has_word(card))
		store_word(card, pop_word(card));
}

/* Look at the FIFO before and after the transfer is switched off (libSLINK.c). */
static void drain(struct slink_card *card)
{
	if (card->in.dma.len)
		wait_drained(card);
	take_rest(card);
}

/* Events */

static bool is_small(const struct slink_input *in)
{
	return in->last <= SMALL_WORDS * sizeof(u32);
}

/* Complete the block. Return: true, since the block is done. */
static bool finish_event(struct slink_card *card, u32 end)
{
	struct slink_input *in = &card->in;
	struct zio_block *block = in->block;

	if (card->lines & LINE_OVERFLOW)
		raise_alarm(card, SLINK_ALARM_OVERFLOW);
	block->len = in->pos;
	block->drv_alarms = in->alarms;
	block->info = in->begin | (u64)end << 32;
	slink_count(card, SLINK_EVENTS, 1);
	slink_count(card, SLINK_WORDS, in->pos / 4);
	in->block = NULL;
	in->last = in->pos;
	in->near = is_small(in);
	in->pos = 0;
	in->discarding = false;
	in->alarms = 0;
	in->begin = 0;
	in->inside = false;
	return true;
}

static void enter_event(struct slink_card *card, u32 word)
{
	struct slink_input *in = &card->in;

	in->inside = true;
	in->near = is_small(in);
	in->begin = word;
	if (in->block)
		zio_cset_stamp(in->cset, in->block);
}

static bool is_word(const struct slink_card *card, u32 word, u32 expected)
{
	return !((word ^ expected) & card->mask);
}

/* LD[1]: this word is bad. LD[0]: the data since the last control word are bad. */
static u8 errors_of(u32 word)
{
	return (word & 2 ? SLINK_ALARM_CONTROL : 0) |
		(word & 1 ? SLINK_ALARM_DATA : 0);
}

static bool begin_event(struct slink_card *card, u32 word)
{
	struct slink_input *in = &card->in;
	bool done = false;

	if (in->inside) {
		slink_count(card, SLINK_LOST_ENDS, 1);
		raise_alarm(card, SLINK_ALARM_LOST_END);
		done = finish_event(card, 0);
	} else if (in->pos || in->discarding) {
		slink_count(card, SLINK_LOST_STARTS, 1);
		raise_alarm(card, SLINK_ALARM_LOST_START);
		done = finish_event(card, 0);
	}
	enter_event(card, word);
	raise_alarm(card, errors_of(word) & SLINK_ALARM_CONTROL);
	return done;
}

static bool end_event(struct slink_card *card, u32 word)
{
	raise_alarm(card, errors_of(word));
	if (!card->in.inside) {
		slink_count(card, SLINK_LOST_STARTS, 1);
		raise_alarm(card, SLINK_ALARM_LOST_START);
	}
	return finish_event(card, word);
}

/* A cycle of the self test is a zero control word, then a walking one as data. */
static bool end_test_cycle(struct slink_card *card, u32 word)
{
	unsigned int bits = slink_width(card), n = card->in.pos / 4, i;
	unsigned int errors = n != bits;
	const u32 *sample = card->in.block->data;

	if (!card->in.inside) {
		enter_event(card, word);
		return false;
	}
	for (i = 0; i < n; i++)
		errors += sample[i] != BIT(i % bits);
	slink_count(card, SLINK_TEST_ERRORS, errors);
	finish_event(card, word);
	enter_event(card, word);
	return true;
}

/* Return: true if the block is done. */
static bool take_control(struct slink_card *card, u32 word)
{
	if (errors_of(word))
		slink_count(card, SLINK_ERRORS, 1);
	if (card->test && !(word & ~3))
		return end_test_cycle(card, word);
	if (is_word(card, word, card->begin))
		return begin_event(card, word);
	if (is_word(card, word, card->end))
		return end_event(card, word);
	slink_count(card, SLINK_UNKNOWN, 1);
	raise_alarm(card, SLINK_ALARM_UNKNOWN);
	return false;
}

/* After a stop at a control word this word is on its way to the FIFO ("due"). */
static bool wait_word(struct slink_card *card)
{
	unsigned int n = card->in.due ? FEW_READS : 1;

	card->in.due = false;
	while (n--)
		if (has_word(card))
			return true;
	return false;
}

/*
 * Expect data again, unless a control word is in the FIFO. A control word that passes
 * now would be taken for data. So no control word may pass while the FIFO is checked for
 * the last time. A corrupt control word can still pass; the next one raises an alarm.
 *
 * Return: false if a control word has come.
 */
static bool end_control(struct slink_card *card)
{
	if (!card->stopped && card->in.expect == TYPE_CONTROL) {
		slink_expect(card, TYPE_BAD_CONTROL);
		if (has_word(card))
			return false;
	}
	start_transfer(card);
	slink_expect(card, TYPE_DATA);
	return true;
}

/* Take the next control word, if there is one. Return: true if the block is done. */
static bool advance_control(struct slink_card *card)
{
	if (!wait_word(card) && end_control(card))
		return false;
	return take_control(card, pop_word(card));
}

/* The card has stopped at a word of another type. Expect this type. */
static void change_type(struct slink_card *card)
{
	u8 type = card->lines & LINE_TYPE;

	if (type == TYPE_BAD_DATA) {
		slink_count(card, SLINK_ERRORS, 1);
		raise_alarm(card, SLINK_ALARM_DATA);
		slink_expect(card, type);
	} else if (type == TYPE_DATA) {
		slink_expect(card, type);
	} else {
		drain(card);
		slink_expect(card, type);
		card->in.due = true;
	}
}

/*
 * The page is full and the card has not stopped. Begin the next page when the FIFO is
 * full: the event continues. Begin it after a while, too: the source may pause.
 */
static void turn_page(struct slink_card *card)
{
	unsigned int n = FEW_READS / 2;

	while (n-- && !card->stopped) {
		if (slink_read(card, S5933_MCSR) & MCSR_WRITE_FULL)
			n = min(n, MORE_READS);
		slink_take_status(card);
	}
	if (card->stopped)
		return;
	end_transfer(card);
	start_transfer(card);
}

static bool is_page_full(struct slink_card *card)
{
	return card->in.page_done && card->in.dma.len &&
		(slink_read(card, S5933_MCSR) & MCSR_WRITE_IS_ZERO);
}

/*
 * After a small event, wait once for the card to stop. The next event may be as small
 * and may end before an interrupt could be served. If the reader is behind, no block is
 * armed; the card then stops at the next event, and its interrupt would have no use.
 */
static bool wait_stop(struct slink_card *card)
{
	unsigned int n = card->in.near ? STOP_READS : 0;

	card->in.near = false;
	while (n-- && !card->stopped)
		slink_take_status(card);
	return card->stopped;
}

static bool is_expecting_data(const struct slink_card *card)
{
	return card->in.expect & LINE_LCTRL_N;
}

/* Return: true if the link is down in the middle of an event. */
static bool is_down_inside(const struct slink_card *card)
{
	return card->in.inside && !(card->lines & LINE_LDOWN_N);
}

/* Return: true if the link is down inside an event, and no word is on its way. */
static bool is_cut(struct slink_card *card)
{
	u32 left;

	if (!is_down_inside(card))
		return false;
	left = slink_read(card, S5933_MWTC);
	udelay(QUIET_US);
	return left == slink_read(card, S5933_MWTC) && !has_word(card);
}

static void give_up_event(struct slink_card *card)
{
	drain(card);
	raise_alarm(card, SLINK_ALARM_LINK_DOWN);
	finish_event(card, 0);
}

/* Return: true if there may be more to do. */
static bool advance_data(struct slink_card *card)
{
	start_transfer(card);
	if (card->stopped || wait_stop(card)) {
		change_type(card);
		return true;
	}
	if (is_page_full(card)) {
		turn_page(card);
		return true;
	}
	if (is_cut(card))
		give_up_event(card);
	return false;
}

/*
 * The bus refused memory: discard the rest of the event. If the FIFO still drains, the
 * bus refused the output's memory. No word may pass meanwhile, or the FIFO could fill as
 * fast as the CPU empties it.
 */
static void handle_abort(struct slink_card *card)
{
	u8 expect = card->in.expect;

	card->in.aborted = false;
	if (!card->in.dma.len)
		return;
	slink_expect(card, TYPE_BAD_CONTROL);
	if (!wait_drained(card)) {
		take_rest(card);
		raise_alarm(card, SLINK_ALARM_TRUNCATED);
		card->in.discarding = true;
	}
	slink_expect(card, expect);
}

/**
 * slink_advance_input() - let the input advance as far as it can
 * @card: the card, locked; the caller has just noted its status
 * @visit: this visit; the input uses up its turns
 *
 * It waits for words that are on their way within the card, and not for the link.
 *
 * Context: any.
 * Return: true if the armed block is done. The caller releases card->lock, calls
 *         zio_cset_done(), and comes back.
 */
bool slink_advance_input(struct slink_card *card, struct slink_visit *visit)
{
	struct slink_input *in = &card->in;
	bool armed = in->block, more = armed;

	if (!armed)
		in->behind = true;
	while (more && visit->turns) {
		visit->turns--;
		if (in->aborted)
			handle_abort(card);
		more = is_expecting_data(card) ? advance_data(card) :
						 !advance_control(card);
		more = more && slink_take_status(card);
	}
	if (in->block && is_down_inside(card))
		hrtimer_start(&card->timer, ns_to_ktime(CUT_US * NSEC_PER_USEC),
			      HRTIMER_MODE_REL);
	if (!armed || in->block)
		return false;
	if (in->behind)
		wait_stop(card);
	in->behind = false;
	return true;
}

/* Drop the words of the current event. A block that is armed becomes empty. */
void slink_drop_input(struct slink_card *card)
{
	struct slink_input *in = &card->in;

	if (in->block)
		end_transfer(card);
	if (in->inside || in->pos)
		raise_alarm(card, SLINK_ALARM_LOST_START);
	slink_count(card, SLINK_TRUNCATED, in->pos / 4);
	in->pos = 0;
	in->begin = 0;
	in->discarding = false;
	in->inside = false;
}

/* Count an event that was lost after it was complete. The next block has an alarm. */
void slink_lose_event(struct slink_card *card, size_t bytes)
{
	raise_alarm(card, SLINK_ALARM_LOST_START);
	slink_count(card, SLINK_TRUNCATED, bytes / 4);
}

/**
 * slink_init_input() - allocate the memory for words that no block takes
 * @cset: the channel set
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM.
 */
int slink_init_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	struct slink_input *in = &card->in;

	int ret = zio_cset_use_dma(cset, card->dev);

	if (ret)
		return ret;
	in->cset = cset;
	in->waste = dma_alloc_coherent(card->dev, PAGE_SIZE, &in->waste_addr,
				       GFP_KERNEL);
	return in->waste ? 0 : -ENOMEM;
}

/**
 * slink_exit_input() - undo slink_init_input()
 * @cset: the channel set
 *
 * Context: process, sleeps.
 */
void slink_exit_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);

	dma_free_coherent(card->dev, PAGE_SIZE, card->in.waste,
			  card->in.waste_addr);
}
