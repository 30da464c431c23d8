// SPDX-License-Identifier: GPL-2.0-only
/*
 * sg.c: each block is a transfer of the channel
 *
 * The driver takes blocks in advance and submits a descriptor for each. The channel
 * completes them in order. The core maps the blocks only once, so their segments are looked
 * up.
 *
 * A channel may have fewer descriptors than the set has blocks in flight. A block without a
 * descriptor is parked until a transfer completes and frees one. If no transfer is in
 * progress, no callback comes; the driver then retries by itself, and after a second it
 * ends the stream with an error.
 *
 * Each callback identifies its block. If the channel drops a transfer without a callback,
 * the callback of a later one reveals it.
 *
 * Outputs: the channel plays the blocks in the same way. If it repeats blocks itself, the
 * last one is a cyclic transfer, which begins when no other transfer is in progress. A work
 * item ends it once it was played and the next block is there.
 */
#include <linux/devm-helpers.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>

#include "dmaengine.h"

/* Returns the number of segments of the block; -EMSGSIZE for too many. */
static int zdma_sg_list_segments(struct zdma_sg *sg, const struct zio_block *block, size_t size)
{
	unsigned int n = 0;
	dma_addr_t addr;
	size_t pos, len;

	sg_init_table(sg->list, ZDMA_MAX_SEGMENTS);
	for (pos = 0; pos < size; pos += len) {
		len = min(zio_block_dma(block, pos, &addr), size - pos);
		if (!len || n == ZDMA_MAX_SEGMENTS)
			return -EMSGSIZE;
		sg_dma_address(&sg->list[n]) = addr;
		sg_dma_len(&sg->list[n]) = len;
		/* Some channels use this length instead of the DMA length. */
		sg->list[n++].length = len;
	}
	sg_mark_end(&sg->list[n - 1]);
	return n;
}

static void zdma_sg_block_done(void *data, const struct dmaengine_result *result);

static bool zdma_sg_submit_transfer(struct zdma_device *zdma, struct dma_async_tx_descriptor *tx,
				    struct zio_block *block, bool repeats)
{
	struct zdma_sg *sg = &zdma->sg;
	struct zdma_transfer *transfer = &sg->transfer[sg->head & sg->mask];

	*transfer = (struct zdma_transfer){ zdma, block };
	tx->callback_result = zdma_sg_block_done;
	tx->callback_param = transfer;
	zio_block_sync_for_device(block, 0, block->len);
	WRITE_ONCE(sg->head, sg->head + 1);
	if (repeats)
		WRITE_ONCE(sg->cycle, ZDMA_FIRST_TURN);
	WRITE_ONCE(zdma->cookie, dmaengine_submit(tx));
	if (!dma_submit_error(zdma->cookie))
		return true;
	WRITE_ONCE(sg->head, sg->head - 1);
	WRITE_ONCE(sg->cycle, ZDMA_NO_CYCLE);
	return false;
}

/* A program may write a partial sample, or a block without samples. */
static size_t zdma_sg_size(const struct zdma_device *zdma, const struct zio_block *block)
{
	return round_down(block->len, zdma->cset_desc.ssize);
}

static bool zdma_sg_is_empty(const struct zdma_device *zdma)
{
	const struct zdma_sg *sg = &zdma->sg;

	return sg->parked && !zdma_sg_size(zdma, sg->parked);
}

/* Returns true if the channel repeats the parked block because there is no other one. */
static bool zdma_sg_repeats(const struct zdma_device *zdma)
{
	return zdma->cset_desc.flags & ZIO_CSET_CYCLIC && zio_cset_is_cyclic(zdma->cset) &&
		!zdma->sg.behind;
}

