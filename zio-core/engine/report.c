// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c: what a driver reports about armed blocks: losses before them, and a failure
 *
 * engine.c explains the states and the barriers.
 */
#include <linux/export.h>
#include <linux/rcupdate.h>

#include "engine/block.h"
#include "engine/internal.h"

/* The engine returns these errors itself. From a driver they would mislead the caller. */
int zio_driver_error(int error)
{
	switch (error) {
	case -EAGAIN:
	case -EBUSY:
	case -EINPROGRESS:
	case -ENODEV:
	case -ESHUTDOWN:
		return -EIO;
	}
	return error < 0 ? error : -EIO;
}

/**
 * zio_cset_lost() - report events that the hardware lost before the armed blocks
 * @pub: the channel set, an input
 * @n: number of events; 0: none
 *
 * Each armed block gets a sequence number that is @n higher, and an alarm. Each of these
 * channels counts @n lost blocks.
 *
 * Context: Any; the driver has the blocks, see zio_for_each_block().
 */
void zio_cset_lost(struct zio_cset *pub, u32 n)
{
	struct zio_armed *armed;

	for (armed = pub->armed; n && armed->chan; armed++) {
		struct zio_channel_core *chan = to_channel_core(armed->chan);

		to_block_core(armed->block)->seq += n;
		chan->seq += n;
		chan->lost += n - 1;
		zio_channel_count_loss(chan);
	}
}
EXPORT_SYMBOL_GPL(zio_cset_lost);

/* Enters FINISHING if the driver has the blocks, and raw_io() has returned. */
bool zio_cset_take_armed(struct zio_cset_core *cset)
{
	int old = atomic_read(&cset->state);

	do {
		if ((old & CSET_PHASE) != CSET_ARMED)
			return false;
	} while (!atomic_try_cmpxchg(&cset->state, &old,
				     (old & ~CSET_PHASE) | CSET_FINISHING));
	return true;
}

/**
 * zio_cset_fail() - give the armed blocks back untouched, with an error
 * @pub: the channel set
 * @error: a negative error for the next read or write, such as -EIO or -ETIMEDOUT; none
 *         of -EAGAIN, -EBUSY, -EINPROGRESS, -ENODEV, -ESHUTDOWN
 *
 * An input that is armed without an event loses no block, and stays idle until a program
 * reads. Other sets lose the blocks. A stream ends without stop_io(), and loses nothing:
 * its driver has stopped the hardware before. The next read starts it again.
 *
 * Context: Any but raw_io(); as the driver, which does not touch the blocks any more. For
 * a stream process, sleeps.
 *
 * Return: true if the blocks are given back. If false, raw_io() has not returned yet, or
 * the core takes the blocks back: the driver tries again later, unless stop_io() comes.
 */
bool zio_cset_fail(struct zio_cset *pub, int error)
{
	struct zio_cset_core *cset = to_cset_core(pub);
	bool output = zio_cset_is_output(cset), taken;

	if (zio_cset_is_stream(cset))
		return zio_stream_fail(cset, error);
	rcu_read_lock();					/* E */
	taken = zio_cset_take_armed(cset);
	if (taken) {
		cset->io_errors++;
		WRITE_ONCE(cset->error, error);
		zio_blocks_drop(cset, output || !(cset->on_demand || cset->rearm));
		make_idle(cset);
		zio_cset_wake(cset);
		if (output)
			zio_cset_kick(cset);
	}
	rcu_read_unlock();
	return taken;
}
EXPORT_SYMBOL_GPL(zio_cset_fail);
