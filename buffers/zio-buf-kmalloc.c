// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-buf-kmalloc.c: a fixed number of blocks, each from kmalloc()
 *
 * The free blocks are on a lock-less list, and any context may put blocks there. Only one
 * context at a time gets blocks: it detaches the whole list and keeps the rest for its next
 * call. After a change of geometry, blocks of the old generation are freed by put_block(),
 * or by get_block() when it finds them. The latter makes an order between put_block() and
 * commit() unnecessary; only blocks that outputs share are put concurrently with commit().
 */
#include <linux/atomic.h>
#include <linux/device/driver.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/zio-buffer.h>

/* A request for too much memory fails instead of starting the OOM killer. */
#define ZIO_BLOCK_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* The first cache line is for contexts that put blocks, the other one for the getter. */
struct kmalloc_buffer {
	struct llist_head free;
	struct llist_head stale;	/* for stale_work to free */
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
	kfree_rcu(block, rcu);
}

/* Returns the number of blocks freed. */
static int kmalloc_free_list(struct llist_node *list)
{
	struct zio_block_core *block, *next;
	int n = 0;

	llist_for_each_entry_safe(block, next, list, free) {
		free_block(block);
		n++;
	}
	return n;
}

static void kmalloc_free_stale(struct irq_work *work)
{
	struct kmalloc_buffer *kbuf = container_of(work, struct kmalloc_buffer, stale_work);

	atomic_sub(kmalloc_free_list(llist_del_all(&kbuf->stale)), &kbuf->count);
}

/* Under PREEMPT_RT a hard interrupt handler must not call kfree(). */
static void kmalloc_put_stale(struct kmalloc_buffer *kbuf, struct zio_block_core *block)
{
	llist_add(&block->free, &kbuf->stale);
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && (in_hardirq() || irqs_disabled()))
		irq_work_queue(&kbuf->stale_work);
	else
		kmalloc_free_stale(&kbuf->stale_work);
}

/* A block for a board that does DMA stays mapped for it as long as it exists. */
static struct zio_block_core *alloc_block(struct zio_buffer *buf, size_t size)
{
	size_t values = zio_buffer_values_size(buf), all = size + buf->trailer;
	struct zio_block_core *block = kzalloc(sizeof(*block) + values, ZIO_BLOCK_GFP);

	if (!block)
		return NULL;
	if (values)
		block->block.values = (u32 *)(block + 1);
	block->block.data = kzalloc(zio_buffer_dma_size(buf, all), ZIO_BLOCK_GFP);
	if (!block->block.data)
		goto err_data;
	block->dma = zio_dma_map_create(buf, block->block.data, all);
	if (IS_ERR(block->dma))
		goto err_map;
	/* Bounce buffers may be smaller than the block. */
	if (buf->one_piece && zio_dma_map_row(block->dma, 0, all) < all)
		goto err_piece;
	block->block.size = size;
	return block;

err_piece:
	zio_dma_map_free(block->dma);
err_map:
	kfree(block->block.data);
err_data:
	kfree(block);
	return NULL;
}

static bool kmalloc_is_fresh(const struct kmalloc_buffer *kbuf, const struct llist_node *free)
{
	return free && llist_entry(free, struct zio_block_core, free)->gen == kbuf->gen;
}

/* The fast path is inline; this one runs on the first call and after a list is used up. */
static noinline struct llist_node *kmalloc_refill(struct kmalloc_buffer *kbuf)
{
	struct llist_node *free;

	while ((free = kbuf->rest ?: llist_del_all(&kbuf->free))) {
		kbuf->rest = free;
		if (kmalloc_is_fresh(kbuf, free))
			break;
		kbuf->rest = free->next;
		kmalloc_put_stale(kbuf, llist_entry(free, struct zio_block_core, free));
	}
	return free;
}

/* Returns the next free block, which stays on the list; or NULL. */
static struct llist_node *kmalloc_find_free(struct kmalloc_buffer *kbuf)
{
	struct llist_node *free = kbuf->rest;

	return likely(kmalloc_is_fresh(kbuf, free)) ? free : kmalloc_refill(kbuf);
}

