/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-s5933.h: the AMCC S5933 PCI Matchmaker, for drivers of cards with this chip
 *
 * The module zio-s5933 has these functions. Documentation/slink/s5933.md shows how to
 * write a driver with them.
 *
 * The registers are those of the PCI side, in BAR 0. In their names "write" means that the
 * chip writes to the memory of the host (input). "Read" means that it reads there (output).
 *
 * Sources: AMCC S5933 data sheet, Oct 1998 (registers); s5933.h of the APEmille autobahn
 * driver, 1997 (bits of INTCSR and MCSR); amcc_s5933.h, adl_pci9118.c, addi_apci_3501.c of
 * Linux (restart of a transfer, NVRAM).
 */
#ifndef _LINUX_ZIO_S5933_H
#define _LINUX_ZIO_S5933_H

#include <linux/bits.h>
#include <linux/dma-direction.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/zio.h>

#define S5933_OMB(n)	(0x00 + 4 * ((n) - 1))	/* mailbox 1 to 4, to the card */
#define S5933_IMB(n)	(0x10 + 4 * ((n) - 1))	/* mailbox 1 to 4, from the card */
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

/* MBEF: a byte of a mailbox, 0 to 3, is full: its receiver has not read it yet */
#define MBEF_OMB(n, byte)	BIT(4 * ((n) - 1) + (byte))
#define MBEF_IMB(n, byte)	BIT(16 + 4 * ((n) - 1) + (byte))

/* INTCSR: bits 16 to 23 are status, and writing 1 clears them; the others are control */
#define INTCSR_OMB(n, byte)	(((n) - 1) << 2 | (byte))	/* when the card takes it */
#define INTCSR_IMB(n, byte)	(((n) - 1) << 10 | (byte) << 8)	/* when the card writes it */
#define INTCSR_OMB_EMPTY	BIT(4)
#define INTCSR_IMB_FULL		BIT(12)
#define INTCSR_WRITE_DONE	BIT(14)
#define INTCSR_READ_DONE	BIT(15)
#define INTCSR_IS_OMB		BIT(16)
#define INTCSR_IS_IMB		BIT(17)
#define INTCSR_IS_WRITE_DONE	BIT(18)
#define INTCSR_IS_READ_DONE	BIT(19)
#define INTCSR_IS_MASTER_ABORT	BIT(20)
#define INTCSR_IS_TARGET_ABORT	BIT(21)
#define INTCSR_STATUS		GENMASK(21, 16)
#define INTCSR_ABORTS		(INTCSR_IS_MASTER_ABORT | INTCSR_IS_TARGET_ABORT)
#define INTCSR_ASSERTED		BIT(23)
/* The selection of mailboxes and the byte order, which the chip keeps until a PCI reset */
#define INTCSR_SELECT		0xff000f0f

#define MCSR_READ_FULL		BIT(0)
#define MCSR_READ_EMPTY		BIT(2)
#define MCSR_WRITE_FULL		BIT(3)
#define MCSR_WRITE_4_WORDS	BIT(4)
#define MCSR_WRITE_EMPTY	BIT(5)
#define MCSR_READ_IS_ZERO	BIT(6)
#define MCSR_WRITE_IS_ZERO	BIT(7)
#define MCSR_WRITE_PRIORITY	BIT(8)
#define MCSR_WRITE_ENABLE	BIT(10)
#define MCSR_READ_ENABLE	BIT(14)
#define MCSR_NVRAM_DATA		GENMASK(23, 16)
#define MCSR_RESET_CARD		BIT(24)	/* a level */
#define MCSR_RESET_READ		BIT(25)
#define MCSR_RESET_WRITE	BIT(26)
#define MCSR_RESET_MAILBOX	BIT(27)
#define MCSR_RESETS		(MCSR_RESET_READ | MCSR_RESET_WRITE | MCSR_RESET_MAILBOX)
#define MCSR_NVRAM		GENMASK(31, 29)	/* command; bit 31 reads as busy */
#define MCSR_NVRAM_BUSY		BIT(31)

#define S5933_NVRAM_SIZE	2048
#define S5933_NVRAM_BOOT	0x40	/* the boot image: vendor, device, ... */

struct s5933;

/**
 * struct s5933_ops - what the layer calls of the driver of a card
 * @irq: enable bits of INTCSR that the driver handles
 * @select: INTCSR_OMB() and INTCSR_IMB(), the mailboxes that interrupt
 * @dma_bits: address lines that the board has at most; 0 for 32
 * @handler: the interrupt, as of request_irq(); its data is the chip
 * @halt: stop timers and work that access the card. The chip is halted already
 * @restart: bring the card from any state to that after probe(), and go on
 * @dump: add lines to the file "registers"; may be NULL
 *
 * The layer calls @halt before a shutdown, a suspend, an unbind, and after an error of
 * the bus. It calls @restart after a resume or a reset of the slot. Both run in process
 * context, and may sleep.
 */
