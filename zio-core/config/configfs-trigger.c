// SPDX-License-Identifier: GPL-2.0-only
/*
 * configfs-trigger.c: /sys/kernel/config/zio, and the shared triggers in it
 *
 *   triggers/<type>/<name>/   mkdir makes a trigger, which channel sets can use by its
 *                             name; rmdir fails while a set uses it
 *   devices/<driver>/<name>/  see configfs-device.c
 */
#include <linux/completion.h>
#include <linux/configfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "config/internal.h"

#if IS_ENABLED(CONFIG_CONFIGFS_FS)

struct zio_trigger_item {
	struct config_item item;
	struct zio_trigger *trig;
};

static struct zio_trigger *trigger_of(struct config_item *item)
{
	return container_of(item, struct zio_trigger_item, item)->trig;
}

/* The attributes of the type, in the order of the type */

static ssize_t show_slot(struct config_item *item, unsigned int slot,
			 char *page)
{
	return zio_trigger_show(trigger_of(item), slot, page);
}

static int store_slot(struct config_item *item, unsigned int slot,
		      const char *text)
{
	return zio_trigger_store(trigger_of(item), slot, text, zio_trigger_refresh);
}

#include "config/configfs.h"

/* The attributes of all triggers */

static ssize_t trigger_enable_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(trigger_of(item)->enabled));
}

static ssize_t trigger_enable_store(struct config_item *item, const char *text,
				    size_t count)
{
	bool enable;
	int ret = zio_attr_parse_bool(text, &enable);

	if (!ret)
		ret = zio_trigger_enable(trigger_of(item), enable);
	return ret ?: count;
}

static ssize_t trigger_clock_show(struct config_item *item, char *page)
{
	return zio_trigger_show_clock(trigger_of(item), page);
}

static ssize_t trigger_clock_store(struct config_item *item, const char *text,
				   size_t count)
{
	return zio_trigger_set_clock(trigger_of(item), text,
				     zio_trigger_refresh) ?: count;
}

static ssize_t trigger_clock_source_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, ZIO_CLOCK_OF_KERNEL "\n");
}

static ssize_t trigger_fired_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%lld\n",
			  atomic64_read(&trigger_of(item)->fired));
}

static ssize_t trigger_missed_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%lld\n",
			  atomic64_read(&trigger_of(item)->missed));
}

/* configfs refuses longer texts, also where a page is larger. */
#define LONGEST_TEXT	4096
#define LONGEST_CSET	(sizeof("/cset4294967295\n") + ZIO_OBJ_NAME_LEN + 5)

/* "..." stands for the sets that do not fit. */
static ssize_t trigger_csets_show(struct config_item *item, char *page)
{
	struct zio_trigger *trig = trigger_of(item);
	struct zio_binding *bind;
	ssize_t len = 0;

	mutex_lock(&trig->lock);
	list_for_each_entry(bind, &trig->bindings, node) {
		if (len + LONGEST_CSET + sizeof("...\n") > LONGEST_TEXT) {
			len += sysfs_emit_at(page, len, "...\n");
			break;
		}
		len += sysfs_emit_at(page, len, "%s/cset%u\n",
				     dev_name(&bind->cset->zdev->dev),
				     bind->cset->index);
	}
	mutex_unlock(&trig->lock);
	return len;
}

static ssize_t trigger_n_csets_show(struct config_item *item, char *page)
{
	struct zio_trigger *trig = trigger_of(item);
	struct zio_binding *bind;
	unsigned int n = 0;

	mutex_lock(&trig->lock);
	list_for_each_entry(bind, &trig->bindings, node)
		n++;
	mutex_unlock(&trig->lock);
	return sysfs_emit(page, "%u\n", n);
}

CONFIGFS_ATTR(trigger_, enable);
CONFIGFS_ATTR(trigger_, clock);
CONFIGFS_ATTR_RO(trigger_, fired);
CONFIGFS_ATTR_RO(trigger_, missed);
CONFIGFS_ATTR_RO(trigger_, csets);

