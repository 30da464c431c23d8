// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.c: the nodes in /dev/zio, and open()
 *
 * Each channel has a control node and a data node. An input set with several channels has one more
 * node, for its ring, which belongs to its first channel. An interleaved set also has nodes with
 * the names of ZIO 1.x: "-i-" instead of "-0-". A node's driver data is its channel, which it
 * holds. A channel holds its set.
 *
 * After a node is removed, its minor stays reserved until devtmpfs has removed the file. No other
 * node can get a name or number still in use.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "channel/tap.h"

#define N_MINORS	BIT(MINORBITS)

static int zio_major;
static struct class *zio_class;
static DEFINE_XARRAY_ALLOC(zio_nodes);

/* Returns the node's channel; for the node of a set, its first. */
static struct zio_channel_core *node_channel(const struct device *node)
{
	return dev_get_drvdata(node);
}

/* A node's file operations identify its kind. */
static const struct file_operations *node_fops(const struct device *node)
{
	return node->platform_data;
}

/* Returns a node and holds its channel for zio_channel_put(); NULL if there is none. */
static struct device *node_get(unsigned int minor)
{
	struct device *node;

	xa_lock(&zio_nodes);
	node = xa_load(&zio_nodes, minor);
	if (node && try_module_get(node_channel(node)->cset->zdev->owner))
		kobject_get(&node_channel(node)->kobj);
	else
		node = NULL;
	xa_unlock(&zio_nodes);
	return node;
}

/*
 * Inputs are read and outputs written. O_RDWR is for mapping an output's nodes or an input's ring.
 */
static int node_check_mode(const struct device *node, const struct file *file)
{
	fmode_t mode = file->f_mode & (FMODE_READ | FMODE_WRITE);

	if (node_fops(node)->write_iter)
		return mode == FMODE_READ ? -EACCES : 0;
	if (mode == FMODE_READ)
		return 0;
	return mode == FMODE_WRITE || node_fops(node) == &zio_data_in_fops ? -EACCES : 0;
}

static int node_open_channel(const struct device *node, struct file *file)
{
	struct zio_channel_core *chan = node_channel(node);
	struct zio_session *sess;
	int ret = node_check_mode(node, file);

	if (ret)
		return ret;
	sess = zio_session_open(chan);
	if (IS_ERR(sess))
		return PTR_ERR(sess);
	if (node_fops(node) == &zio_ctrl_in_fops && (file->f_mode & FMODE_WRITE))
		ret = PTR_ERR_OR_ZERO(zio_ring_open(&chan->cset->chan[chan->pub.index], 1,
						    NULL, NULL));
	if (ret)
		zio_session_close(sess);
	else
		file->private_data = sess;
	return ret;
}

static int node_open_counted(const struct device *node, struct file *file)
{
	struct zio_cset_core *cset = node_channel(node)->cset;
	int ret = zio_cset_get_file(cset);

	if (ret)
		return ret;
	if (node_fops(node) == &zio_set_fops)
		ret = zio_set_ring_open(cset, file);
	else
		ret = node_open_channel(node, file);
	if (ret)
		zio_cset_put_file(cset);
	return ret;
}

static int node_open(struct inode *inode, struct file *file)
{
	struct device *node = node_get(iminor(inode));
	struct zio_channel_core *chan;
	int ret = -ENODEV;

	if (!node)
		return ret;
	chan = node_channel(node);
	/*
	 * open() may have found the inode of a node removed meanwhile, whose number may already
	 * belong to another node. A minor becomes free only after devtmpfs unlinks the node, so
	 * such an inode has no link.
	 */
	if (READ_ONCE(inode->i_nlink))
		ret = node_open_counted(node, file);
	if (ret) {
		zio_channel_put(chan);
		return ret;
	}
	replace_fops(file, fops_get(node_fops(node)));
	/*
	 * A stream has no position: pread() and pwrite() ignore theirs. O_DIRECT works and requires
	 * no alignment. fanotify does not watch samples, as its hooks would slow down each read.
	 */
	stream_open(inode, file);
	file->f_mode |= FMODE_PREAD | FMODE_PWRITE | FMODE_CAN_ODIRECT;
	file->f_mode |= FMODE_NOWAIT | FMODE_NONOTIFY;
	return 0;
}

