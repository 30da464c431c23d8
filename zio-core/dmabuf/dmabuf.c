// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmabuf.c: samples that another device reads, or writes for an output
 *
 * ZIO_IOC_DMABUF makes a dma-buf of a channel's area, or of the pages of one block.
 *
 *   area   It counts as a mapping: the area is not replaced meanwhile. It outlives the
 *          file, the buffer and the board.
 *   block  The dma-buf is a user of the block's memory (engine/mem.c). The block returns to
 *          its buffer after its last user.
 *
 * An importer may close the dma-buf while its device still works on the memory. Then there
 * is a fence that has not signalled, and may never do so. So no context waits for it: its
 * callback queues a work item, which looks for the next fence, and drops the memory without
 * one. The fences are in a dma_resv of the export's own, as that of the dma-buf ends with
 * it. A block is done when it is exported: no fence is needed for its producer.
 *
 * The dma-buf holds the module until its release() returns. From then on the export holds
 * it, until the work item has dropped the memory. That work item is on the queue of the
 * core, which the module flushes when it is unloaded.
 */
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "channel/channel.h"
#include "compat.h"

zio_import_dma_buf();

/* What importers have: whole pages of an area */
struct zio_export {
	struct zio_area *area;
	size_t pos;
	size_t size;
	bool is_writable;
	struct zio_mem *mem;		/* of a block; NULL for the area */
	struct dma_resv resv;
	struct zio_charge charge;
	struct mutex lock;		/* the list */
	struct list_head mappings;
	struct work_struct end_work;
	struct dma_fence *fence;	/* whose callback queues end_work */
	struct dma_fence_cb fence_cb;
};

/* For one importer, from map_dma_buf() to unmap_dma_buf() */
struct export_mapping {
	struct list_head node;
	struct device *dev;
	enum dma_data_direction dir;
	struct sg_table sgt;
};

static int dmabuf_export_fill_table(const struct zio_export *export, struct sg_table *sgt,
				    unsigned int max_segment)
{
	unsigned int n = PFN_DOWN(export->size), i;
	struct page **pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	int ret;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		pages[i] = vmalloc_to_page(export->area->mem + export->pos +
					   (size_t)i * PAGE_SIZE);
	ret = sg_alloc_table_from_pages_segment(sgt, pages, n, 0, export->size, max_segment,
						GFP_KERNEL);
	kvfree(pages);
	return ret;
}

static struct sg_table *dmabuf_map_export(struct dma_buf_attachment *attach,
					  enum dma_data_direction dir)
{
	struct zio_export *export = attach->dmabuf->priv;
	struct export_mapping *mapping;
	int ret;

	if (dir != DMA_TO_DEVICE && !export->is_writable)
		return ERR_PTR(-EACCES);
	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL);
	if (!mapping)
		return ERR_PTR(-ENOMEM);
	ret = dmabuf_export_fill_table(export, &mapping->sgt, dma_get_max_seg_size(attach->dev));
	if (ret)
		goto err_table;
	ret = dma_map_sgtable(attach->dev, &mapping->sgt, dir, 0);
	if (ret)
		goto err_map;
	mapping->dev = attach->dev;
	mapping->dir = dir;
	mutex_lock(&export->lock);
	list_add(&mapping->node, &export->mappings);
	mutex_unlock(&export->lock);
	return &mapping->sgt;

err_map:
	sg_free_table(&mapping->sgt);
err_table:
	kfree(mapping);
	return ERR_PTR(ret);
}

static void dmabuf_unmap_export(struct dma_buf_attachment *attach, struct sg_table *sgt,
				enum dma_data_direction dir)
{
	struct export_mapping *mapping = container_of(sgt, struct export_mapping, sgt);
	struct zio_export *export = attach->dmabuf->priv;

	mutex_lock(&export->lock);
	list_del(&mapping->node);
	mutex_unlock(&export->lock);
	dma_unmap_sgtable(attach->dev, sgt, dir, 0);
	sg_free_table(sgt);
	kfree(mapping);
}

/* A program is about to access the memory: DMA_BUF_IOCTL_SYNC. */
static int dmabuf_begin_cpu(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct zio_export *export = dmabuf->priv;
	struct export_mapping *mapping;

	mutex_lock(&export->lock);
	list_for_each_entry(mapping, &export->mappings, node)
		dma_sync_sgtable_for_cpu(mapping->dev, &mapping->sgt, mapping->dir);
	mutex_unlock(&export->lock);
	return 0;
}

