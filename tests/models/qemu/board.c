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
	struct board *board = addon;

	if (board->is_source)
		sps_omb_written(&board->sps, box);
	else
		sspci_omb_written(&board->card, box);
}

static void addon_reset(void *addon, bool held)
{
	struct board *board = addon;

	if (board->is_source)
		sps_addon_reset(&board->sps, held);
	else
		sspci_addon_reset(&board->card, held);
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
	board->lose_at = SLINK_NEVER;
	s5933_init(&board->chip, &chip_ops, board, board, &world->now);
	board->chip.cfg = (struct s5933_config){
		.grant_ns = 240,
		.nvram_ns = 50000,
	};
	board_set_bus(board, BOARD_BUS_PCI);
	s5933_set_boot(&board->chip, BOARD_VENDOR, BOARD_DEVICE, BOARD_CLASS,
		       0xffffffc0);
	sspci_init(&board->card, &board->chip, &world->now);
	slidas_init(&board->source, sspci_input(&board->card), &world->now);
	sps_init(&board->sps, &board->chip, &world->now);
}

void board_make_source(struct board *board)
{
	board->is_source = true;
	board->source.to = (struct slink_end){ 0 };
	s5933_set_boot(&board->chip, BOARD_VENDOR, BOARD_SOURCE, BOARD_CLASS,
		       0xffffffc0);
	sps_set_destination(&board->sps, sink_end(&board->sink));
}

void board_add(struct board *board)
{
	board->next = board->world->boards;
	board->world->boards = board;
	board_reset(board);
}

bool board_connect(struct board *a, struct board *b)
{
	struct board *from = a->is_source ? a : b, *to = a->is_source ? b : a;

	if (a->is_source == b->is_source)
		return false;
	from->peer = to;
	to->peer = from;
	to->source.to = (struct slink_end){ 0 };
	sps_set_destination(&from->sps, sspci_input(&to->card));
	return true;
}

/* The cable is open at this end. The SSPCI has its source again, and the SPS its sink. */
static void disconnect(struct board *board)
{
	board->peer = NULL;
	if (board->is_source) {
		sps_set_destination(&board->sps, sink_end(&board->sink));
		return;
	}
	sspci_set_cable(&board->card, false);
	board->source.to = sspci_input(&board->card);
}

void board_remove(struct board *board)
{
	struct board **at = &board->world->boards;

	while (*at != board)
		at = &(*at)->next;
	*at = board->next;
	if (board->peer)
		disconnect(board->peer);
}

void board_reset(struct board *board)
{
	s5933_reset(&board->chip);
	if (board->is_source)
		sps_reset(&board->sps);
	else
		sspci_reset(&board->card);
}

/* --- time ----------------------------------------------------------------- */

static uint64_t board_next_ns(const struct board *board)
{
	uint64_t next = slink_earlier(s5933_next_ns(&board->chip),
				      board->other_until);

	next = slink_earlier(next, board->lose_at);
	if (board->is_source)
		return slink_earlier(next, sps_next_ns(&board->sps));
	next = slink_earlier(next, sspci_next_ns(&board->card));
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

/* A board that has no power forgets all but its configuration space and its NVRAM. */
static void run_loss(struct board *board)
{
	bool master = board->chip.master;

	if (board->lose_at > board->world->now)
		return;
	board->lose_at = SLINK_NEVER;
	board_reset(board);
	s5933_set_master(&board->chip, master);
}

static void run_boards(struct world *world)
{
	struct board *board;

	for (board = world->boards; board; board = board->next) {
		run_other(board);
		run_loss(board);
		s5933_run(&board->chip);
		if (board->is_source) {
			sps_run(&board->sps);
			continue;
		}
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
	if (is_pulled(board) || board->chip.n_posted)
		return 0;
	if (!board->is_source)
		return quiet_input(board) * board->card.cfg.word_ns;
	return board->chip.read.count / 4 * board->chip.cfg.phase_ns;
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
