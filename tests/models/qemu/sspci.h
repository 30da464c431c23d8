/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sspci.h: a model of an SSPCI card, without its S5933
 *
 * It has the destination end of an S-LINK (LDC) and an external FIFO. Its logic lets words
 * of the expected type pass into the chip. Documentation/slink/slink-model.md describes its
 * mailboxes.
 */
#ifndef SSPCI_H
#define SSPCI_H

#include "s5933.h"
#include "slink.h"

/* OMB1: lines of the host, all low after a reset. */
#define SSPCI_FRESET_N		(1u << 0)
#define SSPCI_UTDO_N		(1u << 1)
#define SSPCI_URESET_N		(1u << 2)
#define SSPCI_UDW(v)		((v) >> 3 & 3)
#define SSPCI_URL(v)		((v) >> 8 & 0xf)
#define SSPCI_EXPECT(v)		((v) >> 24 & 3)

/* IMB4 byte 3: status of the card. */
#define SSPCI_LDERR_N		(1u << 0)
#define SSPCI_LCTRL_N		(1u << 1)
#define SSPCI_LDOWN_N		(1u << 2)
#define SSPCI_OVERFLOW		(1u << 3)

#define SSPCI_FIFO_MAX		65536

struct sspci_config {
	uint32_t fifo_words;	/* depth of the external FIFO */
	uint32_t word_ns;	/* from one word into the chip to the next */
	uint32_t reset_ns;	/* time that a link needs to come up */
	uint32_t xoff;		/* duplex link: flow control works */
	uint32_t word_errors;	/* LDERR# marks each bad word, too */
	uint32_t overflow_low;	/* the overflow bit is active low */
};

struct sspci_stats {
	uint32_t received;	/* words that came over the link */
	uint32_t passed;	/* words that went into the chip */
	uint32_t overflowed;	/* lost: FIFO full */
	uint32_t discarded;	/* lost: FIFO held in reset, or emptied by it */
	uint32_t most;		/* highest level of the FIFO */
	uint32_t strobes;	/* of IMB4 byte 3 */
	uint32_t stops;		/* strobes at a word of another type */
	uint32_t drops;		/* of the link: LDOWN# went low */
	uint32_t test_words;	/* of the self test, checked and dropped */
	uint32_t test_errors;
};

struct sspci_entry {
	uint32_t data;
	uint8_t type;		/* SSPCI_LCTRL_N | SSPCI_LDERR_N */
};

struct sspci {
	struct s5933 *chip;
	const uint64_t *now;
	struct sspci_config cfg;

	uint32_t control;	/* lines of OMB1 as the card has them */
	bool held;		/* SYSRST# */
	uint64_t fifo_reset_at;	/* FRESET# went low, or SLINK_NEVER */
	uint8_t lines;		/* as last put into IMB4 byte 3 */

	enum slink_link link;
	bool cable;
	uint64_t up_at;
	bool block_error;	/* bad data since the last control word */
	unsigned int test_index;

	struct sspci_entry fifo[SSPCI_FIFO_MAX];
	uint32_t head;
	uint32_t level;
	bool full;		/* XOFF */
	bool overflow;
	bool stopped;		/* at a word of another type, after a strobe */
	uint64_t pass_at;	/* the chip takes no word before */

	struct sspci_stats stats;
};

/**
 * sspci_init - make a card with its cable in
 * @card: the card
 * @chip: the chip on it; its ops must call sspci_omb_written() and
 *	sspci_addon_reset()
 * @now: clock of the model, in ns
 */
void sspci_init(struct sspci *card, struct s5933 *chip, const uint64_t *now);

/**
 * sspci_reset - reset the card, as power on or a PCI reset does
 * @card: the card
 */
void sspci_reset(struct sspci *card);

/**
 * sspci_omb_written - take a mailbox that the host wrote (callback of the chip)
 * @card: the card
 * @box: 0...3
 */
void sspci_omb_written(struct sspci *card, unsigned int box);

/**
 * sspci_addon_reset - act on a change of SYSRST# (callback of the chip)
 * @card: the card
 * @held: it is low
 */
void sspci_addon_reset(struct sspci *card, bool held);

/**
 * sspci_set_cable - put the cable in or out
 * @card: the card
 * @in: in; the link stays down until it is reset
 */
void sspci_set_cable(struct sspci *card, bool in);

/**
 * sspci_input - return the end of the link to which a source can send
 * @card: the card
 */
struct slink_end sspci_input(struct sspci *card);

/**
 * sspci_next_ns - tell when the card next acts by itself
 * @card: the card
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t sspci_next_ns(const struct sspci *card);

/**
 * sspci_run - do what is due now, one step of each part
 * @card: the card
 */
void sspci_run(struct sspci *card);

/**
 * sspci_run_length - count words of the expected type at the head of the external FIFO
 * @card: the card
 *
 * Return: the number; it may be less than there are.
 */
unsigned int sspci_run_length(const struct sspci *card);

/**
 * sspci_expects_data - tell whether good data words would pass
 * @card: the card
 */
bool sspci_expects_data(const struct sspci *card);

#endif /* SSPCI_H */
