// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: FPGA cards with AMD's DMA/Bridge Subsystem for PCI Express ("XDMA")
 *
 * Each C2H engine is an input set of one channel: a packet of the stream is a block. Each
 * H2C engine is an output set: a block is a packet. The inputs come first. The file
 * user_irqs of the PCI device lists the Linux numbers of the user interrupts, for the
 * trigger "irq". See Documentation/xdma.md.
 */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "xdma.h"

static unsigned int sample_size = 4;
module_param(sample_size, uint, 0444);
MODULE_PARM_DESC(sample_size, "bytes per sample: 1, 2, 4 or 8");

/* --- registers -------------------------------------------------------------- */

static u32 xdma_block_id(void __iomem *base, unsigned int block)
{
	return readl(base + block) & XDMA_ID_MASK;
}

static void __iomem *xdma_map_bar(struct xdma_card *card, unsigned int bar)
{
	resource_size_t start = pci_resource_start(card->pdev, bar);
	resource_size_t len = pci_resource_len(card->pdev, bar);
	void __iomem *base;

	if (!devm_request_mem_region(card->dev, start, len, "zio-xdma"))
		return NULL;
	base = pcim_iomap(card->pdev, bar, 0);
	if (!base)
		devm_release_mem_region(card->dev, start, len);
	return base;
}

/* The DMA's registers are behind the BARs of the user's logic, of 32 or 64 bits each. */
static int xdma_map_registers(struct xdma_card *card)
{
	void __iomem *base;
	unsigned int bar;

	for (bar = 0; bar < PCI_STD_NUM_BARS; bar++) {
		if (!(pci_resource_flags(card->pdev, bar) & IORESOURCE_MEM) ||
		    pci_resource_len(card->pdev, bar) < XDMA_SPACE)
			continue;
		base = xdma_map_bar(card, bar);
		if (!base)
			continue;
		if (xdma_block_id(base, XDMA_IRQ) == XDMA_ID_IRQ) {
			card->base = base;
			return 0;
		}
		pcim_iounmap(card->pdev, base);
		devm_release_mem_region(card->dev, pci_resource_start(card->pdev, bar),
					pci_resource_len(card->pdev, bar));
	}
	return dev_err_probe(card->dev, -ENODEV, "no BAR has the registers of an XDMA\n");
}

static unsigned int xdma_count_engines(struct xdma_card *card, unsigned int block, u32 id)
{
	unsigned int n;

	for (n = 0; n < XDMA_MAX_ENGINES; n++)
		if (xdma_block_id(card->base, block + n * XDMA_STRIDE) != id)
			break;
	return n;
}

/*
 * Ends the transfer of an engine that reports one error after the other. The set fails: its
 * reader gets -EIO, and the next read starts the transfer again. Since the work was queued,
 * the transfer may have been stopped or restarted. The set exists as long as
 * engine->stopping is held, because stop_io() takes it as well.
 */
static void xdma_fail(struct work_struct *work)
{
	struct xdma_engine *engine = container_of(work, struct xdma_engine, fail_work);
	bool has_failed;

	mutex_lock(&engine->stopping);
	spin_lock_irq(&engine->lock);
	has_failed = xdma_runs(engine) && engine->errors_in_row > XDMA_MAX_ERRORS;
	spin_unlock_irq(&engine->lock);
	if (!has_failed)
		goto out;
	dev_err_ratelimited(engine->card->dev,
			    "engine %u: %u errors in a row: the transfer ends\n",
			    engine->line, engine->errors_in_row);
	xdma_end(engine);
	if (xdma_is_input(engine))
		xdma_input_finish(engine);
	else
		xdma_output_finish(engine);
	zio_cset_fail(engine->cset, -EIO);
out:
	mutex_unlock(&engine->stopping);
}

static void xdma_add_engines(struct xdma_card *card, unsigned int block, unsigned int first,
			     unsigned int n)
{
	struct xdma_engine *engine;
	unsigned int i;

	for (i = 0; i < n; i++) {
		engine = &card->engine[first + i];
		engine->card = card;
		engine->line = first + i;
		engine->base = card->base + block + i * XDMA_STRIDE;
		spin_lock_init(&engine->lock);
		mutex_init(&engine->stopping);
		INIT_WORK(&engine->fail_work, xdma_fail);
		xdma_silence(engine);
	}
}

static bool xdma_are_streams(struct xdma_card *card, unsigned int block, unsigned int n)
{
	while (n--)
		if (!(readl(card->base + block + n * XDMA_STRIDE) & XDMA_ID_STREAM))
			return false;
	return true;
}

