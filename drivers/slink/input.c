// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c: events from the link to blocks
 *
 * The card passes words into the FIFO of the chip as long as they have the type that OMB1
 * expects. At the first word of another type it stops and raises a mailbox interrupt. So
 * the driver alternates between two expected types:
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
 * means that the end was lost; an end or data outside an event means that the start was
 * lost. Both produce a block with an alarm. While no block is armed, the driver expects no
 * new type and the link waits: the card's FIFO fills, and the card sends XOFF.
 *
 * The end of a page: after the count has reached zero, the chip's FIFO takes up to eight
 * more words. If the card stops within these, the event ends, and the CPU takes the words.
 * From the ninth word on, the event needs another transfer. (Measured for the S-LINK Driver
 * for Linux, Nikhef 2000.)
 *
 * The driver disables the transfer before the CPU reads the FIFO (libSLINK.c). It never
 * reads an empty FIFO, which would hang the bus (data sheet).
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>

#include "slink.h"

/* A word takes at most this time from the card to the FIFO. */
#define WORD_NS		10000
/* Events of up to this many words are small: */
#define SMALL_WORDS	32u
/* the card stops within this time, which is cheaper than an interrupt. */
#define STOP_NS		1500
/* If words are on their way, one arrives within this time. */
#define QUIET_US	4
/* While the cable is unplugged, the timer visits the card at this interval. */
#define CUT_US		100
/* If the source does not pause, the FIFO fills within this time. */
#define PAUSE_NS	2000
/* The card reports a word of another type behind a full FIFO within this time. */
#define MORE_NS		100
/* The chip moves the words in its FIFO within this time. */
#define DRAIN_NS	200000

static u32 slink_read_mcsr(struct slink_card *card)
{
	return s5933_read(&card->chip, S5933_MCSR);
}

static bool slink_has_word(struct slink_card *card)
{
	return s5933_words_in(slink_read_mcsr(card));
}

static u32 slink_pop_word(struct slink_card *card)
{
	slink_count(card, SLINK_CPU_WORDS, 1);
	return s5933_read(&card->chip, S5933_FIFO);
}

static void slink_raise_alarm(struct slink_card *card, u8 alarm)
{
	card->in.alarms |= alarm;
}

/* Transfers */

/* Starts a transfer for the rest of the block's current page, or to the waste page. */
static void slink_start_transfer(struct slink_card *card)
{
	struct slink_input *in = &card->in;

	if (in->dma.len)
		return;
	if (in->discarding ||
	    s5933_map(&card->chip, in->block, in->pos, in->block->size,
		      DMA_FROM_DEVICE, &in->dma)) {
		if (!in->discarding)
			slink_raise_alarm(card, SLINK_ALARM_TRUNCATED);
		in->discarding = true;
		in->dma.addr = in->waste_addr;
		in->dma.len = PAGE_SIZE;
	}
	in->page_done = false;
	s5933_begin_write(&card->chip, &in->dma);
	slink_count(card, SLINK_TRANSFERS, 1);
}

/* Adds the moved bytes to the block. The chip no longer accesses the memory. */
static void slink_account_transfer(struct slink_card *card, u32 moved)
{
	struct slink_input *in = &card->in;

	if (in->discarding) {
		slink_count(card, SLINK_TRUNCATED, moved / 4);
		in->dma.len = 0;
		return;
	}
	s5933_unmap(&card->chip, DMA_FROM_DEVICE, &in->dma);
	in->pos += moved;
}

static void slink_end_transfer(struct slink_card *card)
{
	int moved;

	if (!card->in.dma.len)
		return;
	moved = s5933_end_write(&card->chip, &card->in.dma);
	slink_account_transfer(card, max(moved, 0));
	if (moved < 0)
		slink_lose_card(card);
}

static void slink_store_word(struct slink_card *card, u32 word)
{
	struct slink_input *in = &card->in;

	if (in->discarding || in->block->size - in->pos < sizeof(word)) {
		slink_raise_alarm(card, SLINK_ALARM_TRUNCATED);
		in->discarding = true;
		slink_count(card, SLINK_TRUNCATED, 1);
		return;
	}
	memcpy(in->block->data + in->pos, &word, sizeof(word));
	in->pos += sizeof(word);
}

/* After the card has stopped, lets the chip move all it can. Returns MCSR. */
static u32 slink_wait_drained(struct slink_card *card)
{
	return s5933_wait_mcsr(&card->chip, MCSR_WRITE_EMPTY | MCSR_WRITE_IS_ZERO,
			       DRAIN_NS);
}