/* The importers see what is in the memory now: samples that came since they mapped it. */
static int dmabuf_end_cpu(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct zio_export *export = dmabuf->priv;
	struct export_mapping *mapping;

	mutex_lock(&export->lock);
	list_for_each_entry(mapping, &export->mappings, node)
		dma_sync_sgtable_for_device(mapping->dev, &mapping->sgt, mapping->dir);
	mutex_unlock(&export->lock);
	return 0;
}

/* The dma-buf of a block shows no other page of the area: its mapping does not grow. */
static int dmabuf_map_pages(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct zio_export *export = dmabuf->priv;

	vma->vm_pgoff += PFN_DOWN(export->pos);
	zio_vm_flags_set(vma, VM_DONTEXPAND);
	return zio_area_map(export->area, vma, export->is_writable);
}

static int dmabuf_map_address(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct zio_export *export = dmabuf->priv;

	iosys_map_set_vaddr(map, export->area->mem + export->pos);
	return 0;
}

static void dmabuf_free_export(struct zio_export *export)
{
	if (export->mem)
		zio_mem_put(export->mem);
	else if (export->area)
		atomic_dec(&export->area->maps);
	zio_area_put(export->area);
	zio_uncharge(&export->charge, SIZE_MAX);
	dma_resv_fini(&export->resv);
	kfree(export);
}

/* Returns a fence that has not signalled, with a reference; or NULL. */
static struct dma_fence *dmabuf_find_fence(struct dma_resv *resv)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_iter_begin(&cursor, resv, DMA_RESV_USAGE_BOOKKEEP);
	fence = dma_resv_iter_first_unlocked(&cursor);
	if (fence)
		dma_fence_get(fence);
	dma_resv_iter_end(&cursor);
	return fence;
}

/* Context: Any. */
static void dmabuf_queue_end(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct zio_export *export = container_of(cb, struct zio_export, fence_cb);

	queue_work(zio_wq, &export->end_work);
}

/* Returns false if all fences have signalled; else the last one will queue the work item. */
static bool dmabuf_wait_for_fence(struct zio_export *export)
{
	struct dma_fence *fence;

	dma_fence_put(export->fence);
	while ((fence = dmabuf_find_fence(&export->resv))) {
		export->fence = fence;
		if (!dma_fence_add_callback(fence, &export->fence_cb, dmabuf_queue_end))
			return true;
		dma_fence_put(fence);
	}
	return false;
}

static void dmabuf_end_export(struct work_struct *work)
{
	struct zio_export *export = container_of(work, struct zio_export, end_work);

	if (dmabuf_wait_for_fence(export))
		return;
	dmabuf_free_export(export);
	module_put(THIS_MODULE);
}

/* The dma-buf still holds the module. */
static void dmabuf_release_export(struct dma_buf *dmabuf)
{
	struct zio_export *export = dmabuf->priv;

	__module_get(THIS_MODULE);
	queue_work(zio_wq, &export->end_work);
}

static const struct dma_buf_ops export_ops = {
	.map_dma_buf = dmabuf_map_export,
	.unmap_dma_buf = dmabuf_unmap_export,
	.begin_cpu_access = dmabuf_begin_cpu,
	.end_cpu_access = dmabuf_end_cpu,
	.mmap = dmabuf_map_pages,
	.vmap = dmabuf_map_address,
	.release = dmabuf_release_export,
};

static struct zio_export *dmabuf_alloc_export(void)
{
	struct zio_export *export = kzalloc(sizeof(*export), GFP_KERNEL_ACCOUNT);

	if (!export)
		return NULL;
	dma_resv_init(&export->resv);
	mutex_init(&export->lock);
	INIT_LIST_HEAD(&export->mappings);
	INIT_WORK(&export->end_work, dmabuf_end_export);
	return export;
}

static int dmabuf_export_area(struct zio_export *export, const struct zio_session *sess)
{
	export->area = zio_area_get(&sess->chan->data_area);
	if (!export->area)
		return READ_ONCE(sess->chan->cset->gone) ? -ENODEV : -EOPNOTSUPP;
	if (!atomic_inc_unless_negative(&export->area->maps)) {
		zio_area_put(export->area);
		export->area = NULL;
		return -EBUSY;
	}
	export->size = export->area->size;
	return 0;
}

/* The session is locked, and has a block of a buffer with an area. */
static void dmabuf_export_pages(struct zio_export *export, struct zio_session *sess,
				struct zio_dmabuf *arg)
{
	struct zio_buffer *buf = sess->chan->buf;
	struct zio_block *block = sess->block;
	size_t offset = to_block_core(block)->mem_offset;

	kref_get(&buf->area->ref);
	export->area = buf->area;
	export->pos = round_down(offset, PAGE_SIZE);
	export->size = PAGE_ALIGN(offset + max_t(size_t, block->len, 1)) - export->pos;
	export->mem = zio_block_share_mem(block, buf);
	zio_mem_get(export->mem);
	arg->offset = offset - export->pos;
	arg->size = block->len;
}

