// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-device.c: the files of a device: the attributes of its driver
 *
 * The directory belongs to the driver core, which has operations of its own for it. A file
 * there passes on to the one of the attribute. The files come when all sets are there, and
 * go before the first of them: no operation of the driver sees a device in part. Their memory
 * goes with the device.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

static struct attribute *find_attr(struct device *dev, struct device_attribute *attr)
{
	struct zio_device *zdev = to_zio_device(dev);

	return &zdev->attrs.attr[attr - zdev->file].file.attr;
}

static ssize_t device_file_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return zio_file_ops.show(&dev->kobj, find_attr(dev, attr), page);
}

static ssize_t device_file_store(struct device *dev, struct device_attribute *attr,
				 const char *text, size_t count)
{
	return zio_file_ops.store(&dev->kobj, find_attr(dev, attr), text, count);
}

static struct device_attribute accepted =
	__ATTR(accepted, 0444, zio_device_show_accepted, NULL);

/*
 * Creates the files of a device that has attributes. @zdev: the device, with all its sets. Context:
 * Process, sleeps. Returns 0; -ENOMEM; -EEXIST if two files have one name; or an error of sysfs.
 */
int zio_device_add_files(struct zio_device *zdev)
{
	const struct zio_attr_set *set = &zdev->attrs;
	struct device_attribute *file;
	unsigned int i;

	if (!set->n)
		return 0;
	file = devm_kcalloc(&zdev->dev, set->n, sizeof(*file), GFP_KERNEL);
	zdev->files = devm_kcalloc(&zdev->dev, set->n + 2, sizeof(*zdev->files), GFP_KERNEL);
	if (!file || !zdev->files)
		return -ENOMEM;
	zdev->file = file;
	for (i = 0; i < set->n; i++, file++) {
		sysfs_attr_init(&file->attr);
		file->attr.name = set->attr[i].desc->name;
		file->attr.mode = set->attr[i].desc->mode;
		file->show = file->attr.mode & 0444 ? device_file_show : NULL;
		file->store = file->attr.mode & 0222 ? device_file_store : NULL;
		zdev->files[i] = &file->attr;
	}
	zdev->files[i] = &accepted.attr;
	return sysfs_create_files(&zdev->dev.kobj, zdev->files);
}

/*
 * Waits for the users that are in one of the files. The core does not call the driver's
 * operations for the device any more.
 */
void zio_device_remove_files(struct zio_device *zdev)
{
	if (zdev->files)
		sysfs_remove_files(&zdev->dev.kobj, zdev->files);
}
