/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s5933.h: a model of the AMCC S5933 PCI Matchmaker
 *
 * Plain C: registers in, callbacks for bus-master cycles and the interrupt line
 * out. "Write" is add-on to PCI memory (A2P), "read" is PCI memory to add-on
 * (P2A). Where the meaning of each bit comes from: Documentation/slink-model.md.
 */
#ifndef S5933_H
#define S5933_H

#include <stdbool.h>
#include <stdint.h>

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
#define S5933_POSTED		64	/* writes that a bridge can hold */
#define S5933_COUNT_MASK	0x03fffffcu
#define S5933_NVRAM_SIZE	2048

/* libSLINK.c leaves 10 us between the steps of a reset; the clock of a guest may be off. */
#define S5933_RESET_NS		9000

/* How a bus-master cycle ended. */
enum s5933_bus {
	S5933_BUS_OK,
	S5933_BUS_MASTER_ABORT,		/* nobody answers at this address */
	S5933_BUS_TARGET_ABORT,		/* somebody does, and refuses */
};

/**
 * struct s5933_ops - what is around the chip
 * @dma_write: one burst to PCI memory; all of it or nothing is moved. Words are
 *	in the order of the machine, in memory they are little endian
 * @dma_read: the same from PCI memory
 * @set_irq: level of INTA#, called when it changes
 * @omb_written: the host has written bytes of outgoing mailbox 0...3
 * @addon_reset: SYSRST#, called when it changes
 *
 * The first three are called with @host, the others with @addon of the chip.
 * None may call back into the registers of the chip.
 */
struct s5933_ops {
	enum s5933_bus (*dma_write)(void *host, uint32_t addr,
				    const uint32_t *words, unsigned int n);
	enum s5933_bus (*dma_read)(void *host, uint32_t addr, uint32_t *words,
				   unsigned int n);
	void (*set_irq)(void *host, bool level);
	void (*omb_written)(void *addon, unsigned int box);
	void (*addon_reset)(void *addon, bool held);
};

struct s5933_fifo {
	uint32_t word[S5933_DEPTH];
	unsigned int head;
	unsigned int level;
};

/* One direction of the bus master. */
struct s5933_dma {
	uint32_t addr;
	uint32_t count;		/* bytes that are left */
	uint64_t grant_at;	/* when the bus is ours */
	bool stopped;		/* by an abort */
};

struct s5933_config {
	uint32_t grant_ns;	/* from the request for the bus to the burst */
	uint32_t nvram_ns;	/* that a command to the NVRAM takes */
	uint32_t gone;		/* pulled out: nobody answers */
	uint32_t posted_ns;	/* that a bridge holds a write, if no read comes */
};

/* What a real chip would answer with a hang, a race or nonsense. */
struct s5933_faults {
	uint32_t empty_reads;	/* FIFO read while empty: PCI retry for ever */
	uint32_t full_writes;	/* FIFO written while full */
	uint32_t races;		/* FIFO used by the CPU while DMA may use it */
	uint32_t nvram_busy;	/* NVRAM command while one is going on */
	uint32_t unmodelled;	/* 64-bit endian conversion was chosen */
	uint32_t bad_accesses;	/* no such register, or across two of them */
	uint32_t hasty;		/* a step of a reset came too soon */
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
};

/* A write that has not reached the chip. */
struct s5933_write {
	uint32_t value;
	uint8_t offset;
	uint8_t size;
};

struct s5933 {
	const struct s5933_ops *ops;
	void *host;
	void *addon;
	const uint64_t *now;
	struct s5933_config cfg;

	uint32_t omb[4];
	uint32_t imb[4];
	uint32_t mbef;
	uint32_t intcsr;
	uint32_t mcsr;
	struct s5933_fifo a2p;
	struct s5933_fifo p2a;
	uint32_t p2a_bytes;	/* written so far of the next word */
	struct s5933_dma write;
	struct s5933_dma read;
	bool master;
	bool irq;

	uint8_t nvram[S5933_NVRAM_SIZE];
	uint16_t nvram_addr;
	uint8_t nvram_data;
	uint64_t nvram_until;

	struct s5933_write posted[S5933_POSTED];
	uint32_t n_posted;
	uint64_t posted_at;	/* when the first of them was written */
	uint64_t reset_at;	/* of the last step of a reset, or SLINK_NEVER */

	struct s5933_faults faults;
	struct s5933_stats stats;
};

