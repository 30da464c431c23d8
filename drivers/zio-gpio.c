// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-gpio.c: the lines of GPIO controllers as a parallel port
 *
 * A sample is a 32-bit word in which bit n is the level of line n. The driver reads or sets
 * the lines together, as far as their controller can, so one sample shows the levels at one
 * moment. With one channel per line, the reader would have to match the samples. The device
 * has an input set of one channel, an output set of one channel, or both, in this order.
 * "nbits" is the number of lines.
 *
 * Each event of the trigger acquires or plays a block, whose samples follow each other as
 * fast as the controller allows. By default a block has one sample, so that each sample has
 * a time stamp.
 *
 * The user ("in", "out": label:0-3,label:7) or the firmware (in-gpios, out-gpios) names the
 * lines. They may be behind a bus that sleeps. Outputs are initially low, and keep their
 * level when the driver is unbound. When a controller is removed, so is the device.
 */
#include <linux/bitmap.h>
#include <linux/gpio/consumer.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/zio-config.h>
#include <linux/zio-gpio.h>
#include <linux/zio.h>

static char *in = "", *out = "";
module_param(in, charp, 0444);
MODULE_PARM_DESC(in, "lines to read, as label:0-3,label:7");
module_param(out, charp, 0444);
MODULE_PARM_DESC(out, "lines to set");

#define GPIO_MAX_SETS	2

struct gpio_state {
	struct zio_device_desc desc;
	struct zio_cset_desc cset[GPIO_MAX_SETS];
	struct gpio_descs *lines[GPIO_MAX_SETS];
};

static struct gpio_descs *gpio_lines_of(struct zio_cset *cset)
{
	struct gpio_state *state = zio_cset_priv(cset);

	return state->lines[zio_cset_index(cset)];
}

static int gpio_input(struct zio_cset *cset)
{
	struct gpio_descs *lines = gpio_lines_of(cset);
	struct zio_block *block = zio_cset_block(cset);
	u32 *sample = block->data, *end = block->data + block->len;
	DECLARE_BITMAP(level, ZIO_GPIO_MAX_LINES) = { 0 };
	int ret = 0;

	/*
	 * Do not pass lines->info: if the order of the lines differs from the hardware's,
	 * kernel 6.1 would read the wrong ones.
	 */
	for (; sample < end && !ret; sample++) {
		ret = gpiod_get_array_value_cansleep(lines->ndescs, lines->desc, NULL, level);
		bitmap_to_arr32(sample, level, ZIO_GPIO_MAX_LINES);
		cond_resched();
	}
	return ret;
}

static int gpio_output(struct zio_cset *cset)
{
	struct gpio_descs *lines = gpio_lines_of(cset);
	struct zio_block *block = zio_cset_block(cset);
	const u32 *sample = block->data, *end = block->data + block->len;
	DECLARE_BITMAP(level, ZIO_GPIO_MAX_LINES);
	int ret = 0;

	for (; sample < end && !ret; sample++) {
		bitmap_from_arr32(level, sample, ZIO_GPIO_MAX_LINES);
		ret = gpiod_set_array_value_cansleep(lines->ndescs, lines->desc, NULL, level);
		cond_resched();
	}
	return ret;
}

static const struct zio_cset_ops gpio_input_ops = {
	.raw_io = gpio_input,
};

static const struct zio_cset_ops gpio_output_ops = {
	.raw_io = gpio_output,
};

static const struct zio_cset_desc gpio_input_desc = {
	.name = "gpio-input",
	.flags = ZIO_CSET_SLEEPS | ZIO_CSET_USER_RATE,
	.n_chan = 1,
	.ssize = sizeof(u32),
	.nsamples = 1,
	.ops = &gpio_input_ops,
};

static const struct zio_cset_desc gpio_output_desc = {
	.name = "gpio-output",
	.flags = ZIO_CSET_SLEEPS | ZIO_CSET_OUTPUT | ZIO_CSET_USER_RATE,
	.n_chan = 1,
	.ssize = sizeof(u32),
	.nsamples = 1,
	.ops = &gpio_output_ops,
};

/* Returns 0 even without lines in this direction: then there is no set. */
static int gpio_add_set(struct gpio_state *state, struct device *dev,
			const struct zio_cset_desc *cset, const char *con_id,
			const char *text, enum gpiod_flags flags)
{
	struct gpio_descs *lines = devm_zio_gpio_get(dev, con_id, text, flags);
	unsigned int n = state->desc.n_cset;

	if (IS_ERR_OR_NULL(lines))
		return PTR_ERR_OR_ZERO(lines);
	if (lines->ndescs > ZIO_GPIO_MAX_LINES)
		return -E2BIG;
	state->lines[n] = lines;
	state->cset[n] = *cset;
	state->cset[n].nbits = lines->ndescs;
	state->desc.n_cset++;
	return 0;
}

static int gpio_probe(struct platform_device *pdev)
{
	int id = zio_config_id(&pdev->dev, ZIO_ID_AUTO);
	struct gpio_state *state;
	int ret;

	state = devm_kzalloc(&pdev->dev, sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	ret = gpio_add_set(state, &pdev->dev, &gpio_input_desc, "in",
			   zio_config_text(&pdev->dev, "in", in), GPIOD_IN) ?:
		gpio_add_set(state, &pdev->dev, &gpio_output_desc, "out",
			     zio_config_text(&pdev->dev, "out", out), GPIOD_OUT_LOW);
	if (ret || !state->desc.n_cset)
		return ret ?: -EINVAL;
	state->desc.name = "zgpio";
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	return PTR_ERR_OR_ZERO(devm_zio_device_register(&pdev->dev,
							&state->desc, id,
							state));
}

static const struct of_device_id gpio_of_match[] = {
	{ .compatible = "zio,gpio" },
	{ }
};
MODULE_DEVICE_TABLE(of, gpio_of_match);

static struct platform_driver gpio_driver = {
	.driver.name = "zio-gpio",
	.driver.of_match_table = gpio_of_match,
	.probe = gpio_probe,
};

static const struct zio_attr_desc gpio_config_attrs[] = {
	{ .name = "in", .mode = 0644, .text = "<text>", .raw_io = true },
	{ .name = "out", .mode = 0644, .text = "<text>", .raw_io = true },
};

static struct zio_config_type gpio_config = {
	.name = "zgpio",
	.owner = THIS_MODULE,
	.driver = &gpio_driver,
	.attrs = gpio_config_attrs,
	.n_attrs = ARRAY_SIZE(gpio_config_attrs),
};

/* If the parameters name lines, a device is made for them. */
static int __init gpio_init(void)
{
	return zio_config_driver_register(&gpio_config, *in || *out);
}

static void __exit gpio_exit(void)
{
	zio_config_driver_unregister(&gpio_config);
}

module_init(gpio_init);
module_exit(gpio_exit);
MODULE_DESCRIPTION("ZIO: GPIO lines as a parallel port");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
