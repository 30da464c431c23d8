// SPDX-License-Identifier: GPL-2.0-only
/*
 * service.c: visits to the card: interrupt, timer, watch, raw_io() and stop_io()
 *
 * A visit holds the lock and advances the input as far as possible. Then it calls
 * zio_cset_done() without the lock. Meanwhile the core may take the block back and arm
 * another one. card->finishing counts the contexts that are about to call zio_cset_done();
 * stop_io() returns when it is zero.
 *
 * Reading a register costs as much as a thousand instructions. So a visit reads INTCSR
 * once, at its start, and disables interrupts: an interrupt for what the visit sees anyway
 * would find nothing to do. During the visit it checks only the mailbox. At its end it
 * acknowledges the messages that it took.
 */
#include <linux/interrupt.h>
#include <linux/wait_bit.h>

#include "slink.h"

/* A visit handles at most this many control words, pages and changes of the word type. */
#define VISIT_TURNS	128
/* After such a visit the card rests for this fraction of the visit's time, */
#define REST_SHARE	4
/* or for this many nanoseconds, if that is longer. */
#define REST_NS		20000u
/* How often to check whether the card has lost its state, in jiffies */
#define WATCH_PERIOD	HZ

static struct slink_visit slink_begin_visit(void)
{
	return (struct slink_visit){ .begin = ktime_get(), .turns = VISIT_TURNS };
}

/* Lets the timer, instead of an interrupt, start the next visit. */
static void slink_visit_later(struct slink_card *card, u64 ns)
{
	card->timed = true;
	s5933_set_irq(&card->chip, false, 0);
	hrtimer_start(&card->timer, ns_to_ktime(ns), HRTIMER_MODE_REL);
}

/*
 * Acknowledges the messages that were taken, and enables interrupts again unless the timer
 * starts the next visit. Another visit may be between two calls of this function with
 * interrupts disabled, so the register does not tell whether this visit should enable them.
 * The status of a message that came just before is now cleared, so check for it.
 *
 * Returns true if the card has more to do.
 */
static bool slink_close_visit(struct slink_card *card)
{
	bool taken = card->unacknowledged;

	card->unacknowledged = false;
	s5933_set_irq(&card->chip, !card->timed, taken ? INTCSR_IS_IMB : 0);
	if (!taken)
		return false;
	slink_wait_behind(card);
	if (!card->unacknowledged || !card->in.block || !slink_is_usable(card))
		return false;
	s5933_set_irq(&card->chip, false, 0);
	return true;
}

/* Advances the input until a block is done or there is nothing to do. */
static bool slink_advance(struct slink_card *card, struct slink_visit *visit)
{
	bool done = false;
	u64 worked;

	do {
		done = slink_advance_input(card, visit);
	} while (!done && visit->turns && slink_is_usable(card) &&
		 slink_close_visit(card));
	if (done) {
		atomic_inc(&card->finishing);
	} else if (!visit->turns && slink_is_usable(card)) {
		/* More to do, maybe without end: let others use the processor first. */
		worked = ktime_to_ns(ktime_sub(ktime_get(), visit->begin));
		slink_visit_later(card, max3(worked / REST_SHARE, (u64)REST_NS,
					     1000ull * card->poll_us));
	}
	return done;
}

/*
 * The calls to the core take time, so check the card again after them. The caller does not
 * hold the lock.
 */
static void slink_notify_core(struct slink_card *card, bool done,
			      struct slink_visit *visit)
{
	unsigned long flags;
	size_t bytes;

	while (done) {
		bytes = card->in.last;
		/* This may arm the next block, which calls slink_input(). */
		if (!zio_cset_done(card->in.cset)) {
			/* The core took the block back just before. */
			spin_lock_irqsave(&card->chip.lock, flags);
			slink_lose_event(card, bytes);
			spin_unlock_irqrestore(&card->chip.lock, flags);
		}
		if (atomic_dec_and_test(&card->finishing))
			wake_up_var(&card->finishing);
		spin_lock_irqsave(&card->chip.lock, flags);
		done = slink_is_usable(card) && slink_advance(card, visit);
		spin_unlock_irqrestore(&card->chip.lock, flags);
	}
}

/* The caller holds the lock, releases it, and passes the result to slink_notify_core(). */
static bool slink_visit_card(struct slink_card *card, u32 status,
			     struct slink_visit *visit)
{
	return slink_begin_status(card, status) && slink_advance(card, visit);
}

/**
 * slink_service() - visit the card: do everything that can be done now
 * @card: the card; the caller does not hold the lock
 *
 * Context: any.
 */
