/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s5933.h: a model of the AMCC S5933 PCI Matchmaker
 *
 * The model is plain C. It has functions for the registers, and callbacks for bus-master
 * cycles and the interrupt line. "Write" is add-on to PCI memory (A2P), "read" is PCI
 * memory to add-on (P2A). Documentation/slink/slink-model.md has the source of each bit.
 */
#ifndef S5933_H
#define S5933_H

#include <stdbool.h>
#include <stdint.h>

#include "s5933-config.h"
#include "s5933-regs.h"

/* How a bus-master cycle ended. */
enum s5933_bus {
	S5933_BUS_OK,
	S5933_BUS_MASTER_ABORT,		/* no device answers at this address */
	S5933_BUS_TARGET_ABORT,		/* a device answers and refuses */
};

/**
 * struct s5933_ops - the bus and the add-on side around the chip
 * @dma_write: one burst to PCI memory, all of it or nothing. Words have the byte
 *	order of the machine; in memory they are little endian
 * @dma_read: the same from PCI memory
 * @set_irq: level of INTA#, called when it changes
 * @omb_written: the host has written bytes of outgoing mailbox 0...3
 * @addon_reset: SYSRST#, called when it changes
 *
 * The chip passes its @host to the first three, and its @addon to the others.
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
	uint64_t grant_at;	/* when the chip gets the bus, or its next data phase */
	bool bursting;		/* it has the bus */
	bool stopped;		/* after an abort */
};

/* A write that has not reached the chip. */
struct s5933_write {
	uint64_t at;		/* when it reaches the chip, if no read comes */
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
	uint64_t reset_at;	/* of the last step of a reset, or SLINK_NEVER */

	struct s5933_faults faults;
	struct s5933_stats stats;
};

/**
 * s5933_init - make a chip
 * @chip: the chip
 * @ops: callbacks to the bus and the add-on side
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
 * s5933_reset - reset all but NVRAM, statistics and faults, as a PCI reset does
 * @chip: the chip
 */
void s5933_reset(struct s5933 *chip);

/**
 * s5933_gone_changed - act on a change of cfg.gone
 * @chip: the chip
 *
 * A chip that is gone drives no interrupt, is no bus master, ignores writes, and reads
 * as all ones. A chip that comes back has the state after s5933_reset(). It keeps its
 * configuration space, with the bus master bit.
 */
void s5933_gone_changed(struct s5933 *chip);

/**
 * s5933_set_master - set the bus master bit of the PCI command register
 * @chip: the chip
 * @on: whether it may be bus master
 */
void s5933_set_master(struct s5933 *chip, bool on);

/**
 * s5933_begin_read - begin a read of a register
 * @chip: the chip
 *
 * The bridge passes all earlier writes to the bus before the read. The CPU waits for both.
 *
 * Return: the time after which the caller calls s5933_read(), ns. The CPU waits for
 * s5933_end_read() more.
 */
uint64_t s5933_begin_read(struct s5933 *chip);
uint64_t s5933_end_read(struct s5933 *chip);

/**
 * s5933_begin_write - begin a write of a register
 * @chip: the chip
 *
 * Return: the time after which the caller calls s5933_write(), ns. It is not zero if the
 * bridge holds as many writes as it can.
 */
uint64_t s5933_begin_write(struct s5933 *chip);

/**
 * s5933_read - read a register from PCI
 * @chip: the chip
 * @offset: into BAR0
 * @size: 1, 2 or 4 bytes, not across two registers
 *
 * Return: the value; all ones where the real chip would not answer.
 */
uint32_t s5933_read(struct s5933 *chip, unsigned int offset,
		    unsigned int size);

/**
 * s5933_write - write a register from PCI
 * @chip: the chip
 * @offset: into BAR0
 * @value: the value
 * @size: 1, 2 or 4 bytes, not across two registers
 *
 * On a bus that takes time the write is posted: it reaches the chip later, in the order of
 * the writes, and before a later read.
 */
void s5933_write(struct s5933 *chip, unsigned int offset, uint32_t value,
		 unsigned int size);

/**
 * s5933_note_reset - check the time between two steps of a reset
 * @chip: the chip
 * @since: time of the previous step, or SLINK_NEVER
 *
 * Counts a fault if the time was too short.
 */
void s5933_note_reset(struct s5933 *chip, uint64_t since);

/**
 * s5933_next_ns - tell when the chip next acts by itself
 * @chip: the chip
 *
 * Return: that time, or SLINK_NEVER.
 */
uint64_t s5933_next_ns(const struct s5933 *chip);

/**
 * s5933_run - run one burst, if its time has come
 * @chip: the chip
 */
void s5933_run(struct s5933 *chip);

/* --- the add-on side --- */

/**
 * s5933_push - write a word into the A2P FIFO, from the add-on
 * @chip: the chip
 * @word: the word
 *
 * Return: false if the FIFO is full (WRFULL); the word is not written then.
 */
bool s5933_push(struct s5933 *chip, uint32_t word);

/**
 * s5933_pull - read a word from the P2A FIFO, from the add-on
 * @chip: the chip
 * @word: the result
 *
 * Return: false if the FIFO is empty (RDEMPTY).
 */
bool s5933_pull(struct s5933 *chip, uint32_t *word);

/**
 * s5933_write_imb - write one byte of an incoming mailbox, from the add-on
 * @chip: the chip
 * @box: mailbox 0...3; 3 with lane 3 is the direct mailbox strobe (EMBCLK)
 * @lane: byte of it
 * @byte: the value
 */
void s5933_write_imb(struct s5933 *chip, unsigned int box, unsigned int lane,
		     uint8_t byte);

/**
 * s5933_take_omb - read and empty an outgoing mailbox, from the add-on
 * @chip: the chip
 * @box: mailbox 0...3
 *
 * Return: its value.
 */
uint32_t s5933_take_omb(struct s5933 *chip, unsigned int box);

/**
 * s5933_omb_is_full - tell whether the host has written a mailbox
 * @chip: the chip
 * @box: mailbox 0...3
 *
 * Return: true if it has, and the add-on has not read it since.
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
