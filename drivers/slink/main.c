// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: the S-LINK card SSPCI (AMCC S5933) as a device of ZIO
 *
 * cset0: input, one channel of 32-bit words; each event of the link is a block
 * cset1: output, one channel of 32-bit words; each block is an event
 *
 * Documentation/slink.md describes its use.
 */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/zio-compat.h>

#include "slink.h"

#define SLINK_VENDOR	0x10dc	/* CERN */
#define SLINK_DEVICE	0x0011	/* S-LINK to PCI */

static const struct zio_cset_ops slink_input_ops = {
	.init = slink_init_input,
	.exit = slink_exit_input,
	.raw_io = slink_input,
	.stop_io = slink_stop_input,
	.attr_set = slink_attr_set,
	.attr_get = slink_attr_get,
};

static const struct zio_cset_ops slink_output_ops = {
	.init = slink_init_output,
	.raw_io = slink_output,
	.stop_io = slink_stop_output,
	.attr_set = slink_attr_set,
	.attr_get = slink_attr_get,
};

static const struct zio_cset_desc slink_csets[] = {
	{
		.name = "slink-input",
		.flags = ZIO_CSET_BLOCK_INFO,
		.n_chan = 1,
		.ssize = 4,
		.nsamples = 4096,
		.buffer = "vmalloc",
		.trigger = "transparent",
		.ops = &slink_input_ops,
		.cset_attrs = slink_input_attrs,
		.n_cset_attrs = SLINK_N_INPUT_ATTRS,
	}, {
		.name = "slink-output",
		.flags = ZIO_CSET_OUTPUT,
		.n_chan = 1,
		.ssize = 4,
		.nsamples = 4096,
		.align = sizeof(u32),
		.dma_bits = 32,
		.buffer = "vmalloc",
		.ops = &slink_output_ops,
		.cset_attrs = slink_output_attrs,
		.n_cset_attrs = SLINK_N_OUTPUT_ATTRS,
	},
};

static const struct zio_device_desc slink_desc = {
	.name = "slink",
	.owner = THIS_MODULE,
	.cset = slink_csets,
	.n_cset = ARRAY_SIZE(slink_csets),
};

static void init_card(struct slink_card *card, struct pci_dev *pdev)
{
	card->pdev = pdev;
	card->dev = &pdev->dev;
	spin_lock_init(&card->lock);
	mutex_init(&card->reset_lock);
	INIT_DELAYED_WORK(&card->watch, slink_watch);
	card->begin = 0xb0f00000;
	card->end = 0xe0f00000;
	card->mask = 0xfffffff0;
	card->mcsr = MCSR_WRITE_PRIORITY;
	card->omb1 = OMB1_UTDO_N;
	card->in.expect = TYPE_DATA;
	zio_hrtimer_setup(&card->timer, slink_poll, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL);
}

