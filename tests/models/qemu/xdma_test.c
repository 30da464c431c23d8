// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults of the software that the model of AMD's XDMA must see: the tests of zio-xdma fail
 * by their count, and cannot tell that the model forgives.
 */
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

/* Descriptor @i of a ring of four at offset 0. Data at 0x1000 * (i + 1), write-backs at
 * 0x800.
 */
static void put_desc(unsigned int i, uint32_t flags, uint32_t bytes)
{
	uint32_t at = 32 * i, data = 0x1000 * (i + 1), result = 0x800 + 8 * i;

	put32(at, 0xad4bu << 16 | flags);
	put32(at + 4, bytes);
	put32(at + 8, result);
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
		put_desc(i, XDMA_DESC_DONE, 4096);
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

TEST("a packet that arrives", begin_c2h)
{
	receive(4, 5, 2, 10000);
	ASSERT_EQ(xdma_read(&card, XDMA_C2H + XDMA_COMPLETED), 2);
	ASSERT_EQ(card.faults, 0);
}

TEST("a start of an engine that is no stream", begin_c2h)
{
	xdma_write(&card, XDMA_C2H + XDMA_CONTROL, 0);
	card.is_memory = true;
	start_engine(XDMA_C2H);
	ASSERT_EQ(card.faults, 1);
}

TEST("more credits than the register counts", begin_c2h)
{
	credit(XDMA_MAX_CREDITS);
	ASSERT_EQ(card.faults, 0);
	credit(XDMA_MAX_CREDITS);
	ASSERT_EQ(card.faults, 1);
}

TEST("a descriptor without its magic", begin_c2h)
{
	put32(0, 0xdead0000);
	receive(1, 1, 1, 10000);
	ASSERT_TRUE(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_MAGIC_STOPPED);
	ASSERT_EQ(card.faults, 1);
}

TEST("descriptors that move while the engine runs", begin_c2h)
{
	xdma_write(&card, XDMA_C2H_SG + XDMA_SG_LOW, 32);
	ASSERT_EQ(card.faults, 1);
	xdma_write(&card, XDMA_C2H + XDMA_CONTROL, 0);
	xdma_write(&card, XDMA_C2H_SG + XDMA_SG_LOW, 32);
	ASSERT_EQ(card.faults, 1, "when it has stopped they may");
	xdma_write(&card, XDMA_C2H_SG + XDMA_SG_LOW, 8);
	ASSERT_EQ(card.faults, 2, "to a multiple of 32");
}
