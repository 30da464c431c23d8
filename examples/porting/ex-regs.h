/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ex-regs.h: the registers of two invented boards, a digitiser and a TDC
 *
 * ex-board.c is their model. Registers have 32 bits.
 */
#ifndef EX_REGS_H
#define EX_REGS_H

#include <linux/bits.h>

/* The digitiser: two channels of 16 bits. The FIFO has a sample of each in turn. */
#define EX_ADC_CTRL		0x00
#define EX_ADC_START		BIT(0)	/* acquire EX_ADC_SHOTS shots */
#define EX_ADC_STOP		BIT(1)	/* drop what was acquired */
#define EX_ADC_STATUS		0x04	/* a write of the bit clears it */
#define EX_ADC_DONE		BIT(0)
#define EX_ADC_PRE		0x08	/* samples of a channel and shot */
#define EX_ADC_POST		0x0c
#define EX_ADC_SHOTS		0x10
#define EX_ADC_SOURCE		0x14	/* 0: an event at once; 1: the input */
#define EX_ADC_THRESHOLD	0x18	/* of the input, two's complement */
#define EX_ADC_RANGE(n)		(0x1c + 4 * (n))	/* 0: 1 V, 1: 10 V */
#define EX_ADC_SECONDS		0x24	/* of the shot that the FIFO begins with */
#define EX_ADC_TICKS		0x28	/* of 8 ns */
#define EX_ADC_FIFO		0x2c	/* a read takes a sample */
#define EX_ADC_TEMP		0x30	/* in 1/1000 degree Celsius */
#define EX_ADC_N_CHAN		2
#define EX_ADC_MEMORY		4096	/* samples of a channel */
#define EX_TICK_NS		8

/* The TDC: two channels, each with a FIFO of the times of pulses */
#define EX_TDC_IRQ		0x40	/* bit n: the FIFO of channel n is not empty */
#define EX_TDC_ENABLE		0x44	/* bit n: channel n */
#define EX_TDC_TERMINATION	0x48	/* bit n: 50 Ohm at channel n */
#define EX_TDC_SECONDS(n)	(0x4c + 16 * (n))	/* of the oldest pulse */
#define EX_TDC_TICKS(n)		(0x50 + 16 * (n))	/* of 8 ns */
#define EX_TDC_FRACTION(n)	(0x54 + 16 * (n))	/* in 1/4096 tick */
#define EX_TDC_NEXT(n)		(0x58 + 16 * (n))	/* a write takes the oldest pulse */
#define EX_TDC_DROPPED		0x6c	/* pulses that came while a FIFO was full */
#define EX_TDC_N_CHAN		2
#define EX_TDC_DEPTH		8

#define EX_END			0x70

#endif /* EX_REGS_H */
