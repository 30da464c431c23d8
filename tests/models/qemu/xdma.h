/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xdma.h: a model of a PCI Express card with AMD's XDMA, up to four streams each way
 *
 * The model is plain C. It has functions for the registers of the two BARs, and callbacks
 * for DMA and interrupts. The user's logic is behind the DMA engines. Each pair of
 * engines has a source of packets with a FIFO, or a loop from H2C to C2H. Times are nanoseconds of the caller's
 * clock. Documentation/xdma.md lists what the model has and what it lacks.
 */
#ifndef XDMA_H
#define XDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "xdma-regs.h"

#define XDMA_NEVER	UINT64_MAX
#define XDMA_VECTORS	32
#define XDMA_USER_IRQS	16

#define XDMA_MAX_ENGINES	4	/* in a direction */

/* The FIFO between the user's logic and C2H: most words, and words after a reset */
#define XDMA_FIFO_WORDS		(1u << 19)
#define XDMA_FIFO_DEFAULT	(1u << 14)
#define XDMA_FIFO_PACKETS	(1u << 9)

/**
 * struct xdma_ops - the bus around the card
 * @dma_read: reads memory. Return: false if nobody answers
 * @dma_write: writes memory
 * @send_msi: sends the interrupt message of a vector
 *
 * None may call back into the registers of the card.
 */
struct xdma_ops {
	bool (*dma_read)(void *host, uint64_t addr, void *to, uint32_t bytes);
	bool (*dma_write)(void *host, uint64_t addr, const void *from, uint32_t bytes);
	void (*send_msi)(void *host, unsigned int vector);
};

/* Little endian in memory, of the machine's order here */
struct xdma_desc {
	uint32_t control;
	uint32_t bytes;
	uint64_t from;
	uint64_t to;
	uint64_t next;
};

struct xdma_engine {
	unsigned int index;	/* of its direction */
	bool is_c2h;
	uint32_t control;
	uint32_t status;
	uint32_t int_mask;
	uint32_t completed;
	uint32_t credits;
	uint64_t next_desc;
	struct xdma_desc desc;
	uint64_t done_at;	/* end of the transfer that is going on */
	bool is_warm;		/* the engine has fetched descriptors ahead */
};

struct xdma_fifo {
	uint32_t word[XDMA_FIFO_WORDS];
	uint32_t length[XDMA_FIFO_PACKETS];	/* of whole packets, in words */
	uint32_t first_word, n_words;
	uint32_t first_packet, n_packets;
	uint32_t open_words;	/* of a packet whose end has not come */
	uint32_t room;		/* words that fit */
};

/* The user's logic between a pair of engines */
struct xdma_user {
	uint32_t control;
	uint32_t period_ns;
	uint32_t words;
	uint32_t spread;	/* packets have words ... words + spread words */
	uint32_t limit;		/* packets to make, 0 for no limit */
	uint32_t made;
	uint32_t dropped;	/* for which the FIFO had no room */
	uint32_t sunk;		/* words from H2C that did not loop */
	uint32_t random;
	uint32_t starved;	/* times that C2H had data and no descriptor */
	uint32_t starved_ns;	/* how long in all */
	bool is_starved;
	uint64_t starved_at;
	uint64_t next_at;
	struct xdma_fifo fifo;
};

struct xdma_costs {
	uint32_t fetch_ns;	/* a descriptor that is not fetched ahead */
	uint32_t kib_ns;	/* 1 KiB of data */
	uint32_t write_ns;	/* write-back and message */
	uint32_t read_ns;	/* the CPU reads a register */
	uint32_t post_ns;	/* the CPU posts a write */
};

struct xdma {
	const struct xdma_ops *ops;
	void *host;
	uint64_t now;
	unsigned int n_engines;	/* in each direction */
	bool is_memory;		/* the identity of the engines is that of AXI-MM */
	struct xdma_engine h2c[XDMA_MAX_ENGINES], c2h[XDMA_MAX_ENGINES];
	uint32_t credit_mode;
	uint32_t user_enable, user_request;
	uint32_t chan_enable, chan_line;
	uint32_t vector[8];	/* registers: 4 of user interrupts, then of channels */
	struct xdma_user user[XDMA_MAX_ENGINES];
	struct xdma_costs costs;
	uint32_t inject;
	uint64_t lose_at;	/* the card has no power then */
	uint32_t faults;	/* accesses that the document forbids */
	uint32_t reads, writes;	/* register accesses of the DMA BAR */
	uint32_t wait_ns;	/* that the CPU has waited for the bus */
	uint32_t messages;	/* interrupts of the engines */
};

/**
 * xdma_init - make a card
 * @card: the card
 * @n_engines: in each direction, 1 ... XDMA_MAX_ENGINES
 * @ops: its bus
 * @host: argument of the callbacks
 */
void xdma_init(struct xdma *card, unsigned int n_engines, const struct xdma_ops *ops,
	       void *host);

/* Put all registers into the state after a reset of the bus; or those of the DMA BAR only. */
void xdma_reset(struct xdma *card);
void xdma_reset_engines(struct xdma *card);

/* Read or write a register of the DMA BAR, of the user's BAR. */
uint32_t xdma_read(struct xdma *card, uint32_t offset);
void xdma_write(struct xdma *card, uint32_t offset, uint32_t value);
uint32_t xdma_user_read(struct xdma *card, uint32_t offset);
void xdma_user_write(struct xdma *card, uint32_t offset, uint32_t value);

/**
 * xdma_advance - do all that happens up to a time
 * @card: the card
 * @now: the time, nanoseconds
 */
void xdma_advance(struct xdma *card, uint64_t now);

/* Return: when something happens next, or XDMA_NEVER. */
uint64_t xdma_next_ns(const struct xdma *card);

/* Return: word @i of packet @number of the source. */
static inline uint32_t xdma_pattern(uint32_t number, uint32_t i)
{
	return number << 16 | (i & 0xffff);
}

/* The user's logic, in xdma-user.c */
void xdma_user_reset(struct xdma *card);
void xdma_user_run(struct xdma *card);
void xdma_fire(struct xdma *card, uint32_t lines);

/* FIFO. Return: false if there is no room. */
bool xdma_fifo_put(struct xdma_fifo *fifo, uint32_t word);
void xdma_fifo_end(struct xdma_fifo *fifo);
bool xdma_fifo_has_room(const struct xdma_fifo *fifo, uint32_t words);

/* The CPU has waited for so many ns of the bus. */
static inline uint64_t xdma_wait(struct xdma *card, uint32_t ns)
{
	card->wait_ns += ns;
	return ns;
}

/* Interrupts: the level of the engines' lines has perhaps changed. */
void xdma_update_irq(struct xdma *card);

#endif /* XDMA_H */
