// SPDX-License-Identifier: GPL-2.0-only
/* test-host.c: a small machine for the tests of the card model; see test-host.h */
#include <string.h>

#include "test-host.h"

static uint32_t *find_memory(struct host *host, uint32_t addr, unsigned int n)
{
	uint32_t index = (addr - HOST_BASE) / 4;

	if (addr < HOST_BASE || index + n > HOST_WORDS)
		return NULL;
	return &host->memory[index];
}

static enum s5933_bus dma_write(void *priv, uint32_t addr, const uint32_t *words,
				unsigned int n)
{
	uint32_t *place = find_memory(priv, addr, n);

	if (!place)
		return S5933_BUS_MASTER_ABORT;
	memcpy(place, words, 4 * n);
	return S5933_BUS_OK;
}

static enum s5933_bus dma_read(void *priv, uint32_t addr, uint32_t *words, unsigned int n)
{
	const uint32_t *place = find_memory(priv, addr, n);

	if (!place)
		return S5933_BUS_MASTER_ABORT;
	memcpy(words, place, 4 * n);
	return S5933_BUS_OK;
}

static void set_irq(void *priv, bool level)
{
	struct host *host = priv;

	host->irq = level;
}

static const struct board_ops ops = {
	.dma_write = dma_write,
	.dma_read = dma_read,
	.set_irq = set_irq,
};

void host_init(struct host *host, struct world *world)
{
	memset(host, 0, sizeof(*host));
	host->world = world;
	board_init(&host->board, world, &ops, host);
	board_set_bus(&host->board, BOARD_BUS_FREE);
	board_add(&host->board);
	s5933_set_master(&host->board.chip, true);
}

static void settle(struct host *host)
{
	world_advance(host->world, host->world->now);
}

static uint32_t read_register(struct host *host, unsigned int offset,
			      unsigned int size)
{
	struct s5933 *chip = &host->board.chip;
	uint32_t value;

	host_wait(host, s5933_begin_read(chip));
	value = s5933_read(chip, offset, size);
	host_wait(host, s5933_end_read(chip));
	return value;
}

static void write_register(struct host *host, unsigned int offset, uint32_t value,
			   unsigned int size)
{
	struct s5933 *chip = &host->board.chip;

	host_wait(host, s5933_begin_write(chip));
	s5933_write(chip, offset, value, size);
	settle(host);
}

uint32_t host_read(struct host *host, unsigned int offset)
{
	return read_register(host, offset, 4);
}

uint8_t host_read8(struct host *host, unsigned int offset)
{
	return read_register(host, offset, 1);
}

void host_write(struct host *host, unsigned int offset, uint32_t value)
{
	write_register(host, offset, value, 4);
}

void host_write8(struct host *host, unsigned int offset, uint8_t value)
{
	write_register(host, offset, value, 1);
}

void host_wait(struct host *host, uint64_t ns)
{
	world_advance(host->world, host->world->now + ns);
}

bool host_link_up(struct host *host, unsigned int expect)
{
	host_write(host, S5933_OMB(0),
		   SSPCI_FRESET_N | SSPCI_UTDO_N | expect << 24);
	host_wait(host, host->board.card.cfg.reset_ns);
	if (!(host_read8(host, S5933_IMB(3) + 3) & SSPCI_LDOWN_N))
		return false;
	host_write(host, S5933_OMB(0), SSPCI_FRESET_N | SSPCI_UTDO_N |
		   SSPCI_URESET_N | expect << 24);
	return host->board.card.link == SLINK_LINK_UP;
}
