// SPDX-License-Identifier: GPL-2.0-only
/* The XDMA model alone, compared with PG195 */
#include "../../unit/tap.h"
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
static void begin_c2h(void)
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

static uint32_t completed(uint32_t base)
{
	return xdma_read(&card, base + XDMA_COMPLETED);
}

static void identity(void)
{
	begin_c2h();
	ok(xdma_read(&card, XDMA_H2C) >> 16 == 0x1fc0, "H2C tells its kind");
	ok(xdma_read(&card, XDMA_C2H) >> 16 == 0x1fc1, "C2H tells its kind");
	ok(!xdma_read(&card, XDMA_C2H + XDMA_STRIDE), "there is no second channel");
}

static void memory_engines(void)
{
	begin_c2h();
	xdma_write(&card, XDMA_C2H + XDMA_CONTROL, 0);
	card.is_memory = true;
	ok(!(xdma_read(&card, XDMA_C2H) & 1 << 15), "an engine tells that it is no stream");
	start_engine(XDMA_C2H);
	ok(card.faults == 1, "and its start is a fault of the software");
}

static void packet_ends_descriptor(void)
{
	begin_c2h();
	credit(4);
	make_packets(5, 2);
	pass(10000);
	ok(completed(XDMA_C2H) == 2, "each packet takes a descriptor");
	ok(get32(0x800) == (0x52b4u << 16 | 1) && get32(0x804) == 20,
	   "the write-back has the length and the end of the packet");
	ok(get32(0x2000 + 4) == xdma_pattern(1, 1), "the words are those of the packet");
	ok(!card.faults, "no fault");
}

static void long_packet(void)
{
	begin_c2h();
	credit(4);
	make_packets(1500, 1);
	pass(20000);
	ok(completed(XDMA_C2H) == 2, "a packet of 6000 bytes takes two descriptors");
	ok(get32(0x800) == 0x52b4u << 16, "the first has no end of packet");
	ok(get32(0x80c) == 6000 - 4096 && (get32(0x808) & 1), "the second has");
	ok(get32(0x2000) == xdma_pattern(0, 1024), "the words go on");
}

static void credits(void)
{
	begin_c2h();
	make_packets(1, 3);
	pass(10000);
	ok(!completed(XDMA_C2H), "nothing moves without a credit");
	ok(xdma_user_read(&card, XDMA_USER_STARVED) == 1, "the card was starved once");
	credit(1);
	pass(10000);
	ok(completed(XDMA_C2H) == 1, "one credit is one descriptor");
	credit(2);
	pass(10000);
	ok(completed(XDMA_C2H) == 3, "credits add up");
}

static void full_fifo(void)
{
	uint32_t made, dropped;

	begin_c2h();
	make_packets(XDMA_FIFO_DEFAULT / 2, 5);
	pass(10000);
	made = xdma_user_read(&card, XDMA_USER_MADE);
	dropped = xdma_user_read(&card, XDMA_USER_DROPPED);
	ok(made == 5 && dropped == 3, "the FIFO drops whole packets when it is full");
}

static void messages_of_lines(void)
{
	begin_c2h();
	credit(4);
	make_packets(1, 2);
	pass(10000);
	ok(messages[1] == 1, "the line stays high: one message for two descriptors");
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT + 8, 2);
	ok(xdma_read(&card, XDMA_C2H + XDMA_STATUS_CLEAR) & XDMA_DONE, "status tells");
	ok(!(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_DONE), "a read clears it");
	xdma_user_write(&card, XDMA_USER_LIMIT, 3);
	xdma_user_write(&card, XDMA_USER_CONTROL, XDMA_SOURCE);
	pass(10000);
	ok(messages[1] == 1, "no message while the interrupt is masked");
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT + 4, 2);
	ok(messages[1] == 2, "a pending interrupt comes when it is unmasked");
}

static void errors(void)
{
	begin_c2h();
	put32(0, 0xdead0000);
	credit(1);
	make_packets(1, 1);
	pass(10000);
	ok(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_MAGIC_STOPPED,
	   "a descriptor without magic stops the engine");
	ok(card.faults == 1, "and it is a fault of the software");

	begin_c2h();
	put32(20, 0);
	credit(1);
	make_packets(1, 1);
	pass(10000);
	ok(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_WRITE_ERROR,
	   "memory that does not answer is a write error");

	begin_c2h();
	xdma_user_write(&card, XDMA_USER_INJECT, XDMA_INJECT_FETCH);
	credit(1);
	make_packets(1, 1);
	pass(10000);
	ok(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_DESC_ERROR,
	   "a fault can be ordered");
	ok(messages[1] == 1, "an error is an interrupt");
}

