// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c: the files of sets, channels, buffers and triggers in sysfs
 *
 * A replacement of a trigger or of the buffers removes directories after it has unlocked
 * cset->mutex. So a write looks whether its object is still in use.
 */
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "config/internal.h"

#define to_kind(_kobj)	container_of((_kobj)->ktype, struct zio_kind, ktype)
#define to_file(_attr)	container_of(_attr, struct zio_file, attr)

/* Accepts 0 and 1 only, so that a typing error switches nothing. */
int zio_attr_parse_bool(const char *text, bool *value)
{
	u32 number;
	int ret = kstrtou32(text, 0, &number);

	if (ret)
		return ret;
	if (number > 1)
		return -EINVAL;
	*value = number;
	return 0;
}

/* Returns the set to which a directory belongs. A file of the directory is in use. */
struct zio_cset_core *zio_kobj_to_cset(struct kobject *kobj)
{
	while (!to_kind(kobj)->is_cset)
		kobj = kobj->parent;
	return kobj_to_cset(kobj);
}

static int file_lock(struct kobject *kobj)
{
	const struct zio_kind *kind = to_kind(kobj);
	struct zio_cset_core *cset = zio_kobj_to_cset(kobj);
	int ret = zio_cset_lock(cset);

	if (ret || !kind->is_used || kind->is_used(kobj))
		return ret;
	mutex_unlock(&cset->mutex);
	return -ENODEV;
}

static void file_unlock(struct kobject *kobj)
{
	mutex_unlock(&zio_kobj_to_cset(kobj)->mutex);
}

static u64 file_value(struct kobject *kobj, const struct zio_file *file)
{
	void *value = (void *)kobj + file->offset;

	switch (file->size) {
	case sizeof(u8):
		return READ_ONCE(*(u8 *)value);
	case sizeof(u32):
		return READ_ONCE(*(u32 *)value);
	default:
		return READ_ONCE(*(u64 *)value);
	}
}

static ssize_t file_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	const struct zio_file *file = to_file(attr);
	ssize_t ret;

	if (!file->show)
		return file->size ? sysfs_emit(page, "%llu\n", file_value(kobj, file)) : -EIO;
	if (!file->lock_show)
		return file->show(kobj, file, page);
	ret = file_lock(kobj);
	if (ret)
		return ret;
	ret = file->show(kobj, file, page);
	file_unlock(kobj);
	return ret;
}

static ssize_t file_store(struct kobject *kobj, struct attribute *attr, const char *text,
			  size_t count)
{
	const struct zio_file *file = to_file(attr);
	u32 value = 0;
	int ret = -EIO;

	if (file->set)
		ret = kstrtou32(text, 0, &value);
	else if (file->store)
		ret = 0;
	if (!ret && file->size == sizeof(bool) && value > 1)
		ret = -EINVAL;
	if (!ret && !file->no_lock)
		ret = file_lock(kobj);
	if (ret)
		return ret;
	ret = file->set ? file->set(kobj, value) : file->store(kobj, file, text);
	if (!file->no_lock)
		file_unlock(kobj);
	return ret ?: count;
}

const struct sysfs_ops zio_file_ops = {
	.show = file_show,
	.store = file_store,
};

/* Returns the mode of a file; 0 if the set of @kobj does not have it. */
umode_t zio_file_mode(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct zio_file *file = to_file(attr);
	unsigned long flags = zio_kobj_to_cset(kobj)->flags;

	if (~flags & file->needs || flags & file->lacks)
		return 0;
	return file->mode ? file->mode(kobj, file) : attr->mode;
}

/* Adds a file to a directory. Several directories may have it, with different modes. */
int zio_file_create(struct kobject *kobj, struct zio_file *file)
{
	sysfs_attr_init(&file->attr);
	file->attr.mode = zio_file_mode(kobj, &file->attr, 0);
	return file->attr.mode ? sysfs_create_file(kobj, &file->attr) : 0;
}
