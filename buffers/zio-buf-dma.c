// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-buf-dma.c: blocks in an area that is made for the board's DMA
 *
 * The area has large contiguous pieces of memory near the board. The board reaches them
 * without bounce buffers. The core maps each piece once. So a block usually is one segment,
 * also without an IOMMU. Otherwise the buffer is that of zio-buf-vmalloc: the same ring of
 * blocks, and programs map the area the same way.
 *
 * The memory is ordinary pages, and not of dma_alloc_coherent(): that must be freed before
 * the driver leaves its device. Programs may have the area mapped long after.
 */
#include <linux/module.h>
#include <linux/zio-buffer.h>

#define DEFAULT_LEN	256

static struct zio_buffer_ops dma_ops;

static int dma_create(struct zio_buffer *buf)
{
	return zio_buffer_check_dma(buf) ?: zio_area_buffer_ops.create(buf);
}

static struct zio_buffer_type dma_buffer_type = {
	.name = "dma",
	.owner = THIS_MODULE,
	.len = DEFAULT_LEN,
	.has_area = true,
	.alloc_area = zio_area_alloc_dma,
	.ops = &dma_ops,
};

static int __init dma_init(void)
{
	dma_ops = zio_area_buffer_ops;
	dma_ops.create = dma_create;
	return zio_buffer_type_register(&dma_buffer_type);
}

static void __exit dma_exit(void)
{
	zio_buffer_type_unregister(&dma_buffer_type);
}

module_init(dma_init);
module_exit(dma_exit);
MODULE_DESCRIPTION("ZIO buffer: blocks in an area for the board's DMA");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
