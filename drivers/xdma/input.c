// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c: C2H: packets from the card become blocks
 *
 * The ring of descriptors is closed, and the engine is in credit mode: it uses only as many
 * descriptors as it has credits. Descriptors complete in order, so the one at the tail
 * belongs to the oldest block in flight. After the data of each descriptor, the engine
 * writes a result. The interrupt handler reads results from memory, and only one register.
 */
#include <linux/pci.h>

#include "xdma.h"

/* --- descriptors for the engine --------------------------------------------- */

/* The block is contiguous for the card (ZIO_CSET_ONE_PIECE). */
static void xdma_input_fill(struct xdma_engine *engine, struct zio_block *block)
{
	u32 i = engine->head % XDMA_RING;
	struct xdma_desc *desc = &engine->desc[i];
	dma_addr_t addr;
	size_t n = zio_block_dma(block, 0, &addr);

	WARN_ON_ONCE(n < block->len);
	zio_block_sync_for_device(block, 0, block->len);
	engine->result[i].status = 0;
	desc->bytes = cpu_to_le32(min(n, block->len));
	desc->from = cpu_to_le64(engine->result_addr + i * sizeof(*engine->result));
	desc->to = cpu_to_le64(addr);
	desc->control = cpu_to_le32(XDMA_DESC_MAGIC | XDMA_DESC_DONE);
	engine->head++;
	engine->credits_now++;
}

/* (A) pairs with (B) in xdma_input_finish(): the handler no longer uses a free slot. */
static bool xdma_input_has_slot(const struct xdma_engine *engine)
{
	return engine->head - smp_load_acquire(&engine->tail) < XDMA_MAX_CREDITS; /* (A) */
}

static void xdma_input_take_blocks(struct xdma_engine *engine)
{
	struct zio_block *block;

	while (xdma_input_has_slot(engine) && (block = zio_channel_take(engine->chan)))
		xdma_input_fill(engine, block);
	if (xdma_runs(engine))
		xdma_give_credits(engine);
}

static void xdma_input_fill_ring(struct xdma_engine *engine)
{
	unsigned long flags;

	spin_lock_irqsave(&engine->lock, flags);
	if (engine->is_on)
		xdma_input_take_blocks(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
}

/* --- results ---------------------------------------------------------------- */

static bool xdma_input_is_done(const struct xdma_result *result)
{
	u32 status = le32_to_cpu(READ_ONCE(result->status));

	return (status & ~XDMA_RESULT_EOP) == XDMA_RESULT_MAGIC;
}

static void xdma_input_describe(struct xdma_engine *engine, struct zio_block *block,
				const struct xdma_result *result)
{
	unsigned int ssize = zio_cset_ssize(engine->cset);
	u32 bytes = min_t(u32, le32_to_cpu(result->bytes), block->len);

	zio_block_sync_for_cpu(block, 0, bytes);
	block->len = rounddown(bytes, ssize);
	zio_cset_stamp_end(engine->cset, block);
	if (block->len != bytes)
		block->drv_alarms |= XDMA_ALARM_CUT;
	block->values[XDMA_VALUE_EOP] = !!(le32_to_cpu(result->status) & XDMA_RESULT_EOP);
}

/*
 * The slots become free before the blocks are complete, because the core may call refill()
 * at once. (B) pairs with (A) in xdma_input_has_slot(). Without it, a new descriptor could
 * overwrite the result that xdma_input_describe() reads.
 */
void xdma_input_finish(struct xdma_engine *engine)
{
	const struct xdma_result *result;
	u32 tail = engine->tail, n = 0;

	for (; tail + n != READ_ONCE(engine->head); n++) {
		result = &engine->result[(tail + n) % XDMA_RING];
		if (!xdma_input_is_done(result))
			break;
		dma_rmb();	/* read the result's length after its status */
		xdma_input_describe(engine, zio_channel_in_flight(engine->chan, n), result);
	}
	if (!n)
		return;
	engine->errors_in_row = 0;
	smp_store_release(&engine->tail, tail + n); /* (B) */
	zio_channel_complete(engine->chan, n);
}

/* Starts the engine at the descriptor at the tail. The caller holds the lock. */
static void xdma_input_run(struct xdma_engine *engine)
{
	xdma_start(engine, engine->tail);
	engine->credits_now = engine->head - engine->tail;
	xdma_give_credits(engine);
}

/*
 * The engine has stopped in the descriptor at the tail and restarts there. It has taken
 * data from the stream only if the write failed.
 */
static void xdma_input_recover(struct xdma_engine *engine, u32 status)
{
	bool is_lost = status & XDMA_WRITE_ERRORS;
	unsigned long flags;

	engine->errors++;
	dev_err_ratelimited(engine->card->dev, "C2H engine %u: status %#x%s\n",
			    engine->line - engine->card->n_h2c, status,
			    is_lost ? ", a block is lost" : "");
	if (is_lost)
		zio_channel_lost(engine->chan, 1);
	zio_channel_alarm(engine->chan, XDMA_ALARM_ERROR);
	if (++engine->errors_in_row > XDMA_MAX_ERRORS) {
		schedule_work(&engine->fail_work);
		return;
	}
	spin_lock_irqsave(&engine->lock, flags);
	if (xdma_runs(engine))
		xdma_input_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
}

void xdma_input_event(struct xdma_engine *engine, u32 status)
{
	if (!READ_ONCE(engine->is_on))
		return;
	xdma_input_finish(engine);
	if (status & XDMA_ERRORS)
		xdma_input_recover(engine, status);
	xdma_input_fill_ring(engine);
}

/* --- operations of the set -------------------------------------------------- */

static int xdma_input_start(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);
	unsigned long flags;

	engine->cset = cset;
	engine->chan = zio_cset_channel(cset);
	engine->head = 0;
	engine->tail = 0;
	engine->credits_now = 0;
	xdma_input_take_blocks(engine);
	spin_lock_irqsave(&engine->lock, flags);
	engine->is_on = true;
	engine->errors_in_row = 0;
	if (!engine->is_down)
		xdma_input_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
	return ZIO_PENDING;
}

