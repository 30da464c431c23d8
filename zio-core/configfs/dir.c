// SPDX-License-Identifier: GPL-2.0-only
/*
 * dir.c: /sys/kernel/config/zio, and the directories of types in it
 *
 *   triggers/<type>/<name>/   see trigger.c
 *   devices/<driver>/<name>/  see device.c
 *
 * Configfs holds this module, the owner of the subsystem, from each mkdir to the end of its
 * rmdir. The core keeps the list of types: see config/groups.c.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "config/config.h"
#include "configfs/internal.h"

/* The directory of a type. Its items do not outlive it: each holds the module. */
struct zio_config_dir {
	struct config_group group;
	struct config_item_type group_type;
	struct config_item_type item_type;
	const struct zio_config_ops *ops;
	const void *type;
	const struct zio_attr_desc *desc; /* of attributes behind ops->files */
	struct configfs_attribute attr[ZIO_SLOTS];
	struct configfs_attribute *attrs[ZIO_SLOTS + 2]; /* "accepted" is the last one */
};

struct config_node {
	struct config_item item;
	const struct zio_config_dir *in;
	void *object;
};

static struct config_node *to_config_node(struct config_item *item)
{
	return container_of(item, struct config_node, item);
}

static ssize_t dir_show_slot(struct config_item *item, unsigned int slot, char *page)
{
	const struct zio_config_ops *ops = to_config_node(item)->in->ops;
	void *object = to_config_node(item)->object;

	if (slot < ops->n_files)
		return ops->files[slot].show(object, page);
	return ops->show(object, slot - ops->n_files, page);
}

static ssize_t dir_store_slot(struct config_item *item, unsigned int slot, const char *text,
			      size_t count)
{
	const struct zio_config_ops *ops = to_config_node(item)->in->ops;
	void *object = to_config_node(item)->object;
	int ret;

	if (slot < ops->n_files)
		ret = ops->files[slot].store(object, text);
	else
		ret = ops->store(object, slot - ops->n_files, text);
	return ret ?: count;
}

/* Configfs does not pass the attribute, so each position has functions of its own. */
#define DEFINE_SLOT(_n)							\
static ssize_t slot##_n##_show(struct config_item *item, char *page)	\
{									\
	return dir_show_slot(item, _n, page);				\
}									\
									\
static ssize_t slot##_n##_store(struct config_item *item,		\
				const char *text, size_t count)		\
{									\
	return dir_store_slot(item, _n, text, count);			\
}

DEFINE_SLOT(0) DEFINE_SLOT(1) DEFINE_SLOT(2) DEFINE_SLOT(3) DEFINE_SLOT(4)
DEFINE_SLOT(5) DEFINE_SLOT(6) DEFINE_SLOT(7) DEFINE_SLOT(8) DEFINE_SLOT(9)
DEFINE_SLOT(10) DEFINE_SLOT(11) DEFINE_SLOT(12) DEFINE_SLOT(13) DEFINE_SLOT(14)

#define SLOT(_n)	{ slot##_n##_show, slot##_n##_store }

static const struct {
	ssize_t (*show)(struct config_item *item, char *page);
	ssize_t (*store)(struct config_item *item, const char *text, size_t count);
} zio_slots[ZIO_SLOTS] = {
	SLOT(0), SLOT(1), SLOT(2), SLOT(3), SLOT(4), SLOT(5), SLOT(6), SLOT(7),
	SLOT(8), SLOT(9), SLOT(10), SLOT(11), SLOT(12), SLOT(13), SLOT(14)
};

/* Shows what the files accept that can be written. */
static ssize_t dir_show_accepted(struct config_item *item, char *page)
{
	const struct zio_config_dir *in = to_config_node(item)->in;
	const struct zio_config_ops *ops = in->ops;
	struct zio_limits limits;
	unsigned int i;
	int len = 0;

	for (i = 0; i < ZIO_SLOTS && in->attr[i].ca_name; i++) {
		if (!in->attr[i].store)
			continue;
		limits = i < ops->n_files ? *ops->files[i].limits :
			zio_attr_limits(&in->desc[i - ops->n_files]);
		len = zio_limits_line(page, len, "", in->attr[i].ca_name, &limits);
	}
	return len;
}

static struct configfs_attribute accepted = {
	.ca_name = "accepted",
	.ca_mode = 0444,
	.ca_owner = THIS_MODULE,
	.show = dir_show_accepted,
};

/* A file of the directory may be open until here, so the module is held until here. */
static void dir_release_item(struct config_item *item)
{
	struct config_node *node = to_config_node(item);
	struct module *owner = node->in->item_type.ct_owner;

	if (node->object)
		node->in->ops->destroy(node->object);
	kfree(node);
	module_put(owner);
}

static struct configfs_item_operations item_ops = {
	.release = dir_release_item,
};

static struct config_item *dir_make_item(struct config_group *group, const char *name)
{
	struct zio_config_dir *in = container_of(group, struct zio_config_dir, group);
	struct config_node *node;
	void *object;

	/* The module may be unloading, and this directory goes with it. */
	if (!try_module_get(in->item_type.ct_owner))
		return ERR_PTR(-ENODEV);
	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node) {
		module_put(in->item_type.ct_owner);
		return ERR_PTR(-ENOMEM);
	}
	node->in = in;
	config_item_init_type_name(&node->item, name, &in->item_type);
	object = in->ops->create(in->type, name, &node->item);
	if (IS_ERR(object)) {
		config_item_put(&node->item);
		return ERR_CAST(object);
	}
	node->object = object;
	return &node->item;
}

