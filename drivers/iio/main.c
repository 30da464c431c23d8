// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-iio: devices of the IIO framework as ZIO devices
 *
 * The driver attaches its own buffer to an IIO device and stores each scan in the blocks of
 * one or more channel sets. Or, in the mode "read", it reads the channels itself. The user
 * names the IIO device ("iio") and, optionally, some of its channels and a trigger. When the
 * IIO device goes away, the ZIO device goes first.
 *
 *   main.c     devices and their removal
 *   layout.c   channels and channel sets
 *   names.c    names of channels
 *   scale.c    units, scales and offsets
 *   set.c      from scans to blocks
 *   buffer.c   the buffer
 *   trigger.c  IIO triggers
 *   read.c     scans of devices without a buffer
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/zio-config.h>

#include "iio.h"

static char *iio = "";
module_param(iio, charp, 0444);
MODULE_PARM_DESC(iio, "IIO device for a first ZIO device: its name, or iio:deviceN");

/* All devices that have an IIO device, or are about to get one */
static LIST_HEAD(ziio_devices);
static DEFINE_MUTEX(ziio_devices_lock);

static bool ziio_equals(const char *text, const char *name)
{
	return text && !strcmp(text, name);
}

static int ziio_has_name(struct device *dev, const void *name)
{
	struct iio_dev *indio;

	/* The bus also has triggers. */
	if (strncmp(dev_name(dev), "iio:device", strlen("iio:device")))
		return 0;
	indio = dev_to_iio_dev(dev);
	return ziio_equals(dev_name(dev), name) || ziio_equals(indio->name, name) ||
		ziio_equals(indio->label, name) ||
		(dev->parent && ziio_equals(dev_name(dev->parent), name));
}

/* The caller puts the device. */
static struct iio_dev *ziio_find_iio(struct device *dev, const char *name)
{
	struct device *found, *other;

	if (!*name)
		return ERR_PTR(-EINVAL);
	found = bus_find_device(&iio_bus_type, NULL, name, ziio_has_name);
	if (!found) {
		dev_err(dev, "no IIO device \"%s\": see /sys/bus/iio/devices\n",
			name);
		return ERR_PTR(-ENODEV);
	}
	other = bus_find_device(&iio_bus_type, found, name, ziio_has_name);
	if (!other)
		return dev_to_iio_dev(found);
	dev_err(dev, "%s and %s are both called \"%s\"\n", dev_name(found),
		dev_name(other), name);
	put_device(found);
	put_device(other);
	return ERR_PTR(-ENOTUNIQ);
}

static bool ziio_is_taken(const struct iio_dev *indio)
{
	const struct ziio_state *state;

	list_for_each_entry(state, &ziio_devices, node)
		if (state->indio == indio)
			return true;
	return false;
}

/*
 * The lock makes the search and the entry in the list one step. The notifier is called once
 * more after the IIO device can no longer be found, so it sees every entry.
 */
static int ziio_take_iio(struct ziio_state *state, const char *name)
{
	struct iio_dev *indio;
	int ret = 0;

	mutex_lock(&ziio_devices_lock);
	indio = ziio_find_iio(&state->pdev->dev, name);
	if (IS_ERR(indio)) {
		ret = PTR_ERR(indio);
	} else if (ziio_is_taken(indio)) {
		dev_err(&state->pdev->dev, "%s already has a ZIO device\n",
			dev_name(&indio->dev));
		put_device(&indio->dev);
		ret = -EBUSY;
	} else {
		state->indio = indio;
		list_add(&state->node, &ziio_devices);
	}
	mutex_unlock(&ziio_devices_lock);
	return ret;
}

static void ziio_untake_iio(void *data)
{
	struct ziio_state *state = data;

	mutex_lock(&ziio_devices_lock);
	list_del(&state->node);
	mutex_unlock(&ziio_devices_lock);
}

static void ziio_put_iio(void *data)
{
	struct ziio_state *state = data;

	put_device(&state->indio->dev);
}