static bool slink_is_drained(u32 mcsr)
{
	return mcsr & (MCSR_WRITE_EMPTY | MCSR_WRITE_IS_ZERO);
}

/*
 * Takes the remaining words with the CPU. No word passes to the chip now, so there are at
 * most as many as its FIFO holds. MCSR shows eight or four words at a time.
 */
static void slink_take_rest(struct slink_card *card, u32 mcsr)
{
	unsigned int left = S5933_FIFO_WORDS, n;

	while ((n = min(s5933_words_in(mcsr), left))) {
		left -= n;
		while (n--)
			slink_store_word(card, slink_pop_word(card));
		if (left)
			mcsr = slink_read_mcsr(card);
	}
}

/*
 * The card stops after all earlier words have passed, so a FIFO that is empty now stays
 * empty. When the count is zero, the words in the FIFO stay there.
 */
static void slink_drain(struct slink_card *card)
{
	u32 mcsr;

	if (!card->in.dma.len) {
		slink_take_rest(card, slink_read_mcsr(card));
		return;
	}
	mcsr = slink_wait_drained(card);
	slink_end_transfer(card);
	slink_take_rest(card, slink_is_drained(mcsr) ? mcsr : slink_read_mcsr(card));
}

/* Events */

static bool slink_is_small(const struct slink_input *in)
{
	return in->last <= SMALL_WORDS * sizeof(u32);
}

/* Completes the block. Returns true, because the block is done. */
static bool slink_finish_event(struct slink_card *card, u32 end)
{
	struct slink_input *in = &card->in;
	struct zio_block *block = in->block;

	if (card->lines & LINE_OVERFLOW)
		slink_raise_alarm(card, SLINK_ALARM_OVERFLOW);
	block->len = in->pos;
	block->drv_alarms = in->alarms;
	block->values[SLINK_VALUE_BEGIN] = in->begin;
	block->values[SLINK_VALUE_END] = end;
	slink_count(card, SLINK_EVENTS, 1);
	slink_count(card, SLINK_WORDS, in->pos / 4);
	in->block = NULL;
	in->last = in->pos;
	in->near = slink_is_small(in);
	in->pos = 0;
	in->discarding = false;
	in->alarms = 0;
	in->begin = 0;
	in->inside = false;
	return true;
}

static void slink_enter_event(struct slink_card *card, u32 word)
{
	struct slink_input *in = &card->in;

	in->inside = true;
	in->near = slink_is_small(in);
	in->begin = word;
	if (in->block)
		zio_cset_stamp(in->cset, in->block);
}

static bool slink_is_word(const struct slink_card *card, u32 word, u32 expected)
{
	return !((word ^ expected) & card->mask);
}

/* LD[1]: this word is bad. LD[0]: the data since the last control word are bad. */
static u8 slink_errors_of(u32 word)
{
	return (word & 2 ? SLINK_ALARM_CONTROL : 0) |
		(word & 1 ? SLINK_ALARM_DATA : 0);
}

static bool slink_begin_event(struct slink_card *card, u32 word)
{
	struct slink_input *in = &card->in;
	bool done = false;

	if (in->inside) {
		slink_count(card, SLINK_LOST_ENDS, 1);
		slink_raise_alarm(card, SLINK_ALARM_LOST_END);
		done = slink_finish_event(card, 0);
	} else if (in->pos || in->discarding) {
		slink_count(card, SLINK_LOST_STARTS, 1);
		slink_raise_alarm(card, SLINK_ALARM_LOST_START);
		done = slink_finish_event(card, 0);
	}
	slink_enter_event(card, word);
	slink_raise_alarm(card, slink_errors_of(word) & SLINK_ALARM_CONTROL);
	return done;
}

static bool slink_end_event(struct slink_card *card, u32 word)
{
	slink_raise_alarm(card, slink_errors_of(word));
	if (!card->in.inside) {
		slink_count(card, SLINK_LOST_STARTS, 1);
		slink_raise_alarm(card, SLINK_ALARM_LOST_START);
	}
	return slink_finish_event(card, word);
}

/* A cycle of the self test is a zero control word, then a walking one as data. */
static bool slink_end_test_cycle(struct slink_card *card, u32 word)
{
	unsigned int bits = slink_width(card), n = card->in.pos / 4, i;
	unsigned int errors = n != bits;
	const u32 *sample = card->in.block->data;

	if (!card->in.inside) {
		slink_enter_event(card, word);
		return false;
	}
	for (i = 0; i < n; i++)
		errors += sample[i] != BIT(i % bits);
	slink_count(card, SLINK_TEST_ERRORS, errors);
	slink_finish_event(card, word);
	slink_enter_event(card, word);
	return true;
}