static int dmabuf_export_block(struct zio_export *export, struct zio_session *sess, bool nowait,
			       struct zio_dmabuf *arg)
{
	int ret;

	if (zio_cset_is_output(sess->chan->cset))
		return -EOPNOTSUPP;
	ret = zio_session_lock(sess);
	if (ret)
		return ret;
	ret = zio_session_next(sess, nowait);
	if (!ret && !sess->chan->buf->area)
		ret = -EOPNOTSUPP;
	if (!ret)
		dmabuf_export_pages(export, sess, arg);
	zio_session_unlock(sess);
	return ret;
}

/* The dma-buf owns the export, also on error. */
static struct dma_buf *dmabuf_create(struct zio_export *export)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;

	info.exp_name = "zio";
	info.ops = &export_ops;
	info.size = export->size;
	info.flags = export->is_writable ? O_RDWR : O_RDONLY;
	info.resv = &export->resv;
	info.priv = export;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf))
		dmabuf_free_export(export);
	return dmabuf;
}

/* The program gets the descriptor last: nothing fails after that. */
static int dmabuf_install(struct dma_buf *dmabuf, struct zio_dmabuf *arg,
			  struct zio_dmabuf __user *to)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	arg->fd = fd;
	if (copy_to_user(to, arg, sizeof(*arg))) {
		put_unused_fd(fd);
		return -EFAULT;
	}
	fd_install(fd, dmabuf->file);
	return 0;
}

static int dmabuf_export_part(struct zio_export *export, struct file *file, struct zio_dmabuf *arg)
{
	struct zio_session *sess = file->private_data;
	int ret;

	export->is_writable = zio_cset_is_output(sess->chan->cset);
	if (arg->flags & ZIO_DMABUF_BLOCK)
		return dmabuf_export_block(export, sess, file->f_flags & O_NONBLOCK, arg);
	/* As for mmap(): the other device may write what this program may write. */
	if (export->is_writable && !(file->f_mode & FMODE_READ))
		return -EACCES;
	ret = dmabuf_export_area(export, sess);
	arg->offset = 0;
	arg->size = export->size;
	return ret;
}

/*
 * Allocates before it locks the session. The user keeps the pages as long as any program has
 * the dma-buf.
 */
static struct zio_export *dmabuf_make_export(struct file *file, struct zio_dmabuf *arg)
{
	struct zio_export *export = dmabuf_alloc_export();
	int ret;

	if (!export)
		return ERR_PTR(-ENOMEM);
	ret = dmabuf_export_part(export, file, arg) ?: zio_charge(&export->charge, export->size);
	if (!ret)
		return export;
	dmabuf_free_export(export);
	return ERR_PTR(ret);
}

/*
 * Handles ZIO_IOC_DMABUF. @file: a data node. @to: user address of a struct zio_dmabuf. Context:
 * Process, sleeps. Returns 0; -EINVAL for flags that are not known; -EFAULT; -EOPNOTSUPP for a
 * buffer without an area, or for a block of an output; -EACCES for an output that is open for
 * writing only; -EBUSY while the area is being replaced; -EDQUOT as zio_charge(); -EMFILE; -ENOMEM;
 * -ENODEV when the board is gone; for a block also as read().
 */
static long dmabuf_export(struct file *file, struct zio_dmabuf __user *to)
{
	struct zio_export *export;
	struct dma_buf *dmabuf;
	struct zio_dmabuf arg;
	int ret;

	if (copy_from_user(&arg, to, sizeof(arg)))
		return -EFAULT;
	if (arg.flags & ~ZIO_DMABUF_BLOCK)
		return -EINVAL;
	export = dmabuf_make_export(file, &arg);
	if (IS_ERR(export))
		return PTR_ERR(export);
	dmabuf = dmabuf_create(export);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = dmabuf_install(dmabuf, &arg, to);
	if (ret)
		dma_buf_put(dmabuf);
	return ret;
}

static const struct zio_dmabuf_ops dmabuf_ops = {
	.owner = THIS_MODULE,
	.export = dmabuf_export,
};

static int __init dmabuf_init(void)
{
	zio_dmabuf_set_ops(&dmabuf_ops);
	return 0;
}

static void __exit dmabuf_exit(void)
{
	zio_dmabuf_set_ops(NULL);
	flush_workqueue(zio_wq);
}

module_init(dmabuf_init);
module_exit(dmabuf_exit);
MODULE_DESCRIPTION("ZIO: samples for other devices, as dma-bufs");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
