// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: the S-LINK card SSPCI (AMCC S5933) as a ZIO device
 *
 * cset0: input, one channel of 32-bit words; each event of the link is a block
 *
 * See Documentation/slink/slink.md.
 */
#include <linux/module.h>
#include <linux/zio-compat.h>

#include "slink.h"

static const struct zio_cset_ops slink_input_ops = {
	.init = slink_init_input,
	.exit = slink_exit_input,
	.raw_io = slink_input,
	.stop_io = slink_stop_input,
	.attr_set = slink_attr_set,
	.attr_get = slink_attr_get,
};

static const struct zio_cset_desc slink_csets[] = {
	{
		.name = "slink-input",
		.flags = ZIO_CSET_DMA,
		.n_chan = 1,
		.ssize = 4,
		.nsamples = 4096,
		.buffer = "vmalloc",
		.trigger = "transparent",
		.ops = &slink_input_ops,
		.cset_attrs = slink_input_attrs,
		.n_cset_attrs = SLINK_N_INPUT_ATTRS,
	},
};

static const struct zio_device_desc slink_desc = {
	.name = "slink",
	.owner = THIS_MODULE,
	.cset = slink_csets,
	.n_cset = ARRAY_SIZE(slink_csets),
};

static void slink_init_card(struct slink_card *card)
{
	mutex_init(&card->reset_lock);
	INIT_DELAYED_WORK(&card->watch, slink_watch);
	card->begin = 0xb0f00000;
	card->end = 0xe0f00000;
	card->mask = 0xfffffff0;
	card->omb1 = OMB1_UTDO_N;
	card->in.expect = TYPE_DATA;
	zio_hrtimer_setup(&card->timer, slink_poll, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL);
}

/* No visit works until slink_restart_lost(), which raises the alarm for what it drops. */
static void slink_declare_lost(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	card->lost = true;
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

/* Once the card is halted, a visit starts no transfer, no timer and no work. */
static void slink_halt_card(struct s5933 *chip)
{
	struct slink_card *card = slink_card_of(chip);

	cancel_delayed_work_sync(&card->watch);
	hrtimer_cancel(&card->timer);
	slink_declare_lost(card);
}

/*
 * The card was powered off or reset, and the words in it and in the armed block are lost:
 * the next block has an alarm. The reset writes all registers that the driver uses. A user
 * may have reset the card while it was halted, or just now.
 */
static void slink_restart_card(struct s5933 *chip)
{
	struct slink_card *card = slink_card_of(chip);

	slink_declare_lost(card);
	slink_restart_lost(card);
	slink_service(card);
	slink_start_watch(card);
}

static void slink_dump_card(struct s5933 *chip, struct seq_file *file)
{
	seq_printf(file, "%-6s %08x\n", "lines", slink_card_of(chip)->lines);
}

static const struct s5933_ops slink_chip_ops = {
	.irq = INTCSR_IMB_FULL | INTCSR_WRITE_DONE,
	.select = INTCSR_IMB(4, 3),
	.handler = slink_interrupt,
	.halt = slink_halt_card,
	.restart = slink_restart_card,
	.dump = slink_dump_card,
};

static int slink_start_card(struct slink_card *card)
{
	struct s5933 *chip = &card->chip;
	unsigned long flags;
	int ret;

	slink_reset_card(card);
	ret = s5933_start(chip);
	if (ret)
		return ret;
	spin_lock_irqsave(&chip->lock, flags);
	slink_expect(card, TYPE_DATA);
	s5933_set_irq(chip, true, 0);
	spin_unlock_irqrestore(&chip->lock, flags);
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
	slink_init_card(card);
	ret = s5933_probe(&card->chip, pdev, &slink_chip_ops);
	ret = ret ?: slink_start_card(card);
	ret = ret ?: s5933_create_dump(&card->chip);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev,
							&slink_desc, ZIO_ID_AUTO,
							card));
}

static const struct pci_device_id slink_ids[] = {
	{ PCI_DEVICE(SLINK_VENDOR, SSPCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, slink_ids);

/* devres undoes all of slink_probe(), so there is no remove(). */
static struct pci_driver slink_driver = {
	.name = "zio-slink",
	.id_table = slink_ids,
	.probe = slink_probe,
	.shutdown = s5933_shutdown,
	.err_handler = &s5933_err_handler,
	.driver.pm = pm_sleep_ptr(&s5933_pm_ops),
};

static char *ids;
module_param(ids, charp, 0444);
MODULE_PARM_DESC(ids, "additional boards, as vendor:device,... in hexadecimal");

static int slink_add_ids(void)
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
	ret = slink_add_ids();
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
