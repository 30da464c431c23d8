// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-mini.c: the smallest driver, to copy and change
 *
 * Documentation/driver-guide.md explains it line by line.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/zio-config.h>
#include <linux/zio.h>

static unsigned int ndev = 1, ncset = 1, nchan = 1;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");
module_param(ncset, uint, 0444);
MODULE_PARM_DESC(ncset, "channel sets per device (default 1)");
module_param(nchan, uint, 0444);
MODULE_PARM_DESC(nchan, "channels per set (default 1)");

/* The hardware: each sample is the number of its channel. */
static int mini_raw_io(struct zio_cset *cset)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block)
		memset(block->data, zio_channel_index(chan), block->len);
	return 0;
}

static const struct zio_cset_ops mini_ops = {
	.raw_io = mini_raw_io,
};

/* A device that mkdir makes, in /sys/kernel/config/zio/devices/zmini. */
static const struct zio_config_attr mini_config_attrs[] = {
	{ .name = "csets", .value = 1, .min = 1, .max = U16_MAX },
	{ .name = "channels", .value = 1, .min = 1, .max = U16_MAX },
};

static int mini_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	u32 n = zio_config_value(dev, "csets", ncset);
	struct zio_device_desc *desc;
	struct zio_cset_desc *cset;
	unsigned int i;

	desc = devm_kzalloc(dev, sizeof(*desc), GFP_KERNEL);
	cset = devm_kcalloc(dev, n, sizeof(*cset), GFP_KERNEL);
	if (!desc || !cset)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		cset[i].n_chan = zio_config_value(dev, "channels", nchan);
		cset[i].ssize = 1;
		cset[i].ops = &mini_ops;
	}
	desc->name = "zmini";
	desc->owner = THIS_MODULE;
	desc->cset = cset;
	desc->n_cset = n;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(dev, desc,
							zio_config_id(dev, pdev->id),
							NULL));
}

static struct platform_driver mini_driver = {
	.driver.name = "zio-mini",
	.probe = mini_probe,
};

static struct zio_config_type mini_config = {
	.name = "zmini",
	.owner = THIS_MODULE,
	.driver = &mini_driver,
	.attrs = mini_config_attrs,
	.n_attrs = ARRAY_SIZE(mini_config_attrs),
};

static int __init mini_init(void)
{
	if (!ncset || !nchan || nchan > U16_MAX || ncset > U16_MAX)
		return -EINVAL;
	return zio_config_driver_register(&mini_config, ndev);
}

static void __exit mini_exit(void)
{
	zio_config_driver_unregister(&mini_config);
}

module_init(mini_init);
module_exit(mini_exit);
MODULE_DESCRIPTION("ZIO: the smallest driver");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-kmalloc");
