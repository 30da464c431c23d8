// SPDX-License-Identifier: GPL-2.0-only
/* enable.c: enable and disable sets and channels */
#include "config/internal.h"

/**
 * zio_cset_list_active() - update the list of active channels
 * @cset: the channel set, frozen or not yet visible
 *
 * Context: Process.
 */
void zio_cset_list_active(struct zio_cset_core *cset)
{
	unsigned int i, n = 0;

	for (i = 0; i < cset->n_chan; i++)
		if (cset->chan[i]->enabled)
			WRITE_ONCE(cset->active[n++], cset->chan[i]);
	WRITE_ONCE(cset->n_active, n);
}

/* The caller holds cset->mutex. Unread blocks stay readable. */
int zio_channel_enable(struct zio_channel_core *chan, bool enable)
{
	struct zio_cset_core *cset = chan->cset;

	if (chan->enabled == enable)
		return 0;
	zio_cset_freeze(cset);
	WRITE_ONCE(chan->enabled, enable);
	zio_cset_list_active(cset);
	zio_cset_unfreeze(cset);
	return 0;
}

/* The caller holds cset->mutex. A disabled set takes no event. */
int zio_cset_enable(struct zio_cset_core *cset, bool enable)
{
	if (cset->enabled == enable)
		return 0;
	zio_cset_freeze(cset);
	cset->enabled = enable;
	zio_cset_stop(cset, !enable || !cset->bind->enabled);
	zio_cset_unfreeze(cset);
	return 0;
}
