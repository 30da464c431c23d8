// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs-device.c: the files of a device: the attributes of its driver
 *
 * The directory belongs to the driver core, which has operations of its own for it. A file
 * there passes on to the one of the attribute. The files come when all sets are there, and
 * go before the first of them: no operation of the driver sees a device in part.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "config/internal.h"

struct zio_device_files {
	struct attribute_group group;
	struct attribute **list; /* of the group */
	struct device_attribute file[]; /* of zdev->attrs */
};

static struct attribute *find_attr(struct device *dev, struct device_attribute *attr)
{
	struct zio_device *zdev = to_zio_device(dev);

	return &zdev->attrs.attr[attr - zdev->files->file].file.attr;
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

static void fill_files(struct zio_device_files *files, const struct zio_attr_set *set)
{
	struct device_attribute *file = files->file;
	unsigned int i;

	for (i = 0; i < set->n; i++, file++) {
		sysfs_attr_init(&file->attr);
		file->attr.name = set->attr[i].desc->name;
		file->attr.mode = set->attr[i].desc->mode;
		file->show = file->attr.mode & 0444 ? device_file_show : NULL;
		file->store = file->attr.mode & 0222 ? device_file_store : NULL;
		files->list[i] = &file->attr;
	}
	files->list[i] = &accepted.attr;
	files->group.attrs = files->list;
}

static void free_files(struct zio_device *zdev)
{
	if (zdev->files)
		kfree(zdev->files->list);
	kfree(zdev->files);
	zdev->files = NULL;
}

static int alloc_files(struct zio_device *zdev)
{
	unsigned int n = zdev->attrs.n;

	zdev->files = kzalloc(struct_size(zdev->files, file, n), GFP_KERNEL);
	if (!zdev->files)
		return -ENOMEM;
	zdev->files->list = kcalloc(n + 2, sizeof(*zdev->files->list), GFP_KERNEL);
	return zdev->files->list ? 0 : -ENOMEM;
}

/**
 * zio_device_add_files() - create the files of a device that has attributes
 * @zdev: the device, with all its sets
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -ENOMEM; -EEXIST if two files have one name; or an error of sysfs.
 */
int zio_device_add_files(struct zio_device *zdev)
{
	int ret;

	if (!zdev->attrs.n)
		return 0;
	ret = alloc_files(zdev);
	if (!ret) {
		fill_files(zdev->files, &zdev->attrs);
		ret = sysfs_create_group(&zdev->dev.kobj, &zdev->files->group);
	}
	if (ret)
		free_files(zdev);
	return ret;
}

/**
 * zio_device_remove_files() - remove the files of a device
 * @zdev: the device
 *
 * Waits for the users that are in one of them. The core does not call the driver's
 * operations for the device any more.
 *
 * Context: Process, sleeps.
 */
void zio_device_remove_files(struct zio_device *zdev)
{
	if (!zdev->files)
		return;
	sysfs_remove_group(&zdev->dev.kobj, &zdev->files->group);
	free_files(zdev);
}
