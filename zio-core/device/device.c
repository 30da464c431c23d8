// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c: allocate, register and remove devices
 *
 * The core allocates devices, channel sets and channels, and counts references. A channel
 * holds its set; a set holds its device; an open node holds the channel. So all of them
 * stay while a reader uses them. After zio_device_unregister() the core no longer calls the
 * driver.
 *
 * A set starts out as "gone": configuration fails until the whole set works. Unregistration
 * undoes the same steps.
 */
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pm_runtime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/zio-stream.h>

#include "device/internal.h"

#define ZIO_MAX_ID	0xffff

static DEFINE_MUTEX(zio_names_lock);
static LIST_HEAD(zio_devices); /* sorted by number within a name */

/* Takes the number @id; if @id is negative, the lowest free number. */
static int take_id(struct zio_device *zdev, int id)
{
	struct zio_device *other;
	int ret = 0;

	zdev->id = max(id, 0);
	mutex_lock(&zio_names_lock);
	list_for_each_entry(other, &zio_devices, node) {
		if (strcmp(other->name, zdev->name) || other->id < zdev->id)
			continue;
		if (other->id > zdev->id)
			break;
		if (id >= 0) {
			ret = -EEXIST;
			break;
		}
		zdev->id++;
	}
	if (id < 0 && zdev->id > ZIO_MAX_ID)
		ret = -ENOSPC;
	if (!ret)
		list_add_tail(&zdev->node, &other->node);
	mutex_unlock(&zio_names_lock);
	return ret;
}

/* Called if registration fails, and at unregistration so that the board can come back. */
static void free_id(struct zio_device *zdev)
{
	mutex_lock(&zio_names_lock);
	list_del_init(&zdev->node);
	mutex_unlock(&zio_names_lock);
}

/* Returns true if a text ends like a name with a number, such as "zzero-0000". */
static bool name_has_id(const char *name, size_t len)
{
	const char *end = name + len - strlen("-0000");

	return end >= name && *end == '-' && strspn(end + 1, "0123456789abcdef") == 4;
}

/**
 * zio_device_name_is_valid() - check the name of a device that a user has chosen
 * @name: the name, or NULL
 *
 * Programs parse "NAME-ID-CSET-CHAN" from the right, and ID may be missing. So a name must
 * not end like one with a number. A leading '-' would look like an option.
 *
 * Context: Any.
 *
 * Return: true if zio_device_register() takes the name.
 */
bool zio_device_name_is_valid(const char *name)
{
	size_t len = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") : 0;

	return len && len < ZIO_OBJ_NAME_LEN && !name[len] && name[0] != '-' &&
		name[len - 1] != '-' && !name_has_id(name, len);
}
EXPORT_SYMBOL_GPL(zio_device_name_is_valid);

static bool cset_desc_is_valid(const struct zio_cset_desc *desc)
{
	const struct zio_board_trigger *trig = desc->board_trigger;
	bool is_interleaved = desc->flags & ZIO_CSET_INTERLEAVED;
	bool is_output = desc->flags & ZIO_CSET_OUTPUT;
	bool is_stream = desc->flags & ZIO_CSET_STREAM;
	unsigned int i, owner, blocks, sets = desc->ops && desc->ops->attr_request ?
		ZIO_OWNER_SETS : 0;

	if (!desc->ops || !desc->ops->raw_io)
		return false;
	if (desc->flags & ZIO_CSET_CYCLIC && !(is_stream && is_output))
		return false;
	if (is_stream && (!desc->ops->stop_io || desc->queue_depth > ZIO_MAX_QUEUE_DEPTH))
		return false;
	if (desc->trailer > U16_MAX || (desc->trailer && is_output))
		return false;
	if (desc->flags & ZIO_CSET_SHOTS &&
	    (is_output || is_stream || desc->flags & ZIO_CSET_ONE_PIECE))
		return false;
	owner = (desc->ops->attr_set ? ZIO_OWNER_SETS : 0) |
		(desc->ops->attr_get ? ZIO_OWNER_GETS : 0);
	blocks = owner | sets | ZIO_OWNER_BLOCKS | (is_output ? ZIO_OWNER_OUTPUT : 0);
	if (!zio_attrs_are_valid(desc->cset_attrs, desc->n_cset_attrs, blocks) ||
	    !zio_attrs_are_valid(desc->chan_attrs, desc->n_chan_attrs, blocks))
		return false;
	if (trig && (!trig->name || !*trig->name || strlen(trig->name) >= ZIO_OBJ_NAME_LEN ||
		     strpbrk(trig->name, " /\n") ||
		     !zio_attrs_are_valid(trig->attrs, trig->n_attrs, owner | ZIO_OWNER_TRIGGER)))
		return false;
	/* The control of an interleaved block cannot hold the values of each channel. */
	for (i = 0; is_interleaved && i < desc->n_chan_attrs; i++)
		if (desc->chan_attrs[i].place != ZIO_ATTR_PLACE_NONE)
			return false;
	return desc->n_chan && desc->n_chan <= (is_interleaved ? 64 : U16_MAX) &&
		desc->ssize <= U16_MAX && desc->nbits <= U16_MAX && desc->dma_bits <= 64 &&
		(!desc->align || is_power_of_2(desc->align));
}

