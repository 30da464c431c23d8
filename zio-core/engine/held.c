// SPDX-License-Identifier: GPL-2.0-only
/*
 * held.c: check rule E in debug kernels: the removal of a set waits for those that use it
 *
 * zio_cset_shutdown() forbids arming, and then waits for a grace period and for arm_work.
 * What follows takes cset->mutex, and the lock of each channel, before it frees channels
 * and buffers. So a context of one of these kinds may look at all channels of an idle set.
 * Lockdep finds any other context at its first call, without a race.
 */
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "engine/internal.h"

static bool holds_channel(const struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; i < cset->n_chan; i++)
		if (lockdep_is_held(&cset->chan[i]->lock))
			return true;
	return false;
}

/**
 * zio_cset_assert_held() - warn if the removal of a set does not wait for the caller
 * @cset: the channel set
 *
 * Context: Any.
 */
void zio_cset_assert_held(struct zio_cset_core *cset)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !lockdep_is_held(&cset->mutex) &&
			 !holds_channel(cset) && current_work() != &cset->arm_work,
			 "zio: a set is used where its removal does not wait");
}