static void kmalloc_free_all(struct kmalloc_buffer *kbuf)
{
	int n = kmalloc_free_list(kbuf->rest) + kmalloc_free_list(llist_del_all(&kbuf->free));

	kbuf->rest = NULL;
	atomic_sub(n, &kbuf->count);
}

static int kmalloc_create(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = kzalloc(sizeof(*kbuf), GFP_KERNEL);

	if (!kbuf)
		return -ENOMEM;
	init_llist_head(&kbuf->free);
	init_llist_head(&kbuf->stale);
	init_irq_work(&kbuf->stale_work, kmalloc_free_stale);
	buf->priv = kbuf;
	return 0;
}

static void kmalloc_destroy(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = buf->priv;

	irq_work_sync(&kbuf->stale_work);
	kmalloc_free_all(kbuf);
	WARN(atomic_read(&kbuf->count), "zio: %d blocks have no owner\n",
	     atomic_read(&kbuf->count));
	kfree(kbuf);
}

static void *kmalloc_prepare(struct zio_buffer *buf, struct zio_geometry *geometry)
{
	struct llist_node *list = NULL;
	unsigned int n = geometry->len;
	struct zio_block_core *block;

	if (zio_buffer_dma_size(buf, geometry->block_size + buf->trailer) > KMALLOC_MAX_SIZE)
		return ERR_PTR(-ENOMEM);
	while (n--) {
		block = alloc_block(buf, geometry->block_size);
		if (!block) {
			kmalloc_free_list(list);
			return ERR_PTR(-ENOMEM);
		}
		block->free.next = list;
		list = &block->free;
	}
	return list;
}

static void kmalloc_discard(struct zio_buffer *buf, void *prepared)
{
	kmalloc_free_list(prepared);
}

static int kmalloc_commit(struct zio_buffer *buf, void *prepared)
{
	struct kmalloc_buffer *kbuf = buf->priv;
	struct zio_block_core *block, *next;

	WRITE_ONCE(kbuf->gen, kbuf->gen + 1);
	kmalloc_free_all(kbuf);
	llist_for_each_entry_safe(block, next, prepared, free) {
		block->gen = kbuf->gen;
		atomic_inc(&kbuf->count);
		llist_add(&block->free, &kbuf->free);
	}
	return 0;
}

static struct zio_block *kmalloc_get_block(struct zio_buffer *buf)
{
	struct kmalloc_buffer *kbuf = buf->priv;
	struct llist_node *free = kmalloc_find_free(kbuf);

	if (unlikely(!free))
		return NULL;
	kbuf->rest = free->next;
	return &llist_entry(free, struct zio_block_core, free)->block;
}

static unsigned int kmalloc_get_blocks(struct zio_buffer *buf, struct zio_block **slot,
				       unsigned int n)
{
	struct kmalloc_buffer *kbuf = buf->priv;
	struct llist_node *free;
	unsigned int i;

	for (i = 0; i < n; i++) {
		free = kmalloc_find_free(kbuf);
		if (unlikely(!free))
			break;
		kbuf->rest = free->next;
		WRITE_ONCE(slot[i], &llist_entry(free, struct zio_block_core, free)->block);
	}
	return i;
}

static bool kmalloc_has_room(struct zio_buffer *buf)
{
	return kmalloc_find_free(buf->priv);
}

static void kmalloc_put_block(struct zio_buffer *buf, struct zio_block *put)
{
	struct zio_block_core *block = to_block_core(put);
	struct kmalloc_buffer *kbuf = buf->priv;

	if (likely(block->gen == READ_ONCE(kbuf->gen)))
		llist_add(&block->free, &kbuf->free);
	else
		kmalloc_put_stale(kbuf, block);
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
	.get_blocks = kmalloc_get_blocks,
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
/*
 * With zio comes this module, and with this one zio-configfs. A second one behind zio itself
 * would be the last that "modprobe -r" removes for zio: with it goes zio, which modprobe
 * then does not find.
 */
MODULE_SOFTDEP("post: zio-configfs");
