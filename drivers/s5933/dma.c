// SPDX-License-Identifier: GPL-2.0-only
/*
 * dma.c: memory of blocks for the bus master of the S5933, and its transfers
 *
 * To end a transfer, disable it, read the count, and unmap the memory. The read returns
 * after all earlier writes have reached the chip, so the chip no longer accesses the memory
 * that the caller unmaps.
 */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/zio-dma.h>
#include <linux/zio-s5933.h>

/* An output may play memory of an input, which the core has not mapped for this card. */
static int s5933_map_page(struct s5933 *chip, struct zio_block *block, size_t pos,
			  enum dma_data_direction dir, struct s5933_dma *dma)
{
	dma->block = NULL;
	dma->addr = dma_map_page(chip->dev, zio_block_page(block, pos),
				 offset_in_page(block->data + pos), dma->len, dir);
	if (!dma_mapping_error(chip->dev, dma->addr))
		return 0;
	dma->len = 0;
	return -EIO;
}

/**
 * s5933_map() - map the next part of a block for DMA, up to the end of a page
 * @chip: the chip
 * @block: the block
 * @pos: offset in the block, bytes
 * @limit: bytes of the block that may be mapped
 * @dir: DMA_FROM_DEVICE or DMA_TO_DEVICE
 * @dma: the result; s5933_unmap() releases it
 *
 * Context: any.
 * Return: 0, -ENOSPC at the end of the block, or -EIO if the mapping fails.
 */
int s5933_map(struct s5933 *chip, struct zio_block *block, size_t pos, size_t limit,
	      enum dma_data_direction dir, struct s5933_dma *dma)
{
	unsigned int offset = offset_in_page(block->data + pos);
	size_t len = min_t(size_t, PAGE_SIZE - offset, limit - pos) & ~3;

	if (!len)
		return -ENOSPC;
	dma->len = len;
	if (!zio_block_dma(block, pos, &dma->addr))
		return s5933_map_page(chip, block, pos, dir, dma);
	dma->block = block;
	dma->pos = pos;
	zio_block_sync_for_device(block, pos, len);
	return 0;
}
EXPORT_SYMBOL_GPL(s5933_map);

/**
 * s5933_unmap() - release the memory of a transfer, if any
 * @chip: the chip; the transfer has ended
 * @dir: as for s5933_map()
 * @dma: the memory; its length becomes 0
 *
 * Context: any.
 */
void s5933_unmap(struct s5933 *chip, enum dma_data_direction dir,
		 struct s5933_dma *dma)
{
	if (dma->len && dma->block)
		zio_block_sync_for_cpu(dma->block, dma->pos, dma->len);
	else if (dma->len)
		dma_unmap_page(chip->dev, dma->addr, dma->len, dir);
	dma->len = 0;
}
EXPORT_SYMBOL_GPL(s5933_unmap);

/**
 * s5933_begin_write() - let the chip write words of the card to memory
 * @chip: the chip, locked
 * @dma: the memory
 *
 * The previous transfer has ended, or its count is zero; it may still be enabled.
 *
 * Context: any.
 */
void s5933_begin_write(struct s5933 *chip, const struct s5933_dma *dma)
{
	s5933_write(chip, S5933_MWAR, lower_32_bits(dma->addr));
	s5933_write(chip, S5933_MWTC, dma->len);
	if (!(chip->mcsr & MCSR_WRITE_ENABLE))
		s5933_set_mcsr(chip, 0, MCSR_WRITE_ENABLE);
}
EXPORT_SYMBOL_GPL(s5933_begin_write);

/**
 * s5933_begin_read() - let the chip read words for the card from memory
 * @chip: the chip, locked
 * @dma: the memory
 *
 * Context: any.
 */
void s5933_begin_read(struct s5933 *chip, const struct s5933_dma *dma)
{
	s5933_write(chip, S5933_MRAR, lower_32_bits(dma->addr));
	s5933_write(chip, S5933_MRTC, dma->len);
	if (!(chip->mcsr & MCSR_READ_ENABLE))
		s5933_set_mcsr(chip, 0, MCSR_READ_ENABLE);
}
EXPORT_SYMBOL_GPL(s5933_begin_read);

/*
 * A count of zero may mean that everything is done or that the chip has lost its state. The
 * address distinguishes the two.
 */
static int s5933_count_done(struct s5933 *chip, const struct s5933_dma *dma,
			    unsigned int count, unsigned int addr)
{
	u32 left = s5933_read(chip, count);

	if (left > dma->len)
		return -EIO;
	if (left || s5933_read(chip, addr) == lower_32_bits(dma->addr) + dma->len)
		return dma->len - left;
	return -EIO;
}

/**
 * s5933_end_write() - disable a transfer to memory and compute how far it got
 * @chip: the chip, locked
 * @dma: the memory; the caller releases it after this call
 *
 * Context: any.
 * Return: the number of bytes in memory; -EIO if the card is gone or has lost its state.
 */
int s5933_end_write(struct s5933 *chip, const struct s5933_dma *dma)
{
	s5933_set_mcsr(chip, MCSR_WRITE_ENABLE, 0);
	return s5933_count_done(chip, dma, S5933_MWTC, S5933_MWAR);
}
EXPORT_SYMBOL_GPL(s5933_end_write);

/**
 * s5933_end_read() - disable a transfer from memory and compute how far it got
 * @chip: the chip, locked
 * @dma: the memory; the caller releases it after this call
 *
 * Up to eight of the words may still be in the FIFO.
 *
 * Context: any.
 * Return: the number of bytes that the chip has read; -EIO as s5933_end_write().
 */
int s5933_end_read(struct s5933 *chip, const struct s5933_dma *dma)
{
	s5933_set_mcsr(chip, MCSR_READ_ENABLE, 0);
	return s5933_count_done(chip, dma, S5933_MRTC, S5933_MRAR);
}
EXPORT_SYMBOL_GPL(s5933_end_read);
