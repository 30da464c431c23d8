/* SPDX-License-Identifier: GPL-2.0-only */
/* How the methods of "loop" and "map" are timed. */
#ifndef LOOP_H
#define LOOP_H

#include <linux/zio-user.h>

#include "bench.h"

#define MAX_NODES	64

struct method;

struct loop {
	const struct method *method;
	uint64_t size;		/* of a block, bytes */
	uint64_t turns;		/* blocks of each node */
	uint64_t warmup;
	uint64_t repeat;
	bool touch;		/* the program uses every byte */
	bool announce;
	unsigned int nodes;
	const char *node[MAX_NODES];
	int data[MAX_NODES];
	int ctrl[MAX_NODES];
	uint8_t *buf;
	uint64_t bytes;
	/* of mappings and pipes */
	struct zio_ring_header *hdr;
	const struct zio_control *slot;
	const uint8_t *area;
	int pipe[2], null;
	volatile uint64_t sum;
};

/**
 * struct method - a way to take blocks
 * @named: its name
 * @open: opens the nodes
 * @take: takes one block of a node, or
 * @run: takes so many blocks of the only node
 */
struct method {
	struct named named;
	void (*open)(struct loop *b);
	void (*take)(struct loop *b, unsigned int i);
	void (*run)(struct loop *b, unsigned long n);
};

/* The file name of a control node is that of the data node, but for its end. */
int open_ctrl(const char *data, int flags);

/* Every byte, eight at a time. */
static inline void touch(struct loop *b, const void *mem, size_t size)
{
	const uint64_t *word = mem;
	uint64_t sum = 0;
	size_t i;

	if (!b->touch)
		return;
	for (i = 0; i < size / 8; i++)
		sum += word[i];
	b->sum += sum;
}

int time_method(struct loop *b, int argc, char **argv,
		const struct method *methods, size_t n);

#endif /* LOOP_H */
