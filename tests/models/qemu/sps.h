/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sps.h: a model of an SPS card, without its S5933: the source end of an S-LINK (LSC)
 *
 * Words of the P2A FIFO leave with the type of UCTRL# in OMB1. The card takes OMB1 at once,
 * so a host that changes UCTRL# with words in the FIFO changes their type: that is a fault.
 */
#ifndef SPS_H
#define SPS_H

#include "s5933.h"
#include "slink.h"

/* OMB1: lines of the host, all low after a reset. */
#define SPS_UCTRL_N		(1u << 0)
#define SPS_UTEST_N		(1u << 1)
#define SPS_URESET_N		(1u << 2)
#define SPS_UDW(v)		((v) >> 3 & 3)

/* IMB4 byte 3: status of the card. */
#define SPS_LRL(v)		((v) & 0xf)
#define SPS_LDOWN_N		(1u << 4)

struct sps_config {
	uint32_t word_ns;	/* from one word out of the chip to the next */
	uint32_t reset_ns;	/* time that the link needs to come up */
};

struct sps_stats {
	uint32_t sent;		/* words that left */
};

struct sps {
	struct s5933 *chip;
	const uint64_t *now;
	struct sps_config cfg;
	struct slink_end to;	/* the destination */

	uint32_t control;	/* lines of OMB1 as the card has them */
	bool held;		/* SYSRST# */
	uint8_t lines;		/* as last put into IMB4 byte 3 */
	enum slink_link link;
	uint64_t up_at;
	unsigned int slack;
	unsigned int test_index;	/* next word of the test cycle */
	uint64_t out_at;

	struct sps_stats stats;
};

/**
 * sps_init - make a card
 * @card: the card
 * @chip: the chip on it; its ops must call sps_omb_written() and sps_addon_reset()
 * @now: clock of the model, in ns
 */
void sps_init(struct sps *card, struct s5933 *chip, const uint64_t *now);

/**
 * sps_reset - reset the card, as power on or a PCI reset does
 * @card: the card
 */
void sps_reset(struct sps *card);

/**
 * sps_omb_written - take a mailbox that the host wrote (callback of the chip)
 * @card: the card
 * @box: 0...3
 */
void sps_omb_written(struct sps *card, unsigned int box);

/**
 * sps_addon_reset - act on a change of SYSRST# (callback of the chip)
 * @card: the card
 * @held: it is low
 */
void sps_addon_reset(struct sps *card, bool held);

/**
 * sps_set_destination - set the other end of the link
 * @card: the card
 * @to: the other end; no ops for none
 */
void sps_set_destination(struct sps *card, struct slink_end to);

/**
 * sps_next_ns - tell when the card next acts by itself
 * @card: the card
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t sps_next_ns(const struct sps *card);

/**
 * sps_run - do what is due now
 * @card: the card
 */
void sps_run(struct sps *card);

/**
 * sps_is_active - tell whether the card may soon send a word
 * @card: the card
 */
bool sps_is_active(const struct sps *card);

#endif /* SPS_H */
