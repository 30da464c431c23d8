/* SPDX-License-Identifier: GPL-2.0-only */
/* sspci-out.h: the output side of a card, for sspci.c alone */
#ifndef SSPCI_OUT_H
#define SSPCI_OUT_H

#include "sspci.h"

/**
 * sspci_out_reset - set the lines high and stop
 * @card: the card
 */
void sspci_out_reset(struct sspci *card);

/**
 * sspci_out_next_ns - tell when the output side next acts
 * @card: the card
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t sspci_out_next_ns(const struct sspci *card);

/**
 * sspci_out_run - send a word, take a mailbox, or report a change of status
 * @card: the card
 */
void sspci_out_run(struct sspci *card);

#endif /* SSPCI_OUT_H */
