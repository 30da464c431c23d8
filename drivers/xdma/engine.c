// SPDX-License-Identifier: GPL-2.0-only
/* engine.c: what the engines of both directions have in common */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>

#include "xdma.h"

/* A transfer is at most 256 MiB; the slowest link moves that in about a second. */
#define XDMA_STOP_US	(2 * USEC_PER_SEC)

/**
 * xdma_init_set() - allocate the descriptors of an engine; init() of a set
 * @cset: the channel set
 *
 * Context: Process context, may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int xdma_init_set(struct zio_cset *cset)
{
	struct xdma_engine *engine = xdma_engine_of(cset);
	struct device *dev = engine->card->dev;
	u32 i, next;

	if (!engine->desc) {
		engine->desc = dmam_alloc_coherent(dev, XDMA_RING * sizeof(*engine->desc),
						   &engine->desc_addr, GFP_KERNEL);
		engine->result = dmam_alloc_coherent(dev, XDMA_RING * sizeof(*engine->result),
						     &engine->result_addr, GFP_KERNEL);
		if (!engine->desc || !engine->result)
			return -ENOMEM;
	}
	/* The ring is closed: the engine stops when it runs out of credits. */
	for (i = 0; i < XDMA_RING; i++) {
		next = (i + 1) % XDMA_RING;
		engine->desc[i].next =
			cpu_to_le64(engine->desc_addr + next * sizeof(*engine->desc));
	}
	return 0;
}

const struct zio_attr_desc xdma_set_attrs[XDMA_N_ATTRS] = {
	ZIO_ATTR_PARAM("errors", 0444, 0, 0),
};

int xdma_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		  const struct zio_attr_desc *attr, u32 *value)
{
	*value = READ_ONCE(xdma_engine_of(cset)->errors);
	return 0;
}

/*
 * refill() may have given credits to an engine that has stopped with an error. The engine
 * would use them for descriptors that nobody has filled. Leaving credit mode clears them.
 */
static void xdma_clear_credits(struct xdma_engine *engine)
{
	u32 bit = BIT(xdma_is_input(engine) ?
		      XDMA_CREDIT_C2H + engine->line - engine->card->n_h2c : engine->line);

	writel(bit, engine->card->base + XDMA_CREDIT_MODE_CLEAR);
	writel(bit, engine->card->base + XDMA_CREDIT_MODE_SET);
}

/**
 * xdma_start() - start a stopped engine, without credits
 * @engine: the engine
 * @index: number of its first descriptor, modulo XDMA_RING
 *
 * Reading the status clears what an earlier transfer has left.
 *
 * Context: Any; the lock is held.
 */
void xdma_start(struct xdma_engine *engine, u32 index)
{
	u64 addr = engine->desc_addr + index % XDMA_RING * sizeof(*engine->desc);
	struct xdma_card *card = engine->card;

	xdma_write(engine, XDMA_CONTROL, 0);
	xdma_clear_credits(engine);
	engine->credits_now = 0;
	xdma_write(engine, XDMA_SG + XDMA_SG_LOW, lower_32_bits(addr));
	xdma_write(engine, XDMA_SG + XDMA_SG_HIGH, upper_32_bits(addr));
	xdma_write(engine, XDMA_SG + XDMA_SG_ADJACENT, 0);
	xdma_read(engine, XDMA_STATUS_CLEAR);
	xdma_write(engine, XDMA_INT_MASK, XDMA_DONE | XDMA_ERRORS);
	writel(BIT(engine->line), card->base + XDMA_CHAN_INT_SET);
	xdma_write(engine, XDMA_CONTROL, XDMA_RUN | XDMA_DONE | XDMA_ERRORS);
}

/**
 * xdma_give_credits() - tell an engine how many descriptors were filled
 * @engine: the engine; at most XDMA_MAX_CREDITS of its descriptors are pending
 *
 * writel() orders the descriptors before the credits.
 *
 * Context: Any; the lock is held.
 */
void xdma_give_credits(struct xdma_engine *engine)
{
	if (engine->credits_now)
		xdma_write(engine, XDMA_SG + XDMA_SG_CREDITS, engine->credits_now);
	engine->credits_now = 0;
}

u32 xdma_take_status(struct xdma_engine *engine)
{
	return xdma_read(engine, XDMA_STATUS_CLEAR);
}

/* Prevents interrupts for this engine, and stops it from starting a descriptor. */
void xdma_silence(struct xdma_engine *engine)
{
	writel(BIT(engine->line), engine->card->base + XDMA_CHAN_INT_CLEAR);
	xdma_write(engine, XDMA_CONTROL, 0);
}

/**
 * xdma_stop() - wait until an engine no longer accesses memory
 * @engine: the engine
 *
 * If an engine does not stop, its whole card loses the right to do DMA: memory is worth
 * more than the transfer. A card that is gone reads as all ones; it does no DMA.
 *
 * Context: Process context, may sleep.
 */
void xdma_stop(struct xdma_engine *engine)
{
	u32 status;

	xdma_silence(engine);
	if (readl_poll_timeout(engine->base + XDMA_STATUS, status,
			       !(status & XDMA_RUN) || status == U32_MAX, 10, XDMA_STOP_US)) {
		dev_err(engine->card->dev, "engine %u does not stop: DMA of the card is disabled; reload the driver\n",
			engine->line);
		pci_clear_master(engine->card->pdev);
	}
	synchronize_irq(engine->irq);
}

/**
 * xdma_end() - end the transfer of an engine; stop_io() of a set
 * @engine: the engine
 *
 * Context: Process, may sleep; engine->stopping is held.
 */
void xdma_end(struct xdma_engine *engine)
{
	unsigned long flags;
	bool runs;

	spin_lock_irqsave(&engine->lock, flags);
	runs = xdma_runs(engine);
	engine->is_on = false;
	spin_unlock_irqrestore(&engine->lock, flags);
	if (runs)
		xdma_stop(engine);
	else
		synchronize_irq(engine->irq);
}

/* A register holds four vectors. */
static void xdma_route(struct xdma_card *card, unsigned int reg, unsigned int line,
		       unsigned int vector)
{
	void __iomem *at = card->base + reg + line / 4 * 4;
	unsigned int shift = 8 * (line % 4);

	writel((readl(at) & ~(0x1f << shift)) | vector << shift, at);
}

/**
 * xdma_route_interrupts() - set the vectors of all interrupts
 * @card: the card
 *
 * The kernel masks a vector that nobody has requested.
 *
 * Context: Any.
 */
void xdma_route_interrupts(struct xdma_card *card)
{
	unsigned int n_engines = card->n_h2c + card->n_c2h, i;

	for (i = 0; i < n_engines; i++)
		xdma_route(card, XDMA_CHAN_VECTOR, i, i);
	for (i = 0; i < card->n_user; i++)
		xdma_route(card, XDMA_USER_VECTOR, i, n_engines + i);
	writel(GENMASK(XDMA_USER_IRQS - 1, 0), card->base + XDMA_USER_INT_CLEAR);
	if (card->n_user)
		writel(GENMASK(card->n_user - 1, 0), card->base + XDMA_USER_INT_SET);
}