/* Returns true if the block is done. */
static bool slink_take_control(struct slink_card *card, u32 word)
{
	if (slink_errors_of(word))
		slink_count(card, SLINK_ERRORS, 1);
	if (card->test && !(word & ~3))
		return slink_end_test_cycle(card, word);
	if (slink_is_word(card, word, card->begin))
		return slink_begin_event(card, word);
	if (slink_is_word(card, word, card->end))
		return slink_end_event(card, word);
	slink_count(card, SLINK_UNKNOWN, 1);
	slink_raise_alarm(card, SLINK_ALARM_UNKNOWN);
	return false;
}

/*
 * Expects data again. If the card has stopped, no control word can pass. Otherwise a
 * control word that passes now would be taken for data, so none may pass during the last
 * check of the FIFO. A corrupt control word can still pass; the next one raises an alarm.
 *
 * Returns false if a control word has come.
 */
static bool slink_end_control(struct slink_card *card)
{
	if (!card->stopped && card->in.expect == TYPE_CONTROL) {
		slink_expect(card, TYPE_BAD_CONTROL);
		if (slink_has_word(card))
			return false;
	}
	slink_start_transfer(card);
	slink_expect(card, TYPE_DATA);
	return true;
}

/*
 * Looks for a control word. After the card has stopped at one, it is on its way ("due").
 * Otherwise checks first whether the card has stopped, so that the FIFO is checked after
 * the last word has passed.
 */
static u32 slink_wait_control(struct slink_card *card)
{
	if (card->in.due) {
		card->in.due = false;
		return s5933_wait_word(&card->chip, WORD_NS);
	}
	if (!card->stopped)
		slink_look(card);
	return slink_read_mcsr(card);
}

/* Takes the next control word, if there is one. Returns true if the block is done. */
static bool slink_advance_control(struct slink_card *card)
{
	if (!s5933_words_in(slink_wait_control(card)) && slink_end_control(card))
		return false;
	return slink_take_control(card, slink_pop_word(card));
}

/* Expects the type of the word at which the card has stopped. */
static void slink_change_type(struct slink_card *card)
{
	u8 type = card->lines & LINE_TYPE;

	if (type == TYPE_BAD_DATA) {
		slink_count(card, SLINK_ERRORS, 1);
		slink_raise_alarm(card, SLINK_ALARM_DATA);
		slink_expect(card, type);
	} else if (type == TYPE_DATA) {
		slink_expect(card, type);
	} else {
		slink_drain(card);
		slink_expect(card, type);
		card->in.due = true;
	}
}

/* Looks at least once, and once after the time is over. Returns card->stopped. */
static bool slink_wait_stopped(struct slink_card *card, unsigned int ns)
{
	ktime_t end = ktime_add_ns(ktime_get(), ns);
	bool late = false;

	while (!card->stopped && !late && slink_is_usable(card)) {
		late = ktime_after(ktime_get(), end);
		slink_look(card);
	}
	return card->stopped;
}

/*
 * The page is full. Returns true if the event ends within the words in the FIFO. It does
 * not if the FIFO is full and the card has not stopped behind it. It also returns false
 * after a while, because the source may pause.
 */
static bool slink_is_ending(struct slink_card *card, u32 mcsr)
{
	ktime_t end = ktime_add_ns(ktime_get(), PAUSE_NS);

	while (!(mcsr & MCSR_WRITE_FULL) && !card->stopped &&
	       ktime_before(ktime_get(), end)) {
		slink_look(card);
		mcsr = slink_read_mcsr(card);
	}
	return slink_wait_stopped(card, MORE_NS);
}

/* Returns true if there was a page to turn, or the event ends. */
static bool slink_handle_page(struct slink_card *card)
{
	u32 mcsr;

	if (!card->in.page_done || !card->in.dma.len)
		return false;
	card->in.page_done = false;
	mcsr = slink_read_mcsr(card);
	if (!(mcsr & MCSR_WRITE_IS_ZERO) || s5933_is_gone(mcsr))
		return false;
	/* The count is zero, so the transfer has ended and may stay enabled. */
	if (!slink_is_ending(card, mcsr)) {
		slink_account_transfer(card, card->in.dma.len);
		slink_start_transfer(card);
	}
	return true;
}

/*
 * After a small event, waits for the card to stop. The next event may be as small, and may
 * end before an interrupt could be served. If the reader is behind, no block is armed; the
 * card then stops at the next event, and its interrupt would be useless.
 */
