/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s5933.h: the AMCC S5933, and the lines of the SSPCI card on its mailboxes
 *
 * Registers of the PCI side, in BAR 0. In their names "write" means that the chip writes
 * to the memory of the host (input). "Read" means that it reads there (output).
 *
 * Sources: AMCC S5933 data sheet, Oct 1998 (registers); s5933.h of the APEmille
 * autobahn driver, 1997 (bits of INTCSR and MCSR); libSLINK.c of CERN, 1997 (lines
 * of the card). The output lines are those of the project's model of the card; see
 * Documentation/slink-model.md.
 */
#ifndef _ZIO_S5933_H
#define _ZIO_S5933_H

#include <linux/bits.h>

#define S5933_OMB1	0x00
#define S5933_OMB2	0x04
#define S5933_IMB1	0x10
#define S5933_IMB3	0x18
#define S5933_IMB4	0x1c
#define S5933_FIFO	0x20
#define S5933_MWAR	0x24	/* destination; write it before MWTC, which arms */
#define S5933_MWTC	0x28	/* bytes */
#define S5933_MRAR	0x2c
#define S5933_MRTC	0x30
#define S5933_MBEF	0x34
#define S5933_INTCSR	0x38
#define S5933_MCSR	0x3c
#define S5933_SIZE	0x40

#define S5933_FIFO_WORDS	8

#define MBEF_OMB2	GENMASK(7, 4)	/* the card has not taken OMB2 yet */

/* INTCSR: bits 16 to 23 are status, and writing 1 clears them; the others are control */
#define INTCSR_OMB2		0x0004	/* byte 0: when the card takes it */
#define INTCSR_OMB_EMPTY	BIT(4)
#define INTCSR_IMB4		0x0f00	/* byte 3: when the card writes it */
#define INTCSR_IMB_FULL		BIT(12)
#define INTCSR_WRITE_DONE	BIT(14)
#define INTCSR_READ_DONE	BIT(15)
#define INTCSR_ENABLES		(INTCSR_OMB_EMPTY | INTCSR_IMB_FULL | \
				 INTCSR_WRITE_DONE | INTCSR_READ_DONE)
#define INTCSR_IS_OMB		BIT(16)
#define INTCSR_IS_IMB		BIT(17)
#define INTCSR_IS_WRITE_DONE	BIT(18)
#define INTCSR_IS_READ_DONE	BIT(19)
#define INTCSR_IS_MASTER_ABORT	BIT(20)
#define INTCSR_IS_TARGET_ABORT	BIT(21)
#define INTCSR_STATUS		GENMASK(21, 16)
#define INTCSR_ABORTS		(INTCSR_IS_MASTER_ABORT | INTCSR_IS_TARGET_ABORT)
#define INTCSR_ASSERTED		BIT(23)
/* The bits that the driver writes and the chip keeps until a PCI reset */
#define INTCSR_KEPT		0x0f0f

#define MCSR_READ_FULL		BIT(0)
#define MCSR_READ_EMPTY		BIT(2)
#define MCSR_WRITE_FULL		BIT(3)
#define MCSR_WRITE_EMPTY	BIT(5)
#define MCSR_READ_IS_ZERO	BIT(6)
#define MCSR_WRITE_IS_ZERO	BIT(7)
#define MCSR_WRITE_PRIORITY	BIT(8)
#define MCSR_WRITE_ENABLE	BIT(10)
#define MCSR_READ_ENABLE	BIT(14)
#define MCSR_RESET_CARD		BIT(24)	/* a level */
#define MCSR_RESET_READ		BIT(25)
#define MCSR_RESET_WRITE	BIT(26)
#define MCSR_RESET_MAILBOX	BIT(27)

/* OMB1: lines to the card */
#define OMB1_FRESET_N		BIT(0)	/* external FIFO */
#define OMB1_UTDO_N		BIT(1)	/* low: test words pass to the output */
#define OMB1_URESET_N		BIT(2)	/* link */
#define OMB1_WIDTH_SHIFT	3
#define OMB1_WIDTH		GENMASK(4, 3)
#define OMB1_LINES_SHIFT	8
#define OMB1_LINES		GENMASK(11, 8)	/* URL, return lines */
#define OMB1_EXPECT_SHIFT	24
#define OMB1_EXPECT		GENMASK(25, 24)

/* IMB4 byte 3: lines from the card; the first two are the type of a word */
#define LINE_LDERR_N		BIT(0)
#define LINE_LCTRL_N		BIT(1)
#define LINE_LDOWN_N		BIT(2)
#define LINE_OVERFLOW		BIT(3)
#define LINE_TYPE		GENMASK(1, 0)

#define TYPE_BAD_CONTROL	0
#define TYPE_CONTROL		LINE_LDERR_N
#define TYPE_BAD_DATA		LINE_LCTRL_N
#define TYPE_DATA		(LINE_LCTRL_N | LINE_LDERR_N)

/* OMB2: lines of the output; IMB3 byte 0: lines of its other end */
#define OMB2_UCTRL_N		BIT(0)
#define OMB2_UTEST_N		BIT(1)
#define IMB3_LINES		GENMASK(3, 0)
#define IMB3_LDOWN_N		BIT(4)

#endif /* _ZIO_S5933_H */
