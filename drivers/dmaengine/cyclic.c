// SPDX-License-Identifier: GPL-2.0-only
/*
 * cyclic.c: the channel fills a ring of the driver, period by period, without an end
 *
 * A period is a block. The channel does not wait for free blocks: so the driver has a ring
 * of its own, and copies each period into a block. A period without a free block is lost,
 * and counted. The channel may call back once for several periods. So the residue of the
 * transfer tells where it is. If it goes round once between two calls, nothing tells:
 * queue-depth is the length of the ring, in periods.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "dmaengine.h"

/* Returns the period that the channel fills. */
static unsigned int find_period(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	size_t size = ring->period * ring->n_periods;
	struct dma_tx_state state;

	dmaengine_tx_status(zdma->chan, ring->cookie, &state);
	return (size - min_t(size_t, state.residue, size)) / ring->period % ring->n_periods;
}

static void copy_period(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	struct zio_block *block = zio_channel_take(zdma->zio_chan);

	if (block) {
		memcpy(block->data, ring->ring + ring->next * ring->period, ring->period);
		zdma_finish_block(zdma, block);
		zio_channel_complete(zdma->zio_chan, 1);
	} else {
		zio_channel_lost(zdma->zio_chan, 1);
	}
	ring->next = (ring->next + 1) % ring->n_periods;
}

/* One call at a time: the channel makes it. */
static void periods_done(void *data)
{
	struct zdma_device *zdma = data;
	unsigned int end = find_period(zdma);

	while (zdma->cyclic.next != end)
		copy_period(zdma);
}

static void free_ring(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;

	if (ring->ring)
		dma_free_coherent(zdma->dma_dev, ring->period * ring->n_periods, ring->ring,
				  ring->addr);
	ring->ring = NULL;
}

static int alloc_ring(struct zdma_device *zdma, size_t period)
{
	struct zdma_cyclic *ring = &zdma->cyclic;

	ring->period = period;
	ring->n_periods = zdma->cset_desc.queue_depth;
	ring->next = 0;
	ring->ring = dma_alloc_coherent(zdma->dma_dev, period * ring->n_periods, &ring->addr,
					GFP_KERNEL | __GFP_NOWARN);
	if (ring->ring)
		return 0;
	dev_err_ratelimited(zdma->dev, "no %zu bytes of DMA memory: use fewer samples\n",
			    period * ring->n_periods);
	return -ENOMEM;
}

static int submit(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_cyclic(zdma->chan, ring->addr, ring->period * ring->n_periods,
				       ring->period, DMA_DEV_TO_MEM,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -EIO;
	tx->callback = periods_done;
	tx->callback_param = zdma;
	ring->cookie = dmaengine_submit(tx);
	return dma_submit_error(ring->cookie);
}

/* The set sleeps: so the memory can be allocated for the present length of a block. */
static int start(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	int ret;

	zdma->zio_chan = zio_cset_armed(cset)->chan;
	ret = alloc_ring(zdma, zio_cset_post_samples(cset) * zio_cset_ssize(cset));
	if (ret)
		return ret;
	ret = submit(zdma);
	if (ret) {
		free_ring(zdma);
		return ret;
	}
	dma_async_issue_pending(zdma->chan);
	return -EAGAIN;
}

static void stop(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);

	zdma_stop(zdma);
	free_ring(zdma);
}

/* A period that found no block is lost. The next one finds the block. */
static void refill_channel(struct zio_cset *cset, struct zio_channel *chan)
{
}

const struct zio_cset_ops zdma_cyclic_ops = {
	.init = zdma_init_cset,
	.raw_io = start,
	.stop_io = stop,
	.refill = refill_channel,
};
