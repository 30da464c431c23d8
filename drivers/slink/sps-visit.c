// SPDX-License-Identifier: GPL-2.0-only
/* sps-visit.c: visits to an SPS card: interrupt, timer, watch, raw_io() and stop_io() */
#include <linux/wait_bit.h>

#include "sps.h"

/* How often to check whether the card has lost its state, in jiffies */
#define WATCH_PERIOD	HZ

/* Returns true if zio_cset_done() is due. The caller holds the lock. */
static bool sps_visit_card(struct sps_card *card, u32 status)
{
	bool done = sps_begin_status(card, status) && sps_advance(card);

	if (done)
		atomic_inc(&card->finishing);
	return done;
}

static bool sps_look_at_card(struct sps_card *card)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&card->chip.lock, flags);
	done = sps_is_usable(card) &&
		sps_visit_card(card, s5933_read(&card->chip, S5933_INTCSR));
	spin_unlock_irqrestore(&card->chip.lock, flags);
	return done;
}

/*
 * zio_cset_done() may arm the next block, which calls sps_output() and changes
 * card->failed. No other context changes it while card->finishing is not 0.
 */
static void sps_notify_core(struct sps_card *card, bool done)
{
	while (done) {
		if (card->failed)
			zio_cset_fail(card->cset, -EIO);
		else
			zio_cset_done(card->cset);
		if (atomic_dec_and_test(&card->finishing))
			wake_up_var(&card->finishing);
		done = sps_look_at_card(card);
	}
}

/**
 * sps_service() - visit the card: do everything that can be done now
 * @card: the card; the caller does not hold the lock
 *
 * Context: any.
 */
void sps_service(struct sps_card *card)
{
	sps_notify_core(card, sps_look_at_card(card));
}

/**
 * sps_poll() - visit the card from its timer
 * @timer: card->timer
 *
 * Context: hard interrupt.
 * Return: HRTIMER_NORESTART; sps_advance() restarts the timer if necessary.
 */
enum hrtimer_restart sps_poll(struct hrtimer *timer)
{
	sps_service(container_of(timer, struct sps_card, timer));
	return HRTIMER_NORESTART;
}

/**
 * sps_interrupt() - visit the card from its interrupt
 * @irq: number of the interrupt, shared with other devices
 * @data: the chip of the card
 *
 * Context: hard interrupt.
 * Return: IRQ_NONE if another device raised the interrupt.
 */
irqreturn_t sps_interrupt(int irq, void *data)
{
	struct sps_card *card = sps_card_of(data);
	unsigned long flags;
	bool done = false, mine;
	u32 status;

	spin_lock_irqsave(&card->chip.lock, flags);
	status = s5933_read_status(&card->chip);
	mine = !s5933_is_gone(status) && (status & INTCSR_ASSERTED);
	if (mine) {
		sps_count(card, SPS_INTERRUPTS, 1);
		done = sps_visit_card(card, status);
	}
	spin_unlock_irqrestore(&card->chip.lock, flags);
	sps_notify_core(card, done);
	return mine ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * sps_start_watch() - schedule the next sps_watch()
 * @card: the card
 *
 * Context: any.
 */
void sps_start_watch(struct sps_card *card)
{
	schedule_delayed_work(&card->watch, WATCH_PERIOD);
}

/**
 * sps_watch() - restart the card if it has lost its state
 * @work: card->watch
 *
 * Context: process, sleeps.
 */
void sps_watch(struct work_struct *work)
{
	struct sps_card *card = container_of(work, struct sps_card, watch.work);

	if (sps_restart_lost(card)) {
		dev_warn(card->chip.dev,
			 "the card had lost its state; it was restarted\n");
		sps_service(card);
	}
	sps_start_watch(card);
}

/**
 * sps_output() - raw_io() of the output: start to send the block
 * @cset: the channel set
 *
 * Context: any.
 * Return: ZIO_PENDING; zio_cset_done() follows.
 */
int sps_output(struct zio_cset *cset)
{
	struct sps_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	card->block = zio_cset_block(cset);
	card->pos = 0;
	card->failed = false;
	card->state = SPS_BEGIN;
	spin_unlock_irqrestore(&card->chip.lock, flags);
	/* A context in sps_notify_core() checks the card again anyway. */
	if (!atomic_read(&card->finishing))
		sps_service(card);
	return ZIO_PENDING;
}

/**
 * sps_stop_output() - stop_io() of the output: cut the event short
 * @cset: the channel set
 *
 * Context: process, sleeps.
 */
void sps_stop_output(struct zio_cset *cset)
{
	struct sps_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	sps_drop(card);
	card->block = NULL;
	spin_unlock_irqrestore(&card->chip.lock, flags);
	/* After this, no context calls zio_cset_done() for the block. */
	wait_var_event(&card->finishing, !atomic_read(&card->finishing));
}
