// SPDX-License-Identifier: GPL-2.0-only
/* The XDMA model alone, compared with PG195 */
#include "harness.h"
#include "xdma.h"

#define MEMORY	(1 << 16)
#define BASE	0x100000000ull		/* above 4 GiB: addresses have 64 bits */

static uint8_t memory[MEMORY];
static unsigned int messages[XDMA_VECTORS];
static struct xdma card;

static bool is_there(uint64_t addr, uint32_t bytes)
{
	return addr >= BASE && addr - BASE + bytes <= MEMORY;
}

static bool dma_read(void *host, uint64_t addr, void *to, uint32_t bytes)
{
	(void)host;
	if (!is_there(addr, bytes))
		return false;
	memcpy(to, memory + (addr - BASE), bytes);
	return true;
}

static bool dma_write(void *host, uint64_t addr, const void *from, uint32_t bytes)
{
	(void)host;
	if (!is_there(addr, bytes))
		return false;
	memcpy(memory + (addr - BASE), from, bytes);
	return true;
}

static void send_msi(void *host, unsigned int vector)
{
	(void)host;
	messages[vector]++;
}

static const struct xdma_ops ops = { dma_read, dma_write, send_msi };

static void put32(uint32_t at, uint32_t value)
{
	memcpy(memory + at, &value, 4);
}

static uint32_t get32(uint32_t at)
{
	uint32_t value;

	memcpy(&value, memory + at, 4);
	return value;
}

/* Descriptor @i of a ring of four at offset 0. Data at 0x1000 * (i + 1), write-backs at
 * 0x800.
 */
static void put_desc(unsigned int i, uint32_t flags, uint32_t bytes, bool is_output)
{
	uint32_t at = 32 * i, data = 0x1000 * (i + 1), result = 0x800 + 8 * i;

	put32(at, 0xad4bu << 16 | flags);
	put32(at + 4, bytes);
	put32(at + 8, is_output ? data : result);
	put32(at + 12, BASE >> 32);
	put32(at + 16, data);
	put32(at + 20, BASE >> 32);
	put32(at + 24, 32 * ((i + 1) % 4));
	put32(at + 28, BASE >> 32);
}

static void start_engine(uint32_t base)
{
	xdma_write(&card, base + XDMA_INT_MASK, XDMA_DONE | XDMA_STOPPED |
		   XDMA_MAGIC_STOPPED | XDMA_WRITE_ERROR | XDMA_DESC_ERROR);
	xdma_write(&card, base + 0x4000 + XDMA_SG_LOW, 0);
	xdma_write(&card, base + 0x4000 + XDMA_SG_HIGH, BASE >> 32);
	xdma_write(&card, base + XDMA_CONTROL, XDMA_RUN | XDMA_DONE);
}

static void credit(uint32_t n)
{
	xdma_write(&card, XDMA_C2H_SG + XDMA_SG_CREDITS, n);
}

/* Four descriptors of 4 KiB, credits count, the interrupt of C2H is vector 1. */
SETUP(begin_c2h)
{
	unsigned int i;

	memset(memory, 0, sizeof(memory));
	memset(messages, 0, sizeof(messages));
	xdma_init(&card, 1, &ops, NULL);
	for (i = 0; i < 4; i++)
		put_desc(i, XDMA_DESC_DONE, 4096, false);
	xdma_write(&card, XDMA_SG_COMMON + XDMA_CREDIT_MODE, 1 << 16);
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_VECTOR, 1 << 8);
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT, 3);
	start_engine(XDMA_C2H);
}

static void make_packets(uint32_t words, uint32_t n)
{
	xdma_user_write(&card, XDMA_USER_PERIOD, 1000);
	xdma_user_write(&card, XDMA_USER_WORDS, words);
	xdma_user_write(&card, XDMA_USER_LIMIT, n);
	xdma_user_write(&card, XDMA_USER_CONTROL, XDMA_SOURCE);
}

static void pass(uint64_t ns)
{
	xdma_advance(&card, card.now + ns);
}

/* Packets come while the engine has so many descriptors. */
static void receive(uint32_t credits, uint32_t words, uint32_t n, uint64_t ns)
{
	credit(credits);
	make_packets(words, n);
	pass(ns);
}

static uint32_t completed(uint32_t base)
{
	return xdma_read(&card, base + XDMA_COMPLETED);
}

TEST("engines tell their kind", begin_c2h)
{
	ASSERT_EQ(xdma_read(&card, XDMA_H2C) >> 16, 0x1fc0, "H2C tells its kind");
	ASSERT_EQ(xdma_read(&card, XDMA_C2H) >> 16, 0x1fc1, "C2H tells its kind");
	ASSERT_TRUE(!xdma_read(&card, XDMA_C2H + XDMA_STRIDE));
}

