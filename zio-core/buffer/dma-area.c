// SPDX-License-Identifier: GPL-2.0-only
/* dma-area.c: an area that a board reaches directly, in large contiguous pieces */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/shm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "buffer/internal.h"

/* Returns where memory must be so that the board reaches it without bounce buffers. */
static gfp_t find_zone(struct device *dev)
{
	if (!dma_addressing_limited(dev))
		return 0;
	return dma_get_mask(dev) >= DMA_BIT_MASK(32) ? GFP_DMA32 : GFP_DMA;
}

/* Allocates contiguous pages; each is a page of its own, as pipes and mappings need it. */
static unsigned int alloc_piece(struct device *dev, struct page **pages, size_t n)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | find_zone(dev);
	unsigned int order = min_t(unsigned int, ilog2(n), get_order(SZ_2M)), i;
	struct page *page;

	do {
		gfp |= order ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
		page = alloc_pages_node(dev_to_node(dev), gfp, order);
	} while (!page && order--);
	if (!page)
		return 0;
	split_page(page, order);
	for (i = 0; i < 1u << order; i++)
		pages[i] = page + i;
	return 1u << order;
}

static void free_pieces(struct page **pages, size_t n)
{
	while (n--)
		__free_page(pages[n]);
	kvfree(pages);
}

static struct page **alloc_pieces(struct device *dev, size_t n)
{
	struct page **pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	size_t have = 0, more;

	if (!pages)
		return NULL;
	for (; have < n; have += more) {
		more = alloc_piece(dev, pages + have, n - have);
		if (!more) {
			free_pieces(pages, have);
			return NULL;
		}
	}
	return pages;
}

/**
 * zio_area_alloc_dma() - allocate an area for the board of a buffer
 * @buf: the buffer, for which zio_buffer_check_dma() returned 0
 * @size: bytes, rounded up to pages
 *
 * As zio_area_alloc(), with memory that is contiguous in large pieces, near the board, and
 * within its reach. On machines whose cache has aliases the memory is that of
 * zio_area_alloc(): only vmalloc_user() aligns it as mappings need it.
 *
 * Context: Process, sleeps.
 *
 * Return: as zio_area_alloc().
 */
struct zio_area *zio_area_alloc_dma(struct zio_buffer *buf, size_t size)
{
	struct device *dev = zio_cset_dma_dev(buf->chan->cset);
	size_t n = PFN_UP(size);
	struct page **pages;
	void *mem;

	if (SHMLBA != PAGE_SIZE)
		return zio_area_alloc(size);
	if (!zio_area_fits(size))
		return NULL;
	pages = alloc_pieces(dev, n);
	if (!pages)
		return NULL;
	/* vfree() frees the pages and their array, too. */
	mem = vmap(pages, n, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (!mem) {
		free_pieces(pages, n);
		return NULL;
	}
	return zio_area_of(mem, size);
}
EXPORT_SYMBOL_GPL(zio_area_alloc_dma);
