// SPDX-License-Identifier: GPL-2.0-only
/* bus.c: /sys/bus/zio and /sys/zio/devices, where programs find devices */
#include <linux/device.h>
#include <linux/export.h>
#include <linux/sysfs.h>

#include "config/internal.h"

/* /sys/zio/devices: the paths of ZIO 1.x. It keeps a reference to /sys/zio. */
static struct kobject *zio_root_devices;

static ssize_t version_show(ZIO_BUS_CONST struct bus_type *bus, char *page)
{
	return sysfs_emit(page, "%d.%d\n", ZIO_MAJOR_VERSION,
			  ZIO_MINOR_VERSION);
}

static ssize_t available_buffers_show(ZIO_BUS_CONST struct bus_type *bus,
				      char *page)
{
	return zio_buffer_list_types(page, 0);
}

static ssize_t available_triggers_show(ZIO_BUS_CONST struct bus_type *bus,
				       char *page)
{
	return zio_trigger_list_types(page, 0);
}

static BUS_ATTR_RO(version);
static BUS_ATTR_RO(available_buffers);
static BUS_ATTR_RO(available_triggers);

static struct attribute *zio_bus_attrs[] = {
	&bus_attr_version.attr,
	&bus_attr_available_buffers.attr,
	&bus_attr_available_triggers.attr,
	NULL
};
ATTRIBUTE_GROUPS(zio_bus);

ZIO_BUS_TYPE_CONST struct bus_type zio_bus = {
	.name = "zio",
	.bus_groups = zio_bus_groups,
};
EXPORT_SYMBOL_GPL(zio_bus);

/* Registers the bus, and creates /sys/zio/devices. */
int zio_bus_init(void)
{
	int ret = bus_register(&zio_bus);
	struct kobject *root;

	if (ret)
		return ret;
	root = kobject_create_and_add("zio", NULL);
	if (root)
		zio_root_devices = kobject_create_and_add("devices", root);
	kobject_put(root);
	if (zio_root_devices)
		return 0;
	bus_unregister(&zio_bus);
	return -ENOMEM;
}

/* Undoes zio_bus_init(). */
void zio_bus_exit(void)
{
	kobject_put(zio_root_devices);
	bus_unregister(&zio_bus);
}

/* Creates the links to a device in /sys/zio/devices. The device works without them. */
void zio_bus_link(struct zio_device *zdev)
{
	struct kobject *kobj = &zdev->dev.kobj;
	int ret = sysfs_create_link(zio_root_devices, kobj, dev_name(&zdev->dev));

	if (!ret && !zdev->id)
		ret = sysfs_create_link(zio_root_devices, kobj, zdev->name);
	if (ret)
		dev_warn(&zdev->dev, "cannot create the links in /sys/zio: %d\n", ret);
}

/* Undoes zio_bus_link(). */
void zio_bus_unlink(struct zio_device *zdev)
{
	if (!zdev->id)
		sysfs_remove_link(zio_root_devices, zdev->name);
	sysfs_remove_link(zio_root_devices, dev_name(&zdev->dev));
}

static int link_set(struct zio_cset_core *cset)
{
	const char *name = cset->desc->name;

	if (!name)
		return 0;
	if (!*name || *name == '.' || strchr(name, '/'))
		return -EINVAL;
	return sysfs_create_link_nowarn(&cset->zdev->dev.kobj, &cset->kobj, name);
}

/*
 * Links the sets under the names that their driver gives them, next to csetN as in ZIO 1.x.
 * If an earlier set or another file has the name, the link is missing and the set works
 * without it. The links go with the directory. All other files of @zdev exist. Context:
 * Process, sleeps.
 */
void zio_device_link_sets(struct zio_device *zdev)
{
	unsigned int i, n = 0;

	for (i = 0; i < zdev->desc->n_cset; i++)
		n += link_set(zdev->cset[i]) != 0;
	if (n)
		dev_info_ratelimited(&zdev->dev,
				     "%u sets have no link: their names are taken, or no file names\n",
				     n);
}
