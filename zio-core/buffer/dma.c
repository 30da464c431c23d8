// SPDX-License-Identifier: GPL-2.0-only
/* dma.c: a block as a scatterlist, for boards that read and write memory themselves */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zio-dma.h>

#include "buffer/internal.h"

/**
 * zio_page_of() - get the page of an address
 * @mem: an address in memory from kmalloc() or vmalloc()
 *
 * Context: Any.
 *
 * Return: the page.
 */
struct page *zio_page_of(const void *mem)
{
	return is_vmalloc_addr(mem) ? vmalloc_to_page(mem) : virt_to_page(mem);
}

static bool page_is_below(const void *mem, size_t len, u64 mask)
{
	u64 at = page_to_phys(zio_page_of(mem)) + offset_in_page(mem);

	return at + len - 1 <= mask;
}

/**
 * zio_memory_is_below() - check that addresses of some bits reach memory
 * @mem: memory from kmalloc() or vmalloc()
 * @len: bytes
 * @bits: bits of an address, 1 ... 64
 *
 * Context: Any.
 *
 * Return: true if they reach all of it.
 */
bool zio_memory_is_below(const void *mem, size_t len, unsigned int bits)
{
	u64 mask = DMA_BIT_MASK(bits);
	size_t n;

	for (; len; mem += n, len -= n) {
		n = min_t(size_t, len, PAGE_SIZE - offset_in_page(mem));
		if (!page_is_below(mem, n, mask))
			return false;
	}
	return true;
}

/**
 * zio_block_page() - get the page of a sample
 * @block: the block
 * @pos: bytes from the beginning of the block
 *
 * For boards that move a page at a time. The samples on one page are contiguous.
 *
 * Context: Any.
 *
 * Return: the page.
 */
struct page *zio_block_page(const struct zio_block *block, size_t pos)
{
	return zio_page_of(block->data + pos);
}
EXPORT_SYMBOL_GPL(zio_block_page);

/**
 * zio_block_sg() - describe the memory of a block as a scatterlist
 * @block: the block; the list describes its block->len bytes
 * @sgt: filled in; the caller frees it by sg_free_table()
 * @max_segment: most bytes per segment, or UINT_MAX; neighbouring pages become one segment
 * @gfp: GFP_KERNEL, or GFP_ATOMIC where raw_io() must not sleep
 *
 * Context: Any, as @gfp allows.
 *
 * Return: 0; -EINVAL for a block without bytes; -ENOMEM.
 */
int zio_block_sg(const struct zio_block *block, struct sg_table *sgt,
		 unsigned int max_segment, gfp_t gfp)
{
	unsigned int offset = offset_in_page(block->data), i, n;
	const void *first = block->data - offset;
	struct page **pages;
	int ret;

	if (!block->len)
		return -EINVAL;
	n = PFN_UP(offset + block->len);
	pages = kmalloc_array(n, sizeof(*pages), gfp);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		pages[i] = zio_page_of(first + (size_t)i * PAGE_SIZE);
	ret = sg_alloc_table_from_pages_segment(sgt, pages, n, offset,
						block->len, max_segment, gfp);
	kfree(pages);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_block_sg);

/**
 * zio_block_map_dma() - map a block for a device
 * @dev: the device that does the DMA
 * @block: the block, armed
 * @sgt: filled in; for_each_sgtable_dma_sg() walks it
 * @dir: DMA_FROM_DEVICE for input, DMA_TO_DEVICE for output
 * @gfp: GFP_KERNEL, or GFP_ATOMIC where raw_io() must not sleep
 *
 * The CPU does not touch the samples until zio_block_unmap_dma(). The driver calls that
 * before zio_cset_done(), or at the end of stop_io().
 *
 * Context: Any, as @gfp allows.
 *
 * Return: 0; or an error of zio_block_sg() or of the DMA API, with nothing mapped.
 */
int zio_block_map_dma(struct device *dev, const struct zio_block *block,
		      struct sg_table *sgt, enum dma_data_direction dir,
		      gfp_t gfp)
{
	int ret = zio_block_sg(block, sgt, dma_get_max_seg_size(dev), gfp);

	if (ret)
		return ret;
	ret = dma_map_sgtable(dev, sgt, dir, 0);
	if (ret)
		sg_free_table(sgt);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_block_map_dma);

/**
 * zio_block_unmap_dma() - unmap a block
 * @dev: the device that did the DMA
 * @sgt: from zio_block_map_dma(); freed
 * @dir: the same direction
 *
 * After the call the CPU sees the data that the device has written.
 *
 * Context: Any.
 */
void zio_block_unmap_dma(struct device *dev, struct sg_table *sgt,
			 enum dma_data_direction dir)
{
	dma_unmap_sgtable(dev, sgt, dir, 0);
	sg_free_table(sgt);
}
EXPORT_SYMBOL_GPL(zio_block_unmap_dma);
