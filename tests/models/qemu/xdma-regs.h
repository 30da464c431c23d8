/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xdma-regs.h: registers of the DMA/Bridge Subsystem for PCI Express ("XDMA")
 *
 * Sources: AMD PG195 and drivers/dma/xilinx/xdma-regs.h of Linux 6.3. The registers of
 * the user's logic at the end are those of the model alone.
 */
#ifndef XDMA_REGS_H
#define XDMA_REGS_H

/* The DMA BAR: a block of registers for each kind */
#define XDMA_H2C	0x0000
#define XDMA_C2H	0x1000
#define XDMA_IRQ	0x2000
#define XDMA_H2C_SG	0x4000
#define XDMA_C2H_SG	0x5000
#define XDMA_SG_COMMON	0x6000
#define XDMA_MSIX	0x8000
#define XDMA_PBA	0x8fe0
#define XDMA_BAR_SIZE	0x10000
#define XDMA_STRIDE	0x100

/* A channel */
#define XDMA_ID			0x00
#define XDMA_CONTROL		0x04	/* 8 sets bits of it, c clears them */
#define XDMA_STATUS		0x40
#define XDMA_STATUS_CLEAR	0x44	/* the status, cleared by the read */
#define XDMA_COMPLETED		0x48
#define XDMA_ALIGNMENTS		0x4c
#define XDMA_INT_MASK		0x90	/* 94 sets bits of it, 98 clears them */

#define XDMA_RUN		(1u << 0)	/* of the control; busy in the status */
#define XDMA_STOPPED		(1u << 1)
#define XDMA_DONE		(1u << 2)
#define XDMA_MAGIC_STOPPED	(1u << 4)
#define XDMA_IDLE_STOPPED	(1u << 6)
#define XDMA_READ_ERROR		(1u << 9)
#define XDMA_WRITE_ERROR	(1u << 14)
#define XDMA_DESC_ERROR		(1u << 19)

/* Descriptors of a channel */
#define XDMA_SG_LOW		0x80
#define XDMA_SG_HIGH		0x84
#define XDMA_SG_ADJACENT	0x88
#define XDMA_SG_CREDITS		0x8c
#define XDMA_MAX_CREDITS	0x3ff

#define XDMA_CREDIT_MODE	0x20	/* 24 sets bits of it, 28 clears them */

/* Interrupts */
#define XDMA_USER_INT		0x04	/* 08 sets bits of it, 0c clears them */
#define XDMA_CHAN_INT		0x10	/* 14 sets bits of it, 18 clears them */
#define XDMA_USER_REQUEST	0x40
#define XDMA_CHAN_REQUEST	0x44
#define XDMA_USER_PENDING	0x48
#define XDMA_CHAN_PENDING	0x4c
#define XDMA_USER_VECTOR	0x80
#define XDMA_CHAN_VECTOR	0xa0

/* A descriptor */
#define XDMA_MAGIC		0xad4b
#define XDMA_DESC_STOP		(1u << 0)
#define XDMA_DESC_DONE		(1u << 1)
#define XDMA_DESC_EOP		(1u << 4)
#define XDMA_WRITEBACK_MAGIC	0x52b4

/* BAR 0: the user's logic. The registers of stream i are behind those at XDMA_STRIDE * i. */
#define XDMA_USER_CONTROL	0x04
#define XDMA_USER_PERIOD	0x08
#define XDMA_USER_WORDS		0x0c
#define XDMA_USER_SPREAD	0x10
#define XDMA_USER_LIMIT		0x14
#define XDMA_USER_MADE		0x18
#define XDMA_USER_DROPPED	0x1c
#define XDMA_USER_SUNK		0x20
#define XDMA_USER_STARVED	0x44	/* times that a packet waited for a descriptor */
#define XDMA_USER_STARVED_NS	0x48	/* the time that packets waited for one */
#define XDMA_USER_FIFO		0x4c	/* words that it has room for */

/* The card: behind those of stream 0 */
#define XDMA_USER_ID		0x00
#define XDMA_USER_FIRE		0x24
#define XDMA_USER_INJECT	0x28
#define XDMA_USER_FAULTS	0x2c
#define XDMA_USER_FETCH_NS	0x30	/* a descriptor that was not fetched ahead */
#define XDMA_USER_KIB_NS	0x34	/* 1 KiB of data */
#define XDMA_USER_WRITE_NS	0x38	/* write-back and message */
#define XDMA_USER_READS		0x3c
#define XDMA_USER_WRITES	0x40
#define XDMA_USER_READ_NS	0x50	/* the CPU waits so long for a register */
#define XDMA_USER_POST_NS	0x54	/* ... and so long to post a write */
#define XDMA_USER_WAIT_NS	0x58	/* all that the CPU has waited */
#define XDMA_USER_MESSAGES	0x5c	/* interrupts of the engines */
#define XDMA_USER_LOSE		0x60	/* in so many ns the engines lose their state */
#define XDMA_USER_SIZE		0x1000

#define XDMA_USER_MAGIC		0x5a494f58

/* XDMA_USER_CONTROL */
#define XDMA_SOURCE		(1u << 0)	/* packets of a known pattern */
#define XDMA_LOOP		(1u << 1)	/* H2C packets come back by C2H */
#define XDMA_RANDOM		(1u << 3)	/* intervals of 0 ... 2 periods */
#define XDMA_FLUSH		(1u << 2)	/* empties the FIFO, then reads as 0 */

/* XDMA_USER_INJECT: the next access fails */
#define XDMA_INJECT_FETCH	(1u << 0)
#define XDMA_INJECT_WRITE	(1u << 1)
#define XDMA_INJECT_READ	(1u << 2)
#define XDMA_INJECT_ALL		(1u << 30)	/* ... and all that follow, until cleared */
#define XDMA_INJECT_GONE	(1u << 31)	/* no access is answered, until cleared */

#endif /* XDMA_REGS_H */
