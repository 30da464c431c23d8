// SPDX-License-Identifier: GPL-2.0-only
/* zio-trig-sysfs.c: an event whenever a user writes to the file "fire" */
#include <linux/module.h>
#include <linux/zio-trigger.h>

enum { SYSFS_FIRE };

static const struct zio_attr_desc sysfs_attrs[] = {
	[SYSFS_FIRE] = {
		.name = "fire",
		.mode = 0200,
		.min = 1,
		.max = 1,
	},
};

static int sysfs_act(struct zio_trigger *trig, unsigned int index, u64 value)
{
	return zio_trigger_fire(trig);
}

static const struct zio_trigger_ops sysfs_ops = {
	.act = sysfs_act,
};

static struct zio_trigger_type zio_trigger_sysfs = {
	.name = "sysfs",
	.owner = THIS_MODULE,
	.ops = &sysfs_ops,
	.attrs = sysfs_attrs,
	.n_attrs = ARRAY_SIZE(sysfs_attrs),
};

module_zio_trigger(zio_trigger_sysfs);

MODULE_DESCRIPTION("ZIO: trigger by a write to sysfs or configfs");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
