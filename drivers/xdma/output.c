// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c: H2C: each block goes to the card as one packet
 *
 * The block may be in many pieces of memory: each is a descriptor. The last one has the
 * end of the packet.
 */
#include <linux/pci.h>

#include "xdma.h"

static void xdma_output_fill(struct xdma_engine *engine, u32 i, dma_addr_t addr, u32 bytes,
			     bool is_last)
{
	u32 control = XDMA_DESC_MAGIC;

	if (is_last)
		control |= XDMA_DESC_EOP | XDMA_DESC_STOP | XDMA_DESC_DONE;
	engine->desc[i].bytes = cpu_to_le32(bytes);
	engine->desc[i].from = cpu_to_le64(addr);
	engine->desc[i].to = 0;
	engine->desc[i].control = cpu_to_le32(control);
}

/* Return: -E2BIG if the block has more pieces than there are descriptors. */
static int xdma_output_fill_all(struct xdma_engine *engine, const struct zio_block *block)
{
	size_t pos, n;
	dma_addr_t addr;
	u32 i = 0;

	for (pos = 0; pos < block->len; pos += n) {
		if (i == XDMA_RING)
			return -E2BIG;
		n = zio_block_dma(block, pos, &addr);
		if (!n)
			return -EIO;
		n = min3(n, block->len - pos, (size_t)XDMA_MAX_BYTES);
		xdma_output_fill(engine, i++, addr, n, pos + n == block->len);
	}
	return 0;
}

/* The engine sends the block from its beginning. The caller holds the lock. */
static void xdma_output_run(struct xdma_engine *engine)
{
	xdma_load(engine, 0);
	xdma_start(engine);
}

static int xdma_output_start(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);
	struct zio_block *block = zio_cset_block(cset);
	unsigned long flags;
	int ret;

	engine->cset = cset;
	ret = xdma_output_fill_all(engine, block);
	if (ret)
		return ret;
	zio_block_sync_for_device(block, 0, block->len);
	spin_lock_irqsave(&engine->lock, flags);
	WRITE_ONCE(engine->is_on, true);
	if (!engine->is_down)
		xdma_output_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
	return ZIO_PENDING;
}

void xdma_output_event(struct xdma_engine *engine, u32 status)
{
	struct zio_block *block;

	if (!xchg(&engine->is_on, false))
		return;
	block = zio_cset_block(engine->cset);
	if (status & XDMA_ERRORS) {
		engine->errors++;
		block->drv_alarms |= XDMA_ALARM_ERROR;
		dev_err_ratelimited(engine->card->dev, "H2C engine %u: status %#x\n",
				    engine->line, status);
	}
	xdma_silence(engine);
	zio_cset_done(engine->cset);
}

static void xdma_output_stop(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);

	mutex_lock(&engine->stopping);
	xdma_end(engine);
	mutex_unlock(&engine->stopping);
}

/* @status: what the engine has told last, 0 if it is not known */
void xdma_output_halt(struct xdma_engine *engine, u32 status)
{
	if (status != U32_MAX && status & (XDMA_DONE | XDMA_ERRORS))
		xdma_output_event(engine, status);
}

/* A block that was being sent is sent again. */
void xdma_output_restart(struct xdma_engine *engine)
{
	unsigned long flags;

	spin_lock_irqsave(&engine->lock, flags);
	engine->is_down = false;
	if (engine->is_on)
		xdma_output_run(engine);
	spin_unlock_irqrestore(&engine->lock, flags);
}

static const struct zio_cset_ops output_ops = {
	.init = xdma_init_set,
	.raw_io = xdma_output_start,
	.stop_io = xdma_output_stop,
	.attr_get = xdma_attr_get,
};

const struct zio_cset_desc xdma_output_desc = {
	.name = "h2c",
	.flags = ZIO_CSET_OUTPUT | ZIO_CSET_DMA,
	.n_chan = 1,
	.ssize = 4,
	.nsamples = 1024,
	.align = 4,
	.dma_bits = 64,
	.ops = &output_ops,
	.cset_attrs = xdma_set_attrs,
	.n_cset_attrs = XDMA_N_ATTRS,
};
