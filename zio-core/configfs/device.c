// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c: devices that users make by mkdir in /sys/kernel/config/zio/devices
 *
 * A user makes a directory, sets its attributes, and writes 1 to "live". This registers a
 * platform device with the attributes as properties, and the driver's probe() runs. The
 * device is unplugged when the user writes 0 to "live", or removes the directory.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/zio-config.h>

#include "config/config.h"
#include "configfs/internal.h"

/* A device, or a device to be. @id and @value are the properties of its platform device. */
struct zio_config_device {
	const struct zio_config_type *type;
	struct mutex lock; /* the fields below */
	struct platform_device *pdev;
	u32 id; /* or ZIO_ID_AUTO */
	u32 value[ZIO_MAX_CONFIG_ATTRS];
	char *text[ZIO_MAX_CONFIG_ATTRS];
};

static ssize_t dev_show(void *object, unsigned int index, char *page)
{
	struct zio_config_device *cdev = object;
	const struct zio_attr_desc *attr = &cdev->type->attrs[index];
	u32 value = READ_ONCE(cdev->value[index]);
	ssize_t len;

	if (attr->words)
		return sysfs_emit(page, "%s\n", attr->words[value]);
	if (!attr->text)
		return sysfs_emit(page, "%u\n", value);
	mutex_lock(&cdev->lock);
	len = sysfs_emit(page, "%s\n", cdev->text[index] ?: "");
	mutex_unlock(&cdev->lock);
	return len;
}

