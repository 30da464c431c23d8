// SPDX-License-Identifier: GPL-2.0-only
/* dma.c: a block as a scatterlist, for boards that move the samples */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zio-dma.h>

#include "buffer/buffer.h"

static struct page *page_of(const void *mem)
{
	return is_vmalloc_addr(mem) ? vmalloc_to_page(mem) : virt_to_page(mem);
}

static bool page_is_below(const void *mem, size_t len, u64 mask)
{
	u64 at = page_to_phys(page_of(mem)) + offset_in_page(mem);

	return at + len - 1 <= mask;
}

/**
 * zio_memory_is_below() - can memory be reached with so many bits of an address?
 * @mem: where it is, by kmalloc() or vmalloc()
 * @len: bytes
 * @bits: 1 ... 64
 *
 * Any context.
 *
 * Return: whether all of it can.
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
 * zio_block_page() - the page in which a sample is
 * @block: the block
 * @pos: bytes from its beginning
 *
 * Any context. For boards that move a page at a time: what follows on the page, up
 * to its end or that of the block, is in one piece.
 *
 * Return: the page.
 */
struct page *zio_block_page(const struct zio_block *block, size_t pos)
{
	return page_of(block->data + pos);
}
EXPORT_SYMBOL_GPL(zio_block_page);

/**
 * zio_block_sg() - describe the memory of a block
 * @block: the block; block->len bytes of it are described
 * @sgt: filled in; the caller frees it by sg_free_table()
 * @max_segment: bytes that a segment may have, or UINT_MAX; neighbouring pages
 *               are put together up to there
 * @gfp: GFP_KERNEL, or GFP_ATOMIC where raw_io() must not sleep
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
		pages[i] = page_of(first + (size_t)i * PAGE_SIZE);
	ret = sg_alloc_table_from_pages_segment(sgt, pages, n, offset,
						block->len, max_segment, gfp);
	kfree(pages);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_block_sg);

/**
 * zio_block_map_dma() - give the memory of a block to a device
 * @dev: the device that does the DMA
 * @block: the block, armed
 * @sgt: filled in: walk it by for_each_sgtable_dma_sg()
 * @dir: DMA_FROM_DEVICE for input, DMA_TO_DEVICE for output
 * @gfp: GFP_KERNEL, or GFP_ATOMIC where raw_io() must not sleep
 *
 * The CPU does not touch the samples until zio_block_unmap_dma(), which comes
 * before zio_cset_done(), or at the end of stop_io().
 *
 * Return: 0, or an error of zio_block_sg() or of the DMA API; then nothing is
 * mapped.
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
 * zio_block_unmap_dma() - take the memory of a block back
 * @dev: the device that did the DMA
 * @sgt: as zio_block_map_dma() left it; freed
 * @dir: the same direction
 *
 * Any context. After that the CPU sees what the device has written.
 */
void zio_block_unmap_dma(struct device *dev, struct sg_table *sgt,
			 enum dma_data_direction dir)
{
	dma_unmap_sgtable(dev, sgt, dir, 0);
	sg_free_table(sgt);
}
EXPORT_SYMBOL_GPL(zio_block_unmap_dma);
