// SPDX-License-Identifier: GPL-2.0-only
/* The chip model alone, compared with the documents of the S5933 */
#include "../../unit/tap.h"
#include "slink.h"
#include "test-chip.h"

static unsigned int faults(void)
{
	const struct s5933_faults *f = &chip.faults;

	return f->empty_reads + f->full_writes + f->races + f->nvram_busy +
	       f->unmodelled + f->bad_accesses;
}

/* --- 1.10 point 1: status is write-1-to-clear, the line is a level -------- */

static void test_status(void)
{
	uint32_t control = S5933_INT_WRITE_ENABLE | 0x1f00;

	start();
	put(S5933_INTCSR, control);
	ok(get(S5933_INTCSR) == control, "control bits of INTCSR read back");
	s5933_write_imb(&chip, 3, 3, 0x55);
	ok(irq && get(S5933_INTCSR) ==
	   (control | S5933_INT_IMB | S5933_INT_ASSERTED),
	   "a full mailbox: status, asserted, the line is up");
	put(S5933_INTCSR, control);
	ok(irq && (get(S5933_INTCSR) & S5933_INT_IMB),
	   "writing the control bits alone clears no status");
	put(S5933_INTCSR, control | S5933_INT_WRITE);
	ok(irq, "clearing another status leaves this one");
	put(S5933_INTCSR, control | S5933_INT_IMB);
	ok(!irq && get(S5933_INTCSR) == control, "1 clears it");
	put(S5933_INTCSR, control | S5933_INT_STATUS | S5933_INT_ASSERTED);
	ok(get(S5933_INTCSR) == control, "no status can be written to be 1");
}

static void test_enables(void)
{
	start();
	put(S5933_INTCSR, 0x0f00);
	s5933_write_imb(&chip, 3, 3, 1);
	ok(!irq && get(S5933_INTCSR) == (0x0f00 | S5933_INT_IMB),
	   "a status that is not enabled is there, and not asserted");
	put(S5933_INTCSR, 0x1f00);
	ok(irq, "enabling lets a pending status through: a level, no edge");
	put(S5933_INTCSR, 0x0f00);
	ok(!irq, "disabling takes the line down");
	s5933_write(&chip, S5933_INTCSR + 2, 0xff, 1);
	ok(get(S5933_INTCSR) == 0x0f00, "the status byte can be written alone");
	put(S5933_INTCSR, 0x1f00);
	s5933_write_imb(&chip, 2, 3, 1);
	s5933_write_imb(&chip, 3, 2, 1);
	ok(!irq, "other mailboxes and bytes make no interrupt");
}

static void test_two_pending(void)
{
	uint32_t control = S5933_INT_WRITE_ENABLE | 0x1f00;

	start();
	put(S5933_INTCSR, control);
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 4);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	push(1, 7);
	s5933_write_imb(&chip, 3, 3, 1);
	ok((get(S5933_INTCSR) & S5933_INT_STATUS) ==
	   (S5933_INT_IMB | S5933_INT_WRITE), "both can be pending together");
	put(S5933_INTCSR, control | S5933_INT_IMB);
	ok(irq, "the line stays up for the one that is left");
	ok(chip.stats.irqs == 1, "that was one edge");
}

/* --- point 2: the FIFO pops, reading it empty is a fault ------------------ */

static void test_fifo(void)
{
	unsigned int i, good = 0;

	start();
	push(S5933_DEPTH, 100);
	ok(!s5933_push(&chip, 0), "the FIFO holds eight words");
	ok((get(S5933_MCSR) & 0x38) == (S5933_A2P_FULL | S5933_A2P_4_WORDS),
	   "flags of a full FIFO");
	for (i = 0; i < S5933_DEPTH; i++)
		good += get(S5933_FIFO) == 100 + i;
	ok(good == S5933_DEPTH && !faults(), "each read pops, in order");
	ok(get(S5933_FIFO) == UINT32_MAX && chip.faults.empty_reads == 1,
	   "a read while empty is a fault that is counted");
	push(1, 5);
	ok(get(S5933_FIFO) == 5 && chip.stats.pops == 9,
	   "and takes nothing of what comes then");
}

