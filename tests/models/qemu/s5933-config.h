/* SPDX-License-Identifier: GPL-2.0-only */
/* s5933-config.h: what a test sets in the model of the chip, and what the model counts */
#ifndef S5933_CONFIG_H
#define S5933_CONFIG_H

#include <stdint.h>

/*
 * The times of the PCI bus. If read_ns, write_ns and phase_ns are zero, the bus is free:
 * an access reaches the chip at once, and a burst takes no time.
 */
struct s5933_config {
	uint32_t read_ns;	/* for which the CPU waits for a register */
	uint32_t write_ns;	/* that a write of the CPU takes on the bus */
	uint32_t phase_ns;	/* from one word of a burst to the next */
	uint32_t grant_ns;	/* from the request for the bus to the burst */
	uint32_t nvram_ns;	/* duration of a command to the NVRAM */
	uint32_t gone;		/* pulled out: no access is answered */
	uint32_t posted_ns;	/* for which a bridge holds a write, if no read comes */
};

/* Accesses that a real chip would answer with a hang, a race or a wrong value. */
struct s5933_faults {
	uint32_t empty_reads;	/* FIFO read while empty: PCI retry for ever */
	uint32_t full_writes;	/* FIFO written while full */
	uint32_t races;		/* FIFO used by the CPU while DMA may use it */
	uint32_t nvram_busy;	/* NVRAM command while one is going on */
	uint32_t unmodelled;	/* 64-bit endian conversion was chosen */
	uint32_t bad_accesses;	/* no such register, or across two of them */
	uint32_t hasty;		/* a step of a reset came too soon */
	uint32_t overtaken;	/* the type of words was changed before they had left */
};

struct s5933_stats {
	uint32_t reg_reads;
	uint32_t reg_writes;
	uint32_t irqs;		/* rising edges of the interrupt */
	uint32_t pops;		/* words that the CPU took from the FIFO */
	uint32_t pushes;	/* words that the CPU put into the FIFO */
	uint32_t starts;	/* MWTC loaded, not with zero */
	uint32_t completes;	/* write terminal counts */
	uint32_t bursts;
	uint32_t dma_words;	/* written to PCI memory */
	uint32_t read_starts;
	uint32_t read_completes;
	uint32_t read_words;	/* read from PCI memory */
	uint32_t aborts;
	uint32_t lost_strobes;	/* mailbox overwritten while full */
	uint32_t wait_ns;	/* for which the CPU has waited for the bus */
};

#endif
