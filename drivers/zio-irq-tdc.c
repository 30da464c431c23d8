// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-irq-tdc.c: a time-to-digital converter based on interrupts
 *
 * Each interrupt produces a block without data. The handler takes its time stamp in hard
 * interrupt context, even with threadirqs and under PREEMPT_RT. "lines" names GPIO lines
 * ("label:0-3"). The lines are independent, so each is a set. Alternatively, "irq" is the
 * number of an interrupt, shared with its other users; the device that raises it must also
 * clear it.
 *
 * The sets have the transparent trigger: the core arms them whenever there is room, as for
 * a board with its own interrupt. (The irq trigger fires sets of any driver at an
 * interrupt.) Blocks wait in their queues. Interrupts are missed while max-buffer-len
 * blocks are unread.
 */
#include <linux/gpio/consumer.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/zio-config.h>
#include <linux/zio-gpio.h>
#include <linux/zio-irq.h>
#include <linux/zio.h>

#include "zio-pulse.h"

static char *lines = "";
module_param(lines, charp, 0444);
MODULE_PARM_DESC(lines, "GPIO lines of a device, as label:0-3,label:7");

static unsigned int irq;
module_param(irq, uint, 0444);
MODULE_PARM_DESC(irq, "alternatively, the number of its interrupt");

static const char *const tdc_edges[] = { "rising", "falling", "both", NULL };

static const unsigned long tdc_edge_flags[] = {
	IRQF_TRIGGER_RISING,
	IRQF_TRIGGER_FALLING,
	IRQF_TRIGGER_RISING | IRQF_TRIGGER_FALLING,
};

struct tdc_input {
	struct zio_pulse pulse;
	int irq;	/* 0: not requested */
};

struct tdc_state {
	struct zio_cset_desc cset[ZIO_GPIO_MAX_LINES];
	struct zio_device_desc desc;
	struct tdc_input input[ZIO_GPIO_MAX_LINES];
};

static struct tdc_input *tdc_find_input(struct zio_cset *cset)
{
	struct tdc_state *state = zio_cset_priv(cset);

	return &state->input[zio_cset_index(cset)];
}

static irqreturn_t tdc_interrupt(int irq, void *data)
{
	struct tdc_input *input = data;

	zio_pulse_came(&input->pulse);
	return zio_irq_answer(irq);
}

static int tdc_raw_io(struct zio_cset *cset)
{
	return zio_pulse_listen(&tdc_find_input(cset)->pulse, cset);
}

static void tdc_stop(struct zio_cset *cset)
{
	struct tdc_input *input = tdc_find_input(cset);

	zio_pulse_ignore(&input->pulse);
	if (input->irq)
		synchronize_irq(input->irq);
}

static int tdc_attr_get(struct zio_cset *cset, struct zio_channel *chan,
			const struct zio_attr_desc *attr, u32 *value)
{
	*value = atomic_read(&tdc_find_input(cset)->pulse.missed);
	return 0;
}

static const struct zio_cset_ops tdc_ops = {
	.raw_io = tdc_raw_io,
	.stop_io = tdc_stop,
	.attr_get = tdc_attr_get,
};

static const struct zio_cset_desc tdc_cset_desc = {
	.name = "tdc-input",
	.flags = ZIO_CSET_HARDIRQ,
	.n_chan = 1,
	.trigger = "transparent",
	.ops = &tdc_ops,
	.cset_attrs = zio_pulse_attrs,
	.n_cset_attrs = ARRAY_SIZE(zio_pulse_attrs),
};

static void tdc_release_inputs(void *data)
{
	struct tdc_state *state = data;
	struct tdc_input *input;

	for (input = state->input; input < state->input + ZIO_GPIO_MAX_LINES; input++) {
		if (input->irq)
			free_irq(input->irq, input);
		input->irq = 0;
	}
}

static int tdc_request_input(struct device *dev, struct tdc_input *input, int irq,
			     unsigned long flags)
{
	int ret;

	if (irq < 0)
		return irq;
	ret = zio_request_hard_irq(irq, tdc_interrupt, flags, dev_name(dev), input);
	if (ret < 0)
		return ret;
	input->irq = irq;
	return 0;
}

/*
 * Requests the interrupts before the device is registered, so that an error leaves no
 * device. Returns the number of inputs, or an error.
 */
static int tdc_request_inputs(struct device *dev, struct tdc_state *state)
{
	unsigned long flags = tdc_edge_flags[zio_config_value(dev, "edge", 0)];
	const char *text = zio_config_text(dev, "lines", lines);
	int number = zio_config_value(dev, "irq", irq), ret = 0;
	struct gpio_descs *descs;
	unsigned int i;

	if (number && *text)
		return -EINVAL;
	if (number)
		return tdc_request_input(dev, &state->input[0], number, IRQF_SHARED) ?: 1;
	descs = devm_zio_gpio_get(dev, "tdc", text, GPIOD_IN);
	if (IS_ERR_OR_NULL(descs))
		return descs ? PTR_ERR(descs) : -EINVAL;
	if (descs->ndescs > ZIO_GPIO_MAX_LINES)
		return -E2BIG;
	for (i = 0; i < descs->ndescs && !ret; i++)
		ret = tdc_request_input(dev, &state->input[i],
					gpiod_to_irq(descs->desc[i]), flags);
	return ret ?: descs->ndescs;
}

static int tdc_probe(struct platform_device *pdev)
{
	int id = zio_config_id(&pdev->dev, pdev->id);
	struct zio_device *zdev;
	struct tdc_state *state;
	int i, n, ret;

	state = devm_kzalloc(&pdev->dev, sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	n = tdc_request_inputs(&pdev->dev, state);
	ret = devm_add_action_or_reset(&pdev->dev, tdc_release_inputs, state);
	if (n < 0 || ret)
		return min(n, 0) ?: ret;
	for (i = 0; i < n; i++)
		state->cset[i] = tdc_cset_desc;
	state->desc.name = "ztdc";
	state->desc.owner = THIS_MODULE;
	state->desc.cset = state->cset;
	state->desc.n_cset = n;
	zdev = devm_zio_device_register(&pdev->dev, &state->desc, id, state);
	if (IS_ERR(zdev))
		return PTR_ERR(zdev);
	/* devm also frees them before the device goes: a handler uses its channels. */
	return devm_add_action_or_reset(&pdev->dev, tdc_release_inputs, state);
}

static struct platform_driver tdc_driver = {
	.driver.name = "zio-irq-tdc",
	.probe = tdc_probe,
};

static const struct zio_attr_desc tdc_config_attrs[] = {
	{ .name = "irq", .mode = 0644, .max = S32_MAX, .raw_io = true },
	{ .name = "lines", .mode = 0644, .text = "<text>", .raw_io = true },
	{ .name = "edge", .mode = 0644, .words = tdc_edges },
};

static struct zio_config_type tdc_config = {
	.name = "ztdc",
	.owner = THIS_MODULE,
	.driver = &tdc_driver,
	.attrs = tdc_config_attrs,
	.n_attrs = ARRAY_SIZE(tdc_config_attrs),
};

/* If the parameters name an interrupt or lines, a device is made for them. */
static int __init tdc_init(void)
{
	if (irq > S32_MAX)
		return -EINVAL;
	return zio_config_driver_register(&tdc_config, irq || *lines);
}

static void __exit tdc_exit(void)
{
	zio_config_driver_unregister(&tdc_config);
}

module_init(tdc_init);
module_exit(tdc_exit);
MODULE_DESCRIPTION("ZIO: a time-to-digital converter based on interrupts");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