static void test_race(void)
{
	start();
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 64);
	put(S5933_MCSR, S5933_WRITE_ENABLE | S5933_WRITE_4_WORDS);
	push(2, 0);
	get(S5933_FIFO);
	ok(chip.faults.races == 1, "popping while DMA may run is a fault");
	put(S5933_MCSR, S5933_WRITE_4_WORDS);
	get(S5933_FIFO);
	ok(faults() == 1, "not when DMA was switched off before");
}

static void test_advance(void)
{
	start();
	push(2, 0xaabbccdd);
	put(S5933_INTCSR, 3u << 26);
	ok(s5933_read(&chip, S5933_FIFO, 2) == 0xccdd && chip.a2p.level == 2,
	   "a read without the lane that advances pops nothing");
	ok(s5933_read(&chip, S5933_FIFO + 3, 1) == 0xaa && chip.a2p.level == 1,
	   "a read with it does");
	put(S5933_INTCSR, 0);
	ok(s5933_read(&chip, S5933_FIFO, 1) == 0xde && !chip.a2p.level,
	   "lane 0 after a reset");
}

/* --- point 3: the count --------------------------------------------------- */

static void test_count(void)
{
	start();
	put(S5933_INTCSR, S5933_INT_WRITE_ENABLE);
	put(S5933_MWTC, 0);
	ok(!irq && !(get(S5933_INTCSR) & S5933_INT_WRITE),
	   "writing a count of zero makes no terminal count");
	put(S5933_MWAR, BASE + 8);
	put(S5933_MWTC, 12);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	push(1, 10);
	ok(get(S5933_MWTC) == 8 && get(S5933_MWAR) == BASE + 12 && !irq,
	   "a word: the count goes down by 4, the address up");
	push(2, 11);
	ok(irq && get(S5933_MWTC) == 0 && memory[2] == 10 && memory[4] == 12,
	   "the last data phase makes the interrupt");
	push(9, 13);
	ok(chip.a2p.level == 8 && chip.stats.dma_words == 3 && memory[5] == 0,
	   "then eight words more fit into the FIFO");
	put(S5933_INTCSR, S5933_INT_WRITE_ENABLE | S5933_INT_WRITE);
	put(S5933_MWAR, BASE + 64);
	put(S5933_MWTC, 64);
	ok(chip.a2p.level == 0 && get(S5933_MWTC) == 32 && memory[16] == 13 &&
	   memory[23] == 20 && !irq,
	   "a new address and count, and they go on, with WTE left on");
	ok(get(S5933_MCSR) == (S5933_WRITE_ENABLE | 0x66),
	   "the count is not zero in MCSR");
}

static void test_count_width(void)
{
	start();
	put(S5933_MWTC, UINT32_MAX);
	put(S5933_MWAR, UINT32_MAX);
	ok(get(S5933_MWTC) == 0x03fffffc && get(S5933_MWAR) == 0xfffffffc,
	   "counts have 26 bits; whole words alone");
}

static void test_master_off(void)
{
	start();
	s5933_set_master(&chip, false);
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 8);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	push(2, 1);
	ok(chip.a2p.level == 2, "without bus mastering nothing moves");
	s5933_set_master(&chip, true);
	run();
	ok(chip.a2p.level == 0 && memory[1] == 2, "with it, it does");
}

static void test_grant(void)
{
	start();
	chip.cfg.grant_ns = 100;
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 64);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	push(5, 1);
	ok(chip.a2p.level == 5, "until the bus is granted words wait");
	now += 100;
	run();
	ok(!chip.a2p.level && chip.stats.bursts == 1 && longest == 5,
	   "then they go in one burst");
	push(1, 9);
	put(S5933_MCSR, 0);
	now += 100;
	run();
	ok(chip.a2p.level == 1, "WTE off takes the request back");
}

/* --- point 4: four words at least ----------------------------------------- */

