// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c: the trigger of the IIO device
 *
 * With an IIO trigger, scans come by themselves, and ZIO takes them.
 *
 * With the driver's own trigger, raw_io() fires it. So the trigger of the set makes the
 * device acquire a scan, and boards of any kind may share that trigger. For a block of N
 * scans, the driver fires again whenever the device has finished one. A device that
 * produces no scan, perhaps because its bus failed, is triggered again a little later.
 */
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/zio-compat.h>

#include "iio.h"

#define ZIIO_RETRY_MS	10

/* Hard interrupt context: the top half of a handler takes the time stamp. */
static void ziio_poll_trigger(struct irq_work *work)
{
	struct ziio_state *state = container_of(work, struct ziio_state, poll_work);

	if (!READ_ONCE(state->trig_runs) || !ziio_wants_scan(state))
		return;
	/* Busy with a scan: ziio_trigger_is_free() will be called. */
	if (atomic_read(&state->trig->use_count))
		return;
	WRITE_ONCE(state->polled, READ_ONCE(state->scans));
	iio_trigger_poll(state->trig);
}

/**
 * ziio_ask() - make the device acquire a scan
 * @state: the device, with the trigger of the driver
 *
 * If the device is still busy with a scan, ziio_trigger_is_free() fires the trigger later.
 *
 * Context: Any.
 */
void ziio_ask(struct ziio_state *state)
{
	smp_mb(); /* pairs with ziio_go_on() and ziio_run_trigger() */
	if (!READ_ONCE(state->trig_runs))
		return;
	if (in_hardirq())
		ziio_poll_trigger(&state->poll_work);
	else
		irq_work_queue(&state->poll_work);
}

static void ziio_retry_poll(struct timer_list *timer)
{
	struct ziio_state *state = container_of(timer, struct ziio_state, retry);

	irq_work_queue(&state->poll_work);
}

/* All consumers have finished the scan, and another one may be wanted. */
static void ziio_go_on(struct ziio_state *state)
{
	unsigned int i;

	smp_mb(); /* pairs with ziio_ask() */
	if (!READ_ONCE(state->trig_runs) || !ziio_wants_scan(state))
		return;
	if (READ_ONCE(state->scans) != READ_ONCE(state->polled)) {
		irq_work_queue(&state->poll_work);
		return;
	}
	for (i = 0; i < state->n_set; i++) {
		if (!READ_ONCE(state->set[i].block))
			continue;
		atomic_inc(&state->set[i].failed);
		ziio_set_alarm(&state->set[i], ZIIO_ALARM_FAILED);
	}
	mod_timer(&state->retry, jiffies + msecs_to_jiffies(ZIIO_RETRY_MS));
}

/* Other users' devices may keep the trigger busy for longer than ours. */
static void ziio_trigger_is_free(struct iio_trigger *trig)
{
	struct ziio_state *state;

	rcu_read_lock();
	state = iio_trigger_get_drvdata(trig);
	if (state)
		ziio_go_on(state);
	rcu_read_unlock();
}

/* A set may have been armed before the device began to listen. */
static int ziio_run_trigger(struct iio_trigger *trig, bool run)
{
	struct ziio_state *state;

	rcu_read_lock();
	state = iio_trigger_get_drvdata(trig);
	if (state) {
		WRITE_ONCE(state->trig_runs, run);
		smp_mb(); /* pairs with ziio_ask() */
		if (run && ziio_wants_scan(state))
			irq_work_queue(&state->poll_work);
	}
	rcu_read_unlock();
	return 0;
}

static const struct iio_trigger_ops ziio_trigger_ops = {
	.set_trigger_state = ziio_run_trigger,
	.reenable = ziio_trigger_is_free,
};

static struct device_attribute *ziio_find_attr(struct device *dev, const char *group,
					       const char *name)
{
	const struct attribute_group *const *groups = (const void *)dev->groups;
	struct attribute **attr;

	for (; groups && *groups; groups++) {
		if (!(*groups)->name || strcmp((*groups)->name, group))
			continue;
		for (attr = (*groups)->attrs; attr && *attr; attr++)
			if (!strcmp((*attr)->name, name))
				return container_of(*attr, struct device_attribute, attr);
	}
	return NULL;
}

/*
 * Only the function behind the sysfs file lets the device and the trigger refuse each
 * other. It accepts any name: an unknown one is no error, and leaves the device without a
 * trigger.
 */
static int ziio_set_trigger(struct iio_dev *indio, const char *name)
{
	struct device_attribute *attr = ziio_find_attr(&indio->dev, "trigger",
						       "current_trigger");
	ssize_t ret;

	if (!attr || !attr->store)
		return -EOPNOTSUPP;
	ret = attr->store(&indio->dev, attr, name, strlen(name));
	return min_t(ssize_t, ret, 0);
}

static const char *ziio_trigger_name(const struct iio_dev *indio)
{
	return indio->trig ? indio->trig->name : "";
}

static bool ziio_has_trigger(const struct iio_dev *indio, const char *name)
{
	return !strcmp(ziio_trigger_name(indio), name);
}

