/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slink.h: what the files of the driver offer each other
 *
 * A file calls only those below it:
 *
 *   main.c      PCI: probe, shutdown; the descriptors of the device
 *   attr.c      sysfs and debugfs
 *   service.c   visits to the card: interrupt, timer, watch, raw_io(), stop_io()
 *   reset.c     resets and restarts
 *   input.c     events from the link to blocks
 *   output.c    blocks to events on the link
 *   chip.c      registers, the link, memory for DMA
 */
#ifndef _ZIO_SLINK_H
#define _ZIO_SLINK_H

#include <linux/interrupt.h>

#include "chip.h"

/* attr.c */
#define SLINK_N_INPUT_ATTRS	25
#define SLINK_N_OUTPUT_ATTRS	2
extern const struct zio_attr_desc slink_input_attrs[SLINK_N_INPUT_ATTRS];
extern const struct zio_attr_desc slink_output_attrs[SLINK_N_OUTPUT_ATTRS];
int slink_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 value);
int slink_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 *value);
int slink_create_dump(struct slink_card *card);

/* service.c; the caller does not hold card->lock */
void slink_service(struct slink_card *card);
enum hrtimer_restart slink_poll(struct hrtimer *timer);
irqreturn_t slink_interrupt(int irq, void *data);
void slink_watch(struct work_struct *work);
void slink_start_watch(struct slink_card *card);
int slink_input(struct zio_cset *cset);
void slink_stop_input(struct zio_cset *cset);
int slink_output(struct zio_cset *cset);
void slink_stop_output(struct zio_cset *cset);

/* reset.c; process context, the caller does not hold card->lock */
void slink_reset_card(struct slink_card *card);
void slink_reset_link(struct slink_card *card);
void slink_restart(struct slink_card *card);
bool slink_restart_lost(struct slink_card *card);
void slink_empty_fifo(struct slink_card *card);

/* input.c; the caller holds card->lock, but for init and exit */
bool slink_advance_input(struct slink_card *card, struct slink_visit *visit);
void slink_drop_input(struct slink_card *card);
void slink_lose_event(struct slink_card *card, size_t bytes);
int slink_init_input(struct zio_cset *cset);
void slink_exit_input(struct zio_cset *cset);

/* output.c; the caller holds card->lock, but for init */
bool slink_advance_output(struct slink_card *card, struct slink_visit *visit);
void slink_drop_output(struct slink_card *card);
int slink_init_output(struct zio_cset *cset);

#endif /* _ZIO_SLINK_H */
