// SPDX-License-Identifier: GPL-2.0-only
/*
 * soft-dma.c: a provider of two dmaengine channels, whose samples count up
 *
 * A timer does what the hardware would do: it fills some transfers, or plays them, and
 * calls back. It counts the words that it plays, and adds them. It uses DMA addresses. With
 * swiotlb=force these are bounce buffers. The machine has no IOMMU. Each channel has its own
 * count of 32-bit words. A transfer that is terminated takes no count with it.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include <linux/version.h>

#define N_CHANNELS	2
#define MAX_BURST	256

static uint period_us = 1000;
module_param(period_us, uint, 0644);
MODULE_PARM_DESC(period_us, "of the timer");
static uint batch = 4;
module_param(batch, uint, 0644);
MODULE_PARM_DESC(batch, "transfers, or periods of a cyclic one, each time");
static uint descriptors;
module_param(descriptors, uint, 0644);
MODULE_PARM_DESC(descriptors, "most descriptors of a channel; 0: any number");
static uint fail;
module_param(fail, uint, 0644);
MODULE_PARM_DESC(fail, "the Nth transfer from now on fails; 0: none");
static uint shorten;
module_param(shorten, uint, 0644);
MODULE_PARM_DESC(shorten, "bytes that each transfer lacks at its end");
static bool cyclic = true;
module_param(cyclic, bool, 0444);
MODULE_PARM_DESC(cyclic, "the channels have cyclic transfers");
static bool coarse;
module_param(coarse, bool, 0444);
MODULE_PARM_DESC(coarse, "the residue changes at the end of a transfer only");
static bool refuse;
module_param(refuse, bool, 0644);
MODULE_PARM_DESC(refuse, "there is no descriptor");
static uint abort;
module_param(abort, uint, 0644);
MODULE_PARM_DESC(abort, "the Nth transfer from now on is aborted; 0: none");
static uint forget;
module_param(forget, uint, 0644);
MODULE_PARM_DESC(forget, "the Nth transfer from now on has no callback; 0: none");
static uint late;
module_param(late, uint, 0644);
MODULE_PARM_DESC(late, "of a cyclic transfer, times without a callback from now on");
static uint stall;
module_param(stall, uint, 0644);
MODULE_PARM_DESC(stall, "a channel stops with an error, and no callback, the Nth time from now on");
static bool amnesia;
module_param(amnesia, bool, 0644);
MODULE_PARM_DESC(amnesia, "the channels lose their state in a suspend");
static uint running;
module_param(running, uint, 0444);
MODULE_PARM_DESC(running, "transfers that are submitted now");
static uint played;
module_param(played, uint, 0444);
MODULE_PARM_DESC(played, "words of both channels");
static uint sum;
module_param(sum, uint, 0444);
MODULE_PARM_DESC(sum, "of the words that were played");
static uint breaks;
module_param(breaks, uint, 0444);
MODULE_PARM_DESC(breaks, "played words that are not the word before and one");

struct segment {
	dma_addr_t addr;
	size_t len;
};

struct soft_desc {
	struct dma_async_tx_descriptor tx;
	struct list_head node;
	struct dmaengine_result result;
	bool forgotten;
	bool is_output;
	size_t period;		/* cyclic */
	size_t pos;
	unsigned int n;
	struct segment seg[];
};

enum soft_state { RUNS, HAS_FAILED, HAS_FORGOTTEN };

struct soft_chan {
	struct dma_chan chan;
	enum soft_state state;	/* it does nothing any more until it is terminated */
	spinlock_t lock;	/* lists, counts */
	struct list_head submitted;
	struct list_head issued;
	unsigned int n_descs;
	u32 word;
	struct hrtimer timer;
};

static struct soft_dma {
	struct dma_device dma;
	struct soft_chan chan[N_CHANNELS];
} soft;

static struct platform_device *soft_device;

static struct soft_chan *to_soft(struct dma_chan *chan)
{
	return container_of(chan, struct soft_chan, chan);
}

static ktime_t period(void)
{
	return ns_to_ktime((u64)period_us * NSEC_PER_USEC);
}

static u32 *at(dma_addr_t addr)
{
	return phys_to_virt(dma_to_phys(&soft_device->dev, addr));
}

