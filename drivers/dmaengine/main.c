// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c: samples over any channel of the kernel's dmaengine
 *
 * A device is a node of the device tree, compatible "zio,dmaengine", or a directory in
 * configfs. It has one input or one output. See Documentation/dmaengine.md.
 */
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/zio-config.h>

#include "dmaengine.h"

enum zdma_mode {
	ZDMA_SG,
	ZDMA_CYCLIC,
};

static const char *const zdma_modes[] = { "sg", "cyclic", NULL };
static const char *const zdma_directions[] = { "input", "output", NULL };
static const char *const zdma_sizes[] = { "1", "2", "4", "8", NULL };

#define ZDMA_DEPTH	16
#define ZDMA_MAX_DEPTH	4096

static const struct zio_attr_desc zdma_attrs[] = {
	{ .name = "channel", .mode = 0644, .text = "<text>", .raw_io = true },
	{ .name = "direction", .mode = 0644, .words = zdma_directions },
	{ .name = "mode", .mode = 0644, .words = zdma_modes },
	{ .name = "ssize", .mode = 0644, .words = zdma_sizes, .value = 2 },
	{ .name = "address", .mode = 0644, .text = "<text>", .raw_io = true },
	{ .name = "burst", .mode = 0644, .max = U16_MAX },
	{ .name = "nsamples", .mode = 0644, .value = 1024, .min = 1, .max = BIT(24) },
	{ .name = "depth", .mode = 0644, .value = ZDMA_DEPTH, .min = 2, .max = ZDMA_MAX_DEPTH },
};

/* The samples are plain numbers until a user sets their unit and scale. */
static const struct zio_scaling zdma_scaling = {
	.flags = ZIO_SCALING_WRITABLE,
	.mant = 1,
};

static bool zdma_has_name(struct dma_chan *chan, void *name)
{
	return !strcmp(dma_chan_name(chan), name);
}

/* In a device tree, "dmas" refers to the channel. Users give its name in /sys/class/dma. */
static struct dma_chan *zdma_request_channel(struct device *dev, bool is_output)
{
	const char *name = zio_config_text(dev, "channel", "");
	struct dma_chan *chan;
	dma_cap_mask_t mask;

	if (device_property_present(dev, "dmas"))
		return dma_request_chan(dev, is_output ? "tx" : "rx");
	dma_cap_zero(mask);
	dma_cap_set(DMA_SLAVE, mask);
	chan = dma_request_channel(mask, zdma_has_name, (void *)name);
	if (chan)
		return chan;
	dev_err(dev, "no free channel \"%s\" for slave transfers in /sys/class/dma: see its in_use\n",
		name);
	return ERR_PTR(-ENODEV);
}

static void zdma_release_channel(void *chan)
{
	dma_release_channel(chan);
}

/* A ring needs the position of the channel, not just whether a transfer is in progress. */
static bool zdma_tells_position(struct dma_chan *chan)
{
	struct dma_slave_caps caps;

	return !dma_get_slave_caps(chan, &caps) &&
		caps.residue_granularity != DMA_RESIDUE_GRANULARITY_DESCRIPTOR;
}

static int zdma_check_cyclic(struct device *dev, struct dma_chan *chan, bool is_output)
{
	if (!dma_has_cap(DMA_CYCLIC, chan->device->cap_mask))
		return dev_err_probe(dev, -EOPNOTSUPP, "%s has no cyclic transfers: use mode sg\n",
				     dma_chan_name(chan));
	if (!is_output && !zdma_tells_position(chan))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "%s does not report the position of a cyclic transfer: use mode sg\n",
				     dma_chan_name(chan));
	return 0;
}

static int zdma_get_channel(struct zdma_device *zdma, enum zdma_mode mode)
{
	struct dma_chan *chan = zdma_request_channel(zdma->dev, zdma->is_output);
	int ret;

	if (IS_ERR(chan))
		return PTR_ERR(chan);
	ret = devm_add_action_or_reset(zdma->dev, zdma_release_channel, chan);
	if (!ret && mode == ZDMA_CYCLIC)
		ret = zdma_check_cyclic(zdma->dev, chan, zdma->is_output);
	if (ret)
		return ret;
	zdma->chan = chan;
	zdma->dma_dev = dmaengine_get_dma_device(chan);
	zdma->cset_desc.dma_dev = zdma->dma_dev;
	return 0;
}