static const struct file_operations zio_open_fops = {
	.owner = THIS_MODULE,
	.open = node_open,
};

/*
 * Without a name, devtmpfs would take that of the device: it would make the node outside the
 * directory, or leave it there for ever.
 */
static char *node_name(ZIO_DEV_CONST struct device *node, umode_t *mode)
{
	/* Mapping an output or a ring requires read and write access. */
	if (mode)
		*mode = node_fops(node) == &zio_data_in_fops ? 0440 : 0660;
	return kasprintf(GFP_KERNEL | __GFP_NOFAIL, "zio/%s", dev_name(node));
}

/* Lets a udev rule give inputs and outputs different groups. */
static int node_add_direction(ZIO_DEV_CONST struct device *node,
			      struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "ZIO_DIRECTION=%s",
			      node_fops(node)->write_iter ? "output" : "input");
}

static void node_release(struct device *node)
{
	kobject_put(&node_channel(node)->kobj);
}

/*
 * Adds a node named by the format @name, filled with the device name and the positions of set and
 * channel. Returns -EBUSY if all minors are in use.
 */
static int node_add(struct device *node, struct zio_channel_core *chan, const char *name,
		    const struct file_operations *fops)
{
	struct device *dev = &chan->cset->zdev->dev;
	u32 minor;
	int ret;

	dev_set_drvdata(node, chan);
	node->platform_data = (void *)fops;
	ret = xa_alloc(&zio_nodes, &minor, node, XA_LIMIT(0, N_MINORS - 1), GFP_KERNEL);
	if (ret)
		return ret;
	device_initialize(node);
	kobject_get(&chan->kobj);
	node->devt = MKDEV(zio_major, minor);
	node->class = zio_class;
	node->parent = dev;
	node->release = node_release;
	device_set_pm_not_required(node);
	ret = dev_set_name(node, name, dev_name(dev), chan->cset->pub.index, chan->pub.index) ?:
		device_add(node);
	if (ret) {
		xa_erase(&zio_nodes, minor);
		put_device(node);
	}
	return ret;
}

/* Waits until devtmpfs has removed the file. Until then a NULL in the xarray reserves the minor. */
static void node_remove(struct device *node)
{
	u32 minor = MINOR(node->devt);

	if (!device_is_registered(node))
		return;
	xa_store(&zio_nodes, minor, NULL, GFP_KERNEL);
	device_unregister(node);
	xa_erase(&zio_nodes, minor);
}

static int node_add_pair(struct device *ctrl, const char *ctrl_name, struct device *data,
			 const char *data_name, struct zio_channel_core *chan)
{
	bool is_output = zio_cset_is_output(chan->cset);

	return node_add(ctrl, chan, ctrl_name,
			is_output ? &zio_ctrl_out_fops : &zio_ctrl_in_fops) ?:
		node_add(data, chan, data_name,
			 is_output ? &zio_data_out_fops : &zio_data_in_fops);
}

/*
 * Programs can open the nodes before this returns. Undo with zio_nodes_remove(), even after an
 * error.
 */
int zio_nodes_create(struct zio_channel_core *chan)
{
	return node_add_pair(&chan->ctrl_node, "%s-%u-%u-ctrl", &chan->data_node, "%s-%u-%u-data",
			     chan);
}

/* Waits until devtmpfs has removed the files. */
void zio_nodes_remove(struct zio_channel_core *chan)
{
	node_remove(&chan->data_node);
	node_remove(&chan->ctrl_node);
}

/*
 * Finds a channel that has nodes by its device's name, such as "zzero-0000", and the positions of
 * its set and channel. Sleeps. Returns it with a reference, or NULL. The board may go at any
 * moment.
 */
