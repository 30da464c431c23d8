// SPDX-License-Identifier: GPL-2.0-only
/*
 * configfs-device.c: devices that users make by mkdir in /sys/kernel/config/zio/devices
 *
 * A user makes a directory, sets its attributes, and writes 1 to "live". This registers a
 * platform device with the attributes as properties, and the driver's probe() runs. The
 * device is unplugged when the user writes 0 to "live", or removes the directory.
 */
#include <linux/capability.h>
#include <linux/configfs.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/zio-config.h>

#include "config/internal.h"

#define ZIO_PROPERTY_ID	"zio-id"

/**
 * zio_config_value() - get an attribute of the device, for its probe()
 * @dev: the platform device
 * @name: name of the attribute
 * @fallback: the value for a device that was not made in configfs
 *
 * Context: Process.
 *
 * Return: the value; for an attribute with choices, the position of the word.
 */
u32 zio_config_value(struct device *dev, const char *name, u32 fallback)
{
	u32 value;

	return device_property_read_u32(dev, name, &value) ? fallback : value;
}
EXPORT_SYMBOL_GPL(zio_config_value);

/**
 * zio_config_text() - get an attribute of the device that is a text
 * @dev: the platform device
 * @name: name of the attribute
 * @fallback: the text for a device that was not made in configfs; may be NULL
 *
 * Context: Process.
 *
 * Return: the text, which lives as long as the device; empty if the user has set none.
 */
const char *zio_config_text(struct device *dev, const char *name,
			    const char *fallback)
{
	const char *text;

	return device_property_read_string(dev, name, &text) ? fallback : text;
}
EXPORT_SYMBOL_GPL(zio_config_text);

/**
 * zio_config_id() - get the number to pass to zio_device_alloc()
 * @dev: the platform device
 * @fallback: the number for a device that was not made in configfs
 *
 * Context: Process.
 *
 * Return: a number, or ZIO_ID_AUTO.
 */
int zio_config_id(struct device *dev, int fallback)
{
	return zio_config_value(dev, ZIO_PROPERTY_ID, fallback);
}
EXPORT_SYMBOL_GPL(zio_config_id);

#if IS_ENABLED(CONFIG_CONFIGFS_FS)

struct zio_config_item {
	struct config_item item;
	const struct zio_config_type *type;
	struct mutex lock; /* the fields below */
	struct platform_device *pdev;
	u32 id; /* or ZIO_ID_AUTO */
	u32 value[ZIO_MAX_CONFIG_ATTRS];
	char *text[ZIO_MAX_CONFIG_ATTRS];
};

static struct zio_config_item *to_citem(struct config_item *item)
{
	return container_of(item, struct zio_config_item, item);
}

static ssize_t show_text(struct zio_config_item *citem, unsigned int slot,
			 char *page)
{
	ssize_t len;

	mutex_lock(&citem->lock);
	len = sysfs_emit(page, "%s\n", citem->text[slot] ?: "");
	mutex_unlock(&citem->lock);
	return len;
}

static ssize_t show_slot(struct config_item *item, unsigned int slot,
			 char *page)
{
	struct zio_config_item *citem = to_citem(item);
	const struct zio_config_attr *attr = &citem->type->attrs[slot];
	u32 value = READ_ONCE(citem->value[slot]);

	if (attr->text)
		return show_text(citem, slot, page);
	if (attr->choices)
		return sysfs_emit(page, "%s\n", attr->choices[value]);
	return sysfs_emit(page, "%u\n", value);
}

static int parse_choice(const struct zio_config_attr *attr, const char *text,
			u32 *value)
{
	int i;

	for (i = 0; attr->choices[i]; i++)
		if (sysfs_streq(text, attr->choices[i])) {
			*value = i;
			return 0;
		}
	return -EINVAL;
}

static int parse_value(const struct zio_config_attr *attr, const char *text,
		       u32 *value)
{
	int ret;

	if (attr->choices)
		return parse_choice(attr, text, value);
	ret = kstrtou32(text, 0, value);
	if (ret)
		return ret;
	return *value < attr->min || *value > attr->max ? -ERANGE : 0;
}

