// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmacost.c: what a driver pays for the addresses of a block, at each event
 *
 * Each read of /dev/zio/dmacost-0000-0-0-data measures its block, in nanoseconds per event:
 * map_ns maps and unmaps the block, lookup_ns looks up its segments and synchronises them.
 */
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/zio-dma.h>

#define TURNS	200

static uint map_ns, lookup_ns, segments;
module_param(map_ns, uint, 0444);
module_param(lookup_ns, uint, 0444);
module_param(segments, uint, 0444);

static struct device *board;

/* What a driver does without zio_cset_use_dma() */
static int fill_table(const struct zio_block *block, struct sg_table *sgt)
{
	unsigned int offset = offset_in_page(block->data), i;
	unsigned int n = PFN_UP(offset + block->len);
	struct page **pages = kmalloc_array(n, sizeof(*pages), GFP_ATOMIC);
	int ret;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		pages[i] = zio_block_page(block, i * PAGE_SIZE - (i ? offset : 0));
	ret = sg_alloc_table_from_pages_segment(sgt, pages, n, offset, block->len,
						dma_get_max_seg_size(board), GFP_ATOMIC);
	kfree(pages);
	return ret;
}

static int map_once(const struct zio_block *block)
{
	struct scatterlist *sg;
	struct sg_table sgt;
	unsigned int i, n = 0;
	int ret = fill_table(block, &sgt);

	if (ret)
		return ret;
	ret = dma_map_sgtable(board, &sgt, DMA_FROM_DEVICE, 0);
	if (ret)
		goto out;
	for_each_sgtable_dma_sg(&sgt, sg, i)
		n += !!sg_dma_len(sg);
	segments = n;
	dma_unmap_sgtable(board, &sgt, DMA_FROM_DEVICE, 0);
out:
	sg_free_table(&sgt);
	return ret;
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
	struct zio_block *block = zio_cset_block(cset);

	return measure(block, map_once, &map_ns) ?: measure(block, look_up, &lookup_ns);
}

static const struct zio_cset_ops dmacost_ops = {
	.raw_io = dmacost_input,
};

static const struct zio_cset_desc dmacost_cset = {
	.flags = ZIO_CSET_DMA,
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

static int dmacost_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	int ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));

	board = &pdev->dev;
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(board, &dmacost_desc, 0, NULL));
}

/* QEMU's device "edu": a PCI device without a driver, behind the IOMMU if there is one */
static const struct pci_device_id dmacost_ids[] = {
	{ PCI_DEVICE(0x1234, 0x11e8) },
	{}
};
MODULE_DEVICE_TABLE(pci, dmacost_ids);

static struct pci_driver dmacost_driver = {
	.name = "dmacost",
	.id_table = dmacost_ids,
	.probe = dmacost_probe,
};
module_pci_driver(dmacost_driver);

MODULE_DESCRIPTION("ZIO: measures the cost of DMA mappings");
MODULE_LICENSE("GPL");
