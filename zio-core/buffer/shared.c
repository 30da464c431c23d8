// SPDX-License-Identifier: GPL-2.0-only
/* shared.c: blocks whose memory outputs or other devices use */
#include "buffer/internal.h"

/**
 * zio_share_release() - put a block whose memory has no user any more
 * @mem: the count of its users, a part of the block
 *
 * Context: Any.
 */
void zio_share_release(struct zio_mem *mem)
{
	struct zio_block_core *core = container_of(mem, struct zio_block_core, share);
	struct zio_buffer *buf = mem->buf;

	zio_buffer_take_back(buf, &core->block);
	zio_buffer_put_async(buf);
}
