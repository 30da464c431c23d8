// SPDX-License-Identifier: GPL-2.0-only
/*
 * sspci.c: a model of the SSPCI card; see sspci.h
 *
 * A word from the link gets its LDERR# here, as on the destination card, and waits in
 * the external FIFO. It passes into the chip if its lines are the expected ones. If not,
 * the card writes the lines to IMB4 byte 3 once. It does so again after each write of OMB1
 * that does not expect them.
 */
#include <string.h>

#include "sspci.h"

#define IDLE_TYPE	(SSPCI_LCTRL_N | SSPCI_LDERR_N)
#define SCAN_WORDS	256

static bool link_is_there(const struct sspci *card)
{
	return card->link == SLINK_LINK_READY || card->link == SLINK_LINK_UP;
}

/* After a reset all lines are low. */
static bool is_high(const struct sspci *card, uint32_t line)
{
	return card->control & line;
}

static unsigned int input_width(const struct sspci *card)
{
	return slink_width(SSPCI_UDW(card->control));
}

/* --- status to the host --------------------------------------------------- */

static const struct sspci_entry *entry_at(const struct sspci *card,
					  uint32_t index)
{
	return &card->fifo[(card->head + index) % SSPCI_FIFO_MAX];
}

static const struct sspci_entry *head_of(const struct sspci *card)
{
	return card->level ? entry_at(card, 0) : NULL;
}

static void strobe_status(struct sspci *card)
{
	const struct sspci_entry *head = head_of(card);
	uint8_t lines = head ? head->type : IDLE_TYPE;

	if (link_is_there(card))
		lines |= SSPCI_LDOWN_N;
	if (card->overflow != !!card->cfg.overflow_low)
		lines |= SSPCI_OVERFLOW;
	card->lines = lines;
	card->stats.strobes++;
	s5933_write_imb(card->chip, 3, 3, lines);
}

/* --- link ----------------------------------------------------------------- */

static void set_link(struct sspci *card, enum slink_link link)
{
	bool was_there = link_is_there(card);

	card->link = link;
	card->up_at = SLINK_NEVER;
	if (link == SLINK_LINK_RESET && card->cable)
		card->up_at = *card->now + card->cfg.reset_ns;
	if (link_is_there(card) == was_there || card->held)
		return;
	card->stats.drops += was_there;
	strobe_status(card);
}

static void set_link_reset(struct sspci *card, bool high)
{
	if (!high) {
		card->block_error = false;
		card->test_index = 0;
		set_link(card, SLINK_LINK_RESET);
	} else if (link_is_there(card)) {
		set_link(card, SLINK_LINK_UP);
	} else {
		set_link(card, SLINK_LINK_DOWN);
	}
}

void sspci_set_cable(struct sspci *card, bool in)
{
	if (card->cable == in)
		return;
	card->cable = in;
	if (!is_high(card, SSPCI_URESET_N))
		set_link(card, SLINK_LINK_RESET);
	else
		set_link(card, SLINK_LINK_DOWN);
}

/* --- words that arrive ---------------------------------------------------- */

static void update_xoff(struct sspci *card)
{
	uint32_t depth = card->cfg.fifo_words;

	if (card->level >= depth - depth / 8)
		card->full = true;
	else if (card->level <= depth / 2)
		card->full = false;
}

static void store_word(struct sspci *card, uint32_t data, uint8_t type)
{
	struct sspci_entry *entry;

	if (!is_high(card, SSPCI_FRESET_N)) {
		card->stats.discarded++;
		return;
	}
	if (card->level >= card->cfg.fifo_words) {
		card->stats.overflowed++;
		if (!card->overflow) {
			card->overflow = true;
			strobe_status(card);
		}
		return;
	}
	entry = &card->fifo[(card->head + card->level++) % SSPCI_FIFO_MAX];
	*entry = (struct sspci_entry){ data, type };
	if (card->level > card->stats.most)
		card->stats.most = card->level;
	update_xoff(card);
}

/* LD[1]: this control word is bad. LD[0]: the data since the last control word are bad. */
static void receive_control(struct sspci *card, struct slink_word word)
{
	uint32_t data = word.data & ~0xfu;
	uint8_t type = SSPCI_LDERR_N;

	if (word.flags & SLINK_DAMAGED)
		data |= 2;
	if (card->block_error)
		data |= 1;
	if (data & 3)
		type = 0;
	card->block_error = false;
	store_word(card, data, type);
}

static void receive_data(struct sspci *card, struct slink_word word)
{
	uint8_t type = IDLE_TYPE;

	if (word.flags & SLINK_DAMAGED) {
		card->block_error = true;
		if (card->cfg.word_errors)
			type = SSPCI_LCTRL_N;
	}
	store_word(card, word.data, type);
}

/* Each control word begins a new cycle of the self test. */
static void check_test_word(struct sspci *card, struct slink_word word)
{
	struct slink_word right;

	if (word.flags & SLINK_CONTROL)
		card->test_index = 0;
	right = slink_test_word(card->test_index);
	card->test_index = (card->test_index + 1) %
			   slink_test_length(input_width(card));
	card->stats.test_words++;
	if (right.data != word.data || right.flags != word.flags)
		card->stats.test_errors++;
}

