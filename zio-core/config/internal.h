/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: declarations that the files of config share */
#ifndef _ZIO_CONFIG_INTERNAL_H
#define _ZIO_CONFIG_INTERNAL_H

#include "config/config.h"

/* address.c */
int zio_channel_set_source(struct zio_channel_core *out, const char *text);

/* files.c */
/* An entry of an array of attributes */
#define ZIO_FILE(_name, _mode, ...)					\
	(&((struct zio_file) {						\
		.attr = { .name = _name, .mode = _mode }, __VA_ARGS__	\
	}).attr)

/* The number that a file shows. A member is only a name, so naming it twice is safe. */
#define ZIO_VALUE(_type, _member...)					\
	.offset = offsetof(_type, _member) - offsetof(_type, kobj),	\
	.size = sizeof_field(_type, _member)

/* Define functions of files that show, set or store a value of the object of @kobj. */
#define ZIO_SHOW_BY(_of, _name, _call)					\
static ssize_t _of##_show_##_name(struct kobject *kobj,			\
				  const struct zio_file *file, char *page) \
{									\
	return _call;							\
}

#define ZIO_SHOW(_of, _name, _format, _value)				\
	ZIO_SHOW_BY(_of, _name, sysfs_emit(page, _format "\n", _value))

#define ZIO_SET_BY(_of, _name, _call)					\
static int _of##_set_##_name(struct kobject *kobj, u32 value)		\
{									\
	return _call;							\
}

#define ZIO_STORE_BY(_of, _name, _call)					\
static int _of##_store_##_name(struct kobject *kobj,			\
			       const struct zio_file *file, const char *text) \
{									\
	return _call;							\
}

/* Defines what a file accepts, as members of struct zio_limits. */
#define ZIO_LIMITS(_of, _name, ...)					\
static struct zio_limits						\
_of##_limits_##_name(struct kobject *kobj, const struct zio_file *file)	\
{									\
	return (struct zio_limits) { __VA_ARGS__ };			\
}

/* The functions of a file whose values have limits */
#define ZIO_SET(_of, _name)						\
	.set = _of##_set_##_name, .limits = _of##_limits_##_name
#define ZIO_STORE(_of, _name)						\
	.store = _of##_store_##_name, .limits = _of##_limits_##_name

#define ZIO_GROUP(_name, _files)					\
	(&(const struct attribute_group) {				\
		.name = _name, .attrs = _files, .is_visible = zio_file_mode })

#define ZIO_KTYPE(_release, _groups) {					\
	.release = _release, .sysfs_ops = &zio_file_ops, .default_groups = _groups }

#define to_zio_file(_attr)	container_of(_attr, struct zio_file, attr)

extern const struct sysfs_ops zio_file_ops;
struct zio_limits zio_file_limits(struct kobject *kobj, const struct zio_file *file);
int zio_file_parse(struct kobject *kobj, const struct zio_file *file, const char *text, u64 *value);
umode_t zio_file_mode(struct kobject *kobj, struct attribute *attr, int i);
int zio_file_create(struct kobject *kobj, struct zio_file *file);
int zio_file_lock(struct kobject *kobj);
void zio_file_unlock(struct kobject *kobj);
struct zio_cset_core *zio_kobj_to_cset(struct kobject *kobj);

/* The driver core makes the directory of a device. All others have a zio_kind. */
static inline bool zio_kobj_is_device(const struct kobject *kobj)
{
	return kobj->ktype->sysfs_ops != &zio_file_ops;
}

/* accepted.c */
ssize_t zio_cset_show_accepted(struct kobject *kobj, const struct zio_file *file, char *page);
ssize_t zio_device_show_accepted(struct device *dev, struct device_attribute *attr, char *page);

int zio_limits_print(char *page, int len, const struct zio_limits *limits);

/* attr.c */
int zio_binding_create_attrs(struct zio_binding *bind);

#define to_zio_attr(_file)	container_of(_file, struct zio_attr, file)

/* decimal.c */
int zio_decimal_parse(const char *text, struct zio_decimal *dec);
struct zio_decimal zio_decimal_make(s64 mant, s32 exp);
bool zio_decimal_fits(const struct zio_decimal *dec);
ssize_t zio_decimal_print(char *page, const struct zio_decimal *dec);

/* double.c */
u64 zio_decimal_to_double(const struct zio_decimal *dec);

/* scaling.c */
#define ZIO_SCALING_ATTRS	6
unsigned int zio_scaling_add(struct zio_cset_core *cset, struct zio_attr *attrs,
			     unsigned int n);
int zio_scaling_set_values(struct zio_channel_core *chan);

/* names.c */
ssize_t zio_channel_show_names(struct kobject *kobj, const struct zio_file *file, char *page);
ssize_t zio_binding_show_names(struct kobject *kobj, const struct zio_file *file, char *page);
ssize_t zio_channel_show_type(struct kobject *kobj, const struct zio_file *file, char *page);

/* rate.c */
int zio_rate_store(struct kobject *kobj, const struct zio_file *file, const char *text);
ssize_t zio_rate_show(struct kobject *kobj, const struct zio_file *file, char *page);
umode_t zio_rate_mode(struct kobject *kobj, const struct zio_file *file);

/* sysfs-trigger.c */
extern const struct zio_kind zio_binding_kind;
int zio_binding_add_files(struct zio_binding *bind);

#endif /* _ZIO_CONFIG_INTERNAL_H */
