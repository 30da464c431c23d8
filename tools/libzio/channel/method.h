/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* method.h: what differs between the methods */
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
 * The operations of a method in one direction, chosen by zio_open(). Operations of inputs
 * return like the function of zio.h with the same name. Operations of the other direction
 * are NULL; so are others where a comment says so.
 */
struct zio_channel_ops {
	const char *name;	/* of zio_method() */
	bool is_file;
	bool polls_control;	/* poll() of the control node reports blocks */
	bool can_share;
	bool in_place;		/* zio_next_batch() needs no memory of the caller */

	/* Inputs. An output also has @next, which refuses. */
	int (*next)(struct zio_channel *ch, struct zio_block *blk);
	int (*next_control)(struct zio_channel *ch, struct zio_block *blk);
	int (*data)(struct zio_channel *ch, struct zio_block *blk);
	int (*next_into)(struct zio_channel *ch, struct zio_block *blk, void *mem,
			 size_t size);

	/*
	 * Read control and data of a block into @mem. If @room is too small, fail with
	 * EMSGSIZE: @blk has the size, and the next call returns the block. A partial
	 * block stays in the library. NULL: @next_batch never needs it.
	 */
	int (*into_room)(struct zio_channel *ch, struct zio_block *blk, uint8_t *mem,
			 size_t room);

	/* Take many blocks at once; 0: take them one by one. NULL: always 0. */
	int (*next_batch)(struct zio_batch *b);

	/* Wait before a read. NULL: the read itself reports that it must wait. */
	int (*wait)(struct zio_channel *ch);

	/*
	 * Skip data that the caller does not read. NULL: reading the next control does
	 * it.
	 */
	int (*skip)(struct zio_channel *ch);

	/* Are there blocks that poll() does not report? NULL: no. */
	bool (*has_block)(struct zio_channel *ch);

	/* Drop what is queued. NULL: the channel cannot be flushed. */
	int (*flush)(struct zio_channel *ch);

	/* Return the blocks in use to the kernel, before a close. May be NULL. */
	void (*release)(struct zio_channel *ch);

	/*
	 * Outputs: put the control to write in ch->control. NULL: write the control as it
	 * is; a block may have none.
	 */
	int (*prepare)(struct zio_channel *ch, const struct zio_control *control);

	/* The block of @control has been written. May be NULL. */
	void (*note)(struct zio_channel *ch, const struct zio_control *control);
};

/* Inputs; a "stream" is a block file that cannot seek. */
extern const struct zio_channel_ops zio_read_ops, zio_ring_ops;
extern const struct zio_channel_ops zio_tap_ops, zio_file_ops, zio_stream_ops;

/* Outputs */
extern const struct zio_channel_ops zio_write_ops, zio_file_write_ops;

#endif /* LIBZIO_METHOD_H */
