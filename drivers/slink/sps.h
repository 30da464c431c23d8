/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sps.h: the state of an SPS card, and what the driver's files share
 *
 * A file calls only those below it:
 *
 *   sps.c         PCI: probe, halt, restart; the descriptors of the device; attributes
 *   sps-visit.c   visits to the card: interrupt, timer, watch, raw_io(), stop_io()
 *   sps-send.c    blocks to events on the link
 *   sps-card.c    the lines of the card, the link, resets
 *
 * The lock of the chip protects OMB1, INTCSR, MCSR, and the states of output and link. The
 * driver does not hold it while it calls the core.
 */
#ifndef _ZIO_SPS_H
#define _ZIO_SPS_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/zio-s5933.h>

#include "lines.h"

/* The timer checks the card at this interval while words wait in its FIFO. */
#define SPS_LOOK_US	50

enum sps_stat {
	SPS_EVENTS,
	SPS_WORDS,
	SPS_INTERRUPTS,
	SPS_TRANSFERS,
	SPS_LINK_DROPS,
	SPS_ABORTS,
	SPS_RESTARTS,
	SPS_N_STATS
};

/* See sps-send.c */
enum sps_state {
	SPS_IDLE,
	SPS_BEGIN,
	SPS_DATA,
	SPS_SENDING,
	SPS_END,
};

struct sps_card {
	struct s5933 chip;
	u32 omb1;
	u8 lines;		/* IMB4 byte 3, as last read */
	bool resetting;		/* URESET# is low */
	bool lost;		/* the card has lost its state; sps_watch() restarts it */
	struct mutex reset_lock; /* one reset at a time; taken before the spinlock */
	struct delayed_work watch;
	struct hrtimer timer;
	atomic_t finishing;	/* contexts that are about to call zio_cset_done() */
	u32 begin;
	u32 end;
	atomic64_t stat[SPS_N_STATS];

	struct zio_cset *cset;
	struct zio_block *block;
	enum sps_state state;
	bool aborted;
	bool failed;		/* the event was cut: its block was not played */
	size_t pos;		/* bytes of the block that the chip has read */
	struct s5933_dma dma;
};

static inline struct sps_card *sps_card_of(struct s5933 *chip)
{
	return container_of(chip, struct sps_card, chip);
}

static inline void sps_count(struct sps_card *card, enum sps_stat stat, u64 n)
{
	atomic64_add(n, &card->stat[stat]);
}

static inline bool sps_is_usable(const struct sps_card *card)
{
	return !card->lost && !card->chip.halted;
}

static inline bool sps_is_up(const struct sps_card *card)
{
	return (card->lines & SPS_LDOWN_N) && !card->resetting;
}

/* sps-visit.c */
irqreturn_t sps_interrupt(int irq, void *data);
enum hrtimer_restart sps_poll(struct hrtimer *timer);
void sps_watch(struct work_struct *work);
void sps_start_watch(struct sps_card *card);
void sps_service(struct sps_card *card);
int sps_output(struct zio_cset *cset);
void sps_stop_output(struct zio_cset *cset);

/* sps-send.c; the caller holds the lock */
bool sps_advance(struct sps_card *card);

/* sps-card.c; the caller holds the lock, except for the resets, which sleep */
void sps_set_omb1(struct sps_card *card, u32 mask, u32 lines);
bool sps_begin_status(struct sps_card *card, u32 status);
void sps_drop(struct sps_card *card);
void sps_lose_card(struct sps_card *card);
void sps_reset_card(struct sps_card *card);
void sps_reset_link(struct sps_card *card);
void sps_restart(struct sps_card *card);
bool sps_restart_lost(struct sps_card *card);

#endif /* _ZIO_SPS_H */