TEST("an engine that is no stream", begin_c2h)
{
	xdma_write(&card, XDMA_C2H + XDMA_CONTROL, 0);
	card.is_memory = true;
	ASSERT_TRUE(!(xdma_read(&card, XDMA_C2H) & 1 << 15));
	start_engine(XDMA_C2H);
	ASSERT_EQ(card.faults, 1, "and its start is a fault of the software");
}

TEST("each packet takes a descriptor", begin_c2h)
{
	receive(4, 5, 2, 10000);
	ASSERT_EQ(completed(XDMA_C2H), 2, "each packet takes a descriptor");
	ASSERT_TRUE(get32(0x800) == (0x52b4u << 16 | 1) && get32(0x804) == 20);
	ASSERT_EQ(get32(0x2000 + 4), xdma_pattern(1, 1));
	ASSERT_TRUE(!card.faults, "no fault");
}

TEST("a packet of 6000 bytes takes two descriptors", begin_c2h)
{
	receive(4, 1500, 1, 20000);
	ASSERT_EQ(completed(XDMA_C2H), 2, "a packet of 6000 bytes takes two descriptors");
	ASSERT_EQ(get32(0x800), 0x52b4u << 16, "the first has no end of packet");
	ASSERT_TRUE(get32(0x80c) == 6000 - 4096 && (get32(0x808) & 1), "the second has");
	ASSERT_EQ(get32(0x2000), xdma_pattern(0, 1024), "the words go on");
}

TEST("nothing moves without a credit", begin_c2h)
{
	make_packets(1, 3);
	pass(10000);
	ASSERT_TRUE(!completed(XDMA_C2H), "nothing moves without a credit");
	ASSERT_EQ(xdma_user_read(&card, XDMA_USER_STARVED), 1);
	credit(1);
	pass(10000);
	ASSERT_EQ(completed(XDMA_C2H), 1, "one credit is one descriptor");
	credit(2);
	pass(10000);
	ASSERT_EQ(completed(XDMA_C2H), 3, "credits add up");
}

TEST("the end of the credit mode clears the credits", begin_c2h)
{
	credit(3);
	xdma_write(&card, XDMA_SG_COMMON + XDMA_CREDIT_MODE + 8, 1 << 16);
	xdma_write(&card, XDMA_SG_COMMON + XDMA_CREDIT_MODE + 4, 1 << 16);
	receive(1, 1, 3, 10000);
	ASSERT_EQ(completed(XDMA_C2H), 1);
	ASSERT_TRUE(!card.faults);
	credit(0x3ff);
	credit(0x3ff);
	ASSERT_EQ(card.faults, 1, "the register does not count further");
}

TEST("the FIFO drops whole packets when it is full", begin_c2h)
{
	uint32_t made, dropped;

	make_packets(XDMA_FIFO_DEFAULT / 2, 5);
	pass(10000);
	made = xdma_user_read(&card, XDMA_USER_MADE);
	dropped = xdma_user_read(&card, XDMA_USER_DROPPED);
	ASSERT_TRUE(made == 5 && dropped == 3);
}

TEST("a line that stays high sends one message", begin_c2h)
{
	receive(4, 1, 2, 10000);
	ASSERT_EQ(messages[1], 1, "the line stays high: one message for two descriptors");
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT + 8, 2);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_STATUS_CLEAR) & XDMA_DONE);
	ASSERT_TRUE(!(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_DONE));
	xdma_user_write(&card, XDMA_USER_LIMIT, 3);
	xdma_user_write(&card, XDMA_USER_CONTROL, XDMA_SOURCE);
	pass(10000);
	ASSERT_EQ(messages[1], 1, "no message while the interrupt is masked");
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT + 4, 2);
	ASSERT_EQ(messages[1], 2, "a pending interrupt comes when it is unmasked");
}

TEST("errors stop the engine, and interrupt", begin_c2h)
{
	put32(0, 0xdead0000);
	receive(1, 1, 1, 10000);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_MAGIC_STOPPED);
	ASSERT_EQ(card.faults, 1, "and it is a fault of the software");

	begin_c2h(NULL);
	put32(20, 0);
	receive(1, 1, 1, 10000);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_WRITE_ERROR);

	begin_c2h(NULL);
	xdma_user_write(&card, XDMA_USER_INJECT, XDMA_INJECT_FETCH);
	receive(1, 1, 1, 10000);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_DESC_ERROR);
	ASSERT_EQ(messages[1], 1, "an error is an interrupt");
}

