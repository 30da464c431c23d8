// SPDX-License-Identifier: GPL-2.0-only
/*
 * sps.c: the S-LINK source card SPS (AMCC S5933) as a ZIO device
 *
 * cset0: output, one channel of 32-bit words; each block is an event on the link
 *
 * See Documentation/slink/slink.md.
 */
#include <linux/module.h>
#include <linux/zio-compat.h>

#include "sps.h"

enum sps_attr {
	SPS_ATTR_LINK,
	SPS_ATTR_RESET,
	SPS_ATTR_WIDTH,
	SPS_ATTR_LINES,
	SPS_ATTR_TEST,
	SPS_ATTR_BEGIN,
	SPS_ATTR_END,
	SPS_ATTR_STAT,	/* the first of SPS_N_STATS */
};

enum sps_reset {
	RESET_CARD = 1,
	RESET_LINK,
};

#define SPS_STATISTIC(_name, _stat)					\
	ZIO_ATTR_PARAM(_name, 0444, 0, SPS_ATTR_STAT + (_stat))

static const u32 sps_resets[] = { RESET_CARD, RESET_LINK };
static const u32 sps_widths[] = { 8, 16, 32 };

static const struct zio_attr_desc sps_attrs[] = {
	ZIO_ATTR_PARAM("link", 0444, 0, SPS_ATTR_LINK),
	{ .name = "reset", .mode = 0644, .max = RESET_LINK, .id = SPS_ATTR_RESET,
	  .choices = sps_resets, .n_choices = ARRAY_SIZE(sps_resets) },
	{ .name = "width", .mode = 0644, .value = 32, .min = 8, .max = 32,
	  .place = ZIO_ATTR_PLACE_STD, .index = ZIO_ATTR_NBITS,
	  .id = SPS_ATTR_WIDTH, .choices = sps_widths, .n_choices = ARRAY_SIZE(sps_widths) },
	ZIO_ATTR_PARAM("return-lines", 0444, 0, SPS_ATTR_LINES),
	{ .name = "test", .mode = 0644, .max = 1, .id = SPS_ATTR_TEST },
	ZIO_ATTR_PARAM("begin-word", 0644, 0xb0f00000, SPS_ATTR_BEGIN),
	ZIO_ATTR_PARAM("end-word", 0644, 0xe0f00000, SPS_ATTR_END),
	SPS_STATISTIC("events", SPS_EVENTS),
	SPS_STATISTIC("words", SPS_WORDS),
	SPS_STATISTIC("interrupts", SPS_INTERRUPTS),
	SPS_STATISTIC("transfers", SPS_TRANSFERS),
	SPS_STATISTIC("link-drops", SPS_LINK_DROPS),
	SPS_STATISTIC("aborts", SPS_ABORTS),
	SPS_STATISTIC("restarts", SPS_RESTARTS),
};

static int sps_set_value(struct sps_card *card, unsigned long id, u32 value)
{
	switch (id) {
	case SPS_ATTR_WIDTH:
		sps_set_omb1(card, OMB1_WIDTH,
			     FIELD_PREP(OMB1_WIDTH, slink_width_code(value)));
		break;
	case SPS_ATTR_TEST:
		sps_set_omb1(card, SPS_UTEST_N, value ? 0 : SPS_UTEST_N);
		break;
	case SPS_ATTR_BEGIN:
		card->begin = value;
		break;
	case SPS_ATTR_END:
		card->end = value;
		break;
	}
	return 0;
}

static int sps_reset(struct sps_card *card, u32 what)
{
	if (s5933_is_halted(&card->chip))
		return -EIO;
	if (what == RESET_CARD)
		sps_restart(card);
	else
		sps_reset_link(card);
	sps_service(card);
	return 0;
}

static int sps_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 value)
{
	struct sps_card *card = zio_cset_priv(cset);
	unsigned long flags;
	int ret;

	if (attr->id == SPS_ATTR_RESET)
		return sps_reset(card, value);
	spin_lock_irqsave(&card->chip.lock, flags);
	ret = sps_set_value(card, attr->id, value);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	return ret;
}

static u32 sps_get_value(struct sps_card *card, unsigned long id)
{
	switch (id) {
	case SPS_ATTR_LINK:
		return sps_is_up(card);
	case SPS_ATTR_RESET:
		return 0;
	case SPS_ATTR_WIDTH:
		return 32 >> FIELD_GET(OMB1_WIDTH, card->omb1);
	case SPS_ATTR_LINES:
		return card->lines & SPS_LINES;
	case SPS_ATTR_TEST:
		return !(card->omb1 & SPS_UTEST_N);
	case SPS_ATTR_BEGIN:
		return card->begin;
	case SPS_ATTR_END:
		return card->end;
	}
	return atomic64_read(&card->stat[id - SPS_ATTR_STAT]);
}