/* The caller holds the lock. After an error the device may have no trigger. */
static int ziio_change_trigger(struct ziio_state *state, const char *name)
{
	struct iio_dev *indio = state->indio;
	char *former;
	int ret;

	if (state->is_gone)
		return -ENODEV;
	if (ziio_has_trigger(indio, name))
		return 0;
	former = kstrdup(ziio_trigger_name(indio), GFP_KERNEL);
	if (!former)
		return -ENOMEM;
	ret = ziio_set_trigger(indio, name);
	if (!ret && !ziio_has_trigger(indio, name))
		ret = -ENOENT;
	if (ziio_has_trigger(indio, former))
		kfree(former);
	else
		state->former = former;
	return ret;
}

static int ziio_use_trigger(struct ziio_state *state, const char *name)
{
	int ret;

	mutex_lock(&state->attach_lock);
	ret = ziio_change_trigger(state, name);
	mutex_unlock(&state->attach_lock);
	if (!ret)
		return 0;
	dev_err(&state->pdev->dev, "%s does not accept the trigger \"%s\": error %d\n",
		dev_name(&state->indio->dev), name, ret);
	ziio_restore_trigger(state);
	return ret;
}

static int ziio_use_own_trigger(struct ziio_state *state)
{
	int ret;

	state->poll_work = IRQ_WORK_INIT_HARD(ziio_poll_trigger);
	timer_setup(&state->retry, ziio_retry_poll, 0);
	state->trig = iio_trigger_alloc(&state->pdev->dev, "zio-%s",
					dev_name(&state->indio->dev));
	if (!state->trig)
		return -ENOMEM;
	state->trig->ops = &ziio_trigger_ops;
	iio_trigger_set_drvdata(state->trig, state);
	ret = iio_trigger_register(state->trig);
	if (ret) {
		iio_trigger_free(state->trig);
		state->trig = NULL;
		return ret;
	}
	ret = ziio_use_trigger(state, state->trig->name);
	if (ret)
		ziio_release_trigger(state);
	return ret;
}

/* Returns true if scans come without a trigger that the user has to choose. */
static bool ziio_runs_alone(const struct iio_dev *indio)
{
	return indio->trig || !(indio->modes & INDIO_BUFFER_TRIGGERED);
}

/**
 * ziio_choose_trigger() - set the trigger of the IIO device
 * @state: the device; ziio_release_trigger() undoes the call
 * @name: an IIO trigger; "zio": the driver's own trigger; empty: the device's current
 *        trigger or, if the device has none and needs one, the driver's
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL for a name in the mode "read"; -ENOENT if there is no such trigger;
 * -EBUSY if other users have enabled a buffer of the device; -EPERM if the trigger cannot be
 * changed; -ENOMEM; or an error of the device's driver.
 */
int ziio_choose_trigger(struct ziio_state *state, const char *name)
{
	if (state->mode == ZIIO_READ && *name) {
		dev_err(&state->pdev->dev, "the mode \"read\" has no IIO trigger: leave it empty\n");
		return -EINVAL;
	}
	if (state->mode == ZIIO_READ || (!*name && ziio_runs_alone(state->indio)))
		return 0;
	if (!*name || !strcmp(name, "zio"))
		return ziio_use_own_trigger(state);
	return ziio_use_trigger(state, name);
}

/**
 * ziio_note_trigger() - find out whether the device makes the scans by its own clock
 * @state: the device, with its trigger; it produces no scan now
 *
 * Context: Process.
 */
void ziio_note_trigger(struct ziio_state *state)
{
	const struct iio_dev *indio = state->indio;
	const struct iio_trigger *trig = indio->trig;

	WRITE_ONCE(state->has_own_clock,
		   !state->trig && (!trig || trig->dev.parent == indio->dev.parent));
}

/**
 * ziio_restore_trigger() - give the device its former trigger
 * @state: the device; it receives no scans, and may already have its former trigger
 *
 * Context: Process, sleeps.
 */
void ziio_restore_trigger(struct ziio_state *state)
{
	mutex_lock(&state->attach_lock);
	if (state->former && ziio_set_trigger(state->indio, state->former))
		dev_warn(&state->pdev->dev,
			 "%s keeps its trigger because other users have enabled a buffer\n",
			 dev_name(&state->indio->dev));
	kfree(state->former);
	state->former = NULL;
	mutex_unlock(&state->attach_lock);
}

/**
 * ziio_release_trigger() - undo ziio_choose_trigger()
 * @state: the device; it receives no scans
 *
 * Context: Process, sleeps. Not from a notifier of the IIO bus, which it calls.
 */
void ziio_release_trigger(struct ziio_state *state)
{
	if (state->trig) {
		WRITE_ONCE(state->trig_runs, false);
		iio_trigger_set_drvdata(state->trig, NULL);
		synchronize_rcu();
		timer_delete_sync(&state->retry);
		irq_work_sync(&state->poll_work);
		/* From here on, no function of the trigger uses @state. */
	}
	ziio_restore_trigger(state);
	if (!state->trig)
		return;
	iio_trigger_unregister(state->trig);
	iio_trigger_free(state->trig);
	state->trig = NULL;
}
