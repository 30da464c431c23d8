// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.c: the nodes in /dev/zio, and open()
 *
 * A channel has two consecutive minors: even for control, odd for data. An open file
 * holds the channel and the driver's module, not the device.
 *
 * When a channel goes, its index stays reserved, without a channel, until both nodes are
 * removed. So no other channel gets a name or a number that is in use.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "channel/internal.h"

#define ZIO_N_MINORS	BIT(MINORBITS)

static dev_t zio_devt;
static struct cdev zio_cdev;
struct class *zio_class;
static DEFINE_XARRAY_ALLOC(zio_channels);
const struct zio_share_ops *zio_share_ops;

static const struct file_operations *pick_fops(struct zio_channel_core *chan,
					       bool data)
{
	if (zio_cset_is_output(chan->cset))
		return data ? &zio_data_out_fops : &zio_ctrl_out_fops;
	return data ? &zio_data_in_fops : &zio_ctrl_in_fops;
}

static struct zio_channel_core *get_channel(unsigned int minor)
{
	struct zio_channel_core *chan;

	xa_lock(&zio_channels);
	chan = xa_load(&zio_channels, minor / 2);
	if (chan && try_module_get(chan->cset->zdev->owner))
		kobject_get(&chan->kobj);
	else
		chan = NULL;
	xa_unlock(&zio_channels);
	return chan;
}

/*
 * An input is read and an output is written. O_RDWR is for programs that map an output's
 * nodes, or an input's ring.
 */
static int check_mode(struct zio_channel_core *chan, struct file *file, bool data)
{
	fmode_t mode = file->f_mode & (FMODE_READ | FMODE_WRITE);

	if (zio_cset_is_output(chan->cset))
		return mode == FMODE_READ ? -EACCES : 0;
	if (mode == FMODE_READ)
		return 0;
	return mode == FMODE_WRITE || data ? -EACCES : 0;
}

static int get_cset_file(struct zio_cset_core *cset)
{
	int ret = zio_cset_lock(cset);

	if (ret)
		return ret;
	cset->open_files++;
	mutex_unlock(&cset->mutex);
	return 0;
}

/* After the last file is closed, users may replace the buffers. */
void zio_cset_put_file(struct zio_cset_core *cset)
{
	mutex_lock(&cset->mutex);
	cset->open_files--;
	mutex_unlock(&cset->mutex);
}

static int open_channel(struct zio_channel_core *chan, struct file *file, bool data)
{
	bool ring = !data && !zio_cset_is_output(chan->cset) &&
		(file->f_mode & FMODE_WRITE);
	struct zio_session *sess;
	int ret = check_mode(chan, file, data);

	if (ret)
		return ret;
	sess = zio_session_open(chan);
	if (IS_ERR(sess))
		return PTR_ERR(sess);
	ret = get_cset_file(chan->cset);
	if (ret)
		goto err_count;
	ret = ring ? zio_ring_open(chan) : 0;
	if (ret)
		goto err_ring;
	file->private_data = sess;
	return 0;

err_ring:
	zio_cset_put_file(chan->cset);
err_count:
	zio_session_close(sess);
	return ret;
}

static void put_channel(struct zio_channel_core *chan)
{
	struct module *owner = chan->cset->zdev->owner;

	kobject_put(&chan->kobj);
	module_put(owner);
}

/*
 * open() may have found the inode of a node that was removed meanwhile. Its number may
 * belong to another channel now. An index is free only after devtmpfs has unlinked both
 * nodes. So the inode of such a node has no link.
 */
static bool is_node_of_another(const struct inode *inode)
{
	return !READ_ONCE(inode->i_nlink);
}

/*
 * A stream has no position. pread() and pwrite() work and ignore the position. O_DIRECT
 * works and requires no alignment.
 */
static int open_stream(struct inode *inode, struct file *file)
{
	stream_open(inode, file);
	file->f_mode |= FMODE_PREAD | FMODE_PWRITE | FMODE_CAN_ODIRECT;
	return 0;
}

static int open_node(struct inode *inode, struct file *file)
{
	struct zio_channel_core *chan = get_channel(iminor(inode));
	int ret = -ENODEV;

	if (!chan)
		return ret;
	if (!is_node_of_another(inode))
		ret = open_channel(chan, file, iminor(inode) & 1);
	if (ret) {
		put_channel(chan);
		return ret;
	}
	replace_fops(file, fops_get(pick_fops(chan, iminor(inode) & 1)));
	/* fanotify does not watch samples: its hooks would cost each read. */
	file->f_mode |= FMODE_NOWAIT | FMODE_NONOTIFY;
	return open_stream(inode, file);
}

static const struct file_operations zio_open_fops = {
	.owner = THIS_MODULE,
	.open = open_node,
};

