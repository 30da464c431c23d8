/* SPDX-License-Identifier: GPL-2.0-only */
/* config.h: attributes in sysfs, and directories in configfs */
#ifndef _ZIO_CONFIG_H
#define _ZIO_CONFIG_H

#include "share/share.h"
#include "trigger/trigger.h"

/*
 * A kind of object with a directory: a set, or something in the directory of a set.
 * @is_used is optional, and returns false for an object that has been replaced.
 */
struct zio_kind {
	const struct kobj_type ktype;
	bool is_cset;
	bool (*is_used)(struct kobject *kobj);
};

/* bus.c */
extern ZIO_BUS_TYPE_CONST struct bus_type zio_bus;
int zio_bus_init(void);
void zio_bus_exit(void);
void zio_bus_link(struct zio_device *zdev);
void zio_bus_unlink(struct zio_device *zdev);
void zio_device_link_sets(struct zio_device *zdev);

/* attr.c */

/* What has attributes, and which operations its driver has for them */
#define ZIO_OWNER_SETS		BIT(0) /* attr_set() */
#define ZIO_OWNER_GETS		BIT(1) /* attr_get() */
#define ZIO_OWNER_TRIGGER	BIT(2) /* a board's trigger */
#define ZIO_OWNER_BLOCKS	BIT(3) /* a set, or its channels: blocks may have values */
#define ZIO_OWNER_OUTPUT	BIT(4) /* and the user writes them */

bool zio_attrs_are_valid(const struct zio_attr_desc *list, unsigned int n, unsigned int owner);
int zio_device_create_attrs(struct zio_device *zdev);
int zio_cset_create_attrs(struct zio_cset_core *cset);
int zio_channel_create_attrs(struct zio_channel_core *chan);
int zio_cset_create_members(struct zio_cset_core *cset);
void zio_cset_remove_members(struct zio_cset_core *cset);

/* sysfs-cset.c */
extern const struct zio_kind zio_cset_kind;
extern const struct zio_kind zio_channel_kind;
void zio_cset_list_active(struct zio_cset_core *cset);

/* sysfs-device.c */
int zio_device_add_files(struct zio_device *zdev);
void zio_device_remove_files(struct zio_device *zdev);

/* sysfs-buffer.c */
extern const struct zio_kind zio_buffer_kind;

/* configfs-trigger.c */
extern const struct zio_trigger_config_ops zio_trigger_config_ops;

/* configfs.c */
#if IS_ENABLED(CONFIG_CONFIGFS_FS)
int zio_configfs_init(void);
void zio_configfs_exit(void);
#else
static inline int zio_configfs_init(void) { return 0; }
static inline void zio_configfs_exit(void) { }
#endif

#endif /* _ZIO_CONFIG_H */