static void test_four_words(void)
{
	start();
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 64);
	put(S5933_MCSR, S5933_WRITE_ENABLE | S5933_WRITE_4_WORDS);
	push(3, 0);
	ok(chip.a2p.level == 3, "no request below four words");
	push(1, 3);
	ok(chip.a2p.level == 0 && get(S5933_MWTC) == 48, "at four, all go");
	push(3, 4);
	ok(chip.a2p.level == 3 && get(S5933_MWTC) == 48,
	   "up to three stay, the count is not zero");
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	ok(chip.a2p.level == 0 && get(S5933_MWTC) == 36,
	   "clearing the bit lets them go");
}

/* --- point 5: the direct mailbox ------------------------------------------ */

static void test_direct_mailbox(void)
{
	start();
	put(S5933_INTCSR, 0x1f00);
	s5933_write_imb(&chip, 3, 3, 0x5a);
	ok(get(S5933_MBEF) == 0x80000000, "strobe: MBEF bit 31");
	ok(s5933_read(&chip, S5933_IMB(3), 1) == 0 &&
	   get(S5933_MBEF) == 0x80000000, "other bytes do not clear it");
	ok(s5933_read(&chip, S5933_IMB(3) + 3, 1) == 0x5a &&
	   get(S5933_MBEF) == 0, "reading byte 3 does");
	ok(get(S5933_IMB(3)) == 0x5a000000, "an empty one reads the old value");
	ok(irq, "reading does not clear the status");
	put(S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	s5933_write_imb(&chip, 3, 3, 1);
	put(S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	s5933_write_imb(&chip, 3, 3, 2);
	ok(!irq && chip.stats.lost_strobes == 1 &&
	   get(S5933_IMB(3)) == 0x02000000,
	   "a full one is written over, with no new interrupt");
}

static void test_outgoing(void)
{
	start();
	put(S5933_INTCSR, S5933_INT_OMB_ENABLE | 1 << 2 | 2);
	put(S5933_OMB(1), 0x11223344);
	ok(get(S5933_MBEF) == 0xf0 && omb_calls == 1 && !irq,
	   "an outgoing mailbox: four flags");
	ok(get(S5933_OMB(1)) == 0x11223344 && get(S5933_MBEF) == 0xf0,
	   "the host can read it back, with no effect");
	ok(s5933_take_omb(&chip, 1) == 0x11223344 && irq &&
	   get(S5933_MBEF) == 0, "the add-on empties it: interrupt");
	put(S5933_INTCSR, S5933_INT_OMB_ENABLE | 1 << 2 | 2 | S5933_INT_OMB);
	s5933_write(&chip, S5933_OMB(1) + 3, 0x99, 1);
	ok(get(S5933_MBEF) == 0x80 && get(S5933_OMB(1)) == 0x99223344,
	   "one byte sets one flag");
	s5933_take_omb(&chip, 1);
	ok(!(get(S5933_INTCSR) & S5933_INT_OMB),
	   "a byte that was not full does not become empty");
	put(S5933_IMB(0), 5);
	ok(get(S5933_IMB(0)) == 0, "incoming mailboxes cannot be written");
}

/* --- point 6: resets ------------------------------------------------------ */

static void test_resets(void)
{
	start();
	ok(get(S5933_MCSR) == 0xe6, "MCSR is E6 when idle");
	ok(!get(S5933_INTCSR) && !get(S5933_MBEF), "INTCSR and MBEF are zero");
	push(3, 1);
	put(S5933_FIFO, 1);
	s5933_write_imb(&chip, 3, 3, 1);
	put(S5933_MWTC, 16);
	put(S5933_MCSR, S5933_RESET_P2A);
	ok(chip.p2a.level == 0 && chip.a2p.level == 3, "bit 25: P2A");
	put(S5933_FIFO, 1);
	put(S5933_MCSR, S5933_RESET_A2P);
	ok(chip.p2a.level == 1 && chip.a2p.level == 0, "bit 26: A2P");
	ok(get(S5933_MWTC) == 16, "it leaves the count");
	put(S5933_MCSR, S5933_RESET_MAILBOX);
	ok(get(S5933_MBEF) == 0, "bit 27: mailbox flags");
	ok(!(get(S5933_MCSR) & 0x0e000000), "they are pulses and read zero");
	put(S5933_MCSR, S5933_ADDON_RESET);
	ok(held && (get(S5933_MCSR) & S5933_ADDON_RESET), "bit 24 is a level");
	put(S5933_MCSR, 0);
	ok(!held, "until it is written 0");
	s5933_reset(&chip);
	ok(get(S5933_MCSR) == 0xe6 && !get(S5933_MWTC), "PCI reset: all");
}

static void test_flags(void)
{
	static const uint8_t p2a[] = { 0x06, 2, 2, 2, 2, 0, 0, 0, 0x01 };
	static const uint8_t a2p[] = { 0x20, 0, 0, 0, 0x10, 0x10, 0x10, 0x10,
				       0x18 };
	unsigned int i, good = 0;

	start();
	for (i = 0; i <= S5933_DEPTH; i++) {
		good += (get(S5933_MCSR) & 7) == p2a[i];
		good += (get(S5933_MCSR) & 0x38) == a2p[i];
		put(S5933_FIFO, i);
		push(1, i);
	}
	ok(good == 18, "FIFO flags at each level");
	ok(chip.faults.full_writes == 1, "writing a full FIFO is a fault");
}

/* --- point 7: endian conversion ------------------------------------------- */

static void test_endian(void)
{
	start();
	push(3, 0x11223344);
	put(S5933_INTCSR, 1u << 24);
	ok(get(S5933_FIFO) == 0x22114433, "16 bit");
	put(S5933_INTCSR, 2u << 24);
	ok(get(S5933_FIFO) == 0x45332211, "32 bit");
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 4);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	ok(memory[0] == 0x46332211, "by DMA, too");
	ok(!faults(), "both are modelled");
	put(S5933_INTCSR, 3u << 24);
	ok(chip.faults.unmodelled == 1, "64 bit is not, and that is a fault");
}

/* --- aborts --------------------------------------------------------------- */

static void test_aborts(void)
{
	start();
	refuse = BASE + 20;
	chip.cfg.grant_ns = 10;
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 64);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	push(8, 1);
	now += 10;
	run();
	ok((get(S5933_INTCSR) & S5933_INT_STATUS) == S5933_INT_TARGET_ABORT,
	   "target abort: status");
	ok(!irq, "no interrupt: no transfer interrupt is enabled");
	ok(get(S5933_MWTC) == 44 && chip.a2p.level == 3 && memory[4] == 5,
	   "words up to the bad one went, the others are there");
	put(S5933_INTCSR, S5933_INT_READ_ENABLE);
	ok(irq, "either enable lets it through");
	put(S5933_INTCSR, S5933_INT_READ_ENABLE | S5933_INT_TARGET_ABORT);
	now += 100;
	run();
	ok(!irq && chip.a2p.level == 3, "cleared; the transfer stays stopped");
	put(S5933_MWAR, BASE);
	now += 10;
	run();
	ok(!chip.a2p.level && memory[0] == 6, "a new address: it goes on");
	put(S5933_MWAR, 0x10);
	push(1, 1);
	now += 10;
	run();
	ok(get(S5933_INTCSR) & S5933_INT_MASTER_ABORT, "master abort");
	put(S5933_MWTC, 0);
	now += 10;
	run();
	ok(chip.stats.aborts == 2, "a count of zero ends it");
}

