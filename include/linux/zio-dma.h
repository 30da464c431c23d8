/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-dma.h: the interface for drivers of boards that read and write memory themselves
 *
 * Each page of a block may be anywhere in memory. These functions describe the block
 * to the device through the DMA API. The DMA API uses an IOMMU or bounce buffers where
 * the device needs them.
 */
#ifndef _LINUX_ZIO_DMA_H
#define _LINUX_ZIO_DMA_H

#include <linux/dma-direction.h>
#include <linux/gfp.h>
#include <linux/scatterlist.h>
#include <linux/zio.h>

struct page *zio_block_page(const struct zio_block *block, size_t pos);
int zio_block_sg(const struct zio_block *block, struct sg_table *sgt,
		 unsigned int max_segment, gfp_t gfp);
int zio_block_map_dma(struct device *dev, const struct zio_block *block,
		      struct sg_table *sgt, enum dma_data_direction dir,
		      gfp_t gfp);
void zio_block_unmap_dma(struct device *dev, struct sg_table *sgt,
			 enum dma_data_direction dir);

#endif /* _LINUX_ZIO_DMA_H */