static int sps_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 *value)
{
	struct sps_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	*value = sps_get_value(card, attr->id);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	return 0;
}

static int sps_init_output(struct zio_cset *cset)
{
	struct sps_card *card = zio_cset_priv(cset);

	card->cset = cset;
	return 0;
}

static const struct zio_cset_ops sps_ops = {
	.init = sps_init_output,
	.raw_io = sps_output,
	.stop_io = sps_stop_output,
	.attr_set = sps_attr_set,
	.attr_get = sps_attr_get,
};

static struct zio_cset_desc sps_csets[] = {
	{
		.name = "sps-output",
		.flags = ZIO_CSET_OUTPUT | ZIO_CSET_DMA,
		.n_chan = 1,
		.ssize = 4,
		.nsamples = 4096,
		.align = sizeof(u32),
		.buffer = "vmalloc",
		.ops = &sps_ops,
		.cset_attrs = sps_attrs,
		.n_cset_attrs = ARRAY_SIZE(sps_attrs),
	},
};

static const struct zio_device_desc sps_desc = {
	.name = "sps",
	.owner = THIS_MODULE,
	.cset = sps_csets,
	.n_cset = ARRAY_SIZE(sps_csets),
};

static void sps_halt_card(struct s5933 *chip)
{
	struct sps_card *card = sps_card_of(chip);

	cancel_delayed_work_sync(&card->watch);
	hrtimer_cancel(&card->timer);
}

static void sps_restart_card(struct s5933 *chip)
{
	struct sps_card *card = sps_card_of(chip);

	sps_restart(card);
	sps_service(card);
	sps_start_watch(card);
}

static const struct s5933_ops sps_chip_ops = {
	.irq = INTCSR_IMB_FULL | INTCSR_READ_DONE,
	.select = INTCSR_IMB(4, 3),
	.handler = sps_interrupt,
	.halt = sps_halt_card,
	.restart = sps_restart_card,
};

static int sps_start_card(struct sps_card *card)
{
	struct s5933 *chip = &card->chip;
	unsigned long flags;
	int ret;

	sps_reset_card(card);
	ret = s5933_start(chip);
	if (ret)
		return ret;
	spin_lock_irqsave(&chip->lock, flags);
	s5933_set_irq(chip, true, 0);
	spin_unlock_irqrestore(&chip->lock, flags);
	sps_start_watch(card);
	return 0;
}

static int sps_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct sps_card *card;
	int ret;

	card = devm_kzalloc(&pdev->dev, sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	mutex_init(&card->reset_lock);
	INIT_DELAYED_WORK(&card->watch, sps_watch);
	card->begin = 0xb0f00000;
	card->end = 0xe0f00000;
	card->omb1 = SPS_UTEST_N | SPS_UCTRL_N;
	zio_hrtimer_setup(&card->timer, sps_poll, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	ret = s5933_probe(&card->chip, pdev, &sps_chip_ops);
	ret = ret ?: sps_start_card(card);
	ret = ret ?: s5933_create_dump(&card->chip);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &sps_desc,
							ZIO_ID_AUTO, card));
}

static const struct pci_device_id sps_ids[] = {
	{ PCI_DEVICE(SLINK_VENDOR, SPS_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, sps_ids);

/* devres undoes all of sps_probe(), so there is no remove(). */
static struct pci_driver sps_driver = {
	.name = "zio-sps",
	.id_table = sps_ids,
	.probe = sps_probe,
	.shutdown = s5933_shutdown,
	.err_handler = &s5933_err_handler,
	.driver.pm = pm_sleep_ptr(&s5933_pm_ops),
};

static int __init sps_init(void)
{
	/* The core copies samples from memory that the boards do not reach. */
	sps_csets[0].dma_bits = s5933_dma_bits(&sps_chip_ops);
	return pci_register_driver(&sps_driver);
}

static void __exit sps_exit(void)
{
	pci_unregister_driver(&sps_driver);
}

module_init(sps_init);
module_exit(sps_exit);
MODULE_DESCRIPTION("ZIO: S-LINK source card SPS (AMCC S5933)");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-vmalloc");
