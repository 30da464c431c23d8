// SPDX-License-Identifier: GPL-2.0-only
/*
 * chip.c: registers and interrupts of the AMCC S5933
 *
 * Writing back what was read from INTCSR would clear every status bit. So the layer keeps
 * what it wrote: chip->intcsr, chip->mcsr.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/zio-s5933.h>

/**
 * s5933_set_mcsr() - change control bits of MCSR
 * @chip: the chip, locked
 * @clear: bits to clear
 * @set: bits to set; those of MCSR_RESETS are pulses
 *
 * Context: any.
 */
void s5933_set_mcsr(struct s5933 *chip, u32 clear, u32 set)
{
	chip->mcsr = (chip->mcsr & ~clear) | set;
	s5933_write(chip, S5933_MCSR, chip->mcsr);
	chip->mcsr &= ~MCSR_RESETS;
}
EXPORT_SYMBOL_GPL(s5933_set_mcsr);

/**
 * s5933_set_irq() - enable or disable the interrupts of the chip, and clear status bits
 * @chip: the chip, locked
 * @enable: whether the chip interrupts
 * @status: bits of INTCSR_STATUS to clear
 *
 * The selection of the mailboxes stays set while interrupts are disabled: their status is
 * also raised without an interrupt, and polling needs it.
 *
 * Context: any.
 */
void s5933_set_irq(struct s5933 *chip, bool enable, u32 status)
{
	chip->intcsr = chip->ops->select | (enable ? chip->ops->irq : 0);
	s5933_write(chip, S5933_INTCSR, chip->intcsr | status);
}
EXPORT_SYMBOL_GPL(s5933_set_irq);

/**
 * s5933_stop() - disable interrupts and transfers, whatever state the chip is in
 * @chip: the chip, locked
 *
 * Afterwards the chip neither writes to memory nor reads from it.
 *
 * Context: any.
 */
void s5933_stop(struct s5933 *chip)
{
	s5933_set_irq(chip, false, 0);
	s5933_set_mcsr(chip, MCSR_WRITE_ENABLE | MCSR_READ_ENABLE, 0);
	s5933_write(chip, S5933_MWTC, 0);
	s5933_write(chip, S5933_MRTC, 0);
	s5933_flush(chip);
}
EXPORT_SYMBOL_GPL(s5933_stop);

/**
 * s5933_is_halted() - check whether the driver must leave the card alone
 * @chip: the chip, not locked
 *
 * For attributes that would access the card, because a user may set them at any time.
 *
 * Context: any.
 * Return: true if the chip is halted.
 */
bool s5933_is_halted(struct s5933 *chip)
{
	unsigned long flags;
	bool halted;

	spin_lock_irqsave(&chip->lock, flags);
	halted = chip->halted;
	spin_unlock_irqrestore(&chip->lock, flags);
	return halted;
}
EXPORT_SYMBOL_GPL(s5933_is_halted);

/*
 * The duration of a read depends on the bus, so the limit is a time, not a number of reads.
 * The last read comes after the time has run out: the processor may have been away.
 */
static u32 s5933_chip_wait_mcsr(struct s5933 *chip, u32 bits, u32 flip, unsigned int ns)
{
	u32 mcsr = s5933_read(chip, S5933_MCSR);
	bool late = false;
	ktime_t end;

	if ((mcsr ^ flip) & bits)
		return mcsr;
	end = ktime_add_ns(ktime_get(), ns);
	while (!((mcsr ^ flip) & bits) && !late) {
		cpu_relax();
		late = ktime_after(ktime_get(), end);
		mcsr = s5933_read(chip, S5933_MCSR);
	}
	return mcsr;
}

/**
 * s5933_wait_mcsr() - wait until MCSR has at least one of several bits
 * @chip: the chip
 * @bits: the bits
 * @ns: timeout in nanoseconds
 *
 * Context: any. It spins.
 * Return: MCSR. The caller checks whether it has one of the bits.
 */
u32 s5933_wait_mcsr(struct s5933 *chip, u32 bits, unsigned int ns)
{
	return s5933_chip_wait_mcsr(chip, bits, 0, ns);
}
EXPORT_SYMBOL_GPL(s5933_wait_mcsr);

/**
 * s5933_wait_word() - wait until the FIFO has a word from the card
 * @chip: the chip
 * @ns: timeout in nanoseconds
 *
 * Context: any. It spins.
 * Return: MCSR, with MCSR_WRITE_EMPTY clear if there is a word.
 */
u32 s5933_wait_word(struct s5933 *chip, unsigned int ns)
{
	return s5933_chip_wait_mcsr(chip, MCSR_WRITE_EMPTY, MCSR_WRITE_EMPTY, ns);
}
EXPORT_SYMBOL_GPL(s5933_wait_word);

/**
 * s5933_words_in() - return a lower bound of the words in the FIFO
 * @mcsr: MCSR, read while no transfer runs
 *
 * The CPU may take this many words without checking again. Reading an empty FIFO would hang
 * the bus.
 *
 * Context: any.
 * Return: 0, 1, 4 or 8.
 */
unsigned int s5933_words_in(u32 mcsr)
{
	if (mcsr & MCSR_WRITE_EMPTY)
		return 0;
	if (mcsr & MCSR_WRITE_FULL)
		return S5933_FIFO_WORDS;
	return mcsr & MCSR_WRITE_4_WORDS ? 4 : 1;
}
EXPORT_SYMBOL_GPL(s5933_words_in);
