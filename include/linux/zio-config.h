/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-config.h: devices that users create with mkdir, for drivers without hardware
 *
 * The driver is a platform driver. Its probe() reads the properties of the device. See
 * drivers/zero/main.c.
 */
#ifndef _LINUX_ZIO_CONFIG_H
#define _LINUX_ZIO_CONFIG_H

#include <linux/property.h>
#include <linux/types.h>
#include <linux/zio-attr.h>

struct module;
struct platform_device;
struct platform_driver;
struct zio_config_group;

#define ZIO_MAX_CONFIG_ATTRS	10
#define ZIO_CONFIG_TEXT_SIZE	512	/* with the terminating zero */

/**
 * struct zio_config_type - a kind of device that users create with mkdir
 * @name: name of the directory
 * @owner: THIS_MODULE; the core holds it while a device exists
 * @driver: the driver of the devices
 * @attrs: attributes beside "live" and "id"
 * @n_attrs: number of @attrs, at most ZIO_MAX_CONFIG_ATTRS
 * @group: for the core's use
 * @devices: for the core's use
 * @n_devices: for the core's use
 *
 * Each attribute is a file with the mode 0644, and a property of the device with the same
 * name. The property of an attribute with words is the index of the word. A text has less
 * than ZIO_CONFIG_TEXT_SIZE bytes, and is empty at first.
 */
struct zio_config_type {
	const char *name;
	struct module *owner;
	struct platform_driver *driver;
	const struct zio_attr_desc *attrs;
	unsigned int n_attrs;
	struct zio_config_group *group;
	struct platform_device **devices;
	unsigned int n_devices;
};

int zio_config_type_register(struct zio_config_type *type);
void zio_config_type_unregister(struct zio_config_type *type);

int zio_config_driver_register(struct zio_config_type *type,
			       unsigned int n_devices);
void zio_config_driver_unregister(struct zio_config_type *type);

#define ZIO_PROPERTY_ID	"zio-id"

/*
 * For probe(): an attribute of the device, or @fallback if it was not created in configfs.
 * The value of an attribute with choices is the index of the word. A text lives as long as
 * the device, and is empty unless the user has set one.
 */
static inline u32 zio_config_value(struct device *dev, const char *name, u32 fallback)
{
	device_property_read_u32(dev, name, &fallback);
	return fallback;
}

static inline const char *zio_config_text(struct device *dev, const char *name,
					  const char *fallback)
{
	device_property_read_string(dev, name, &fallback);
	return fallback;
}

/* The number for devm_zio_device_register(), or ZIO_ID_AUTO */
static inline int zio_config_id(struct device *dev, int fallback)
{
	return zio_config_value(dev, ZIO_PROPERTY_ID, fallback);
}

#endif /* _LINUX_ZIO_CONFIG_H */
