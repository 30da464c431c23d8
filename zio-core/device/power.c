// SPDX-License-Identifier: GPL-2.0-only
/*
 * power.c: report a suspend of the machine in the blocks
 *
 * The kernel suspends a device before its parent and resumes it afterwards. In between, the
 * board sends only what it sends while it falls asleep or wakes up. Blocks that are done in
 * that time have the alarm, and so has the first one afterwards: programs see the gap,
 * whatever the driver knows about it. (A kernel notifier would come too late: after
 * programs run again, and after the first blocks.)
 *
 * Like a driver, these functions only note: the owner of the phase raises the alarm.
 */
#include <linux/pm.h>

#include "device/internal.h"

static void suspend_set(struct zio_cset_core *cset)
{
	unsigned int i;

	mutex_lock(&cset->mutex);
	for (i = 0; zio_cset_is_in_use(cset) && i < cset->n_active; i++)
		atomic_or(ZIO_NOTED_SUSPEND, &cset->active[i]->alarms_new);
	mutex_unlock(&cset->mutex);
}

static void resume_set(struct zio_cset_core *cset)
{
	struct zio_channel_core *chan;
	unsigned int i;

	mutex_lock(&cset->mutex);
	if (cset->ops->resumed && cset->ops->resumed(&cset->pub)) {
		zio_cset_freeze(cset);
		zio_cset_unfreeze(cset);
	}
	/* Other channels may be active by now. A note survives that change. */
	for (i = 0; i < cset->n_chan; i++) {
		chan = cset->chan[i];
		if (!(atomic_read(&chan->alarms_new) & ZIO_NOTED_SUSPEND))
			continue;
		zio_channel_raise(chan, ZIO_ALARM_SUSPENDED);
		atomic_andnot(ZIO_NOTED_SUSPEND, &chan->alarms_new);
	}
	mutex_unlock(&cset->mutex);
}

/* The kernel holds the lock of @dev here and in zio_device_suspend() and _resume(). */
static void call_sets(struct device *dev, void (*call)(struct zio_cset_core *cset))
{
	struct zio_device *zdev = to_zio_device(dev);
	unsigned int i;

	for (i = 0; zdev->has_sets && i < zdev->desc->n_cset; i++)
		call(zdev->cset[i]);
}

int zio_device_suspend(struct device *dev)
{
	call_sets(dev, suspend_set);
	return 0;
}

int zio_device_resume(struct device *dev)
{
	call_sets(dev, resume_set);
	return 0;
}

static const struct dev_pm_ops zio_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(zio_device_suspend, zio_device_resume)
};

const struct device_type zio_device_type = {
	.pm = pm_sleep_ptr(&zio_pm_ops),
};

/* Tells whether a suspend concerns the sets. Waits for one that is in progress. */
void zio_device_show_sets(struct zio_device *zdev, bool shown)
{
	device_lock(&zdev->dev);
	zdev->has_sets = shown;
	device_unlock(&zdev->dev);
}