/* Returns 0; -EMSGSIZE; or -EAGAIN if the block has to wait, e.g. for a descriptor. */
static int zdma_sg_submit(struct zdma_device *zdma, struct zio_block *block)
{
	unsigned long flags = DMA_PREP_INTERRUPT | DMA_CTRL_ACK;
	bool repeats = zdma_sg_repeats(zdma);
	size_t size = zdma_sg_size(zdma, block);
	struct zdma_sg *sg = &zdma->sg;
	struct dma_async_tx_descriptor *tx;
	int n;

	if (!size || sg->cycle || (repeats && sg->head != READ_ONCE(sg->tail)))
		return -EAGAIN;
	n = zdma_sg_list_segments(sg, block, size);
	if (n < 0 || (repeats && n > 1))
		return -EMSGSIZE;
	if (repeats)
		tx = dmaengine_prep_dma_cyclic(zdma->chan, sg_dma_address(sg->list), size, size,
					       DMA_MEM_TO_DEV, flags);
	else
		tx = dmaengine_prep_slave_sg(zdma->chan, sg->list, n, zdma->config.direction,
					     flags);
	if (!tx || !zdma_sg_submit_transfer(zdma, tx, block, repeats))
		return -EAGAIN;
	sg->tries = 0;
	return 0;
}

/* Takes the next block, and the one behind it if the channel may have to repeat. */
static bool zdma_sg_park(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;

	if (!sg->parked) {
		sg->parked = sg->behind ?: zio_channel_take(zdma->zio_chan);
		sg->behind = NULL;
	}
	if (sg->parked && zdma_sg_repeats(zdma))
		sg->behind = zio_channel_take(zdma->zio_chan);
	return sg->parked;
}

/* Submits all available blocks. The lock is held. Returns as zdma_sg_submit(). */
static int zdma_sg_fill(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;
	int ret = 0;

	if (!sg->running)
		return 0;
	while (!ret && zdma_sg_park(zdma)) {
		ret = zdma_sg_submit(zdma, sg->parked);
		if (!ret)
			sg->parked = NULL;
	}
	dma_async_issue_pending(zdma->chan);
	return ret;
}

/* Returns true if no callback will come for a waiting block. The lock is held. */
static bool zdma_sg_is_stuck(const struct zdma_sg *sg)
{
	return sg->running && sg->parked && sg->head == READ_ONCE(sg->tail);
}

/* The lock is held. */
static bool zdma_sg_must_end_cycle(const struct zdma_sg *sg)
{
	return sg->running &&
		(sg->cycle == ZDMA_BROKEN || (sg->cycle == ZDMA_TURNED && sg->parked));
}

/* Returns as zdma_sg_fill(). The lock is held. */
static int zdma_sg_fill_or_wait(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;
	int ret = zdma_sg_fill(zdma);

	if (zdma_sg_must_end_cycle(sg))
		schedule_delayed_work(&sg->retry, 0);
	else if (zdma_sg_is_stuck(sg))
		schedule_delayed_work(&sg->retry, !zdma_sg_is_empty(zdma));
	return ret;
}

static void zdma_sg_fill_again(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;
	unsigned long flags;

	spin_lock_irqsave(&sg->lock, flags);
	zdma_sg_fill_or_wait(zdma);
	spin_unlock_irqrestore(&sg->lock, flags);
}

static void zdma_sg_report(struct zdma_device *zdma, int error)
{
	if (READ_ONCE(zdma->has_failed))
		zdma_report_stop(zdma);
	else if (error == -EMSGSIZE)
		dev_err_ratelimited(zdma->dev,
				    "a block has more than %u segments: use the buffer dma, or fewer samples\n",
				    zdma_sg_repeats(zdma) ? 1 : ZDMA_MAX_SEGMENTS);
	else
		dev_err_ratelimited(zdma->dev,
				    "%s has no descriptor for a block, and no transfer is in progress: use fewer samples, or another channel\n",
				    dma_chan_name(zdma->chan));
}

/* Returns the error that ends the stream, or 0. */
static int zdma_sg_try_again(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;
	bool has_failed = READ_ONCE(zdma->has_failed);
	int ret = has_failed ? -EIO : zdma_sg_fill(zdma);

	if (!sg->running || !(has_failed || zdma_sg_is_stuck(sg)))
		return 0;
	if (ret == -EAGAIN && sg->tries++ < HZ) {
		schedule_delayed_work(&sg->retry, 1);
		return 0;
	}
	WRITE_ONCE(sg->running, false);
	ret = ret == -EMSGSIZE ? ret : -EIO;
	zdma_sg_report(zdma, ret);
	return ret;
}

