/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-dma.h: the interface for drivers of boards that read and write memory themselves
 *
 * The pages of a block may be anywhere in memory. These functions describe the block to the
 * device through the DMA API, which uses an IOMMU or bounce buffers where the device needs
 * them.
 *
 * The blocks of a set with ZIO_CSET_DMA are mapped once, when its buffers are allocated.
 * zio_block_dma() looks up their addresses. With ZIO_CSET_ONE_PIECE each block is one
 * segment: buffers skip places where it would be split, and users cannot choose a size that
 * fits nowhere. zio_block_page() is for memory that the core has not mapped.
 */
#ifndef _LINUX_ZIO_DMA_H
#define _LINUX_ZIO_DMA_H

#include <linux/zio.h>

struct page;

size_t zio_block_dma(const struct zio_block *block, size_t pos, dma_addr_t *addr);
void zio_block_sync_for_device(const struct zio_block *block, size_t pos, size_t len);
void zio_block_sync_for_cpu(const struct zio_block *block, size_t pos, size_t len);

struct page *zio_block_page(const struct zio_block *block, size_t pos);

#endif /* _LINUX_ZIO_DMA_H */
