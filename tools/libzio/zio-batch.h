/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read many blocks at once, and keep blocks of a ring. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_BATCH_H
#define LIBZIO_ZIO_BATCH_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * zio_next_batch() - read the available blocks
 * @ch: an input channel
 * @blks: receives the blocks
 * @n: maximum number of blocks, at least 1
 * @mem: memory for controls and samples, aligned to 8 bytes. May be NULL with the method
 *       "ring", which does not use it
 * @size: bytes of @mem
 *
 * Only the first block is waited for. Blocks of a ring are valid until the next call on
 * @ch, unless zio_keep() keeps them. Other blocks are valid as long as @mem. If a later
 * block fails, the next call of this function returns the error.
 *
 * Context: As zio_next().
 * Return: the number of blocks; 0 at end of file; -1 with errno as zio_next(). EMSGSIZE:
 * @mem is too small for the first block, whose size is in @blks; the next call returns
 * that block.
 */
int zio_next_batch(struct zio_channel *ch, struct zio_block *blks, unsigned int n,
		   void *mem, size_t size);

/**
 * zio_keep() - keep blocks of a ring beyond the next call
 * @ch: an input channel with the method "ring"
 * @oldest: the control of the oldest block to keep, as the library returned it and still
 *          valid. NULL keeps no block
 *
 * Without this, each call on the channel returns the blocks before it to the kernel. From
 * now until another zio_keep(), calls return only the blocks before @oldest. The kernel
 * cannot reuse the room of kept blocks: it loses blocks when the rest of the ring is
 * full.
 *
 * Do not keep blocks across a call that waits: poll(2) reports kept blocks like new ones,
 * and a trigger on demand does not fire while the ring holds any. See
 * &zio_ring_room.ready.
 *
 * Context: One thread per channel. Does not wait.
 * Return: 0; -1 with errno: EOPNOTSUPP another method; EINVAL @oldest is not a valid
 * block, or @ch is NULL.
 */
int zio_keep(struct zio_channel *ch, const struct zio_control *oldest);

/**
 * struct zio_ring_room - capacity and fill of a ring
 * @blocks: capacity in blocks
 * @ready: blocks in the ring that the caller has not yet read
 * @bytes: capacity in bytes of samples
 */
struct zio_ring_room {
	uint32_t blocks;
	uint32_t ready;
	uint64_t bytes;
};

/**
 * zio_ring_room() - tell how many blocks fit into a ring, and how many are ready
 * @ch: an input channel with the method "ring"
 * @room: receives the room
 *
 * Context: One thread per channel. Does not wait, and acquires no block.
 * Return: 0; -1 with errno: EOPNOTSUPP another method; EINVAL a pointer is NULL.
 */
int zio_ring_room(const struct zio_channel *ch, struct zio_ring_room *room);

#endif /* LIBZIO_ZIO_BATCH_H */
