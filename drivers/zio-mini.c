// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-mini.c: the smallest driver, to copy and change
 *
 * Documentation/driver-guide.md explains it line by line.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/zio.h>

/* Stands in for hardware: each sample is the number of its channel. */
static int mini_raw_io(struct zio_cset *cset)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block)
		memset(block->data, zio_channel_index(chan), block->len);
	return 0;
}

static const struct zio_cset_ops mini_ops = { .raw_io = mini_raw_io };

static const struct zio_cset_desc mini_cset = {
	.n_chan = 2,
	.ssize = 1,
	.ops = &mini_ops,
};

static const struct zio_device_desc mini_desc = {
	.name = "zmini",
	.owner = THIS_MODULE,
	.cset = &mini_cset,
	.n_cset = 1,
};

static int mini_probe(struct platform_device *pdev)
{
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &mini_desc,
							ZIO_ID_AUTO, NULL));
}

static struct platform_driver mini_driver = {
	.driver.name = "zio-mini",
	.probe = mini_probe,
};
module_platform_driver(mini_driver);

MODULE_ALIAS("platform:zio-mini");
MODULE_DESCRIPTION("ZIO: the smallest driver");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
