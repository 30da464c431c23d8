/* SPDX-License-Identifier: GPL-2.0-only */
/* xdma-card.h: the emulated FPGA card with two engines in each direction */
#ifndef XDMA_CARD_H
#define XDMA_CARD_H

#include "board.h"
#include "harness.h"

#include "../devices/xdma-regs.h"

#define IN	"/dev/zio/xdma-0000-0-0"
#define IN1	"/dev/zio/xdma-0000-1-0"
#define OUT	"/dev/zio/xdma-0000-2-0"
#define OUT1	"/dev/zio/xdma-0000-3-0"
#define XDMA	"/sys/bus/zio/devices/xdma-0000"
#define INPUT	XDMA "/cset0"
#define OUTPUT	XDMA "/cset2"
#define LOST	INPUT "/chan0/statistics/lost_blocks"
#define PCI	"/sys/bus/pci"

static volatile uint32_t *user; /* registers of the source */

/* The PCI address of the card. */
static inline const char *pci_name(void)
{
	static char name[256];
	char path[512];
	DIR *dir = opendir(PCI "/devices");
	struct dirent *entry;

	ASSERT_TRUE(dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), PCI "/devices/%s/vendor", entry->d_name);
		if (entry->d_name[0] == '.' || read_number(path) != 0x10ee)
			continue;
		snprintf(name, sizeof(name), "%s", entry->d_name);
		closedir(dir);
		return name;
	}
	FAIL("there is no card");
}

static inline void map_user(void)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), PCI "/devices/%s/resource0", pci_name());
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

SETUP(card)
{
	unload("zio-xdma");
	run("echo 1 >" PCI "/rescan");
	map_user();
	poke(XDMA_USER_INJECT, 0);
	poke(XDMA_USER_CONTROL, XDMA_FLUSH);
	poke(XDMA_STRIDE + XDMA_USER_CONTROL, XDMA_FLUSH);
	run("zio-load zio-xdma");
}

#endif /* XDMA_CARD_H */
