/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* method.h: what the methods do differently */
#ifndef LIBZIO_METHOD_H
#define LIBZIO_METHOD_H

#include "libzio/zio.h"

struct zio_batch {		/* of zio_next_batch() */
	struct zio_channel *ch;
	struct zio_block *blks;
	unsigned int n;
	uint8_t *mem;
	size_t size;
	size_t used;		/* bytes of mem */
};

/*
 * The operations of a method, in one direction. zio_open() chooses them. Those of inputs
 * return as the function of zio.h with the same name; operations are NULL where a text
 * says so, and in the other direction.
 */
struct zio_channel_ops {
	const char *name;	/* of zio_method() */
	bool is_file;
	bool polls_control;	/* poll() of the control node tells of blocks */
	bool can_share;
	bool in_place;		/* zio_next_batch() needs no memory of the caller */

	/* Inputs. An output has @next, too, which refuses. */
	int (*next)(struct zio_channel *ch, struct zio_block *blk);
	int (*next_control)(struct zio_channel *ch, struct zio_block *blk);
	int (*data)(struct zio_channel *ch, struct zio_block *blk);
	int (*next_into)(struct zio_channel *ch, struct zio_block *blk, void *mem,
			 size_t size);

	/*
	 * Read a block, its control and its data, to @mem. If there is less @room,
	 * EMSGSIZE: @blk has the size, and the next call gives the block. A part of a
	 * block stays in the library. NULL: @next_batch never needs it.
	 */
	int (*into_room)(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem,
			 size_t room);

	/* Take many blocks at once; 0: none, take them one by one. NULL: always 0. */
	int (*next_batch)(struct zio_batch *b);

	/* Wait before a read. NULL: the read itself tells that it must wait. */
	int (*wait)(struct zio_channel *ch);

	/* Pass data that the caller does not read. NULL: the next control does it. */
	int (*skip)(struct zio_channel *ch);

	/* Are there blocks that poll() does not tell of? NULL: no. */
	bool (*has_block)(struct zio_channel *ch);

	/* Drop what is queued. NULL: the channel cannot be flushed. */
	int (*flush)(struct zio_channel *ch);

	/* Before a close: return the blocks in use to the kernel. May be NULL. */
	void (*release)(struct zio_channel *ch);

	/*
	 * Outputs: put the control that is to be written in ch->control. NULL: the control is
	 * written as it is, and a block may have none.
	 */
	int (*prepare)(struct zio_channel *ch, const struct zio_control *control);

	/* The block of @control is written. May be NULL. */
	void (*note)(struct zio_channel *ch, const struct zio_control *control);
};

/* Inputs; a stream is a block file that cannot seek. */
extern const struct zio_channel_ops zio_read_ops, zio_ring_ops;
extern const struct zio_channel_ops zio_tap_ops, zio_file_ops, zio_stream_ops;

/* Outputs */
extern const struct zio_channel_ops zio_write_ops, zio_file_write_ops;

#endif /* LIBZIO_METHOD_H */