struct zio_channel_core *
zio_channel_find(const char *device, unsigned int set, unsigned int index)
{
	char name[ZIO_OBJ_NAME_LEN + sizeof("-ffffffff-4294967295-4294967295-data")];
	struct zio_channel_core *chan = NULL;
	struct device *dev;

	snprintf(name, sizeof(name), "%s-%u-%u-data", device, set, index);
	dev = class_find_device_by_name(zio_class, name);
	if (dev) {
		chan = node_channel(dev);
		kobject_get(&chan->kobj);
		put_device(dev);
	}
	return chan;
}

/*
 * Creates the node of a set's ring, or an interleaved set's second nodes. Outputs, streams and sets
 * of one channel have no ring. Second nodes are not links, so machines without udev have them, too.
 * Returns as zio_nodes_create(); -ENOMEM.
 */
int zio_set_nodes_create(struct zio_cset_core *cset)
{
	struct device *alias;

	if (cset->flags & ZIO_CSET_INTERLEAVED) {
		alias = kcalloc(2, sizeof(*alias), GFP_KERNEL);
		cset->alias_nodes = alias;
		if (!alias)
			return -ENOMEM;
		return node_add_pair(&alias[0], "%s-%u-i-ctrl", &alias[1], "%s-%u-i-data",
				     cset->chan[0]);
	}
	if (zio_cset_is_output(cset) || zio_cset_is_stream(cset) || cset->n_chan < 2)
		return 0;
	cset->set_node = kzalloc(sizeof(*cset->set_node), GFP_KERNEL);
	if (!cset->set_node)
		return -ENOMEM;
	return node_add(cset->set_node, cset->chan[0], "%s-%u-ctrl", &zio_set_fops);
}

/*
 * Undoes zio_set_nodes_create(). An open file keeps its ring, without blocks. The set frees the
 * nodes when it is gone.
 */
void zio_set_nodes_remove(struct zio_cset_core *cset)
{
	unsigned int i;

	for (i = 0; cset->alias_nodes && i < 2; i++)
		node_remove(&cset->alias_nodes[i]);
	if (cset->set_node)
		node_remove(cset->set_node);
}

/* Returns all blocks of a channel whose set is gone to its buffer. */
void zio_channel_drain(struct zio_channel_core *chan)
{
	zio_ring_stop(chan);
	mutex_lock(&chan->lock);
	zio_sessions_drop(chan);
	zio_channel_drop_unread(chan);
	mutex_unlock(&chan->lock);
	if (!zio_cset_is_output(chan->cset))
		zio_taps_wake(chan);
}

/* The sniffer sees blocks of all channels; a tap sees those of its input. */
static void node_block_done(struct zio_channel_core *chan, struct zio_block *block)
{
	zio_sniff_block_done(chan, block);
	if (!zio_cset_is_output(chan->cset))
		zio_tap_block_done(chan, block);
}

static const struct zio_watch_ops node_watch_ops = {
	.done = node_block_done,
	.move = zio_tap_memory_move,
};

/* @ops: operations of the share folder. Returns 0, or an error of the driver core. */
int zio_nodes_init(const struct zio_share_ops *ops)
{
	zio_share_ops = ops;
	zio_watch_ops = &node_watch_ops;
	zio_class = zio_class_create("zio");
	if (IS_ERR(zio_class))
		return PTR_ERR(zio_class);
	zio_class->devnode = node_name;
	zio_class->dev_uevent = node_add_direction;
	zio_major = __register_chrdev(0, 0, N_MINORS, "zio", &zio_open_fops);
	if (zio_major > 0)
		return 0;
	class_destroy(zio_class);
	return zio_major;
}

/* Undoes zio_nodes_init(). */
void zio_nodes_exit(void)
{
	__unregister_chrdev(zio_major, 0, N_MINORS, "zio");
	class_destroy(zio_class);
	xa_destroy(&zio_nodes);
}