static void zdma_sg_finish_output(struct zdma_device *zdma, bool failed)
{
	if (failed) {
		zio_channel_alarm(zdma->zio_chan, ZDMA_ALARM_ERROR);
		zio_channel_lost(zdma->zio_chan, 1);
	} else {
		zio_channel_complete(zdma->zio_chan, 1);
	}
}

/*
 * Ends a cycle, or skips a block without samples. Nothing is submitted until this function
 * ends, and zdma_stop() waits for the callbacks, so only one context completes blocks.
 */
static void zdma_sg_finish_without_callback(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;
	bool ends_cycle, is_empty, broken;
	unsigned long flags;

	spin_lock_irqsave(&sg->lock, flags);
	broken = sg->cycle == ZDMA_BROKEN;
	ends_cycle = zdma_sg_must_end_cycle(sg);
	is_empty = zdma_sg_is_stuck(sg) && zdma_sg_is_empty(zdma);
	spin_unlock_irqrestore(&sg->lock, flags);
	if (!ends_cycle && !is_empty)
		return;
	zdma_stop(zdma);
	zdma_sg_finish_output(zdma, broken);
	spin_lock_irqsave(&sg->lock, flags);
	if (ends_cycle)
		WRITE_ONCE(sg->tail, sg->tail + 1);
	else
		sg->parked = NULL;
	WRITE_ONCE(sg->cycle, ZDMA_NO_CYCLE);
	sg->tries = 0;
	spin_unlock_irqrestore(&sg->lock, flags);
}

static void zdma_sg_retry(struct work_struct *work)
{
	struct zdma_device *zdma = container_of(work, struct zdma_device, sg.retry.work);
	unsigned long flags;
	int error;

	zdma_sg_finish_without_callback(zdma);
	spin_lock_irqsave(&zdma->sg.lock, flags);
	error = zdma_sg_try_again(zdma);
	spin_unlock_irqrestore(&zdma->sg.lock, flags);
	if (!error)
		return;
	zdma_stop(zdma);
	zio_cset_fail(zdma->cset, error);
}

/* Only one context fails the set: the watch leaves that to the other work item. */
static void zdma_sg_watch(struct work_struct *work)
{
	struct zdma_device *zdma = container_of(work, struct zdma_device, watch.work);
	struct zdma_sg *sg = &zdma->sg;
	unsigned long flags;

	spin_lock_irqsave(&sg->lock, flags);
	if (sg->running && zdma_has_stopped(zdma)) {
		WRITE_ONCE(zdma->has_failed, true);
		schedule_delayed_work(&sg->retry, 0);
	} else if (sg->running) {
		schedule_delayed_work(&zdma->watch, HZ);
	}
	spin_unlock_irqrestore(&sg->lock, flags);
}

static void zdma_sg_finish_transfer(struct zdma_device *zdma, u32 residue, bool failed)
{
	struct zdma_sg *sg = &zdma->sg;
	struct zio_block *block = sg->transfer[sg->tail & sg->mask].block;

	WRITE_ONCE(sg->tail, sg->tail + 1);
	if (zdma->is_output) {
		zdma_sg_finish_output(zdma, failed || residue);
		return;
	}
	/* Memory that the channel has not written holds the samples of an older block. */
	block->len -= min_t(size_t, residue, block->len);
	if (failed)
		block->drv_alarms |= ZDMA_ALARM_ERROR;
	zio_block_sync_for_cpu(block, 0, block->len);
	zdma_finish_block(zdma, block);
	zio_channel_complete(zdma->zio_chan, 1);
}

/*
 * The channel calls this in order, and not after zdma_stop(). Some channels call it for
 * each transfer that zdma_stop() ends: those blocks stay in flight.
 */
