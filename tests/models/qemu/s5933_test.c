// SPDX-License-Identifier: GPL-2.0-only
/* The chip model alone, compared with the documents of the S5933 */
#include "harness.h"
#include "slink.h"
#include "test-chip.h"

static unsigned int faults(void)
{
	const struct s5933_faults *f = &chip.faults;

	return f->empty_reads + f->full_writes + f->races + f->nvram_busy +
	       f->unmodelled + f->bad_accesses;
}

TEST("status is write-1-to-clear, and the line is a level (1.10 point 1)", start)
{
	uint32_t control = S5933_INT_WRITE_ENABLE | 0x1f00;

	put(S5933_INTCSR, control);
	ASSERT_EQ(get(S5933_INTCSR), control, "control bits of INTCSR read back");
	s5933_write_imb(&chip, 3, 3, 0x55);
	ASSERT_TRUE(irq);
	ASSERT_EQ(get(S5933_INTCSR), control | S5933_INT_IMB | S5933_INT_ASSERTED);
	put(S5933_INTCSR, control);
	ASSERT_TRUE(irq && (get(S5933_INTCSR) & S5933_INT_IMB));
	put(S5933_INTCSR, control | S5933_INT_WRITE);
	ASSERT_TRUE(irq, "clearing another status leaves this one");
	put(S5933_INTCSR, control | S5933_INT_IMB);
	ASSERT_TRUE(!irq && get(S5933_INTCSR) == control, "1 clears it");
	put(S5933_INTCSR, control | S5933_INT_STATUS | S5933_INT_ASSERTED);
	ASSERT_EQ(get(S5933_INTCSR), control, "no status can be written to be 1");
}

TEST("enables let a status through, or hold it", start)
{
	put(S5933_INTCSR, 0x0f00);
	s5933_write_imb(&chip, 3, 3, 1);
	ASSERT_TRUE(!irq && get(S5933_INTCSR) == (0x0f00 | S5933_INT_IMB));
	put(S5933_INTCSR, 0x1f00);
	ASSERT_TRUE(irq, "enabling lets a pending status through: a level, no edge");
	put(S5933_INTCSR, 0x0f00);
	ASSERT_TRUE(!irq, "disabling takes the line down");
	s5933_write(&chip, S5933_INTCSR + 2, 0xff, 1);
	ASSERT_EQ(get(S5933_INTCSR), 0x0f00, "the status byte can be written alone");
	put(S5933_INTCSR, 0x1f00);
	s5933_write_imb(&chip, 2, 3, 1);
	s5933_write_imb(&chip, 3, 2, 1);
	ASSERT_TRUE(!irq, "other mailboxes and bytes make no interrupt");
}

TEST("two statuses can be pending together", start)
{
	uint32_t control = S5933_INT_WRITE_ENABLE | 0x1f00;

	put(S5933_INTCSR, control);
	begin_write(4, 0);
	push(1, 7);
	s5933_write_imb(&chip, 3, 3, 1);
	ASSERT_EQ(get(S5933_INTCSR) & S5933_INT_STATUS, S5933_INT_IMB | S5933_INT_WRITE);
	put(S5933_INTCSR, control | S5933_INT_IMB);
	ASSERT_TRUE(irq, "the line stays up for the one that is left");
	ASSERT_EQ(chip.stats.irqs, 1, "that was one edge");
}

TEST("a read of the FIFO pops, and of an empty one is a fault (point 2)", start)
{
	unsigned int i;

	push(S5933_DEPTH, 100);
	ASSERT_TRUE(!s5933_push(&chip, 0), "the FIFO holds eight words");
	ASSERT_EQ(get(S5933_MCSR) & 0x38, S5933_A2P_FULL | S5933_A2P_4_WORDS);
	for (i = 0; i < S5933_DEPTH; i++)
		ASSERT_EQ(get(S5933_FIFO), 100 + i);
	ASSERT_EQ(faults(), 0);
	ASSERT_TRUE(get(S5933_FIFO) == UINT32_MAX && chip.faults.empty_reads == 1);
	push(1, 5);
	ASSERT_TRUE(get(S5933_FIFO) == 5 && chip.stats.pops == 9);
}

