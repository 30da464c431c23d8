// SPDX-License-Identifier: GPL-2.0-only
/*
 * service.c: visits to the card: interrupt, timer, watch, raw_io() and stop_io()
 *
 * A visit holds card->lock and lets input and output advance as far as they can. Then
 * it calls zio_cset_done() without the lock. Meanwhile the core may take the blocks back
 * and arm others. card->finishing counts the contexts that are about to call
 * zio_cset_done(); stop_io() returns when there are none.
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
/* The period, in jiffies, of the check whether the card has lost its state. */
#define WATCH_PERIOD	HZ

/* The blocks that are done: zio_cset_done() is due for them. */
struct slink_done {
	bool in;
	bool out;
	size_t bytes;		/* of the input's event */
};

static struct slink_visit begin_visit(void)
{
	return (struct slink_visit){ .begin = ktime_get(), .turns = VISIT_TURNS };
}

/* The timer, instead of an interrupt, starts the next visit. */
static void visit_later(struct slink_card *card, u64 ns)
{
	slink_enable_interrupts(card, false);
	hrtimer_start(&card->timer, ns_to_ktime(ns), HRTIMER_MODE_REL);
}

/* The card has more to do, maybe without end: leave the processor to others first. */
static void end_visit(struct slink_card *card, const struct slink_visit *visit)
{
	u64 worked = ktime_to_ns(ktime_sub(ktime_get(), visit->begin));

	visit_later(card, max3(worked / REST_SHARE, (u64)REST_NS,
			       1000ull * card->poll_us));
}

/* The caller holds card->lock, releases it, and passes the result to notify_core(). */
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

/* The core took the block back just before zio_cset_done(). */
static void lose_event(struct slink_card *card, size_t bytes)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	slink_lose_event(card, bytes);
	spin_unlock_irqrestore(&card->lock, flags);
}

/* zio_cset_done() may arm the next block, which calls slink_input(). */
static void notify_done(struct slink_card *card, struct slink_done done)
{
	if (done.in && !zio_cset_done(card->in.cset))
		lose_event(card, done.bytes);
	if (done.out)
		zio_cset_done(card->out.cset);
	if (atomic_dec_and_test(&card->finishing))
		wake_up_var(&card->finishing);
}

/*
 * Interrupts are off during the visit, since an interrupt for what the visit sees would
 * find nothing to do. Read INTCSR before writing it: it shows whether the card has lost
 * its state.
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

/* The caller does not hold card->lock. */
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

/* The calls of the core take time, so look at the card again after them. */
static void notify_core(struct slink_card *card, struct slink_done done,
			struct slink_visit *visit)
{
	while (done.in || done.out) {
		notify_done(card, done);
		done = look_again(card, visit);
	}
}

/**
 * slink_service() - visit the card: do all that can be done now
 * @card: the card; the caller does not hold card->lock
 *
 * Context: any.
 */
void slink_service(struct slink_card *card)
{
	struct slink_visit visit = begin_visit();

	notify_core(card, look_again(card, &visit), &visit);
}

/* A context that is in notify_core() looks at the card again: then do nothing here. */
static void service_armed(struct slink_card *card)
{
	if (!atomic_read(&card->finishing))
		slink_service(card);
}

/* Process context. No context calls zio_cset_done() for the former blocks after this. */
static void wait_finished(struct slink_card *card)
{
	wait_var_event(&card->finishing, !atomic_read(&card->finishing));
}

/*
 * With "poll-us" the first interrupt switches interrupts off, and the timer visits the
 * card every so many microseconds. The first visit that finds nothing switches them on.
 */
static void poll_later(struct slink_card *card)
{
	visit_later(card, 1000ull * card->poll_us);
}

static bool is_busy(u32 status)
{
	return !slink_is_gone(status) && (status & INTCSR_STATUS);
}

/* The caller holds card->lock. */
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

/**
 * slink_poll() - visit the card, by its timer
 * @timer: card->timer
 *
 * The timer runs for "poll-us", and after a visit that had more to do. It also runs while
 * the cable is out in the middle of an event (slink_advance_input()).
 *
 * Context: hard interrupt.
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart slink_poll(struct hrtimer *timer)
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
	notify_core(card, done, &visit);
	return HRTIMER_NORESTART;
}

static bool is_interrupting(u32 status)
{
	return !slink_is_gone(status) && (status & INTCSR_ASSERTED);
}

/**
 * slink_interrupt() - visit the card, by its interrupt
 * @irq: number of the interrupt, shared with other devices
 * @data: the card
 *
 * Context: hard interrupt.
 * Return: IRQ_NONE if another device interrupts.
 */
irqreturn_t slink_interrupt(int irq, void *data)
{
	struct slink_card *card = data;
	struct slink_visit visit = begin_visit();
	struct slink_done done = {};
	unsigned long flags;
	u32 status;

	spin_lock_irqsave(&card->lock, flags);
	status = slink_read(card, S5933_INTCSR);
	if (is_interrupting(status)) {
		slink_count(card, SLINK_INTERRUPTS, 1);
		if (card->poll_us)
			poll_later(card);
		done = advance_all(card, status, &visit);
	}
	spin_unlock_irqrestore(&card->lock, flags);
	notify_core(card, done, &visit);
	return is_interrupting(status) ? IRQ_HANDLED : IRQ_NONE;
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
		dev_warn(card->dev,
			 "the card had lost its state; it was restarted\n");
		slink_service(card);
	}
	slink_start_watch(card);
}

static void take_block_back(struct slink_card *card,
			    void (*drop)(struct slink_card *card),
			    struct zio_block **block)
{
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	drop(card);
	*block = NULL;
	spin_unlock_irqrestore(&card->lock, flags);
	wait_finished(card);
}

/**
 * slink_input() - raw_io() of the input: arm the block for the next event
 * @cset: the channel set
 *
 * Context: any.
 * Return: -EAGAIN; zio_cset_done() follows.
 */
int slink_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	struct slink_input *in = &card->in;
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	in->block = zio_cset_armed(cset)->block;
	in->near &= in->inside;
	spin_unlock_irqrestore(&card->lock, flags);
	service_armed(card);
	return -EAGAIN;
}

/**
 * slink_stop_input() - stop_io() of the input: drop the event that is coming
 * @cset: the channel set
 *
 * Context: process, sleeps.
 */
void slink_stop_input(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);

	take_block_back(card, slink_drop_input, &card->in.block);
}

/**
 * slink_output() - raw_io() of the output: begin to send the block
 * @cset: the channel set
 *
 * Context: any.
 * Return: -EAGAIN; zio_cset_done() follows.
 */
int slink_output(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->out.block = zio_cset_armed(cset)->block;
	card->out.pos = 0;
	spin_unlock_irqrestore(&card->lock, flags);
	service_armed(card);
	return -EAGAIN;
}

/**
 * slink_stop_output() - stop_io() of the output: cut the event short
 * @cset: the channel set
 *
 * Context: process, sleeps.
 */
void slink_stop_output(struct zio_cset *cset)
{
	struct slink_card *card = zio_cset_priv(cset);

	take_block_back(card, slink_drop_output, &card->out.block);
}
