// SPDX-License-Identifier: GPL-2.0-only
/* The card model with its chip: types, status, link, output */
#include "bench.h"
#include "harness.h"
#include "test-host.h"

static struct world world;
static struct host hosts[2], *const host = &hosts[0], *const other = &hosts[1];
static struct sspci *const card = &hosts[0].board.card;

static void start(void)
{
	memset(&world, 0, sizeof(world));
	host_init(host, &world);
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

TEST("at another type of word the card stops")
{
	start_up(HOST_CONTROL);
	send(0xb0f00000, SLINK_CONTROL);
	ASSERT_TRUE(chip_level() == 1 && !host->irq, "an expected word passes");
	send(17, 0);
	send(18, 0);
	ASSERT_TRUE(chip_level() == 1 && card->level == 2 && host->irq);
	ASSERT_EQ(read_lines(), SSPCI_LCTRL_N | SSPCI_LDERR_N | SSPCI_LDOWN_N);
	host_write(host, S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	host_wait(host, 100000);
	ASSERT_TRUE(!host->irq && card->stats.stops == 1, "it says so once");
	host_expect(host, HOST_CONTROL);
	host_wait(host, 1000);
	ASSERT_TRUE(host->irq && card->stats.stops == 2);
	host_expect(host, HOST_DATA);
	host_wait(host, 1000);
	ASSERT_TRUE(chip_level() == 3 && host_read(host, S5933_FIFO) == 0xb0f00000);
	ASSERT_EQ(host_read(host, S5933_FIFO), 17);
	ASSERT_TRUE(card->stats.received == 3 && card->stats.passed == 3, "counted");
}

TEST("words wait outside while the FIFO of the chip is full")
{
	unsigned int i;

	start_up(HOST_DATA);
	for (i = 0; i < 9; i++)
		send(i, 0);
	ASSERT_TRUE(chip_level() == 8 && card->level == 1 && !host->irq);
	send(0xe0f00000, SLINK_CONTROL);
	ASSERT_TRUE(!host->irq, "so does a control word behind it");
	host_read(host, S5933_FIFO);
	host_wait(host, 100);
	ASSERT_TRUE(chip_level() == 8 && host->irq, "a place is free: both come to pass");
}

TEST("words pass every 30 ns")
{
	unsigned int i;

	start_up(HOST_CONTROL);
	for (i = 0; i < 4; i++)
		send(i, 0);
	host_expect(host, HOST_DATA);
	ASSERT_EQ(chip_level(), 1, "the first word passes at once");
	host_wait(host, 59);
	ASSERT_EQ(chip_level(), 2, "the next after 30 ns");
	host_wait(host, 31);
	ASSERT_EQ(chip_level(), 4, "and so on");
}

TEST("while the CPU waits for a register, words go on into the FIFO")
{
	unsigned int i;

	start_up(HOST_CONTROL);
	for (i = 0; i < 4; i++)
		send(i, 0);
	board_set_bus(&host->board, BOARD_BUS_PCI);
	host_expect(host, HOST_DATA);
	ASSERT_TRUE(!chip_level(), "a posted write has not reached the card");
	ASSERT_TRUE(host_read(host, S5933_MCSR) & S5933_A2P_4_WORDS);
	ASSERT_EQ(host->board.chip.stats.wait_ns, 150 + 750);
	board_set_bus(&host->board, BOARD_BUS_FREE);
	host_read(host, S5933_MCSR);
	ASSERT_EQ(host->board.chip.stats.wait_ns, 900, "a free bus costs nothing");
}

TEST("words with errors")
{
	start_up(HOST_DATA);
	send(1, SLINK_DAMAGED);
	ASSERT_EQ(chip_level(), 1, "block-wise: a bad word looks like a good one");
	send(0xe0f0000f, SLINK_CONTROL);
	ASSERT_EQ(read_lines(), SSPCI_LDOWN_N);
	host_expect(host, 0);
	host_wait(host, 100);
	host_read(host, S5933_FIFO);
	ASSERT_EQ(host_read(host, S5933_FIFO), 0xe0f00001);
	send(0xb0f00000, SLINK_CONTROL | SLINK_DAMAGED);
	host_wait(host, 100);
	ASSERT_EQ(host_read(host, S5933_FIFO), 0xb0f00002);
	host_expect(host, HOST_CONTROL);
	send(1, SLINK_DAMAGED);
	host_write(host, S5933_OMB(0), 0x01000002);
	host_wait(host, 10000);
	ASSERT_TRUE(host_link_up(host, HOST_CONTROL), "a reset of FIFO and link");
	send(0xb0f00000, SLINK_CONTROL);
	ASSERT_EQ(host_read(host, S5933_FIFO), 0xb0f00000);
	card->cfg.word_errors = 1;
	host_expect(host, HOST_DATA);
	send(1, 0);
	send(2, SLINK_DAMAGED);
	ASSERT_TRUE(chip_level() == 1 && read_lines() == (SSPCI_LCTRL_N | SSPCI_LDOWN_N));
	ASSERT_TRUE(!host_faults(host), "no fault in all that");
}

TEST("links of 16 and 8 bits")
{
	start_up(HOST_DATA);
	host_write(host, S5933_OMB(0), 0x0300000f);
	send(0x12345678, 0);
	host_write(host, S5933_OMB(0), 0x03000017);
	send(0x12345678, 0);
	ASSERT_EQ(host_read(host, S5933_FIFO), 0x5678);
	ASSERT_EQ(host_read(host, S5933_FIFO), 0x78);
}

/* --- FIFO ----------------------------------------------------------------- */

static void fill(uint32_t mode)
{
	host->board.source.cfg.mode = mode;
	host->board.source.cfg.size = 1 << 20;
	slidas_restart(&host->board.source);
	host_wait(host, 1000000);
}

TEST("XOFF at seven eighths, XON at one half")
{
	unsigned int i;

	start_up(HOST_CONTROL);
	card->cfg.fifo_words = 64;
	fill(SLIDAS_BLOCK);
	ASSERT_TRUE(card->level == 58 && !card->stats.overflowed);
	host_expect(host, HOST_DATA);
	host_wait(host, 10000);
	ASSERT_TRUE(chip_level() == 8 && card->level == 51, "not yet XON");
	for (i = 0; i < 51 - 32; i++) {
		host_read(host, S5933_FIFO);
		host_wait(host, 30);
	}
	host_wait(host, 10000);
	ASSERT_EQ(card->level, 58, "XON at one half");
}

TEST("without flow control words are lost")
{
	start_up(HOST_CONTROL);
	card->cfg.fifo_words = 64;
	card->cfg.xoff = 0;
	fill(SLIDAS_BLOCK);
	ASSERT_TRUE(card->level == 64 && card->stats.overflowed > 1000 && host->irq);
	ASSERT_EQ(read_lines(), 0xf, "the overflow bit");
	host->board.source.cfg.mode = SLIDAS_STOP;
	host_write(host, S5933_OMB(0), 0x01000006);
	ASSERT_TRUE(card->level == 0 && !card->overflow, "FRESET# empties it");
	send(1, 0);
	ASSERT_TRUE(card->level == 0 && card->stats.discarded > 64);
	card->cfg.overflow_low = 1;
	host_expect(host, HOST_CONTROL);
	send(1, 0);
	ASSERT_EQ(read_lines(), 0xf, "the other polarity: high, no overflow");
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

TEST("resets that are too short are faults")
{
	ASSERT_TRUE(!reset_slowly(10000, 10000, 10000), "a reset with its waits");
	ASSERT_EQ(reset_slowly(5000, 10000, 10000), 1, "no wait after SYSRST#");
	ASSERT_EQ(reset_slowly(10000, 5000, 10000), 1, "SYSRST# high too soon");
	ASSERT_EQ(reset_slowly(10000, 10000, 5000), 1, "FRESET# high too soon");
	start_up(HOST_CONTROL);
	host_write(host, S5933_OMB(0), 0x01000006);
	host_wait(host, 5000);
	host_write(host, S5933_OMB(0), 0x01000007);
	ASSERT_EQ(host_faults(host), 1, "FRESET# alone is too short");
	host_write(host, S5933_OMB(0), 0x01000006);
	host_wait(host, 10000);
	host_write(host, S5933_OMB(0), 0x01000007);
	ASSERT_EQ(host_faults(host), 1, "and long enough");
}

/* --- link ----------------------------------------------------------------- */

TEST("the reset of the link")
{
	start();
	ASSERT_EQ(card->link, SLINK_LINK_RESET, "after power on the link is in reset");
	host_write(host, S5933_INTCSR, 0x1f00);
	host_write(host, S5933_OMB(0), 0x01000003);
	host_wait(host, 999999);
	ASSERT_TRUE(!host->irq, "URESET# low: LDOWN# stays low for a while");
	host_wait(host, 1);
	ASSERT_TRUE(host->irq && (read_lines() & SSPCI_LDOWN_N), "then it goes high");
	send(1, SLINK_CONTROL);
	ASSERT_TRUE(!slink_is_up(&host->board.source.to), "nothing may be sent yet");
	host_expect(host, HOST_CONTROL);
	ASSERT_TRUE(slink_is_up(&host->board.source.to), "URESET# high: the link is up");
	host_write(host, S5933_OMB(0), 0x01000003);
	ASSERT_TRUE(!(read_lines() & SSPCI_LDOWN_N), "low again: LDOWN# goes low");
	host_wait(host, 10);
	host_expect(host, HOST_CONTROL);
	host_wait(host, 10000000);
	ASSERT_EQ(card->link, SLINK_LINK_DOWN, "left too early: the link stays down");
}

TEST("the cable goes out and in")
{
	start_up(HOST_CONTROL);
	sspci_set_cable(card, false);
	ASSERT_TRUE(host->irq && !(read_lines() & SSPCI_LDOWN_N));
	ASSERT_EQ(card->stats.drops, 1);
	host_write(host, S5933_INTCSR, 0x1f00 | S5933_INT_IMB);
	host_write(host, S5933_OMB(0), 0x01000003);
	host_wait(host, 10000000);
	ASSERT_TRUE(!host->irq && card->link == SLINK_LINK_RESET);
	sspci_set_cable(card, true);
	host_wait(host, 1000000);
	ASSERT_TRUE(host->irq && (read_lines() & SSPCI_LDOWN_N), "cable in: it does");
	host_expect(host, HOST_CONTROL);
	sspci_set_cable(card, false);
	sspci_set_cable(card, true);
	host_wait(host, 10000000);
	ASSERT_EQ(card->link, SLINK_LINK_DOWN, "out and in: down until a reset");
}

TEST("the reset of the add-on side")
{
	start_up(HOST_CONTROL);
	send(1, 0);
	host_write(host, S5933_MCSR, S5933_ADDON_RESET);
	ASSERT_TRUE(card->level == 0 && !slink_is_up(&host->board.source.to));
	host_write(host, S5933_OMB(0), 0x01000007);
	ASSERT_TRUE(host_read(host, S5933_MBEF) & 0xf, "mailboxes are not read");
	host_write(host, S5933_MCSR, 0);
	ASSERT_TRUE(!(host_read(host, S5933_MBEF) & 0xf) && card->control == 0x01000007);
	ASSERT_TRUE(host_link_up(host, HOST_CONTROL), "and the link comes up");
}

TEST("the self test")
{
	start_up(HOST_CONTROL);
	host->board.source.cfg.count = 1;
	fill(SLIDAS_TEST);
	ASSERT_TRUE(card->stats.test_words == 33 && !card->stats.test_errors);
	ASSERT_TRUE(!card->level && !chip_level());
	send(0, SLINK_TEST | SLINK_CONTROL);
	send(2, SLINK_TEST);
	ASSERT_EQ(card->stats.test_errors, 1, "a wrong word is found");
	host_write(host, S5933_OMB(0), 0x01000005);
	slidas_restart(&host->board.source);
	host_wait(host, 10000);
	ASSERT_TRUE(chip_level() == 1 && card->level == 32, "UTDO# low: shown");
}

TEST("the source sees the return lines")
{
	start_up(HOST_CONTROL);
	host_write(host, S5933_OMB(0), 0x01000a07);
	ASSERT_EQ(host->board.source.to.ops->return_lines(card), 0xa);
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

TEST("SPS: the link")
{
	start_sps();
	host_write(host, S5933_INTCSR, 0x1f00);
	write_lines(SPS_READY);
	ASSERT_TRUE(!(read_status() & SPS_LDOWN_N), "SPS: URESET# low: the link is down");
	host_wait(host, 1000000);
	ASSERT_TRUE(host->irq && (read_status() & SPS_LDOWN_N), "then LDOWN# goes high");
	host_write(host, S5933_FIFO, 1);
	host_wait(host, 1000);
	ASSERT_EQ(host->board.chip.p2a.level, 1, "no word leaves before URESET# is high");
	write_lines(SPS_READY | SPS_URESET_N);
	host_wait(host, 1000);
	ASSERT_TRUE(!host->board.chip.p2a.level && host->board.sink.words == 1);
	write_lines(SPS_READY);
	write_lines(SPS_READY | SPS_URESET_N);
	host_wait(host, 10000000);
	ASSERT_EQ(host->board.sps.link, SLINK_LINK_DOWN, "left too early: down");
}

TEST("SPS: types of words")
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
	ASSERT_TRUE(sink->controls == 2 && sink->words == 1 && sink->sum == 7);
	sink_take(sink, &word);
	ASSERT_TRUE(word.flags == SLINK_CONTROL && word.data == 0xb0f00000, "in order");
	ASSERT_TRUE(!host_faults(host), "no fault in all that");
	host_write(host, S5933_FIFO, 8);
	host_write(host, S5933_FIFO, 9);
	write_lines(SPS_UTEST_N | SPS_URESET_N);
	host_wait(host, 1000);
	ASSERT_TRUE(sink->controls == 3 && sink->words == 2);
	ASSERT_EQ(host->board.chip.faults.overtaken, 1);
	write_lines(SPS_READY | SPS_URESET_N);
	sink->hold = 1;
	for (word.data = 0; word.data < 3; word.data++)
		host_write(host, S5933_FIFO, word.data);
	host_wait(host, 10000);
	ASSERT_TRUE(sink->words == 4 && host->board.chip.p2a.level == 1);
}

TEST("SPS: a link of 16 bits")
{
	start_sps_up();
	write_lines(SPS_READY | SPS_URESET_N | 1 << 3);
	host_write(host, S5933_FIFO, 0x12345678);
	host_wait(host, 1000);
	ASSERT_EQ(host->board.sink.sum, 0x5678, "SPS: a link of 16 bits");
}

TEST("a sink that is full says XOFF in time, none is lost")
{
	struct sink *sink = &host->board.sink;
	unsigned int i;

	start_sps_up();
	sink->keep = 1;
	for (i = 0; i < SINK_WORDS + 8; i++) {
		host_write(host, S5933_FIFO, i);
		host_wait(host, 100);
	}
	ASSERT_TRUE(sink->level == SINK_WORDS && !sink->lost);
	ASSERT_TRUE(host->board.chip.p2a.level == 8 && !host_faults(host));
}

TEST("SPS: UTEST# low: one whole cycle of the self test")
{
	start_sps_up();
	write_lines(SPS_UCTRL_N | SPS_URESET_N);
	host_wait(host, 100);
	write_lines(SPS_READY | SPS_URESET_N);
	host_wait(host, 100000);
	ASSERT_TRUE(host->board.sink.words == 32 && host->board.sink.controls == 1);
	ASSERT_EQ(host->board.sink.sum, UINT32_MAX);
}

static void receive_page(void)
{
	host_write(other, S5933_MWAR, HOST_BASE);
	host_write(other, S5933_MWTC, 400);
	host_write(other, S5933_MCSR, S5933_WRITE_ENABLE);
	host_expect(other, HOST_DATA);
	host_wait(host, 10000);
}

TEST("two boards are peers")
{
	unsigned int i;

	start_sps();
	host_init(other, &world);
	ASSERT_TRUE(!board_connect(&other->board, &other->board));
	ASSERT_TRUE(board_connect(&host->board, &other->board));
	host_wait(host, 1000);
	ASSERT_TRUE(host_link_up(other, HOST_CONTROL), "peers: the link comes up");
	write_lines(SPS_READY);
	host_wait(host, 1000000);
	write_lines(SPS_UTEST_N | SPS_URESET_N);
	host_write(other, S5933_OMB(0), 0x01000a07);
	ASSERT_EQ(read_status(), SPS_LDOWN_N | 0xa);
	host_write(host, S5933_FIFO, 0xb0f00000);
	host_wait(host, 1000);
	write_lines(SPS_READY | SPS_URESET_N);
	for (i = 0; i < 100; i++)
		host->memory[i] = i * i;
	host_write(host, S5933_MRAR, HOST_BASE);
	host_write(host, S5933_MRTC, 400);
	host_write(host, S5933_MCSR, S5933_READ_ENABLE);
	host_wait(host, 10000);
	ASSERT_EQ(host_read(other, S5933_FIFO), 0xb0f00000, "a control word arrives");
	receive_page();
	for (i = 0; i < 100; i++)
		ASSERT_EQ(other->memory[i], i * i);
	ASSERT_EQ(host_read(other, S5933_MWTC), 0);
	host_write(other, S5933_OMB(0), 0x03000003);
	host_wait(host, 100);
	ASSERT_TRUE(!(read_status() & SPS_LDOWN_N), "the other end is reset: LDOWN#");
	board_remove(&host->board);
	ASSERT_TRUE(other->board.card.link == SLINK_LINK_DOWN ||
		    !other->board.card.cable);
	ASSERT_TRUE(!other->board.peer, "and it has no peer");
}

TEST("a board loses its state")
{
	start_up(HOST_CONTROL);
	send(1, SLINK_CONTROL);
	bench_write(&host->board, 0x0f8, 5000);
	host_wait(host, 4999);
	ASSERT_TRUE(host_read(host, S5933_INTCSR), "the board has its state");
	host_wait(host, 1);
	ASSERT_TRUE(!host_read(host, S5933_INTCSR) && !chip_level());
	ASSERT_TRUE(card->link == SLINK_LINK_RESET && host->board.chip.master);
}
