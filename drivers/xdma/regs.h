/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regs.h: registers and descriptors of AMD's DMA/Bridge Subsystem for PCI Express
 *
 * Sources: AMD PG195 (the register space of the DMA), and drivers/dma/xilinx/xdma-regs.h
 * of Linux 6.3 and later.
 */
#ifndef ZIO_XDMA_REGS_H
#define ZIO_XDMA_REGS_H

#include <linux/bits.h>
#include <linux/types.h>

/* Blocks of registers; engine @i of a direction is at XDMA_STRIDE * i within its block */
#define XDMA_H2C		0x0000
#define XDMA_C2H		0x1000
#define XDMA_IRQ		0x2000
#define XDMA_SG			0x4000	/* from the engine's block to its descriptors' */
#define XDMA_SG_COMMON		0x6000
#define XDMA_STRIDE		0x100
#define XDMA_SPACE		0x7000
#define XDMA_MAX_ENGINES	4	/* per direction */

/* The first register of a block identifies it. */
#define XDMA_ID_MASK		0xffff0000
#define XDMA_ID_H2C		0x1fc00000
#define XDMA_ID_C2H		0x1fc10000
#define XDMA_ID_IRQ		0x1fc20000
#define XDMA_ID_STREAM		BIT(15)	/* of an engine: AXI stream rather than memory */

/* An engine */
#define XDMA_CONTROL		0x04
#define XDMA_STATUS		0x40
#define XDMA_STATUS_CLEAR	0x44	/* reading it clears the status */
#define XDMA_COMPLETED		0x48
#define XDMA_INT_MASK		0x90

/* XDMA_CONTROL, XDMA_STATUS and XDMA_INT_MASK */
#define XDMA_RUN		BIT(0)	/* in the status: busy */
#define XDMA_STOPPED		BIT(1)
#define XDMA_DONE		BIT(2)
#define XDMA_MISALIGNED		BIT(3)
#define XDMA_MAGIC_STOPPED	BIT(4)
#define XDMA_BAD_LENGTH		BIT(5)
#define XDMA_READ_ERRORS	GENMASK(13, 9)
#define XDMA_WRITE_ERRORS	GENMASK(18, 14)
#define XDMA_DESC_ERRORS	GENMASK(23, 19)
#define XDMA_ERRORS		(XDMA_MISALIGNED | XDMA_MAGIC_STOPPED | XDMA_BAD_LENGTH | \
				 XDMA_READ_ERRORS | XDMA_WRITE_ERRORS | XDMA_DESC_ERRORS)

/* Descriptors of an engine, from its block at XDMA_SG */
#define XDMA_SG_LOW		0x80
#define XDMA_SG_HIGH		0x84
#define XDMA_SG_ADJACENT	0x88
#define XDMA_SG_CREDITS		0x8c
#define XDMA_MAX_CREDITS	0x3ff	/* in one write */

/* One bit per engine: H2C from bit 0 on, C2H from bit 16 on */
#define XDMA_CREDIT_MODE_SET	(XDMA_SG_COMMON + 0x24)
#define XDMA_CREDIT_MODE_CLEAR	(XDMA_SG_COMMON + 0x28)
#define XDMA_CREDIT_C2H		16

/* Interrupts. Each engine is one line of the channels: H2C first, then C2H. */
#define XDMA_USER_INT_SET	(XDMA_IRQ + 0x08)
#define XDMA_USER_INT_CLEAR	(XDMA_IRQ + 0x0c)
#define XDMA_CHAN_INT_SET	(XDMA_IRQ + 0x14)
#define XDMA_CHAN_INT_CLEAR	(XDMA_IRQ + 0x18)
#define XDMA_USER_VECTOR	(XDMA_IRQ + 0x80)
#define XDMA_CHAN_VECTOR	(XDMA_IRQ + 0xa0)
#define XDMA_USER_IRQS		16

/* A descriptor of 32 bytes, aligned to 32 */
struct xdma_desc {
	__le32 control;
	__le32 bytes;
	__le64 from;	/* C2H: where the engine writes a struct xdma_result */
	__le64 to;
	__le64 next;
};

#define XDMA_DESC_MAGIC		0xad4b0000
#define XDMA_DESC_STOP		BIT(0)
#define XDMA_DESC_DONE		BIT(1)
#define XDMA_DESC_EOP		BIT(4)
#define XDMA_MAX_BYTES		(BIT(28) - 1)

/* C2H writes this after the data of a descriptor. */
struct xdma_result {
	__le32 status;
	__le32 bytes;
};

#define XDMA_RESULT_MAGIC	0x52b40000
#define XDMA_RESULT_EOP		BIT(0)

#endif /* ZIO_XDMA_REGS_H */
