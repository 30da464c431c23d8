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

/* So many words, pages, or changes of the type of words are done in a visit, */
#define VISIT_TURNS	128
/* and this part of the time that it has taken is left to the others after it, */
#define REST_SHARE	4
/* or this, if that is more. */
#define REST_NS		20000u
/* Once in this time a card is looked at that says nothing. */
#define WATCH_PERIOD	HZ

struct slink_done {
	bool in;
	bool out;
	size_t bytes;		/* of the event */
};

static struct slink_visit begin_visit(void)
{
	return (struct slink_visit){ .begin = ktime_get(), .turns = VISIT_TURNS };
}

/* The timer goes on, instead of an interrupt. */
static void visit_later(struct slink_card *card, u64 ns)
{
	slink_enable_interrupts(card, false);
	hrtimer_start(&card->timer, ns_to_ktime(ns), HRTIMER_MODE_REL);
}

/* There is more to do. As it may be so for ever, somebody else gets the processor first. */
static void end_visit(struct slink_card *card, const struct slink_visit *visit)
{
	u64 worked = ktime_to_ns(ktime_sub(ktime_get(), visit->begin));

	visit_later(card, max3(worked / REST_SHARE, (u64)REST_NS,
			       1000ull * card->poll_us));
}

/* The lock is held; what is done is told when it is not. */
static struct slink_done advance_all(struct slink_card *card, u32 status,
				     struct slink_visit *visit)
{
	struct slink_done done = {};

	if (!slink_note_status(card, status))
		return done;
	done.in = slink_advance_input(card, visit);
	done.out = slink_advance_output(card, visit);
	done.bytes = card->in.last;
	if (done.in || done.out)
		atomic_inc(&card->finishing);
	if (!visit->turns)
		end_visit(card, visit);
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

/*
 * What happens meanwhile is seen without an interrupt, which would find nothing to do.
 * INTCSR is read before it is written: a card that has lost its state shows it there.
 */
static struct slink_done look_at_card(struct slink_card *card,
				      struct slink_visit *visit)
{
	bool enabled = card->intcsr & INTCSR_ENABLES;
	u32 status = slink_read(card, S5933_INTCSR);
	struct slink_done done;

	slink_enable_interrupts(card, false);
	done = advance_all(card, status, visit);
	if (visit->turns && slink_is_usable(card))
		slink_enable_interrupts(card, enabled);
	return done;
}

/* The lock is not held. */
static struct slink_done look_again(struct slink_card *card,
				    struct slink_visit *visit)
{
	struct slink_done done = {};
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	if (slink_is_usable(card))
		done = look_at_card(card, visit);
	spin_unlock_irqrestore(&card->lock, flags);
	return done;
}

/* To tell takes a while, in which more has happened. */
static void tell_core(struct slink_card *card, struct slink_done done,
		      struct slink_visit *visit)
{
	while (done.in || done.out) {
		tell_done(card, done);
		done = look_again(card, visit);
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
	struct slink_visit visit = begin_visit();

	tell_core(card, look_again(card, &visit), &visit);
}

/* A block is armed. Somebody who tells the core just now looks at the card after that. */
void slink_service_armed(struct slink_card *card)
{
	if (!atomic_read(&card->finishing))
		slink_service(card);
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
	visit_later(card, 1000ull * card->poll_us);
}

static bool is_busy(u32 status)
{
	return !slink_is_gone(status) && (status & INTCSR_STATUS);
}

/* The lock is held. */
static struct slink_done poll_card(struct slink_card *card,
				   struct slink_visit *visit)
{
	u32 status = slink_read(card, S5933_INTCSR);
	struct slink_done done = advance_all(card, status, visit);

	if (!visit->turns || !slink_is_usable(card))
		return done;
	if (is_busy(status) && card->poll_us)
		poll_later(card);
	else
		slink_enable_interrupts(card, true);
	return done;
}

/*
 * Also called some time after the cable was cut, see slink_advance_input(), and after
 * a visit that had more to do.
 */
static enum hrtimer_restart slink_poll(struct hrtimer *timer)
{
	struct slink_card *card = container_of(timer, struct slink_card, timer);
	struct slink_visit visit = begin_visit();
	struct slink_done done = {};
	unsigned long flags;

	slink_count(card, SLINK_POLLS, 1);
	spin_lock_irqsave(&card->lock, flags);
	if (slink_is_usable(card))
		done = poll_card(card, &visit);
	spin_unlock_irqrestore(&card->lock, flags);
	tell_core(card, done, &visit);
	return HRTIMER_NORESTART;
}

static bool is_mine(u32 status)
{
	return !slink_is_gone(status) && (status & INTCSR_ASSERTED);
}

static irqreturn_t slink_interrupt(int irq, void *data)
{
	struct slink_card *card = data;
	struct slink_visit visit = begin_visit();
	struct slink_done done = {};
	unsigned long flags;
	u32 status;

	spin_lock_irqsave(&card->lock, flags);
	status = slink_read(card, S5933_INTCSR);
	if (is_mine(status)) {
		slink_count(card, SLINK_INTERRUPTS, 1);
		if (card->poll_us)
			poll_later(card);
		done = advance_all(card, status, &visit);
	}
	spin_unlock_irqrestore(&card->lock, flags);
	tell_core(card, done, &visit);
	return is_mine(status) ? IRQ_HANDLED : IRQ_NONE;
}

/* A card that has lost its state does not interrupt, and a reader would wait for ever. */
static void watch_card(struct work_struct *work)
{
	struct slink_card *card = container_of(work, struct slink_card,
					       watch.work);

	if (slink_restart_lost(card)) {
		dev_warn(card->dev,
			 "the card had lost its state, it is set up anew\n");
		slink_service(card);
	}
	schedule_delayed_work(&card->watch, WATCH_PERIOD);
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
	mutex_init(&card->reset_lock);
	INIT_DELAYED_WORK(&card->watch, watch_card);
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

/* Another kernel may have left a transfer: it ends before the registers can be reached. */
static int map_card(struct slink_card *card)
{
	int ret;

	pci_clear_master(card->pdev);
	ret = pcim_enable_device(card->pdev);
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
	return 0;
}

/*
 * Nothing interrupts, and nothing is moved, from here on: nobody who visits a card that
 * is halted starts a transfer, the timer, or the work. A block may still be armed, when
 * the machine goes down.
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
		return dev_err_probe(card->dev, ret, "interrupt %d\n",
				     card->pdev->irq);
	ret = devm_add_action_or_reset(card->dev, silence_card, card);
	if (ret)
		return ret;
	pci_set_master(card->pdev);
	spin_lock_irqsave(&card->lock, flags);
	slink_expect(card, TYPE_DATA);
	slink_enable_interrupts(card, true);
	spin_unlock_irqrestore(&card->lock, flags);
	schedule_delayed_work(&card->watch, WATCH_PERIOD);
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
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-vmalloc");
