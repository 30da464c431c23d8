/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: directories in which users make devices or triggers of a type by mkdir */
#ifndef _ZIO_CONFIGFS_INTERNAL_H
#define _ZIO_CONFIGFS_INTERNAL_H

#include <linux/configfs.h>

struct zio_limits;

#define ZIO_SLOTS	15	/* files of a directory */

/* A file that all objects of a kind have */
struct zio_config_file {
	const char *name;
	ssize_t (*show)(void *object, char *page);
	int (*store)(void *object, const char *text); /* optional */
	const struct zio_limits *limits; /* what @store accepts */
};

/**
 * struct zio_config_ops - the objects that users make
 * @create: makes the object of a new directory, @item. Returns an ERR_PTR if it cannot
 * @hide: optional. rmdir has begun, but files of the directory may be open
 * @destroy: undoes @create, when the last file is closed
 * @show: prints attribute @index of the type
 * @store: writes attribute @index of the type. Returns 0 or an error
 * @files: files of all types
 * @n_files: number of @files
 */
struct zio_config_ops {
	void *(*create)(const void *type, const char *name, struct config_item *item);
	void (*hide)(void *object);
	void (*destroy)(void *object);
	ssize_t (*show)(void *object, unsigned int index, char *page);
	int (*store)(void *object, unsigned int index, const char *text);
	const struct zio_config_file *files;
	unsigned int n_files;
};

/* dir.c */
extern struct config_group zio_configfs_devices;

/* device.c */
extern const struct zio_config_ops zio_config_device_ops;

/* trigger.c */
extern const struct zio_config_ops zio_config_trigger_ops;

#endif /* _ZIO_CONFIGFS_INTERNAL_H */