/**
 * s5933_init - make a chip
 * @chip: the chip
 * @ops: what is around it
 * @host: for the callbacks of the PCI side
 * @addon: for the callbacks of the add-on side
 * @now: clock of the model, in ns
 */
void s5933_init(struct s5933 *chip, const struct s5933_ops *ops, void *host,
		void *addon, const uint64_t *now);

/**
 * s5933_set_boot - write the boot image that an NVRAM of this board holds
 * @chip: the chip
 * @vendor: PCI vendor
 * @device: PCI device
 * @class: 24-bit class code
 * @bar0: as in configuration space, before an address is assigned
 */
void s5933_set_boot(struct s5933 *chip, uint16_t vendor, uint16_t device,
		    uint32_t class, uint32_t bar0);

/**
 * s5933_reset - PCI reset: all but NVRAM, statistics and faults
 * @chip: the chip
 */
void s5933_reset(struct s5933 *chip);

/**
 * s5933_gone_changed - cfg.gone was written
 * @chip: the chip
 *
 * A chip that is gone drives no interrupt, is no master, does not take what is written,
 * and reads as all ones. One that is back is as after s5933_reset(), but for what is in
 * the configuration space: it may be master as before.
 */
void s5933_gone_changed(struct s5933 *chip);

/**
 * s5933_set_master - the bus master bit of the PCI command register
 * @chip: the chip
 * @on: may it be master?
 */
void s5933_set_master(struct s5933 *chip, bool on);

/**
 * s5933_read - PCI read of a register
 * @chip: the chip
 * @offset: into BAR0
 * @size: 1, 2 or 4 bytes, not across two registers
 *
 * Return: the value; all ones where the real chip would not answer.
 */
uint32_t s5933_read(struct s5933 *chip, unsigned int offset,
		    unsigned int size);

/**
 * s5933_write - PCI write of a register
 * @chip: the chip
 * @offset: into BAR0
 * @value: what to write
 * @size: 1, 2 or 4 bytes, not across two registers
 *
 * With cfg.posted_ns the write reaches the chip after that time, or before a read.
 */
void s5933_write(struct s5933 *chip, unsigned int offset, uint32_t value,
		 unsigned int size);

/**
 * s5933_note_reset - a step of a reset
 * @chip: the chip
 * @since: when the step before was, or SLINK_NEVER
 *
 * Counts a fault if that was too short a time ago.
 */
void s5933_note_reset(struct s5933 *chip, uint64_t since);

/**
 * s5933_next_ns - when the chip wants to do something by itself
 * @chip: the chip
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t s5933_next_ns(const struct s5933 *chip);

/**
 * s5933_run - one burst, if its time has come
 * @chip: the chip
 */
void s5933_run(struct s5933 *chip);

/* --- the add-on side --- */

/**
 * s5933_push - the add-on writes the A2P FIFO
 * @chip: the chip
 * @word: what to write
 *
 * Return: false when it is full (WRFULL); nothing was written then.
 */
bool s5933_push(struct s5933 *chip, uint32_t word);

/**
 * s5933_pull - the add-on reads the P2A FIFO
 * @chip: the chip
 * @word: what was read
 *
 * Return: false when it is empty (RDEMPTY).
 */
bool s5933_pull(struct s5933 *chip, uint32_t *word);

/**
 * s5933_write_imb - the add-on writes one byte of an incoming mailbox
 * @chip: the chip
 * @box: mailbox 0...3; 3 with lane 3 is the direct mailbox strobe (EMBCLK)
 * @lane: byte of it
 * @byte: the value
 */
void s5933_write_imb(struct s5933 *chip, unsigned int box, unsigned int lane,
		     uint8_t byte);

/**
 * s5933_take_omb - the add-on reads an outgoing mailbox, which empties it
 * @chip: the chip
 * @box: mailbox 0...3
 *
 * Return: its value.
 */
uint32_t s5933_take_omb(struct s5933 *chip, unsigned int box);

/**
 * s5933_omb_is_full - has the host written this mailbox?
 * @chip: the chip
 * @box: mailbox 0...3
 */
bool s5933_omb_is_full(const struct s5933 *chip, unsigned int box);

static inline bool s5933_is_full(const struct s5933 *chip)
{
	return chip->a2p.level == S5933_DEPTH;
}

static inline bool s5933_in_addon_reset(const struct s5933 *chip)
{
	return chip->mcsr & S5933_ADDON_RESET;
}

#endif /* S5933_H */
