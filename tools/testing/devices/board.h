/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * board.h: a card with its chip, what is at its connectors, and the time
 *
 * All boards of a world have one clock. Before each access a front end brings
 * the world to the time of now with world_advance(), after it does so again for
 * what is due at once, and asks world_next_visible() when to come back.
 */
#ifndef BOARD_H
#define BOARD_H

#include "s5933.h"
#include "sink.h"
#include "slidas.h"
#include "sspci.h"

#define BOARD_VENDOR	0x10dc
#define BOARD_DEVICE	0x0011
#define BOARD_CLASS	0xff0000

/**
 * struct board_ops - what is around a board; see struct s5933_ops
 * @dma_write: one burst to PCI memory
 * @dma_read: one burst from PCI memory
 * @set_irq: level of INTA#
 */
struct board_ops {
	enum s5933_bus (*dma_write)(void *host, uint32_t addr,
				    const uint32_t *words, unsigned int n);
	enum s5933_bus (*dma_read)(void *host, uint32_t addr, uint32_t *words,
				   unsigned int n);
	void (*set_irq)(void *host, bool level);
};

/* Which DMA an abort is for. */
enum board_cycles {
	BOARD_ANY,
	BOARD_WRITES,
	BOARD_READS,
};

struct world {
	uint64_t now;
	struct board *boards;
};

struct board {
	struct world *world;
	struct board *next;
	struct board *peer;
	const struct board_ops *ops;
	void *host;
	struct s5933 chip;
	struct sspci card;
	struct slidas source;
	struct sink sink;
	uint32_t abort_kind;	/* enum s5933_bus, of a cycle to come */
	uint32_t abort_after;	/* DMA words until then */
	uint32_t abort_on;	/* enum board_cycles */
	uint64_t other_until;	/* when another device lets go of INTA#, or SLINK_NEVER */
	uint32_t bench_errors;	/* writes that a register of the bench refused */
};

/**
 * board_init - make a board
 * @board: the board
 * @world: the world that it is going to be in, at the start all zero
 * @ops: what is around the board
 * @host: for @ops
 */
void board_init(struct board *board, struct world *world,
		const struct board_ops *ops, void *host);

/**
 * board_add - put a board into its world: from now on it lives
 * @board: the board
 */
void board_add(struct board *board);

/**
 * board_remove - take a board out of its world; its peer's link goes down
 * @board: the board
 */
void board_remove(struct board *board);

/**
 * board_reset - PCI reset
 * @board: the board
 *
 * The configuration of source, sink and faults stays, and the cable as it is.
 */
void board_reset(struct board *board);

/**
 * board_pull_irq - another device of the shared line interrupts
 * @board: the board
 * @ns: how long
 */
void board_pull_irq(struct board *board, uint32_t ns);

/**
 * board_connect - two boards back to back, the output of each to the other
 * @a: a board
 * @b: another one
 */
void board_connect(struct board *a, struct board *b);

/**
 * world_advance - let happen what happens until a time
 * @world: the world
 * @now: the time in ns; one that has been is taken for the present
 */
void world_advance(struct world *world, uint64_t now);

/**
 * world_next_ns - when the next thing happens by itself
 * @world: the world
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t world_next_ns(const struct world *world);

/**
 * world_next_visible - until when nobody who does not look can see a change
 * @world: the world
 *
 * No interrupt comes before this time, though words may flow.
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t world_next_visible(const struct world *world);

#endif /* BOARD_H */
