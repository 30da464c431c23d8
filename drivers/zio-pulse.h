/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-pulse.h: a channel set that tells when something happened
 *
 * Its blocks have no data. It is armed, and listens, until a pulse comes, whose time
 * is that of the block; with the transparent trigger it is then armed again, as
 * long as there is room. A pulse that comes while nobody listens is missed: this is
 * counted, and told by an alarm of the next block.
 *
 *   L  zio_pulse_listen() stores the set and the channel, then pulse->listens
 *      (release). zio_pulse_came() takes pulse->listens by an exchange, and then
 *      loads the set and its block. Without the pair it could use an old block.
 */
#ifndef _ZIO_PULSE_H
#define _ZIO_PULSE_H

#include <linux/atomic.h>
#include <linux/time64.h>
#include <linux/zio.h>

#define ZIO_PULSE_MISSED	BIT(0)	/* alarm of the driver */

struct zio_pulse {
	struct zio_cset *cset;
	struct zio_channel *chan;
	int listens;
	atomic_t missed;
};

/* For raw_io(). */
static inline int zio_pulse_listen(struct zio_pulse *pulse,
				   struct zio_cset *cset)
{
	pulse->cset = cset;
	WRITE_ONCE(pulse->chan, zio_cset_armed(cset)->chan);
	smp_store_release(&pulse->listens, 1);			/* L */
	return -EAGAIN;
}

/*
 * Any context, one at a time. The caller sees to it that stop_io() can wait for
 * its end.
 */
static inline void zio_pulse_came(struct zio_pulse *pulse,
				  const struct timespec64 *at)
{
	struct zio_channel *chan = READ_ONCE(pulse->chan);
	struct zio_block *block;

	if (!xchg(&pulse->listens, 0)) {			/* L */
		atomic_inc(&pulse->missed);
		if (chan)
			zio_channel_alarm(chan, ZIO_PULSE_MISSED);
		return;
	}
	block = zio_cset_armed(pulse->cset)->block;
	block->tstamp.secs = at->tv_sec;
	block->tstamp.ticks = at->tv_nsec;
	zio_cset_done(pulse->cset);
}

/* For stop_io(), which then waits for who may be in zio_pulse_came(). */
static inline void zio_pulse_ignore(struct zio_pulse *pulse)
{
	xchg(&pulse->listens, 0);
}

#endif /* _ZIO_PULSE_H */
