// SPDX-License-Identifier: GPL-2.0-only
/*
 * cyclic.c: the channel fills a ring of the driver endlessly, period by period
 *
 * A period is a block. The channel does not wait for free blocks, so the driver has its own
 * ring and copies each period into a block. A period without a free block is lost, and
 * counted. The channel may call back once for several periods; the residue of the transfer
 * tells where it is. The depth of the device is the length of the ring, in periods.
 *
 * The residue does not tell how many rounds the channel has made. So the driver writes a
 * mark, a random number, over the last bytes of each period that it has copied:
 *
 *         copied     next            end
 *      ...  |M|M|M|M|  new  |  new  | being filled |M|M|M| ...
 *
 * If the mark before "next" is intact, the channel has not reached "next" again. If not,
 * the channel has lapped the driver. A copy is good if that mark is intact afterwards.
 *
 * An error ends the transfer: the watch fails the set, and the next read starts another
 * one. The ring stays until then.
 */
#include <linux/devm-helpers.h>
#include <linux/dma-mapping.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/zio-compat.h>

#include "dmaengine.h"

/* Returns the period that the channel is filling. */
static unsigned int zdma_cyclic_find_period(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	size_t size = ring->period * ring->n_periods;
	struct dma_tx_state state;

	if (dmaengine_tx_status(zdma->chan, zdma->cookie, &state) == DMA_ERROR)
		WRITE_ONCE(zdma->has_failed, true);
	return (size - min_t(size_t, state.residue, size)) / ring->period % ring->n_periods;
}

static unsigned int zdma_cyclic_period_after(const struct zdma_cyclic *ring, unsigned int period,
					     unsigned int n)
{
	return (period + n) % ring->n_periods;
}

static size_t zdma_cyclic_mark_size(const struct zdma_cyclic *ring)
{
	return min(ring->period, sizeof(ring->mark));
}

/* Returns the address of the mark of the preceding period. */
static void *zdma_cyclic_mark_before(const struct zdma_cyclic *ring, unsigned int period)
{
	period = zdma_cyclic_period_after(ring, period, ring->n_periods - 1);
	return ring->ring + (period + 1) * ring->period - zdma_cyclic_mark_size(ring);
}

static void zdma_cyclic_put_mark(const struct zdma_cyclic *ring, unsigned int next)
{
	memcpy(zdma_cyclic_mark_before(ring, next), &ring->mark, zdma_cyclic_mark_size(ring));
	/* Write the mark to memory before asking where the channel is. */
	mb();
}

static bool zdma_cyclic_is_lapped(const struct zdma_cyclic *ring)
{
	/* Read the mark after everything read from the ring so far. */
	mb();
	return memcmp(zdma_cyclic_mark_before(ring, ring->next), &ring->mark,
		      zdma_cyclic_mark_size(ring));
}

/* Returns false if the channel has come round meanwhile: the block stays in flight. */
static bool zdma_cyclic_copy_period(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	struct zio_block *block = zio_channel_in_flight(zdma->zio_chan, 0) ?:
				  zio_channel_take(zdma->zio_chan);

	if (block)
		memcpy(block->data, ring->ring + ring->next * ring->period, ring->period);
	zdma_cyclic_put_mark(ring, zdma_cyclic_period_after(ring, ring->next, 1));
	ring->is_marked = zdma_cyclic_is_lapped(ring);
	if (ring->is_marked)
		return false;
	if (block) {
		zdma_finish_block(zdma, block);
		zio_channel_complete(zdma->zio_chan, 1);
	} else {
		zio_channel_lost(zdma->zio_chan, 1);
	}
	ring->next = zdma_cyclic_period_after(ring, ring->next, 1);
	return true;
}

/*
 * Drops the older half of the ring. The number of rounds is unknown, so one is assumed. If
 * zdma_cyclic_copy_period() has found the lap, its mark is in new samples, and the
 * remaining ones begin behind that period.
 */
static void zdma_cyclic_skip_lap(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	unsigned int end = zdma_cyclic_find_period(zdma), keep = ring->n_periods / 2;
	unsigned int new = zdma_cyclic_period_after(ring, end, ring->n_periods - ring->next);

	if (ring->is_marked && new && new <= keep)
		keep = new - 1;
	ring->is_marked = false;
	dev_warn_ratelimited(zdma->dev,
			     "%s went round the ring before its callback: use a larger depth, or more samples\n",
			     dma_chan_name(zdma->chan));
	zio_channel_lost(zdma->zio_chan, ring->n_periods + new - keep);
	zio_channel_alarm(zdma->zio_chan, ZDMA_ALARM_LAPPED);
	ring->next = zdma_cyclic_period_after(ring, end, ring->n_periods - keep);
	zdma_cyclic_put_mark(ring, ring->next);
}

