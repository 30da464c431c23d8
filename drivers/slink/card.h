/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * card.h: the state of a card, and card.c
 *
 * The lock of the chip protects the states of input and link, and the registers OMB1,
 * INTCSR and MCSR, which more than one function writes. The driver does not hold it while
 * it calls the core.
 */
#ifndef _ZIO_SLINK_CARD_H
#define _ZIO_SLINK_CARD_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/zio-s5933.h>

#include "lines.h"

/* Driver alarms, in the control of the event that they belong to */
#define SLINK_ALARM_DATA	BIT(0)	/* transmission error in the data */
#define SLINK_ALARM_CONTROL	BIT(1)	/* transmission error in a control word */
#define SLINK_ALARM_UNKNOWN	BIT(2)	/* unexpected control word */
#define SLINK_ALARM_TRUNCATED	BIT(3)	/* more words than a block takes, or an abort */
#define SLINK_ALARM_LOST_START	BIT(4)
#define SLINK_ALARM_LOST_END	BIT(5)
#define SLINK_ALARM_LINK_DOWN	BIT(6)
#define SLINK_ALARM_OVERFLOW	BIT(7)	/* words are missing */

/* Positions of the values of each block: its control words, or 0 if there were none */
enum slink_value {
	SLINK_VALUE_BEGIN = 5,	/* behind the attributes of the set */
	SLINK_VALUE_END,
};

enum slink_stat {
	SLINK_EVENTS,
	SLINK_WORDS,
	SLINK_INTERRUPTS,
	SLINK_POLLS,
	SLINK_CPU_WORDS,	/* words that the CPU took from the FIFO */
	SLINK_TRANSFERS,	/* DMA */
	SLINK_ERRORS,		/* transmission */
	SLINK_LOST_ENDS,
	SLINK_LOST_STARTS,
	SLINK_UNKNOWN,		/* control words */
	SLINK_TRUNCATED,	/* words that no block took */
	SLINK_OVERFLOWS,
	SLINK_LINK_DROPS,
	SLINK_ABORTS,
	SLINK_TEST_ERRORS,
	SLINK_RESTARTS,		/* after the card has lost its state */
	SLINK_N_STATS
};

/*
 * One visit to the card: an interrupt, a run of the timer, or a call from the core. A card
 * may have ever more to do, so a visit ends after a number of turns, and the timer
 * continues the work.
 */
struct slink_visit {
	ktime_t begin;
	unsigned int turns;	/* left in this visit */
};

/* See input.c */
struct slink_input {
	struct zio_cset *cset;
	struct zio_block *block;
	bool inside;		/* the begin control word has come */
	bool discarding;	/* the block is full */
	bool due;		/* a control word is on its way to the FIFO */
	bool aborted;		/* the chip has reported an abort */
	bool page_done;		/* the count of this transfer has reached zero */
	bool near;		/* events are small: the card may stop soon */
	bool behind;		/* no block was armed for the next event */
	u8 expect;		/* TYPE_* */
	u8 alarms;		/* of the event */
	u32 begin;		/* control word of the event */
	size_t pos;		/* bytes in the block */
	size_t last;		/* bytes of the previous event */
	struct s5933_dma dma;
	void *waste;		/* memory for words that no block takes */
	dma_addr_t waste_addr;
};

struct slink_card {
	struct s5933 chip;	/* its lock protects the states: see above */
	u32 omb1;
	u8 lines;		/* IMB4 byte 3, as last read */
	bool stopped;		/* a word of an unexpected type waits */
	bool unacknowledged;	/* a message was read without clearing its status */
	bool resetting;		/* URESET# is low */
	bool in_reset;		/* while this or the next one is set, no visit works */
	bool lost;		/* the card has lost its state; slink_watch() restarts it */
	struct mutex reset_lock; /* one reset at a time; taken before the spinlock */
	struct delayed_work watch;
	atomic_t finishing;	/* contexts that are about to call zio_cset_done() */
	u32 poll_us;
	bool timed;		/* the timer, not an interrupt, starts the next visit */
	struct hrtimer timer;
	u32 begin;
	u32 end;
	u32 mask;
	bool test;
	atomic64_t stat[SLINK_N_STATS];
	struct slink_input in;
};

static inline struct slink_card *slink_card_of(struct s5933 *chip)
{
	return container_of(chip, struct slink_card, chip);
}

static inline void slink_count(struct slink_card *card, enum slink_stat stat,
			       u64 n)
{
	atomic64_add(n, &card->stat[stat]);
}

/* Returns the number of bits of a word on the link. */
static inline unsigned int slink_width(const struct slink_card *card)
{
	return 32 >> FIELD_GET(OMB1_WIDTH, card->omb1);
}

/* Returns true if the driver may work with the card. The caller holds the lock. */
static inline bool slink_is_usable(const struct slink_card *card)
{
	return !card->in_reset && !card->lost && !card->chip.halted;
}

/* The caller holds the lock. */
void slink_set_omb1(struct slink_card *card, u32 mask, u32 lines);
void slink_expect(struct slink_card *card, u8 type);
bool slink_begin_status(struct slink_card *card, u32 status);
void slink_look(struct slink_card *card);
void slink_lose_card(struct slink_card *card);
void slink_pull_link_down(struct slink_card *card, bool heed);

#endif /* _ZIO_SLINK_CARD_H */
