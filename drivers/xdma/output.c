// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c: H2C: each block goes to the card as one packet
 *
 * As for C2H, the ring of descriptors is closed, and the engine uses only as many of them
 * as it has credits. A block may consist of many pieces of memory, each with its own
 * descriptor. The last one ends the packet and interrupts. A packet with more pieces than
 * there are free descriptors gets the remaining ones as earlier ones complete, so their
 * number is unlimited.
 *
 * The engine counts the descriptors that it has completed since its start, and the driver
 * knows at which count each packet ends. A restarted engine begins with the oldest packet
 * that is not done, whose descriptors are filled again.
 *
 *          done             filled             taken
 *     ...   | with descriptors |  without them   |
 *
 * The core repeats blocks ("cyclic"). The engine could repeat its ring by itself, but then
 * the driver would change descriptors that the engine may already have prefetched.
 */
#include <linux/pci.h>

#include "xdma.h"

/* A long packet interrupts at each quarter of the ring, to make room for the rest. */
#define XDMA_QUARTER	(XDMA_RING / 4)

static struct xdma_packet *xdma_output_packet(struct xdma_engine *engine, u32 number)
{
	return &engine->packet[number % XDMA_DEPTH];
}

/* --- descriptors for the engine --------------------------------------------- */

static void xdma_output_describe(struct xdma_engine *engine, dma_addr_t addr, u32 bytes,
				 bool is_last)
{
	u32 i = engine->head++ % XDMA_RING, control = XDMA_DESC_MAGIC;
	struct xdma_desc *desc = &engine->desc[i];

	if (is_last)
		control |= XDMA_DESC_EOP | XDMA_DESC_DONE;
	if (i % XDMA_QUARTER == 0)
		control |= XDMA_DESC_DONE;
	desc->bytes = cpu_to_le32(bytes);
	desc->from = cpu_to_le64(addr);
	desc->to = 0;
	desc->control = cpu_to_le32(control);
	engine->credits_now++;
}

/* Returns false if the rest of the packet lacks descriptors. */
static bool xdma_output_fill_packet(struct xdma_engine *engine, struct xdma_packet *packet)
{
	const struct zio_block *block = packet->block;
	dma_addr_t addr;
	size_t n;

	if (!engine->pos)
		zio_block_sync_for_device(block, 0, block->len);
	for (; engine->pos < block->len; engine->pos += n) {
		if (engine->head - engine->tail == XDMA_MAX_CREDITS)
			return false;
		n = zio_block_dma(block, engine->pos, &addr);
		if (WARN_ON_ONCE(!n))
			return false;
		n = min3(n, block->len - engine->pos, (size_t)XDMA_MAX_BYTES);
		xdma_output_describe(engine, addr, n, engine->pos + n == block->len);
	}
	packet->end = engine->head;
	engine->pos = 0;
	return true;
}

static void xdma_output_fill(struct xdma_engine *engine)
{
	while (engine->filled != engine->taken &&
	       xdma_output_fill_packet(engine, xdma_output_packet(engine, engine->filled)))
		engine->filled++;
	xdma_give_credits(engine);
}

/* Takes all available blocks. The core's limit leaves room for each of them. */
static void xdma_output_take_blocks(struct xdma_engine *engine)
{
	struct zio_block *block;

	while ((block = zio_channel_take(engine->chan)))
		xdma_output_packet(engine, engine->taken++)->block = block;
	if (xdma_runs(engine))
		xdma_output_fill(engine);
}

