/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slink.h: what the driver's files share
 *
 * A file calls only those below it:
 *
 *   main.c      PCI: probe, halt, restart; the descriptors of the device
 *   attr.c      sysfs
 *   service.c   visits to the card: interrupt, timer, watch, raw_io(), stop_io()
 *   reset.c     resets and restarts
 *   input.c     events from the link to blocks
 *   card.c      the lines of the card, the link
 *
 * zio-s5933.ko drives the chip.
 */
#ifndef _ZIO_SLINK_H
#define _ZIO_SLINK_H

#include <linux/interrupt.h>

#include "card.h"

/* attr.c */
#define SLINK_N_INPUT_ATTRS	27
extern const struct zio_attr_desc slink_input_attrs[SLINK_N_INPUT_ATTRS];
int slink_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 value);
int slink_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 *value);

/* service.c; the caller does not hold the lock */
void slink_service(struct slink_card *card);
enum hrtimer_restart slink_poll(struct hrtimer *timer);
irqreturn_t slink_interrupt(int irq, void *data);
void slink_watch(struct work_struct *work);
void slink_start_watch(struct slink_card *card);
int slink_input(struct zio_cset *cset);
void slink_stop_input(struct zio_cset *cset);

/* reset.c; process context, the caller does not hold the lock */
void slink_reset_card(struct slink_card *card);
void slink_reset_link(struct slink_card *card);
void slink_restart(struct slink_card *card);
bool slink_restart_lost(struct slink_card *card);
void slink_empty_fifo(struct slink_card *card);

/* input.c; the caller holds the lock, except for init and exit */
bool slink_advance_input(struct slink_card *card, struct slink_visit *visit);
void slink_wait_behind(struct slink_card *card);
void slink_drop_input(struct slink_card *card);
void slink_lose_event(struct slink_card *card, size_t bytes);
int slink_init_input(struct zio_cset *cset);
void slink_exit_input(struct zio_cset *cset);

#endif /* _ZIO_SLINK_H */
