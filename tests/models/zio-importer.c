// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-importer.c: a device that maps dma-bufs, and reads or writes them by DMA addresses
 *
 * Each open file of /dev/zio-importer is one importer. It has at most one dma-buf. The CPU
 * does what a device would do, so the machine has no IOMMU.
 */
#include <linux/dma-buf.h>
#include <linux/dma-direct.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include "zio-importer.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_map_attachment_unlocked		dma_buf_map_attachment
#define dma_buf_unmap_attachment_unlocked	dma_buf_unmap_attachment
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
MODULE_IMPORT_NS(DMA_BUF);
#else
MODULE_IMPORT_NS("DMA_BUF");
#endif

static struct platform_device *board;

struct importer {
	struct mutex lock;	/* all of it */
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct sg_table *sgt;
	enum dma_data_direction dir;
	struct dma_fence *fence;
};

static DEFINE_SPINLOCK(fence_lock);

static const char *importer_name(struct dma_fence *fence)
{
	return "zio-importer";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = importer_name,
	.get_timeline_name = importer_name,
};

static int attach(struct importer *imp, int fd)
{
	if (imp->dmabuf)
		return -EBUSY;
	imp->dmabuf = dma_buf_get(fd);
	if (IS_ERR(imp->dmabuf)) {
		int ret = PTR_ERR(imp->dmabuf);

		imp->dmabuf = NULL;
		return ret;
	}
	imp->attach = dma_buf_attach(imp->dmabuf, &board->dev);
	if (!IS_ERR(imp->attach))
		return 0;
	dma_buf_put(imp->dmabuf);
	imp->dmabuf = NULL;
	return PTR_ERR(imp->attach);
}

static void unmap(struct importer *imp)
{
	if (imp->sgt)
		dma_buf_unmap_attachment_unlocked(imp->attach, imp->sgt, imp->dir);
	imp->sgt = NULL;
}

static int detach(struct importer *imp)
{
	if (!imp->dmabuf)
		return -EINVAL;
	unmap(imp);
	dma_buf_detach(imp->dmabuf, imp->attach);
	dma_buf_put(imp->dmabuf);
	imp->dmabuf = NULL;
	return 0;
}

static int map(struct importer *imp, enum dma_data_direction dir)
{
	struct sg_table *sgt;

	if (!imp->dmabuf || imp->sgt || !valid_dma_direction(dir))
		return -EINVAL;
	sgt = dma_buf_map_attachment_unlocked(imp->attach, dir);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	imp->sgt = sgt;
	imp->dir = dir;
	return 0;
}

/* Returns the byte of the dma-buf at @offset, and how many follow in one segment. */
static void *find(struct importer *imp, size_t offset, size_t *len)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(imp->sgt, sg, i) {
		*len = sg_dma_len(sg);
		if (offset < *len) {
			*len -= offset;
			return phys_to_virt(dma_to_phys(&board->dev, sg_dma_address(sg)) +
					    offset);
		}
		offset -= *len;
	}
	return NULL;
}

static int copy(struct importer *imp, struct importer_copy *arg, bool write)
{
	char __user *user = (char __user *)(unsigned long)arg->user;
	unsigned long left;
	size_t n;
	void *at;

	if (!imp->sgt || (write && imp->dir == DMA_TO_DEVICE))
		return -EINVAL;
	for (; arg->size; arg->offset += n, arg->size -= n, user += n) {
		at = find(imp, arg->offset, &n);
		if (!at)
			return -ERANGE;
		n = min_t(size_t, n, arg->size);
		left = write ? copy_from_user(at, user, n) : copy_to_user(user, at, n);
		if (left)
			return -EFAULT;
	}
	return 0;
}

static int copy_arg(struct importer *imp, unsigned long arg, bool write)
{
	struct importer_copy what;

	if (copy_from_user(&what, (void __user *)arg, sizeof(what)))
		return -EFAULT;
	return copy(imp, &what, write);
}

/* The device begins to work on the memory, and does so after the dma-buf is closed. */
static int begin_work(struct importer *imp)
{
	struct dma_resv *resv;
	int ret;

	if (!imp->dmabuf || imp->fence)
		return -EINVAL;
	imp->fence = kzalloc(sizeof(*imp->fence), GFP_KERNEL);
	if (!imp->fence)
		return -ENOMEM;
	dma_fence_init(imp->fence, &fence_ops, &fence_lock, dma_fence_context_alloc(1), 1);
	resv = imp->dmabuf->resv;
	dma_resv_lock(resv, NULL);
	ret = dma_resv_reserve_fences(resv, 1);
	if (!ret)
		dma_resv_add_fence(resv, imp->fence, DMA_RESV_USAGE_READ);
	dma_resv_unlock(resv);
	return ret;
}

static int end_work(struct importer *imp)
{
	if (!imp->fence)
		return -EINVAL;
	dma_fence_signal(imp->fence);
	dma_fence_put(imp->fence);
	imp->fence = NULL;
	return 0;
}

static long control(struct importer *imp, unsigned int cmd, unsigned long arg)
{
	int fd;

	switch (cmd) {
	case IMPORTER_ATTACH:
		return get_user(fd, (int __user *)arg) ? -EFAULT : attach(imp, fd);
	case IMPORTER_MAP:
		return map(imp, arg);
	case IMPORTER_READ:
		return copy_arg(imp, arg, false);
	case IMPORTER_WRITE:
		return copy_arg(imp, arg, true);
	case IMPORTER_FENCE:
		return begin_work(imp);
	case IMPORTER_SIGNAL:
		return end_work(imp);
	case IMPORTER_DETACH:
		return detach(imp);
	}
	return -ENOTTY;
}

static long importer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct importer *imp = file->private_data;
	long ret;

	mutex_lock(&imp->lock);
	ret = control(imp, cmd, arg);
	mutex_unlock(&imp->lock);
	return ret;
}

static int importer_open(struct inode *inode, struct file *file)
{
	struct importer *imp = kzalloc(sizeof(*imp), GFP_KERNEL);

	if (!imp)
		return -ENOMEM;
	mutex_init(&imp->lock);
	file->private_data = imp;
	return 0;
}

static int importer_release(struct inode *inode, struct file *file)
{
	struct importer *imp = file->private_data;

	detach(imp);
	end_work(imp);
	kfree(imp);
	return 0;
}

static const struct file_operations importer_fops = {
	.owner = THIS_MODULE,
	.open = importer_open,
	.release = importer_release,
	.unlocked_ioctl = importer_ioctl,
};

static struct miscdevice importer_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "zio-importer",
	.fops = &importer_fops,
};

static int __init importer_init(void)
{
	int ret;

	board = platform_device_register_simple("zio-importer", -1, NULL, 0);
	if (IS_ERR(board))
		return PTR_ERR(board);
	ret = dma_coerce_mask_and_coherent(&board->dev, DMA_BIT_MASK(64)) ?:
	      misc_register(&importer_misc);
	if (ret)
		platform_device_unregister(board);
	return ret;
}

static void __exit importer_exit(void)
{
	misc_deregister(&importer_misc);
	platform_device_unregister(board);
}

module_init(importer_init);
module_exit(importer_exit);
MODULE_DESCRIPTION("A device that reads dma-bufs, for tests");
MODULE_LICENSE("GPL");