static void xdma_output_fill_ring(struct xdma_engine *engine)
{
	unsigned long flags;

	spin_lock_irqsave(&engine->lock, flags);
	if (engine->is_on)
		xdma_output_take_blocks(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
}

/* Takes the descriptors from packets that are not done. The caller holds the lock. */
static void xdma_output_rewind(struct xdma_engine *engine)
{
	engine->filled = engine->done;
	engine->pos = 0;
	engine->head = engine->tail;
}

/* Starts the engine with the oldest packet that is not done. The caller holds the lock. */
static void xdma_output_run(struct xdma_engine *engine)
{
	xdma_output_rewind(engine);
	engine->begun = engine->tail;
	xdma_start(engine, engine->tail);
	xdma_output_fill(engine);
}

/* --- what the engine has done ----------------------------------------------- */

void xdma_output_finish(struct xdma_engine *engine)
{
	unsigned long flags;
	u32 tail, n;

	spin_lock_irqsave(&engine->lock, flags);
	tail = engine->begun + xdma_read(engine, XDMA_COMPLETED);
	/* A card that is gone claims more than it was given. */
	if (tail - engine->tail <= engine->head - engine->tail)
		engine->tail = tail;
	for (n = 0; engine->done != engine->filled; n++, engine->done++)
		if ((s32)(engine->tail - xdma_output_packet(engine, engine->done)->end) < 0)
			break;
	spin_unlock_irqrestore(&engine->lock, flags);
	if (!n)
		return;
	engine->errors_in_row = 0;
	zio_channel_complete(engine->chan, n);
}

/* The engine has stopped. Returns true if it was in a packet, which is dropped. */
static bool xdma_output_give_up(struct xdma_engine *engine)
{
	unsigned long flags;
	bool is_lost;

	spin_lock_irqsave(&engine->lock, flags);
	is_lost = engine->done != engine->taken;
	engine->done += is_lost;
	xdma_output_rewind(engine);
	if (++engine->errors_in_row > XDMA_MAX_ERRORS)
		schedule_work(&engine->fail_work);
	else if (xdma_runs(engine))
		xdma_output_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
	return is_lost;
}

/* The card has received at most a part of the packet. */
static void xdma_output_recover(struct xdma_engine *engine, u32 status)
{
	bool is_lost = xdma_output_give_up(engine);

	engine->errors++;
	dev_err_ratelimited(engine->card->dev, "H2C engine %u: status %#x%s\n", engine->line,
			    status, is_lost ? ", a block is lost" : "");
	zio_channel_alarm(engine->chan, XDMA_ALARM_ERROR);
	if (is_lost)
		zio_channel_lost(engine->chan, 1);
}

void xdma_output_event(struct xdma_engine *engine, u32 status)
{
	if (!READ_ONCE(engine->is_on))
		return;
	xdma_output_finish(engine);
	if (status & XDMA_ERRORS)
		xdma_output_recover(engine, status);
	xdma_output_fill_ring(engine);
}

/* --- operations of the set -------------------------------------------------- */

static int xdma_output_start(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);
	unsigned long flags;

	engine->cset = cset;
	engine->chan = zio_cset_channel(cset);
	engine->taken = 0;
	engine->done = 0;
	engine->tail = 0;
	xdma_output_take_blocks(engine);
	spin_lock_irqsave(&engine->lock, flags);
	engine->is_on = true;
	engine->errors_in_row = 0;
	if (!engine->is_down)
		xdma_output_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
	return ZIO_PENDING;
}

/* Completes what the engine has sent so far. The core keeps the other blocks. */
static void xdma_output_stop(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);

	mutex_lock(&engine->stopping);
	xdma_end(engine);
	if (!engine->is_down)
		xdma_output_finish(engine);
	mutex_unlock(&engine->stopping);
}

/* @has_stopped: the engine has just stopped, and its registers are readable */
void xdma_output_halt(struct xdma_engine *engine, bool has_stopped)
{
	if (has_stopped)
		xdma_output_finish(engine);
}

/* Packets that were sent, but not reported as sent, are sent again. */
void xdma_output_restart(struct xdma_engine *engine)
{
	unsigned long flags;

	if (READ_ONCE(engine->is_on))
		zio_channel_alarm(engine->chan, XDMA_ALARM_RESET);
	spin_lock_irqsave(&engine->lock, flags);
	engine->is_down = false;
	if (engine->is_on)
		xdma_output_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
	xdma_output_fill_ring(engine);
}

static void xdma_output_refill(struct zio_cset *cset, struct zio_channel *chan)
{
	xdma_output_fill_ring(xdma_engine_of(cset));
}

static const struct zio_cset_ops output_ops = {
	.init = xdma_init_set,
	.raw_io = xdma_output_start,
	.stop_io = xdma_output_stop,
	.refill = xdma_output_refill,
	.attr_get = xdma_attr_get,
};

const struct zio_cset_desc xdma_output_desc = {
	.name = "h2c",
	.flags = ZIO_CSET_STREAM | ZIO_CSET_OUTPUT | ZIO_CSET_DMA | ZIO_CSET_USER_RATE,
	.n_chan = 1,
	.ssize = 4,
	.nsamples = 1024,
	.align = 4,
	.dma_bits = 64,
	.queue_depth = XDMA_DEPTH,
	.ops = &output_ops,
	.cset_attrs = xdma_set_attrs,
	.n_cset_attrs = XDMA_N_ATTRS,
};
