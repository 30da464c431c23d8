// SPDX-License-Identifier: GPL-2.0-only
/*
 * set-node.c: the node of an input set with several channels
 *
 * The file that opens the node has the ring of the set (set-ring.c). An open file holds
 * the device of the node, and the driver's module. The device holds the set.
 *
 * As for channels (node.c), a minor stays reserved until devtmpfs has removed the node.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "channel/set.h"

#define N_MINORS	BIT(MINORBITS)

static dev_t set_devt;
static struct cdev set_cdev;
static DEFINE_XARRAY_ALLOC(set_nodes);

static struct zio_set_node *get_node(unsigned int minor)
{
	struct zio_set_node *node;

	xa_lock(&set_nodes);
	node = xa_load(&set_nodes, minor);
	if (node && try_module_get(node->cset->zdev->owner))
		get_device(&node->dev);
	else
		node = NULL;
	xa_unlock(&set_nodes);
	return node;
}

static void put_node(struct zio_set_node *node)
{
	struct module *owner = node->cset->zdev->owner;

	put_device(&node->dev);
	module_put(owner);
}

/* An inode without a link is that of a node that was removed: see node.c. */
static int open_set(struct inode *inode, struct file *file)
{
	const fmode_t both = FMODE_READ | FMODE_WRITE;
	struct zio_set_node *node = get_node(iminor(inode));
	int ret = -ENODEV;

	if (!node)
		return ret;
	if ((file->f_mode & both) != both)
		ret = -EACCES;
	else if (READ_ONCE(inode->i_nlink))
		ret = zio_set_ring_open(node);
	if (ret) {
		put_node(node);
		return ret;
	}
	file->private_data = node;
	return stream_open(inode, file);
}

static int close_set(struct inode *inode, struct file *file)
{
	struct zio_set_node *node = file->private_data;

	zio_set_ring_close(node);
	put_node(node);
	return 0;
}

static ssize_t read_set(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct zio_set_node *node = file->private_data;

	if (READ_ONCE(node->cset->gone))
		return -ENODEV;
	return zio_ring_take_error(&node->ring->ring, node->cset) ?: -EOPNOTSUPP;
}

static __poll_t poll_set(struct file *file, struct poll_table_struct *wait)
{
	struct zio_set_node *node = file->private_data;

	return zio_poll_ring(file, wait, &node->ring->ring, node->first);
}

static int map_set(struct file *file, struct vm_area_struct *vma)
{
	struct zio_set_node *node = file->private_data;

	if (READ_ONCE(node->cset->gone))
		return -ENODEV;
	return zio_ring_map(&node->ring->ring, vma);
}

static const struct file_operations set_fops = {
	.owner = THIS_MODULE,
	.open = open_set,
	.release = close_set,
	.read = read_set,
	.poll = poll_set,
	.mmap = map_set,
};

static void release_node(struct device *dev)
{
	struct zio_set_node *node = container_of(dev, struct zio_set_node, dev);

	kobject_put(&node->first->kobj);
	kfree(node);
}

/*
 * Permissions and events of the node are those of a control node: see node.c. After an
 * error, zio_set_node_remove() undoes what is done.
 */
static int add_device(struct zio_set_node *node)
{
	struct zio_cset_core *cset = node->cset;
	struct device *dev = &node->dev;
	int ret;

	device_initialize(dev);
	kobject_get(&node->first->kobj);
	dev->devt = set_devt + node->minor;
	dev->class = zio_class;
	dev->parent = &cset->zdev->dev;
	dev->release = release_node;
	dev_set_drvdata(dev, node->first);
	device_set_pm_not_required(dev);
	ret = dev_set_name(dev, "%s-%04x-%u-ctrl", cset->zdev->name, cset->zdev->id,
			   cset->index);
	if (ret)
		return ret;
	xa_store(&set_nodes, node->minor, node, GFP_KERNEL);
	return device_add(dev);
}

/**
 * zio_set_node_create() - create the node of a set
 * @cset: the channel set, which has its channels
 *
 * Outputs, streams, and sets of one channel have none.
 *
 * Context: Process, sleeps.
 *
 * Return: 0; -EBUSY if all minors are in use; -ENOMEM; or an error of the driver core.
 */
int zio_set_node_create(struct zio_cset_core *cset)
{
	struct zio_set_node *node;
	u32 minor;
	int ret;

	if (zio_cset_is_output(cset) || zio_cset_is_stream(cset) || cset->n_chan < 2)
		return 0;
	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	node->cset = cset;
	node->first = cset->chan[0];
	ret = xa_alloc(&set_nodes, &minor, NULL, XA_LIMIT(0, N_MINORS - 1), GFP_KERNEL);
	if (ret) {
		kfree(node);
		return ret;
	}
	node->minor = minor;
	cset->set_node = node;
	return add_device(node);
}

/**
 * zio_set_node_remove() - remove the node of a set
 * @cset: the channel set, which is gone
 *
 * Waits until devtmpfs has removed the file. An open file keeps its ring, without blocks.
 * Also undoes zio_set_node_create() after an error.
 *
 * Context: Process, sleeps.
 */
void zio_set_node_remove(struct zio_cset_core *cset)
{
	struct zio_set_node *node = cset->set_node;
	u32 minor;

	if (!node)
		return;
	minor = node->minor;
	xa_store(&set_nodes, minor, NULL, GFP_KERNEL);
	mutex_lock(&cset->mutex);
	zio_set_ring_stop(node);
	cset->set_node = NULL;
	mutex_unlock(&cset->mutex);
	if (device_is_registered(&node->dev))
		device_del(&node->dev);
	put_device(&node->dev);
	xa_erase(&set_nodes, minor);
}

/**
 * zio_set_nodes_init() - initialise the nodes of sets
 *
 * Context: Process, sleeps.
 *
 * Return: 0; or an error of the driver core.
 */
int zio_set_nodes_init(void)
{
	int ret = alloc_chrdev_region(&set_devt, 0, N_MINORS, "zio-set");

	if (ret)
		return ret;
	cdev_init(&set_cdev, &set_fops);
	set_cdev.owner = THIS_MODULE;
	ret = cdev_add(&set_cdev, set_devt, N_MINORS);
	if (ret)
		unregister_chrdev_region(set_devt, N_MINORS);
	return ret;
}

/**
 * zio_set_nodes_exit() - undo zio_set_nodes_init()
 *
 * Context: Process, sleeps.
 */
void zio_set_nodes_exit(void)
{
	cdev_del(&set_cdev);
	unregister_chrdev_region(set_devt, N_MINORS);
	xa_destroy(&set_nodes);
}
