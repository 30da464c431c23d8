// SPDX-License-Identifier: GPL-2.0-only
/*
 * mem.c: users of a block's memory
 *
 * Usually the owner of a block is the only user of its memory: block->mem is NULL, and
 * the owner puts the block into its buffer. An input's block can have more users: outputs
 * that play the memory (share/share.c), and dma-bufs (channel/dmabuf.c). Then block->mem
 * counts them, with the owner, and the last one gives the block back. The count is part of
 * the block: a route shares in hard interrupt context, without an allocation.
 *
 *  - (X) A user drops its reference after its last access (release). The last user
 *    gives the block back after it has seen the others' (acquire). It pairs with itself
 *    in zio_mem_put(). Without it, the block could be filled again while another user
 *    still reads its samples.
 *
 * The last user may stay long after the reader has closed its files. The buffer may be
 * replaced by then, or the board gone. So a zio_mem holds the buffer. The buffer holds
 * the memory, the module of its type, and the channel. No unplug waits for a user.
 */
#include "engine/internal.h"

/**
 * zio_mem_put() - drop a reference to the memory of a block
 * @mem: the count; the caller is one of the users
 *
 * Context: Any.
 */
void zio_mem_put(struct zio_mem *mem)
{
	if (refcount_dec_and_test(&mem->ref))			/* X */
		mem->release(mem);
}

/**
 * zio_block_borrow() - let an output's block use the memory of an input's block
 * @block: the output's block, whose length is set
 * @mem: the users of the memory
 * @data: the samples in the memory
 *
 * Context: Any; the caller is a user of @mem.
 */
void zio_block_borrow(struct zio_block *block, struct zio_mem *mem, void *data)
{
	struct zio_block_core *core = to_block_core(block);

	zio_mem_get(mem);
	core->borrowed = mem;
	core->own.data = block->data;
	core->own.size = block->size;
	block->data = data;
	block->size = block->len;
}

/**
 * zio_block_end_borrow() - let an output's block use its own memory again
 * @block: the block
 *
 * Context: Any.
 */
void zio_block_end_borrow(struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);
	struct zio_mem *mem = core->borrowed;

	core->borrowed = NULL;
	block->data = core->own.data;
	block->size = core->own.size;
	zio_mem_put(mem);
}
