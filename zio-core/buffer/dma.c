// SPDX-License-Identifier: GPL-2.0-only
/* dma.c: pages and addresses of memory that boards read and write themselves */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/mm.h>
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
