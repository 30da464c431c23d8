// SPDX-License-Identifier: GPL-2.0-only
/* report.c: a driver gives the blocks of its set back: done, or with an error */
#include <linux/export.h>

#include "engine/internal.h"

/*
 * Takes the blocks from the driver, which is done or has failed with @error. Returns the phase
 * before. CSET_ARMED: the caller has entered FINISHING. CSET_ARMING: raw_io() has not returned, or
 * zio_cset_own_phase() owns the phase; the owner calls zio_cset_leave_armed(). Any other: the
 * driver has no blocks. The set may move between the two phases meanwhile, so this retries.
 */
static __always_inline int report_take_from_driver(struct zio_cset_core *cset, int error)
{
	int early = CSET_EARLY | -error << CSET_ERROR_SHIFT;
	int phase;

	do {
		if (cset_move(cset, CSET_ARMED, CSET_FINISHING))
			return CSET_ARMED;
		if (cset_move(cset, CSET_ARMING, early))
			return CSET_ARMING;
		phase = cset_phase(cset);
	} while (phase == CSET_ARMED || phase == CSET_ARMING);
	return phase;
}

/**
 * zio_cset_done() - give the blocks of a set back, as its driver
 * @pub: the channel set
 *
 * Follows each raw_io() that returns ZIO_PENDING, and may come before it returns. Does
 * nothing when the core takes the blocks back at the same time, or has done so.
 *
 * Context: Any.
 *
 * Return: true if the blocks are done. If false, the core drops them, and has called
 * stop_io(), or calls it now. A driver that fills blocks from a store of its own keeps
 * what it has stored.
 */
bool zio_cset_done(struct zio_cset *pub)
{
	struct zio_cset_core *cset = to_cset_core(pub);
	int phase;

	if (unlikely(zio_cset_is_stream(cset)))
		return false;
	rcu_read_lock();					/* E */
	phase = report_take_from_driver(cset, 0);
	if (phase == CSET_ARMED) {
		zio_cset_finish_blocks(cset);
		zio_cset_kick_held(cset);
	}
	rcu_read_unlock();
	return phase == CSET_ARMED || phase == CSET_ARMING;
}
EXPORT_SYMBOL_GPL(zio_cset_done);

/**
 * zio_cset_fail() - give the armed blocks back untouched, with an error
 * @pub: the channel set
 * @error: a negative error for the next read or write, such as -ETIMEDOUT. The program
 *         gets -EIO for -EAGAIN, -EBUSY, -EFAULT, -EINPROGRESS, -ENOBUFS, -ENODEV and
 *         -ESHUTDOWN, and for the kernel's own codes, -ERESTARTSYS and below
 *
 * An input that is armed without an event loses no block, and stays idle until a program
 * reads. Other sets lose the blocks. A stream ends without stop_io(), and loses nothing:
 * its driver has stopped the hardware before. The next read starts it again.
 *
 * May come before raw_io() returns ZIO_PENDING. Then the context that called raw_io() gives
 * the blocks back. The driver never has to try again.
 *
 * Context: Any; as the driver, which does not touch the blocks any more. For a stream
 * process, sleeps.
 *
 * Return: true if the blocks are given back with the error. If false, the core drops them,
 * and has called stop_io(), or calls it now; as zio_cset_done().
 */
bool zio_cset_fail(struct zio_cset *pub, int error)
{
	struct zio_cset_core *cset = to_cset_core(pub);
	int phase;

	error = zio_driver_error(error);
	phase = report_take_from_driver(cset, error);
	if (phase == CSET_ARMING)
		return true;
	if (phase != CSET_ARMED)
		return false;
	if (cset->model->close)
		cset->model->close(cset);
	rcu_read_lock();					/* E */
	zio_cset_fail_armed(cset, error);
	if (cset->model->goes_on)
		zio_cset_kick(cset);
	rcu_read_unlock();
	return true;
}
EXPORT_SYMBOL_GPL(zio_cset_fail);