static void play_word(struct soft_chan *sc, u32 word)
{
	breaks += word != sc->word;
	sc->word = word + 1;
	played++;
	sum += word;
}

/* Fills at most @len bytes of the segment, and returns how many are left of @len. */
static size_t fill_segment(struct soft_chan *sc, const struct soft_desc *desc, unsigned int k,
			   size_t pos, size_t len)
{
	const struct segment *seg = &desc->seg[k];
	size_t n = min(len, seg->len - pos), i;
	u32 *word = at(seg->addr + pos);

	for (i = 0; i < n / 4; i++)
		if (desc->is_output)
			play_word(sc, word[i]);
		else
			word[i] = sc->word++;
	return len - n;
}

/* Returns true for the transfer that a user has ordered. */
static bool is_ordered(uint *count)
{
	return *count && !--*count;
}

static enum dmaengine_tx_result choose_result(void)
{
	if (is_ordered(&abort))
		return DMA_TRANS_ABORTED;
	return is_ordered(&fail) ? DMA_TRANS_WRITE_FAILED : DMA_TRANS_NOERROR;
}

/* The words of a transfer that is aborted, or forgotten, are not written. */
static void fill_transfer(struct soft_chan *sc, struct soft_desc *desc)
{
	size_t len = 0;
	unsigned int i;

	desc->result.result = choose_result();
	desc->forgotten = is_ordered(&forget);
	if (desc->forgotten || desc->result.result == DMA_TRANS_ABORTED)
		return;
	for (i = 0; i < desc->n; i++)
		len += desc->seg[i].len;
	desc->result.residue = min_t(size_t, shorten, len);
	len -= desc->result.residue;
	for (i = 0; i < desc->n; i++)
		len = fill_segment(sc, desc, i, 0, len);
}

static void fill_period(struct soft_chan *sc, struct soft_desc *desc)
{
	fill_segment(sc, desc, 0, desc->pos, desc->period);
	desc->pos = (desc->pos + desc->period) % desc->seg[0].len;
}

static struct soft_desc *first_issued(struct soft_chan *sc)
{
	return list_first_entry_or_null(&sc->issued, struct soft_desc, node);
}

/* The lock is held. Moves what is done to @done, or returns the cyclic transfer. */
static struct soft_desc *work(struct soft_chan *sc, struct list_head *done)
{
	struct soft_desc *desc = NULL;
	unsigned int i;

	if (!sc->state && is_ordered(&stall))
		sc->state = HAS_FAILED;
	for (i = 0; i < batch && !sc->state; i++) {
		desc = first_issued(sc);
		if (!desc)
			return NULL;
		if (desc->period) {
			fill_period(sc, desc);
			continue;
		}
		fill_transfer(sc, desc);
		sc->chan.completed_cookie = desc->tx.cookie;
		list_move_tail(&desc->node, done);
	}
	if (!desc || !desc->period)
		return NULL;
	desc->result.result = choose_result();
	if (!late)
		return desc;
	late--;
	return NULL;
}

static void drop(struct soft_chan *sc, struct soft_desc *desc)
{
	unsigned long flags;

	spin_lock_irqsave(&sc->lock, flags);
	sc->n_descs--;
	running--;
	spin_unlock_irqrestore(&sc->lock, flags);
	kfree(desc);
}

static void call_back(const struct dma_async_tx_descriptor *tx,
		      const struct dmaengine_result *result)
{
	if (tx->callback_result)
		tx->callback_result(tx->callback_param, result);
	else if (tx->callback)
		tx->callback(tx->callback_param);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct soft_chan *sc = container_of(timer, struct soft_chan, timer);
	struct dma_async_tx_descriptor tx = {};
	struct dmaengine_result result = {};
	struct soft_desc *desc, *next;
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&sc->lock, flags);
	desc = work(sc, &done);
	if (desc) {
		tx = desc->tx;
		result = desc->result;
	}
	spin_unlock_irqrestore(&sc->lock, flags);
	if (desc)
		call_back(&tx, &result);
	list_for_each_entry_safe(desc, next, &done, node) {
		if (!desc->forgotten)
			call_back(&desc->tx, &desc->result);
		drop(sc, desc);
	}
	/* A callback may have started the timer already: so it cannot be moved forward. */
	if (!list_empty_careful(&sc->issued) && !READ_ONCE(sc->state))
		hrtimer_start(timer, period(), HRTIMER_MODE_REL_SOFT);
	return HRTIMER_NORESTART;
}