static bool slink_wait_small(struct slink_card *card)
{
	bool near = card->in.near;

	card->in.near = false;
	return near && slink_wait_stopped(card, STOP_NS);
}

static bool slink_is_expecting_data(const struct slink_card *card)
{
	return card->in.expect & LINE_LCTRL_N;
}

/* Returns true if the link is down in the middle of an event. */
static bool slink_is_down_inside(const struct slink_card *card)
{
	return card->in.inside && !(card->lines & LINE_LDOWN_N);
}

/* Returns true if there may be more to do. */
static bool slink_advance_data(struct slink_card *card)
{
	u32 left;

	slink_start_transfer(card);
	if (card->stopped || slink_wait_small(card)) {
		slink_change_type(card);
		return true;
	}
	if (slink_handle_page(card))
		return true;
	if (!slink_is_down_inside(card))
		return false;
	/* The link is down inside an event: drop the event if no word is on its way. */
	left = s5933_read(&card->chip, S5933_MWTC);
	udelay(QUIET_US);
	if (left != s5933_read(&card->chip, S5933_MWTC) || slink_has_word(card))
		return false;
	slink_drain(card);
	slink_raise_alarm(card, SLINK_ALARM_LINK_DOWN);
	slink_finish_event(card, 0);
	return false;
}

/*
 * The bus refused memory: discards the rest of the event. Meanwhile no word may pass, or
 * the FIFO could fill as fast as the CPU empties it. If the FIFO drains, an earlier
 * transfer was aborted.
 */
static void slink_handle_abort(struct slink_card *card)
{
	u8 expect = card->in.expect;

	card->in.aborted = false;
	if (!card->in.dma.len)
		return;
	slink_expect(card, TYPE_BAD_CONTROL);
	if (!slink_is_drained(slink_wait_drained(card))) {
		slink_end_transfer(card);
		slink_take_rest(card, slink_read_mcsr(card));
		slink_raise_alarm(card, SLINK_ALARM_TRUNCATED);
		card->in.discarding = true;
	}
	slink_expect(card, expect);
}

/**
 * slink_advance_input() - advance the input as far as possible
 * @card: the card, locked; the caller has taken its status
 * @visit: this visit; the input uses up its turns
 *
 * It waits for words that are on their way within the card, but not for the link.
 *
 * Context: any.
 * Return: true if the armed block is done. The caller releases the lock, calls
 *         zio_cset_done(), and calls this function again.
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
			slink_handle_abort(card);
		more = slink_is_expecting_data(card) ? slink_advance_data(card) :
						 !slink_advance_control(card);
		more = more && slink_is_usable(card);
	}
	if (in->block && slink_is_down_inside(card))
		hrtimer_start(&card->timer, ns_to_ktime(CUT_US * NSEC_PER_USEC),
			      HRTIMER_MODE_REL);
	if (!armed || in->block)
		return false;
	return true;
}

/**
 * slink_wait_behind() - check the card once more at the end of a visit
 * @card: the card, locked; the caller has just acknowledged its messages
 *
 * If the reader is behind, the card soon stops at the next small event. Take that message
 * now, because its interrupt would find no block.
 *
 * Context: any.
 */
void slink_wait_behind(struct slink_card *card)
{
	if (!card->in.behind || !slink_wait_small(card))
		slink_look(card);
	card->in.behind = false;
}

/* Drops the words of the current event. An armed block becomes empty. */
void slink_drop_input(struct slink_card *card)
{
	struct slink_input *in = &card->in;

	if (in->block)
		slink_end_transfer(card);
	if (in->inside || in->pos)
		slink_raise_alarm(card, SLINK_ALARM_LOST_START);
	slink_count(card, SLINK_TRUNCATED, in->pos / 4);
	in->pos = 0;
	in->begin = 0;
	in->discarding = false;
	in->inside = false;
}

/* Counts an event that was lost after it was complete. The next block has an alarm. */
void slink_lose_event(struct slink_card *card, size_t bytes)
{
	slink_raise_alarm(card, SLINK_ALARM_LOST_START);
	slink_count(card, SLINK_TRUNCATED, bytes / 4);
}

/**
 * slink_init_input() - allocate the memory for words that no block takes
 * @cset: the channel set
 *
 * Context: process, sleeps.
 * Return: 0, or -ENOMEM.
 */
int slink_init_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	struct slink_input *in = &card->in;

	in->cset = cset;
	in->waste = dma_alloc_coherent(card->chip.dev, PAGE_SIZE, &in->waste_addr,
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

	dma_free_coherent(card->chip.dev, PAGE_SIZE, card->in.waste,
			  card->in.waste_addr);
}
