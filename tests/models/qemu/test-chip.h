/* SPDX-License-Identifier: GPL-2.0-only */
/* test-chip.h: a chip with a little memory, for the tests of the chip model alone */
#ifndef TEST_CHIP_H
#define TEST_CHIP_H

#include "s5933.h"

#define MEMORY_WORDS	64
#define BASE		0x1000u		/* bus address of the memory */

extern struct s5933 chip;
extern uint64_t now;			/* ns */
extern uint32_t memory[MEMORY_WORDS];
extern uint32_t refuse;			/* target abort from this address on; 0: none */
extern unsigned int longest;		/* burst, in words */
extern unsigned int omb_calls;		/* of the add-on side */
extern bool irq;			/* the interrupt line */
extern bool held;			/* the add-on side is in reset */

/* A setup: a new chip, which may be bus master, and memory of zeros. */
void start(const char *value);

/* Let the chip do what is due. */
void run(void);

/* Read or write a register, and run() after it. */
uint32_t get(unsigned int offset);
void put(unsigned int offset, uint32_t value);

/* Let DMA write @bytes to the memory, with these bits of MCSR and that which begins it. */
void begin_write(uint32_t bytes, uint32_t mcsr);

/* Let the time pass, and run(). */
void pass_ns(uint64_t ns);

/* The add-on side pushes @n words, which count up from @first. */
void push(unsigned int n, uint32_t first);

#endif
