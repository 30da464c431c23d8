// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvram.c: the NVRAM behind the S5933, which holds its boot image
 *
 * A command is in bits 31:29 of MCSR: 0x80 low address, 0xa0 high address, 0xc0 write,
 * 0xe0 read. Bit 31 reads as busy. The data byte is in bits 23:16 (addi_apci_3501.c).
 */
#include <linux/bitfield.h>
#include <linux/export.h>
#include <linux/iopoll.h>
#include <linux/zio-s5933.h>

#define NVRAM_LOW	4
#define NVRAM_HIGH	5
#define NVRAM_WRITE	6
#define NVRAM_READ	7

/* A serial NVRAM needs up to 10 ms to write a byte. */
#define BUSY_US		20000

static int s5933_nvram_command(struct s5933 *chip, unsigned int command, u8 data, u32 *mcsr)
{
	unsigned long flags;

	spin_lock_irqsave(&chip->lock, flags);
	s5933_write(chip, S5933_MCSR, chip->mcsr | FIELD_PREP(MCSR_NVRAM, command) |
		    FIELD_PREP(MCSR_NVRAM_DATA, data));
	spin_unlock_irqrestore(&chip->lock, flags);
	return read_poll_timeout(s5933_read, *mcsr, !(*mcsr & MCSR_NVRAM_BUSY), 20,
				 BUSY_US, false, chip, S5933_MCSR);
}

static int s5933_nvram_set_address(struct s5933 *chip, unsigned int addr)
{
	u32 mcsr;
	int ret = s5933_nvram_command(chip, NVRAM_LOW, addr, &mcsr);

	return ret ?: s5933_nvram_command(chip, NVRAM_HIGH, addr >> 8, &mcsr);
}

static bool s5933_nvram_is_inside(unsigned int addr, size_t n)
{
	return addr <= S5933_NVRAM_SIZE && n <= S5933_NVRAM_SIZE - addr;
}

/**
 * s5933_nvram_read() - read bytes of the NVRAM
 * @chip: the chip
 * @addr: address of the first one; the boot image begins at S5933_NVRAM_BOOT
 * @to: the result
 * @n: number of bytes
 *
 * Context: process, sleeps. One caller at a time.
 * Return: 0; -EINVAL beyond the end; -ETIMEDOUT if the NVRAM stays busy, or the card is
 *         gone.
 */
int s5933_nvram_read(struct s5933 *chip, unsigned int addr, void *to, size_t n)
{
	u8 *byte = to;
	int ret = 0;
	u32 mcsr = 0;

	if (!s5933_nvram_is_inside(addr, n))
		return -EINVAL;
	while (!ret && n--) {
		ret = s5933_nvram_set_address(chip, addr++) ?:
			s5933_nvram_command(chip, NVRAM_READ, 0, &mcsr);
		*byte++ = FIELD_GET(MCSR_NVRAM_DATA, mcsr);
	}
	return ret;
}
EXPORT_SYMBOL_GPL(s5933_nvram_read);

/**
 * s5933_nvram_write() - write bytes of the NVRAM
 * @chip: the chip
 * @addr: address of the first one
 * @from: the bytes
 * @n: number of bytes
 *
 * A wrong boot image makes the card unusable after the next power-on.
 *
 * Context: process, sleeps. One caller at a time.
 * Return: as s5933_nvram_read().
 */
int s5933_nvram_write(struct s5933 *chip, unsigned int addr, const void *from,
		      size_t n)
{
	const u8 *byte = from;
	int ret = 0;
	u32 mcsr;

	if (!s5933_nvram_is_inside(addr, n))
		return -EINVAL;
	while (!ret && n--)
		ret = s5933_nvram_set_address(chip, addr++) ?:
			s5933_nvram_command(chip, NVRAM_WRITE, *byte++, &mcsr);
	return ret;
}
EXPORT_SYMBOL_GPL(s5933_nvram_write);