static void input_put(void *priv, struct slink_word word)
{
	struct sspci *card = priv;

	card->stats.received++;
	word.data &= UINT32_MAX >> (32 - input_width(card));
	if ((word.flags & SLINK_TEST) && is_high(card, SSPCI_UTDO_N))
		check_test_word(card, word);
	else if (word.flags & SLINK_CONTROL)
		receive_control(card, word);
	else
		receive_data(card, word);
}

static bool input_is_up(const void *priv)
{
	const struct sspci *card = priv;

	return card->link == SLINK_LINK_UP && !card->held;
}

static bool input_is_full(const void *priv)
{
	const struct sspci *card = priv;

	return card->cfg.xoff && card->full;
}

static unsigned int input_width_of(const void *priv)
{
	return input_width(priv);
}

static unsigned int input_return_lines(const void *priv)
{
	const struct sspci *card = priv;

	return SSPCI_URL(card->control);
}

static void input_cut(void *priv)
{
	sspci_set_cable(priv, false);
}

struct slink_end sspci_input(struct sspci *card)
{
	static const struct slink_end_ops ops = {
		.is_up = input_is_up,
		.is_full = input_is_full,
		.width = input_width_of,
		.return_lines = input_return_lines,
		.put = input_put,
		.cut = input_cut,
	};

	return (struct slink_end){ &ops, card };
}

/* --- words that pass ------------------------------------------------------ */

static bool is_expected(const struct sspci *card)
{
	return head_of(card)->type == SSPCI_EXPECT(card->control);
}

static bool can_pass(const struct sspci *card)
{
	if (!card->level || card->held)
		return false;
	return is_expected(card) ? !s5933_is_full(card->chip) : !card->stopped;
}

static void pass_word(struct sspci *card)
{
	if (!is_expected(card)) {
		card->stopped = true;
		card->stats.stops++;
		strobe_status(card);
		return;
	}
	s5933_push(card->chip, head_of(card)->data);
	card->head = (card->head + 1) % SSPCI_FIFO_MAX;
	card->level--;
	card->stopped = false;
	card->stats.passed++;
	card->pass_at = *card->now + card->cfg.word_ns;
	update_xoff(card);
}

static uint64_t pass_next_ns(const struct sspci *card)
{
	return can_pass(card) ? slink_later(card->pass_at, *card->now) :
				SLINK_NEVER;
}

unsigned int sspci_run_length(const struct sspci *card)
{
	uint32_t i = 0;

	if (card->held)
		return 0;
	while (i < card->level && i < SCAN_WORDS &&
	       entry_at(card, i)->type == SSPCI_EXPECT(card->control))
		i++;
	return i;
}

bool sspci_expects_data(const struct sspci *card)
{
	return SSPCI_EXPECT(card->control) == IDLE_TYPE;
}

/* --- the host's lines ----------------------------------------------------- */

static void empty_input(struct sspci *card)
{
	card->stats.discarded += card->level;
	card->head = 0;
	card->level = 0;
	card->full = false;
	card->overflow = false;
}

/* FRESET# stays low for a while, also after SYSRST# has gone high. */
static void time_fifo_reset(struct sspci *card, uint32_t old)
{
	if (!((card->control ^ old) & SSPCI_FRESET_N))
		return;
	if (old & SSPCI_FRESET_N) {
		card->fifo_reset_at = *card->now;
		return;
	}
	if (card->fifo_reset_at == SLINK_NEVER)
		return;
	if (card->chip->reset_at != SLINK_NEVER)
		card->fifo_reset_at = slink_later(card->fifo_reset_at,
						  card->chip->reset_at);
	s5933_note_reset(card->chip, card->fifo_reset_at);
}

static void take_lines(struct sspci *card)
{
	uint32_t old = card->control;

	card->control = s5933_take_omb(card->chip, 0);
	card->stopped = false;
	time_fifo_reset(card, old);
	if (!is_high(card, SSPCI_FRESET_N))
		empty_input(card);
	if ((card->control ^ old) & SSPCI_URESET_N)
		set_link_reset(card, is_high(card, SSPCI_URESET_N));
}

void sspci_omb_written(struct sspci *card, unsigned int box)
{
	if (!card->held && box == 0)
		take_lines(card);
}

static void power_on(struct sspci *card)
{
	empty_input(card);
	card->control = 0;
	card->pass_at = 0;
	set_link_reset(card, false);
}

void sspci_addon_reset(struct sspci *card, bool held)
{
	card->held = held;
	power_on(card);
	card->fifo_reset_at = *card->now;
	if (!held && s5933_omb_is_full(card->chip, 0))
		take_lines(card);
}

void sspci_reset(struct sspci *card)
{
	card->held = false;
	card->link = SLINK_LINK_DOWN;
	card->fifo_reset_at = SLINK_NEVER;
	power_on(card);
}

/* --- together ------------------------------------------------------------- */

uint64_t sspci_next_ns(const struct sspci *card)
{
	return slink_earlier(pass_next_ns(card), card->up_at);
}

void sspci_run(struct sspci *card)
{
	if (card->up_at <= *card->now)
		set_link(card, SLINK_LINK_READY);
	if (pass_next_ns(card) <= *card->now)
		pass_word(card);
}

void sspci_init(struct sspci *card, struct s5933 *chip, const uint64_t *now)
{
	memset(card, 0, sizeof(*card));
	card->chip = chip;
	card->now = now;
	card->cfg = (struct sspci_config){
		.fifo_words = 4096,
		.word_ns = 30,
		.reset_ns = 1000000,
		.xoff = 1,
	};
	card->cable = true;
	sspci_reset(card);
}