static struct workqueue_struct *ziio_workqueue;

struct ziio_end {
	struct work_struct work;
	struct device *pdev;
};

static void ziio_unbind(struct work_struct *work)
{
	struct ziio_end *end = container_of(work, struct ziio_end, work);

	device_release_driver(end->pdev);
	put_device(end->pdev);
	kfree(end);
}

/*
 * Stops using the IIO device at once. A work item does the rest: it unregisters a trigger,
 * which calls the notifiers of the IIO bus again.
 */
static void ziio_end_use(struct ziio_state *state)
{
	struct ziio_end *end;

	mutex_lock(&state->attach_lock);
	state->is_gone = true;
	mutex_unlock(&state->attach_lock);
	ziio_detach(state);
	ziio_restore_trigger(state);
	end = kmalloc(sizeof(*end), GFP_KERNEL | __GFP_NOFAIL);
	end->pdev = get_device(&state->pdev->dev);
	INIT_WORK(&end->work, ziio_unbind);
	queue_work(ziio_workqueue, &end->work);
}

/* An IIO device is going away. Its driver frees nothing before this function returns. */
static int ziio_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	struct ziio_state *state;
	struct device *dev = data;

	if (event != BUS_NOTIFY_DEL_DEVICE && event != BUS_NOTIFY_REMOVED_DEVICE)
		return NOTIFY_DONE;
	mutex_lock(&ziio_devices_lock);
	list_for_each_entry(state, &ziio_devices, node)
		if (&state->indio->dev == dev && !state->is_gone)
			ziio_end_use(state);
	mutex_unlock(&ziio_devices_lock);
	return NOTIFY_OK;
}

static struct notifier_block ziio_notifier = { .notifier_call = ziio_notify };

static ssize_t iio_channels_show(struct device *dev, struct device_attribute *attr,
				 char *page)
{
	struct ziio_state *state = dev_get_drvdata(dev->parent);
	unsigned int i, index[2] = { };
	int len = 0;

	for (index[0] = 0; index[0] < state->n_set; index[0]++) {
		index[1] = 0;
		for (i = 0; i < state->n_chan; i++)
			if (state->chan[i].set == index[0])
				len += sysfs_emit_at(page, len, "%u %u %s\n", index[0],
						     index[1]++, state->chan[i].name);
	}
	return len;
}
static DEVICE_ATTR_RO(iio_channels);

/* If the driver has made an IIO trigger, the platform device has another child. */
static int ziio_get_zio_child(struct device *dev, void *found)
{
	if (dev->bus == &iio_bus_type)
		return 0;
	*(struct device **)found = get_device(dev);
	return 1;
}

/* The core removes both files with the device. */
static int ziio_add_files(struct ziio_state *state)
{
	struct device *zdev = NULL;
	int ret;

	device_for_each_child(&state->pdev->dev, &zdev, ziio_get_zio_child);
	if (!zdev)
		return -ENODEV;
	ret = device_create_file(zdev, &dev_attr_iio_channels);
	if (!ret)
		ret = sysfs_create_link(&zdev->kobj, &state->indio->dev.kobj, "iio");
	put_device(zdev);
	return ret;
}

static void ziio_describe_device(struct ziio_state *state)
{
	struct device *dev = &state->pdev->dev;
	unsigned int i;

	for (i = 0; i < state->n_set; i++) {
		state->cset[i].trigger = state->trig || state->mode == ZIIO_READ ?
			"user" : "transparent";
		state->cset[i].nsamples = zio_config_value(dev, "nsamples", 0);
	}
	state->desc.name = "ziio";
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	state->desc.n_cset = state->n_set;
}

static void ziio_main_release_trigger(void *data)
{
	ziio_release_trigger(data);
}

static void ziio_main_detach(void *data)
{
	ziio_detach(data);
}

