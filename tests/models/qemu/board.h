/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * board.h: a card with its chip, its source or its sink; the clock of all boards
 *
 * All boards of a world have one clock. A front end calls world_advance() before each
 * access, and once more after it for events that are due at once. world_next_visible()
 * returns the time at which the front end must call again.
 */
#ifndef BOARD_H
#define BOARD_H

#include "s5933.h"
#include "sink.h"
#include "slidas.h"
#include "sps.h"
#include "sspci.h"

#define BOARD_VENDOR	0x10dc
#define BOARD_DEVICE	0x0011	/* SSPCI */
#define BOARD_SOURCE	0x0010	/* SPS */
#define BOARD_CLASS	0xff0000

/**
 * struct board_ops - the bus of a board; see struct s5933_ops
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

/* The PCI bus of a board: register accesses and data phases take no time, or their time. */
enum board_bus {
	BOARD_BUS_FREE,
	BOARD_BUS_PCI,
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
	bool is_source;		/* an SPS with its sink; else an SSPCI with its source */
	struct sspci card;
	struct slidas source;
	struct sps sps;
	struct sink sink;
	uint32_t abort_kind;	/* enum s5933_bus, of a later cycle */
	uint32_t abort_after;	/* DMA words until then */
	uint32_t abort_on;	/* enum board_cycles */
	uint32_t bus;		/* enum board_bus, as last set */
	uint64_t other_until;	/* when another device releases INTA#, or SLINK_NEVER */
	uint64_t lose_at;	/* when the board loses its state, or SLINK_NEVER */
	uint32_t bench_errors;	/* writes that a register of the bench refused */
};

/**
 * board_init - make a board
 * @board: the board
 * @world: its world; all zero before the first board
 * @ops: callbacks to the bus
 * @host: for @ops
 */
void board_init(struct board *board, struct world *world,
		const struct board_ops *ops, void *host);

/**
 * board_add - put a board into its world, in which it then runs
 * @board: the board
 */
void board_add(struct board *board);

/**
 * board_remove - take a board out of its world; its peer's link goes down
 * @board: the board
 */
void board_remove(struct board *board);

/**
 * board_reset - reset a board, as a PCI reset does
 * @board: the board
 *
 * The configuration of source, sink and faults stays, and the cable as it is.
 */
void board_reset(struct board *board);

/**
 * board_set_bus - set the times of the bus
 * @board: the board
 * @bus: enum board_bus; BOARD_BUS_PCI has the times of a bus of 33 MHz behind a bridge
 */
void board_set_bus(struct board *board, uint32_t bus);

/**
 * board_pull_irq - let another device on the shared line interrupt
 * @board: the board
 * @ns: how long
 */
void board_pull_irq(struct board *board, uint32_t ns);

/**
 * board_make_source - make a board an SPS
 * @board: the board, after board_init()
 */
void board_make_source(struct board *board);

/**
 * board_connect - connect two boards back to back
 * @a: a board
 * @b: another one
 *
 * Return: false if not one of them is an SPS, and the other one an SSPCI.
 */
bool board_connect(struct board *a, struct board *b);

/**
 * world_advance - run the world until a time
 * @world: the world
 * @now: the time in ns; a time in the past means the present
 */
void world_advance(struct world *world, uint64_t now);

/**
 * world_next_ns - return the time at which the world next changes by itself
 * @world: the world
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t world_next_ns(const struct world *world);

/**
 * world_next_visible - return the time of the next change that the host can see
 * @world: the world
 *
 * No interrupt comes before this time, though words may flow.
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t world_next_visible(const struct world *world);

#endif /* BOARD_H */
