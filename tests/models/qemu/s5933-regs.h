/* SPDX-License-Identifier: GPL-2.0-only */
/* s5933-regs.h: registers and sizes of the AMCC S5933 */
#ifndef S5933_REGS_H
#define S5933_REGS_H

#define S5933_OMB(n)	(0x00 + 4 * (n))
#define S5933_IMB(n)	(0x10 + 4 * (n))
#define S5933_FIFO	0x20
#define S5933_MWAR	0x24
#define S5933_MWTC	0x28
#define S5933_MRAR	0x2c
#define S5933_MRTC	0x30
#define S5933_MBEF	0x34
#define S5933_INTCSR	0x38
#define S5933_MCSR	0x3c
#define S5933_SIZE	0x40

/* MBEF */
#define S5933_OMB_FULL(box, lane)	(1u << (4 * (box) + (lane)))
#define S5933_IMB_FULL(box, lane)	(1u << (16 + 4 * (box) + (lane)))

/* INTCSR */
#define S5933_INT_OMB_BYTE(v)	((v) & 3)
#define S5933_INT_OMB_BOX(v)	((v) >> 2 & 3)
#define S5933_INT_OMB_ENABLE	(1u << 4)
#define S5933_INT_IMB_BYTE(v)	((v) >> 8 & 3)
#define S5933_INT_IMB_BOX(v)	((v) >> 10 & 3)
#define S5933_INT_IMB_ENABLE	(1u << 12)
#define S5933_INT_WRITE_ENABLE	(1u << 14)
#define S5933_INT_READ_ENABLE	(1u << 15)
#define S5933_INT_OMB		(1u << 16)
#define S5933_INT_IMB		(1u << 17)
#define S5933_INT_WRITE		(1u << 18)
#define S5933_INT_READ		(1u << 19)
#define S5933_INT_MASTER_ABORT	(1u << 20)
#define S5933_INT_TARGET_ABORT	(1u << 21)
#define S5933_INT_ASSERTED	(1u << 23)
#define S5933_INT_ENDIAN(v)	((v) >> 24 & 3)
#define S5933_INT_ADVANCE(v)	((v) >> 26 & 3)
#define S5933_INT_STATUS	0x003f0000u
#define S5933_INT_CONTROL	0xff00df1fu

/* MCSR */
#define S5933_P2A_FULL		(1u << 0)
#define S5933_P2A_4_EMPTY	(1u << 1)
#define S5933_P2A_EMPTY		(1u << 2)
#define S5933_A2P_FULL		(1u << 3)
#define S5933_A2P_4_WORDS	(1u << 4)
#define S5933_A2P_EMPTY		(1u << 5)
#define S5933_READ_COUNT_ZERO	(1u << 6)
#define S5933_WRITE_COUNT_ZERO	(1u << 7)
#define S5933_WRITE_PRIORITY	(1u << 8)
#define S5933_WRITE_4_WORDS	(1u << 9)
#define S5933_WRITE_ENABLE	(1u << 10)
#define S5933_READ_PRIORITY	(1u << 12)
#define S5933_READ_4_EMPTY	(1u << 13)
#define S5933_READ_ENABLE	(1u << 14)
#define S5933_READ_MULTIPLE	(1u << 15)
#define S5933_ADDON_RESET	(1u << 24)
#define S5933_RESET_P2A		(1u << 25)
#define S5933_RESET_A2P		(1u << 26)
#define S5933_RESET_MAILBOX	(1u << 27)
#define S5933_NVRAM_BUSY	(1u << 31)

#define S5933_DEPTH		8
#define S5933_POSTED		32	/* writes that a bridge can hold */
#define S5933_COUNT_MASK	0x03fffffcu
#define S5933_NVRAM_SIZE	2048

/* libSLINK.c leaves 10 us between the steps of a reset; a guest's clock may be inexact. */
#define S5933_RESET_NS		9000

#endif /* S5933_REGS_H */