static dma_cookie_t soft_submit(struct dma_async_tx_descriptor *tx)
{
	struct soft_desc *desc = container_of(tx, struct soft_desc, tx);
	struct soft_chan *sc = to_soft(tx->chan);
	unsigned long flags;

	spin_lock_irqsave(&sc->lock, flags);
	tx->cookie = max(sc->chan.cookie + 1, DMA_MIN_COOKIE);
	sc->chan.cookie = tx->cookie;
	list_add_tail(&desc->node, &sc->submitted);
	running++;
	spin_unlock_irqrestore(&sc->lock, flags);
	return tx->cookie;
}

static struct soft_desc *alloc_desc(struct soft_chan *sc, unsigned int n)
{
	struct soft_desc *desc = kzalloc(struct_size(desc, seg, n), GFP_NOWAIT);
	unsigned long flags;
	bool full;

	if (!desc)
		return NULL;
	spin_lock_irqsave(&sc->lock, flags);
	full = refuse || (descriptors && sc->n_descs >= descriptors);
	sc->n_descs += !full;
	spin_unlock_irqrestore(&sc->lock, flags);
	if (full) {
		kfree(desc);
		return NULL;
	}
	desc->n = n;
	dma_async_tx_descriptor_init(&desc->tx, &sc->chan);
	desc->tx.tx_submit = soft_submit;
	return desc;
}

static struct dma_async_tx_descriptor *
soft_prep_sg(struct dma_chan *chan, struct scatterlist *sgl, unsigned int n,
	     enum dma_transfer_direction dir, unsigned long flags, void *context)
{
	struct soft_desc *desc;
	struct scatterlist *sg;
	unsigned int i;

	desc = alloc_desc(to_soft(chan), n);
	if (!desc)
		return NULL;
	desc->is_output = dir == DMA_MEM_TO_DEV;
	for_each_sg(sgl, sg, n, i)
		desc->seg[i] = (struct segment){ sg_dma_address(sg), sg_dma_len(sg) };
	return &desc->tx;
}

static struct dma_async_tx_descriptor *
soft_prep_cyclic(struct dma_chan *chan, dma_addr_t addr, size_t len, size_t period,
		 enum dma_transfer_direction dir, unsigned long flags)
{
	struct soft_desc *desc = alloc_desc(to_soft(chan), 1);

	if (!desc)
		return NULL;
	desc->is_output = dir == DMA_MEM_TO_DEV;
	desc->seg[0] = (struct segment){ addr, len };
	desc->period = period;
	return &desc->tx;
}

static int soft_config(struct dma_chan *chan, struct dma_slave_config *config)
{
	return max(config->src_maxburst, config->dst_maxburst) > MAX_BURST ? -EINVAL : 0;
}

static void soft_issue(struct dma_chan *chan)
{
	struct soft_chan *sc = to_soft(chan);
	unsigned long flags;
	bool begins;

	spin_lock_irqsave(&sc->lock, flags);
	begins = list_empty(&sc->issued) && !list_empty(&sc->submitted);
	list_splice_tail_init(&sc->submitted, &sc->issued);
	spin_unlock_irqrestore(&sc->lock, flags);
	if (begins)
		hrtimer_start(&sc->timer, period(), HRTIMER_MODE_REL_SOFT);
}

static enum dma_status soft_status(struct dma_chan *chan, dma_cookie_t cookie,
				   struct dma_tx_state *state)
{
	struct soft_chan *sc = to_soft(chan);
	struct soft_desc *desc;
	unsigned long flags;

	spin_lock_irqsave(&sc->lock, flags);
	desc = first_issued(sc);
	if (state) {
		state->last = sc->chan.completed_cookie;
		state->used = sc->chan.cookie;
		state->residue = desc ? desc->seg[0].len - (coarse ? 0 : desc->pos) : 0;
	}
	spin_unlock_irqrestore(&sc->lock, flags);
	if (sc->state == HAS_FAILED)
		return DMA_ERROR;
	return desc ? DMA_IN_PROGRESS : DMA_COMPLETE;
}

