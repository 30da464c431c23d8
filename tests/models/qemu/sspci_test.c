// SPDX-License-Identifier: GPL-2.0-only
/* The card model with its chip: types, status, link, output */
#include <stdlib.h>

#include "../../unit/tap.h"
#include "bench.h"
#include "test-host.h"

static struct world world;
static struct host *host, *other;
static struct sspci *card;

static void start(void)
{
	memset(&world, 0, sizeof(world));
	host_init(host, &world);
	card = &host->board.card;
	host->board.chip.cfg.grant_ns = 0;
}

static void start_up(unsigned int expect)
{
	start();
	host_link_up(host, expect);
	host_write(host, S5933_INTCSR, 0x1f00 | S5933_INT_STATUS);
}

static void send(uint32_t data, uint8_t flags)
{
	struct slink_end end = sspci_input(card);

	end.ops->put(end.priv, (struct slink_word){ data, flags });
	host_wait(host, 1000);
}

static unsigned int chip_level(void)
{
	return host->board.chip.a2p.level;
}

static uint8_t read_lines(void)
{
	return host_read8(host, S5933_IMB(3) + 3);
}

/* --- types of words ------------------------------------------------------- */

static void test_types(void)
{
	start_up(HOST_CONTROL);
	send(0xb0f00000, SLINK_CONTROL);
	ok(chip_level() == 1 && !host->irq, "an expected word passes");
	send(17, 0);
	send(18, 0);
	ok(chip_level() == 1 && card->level == 2 && host->irq,
	   "at another type the card stops, with an interrupt");
	ok(read_lines() == (SSPCI_LCTRL_N | SSPCI_LDERR_N | SSPCI_LDOWN_N),
	   "the lines are those of the word that waits");
	host_write(host, S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	host_wait(host, 100000);
	ok(!host->irq && card->stats.stops == 1, "it says so once");
	host_expect(host, HOST_CONTROL);
	host_wait(host, 1000);
	ok(host->irq && card->stats.stops == 2,
	   "again when the host expects the wrong type again");
	host_expect(host, HOST_DATA);
	host_wait(host, 1000);
	ok(chip_level() == 3 && host_read(host, S5933_FIFO) == 0xb0f00000 &&
	   host_read(host, S5933_FIFO) == 17, "expected now: they pass");
	ok(card->stats.received == 3 && card->stats.passed == 3, "counted");
}

static void test_room(void)
{
	unsigned int i;

	start_up(HOST_DATA);
	for (i = 0; i < 9; i++)
		send(i, 0);
	ok(chip_level() == 8 && card->level == 1 && !host->irq,
	   "a ninth word waits outside, with no interrupt");
	send(0xe0f00000, SLINK_CONTROL);
	ok(!host->irq, "so does a control word behind it");
	host_read(host, S5933_FIFO);
	host_wait(host, 100);
	ok(chip_level() == 8 && host->irq, "a place is free: both come to pass");
}

static void test_speed(void)
{
	unsigned int i;

	start_up(HOST_CONTROL);
	for (i = 0; i < 4; i++)
		send(i, 0);
	host_expect(host, HOST_DATA);
	ok(chip_level() == 1, "the first word passes at once");
	host_wait(host, 59);
	ok(chip_level() == 2, "the next after 30 ns");
	host_wait(host, 31);
	ok(chip_level() == 4, "and so on");
}

/* While the CPU waits for a register, words go on into the FIFO. */
static void test_bus(void)
{
	unsigned int i;

	start_up(HOST_CONTROL);
	for (i = 0; i < 4; i++)
		send(i, 0);
	board_set_bus(&host->board, BOARD_BUS_PCI);
	host_expect(host, HOST_DATA);
	ok(!chip_level(), "a posted write has not reached the card");
	ok(host_read(host, S5933_MCSR) & S5933_A2P_4_WORDS,
	   "a read of a register takes longer than four words");
	ok(host->board.chip.stats.wait_ns == 150 + 750,
	   "the CPU has waited for the write and the read");
	board_set_bus(&host->board, BOARD_BUS_FREE);
	host_read(host, S5933_MCSR);
	ok(host->board.chip.stats.wait_ns == 900, "a free bus costs nothing");
}

static void test_errors(void)
{
	start_up(HOST_DATA);
	send(1, SLINK_DAMAGED);
	ok(chip_level() == 1, "block-wise: a bad word looks like a good one");
	send(0xe0f0000f, SLINK_CONTROL);
	ok(read_lines() == SSPCI_LDOWN_N,
	   "the control word that ends the block has LDERR# low");
	host_expect(host, 0);
	host_wait(host, 100);
	host_read(host, S5933_FIFO);
	ok(host_read(host, S5933_FIFO) == 0xe0f00001,
	   "and LD[0]; LD[3:0] are not the user's");
	send(0xb0f00000, SLINK_CONTROL | SLINK_DAMAGED);
	host_wait(host, 100);
	ok(host_read(host, S5933_FIFO) == 0xb0f00002,
	   "LD[1] for a bad control word, alone");
	host_expect(host, HOST_CONTROL);
	send(1, SLINK_DAMAGED);
	host_write(host, S5933_OMB(0), 0x01000002);
	host_wait(host, 10000);
	ok(host_link_up(host, HOST_CONTROL), "a reset of FIFO and link");
	send(0xb0f00000, SLINK_CONTROL);
	ok(host_read(host, S5933_FIFO) == 0xb0f00000,
	   "lets the error of a block before it be forgotten");
	card->cfg.word_errors = 1;
	host_expect(host, HOST_DATA);
	send(1, 0);
	send(2, SLINK_DAMAGED);
	ok(chip_level() == 1 &&
	   read_lines() == (SSPCI_LCTRL_N | SSPCI_LDOWN_N),
	   "word-wise: a bad word is of a type of its own");
	ok(!host_faults(host), "no fault in all that");
}

static void test_width(void)
{
	start_up(HOST_DATA);
	host_write(host, S5933_OMB(0), 0x0300000f);
	send(0x12345678, 0);
	host_write(host, S5933_OMB(0), 0x03000017);
	send(0x12345678, 0);
	ok(host_read(host, S5933_FIFO) == 0x5678 &&
	   host_read(host, S5933_FIFO) == 0x78, "16 and 8 bits wide");
}

/* --- FIFO ----------------------------------------------------------------- */

static void fill(uint32_t mode)
{
	host->board.source.cfg.mode = mode;
	host->board.source.cfg.size = 1 << 20;
	slidas_restart(&host->board.source);
	host_wait(host, 1000000);
}

static void test_xoff(void)
{
	unsigned int i;

	start_up(HOST_CONTROL);
	card->cfg.fifo_words = 64;
	fill(SLIDAS_BLOCK);
	ok(card->level == 58 && !card->stats.overflowed,
	   "XOFF at seven eighths, and two words more; none is lost");
	host_expect(host, HOST_DATA);
	host_wait(host, 10000);
	ok(chip_level() == 8 && card->level == 51, "not yet XON");
	for (i = 0; i < 51 - 32; i++) {
		host_read(host, S5933_FIFO);
		host_wait(host, 30);
	}
	host_wait(host, 10000);
	ok(card->level == 58, "XON at one half");
}

static void test_overflow(void)
{
	start_up(HOST_CONTROL);
	card->cfg.fifo_words = 64;
	card->cfg.xoff = 0;
	fill(SLIDAS_BLOCK);
	ok(card->level == 64 && card->stats.overflowed > 1000 && host->irq,
	   "no flow control: words are lost, with an interrupt");
	ok(read_lines() == 0xf, "the overflow bit");
	host->board.source.cfg.mode = SLIDAS_STOP;
	host_write(host, S5933_OMB(0), 0x01000006);
	ok(card->level == 0 && !card->overflow, "FRESET# empties it");
	send(1, 0);
	ok(card->level == 0 && card->stats.discarded > 64,
	   "and keeps words out as long as it is low");
	card->cfg.overflow_low = 1;
	host_expect(host, HOST_CONTROL);
	send(1, 0);
	ok(read_lines() == 0xf, "the other polarity: high, no overflow");
}

/* The reset of libSLINK.c, which waits so long before each of its steps. */
static uint32_t reset_slowly(unsigned int on, unsigned int off,
			     unsigned int high)
{
	start_up(HOST_CONTROL);
	host_write(host, S5933_OMB(0), 0x01000006);
	host_write(host, S5933_MCSR, S5933_ADDON_RESET);
	host_wait(host, on);
	host_write(host, S5933_MCSR, S5933_ADDON_RESET | S5933_RESET_A2P);
	host_wait(host, off);
	host_write(host, S5933_MCSR, 0);
	host_wait(host, high);
	host_write(host, S5933_OMB(0), 0x01000007);
	return host_faults(host);
}

static void test_hasty(void)
{
	ok(!reset_slowly(10000, 10000, 10000), "a reset with its waits");
	ok(reset_slowly(5000, 10000, 10000) == 1, "no wait after SYSRST#");
	ok(reset_slowly(10000, 5000, 10000) == 1, "SYSRST# high too soon");
	ok(reset_slowly(10000, 10000, 5000) == 1, "FRESET# high too soon");
	start_up(HOST_CONTROL);
	host_write(host, S5933_OMB(0), 0x01000006);
	host_wait(host, 5000);
	host_write(host, S5933_OMB(0), 0x01000007);
	ok(host_faults(host) == 1, "FRESET# alone is too short");
	host_write(host, S5933_OMB(0), 0x01000006);
	host_wait(host, 10000);
	host_write(host, S5933_OMB(0), 0x01000007);
	ok(host_faults(host) == 1, "and long enough");
}

/* --- link ----------------------------------------------------------------- */

static void test_link_reset(void)
{
	start();
	ok(card->link == SLINK_LINK_RESET, "after power on the link is in reset");
	host_write(host, S5933_INTCSR, 0x1f00);
	host_write(host, S5933_OMB(0), 0x01000003);
	host_wait(host, 999999);
	ok(!host->irq, "URESET# low: LDOWN# stays low for a while");
	host_wait(host, 1);
	ok(host->irq && (read_lines() & SSPCI_LDOWN_N), "then it goes high");
	send(1, SLINK_CONTROL);
	ok(!slink_is_up(&host->board.source.to), "nothing may be sent yet");
	host_expect(host, HOST_CONTROL);
	ok(slink_is_up(&host->board.source.to), "URESET# high: the link is up");
	host_write(host, S5933_OMB(0), 0x01000003);
	ok(!(read_lines() & SSPCI_LDOWN_N), "low again: LDOWN# goes low");
	host_wait(host, 10);
	host_expect(host, HOST_CONTROL);
	host_wait(host, 10000000);
	ok(card->link == SLINK_LINK_DOWN, "left too early: the link stays down");
}

static void test_cable(void)
{
	start_up(HOST_CONTROL);
	sspci_set_cable(card, false);
	ok(host->irq && !(read_lines() & SSPCI_LDOWN_N) &&
	   card->stats.drops == 1, "cable out: LDOWN#, interrupt");
	host_write(host, S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	host_write(host, S5933_OMB(0), 0x01000003);
	host_wait(host, 10000000);
	ok(!host->irq && card->link == SLINK_LINK_RESET,
	   "no cable: a reset does not help");
	sspci_set_cable(card, true);
	host_wait(host, 1000000);
	ok(host->irq && (read_lines() & SSPCI_LDOWN_N), "cable in: it does");
	host_expect(host, HOST_CONTROL);
	sspci_set_cable(card, false);
	sspci_set_cable(card, true);
	host_wait(host, 10000000);
	ok(card->link == SLINK_LINK_DOWN, "out and in: down until a reset");
}

static void test_addon_reset(void)
{
	start_up(HOST_CONTROL);
	send(1, 0);
	host_write(host, S5933_MCSR, S5933_ADDON_RESET);
	ok(card->level == 0 && !slink_is_up(&host->board.source.to),
	   "add-on reset: FIFO empty, link down");
	host_write(host, S5933_OMB(0), 0x01000007);
	ok(host_read(host, S5933_MBEF) & 0xf, "mailboxes are not read");
	host_write(host, S5933_MCSR, 0);
	ok(!(host_read(host, S5933_MBEF) & 0xf) &&
	   card->control == 0x01000007, "they are, after it");
	ok(host_link_up(host, HOST_CONTROL), "and the link comes up");
}

static void test_self_test(void)
{
	start_up(HOST_CONTROL);
	host->board.source.cfg.count = 1;
	fill(SLIDAS_TEST);
	ok(card->stats.test_words == 33 && !card->stats.test_errors &&
	   !card->level && !chip_level(), "self test: checked, not shown");
	send(0, SLINK_TEST | SLINK_CONTROL);
	send(2, SLINK_TEST);
	ok(card->stats.test_errors == 1, "a wrong word is found");
	host_write(host, S5933_OMB(0), 0x01000005);
	slidas_restart(&host->board.source);
	host_wait(host, 10000);
	ok(chip_level() == 1 && card->level == 32, "UTDO# low: shown");
}

static void test_return_lines(void)
{
	start_up(HOST_CONTROL);
	host_write(host, S5933_OMB(0), 0x01000a07);
	ok(host->board.source.to.ops->return_lines(card) == 0xa,
	   "the source sees the return lines");
}

/* --- the source card ------------------------------------------------------- */

#define SPS_READY	(SPS_UTEST_N | SPS_UCTRL_N)

static void write_lines(uint32_t lines)
{
	host_write(host, S5933_OMB(0), lines);
}

static uint8_t read_status(void)
{
	return host_read8(host, S5933_IMB(3) + 3);
}

static void start_sps(void)
{
	memset(&world, 0, sizeof(world));
	host_init(host, &world);
	board_make_source(&host->board);
	board_reset(&host->board);
	s5933_set_master(&host->board.chip, true);
}

static void start_sps_up(void)
{
	start_sps();
	write_lines(SPS_READY);
	host_wait(host, 1000000);
	write_lines(SPS_READY | SPS_URESET_N);
}

static void test_sps_link(void)
{
	start_sps();
	host_write(host, S5933_INTCSR, 0x1f00);
	write_lines(SPS_READY);
	ok(!(read_status() & SPS_LDOWN_N), "SPS: URESET# low: the link is down");
	host_wait(host, 1000000);
	ok(host->irq && (read_status() & SPS_LDOWN_N), "then LDOWN# goes high");
	host_write(host, S5933_FIFO, 1);
	host_wait(host, 1000);
	ok(host->board.chip.p2a.level == 1, "no word leaves before URESET# is high");
	write_lines(SPS_READY | SPS_URESET_N);
	host_wait(host, 1000);
	ok(!host->board.chip.p2a.level && host->board.sink.words == 1,
	   "URESET# high: it leaves");
	write_lines(SPS_READY);
	write_lines(SPS_READY | SPS_URESET_N);
	host_wait(host, 10000000);
	ok(host->board.sps.link == SLINK_LINK_DOWN, "left too early: down");
}

static void test_sps_types(void)
{
	struct sink *sink = &host->board.sink;
	struct slink_word word;

	start_sps_up();
	sink->keep = 1;
	write_lines(SPS_UTEST_N | SPS_URESET_N);
	host_write(host, S5933_FIFO, 0xb0f00000);
	host_write(host, S5933_FIFO, 0xb0f00010);
	host_wait(host, 1000);
	write_lines(SPS_READY | SPS_URESET_N);
	host_write(host, S5933_FIFO, 7);
	host_wait(host, 1000);
	ok(sink->controls == 2 && sink->words == 1 && sink->sum == 7,
	   "SPS: control words and data leave as what they are");
	sink_take(sink, &word);
	ok(word.flags == SLINK_CONTROL && word.data == 0xb0f00000, "in order");
	ok(!host_faults(host), "no fault in all that");
	host_write(host, S5933_FIFO, 8);
	host_write(host, S5933_FIFO, 9);
	write_lines(SPS_UTEST_N | SPS_URESET_N);
	host_wait(host, 1000);
	ok(sink->controls == 3 && sink->words == 2 &&
	   host->board.chip.faults.overtaken == 1,
	   "UCTRL# changed too early: a word gets the wrong type, a fault");
	write_lines(SPS_READY | SPS_URESET_N);
	sink->hold = 1;
	for (word.data = 0; word.data < 3; word.data++)
		host_write(host, S5933_FIFO, word.data);
	host_wait(host, 10000);
	ok(sink->words == 4 && host->board.chip.p2a.level == 1,
	   "XOFF: two words more");
}

static void test_sps_width(void)
{
	start_sps_up();
	write_lines(SPS_READY | SPS_URESET_N | 1 << 3);
	host_write(host, S5933_FIFO, 0x12345678);
	host_wait(host, 1000);
	ok(host->board.sink.sum == 0x5678, "SPS: a link of 16 bits");
}

static void test_full_sink(void)
{
	struct sink *sink = &host->board.sink;
	unsigned int i;

	start_sps_up();
	sink->keep = 1;
	for (i = 0; i < SINK_WORDS + 8; i++) {
		host_write(host, S5933_FIFO, i);
		host_wait(host, 100);
	}
	ok(sink->level == SINK_WORDS && !sink->lost &&
	   host->board.chip.p2a.level == 8 && !host_faults(host),
	   "a sink that is full says XOFF in time, none is lost");
}

static void test_sps_test(void)
{
	start_sps_up();
	write_lines(SPS_UCTRL_N | SPS_URESET_N);
	host_wait(host, 100);
	write_lines(SPS_READY | SPS_URESET_N);
	host_wait(host, 100000);
	ok(host->board.sink.words == 32 && host->board.sink.controls == 1 &&
	   host->board.sink.sum == UINT32_MAX,
	   "UTEST# low: one whole cycle of the self test");
}

static void receive_page(void)
{
	host_write(other, S5933_MWAR, HOST_BASE);
	host_write(other, S5933_MWTC, 400);
	host_write(other, S5933_MCSR, S5933_WRITE_ENABLE);
	host_expect(other, HOST_DATA);
	host_wait(host, 10000);
}

static void test_peers(void)
{
	unsigned int i, good = 0;

	start_sps();
	host_init(other, &world);
	ok(!board_connect(&other->board, &other->board) &&
	   board_connect(&host->board, &other->board), "a source and a destination");
	host_wait(host, 1000);
	ok(host_link_up(other, HOST_CONTROL), "peers: the link comes up");
	write_lines(SPS_READY);
	host_wait(host, 1000000);
	write_lines(SPS_UTEST_N | SPS_URESET_N);
	host_write(other, S5933_OMB(0), 0x01000a07);
	ok(read_status() == (SPS_LDOWN_N | 0xa), "the source sees it, and the return lines");
	host_write(host, S5933_FIFO, 0xb0f00000);
	host_wait(host, 1000);
	write_lines(SPS_READY | SPS_URESET_N);
	for (i = 0; i < 100; i++)
		host->memory[i] = i * i;
	host_write(host, S5933_MRAR, HOST_BASE);
	host_write(host, S5933_MRTC, 400);
	host_write(host, S5933_MCSR, S5933_READ_ENABLE);
	host_wait(host, 10000);
	ok(host_read(other, S5933_FIFO) == 0xb0f00000, "a control word arrives");
	receive_page();
	for (i = 0; i < 100; i++)
		good += other->memory[i] == i * i;
	ok(good == 100 && host_read(other, S5933_MWTC) == 0,
	   "100 words, from memory to memory");
	host_write(other, S5933_OMB(0), 0x03000003);
	host_wait(host, 100);
	ok(!(read_status() & SPS_LDOWN_N), "the other end is reset: LDOWN#");
	board_remove(&host->board);
	ok(other->board.card.link == SLINK_LINK_DOWN || !other->board.card.cable,
	   "one is gone: the other's link is down");
	ok(!other->board.peer, "and it has no peer");
}

static void test_loss(void)
{
	start_up(HOST_CONTROL);
	send(1, SLINK_CONTROL);
	bench_write(&host->board, 0x0f8, 5000);
	host_wait(host, 4999);
	ok(host_read(host, S5933_INTCSR), "the board has its state");
	host_wait(host, 1);
	ok(!host_read(host, S5933_INTCSR) && !chip_level() &&
	   card->link == SLINK_LINK_RESET && host->board.chip.master,
	   "it has lost it, and is bus master as before");
}

int main(void)
{
	host = malloc(sizeof(*host));
	other = malloc(sizeof(*other));
	if (!host || !other)
		return 1;
	test_types();
	test_room();
	test_speed();
	test_bus();
	test_errors();
	test_width();
	test_xoff();
	test_overflow();
	test_hasty();
	test_link_reset();
	test_cable();
	test_addon_reset();
	test_self_test();
	test_return_lines();
	test_sps_link();
	test_sps_types();
	test_sps_width();
	test_full_sink();
	test_sps_test();
	test_peers();
	test_loss();
	free(host);
	free(other);
	return tap_end();
}
