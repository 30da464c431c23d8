// SPDX-License-Identifier: GPL-2.0-only
/*
 * file.c: what an open file of a channel holds
 *
 * A file holds its channel and the driver's module, but not the device: the board may go first.
 * Users cannot replace a set's buffers while its files are open.
 */
#include <linux/module.h>

#include "channel/internal.h"

const struct zio_share_ops *zio_share_ops;

/* Holds a channel for another file. The caller already has one open. */
void zio_channel_get(struct zio_channel_core *chan)
{
	kobject_get(&chan->kobj);
	__module_get(chan->cset->zdev->owner);
}

/* Drops what zio_channel_get() holds. */
void zio_channel_put(struct zio_channel_core *chan)
{
	struct module *owner = chan->cset->zdev->owner;

	kobject_put(&chan->kobj);
	module_put(owner);
}

/* Counts an open file, which keeps users from replacing buffers. Returns as zio_cset_lock(). */
int zio_cset_get_file(struct zio_cset_core *cset)
{
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	cset->open_files++;
	mutex_unlock(&cset->mutex);
	return 0;
}

/* Undoes zio_cset_get_file(). With no files left, users may replace buffers. */
void zio_cset_put_file(struct zio_cset_core *cset)
{
	mutex_lock(&cset->mutex);
	cset->open_files--;
	mutex_unlock(&cset->mutex);
}
