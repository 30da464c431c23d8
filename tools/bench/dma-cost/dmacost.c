// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmacost.c: what a driver pays for the addresses of a block, at each event
 *
 * Each read of /dev/zio/dmacost-0000-0-0-data measures its block, in nanoseconds per event:
 * map_ns maps and unmaps the block, lookup_ns looks up its segments and synchronises them.
 */
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/zio-dma.h>

#define TURNS	200

static uint map_ns, lookup_ns, segments;
module_param(map_ns, uint, 0444);
module_param(lookup_ns, uint, 0444);
module_param(segments, uint, 0444);

static struct platform_device *board;
static struct zio_device *zdev;

static int map_once(const struct zio_block *block)
{
	struct scatterlist *sg;
	struct sg_table sgt;
	unsigned int i, n = 0;
	int ret = zio_block_map_dma(&board->dev, block, &sgt, DMA_FROM_DEVICE, GFP_ATOMIC);

	if (ret)
		return ret;
	for_each_sgtable_dma_sg(&sgt, sg, i)
		n += !!sg_dma_len(sg);
	segments = n;
	zio_block_unmap_dma(&board->dev, &sgt, DMA_FROM_DEVICE);
	return 0;
}

static int look_up(const struct zio_block *block)
{
	unsigned int n = 0;
	dma_addr_t addr;
	size_t pos, len;

	zio_block_sync_for_device(block, 0, block->len);
	for (pos = 0; pos < block->len; pos += len, n++) {
		len = zio_block_dma(block, pos, &addr);
		if (!len)
			return -EIO;
	}
	segments = n;
	zio_block_sync_for_cpu(block, 0, block->len);
	return 0;
}

static int measure(const struct zio_block *block, int (*once)(const struct zio_block *block),
		   uint *ns)
{
	ktime_t begin = ktime_get();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < TURNS && !ret; i++)
		ret = once(block);
	*ns = ktime_to_ns(ktime_sub(ktime_get(), begin)) / TURNS;
	return ret;
}

static int dmacost_input(struct zio_cset *cset)
{
	struct zio_block *block = zio_cset_armed(cset)->block;

	return measure(block, map_once, &map_ns) ?: measure(block, look_up, &lookup_ns);
}

static int dmacost_init_cset(struct zio_cset *cset)
{
	return zio_cset_use_dma(cset, &board->dev);
}

static const struct zio_cset_ops dmacost_ops = {
	.init = dmacost_init_cset,
	.raw_io = dmacost_input,
};

static const struct zio_cset_desc dmacost_cset = {
	.n_chan = 1,
	.ssize = 1,
	.nsamples = 4096,
	.ops = &dmacost_ops,
};

static const struct zio_device_desc dmacost_desc = {
	.name = "dmacost",
	.owner = THIS_MODULE,
	.cset = &dmacost_cset,
	.n_cset = 1,
};

static int __init dmacost_init(void)
{
	int ret;

	board = platform_device_register_simple("dmacost", -1, NULL, 0);
	if (IS_ERR(board))
		return PTR_ERR(board);
	ret = dma_coerce_mask_and_coherent(&board->dev, DMA_BIT_MASK(64));
	zdev = ret ? ERR_PTR(ret) : zio_device_alloc(&board->dev, &dmacost_desc, 0, NULL);
	ret = PTR_ERR_OR_ZERO(zdev);
	if (!ret) {
		ret = zio_device_register(zdev);
		if (ret)
			zio_device_free(zdev);
	}
	if (ret)
		platform_device_unregister(board);
	return ret;
}

static void __exit dmacost_exit(void)
{
	zio_device_unregister(zdev);
	platform_device_unregister(board);
}

module_init(dmacost_init);
module_exit(dmacost_exit);
MODULE_DESCRIPTION("ZIO: measures the cost of DMA mappings");
MODULE_LICENSE("GPL");