bool zio_device_desc_is_valid(const struct zio_device_desc *desc)
{
	unsigned int i;

	if (!desc->n_cset || desc->n_cset > U16_MAX ||
	    !zio_attrs_are_valid(desc->attrs, desc->n_attrs,
				 desc->ops && (desc->ops->attr_set || desc->ops->attr_request) ?
				 ZIO_OWNER_SETS : 0))
		return false;
	for (i = 0; i < desc->n_cset; i++)
		if (!cset_desc_is_valid(&desc->cset[i]))
			return false;
	return true;
}

static void release_device(struct device *dev)
{
	struct zio_device *zdev = to_zio_device(dev);

	if (!list_empty(&zdev->node))
		free_id(zdev);
	zio_attr_set_free(&zdev->attrs);
	mutex_destroy(&zdev->lock);
	kfree(zdev);
}

/* Returns a device for put_device() to free. */
static struct zio_device *alloc_device(struct device *parent,
				       const struct zio_device_desc *desc,
				       int id, void *priv)
{
	struct zio_device *zdev;
	int ret;

	if (!zio_device_desc_is_valid(desc)) {
		pr_err("zio: %s: invalid descriptors\n", desc->name);
		return ERR_PTR(-EINVAL);
	}
	/* A user may have chosen the name: see drivers/zero/main.c. */
	if (!zio_device_name_is_valid(desc->name)) {
		pr_err("zio: invalid device name: \"%s\"\n", desc->name);
		return ERR_PTR(-EINVAL);
	}
	zdev = kzalloc(struct_size(zdev, cset, desc->n_cset), GFP_KERNEL);
	if (!zdev)
		return ERR_PTR(-ENOMEM);
	strscpy(zdev->name, desc->name, sizeof(zdev->name));
	zdev->desc = desc;
	zdev->owner = desc->owner;
	zdev->priv = priv;
	zdev->epoch = get_random_u32();
	INIT_LIST_HEAD(&zdev->node);
	mutex_init(&zdev->lock);
	device_initialize(&zdev->dev);
	zdev->dev.parent = parent;
	zdev->dev.bus = &zio_bus;
	zdev->dev.type = &zio_device_type;
	zdev->dev.release = release_device;
	pm_runtime_no_callbacks(&zdev->dev);
	ret = take_id(zdev, id) ?: dev_set_name(&zdev->dev, "%s-%04x", zdev->name, zdev->id) ?:
		zio_device_create_attrs(zdev);
	if (ret) {
		put_device(&zdev->dev);
		return ERR_PTR(ret);
	}
	return zdev;
}

static void unregister_sets(struct zio_device *zdev, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		zio_cset_shutdown(zdev->cset[i]);
	while (n--)
		zio_cset_remove(zdev->cset[n]);
}

static int register_sets(struct zio_device *zdev)
{
	struct zio_cset_core *cset;
	unsigned int i;

	for (i = 0; i < zdev->desc->n_cset; i++) {
		cset = zio_cset_create(zdev, &zdev->desc->cset[i], i);
		if (IS_ERR(cset)) {
			unregister_sets(zdev, i);
			return PTR_ERR(cset);
		}
		zdev->cset[i] = cset;
	}
	return 0;
}

