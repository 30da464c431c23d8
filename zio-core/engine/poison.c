// SPDX-License-Identifier: GPL-2.0-only
/*
 * poison.c: find memory of a block that the driver of an input has not written
 *
 * A debug kernel fills each block before the driver gets it, and looks for the pattern when the
 * block is done. What still has it is old memory: samples of other times, or of other programs.
 * The driver gives the memory to its board, and takes it back, in between: so no other context
 * synchronises it. The caller owns the block.
 */
#include <linux/string.h>

#include "engine/internal.h"

#ifdef CONFIG_LOCKDEP

/* No board writes this: a counter of 32 bits comes there after 2^31 steps. */
#define ZIO_POISON	0x9e5ac37db1648f2dull

static void poison_warn(struct zio_channel_core *chan, const struct zio_block *block, size_t at)
{
	WARN_ONCE(1, "zio: %s has not written byte %zu of %zu of block %u\n",
		  chan->cset->zdev->desc->name, at, block->len, to_block_core(block)->seq);
}

static void (*poison_found)(struct zio_channel_core *chan, const struct zio_block *block,
			    size_t at) = poison_warn;

/* KUnit has drivers that write nothing. @found: NULL for a warning. */
void zio_poison_report_by(void (*found)(struct zio_channel_core *chan,
					const struct zio_block *block, size_t at))
{
	poison_found = found ?: poison_warn;
}

/* Blocks begin at multiples of ZIO_BLOCK_ALIGN. */
void zio_block_poison(struct zio_block *block)
{
	const u64 poison = ZIO_POISON;
	size_t n = block->size / sizeof(poison);

	memset64(block->data, poison, n);
	memcpy((u64 *)block->data + n, &poison, block->size % sizeof(poison));
}

/*
 * Fewer than four bytes at the end may match the pattern by chance. A program need not write its
 * memory: it only ever held blocks of its own device.
 */
void zio_block_check(struct zio_channel_core *chan, const struct zio_block *block)
{
	size_t i, n = block->len / sizeof(u64), rest = block->len % sizeof(u64);
	const u64 *word = block->data, poison = ZIO_POISON;

	if (chan->cset->flags & ZIO_CSET_MAPPED)
		return;
	for (i = 0; i < n && word[i] != poison; i++)
		;
	if (i < n || (rest >= 4 && !memcmp(&word[n], &poison, rest)))
		poison_found(chan, block, i * sizeof(u64));
}

#endif /* CONFIG_LOCKDEP */
