// SPDX-License-Identifier: GPL-2.0-only
/*
 * dma-reach.c: boards that reach a part of the memory only
 *
 * The DMA API prints a warning with a trace for memory that a board cannot reach. So the
 * core compares before.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "buffer/internal.h"

static u64 reach_of(struct device *dev)
{
	return min_not_zero(dma_get_mask(dev), dev->bus_dma_limit);
}

/* Returns true if an IOMMU gives the board addresses. With iommu=pt it gives none. */
static bool is_translated(struct device *dev)
{
#ifdef CONFIG_IOMMU_API
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && domain->type != IOMMU_DOMAIN_IDENTITY;
#else
	return false;
#endif
}

/*
 * Returns true if the board itself must reach the memory. Bounce buffers are below 4 GiB,
 * so a board with fewer than 32 address lines may not reach these either.
 */
static bool is_narrow(struct device *dev)
{
	return dma_addressing_limited(dev) && !is_translated(dev) &&
		(reach_of(dev) < DMA_BIT_MASK(32) || dma_max_mapping_size(dev) == SIZE_MAX);
}

/**
 * zio_cset_needs_near_memory() - check whether any memory will do for a set's blocks
 * @cset: the channel set
 *
 * Context: Process.
 *
 * Return: true if its board reaches a part of the memory only, so that the set should have
 * the buffer "dma".
 */
bool zio_cset_needs_near_memory(const struct zio_cset_core *cset)
{
	struct device *dev = zio_cset_dma_dev(cset);

	return dev && is_narrow(dev);
}

/**
 * zio_dma_reaches() - check that a device reaches memory
 * @dev: the device
 * @mem: memory on contiguous pages
 * @len: bytes
 *
 * Context: Any.
 *
 * Return: true if it does, or if the DMA API has other means.
 */
bool zio_dma_reaches(struct device *dev, const void *mem, size_t len)
{
	phys_addr_t at = page_to_phys(zio_page_of(mem)) + offset_in_page(mem);

	return !is_narrow(dev) || phys_to_dma(dev, at) + len - 1 <= reach_of(dev);
}

/**
 * zio_dma_report_reach() - say in the kernel's log that a board does not reach a buffer
 * @buf: the buffer
 * @dev: the device
 *
 * Context: Any.
 */
void zio_dma_report_reach(const struct zio_buffer *buf, struct device *dev)
{
	const struct zio_cset_core *cset = buf->chan->cset;
	bool is_near = !strcmp(buf->type->name, "dma");

	dev_err_ratelimited(&cset->zdev->dev,
			    "cset%u: %s has %d address lines, and memory of the buffer %s is beyond: use %s\n",
			    cset->index, dev_name(dev), fls64(reach_of(dev)),
			    buf->type->name,
			    is_near ? "a kernel with CONFIG_ZONE_DMA" : "the buffer dma");
}