/* Log the requirement that is not met. */
static int check_card(struct slink_card *card)
{
	/* Words that the chip moves and words that the CPU reads would differ in byte order. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return dev_err_probe(card->dev, -ENODEV,
				     "big-endian machines are not supported\n");
	if (pci_resource_len(card->pdev, 0) < S5933_SIZE)
		return dev_err_probe(card->dev, -ENODEV,
				     "BAR 0 is smaller than the registers of an S5933\n");
	if (!card->pdev->irq)
		return dev_err_probe(card->dev, -ENODEV, "no interrupt is assigned\n");
	return 0;
}

/* In newer kernels devres does not release what pci_request_region() reserves. */
static bool request_registers(struct slink_card *card)
{
	resource_size_t start = pci_resource_start(card->pdev, 0);
	resource_size_t len = pci_resource_len(card->pdev, 0);

	if (pci_resource_flags(card->pdev, 0) & IORESOURCE_IO)
		return devm_request_region(card->dev, start, len, "zio-slink");
	return devm_request_mem_region(card->dev, start, len, "zio-slink");
}

static int map_registers(struct slink_card *card)
{
	if (!request_registers(card))
		return dev_err_probe(card->dev, -EBUSY, "BAR 0: another driver has reserved it\n");
	card->base = pcim_iomap(card->pdev, 0, S5933_SIZE);
	if (!card->base)
		return dev_err_probe(card->dev, -ENOMEM,
				     "BAR 0: cannot map it\n");
	return 0;
}

/* A former kernel may have left a transfer running. Stop it before the first access. */
static int map_card(struct slink_card *card)
{
	int ret;

	pci_clear_master(card->pdev);
	ret = pcim_enable_device(card->pdev);
	if (ret)
		return dev_err_probe(card->dev, ret, "cannot enable the PCI device\n");
	ret = check_card(card);
	if (!ret)
		ret = map_registers(card);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(card->dev, DMA_BIT_MASK(32));
	if (ret)
		return dev_err_probe(card->dev, ret, "no DMA with 32-bit addresses\n");
	return 0;
}

/*
 * After this the card neither interrupts nor moves words: a visit to a halted card starts
 * no transfer, no timer and no work. At a shutdown a block may still be armed.
 */
static void silence_card(void *data)
{
	struct slink_card *card = data;
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->halted = true;
	slink_stop_chip(card);
	spin_unlock_irqrestore(&card->lock, flags);
	cancel_delayed_work_sync(&card->watch);
	hrtimer_cancel(&card->timer);
	pci_clear_master(card->pdev);
}

static void slink_shutdown(struct pci_dev *pdev)
{
	silence_card(pci_get_drvdata(pdev));
}

static int start_card(struct slink_card *card)
{
	unsigned long flags;
	int ret;

	slink_stop_chip(card);
	slink_reset_card(card);
	ret = devm_request_irq(card->dev, card->pdev->irq, slink_interrupt,
			       IRQF_SHARED, "zio-slink", card);
	if (ret)
		return dev_err_probe(card->dev, ret, "cannot request interrupt %d\n",
				     card->pdev->irq);
	ret = devm_add_action_or_reset(card->dev, silence_card, card);
	if (ret)
		return ret;
	pci_set_master(card->pdev);
	spin_lock_irqsave(&card->lock, flags);
	slink_expect(card, TYPE_DATA);
	slink_enable_interrupts(card, true);
	spin_unlock_irqrestore(&card->lock, flags);
	slink_start_watch(card);
	return 0;
}

static int slink_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct slink_card *card;
	int ret;

	card = devm_kzalloc(&pdev->dev, sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	init_card(card, pdev);
	ret = map_card(card);
	if (!ret)
		ret = start_card(card);
	if (ret)
		return ret;
	pci_set_drvdata(pdev, card);
	ret = slink_create_dump(card);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev,
							&slink_desc, ZIO_ID_AUTO,
							card));
}

static const struct pci_device_id slink_ids[] = {
	{ PCI_DEVICE(SLINK_VENDOR, SLINK_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, slink_ids);

/* devres undoes all of slink_probe(), so there is no remove(). */
static struct pci_driver slink_driver = {
	.name = "zio-slink",
	.id_table = slink_ids,
	.probe = slink_probe,
	.shutdown = slink_shutdown,
};

static char *ids;
module_param(ids, charp, 0444);
MODULE_PARM_DESC(ids, "more boards, as vendor:device,... in hexadecimal");

static int add_ids(void)
{
	char *copy = kstrdup(ids ?: "", GFP_KERNEL), *rest = copy, *one;
	unsigned int vendor, device;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	while (!ret && (one = strsep(&rest, ",")) && *one) {
		if (sscanf(one, "%x:%x", &vendor, &device) == 2)
			ret = pci_add_dynid(&slink_driver, vendor, device,
					    PCI_ANY_ID, PCI_ANY_ID, 0, 0, 0);
		else
			ret = -EINVAL;
	}
	kfree(copy);
	return ret;
}

static int __init slink_init(void)
{
	int ret = pci_register_driver(&slink_driver);

	if (ret)
		return ret;
	ret = add_ids();
	if (ret)
		pci_unregister_driver(&slink_driver);
	return ret;
}

static void __exit slink_exit(void)
{
	pci_unregister_driver(&slink_driver);
}

module_init(slink_init);
module_exit(slink_exit);
MODULE_DESCRIPTION("ZIO: S-LINK card SSPCI (AMCC S5933)");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-vmalloc");