static void dir_drop_item(struct config_group *group, struct config_item *item)
{
	const struct config_node *node = to_config_node(item);

	if (node->in->ops->hide)
		node->in->ops->hide(node->object);
	config_item_put(item);
}

static struct configfs_group_operations group_ops = {
	.make_item = dir_make_item,
	.drop_item = dir_drop_item,
};

/* Configfs calls this after the last user has left the directory. */
static void dir_release_group(struct config_item *item)
{
	kfree(container_of(to_config_group(item), struct zio_config_dir, group));
}

static struct configfs_item_operations group_item_ops = {
	.release = dir_release_group,
};

static void dir_fill_attrs(struct zio_config_dir *dir, const struct zio_config_group *group)
{
	const struct zio_config_ops *ops = dir->ops;
	struct configfs_attribute *attr = dir->attr;
	unsigned int i;

	for (i = 0; i < ops->n_files + group->n_attrs; i++, attr++) {
		if (i < ops->n_files) {
			attr->ca_name = ops->files[i].name;
			attr->ca_mode = ops->files[i].store ? 0644 : 0444;
		} else {
			attr->ca_name = group->attrs[i - ops->n_files].name;
			attr->ca_mode = group->attrs[i - ops->n_files].mode;
		}
		attr->ca_owner = group->owner;
		attr->show = attr->ca_mode & 0444 ? zio_slots[i].show : NULL;
		attr->store = attr->ca_mode & 0222 ? zio_slots[i].store : NULL;
		dir->attrs[i] = attr;
	}
	dir->attrs[i] = &accepted;
}

static const struct config_item_type plain_type = {
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem zio_subsys = {
	.su_group.cg_item = {
		.ci_namebuf = "zio",
		.ci_type = &plain_type,
	},
	.su_mutex = __MUTEX_INITIALIZER(zio_subsys.su_mutex),
};

static struct config_group zio_configfs_triggers;
struct config_group zio_configfs_devices;

static int dir_add(struct zio_config_group *group)
{
	bool is_trigger = group->kind == ZIO_CONFIG_TRIGGER;
	struct zio_config_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	int ret;

	if (!dir)
		return -ENOMEM;
	dir->ops = is_trigger ? &zio_config_trigger_ops : &zio_config_device_ops;
	dir->type = group->type;
	dir->desc = group->attrs;
	dir_fill_attrs(dir, group);
	dir->item_type = (struct config_item_type) {
		.ct_owner = group->owner, .ct_item_ops = &item_ops, .ct_attrs = dir->attrs };
	dir->group_type = (struct config_item_type) {
		.ct_owner = group->owner, .ct_item_ops = &group_item_ops,
		.ct_group_ops = &group_ops };
	config_group_init_type_name(&dir->group, group->name, &dir->group_type);
	ret = configfs_register_group(is_trigger ? &zio_configfs_triggers : &zio_configfs_devices,
				      &dir->group);
	if (ret)
		config_group_put(&dir->group);
	else
		group->dir = dir;
	return ret;
}

static void dir_remove(struct zio_config_group *group)
{
	configfs_unregister_group(&group->dir->group);
	config_group_put(&group->dir->group);
	group->dir = NULL;
}

/*
 * Configfs refuses rmdir of the directory from now on. It would lock its root to see that
 * the subsystem stays; the caller holds this module, so it does. An item without a group has
 * no directory.
 */
static struct zio_trigger *dir_get_shared(const char *name)
{
	struct zio_trigger *trig;
	int ret = 0;

	mutex_lock(&zio_subsys.su_mutex);
	trig = zio_trigger_find_shared(name);
	if (trig)
		ret = trig->item->ci_group ?
			configfs_depend_item_unlocked(&zio_subsys, trig->item) : -ENOENT;
	mutex_unlock(&zio_subsys.su_mutex);
	return ret ? ERR_PTR(ret) : trig;
}

static void dir_put_shared(struct zio_trigger *trig)
{
	configfs_undepend_item(trig->item);
}

static const struct zio_configfs_ops dir_ops = {
	.owner = THIS_MODULE,
	.add = dir_add,
	.remove = dir_remove,
	.get_shared = dir_get_shared,
	.put_shared = dir_put_shared,
};

static int __init dir_init(void)
{
	int ret;

	config_group_init(&zio_subsys.su_group);
	config_group_init_type_name(&zio_configfs_triggers, "triggers", &plain_type);
	config_group_init_type_name(&zio_configfs_devices, "devices", &plain_type);
	configfs_add_default_group(&zio_configfs_triggers, &zio_subsys.su_group);
	configfs_add_default_group(&zio_configfs_devices, &zio_subsys.su_group);
	ret = configfs_register_subsystem(&zio_subsys);
	if (ret)
		return ret;
	ret = zio_configfs_register(&dir_ops);
	if (ret)
		configfs_unregister_subsystem(&zio_subsys);
	return ret;
}

static void __exit dir_exit(void)
{
	zio_configfs_unregister();
	configfs_unregister_subsystem(&zio_subsys);
}

module_init(dir_init);
module_exit(dir_exit);
MODULE_DESCRIPTION("ZIO: triggers and devices that users make by mkdir");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
