/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slink.h: what the files of the driver share
 *
 *   main.c    PCI: probe, remove, interrupt, polling
 *   chip.c    access to registers, resets, the link
 *   input.c   events from the link to blocks
 *   output.c  blocks to events on the link
 *   attr.c    sysfs and debugfs
 *
 * card->lock protects the registers that have several users (OMB1, INTCSR, MCSR), and
 * the states of input, output and link. It is never held while the core is called.
 */
#ifndef _ZIO_SLINK_H
#define _ZIO_SLINK_H

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

/* Driver alarms, in the control of the event that they are about */
#define SLINK_ALARM_DATA	BIT(0)	/* transmission error in the data */
#define SLINK_ALARM_CONTROL	BIT(1)	/* transmission error in a control word */
#define SLINK_ALARM_UNKNOWN	BIT(2)	/* control word that is not expected */
#define SLINK_ALARM_TRUNCATED	BIT(3)	/* more words than a block takes, or abort */
#define SLINK_ALARM_LOST_START	BIT(4)
#define SLINK_ALARM_LOST_END	BIT(5)
#define SLINK_ALARM_LINK_DOWN	BIT(6)
#define SLINK_ALARM_OVERFLOW	BIT(7)	/* words are missing */

enum slink_stat {
	SLINK_EVENTS,
	SLINK_WORDS,
	SLINK_INTERRUPTS,
	SLINK_POLLS,
	SLINK_CPU_WORDS,	/* that the CPU took out of the FIFO */
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
	SLINK_RESTARTS,		/* as the card had lost its state */
	SLINK_SENT,		/* events */
	SLINK_N_STATS
};

/*
 * One visit to the card: an interrupt, a run of the timer, or a call of the core. A card
 * can have more to do for ever. So a visit ends after some turns, and the timer goes on.
 */
struct slink_visit {
	ktime_t begin;
	unsigned int turns;	/* that are left */
};

/* A piece of memory that the chip is working on; len is 0 if there is none. */
struct slink_dma {
	dma_addr_t addr;
	u32 len;
};

/* See input.c */
struct slink_input {
	struct zio_cset *cset;
	struct zio_block *block;
	bool inside;		/* an event, by its begin control word */
	bool discarding;	/* the block is full */
	bool due;		/* a control word is on its way to the FIFO */
	bool aborted;		/* the chip has said so; it may be the output's */
	bool page_done;		/* the chip has said so, since the last transfer began */
	bool near;		/* the card is to stop soon, if events are small */
	bool behind;		/* there was no block for the event that came next */
	u8 expect;		/* TYPE_* */
	u8 alarms;		/* of the event */
	u32 begin;		/* control word of the event */
	size_t pos;		/* bytes in the block */
	size_t last;		/* bytes of the event before */
	struct slink_dma dma;
	void *waste;		/* where words go that no block takes */
	dma_addr_t waste_addr;
};

/* See output.c */
enum slink_output_state {
	OUTPUT_IDLE,
	OUTPUT_CONTROL,		/* OMB2 is to be taken, then begin goes out */
	OUTPUT_DATA,		/* OMB2 is to be taken, then data go out */
	OUTPUT_SENDING,
	OUTPUT_END,		/* OMB2 is to be taken, then end goes out */
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
	spinlock_t lock; /* registers, states: see above */
	u32 omb1;
	u32 intcsr;		/* control bits */
	u32 mcsr;		/* control bits */
	u8 lines;		/* IMB4 byte 3, as last read */
	bool stopped;		/* a word of a type that is not expected waits */
	bool resetting;		/* URESET# is low */
	bool in_reset;		/* these three: nobody visits the card */
	bool lost;		/* it has forgotten its state: slink_restart() comes */
	bool halted;		/* for ever */
	struct mutex reset_lock; /* one reset at a time; taken before the lock above */
	struct delayed_work watch;
	atomic_t finishing;	/* who is telling the core that blocks are done */
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

/* What a register says when nobody answers. INTCSR never does while there is a card. */
static inline bool slink_is_gone(u32 value)
{
	return value == ~0u;
}

static inline void slink_count(struct slink_card *card, enum slink_stat stat,
			       u64 n)
{
	atomic64_add(n, &card->stat[stat]);
}

/* Bits of a word on the link. */
static inline unsigned int slink_width(const struct slink_card *card)
{
	return 32 >> FIELD_GET(OMB1_WIDTH, card->omb1);
}

/* Whether the driver may work with the card. The lock is held. */
static inline bool slink_is_usable(const struct slink_card *card)
{
	return !card->in_reset && !card->lost && !card->halted;
}

/* Whether INTCSR has what the driver has written there. */
static inline bool slink_has_state(const struct slink_card *card, u32 status)
{
	return (status & INTCSR_KEPT) == (card->intcsr & INTCSR_KEPT);
}

/* What has been written is in the card when this returns. PCI posts writes. */
static inline void slink_flush(struct slink_card *card)
{
	slink_read(card, S5933_INTCSR);
}

/* main.c */
void slink_service(struct slink_card *card);
void slink_service_armed(struct slink_card *card);
void slink_wait_finished(struct slink_card *card);

/* chip.c; card->lock is held, but for the resets */
void slink_set_omb1(struct slink_card *card, u32 mask, u32 lines);
void slink_expect(struct slink_card *card, u8 type);
void slink_set_mcsr(struct slink_card *card, u32 clear, u32 set);
void slink_enable_interrupts(struct slink_card *card, bool enable);
bool slink_note_status(struct slink_card *card, u32 status);
bool slink_take_status(struct slink_card *card);
u32 slink_count_done(struct slink_card *card, const struct slink_dma *dma,
		     unsigned int count, unsigned int addr);
void slink_stop_chip(struct slink_card *card);
void slink_reset_card(struct slink_card *card);
bool slink_restart_lost(struct slink_card *card);
void slink_reset_link(struct slink_card *card);
void slink_restart(struct slink_card *card);
void slink_empty_fifo(struct slink_card *card);
int slink_map_piece(struct slink_card *card, struct zio_block *block,
		    size_t pos, size_t limit, enum dma_data_direction dir,
		    struct slink_dma *dma);
void slink_unmap_piece(struct slink_card *card, enum dma_data_direction dir,
		       struct slink_dma *dma);

/* input.c; card->lock is held */
bool slink_advance_input(struct slink_card *card, struct slink_visit *visit);
void slink_drop_input(struct slink_card *card);
void slink_lose_event(struct slink_card *card, size_t bytes);
extern const struct zio_cset_ops slink_input_ops;

/* output.c; card->lock is held */
bool slink_advance_output(struct slink_card *card, struct slink_visit *visit);
void slink_drop_output(struct slink_card *card);
extern const struct zio_cset_ops slink_output_ops;

/* attr.c */
int slink_attr_set(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 value);
int slink_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		   const struct zio_attr_desc *attr, u32 *value);
extern const struct zio_attr_desc slink_input_attrs[];
extern const unsigned int slink_n_input_attrs;
extern const struct zio_attr_desc slink_output_attrs[];
extern const unsigned int slink_n_output_attrs;
int slink_create_dump(struct slink_card *card);

#endif /* _ZIO_SLINK_H */