/* The channel makes one call at a time. Some channels pass no result. */
static void zdma_cyclic_periods_done(void *data, const struct dmaengine_result *result)
{
	struct zdma_device *zdma = data;
	unsigned int end = zdma_cyclic_find_period(zdma);

	if (result && result->result != DMA_TRANS_NOERROR)
		WRITE_ONCE(zdma->has_failed, true);
	if (READ_ONCE(zdma->has_failed)) {
		mod_delayed_work(system_percpu_wq, &zdma->watch, 0);
		return;
	}
	if (zdma_cyclic_is_lapped(&zdma->cyclic)) {
		zdma_cyclic_skip_lap(zdma);
		end = zdma_cyclic_find_period(zdma);
	}
	while (zdma->cyclic.next != end && zdma_cyclic_copy_period(zdma))
		;
}

static void zdma_cyclic_watch(struct work_struct *work)
{
	struct zdma_device *zdma = container_of(work, struct zdma_device, watch.work);

	if (!zdma_has_stopped(zdma)) {
		schedule_delayed_work(&zdma->watch, HZ);
		return;
	}
	zdma_stop(zdma);
	/* A callback may have queued it again, which must not reach the next stream. */
	cancel_delayed_work(&zdma->watch);
	zdma_report_stop(zdma);
	zio_cset_fail(zdma->cset, -EIO);
}

static void zdma_cyclic_free_ring(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;

	if (ring->ring)
		dma_free_coherent(zdma->dma_dev, ring->period * ring->n_periods, ring->ring,
				  ring->addr);
	ring->ring = NULL;
}

static int zdma_cyclic_alloc_ring(struct zdma_device *zdma, size_t period)
{
	struct zdma_cyclic *ring = &zdma->cyclic;

	ring->period = period;
	ring->n_periods = zdma->cset_desc.queue_depth;
	ring->next = 0;
	ring->is_marked = false;
	ring->ring = dma_alloc_coherent(zdma->dma_dev, period * ring->n_periods, &ring->addr,
					GFP_KERNEL | __GFP_NOWARN);
	if (ring->ring) {
		get_random_bytes(&ring->mark, sizeof(ring->mark));
		zdma_cyclic_put_mark(ring, 0);
		return 0;
	}
	dev_err_ratelimited(zdma->dev, "no %zu bytes of DMA memory: use fewer samples\n",
			    period * ring->n_periods);
	return -ENOMEM;
}

static int zdma_cyclic_submit(struct zdma_device *zdma)
{
	struct zdma_cyclic *ring = &zdma->cyclic;
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_cyclic(zdma->chan, ring->addr, ring->period * ring->n_periods,
				       ring->period, DMA_DEV_TO_MEM,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx) {
		dev_err_ratelimited(zdma->dev,
				    "%s has no descriptor for %u periods of %zu bytes: use a smaller depth, or mode sg\n",
				    dma_chan_name(zdma->chan), ring->n_periods, ring->period);
		return -EIO;
	}
	tx->callback_result = zdma_cyclic_periods_done;
	tx->callback_param = zdma;
	WRITE_ONCE(zdma->cookie, dmaengine_submit(tx));
	return dma_submit_error(zdma->cookie);
}

/* The set sleeps, so the memory can be allocated for the current length of a block. */
static int zdma_cyclic_start(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	int ret;

	zdma->zio_chan = zio_cset_channel(cset);
	zdma_cyclic_free_ring(zdma);
	ret = zdma_cyclic_alloc_ring(zdma, zio_cset_post_samples(cset) * zio_cset_ssize(cset));
	if (ret)
		return ret;
	ret = zdma_cyclic_submit(zdma);
	if (ret) {
		zdma_cyclic_free_ring(zdma);
		return ret;
	}
	zdma_start_watch(zdma);
	dma_async_issue_pending(zdma->chan);
	return ZIO_PENDING;
}

static void zdma_cyclic_stop(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);

	zdma_stop(zdma);
	cancel_delayed_work_sync(&zdma->watch);
	zdma_cyclic_free_ring(zdma);
}

static int zdma_cyclic_init(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);

	return devm_delayed_work_autocancel(zdma->dev, &zdma->watch, zdma_cyclic_watch) ?:
		zdma_init_cset(cset);
}

/* No refill() is needed: a period without a block is lost, and the next one finds it. */
const struct zio_cset_ops zdma_cyclic_ops = {
	.init = zdma_cyclic_init,
	.exit = zdma_cyclic_stop, /* for a stream that has failed */
	.raw_io = zdma_cyclic_start,
	.stop_io = zdma_cyclic_stop,
	.resumed = zdma_resumed,
};
