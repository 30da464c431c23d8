// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-buf-kmalloc.c: a fixed number of blocks, each from kmalloc()
 *
 * The free blocks are on a lock-less list. Any context puts blocks on it. Only one
 * context at a time gets a block; it detaches the whole list and keeps the rest for its
 * next call. After a change of the geometry, put_block() frees the blocks of the former
 * geometry, which have another generation.
 *
 *   Z  commit() changes the generation, waits for a grace period, and then frees the
 *      free blocks. (Z) pairs with the load of the generation in put_block(), which runs
 *      under RCU for a shared block (buffer.c). put_block() sees the new generation and
 *      frees the block, or commit() finds the block on the list. Without it, a block of
 *      the former size could stay among the new ones.
 *      A buffer that no output shares needs no grace period: its last put_block() comes
 *      before put_async() of the core, and free_all() ends with an exchange.
 */
#include <linux/atomic.h>
#include <linux/device/driver.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/zio-buffer.h>

/* A request for too much memory fails, and does not start the OOM killer. */
#define ZIO_BLOCK_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Contexts that put blocks use the first line. The one that gets blocks has the other. */
struct kmalloc_buffer {
	struct llist_head free;
	struct llist_head stale;	/* to be freed by stale_work */
	struct irq_work stale_work;
	unsigned int gen;
	atomic_t count;
	/* free blocks that get_block() has detached */
	struct llist_node *rest ____cacheline_aligned_in_smp;
};

static void free_block(struct zio_block_core *block)
{
	zio_block_free_snapshot(&block->block);
	zio_dma_map_free(block->dma);
	kfree(block->block.data);
	kfree(block);
}

static void free_list(struct llist_node *list)
{
	struct zio_block_core *block, *next;

	llist_for_each_entry_safe(block, next, list, free)
		free_block(block);
}

/* Under PREEMPT_RT a hard interrupt handler must not call kfree(). */
static void free_stale(struct irq_work *work)
{
	struct kmalloc_buffer *kbuf = container_of(work, struct kmalloc_buffer, stale_work);
	struct zio_block_core *block, *next;

	llist_for_each_entry_safe(block, next, llist_del_all(&kbuf->stale), free) {
		free_block(block);
		atomic_dec(&kbuf->count);
	}
}

/* A block for a board that does DMA is mapped for it as long as it exists. */
static struct zio_block_core *alloc_block(struct zio_buffer *buf, size_t size)
{
	size_t shots = zio_buffer_shots_size(buf);
	struct zio_block_core *block = kzalloc(sizeof(*block) + shots, ZIO_BLOCK_GFP);

	if (!block)
		return NULL;
	if (shots)
		block->shots = (u32 *)(block + 1);
	block->block.data = kzalloc(zio_buffer_dma_size(buf, size), ZIO_BLOCK_GFP);
	if (!block->block.data)
		goto err_data;
	block->dma = zio_dma_map_create(buf, block->block.data, size);
	if (IS_ERR(block->dma))
		goto err_map;
	block->block.size = size;
	return block;

err_map:
	kfree(block->block.data);
err_data:
	kfree(block);
	return NULL;
}

static struct zio_block_core *take_free(struct kmalloc_buffer *kbuf)
{
	struct llist_node *node = kbuf->rest ?: llist_del_all(&kbuf->free);

	if (!node)
		return NULL;
	WRITE_ONCE(kbuf->rest, node->next);
	return llist_entry(node, struct zio_block_core, free);
}

static void free_all(struct kmalloc_buffer *kbuf)
{
	struct zio_block_core *block;

	while ((block = take_free(kbuf))) {
		free_block(block);
		atomic_dec(&kbuf->count);
	}
}

static int kmalloc_create(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = kzalloc(sizeof(*kbuf), GFP_KERNEL);

	if (!kbuf)
		return -ENOMEM;
	init_llist_head(&kbuf->free);
	init_llist_head(&kbuf->stale);
	init_irq_work(&kbuf->stale_work, free_stale);
	buf->priv = kbuf;
	return 0;
}

static void kmalloc_destroy(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = buf->priv;

	irq_work_sync(&kbuf->stale_work);
	free_all(kbuf);
	WARN(atomic_read(&kbuf->count), "zio: %d blocks have no owner\n",
	     atomic_read(&kbuf->count));
	kfree(kbuf);
}

static void *kmalloc_prepare(struct zio_buffer *buf,
			     const struct zio_geometry *geometry)
{
	struct llist_node *list = NULL;
	unsigned int n = geometry->len;
	struct zio_block_core *block;

	if (zio_buffer_dma_size(buf, geometry->block_size) > KMALLOC_MAX_SIZE)
		return ERR_PTR(-ENOMEM);
	while (n--) {
		block = alloc_block(buf, geometry->block_size);
		if (!block) {
			free_list(list);
			return ERR_PTR(-ENOMEM);
		}
		block->free.next = list;
		list = &block->free;
	}
	return list;
}

static void kmalloc_discard(struct zio_buffer *buf, void *prepared)
{
	free_list(prepared);
}

static int kmalloc_commit(struct zio_buffer *buf, void *prepared)
{
	struct kmalloc_buffer *kbuf = buf->priv;
	struct zio_block_core *block, *next;

	WRITE_ONCE(kbuf->gen, kbuf->gen + 1);
	if (zio_buffer_is_shared(buf))
		synchronize_rcu();				/* Z */
	free_all(kbuf);
	llist_for_each_entry_safe(block, next, prepared, free) {
		block->gen = kbuf->gen;
		atomic_inc(&kbuf->count);
		llist_add(&block->free, &kbuf->free);
	}
	return 0;
}

static struct zio_block *kmalloc_get_block(struct zio_buffer *buf)
{
	struct zio_block_core *block = take_free(buf->priv);

	return block ? &block->block : NULL;
}

static bool kmalloc_has_room(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = buf->priv;

	return READ_ONCE(kbuf->rest) || !llist_empty(&kbuf->free);
}

static void kmalloc_put_block(struct zio_buffer *buf, struct zio_block *put)
{
	struct zio_block_core *block = to_block_core(put);
	struct kmalloc_buffer *kbuf = buf->priv;

	if (likely(block->gen == READ_ONCE(kbuf->gen))) {	/* Z */
		llist_add(&block->free, &kbuf->free);
		return;
	}
	llist_add(&block->free, &kbuf->stale);
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && (in_hardirq() || irqs_disabled()))
		irq_work_queue(&kbuf->stale_work);
	else
		free_stale(&kbuf->stale_work);
}

static unsigned int kmalloc_count(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = buf->priv;

	return atomic_read(&kbuf->count);
}

static const struct zio_buffer_ops kmalloc_ops = {
	.create = kmalloc_create,
	.destroy = kmalloc_destroy,
	.prepare = kmalloc_prepare,
	.commit = kmalloc_commit,
	.discard = kmalloc_discard,
	.get_block = kmalloc_get_block,
	.has_room = kmalloc_has_room,
	.put_block = kmalloc_put_block,
	.count = kmalloc_count,
};

static struct zio_buffer_type kmalloc_buffer_type = {
	.name = "kmalloc",
	.owner = THIS_MODULE,
	.ops = &kmalloc_ops,
};

module_driver(kmalloc_buffer_type, zio_buffer_type_register,
	      zio_buffer_type_unregister);

MODULE_DESCRIPTION("ZIO buffer: blocks from kmalloc()");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