/* --- the read direction --------------------------------------------------- */

static void test_read_dma(void)
{
	unsigned int i, good = 0;
	uint32_t word;

	start();
	for (i = 0; i < 12; i++)
		memory[i] = 50 + i;
	put(S5933_INTCSR, S5933_INT_READ_ENABLE);
	put(S5933_MRAR, BASE);
	put(S5933_MRTC, 48);
	put(S5933_MCSR, S5933_READ_ENABLE);
	ok(chip.p2a.level == 8 && get(S5933_MRTC) == 16 && !irq,
	   "the FIFO is filled");
	for (i = 0; i < 12; i++, run())
		good += s5933_pull(&chip, &word) && word == 50 + i;
	ok(good == 12 && irq && !s5933_pull(&chip, &word),
	   "all arrives, in order, with the interrupt");
	put(S5933_MCSR, S5933_READ_ENABLE | S5933_READ_4_EMPTY);
	for (i = 0; i < 6; i++)
		put(S5933_FIFO, i);
	put(S5933_MRAR, BASE);
	put(S5933_MRTC, 8);
	ok(chip.p2a.level == 6, "bit 13: no request with two places empty");
	s5933_pull(&chip, &word);
	s5933_pull(&chip, &word);
	run();
	ok(chip.p2a.level == 6 && !get(S5933_MRTC), "with four there is one");
	ok(!faults(), "no fault in all that");
}