static struct configfs_attribute trigger_attr_n_csets = {
	.ca_name = "n-csets",
	.ca_mode = 0444,
	.ca_owner = THIS_MODULE,
	.show = trigger_n_csets_show,
};

static struct configfs_attribute trigger_attr_clock_source = {
	.ca_name = "clock-source",
	.ca_mode = 0444,
	.ca_owner = THIS_MODULE,
	.show = trigger_clock_source_show,
};

static struct configfs_attribute *common_attrs[] = {
	&trigger_attr_enable,
	&trigger_attr_clock,
	&trigger_attr_clock_source,
	&trigger_attr_fired,
	&trigger_attr_missed,
	&trigger_attr_csets,
	&trigger_attr_n_csets,
};

#define N_COMMON	ARRAY_SIZE(common_attrs)

/* The directory of a type */
struct zio_trigger_group {
	struct config_group group;
	struct config_item_type group_type;
	struct config_item_type item_type;
	const struct zio_trigger_type *type;
	struct configfs_attribute attr[ZIO_MAX_TRIGGER_ATTRS];
	struct configfs_attribute *attrs[N_COMMON + ZIO_MAX_TRIGGER_ATTRS + 1];
};

/* A file of the directory may be open until here, so the module is held until here. */
static void release_item(struct config_item *item)
{
	struct zio_trigger *trig = trigger_of(item);
	struct module *owner;

	if (trig) {
		owner = trig->type->owner;
		zio_trigger_free_shared(trig);
		module_put(owner);
	}
	kfree(container_of(item, struct zio_trigger_item, item));
}

static struct configfs_item_operations item_ops = {
	.release = release_item,
};

static struct config_item *create_trigger(struct zio_trigger_group *tgroup,
					  const char *name)
{
	struct zio_trigger_item *titem = kzalloc(sizeof(*titem), GFP_KERNEL);
	struct zio_trigger *trig;

	if (!titem)
		return ERR_PTR(-ENOMEM);
	config_item_init_type_name(&titem->item, name, &tgroup->item_type);
	trig = zio_trigger_create_shared(tgroup->type, name, &titem->item);
	if (IS_ERR(trig)) {
		config_item_put(&titem->item);
		return ERR_CAST(trig);
	}
	titem->trig = trig;
	return &titem->item;
}

static struct config_item *make_trigger(struct config_group *group,
					const char *name)
{
	struct zio_trigger_group *tgroup =
		container_of(group, struct zio_trigger_group, group);
	struct config_item *item;

	/* The module may be unloading, and this directory goes with it. */
	if (!try_module_get(tgroup->type->owner))
		return ERR_PTR(-ENODEV);
	item = create_trigger(tgroup, name);
	if (IS_ERR(item))
		module_put(tgroup->type->owner);
	return item;
}

static void drop_trigger(struct config_group *group, struct config_item *item)
{
	zio_trigger_hide_shared(trigger_of(item));
	config_item_put(item);
}

static struct configfs_group_operations group_ops = {
	.make_item = make_trigger,
	.drop_item = drop_trigger,
};

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

static struct config_group triggers_group;
static struct config_group devices_group;

/* Configfs calls this after the last user has left the directory. */
static void release_group(struct config_item *item)
{
	kfree(container_of(to_config_group(item), struct zio_trigger_group,
			   group));
}

static struct configfs_item_operations group_item_ops = {
	.release = release_group,
};

static void fill_attrs(struct zio_trigger_group *tgroup)
{
	const struct zio_trigger_type *type = tgroup->type;
	unsigned int i;

	BUILD_BUG_ON(ZIO_SLOTS < ZIO_MAX_TRIGGER_ATTRS);
	memcpy(tgroup->attrs, common_attrs, sizeof(common_attrs));
	for (i = 0; i < type->n_attrs; i++) {
		bool action = type->attrs[i].kind == ZIO_TRIGGER_ACTION;

		zio_slot_init(&tgroup->attr[i], i, type->attrs[i].name,
			      action ? 0200 : 0644, type->owner);
		tgroup->attrs[N_COMMON + i] = &tgroup->attr[i];
	}
}