/* devm undoes the steps in reverse order, so the scans stop first. */
static int ziio_start(struct ziio_state *state)
{
	struct device *dev = &state->pdev->dev;
	struct zio_device *zdev;
	int ret = ziio_choose_trigger(state, zio_config_text(dev, "trigger", ""));

	if (ret)
		return ret;
	ret = devm_add_action_or_reset(dev, ziio_main_release_trigger, state);
	if (ret)
		return ret;
	ziio_note_trigger(state);
	ziio_describe_device(state);
	zdev = devm_zio_device_register(dev, &state->desc, zio_config_id(dev, ZIO_ID_AUTO),
					state);
	if (IS_ERR(zdev))
		return PTR_ERR(zdev);
	ret = ziio_add_files(state);
	if (ret || state->mode == ZIIO_READ)
		return ret;
	ret = ziio_attach(state);
	return ret ?: devm_add_action_or_reset(dev, ziio_main_detach, state);
}

static int ziio_prepare(struct ziio_state *state)
{
	struct device *dev = &state->pdev->dev;
	int ret = ziio_take_iio(state, zio_config_text(dev, "iio", iio));

	if (ret)
		return ret;
	ret = devm_add_action_or_reset(dev, ziio_put_iio, state);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(dev, ziio_untake_iio, state);
	if (!ret)
		ret = ziio_find_channels(state, zio_config_text(dev, "channels", ""));
	return ret ?: ziio_make_sets(state);
}

static int ziio_probe(struct platform_device *pdev)
{
	struct ziio_state *state;

	state = devm_kzalloc(&pdev->dev, sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->pdev = pdev;
	state->mode = zio_config_value(&pdev->dev, "mode", ZIIO_INTERLEAVED);
	mutex_init(&state->attach_lock);
	mutex_init(&state->finish_lock);
	platform_set_drvdata(pdev, state);
	return ziio_prepare(state) ?: ziio_start(state);
}

static struct platform_driver ziio_driver = {
	.driver.name = "zio-iio",
	.probe = ziio_probe,
};

static const char *const ziio_modes[] = {
	[ZIIO_INTERLEAVED] = "interleaved",
	[ZIIO_SEPARATE] = "separate",
	[ZIIO_READ] = "read",
	NULL
};

static const struct zio_attr_desc ziio_config_attrs[] = {
	{ .name = "iio", .mode = 0644, .text = "<text>" },
	{ .name = "channels", .mode = 0644, .text = "<text>" },
	{ .name = "trigger", .mode = 0644, .text = "<text>" },
	{ .name = "mode", .mode = 0644, .words = ziio_modes },
	{ .name = "nsamples", .mode = 0644, .value = 16, .min = 1, .max = BIT(24) },
};

static struct zio_config_type ziio_config = {
	.name = "ziio",
	.owner = THIS_MODULE,
	.driver = &ziio_driver,
	.attrs = ziio_config_attrs,
	.n_attrs = ARRAY_SIZE(ziio_config_attrs),
};

/* If the parameter names an IIO device, a ZIO device is made for it. */
static int __init ziio_init(void)
{
	int ret;

	ziio_workqueue = alloc_workqueue("zio-iio", WQ_UNBOUND, 0);
	if (!ziio_workqueue)
		return -ENOMEM;
	ret = bus_register_notifier(&iio_bus_type, &ziio_notifier);
	if (ret)
		goto err_notifier;
	ret = zio_config_driver_register(&ziio_config, !!*iio);
	if (ret)
		goto err_driver;
	return 0;

err_driver:
	bus_unregister_notifier(&iio_bus_type, &ziio_notifier);
err_notifier:
	destroy_workqueue(ziio_workqueue);
	return ret;
}

static void __exit ziio_exit(void)
{
	zio_config_driver_unregister(&ziio_config);
	bus_unregister_notifier(&iio_bus_type, &ziio_notifier);
	destroy_workqueue(ziio_workqueue);
}

module_init(ziio_init);
module_exit(ziio_exit);
MODULE_DESCRIPTION("ZIO: devices of the IIO framework");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