static void zdma_sg_block_done(void *data, const struct dmaengine_result *result)
{
	const struct zdma_transfer *transfer = data;
	struct zdma_device *zdma = transfer->zdma;
	struct zdma_sg *sg = &zdma->sg;
	bool aborted = result && result->result == DMA_TRANS_ABORTED;
	bool failed = result && result->result != DMA_TRANS_NOERROR;
	unsigned int older = (transfer - sg->transfer - sg->tail) & sg->mask;
	bool is_over = older >= READ_ONCE(sg->head) - sg->tail;
	u32 residue = aborted ? U32_MAX : result ? result->residue : 0;

	if (is_over || (aborted && !READ_ONCE(sg->running)))
		return;
	while (older--)
		zdma_sg_finish_transfer(zdma, U32_MAX, true);
	/* If there is a cyclic transfer, it is the oldest one. */
	if (READ_ONCE(sg->cycle))
		WRITE_ONCE(sg->cycle, failed ? ZDMA_BROKEN : ZDMA_TURNED);
	else
		zdma_sg_finish_transfer(zdma, residue, failed);
	zdma_sg_fill_again(zdma);
}

/* A callback in progress may hold a parked block, which it must not submit any more. */
static void zdma_sg_stop(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	unsigned int cycle;
	unsigned long flags;

	spin_lock_irqsave(&zdma->sg.lock, flags);
	WRITE_ONCE(zdma->sg.running, false);
	spin_unlock_irqrestore(&zdma->sg.lock, flags);
	zdma_stop(zdma);
	cancel_delayed_work_sync(&zdma->watch);
	cancel_delayed_work_sync(&zdma->sg.retry);
	/* If the user has ended the cycle, its block was played. No callback runs any more. */
	cycle = zdma->sg.cycle;
	if (cycle >= ZDMA_TURNED && !zio_cset_is_cyclic(zdma->cset))
		zdma_sg_finish_output(zdma, cycle == ZDMA_BROKEN);
	WRITE_ONCE(zdma->sg.cycle, ZDMA_NO_CYCLE);
}

/* Returns the error of a stream that could never begin, or 0. The lock is held. */
static int zdma_sg_begin(struct zdma_device *zdma)
{
	struct zdma_sg *sg = &zdma->sg;

	sg->parked = NULL;
	sg->behind = NULL;
	sg->cycle = ZDMA_NO_CYCLE;
	sg->head = 0;
	sg->tail = 0;
	sg->tries = 0;
	WRITE_ONCE(zdma->cookie, 0);
	zdma_start_watch(zdma);
	WRITE_ONCE(sg->running, true);
	return zdma_sg_fill_or_wait(zdma) == -EMSGSIZE ? -EMSGSIZE : 0;
}

static int zdma_sg_start(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	unsigned long flags;
	int ret;

	zdma->zio_chan = zio_cset_channel(cset);
	spin_lock_irqsave(&zdma->sg.lock, flags);
	ret = zdma_sg_begin(zdma);
	spin_unlock_irqrestore(&zdma->sg.lock, flags);
	if (!ret)
		return ZIO_PENDING;
	zdma_sg_stop(cset);
	zdma_sg_report(zdma, ret);
	return ret;
}

static void zdma_sg_refill(struct zio_cset *cset, struct zio_channel *chan)
{
	zdma_sg_fill_again(zio_cset_priv(cset));
}

static int zdma_sg_init(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);
	struct zdma_sg *sg = &zdma->sg;
	int ret;

	spin_lock_init(&sg->lock);
	sg->mask = roundup_pow_of_two(zdma->cset_desc.queue_depth) - 1;
	sg->transfer = devm_kcalloc(zdma->dev, sg->mask + 1, sizeof(*sg->transfer),
				    GFP_KERNEL);
	if (!sg->transfer)
		return -ENOMEM;
	ret = devm_delayed_work_autocancel(zdma->dev, &sg->retry, zdma_sg_retry) ?:
	      devm_delayed_work_autocancel(zdma->dev, &zdma->watch, zdma_sg_watch);
	if (ret)
		return ret;
	return zdma_init_cset(cset);
}

const struct zio_cset_ops zdma_sg_ops = {
	.init = zdma_sg_init,
	.raw_io = zdma_sg_start,
	.stop_io = zdma_sg_stop,
	.refill = zdma_sg_refill,
	.resumed = zdma_resumed,
};