void slink_service(struct slink_card *card)
{
	struct slink_visit visit = slink_begin_visit();
	struct s5933 *chip = &card->chip;
	unsigned long flags;
	bool done = false;

	spin_lock_irqsave(&chip->lock, flags);
	if (slink_is_usable(card))
		done = slink_visit_card(card, s5933_read(chip, S5933_INTCSR), &visit);
	spin_unlock_irqrestore(&chip->lock, flags);
	slink_notify_core(card, done, &visit);
}

/*
 * With "poll-us", the first interrupt disables interrupts, and the timer visits the card at
 * this interval. The first visit that finds nothing to do enables them again.
 */
static void slink_poll_later(struct slink_card *card)
{
	slink_visit_later(card, 1000ull * card->poll_us);
}

/**
 * slink_poll() - visit the card from its timer
 * @timer: card->timer
 *
 * The timer runs for "poll-us", after a visit that had more to do, and while the cable is
 * unplugged in the middle of an event (slink_advance_input()).
 *
 * Context: hard interrupt.
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart slink_poll(struct hrtimer *timer)
{
	struct slink_card *card = container_of(timer, struct slink_card, timer);
	struct slink_visit visit = slink_begin_visit();
	unsigned long flags;
	bool done = false;
	u32 status;

	slink_count(card, SLINK_POLLS, 1);
	spin_lock_irqsave(&card->chip.lock, flags);
	card->timed = false;
	if (slink_is_usable(card)) {
		status = s5933_read(&card->chip, S5933_INTCSR);
		if (!s5933_is_gone(status) && status & INTCSR_STATUS && card->poll_us)
			slink_poll_later(card);
		done = slink_visit_card(card, status, &visit);
	}
	spin_unlock_irqrestore(&card->chip.lock, flags);
	slink_notify_core(card, done, &visit);
	return HRTIMER_NORESTART;
}

static bool slink_is_interrupting(u32 status)
{
	return !s5933_is_gone(status) && (status & INTCSR_ASSERTED);
}

/**
 * slink_interrupt() - visit the card from its interrupt
 * @irq: number of the interrupt, shared with other devices
 * @data: the chip of the card
 *
 * Context: hard interrupt.
 * Return: IRQ_NONE if another device raised the interrupt.
 */
irqreturn_t slink_interrupt(int irq, void *data)
{
	struct slink_card *card = slink_card_of(data);
	struct slink_visit visit = slink_begin_visit();
	unsigned long flags;
	bool done = false;
	u32 status;

	spin_lock_irqsave(&card->chip.lock, flags);
	status = s5933_read_status(&card->chip);
	if (slink_is_interrupting(status)) {
		slink_count(card, SLINK_INTERRUPTS, 1);
		if (card->poll_us)
			slink_poll_later(card);
		done = slink_visit_card(card, status, &visit);
	}
	spin_unlock_irqrestore(&card->chip.lock, flags);
	slink_notify_core(card, done, &visit);
	return slink_is_interrupting(status) ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * slink_start_watch() - schedule the next slink_watch()
 * @card: the card
 *
 * Context: any.
 */
void slink_start_watch(struct slink_card *card)
{
	schedule_delayed_work(&card->watch, WATCH_PERIOD);
}

/**
 * slink_watch() - restart the card if it has lost its state
 * @work: card->watch
 *
 * A card that has lost its state does not interrupt, so a reader could wait forever.
 *
 * Context: process, sleeps.
 */
void slink_watch(struct work_struct *work)
{
	struct slink_card *card = container_of(work, struct slink_card,
					       watch.work);

	if (slink_restart_lost(card)) {
		dev_warn(card->chip.dev,
			 "the card had lost its state; it was restarted\n");
		slink_service(card);
	}
	slink_start_watch(card);
}

/**
 * slink_input() - raw_io() of the input: arm the block for the next event
 * @cset: the channel set
 *
 * Context: any.
 * Return: ZIO_PENDING; zio_cset_done() follows.
 */
int slink_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	struct slink_input *in = &card->in;
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	in->block = zio_cset_block(cset);
	in->near &= in->inside;
	spin_unlock_irqrestore(&card->chip.lock, flags);
	/* A context in slink_notify_core() checks the card again anyway. */
	if (!atomic_read(&card->finishing))
		slink_service(card);
	return ZIO_PENDING;
}

/**
 * slink_stop_input() - stop_io() of the input: drop the event in progress
 * @cset: the channel set
 *
 * Context: process, sleeps.
 */
void slink_stop_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->chip.lock, flags);
	slink_drop_input(card);
	card->in.block = NULL;
	spin_unlock_irqrestore(&card->chip.lock, flags);
	/* After this, no context calls zio_cset_done() for the previous blocks. */
	wait_var_event(&card->finishing, !atomic_read(&card->finishing));
}
