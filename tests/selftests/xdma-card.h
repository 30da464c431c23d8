/* SPDX-License-Identifier: GPL-2.0-only */
/* xdma-card.h: the emulated FPGA card with two engines in each direction */
#ifndef XDMA_CARD_H
#define XDMA_CARD_H

#include "board.h"
#include "harness.h"
#include "order.h"

#include "../models/qemu/xdma-regs.h"

#define IN	"/dev/zio/xdma-0000-0-0"
#define IN1	"/dev/zio/xdma-0000-1-0"
#define OUT	"/dev/zio/xdma-0000-2-0"
#define OUT1	"/dev/zio/xdma-0000-3-0"
#define XDMA	"/sys/bus/zio/devices/xdma-0000"
#define INPUT	XDMA "/cset0"
#define OUTPUT	XDMA "/cset2"
#define CHAN	INPUT "/chan0"
#define LOST	CHAN "/statistics/lost_blocks"
#define SENT	OUTPUT "/chan0/statistics/blocks"
#define UNSENT	OUTPUT "/chan0/statistics/lost_blocks"
#define PCI	"/sys/bus/pci"

static volatile uint32_t *user; /* registers of the source */

/* The device numbers of the cards: see devices/xdma-qemu.c */
#define CARD_STREAM	0x9038
#define CARD_WIDE	0x9028
#define CARD_MEMORY	0x9024

static inline bool is_card(const char *name, unsigned long device)
{
	char path[512];

	if (name[0] == '.')
		return false;
	snprintf(path, sizeof(path), PCI "/devices/%s/vendor", name);
	if (read_number(path) != 0x10ee)
		return false;
	snprintf(path, sizeof(path), PCI "/devices/%s/device", name);
	return read_number(path) == device;
}

/* Returns the PCI address of a card, or NULL. */
static inline const char *find_card(unsigned long device)
{
	static char name[256];
	DIR *dir = opendir(PCI "/devices");
	struct dirent *entry;

	ASSERT_TRUE(dir);
	while ((entry = readdir(dir)) && !is_card(entry->d_name, device))
		;
	if (entry)
		snprintf(name, sizeof(name), "%s", entry->d_name);
	closedir(dir);
	return entry ? name : NULL;
}

/* The PCI address of the card that most tests use. */
static inline const char *pci_name(void)
{
	const char *name = find_card(CARD_STREAM);

	ASSERT_TRUE(name);
	return name;
}

/* The first card has the number 0, so cards of other tests must not be there. */
static inline void remove_card(unsigned long device)
{
	const char *name = find_card(device);

	if (name)
		run("echo 1 >" PCI "/devices/%s/remove", name);
}

static inline void map_user(const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), PCI "/devices/%s/resource0", name);
	fd = open_file(path, O_RDWR | O_SYNC);
	user = mmap(NULL, XDMA_USER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_TRUE(user != MAP_FAILED);
	ASSERT_EQ(user[XDMA_USER_ID / 4], XDMA_USER_MAGIC);
	close(fd);
}

static inline uint32_t peek(unsigned int reg)
{
	return user[reg / 4];
}

static inline void poke(unsigned int reg, uint32_t value)
{
	user[reg / 4] = value;
}

/* Packets of the second stream, if @at is XDMA_STRIDE. */
static inline void make_packets_at(unsigned int at, uint32_t words, uint32_t spread,
				   uint32_t ns, uint32_t limit)
{
	poke(at + XDMA_USER_WORDS, words);
	poke(at + XDMA_USER_SPREAD, spread);
	poke(at + XDMA_USER_PERIOD, ns);
	poke(at + XDMA_USER_LIMIT, limit);
	poke(at + XDMA_USER_CONTROL, XDMA_SOURCE);
}

static inline void make_packets(uint32_t words, uint32_t spread, uint32_t ns,
				uint32_t limit)
{
	make_packets_at(0, words, spread, ns, limit);
}

/* A setup; not all tests have it. */
static inline void card(VALUE)
{
	unload("zio-xdma");
	run("echo 1 >" PCI "/rescan");
	remove_card(CARD_WIDE);
	remove_card(CARD_MEMORY);
	map_user(pci_name());
	poke(XDMA_USER_INJECT, 0);
	poke(XDMA_USER_FETCH_NS, 900);
	poke(XDMA_USER_KIB_NS, 160);
	poke(XDMA_USER_CONTROL, XDMA_FLUSH);
	poke(XDMA_STRIDE + XDMA_USER_CONTROL, XDMA_FLUSH);
	run("zio-load zio-xdma");
}

/* The block has the words of packet @number from word @first on. */
static inline void expect_words(const uint32_t *words, size_t n, uint32_t number, uint32_t first)
{
	size_t i;

	for (i = 0; i < n; i++)
		ASSERT_EQ(words[i], number << 16 | ((first + i) & 0xffff));
}

static inline struct zio_control read_block(struct pair pair, uint32_t *words)
{
	struct zio_control ctrl = read_control(pair.ctrl);
	size_t bytes = (size_t)ctrl.nsamples * ctrl.ssize;

	ASSERT_EQ(read(pair.data, words, bytes), bytes);
	return ctrl;
}

/* The FIFO of the card holds so many packets of up to 1500 words, and drops none. */
#define UNDER_WAY	8

/* After packet @number was read, the card makes one more. */
static inline void make_next_packet(uint32_t number)
{
	poke(XDMA_USER_LIMIT, number + 1 + UNDER_WAY);
	poke(XDMA_USER_CONTROL, XDMA_SOURCE);
}

static inline uint32_t wait_dropped(uint32_t more_than)
{
	struct timespec ms = { 0, 1000000 };

	while (peek(XDMA_USER_DROPPED) <= more_than)
		nanosleep(&ms, NULL);
	return peek(XDMA_USER_DROPPED);
}

static inline void send_number(int data, uint32_t number)
{
	static uint32_t words[1024];

	words[0] = number;
	ASSERT_EQ(write(data, words, sizeof(words)), sizeof(words));
}

static inline uint32_t receive_number(struct pair in)
{
	static uint32_t words[1024];

	ASSERT_EQ(read_block(in, words).nsamples, 1024);
	return words[0];
}

/* The engine waits 50 ms for its first descriptor. The other packets wait in the ring. */
static inline struct pair send_slowly(uint32_t n)
{
	struct pair out = open_pair(OUT, O_WRONLY);
	uint32_t i;

	poke(XDMA_USER_CONTROL, XDMA_LOOP);
	poke(XDMA_USER_FETCH_NS, 50000000);
	for (i = 0; i < n; i++)
		send_number(out.data, i);
	return out;
}

static inline void send_and_compare(struct pair out, struct pair in, uint32_t n)
{
	static uint32_t sent[1024], got[1024];
	uint32_t k;

	for (k = 0; k < n; k++)
		sent[k] = random();
	ASSERT_EQ(write(out.data, sent, n * 4), n * 4);
	/* The last close submits a short block. */
	close_pair(out);
	ASSERT_EQ(read_block(in, got).nsamples, n);
	ASSERT_TRUE(!memcmp(sent, got, n * 4));
}

#endif /* XDMA_CARD_H */
