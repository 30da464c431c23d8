// SPDX-License-Identifier: GPL-2.0-only
/*
 * mini.c: a small driver for a card with an AMCC S5933 that sends words
 *
 * Documentation/slink/s5933.md explains it. It has no card IDs. It works for every card
 * that starts to send when it gets a value in mailbox 1. The emulated SSPCI is one:
 *
 *   modprobe zio-s5933-mini start=0x03000007
 *   echo 10dc 0012 >/sys/bus/pci/drivers/zio-s5933-mini/new_id
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/zio-s5933.h>

struct card {
	struct s5933 chip;
	struct zio_cset *cset;
	struct zio_channel *chan; /* from the first block on, until the set goes away */
	struct zio_block *block;
	struct s5933_dma dma;
	size_t pos;		/* bytes in the block */
	struct mutex ending;	/* held to fail a block, and to stop */
	struct delayed_work watch;
};

static uint start;
module_param(start, uint, 0444);
MODULE_PARM_DESC(start, "the value of mailbox 1 that starts the card");

#define CARD_ALARM_RESET	BIT(0)	/* of the driver: words may be missing */

#define START_WAITS	BIT(2)	/* zero until the card is ready */
#define IS_READY	BIT(26)	/* in mailbox 4; an SSPCI has its line LDOWN# there */

/*
 * Starts the next page of the block. The caller holds the lock.
 * Returns 0; -ENOSPC if the block is full; -EIO.
 */
static int card_begin_piece(struct card *card)
{
	int ret = s5933_map(&card->chip, card->block, card->pos, card->block->size,
			    DMA_FROM_DEVICE, &card->dma);

	if (!ret)
		s5933_begin_write(&card->chip, &card->dma);
	return ret;
}

/* Starts the block. The caller holds the lock. On failure there is no block. */
static int card_begin_block(struct card *card)
{
	int ret;

	card->pos = 0;
	if (!card->block || card->chip.halted)
		return 0;
	ret = card_begin_piece(card);
	if (ret)
		card->block = NULL;
	return ret;
}

/* Returns 0; -EIO if the card has lost its state, so what it has written is unknown. */
static int card_end_piece(struct card *card)
{
	int done;

	if (!card->dma.len)
		return 0;
	done = s5933_end_write(&card->chip, &card->dma);
	s5933_unmap(&card->chip, DMA_FROM_DEVICE, &card->dma);
	if (done < 0)
		return -EIO;
	card->pos += done;
	return 0;
}

/* A page is full or was aborted. Returns 1 if the block is done, 0 if not, or an error. */
static int card_turn_page(struct card *card, bool is_aborted)
{
	int ret = card_end_piece(card);

	if (!card->block)
		return 0;
	if (is_aborted)
		ret = -EIO;
	ret = ret ?: card_begin_piece(card);
	if (!ret)
		return 0;
	card->block->len = card->pos;
	card->block = NULL;
	return ret == -ENOSPC ? 1 : ret;
}

static irqreturn_t card_interrupt(int irq, void *chip)
{
	struct card *card = container_of(chip, struct card, chip);
	unsigned long flags;
	int ret = 0;
	u32 status;

	spin_lock_irqsave(&card->chip.lock, flags);
	status = s5933_read_status(&card->chip);
	if (s5933_is_gone(status) || !(status & INTCSR_ASSERTED)) {
		spin_unlock_irqrestore(&card->chip.lock, flags);
		return IRQ_NONE;
	}
	s5933_set_irq(&card->chip, true, status & INTCSR_STATUS);
	if (status & (INTCSR_IS_WRITE_DONE | INTCSR_ABORTS))
		ret = card_turn_page(card, status & INTCSR_ABORTS);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	if (ret > 0)
		zio_cset_done(card->cset);
	else if (ret)
		zio_cset_fail(card->cset, ret);
	return IRQ_HANDLED;
}

static int card_input(struct zio_cset *cset)
{
	struct card *card = zio_cset_priv(cset);
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&card->chip.lock, flags);
	card->chan = zio_cset_channel(cset);
	card->block = zio_cset_block(cset);
	ret = card_begin_block(card);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	return ret ?: ZIO_PENDING;
}

/* The block may already be done or have failed: wait until the core knows. */
static void card_stop(struct zio_cset *cset)
{
	struct card *card = zio_cset_priv(cset);
	unsigned long flags;

	mutex_lock(&card->ending);
	spin_lock_irqsave(&card->chip.lock, flags);
	card_end_piece(card);
	card->block = NULL;
	spin_unlock_irqrestore(&card->chip.lock, flags);
	mutex_unlock(&card->ending);
	synchronize_irq(card->chip.pdev->irq);
}

static int card_init(struct zio_cset *cset)
{
	struct card *card = zio_cset_priv(cset);

	card->cset = cset;
	return 0;
}

/* The channel is going away, but the watch may still run. */
static void card_exit(struct zio_cset *cset)
{
	struct card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	card->chan = NULL;
	spin_unlock_irqrestore(&card->chip.lock, flags);
}