/* Makes the directory in which users make triggers of a type. */
static int add_type(struct zio_trigger_type *type)
{
	struct zio_trigger_group *tgroup = kzalloc(sizeof(*tgroup), GFP_KERNEL);
	int ret;

	if (!tgroup)
		return -ENOMEM;
	tgroup->type = type;
	fill_attrs(tgroup);
	tgroup->item_type.ct_owner = type->owner;
	tgroup->item_type.ct_item_ops = &item_ops;
	tgroup->item_type.ct_attrs = tgroup->attrs;
	tgroup->group_type.ct_owner = type->owner;
	tgroup->group_type.ct_group_ops = &group_ops;
	tgroup->group_type.ct_item_ops = &group_item_ops;
	config_group_init_type_name(&tgroup->group, type->name,
				    &tgroup->group_type);
	ret = configfs_register_group(&triggers_group, &tgroup->group);
	if (ret) {
		config_group_put(&tgroup->group);
		return ret;
	}
	type->group = tgroup;
	return 0;
}

static void remove_type(struct zio_trigger_type *type)
{
	if (!type->group)
		return;
	configfs_unregister_group(&type->group->group);
	config_group_put(&type->group->group);
	type->group = NULL;
}

struct pin {
	struct work_struct work;
	struct completion done;
	struct config_item *item;
	int ret;
};

static void depend_item(struct work_struct *work)
{
	struct pin *pin = container_of(work, struct pin, work);

	pin->ret = configfs_depend_item(&zio_subsys, pin->item);
	complete(&pin->done);
}

/*
 * Lets configfs refuse rmdir of the directory. The caller is in a sysfs file, and configfs
 * locks its root here. rmdir of a device removes sysfs files with other directories of
 * configfs locked. Lockdep cannot distinguish these directories, so a thread takes the
 * lock.
 */
static int pin_item(struct zio_trigger *trig)
{
	struct pin pin = { .item = trig->item };

	init_completion(&pin.done);
	INIT_WORK_ONSTACK(&pin.work, depend_item);
	queue_work(system_dfl_wq, &pin.work);
	wait_for_completion(&pin.done);
	destroy_work_on_stack(&pin.work);
	config_item_put(trig->item);
	return pin.ret;
}

static void unpin_item(struct zio_trigger *trig)
{
	configfs_undepend_item(trig->item);
}

struct config_group *zio_configfs_devices(void)
{
	return &devices_group;
}

/**
 * zio_configfs_init() - register the directory of ZIO in configfs
 *
 * Context: Process, sleeps.
 *
 * Return: 0; or an error of configfs.
 */
int zio_configfs_init(void)
{
	config_group_init(&zio_subsys.su_group);
	config_group_init_type_name(&triggers_group, "triggers", &plain_type);
	config_group_init_type_name(&devices_group, "devices", &plain_type);
	configfs_add_default_group(&triggers_group, &zio_subsys.su_group);
	configfs_add_default_group(&devices_group, &zio_subsys.su_group);
	return configfs_register_subsystem(&zio_subsys);
}

/**
 * zio_configfs_exit() - undo zio_configfs_init()
 *
 * Context: Process, sleeps.
 */
void zio_configfs_exit(void)
{
	configfs_unregister_subsystem(&zio_subsys);
}

const struct zio_trigger_config_ops zio_trigger_config_ops = {
	.ktype = &zio_binding_kind.ktype,
	.add_files = zio_binding_add_files,
	.add_type = add_type,
	.remove_type = remove_type,
	.pin_item = pin_item,
	.unpin_item = unpin_item,
};

#else

const struct zio_trigger_config_ops zio_trigger_config_ops = {
	.ktype = &zio_binding_kind.ktype,
	.add_files = zio_binding_add_files,
};

int zio_configfs_init(void)
{
	return 0;
}

void zio_configfs_exit(void)
{
}

#endif /* CONFIG_CONFIGFS_FS */
