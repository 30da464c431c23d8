// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: the S-LINK card SSPCI (AMCC S5933) as a device of ZIO
 *
 * cset0: input, one channel of 32-bit words: an event of the link is a block
 * cset1: output, one channel of 32-bit words: a block is an event
 *
 * Documentation/slink.md tells how to use it.
 *
 * Who calls zio_cset_done() has let go of card->lock. The core may take the blocks
 * back just then, and give out others: card->finishing counts those who are about
 * to call it, and stop_io() returns only when there is none left.
 */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/wait_bit.h>
#include <linux/zio-compat.h>

#include "slink.h"

#define SLINK_VENDOR	0x10dc	/* CERN */
#define SLINK_DEVICE	0x0011	/* S-LINK to PCI */

struct slink_done {
	bool in;
	bool out;
	size_t bytes;		/* of the event */
};

/* The lock is held; what is done is told when it is not. */
static struct slink_done advance_all(struct slink_card *card, u32 status)
{
	struct slink_done done = {};

	if (slink_is_gone(status))
		return done;
	slink_note_status(card, status);
	done.in = slink_advance_input(card);
	done.out = slink_advance_output(card);
	done.bytes = card->in.last;
	if (done.in || done.out)
		atomic_inc(&card->finishing);
	return done;
}

/* The core has taken the block back just when it was done. */
static void lose_event(struct slink_card *card, size_t bytes)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	slink_lose_event(card, bytes);
	spin_unlock_irqrestore(&card->lock, flags);
}

/* The core gives out the next blocks, and comes back by slink_service(). */
static void tell_done(struct slink_card *card, struct slink_done done)
{
	if (done.in && !zio_cset_done(card->in.cset))
		lose_event(card, done.bytes);
	if (done.out)
		zio_cset_done(card->out.cset);
	if (atomic_dec_and_test(&card->finishing))
		wake_up_var(&card->finishing);
}

/* What happens meanwhile is seen without an interrupt, which would find nothing to do. */
static struct slink_done look_at_card(struct slink_card *card)
{
	struct slink_done done;
	unsigned long flags;
	bool enabled;

	spin_lock_irqsave(&card->lock, flags);
	enabled = card->intcsr & INTCSR_ENABLES;
	slink_enable_interrupts(card, false);
	done = advance_all(card, slink_read(card, S5933_INTCSR));
	slink_enable_interrupts(card, enabled);
	spin_unlock_irqrestore(&card->lock, flags);
	return done;
}

/* To tell takes a while, in which more has happened. */
static void tell_core(struct slink_card *card, struct slink_done done)
{
	while (done.in || done.out) {
		tell_done(card, done);
		done = look_at_card(card);
	}
}

/**
 * slink_service() - do all that the card, and the core, are waiting for
 * @card: the card, not locked
 *
 * Any context.
 */
void slink_service(struct slink_card *card)
{
	tell_core(card, look_at_card(card));
}

/* Process context; the blocks are not the driver's any more. */
void slink_wait_finished(struct slink_card *card)
{
	wait_var_event(&card->finishing, !atomic_read(&card->finishing));
}

/*
 * Interrupts, one by one; or, with "poll-us", one, and then a look at the card every
 * so many microseconds, up to the first that finds it idle.
 */
static void poll_later(struct slink_card *card)
{
	slink_enable_interrupts(card, false);
	hrtimer_start(&card->timer, ns_to_ktime(1000ull * card->poll_us),
		      HRTIMER_MODE_REL);
}

static bool is_busy(u32 status)
{
	return !slink_is_gone(status) && (status & INTCSR_STATUS);
}

/* Also called some time after the cable was cut: see slink_advance_input(). */
static enum hrtimer_restart slink_poll(struct hrtimer *timer)
{
	struct slink_card *card = container_of(timer, struct slink_card, timer);
	struct slink_done done;
	unsigned long flags;
	u32 status;

	slink_count(card, SLINK_POLLS, 1);
	spin_lock_irqsave(&card->lock, flags);
	status = slink_read(card, S5933_INTCSR);
	done = advance_all(card, status);
	if (is_busy(status) && card->poll_us)
		poll_later(card);
	else
		slink_enable_interrupts(card, true);
	spin_unlock_irqrestore(&card->lock, flags);
	tell_core(card, done);
	return HRTIMER_NORESTART;
}

static bool is_mine(u32 status)
{
	return !slink_is_gone(status) && (status & INTCSR_ASSERTED);
}

static irqreturn_t slink_interrupt(int irq, void *data)
{
	struct slink_card *card = data;
	struct slink_done done = {};
	unsigned long flags;
	u32 status;

	spin_lock_irqsave(&card->lock, flags);
	status = slink_read(card, S5933_INTCSR);
	if (is_mine(status)) {
		slink_count(card, SLINK_INTERRUPTS, 1);
		if (card->poll_us)
			poll_later(card);
		done = advance_all(card, status);
	}
	spin_unlock_irqrestore(&card->lock, flags);
	tell_core(card, done);
	return is_mine(status) ? IRQ_HANDLED : IRQ_NONE;
}

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
	},
};

