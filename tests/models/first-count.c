// SPDX-License-Identifier: GPL-2.0-only
/*
 * first-count.c: let the counters of a channel begin shortly before their wrap
 *
 * "insmod first-count.ko node=/dev/zio/zzero-0000-0-0-ctrl count=4294967200" does so for
 * the channel of this node. Its set is idle, and no block is queued. The module knows the
 * structures of the core, and belongs to the same build.
 */
#include <linux/fs.h>
#include <linux/module.h>

#include "channel/channel.h"

static char *node;
module_param(node, charp, 0444);
MODULE_PARM_DESC(node, "any node of the channel");

static unsigned int count;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "the number of the next block");

static int set_counters(struct zio_channel_core *chan)
{
	int ret = -EBUSY;

	mutex_lock(&chan->lock);
	if (!zio_queue_count(&chan->queue)) {
		chan->seq = count;
		chan->played = count;
		chan->dropped = count;
		chan->queue.head = count;
		atomic_set(&chan->queue.tail, count);
		ret = 0;
	}
	mutex_unlock(&chan->lock);
	return ret;
}

static struct file *open_node(void)
{
	struct file *file = filp_open(node, O_RDONLY, 0);

	return file == ERR_PTR(-EACCES) ? filp_open(node, O_WRONLY, 0) : file;
}

static int __init first_count_init(void)
{
	struct file *file = node ? open_node() : ERR_PTR(-EINVAL);
	struct zio_session *sess;
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	sess = file->private_data;
	ret = set_counters(sess->chan);
	filp_close(file, NULL);
	return ret;
}

static void __exit first_count_exit(void)
{
}

module_init(first_count_init);
module_exit(first_count_exit);
MODULE_DESCRIPTION("ZIO: lets the counters of a channel begin shortly before their wrap");
MODULE_LICENSE("GPL");
