/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find and set up the objects of ZIO in sysfs and configfs. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_OBJECT_H
#define LIBZIO_ZIO_OBJECT_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/* Size of the longest text of an attribute in bytes, including the terminator */
#define ZIO_TEXT_SIZE 4097

/*
 * An object is a directory of ZIO in sysfs or configfs. The structure holds a copy of its
 * name and stays valid when the object goes away; functions that need the object then
 * fail with ENOENT or ENODEV. The structure never changes, so any number of threads may
 * use it at once.
 */
struct zio_object;

/**
 * enum zio_object_kind - kinds of objects, with an example of zio_object_name()
 * @ZIO_OBJECT_DEVICE: a device, "zzero-0000"
 * @ZIO_OBJECT_CSET: a channel set, "zzero-0000/cset0"
 * @ZIO_OBJECT_CHANNEL: a channel, "zzero-0000/cset0/chan1"
 * @ZIO_OBJECT_TRIGGER: the trigger of a set, "zzero-0000/cset0/trigger"
 * @ZIO_OBJECT_BUFFER: the buffer of a channel, "zzero-0000/cset0/chan1/buffer"
 * @ZIO_OBJECT_PART: another directory, "zzero-0000/cset0/statistics"
 * @ZIO_OBJECT_SHARED_TRIGGER: a trigger in configfs, "trigger:clock0"
 * @ZIO_OBJECT_CONFIG_DEVICE: a device in configfs, "device:rack1"
 * @ZIO_OBJECT_TRIGGER_TYPE: a type of shared triggers, "hrt"
 * @ZIO_OBJECT_DRIVER: a driver that can create devices, "zzero"
 * @ZIO_OBJECT_BUS: what does not belong to a device, "bus:": version, available_triggers,
 *                  available_buffers. Not for zio_list()
 */
enum zio_object_kind {
	ZIO_OBJECT_DEVICE,
	ZIO_OBJECT_CSET,
	ZIO_OBJECT_CHANNEL,
	ZIO_OBJECT_TRIGGER,
	ZIO_OBJECT_BUFFER,
	ZIO_OBJECT_PART,
	ZIO_OBJECT_SHARED_TRIGGER,
	ZIO_OBJECT_CONFIG_DEVICE,
	ZIO_OBJECT_TRIGGER_TYPE,
	ZIO_OBJECT_DRIVER,
	ZIO_OBJECT_BUS,
};

/**
 * zio_find() - find an object by its name
 * @in: the object to search in; NULL for the whole machine
 * @name: the name, relative to @in. In the whole machine: "zzero-0000" or "zzero" (id 0);
 *        "zzero/cset0", "zzero/0", "zzero-0", or the name that the driver gave the set;
 *        "zzero/0/1", "zzero-0-1" or the path of a node; "zzero/0/trigger";
 *        "trigger:clock0"; "device:rack1"; "bus:". "i" is channel 0 of an interleaved
 *        set. libzio(3) says which object an ambiguous short name means
 * @attr: receives a pointer to the last part of @name if that is an attribute, otherwise
 *        NULL. If @attr is NULL, the name of an attribute is an error
 * @err: receives the reason of a failure; may be NULL
 *
 * $ZIO_SYSFS and $ZIO_CONFIGFS replace /sys and /sys/kernel/config.
 *
 * Context: Any thread. May sleep, like all functions of this header.
 * Return: the object, to be freed with zio_object_free(); or NULL with errno: ENOENT no
 * such object or attribute; EINVAL @name is NULL; ENAMETOOLONG; ENOMEM.
 */
struct zio_object *zio_find(const struct zio_object *in, const char *name,
			    const char **attr, struct zio_error *err);

/**
 * zio_object_free() - free what zio_find() or zio_create() returned
 * @obj: the object; may be NULL
 *
 * Context: Any thread, once nobody uses @obj any more. errno is unchanged.
 */
void zio_object_free(struct zio_object *obj);