/* A memory-mapped engine would take a descriptor's addresses for those of the card. */
static int xdma_find_engines(struct xdma_card *card)
{
	card->n_h2c = xdma_count_engines(card, XDMA_H2C, XDMA_ID_H2C);
	card->n_c2h = xdma_count_engines(card, XDMA_C2H, XDMA_ID_C2H);
	if (!(card->n_h2c + card->n_c2h))
		return dev_err_probe(card->dev, -ENODEV, "the XDMA has no engine\n");
	if (!xdma_are_streams(card, XDMA_H2C, card->n_h2c) ||
	    !xdma_are_streams(card, XDMA_C2H, card->n_c2h))
		return dev_err_probe(card->dev, -ENODEV,
				     "the XDMA has memory-mapped engines (AXI-MM): choose AXI stream in the FPGA's design\n");
	xdma_add_engines(card, XDMA_H2C, 0, card->n_h2c);
	xdma_add_engines(card, XDMA_C2H, card->n_h2c, card->n_c2h);
	return 0;
}

/* --- interrupts ------------------------------------------------------------- */

static void xdma_free_vectors(void *data)
{
	pci_free_irq_vectors(data);
}

static irqreturn_t xdma_interrupt(int irq, void *data)
{
	struct xdma_engine *engine = data;
	u32 status = xdma_take_status(engine);

	/* If all engines share one message, the others are checked as well. */
	if (status == U32_MAX || !(status & (XDMA_DONE | XDMA_ERRORS)))
		return IRQ_NONE;
	if (xdma_is_input(engine))
		xdma_input_event(engine, status);
	else
		xdma_output_event(engine, status);
	return IRQ_HANDLED;
}

/* How often to check engines that do not interrupt */
#define XDMA_WATCH_JIFFIES	HZ

/* Calls the handler with its interrupt off. Nobody can stop or restart the engine. */
static void xdma_look_at(struct xdma_engine *engine)
{
	mutex_lock(&engine->stopping);
	if (xdma_runs(engine)) {
		disable_irq(engine->irq);
		xdma_interrupt(engine->irq, engine);
		enable_irq(engine->irq);
	}
	mutex_unlock(&engine->stopping);
}

/*
 * An interrupt of the card is a write to memory. While the card is not allowed to do DMA,
 * its engines stop with an error that no interrupt reports, and readers would wait forever.
 */
static void xdma_watch(struct work_struct *work)
{
	struct xdma_card *card = container_of(work, struct xdma_card, watch.work);
	unsigned int i;

	for (i = 0; i < card->n_h2c + card->n_c2h; i++)
		xdma_look_at(&card->engine[i]);
	schedule_delayed_work(&card->watch, XDMA_WATCH_JIFFIES);
}

static int xdma_request_interrupts(struct xdma_card *card)
{
	unsigned int n_engines = card->n_h2c + card->n_c2h, i;
	struct xdma_engine *engine;
	int ret, n;

	n = pci_alloc_irq_vectors(card->pdev, n_engines, n_engines + XDMA_USER_IRQS,
				  PCI_IRQ_MSIX | PCI_IRQ_MSI);
	if (n < 0)
		return dev_err_probe(card->dev, n, "no %u interrupt vectors\n", n_engines);
	card->n_user = n - n_engines;
	ret = devm_add_action_or_reset(card->dev, xdma_free_vectors, card->pdev);
	if (ret)
		return ret;
	for (i = 0; i < n_engines; i++) {
		engine = &card->engine[i];
		engine->irq = pci_irq_vector(card->pdev, engine->line);
		ret = devm_request_irq(card->dev, engine->irq, xdma_interrupt, 0, "zio-xdma",
				       engine);
		if (ret)
			return dev_err_probe(card->dev, ret, "cannot request interrupt %d\n",
					     engine->irq);
	}
	xdma_route_interrupts(card);
	return 0;
}

static ssize_t user_irqs_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct xdma_card *card = dev_get_drvdata(dev);
	unsigned int i;
	int len = 0;

	for (i = 0; i < card->n_user; i++)
		len += sysfs_emit_at(buf, len, "%s%d", i ? " " : "",
				     pci_irq_vector(card->pdev,
						    card->n_h2c + card->n_c2h + i));
	return len + sysfs_emit_at(buf, len, "\n");
}
static DEVICE_ATTR_RO(user_irqs);

