// SPDX-License-Identifier: GPL-2.0-only
/*
 * platform.c: drivers without hardware: a module parameter has the number of their devices,
 * and users make more by mkdir
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/zio-config.h>

#include "compat.h"

static void zio_config_remove_devices(struct zio_config_type *type)
{
	while (type->n_devices)
		platform_device_unregister(type->devices[--type->n_devices]);
	kvfree(type->devices);
	type->devices = NULL;
}

static int zio_config_add_devices(struct zio_config_type *type, unsigned int n)
{
	const char *name = type->driver->driver.name;
	struct platform_device *pdev;

	type->devices = kvcalloc(n, sizeof(*type->devices), GFP_KERNEL);
	if (!type->devices)
		return -ENOMEM;
	while (type->n_devices < n) {
		pdev = platform_device_register_simple(name, type->n_devices,
						       NULL, 0);
		if (IS_ERR(pdev))
			return PTR_ERR(pdev);
		type->devices[type->n_devices++] = pdev;
	}
	return 0;
}

/**
 * zio_config_driver_register() - register a driver, its devices and its directory
 * @type: describes the driver; stays valid until it is unregistered
 * @n_devices: number of platform devices to register now, numbered from 0
 *
 * Context: Process, sleeps; for module_init().
 *
 * Return: 0; -ENOMEM, -EEXIST or -EINVAL, with everything undone.
 */
int zio_config_driver_register(struct zio_config_type *type,
			       unsigned int n_devices)
{
	int ret = zio_platform_driver_register(type->driver, type->owner);

	if (ret)
		return ret;
	ret = zio_config_add_devices(type, n_devices) ?: zio_config_type_register(type);
	if (ret) {
		zio_config_remove_devices(type);
		platform_driver_unregister(type->driver);
	}
	return ret;
}
EXPORT_SYMBOL_GPL(zio_config_driver_register);

/**
 * zio_config_driver_unregister() - undo zio_config_driver_register()
 * @type: a type of which users have no device
 *
 * Context: Process, sleeps.
 */
void zio_config_driver_unregister(struct zio_config_type *type)
{
	zio_config_type_unregister(type);
	zio_config_remove_devices(type);
	platform_driver_unregister(type->driver);
}
EXPORT_SYMBOL_GPL(zio_config_driver_unregister);
