/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-pulse.h: a channel set whose blocks tell the time of a pulse
 *
 * Its blocks have no data. An armed set listens until a pulse comes. The time of the pulse,
 * by the clock that the control names, is the time stamp of the block. With the transparent
 * trigger, the core arms the set again while there is room. If a pulse comes while the set
 * does not listen, it is missed: the set counts it, and the next block has an alarm. With
 * the transparent trigger, such a pulse is also a lost block.
 *
 *   L  zio_pulse_listen() stores the set and the channel, then pulse->listens
 *      (release). (L) pairs with the exchange of pulse->listens in zio_pulse_catch(),
 *      which then loads the set and its block. Without it, that function could use an
 *      old block. The channel is stored behind the set in the same way, for a pulse that
 *      comes while the set does not listen.
 */
#ifndef _ZIO_PULSE_H
#define _ZIO_PULSE_H

#include <linux/atomic.h>
#include <linux/zio.h>

#define ZIO_PULSE_MISSED	BIT(0)	/* alarm of the driver */

struct zio_pulse {
	struct zio_cset *cset;
	struct zio_channel *chan;
	int listens;
	atomic_t missed;
	u32 lost; /* since the last block */
};

/* The attributes of such a set; attr_get() returns pulse->missed. */
static const struct zio_attr_desc zio_pulse_attrs[] = {
	ZIO_ATTR_PARAM("missed", 0444, 0, 0),
};

/**
 * zio_pulse_listen() - listen for a pulse; the body of raw_io()
 * @pulse: the state of the set
 * @cset: the armed set
 *
 * Context: any.
 * Return: ZIO_PENDING; zio_cset_done() follows.
 */
static inline int zio_pulse_listen(struct zio_pulse *pulse,
				   struct zio_cset *cset)
{
	pulse->cset = cset;
	smp_store_release(&pulse->chan, zio_cset_channel(cset));	/* L */
	smp_store_release(&pulse->listens, 1);			/* L */
	return ZIO_PENDING;
}

/**
 * zio_pulse_catch() - get the block for a pulse that comes now
 * @pulse: the state of the set
 *
 * Context: any, one call at a time. stop_io() must be able to wait for the caller.
 * Return: the block, stamped, and zio_cset_done() of pulse->cset follows; NULL if the
 * pulse is missed.
 */
static inline struct zio_block *zio_pulse_catch(struct zio_pulse *pulse)
{
	struct zio_channel *chan = smp_load_acquire(&pulse->chan);	/* L */

	if (!xchg(&pulse->listens, 0)) {			/* L */
		atomic_inc(&pulse->missed);
		if (!chan)
			return NULL;
		zio_channel_alarm(chan, ZIO_PULSE_MISSED);
		pulse->lost += zio_cset_is_rearmed(pulse->cset);
		return NULL;
	}
	zio_cset_lost(pulse->cset, pulse->lost);
	pulse->lost = 0;
	zio_cset_stamp(pulse->cset, zio_cset_block(pulse->cset));
	return zio_cset_block(pulse->cset);
}

/**
 * zio_pulse_came() - complete the block: the pulse comes now
 * @pulse: the state of the set
 *
 * Context: as zio_pulse_catch().
 */
static inline void zio_pulse_came(struct zio_pulse *pulse)
{
	if (zio_pulse_catch(pulse))
		zio_cset_done(pulse->cset);
}

/**
 * zio_pulse_ignore() - stop listening; the first half of stop_io()
 * @pulse: the state of the set
 *
 * Context: any. stop_io() then waits until zio_pulse_came() is not running.
 */
static inline void zio_pulse_ignore(struct zio_pulse *pulse)
{
	xchg(&pulse->listens, 0);
}

#endif /* _ZIO_PULSE_H */