static int soft_terminate(struct dma_chan *chan)
{
	struct soft_chan *sc = to_soft(chan);
	struct soft_desc *desc, *next;
	unsigned long flags;
	LIST_HEAD(dropped);

	spin_lock_irqsave(&sc->lock, flags);
	list_splice_tail_init(&sc->issued, &dropped);
	list_splice_tail_init(&sc->submitted, &dropped);
	sc->state = RUNS;
	spin_unlock_irqrestore(&sc->lock, flags);
	list_for_each_entry_safe(desc, next, &dropped, node)
		drop(sc, desc);
	return 0;
}

static void soft_synchronize(struct dma_chan *chan)
{
	hrtimer_cancel(&to_soft(chan)->timer);
}

static void init_channel(struct soft_chan *sc)
{
	spin_lock_init(&sc->lock);
	INIT_LIST_HEAD(&sc->submitted);
	INIT_LIST_HEAD(&sc->issued);
	sc->chan.cookie = DMA_MIN_COOKIE;
	sc->chan.completed_cookie = DMA_MIN_COOKIE;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&sc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	sc->timer.function = tick;
#else
	hrtimer_setup(&sc->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
#endif
	sc->chan.device = &soft.dma;
	list_add_tail(&sc->chan.device_node, &soft.dma.channels);
}

static void init_provider(struct dma_device *dma)
{
	unsigned int i;

	dma->dev = &soft_device->dev;
	dma_cap_set(DMA_SLAVE, dma->cap_mask);
	dma_cap_set(DMA_PRIVATE, dma->cap_mask);
	if (cyclic)
		dma_cap_set(DMA_CYCLIC, dma->cap_mask);
	dma->directions = BIT(DMA_DEV_TO_MEM) | BIT(DMA_MEM_TO_DEV);
	dma->src_addr_widths = BIT(1) | BIT(2) | BIT(4) | BIT(8);
	dma->dst_addr_widths = dma->src_addr_widths;
	dma->residue_granularity = coarse ? DMA_RESIDUE_GRANULARITY_DESCRIPTOR :
					    DMA_RESIDUE_GRANULARITY_BURST;
	dma->device_prep_slave_sg = soft_prep_sg;
	dma->device_prep_dma_cyclic = soft_prep_cyclic;
	dma->device_config = soft_config;
	dma->device_issue_pending = soft_issue;
	dma->device_tx_status = soft_status;
	dma->device_terminate_all = soft_terminate;
	dma->device_synchronize = soft_synchronize;
	INIT_LIST_HEAD(&dma->channels);
	for (i = 0; i < N_CHANNELS; i++)
		init_channel(&soft.chan[i]);
}

/* A provider of the dmaengine has a driver, which holds the module. */
static int soft_probe(struct platform_device *pdev)
{
	soft_device = pdev;
	init_provider(&soft.dma);
	return dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64)) ?:
	       dma_async_device_register(&soft.dma);
}

static int soft_suspend(struct device *dev)
{
	unsigned long flags;
	unsigned int i;

	for (i = 0; amnesia && i < N_CHANNELS; i++) {
		spin_lock_irqsave(&soft.chan[i].lock, flags);
		soft.chan[i].state = HAS_FORGOTTEN;
		spin_unlock_irqrestore(&soft.chan[i].lock, flags);
	}
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(soft_pm_ops, soft_suspend, NULL);

static struct platform_driver soft_driver = {
	.driver.name = "soft-dma",
	.driver.pm = pm_sleep_ptr(&soft_pm_ops),
	.probe = soft_probe,
};

static int __init soft_init(void)
{
	struct platform_device *pdev;
	int ret = platform_driver_register(&soft_driver);

	if (ret)
		return ret;
	pdev = platform_device_register_simple("soft-dma", -1, NULL, 0);
	ret = PTR_ERR_OR_ZERO(pdev);
	if (!ret && !pdev->dev.driver) {
		platform_device_unregister(pdev);
		ret = -ENODEV;
	}
	if (ret)
		platform_driver_unregister(&soft_driver);
	return ret;
}

static void __exit soft_exit(void)
{
	dma_async_device_unregister(&soft.dma);
	platform_device_unregister(soft_device);
	platform_driver_unregister(&soft_driver);
}

module_init(soft_init);
module_exit(soft_exit);
MODULE_DESCRIPTION("A dmaengine provider without hardware, for tests");
MODULE_LICENSE("GPL");
