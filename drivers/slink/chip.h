/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chip.h: the state of a card, access to its registers, and chip.c
 *
 * card->lock protects the registers that more than one function writes (OMB1, INTCSR,
 * MCSR), and the states of input, output and link. The driver does not hold it while it
 * calls the core.
 */
#ifndef _ZIO_SLINK_CHIP_H
#define _ZIO_SLINK_CHIP_H

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/zio.h>

#include "s5933.h"

/* Driver alarms, in the control of the event to which they belong */
#define SLINK_ALARM_DATA	BIT(0)	/* transmission error in the data */
#define SLINK_ALARM_CONTROL	BIT(1)	/* transmission error in a control word */
#define SLINK_ALARM_UNKNOWN	BIT(2)	/* unexpected control word */
#define SLINK_ALARM_TRUNCATED	BIT(3)	/* more words than a block takes, or an abort */
#define SLINK_ALARM_LOST_START	BIT(4)
#define SLINK_ALARM_LOST_END	BIT(5)
#define SLINK_ALARM_LINK_DOWN	BIT(6)
#define SLINK_ALARM_OVERFLOW	BIT(7)	/* words are missing */

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
	SLINK_RESTARTS,		/* after the card had lost its state */
	SLINK_SENT,		/* events */
	SLINK_N_STATS
};

/*
 * One visit to the card: an interrupt, a run of the timer, or a call from the core. A
 * card can have more to do without end. So a visit ends after a number of turns, and the
 * timer continues the work.
 */
struct slink_visit {
	ktime_t begin;
	unsigned int turns;	/* left in this visit */
};

/*
 * The memory of the transfer that the chip is working on; len is 0 if there is none.
 * @block is NULL for memory that the core has not mapped.
 */
struct slink_dma {
	dma_addr_t addr;
	u32 len;
	struct zio_block *block;
	size_t pos;
};

/* See input.c */
struct slink_input {
	struct zio_cset *cset;
	struct zio_block *block;
	bool inside;		/* the begin control word has come */
	bool discarding;	/* the block is full */
	bool due;		/* a control word is on its way to the FIFO */
	bool aborted;		/* the chip reported an abort, maybe the output's */
	bool page_done;		/* the count of this transfer has become zero */
	bool near;		/* events are small: the card may stop soon */
	bool behind;		/* no block was armed for the next event */
	u8 expect;		/* TYPE_* */
	u8 alarms;		/* of the event */
	u32 begin;		/* control word of the event */
	size_t pos;		/* bytes in the block */
	size_t last;		/* bytes of the previous event */
	struct slink_dma dma;
	void *waste;		/* memory for words that no block takes */
	dma_addr_t waste_addr;
};

/* See output.c */
enum slink_output_state {
	OUTPUT_IDLE,
	OUTPUT_CONTROL,		/* when the card takes OMB2: send the begin word */
	OUTPUT_DATA,		/* when the card takes OMB2: send data */
	OUTPUT_SENDING,
	OUTPUT_END,		/* when the card takes OMB2: send the end word */
};

struct slink_output {
	struct zio_cset *cset;
	struct zio_block *block;
	enum slink_output_state state;
	bool aborted;
	u32 omb2;
	size_t pos;
	struct slink_dma dma;
};

struct slink_card {
	struct pci_dev *pdev;
	struct device *dev;
	void __iomem *base;
	spinlock_t lock;	/* registers, states: see above */
	u32 omb1;
	u32 intcsr;		/* control bits */
	u32 mcsr;		/* control bits */
	u8 lines;		/* IMB4 byte 3, as last read */
	bool stopped;		/* a word of an unexpected type waits */
	bool resetting;		/* URESET# is low */
	bool in_reset;		/* while one of these three is set, no visit works */
	bool lost;		/* the card lost its state; slink_watch() restarts it */
	bool halted;		/* the driver is leaving the card */
	struct mutex reset_lock; /* one reset at a time; taken before the spinlock */
	struct delayed_work watch;
	atomic_t finishing;	/* contexts that are about to call zio_cset_done() */
	u32 poll_us;
	struct hrtimer timer;
	u32 begin;
	u32 end;
	u32 mask;
	bool test;
	atomic64_t stat[SLINK_N_STATS];
	struct slink_input in;
	struct slink_output out;
};

static inline u32 slink_read(struct slink_card *card, unsigned int reg)
{
	return ioread32(card->base + reg);
}

static inline void slink_write(struct slink_card *card, unsigned int reg,
			       u32 value)
{
	iowrite32(value, card->base + reg);
}

/* A missing card reads as all ones. INTCSR of a card that is there never does. */
static inline bool slink_is_gone(u32 value)
{
	return value == ~0u;
}

static inline void slink_count(struct slink_card *card, enum slink_stat stat,
			       u64 n)
{
	atomic64_add(n, &card->stat[stat]);
}

/* The number of bits of a word on the link. */
static inline unsigned int slink_width(const struct slink_card *card)
{
	return 32 >> FIELD_GET(OMB1_WIDTH, card->omb1);
}

/* Return: true if the driver may work with the card. The caller holds card->lock. */
static inline bool slink_is_usable(const struct slink_card *card)
{
	return !card->in_reset && !card->lost && !card->halted;
}

/* Return: true if INTCSR still has what the driver wrote to it. */
static inline bool slink_has_state(const struct slink_card *card, u32 status)
{
	return (status & INTCSR_KEPT) == (card->intcsr & INTCSR_KEPT);
}

/* PCI posts writes. This read returns after they have reached the card. */
static inline void slink_flush(struct slink_card *card)
{
	slink_read(card, S5933_INTCSR);
}

/* The caller holds card->lock. */
void slink_set_omb1(struct slink_card *card, u32 mask, u32 lines);
void slink_expect(struct slink_card *card, u8 type);
void slink_set_mcsr(struct slink_card *card, u32 clear, u32 set);
void slink_enable_interrupts(struct slink_card *card, bool enable);
bool slink_note_status(struct slink_card *card, u32 status);
bool slink_take_status(struct slink_card *card);
void slink_pull_link_down(struct slink_card *card, bool heed);
u32 slink_count_done(struct slink_card *card, const struct slink_dma *dma,
		     unsigned int count, unsigned int addr);
void slink_stop_chip(struct slink_card *card);

/* The caller need not hold card->lock. */
int slink_map_piece(struct slink_card *card, struct zio_block *block,
		    size_t pos, size_t limit, enum dma_data_direction dir,
		    struct slink_dma *dma);
void slink_unmap_piece(struct slink_card *card, enum dma_data_direction dir,
		       struct slink_dma *dma);

#endif /* _ZIO_SLINK_CHIP_H */