TEST("popping while DMA may run is a fault", start)
{
	begin_write(64, S5933_WRITE_4_WORDS);
	push(2, 0);
	get(S5933_FIFO);
	ASSERT_EQ(chip.faults.races, 1, "popping while DMA may run is a fault");
	put(S5933_MCSR, S5933_WRITE_4_WORDS);
	get(S5933_FIFO);
	ASSERT_EQ(faults(), 1, "not when DMA was switched off before");
}

TEST("the lane that advances the FIFO", start)
{
	push(2, 0xaabbccdd);
	put(S5933_INTCSR, 3u << 26);
	ASSERT_TRUE(s5933_read(&chip, S5933_FIFO, 2) == 0xccdd && chip.a2p.level == 2);
	ASSERT_TRUE(s5933_read(&chip, S5933_FIFO + 3, 1) == 0xaa && chip.a2p.level == 1);
	put(S5933_INTCSR, 0);
	ASSERT_TRUE(s5933_read(&chip, S5933_FIFO, 1) == 0xde && !chip.a2p.level);
}

TEST("the count, and the interrupt of its end (point 3)", start)
{
	put(S5933_INTCSR, S5933_INT_WRITE_ENABLE);
	put(S5933_MWTC, 0);
	ASSERT_TRUE(!irq && !(get(S5933_INTCSR) & S5933_INT_WRITE));
	put(S5933_MWAR, BASE + 8);
	put(S5933_MWTC, 12);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	push(1, 10);
	ASSERT_TRUE(get(S5933_MWTC) == 8 && get(S5933_MWAR) == BASE + 12 && !irq);
	push(2, 11);
	ASSERT_TRUE(irq && get(S5933_MWTC) == 0 && memory[2] == 10 && memory[4] == 12);
	push(9, 13);
	ASSERT_TRUE(chip.a2p.level == 8 && chip.stats.dma_words == 3 && memory[5] == 0);
	put(S5933_INTCSR, S5933_INT_WRITE_ENABLE | S5933_INT_WRITE);
	put(S5933_MWAR, BASE + 64);
	put(S5933_MWTC, 64);
	ASSERT_TRUE(chip.a2p.level == 0 && get(S5933_MWTC) == 32 && memory[16] == 13);
	ASSERT_TRUE(memory[23] == 20 && !irq);
	ASSERT_EQ(get(S5933_MCSR), S5933_WRITE_ENABLE | 0x66);
}

TEST("counts have 26 bits; whole words alone", start)
{
	put(S5933_MWTC, UINT32_MAX);
	put(S5933_MWAR, UINT32_MAX);
	ASSERT_TRUE(get(S5933_MWTC) == 0x03fffffc && get(S5933_MWAR) == 0xfffffffc);
}

TEST("without bus mastering nothing moves", start)
{
	s5933_set_master(&chip, false);
	begin_write(8, 0);
	push(2, 1);
	ASSERT_EQ(chip.a2p.level, 2, "without bus mastering nothing moves");
	s5933_set_master(&chip, true);
	run();
	ASSERT_TRUE(chip.a2p.level == 0 && memory[1] == 2, "with it, it does");
}

TEST("until the bus is granted words wait", start)
{
	chip.cfg.grant_ns = 100;
	begin_write(64, 0);
	push(5, 1);
	ASSERT_EQ(chip.a2p.level, 5, "until the bus is granted words wait");
	pass_ns(100);
	ASSERT_TRUE(!chip.a2p.level && chip.stats.bursts == 1 && longest == 5);
	push(1, 9);
	put(S5933_MCSR, 0);
	pass_ns(100);
	ASSERT_EQ(chip.a2p.level, 1, "WTE off takes the request back");
}

