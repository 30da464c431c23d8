// SPDX-License-Identifier: GPL-2.0-only
/*
 * mem.c: users of a block's memory
 *
 * Usually the owner of a block is the only user of its memory: block->mem is NULL, and
 * the owner puts the block into its buffer. An input's block can have more users: outputs
 * that play the memory (share/share.c), and dma-bufs (dmabuf/dmabuf.c). Then block->mem
 * counts them, with the owner, and the last one gives the block back. The count is part of
 * the block: a route shares in hard interrupt context, without an allocation.
 *
 * The last user may stay long after the reader has closed its files. The buffer may be
 * replaced by then, or the board gone. So a zio_mem holds the buffer. The buffer holds
 * the memory, the module of its type, and the channel. No unplug waits for a user.
 */
#include <linux/export.h>

#include "engine/internal.h"

struct workqueue_struct *zio_wq;
EXPORT_SYMBOL_GPL(zio_wq);

/* Context: Any, so a work item frees the buffer. */
static void mem_give_back(struct kref *ref)
{
	struct zio_block_core *core = container_of(ref, struct zio_block_core, share.ref);
	struct zio_buffer *buf = core->share.buf;
	struct zio_channel_core *chan = buf->chan;

	core->mem = NULL;
	buf->type->ops->put_block(buf, &core->block);
	if (READ_ONCE(chan->buf) == buf) {
		zio_channel_wake(chan, ZIO_WAKE_IN);
		/* An output with a route notifies the input itself, when it is done. */
		if (READ_ONCE(chan->has_former_outputs))
			zio_channel_notify(chan);
		if (READ_ONCE(chan->cset->rearm))
			zio_cset_kick_later(chan->cset);
	}
	if (refcount_dec_and_test(&buf->ref))
		queue_work(zio_wq, &buf->end_work);
}

/* Counts the users of an input block's memory from now on. Its owner, the caller, is the first. */
struct zio_mem *zio_block_share_mem(struct zio_block *block, struct zio_buffer *buf)
{
	struct zio_block_core *core = to_block_core(block);

	if (!core->mem) {
		refcount_inc(&buf->ref);
		kref_init(&core->share.ref);
		core->share.buf = buf;
		core->mem = &core->share;
	}
	return core->mem;
}
EXPORT_SYMBOL_GPL(zio_block_share_mem);

/* Ends one use of a block's memory. The last user gives the block back to its buffer. */
void zio_mem_put(struct zio_mem *mem)
{
	kref_put(&mem->ref, mem_give_back);
}
EXPORT_SYMBOL_GPL(zio_mem_put);

/*
 * Lets an output's block, whose length is set, play the samples at @data in the memory of an
 * input's block. The caller is a user of @mem.
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

/* Lets an output's block use its own memory again. */
void zio_block_end_borrow(struct zio_block *block)
{
	struct zio_block_core *core = to_block_core(block);
	struct zio_mem *mem = core->borrowed;

	core->borrowed = NULL;
	block->data = core->own.data;
	block->size = core->own.size;
	zio_mem_put(mem);
}
