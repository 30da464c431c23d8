// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-shutdown.c: call shutdown() of the driver of one PCI device
 *
 * "insmod zio-shutdown.ko device=0000:00:02.0" calls it for this device. The kernel does so
 * for each device before a reboot or a kexec.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "its name on the PCI bus");

static int shut_down(struct device *dev)
{
	int ret = -EOPNOTSUPP;

	device_lock(dev);
	if (dev->driver && dev->bus->shutdown) {
		dev->bus->shutdown(dev);
		ret = 0;
	}
	device_unlock(dev);
	return ret;
}

static int __init shutdown_init(void)
{
	struct device *dev = bus_find_device_by_name(&pci_bus_type, NULL,
						     device ?: "");
	int ret;

	if (!dev)
		return -ENODEV;
	ret = shut_down(dev);
	put_device(dev);
	return ret;
}

static void __exit shutdown_exit(void)
{
}

module_init(shutdown_init);
module_exit(shutdown_exit);
MODULE_DESCRIPTION("Tests of ZIO: the shutdown of one device");
MODULE_LICENSE("GPL");
