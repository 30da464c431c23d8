// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor.c: what looks at each finished block: the sniffer, and the taps of its channel
 *
 * Both use one pointer of the engine. It is NULL while nothing looks, so a block costs one
 * test then. While anything looks, each block of each channel costs a call.
 */
#include "channel/tap.h"

static DEFINE_MUTEX(monitor_lock); /* n_users */
static unsigned int n_users; /* an open sniffer counts as one, each ring of taps as one */

static void monitor_done(struct zio_channel_core *chan, struct zio_block *block)
{
	zio_sniff_block_done(chan, block);
	if (!zio_cset_is_output(chan->cset))
		zio_tap_block_done(chan, block);
}

static const struct zio_monitor_ops monitor_ops = {
	.done = monitor_done,
	.move = zio_tap_memory_move,
};

/* Blocks that finish from now on are looked at. Context: Process, sleeps. */
void zio_monitor_get(void)
{
	mutex_lock(&monitor_lock);
	if (!n_users++)
		WRITE_ONCE(zio_block_monitor, &monitor_ops);
	mutex_unlock(&monitor_lock);
}

/* Undoes zio_monitor_get(). A block may be looked at meanwhile. */
void zio_monitor_put(void)
{
	mutex_lock(&monitor_lock);
	if (!--n_users)
		WRITE_ONCE(zio_block_monitor, NULL);
	mutex_unlock(&monitor_lock);
}