TEST("H2C takes a packet, and C2H brings it back", begin_c2h)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		put32(0x1000 + 4 * i, 7 * i);
	put_desc(0, XDMA_DESC_DONE | XDMA_DESC_EOP | XDMA_DESC_STOP, 400, true);
	xdma_user_write(&card, XDMA_USER_CONTROL, XDMA_LOOP);
	start_engine(XDMA_H2C);
	pass(10000);
	ASSERT_EQ(completed(XDMA_H2C), 1, "H2C takes a packet");
	ASSERT_TRUE(!(xdma_read(&card, XDMA_H2C + XDMA_STATUS) & XDMA_RUN), "and stops");
	put_desc(0, XDMA_DESC_DONE, 4096, false);
	memset(memory + 0x1000, 0, 400);
	credit(1);
	pass(10000);
	ASSERT_TRUE(get32(0x804) == 400 && get32(0x1000 + 4 * 99) == 7 * 99);
}

TEST("user interrupts", begin_c2h)
{
	xdma_write(&card, XDMA_IRQ + XDMA_USER_VECTOR, 9 << 8);
	ASSERT_EQ(xdma_read(&card, XDMA_IRQ + XDMA_USER_VECTOR), 9 << 8);
	xdma_user_write(&card, XDMA_USER_FIRE, 2);
	ASSERT_TRUE(!messages[9], "a masked user interrupt waits");
	xdma_write(&card, XDMA_IRQ + XDMA_USER_INT + 4, 2);
	ASSERT_EQ(messages[9], 1, "and comes by its vector when it is unmasked");
}

TEST("transfers take their time, and no more", begin_c2h)
{
	receive(4, 1024, 1, 1000 + 900 + 4 * 160 + 300 - 1);
	ASSERT_TRUE(!completed(XDMA_C2H));
	pass(1);
	ASSERT_EQ(completed(XDMA_C2H), 1, "and no more");
}

TEST("a stop lets a transfer end", begin_c2h)
{
	receive(4, 1024, 1, 2000);
	xdma_write(&card, XDMA_C2H + XDMA_CONTROL, 0);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_RUN);
	pass(5000);
	ASSERT_TRUE(!(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_RUN));
	ASSERT_EQ(completed(XDMA_C2H), 1, "the descriptor is complete");
}

TEST("packets of both streams go by their own engines and lines", begin_c2h)
{
	xdma_init(&card, 2, &ops, NULL);
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_VECTOR, 3 << 24 | 2 << 16 | 1 << 8);
	xdma_write(&card, XDMA_SG_COMMON + XDMA_CREDIT_MODE, 3 << 16);
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT, 0xf);
	start_engine(XDMA_C2H);
	start_engine(XDMA_C2H + XDMA_STRIDE);
	ASSERT_EQ(xdma_read(&card, XDMA_C2H + XDMA_STRIDE), 0x1fc18006 | 1 << 8);
	ASSERT_TRUE(!xdma_read(&card, XDMA_C2H + 2 * XDMA_STRIDE), "and no third engine");
	xdma_write(&card, XDMA_C2H_SG + XDMA_STRIDE + XDMA_SG_CREDITS, 1);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_PERIOD, 1000);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_WORDS, 8);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_LIMIT, 1);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_CONTROL, XDMA_SOURCE);
	pass(10000);
	ASSERT_TRUE(completed(XDMA_C2H + XDMA_STRIDE) == 1 && !completed(XDMA_C2H));
	ASSERT_TRUE(messages[3] == 1 && !messages[2], "and its line interrupts");
	ASSERT_EQ(xdma_user_read(&card, XDMA_STRIDE + XDMA_USER_MADE), 1);
	ASSERT_TRUE(!xdma_user_read(&card, XDMA_USER_MADE));
}

TEST("registers are lost, packets in the FIFO are not", begin_c2h)
{
	credit(4);
	make_packets(1024, 2);
	xdma_user_write(&card, XDMA_USER_LOSE, 2000);
	pass(1999);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_CONTROL));
	pass(1);
	ASSERT_TRUE(!xdma_read(&card, XDMA_C2H + XDMA_CONTROL));
	ASSERT_TRUE(!xdma_read(&card, XDMA_IRQ + XDMA_CHAN_INT));
	pass(10000);
	ASSERT_EQ(card.user[0].fifo.n_packets, 2, "the packets wait");
}

TEST("a packet has waited for its descriptor", begin_c2h)
{
	make_packets(8, 1);
	pass(4000);
	credit(1);
	pass(4000);
	ASSERT_EQ(xdma_user_read(&card, XDMA_USER_STARVED), 1);
	ASSERT_EQ(xdma_user_read(&card, XDMA_USER_STARVED_NS), 3000);
}
