/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C code of the module zio._libzio: what would cost too much in Python */
#include <errno.h>
#include <string.h>

#include <zio.h>

/* A block in memory of the caller: the control, and the samples behind it */
#define HEAD sizeof(struct zio_control)

/*
 * zpy_next() - read the next block into memory of the caller
 * @mem: memory for the control and the samples
 * @size: bytes of @mem
 *
 * Return: as zio_next_into(). After EMSGSIZE the caller gets @blk, and zpy_fetch() gives
 * it the block.
 */
static int zpy_next(struct zio_channel *ch, struct zio_block *blk, void *mem, size_t size)
{
	int ret = zio_next_into(ch, blk, (char *)mem + HEAD, size - HEAD);

	if (ret > 0)
		memcpy(mem, blk->control, HEAD);
	return ret;
}

/* Read the data that did not fit, into a larger @mem. */
static int zpy_fetch(struct zio_channel *ch, struct zio_block *blk, void *mem, size_t size)
{
	int ret = zio_data(ch, blk);

	if (ret <= 0)
		return ret;
	if (blk->size > size - HEAD) {
		errno = EMSGSIZE;
		return -1;
	}
	memcpy(mem, blk->control, HEAD);
	if (blk->data)
		memcpy((char *)mem + HEAD, blk->data, blk->size);
	blk->data = (char *)mem + HEAD;
	return 1;
}
