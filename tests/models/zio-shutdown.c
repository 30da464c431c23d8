// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-shutdown.c: what the kernel rarely calls of the driver of a PCI device
 *
 * "insmod zio-shutdown.ko device=0000:00:02.0" calls shutdown() for this device. The kernel
 * does so for each device before a reboot or a kexec. With "what=error" it calls the error
 * handlers as for an error that a reset of the slot mends. With "what=failure" it calls
 * them as for one that nothing mends.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "its name on the PCI bus");

static char *what = "shutdown";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "shutdown, error, or failure");

static int shut_down(struct device *dev)
{
	if (!dev->bus->shutdown)
		return -EOPNOTSUPP;
	dev->bus->shutdown(dev);
	return 0;
}

static int fail(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	pci_ers_result_t result;

	result = handlers->error_detected(pdev, pci_channel_io_perm_failure);
	return result == PCI_ERS_RESULT_DISCONNECT ? 0 : -EIO;
}

static int reset_slot(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	if (handlers->error_detected(pdev, pci_channel_io_frozen) !=
	    PCI_ERS_RESULT_NEED_RESET)
		return -EIO;
	if (handlers->slot_reset(pdev) != PCI_ERS_RESULT_RECOVERED)
		return -EIO;
	handlers->resume(pdev);
	return 0;
}

static int call(struct device *dev)
{
	const struct pci_error_handlers *handlers;

	if (!dev->driver)
		return -ENODEV;
	if (!strcmp(what, "shutdown"))
		return shut_down(dev);
	handlers = to_pci_driver(dev->driver)->err_handler;
	if (!handlers)
		return -EOPNOTSUPP;
	return strcmp(what, "error") ? fail(to_pci_dev(dev), handlers) :
				       reset_slot(to_pci_dev(dev), handlers);
}

static int __init shutdown_init(void)
{
	struct device *dev = bus_find_device_by_name(&pci_bus_type, NULL,
						     device ?: "");
	int ret;

	if (!dev)
		return -ENODEV;
	device_lock(dev);
	ret = call(dev);
	device_unlock(dev);
	put_device(dev);
	return ret;
}

static void __exit shutdown_exit(void)
{
}

module_init(shutdown_init);
module_exit(shutdown_exit);
MODULE_DESCRIPTION("Tests of ZIO: shutdown and errors of one device");
MODULE_LICENSE("GPL");
