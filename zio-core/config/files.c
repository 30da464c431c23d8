// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c: the files of devices, sets, channels, buffers and triggers in sysfs
 *
 * Replacing the trigger or the buffers removes directories after cset->mutex is unlocked.
 * So a write checks whether its object is still in use.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "config/internal.h"

#define to_kind(_kobj)	container_of((_kobj)->ktype, struct zio_kind, ktype)

/* Only 0 and 1, so that a typo switches nothing */
const struct zio_limits zio_limits_bool = { .max = 1, .error = -EINVAL };
EXPORT_SYMBOL_GPL(zio_limits_bool);

int zio_attr_parse_bool(const char *text, bool *value)
{
	u64 number;
	int ret = zio_limits_parse(&zio_limits_bool, text, &number);

	if (!ret)
		*value = number;
	return ret;
}
EXPORT_SYMBOL_GPL(zio_attr_parse_bool);

/* Returns what a writable file accepts. */
struct zio_limits zio_file_limits(struct kobject *kobj, const struct zio_file *file)
{
	if (file->limits)
		return file->limits(kobj, file);
	return (struct zio_limits) {
		.max = file->size == sizeof(bool) ? 1 : U32_MAX, .error = -EINVAL };
}

/* Returns the set that a directory belongs to, while one of its files is in use. */
struct zio_cset_core *zio_kobj_to_cset(struct kobject *kobj)
{
	while (!to_kind(kobj)->is_cset)
		kobj = kobj->parent;
	return kobj_to_cset(kobj);
}

/* Locks the values of an object. Returns 0; -EINTR; or -ENODEV: it is not in use any more. */
int zio_file_lock(struct kobject *kobj)
{
	struct zio_cset_core *cset;
	int ret;

	if (zio_kobj_is_device(kobj))
		return mutex_lock_killable(&kobj_to_device(kobj)->lock);
	cset = zio_kobj_to_cset(kobj);
	ret = zio_cset_lock(cset);
	if (ret || !to_kind(kobj)->is_used || to_kind(kobj)->is_used(kobj))
		return ret;
	mutex_unlock(&cset->mutex);
	return -ENODEV;
}

void zio_file_unlock(struct kobject *kobj)
{
	mutex_unlock(zio_kobj_is_device(kobj) ? &kobj_to_device(kobj)->lock :
		     &zio_kobj_to_cset(kobj)->mutex);
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
	const struct zio_file *file = to_zio_file(attr);
	ssize_t ret;

	if (!file->show)
		return file->size ? sysfs_emit(page, "%llu\n", file_value(kobj, file)) : -EIO;
	if (!file->lock_show)
		return file->show(kobj, file, page);
	ret = zio_file_lock(kobj);
	if (ret)
		return ret;
	ret = file->show(kobj, file, page);
	zio_file_unlock(kobj);
	return ret;
}

int zio_file_parse(struct kobject *kobj, const struct zio_file *file, const char *text, u64 *value)
{
	struct zio_limits limits = zio_file_limits(kobj, file);

	return zio_limits_parse(&limits, text, value);
}

static ssize_t file_store(struct kobject *kobj, struct attribute *attr, const char *text,
			  size_t count)
{
	const struct zio_file *file = to_zio_file(attr);
	int ret = file->no_lock ? 0 : zio_file_lock(kobj);
	u64 value;

	if (ret)
		return ret;
	if (file->set)
		ret = zio_file_parse(kobj, file, text, &value) ?: file->set(kobj, value);
	else
		ret = file->store ? file->store(kobj, file, text) : -EIO;
	if (!file->no_lock)
		zio_file_unlock(kobj);
	return ret ?: count;
}

const struct sysfs_ops zio_file_ops = {
	.show = file_show,
	.store = file_store,
};

/* Returns the mode of a file, or 0 if the set of @kobj lacks it. */
umode_t zio_file_mode(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct zio_file *file = to_zio_file(attr);
	unsigned long flags;

	if (!zio_kobj_is_device(kobj)) {
		flags = zio_kobj_to_cset(kobj)->flags;
		if ((~flags & file->needs) || (flags & file->lacks))
			return 0;
	}
	return file->mode ? file->mode(kobj, file) : attr->mode;
}

/* Adds a file to a directory. Several directories may share it, with different modes. */
int zio_file_create(struct kobject *kobj, struct zio_file *file)
{
	sysfs_attr_init(&file->attr);
	file->attr.mode = zio_file_mode(kobj, &file->attr, 0);
	return file->attr.mode ? sysfs_create_file(kobj, &file->attr) : 0;
}
