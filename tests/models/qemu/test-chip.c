// SPDX-License-Identifier: GPL-2.0-only
/* test-chip.c: a chip with a little memory, for the tests of the chip model alone */
#include <string.h>

#include "slink.h"
#include "test-chip.h"

uint64_t now;
uint32_t memory[MEMORY_WORDS];
uint32_t refuse;
unsigned int longest, omb_calls;
bool irq, held;
struct s5933 chip;

static enum s5933_bus judge(uint32_t addr, unsigned int n)
{
	if (addr < BASE || addr + 4 * n > BASE + sizeof(memory))
		return S5933_BUS_MASTER_ABORT;
	if (refuse && addr + 4 * n > refuse)
		return S5933_BUS_TARGET_ABORT;
	if (n > longest)
		longest = n;
	return S5933_BUS_OK;
}

static enum s5933_bus dma_write(void *host, uint32_t addr,
				const uint32_t *words, unsigned int n)
{
	enum s5933_bus how = judge(addr, n);

	(void)host;
	if (how == S5933_BUS_OK)
		memcpy(&memory[(addr - BASE) / 4], words, 4 * n);
	return how;
}

static enum s5933_bus dma_read(void *host, uint32_t addr, uint32_t *words,
			       unsigned int n)
{
	enum s5933_bus how = judge(addr, n);

	(void)host;
	if (how == S5933_BUS_OK)
		memcpy(words, &memory[(addr - BASE) / 4], 4 * n);
	return how;
}

static void set_irq(void *host, bool level)
{
	(void)host;
	irq = level;
}

static void omb_written(void *addon, unsigned int box)
{
	(void)addon;
	(void)box;
	omb_calls++;
}

static void addon_reset(void *addon, bool level)
{
	(void)addon;
	held = level;
}

static const struct s5933_ops ops = {
	dma_write, dma_read, set_irq, omb_written, addon_reset
};

void start(const char *value)
{
	(void)value;
	memset(memory, 0, sizeof(memory));
	refuse = 0;
	longest = 0;
	irq = false;
	held = false;
	omb_calls = 0;
	s5933_init(&chip, &ops, NULL, NULL, &now);
	s5933_set_master(&chip, true);
}

void run(void)
{
	while (s5933_next_ns(&chip) <= now)
		s5933_run(&chip);
}

uint32_t get(unsigned int offset)
{
	uint32_t value = s5933_read(&chip, offset, 4);

	run();
	return value;
}

void put(unsigned int offset, uint32_t value)
{
	s5933_write(&chip, offset, value, 4);
	run();
}

void begin_write(uint32_t bytes, uint32_t mcsr)
{
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, bytes);
	put(S5933_MCSR, mcsr | S5933_WRITE_ENABLE);
}

void pass_ns(uint64_t ns)
{
	now += ns;
	run();
}

void push(unsigned int n, uint32_t first)
{
	while (n--) {
		s5933_push(&chip, first++);
		run();
	}
}
