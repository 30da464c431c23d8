/* SPDX-License-Identifier: GPL-2.0-only */
/* s5933-chip.h: declarations that s5933.c and s5933-dma.c share */
#ifndef S5933_CHIP_H
#define S5933_CHIP_H

#include "s5933.h"

static inline void s5933_merge(uint32_t *reg, uint32_t value, uint32_t mask)
{
	*reg = (*reg & ~mask) | (value & mask);
}

static inline bool s5933_fifo_put(struct s5933_fifo *fifo, uint32_t word)
{
	if (fifo->level == S5933_DEPTH)
		return false;
	fifo->word[(fifo->head + fifo->level++) % S5933_DEPTH] = word;
	return true;
}

static inline uint32_t s5933_fifo_peek(const struct s5933_fifo *fifo, unsigned int index)
{
	return fifo->word[(fifo->head + index) % S5933_DEPTH];
}

static inline void s5933_fifo_drop(struct s5933_fifo *fifo, unsigned int n)
{
	fifo->head = (fifo->head + n) % S5933_DEPTH;
	fifo->level -= n;
}

/* s5933.c */

/* Return: the word as the endian conversion changes it on its way through a FIFO. */
uint32_t s5933_convert(const struct s5933 *chip, uint32_t word);

/* Set status bits of INTCSR, and update the interrupt line. */
void s5933_raise(struct s5933 *chip, uint32_t status);

/* s5933-dma.c */

/* Request the bus, or withdraw the request, as registers and FIFOs now demand. */
void s5933_request_bus(struct s5933 *chip);

/* Run one burst, if its time has come. */
void s5933_run_master(struct s5933 *chip);

/* Return: the time of the next burst, or SLINK_NEVER. */
uint64_t s5933_next_grant(const struct s5933 *chip);

/* The host writes the address or the count of a direction. */
void s5933_load_addr(struct s5933_dma *dma, uint32_t value, uint32_t mask);
void s5933_load_count(struct s5933_dma *dma, uint32_t value, uint32_t mask,
		      uint32_t *starts);

#endif /* S5933_CHIP_H */
