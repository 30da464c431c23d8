/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read many blocks at once, and keep blocks of a ring. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_BATCH_H
#define LIBZIO_ZIO_BATCH_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * zio_next_batch() - read the blocks that are there
 * @ch: an input channel
 * @blks: receives the blocks
 * @n: the greatest number of blocks, at least 1
 * @mem: memory for controls and samples, aligned to 8 bytes. With the method "ring" the
 *       library does not use it: it may be NULL
 * @size: bytes of @mem
 *
 * The function waits for the first block alone. Blocks of a ring are valid until the next
 * call on @ch, unless zio_keep() keeps them. Others are valid as long as @mem. An error
 * after the first block is returned by the next call of this function.
 *
 * Context: As zio_next().
 * Return: the number of blocks; 0 at end of file; -1 with errno as zio_next(). EMSGSIZE:
 * @mem is too small for the first block, whose size is in @blks; the next call gives it.
 */
int zio_next_batch(struct zio_channel *ch, struct zio_block *blks, unsigned int n,
		   void *mem, size_t size);

/**
 * zio_keep() - keep blocks of a ring, which calls would give back to the kernel
 * @ch: an input channel with the method "ring"
 * @oldest: the control, as the library gave it, of the oldest block to keep. It must be
 *          valid. NULL keeps no block
 *
 * Until another zio_keep(), the next calls give back only the blocks before @oldest. The
 * kernel has no room for new blocks in what the caller keeps: it loses blocks when the
 * rest is full.
 *
 * Keep no block while a call waits. poll(2) tells of kept blocks as of new ones. A trigger
 * on demand does not fire while the ring has any. See &zio_ring_room.ready.
 *
 * Context: One thread per channel. Does not wait.
 * Return: 0; -1 with errno: EOPNOTSUPP another method; EINVAL @oldest is no valid block,
 * or @ch is NULL.
 */
int zio_keep(struct zio_channel *ch, const struct zio_control *oldest);

/**
 * struct zio_ring_room - room of a ring
 * @blocks: number of blocks
 * @ready: blocks that are there, and that the caller has not got
 * @bytes: bytes of samples
 */
struct zio_ring_room {
	uint32_t blocks;
	uint32_t ready;
	uint64_t bytes;
};

/**
 * zio_ring_room() - tell how many blocks a ring holds, and how many are there
 * @ch: an input channel with the method "ring"
 * @room: receives the room
 *
 * Context: One thread per channel. Does not wait, and acquires no block.
 * Return: 0; -1 with errno: EOPNOTSUPP another method; EINVAL a pointer is NULL.
 */
int zio_ring_room(const struct zio_channel *ch, struct zio_ring_room *room);

#endif /* LIBZIO_ZIO_BATCH_H */
