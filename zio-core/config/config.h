/* SPDX-License-Identifier: GPL-2.0-only */
/* config.h: attributes in sysfs, and the types that have directories in configfs */
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
#define ZIO_OWNER_CONFIG	BIT(5) /* a device that users create */

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

/* files.c */
extern const struct zio_limits zio_limits_bool;
int zio_attr_parse_bool(const char *text, bool *value);

/* accepted.c */
int zio_limits_line(char *page, int len, const char *dir, const char *name,
		    const struct zio_limits *limits);

/* "clock-source", if the kernel stamps the blocks */
#define ZIO_CLOCK_OF_KERNEL	"kernel"

/* groups.c */
enum zio_config_kind { ZIO_CONFIG_TRIGGER, ZIO_CONFIG_DEVICE };

/* A type of which users make objects by mkdir */
struct zio_config_group {
	struct list_head node;
	enum zio_config_kind kind;
	const char *name;
	struct module *owner; /* each object holds it */
	const void *type;
	const struct zio_attr_desc *attrs;
	unsigned int n_attrs;
	struct zio_config_dir *dir; /* while zio-configfs is loaded */
};

/**
 * struct zio_configfs_ops - operations of the module zio-configfs
 * @owner: the module; each object that a user has made holds it
 * @add: makes group->dir. Returns 0 or an error
 * @remove: undoes @add
 * @get_shared: see struct zio_trigger_config_ops
 * @put_shared: undoes @get_shared
 */
struct zio_configfs_ops {
	struct module *owner;
	int (*add)(struct zio_config_group *group);
	void (*remove)(struct zio_config_group *group);
	struct zio_trigger *(*get_shared)(const char *name);
	void (*put_shared)(struct zio_trigger *trig);
};

extern const struct zio_trigger_config_ops zio_trigger_config_ops;
int zio_configfs_register(const struct zio_configfs_ops *ops);
void zio_configfs_unregister(void);

#endif /* _ZIO_CONFIG_H */