struct slink_desc {
	struct zio_cset_desc cset[ARRAY_SIZE(slink_csets)];
	struct zio_device_desc device;
};

static struct slink_desc *describe(struct device *dev)
{
	struct slink_desc *desc = devm_kzalloc(dev, sizeof(*desc), GFP_KERNEL);

	if (!desc)
		return NULL;
	memcpy(desc->cset, slink_csets, sizeof(slink_csets));
	desc->cset[0].n_cset_attrs = slink_n_input_attrs;
	desc->cset[1].n_cset_attrs = slink_n_output_attrs;
	desc->device.name = "slink";
	desc->device.owner = THIS_MODULE;
	desc->device.cset = desc->cset;
	desc->device.n_cset = ARRAY_SIZE(slink_csets);
	return desc;
}

static void init_card(struct slink_card *card, struct pci_dev *pdev)
{
	card->pdev = pdev;
	card->dev = &pdev->dev;
	spin_lock_init(&card->lock);
	card->begin = 0xb0f00000;
	card->end = 0xe0f00000;
	card->mask = 0xfffffff0;
	card->mcsr = MCSR_WRITE_PRIORITY;
	card->omb1 = OMB1_UTDO_N;
	card->in.expect = TYPE_DATA;
	zio_hrtimer_setup(&card->timer, slink_poll, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL);
}

/* What is wrong is told in the log, beside the errno. */
static int check_card(struct slink_card *card)
{
	/* What the chip moves would have another byte order than what the CPU takes. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return dev_err_probe(card->dev, -ENODEV,
				     "not on a big-endian machine\n");
	if (pci_resource_len(card->pdev, 0) < S5933_SIZE)
		return dev_err_probe(card->dev, -ENODEV,
				     "BAR 0 has no room for the registers\n");
	if (!card->pdev->irq)
		return dev_err_probe(card->dev, -ENODEV, "no interrupt\n");
	return 0;
}

/* In new kernels pci_request_region() leaves it to the driver to release. */
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
		return dev_err_probe(card->dev, -EBUSY, "BAR 0 is not free\n");
	card->base = pcim_iomap(card->pdev, 0, S5933_SIZE);
	if (!card->base)
		return dev_err_probe(card->dev, -ENOMEM,
				     "BAR 0 cannot be mapped\n");
	return 0;
}

static int map_card(struct slink_card *card)
{
	int ret = pcim_enable_device(card->pdev);

	if (ret)
		return dev_err_probe(card->dev, ret, "cannot be enabled\n");
	ret = check_card(card);
	if (!ret)
		ret = map_registers(card);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(card->dev, DMA_BIT_MASK(32));
	if (ret)
		return dev_err_probe(card->dev, ret, "no DMA of 32 bits\n");
	pci_set_master(card->pdev);
	return 0;
}

static void disable_card(struct slink_card *card)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->poll_us = 0;
	slink_enable_interrupts(card, false);
	slink_set_mcsr(card, MCSR_WRITE_ENABLE | MCSR_READ_ENABLE, 0);
	spin_unlock_irqrestore(&card->lock, flags);
}

/*
 * Nothing interrupts, and nothing is moved, from here on. No block is armed any more,
 * and poll_us is 0: so nobody starts the timer who comes after its last run. That may
 * have switched the interrupts on.
 */
static void silence_card(void *data)
{
	struct slink_card *card = data;

	disable_card(card);
	hrtimer_cancel(&card->timer);
	disable_card(card);
	pci_clear_master(card->pdev);
}

static int start_card(struct slink_card *card)
{
	unsigned long flags;
	int ret;

	slink_enable_interrupts(card, false);
	slink_reset_card(card);
	ret = devm_request_irq(card->dev, card->pdev->irq, slink_interrupt,
			       IRQF_SHARED, "zio-slink", card);
	if (ret)
		return dev_err_probe(card->dev, ret, "interrupt %d\n",
				     card->pdev->irq);
	ret = devm_add_action_or_reset(card->dev, silence_card, card);
	if (ret)
		return ret;
	spin_lock_irqsave(&card->lock, flags);
	slink_expect(card, TYPE_DATA);
	slink_enable_interrupts(card, true);
	spin_unlock_irqrestore(&card->lock, flags);
	return 0;
}

static int slink_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct slink_card *card;
	struct slink_desc *desc;
	int ret;

	card = devm_kzalloc(&pdev->dev, sizeof(*card), GFP_KERNEL);
	desc = describe(&pdev->dev);
	if (!card || !desc)
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
							&desc->device,
							ZIO_ID_AUTO, card));
}

static const struct pci_device_id slink_ids[] = {
	{ PCI_DEVICE(SLINK_VENDOR, SLINK_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, slink_ids);

/* All is undone by the device's resources. */
static struct pci_driver slink_driver = {
	.name = "zio-slink",
	.id_table = slink_ids,
	.probe = slink_probe,
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
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-vmalloc");
