// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-buf-dma.c: blocks in an area that is made for the board's DMA
 *
 * The area consists of large contiguous pieces of memory near the board, which the board
 * reaches without bounce buffers. The core maps each piece once, so even without an IOMMU a
 * block is usually one segment. Everything else is as in zio-buf-vmalloc: blocks form the
 * same ring, and programs map the area the same way.
 *
 * The memory consists of ordinary pages. dma_alloc_coherent() memory would have to be freed
 * before the driver leaves its device, and programs may keep the area mapped long after.
 */
#include <linux/device/driver.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/shm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zio-buffer.h>

#define DEFAULT_LEN	256

/* Returns the zone of memory that the board reaches without bounce buffers. */
static gfp_t dma_zone(struct device *dev)
{
	if (!dma_addressing_limited(dev))
		return 0;
	return dma_get_mask(dev) >= DMA_BIT_MASK(32) ? GFP_DMA32 : GFP_DMA;
}

/* Allocates contiguous memory, split into single pages because mappings need them. */
static unsigned int dma_alloc_piece(struct device *dev, struct page **pages, size_t n)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | dma_zone(dev);
	unsigned int order = min_t(unsigned int, ilog2(n), get_order(SZ_2M)), i;
	struct page *page;

	do {
		page = alloc_pages_node(dev_to_node(dev), gfp |
					(order ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL), order);
	} while (!page && order--);
	if (!page)
		return 0;
	split_page(page, order);
	for (i = 0; i < 1u << order; i++)
		pages[i] = page + i;
	return 1u << order;
}

static void dma_free_pieces(struct page **pages, size_t n)
{
	while (n--)
		__free_page(pages[n]);
	kvfree(pages);
}

static struct page **dma_alloc_pieces(struct device *dev, size_t n)
{
	struct page **pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	size_t have = 0, more;

	if (!pages)
		return NULL;
	for (; have < n; have += more) {
		more = dma_alloc_piece(dev, pages + have, n - have);
		if (!more) {
			dma_free_pieces(pages, have);
			return NULL;
		}
	}
	return pages;
}

/* If the cache has aliases, only vmalloc_user() aligns the memory as mappings need it. */
static void *dma_alloc_mem(struct zio_buffer *buf, size_t size)
{
	struct device *dev = zio_buffer_dma_dev(buf);
	size_t n = PFN_DOWN(size);
	struct page **pages;
	void *mem;

	if (IS_ERR(dev))
		return ERR_CAST(dev);
	if (SHMLBA != PAGE_SIZE)
		return vmalloc_user(size) ?: ERR_PTR(-ENOMEM);
	pages = dma_alloc_pieces(dev, n);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	/* vfree() also frees the pages and their array. */
	mem = vmap(pages, n, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (mem)
		return mem;
	dma_free_pieces(pages, n);
	return ERR_PTR(-ENOMEM);
}

static struct zio_buffer_type dma_buffer_type = {
	.name = "dma",
	.owner = THIS_MODULE,
	.len = DEFAULT_LEN,
	.alloc_mem = dma_alloc_mem,
	.ops = &zio_area_buffer_ops,
};

module_driver(dma_buffer_type, zio_buffer_type_register, zio_buffer_type_unregister);

MODULE_DESCRIPTION("ZIO buffer: blocks in an area for the board's DMA");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