/**
 * zio_device_register() - register a device and create its nodes
 * @parent: the board on its own bus, or NULL
 * @desc: describes the board; stays valid until the device is unregistered
 * @id: number among the devices of that name, or ZIO_ID_AUTO
 * @priv: for the driver's use, see zio_cset_priv()
 *
 * When the function returns, the nodes exist and work.
 *
 * Context: Process, sleeps.
 *
 * Return: the device; or an ERR_PTR, with everything undone: -EINVAL if the descriptor or
 * its name is invalid (see the kernel log); -EEXIST if the number is taken; -ENOSPC if all
 * numbers are; -ENOMEM; or an error of the driver's init(), of the buffer or the trigger
 * type, or of sysfs.
 */
struct zio_device *zio_device_register(struct device *parent,
				       const struct zio_device_desc *desc,
				       int id, void *priv)
{
	struct zio_device *zdev = alloc_device(parent, desc, id, priv);
	int ret;

	if (IS_ERR(zdev))
		return zdev;
	dev_set_uevent_suppress(&zdev->dev, true);
	ret = device_add(&zdev->dev);
	if (ret)
		goto err_add;
	ret = register_sets(zdev);
	if (ret)
		goto err_sets;
	ret = zio_device_add_files(zdev);
	if (ret)
		goto err_files;
	zio_bus_link(zdev);
	zio_device_link_sets(zdev);
	zio_device_show_sets(zdev, true);
	dev_set_uevent_suppress(&zdev->dev, false);
	kobject_uevent(&zdev->dev.kobj, KOBJ_ADD);
	return zdev;

err_files:
	unregister_sets(zdev, desc->n_cset);
err_sets:
	device_del(&zdev->dev);
err_add:
	put_device(&zdev->dev);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(zio_device_register);

/**
 * zio_device_unregister() - unregister a device whose board goes away
 * @zdev: a registered device; must not be used after the call
 *
 * Nodes may be open: processes that sleep in them are woken and get -ENODEV. stop_io()
 * takes armed blocks back. After the function returns, the core no longer calls the driver.
 *
 * Context: Process, sleeps.
 */
void zio_device_unregister(struct zio_device *zdev)
{
	zio_device_show_sets(zdev, false);
	zio_bus_unlink(zdev);
	zio_device_remove_files(zdev);
	unregister_sets(zdev, zdev->desc->n_cset);
	trace_zio_removed(zdev);
	device_del(&zdev->dev);
	free_id(zdev);
	put_device(&zdev->dev);
}
EXPORT_SYMBOL_GPL(zio_device_unregister);

static void unregister_action(void *data)
{
	zio_device_unregister(data);
}

/**
 * devm_zio_device_register() - register a device until the parent unbinds
 * @parent: the board on its own bus
 * @desc: describes the board; stays valid until the parent is unbound
 * @id: number among the devices of that name, or ZIO_ID_AUTO
 * @priv: for the driver's use
 *
 * Context: Process, sleeps.
 *
 * Return: the device; or an ERR_PTR, as zio_device_register().
 */
struct zio_device *devm_zio_device_register(struct device *parent,
					    const struct zio_device_desc *desc,
					    int id, void *priv)
{
	struct zio_device *zdev = zio_device_register(parent, desc, id, priv);
	int ret;

	if (IS_ERR(zdev))
		return zdev;
	ret = devm_add_action_or_reset(parent, unregister_action, zdev);
	return ret ? ERR_PTR(ret) : zdev;
}
EXPORT_SYMBOL_GPL(devm_zio_device_register);

/**
 * zio_device_dev() - get the struct device of a device
 * @zdev: the device
 *
 * For drivers that add their own files to its directory, or use its name for debugfs. They
 * remove what they add before zio_device_unregister(). devres of the parent does that if
 * they add it after devm_zio_device_register().
 *
 * Context: Any.
 *
 * Return: the device "NAME-ID", a child of the parent; valid until it is unregistered.
 */
struct device *zio_device_dev(struct zio_device *zdev)
{
	return &zdev->dev;
}
EXPORT_SYMBOL_GPL(zio_device_dev);

/**
 * zio_device_priv() - get the private data of a driver
 * @zdev: the device
 *
 * Context: Any.
 *
 * Return: the @priv of the registration, as zio_cset_priv().
 */
void *zio_device_priv(const struct zio_device *zdev)
{
	return zdev->priv;
}
EXPORT_SYMBOL_GPL(zio_device_priv);

/**
 * zio_device_id() - get the number of a device
 * @zdev: the device
 *
 * Context: Any.
 *
 * Return: the number, among the devices of this name.
 */
int zio_device_id(const struct zio_device *zdev)
{
	return zdev->id;
}
EXPORT_SYMBOL_GPL(zio_device_id);