static char *name_node(ZIO_DEV_CONST struct device *dev, umode_t *mode)
{
	struct zio_channel_core *chan = dev_get_drvdata(dev);

	/* A program that maps an output, or a ring, needs to read and to write. */
	if (mode && zio_cset_is_output(chan->cset))
		*mode = 0660;
	else if (mode)
		*mode = dev == &chan->node[1] ? 0440 : 0660;
	return kasprintf(GFP_KERNEL, "zio/%s", dev_name(dev));
}

/* A rule of udev can give outputs and inputs different groups. */
static int add_direction(ZIO_DEV_CONST struct device *dev,
			 struct kobj_uevent_env *env)
{
	struct zio_channel_core *chan = dev_get_drvdata(dev);

	return add_uevent_var(env, "ZIO_DIRECTION=%s",
			      zio_cset_is_output(chan->cset) ? "output" : "input");
}

static void release_node(struct device *dev)
{
	struct zio_channel_core *chan = dev_get_drvdata(dev);

	kobject_put(&chan->kobj);
}

static int create_node(struct zio_channel_core *chan, bool data)
{
	struct zio_device *zdev = chan->cset->zdev;
	struct device *dev = &chan->node[data];
	int ret;

	device_initialize(dev);
	kobject_get(&chan->kobj);
	dev->devt = zio_devt + chan->minor * 2 + data;
	dev->class = zio_class;
	dev->parent = &zdev->dev;
	dev->release = release_node;
	dev_set_drvdata(dev, chan);
	device_set_pm_not_required(dev);
	ret = dev_set_name(dev, "%s-%04x-%u-%u-%s", zdev->name, zdev->id,
			   chan->cset->index, chan->pub.index,
			   data ? "data" : "ctrl");
	if (!ret)
		ret = device_add(dev);
	if (ret)
		put_device(dev);
	return ret;
}

/* The xarray keeps the index reserved while its entry is NULL. */
static void hide_channel(struct zio_channel_core *chan)
{
	xa_store(&zio_channels, chan->minor, NULL, GFP_KERNEL);
}

/**
 * zio_nodes_create() - create both nodes of a channel
 * @chan: the channel
 *
 * Programs can open the nodes before the function returns.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EBUSY if all minors are in use; or an error of the driver core.
 */
int zio_nodes_create(struct zio_channel_core *chan)
{
	int ret;

	ret = xa_alloc(&zio_channels, &chan->minor, chan,
		       XA_LIMIT(0, ZIO_N_MINORS / 2 - 1), GFP_KERNEL);
	if (ret)
		return ret;
	ret = create_node(chan, false);
	if (ret)
		goto err_ctrl;
	ret = create_node(chan, true);
	if (ret)
		goto err_data;
	chan->has_nodes = true;
	return 0;

err_data:
	hide_channel(chan);
	device_unregister(&chan->node[0]);
err_ctrl:
	xa_erase(&zio_channels, chan->minor);
	return ret;
}

/**
 * zio_nodes_remove() - remove both nodes of a channel
 * @chan: the channel
 *
 * Waits until devtmpfs has removed the files.
 *
 * Context: Process, sleeps.
 */
void zio_nodes_remove(struct zio_channel_core *chan)
{
	if (!chan->has_nodes)
		return;
	chan->has_nodes = false;
	hide_channel(chan);
	device_unregister(&chan->node[1]);
	device_unregister(&chan->node[0]);
	xa_erase(&zio_channels, chan->minor);
}

/**
 * zio_nodes_init() - initialise the nodes
 * @ops: operations of the share folder
 *
 * Context: Process, sleeps.
 *
 * Return: 0; or an error of the driver core.
 */
int zio_nodes_init(const struct zio_share_ops *ops)
{
	int ret;

	zio_share_ops = ops;
	zio_class = zio_class_create("zio");
	if (IS_ERR(zio_class))
		return PTR_ERR(zio_class);
	zio_class->devnode = name_node;
	zio_class->dev_uevent = add_direction;
	ret = alloc_chrdev_region(&zio_devt, 0, ZIO_N_MINORS, "zio");
	if (ret)
		goto err_region;
	cdev_init(&zio_cdev, &zio_open_fops);
	ret = cdev_add(&zio_cdev, zio_devt, ZIO_N_MINORS);
	if (ret)
		goto err_cdev;
	ret = zio_set_nodes_init();
	if (ret)
		goto err_sets;
	return 0;

err_sets:
	cdev_del(&zio_cdev);
err_cdev:
	unregister_chrdev_region(zio_devt, ZIO_N_MINORS);
err_region:
	class_destroy(zio_class);
	return ret;
}

/**
 * zio_nodes_exit() - undo zio_nodes_init()
 *
 * Context: Process, sleeps.
 */
void zio_nodes_exit(void)
{
	zio_set_nodes_exit();
	cdev_del(&zio_cdev);
	unregister_chrdev_region(zio_devt, ZIO_N_MINORS);
	class_destroy(zio_class);
	xa_destroy(&zio_channels);
}