TEST("four words at least (point 4)", start)
{
	begin_write(64, S5933_WRITE_4_WORDS);
	push(3, 0);
	ASSERT_EQ(chip.a2p.level, 3, "no request below four words");
	push(1, 3);
	ASSERT_TRUE(chip.a2p.level == 0 && get(S5933_MWTC) == 48, "at four, all go");
	push(3, 4);
	ASSERT_TRUE(chip.a2p.level == 3 && get(S5933_MWTC) == 48);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	ASSERT_TRUE(chip.a2p.level == 0 && get(S5933_MWTC) == 36);
}

TEST("the direct mailbox (point 5)", start)
{
	put(S5933_INTCSR, 0x1f00);
	s5933_write_imb(&chip, 3, 3, 0x5a);
	ASSERT_EQ(get(S5933_MBEF), 0x80000000, "strobe: MBEF bit 31");
	ASSERT_EQ(s5933_read(&chip, S5933_IMB(3), 1), 0);
	ASSERT_EQ(get(S5933_MBEF), 0x80000000);
	ASSERT_EQ(s5933_read(&chip, S5933_IMB(3) + 3, 1), 0x5a);
	ASSERT_EQ(get(S5933_MBEF), 0);
	ASSERT_EQ(get(S5933_IMB(3)), 0x5a000000, "an empty one reads the old value");
	ASSERT_TRUE(irq, "reading does not clear the status");
	put(S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	s5933_write_imb(&chip, 3, 3, 1);
	put(S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	s5933_write_imb(&chip, 3, 3, 2);
	ASSERT_TRUE(!irq && chip.stats.lost_strobes == 1);
	ASSERT_EQ(get(S5933_IMB(3)), 0x02000000);
}

TEST("an outgoing mailbox", start)
{
	put(S5933_INTCSR, S5933_INT_OMB_ENABLE | 1 << 2 | 2);
	put(S5933_OMB(1), 0x11223344);
	ASSERT_TRUE(get(S5933_MBEF) == 0xf0 && omb_calls == 1 && !irq);
	ASSERT_TRUE(get(S5933_OMB(1)) == 0x11223344 && get(S5933_MBEF) == 0xf0);
	ASSERT_TRUE(s5933_take_omb(&chip, 1) == 0x11223344 && irq);
	ASSERT_EQ(get(S5933_MBEF), 0);
	put(S5933_INTCSR, S5933_INT_OMB_ENABLE | 1 << 2 | 2 | S5933_INT_OMB);
	s5933_write(&chip, S5933_OMB(1) + 3, 0x99, 1);
	ASSERT_TRUE(get(S5933_MBEF) == 0x80 && get(S5933_OMB(1)) == 0x99223344);
	s5933_take_omb(&chip, 1);
	ASSERT_TRUE(!(get(S5933_INTCSR) & S5933_INT_OMB));
	put(S5933_IMB(0), 5);
	ASSERT_EQ(get(S5933_IMB(0)), 0, "incoming mailboxes cannot be written");
}

TEST("resets (point 6)", start)
{
	ASSERT_EQ(get(S5933_MCSR), 0xe6, "MCSR is E6 when idle");
	ASSERT_TRUE(!get(S5933_INTCSR) && !get(S5933_MBEF), "INTCSR and MBEF are zero");
	push(3, 1);
	put(S5933_FIFO, 1);
	s5933_write_imb(&chip, 3, 3, 1);
	put(S5933_MWTC, 16);
	put(S5933_MCSR, S5933_RESET_P2A);
	ASSERT_TRUE(chip.p2a.level == 0 && chip.a2p.level == 3, "bit 25: P2A");
	put(S5933_FIFO, 1);
	put(S5933_MCSR, S5933_RESET_A2P);
	ASSERT_TRUE(chip.p2a.level == 1 && chip.a2p.level == 0, "bit 26: A2P");
	ASSERT_EQ(get(S5933_MWTC), 16, "it leaves the count");
	put(S5933_MCSR, S5933_RESET_MAILBOX);
	ASSERT_EQ(get(S5933_MBEF), 0, "bit 27: mailbox flags");
	ASSERT_TRUE(!(get(S5933_MCSR) & 0x0e000000), "they are pulses and read zero");
	put(S5933_MCSR, S5933_ADDON_RESET);
	ASSERT_TRUE(held && (get(S5933_MCSR) & S5933_ADDON_RESET), "bit 24 is a level");
	put(S5933_MCSR, 0);
	ASSERT_TRUE(!held, "until it is written 0");
	s5933_reset(&chip);
	ASSERT_TRUE(get(S5933_MCSR) == 0xe6 && !get(S5933_MWTC), "PCI reset: all");
}

TEST("FIFO flags at each level", start)
{
	static const uint8_t p2a[] = { 0x06, 2, 2, 2, 2, 0, 0, 0, 0x01 };
	static const uint8_t a2p[] = { 0x20, 0, 0, 0, 0x10, 0x10, 0x10, 0x10,
				       0x18 };
	unsigned int i;

	for (i = 0; i <= S5933_DEPTH; i++) {
		ASSERT_EQ(get(S5933_MCSR) & 7, p2a[i]);
		ASSERT_EQ(get(S5933_MCSR) & 0x38, a2p[i]);
		put(S5933_FIFO, i);
		push(1, i);
	}
	ASSERT_EQ(chip.faults.full_writes, 1, "writing a full FIFO is a fault");
}

TEST("endian conversion (point 7)", start)
{
	push(3, 0x11223344);
	put(S5933_INTCSR, 1u << 24);
	ASSERT_EQ(get(S5933_FIFO), 0x22114433, "16 bit");
	put(S5933_INTCSR, 2u << 24);
	ASSERT_EQ(get(S5933_FIFO), 0x45332211, "32 bit");
	begin_write(4, 0);
	ASSERT_EQ(memory[0], 0x46332211, "by DMA, too");
	ASSERT_TRUE(!faults(), "both are modelled");
	put(S5933_INTCSR, 3u << 24);
	ASSERT_EQ(chip.faults.unmodelled, 1, "64 bit is not, and that is a fault");
}

TEST("aborts", start)
{
	refuse = BASE + 20;
	chip.cfg.grant_ns = 10;
	begin_write(64, 0);
	push(8, 1);
	pass_ns(10);
	ASSERT_EQ(get(S5933_INTCSR) & S5933_INT_STATUS, S5933_INT_TARGET_ABORT);
	ASSERT_TRUE(!irq, "no interrupt: no transfer interrupt is enabled");
	ASSERT_TRUE(get(S5933_MWTC) == 44 && chip.a2p.level == 3 && memory[4] == 5);
	put(S5933_INTCSR, S5933_INT_READ_ENABLE);
	ASSERT_TRUE(irq, "either enable lets it through");
	put(S5933_INTCSR, S5933_INT_READ_ENABLE | S5933_INT_TARGET_ABORT);
	pass_ns(100);
	ASSERT_TRUE(!irq && chip.a2p.level == 3, "cleared; the transfer stays stopped");
	put(S5933_MWAR, BASE);
	pass_ns(10);
	ASSERT_TRUE(!chip.a2p.level && memory[0] == 6, "a new address: it goes on");
	put(S5933_MWAR, 0x10);
	push(1, 1);
	pass_ns(10);
	ASSERT_TRUE(get(S5933_INTCSR) & S5933_INT_MASTER_ABORT, "master abort");
	put(S5933_MWTC, 0);
	pass_ns(10);
	ASSERT_EQ(chip.stats.aborts, 2, "a count of zero ends it");
}

TEST("the read direction", start)
{
	unsigned int i;
	uint32_t word;

	for (i = 0; i < 12; i++)
		memory[i] = 50 + i;
	put(S5933_INTCSR, S5933_INT_READ_ENABLE);
	put(S5933_MRAR, BASE);
	put(S5933_MRTC, 48);
	put(S5933_MCSR, S5933_READ_ENABLE);
	ASSERT_TRUE(chip.p2a.level == 8 && get(S5933_MRTC) == 16 && !irq);
	for (i = 0; i < 12; i++, run())
		ASSERT_TRUE(s5933_pull(&chip, &word) && word == 50 + i);
	ASSERT_TRUE(irq && !s5933_pull(&chip, &word));
	put(S5933_MCSR, S5933_READ_ENABLE | S5933_READ_4_EMPTY);
	for (i = 0; i < 6; i++)
		put(S5933_FIFO, i);
	put(S5933_MRAR, BASE);
	put(S5933_MRTC, 8);
	ASSERT_EQ(chip.p2a.level, 6, "bit 13: no request with two places empty");
	s5933_pull(&chip, &word);
	s5933_pull(&chip, &word);
	run();
	ASSERT_TRUE(chip.p2a.level == 6 && !get(S5933_MRTC), "with four there is one");
	ASSERT_TRUE(!faults(), "no fault in all that");
}

static void wait_nvram(void)
{
	while (get(S5933_MCSR) & S5933_NVRAM_BUSY)
		now += 10;
}

static void nvram_command(uint8_t command, uint8_t data)
{
	wait_nvram();
	s5933_write(&chip, S5933_MCSR + 2, data, 1);
	s5933_write(&chip, S5933_MCSR + 3, 0x80 | command, 1);
}

static uint8_t nvram_read(uint16_t addr)
{
	nvram_command(0x00, addr);
	nvram_command(0x20, addr >> 8);
	nvram_command(0x60, 0);
	wait_nvram();
	return s5933_read(&chip, S5933_MCSR + 2, 1);
}

TEST("the NVRAM", start)
{
	chip.cfg.nvram_ns = 100;
	s5933_set_boot(&chip, 0x10dc, 0x0011, 0xff0000, 0xffffffc0);
	ASSERT_TRUE(nvram_read(0x40) == 0xdc && nvram_read(0x41) == 0x10);
	ASSERT_EQ(nvram_read(0x45), 0x80);
	nvram_command(0x00, 0x34);
	nvram_command(0x20, 0x01);
	nvram_command(0x40, 0x77);
	ASSERT_EQ(nvram_read(0x134), 0x77, "what was written can be read");
	ASSERT_TRUE(!faults(), "with polling of busy there is no fault");
	s5933_write(&chip, S5933_MCSR + 3, 0x80, 1);
	s5933_write(&chip, S5933_MCSR + 3, 0x80, 1);
	ASSERT_EQ(chip.faults.nvram_busy, 1, "without there is");
}

TEST("accesses of odd sizes and places", start)
{
	ASSERT_EQ(s5933_read(&chip, 0x40, 4), UINT32_MAX);
	ASSERT_EQ(s5933_read(&chip, 0x3a, 4), UINT32_MAX);
	ASSERT_EQ(chip.faults.bad_accesses, 2);
	s5933_write(&chip, S5933_MWAR + 2, 0x1234, 2);
	ASSERT_EQ(get(S5933_MWAR), 0x12340000, "16 bits of a register");
	s5933_write(&chip, S5933_MCSR + 1, 0x04, 1);
	ASSERT_EQ(get(S5933_MCSR), 0x4e6, "8 bits of MCSR");
}

TEST("a chip that is gone", start)
{
	put(S5933_INTCSR, 0x1f00);
	s5933_write_imb(&chip, 3, 3, 5);
	begin_write(8, 0);
	chip.cfg.gone = 1;
	s5933_gone_changed(&chip);
	ASSERT_TRUE(!irq, "a chip that is gone does not interrupt");
	s5933_push(&chip, 1);
	ASSERT_EQ(s5933_next_ns(&chip), SLINK_NEVER, "and asks for no bus");
	ASSERT_TRUE(get(S5933_MCSR) == UINT32_MAX && get(S5933_FIFO) == UINT32_MAX);
	ASSERT_TRUE(!faults());
	put(S5933_MWAR, 0);
	ASSERT_EQ(chip.write.addr, BASE, "and takes nothing");
	chip.cfg.gone = 0;
	s5933_gone_changed(&chip);
	ASSERT_TRUE(get(S5933_MCSR) == 0xe6 && !irq, "put in again it is like new");
	ASSERT_TRUE(chip.master, "and may be master as before");
}
