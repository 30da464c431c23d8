// SPDX-License-Identifier: GPL-2.0-only
/*
 * sg.c: each block is a transfer of the channel
 *
 * The driver takes blocks ahead, and submits a descriptor for each. The channel completes
 * them in order. The blocks are mapped once, by the core, so their segments are looked up.
 *
 * A channel may have fewer descriptors than the set may have blocks in flight. A block
 * without a descriptor is parked until a descriptor is free, which is when one completes.
 */
#include <linux/dma-mapping.h>

#include "dmaengine.h"

static bool add_segment(struct zdma_sg *sg, unsigned int n, dma_addr_t addr, size_t len)
{
	if (n == ZDMA_MAX_SEGMENTS)
		return false;
	sg_dma_address(&sg->list[n]) = addr;
	sg_dma_len(&sg->list[n]) = len;
	/* Some channels use the length that is not for DMA. */
	sg->list[n].length = len;
	return true;
}

/* Returns the number of segments of the block; -EMSGSIZE for too many. */
static int list_segments(struct zdma_sg *sg, const struct zio_block *block)
{
	unsigned int n = 0;
	dma_addr_t addr;
	size_t pos, len;

	sg_init_table(sg->list, ZDMA_MAX_SEGMENTS);
	for (pos = 0; pos < block->len; pos += len) {
		len = min(zio_block_dma(block, pos, &addr), block->len - pos);
		if (!len || !add_segment(sg, n++, addr, len))
			return -EMSGSIZE;
	}
	sg_mark_end(&sg->list[n - 1]);
	return n;
}

static void block_done(void *data, const struct dmaengine_result *result);

/* Returns 0; -EMSGSIZE; or -EAGAIN if the channel has no descriptor. */
static int submit(struct zdma_device *zdma, struct zio_block *block)
{
	struct dma_async_tx_descriptor *tx;
	int n = list_segments(&zdma->sg, block);

	if (n < 0)
		return n;
	tx = dmaengine_prep_slave_sg(zdma->chan, zdma->sg.list, n, DMA_DEV_TO_MEM,
				     DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -EAGAIN;
	tx->callback_result = block_done;
	tx->callback_param = zdma;
	zio_block_sync_for_device(block, 0, block->len);
	return dma_submit_error(dmaengine_submit(tx)) ? -EAGAIN : 0;
}

/* Submits as many blocks as there are. The lock is held. Returns as submit(). */
static int fill(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;
	int ret = 0;

	if (!sg->running)
		return 0;
	while (!ret) {
		if (!sg->parked)
			sg->parked = zio_channel_take(zdma->zio_chan);
		if (!sg->parked)
			break;
		ret = submit(zdma, sg->parked);
		if (!ret)
			sg->parked = NULL;
	}
	dma_async_issue_pending(zdma->chan);
	return ret;
}

static void refill(struct zdma_device *zdma)
{
	unsigned long flags;

	spin_lock_irqsave(&zdma->sg.lock, flags);
	fill(zdma);
	spin_unlock_irqrestore(&zdma->sg.lock, flags);
}

/* The channel calls this in order, and not after zdma_stop(). */
static void block_done(void *data, const struct dmaengine_result *result)
{
	struct zdma_device *zdma = data;
	struct zio_block *block = zio_channel_in_flight(zdma->zio_chan, 0);
	u32 residue = result ? result->residue : 0;

	if (!block || (result && result->result == DMA_TRANS_ABORTED))
		return;
	block->len -= min_t(size_t, residue, block->len);
	if (result && result->result != DMA_TRANS_NOERROR)
		block->drv_alarms |= ZDMA_ALARM_ERROR;
	zio_block_sync_for_cpu(block, 0, block->len);
	zdma_finish_block(zdma, block);
	zio_channel_complete(zdma->zio_chan, 1);
	refill(zdma);
}

/* A callback that runs now may have a parked block. It must not submit that any more. */
static void stop(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&zdma->sg.lock, flags);
	zdma->sg.running = false;
	spin_unlock_irqrestore(&zdma->sg.lock, flags);
	zdma_stop(zdma);
}

static int start(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	unsigned long flags;
	int ret;

	zdma->zio_chan = zio_cset_armed(cset)->chan;
	spin_lock_irqsave(&zdma->sg.lock, flags);
	zdma->sg.parked = NULL;
	zdma->sg.running = true;
	ret = fill(zdma);
	spin_unlock_irqrestore(&zdma->sg.lock, flags);
	if (ret != -EMSGSIZE)
		return -EAGAIN;
	stop(cset);
	dev_err_ratelimited(zdma->dev,
			    "a block has more than %u segments: use the buffer dma, or fewer samples\n",
			    ZDMA_MAX_SEGMENTS);
	return ret;
}

static void refill_channel(struct zio_cset *cset, struct zio_channel *chan)
{
	refill(zio_cset_priv(cset));
}

static int init(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);

	spin_lock_init(&zdma->sg.lock);
	return zdma_init_cset(cset) ?: zio_cset_use_dma(cset, zdma->dma_dev);
}

const struct zio_cset_ops zdma_sg_ops = {
	.init = init,
	.raw_io = start,
	.stop_io = stop,
	.refill = refill_channel,
};