/* Completes what the engine has finished so far. */
static void xdma_input_stop(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);

	mutex_lock(&engine->stopping);
	xdma_end(engine);
	xdma_input_finish(engine);
	mutex_unlock(&engine->stopping);
}

/* The blocks in flight stay in flight. */
void xdma_input_halt(struct xdma_engine *engine)
{
	if (READ_ONCE(engine->is_on))
		xdma_input_finish(engine);
}

/* After an error of the bus, the engine may have kept running until it was stopped. */
void xdma_input_restart(struct xdma_engine *engine)
{
	unsigned long flags;

	xdma_input_halt(engine);
	if (READ_ONCE(engine->is_on))
		zio_channel_alarm(engine->chan, XDMA_ALARM_RESET);
	spin_lock_irqsave(&engine->lock, flags);
	engine->is_down = false;
	if (engine->is_on)
		xdma_input_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
	xdma_input_fill_ring(engine);
}

static void xdma_input_refill(struct zio_cset *cset, struct zio_channel *chan)
{
	xdma_input_fill_ring(xdma_engine_of(cset));
}

static const struct zio_cset_ops input_ops = {
	.init = xdma_init_set,
	.raw_io = xdma_input_start,
	.stop_io = xdma_input_stop,
	.refill = xdma_input_refill,
	.attr_get = xdma_attr_get,
};

static const struct zio_attr_desc xdma_input_values[] = {
	ZIO_ATTR_BLOCK("end-of-packet", XDMA_VALUE_EOP, 0),
};

const struct zio_cset_desc xdma_input_desc = {
	.name = "c2h",
	.flags = ZIO_CSET_STREAM | ZIO_CSET_DMA | ZIO_CSET_ONE_PIECE | ZIO_CSET_USER_RATE,
	.n_chan = 1,
	.ssize = 4,
	.nsamples = 1024,
	.queue_depth = XDMA_DEPTH,
	.trigger = "transparent",
	.ops = &input_ops,
	.cset_attrs = xdma_set_attrs,
	.n_cset_attrs = XDMA_N_ATTRS,
	.chan_attrs = xdma_input_values,
	.n_chan_attrs = ARRAY_SIZE(xdma_input_values),
};