/* Channels that read memory or generate samples themselves need no configuration. */
static void zdma_describe_register(struct zdma_device *zdma, u64 address, u32 burst)
{
	enum dma_slave_buswidth width = zdma->cset_desc.ssize;

	if (zdma->is_output)
		zdma->config = (struct dma_slave_config) {
			.direction = DMA_MEM_TO_DEV,
			.dst_addr = address,
			.dst_addr_width = width,
			.dst_maxburst = burst,
		};
	else
		zdma->config = (struct dma_slave_config) {
			.direction = DMA_DEV_TO_MEM,
			.src_addr = address,
			.src_addr_width = width,
			.src_maxburst = burst,
		};
}

static int zdma_configure_channel(struct zdma_device *zdma)
{
	const char *address = zio_config_text(zdma->dev, "address", "");
	u32 burst = zio_config_value(zdma->dev, "burst", 0);
	u64 value = 0;
	int ret;

	if (*address && kstrtou64(address, 0, &value)) {
		dev_err(zdma->dev, "address \"%s\" is not a number: write it as 0x...\n", address);
		return -EINVAL;
	}
	zdma_describe_register(zdma, value, burst);
	if (!zdma->chan->device->device_config)
		return 0;
	ret = dmaengine_slave_config(zdma->chan, &zdma->config);
	if (ret)
		dev_err(zdma->dev, "%s refuses samples of %u bytes, address %#llx, burst %u: %d\n",
			dma_chan_name(zdma->chan), zdma->cset_desc.ssize, value, burst, ret);
	return ret;
}

static unsigned long zdma_choose_flags(const struct zdma_device *zdma, enum zdma_mode mode)
{
	if (!zdma->is_output)
		return mode == ZDMA_SG ? ZIO_CSET_DMA : 0;
	return ZIO_CSET_OUTPUT | ZIO_CSET_DMA | (mode == ZDMA_CYCLIC ? ZIO_CSET_CYCLIC : 0);
}

static void zdma_describe(struct zdma_device *zdma, enum zdma_mode mode)
{
	struct device *dev = zdma->dev;
	unsigned long flags = zdma_choose_flags(zdma, mode);

	zdma->cset_desc = (struct zio_cset_desc) {
		.name = zdma->is_output ? "dmaengine-output" : "dmaengine-input",
		.flags = ZIO_CSET_STREAM | ZIO_CSET_SLEEPS | ZIO_CSET_USER_RATE | flags,
		.n_chan = 1,
		.ssize = 1u << min(zio_config_value(dev, "ssize", 2), 3u),
		.nsamples = zio_config_value(dev, "nsamples", 1024),
		.queue_depth = clamp(zio_config_value(dev, "depth", ZDMA_DEPTH), 2u,
				     (u32)ZDMA_MAX_DEPTH),
		.buffer = flags & ZIO_CSET_DMA ? "dma" : "vmalloc",
		.ops = flags & ZIO_CSET_DMA ? &zdma_sg_ops : &zdma_cyclic_ops,
		.scaling = &zdma_scaling,
		.n_scaling = 1,
	};
	zdma->desc = (struct zio_device_desc) {
		.name = "zdma",
		.owner = THIS_MODULE,
		.cset = &zdma->cset_desc,
		.n_cset = 1,
	};
}

static int zdma_probe(struct platform_device *pdev)
{
	enum zdma_mode mode = zio_config_value(&pdev->dev, "mode", ZDMA_SG);
	struct zdma_device *zdma = devm_kzalloc(&pdev->dev, sizeof(*zdma), GFP_KERNEL);
	int ret;

	if (!zdma)
		return -ENOMEM;
	zdma->dev = &pdev->dev;
	zdma->is_output = zio_config_value(&pdev->dev, "direction", 0);
	zdma_describe(zdma, mode);
	ret = zdma_get_channel(zdma, mode);
	if (!ret)
		ret = zdma_configure_channel(zdma);
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &zdma->desc,
							zio_config_id(&pdev->dev,
								      ZIO_ID_AUTO),
							zdma));
}

static const struct of_device_id zdma_of_match[] = {
	{ .compatible = "zio,dmaengine" },
	{ }
};
MODULE_DEVICE_TABLE(of, zdma_of_match);

static struct platform_driver zdma_driver = {
	.driver = {
		.name = "zio-dmaengine",
		.of_match_table = zdma_of_match,
	},
	.probe = zdma_probe,
};

static struct zio_config_type zdma_config = {
	.name = "zdma",
	.owner = THIS_MODULE,
	.driver = &zdma_driver,
	.attrs = zdma_attrs,
	.n_attrs = ARRAY_SIZE(zdma_attrs),
};

static int __init zdma_init(void)
{
	return zio_config_driver_register(&zdma_config, 0);
}

static void __exit zdma_exit(void)
{
	zio_config_driver_unregister(&zdma_config);
}

module_init(zdma_init);
module_exit(zdma_exit);
MODULE_DESCRIPTION("ZIO: samples over a channel of the dmaengine");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