static void card_halt(struct s5933 *chip)
{
	cancel_delayed_work_sync(&container_of(chip, struct card, chip)->watch);
}

/* Each step of a reset takes a card at least this time. */
static void card_set_resets(struct s5933 *chip, u32 resets)
{
	s5933_write(chip, S5933_MCSR, resets);
	s5933_flush(chip);
	usleep_range(10, 20);
}

/* An earlier message may have said "not ready". The read makes room for the next one. */
static bool card_is_ready(struct s5933 *chip)
{
	return (s5933_read(chip, S5933_MBEF) & MBEF_IMB(4, 3)) &&
		(s5933_read(chip, S5933_IMB(4)) & IS_READY);
}

/* Words that were in no block yet may be lost. The caller holds the lock. */
static void card_tell_reset(struct card *card)
{
	if (card->chan)
		zio_channel_alarm(card->chan, CARD_ALARM_RESET);
}

/*
 * Resets the card, starts it, and begins the armed block anew. What the card held is lost,
 * which the block reports. A card without its state does not tell what that was, if
 * anything.
 */
static void card_restart(struct s5933 *chip)
{
	struct card *card = container_of(chip, struct card, chip);
	unsigned long flags;
	int ms = 100, ret;

	card_set_resets(chip, MCSR_RESET_CARD | MCSR_RESETS);
	card_set_resets(chip, 0);
	s5933_write(chip, S5933_OMB(1), start & ~START_WAITS);
	while (ms-- && !card_is_ready(chip))
		usleep_range(1000, 1500);
	if (s5933_is_halted(chip))
		return;
	s5933_write(chip, S5933_OMB(1), start);
	mutex_lock(&card->ending);
	spin_lock_irqsave(&chip->lock, flags);
	s5933_set_irq(chip, !chip->halted, INTCSR_STATUS);
	ret = card_end_piece(card);
	if (ret)
		card_tell_reset(card);
	if (card->pos && card->block)
		zio_cset_lost(card->cset, 1);
	ret = card_begin_block(card);
	spin_unlock_irqrestore(&chip->lock, flags);
	if (ret)
		zio_cset_fail(card->cset, ret);
	mutex_unlock(&card->ending);
	schedule_delayed_work(&card->watch, HZ);
}

/* A card that has lost its state does not interrupt, so a reader would wait forever. */
static void card_watch(struct work_struct *work)
{
	struct card *card = container_of(work, struct card, watch.work);
	unsigned long flags;
	bool is_lost;
	u32 status;

	spin_lock_irqsave(&card->chip.lock, flags);
	status = s5933_read_status(&card->chip);
	is_lost = !s5933_is_gone(status) && !s5933_has_state(&card->chip, status);
	if (is_lost)
		card_tell_reset(card);
	spin_unlock_irqrestore(&card->chip.lock, flags);
	if (is_lost) {
		dev_warn(card->chip.dev, "the card had lost its state; it was restarted\n");
		card_restart(&card->chip);
	} else {
		schedule_delayed_work(&card->watch, HZ);
	}
}

static const struct s5933_ops card_chip_ops = {
	.irq = INTCSR_WRITE_DONE,
	.select = INTCSR_IMB(4, 3),
	.handler = card_interrupt,
	.halt = card_halt,
	.restart = card_restart,
};

static const struct zio_cset_ops card_ops = {
	.init = card_init,
	.exit = card_exit,
	.raw_io = card_input,
	.stop_io = card_stop,
};

static const struct zio_cset_desc card_csets[] = {
	{
		.name = "words",
		.flags = ZIO_CSET_DMA | ZIO_CSET_USER_RATE,
		.n_chan = 1,
		.ssize = 4,
		.nsamples = 1024,
		.trigger = "transparent",
		.ops = &card_ops,
	},
};

static const struct zio_device_desc card_desc = {
	.name = "s5933",
	.owner = THIS_MODULE,
	.cset = card_csets,
	.n_cset = ARRAY_SIZE(card_csets),
};

static int card_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct card *card = devm_kzalloc(&pdev->dev, sizeof(*card), GFP_KERNEL);
	int ret;

	if (!card)
		return -ENOMEM;
	mutex_init(&card->ending);
	INIT_DELAYED_WORK(&card->watch, card_watch);
	ret = s5933_probe(&card->chip, pdev, &card_chip_ops);
	ret = ret ?: s5933_start(&card->chip);
	if (ret)
		return ret;
	card_restart(&card->chip);
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &card_desc,
							ZIO_ID_AUTO, card));
}

static struct pci_driver card_driver = {
	.name = "zio-s5933-mini",
	.probe = card_probe,
	.shutdown = s5933_shutdown,
	.err_handler = &s5933_err_handler,
	.driver.pm = pm_sleep_ptr(&s5933_pm_ops),
};
module_pci_driver(card_driver);
MODULE_DESCRIPTION("ZIO: a small driver for a card with an AMCC S5933");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