/**
 * zio_list() - list the objects of one kind
 * @in: the object that contains them at any depth; NULL for the whole machine
 * @kind: their kind. ZIO_OBJECT_PART stands for all directories directly in @in that are
 *        neither sets nor channels: trigger, buffer, statistics
 * @err: receives the reason of a failure; may be NULL
 *
 * Context: Any thread. Leaves out an object that goes away meanwhile.
 * Return: the objects, sorted by name and ended by NULL; free them with zio_list_free().
 * On failure NULL with errno: ENOENT zio is not loaded, or @in is gone; EINVAL @in cannot
 * contain objects of @kind; ENOMEM; and the errors of opendir(3).
 */
struct zio_object **zio_list(const struct zio_object *in, enum zio_object_kind kind,
			     struct zio_error *err);

/**
 * zio_list_free() - free the list from zio_list(), objects included
 * @list: the list; may be NULL
 *
 * Context: Any thread, once nobody uses the objects any more. errno is unchanged.
 */
void zio_list_free(struct zio_object **list);

/**
 * zio_object_kind() - return the kind of an object
 * @obj: the object
 *
 * Context: Any thread. Does not wait.
 * Return: the kind; -1 with EINVAL if @obj is NULL.
 */
int zio_object_kind(const struct zio_object *obj);

/**
 * zio_object_name() - return the full name of an object
 * @obj: the object
 *
 * Context: Any thread. Does not wait.
 * Return: the name, as enum zio_object_kind shows it, valid until zio_object_free(); NULL
 * with EINVAL if @obj is NULL. zio_find() accepts it, except for a type or driver.
 */
const char *zio_object_name(const struct zio_object *obj);

/**
 * zio_object_path() - return the directory of an object
 * @obj: the object
 *
 * Context: Any thread. Does not wait.
 * Return: the path, valid until zio_object_free(); NULL with EINVAL if @obj is NULL.
 */
const char *zio_object_path(const struct zio_object *obj);

/**
 * zio_object_type() - return the type of a shared trigger, or the driver of a device
 * @obj: a shared trigger, or a device in configfs
 *
 * Context: Any thread. Does not wait.
 * Return: the name, such as "hrt", valid until zio_object_free(); NULL with EINVAL for
 * any other object.
 */
const char *zio_object_type(const struct zio_object *obj);

/**
 * zio_create() - create a shared trigger, or a device in configfs
 * @kind: ZIO_OBJECT_SHARED_TRIGGER or ZIO_OBJECT_CONFIG_DEVICE
 * @type: the type of the trigger, or the driver of the device
 * @name: the new name
 * @err: receives the reason of a failure; may be NULL
 *
 * A trigger is enabled at once. A device goes live when the caller sets its attribute
 * "live" to 1; set all other attributes before.
 *
 * Context: Any thread.
 * Return: the object, to be freed with zio_object_free(); or NULL with errno: EEXIST the
 * name is taken; ENOENT no such type, or no configfs; EINVAL @kind or a name is wrong;
 * ENAMETOOLONG; EACCES; ENOMEM; and the errors of mkdir(2).
 */
struct zio_object *zio_create(enum zio_object_kind kind, const char *type,
			      const char *name, struct zio_error *err);

/**
 * zio_destroy() - remove a shared trigger, or unplug and remove a configfs device
 * @obj: the object; the caller still frees it
 * @err: receives the reason of a failure, and the sets that use a trigger; may be NULL
 *
 * Context: Any thread.
 * Return: 0; -1 with errno: EBUSY a set uses the trigger; EINVAL @obj is neither; ENOENT;
 * EACCES; and the errors of rmdir(2).
 */
int zio_destroy(const struct zio_object *obj, struct zio_error *err);

/**
 * zio_nearest() - guess which word a user meant
 * @word: what the user typed
 * @words: words separated by blanks, for example from zio_attr_accepted()
 * @nearest: receives the word with the fewest differing letters; empty after a failure
 * @size: bytes of @nearest
 *
 * At most one letter in three may be wrong, missing, too many or swapped.
 *
 * Context: Any thread. Does not wait.
 * Return: 0; -1 with errno: ENOENT no word is close; EINVAL a pointer is NULL.
 */
int zio_nearest(const char *word, const char *words, char *nearest, size_t size);

#endif /* LIBZIO_ZIO_OBJECT_H */
