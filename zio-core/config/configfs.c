// SPDX-License-Identifier: GPL-2.0-only
/*
 * configfs.c: /sys/kernel/config/zio, and the directories of types in it
 *
 *   triggers/<type>/<name>/   see configfs-trigger.c
 *   devices/<driver>/<name>/  see configfs-device.c
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "config/configfs.h"
#include "config/internal.h"

/* The directory of a type. Its items do not outlive it: each holds the module. */
struct zio_config_group {
	struct config_group group;
	struct config_item_type group_type;
	struct config_item_type item_type;
	const struct zio_config_ops *ops;
	const void *type;
	struct configfs_attribute attr[ZIO_SLOTS];
	struct configfs_attribute *attrs[ZIO_SLOTS + 2]; /* "accepted" is the last one */
};

struct config_node {
	struct config_item item;
	const struct zio_config_group *in;
	void *object;
};

static struct config_node *to_config_node(struct config_item *item)
{
	return container_of(item, struct config_node, item);
}

static ssize_t show_slot(struct config_item *item, unsigned int slot, char *page)
{
	const struct zio_config_ops *ops = to_config_node(item)->in->ops;
	void *object = to_config_node(item)->object;

	if (slot < ops->n_files)
		return ops->files[slot].show(object, page);
	return ops->show(object, slot - ops->n_files, page);
}

static ssize_t store_slot(struct config_item *item, unsigned int slot, const char *text,
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
	return show_slot(item, _n, page);				\
}									\
									\
static ssize_t slot##_n##_store(struct config_item *item,		\
				const char *text, size_t count)		\
{									\
	return store_slot(item, _n, text, count);			\
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
static ssize_t show_accepted(struct config_item *item, char *page)
{
	const struct zio_config_group *in = to_config_node(item)->in;
	const struct zio_config_ops *ops = in->ops;
	struct zio_limits limits;
	unsigned int i;
	int len = 0;

	for (i = 0; i < ZIO_SLOTS && in->attr[i].ca_name; i++) {
		if (!in->attr[i].store)
			continue;
		limits = i < ops->n_files ? *ops->files[i].limits :
			ops->limits(in->type, i - ops->n_files);
		len = zio_limits_line(page, len, "", in->attr[i].ca_name, &limits);
	}
	return len;
}

static struct configfs_attribute accepted = {
	.ca_name = "accepted", .ca_mode = 0444, .ca_owner = THIS_MODULE, .show = show_accepted };

/* A file of the directory may be open until here, so the module is held until here. */
static void release_item(struct config_item *item)
{
	struct config_node *node = to_config_node(item);
	struct module *owner = node->in->item_type.ct_owner;

	if (node->object)
		node->in->ops->destroy(node->object);
	kfree(node);
	module_put(owner);
}

static struct configfs_item_operations item_ops = {
	.release = release_item,
};

static struct config_item *make_item(struct config_group *group, const char *name)
{
	struct zio_config_group *in = container_of(group, struct zio_config_group, group);
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

static void drop_item(struct config_group *group, struct config_item *item)
{
	const struct config_node *node = to_config_node(item);

	if (node->in->ops->hide)
		node->in->ops->hide(node->object);
	config_item_put(item);
}

static struct configfs_group_operations group_ops = {
	.make_item = make_item,
	.drop_item = drop_item,
};

/* Configfs calls this after the last user has left the directory. */
static void release_group(struct config_item *item)
{
	kfree(container_of(to_config_group(item), struct zio_config_group, group));
}

static struct configfs_item_operations group_item_ops = {
	.release = release_group,
};

static void fill_attrs(struct zio_config_group *cgroup, struct module *owner)
{
	const struct zio_config_ops *ops = cgroup->ops;
	struct configfs_attribute *attr = cgroup->attr;
	unsigned int i;

	for (i = 0; i < ZIO_SLOTS; i++, attr++) {
		attr->ca_mode = i < ops->n_files && !ops->files[i].store ? 0444 : 0644;
		attr->ca_name = i < ops->n_files ? ops->files[i].name :
			ops->attr(cgroup->type, i - ops->n_files, &attr->ca_mode);
		if (!attr->ca_name)
			break;
		attr->ca_owner = owner;
		attr->show = attr->ca_mode & 0444 ? zio_slots[i].show : NULL;
		attr->store = attr->ca_mode & 0222 ? zio_slots[i].store : NULL;
		cgroup->attrs[i] = attr;
	}
	cgroup->attrs[i] = &accepted;
}

static DEFINE_MUTEX(names_lock); /* no two types of a directory have one name */

/* Linux 7.2 makes a second directory with the name of the first. */
static int register_group(struct config_group *parent, struct config_group *group)
{
	struct config_item *other;
	int ret;

	mutex_lock(&names_lock);
	mutex_lock(&parent->cg_subsys->su_mutex);
	other = config_group_find_item(parent, group->cg_item.ci_name);
	mutex_unlock(&parent->cg_subsys->su_mutex);
	ret = other ? -EEXIST : configfs_register_group(parent, group);
	mutex_unlock(&names_lock);
	config_item_put(other);
	return ret;
}

/*
 * Lets users make objects of a type by mkdir. @parent: the directory of all types. @name: of the
 * type. @owner: module of the type; each object holds it. @type: for @ops. @place: receives the
 * directory of the type. Context: Process, sleeps. Returns 0; -ENOMEM; -EEXIST.
 */
int zio_config_group_register(struct config_group *parent, const char *name,
			      struct module *owner, const struct zio_config_ops *ops,
			      const void *type, struct zio_config_group **place)
{
	struct zio_config_group *cgroup = kzalloc(sizeof(*cgroup), GFP_KERNEL);
	int ret;

	if (!cgroup)
		return -ENOMEM;
	cgroup->ops = ops;
	cgroup->type = type;
	fill_attrs(cgroup, owner);
	cgroup->item_type = (struct config_item_type) {
		.ct_owner = owner, .ct_item_ops = &item_ops, .ct_attrs = cgroup->attrs };
	cgroup->group_type = (struct config_item_type) {
		.ct_owner = owner, .ct_item_ops = &group_item_ops, .ct_group_ops = &group_ops };
	config_group_init_type_name(&cgroup->group, name, &cgroup->group_type);
	ret = register_group(parent, &cgroup->group);
	if (ret)
		config_group_put(&cgroup->group);
	else
		*place = cgroup;
	return ret;
}

void zio_config_group_unregister(struct zio_config_group **place)
{
	if (!*place)
		return;
	configfs_unregister_group(&(*place)->group);
	config_group_put(&(*place)->group);
	*place = NULL;
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

struct config_group zio_configfs_triggers;
struct config_group zio_configfs_devices;

/* Registers the directory of ZIO in configfs. */
int zio_configfs_init(void)
{
	config_group_init(&zio_subsys.su_group);
	config_group_init_type_name(&zio_configfs_triggers, "triggers", &plain_type);
	config_group_init_type_name(&zio_configfs_devices, "devices", &plain_type);
	configfs_add_default_group(&zio_configfs_triggers, &zio_subsys.su_group);
	configfs_add_default_group(&zio_configfs_devices, &zio_subsys.su_group);
	return configfs_register_subsystem(&zio_subsys);
}

/* Undoes zio_configfs_init(). */
void zio_configfs_exit(void)
{
	configfs_unregister_subsystem(&zio_subsys);
}