struct s5933_ops {
	u32 irq;
	u32 select;
	unsigned int dma_bits;
	irq_handler_t handler;
	void (*halt)(struct s5933 *chip);
	void (*restart)(struct s5933 *chip);
	void (*dump)(struct s5933 *chip, struct seq_file *file);
};

/**
 * struct s5933_dma - the memory of a transfer
 * @addr: bus address
 * @len: bytes; 0 if there is no transfer
 * @block: the block of the memory; NULL if the core has not mapped it for the card
 * @pos: offset in the block, bytes
 */
struct s5933_dma {
	dma_addr_t addr;
	u32 len;
	struct zio_block *block;
	size_t pos;
};

/**
 * struct s5933 - a chip, in the state of the driver of a card
 * @pdev: the PCI device
 * @dev: its device
 * @base: registers
 * @lock: for @intcsr, @mcsr, @halted and their registers, and for what the driver likes
 * @intcsr: control bits of INTCSR, as written
 * @mcsr: control bits of MCSR, as written
 * @halted: the driver must not start anything at the card
 * @ops: the driver
 */
struct s5933 {
	struct pci_dev *pdev;
	struct device *dev;
	void __iomem *base;
	spinlock_t lock;	/* see @lock */
	u32 intcsr;
	u32 mcsr;
	bool halted;
	const struct s5933_ops *ops;
};

static inline u32 s5933_read(const struct s5933 *chip, unsigned int reg)
{
	return ioread32(chip->base + reg);
}

static inline void s5933_write(const struct s5933 *chip, unsigned int reg, u32 value)
{
	iowrite32(value, chip->base + reg);
}

/* A missing card reads as all ones. INTCSR of a card that is there never does. */
static inline bool s5933_is_gone(u32 value)
{
	return value == ~0u;
}

/* Return: true if @status, of INTCSR, still has what the driver wrote. */
static inline bool s5933_has_state(const struct s5933 *chip, u32 status)
{
	return !((status ^ chip->intcsr) & INTCSR_SELECT);
}

/* Return: INTCSR, for an interrupt handler. All ones: the chip is halted, or is gone. */
static inline u32 s5933_read_status(const struct s5933 *chip)
{
	return chip->halted ? ~0u : s5933_read(chip, S5933_INTCSR);
}

/* PCI posts writes. This read returns after they have reached the card. */
static inline void s5933_flush(const struct s5933 *chip)
{
	s5933_read(chip, S5933_INTCSR);
}

/* chip.c: registers, interrupts */
void s5933_set_mcsr(struct s5933 *chip, u32 clear, u32 set);
void s5933_set_irq(struct s5933 *chip, bool enable, u32 status);
void s5933_stop(struct s5933 *chip);
bool s5933_is_halted(struct s5933 *chip);
u32 s5933_wait_mcsr(struct s5933 *chip, u32 bits, unsigned int ns);
u32 s5933_wait_word(struct s5933 *chip, unsigned int ns);
unsigned int s5933_words_in(u32 mcsr);

/* pci.c: life of the device */
int s5933_probe(struct s5933 *chip, struct pci_dev *pdev,
		const struct s5933_ops *ops);
int s5933_start(struct s5933 *chip);
unsigned int s5933_dma_bits(const struct s5933_ops *ops);
void s5933_halt(struct s5933 *chip);
void s5933_shutdown(struct pci_dev *pdev);
extern const struct dev_pm_ops s5933_pm_ops;
extern const struct pci_error_handlers s5933_err_handler;

/* dma.c: memory and transfers */
int s5933_map(struct s5933 *chip, struct zio_block *block, size_t pos, size_t limit,
	      enum dma_data_direction dir, struct s5933_dma *dma);
void s5933_unmap(struct s5933 *chip, enum dma_data_direction dir,
		 struct s5933_dma *dma);
void s5933_begin_write(struct s5933 *chip, const struct s5933_dma *dma);
int s5933_end_write(struct s5933 *chip, const struct s5933_dma *dma);
void s5933_begin_read(struct s5933 *chip, const struct s5933_dma *dma);
int s5933_end_read(struct s5933 *chip, const struct s5933_dma *dma);

/* nvram.c; process context, sleeps */
int s5933_nvram_read(struct s5933 *chip, unsigned int addr, void *to, size_t n);
int s5933_nvram_write(struct s5933 *chip, unsigned int addr, const void *from,
		      size_t n);

/* debugfs.c */
int s5933_create_dump(struct s5933 *chip);

#endif /* _LINUX_ZIO_S5933_H */