static int store_text(struct zio_config_device *cdev, unsigned int index,
		      const char *text)
{
	size_t len = strcspn(text, "\n");
	char *copy;
	int ret = 0;

	if (len >= ZIO_CONFIG_TEXT_SIZE)
		return -E2BIG;
	copy = kmemdup_nul(text, len, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	mutex_lock(&cdev->lock);
	if (cdev->pdev)
		ret = -EBUSY;
	else
		swap(cdev->text[index], copy);
	mutex_unlock(&cdev->lock);
	kfree(copy);
	return ret;
}

static int set_value(struct zio_config_device *cdev, u32 *place, u32 value)
{
	int ret = 0;

	mutex_lock(&cdev->lock);
	if (cdev->pdev)
		ret = -EBUSY;
	else
		WRITE_ONCE(*place, value);
	mutex_unlock(&cdev->lock);
	return ret;
}

static int dev_store(void *object, unsigned int index, const char *text)
{
	struct zio_config_device *cdev = object;
	const struct zio_attr_desc *attr = &cdev->type->attrs[index];
	struct zio_limits limits = zio_attr_limits(attr);
	u64 value;

	if (attr->raw_io && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (attr->text)
		return store_text(cdev, index, text);
	return zio_limits_parse(&limits, text, &value) ?:
		set_value(cdev, &cdev->value[index], value);
}

static ssize_t dev_show_id(void *object, char *page)
{
	const struct zio_config_device *cdev = object;
	int id = READ_ONCE(cdev->id);

	return id == ZIO_ID_AUTO ? sysfs_emit(page, "auto\n") : sysfs_emit(page, "%d\n", id);
}

static const struct zio_limits id_limits = { .text = "<auto, or 0 to 65535>" };

static int dev_store_id(void *object, const char *text)
{
	struct zio_config_device *cdev = object;
	bool is_auto = sysfs_streq(text, "auto");
	u16 id;
	int ret = is_auto ? 0 : kstrtou16(text, 0, &id);

	return ret ?: set_value(cdev, &cdev->id, is_auto ? ZIO_ID_AUTO : id);
}

static int is_zio_device(struct device *dev, ZIO_MATCH_CONST void *data)
{
	return dev->bus == &zio_bus;
}

/* Shows the name in /sys/bus/zio/devices; nothing while the device is not live. */
static ssize_t dev_show_name(void *object, char *page)
{
	struct zio_config_device *cdev = object;
	struct device *dev = NULL;
	ssize_t len = 0;

	mutex_lock(&cdev->lock);
	if (cdev->pdev)
		dev = device_find_child(&cdev->pdev->dev, NULL, is_zio_device);
	mutex_unlock(&cdev->lock);
	if (dev)
		len = sysfs_emit(page, "%s\n", dev_name(dev));
	put_device(dev);
	return len;
}

static ssize_t dev_show_live(void *object, char *page)
{
	const struct zio_config_device *cdev = object;

	return sysfs_emit(page, "%d\n", !!READ_ONCE(cdev->pdev));
}

static int plug(struct zio_config_device *cdev)
{
	struct property_entry prop[ZIO_MAX_CONFIG_ATTRS + 2] = {
		PROPERTY_ENTRY_U32(ZIO_PROPERTY_ID, cdev->id) };
	struct platform_device_info info = {
		.name = cdev->type->driver->driver.name,
		.id = PLATFORM_DEVID_AUTO,
		.properties = prop,
	};
	struct platform_device *pdev;
	unsigned int i;
	int ret = 0;

	if (cdev->pdev)
		return 0;
	for (i = 0; i < cdev->type->n_attrs; i++) {
		const char *name = cdev->type->attrs[i].name;

		if (cdev->type->attrs[i].text)
			prop[i + 1] = PROPERTY_ENTRY_STRING(name, cdev->text[i] ?: "");
		else
			prop[i + 1] = PROPERTY_ENTRY_U32(name, cdev->value[i]);
	}
	pdev = platform_device_register_full(&info);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	/* Registration does not return the error of probe(). Attaching once more returns it. */
	if (!READ_ONCE(pdev->dev.driver))
		ret = device_driver_attach(&cdev->type->driver->driver, &pdev->dev);
	if (ret == -EBUSY && READ_ONCE(pdev->dev.driver))
		ret = 0;
	if (ret)
		platform_device_unregister(pdev);
	else
		WRITE_ONCE(cdev->pdev, pdev);
	return ret;
}

static void unplug(struct zio_config_device *cdev)
{
	if (cdev->pdev)
		platform_device_unregister(cdev->pdev);
	WRITE_ONCE(cdev->pdev, NULL);
}

static int dev_store_live(void *object, const char *text)
{
	struct zio_config_device *cdev = object;
	bool live;
	int ret = zio_attr_parse_bool(text, &live);

	if (ret)
		return ret;
	mutex_lock(&cdev->lock);
	if (live)
		ret = plug(cdev);
	else
		unplug(cdev);
	mutex_unlock(&cdev->lock);
	return ret;
}

static const struct zio_config_file dev_files[] = {
	{ "live", dev_show_live, dev_store_live, &zio_limits_bool },
	{ "id", dev_show_id, dev_store_id, &id_limits },
	{ "name", dev_show_name },
};

static_assert(ARRAY_SIZE(dev_files) + ZIO_MAX_CONFIG_ATTRS <= ZIO_SLOTS);

/*
 * rmdir drops the last reference after it has unlocked the subsystem. A module that is
 * being loaded for this device needs the subsystem to make a directory of its own.
 */
static void dev_destroy(void *object)
{
	struct zio_config_device *cdev = object;
	unsigned int i;

	unplug(cdev);
	for (i = 0; i < ZIO_MAX_CONFIG_ATTRS; i++)
		kfree(cdev->text[i]);
	mutex_destroy(&cdev->lock);
	kfree(cdev);
}

static void *dev_create(const void *type, const char *name, struct config_item *item)
{
	struct zio_config_device *cdev = kzalloc(sizeof(*cdev), GFP_KERNEL);
	unsigned int i;

	if (!cdev)
		return ERR_PTR(-ENOMEM);
	mutex_init(&cdev->lock);
	cdev->type = type;
	cdev->id = ZIO_ID_AUTO;
	for (i = 0; i < cdev->type->n_attrs; i++)
		cdev->value[i] = cdev->type->attrs[i].value;
	return cdev;
}

const struct zio_config_ops zio_config_device_ops = {
	.create = dev_create,
	.destroy = dev_destroy,
	.show = dev_show,
	.store = dev_store,
	.files = dev_files,
	.n_files = ARRAY_SIZE(dev_files),
};