static void loop(void)
{
	unsigned int i;

	begin_c2h();
	for (i = 0; i < 100; i++)
		put32(0x1000 + 4 * i, 7 * i);
	put_desc(0, XDMA_DESC_DONE | XDMA_DESC_EOP | XDMA_DESC_STOP, 400, true);
	xdma_user_write(&card, XDMA_USER_CONTROL, XDMA_LOOP);
	start_engine(XDMA_H2C);
	pass(10000);
	ok(completed(XDMA_H2C) == 1, "H2C takes a packet");
	ok(!(xdma_read(&card, XDMA_H2C + XDMA_STATUS) & XDMA_RUN), "and stops");
	put_desc(0, XDMA_DESC_DONE, 4096, false);
	memset(memory + 0x1000, 0, 400);
	credit(1);
	pass(10000);
	ok(get32(0x804) == 400 && get32(0x1000 + 4 * 99) == 7 * 99, "C2H brings it back");
}

static void user_interrupts(void)
{
	begin_c2h();
	xdma_write(&card, XDMA_IRQ + XDMA_USER_VECTOR, 9 << 8);
	ok(xdma_read(&card, XDMA_IRQ + XDMA_USER_VECTOR) == 9 << 8, "vectors can be read");
	xdma_user_write(&card, XDMA_USER_FIRE, 2);
	ok(!messages[9], "a masked user interrupt waits");
	xdma_write(&card, XDMA_IRQ + XDMA_USER_INT + 4, 2);
	ok(messages[9] == 1, "and comes by its vector when it is unmasked");
}

static void time_of_transfers(void)
{
	begin_c2h();
	credit(4);
	make_packets(1024, 1);
	pass(1000 + 900 + 4 * 160 + 300 - 1);
	ok(!completed(XDMA_C2H), "period, fetch, data and write-back take their time");
	pass(1);
	ok(completed(XDMA_C2H) == 1, "and no more");
}

static void stop_in_transfer(void)
{
	begin_c2h();
	credit(4);
	make_packets(1024, 1);
	pass(2000);
	xdma_write(&card, XDMA_C2H + XDMA_CONTROL, 0);
	ok(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_RUN, "the engine ends its work");
	pass(5000);
	ok(!(xdma_read(&card, XDMA_C2H + XDMA_STATUS) & XDMA_RUN), "then it is idle");
	ok(completed(XDMA_C2H) == 1, "the descriptor is complete");
}

/* Packets of both streams at once; the second pair of engines is line 1 and line 3. */
static void two_streams(void)
{
	begin_c2h();
	xdma_init(&card, 2, &ops, NULL);
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_VECTOR, 3 << 24 | 2 << 16 | 1 << 8);
	xdma_write(&card, XDMA_SG_COMMON + XDMA_CREDIT_MODE, 3 << 16);
	xdma_write(&card, XDMA_IRQ + XDMA_CHAN_INT, 0xf);
	start_engine(XDMA_C2H);
	start_engine(XDMA_C2H + XDMA_STRIDE);
	ok(xdma_read(&card, XDMA_C2H + XDMA_STRIDE) == (0x1fc18006 | 1 << 8), "an identity");
	ok(!xdma_read(&card, XDMA_C2H + 2 * XDMA_STRIDE), "and no third engine");
	xdma_write(&card, XDMA_C2H_SG + XDMA_STRIDE + XDMA_SG_CREDITS, 1);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_PERIOD, 1000);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_WORDS, 8);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_LIMIT, 1);
	xdma_user_write(&card, XDMA_STRIDE + XDMA_USER_CONTROL, XDMA_SOURCE);
	pass(10000);
	ok(completed(XDMA_C2H + XDMA_STRIDE) == 1 && !completed(XDMA_C2H),
	   "a packet of the second stream goes by the second engine");
	ok(messages[3] == 1 && !messages[2], "and its line interrupts");
	ok(xdma_user_read(&card, XDMA_STRIDE + XDMA_USER_MADE) == 1 &&
	   !xdma_user_read(&card, XDMA_USER_MADE), "each stream counts its own packets");
}

/* Registers are gone, packets in the FIFO are not. */
static void lost_state(void)
{
	begin_c2h();
	credit(4);
	make_packets(1024, 2);
	xdma_user_write(&card, XDMA_USER_LOSE, 2000);
	pass(1999);
	ok(xdma_read(&card, XDMA_C2H + XDMA_CONTROL), "the engine has its state");
	pass(1);
	ok(!xdma_read(&card, XDMA_C2H + XDMA_CONTROL) &&
	   !xdma_read(&card, XDMA_IRQ + XDMA_CHAN_INT), "and loses it");
	pass(10000);
	ok(card.user[0].fifo.n_packets == 2, "the packets wait");
}

static void starved_time(void)
{
	begin_c2h();
	make_packets(8, 1);
	pass(4000);
	credit(1);
	pass(4000);
	ok(xdma_user_read(&card, XDMA_USER_STARVED) == 1 &&
	   xdma_user_read(&card, XDMA_USER_STARVED_NS) == 3000,
	   "a packet has waited for its descriptor");
}

int main(void)
{
	identity();
	memory_engines();
	packet_ends_descriptor();
	long_packet();
	credits();
	full_fifo();
	messages_of_lines();
	errors();
	loop();
	user_interrupts();
	time_of_transfers();
	stop_in_transfer();
	two_streams();
	lost_state();
	starved_time();
	return tap_end();
}
