// SPDX-License-Identifier: GPL-2.0-only
/* board.c: a card with its source and its sink; see board.h */
#include <string.h>

#include "board.h"

/* The host learns within this time that the link was cut or the FIFO overflowed. */
#define HEARTBEAT_NS 100000

/* --- PCI cycles, good or bad ---------------------------------------------- */

/* A burst that would reach the bad cycle fails; the chip then moves single words. */
static enum s5933_bus meet_abort(struct board *board, unsigned int n,
				 enum board_cycles cycles)
{
	enum s5933_bus kind = board->abort_kind;

	if (kind == S5933_BUS_OK ||
	    (board->abort_on != BOARD_ANY && board->abort_on != cycles))
		return S5933_BUS_OK;
	if (n <= board->abort_after) {
		board->abort_after -= n;
		return S5933_BUS_OK;
	}
	if (n == 1)
		board->abort_kind = S5933_BUS_OK;
	return kind;
}

static enum s5933_bus write_memory(void *host, uint32_t addr,
				   const uint32_t *words, unsigned int n)
{
	struct board *board = host;
	enum s5933_bus how = meet_abort(board, n, BOARD_WRITES);

	if (how != S5933_BUS_OK)
		return how;
	return board->ops->dma_write(board->host, addr, words, n);
}

static enum s5933_bus read_memory(void *host, uint32_t addr, uint32_t *words,
				  unsigned int n)
{
	struct board *board = host;
	enum s5933_bus how = meet_abort(board, n, BOARD_READS);

	if (how != S5933_BUS_OK)
		return how;
	return board->ops->dma_read(board->host, addr, words, n);
}

static bool is_pulled(const struct board *board)
{
	return board->other_until != SLINK_NEVER;
}

static void set_irq(void *host, bool level)
{
	struct board *board = host;

	board->ops->set_irq(board->host, level || is_pulled(board));
}

void board_pull_irq(struct board *board, uint32_t ns)
{
	board->other_until = board->world->now + ns;
	set_irq(board, board->chip.irq);
}

static void run_other(struct board *board)
{
	if (board->other_until > board->world->now)
		return;
	board->other_until = SLINK_NEVER;
	set_irq(board, board->chip.irq);
}

static void omb_written(void *addon, unsigned int box)
{
	sspci_omb_written(addon, box);
}

static void addon_reset(void *addon, bool held)
{
	sspci_addon_reset(addon, held);
}

static const struct s5933_ops chip_ops = {
	.dma_write = write_memory,
	.dma_read = read_memory,
	.set_irq = set_irq,
	.omb_written = omb_written,
	.addon_reset = addon_reset,
};

/* --- life ----------------------------------------------------------------- */

void board_set_bus(struct board *board, uint32_t bus)
{
	bool is_pci = bus == BOARD_BUS_PCI;

	board->bus = bus;
	board->chip.cfg.read_ns = is_pci ? 750 : 0;
	board->chip.cfg.write_ns = is_pci ? 150 : 0;
	board->chip.cfg.phase_ns = is_pci ? 30 : 0;
}

void board_init(struct board *board, struct world *world,
		const struct board_ops *ops, void *host)
{
	memset(board, 0, sizeof(*board));
	board->world = world;
	board->ops = ops;
	board->host = host;
	board->other_until = SLINK_NEVER;
	s5933_init(&board->chip, &chip_ops, board, &board->card, &world->now);
	board->chip.cfg = (struct s5933_config){
		.grant_ns = 240,
		.nvram_ns = 50000,
	};
	board_set_bus(board, BOARD_BUS_PCI);
	s5933_set_boot(&board->chip, BOARD_VENDOR, BOARD_DEVICE, BOARD_CLASS,
		       0xffffffc0);
	sspci_init(&board->card, &board->chip, &world->now);
	slidas_init(&board->source, sspci_input(&board->card), &world->now);
	sspci_set_output(&board->card, sink_end(&board->sink));
}

void board_add(struct board *board)
{
	board->next = board->world->boards;
	board->world->boards = board;
	board_reset(board);
}

static void connect_alone(struct board *board)
{
	board->peer = NULL;
	board->source.to = sspci_input(&board->card);
	sspci_set_output(&board->card, sink_end(&board->sink));
}

static void connect_output(struct board *board, struct board *peer)
{
	board->peer = peer;
	board->source.to = (struct slink_end){ 0 };
	sspci_set_output(&board->card, sspci_input(&peer->card));
}

void board_connect(struct board *a, struct board *b)
{
	connect_output(a, b);
	connect_output(b, a);
}

void board_remove(struct board *board)
{
	struct board **at = &board->world->boards;

	while (*at != board)
		at = &(*at)->next;
	*at = board->next;
	if (!board->peer)
		return;
	sspci_set_cable(&board->peer->card, false);
	connect_alone(board->peer);
}

void board_reset(struct board *board)
{
	s5933_reset(&board->chip);
	sspci_reset(&board->card);
}

/* --- time ----------------------------------------------------------------- */

static uint64_t board_next_ns(const struct board *board)
{
	uint64_t next = slink_earlier(s5933_next_ns(&board->chip),
				      sspci_next_ns(&board->card));

	next = slink_earlier(next, board->other_until);
	return slink_earlier(next, slidas_next_ns(&board->source));
}

uint64_t world_next_ns(const struct world *world)
{
	const struct board *board;
	uint64_t next = SLINK_NEVER;

	for (board = world->boards; board; board = board->next)
		next = slink_earlier(next, board_next_ns(board));
	return next;
}

static void run_boards(struct world *world)
{
	struct board *board;

	for (board = world->boards; board; board = board->next) {
		run_other(board);
		s5933_run(&board->chip);
		sspci_run(&board->card);
		slidas_run(&board->source);
	}
}

void world_advance(struct world *world, uint64_t now)
{
	uint64_t next;

	for (;;) {
		next = world_next_ns(world);
		if (next == SLINK_NEVER || next > slink_later(now, world->now))
			break;
		world->now = slink_later(next, world->now);
		run_boards(world);
	}
	world->now = slink_later(now, world->now);
}

/* Return: the number of words that pass before the card stops or the count ends. */
static uint64_t quiet_input(const struct board *board)
{
	uint64_t words = sspci_run_length(&board->card);
	uint64_t left = board->chip.write.count / 4;
	uint64_t held = board->chip.a2p.level + 1;

	if (words == board->card.level && sspci_expects_data(&board->card))
		words += slidas_run_length(&board->source);
	if (!left)
		return words;
	return slink_earlier(words, left > held ? left - held : 0);
}

static uint64_t quiet_ns(const struct board *board)
{
	uint64_t ns = quiet_input(board) * board->card.cfg.word_ns;

	if (is_pulled(board) || board->chip.n_posted)
		return 0;
	if (sspci_output_is_active(&board->card) || board->chip.read.count)
		ns = slink_earlier(ns, board->chip.read.count / 4 *
				       board->card.cfg.out_ns);
	return ns;
}

static uint64_t board_next_visible(const struct board *board)
{
	uint64_t next = board_next_ns(board);
	uint64_t now = board->world->now;
	uint64_t quiet = slink_earlier(quiet_ns(board), HEARTBEAT_NS);

	return next == SLINK_NEVER ? next : slink_later(next, now + quiet);
}

uint64_t world_next_visible(const struct world *world)
{
	const struct board *board;
	uint64_t next = SLINK_NEVER;

	for (board = world->boards; board; board = board->next)
		next = slink_earlier(next, board_next_visible(board));
	return next;
}