static int store_text(struct zio_config_item *citem, unsigned int slot,
		      const char *text)
{
	size_t len = strcspn(text, "\n");
	char *copy;
	int ret = 0;

	if (len >= ZIO_CONFIG_TEXT_SIZE)
		return -E2BIG;
	copy = kmemdup_nul(text, len, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	mutex_lock(&citem->lock);
	if (citem->pdev)
		ret = -EBUSY;
	else
		swap(citem->text[slot], copy);
	mutex_unlock(&citem->lock);
	kfree(copy);
	return ret;
}

static int set_value(struct zio_config_item *citem, u32 *place, u32 value)
{
	int ret = 0;

	mutex_lock(&citem->lock);
	if (citem->pdev)
		ret = -EBUSY;
	else
		WRITE_ONCE(*place, value);
	mutex_unlock(&citem->lock);
	return ret;
}

static int store_slot(struct config_item *item, unsigned int slot,
		      const char *text)
{
	const struct zio_config_attr *attr = &to_citem(item)->type->attrs[slot];
	struct zio_config_item *citem = to_citem(item);
	u32 value;
	int ret;

	if (attr->raw_io && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (attr->text)
		return store_text(citem, slot, text);
	ret = parse_value(attr, text, &value);
	if (ret)
		return ret;
	return set_value(citem, &citem->value[slot], value);
}

#include "config/configfs.h"

static ssize_t device_id_show(struct config_item *item, char *page)
{
	int id = READ_ONCE(to_citem(item)->id);

	return id == ZIO_ID_AUTO ? sysfs_emit(page, "auto\n") : sysfs_emit(page, "%d\n", id);
}

static ssize_t device_id_store(struct config_item *item, const char *text,
			       size_t count)
{
	struct zio_config_item *citem = to_citem(item);
	bool is_auto = sysfs_streq(text, "auto");
	u16 id;
	int ret = is_auto ? 0 : kstrtou16(text, 0, &id);

	if (!ret)
		ret = set_value(citem, &citem->id, is_auto ? ZIO_ID_AUTO : id);
	return ret ?: count;
}

static int is_zio_device(struct device *dev, ZIO_MATCH_CONST void *data)
{
	return dev->bus == &zio_bus;
}

/* Shows the name in /sys/bus/zio/devices; nothing while the device is not live. */
static ssize_t device_name_show(struct config_item *item, char *page)
{
	struct zio_config_item *citem = to_citem(item);
	struct device *dev = NULL;
	ssize_t len = 0;

	mutex_lock(&citem->lock);
	if (citem->pdev)
		dev = device_find_child(&citem->pdev->dev, NULL, is_zio_device);
	mutex_unlock(&citem->lock);
	if (dev)
		len = sysfs_emit(page, "%s\n", dev_name(dev));
	put_device(dev);
	return len;
}

static ssize_t device_live_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", !!READ_ONCE(to_citem(item)->pdev));
}

static void list_properties(struct zio_config_item *citem,
			    struct property_entry *prop)
{
	unsigned int i;

	*prop++ = PROPERTY_ENTRY_U32(ZIO_PROPERTY_ID, citem->id);
	for (i = 0; i < citem->type->n_attrs; i++) {
		const char *name = citem->type->attrs[i].name;

		if (citem->type->attrs[i].text)
			*prop++ = PROPERTY_ENTRY_STRING(name,
							citem->text[i] ?: "");
		else
			*prop++ = PROPERTY_ENTRY_U32(name, citem->value[i]);
	}
}

/*
 * Registration does not return the error of probe(). Attaching once more returns it.
 */
static int have_driver(struct zio_config_item *citem,
		       struct platform_device *pdev)
{
	struct device_driver *driver = &citem->type->driver->driver;
	int ret;

	if (READ_ONCE(pdev->dev.driver))
		return 0;
	ret = device_driver_attach(driver, &pdev->dev);
	return ret == -EBUSY && READ_ONCE(pdev->dev.driver) ? 0 : ret;
}

static int plug(struct zio_config_item *citem)
{
	struct property_entry prop[ZIO_MAX_CONFIG_ATTRS + 2] = { };
	struct platform_device_info info = {
		.name = citem->type->driver->driver.name,
		.id = PLATFORM_DEVID_AUTO,
		.properties = prop,
	};
	struct platform_device *pdev;
	int ret;

	if (citem->pdev)
		return 0;
	list_properties(citem, prop);
	pdev = platform_device_register_full(&info);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	ret = have_driver(citem, pdev);
	if (ret)
		platform_device_unregister(pdev);
	else
		WRITE_ONCE(citem->pdev, pdev);
	return ret;
}

static void unplug(struct zio_config_item *citem)
{
	if (citem->pdev)
		platform_device_unregister(citem->pdev);
	WRITE_ONCE(citem->pdev, NULL);
}

static ssize_t device_live_store(struct config_item *item, const char *text,
				 size_t count)
{
	struct zio_config_item *citem = to_citem(item);
	bool live;
	int ret = zio_attr_parse_bool(text, &live);

	if (ret)
		return ret;
	mutex_lock(&citem->lock);
	if (live)
		ret = plug(citem);
	else
		unplug(citem);
	mutex_unlock(&citem->lock);
	return ret ?: count;
}

CONFIGFS_ATTR(device_, live);
CONFIGFS_ATTR(device_, id);
CONFIGFS_ATTR_RO(device_, name);

static struct configfs_attribute *common_attrs[] = {
	&device_attr_live,
	&device_attr_id,
	&device_attr_name,
};

#define N_COMMON	ARRAY_SIZE(common_attrs)

/* The directory of a driver */
struct zio_config_group {
	struct config_group group;
	struct config_item_type group_type;
	struct config_item_type item_type;
	const struct zio_config_type *type;
	struct configfs_attribute attr[ZIO_MAX_CONFIG_ATTRS];
	struct configfs_attribute *attrs[N_COMMON + ZIO_MAX_CONFIG_ATTRS + 1];
};

/*
 * rmdir drops the last reference after it has unlocked the subsystem. A module that is
 * being loaded for this device needs the subsystem to make a directory of its own. The
 * core holds the module of the driver until here.
 */
static void release_item(struct config_item *item)
{
	struct zio_config_item *citem = to_citem(item);
	struct module *owner = citem->type->owner;
	unsigned int i;

	unplug(citem);
	for (i = 0; i < ZIO_MAX_CONFIG_ATTRS; i++)
		kfree(citem->text[i]);
	mutex_destroy(&citem->lock);
	kfree(citem);
	module_put(owner);
}

static struct configfs_item_operations item_ops = {
	.release = release_item,
};

static struct config_item *make_device(struct config_group *group,
				       const char *name)
{
	struct zio_config_group *cgroup =
		container_of(group, struct zio_config_group, group);
	struct zio_config_item *citem;
	unsigned int i;

	/* The module may be unloading, and this directory goes with it. */
	if (!try_module_get(cgroup->type->owner))
		return ERR_PTR(-ENODEV);
	citem = kzalloc(sizeof(*citem), GFP_KERNEL);
	if (!citem) {
		module_put(cgroup->type->owner);
		return ERR_PTR(-ENOMEM);
	}
	config_item_init_type_name(&citem->item, name, &cgroup->item_type);
	mutex_init(&citem->lock);
	citem->type = cgroup->type;
	citem->id = ZIO_ID_AUTO;
	for (i = 0; i < citem->type->n_attrs; i++)
		citem->value[i] = citem->type->attrs[i].value;
	return &citem->item;
}

static struct configfs_group_operations group_ops = {
	.make_item = make_device,
};

/* Configfs calls this after the last user has left the directory. */
static void release_group(struct config_item *item)
{
	kfree(container_of(to_config_group(item), struct zio_config_group,
			   group));
}

static struct configfs_item_operations group_item_ops = {
	.release = release_group,
};

static void fill_attrs(struct zio_config_group *cgroup)
{
	const struct zio_config_type *type = cgroup->type;
	unsigned int i;

	BUILD_BUG_ON(ZIO_SLOTS != ZIO_MAX_CONFIG_ATTRS);
	memcpy(cgroup->attrs, common_attrs, sizeof(common_attrs));
	for (i = 0; i < type->n_attrs; i++) {
		zio_slot_init(&cgroup->attr[i], i, type->attrs[i].name, 0644,
			      type->owner);
		cgroup->attrs[N_COMMON + i] = &cgroup->attr[i];
	}
}

/**
 * zio_config_type_register() - let users make devices of a driver by mkdir
 * @type: stays valid until it is unregistered; its driver is registered
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EINVAL if there are too many attributes; -ENOMEM; -EEXIST.
 */
int zio_config_type_register(struct zio_config_type *type)
{
	struct zio_config_group *cgroup;
	int ret;

	if (WARN_ON(type->n_attrs > ZIO_MAX_CONFIG_ATTRS))
		return -EINVAL;
	cgroup = kzalloc(sizeof(*cgroup), GFP_KERNEL);
	if (!cgroup)
		return -ENOMEM;
	cgroup->type = type;
	fill_attrs(cgroup);
	cgroup->item_type.ct_owner = type->owner;
	cgroup->item_type.ct_item_ops = &item_ops;
	cgroup->item_type.ct_attrs = cgroup->attrs;
	cgroup->group_type.ct_owner = type->owner;
	cgroup->group_type.ct_group_ops = &group_ops;
	cgroup->group_type.ct_item_ops = &group_item_ops;
	config_group_init_type_name(&cgroup->group, type->name,
				    &cgroup->group_type);
	ret = configfs_register_group(zio_configfs_devices(), &cgroup->group);
	if (ret) {
		config_group_put(&cgroup->group);
		return ret;
	}
	type->group = cgroup;
	return 0;
}
EXPORT_SYMBOL_GPL(zio_config_type_register);

/**
 * zio_config_type_unregister() - undo zio_config_type_register()
 * @type: a type without devices; each device holds the module of its type
 *
 * Context: Process, sleeps.
 */
void zio_config_type_unregister(struct zio_config_type *type)
{
	if (!type->group)
		return;
	configfs_unregister_group(&type->group->group);
	config_group_put(&type->group->group);
	type->group = NULL;
}
EXPORT_SYMBOL_GPL(zio_config_type_unregister);

#endif /* CONFIG_CONFIGFS_FS */
