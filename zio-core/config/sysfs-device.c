// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-device.c: the files of a device: the attributes of its driver
 *
 * The directory belongs to the driver core, which has its own operations for it. A file
 * there forwards to the file of its attribute. The files are added after all sets and
 * removed before the first of them, so no operation of the driver sees a partial device.
 * Their memory is freed with the device.
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
 * Creates the files of a device with attributes. All its sets exist. Context: Process,
 * sleeps. Returns 0; -ENOMEM; -EEXIST if two files have one name; or an error of sysfs.
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
 * Waits for users that are in one of the files. Afterwards the core no longer calls the
 * driver's operations for the device.
 */
void zio_device_remove_files(struct zio_device *zdev)
{
	if (zdev->files)
		sysfs_remove_files(&zdev->dev.kobj, zdev->files);
}
