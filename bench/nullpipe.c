// SPDX-License-Identifier: GPL-2.0-only
/*
 * nullpipe: the same samples as zio-zero, with no framework at all
 *
 * A read of /dev/zio-null-{zero,random} fills a buffer of the kernel and copies it to the
 * user. The buffer is as large as the request. A write copies the user's bytes to
 * the buffer and drops them. The cost of ZIO is what it costs more than this.
 *
 * The buffer belongs to the open file. No lock protects it: a file has one reader.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uio.h>

#define NULLPIPE_BUFFER_SIZE	(1UL << 20)

/**
 * struct nullpipe_pattern - one device node
 * @misc: the node
 * @fill: makes @len samples of 8 bits
 */
struct nullpipe_pattern {
	struct miscdevice misc;
	void (*fill)(u8 *data, size_t len);
};

/**
 * struct nullpipe_file - state of an open file
 * @pattern: makes the samples
 * @data: the buffer, NULLPIPE_BUFFER_SIZE bytes
 */
struct nullpipe_file {
	const struct nullpipe_pattern *pattern;
	u8 *data;
};

static void nullpipe_fill_zero(u8 *data, size_t len)
{
	memset(data, 0, len);
}

static void nullpipe_fill_random(u8 *data, size_t len)
{
	get_random_bytes(data, len);
}

static int nullpipe_open(struct inode *inode, struct file *file)
{
	struct miscdevice *misc = file->private_data;
	struct nullpipe_file *np;

	np = kzalloc(sizeof(*np), GFP_KERNEL);
	if (!np)
		return -ENOMEM;
	np->data = kvmalloc(NULLPIPE_BUFFER_SIZE, GFP_KERNEL);
	if (!np->data) {
		kfree(np);
		return -ENOMEM;
	}
	np->pattern = container_of(misc, struct nullpipe_pattern, misc);
	file->private_data = np;
	return 0;
}

static int nullpipe_release(struct inode *inode, struct file *file)
{
	struct nullpipe_file *np = file->private_data;

	kvfree(np->data);
	kfree(np);
	return 0;
}

static ssize_t nullpipe_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct nullpipe_file *np = iocb->ki_filp->private_data;
	size_t len = min(iov_iter_count(to), NULLPIPE_BUFFER_SIZE);
	size_t done;

	np->pattern->fill(np->data, len);
	done = copy_to_iter(np->data, len, to);
	return done || !len ? done : -EFAULT;
}

static ssize_t nullpipe_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct nullpipe_file *np = iocb->ki_filp->private_data;
	size_t len = min(iov_iter_count(from), NULLPIPE_BUFFER_SIZE);
	size_t done = copy_from_iter(np->data, len, from);

	return done || !len ? done : -EFAULT;
}

static const struct file_operations nullpipe_fops = {
	.owner = THIS_MODULE,
	.open = nullpipe_open,
	.release = nullpipe_release,
	.read_iter = nullpipe_read_iter,
	.write_iter = nullpipe_write_iter,
};

#define NULLPIPE_PATTERN(_name) {				\
	.misc = {						\
		.minor = MISC_DYNAMIC_MINOR,			\
		.name = "zio-null-" #_name,			\
		.fops = &nullpipe_fops,				\
		.mode = 0666,					\
	},							\
	.fill = nullpipe_fill_##_name,				\
}

static struct nullpipe_pattern nullpipe_patterns[] = {
	NULLPIPE_PATTERN(zero),
	NULLPIPE_PATTERN(random),
};

static void nullpipe_deregister(unsigned int count)
{
	while (count--)
		misc_deregister(&nullpipe_patterns[count].misc);
}

static int __init nullpipe_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(nullpipe_patterns); i++) {
		err = misc_register(&nullpipe_patterns[i].misc);
		if (err) {
			nullpipe_deregister(i);
			return err;
		}
	}
	return 0;
}

static void __exit nullpipe_exit(void)
{
	nullpipe_deregister(ARRAY_SIZE(nullpipe_patterns));
}

module_init(nullpipe_init);
module_exit(nullpipe_exit);

MODULE_DESCRIPTION("ZIO benchmark: the fill of zio-zero with no framework");
MODULE_LICENSE("GPL");
