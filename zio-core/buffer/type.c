// SPDX-License-Identifier: GPL-2.0-only
/* type.c: the buffer types that modules offer */
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "buffer/internal.h"

static DEFINE_MUTEX(zio_types_lock);
static LIST_HEAD(zio_buffer_types);

static struct zio_buffer_type *find_type(const char *name)
{
	struct zio_buffer_type *type;

	lockdep_assert_held(&zio_types_lock);
	list_for_each_entry(type, &zio_buffer_types, node)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

/**
 * zio_buffer_type_register() - register a buffer type
 * @type: the type; stays valid until unregistered
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL if the name is missing or too long, or an operation is missing;
 * -EEXIST if the name is taken.
 */
int zio_buffer_type_register(struct zio_buffer_type *type)
{
	const struct zio_buffer_ops *ops = type->ops;
	int ret = 0;

	if (WARN_ON(!type->name || !ops || !ops->create || !ops->destroy ||
		    !ops->prepare || !ops->commit || !ops->discard ||
		    !ops->get_block || !ops->has_room || !ops->put_block ||
		    !ops->count || (ops->oldest && !ops->cancel)))
		return -EINVAL;
	if (!*type->name || strlen(type->name) >= ZIO_OBJ_NAME_LEN)
		return -EINVAL;

	mutex_lock(&zio_types_lock);
	if (find_type(type->name))
		ret = -EEXIST;
	else
		list_add_tail(&type->node, &zio_buffer_types);
	mutex_unlock(&zio_types_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_buffer_type_register);

/**
 * zio_buffer_type_unregister() - unregister a buffer type
 * @type: a registered type that no buffer uses; each buffer holds its module
 *
 * Context: Process, sleeps.
 */
void zio_buffer_type_unregister(struct zio_buffer_type *type)
{
	mutex_lock(&zio_types_lock);
	list_del(&type->node);
	mutex_unlock(&zio_types_lock);
}
EXPORT_SYMBOL_GPL(zio_buffer_type_unregister);

static const struct zio_buffer_type *get_type(const char *name)
{
	struct zio_buffer_type *type;

	mutex_lock(&zio_types_lock);
	type = find_type(name);
	if (type && !try_module_get(type->owner))
		type = NULL;
	mutex_unlock(&zio_types_lock);
	return type;
}

/*
 * Finds a buffer type by name and holds its module, which is loaded if necessary.
 * module_put() of its owner ends the use. Context: Process, sleeps. Returns the type, or
 * NULL.
 */
const struct zio_buffer_type *zio_buffer_type_get(const char *name)
{
	const struct zio_buffer_type *type = get_type(name);

	if (!type && zio_may_load() && !request_module("zio-buf-%s", name))
		type = get_type(name);
	return type;
}

/* Prints the names of the types from @at on, one per line. Returns the length. */
ssize_t zio_buffer_list_types(char *page, int at)
{
	struct zio_buffer_type *type;
	ssize_t len = 0;

	mutex_lock(&zio_types_lock);
	list_for_each_entry(type, &zio_buffer_types, node)
		len += sysfs_emit_at(page, at + len, "%s\n", type->name);
	mutex_unlock(&zio_types_lock);
	return len;
}
