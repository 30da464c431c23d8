// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups.c: the types of which users make triggers and devices by mkdir
 *
 * The module zio-configfs makes a directory for each type. Modprobe loads it with the core,
 * but it may come later, go, or be absent. So the core keeps a list of the types, and gives
 * it to the module.
 *
 * Each object that a user has made holds zio-configfs. So a shared trigger has its
 * operations, as long as it exists.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/zio-config.h>

#include "config/internal.h"

/* Protects the list. It is taken before all locks of configfs. */
static DEFINE_MUTEX(zio_groups_lock);
static LIST_HEAD(zio_groups);
static const struct zio_configfs_ops __rcu *zio_configfs; /* written with the lock held */

static const struct zio_configfs_ops *groups_ops_locked(void)
{
	return rcu_dereference_protected(zio_configfs, lockdep_is_held(&zio_groups_lock));
}

static bool groups_have(const struct zio_config_group *group)
{
	const struct zio_config_group *other;

	list_for_each_entry(other, &zio_groups, node)
		if (other->kind == group->kind && !strcmp(other->name, group->name))
			return true;
	return false;
}

static int groups_add(struct zio_config_group *group)
{
	const struct zio_configfs_ops *ops;
	int ret = 0;

	mutex_lock(&zio_groups_lock);
	ops = groups_ops_locked();
	if (groups_have(group))
		ret = -EEXIST;
	else if (ops)
		ret = ops->add(group);
	if (!ret)
		list_add_tail(&group->node, &zio_groups);
	mutex_unlock(&zio_groups_lock);
	return ret;
}

/*
 * Lets users make objects of a type by mkdir, as soon as zio-configfs is there. @init: the group
 * without its directory. @place: receives the group of the type. Context: Process, sleeps. Returns
 * 0; -ENOMEM; -EEXIST.
 */
static int groups_register(const struct zio_config_group *init, struct zio_config_group **place)
{
	struct zio_config_group *group = kmemdup(init, sizeof(*init), GFP_KERNEL);
	int ret;

	if (!group)
		return -ENOMEM;
	ret = groups_add(group);
	if (ret)
		kfree(group);
	else
		*place = group;
	return ret;
}

/* Undoes groups_register(). The type has no objects: each holds the module of its type. */
static void groups_unregister(struct zio_config_group **place)
{
	struct zio_config_group *group = *place;

	if (!group)
		return;
	mutex_lock(&zio_groups_lock);
	if (group->dir)
		groups_ops_locked()->remove(group);
	list_del(&group->node);
	mutex_unlock(&zio_groups_lock);
	kfree(group);
	*place = NULL;
}

/*
 * Lets users make devices of a driver by mkdir. @type: stays valid until it is unregistered; its
 * driver is registered. Context: Process, sleeps. Returns 0; -EINVAL if there are too many
 * attributes, or one is wrong; -ENOMEM; -EEXIST.
 */
int zio_config_type_register(struct zio_config_type *type)
{
	const struct zio_config_group init = {
		.kind = ZIO_CONFIG_DEVICE,
		.name = type->name,
		.owner = type->owner,
		.type = type,
		.attrs = type->attrs,
		.n_attrs = type->n_attrs,
	};

	if (WARN_ON(type->n_attrs > ZIO_MAX_CONFIG_ATTRS))
		return -EINVAL;
	if (!zio_attrs_are_valid(type->attrs, type->n_attrs, ZIO_OWNER_CONFIG))
		return -EINVAL;
	return groups_register(&init, &type->group);
}

/* Undoes zio_config_type_register(). */
void zio_config_type_unregister(struct zio_config_type *type)
{
	groups_unregister(&type->group);
}

static int groups_add_trigger_type(struct zio_trigger_type *type)
{
	const struct zio_config_group init = {
		.kind = ZIO_CONFIG_TRIGGER,
		.name = type->name,
		.owner = type->owner,
		.type = type,
		.attrs = type->attrs,
		.n_attrs = type->n_attrs,
	};

	return groups_register(&init, &type->group);
}

static void groups_remove_trigger_type(struct zio_trigger_type *type)
{
	groups_unregister(&type->group);
}

/* Must not take the lock of the list: a write in configfs may have locked the set. */
static struct zio_trigger *groups_get_shared(const char *name)
{
	const struct zio_configfs_ops *ops = zio_get_module_ops(zio_configfs);
	struct zio_trigger *trig;

	if (!ops)
		return NULL;
	trig = ops->get_shared(name);
	module_put(ops->owner);
	return trig;
}

static void groups_put_shared(struct zio_trigger *trig)
{
	/* The trigger holds the module. */
	rcu_dereference_raw(zio_configfs)->put_shared(trig);
}

const struct zio_trigger_config_ops zio_trigger_config_ops = {
	.ktype = &zio_binding_kind.ktype,
	.add_files = zio_binding_add_files,
	.add_type = groups_add_trigger_type,
	.remove_type = groups_remove_trigger_type,
	.get_shared = groups_get_shared,
	.put_shared = groups_put_shared,
};

/**
 * zio_configfs_register() - make the directories of all types, now and later
 * @ops: operations of the module zio-configfs
 *
 * Context: Process, sleeps; for module_init().
 *
 * Return: 0; or an error of @ops->add, with everything undone.
 */
int zio_configfs_register(const struct zio_configfs_ops *ops)
{
	struct zio_config_group *group;
	int ret = 0;

	mutex_lock(&zio_groups_lock);
	list_for_each_entry(group, &zio_groups, node) {
		ret = ops->add(group);
		if (ret)
			break;
	}
	if (!ret)
		rcu_assign_pointer(zio_configfs, ops);
	else
		list_for_each_entry_continue_reverse(group, &zio_groups, node)
			ops->remove(group);
	mutex_unlock(&zio_groups_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(zio_configfs_register);

/**
 * zio_configfs_unregister() - undo zio_configfs_register()
 *
 * Users have made no object: each holds the module.
 *
 * Context: Process, sleeps; for module_exit().
 */
void zio_configfs_unregister(void)
{
	const struct zio_configfs_ops *ops;
	struct zio_config_group *group;

	mutex_lock(&zio_groups_lock);
	ops = groups_ops_locked();
	RCU_INIT_POINTER(zio_configfs, NULL);
	list_for_each_entry(group, &zio_groups, node)
		ops->remove(group);
	mutex_unlock(&zio_groups_lock);
	synchronize_rcu(); /* groups_get_shared() may still read @ops */
}
EXPORT_SYMBOL_GPL(zio_configfs_unregister);
