/* SPDX-License-Identifier: GPL-2.0-only */
/* What the methods of "loop" share. */
#ifndef LOOP_H
#define LOOP_H

#include <linux/zio-user.h>

#include "bench.h"

#define MAX_NODES	64
#define BATCH		16	/* requests, or controls, at once */

struct loop {
	uint64_t size;		/* of a block or request, bytes */
	bool touch;		/* the program uses every byte */
	unsigned int nodes;
	const char *node[MAX_NODES];
	int data[MAX_NODES], ctrl[MAX_NODES];
	uint8_t *buf;
	uint64_t bytes;
	volatile uint64_t sum;
};

/**
 * struct method - a way to take blocks
 * @name: its name
 * @open: opens the nodes
 * @take: takes one block of a node, or
 * @run: takes so many blocks of the only node
 */
struct method {
	const char *name;
	void (*open)(struct loop *b);
	void (*take)(struct loop *b, unsigned int i);
	void (*run)(struct loop *b, unsigned long n);
};

/* The last entries have no name. */
extern const struct method map_methods[];
extern const struct method aio_methods[];

void open_data(struct loop *b);
void open_controls(struct loop *b, int flags);
void wait_for_input(int fd);

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

/* In the warm-up a block of another size may come that was left by another run. */
static inline void take_bytes(struct loop *b, unsigned int i, ssize_t n)
{
	if (n <= 0)
		die("%s: read of %llu bytes: %s", b->node[i],
		    (unsigned long long)b->size, n ? strerror(errno) : "end");
	b->bytes += n;
	touch(b, b->buf, n);
}

#endif /* LOOP_H */
