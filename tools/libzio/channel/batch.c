// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read many blocks with one call
 *
 * Blocks of a ring stay in place. A regular file is read in large pieces, and its blocks
 * stay where read() put them. All others are read one by one into the memory of the
 * caller.
 *
 * An error ends the batch. Unless the first block fails, the channel keeps the error for
 * the next call.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"

#define HEAD sizeof(struct zio_control)
#define ALIGNED(size) (((size) + 7) & ~(size_t)7)
/* Room for a block of unknown size in the first read of a file */
#define GUESS ((size_t)4096)
/* The control up to the last field that zio_check_control() and zio_count_block() read */
#define CHECKED (offsetof(struct zio_control, flags) + sizeof(uint32_t))

void zio_note_late_error(struct zio_channel *ch)
{
	ch->late.code = errno;
	ch->late.fault = ch->fault;
}

static int fail_late(struct zio_channel *ch)
{
	int code = ch->late.code;

	ch->late.code = 0;
	return zio_fail(ch, ch->late.fault, code);
}

/* --- regular files */

/* Read up to @size bytes. A signal does not shorten the read of a regular file. */
static size_t read_piece(struct zio_batch *b, size_t size)
{
	ssize_t n = read(b->ch->ctrl_fd, b->mem, size);

	return n < 0 ? 0 : (size_t)n;
}

/*
 * A partial block would be read twice, so assume that the next blocks are as large as the
 * last.
 */
static size_t piece_size(const struct zio_batch *b)
{
	const struct zio_channel *ch = b->ch;
	size_t one = HEAD + (ch->seq.known ? ch->size : GUESS);
	size_t fit = b->size / one;

	if (fit >= b->n)
		return one * b->n;
	return ch->seq.known && fit ? one * fit : b->size;
}

/* Check only a copy of the control. Returns false at an incomplete block. */
static bool take_from_piece(struct zio_batch *b, struct zio_block *blk, size_t got)
{
	struct zio_channel *ch = b->ch;
	uint8_t *at = b->mem + b->used;

	if (got - b->used < HEAD)
		return false;
	memcpy(&ch->control, at, CHECKED);
	if (zio_check_control(ch) || ch->size > ch->max_block ||
	    ch->size > got - b->used - HEAD)
		return false;
	zio_count_block(ch);
	ch->stats.bytes += ch->size;
	*blk = (struct zio_block){ .control = (void *)at, .size = ch->size,
				   .data = ch->size ? at + HEAD : NULL,
				   .lost = ch->lost };
	b->used += HEAD + ch->size;
	return true;
}

/*
 * Returns the number of blocks; 0 to fall back to reading block by block, which finds the
 * end of the file and errors. After a block of odd size the next control would be
 * unaligned.
 */
int zio_batch_from_file(struct zio_batch *b)
{
	struct zio_channel *ch = b->ch;
	unsigned int i = 0;
	size_t got;

	if (ch->stage == ZIO_STAGE_HAS_CONTROL && ch->ops->skip(ch))
		return 0;
	if (ch->stage != ZIO_STAGE_CONTROL || ch->done || (ch->size & 7) || zio_give_back(ch))
		return 0;
	got = read_piece(b, piece_size(b));
	while (i < b->n && !(b->used & 7) && take_from_piece(b, &b->blks[i], got))
		i++;
	ch->file.at_byte += b->used;
	if (got > b->used && lseek(ch->ctrl_fd, -(off_t)(got - b->used), SEEK_CUR) < 0)
		ch->stage = ZIO_STAGE_LOST;
	return (int)i;
}

/* --- all others, block by block */

static size_t room_of(const struct zio_batch *b)
{
	return b->size > b->used ? b->size - b->used : 0;
}

static int take_block(struct zio_batch *b, struct zio_block *blk)
{
	struct zio_channel *ch = b->ch;
	int ret = ch->ops->into_room(ch, blk, b->mem + b->used, room_of(b));

	if (ret > 0)
		b->used += ALIGNED(HEAD + blk->size);
	return ret;
}

/* Wait only for the first block. */
static int take_each(struct zio_batch *b)
{
	struct zio_channel *ch = b->ch;
	const bool nonblock = ch->nonblock;
	unsigned int i = 0;
	int ret = 1;

	while (i < b->n && ret > 0) {
		ret = take_block(b, &b->blks[i]);
		i += ret > 0;
		ch->nonblock = true;
	}
	ch->nonblock = nonblock;
	if (i && ret < 0 && errno != EAGAIN && errno != EINTR &&
	    ch->fault != ZIO_FAULT_CALLER_SIZE)
		zio_note_late_error(ch);
	return i ? (int)i : ret;
}

int zio_next_batch(struct zio_channel *ch, struct zio_block *blks, unsigned int n,
		   void *mem, size_t size)
{
	struct zio_batch b = { .ch = ch, .blks = blks, .n = n, .mem = mem, .size = size };
	int ret = 0;

	if (!ch || !blks || !n || (!mem && !ch->ops->in_place))
		return zio_fail_null(ch);
	if (ch->output)
		return zio_fail(ch, ZIO_FAULT_DIRECTION, EBADF);
	if (ch->data_fd < 0)
		return zio_fail(ch, ZIO_FAULT_NO_DATA_NODE, EBADF);
	if (ch->late.code)
		return fail_late(ch);
	if (ch->ops->next_batch)
		ret = ch->ops->next_batch(&b);
	return ret ? ret : take_each(&b);
}
