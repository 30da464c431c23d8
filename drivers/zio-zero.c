// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-zero.c: a device without hardware
 *
 * cset0: input, 8 bits: channel 0 zeros, channel 1 random, channel 2 sawtooth
 * cset1: output, 8 bits: eats what it is given
 * cset2: input, 32 bits: counts samples, with gain and offset
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/zio.h>

static unsigned int ndev = 1;
module_param(ndev, uint, 0444);
MODULE_PARM_DESC(ndev, "number of devices (default 1)");

enum zero_attr {
	ZERO_GAIN,
	ZERO_OFFSET,
	ZERO_SEQUENCE,
};

/*
 * Of each device. attr_set() runs beside raw_io(): a sequence that is set just
 * while samples are counted may be overtaken by the count.
 */
struct zero_state {
	u8 tooth;
	u32 gain;	/* in 1/1000 */
	u32 offset;
	u32 sequence;
};

static void fill_sawtooth(struct zero_state *state, struct zio_block *block)
{
	u8 *sample = block->data;
	size_t i;

	for (i = 0; i < block->len; i++)
		sample[i] = state->tooth++;
}

static int zero_input(struct zio_cset *cset)
{
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;

	zio_for_each_block(cset, pos, chan, block) {
		switch (zio_channel_index(chan)) {
		case 0:
			memset(block->data, 0, block->len);
			break;
		case 1:
			get_random_bytes(block->data, block->len);
			break;
		case 2:
			fill_sawtooth(zio_cset_priv(cset), block);
			break;
		}
	}
	return 0;
}

/* Nothing to do: the core takes the blocks back, and counts them. */
static int zero_output(struct zio_cset *cset)
{
	return 0;
}

static u32 count_sample(struct zero_state *state)
{
	u32 n = READ_ONCE(state->sequence);

	WRITE_ONCE(state->sequence, n + 1);
	return (u32)((u64)n * READ_ONCE(state->gain) / 1000) +
		READ_ONCE(state->offset);
}

static int zero_count(struct zio_cset *cset)
{
	struct zero_state *state = zio_cset_priv(cset);
	struct zio_channel *chan;
	struct zio_block *block;
	struct zio_armed *pos;
	u32 *sample;

	zio_for_each_block(cset, pos, chan, block)
		for (sample = block->data;
		     (void *)sample < block->data + block->len; sample++)
			*sample = count_sample(state);
	return 0;
}

static u32 *find_value(struct zero_state *state, unsigned long id)
{
	switch (id) {
	case ZERO_GAIN:
		return &state->gain;
	case ZERO_OFFSET:
		return &state->offset;
	default:
		return &state->sequence;
	}
}

static int zero_attr_set(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 value)
{
	WRITE_ONCE(*find_value(zio_cset_priv(cset), attr->id), value);
	return 0;
}

static int zero_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			 const struct zio_attr_desc *attr, u32 *value)
{
	*value = READ_ONCE(*find_value(zio_cset_priv(cset), attr->id));
	return 0;
}

static const struct zio_cset_ops zero_input_ops = {
	.raw_io = zero_input,
};

static const struct zio_cset_ops zero_output_ops = {
	.raw_io = zero_output,
};

static const struct zio_cset_ops zero_count_ops = {
	.raw_io = zero_count,
	.attr_set = zero_attr_set,
	.attr_get = zero_attr_get,
};

static const struct zio_attr_desc zero_count_attrs[] = {
	ZIO_ATTR_STD("gain-factor", 0644, ZIO_ATTR_GAIN, 1000, ZERO_GAIN),
	ZIO_ATTR_STD("offset", 0644, ZIO_ATTR_OFFSET, 0, ZERO_OFFSET),
	ZIO_ATTR_EXT("sequence", 0644, 0, 0, ZERO_SEQUENCE),
};

static const struct zio_cset_desc zero_csets[] = {
	{
		.name = "zero-input",
		.n_chan = 3,
		.ssize = 1,
		.ops = &zero_input_ops,
	}, {
		.name = "zero-output",
		.flags = ZIO_CSET_OUTPUT,
		.n_chan = 1,
		.ssize = 1,
		.ops = &zero_output_ops,
	}, {
		.name = "zero-count",
		.n_chan = 1,
		.ssize = 4,
		.ops = &zero_count_ops,
		.chan_attrs = zero_count_attrs,
		.n_chan_attrs = ARRAY_SIZE(zero_count_attrs),
	},
};

static const struct zio_device_desc zero_desc = {
	.name = "zzero",
	.owner = THIS_MODULE,
	.cset = zero_csets,
	.n_cset = ARRAY_SIZE(zero_csets),
};

static int zero_probe(struct platform_device *pdev)
{
	struct zero_state *state;

	state = devm_kzalloc(&pdev->dev, sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->gain = 1000;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev, &zero_desc,
							pdev->id, state));
}

static struct platform_driver zero_driver = {
	.driver.name = "zio-zero",
	.probe = zero_probe,
};

static struct platform_device **zero_devices;

static void zero_remove_devices(unsigned int n)
{
	while (n--)
		platform_device_unregister(zero_devices[n]);
	kvfree(zero_devices);
}

static int __init zero_init(void)
{
	unsigned int i;
	int ret;

	zero_devices = kvcalloc(ndev, sizeof(*zero_devices), GFP_KERNEL);
	if (!zero_devices)
		return -ENOMEM;
	ret = platform_driver_register(&zero_driver);
	if (ret)
		goto err_driver;
	for (i = 0; i < ndev; i++) {
		zero_devices[i] = platform_device_register_simple("zio-zero", i,
								  NULL, 0);
		if (IS_ERR(zero_devices[i])) {
			ret = PTR_ERR(zero_devices[i]);
			goto err_device;
		}
	}
	return 0;

err_device:
	zero_remove_devices(i);
	platform_driver_unregister(&zero_driver);
	return ret;
err_driver:
	kvfree(zero_devices);
	return ret;
}

static void __exit zero_exit(void)
{
	zero_remove_devices(ndev);
	platform_driver_unregister(&zero_driver);
}

module_init(zero_init);
module_exit(zero_exit);
MODULE_DESCRIPTION("ZIO: a device without hardware");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: zio-buf-kmalloc");