static struct attribute *xdma_attrs[] = {
	&dev_attr_user_irqs.attr,
	NULL
};
ATTRIBUTE_GROUPS(xdma);

/* --- life ------------------------------------------------------------------- */

/* Called after the sets are gone. */
static void xdma_cancel_works(void *data)
{
	struct xdma_card *card = data;
	unsigned int i;

	cancel_delayed_work_sync(&card->watch);
	for (i = 0; i < card->n_h2c + card->n_c2h; i++)
		cancel_work_sync(&card->engine[i].fail_work);
}

/* After this the card neither interrupts nor moves data. */
static void xdma_silence_card(void *data)
{
	struct xdma_card *card = data;
	unsigned int i;

	writel(GENMASK(XDMA_USER_IRQS - 1, 0), card->base + XDMA_USER_INT_CLEAR);
	for (i = 0; i < card->n_h2c + card->n_c2h; i++)
		xdma_silence(&card->engine[i]);
	pci_clear_master(card->pdev);
}

static void xdma_shutdown(struct pci_dev *pdev)
{
	struct xdma_card *card = pci_get_drvdata(pdev);

	xdma_cancel_works(card);
	xdma_silence_card(card);
}

static int xdma_prepare_card(struct xdma_card *card)
{
	int ret = pcim_enable_device(card->pdev);

	if (ret)
		return dev_err_probe(card->dev, ret, "cannot enable the PCI device\n");
	ret = dma_set_mask_and_coherent(card->dev, DMA_BIT_MASK(64));
	if (ret)
		return dev_err_probe(card->dev, ret, "no DMA with 64-bit addresses\n");
	dma_set_max_seg_size(card->dev, XDMA_MAX_BYTES);
	ret = xdma_map_registers(card) ?: xdma_find_engines(card) ?: xdma_request_interrupts(card);
	if (ret)
		return ret;
	pci_set_master(card->pdev);
	/* A reset of the slot restores this state. */
	pci_save_state(card->pdev);
	return devm_add_action_or_reset(card->dev, xdma_silence_card, card) ?:
		devm_add_action_or_reset(card->dev, xdma_cancel_works, card);
}

static void xdma_describe(struct xdma_card *card)
{
	unsigned int i;

	for (i = 0; i < card->n_c2h + card->n_h2c; i++) {
		card->cset[i] = i < card->n_c2h ? xdma_input_desc : xdma_output_desc;
		card->cset[i].ssize = sample_size;
	}
	card->desc.name = "xdma";
	card->desc.owner = THIS_MODULE;
	card->desc.cset = card->cset;
	card->desc.n_cset = i;
}

static int xdma_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct xdma_card *card = devm_kzalloc(&pdev->dev, sizeof(*card), GFP_KERNEL);
	int ret;

	if (!card)
		return -ENOMEM;
	card->pdev = pdev;
	card->dev = &pdev->dev;
	INIT_DELAYED_WORK(&card->watch, xdma_watch);
	pci_set_drvdata(pdev, card);
	ret = xdma_prepare_card(card);
	if (ret)
		return ret;
	xdma_describe(card);
	schedule_delayed_work(&card->watch, XDMA_WATCH_JIFFIES);
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &card->desc,
							ZIO_ID_AUTO, card));
}

/* Xilinx' device IDs of an endpoint, by generation and width. For other boards: new_id. */
static const struct pci_device_id xdma_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x9024) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x9028) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x9034) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x9038) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x903f) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x9044) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x9048) },
	{}
};
MODULE_DEVICE_TABLE(pci, xdma_ids);

/* devres undoes all of xdma_probe(), so there is no remove(). */
static struct pci_driver xdma_driver = {
	.name = "zio-xdma",
	.id_table = xdma_ids,
	.probe = xdma_probe,
	.shutdown = xdma_shutdown,
	.err_handler = &xdma_err_handler,
	.driver.pm = pm_sleep_ptr(&xdma_pm_ops),
	.dev_groups = xdma_groups,
};

static int __init xdma_init(void)
{
	if (!is_power_of_2(sample_size) || sample_size > 8)
		return -EINVAL;
	return pci_register_driver(&xdma_driver);
}

static void __exit xdma_exit(void)
{
	pci_unregister_driver(&xdma_driver);
}

module_init(xdma_init);
module_exit(xdma_exit);
MODULE_DESCRIPTION("ZIO: FPGA cards with AMD's DMA for PCI Express (XDMA)");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
