/* SPDX-License-Identifier: GPL-2.0-only */
/* test-host.h: a machine of a few lines for the tests of the card model */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include "board.h"

#define HOST_BASE	0x10000000u	/* bus address of the memory */
#define HOST_WORDS	(1 << 16)

/**
 * struct host - memory and an interrupt line around one board
 */
struct host {
	struct world *world;
	struct board board;
	uint32_t memory[HOST_WORDS];
	bool irq;
};

/**
 * host_init - make a host with a board in a world of its own
 * @host: the host
 * @world: the world
 */
void host_init(struct host *host, struct world *world);

/* Read or write a register, and run the world before and after it. */
uint32_t host_read(struct host *host, unsigned int offset);
uint8_t host_read8(struct host *host, unsigned int offset);
void host_write(struct host *host, unsigned int offset, uint32_t value);
void host_write8(struct host *host, unsigned int offset, uint8_t value);

/**
 * host_wait - advance the time
 * @host: the host
 * @ns: the time, nanoseconds
 */
void host_wait(struct host *host, uint64_t ns);

/**
 * host_link_up - reset card and link, as a driver does in probe()
 * @host: the host
 * @expect: expected type, SSPCI_LCTRL_N and SSPCI_LDERR_N
 *
 * Return: true if the link is up.
 */
bool host_link_up(struct host *host, unsigned int expect);

#define HOST_CONTROL	SSPCI_LDERR_N

#endif /* TEST_HOST_H */