/* --- NVRAM ---------------------------------------------------------------- */

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

static void test_nvram(void)
{
	start();
	chip.cfg.nvram_ns = 100;
	s5933_set_boot(&chip, 0x10dc, 0x0011, 0xff0000, 0xffffffc0);
	ok(nvram_read(0x40) == 0xdc && nvram_read(0x41) == 0x10 &&
	   nvram_read(0x45) == 0x80, "the boot image is in the NVRAM");
	nvram_command(0x00, 0x34);
	nvram_command(0x20, 0x01);
	nvram_command(0x40, 0x77);
	ok(nvram_read(0x134) == 0x77, "what was written can be read");
	ok(!faults(), "with polling of busy there is no fault");
	s5933_write(&chip, S5933_MCSR + 3, 0x80, 1);
	s5933_write(&chip, S5933_MCSR + 3, 0x80, 1);
	ok(chip.faults.nvram_busy == 1, "without there is");
}

static void test_accesses(void)
{
	start();
	ok(s5933_read(&chip, 0x40, 4) == UINT32_MAX &&
	   s5933_read(&chip, 0x3a, 4) == UINT32_MAX &&
	   chip.faults.bad_accesses == 2, "accesses that are none");
	s5933_write(&chip, S5933_MWAR + 2, 0x1234, 2);
	ok(get(S5933_MWAR) == 0x12340000, "16 bits of a register");
	s5933_write(&chip, S5933_MCSR + 1, 0x04, 1);
	ok(get(S5933_MCSR) == 0x4e6, "8 bits of MCSR");
}

static void test_gone(void)
{
	start();
	put(S5933_INTCSR, 0x1f00);
	s5933_write_imb(&chip, 3, 3, 5);
	put(S5933_MWAR, BASE);
	put(S5933_MWTC, 8);
	put(S5933_MCSR, S5933_WRITE_ENABLE);
	chip.cfg.gone = 1;
	s5933_gone_changed(&chip);
	ok(!irq, "a chip that is gone does not interrupt");
	s5933_push(&chip, 1);
	ok(s5933_next_ns(&chip) == SLINK_NEVER, "and asks for no bus");
	ok(get(S5933_MCSR) == UINT32_MAX && get(S5933_FIFO) == UINT32_MAX &&
	   !faults(), "it reads as all ones");
	put(S5933_MWAR, 0);
	ok(chip.write.addr == BASE, "and takes nothing");
	chip.cfg.gone = 0;
	s5933_gone_changed(&chip);
	ok(get(S5933_MCSR) == 0xe6 && !irq, "put in again it is like new");
	ok(chip.master, "and may be master as before");
}

int main(void)
{
	test_status();
	test_enables();
	test_two_pending();
	test_fifo();
	test_race();
	test_advance();
	test_count();
	test_count_width();
	test_master_off();
	test_grant();
	test_four_words();
	test_direct_mailbox();
	test_outgoing();
	test_resets();
	test_flags();
	test_endian();
	test_aborts();
	test_read_dma();
	test_nvram();
	test_accesses();
	test_gone();
	return tap_end();
}
